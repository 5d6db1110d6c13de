/* shape.c - which operands fit an operator, the shape of the result, and where test functions may stand.

   A rule sees the operands' nodes and fills rank, shape and integral of the result, or leaves a message: found, wanted,
   way out.  Arity: a form is linear in its test functions, so each operator's row in ops.def says whether they may
   stand in its operands (RungLinearity).                                                                            */
#include <rungown_room.h>
#include "scope_impl.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef PetscErrorCode ShapeRule(RungScope scope, RungNode *r, PetscInt *bad);

static const RungNode *operand(RungScope scope, const RungNode *r, PetscInt i)
{
  return RungScopeNode(scope, r->arg[i]);
}
static const char *name_of(const RungNode *r)
{
  return rung_ops[r->op].name;
}

#define SHAPE_OF(node) RungNodeShapeText(node).text

static void copy_shape(RungNode *r, const RungNode *a)
{
  r->rank = a->rank;
  for (PetscInt i = 0; i < a->rank; ++i) r->shape[i] = a->shape[i];
}

/* Appends the indices from, .. of a to the result's. */
static PetscErrorCode append_shape(RungScope scope, RungNode *r, const RungNode *a, PetscInt from, PetscInt to,
                                   PetscInt *bad)
{
  PetscFunctionBegin;
  for (PetscInt i = from; i < to; ++i) {
    if (r->rank == RUNG_MAX_RANK) {
      PetscCall(RungScopeFail(scope, bad,
                              "%s() makes a tensor of more than %d indices here; contract some of them first",
                              name_of(r), RUNG_MAX_RANK));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    r->shape[r->rank++] = a->shape[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- leaves ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode axes(RungScope scope, RungNode *r, PetscInt rank, PetscInt *bad)
{
  PetscFunctionBegin;
  r->rank = rank;
  for (PetscInt i = 0; i < rank; ++i) r->shape[i] = scope->dim;
  if (!scope->dim) {
    PetscCall(
      RungScopeFail(scope, bad,
                    "\"%s\" needs the dimension of the mesh, which is not known yet; declare an unknown or set the "
                    "dimension first",
                    name_of(r)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_terminal(RungScope scope, RungNode *r, PetscInt *bad)
{
  PetscFunctionBegin;
  switch (r->op) {
  case RUNG_OP_X: PetscCall(axes(scope, r, 1, bad)); break;
  case RUNG_OP_IDENTITY: PetscCall(axes(scope, r, 2, bad)); break;
  case RUNG_OP_NORMAL:
  case RUNG_OP_TANGENT:
    PetscCall(axes(scope, r, 1, bad));
    /* fall through */
  case RUNG_OP_SIZE:
  case RUNG_OP_VOLUME:
  case RUNG_OP_FACETAREA:
    if (scope->points)
      PetscCall(RungScopeFail(scope, bad, "\"%s\" on a mesh of points, which has no cells", name_of(r)));
    break;
  case RUNG_OP_UNKNOWN:
  case RUNG_OP_TEST:
    r->rank = scope->unknown.entry[r->index[0]].rank;
    for (PetscInt i = 0; i < r->rank; ++i) r->shape[i] = scope->unknown.entry[r->index[0]].shape[i];
    r->arity = r->op == RUNG_OP_TEST;
    break;
  case RUNG_OP_FIELD:
    r->rank = scope->field.entry[r->index[0]].rank;
    for (PetscInt i = 0; i < r->rank; ++i) r->shape[i] = scope->field.entry[r->index[0]].shape[i];
    break;
  case RUNG_OP_VARIABLE: copy_shape(r, RungScopeNode(scope, RungScopeVariableValue(scope, r->index[0]))); break;
  default: break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- scalars ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode shape_scalar(RungScope scope, RungNode *r, PetscInt *bad)
{
  const char     *name = name_of(r);
  const PetscBool call = (name[0] >= 'a' && name[0] <= 'z') && r->op != RUNG_OP_AND && r->op != RUNG_OP_OR &&
                         r->op != RUNG_OP_NOT;
  char got[3 * 70] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->args; ++i) {
    const size_t used = strlen(got);

    snprintf(got + used, sizeof got - used, "%s%s",
             !i                ? ""
             : i + 1 < r->args ? ", "
                               : " and ",
             SHAPE_OF(operand(scope, r, i)));
  }
  for (PetscInt i = 0; i < r->args; ++i) {
    if (!operand(scope, r, i)->rank) continue;
    PetscCall(RungScopeFail(scope, bad, "%s%s%s wants %s, got %s%s", call ? "" : "\"", name, call ? "()" : "\"",
                            r->args == 1 ? "a scalar" : "scalars", got,
                            r->op == RUNG_OP_POW ? "; the square of a vector or tensor a is inner(a, a)"
                                                 : "; take components, like a[0]"));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sums and products ------------------------------------------------------------------------------------------ */

static PetscErrorCode shape_sum(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0), *b = operand(scope, r, 1);

  PetscFunctionBegin;
  copy_shape(r, a);
  if (!RungNodeSameShape(a, b)) {
    PetscCall(RungScopeFail(scope, bad, "a sum wants two terms of one shape, got %s and %s%s", SHAPE_OF(a), SHAPE_OF(b),
                            a->rank != 2 && b->rank != 2 ? ""
                            : !a->rank || !b->rank       ? "; a scalar joins a tensor as a*I"
                                                         : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_scale(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0), *b = operand(scope, r, 1);

  PetscFunctionBegin;
  copy_shape(r, b);
  if (a->rank) {
    PetscCall(RungScopeFail(
      scope, bad, "a product wants a scalar on one side, got %s and %s; use inner(a, b), dot(a, b) or outer(a, b)",
      SHAPE_OF(a), SHAPE_OF(b)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_inner(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0), *b = operand(scope, r, 1);

  PetscFunctionBegin;
  if (!RungNodeSameShape(a, b)) {
    PetscCall(RungScopeFail(scope, bad, "inner() wants two arguments of one shape, got %s and %s%s", SHAPE_OF(a),
                            SHAPE_OF(b), a->rank && b->rank ? "; dot(a, b) contracts one index" : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_dot(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0), *b = operand(scope, r, 1);

  PetscFunctionBegin;
  if (!a->rank || !b->rank) {
    PetscCall(RungScopeFail(scope, bad, "dot() wants vectors or tensors, got %s and %s; a scalar multiplies with *",
                            SHAPE_OF(a), SHAPE_OF(b)));
  } else if (a->shape[a->rank - 1] != b->shape[0]) {
    PetscCall(RungScopeFail(
      scope, bad, "dot() contracts the last index of the first with the first of the second argument, got %s and %s",
      SHAPE_OF(a), SHAPE_OF(b)));
  } else {
    PetscCall(append_shape(scope, r, a, 0, a->rank - 1, bad));
    if (*bad >= 0) PetscCall(append_shape(scope, r, b, 1, b->rank, bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_outer(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0), *b = operand(scope, r, 1);

  PetscFunctionBegin;
  if (!a->rank || !b->rank) {
    PetscCall(RungScopeFail(scope, bad, "outer() wants vectors or tensors, got %s and %s; a scalar multiplies with *",
                            SHAPE_OF(a), SHAPE_OF(b)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(append_shape(scope, r, a, 0, a->rank, bad));
  if (*bad >= 0) PetscCall(append_shape(scope, r, b, 0, b->rank, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_cross(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0), *b = operand(scope, r, 1);

  PetscFunctionBegin;
  if (a->rank != 1 || !RungNodeSameShape(a, b) || a->shape[0] < 2 || a->shape[0] > 3) {
    PetscCall(RungScopeFail(scope, bad, "cross() wants two vectors of 2 or of 3 components, got %s and %s", SHAPE_OF(a),
                            SHAPE_OF(b)));
  } else if (a->shape[0] == 3) {
    copy_shape(r, a);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode shape_square(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  copy_shape(r, a);
  if (a->rank != 2 || a->shape[0] != a->shape[1]) {
    PetscCall(RungScopeFail(scope, bad, "%s() wants a square tensor, got %s", name_of(r), SHAPE_OF(a)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_trace(RungScope scope, RungNode *r, PetscInt *bad)
{
  PetscFunctionBegin;
  PetscCall(shape_square(scope, r, bad));
  r->rank = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_small(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  PetscCall(shape_square(scope, r, bad));
  if (*bad >= 0 && a->shape[0] > 3) {
    PetscCall(
      RungScopeFail(scope, bad, "%s() wants a square tensor of size 1, 2 or 3, got %s", name_of(r), SHAPE_OF(a)));
  }
  if (r->op == RUNG_OP_DET) r->rank = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_transpose(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  if (a->rank != 2) {
    PetscCall(RungScopeFail(scope, bad, "transpose() wants a tensor of two indices, got %s", SHAPE_OF(a)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  r->rank     = 2;
  r->shape[0] = a->shape[1];
  r->shape[1] = a->shape[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_vector(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  for (PetscInt i = 1; i < r->args && *bad >= 0; ++i) {
    const RungNode *b = operand(scope, r, i);

    if (RungNodeSameShape(a, b)) continue;
    PetscCall(RungScopeFail(scope, bad,
                            "vector() wants arguments of one shape, got %s and, as argument %" PetscInt_FMT ", %s",
                            SHAPE_OF(a), i + 1, SHAPE_OF(b)));
  }
  r->rank     = 1;
  r->shape[0] = r->args;
  if (*bad >= 0) PetscCall(append_shape(scope, r, a, 0, a->rank, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PART, value, PART, value, .. */
static PetscErrorCode shape_value(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 1);

  PetscFunctionBegin;
  copy_shape(r, a);
  if (scope->points) PetscCall(RungScopeFail(scope, bad, "value() on a mesh of points, which has no parts"));
  for (PetscInt i = 3; i < r->args && *bad >= 0; i += 2) {
    if (RungNodeSameShape(a, operand(scope, r, i))) continue;
    PetscCall(RungScopeFail(
      scope, bad, "value() wants values of one shape, got %s and, for \"%s\", %s", SHAPE_OF(a),
      operand(scope, r, i - 1)->index[0] < 0 ? "else" : RungScopeString(scope, operand(scope, r, i - 1)->index[0]),
      SHAPE_OF(operand(scope, r, i))));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_unit(RungScope scope, RungNode *r, PetscInt *bad)
{
  PetscFunctionBegin;
  PetscCall(axes(scope, r, 1, bad));
  if (*bad >= 0 && (r->index[0] < 0 || r->index[0] >= scope->dim)) {
    PetscCall(RungScopeFail(scope, bad,
                            "unit(%" PetscInt_FMT ") in dimension %" PetscInt_FMT "; axes are 0 to %" PetscInt_FMT,
                            r->index[0], scope->dim, scope->dim - 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_index(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);
  PetscInt        n = 0;

  PetscFunctionBegin;
  while (n < RUNG_MAX_RANK && r->index[n] >= 0) ++n;
  if (n > a->rank) {
    PetscCall(RungScopeFail(scope, bad, "%" PetscInt_FMT " %s for a value with %" PetscInt_FMT ", a %s", n,
                            n == 1 ? "index" : "indices", a->rank, SHAPE_OF(a)));
  }
  for (PetscInt i = 0; i < n && *bad >= 0; ++i) {
    if (r->index[i] < a->shape[i]) continue;
    PetscCall(RungScopeFail(scope, bad, "index %" PetscInt_FMT " of %s; it counts from 0 to %" PetscInt_FMT,
                            r->index[i], SHAPE_OF(a), a->shape[i] - 1));
  }
  if (*bad >= 0) PetscCall(append_shape(scope, r, a, n, a->rank, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------ */

/* What a derivative in space may be taken of. */
static PetscErrorCode check_space(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  if (scope->points) {
    PetscCall(RungScopeFail(scope, bad, "%s() on a mesh of points, which has no derivatives in space", name_of(r)));
  } else if (!scope->dim) {
    PetscCall(axes(scope, r, 0, bad));
  } else if (a->depends & (RUNG_ON_FACET | RUNG_ON_EDGE)) {
    PetscCall(RungScopeFail(scope, bad, "%s() of %s only", name_of(r),
                            a->depends & RUNG_ON_FACET ? "n or facet_area, which are known on facets"
                                                       : "the tangent, which is known on edges"));
  } else if (a->order_x >= 2) {
    PetscCall(RungScopeFail(
      scope, bad, "%s() makes a third derivative in space here; there are two, introduce an unknown for one of them",
      name_of(r)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_grad(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode direction = {.rank = 1, .shape = {scope->dim}};

  PetscFunctionBegin;
  PetscCall(check_space(scope, r, bad));
  if (*bad < 0) PetscFunctionReturn(PETSC_SUCCESS);
  copy_shape(r, operand(scope, r, 0));
  PetscCall(append_shape(scope, r, &direction, 0, 1, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_divergence(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  PetscCall(check_space(scope, r, bad));
  if (*bad < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (!a->rank || a->shape[a->rank - 1] != scope->dim) {
    PetscCall(RungScopeFail(scope, bad, "div() wants a last index over the %" PetscInt_FMT " axes, got %s", scope->dim,
                            SHAPE_OF(a)));
  } else {
    PetscCall(append_shape(scope, r, a, 0, a->rank - 1, bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_curl(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  PetscCall(check_space(scope, r, bad));
  if (*bad < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->rank != 1 || a->shape[0] != scope->dim || scope->dim < 2) {
    PetscCall(RungScopeFail(
      scope, bad,
      "curl() wants a vector of as many components as axes, in 2D or 3D, got %s in dimension %" PetscInt_FMT,
      SHAPE_OF(a), scope->dim));
  } else if (scope->dim == 3) {
    copy_shape(r, a);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_dt(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  copy_shape(r, a);
  if (a->depends & RUNG_ON_TEST) {
    PetscCall(RungScopeFail(scope, bad, "dt() of the test function \"%s\": test functions have no time derivative",
                            RungScopeTestName(scope, RungNodeFirstTest(scope, r->arg[0]))));
  } else if (a->order_t >= RUNG_MAX_ORDER) {
    PetscCall(RungScopeFail(scope, bad,
                            "dt() makes a time derivative of order %" PetscInt_FMT
                            " here; there are %d, introduce an unknown for "
                            "one of them",
                            a->order_t + 1, RUNG_MAX_ORDER));
  } else if (a->depends & RUNG_ON_FIELD) {
    PetscCall(RungRatesCheck(scope, r, bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the first operand hold a time derivative of unknown u? */
static PetscErrorCode holds_rate(RungScope scope, PetscInt root, PetscInt u, PetscBool *holds)
{
  RUNG_FREE PetscInt *nodes = NULL;
  PetscInt            n, unknown = -1;

  PetscFunctionBegin;
  *holds = PETSC_FALSE;
  PetscCall(RungNodeReach(scope, root, &n, &nodes));
  for (PetscInt i = 0; i < n && !*holds; ++i) {
    const RungNode *a = RungScopeNode(scope, nodes[i]);

    if (a->op == RUNG_OP_DT && RungScopeNode(scope, a->arg[0])->depends & RUNG_ON_UNKNOWN) {
      RUNG_FREE PetscInt *inside = NULL;
      PetscInt            m;

      PetscCall(RungNodeReach(scope, a->arg[0], &m, &inside));
      for (PetscInt j = 0; j < m; ++j) unknown = inside[j] == u ? u : unknown;
      *holds = unknown == u ? PETSC_TRUE : PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_derive(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *e = operand(scope, r, 0), *u = operand(scope, r, 1), *w = operand(scope, r, 2);
  PetscBool       rate = PETSC_FALSE;

  PetscFunctionBegin;
  copy_shape(r, e);
  r->integral = e->integral;
  if (u->op != RUNG_OP_UNKNOWN) {
    PetscCall(RungScopeFail(
      scope, bad, "derive() wants an unknown as second argument; the pointwise derivative by an expression is diff()"));
  } else if (!RungNodeSameShape(u, w)) {
    PetscCall(RungScopeFail(scope, bad, "derive() wants a direction in the shape of \"%s\", %s, got %s",
                            RungScopeUnknownName(scope, u->index[0]), SHAPE_OF(u), SHAPE_OF(w)));
  } else if (e->order_t > 0 && w->depends & RUNG_ON_TEST) {
    PetscCall(holds_rate(scope, r->arg[0], r->arg[1], &rate));
  }
  if (rate) {
    PetscCall(RungScopeFail(
      scope, bad, "derive() of an expression with a time derivative of \"%s\": test functions have no time derivative",
      RungScopeUnknownName(scope, u->index[0])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A variable has one value, not one on each side of a facet. */
static PetscErrorCode check_variable(RungScope scope, RungNode *r, PetscInt *bad)
{
  RUNG_FREE PetscInt *nodes = NULL;
  PetscInt            n;
  PetscBool           found = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungNodeReach(scope, r->arg[0], &n, &nodes));
  for (PetscInt i = 0; i < n && !found; ++i) {
    const RungOp        op     = RungScopeNode(scope, nodes[i])->op;
    RUNG_FREE PetscInt *inside = NULL;
    PetscInt            m;

    if (op != RUNG_OP_PLUS && op != RUNG_OP_MINUS) continue;
    PetscCall(RungNodeReach(scope, nodes[i], &m, &inside));
    for (PetscInt j = 0; j < m; ++j) found = found || inside[j] == r->arg[1] ? PETSC_TRUE : PETSC_FALSE;
  }
  if (found) {
    PetscCall(RungScopeFail(scope, bad,
                            "diff() by something that stands on one side of a facet inside; take the side of the "
                            "derivative, like plus(diff(W, u))"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_diff(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *f = operand(scope, r, 1);

  PetscFunctionBegin;
  copy_shape(r, operand(scope, r, 0));
  if (f->op != RUNG_OP_VARIABLE)
    PetscCall(RungScopeFail(scope, bad, "diff() wants the name of an unknown or of a definition as second argument"));
  if (*bad >= 0 && operand(scope, r, 0)->depends & RUNG_ON_SIDE) PetscCall(check_variable(scope, r, bad));
  if (*bad >= 0) PetscCall(append_shape(scope, r, f, 0, f->rank, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- integrals -------------------------------------------------------------------------------------------------- */

static PetscErrorCode shape_integral(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  r->integral = PETSC_TRUE;
  if (a->rank) {
    PetscCall(RungScopeFail(
      scope, bad, "an integral wants a scalar, got %s; contract it with inner(a, b) or take components, like a[0]",
      SHAPE_OF(a)));
  } else if (r->index[0] == RUNG_GLOBAL && a->depends & (RUNG_ON_FACET | RUNG_ON_EDGE | RUNG_ON_CELL | RUNG_ON_X)) {
    PetscCall(RungScopeFail(scope, bad,
                            "dR is one place without coordinates: %s is not known there; only global "
                            "numbers (space R), t and constants are",
                            a->depends & RUNG_ON_X      ? "x"
                            : a->depends & RUNG_ON_CELL ? "the size of a cell"
                            : a->depends & RUNG_ON_EDGE ? "tangent"
                                                        : "n"));
  } else if (r->index[0] == RUNG_GLOBAL && RungScopeString(scope, r->index[2])[0]) {
    PetscCall(RungScopeFail(scope, bad, "dR has no parts; write dR alone"));
  } else if (r->index[0] != RUNG_CELLS && r->index[0] != RUNG_GLOBAL && scope->points) {
    static const char *const name[RUNG_DOMAINS] = {"dx", "ds", "dS", "dR", "dP", "dl"};
    static const char *const what[RUNG_DOMAINS] = {"", "boundary", "facets", "", "vertices between cells", "edges"};

    PetscCall(RungScopeFail(scope, bad, "%s on a mesh of points, which has no %s; use dx", name[r->index[0]],
                            what[r->index[0]]));
  } else if (r->index[0] != RUNG_BOUNDARY && r->index[0] != RUNG_INTERIOR_FACETS && a->depends & RUNG_ON_FACET) {
    PetscCall(RungScopeFail(scope, bad, "n and facet_area are known on facets only; use them under ds or dS"));
  } else if (r->index[0] != RUNG_EDGES && a->depends & RUNG_ON_EDGE) {
    PetscCall(RungScopeFail(scope, bad, "tangent is known on edges only; use it under dl"));
  } else if (r->index[0] != RUNG_INTERIOR_FACETS && a->depends & RUNG_ON_SIDE) {
    PetscCall(RungScopeFail(scope, bad,
                            "plus(), minus(), jump() and avg() are known on interior facets only; use them under dS"));
  } else if (r->index[0] == RUNG_INTERIOR_FACETS || r->index[0] == RUNG_VERTICES || r->index[0] == RUNG_EDGES) {
    PetscCall(RungSidesCheck(scope, r, bad));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shape_integrals(RungScope scope, RungNode *r, PetscInt *bad)
{
  PetscFunctionBegin;
  (void)scope, (void)bad; /* any integrals add up */
  r->integral = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a method takes from what it knows is neither a rate nor taken out twice. */
static PetscErrorCode shape_explicit(RungScope scope, RungNode *r, PetscInt *bad)
{
  const RungNode *a = operand(scope, r, 0);

  PetscFunctionBegin;
  r->integral = PETSC_TRUE;
  if (a->order_t > 0) {
    PetscCall(
      RungScopeFail(scope, bad,
                    "dt() of an unknown inside of explicit(): the rates are what a method solves for; leave the "
                    "terms with dt() outside"));
  } else if (a->depends & RUNG_ON_EXPLICIT) {
    PetscCall(RungScopeFail(scope, bad, "explicit() inside of explicit(); once is enough"));
  } else if (!a->arity && !(a->op == RUNG_OP_INTEGRAL && RungNodeIsZero(scope, a->arg[0]))) {
    PetscCall(RungScopeFail(scope, bad,
                            "explicit() of integrals without a test function; it stands around terms of a residual, "
                            "outside of derive()"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- arity ------------------------------------------------------------------------------------------------------ */

static PetscBool tested(RungScope scope, const RungNode *r, PetscInt i)
{
  return operand(scope, r, i)->arity ? PETSC_TRUE : PETSC_FALSE;
}

static const char *test_name(RungScope scope, const RungNode *r, PetscInt i)
{
  return RungScopeTestName(scope, RungNodeFirstTest(scope, r->arg[i]));
}

/* Operands from, .. all hold a test function, or none does; zeros do as they like. */
static PetscErrorCode arity_additive(RungScope scope, RungNode *r, PetscInt from, PetscInt *bad)
{
  PetscInt  with    = -1;
  PetscBool without = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = from; i < r->args; ++i) {
    const RungNode *a    = operand(scope, r, i);
    const PetscBool zero = RungNodeIsZero(scope, r->arg[i]) ||
                           (a->op == RUNG_OP_INTEGRAL && RungNodeIsZero(scope, a->arg[0]));

    if (a->arity && with < 0) with = i;
    if (!a->arity && !zero) without = PETSC_TRUE;
  }
  r->arity = with >= 0;
  if (with >= 0 && without) {
    PetscCall(RungScopeFail(
      scope, bad,
      "a term with the test function \"%s\" beside a term without one; a form holds a test function in every "
      "term",
      test_name(scope, r, with)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode arity_product(RungScope scope, RungNode *r, PetscInt *bad)
{
  PetscInt with = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->args && *bad >= 0; ++i) {
    if (tested(scope, r, i) && with >= 0) {
      PetscCall(RungScopeFail(scope, bad,
                              "a product of test functions, \"%s\" and \"%s\"; a form is linear in its test functions",
                              test_name(scope, r, with), test_name(scope, r, i)));
    } else if (tested(scope, r, i)) {
      with = i;
    }
  }
  r->arity = with >= 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Operands from, .. to - 1 must not hold a test function. */
static PetscErrorCode arity_none(RungScope scope, RungNode *r, PetscInt from, PetscInt to, PetscInt *bad)
{
  PetscFunctionBegin;
  for (PetscInt i = from; i < to && *bad >= 0; ++i) {
    if (!tested(scope, r, i)) continue;
    if (r->op == RUNG_OP_DIV) {
      PetscCall(RungScopeFail(scope, bad,
                              "the test function \"%s\" in a denominator; a form is linear in its test functions",
                              test_name(scope, r, i)));
    } else {
      PetscCall(RungScopeFail(scope, bad,
                              "the test function \"%s\" inside \"%s\"; a form is linear in its test functions",
                              test_name(scope, r, i), name_of(r)));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_arity(RungScope scope, RungNode *r, PetscInt *bad)
{
  PetscFunctionBegin;
  switch (rung_ops[r->op].test & ~RUNG_COMMUTES) {
  case RUNG_ADDITIVE: PetscCall(arity_additive(scope, r, 0, bad)); break;
  case RUNG_MULTILINEAR: PetscCall(arity_product(scope, r, bad)); break;
  case RUNG_FIRST:
    r->arity = tested(scope, r, 0);
    PetscCall(arity_none(scope, r, 1, r->args, bad));
    break;
  case RUNG_BRANCHES:
    PetscCall(arity_none(scope, r, 0, 1, bad));
    if (*bad >= 0) PetscCall(arity_additive(scope, r, 1, bad));
    break;
  default: PetscCall(arity_none(scope, r, 0, r->args, bad)); break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static ShapeRule *const rules[RUNG_OPS] = {
#define RUNG_TERMINAL(code, name, doc, example)                                    [RUNG_OP_##code] = shape_terminal,
#define RUNG_SCALAR(code, name, args, test, c, da, db, dc, doc, example)           [RUNG_OP_##code] = shape_scalar,
#define RUNG_TENSOR(code, name, min, max, test, shape, expand, rule, doc, example) [RUNG_OP_##code] = shape,
#include "ops.def"
};

PetscErrorCode RungShapeOf(RungScope scope, RungNode *result, PetscInt *bad)
{
  PetscFunctionBegin;
  *bad = 0;
  PetscCall(rules[result->op](scope, result, bad));
  if (*bad >= 0 && rung_ops[result->op].class_ != RUNG_CLASS_TERMINAL) PetscCall(find_arity(scope, result, bad));
  PetscFunctionReturn(PETSC_SUCCESS);
}
