/* test_line_blocks.c - blocks of points, or of a small system, are solved for as PETSc's factors do, on any ranks, without them. */
#include <check.h>
#include <rungsolve_room.h>

typedef struct {
  RungSystem          sys;
  RungTransientSystem ts;
  RungWeights         weights;
  RungLineSolver      solver;
  Vec                 base, w, x;
} Step;

/* y of two components and z at each of n points, whose equations have units of their own and want pivots; `also` is added. */
static PetscErrorCode create_system(PetscInt n, const char also[], RungSystem *sys)
{
  RungMesh  points;
  RungSpace pair, one;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, n));
  PetscCall(RungSpaceCreate(points, "P0^2", &pair));
  PetscCall(RungSpaceCreate(points, "P0", &one));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "y", "v", pair));
  PetscCall(RungSystemAddUnknown(*sys, "z", "q", one));
  PetscCall(RungSystemSetConstant(*sys, "c", 1));
  PetscCall(RungSystemSetInitial(*sys, "y", "vector(1 + 0.1*x[0], 0.5)"));
  PetscCall(RungSystemSetInitial(*sys, "z", "2"));
  PetscCall(RungSystemAddResidual(
    *sys, "inner(vector(1e-4*(dt(y)[1] + (1 + x[0])*y[1]*z), dt(y)[0] + y[0]^3*y[1] - z), v)*dx"));
  PetscCall(RungSystemAddResidual(*sys, also));
  PetscCall(RungSpaceDestroy(&one));
  PetscCall(RungSpaceDestroy(&pair));
  PetscCall(RungMeshDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver of steps of backward Euler. */
static PetscErrorCode begin(PetscInt n, const char also[], Step *step)
{
  RungLineSolverPlan plan = {.matrices = 1, .rtol = 1e-6};
  const RungState   *state;

  PetscFunctionBegin;
  PetscCall(create_system(n, also, &step->sys));
  PetscCall(RungTransientSystemCreate(step->sys, 1, 0, &step->ts));
  PetscCall(RungTransientSystemStart(step->ts, 0));
  PetscCall(RungWeightsCreate(step->sys, RUNG_ERROR_RMS, &step->weights));
  for (PetscInt c = 0; c < 3; ++c) PetscCall(RungWeightsSet(step->weights, c / 2, 0, c % 2, 1e-6, 1e-6));
  plan.weights = step->weights;
  PetscCall(RungLineSolverCreate(step->ts, &plan, &step->solver));
  PetscCall(RungTransientSystemGetState(step->ts, 0, &state));
  PetscCall(VecDuplicate(state->u[0], &step->base));
  PetscCall(VecDuplicate(state->u[0], &step->w));
  PetscCall(VecDuplicate(state->u[0], &step->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(Step *step)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&step->x));
  PetscCall(VecDestroy(&step->w));
  PetscCall(VecDestroy(&step->base));
  PetscCall(RungLineSolverDestroy(&step->solver));
  PetscCall(RungWeightsDestroy(&step->weights));
  PetscCall(RungTransientSystemDestroy(&step->ts));
  PetscCall(RungSystemDestroy(&step->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w: a step of size h; x = J^-1 w with the last matrix. */
static PetscErrorCode solve(Step *step, PetscReal h, RungVerdict *verdict)
{
  RungLine         line = {.base = {NULL, step->base, NULL}};
  const RungState *from;
  RungState       *to;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemGetState(step->ts, 0, &from));
  PetscCall(RungTransientSystemGetProposal(step->ts, &to));
  to->t = h;
  for (PetscInt f = 0; f < 2; ++f) line.slope[f] = 1, line.slope[2 + f] = 1 / h;
  PetscCall(VecCopy(from->u[0], step->w));
  PetscCall(VecAXPBY(step->base, -1 / h, 0, from->u[0]));
  *verdict = (RungVerdict){.solved = PETSC_FALSE};
  PetscCall(RungLineSolve(step->solver, h, &line, NULL, step->w, verdict));
  if (!verdict->solved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungLineApply(step->solver, step->w, step->x, verdict));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_solves(PetscInt *n)
{
  PetscStageLog      log;
  PetscLogEvent      event;
  PetscEventPerfInfo info;

  PetscFunctionBegin;
  PetscCall(PetscLogGetStageLog(&log));
  PetscCall(PetscLogEventGetId("KSPSolve", &event));
  PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
  *n = info.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode difference(Vec a, Vec b, PetscReal *relative)
{
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(VecNorm(b, NORM_INFINITY, &size));
  PetscCall(VecAXPY(a, -1, b));
  PetscCall(VecNorm(a, NORM_INFINITY, relative));
  *relative /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n points: a step, and another one with the matrix of the first. */
static PetscErrorCode compare(PetscInt n)
{
  static const char *const also = "(dt(z) + z*y[0] - y[1])*q*dx";
  Step                     own, petsc;
  RungVerdict              verdict;
  PetscInt                 before, after;
  PetscReal                relative;

  PetscFunctionBegin;
  PetscCall(begin(n, also, &own));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "lu"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_factor_mat_solver_type", "mumps")); /* PETSc's own have no pivots */
  PetscCall(begin(n, also, &petsc));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_factor_mat_solver_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  for (int k = 0; k < 2; ++k) {
    const PetscReal h = k ? 0.011 : 0.01;

    PetscCall(count_solves(&before));
    PetscCall(solve(&own, h, &verdict));
    CHECK(verdict.solved);
    PetscCall(count_solves(&after));
    CHECK(after == before);
    PetscCall(solve(&petsc, h, &verdict));
    CHECK(verdict.solved);
    PetscCall(count_solves(&after));
    CHECK(after > before);
    PetscCall(difference(own.w, petsc.w, &relative));
    CHECK(relative <= 1e-13);
    PetscCall(difference(own.x, petsc.x, &relative));
    CHECK(relative <= 1e-11);
  }
  PetscCall(end(&petsc));
  PetscCall(end(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One point is one block; twenty fill groups in part; ranks are without points. */
static PetscErrorCode test_points_are_solved_for_as_petscs_factors_do(void)
{
  PetscFunctionBegin;
  PetscCall(compare(1));
  PetscCall(compare(20));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the first iterate, far from that of the solution, does not get there: each iterate has its own, and blocks of it. */
static PetscErrorCode test_a_matrix_for_each_iterate_falls_into_blocks(void)
{
  static const char *const also[] = {"(dt(z) + 10*(exp(2*z) - 1))*q*dx", "(dt(z) + 300*z^3)*q*dx",
                                     "(dt(z) + exp(3*z))*q*dx"};

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    Step        step;
    RungVerdict verdict;
    PetscInt    before, after;

    PetscCall(begin(20, also[i], &step));
    PetscCall(count_solves(&before));
    PetscCall(solve(&step, 0.01, &verdict));
    CHECK(verdict.solved);
    PetscCall(count_solves(&after));
    CHECK(after == before);
    PetscCall(end(&step));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An equation for z everywhere, until c is 0. */
static PetscErrorCode test_a_singular_block_is_told(void)
{
  Step        step;
  RungVerdict verdict;

  PetscFunctionBegin;
  PetscCall(begin(20, "(c*dt(z) + if(x[0] > 7.5, c, 1)*(z - 2))*q*dx", &step));
  PetscCall(solve(&step, 0.01, &verdict));
  CHECK(verdict.solved);
  PetscCall(RungSystemSetConstant(step.sys, "c", 0));
  PetscCall(solve(&step, 0.01, &verdict));
  CHECK(!verdict.solved);
  CHECK(strstr(verdict.why, "singular"));
  PetscCall(end(&step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode log_events(void)
{
  PetscFunctionBegin;
  PetscCall(PetscLogDefaultBegin());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(log_events), RUNG_TEST(test_points_are_solved_for_as_petscs_factors_do),
               RUNG_TEST(test_a_matrix_for_each_iterate_falls_into_blocks), RUNG_TEST(test_a_singular_block_is_told))
