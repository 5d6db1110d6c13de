/* picture.c - what a file says, for ParaView before any run: its parts, which entries are given, the state at the start, the shape of
   the cells and which rank has them. */
#include "reader_impl.h"

#include <rungquality_room.h>

/* Fields on their way into one file. */
typedef struct {
  RungMesh    mesh;
  PetscInt    n;
  RungField   field[512]; /* owned, [n] */
  RungOutput  output;     /* owned      */
  Vec         u, given;   /* owned      */
  PetscMPIInt rank;
} Picture;

static PetscErrorCode destroy(Picture *p)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->n; ++i) PetscCall(RungFieldDestroy(&p->field[i]));
  PetscCall(RungOutputDestroy(&p->output));
  PetscCall(VecDestroy(&p->u));
  PetscCall(VecDestroy(&p->given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL where there is no room for more. */
static PetscErrorCode add(Picture *p, RungSpace space, const char what[], const char name[], RungField *field)
{
  char text[256];

  PetscFunctionBegin;
  *field = NULL;
  if (p->n == (PetscInt)PETSC_STATIC_ARRAY_LENGTH(p->field)) PetscFunctionReturn(PETSC_SUCCESS);
  (void)snprintf(text, sizeof text, "%s%.200s", what, name);
  PetscCall(RungFieldCreate(space, text, field));
  p->field[p->n++] = *field;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- unknowns ----------------------------------------------------------------------------------------------------- */

/* The entries of unknown f. */
static PetscErrorCode put(RungProblem problem, PetscInt f, Vec all, RungField field)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           start, end;
  Vec                values;

  PetscFunctionBegin;
  if (!field) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemGetRange(problem->sys, f, &start, &end));
  PetscCall(RungFieldGetVec(field, &values));
  PetscCall(VecGetArrayRead(all, &from));
  PetscCall(VecGetArrayWrite(values, &to));
  PetscCall(PetscArraycpy(to, from + start, end - start));
  PetscCall(VecRestoreArrayWrite(values, &to));
  PetscCall(VecRestoreArrayRead(all, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_unknowns(RungProblem problem, Picture *p, PetscReal t)
{
  RungTraits traits;
  PetscBool  any;
  Vec        values;
  IS         rows;

  PetscFunctionBegin;
  PetscCall(RungSystemGetTraits(problem->sys, &traits));
  PetscCall(RungSystemCreateVec(problem->sys, &p->u));
  PetscCall(RungSystemCreateVec(problem->sys, &p->given));
  PetscCall(RungSystemInitial(problem->sys, t, 0, p->u));
  PetscCall(VecZeroEntries(p->given));
  PetscCall(RungSystemHasDirichlet(problem->sys, &any));
  if (any) {
    PetscCall(RungSystemGetDirichlet(problem->sys, t, 0, &rows, &values));
    PetscCall(RungSystemImposeDirichlet(problem->sys, t, 0, p->u));
    PetscCall(VecISSet(p->given, rows, 1));
    PetscCall(ISDestroy(&rows));
    PetscCall(VecDestroy(&values));
  }
  for (PetscInt f = 0; f < traits.unknowns; ++f) {
    const RungSpaceData *data;
    const char          *name;
    RungSpace            space;
    RungField            field;

    PetscCall(RungSystemGetUnknown(problem->sys, f, &name, &space));
    PetscCall(RungSpaceGetData(space, &data));
    if (data->single) continue; /* a number has no place */
    PetscCall(add(p, space, "", name, &field));
    PetscCall(put(problem, f, p->u, field));
    PetscCall(add(p, space, "given ", name, &field));
    PetscCall(put(problem, f, p->given, field));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the mesh ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_cells(Picture *p, RungSpace cells)
{
  const RungMeshData *data;
  PetscReal          *quality;
  PetscScalar        *value[2];
  RungField           field[2];
  Vec                 v[2];

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(p->mesh, &data));
  PetscCall(add(p, cells, "", "quality", &field[0]));
  PetscCall(add(p, cells, "", "rank", &field[1]));
  if (!field[1]) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungFieldGetVec(field[i], &v[i]));
    PetscCall(VecGetArrayWrite(v[i], &value[i]));
  }
  PetscCall(PetscMalloc1(data->cells, &quality));
  PetscCall(RungMeshGetQuality(p->mesh, quality));
  for (PetscInt c = 0; c < data->cells; ++c) {
    value[0][c] = quality[c];
    value[1][c] = p->rank;
  }
  PetscCall(PetscFree(quality));
  for (int i = 0; i < 2; ++i) PetscCall(VecRestoreArrayWrite(v[i], &value[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 on the cells of a part, or at the vertices of its facets. */
static PetscErrorCode add_part(Picture *p, RungDomain domain, const char part[], RungSpace space)
{
  const RungSpaceData *data;
  const RungPlaces    *places;
  PetscScalar         *value;
  PetscInt             count, *node;
  RungField            field;
  Vec                  v;

  PetscFunctionBegin;
  PetscCall(add(p, space, "part ", part, &field));
  if (!field) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFieldGetVec(field, &v));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(VecGetArray(v, &value));
  if (domain == RUNG_CELLS) {
    PetscCall(RungMeshGetPlaces(p->mesh, domain, part, &places));
    for (PetscInt i = 0; i < places->count; ++i) value[places->cell[0][i]] = 1;
  } else {
    PetscCall(RungSpaceGetPartNodes(space, part, &count, &node));
    for (PetscInt i = 0; i < count; ++i) {
      if (node[i] < data->owned) value[node[i]] = 1;
    }
    PetscCall(PetscFree(node));
  }
  PetscCall(VecRestoreArray(v, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_parts(Picture *p, RungDomain domain, RungSpace space)
{
  char list[8192], *end;

  PetscFunctionBegin;
  PetscCall(RungMeshGetParts(p->mesh, domain, list, sizeof list));
  for (char *part = list; *part; part = end) {
    end = strstr(part, ", ");
    if (end) {
      *end = 0;
      end += 2;
    } else
      end = part + strlen(part);
    PetscCall(add_part(p, domain, part, space));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_mesh(Picture *p)
{
  const RungMeshData *data;
  RungSpace           cells, vertices;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(p->mesh, &data));
  PetscCall(RungSpaceCreate(p->mesh, "P0", &cells));
  PetscCall(add_cells(p, cells));
  PetscCall(add_parts(p, RUNG_CELLS, cells));
  PetscCall(RungSpaceDestroy(&cells));
  if (!data->dim || data->type == RUNG_POINT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceCreate(p->mesh, "CG1", &vertices));
  PetscCall(add_parts(p, RUNG_BOUNDARY, vertices));
  PetscCall(RungSpaceDestroy(&vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a file ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode write_all(RungProblem problem, Picture *p, const char path[])
{
  PetscReal t;

  PetscFunctionBegin;
  PetscCall(RungStepperGetInterval(problem->stepper, &t, NULL, NULL));
  PetscCall(add_unknowns(problem, p, t));
  PetscCall(add_mesh(p));
  PetscCall(RungOutputCreate(problem->comm, path, &p->output));
  PetscCall(RungOutputWrite(p->output, t, p->n, p->field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPictureWrite(RungProblem problem, const char folder[])
{
  Picture *p;
  char     path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s.pvd", folder,
                          problem->step ? problem->step_name[problem->step] : "problem"));
  PetscCall(PetscNew(&p));
  p->mesh = problem->mesh;
  PetscCallMPI(MPI_Comm_rank(problem->comm, &p->rank));
  RungCallFinally(write_all(problem, p, path), PetscCall(destroy(p)); PetscCall(PetscFree(p)));
  PetscCall(PetscPrintf(problem->comm, "picture: %s\n", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
