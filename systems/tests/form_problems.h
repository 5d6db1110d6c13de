/* form_problems.h - small systems of weak forms that the tests of this room share. */
#pragma once

#include <rungsystem.h>

/* A mesh of the unit interval, square or cube and a space on it. */
static inline PetscErrorCode space_create(const char cell[], PetscInt dim, PetscInt n, const char spec[],
                                          RungSpace *space)
{
  const PetscInt  count[] = {n, n, n};
  const PetscReal size[]  = {1, 1, 1};
  RungMesh        mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, count, size));
  PetscCall(RungSpaceCreate(mesh, spec, space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A system with one unknown u, test v. */
static inline PetscErrorCode system_create(const char cell[], PetscInt dim, PetscInt n, const char spec[],
                                           RungSystem *sys)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(space_create(cell, dim, n, spec, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another unknown on the mesh of the first one. */
static inline PetscErrorCode add_unknown(RungSystem sys, const char name[], const char test[], const char spec[])
{
  const RungSpaceData *data;
  RungSpace            first, space;

  PetscFunctionBegin;
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &first));
  PetscCall(RungSpaceGetData(first, &data));
  PetscCall(RungSpaceCreate(data->mesh, spec, &space));
  PetscCall(RungSystemAddUnknown(sys, name, test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Heat on a square of triangles with u = sin(3t + 0.4)(1 + x[0] + 2 x[1]^2) exact in P2: data move on the boundary. */
static inline PetscErrorCode heat_create(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, "P2", sys));
  PetscCall(RungSystemDefine(*sys, "g", "sin(3*t + 0.4)*(1 + x[0] + 2*x[1]^2)"));
  PetscCall(RungSystemDefine(*sys, "f", "3*cos(3*t + 0.4)*(1 + x[0] + 2*x[1]^2) - 4*sin(3*t + 0.4)"));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemAddResidual(*sys, "-f*v*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "boundary", "g"));
  PetscCall(RungSystemSetInitial(*sys, "u", "g"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max |u - expression(x, t)| over all ranks for the first unknown */
static inline PetscErrorCode error_of(RungSystem sys, Vec u, const char text[], PetscReal t, PetscReal *error)
{
  RungScope            scope;
  RungExpr             expr;
  RungPointwise        exact;
  RungSpace            space;
  const RungSpaceData *data;
  const PetscScalar   *x;
  PetscScalar         *value;

  PetscFunctionBegin;
  PetscCall(RungSystemGetScope(sys, &scope));
  PetscCall(RungSystemGetUnknown(sys, 0, NULL, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungScopeParse(scope, "exact", text, &expr));
  PetscCall(RungPointwiseCreate(expr, &exact));
  PetscCall(PetscMalloc1(data->owned * data->components, &value));
  PetscCall(RungPointwiseEvaluate(exact, t, data->owned, data->x, value));
  PetscCall(VecGetArrayRead(u, &x));
  *error = 0;
  for (PetscInt i = 0; i < data->owned * data->components; ++i) {
    *error = PetscMax(*error, PetscAbsScalar(value[i] - x[i]));
  }
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, error, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscFree(value));
  PetscCall(RungPointwiseDestroy(&exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}
