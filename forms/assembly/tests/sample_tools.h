/* sample_tools.h - a mesh, a scope with unknowns u (a scalar) and w (a vector) and a field f, filled with polynomials. */
#pragma once

#include <check.h>
#include <check_curved.h>
#include <rungforms.h>

typedef struct {
  RungMesh   mesh;
  RungScope  scope;
  RungLayout layout;
  RungField  f;
  Vec        u[2]; /* u and its rate, twice as large */
  PetscInt   dim;
} Sample;

static inline double sample_quadratic(const PetscReal x[], PetscInt dim)
{
  return 1 + x[0] + x[0] * x[0] + (dim > 1 ? 2 * x[1] - x[0] * x[1] : 0) + (dim > 2 ? x[2] * x[1] : 0);
}

static inline PetscErrorCode sample_fill(Vec v, RungSpace space, PetscInt offset, PetscReal factor)
{
  const RungSpaceData *data;
  const RungMeshData  *mesh;
  PetscScalar         *a;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungMeshGetData(data->mesh, &mesh));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < data->owned * data->components; ++i)
    a[offset + i] = factor * (double)(1 + i % data->components) *
                    sample_quadratic(data->x + mesh->dim * (i / data->components), mesh->dim);
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cell NULL: the curved quadrilaterals of a ring */
static inline PetscErrorCode sample_create(const char cell[], PetscInt dim, Sample *s)
{
  RungSpace             space[2];
  const RungLayoutData *data;
  Vec                   v;

  PetscFunctionBegin;
  s->dim = dim;
  if (cell) {
    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &s->mesh));
    PetscCall(RungMeshSetBox(s->mesh, cell, dim, (PetscInt[]){3, 2, 2}, (PetscReal[]){1, 1, 1}));
  } else
    PetscCall(curved_mesh(RUNG_QUADRILATERAL, 2, 2, PETSC_FALSE, "sample.msh", &s->mesh));
  PetscCall(RungSpaceCreate(s->mesh, "CG2", &space[0]));
  PetscCall(RungSpaceCreate(s->mesh, "CG2^2", &space[1]));
  PetscCall(RungScopeCreate(PETSC_COMM_WORLD, &s->scope));
  PetscCall(RungScopeAddUnknown(s->scope, "u", "v", space[0]));
  PetscCall(RungScopeAddUnknown(s->scope, "w", "z", space[1]));
  PetscCall(RungScopeSetConstant(s->scope, "a", 3));
  PetscCall(RungFieldCreate(space[0], "f", &s->f));
  PetscCall(RungScopeAddField(s->scope, "f", s->f));
  PetscCall(RungFieldGetVec(s->f, &v));
  PetscCall(sample_fill(v, space[0], 0, 5));
  PetscCall(RungLayoutCreate(PETSC_COMM_WORLD, 2, space, &s->layout));
  PetscCall(RungLayoutGetData(s->layout, &data));
  for (int k = 0; k < 2; ++k) {
    PetscCall(RungLayoutCreateVec(s->layout, &s->u[k]));
    PetscCall(sample_fill(s->u[k], space[0], data->range[0], 1 + k));
    PetscCall(sample_fill(s->u[k], space[1], data->range[1], 1 + k));
  }
  for (int i = 0; i < 2; ++i) PetscCall(RungSpaceDestroy(&space[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode sample_destroy(Sample *s)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&s->u[k]));
  PetscCall(RungLayoutDestroy(&s->layout));
  PetscCall(RungScopeDestroy(&s->scope));
  PetscCall(RungFieldDestroy(&s->f));
  PetscCall(RungMeshDestroy(&s->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode sample_sampler(Sample *s, const char text[], RungSampler *sampler)
{
  RungExpr expr;

  PetscFunctionBegin;
  PetscCall(RungScopeParse(s->scope, "sample", text, &expr));
  PetscCall(RungSamplerCreate(expr, s->mesh, s->layout, sampler));
  PetscFunctionReturn(PETSC_SUCCESS);
}
