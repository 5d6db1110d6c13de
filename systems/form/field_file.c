/* field_file.c - a field in an HDF5 file, in an order that does not depend on the ranks; coefficients from files.

       /rung     attributes mesh (fingerprint), space, name
       /values   [natural node][component]

   The file is made aside, sealed (seal.c) and renamed, as checkpoints are. */
#include "form_side_impl.h"
#include "seal_impl.h"

#include <errno.h>
#include <petscviewerhdf5.h>

/* A Vec in natural order and how the field's entries go there. */
static PetscErrorCode natural_create(RungField field, Vec *natural, VecScatter *scatter)
{
  const RungSpaceData *space;
  const PetscInt      *number;
  RungSpace            of;
  Vec                  u;
  IS                   to;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &of));
  PetscCall(RungSpaceGetData(of, &space));
  PetscCall(RungSpaceGetNatural(of, &number));
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(VecCreate(PetscObjectComm((PetscObject)u), natural));
  PetscCall(VecSetSizes(*natural, PETSC_DECIDE, space->nodes_global * space->components));
  PetscCall(VecSetType(*natural, VECSTANDARD));
  PetscCall(PetscObjectSetName((PetscObject)*natural, "values"));
  PetscCall(
    ISCreateBlock(PetscObjectComm((PetscObject)u), space->components, space->owned, number, PETSC_COPY_VALUES, &to));
  PetscCall(VecScatterCreate(u, NULL, *natural, to, scatter));
  PetscCall(ISDestroy(&to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode open_aside(MPI_Comm comm, const char path[], char aside[], size_t size, PetscViewer *viewer)
{
  char      why[256] = "";
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(aside, size, "%s.part", path));
  PetscCall(RungSealTry(comm, path, aside, &ok, why, sizeof why));
  RungCheckAll(ok, comm, PETSC_ERR_FILE_OPEN, "field file \"%s\" cannot be written: %s; choose another place", path,
               why);
  PetscCall(PetscViewerHDF5Open(comm, aside, FILE_MODE_WRITE, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* what: "mesh", "space" of a field */
static PetscErrorCode describe(RungField field, char mesh[17], const char **spec)
{
  const RungSpaceData *space;
  RungSpace            of;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &of));
  PetscCall(RungSpaceGetData(of, &space));
  PetscCall(RungMeshGetFingerprint(space->mesh, mesh));
  *spec = space->spec;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u into a Vec in natural order, or back */
static PetscErrorCode reorder(Vec u, Vec natural, VecScatter scatter, ScatterMode mode)
{
  const Vec from = mode == SCATTER_FORWARD ? u : natural, to = mode == SCATTER_FORWARD ? natural : u;

  PetscFunctionBegin;
  PetscCall(VecScatterBegin(scatter, from, to, INSERT_VALUES, mode));
  PetscCall(VecScatterEnd(scatter, from, to, INSERT_VALUES, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_field(RungField field, PetscViewer viewer)
{
  char        mesh[17];
  const char *spec, *name;
  VecScatter  scatter;
  Vec         u, natural;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(RungFieldGetName(field, &name));
  PetscCall(describe(field, mesh, &spec));
  PetscCall(PetscViewerHDF5WriteGroup(viewer, "/rung"));
  PetscCall(PetscViewerHDF5WriteAttribute(viewer, "/rung", "mesh", PETSC_STRING, mesh));
  PetscCall(PetscViewerHDF5WriteAttribute(viewer, "/rung", "space", PETSC_STRING, spec));
  PetscCall(PetscViewerHDF5WriteAttribute(viewer, "/rung", "name", PETSC_STRING, name));
  PetscCall(natural_create(field, &natural, &scatter));
  PetscCall(reorder(u, natural, scatter, SCATTER_FORWARD));
  RungCallFinally(VecView(natural, viewer), PetscCall(VecScatterDestroy(&scatter)); PetscCall(VecDestroy(&natural)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_and_close(RungField field, PetscViewer *viewer)
{
  PetscFunctionBegin;
  RungCallFinally(view_field(field, *viewer), PetscCall(PetscViewerDestroy(viewer)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldSave(RungField field, const char path[])
{
  char        aside[PETSC_MAX_PATH_LEN];
  PetscInt    entries;
  MPI_Comm    comm;
  PetscViewer viewer;
  Vec         u;

  PetscFunctionBegin;
  RungNeed(field);
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(PetscObjectGetComm((PetscObject)u, &comm));
  PetscCall(VecGetSize(u, &entries));
  PetscCall(RungPathCheck(comm, "a field file", path, "field.h5"));
  PetscCall(RungSealRoom(comm, path, (double)entries * (double)sizeof(PetscScalar)));
  PetscCall(open_aside(comm, path, aside, sizeof aside, &viewer));
  RungCallOrUndo(view_and_close(field, &viewer), PetscCall(RungSealForget(comm, aside)));
  PetscCall(RungSealWrite(comm, aside, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(PetscViewer viewer, MPI_Comm comm, const char path[], const char what[], const char now[])
{
  char      then[256] = "unknown", *text;
  PetscBool has, same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscViewerHDF5HasAttribute(viewer, "/rung", what, &has));
  if (has) {
    PetscCall(PetscViewerHDF5ReadAttribute(viewer, "/rung", what, PETSC_STRING, NULL, &text));
    PetscCall(PetscStrcmp(text, now, &same));
    PetscCall(PetscStrncpy(then, text, sizeof then));
    PetscCall(PetscFree(text));
  }
  PetscCheck(
    same, comm, PETSC_ERR_FILE_UNEXPECTED,
    "field file \"%s\" has %s \"%s\", this field has \"%s\"; take a file of the same mesh and space, or load it "
    "there and use RungFieldTransfer",
    path, what, then, now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_natural(PetscViewer viewer, Vec u, Vec natural, VecScatter scatter)
{
  PetscFunctionBegin;
  PetscCall(VecLoad(natural, viewer));
  PetscCall(reorder(u, natural, scatter, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_field(RungField field, const char path[], PetscViewer viewer)
{
  char        mesh[17];
  const char *spec;
  MPI_Comm    comm;
  VecScatter  scatter;
  Vec         u, natural;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(PetscObjectGetComm((PetscObject)u, &comm));
  PetscCall(describe(field, mesh, &spec));
  PetscCall(compare(viewer, comm, path, "mesh", mesh));
  PetscCall(compare(viewer, comm, path, "space", spec));
  PetscCall(natural_create(field, &natural, &scatter));
  RungCallFinally(load_natural(viewer, u, natural, scatter), PetscCall(VecScatterDestroy(&scatter));
                  PetscCall(VecDestroy(&natural)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldLoad(RungField field, const char path[])
{
  MPI_Comm    comm;
  PetscViewer viewer;
  Vec         u;

  PetscFunctionBegin;
  RungNeed(field);
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(PetscObjectGetComm((PetscObject)u, &comm));
  PetscCheck(path && path[0], comm, PETSC_ERR_ARG_WRONG, "a field file without a path");
  PetscCall(RungSealCheck(comm, path));
  PetscCall(PetscViewerHDF5Open(comm, path, FILE_MODE_READ, &viewer));
  RungCallFinally(load_field(field, path, viewer), PetscCall(PetscViewerDestroy(&viewer)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldsFromOptions(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; sys->form && f < sys->form->fields; ++f) {
    char      option[128], path[PETSC_MAX_PATH_LEN] = "";
    PetscBool set;

    PetscCall(PetscSNPrintf(option, sizeof option, "-field_%s", sys->form->field[f].name));
    PetscCall(RungOptionText(sys->comm, option, "file of a given field", NULL, sizeof path, path, &set));
    if (set) PetscCall(RungFieldLoad(sys->form->field[f].field, path));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
