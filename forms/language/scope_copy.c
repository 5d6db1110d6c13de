/* scope_copy.c - the same names and nodes with other spaces of the unknowns: the forms of a coarser level.

   Nodes keep their numbers, so that a node of the one scope is the same expression in the other.  Strings, operand lists and
   tables stay in the memory of the first scope, which the copy references. */
#include "scope_impl.h"
#include <rungscope_room.h>

#define COPY(from, to, table)                                                                                          \
  do {                                                                                                                 \
    (to)->table.n = (to)->table.room = (from)->table.n;                                                                \
    PetscCall(PetscMalloc1((from)->table.n, &(to)->table.entry));                                                      \
    PetscCall(PetscArraycpy((to)->table.entry, (from)->table.entry, (from)->table.n));                                 \
  } while (0)

static PetscErrorCode copy_nodes(RungScope from, RungScope to)
{
  PetscFunctionBegin;
  to->nodes   = from->nodes;
  to->buckets = from->buckets;
  PetscCall(PetscMalloc1(from->buckets, &to->bucket));
  PetscCall(PetscArraycpy(to->bucket, from->bucket, from->buckets));
  COPY(from, to, chunk);
  for (PetscInt i = 0; i < from->chunk.n; ++i) to->chunk.entry[i] = NULL;
  for (PetscInt i = 0; i < from->chunk.n; ++i) {
    PetscCall(PetscMalloc1(RUNG_CHUNK, &to->chunk.entry[i]));
    PetscCall(PetscArraycpy(to->chunk.entry[i], from->chunk.entry[i], RUNG_CHUNK));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each scope notes for itself which definitions it has read. */
static PetscErrorCode copy_definitions(RungScope from, RungScope to)
{
  PetscFunctionBegin;
  COPY(from, to, definition);
  for (PetscInt i = 0; i < from->definition.n; ++i) {
    PetscCall(RungArenaGet(to, sizeof **to->definition.entry, &to->definition.entry[i]));
    *to->definition.entry[i] = *from->definition.entry[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_tables(RungScope from, RungScope to)
{
  PetscFunctionBegin;
  COPY(from, to, name);
  COPY(from, to, constant);
  COPY(from, to, value);
  COPY(from, to, field);
  COPY(from, to, text);
  COPY(from, to, string);
  COPY(from, to, variable);
  COPY(from, to, table);
  COPY(from, to, polynomials);
  COPY(from, to, error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungScopeHasFields(RungScope scope)
{
  return scope->field.n ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode check_space(RungScope scope, PetscInt f, RungSpace space)
{
  const RungUnknownEntry *unknown = &scope->unknown.entry[f];
  const RungSpaceData    *old, *new;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(unknown->space, &old));
  PetscCall(RungSpaceGetData(space, &new));
  PetscCheck((old->mesh == new->mesh || !scope->field.n) && old->rank == new->rank && old->shape[0] == new->shape[0] &&
               old->shape[1] == new->shape[1],
             scope->comm, PETSC_ERR_ARG_INCOMP,
             "\"%s\" in %s cannot live in %s: wanted the same shape and, beside fields, the same mesh", unknown->name,
             old->spec, new->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_all(RungScope from, const RungSpace space[], RungScope to)
{
  PetscFunctionBegin;
  to->dim    = from->dim;
  to->points = from->points;
  COPY(from, to, unknown);
  for (PetscInt f = 0; f < from->unknown.n; ++f) {
    to->unknown.entry[f].space = space[f];
    PetscCall(RungSpaceReference(space[f]));
  }
  PetscCall(copy_tables(from, to));
  PetscCall(copy_definitions(from, to));
  PetscCall(copy_nodes(from, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeCopy(RungScope scope, const RungSpace space[], RungScope *copy)
{
  RungScope s;

  PetscFunctionBegin;
  RungNeed(scope);
  for (PetscInt f = 0; f < scope->unknown.n; ++f) PetscCall(check_space(scope, f, space[f]));
  PetscCall(PetscNew(&s));
  s->last = -1;
  PetscCall(PetscCommDuplicate(scope->comm, &s->comm, NULL));
  s->refct      = 1;
  s->place.text = -1;
  s->origin     = scope;
  PetscCall(RungScopeReference(scope));
  RungCallOrUndo(copy_all(scope, space, s), PetscCall(RungScopeDestroy(&s)));
  *copy = s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungScopeFollow(RungScope copy, PetscBool *changed)
{
  PetscFunctionBegin;
  RungNeed(copy);
  *changed = PETSC_FALSE;
  for (PetscInt i = 0; copy->origin && i < PetscMin(copy->value.n, copy->origin->value.n); ++i) {
    if (copy->value.entry[i] != copy->origin->value.entry[i]) *changed = PETSC_TRUE;
    copy->value.entry[i] = copy->origin->value.entry[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
