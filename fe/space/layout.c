/* layout.c - several spaces in one Vec: numbers of the degrees of freedom.

   Vec of a rank     | unknown 0: node 0 c 0, node 0 c 1, .., node 1 c 0, .. | unknown 1: .. |
   local array       | the same                                              | ghosts of unknown 0 | ghosts of 1 | .. */
#include <rungown_room.h>
#include "fe_space_impl.h"

static PetscErrorCode set_ranges(RungLayout layout)
{
  RungLayoutData *data = &layout->data;
  PetscInt        end;

  PetscFunctionBegin;
  layout->range[0] = layout->offset[0] = 0;
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    const RungSpaceData *s = &layout->space[f]->data;

    layout->components[f] = s->components;
    layout->offset[f + 1] = layout->offset[f] + s->cell_nodes * s->components;
    layout->range[f + 1]  = layout->range[f] + s->owned * s->components;
  }
  layout->ghost[0] = layout->range[data->unknowns];
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    const RungSpaceData *s = &layout->space[f]->data;

    layout->ghost[f + 1] = layout->ghost[f] + (s->nodes - s->owned) * s->components;
  }
  data->cell_dofs = layout->offset[data->unknowns];
  data->owned     = layout->range[data->unknowns];
  data->local     = layout->ghost[data->unknowns];
  PetscCallMPI(MPI_Scan(&data->owned, &end, 1, MPIU_INT, MPI_SUM, data->comm));
  data->start = end - data->owned;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungLayoutDof(RungLayout layout, PetscInt unknown, PetscInt node, PetscInt component)
{
  const PetscInt owned = layout->space[unknown]->data.owned, n = layout->components[unknown];

  return node < owned ? layout->range[unknown] + node * n + component
                      : layout->ghost[unknown] + (node - owned) * n + component;
}

/* One scalar unknown: its dofs have the numbers of its nodes. */
static PetscBool dofs_are_nodes(RungLayout layout)
{
  return layout->data.unknowns == 1 && layout->components[0] == 1 ? PETSC_TRUE : PETSC_FALSE;
}

static PetscErrorCode set_cell_dofs(RungLayout layout)
{
  RungLayoutData *data = &layout->data;

  PetscFunctionBegin;
  if (dofs_are_nodes(layout)) {
    layout->cell_dof = layout->space[0]->cell_node;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(data->cells * data->cell_dofs, &layout->cell_dof));
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    const RungSpaceData *s = &layout->space[f]->data;

    for (PetscInt c = 0; c < data->cells; ++c) {
      PetscInt *dof = &layout->cell_dof[c * data->cell_dofs + layout->offset[f]];

      for (PetscInt i = 0; i < s->cell_nodes; ++i) {
        const PetscInt first = RungLayoutDof(layout, f, s->cell_node[c * s->cell_nodes + i], 0);

        for (PetscInt a = 0; a < s->components; ++a) *dof++ = first + a;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells that wait for messages; half of the others come before them. */
static PetscErrorCode set_edge(RungLayout layout)
{
  RungLayoutData *data  = &layout->data;
  PetscInt        inner = 0, before = 0;

  PetscFunctionBegin;
  if (data->local == data->owned) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(data->cells, &layout->cell_edge));
  for (PetscInt c = 0; c < data->cells; ++c) {
    for (PetscInt i = 0; i < data->cell_dofs; ++i)
      if (layout->cell_dof[c * data->cell_dofs + i] >= data->owned) layout->cell_edge[c] = PETSC_TRUE;
    if (!layout->cell_edge[c]) ++inner;
  }
  while (data->middle < data->cells && before < inner / 2)
    if (!layout->cell_edge[data->middle++]) ++before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Global numbers; ghosts ask the owner of their node for the number of its first dof. */
static PetscErrorCode set_global(RungLayout layout, PetscMPIInt owner[])
{
  RungLayoutData *data = &layout->data;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(data->local, &layout->global));
  for (PetscInt i = 0; i < data->owned; ++i) layout->global[i] = data->start + i;
  for (PetscInt f = 0; f < data->unknowns; ++f) {
    const RungSpaceData *s     = &layout->space[f]->data;
    RUNG_FREE PetscInt  *first = NULL;
    PetscInt             n     = layout->ghost[f];

    PetscCall(PetscMalloc1(s->nodes, &first));
    for (PetscInt i = 0; i < s->owned; ++i) first[i] = data->start + RungLayoutDof(layout, f, i, 0);
    PetscCall(RungExchangeForward(layout->space[f]->exchange, sizeof(PetscInt), first, first + s->owned));
    for (PetscInt i = s->owned; i < s->nodes; ++i)
      for (PetscInt a = 0; a < s->components; ++a, ++n) {
        layout->global[n]      = first[i] + a;
        owner[n - data->owned] = s->owner[i];
      }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_spaces(MPI_Comm comm, PetscInt n, const RungSpace space[])
{
  PetscFunctionBegin;
  PetscCheck(n > 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "a layout of no space; wanted at least one");
  for (PetscInt f = 0; f < n; ++f)
    PetscCheck(space && space[f], comm, PETSC_ERR_ARG_NULL,
               "space %" PetscInt_FMT " of a layout is NULL; create it first", f);
  for (PetscInt f = 1; f < n; ++f)
    PetscCheck(space[f]->mesh == space[0]->mesh, comm, PETSC_ERR_ARG_INCOMP,
               "space %" PetscInt_FMT " (\"%s\") and space 0 (\"%s\") lie on different meshes; unknowns of one layout "
               "share a mesh",
               f, space[f]->spec, space[0]->spec);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_spaces(RungLayout layout, PetscInt n, const RungSpace space[])
{
  RungLayoutData     *data = &layout->data;
  const RungMeshData *mesh;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &layout->space));
  for (PetscInt f = 0; f < n; ++f) {
    PetscCall(RungSpaceReference(space[f]));
    layout->space[f] = space[f];
    data->unknowns   = f + 1;
  }
  PetscCall(RungMeshGetData(space[0]->mesh, &mesh));
  data->cells = mesh->cells;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutCreate(MPI_Comm comm, PetscInt n, const RungSpace space[], RungLayout *layout)
{
  RungLayoutData                          *data;
  RUNG_OWNED(RungLayoutDestroy) RungLayout l     = NULL;
  RUNG_FREE PetscMPIInt                   *owner = NULL;

  PetscFunctionBegin;
  RungNeedArgument(layout);
  PetscCall(check_spaces(comm, n, space));
  PetscCall(PetscNew(&l));
  data     = &l->data;
  l->refct = 1;

  data->comm = MPI_COMM_NULL;
  PetscCall(PetscCommDuplicate(comm, &data->comm, NULL));
  PetscCall(set_spaces(l, n, space));
  PetscCall(PetscMalloc1(n, &l->components));
  PetscCall(PetscMalloc1(n + 1, &l->offset));
  PetscCall(PetscMalloc1(n + 1, &l->range));
  PetscCall(PetscMalloc1(n + 1, &l->ghost));
  PetscCall(set_ranges(l));
  PetscCall(set_cell_dofs(l));
  PetscCall(set_edge(l));
  PetscCall(PetscMalloc1(data->local - data->owned, &owner));
  PetscCall(set_global(l, owner));
  PetscCall(RungExchangeCreate(data->comm, data->local - data->owned, owner, l->global + data->owned, data->start,
                               &l->exchange));
  if (data->local > data->owned) PetscCall(PetscMalloc1(data->local, &l->sum));
  data->space     = l->space;
  data->offset    = l->offset;
  data->cell_dof  = l->cell_dof;
  data->cell_edge = l->cell_edge;
  data->global    = l->global;
  data->range     = l->range;
  data->ghost     = l->ghost;
  *layout         = l;
  l               = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutReference(RungLayout layout)
{
  PetscFunctionBegin;
  RungNeed(layout);
  ++layout->refct;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutDestroy(RungLayout *layout)
{
  RungNeedArgument(layout);
  RungLayout l = *layout;

  PetscFunctionBegin;
  *layout = NULL;
  if (!l || --l->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (l->cell_dof && !dofs_are_nodes(l)) PetscCall(PetscFree(l->cell_dof));
  for (PetscInt f = 0; f < l->data.unknowns; ++f) PetscCall(RungSpaceDestroy(&l->space[f]));
  for (int s = 0; s < RUNG_LAYOUT_SLOTS; ++s) PetscCall(PetscFree(l->slot[s]));
  PetscCall(RungFlightsDestroy(l));
  PetscCall(RungExchangeDestroy(&l->exchange));
  PetscCall(PetscFree(l->space));
  PetscCall(PetscFree(l->components));
  PetscCall(PetscFree(l->offset));
  PetscCall(PetscFree(l->cell_edge));
  PetscCall(PetscFree(l->global));
  PetscCall(PetscFree(l->range));
  PetscCall(PetscFree(l->ghost));
  PetscCall(PetscFree(l->far));
  PetscCall(PetscFree(l->far_dof));
  PetscCall(PetscFree(l->facet_couple));
  PetscCall(PetscFree(l->facet_used));
  PetscCall(PetscFree(l->sum));
  PetscCall(PetscCommDestroy(&l->data.comm));
  PetscCall(PetscFree(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutGetData(RungLayout layout, const RungLayoutData **data)
{
  PetscFunctionBegin;
  RungNeed(layout);
  *data = &layout->data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLayoutCreateVec(RungLayout layout, Vec *u)
{
  PetscFunctionBegin;
  RungNeed(layout);
  RungNeedArgument(u);
  PetscCall(VecCreate(layout->data.comm, u));
  PetscCall(VecSetSizes(*u, layout->data.owned, PETSC_DETERMINE));
  if (layout->data.unknowns == 1) PetscCall(VecSetBlockSize(*u, layout->components[0]));
  PetscCall(VecSetType(*u, VECSTANDARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}
