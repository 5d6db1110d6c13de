/* ode.h - small systems made of C functions, runs of steppers on them, and fits of orders: for the tests of this room. */
#pragma once

#include <check.h>
#include <rungstep.h>
#include <stdlib.h>

typedef struct {
  const char     *name;
  PetscInt        order;
  PetscBool       linear;
  RungResidualFn *residual;
  RungJacobianFn *jacobian;
  RungInitialFn  *initial;
  PetscInt        local; /* entries on each rank */
  PetscReal       p[4];  /* parameters           */
  PetscBool       mass;  /* that of the highest rates is constant, whatever the rest is */
} Ode;

static inline PetscErrorCode ode_create(MPI_Comm comm, Ode *ode, RungSystem *sys)
{
  RungTraits traits = {.unknowns = 1, .order = ode->order, .unknown_order = {ode->order}, .linear = ode->linear};

  PetscFunctionBegin;
  traits.constant_jacobian = ode->linear;
  for (PetscInt k = 0; k <= ode->order; ++k) traits.constant_block[k] = ode->linear || (ode->mass && k == ode->order);
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(RungSystemSetCallbacks(*sys, ode->local, traits, ode->residual, ode->jacobian, ode));
  PetscCall(RungSystemSetInitialCallback(*sys, ode->initial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r from the arrays of u and of its highest rate d, for residual callbacks of an Ode. */
typedef void                 OdePlainFn(const Ode *ode, const PetscScalar y[], const PetscScalar d[], PetscScalar r[]);
static inline PetscErrorCode ode_plain(OdePlainFn *function, const Ode *ode, const Vec u[], Vec r)
{
  const PetscScalar *y, *d;
  PetscScalar       *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[ode->order], &d));
  PetscCall(VecGetArrayWrite(r, &x));
  function(ode, y, d, x);
  PetscCall(VecRestoreArrayWrite(r, &x));
  PetscCall(VecRestoreArrayRead(u[ode->order], &d));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J_ij += value for owned rows */
static inline PetscErrorCode ode_add(Mat J, PetscInt i, PetscInt j, PetscReal value)
{
  PetscFunctionBegin;
  PetscCall(MatSetValue(J, i, j, value, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- relaxation, u' + lambda u = 0 in each entry; p = {lambda, mass} ------------------------------------------- */

static inline PetscErrorCode relaxation_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Ode *ode = (const Ode *)ctx;

  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(VecAXPBYPCZ(r, ode->p[1], ode->p[0] * ode->p[1], 0, u[1], u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode diagonal(Mat J, PetscReal value)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  for (PetscInt i = start; i < end; ++i) PetscCall(ode_add(J, i, i, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode relaxation_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                                 Mat J, void *ctx)
{
  const Ode *ode = (const Ode *)ctx;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)u;
  PetscCall(diagonal(J, ode->p[1] * (sigma[1] + sigma[0] * ode->p[0])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode one_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecSet(u, k ? 0 : 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline Ode relaxation(PetscReal lambda, PetscInt local)
{
  return (Ode){"relaxation", 1,     PETSC_TRUE,    relaxation_residual, relaxation_jacobian,
               one_initial,  local, {lambda, 0.5}, PETSC_TRUE};
}

/* ---- oscillator, u'' + 2 zeta omega u' + omega^2 u = 0; p = {omega, zeta} --------------------------------------- */

static inline PetscErrorCode oscillator_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Ode *ode = (const Ode *)ctx;

  PetscFunctionBegin;
  (void)sys, (void)t;
  PetscCall(VecAXPBYPCZ(r, 1, 2 * ode->p[0] * ode->p[1], 0, u[2], u[1]));
  PetscCall(VecAXPY(r, ode->p[0] * ode->p[0], u[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode oscillator_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                                                 Mat J, void *ctx)
{
  const Ode *ode = (const Ode *)ctx;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)u;
  PetscCall(diagonal(J, sigma[2] + sigma[1] * 2 * ode->p[0] * ode->p[1] + sigma[0] * ode->p[0] * ode->p[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline Ode oscillator(PetscReal omega, PetscReal zeta)
{
  return (Ode){"oscillator", 2, PETSC_TRUE,    oscillator_residual, oscillator_jacobian,
               one_initial,  1, {omega, zeta}, PETSC_TRUE};
}

/* ---- three equations, nonlinear and with t: y0' = -3 y0 + y1^2, y1' = y0 - y1 - y1^2, y2' = cos(t) y2^2 ----------
   y0 = e^-2t, y1 = e^-t (Kaps, eps = 1), y2 = 1/(2 - sin t) */

static inline PetscErrorCode kaps_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *y, *v;
  PetscScalar       *f;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &v));
  PetscCall(VecGetArrayWrite(r, &f));
  f[0] = v[0] + 3 * y[0] - y[1] * y[1];
  f[1] = v[1] - y[0] + y[1] + y[1] * y[1];
  f[2] = v[2] - cos(t) * y[2] * y[2];
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[1], &v));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode kaps_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                           void *ctx)
{
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(ode_add(J, 0, 0, sigma[1] + 3 * sigma[0]));
  PetscCall(ode_add(J, 0, 1, -2 * y[1] * sigma[0]));
  PetscCall(ode_add(J, 1, 0, -sigma[0]));
  PetscCall(ode_add(J, 1, 1, sigma[1] + (1 + 2 * y[1]) * sigma[0]));
  PetscCall(ode_add(J, 2, 2, sigma[1] - 2 * cos(t) * y[2] * sigma[0]));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline void kaps_exact(PetscReal t, PetscReal y[3])
{
  y[0] = exp(-2 * t);
  y[1] = exp(-t);
  y[2] = 1 / (2 - sin(t));
}

static inline PetscErrorCode kaps_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecSet(u, 0));
  if (k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(u, &y));
  kaps_exact(t, y);
  PetscCall(VecRestoreArray(u, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline Ode kaps(void)
{
  return (Ode){"kaps", 1, PETSC_FALSE, kaps_residual, kaps_jacobian, kaps_initial, 3, {0}, PETSC_FALSE};
}

/* ---- pendulum with drive, order 2: u'' + 0.3 u' + sin(u) = g(t), u = 1 + sin(2 t)/2 ------------------------------- */

static inline PetscErrorCode driven_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *y, *v, *a;
  PetscScalar       *f;
  const PetscReal    x = 1 + sin(2 * t) / 2, g = -2 * sin(2 * t) + 0.3 * cos(2 * t) + sin(x);

  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[1], &v));
  PetscCall(VecGetArrayRead(u[2], &a));
  PetscCall(VecGetArrayWrite(r, &f));
  f[0] = a[0] + 0.3 * v[0] + sin(y[0]) - g;
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[2], &a));
  PetscCall(VecRestoreArrayRead(u[1], &v));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode driven_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                             void *ctx)
{
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(ode_add(J, 0, 0, sigma[2] + 0.3 * sigma[1] + cos(y[0]) * sigma[0]));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode driven_initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)ctx;
  PetscCall(VecSet(u, k ? cos(2 * t) : 1 + sin(2 * t) / 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline Ode driven(void)
{
  return (Ode){"driven pendulum", 2, PETSC_FALSE, driven_residual, driven_jacobian,
               driven_initial,    1, {0},         PETSC_FALSE};
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* A silent stepper on the system of `ode`, not set up; destroys its own reference to the system. */
static inline PetscErrorCode ode_stepper(MPI_Comm comm, Ode *ode, const char type[], const char method[], PetscReal t0,
                                         PetscReal t1, PetscReal dt, RungStepper *stepper)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(ode_create(comm, ode, &sys));
  PetscCall(RungStepperCreate(comm, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetType(*stepper, type));
  if (method) PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetInterval(*stepper, t0, t1, dt));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the first n local entries of u^(k) at the newest level. */
static inline PetscErrorCode ode_values(RungStepper stepper, PetscInt k, PetscInt n, PetscReal y[])
{
  const RungState   *state;
  const PetscScalar *p;

  PetscFunctionBegin;
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecGetArrayRead(state->u[k], &p));
  for (PetscInt i = 0; i < n; ++i) y[i] = p[i];
  PetscCall(VecRestoreArrayRead(state->u[k], &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slope of log(error) over log(h) by least squares, and the half width of its 95 % interval (Student, n - 2). */
static inline void ode_fit(PetscInt n, const PetscReal h[], const PetscReal error[], PetscReal *order, PetscReal *half)
{
  static const double student[] = {0, 0, 0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447};
  double              mx = 0, my = 0, xx = 0, xy = 0, rr = 0;

  for (PetscInt i = 0; i < n; ++i) mx += log(h[i]) / n, my += log(error[i]) / n;
  for (PetscInt i = 0; i < n; ++i) {
    xx += (log(h[i]) - mx) * (log(h[i]) - mx);
    xy += (log(h[i]) - mx) * (log(error[i]) - my);
  }
  *order = xy / xx;
  for (PetscInt i = 0; i < n; ++i) rr += pow(log(error[i]) - my - *order * (log(h[i]) - mx), 2);
  *half = student[n] * sqrt(rr / (n - 2) / xx);
}

/* The interval of the fit must lie within [p - below, p + above]. */
#define CHECK_ORDER(what, n, h, error, p, below, above)                                                                \
  do {                                                                                                                 \
    PetscReal order_, half_;                                                                                           \
    ode_fit(n, h, error, &order_, &half_);                                                                             \
    if (!(order_ - half_ >= (p) - (below) && order_ + half_ <= (p) + (above))) {                                       \
      fprintf(stderr, "%s:%d: %s: order %.3f +- %.3f, wanted within [%.3f, %.3f]; errors", __FILE__, __LINE__, what,   \
              order_, half_, (double)(p) - (below), (double)(p) + (above));                                            \
      for (int i_ = 0; i_ < (n); ++i_) fprintf(stderr, " %.3e", (error)[i_]);                                          \
      fprintf(stderr, "\n");                                                                                           \
      ++check_failures;                                                                                                \
    }                                                                                                                  \
  } while (0)
