/* emit_diagonal.c - the diagonal of a matrix, as a vector, as C: entries (i, i) of each block in a loop over i. */
#include "emit_impl.h"

/* The same sum as a table over i and coefficients. */
static PetscErrorCode emit_tensor(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind, RungText *text)
{
  const PetscInt n = block->coefficients[kind], nodes = block->row->nodes;
  PetscInt       dim[3] = {plan->sides, nodes, n};
  double        *table;
  const char    *name;
  RungText       line = {0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(plan->sides * nodes * n, &table));
  for (PetscInt k = 0; k < plan->sides * nodes; ++k) {
    for (PetscInt c = 0; c < n; ++c) table[k * n + c] = block->tensor[kind][(k * nodes + k % nodes) * n + c];
  }
  PetscCall(RungEmitTable(emitter, "moment", plan->sides > 1 ? 3 : 2, plan->sides > 1 ? dim : dim + 1, table,
                          PETSC_FALSE, &name));
  PetscCall(PetscFree(table));
  for (PetscInt c = 0; c < n; ++c) {
    RungTextAdd(&line, "%s%s%s[i][%d] * c[%d]", c ? " + " : "", name, plan->sides > 1 ? "[f]" : "", (int)c, (int)c);
  }
  PetscCall(line.error);
  RungTextLine(text, "const Real a = %s;", line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode emit_points(RungEmitter *emitter, RungPlan plan, const RungBlock *block, const char point[],
                                  RungText *text)
{
  RungText line = {0};

  PetscFunctionBegin;
  for (PetscInt p = 0; p < block->pairs[RUNG_PAIR_POINT]; ++p) {
    const RungPair *pair = &block->pair[RUNG_PAIR_POINT][p];
    char            r[RUNG_EMIT_NAME_SIZE], s[RUNG_EMIT_NAME_SIZE];

    PetscCall(RungEmitBasis(emitter, plan, block->row, pair->r, 0, point, "i", r, sizeof r));
    PetscCall(RungEmitBasis(emitter, plan, block->col, pair->s, 0, point, "i", s, sizeof s));
    RungTextAdd(&line, "%s%s * %s * c[%d][q]", p ? " + " : "", r, s, (int)pair->coefficient);
  }
  PetscCall(line.error);
  RungTextLine(text, "Real a = {0};");
  RungTextAdd(text, "\n");
  RungTextLine(text, "for (int q = 0; q < %d; ++q) a += %s;", (int)RungEmitChunk(plan), line.text);
  RungTextFree(&line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungEmitDiagonal(RungEmitter *emitter, RungPlan plan, const RungBlock *block, int kind,
                                const char point[], RungText *text)
{
  PetscFunctionBegin;
  RungTextLine(text, "for (int i = 0; i < %d; ++i) {", (int)block->row->nodes);
  text->indent += 2;
  if (kind == RUNG_PAIR_POINT)
    PetscCall(emit_points(emitter, plan, block, point, text));
  else
    PetscCall(emit_tensor(emitter, plan, block, kind, text));
  for (PetscInt d = 0; d < block->destinations; ++d) {
    RungTextLine(text, "out%d[%d * i] += a;", (int)d, (int)block->destination[d].row);
  }
  text->indent -= 2;
  RungTextLine(text, "}");
  PetscFunctionReturn(PETSC_SUCCESS);
}
