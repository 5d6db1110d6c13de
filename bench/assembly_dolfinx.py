"""assembly_dolfinx.py CASE COUNT - the twin of assembly.c in DOLFINx 0.5: prints `CASE ns-per-cell`, least CPU time."""

import sys
import time

import ufl
from dolfinx import fem, mesh
from dolfinx.fem import petsc
from mpi4py import MPI

REPEATS = 10


def neo_hookean(u, v):
    F = ufl.Identity(3) + ufl.grad(u)
    inverse = ufl.inv(F).T
    return ufl.inner((F - inverse) + 2 * ufl.ln(ufl.det(F)) * inverse, ufl.grad(v)) * ufl.dx(degree=quadrature[degree])


quadrature = {1: 1, 2: 2}  # as Rung estimates it for this form: that of the test function's gradient times two
case, count = sys.argv[1], int(sys.argv[2])
degree = int(case[1])
box = mesh.create_unit_cube(MPI.COMM_SELF, count, count, count, mesh.CellType.tetrahedron)
if "poisson" in case:
    V = fem.FunctionSpace(box, ("Lagrange", degree))
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
    form = ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx
else:
    V = fem.VectorFunctionSpace(box, ("Lagrange", degree))
    u, v = fem.Function(V), ufl.TestFunction(V)
    u.x.array[:] = 1e-3
    residual = neo_hookean(u, v)
    form = ufl.derivative(residual, u) if case.endswith("matrix") else residual
compiled = fem.form(form, jit_params={"cffi_extra_compile_args": ["-O3", "-march=native"]})

if case.endswith("matrix"):
    A = petsc.create_matrix(compiled)

    def run():
        A.zeroEntries()
        petsc.assemble_matrix(A, compiled)
        A.assemble()

else:
    b = petsc.create_vector(compiled)

    def run():
        b.zeroEntries()
        petsc.assemble_vector(b, compiled)


least = 1e30
for _ in range(REPEATS):
    start = time.process_time()
    run()
    least = min(least, time.process_time() - start)
print(case, 1e9 * least / (6 * count**3))
