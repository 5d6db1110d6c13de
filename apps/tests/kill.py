"""kill.py MPIEXEC RANKS KILLS command.. - a run that is killed again and again ends as one that was left alone.

Runs `command` with checkpoints once to its end, then once more, killing it KILLS times at random moments (SIGKILL, which
nothing can catch) and going on from its checkpoint each time.  The tables must be equal byte for byte on one rank, to 1e-12
on several, and a checkpoint that was there before a kill must be there after it."""
import os
import random
import signal
import subprocess
import sys
import time

CHECKPOINT = "run.h5"
TABLE = "run.csv"
PATIENCE = 20  # seconds that mpiexec has to see that its ranks are gone


def start(mpiexec, ranks, command, folder):
    run = command + ["-stepper_table", TABLE, "-stepper_checkpoint", CHECKPOINT, "-stepper_checkpoint_every", "10"]
    if os.path.exists(os.path.join(folder, CHECKPOINT)):
        run += ["-stepper_restart", CHECKPOINT]
    if ranks > 1:
        run = [mpiexec, "--oversubscribe", "-n", str(ranks)] + run
    return subprocess.Popen(run, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def victims(process, ranks):
    """The process itself, or the ranks that mpiexec has started."""
    if ranks == 1:
        return [process.pid]
    try:
        with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def kill(process, ranks):
    for pid in victims(process, ranks):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:  # Open MPI waits for ever in PMIx_server_finalize where ranks are killed while they end
        process.kill()
        process.communicate()


def read(folder):
    with open(os.path.join(folder, TABLE), encoding="ascii") as file:
        return file.read()


def equal(first, second, ranks):
    if ranks == 1 or first == second:
        return first == second
    one, other = [[line.split(",") for line in text.splitlines()] for text in (first, second)]
    return one[0] == other[0] and len(one) == len(other) and all(
        abs(float(a) - float(b)) <= 1e-12 * max(1.0, abs(float(a)))
        for row, same in zip(one[1:], other[1:]) for a, b in zip(row, same))


def main():
    mpiexec, ranks, kills, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    random.seed(7)
    for folder in "whole", "killed":
        os.makedirs(folder, exist_ok=True)
        for name in CHECKPOINT, CHECKPOINT + ".part", TABLE, TABLE + ".part", TABLE + ".part.new":
            if os.path.exists(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
    began = time.monotonic()
    process = start(mpiexec, ranks, command, "whole")
    _, said = process.communicate()
    if process.returncode:
        print(said.decode(), "the run that was left alone ended with status %d" % process.returncode)
        return 1
    length = time.monotonic() - began
    for number in range(kills):
        had = os.path.exists(os.path.join("killed", CHECKPOINT))
        process = start(mpiexec, ranks, command, "killed")
        try:
            process.wait(timeout=random.uniform(0.2, 0.6) * length)
        except subprocess.TimeoutExpired:
            kill(process, ranks)
        if had and not os.path.exists(os.path.join("killed", CHECKPOINT)):
            print("kill %d took the checkpoint with it" % (number + 1))
            return 1
    process = start(mpiexec, ranks, command, "killed")
    _, said = process.communicate()
    if process.returncode:
        print(said.decode(), "after %d kills the run ended with status %d" % (kills, process.returncode))
        return 1
    same = equal(read("whole"), read("killed"), ranks)
    print("%d kills: the tables are %s" % (kills, "equal" if same else "different"))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
