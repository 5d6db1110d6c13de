/* discontinuous.c - the families DP and DQ, constants, Quad(q), whose nodes no two cells share, and R, which has one node.

   DP_k and DQ_k have the nodes and the basis of P_k and Q_k, every cell its own; degree 0 has one node at the centre.
   Quad(q) holds values at the points of the rule of degree q: there is no function in between.  R is one constant for
   all cells: to a cell it looks like degree 0, its node belongs to the mesh (numbering.c). */
#include "base_impl.h"

/* All nodes are inside the cell as far as sharing goes. */
static void own_all_nodes(RungElement *e)
{
  const PetscInt dim = RungCellGet(e->type)->dim;

  for (PetscInt d = 0; d < 4; ++d) e->entity_start[d] = e->entity_nodes[d] = 0;
  e->entity_nodes[dim] = e->nodes;
  e->continuous        = PETSC_FALSE;
}

static PetscErrorCode set_constant(RungElement *e)
{
  const RungCell *cell = RungCellGet(e->type);

  PetscFunctionBegin;
  e->nodes = 1;
  PetscCall(PetscCalloc1(PetscMax(cell->dim, 1), &e->node));
  PetscCall(PetscCalloc1(4, &e->lattice));
  for (PetscInt v = 0; v < cell->vertices; ++v)
    for (PetscInt a = 0; a < cell->dim; ++a) e->node[a] += cell->x[v][a] / (PetscReal)cell->vertices;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementCreate_Discontinuous(MPI_Comm comm, const char spec[], const char family[], RungElement *e)
{
  PetscFunctionBegin;
  if (e->degree == 0)
    PetscCall(set_constant(e));
  else
    PetscCall(RungElementCreate_Lagrange(comm, spec, family, e));
  own_all_nodes(e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementCreate_Points(MPI_Comm comm, const char spec[], const char family[], RungElement *e)
{
  const PetscInt dim = RungCellGet(e->type)->dim;

  PetscFunctionBegin;
  (void)comm, (void)spec, (void)family;
  PetscCall(RungQuadratureGet(e->type, e->degree, &e->rule));
  e->nodes = e->rule->points;
  PetscCall(PetscMalloc1(e->nodes * PetscMax(dim, 1), &e->node));
  PetscCall(PetscArraycpy(e->node, e->rule->x, e->nodes * dim));
  PetscCall(PetscCalloc1(e->nodes * 4, &e->lattice));
  own_all_nodes(e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementCreate_Global(MPI_Comm comm, const char spec[], const char family[], RungElement *e)
{
  PetscFunctionBegin;
  (void)comm, (void)spec, (void)family;
  PetscCall(set_constant(e));
  own_all_nodes(e);
  e->single = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
