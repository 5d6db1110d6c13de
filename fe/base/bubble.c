/* bubble.c - P and Q enriched by the bubble of the cell: "P1+B" is the velocity of the MINI element.

   The bubble is one at the centre c of the cell and zero on its boundary,

       b = (d + 1)^(d + 1) prod lambda_i   (simplices),        b = prod 4 X_a (1 - X_a)   (boxes),

   and the basis is nodal: psi_i = phi_i - phi_i(c) b, and b itself, whose node is c.  All are functions of P of degree
   d + 1 or Q2, so the tables are those of that element times the values of psi at its nodes.  Of higher degrees the
   bubble is a member already (Arnold, Brezzi and Fortin 1984 for MINI). */
#include "base_impl.h"

static PetscReal bubble_at(const RungCell *cell, const PetscReal X[])
{
  PetscReal value = 1, last = 1;

  for (PetscInt a = 0; a < cell->dim; ++a) {
    value *= cell->simplex ? (PetscReal)(cell->dim + 1) * X[a] : 4 * X[a] * (1 - X[a]);
    last -= X[a];
  }
  return cell->simplex ? value * last * (PetscReal)(cell->dim + 1) : value;
}

/* mix[node of within][node of e]: the values of psi at the nodes of the element that holds it. */
static PetscErrorCode set_mix(RungElement *e, const RungElement *base, const PetscReal centre[])
{
  const RungCell *cell = RungCellGet(e->type);
  const PetscInt  n = base->nodes, m = e->within->nodes;
  PetscReal      *phi, *middle;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m * n, &phi, n, &middle));
  PetscCall(PetscMalloc1(m * e->nodes, &e->mix));
  PetscCall(RungElementTabulate(base, m, e->within->node, 0, phi));
  PetscCall(RungElementTabulate(base, 1, centre, 0, middle));
  for (PetscInt j = 0; j < m; ++j) {
    const PetscReal b = bubble_at(cell, e->within->node + j * cell->dim);

    for (PetscInt i = 0; i < n; ++i) e->mix[j * e->nodes + i] = phi[j * n + i] - middle[i] * b;
    e->mix[j * e->nodes + n] = b;
  }
  PetscCall(PetscFree2(phi, middle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of the element without its bubble, then the centre. */
static PetscErrorCode set_nodes(RungElement *e, const RungElement *base, const PetscReal centre[])
{
  const PetscInt dim = RungCellGet(e->type)->dim, n = base->nodes;

  PetscFunctionBegin;
  e->nodes = n + 1;
  PetscCall(PetscMalloc1(e->nodes * dim, &e->node));
  PetscCall(PetscCalloc1(e->nodes * 4, &e->lattice));
  PetscCall(PetscArraycpy(e->node, base->node, n * dim));
  PetscCall(PetscArraycpy(e->node + n * dim, centre, dim));
  for (PetscInt d = 0; d < 4; ++d) {
    const PetscInt room = RungOrientationCount(d == 2 ? RungCellGet(e->type)->facet_type : RUNG_INTERVAL);

    e->entity_nodes[d] = base->entity_nodes[d];
    e->entity_start[d] = base->entity_start[d];
    if (!base->turn[d]) continue;
    PetscCall(PetscMalloc1(room * base->entity_nodes[d], &e->turn[d]));
    PetscCall(PetscArraycpy(e->turn[d], base->turn[d], room * base->entity_nodes[d]));
  }
  ++e->entity_nodes[dim];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementCreate_Bubble(MPI_Comm comm, const char spec[], const char family[], RungElement *e)
{
  const RungCell *cell      = RungCellGet(e->type);
  const char      own[3]    = {family[0], '\0', '\0'}; /* "P+B" -> "P" */
  const PetscInt  most      = cell->simplex ? cell->dim : 1;
  PetscReal       centre[3] = {0, 0, 0};
  RungElement    *base;

  PetscFunctionBegin;
  PetscCheck(cell->dim > 0, comm, PETSC_ERR_ARG_INCOMP, "space \"%s\": a point has no bubble; use \"P0\"", spec);
  PetscCheck(e->degree >= 1 && e->degree <= most, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "space \"%s\": degree %" PetscInt_FMT " with the bubble of a %s; wanted 1%s, %s", spec, e->degree,
             cell->name,
             most == 2   ? " or 2"
             : most == 3 ? " to 3"
                         : "",
             e->degree ? "above it the bubble is in the space without +B" : "a constant is not continuous");
  PetscCall(RungElementCreate(comm, spec, own, e->type, e->degree, &base));
  PetscCall(RungElementCreate(comm, spec, own, e->type, cell->simplex ? cell->dim + 1 : 2, &e->within));
  for (PetscInt v = 0; v < cell->vertices; ++v)
    for (PetscInt a = 0; a < cell->dim; ++a) centre[a] += cell->x[v][a] / (PetscReal)cell->vertices;
  PetscCall(set_nodes(e, base, centre));
  PetscCall(set_mix(e, base, centre));
  PetscCall(RungElementDestroy(&base));
  e->continuous = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
