"""assembly_dolfinx.py CASE COUNT - the twin of assembly.c in DOLFINx 0.5: prints `CASE ns-per-cell norm MiB`.

Forms are compiled twice, with DOLFINx's own flags (-O2) and with -O3 -march=native, and run in turn; the least CPU time
of either counts.  Quadrature degrees are those that assembly.c asks for.
"""

import resource
import sys
import time

import numpy as np
import ufl
from dolfinx import fem, mesh
from dolfinx.fem import petsc
from mpi4py import MPI

REPEATS = 8
FLAGS = (["-O2"], ["-O3", "-march=native"])
S1 = 10.0  # the weight of dF/du'


def state(x, shift=0.0):
    """What assembly.c sets as initial values."""
    return 1e-3 * np.sin(3 * x[0] + 2 * x[1] + x[2] + shift)


def vector(x):
    return np.stack([state(x, i) for i in range(vector.size)])


def box(case, n):
    if "_hex_" in case:
        return mesh.create_unit_cube(MPI.COMM_SELF, n, n, n, mesh.CellType.hexahedron), n**3
    if "_tet_" in case:
        return mesh.create_unit_cube(MPI.COMM_SELF, n, n, n, mesh.CellType.tetrahedron), 6 * n**3
    return mesh.create_unit_square(MPI.COMM_SELF, n, n, mesh.CellType.triangle), 2 * n**2


def scalar_or_vector(case, domain):
    """Laplace and neo-Hookean: one unknown of degree 1 or 2."""
    degree = int(case[1])
    if "poisson" in case or "laplace" in case:
        V = fem.FunctionSpace(domain, ("Lagrange", degree))
        u, v = fem.Function(V), ufl.TestFunction(V)
        u.interpolate(state)
        dx = ufl.dx(degree=4 if "_hex_" in case else 2 * (degree - 1))
        return V, u, ufl.inner(ufl.grad(u), ufl.grad(v)) * dx, None
    V = fem.VectorFunctionSpace(domain, ("Lagrange", degree))
    u, v = fem.Function(V), ufl.TestFunction(V)
    vector.size = 3
    u.interpolate(vector)
    F = ufl.Identity(3) + ufl.grad(u)
    inverse = ufl.inv(F).T
    dx = ufl.dx(degree=4 if "_hex_" in case else 2 * (degree - 1))
    return V, u, ufl.inner((F - inverse) + 2 * ufl.ln(ufl.det(F)) * inverse, ufl.grad(v)) * dx, None


def taylor_hood(domain):
    W = fem.FunctionSpace(
        domain,
        ufl.MixedElement(ufl.VectorElement("Lagrange", domain.ufl_cell(), 2), ufl.FiniteElement("Lagrange", domain.ufl_cell(), 1)),
    )
    w, (v, q) = fem.Function(W), ufl.TestFunctions(W)
    vector.size = 2
    w.sub(0).interpolate(vector)
    w.sub(1).interpolate(state)
    u, p = ufl.split(w)
    dx = ufl.dx(degree=5)
    convection = ufl.inner(ufl.dot(ufl.grad(u), u), v)
    return W, w, (convection + 0.01 * ufl.inner(ufl.grad(u), ufl.grad(v)) - p * ufl.div(v) + q * ufl.div(u)) * dx, None


def cahn_hilliard(domain):
    P1 = ufl.FiniteElement("Lagrange", domain.ufl_cell(), 1)
    W = fem.FunctionSpace(domain, ufl.MixedElement(P1, P1))
    w, rate, (p, q) = fem.Function(W), fem.Function(W), ufl.TestFunctions(W)
    for i in range(2):
        w.sub(i).interpolate(state)
    c, m = ufl.split(w)
    c = ufl.variable(c)
    slope = ufl.diff(100 * c**2 * (1 - c) ** 2, c)
    dx = ufl.dx(degree=4)
    F = (ufl.split(rate)[0] * p + ufl.inner(ufl.grad(m), ufl.grad(p)) + m * q - slope * q) * dx
    return W, w, F - 0.01 * ufl.inner(ufl.grad(c), ufl.grad(q)) * dx, rate


def interior_penalty(domain):
    """Discontinuous elements: jumps and averages on interior facets."""
    V = fem.FunctionSpace(domain, ("DG", 1))
    u, v, n = fem.Function(V), ufl.TestFunction(V), ufl.FacetNormal(domain)
    u.interpolate(state)
    dx, dS = ufl.dx(degree=2), ufl.dS(degree=2)
    flux = ufl.inner(ufl.avg(ufl.grad(u)), ufl.jump(v, n)) + ufl.inner(ufl.jump(u, n), ufl.avg(ufl.grad(v)))
    return V, u, ufl.inner(ufl.grad(u), ufl.grad(v)) * dx - flux * dS + 100 * ufl.jump(u) * ufl.jump(v) * dS, None


def problem(case, domain):
    if "sipg" in case:
        return interior_penalty(domain)
    if case.startswith("taylor_hood"):
        return taylor_hood(domain)
    if case.startswith("cahn_hilliard"):
        return cahn_hilliard(domain)
    return scalar_or_vector(case, domain)


def jacobian(F, u, rate):
    J = ufl.derivative(F, u)
    return J if rate is None else J + S1 * ufl.derivative(F, rate)


def runner(case, form):
    """One assembly, and the norm of what it gives."""
    if case.endswith("matrix"):
        A = petsc.create_matrix(form)

        def run():
            A.zeroEntries()
            petsc.assemble_matrix(A, form)
            A.assemble()

        return run, A.norm
    b = petsc.create_vector(form)

    def run():
        b.zeroEntries()
        petsc.assemble_vector(b, form)

    return run, b.norm


def main():
    case, count = sys.argv[1], int(sys.argv[2])
    lean = len(sys.argv) > 3 and sys.argv[3] == "lean"  # one matrix: what a user has in memory
    domain, cells = box(case, count)
    V, u, F, rate = problem(case, domain)
    form = jacobian(F, u, rate) if case.endswith("matrix") else F
    runners = []
    for flags in FLAGS[1:] if lean else FLAGS:
        compiled = fem.form(form, jit_params={"cffi_extra_compile_args": flags})
        runners.append(runner(case, compiled))
    least = 1e30
    for _ in range(REPEATS):
        for run, _norm in runners:
            start = time.process_time()
            run()
            least = min(least, time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(case, 1e9 * least / cells, runners[0][1](), peak)


main()
