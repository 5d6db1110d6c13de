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
  PetscMPIInt rank;
  int         ok = 1, code = 0;

  PetscFunctionBegin;
  PetscCheck(path && path[0] && strlen(path) + 8 < size, comm, PETSC_ERR_ARG_WRONG,
             "a field cannot go to a file of this name; wanted one like \"field.h5\"");
  PetscCall(PetscSNPrintf(aside, size, "%s.part", path));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    FILE *file = fopen(aside, "wb");

    code = errno;
    ok   = file && fclose(file) == 0;
  }
  RungCheckAll(ok, comm, PETSC_ERR_FILE_OPEN, "field file \"%s\" cannot be written: %s; choose another place", path,
               strerror(code));
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

PetscErrorCode RungFieldSave(RungField field, const char path[])
{
  char        aside[PETSC_MAX_PATH_LEN], mesh[17];
  const char *spec, *name;
  MPI_Comm    comm;
  PetscViewer viewer;
  VecScatter  scatter;
  Vec         u, natural;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(RungFieldGetName(field, &name));
  PetscCall(PetscObjectGetComm((PetscObject)u, &comm));
  PetscCall(describe(field, mesh, &spec));
  PetscCall(natural_create(field, &natural, &scatter));
  PetscCall(VecScatterBegin(scatter, u, natural, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, u, natural, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(open_aside(comm, path, aside, sizeof aside, &viewer));
  PetscCall(PetscViewerHDF5WriteGroup(viewer, "/rung"));
  PetscCall(PetscViewerHDF5WriteAttribute(viewer, "/rung", "mesh", PETSC_STRING, mesh));
  PetscCall(PetscViewerHDF5WriteAttribute(viewer, "/rung", "space", PETSC_STRING, spec));
  PetscCall(PetscViewerHDF5WriteAttribute(viewer, "/rung", "name", PETSC_STRING, name));
  PetscCall(VecView(natural, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(RungSealWrite(comm, aside, path));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(PetscViewer viewer, MPI_Comm comm, const char path[], const char what[], const char now[])
{
  char     *then = NULL;
  PetscBool has, same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscViewerHDF5HasAttribute(viewer, "/rung", what, &has));
  if (has) {
    PetscCall(PetscViewerHDF5ReadAttribute(viewer, "/rung", what, PETSC_STRING, NULL, &then));
    PetscCall(PetscStrcmp(then, now, &same));
  }
  PetscCheck(
    same, comm, PETSC_ERR_FILE_UNEXPECTED,
    "field file \"%s\" has %s \"%s\", this field has \"%s\"; take a file of the same mesh and space, or load it "
    "there and use RungFieldTransfer",
    path, what, then ? then : "unknown", now);
  PetscCall(PetscFree(then));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldLoad(RungField field, const char path[])
{
  char        mesh[17];
  const char *spec;
  MPI_Comm    comm;
  PetscViewer viewer;
  VecScatter  scatter;
  Vec         u, natural;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(PetscObjectGetComm((PetscObject)u, &comm));
  PetscCheck(path && path[0], comm, PETSC_ERR_ARG_WRONG, "a field file without a path");
  PetscCall(describe(field, mesh, &spec));
  PetscCall(RungSealCheck(comm, path));
  PetscCall(PetscViewerHDF5Open(comm, path, FILE_MODE_READ, &viewer));
  PetscCall(compare(viewer, comm, path, "mesh", mesh));
  PetscCall(compare(viewer, comm, path, "space", spec));
  PetscCall(natural_create(field, &natural, &scatter));
  PetscCall(VecLoad(natural, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecScatterBegin(scatter, natural, u, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(scatter, natural, u, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldsFromOptions(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; sys->form && f < sys->form->fields; ++f) {
    char      option[128], path[PETSC_MAX_PATH_LEN];
    PetscBool set;

    PetscCall(PetscSNPrintf(option, sizeof option, "-field_%s", sys->form->field[f].name));
    PetscCall(RungOptionKnown(option));
    PetscCall(PetscOptionsGetString(NULL, NULL, option, path, sizeof path, &set));
    if (set) PetscCall(RungFieldLoad(sys->form->field[f].field, path));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
