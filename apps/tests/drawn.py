"""drawn.py RUNG MPIEXEC [COUNT [SEED]] - problem files whose terms, degrees, orders in time and kinds of boundary are drawn by a seed
run as they are, and give the solution that they were made from.

With F the drawn form and ue a polynomial of the space in x, the file says F(u, v) = F(ue, v): u is ue at all nodes, whatever the
terms are, and every natural boundary term cancels.  An event changes a constant, which F has on both sides, and puts the solution in
anew; a step more goes on from the state of the first one.  In time ue has degree 2, and 1 where an unknown is of order 2: the alpha
methods take values between two levels for linear."""
import random
import subprocess
import sys

CELLS = {"interval": (1, "6"), "triangle": (2, "3,2"), "quadrilateral": (2, "3,2"), "tetrahedron": (3, "2,1,1"),
         "hexahedron": (3, "2,1,1")}
SIDES = ["left", "right", "bottom", "top", "back", "front"]


def polynomial(rng, dim, degree, shift):
    """Text in x of a total degree, with coefficients of one digit."""
    terms = ["%d" % rng.randint(1, 3)]
    for axis in range(dim):
        terms.append("%d/8*x[%d]" % (rng.randint(1, 5) + shift, axis))
        if degree > 1:
            terms.append("%d/8*x[%d]*x[%d]" % (rng.randint(1, 5), axis, rng.randrange(dim)))
    return "(%s)" % " + ".join(terms)


def form(rng, name, test, vector, order, other):
    """A weak form of {u}, and of {w} where there is another unknown, as a list of terms; place holders stand for the unknowns."""
    product = "inner({%s}, %s)" % (name, test) if vector else "{%s}*%s" % (name, test)
    square = "inner({%s}, {%s})" % (name, name) if vector else "{%s}^2" % name
    rate = "inner(dt({%s}, %d), %s)" % (name, order, test) if vector else "dt({%s}, %d)*%s" % (name, order, test)
    coefficient = rng.choice(["1", "(1 + x[0])", "(2 + %s)" % square, "exp(-t)", "k"])
    terms = ["%s*dx" % rate, "%s*inner(grad({%s}), grad(%s))*dx" % (coefficient, name, test)]
    choices = ["%s*dx" % product, "%s*%s*dx(degree: 6)" % (square, product), "sin(t)*%s*dx" % product]
    if order == 2:
        choices.append("c*" + rate.replace(", 2)", ", 1)", 1) + "*dx")
    if not vector:
        choices.append("k*grad({%s})[0]*%s*dx" % (name, test))
        choices.append("exp(-{%s}/4)*%s*dx(degree: 6)" % (name, test))
        if other:
            choices.append("{%s}*%s*dx" % (other, test))
    terms += rng.sample(choices, rng.randint(1, 3))
    return terms, product


def draw(rng):
    cell = rng.choice(sorted(CELLS))
    dim, count = CELLS[cell]
    unknowns = [("u", "v"), ("w", "q")][:rng.randint(1, 2)]
    orders = [rng.randint(1, 2) for _ in unknowns]
    scalar = {name: dim == 1 or rng.random() < 0.7 for name, _ in unknowns}
    lines = ["title drawn", "box %s %s" % (cell, count), "constant k 0.5", "constant c k/5"]
    residuals, conditions, watched = [], [], []
    for (name, test), order in zip(unknowns, orders):
        degree = rng.randint(1, 2)
        parts = [polynomial(rng, dim, degree, shift) for shift in range(1 if scalar[name] else dim)]
        time = "(1 + t/2%s)" % ("" if 2 in orders else " - t^2/%d" % rng.randint(3, 6))
        exact = "%s*%s" % (time, parts[0] if scalar[name] else "vector(%s)" % ", ".join(parts))
        lines.append("unknown %s %s CG%d%s" % (name, test, degree, "" if scalar[name] else "^d"))
        conditions += ["define %se %s" % (name, exact), "initial %s %se" % (name, name)]
        if order == 2:
            conditions.append("initial dt(%s) dt(%se)" % (name, name))
        others = [other for other, _ in unknowns if other != name and scalar[other]]
        terms, product = form(rng, name, test, not scalar[name], order, others[0] if others else None)
        for side in SIDES[:2 * dim]:
            kind = rng.choice(["given", "robin", "free"]) if side != "left" else "given"
            if kind == "given":
                conditions.append("dirichlet %s %s %se" % (name, side, name))
            elif kind == "robin":
                terms.append("2*%s*ds(%s)" % (product, side))
        for term in terms:
            there = {other: other for other, _ in unknowns}
            exactly = {other: other + "e" for other, _ in unknowns}
            residuals.append("residual %s = %s" % (term.format(**there), term.format(**exactly)))
        watched += ["exact %s %se" % (name, name)]
        watched += ["quantity s%s %s*dx" % (name, name if scalar[name] else "inner(%s, %s)" % (name, name))]
    watched += ["number root sqrt(su^2)", "table t", "output o 0.1", "expect error 1e-8 1"]
    starts = [line for line in conditions if line.startswith("initial")]
    conditions = [line for line in conditions if line not in starts]
    return "\n".join(lines + conditions + residuals + watched + passage(rng, starts)) + "\n"


def passage(rng, starts):
    """The way through time, from the start: at once, through an event, or in two steps."""
    kind = rng.choice(["once", "event", "steps"])
    if kind == "steps":
        return ["step one"] + starts + ["time 0 0.1 0.05", "step two", "constant %s 0.7" % rng.choice("kc"), "time 0.1 0.2 0.1"]
    if kind == "once":
        return starts + ["time 0 0.2 0.1"]
    when = rng.randint(1, 19) / 100
    lines = ["event clock %s t - %r" % (rng.choice(["rising", "both"]), when), "change clock c %d/10" % rng.randint(1, 9)]
    if rng.random() < 0.5:
        lines.append("jump clock u ue")
    return starts + ["time 0 0.2 0.1"] + lines + ["happens clock 1 %r 1e-7" % when]


def main():
    rung, mpiexec = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    failed = 0
    for i in range(count):
        name = "drawn%d.rung" % i
        with open(name, "w") as file:
            file.write(draw(random.Random(1000 * seed + i)))
        command = [rung, "run", name, "-form_backend", "interpreter", "-output", "none"]
        if i % 5 == 4:
            command = [mpiexec, "--oversubscribe", "--bind-to", "none", "-n", "2"] + command
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        if done.returncode or "ok     error at the end" not in done.stdout:
            failed += 1
            with open(name) as file:
                print("%s ends with status %d\n%s\n%s%s" % (name, done.returncode, file.read(), done.stdout, done.stderr))
    print("%d files, %d failed" % (count, failed))
    return 1 if failed else 0


sys.exit(main())
