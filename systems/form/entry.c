/* entry.c - what the entries of a system's vectors stand for: components, names, places, the volume of each. */
#include "form_side_impl.h"

/* NULL for callbacks */
static PetscErrorCode space_of(RungSystem sys, PetscInt f, const RungSpaceData **space)
{
  RungSpace given;

  PetscFunctionBegin;
  PetscCall(RungSystemGetUnknown(sys, f, NULL, &given)); /* refuses an f that is none */
  *space = NULL;
  if (given) PetscCall(RungSpaceGetData(given, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemCountUnknowns(RungSystem sys, PetscInt *n)
{
  PetscFunctionBegin;
  RungNeed(sys);
  *n = sys->form ? sys->form->unknowns : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lies_on_points(const RungSpaceData *space, PetscBool *points)
{
  const RungMeshData *mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  *points = mesh->type == RUNG_POINT && !space->single ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetComponents(RungSystem sys, PetscInt f, PetscInt *components, PetscBool *points)
{
  const RungSpaceData *space;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(space_of(sys, f, &space));
  *components = space ? space->components : 1;
  if (!points) PetscFunctionReturn(PETSC_SUCCESS);
  *points = PETSC_FALSE;
  if (space) PetscCall(lies_on_points(space, points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemIsNumber(RungSystem sys, PetscInt f, PetscBool *is)
{
  const RungSpaceData *space;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(space_of(sys, f, &space));
  *is = space && space->single ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "u", "u[1]", "u[0,1]" */
PetscErrorCode RungSystemDescribeComponent(RungSystem sys, PetscInt f, PetscInt component, char text[], size_t size)
{
  const RungSpaceData *space;
  const char          *name;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(space_of(sys, f, &space));
  name = RungSystemNameOf(sys, f);
  if (!space || space->rank == 0)
    PetscCall(PetscSNPrintf(text, size, "%s", name));
  else if (space->rank == 1)
    PetscCall(PetscSNPrintf(text, size, "%s[%" PetscInt_FMT "]", name, component));
  else
    PetscCall(PetscSNPrintf(text, size, "%s[%" PetscInt_FMT ",%" PetscInt_FMT "]", name, component / space->shape[1],
                            component % space->shape[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entry's rank tells. */
static PetscErrorCode describe_algebraic(RungSystem sys, char name[], size_t size)
{
  PetscInt start, end, f = 0, components;
  PetscInt entry = sys->algebraic;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(sys->error_mask, &start, &end));
  PetscCall(PetscArrayzero(name, size));
  if (entry < start || entry >= end) PetscFunctionReturn(PETSC_SUCCESS);
  while (entry - start >= sys->range[f + 1]) ++f;
  PetscCall(RungSystemGetComponents(sys, f, &components, NULL));
  if (!sys->form)
    PetscCall(PetscSNPrintf(name, size, "entry %" PetscInt_FMT, entry));
  else if (sys->traits.unknown_order[f] > 0)
    PetscCall(RungSystemDescribeComponent(sys, f, (entry - start - sys->range[f]) % components, name, size));
  else
    PetscCall(PetscStrncpy(name, RungSystemNameOf(sys, f), size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetAlgebraic(RungSystem sys, PetscBool *any, char name[], size_t size)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  *any    = sys->algebraic >= 0 ? PETSC_TRUE : PETSC_FALSE;
  name[0] = 0;
  if (!*any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(describe_algebraic(sys, name, size));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, name, (PetscMPIInt)size, MPI_CHAR, MPI_MAX, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* " at (0.5, 0.25)", " of point 17"; nothing behind a number of the whole mesh */
static PetscErrorCode describe_place(const RungSpaceData *space, PetscInt node, char text[], size_t size)
{
  const RungMeshData *mesh;
  const PetscReal    *x;
  PetscBool           points;

  PetscFunctionBegin;
  text[0] = 0;
  if (space->single) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  x = space->x + node * mesh->dim;
  PetscCall(lies_on_points(space, &points));
  if (points)
    PetscCall(PetscSNPrintf(text, size, " of point %.0f", (double)x[0]));
  else if (mesh->dim == 1)
    PetscCall(PetscSNPrintf(text, size, " at %.4g", (double)x[0]));
  else if (mesh->dim == 2)
    PetscCall(PetscSNPrintf(text, size, " at (%.4g, %.4g)", (double)x[0], (double)x[1]));
  else
    PetscCall(PetscSNPrintf(text, size, " at (%.4g, %.4g, %.4g)", (double)x[0], (double)x[1], (double)x[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemDescribeEntry(RungSystem sys, PetscInt entry, char name[], size_t name_size, char place[],
                                       size_t place_size)
{
  const RungSpaceData *space;
  PetscInt             f = 0, at, first;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  PetscCall(VecGetOwnershipRange(sys->error_mask, &first, NULL));
  PetscCheck(entry >= 0 && entry < sys->local, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "entry %" PetscInt_FMT " of %" PetscInt_FMT " that this rank owns; they count from 0", entry, sys->local);
  while (entry >= sys->range[f + 1]) ++f;
  at = entry - sys->range[f];
  PetscCall(space_of(sys, f, &space));
  PetscCall(RungSystemDescribeComponent(sys, f, space ? at % space->components : 0, name, name_size));
  if (space)
    PetscCall(describe_place(space, at / space->components, place, place_size));
  else
    PetscCall(PetscSNPrintf(place, place_size, ", entry %" PetscInt_FMT, first + entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- volumes ------------------------------------------------------------------------------------------------------ */

/* A system of the same unknowns whose Jacobian is the mass matrix, never made: its diagonal is all that is asked for. */
static PetscErrorCode create_mass(RungSystem sys, RungSystem *mass)
{
  RungFormSide form = sys->form;
  char         text[512];

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(sys->comm, mass));
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSystemAddUnknown(*mass, form->name[f], form->test[f], form->space[f]));
    PetscCall(RungSpaceGetData(form->space[f], &space));
    PetscCall(
      PetscSNPrintf(text, sizeof text, "inner(%s, %s)*%s", form->name[f], form->test[f], space->single ? "dR" : "dx"));
    PetscCall(RungSystemAddResidual(*mass, text));
  }
  (*mass)->matrix_free = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fill_volumes(RungSystem mass, Vec volumes)
{
  PetscReal sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS] = {0};
  Mat       J;
  Vec       u;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < mass->form->unknowns; ++f) sigma[f] = 1;
  PetscCall(RungSystemCreateMat(mass, &J));
  PetscCall(RungSystemCreateVec(mass, &u));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungSystemJacobian(mass, 0, &u, sigma, J));
  PetscCall(MatGetDiagonal(J, volumes));
  PetscCall(VecDestroy(&u));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetVolumes(RungSystem sys, Vec volumes)
{
  RungSystem mass = NULL;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemSetUp(sys));
  if (!sys->form) {
    PetscCall(VecSet(volumes, 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  RungCallOrUndo(create_mass(sys, &mass), PetscCall(RungSystemDestroy(&mass)));
  RungCallFinally(fill_volumes(mass, volumes), PetscCall(RungSystemDestroy(&mass)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
