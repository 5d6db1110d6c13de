"""mutants.py BUILD [--most N] [--files FILE,..] [--seed N] [--log FILE] [--seconds N] [--list] - which wrong signs, bounds and
operators the suite lets live.

One token of one source is changed in a copy, which is compiled aside (-O1) and linked in front of the libraries with one test after the
other until one fails: those of the source's own name and those that tests/README of its folder names for it, on one rank and on three;
the first ones once more with the source under address and undefined behaviour sanitizers, as the preset sanitize has them; then, for N
seconds of the processor (10), the other tests of its folder and of its room.  They run as CTest runs them.  A change that leaves the
machine's code as it was is none.  A mutant that no test notices is printed with its line, and the reason that mutants.txt gives, where it
changes nothing.  The last line says how many live.  The tree and the libraries of BUILD are not touched; BUILD holds the tests.

LOG keeps what has been tried, one line each: a walk that was stopped goes on behind them."""
import argparse
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = """forms/interpreter/tail.c forms/assembly/runs.c fe/base/option_value.c fe/mesh/mesh_gmsh.c fe/mesh/locate.c fe/space/probes.c
fe/matrix/insert.c forms/plan/plan_block.c forms/language/fold.c forms/language/shape.c forms/algebra/degree.c systems/newton/newton_stop.c
systems/newton/line_diagonal.c systems/system/seal.c systems/system/header.c systems/system/store_vec.c
systems/conditions/constraint_bounds.c systems/form/probe.c systems/form/form_forces.c systems/solve/weights.c systems/solve/solver_width.c
systems/solve/solver_copies.c timestepping/control.c timestepping/history.c timestepping/times.c timestepping/event_find.c
timestepping/table.c timestepping/explicit_more.c timestepping/successor.c verification/norms.c verification/rate.c
verification/coupling/couple.c verification/reader/arithmetic.c verification/reader/number.c verification/reader/group.c""".split()
FLIPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "), (" + ", " - "),
         (" - ", " + "), (" * ", " / "), (" && ", " || "), (" || ", " && "), ("++", "--"), (" = 0;", " = 1;"), (" = 1;", " = 0;"),
         (" += ", " -= "), (" -= ", " += "), ("PETSC_TRUE", "PETSC_FALSE"), ("PETSC_FALSE", "PETSC_TRUE")]
HANG = 300  # seconds of the clock: the processor's are counted, too
MEMORY = 6 << 30  # of a test whose mutant takes ever more
ASAN = "detect_leaks=0:hard_rss_limit_mb=%d" % (MEMORY >> 20)
SANITIZE = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]  # of the preset sanitize
REASONS = pathlib.Path(__file__).with_suffix(".txt")


def code_of(line):
    """The line without texts and comments, of the same length."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: "." * len(m.group()), line)
    return re.sub(r"/\*.*?(\*/|$)|//.*", lambda m: "." * len(m.group()), line)


def mutants_of(path):
    inside = False
    for number, line in enumerate(path.read_text().split("\n")):
        plain = code_of(line)
        comment, inside = inside, (inside or plain.lstrip().startswith("/*")) and "*/" not in line
        if comment or inside or line.startswith(("#", "/*", " *")) or "PetscFunction" in line:
            continue
        for old, new in FLIPS:
            for m in re.finditer(re.escape(old), plain):
                yield path, number, m.start(), old, new


def room_of(path):
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[:2] == ("verification", "reader") else parts[0]


def tests_of(path, build):
    """Names room.word of CTest for a source: its own, and those of tests/README, ROOM.WORD.npN on N ranks; on three where the room's
    group has them."""
    names, readme = ["%s.%s" % (room_of(path), path.stem)], path.parent / "tests" / "README"
    for line in readme.read_text().splitlines() if readme.exists() else []:
        if line.split()[:1] == [path.name]:
            names.append(line.split()[1])
    group = build.program.get(room_of(path) + ".np3", {}).get("command", [])
    shared = {words.split()[0] for words in group if words.split()}
    names += [name + ".np3" for name in names if name.partition(".")[2] in shared]
    return [name for name in names if build.find(name)]


def wider(path, build, own):
    """Names of the other tests on one rank that may notice: those of the folder, then those of the room."""
    def is_quick(test):
        labels = build.property(test, "LABELS")
        return "single" in labels or "slow" not in labels  # a single one is slow by its label alone

    names = [name for name, test in build.program.items() if name.split(".")[0] == room_of(path) and name not in own and
             re.fullmatch(r"\w+\.(?!np\d)\w+", name) and build.find(name) and is_quick(test)]
    folder = path.parent / "tests"
    return sorted(names, key=lambda name: (not (folder / ("test_%s.c" % name.split(".")[1])).exists(), name))


class Build:
    """What CMake and CTest know: how objects are compiled, programs linked, tests run."""

    def __init__(self, folder):
        self.folder, self.compile, self.program, self.link = folder, {}, {}, {}
        for entry in json.loads((folder / "compile_commands.json").read_text()):
            self.compile.setdefault(entry["file"], []).append(entry["command"])
        shown = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
        for test in json.loads(shown)["tests"]:
            self.program[test["name"]] = test
        self.environment = dict(word.split("=", 1) for word in self.property(self.program["fe.cell"], "ENVIRONMENT"))
        self.mpiexec = re.search(r"MPIEXEC_EXECUTABLE:\w+=(.*)", (folder / "CMakeCache.txt").read_text()).group(1)

    @staticmethod
    def property(test, name):
        return next((p["value"] for p in test["properties"] if p["name"] == name), [])

    def find(self, name):
        """(program of build/tests, its arguments, ranks) of a test, None where it is a script or not built."""
        word, ranks = (name.rsplit(".np", 1) + ["1"])[:2]
        command = self.program.get(name, self.program.get(word, {})).get("command", [])
        program = self.folder / "tests" / ("test_" + word.replace(".", "_"))
        if not program.exists():
            return None
        own = [i for i, part in enumerate(command) if part == str(program)]
        return program, command[own[0] + 1:] if own else [], int(ranks)

    def how_to_link(self, program):
        """Words of the command, with its output left out, and the place where an object may be put in front of the libraries."""
        if program not in self.link:
            said = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "tests/" + program.name], capture_output=True, text=True,
                                  check=True).stdout
            command = said.strip().splitlines()[-1]
            words = shlex.split(command.removeprefix(": && ").removesuffix(" && :")) + (["-fuse-ld=lld"] if shutil.which("ld.lld") else [])
            at = words.index("-o")
            self.link[program] = words[:at], words[at + 2:]
        return self.link[program]


class Mutant:
    """A source with one token changed, its objects and programs, in a folder of its own."""

    def __init__(self, build, found, folder):
        self.build, self.folder = build, folder
        self.path, self.number, self.column, self.old, self.new = found

    def objects(self, text, word, flags=()):
        """Objects of the source with this text, as many as CMake makes of it; None where it does not compile."""
        copy, made = self.folder / self.path.name, []
        copy.write_text(text)
        for n, command in enumerate(self.build.compile[str(self.path)]):
            words = [w for w in shlex.split(command) if not w.endswith("ccache")]
            words = words[:words.index("-o")] + [*flags, "-O1", "-w", "-iquote", str(self.path.parent), "-o", str(self.folder / ("%s%d.o" % (word, n))), "-c", copy]
            for option in ("-MD", "-MT", "-MF"):
                if option in words:
                    at = words.index(option)
                    del words[at:at + (1 if option == "-MD" else 2)]
            if subprocess.run(words, cwd=self.build.folder, capture_output=True, check=False).returncode:
                return None
            made.append(self.folder / ("%s%d.o" % (word, n)))
        return made

    def text(self):
        lines = self.path.read_text().split("\n")
        lines[self.number] = lines[self.number][:self.column] + self.new + lines[self.number][self.column + len(self.old):]
        return "\n".join(lines)

    def status(self, name, objects, limit, flags=()):
        """Of a test linked with the objects: its exit status, and the seconds of the processor that it took."""
        program, arguments, ranks = self.build.find(name)
        before, after = self.build.how_to_link(program)
        mine = self.folder / program.name
        subprocess.run(before + [str(o) for o in objects] + [*flags, "-o", mine] + after, cwd=self.build.folder, check=True, capture_output=True)
        words = ([self.build.mpiexec, "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks > 1 else []) + [mine] + arguments
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            code = subprocess.run(words, cwd=self.folder, env=dict(os.environ, **self.build.environment, ASAN_OPTIONS=ASAN),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=HANG,
                                  preexec_fn=lambda: bound(limit, not flags)).returncode
        except subprocess.TimeoutExpired:
            code = "hangs"
        mine.unlink()
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        return code, now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime


def bound(seconds, memory):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if memory:  # the address sanitizer takes all addresses that there are
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def judge(mutant, tests, limits, seconds):
    """"killed by TEST", "lives", "same code" or "does not compile"."""
    made = {}

    def objects(flags):
        if flags not in made:
            texts = {"good": mutant.path.read_text(), "bad": mutant.text()}
            made[flags] = [mutant.objects(text, word + "_" * len(flags), flags) for word, text in texts.items()]
        return made[flags]

    good, bad = objects(())
    if not bad:
        return "does not compile"
    if all(a.read_bytes() == b.read_bytes() for a, b in zip(good, bad)):
        return "same code"
    alone = [name for name in tests if not re.search(r"\.np\d$", name)]
    rounds = [(name, ()) for name in tests] + [(name, tuple(SANITIZE)) for name in alone]
    for name, flags in itertools.chain(rounds, ((name, ()) for name in wider(mutant.path, mutant.build, tests))):
        if name not in tests and seconds < 0:
            break
        good, bad = objects(flags)
        if (name, flags) not in limits:
            status, spent = mutant.status(name, good, 600, flags)
            limits[name, flags] = 3 + int(4 * spent) if status == 0 else None
        if limits[name, flags]:
            status, spent = mutant.status(name, bad, limits[name, flags], flags)
            if status != 0:
                return "killed by " + name + (" under sanitizers" if flags else "")
            seconds -= spent if name not in tests else 0
    return "lives"


class Reasons:
    """Why a mutant changes nothing: lines FILE | "NEW" for "OLD" | the line's text with [OLD] in brackets | reason."""

    def __init__(self):
        self.reason = {}
        for line in REASONS.read_text().splitlines():
            if line and not line.startswith("#"):
                file, flip, rest = line.split(" | ", 2)
                self.reason[(file, flip) + tuple(rest.rsplit(" | ", 1)[:1])] = rest.rsplit(" | ", 1)[1]
        self.stale = [row for row in self.reason if row not in {self.key(found) for found in mutants_of(ROOT / row[0])}]

    @staticmethod
    def key(found):
        path, number, column, old, new = found
        line = path.read_text().split("\n")[number]
        marked = line[:column] + "[" + old + "]" + line[column + len(old):]
        return str(path.relative_to(ROOT)), '"%s" for "%s"' % (new.strip(), old.strip()), marked.strip()


def choose(arguments, build):
    """The same number of mutants of every file, those of a file in the order of chance."""
    chosen, names = [], arguments.files.split(",")
    for name in names:
        tests = tests_of(ROOT / name, build)
        if not tests:
            print("%s: no test is known to cover it" % name)
            continue
        found = list(mutants_of(ROOT / name))
        random.Random("%d %s" % (arguments.seed, name)).shuffle(found)
        chosen.append([(mutant, tests) for mutant in found])
    turns = [group[i] for i in range(max(map(len, chosen), default=0)) for group in chosen if i < len(group)]
    return turns[:arguments.most]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=200)
    parser.add_argument("--files", default=",".join(FILES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    build, counts, limits, reasons = Build(arguments.build.resolve()), {}, {}, Reasons()
    explained, memory = 0, "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a disk would be much of the time
    tried = dict(line.split("\t") for line in arguments.log.read_text().splitlines()) if arguments.log and arguments.log.exists() else {}
    for found, tests in choose(arguments, build):
        path, number, column, old, new = found
        words = "%s:%d:%d: \"%s\" for \"%s\"" % (path.relative_to(ROOT), number + 1, column + 1, new.strip(), old.strip())
        if arguments.list:
            print("%s (%s)" % (words, ", ".join(tests)))
            continue
        if words not in tried:
            with tempfile.TemporaryDirectory(prefix="rung_mutant_", dir=memory) as folder:
                tried[words] = judge(Mutant(build, found, pathlib.Path(folder)), tests, limits, arguments.seconds)
            if arguments.log:
                with open(arguments.log, "a", encoding="utf-8") as log:
                    log.write("%s\t%s\n" % (words, tried[words]))
        result = tried[words].split(" by ")[0]
        counts[result] = counts.get(result, 0) + 1
        if result == "lives":
            why = reasons.reason.get(Reasons.key(found))
            explained += why is not None
            print("lives: %s\n    %s\n    %s" % (words, Reasons.key(found)[2], why or "no reason is known"), flush=True)
    alive, killed = counts.get("lives", 0), counts.get("killed", 0)
    for row in reasons.stale:
        print("mutants.txt explains what is no more: %s" % " | ".join(row))
    print("%d mutants, %d live, %d of them explained, %d more are the same code, %d do not compile" %
          (alive + killed, alive, explained, counts.get("same code", 0), counts.get("does not compile", 0)))
    sys.exit(alive * 10 > alive + killed or explained < alive or bool(reasons.stale))


if __name__ == "__main__":
    main()
