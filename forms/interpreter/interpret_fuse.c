/* interpret_fuse.c - tapes as steps of the interpreter: sums of products and the like in one go.

   An instruction whose value has one reader, of the same rate, is done by its reader, so that its value needs no register
   and is neither stored nor loaded. */
#include <rungown_room.h>
#include "interpret_impl.h"

/* ---- what can be joined ------------------------------------------------------------------------------------------- */

typedef struct {
  RungInterpreter *in;
  PetscInt        *at;    /* [value] step that makes it, -1: none */
  PetscInt        *reads; /* [value] */
  RungValueRate   *rate;  /* lent, [value] */
} Fusion;

/* The step that makes v, if it is of this kind and does it for `reader` alone. */
static RungStep *only_reader(const Fusion *f, PetscInt v, RungStepKind kind, const RungStep *reader)
{
  RungStep *step = f->at[v] < 0 ? NULL : &f->in->step[f->at[v]];

  if (!step || f->reads[v] != 1 || step->kind != kind || f->rate[v] != f->rate[reader->value]) return NULL;
  return step;
}

static void set_step(RungStep *step, RungStepKind kind, PetscInt a, PetscInt b, PetscInt c, PetscInt d)
{
  step->kind   = kind;
  step->arg[0] = a, step->arg[1] = b, step->arg[2] = c, step->arg[3] = d;
}

static void drop_step(const Fusion *f, RungStep *step)
{
  f->at[step->value] = -1;
  step->value        = -1;
}

/* Sums and differences with products. */
static void join_products(const Fusion *f, RungStep *step)
{
  const PetscBool add = step->kind == RUNG_STEP_ADD ? PETSC_TRUE : PETSC_FALSE;
  const PetscInt  a = step->arg[0], b = step->arg[1];
  RungStep       *first, *second;

  if (step->value < 0 || (!add && step->kind != RUNG_STEP_SUB)) return;
  first  = only_reader(f, a, RUNG_STEP_MUL, step);
  second = only_reader(f, b, RUNG_STEP_MUL, step);
  if (first && second)
    set_step(step, add ? RUNG_STEP_SUM2 : RUNG_STEP_DIFF2, first->arg[0], first->arg[1], second->arg[0],
             second->arg[1]);
  else if (second)
    set_step(step, add ? RUNG_STEP_ADDMUL : RUNG_STEP_SUBMUL, a, second->arg[0], second->arg[1], -1);
  else if (first)
    set_step(step, add ? RUNG_STEP_ADDMUL : RUNG_STEP_MULSUB, b, first->arg[0], first->arg[1], -1);
  if (first) drop_step(f, first);
  if (second) drop_step(f, second);
}

/* Three terms, or three factors. */
static void join_three(const Fusion *f, RungStep *step)
{
  RungStep *inner;

  if (step->value < 0 || (step->kind != RUNG_STEP_ADD && step->kind != RUNG_STEP_MUL)) return;
  for (int k = 0; k < 2; ++k) {
    inner = only_reader(f, step->arg[k], step->kind, step);
    if (!inner) continue;
    set_step(step, step->kind == RUNG_STEP_ADD ? RUNG_STEP_ADD3 : RUNG_STEP_MUL3, inner->arg[0], inner->arg[1],
             step->arg[1 - k], -1);
    drop_step(f, inner);
    return;
  }
}

/* ---- steps ---------------------------------------------------------------------------------------------------------- */

static void first_steps(RungPlan plan, RungInterpreter *in, const Fusion *f)
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt i = in->uniforms; i < tape->instructions; ++i) {
    const RungInstruction *op   = &tape->instruction[in->order[i]];
    RungStep              *step = &in->step[i - in->uniforms];

    set_step(step, RUNG_STEP_TAPE, op->arg[0], op->arg[1], op->arg[2], -1);
    if (op->op == RUNG_OP_ADD) step->kind = RUNG_STEP_ADD;
    if (op->op == RUNG_OP_SUB) step->kind = RUNG_STEP_SUB;
    if (op->op == RUNG_OP_MUL) step->kind = RUNG_STEP_MUL;
    if (op->op == RUNG_OP_DIV) step->kind = RUNG_STEP_DIV;
    if (op->op == RUNG_OP_NEG) step->kind = RUNG_STEP_NEG;
    step->op           = op->op;
    step->value        = tape->inputs + in->order[i];
    f->at[step->value] = i - in->uniforms;
  }
}

static void count_reads(RungPlan plan, PetscInt reads[])
{
  const RungTape *tape = &plan->integral->tape;

  for (PetscInt i = 0; i < tape->instructions; ++i) {
    for (int a = 0; a < 3; ++a) {
      if (tape->instruction[i].arg[a] >= 0) ++reads[tape->instruction[i].arg[a]];
    }
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) reads[tape->output[o]] += 2; /* never without a register */
}

PetscErrorCode RungStepsCreate(RungPlan plan, RungInterpreter *in)
{
  const RungTape     *tape   = &plan->integral->tape;
  const PetscInt      values = tape->inputs + tape->instructions, n = tape->instructions - in->uniforms;
  RUNG_FREE PetscInt *reads = NULL;
  RUNG_FREE void     *at    = NULL;
  Fusion              f     = {.in = in, .rate = plan->rate};

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &in->step));
  PetscCall(PetscMalloc1(values, &f.at));
  at = f.at;
  PetscCall(PetscCalloc1(values, &f.reads));
  reads = f.reads;
  for (PetscInt v = 0; v < values; ++v) f.at[v] = -1;
  first_steps(plan, in, &f);
  count_reads(plan, f.reads);
  for (PetscInt i = 0; i < n; ++i) join_products(&f, &in->step[i]);
  for (PetscInt i = 0; i < n; ++i) join_three(&f, &in->step[i]);
  for (PetscInt i = 0; i < n; ++i) {
    if (in->step[i].value < 0) continue;
    if (plan->rate[in->step[i].value] == RUNG_RATE_CELL) ++in->steps[0];
    in->step[in->steps[1]++] = in->step[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
