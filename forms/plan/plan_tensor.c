/* plan_tensor.c - does an integral over quadrilaterals or hexahedra factorise?  Then its tables are those of a line.

   It does if every function that it reads or tests is a product of functions on a line, or constant in the cell, or
   given at the very points, and no second derivative occurs.  With one function on a line it pays, of degree 1 too: on hexahedra
   vectors of Q1 take 0.3 to 0.6 of the time, matrices of bent cells or of coefficients at points 0.15 to 0.6. */
#include "kernel_impl.h"
#include <math.h>

#define FROM_LINE 2 /* functions on a line, of degree 1 */

static PetscBool is_constant(const RungBasis *basis)
{
  return basis->nodes == 1 && basis->constant[0] ? PETSC_TRUE : PETSC_FALSE;
}

/* ---- points ------------------------------------------------------------------------------------------------------- */

/* D[q][p] from barycentric weights b_p = 1 / prod (x_p - x_k):  b_p / b_q / (x_q - x_p), rows sum to 0 */
static PetscErrorCode create_derivative(RungTensor *tensor)
{
  const PetscInt m = tensor->points;
  const double  *x = tensor->x;
  double        *b;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m, &b));
  PetscCall(PetscCalloc1(m * m, &tensor->derivative));
  for (PetscInt p = 0; p < m; ++p) {
    b[p] = 1;
    for (PetscInt k = 0; k < m; ++k) b[p] /= k == p ? 1 : x[p] - x[k];
  }
  for (PetscInt q = 0; q < m; ++q) {
    for (PetscInt p = 0; p < m; ++p) {
      if (p == q) continue;
      tensor->derivative[q * m + p] = b[p] / b[q] / (x[q] - x[p]);
      tensor->derivative[q * m + q] -= tensor->derivative[q * m + p];
    }
  }
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_points(RungPlan plan, RungTensor *tensor)
{
  const RungQuadrature *rule;

  PetscFunctionBegin;
  PetscCall(RungQuadratureGet(RUNG_INTERVAL, plan->integral->degree, &rule));
  tensor->points = rule->points;
  PetscCall(PetscMalloc1(rule->points, &tensor->x));
  PetscCall(PetscMalloc1(rule->points, &tensor->weight));
  for (PetscInt q = 0; q < rule->points; ++q) {
    tensor->x[q]      = rule->x[q];
    tensor->weight[q] = rule->weight[q];
  }
  PetscCall(create_derivative(tensor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- functions ---------------------------------------------------------------------------------------------------- */

/* Given at the points of the rule: the identity. */
static PetscErrorCode create_identity(RungPlan plan, const RungTensor *tensor, RungLineBasis *basis)
{
  const PetscInt m = tensor->points;

  PetscFunctionBegin;
  basis->line = m;
  PetscCall(PetscMalloc1(plan->points, &basis->node));
  for (PetscInt q = 0; q < plan->points; ++q) basis->node[q] = q;
  for (int times = 0; times < 2; ++times) PetscCall(PetscCalloc1(m * m, &basis->table[times]));
  for (PetscInt q = 0; q < m; ++q) basis->table[0][q * m + q] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_line(RungPlan plan, const RungTensor *tensor, RungSpace space, PetscInt nodes,
                                  RungLineBasis *basis)
{
  const PetscInt  m = tensor->points;
  const PetscInt *lattice;
  PetscInt        n;
  double         *table;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetProduct(space, &n, &lattice));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  basis->line = n;
  PetscCall(PetscMalloc1(nodes, &basis->node));
  for (PetscInt i = 0; i < nodes; ++i) {
    PetscInt at = 0;

    for (PetscInt a = plan->axes - 1; a >= 0; --a) at = at * n + lattice[4 * i + a];
    basis->node[at] = i;
  }
  PetscCall(PetscMalloc1(2 * m * n, &table));
  PetscCall(RungSpaceTabulateLine(space, m, tensor->x, 1, table));
  for (int times = 0; times < 2; ++times) {
    PetscCall(PetscMalloc1(m * n, &basis->table[times]));
    PetscCall(PetscArraycpy(basis->table[times], table + times * m * n, m * n));
  }
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *yes: all functions are fit; *pays: one varies along a line */
static PetscErrorCode create_bases(RungPlan plan, RungLayout layout, RungTensor *tensor, PetscBool *yes,
                                   PetscBool *pays)
{
  PetscErrorCode error = PETSC_SUCCESS;

  PetscFunctionBegin;
  *yes  = PETSC_TRUE;
  *pays = PETSC_FALSE;
  PetscCall(PetscCalloc1(plan->unknowns + plan->fields, &tensor->basis));
  for (PetscInt f = 0; f < plan->unknowns + plan->fields && *yes; ++f) {
    const RungBasis     *basis = &plan->basis[f];
    const RungSpace      space = RungPlanSpace(plan, layout, f, &error);
    const RungSpaceData *data;

    PetscCall(error);
    if (basis->order < 0) continue;
    PetscCall(RungSpaceGetData(space, &data));
    if (data->quadrature)
      PetscCall(create_identity(plan, tensor, &tensor->basis[f]));
    else
      PetscCall(create_line(plan, tensor, space, basis->nodes, &tensor->basis[f]));
    if (basis->order > 1 || (!tensor->basis[f].line && !is_constant(basis))) *yes = PETSC_FALSE;
    if (!data->quadrature && tensor->basis[f].line >= FROM_LINE) *pays = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RungLineBasis *RungPlanLine(RungPlan plan, const RungBasis *basis)
{
  static const RungLineBasis none;

  return plan->tensor && basis != &plan->one ? &plan->tensor->basis[basis - plan->basis] : &none;
}

/* ---- life --------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungTensorDestroy(RungPlan plan)
{
  RungTensor *tensor = plan->tensor;

  PetscFunctionBegin;
  if (!tensor) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt f = 0; tensor->basis && f < plan->unknowns + plan->fields; ++f) {
    PetscCall(PetscFree(tensor->basis[f].node));
    for (int times = 0; times < 2; ++times) PetscCall(PetscFree(tensor->basis[f].table[times]));
  }
  PetscCall(PetscFree(tensor->basis));
  PetscCall(PetscFree(tensor->x));
  PetscCall(PetscFree(tensor->weight));
  PetscCall(PetscFree(tensor->derivative));
  PetscCall(PetscFree(plan->tensor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPlanTensor(RungPlan plan, RungLayout layout)
{
  PetscBool yes, pays;
  PetscInt  points = 1;

  PetscFunctionBegin;
  if (plan->integral->domain != RUNG_CELLS || (plan->type != RUNG_QUADRILATERAL && plan->type != RUNG_HEXAHEDRON))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&plan->tensor));
  PetscCall(create_points(plan, plan->tensor));
  PetscCall(create_bases(plan, layout, plan->tensor, &yes, &pays));
  for (PetscInt a = 0; a < plan->axes; ++a) points *= plan->tensor->points;
  if (!yes || !pays || points != plan->points) PetscCall(RungTensorDestroy(plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}
