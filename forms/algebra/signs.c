/* signs.c - definiteness of the entries of an integral: a hint for solvers, who make good what it has misled.

   Text shows that squares, roots and sums of them are >= 0.  Where it shows nothing, as of 2 + sin(x[0]) or of Young's modulus of two
   materials, the matrix of the entries is looked at for samples: x at nodes of the mesh, fields at their entries, each by itself, sizes
   of cells from 1 to 1e-12, parts in and out.  Time, normals, derivatives of fields and fields without values stay open: a potential
   that is filled later may be of any sign, and where there is no matrix nothing follows iterations that fail for it. */
#include <rungown_room.h>
#include "scalar_impl.h"
#include <math.h>

#define SAMPLES 256 /* of a rank */

RungScalar RungEntriesFind(const RungEntries *block, const RungSlot *row, const RungSlot *col)
{
  for (PetscInt i = 0; i < block->n; ++i) {
    if (!RungSlotCompare(&block->row[i], row) && !RungSlotCompare(&block->col[i], col)) return block->value[i];
  }
  return -1;
}

/* Is a node evidently >= 0?  Constants count with their present value. */
static PetscErrorCode non_negative(RungDag dag, RungScalar s, PetscBool *flag)
{
  const PetscReal      *constant;
  RUNG_FREE RungScalar *list = NULL;
  RUNG_FREE PetscBool  *sign = NULL;
  PetscInt              n;

  PetscFunctionBegin;
  (void)RungScopeConstants(dag->scope, &constant);
  PetscCall(RungDagReach(dag, 1, &s, ~0u, &n, &list));
  PetscCall(PetscCalloc1(s + 1, &sign));
  for (PetscInt i = 0; i < n; ++i) {
    const RungScalarNode *node  = &dag->node[list[i]];
    const RungInput      *input = RungDagGetInput(dag, list[i]);
    const RungScalar      a = node->arg[0], b = node->arg[1], c = node->arg[2];
    PetscBool             is = PETSC_FALSE;

    if (input) {
      is = (input->kind == RUNG_IN_NUMBER && input->value >= 0) || input->kind == RUNG_IN_CELL ||
               (input->kind == RUNG_IN_CONSTANT && constant[input->index] >= 0)
             ? PETSC_TRUE
             : PETSC_FALSE;
    } else {
      switch (node->op) {
      case RUNG_OP_EXP:
      case RUNG_OP_SQRT:
      case RUNG_OP_ABS:
      case RUNG_OP_COSH: is = PETSC_TRUE; break;
      case RUNG_OP_MUL: is = a == b || (sign[a] && sign[b]) ? PETSC_TRUE : PETSC_FALSE; break;
      case RUNG_OP_ADD:
      case RUNG_OP_DIV:
      case RUNG_OP_MIN: is = sign[a] && sign[b] ? PETSC_TRUE : PETSC_FALSE; break;
      case RUNG_OP_MAX: is = sign[a] || sign[b] ? PETSC_TRUE : PETSC_FALSE; break;
      case RUNG_OP_POW: is = sign[a]; break;
      case RUNG_OP_IF: is = sign[b] && sign[c] ? PETSC_TRUE : PETSC_FALSE; break;
      default: break;
      }
    }
    sign[list[i]] = is;
  }
  *flag = sign[s];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

/* The places of samples: nodes of the first unknown that has places. */
static PetscErrorCode find_places(RungScope scope, const RungSpaceData **places)
{
  PetscFunctionBegin;
  *places = NULL;
  for (PetscInt f = 0; f < RungScopeUnknowns(scope) && !*places; ++f) {
    PetscCall(RungSpaceGetData(RungScopeUnknownSpace(scope, f), places));
    if ((*places)->single) *places = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value[n] of a field's component; *known stays where it is not 0 everywhere.  Collective. */
static PetscErrorCode sample_field(RungDag dag, const RungInput *input, PetscInt n, double value[], PetscBool *known)
{
  const RungSpaceData *data;
  RungField            field = RungScopeFieldOf(dag->scope, input->index);
  RungSpace            space;
  PetscReal            largest;
  const PetscScalar   *x;
  Vec                  u;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungFieldGetVec(field, &u));
  PetscCall(VecNorm(u, NORM_INFINITY, &largest));
  if (!(largest > 0)) *known = PETSC_FALSE;
  PetscCall(VecGetArrayRead(u, &x));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt node = i * data->owned / n;

    value[i] = data->owned ? (double)PetscRealPart(x[node * data->components + input->component]) : 1;
  }
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value[n] of an input; *known stays where it has values. */
static PetscErrorCode sample_input(RungDag dag, const RungInput *input, const RungSpaceData *places, PetscInt n,
                                   double value[], PetscBool *known)
{
  const PetscReal *constant;

  PetscFunctionBegin;
  (void)RungScopeConstants(dag->scope, &constant);
  if (input->kind == RUNG_IN_FIELD) {
    PetscCall(sample_field(dag, input, n, value, known));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < n; ++i) {
    if (input->kind == RUNG_IN_X)
      value[i] = (double)places->x[i * places->owned / n * dag->dim + input->index];
    else if (input->kind == RUNG_IN_CELL)
      value[i] = input->index < RUNG_CELL_SIZES ? pow(10, -(double)(i % 13))
                                                : (double)(i >> (input->index - RUNG_CELL_SIZES) % 8 & 1);
    else
      value[i] = (double)(input->kind == RUNG_IN_NUMBER ? input->value : constant[input->index]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* entry[block entry][n]: samples of all entries of the block; *known stays where they tell of it.  Collective. */
static PetscErrorCode sample_block(RungDag dag, const RungEntries *block, const RungSpaceData *places, PetscInt n,
                                   double entry[], PetscBool *known)
{
  RUNG_FREE RungScalar *list = NULL;
  PetscInt              reached, most = 0;
  RUNG_FREE PetscInt   *at = NULL;
  RUNG_FREE double     *v  = NULL;

  PetscFunctionBegin;
  rung_tables = RungScopeTables(dag->scope);
  PetscCall(RungDagReach(dag, block->n, block->value, ~0u, &reached, &list));
  for (PetscInt i = 0; i < reached; ++i) most = PetscMax(most, list[i]);
  PetscCall(PetscCalloc1(most + 1, &at));
  PetscCall(PetscCalloc1(reached * n, &v));
  for (PetscInt i = 0; i < reached; ++i) {
    const RungScalarNode *node  = &dag->node[list[i]];
    const RungInput      *input = RungDagGetInput(dag, list[i]);
    const double         *a[3];

    at[list[i]] = i;
    for (int k = 0; k < 3; ++k) a[k] = node->arg[k] < 0 ? NULL : v + at[node->arg[k]] * n;
    if (input)
      PetscCall(sample_input(dag, input, places, n, v + i * n, known));
    else
      RungInstructionRun(node->op, n, a[0], a[1], a[2], v + i * n);
  }
  for (PetscInt i = 0; i < block->n; ++i) PetscCall(PetscArraycpy(entry + i * n, v + at[block->value[i]] * n, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the matrix of the entries ------------------------------------------------------------------------------------ */

/* Gaussian elimination of a symmetric n x n matrix with diagonal pivots: no negative one, and zero only with its row.
   rank, 0 before: the positive ones */
static PetscBool is_semidefinite(PetscInt n, double a[], PetscInt *rank)
{
  double scale = 0;

  for (PetscInt i = 0; i < n * n; ++i) scale = PetscMax(scale, fabs(a[i]));
  for (PetscInt k = 0; k < n; ++k) {
    if (a[k * n + k] < -1e-12 * scale) return PETSC_FALSE;
    if (a[k * n + k] > 1e-12 * scale) ++*rank;
    for (PetscInt i = k + 1; i < n; ++i) {
      if (a[k * n + k] <= 1e-12 * scale && fabs(a[i * n + k]) > 1e-12 * scale) return PETSC_FALSE;
      for (PetscInt j = k + 1; j < n && a[k * n + k] > 1e-12 * scale; ++j) {
        a[i * n + j] -= a[i * n + k] * a[k * n + j] / a[k * n + k];
      }
    }
  }
  return PETSC_TRUE;
}

/* Numbers of the slots that occur: row[block entry], col[block entry]. */
static PetscErrorCode number_slots(const RungEntries *block, PetscInt row[], PetscInt col[], PetscInt *n)
{
  RUNG_FREE RungSlot *slot = NULL;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc1(2 * block->n, &slot));
  for (PetscInt i = 0; i < 2 * block->n; ++i) {
    const RungSlot *wanted = i < block->n ? &block->row[i] : &block->col[i - block->n];
    PetscInt        k      = 0;

    while (k < *n && RungSlotCompare(&slot[k], wanted)) ++k;
    if (k == *n) slot[(*n)++] = *wanted;
    *(i < block->n ? &row[i] : &col[i - block->n]) = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* flag, strict: every sample is semidefinite, definite. */
static PetscErrorCode look_at(const RungEntries *block, PetscInt samples, const double entry[], PetscBool *flag,
                              PetscBool *strict)
{
  PetscInt            n;
  RUNG_FREE PetscInt *col = NULL;
  RUNG_FREE PetscInt *row = NULL;
  RUNG_FREE double   *a   = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(block->n, &row));
  PetscCall(PetscMalloc1(block->n, &col));
  PetscCall(number_slots(block, row, col, &n));
  PetscCall(PetscMalloc1(n * n, &a));
  for (PetscInt s = 0; s < samples && *flag; ++s) {
    PetscInt rank = 0;

    PetscCall(PetscArrayzero(a, n * n));
    for (PetscInt i = 0; i < block->n; ++i) a[row[i] * n + col[i]] = entry[i * samples + s];
    *flag   = is_semidefinite(n, a, &rank);
    *strict = *strict && *flag && rank == n ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of what is not made of numbers and constants alone: collective. */
static PetscErrorCode by_samples(RungDag dag, const RungEntries *block, PetscBool uniform, PetscBool *flag,
                                 PetscBool *strict)
{
  const RungSpaceData *places;
  PetscMPIInt          both[2];
  PetscInt             n     = 1;
  PetscBool            known = PETSC_TRUE;
  RUNG_FREE double    *entry = NULL;

  PetscFunctionBegin;
  *flag = *strict = PETSC_FALSE;
  PetscCall(find_places(dag->scope, &places));
  if (!uniform && !places) PetscFunctionReturn(PETSC_SUCCESS);
  if (!uniform) n = places->owned ? SAMPLES : 0;
  *flag = *strict = PETSC_TRUE;
  PetscCall(PetscMalloc1(block->n * n, &entry));
  PetscCall(sample_block(dag, block, places, n, entry, &known));
  PetscCall(look_at(block, n, entry, flag, strict));
  if (uniform) PetscFunctionReturn(PETSC_SUCCESS);
  both[0] = *flag && known;
  both[1] = *strict && known;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MIN, RungScopeComm(dag->scope)));
  *flag   = both[0] ? PETSC_TRUE : PETSC_FALSE;
  *strict = both[1] ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is there a derivative of a field? */
static PetscErrorCode has_gradients(RungDag dag, const RungEntries *block, PetscBool *has)
{
  RUNG_FREE RungScalar *list = NULL;
  PetscInt              n;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(RungDagReach(dag, block->n, block->value, 1u << RUNG_IN_FIELD, &n, &list));
  for (PetscInt i = 0; i < n; ++i) {
    const RungInput *input = RungDagGetInput(dag, list[i]);

    if (input && input->kind == RUNG_IN_FIELD && input->derivative) *has = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEntriesSigns(RungDag dag, const RungEntries *block, PetscBool *flag, PetscBool *mass)
{
  const unsigned numbers = 1u << RUNG_IN_NUMBER | 1u << RUNG_IN_CONSTANT,
                 sampled = numbers | 1u << RUNG_IN_X | 1u << RUNG_IN_CELL | 1u << RUNG_IN_FIELD;
  PetscBool diagonal = PETSC_TRUE, shown = PETSC_TRUE, strict = PETSC_FALSE, gradients;
  unsigned  uses = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < block->n; ++i) uses |= dag->node[block->value[i]].uses;
  if (!(uses & ~numbers)) {
    PetscCall(by_samples(dag, block, PETSC_TRUE, flag, mass));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < block->n; ++i)
    if (RungSlotCompare(&block->row[i], &block->col[i])) diagonal = PETSC_FALSE;
  for (PetscInt i = 0; i < block->n && diagonal && shown; ++i) PetscCall(non_negative(dag, block->value[i], &shown));
  *flag = diagonal && shown ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(has_gradients(dag, block, &gradients));
  if (!*flag && !(uses & ~sampled) && !gradients) PetscCall(by_samples(dag, block, PETSC_FALSE, flag, &strict));
  *mass = diagonal || strict ? PETSC_TRUE : PETSC_FALSE; /* a density that no text proves positive */
  PetscFunctionReturn(PETSC_SUCCESS);
}
