/* rungcoupling_room.h - what the room above needs besides what programs do: tables and series of what no stepper
   writes, errors that are kept, names SYSTEM.NAME.  Not installed, not exported. */
#pragma once

#include <rungcoupling.h>
#include <rungfollow.h>
#include <rungsystem_room.h>

/* RungCouplingSetKeeper - what is put into each checkpoint besides, and taken out of the one that a run goes on from;
   copied.  Not collective. */
RUNG_INTERN PetscErrorCode RungCouplingSetKeeper(RungCoupling coupling, const RungKeeper *keeper);

/* ---- rows (rows.c) ---------------------------------------------------------------------------------------------- */

typedef struct _p_RungRows *RungRows;

/* A row of tables, a time of series. */
typedef struct {
  PetscReal          t;
  const char        *column; /* of a number that goes, behind t; NULL: none */
  PetscReal          at;     /* its value                                   */
  PetscInt           n;
  const char *const *name;  /* [n] lent: columns */
  const PetscReal   *value; /* [n] lent          */
} RungRow;

/* What happens at a row: events that are due have a count, others 0. */
typedef struct {
  PetscInt           n;
  const char *const *name;  /* [n] lent */
  const PetscInt    *count; /* [n] lent; NULL: none happens */
} RungRowEvents;

/* RungRowsCreate - tables and series to come; comm is lent.
   RungRowsSetStart - times of series are t0 + n every.
   RungRowsAddTable, RungRowsAddOutput - NAME.csv; NAME.pvd of a system, list NULL: of its unknowns.
   RungRowsWrite - adds a row, and a time of those series that have one; last: nothing follows.
   RungRowsAgain - adds a second row of the same time, to tables alone.
   RungRowsFinish - the run has ended at the row that was written last: tables and series have all of it.
   RungRowsHappened - adds a row to NAME.events.csv beside each table; without counts the file and its head alone, which a
   file of another kind at that path refuses.
   All collective.  Errors  PETSC_ERR_FILE_WRITE, those of RungWriterSetFields();  PETSC_ERR_ARG_WRONG  a path that is
   taken */
RUNG_INTERN PetscErrorCode RungRowsCreate(MPI_Comm comm, RungRows *rows);
RUNG_INTERN PetscErrorCode RungRowsSetStart(RungRows rows, PetscReal t0);
RUNG_INTERN PetscErrorCode RungRowsAddTable(RungRows rows, const char path[]);
RUNG_INTERN PetscErrorCode RungRowsAddOutput(RungRows rows, RungSystem sys, const char path[], const char list[],
                                             PetscReal every);
RUNG_INTERN PetscErrorCode RungRowsWrite(RungRows rows, const RungRow *row, const Vec u[], PetscBool last);
RUNG_INTERN PetscErrorCode RungRowsAgain(RungRows rows, const RungRow *row);
RUNG_INTERN PetscErrorCode RungRowsHappened(RungRows rows, const RungRow *row, const RungRowEvents *events);
RUNG_INTERN PetscErrorCode RungRowsFinish(RungRows rows, const RungRow *row, const Vec u[]);
RUNG_INTERN PetscErrorCode RungRowsTell(RungRows rows); /* what the disk has refused; Finish does it, too */
RUNG_INTERN PetscErrorCode RungRowsDestroy(RungRows *rows);

/* ---- ways (follow.c) -------------------------------------------------------------------------------------------- */

/* RungFollowKeeping - RungSystemFollow() whose checkpoints hold what `keeper` keeps, too; NULL: nothing. */
RUNG_INTERN PetscErrorCode RungFollowKeeping(RungSystem sys, const RungFollowPlan *plan, const RungKeeper *keeper,
                                             Vec u);

/* ---- errors (catch.c) ------------------------------------------------------------------------------------------- */

#define RUNG_CAUGHT_SIZE 2048 /* bytes of a message */

/* An error of a library that was caught on its way. */
typedef struct {
  PetscErrorCode code;
  char           message[RUNG_CAUGHT_SIZE];
} RungCaught;

/* An error handler of PETSc's: keeps code and message of the first error in ctx, a RungCaught. */
RUNG_INTERN PetscErrorCode RungCatchError(MPI_Comm comm, int line, const char *function, const char *file,
                                          PetscErrorCode n, PetscErrorType type, const char *text, void *ctx);
/* Raises what was caught where nobody can go on: memory has run out, or a message has failed, and what was being made is half made. */
RUNG_INTERN PetscErrorCode RungCatchRaise(const RungCaught *caught);
/* Runs a call and keeps its error instead of showing it: caught->code is 0 if there was none. */
#define RungCatch(caught, call)                                                                                        \
  do {                                                                                                                 \
    PetscErrorCode rung_code_;                                                                                         \
    (caught)->message[0] = 0;                                                                                          \
    PetscCall(PetscPushErrorHandler(RungCatchError, (caught)));                                                        \
    rung_code_ = (call);                                                                                               \
    PetscCall(PetscPopErrorHandler());                                                                                 \
    (caught)->code = rung_code_;                                                                                       \
    PetscCall(RungCatchRaise(caught));                                                                                 \
  } while (0)

/* RungCatchWrite - RungFileWrite(), of which what the disk refuses is kept, the same on all ranks; other errors may be those of one rank
   alone, which would go on while the rest waits for it: they are raised.  Collective. */
RUNG_INTERN PetscErrorCode RungCatchWrite(MPI_Comm comm, const char path[], size_t size, const char bytes[],
                                          RungCaught *caught);

/* ---- names (columns.c) ------------------------------------------------------------------------------------------ */

/* The point of the first "NAME." of a text that stands for itself, of n names; NULL: there is none.  Not collective. */
RUNG_INTERN const char *RungFindPoint(PetscInt n, const char *const names[], const char text[]);
