/* scalar_tools.h - what the tests of the scalar dag share: scopes on small meshes, and the value of nodes at random
 * inputs. */
#pragma once

#include "scalar_impl.h"
#include <check.h>
#include <float.h>

static unsigned tools_seed = 1; /* another seed, other values of all inputs */

/* A fixed pseudo-random number in [0.3, 0.9) for every input and seed. */
static inline double tools_input(const RungInput *input)
{
  const uint64_t word[6] = {(uint64_t)input->kind, (uint64_t)input->index,      (uint64_t)input->component,
                            (uint64_t)input->k,    (uint64_t)input->derivative, tools_seed};

  if (input->kind == RUNG_IN_NUMBER) return (double)input->value;
  return 0.3 + 0.6 * (double)(RungSignatureHash(6, word).w[0] % 1000003) / 1000003.;
}

/* The value of a node, by its definition; the input node `moved` (-1: none) is changed by `by`. */
static inline double tools_value(RungDag dag, RungScalar s, RungScalar moved, double by)
{
  double *v = (double *)calloc((size_t)s + 1, sizeof(double)), r;

  for (RungScalar i = 0; i <= s; ++i) {
    const RungScalarNode *node  = &dag->node[i];
    const RungInput      *input = RungDagGetInput(dag, i);
    const double         *a[3];

    for (int k = 0; k < 3; ++k) a[k] = node->arg[k] < 0 ? NULL : &v[node->arg[k]];
    if (input)
      v[i] = tools_input(input) + (i == moved ? by : 0);
    else
      RungInstructionRun(node->op, 1, a[0], a[1], a[2], &v[i]);
  }
  r = v[s];
  free(v);
  return r;
}

/* Fourth order central difference of a node by an input. */
static inline double tools_slope(RungDag dag, RungScalar s, RungScalar input)
{
  const double h = 1e-3;

  return (8 * (tools_value(dag, s, input, h) - tools_value(dag, s, input, -h)) -
          (tools_value(dag, s, input, 2 * h) - tools_value(dag, s, input, -2 * h))) /
         (12 * h);
}

static inline RungScalar tools_unknown(RungDag dag, PetscInt unknown, PetscInt component, PetscInt k,
                                       PetscInt derivative)
{
  const RungInput input = {
    .kind = RUNG_IN_UNKNOWN, .index = unknown, .component = component, .k = k, .derivative = derivative};

  return RungDagInput(dag, &input);
}

static inline RungScalar tools_test(RungDag dag, PetscInt unknown, PetscInt component, PetscInt derivative)
{
  const RungInput input = {.kind = RUNG_IN_TEST, .index = unknown, .component = component, .derivative = derivative};

  return RungDagInput(dag, &input);
}

/* A scope with unknowns u, v (test functions) of `spec` and p, q of `second` (NULL: none) on a box of two cells a side.
 */
static inline PetscErrorCode tools_scope(const char cell[], PetscInt dim, const char spec[], const char second[],
                                         RungScope *scope)
{
  const PetscInt  count[3] = {2, 2, 2};
  const PetscReal size[3]  = {1, 1, 1};
  RungMesh        mesh;
  RungSpace       space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  if (strcmp(cell, "point") != 0)
    PetscCall(RungMeshSetBox(mesh, cell, dim, count, size));
  else
    PetscCall(RungMeshSetPoints(mesh, 2));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, scope));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungScopeAddUnknown(*scope, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  if (second) {
    PetscCall(RungSpaceCreate(mesh, second, &space));
    PetscCall(RungScopeAddUnknown(*scope, "p", "q", space));
    PetscCall(RungSpaceDestroy(&space));
  }
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The components of a text. */
static inline PetscErrorCode tools_expand(RungScope scope, RungDag dag, const char text[], const RungScalar **component)
{
  RungExpr expr;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(scope, "text", text, &expr));
  PetscCall(RungDagExpand(dag, expr.node, NULL, component));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of a tape's outputs at the inputs' random values; with or without sharing of registers. */
static inline PetscErrorCode tools_tape(const RungTape *tape, PetscBool share, double out[])
{
  const PetscInt values = tape->inputs + tape->instructions;
  double        *v;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(values, &v));
  for (PetscInt i = 0; i < tape->inputs; ++i) v[share ? tape->slot[i] : i] = tools_input(&tape->input[i]);
  for (PetscInt i = 0; i < tape->instructions; ++i) {
    const RungInstruction *one = &tape->instruction[i];
    const PetscInt         r   = tape->inputs + i;
    const double          *a[3];

    for (int k = 0; k < 3; ++k) a[k] = one->arg[k] < 0 ? NULL : &v[share ? tape->slot[one->arg[k]] : one->arg[k]];
    RungInstructionRun(one->op, 1, a[0], a[1], a[2], &v[share ? tape->slot[r] : r]);
  }
  for (PetscInt o = 0; o < tape->outputs; ++o) out[o] = v[share ? tape->slot[tape->output[o]] : tape->output[o]];
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
