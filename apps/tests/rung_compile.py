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
    ("goes", MASS + "residual u*v*dx \\\n", [], "error: goes.form:4: the file ends where a line goes on"),
    ("word", HEAD + "residul u*v*dx\n", [], 'error: word.form:3: no statement is called "residul"; did you mean "residual"'),
    ("quad", "cell quad\n", [], 'error: quad.form:1: no cell is called "quad"; there are interval, triangle, quad'),
    ("twice", "cell triangle\npoints\n", [], "error: twice.form:2: line 1 says already what the cells are"),
    ("order", "unknown u v P1\ncell triangle\n", [], "error: order.form:1: cells come first"),
    ("none", "# nothing\n", [], "error: none.form:1: nothing says what the cells are"),
    ("few", "cell triangle\nunknown u P1\n", [], "error: few.form:2: the space, third of unknown NAME TEST SPACE, is"),
    ("many", "cell triangle\nunknown u v P1 P2\n", [], 'error: many.form:2: "P2" is too much'),
    ("number", MASS + "constant k 1,5\n", [], 'error: number.form:4: "1,5" is no number'),
    ("value", MASS + "constant k\n", [], "error: value.form:4: the value is missing"),
    ("empty", HEAD + "residual\n", [], "error: empty.form:3: the sum of integrals is missing"),
    ("define", HEAD + "define f\n", [], 'error: define.form:3: "f" is nothing; an expression follows'),
    ("option", MASS, ["-outputt", "x.c"], "error: there is no option -outputt; did you mean -output?"),
    ("files", MASS, ["other.form"], "error: there are options only after the form file"),
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
