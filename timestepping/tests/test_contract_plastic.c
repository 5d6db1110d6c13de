/* test_contract_plastic.c - J2 plasticity in a brick whose load turns and changes its direction, in steps of many times the
   strain at yield: every point against a radial return of its own, and Newton's method quadratic. */
#include "../step_impl.h"
#include <check.h>

#define E    200e3
#define NU   0.3
#define MU   (E / (2 * (1 + NU)))
#define Y    250.0
#define MOST 32

typedef struct {
  const char *pull, *shear; /* displacements of the end, in t */
  PetscReal   H, R;         /* strength Y + H p + R (1 - exp(-100 p)) */
  const char *method;
} Load;

/* What the monitor compares and keeps. */
typedef struct {
  const Load *load;
  PetscInt    points;
  PetscReal  *s;         /* owned, [point][10] ep and p of the radial return */
  PetscInt    slow;      /* Newton's ends that were not quadratic            */
  PetscInt    k, solves; /* iterations of the present solve, solves so far   */
  PetscReal   norm[MOST];
} Witness;

static PetscReal excess(const Load *load, PetscReal size, PetscReal p, PetscReal d)
{
  return size - 3 * MU * d - Y - load->H * (p + d) - load->R * (1 - exp(-100 * (p + d)));
}

/* s = (ep, p) goes on to strain e[9]. */
static void radial_return(const Load *load, const PetscScalar e[], PetscReal s[])
{
  PetscReal dev[9], mean = 0, size = 0, low = 0, high;

  for (int i = 0; i < 3; ++i) mean += (e[4 * i] - s[4 * i]) / 3;
  for (int i = 0; i < 9; ++i) {
    dev[i] = 2 * MU * (e[i] - s[i] - (i % 4 ? 0 : mean));
    size += 1.5 * dev[i] * dev[i];
  }
  size = sqrt(size);
  if (excess(load, size, s[9], 0) <= 0) return;
  high = size / (3 * MU);
  for (int i = 0; i < 100; ++i) {
    const PetscReal d = (low + high) / 2;

    *(excess(load, size, s[9], d) > 0 ? &low : &high) = d;
  }
  for (int i = 0; i < 9; ++i) s[i] += low * 1.5 * dev[i] / size;
  s[9] += low;
}

static PetscErrorCode create(const Load *load, RungSystem *sys)
{
  static const char *const name[] = {"u", "ep", "p", "e"}, *const test[] = {"v", "eq", "pq", "ev"};
  static const char *const spec[] = {"Q1^d", "Quad(2)^dxd", "Quad(2)", "Quad(2)^dxd"};
  RungMesh                 mesh;
  RungSpace                space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){3, 2, 1}, (PetscReal[]){2, 1, 1}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (int i = 0; i < 4; ++i) {
    PetscCall(RungSpaceCreate(mesh, spec[i], &space));
    PetscCall(RungSystemAddUnknown(*sys, name[i], test[i], space));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemSetConstant(*sys, "E", E));
  PetscCall(RungSystemSetConstant(*sys, "mu", MU));
  PetscCall(RungSystemSetConstant(*sys, "lambda", E * NU / ((1 + NU) * (1 - 2 * NU))));
  PetscCall(RungSystemSetConstant(*sys, "H", load->H));
  PetscCall(RungSystemSetConstant(*sys, "R", load->R));
  PetscCall(RungSystemDefine(*sys, "ee", "sym(grad(u)) - ep"));
  PetscCall(RungSystemDefine(*sys, "sigma", "lambda*tr(ee)*I + 2*mu*ee"));
  PetscCall(RungSystemDefine(*sys, "s", "dev(sigma)"));
  PetscCall(RungSystemDefine(*sys, "size", "sqrt(1.5*inner(s, s) + 1e-12)"));
  PetscCall(RungSystemDefine(*sys, "f", "size - 250 - H*p - R*(1 - exp(-100*p))"));
  PetscCall(RungSystemAddResidual(*sys, "inner(sigma, grad(v))*dx + inner(e - sym(grad(u)), ev)*dx"));
  PetscCall(RungSystemAddResidual(*sys, "inner(dt(ep) - 1.5*dt(p)*s/size, eq)*dx"));
  PetscCall(RungSystemAddResidual(*sys, "(dt(p) - max(0, dt(p) + f/E))*pq*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetDirichlet(*sys, "u[0]", "right", load->pull));
  PetscCall(RungSystemSetDirichlet(*sys, "u[1]", "right", load->shear));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last iteration squares the one before, down to rounding. */
static PetscErrorCode watch_newton(SNES snes, PetscInt it, PetscReal norm, void *ctx)
{
  Witness *w = (Witness *)ctx;

  PetscFunctionBegin;
  (void)snes;
  if (it < MOST) w->norm[w->k = it] = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void judge_newton(Witness *w)
{
  const PetscReal before = w->k > 1 ? w->norm[w->k - 1] / w->norm[0] : 0, after = w->norm[w->k] / w->norm[0];

  ++w->solves;
  if (w->k > 1 && after > 1000 * before * before + 1e-12) ++w->slow;
}

static PetscErrorCode compare(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  Witness           *w = (Witness *)ctx;
  RungSystem         sys;
  const PetscScalar *x;
  PetscInt           start[5];

  PetscFunctionBegin;
  (void)step;
  PetscCall(RungStepperGetSystem(stepper, &sys));
  for (PetscInt f = 0; f < 4; ++f) PetscCall(RungSystemGetRange(sys, f, &start[f], &start[f + 1]));
  if (!w->s) {
    w->points = start[3] - start[2];
    PetscCall(PetscCalloc1(10 * w->points + 1, &w->s));
  }
  if (t > 0) judge_newton(w);
  PetscCall(VecGetArrayRead(u[0], &x));
  for (PetscInt i = 0; i < w->points && t > 0; ++i) {
    radial_return(w->load, x + start[3] + 9 * i, w->s + 10 * i);
    for (int j = 0; j < 9; ++j) CHECK_NEAR(x[start[1] + 9 * i + j], w->s[10 * i + j], 1e-10);
    CHECK_NEAR(x[start[2] + i], w->s[10 * i + 9], 1e-10);
  }
  PetscCall(VecRestoreArrayRead(u[0], &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(const Load *load, PetscReal dt, PetscInt steps)
{
  Witness     witness = {.load = load};
  PetscReal   most    = 0;
  RungSystem  sys;
  RungStepper stepper;
  SNES        snes;

  PetscFunctionBegin;
  PetscCall(create(load, &sys));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, load->method));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddMonitor(stepper, compare, &witness));
  PetscCall(RungStepperSetInterval(stepper, 0, dt * (PetscReal)steps, dt));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter"));
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscCall(RungLineSolverGetSNES(stepper->solver, &snes));
  PetscCall(SNESMonitorSet(snes, watch_newton, &witness, NULL));
  PetscCall(RungStepperSolve(stepper));
  CHECK(witness.solves == steps && witness.slow == 0);
  for (PetscInt i = 0; i < witness.points; ++i) most = PetscMax(most, witness.s[10 * i + 9]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  CHECK(most > 10 * Y / E);
  PetscCall(PetscFree(witness.s));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_brick_is_pulled_and_pushed(void)
{
  const Load load = {"0.02*sin(pi*t/2)", "0", 2e3, 0, "bdf1"};

  PetscFunctionBegin;
  if (check_alone()) PetscCall(run(&load, 0.25, 12));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_in_steps_that_turn_the_load_round_at_once(void)
{
  const Load load = {"0.02*sin(pi*t/2)", "0", 500, 100, "euler"};

  PetscFunctionBegin;
  if (check_alone()) PetscCall(run(&load, 1, 6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_on_a_path_that_changes_its_direction(void)
{
  const Load load = {"0.02*sin(pi*t/2)", "0.03*(1 - cos(pi*t/2))*if(t < 2, 1, -1)", 1e3, 150, "bdf1"};

  PetscFunctionBegin;
  PetscCall(run(&load, 0.5, 8));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_brick_is_pulled_and_pushed), RUNG_TEST(test_in_steps_that_turn_the_load_round_at_once),
               RUNG_TEST(test_on_a_path_that_changes_its_direction))
