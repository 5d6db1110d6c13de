/* callback_lent.c - states that C functions are lent to read: what they write there would be the solution of other equations.

   PETSc counts who asks for the entries of a Vec as if to write.  A program that does so and only reads pays nothing until then; from then on
   its states are compared before and after each call, as far as some thousand entries show it. */
#include "callback_impl.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */
#include <stdint.h>
#include <string.h>

#define SAMPLES 4096 /* entries of a state that are looked at */

/* How often somebody has asked to write into u[k]. */
static PetscErrorCode count_writes(PetscInt n, const Vec u[], PetscObjectState *count)
{
  PetscObjectState state;

  PetscFunctionBegin;
  *count = 0;
  for (PetscInt k = 0; k < n; ++k) {
    if (!u[k]) continue;
    PetscCall(PetscObjectStateGet((PetscObject)u[k], &state));
    *count += state;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number that the bits of this rank's entries lead to, all of them up to SAMPLES, then some at equal distances. */
static PetscErrorCode fingerprint(PetscInt n, const Vec u[], uint64_t *number)
{
  PetscFunctionBegin;
  *number = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscScalar *x;
    PetscInt           size;

    if (!u[k]) continue;
    PetscCall(VecGetLocalSize(u[k], &size));
    PetscCall(VecGetArrayRead(u[k], &x));
    for (PetscInt i = 0; i < size; i += 1 + size / SAMPLES) {
      uint64_t bits;

      memcpy(&bits, &x[i], sizeof bits);
      *number = (*number ^ bits) * 0x100000001b3ull;
      *number ^= *number >> 29;
    }
    PetscCall(VecRestoreArrayRead(u[k], &x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLentBegin(RungSystem sys, PetscInt n, const Vec u[], RungLent *lent)
{
  PetscFunctionBegin;
  *lent = (RungLent){.n = n, .u = u};
  PetscCall(count_writes(n, u, &lent->writes));
  if (sys->callback->writes) PetscCall(fingerprint(n, u, &lent->number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLentEnd(RungSystem sys, const RungLent *lent)
{
  PetscObjectState writes;
  uint64_t         number;

  PetscFunctionBegin;
  PetscCall(count_writes(lent->n, lent->u, &writes));
  if (writes == lent->writes) PetscFunctionReturn(PETSC_SUCCESS);
  if (sys->callback->writes) {
    PetscCall(fingerprint(lent->n, lent->u, &number));
    PetscCheck(number == lent->number, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "it has changed the state u that it was lent to read; VecGetArrayRead() is for reading, change a copy");
  }
  sys->callback->writes = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
