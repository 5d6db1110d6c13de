/* natural.c - a system's Vec as one Vec per unknown in natural order: what files hold, on any number of ranks.

   Form systems: [natural node][component] of every unknown (RungSpaceGetNatural).  Callback systems know no mesh: one
   piece in the order of the Vec. */
#include <rungown_room.h>
#include "natural_impl.h"

static PetscErrorCode create_form_piece(RungSystem sys, PetscInt f, Vec like, Vec *piece, VecScatter *scatter)
{
  const RungLayoutData    *data = sys->form->data;
  const RungSpaceData     *space;
  const PetscInt          *natural, *range = &data->range[f];
  RUNG_FREE PetscInt      *place = NULL;
  RUNG_OWNED(ISDestroy) IS from  = NULL;
  RUNG_OWNED(ISDestroy) IS to    = NULL;
  PetscInt                 n;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  PetscCall(RungSpaceGetNatural(sys->form->space[f], &natural));
  n = range[1] - range[0];
  PetscCall(PetscMalloc1(n, &place));
  for (PetscInt i = 0; i < n; ++i) {
    place[i] = natural[i / space->components] * space->components + i % space->components;
  }
  PetscCall(VecCreate(sys->comm, piece));
  PetscCall(VecSetBlockSize(*piece, space->components));
  PetscCall(VecSetSizes(*piece, PETSC_DECIDE, space->nodes_global * space->components));
  PetscCall(VecSetType(*piece, VECSTANDARD));
  PetscCall(ISCreateStride(sys->comm, n, data->start + range[0], 1, &from));
  PetscCall(ISCreateGeneral(sys->comm, n, place, PETSC_COPY_VALUES, &to));
  PetscCall(VecScatterCreate(like, from, *piece, to, scatter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNaturalCreate(RungSystem sys, RungNatural *natural)
{
  const PetscInt                             pieces = sys->form ? sys->traits.unknowns : 1;
  RUNG_OWNED(RungNaturalDestroy) RungNatural n      = NULL;
  RUNG_OWNED(VecDestroy) Vec                 like   = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&n));
  PetscCall(PetscCalloc2(pieces, &n->piece, pieces, &n->scatter));
  n->pieces = pieces;
  PetscCall(RungSystemCreateVec(sys, &like));
  for (PetscInt f = 0; f < n->pieces; ++f) {
    if (sys->form)
      PetscCall(create_form_piece(sys, f, like, &n->piece[f], &n->scatter[f]));
    else
      PetscCall(VecDuplicate(like, &n->piece[f]));
    PetscCall(PetscObjectSetName((PetscObject)n->piece[f], RungSystemNameOf(sys, f)));
  }
  *natural = n;
  n        = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode move(RungNatural n, PetscInt f, Vec from, Vec to, ScatterMode mode)
{
  PetscFunctionBegin;
  if (n->scatter[f]) {
    PetscCall(VecScatterBegin(n->scatter[f], from, to, INSERT_VALUES, mode));
    PetscCall(VecScatterEnd(n->scatter[f], from, to, INSERT_VALUES, mode));
  } else
    PetscCall(VecCopy(from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNaturalFrom(RungNatural n, PetscInt f, Vec u)
{
  PetscFunctionBegin;
  PetscCall(move(n, f, u, n->piece[f], SCATTER_FORWARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNaturalTo(RungNatural n, PetscInt f, Vec u)
{
  PetscFunctionBegin;
  PetscCall(move(n, f, n->piece[f], u, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungNaturalDestroy(RungNatural *natural)
{
  RungNatural n = *natural;

  PetscFunctionBegin;
  *natural = NULL;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; f < n->pieces; ++f) {
    PetscCall(VecDestroy(&n->piece[f]));
    PetscCall(VecScatterDestroy(&n->scatter[f]));
  }
  PetscCall(PetscFree2(n->piece, n->scatter));
  PetscCall(PetscFree(n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
