"""transient_dolfinx.py CASE COUNT STEPS DT RTOL - the twin of transient.c in DOLFINx 0.5, as an expert writes it: prints
`CASE seconds norm preconditioner`.

Matrices are assembled once, the solver is kept, the guess is extrapolated; Jacobi, ICC, GAMG and BoomerAMG are all tried
and the fastest counts.  Seconds are CPU time from the mesh to the last step; imports and compilation are left out.
"""

import sys
import time

import numpy as np
import ufl
from dolfinx import fem, mesh
from dolfinx.fem import petsc
from mpi4py import MPI
from petsc4py import PETSc

FLAGS = {"cffi_extra_compile_args": ["-O3", "-march=native"]}


def solver(A, pc, rtol):
    ksp = PETSc.KSP().create(MPI.COMM_SELF)
    ksp.setOperators(A)
    ksp.setType("cg")
    ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
    ksp.setTolerances(rtol=rtol, max_it=2000)
    ksp.getPC().setType(pc)
    if pc == "hypre":
        ksp.getPC().setHYPREType("boomeramg")
    ksp.setInitialGuessNonzero(True)
    return ksp


def heat(case, n, compile_only=False):
    """u' = laplace u on the unit cube, u = 0 on its boundary."""
    domain = mesh.create_unit_cube(MPI.COMM_SELF, n, n, n, mesh.CellType.tetrahedron)
    V = fem.FunctionSpace(domain, ("Lagrange", int(case.split("_")[1][1])))
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
    domain.topology.create_connectivity(2, 3)
    dofs = fem.locate_dofs_topological(V, 2, mesh.exterior_facet_indices(domain.topology))
    bc = fem.dirichletbc(PETSc.ScalarType(0), dofs, V)
    K = fem.form(ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx, jit_params=FLAGS)
    M = fem.form(u * v * ufl.dx, jit_params=FLAGS)
    K = petsc.assemble_matrix(K, bcs=[bc], diagonal=1.0)
    M = petsc.assemble_matrix(M, bcs=[bc], diagonal=0.0)
    K.assemble()
    M.assemble()
    u0 = fem.Function(V)
    u0.interpolate(lambda x: np.sin(np.pi * x[0]) * np.sin(np.pi * x[1]) * np.sin(np.pi * x[2]))
    u0.x.array[dofs] = 0
    return K, M, u0.vector


def operator(K, M, s):
    A = K.copy()
    A.axpy(s, M, structure=PETSc.Mat.Structure.SAME_NONZERO_PATTERN)
    A.setOption(PETSc.Mat.Option.SPD, True)
    return A


def run_heat(K, M, u0, pc, steps, dt, rtol):
    """BDF2 after one trapezoidal step."""
    n = len(u0.array)
    mass = operator(K, M, 1e14)  # fixed rows keep their ones
    mass.scale(1e-14)
    rate, b, w = u0.duplicate(), u0.duplicate(), u0.duplicate()
    K.mult(u0, b)
    b.scale(-1)
    rate.set(0)
    solver(mass, "jacobi", 1e-12).solve(b, rate)
    old, u = u0.copy(), u0.copy()
    first = solver(operator(K, M, 2 / dt), pc, rtol)
    w.array = 2 / dt * u0.array + rate.array
    M.mult(w, b)
    first.solve(b, u)
    ksp = solver(operator(K, M, 1.5 / dt), pc, rtol)
    guess = u0.duplicate()
    for _ in range(steps - 1):
        w.array = (2 * u.array - 0.5 * old.array) / dt
        M.mult(w, b)
        guess.array = 2 * u.array - old.array
        ksp.solve(b, guess)
        old, u, guess = u, guess, old
    return u.norm() / np.sqrt(n)


def main():
    case, count, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    dt, rtol = float(sys.argv[4]), float(sys.argv[5])
    heat(case, 2)  # compiles
    start = time.process_time()
    K, M, u0 = heat(case, count)
    setup = time.process_time() - start
    best = None
    for pc in ("jacobi", "icc", "gamg", "hypre"):
        start = time.process_time()
        norm = run_heat(K, M, u0, pc, steps, dt, rtol)
        seconds = time.process_time() - start
        if best is None or seconds < best[0]:
            best = (seconds, norm, pc)
    print(case, setup + best[0], best[1], best[2], setup)


main()
