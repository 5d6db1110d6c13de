/* constraint_bounds.c - bounds of slaves are bounds of their masters.

   A slave that follows one entry,  u_s = a u_m + c(t),  has l <= u_s <= h where (l - c)/a <= u_m <= (h - c)/a, the other way
   round for a < 0.  Which entry of a tie is the master then does not matter.  Sums of several masters are not bounded. */
#include "constraint_impl.h"

/* The bounds of one master; infinite ones stay out. */
static void tighten(PetscReal a, PetscReal c, PetscReal l, PetscReal h, PetscScalar *lower, PetscScalar *upper)
{
  PetscReal from = l > PETSC_NINFINITY ? (l - c) / a : a > 0 ? PETSC_NINFINITY : PETSC_INFINITY;
  PetscReal to   = h < PETSC_INFINITY ? (h - c) / a : a > 0 ? PETSC_INFINITY : PETSC_NINFINITY;

  if (a < 0) {
    const PetscReal other = from;

    from = to;
    to   = other;
  }
  if (from > PetscRealPart(*lower)) *lower = from;
  if (to < PetscRealPart(*upper)) *upper = to;
}

/* Masters of this rank at once, those of others in remote[side]. */
static void pass_all(RungConstraints c, const PetscScalar fixed[], PetscScalar low[], PetscScalar high[],
                     PetscScalar remote_low[], PetscScalar remote_high[])
{
  for (PetscInt s = 0; s < c->n; ++s) {
    const PetscInt  i = c->start[s], m = c->master[i], e = c->entry[s];
    const PetscReal a = c->coefficient[i];

    if (c->start[s + 1] - i != 1 || a == 0) continue;
    tighten(a, PetscRealPart(fixed[e]), PetscRealPart(low[e]), PetscRealPart(high[e]),
            m >= 0 ? &low[m] : &remote_low[-1 - m], m >= 0 ? &high[m] : &remote_high[-1 - m]);
  }
}

static PetscErrorCode pass_here(RungConstraints c, Vec fixed, Vec lower, Vec upper, Vec remote[2])
{
  const PetscScalar *values;
  PetscScalar       *low, *high, *far[2] = {NULL, NULL};

  PetscFunctionBegin;
  for (int side = 0; side < 2 && remote[side]; ++side) PetscCall(VecGetArray(remote[side], &far[side]));
  PetscCall(VecGetArrayRead(fixed, &values));
  PetscCall(VecGetArray(lower, &low));
  PetscCall(VecGetArray(upper, &high));
  pass_all(c, values, low, high, far[0], far[1]);
  PetscCall(VecRestoreArray(upper, &high));
  PetscCall(VecRestoreArray(lower, &low));
  PetscCall(VecRestoreArrayRead(fixed, &values));
  for (int side = 0; side < 2 && remote[side]; ++side) PetscCall(VecRestoreArray(remote[side], &far[side]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungConstraintsPassBounds(RungSystem sys, PetscReal t, Vec lower, Vec upper)
{
  RungConstraints  c           = sys->form->constraints;
  const PetscReal  open[2]     = {PETSC_NINFINITY, PETSC_INFINITY};
  const InsertMode mode[2]     = {MAX_VALUES, MIN_VALUES};
  Vec              side_vec[2] = {lower, upper}, remote[2] = {NULL, NULL}, fixed;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(lower, &fixed));
  PetscCall(VecZeroEntries(fixed));
  PetscCall(RungConstraintsImpose(sys, t, 0, fixed)); /* c(t) of slaves */
  for (int side = 0; side < 2 && c->exchanges; ++side) {
    PetscCall(VecDuplicate(c->remote, &remote[side]));
    PetscCall(VecSet(remote[side], open[side]));
  }
  PetscCall(pass_here(c, fixed, lower, upper, remote));
  for (int side = 0; side < 2 && c->exchanges; ++side) {
    PetscCall(VecScatterBegin(c->scatter, remote[side], side_vec[side], mode[side], SCATTER_REVERSE));
    PetscCall(VecScatterEnd(c->scatter, remote[side], side_vec[side], mode[side], SCATTER_REVERSE));
    PetscCall(VecDestroy(&remote[side]));
  }
  PetscCall(VecDestroy(&fixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
