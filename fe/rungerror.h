/* rungerror.h - what is refused and how: one error on all ranks, nothing left behind, no object that is not there. */
#pragma once

#include <petscsys.h>

/* RUNG_EXTERN: for programs, exported by the library.  RUNG_INTERN: for the rooms above, hidden in it. */
#if defined(__cplusplus)
  #define RUNG_EXTERN_C extern "C"
#else
  #define RUNG_EXTERN_C extern
#endif
#define RUNG_EXTERN RUNG_EXTERN_C __attribute__((visibility("default")))
#define RUNG_INTERN RUNG_EXTERN_C __attribute__((visibility("hidden")))

/* RungNeed - what every public function asks of its object first: it was created, and is not destroyed (Destroy nulls the
   pointer).  Not collective.  Errors  PETSC_ERR_ARG_NULL */
#define RungNeed(object)                                                                                               \
  PetscCheck((object), PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,                                                            \
             "%s was called with %s = NULL: not created yet, or destroyed already; create it first", __func__,         \
             #object)

/* RungNeedArgument - what a public function asks of an argument that it reads or fills and that may not be NULL.  Not collective:
   NULL on one rank alone ends all of them like any other error there.  Errors  PETSC_ERR_ARG_NULL */
#define RungNeedArgument(argument)                                                                                     \
  PetscCheck((argument), PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,                                                          \
             "%s was called with %s = NULL; it wants the address of something to read or to fill there", __func__,     \
             #argument)

/* RungCheckAll - raise one error on all ranks if `ok` is false on any: lowest rank wins, its text is broadcast.
   Collective.  Message in the style: found, wanted, way out; lower case, no full stop. */
#define RungCheckAll(ok, comm, code, ...)                                                                              \
  do {                                                                                                                 \
    char      rung_message_[2048] = "";                                                                                \
    PetscBool rung_bad_;                                                                                               \
    int       rung_ok_ = (ok) ? 1 : 0;                                                                                 \
    if (!rung_ok_) PetscCall(PetscSNPrintf(rung_message_, sizeof rung_message_, __VA_ARGS__));                         \
    PetscCall(RungCheckAll_Private((comm), rung_ok_, rung_message_, sizeof rung_message_, &rung_bad_));                \
    PetscCheck(!rung_bad_, (comm), (code), "%s", rung_message_);                                                       \
  } while (0)
/* The work of RungCheckAll: *bad on all ranks if any is not ok, message[size] then that of the lowest.  Collective. */
RUNG_EXTERN PetscErrorCode RungCheckAll_Private(MPI_Comm comm, int ok, char message[], size_t size, PetscBool *bad);

/* RungCallFinally - PetscCall(call), with `last` done on both ways out: what a function made for itself is freed before
   an error goes on.  RungCallOrUndo - `undo` is done only if the call fails: what a Create function will not give away.
   The function that owns calls one that fills:  RungCallFinally(match(.., &a), PetscCall(FreeA(&a)); PetscCall(FreeB(&b)));
   Not collective by themselves; what they clean up after must fail on all ranks (RungCheckAll). */
#define RungCallFinally(call, ...)                                                                                     \
  do {                                                                                                                 \
    const PetscErrorCode rung_code_ = (call);                                                                          \
    __VA_ARGS__;                                                                                                       \
    PetscCall(rung_code_);                                                                                             \
  } while (0)
#define RungCallOrUndo(call, ...)                                                                                      \
  do {                                                                                                                 \
    const PetscErrorCode rung_code_ = (call);                                                                          \
    if (rung_code_) {                                                                                                  \
      __VA_ARGS__;                                                                                                     \
      PetscCall(rung_code_);                                                                                           \
    }                                                                                                                  \
  } while (0)
