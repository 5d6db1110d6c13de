/* parts.c - where value() has which of its values: places in parts of the mesh, and whether the parts cover them once. */
#include <rungown_room.h>
#include "kernel_impl.h"
#include "scope_impl.h"
#include <rungtext_room.h>

/* Under ds a part of the boundary, where there is one of the name; otherwise a part of the cells.  Under dP and dl the
   vertices and edges of the part. */
static PetscErrorCode is_facet_part(RungMesh mesh, RungDomain domain, const char part[], PetscBool *is)
{
  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (domain != RUNG_CELLS) PetscCall(RungMeshHasPart(mesh, domain, part, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices and edges: a place may be seen from another cell than the part's. */
static PetscErrorCode mark_entities(RungMesh mesh, RungDomain domain, const char part[], PetscInt n,
                                    const PetscInt cell[], const PetscInt entity[], PetscBool in[])
{
  const PetscInt      d = domain == RUNG_VERTICES ? 0 : 1;
  const RungMeshData *data;
  const PetscInt     *corner;
  PetscInt            per_cell, m, stride;
  PetscBool          *mark;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshNeedEntities(mesh, d));
  PetscCall(RungCellEntities(RungCellGet(data->type), d, &per_cell, &m, &corner, &stride));
  PetscCall(PetscMalloc1(data->entities[d], &mark));
  PetscCall(RungMeshMarkEntities(mesh, domain, part, mark));
  for (PetscInt i = 0; i < n; ++i) in[i] = mark[data->cell_entity[d][cell[i] * per_cell + entity[i]]];
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPartMark(RungMesh mesh, RungDomain domain, const char part[], PetscInt n, const PetscInt cell[],
                            const PetscInt facet[], PetscBool in[])
{
  const RungMeshData *data;
  const RungPlaces   *places;
  PetscBool           by_facet, *mark;
  const PetscReal    *x;
  PetscInt            facets, far;

  PetscFunctionBegin;
  if (domain == RUNG_VERTICES || domain == RUNG_EDGES) {
    PetscCall(mark_entities(mesh, domain, part, n, cell, facet, in));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(is_facet_part(mesh, domain, part, &by_facet));
  PetscCall(RungMeshGetPlaces(mesh, by_facet ? domain : RUNG_CELLS, part, &places));
  facets = by_facet ? RungCellGet(data->type)->facets : 1;
  far    = 0;
  if (domain == RUNG_INTERIOR_FACETS) PetscCall(RungMeshGetFarCells(mesh, &far, &x));
  PetscCall(PetscCalloc1((data->cells + far) * facets, &mark));
  for (PetscInt s = 0; s < (domain == RUNG_INTERIOR_FACETS && by_facet ? 2 : 1); ++s) {
    for (PetscInt i = 0; i < places->count; ++i)
      mark[places->cell[s][i] * facets + (by_facet ? places->facet[s][i] : 0)] = PETSC_TRUE;
  }
  if (domain == RUNG_INTERIOR_FACETS && !by_facet) PetscCall(RungMeshMarkFarCells(mesh, mark));
  for (PetscInt i = 0; i < n; ++i) in[i] = mark[cell[i] * facets + (by_facet ? facet[i] : 0)];
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- every place once --------------------------------------------------------------------------------------------- */

/* "cell 12 at (0.5, 0.25)" */
static PetscErrorCode place_text(const RungMeshData *mesh, PetscInt cell, char text[], size_t size)
{
  PetscFunctionBegin;
  if (cell >= mesh->cells) { /* its owner has another facet of it in most cases, and says more */
    PetscCall(PetscStrncpy(text, "a cell of another rank", size));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(text, size, "cell %" PetscInt_FMT " at (", mesh->cell_start + cell));
  for (PetscInt a = 0; a < mesh->dim; ++a) {
    PetscReal centre = 0;
    char      number[32];

    for (PetscInt i = 0; i < mesh->nodes_per_cell; ++i)
      centre += mesh->x[mesh->cell_node[cell * mesh->nodes_per_cell + i] * mesh->dim + a];
    PetscCall(PetscSNPrintf(number, sizeof number, "%s%.6g", a ? ", " : "", (double)(centre / mesh->nodes_per_cell)));
    PetscCall(RungTextAppend(text, number, size));
  }
  PetscCall(RungTextAppend(text, ")", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts of a value() that a place is in: none, or two of them, is what the message says. */
static PetscErrorCode judge(RungScope scope, const RungNode *value, const RungMeshData *mesh, PetscInt n,
                            const PetscInt cell[], PetscInt first[], PetscInt part, const PetscBool in[],
                            char message[], size_t size)
{
  char place[128];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n && !message[0]; ++i) {
    if (!in[i]) continue;
    if (first[i] >= 0) {
      PetscCall(place_text(mesh, cell[i], place, sizeof place));
      PetscCall(PetscSNPrintf(message, size, "%s is in \"%s\" and in \"%s\"; value() wants parts that do not overlap",
                              place, RungScopeString(scope, RungScopeNode(scope, value->arg[first[i]])->index[0]),
                              RungScopeString(scope, RungScopeNode(scope, value->arg[part])->index[0])));
    }
    first[i] = part;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_gap(RungScope scope, const RungNode *value, const RungMeshData *mesh, PetscInt n,
                               const PetscInt cell[], const PetscInt first[], char message[], size_t size)
{
  char place[128];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    if (first[i] >= 0) continue;
    PetscCall(place_text(mesh, cell[i], place, sizeof place));
    PetscCall(PetscSNPrintf(message, size, "value() has none for %s, which is not in", place));
    for (PetscInt a = 0; a < value->args; a += 2) {
      PetscCall(RungTextAppend(message, a ? ", \"" : " \"", size));
      PetscCall(RungTextAppend(message, RungScopeString(scope, RungScopeNode(scope, value->arg[a])->index[0]), size));
      PetscCall(RungTextAppend(message, "\"", size));
    }
    PetscCall(RungTextAppend(message, "; name its part too, or all other places with else: ..", size));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_side(RungForm form, RungMesh mesh, const RungNode *value, RungDomain domain, PetscInt n,
                                 const PetscInt cell[], const PetscInt facet[], char message[], size_t size)
{
  const RungMeshData *data;
  PetscInt           *first;
  PetscBool          *in, other = PETSC_FALSE;
  PetscErrorCode      code = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(PetscMalloc2(n, &first, n, &in));
  for (PetscInt i = 0; i < n; ++i) first[i] = -1;
  for (PetscInt a = 0; a < value->args; a += 2) {
    const PetscInt string = RungScopeNode(form->expr.scope, value->arg[a])->index[0];

    other = string < 0 ? PETSC_TRUE : PETSC_FALSE;
    if (other) break;
    code = RungPartMark(mesh, domain, RungScopeString(form->expr.scope, string), n, cell, facet, in);
    if (code) break; /* no such part */
    if (!message[0]) PetscCall(judge(form->expr.scope, value, data, n, cell, first, a, in, message, size));
  }
  if (!code && !message[0] && !other) PetscCall(find_gap(form->expr.scope, value, data, n, cell, first, message, size));
  PetscCall(PetscFree2(first, in));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_value(RungForm form, RungMesh mesh, const RungNode *integral, PetscInt node)
{
  const RungNode   *value  = RungScopeNode(form->expr.scope, node);
  const RungDomain  domain = (RungDomain)integral->index[0];
  const RungPlaces *places;
  char              message[1024] = "";
  PetscBool         bad;

  PetscFunctionBegin;
  PetscCall(RungMeshGetPlaces(mesh, domain, RungScopeString(form->expr.scope, integral->index[2]), &places));
  for (PetscInt s = 0; s < (domain == RUNG_INTERIOR_FACETS ? 2 : 1); ++s) { /* also on ranks without places */
    PetscCall(
      check_side(form, mesh, value, domain, places->count, places->cell[s], places->facet[s], message, sizeof message));
  }
  PetscCall(RungCheckAll_Private(form->comm, message[0] ? 0 : 1, message, sizeof message, &bad));
  if (bad) PetscCall(RungScopeRaise(form->expr.scope, node, PETSC_ERR_ARG_WRONG, "%s", message));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormCheckParts(RungForm form)
{
  const RungScope       scope = form->expr.scope;
  const RungLayoutData *layout;
  const RungSpaceData  *space;
  RUNG_FREE PetscInt   *nodes = NULL;
  PetscInt              n;

  PetscFunctionBegin;
  PetscCall(RungLayoutGetData(form->layout, &layout));
  PetscCall(RungSpaceGetData(layout->space[0], &space));
  PetscCall(RungNodeReach(scope, form->expr.node, &n, &nodes));
  for (PetscInt i = 0; i < n; ++i) {
    RUNG_FREE PetscInt *inside = NULL;
    PetscInt            m;

    if (RungScopeNode(scope, nodes[i])->op != RUNG_OP_INTEGRAL) continue;
    PetscCall(RungNodeReach(scope, nodes[i], &m, &inside));
    for (PetscInt j = 0; j < m; ++j) {
      if (RungScopeNode(scope, inside[j])->op == RUNG_OP_VALUE)
        PetscCall(check_value(form, space->mesh, RungScopeNode(scope, nodes[i]), inside[j]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
