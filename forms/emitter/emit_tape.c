/* emit_tape.c - the tape as C: statements, with what is used once written where it is used. */
#include "emit_impl.h"
#include <ctype.h>
#include <string.h>

#define INLINE_LENGTH 60 /* longer expressions are statements of their own */

/* ---- names --------------------------------------------------------------------------------------------------------
 */

PetscErrorCode RungEmitValuesCreate(RungPlan plan, RungEmitValues *values)
{
  const RungTape *tape = &plan->integral->tape;

  PetscFunctionBegin;
  values->n = tape->inputs + tape->instructions;
  PetscCall(PetscCalloc1(values->n, &values->text));
  PetscCall(PetscCalloc1(values->n, &values->precedence));
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    char name[RUNG_EMIT_NAME_SIZE];

    if (tape->input[i].kind == RUNG_IN_NUMBER)
      RungTextNumber(tape->input[i].value, name);
    else
      RungEmitInputName(plan, &tape->input[i], name);
    PetscCall(PetscStrallocpy(name, &values->text[i]));
    values->precedence[i] = name[0] == '-' ? 0 : 3;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitValuesDestroy(RungEmitValues *values)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < values->n; ++i) PetscCall(PetscFree(values->text[i]));
  PetscCall(PetscFree(values->text));
  PetscCall(PetscFree(values->precedence));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- expressions --------------------------------------------------------------------------------------------------
 */

/* An operand in a place that wants at least this precedence. */
static void operand(RungText *text, const RungEmitValues *values, PetscInt v, int precedence)
{
  const PetscBool bare = values->precedence[v] >= precedence ? PETSC_TRUE : PETSC_FALSE;

  RungTextAdd(text, bare ? "%s" : "(%s)", values->text[v]);
}

/* one_sin(a) of doubles; each_sin(a) of Reals, with doubles spread over the lanes */
static void add_call(RungEmitter *emitter, RungPlan plan, const RungInstruction *it, RungValueRate rate,
                     const RungEmitValues *values, RungText *text)
{
  const PetscBool real = rate == RUNG_RATE_UNIFORM ? PETSC_FALSE : PETSC_TRUE;
  char            name[32];
  size_t          n = 0;

  for (; rung_ops[it->op].code[n] && n < sizeof name - 1; ++n)
    name[n] = (char)tolower((unsigned char)rung_ops[it->op].code[n]);
  name[n]                                       = 0;
  (real ? emitter->each : emitter->one)[it->op] = PETSC_TRUE;
  RungTextAdd(text, "%s_%s(", real ? "each" : "one", name);
  for (int a = 0; a < 3 && it->arg[a] >= 0; ++a) {
    const PetscBool spread = real && plan->rate[it->arg[a]] == RUNG_RATE_UNIFORM ? PETSC_TRUE : PETSC_FALSE;

    RungTextAdd(text, spread ? "%sall(%s)" : "%s%s", a ? ", " : "", values->text[it->arg[a]]);
  }
  RungTextAdd(text, ")");
}

/* Appends the instruction; returns its precedence. */
static int add_expression(RungEmitter *emitter, RungPlan plan, const RungInstruction *it, RungValueRate rate,
                          const RungEmitValues *values, RungText *text)
{
  static const struct {
    RungOp      op;
    const char *sign;
    int         precedence, left, right;
  } infix[] = {
    {RUNG_OP_ADD, " + ", 1, 1, 2},
    {RUNG_OP_SUB, " - ", 1, 1, 2},
    {RUNG_OP_MUL, " * ", 2, 2, 3},
    {RUNG_OP_DIV, " / ", 2, 2, 3},
  };

  for (size_t i = 0; i < sizeof infix / sizeof infix[0]; ++i) {
    if (it->op != infix[i].op) continue;
    operand(text, values, it->arg[0], infix[i].left);
    RungTextAdd(text, "%s", infix[i].sign);
    operand(text, values, it->arg[1], infix[i].right);
    return infix[i].precedence;
  }
  if (it->op == RUNG_OP_NEG) {
    RungTextAdd(text, "-");
    operand(text, values, it->arg[0], 3);
    return 0;
  }
  add_call(emitter, plan, it, rate, values, text);
  return 3;
}

static PetscErrorCode count_uses(RungPlan plan, PetscInt uses[])
{
  const RungTape *tape = &plan->integral->tape;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    const RungValueRate rate = plan->rate[tape->inputs + i];

    for (int a = 0; a < 3; ++a) {
      const PetscInt v = tape->instruction[i].arg[a];

      if (v >= 0) uses[v] += plan->rate[v] == rate ? 1 : 2; /* of a lower rate: a statement outside the loop */
    }
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) uses[tape->output[o]] += 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitTape(RungEmitter *emitter, RungPlan plan, RungValueRate rate, RungEmitValues *values)
{
  const RungTape *tape = &plan->integral->tape;
  RungText       *text = &emitter->kernels;
  PetscInt       *uses;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(values->n, &uses));
  PetscCall(count_uses(plan, uses));
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    const PetscInt v          = tape->inputs + i;
    RungText       expression = {0};
    int            precedence;

    if (plan->rate[v] != rate) continue;
    precedence = add_expression(emitter, plan, &tape->instruction[i], rate, values, &expression);
    PetscCall(expression.error);
    if (uses[v] > 1 || strlen(expression.text) > INLINE_LENGTH) {
      RungTextLine(text, "const %s v%d = %s;", rate == RUNG_RATE_UNIFORM ? "double" : "Real", (int)v, expression.text);
      RungTextFree(&expression);
      expression = (RungText){0};
      RungTextAdd(&expression, "v%d", (int)v);
      PetscCall(expression.error);
      precedence = 3;
    }
    values->text[v]       = expression.text;
    values->precedence[v] = precedence;
  }
  PetscCall(PetscFree(uses));
  PetscFunctionReturn(PETSC_SUCCESS);
}
