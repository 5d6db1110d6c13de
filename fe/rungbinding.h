/* rungbinding.h - for bindings to other languages, and for C and C++ programs that go on after an error.

   Every function of Rung returns an error code, 0 without an error.  What is behind the code is asked for here, and raised
   as an exception where the language has them:

       RungErrorBegin();                                   once, before or after RungInitialize()
       ..
       if (RungMeshSetUp(mesh)) {
         RungErrorInfo error;
         RungErrorGet(&error);
         .. throw or raise with error.text, error.function, error.file, error.line
       }

   A program in C++ that does so: docs/bindings.md.  None of these functions is collective.

   On several ranks: what all ranks can see, and what goes through a check of all of them, is raised on all with the same
   text.  What one rank alone has met (no memory, a file that it cannot read) comes back on that rank alone, while the
   others may wait for it in a collective call: a program that does not know better ends with MPI_Abort there. */
#pragma once

#include <rungversion.h>

/* An error; texts are lent until the next one on this rank. */
typedef struct {
  PetscErrorCode code;     /* PETSC_ERR_.. of petscerror.h; 0: there was none                                        */
  int            line;     /* of file, where it was raised                                                           */
  const char    *function; /* that raised it: "RungMeshSetBox"                                                       */
  const char    *file;     /* from the root of the tree on: "fe/mesh/mesh_box.c"; PETSc's files as it was built       */
  const char    *text;     /* the message, whole up to 2047 bytes of UTF-8; what is longer is cut and ends in ".."   */
  const char    *trace;    /* what it came through, "function() file:line\n" for each, where it was raised first     */
} RungErrorInfo;

/* RungErrorBegin - from now on an error prints nothing and ends nothing, at exit() neither: the call that met it returns its
   code.  Ours becomes the uppermost of PETSc's error handlers, above -rung_traceback and those of others (petsc4py).  Pairs
   of Begin and End nest; between them handlers are pushed and popped in pairs as well.  Before RungInitialize, it takes
   effect there.  PetscCall() in main() ends the process all the same: PETSc does so. */
RUNG_EXTERN PetscErrorCode RungErrorBegin(void);

/* RungErrorEnd - errors go the way again that they went before RungErrorBegin.
   Errors  PETSC_ERR_ORDER  without one */
RUNG_EXTERN PetscErrorCode RungErrorEnd(void);

/* RungErrorGet - the last error of this rank since RungInitialize or RungErrorClear, right after a call that returned one;
   also one that another program part has dealt with.  Without RungErrorBegin it is known if no other handler was pushed.
   Out  error  code 0, empty texts and line 0 if there was none
   Errors  PETSC_ERR_ARG_NULL */
RUNG_EXTERN PetscErrorCode RungErrorGet(RungErrorInfo *error);

/* RungErrorClear - forgets the last error; it is dealt with and will not be shown at exit(). */
RUNG_EXTERN PetscErrorCode RungErrorClear(void);

/* RungErrorStatus - the exit status of a process that an error ends from now on; 1 until said.  After a signal n the
   error PETSC_ERR_SIG, and no other one, ends it with 128 + n.  Not collective.
   Errors  PETSC_ERR_ARG_OUTOFRANGE  not in 1 .. 125 */
RUNG_EXTERN PetscErrorCode RungErrorStatus(int number);
