/* test_statistics.c - the work of a run as a file, its refusals by cause and its seconds. */
#include "../step_impl.h"
#include "ode.h"
#include "points.h"
#include <petsctime.h>

/* The number behind "name": */
static PetscErrorCode number_of(const char text[], const char name[], PetscReal *value)
{
  char        key[64];
  const char *at;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(key, sizeof key, "\"%s\": ", name));
  at = strstr(text, key);
  CHECK(at);
  *value = at ? strtod(at + strlen(key), NULL) : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* text[4096] */
static PetscErrorCode read_work(const char path[], char text[])
{
  FILE *file = fopen(path, "r");

  PetscFunctionBegin;
  CHECK(file && fread(text, 1, 4095, file) > 0);
  if (file) CHECK(fclose(file) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each under its own name. */
static PetscErrorCode check_counts(const char text[], const RungStepperStatistics *s)
{
  const struct {
    const char *name;
    PetscInt    count;
  } row[] = {{"steps", s->steps},         {"rejected", s->rejected},
             {"failed", s->failed},       {"newton", s->newton},
             {"linear", s->linear},       {"residuals", s->residuals},
             {"jacobians", s->jacobians}, {"factorisations", s->factorisations}};
  PetscReal value;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    PetscCall(number_of(text, row[i].name, &value));
    CHECK(value == (PetscReal)row[i].count);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_work_of_a_run_is_a_file(void)
{
  char                  text[4096] = "";
  RungStepper           stepper;
  RungStepperStatistics s;
  PetscReal             T[1], value, most;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-stepper_statistics work.json"));
  PetscCall(points_create(1, (const char *const[]){"T"}, (const char *const[]){"P0"}, (const char *const[]){"1"},
                          "(dt(T) + 50*(T^3 - cos(t)))*v*dx", &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 2, 1e-3));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(points_solve(&stepper, 1, T, &s));
  PetscCall(read_work("work.json", text));
  CHECK(!strstr(text, "method_before"));
  CHECK(s.steps > 10);
  PetscCall(check_counts(text, &s));
  PetscCall(number_of(text, "starts", &value));
  CHECK(value == 1);
  PetscCall(number_of(text, "newton_most", &most));
  PetscCall(number_of(text, "newton_last", &value));
  CHECK(value >= 1 && value <= most && most <= 20);
  PetscCall(number_of(text, "solves", &value));
  CHECK(value >= (PetscReal)s.steps && value * most >= (PetscReal)s.newton);
  PetscCall(number_of(text, "dt_last", &value));
  CHECK(value > 0 && value < 2);
  PetscCall(number_of(text, "t", &value));
  CHECK(value == 2);
  PetscCall(number_of(text, "refused_by_error", &value));
  CHECK(value == (PetscReal)s.rejected);
  PetscCall(number_of(text, "refused_by_newton", &value));
  CHECK(value == (PetscReal)s.refused[RUNG_REFUSED_NEWTON]);
  PetscCall(number_of(text, "seconds_of_solutions", &value));
  CHECK_NEAR(value, s.solution_seconds, 1e-5 * s.solution_seconds);
  PetscCall(number_of(text, "seconds", &most));
  PetscCall(number_of(text, "seconds_of_longest_step", &value));
  CHECK(value > 0 && value <= most * 1.001);
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_statistics"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is there and is no such file is left alone, and told before the run. */
static PetscErrorCode test_no_other_file_is_written_over(void)
{
  static const char mine[]   = "{\n  \"type\": \"my own\"\n}\n";
  char              text[64] = "";
  RungStepper       stepper;
  PetscReal         T[1];
  FILE             *file = fopen("mine.json", "w");

  PetscFunctionBegin;
  CHECK(file && fputs(mine, file) >= 0 && fclose(file) == 0);
  PetscCall(PetscOptionsInsertString(NULL, "-stepper_statistics mine.json"));
  PetscCall(points_create(1, (const char *const[]){"T"}, (const char *const[]){"P0"}, (const char *const[]){"1"},
                          "(dt(T) + T)*v*dx", &stepper));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.5));
  PetscCall(RungStepperSetFromOptions(stepper));
  CHECK_RAISES(points_solve(&stepper, 1, T, NULL),
               "\"mine.json\" cannot be written: a file that is not the work of a run");
  file = fopen("mine.json", "r");
  CHECK(file && fread(text, 1, sizeof text - 1, file) == strlen(mine) && fclose(file) == 0 && !strcmp(text, mine));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_statistics"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals by cause ---------------------------------------------------------------------------------------------- */

/* One step of length h, which fails for this cause alone; the stepper is destroyed. */
static PetscErrorCode check_cause(RungStepper *stepper, PetscReal h, RungCause cause)
{
  RungStepperStatistics s;

  PetscFunctionBegin;
  PetscCall(RungStepperSetMethod(*stepper, "bdf1"));
  PetscCall(RungStepperSetInterval(*stepper, 0, h, h));
  CHECK_RAISES(RungStepperSolve(*stepper), "gave up at t = 0");
  PetscCall(RungStepperGetStatistics(*stepper, &s));
  CHECK(s.failed == 1 && s.rejected == 0);
  for (int c = 0; c < RUNG_CAUSES; ++c) CHECK(s.refused[c] == (c == (int)cause));
  PetscCall(RungStepperDestroy(stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode of_one(const char residual[], RungStepper *stepper)
{
  PetscFunctionBegin;
  PetscCall(points_create(1, (const char *const[]){"T"}, (const char *const[]){"P0"}, (const char *const[]){"0"},
                          residual, stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_each_failure_has_its_cause(void)
{
  RungStepper stepper;
  RungSystem  sys;
  RungMesh    mesh;
  RungSpace   space;

  PetscFunctionBegin;
  PetscCall(of_one("(dt(T) + T^2 + 1)*v*dx", &stepper)); /* 10 T^2 + T + 10 = 0 has no root */
  PetscCall(check_cause(&stepper, 10, RUNG_REFUSED_NEWTON));
  PetscCall(of_one("(dt(T) + T^2 + 1)*v*dx", &stepper));
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(RungSystemSetBounds(sys, "T", NULL, "5"));
  PetscCall(check_cause(&stepper, 10, RUNG_REFUSED_BOUND));
  PetscCall(of_one("(dt(T) - T + 1)*v*dx", &stepper)); /* 1/h - 1 = 0 */
  PetscCall(check_cause(&stepper, 1, RUNG_REFUSED_LINEAR));
  PetscCall(of_one("(dt(T) + T^2 + log(0.5 - t))*v*dx", &stepper));
  PetscCall(check_cause(&stepper, 1, RUNG_REFUSED_DOMAIN));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (const PetscInt[]){2}, (const PetscReal[]){1}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSpaceCreate(mesh, "P1", &space));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungSpaceCreate(mesh, "Quad(2)", &space));
  PetscCall(RungSystemAddUnknown(sys, "e", "q", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungSystemAddResidual(sys, "(dt(u) + e)*v*dx + (dt(e) + e^2 + 1)*q*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(check_cause(&stepper, 10, RUNG_REFUSED_POINT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A method that refuses by itself twice, is refused by the error test four times and meets an estimate that is not finite once. */
static PetscErrorCode plan_fickle(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  PetscFunctionBegin;
  (void)stepper, (void)traits;
  *plan = (RungMethodPlan){.order = 1, .exponent = 2, .depth = 1, .can = RUNG_CAN_ALL, .citation = "none"};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode attempt_fickle(RungStepper stepper, const RungState *from, PetscReal h, RungState *to,
                                     RungVerdict *verdict)
{
  static int attempts;
  const int  n = attempts++;

  PetscFunctionBegin;
  (void)stepper, (void)h;
  for (int k = 0; k < 2; ++k) PetscCall(VecCopy(from->u[k], to->u[k]));
  if (n < 2)
    RungVerdictFail(verdict, "not in the mood");
  else
    verdict->error = n < 6 ? 4 : n == 6 ? NAN : 0.1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_refusals_of_a_run_are_counted_by_cause(void)
{
  static const char *const    methods[] = {"fickle", NULL};
  static const RungStepperOps fickle    = {.methods = methods, .plan = plan_fickle, .attempt = attempt_fickle};
  RungStepperStatistics       s;
  RungStepper                 stepper;
  PetscReal                   T[1];
  char                        text[4096] = "";

  PetscFunctionBegin;
  PetscCall(RungStepperRegister("fickle", &fickle));
  PetscCall(PetscOptionsInsertString(NULL, "-stepper_statistics fickle.json"));
  PetscCall(of_one("(dt(T) + T)*v*dx", &stepper));
  PetscCall(RungStepperSetType(stepper, "fickle"));
  PetscCall(RungStepperSetTolerances(stepper, 1e-3, 1e-3));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.5));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(points_solve(&stepper, 1, T, &s));
  CHECK(s.refused[RUNG_REFUSED_METHOD] == 2);
  CHECK(s.refused[RUNG_REFUSED_ERROR] == 4 && s.rejected == 4);
  CHECK(s.refused[RUNG_REFUSED_DOMAIN] == 1 && s.failed == 3);
  PetscCall(read_work("fickle.json", text));
  PetscCall(check_counts(text, &s));
  PetscCall(PetscOptionsClearValue(NULL, "-stepper_statistics"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- seconds ---------------------------------------------------------------------------------------------------------- */

#define ASSEMBLY 4e-3 /* seconds that each of them takes at least */
#define SETUP    3e-3
#define SOLUTION 2e-3

static PetscInt setups, applications;

static PetscErrorCode spend(PetscLogDouble seconds)
{
  PetscLogDouble begin, now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  do PetscCall(PetscTime(&now));
  while (now - begin < seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode slow_jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                    void *ctx)
{
  PetscFunctionBegin;
  PetscCall(spend(ASSEMBLY));
  PetscCall(kaps_jacobian(sys, t, u, sigma, J, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode slow_setup(PC pc)
{
  PetscFunctionBegin;
  (void)pc;
  ++setups;
  PetscCall(spend(SETUP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Jacobi's preconditioner */
static PetscErrorCode slow_apply(PC pc, Vec x, Vec y)
{
  Vec diagonal;
  Mat J;

  PetscFunctionBegin;
  ++applications;
  PetscCall(spend(SOLUTION));
  PetscCall(PCGetOperators(pc, NULL, &J));
  PetscCall(VecDuplicate(x, &diagonal));
  PetscCall(MatGetDiagonal(J, diagonal));
  PetscCall(VecPointwiseDivide(y, x, diagonal));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_seconds_are_those_of_matrices_factors_and_solves(void)
{
  Ode                   ode = kaps();
  RungStepper           stepper;
  RungStepperStatistics s;
  PetscLogDouble        begin, end, least;
  SNES                  snes;
  KSP                   ksp;
  PC                    pc;

  PetscFunctionBegin;
  ode.jacobian = slow_jacobian;
  PetscCall(ode_stepper(PETSC_COMM_SELF, &ode, RUNGBDF, "bdf1", 0, 0.4, 0.1, &stepper));
  PetscCall(RungStepperSetUp(stepper));
  PetscCall(RungLineSolverGetSNES(stepper->solver, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPFGMRES));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetSetUp(pc, slow_setup));
  PetscCall(PCShellSetApply(pc, slow_apply));
  PetscCall(PetscTime(&begin));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(PetscTime(&end));
  PetscCall(RungStepperGetStatistics(stepper, &s));
  CHECK(s.steps == 4 && s.jacobians >= 4 && setups >= 4 && applications >= setups);
  CHECK(s.factorisations == setups);
  least = (PetscReal)s.jacobians * ASSEMBLY + (PetscReal)setups * SETUP + (PetscReal)applications * SOLUTION;
  /* each has its own, and what is left of the run belongs to none of the others */
  CHECK(s.jacobian_seconds >= (PetscReal)s.jacobians * ASSEMBLY);
  CHECK(s.factorisation_seconds >= (PetscReal)setups * SETUP);
  CHECK(s.solution_seconds >= (PetscReal)applications * SOLUTION);
  CHECK(s.jacobian_seconds + s.factorisation_seconds + s.solution_seconds <= end - begin);
  CHECK(s.jacobian_seconds <= (PetscReal)s.jacobians * ASSEMBLY + end - begin - least);
  CHECK(s.factorisation_seconds <= (PetscReal)setups * SETUP + end - begin - least);
  CHECK(s.longest_seconds >= least / 4 && s.longest_seconds <= end - begin);
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_no_other_file_is_written_over), RUNG_TEST(test_the_work_of_a_run_is_a_file),
               RUNG_TEST(test_each_failure_has_its_cause), RUNG_TEST(test_refusals_of_a_run_are_counted_by_cause),
               RUNG_TEST(test_seconds_are_those_of_matrices_factors_and_solves))
