/* test_shell.c - J without a matrix: products and diagonals are those of the matrix, what needs entries is refused. */
#include "system_impl.h"
#include "form_problems.h"
#include "ring.h"
#include <check.h>

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

static PetscErrorCode check_same(Vec a, Vec b)
{
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecAXPY(a, -1, b));
  PetscCall(VecNorm(a, NORM_2, &difference));
  CHECK(norm > 1e-3);
  CHECK_NEAR(difference, 0, 2e-13 * norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum { FREE, PERIODIC, SLIP, RING, TIED, SUM, JUMPS, FLAT } Constraint;

/* Constraints whose slaves have masters, or other slaves of these, in their own cells. */
static PetscErrorCode constrain(RungSystem sys, Constraint constraint)
{
  static const char *const name[]  = {"u", "u", "u"};
  const PetscReal          place[] = {1, 1, 0, 2.0 / 3, 1, 0, 2.0 / 3, 2.0 / 3, 0}, factor[] = {1, -0.3, 0.8};

  PetscFunctionBegin;
  if (constraint == SLIP) PetscCall(RungSystemSetSlip(sys, "u", "top", NULL));
  if (constraint == RING) {
    PetscCall(RungSystemSetSlip(sys, "u", "inner", NULL));
    PetscCall(RungSystemSetSlip(sys, "u", "outer", "t"));
  }
  if (constraint == PERIODIC || constraint == JUMPS || constraint == FLAT)
    PetscCall(RungSystemAddPeriodic(sys, "u", "top", "bottom", NULL, NULL));
  if (constraint == TIED) PetscCall(RungSystemTie(sys, "u", "top", NULL, NULL));
  if (constraint == SUM) PetscCall(RungSystemAddConstraint(sys, 3, name, place, factor, "t"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_space(const char cell[], PetscInt dim, const char spec[], Constraint constraint,
                                 RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  if (constraint == RING)
    PetscCall(ring_space("shell_ring.msh", 4, spec, &space));
  else {
    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, cell, dim, (PetscInt[]){3, constraint == FLAT ? 1 : 3, 3}, (PetscReal[]){1, 1, 1}));
    PetscCall(RungSpaceCreate(mesh, spec, &space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A nonlinear form with a conserved term and boundary data; of vectors under SLIP and on the RING. */
static PetscErrorCode create(const char cell[], PetscInt dim, const char spec[], Constraint constraint,
                             const char type[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", type));
  PetscCall(make_space(cell, dim, spec, constraint, sys));
  if (constraint == SLIP || constraint == RING) {
    PetscCall(RungSystemAddResidual(*sys, "inner(dt(u), v)*dx + (1 + inner(u, u))*inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemAddResidual(*sys, "u[0]*v[1]*dx"));
    PetscCall(RungSystemSetDirichlet(*sys, "u", constraint == SLIP ? "left" : "first", "0"));
  } else {
    PetscCall(RungSystemAddResidual(*sys, "dt(u + u^3)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx + u*v*ds(right)"));
    PetscCall(RungSystemSetDirichlet(*sys, "u", constraint == TIED || constraint == SUM ? "bottom" : "left", "sin(t)"));
  }
  if (constraint == JUMPS) PetscCall(RungSystemAddResidual(*sys, "(2 + avg(u))*dot(jump(grad(u)), jump(grad(v)))*dS"));
  PetscCall(constrain(*sys, constraint));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(const char cell[], PetscInt dim, const char spec[], Constraint constraint)
{
  const PetscReal slope[] = {0.7, 3};
  RungSystem      sys[2]; /* aij, shell */
  Mat             J[2];
  Vec             u[2], x, y[2];

  PetscFunctionBegin;
  PetscCall(create(cell, dim, spec, constraint, "aij", &sys[0]));
  PetscCall(create(cell, dim, spec, constraint, "shell", &sys[1]));
  for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys[0], &u[k]));
  for (int k = 0; k < 2; ++k) PetscCall(VecDuplicate(u[0], &y[k]));
  PetscCall(VecDuplicate(u[0], &x));
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 2; ++k) PetscCall(fill(u[k], k));
    PetscCall(fill(x, 0.3));
    PetscCall(RungSystemCreateMat(sys[i], &J[i]));
    PetscCall(RungSystemStageJacobian(sys[i], 0.2, u, slope, J[i]));
    PetscCall(VecSet(u[0], 0)); /* the state was taken */
    PetscCall(MatMult(J[i], x, y[i]));
  }
  PetscCall(check_same(y[1], y[0]));
  for (int i = 0; i < 2; ++i) PetscCall(MatGetDiagonal(J[i], y[i]));
  PetscCall(check_same(y[1], y[0]));
  CHECK(sys[1]->counts.actions == 1 && sys[1]->counts.diagonals == 1);
  for (int i = 0; i < 2; ++i) {
    PetscCall(MatDestroy(&J[i]));
    PetscCall(VecDestroy(&u[i]));
    PetscCall(VecDestroy(&y[i]));
    PetscCall(RungSystemDestroy(&sys[i]));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_products_and_diagonals_are_those_of_the_matrix(void)
{
  PetscCall(compare("triangle", 2, "P2", FREE));
  PetscCall(compare("quadrilateral", 2, "Q3", FREE));
  PetscCall(compare("tetrahedron", 3, "P1", FREE));
  return PETSC_SUCCESS;
}

/* Slaves of the top have their masters in other cells or, with walls along the axes, none. */
static PetscErrorCode test_constraints_are_eliminated_in_products(void)
{
  PetscCall(compare("triangle", 2, "P2", PERIODIC));
  PetscCall(compare("quadrilateral", 2, "Q3", PERIODIC));
  PetscCall(compare("triangle", 2, "P2^2", SLIP));
  PetscCall(compare("quadrilateral", 2, "Q1^2", SLIP));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_slaves_beside_their_masters_are_in_the_diagonal(void)
{
  PetscCall(compare("quadrilateral", 2, "Q2^2", RING));
  PetscCall(compare("quadrilateral", 2, "Q1^2", RING));
  PetscCall(compare("triangle", 2, "P2", TIED));
  PetscCall(compare("hexahedron", 3, "Q1", TIED));
  PetscCall(compare("quadrilateral", 2, "Q1", SUM));
  PetscCall(compare("triangle", 2, "P2", FLAT));
  PetscCall(compare("quadrilateral", 2, "Q3", FLAT));
  PetscCall(compare("triangle", 2, "P1", JUMPS));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_preconditioners_that_need_entries_are_refused(void)
{
  RungSystem sys;
  KSP        ksp;
  PC         pc;
  PCType     type;

  PetscCall(create("triangle", 2, "P1", FREE, "shell", &sys));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  CHECK(!strcmp(type, PCJACOBI));
  PetscCall(RungSystemCheckSolver(sys, ksp));
  PetscCall(PCSetType(pc, PCSOR));
  CHECK_RAISES(RungSystemCheckSolver(sys, ksp), "take -pc_type jacobi");
  PetscCall(KSPDestroy(&ksp));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_unknown_types_are_refused(void)
{
  RungSystem sys;

  PetscCall(system_create("interval", 1, 4, "P1", &sys));
  PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", "shel"));
  CHECK_RAISES(RungSystemSetFromOptions(sys), "did you mean shell");
  PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_products_and_diagonals_are_those_of_the_matrix),
               RUNG_TEST(test_constraints_are_eliminated_in_products),
               RUNG_TEST(test_slaves_beside_their_masters_are_in_the_diagonal),
               RUNG_TEST(test_preconditioners_that_need_entries_are_refused), RUNG_TEST(test_unknown_types_are_refused))
