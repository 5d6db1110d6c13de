"""canonical.py RUNG [FILE..] - what rung check -canonical prints is the same when it is read again, and has the same kernels.

Without FILEs: those below, with steps, several systems, an event, a constant that follows another one on its way."""
import os
import re
import shutil
import subprocess
import sys

PAIR = """constant k 2
constant slow k/4
points 2
coupling iterate 0.25 1e-9
number both a.left + 2*b.right
event low falling both - 1.2
reference both 0 3 1e-9
table all
system a
unknown y z P0
couple w b.v
residual (dt(y) + slow*y - w/10)*z*dx
initial y 1
quantity left y*dx/2
method bdf2
time 0 1 0.125
system b
unknown v u P0
residual (dt(v) + v)*u*dx
initial v 1
quantity right v*dx/2
change low k 1
time 0 1 0.05
output b 0.5
"""
WAY = """box interval 4
unknown u v P2
constant load 0
constant half load/2
constant E 2e9 [Pa]
residual inner(grad(u), grad(v))*dx - half*v*dx
dirichlet u left 0
quantity heat u*dx
static load 0 1 0.5
reference heat 0 0.16666666666667 1e-9
table way
"""


def run(command):
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s ended with status %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout


def kernels(rung, path):
    """Kernels of a file have names that are hashes of what they compute."""
    if os.path.exists("kernels.c"):
        os.remove("kernels.c")
    run([rung, "compile", path, "-output", "kernels.c"])
    with open("kernels.c") as file:
        return sorted(set(re.findall(r"kernel_[0-9a-f]{16}_\d+|\"[0-9a-f]{16,}\"", file.read())))


def canonical(rung, path):
    return run([rung, "check", path, "-canonical", "-form_backend", "interpreter"])


def check(rung, path):
    name = os.path.basename(path)[:-5]
    # paths in the file are relative to its folder
    again = os.path.join(os.path.dirname(os.path.abspath(path)), ".%s.canonical.rung" % name)
    again = "%s.again.rung" % name if not re.search(r"\b(mesh|file|table\(|include|restart)\b", open(path).read()) else again
    first = canonical(rung, path)
    try:
        with open(again, "w") as file:
            file.write(first)
        if canonical(rung, again) != first:
            return "%s is not the same again:\n%s" % (path, first)
        one, other = kernels(rung, path), kernels(rung, again)
        if not one or one != other:
            return "%s has other kernels: %s, %s" % (path, one, other)
    finally:
        if os.path.dirname(again):
            os.remove(again)
    return None


def main():
    rung, paths = sys.argv[1], sys.argv[2:]
    own = not paths
    if own:
        for name, text in (("pair", PAIR), ("way", WAY)):
            with open(name + ".rung", "w") as file:
                file.write(text)
            paths.append(name + ".rung")
    failed = [line for line in (check(rung, path) for path in paths) if line]
    print("\n".join(failed) or "%d files are the same again" % len(paths))
    if own:  # and the same numbers
        for path in ("pair.rung", "pair.again.rung", "way.again.rung"):
            shutil.rmtree(path + ".out", ignore_errors=True)
            run([rung, "run", path, "-output", path + ".out", "-form_backend", "interpreter"])
        run([rung, "diff", "pair.rung.out", "pair.again.rung.out", "-rel", "0", "-abs", "0"])
        if "constant half load/2" not in canonical(rung, "way.rung") or "constant E 3 [Pa]" not in run(
                [rung, "check", "way.rung", "-canonical", "-E", "3", "-form_backend", "interpreter"]):
            failed.append("constants")
            print("constants are not as they were said")
    return 1 if failed else 0


sys.exit(main())
