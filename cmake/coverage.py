#!/usr/bin/env python3
"""coverage.py BUILD [--target NAME ..] [--tests REGEX] [--old] - statements that the default suite runs, counted by gcov.

Configures BUILD with -O0 --coverage, builds it, forgets earlier counts and runs the tests without the label slow;
--target builds less, --tests runs what has such a name, slow or not, --old counts what ran before. Prints for each room
and sub-room how many lines with statements ran, of how many. A line counts once, however many objects hold it: sources
that are compiled for several instruction sets, headers."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("fe", "forms", "systems", "timestepping", "verification")


def run_suite(build, targets, tests):
    environment = dict(os.environ, CCACHE_DISABLE="1")
    flags = "-O0 --coverage"
    configure = ["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={flags}", "-DRUNG_BENCH=OFF"]
    subprocess.run(configure, check=True, env=environment, stdout=subprocess.DEVNULL)
    make = ["cmake", "--build", build, "-j", str(os.cpu_count())]
    subprocess.run(make + (["--target", *targets] if targets else []), check=True, env=environment, stdout=subprocess.DEVNULL)
    for counts in build.rglob("*.gcda"):
        counts.unlink()
    choose = ["-R", tests] if tests else ["-LE", "slow"]
    done = subprocess.run(["ctest", "--test-dir", build, "-j", str(os.cpu_count()), *choose], check=False)
    return done.returncode


def lines_of(notes):
    """(source, line, count) of all that an object holds; objects that never ran have no counts, and hold lines all the same."""
    said = subprocess.run(["gcov", "--json-format", "--stdout", notes.name], cwd=notes.parent, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for text in filter(None, said.splitlines()):
        found = json.loads(text)
        for file in found["files"]:
            source = (Path(found["current_working_directory"]) / file["file"]).resolve()
            for line in file["lines"]:
                yield source, line["line_number"], line["count"]


def count(build):
    """folder -> {(source, line): did it run}"""
    folders = {}
    for notes in sorted(build.rglob("*.gcno")):
        for source, line, times in lines_of(notes):
            if ROOT not in source.parents or build in source.parents:
                continue
            folder = source.parent.relative_to(ROOT)
            if folder.parts[0] not in ROOMS or "tests" in folder.parts:
                continue
            ran = folders.setdefault(str(folder), {})
            ran[source, line] = ran.get((source, line), False) or times > 0
    return folders


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--target", nargs="+", default=[])
    parser.add_argument("--tests")
    parser.add_argument("--old", action="store_true")
    wanted = parser.parse_args()
    build = wanted.build.resolve()
    status = 0 if wanted.old else run_suite(build, wanted.target, wanted.tests)
    folders = count(build)
    if not folders:
        raise SystemExit(f"coverage: {build} holds no counts of gcov; run without --old")
    whole = [0, 0]
    print(f"{'folder':28} {'ran':>7} {'of':>7} {'part':>7}")
    for folder, ran in sorted(folders.items()):
        row = [sum(ran.values()), len(ran)]
        whole = [a + b for a, b in zip(whole, row)]
        print(f"{folder:28} {row[0]:7} {row[1]:7} {100 * row[0] / row[1]:6.1f}%")
    print(f"{'all':28} {whole[0]:7} {whole[1]:7} {100 * whole[0] / whole[1]:6.1f}%")
    return status


if __name__ == "__main__":
    sys.exit(main())
