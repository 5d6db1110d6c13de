"""twins.py RUNG FILE TABLE PROGRAM [options] - a problem file and its program in C give the same bits.

Both write TABLE, or with - what the file itself says, and series with the same options; each file is compared byte by byte."""
import os
import shutil
import subprocess
import sys


def run(folder, command):
    """Options that change the problem: its references are shown and not tested."""
    os.makedirs(folder)
    done = subprocess.run(command, cwd=folder, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s ended with status %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))


def files(folder):
    """path below the folder -> bytes of tables and series"""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".csv", ".vtu", ".pvd")):
                path = os.path.join(where, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


def main():
    rung, problem, table, program, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
    for folder in ("file", "program"):
        shutil.rmtree(folder, ignore_errors=True)
    own = table == "-"
    run("program", [program] + options + ([] if own else ["-stepper_table", table]))
    run("file", [rung, "run", problem, "-output", "out"] + options + ([] if own else ["-stepper_table", "out/" + table]))
    one, other = files("program"), files(os.path.join("file", "out"))
    if not one or not (own or table in one) or set(one) != set(other):
        sys.exit("files differ: %s and %s" % (sorted(one), sorted(other)))
    for path, content in one.items():
        if content != other[path]:
            sys.exit("%s differs" % path)
    print("%d files are equal" % len(one))
    return 0


sys.exit(main())
