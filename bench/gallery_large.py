"""gallery_large.py RUNG SOURCE [-target 1000000] [-from 0] [-ranks 1,2] [-steps 3] [NAME..] - problems of the gallery on finer boxes.

Each problem is run for a few of its steps as it stands, or refined to about `from` values, where a solve is no longer one factorisation,
and to about `target` values; linear iterations per Newton step of both are printed, and their ratio, which is to be 1.5 at most.
Problems on points and from mesh files, and static ones, are left out with the reason.  One run at a time; nothing is kept."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys


def options():
    chosen = {"target": "1000000", "from": "0", "ranks": "1,2", "steps": "3"}
    names, words = [], sys.argv[3:]
    while words:
        word = words.pop(0)
        if word.startswith("-") and word[1:] in chosen and words:
            chosen[word[1:]] = words.pop(0)
        else:
            names.append(word)
    return int(float(chosen["target"])), int(float(chosen["from"])), [int(n) for n in chosen["ranks"].split(",")], int(chosen["steps"]), names


def said(path, word):
    with open(path) as file:
        found = re.findall(r"^%s\s+(.*)" % word, file.read(), re.M)
    return [line.split("#")[0].split() for line in found]


def run(rung, path, count, steps, ranks):
    """(values, linear iterations per Newton step, seconds), or what went wrong."""
    start, _, dt = said(path, "time")[0][:3]
    out = "large.out"
    shutil.rmtree(out, ignore_errors=True)
    command = [] if ranks == 1 else ["mpiexec", "-n", str(ranks), "--oversubscribe", "--bind-to", "none"]
    command += ["nice", "-n", "15", rung, "run", path, "-mesh_count", ",".join(map(str, count)), "-output", out, "-stepper_monitor", "none",
                "-stepper_end", repr(eval(start) + steps * eval(dt)), "-stepper_output", "none"]  # numbers of the gallery's own files
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    values = re.search(r"(\d+) values", done.stdout)
    if done.returncode not in (0, 1) or not values:
        return "status %d: %s" % (done.returncode, done.stderr.strip()[:200])
    with open(os.path.join(out, "summary.json")) as file:
        work = json.load(file)["work"]
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    return int(values.group(1)), work["linear"] / max(1, work["newton"]), seconds


def finer(count, factor):
    return [max(1, round(c * factor ** (1 / len(count)))) for c in count]


def main():
    rung, tree = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    target, begin, ranks, steps, names = options()
    failed = 0
    for path in sorted(glob.glob(os.path.join(tree, "verification/problems/*.rung")) + glob.glob(os.path.join(tree, "apps/*.rung"))):
        name = os.path.splitext(os.path.basename(path))[0]
        if names and name not in names:
            continue
        box = said(path, "box")
        if not box or said(path, "static") or said(path, "step") or not said(path, "time"):
            print("%-18s left out: %s" % (name, "no box" if not box else "static steps"))
            continue
        count = [int(n) for n in box[0][1].split(",")] if len(box[0]) > 1 else []
        small = run(rung, path, count, steps, 1)
        if isinstance(small, str):
            print("%-18s %s" % (name, small))
            failed = 1
            continue
        given = small[0]
        if given < begin:
            small = run(rung, path, finer(count, begin / given), steps, 1)
            if isinstance(small, str):
                print("%-18s %s" % (name, small))
                failed = 1
                continue
        for n in ranks:
            large = run(rung, path, finer(count, target / given), steps, n)
            if isinstance(large, str):
                print("%-18s %d ranks: %s" % (name, n, large))
                failed = 1
                continue
            ratio = large[1] / max(1, small[1])
            print("%-18s %d rank%s: %7d values %6.1f iterations a solve, %8d values %6.1f, ratio %.2f, %.0f CPU s%s"
                  % (name, n, "" if n == 1 else "s", small[0], small[1], large[0], large[1], ratio, large[2],
                     "" if ratio <= 1.5 else "  ABOVE 1.5"))
            sys.stdout.flush()
            failed = failed or ratio > 1.5
    return failed


sys.exit(main())
