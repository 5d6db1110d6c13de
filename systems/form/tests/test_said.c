/* test_said.c - systems that ranks are told differently are refused on all of them, before anybody waits for a call that others do not
   make. */
#include "check.h"
#include <rungrecord.h>
#include <rungsystem.h>

typedef enum {
  UNKNOWN,
  CONSTANT,
  DEFINITION,
  RESIDUAL,
  ANOTHER,
  CONDITION,
  INITIAL,
  BOUND,
  CONSTRAINT,
  QUANTITY,
  PROBE,
  WATCH,
  EMPTY,
  CASES
} Case;

static PetscErrorCode check_system(RungSpace V, Case different, PetscBool here, const char wanted[])
{
  const char     *name = here && different == UNKNOWN ? "w" : "u";
  const PetscReal x[2] = {0.5, here && different == PROBE ? 0.25 : 0.5};
  RungSystem      sys;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  if (!(here && different == EMPTY)) {
    PetscCall(RungSystemAddUnknown(sys, name, "v", V));
    PetscCall(RungSystemSetConstant(sys, "a", here && different == CONSTANT ? 2 : 1));
    PetscCall(RungSystemDefine(sys, "f", here && different == DEFINITION ? "t" : "x[0]"));
    PetscCall(RungSystemAddResidual(sys, here && different == RESIDUAL ? "-f*v*dx" : "-a*f*v*dx"));
    if (!(here && different == ANOTHER)) PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
    PetscCall(RungSystemSetDirichlet(sys, name, here && different == CONDITION ? "right" : "left", "0"));
    if (!(here && different == INITIAL)) PetscCall(RungSystemSetInitial(sys, name, "1"));
    PetscCall(RungSystemSetBounds(sys, name, "0", here && different == BOUND ? "1" : NULL));
    PetscCall(RungSystemAddPeriodic(sys, name, "top", "bottom", NULL, here && different == CONSTRAINT ? "1" : NULL));
    if (!(here && different == QUANTITY)) PetscCall(RungSystemAddQuantity(sys, "m", "f*dx"));
    PetscCall(RungSystemAddProbe(sys, "p", "f", x));
    PetscCall(RungSystemAddWatch(sys, RUNG_MAXIMUM, "top", here && different == WATCH ? "2*f" : "f", NULL));
  }
  CHECK_RAISES(RungSystemSetUp(sys), wanted);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_differs_between_ranks_is_told(void)
{
  static const char *const wanted[CASES] = {"rank 0 has unknown u = v, rank ",
                                            "rank 0 has constant a = 1, rank ",
                                            "rank 0 has definition f = x[0], rank ",
                                            "rank 0 has residual 1 = -a*f*v*dx, r",
                                            "rank 0 has residual 2 = dt(u)*v*dx, r",
                                            "rank 0 has Dirichlet u on left = 0, rank ",
                                            "rank 0 has initial u = 1, rank ",
                                            "rank 0 has upper bound u, rank ",
                                            "rank 0 has constraint u on top, rank ",
                                            "rank 0 has quantity m = f*dx, rank ",
                                            "rank 0 has .. at 0.5 0.5 0, rank ",
                                            "rank 0 has watch top = f, rank ",
                                            "rank 0 has forms, rank "};
  RungMesh                 mesh;
  RungSpace                V;
  PetscMPIInt              rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){3, 3}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  for (int i = 0; i < CASES; ++i)
    PetscCall(check_system(V, (Case)i, rank == size - 1 ? PETSC_TRUE : PETSC_FALSE, wanted[i]));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode zero(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecCopy(u[1], r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode nothing(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J, void *ctx)
{
  (void)sys, (void)t, (void)u, (void)sigma, (void)J, (void)ctx;
  return PETSC_SUCCESS;
}

static PetscErrorCode test_callbacks_are_the_same_on_all_ranks(void)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    const PetscBool here   = rank == size - 1 ? PETSC_TRUE : PETSC_FALSE;
    RungTraits      traits = {.unknowns = 1, .order = 1, .linear = here && i == 0 ? PETSC_TRUE : PETSC_FALSE};
    RungSystem      sys;

    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemSetCallbacks(sys, 1, traits, zero, here && i == 1 ? nothing : NULL, NULL));
    CHECK_RAISES(RungSystemSetUp(sys), i ? "rank 0 has no Jacobian, rank " : "rank 0 has traits of order 1, linear 0");
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_differs_between_ranks_is_told), RUNG_TEST(test_callbacks_are_the_same_on_all_ranks))
