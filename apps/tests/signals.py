"""signals.py MPIEXEC RANKS command.. - a signal ends a run after its step, and the run goes on as if it had not been.

Sends each signal to one rank of a long run with checkpoints, a table and a series.  The status must be 128 + signal, the
table finished, and the run, gone on with from its checkpoint, must come to its end.  Two signals at once end a process at
once.  A checkpoint that is refused in the middle of a run is a warning, status 4 and one line at the end."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

FILES = ["-stepper_table", "run.csv", "-stepper_checkpoint", "run.h5"]


def start(mpiexec, ranks, command, series="none"):
    run = command + FILES + ["-stepper_output", series]
    if ranks > 1:
        run = [mpiexec, "--oversubscribe", "-n", str(ranks)] + run
    return subprocess.Popen(run, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ranks_of(process, ranks):
    """The process itself, or those that mpiexec has started."""
    if ranks == 1:
        return [process.pid]
    with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="ascii") as file:
        return [int(pid) for pid in file.read().split()]


def last_rank(process, ranks):
    return ranks_of(process, ranks)[-1]


def wait_for_rows(process, rows):
    """The loop has begun: its table has so many lines."""
    while process.poll() is None:
        try:
            with open("run.csv.part", encoding="ascii") as file:
                if len(file.readlines()) > rows:
                    return
        except FileNotFoundError:
            pass
        time.sleep(0.02)


def clean_folders():
    for folder in "in_the_way", "run.h5.part":
        if os.path.isdir(folder):
            shutil.rmtree(folder)


def clean():
    clean_folders()
    for name in "run.csv", "run.csv.part", "run.h5", "run.h5.part":
        if os.path.exists(name):
            os.remove(name)


def fail(text, said):
    print(text + ":\n" + said)
    sys.exit(1)


def end_by(mpiexec, ranks, command, number):
    clean()
    process = start(mpiexec, ranks, command)
    wait_for_rows(process, 3)
    os.kill(last_rank(process, ranks), number)
    said, _ = process.communicate(timeout=60)
    if process.returncode != 128 + number or signal.Signals(number).name + " has ended the run at t = " not in said:
        fail("%s: status %d" % (signal.Signals(number).name, process.returncode), said)
    if not os.path.exists("run.h5") or not os.path.exists("run.csv") or os.path.exists("run.csv.part"):
        fail("%s: checkpoint or table is missing" % signal.Signals(number).name, str(os.listdir(".")))


def go_on(mpiexec, ranks, command):
    """Ten steps more; the rows that were there stay."""
    with open("run.csv", encoding="ascii") as file:
        before = file.readlines()
    end = float(before[-1].split(",")[0]) + 10 * float(command[command.index("-stepper_dt") + 1])
    process = start(mpiexec, ranks, command + ["-stepper_restart", "run.h5", "-stepper_end", "%.12g" % end])
    said, _ = process.communicate(timeout=60)
    with open("run.csv", encoding="ascii") as file:
        after = file.readlines()
    if process.returncode or after[:len(before)] != before or abs(float(after[-1].split(",")[0]) - end) > 1e-9:
        fail("going on: status %d" % process.returncode, said)


def end_at_once(mpiexec, command):
    """Both come while the process sleeps: it meets them together."""
    clean()
    process = start(mpiexec, 1, command)
    wait_for_rows(process, 3)
    for number in signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCONT:
        os.kill(process.pid, number)
    said, _ = process.communicate(timeout=60)
    if process.returncode not in (-signal.SIGTERM, -signal.SIGINT):
        fail("two signals: status %d" % process.returncode, said)


def disturbed(mpiexec, ranks, command, series, disturb, warning):
    """A run that is disturbed behind its third row: the process, its words and its end.  One that was over before, or so
    nearly over that it did not warn, is made again, four times as long."""
    for end in 0.04, 0.16, 0.64, 2.56:
        shutil.rmtree(series + ".pvd.d", ignore_errors=True)
        process = start(mpiexec, ranks, command + ["-stepper_end", "%g" % end], series)
        wait_for_rows(process, 3)
        disturb(process)
        said, _ = process.communicate(timeout=120)
        if warning in said:
            break
    return process, said, end


def stand_in_the_way(process):
    """A folder of the name under which checkpoints are written, between two of them; not empty, so that it stays."""
    clean_folders()
    os.makedirs("in_the_way/inside")
    while process.poll() is None:
        try:
            os.rename("in_the_way", "run.h5.part")
            return
        except NotADirectoryError:
            pass


def refused_checkpoint(mpiexec, ranks, command):
    """What stands in the way comes after the run has begun; the older checkpoint is that of go_on()."""
    process, said, end = disturbed(mpiexec, ranks, command, "none", stand_in_the_way, "warning: checkpoint")
    clean_folders()
    missing = "incomplete: checkpoint \"run.h5\" of t = %g is missing: a folder" % end
    if process.returncode != 4 or said.count(missing) != 1:
        fail("a refused checkpoint: status %d" % process.returncode, said)
    if "HDF5" in said or said.count("warning: checkpoint \"run.h5\" of t = ") < 1:
        fail("a refused checkpoint: not in words", said)
    with open("run.h5", "rb") as file:
        kept = file.read(8)
    if b"HDF" not in kept:
        fail("a refused checkpoint: the older one is gone", said)


def end_between_outputs(mpiexec, ranks, command):
    """One step with a hundred thousand outputs: they end, and the series holds the state that the run ends with."""
    clean()
    shutil.rmtree("many.pvd.d", ignore_errors=True)
    run = command[:1] + ["-mesh_count", "4,4", "-stepper_dt", "1", "-stepper_output", "many", "-stepper_output_every", "1e-5"]
    if ranks > 1:
        run = [mpiexec, "--oversubscribe", "-n", str(ranks)] + run
    process = subprocess.Popen(run, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while process.poll() is None and not os.path.exists("many.pvd.d/many_000005.vtu"):
        time.sleep(0.02)
    os.kill(last_rank(process, ranks), signal.SIGUSR2)
    said, _ = process.communicate(timeout=60)
    with open("many.pvd", encoding="ascii") as file:
        last = file.read().split('timestep="')[-1].split('"')[0]
    if process.returncode != 128 + signal.SIGUSR2 or last != "1" or 'note: the series "many" has no times from t = ' not in said:
        fail("between outputs: status %d, the last time is %s" % (process.returncode, last), said)
    shutil.rmtree("many.pvd.d")


def fill_disk(process):
    """Files of a rank may not grow any more; of one that has ended nobody knows."""
    try:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1500, 1500))
    except ProcessLookupError:
        pass


def full_disk(mpiexec, ranks, command):
    """Files may not grow any more: the run goes to its end without the rows and times that it cannot write."""
    clean()
    process, said, end = disturbed(mpiexec, ranks, command, "many", fill_disk, "warning: a time of")
    with open("run.csv", encoding="ascii") as file:
        rows = file.read()
    if process.returncode != 4 or said.count('warning: a row of "run.csv" at t = ') != 1 or said.count("incomplete: ") != 1 or \
            said.count('warning: a time of "many" at t = ') != 1 or "(and 2 more)" not in said or "error" in said:
        fail("a full disk: status %d" % process.returncode, said)
    if "\n%g," % end in rows or rows[-1] != "\n" or os.path.exists("run.csv.part"):
        fail("a full disk: halves are left", rows)
    if "files: many.pvd, run.csv" not in said:
        fail("a full disk: other files", said)
    shutil.rmtree("many.pvd.d")


STATIC = """title a body that is pulled
points 3
unknown y z P0
constant load 0
table pull
quantity sum y*dx
step pull
residual (y + y^3 - load)*z*dx
static load 0 1000 0.001
step rest
residual (dt(y) + y)*z*dx
time 0 1 0.1
"""


def end_static(mpiexec, ranks, rung):
    """A step without time ends behind the solution in hand, with its checkpoint, goes on from there, and no step follows it."""
    clean()
    if os.path.exists("pull.h5"):
        os.remove("pull.h5")
    with open("pull.rung", "w", encoding="ascii") as file:
        file.write(STATIC)
    run = [rung, "run", "pull.rung", "-stepper_checkpoint", "pull.h5"]
    if ranks > 1:
        run = [mpiexec, "--oversubscribe", "-n", str(ranks)] + run
    process = subprocess.Popen(run, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while process.poll() is None and not os.path.exists("pull.h5"):
        time.sleep(0.02)
    os.kill(last_rank(process, ranks), signal.SIGUSR1)
    said, _ = process.communicate(timeout=60)
    if process.returncode != 128 + signal.SIGUSR1 or "SIGUSR1 has ended the step at load = " not in said or "step rest:" in said:
        fail("a static step: status %d" % process.returncode, said)
    value = float(said.split("has ended the step at load = ")[1].split(";")[0])
    with open("pull.rung", "w", encoding="ascii") as file:
        file.write(STATIC.replace("0 1000 0.001", "0 %.17g 0.001" % (value + 0.005)))
    run = [rung, "run", "pull.rung", "-step", "pull", "-stepper_restart", "pull.h5"]
    said = subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if said.returncode or "\n6 solutions to load = " not in said.stdout:
        fail("going on with a static step: status %d" % said.returncode, said.stdout + said.stderr)


def end_at(mpiexec, ranks, run, line, number, path="."):
    """Sends the signal to one rank as soon as such a line is said and the path is there."""
    if ranks > 1:
        run = [mpiexec, "--oversubscribe", "-n", str(ranks)] + run
    process = subprocess.Popen(run, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not process.stdout.readline().startswith(line):
        if process.poll() is not None:
            fail("no line " + line, process.stdout.read())
    while process.poll() is None and not os.path.exists(path):
        time.sleep(0.02)
    os.kill(last_rank(process, ranks), number)
    said, _ = process.communicate(timeout=60)
    if process.returncode != 128 + number:
        fail("%s at %s: status %d" % (signal.Signals(number).name, line, process.returncode), said)
    return said


def end_second_step(mpiexec, ranks, rung, number=signal.SIGXCPU):
    """Between the steps of a file, or while the second one is set up: that one begins, saves where it is, and goes on from there."""
    clean()
    if os.path.exists("pull.h5"):
        os.remove("pull.h5")
    with open("pull.rung", "w", encoding="ascii") as file:
        file.write(STATIC.replace("0 1000 0.001", "0 1 0.5").replace("0 1 0.1", "0 10000 0.1"))
    said = end_at(mpiexec, ranks, [rung, "run", "pull.rung", "-stepper_checkpoint", "pull.h5"], "step rest: ", number)
    if signal.Signals(number).name + " has ended the run at t = " not in said or "it goes on with -stepper_restart pull.h5" not in said:
        fail("a second step: no words", said)
    t = float(said.split(" has ended the run at t = ")[1].split(",")[0])
    with open("pull.rung", "w", encoding="ascii") as file:
        file.write(STATIC.replace("0 1 0.1", "0 %.12g 0.1" % (t + 1)))
    run = [rung, "run", "pull.rung", "-step", "rest", "-stepper_restart", "pull.h5"]
    said = subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if said.returncode or " steps to t = %.9g," % (t + 1) not in said.stdout:
        fail("going on with a second step: status %d" % said.returncode, said.stdout + said.stderr)


SYSTEMS = """points 3
coupling lie 0.001
checkpoint pair 7
system one
unknown y z P0
residual (dt(y) + y)*z*dx
initial y 1
quantity one y*dx
time 0 1000 0.001
system two
unknown p w P0
residual (dt(p) - 1)*w*dx
quantity two p*dx
time 0 1000 0.001
"""


def end_systems(mpiexec, ranks, rung):
    """Several systems end behind a whole window, whose states are saved, and go on from there: ten windows more."""
    with open("pair.rung", "w", encoding="ascii") as file:
        file.write(SYSTEMS)
    shutil.rmtree("pair", ignore_errors=True)
    run = [rung, "run", "pair.rung", "-output", "pair"]
    said = end_at(mpiexec, ranks, run, "system two: ", signal.SIGTERM, "pair/pair_two.h5")
    windows = int(said.split("a signal has ended the run behind window ")[1].split(" ")[0])
    text = SYSTEMS.replace("time 0 1000", "time 0 %.12g" % (0.001 * (windows + 10))).replace("checkpoint pair 7", "restart pair/pair")
    with open("on.rung", "w", encoding="ascii") as file:
        file.write(text)
    said = subprocess.run([rung, "run", "on.rung"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    # The window that was cut counts with the solves that it had come to: none, one system's or both.
    solves = ["%d windows, %d solves" % (windows + 10, 2 * (windows + 10) + cut) for cut in range(3)]
    if said.returncode or not any(of in said.stdout for of in solves):
        fail("going on with several systems behind window %d: status %d" % (windows, said.returncode), said.stdout + said.stderr)


STUDY = """points 3
unknown y z P0
residual (dt(y) + y)*z*dx
initial y 1
exact y exp(-t)
method trbdf2
time 0 1 0.1
ladder dt 0.1 1e-6
"""


def end_study(mpiexec, ranks, rung):
    """The level in hand is no result, and no other one is begun."""
    with open("ladder.rung", "w", encoding="ascii") as file:
        file.write(STUDY)
    said = end_at(mpiexec, ranks, [rung, "study", "ladder.rung"], "  dt  0.1 ", signal.SIGTERM)
    if "SIGTERM has ended the study at dt = 1e-06; it has no result" not in said or "order" in said:
        fail("a study: other words", said)


def main():
    mpiexec, ranks, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    for number in (signal.SIGUSR1,) if ranks > 1 else (
            signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
        end_by(mpiexec, ranks, command, number)
    go_on(mpiexec, ranks, command)
    if ranks == 1:
        refused_checkpoint(mpiexec, ranks, command)
        end_at_once(mpiexec, command)
        full_disk(mpiexec, ranks, command)
    end_between_outputs(mpiexec, ranks, command)
    rung = os.path.join(os.path.dirname(command[0]), "rung")
    end_static(mpiexec, ranks, rung)
    end_second_step(mpiexec, ranks, rung)
    end_study(mpiexec, ranks, rung)
    if ranks == 1:
        end_systems(mpiexec, ranks, rung)
    return 0


if __name__ == "__main__":
    sys.exit(main())
