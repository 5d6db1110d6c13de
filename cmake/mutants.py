"""mutants.py BUILD [--most N] [--files FILE,..] [--seed N] [--list] - which wrong signs, bounds and operators the suite lets live.

One token of one file is changed in the tree that BUILD is configured for, the tests that cover the file are built and run, and the file is
put back (also where the script is stopped).  A mutant that no test notices is printed with its line; the last line says how many live.
The tests of a file are those of its own name, and those that tests/README of its folder names for it."""
import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ["fe/mesh/mesh_gmsh.c", "fe/space/space.c", "forms/language/fold.c", "forms/language/shape.c", "systems/system/store_vec.c",
         "systems/system/disk.c", "systems/system/seal.c", "systems/newton/newton_stop.c", "timestepping/control.c", "timestepping/history.c",
         "timestepping/times.c", "verification/reader/rows.c"]
FLIPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "), (" + ", " - "),
         (" - ", " + "), (" * ", " / "), (" && ", " || "), (" || ", " && "), ("++", "--"), (" = 0;", " = 1;"), (" = 1;", " = 0;"),
         (" += ", " -= "), (" -= ", " += "), ("PETSC_TRUE", "PETSC_FALSE"), ("PETSC_FALSE", "PETSC_TRUE")]


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


def tests_of(path, known):
    """Names room.word of CTest for a source."""
    room, words = path.relative_to(ROOT).parts[0], {path.stem}
    if path.parent.name == "reader":
        room = "reader"
    readme = path.parent / "tests" / "README"
    names = set()
    if readme.exists():
        for line in readme.read_text().splitlines():
            if line.split()[:1] == [path.name]:
                names.add(line.split()[1])
    names |= {"%s.%s" % (room, word) for word in words}
    return sorted(names & known)


def run(*command):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def judge(build, tests, found):
    """"killed", "lives", or "does not compile"."""
    path, number, column, old, new = found
    text = path.read_text()
    lines = text.split("\n")
    lines[number] = lines[number][:column] + new + lines[number][column + len(old):]
    try:
        path.write_text("\n".join(lines))
        if run("cmake", "--build", build, "-t", *["test_" + name.replace(".", "_") for name in tests]).returncode:
            return "does not compile"
        done = run("ctest", "--test-dir", build, "--timeout", "120", "-R", "^(%s)$" % "|".join(re.escape(name) for name in tests))
        return "killed" if done.returncode else "lives"
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=200)
    parser.add_argument("--files", default=",".join(FILES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    listed = run("ctest", "--test-dir", arguments.build, "-N").stdout
    known = set(re.findall(r"Test +#\d+: (\S+)", listed))
    found = []
    for name in arguments.files.split(","):
        tests = tests_of(ROOT / name, known)
        if tests:
            found += [(mutant, tests) for mutant in mutants_of(ROOT / name)]
        else:
            print("%s: no test is known to cover it" % name)
    random.seed(arguments.seed)
    found = random.sample(found, min(arguments.most, len(found)))
    counts = {"killed": 0, "lives": 0, "does not compile": 0}
    for mutant, tests in found:
        path, number, _, old, new = mutant
        words = "%s:%d: \"%s\" for \"%s\" (%s)" % (path.relative_to(ROOT), number + 1, new.strip(), old.strip(), ", ".join(tests))
        if arguments.list:
            print(words)
            continue
        result = judge(arguments.build, tests, mutant)
        counts[result] += 1
        if result == "lives":
            print("lives: " + words, flush=True)
    tried = counts["killed"] + counts["lives"]
    print("%d mutants, %d live, %d did not compile" % (tried, counts["lives"], counts["does not compile"]))
    sys.exit(bool(tried and counts["lives"] > tried / 10))


if __name__ == "__main__":
    main()
