"""DOLFINx's form() of the polynomial of compile.c with argv[1] terms: milliseconds cold and warm."""
import shutil
import sys
import tempfile
import time

import ufl
from dolfinx import fem, mesh
from mpi4py import MPI

domain = mesh.create_unit_square(MPI.COMM_WORLD, 4, 4)
V = fem.FunctionSpace(domain, ("CG", 2))
u, v, x = fem.Function(V), ufl.TestFunction(V), ufl.SpatialCoordinate(domain)


def seconds(folder):
    """Text is Python here: the expression is built anew each time."""
    start = time.perf_counter()
    e = 0
    for i in range(int(sys.argv[1])):
        e += (1.1 + 0.013 * i + u) * (2.3 + 0.017 * i + x[0] * u) * (3.1 + 0.011 * i - x[1] * u)
    fem.form(e * v * ufl.dx(degree=2), jit_params={"cache_dir": folder, "cffi_extra_compile_args": ["-O2"]})
    return time.perf_counter() - start


cold = []
warm = []
for repeat in range(2):
    folder = tempfile.mkdtemp()
    cold.append(seconds(folder))
    warm.append(seconds(folder))
    shutil.rmtree(folder)
print(1e3 * min(cold), 1e3 * min(warm))
