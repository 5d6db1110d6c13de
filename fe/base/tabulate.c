/* tabulate.c - basis functions and their derivatives at points.

   Simplices: polynomials times coefficients.  Boxes: products of the basis on a line, so that a table of degree k costs
   the inverse of a (k + 1) x (k + 1) matrix and no more.  Numbers within rounding of an integer are set to it: code
   made from a table then sees its zeros and ones. */
#include <rungown_room.h>
#include "base_impl.h"

static void snap(PetscInt n, PetscReal table[])
{
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal nearest = PetscFloorReal(table[i] + 0.5);

    if (PetscAbsReal(table[i] - nearest) < 1e-14 * PetscMax(1, PetscAbsReal(nearest))) table[i] = nearest;
  }
}

/* table[row][node] = sum over polynomials of values[row][polynomial] C[polynomial][node], rows = derivatives, points */
static PetscErrorCode combine(PetscInt dim, PetscInt degree, PetscInt n, const PetscReal C[], PetscInt points,
                              const PetscReal x[], PetscInt order, PetscReal table[])
{
  const PetscInt       rows   = RungDerivativeCount(dim, order) * points;
  RUNG_FREE PetscReal *values = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(rows * n, &values));
  PetscCall(RungPolynomialTabulate(dim, degree, points, x, order, values));
  PetscCall(PetscArrayzero(table, rows * n));
  for (PetscInt r = 0; r < rows; ++r) {
    for (PetscInt p = 0; p < n; ++p) {
      const PetscReal value = values[r * n + p];

      for (PetscInt i = 0; i < n; ++i) table[r * n + i] += value * C[p * n + i];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often derivative number `derivative` of a table differentiates along each axis. */
static void axis_orders(PetscInt dim, PetscInt derivative, PetscInt times[])
{
  times[0] = times[1] = times[2] = 0;
  if (derivative > 0 && derivative <= dim) ++times[derivative - 1];
  for (PetscInt a = 0, n = dim + 1; a < dim; ++a)
    for (PetscInt b = a; b < dim; ++b, ++n)
      if (n == derivative) ++times[a], ++times[b];
}

static PetscErrorCode tabulate_box(const RungElement *e, PetscInt points, const PetscReal x[], PetscInt order,
                                   PetscReal table[])
{
  const PetscInt dim = RungCellGet(e->type)->dim, m = e->degree + 1, derivatives = RungDerivativeCount(dim, order);
  PetscReal     *t, *line; /* line[times][point][axis][i] */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(points * dim, &t, 3 * points * dim * m, &line));
  PetscCall(PetscArraycpy(t, x, points * dim));
  PetscCall(combine(1, e->degree, m, e->line, points * dim, t, order, line));
  for (PetscInt d = 0; d < derivatives; ++d) {
    PetscInt times[3];

    axis_orders(dim, d, times);
    for (PetscInt p = 0; p < points; ++p)
      for (PetscInt i = 0; i < e->nodes; ++i) {
        PetscReal product = 1;

        for (PetscInt a = 0; a < dim; ++a)
          product *= line[((times[a] * points + p) * dim + a) * m + e->lattice[4 * i + a]];
        table[(d * points + p) * e->nodes + i] = product;
      }
  }
  PetscCall(PetscFree2(t, line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Quad: the identity at its own points, nothing else. */
static PetscErrorCode tabulate_points(const RungElement *e, PetscInt points, const PetscReal x[], PetscInt order,
                                      PetscReal table[])
{
  const PetscInt dim  = RungCellGet(e->type)->dim;
  PetscBool      same = (PetscBool)(points == e->nodes);

  PetscFunctionBegin;
  PetscCheck(order == 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "a space Quad(%" PetscInt_FMT ") has values at points only, no derivatives", e->degree);
  for (PetscInt i = 0; same && i < points * dim; ++i) same = (PetscBool)(PetscAbsReal(x[i] - e->node[i]) < 1e-12);
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "a space Quad(%" PetscInt_FMT ") was evaluated at other points than those of its rule; "
             "integrate over cells with the degree %" PetscInt_FMT,
             e->degree, e->degree);
  for (PetscInt p = 0; p < points; ++p)
    for (PetscInt i = 0; i < points; ++i) table[p * points + i] = p == i ? 1 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bubbles: table of the element that holds them times their values at its nodes. */
static PetscErrorCode tabulate_within(const RungElement *e, PetscInt points, const PetscReal x[], PetscInt order,
                                      PetscReal table[])
{
  const PetscInt m = e->within->nodes, rows = RungDerivativeCount(RungCellGet(e->type)->dim, order) * points;
  PetscReal     *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(rows * m, &values));
  PetscCall(RungElementTabulate(e->within, points, x, order, values));
  for (PetscInt r = 0; r < rows; ++r)
    for (PetscInt i = 0; i < e->nodes; ++i) {
      PetscReal sum = 0;

      for (PetscInt j = 0; j < m; ++j) sum += values[r * m + j] * e->mix[j * e->nodes + i];
      table[r * e->nodes + i] = sum;
    }
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementTabulate(const RungElement *e, PetscInt points, const PetscReal x[], PetscInt order,
                                   PetscReal table[])
{
  const PetscInt dim = RungCellGet(e->type)->dim, size = RungDerivativeCount(dim, order) * points * e->nodes;

  PetscFunctionBegin;
  PetscCheck(order >= 0 && order <= 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "derivatives of order %" PetscInt_FMT " were asked for; wanted 0, 1 or 2", order);
  if (e->rule)
    PetscCall(tabulate_points(e, points, x, order, table));
  else if (e->within)
    PetscCall(tabulate_within(e, points, x, order, table));
  else if (e->degree == 0)
    for (PetscInt i = 0; i < size; ++i) table[i] = i < points ? 1 : 0;
  else if (e->line)
    PetscCall(tabulate_box(e, points, x, order, table));
  else
    PetscCall(combine(dim, e->degree, e->nodes, e->inverse, points, x, order, table));
  snap(size, table);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungCellNodes(RungCellType type, PetscInt degree)
{
  const RungCell *cell = RungCellGet(type);
  PetscInt        n    = 1;

  if (cell->simplex) return RungPolynomialCount(cell->dim, degree);
  for (PetscInt a = 0; a < cell->dim; ++a) n *= degree + 1;
  return n;
}

PetscErrorCode RungCellTabulate(RungCellType type, PetscInt degree, PetscInt points, const PetscReal x[],
                                PetscInt order, PetscReal table[])
{
  RUNG_OWNED(RungElementDestroy) RungElement *map = NULL;

  PetscFunctionBegin;
  PetscCall(RungElementCreateMap(type, degree, &map));
  PetscCall(RungElementTabulate(map, points, x, order, table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungElementTabulateLine(const RungElement *e, PetscInt points, const PetscReal t[], PetscInt order,
                                       PetscReal table[])
{
  const PetscInt n = (order + 1) * points;

  PetscFunctionBegin;
  if (e->degree == 0) {
    for (PetscInt i = 0; i < n; ++i) table[i] = i < points ? 1 : 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(combine(1, e->degree, e->degree + 1, e->line, points, t, order, table));
  snap(n * (e->degree + 1), table);
  PetscFunctionReturn(PETSC_SUCCESS);
}
