/* test_restart.c - a run that goes on from a checkpoint is the run that never stopped, bit for bit, with every method. */
#include "check.h"
#include "rungverify.h"
#include <rungmethod.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Nonlinear diffusion, or (order 2) a nonlinear wave, with moving data on the left; the flux is integrated in time. */
static PetscErrorCode create_system(MPI_Comm comm, PetscInt order, PetscReal k, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){3, 2}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, "P2", &space));
  PetscCall(RungSystemCreate(comm, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(*sys, "k", k));
  PetscCall(RungSystemAddResidual(*sys, order == 1 ? "dt(u)*v*dx" : "dt(u, 2)*v*dx + 0.1*dt(u)*v*dx"));
  PetscCall(RungSystemAddResidual(*sys, "k*(1 + u^2)*inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(2*t)"));
  PetscCall(RungSystemSetInitial(*sys, "u", "sin(0.2)*(1 - x[0]) + x[0]*x[1]"));
  if (order == 2) PetscCall(RungSystemSetInitial(*sys, "dt(u)", "2*cos(0.2)*(1 - x[0])"));
  PetscCall(RungSystemAddRate(*sys, "flow", "inner(grad(u), n)*ds(right)"));
  PetscCall(RungSystemAddQuantity(*sys, "total", "u*dx"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *type, *method, *load;
  PetscInt    order, every;
  PetscReal   rtol; /* 0: fixed steps */
  PetscBool   save;
  PetscReal   k;       /* 0: the usual value */
  PetscBool   more;    /* a quantity, a rate and a constant that the equations do not hold */
  PetscReal   seconds; /* of wall time between checkpoints                                 */
  PetscBool   table;   /* a table, and so a picture of it                                  */
} Run;

/* What is left of a run: the newest u, a hash of its bits on this rank is compared by the caller. */
typedef struct {
  Vec                   u;
  PetscReal             flow;
  RungStepperStatistics statistics;
} Result;

static PetscInt first_rows; /* of run.csv.part on the disk when the monitor was first called; -1: it was not */

/* A run may be killed at any moment: what it goes on from must be on the disk before its first step. */
static PetscErrorCode count_rows(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  FILE *file;
  int   c;

  PetscFunctionBegin;
  (void)stepper, (void)step, (void)t, (void)u, (void)ctx;
  if (first_rows >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  first_rows = 0;
  file       = fopen("run.csv.part", "r");
  while (file && (c = fgetc(file)) != EOF) first_rows += c == '\n' ? 1 : 0;
  if (file) (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(const Run *r, RungStepper stepper, Result *result)
{
  const PetscReal  dt = strcmp(r->type, RUNGEXPLICIT) != 0 ? 0.04
                                                           : 2e-4; /* ten steps; explicit ones have to be stable */
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, r->type));
  PetscCall(RungStepperSetMethod(stepper, r->method));
  PetscCall(RungStepperSetInterval(stepper, 0.1, 0.1 + 10 * dt, dt));
  PetscCall(RungStepperAddMonitor(stepper, count_rows, NULL));
  if (r->rtol > 0) PetscCall(RungStepperSetTolerances(stepper, r->rtol, PETSC_DEFAULT));
  if (r->save) PetscCall(RungStepperSetCheckpoint(stepper, "run_{step}.h5", r->every));
  PetscCall(RungStepperSetCheckpointSeconds(stepper, r->seconds));
  PetscCall(RungStepperSetRestart(stepper, r->load, PETSC_FALSE));
  if (r->table) PetscCall(RungStepperAddTable(stepper, "run.csv"));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecDuplicate(state->u[0], &result->u));
  PetscCall(VecCopy(state->u[0], result->u));
  PetscCall(RungStepperGetQuantity(stepper, "flow", &result->flow));
  PetscCall(RungStepperGetStatistics(stepper, &result->statistics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_more(RungSystem sys)
{
  PetscFunctionBegin;
  PetscCall(RungSystemSetConstant(sys, "c", 2));
  PetscCall(RungSystemAddQuantity(sys, "twice", "c*u*dx"));
  PetscCall(RungSystemAddRate(sys, "source", "c*dx"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(MPI_Comm comm, const Run *r, Result *result)
{
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(create_system(comm, r->order, r->k > 0 ? r->k : 0.3, &sys));
  if (r->more) PetscCall(add_more(sys));
  PetscCall(RungStepperCreate(comm, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungSystemDestroy(&sys));
  RungCallFinally(solve(r, stepper, result), PetscCall(RungStepperDestroy(&stepper)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs whole and from step 4, both with checkpoints; every bit of the end is the same. */
static PetscErrorCode compare(const char type[], const char method[], PetscInt order, PetscReal rtol)
{
  Run whole = {type, method, NULL, order, 4, rtol, PETSC_TRUE, 0, PETSC_FALSE, 0, PETSC_FALSE},
      rest  = {type, method, "run_4.h5", order, 4, rtol, PETSC_TRUE, 0, PETSC_FALSE, 0, PETSC_FALSE};
  Result    a, b;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(run(PETSC_COMM_WORLD, &whole, &a));
  PetscCall(run(PETSC_COMM_WORLD, &rest, &b));
  PetscCall(VecEqual(a.u, b.u, &same));
  if (!same) fprintf(stderr, "%s %s, order %d, rtol %g\n", type, method, (int)order, (double)rtol);
  CHECK(same);
  CHECK(a.flow == b.flow);
  CHECK(a.statistics.steps == b.statistics.steps && a.statistics.newton == b.statistics.newton);
  CHECK(a.statistics.steps > 4);
  PetscCall(VecDestroy(&a.u));
  PetscCall(VecDestroy(&b.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode is_for(const char type[], const char method[], PetscInt order, PetscBool *yes)
{
  RungMethodPlan plan;

  PetscFunctionBegin;
  PetscCall(RungStepperGetPlan(type, method, &plan));
  *yes = plan.can & (order == 1 ? RUNG_CAN_ORDER1 : RUNG_CAN_ORDER2) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MUMPS, the default on several ranks, adds in another order in each run: take a solver that does not. */
static PetscErrorCode choose_solver(void)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_type gmres -pc_type bjacobi -ksp_rtol 1e-12"));
  PetscCall(PetscOptionsInsertString(NULL, "-mass_ksp_type gmres -mass_pc_type bjacobi -mass_ksp_rtol 1e-12"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All members of small families; of the many tableaux one in nine.  On several ranks one of each that keeps something of its own. */
static PetscErrorCode test_fixed_steps_go_on_bit_for_bit(void)
{
  const char *const *type, *const *method;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(choose_solver());
  PetscCall(RungStepperGetMethods(&n, &type, &method));
  for (PetscInt i = 0; i < n; ++i) {
    if (check_alone() && strcmp(type[i], RUNGBDF) && strcmp(type[i], RUNGALPHA) && i % 9) continue;
    if (!check_alone() && strcmp(method[i], "esdirk43") && strcmp(method[i], "bdf2") && strcmp(method[i], "newmark"))
      continue;
    for (PetscInt order = 1; order <= 2; ++order) {
      PetscBool yes;

      PetscCall(is_for(type[i], method[i], order, &yes));
      if (yes) PetscCall(compare(type[i], method[i], order, 0));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_adaptive_steps_go_on_bit_for_bit(void)
{
  PetscFunctionBegin;
  PetscCall(choose_solver());
  PetscCall(compare(RUNGDIRK, "esdirk43", 1, 1e-6));
  PetscCall(compare(RUNGALPHA, "chung_hulbert", 2, 1e-4));
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(compare(RUNGDIRK, "trbdf2", 1, 1e-5));
  PetscCall(compare(RUNGDIRK, "esdirk32", 2, 1e-5));
  PetscCall(compare(RUNGROSENBROCK, "rodas4p", 1, 1e-5));
  PetscCall(compare(RUNGROSENBROCK, "rodas3p", 2, 1e-4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each rank alone goes on from what all wrote together: the same quantities. */
static PetscErrorCode test_a_single_rank_goes_on_from_a_checkpoint_of_many(void)
{
  const Run whole = {RUNGDIRK, "esdirk43", NULL, 1, 6, 0, PETSC_TRUE, 0, PETSC_FALSE, 0, PETSC_FALSE},
            rest  = {RUNGDIRK, "esdirk43", "run_6.h5", 1, 6, 0, PETSC_FALSE, 0, PETSC_FALSE, 0, PETSC_FALSE};
  Result      a, b;
  PetscReal   norm[2];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(run(PETSC_COMM_WORLD, &whole, &a));
  PetscCall(VecNorm(a.u, NORM_2, &norm[0]));
  if (!rank) {
    PetscCall(run(PETSC_COMM_SELF, &rest, &b));
    PetscCall(VecNorm(b.u, NORM_2, &norm[1]));
    CHECK_NEAR(norm[1], norm[0], 1e-10 * norm[0]);
    CHECK_NEAR(b.flow, a.flow, 1e-10);
    CHECK(b.statistics.steps == 10);
    PetscCall(VecDestroy(&b.u));
  }
  PetscCall(VecDestroy(&a.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A killed run leaves its table as .part with rows after the last checkpoint: they are cut, and written again. */
static PetscErrorCode test_a_table_goes_on_from_the_checkpoint(void)
{
  const Run whole = {RUNGDIRK, "trbdf2", NULL, 1, 6, 0, PETSC_TRUE, 0, PETSC_FALSE, 0, PETSC_TRUE},
            rest  = {RUNGDIRK, "trbdf2", "run_6.h5", 1, 6, 0, PETSC_TRUE, 0, PETSC_FALSE, 0, PETSC_TRUE};
  Result      a;
  char        text[2][4096] = {"", ""};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int i = 0; i < 2; ++i) {
    first_rows = -1;
    PetscCall(run(PETSC_COMM_WORLD, i ? &rest : &whole, &a));
    PetscCall(VecDestroy(&a.u));
    CHECK(rank || !i || first_rows == 8); /* the head, the start and six steps */
    if (!rank) {
      FILE *file = fopen("run.csv", "r");

      CHECK(file && fread(text[i], 1, sizeof text[i] - 1, file) > 100);
      CHECK(file && fclose(file) == 0 && rename("run.csv", "run.csv.part") == 0);
    }
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  }
  CHECK(!strcmp(text[0], text[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_another_method_or_constant_is_refused(void)
{
  Run whole = {RUNGDIRK, "trbdf2", NULL, 1, 6, 0, PETSC_TRUE, 0, PETSC_FALSE, 0, PETSC_FALSE},
      other = {RUNGDIRK, "esdirk43", "run_6.h5", 1, 6, 0, PETSC_FALSE, 0, PETSC_FALSE, 0, PETSC_FALSE};
  Result a;

  PetscFunctionBegin;
  PetscCall(run(PETSC_COMM_WORLD, &whole, &a));
  PetscCall(VecDestroy(&a.u));
  CHECK_RAISES(run(PETSC_COMM_WORLD, &other, &a), "continue with the same method");
  other.method = "trbdf2";
  other.k      = 0.5;
  CHECK_RAISES(run(PETSC_COMM_WORLD, &other, &a), "constant k");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_what_the_equations_do_not_hold_is_told_and_not_refused(void)
{
  const Run whole = {RUNGDIRK, "trbdf2", NULL, 1, 6, 0, PETSC_TRUE, 0, PETSC_FALSE, 0, PETSC_TRUE},
            rest  = {RUNGDIRK, "trbdf2", "run_6.h5", 1, 6, 0, PETSC_TRUE, 0, PETSC_TRUE, 0, PETSC_TRUE};
  Result    a, b;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(run(PETSC_COMM_WORLD, &whole, &a));
  PetscCall(run(PETSC_COMM_WORLD, &rest, &b));
  PetscCall(VecEqual(a.u, b.u, &same));
  CHECK(same);
  PetscCall(VecDestroy(&a.u));
  PetscCall(VecDestroy(&b.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every step takes longer than a billionth of a second, and none takes a day. */
#define NUMBERS 15
static const char *const number_name[NUMBERS] = {
  "steps",   "rejected",   "failed",    "newton",        "linear",        "residuals",   "jacobians", "factorisations",
  "refused", "grid index", "control h", "control error", "control ratio", "grid origin", "grid step"};

/* run_6.h5 with one number changed, as wrong.h5: whoever writes through the library gets a right seal. */
static PetscErrorCode copy_with(RungSystem sys, RungTransientSystem ts, int change, PetscReal value)
{
  RungCheckpoint from, to;
  PetscReal      number;
  char          *text;

  PetscFunctionBegin;
  PetscCall(RungCheckpointOpen(sys, "run_6.h5", PETSC_FALSE, &from));
  PetscCall(RungCheckpointCreate(sys, "wrong.h5", &to));
  PetscCall(RungCheckpointGetText(from, "method", &text));
  PetscCall(RungCheckpointPutText(to, "method", text));
  PetscCall(PetscFree(text));
  for (int i = 0; i < NUMBERS; ++i) {
    PetscCall(RungCheckpointGetReal(from, number_name[i], &number));
    PetscCall(RungCheckpointPutReal(to, number_name[i], i == change ? value : number));
  }
  PetscCall(RungTransientSystemLoad(ts, from));
  PetscCall(RungTransientSystemSave(ts, to));
  PetscCall(RungCheckpointSeal(&to));
  PetscCall(RungCheckpointClose(&from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a grid began may be any time: another one is made then.  All ranks read what rank 0 has read: one value each is enough. */
static PetscErrorCode test_numbers_that_no_run_can_have_are_refused(void)
{
  static const PetscReal wrong[] = {-2, 1e300, 2147483647.0 * 1e9};
  Run                    whole   = {RUNGDIRK, "trbdf2", NULL, 1, 6, 0, PETSC_TRUE, 0, PETSC_FALSE, 0, PETSC_FALSE},
      rest = {RUNGDIRK, "trbdf2", "wrong.h5", 1, 6, 0, PETSC_FALSE, 0, PETSC_FALSE, 0, PETSC_FALSE};
  RungSystem          sys;
  RungTransientSystem ts;
  Result              a;

  PetscFunctionBegin;
  PetscCall(run(PETSC_COMM_WORLD, &whole, &a));
  PetscCall(VecDestroy(&a.u));
  PetscCall(create_system(PETSC_COMM_WORLD, 1, 0.3, &sys));
  PetscCall(RungTransientSystemCreate(sys, 2, 0, &ts));
  for (int i = 0; i < NUMBERS; ++i) {
    if (!strcmp(number_name[i], "grid origin")) continue;
    for (size_t w = 0; w < (check_alone() ? PETSC_STATIC_ARRAY_LENGTH(wrong) : 1); ++w) {
      PetscCall(copy_with(sys, ts, i, wrong[w]));
      CHECK_RAISES(run(PETSC_COMM_WORLD, &rest, &a), number_name[i]);
    }
  }
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the checkpoint `load`, or the start; the stepper, which is destroyed, has a quantity "value". */
static PetscErrorCode solve_from(RungStepper stepper, const char load[], PetscReal *u, PetscInt *steps)
{
  RungStepperStatistics statistics;

  PetscFunctionBegin;
  if (load) PetscCall(RungStepperSetRestart(stepper, load, PETSC_FALSE));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "value", u));
  PetscCall(RungStepperGetStatistics(stepper, &statistics));
  *steps = statistics.steps;
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Van der Pol's equation, mu = 1000: on the way to the first turn, near t = 807, each step is two thirds of the one before. */
static PetscErrorCode run_fall(const char load[], PetscReal *u, PetscInt *steps)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0^2", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u) - vector(u[1], 1000*(1 - u[0]^2)*u[1] - u[0]), v)*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "vector(2, 0)"));
  PetscCall(RungSystemAddQuantity(sys, "value", "u[0]*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(stepper, 0, 806, 1e-4));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, 1e-6));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(
    RungStepperSetCheckpoint(stepper, load ? "again_{step}.h5" : "fall_{step}.h5", 1)); /* matrices begin anew */
  PetscCall(solve_from(stepper, load, u, steps));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is foreseen of the next step comes from the step before the checkpoint. */
static PetscErrorCode test_a_run_goes_on_where_its_steps_fall(void)
{
  PetscReal u, v;
  PetscInt  steps, again;

  PetscFunctionBegin;
  PetscCall(run_fall(NULL, &u, &steps));
  for (PetscInt n = 1; n < steps; n += PetscMax(1, steps / 12)) {
    char path[64];

    PetscCall(PetscSNPrintf(path, sizeof path, "fall_%" PetscInt_FMT ".h5", n));
    PetscCall(run_fall(path, &v, &again));
    CHECK(v == u && again == steps);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = q from t = 0.9 on; event: q is 0 before t = 0.3. */
static PetscErrorCode run_late(PetscBool event, const char load[], PetscReal *u, PetscInt *steps)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 1));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(sys, "q", event ? 0 : 1));
  PetscCall(RungSystemAddResidual(sys, "(dt(u) - if(t > 0.9, q*sin(40*t), 0))*v*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "100"));
  PetscCall(RungSystemAddQuantity(sys, "value", "u*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, "esdirk43"));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 0.1));
  PetscCall(RungStepperSetTolerances(stepper, 1e-6, PETSC_DEFAULT));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddEvent(stepper, "arm", &(RungEvent){.text = "t - 0.3", .direction = RUNG_RISING}));
  if (event) PetscCall(RungStepperSetEventJump(stepper, "arm", "q", "1"));
  PetscCall(RungStepperSetCheckpoint(stepper, load ? "again_{step}.h5" : "late_{step}.h5", 1));
  PetscCall(solve_from(stepper, load, u, steps));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a run finds when it looks along its sources is the same where it goes on: a source behind a switch, and one that an event arms. */
static PetscErrorCode test_sources_that_are_yet_to_come_are_seen_alike(void)
{
  PetscReal u, v;
  PetscInt  steps, again;

  PetscFunctionBegin;
  for (int event = 0; event < 2; ++event) {
    PetscCall(run_late(event ? PETSC_TRUE : PETSC_FALSE, NULL, &u, &steps));
    for (PetscInt n = 1; n < steps; ++n) {
      char path[64];

      PetscCall(PetscSNPrintf(path, sizeof path, "late_%" PetscInt_FMT ".h5", n));
      PetscCall(run_late(event ? PETSC_TRUE : PETSC_FALSE, path, &v, &again));
      CHECK(v == u && again == steps);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_clock_decides_about_checkpoints(void)
{
  Run         clock = {RUNGDIRK, "trbdf2", NULL, 1, 0, 0, PETSC_TRUE, 0, PETSC_FALSE, 1e-9, PETSC_FALSE};
  Result      a;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int often = 1; often >= 0; --often) {
    if (!rank) (void)remove("run_3.h5"), (void)remove("run_7.h5"), (void)remove("run_10.h5");
    clock.seconds = often ? 1e-9 : 86400;
    PetscCall(run(PETSC_COMM_WORLD, &clock, &a));
    PetscCall(VecDestroy(&a.u));
    if (rank) continue;
    CHECK((access("run_3.h5", F_OK) == 0) == often && (access("run_7.h5", F_OK) == 0) == often);
    CHECK(access("run_10.h5", F_OK) == 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_fixed_steps_go_on_bit_for_bit), RUNG_TEST(test_adaptive_steps_go_on_bit_for_bit),
               RUNG_TEST(test_a_single_rank_goes_on_from_a_checkpoint_of_many),
               RUNG_TEST(test_a_table_goes_on_from_the_checkpoint),
               RUNG_TEST(test_another_method_or_constant_is_refused),
               RUNG_TEST(test_what_the_equations_do_not_hold_is_told_and_not_refused),
               RUNG_TEST(test_numbers_that_no_run_can_have_are_refused),
               RUNG_TEST(test_sources_that_are_yet_to_come_are_seen_alike),
               RUNG_TEST(test_a_run_goes_on_where_its_steps_fall), RUNG_TEST(test_a_clock_decides_about_checkpoints))
