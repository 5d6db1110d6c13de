/* mesh_tools.h - measures of cells and facets of affine meshes, for the tests of meshes. */
#pragma once

#include "check.h"

/* J[a][b] = dx_a/dX_b of an affine cell, its inverse, and its determinant. */
static inline PetscReal affine_map(const RungMeshData *data, PetscInt c, PetscReal inverse[3][3])
{
  const RungCell *cell = RungCellGet(data->type);
  const PetscInt *node = data->cell_node + c * data->nodes_per_cell, dim = cell->dim;
  PetscReal       J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, det = 0;

  for (PetscInt b = 0; b < dim; ++b) {
    const PetscInt v = cell->simplex ? b + 1 : 1 << b;

    for (PetscInt a = 0; a < dim; ++a) J[a][b] = data->x[node[v] * dim + a] - data->x[node[0] * dim + a];
  }
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const int p = (b + 1) % 3, q = (b + 2) % 3, r = (a + 1) % 3, s = (a + 2) % 3;

      inverse[a][b] = J[p][r] * J[q][s] - J[p][s] * J[q][r];
    }
  }
  for (int b = 0; b < 3; ++b) det += J[0][b] * inverse[b][0];
  for (int a = 0; a < 9; ++a) inverse[a / 3][a % 3] /= det;
  return det;
}

static inline PetscReal cell_measure(const RungMeshData *data, PetscInt c)
{
  PetscReal inverse[3][3];

  return affine_map(data, c, inverse) * RungCellGet(data->type)->size;
}

/* Measure of a facet, and its outward unit normal: |J| |J^-T n_ref|, J^-T n_ref normalized. */
static inline PetscReal facet_measure(const RungMeshData *data, PetscInt c, PetscInt f, PetscReal normal[3])
{
  const RungCell *cell = RungCellGet(data->type);
  PetscReal       inverse[3][3], length = 0;
  const PetscReal det = affine_map(data, c, inverse);

  for (int a = 0; a < 3; ++a) {
    normal[a] = 0;
    for (int b = 0; b < 3; ++b) normal[a] += inverse[b][a] * cell->normal[f][b];
    length += normal[a] * normal[a];
  }
  length = sqrt(length);
  for (int a = 0; a < 3; ++a) normal[a] /= length;
  return det * length * cell->facet_size[f] * RungCellGet(cell->facet_type)->size;
}

/* Sum over ranks. */
static inline PetscReal sum_all(RungMesh mesh, PetscReal mine)
{
  PetscReal all = 0;

  MPI_Allreduce(&mine, &all, 1, MPIU_REAL, MPI_SUM, RungMeshComm(mesh));
  return all;
}

static inline PetscErrorCode volume_of(RungMesh mesh, const char part[], PetscReal *volume)
{
  const RungMeshData *data;
  const RungPlaces   *places;
  PetscReal           sum = 0;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_CELLS, part, &places));
  for (PetscInt i = 0; i < places->count; ++i) sum += cell_measure(data, places->cell[0][i]);
  *volume = sum_all(mesh, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Area of the exterior facets of a part and how many there are. */
static inline PetscErrorCode area_of(RungMesh mesh, const char part[], PetscReal *area, PetscReal *count)
{
  const RungMeshData *data;
  const RungPlaces   *places;
  PetscReal           sum = 0, normal[3];

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(mesh, &data));
  PetscCall(RungMeshGetPlaces(mesh, RUNG_BOUNDARY, part, &places));
  for (PetscInt i = 0; i < places->count; ++i) {
    sum += facet_measure(data, places->cell[0][i], places->facet[0][i], normal);
  }
  *area  = sum_all(mesh, sum);
  *count = sum_all(mesh, (PetscReal)places->count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode make_box(RungCellType type, PetscInt nx, PetscInt ny, PetscInt nz, const PetscReal size[],
                                      RungMesh *mesh)
{
  const PetscInt count[3] = {nx, ny, nz};

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, RungCellGet(type)->name, RungCellGet(type)->dim, count, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0 writes n bytes; everybody waits. */
static inline PetscErrorCode write_file(const char path[], size_t n, const void *bytes)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *file = fopen(path, "wb");

    PetscCheck(file && fwrite(bytes, 1, n, file) == n && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
               "cannot write %s", path);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}
