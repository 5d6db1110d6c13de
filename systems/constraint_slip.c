/* constraint_slip.c - u.n = c on walls, n the normal at every node: the mean of its facets' normals, by their size.

   Where facets meet at an edge (normals more than 45 degrees apart) a node has several normals and as many equations:
   in a corner of three walls nothing is left to move. */
#include "constraint_impl.h"

#define RUNG_EDGE 0.70710678118654752 /* cosine from which two facets are one smooth wall */

/* Facet normals of all ranks, sorted by node. */
typedef struct {
  PetscInt   n, dim;
  PetscInt  *dof;    /* owned, [n] global dof of component 0 of the node */
  PetscReal *normal; /* owned, [n][dim]                                  */
  PetscInt  *order;  /* owned, [n] by dof                                */
} Facets;

/* *facets is the caller's, also after an error. */
static PetscErrorCode gather_facets(RungSystem sys, const RungAffine *c, Facets *facets)
{
  const PetscInt f = c->target.unknown;
  PetscInt       count, *node, total, *key;
  PetscReal     *normal;

  PetscFunctionBegin;
  facets->dim = RungSystemDim(sys);
  PetscCall(RungSpaceGetFacetNormals(sys->form->space[f], c->text->part, &count, &node, &normal));
  for (PetscInt i = 0; i < count; ++i) {
    node[i] = sys->form->data->global[RungLayoutDof(sys->form->layout, f, node[i], 0)];
  }
  PetscCall(RungGatherInts(sys->comm, count, node, &facets->n, &facets->dof));
  PetscCall(RungGatherReals(sys->comm, count * facets->dim, normal, &total, &facets->normal));
  PetscCall(PetscFree(node));
  PetscCall(PetscFree(normal));
  PetscCall(PetscMalloc2(facets->n, &key, facets->n, &facets->order));
  for (PetscInt i = 0; i < facets->n; ++i) {
    key[i]           = facets->dof[i];
    facets->order[i] = i;
  }
  PetscCall(PetscSortIntWithArray(facets->n, key, facets->order));
  PetscCall(PetscArraycpy(key, facets->order, facets->n));
  PetscCall(PetscMalloc1(facets->n, &node));
  PetscCall(PetscArraycpy(node, key, facets->n));
  PetscCall(PetscFree2(key, facets->order));
  facets->order = node;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal product(PetscInt dim, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < dim; ++i) sum += a[i] * b[i];
  return sum;
}

/* normal[group][3]: sums of facet normals that belong to one smooth wall, of length 1. */
static PetscInt group_normals(const Facets *facets, PetscInt from, PetscInt to, PetscReal normal[][3])
{
  const PetscInt dim = facets->dim;
  PetscInt       n   = 0;

  for (PetscInt i = from; i < to; ++i) {
    const PetscReal *one = facets->normal + facets->order[i] * dim;
    PetscInt         g   = 0;

    while (g < n && product(dim, one, normal[g]) <
                      RUNG_EDGE * PetscSqrtReal(product(dim, one, one) * product(dim, normal[g], normal[g])))
      ++g;
    if (g == n && n == 3) g = 2; /* no more than three directions can be taken */
    if (g == n) normal[n][0] = normal[n][1] = normal[n][2] = 0, ++n;
    for (PetscInt a = 0; a < dim; ++a) normal[g][a] += one[a];
  }
  for (PetscInt g = 0; g < n; ++g) {
    const PetscReal size = PetscSqrtReal(product(dim, normal[g], normal[g]));

    for (PetscInt a = 0; a < dim; ++a) normal[g][a] /= size;
  }
  return n;
}

static PetscErrorCode add_node(PetscInt i, const Facets *facets, PetscInt from, PetscInt to, const PetscReal x[],
                               RungEquations *mine)
{
  const PetscInt first = facets->dof[facets->order[from]];
  PetscReal      normal[3][3];
  const PetscInt n = group_normals(facets, from, to, normal);

  PetscFunctionBegin;
  for (PetscInt g = 0; g < n; ++g) {
    PetscInt  dof[3], terms = 0;
    PetscReal coefficient[3];

    for (PetscInt a = 0; a < facets->dim; ++a) {
      if (PetscAbsReal(normal[g][a]) < 1e-12) continue;
      dof[terms]           = first + a;
      coefficient[terms++] = normal[g][a];
    }
    PetscCall(RungEquationsAdd(mine, i, 0, facets->dim, x, terms, dof, coefficient));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode facets_destroy(Facets *facets)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(facets->dof));
  PetscCall(PetscFree(facets->normal));
  PetscCall(PetscFree(facets->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The equations of this rank's nodes. */
static PetscErrorCode add_nodes(RungSystem sys, PetscInt i, const Facets *facets, RungEquations *mine)
{
  const RungLayoutData *layout = sys->form->data;
  const PetscInt        f      = sys->form->constraints->condition[i].target.unknown;
  const RungSpaceData  *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  for (PetscInt from = 0, to; from < facets->n; from = to) {
    const PetscInt dof = facets->dof[facets->order[from]], local = dof - layout->start;

    for (to = from; to < facets->n && facets->dof[facets->order[to]] == dof;) ++to;
    if (local < 0 || local >= layout->owned) continue;
    PetscCall(add_node(i, facets, from, to,
                       space->x + (local - layout->range[f]) / space->components * RungSystemDim(sys), mine));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_equations(RungSystem sys, PetscInt i, Facets *facets, RungEquations *mine)
{
  PetscFunctionBegin;
  PetscCall(gather_facets(sys, &sys->form->constraints->condition[i], facets));
  PetscCall(add_nodes(sys, i, facets, mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsReadSlip(RungSystem sys, PetscInt i, RungEquations *mine)
{
  const RungAffine    *c      = &sys->form->constraints->condition[i];
  Facets               facets = {0};
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[c->target.unknown], &space));
  PetscCheck(space->continuous && space->rank == 1 && space->shape[0] == RungSystemDim(sys) && c->target.component < 0,
             sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s: \"%s\" lives in %s; wanted a continuous vector with as many components as the mesh has dimensions",
             c->label, c->text->name, space->spec);
  RungCallFinally(read_equations(sys, i, &facets, mine), PetscCall(facets_destroy(&facets)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
