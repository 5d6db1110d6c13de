/* test_condense.c - elimination of internal variables: which unknowns qualify, S and the way back against the whole matrix,
   equations solved at points. */
#include "condense_impl.h"
#include "form_problems.h"
#include <check.h>
#include <petsc/private/petscimpl.h> /* PetscObjectStateIncrease */

static PetscErrorCode fill(Vec u, PetscReal phase)
{
  PetscInt     start, end;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(u, &start, &end));
  PetscCall(VecGetArrayWrite(u, &x));
  for (PetscInt i = start; i < end; ++i) x[i - start] = 0.1 * sin(1.7 * (double)i + phase);
  PetscCall(VecRestoreArrayWrite(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_to_mesh(RungSystem sys, RungMesh mesh, const char name[], const char test[],
                                  const char spec[])
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemAddUnknown(sys, name, test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* s is not last, a and b share a row each with the other, c lives at other points; a conserved term in a local row. */
static PetscErrorCode create(const char cell[], PetscInt dim, const char spec[], PetscBool periodic, RungSystem *sys)
{
  const PetscInt  count[] = {3, 2, 2};
  const PetscReal size[]  = {1, 1, 1};
  RungMesh        mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, count, size));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(add_to_mesh(*sys, mesh, "a", "av", "Quad(2)^2"));
  PetscCall(add_to_mesh(*sys, mesh, "u", "v", spec));
  PetscCall(add_to_mesh(*sys, mesh, "b", "bv", "Quad(2)"));
  PetscCall(add_to_mesh(*sys, mesh, "c", "cv", "Quad(3)"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx + (a[0] + b^3 + u)*v*dx"));
  PetscCall(RungSystemAddResidual(*sys, "c*grad(v)[0]*dx + (dt(c + c^3) + c - u^2)*cv*dx"));
  PetscCall(RungSystemAddResidual(*sys, "((a[0] + 0.2*b - u)*av[0] + (3*a[1] + a[0]*b + a[1]^3)*av[1])*dx"));
  PetscCall(RungSystemAddResidual(*sys, "(dt(b) + 2*b - a[1] + grad(u)[0])*bv*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(t)"));
  if (periodic) PetscCall(RungSystemAddPeriodic(*sys, "u", "top", "bottom", NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J x = b, with factors that are made twice.  rows: of these */
static PetscErrorCode solve(RungSystem sys, Mat J, Vec b, Vec x, PetscInt *rows)
{
  KSP ksp;
  PC  pc;
  Mat factors;

  PetscFunctionBegin;
  PetscCall(KSPCreate(RungSystemComm(sys), &ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(RungCondenseFactors(sys, pc));
  PetscCall(RungSystemCondenseRhs(sys, J, b));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscObjectStateIncrease((PetscObject)J));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PCFactorGetMatrix(pc, &factors));
  PetscCall(MatGetSize(factors, rows, NULL));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const char cell[], PetscInt dim, const char spec[], PetscBool periodic)
{
  const PetscReal     slope[] = {1, 1, 1, 1, 3, 3, 3, 3};
  RungLine            line    = {.base = {NULL}};
  RungSystem          sys;
  RungTransientSystem ts;
  Mat                 J[2];
  Vec                 w, base, b, x[2];
  PetscReal           norm, difference;
  PetscInt            rows;

  PetscFunctionBegin;
  PetscCall(create(cell, dim, spec, periodic, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(PetscArraycpy(line.slope, slope, 8));
  PetscCall(RungSystemCreateVec(sys, &w));
  PetscCall(VecDuplicate(w, &base));
  PetscCall(VecDuplicate(w, &b));
  for (int i = 0; i < 2; ++i) PetscCall(VecDuplicate(w, &x[i]));
  PetscCall(fill(w, 0));
  PetscCall(fill(base, 2));
  line.base[1] = base;
  CHECK(sys->form->condense && sys->form->condense->local[0] && !sys->form->condense->local[1] &&
        sys->form->condense->local[2] && sys->form->condense->local[3]);
  PetscCall(RungSystemCreateMat(sys, &J[0]));
  PetscCall(RungSystemCreateStageMat(sys, &J[1]));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungTransientSystemStageJacobian(ts, 0.2, &line, w, J[i]));
    PetscCall(fill(b, 1));
    PetscCall(RungConstraintsReduce(sys, b));
    PetscCall(RungSystemZeroDirichlet(sys, b));
    PetscCall(solve(sys, J[i], b, x[i], &rows));
    CHECK(rows == sys->global - (i ? RungCondensedEntries(sys) : 0)); /* rows that stand alone are not factored */
  }
  PetscCall(VecNorm(x[0], NORM_INFINITY, &norm));
  PetscCall(VecAXPY(x[1], -1, x[0]));
  PetscCall(VecNorm(x[1], NORM_INFINITY, &difference));
  CHECK(norm > 1e-3);
  CHECK_NEAR(difference, 0, 1e-11 * norm);
  for (int i = 0; i < 2; ++i) {
    PetscCall(MatDestroy(&J[i]));
    PetscCall(VecDestroy(&x[i]));
  }
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&base));
  PetscCall(VecDestroy(&b));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_solve_without_internal_variables_is_one_with_them(void)
{
  PetscFunctionBegin;
  PetscCall(compare("triangle", 2, "P2", PETSC_FALSE));
  PetscCall(compare("quadrilateral", 2, "Q1", PETSC_FALSE));
  PetscCall(compare("tetrahedron", 3, "P1", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_constraints_are_eliminated_after_them(void)
{
  PetscFunctionBegin;
  PetscCall(compare("triangle", 2, "P2", PETSC_TRUE));
  PetscCall(compare("quadrilateral", 2, "Q1", PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_points_are_solved_to_rounding_and_the_others_stay(void)
{
  const PetscReal     slope[] = {1, 1, 1, 1, 3, 3, 3, 3};
  RungLine            line    = {.base = {NULL}};
  RungSystem          sys;
  RungTransientSystem ts;
  Vec                 w, before, r;
  PetscReal           norm;
  PetscBool           solved;
  char                why[200];

  PetscFunctionBegin;
  PetscCall(create("triangle", 2, "P2", PETSC_FALSE, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(PetscArraycpy(line.slope, slope, 8));
  PetscCall(RungSystemCreateVec(sys, &w));
  PetscCall(VecDuplicate(w, &before));
  PetscCall(VecDuplicate(w, &r));
  PetscCall(fill(w, 0));
  PetscCall(VecCopy(w, before));
  PetscCall(RungTransientSystemSolveCondensed(ts, 0.2, &line, NULL, w, &solved, why, sizeof why));
  CHECK(solved);
  PetscCall(RungTransientSystemResidual(ts, 0.2, &line, NULL, w, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK(norm > 1e-4); /* u is not solved for */
  PetscCall(VecCopy(r, ts->u[0]));
  PetscCall(RungSystemZeroCondensed(sys, ts->u[0]));
  PetscCall(VecAXPY(r, -1, ts->u[0]));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-15);
  PetscCall(VecAXPY(before, -1, w));
  PetscCall(RungSystemZeroCondensed(sys, before));
  PetscCall(VecNorm(before, NORM_INFINITY, &norm));
  CHECK(norm == 0);
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&before));
  PetscCall(VecDestroy(&r));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A multiplier at points has no equation of its own: it stays, and so does what only it would determine. */
static PetscErrorCode test_multipliers_at_points_stay_in_the_matrix(void)
{
  RungSystem sys;
  RungSpace  space;
  PetscBool  condensed;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P2", &sys));
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  {
    const RungSpaceData *data;

    PetscCall(RungSpaceGetData(space, &data));
    PetscCall(add_to_mesh(sys, data->mesh, "l", "m", "Quad(1)"));
  }
  PetscCall(RungSystemAddResidual(sys, "(dt(u) - 1)*v*dx + l*v*dx + u*m*dx"));
  PetscCall(RungSystemGetCondensed(sys, &condensed));
  CHECK(!condensed);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_solve_without_internal_variables_is_one_with_them),
               RUNG_TEST(test_constraints_are_eliminated_after_them),
               RUNG_TEST(test_points_are_solved_to_rounding_and_the_others_stay),
               RUNG_TEST(test_multipliers_at_points_stay_in_the_matrix))
