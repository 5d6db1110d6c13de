/* system_callback.c - systems whose F and J are C functions.

   The callbacks give R and its weighted Jacobian; with conserved callbacks F = R + d/dt m(t, u), where m must not
   depend on t explicitly:  the chain rule reads  F = R + (dm/du) u'.

   A callback may touch its Vec on some ranks alone, those with entries: the state of the Vec is increased on all of them behind it, or
   PETSc would know a norm from before on the others and not sum it up with them. */
#include "callback_impl.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateIncrease */

PetscErrorCode RungSystemNeedCallback(RungSystem sys, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(!sys->form, sys->comm, PETSC_ERR_ARG_WRONGSTATE,
             "%s is for systems of callbacks, this one has unknowns on meshes; use a second system", what);
  if (!sys->callback) {
    PetscCall(PetscNew(&sys->callback));
    PetscCallMPI(MPI_Comm_size(sys->comm, &sys->callback->size));
    sys->ops = &RungSystemOps_Callback;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text that a callback's error brings along is PETSc's last one: nothing of an older error may stand there. */
void RungCallbackForget(void)
{
  char *text = NULL;

  (void)PetscErrorMessage(PETSC_ERR_USER, NULL, &text);
  if (text) text[0] = '\0';
}

PetscErrorCode RungCallbackAgree(MPI_Comm comm, PetscErrorCode code, const char what[])
{
  PetscMPIInt rank, size;
  const char *kind = NULL;
  char       *text = NULL, said[1024] = "";

  PetscFunctionBegin;
  if (code) {
    PetscCall(PetscErrorMessage(code, &kind, &text));
    PetscCall(PetscStrncpy(said, text && text[0] ? text : kind ? kind : "", sizeof said));
  }
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1 && code && text && text[0]) PetscFunctionReturn(code); /* has been told */
  RungCheckAll(!code, comm, PETSC_ERR_USER, "the %s returned error %d on rank %d%s%s", what, (int)code, rank,
               said[0] ? ": " : "", said);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- setters ------------------------------------------------------------------------------------------------------
 */

PetscErrorCode RungSystemSetCallbacks(RungSystem sys, PetscInt local, RungTraits traits, RungResidualFn *residual,
                                      RungJacobianFn *jacobian, void *ctx)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetCallbacks"));
  PetscCall(RungSystemNeedCallback(sys, "RungSystemSetCallbacks"));
  PetscCheck(residual, sys->comm, PETSC_ERR_ARG_NULL, "a system of callbacks without a residual function");
  RungCheckAll(local >= 0, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "%" PetscInt_FMT " local entries, wanted 0 or more on each rank", local);
  PetscCheck(traits.order >= 0 && traits.order <= RUNG_MAX_ORDER, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "order %" PetscInt_FMT " in time, wanted 0, 1 or 2", traits.order);
  PetscCheck(traits.unknowns <= 1, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " unknowns of a callback system, wanted 1; mark algebraic entries with "
             "RungSystemSetDifferential",
             traits.unknowns);
  traits.unknowns         = 1;
  traits.unknown_order[0] = traits.order;
  traits.conserved        = PETSC_FALSE;
  if (traits.constant_jacobian) {
    for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) traits.constant_block[k] = PETSC_TRUE;
  }
  sys->local              = local;
  sys->range[1]           = local;
  sys->traits             = traits;
  sys->callback->residual = residual;
  sys->callback->jacobian = jacobian;
  sys->callback->ctx      = ctx;
  if (!jacobian) sys->jacobian_error = 1e-7; /* a few sqrt(eps) */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetConservedCallbacks(RungSystem sys, RungConservedFn *conserved,
                                               RungConservedJacobianFn *jacobian)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetConservedCallbacks"));
  PetscCall(RungSystemNeedCallback(sys, "RungSystemSetConservedCallbacks"));
  sys->callback->conserved          = conserved;
  sys->callback->conserved_jacobian = jacobian;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetExplicitCallback(RungSystem sys, RungResidualFn *function, RungJacobianFn *jacobian,
                                             RungTraits traits)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetExplicitCallback"));
  PetscCall(RungSystemNeedCallback(sys, "RungSystemSetExplicitCallback"));
  PetscCheck(function, sys->comm, PETSC_ERR_ARG_NULL, "an explicit part without a function");
  sys->callback->explicit_part     = function;
  sys->callback->explicit_jacobian = jacobian;
  sys->callback->implicit          = traits;
  if (!jacobian) sys->jacobian_error = 1e-7; /* as without any */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetInitialCallback(RungSystem sys, RungInitialFn *initial)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetInitialCallback"));
  PetscCall(RungSystemNeedCallback(sys, "RungSystemSetInitialCallback"));
  sys->callback->initial = initial;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetMatCallback(RungSystem sys, RungMatFn *mat)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetMatCallback"));
  PetscCall(RungSystemNeedCallback(sys, "RungSystemSetMatCallback"));
  sys->callback->mat = mat;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Vec and Mat --------------------------------------------------------------------------------------------------
 */

static PetscErrorCode create_vec(RungSystem sys, Vec *u)
{
  PetscFunctionBegin;
  PetscCall(VecCreate(sys->comm, u));
  PetscCall(VecSetSizes(*u, sys->local, PETSC_DETERMINE));
  PetscCall(VecSetType(*u, VECSTANDARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* AIJ and not dense, because PETSc raises an error where LAPACK meets a singular matrix instead of reporting it to KSP.
   Every place is entered once, so that later values never meet a missing one. */
static PetscErrorCode fill_pattern(Mat J)
{
  PetscInt     start, end, n, *column;
  PetscScalar *zero;

  PetscFunctionBegin;
  PetscCall(MatGetSize(J, NULL, &n));
  PetscCall(MatGetOwnershipRange(J, &start, &end));
  PetscCall(PetscMalloc1(n, &column));
  PetscCall(PetscCalloc1(n, &zero));
  for (PetscInt j = 0; j < n; ++j) column[j] = j;
  for (PetscInt i = start; i < end; ++i) PetscCall(MatSetValues(J, 1, &i, n, column, zero, INSERT_VALUES));
  PetscCall(PetscFree(column));
  PetscCall(PetscFree(zero));
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does a matrix of the app fit? */
static PetscErrorCode check_mat(RungSystem sys, Mat J)
{
  PetscInt rows, columns;

  PetscFunctionBegin;
  RungCheckAll(J, sys->comm, PETSC_ERR_ARG_NULL,
               "the matrix callback gave no matrix; wanted one made by MatCreate() in *J");
  PetscCall(MatGetLocalSize(J, &rows, &columns));
  if (rows < 0 || columns < 0) rows = columns = sys->local; /* not set up yet */
  RungCheckAll(rows == sys->local && columns == sys->local, sys->comm, PETSC_ERR_ARG_SIZ,
               "the matrix callback gave a matrix of %" PetscInt_FMT " rows and %" PetscInt_FMT
               " columns on a rank where the system has %" PetscInt_FMT " entries; wanted as many of both",
               rows, columns, sys->local);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCallbackCreateMat(RungSystem sys, Mat *J)
{
  RungCallbackSide cb = sys->callback;
  const PetscInt   n  = sys->local;

  PetscFunctionBegin;
  if (cb->mat) {
    *J = NULL;
    RungCallback(sys->comm, "matrix callback", cb->mat(sys, J, cb->ctx));
    RungCallOrUndo(check_mat(sys, *J), PetscCall(MatDestroy(J)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(sys->global <= RUNG_DENSE_LIMIT, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " entries are too many for a full matrix (%d); give one with RungSystemSetMatCallback",
             sys->global, RUNG_DENSE_LIMIT);
  PetscCall(MatCreateAIJ(sys->comm, n, n, sys->global, sys->global, n, NULL, sys->global - n, NULL, J));
  PetscCall(fill_pattern(*J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- R, m and their derivatives -----------------------------------------------------------------------------------
 */

/* Calls that are lent u[n] to read. */
static PetscErrorCode call_lent(RungSystem sys, RungResidualFn *function, PetscReal t, PetscInt n, const Vec u[], Vec r)
{
  RungLent lent;

  PetscFunctionBegin;
  PetscCall(RungLentBegin(sys, n, u, &lent));
  PetscCall(function(sys, t, u, r, sys->callback->ctx));
  PetscCall(RungLentEnd(sys, &lent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_jacobian(RungSystem sys, RungJacobianFn *function, PetscReal t, PetscInt n, const Vec u[],
                                    const PetscReal sigma[], Mat J)
{
  RungLent lent;

  PetscFunctionBegin;
  PetscCall(RungLentBegin(sys, n, u, &lent));
  PetscCall(function(sys, t, u, sigma, J, sys->callback->ctx));
  PetscCall(RungLentEnd(sys, &lent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_implicit(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  RungCallback(sys->comm, "residual callback", call_lent(sys, sys->callback->residual, t, sys->traits.order + 1, u, r));
  PetscCall(PetscObjectStateIncrease((PetscObject)r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_explicit(RungSystem sys, PetscReal t, const Vec u[], Vec e)
{
  PetscFunctionBegin;
  RungCallback(sys->comm, "explicit callback", call_lent(sys, sys->callback->explicit_part, t, 1, u, e));
  PetscCall(PetscObjectStateIncrease((PetscObject)e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_rest(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(evaluate_implicit(sys, t, u, r));
  if (!sys->split) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(evaluate_explicit(sys, t, u, sys->callback->part));
  PetscCall(VecAXPY(r, 1, sys->callback->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode part_rest(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(part == RUNG_IMPLICIT ? evaluate_implicit(sys, t, u, r) : evaluate_rest(sys, t, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_conserved(RungSystem sys, PetscReal t, Vec u, Vec m)
{
  PetscFunctionBegin;
  RungCallback(sys->comm, "conserved callback", sys->callback->conserved(sys, t, u, m, sys->callback->ctx));
  PetscCall(PetscObjectStateIncrease((PetscObject)m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode evaluate_conserved_at(RungSystem sys, PetscReal t, const Vec u[], Vec m)
{
  PetscFunctionBegin;
  PetscCall(evaluate_conserved(sys, t, u[0], m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(Mat J)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_alike(RungSystem sys, const char what[], RungJacobianFn *function, PetscReal t, PetscInt n,
                                 const Vec u[], const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  RungCallback(sys->comm, what, call_jacobian(sys, function, t, n, u, sigma, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode call_conserved_alike(RungSystem sys, PetscReal t, Vec u, PetscReal sigma, Mat J)
{
  RungCallbackSide cb = sys->callback;

  PetscFunctionBegin;
  RungCallback(sys->comm, "conserved Jacobian callback", cb->conserved_jacobian(sys, t, u, sigma, J, cb->ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J is assembled behind an error, too, whatever it holds then: a later solve begins with zeros in it, which PETSc refuses where values wait. */
static PetscErrorCode rest_jacobian(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                    const PetscReal sigma[], Mat J)
{
  RungCallbackSide cb = sys->callback;

  PetscFunctionBegin;
  PetscCall(MatZeroEntries(J));
  if (cb->jacobian)
    RungCallOrUndo(call_alike(sys, "Jacobian callback", cb->jacobian, t, sys->traits.order + 1, u, sigma, J),
                   PetscCall(assemble(J)));
  else
    PetscCall(RungCallbackAddDifferences(sys, evaluate_implicit, t, u, sigma, J));
  PetscCall(assemble(J));
  if (part == RUNG_IMPLICIT || !sys->split) PetscFunctionReturn(PETSC_SUCCESS);
  if (cb->explicit_jacobian)
    RungCallOrUndo(call_alike(sys, "explicit Jacobian callback", cb->explicit_jacobian, t, 1, u, sigma, J),
                   PetscCall(assemble(J)));
  else
    PetscCall(RungCallbackAddDifferences(sys, evaluate_explicit, t, u, sigma, J));
  PetscCall(assemble(J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_conserved_jacobian(RungSystem sys, PetscReal t, Vec u, const PetscReal weight[], Mat J)
{
  PetscFunctionBegin;
  if (sys->callback->conserved_jacobian) {
    RungCallOrUndo(call_conserved_alike(sys, t, u, weight[0], J), PetscCall(assemble(J)));
  } else {
    const PetscReal sigma[RUNG_MAX_ORDER + 1] = {weight[0], 0, 0};
    const Vec       at[RUNG_MAX_ORDER + 1]    = {u, u, u};

    PetscCall(RungCallbackAddDifferences(sys, evaluate_conserved_at, t, at, sigma, J));
  }
  PetscCall(assemble(J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dm = (dm/du) u' */
static PetscErrorCode evaluate_conserved_rate(RungSystem sys, PetscReal t, const Vec u[], Vec dm)
{
  RungCallbackSide cb     = sys->callback;
  const PetscReal  one[1] = {1};

  PetscFunctionBegin;
  PetscCall(MatZeroEntries(cb->C));
  PetscCall(add_conserved_jacobian(sys, t, u[0], one, cb->C));
  PetscCall(MatMult(cb->C, u[1], dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F = R + (dm/du) u' */
static PetscErrorCode residual(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(evaluate_rest(sys, t, u, r));
  if (sys->traits.conserved) {
    PetscCall(evaluate_conserved_rate(sys, t, u, sys->callback->product));
    PetscCall(VecAXPY(r, 1, sys->callback->product));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode stage_jacobian(RungSystem sys, RungSystemPart part, PetscReal t, const Vec u[],
                                     const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(rest_jacobian(sys, part, t, u, sigma, J));
  if (sys->traits.conserved) PetscCall(add_conserved_jacobian(sys, t, u[0], sigma + 1, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_chain_rule(RungSystem sys, const PetscReal sigma[])
{
  PetscFunctionBegin;
  PetscCheck(!sys->traits.conserved || sigma[0] == 0 || sys->callback->conserved_jacobian, sys->comm, PETSC_ERR_SUP,
             "the chain rule on conserved callbacks needs dm/du; give it to RungSystemSetConservedCallbacks");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dF = dR + sigma_1 dm/du + sigma_0 d((dm/du) u')/du; the last, a second derivative of m, by differences */
static PetscErrorCode jacobian(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J)
{
  PetscFunctionBegin;
  PetscCall(check_chain_rule(sys, sigma));
  PetscCall(stage_jacobian(sys, RUNG_ALL, t, u, sigma, J));
  if (sys->traits.conserved && sigma[0] != 0) {
    const PetscReal only[RUNG_MAX_ORDER + 1] = {sigma[0], 0, 0};

    PetscCall(RungCallbackAddDifferences(sys, evaluate_conserved_rate, t, u, only, J));
  }
  PetscCall(assemble(J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- J x and dF/dt ------------------------------------------------------------------------------------------------
 */

/* By differences; the second derivative of m is one of differences of the first one, which has to be exact. */
static PetscErrorCode action_by_differences(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x,
                                            Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecZeroEntries(y));
  PetscCall(RungCallbackAddAlong(sys, evaluate_rest, t, u, sigma, x, y));
  if (!sys->traits.conserved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCallbackAddAlong(sys, evaluate_conserved_at, t, (Vec[]){u[0], u[0], u[0]},
                                 (PetscReal[]){sigma[1], 0, 0}, x, y));
  if (sigma[0] != 0)
    PetscCall(RungCallbackAddAlong(sys, evaluate_conserved_rate, t, u, (PetscReal[]){sigma[0], 0, 0}, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode action(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec x, Vec y)
{
  RungCallbackSide cb = sys->callback;

  PetscFunctionBegin;
  PetscCall(check_chain_rule(sys, sigma));
  if (!cb->jacobian || (sys->split && !cb->explicit_jacobian) || (sys->traits.conserved && !cb->conserved_jacobian)) {
    PetscCall(action_by_differences(sys, t, u, sigma, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!cb->A) PetscCall(RungCallbackCreateMat(sys, &cb->A));
  PetscCall(jacobian(sys, t, u, sigma, cb->A));
  PetscCall(MatMult(cb->A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* m does not depend on t. */
static PetscErrorCode time_derivative(RungSystem sys, PetscReal t, PetscReal within, const Vec u[], Vec r)
{
  PetscFunctionBegin;
  PetscCall(RungCallbackTimeDerivative(sys, evaluate_rest, t, within, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ---------------------------------------------------------------------------------------------------------
 */

/* What is said of F without its explicit part. */
static void set_part(RungSystem sys)
{
  const RungTraits *from = &sys->callback->implicit;

  sys->split                      = sys->callback->explicit_part ? PETSC_TRUE : PETSC_FALSE;
  sys->implicit                   = sys->traits;
  sys->implicit.linear            = from->linear;
  sys->implicit.constant_jacobian = from->constant_jacobian;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k)
    sys->implicit.constant_block[k] = from->constant_block[k] || from->constant_jacobian ? PETSC_TRUE : PETSC_FALSE;
  if (!sys->split) return;
  sys->whole_symmetric    = sys->traits.symmetric;
  sys->whole_definite     = sys->traits.definite;
  sys->implicit.symmetric = from->symmetric;
  sys->implicit.definite  = from->definite;
  RungSystemTakePart(sys, RUNG_ALL);
}

/* Entries of this rank are its own, and so may be the pointers. */
static PetscErrorCode tell(RungSystem sys, RungDraft *said)
{
  const RungCallbackSide   cb      = sys->callback;
  const RungTraits        *t       = &sys->traits;
  const PetscBool          given[] = {(PetscBool)(cb->residual != NULL),      (PetscBool)(cb->jacobian != NULL),
                                      (PetscBool)(cb->conserved != NULL),     (PetscBool)(cb->conserved_jacobian != NULL),
                                      (PetscBool)(cb->explicit_part != NULL), (PetscBool)(cb->explicit_jacobian != NULL),
                                      (PetscBool)(cb->initial != NULL),       (PetscBool)(cb->mat != NULL),
                                      (PetscBool)(sys->differential != NULL)};
  static const char *const name[]  = {"residual",           "Jacobian",          "conserved callback",
                                      "conserved Jacobian", "explicit callback", "explicit Jacobian",
                                      "initial callback",   "matrix callback",   "differential mask"};

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(
    said,
    "traits of order %" PetscInt_FMT
    ", linear %d, constant_jacobian %d (blocks %d %d %d), symmetric %d, definite %d, mass %d, undamped %d, jumps %d\n",
    t->order, t->linear, t->constant_jacobian, t->constant_block[0], t->constant_block[1], t->constant_block[2],
    t->symmetric, t->definite, t->mass, t->undamped, t->jumps));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(given); ++i)
    PetscCall(RungDraftAdd(said, "%s %s\n", given[i] ? "a" : "no", name[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode setup(RungSystem sys)
{
  RungCallbackSide cb = sys->callback;
  PetscInt         entries;

  PetscFunctionBegin;
  PetscCheck(cb->residual, sys->comm, PETSC_ERR_ORDER,
             "the system has no residual; call RungSystemSetCallbacks before it is used");
  sys->traits.conserved = cb->conserved ? PETSC_TRUE : PETSC_FALSE;
  sys->traits.order     = PetscMax(sys->traits.order, sys->least_order);
  PetscCheck(!cb->conserved || sys->traits.order == 1, sys->comm, PETSC_ERR_SUP,
             "conserved callbacks in a system of order %" PetscInt_FMT " in time, wanted order 1", sys->traits.order);
  PetscCallMPI(MPI_Allreduce(&sys->local, &sys->global, 1, MPIU_INT, MPI_SUM, sys->comm));
  if (sys->differential) {
    PetscCall(VecGetLocalSize(sys->differential, &entries));
    RungCheckAll(entries == sys->local, sys->comm, PETSC_ERR_ARG_SIZ,
                 "a mask of %" PetscInt_FMT " local entries for a system of %" PetscInt_FMT, entries, sys->local);
  }
  set_part(sys);
  if (sys->split) PetscCall(create_vec(sys, &cb->part));
  for (PetscInt k = 0; k <= sys->traits.order; ++k) PetscCall(create_vec(sys, &cb->point[k]));
  PetscCall(create_vec(sys, &cb->value));
  PetscCall(create_vec(sys, &cb->shifted));
  if (cb->conserved) {
    PetscCall(create_vec(sys, &cb->product));
    PetscCall(RungCallbackCreateMat(sys, &cb->C));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode initial(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  RungCallbackSide cb = sys->callback;
  PetscReal        norm;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(u));
  if (cb->initial) RungCallback(sys->comm, "initial callback", cb->initial(sys, t, k, u, cb->ctx));
  PetscCall(PetscObjectStateIncrease((PetscObject)u));
  PetscCall(VecNorm(u, NORM_INFINITY, &norm));
  PetscCheck(!PetscIsInfOrNanReal(norm), sys->comm, PETSC_ERR_FP,
             "the initial callback gave a number that is not finite (derivative %" PetscInt_FMT ", t = %g)", k,
             (double)t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(RungSystem sys, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "Jacobian: %s\n", sys->callback->jacobian ? "callback" : "finite differences"));
  if (sys->split)
    PetscCall(PetscViewerASCIIPrintf(viewer, "explicit: a callback; without it: %s%s\n",
                                     sys->implicit.linear ? "linear" : "nonlinear",
                                     sys->implicit.constant_jacobian ? ", constant Jacobian" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungSystem sys)
{
  RungCallbackSide cb = sys->callback;

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&cb->point[k]));
  PetscCall(VecDestroy(&cb->value));
  PetscCall(VecDestroy(&cb->shifted));
  PetscCall(VecDestroy(&cb->product));
  PetscCall(VecDestroy(&cb->part));
  PetscCall(MatDestroy(&cb->C));
  PetscCall(MatDestroy(&cb->A));
  PetscCall(RungCallbackDestroyDifferences(cb));
  PetscCall(PetscFree(sys->callback));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RungSystemOps RungSystemOps_Callback = {
  .kind            = "callbacks",
  .tell            = tell,
  .setup           = setup,
  .create_vec      = create_vec,
  .create_mat      = RungCallbackCreateMat,
  .residual        = residual,
  .jacobian        = jacobian,
  .rest            = part_rest,
  .explicit_part   = evaluate_explicit,
  .stage_jacobian  = stage_jacobian,
  .conserved       = evaluate_conserved,
  .action          = action,
  .time_derivative = time_derivative,
  .initial         = initial,
  .view            = view,
  .destroy         = destroy,
};
