"""transient_dolfinx.py CASE NX NY NZ STEPS DT RTOL - the twin of transient.c in DOLFINx 0.5, as an expert writes it:
prints `CASE seconds norm solver`, and the seconds of each solver as remarks on the standard error.

Linear runs: matrices are assembled once, the solver is kept, the guess comes from the history; Jacobi, ICC(0), ICC(1), GAMG
and BoomerAMG are all tried and the fastest counts.  Neo-Hookean: Newton with the guess of the history; MUMPS (LU and
LDL^T), and conjugate gradients with ICC(0), ICC(1) and GAMG, whose tolerance is looser than Newton's.  Seconds are CPU
time from the mesh to the last step; imports and compilation are left out.
"""

import sys
import time

import numpy as np
import ufl
from dolfinx import fem, la, mesh
from dolfinx.fem import petsc
from mpi4py import MPI
from petsc4py import PETSc

FLAGS = {"cffi_extra_compile_args": ["-O3", "-march=native"]}
NU, RADIUS = 0.3, 0.8
MU, LAMBDA = 1 / (2 * (1 + NU)), NU / ((1 + NU) * (1 - 2 * NU))
SAME = PETSc.Mat.Structure.SAME_NONZERO_PATTERN


def solver(A, name, rtol):
    """name: a preconditioner of CG, "icc1" with one level of fill; or "lu", "cholesky"."""
    ksp = PETSc.KSP().create(MPI.COMM_SELF)
    ksp.setOperators(A)
    pc = ksp.getPC()
    if name in ("lu", "cholesky"):
        ksp.setType("preonly")
        pc.setType(name)
        pc.setFactorSolverType("mumps")
        return ksp
    ksp.setType("cg")
    ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
    ksp.setTolerances(rtol=rtol, max_it=2000)
    pc.setType(name.rstrip("1"))
    if name == "icc1":
        pc.setFactorLevels(1)
    if name == "hypre":
        pc.setHYPREType("boomeramg")
    ksp.setInitialGuessNonzero(True)
    return ksp


def operator(K, M, s):
    A = K.copy()
    A.axpy(s, M, structure=SAME)
    A.setOption(PETSc.Mat.Option.SPD, True)
    return A


def size(u):
    return u.norm() / np.sqrt(u.getSize())


# ---- heat ---------------------------------------------------------------------------------------------------------


def heat(case, count):
    """u' = laplace u on the unit cube, u = 0 on its boundary."""
    domain = mesh.create_unit_cube(MPI.COMM_SELF, *count, mesh.CellType.tetrahedron)
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
    return K, M, u0.vector.copy()  # its own memory


def run_heat(problem, pc, steps, dt, rtol):
    """BDF2 after one trapezoidal step."""
    K, M, u0 = problem
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
    return size(u)


# ---- solids: generalized-alpha (Chung and Hulbert), weights of the new level -------------------------------------------


def weights(dt):
    m, f = (2 - RADIUS) / (1 + RADIUS), 1 / (1 + RADIUS)
    gamma, beta = 0.5 + m - f, 0.25 * (1 + m - f) ** 2
    return m, f, gamma, beta


def cantilever(case, count):
    points = [np.zeros(3), np.array([4.0, 1.0, 1.0])]
    domain = mesh.create_box(MPI.COMM_SELF, points, count, mesh.CellType.tetrahedron)
    V = fem.VectorFunctionSpace(domain, ("Lagrange", int(case.split("_")[1][1])))
    facets = mesh.locate_entities_boundary(domain, 2, lambda x: np.isclose(x[0], 0))
    dofs = fem.locate_dofs_topological(V, 2, facets)
    return V, fem.dirichletbc(np.zeros(3), dofs, V)


def rigid_modes(V, A):
    """The near null space that multigrid wants."""
    x = V.tabulate_dof_coordinates()
    modes = [A.createVecRight() for _ in range(6)]
    for i, mode in enumerate(modes):
        a = mode.array
        a[:] = 0
        if i < 3:
            a[i::3] = 1
        else:
            j, k = (i + 1) % 3, (i + 2) % 3
            a[j::3], a[k::3] = -x[:, k], x[:, j]
    la.orthonormalize(modes)
    return PETSc.NullSpace().create(vectors=modes, comm=MPI.COMM_SELF)


def elast(case, count):
    V, bc = cantilever(case, count)
    u, v = ufl.TrialFunction(V), ufl.TestFunction(V)

    def stress(w):
        eps = ufl.sym(ufl.grad(w))
        return LAMBDA * ufl.tr(eps) * ufl.Identity(3) + 2 * MU * eps

    K = fem.form(ufl.inner(stress(u), ufl.grad(v)) * ufl.dx, jit_params=FLAGS)
    M = fem.form(ufl.inner(u, v) * ufl.dx, jit_params=FLAGS)
    load = fem.form(-0.01 * v[2] * ufl.dx, jit_params=FLAGS)
    K = petsc.assemble_matrix(K, bcs=[bc], diagonal=1.0)
    M = petsc.assemble_matrix(M, bcs=[bc], diagonal=0.0)
    K.assemble()
    M.assemble()
    b = petsc.assemble_vector(load)
    fem.set_bc(b, [bc])
    return K, M, b, rigid_modes(V, K)


def run_elast(problem, pc, steps, dt, rtol):
    K, M, load, modes = problem
    m, f, gamma, beta = weights(dt)
    s = 1 / (beta * dt**2)
    u, v, a, b, w = (load.duplicate() for _ in range(5))
    for x in (u, v, a):
        x.set(0)
    mass = operator(K, M, 1e14)
    mass.scale(1e-14)
    solver(mass, "jacobi", 1e-12).solve(load, a)
    r = a.copy()  # u'' itself, a is carried
    A = operator(K, M, m / f * s)
    if pc == "gamg":
        A.setNearNullSpace(modes)
    ksp = solver(A, pc, rtol)
    for _ in range(steps):
        predicted = -s * (u.array + dt * v.array) + (1 - 1 / (2 * beta)) * a.array  # a_n+1 = s w + predicted
        base = (m * predicted + (1 - m) * a.array - (1 - f) * r.array) / f
        w.array = -base
        M.mult(w, b)
        b.axpy(1, load)
        old = a.array.copy()
        u.array = u.array + dt * v.array + dt**2 / 2 * a.array
        ksp.solve(b, u)
        a.array = s * u.array + predicted
        r.array = m / f * s * u.array + base
        v.array = v.array + dt * ((1 - gamma) * old + gamma * a.array)
    return size(u)


def neohookean(case, count):
    """u'' = base + slope u in the residual, so that its derivative is the whole Jacobian."""
    V, bc = cantilever(case, count)
    u, base, v, du = fem.Function(V), fem.Function(V), ufl.TestFunction(V), ufl.TrialFunction(V)
    slope = fem.Constant(V.mesh, PETSc.ScalarType(0))
    F = ufl.Identity(3) + ufl.grad(u)
    inverse = ufl.inv(F).T
    P = MU * (F - inverse) + LAMBDA * ufl.ln(ufl.det(F)) * inverse
    static = ufl.inner(P, ufl.grad(v)) * ufl.dx(degree=2) + 0.002 * v[2] * ufl.dx
    residual = ufl.inner(slope * u + base, v) * ufl.dx + static
    forms = [fem.form(x, jit_params=FLAGS) for x in (residual, ufl.derivative(residual, u, du), -static)]
    M = petsc.assemble_matrix(fem.form(ufl.inner(du, v) * ufl.dx, jit_params=FLAGS), bcs=[bc], diagonal=1.0)
    M.assemble()
    return forms, M, u, base, slope, bc, rigid_modes(V, M)


def run_neohookean(problem, name, steps, dt, rtol):
    (residual, jacobian, static), M, u, base, slope, bc, modes = problem
    m, f, gamma, beta = weights(dt)
    s = 1 / (beta * dt**2)
    u.x.array[:] = 0
    x, v, a, b, d = u.vector, *(M.createVecRight() for _ in range(4))
    v.set(0)
    a.set(0)
    petsc.assemble_vector(b, static)
    fem.set_bc(b, [bc])
    solver(M, "jacobi", 1e-12).solve(b, a)
    r = a.copy()
    slope.value = m / f * s
    J = petsc.create_matrix(jacobian)
    J.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    J.setNearNullSpace(modes)
    ksp = solver(J, name, 1e-3)
    for _ in range(steps):
        predicted = -s * (x.array + dt * v.array) + (1 - 1 / (2 * beta)) * a.array
        base.x.array[:] = (m * predicted + (1 - m) * a.array - (1 - f) * r.array) / f
        old = a.array.copy()
        x.array = x.array + dt * v.array + dt**2 / 2 * a.array
        first = None
        for _ in range(25):
            with b.localForm() as local:
                local.set(0)
            petsc.assemble_vector(b, residual)
            fem.set_bc(b, [bc], x0=x, scale=0.0)
            norm = b.norm()
            first = first or norm
            if norm <= rtol * first:
                break
            J.zeroEntries()
            petsc.assemble_matrix(J, jacobian, bcs=[bc])
            J.assemble()
            ksp.setOperators(J)
            d.set(0)
            ksp.solve(b, d)
            x.axpy(-1, d)
        a.array = s * x.array + predicted
        r.array = slope.value * x.array + base.x.array
        v.array = v.array + dt * ((1 - gamma) * old + gamma * a.array)
    return size(x)


LINEAR = ("jacobi", "icc", "icc1", "gamg", "hypre")
RUNS = {
    "heat": (heat, run_heat, LINEAR),
    "elast": (elast, run_elast, LINEAR),
    "neohookean": (neohookean, run_neohookean, ("lu", "cholesky", "icc", "icc1", "gamg")),
}


def main():
    case, count, steps = sys.argv[1], [int(n) for n in sys.argv[2:5]], int(sys.argv[5])
    dt, rtol = float(sys.argv[6]), float(sys.argv[7])
    create, run, names = RUNS[case.split("_")[0]]
    create(case, [2, 1, 1])  # compiles
    start = time.process_time()
    problem = create(case, count)
    setup = time.process_time() - start
    best = None
    for name in names:
        start = time.process_time()
        norm = run(problem, name, steps, dt, rtol)
        seconds = time.process_time() - start
        print(f"# {case} {name}: {setup + seconds:.4g} s, norm {norm:.10g}", file=sys.stderr, flush=True)
        if best is None or seconds < best[0]:
            best = (seconds, norm, name)
    print(case, setup + best[0], best[1], best[2], setup)


main()
