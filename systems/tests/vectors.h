/* vectors.h - Vecs of the tests: filled alike on any number of ranks, compared. */
#pragma once

#include <rungsystem.h>

/* u_i = sin(1 + seed + i), i the global number */
static inline PetscErrorCode vec_fill(Vec u, PetscInt seed)
{
  PetscInt     start, end;
  PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(u, &start, &end));
  PetscCall(VecGetArrayWrite(u, &x));
  for (PetscInt i = start; i < end; ++i) x[i - start] = PetscSinReal(1 + (PetscReal)seed + (PetscReal)i);
  PetscCall(VecRestoreArrayWrite(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* largest |a - b| */
static inline PetscErrorCode vec_distance(Vec a, Vec b, PetscReal *distance)
{
  Vec c;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(a, &c));
  PetscCall(VecWAXPY(c, -1, a, b));
  PetscCall(VecNorm(c, NORM_INFINITY, distance));
  PetscCall(VecDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n Vecs of a system, filled */
static inline PetscErrorCode vecs_create(RungSystem sys, PetscInt n, Vec u[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungSystemCreateVec(sys, &u[i]));
    PetscCall(vec_fill(u[i], 100 * i));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode vecs_destroy(PetscInt n, Vec u[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) PetscCall(VecDestroy(&u[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An FNV hash over the bytes of a Vec's local entries. */
static inline PetscErrorCode vec_hash(Vec u, unsigned long long *hash)
{
  const PetscScalar *x;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArrayRead(u, &x));
  for (PetscInt i = 0; i < n * (PetscInt)sizeof *x; ++i) {
    *hash = (*hash ^ ((const unsigned char *)x)[i]) * 1099511628211ull;
  }
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
