/* rosenbrock.c - Rosenbrock and W methods: linear solves with one matrix a step, for systems of order 1 and 2 in time.

   With  s = 1/(h gamma),  J_k = dF/du^(k) at (t_n, u_n)  and the increments U_j of the stages before,

       y_i = u_n + sum_j A_ij U_j,      p_i = -sum_j C_ij U_j/h,      u_n+1 = u_n + sum_i m_i U_i,      e = sum_i e_i U_i

       order 1:   (J_0 + s J_1) U_i = -F(t_i, y_i, p_i) - h d_i dF/dt.

   At order 2 the increments V_i of v = u' have the same sums  w_i = v_n + sum_j A_ij V_j  and  q_i = -sum_j C_ij V_j/h,  and are
   eliminated by the row  u' = v  of the system of order 1,  V_i = s U_i + z_i  with  z_i = p_i - w_i:

       (J_0 + s J_1 + s^2 J_2) U_i = -F(t_i, y_i, w_i, q_i) - h d_i dF/dt - (J_1 + s J_2) z_i.

   Unknowns of order 1 beside one of order 2 have w_i = p_i, z_i = 0.

   Boundary data are equations of their own, so that their increments are known.  Methods that such an algebraic equation leads to
   g(t_n+1) to their order, those that are stiffly accurate among them, take g(t) - u = 0 and g'(t) - v = 0:

       U_i = g(t_i) - y_i + h d_i g'(t_n),      V_i = g'(t_i) - w_i + h d_i g''(t_n).

   With others that end is off by h^2, and g(t_n+1) put there without what that does to the others through the mass would leave order 1.
   They take the rates, u' = g'(t) and v' = g''(t), which lead there to the order of the method:

       U_i = (g'(t_i) - p_i + h d_i g''(t_n))/s,      V_i = (g''(t_i) - q_i + h d_i g'''(t_n))/s.

   Increments act on the others through the columns of J, which the solver's matrix does not have.  Without these columns the order is
   1, without dF/dt it is 0.

   The derivative of F by the highest rates is constant, so that other derivatives do not depend on these rates and are taken at 0: nobody
   has to find those of a level before its step.

   An equation without a rate is not solved but followed by its tangent, so that the error of its unknown does not follow from the errors
   of the others.  Where the embedded method leads it to its order, too, the estimate is one of such unknowns, and is tested
   (plan.algebraic).  Without that rodas5p was 7.6, 2.0 and 1.8 tolerances off at 1e-3, 1e-5, 1e-7 on
   y' = z,  z^3 + z + y = cos(t)^3 + cos(t) + sin(t).

   Lagged matrices (-stepper_lag): W methods keep an order with any matrix, and take that of an earlier level, whose time and values later
   levels carry, for so many steps; products with J are those of the same place.  So long steps that may grow by less
   than LASTING stay as they are, and with them the factors. */
#include "tableau_impl.h"

#include <complex.h>
#include <math.h>

#define ROW(...)                                                                                                       \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define RUNG_ROSENBROCK(symbol, name, key, citation, s, p, phat, w, limit, index1, gamma, c, d, a, C, m, e)            \
  static const PetscReal symbol##_c[] = c, symbol##_d[] = d, symbol##_a[] = a, symbol##_C[] = C, symbol##_m[] = m,     \
                         symbol##_e[] = e;
#include "rosenbrock.def"
#undef RUNG_ROSENBROCK

#define RUNG_ROSENBROCK(symbol, name, key, citation, s, p, phat, w, limit, index1, gamma, c, d, a, C, m, e)            \
  {name,                                                                                                               \
   key,                                                                                                                \
   s,                                                                                                                  \
   p,                                                                                                                  \
   phat,                                                                                                               \
   w,                                                                                                                  \
   limit,                                                                                                              \
   index1 ? PETSC_TRUE : PETSC_FALSE,                                                                                  \
   gamma,                                                                                                              \
   symbol##_c,                                                                                                         \
   symbol##_d,                                                                                                         \
   symbol##_a,                                                                                                         \
   symbol##_C,                                                                                                         \
   symbol##_m,                                                                                                         \
   (phat) ? symbol##_e : NULL,                                                                                         \
   citation},
static const RungRosenbrockRow table[] = {
#include "rosenbrock.def"
};
#undef RUNG_ROSENBROCK

#define RUNG_ROSENBROCK(symbol, name, ...) name,
static const char *const names[] = {
#include "rosenbrock.def"
  NULL};
#undef RUNG_ROSENBROCK
#define RUNG_ROSENBROCK(symbol, name, key, ...) key,
static const char *const keys[] = {
#include "rosenbrock.def"
  NULL};
#undef RUNG_ROSENBROCK
#undef ROW

PetscErrorCode RungRosenbrockGetAll(PetscInt *n, const RungRosenbrockRow **rows)
{
  PetscFunctionBegin;
  *n    = PETSC_STATIC_ARRAY_LENGTH(table);
  *rows = table;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  RungStepperFacts facts;
  const RungRosenbrockRow
           *method;   /* static                                                                              */
  PetscInt  orders;   /* of the system in time, 1 or 2                                                       */
  PetscBool by_rates; /* boundary data are followed by their rates                                          */
  Vec       U[RUNG_MAX_ORDER][RUNG_MAX_STAGES];          /* [k][stage] lent work: increments of u^(k)      */
  Vec       value[RUNG_MAX_ORDER], rate[RUNG_MAX_ORDER]; /* lent work: y and w; p and q                    */
  Vec       e[RUNG_MAX_ORDER];                           /* lent work: the estimate                        */
  Vec       r, by_time, moved;                           /* lent work: right side, dF/dt, products with J  */
  Vec       given[RUNG_MAX_ORDER], work; /* lent work: known increments of entries with data, 0 elsewhere  */
  Vec       z;                           /* lent work: V_i - s U_i, at order 2                             */
  Vec       nothing;                     /* lent work: 0                                                   */
  PetscInt  lag;                         /* steps that a matrix serves; 0, as 1: each has its own          */
  PetscReal exponent;                    /* of the error with lag                                          */
  PetscReal made_t, made_s;              /* with lag: place and s of the matrix */
} Rosenbrock;

enum {
  PLACE,
  AGE,
  ERROR,
  NUMBERS
}; /* of a level with lag: time of the matrix' place, whose values are carried; steps that it has served; the error */

#define LASTING 1.7

/* What a step knows of itself. */
typedef struct {
  const RungState *from;
  PetscReal        h, s, end;
  PetscReal        t;                                               /* of the matrix, and its values */
  Vec              u[RUNG_MAX_ORDER + 1];                           /* lent; 0 for the highest rates */
  PetscReal        slope[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS]; /* 1, s, s^2                                      */
  PetscReal        upper[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS]; /* 0, 1, s: of z                                  */
} Step;

/* ---- one stage ---------------------------------------------------------------------------------------------------- */

/* y, w and p, q of stage i, and z = p - w. */
static PetscErrorCode set_values(RungStepper stepper, const Step *step, PetscInt i)
{
  Rosenbrock              *it     = RungStepperGetData(stepper);
  const RungTraits        *traits = it->facts.traits;
  const RungRosenbrockRow *method = it->method;
  const PetscInt           row    = i * (i - 1) / 2;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < it->orders; ++k) {
    PetscCall(VecCopy(step->from->u[k], it->value[k]));
    PetscCall(RungStageAdd(it->value[k], 1, i, method->a + row, it->U[k]));
    PetscCall(VecZeroEntries(it->rate[k]));
    PetscCall(RungStageAdd(it->rate[k], -1 / step->h, i, method->C + row, it->U[k]));
  }
  if (it->orders < 2) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (traits->unknown_order[f] == 2) continue;
    PetscCall(RungCombineUnknown(stepper, f, it->value[1], 1, (PetscReal[]){1}, it->rate));
  }
  PetscCall(VecWAXPY(it->z, -1, it->value[1], it->rate[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x += scale g^(k)(t_n) in entries with boundary data; beyond the order of the system by differences inside of the step, whose error is
   far below that of any step.  Overwrites work. */
static PetscErrorCode add_data(Rosenbrock *it, const Step *step, PetscInt k, PetscReal scale, Vec x)
{
  const PetscReal t = step->from->t, d = 1e-3 * step->h, weight[3] = {-1.5 / d, 2 / d, -0.5 / d};
  const PetscBool given = k <= it->orders ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  for (int j = 0; j < (given ? 1 : 3); ++j) {
    PetscCall(VecZeroEntries(it->work));
    PetscCall(RungSystemImposeDirichlet(it->facts.sys, t + j * d, given ? k : k - 1, it->work));
    PetscCall(VecAXPY(x, given ? scale : scale * weight[j], it->work));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Known increments of u^(k) in entries with boundary data, 0 elsewhere: g^(k)(t) - y + h d g^(k+1)(t_n), or the same of rates over s. */
static PetscErrorCode set_given(Rosenbrock *it, const Step *step, PetscInt i, PetscReal t, PetscInt k)
{
  const PetscInt order = it->by_rates ? k + 1 : k;
  const Vec      known = it->by_rates ? it->rate[k] : it->value[k];

  PetscFunctionBegin;
  PetscCall(VecCopy(known, it->work));
  PetscCall(RungSystemImposeDirichlet(it->facts.sys, t, order, it->work));
  PetscCall(VecWAXPY(it->given[k], -1, known, it->work));
  PetscCall(add_data(it, step, order + 1, step->h * it->method->d[i], it->given[k]));
  if (it->by_rates) PetscCall(VecScale(it->given[k], 1 / step->s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z in entries with boundary data: V - s U of their known increments. */
static PetscErrorCode set_given_z(RungStepper stepper, const Step *step)
{
  Rosenbrock       *it     = RungStepperGetData(stepper);
  const RungTraits *traits = it->facts.traits;
  IS                rows;
  Vec               values;

  PetscFunctionBegin;
  PetscCall(RungSystemGetDirichlet(it->facts.sys, step->from->t, 0, &rows, &values));
  RungCallFinally(VecISSet(it->z, rows, 0), PetscCall(ISDestroy(&rows)); PetscCall(VecDestroy(&values)));
  PetscCall(VecAXPY(it->z, 1, it->given[1]));
  PetscCall(VecAXPY(it->z, -step->s, it->given[0]));
  PetscCall(RungSystemExtend(it->facts.sys, it->z));
  for (PetscInt f = 0; f < traits->unknowns; ++f) {
    if (traits->unknown_order[f] < 2) PetscCall(RungCombineUnknown(stepper, f, it->z, 0, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r: the right side of stage i at t */
static PetscErrorCode set_right_side(RungStepper stepper, const Step *step, PetscInt i, PetscReal t)
{
  Rosenbrock *it  = RungStepperGetData(stepper);
  RungSystem  sys = it->facts.sys;

  PetscFunctionBegin;
  if (it->orders == 1)
    PetscCall(RungSystemResidual(sys, t, (Vec[]){it->value[0], it->rate[0]}, it->r));
  else
    PetscCall(RungSystemResidual(sys, t, (Vec[]){it->value[0], it->value[1], it->rate[1]}, it->r));
  PetscCall(VecScale(it->r, -1));
  PetscCall(VecAXPY(it->r, -step->h * it->method->d[i], it->by_time));
  if (it->facts.dirichlet) {
    for (PetscInt k = 0; k < it->orders; ++k) PetscCall(set_given(it, step, i, t, k));
    if (it->orders == 2) PetscCall(set_given_z(stepper, step));
    PetscCall(RungSystemAction(sys, step->t, step->u, step->slope, it->given[0], it->moved));
    PetscCall(VecAXPY(it->r, -1, it->moved));
  }
  if (it->orders == 2) {
    PetscCall(RungSystemAction(sys, step->t, step->u, step->upper, it->z, it->moved));
    PetscCall(VecAXPY(it->r, -1, it->moved));
  }
  if (it->facts.dirichlet) PetscCall(VecAXPY(it->r, 1, it->given[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stage(RungStepper stepper, const Step *step, PetscInt i, RungVerdict *verdict)
{
  Rosenbrock     *it = RungStepperGetData(stepper);
  const PetscReal c = it->method->c[i], t = c == 1 ? step->end : step->from->t + c * step->h;

  PetscFunctionBegin;
  PetscCall(set_values(stepper, step, i));
  PetscCall(set_right_side(stepper, step, i, t));
  PetscCall(RungStageApplyStep(stepper, it->r, (Vec[]){it->value[0], it->orders == 2 ? it->value[1] : NULL}, step->s,
                               it->U[0][i], verdict));
  if (!verdict->solved)
    PetscCall(RungStageExplain(
      stepper, t, (Vec[]){it->value[0], it->orders == 2 ? it->value[1] : it->rate[0], it->rate[1]}, verdict));
  if (verdict->solved && it->orders == 2) PetscCall(VecWAXPY(it->U[1][i], step->s, it->U[0][i], it->z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the step ----------------------------------------------------------------------------------------------------- */

static void set_slopes(const Rosenbrock *it, Step *step)
{
  const PetscInt n = it->facts.traits->unknowns;

  for (PetscInt f = 0; f < n; ++f) {
    step->slope[f]     = 1;
    step->slope[n + f] = step->s;
    step->upper[f]     = 0;
    step->upper[n + f] = 1;
    if (it->orders < 2) continue;
    step->slope[2 * n + f] = step->s * step->s;
    step->upper[2 * n + f] = step->s;
  }
}

static PetscErrorCode estimate_error(RungStepper stepper, const RungState *from, const RungState *to,
                                     RungVerdict *verdict)
{
  Rosenbrock *it = RungStepperGetData(stepper);

  PetscFunctionBegin;
  if (!it->facts.adaptive) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < it->orders; ++k) {
    PetscCall(VecZeroEntries(it->e[k]));
    PetscCall(RungStageAdd(it->e[k], 1, it->method->stages, it->method->e, it->U[k]));
  }
  PetscCall(RungStepperMeasure(stepper, it->e, it->facts.dirichlet ? it->given : NULL, from, to, &verdict->error));
  if (it->lag > 1) to->number[ERROR] = verdict->error;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the step, of this level or of an earlier one. */
static PetscErrorCode linearise(RungStepper stepper, Step *step, RungState *to, RungVerdict *verdict)
{
  Rosenbrock      *it   = RungStepperGetData(stepper);
  const RungState *from = step->from;
  PetscBool        same = PETSC_FALSE;
  PetscInt         levels;

  PetscFunctionBegin;
  step->t = from->t;
  for (PetscInt k = 0; k < it->orders; ++k) step->u[k] = from->u[k];
  step->u[it->orders] = it->nothing;
  if (it->lag > 1) {
    PetscBool old;

    PetscCall(RungStepperGetLevels(stepper, &levels));
    old = levels > 1 && from->number[AGE] > 0 && from->number[AGE] < (PetscReal)it->lag ? PETSC_TRUE : PETSC_FALSE;
    if (old) {
      step->t = from->number[PLACE];
      for (PetscInt k = 0; k < it->orders; ++k) step->u[k] = from->carry[k];
    }
    for (PetscInt k = 0; k < it->orders; ++k) PetscCall(VecCopy(step->u[k], to->carry[k]));
    to->number[PLACE] = step->t;
    to->number[ERROR] = 0;
    to->number[AGE]   = old ? from->number[AGE] + 1 : 1;
    same = RungStageLinearised(stepper) && levels > 1 && it->made_t == step->t && it->made_s == step->s ? PETSC_TRUE
                                                                                                        : PETSC_FALSE;
  }
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungStageLinearise(stepper, step->t, step->u, step->slope, verdict));
  it->made_t = step->t;
  it->made_s = step->s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dF/dt where the step begins */
static PetscErrorCode time_derivative(Rosenbrock *it, const RungState *from, PetscReal h)
{
  Vec u[RUNG_MAX_ORDER + 1];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < it->orders; ++k) u[k] = from->u[k];
  u[it->orders] = it->nothing;
  PetscCall(RungSystemTimeDerivativeWithin(it->facts.sys, from->t, h, u, it->by_time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_rosenbrock(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                         RungVerdict *verdict)
{
  Rosenbrock *it   = RungStepperGetData(stepper);
  Step        step = {.from = from, .h = h, .s = 1 / (h * it->method->gamma), .end = to->t};

  PetscFunctionBegin;
  set_slopes(it, &step);
  PetscCall(linearise(stepper, &step, to, verdict));
  if (verdict->solved) PetscCall(time_derivative(it, from, h));
  for (PetscInt i = 0; i < it->method->stages && verdict->solved; ++i) PetscCall(stage(stepper, &step, i, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < it->orders; ++k) {
    PetscCall(VecCopy(from->u[k], to->u[k]));
    PetscCall(RungStageAdd(to->u[k], 1, it->method->stages, it->method->m, it->U[k]));
    if (!it->facts.dirichlet) continue;
    PetscCall(VecCopy(to->u[k], it->given[k]));
    PetscCall(RungSystemImposeDirichlet(it->facts.sys, to->t, k, to->u[k]));
    PetscCall(VecAYPX(it->given[k], -1, to->u[k])); /* what the increments missed of the data */
  }
  PetscCall(VecCopy(from->u[it->orders], to->u[it->orders]));
  PetscCall(estimate_error(stepper, from, to, verdict));
  if (!(verdict->error > 1))
    PetscCall(RungStageCheckLevel(stepper, to, it->r, verdict)); /* its rates are going to be found */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The highest rates, for values between levels and for those who ask; the next step needs none.  Does it keep its
   matrix? */
static PetscErrorCode find_rates(RungStepper stepper, const RungState *from, RungState *to, PetscReal *ratio)
{
  Rosenbrock *it = RungStepperGetData(stepper);

  PetscFunctionBegin;
  (void)from;
  PetscCall(RungStageConsistentLater(stepper, to));
  if (it->lag < 2 || !it->facts.adaptive || to->number[AGE] >= (PetscReal)it->lag) PetscFunctionReturn(PETSC_SUCCESS);
  if (to->number[ERROR] <= 0.9 && to->number[ERROR] >= PetscPowReal(LASTING, -it->exponent)) *ratio = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ------------------------------------------------------------------------------------------------------- */

/* sum_i m_i U_i with  (1/gamma - z) U_i = z (1 + sum_j A_ij U_j) + sum_j C_ij U_j */
static double complex sum_at(const RungRosenbrockRow *method, const PetscReal m[], double complex z)
{
  double complex U[RUNG_MAX_STAGES], r = 0;

  for (PetscInt i = 0; i < method->stages; ++i) {
    U[i] = z;
    for (PetscInt j = 0; j < i; ++j)
      U[i] += (z * method->a[i * (i - 1) / 2 + j] + method->C[i * (i - 1) / 2 + j]) * U[j];
    U[i] /= 1 / method->gamma - z;
    r += m[i] * U[i];
  }
  return r;
}

/* |R(z)| */
static double growth_at(const RungRosenbrockRow *method, double complex z)
{
  return cabs(1 + sum_at(method, method->m, z));
}

/* Is there an embedded method, and is it another one for  u' = lambda u ?  With the same function R an estimate is 0 for linear equations,
   at any step, and of others sees nothing of what is linear: only -stepper_force chooses steps by it. */
static PetscBool has_estimate(const RungRosenbrockRow *method)
{
  double largest = 0;

  for (double z = -0.01; method->e && z > -1e4; z *= 3) largest = fmax(largest, cabs(sum_at(method, method->e, z)));
  return largest > 1e-10 ? PETSC_TRUE : PETSC_FALSE;
}

/* Does an equation  t^k - u = 0  end at h^k for all k up to the order?  With h = 1.  embedded: by the other weights, to their order. */
static PetscBool ends_on_data(const RungRosenbrockRow *method, PetscBool embedded)
{
  for (PetscInt k = 1; k <= (embedded ? method->embedded : method->order); ++k) {
    double U[RUNG_MAX_STAGES], end = 0;

    for (PetscInt i = 0; i < method->stages; ++i) {
      U[i] = pow(method->c[i], (double)k) + (k == 1 ? method->d[i] : 0);
      for (PetscInt j = 0; j < i; ++j) U[i] -= method->a[i * (i - 1) / 2 + j] * U[j];
      end += (method->m[i] - (embedded ? method->e[i] : 0)) * U[i];
    }
    if (fabs(end - 1) > 1e-9) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Half the angle about the negative axis in which |R| <= 1, in whole degrees, as far as a scan of rays tells. */
static PetscReal find_angle(const RungRosenbrockRow *method)
{
  for (int degrees = 90; degrees > 0; --degrees) {
    double largest = 0;

    for (double size = 1e-2; size < 1e4; size *= 1.05)
      largest = fmax(largest, growth_at(method, -size * cexp(-_Complex_I * degrees * M_PI / 180)));
    if (largest <= 1 + 1e-7) return degrees;
  }
  return 0;
}

/* Methods whose estimate is far below their error where equations are stiff, though R(inf) is small: measured by test_proportion.c, on
   Robertson's kinetics 20 to 220 tolerances (rtol 1e-5, 1e-6). */
static PetscBool lies_where_stiff(const RungRosenbrockRow *method)
{
  static const char *const lying[] = {"rosshamp4", "velds4", "grk4t", "ros4lstab", "rok4a"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(lying); ++i)
    if (!strcmp(method->name, lying[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode plan_rosenbrock(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Rosenbrock              *it = RungStepperGetData(stepper);
  const RungRosenbrockRow *method;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &it->facts));
  it->method = method = &table[it->facts.method];
  plan->order         = method->order;
  plan->exponent      = has_estimate(method) || (method->e && it->facts.force)
                          ? PetscMin(method->order, method->embedded) + 1
                          : 0;
  plan->growth        = 5;
  plan->dense         = traits && it->facts.algebraic ? 1 : 0;
  plan->depth         = 1;
  plan->matrices      = 1;
  plan->linear        = PETSC_TRUE;
  plan->algebraic     = method->e && method->index1 ? ends_on_data(method, PETSC_TRUE) : PETSC_FALSE;
  plan->can           = RUNG_CAN_ORDER1 | RUNG_CAN_ORDER2 | (method->index1 ? (unsigned)RUNG_CAN_ALGEBRAIC : 0);
  plan->stages        = method->stages;
  plan->solves        = method->stages;
  plan->stage_order   = 1;
  plan->limit         = PetscAbsReal(method->limit);
  plan->angle         = find_angle(method);
  plan->citation      = method->citation;
  if (plan->exponent && plan->limit >= 0.5)
    plan->caution =
      "hardly damps what is stiff: errors there may be far larger than the estimate, or steps may get ever smaller; "
      "take one with R(inf) = 0, as rodas4p";
  else if (lies_where_stiff(method))
    plan->caution =
      "has an estimate that is small beside its errors where equations are stiff: 50 times the tolerance and more "
      "have been measured; take one whose last stage ends the step, as rodas4p";
  if (traits) plan->work = traits->order * (method->stages + 4) + 6;
  if (it->lag > 1) {
    PetscCheck(method->w_order > 1, it->facts.comm, PETSC_ERR_SUP,
               "-stepper_lag: rosenbrock method \"%s\" has order %" PetscInt_FMT
               " with a matrix that is not dF/du of its step; leave it away or take a W method, as ros34pw2",
               method->name, method->w_order);
    plan->order    = PetscMin(plan->order, method->w_order);
    plan->exponent = PetscMin(plan->exponent, plan->order + 1);
    it->exponent   = (PetscReal)plan->exponent;
    plan->carried  = traits ? traits->order : 0;
    plan->numbers  = NUMBERS;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_rosenbrock(RungStepper stepper)
{
  Rosenbrock *it  = RungStepperGetData(stepper);
  PetscInt    lag = PetscMax(1, it->lag);

  PetscFunctionBegin;
  PetscCall(RungStepperReadInt(stepper, "-stepper_lag", "1 to 1000", &lag, NULL));
  it->lag = lag;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_rosenbrock(RungStepper stepper)
{
  Rosenbrock *it = RungStepperGetData(stepper);
  Vec        *work;

  PetscFunctionBegin;
  it->orders   = it->facts.traits->order;
  it->by_rates = ends_on_data(it->method, PETSC_FALSE) ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(RungStepperGetWork(stepper, &work));
  for (PetscInt k = 0; k < it->orders; ++k) {
    for (PetscInt i = 0; i < it->method->stages; ++i) it->U[k][i] = *work++;
    it->value[k] = *work++;
    it->rate[k]  = *work++;
    it->e[k]     = *work++;
    it->given[k] = *work++;
  }
  it->r       = *work++;
  it->by_time = *work++;
  it->moved   = *work++;
  it->work    = *work++;
  it->z       = *work++;
  it->nothing = *work++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_rosenbrock(RungStepper stepper, PetscViewer viewer)
{
  Rosenbrock              *it   = RungStepperGetData(stepper);
  RungMethodPlan           plan = {0};
  const RungRosenbrockRow *method;

  PetscFunctionBegin;
  PetscCall(plan_rosenbrock(stepper, NULL, &plan));
  method = it->method;
  PetscCall(
    PetscViewerASCIIPrintf(viewer,
                           "coefficients %s: %" PetscInt_FMT " stages, gamma = %g, R(inf) = %g, order %" PetscInt_FMT
                           " with a matrix that is not dF/du",
                           method->key, method->stages, (double)method->gamma, (double)method->limit, method->w_order));
  if (it->lag > 1) PetscCall(PetscViewerASCIIPrintf(viewer, ", which serves %" PetscInt_FMT " steps", it->lag));
  if (method->e) PetscCall(PetscViewerASCIIPrintf(viewer, ", embedded order %" PetscInt_FMT, method->embedded));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodSynonym synonyms[] = {{"rodas4p", NULL, " rodasp rosenbrock row "},
                                             {"rodas4", NULL, " rodas "},
                                             {"rosshamp4", NULL, " shamp4 "},
                                             {"ros4lstab", NULL, " ros4 "},
                                             {"ros34pw2", NULL, " rosw ra34pw2 "},
                                             {"rosenbrock23", NULL, " ode23s rosenbrock23sciml "},
                                             {NULL, NULL, NULL}};

static const RungMethodAlias aliases[] = {{"rosenbrock23", " ode23s rosenbrock23_sciml "},
                                          {"rodas4p", " RODASP "},
                                          {"rosenbrockw6s4os", " rosenbrock_w6s4os "},
                                          {NULL, NULL}};

static const RungMethodOption options[] = {{"-stepper_lag", "rosenbrock, W methods: steps that a matrix serves, 1"},
                                           {NULL, NULL}};

const RungStepperOps RungRosenbrockOps = {.methods  = names,
                                          .options  = options,
                                          .read     = read_rosenbrock,
                                          .first    = "rodas4p",
                                          .keys     = keys,
                                          .synonyms = synonyms,
                                          .aliases  = aliases,
                                          .size     = sizeof(Rosenbrock),
                                          .plan     = plan_rosenbrock,
                                          .setup    = set_up_rosenbrock,
                                          .attempt  = attempt_rosenbrock,
                                          .accepted = find_rates,
                                          .view     = view_rosenbrock};
