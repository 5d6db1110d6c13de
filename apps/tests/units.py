"""units.py RUNG FOLDER [NAME..] - units of unknowns and of equations change no step and no number of the problem files.

Each NAME.rung of FOLDER is written anew with two constants for every unknown u: its unit (u is the unit times what it was,
in the equations u stands as (u/unit), data and starts are multiplied with it) and the unit of its equation (its test function
is multiplied with it).  All are 1 at first; then each is 2^20 and 2^-20, one at a time, and by turns.  Numbers of a run do
not depend on units: wanted are the same numbers but for a hundredth of the error, and as many steps but for one.  Runs are
those of the file and, where its method can, with tolerances: relative ones alone, and absolute ones in units of each unknown."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOLERANCE = 1e-4
SCALE = 2.0**20
# statements whose last text is made of unknowns; data of an unknown; what a unit of an equation changes
TEXTS = ("define", "residual", "energy", "quantity", "rate", "mean", "probe", "max", "min")
DATA = {"dirichlet": 3, "initial": 2, "exact": 2, "jump": 3}
LEFT = ("output", "table", "checkpoint", "ladder", "expect", "reaction", "look", "option")


def words_of(line):
    """words of a line, quoted ones with their quotes; a remark ends it"""
    found = re.findall(r'"[^"]*"|[^\s"]+', line)
    return found[: next((i for i, word in enumerate(found) if word.startswith("#")), len(found))]


class Problem:
    """a file with units: its text, and the names of its units"""

    def __init__(self, path):
        self.path, self.unknown, self.tag, self.test = path, [], {}, {}
        self.watched, self.numbers = set(), set()
        self.lines, self.fixed, self.static = [], True, False
        with open(path) as file:
            lines = [line.rstrip() for line in file]
        for line in lines:
            words = words_of(line)
            if words[:1] == ["unknown"]:
                self.unknown.append(words[1])
                self.tag[words[1]] = "%s%d" % (words[1], len(self.unknown))  # options know no case: p and P are one
                self.test[words[1]] = words[2]
                if words[3] == "R":
                    self.numbers.add(words[1])
            if words[:1] == ["reaction"]:
                self.watched.add(words[1])
            self.fixed = self.fixed and words[:1] != ["tolerances"]
            self.static = self.static or words[:1] == ["static"]
        for line in lines:
            self.lines += self.scaled(line)
        self.units = ["unit_" + self.tag[u] for u in self.unknown] + ["row_" + self.tag[u] for u in self.unknown]

    def inside(self, text, rows):
        """an expression of unknowns that have units, and of test functions that have those of the equations"""
        for u in self.unknown:
            text = re.sub(r"\bdiff\((\w+), %s\)" % u, r"(unit_%s*diff(\1, %s))" % (self.tag[u], u), text)
            text = re.sub(r"(?<![\w.])%s(?![\w(])(?! *=[^=])" % u, "(%s/unit_%s)" % (u, self.tag[u]), text)
            text = re.sub(r"\b(diff\(\w+), \(%s/unit_%s\)" % (u, self.tag[u]), r"\1, %s" % u, text)
            if rows:
                text = re.sub(r"(?<![\w.])%s(?![\w(])" % self.test[u], "(row_%s*%s)" % (self.tag[u], self.test[u]), text)
        return text

    def scaled(self, line):
        words = words_of(line)
        if not words or words[0] in LEFT:
            return []
        head, body = words[0], line[line.index(words[0]) + len(words[0]) :].split(" #")[0].strip()
        if head in ("reference", "summary", "number") and any(re.search(r"\b%s\b" % w, body) for w in self.watched):
            return []
        if head == "unknown":
            return [line, "constant unit_%s 1" % self.tag[words[1]], "constant row_%s 1" % self.tag[words[1]]]
        if head in TEXTS:
            first = {"residual": 0, "energy": 0, "probe": 2}.get(head, 1)
            rest = re.match(r'((?:(?:"[^"]*"|\S+)\s+){%d})(.*)' % first, body)
            if head == "energy":  # its derivative by u is one by u/unit: of files with one unknown
                return ["energy unit_%s*row_%s*%s" % (self.tag[self.unknown[0]], self.tag[self.unknown[0]], self.inside(body, False))]
            return ["%s %s%s" % (head, rest.group(1), self.inside(rest.group(2), head == "residual"))]
        if head in DATA:
            rest = re.match(r"((?:\S+\s+){%d})(.*)" % (DATA[head] - 1), body)
            name = re.match(r"(?:dt\()?(\w+)", words[2 if head == "jump" else 1]).group(1)
            if rest.group(2) == "0":
                return [line]
            return ["%s %sunit_%s*(%s)" % (head, rest.group(1), self.tag[name], self.inside(rest.group(2), False))]
        if head == "bounds":
            bounds = [w if w == "-" else "unit_%s*(%s)" % (self.tag[words[1]], w) for w in words[2:]]
            return ["bounds %s %s" % (words[1], " ".join(bounds))]
        if head == "tolerances":
            return [line] + ["tolerances %s %s*unit_%s %s" % (words[1], words[2], self.tag[u], u) for u in self.unknown]
        return [line]

    def write(self, name, tolerances):
        """tolerances: None, as the file; "relative"; "absolute" """
        lines = list(self.lines)
        if tolerances:
            lines = [line for line in lines if not line.startswith("tolerances")]
            if tolerances == "absolute":
                lines.append("tolerances %g %g" % (TOLERANCE, TOLERANCE))
                lines += ["tolerances %g %g*unit_%s %s" % (TOLERANCE, TOLERANCE, self.tag[u], u) for u in self.unknown]
        with open(name, "w") as file:
            file.write("\n".join(lines) + "\n")


def run(rung, name, units, options):
    """summary of a run, None: it was refused; its words"""
    shutil.rmtree("out", ignore_errors=True)
    command = [rung, "run", name, "-output", "out", "-form_backend", "interpreter", "-stepper_monitor", "none"] + options
    for unit, value in units.items():
        command += ["-" + unit, "%.17g" % value]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500)
    if not os.path.exists("out/summary.json") or done.returncode > 1:
        return None, "%s\n%s%s" % (" ".join(command), done.stdout, done.stderr)
    with open("out/summary.json") as file:
        return json.load(file), " ".join(command)


def distance(summary, one, allowed):
    """the largest distance of a number to that of the run without units, over what is allowed; its name"""
    worst, of = 0.0, ""
    sizes = [abs(value) for value in one["quantities"].values() if value is not None]
    tested = [o for o in one["tested"] if None not in (o["value"], o["wanted"])]
    errors = {o["what"].split(" at t")[0]: abs(o["value"] - o["wanted"]) for o in tested}
    for name, value in one["quantities"].items():
        if name[-2:] in (".x", ".y", ".z"):  # where an extreme is: of two that are alike either may be the larger one
            continue
        found = summary["quantities"][name]
        if value is None or found is None:
            off = 0 if value is found else float("inf")
        else:
            may = max(allowed * max(abs(value), 1e-6 * max(sizes)), 0.01 * errors.get(name, 0), 1e-300)
            off = abs(found - value) / may
        if off > worst:
            worst, of = off, name
    return worst, of


def cases(problem):
    """units of one run after another"""
    for sign in (1, -1):
        for unit in problem.units:
            yield {unit: SCALE**sign}
        for kind in ("unit_", "row_"):
            if len(problem.unknown) > 1:
                some = [unit for unit in problem.units if unit.startswith(kind)]
                yield {unit: SCALE ** (sign if i % 2 else -sign) for i, unit in enumerate(some)}


def check(rung, problem, tolerances):
    """number of cases that differ"""
    failed = 0
    file = "case.rung"
    options = ["-stepper_rtol", "%g" % TOLERANCE] if tolerances == "relative" else []
    name = "%s, %s" % (os.path.basename(problem.path)[:-5], tolerances or "as the file says")
    problem.write(file, tolerances)
    one, words = run(rung, file, {}, options)
    if one is None:
        if not tolerances or "has no error estimate" not in words:
            print("%s: not run\n%s" % (name, words))
            return 1
        return 0
    adaptive = tolerances or not problem.fixed
    worst = 0.0
    for units in cases(problem):
        said = ", ".join("%s %.3g" % unit for unit in units.items())
        found, words = run(rung, file, units, options)
        for u in problem.numbers:  # of R, whose value is told in its unit
            if found and found["quantities"].get(u) is not None:
                found["quantities"][u] /= units.get("unit_" + problem.tag[u], 1)
        if found is None:
            print("%s, %s: not run\n%s" % (name, said, words))
            failed += 1
            continue
        off, of = distance(found, one, 0.01 * TOLERANCE if adaptive else 1e-7)
        worst = max(worst, off)
        if abs(found["steps"] - one["steps"]) > 1 or off > 1:
            print("%s, %s: %d steps, %d without; %s is %s, %s without" % (name, said, found["steps"], one["steps"], of,
                  found["quantities"].get(of), one["quantities"].get(of)))
            failed += 1
    print("%-40s %5d steps, numbers differ by %.2g of what they may%s" % (name, one["steps"], worst, ", FAILED" if failed else ""))
    sys.stdout.flush()
    return failed


def main():
    rung, folder, names = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="units-") as scratch:  # of the files that are written anew, and their results
        os.chdir(scratch)
        for path in sorted(os.listdir(folder)):
            if not path.endswith(".rung") or names and path[:-5] not in names:
                continue
            problem = Problem(os.path.join(folder, path))
            for tolerances in (None,) if problem.static else (None, "relative", "absolute"):
                failed += check(rung, problem, tolerances)
        os.chdir(folder)
    return 1 if failed else 0


sys.exit(main())
