/* mesh_check.c - cells of a file: turned so that their volume is positive; refused if they have none or are folded.

   A simplex has the constant Jacobian det(x_1 - x_0, ..).  That of a box cell is tested at all points with coordinates
   0, 1/2, 1: corners alone would miss hexahedra that fold inside; that of a curved cell at the nodes of degree 4.  A
   determinant counts as zero where rounding of the
   coordinates could have made it: below 64 eps (largest coordinate difference)^dim. */
#include "fe_impl.h"

#define FAR 1e75 /* coordinates beyond have Jacobians that overflow */

static PetscReal determinant(PetscInt dim, PetscReal J[3][3])
{
  if (dim == 1) return J[0][0];
  if (dim == 2) return J[0][0] * J[1][1] - J[0][1] * J[1][0];
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

/* det dx/dX of the multilinear map at X. */
static PetscReal box_determinant(const RungPiece *whole, const PetscInt node[], const PetscReal X[])
{
  const PetscInt dim     = whole->dim;
  PetscReal      J[3][3] = {{0}};

  for (PetscInt v = 0; v < 1 << dim; ++v) {
    for (PetscInt b = 0; b < dim; ++b) {
      PetscReal slope = v >> b & 1 ? 1 : -1; /* of the shape function of v along axis b */

      for (PetscInt a = 0; a < dim; ++a) {
        if (a != b) slope *= v >> a & 1 ? X[a] : 1 - X[a];
      }
      for (PetscInt a = 0; a < dim; ++a) J[a][b] += slope * whole->x[node[v] * dim + a];
    }
  }
  return determinant(dim, J);
}

static PetscReal simplex_determinant(const RungPiece *whole, const PetscInt node[])
{
  const PetscInt dim     = whole->dim;
  PetscReal      J[3][3] = {{0}};

  for (PetscInt b = 0; b < dim; ++b) {
    for (PetscInt a = 0; a < dim; ++a) J[a][b] = whole->x[node[b + 1] * dim + a] - whole->x[node[0] * dim + a];
  }
  return determinant(dim, J);
}

/* Largest coordinate difference to vertex 0, and the bound below which a determinant counts as zero. */
static PetscReal rounding(const RungPiece *whole, const PetscInt node[])
{
  const PetscInt dim = whole->dim;
  PetscReal      h = 0, zero = 64 * PETSC_MACHINE_EPSILON;

  for (PetscInt v = 1; v < RungCellGet(whole->type)->vertices; ++v) {
    for (PetscInt a = 0; a < dim; ++a) {
      h = PetscMax(h, PetscAbsReal(whole->x[node[v] * dim + a] - whole->x[node[0] * dim + a]));
    }
  }
  for (PetscInt a = 0; a < dim; ++a) zero *= h;
  return zero;
}

/* Least and largest determinant over a straight cell. */
static void straight_range(const RungPiece *whole, const PetscInt node[], PetscReal *least, PetscReal *most)
{
  const RungCell *cell = RungCellGet(whole->type);
  PetscInt        n    = 1;

  *least = *most = cell->simplex ? simplex_determinant(whole, node) : box_determinant(whole, node, cell->x[0]);
  for (PetscInt a = 0; a < whole->dim; ++a) n *= 3;
  for (PetscInt i = 1; i < n && !cell->simplex; ++i) {
    const PetscInt  digit[3] = {i % 3, i / 3 % 3, i / 9};
    const PetscReal X[3]     = {0.5 * (PetscReal)digit[0], 0.5 * (PetscReal)digit[1], 0.5 * (PetscReal)digit[2]};
    const PetscReal det      = box_determinant(whole, node, X);

    *least = PetscMin(*least, det);
    *most  = PetscMax(*most, det);
  }
}

/* Where the determinants of curved cells are taken: the nodes of degree 4, which are on all corners and edges too. */
typedef struct {
  PetscInt   nodes, points;
  PetscReal *table; /* owned, [axis][point][node] derivatives of the map's basis */
} Samples;

static PetscErrorCode samples_create(const RungPiece *whole, Samples *s)
{
  RungElement *at;
  PetscReal   *table;

  PetscFunctionBegin;
  PetscCall(RungElementCreateMap(whole->type, 4, &at));
  s->points = at->nodes;
  s->nodes  = RungPieceShapeNodes(whole);
  PetscCall(PetscMalloc1((1 + whole->dim) * s->points * s->nodes, &table));
  PetscCall(RungCellTabulate(whole->type, whole->degree, s->points, at->node, 1, table));
  PetscCall(PetscMalloc1(whole->dim * s->points * s->nodes, &s->table));
  PetscCall(PetscArraycpy(s->table, table + s->points * s->nodes, whole->dim * s->points * s->nodes));
  PetscCall(PetscFree(table));
  PetscCall(RungElementDestroy(&at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void curved_range(const RungPiece *whole, PetscInt c, const Samples *s, PetscReal *least, PetscReal *most)
{
  const PetscInt   dim = whole->dim;
  const PetscReal *x   = whole->shape + c * s->nodes * dim;

  *least = PETSC_MAX_REAL;
  *most  = PETSC_MIN_REAL;
  for (PetscInt p = 0; p < s->points; ++p) {
    PetscReal J[3][3] = {{0}}, det;

    for (PetscInt b = 0; b < dim; ++b) {
      const PetscReal *slope = s->table + (b * s->points + p) * s->nodes;

      for (PetscInt i = 0; i < s->nodes; ++i) {
        for (PetscInt a = 0; a < dim; ++a) J[a][b] += slope[i] * x[i * dim + a];
      }
    }
    det    = determinant(dim, J);
    *least = PetscMin(*least, det);
    *most  = PetscMax(*most, det);
  }
}

/* A mirrored cell: the last two vertices of a simplex, the first two axes of a box cell change places. */
static void mirror(RungPiece *whole, PetscInt c, const RungShapeOrder *order)
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt  last = cell->vertices - 1, dim = whole->dim;
  PetscInt       *node = whole->cell_node + c * cell->vertices;

  for (PetscInt v = 0; v < (cell->simplex ? 1 : cell->vertices); v += 4) {
    PetscInt      *a = cell->simplex ? &node[last - 1] : &node[v + 1], *b = cell->simplex ? &node[last] : &node[v + 2];
    const PetscInt swap = *a;

    *a = *b;
    *b = swap;
  }
  for (PetscInt i = 0; i < order->nodes; ++i) {
    PetscReal *x = whole->shape + (c * order->nodes + i) * dim, *y = x + (order->mirror[i] - i) * dim;

    for (PetscInt a = 0; a < dim && order->mirror[i] > i; ++a) {
      const PetscReal swap = x[a];

      x[a] = y[a];
      y[a] = swap;
    }
  }
}

static PetscErrorCode check_coordinates(const RungPiece *whole, const char place[], RungFinding *finding)
{
  const PetscInt n = whole->nodes * whole->dim;
  const PetscInt m = whole->degree ? whole->cells * RungPieceShapeNodes(whole) * whole->dim : 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n + m; ++i) {
    const PetscReal x = i < n ? whole->x[i] : whole->shape[i - n];

    if (!(PetscAbsReal(x) < FAR))
      RungFound(finding, "%s: a coordinate is %g; wanted numbers below %g, whose products are finite", place, (double)x,
                FAR);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_cell(RungPiece *whole, PetscInt c, const char place[], const Samples *samples,
                                 const RungShapeOrder *order, RungFinding *finding)
{
  const RungCell *cell = RungCellGet(whole->type);
  PetscInt       *node = whole->cell_node + c * cell->vertices;
  const PetscReal zero = rounding(whole, node);
  PetscReal       least, most;

  PetscFunctionBegin;
  if (whole->degree)
    curved_range(whole, c, samples, &least, &most);
  else
    straight_range(whole, node, &least, &most);
  if (most < -zero) {
    mirror(whole, c, order);
  } else if (least < -zero) {
    RungFound(finding, "%s: %s %" PetscInt_FMT " is folded (its Jacobian runs from %g to %g); wanted one sign%s", place,
              cell->name, whole->cell_id[c], (double)least, (double)most,
              whole->degree ? ", as gmsh -optimize_ho makes it" : "");
  } else if (least <= zero) {
    RungFound(finding, "%s: %s %" PetscInt_FMT " has no volume%s (its Jacobian is %g); remove it or mesh again", place,
              cell->name, whole->cell_id[c], whole->degree || !cell->simplex ? " at a corner" : "", (double)least);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPieceOrient(RungPiece *whole, const char place[], RungFinding *finding)
{
  Samples        samples = {0};
  RungShapeOrder order   = {.nodes = 0};

  PetscFunctionBegin;
  PetscCall(check_coordinates(whole, place, finding));
  if (finding->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (whole->degree) {
    PetscCall(samples_create(whole, &samples));
    PetscCall(RungShapeOrderCreate(whole->type, &order));
  }
  for (PetscInt c = 0; c < whole->cells && !finding->text[0]; ++c)
    PetscCall(check_cell(whole, c, place, &samples, &order, finding));
  PetscCall(PetscFree(samples.table));
  PetscFunctionReturn(PETSC_SUCCESS);
}
