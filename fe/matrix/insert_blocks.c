/* insert_blocks.c - dense blocks of cells added to the values of BAIJ and SBAIJ: blocks of n x n, column after column. */
#include "insert_impl.h"

#define DEFINE_ADD(T)                                                                                                  \
  RUNG_SPECIALIZED void add_##T(const RungPattern p, PetscScalar *restrict diag, const RungInsertCells *cells,         \
                                const PetscInt n)                                                                      \
  {                                                                                                                    \
    const PetscInt width = p->width, si = cells->si, sj = cells->sj;                                                   \
                                                                                                                       \
    for (PetscInt l = 0; l < cells->count; ++l)                                                                        \
      for (PetscInt i = 0; i < width; ++i) {                                                                           \
        const size_t       at = (size_t)cells->cell[l] * (size_t)width + (size_t)i;                                    \
        const PetscInt     r = p->cell_block[at], first = p->lower[0] ? p->lower[0][r] : 0, start = p->start[0][r];    \
        const T           *offset = (const T *)p->offset + at * (size_t)width;                                         \
        const PetscScalar *row    = cells->dense + n * i * si + l;                                                     \
                                                                                                                       \
        for (PetscInt j = 0; j < width; ++j) {                                                                         \
          const PetscInt     k    = (PetscInt)offset[j];                                                               \
          const PetscScalar *from = row + n * j * sj;                                                                  \
          PetscScalar       *to;                                                                                       \
                                                                                                                       \
          if (k < first) continue;                                                                                     \
          to = diag + (start + (k - first) * n * n);                                                                   \
          for (PetscInt b = 0; b < n; ++b)                                                                             \
            for (PetscInt a = 0; a < n; ++a) to[b * n + a] += from[a * si + b * sj];                                   \
        }                                                                                                              \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void add_all_##T(const RungPattern p, PetscScalar diag[], const RungInsertCells *cells)                       \
  {                                                                                                                    \
    if (p->uniform == 1)                                                                                               \
      add_##T(p, diag, cells, 1);                                                                                      \
    else if (p->uniform == 2)                                                                                          \
      add_##T(p, diag, cells, 2);                                                                                      \
    else if (p->uniform == 3)                                                                                          \
      add_##T(p, diag, cells, 3);                                                                                      \
    else                                                                                                               \
      add_##T(p, diag, cells, p->uniform);                                                                             \
  }

DEFINE_ADD(uint8_t)
DEFINE_ADD(uint16_t)
DEFINE_ADD(uint32_t)

void RungInsertBlocks(const RungPattern p, PetscScalar diag[], const RungInsertCells *cells)
{
  if (p->offset_bytes == 1)
    add_all_uint8_t(p, diag, cells);
  else if (p->offset_bytes == 2)
    add_all_uint16_t(p, diag, cells);
  else
    add_all_uint32_t(p, diag, cells);
}
