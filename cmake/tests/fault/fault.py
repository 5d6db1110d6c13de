"""fault.py - one call fails, then the next: each run must end well or say why.

    fault.py KIND LIBRARY BIN MPIEXEC [--points N] [--ranks 1,3] [--scenario NAME] [--at N,..] [--rank R,..] [--ever]
            [--sites DEPTH] [--known FILE] [--verbose]

KIND is a kind of fault.c, LIBRARY what it is compiled to, BIN the folder of the programs.  Each scenario is one small run.
It is made once without a fault, which counts its calls and leaves what a good run leaves; then calls are made to fail, one a
run: all of them, or N that are spread over them.  --at N is call N alone, of rank 0 or R, with what the run said.

--sites is a walk through all places that calls come from: a site is what stands on the stack where the call is made, DEPTH frames of the
program's own and the place in PETSc that makes it (fault.c).  The first call of each fails, and the last one where it has several, on the
ranks of --rank.  A site that has failed in one run is not tried in the next one; FILE keeps those of walks before, until programs are
linked anew, so that a walk that was stopped goes on.

A run may end in two ways: with status 0 and what the good run left, or with another status and a message.  It may not crash,
hang, leave a rank behind, keep memory of the program's own, or lose the checkpoint that was there before."""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

FILES = ("open", "read", "write", "fsync", "rename", "compile")  # kinds that kernels and their cache meet
HANG = 60  # seconds
PLATE = """box       triangle 4,4 1,1
unknown   u v CG1
constant  kappa 0.1
residual  dt(u)*v*dx
residual  kappa*inner(grad(u), grad(v))*dx
residual  -10*exp(-t)*x[0]*v*dx
dirichlet u boundary 0
initial   u sin(pi*x[0])*sin(pi*x[1])
quantity  heat u*dx
method    esdirk43
time      0 0.2 0.05
output    heat 0.1
table     heat
"""
ROD = """box       interval 6 1
unknown   u v CG2
residual  dt(u)*v*dx
residual  (1 + exp(u))*inner(grad(u), grad(v))*dx
dirichlet u boundary exp(-t)
initial   u 1
quantity  middle u*dx
method    esdirk32
time      0 0.4 0.05
tolerances 1e-3 1e-4
table     rod
"""
STEPS = """box       interval 4 1
unknown   u v CG1
quantity  middle u*dx
""" + "".join(f"""step      s{i}
residual  dt(u)*v*dx + (1 + {i}*u^2)*inner(grad(u), grad(v))*dx - {i}*exp(-t)*v*dx
dirichlet u boundary 0
quantity  q{i} exp(u/{i + 1})*dx
method    trbdf2
time      {0.1 * i:g} {0.1 * (i + 1):g} 0.05
table     s{i}
""" for i in range(14))
SQUARE = """mesh      square.msh
unknown   u v CG2
residual  dt(u)*v*dx + inner(grad(u), grad(v))*dx
dirichlet u edge exp(-t)
initial   u from checkpoint first.h5
quantity  heat u*dx
method    trbdf2
time      0 0.2 0.05
table     square
"""
MESH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 1 "edge"
2 2 "inside"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0.5 0.5 0
$EndNodes
$Elements
8
1 1 2 1 1 1 2
2 1 2 1 1 2 3
3 1 2 1 1 3 4
4 1 2 1 1 4 1
5 2 2 2 2 1 2 5
6 2 2 2 2 2 3 5
7 2 2 2 2 3 4 5
8 2 2 2 2 4 1 5
$EndElements
"""
LEAK = re.compile(r"^leak: .*", re.M)
CRASH = re.compile(r"[Ss]egmentation|signal number|signal: |double free|corrupt|stack smashing|Assertion")
# Lines that are no message of the run: mpiexec's own.
NOISE = re.compile(r"^-+$|^Primary job|^a non-zero exit code|^mpiexec|^mpirun|^MPI_ABORT|^with errorcode|^NOTE: invoking|"
                   r"^You may or may not|^exactly when Open MPI|^\s*$|^\s*Process name|^\s*Exit code|^prterun")


class Scenario:
    """One small run: the files it starts from, its command, and those that a good run leaves; whether it compiles kernels."""

    def __init__(self, name, files, command, results, before=None, after=None, compiles=False):
        self.name, self.files, self.command, self.results = name, files, command, results
        self.before, self.after, self.compiles = before, after, compiles


SAVE = ["-stepper_checkpoint", "save.h5"]
START = SQUARE.replace("from checkpoint first.h5", "x[0]")
SCENARIOS = [
    Scenario("plate", {"plate.rung": PLATE}, ["rung", "run", "plate.rung", "-quiet"] + SAVE,
             ["plate.out/heat.csv", "plate.out/heat.pvd"],
             after=["rung", "run", "plate.rung", "-quiet", "-stepper_restart", "save.h5", "-output", "again"]),
    Scenario("again", {"plate.rung": PLATE},
             ["rung", "run", "plate.rung", "-quiet", "-stepper_restart", "save.h5", "-stepper_end", "0.3"] + SAVE,
             ["plate.out/heat.csv"],
             before=["rung", "run", "plate.rung", "-quiet", "-output", "first"] + SAVE,
             after=["rung", "run", "plate.rung", "-quiet", "-stepper_restart", "save.h5", "-stepper_end", "0.4",
                    "-output", "again"]),
    Scenario("rod", {"rod.rung": ROD}, ["rung", "run", "rod.rung", "-quiet"], ["rod.out/rod.csv"], compiles=True),
    Scenario("square", {"square.rung": SQUARE, "start.rung": START, "square.msh": MESH},
             ["rung", "run", "square.rung", "-quiet"], ["square.out/square.csv"],
             before=["rung", "run", "start.rung", "-quiet", "-stepper_checkpoint", "first.h5"]),
    Scenario("steps", {"steps.rung": STEPS}, ["rung", "run", "steps.rung", "-quiet"], ["steps.out/s13_s13.csv"], compiles=True),
    Scenario("kernels", {"rod.rung": ROD}, ["rung", "compile", "rod.rung", "-output", "kernels.c", "-name", "rod"],
             ["kernels.c"], compiles=True),
]


def is_like(found, wanted, kind):
    """The same text, with numbers apart by rounding: kernels that cannot be compiled are interpreted.  Where a step was made
    again by smaller ones, the last row of a table is near its own."""
    if found is None or wanted is None:
        return found is wanted
    if kind in ("nan", "factor"):
        rows = [text.split()[-1].split(b",") for text in (found, wanted)]
        return len(rows[0]) == len(rows[1]) and all(a == b or is_near(a, b, 1e-2) for a, b in zip(*rows))
    words, others = (re.split(rb"([-+0-9.eE]*[0-9][-+0-9.eE]*)", text) for text in (found, wanted))
    return len(words) == len(others) and all(a == b or is_near(a, b) for a, b in zip(words, others))


def is_near(a, b, tolerance=1e-6):
    try:
        return abs(float(a) - float(b)) <= 1e-9 + tolerance * abs(float(b))
    except ValueError:
        return False


class Walk:
    """One kind of fault, through scenarios, calls and numbers of ranks."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.found, self.runs = arguments, folder, [], 0
        self.sites, self.failed, self.known = set(), set(), {}  # on (ranks, rank, site); {(ranks, rank, site, which call): finding}
        if arguments.known and arguments.known.exists():
            for line in arguments.known.read_text().splitlines():
                program, kind, ranks, rank, site, which, words = line.split(" ", 6)
                if (program, kind) == (self.program(), arguments.kind):
                    self.known[int(ranks), int(rank), site, which] = words
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "run" / "cache"), OMP_NUM_THREADS="1",
                                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=str(folder))

    def program(self):
        """A word for the program as it was linked: addresses are those of one."""
        at = (pathlib.Path(self.arguments.bin) / "rung").stat()
        return f"{at.st_mtime_ns:x}.{self.arguments.sites}"

    def start(self, scenario, command, ranks, fault=None):
        """(status, what was said); status None where it hangs."""
        words = [str(pathlib.Path(self.arguments.bin).resolve() / command[0])] + command[1:]
        if self.arguments.kind not in FILES or not scenario.compiles:
            words += ["-form_backend", "interpreter"]
        environment = dict(self.environment)
        if fault:
            words = ["env", "LD_PRELOAD=" + str(pathlib.Path(self.arguments.library).resolve())] + words
            environment.update({"RUNG_FAIL_" + key: str(value) for key, value in fault.items()})
        if ranks > 1:
            words = [self.arguments.mpiexec, "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] + words
        process = subprocess.Popen(words, cwd=self.folder / "run", env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            said, _ = process.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpiexec ends its ranks
            try:
                said, _ = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                said, _ = process.communicate()
            return None, said.decode(errors="replace")
        return process.returncode, said.decode(errors="replace")

    def prepare(self, scenario):
        """The state before a run, made once and copied."""
        ready, run = self.folder / ("ready_" + scenario.name), self.folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        if ready.exists():
            shutil.copytree(ready, run)
            return
        run.mkdir()
        for name, text in scenario.files.items():
            (run / name).write_text(text)
        if scenario.before:
            status, said = self.start(scenario, scenario.before, 1)
            if status:
                sys.exit(f"{scenario.name}: what comes before ends with status {status}\n{said}")
            shutil.rmtree(run / "cache", ignore_errors=True)
        shutil.copytree(run, ready)

    def count(self, scenario, ranks):
        """Calls of each rank in a run without a fault, and what it leaves."""
        self.prepare(scenario)
        log = self.folder / "calls"
        log.unlink(missing_ok=True)
        sites = self.folder / "sites"
        sites.unlink(missing_ok=True)
        fault = self.fault(0, 0, log)
        if self.arguments.sites:
            fault["SITES"] = sites
        status, said = self.start(scenario, scenario.command, ranks, fault)
        if status:
            sys.exit(f"{scenario.name} on {ranks} ranks ends with status {status} without a fault\n{said}")
        if LEAK.search(said):
            sys.exit(f"{scenario.name} on {ranks} ranks, without a fault: {LEAK.search(said).group()}")
        missing = [name for name in scenario.results if self.read(name) is None]
        if missing:
            sys.exit(f"{scenario.name} leaves no {missing[0]} without a fault")
        calls = [0] * ranks
        for line in log.read_text().splitlines():
            rank, number = line.split()[:2]
            calls[int(rank)] = int(number)
        places = [line.split() for line in sites.read_text().splitlines()] if sites.exists() else []
        return calls, [self.read(name) for name in scenario.results], places

    def fault(self, at, rank, log, site="0"):
        return {"KIND": self.arguments.kind, "AT": at, "RANK": rank, "LOG": log, "ROOT": self.folder / "run",
                "EVER": int(self.arguments.ever), "DEPTH": self.arguments.sites or 4, "SITE": site}

    def read(self, name):
        path = self.folder / "run" / name
        return path.read_bytes() if path.exists() else None

    def judge(self, scenario, status, said, wanted):
        """None, or what is wrong."""
        message = [line for line in said.splitlines() if not NOISE.search(line)]
        if status is None:
            return f"hangs for {HANG} s"
        if status < 0 or status in (134, 135, 136, 139) or CRASH.search(said):
            return f"crashes, status {status}"
        if LEAK.search(said):
            return LEAK.search(said).group()
        if status and not message:
            return f"ends with status {status} without a message"
        if not status:
            for name, content in zip(scenario.results, wanted):
                if not is_like(self.read(name), content, self.arguments.kind):
                    return f"ends with status 0, but {name} is {'there' if self.read(name) else 'missing'} and not as in a good run"
        saved = (self.folder / "run" / "save.h5").exists()
        if scenario.after and (saved or scenario.before or not status):
            status, more = self.start(scenario, scenario.after, 1)
            if status:
                return f"leaves no checkpoint to go on from: {more.strip()[-300:]}"
        return None

    def run(self, scenario, ranks, at, rank, wanted, site="0"):
        """Whether a call failed, and what is wrong."""
        self.prepare(scenario)
        log = self.folder / "calls"
        log.unlink(missing_ok=True)
        status, said = self.start(scenario, scenario.command, ranks, self.fault(at, rank, log, site))
        self.runs += 1
        wrong = self.judge(scenario, status, said, wanted)
        if self.arguments.verbose or self.arguments.at:
            print(f"--- {scenario.name}, {ranks} ranks, call {at} of rank {rank}: status {status}\n{said}", end="")
        where = [line.split(None, 2)[2] for line in log.read_text().splitlines()] if log.exists() else []
        where = [word for word in where if word != "-"]
        if wrong:
            self.found.append(f"{scenario.name}, {ranks} ranks, call {at}{' of ' + site if self.arguments.sites else ''} of rank {rank} ({where[0] if where else '?'}): {wrong}")
            print(self.found[-1], flush=True)
        return bool(where), wrong

    def walk_sites(self, scenario, ranks, which, places, wanted):
        """First or last calls of all sites."""
        tries = []
        for rank, site, calls in ((int(place[0]), place[1], int(place[2])) for place in places):
            if rank in self.arguments.rank:
                self.sites.add((ranks, rank, site))
                tries += [(rank, 1, site)] if which == "first" else [(rank, calls, site)] if calls > 1 else []
        for rank, at, site in sorted(tries):
            if (ranks, rank, site, which) not in self.known:
                failed, wrong = self.run(scenario, ranks, at, rank, wanted, site)
                self.known[ranks, rank, site, which] = words = wrong or ("" if failed else "missed")
                self.failed |= {(ranks, rank, site)} if failed else set()
                if self.arguments.known:
                    with open(self.arguments.known, "a", encoding="utf-8") as file:
                        file.write(f"{self.program()} {self.arguments.kind} {ranks} {rank} {site} {which} {' '.join(words.split())}\n")
            elif self.known[ranks, rank, site, which] != "missed":
                self.failed.add((ranks, rank, site))

    def state(self, scenario, ranks, which):
        if self.arguments.sites:
            print(f"{scenario.name}, {ranks} ranks, {which} calls: {len(self.sites)} sites so far, "
                  f"{len(self.sites & self.failed)} of them failed, {self.runs} faults", flush=True)

    def walk(self, scenario, ranks, which):
        calls, wanted, places = self.count(scenario, ranks)
        points = [(at, rank) for rank in range(ranks) for at in range(1, calls[rank] + 1)]
        if self.arguments.sites:
            self.walk_sites(scenario, ranks, which, places, wanted)
            return sum(calls)
        if self.arguments.at:
            points = [(at, rank) for at in self.arguments.at for rank in self.arguments.rank if rank < ranks]
        elif self.arguments.points and len(points) > self.arguments.points:
            n = self.arguments.points
            points = [points[(2 * i + 1) * len(points) // (2 * n)] for i in range(n)]
        for at, rank in points:
            self.run(scenario, ranks, at, rank, wanted)
        return sum(calls)


def is_wanted(scenario, ranks, arguments):
    """Kernels are written by one rank, and a value that the compiler works out is in them."""
    if scenario.name == "kernels" and (ranks > 1 or arguments.kind == "nan"):
        return False
    return not arguments.scenario or scenario.name in arguments.scenario.split(",")


def main():
    parser = argparse.ArgumentParser()
    for name in "kind", "library", "bin", "mpiexec":
        parser.add_argument(name)
    parser.add_argument("--points", type=int, default=0)
    parser.add_argument("--ranks", default="1,3")
    parser.add_argument("--scenario", default="")
    parser.add_argument("--sites", type=int, default=0)
    parser.add_argument("--known", type=pathlib.Path)
    for name, least in ("--at", []), ("--rank", [0]):
        parser.add_argument(name, type=lambda text: [int(word) for word in text.split(",")], default=least)
    for name in "--ever", "--verbose":
        parser.add_argument(name, action="store_true")
    arguments = parser.parse_args()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a disk would be much of the time
    with tempfile.TemporaryDirectory(prefix="rung_fault_", dir=memory, ignore_cleanup_errors=True) as folder:
        walk, calls = Walk(arguments, pathlib.Path(folder)), 0
        for which in ("first", "last") if arguments.sites else ("all",):
            for ranks in map(int, arguments.ranks.split(",")):
                for scenario in SCENARIOS:
                    if is_wanted(scenario, ranks, arguments):
                        calls += walk.walk(scenario, ranks, which)
                        walk.state(scenario, ranks, which)
        calls //= 2 if arguments.sites else 1
    sites = f"{len(walk.sites)} sites, {len(walk.sites & walk.failed)} of them failed, " if arguments.sites else ""
    print(f"{arguments.kind}: {calls} calls in good runs, {sites}{walk.runs} faults, {len(walk.found)} findings")
    sys.exit(bool(walk.found))


if __name__ == "__main__":
    main()
