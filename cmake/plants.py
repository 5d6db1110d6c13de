#!/usr/bin/env python3
"""plants.py - bugs planted on purpose, cmake/plants.txt.

    plants.py list SOURCE            NAME FILE TEST,TEST of each, FILE "-" where its line is not in the library once
    plants.py make SOURCE NAME OUT   the file of the library with the bug
    plants.py run PROGRAM..          programs NAME.TEST: of every NAME at least one must fail
"""
import pathlib
import subprocess
import sys

FOLDERS = ("timestepping", "systems")


def plants(root):
    """[(name, tests, line, planted, files)]"""
    found = []
    for row in (root / "cmake" / "plants.txt").read_text().splitlines():
        if row.startswith("["):
            name, tests = row[1:].split("]")
            words = tests.split()
            found.append([name, [word for word in words if not word.endswith(".c")], None, None,
                          [word for word in words if word.endswith(".c")]])
        elif row.startswith("- "):
            found[-1][2] = row[2:]
        elif row.startswith("+ "):
            found[-1][3] = row[2:]
    return found


def where(root, line, files):
    """The files that hold the line, once for each time."""
    return [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.c"))
            if "tests" not in path.parts and path.name in (files or [path.name])
            for other in path.read_text().splitlines() if other.strip() == line.strip()]


def make(root, name, out):
    _, _, line, planted, only = next(p for p in plants(root) if p[0] == name)
    source = where(root, line, only)[0]
    text = f'#line 1 "{source}"\n' + source.read_text().replace(line, planted)
    pathlib.Path(out).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(out).write_text(text)


def run(programs):
    """A program that fails says which of its tests did: one that does not start, or dies, has caught nothing."""
    caught = {}
    for program in programs:
        name = pathlib.Path(program).name.split(".")[0]
        done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        failed = [row.split()[1] for row in done.stdout.splitlines() if row.startswith("FAIL ")]
        caught.setdefault(name, []).extend(failed)
    for name, failed in caught.items():
        print(f"{name}: {'caught by ' + ', '.join(failed) if failed else 'NOT CAUGHT'}")
    return 0 if all(caught.values()) else 1


def main(arguments):
    if arguments[0] == "run":
        return run(arguments[1:])
    root = pathlib.Path(arguments[1])
    if arguments[0] == "make":
        make(root, arguments[2], arguments[3])
        return 0
    for name, tests, line, _, only in plants(root):
        files = where(root, line, only)
        print(f"{name} {files[0].relative_to(root) if len(files) == 1 else '-'} {','.join(tests)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
