"""rung_compile.py RUNG-COMPILE - form files, good and bad: what is made of them, or what is said about them."""
import os
import subprocess
import sys

HEAD = "cell triangle\nunknown u v P1\n"
MASS = HEAD + "residual dt(u)*v*dx\n"

# name, text, options, part of what is printed; the run has to fail where that begins with "error"
CASES = [
    ("two", MASS + "residual inner(grad(u), grad(v))*dx\n", [], "two.c: 4 kernels"),
    ("long", HEAD + "residual dt(u)*v*dx \\ # a remark\r\n  + inner(grad(u), grad(v))*dx", [], "long.c: 4 kernels"),
    ("fields", MASS + "field w P2^d\nfield T P1 P2\nresidual dt(T)*w[0]*u*v*dx + dt(w, 2)[1]*T*v*dx\n", [],
     "fields.c: 5 kernels"),
    # the terms whole and by the chain rule: m and its matrix, the rest and its, and all of it, which starts ask for
    ("conserved", HEAD + "residual dt(u + u^3)*v*dx + u*v*ds\n", [], "conserved.c: 6 kernels"),
    ("chain", HEAD + "residual dt(u + u^3)*v*dx + u*v*ds\n", ["-system_conserve", "false"], "chain.c: 4 kernels"),
    ("mean", MASS + "mean edge u*ds(left)\n", [], "mean.c: 4 kernels"),
    ("shell", MASS, ["-system_mat_type", "shell"], "shell.c: 3 kernels"),
    ("goes", MASS + "residual u*v*dx \\\n", [], "error: goes.form:4:16: the file ends where a line goes on"),
    ("word", HEAD + "residul u*v*dx\n", [], 'error: word.form:3:1: no statement is called "residul"; did you mean "residual"'),
    ("quad", "cell quad\n", [], 'error: quad.form:1:6: cell type "quad" does not exist; wanted'),
    ("twice", "cell triangle\npoints\n", [], "error: twice.form:2:1: line 1 of twice.form says already what the cells are"),
    ("order", "residual dt(u)*v*dx\nunknown u v P1\ncell triangle\n", [], "order.c: 2 kernels"),
    ("none", "# nothing\n", [], "error: none.form:1:1: nothing says what the cells are"),
    ("few", "cell triangle\nunknown u P1\n", [], "error: few.form:2:13: SPACE is missing; wanted unknown NAME TEST SPACE"),
    ("many", "cell triangle\nunknown u v P1 P2\n", [], 'error: many.form:2:16: "P2" is too much'),
    ("number", MASS + "constant k 1,5\n", [], 'error: number.form:4:13: '),
    ("value", MASS + "constant k\n", [], "error: value.form:4:11: VALUE is missing"),
    ("empty", HEAD + "residual\n", [], "error: empty.form:3:9: TEXT is missing; wanted residual TEXT"),
    ("define", HEAD + "define f\n", [], 'error: define.form:3:9: TEXT is missing'),
    ("option", MASS, ["-outputt", "x.c"], "error: there is no option -outputt; did you mean -output?"),
    ("files", MASS, ["other.form"], "error: there are options only after the problem file"),
]


def main():
    program, failed = sys.argv[1], 0
    for name, text, options, wanted in CASES:
        with open(name + ".form", "w", newline="") as file:
            file.write(text)
        if os.path.exists(name + ".c"):
            os.remove(name + ".c")
        run = [program, name + ".form"] + (options or []) + ["-output", name + ".c"]
        done = subprocess.run(run, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        told = done.stdout + done.stderr
        fails = wanted.startswith("error")
        if wanted not in told or (done.returncode != 0) != fails or os.path.exists(name + ".c") == fails:
            print("%s: status %d, wanted %s, got\n%s" % (name, done.returncode, wanted, told))
            failed = 1
    return failed


sys.exit(main())
