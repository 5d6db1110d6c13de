/* density.c - what an equation conserves at a point, q(u, x, t) of dt(q)*v, with its derivatives: where q is a function of one
   scalar unknown alone. */
#include "scalar_impl.h"

/* The only coefficient of the conserved terms that the unknown's test function, or the unknown, is in; *alone: that is so, and
   it holds numbers, constants, t, x and the value of that unknown. */
static PetscErrorCode find_coefficient(RungDag dag, PetscInt n, const RungTerm term[], PetscInt unknown, RungScalar *q,
                                       PetscBool *alone)
{
  PetscInt found = 0;

  PetscFunctionBegin;
  *alone = PETSC_TRUE;
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt r = 0; r < term[i].rows; ++r) {
      const PetscBool mine = term[i].row[r].unknown == unknown ? PETSC_TRUE : PETSC_FALSE;
      RungScalar     *list;
      PetscInt        m;

      if (term[i].coefficient[r] == dag->zero) continue;
      PetscCall(RungDagReach(dag, 1, &term[i].coefficient[r], ~0u, &m, &list));
      for (PetscInt j = 0; j < m; ++j) {
        const RungInput *input = RungDagGetInput(dag, list[j]);
        const PetscBool  u     = input && input->kind == RUNG_IN_UNKNOWN ? PETSC_TRUE : PETSC_FALSE;

        if (!input) continue;
        if (u && (input->index == unknown) != mine) *alone = PETSC_FALSE;
        if (u && (input->component || input->derivative || input->k)) *alone = PETSC_FALSE;
        if (mine && !u && input->kind != RUNG_IN_NUMBER && input->kind != RUNG_IN_CONSTANT &&
            input->kind != RUNG_IN_TIME && input->kind != RUNG_IN_X)
          *alone = PETSC_FALSE;
      }
      PetscCall(PetscFree(list));
      if (!mine) continue;
      *q = term[i].coefficient[r];
      if (term[i].row[r].component || term[i].row[r].derivative) *alone = PETSC_FALSE;
      ++found;
    }
  }
  if (found != 1) *alone = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dq by the inputs of a kind, a number of which there is one at most. */
static PetscErrorCode derive_by(RungDag dag, RungScalar q, RungInputKind kind, RungScalar *derivative)
{
  const RungWhich which = {.kinds = 1u << kind, .index = -1, .k = -1};
  PetscInt        inputs;
  RungScalar     *input, *entry;

  PetscFunctionBegin;
  PetscCall(RungDagJacobian(dag, 1, &q, dag->one, &which, PETSC_FALSE, &inputs, &input, &entry));
  *derivative = inputs ? entry[0] : dag->zero;
  PetscCall(PetscFree(input));
  PetscCall(PetscFree(entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make(RungDag dag, RungExpr conserved, PetscInt unknown, RungPointwise *density)
{
  RungTerm  *terms;
  RungScalar out[3];
  RungTape   tape;
  PetscInt   n;
  PetscBool  alone;

  PetscFunctionBegin;
  PetscCall(RungTermsCreate(dag, conserved.node, -1, &n, &terms));
  PetscCall(find_coefficient(dag, n, terms, unknown, &out[0], &alone));
  PetscCall(RungTermsDestroy(n, &terms));
  if (!alone) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(derive_by(dag, out[0], RUNG_IN_UNKNOWN, &out[1]));
  PetscCall(derive_by(dag, out[0], RUNG_IN_TIME, &out[2]));
  PetscCall(RungDagCheck(dag));
  PetscCall(RungTapeCreate(dag, 3, out, &tape));
  PetscCall(RungPointwiseOfTape(conserved, &tape, density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDensityCreate(RungExpr conserved, PetscInt unknown, RungPointwise *density)
{
  RungDag        dag;
  PetscErrorCode code;

  PetscFunctionBegin;
  *density = NULL;
  PetscCall(RungExprCheck(conserved));
  PetscCall(RungDagCreate(conserved.scope, &dag));
  code = make(dag, conserved, unknown, density);
  PetscCall(RungDagDestroy(&dag));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}
