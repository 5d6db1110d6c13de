/* test_solver_presume.c - what is symmetric is solved by conjugate gradients though nobody knows its sign; what is not definite as ever. */
#include "check.h"
#include "form_problems.h"
#include "solver_impl.h"
#include "vectors.h"
#include <rungsolve_room.h>

typedef struct {
  RungSystem          sys;
  RungTransientSystem ts;
  RungLineSolver      solver;
} Body;

/* 3375 entries, more than are factored in any case */
static PetscErrorCode begin(const char residual[], Body *body)
{
  const RungLineSolverPlan plan = {.matrices = 1};

  PetscFunctionBegin;
  PetscCall(system_create("tetrahedron", 3, 14, "P1", &body->sys));
  PetscCall(RungSystemAddResidual(body->sys, residual));
  PetscCall(RungSystemSetSolvesAhead(body->sys, 2, 0)); /* factors pay for many */
  PetscCall(RungTransientSystemCreate(body->sys, 1, 0, &body->ts));
  PetscCall(RungLineSolverCreate(body->ts, &plan, &body->solver));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solve, in gradients: by conjugate ones;  u  whose F is 0 */
static PetscErrorCode solve(Body *body, PetscReal t, PetscBool *gradients, Vec u)
{
  const RungLine line = {.slope = {1}};
  RungVerdict    verdict;
  PetscReal      norm;
  SNES           snes;
  KSP            ksp;
  Vec            r;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(u));
  PetscCall(RungLineSolve(body->solver, t, &line, NULL, u, &verdict));
  CHECK(verdict.solved);
  PetscCall(RungLineSolverGetSNES(body->solver, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPCG, gradients));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(RungSystemResidual(body->sys, t, &u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-9);
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(Body *body)
{
  PetscFunctionBegin;
  PetscCall(RungLineSolverDestroy(&body->solver));
  PetscCall(RungTransientSystemDestroy(&body->ts));
  PetscCall(RungSystemDestroy(&body->sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary values by Nitsche, a coefficient of time, a well with two bottoms. */
static PetscErrorCode test_open_signs_are_solved_by_conjugate_gradients(void)
{
  static const char *const residual[] = {
    "inner(grad(u), grad(v))*dx - v*dx + (280*u*v - dot(grad(u), n)*v - u*dot(grad(v), n))*ds",
    "(1 + 0.5*sin(t))*inner(grad(u), grad(v))*dx + u*v*dx - x[0]*v*dx",
    "inner(grad(u), grad(v))*dx + 20*u*v*dx + (u^3 - u)*v*dx - x[0]*v*dx"};

  for (int i = 0; i < 3; ++i) {
    RungTraits traits;
    PetscBool  gradients;
    Body       body;
    Vec        u;

    PetscCall(begin(residual[i], &body));
    PetscCall(RungSystemGetTraits(body.sys, &traits));
    CHECK(traits.symmetric && !traits.definite);
    PetscCall(RungSystemCreateVec(body.sys, &u));
    for (int k = 0; k < 2; ++k) {
      PetscCall(solve(&body, k, &gradients, u));
      CHECK(gradients);
    }
    PetscCall(VecDestroy(&u));
    PetscCall(end(&body));
  }
  return PETSC_SUCCESS;
}

/* u at t = 0 of what is not definite: the solver is no more than one that presumes nothing, at once and from then on. */
static PetscErrorCode solve_indefinite(const char residual[], PetscBool presume, Vec *u)
{
  PetscBool gradients;
  Body      body;
  Vec       w;

  PetscFunctionBegin;
  PetscCall(begin(residual, &body));
  if (!presume) body.sys->presumption = RUNG_PRESUMED_WRONGLY;
  PetscCall(RungSystemCreateVec(body.sys, u));
  PetscCall(VecDuplicate(*u, &w));
  PetscCall(solve(&body, 0, &gradients, *u));
  CHECK(!gradients && body.sys->presumption == RUNG_PRESUMED_WRONGLY);
  PetscCall(solve(&body, 1, &gradients, w));
  CHECK(!gradients);
  PetscCall(VecDestroy(&w));
  PetscCall(end(&body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Helmholtz' equation, which is linear or not: the first solve, too, is that of a solver that presumes nothing, but for rounding, which
   depends on where memory lies, and on the order in which ranks add up (2e-13). */
static PetscErrorCode test_what_is_not_definite_is_solved_as_if_nothing_were_presumed(void)
{
  static const char *const residual[] = {"inner(grad(u), grad(v))*dx - (80 + t)*u*v*dx - x[0]*v*dx",
                                         "inner(grad(u), grad(v))*dx - (80 + t)*u*v*dx + u^3*v*dx - x[0]*v*dx"};

  for (int i = 0; i < 2; ++i) {
    PetscReal size, distance;
    Vec       u[2];

    for (int presume = 0; presume < 2; ++presume)
      PetscCall(solve_indefinite(residual[i], presume ? PETSC_TRUE : PETSC_FALSE, &u[presume]));
    PetscCall(VecNorm(u[0], NORM_2, &size));
    PetscCall(VecAXPY(u[1], -1, u[0]));
    PetscCall(VecNorm(u[1], NORM_2, &distance));
    CHECK_NEAR(distance, 0, 1e-10 * size);
    for (int presume = 0; presume < 2; ++presume) PetscCall(VecDestroy(&u[presume]));
  }
  return PETSC_SUCCESS;
}

/* Helmholtz' equation in space, where a few values are negative: multigrid within GMRES, for few solves; on several ranks, where this box
   has no levels, incomplete factors. */
static PetscErrorCode test_what_is_refuted_in_space_has_levels(void)
{
  const RungLine           line = {.slope = {1}};
  const RungLineSolverPlan plan = {.matrices = 1};
  RungVerdict              verdict;
  RungSystem               sys;
  RungTransientSystem      ts;
  RungLineSolver           solver;
  PetscBool                residuals, levels;
  PetscMPIInt              ranks;
  PetscReal                norm;
  SNES                     snes;
  Vec                      u, r;
  KSP                      ksp;
  PC                       pc;

  PetscFunctionBegin;
  PetscCall(system_create("tetrahedron", 3, 22, "P1", &sys)); /* 12167 entries: fewer are factored */
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - 50*u*v*dx - x[0]*v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
  PetscCall(RungSystemSetSolvesAhead(sys, 1, 0));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungLineSolverCreate(ts, &plan, &solver));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungLineSolve(solver, 0, &line, NULL, u, &verdict));
  CHECK(verdict.solved && sys->presumption == RUNG_PRESUMED_WRONGLY);
  PetscCall(RungLineSolverGetSNES(solver, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPFGMRES, &residuals));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCMG, &levels));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  CHECK(residuals && (levels || ranks > 1) && !sys->tuned_next[0]);
  PetscCall(VecDuplicate(u, &r));
  PetscCall(RungSystemResidual(sys, 0, &u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-9);
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&r));
  PetscCall(RungLineSolverDestroy(&solver));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both parts of a wave with losses in the plane, symmetric or not: few iterations of multigrid within GMRES. */
static PetscErrorCode test_two_parts_of_a_wave_have_levels(void)
{
  static const char *const residual[] = {
    "inner(grad(p), grad(v))*dx - 50*p*v*dx + inner(grad(q), grad(w))*dx - 50*q*w*dx + 5*(q*v - p*w)*dx - x[0]*v*dx",
    "inner(grad(p), grad(v))*dx - 50*p*v*dx - inner(grad(q), grad(w))*dx + 50*q*w*dx + 5*(q*v + p*w)*dx - x[0]*v*dx"};
  const RungLine           line = {.slope = {1, 1}};
  const RungLineSolverPlan plan = {.matrices = 1};

  for (int i = 0; i < 2; ++i) {
    RungVerdict         verdict;
    RungSystem          sys;
    RungTransientSystem ts;
    RungLineSolver      solver;
    RungMesh            mesh;
    RungSpace           space;
    PetscBool           levels;
    PetscInt            its;
    SNES                snes;
    Vec                 u;
    KSP                 ksp;
    PC                  pc;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){50, 50}, NULL));
    PetscCall(RungSpaceCreate(mesh, "P2", &space)); /* 20402 entries: fewer are factored */
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "p", "v", space));
    PetscCall(RungSystemAddUnknown(sys, "q", "w", space));
    PetscCall(RungSystemAddResidual(sys, residual[i]));
    PetscCall(RungSystemSetDirichlet(sys, "p", "boundary", "0"));
    PetscCall(RungSystemSetDirichlet(sys, "q", "boundary", "0"));
    PetscCall(RungSystemSetSolvesAhead(sys, 1, 0));
    PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
    PetscCall(RungLineSolverCreate(ts, &plan, &solver));
    PetscCall(RungSystemCreateVec(sys, &u));
    PetscCall(VecZeroEntries(u));
    PetscCall(RungLineSolve(solver, 0, &line, NULL, u, &verdict));
    CHECK(verdict.solved);
    PetscCall(RungLineSolverGetSNES(solver, &snes));
    PetscCall(SNESGetKSP(snes, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCMG, &levels));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    CHECK(levels && its > 1 && its <= 20 && !sys->tuned_next[0]);
    PetscCall(VecDestroy(&u));
    PetscCall(RungLineSolverDestroy(&solver));
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  return PETSC_SUCCESS;
}

/* A system as it was behind a solve that failed is one that presumes nothing; who has named a solver, or what was presumed rightly,
   leaves nothing in the file. */
static PetscErrorCode test_a_checkpoint_keeps_what_a_solve_has_shown(void)
{
  static const RungPresumption was[] = {RUNG_PRESUMED_WRONGLY, RUNG_PRESUMED_NEVER, RUNG_PRESUMED_DEFINITE};

  for (int i = 0; i < 3; ++i) {
    RungCheckpoint file;
    RungState     *level;
    PetscBool      gradients;
    Body           body[2];
    Vec            u;

    for (int k = 0; k < 2; ++k)
      PetscCall(begin("(1 + 0.5*sin(t))*inner(grad(u), grad(v))*dx + u*v*dx - x[0]*v*dx", &body[k]));
    body[0].sys->presumption = was[i];
    PetscCall(RungTransientSystemGetProposal(body[0].ts, &level));
    level->t = 0;
    PetscCall(RungTransientSystemPush(body[0].ts));
    PetscCall(RungCheckpointCreate(body[0].sys, "presumed.h5", &file));
    PetscCall(RungTransientSystemSave(body[0].ts, file));
    PetscCall(RungCheckpointSeal(&file));
    PetscCall(RungCheckpointOpen(body[1].sys, "presumed.h5", PETSC_FALSE, &file));
    PetscCall(RungTransientSystemLoad(body[1].ts, file));
    PetscCall(RungCheckpointClose(&file));
    PetscCall(RungSystemCreateVec(body[1].sys, &u));
    PetscCall(solve(&body[1], 0, &gradients, u));
    CHECK(gradients == (i ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(VecDestroy(&u));
    for (int k = 0; k < 2; ++k) PetscCall(end(&body[k]));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_who_names_a_solver_is_followed(void)
{
  PetscBool gradients;
  Body      body;
  Vec       u;

  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "jacobi"));
  PetscCall(begin("(1 + 0.5*sin(t))*inner(grad(u), grad(v))*dx + u*v*dx - x[0]*v*dx", &body));
  PetscCall(RungSystemCreateVec(body.sys, &u));
  PetscCall(solve(&body, 0, &gradients, u));
  CHECK(!gradients);
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  PetscCall(VecDestroy(&u));
  PetscCall(end(&body));
  return PETSC_SUCCESS;
}

/* A body that is not linear, one solve: *levels, multigrid has done it; F is 0 then. */
static PetscErrorCode solve_body(const char residual[], PetscBool *levels, RungPresumption *presumption)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  PetscBool                gradients, right;
  SNES                     snes;
  Body                     body;
  KSP                      ksp;
  Vec                      u;
  PC                       pc;

  PetscFunctionBegin;
  PetscCall(
    system_create("hexahedron", 3, 12, "Q1^d", &body.sys)); /* 6591 entries: factors take twice as long as levels */
  PetscCall(RungSystemAddResidual(body.sys, residual));
  PetscCall(RungSystemSetDirichlet(body.sys, "u", "left", "0"));
  PetscCall(RungTransientSystemCreate(body.sys, 1, 0, &body.ts));
  PetscCall(RungLineSolverCreate(body.ts, &plan, &body.solver));
  PetscCall(RungSystemCreateVec(body.sys, &u));
  PetscCall(solve(&body, 0, &gradients, u));
  PetscCall(RungLineSolverGetSNES(body.solver, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCMG, levels));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, *levels ? PCMG : PCCHOLESKY, &right));
  CHECK(right && body.sys->tuned_row &&
        !strcmp(body.sys->tuned_row, *levels ? "body" : "start")); /* what -system_view tells */
  *presumption = body.sys->presumption;
  PetscCall(VecDestroy(&u));
  PetscCall(end(&body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Short waves on cubic springs are indefinite, and levels have no end there: the same solve goes on with factors; alone. */
static PetscErrorCode test_bodies_at_rest_have_levels_and_factors_where_these_fail(void)
{
  static const char neo_hooke[] = "derive((inner(I + grad(u), I + grad(u))/2 - log(det(I + grad(u))) + "
                                  "log(det(I + grad(u)))^2/2)*dx, u) - 0.05*v[1]*dx";
  static const char waves[] = "inner(grad(u), grad(v))*dx + (0.1*inner(u, u) - 600)*inner(u, v)*dx - noise(x)*v[0]*dx";
  RungPresumption   presumption;
  PetscBool         levels;

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(solve_body(neo_hooke, &levels, &presumption));
  CHECK(levels && presumption == RUNG_PRESUMED_DEFINITE);
  PetscCall(solve_body(waves, &levels, &presumption));
  CHECK(!levels && presumption == RUNG_PRESUMED_WRONGLY);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define NEO_HOOKE                                                                                                      \
  "derive((inner(I + grad(u), I + grad(u))/2 - log(det(I + grad(u))) + log(det(I + grad(u)))^2/2)*dx, u)"

/* One step of what moves, weighted with `mass`, by what: the row of the table, what took its place */
typedef struct {
  const char *space, *forces, *load, *row, *next, *pc;
  PetscInt    count[3];
  PetscReal   mass, width; /* 0: as it is */
} Move;

static PetscErrorCode solve_moving(const Move *move)
{
  const RungLineSolverPlan plan = {.matrices = 1};
  const RungLine           line = {.slope = {1, 0, move->mass}};
  RungTransientSystem      ts;
  RungLineSolver           solver;
  RungVerdict              verdict;
  RungSystem               sys;
  RungSpace                space;
  RungMesh                 mesh;
  PetscReal                norm;
  PetscBool                is;
  SNES                     snes;
  Vec                      u[3], r;
  KSP                      ksp;
  PC                       pc;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, move->count[2] ? "hexahedron" : "quadrilateral", move->count[2] ? 3 : 2, move->count,
                           (PetscReal[]){(PetscReal)move->count[0] / 12, move->count[2] ? 1 : 8, 1}));
  PetscCall(RungSpaceCreate(mesh, move->space, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  if (!move->count[2]) sys->presumption = RUNG_PRESUMED_DEFINITE; /* as of ten times as many entries */
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u, 2), v)*dx"));
  PetscCall(RungSystemAddResidual(sys, move->forces));
  PetscCall(RungSystemAddResidual(sys, move->load));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungLineSolverCreate(ts, &plan, &solver));
  sys->width = move->width, sys->length = 1;
  for (int k = 0; k < 3; ++k) PetscCall(RungSystemCreateVec(sys, &u[k]));
  PetscCall(VecZeroEntries(u[0]));
  PetscCall(RungLineSolve(solver, 0, &line, NULL, u[0], &verdict));
  CHECK(verdict.solved);
  PetscCall(RungLineSolverGetSNES(solver, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, move->pc, &is));
  CHECK(is && !strcmp(sys->tuned_row, move->row) && !strcmp(sys->tuned_next, move->next) && !sys->disproved);
  CHECK(!move->next[0] || sys->tuned_dearer);
  if (!is || strcmp(sys->tuned_row, move->row) != 0 || strcmp(sys->tuned_next, move->next) != 0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "mass %g: row %s, next \"%s\"\n", (double)move->mass, sys->tuned_row,
                          sys->tuned_next));
  PetscCall(VecSet(u[1], 0));
  PetscCall(VecAXPBY(u[2], move->mass, 0, u[0]));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(RungSystemResidual(sys, 0, u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  CHECK_NEAR(norm, 0, 1e-9);
  PetscCall(VecDestroy(&r));
  for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(RungLineSolverDestroy(&solver));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Short steps take a few iterations of ICC; what takes many is solved by factors, or by levels where these are dear; factors of what is
   slender cost next to nothing. */
static PetscErrorCode test_bodies_that_move_are_iterated_while_that_is_cheap(void)
{
  static const char even[] = "-0.05*v[1]*dx", stiff[] = "derive(25*log(det(I + grad(u)))^2*dx, u) - 0.05*v[1]*dx",
                    soft[] = "derive(25*log(det(I + grad(u)))^2*dx, u) - 1e-5*v[1]*dx";
  static const Move move[] = {
    {"Q1^d", NEO_HOOKE, even, "once", "", PCICC, {10, 10, 10}, 400, 0},
    {"Q1^d", NEO_HOOKE, stiff, "start", "", PCCHOLESKY, {10, 10, 10}, 1e-3, 0},
    {"Q1^d", NEO_HOOKE, stiff, "once", PCMG, PCNONE, {10, 10, 10}, 1e-3, 2e3},
    {"Q1^d", NEO_HOOKE, even, "start", "", PCCHOLESKY, {60, 4, 4}, 400, 0},
    {"Q1^d", NEO_HOOKE, even, "once_short", "", PCICC, {101, 101, 0}, 4e3, 0},
    {"Q1^d", NEO_HOOKE, soft, "indefinite", "", PCCHOLESKY, {101, 101, 0}, 1, 0},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(move) && check_alone(); ++i) PetscCall(solve_moving(&move[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A scalar likewise, but that nothing but levels follows. */
static PetscErrorCode test_scalars_are_iterated_while_that_is_cheap(void)
{
  static const char two_wells[] = "inner(grad(u), grad(v))*dx + (u^3 - u)*v*dx";
  static const Move move[]      = {
         {"Q2", two_wells, "-v*dx", "once_long", "", PCJACOBI, {14, 14, 14}, 4e3, 0},
         {"Q2", two_wells, "-v*dx", "once_long", PCMG, PCNONE, {14, 14, 14}, 1, 0},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(move) && check_alone(); ++i) PetscCall(solve_moving(&move[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What -system_view says before the first solve of what is presumed then, and of what shows its sign, and of blocks that have made place; alone. */
static PetscErrorCode test_the_view_names_the_row_of_what_is_presumed(void)
{
  static const char *const residual[] = {"(1 + 0.5*sin(t))*inner(grad(u), grad(v))*dx + u*v*dx - x[0]*v*dx",
                                         "inner(grad(u), grad(v))*dx + u*v*dx"};

  for (int i = 0; i < 2 && check_alone(); ++i) {
    PetscViewer viewer;
    char        line[1024];
    PetscBool   open = PETSC_FALSE, blocks = PETSC_FALSE, place = PETSC_FALSE;
    FILE       *file;
    Body        body;

    PetscCall(begin(residual[i], &body));
    PetscCall(PetscStrncpy(body.sys->tuned, PCBJACOBI, sizeof body.sys->tuned));
    PetscCall(PetscStrncpy(body.sys->tuned_next, PCLU, sizeof body.sys->tuned_next));
    body.sys->tuned_row = body.sys->tuned_reason = "";
    body.sys->tuned_dearer                       = i ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "presumed.txt", &viewer));
    PetscCall(RungSystemViewSolver(body.sys, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    CHECK(body.sys->traits.definite == (i ? PETSC_TRUE : PETSC_FALSE) &&
          body.sys->presumption == RUNG_PRESUMED_NOTHING);
    PetscCall(PetscFOpen(PETSC_COMM_SELF, "presumed.txt", "r", &file));
    while (fgets(line, sizeof line, file)) {
      if (!strncmp(line, "row \"once", 9) && strstr(line, "where the first solve")) open = PETSC_TRUE;
      if (strstr(line, i ? "levels of ICC" : "levels of ILU")) blocks = PETSC_TRUE;
      if (strstr(line, i ? "it would have taken longer, and" : "it failed, and")) place = PETSC_TRUE;
    }
    PetscCall(PetscFClose(PETSC_COMM_SELF, file));
    CHECK(open == (i ? PETSC_FALSE : PETSC_TRUE) && blocks && place);
    PetscCall(end(&body));
  }
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_open_signs_are_solved_by_conjugate_gradients),
               RUNG_TEST(test_what_is_not_definite_is_solved_as_if_nothing_were_presumed),
               RUNG_TEST(test_what_is_refuted_in_space_has_levels), RUNG_TEST(test_two_parts_of_a_wave_have_levels),
               RUNG_TEST(test_a_checkpoint_keeps_what_a_solve_has_shown),
               RUNG_TEST(test_who_names_a_solver_is_followed),
               RUNG_TEST(test_bodies_at_rest_have_levels_and_factors_where_these_fail),
               RUNG_TEST(test_bodies_that_move_are_iterated_while_that_is_cheap),
               RUNG_TEST(test_scalars_are_iterated_while_that_is_cheap),
               RUNG_TEST(test_the_view_names_the_row_of_what_is_presumed))
