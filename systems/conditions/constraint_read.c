/* constraint_read.c - periodic, tie and point conditions -> equations. */
#include <rungown_room.h>
#include "constraint_impl.h"

#define RUNG_MATCH 1e-8 /* distance of partners, of the size of the mesh */

/* ---- lists ---------------------------------------------------------------------------------------------------------
 */

PetscErrorCode RungEquationsAdd(RungEquations *list, PetscInt condition, PetscInt component, PetscInt dim,
                                const PetscReal x[], PetscInt terms, const PetscInt dof[],
                                const PetscReal coefficient[])
{
  PetscFunctionBegin;
  if (!list->start) PetscCall(PetscCalloc1(1, &list->start));
  RungGrow(list->n, list->condition);
  RungGrow(list->n, list->component);
  if ((list->n & (list->n - 1)) == 0) {
    const size_t room = list->n ? 2 * (size_t)list->n : 1;

    PetscCall(PetscRealloc(3 * room * sizeof *list->x, &list->x));
    PetscCall(PetscRealloc((room + 1) * sizeof *list->start, &list->start));
  }
  list->condition[list->n] = condition;
  list->component[list->n] = component;
  for (PetscInt a = 0; a < 3; ++a) list->x[3 * list->n + a] = a < dim ? x[a] : 0;
  for (PetscInt i = 0; i < terms; ++i) {
    RungGrow(list->terms, list->dof);
    RungGrow(list->terms, list->coefficient);
    list->dof[list->terms]           = dof[i];
    list->coefficient[list->terms++] = coefficient[i];
  }
  list->start[++list->n] = list->terms;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEquationsDestroy(RungEquations *list)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(list->condition));
  PetscCall(PetscFree(list->component));
  PetscCall(PetscFree(list->x));
  PetscCall(PetscFree(list->start));
  PetscCall(PetscFree(list->dof));
  PetscCall(PetscFree(list->coefficient));
  *list = (RungEquations){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather(MPI_Comm comm, MPI_Datatype type, size_t bytes, PetscInt n, const void *mine,
                             PetscInt *total, void *all)
{
  PetscMPIInt size, here, *count, *start;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMPIIntCast(n, &here));
  PetscCall(PetscMalloc2(size, &count, size + 1, &start));
  PetscCallMPI(MPI_Allgather(&here, 1, MPI_INT, count, 1, MPI_INT, comm));
  start[0] = 0;
  for (PetscMPIInt r = 0; r < size; ++r) start[r + 1] = start[r] + count[r];
  *total = start[size];
  PetscCall(PetscMalloc((size_t)*total * bytes, (void **)all));
  PetscCallMPI(MPI_Allgatherv(mine, here, type, *(void **)all, count, start, type, comm));
  PetscCall(PetscFree2(count, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGatherInts(MPI_Comm comm, PetscInt n, const PetscInt mine[], PetscInt *total, PetscInt **all)
{
  PetscFunctionBegin;
  PetscCall(gather(comm, MPIU_INT, sizeof **all, n, mine, total, (void *)all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungGatherReals(MPI_Comm comm, PetscInt n, const PetscReal mine[], PetscInt *total, PetscReal **all)
{
  PetscFunctionBegin;
  PetscCall(gather(comm, MPIU_REAL, sizeof **all, n, mine, total, (void *)all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEquationsGather(MPI_Comm comm, RungEquations *mine, RungEquations *all)
{
  PetscInt  *condition, *component, *length, *dof, n, terms, total, at = 0;
  PetscReal *x, *coefficient;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mine->n; ++e) mine->start[e] = mine->start[e + 1] - mine->start[e]; /* lengths */
  PetscCall(RungGatherInts(comm, mine->n, mine->condition, &n, &condition));
  PetscCall(RungGatherInts(comm, mine->n, mine->component, &n, &component));
  PetscCall(RungGatherInts(comm, mine->n, mine->start, &n, &length));
  PetscCall(RungGatherReals(comm, 3 * mine->n, mine->x, &total, &x));
  PetscCall(RungGatherInts(comm, mine->terms, mine->dof, &terms, &dof));
  PetscCall(RungGatherReals(comm, mine->terms, mine->coefficient, &terms, &coefficient));
  for (PetscInt e = 0; e < n; ++e) {
    PetscCall(RungEquationsAdd(all, condition[e], component[e], 3, x + 3 * e, length[e], dof + at, coefficient + at));
    at += length[e];
  }
  PetscCall(PetscFree(condition));
  PetscCall(PetscFree(component));
  PetscCall(PetscFree(length));
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(dof));
  PetscCall(PetscFree(coefficient));
  PetscCall(RungEquationsDestroy(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- places --------------------------------------------------------------------------------------------------------
 */

/* Nodes of a part over all ranks: the global number of their first dof and where they are. */
typedef struct {
  PetscInt   n, dim;
  PetscInt  *dof; /* owned, [n]                                             */
  PetscReal *x;   /* owned, [n][dim]                                        */
  PetscReal *
    key; /* owned, [n] ascending: along a direction in general position, so that the order does not depend on the ranks */
} Nodes;

static PetscReal key_of(PetscInt dim, const PetscReal x[])
{
  static const PetscReal direction[] = {0.5381, 0.3719, 0.7563};
  PetscReal              key         = 0;

  for (PetscInt a = 0; a < dim; ++a) key += direction[a] * x[a];
  return key;
}

/* Takes dof[] and x[] to where order[] says. */
static PetscErrorCode put_in_order(const PetscInt order[], Nodes *all)
{
  RUNG_FREE PetscInt  *dof = NULL;
  RUNG_FREE PetscReal *x   = NULL;
  const PetscInt       dim = all->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(all->n, &dof));
  PetscCall(PetscMalloc1(all->n * dim, &x));
  PetscCall(PetscArraycpy(dof, all->dof, all->n));
  PetscCall(PetscArraycpy(x, all->x, all->n * dim));
  for (PetscInt i = 0; i < all->n; ++i) {
    all->dof[i] = dof[order[i]];
    PetscCall(PetscArraycpy(all->x + i * dim, x + order[i] * dim, dim));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sort_nodes(Nodes *all)
{
  RUNG_FREE PetscInt *order = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(all->n, &order));
  PetscCall(PetscMalloc1(all->n, &all->key));
  for (PetscInt i = 0; i < all->n; ++i) {
    all->key[i] = key_of(all->dim, all->x + i * all->dim);
    order[i]    = i;
  }
  PetscCall(PetscSortRealWithArrayInt(all->n, all->key, order));
  PetscCall(put_in_order(order, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gather_nodes(RungSystem sys, PetscInt f, PetscInt count, const PetscInt node[], Nodes *all)
{
  const RungSpaceData *space;
  PetscInt            *dof, n = 0, total;
  PetscReal           *x;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  all->dim = RungSystemDim(sys);
  PetscCall(PetscMalloc2(count, &dof, count * all->dim, &x));
  for (PetscInt i = 0; i < count; ++i) {
    if (node[i] >= space->owned) continue;
    dof[n] = sys->form->data->global[RungLayoutDof(sys->form->layout, f, node[i], 0)];
    for (PetscInt a = 0; a < all->dim; ++a) x[n * all->dim + a] = space->x[node[i] * all->dim + a];
    ++n;
  }
  PetscCall(RungGatherInts(sys->comm, n, dof, &all->n, &all->dof));
  PetscCall(RungGatherReals(sys->comm, n * all->dim, x, &total, &all->x));
  PetscCall(PetscFree2(dof, x));
  PetscCall(sort_nodes(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode nodes_destroy(Nodes *all)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(all->dof));
  PetscCall(PetscFree(all->x));
  PetscCall(PetscFree(all->key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The node nearest to x within the tolerance, -1 if there is none. */
static PetscInt find_node(const Nodes *all, const PetscReal x[], PetscReal tolerance)
{
  const PetscReal key = key_of(all->dim, x);
  PetscInt        low = 0, high = all->n, found = -1;
  PetscReal       best = tolerance * tolerance;

  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;

    if (all->key[middle] < key - 2 * tolerance)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < all->n && all->key[low] <= key + 2 * tolerance; ++low) {
    PetscReal distance = 0;

    for (PetscInt a = 0; a < all->dim; ++a) distance += PetscSqr(all->x[low * all->dim + a] - x[a]);
    if (distance > best) continue;
    best  = distance;
    found = low;
  }
  return found;
}

/* The diagonal of the box around all nodes of a space. */
static PetscErrorCode size_of(RungSystem sys, PetscInt f, PetscReal *size)
{
  const RungSpaceData *space;
  const PetscInt       dim = RungSystemDim(sys);
  PetscReal            box[6];

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  for (int a = 0; a < 6; ++a) box[a] = -PETSC_MAX_REAL;
  for (PetscInt i = 0; i < space->nodes * dim; ++i) {
    box[2 * (i % dim)]     = PetscMax(box[2 * (i % dim)], space->x[i]);
    box[2 * (i % dim) + 1] = PetscMax(box[2 * (i % dim) + 1], -space->x[i]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, box, 6, MPIU_REAL, MPIU_MAX, sys->comm));
  *size = 0;
  for (PetscInt a = 0; a < dim; ++a) *size += PetscSqr(box[2 * a] + box[2 * a + 1]);
  *size = PetscSqrtReal(*size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes of the condition's unknown on a part; *all is the caller's, also after an error. */
static PetscErrorCode gather_part(RungSystem sys, const RungAffine *c, const char part[], Nodes *all)
{
  const PetscInt       f = c->target.unknown;
  const RungSpaceData *space;
  PetscInt             count, *node;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  PetscCheck(
    space->continuous, sys->comm, PETSC_ERR_SUP,
    "%s: \"%s\" lives in %s, which has no values on the boundary; put the condition into a residual, or take a "
    "continuous space",
    c->label, sys->form->name[f], space->spec);
  PetscCall(RungSpaceGetPartNodes(sys->form->space[f], part, &count, &node));
  RungCallFinally(gather_nodes(sys, f, count, node, all), PetscCall(PetscFree(node)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- periodic ------------------------------------------------------------------------------------------------------
 */

static PetscErrorCode read_map(RungSystem sys, const RungAffine *a, RungPointwise *map)
{
  const PetscInt dim = RungSystemDim(sys);
  RungExpr       expr;
  PetscInt       rank, shape[2], arity;
  PetscBool      integral;

  PetscFunctionBegin;
  *map = NULL;
  if (!a->text->map) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungScopeParse(sys->form->scope, a->label, a->text->map, &expr));
  PetscCall(RungExprCheck(expr));
  PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
  PetscCheck(rank == 1 && shape[0] == dim && !integral && !arity, sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s: the map \"%s\" is no vector of %" PetscInt_FMT
             " coordinates; wanted the place of the master of x, like x + unit(0)",
             a->label, a->text->map, dim);
  PetscCall(RungPointwiseCreate(expr, map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without a map: the lower corners of the boxes around both parts lie on each other. */
static void translation(const Nodes *from, const Nodes *to, PetscReal shift[3])
{
  for (PetscInt a = 0; a < to->dim; ++a) {
    PetscReal low[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL};

    for (PetscInt i = 0; i < from->n; ++i) low[0] = PetscMin(low[0], from->x[i * from->dim + a]);
    for (PetscInt i = 0; i < to->n; ++i) low[1] = PetscMin(low[1], to->x[i * to->dim + a]);
    shift[a] = low[1] - low[0];
  }
}

/* Both parts have the same nodes: a mesh that closes upon itself joins them. */
static PetscBool are_joined(const RungAffine *c, const Nodes *slave, const Nodes *master, PetscReal size)
{
  PetscInt s = 0;

  for (; s < slave->n; ++s) {
    const PetscInt m = find_node(master, slave->x + s * slave->dim, RUNG_MATCH * size);

    if (m < 0 || master->dof[m] != slave->dof[s]) break;
  }
  return s == slave->n && s > 0 && strcmp(c->text->part, c->text->other) ? PETSC_TRUE : PETSC_FALSE;
}

/* All ranks do all nodes: the parts are known everywhere, and so is every equation.  map NULL: a translation. */
static PetscErrorCode match(RungSystem sys, PetscInt i, RungPointwise map, const Nodes *slave, const Nodes *master,
                            RungEquations *list)
{
  const RungAffine *c   = &sys->form->constraints->condition[i];
  const PetscInt    dim = slave->dim, first = PetscMax(0, c->target.component);
  const PetscInt    before   = list->n;
  PetscReal         shift[3] = {0, 0, 0}, size;
  char              place[2][256];

  PetscFunctionBegin;
  PetscCall(size_of(sys, c->target.unknown, &size));
  PetscCheck(!are_joined(c, slave, master, size), sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s: the mesh closes upon itself there, as `wrap` of a box or $Periodic of its file says, and both parts "
             "are the same "
             "nodes: values are periodic already, leave the condition away, or take a mesh that does not close",
             c->label);
  translation(slave, master, shift);
  for (PetscInt s = 0; s < slave->n; ++s) {
    const PetscReal *x = slave->x + s * dim;
    PetscReal        y[3];
    PetscScalar      image[3];
    PetscInt         m;

    if (map) PetscCall(RungPointwiseEvaluate(map, 0, 1, x, image));
    for (PetscInt a = 0; a < dim; ++a) y[a] = map ? PetscRealPart(image[a]) : x[a] + shift[a];
    m = find_node(master, y, RUNG_MATCH * size);
    PetscCall(RungPlaceToText(dim, x, place[0], sizeof place[0]));
    PetscCall(RungPlaceToText(dim, y, place[1], sizeof place[1]));
    PetscCheck(m >= 0, sys->comm, PETSC_ERR_ARG_INCOMP,
               "%s: the node at %s has no partner at %s; wanted parts whose nodes match under the map", c->label,
               place[0], place[1]);
    for (PetscInt a = first; a < first + c->target.width && master->dof[m] != slave->dof[s]; ++a) {
      PetscCall(RungEquationsAdd(list, i, a - first, dim, x, 2, (PetscInt[]){slave->dof[s] + a, master->dof[m] + a},
                                 (PetscReal[]){1, -1}));
    }
  }
  PetscCheck(list->n > before || !slave->n, sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s: every node is its own partner; wanted two parts, or a map that leads from one place to another",
             c->label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills nodes[slave, master], which are the caller's, also after an error. */
static PetscErrorCode pair_nodes(RungSystem sys, PetscInt i, Nodes nodes[2], RungEquations *list)
{
  const RungAffine *c       = &sys->form->constraints->condition[i];
  const char       *part[2] = {c->text->part, c->text->other};
  RungPointwise     map;

  PetscFunctionBegin;
  for (int side = 0; side < 2; ++side) PetscCall(gather_part(sys, c, part[side], &nodes[side]));
  PetscCheck(nodes[0].n == nodes[1].n, sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s: %" PetscInt_FMT " nodes on %s and %" PetscInt_FMT " on %s; wanted parts whose nodes match", c->label,
             nodes[0].n, part[0], nodes[1].n, part[1]);
  PetscCall(read_map(sys, c, &map));
  RungCallFinally(match(sys, i, map, &nodes[0], &nodes[1], list), PetscCall(RungPointwiseDestroy(&map)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_periodic(RungSystem sys, PetscInt i, RungEquations *list)
{
  Nodes nodes[2] = {{0}, {0}};

  PetscFunctionBegin;
  RungCallFinally(pair_nodes(sys, i, nodes, list), PetscCall(nodes_destroy(&nodes[0]));
                  PetscCall(nodes_destroy(&nodes[1])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tie -----------------------------------------------------------------------------------------------------------
 */

/* The global dof of component `component` of an unknown in R. */
static PetscErrorCode find_global(RungSystem sys, const RungAffine *c, const char name[], PetscInt *dof,
                                  PetscInt *width)
{
  RungTarget target;

  PetscFunctionBegin;
  PetscCall(RungTargetFind(sys, c->label, name, &target));
  PetscCheck(RungGlobalUnknown(sys, target.unknown), sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" is no global number; wanted an unknown of a space R, or nothing", c->label, name);
  *dof   = sys->form->data->global[RungLayoutDof(sys->form->layout, target.unknown, 0, PetscMax(0, target.component))];
  *width = target.width;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The node that the others follow: the first in a direction in which no two nodes of a mesh are likely to be level, so that it is
   the same on any number of ranks. */
static PetscInt first_node(const Nodes *nodes)
{
  static const PetscReal direction[] = {1, 0.75487766624669276, 0.56984029099805327};
  PetscReal              least       = 0;
  PetscInt               first       = 0;

  for (PetscInt s = 0; s < nodes->n; ++s) {
    PetscReal along = 0;

    for (PetscInt a = 0; a < nodes->dim; ++a) along += direction[a] * nodes->x[s * nodes->dim + a];
    if (s && along >= least) continue;
    first = s;
    least = along;
  }
  return first;
}

/* Fills nodes, which are the caller's, also after an error. */
static PetscErrorCode tie_nodes(RungSystem sys, PetscInt i, Nodes *nodes, RungEquations *list)
{
  const RungAffine *c      = &sys->form->constraints->condition[i];
  const PetscInt    first  = PetscMax(0, c->target.component);
  PetscInt          master = -1, width = c->target.width, lead;

  PetscFunctionBegin;
  PetscCall(gather_part(sys, c, c->text->part, nodes));
  lead = first_node(nodes);
  if (c->text->other) PetscCall(find_global(sys, c, c->text->other, &master, &width));
  PetscCheck(width == c->target.width, sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s: %" PetscInt_FMT " components follow %" PetscInt_FMT " of \"%s\"; wanted as many", c->label,
             c->target.width, width, c->text->other);
  for (PetscInt s = 0; s < nodes->n; ++s) {
    for (PetscInt a = 0; a < c->target.width; ++a) {
      const PetscInt to = c->text->other ? master + a : nodes->dof[lead] + first + a;

      if (to == nodes->dof[s] + first + a) continue;
      PetscCall(RungEquationsAdd(list, i, a, nodes->dim, nodes->x + s * nodes->dim, 2,
                                 (PetscInt[]){nodes->dof[s] + first + a, to}, (PetscReal[]){1, -1}));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_tie(RungSystem sys, PetscInt i, RungEquations *list)
{
  Nodes nodes = {0};

  PetscFunctionBegin;
  RungCallFinally(tie_nodes(sys, i, &nodes, list), PetscCall(nodes_destroy(&nodes)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- points --------------------------------------------------------------------------------------------------------
 */

/* The global dof of one triple: the owner of the node that is there tells all. */
static PetscErrorCode find_point(RungSystem sys, const RungAffine *c, PetscInt i, PetscInt *dof)
{
  const PetscReal     *x   = c->text->x + 3 * i;
  const PetscInt       dim = RungSystemDim(sys);
  const RungSpaceData *space;
  RungTarget           target;
  PetscReal            size;
  PetscInt             node = 0, here = -1;
  char                 place[256];

  PetscFunctionBegin;
  PetscCall(RungTargetFind(sys, c->label, c->text->names[i], &target));
  PetscCall(RungSpaceGetData(sys->form->space[target.unknown], &space));
  PetscCheck(target.width == 1 && target.k == 0, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" names %" PetscInt_FMT " components; wanted one, like %s[0]", c->label, c->text->names[i],
             target.width, sys->form->name[target.unknown]);
  PetscCall(size_of(sys, target.unknown, &size));
  if (!space->single) PetscCall(RungSpaceFindNode(sys->form->space[target.unknown], x, RUNG_MATCH * size, &node));
  if (node >= 0 && node < space->nodes)
    here =
      sys->form->data->global[RungLayoutDof(sys->form->layout, target.unknown, node, PetscMax(0, target.component))];
  PetscCallMPI(MPI_Allreduce(&here, dof, 1, MPIU_INT, MPI_MAX, sys->comm));
  PetscCall(RungPlaceToText(dim, x, place, sizeof place));
  PetscCheck(*dof >= 0, sys->comm, PETSC_ERR_ARG_OUTOFRANGE, "%s: \"%s\" has no node at %s; wanted the place of one",
             c->label, c->text->names[i], place);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_points(RungSystem sys, PetscInt i, PetscInt dof[], RungEquations *list)
{
  const RungAffine *c = &sys->form->constraints->condition[i];
  char              place[256];

  PetscFunctionBegin;
  for (PetscInt j = 0; j < c->text->n; ++j) PetscCall(find_point(sys, c, j, &dof[j]));
  PetscCall(RungPlaceToText(RungSystemDim(sys), c->text->x, place, sizeof place));
  for (PetscInt j = 1; j < c->text->n; ++j)
    PetscCheck(dof[j] != dof[0], sys->comm, PETSC_ERR_ARG_INCOMP,
               "%s: \"%s\" at %s follows itself; wanted other values behind it, or its coefficients added up", c->label,
               c->text->names[0], place);
  PetscCall(RungEquationsAdd(list, i, 0, RungSystemDim(sys), c->text->x, c->text->n, dof, c->text->coefficient));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_points(RungSystem sys, PetscInt i, RungEquations *list)
{
  PetscInt *dof;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sys->form->constraints->condition[i].text->n, &dof));
  RungCallFinally(add_points(sys, i, dof, list), PetscCall(PetscFree(dof)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all of them ---------------------------------------------------------------------------------------------------
 */

static PetscErrorCode read_head(RungSystem sys, const RungConstraintText *text, RungAffine *c)
{
  static const char *const kind[] = {"periodic", "tie", "constraint", "slip"};
  RungTarget               data;

  PetscFunctionBegin;
  c->text = text;
  PetscCall(PetscSNPrintf(c->label, sizeof c->label, "%s %s%s%s%s%s", kind[text->kind], text->name,
                          text->part ? " on " : "", text->part ? text->part : "", text->other ? " and " : "",
                          text->other ? text->other : ""));
  PetscCall(RungTargetFind(sys, c->label, text->name, &c->target));
  PetscCheck(c->target.k == 0, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: constraints are given for the unknown, those of its rates follow by differentiation", c->label);
  data = c->target;
  if (text->kind == RUNG_CONSTRAINT_SLIP) data.component = 0; /* a scalar */
  c->width = text->kind == RUNG_CONSTRAINT_SLIP ? 1 : c->target.width;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) c->version[k] = -1;
  if (text->text) PetscCall(RungTargetReadLevels(sys, &data, c->label, text->text, c->value, &c->moves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rates follow their masters': what has a rate must not follow what has none. */
static PetscErrorCode check_orders(RungSystem sys)
{
  const RungConstraints c = sys->form->constraints;
  PetscInt             *unknown, bad = -1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->equations.terms, &unknown));
  for (PetscInt i = 0; i < c->equations.terms; ++i) {
    const PetscInt local = c->equations.dof[i] - sys->form->data->start;

    unknown[i] = -1;
    for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
      if (local >= sys->range[f] && local < sys->range[f + 1]) unknown[i] = f;
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, unknown, (PetscMPIInt)c->equations.terms, MPIU_INT, MPI_MAX, sys->comm));
  for (PetscInt e = 0; e < c->equations.n && bad < 0; ++e) {
    for (PetscInt i = c->equations.start[e]; i < c->equations.start[e + 1]; ++i) {
      if (sys->traits.unknown_order[unknown[i]] != sys->traits.unknown_order[unknown[c->equations.start[e]]]) bad = e;
    }
  }
  PetscCall(PetscFree(unknown));
  PetscCheck(bad < 0, sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s ties unknowns of different order in time, so that the rates of one would follow nothing; wanted one "
             "order",
             c->condition[c->equations.condition[PetscMax(0, bad)]].label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsRead(RungSystem sys)
{
  RungConstraints c = sys->form->constraints;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(sys->form->constraint_texts, &c->condition));
  for (PetscInt i = 0; i < sys->form->constraint_texts; ++i) {
    RungEquations mine = {0};

    c->conditions = i + 1; /* as far as there is something to destroy */
    PetscCall(read_head(sys, &sys->form->constraint_text[i], &c->condition[i]));
    switch (c->condition[i].text->kind) {
    case RUNG_CONSTRAINT_PERIODIC: PetscCall(read_periodic(sys, i, &c->equations)); break;
    case RUNG_CONSTRAINT_TIE: PetscCall(read_tie(sys, i, &c->equations)); break;
    case RUNG_CONSTRAINT_POINTS: PetscCall(read_points(sys, i, &c->equations)); break;
    default:
      RungCallOrUndo(RungConstraintsReadSlip(sys, i, &mine), PetscCall(RungEquationsDestroy(&mine)));
      PetscCall(RungEquationsGather(sys->comm, &mine, &c->equations));
    }
  }
  PetscCall(check_orders(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}
