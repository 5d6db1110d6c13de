/* lumped.c - the row sums of a mass, component by component of each unknown: a diagonal in its place. */
#include "form_side_impl.h"

#define OTHER 1e-10 /* of the largest row sum: what the rows of other components may have */

/* One component of an unknown: entries first, first + stride, .. below end. */
typedef struct {
  PetscInt unknown, first, end, stride;
} Component;

/* 1 on a component, slaves of constraints following */
static PetscErrorCode set_component(RungSystem sys, const Component *c, const PetscBool follows[], Vec x)
{
  PetscScalar *value;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(x));
  PetscCall(VecGetArray(x, &value));
  for (PetscInt i = c->first; i < c->end; i += c->stride) value[i] = follows[i] ? 0 : 1;
  PetscCall(VecRestoreArray(x, &value));
  PetscCall(RungSystemExtend(sys, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d on the component = its rows of y; a mass that joins it to another one has no diagonal that stands for it. */
static PetscErrorCode take_rows(RungSystem sys, const Component *c, Vec y, Vec d)
{
  PetscScalar *row, *to;
  PetscReal    most, other = 0;

  PetscFunctionBegin;
  PetscCall(VecNorm(y, NORM_INFINITY, &most));
  PetscCall(VecGetArray(y, &row));
  PetscCall(VecGetArray(d, &to));
  for (PetscInt i = c->first; i < c->end; i += c->stride) {
    to[i]  = row[i];
    row[i] = 0;
  }
  for (PetscInt i = 0; i < sys->local; ++i) other = PetscMax(other, PetscAbsScalar(row[i]));
  PetscCall(VecRestoreArray(d, &to));
  PetscCall(VecRestoreArray(y, &row));
  RungCheckAll(
    !(other > OTHER * most), sys->comm, PETSC_ERR_SUP,
    "the mass joins components or unknowns: that of \"%s\" has entries in the rows of others; take the mass as it is",
    RungSystemNameOf(sys, c->unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Component `number` of all of a system, in the order of the unknowns; found: there is one. */
static PetscErrorCode find_component(RungSystem sys, PetscInt number, Component *c, PetscBool *found)
{
  PetscInt start, components;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (PetscInt f = 0; f < sys->traits.unknowns && !*found; number -= components, ++f) {
    PetscCall(RungSystemGetComponents(sys, f, &components, NULL));
    PetscCall(RungSystemGetRange(sys, f, &start, &c->end));
    *c     = (Component){f, start + number, c->end, components};
    *found = number < components ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "P2 on tetrahedron", "" of callbacks */
static PetscErrorCode describe_space(RungSystem sys, PetscInt entry, char text[], size_t size)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;
  PetscInt             f = 0;

  PetscFunctionBegin;
  text[0] = 0;
  if (!sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  while (f + 1 < sys->traits.unknowns && entry >= sys->range[f + 1]) ++f;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(PetscSNPrintf(text, size, " (%s on a mesh of %s cells)", space->spec, RungCellGet(mesh->type)->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of entries with a rate are positive; given entries have 1. */
static PetscErrorCode check_sums(RungSystem sys, const PetscBool follows[], const PetscInt order[], Vec d)
{
  char         name[64] = "", place[128] = "", space[128] = "";
  PetscScalar *sum;
  PetscReal    bad   = 0;
  PetscInt     entry = -1;

  PetscFunctionBegin;
  PetscCall(VecGetArray(d, &sum));
  for (PetscInt i = 0; i < sys->local; ++i) {
    if (follows[i])
      sum[i] = 1;
    else if (order[i] && !(PetscRealPart(sum[i]) > 0) && entry < 0) {
      entry = i;
      bad   = PetscRealPart(sum[i]);
    }
  }
  PetscCall(VecRestoreArray(d, &sum));
  if (entry >= 0) {
    PetscCall(RungSystemDescribeEntry(sys, entry, name, sizeof name, place, sizeof place));
    PetscCall(describe_space(sys, entry, space, sizeof space));
  }
  RungCheckAll(
    entry < 0, sys->comm, PETSC_ERR_SUP,
    "the row of the mass for \"%s\"%s sums up to %g%s, and what a mass is divided by has to be positive; take "
    "P1 on simplices, any degree Q on boxes, or the mass as it is",
    name, place, (double)bad, space);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sum_rows(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[],
                               const PetscBool follows[], Vec x, Vec y, Vec d)
{
  Component c;
  PetscBool found;

  PetscFunctionBegin;
  for (PetscInt number = 0;; ++number) {
    PetscCall(find_component(sys, number, &c, &found));
    if (!found) break;
    PetscCall(set_component(sys, &c, follows, x));
    PetscCall(RungSystemAction(sys, t, u, sigma, x, y));
    PetscCall(take_rows(sys, &c, y, d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries with data, and slaves of constraints. */
static PetscErrorCode mark_given(RungSystem sys, PetscBool given[])
{
  PetscFunctionBegin;
  if (!sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  RungConstraintsMark(sys, given);
  for (PetscInt i = 0; i < sys->local; ++i)
    if (sys->form->fixed && sys->form->fixed[i]) given[i] = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lump(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], PetscBool follows[],
                           Vec x, Vec y, Vec d)
{
  PetscInt *order;

  PetscFunctionBegin;
  if (sys->form) RungConstraintsMark(sys, follows);
  PetscCall(sum_rows(sys, t, u, sigma, follows, x, y, d));
  PetscCall(mark_given(sys, follows));
  PetscCall(RungSystemGetOrders(sys, &order));
  RungCallFinally(check_sums(sys, follows, order, d), PetscCall(PetscFree(order)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemLumpedMass(RungSystem sys, PetscReal t, const Vec u[], const PetscReal sigma[], Vec d)
{
  PetscInt   entries;
  PetscBool *follows;
  Vec        x, y;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  RungNeed(d);
  PetscCall(VecGetLocalSize(d, &entries));
  RungCheckAll(entries == sys->local, sys->comm, PETSC_ERR_ARG_SIZ,
               "a lumped mass of %" PetscInt_FMT " local entries for a system of %" PetscInt_FMT
               "; create it with RungSystemCreateVec()",
               entries, sys->local);
  PetscCall(RungSystemCreateVec(sys, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(PetscCalloc1(sys->local + 1, &follows));
  RungCallFinally(lump(sys, t, u, sigma, follows, x, y, d), PetscCall(PetscFree(follows)); PetscCall(VecDestroy(&x));
                  PetscCall(VecDestroy(&y)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
