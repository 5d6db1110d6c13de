"""goes_on.py RUNG MPIEXEC - a run that goes on from a checkpoint sums up, tests and counts what a run does that was never cut; one whose
folder is taken away goes on, too, and says what is missing."""
import json
import os
import shutil
import subprocess
import sys
import time

SWING = """points 1
constant c 6
unknown y z P0
residual (dt(y, 2) + c*y)*z*dx
initial y 1
quantity kinetic dt(y)^2/2*dx
quantity stored c*y^2/2*dx
rate way y^2*dx
probe y 0 y
number total kinetic + stored
event zero falling y
method newmark
time 0 4 0.02
checkpoint cut 40
summary f frequency y
summary when time_of_max kinetic 0 1
summary m mean total 0.5 1.25
summary r rms way
reference y 0.273 0.785 1e-2
reference f 4 0.39 1e-2
reference m 4 3 1e-2
happens zero 1 0.6413 1e-2
happens zero 2 3.206 1e-2
expect constant total 1e-2
"""
WAY = """points 1
constant load 0
unknown y z P0
residual (y + y^3 - load)*z*dx
probe y 0 y
static load 0 4 1
checkpoint cut 1
summary m min y
reference m 0 0 1e-9
expect constant y 3
"""
# columns that the checkpoint does not hold begin at its level, where a run may end, too
ENDED = """points 1
unknown y z P0
residual (dt(y) + y)*z*dx
initial y 1
probe y 0 y
probe twice 0 2*y
number four 2*twice
method bdf2
time 0 1 0.1
checkpoint cut 5
reference y 1 0.366735762 1e-6
"""
# a coefficient by its values, which a run that goes on must not change without a word
COOLS = """box interval 4
unknown T s P1
field k P1 1 + x[0]
residual dt(T)*s*dx + k*inner(grad(T), grad(s))*dx
initial T x[0]
probe T 0 T
method trbdf2
time 0 1 0.1
checkpoint cut 5
"""
# components of very different sizes, which absolute tolerances follow, have been larger before the cut
SPECIES = """points 1
unknown y z P0^3
residual inner(dt(y) - vector(-4*y[0], 0.01*y[0] - 3*y[1], 20*y[1] - y[2]), z)*dx
initial y vector(1, 0.02, 0)
probe a 0 y[0]
probe b 0 y[1]
probe c 0 y[2]
method esdirk43
time 0 4
tolerances 1e-4
checkpoint cut_{step} 10
"""
PAIR = """points 1
coupling strang 0.1
time 0 %s 0.05
number both a.y + b.z
event low falling both - 1.2
expect constant both 9
checkpoint cut 3
%ssystem a
unknown y v P0
couple z b.z
initial y 1
probe y 0 y
residual (dt(y) + z)*v*dx
jump low y 2*y
summary r rms y 0.1 0.4
reference y 0.2 0.9 9
system b
unknown z v P0
couple y a.y
initial z 0.5
rate sum z^2*dx
probe z 0 z
residual (dt(z) - y)*v*dx
summary m max z
"""


def run(rung, name, text, words=(), before=()):
    """What a run prints, and its summary."""
    with open(name + ".rung", "w") as file:
        file.write(text)
    done = subprocess.run(list(before) + [rung, "run", name + ".rung", "-output", name, "-form_backend", "interpreter"] + list(words),
                          check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit("%s: status %d\n%s%s" % (name, done.returncode, done.stdout, done.stderr))
    with open(os.path.join(name, "summary.json")) as file:
        return done.stdout + done.stderr, json.load(file)


def same(whole, part):
    """Numbers of two summaries but for rounding: matrices are made anew behind a checkpoint."""
    def near(a, b):
        return a == b or None not in (a, b) and abs(a - b) <= 1e-9 * max(1, abs(a))
    tested = [{row["what"]: row for row in summary["tested"]} for summary in (whole, part)]
    good = whole["t"] == part["t"] and whole["steps"] == part["steps"] and list(tested[0]) == list(tested[1])
    for what, row in tested[0].items():
        good = good and near(row["value"], tested[1][what]["value"]) and row["passed"] == tested[1][what]["passed"]
    return good and all(near(value, part["quantities"][name]) for name, value in whole["quantities"].items())


def check_gone(rung):
    """Of two systems: checkpoints, tables and series are missing, references are shown, a signal ends the run."""
    with open("gone.rung", "w") as file:
        file.write(PAIR % ("1e5", "table t\noutput s 1\n"))
    process = subprocess.Popen([rung, "run", "gone.rung", "-form_backend", "interpreter"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.time() + 60
    while not os.path.exists("gone.out/cut_b.h5") and process.poll() is None and time.time() < end:
        time.sleep(0.02)
    os.rename("gone.out", "taken.out")
    shutil.rmtree("taken.out")
    time.sleep(0.2)
    process.terminate()
    said = process.communicate(timeout=60)[0]
    wanted = ['warning: a checkpoint of "gone.out/cut_a.h5" at t = ', 'warning: a time of "gone.out/s_a.pvd" at t = ', "r = ",
              "incomplete: ", "No such file or directory", "not tested: a signal ended the run"]
    failed = [word for word in wanted if word not in said]
    if process.returncode != 128 + 15 or failed or "error:" in said:
        print("a folder is taken away: status %d, no %s\n%s" % (process.returncode, failed, said))
    return process.returncode != 128 + 15 or failed != []


def study(rung, text, options=()):
    """the errors of a ladder"""
    with open("ladder.rung", "w") as file:
        file.write(text)
    said = subprocess.run([rung, "study", "ladder.rung"] + list(options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True).stdout
    return said, [line for line in said.splitlines() if " error " in line]


def main():
    rung, mpiexec = sys.argv[1], sys.argv[2]
    two = [mpiexec, "-n", "2", "--oversubscribe", "--bind-to", "none"]
    shutil.rmtree("goes_on", ignore_errors=True)
    os.makedirs("goes_on")
    os.chdir("goes_on")
    failed = 0

    def compare(name, whole, part):
        nonlocal failed
        if not same(whole[1], part[1]):
            print("%s differs:\n%s%s" % (name, whole[0], part[0]))
            failed = 1

    def holds(name, said, wanted):
        nonlocal failed
        if wanted not in said[0]:
            print("%s does not say \"%s\":\n%s" % (name, wanted, said[0]))
            failed = 1

    whole = run(rung, "whole", SWING)
    run(rung, "half", SWING, ["-stepper_end", "1.7"])
    compare("a swing on two ranks", whole, run(rung, "again", SWING, ["-stepper_restart", "half/cut.h5"], two))
    other = run(rung, "other", SWING.replace("probe y 0 y", "probe y 0 2*y - y"), ["-stepper_restart", "half/cut.h5"])
    holds("another probe", other, 'f at t = 4 is not known, not tested: the checkpoint of t = 1.7 holds nothing of "y" before it')
    holds("another probe", other, "ok     m at t = 4 = ")
    run(rung, "coarse", SWING, ["-stepper_end", "1.6", "-stepper_dt", "0.04"])
    holds("another step", run(rung, "fine", SWING, ["-stepper_restart", "coarse/cut.h5"]),
          "not tested: -stepper_dt of the run before the checkpoint makes another problem of the file")
    run(rung, "ended", ENDED)
    holds("a run that is at its end", run(rung, "still", ENDED, ["-stepper_restart", "ended/cut.h5"]),
          "y = 0.366735762, twice = 0.733471525, four = 1.46694305")
    run(rung, "early", ENDED, ["-stepper_end", "0.5"])
    ladder = ENDED[:ENDED.index("checkpoint")] + "ladder dt 0.1 0.05\n"
    begun = [study(rung, ladder), study(rung, ladder, ["-stepper_restart", "early/cut.h5"]), study(rung, ladder + "restart early/cut.h5\n")]
    if len(begun[2][1]) != 2 or begun[2][1] != begun[1][1] or begun[2][1] == begun[0][1]:
        print("a study does not begin where its restart says:\n" + "".join(said for said, _ in begun))
        failed = 1
    way = run(rung, "way", WAY)
    run(rung, "lower", WAY.replace("0 4 1", "0 2 1"))
    compare("a static way", way, run(rung, "upper", WAY, ["-stepper_restart", "lower/cut.h5"]))
    cools = run(rung, "cools", COOLS)
    run(rung, "warm", COOLS, ["-stepper_end", "0.5"])
    compare("a coefficient", cools, run(rung, "cold", COOLS, ["-stepper_restart", "warm/cut.h5"]))
    other = run(rung, "colder", COOLS.replace("1 + x[0]", "1 + 2*x[0]"), ["-stepper_restart", "warm/cut.h5", "-stepper_restart_force"])
    holds("another coefficient", other, 'was written with values of field k "1 + x[0]", going on with "1 + 2*x[0]"')
    species = run(rung, "species", SPECIES)
    for before in ([], two):
        compare("sizes of components", species,
                run(rung, "later%d" % len(before), SPECIES, ["-stepper_restart", "species/cut_10.h5"], before))
    pair = run(rung, "pair", PAIR % ("0.8", ""))
    run(rung, "first", PAIR % ("0.4", ""))
    compare("two systems", pair, run(rung, "rest", PAIR % ("0.8", "restart first/cut.h5\n")))
    return failed or check_gone(rung)


sys.exit(main())
