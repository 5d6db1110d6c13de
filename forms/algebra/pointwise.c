/* pointwise.c - RungPointwise: expressions of x, t and constants at points, for initial values, boundary data and exact
   solutions.  The tape runs over blocks of points, one instruction on a whole block at a time. */
#include <rungown_room.h>
#include "scalar_impl.h"

#include <float.h>

#define BLOCK  128
#define SHAKES 4 /* of RungPointwiseRounding() */

struct _p_RungPointwise {
  RungScope          scope; /* referenced: constants have their value of the moment */
  PetscInt           dim;
  RungTape           tape;    /* owned */
  double            *vector;  /* [register][BLOCK] owned */
  const PetscScalar *unknown; /* of densities: its values at the points of a call, lent while it lasts */
};

static PetscErrorCode check_inputs(RungExpr expr, const RungTape *tape)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < tape->inputs; ++i) {
    const RungInput *input = &tape->input[i];
    const char      *name;
    char             message[256];

    switch (input->kind) {
    case RUNG_IN_UNKNOWN: name = RungScopeUnknownName(expr.scope, input->index); break;
    case RUNG_IN_TEST: name = RungScopeTestName(expr.scope, input->index); break;
    case RUNG_IN_FIELD: name = RungScopeFieldName(expr.scope, input->index); break;
    case RUNG_IN_CELL: name = input->index < RUNG_CELL_SIZES ? "h, volume or facet_area" : "value() of parts"; break;
    case RUNG_IN_NORMAL: name = "n"; break;
    case RUNG_IN_TANGENT: name = "tangent"; break;
    default: continue;
    }
    PetscCall(PetscSNPrintf(message, sizeof message,
                            "given data hold \"%.64s\", they may depend on x, t and constants only", name));
    PetscCall(RungScopeRaiseLast(expr.scope, name, PETSC_ERR_ARG_WRONG, message));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPointwiseOfTape(RungExpr expr, const RungTape *tape, RungPointwise *function)
{
  RUNG_OWNED(RungPointwiseDestroy) RungPointwise f = NULL;

  PetscFunctionBegin;
  PetscCall(PetscNew(&f));
  f->scope = expr.scope;
  f->dim   = RungScopeDim(expr.scope);
  PetscCall(RungScopeReference(expr.scope));
  PetscCall(PetscMalloc1(tape->registers * BLOCK, &f->vector));
  f->tape   = *tape; /* given away */
  *function = f;
  f         = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPointwiseCreate(RungExpr expr, RungPointwise *function)
{
  RUNG_OWNED(RungTapeDestroy) RungTape tape = {0};

  PetscFunctionBegin;
  PetscCall(RungLowerPointwise(expr, &tape));
  PetscCall(check_inputs(expr, &tape));
  PetscCall(RungPointwiseOfTape(expr, &tape, function));
  tape = (RungTape){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPointwiseDestroy(RungPointwise *function)
{
  PetscFunctionBegin;
  if (!*function) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTapeDestroy(&(*function)->tape));
  PetscCall(RungScopeDestroy(&(*function)->scope));
  PetscCall(PetscFree((*function)->vector));
  PetscCall(PetscFree(*function));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double *vector_of(RungPointwise f, PetscInt value)
{
  return value < 0 ? NULL : f->vector + f->tape.slot[value] * BLOCK;
}

/* n points from x[point][dim] into the inputs' registers */
static void load_inputs(RungPointwise f, PetscReal t, PetscInt n, const PetscReal x[])
{
  const PetscReal *constant;

  (void)RungScopeConstants(f->scope, &constant);
  for (PetscInt v = 0; v < f->tape.inputs; ++v) {
    const RungInput *input = &f->tape.input[v];
    double          *r     = vector_of(f, v);

    for (PetscInt i = 0; i < n; ++i) {
      switch (input->kind) {
      case RUNG_IN_NUMBER: r[i] = (double)input->value; break;
      case RUNG_IN_CONSTANT: r[i] = (double)constant[input->index]; break;
      case RUNG_IN_TIME: r[i] = (double)t; break;
      case RUNG_IN_UNKNOWN: r[i] = (double)PetscRealPart(f->unknown[i]); break;
      default: r[i] = (double)x[i * f->dim + input->index]; break;
      }
    }
  }
}

/* r[i] (1 +- eps) with signs that look random: round `run`, register `value` */
static void shake(PetscInt run, PetscInt value, PetscInt n, double *r)
{
  uint32_t seed = (uint32_t)(run * 7919 + value + 1) * 2654435761u;

  for (PetscInt i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    r[i] *= 1 + (seed >> 31 ? 1 : -1) * DBL_EPSILON;
  }
}

/* The tape on n points from `start`; run 0: as it is, others: shaken.  size: of the largest coordinate */
static void run_tape(RungPointwise function, PetscReal t, PetscInt n, const PetscReal x[], PetscInt run, PetscReal size)
{
  const RungTape *tape = &function->tape;

  load_inputs(function, t, n, x);
  for (PetscInt v = 0; run && v < tape->inputs; ++v) {
    double *r = vector_of(function, v);

    shake(run, v, n, r);
    for (PetscInt i = 0; tape->input[v].kind == RUNG_IN_X && i < n; ++i)
      r[i] += ((i + v + run) % 2 ? 1 : -1) * DBL_EPSILON * (double)size;
  }
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    const RungInstruction *one = &tape->instruction[i];

    RungInstructionRun(one->op, n, vector_of(function, one->arg[0]), vector_of(function, one->arg[1]),
                       vector_of(function, one->arg[2]), vector_of(function, tape->inputs + i));
    if (run) shake(run, tape->inputs + i, n, vector_of(function, tape->inputs + i));
  }
}

static void store_output(RungPointwise function, PetscInt n, PetscScalar out[])
{
  const RungTape *tape = &function->tape;

  for (PetscInt o = 0; o < tape->outputs; ++o) {
    const double *r = vector_of(function, tape->output[o]);

    for (PetscInt i = 0; i < n; ++i) out[i * tape->outputs + o] = (PetscScalar)r[i];
  }
}

PetscErrorCode RungPointwiseEvaluate(RungPointwise function, PetscReal t, PetscInt points, const PetscReal x[],
                                     PetscScalar out[])
{
  PetscFunctionBegin;
  RungNeed(function);
  rung_tables = RungScopeTables(function->scope);
  for (PetscInt start = 0; start < points; start += BLOCK) {
    const PetscInt n = PetscMin(BLOCK, points - start);

    run_tape(function, t, n, x + start * function->dim, 0, 0);
    store_output(function, n, out + start * function->tape.outputs);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDensityEvaluate(RungPointwise density, PetscReal t, PetscInt points, const PetscReal x[],
                                   const PetscScalar u[], PetscScalar out[])
{
  PetscFunctionBegin;
  RungNeed(density);
  rung_tables = RungScopeTables(density->scope);
  for (PetscInt start = 0; start < points; start += BLOCK) {
    const PetscInt n = PetscMin(BLOCK, points - start);

    density->unknown = u + start;
    run_tape(density, t, n, x + start * density->dim, 0, 0);
    store_output(density, n, out + start * density->tape.outputs);
  }
  density->unknown = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPointwiseRounding(RungPointwise function, PetscReal t, PetscInt points, const PetscReal x[],
                                     PetscReal error[])
{
  RungNeed(function);
  const PetscInt outputs = function->tape.outputs;
  PetscReal      size    = 0;
  PetscScalar   *value, *shaken;

  PetscFunctionBegin;
  rung_tables = RungScopeTables(function->scope);
  PetscCall(PetscMalloc2(BLOCK * outputs, &value, BLOCK * outputs, &shaken));
  PetscCall(PetscArrayzero(error, points));
  for (PetscInt i = 0; i < points * function->dim; ++i) size = PetscMax(size, PetscAbsReal(x[i]));
  for (PetscInt start = 0; start < points; start += BLOCK) {
    const PetscInt n = PetscMin(BLOCK, points - start);

    run_tape(function, t, n, x + start * function->dim, 0, 0);
    store_output(function, n, value);
    for (PetscInt run = 1; run <= SHAKES; ++run) {
      run_tape(function, t, n, x + start * function->dim, run, size);
      store_output(function, n, shaken);
      for (PetscInt i = 0; i < n * outputs; ++i) {
        const PetscReal off = PetscAbsScalar(shaken[i] - value[i]);

        if (PetscIsInfOrNanReal(off)) continue; /* moved out of the domain */
        error[start + i / outputs] = PetscMax(error[start + i / outputs], off);
      }
    }
  }
  PetscCall(PetscFree2(value, shaken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPointwiseIsTimeDependent(RungPointwise function, PetscBool *flag)
{
  PetscFunctionBegin;
  RungNeed(function);
  *flag = PETSC_FALSE;
  for (PetscInt i = 0; i < function->tape.inputs; ++i) {
    if (function->tape.input[i].kind == RUNG_IN_TIME) *flag = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPointwiseIsPlaceDependent(RungPointwise function, PetscBool *flag)
{
  PetscFunctionBegin;
  RungNeed(function);
  *flag = PETSC_FALSE;
  for (PetscInt i = 0; i < function->tape.inputs; ++i) {
    if (function->tape.input[i].kind == RUNG_IN_X) *flag = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
