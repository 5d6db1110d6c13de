/* constraint_slip.c - u.n = c on walls, n the normal at every node: the mean of its facets' normals, by their size.

   Where facets meet at an edge (normals more than 45 degrees apart) a node has several normals and as many equations:
   in a corner of three walls nothing is left to move.  Walls that are declared one by one with the same data are one wall
   where they meet.

   A node at the end of a curved wall sees one facet only, whose normal is off by about as much as facets turn at the
   inner nodes.  That angle is kept as the wall's doubt: what an equation says within it is nothing. */
#include "constraint_impl.h"

#define RUNG_EDGE   0.70710678118654752 /* cosine from which two facets are one smooth wall */
#define RUNG_DOUBTS 3                   /* two facets that meet across a periodic boundary are off by twice the angle */
#define RUNG_DOUBT  0.5                 /* and no more than 30 degrees are left open */

/* Facet normals of all ranks, sorted by node. */
typedef struct {
  PetscInt   n, dim;
  PetscInt  *dof;    /* owned, [n] global dof of component 0 of the node */
  PetscReal *normal; /* owned, [n][dim]                                  */
  PetscInt  *wall;   /* owned, [n] condition                             */
  PetscInt  *order;  /* owned, [n] by dof                                */
} Facets;

/* One direction at a node. */
typedef struct {
  PetscReal normal[3]; /* of length 1                           */
  PetscInt  wall;      /* the first condition that has a facet  */
  PetscReal turn;      /* sine of the angle to the facet farthest off */
} Wall;

/* Does condition j say of the same unknown what condition i says, on a wall of its own? */
static PetscBool same_wall(const RungConstraintText *i, const RungConstraintText *j)
{
  if (i == j) return PETSC_TRUE;
  if (j->kind != RUNG_CONSTRAINT_SLIP || strcmp(i->name, j->name) != 0) return PETSC_FALSE;
  return !strcmp(i->text ? i->text : "0", j->text ? j->text : "0") ? PETSC_TRUE : PETSC_FALSE;
}

/* Appends those of one part, of all ranks. */
static PetscErrorCode gather_part(RungSystem sys, PetscInt f, PetscInt wall, Facets *facets)
{
  PetscInt   count, *node, *dof, more, total;
  PetscReal *mine, *normal;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetFacetNormals(sys->form->space[f], sys->form->constraint_text[wall].part, &count, &node, &mine));
  for (PetscInt i = 0; i < count; ++i)
    node[i] = sys->form->data->global[RungLayoutDof(sys->form->layout, f, node[i], 0)];
  PetscCall(RungGatherInts(sys->comm, count, node, &more, &dof));
  PetscCall(RungGatherReals(sys->comm, count * facets->dim, mine, &total, &normal));
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)(facets->n + more), &facets->dof));
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)(facets->n + more), &facets->wall));
  PetscCall(PetscRealloc(sizeof(PetscReal) * (size_t)(facets->n * facets->dim + total), &facets->normal));
  PetscCall(PetscArraycpy(facets->dof + facets->n, dof, more));
  PetscCall(PetscArraycpy(facets->normal + facets->n * facets->dim, normal, total));
  for (PetscInt i = 0; i < more; ++i) facets->wall[facets->n++] = wall;
  PetscCall(PetscFree(node));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree(dof));
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of condition i and of all that are one wall with it; *facets is the caller's, also after an error. */
static PetscErrorCode gather_facets(RungSystem sys, PetscInt i, Facets *facets)
{
  const RungConstraintText *text = sys->form->constraint_text;
  PetscInt                 *key;

  PetscFunctionBegin;
  facets->dim = RungSystemDim(sys);
  for (PetscInt j = 0; j < sys->form->constraint_texts; ++j) {
    if (same_wall(&text[i], &text[j]))
      PetscCall(gather_part(sys, sys->form->constraints->condition[i].target.unknown, j, facets));
  }
  PetscCall(PetscMalloc1(facets->n, &facets->order));
  PetscCall(PetscMalloc1(facets->n, &key));
  for (PetscInt k = 0; k < facets->n; ++k) {
    key[k]           = facets->dof[k];
    facets->order[k] = k;
  }
  PetscCall(PetscSortIntWithArray(facets->n, key, facets->order));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal product(PetscInt dim, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < dim; ++i) sum += a[i] * b[i];
  return sum;
}

static PetscReal cosine(PetscInt dim, const PetscReal a[], const PetscReal b[])
{
  return product(dim, a, b) / PetscSqrtReal(product(dim, a, a) * product(dim, b, b));
}

/* The smooth walls at a node, whose normals are sums of facet normals; no more than three can be told apart. */
static PetscInt group_normals(const Facets *facets, PetscInt from, PetscInt to, Wall wall[])
{
  const PetscInt dim = facets->dim;
  PetscInt       n   = 0;

  for (PetscInt i = from; i < to; ++i) {
    const PetscInt   f   = facets->order[i];
    const PetscReal *one = facets->normal + f * dim;
    PetscInt         g   = 0;

    while (g < n && cosine(dim, one, wall[g].normal) < RUNG_EDGE) ++g;
    if (g == n && n == 3) g = 2;
    if (g == n) wall[n++] = (Wall){.wall = facets->wall[f]};
    for (PetscInt a = 0; a < dim; ++a) wall[g].normal[a] += one[a];
    wall[g].wall = PetscMin(wall[g].wall, facets->wall[f]);
  }
  for (PetscInt g = 0; g < n; ++g) {
    const PetscReal size = PetscSqrtReal(product(dim, wall[g].normal, wall[g].normal));

    for (PetscInt a = 0; a < dim; ++a) wall[g].normal[a] /= size;
    for (PetscInt i = from; i < to; ++i) {
      const PetscReal c = cosine(dim, facets->normal + facets->order[i] * dim, wall[g].normal);

      if (c >= RUNG_EDGE) wall[g].turn = PetscMax(wall[g].turn, PetscSqrtReal(PetscMax(0, 1 - c * c)));
    }
  }
  return n;
}

static PetscErrorCode add_equation(PetscInt i, PetscInt dim, PetscInt first, const PetscReal normal[],
                                   const PetscReal x[], RungEquations *mine)
{
  PetscInt  dof[3], terms = 0;
  PetscReal coefficient[3];

  PetscFunctionBegin;
  for (PetscInt a = 0; a < dim; ++a) {
    if (PetscAbsReal(normal[a]) < 1e-12) continue;
    dof[terms]           = first + a;
    coefficient[terms++] = normal[a];
  }
  PetscCall(RungEquationsAdd(mine, i, 0, dim, x, terms, dof, coefficient));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode facets_destroy(Facets *facets)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(facets->dof));
  PetscCall(PetscFree(facets->normal));
  PetscCall(PetscFree(facets->wall));
  PetscCall(PetscFree(facets->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The equations of this rank's nodes, and the doubt, which all ranks find alike. */
static PetscErrorCode add_nodes(RungSystem sys, PetscInt i, const Facets *facets, RungEquations *mine)
{
  const RungLayoutData *layout = sys->form->data;
  RungAffine           *c      = &sys->form->constraints->condition[i];
  const PetscInt        f      = c->target.unknown;
  const RungSpaceData  *space;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[f], &space));
  for (PetscInt from = 0, to; from < facets->n; from = to) {
    const PetscInt dof = facets->dof[facets->order[from]], local = dof - layout->start;
    PetscInt       n;
    Wall           wall[3];

    for (to = from; to < facets->n && facets->dof[facets->order[to]] == dof;) ++to;
    n = group_normals(facets, from, to, wall);
    for (PetscInt g = 0; g < n; ++g) {
      c->doubt = PetscMax(c->doubt, PetscMin(RUNG_DOUBTS * wall[g].turn, RUNG_DOUBT));
      if (wall[g].wall != i || local < 0 || local >= layout->owned) continue;
      PetscCall(add_equation(i, facets->dim, dof, wall[g].normal,
                             space->x + (local - layout->range[f]) / space->components * facets->dim, mine));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_equations(RungSystem sys, PetscInt i, Facets *facets, RungEquations *mine)
{
  PetscFunctionBegin;
  PetscCall(gather_facets(sys, i, facets));
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
