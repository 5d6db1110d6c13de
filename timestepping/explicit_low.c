/* explicit_low.c - explicit methods that preserve strong stability, in the form of Shu and Osher with two vectors (-stepper_low_storage).

   From v = u_n and its rate, stage by stage with the rate w of v at t_n + c h,

       v <- a_i u_n + (1 - a_i) (v + beta h w),       u_n+1 = v after the last stage:

   convex sums of steps of Euler's method of length beta h, so that what these do not increase is not increased.  The numbers are those of the
   tableau in another order of additions; there is no estimate (Shu and Osher, J. Comput. Phys. 77, 1988; Spiteri and Ruuth, SIAM J. Numer.
   Anal. 40, 2002). */
#include "explicit_impl.h"

#include <string.h>

typedef struct {
  const char *name;
  PetscReal   beta, a[4]; /* [stage] */
} Low;

static const Low table[] = {
  {"heun21", 1, {0, 0.5}}, {"ssp33", 1, {0, 0.75, 1.0L / 3}}, {"ssp43", 0.5, {0, 0, 2.0L / 3, 0}}};

static const Low *find(const char name[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(table); ++i)
    if (!strcmp(table[i].name, name)) return &table[i];
  return NULL;
}

PetscErrorCode RungExplicitCheckLow(RungStepper stepper, const RungTraits *traits)
{
  RungExplicit *family = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCheck(
    find(family->tableau->name), family->facts.comm, PETSC_ERR_SUP,
    "-stepper_low_storage of explicit method \"%s\", which has no form with two vectors; take heun21, ssp33 or ssp43",
    family->tableau->name);
  PetscCheck(!family->facts.adaptive, family->facts.comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_low_storage keeps no stages to estimate errors from; leave it or the tolerances away");
  PetscCheck(!traits || traits->order == 1, family->facts.comm, PETSC_ERR_SUP,
             "-stepper_low_storage of a system of order 2 in time; leave it away");
  PetscCheck(!traits || !traits->conserved, family->facts.comm, PETSC_ERR_SUP,
             "-stepper_low_storage of conserved terms, whose stages are sums of rates; leave it away, or take "
             "-system_conserve false, which expands dt() of nonlinear terms");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExplicitLow(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                               RungVerdict *verdict)
{
  RungExplicit      *family  = RungStepperGetData(stepper);
  const RungTableau *tableau = family->tableau;
  const Low         *low     = find(tableau->name);
  const Vec          u[2] = {family->base[0], family->k[0][0]}, v = to->u[0], w = family->k[0][0];

  PetscFunctionBegin;
  PetscCall(VecCopy(from->u[0], v));
  PetscCall(VecCopy(from->u[1], w));
  for (PetscInt i = 0; i < tableau->stages; ++i) {
    const PetscReal a = low->a[i], t = tableau->c[i] == 1 ? to->t : from->t + tableau->c[i] * h;

    if (i) {
      PetscCall(VecCopy(v, family->base[0]));
      PetscCall(RungExplicitSolve(stepper, t, u, verdict));
      if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
      PetscCall(RungStageSum(stepper, t, u, h * tableau->b[i]));
    }
    PetscCall(VecAXPBYPCZ(v, (1 - a) * low->beta * h, a, 1 - a, w, from->u[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
