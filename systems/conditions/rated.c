/* rated.c - entries of a form's unknowns that have a time derivative: those whose rates the form holds, and the masters of such
   slaves.  All others are algebraic, component by component and node by node. */
#include <rungown_room.h>
#include "constraint_impl.h"

/* Weights that differ, so that C^T of some marks does not vanish by chance. */
static PetscReal weight_of(PetscInt dof)
{
  return 1 + (PetscReal)(dof * 7919 % 1009) / 1013;
}

/* v = a positive number on marked entries, of any rank */
static PetscErrorCode share(RungSystem sys, const PetscBool mark[], Vec v)
{
  const RungLayoutData *layout = sys->form->data;
  const PetscInt        last   = layout->far ? layout->far[layout->unknowns] : layout->local;
  PetscScalar          *x;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(v, &x));
  for (PetscInt i = 0; i < layout->owned; ++i) x[i] = mark[i] ? weight_of(layout->global[i]) : 0;
  PetscCall(VecRestoreArrayWrite(v, &x));
  for (PetscInt i = layout->owned; i < PetscMax(last, layout->local); ++i) {
    if (mark[i]) PetscCall(VecSetValue(v, layout->global[i], weight_of(layout->global[i]), INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sys->rated from v; none is kept where every entry of the unknowns with derivatives has one. */
static PetscErrorCode keep(RungSystem sys, Vec v)
{
  const PetscScalar   *x;
  RUNG_FREE PetscBool *slave   = NULL;
  PetscInt             missing = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sys->local + 1, &slave));
  RungConstraintsMark(sys, slave);
  PetscCall(PetscCalloc1(sys->local + 1, &sys->rated));
  PetscCall(VecGetArrayRead(v, &x));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) {
      sys->rated[i] = slave[i] || PetscAbsScalar(x[i]) > 0 ? PETSC_TRUE : PETSC_FALSE;
      if (!sys->rated[i] && sys->traits.unknown_order[f] > 0) missing = 1;
    }
  }
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPIU_INT, MPI_MAX, sys->comm));
  if (!missing) PetscCall(PetscFree(sys->rated));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find(RungSystem sys, PetscBool mark[], Vec v)
{
  PetscFunctionBegin;
  PetscCall(RungFormMarkRated(sys->form->F, mark));
  PetscCall(share(sys, mark, v));
  PetscCall(RungConstraintsReduce(sys, v));
  PetscCall(keep(sys, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRatedSetUp(RungSystem sys)
{
  const RungLayoutData      *layout = sys->form->data;
  const PetscInt             last   = layout->far ? layout->far[layout->unknowns] : layout->local;
  RUNG_FREE PetscBool       *mark   = NULL;
  RUNG_OWNED(VecDestroy) Vec v      = NULL;

  PetscFunctionBegin;
  PetscCall(PetscFree(sys->rated));
  if (sys->traits.order < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(PetscMax(last, layout->local), &mark));
  PetscCall(sys->ops->create_vec(sys, &v));
  PetscCall(find(sys, mark, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
