"""kernels_ffcx.py FOLDER CASE.. - the twins of kernels.c: FFCx's C of each case as FOLDER/CASE.so, -O3 -march=native.

An object exports what kernels.c asks for:
  int  twin_unknowns, twin_nodes[], twin_components[]
  double twin_point[]     nodes of all unknowns' scalar elements, three coordinates each, on the reference cell
  void twin_run(double *A, const double *w, const double *c, const double *x)

Exit status 3: FFCx is not installed."""

import os
import subprocess
import sys

try:
    import ffcx.codegeneration
    import ffcx.compiler
    import ufl
    from ffcx.element_interface import create_element
    from ffcx.parameters import get_parameters
    from ufl import (Coefficient, Constant, FiniteElement, Identity, MixedElement, TestFunctions, VectorElement, det, diff,
                     div, dot, grad, inner, inv, ln, split, sym, tr, variable)
except ImportError:
    sys.exit(3)


def poisson(cell, degree, q):
    element = FiniteElement("Lagrange", cell, degree)
    u, v = ufl.TrialFunction(element), ufl.TestFunction(element)
    return [element], inner(grad(u), grad(v)) * ufl.dx(degree=q)


def elasticity(cell, degree, q):
    element = VectorElement("Lagrange", cell, degree)
    u, v = ufl.TrialFunction(element), ufl.TestFunction(element)
    mu, lmbda = Constant(cell), Constant(cell)
    eps = sym(grad(u))
    return [element], inner(lmbda * tr(eps) * Identity(3) + 2 * mu * eps, grad(v)) * ufl.dx(degree=q)


def neo_hookean(cell, degree, q, matrix):
    element = VectorElement("Lagrange", cell, degree)
    u, v = Coefficient(element), ufl.TestFunction(element)
    mu, lmbda = Constant(cell), Constant(cell)
    F = Identity(3) + grad(u)
    P = mu * (F - inv(F).T) + lmbda * ln(det(F)) * inv(F).T
    residual = inner(P, grad(v)) * ufl.dx(degree=q)
    return [element], ufl.derivative(residual, u) if matrix else residual


def navier_stokes(cell, q):
    velocity, pressure = VectorElement("Lagrange", cell, 2), FiniteElement("Lagrange", cell, 1)
    mixed = MixedElement(velocity, pressure)
    w, rate = Coefficient(mixed), Coefficient(mixed)
    (u, p), (v, r) = split(w), TestFunctions(mixed)
    nu, s0, s1 = Constant(cell), Constant(cell), Constant(cell)
    dx = ufl.dx(degree=q)
    F = (inner(split(rate)[0], v) + inner(dot(grad(u), u), v) + nu * inner(grad(u), grad(v)) - p * div(v) + r * div(u)) * dx
    dw = ufl.TrialFunction(mixed)
    return [velocity, pressure], s0 * ufl.derivative(F, w, dw) + s1 * ufl.derivative(F, rate, dw)


def cahn_hilliard(cell, q):
    P1 = FiniteElement("Lagrange", cell, 1)
    mixed = MixedElement(P1, P1)
    w, rate = Coefficient(mixed), Coefficient(mixed)
    (c, m), (p, r) = split(w), TestFunctions(mixed)
    M, lmbda, s0, s1 = Constant(cell), Constant(cell), Constant(cell), Constant(cell)
    dx = ufl.dx(degree=q)
    c = variable(c)
    W = 100 * c**2 * (1 - c)**2
    F = (split(rate)[0] * p + M * inner(grad(m), grad(p)) + m * r - diff(W, c) * r - lmbda * inner(grad(c), grad(r))) * dx
    dw = ufl.TrialFunction(mixed)
    return [P1, P1], s0 * ufl.derivative(F, w, dw) + s1 * ufl.derivative(F, rate, dw)


tet, tri, hexahedron = ufl.tetrahedron, ufl.triangle, ufl.hexahedron
cases = {
    "p1_tet_poisson_matrix": lambda: poisson(tet, 1, 0),
    "p2_tet_poisson_matrix": lambda: poisson(tet, 2, 2),
    "p3_tet_poisson_matrix": lambda: poisson(tet, 3, 4),
    "p1_tet_neohookean_matrix": lambda: neo_hookean(tet, 1, 1, True),
    "p2_tet_neohookean_matrix": lambda: neo_hookean(tet, 2, 2, True),
    "p1_tet_neohookean_residual": lambda: neo_hookean(tet, 1, 1, False),
    "p2_tet_neohookean_residual": lambda: neo_hookean(tet, 2, 2, False),
    "q2_hex_laplace_matrix": lambda: poisson(hexahedron, 2, 4),
    "q3_hex_elasticity_matrix": lambda: elasticity(hexahedron, 3, 6),
    "q4_hex_elasticity_matrix": lambda: elasticity(hexahedron, 4, 8),
    "taylor_hood_navier_stokes_2d_matrix": lambda: navier_stokes(tri, 5),
    "taylor_hood_navier_stokes_3d_matrix": lambda: navier_stokes(tet, 5),
    "cahn_hilliard_p1_matrix": lambda: cahn_hilliard(tri, 4),
}


def describe(elements):
    """C of the nodes of the unknowns' elements."""
    nodes, components, points = [], [], []
    for element in elements:
        basic = element.sub_elements()[0] if isinstance(element, VectorElement) else element
        x = create_element(basic).element.points
        nodes.append(len(x))
        components.append(element.num_sub_elements() if isinstance(element, VectorElement) else 1)
        points += [repr(float(row[a])) if a < len(row) else "0." for row in x for a in range(3)]
    return (f"const int twin_unknowns = {len(nodes)}, twin_nodes[] = {{{', '.join(map(str, nodes))}}};\n"
            f"const int twin_components[] = {{{', '.join(map(str, components))}}};\n"
            f"const double twin_point[] = {{{', '.join(points)}}};\n")


def build(folder, case):
    elements, form = cases[case]()
    header, source = ffcx.compiler.compile_ufl_objects([form], prefix="twin", parameters=get_parameters())
    kernel = [line.split("(")[0].split()[-1] for line in source.splitlines() if line.startswith("void tabulate_tensor")]
    assert len(kernel) == 1, f"{case} has {len(kernel)} integrals"
    text = header + "\n" + source + "\n" + describe(elements) + (
        "void twin_run(double *A, const double *w, const double *c, const double *x)\n"
        f"{{ {kernel[0]}(A, w, c, x, NULL, NULL); }}\n")
    path = os.path.join(folder, case)
    with open(path + ".c", "w") as file:
        file.write(text)
    subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-w", "-I", ffcx.codegeneration.get_include_path(),
                    "-o", path + ".so", path + ".c", "-lm"], check=True)


for name in sys.argv[2:]:
    build(sys.argv[1], name)
