/* check.c - what a file says, before any run: mesh, system, what is watched, methods. */
#include "reader_impl.h"
#include <stdio.h>
#include <stdlib.h>

static PetscErrorCode print_words(RungProblem problem)
{
  static const char *const shown[] = {"number", "summary", "reference", "happens",    "exact",  "ladder",
                                      "expect", "output",  "table",     "checkpoint", "restart"};

  PetscFunctionBegin;
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(shown); ++w) {
    for (PetscInt i = 0; i < problem->statements; ++i) {
      const RungStatement *s = &problem->statement[i];

      if (RungIs(problem, i, shown[w])) PetscCall(PetscPrintf(problem->comm, "%s\n", s->text));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What holds in the step that was built. */
static PetscErrorCode print_built(RungProblem problem)
{
  PetscViewer out = PETSC_VIEWER_STDOUT_(problem->comm);

  PetscFunctionBegin;
  if (problem->step)
    PetscCall(
      PetscPrintf(problem->comm, "%s %s\n", problem->group ? "system" : "step", problem->step_name[problem->step]));
  for (PetscInt i = 0; i < problem->statements && problem->step; ++i) {
    if (problem->statement[i].step == problem->step && !RungIs(problem, i, "step") && !RungIs(problem, i, "system"))
      PetscCall(PetscPrintf(problem->comm, "  %s\n", problem->statement[i].text));
  }
  PetscCall(RungSystemView(problem->sys, out));
  if (!problem->fixed.said) PetscCall(RungStepperView(problem->stepper, out));
  PetscCall(print_words(problem));
  if (!problem->fixed.said) PetscCall(RungMethodsFit(problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemCheck(RungProblem problem, PetscBool picture)
{
  const PetscInt first                      = problem ? PetscMin(1, problem->steps) : 0;
  char           folder[PETSC_MAX_PATH_LEN] = "";

  PetscFunctionBegin;
  RungNeed(problem);
  if (problem->steps)
    PetscCall(RungStepsBuild(problem)); /* all mistakes before anything is printed */
  else
    PetscCall(RungBuild(problem, PETSC_FALSE));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  if (picture) {
    PetscCall(RungFolderMake(problem, "check"));
    PetscCall(PetscStrncpy(folder, problem->folder, sizeof folder));
    problem->folder[0] = 0; /* what is built for a check writes nothing */
  }
  if (problem->title) PetscCall(PetscPrintf(problem->comm, "%s\n", problem->title));
  PetscCall(RungMeshView(problem->mesh, PETSC_VIEWER_STDOUT_(problem->comm)));
  if (problem->systems) PetscCall(PetscPrintf(problem->comm, "%s\n", problem->plan.said->text));
  for (PetscInt i = 0; i < problem->statements && problem->systems; ++i) {
    if (problem->statement[i].joint && !problem->statement[i].step)
      PetscCall(PetscPrintf(problem->comm, "%s\n", problem->statement[i].text));
  }
  for (PetscInt i = first; i <= problem->steps; ++i) {
    RungProblem built = problem->systems ? RungMemberAt(problem, i - 1) : problem;

    if (i && !problem->systems) {
      PetscCall(RungStepEnter(problem, i));
      PetscCall(RungBuild(problem, PETSC_FALSE));
    }
    PetscCall(print_built(built));
    if (folder[0]) PetscCall(RungPictureWrite(built, folder));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemPrint(RungProblem problem, const char what[])
{
  RungNeedArgument(what);
  const PetscBool program = strcmp(what, "c") ? PETSC_FALSE : PETSC_TRUE;
  char           *text    = NULL;
  size_t          size    = 0;
  PetscMPIInt     rank;
  FILE           *out;

  PetscFunctionBegin;
  RungNeed(problem);
  PetscCheck(program || !strcmp(what, "canonical"), problem->comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "a problem is printed as c or canonical, not as \"%s\"", what);
  if (problem->steps)
    PetscCall(RungStepsBuild(problem));
  else
    PetscCall(RungBuild(problem, PETSC_FALSE));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(problem->comm, &rank));
  out = open_memstream(&text, &size);
  PetscCheck(out, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the text");
  PetscCall(program ? RungProgramPrint(problem, out) : RungCanonicalPrint(problem, out));
  (void)fclose(out);
  if (!rank && !problem->mistakes) (void)fputs(text, stdout);
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients of other systems have a value, and rates: what a run would give them does not matter here. */
static PetscErrorCode give_coefficients(RungSystem sys)
{
  const char *name;
  RungSystem  from;
  Vec         u;

  PetscFunctionBegin;
  PetscCall(RungSystemGetCoupling(sys, 0, &name, &from, NULL));
  for (PetscInt i = 1; name; ++i) {
    PetscCall(RungSystemCreateVec(from, &u));
    PetscCall(VecSet(u, 1));
    PetscCall(RungSystemSetCoupled(sys, name, u));
    for (PetscInt k = 1; k <= RUNG_MAX_ORDER; ++k) {
      char rate[128];

      PetscCall(PetscSNPrintf(rate, sizeof rate, k > 1 ? "dt(%s, %" PetscInt_FMT ")" : "dt(%s)", name, k));
      PetscCall(RungSystemSetCoupled(sys, rate, u));
    }
    PetscCall(VecDestroy(&u));
    PetscCall(RungSystemGetCoupling(sys, i, &name, &from, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives -------------------------------------------------------------------------------------------------- */

/* Of what was built, at its start. */
static PetscErrorCode test_built(RungProblem problem, RungExit *status)
{
  RungTransientSystem ts;
  const RungState    *state;
  RungTraits          traits;
  PetscReal           sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS], rate, t0;

  PetscFunctionBegin;
  PetscCall(RungStepperGetInterval(problem->stepper, &t0, NULL, NULL));
  PetscCall(give_coefficients(problem->sys));
  PetscCall(RungTransientSystemCreate(problem->sys, 1, 0, &ts));
  RungCallOrUndo(RungTransientSystemStart(ts, t0), PetscCall(RungTransientSystemDestroy(&ts)));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  for (PetscInt i = 0; i < (RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS; ++i) sigma[i] = 1;
  RungCallFinally(RungTaylorTest(problem->sys, t0, state->u, sigma, &rate), PetscCall(RungTransientSystemDestroy(&ts)));
  if (!(rate > 1.9)) *status = RUNG_EXIT_FAILED;
  PetscCall(PetscPrintf(problem->comm,
                        "%s the remainder of the Jacobian at t = %g%s%s falls with order %.3f, wanted 2%s\n",
                        rate > 1.9 ? "ok    " : "FAILED", (double)t0,
                        !problem->step   ? ""
                        : problem->group ? ", system "
                                         : ", step ",
                        problem->step ? problem->step_name[problem->step] : "", (double)rate,
                        PetscIsInfReal(rate) ? " or more: F is linear, nothing remains" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemTaylor(RungProblem problem, RungExit *status)
{
  PetscFunctionBegin;
  RungNeed(problem);
  RungNeedArgument(status);
  *status = RUNG_EXIT_DONE;
  if (problem->systems) PetscCall(RungGroupBuild(problem, 0, PETSC_FALSE));
  for (PetscInt i = PetscMin(1, problem->steps); i <= problem->steps && !problem->mistakes; ++i) {
    RungProblem built = problem->systems ? RungMemberAt(problem, i - 1) : problem;

    if (i && !problem->systems) PetscCall(RungStepEnter(problem, i));
    if (!problem->systems) PetscCall(RungBuild(problem, PETSC_FALSE));
    if (!problem->mistakes) PetscCall(test_built(built, status));
  }
  if (problem->mistakes) *status = RUNG_EXIT_REFUSED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- kernels ahead of time ---------------------------------------------------------------------------------------- */

/* Forms that a system makes when somebody asks for them: with its dt() taken by the chain rule, for consistent starts;
   products with a matrix that has no entries.  What comes out does not matter. */
static PetscErrorCode make_late_forms(RungProblem problem)
{
  PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
  Vec       u[RUNG_MAX_ORDER + 1], r;
  Mat       J;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateMat(problem->sys, &J));
  PetscCall(RungSystemCreateVec(problem->sys, &r));
  for (PetscInt k = 0; k < (RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS; ++k) sigma[k] = 1;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    PetscCall(VecDuplicate(r, &u[k]));
    PetscCall(VecZeroEntries(u[k]));
  }
  PetscCall(give_coefficients(problem->sys));
  PetscCall(RungSystemResidual(problem->sys, 0, u, r));
  PetscCall(RungSystemJacobian(problem->sys, 0, u, sigma, J));
  PetscCall(MatMult(J, u[0], r));
  PetscCall(MatGetDiagonal(J, r));
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The integral that a mean is divided by is a form of its own. */
static PetscErrorCode make_extents(RungProblem problem, PetscInt n, RungForm extent[])
{
  RungScope  scope;
  RungLayout layout;
  PetscInt   k = 0;

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(problem->sys, &scope));
  PetscCall(RungSystemGetLayout(problem->sys, &layout));
  for (PetscInt i = 0; i < problem->statements && k < n; ++i) {
    const RungStatement *s = &problem->statement[i];
    RungExpr             integral;

    if (!RungIs(problem, i, "mean")) continue;
    PetscCall(RungScopeParse(scope, "mean", s->arg[1].text, &integral));
    PetscCall(RungFormCreate(RungExtent(integral), "extent", layout, &extent[k]));
    PetscCall(RungFormSetUp(extent[k++], PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What keeps the plans of kernels until they are written: systems of steps, forms of means. */
typedef struct {
  PetscInt    turns, means;
  RungSystem *sys;    /* owned, [turn] owned, NULL: not reached           */
  RungForm   *extent; /* owned, [turn][mean] owned, NULL as long as unmade */
} Kept;

/* Every step by itself, or every system of several. */
static PetscErrorCode make_kernels(RungProblem problem, Kept *kept)
{
  PetscFunctionBegin;
  if (problem->systems) PetscCall(RungGroupBuild(problem, 0, PETSC_FALSE));
  for (PetscInt i = 0; i < kept->turns && !problem->mistakes; ++i) {
    RungProblem built = problem->systems ? RungMemberAt(problem, i) : problem;

    if (problem->steps && !problem->systems) PetscCall(RungStepEnter(problem, i + 1));
    if (!problem->systems) PetscCall(RungBuildForms(problem));
    if (problem->mistakes) break;
    kept->sys[i] = built->sys;
    PetscCall(RungSystemReference(built->sys));
    PetscCall(make_late_forms(built));
    PetscCall(make_extents(built, kept->means, kept->extent + i * kept->means));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_kernels(RungProblem problem, Kept *kept, const char output[], const char name[],
                                    const char isa[])
{
  PetscInt kernels;

  PetscFunctionBegin;
  PetscCall(make_kernels(problem, kept));
  if (problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungOptionsCheck(problem->comm));
  PetscCall(RungKernelsWrite(output, name, isa, &kernels));
  PetscCall(
    PetscPrintf(problem->comm, "%s: %" PetscInt_FMT " kernels of %s\n", output, kernels, problem->file[0].path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode let_go(Kept *kept)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < kept->turns * kept->means; ++i) PetscCall(RungFormDestroy(&kept->extent[i]));
  for (PetscInt i = 0; i < kept->turns; ++i) PetscCall(RungSystemDestroy(&kept->sys[i]));
  PetscCall(PetscFree2(kept->sys, kept->extent));
  PetscCall(RungKernelsRecord(PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProblemCompile(RungProblem problem, const char output[], const char name[], const char isa[])
{
  Kept kept = {0};

  PetscFunctionBegin;
  RungNeed(problem);
  for (PetscInt i = 0; i < problem->statements; ++i) kept.means += !strcmp(problem->statement[i].word->word, "mean");
  kept.turns = PetscMax(1, problem->steps); /* systems of several are counted so, too */
  PetscCall(PetscCalloc2(kept.turns, &kept.sys, kept.turns * kept.means, &kept.extent));
  PetscCall(RungKernelsRecord(PETSC_TRUE));
  RungCallFinally(write_kernels(problem, &kept, output, name, isa), PetscCall(let_go(&kept)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
