"""setup_dolfinx.py CASE COUNT - the twin of setup.c in DOLFINx 0.5: prints `CASE setup-seconds pattern-seconds`."""

import logging
import sys
import time

import ufl
from dolfinx import fem, mesh
from dolfinx.fem import petsc
from mpi4py import MPI

logging.disable(logging.INFO)  # of the compiler's runs
REPEATS = 3
case, count = sys.argv[1], int(sys.argv[2])
degree = int(case[1])
cell = mesh.CellType.tetrahedron if "tet" in case else mesh.CellType.hexahedron


def setup(n):
    """Box, spaces, and a compiled form whose matrix has the whole pattern."""
    box = mesh.create_unit_cube(MPI.COMM_SELF, n, n, n, cell)
    vector = "vector" in case or "pair" in case
    V = [(fem.VectorFunctionSpace if vector else fem.FunctionSpace)(box, ("Lagrange", degree))]
    return V + [fem.FunctionSpace(box, ("Lagrange", degree - 1))] if "pair" in case else V


def laplace(V):
    u, v = [ufl.TrialFunction(X) for X in V], [ufl.TestFunction(X) for X in V]
    if len(V) == 1:
        return fem.form(ufl.inner(ufl.grad(u[0]), ufl.grad(v[0])) * ufl.dx)
    return fem.form(
        [
            [ufl.inner(ufl.grad(u[0]), ufl.grad(v[0])) * ufl.dx, u[1] * ufl.div(v[0]) * ufl.dx],
            [ufl.div(u[0]) * v[1] * ufl.dx, u[1] * v[1] * ufl.dx],
        ]
    )


laplace(setup(2))  # compiles
least = [1e30, 1e30]
for _ in range(REPEATS):
    start = time.process_time()
    V = setup(count)
    least[0] = min(least[0], time.process_time() - start)
    form = laplace(V)
    start = time.process_time()
    A = (petsc.create_matrix if len(V) == 1 else petsc.create_matrix_block)(form)
    least[1] = min(least[1], time.process_time() - start)
    A.destroy()
print(case, least[0], least[1])
