"""kills.py BIN MPIEXEC LIBRARY [--moments N] [--ranks 1,2,3] [--only KIND] [--seed N] - runs that are killed, or lose what they stand on.

LIBRARY is what fault.c is compiled to.

KIND  kill        SIGKILL, which nothing can catch, to one rank or to all of them; the run goes on from its checkpoint on another number of
                  ranks, again and again, until its table and its series are those of a run that was left alone
      clock       the same, and from a moment of each run on it is a day earlier for one of its ranks
      disk        from a moment on files may not grow beyond some size
      descriptors from a moment on no file can be opened
      memory      from a moment on the process gets no more memory
      folder      the folder may be read and not written
      full        the folder is a disk of some kilobytes, which grows after the run (a tmpfs in a name space of its own)

The kinds behind the first may end a run with status 0, with 4 and a line that says what is missing, or with a message; never by a crash,
in a hang, or with a checkpoint that cannot be gone on from."""
import argparse
import csv
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HANG = 600  # seconds, on a machine at work
QUESTIONS = 200  # for the time of day, one of which is the first that is answered wrong
OUTPUT = ["-stepper_table", "run.csv", "-stepper_checkpoint", "run.h5", "-stepper_checkpoint_every", "5", "-stepper_output", "run",
          "-stepper_output_every", "0.05"]
# A solver whose iterations go on to rounding, so that ranks change the last digits alone.
COMMAND = ["rung-heat", "-mesh_count", "4,4", "-stepper_dt", "0.005", "-stepper_end", "0.5", "-stepper_method", "euler",
           "-form_backend", "interpreter",
           "-pc_type", "jacobi", "-ksp_type", "cg", "-ksp_rtol", "1e-12", "-mass_pc_type", "jacobi", "-mass_ksp_type", "cg"]


# $1 the folder, $2 its kilobytes, then the command: status of the run and, with room, of the run that goes on.
FULL = """folder=$1; mount -t tmpfs -o size=$2k none "$folder" && cd "$folder" || exit 99; shift 2
"$@"; echo "status $?"
mount -o remount,size=64m "$folder"
[ -f run.h5 ] && set -- "$@" -stepper_restart run.h5
"$@"; echo "status $?"
"""


class Room:
    """A folder with a run in it, and what is wrong so far."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.found = arguments, pathlib.Path(folder), []
        self.questions, self.log = 0, pathlib.Path(str(folder) + ".clock")  # one of so many for the time of day is answered wrong, 0: none
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_mpi_yield_when_idle="1")

    def command(self, ranks):
        words = [str(pathlib.Path(self.arguments.bin).resolve() / COMMAND[0])] + COMMAND[1:] + OUTPUT
        if self.questions:
            words = ["env", "LD_PRELOAD=" + str(pathlib.Path(self.arguments.library).resolve())] + words
        if (self.folder / "run.h5").exists():
            words += ["-stepper_restart", "run.h5"]
        if ranks > 1:
            words = [self.arguments.mpiexec, "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] + words
        return words

    def start(self, ranks, user=None, within=()):
        words, environment = [*within, *self.command(ranks)], self.environment
        if self.questions:
            environment = dict(environment, RUNG_FAIL_KIND="clock", RUNG_FAIL_AT=str(random.randint(1, self.questions)),
                               RUNG_FAIL_RANK=str(random.randrange(ranks)), RUNG_FAIL_LOG=str(self.log))
        return subprocess.Popen(words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, user=user)

    def end(self, process):
        """(status, what was said); status None where it hangs."""
        try:
            said, _ = process.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            process.terminate()
            said, _ = process.communicate()
            return None, said.decode(errors="replace")
        return process.returncode, said.decode(errors="replace")

    def empty(self):
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def wrong(self, text):
        self.found.append(text)
        print(text, flush=True)

    def wait_for_rows(self, process, rows):
        """The table that is being written has so many lines."""
        path = self.folder / "run.csv.part"
        while process.poll() is None:
            if path.exists() and path.read_bytes().count(b"\n") > rows:
                return
            time.sleep(0.005)

    def left_behind(self):
        """Processes of the run that live without it, ten seconds behind its end: on a busy machine mpiexec ends before the last of its
        children that were killed has gone."""
        end, alive = time.monotonic() + 10, [""]
        while alive and time.monotonic() < end:
            alive = []
            for entry in os.listdir("/proc"):
                try:
                    if entry.isdigit() and os.readlink("/proc/%s/cwd" % entry) == str(self.folder):
                        alive.append(entry)
                except OSError:
                    pass
            if alive:
                time.sleep(0.1)
        return alive


def pids_of(process, ranks):
    if ranks == 1:
        return [process.pid]
    try:
        text = pathlib.Path("/proc/%d/task/%d/children" % (process.pid, process.pid)).read_text(encoding="ascii")
    except OSError:
        return []
    return [int(pid) for pid in text.split()]


def table(folder):
    with open(folder / "run.csv", newline="", encoding="ascii") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(value) for value in row] for row in rows[1:]]


def series(folder):
    """Times of the series, and whether all of its files are there."""
    text = (folder / "run.pvd").read_text(encoding="utf-8")
    files = re.findall(r'timestep="([^"]*)"[^>]*file="([^"]*)"', text)
    return [time_of for time_of, _ in files], all((folder / name).exists() for _, name in files)


def is_same(one, other):
    """Tables of runs on other numbers of ranks: rounding apart."""
    (head, rows), (head_of_other, rows_of_other) = one, other
    return head == head_of_other and len(rows) == len(rows_of_other) and all(
        abs(a - b) <= 1e-9 * max(1.0, abs(b)) for row, same in zip(rows, rows_of_other) for a, b in zip(row, same))


def compare(room, wanted, words):
    if not is_same(table(room.folder), wanted[0]):
        room.wrong("%s: the table is another one" % words)
    times, whole = series(room.folder)
    if times != wanted[1] or not whole:
        room.wrong("%s: the series has %d times, wanted %d; files %s" %
                   (words, len(times), len(wanted[1]), "there" if whole else "missing"))
    left = [path.name for path in room.folder.iterdir() if ".part" in path.name]
    if left:
        room.wrong("%s: %s is left" % (words, left))


def left_alone(room, ranks):
    """Length of a run in seconds, table and series."""
    room.empty()
    began = time.monotonic()
    status, said = room.end(room.start(ranks))
    if status != 0:
        sys.exit("a run that is left alone on %d ranks ends with status %s\n%s" % (ranks, status, said))
    return time.monotonic() - began, (table(room.folder), series(room.folder)[0])


def choose_moment(room, process, length):
    """Returns in the start of a run, or while it writes a row, a checkpoint, a time of the series."""
    if random.random() < 0.2:
        try:
            process.wait(timeout=random.uniform(0, 0.5) * length)
        except subprocess.TimeoutExpired:
            pass
        return
    path = room.folder / "run.csv"
    room.wait_for_rows(process, (path.read_bytes().count(b"\n") if path.exists() else 0) + random.randrange(0, 40))
    time.sleep(random.uniform(0, 0.02))


def kill(room, ranks, moments, questions=0):
    lengths, runs, wanted = {}, 0, None
    for n in ranks:
        lengths[n], wanted = left_alone(room, n)
    room.questions = questions
    room.empty()
    number = random.choice(ranks)
    done = 0
    while done < moments or (room.folder / "run.h5").exists():
        had = (room.folder / "run.h5").exists()
        process = room.start(number)
        words = "kill %d, %d ranks" % (done + 1, number)
        if done < moments:
            choose_moment(room, process, lengths[number])
            pids = []
            while process.poll() is None and not pids:
                pids = pids_of(process, number)
            for pid in pids if random.random() < 0.5 else pids[-1:]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            done += 1 if pids else 0
        status, said = room.end(process)
        if status is None or room.left_behind():
            room.wrong("%s: a rank is left behind" % words)
        if had and not (room.folder / "run.h5").exists():
            room.wrong("%s: took the checkpoint with it" % words)
        if status == 0:
            compare(room, wanted, words)
            room.empty()
            runs += 1
        elif status not in (-9, 137):
            room.wrong("%s: status %s\n%s" % (words, status, said))
            room.empty()
        number = random.choice([n for n in ranks if n != number] or ranks)
    return "%d kills, %d runs came to their end" % (done, runs)


def set_back(room, ranks, moments):
    """Kills of runs whose clock goes back."""
    said = kill(room, ranks, moments, QUESTIONS)
    room.questions = 0
    told = [line.split(None, 2)[2] for line in room.log.read_text(encoding="ascii").splitlines()]
    room.log.unlink()
    back = len([word for word in told if word != "-"])
    if not back:
        room.wrong("clock: it went back in none of the runs")
    return "%s; the clock went back in %d of the runs" % (said, back)


def limits(kind, pid):
    """What the process loses; names of the limit and its value."""
    if kind == "disk":
        return resource.RLIMIT_FSIZE, random.choice([0, 100, 1500, 4096, random.randrange(1, 60000)])
    if kind == "descriptors":
        return resource.RLIMIT_NOFILE, len(os.listdir("/proc/%d/fd" % pid)) + random.choice([0, 0, 1])
    pages = int(pathlib.Path("/proc/%d/statm" % pid).read_text(encoding="ascii").split()[0])
    return resource.RLIMIT_AS, 4096 * pages + random.choice([0, 0, 1 << 16, 1 << 20])


def judge(room, words, status, said):
    if status is None:
        room.wrong("%s: hangs" % words)
    elif status < 0 or status > 128:
        room.wrong("%s: crashes, status %d\n%s" % (words, status, said[-2000:]))
    elif status == 4 and "incomplete: " not in said:
        room.wrong("%s: status 4 without its line\n%s" % (words, said))
    elif status and "error: " not in said and status != 4:
        room.wrong("%s: status %d without a message\n%s" % (words, status, said))


def lose(room, kind, ranks, moments):
    """The process loses something in the middle of its run, and goes on afterwards with all it needs."""
    statuses = {}
    for moment in range(moments):
        number = ranks[moment % len(ranks)]
        room.empty()
        words = "%s, moment %d, %d ranks" % (kind, moment + 1, number)
        process = room.start(number)
        room.wait_for_rows(process, random.randrange(0, 80))
        pids = pids_of(process, number)
        if process.poll() is None and pids:
            pid = random.choice(pids) if kind != "disk" else pids[0]
            try:
                limit, value = limits(kind, pid)
                resource.prlimit(pid, limit, (value, value))
                words += ", at most %d" % value
            except (ProcessLookupError, FileNotFoundError):
                pass
        status, said = room.end(process)
        statuses[status] = statuses.get(status, 0) + 1
        judge(room, words, status, said)
        status, said = room.end(room.start(1))
        if status != 0:
            room.wrong("%s: does not go on, status %s\n%s" % (words, status, said))
    return ", ".join("%d with status %s" % (n, status) for status, n in sorted(statuses.items(), key=str))


def read_only(room, ranks):
    """Nobody's process, where it could not be hindered otherwise."""
    user = 65534 if os.geteuid() == 0 else None
    room.empty()
    os.chmod(room.folder, 0o555)
    try:
        for number in ranks[:1]:
            status, said = room.end(room.start(number, user=user))
            judge(room, "a folder that may not be written", status, said)
            if status == 0:
                room.wrong("a folder that may not be written: status 0")
    finally:
        os.chmod(room.folder, 0o755)
    return "status %s: %s" % (status, said.strip().split("\n")[0])


def fill(room, ranks, moments):
    """Disks of some sizes; the first that holds a whole run ends with status 0."""
    statuses = {}
    for moment in range(moments):
        number = ranks[moment % len(ranks)]
        size = random.choice([4, 12, 40, 60, 80, 120, 200, 300, random.randrange(4, 700)])
        words = "full, moment %d, %d ranks, %d kB" % (moment + 1, number, size)
        room.empty()
        status, said = room.end(room.start(number, within=["unshare", "-rm", "sh", "-c", FULL, "sh", str(room.folder), str(size)]))
        if status == 99 or "unshare: " in said:
            return "not run: a disk of its own is not to be had"
        found = [int(n) for n in re.findall(r"^status (\d+)$", said, re.MULTILINE)]
        if status is None or len(found) != 2:
            room.wrong("%s: hangs\n%s" % (words, said))
            continue
        statuses[found[0]] = statuses.get(found[0], 0) + 1
        judge(room, words, found[0], said.split("\nstatus ")[0])
        if found[1]:
            room.wrong("%s: does not go on, status %d\n%s" % (words, found[1], said))
    return ", ".join("%d with status %s" % (n, status) for status, n in sorted(statuses.items(), key=str))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("mpiexec")
    parser.add_argument("library")
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--ranks", default="1,2,3")
    parser.add_argument("--only", default="kill,clock,disk,full,descriptors,memory,folder")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    ranks = [int(n) for n in arguments.ranks.split(",")]
    random.seed(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="rung_kills_", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        room = Room(arguments, os.path.realpath(folder))
        for kind in arguments.only.split(","):
            if kind == "kill":
                said = kill(room, ranks, arguments.moments)
            elif kind == "clock":
                said = set_back(room, ranks, arguments.moments)
            elif kind == "folder":
                said = read_only(room, ranks)
            elif kind == "full":
                said = fill(room, ranks, arguments.moments)
            else:
                said = lose(room, kind, ranks, arguments.moments)
            print("%s: %s" % (kind, said), flush=True)
    print("%d findings" % len(room.found))
    sys.exit(bool(room.found))


if __name__ == "__main__":
    main()
