/* restrict.c - the two sides of interior facets: values taken from one of them, and what may go without.

   plus(a) is a as it is, on side 0; minus(a) is a with all that belongs to the cell taken from side 1.  Both sides see
   one place x, one area and opposite normals. */
#include "scalar_impl.h"

/* The input as side 1 has it. */
static RungScalar other_side(RungDag dag, const RungInput *input, RungScalar s)
{
  RungInput other = *input;

  switch (input->kind) {
  case RUNG_IN_NORMAL: return RungDagNeg(dag, s);
  case RUNG_IN_CELL: other.side = input->index == 2 ? 0 : 1; break;
  case RUNG_IN_UNKNOWN:
  case RUNG_IN_TEST:
  case RUNG_IN_FIELD: other.side = 1; break;
  default: break;
  }
  return RungDagInput(dag, &other);
}

PetscErrorCode RungDagMinus(RungDag dag, PetscInt n, const RungScalar root[], RungScalar out[])
{
  const unsigned kinds = 1u << RUNG_IN_UNKNOWN | 1u << RUNG_IN_TEST | 1u << RUNG_IN_FIELD | 1u << RUNG_IN_NORMAL |
                         1u << RUNG_IN_CELL;
  RungScalar *list, *image, last = -1;
  PetscInt    count;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r) last = PetscMax(last, root[r]);
  PetscCall(RungDagReach(dag, n, root, kinds, &count, &list));
  PetscCall(PetscMalloc1(last + 1, &image));
  for (RungScalar s = 0; s <= last; ++s) image[s] = s;
  for (PetscInt i = 0; i < count; ++i) {
    const RungScalar     s     = list[i];
    const RungInput     *input = RungDagGetInput(dag, s);
    const RungScalarNode node  = dag->node[s];
    RungScalar           arg[3];

    if (input) {
      const RungInput copy = *input; /* new nodes may move the table */

      image[s] = other_side(dag, &copy, s);
      continue;
    }
    for (int a = 0; a < 3; ++a) arg[a] = node.arg[a] < 0 ? -1 : image[node.arg[a]];
    if (arg[0] != node.arg[0] || arg[1] != node.arg[1] || arg[2] != node.arg[2])
      image[s] = RungDagOp(dag, node.op, arg);
  }
  for (PetscInt r = 0; r < n; ++r) out[r] = image[root[r]];
  PetscCall(PetscFree(image));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}
