/* insert_impl.h - what the files about adding cell blocks to value arrays share. */
#pragma once

#include "matrix_impl.h"

/* Of functions that are compiled anew for each call, with the constants among its arguments. */
#define RUNG_SPECIALIZED static inline __attribute__((always_inline))

/* Lanes [lane, lane_end) of a batch, block rows [row, row_end) of a tile. */
typedef struct {
  PetscInt lane, lane_end, row, row_end;
} RungInsertRange;

/* insert_blocks.c: into blocks of n x n values */
void RungInsertBlocks(const RungPattern p, PetscScalar diag[], const RungInsertCells *cells);

/* Entry `at` of the pattern's offsets. */
static inline PetscInt RungOffsetAt(const RungPattern p, size_t at)
{
  if (p->offset_bytes == 1) return (PetscInt)((const uint8_t *)p->offset)[at];
  if (p->offset_bytes == 2) return (PetscInt)((const uint16_t *)p->offset)[at];
  return (PetscInt)((const uint32_t *)p->offset)[at];
}

#define RUNG_PAGE        256 /* values of owned columns in a page of insert_zero.c */
#define RUNG_CELLS_FETCH 8   /* cells with which the pattern's lines are fetched */
/* insert_zero.c: the next lines of the pages that are not yet zero start their way to the cache */
void RungPagesFetch(RungInsertion *insertion, PetscInt lines);

typedef PetscScalar RungScalarPair
  __attribute__((vector_size(2 * sizeof(PetscScalar)), aligned(sizeof(PetscScalar)), may_alias));

/* m neighbours in a row, two by two: half the loads and stores. */
RUNG_SPECIALIZED void RungAddColumns(PetscScalar to[], const PetscScalar from[], const PetscInt m, const PetscInt sj)
{
  PetscInt b = 0;

  for (; b + 2 <= m; b += 2) *(RungScalarPair *)(to + b) += (RungScalarPair){from[b * sj], from[(b + 1) * sj]};
  if (b < m) to[b] += from[b * sj];
}
