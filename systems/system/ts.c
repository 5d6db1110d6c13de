/* ts.c - a system handed to a PETSc TS, for comparison and for its methods.

   Boundary data and constraints are conditions on the unknowns: F is evaluated at the state with the data of t in place,
   values, rates and accelerations, so that it depends on the free entries alone, and the rows of the others are
   u - g(t), or u_s - C u_m - c(t).  Free entries then see an ordinary differential equation with exact data, whatever the
   method's stages are, and the Jacobian, with the identity in these rows and columns, is the derivative.  (What the rows
   of slaves lack, -C, is made good after each linear solve, RungSystemExtend.) */
#include "system_impl.h"

#include <petscdmshell.h>
#include <petscts.h>

typedef struct {
  RungSystem sys;                   /* reference                                        */
  Vec        w[RUNG_MAX_ORDER + 1]; /* owned, [order + 1] the state with data in place  */
  PetscReal  sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
} Bridge;

static PetscErrorCode bridge_destroy(RungContainerArg arg)
{
  Bridge *b = (Bridge *)RungContainerPointer(arg);

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&b->w[k]));
  PetscCall(RungSystemDestroy(&b->sys));
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w[k] = u[k] with the data of t */
static PetscErrorCode set_state(Bridge *b, PetscReal t, const Vec u[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= b->sys->traits.order; ++k) {
    PetscCall(VecCopy(u[k], b->w[k]));
    PetscCall(RungSystemImposeDirichlet(b->sys, t, k, b->w[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where data are in place w differs from u by what u lacks; F is 0 there, and u = w in all other rows. */
static PetscErrorCode evaluate(Bridge *b, PetscReal t, const Vec u[], Vec F)
{
  PetscFunctionBegin;
  PetscCall(set_state(b, t, u));
  PetscCall(RungSystemResidual(b->sys, t, b->w, F));
  PetscCall(VecAXPY(F, 1, u[0]));
  PetscCall(VecAXPY(F, -1, b->w[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode differentiate(Bridge *b, PetscReal t, const Vec u[], const PetscReal shift[], Mat J, Mat P)
{
  const PetscInt n = b->sys->traits.unknowns;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= b->sys->traits.order; ++k)
    for (PetscInt f = 0; f < n; ++f) b->sigma[k * n + f] = shift[k];
  PetscCall(set_state(b, t, u));
  PetscCall(RungSystemJacobian(b->sys, t, b->w, b->sigma, P));
  if (J != P) {
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ifunction(TS ts, PetscReal t, Vec u, Vec v, Vec F, void *ctx)
{
  PetscFunctionBegin;
  (void)ts;
  PetscCall(evaluate((Bridge *)ctx, t, (const Vec[]){u, v, NULL}, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ijacobian(TS ts, PetscReal t, Vec u, Vec v, PetscReal shift, Mat J, Mat P, void *ctx)
{
  PetscFunctionBegin;
  (void)ts;
  PetscCall(differentiate((Bridge *)ctx, t, (const Vec[]){u, v, NULL}, (const PetscReal[]){1, shift, 0}, J, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode i2function(TS ts, PetscReal t, Vec u, Vec v, Vec a, Vec F, void *ctx)
{
  PetscFunctionBegin;
  (void)ts;
  PetscCall(evaluate((Bridge *)ctx, t, (const Vec[]){u, v, a}, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode i2jacobian(TS ts, PetscReal t, Vec u, Vec v, Vec a, PetscReal shift_v, PetscReal shift_a, Mat J,
                                 Mat P, void *ctx)
{
  PetscFunctionBegin;
  (void)ts;
  PetscCall(differentiate((Bridge *)ctx, t, (const Vec[]){u, v, a}, (const PetscReal[]){1, shift_v, shift_a}, J, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution vectors hold a consistent start at the time of the TS. */
static PetscErrorCode start(RungSystem sys, TS ts)
{
  RungTransientSystem transient;
  const RungState    *state;
  PetscReal           t;
  Vec                 u[2] = {NULL, NULL};

  PetscFunctionBegin;
  PetscCall(TSGetTime(ts, &t));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &transient));
  PetscCall(RungTransientSystemStart(transient, t));
  PetscCall(RungTransientSystemGetState(transient, 0, &state));
  for (PetscInt k = 0; k < sys->traits.order; ++k) {
    PetscCall(RungSystemCreateVec(sys, &u[k]));
    PetscCall(VecCopy(state->u[k], u[k]));
  }
  PetscCall(RungTransientSystemDestroy(&transient));
  if (sys->traits.order == 2)
    PetscCall(TS2SetSolution(ts, u[0], u[1]));
  else
    PetscCall(TSSetSolution(ts, u[0]));
  for (PetscInt k = 0; k < sys->traits.order; ++k) PetscCall(VecDestroy(&u[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(RungSystem sys)
{
  PetscBool bounds;

  PetscFunctionBegin;
  PetscCall(RungSystemHasBounds(sys, &bounds));
  PetscCheck(!bounds, sys->comm, PETSC_ERR_SUP,
             "bounds on unknowns are conditions that a PETSc TS does not keep; use a stepper");
  PetscCheck(sys->traits.order >= 1, sys->comm, PETSC_ERR_SUP,
             "the system has no time derivative; a TS has nothing to advance, solve it as a stationary one");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Methods that clone the TS, as ARKIMEX does for its first explicit stage, lose the matrix of its SNES and take a new one from
   the DM: one of the system's pattern, which insertion knows, in place of a dense one. */
static PetscErrorCode lend_matrix(TS ts, Mat J)
{
  DM        dm;
  PetscBool shell;

  PetscFunctionBegin;
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMSHELL, &shell));
  if (shell) PetscCall(DMShellSetMatrix(dm, J)); /* a DM of the caller's makes its own */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetTS(RungSystem sys, TS ts)
{
  Bridge *b;
  SNES    snes;
  KSP     ksp;
  Mat     J;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(ts);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(check(sys));
  PetscCall(RungComposedCreate((PetscObject)ts, "RungSystem", sizeof *b, bridge_destroy, &b));
  PetscCall(RungSystemReference(sys));
  b->sys = sys;
  for (PetscInt k = 0; k <= sys->traits.order; ++k) PetscCall(RungSystemCreateVec(sys, &b->w[k]));
  PetscCall(RungSystemCreateMat(sys, &J));
  if (sys->traits.order == 2) {
    PetscCall(TSSetI2Function(ts, NULL, i2function, b));
    PetscCall(TSSetI2Jacobian(ts, J, J, i2jacobian, b));
  } else {
    PetscCall(TSSetIFunction(ts, NULL, ifunction, b));
    PetscCall(TSSetIJacobian(ts, J, J, ijacobian, b));
  }
  PetscCall(lend_matrix(ts, J));
  PetscCall(MatDestroy(&J));
  PetscCall(TSSetEquationType(ts, TS_EQ_DAE_IMPLICIT_INDEX1));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(start(sys, ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
