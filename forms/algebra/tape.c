/* tape.c - scalar nodes -> straight-line code: order by rate, registers by liveness, printing.

   Order: a depth-first walk from the outputs, the operand that needs more registers first (R. Sethi, J. D. Ullman, The
   generation of optimal code for arithmetic expressions, J. ACM 1970, applied to a dag as if it were a tree), then
   stably sorted by rate.  Registers: values of one rate share registers when they do not live at the same time; a value
   read at a later rate, a number and an output keep theirs.  So a back end may run the uniform part once, the cell part
   once a cell, and the rest once a point.  Inputs are loaded before their rate's first instruction; a result is never
   put into the register of its own operand. */
#include <rungown_room.h>
#include "scalar_impl.h"
#include <ctype.h>

/* What is emitted: the reached part of the dag with single-use patterns fused. */
typedef struct {
  RungDag     dag;
  PetscInt    n;      /* reached nodes                                          */
  RungScalar *node;   /* [n] ascending                                          */
  PetscInt   *used;   /* [n] by operands and outputs                            */
  RungOp     *op;     /* [n] RUNG_OPS: an input                                 */
  PetscInt (*arg)[3]; /* [n] positions in node, -1 unused                       */
  PetscInt *need;     /* [n] registers for the tree below                       */
  PetscInt *value;    /* [n] value number in the tape, -1 not in it             */
} Plan;

static PetscErrorCode plan_create(RungDag dag, PetscInt outputs, const RungScalar output[], Plan *plan)
{
  RUNG_FREE PetscInt *position = NULL;

  PetscFunctionBegin;
  plan->dag = dag;
  PetscCall(RungDagReach(dag, outputs, output, ~0u, &plan->n, &plan->node));
  PetscCall(PetscCalloc1(plan->n, &plan->used));
  PetscCall(PetscCalloc1(plan->n, &plan->op));
  PetscCall(PetscCalloc1(plan->n, &plan->arg));
  PetscCall(PetscCalloc1(plan->n, &plan->need));
  PetscCall(PetscCalloc1(plan->n, &plan->value));
  PetscCall(PetscMalloc1(plan->n ? plan->node[plan->n - 1] + 1 : 0, &position));
  for (PetscInt p = 0; p < plan->n; ++p) {
    const RungScalarNode *node = &dag->node[plan->node[p]];

    position[plan->node[p]] = p;
    plan->op[p]             = node->op;
    plan->value[p]          = -1;
    for (int i = 0; i < 3; ++i) {
      plan->arg[p][i] = node->arg[i] < 0 ? -1 : position[node->arg[i]];
      if (node->arg[i] >= 0) ++plan->used[plan->arg[p][i]];
    }
  }
  for (PetscInt o = 0; o < outputs; ++o) ++plan->used[position[output[o]]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan_destroy(Plan *plan)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(plan->node));
  PetscCall(PetscFree(plan->used));
  PetscCall(PetscFree(plan->op));
  PetscCall(PetscFree(plan->arg));
  PetscCall(PetscFree(plan->need));
  PetscCall(PetscFree(plan->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt plan_position(const Plan *plan, RungScalar s)
{
  PetscInt low = 0, high = plan->n - 1;

  while (low < high) {
    const PetscInt middle = (low + high) / 2;

    if (plan->node[middle] < s)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* operand i of p is an `op` that nothing else uses */
static PetscBool single(const Plan *plan, PetscInt p, int i, RungOp op)
{
  const PetscInt q = plan->arg[p][i];

  return q >= 0 && plan->op[q] == op && plan->used[q] == 1 ? PETSC_TRUE : PETSC_FALSE;
}

static void replace(Plan *plan, PetscInt p, RungOp op, PetscInt a, PetscInt b)
{
  plan->op[p]     = op;
  plan->arg[p][0] = a;
  plan->arg[p][1] = b;
}

/* a + -b = a - b, -(a - b) = b - a, a * (1/b) = a / b: the reciprocal or sign that only this one would have used drops
   out. Signs of shared values stay values of their own, but differences read what lies below them. */
static void fuse_signs(Plan *plan)
{
  for (PetscInt p = 0; p < plan->n; ++p) {
    for (int i = 0; i < 2 && plan->op[p] == RUNG_OP_MUL; ++i) {
      const PetscInt q = plan->arg[p][i];

      if (single(plan, p, i, RUNG_OP_DIV) && plan->node[plan->arg[q][0]] == plan->dag->one) {
        replace(plan, p, RUNG_OP_DIV, plan->arg[p][1 - i], plan->arg[q][1]);
      }
    }
    if (plan->op[p] == RUNG_OP_ADD && plan->op[plan->arg[p][1]] == RUNG_OP_NEG) {
      const PetscInt q = plan->arg[p][1];

      if (--plan->used[q]) ++plan->used[plan->arg[q][0]];
      replace(plan, p, RUNG_OP_SUB, plan->arg[p][0], plan->arg[q][0]);
    } else if (plan->op[p] == RUNG_OP_NEG && single(plan, p, 0, RUNG_OP_SUB)) {
      const PetscInt q = plan->arg[p][0];

      replace(plan, p, RUNG_OP_SUB, plan->arg[q][1], plan->arg[q][0]);
    }
  }
}

/* Sethi-Ullman numbers */
static void label(Plan *plan)
{
  for (PetscInt p = 0; p < plan->n; ++p) {
    PetscInt need[3] = {0, 0, 0}, most = 1;

    for (int i = 0; i < 3; ++i) {
      if (plan->arg[p][i] >= 0) need[i] = plan->need[plan->arg[p][i]];
    }
    for (int i = 0; i < 3; ++i) {
      PetscInt before = 0; /* operands that are computed first: larger, or equal and earlier */

      for (int j = 0; j < 3; ++j) before += need[j] > need[i] || (need[j] == need[i] && j < i);
      most = PetscMax(most, need[i] + (need[i] ? before : 0));
    }
    plan->need[p] = most;
  }
}

/* Depth first from one output: the operands that need more registers first; appends to order. */
static void order_operands(const Plan *plan, PetscInt from, PetscBool done[], PetscInt stack[], PetscInt *n,
                           PetscInt order[])
{
  PetscInt height = 0;

  stack[height++] = from;
  while (height) {
    const PetscInt p    = stack[height - 1];
    PetscInt       next = -1;

    for (int i = 0; i < 3; ++i) {
      const PetscInt q = plan->arg[p][i];

      if (q >= 0 && !done[q] && (next < 0 || plan->need[q] > plan->need[next])) next = q;
    }
    if (!done[p] && next >= 0) {
      stack[height++] = next;
      continue;
    }
    if (!done[p]) order[(*n)++] = p;
    done[p] = PETSC_TRUE;
    --height;
  }
}

/* ---- inputs ----------------------------------------------------------------------------------------------------- */

static int compare(PetscInt a, PetscInt b)
{
  return a < b ? -1 : a > b;
}

static int compare_inputs(const RungInput *a, const RungInput *b)
{
  int c = compare((PetscInt)a->kind, (PetscInt)b->kind);

  if (!c && a->kind == RUNG_IN_NUMBER) return a->value < b->value ? -1 : a->value > b->value;
  if (!c && a->kind == RUNG_IN_SIGMA) c = compare(a->k, b->k);
  if (!c) c = compare(a->index, b->index);
  if (!c) c = compare(a->k, b->k);
  if (!c) c = compare(a->component, b->component);
  if (!c) c = compare(a->side, b->side);
  return c ? c : compare(a->derivative, b->derivative);
}

static int compare_inputs_void(const void *a, const void *b)
{
  return compare_inputs((const RungInput *)a, (const RungInput *)b);
}

/* Sorted, each once: numbers of one double are one input even where their exact values differ. */
static PetscErrorCode place_inputs(Plan *plan, PetscInt n, const PetscInt order[], RungTape *tape)
{
  PetscInt inputs = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) inputs += plan->op[order[i]] == RUNG_OPS;
  PetscCall(PetscMalloc1(inputs, &tape->input));
  for (PetscInt i = 0; i < n; ++i) {
    if (plan->op[order[i]] == RUNG_OPS) tape->input[tape->inputs++] = *RungDagGetInput(plan->dag, plan->node[order[i]]);
  }
  qsort(tape->input, (size_t)inputs, sizeof *tape->input, compare_inputs_void);
  tape->inputs = 0;
  for (PetscInt i = 0; i < inputs; ++i) {
    if (i && !compare_inputs(&tape->input[i], &tape->input[tape->inputs - 1])) continue;
    tape->input[tape->inputs++] = tape->input[i];
  }
  for (PetscInt i = 0; i < n; ++i) {
    const RungInput *input, *found;

    if (plan->op[order[i]] != RUNG_OPS) continue;
    input = RungDagGetInput(plan->dag, plan->node[order[i]]);
    found = (const RungInput *)bsearch(input, tape->input, (size_t)tape->inputs, sizeof *input, compare_inputs_void);
    plan->value[order[i]] = (PetscInt)(found - tape->input);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode place_instructions(Plan *plan, PetscInt n, const PetscInt order[], RungTape *tape)
{
  PetscInt count = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) count += plan->op[order[i]] != RUNG_OPS;
  PetscCall(PetscMalloc1(count, &tape->instruction));
  PetscCall(PetscMalloc1(tape->inputs + count, &tape->rate));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt value = plan->value[order[i]];

    if (value >= 0) tape->rate[value] = plan->dag->node[plan->node[order[i]]].rate;
  }
  for (int rate = RUNG_RATE_UNIFORM; rate <= RUNG_RATE_POINT; ++rate) {
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt   p           = order[i];
      RungInstruction *instruction = &tape->instruction[tape->instructions];

      if (plan->op[p] == RUNG_OPS || (int)plan->dag->node[plan->node[p]].rate != rate) continue;
      instruction->op = plan->op[p];
      for (int a = 0; a < 3; ++a) {
        const PetscBool is = a < rung_ops[plan->op[p]].max ? PETSC_TRUE : PETSC_FALSE;

        instruction->arg[a] = is ? plan->value[plan->arg[p][a]] : -1;
      }
      plan->value[p]             = tape->inputs + tape->instructions++;
      tape->rate[plan->value[p]] = (RungValueRate)rate;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- registers -------------------------------------------------------------------------------------------------- */

/* last[value]: the instruction that reads it last; instructions: kept to the end */
static void liveness(const RungTape *tape, PetscInt last[])
{
  const PetscInt values = tape->inputs + tape->instructions;

  for (PetscInt v = 0; v < values; ++v) last[v] = v < tape->inputs ? -1 : v - tape->inputs;
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    for (int a = 0; a < 3; ++a) {
      const PetscInt v = tape->instruction[i].arg[a];

      if (v < 0) continue;
      last[v] = tape->rate[v] == tape->rate[tape->inputs + i] && last[v] < tape->instructions ? i : tape->instructions;
    }
  }
  for (PetscInt v = 0; v < tape->inputs; ++v) {
    if (tape->input[v].kind == RUNG_IN_NUMBER) last[v] = tape->instructions;
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) last[tape->output[o]] = tape->instructions;
}

static PetscErrorCode allocate(RungTape *tape)
{
  const PetscInt      values = tape->inputs + tape->instructions;
  PetscInt            n      = 0;
  RUNG_FREE PetscInt *freed  = NULL;
  RUNG_FREE PetscInt *last   = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(values, &tape->slot));
  PetscCall(PetscMalloc1(values, &last));
  PetscCall(PetscMalloc1(values, &freed));
  liveness(tape, last);
  tape->registers = 0;
  for (PetscInt v = 0; v < tape->inputs; ++v) tape->slot[v] = tape->registers++;
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    const PetscInt v = tape->inputs + i;

    if (i && tape->rate[v] != tape->rate[v - 1]) n = 0; /* registers of an earlier rate keep what they hold */
    tape->slot[v] = n ? freed[--n] : tape->registers++;
    for (int a = 0; a < 3; ++a) {
      const PetscInt u = tape->instruction[i].arg[a];

      if (u < 0 || last[u] != i) continue;
      freed[n++] = tape->slot[u];
      last[u]    = -1; /* once, also for a * a */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungTapeCreate(RungDag dag, PetscInt outputs, const RungScalar output[], RungTape *tape)
{
  RUNG_OWNED(plan_destroy) Plan plan  = {0};
  RUNG_FREE PetscBool          *done  = NULL;
  PetscInt                      n     = 0;
  RUNG_FREE PetscInt           *order = NULL;
  RUNG_FREE PetscInt           *stack = NULL;

  PetscFunctionBegin;
  PetscCall(RungDagCheck(dag));
  PetscCall(PetscMemzero(tape, sizeof *tape));
  PetscCall(plan_create(dag, outputs, output, &plan));
  fuse_signs(&plan);
  label(&plan);
  PetscCall(PetscCalloc1(plan.n, &done));
  PetscCall(PetscCalloc1(plan.n, &stack));
  PetscCall(PetscCalloc1(plan.n, &order));
  for (PetscInt o = 0; o < outputs; ++o) order_operands(&plan, plan_position(&plan, output[o]), done, stack, &n, order);
  PetscCall(place_inputs(&plan, n, order, tape));
  PetscCall(place_instructions(&plan, n, order, tape));
  tape->outputs = outputs;
  PetscCall(PetscMalloc1(outputs, &tape->output));
  for (PetscInt o = 0; o < outputs; ++o) tape->output[o] = plan.value[plan_position(&plan, output[o])];
  PetscCall(allocate(tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTapeDestroy(RungTape *tape)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(tape->input));
  PetscCall(PetscFree(tape->instruction));
  PetscCall(PetscFree(tape->rate));
  PetscCall(PetscFree(tape->output));
  PetscCall(PetscFree(tape->slot));
  PetscCall(PetscMemzero(tape, sizeof *tape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

/* "d2/dx0 dx1 " for the derivative's number */
static PetscErrorCode derivative_text(PetscInt dim, PetscInt derivative, char text[], size_t size)
{
  PetscInt second = 1 + dim;

  PetscFunctionBegin;
  text[0] = 0;
  if (derivative > 0 && derivative <= dim)
    PetscCall(PetscSNPrintf(text, size, "d/dx%" PetscInt_FMT " ", derivative - 1));
  for (PetscInt a = 0; a < dim; ++a) {
    for (PetscInt b = a; b < dim; ++b, ++second) {
      if (second != derivative) continue;
      PetscCall(PetscSNPrintf(text, size, "d2/dx%" PetscInt_FMT "dx%" PetscInt_FMT " ", a, b));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode input_text(const RungInput *input, RungScope scope, char text[], size_t size)
{
  static const char *const cell[] = {"h", "volume", "facet_area"}, *const dt[] = {"", "dt ", "dt dt ", "direction "};
  const char *name = "", *minus = input->side ? "minus " : "";
  char        derivative[32];

  PetscFunctionBegin;
  PetscCall(derivative_text(RungScopeDim(scope), input->derivative, derivative, sizeof derivative));
  if (input->kind == RUNG_IN_UNKNOWN || input->kind == RUNG_IN_SIGMA) name = RungScopeUnknownName(scope, input->index);
  if (input->kind == RUNG_IN_TEST) name = RungScopeTestName(scope, input->index);
  if (input->kind == RUNG_IN_FIELD) name = RungScopeFieldName(scope, input->index);
  switch (input->kind) {
  case RUNG_IN_NUMBER: PetscCall(PetscSNPrintf(text, size, "%.17g", (double)input->value)); break;
  case RUNG_IN_CONSTANT: PetscCall(PetscSNPrintf(text, size, "%s", RungScopeConstantName(scope, input->index))); break;
  case RUNG_IN_SIGMA: PetscCall(PetscSNPrintf(text, size, "sigma%" PetscInt_FMT "(%s)", input->k, name)); break;
  case RUNG_IN_TIME: PetscCall(PetscSNPrintf(text, size, "t")); break;
  case RUNG_IN_CELL:
    if (input->index < RUNG_CELL_SIZES)
      PetscCall(PetscSNPrintf(text, size, "%s%s", minus, cell[input->index]));
    else
      PetscCall(
        PetscSNPrintf(text, size, "%sin part %s", minus, RungScopeString(scope, input->index - RUNG_CELL_SIZES)));
    break;
  case RUNG_IN_X: PetscCall(PetscSNPrintf(text, size, "x[%" PetscInt_FMT "]", input->index)); break;
  case RUNG_IN_NORMAL: PetscCall(PetscSNPrintf(text, size, "n[%" PetscInt_FMT "]", input->index)); break;
  case RUNG_IN_TANGENT: PetscCall(PetscSNPrintf(text, size, "tangent[%" PetscInt_FMT "]", input->index)); break;
  case RUNG_IN_WEIGHT: PetscCall(PetscStrncpy(text, "weight", size)); break;
  case RUNG_IN_MAP:
    PetscCall(PetscSNPrintf(text, size, "K[%" PetscInt_FMT ", %" PetscInt_FMT "]", input->component, input->index));
    break;
  default:
    PetscCall(PetscSNPrintf(text, size, "%s%s%s%s[%" PetscInt_FMT "]", minus, derivative, dt[input->k], name,
                            input->component));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* the operator's C text with its operands' value numbers */
static PetscErrorCode instruction_text(const RungInstruction *instruction, char text[], size_t size)
{
  size_t n = 0;

  PetscFunctionBegin;
  for (const char *c = rung_ops[instruction->op].c; *c && n + 24 < size;) {
    size_t length = 0;

    while (isalnum((unsigned char)c[length]) || c[length] == '_') ++length;
    if (length == 1 && *c >= 'a' && *c <= 'c') {
      PetscCall(PetscSNPrintf(text + n, size - n, "v%" PetscInt_FMT, instruction->arg[*c - 'a']));
      PetscCall(PetscStrlen(text, &n));
    } else {
      for (size_t i = 0; i < PetscMax(length, 1) && n + 1 < size; ++i) text[n++] = c[i];
    }
    c += PetscMax(length, 1);
  }
  text[n] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTapeView(const RungTape *tape, RungScope scope, PetscViewer viewer)
{
  static const char *const rate[] = {"uniform", "cell", "point"};
  char                     text[256];

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "%" PetscInt_FMT " inputs, %" PetscInt_FMT " instructions, %" PetscInt_FMT
                                   " outputs, %" PetscInt_FMT " registers\n",
                                   tape->inputs, tape->instructions, tape->outputs, tape->registers));
  for (PetscInt v = 0; v < tape->inputs + tape->instructions; ++v) {
    if (v < tape->inputs)
      PetscCall(input_text(&tape->input[v], scope, text, sizeof text));
    else
      PetscCall(instruction_text(&tape->instruction[v - tape->inputs], text, sizeof text));
    PetscCall(PetscViewerASCIIPrintf(viewer, "v%" PetscInt_FMT " = %s   # %s\n", v, text, rate[tape->rate[v]]));
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "output %" PetscInt_FMT " = v%" PetscInt_FMT "\n", o, tape->output[o]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
