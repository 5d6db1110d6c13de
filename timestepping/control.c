/* control.c - the size of a step from its error, and the norm that an error is measured in.

   With e the error (accepted up to 1), k its order in h and safety .9, the first step uses h' = .9 h e^(-1/k), later ones
   the digital filter H211b with b = 4 (Soderlind, Digital filters in adaptive time-stepping, ACM TOMS 29, 2003)

       rho_n = (s/e_n)^(1/(b k)) (s/e_n-1)^(1/(b k)) rho_n-1^(-1/b),    s = .9^k,

   limited by 1 + atan(rho - 1).  After a rejection or a failed solve the memory is gone and the next step does not grow. */
#include "step_impl.h"

#define SAFETY 0.9
#define TINY   1e-10 /* smaller errors teach nothing more */

void RungControlStart(RungControl *control, PetscReal h, PetscReal exponent, PetscReal growth, PetscBool deadband)
{
  control->h        = h;
  control->error    = -1;
  control->ratio    = 1;
  control->refused  = 0;
  control->exponent = exponent;
  control->growth   = growth;
  control->deadband = deadband;
}

static PetscReal elementary(const RungControl *control, PetscReal error)
{
  return SAFETY * PetscPowReal(PetscMax(error, TINY), -1 / control->exponent);
}

static PetscReal filter(const RungControl *control, PetscReal error)
{
  const PetscReal b = 4, target = PetscPowReal(SAFETY, control->exponent), power = 1 / (b * control->exponent);
  const PetscReal e1 = PetscMax(error, TINY), e0 = PetscMax(control->error, TINY);
  const PetscReal rho = PetscPowReal(target * target / (e1 * e0), power) * PetscPowReal(control->ratio, -1 / b);

  return 1 + atan(rho - 1);
}

void RungControlAccept(RungControl *control, PetscReal h, PetscReal error, PetscBool truncated)
{
  const PetscBool calm = control->refused ? PETSC_FALSE : PETSC_TRUE;
  PetscReal       ratio;

  control->refused = 0;
  if (truncated || error < 0) return;
  ratio = control->error < 0 ? elementary(control, error) : filter(control, error);
  ratio = PetscMin(PetscMax(ratio, 0.1), calm ? control->growth : 1);
  if (control->deadband && ratio > 1 && ratio < 1.2) ratio = 1;
  control->h     = h * ratio;
  control->error = error;
  control->ratio = ratio;
}

void RungControlReject(RungControl *control, PetscReal h, PetscReal error)
{
  const PetscReal most = control->refused ? 0.25 : SAFETY;

  ++control->refused;
  control->h     = h * PetscMin(PetscMax(elementary(control, error), 0.1), most);
  control->error = -1;
  control->ratio = 1;
}

void RungControlFail(RungControl *control, PetscReal h)
{
  ++control->refused;
  control->h     = h / 4;
  control->error = -1;
  control->ratio = 1;
}

/* ---- norms ------------------------------------------------------------------------------------------------------ */

/* sum[0] += (e_i/s_i)^2, sum[1] += 1 over the entries of the mask.  A zero scale counts only where the error is not 0. */
static void add_weighted(PetscInt n, const PetscScalar e[], const PetscScalar x0[], const PetscScalar x1[],
                         const PetscScalar mask[], PetscReal rtol, PetscReal atol, PetscReal sum[2])
{
  for (PetscInt i = 0; i < n; ++i) {
    PetscReal scale;

    if (mask && PetscRealPart(mask[i]) == 0) continue;
    scale = atol + rtol * PetscMax(PetscAbsScalar(x0[i]), x1 ? PetscAbsScalar(x1[i]) : 0);
    sum[1] += 1;
    if (PetscRealPart(e[i]) != 0) sum[0] += PetscSqr(PetscRealPart(e[i]) / scale);
  }
}

PetscErrorCode RungErrorNorm(RungStepper stepper, Vec e, Vec x0, Vec x1, PetscReal atol, Vec mask, PetscReal *norm)
{
  const PetscScalar *pe, *p0, *p1 = NULL, *pm = NULL;
  PetscReal          sum[2] = {0, 0};
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(e, &n));
  PetscCall(VecGetArrayRead(e, &pe));
  PetscCall(VecGetArrayRead(x0, &p0));
  if (x1) PetscCall(VecGetArrayRead(x1, &p1));
  if (mask) PetscCall(VecGetArrayRead(mask, &pm));
  add_weighted(n, pe, p0, p1, pm, stepper->rtol, atol, sum);
  if (mask) PetscCall(VecRestoreArrayRead(mask, &pm));
  if (x1) PetscCall(VecRestoreArrayRead(x1, &p1));
  PetscCall(VecRestoreArrayRead(x0, &p0));
  PetscCall(VecRestoreArrayRead(e, &pe));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, stepper->comm));
  *norm = sum[1] > 0 ? PetscSqrtReal(sum[0] / sum[1]) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* atol_v = atol |v|/|u|: velocities are as large as displacements times a frequency of the motion. */
static PetscErrorCode velocity_tolerance(RungStepper stepper, const RungState *from, const RungState *to,
                                         PetscReal *atol)
{
  PetscReal u0, u1, v0, v1;

  PetscFunctionBegin;
  PetscCall(VecNorm(from->u[0], NORM_2, &u0));
  PetscCall(VecNorm(to->u[0], NORM_2, &u1));
  PetscCall(VecNorm(from->u[1], NORM_2, &v0));
  PetscCall(VecNorm(to->u[1], NORM_2, &v1));
  *atol = PetscMax(u0, u1) > 0 ? stepper->atol * PetscMax(v0, v1) / PetscMax(u0, u1) : stepper->atol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungErrorOfStep(RungStepper stepper, const Vec e[2], const RungState *from, const RungState *to,
                               PetscReal *norm)
{
  Vec       mask;
  PetscReal atol = 0, second = 0;

  PetscFunctionBegin;
  PetscCall(RungSystemGetErrorMask(stepper->sys, &mask));
  PetscCall(RungErrorNorm(stepper, e[0], from->u[0], to->u[0], stepper->atol, mask, norm));
  if (!e[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(velocity_tolerance(stepper, from, to, &atol));
  PetscCall(RungErrorNorm(stepper, e[1], from->u[1], to->u[1], atol, mask, &second));
  *norm = PetscMax(*norm, second); /* NaN in either is noticed by the loop: PetscMax(NaN, x) is x, so it is handed on */
  if (PetscIsInfOrNanReal(second)) *norm = second;
  PetscFunctionReturn(PETSC_SUCCESS);
}
