/* test_restrict.c - integrals over interior facets: sides, jumps, averages, on all cells, bent too, by both back ends. */
#include "kernel_tools.h"

/* Unknowns u in D..^d and p in another space; a letter "D" before the family, which tools_create puts in front. */
static PetscErrorCode create(MPI_Comm comm, RungCellType type, PetscBool bent, const char u[], const char p[],
                             Tools *tools)
{
  const char *const spec[2] = {u, p};

  PetscFunctionBegin;
  PetscCall(PetscMemzero(tools, sizeof *tools));
  PetscCall(tools_mesh(comm, type, bent, &tools->mesh));
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

/* Values of place and cell alone: the same on any number of ranks, and discontinuous where the space is. */
static PetscErrorCode set_by_place(Tools *tools)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < 2; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(tools->space[f], &space));
    for (int k = 0; k < 3; ++k) {
      PetscScalar *u;

      PetscCall(VecGetArray(tools->u[k], &u));
      for (PetscInt i = 0; i < tools->data->cells * space->cell_nodes; ++i) {
        const PetscInt   node = space->cell_node[i], cell = i / space->cell_nodes;
        const PetscReal *x    = space->x + node * tools->data->dim;
        const PetscReal  step = space->continuous ? 0 : (PetscReal)tools->data->cell_number[cell];

        for (PetscInt c = 0; c < space->components && node < space->owned; ++c) {
          u[RungLayoutDof(tools->layout, f, node, c)] = 0.1 * sin(x[0] + 2 * (tools->data->dim > 1 ? x[1] : 0) +
                                                                  (double)(c + f) + k + 0.7 * step);
        }
      }
      PetscCall(VecRestoreArray(tools->u[k], &u));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_areas_and_normals_of_both_sides(void)
{
  static const double area[] = {0, 1, 2 + 1.5 + 6 * 0.70710678118654752, 2 + 1.5};

  for (int type = RUNG_INTERVAL; type <= RUNG_QUADRILATERAL; ++type) {
    Tools     tools;
    PetscReal value;

    PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_FALSE, "DG1^d", "CG1", &tools));
    PetscCall(tools_value(&tools, "1*dS", &value));
    CHECK_NEAR(value, area[type], 1e-13);
    PetscCall(tools_value(&tools, "inner(plus(n), minus(n))*dS", &value));
    CHECK_NEAR(value, -area[type], 1e-13);
    PetscCall(tools_value(&tools, "facet_area*avg(h)/avg(volume)*dS - plus(h)*facet_area/plus(volume)*dS", &value));
    CHECK_NEAR(value, 0, 1e-12); /* all cells of a box are alike */
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* sum over cells of the integral of w.n over its boundary = integral of div(w), w discontinuous */
static PetscErrorCode test_jumps_complete_the_divergence_theorem(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    for (int bent = 0; bent < 2; ++bent) {
      Tools     tools;
      PetscReal value, inside;

      PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, (PetscBool)bent, "DG2^d", "DG1", &tools));
      PetscCall(tools_value(&tools, "div(u)*dx(degree: 6)", &inside));
      PetscCall(
        tools_value(&tools, "jump(u, n)*dS(degree: 6) + dot(u, n)*ds(degree: 6) - div(u)*dx(degree: 6)", &value));
      CHECK(fabs(inside) > 1e-7);
      CHECK_NEAR(value, 0, bent && type == RUNG_HEXAHEDRON ? 1e-12 : 1e-13);
      PetscCall(
        tools_value(&tools,
                    "(jump(p, n)[0] + inner(jump(p), 1) - plus(p) + minus(p))*dS(degree: 6) + p*n[0]*ds(degree: 6)"
                    " - grad(p)[0]*dx(degree: 6)",
                    &value));
      CHECK_NEAR(value, 0, 1e-12);
      PetscCall(tools_destroy(&tools));
    }
  }
  return PETSC_SUCCESS;
}

/* The points on both sides are one place: a continuous function of any degree does not jump, pointwise, and a product of
   values of both sides is a product of values at one place. */
static PetscErrorCode test_points_of_both_sides_coincide(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools     tools;
    PetscReal value, norm;

    PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_TRUE, "CG3^d", "DG0", &tools));
    PetscCall(tools_value(&tools, "inner(u, u)*dS", &norm));
    CHECK(norm > 1e-4);
    PetscCall(tools_value(&tools, "inner(jump(u), jump(u))*dS", &value));
    CHECK_NEAR(value, 0, 1e-26);
    PetscCall(tools_value(&tools, "(plus(u)[0]^2 - u[0]*minus(u)[0]*(1 + plus(p) - plus(p)))*dS(degree: 9)", &value));
    CHECK_NEAR(value, 0, 1e-15);
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

static const char *const simple =
  "(1 + avg(p)^2)*inner(jump(u), jump(v))*dS - inner(dot(avg(grad(u)), avg(grad(u))), avg(grad(v)))*dS"
  " + kappa/avg(h)*jump(p)*jump(q)*exp(plus(u)[0]*minus(p))*dS + facet_area*jump(u, n)*avg(q)*dS + dot(jump(p, n), "
  "minus(v))*dS"
  " + avg(dt(u))[0]*jump(dt(p))*minus(q)*dS + dt(minus(p)^2)*plus(q)*dS + inner(grad(grad(plus(p))), "
  "jump(grad(grad(q))))*dS"
  " + inner(u, v)*dx + x[0]*p*q*ds";
static const PetscReal sigma[6] = {1, 1.2, 0.7, 0.9, 1.1, 0.8};
static const PetscBool all[4]   = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};

/* Vector and matrix by one back end; the caller destroys them. */
static PetscErrorCode assemble(Tools *tools, const char text[], PetscBool compile, Vec *r, Mat *J)
{
  RungForm form;

  PetscFunctionBegin;
  PetscCall(tools_form(tools, text, compile, &form));
  PetscCall(tools_quick_compiler(form));
  PetscCall(RungFormSetUp(form, PETSC_TRUE));
  PetscCall(VecDuplicate(tools->u[0], r));
  PetscCall(RungLayoutCreateMat(tools->layout, all, NULL, J));
  PetscCall(RungFormAssembleVec(form, 0.3, tools->u, *r));
  PetscCall(RungFormAssembleMat(form, 0.3, tools->u, sigma, *J));
  CHECK(!compile || form->part[0].kernel[0]->compiled);
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_interpreter_and_compiled_kernels_agree(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_HEXAHEDRON;
       ++type) { /* hexahedra take the compiler as long as all others */
    Tools     tools;
    Vec       r[2];
    Mat       J[2];
    PetscReal norm[2];

    PetscCall(
      create(PETSC_COMM_WORLD, (RungCellType)type, (PetscBool)(type != RUNG_TETRAHEDRON), "DG1^d", "CG2", &tools));
    for (int c = 0; c < 2; ++c) PetscCall(assemble(&tools, simple, (PetscBool)c, &r[c], &J[c]));
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

/* |F(u + h d) - F(u) - h J d| falls with h^2; the rates move with sigma. */
static PetscErrorCode find_remainder(Tools *tools, RungForm form, Mat J, PetscReal h, PetscReal *rest)
{
  const RungLayoutData *data;
  Vec                   moved[3], r, r0;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(tools->layout, &data));
  PetscCall(VecDuplicate(tools->u[0], &r));
  PetscCall(VecDuplicate(tools->u[0], &r0));
  for (int k = 0; k < 3; ++k) {
    const PetscScalar *d;
    PetscScalar       *to;

    PetscCall(VecDuplicate(tools->u[k], &moved[k]));
    PetscCall(VecCopy(tools->u[k], moved[k]));
    PetscCall(VecGetArrayRead(tools->u[2], &d));
    PetscCall(VecGetArray(moved[k], &to));
    for (PetscInt f = 0; f < 2; ++f)
      for (PetscInt i = data->range[f]; i < data->range[f + 1]; ++i) to[i] += h * sigma[2 * k + f] * d[i];
    PetscCall(VecRestoreArray(moved[k], &to));
    PetscCall(VecRestoreArrayRead(tools->u[2], &d));
  }
  PetscCall(RungFormAssembleVec(form, 0.3, tools->u, r0));
  PetscCall(MatMult(J, tools->u[2], r));
  PetscCall(VecAXPY(r0, h, r));
  PetscCall(RungFormAssembleVec(form, 0.3, moved, r));
  PetscCall(VecAXPY(r, -1, r0));
  PetscCall(VecNorm(r, NORM_2, rest));
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&moved[k]));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&r0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_jacobian_is_the_derivative_of_the_vector(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools     tools;
    RungForm  form;
    Mat       J;
    PetscReal rest[2];

    PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_TRUE, "DG1^d", "DG1", &tools));
    PetscCall(tools_form(&tools, simple, PETSC_FALSE, &form));
    PetscCall(RungLayoutCreateMat(tools.layout, all, NULL, &J));
    PetscCall(RungFormAssembleMat(form, 0.3, tools.u, sigma, J));
    for (int i = 0; i < 2; ++i) PetscCall(find_remainder(&tools, form, J, i ? 0.05 : 0.1, &rest[i]));
    CHECK_NEAR(log2(rest[0] / rest[1]), 2, 0.1);
    PetscCall(MatDestroy(&J));
    PetscCall(RungFormDestroy(&form));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode norms(MPI_Comm comm, RungCellType type, PetscReal norm[3])
{
  Tools tools;
  Vec   r;
  Mat   J;

  PetscFunctionBegin;
  PetscCall(create(comm, type, PETSC_FALSE, "DG1^d", "CG2", &tools));
  PetscCall(set_by_place(&tools));
  PetscCall(assemble(&tools, simple, PETSC_FALSE, &r, &J));
  PetscCall(VecNorm(r, NORM_2, &norm[0]));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &norm[1]));
  PetscCall(tools_value(&tools, "plus(u)[0]^2*minus(p)*dS + inner(plus(u), minus(n))*dS", &norm[2]));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_results_do_not_depend_on_the_ranks(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    PetscReal serial[3], parallel[3];

    PetscCall(norms(PETSC_COMM_SELF, (RungCellType)type, serial));
    PetscCall(norms(PETSC_COMM_WORLD, (RungCellType)type, parallel));
    for (int i = 0; i < 3; ++i) {
      CHECK(fabs(serial[i]) > 1e-6);
      CHECK_NEAR(parallel[i], serial[i], 1e-12 * fabs(serial[i]));
    }
  }
  return PETSC_SUCCESS;
}

static const char *const sipg = "inner(grad(p), grad(q))*dx - inner(avg(grad(p)), jump(q, n))*dS - inner(jump(p, n), "
                                "avg(grad(q)))*dS + 10/avg(h)*jump(p)*jump(q)*dS + inner(u, v)*dx";

static PetscErrorCode test_symmetric_interior_penalty_is_symmetric_to_the_last_bit(void)
{
  for (int compile = 0; compile < 2; ++compile) {
    Tools          tools;
    RungForm       form;
    RungFormTraits traits;
    PetscBool      symmetric;
    Mat            J;

    PetscCall(create(PETSC_COMM_SELF, RUNG_QUADRILATERAL, PETSC_TRUE, "CG1^d", "DG2", &tools));
    PetscCall(tools_form(&tools, sipg, (PetscBool)compile, &form));
    PetscCall(tools_quick_compiler(form));
    PetscCall(RungFormGetTraits(form, &traits));
    CHECK(traits.symmetric && traits.linear && traits.facets && traits.constant_jacobian);
    CHECK(traits.couple_facets[1][1] && !traits.couple_facets[0][0] && !traits.couple_facets[0][1]);
    PetscCall(RungLayoutCreateMat(tools.layout, all, NULL, &J));
    PetscCall(RungFormAssembleMat(form, 0, tools.u, sigma, J));
    PetscCall(MatIsSymmetric(J, 0, &symmetric));
    CHECK(symmetric);
    PetscCall(MatDestroy(&J));
    PetscCall(RungFormDestroy(&form));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* Continuous unknowns share dofs between the cells: these entries are on the diagonal, too. */
static PetscErrorCode test_action_and_diagonal_are_those_of_the_matrix(void)
{
  for (int compile = 0; compile < 2; ++compile) {
    Tools     tools;
    RungForm  form;
    Vec       y[2];
    Mat       J;
    PetscReal norm[2];

    PetscCall(create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "DG1^d", "CG2", &tools));
    PetscCall(tools_form(&tools, simple, (PetscBool)compile, &form));
    PetscCall(tools_quick_compiler(form));
    PetscCall(RungLayoutCreateMat(tools.layout, all, NULL, &J));
    PetscCall(RungFormAssembleMat(form, 0.3, tools.u, sigma, J));
    for (int i = 0; i < 2; ++i) PetscCall(VecDuplicate(tools.u[0], &y[i]));
    for (int diagonal = 0; diagonal < 2; ++diagonal) {
      if (diagonal) {
        PetscCall(MatGetDiagonal(J, y[0]));
        PetscCall(RungFormAssembleDiagonal(form, 0.3, tools.u, sigma, y[1]));
      } else {
        PetscCall(MatMult(J, tools.u[2], y[0]));
        PetscCall(RungFormApply(form, 0.3, tools.u, sigma, tools.u[2], y[1]));
      }
      PetscCall(VecNorm(y[0], NORM_2, &norm[0]));
      PetscCall(VecAXPY(y[1], -1, y[0]));
      PetscCall(VecNorm(y[1], NORM_2, &norm[1]));
      CHECK_NEAR(norm[1], 0, 1e-13 * norm[0]);
    }
    for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&y[i]));
    PetscCall(MatDestroy(&J));
    PetscCall(RungFormDestroy(&form));
    PetscCall(tools_destroy(&tools));
  }
  return PETSC_SUCCESS;
}

/* derive() of an energy over facets is the form written by hand, to the same node of the scalar DAG. */
static PetscErrorCode test_energies_over_facets_are_differentiated(void)
{
  Tools     tools;
  RungForm  form;
  Vec       r;
  PetscReal norm;

  PetscCall(create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "DG1^d", "DG1", &tools));
  PetscCall(tools_form(&tools,
                       "derive(jump(p)^2*avg(p)*dS, p) - (2*jump(p)*jump(q)*avg(p) + jump(p)^2*avg(q))*dS"
                       " + 0*inner(u, v)*dx + plus(diff(p^3, p))*minus(q)*dS - 3*plus(p)^2*minus(q)*dS",
                       PETSC_FALSE, &form));
  PetscCall(VecDuplicate(tools.u[0], &r));
  PetscCall(RungFormAssembleVec(form, 0.3, tools.u, r));
  PetscCall(VecNorm(r, NORM_2, &norm));
  CHECK_NEAR(norm, 0, 1e-15);
  PetscCall(VecDestroy(&r));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

/* A field of p's space with p's values, also of cells of other ranks. */
static PetscErrorCode test_fields_have_sides_as_unknowns_have(void)
{
  for (int type = RUNG_INTERVAL; type < RUNG_CELL_TYPES; ++type) {
    Tools                 tools;
    RungField             field;
    Vec                   w;
    PetscReal             value, norm;
    PetscScalar          *to;
    const PetscScalar    *from;
    const RungLayoutData *layout;

    PetscCall(create(PETSC_COMM_WORLD, (RungCellType)type, PETSC_TRUE, "CG1^d", "DG1", &tools));
    PetscCall(RungFieldCreate(tools.space[1], "w", &field));
    PetscCall(RungFieldGetVec(field, &w));
    PetscCall(RungLayoutGetData(tools.layout, &layout));
    PetscCall(VecGetArrayRead(tools.u[0], &from));
    PetscCall(VecGetArray(w, &to));
    for (PetscInt i = layout->range[1]; i < layout->range[2]; ++i) to[i - layout->range[1]] = from[i];
    PetscCall(VecRestoreArray(w, &to));
    PetscCall(VecRestoreArrayRead(tools.u[0], &from));
    PetscCall(RungScopeAddField(tools.scope, "w", field));
    PetscCall(tools_value(&tools, "jump(p)^2*dS", &norm));
    CHECK(norm > 1e-8);
    PetscCall(tools_value(&tools, "(jump(w) - jump(p))^2*dS + inner(jump(grad(w - p)), jump(grad(w - p)))*dS", &value));
    CHECK_NEAR(value, 0, 1e-26);
    PetscCall(tools_value(&tools, "(plus(w)*minus(grad(w))[0] - plus(p)*minus(grad(p))[0])*dS", &value));
    CHECK_NEAR(value, 0, 1e-15);
    PetscCall(tools_destroy(&tools));
    PetscCall(RungFieldDestroy(&field));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode check_refused(Tools *tools, const char text[], const char message[])
{
  RungExpr expr;

  CHECK_RAISES(RungScopeParse(tools->scope, "test", text, &expr), message);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_has_no_side_is_refused_with_a_caret(void)
{
  Tools tools;

  PetscCall(create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "DG1^d", "CG2", &tools));
  PetscCall(check_refused(&tools, "inner(u, jump(v))*dS", "inner(u, jump(v))*dS\n          ^"));
  PetscCall(check_refused(&tools, "inner(u, jump(v))*dS", "write plus(), minus(), jump() or avg() around it"));
  PetscCall(check_refused(&tools, "inner(jump(u), v)*dS", "\"v\" differs on the two sides"));
  PetscCall(check_refused(&tools, "p*h*dS", "\"h\" differs on the two sides"));
  PetscCall(check_refused(&tools, "value(a: 1, else: 2)*dS", "\"value(..)\" differs on the two sides"));
  PetscCall(check_refused(&tools, "n[0]*dS", "\"n\" differs on the two sides"));
  PetscCall(check_refused(&tools, "grad(p)[0]*q*dS", "\"p\" has a derivative that differs on the two sides"));
  PetscCall(check_refused(&tools, "jump(p)*q*dx", "are known on interior facets only; use them under dS"));
  PetscCall(check_refused(&tools, "plus(p)*q*ds", "are known on interior facets only; use them under dS"));
  PetscCall(check_refused(&tools, "avg(jump(p))*dS", "of something that has a side already"));
  PetscCall(check_refused(&tools, "diff(plus(p)^2, p)*dS", "stands on one side of a facet inside"));
  PetscCall(check_refused(&tools, "jump(p, u, n)*dS", "jump() wants 1 to 2 arguments, got 3"));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_what_is_the_same_on_both_sides_needs_none(void)
{
  Tools     tools;
  RungExpr  a, b;
  PetscReal value;

  PetscCall(create(PETSC_COMM_WORLD, RUNG_TRIANGLE, PETSC_FALSE, "DG1^d", "CG2", &tools));
  PetscCall(
    tools_value(&tools, "(p*x[0]*facet_area*t*kappa - minus(p*x[0])*minus(facet_area)*avg(t*kappa))*dS", &value));
  CHECK_NEAR(value, 0, 1e-15);
  PetscCall(tools_value(&tools, "jump(sin(x[0])*t)*dS", &value));
  CHECK(value == 0);
  PetscCall(RungScopeParse(tools.scope, "a", "jump(p)*dS(\"\", 3)", &a));
  PetscCall(RungScopeParse(tools.scope, "b", "(plus(p) - minus(p))*dS(degree: 3)", &b));
  CHECK(a.node == b.node);
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_areas_and_normals_of_both_sides), RUNG_TEST(test_jumps_complete_the_divergence_theorem),
               RUNG_TEST(test_points_of_both_sides_coincide), RUNG_TEST(test_interpreter_and_compiled_kernels_agree),
               RUNG_TEST(test_jacobian_is_the_derivative_of_the_vector),
               RUNG_TEST(test_results_do_not_depend_on_the_ranks), RUNG_TEST(test_fields_have_sides_as_unknowns_have),
               RUNG_TEST(test_symmetric_interior_penalty_is_symmetric_to_the_last_bit),
               RUNG_TEST(test_action_and_diagonal_are_those_of_the_matrix),
               RUNG_TEST(test_energies_over_facets_are_differentiated),
               RUNG_TEST(test_what_has_no_side_is_refused_with_a_caret),
               RUNG_TEST(test_what_is_the_same_on_both_sides_needs_none))
