/* test_slender.c - slender bodies under loads that bend them far: iterations of each load step, and the tip against full Newton steps
   to the last digits, taken by PETSc's SNES on the same equations load after load.  It prints what it finds:

       neo-Hookean beam, 20 : 1 : 1, the traction of the FEniCSx tutorial on hyperelasticity, nine loads
       St. Venant-Kirchhoff cantilevers, 25 : 1 in the plane and 40 : 1 : 1 in space, their weight by ten loads, and at once
       each at 1e-6 of the load                                                                                          */
#include <check.h>
#include <rungstep.h>

#define LOADS_MOST 10

typedef struct {
  const char *name, *cell, *stress, *load;
  PetscInt    dim, count[3];
  PetscReal   size[3], whole; /* the largest load  */
  PetscInt    loads;
  PetscInt    most; /* iterations of a load         */
  PetscInt    once; /* at once; 0: it is not asked for */
} Beam;

static const char svk[]   = "dot(F, lambda*tr(G)*I + 2*mu*G)";
static const char hooke[] = "mu*(F - transpose(inv(F))) + lambda*log(det(F))*transpose(inv(F))";

static const Beam beams[] = {
  {"neo-Hookean beam", "hexahedron", hooke, "v[2]*ds(right)", 3, {20, 2, 2}, {20, 1, 1}, 13.5, 9, 9, 0},
  {"cantilever in the plane", "quadrilateral", svk, "v[1]*dx", 2, {50, 2, 0}, {25, 1, 0}, 0.5, 10, 9, 12},
  {"cantilever in space", "hexahedron", svk, "v[2]*dx", 3, {20, 1, 1}, {40, 1, 1}, 0.1, 10, 9, 14}};

/* With L t of the load. */
static PetscErrorCode make(const Beam *beam, PetscReal L, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V;
  char      load[64];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, beam->cell, beam->dim, beam->count, beam->size));
  PetscCall(RungSpaceCreate(mesh, "Q2^d", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemSetConstant(*sys, "mu", 1e4 / 2.6));
  PetscCall(RungSystemSetConstant(*sys, "lambda", 3e3 / (1.3 * 0.4)));
  PetscCall(RungSystemSetConstant(*sys, "L", L));
  PetscCall(RungSystemDefine(*sys, "F", "I + grad(u)"));
  PetscCall(RungSystemDefine(*sys, "G", "(dot(transpose(F), F) - I)/2"));
  PetscCall(RungSystemDefine(*sys, "P", beam->stress));
  PetscCall(RungSystemAddResidual(*sys, "inner(P, grad(v))*dx(degree: 4)"));
  PetscCall(PetscSNPrintf(load, sizeof load, "L*t*%s", beam->load));
  PetscCall(RungSystemAddResidual(*sys, load));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetLeastOrder(*sys, 1));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- by our steps --------------------------------------------------------------------------------------------------- */

/* Iterations of each load step. */
static PetscErrorCode note(RungStepper stepper, PetscInt step, PetscReal t, const Vec u[], void *ctx)
{
  RungStepperStatistics s;

  PetscFunctionBegin;
  (void)t, (void)u;
  PetscCall(RungStepperGetStatistics(stepper, &s));
  ((PetscInt *)ctx)[step] = s.newton;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode bend(RungSystem sys, PetscInt loads, PetscInt iterations[], PetscReal *tip)
{
  RungStepper      stepper;
  const RungState *state;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetInterval(stepper, 0, 1, 1 / (PetscReal)loads));
  PetscCall(RungStepperSetMonitor(stepper, RUNG_MONITOR_NONE));
  PetscCall(RungStepperAddMonitor(stepper, note, iterations));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetState(stepper, 0, &state));
  PetscCall(VecMin(state->u[0], NULL, tip));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- by PETSc's ----------------------------------------------------------------------------------------------------- */

typedef struct {
  RungSystem sys;
  Vec        rate; /* 0 */
  PetscReal  t;
} Problem;

static PetscErrorCode residual(SNES snes, Vec w, Vec r, void *ctx)
{
  Problem *problem = (Problem *)ctx;

  PetscFunctionBegin;
  (void)snes;
  PetscCall(RungSystemResidual(problem->sys, problem->t, (Vec[]){w, problem->rate}, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode jacobian(SNES snes, Vec w, Mat J, Mat P, void *ctx)
{
  const PetscReal sigma[] = {1, 0};
  Problem        *problem = (Problem *)ctx;

  PetscFunctionBegin;
  (void)snes, (void)P;
  PetscCall(RungSystemJacobian(problem->sys, problem->t, (Vec[]){w, problem->rate}, sigma, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Full steps until they change nothing. */
static PetscErrorCode solve(SNES snes, Vec r, Mat J, Problem *problem, PetscInt loads, Vec w)
{
  SNESLineSearch search;
  KSP            ksp;
  PC             pc;

  PetscFunctionBegin;
  PetscCall(SNESSetType(snes, SNESNEWTONLS));
  PetscCall(SNESSetFunction(snes, r, residual, problem));
  PetscCall(SNESSetJacobian(snes, J, J, jacobian, problem));
  PetscCall(SNESGetLineSearch(snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscCall(SNESSetTolerances(snes, 0, 0, 1e-12, 30, 1000));
  for (PetscInt n = 1; n <= loads; ++n) {
    problem->t = (PetscReal)n / (PetscReal)loads;
    PetscCall(SNESSolve(snes, NULL, w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode full_newton(RungSystem sys, PetscInt loads, PetscReal *tip)
{
  Problem problem = {.sys = sys};
  SNES    snes;
  Vec     w, r;
  Mat     J;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateVec(sys, &w));
  PetscCall(VecDuplicate(w, &r));
  PetscCall(VecDuplicate(w, &problem.rate));
  PetscCall(VecZeroEntries(w));
  PetscCall(VecZeroEntries(problem.rate));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(solve(snes, r, J, &problem, loads, w));
  PetscCall(VecMin(w, NULL, tip));
  PetscCall(SNESDestroy(&snes));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&problem.rate));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

/* part: of the load; most: iterations of a load step */
static PetscErrorCode check_beam(const Beam *beam, PetscReal part, PetscInt loads, PetscInt most)
{
  PetscInt   iterations[LOADS_MOST + 1] = {0};
  PetscReal  tip, exact;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(make(beam, part * beam->whole, &sys));
  PetscCall(full_newton(sys, beam->loads, &exact));
  PetscCall(bend(sys, loads, iterations, &tip));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %g of the load by %d: tip %.9g, off by %.1e, iterations", beam->name,
                        (double)part, (int)loads, (double)tip, (double)PetscAbsReal(tip / exact - 1)));
  for (PetscInt n = 1; n <= loads; ++n) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %d", (int)(iterations[n] - iterations[n - 1])));
    CHECK(iterations[n] - iterations[n - 1] <= most);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  CHECK_NEAR(tip / exact, 1, 1e-6);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_slender_bodies_bend_in_few_iterations_a_load(void)
{
  PetscFunctionBegin;
  for (size_t b = 0; b < PETSC_STATIC_ARRAY_LENGTH(beams); ++b) {
    PetscCall(check_beam(&beams[b], 1, beams[b].loads, beams[b].most));
    if (beams[b].once) PetscCall(check_beam(&beams[b], 1, 1, beams[b].once));
    PetscCall(check_beam(&beams[b], 1e-6, beams[b].loads, 9));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_slender_bodies_bend_in_few_iterations_a_load))
