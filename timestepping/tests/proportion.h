/* proportion.h - errors that follow tolerances: methods with an estimate on problems over five decades, slope, scatter and constant of the
   errors.

   An estimate O(h^k) keeps steps at  h = O(tol^(1/k)),  and errors of a method of order p are O(h^p): the slope of errors over tolerances
   is p/k, 1 for most; p/(p + 1), 2/3 and 3/4, where the estimate is that of the method itself, above 1 where it is of a much lower order.
   Slopes within [0.7, 1.3] are taken, or within 0.3 of p/k where that is further from 1.

   What hides the slope is no part of a problem: solutions none of whose derivatives vanishes at the start (there an estimate, such as
   h^3 y"'/48 of bs32 on u' = -5 (u - y) + y', would let the first steps grow without bounds), and runs that are long against the steps of the
   loosest tolerance: with 8 steps in all, 5 of which grow to the size that is wanted, methods of order 4 and 5 whose estimate is small
   show slopes of 0.6.  Largest errors over all steps, |e|/(1 + |y|), with rtol = atol. */
#pragma once

#include "ode.h"

#include <rungmethod.h>

typedef struct {
  const char *name;
  PetscInt    order, n;
  PetscReal   end, late; /* late: for estimates of order 4 and more, whose steps are long */
  void (*exact)(PetscReal t, PetscReal y[]);
  void (*f)(PetscReal t, const PetscReal y[], PetscReal f[]);       /* y' or y'' = f                 */
  void (*by_y)(PetscReal t, const PetscReal y[], PetscReal J[][3]); /* df_i/dy_j                    */
} Proportion;

static inline void kaps_f(PetscReal t, const PetscReal y[], PetscReal f[])
{
  f[0] = -3 * y[0] + y[1] * y[1];
  f[1] = y[0] - y[1] - y[1] * y[1];
  f[2] = cos(t) * y[2] * y[2];
}

static inline void kaps_by_y(PetscReal t, const PetscReal y[], PetscReal J[][3])
{
  J[0][0] = -3, J[0][1] = 2 * y[1];
  J[1][0] = 1, J[1][1] = -1 - 2 * y[1];
  J[2][2] = 2 * cos(t) * y[2];
}

/* A circle that attracts with the rate 2: phases keep their errors, radii do not. */
static inline void circle(PetscReal t, PetscReal y[])
{
  y[0] = cos(t);
  y[1] = sin(t);
}

static inline void circle_f(PetscReal t, const PetscReal y[], PetscReal f[])
{
  const PetscReal r = y[0] * y[0] + y[1] * y[1];

  (void)t;
  f[0] = -y[1] + (1 - r) * y[0];
  f[1] = y[0] + (1 - r) * y[1];
}

static inline void circle_by_y(PetscReal t, const PetscReal y[], PetscReal J[][3])
{
  const PetscReal r = y[0] * y[0] + y[1] * y[1];

  (void)t;
  J[0][0] = 1 - r - 2 * y[0] * y[0], J[0][1] = -1 - 2 * y[0] * y[1];
  J[1][0] = 1 - 2 * y[0] * y[1], J[1][1] = 1 - r - 2 * y[1] * y[1];
}

/* Growth and decay by turns. */
static inline void waves(PetscReal t, PetscReal y[])
{
  y[0] = exp(sin(t));
}

static inline void waves_f(PetscReal t, const PetscReal y[], PetscReal f[])
{
  f[0] = cos(t) * y[0];
}

static inline void waves_by_y(PetscReal t, const PetscReal y[], PetscReal J[][3])
{
  (void)y;
  J[0][0] = cos(t);
}

/* Prothero and Robinson's, hardly stiff: what is stiff lets methods of low stage order have another one. */
static inline void follower(PetscReal t, PetscReal y[])
{
  y[0] = cos(t + 1);
}

static inline void follower_f(PetscReal t, const PetscReal y[], PetscReal f[])
{
  f[0] = -5 * (y[0] - cos(t + 1)) - sin(t + 1);
}

static inline void follower_by_y(PetscReal t, const PetscReal y[], PetscReal J[][3])
{
  (void)t, (void)y;
  J[0][0] = -5;
}

/* Order 2: y'' = -sin(y) + what makes it 1 + sin(2t + 1)/2. */
static inline void swing(PetscReal t, PetscReal y[])
{
  y[0] = 1 + sin(2 * t + 1) / 2;
}

static inline void swing_f(PetscReal t, const PetscReal y[], PetscReal f[])
{
  f[0] = -sin(y[0]) - 2 * sin(2 * t + 1) + sin(1 + sin(2 * t + 1) / 2);
}

static inline void swing_by_y(PetscReal t, const PetscReal y[], PetscReal J[][3])
{
  (void)t;
  J[0][0] = -cos(y[0]);
}

static const Proportion tasks[] = {{"Kaps", 1, 3, 2, 10, kaps_exact, kaps_f, kaps_by_y},
                                   {"circle", 1, 2, 6, 18, circle, circle_f, circle_by_y},
                                   {"waves", 1, 1, 6, 18, waves, waves_f, waves_by_y},
                                   {"follower", 1, 1, 3, 12, follower, follower_f, follower_by_y},
                                   {"swing", 2, 1, 4, 12, swing, swing_f, swing_by_y}};
#define TASKS ((int)PETSC_STATIC_ARRAY_LENGTH(tasks))

typedef struct {
  const Proportion *task;
  PetscReal         largest;
} Watch;

static inline PetscErrorCode residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const Proportion  *task = ((const Watch *)ctx)->task;
  const PetscScalar *y, *d;
  PetscScalar       *x;

  PetscFunctionBegin;
  (void)sys;
  PetscCall(VecGetArrayRead(u[0], &y));
  PetscCall(VecGetArrayRead(u[task->order], &d));
  PetscCall(VecGetArrayWrite(r, &x));
  task->f(t, y, x);
  for (PetscInt i = 0; i < task->n; ++i) x[i] = d[i] - x[i];
  PetscCall(VecRestoreArrayWrite(r, &x));
  PetscCall(VecRestoreArrayRead(u[task->order], &d));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                      void *ctx)
{
  const Proportion  *task     = ((const Watch *)ctx)->task;
  PetscReal          by[3][3] = {{0}};
  const PetscScalar *y;

  PetscFunctionBegin;
  (void)sys;
  PetscCall(VecGetArrayRead(u[0], &y));
  task->by_y(t, y, by);
  PetscCall(VecRestoreArrayRead(u[0], &y));
  for (PetscInt i = 0; i < task->n; ++i) {
    for (PetscInt j = 0; j < task->n; ++j)
      PetscCall(ode_add(J, i, j, (i == j ? sigma[task->order] : 0) - sigma[0] * by[i][j]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode initial(RungSystem sys, PetscReal t, PetscInt k, Vec u, void *ctx)
{
  const Proportion *task = ((const Watch *)ctx)->task;
  PetscScalar      *y;

  PetscFunctionBegin;
  (void)sys;
  PetscCall(VecSet(u, k == 1 && task->order == 2 ? cos(2 * t + 1) : 0));
  if (k) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArray(u, &y));
  task->exact(t, y);
  PetscCall(VecRestoreArray(u, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode watch(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Watch             *it = (Watch *)ctx;
  const PetscScalar *y;
  PetscReal          exact[3];

  PetscFunctionBegin;
  (void)stepper, (void)step;
  it->task->exact(t, exact);
  PetscCall(VecGetArrayRead(u[0], &y));
  for (PetscInt i = 0; i < it->task->n; ++i)
    it->largest = PetscMax(it->largest, PetscAbsReal(y[i] - exact[i]) / (1 + PetscAbsReal(exact[i])));
  PetscCall(VecRestoreArrayRead(u[0], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The task, which `it` has, by a method from 0 to end, with a first step and tolerances. */
static inline PetscErrorCode create_stepper(Watch *it, const char type[], const char method[], PetscReal end,
                                            PetscReal first, PetscReal rtol, PetscReal atol, RungStepper *stepper)
{
  const Proportion *task   = it->task;
  RungTraits        traits = {.unknowns = 1, .order = task->order, .unknown_order = {task->order}};
  RungSystem        sys;

  PetscFunctionBegin;
  traits.constant_block[task->order] = PETSC_TRUE;
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, &sys));
  PetscCall(RungSystemSetCallbacks(sys, task->n, traits, residual, jacobian, it));
  PetscCall(RungSystemSetInitialCallback(sys, initial));
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, stepper));
  PetscCall(RungStepperSetSystem(*stepper, sys));
  PetscCall(RungStepperSetType(*stepper, type));
  PetscCall(RungStepperSetMethod(*stepper, method));
  PetscCall(RungStepperSetInterval(*stepper, 0, end, first));
  PetscCall(RungStepperSetTolerances(*stepper, rtol, atol));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode error_at(const Proportion *task, const char type[], const char method[], PetscReal end,
                                      PetscReal tolerance, PetscReal *error)
{
  Watch       it = {task, 0};
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create_stepper(&it, type, method, end, 0.01, tolerance, tolerance, &stepper));
  PetscCall(RungStepperAddMonitor(stepper, watch, &it));
  PetscCall(RungStepperSolve(stepper));
  *error = it.largest;
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define POINTS 6

/* error = constant tol^slope; scatter: the largest factor between an error and that. */
static inline void fit(const PetscReal tol[], const PetscReal error[], PetscReal *slope, PetscReal *constant,
                       PetscReal *scatter)
{
  PetscReal half, mean = 0, ratio = 0;

  ode_fit(POINTS, tol, error, slope, &half);
  for (int i = 0; i < POINTS; ++i) mean += (log(error[i]) - *slope * log(tol[i])) / POINTS;
  for (int i = 0; i < POINTS; ++i) ratio += log(error[i] / tol[i]) / POINTS;
  *constant = exp(ratio);
  *scatter  = 1;
  for (int i = 0; i < POINTS; ++i)
    *scatter = PetscMax(*scatter, exp(PetscAbsReal(log(error[i]) - *slope * log(tol[i]) - mean)));
}

/* The loosest of five decades: methods of high order take steps of the size of the problem at 1e-3. */
static inline PetscReal loosest_of(const RungMethodPlan *plan)
{
  return plan->exponent <= 2 ? 1e-2 : plan->exponent == 3 ? 1e-3 : plan->exponent <= 5 ? 1e-4 : 1e-5;
}

/* What is a method's own on one of the problems, with the reason. */
typedef struct {
  const char *method, *task;
  PetscReal   least, most, scatter;
  const char *why;
} OwnProportion;

#define STABILITY "stability bounds the steps at loose tolerances, which errors are then far below or above"
#define CANCELS   "the error over the tolerance, a smooth curve of that, goes through zero near one of the six"
#define PEAK                                                                                                           \
  "one step over the peak of 1/(2 - sin t) at 7.9 ends where the estimate, as a curve of h, goes through zero: "

static const OwnProportion proportion_own[] = {
  {"bs32", "follower", 0.45, 1.3, 5,
   "the estimate is h^3 (y3/48 - h y2 25/96), y2 and y3 derivatives of cos(t + 1): near y3 = 0 a dozen steps of "
   "O(tol^(1/4)) pass, and errors "
   "are O(tol^(3/4))"},
  {"verner87", "Kaps", 0.7, 1.5, 10, PEAK "at 1e-5 the step of 1.29 tells an error of 0.1 and makes one of 27"},
  {"verner87", "follower", 0.7, 1.5, 5, STABILITY},
  {"fehlberg21", "follower", 0.7, 1.3, 20, STABILITY},
  {"fehlberg45", "circle", 0.5, 1.3, 25, CANCELS},
  {"esdirk32i5l2sa_5_2_3", "circle", 0.7, 1.3, 10, CANCELS},
  {"ark548l2sa_dirk_8_4_5", "Kaps", 0.7, 1.3, 10,
   PEAK "at 1e-5 the step of 1.47 tells an error of 0.56 and makes one of 734"},
  {"esdirk_16_8_5", "Kaps", 0.7, 1.63, 8,
   "errors are 0.04 to 1.8 tolerances: what Newton's method leaves of 16 stages, which begin near their solutions, is "
   "most of them"},
  {"dop853", "Kaps", 0.7, 1.3, 12, PEAK "at 1e-7 the step of 1.17 tells 0.06 and makes 3.8"},
  {"ak_dirkes648sa", "follower", 0.7, 1.5, 10,
   "from 1e-6 to 1e-8 the estimate goes over from one order in h to another, a smooth curve of 38 to 139 steps"},
  {"ros34pw3", "circle", 0.7, 1.65, 12, CANCELS},
  {"ak_dirk8614a", "follower", 0.6, 1.45, 5,
   "R(inf) = 0.92, told by a warning: at h = O(1/5) errors are those of its stages"}};

static inline const OwnProportion *find_own(const char method[], const char task[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(proportion_own); ++i)
    if (!strcmp(proportion_own[i].method, method) && !strcmp(proportion_own[i].task, task)) return &proportion_own[i];
  return NULL;
}

/* One line: slope, scatter and error over tolerance on each problem that the method takes. */
static inline PetscErrorCode check_proportion(const char type[], const char method[])
{
  RungMethodPlan plan;
  PetscReal      wanted, least, most;

  PetscFunctionBegin;
  PetscCall(RungStepperGetPlan(type, method, &plan));
  wanted = (PetscReal)plan.order / (PetscReal)plan.exponent;
  least  = PetscMin(0.7, wanted - 0.3);
  most   = PetscMax(1.3, wanted + 0.3);
  printf("%-12s %-26s %.2f ", type, method, wanted);
  for (int k = 0; k < TASKS; ++k) {
    const PetscReal      end = plan.exponent > 3 ? tasks[k].late : tasks[k].end;
    PetscReal            tol[POINTS], error[POINTS], slope, constant, scatter;
    const OwnProportion *own;
    PetscBool            fine;

    if (!(plan.can & (tasks[k].order == 2 ? RUNG_CAN_ORDER2 : RUNG_CAN_ORDER1))) {
      printf("| %18s ", "");
      continue;
    }
    for (int i = 0; i < POINTS; ++i) {
      tol[i] = loosest_of(&plan) * pow(10, -i);
      PetscCall(error_at(&tasks[k], type, method, end, tol[i], &error[i]));
    }
    fit(tol, error, &slope, &constant, &scatter);
    own  = find_own(method, tasks[k].name);
    fine = slope >= (own ? own->least : least) && slope <= (own ? own->most : most) &&
               scatter < (own ? own->scatter : 5)
             ? PETSC_TRUE
             : PETSC_FALSE;
    printf("| %5.2f %4.1f %6.2g%s ", slope, scatter, constant, !fine ? "!" : own ? "*" : " ");
    CHECK(fine);
    if (fine) continue;
    fprintf(stderr, "%s %s on %s: errors over tolerances", type, method, tasks[k].name);
    for (int i = 0; i < POINTS; ++i) fprintf(stderr, " %.2g", error[i] / tol[i]);
    fprintf(stderr, "\n");
  }
  printf("\n");
  for (int k = 0; k < TASKS; ++k)
    if (find_own(method, tasks[k].name)) printf("  * %s: %s\n", tasks[k].name, find_own(method, tasks[k].name)->why);
  PetscFunctionReturn(PETSC_SUCCESS);
}
