"""rung.py RUNG HEAT MPIEXEC PAGE - what rung is asked for, what it prints, what it writes and how it ends."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

SMALL = ["-mesh_count", "4,4", "-form_backend", "interpreter"]
SLENDER = ("box quadrilateral 20,1 1,b\nconstant b %s\nunknown u w Q2^d\ndefine e sym(grad(u))\nstatic\nprobe tip 1,b/2 u[1]\n"
           "residual 2e11*(inner(e, sym(grad(w))) + 0.4*tr(e)*div(w))*dx + 7e4*w[1]*dx\ndirichlet u left 0\n")
APART = "box interval 8\nunknown u v %s\nresidual %s\nmethod euler\ntime 0 1 0.1\n"
OREGO = """points
unknown y z P0^3
residual (dt(y[0]) - 77.27*(y[1] + y[0]*(1 - 8.375e-6*y[0] - y[1])))*z[0]*dx
residual (dt(y[1]) - (y[2] - (1 + y[0])*y[1])/77.27)*z[1]*dx + (dt(y[2]) - 0.161*(y[0] - y[2]))*z[2]*dx
initial y vector(1, 2, 3)
time 0 700
tolerances %s
"""
DECAY = """points
unknown u v P0
residual (dt(u) + 0.1*u)*v*dx
initial u 1
rate s (2 + %s)*dx
time 0 10
tolerances 1e-6
%s"""
SILENT = ("box interval 8\nunknown m p CG1\nunknown u r CG1\nresidual (dt(m) + m)*p*dx + ((u - m)*r + inner(grad(u), grad(r)))*dx\n"
          "method euler\ntime 0 1 0.1\n")
PAIR = ("box triangle 8,8\nunknown u v P2^d\nunknown p q %s\ndirichlet u %s 0\nstatic\n"
        "residual (inner(grad(u), grad(v)) - p*div(v) - div(u)*q - v[0])*dx\n")
POINT = "points 1\nunknown y z P0\nresidual dt(y)*z*dx = %s\ninitial y 1\nprobe y 0 y\nmethod euler\ntime 0 1 0.1\n"


def pollution():
    """Verwer's chemistry of air, 20 species, each an unknown of its own: rows of one entry, which may have no rounding by chance."""
    rate = ["0.35*%0", "26.6*%1*%3", "1.23e4*%4*%1", "8.6e-4*%6", "8.2e-4*%6", "1.5e4*%6*%5", "1.3e-4*%8", "2.4e4*%8*%5",
            "1.65e4*%10*%1", "9e3*%10*%0", "2.2e-2*%12", "1.2e4*%9*%1", "1.88*%13", "1.63e4*%0*%5", "4.8e6*%2", "3.5e-4*%3",
            "1.75e-2*%3", "1e8*%15", "4.44e11*%15", "1.24e3*%16*%5", "2.1*%18", "5.78*%18", "4.74e-2*%0*%3", "1.78e3*%18*%0", "3.12*%19"]
    made = ["-1-10-14-23-24+2+3+9+11+12+22+25", "-2-3-9-12+1+21", "-15+1+17+19+22", "-2-16-17-23+15", "-3+4+4+6+7+13+20",
            "-6-8-14-20+3+18+18", "-4-5-6+13", "+4+5+6+7", "-7-8", "-12+7+9", "-9-10+8+11", "+9", "-11+10", "-13+12", "+14",
            "-18-19+16", "-20", "+20", "-21-22-24+23+25", "-25+24"]
    start = {1: "0.2", 3: "0.04", 6: "0.1", 7: "0.3", 8: "0.01", 16: "0.007"}
    text = "points\n" + "".join("unknown y%d v%d P0\n" % (i, i) for i in range(20))
    text += "".join("define r%d %s\n" % (i + 1, r.replace("%", "y")) for i, r in enumerate(rate))
    for i, terms in enumerate(made):
        text += "residual (dt(y%d) - (0%s))*v%d*dx\n" % (i, re.sub(r"(\d+)", r"r\1", terms), i)
    text += "".join("initial y%d %s\n" % item for item in start.items())
    return text + "probe p 0 y0\ntime 0 60\ntolerances 1e-6\nreference p 60 0.0564625548 1e-5\n"


FILES = {
    "good.rung": POINT % "-y*z*dx" + "reference y 1 0.385543289 1e-8\n",
    "wrong.rung": POINT % "-y*z*dx" + "reference y 1 0.5\n",
    "stuck.rung": POINT % "-1/(y - 0.55)*z*dx" + "reference y 1 0.5\n",
    "long.rung": (POINT % "-y*z*dx").replace("time 0 1 0.1", "time 0 1000 1e-4"),
    "pair.rung": "points 1\ncoupling strang 0.1\ntime 0 1 0.1\nladder dt 0.1 0.05\n"
    "system a\nunknown y v P0\ncouple z b.z\ninitial y 1\nprobe y 0 y\nresidual (dt(y) + z)*v*dx\n"
    "system b\nunknown z v P0\ncouple y a.y\nresidual (dt(z) - y + dt(y)/9)*v*dx\n",
    "unread.rung": POINT % "-y*z*dx" + "option -ksp_typ cg\n",
    "used.rung": POINT % "-y*z*dx" + "option -ksp_type cg\n",
    "refused.rung": "refuse no statement is called\nnonsense\n",
    "taken.rung": (POINT % "-y*z*dx").replace("probe y 0 y", "probe x 0 y") + "number twice 2*x\n",
    "nought.rung": (POINT % "-z*dx").replace("initial y 1\n", "initial y 1e-9\n") + "expect constant y 1e12\n",
    # values of 1e-8: tolerances of a ladder are relative; esdirk54's error at 1e-6 was 0.016 while each was the absolute one, too
    "tiny.rung": "points 1\nunknown y v P0\nresidual (dt(y, 2) + 4*y)*v*dx\ninitial y 1e-8\nmethod esdirk54\ntime 0 2 0.1\n"
    "exact y 1e-8*cos(2*t)\nladder tol 1e-4 1e-6\nexpect tolerance 0.1 2\n",
    # an exact solution of one unknown of two
    "half.rung": "points 1\nunknown y v P0\nunknown z w P0\nresidual (dt(y) + y)*v*dx + (dt(z) - y)*w*dx\ninitial y 1\n"
    "method trbdf2\ntime 0 1 0.1\nexact y exp(-t)\nladder dt 0.1 0.05\nexpect order 2 0.2\n",
    # nodes on the seam have the value of its lower side, which differs from that of the other one
    "seam.rung": "box quadrilateral 4,4\nwrap x\nunknown u v Q1\nresidual dt(u)*v*dx\ninitial u x[0]\ntime 0 1 0.5\n",
    # a place in one dimension: the call in C reads three numbers
    "held.rung": "box interval 4\nunknown u v P1\nresidual dt(u)*v*dx\nhold u 0.5\ntime 0 1 0.5\n",
    # .. for data and bounds, too, where the part has such nodes
    "sides.rung": "box quadrilateral 4,4\nwrap x\nunknown u v Q1\nresidual dt(u)*v*dx\ndirichlet u bottom x[0]*x[1]\n"
    "dirichlet u top x[0]\nbounds u -1-x[0] 2+sin(2*pi*x[0])\ntime 0 1 0.5\n",
    # a definition that nothing uses; what a single run cannot tell; a constant that follows one that an event changes
    "unused.rung": POINT % "-y*z*dx" + "define f sinn(y)\ndefine g 2*y\nsummary pace frequency y\nsummary turn period y\n"
    "expect order 1 0.1\nexact y exp(-t)\n",
    "after.rung": "constant E 2\nconstant mu E/2\n" + POINT % "-mu*z*dx" + "event hit rising t - 0.5\nchange hit E 20\n",
    # each level begins with the constant of the file
    "doubles.rung": "constant k 1\n" + (POINT % "-k*y*z*dx").replace("euler", "rk4") + "event hit rising t - 0.5\nchange hit k 2*k\n"
    "exact y if(t < 0.5, exp(-t), exp(0.5 - 2*t))\nladder dt 0.1 0.05\nexpect order method 0.3\n",
    # flights of a hundredth each time, lost in rounding after the fourth bounce
    "sinks.rung": "points 1\nunknown y z P0\nresidual (dt(y, 2) + 9.81)*z*dx\ninitial y 1\nprobe h 0 y\nevent hit falling h\n"
    "jump hit dt(y) -0.01*dt(y)\nmethod dopri54\ntime 0 1 0.01\n",
    "other.rung": (POINT % "-y*z*dx") + "exact y exp(-2*t)\n",
    "many.rung": POINT % "-y*z*dx" + "output o 1e-7\n",
    "torus.rung": "box interval 4\nwrap x\nunknown u v P1\nresidual dt(u)*v*dx\ninitial u 1\ntime 0 1 0.1\n"
    "exact u x[0]*exp(-t)\nexpect error 1 1\n",
    "late.rung": "refuse another message\nnonsense\n",
    # a reaction in balance whose errors stay at three fifths of what is allowed, without a refusal: rounding of c
    "balance.rung": "points 1\nunknown a p P0\nunknown b q P0\nunknown c r P0\nunknown f s P0\ntime 0 4.71367\ntolerances 1e-7\n"
    "initial a 1.8939213856021944e-06\ninitial b 4.7881562313405419e-07\nresidual "
    "(dt(a) + 7184729231227.2354*a*a - 53822763.079644583*b - if(t > 4.242303, 4.01793e-10, 0))*p*dx"
    " + (dt(b) - 7184729231227.2354*a*a + 53822763.079644583*b)*q*dx"
    " + (dt(c) - (7184729231227.2354*a*a - 53822763.079644583*b) + 0*c)*r*dx + (dt(f) - 0.212149*c)*s*dx\n",
    # 0.3 % and nine tenths of the tip are rounding; a fluid at rest, whose velocity is nothing else, is solved as well as can be
    "slender.rung": SLENDER % "1e-3",
    "hair.rung": SLENDER % "1e-4",
    "flies.rung": (SLENDER % "1e-4").replace("+ 7e4*w[1]", "- 7e4*((x[0]-0.5)^2 - 1/12)*w[1]").replace("dirichlet u left 0\n", ""),
    "still.rung": "box quadrilateral 4,4\nunknown u v Q2^d\nunknown p q Q1\nhold p 0,0\ndirichlet u boundary 0\nstatic\n"
    "residual (inner(grad(u), grad(v)) - p*div(v) + 1e5*v[1] + div(u)*q)*dx\nprobe low 1,0 p\n",
    # conduction between cells that nothing joins; with jumps, beside a continuous unknown, and without derivatives there is nothing to say
    "apart.rung": APART % ("DG1", "dt(u)*v*dx + inner(grad(u), grad(v))*dx"),
    "joined.rung": APART % ("DG1", "(dt(u)*v + inner(grad(u), grad(v)))*dx + 9/avg(h)*jump(u)*jump(v)*dS"),
    "mixed.rung": APART % ("DG1", "dt(u)*v*dx + (grad(u)[0] + w)*z*dx + w*v*dx") + "unknown w z CG1\n",
    "reaction.rung": APART % ("DG1", "dt(u)*v*dx + u*v*dx"),
    # what is told of u begins as m says, which begins at 0; with m said, or with nothing of u that is changed, there is nothing to say
    "silent.rung": SILENT + "initial u 1\n",
    "said.rung": SILENT + "initial u 2\ninitial m 1\n",
    "guess.rung": SILENT + "initial u 1e-30\ninitial m 0\n",
    # what falls below its tolerance and grows again, and what swings through 0
    "orego.rung": OREGO % "1e-4", "orego_abs.rung": OREGO % "1e-6 1e-8",
    "swing.rung": "points\nunknown y v P0^2\nresidual inner(dt(y) - vector(y[1], -y[0]), v)*dx\ninitial y[0] 1\ntime 0 60\ntolerances 1e-8\n",
    # sums of rates that move faster than the solution, and no faster
    "fast.rung": DECAY % ("sin(20*t)", ""),
    "fastest.rung": DECAY % ("sin(20*t)", "method rodas4p\n"),
    "slow.rung": DECAY % ("u", ""),
    "slowest.rung": DECAY % ("u", "method trbdf2\n"),
    # pressures of too high a degree, in a vessel and in a channel, and one that fits
    "vessel.rung": PAIR % ("P2", "boundary"),
    "channel.rung": PAIR % ("P2", "left"),
    "fitting.rung": PAIR % ("P1", "boundary"),
    # nothing but a constant pressure is open between walls that periodic sides join
    "endless.rung": "box triangle 4,4\nunknown u v P2^d\nunknown p q P1\nperiodic u left right\nperiodic p left right\ndirichlet u top 0\n"
    "dirichlet u bottom 0\nresidual inner(grad(u), grad(v))*dx - p*div(v)*dx - q*div(u)*dx - v[0]*dx\nstatic\n",
    "sub/f.csv": "t,f\n0,0\n1,2\n",
    # its table lies beside it; values of a field, of another unknown; a step that lands; a number in the table
    "sub/words.rung": "box triangle 4,4\nunknown u v CG2\nunknown p q CG2\nfield f CG2 x[0]*x[1]\nconstant c 2\n"
    "residual dt(u)*v*dx + inner(grad(u), grad(v))*dx - table(\"f.csv\", t)*v*dx\nresidual (dt(p) + p)*q*dx\n"
    "initial u from 1 + f\ninitial p from c*u\nquantity total u*dx\nquantity other p*dx\nnumber ratio total/other\n"
    "number twice 2*sqrt(ratio^2)\nmax top u\nmin low u\ntime 0 1 0.1\ntolerances 1e-5 1e-8\ntolerances 1e-3 1e-6 p\n"
    "steps 1e-4 0.1 1000\nstop 0.33,0.5\nnorm max\noutput all 0.25\noutput flux 0.5 \"grad(u), total\"\noutput edge 0 \"u, steep = sqrt(inner(grad(u), grad(u)))\" on top\n"
    "output axis 1 on 0,1/c 1,0.5 11\ntable words\nsummary when time_of_max total\nreference when 1 1\ncheckpoint kept 1\n"
    "reference total 0 1.25 1e-12\nreference total 1 2.25 1e-6\nreference twice 0 1 1e-12\nreference top.x 1 1\n"
    "reference low.y 0 0 1e-12\n",
    "rod.rung": "points 1\nunknown X a P0\nunknown Y b P0\nunknown l c P0\nresidual (dt(X, 2) + 2*l*X)*a*dx + (dt(Y, 2) + 2*l*Y + 10)*b*dx\n"
    "residual (X^2 + Y^2 - 1)*c*dx\ninitial X 1\ntime 0 1 0.01\n",
    "beyond.rung": "box triangle 4,4\nunknown u v P1\nresidual dt(u)*v*dx\ntime 0 1 0.1\ntolerances 1e-3\nstop 0.5,5\n"
    "output o 0.5 on 0,0 5,5 11\n",
    "inner.rung": "box interval 3\nunknown u v P1\nunknown e q Quad(1)\nresidual (grad(u)[0] - e)*grad(v)[0]*dx - v*ds(right)\n"
    "residual (dt(e) - grad(u)[0] + e)*q*dx\ndirichlet u left 0\nprobe end 1 u\nmethod rodas4p\ntime 0 1 0.1\n"
    "reference end 1 2 1e-9\n",
    "fields.rung": POINT % "-y*z*dx" + "output o 0.5 y, 2*y +\n",
    "names.rung": POINT % "-y*z*dx" + "output o 0.5 \"y, twice=2*y, late = if(y <= 0.5, 1, 0), first = if(y == 1, 1, 0)\"\n",
    # a constant that follows another one on its way
    "follow.rung": "box interval 4\nunknown u v P1\nconstant load 0\nconstant half load/2\n"
    "residual inner(grad(u), grad(v))*dx - half*v*dx\ndirichlet u left 0\nstatic load 0 1 1\n",
    # has no solution beyond t = 1
    "blows.rung": "points\nunknown u v P0\nresidual (dt(u) - u^2)*v*dx\ninitial u 1\ntime 0 2\ntolerances 1e-6\n"
    "method esdirk43\nquantity U u*dx\ntable t\n",
    "pollution.rung": pollution(),
    # E5 of the test set for initial value problem solvers: concentrations of 1e-3 to 1e-24 in one vector
    "traces.rung": "points\nunknown y z P0^4\ndefine a 7.89e-10*y[0]\ndefine b 1.1e7*y[0]*y[2]\ndefine c 1.13e9*y[1]*y[2]\n"
    "define e 1.13e3*y[3]\nresidual inner(dt(y) - vector(-a - b, a - c, a - b + e - c, b - e), z)*dx\n"
    "initial y vector(1.76e-3, 0, 0, 0)\ntime 0 1e11\n",
    # a closed flow, whose factors on four ranks take more room than MUMPS foresees
    "closed.rung": "box triangle 32,32\nunknown u v P2^d\nunknown p q P1\ndirichlet u boundary 0\nstatic\n"
    "residual inner(0.02*sym(grad(u)) - p*I, grad(v))*dx - div(u)*q*dx - x[1]^2*v[0]*dx\nquantity work x[1]^2*u[0]*dx\n",
    # goes on from values that another run has left
    "next.rung": "box triangle 4,4\nunknown u v CG2\nunknown p q CG2\nresidual dt(u)*v*dx\nresidual dt(p)*q*dx\n"
    "initial u from checkpoint words.out/kept.h5\nquantity total u*dx\nquantity other p*dx\ntime 1 2 0.5\n"
    "reference total 1 2.25 1e-6\nreference other 2 0\n",
}

# words, status, part of what is printed
CASES = [
    (["help", "residual"], 0, "in C: RungSystemAddResidual\n"),
    (["help", "newmark"], 0, "a method of type alpha"),
    (["help", "check"], 0, "-picture            parts, given entries, the start"),
    (["help", "diff"], 0, "pointwise derivative of the first"),
    (["help", "DoPri8"], 0, "dop853, a method of type explicit and order 8\n    method dop853\n"
     "    or method DoPri8 dormand-prince-853\n    others call it"),
    (["help", "resdual"], 2, 'did you mean "residual"?'),
    (["list", "methods"], 0, "chung_hulbert"),
    (["help", "stepper_rtol"], 0, "relative tolerance"),
    (["help", "-stepper_rtol"], 0, "relative tolerance"),
    (["help", "-ksp_type"], 0, "-ksp_type is PETSc's"),
    (["help", "-canonical"], 0, "prints the program in C, or the file with its defaults"),
    (["help", "dirk"], 0, " esdirk43"),
    (["help", "esdirk43"], 0, "of type dirk and order 4"),
    (["help", "dx"], 0, "an integral over cells"),
    (["help", "Quad(2)^dxd"], 0, "a space: unknown NAME TEST SPACE"),
    (["help", "-manual"], 0, ".BR reaction "),
    (["help", "-manual_program"], 0, ".TH RUNG 1"),
    (["help", "-vim"], 0, "syntax match rungStatement"),
    (["list", "operators"], 0, "gradient"),
    (["list", "problems"], 0, "  heat               a hot plate cools through its edge\n"),
    (["list", "method"], 2, 'did you mean "methods"?'),
    (["rum", "good.rung"], 2, "did you mean run?"),
    (["diff", "a.out", "b.out", "c.out"], 2, "\"c.out\" is too much for rung diff"),
    (["new", "nosuch"], 2, "no problem of the gallery is called \"nosuch\"; there are "),
    (["new", "heat", "ball"], 2, "\"ball\" is too much for rung new"),
    (["help", "dirichlet", "slip"], 2, "\"slip\" is too much for rung help"),
    (["good.rung", "-kappa", "2"], 2, "what is to be done with good.rung? rung run good.rung, or check"),
    (["run", "nothing.rung"], 2, "cannot be read: No such file"),
    (["run", "good.rung", "wrong.rung"], 2, "options only after the problem file"),
    (["run", "good.rung", "-kapa", "1"], 2, "there is no option -kapa"),
    (["run", "good.rung", "-stepper_type", "alpha", "-stepper_method", "newmark"], 2, "advances systems of order 2"),
    (["run", "follow.rung", "-help"], 0, "  -load                                constant of the file\n"),
    (["run", "good.rung", "-help"], 0, "  -stepper_dt "),
    (["run", "good.rung"], 0, "results: good.out\n"),
    (["run", "good.rung"], 0, "results: good.out.2\n"),
    (["run", "good.rung", "-output", "good.out"], 2, "nothing is written over them"),
    (["run", "good.rung", "-quiet", "-output", "none"], 0, ""),
    (["run", "good.rung", "-stepper_method", "rk4", "-output", "none"], 0, "explicit rk4, t = 0 to 1"),
    (["run", "good.rung", "-stepper_dt", "0.2"], 0, "not tested: -stepper_dt makes another problem"),
    (["run", "wrong.rung"], 1, "FAILED y at t = 1"),
    (["run", "stuck.rung"], 3, "gave up"),
    (["run", "blows.rung"], 3, 'note: the rows of the table up to where the run has ended are in "blows.out/t.csv.part"\n'),
    (["run", "blows.rung", "-output", "none"], 3, "is lost in rounding, and the errors of those before ask for one; the solution may have no"),
    (["run", "pollution.rung", "-output", "none"], 0, "steps to t = 60"),
    (["run", "traces.rung", "-stepper_rtol", "1e-6", "-output", "none"], 3,
     "the absolute tolerance that follows the largest component of y: a component has its own by \"tolerances REL ABS y["),
    (["run", "refused.rung"], 0, "is refused as it says"),
    (["run", "unread.rung", "-output", "none"], 0, "unread.rung:8:8: option -ksp_typ was given and never used"),
    (["check", "rod.rung"], 0, "the equation of \"l\" holds neither; take a method for constraints on values alone (index 2), as trbdf2\n"
     "    explicit     forward_euler, "),
    (["run", "inner.rung", "-output", "none"], 0, "end = 2"),
    (["run", "inner.rung", "-output", "none", "-stepper_method", "dopri54"], 0, "end = 2"),
    (["check", "inner.rung"], 0, "rodas4, rodas42, *rodas4p, "),
    (["check", "inner.rung", "-stepper_method", "esdirk43"], 0, "rodas4, rodas42, rodas4p, "),
    (["study", "inner.rung", "-method", "esdirk43,rodas4p", "-ladder", "dt=0.1"], 0, "rosenbrock rodas4p"),
    (["check", "beyond.rung"], 0, "warning: beyond.rung:6:6: the run goes from t = 0 to 1, no step lands on t = 5\n"),
    (["check", "beyond.rung"], 0, "warning: beyond.rung:7:17: 8 of the 11 points along this line lie outside of the mesh"),
    (["run", "beyond.rung", "-output", "none"], 0, "warning: beyond.rung:7:17: 8 of the 11 points along this line"),
    (["check", "beyond.rung", "-stepper_end", "6"], 0, "beyond.rung:7:17: 8 of"),
    (["run", "names.rung"], 0, "results: names.out"),
    (["run", "fields.rung"], 2, "error: fields.rung:8:22: field \"2*y +\": "),
    (["run", "late.rung"], 1, "wants to be refused with another message"),
    (["check", "good.rung"], 0, "methods that fit, * is the one of this file\n    dirk         *euler, midpoint, "),
    (["taylor", "good.rung"], 0, "ok "),
    (["run", "seam.rung", "-output", "none"], 0, 'warning: initial u: "x[0]" has two values where the mesh closes upon itself'),
    (["run", "sides.rung", "-output", "none"], 0, 'warning: Dirichlet u on top: "x[0]" has two values where the mesh'),
    (["run", "sides.rung", "-output", "none"], 0, 'warning: lower bound of u: "-1-x[0]" has two values where the mesh'),
    (["run", "unused.rung", "-output", "none"], 0, 'warning: unused.rung:8:10: define f, which nothing uses so far: "sinn" is not'),
    (["run", "unused.rung", "-output", "none"], 0, "warning: unused.rung:12:8: a single run has no order to test, and no ladder"),
    (["run", "unused.rung", "-output", "none"], 0, "pace is not known: y does not cross the middle of its range twice"),
    (["check", "after.rung", "-c"], 0, 'RungStepperSetEventJump(stepper, "hit", "mu", "(20)/2")'),
    (["study", "good.rung", "-ladder", "dt=0.1,0.05"], 0, "order 1."),
    (["study", "good.rung", "-ladder", "dt=0.1,0.05", "-method", "newmark,bdf2"], 0, "advances systems of order 2"),
    (["study", "good.rung", "-ladder", "dt=0.1,0.05", "-method", "newmark,wbz"], 2, "none of the 2 methods of -method newmark,wbz takes"),
    (["study", "good.rung", "-ladder", "dt=0.1,0.05", "-method", ",".join(["bdf2"] * 300)], 0, "order 1.9"),
    (["study", "good.rung", "-ladder", "dt=0.1,0.05", "-method", "DoPri5,Heun3"], 0, "heun3"),
    (["study", "good.rung", "-ladder", "dt=0.1,0.05", "-method", "bdf2,bdf3"], 2, "no method matches -method bdf3"),
    (["study", "good.rung", "-ladder", "h=1"], 2, "wanted dt=0.1,0.05"),
    (["study", "good.rung", "-ladder", "dt=0.1,1e400"], 2, "wanted dt=0.1,0.05"),
    (["study", "good.rung", "-ladder", "dt=0.1,-1,0.1"], 2, "wanted dt=0.1,0.05"),
    (["study", "good.rung", "-ladder", ""], 2, "option -ladder has no value"),
    (["run", "good.rung", "-output", "none", "-ksp_type", "nothing"], 2, '-ksp_type: "nothing" is no linear solver; PETSc has cg'),
    (["run", "good.rung", "-output", "none", "-ksp_type", "cg", "-ksp_rtol", "few"], 2, '-ksp_rtol: "few" is no number; wanted one like'),
    (["run", "good.rung", "-output", "none", "-pc_type"], 2, "an option without a value is no preconditioner"),
    (["study", "good.rung", "-ladder", "dt=0.1,0.1"], 2, "the ladder has dt 0.1 twice; wanted different ones"),
    (["study", "good.rung", "-ladder", "dt=0.1,0.05,0.1"], 2, "the ladder has dt 0.1 twice; wanted different ones"),
    (["study", "good.rung", "-ladder", "dt=0.1"], 0, "dt  0.1        error"),
    (["study", "tiny.rung", "-ladder", "dt=4,2"], 2, "with dt = 4., and the run from t = 0. to 2. is shorter"),
    (["study", "tiny.rung", "-ladder", "dt=0.1,0.03"], 0, "note: dt = 0.03 does not divide the run from 0. to 2."),
    (["study", "good.rung", "-ladder", "dt=0.1,0.05", "-stepper_dt", "0.2"], 2, "and the run has gone in steps of 0.2: leave"),
    (["study", "tiny.rung", "-ladder", "dt=0.1,0.05", "-stepper_rtol", "0.1"], 2, "tolerances choose those of the run"),
    (["study", "tiny.rung", "-stepper_rtol", "1e-3"], 2, "with tol = 0.0001, and the run had rtol = 0.001: leave -stepper_rtol away"),
    (["study", "half.rung"], 0, "note: errors are not those of z: `exact` tells nothing of it"),
    (["study", "half.rung", "-ladder", "dt=0.1"], 2, "an order is expected of a ladder of one step, dt 0.1"),
    (["run", "good.rung", "-step", "push"], 2, 'no step is called "push", and the file has none'),
    (["check", "pair.rung"], 0, "system b\n  unknown z v P0"),
    (["taylor", "pair.rung"], 0, "ok     the remainder of the Jacobian at t = 0., system b"),
    (["study", "pair.rung"], 0, "strang, windows"),
    (["study", "doubles.rung"], 0, "ok     order of explicit rk4"),
    (["study", "other.rung", "-ladder", "dt=0.1,0.05"], 0, "note: smaller steps leave an error of 1.8e+00: that of the mesh, or"),
    (["study", "good.rung", "-ladder", "dt=0.01,0.005", "-method", "ak_dirkes7510sa"], 0, "is rounding, which has no order; take longer steps"),
    (["study", "tiny.rung"], 0, "error goes with the tolerance"),
    (["run", "sinks.rung", "-output", "none"], 0, 'event "hit" has happened at t = 0.4606453216, 4 times so far, and what it changes has stopped g'),
    (["compile", "pair.rung", "-output", "pair.c"], 0, "kernels of pair.rung"),
    (["check", "pair.rung", "-c"], 0, "PetscCall(RungCouplingSetScheme(coupling, RUNG_COUPLING_STRANG));"),
    (["compile", "good.rung", "-output", "good.rung"], 2, "a file that is not kernels that rung compile made is there"),
    (["compile", "good.rung", "-output", "kernels.c"], 0, "kernels.c: 2 kernels of good.rung"),
    (["compile", "good.rung", "-output", "kernels.c"], 0, "kernels.c: 2 kernels of good.rung"),
    (["check", "taken.rung"], 2, '"x" has a meaning of its own in expressions, it is not the quantity of that name'),
    (["run", "nought.rung", "-output", "none"], 0, "drift of y, which began with 1.00e-09, over that = "),
    (["diff", "good.out", "good.out", "-rel", "-1"], 2, "-rel is -1; wanted a number at least 0"),
    (["run", "sub/words.rung"], 0, "ok     twice at t = 0"),
    (["diff", "words.out", "words.out"], 0, "no number differs"),
    (["diff", "words.out", "good.out"], 1, "words.csv: only in words.out"),
    (["diff", "words.out", "nothing.out"], 2, "nothing.out cannot be read: No such file"),
    (["diff", "words.out"], 2, "rung diff A.out B.out"),
    (["verify", "good.rung", "-ladder", "dt=0.1,0.05"], 0, "order 1."),
    (["check", "sub/words.rung", "-picture"], 0, "picture: words.check/problem.pvd"),
    (["run", "next.rung"], 0, "ok     total at t = 1"),
    (["check", "held.rung", "-c"], 0, '(const char *const[]){"u"}, (PetscReal[]){0.5, 0, 0}, (PetscReal[]){1}'),
    (["check", "good.rung", "-c"], 0, 'PetscCall(RungSystemAddUnknown(sys, "y", "z", space));'),
    (["check", "sub/words.rung", "-c"], 0, 'PetscCall(begin_from(sys, t, 0, NULL, "1 + f"));'),
    (["check", "follow.rung", "-c"], 2, '-c writes no program in which "half" follows "load" on its way; write `define half ..`'),
    (["check", "next.rung", "-c"], 2, "-c writes no calls for an unknown of a checkpoint"),
    (["new", "brusselator"], 0, "brusselator.rung is yours"),
    (["new", "brusselator"], 2, "File exists"),
    (["new", "new_here/heat"], 0, "new_here/heat.rung is yours: rung run new_here/heat.rung"),
    (["new", "nowhere/heat"], 2, "nowhere/heat.rung: there is no folder for it; make one first: mkdir -p nowhere"),
    (["run", "good.rung", "-output", "none", "-stepper_restart", "none.h5"], 2, 'checkpoint "none.h5" is refused: No such file'),
    (["check", "many.rung"], 2, "many.rung:8:10: every 1e-07 from t = 0 to 1 would be written 1e+07 times"),
    (["check", "torus.rung"], 0, 'warning: exact u: "x[0]*exp(-t)" has two values where the mesh closes upon itself'),
]


def run(command):
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


def end_a_study(rung):
    """A signal ends a study, which says that it has no result.  One that comes before Rung runs ends the process: it comes later then."""
    for wait in 0.5, 2, 8, 32:
        with subprocess.Popen([rung, "study", "long.rung", "-ladder", "dt=1e-4,5e-5", "-form_backend", "interpreter"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as ended:
            time.sleep(wait)
            ended.terminate()
            text = ended.communicate()[0]
        if ended.returncode == 128 + 15 and "SIGTERM has ended the study at dt = " in text and "order" not in text:
            return 0
        if ended.returncode != -15:
            break
    print("a study that SIGTERM ends has status %d\n%s" % (ended.returncode, text[:2000]))
    return 1


def check_warnings(rung):
    """Nothing but what deserves one has a warning, on standard error."""
    failed = 0
    for name, part, count in ("sides.rung", "has two values where the mesh", 2), ("unused.rung", "nothing uses so far", 1), (
            "hair.rung", 'rounding leaves "u" open by', 1), ("flies.rung", 'rounding leaves "u" open by', 1), ("slender.rung", "rounding", 0), ("still.rung", "rounding", 0), (
            "vessel.rung", 'the equations leave more of "p" open than', 1), ("channel.rung", 'rounding leaves "p" open by', 1), (
            "fitting.rung", "open", 0), ("endless.rung", "open", 0), ("silent.rung", '"m" has no initial value and begins at 0', 1), ("said.rung", "initial", 0), (
            "guess.rung", "initial", 0), ("apart.rung", 'derivatives of "u" are taken inside of cells alone', 1), (
            "joined.rung", "inside of cells", 0), ("mixed.rung", "inside of cells", 0), ("reaction.rung", "inside of cells", 0), (
            "fast.rung", 'the sum of the rate "s" is uncertain by about', 1), (
            "fastest.rung", 'the sum of the rate "s" is uncertain by about', 1), ("slow.rung", "the sum of", 0), ("orego.rung", "] fell to", 1), ("orego_abs.rung", "] fell to", 0), ("swing.rung", "fell to", 0), ("slowest.rung", "the sum of", 0):
        said = run([rung, "run", name, "-output", "none", "-form_backend", "interpreter"])
        if said.stderr.count(part) != count or "warning" in said.stdout:
            print("%s has other warnings than %d:\n%s\non standard output:\n%s" % (name, count, said.stderr, said.stdout))
            failed = 1
    return failed


def check_help(rung):
    """--help, as other programs have it, is what a call without words is."""
    said = run([rung, "--help"])
    if said.returncode or not said.stdout.startswith("rung run FILE") or said.stderr:
        print("rung --help: status %d\n%s%s" % (said.returncode, said.stdout, said.stderr))
        return 1
    return 0


def check_balance(rung):
    """Steps that do not get on are looked at: with compiled kernels, whose order of operations rounds so that errors stay."""
    said = run([rung, "run", "balance.rung", "-output", "none"])
    if said.returncode or "steps to t = 4.71367" not in said.stdout:
        print("balance.rung: status %d\n%s%s" % (said.returncode, said.stdout, said.stderr))
        return 1
    return 0


def check_texts(rung):
    """A sum that goes on under its name while its text is another one is told; any bytes of a name are JSON."""
    failed = 0
    sums = POINT % "-y*z*dx" + "rate sum %s\nsummary " + 127 * "\u00fc" + " max y\ncheckpoint c 5\n"
    for name, text in (("sum", sums % "y*dx"), ("same", sums % "y*dx" + "restart sum.out/c.h5\n"),
                       ("twofold", sums % "2*y*dx" + "restart sum.out/c.h5\n")):
        with open(name + ".rung", "w", encoding="utf-8") as file:
            file.write(text.replace("0 1 0.1", "0 2 0.1") if name != "sum" else text)
        done = run([rung, "run", name + ".rung", "-form_backend", "interpreter"])
        told = 'written with what is summed up in sum "y*dx", going on with "2*y*dx"' in done.stdout + done.stderr
        if done.returncode or told != (name == "twofold"):
            print("a sum that goes on as %s: status %d\n%s" % (name, done.returncode, done.stderr))
            failed = 1
        with open(name + ".out/summary.json", encoding="utf-8") as file:
            failed |= json.load(file)["tested"][0]["what"] != 127 * "\u00fc"
    return failed


KEPT = ("box quadrilateral 3,3\nunknown u v Q1\nunknown w z Q1\ndefine g sin(t)*x[1]\nresidual (dt(u) - table(\"kept.csv\"))*v*dx\n"
        "residual dt(w)*z*dx - w*z*dx\ndirichlet u left g\ndirichlet u right 0\nperiodic w left right\nbounds w -1 9\nprobe mid 0.5,0.5 u\n"
        "event top rising mid - 9\nchange top K 2\ncheckpoint c 5\nmethod bdf2\n")
# what is another one when the run goes on, and how it is told; refused where the equations are others
OTHERS = [("sin(t)", "cos(t)", "with data of Dirichlet condition 0 \"sin(t)*x[1]\"", 2),
          ("dirichlet u right 0\n", "", "with Dirichlet condition 1 \"u on right: 0\", this run has \"none\"", 2),
          ("w left right", "w bottom top", "with constraints \"periodic w on left and right\", this run has \"periodic w on bottom", 2),
          ("-1 9", "-1 8", "with bounds \"w from -1 to 9\", this run has \"w from -1 to 8\"", 2),
          ("bounds w -1 9\n", "", "this run has \"none\"", 2),
          ("kept.csv", "kept.csv", "with tables \"kept.csv with numbers ", 2),
          ("mid - 9", "mid - 8", "with event top \"rising mid - 9: K becomes 2\", going on with \"rising mid - 8", 0),
          ("probe", "quantity more g*u*dx\nprobe", "with quantities \"mid\"", 0),
          ("top K 2", "top K 2", None, 0)]


def check_kept(rung):
    """Conditions, numbers of tables and events that are not those of the checkpoint are refused or told."""
    failed = 0
    for i, (old, new, part, status) in enumerate([(None, None, None, 0)] + OTHERS):
        text = KEPT if old is None else KEPT.replace(old, new) + "restart first.out/c.h5\n"
        with open("kept.csv", "w", encoding="utf-8") as file:
            file.write("0 1\n1 2\n" if old != "kept.csv" else "0 1\n1 3\n")
        with open("first.rung" if old is None else "kept%d.rung" % i, "w", encoding="utf-8") as file:
            file.write("constant K 1\n" + text + "time 0 %d 0.1\n" % (1 if old is None else 2))
        done = run([rung, "run", "first.rung" if old is None else "kept%d.rung" % i, "-form_backend", "interpreter"])
        if done.returncode != status or (part or "") not in done.stderr or (part is None and "was written" in done.stderr):
            print("%s goes on as %s: status %d\n%s" % (old, new, done.returncode, done.stderr))
            failed = 1
    return failed


# option and value, what rung check says of the default, of the file, of the option
PRECEDENCE = [
    ("-mesh_count 3,3 -mesh_refine 0", "cells     4 of", "cells     64 of", "cells     9 of"),
    ("-mesh_size 3,3", "[0., 1.] x [0., 1.]", "[0., 2.] x [0., 2.]", "[0., 3.] x [0., 3.]"),
    ("-space_u Q2", "test v: Q1, 9", "test v: Q1, 81", "test v: Q2, 49"),
    ("-k 3", "constant k = 1.", "constant k = 2.", "constant k = 3."),
    ("-stepper_method esdirk54", "stepper: dirk esdirk43", "stepper: dirk trbdf2", "stepper: dirk esdirk54"),
    ("-stepper_start 0.5 -stepper_end 3", "t from 0. to 1., dt", "t from 0. to 2., dt", "t from 0.5 to 3., dt"),
    ("-stepper_dt 0.01", ", dt = 0.1\n", ", dt = 0.05 at first", ", dt = 0.01 at first"),
    ("-stepper_rtol 1e-4 -stepper_atol 1e-7", "dt = 0.1\n", "rtol = 0.001, atol = 1e-06", "rtol = 0.0001, atol = 1e-07"),
]


def check_precedence(rung):
    """Defaults, then the file, then options: a dozen of them."""
    text = "box quadrilateral 2,2\nunknown u v Q1\nconstant k 1\nresidual (dt(u) + k*u)*v*dx\ntime 0 1 0.1\n"
    said = text.replace("2,2", "4,4 2,2\nrefine 1").replace("k 1", "k 2").replace("0 1 0.1", "0 2 0.05") + \
        "method trbdf2\ntolerances 1e-3 1e-6\n"
    failed = 0
    for name, content in (("default.rung", text), ("said.rung", said)):
        with open(name, "w") as file:
            file.write(content)
    options = " ".join(row[0] for row in PRECEDENCE).split()
    for column, words in ((1, ["default.rung"]), (2, ["said.rung"]), (3, ["said.rung"] + options)):
        done = run([rung, "check"] + words + ["-form_backend", "interpreter"])
        for row in PRECEDENCE:
            if done.returncode or row[column] not in done.stdout:
                print("%s: wanted %r\n%s%s" % (" ".join(words), row[column], done.stdout, done.stderr))
                failed = 1
    return failed


def check_used(rung):
    """An option of the file that a solver has read is not told to be unread."""
    done = run([rung, "run", "used.rung", "-output", "none"])
    if done.returncode or "never used" in done.stdout + done.stderr:
        print("rung run used.rung says\n%s%s" % (done.stdout, done.stderr))
        return 1
    with open("beside.rung", "w") as file:
        file.write(POINT % 'table("sub/f.csv", t)*z*dx')
    done = run([rung, "check", "beside.rung", "-c"])
    if done.returncode or "table(" not in done.stdout or "scope" in done.stdout:
        print("rung check beside.rung -c declares what it does not use\n%s%s" % (done.stdout, done.stderr))
        return 1
    with open("still.rung", "w") as file:
        file.write(FILES["good.rung"] + "table t\noutput o 0.5\n")
    done = run([rung, "run", "still.rung", "-output", "still", "-quiet", "-form_backend", "interpreter"])
    if done.returncode or done.stdout + done.stderr:
        print("rung run still.rung -quiet says\n%s%s" % (done.stdout, done.stderr))
        return 1
    return 0


def check_diff(rung):
    """A number of a table and one of a picture are found; tolerances let them pass."""
    failed = 0
    shutil.copytree("words.out", "other.out")
    with open("other.out/words.csv") as file:
        text = file.read()
    with open("other.out/words.csv", "w") as file:
        file.write(text.replace("0,1.25,", "0,1.2500001,", 1))
    name = [path for path in sorted(os.listdir("other.out/all.pvd.d")) if path.endswith(".vtu")][0]
    with open("other.out/all.pvd.d/" + name, "rb") as file:
        content = bytearray(file.read())
    start = content.index(b'offset="', content.index(b'Name="u"')) + 8  # indices before it have four bytes or eight
    values = int(content[start:content.index(b'"', start)])
    content[content.index(b"_", content.index(b"<AppendedData")) + values + 8 + 8 + 3] ^= 1
    with open("other.out/all.pvd.d/" + name, "wb") as file:
        file.write(content)
    with open("other.out/axis.pvd") as file:
        text = file.read()
    with open("other.out/axis.pvd", "w") as file:
        file.write(text.replace('timestep="1"', 'timestep="1.5"'))
    largest = float(max(line.split(",")[1] for line in open("words.out/words.csv").readlines()[1:]))
    wanted = ['words.csv: "total" differs by 1e-07, %g of its largest value, most in line 2: 1.25 and 1.2500001' % (1e-7 / largest),
              'all.pvd: "u" differs by ', ' in %s: ' % name,
              'axis.pvd: "time" differs by 0.5, 0.333333 of its largest value, most of picture 2: 1 and 1.5']
    failed |= expect_diff(rung, ["words.out", "other.out", "-rel", "1e-16", "-abs", "0"], 1, wanted, 4)
    failed |= expect_diff(rung, ["words.out", "other.out", "-rel", "1e-16", "-abs", "1e-6"], 1, ["which -abs 1e-06 lets pass"], 4)
    os.remove("other.out/axis.pvd")
    failed |= expect_diff(rung, ["words.out", "other.out"], 1, ["axis.pvd: only in words.out"], 2)
    shutil.copy("words.out/axis.pvd", "other.out")
    failed |= expect_diff(rung, ["words.out", "other.out"], 0, ["within 1e-06 of the largest value of a column", "apart, by "], 2)
    with open("other.out/all.pvd.d/" + name, "wb") as file:
        file.write(content[:-100])
    failed |= expect_diff(rung, ["words.out", "other.out"], 1, [name + ": not whole in the second"], 2)
    os.truncate("other.out/all.pvd.d/" + name, 1 << 31)
    failed |= expect_diff(rung, ["words.out", "other.out"], 1, [name + ": cannot be read in other.out, or has 2 GB and more"], 2)
    return failed


def expect_diff(rung, words, status, wanted, lines):
    """What rung diff says, in so many lines."""
    done = run([rung, "diff"] + words)
    if done.returncode == status and done.stdout.count("\n") == lines and not [word for word in wanted if word not in done.stdout]:
        return 0
    print("rung diff %s: status %d, wanted %d, %d lines and %s, got\n%s%s"
          % (" ".join(words), done.returncode, status, lines, wanted, done.stdout, done.stderr))
    return 1


def check_diff_of_ranks(rung, mpiexec):
    """Runs of other numbers of ranks are equal: points, discontinuous ones and cells are found by where they are."""
    with open("cut.rung", "w") as file:
        file.write("box triangle 5,4 3,2\nunknown u v P2\nunknown p q DP1\nunknown c e P0\nconstant k 1\n"
                   "residual dt(u)*v*dx + k*inner(grad(u), grad(v))*dx - v*ds(right)\nresidual (dt(p) - x[0])*q*dx\n"
                   "residual (dt(c) - x[1])*e*dx\ninitial u x[0]*x[1]\nquantity total u*dx\nmax top cos(pi*(x[0] - 1.5))*0 + u\n"
                   "max flat 3 + 0*u\nmin even u*(u - 1)\nmethod trbdf2\ntime 0 1 0.25\ntable t\noutput all 0.5 \"u, p, c, g = grad(u)\"\n"
                   "output edge 0.5 \"u\" on right\noutput line 0.5 u on 0,1 3,1 7\n")
    backend = ["-form_backend", "interpreter", "-quiet"]
    for n, words in ((1, []), (3, []), (4, ["-k", "1.001"])):
        done = run([mpiexec, "--oversubscribe", "-n", str(min(n, 3)), rung, "run", "cut.rung", "-output", "cut%d" % n] + words + backend)
        if done.returncode:
            print("cut.rung on %d ranks: status %d\n%s%s" % (n, done.returncode, done.stdout, done.stderr))
            return 1
    return expect_diff(rung, ["cut1", "cut3"], 0, ["13 files", "equal within 1e-06"], 2) | \
        expect_diff(rung, ["cut3", "cut1"], 0, ["13 files", "equal within 1e-06"], 2) | \
        expect_diff(rung, ["cut1", "cut4"], 1, ['t.csv: "top" differs by ', 'all.pvd: "u"', 'all.pvd: "g"'], 7)


def change_a_copy(rung):
    """What a user does first: numbers that the gallery tests are not those of a changed constant."""
    with open("new_here/heat.rung") as file:
        text = file.read()
    with open("new_here/heat.rung", "w") as file:
        file.write(text.replace("kappa 0.1", "kappa 0.3").replace("32,32", "8,8"))
    done = run([rung, "run", "new_here/heat.rung", "-output", "none", "-form_backend", "interpreter"])
    if done.returncode or "kappa 0.1" not in text or text.count("\n# reference") != 2:
        print("a changed copy of heat: status %d\n%s%s%s" % (done.returncode, text, done.stdout, done.stderr))
        return 1
    return 0


def main():
    rung, heat, mpiexec, page = sys.argv[1:5]
    shutil.rmtree("work", ignore_errors=True)
    os.makedirs("work/sub")
    os.chdir("work")
    os.mkdir("new_here")
    for name, text in FILES.items():
        with open(name, "w") as file:
            file.write(text)
    failed = 0
    for words, status, wanted in CASES:
        done = run([rung] + words + (["-form_backend", "interpreter"] if words[0] in ("run", "check", "study", "taylor") else []))
        noise = "-help" in words and ("Viewer" in done.stdout or done.stdout.count("\nOptions, with") != 1 or "solution" in done.stdout)
        if done.returncode != status or wanted not in done.stdout + done.stderr or noise:
            print("rung %s: status %d, wanted %d and \"%s\", got\n%s%s"
                  % (" ".join(words), done.returncode, status, wanted, done.stdout, done.stderr))
            failed = 1
    failed |= change_a_copy(rung)
    for words, status, wanted in ((["good.rung", "-ladder", "dt=0.1,0.05"], 0, "order 1."), (["-list"], 0, "moving_edge"),
                                  (["nothing.rung"], 2, "cannot be read")):
        done = run([os.path.join(os.path.dirname(rung), "verify")] + words)
        if done.returncode != status or wanted not in done.stdout + done.stderr:
            print("verify %s: status %d\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
            failed = 1
    left = sorted(name for name in os.listdir(".") if name.endswith(".out") or ".out." in name)
    if left != ["blows.out", "good.out", "good.out.2", "good.out.3", "names.out", "next.out", "stuck.out", "words.out", "wrong.out"]:
        print("folders are", left)
        failed = 1
    with open("wrong.out/summary.json") as file:
        summary = json.load(file)
        if summary["work"]["newton"] != summary["steps"] or summary["work"]["failed"]:
            print("the summary does not tell of the work")
            failed = 1
        if summary["tested"][0]["passed"] is not False:
            print("the summary does not say what failed")
            failed = 1
        version = run([rung, "version"]).stdout
        if not version.startswith("rung " + summary["version"] + ", Petsc"):
            print("the summary's version is not that of rung version")
            failed = 1
    with open("words.out/log.txt") as file:
        log = file.read()
    with open("words.check/problem.pvd.d/problem_000000.vtu", "rb") as file:
        picture = file.read()
    for word in (b'"u"', b'"given p"', b'"part left"', b'"part left_bottom"', b'"quality"', b'"rank"'):
        if (b"Name=" + word in picture) != (word != b'"part left_bottom"'):
            print("rung check -picture: %s" % word)
            failed = 1
    commit = version.strip().split(", commit ")[1:]
    wanted = ["command: ", "options: -form_backend interpreter", "ranks: 1", "file: sub/words.rung", "cells     32",
              "order in time 1: linear", "solver by default: -ksp_type", "rtol = 1e-05"] + ["commit: " + c for c in commit]
    for word in wanted:
        if word not in log:
            print("the log has no \"%s\"\n%s" % (word, log))
            failed = 1
    with open("words.out/words.csv") as file:
        rows = file.read().split()
    if rows[0] != "t,total,other,top,top.x,top.y,low,low.x,low.y,ratio,twice" or not any(row[:5] == "0.33," for row in rows):
        print("the table is\n%s" % "\n".join(rows))
        failed = 1
    failed |= check_precedence(rung)
    failed |= check_used(rung)
    failed |= check_diff(rung)
    failed |= check_diff_of_ranks(rung, mpiexec)
    failed |= check_texts(rung)
    failed |= check_kept(rung)
    failed |= check_balance(rung) | check_warnings(rung) | check_help(rung)
    with open(page) as file:
        if run([rung, "help", "-page"]).stdout not in file.read():
            print("%s does not hold what rung help -page prints" % page)
            failed = 1
    titles = [line for line in run([rung, "help", "-page"]).stdout.split("\n") if line.startswith("| **")]
    if len(titles) != 7 or len(set(titles)) != 7 or "| **Conditions** | | |" not in titles:
        print("the sections of statements are %s" % titles)
        failed = 1
    with subprocess.Popen([rung, "run", "long.rung", "-form_backend", "interpreter"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as ended:
        while ended.poll() is None and not os.path.exists("long.out/log.txt"):
            time.sleep(0.01)
        time.sleep(0.2)
        ended.terminate()
    if ended.returncode != 128 + 15:
        print("a run that SIGTERM ends has status %d" % ended.returncode)
        failed = 1
    failed |= end_a_study(rung)
    done = run([mpiexec, "-n", "1", rung, "run", "good.rung", ":", "-n", "1", rung, "run", "wrong.rung"])
    if done.returncode != 2 or "the options differ between ranks: rank 0 has run good.rung, rank 1 has" not in done.stderr:
        print("ranks with files of their own: status %d\n%s" % (done.returncode, done.stderr))
        failed = 1
    done = run([mpiexec, "--oversubscribe", "-n", "4", rung, "run", "closed.rung", "-output", "none", "-form_backend", "interpreter"])
    if done.returncode or "1 solution, work = " not in done.stdout:
        print("a closed flow on four ranks: status %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
        failed = 1
    done = run([mpiexec, "--oversubscribe", "-n", "2", rung, "run", heat, "-output", "two"] + SMALL)
    if done.returncode or "2 ranks" not in done.stdout or not os.path.exists("two/heat.pvd"):
        print("on two ranks: status %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
        failed = 1
    return failed


sys.exit(main())
