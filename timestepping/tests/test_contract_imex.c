/* test_contract_imex.c - an additive Runge-Kutta step on d/dt rho(u), made by hand of lines and loads.

       d/dt rho(u) = f_I(u) + f_E(t, u),   rho = u + u^3,   f_I and f_E move what two entries hold, and keep the sum

   Stage:  s m(u_i) + R(u_i) + load = 0,  load = -s (m_n + h sum_j<i (a^I_ij K_j + a^E_ij E_j)),  K_i = s m(u_i) + load;
   the end solves m(u_n+1) = m_n + h sum_i b_i (K_i + E_i).  ARK3(2)4L[2]SA of Kennedy and Carpenter (2003). */
#include "../step_impl.h"
#include "../tableau_impl.h"
#include "conserving.h"

static const PetscReal explicit_part[4][4] = {
  {0},
  {0.8717330430169179988320389023871136850586},
  {0.52758901197630041156180797140291790433, 0.07241098802369958843819202859708209566999},
  {0.3990960076760701320627260736092142797856, -0.437557654613519443722846363831022571942,
   1.038461646937449311660120290221808292156}};

typedef struct {
  RungTransientSystem ts;
  RungSystem          sys;
  const RungTableau  *tableau;
  Vec                 K[4], E[4], load, w, r, target;
  Mat                 J;
  KSP                 ksp;
} Ark;

static PetscErrorCode explicit_rate(PetscReal t, Vec u, Vec E)
{
  const PetscScalar *y;
  PetscScalar       *e;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(u, &y));
  PetscCall(VecGetArrayWrite(E, &e));
  e[0] = cos(3 * t) * y[0] * y[1];
  e[1] = -e[0];
  PetscCall(VecRestoreArrayWrite(E, &e));
  PetscCall(VecRestoreArrayRead(u, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton on r(w) = 0; at a stage r = F on the line + load, at the end r = m(w) - target. */
static PetscErrorCode newton(Ark *a, PetscReal t, const RungLine *line, PetscBool end)
{
  const PetscReal mass[2] = {0, 1};

  PetscFunctionBegin;
  for (int it = 0; it < 8; ++it) {
    if (end) {
      PetscCall(RungTransientSystemConserved(a->ts, t, a->w, a->r));
      PetscCall(VecAXPY(a->r, -1, a->target));
      PetscCall(RungSystemStageJacobian(a->sys, t, (Vec[]){a->w, a->w}, mass, a->J));
    } else {
      PetscCall(RungTransientSystemResidual(a->ts, t, line, a->load, a->w, a->r));
      PetscCall(RungTransientSystemJacobian(a->ts, t, line, a->w, a->J));
    }
    PetscCall(KSPSetOperators(a->ksp, a->J, a->J));
    PetscCall(KSPSolve(a->ksp, a->r, a->r));
    PetscCall(VecAXPY(a->w, -1, a->r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* target = m_n + h sum_j<n (implicit_j K_j + explicit_j E_j) */
static PetscErrorCode gather(Ark *a, const RungState *from, PetscReal h, PetscInt n, const PetscReal implicit[],
                             const PetscReal explicit[])
{
  PetscFunctionBegin;
  PetscCall(VecCopy(from->m[0], a->target));
  for (PetscInt j = 0; j < n; ++j) {
    PetscCall(VecAXPY(a->target, h * implicit[j], a->K[j]));
    PetscCall(VecAXPY(a->target, h * explicit[j], a -> E[j]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ark_stage(Ark *a, const RungState *from, PetscReal h, PetscInt i)
{
  const PetscReal s = 1 / (h * RungTableauA(a->tableau, i, i)), t = from->t + a->tableau->c[i] * h;
  RungLine        line = {.slope = {1, s}};

  PetscFunctionBegin;
  PetscCall(gather(a, from, h, i, a->tableau->a + i * (i + 1) / 2, explicit_part[i]));
  PetscCall(VecCopy(a->target, a->load));
  PetscCall(VecScale(a->load, -s));
  PetscCall(newton(a, t, &line, PETSC_FALSE));
  PetscCall(RungTransientSystemConserved(a->ts, t, a->w, a->K[i]));
  PetscCall(VecAYPX(a->K[i], s, a->load));
  PetscCall(explicit_rate(t, a->w, a->E[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ark_step(Ark *a, PetscReal h, PetscReal t)
{
  const RungState *from;
  RungState       *to;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(a->ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(a->ts, &to));
  to->t = t;
  PetscCall(VecCopy(from->u[0], a->w));
  PetscCall(explicit_rate(from->t, a->w, a->E[0]));
  PetscCall(RungSystemStageResidual(a->sys, from->t, from->u, (PetscReal[]){0, 0}, a->K[0]));
  PetscCall(VecScale(a->K[0], -1)); /* f_I(u_n) */
  for (PetscInt i = 1; i < 4; ++i) PetscCall(ark_stage(a, from, h, i));
  PetscCall(gather(a, from, h, 4, a->tableau->b, a->tableau->b));
  PetscCall(newton(a, t, NULL, PETSC_TRUE));
  PetscCall(VecCopy(a->w, to->u[0]));
  PetscCall(RungTransientSystemConserved(a->ts, t, a->w, to->m[0]));
  PetscCall(RungTransientSystemAccept(a->ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(Ark *a, Ode *ode)
{
  PetscFunctionBegin;
  *ode = conserving_ode();
  PetscCall(ode_create(PETSC_COMM_SELF, ode, &a->sys));
  PetscCall(RungSystemSetConservedCallbacks(a->sys, density, density_jacobian));
  PetscCall(RungSystemSetUp(a->sys));
  PetscCall(RungTransientSystemCreate(a->sys, 2, 0, &a->ts));
  PetscCall(RungTableauFind("ark324l2sa_dirk_4_2_3", &a->tableau));
  for (int i = 0; i < 4; ++i) {
    PetscCall(RungSystemCreateVec(a->sys, &a->K[i]));
    PetscCall(RungSystemCreateVec(a->sys, &a->E[i]));
  }
  PetscCall(RungSystemCreateVec(a->sys, &a->load));
  PetscCall(RungSystemCreateVec(a->sys, &a->w));
  PetscCall(RungSystemCreateVec(a->sys, &a->r));
  PetscCall(RungSystemCreateVec(a->sys, &a->target));
  PetscCall(RungSystemCreateMat(a->sys, &a->J));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &a->ksp));
  PetscCall(RungSystemSetSolverDefaults(a->sys, a->ksp, RUNG_SOLVE_ONCE));
  PetscCall(RungTransientSystemStart(a->ts, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(Ark *a)
{
  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    PetscCall(VecDestroy(&a->K[i]));
    PetscCall(VecDestroy(&a->E[i]));
  }
  PetscCall(VecDestroy(&a->load));
  PetscCall(VecDestroy(&a->w));
  PetscCall(VecDestroy(&a->r));
  PetscCall(VecDestroy(&a->target));
  PetscCall(MatDestroy(&a->J));
  PetscCall(KSPDestroy(&a->ksp));
  PetscCall(RungTransientSystemDestroy(&a->ts));
  PetscCall(RungSystemDestroy(&a->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u at t = 1 after n steps, and the largest relative change of the total on the way. */
static PetscErrorCode run(PetscInt n, PetscReal y[2], PetscReal *drift)
{
  const PetscReal  start[2] = {1.5, 0.2};
  const RungState *state;
  Ark              a;
  Ode              ode;

  PetscFunctionBegin;
  PetscCall(create(&a, &ode));
  *drift = 0;
  for (PetscInt i = 0; i < n; ++i) {
    const PetscScalar *p;

    PetscCall(ark_step(&a, 1 / (PetscReal)n, (PetscReal)(i + 1) / (PetscReal)n));
    PetscCall(RungTransientSystemGetState(a.ts, 0, &state));
    PetscCall(VecGetArrayRead(state->u[0], &p));
    y[0] = p[0], y[1] = p[1];
    PetscCall(VecRestoreArrayRead(state->u[0], &p));
    *drift = PetscMax(*drift, fabs(total(y) / total(start) - 1));
  }
  PetscCall(destroy(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_total_is_constant_to_rounding_over_20_steps(void)
{
  PetscReal y[2], drift;

  PetscFunctionBegin;
  PetscCall(run(20, y, &drift));
  CHECK_NEAR(drift, 0, 1e-14);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_step_has_order_3(void)
{
  PetscReal h[4], error[4], exact[2], drift;

  PetscFunctionBegin;
  PetscCall(run(640, exact, &drift));
  for (PetscInt i = 0; i < 4; ++i) {
    const PetscInt n = 10 * (1 << i);
    PetscReal      y[2];

    PetscCall(run(n, y, &drift));
    h[i]     = 1 / (PetscReal)n;
    error[i] = hypot(y[0] - exact[0], y[1] - exact[1]);
  }
  CHECK_ORDER("ark324", 4, h, error, 3, 0.25, 0.25);
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_the_total_is_constant_to_rounding_over_20_steps), RUNG_TEST(test_the_step_has_order_3))
