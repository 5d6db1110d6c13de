"""gallery_large.py RUNG SOURCE [-targets 1e5,1e6] [-from 0] [-ranks 1,2] [-steps 3] [-seconds 900] [-table FILE] [NAME..] - the gallery on finer meshes.

Each problem is run for a few of its steps (static ones as they stand): as its file says, or refined to about `from` values, where a
solve is no longer one factorisation; then at about each of the targets.  Linear iterations a solve of both are compared, 1.5 times is
allowed.  -table adds rows to docs/gallery/large.csv, from which docs/gallery.py makes the table of the gallery's page.  A run that
takes more than so many CPU seconds is ended and told.  One run at a time; nothing else is kept."""
import csv
import glob
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys

COLUMNS = ["name", "ranks", "values", "iterations", "solver", "seconds"]


def options():
    chosen = {"targets": "1e5,1e6", "from": "0", "ranks": "1,2", "steps": "3", "seconds": "900", "table": ""}
    names, words = [], sys.argv[3:]
    while words:
        word = words.pop(0)
        if word.startswith("-") and word[1:] in chosen and words:
            chosen[word[1:]] = words.pop(0)
        else:
            names.append(word)
    return chosen, names


def said(path, word):
    with open(path) as file:
        found = re.findall(r"^%s\b[ \t]*(.*)" % word, file.read(), re.M)
    return [line.split("#")[0].split() for line in found]


def number(text):
    """A number of the gallery's own files; names are constants."""
    return eval(text, {"pi": 3.141592653589793})


def size_options(path, factor):
    """Options for about `factor` times the values of the file; None: its mesh is a file, which is refined."""
    points, box = said(path, "points"), said(path, "box")
    if points:
        return ["-mesh_points", str(max(1, round(int((points[0] or ["1"])[0]) * factor)))]
    if not box:
        return ["-mesh_refine", str(int(math.log2(max(1, 1.3 * factor)) / 3))]  # in space
    count = [int(n) for n in box[0][1].split(",")] if len(box[0]) > 1 else [1]
    times = max(1, round(factor ** (1 / len(count))))  # nodes of the file stay nodes
    return ["-mesh_count", ",".join(str(c * times) for c in count)]


def solver(folder):
    logs = sorted(glob.glob(os.path.join(folder, "log*.txt")), key=os.path.getmtime)
    with open(logs[-1]) as file:
        text = file.read()
    row = re.search(r'row "([^"]*)" of docs/solvers', text)
    pc = re.search(r"-pc_type (\w+)", text)
    return "%s, %s" % (pc.group(1) if pc else "own", row.group(1) if row else "given")


def run(rung, path, factor, ranks, chosen):
    """(values, linear iterations a solve, solver, CPU seconds), or what went wrong."""
    out, seconds = "large.out", int(chosen["seconds"])
    shutil.rmtree(out, ignore_errors=True)
    command = [] if ranks == 1 else ["mpiexec", "-n", str(ranks), "--oversubscribe", "--bind-to", "none"]
    command += [rung, "run", path, *size_options(path, factor), "-output", out, "-stepper_monitor", "none", "-stepper_output", "none",
                "-ksp_converged_reason"]
    if said(path, "time"):
        start, _, dt = said(path, "time")[0][:3]
        command += ["-stepper_end", repr(number(start) + int(chosen["steps"]) * number(dt))]

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit, stdin=subprocess.DEVNULL)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    values = re.findall(r"(\d+) values", done.stdout)
    if done.returncode not in (0, 1) or not values:
        if spent > 0.9 * seconds:
            return "more than %d CPU s, %s values" % (seconds, values[0] if values else "?")
        return "status %d: %s" % (done.returncode, " ".join(done.stderr.split())[:200])
    with open(os.path.join(out, "summary.json")) as file:
        work = json.load(file).get("work")
    if work:
        linear, solves = work["linear"], work["newton"]
    else:
        each = [int(n) for n in re.findall(r"iterations (\d+)", done.stdout)]
        linear, solves = sum(each), len(each)
    return int(values[0]), linear / max(1, solves), solver(out), spent


def keep(table, name, ranks, found):
    """A row of the table, in place of an older one of the same problem, ranks and size."""
    rows = []
    if os.path.exists(table):
        with open(table, newline="") as file:
            rows = list(csv.DictReader(file))
    row = dict(zip(COLUMNS, [name, str(ranks), str(found[0]), "%.1f" % found[1], found[2], "%.0f" % found[3]]))
    rows = [r for r in rows if [r[c] for c in COLUMNS[:3]] != [row[c] for c in COLUMNS[:3]]] + [row]
    rows.sort(key=lambda r: (r["name"], int(r["values"]), int(r["ranks"])))
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def compare(rung, path, name, chosen):
    """Runs a problem at all sizes; returns whether all is within the bound."""
    small = run(rung, path, 1, 1, chosen)
    given = small[0]
    if not isinstance(small, str) and given < float(chosen["from"]):
        small = run(rung, path, float(chosen["from"]) / given, 1, chosen)
    if isinstance(small, str):
        print("%-18s %s" % (name, small), flush=True)
        return False
    good = True
    if chosen["table"]:
        keep(chosen["table"], name, 1, small)
    for target in [float(t) for t in chosen["targets"].split(",")]:
        for ranks in [int(n) for n in chosen["ranks"].split(",")]:
            large = run(rung, path, target / given, ranks, chosen)
            if isinstance(large, str):
                print("%-18s %d ranks: %s" % (name, ranks, large), flush=True)
                good = False
                continue
            ratio = large[1] / max(1, small[1])
            print("%-18s %d rank%s: %7d values %6.1f iterations a solve (%s), %8d values %6.1f (%s), ratio %.2f, %.0f CPU s%s"
                  % (name, ranks, "" if ranks == 1 else "s", small[0], small[1], small[2], large[0], large[1], large[2], ratio, large[3],
                     "" if ratio <= 1.5 else "  ABOVE 1.5"), flush=True)
            if chosen["table"]:
                keep(chosen["table"], name, ranks, large)
            good = good and ratio <= 1.5
    return good


def main():
    rung, tree = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    chosen, names = options()
    good = True
    for path in sorted(glob.glob(os.path.join(tree, "verification/problems/*.rung")) + glob.glob(os.path.join(tree, "apps/*.rung"))):
        name = os.path.splitext(os.path.basename(path))[0]
        if not names or name in names:
            good = compare(rung, path, name, chosen) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
