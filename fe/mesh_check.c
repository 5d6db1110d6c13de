/* mesh_check.c - cells of a file: turned so that their volume is positive; refused if they have none or are folded.

   A simplex has the constant Jacobian det(x_1 - x_0, ..).  That of a box cell is tested at all points with coordinates
   0, 1/2, 1: corners alone would miss hexahedra that fold inside.  A determinant counts as zero where rounding of the
   coordinates could have made it: below 64 eps (largest coordinate difference)^dim. */
#include "fe_impl.h"

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

/* Least and largest determinant over the cell, and the bound below which one counts as zero. */
static void determinant_range(const RungPiece *whole, const PetscInt node[], PetscReal *least, PetscReal *most,
                              PetscReal *zero)
{
  const RungCell *cell = RungCellGet(whole->type);
  const PetscInt  dim  = whole->dim;
  PetscReal       h    = 0;
  PetscInt        n    = 1;

  for (PetscInt v = 1; v < cell->vertices; ++v) {
    for (PetscInt a = 0; a < dim; ++a) {
      h = PetscMax(h, PetscAbsReal(whole->x[node[v] * dim + a] - whole->x[node[0] * dim + a]));
    }
  }
  *zero = 64 * PETSC_MACHINE_EPSILON;
  for (PetscInt a = 0; a < dim; ++a) *zero *= h;
  *least = *most = cell->simplex ? simplex_determinant(whole, node) : box_determinant(whole, node, cell->x[0]);
  for (PetscInt a = 0; a < dim; ++a) n *= 3;
  for (PetscInt i = 1; i < n && !cell->simplex; ++i) {
    const PetscInt  digit[3] = {i % 3, i / 3 % 3, i / 9};
    const PetscReal X[3]     = {0.5 * (PetscReal)digit[0], 0.5 * (PetscReal)digit[1], 0.5 * (PetscReal)digit[2]};
    const PetscReal det      = box_determinant(whole, node, X);

    *least = PetscMin(*least, det);
    *most  = PetscMax(*most, det);
  }
}

/* A mirrored cell: the last two vertices of a simplex, the first two axes of a box cell change places. */
static void mirror(const RungCell *cell, PetscInt node[])
{
  const PetscInt last = cell->vertices - 1;

  for (PetscInt v = 0; v < (cell->simplex ? 1 : cell->vertices); v += 4) {
    PetscInt      *a = cell->simplex ? &node[last - 1] : &node[v + 1], *b = cell->simplex ? &node[last] : &node[v + 2];
    const PetscInt swap = *a;

    *a = *b;
    *b = swap;
  }
}

PetscErrorCode RungPieceOrient(RungPiece *whole, const char place[], RungFinding *finding)
{
  const RungCell *cell = RungCellGet(whole->type);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < whole->nodes * whole->dim; ++i) {
    if (!PetscIsInfOrNanReal(whole->x[i])) continue;
    RungFound(finding, "%s: a coordinate is %g; wanted a finite number", place, (double)whole->x[i]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt c = 0; c < whole->cells && !finding->text[0]; ++c) {
    PetscInt *node = whole->cell_node + c * cell->vertices;
    PetscReal least, most, zero;

    determinant_range(whole, node, &least, &most, &zero);
    if (most < -zero)
      mirror(cell, node);
    else if (least > zero)
      continue;
    else if (least < -zero) {
      RungFound(finding, "%s: %s %" PetscInt_FMT " is folded (its Jacobian runs from %g to %g); wanted one sign", place,
                cell->name, whole->cell_id[c], (double)least, (double)most);
    } else {
      RungFound(finding, "%s: %s %" PetscInt_FMT " has no volume%s (its Jacobian is %g); remove it or mesh again",
                place, cell->name, whole->cell_id[c], cell->simplex ? "" : " at a corner", (double)least);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
