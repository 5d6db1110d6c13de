/* ode.c - ordinary differential equations against CVODE, dense (one equation, many copies) or banded (Brusselator),
   and ARKODE.

       case_error  seconds of Rung  of CVODE  ratio

   at equal error: of a ladder of tolerances, each a factor 10^(1/4) apart, each side takes the loosest from which on
   two in a row have at most the error of the row.  The error is the largest of |y - y*|/|y*| over all components at the
   end; of Lorenz' equations, whose components pass through 0, |y - y*|/max|y*|, likewise of the Brusselator, where
   space is discretised in two ways, with y* of the same side at a tight tolerance.  Seconds are CPU time of the run
   without set-up, the least of several.

   robertson    y to 1e11, absolute tolerance 1e-20; y* from the literature (Test Set for IVP Solvers)
   van_der_pol  mu = 1000 to 2000, likewise
   kinetics     twelve species, twelve reactions with constants from 0.01 to 1e5, to 1000; y* by CVODE at 1e-13
   copies       -bench_copies (10000) of robertson, kinetics and Lorenz' equations, constants +- 25 %: one run on a
                mesh of points against one CVODE run for each (lorenz: dopri54 against ARKODE's explicit method of the
                same coefficients); _rosenbrock: by rodas4p and rodas5p; the error is that of every hundredth copy
   brusselator  500 cells, to 10; P1 with its mass here, central differences there

   Try   ./ode -bench_case robertson,kinetics
         ./ode -bench_case robertson -bench_ladder            every rung of the ladder */
#include "bench.h"
#include "ode.h"

#define STEPS_OF_LADDER 40 /* from 1e-2 on */
#define REPEATS         7
#define EVERY           100 /* copies whose error is looked at */

typedef struct {
  const char *name;
  OdeKind     kind;
  PetscReal   end, atol; /* atol < 0: that times rtol */
  PetscInt    copies;
  PetscReal   target[2];
  double      y[12]; /* the solution; 0: by a tight run */
  const char *method;
} Case;

static const Case cases[] = {
  {"robertson",
   ODE_ROBERTSON,
   1e11,
   1e-20,
   1,
   {1e-4, 1e-8},
   {2.083340149701255e-8, 8.333360770334713e-14, 0.9999999791665050},
   "esdirk43"},
  {"van_der_pol",
   ODE_VAN_DER_POL,
   2000,
   -1e-3,
   1,
   {1e-4, 1e-8},
   {1.706167732170483, -8.928097010247975e-4},
   "esdirk43"},
  {"kinetics", ODE_KINETICS, 1000, 1e-20, 1, {1e-4, 1e-8}, {0}, "esdirk43"},
  {"copies_robertson", ODE_ROBERTSON, 1e6, 1e-20, 10000, {1e-4, 0}, {0}, "esdirk43"},
  {"copies_kinetics", ODE_KINETICS, 1000, 1e-20, 10000, {1e-4, 0}, {0}, "esdirk43"},
  {"copies_rosenbrock", ODE_ROBERTSON, 1e6, 1e-20, 10000, {1e-4, 0}, {0}, "rodas4p"},
  {"copies_kinetics_rosenbrock", ODE_KINETICS, 1000, 1e-20, 10000, {1e-4, 0}, {0}, "rodas5p"},
  {"copies_lorenz", ODE_LORENZ, 2, -1, 10000, {1e-4, 1e-6}, {0}, "dopri54"},
  {"brusselator", ODE_BRUSSELATOR, 10, -1, 1, {1e-4, 1e-6}, {0}, "esdirk43"},
};

/* ---- Rung's side ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_kinetics(RungSystem sys)
{
  static const char *const rate[] = {"a*1e3*y[0]*y[1]", "b*2*y[2]",   "c*1e5*y[3]*y[4]",  "a*10*y[5]",
                                     "b*5e2*y[5]^2",    "c*0.1*y[6]", "a*3e3*y[7]*y[0]",  "b*1e2*y[8]",
                                     "c*1e4*y[9]*y[4]", "a*y[10]",    "b*2e2*y[10]*y[7]", "c*0.01*y[11]"};

  PetscFunctionBegin;
  for (int i = 0; i < 12; ++i) {
    char name[8];

    PetscCall(PetscSNPrintf(name, sizeof name, "r%d", i + 1));
    PetscCall(RungSystemDefine(sys, name, rate[i]));
  }
  PetscCall(RungSystemDefine(
    sys, "f",
    "vector(r2 + r12 - r1 - r7, r5 + r12 - r1, r1 + r11 - r2, r1 + r4 + r8 - r3, r2 + r4 + r10 - r3 - r9, "
    "r3 - r4 - 2*r5, r5 - r6, r6 - r7 - r11, r7 - r8, r8 + r10 - r9, r9 - r10 - r11, r11 - r12)"));
  PetscCall(RungSystemSetInitial(sys, "y", "vector(1, 0.7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f of y' = f, and the start. */
static PetscErrorCode add_equations(OdeKind kind, RungSystem sys)
{
  PetscFunctionBegin;
  switch (kind) {
  case ODE_ROBERTSON:
    PetscCall(RungSystemDefine(sys, "slow", "a*0.04*y[0]"));
    PetscCall(RungSystemDefine(sys, "back", "b*1e4*y[1]*y[2]"));
    PetscCall(RungSystemDefine(sys, "fast", "c*3e7*y[1]^2"));
    PetscCall(RungSystemDefine(sys, "f", "vector(back - slow, slow - back - fast, fast)"));
    PetscCall(RungSystemSetInitial(sys, "y", "vector(1, 0, 0)"));
    break;
  case ODE_VAN_DER_POL:
    PetscCall(RungSystemSetConstant(sys, "mu", ODE_STIFFNESS));
    PetscCall(RungSystemDefine(sys, "f", "vector(y[1], mu*(1 - y[0]^2)*y[1] - y[0])"));
    PetscCall(RungSystemSetInitial(sys, "y", "vector(2, 0)"));
    break;
  case ODE_KINETICS: PetscCall(add_kinetics(sys)); break;
  case ODE_LORENZ:
    PetscCall(
      RungSystemDefine(sys, "f", "vector(a*10*(y[1] - y[0]), y[0]*(b*28 - y[2]) - y[1], y[0]*y[1] - c*8/3*y[2])"));
    PetscCall(RungSystemSetInitial(sys, "y", "vector(1, 1, 1)"));
    break;
  case ODE_BRUSSELATOR:
    PetscCall(RungSystemDefine(sys, "f", "vector(1 + y[0]^2*y[1] - 4*y[0], 3*y[0] - y[0]^2*y[1])"));
    PetscCall(RungSystemSetInitial(sys, "y", "vector(1 + sin(2*pi*x[0]), 3)"));
    PetscCall(RungSystemSetDirichlet(sys, "y", "boundary", "vector(1, 3)"));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copy i has the constants times these: copy 0, 1.25, 1, 1. */
static void factors(PetscInt copies, PetscInt i, double factor[3])
{
  factor[0] = copies > 1 ? 1 + 0.25 * PetscCosReal((double)i) : 1;
  factor[1] = copies > 1 ? 1 + 0.25 * PetscSinReal(1.7 * (double)i) : 1;
  factor[2] = copies > 1 ? 1 + 0.25 * PetscSinReal(2.3 * (double)i) : 1;
}

/* a, b, c: numbers of each copy. */
static PetscErrorCode add_factor(RungMesh mesh, PetscBool many, int k, RungSystem sys, RungField *kept)
{
  static const char *const name[] = {"a", "b", "c"};
  RungSpace                space;
  RungField                field;
  PetscScalar             *value;
  PetscInt                 start, end;
  Vec                      values;

  PetscFunctionBegin;
  if (!many) {
    PetscCall(RungSystemDefine(sys, name[k], "1"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  PetscCall(RungFieldCreate(space, name[k], &field));
  PetscCall(RungFieldGetVec(field, &values));
  PetscCall(VecGetOwnershipRange(values, &start, &end));
  PetscCall(VecGetArrayWrite(values, &value));
  for (PetscInt i = start; i < end; ++i) {
    double factor[3];

    factors(end, i, factor);
    value[i - start] = factor[k];
  }
  PetscCall(VecRestoreArrayWrite(values, &value));
  PetscCall(RungSystemAddField(sys, name[k], field));
  *kept = field;
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_system(const Case *one, PetscInt copies, RungSystem *sys, RungField field[3])
{
  static const char *const spec[] = {"P0^3", "P0^2", "P0^12", "P1^2", "P0^3"};
  const PetscBool line = one->kind == ODE_BRUSSELATOR ? PETSC_TRUE : PETSC_FALSE, many = (PetscBool)(copies > 1);
  RungMesh        mesh;
  RungSpace       space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  if (line)
    PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){ODE_CELLS}, (PetscReal[]){1}));
  else
    PetscCall(RungMeshSetPoints(mesh, copies));
  PetscCall(RungSpaceCreate(mesh, spec[one->kind], &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "y", "z", space));
  for (int k = 0; k < 3; ++k) PetscCall(add_factor(mesh, many, k, *sys, &field[k]));
  PetscCall(RungSystemSetConstant(*sys, "D", ODE_DIFFUSION));
  PetscCall(add_equations(one->kind, *sys));
  PetscCall(RungSystemAddResidual(*sys, line ? "inner(dt(y) - f, z)*dx + D*inner(grad(y), grad(z))*dx"
                                             : "inner(dt(y) - f, z)*dx"));
  PetscCall(RungSystemSetFromOptions(*sys));
  PetscCall(RungSystemSetUp(*sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal atol_of(const Case *one, PetscReal rtol)
{
  return one->atol < 0 ? -one->atol * rtol : one->atol;
}

/* y: the end, the caller's (PetscFree). */
static PetscErrorCode run_rung(const Case *one, RungSystem sys, PetscReal rtol, PetscInt *n, double **y,
                               double *seconds, RungStepperStatistics *statistics)
{
  RungStepper        stepper;
  const RungState   *state;
  const PetscScalar *end;
  double             begin;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetMethod(stepper, one->method));
  PetscCall(RungStepperSetInterval(stepper, 0, one->end, PETSC_DEFAULT));
  PetscCall(RungStepperSetTolerances(stepper, rtol, atol_of(one, rtol)));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungStepperSetUp(stepper));
  begin = bench_clock();
  PetscCall(RungStepperSolve(stepper));
  *seconds = bench_clock() - begin;
  PetscCall(RungStepperGetStatistics(stepper, statistics));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecGetLocalSize(state->u[0], n));
  PetscCall(PetscMalloc1(*n, y));
  PetscCall(VecGetArrayRead(state->u[0], &end));
  PetscCall(PetscArraycpy(*y, end, *n));
  PetscCall(VecRestoreArrayRead(state->u[0], &end));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- errors --------------------------------------------------------------------------------------------------------- */

static double error_of(const Case *one, PetscInt n, const double y[], const double exact[])
{
  const PetscBool together = one->kind == ODE_BRUSSELATOR || one->kind == ODE_LORENZ ? PETSC_TRUE : PETSC_FALSE;
  double          error = 0, size = 0;

  for (PetscInt i = 0; i < n; ++i) size = PetscMax(size, fabs(exact[i]));
  for (PetscInt i = 0; i < n; ++i) {
    const double scale = together ? size : fabs(exact[i]);

    error = PetscMax(error, scale > 0 ? fabs(y[i] - exact[i]) / scale : fabs(y[i]));
  }
  return error;
}

typedef struct {
  const Case *one;
  RungSystem  sys;
  RungField   field[3];       /* owned; NULL: one copy */
  PetscInt    copies, n;      /* n: numbers of one copy         */
  double     *exact, *theirs; /* owned: of each copy looked at; theirs: of the other side where it has another one */
  RungStepperStatistics statistics; /* of the last run */
} Work;

/* Error and seconds of a run with rtol; the seconds of copies that were left out are not there. */
static PetscErrorCode try_rung(Work *work, PetscReal rtol, double *error, double *seconds)
{
  PetscInt n;
  double  *y;

  PetscFunctionBegin;
  PetscCall(run_rung(work->one, work->sys, rtol, &n, &y, seconds, &work->statistics));
  *error = 0;
  if (work->one->kind == ODE_BRUSSELATOR)
    *error = error_of(work->one, n, y, work->exact);
  else
    for (PetscInt i = 0; i < work->copies; i += EVERY)
      *error = PetscMax(*error, error_of(work->one, work->n, y + i * work->n, work->exact + i / EVERY * work->n));
  PetscCall(PetscFree(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int solve_twin(OdeKind kind, double end, double rtol, double atol, const double factor[3], double y[],
                      double *seconds)
{
  return kind == ODE_LORENZ ? ode_arkode(end, rtol, atol, factor, y, seconds)
                            : ode_cvode(kind, end, rtol, atol, factor, y, seconds);
}

static PetscErrorCode try_cvode(Work *work, PetscInt every, PetscReal rtol, double *error, double *seconds)
{
  const double *exact = work->theirs ? work->theirs : work->exact;
  double        factor[3], y[ODE_MOST], one;

  PetscFunctionBegin;
  *error = *seconds = 0;
  for (PetscInt i = 0; i < work->copies; i += every) {
    factors(work->copies, i, factor);
    if (!solve_twin(work->one->kind, work->one->end, rtol, atol_of(work->one, rtol), factor, y, &one)) {
      *error = INFINITY;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    *seconds += one;
    if (i % EVERY == 0) *error = PetscMax(*error, error_of(work->one, work->n, y, exact + i / EVERY * work->n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_work(const Case *one, Work *work)
{
  static const PetscInt numbers[] = {3, 2, 12, 2 * (ODE_CELLS - 1), 3};
  double                factor[3], y[ODE_MOST], seconds;
  PetscInt              n;

  PetscFunctionBegin;
  *work = (Work){.one = one, .copies = one->copies, .n = numbers[one->kind]};
  if (one->copies > 1) PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_copies", &work->copies, NULL));
  PetscCall(create_system(one, work->copies, &work->sys, work->field));
  if (one->kind == ODE_BRUSSELATOR) {
    PetscCall(PetscMalloc1(work->n, &work->theirs));
    factors(1, 0, factor);
    PetscCheck(ode_cvode(one->kind, one->end, 1e-11, 1e-11, factor, work->theirs, &seconds), PETSC_COMM_SELF,
               PETSC_ERR_LIB, "CVODE gave up");
    PetscCall(run_rung(one, work->sys, 1e-9, &n, &work->exact, &seconds, &work->statistics));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1((work->copies / EVERY + 1) * work->n, &work->exact));
  for (PetscInt i = 0; i < work->copies; i += EVERY) {
    double *exact = work->exact + i / EVERY * work->n;

    factors(work->copies, i, factor);
    PetscCheck(solve_twin(one->kind, one->end, 1e-13, 1e-20, factor, y, &seconds), PETSC_COMM_SELF, PETSC_ERR_LIB,
               "CVODE gave up");
    PetscCall(PetscArraycpy(exact, one->y[0] != 0 ? one->y : y, work->n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the ladder ----------------------------------------------------------------------------------------------------- */

typedef struct {
  double rtol, error, seconds;
} Found;

static PetscErrorCode climb(Work *work, PetscBool rung, PetscReal target, PetscBool tell, Found *found)
{
  PetscInt in_a_row = 0;

  PetscFunctionBegin;
  found->seconds = INFINITY;
  for (PetscInt k = 0; k < STEPS_OF_LADDER && in_a_row < 2; ++k) {
    const PetscReal rtol = PetscPowReal(10, -2 - 0.25 * (PetscReal)k);
    double          error, seconds;

    if (rung)
      PetscCall(try_rung(work, rtol, &error, &seconds));
    else
      PetscCall(try_cvode(work, EVERY, rtol, &error, &seconds));
    if (tell) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s %.1e: error %.2e, %.4f s", rung ? "rung " : "cvode", (double)rtol,
                            error, seconds));
      if (rung)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", %d steps, %d refused, %d residuals, %d matrices",
                              (int)work->statistics.steps, (int)(work->statistics.rejected + work->statistics.failed),
                              (int)work->statistics.residuals, (int)work->statistics.jacobians));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
    }
    in_a_row = error <= target ? in_a_row + 1 : 0;
    if (in_a_row == 1) *found = (Found){rtol, error, seconds};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(Work *work, PetscReal target, PetscBool tell)
{
  Found  rung, cvode;
  double error, seconds;
  char   name[64];

  PetscFunctionBegin;
  PetscCall(climb(work, PETSC_FALSE, target, tell, &cvode));
  PetscCall(climb(work, PETSC_TRUE, target, tell, &rung));
  cvode.seconds = INFINITY;
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    PetscCall(try_rung(work, rung.rtol, &error, &seconds));
    rung.seconds = PetscMin(rung.seconds, seconds);
    PetscCall(try_cvode(work, 1, cvode.rtol, &error, &seconds));
    cvode.seconds = PetscMin(cvode.seconds, seconds);
  }
  PetscCall(PetscSNPrintf(name, sizeof name, "%s_%.0e", work->one->name, (double)target));
  PetscCall(bench_line(name, rung.seconds, cvode.seconds));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "#   rtol %.1e and %.1e, errors %.1e and %.1e\n", rung.rtol, cvode.rtol,
                        rung.error, cvode.error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a step of an explicit method takes beside its evaluations of F, one system of three numbers. */
static PetscErrorCode time_step(void)
{
  static const Case     one      = {"lorenz_step", ODE_LORENZ, 500, -1, 1, {1e-6, 0}, {0}, "dopri54"};
  RungField             field[3] = {NULL};
  double               *y, seconds, least = INFINITY, evaluations = INFINITY;
  PetscInt              n, steps = 0, calls = 0;
  RungStepperStatistics statistics;
  RungSystem            sys;
  Vec                   u[2], r;

  PetscFunctionBegin;
  PetscCall(create_system(&one, 1, &sys, field));
  PetscCall(RungSystemCreateVec(sys, &u[0]));
  PetscCall(RungSystemInitial(sys, 0, 0, u[0]));
  PetscCall(VecDuplicate(u[0], &u[1]));
  PetscCall(VecDuplicate(u[0], &r));
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    PetscCall(run_rung(&one, sys, one.target[0], &n, &y, &seconds, &statistics));
    PetscCall(PetscFree(y));
    least   = PetscMin(least, seconds);
    steps   = statistics.steps + statistics.rejected;
    calls   = statistics.residuals;
    seconds = bench_clock();
    for (PetscInt i = 0; i < calls; ++i) PetscCall(RungSystemResidual(sys, 0, u, r));
    evaluations = PetscMin(evaluations, bench_clock() - seconds);
  }
  PetscCall(PetscPrintf(
    PETSC_COMM_WORLD, "# lorenz_step: %.2f us a step by dopri54, %.2f of them its evaluations of F, %.2f beside them\n",
    1e6 * least / (double)steps, 1e6 * evaluations / (double)steps, 1e6 * (least - evaluations) / (double)steps));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&u[1]));
  PetscCall(VecDestroy(&u[0]));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool wanted, tell;

  PetscCall(RungInitialize(&argc, &argv, "Ordinary differential equations against CVODE and ARKODE.\n"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-bench_ladder", &tell));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# CPU seconds of a run, without set-up; case rung cvode ratio\n"));
  PetscCall(bench_wanted("lorenz_step", &wanted));
  if (wanted) PetscCall(time_step());
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    Work work;

    PetscCall(bench_wanted(cases[i].name, &wanted));
    if (!wanted) continue;
    PetscCall(create_work(&cases[i], &work));
    for (int k = 0; k < 2 && cases[i].target[k] > 0; ++k) PetscCall(compare(&work, cases[i].target[k], tell));
    PetscCall(RungSystemDestroy(&work.sys));
    for (int k = 0; k < 3; ++k) PetscCall(RungFieldDestroy(&work.field[k]));
    PetscCall(PetscFree(work.exact));
    PetscCall(PetscFree(work.theirs));
  }
  PetscCall(RungFinalize());
  return 0;
}
