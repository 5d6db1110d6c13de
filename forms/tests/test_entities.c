/* test_entities.c - sums over vertices (dP) and integrals over edges (dl): counts, lengths, both back ends, any ranks. */
#include "kernel_tools.h"

static PetscErrorCode create(MPI_Comm comm, RungCellType type, PetscBool bent, Tools *tools)
{
  static const char *const spec[2] = {"CG1^d", "CG2"};

  PetscFunctionBegin;
  PetscCall(PetscMemzero(tools, sizeof *tools));
  if (bent) {
    PetscCall(tools_mesh(comm, type, PETSC_TRUE, &tools->mesh));
  } else {
    PetscCall(RungMeshCreate(comm, &tools->mesh));
    PetscCall(
      RungMeshSetBox(tools->mesh, RungCellGet(type)->name, RungCellGet(type)->dim, (PetscInt[]){2, 2, 2}, NULL));
  }
  PetscCall(RungMeshGetData(tools->mesh, &tools->data));
  PetscCall(RungScopeCreate(comm, &tools->scope));
  for (int f = 0; f < 2; ++f) {
    PetscCall(RungSpaceCreate(tools->mesh, spec[f], &tools->space[f]));
    PetscCall(RungScopeAddUnknown(tools->scope, f ? "p" : "u", f ? "q" : "v", tools->space[f]));
  }
  tools->unknowns = 2;
  PetscCall(RungScopeSetConstant(tools->scope, "kappa", 0.7));
  PetscCall(RungLayoutCreate(comm, 2, tools->space, &tools->layout));
  PetscCall(tools_fill(tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_value(Tools *tools, const char text[], double wanted)
{
  PetscReal value;

  PetscFunctionBegin;
  PetscCall(tools_value(tools, text, &value));
  CHECK_NEAR(value, wanted, 1e-12);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* [0, 1]^dim, two blocks along each axis */
static PetscErrorCode test_every_vertex_and_edge_of_a_box_counts_once(void)
{
  static const double vertices[RUNG_CELL_TYPES] = {0, 3, 9, 9, 27, 27};
  static const double half                      = 0.70710678118654752; /* a diagonal of a block's side */
  const double        length[RUNG_CELL_TYPES]   = {0, 1, 6 + 4 * half, 6, 27 + 36 * half + 8 * 0.86602540378443865, 27};

  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const PetscInt dim = RungCellGet((RungCellType)type)->dim;
    Tools          tools;

    PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_FALSE, &tools));
    PetscCall(check_value(&tools, "1*dP", vertices[type]));
    PetscCall(check_value(&tools, "x[0]*dP", vertices[type] / 2));
    PetscCall(check_value(&tools, "1*dP(left)", dim == 1 ? 1 : dim == 2 ? 3 : 9));
    PetscCall(check_value(&tools, "1*dP(boundary)", dim == 1 ? 2 : dim == 2 ? 8 : 26));
    PetscCall(check_value(&tools, "1*dl", length[type]));
    if (dim > 1)
      PetscCall(check_value(&tools, "x[0]^2*dl(right)", dim == 2 ? 1 : type == RUNG_HEXAHEDRON ? 6 : 6 + 4 * half));
    PetscCall(check_value(&tools, "if(abs(x[0] - 0.5) < 0.1, x[0], 0)*dP", vertices[type] / 6));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* A value for each part at vertices and edges, which another cell, on another rank, may have shown. */
static PetscErrorCode test_values_of_parts_are_known_at_vertices_and_edges(void)
{
  for (int type = RUNG_TRIANGLE; type < RUNG_CELL_TYPES; ++type) {
    const PetscInt dim = RungCellGet((RungCellType)type)->dim;
    Tools          tools;

    PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_FALSE, &tools));
    PetscCall(check_value(&tools, "value(left: 1, right: 10, else: 100)*dP", dim == 2 ? 333 : 999));
    PetscCall(check_value(&tools, "value(left: 1, else: 10)*dl(bottom)",
                          dim == 2                  ? 10
                          : type == RUNG_HEXAHEDRON ? 51
                                                    : 51 + 40 * 0.70710678118654752));
    PetscCall(check_value(&tools,
                          dim == 2 ? "value(left_bottom: 7, else: 1)*dP(bottom)"
                                   : "value(left_bottom_back: 7, else: 1)*dP(bottom_back)",
                          9));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

static const char *const form = "exp(p)*u[0]*p*q*dP - kappa*inner(u, v)*x[0]*dP(left) + (1 + p^2)*inner(dt(u), v)*dl"
                                " + t*x[0]^3*q*dl(boundary) + (1 + p^2)*dot(grad(p), tangent)*dot(grad(q), tangent)*dl"
                                " + tangent[0]^2*inner(u, v)*dl + inner(u, v)*dx + p*q*dx";
static const PetscReal   sigma[6] = {1, 1.2, 0.7, 0.9, 1.1, 0.8};
static const PetscBool   all[4]   = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};

static PetscErrorCode assemble(Tools *tools, PetscBool compile, Vec *r, Mat *J)
{
  RungForm one;

  PetscFunctionBegin;
  PetscCall(tools_form(tools, form, compile, &one));
  PetscCall(tools_quick_compiler(one));
  PetscCall(RungFormSetUp(one, PETSC_TRUE));
  PetscCall(VecDuplicate(tools->u[0], r));
  PetscCall(RungLayoutCreateMat(tools->layout, all, NULL, J));
  PetscCall(RungFormAssembleVec(one, 0.3, tools->u, *r));
  PetscCall(RungFormAssembleMat(one, 0.3, tools->u, sigma, *J));
  CHECK(!compile || one->part[0].kernel[0]->compiled);
  PetscCall(RungFormDestroy(&one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_interpreter_and_compiled_kernels_agree(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools     tools;
    Vec       r[2];
    Mat       J[2];
    PetscReal norm[2];

    PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, (PetscBool)(type != RUNG_TETRAHEDRON), &tools));
    for (int c = 0; c < 2; ++c) PetscCall(assemble(&tools, (PetscBool)c, &r[c], &J[c]));
    PetscCall(VecNorm(r[0], NORM_2, &norm[0]));
    PetscCall(VecAXPY(r[1], -1, r[0]));
    PetscCall(VecNorm(r[1], NORM_2, &norm[1]));
    CHECK(norm[0] > 1e-3);
    CHECK_NEAR(norm[1], 0, 1e-13 * norm[0]);
    PetscCall(MatNorm(J[0], NORM_FROBENIUS, &norm[0]));
    PetscCall(MatAXPY(J[1], -1, J[0], SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(J[1], NORM_FROBENIUS, &norm[1]));
    CHECK_NEAR(norm[1], 0, 1e-13 * norm[0]);
    for (int c = 0; c < 2; ++c) PetscCall(VecDestroy(&r[c]));
    for (int c = 0; c < 2; ++c) PetscCall(MatDestroy(&J[c]));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* int p q dP of linear p is the identity at the vertices; on edges, the sum of all entries of int p q dl is their length. */
static PetscErrorCode test_matrices_are_those_of_points_and_lines(void)
{
  static const char *const text[2] = {"inner(u, v)*dP + 0*p*q*dx", "inner(u, v)*dl + 0*p*q*dx"};

  for (int i = 0; i < 2; ++i) {
    Tools     tools;
    RungForm  one;
    Mat       J;
    Vec       ones, y;
    PetscReal sum;

    PetscCall(create(PETSC_COMM_WORLD, RUNG_HEXAHEDRON, PETSC_FALSE, &tools));
    PetscCall(tools_form(&tools, text[i], PETSC_FALSE, &one));
    PetscCall(RungLayoutCreateMat(tools.layout, all, NULL, &J));
    PetscCall(RungFormAssembleMat(one, 0, tools.u, sigma, J));
    PetscCall(VecDuplicate(tools.u[0], &ones));
    PetscCall(VecDuplicate(tools.u[0], &y));
    PetscCall(VecSet(ones, 1));
    PetscCall(MatMult(J, ones, y));
    PetscCall(VecSum(y, &sum));
    CHECK_NEAR(sum, 3 * 27, 1e-11);
    PetscCall(MatNorm(J, NORM_FROBENIUS, &sum));
    if (!i) CHECK_NEAR(sum, 9, 1e-12); /* 81 entries of 1 */
    PetscCall(VecDestroy(&ones));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&J));
    PetscCall(RungFormDestroy(&one));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_energies_of_points_and_edges_are_differentiated(void)
{
  Tools     tools;
  RungForm  one;
  Vec       r;
  PetscReal norm;

  PetscCall(create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_TRUE, &tools));
  PetscCall(tools_form(&tools, "derive(p^4*dP + sin(p)*dl, p) - 4*p^3*q*dP - cos(p)*q*dl + 0*inner(u, v)*dx",
                       PETSC_FALSE, &one));
  PetscCall(VecDuplicate(tools.u[0], &r));
  PetscCall(RungFormAssembleVec(one, 0.3, tools.u, r));
  PetscCall(VecNorm(r, NORM_2, &norm));
  CHECK_NEAR(norm, 0, 1e-15);
  PetscCall(VecDestroy(&r));
  PetscCall(RungFormDestroy(&one));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* grad(p).s with s along the edge is the slope of p along it, which two rules for one and the same integral show. */
static PetscErrorCode test_slopes_along_edges_are_those_of_functions_on_a_line(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    const char *const texts[] = {"dot(grad(x[0]^2), tangent)^2*dl", "4*x[0]^2*tangent[0]^2*dl",
                                 "inner(tangent, tangent)*dl", "1*dl"};
    Tools             tools;
    PetscReal         value[4];

    PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, (PetscBool)(type != RUNG_TETRAHEDRON), &tools));
    for (int i = 0; i < 4; ++i) PetscCall(tools_value(&tools, texts[i], &value[i]));
    CHECK_NEAR(value[0], value[1], 1e-12);
    CHECK_NEAR(value[2], value[3], 1e-12);
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode refused(Tools *tools, const char text[], const char message[])
{
  RungExpr expr;

  CHECK_RAISES(RungScopeParse(tools->scope, "test", text, &expr), message);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_has_several_values_is_refused_with_a_caret(void)
{
  Tools     tools;
  RungForm  one;
  RungSpace space;

  PetscCall(create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, &tools));
  PetscCall(RungSpaceCreate(tools.mesh, "DG1", &space));
  PetscCall(RungScopeAddUnknown(tools.scope, "w", "z", space));
  PetscCall(refused(&tools, "2*w*dP", "2*w*dP\n      ^"));
  PetscCall(
    refused(&tools, "w*dP", "\"w\" differs from cell to cell at a vertex under dP; take a continuous function"));
  PetscCall(refused(
    &tools, "grad(p)[0]*q*dl",
    "\"p\" has a derivative that differs from cell to cell at an edge under dl; take its slope along the edge"));
  PetscCall(refused(&tools, "dot(tangent, grad(u))[0]*q*dl", "\"u\" has a derivative that differs"));
  PetscCall(refused(&tools, "dot(grad(w), tangent)*z*dl", "\"w\" differs from cell to cell"));
  PetscCall(refused(&tools, "p*tangent[0]*dx", "tangent is known on edges only; use it under dl"));
  PetscCall(refused(&tools, "div(tangent)*dl", "div() of the tangent, which is known on edges only"));
  PetscCall(refused(&tools, "h*p*dP", "\"h\" differs from cell to cell"));
  PetscCall(refused(&tools, "n[0]*dl", "known on facets only"));
  PetscCall(refused(&tools, "jump(p)*dP", "are known on interior facets only"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(tools_destroy(&tools));
  PetscCall(create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, &tools));
  PetscCall(tools_form(&tools, "p*dP(lfet)", PETSC_FALSE, &one));
  CHECK_RAISES(RungFormSetUp(one, PETSC_FALSE), "did you mean left?");
  PetscCall(RungFormDestroy(&one));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_vertex_and_edge_of_a_box_counts_once),
               RUNG_TEST(test_slopes_along_edges_are_those_of_functions_on_a_line),
               RUNG_TEST(test_values_of_parts_are_known_at_vertices_and_edges),
               RUNG_TEST(test_matrices_are_those_of_points_and_lines),
               RUNG_TEST(test_energies_of_points_and_edges_are_differentiated),
               RUNG_TEST(test_what_has_several_values_is_refused_with_a_caret),
               RUNG_TEST(test_interpreter_and_compiled_kernels_agree))
