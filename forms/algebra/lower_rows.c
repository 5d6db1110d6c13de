/* lower_rows.c - the vectors of an integral -> tapes: its value, its Jacobian times a direction, its derivative by t. */
#include <rungown_room.h>
#include "scalar_impl.h"

static PetscErrorCode lower_value(RungDag dag, const RungTerm *term, PetscInt arity, RungIntegral *integral)
{
  PetscFunctionBegin;
  integral->rank = arity;
  integral->rows = arity ? term->rows : 0;
  PetscCall(PetscMalloc1(integral->rows, &integral->row));
  PetscCall(PetscArraycpy(integral->row, term->row, integral->rows));
  PetscCall(RungTapeCreateCheap(dag, term->rows, term->coefficient, &integral->tape));
  PetscCall(RungTermDescribe(dag, term, integral));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* out = sum_k sum_g sigma[k][g] dF/du_g^(k) x_g: one forward sweep, seeded with the weighted direction. */
static PetscErrorCode derive_along(RungDag dag, const RungTerm *term, RungScalar out[])
{
  const RungWhich                        which = {1u << RUNG_IN_UNKNOWN, -1, -1};
  RUNG_OWNED(RungGraphDestroy) RungGraph graph = NULL;
  const RungScalar                      *input;
  RUNG_FREE RungScalar                  *seed = NULL;
  PetscInt                               n;

  PetscFunctionBegin;
  PetscCall(RungGraphCreate(dag, term->rows, term->coefficient, &which, &graph));
  RungGraphGetInputs(graph, &n, &input);
  PetscCall(PetscMalloc1(n, &seed));
  for (PetscInt i = 0; i < n; ++i) {
    RungInput       direction = *RungDagGetInput(dag, input[i]);
    const RungInput sigma     = {.kind = RUNG_IN_SIGMA, .index = direction.index, .k = direction.k};

    direction.k = RUNG_DIRECTION;
    seed[i]     = RungDagMul(dag, RungDagInput(dag, &sigma), RungDagInput(dag, &direction));
  }
  PetscCall(RungGraphForward(graph, seed, term->rows, term->coefficient, out));
  PetscCall(RungDagCheck(dag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of a derivative that are not zero; out is overwritten. */
static PetscErrorCode keep_rows(RungDag dag, const RungTerm *term, RungScalar out[], RungIntegral *integral)
{
  PetscFunctionBegin;
  integral->rank = 1;
  PetscCall(PetscMalloc1(term->rows, &integral->row));
  for (PetscInt r = 0; r < term->rows; ++r) {
    if (out[r] == dag->zero) continue;
    out[integral->rows]             = out[r];
    integral->row[integral->rows++] = term->row[r];
  }
  if (!integral->rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTapeCreateCheap(dag, integral->rows, out, &integral->tape));
  PetscCall(RungTermDescribe(dag, term, integral));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode lower_derivative(RungDag dag, const RungTerm *term, PetscBool by_time, RungIntegral *integral)
{
  RUNG_FREE RungScalar *out = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(term->rows, &out));
  if (by_time)
    PetscCall(RungDagRate(dag, term->rows, term->coefficient, out));
  else
    PetscCall(derive_along(dag, term, out));
  PetscCall(keep_rows(dag, term, out, integral));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTermLowerRows(RungDag dag, const RungTerm *term, int what, PetscInt arity, RungIntegral *integral)
{
  PetscFunctionBegin;
  if (what == RUNG_FORM_VALUE)
    PetscCall(lower_value(dag, term, arity, integral));
  else
    PetscCall(lower_derivative(dag, term, what == RUNG_FORM_RATE ? PETSC_TRUE : PETSC_FALSE, integral));
  PetscFunctionReturn(PETSC_SUCCESS);
}
