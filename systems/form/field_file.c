/* field_file.c - a field in an HDF5 file, in an order that does not depend on the ranks; coefficients from files.

       /rung     attributes mesh (fingerprint), space, name
       /values   [natural node][component]

   The file is made aside, sealed (seal.c) and renamed, as checkpoints are. */
#include "form_side_impl.h"
#include "store_impl.h"

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

static PetscErrorCode put_field(RungField field, RungStore store)
{
  char        mesh[17];
  const char *spec, *name;
  VecScatter  scatter;
  PetscInt    entries;
  Vec         u, natural;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(RungFieldGetName(field, &name));
  PetscCall(describe(field, mesh, &spec));
  PetscCall(VecGetSize(u, &entries));
  PetscCall(RungStoreReserve(store, (double)entries * (double)sizeof(PetscScalar)));
  PetscCall(RungStorePutText(store, "mesh", mesh));
  PetscCall(RungStorePutText(store, "space", spec));
  PetscCall(RungStorePutText(store, "name", name));
  PetscCall(natural_create(field, &natural, &scatter));
  PetscCall(reorder(u, natural, scatter, SCATTER_FORWARD));
  RungCallFinally(RungStorePutVec(store, "", "values", natural), PetscCall(VecScatterDestroy(&scatter));
                  PetscCall(VecDestroy(&natural)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_comm(RungField field, MPI_Comm *comm)
{
  Vec u;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(PetscObjectGetComm((PetscObject)u, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldSave(RungField field, const char path[])
{
  char      why[256];
  MPI_Comm  comm;
  RungStore store;
  PetscBool ok;

  PetscFunctionBegin;
  RungNeed(field);
  PetscCall(get_comm(field, &comm));
  PetscCall(RungPathCheck(comm, "a field file", path, "field.h5"));
  PetscCall(RungStoreCreate(comm, "field file", path, &store));
  RungCallOrUndo(put_field(field, store), PetscCall(RungStoreClose(&store)));
  PetscCall(RungStoreFinish(&store, &ok, why, sizeof why));
  PetscCheck(ok, comm, PETSC_ERR_FILE_OPEN, "field file \"%s\" cannot be written: %s; choose another place", path, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compare(RungStore store, MPI_Comm comm, const char what[], const char now[])
{
  char      then[256] = "unknown", *text;
  PetscBool has, same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungStoreHas(store, what, &has));
  if (has) {
    PetscCall(RungStoreGetText(store, what, &text));
    PetscCall(PetscStrcmp(text, now, &same));
    PetscCall(PetscStrncpy(then, text, sizeof then));
    PetscCall(PetscFree(text));
  }
  PetscCheck(
    same, comm, PETSC_ERR_FILE_UNEXPECTED,
    "field file \"%s\" has %s \"%s\", this field has \"%s\"; take a file of the same mesh and space, or load it "
    "there and use RungFieldTransfer",
    RungStorePath(store), what, then, now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_natural(RungStore store, Vec u, Vec natural, VecScatter scatter)
{
  PetscFunctionBegin;
  PetscCall(RungStoreGetVec(store, "", "values", natural));
  PetscCall(reorder(u, natural, scatter, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_field(RungField field, MPI_Comm comm, RungStore store)
{
  char        mesh[17];
  const char *spec;
  VecScatter  scatter;
  Vec         u, natural;

  PetscFunctionBegin;
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(describe(field, mesh, &spec));
  PetscCall(compare(store, comm, "mesh", mesh));
  PetscCall(compare(store, comm, "space", spec));
  PetscCall(natural_create(field, &natural, &scatter));
  RungCallFinally(load_natural(store, u, natural, scatter), PetscCall(VecScatterDestroy(&scatter));
                  PetscCall(VecDestroy(&natural)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFieldLoad(RungField field, const char path[])
{
  MPI_Comm  comm;
  RungStore store;

  PetscFunctionBegin;
  RungNeed(field);
  PetscCall(get_comm(field, &comm));
  PetscCall(RungStoreOpen(comm, "field file", path, &store));
  RungCallFinally(load_field(field, comm, store), PetscCall(RungStoreClose(&store)));
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
