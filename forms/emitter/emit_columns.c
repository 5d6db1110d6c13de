/* emit_columns.c - the Jacobian of a multilinear map at the points of a tensor rule, as C: grown by additions,

       J_c0 = X1_c + X3_c y + X5_c z + X7_c y z,   J_c1, J_c2 likewise,

   X<mask> the differences of the vertices along the axes of a mask.  No column depends on its own axis: the first is made
   line by line, the second plane by plane for a line of points, the third once for a plane of them.  Matrices, whose points
   do little else, make the others at each point instead: loads and stores of these arrays take longer there. */
#include "emit_sum_impl.h"

/* Differences of the vertices: m_c = sum over subsets of the axes in the mask, with signs. */
static PetscErrorCode emit_differences(RungEmitter *emitter, RungPlan plan)
{
  PetscFunctionBegin;
  for (int mask = 1; mask < 1 << plan->axes; ++mask) {
    for (int c = 0; c < plan->axes; ++c) {
      RungText line = {0};

      for (int v = mask; v >= 0; --v) {
        if ((v & mask) != v) continue;
        RungTextAdd(&line, "%sx[%d][%d]",
                    __builtin_popcount((unsigned)(mask ^ v)) % 2 ? " - "
                    : line.n                                     ? " + "
                                                                 : "",
                    v, c);
      }
      PetscCall(line.error);
      RungTextLine(&emitter->kernels, "const Real X%d_%d = %s;", mask, c, line.text);
      RungTextFree(&line);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to_c = a_c + points[q<axis>] b_c */
static void emit_step(RungEmitter *emitter, RungPlan plan, const char to[], const char a[], const char b[],
                      const char points[], int axis)
{
  for (int c = 0; c < plan->axes; ++c) {
    RungTextLine(&emitter->kernels, "const Real %s_%d = %s_%d + %s[q%d] * %s_%d;", to, c, a, c, points, axis, b, c);
  }
}

/* Real col<a>_c[n], .. */
static void emit_column(RungEmitter *emitter, RungPlan plan, int a, int n)
{
  if (plan->axes == 2)
    RungTextLine(&emitter->kernels, "Real col%d_0[%d], col%d_1[%d];", a, n, a, n);
  else
    RungTextLine(&emitter->kernels, "Real col%d_0[%d], col%d_1[%d], col%d_2[%d];", a, n, a, n, a, n);
}

/* for q0: col<a>_c[at + q0] = from_c + points[q0] step_c */
static void emit_column_line(RungEmitter *emitter, RungPlan plan, int a, const char at[], const char from[],
                             const char step[], const char points[])
{
  RungTextLine(&emitter->kernels, "for (int q0 = 0; q0 < %d; ++q0) {", (int)plan->tensor->points);
  for (int c = 0; c < plan->axes; ++c)
    RungTextLine(&emitter->kernels, "  col%d_%d[%sq0] = %s_%d + %s[q0] * %s_%d;", a, c, at, from, c, points, step, c);
  RungTextLine(&emitter->kernels, "}");
}

/* The last column of J, which does not depend on the last axis, at the points of the others. */
static void emit_last_column(RungEmitter *emitter, RungPlan plan, const char points[])
{
  const int m = (int)plan->tensor->points;
  char      at[32];

  if (plan->axes == 2) {
    emit_column(emitter, plan, 1, m);
    emit_column_line(emitter, plan, 1, "", "X2", "X3", points);
    return;
  }
  emit_column(emitter, plan, 2, m * m);
  RungTextLine(&emitter->kernels, "for (int q1 = 0; q1 < %d; ++q1) {", m);
  emitter->kernels.indent += 2;
  emit_step(emitter, plan, "Z4", "X4", "X6", points, 1);
  emit_step(emitter, plan, "Z5", "X5", "X7", points, 1);
  (void)snprintf(at, sizeof at, "%d * q1 + ", m);
  emit_column_line(emitter, plan, 2, at, "Z4", "Z5", points);
  emitter->kernels.indent -= 2;
  RungTextLine(&emitter->kernels, "}");
}

static PetscBool keeps_columns(RungPlan plan)
{
  return plan->integral->rank < 2 ? PETSC_TRUE : PETSC_FALSE;
}

/* J at a point of a line along the first axis */
static void emit_jacobian(RungEmitter *emitter, RungPlan plan, const char points[])
{
  RungText       *text = &emitter->kernels;
  const PetscBool flat = plan->axes == 2 ? PETSC_TRUE : PETSC_FALSE, kept = keeps_columns(plan);
  const char     *y = flat ? "X" : "Y";

  for (int c = 0; c < plan->axes; ++c) {
    RungTextLine(text, "const Real J%d0 = Z1_%d;", c, c);
    if (kept)
      RungTextLine(text, "const Real J%d1 = col1_%d[q0];", c, c);
    else
      RungTextLine(text, "const Real J%d1 = %s2_%d + %s[q0] * %s3_%d;", c, y, c, points, y, c);
    if (!flat && kept)
      RungTextLine(text, "const Real J%d2 = col2_%d[%d * q1 + q0];", c, c, (int)plan->tensor->points);
    else if (!flat)
      RungTextLine(text, "const Real J%d2 = Z4_%d + %s[q0] * Z5_%d;", c, c, points, c);
  }
}

void RungEmitColumnFixed(RungEmitter *emitter, RungPlan plan, int axis, const char points[])
{
  const PetscBool flat = plan->axes == 2 ? PETSC_TRUE : PETSC_FALSE;

  if (axis == 2) {
    emit_step(emitter, plan, "Y1", "X1", "X5", points, 2);
    emit_step(emitter, plan, "Y2", "X2", "X6", points, 2);
    emit_step(emitter, plan, "Y3", "X3", "X7", points, 2);
    if (!keeps_columns(plan)) return;
    emit_column(emitter, plan, 1, (int)plan->tensor->points);
    emit_column_line(emitter, plan, 1, "", "Y2", "Y3", points);
  } else if (axis == 1) {
    emit_step(emitter, plan, "Z1", flat ? "X1" : "Y1", flat ? "X3" : "Y3", points, 1);
    if (flat || keeps_columns(plan)) return;
    emit_step(emitter, plan, "Z4", "X4", "X6", points, 1);
    emit_step(emitter, plan, "Z5", "X5", "X7", points, 1);
  } else {
    emit_jacobian(emitter, plan, points);
  }
}

PetscErrorCode RungEmitColumns(RungEmitter *emitter, RungPlan plan, const char **points)
{
  PetscFunctionBegin;
  PetscCall(RungEmitTable(emitter, "line_x", 1, &plan->tensor->points, plan->tensor->x, PETSC_TRUE, points));
  PetscCall(emit_differences(emitter, plan));
  if (keeps_columns(plan)) emit_last_column(emitter, plan, *points);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungSumBends(RungPlan plan)
{
  return !plan->affine && plan->geometry.nodes == RungCellGet(plan->type)->vertices ? PETSC_TRUE : PETSC_FALSE;
}
