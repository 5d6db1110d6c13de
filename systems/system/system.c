/* system.c - life of a system: its kind, set-up, what is known of it, view. */
#include <rungown_room.h>
#include "solver_impl.h"
#include <stdarg.h>

PetscLogEvent RUNG_SYSTEM_RESIDUAL, RUNG_SYSTEM_JACOBIAN, RUNG_SYSTEM_CONSISTENT, RUNG_SYSTEM_CONSTRAINTS,
  RUNG_SYSTEM_CHECKPOINT;
static PetscClassId rung_system_classid;

/* PETSc numbers events anew in each life. */
static PetscErrorCode forget_events(void)
{
  PetscFunctionBegin;
  rung_system_classid = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode register_events(void)
{
  PetscFunctionBegin;
  if (rung_system_classid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRegisterFinalize(forget_events));
  PetscCall(PetscClassIdRegister("Rung system", &rung_system_classid));
  PetscCall(PetscLogEventRegister("RungResidual", rung_system_classid, &RUNG_SYSTEM_RESIDUAL));
  PetscCall(PetscLogEventRegister("RungJacobian", rung_system_classid, &RUNG_SYSTEM_JACOBIAN));
  PetscCall(PetscLogEventRegister("RungConsistent", rung_system_classid, &RUNG_SYSTEM_CONSISTENT));
  PetscCall(PetscLogEventRegister("RungConstraints", rung_system_classid, &RUNG_SYSTEM_CONSTRAINTS));
  PetscCall(PetscLogEventRegister("RungCheckpoint", rung_system_classid, &RUNG_SYSTEM_CHECKPOINT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCreate(MPI_Comm comm, RungSystem *sys)
{
  RungSystem s;

  PetscFunctionBegin;
  RungNeedArgument(sys);
  PetscCall(register_events());
  PetscCall(PetscNew(&s));
  PetscCall(PetscCommDuplicate(comm, &s->comm, NULL));
  s->refct          = 1;
  s->conserve       = PETSC_TRUE;
  s->condense       = PETSC_TRUE;
  s->keep_blocks    = PETSC_TRUE;
  s->level_rank     = 200;
  s->most_factored  = RUNG_FACTORED;
  s->jacobian_error = 1e-13;
  *sys              = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemReference(RungSystem sys)
{
  PetscFunctionBegin;
  RungNeed(sys);
  ++sys->refct;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds are those of rank 0. */
static PetscErrorCode view_counts(RungSystem sys, PetscViewer viewer)
{
  const RungSystemCounts *counts = &sys->counts;

  PetscFunctionBegin;
  if (counts->residuals + counts->jacobians) {
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "evaluated: %" PetscInt_FMT " residuals, %" PetscInt_FMT
                                     " Jacobians, %" PetscInt_FMT " conserved vectors, %" PetscInt_FMT
                                     " consistent starts\n",
                                     counts->residuals, counts->jacobians, counts->conserved, counts->starts));
    PetscCall(PetscViewerASCIIPrintf(viewer, "kernels with gathers and insertion: residuals %.3g s, Jacobians %.3g s\n",
                                     counts->residual_seconds, counts->jacobian_seconds));
  }
  if (counts->actions) {
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "matrix-free: %" PetscInt_FMT " products with J in %.3g s, %" PetscInt_FMT " diagonals\n",
      counts->actions, counts->action_seconds, counts->diagonals));
  }
  if (counts->split) {
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "constant blocks: kept in %" PetscInt_FMT
                                     " Jacobians, the others assembled; these %" PetscInt_FMT " times\n",
                                     counts->split, counts->kept));
  }
  if (counts->products + counts->combined) {
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "constant blocks: %" PetscInt_FMT " residuals by products, %" PetscInt_FMT
                                     " Jacobians combined, none of these assembled\n",
                                     counts->products, counts->combined));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the run has taken, where -system_view has told how it began. */
static PetscErrorCode view_end(RungSystem sys)
{
  PetscFunctionBegin;
  if (!sys->viewer || !sys->ready || !(sys->counts.residuals + sys->counts.jacobians))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(sys->viewer, "RungSystem at its end\n"));
  PetscCall(PetscViewerASCIIPushTab(sys->viewer));
  PetscCall(RungSolverViewTuned(sys, sys->viewer));
  PetscCall(view_counts(sys, sys->viewer));
  PetscCall(PetscViewerASCIIPopTab(sys->viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemDestroy(RungSystem *sys)
{
  RungNeedArgument(sys);
  RungSystem s = *sys;

  PetscFunctionBegin;
  *sys = NULL;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  if (--s->refct > 0) {
    if (s->ops && s->ops->drop) PetscCall(s->ops->drop(s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(view_end(s));
  PetscCall(PetscContainerDestroy(&s->levels));
  if (s->ops) PetscCall(s->ops->destroy(s));
  PetscCall(VecDestroy(&s->differential));
  PetscCall(PetscFree(s->rated));
  PetscCall(VecDestroy(&s->error_mask));
  PetscCall(VecDestroy(&s->m));
  PetscCall(PetscViewerDestroy(&s->viewer));
  PetscCall(PetscCommDestroy(&s->comm));
  PetscCall(PetscFree(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MPI_Comm RungSystemComm(RungSystem sys)
{
  return sys->comm;
}

PetscErrorCode RungSystemCheckNew(RungSystem sys, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(!sys->ready, sys->comm, PETSC_ERR_ORDER, "%s comes before the system is set up; call it earlier", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemWarn(RungSystem sys, const char format[], ...)
{
  char    text[2048];
  va_list list;

  PetscFunctionBegin;
  va_start(list, format);
  PetscCall(PetscVSNPrintf(text, sizeof text, format, NULL, list));
  va_end(list);
  PetscCall(PetscFPrintf(sys->comm, PETSC_STDERR, "warning: %s\n", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

PetscErrorCode RungSystemGetOrders(RungSystem sys, PetscInt **order)
{
  const PetscScalar *mask = NULL;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(order);
  PetscCall(PetscMalloc1(sys->local + 1, order));
  if (sys->differential) PetscCall(VecGetArrayRead(sys->differential, &mask));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) {
      const PetscBool none = (mask && mask[i] == 0.0) || (sys->rated && !sys->rated[i]) ? PETSC_TRUE : PETSC_FALSE;

      (*order)[i] = none ? 0 : PetscMax(0, sys->traits.unknown_order[f]);
    }
  }
  if (sys->differential) PetscCall(VecRestoreArrayRead(sys->differential, &mask));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 where an entry is free and differential; the first that is free and not. */
static PetscErrorCode make_error_mask(RungSystem sys)
{
  RUNG_FREE PetscInt *order = NULL;
  PetscInt            start, first = PETSC_MAX_INT;
  PetscScalar        *mask;

  PetscFunctionBegin;
  if (!sys->error_mask) PetscCall(sys->ops->create_vec(sys, &sys->error_mask));
  PetscCall(RungSystemGetOrders(sys, &order));
  PetscCall(VecSet(sys->error_mask, 1));
  PetscCall(RungSystemZeroDirichlet(sys, sys->error_mask));
  PetscCall(VecGetOwnershipRange(sys->error_mask, &start, NULL));
  PetscCall(VecGetArray(sys->error_mask, &mask));
  for (PetscInt i = 0; i < sys->local; ++i) {
    if (mask[i] == 0.0 || order[i] > 0) continue;
    first   = PetscMin(first, start + i);
    mask[i] = 0;
  }
  PetscCall(VecRestoreArray(sys->error_mask, &mask));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_MIN, sys->comm));
  sys->algebraic = first == PETSC_MAX_INT ? -1 : first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_ranks(RungSystem sys)
{
  RUNG_OWNED(RungDraftClear) RungDraft said = {0};

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(&said, "%s\n", sys->ops ? sys->ops->kind : "nothing"));
  PetscCall(RungDraftAdd(&said, "least order %" PetscInt_FMT "\n", sys->least_order));
  if (sys->ops) PetscCall(sys->ops->tell(sys, &said));
  PetscCall(RungDraftCheckAlike(sys->comm, "the system", &said));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetUp(RungSystem sys)
{
  PetscFunctionBegin;
  RungNeed(sys);
  if (sys->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_ranks(sys));
  PetscCheck(sys->ops, sys->comm, PETSC_ERR_ORDER,
             "the system is empty; add unknowns and residuals, or set callbacks, before it is used");
  RungWorkBegin("the system");
  RungCallFinally(sys->ops->setup(sys), RungWorkEnd());
  PetscCallMPI(MPI_Allreduce(&sys->local, &sys->global, 1, MPIU_INT, MPI_SUM, sys->comm));
  sys->ready = PETSC_TRUE;
  PetscCall(make_error_mask(sys));
  if (sys->traits.conserved) PetscCall(sys->ops->create_vec(sys, &sys->m));
  if (sys->viewer) {
    PetscCall(PetscViewerPushFormat(sys->viewer, sys->viewer_format));
    PetscCall(RungSystemView(sys, sys->viewer));
    PetscCall(PetscViewerPopFormat(sys->viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetDifferential(RungSystem sys, Vec mask)
{
  const PetscScalar *entry;
  PetscReal          value;
  PetscInt           entries, wrong;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(mask);
  PetscCheck(!sys->in_time, sys->comm, PETSC_ERR_ORDER,
             "RungSystemSetDifferential comes before the stepper is set up; call it earlier");
  PetscCheck(sys->callback || sys->ready, sys->comm, PETSC_ERR_ORDER,
             "RungSystemSetDifferential comes after RungSystemSetUp, where the system has unknowns on meshes");
  PetscCall(VecGetLocalSize(mask, &entries));
  RungCheckAll(!sys->ready || entries == sys->local, sys->comm, PETSC_ERR_ARG_SIZ,
               "a mask of %" PetscInt_FMT " local entries for a system of %" PetscInt_FMT, entries, sys->local);
  PetscCall(VecGetArrayRead(mask, &entry));
  for (wrong = 0; wrong < entries && (entry[wrong] == 0 || entry[wrong] == 1);) ++wrong;
  value = wrong < entries ? PetscRealPart(entry[wrong]) : 0;
  PetscCall(VecRestoreArrayRead(mask, &entry));
  RungCheckAll(wrong == entries, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "local entry %" PetscInt_FMT " of a mask is %g, wanted 1 where it is differential and 0 where algebraic",
               wrong, (double)value);
  PetscCall(VecDestroy(&sys->differential));
  PetscCall(VecDuplicate(mask, &sys->differential));
  PetscCall(VecCopy(mask, sys->differential));
  if (sys->ready) PetscCall(make_error_mask(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetLeastOrder(RungSystem sys, PetscInt order)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetLeastOrder"));
  PetscCheck(order >= 0 && order <= RUNG_MAX_ORDER, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "order %" PetscInt_FMT " in time, wanted 0, 1 or 2", order);
  sys->least_order = order;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungSystemTakePart(RungSystem sys, RungSystemPart part)
{
  const PetscBool alone = part == RUNG_IMPLICIT ? PETSC_TRUE : PETSC_FALSE;

  sys->part = part;
  if (!sys->split) return;
  sys->traits.symmetric = sys->implicit.symmetric && (alone || sys->whole_symmetric) ? PETSC_TRUE : PETSC_FALSE;
  sys->traits.definite  = sys->implicit.definite && (alone || sys->whole_definite) ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungSystemIsSetUp(RungSystem sys, PetscBool *set)
{
  PetscFunctionBegin;
  RungNeed(sys);
  *set = sys->ready;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is known ------------------------------------------------------------------------------------------------
 */

PetscErrorCode RungSystemGetTraits(RungSystem sys, RungTraits *traits)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(traits);
  PetscCall(RungSystemSetUp(sys));
  *traits = sys->traits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetRange(RungSystem sys, PetscInt f, PetscInt *start, PetscInt *end)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(start);
  RungNeedArgument(end);
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(f >= 0 && f < sys->traits.unknowns, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "unknown %" PetscInt_FMT " of a system with %" PetscInt_FMT "; they count from 0", f,
             sys->traits.unknowns);
  *start = sys->range[f];
  *end   = sys->range[f + 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetErrorMask(RungSystem sys, Vec *mask)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(mask);
  PetscCall(RungSystemSetUp(sys));
  *mask = sys->error_mask;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCreateVec(RungSystem sys, Vec *u)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(u);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(sys->ops->create_vec(sys, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCreateMat(RungSystem sys, Mat *J)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(J);
  PetscCall(RungSystemSetUp(sys));
  if (sys->matrix_free)
    PetscCall(RungShellCreate(sys, J));
  else if (sys->typed)
    PetscCall(RungTypedCreateMat(sys, J));
  else
    PetscCall(sys->ops->create_mat(sys, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemInitial(RungSystem sys, PetscReal t, PetscInt k, Vec u)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(u);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(sys->ops->initial(sys, t, k, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- view ---------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode view_traits(RungSystem sys, PetscViewer viewer)
{
  const RungTraits *traits = &sys->traits;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "order in time %" PetscInt_FMT ":%s%s%s%s%s%s\n", traits->order, traits->linear ? " linear" : " nonlinear",
    traits->constant_jacobian ? ", constant Jacobian" : "", traits->symmetric ? ", symmetric" : "",
    traits->definite ? ", definite" : "", traits->time_dependent ? ", time dependent" : "",
    traits->conserved ? ", conserved terms kept whole" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "degrees of freedom: %" PetscInt_FMT "\n", sys->global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemView(RungSystem sys, PetscViewer viewer)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(sys->comm, &viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "RungSystem of %s\n", sys->ops->kind));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(view_traits(sys, viewer));
  if (sys->ops->view) PetscCall(sys->ops->view(sys, viewer));
  PetscCall(RungSystemViewSolver(sys, viewer));
  PetscCall(view_counts(sys, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
