/* test_stage_increment.c - rates over small steps have the digits that values leave them: a solve is for increments. */
#include "../step_impl.h"
#include "ode.h"

#define AT 0.5               /* where runs begin: data, values and rates are in motion */
#define H  (1.0 / (1 << 27)) /* 7.5e-9; times have no rounding */

typedef struct {
  const char *name, *p, *more; /* equations beside that of u; NULL: none */
  PetscInt    order;
  const char *equation, *data; /* data: where u is given; NULL: nowhere */
} Motion;

#define VALUE "(1 + x[0])*cos(t)"
#define SPEED "-(1 + x[0])*sin(t)"

/* u = (1 + x) cos(t), which the space holds */
static const Motion motion[] = {
  {"wave", NULL, NULL, 2, "dt(dt(u))*v*dx + inner(grad(u), grad(v))*dx + (1 + x[0])*cos(t)*v*dx", "boundary"},
  {"nonlinear", NULL, NULL, 2,
   "dt(dt(u))*v*dx + inner(grad(u), grad(v))*dx + (u^3 - ((1 + x[0])*cos(t))^3 + (1 + x[0])*cos(t))*v*dx", "boundary"},
  {"order 1", NULL, NULL, 1,
   "dt(u)*v*dx + inner(grad(u), grad(v))*dx + (u^3 - ((1 + x[0])*cos(t))^3 + (1 + x[0])*sin(t))*v*dx", "boundary"},
  {"index 1", "2*" VALUE, "(p - 2*u)*q*dx", 2, "dt(dt(u))*v*dx + 0.5*p*v*dx", NULL}};

static PetscErrorCode create(const Motion *m, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){3, 3}, NULL));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  if (m->p) PetscCall(RungSystemAddUnknown(*sys, "p", "q", space));
  PetscCall(RungSystemAddResidual(*sys, m->equation));
  if (m->more) PetscCall(RungSystemAddResidual(*sys, m->more));
  if (m->data) PetscCall(RungSystemSetDirichlet(*sys, "u", m->data, VALUE));
  PetscCall(RungSystemSetInitial(*sys, "u", VALUE));
  if (m->order == 2) PetscCall(RungSystemSetInitial(*sys, "dt(u)", SPEED));
  if (m->p) PetscCall(RungSystemSetInitial(*sys, "p", m->p));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c_k of  u^(k) = c_k(t) (1 + x) */
static PetscReal factor(PetscInt k, PetscReal t)
{
  return k == 0 ? PetscCosReal(t) : k == 1 ? -PetscSinReal(t) : -PetscCosReal(t);
}

/* max |u^(k) - c_k/c_0 u| of the unknown u at the end of a run; values have all of their digits, rates are made of increments */
static PetscErrorCode miss(RungSystem sys, const RungState *state, PetscInt k, PetscReal *error)
{
  const PetscReal    c = factor(k, state->t) / factor(0, state->t);
  const PetscScalar *u, *rate;
  PetscInt           start, end;

  PetscFunctionBegin;
  *error = 0;
  PetscCall(RungSystemGetRange(sys, 0, &start, &end));
  PetscCall(VecGetArrayRead(state->u[0], &u));
  PetscCall(VecGetArrayRead(state->u[k], &rate));
  for (PetscInt j = start; j < end; ++j) *error = PetscMax(*error, PetscAbsScalar(rate[j] - c * u[j]));
  PetscCall(VecRestoreArrayRead(state->u[k], &rate));
  PetscCall(VecRestoreArrayRead(state->u[0], &u));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, error, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A last digit of h u' is one of size u'/h in u'', 1e-7 and 1e-5 here; one of u would be of size u/h^2. */
static PetscErrorCode check_rates(RungSystem sys, PetscInt order, const char name[], const char type[],
                                  const char method[], PetscReal h)
{
  const PetscReal  wanted = 1e-9 + 1e-15 / h;
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetType(stepper, type));
  if (method) PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperSetInterval(stepper, AT, AT + 4 * h, h));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  for (PetscInt k = 1; k <= order; ++k) {
    PetscReal error;

    PetscCall(miss(sys, state, k, &error));
    if (!(error <= wanted))
      fprintf(stderr, "%s, %s %s, h = %g, derivative %d: ", name, type, method ? method : "", h, (int)k);
    CHECK_NEAR(error, 0, wanted);
  }
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates of bdf2 at entries with data are differences of the data. */
static PetscErrorCode check_methods(const Motion *m)
{
  static const struct {
    const char *type, *method;
    PetscInt    orders; /* 1, 2, or both: 3 */
    PetscBool   moving;
  } row[]               = {{RUNGDIRK, "esdirk43", 3, PETSC_TRUE}, {RUNGDIRK, "euler", 3, PETSC_TRUE},
                           {RUNGBDF, "bdf2", 3, PETSC_FALSE},     {RUNGALPHA, "chung_hulbert", 3, PETSC_TRUE},
                           {RUNGALPHA, "newmark", 2, PETSC_TRUE}, {"imex", NULL, 1, PETSC_TRUE}};
  const PetscReal least = check_alone() ? 1e-10 : 5e-9;
  RungSystem      sys;

  PetscFunctionBegin;
  PetscCall(create(m, &sys));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    if (!(row[i].orders & m->order) || (m->data && !row[i].moving)) continue;
    for (PetscReal h = H; h > least; h /= 64)
      PetscCall(check_rates(sys, m->order, m->name, row[i].type, row[i].method, h));
  }
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_rates_keep_their_digits_over_small_steps(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(motion); ++i) PetscCall(check_methods(&motion[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an iteration leaves of values would be all of an increment. */
static PetscErrorCode test_they_do_by_iteration(void)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_type", "gmres"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "jacobi"));
  PetscCall(check_methods(&motion[0]));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u'' = -u from u = 1, u' = 0, by all methods that solve for values at order 2 */
static PetscErrorCode test_callbacks_of_order_2_begin_to_move(void)
{
  static const struct {
    const char *type, *method;
  } row[] = {{RUNGDIRK, "esdirk43"}, {RUNGDIRK, "trbdf2"},        {RUNGDIRK, "midpoint"}, {"bathe", "bathe"},
             {"theta", "theta"},     {RUNGBDF, "bdf1"},           {RUNGBDF, "bdf2"},      {RUNGALPHA, "newmark"},
             {RUNGALPHA, "hht"},     {RUNGALPHA, "chung_hulbert"}};
  Ode ode = oscillator(1, 0);

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungStepper      stepper;
    const RungState *state;
    PetscReal        v, a;

    PetscCall(ode_stepper(PETSC_COMM_WORLD, &ode, row[i].type, row[i].method, 0, 1e-7, 1e-8, &stepper));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperGetState(stepper, 0, &state));
    PetscCall(VecMax(state->u[1], NULL, &v));
    PetscCall(VecMax(state->u[2], NULL, &a));
    CHECK_NEAR(v, -1e-7, 1e-13);
    CHECK_NEAR(a, -1, 1e-6);
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_rates_keep_their_digits_over_small_steps), RUNG_TEST(test_they_do_by_iteration),
               RUNG_TEST(test_callbacks_of_order_2_begin_to_move))
