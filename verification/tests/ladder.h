/* ladder.h - a linear steady problem on four meshes: solved to rounding, errors measured, orders fitted, numbers compared.

   A row of a table says what is solved; `create` makes its system on a mesh of n blocks along each axis.  For each of its
   measures the order must lie in the interval, and on the finest mesh |u| (L2) must be the stored one to 1e-10 of it, the
   error to as much of |u|, or to 1e-3 of itself where that is less: on any number of ranks.  `-ladder_all` takes rows that
   are not quick as well, `-ladder_print` prints every row as it is stored.  On several ranks the numbers of every second quick row
   are enough, which those of all four meshes on one rank have been fitted to. */
#pragma once

#include <check.h>
#include <rungverify.h>

#define LADDER_MEASURES 3

typedef struct {
  const char *unknown, *norm; /* NULL: no more */
  double      low, high;      /* of the order */
  double      error, size;    /* of the finest mesh: the error in `norm`, L2 norm of the unknown */
} Measure;

typedef struct {
  const char  *kind, *spec; /* as create understands them */
  RungCellType type;
  PetscBool    quick;
  PetscInt     blocks[4];
  Measure      measure[LADDER_MEASURES];
} Ladder;

/* `exact` is the definition of the system that starts with the unknown's name: "u_exact". */
typedef PetscErrorCode LadderCreate(const Ladder *row, PetscInt n, RungSystem *sys);

/* u = J^-1 (J u - F), twice: what the first solve leaves by rounding is gone after the second. */
static inline PetscErrorCode ladder_solve(RungSystem sys, Vec u)
{
  PetscReal sigma[RUNG_MAX_UNKNOWNS];
  Mat       J;
  Vec       r, d;
  KSP       ksp;
  PC        pc;

  PetscFunctionBegin;
  for (int i = 0; i < RUNG_MAX_UNKNOWNS; ++i) sigma[i] = 1;
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(VecDuplicate(u, &d));
  PetscCall(VecSet(u, 0));
  PetscCall(RungSystemImposeDirichlet(sys, 0, 0, u));
  PetscCall(RungSystemJacobian(sys, 0, &u, sigma, J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungSystemResidual(sys, 0, &u, r));
    PetscCall(KSPSolve(ksp, r, d));
    PetscCall(RungSystemExtend(sys, d));
    PetscCall(VecAXPY(u, -1, d));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ladder_measure(const Ladder *row, RungSystem sys, Vec u, PetscReal error[],
                                            PetscReal size[])
{
  PetscFunctionBegin;
  for (int i = 0; i < LADDER_MEASURES && row->measure[i].unknown; ++i) {
    char      exact[64];
    PetscReal all;

    PetscCall(PetscSNPrintf(exact, sizeof exact, "%s_exact", row->measure[i].unknown));
    PetscCall(RungError(sys, row->measure[i].unknown, row->measure[i].norm, exact, 0, u, &error[i], &all));
    PetscCall(RungNorm(sys, row->measure[i].unknown, "L2", u, &size[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ladder_print(const Ladder *row, const PetscReal error[], const PetscReal size[],
                                          const PetscReal order[])
{
  static const char *const type[] = {"POINT", "INTERVAL", "TRIANGLE", "QUADRILATERAL", "TETRAHEDRON", "HEXAHEDRON"};
  const PetscInt          *n      = row->blocks;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "{\"%s\", \"%s\", RUNG_%s, %d, {%d, %d, %d, %d}, {", row->kind, row->spec,
                        type[row->type], (int)row->quick, (int)n[0], (int)n[1], (int)n[2], (int)n[3]));
  for (int i = 0; i < LADDER_MEASURES && row->measure[i].unknown; ++i) {
    const Measure *m = &row->measure[i];

    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s{\"%s\", \"%s\", %.2f, %.2f, %.12e, %.15e} /* %.2f */", i ? ", " : "",
                          m->unknown, m->norm, m->low, m->high, (double)error[i], (double)size[i], (double)order[i]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "}},\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ladder_check(const Ladder *row, LadderCreate *create, int first, PetscBool print)
{
  PetscReal h[4], error[LADDER_MEASURES][4], last[LADDER_MEASURES], size[LADDER_MEASURES], order[LADDER_MEASURES], low,
    high;

  PetscFunctionBegin;
  for (int k = first; k < 4; ++k) {
    RungSystem sys;
    Vec        u;

    PetscCall(create(row, row->blocks[k], &sys));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(RungSystemCreateVec(sys, &u));
    PetscCall(ladder_solve(sys, u));
    PetscCall(ladder_measure(row, sys, u, last, size));
    h[k] = 1 / (PetscReal)row->blocks[k];
    for (int i = 0; i < LADDER_MEASURES && row->measure[i].unknown; ++i) error[i][k] = last[i];
    PetscCall(VecDestroy(&u));
    PetscCall(RungSystemDestroy(&sys));
  }
  for (int i = 0; i < LADDER_MEASURES && row->measure[i].unknown; ++i) {
    const Measure *m = &row->measure[i];

    if (!first) {
      PetscCall(RungRate(4, h, error[i], &order[i], &low, &high));
      CHECK(order[i] > m->low && order[i] < m->high);
    }
    CHECK_NEAR(size[i], m->size, 1e-10 * m->size);
    CHECK_NEAR(last[i], m->error, PetscMin(1e-10 * m->size, 1e-3 * m->error) + 2e-14);
  }
  if (print) PetscCall(ladder_print(row, last, size, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode ladder_check_all(size_t n, const Ladder row[], LadderCreate *create)
{
  PetscBool all = PETSC_FALSE, print = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-ladder_all", &all, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-ladder_print", &print, NULL));
  for (size_t i = 0, quick = 0; i < n; ++i) {
    if (!all && (!row[i].quick || (!check_alone() && quick++ % 2))) continue;
    PetscCall(ladder_check(&row[i], create, all || check_alone() ? 0 : 3, print));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An unknown on a mesh, whose space the system keeps. */
static inline PetscErrorCode ladder_unknown(RungSystem sys, RungMesh mesh, const char name[], const char test[],
                                            const char spec[])
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungSystemAddUnknown(sys, name, test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}
