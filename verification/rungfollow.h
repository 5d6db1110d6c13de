/* rungfollow.h - a system without rates on a way of solutions, along which a number goes from one value to another and no time passes: a
   load that grows, step by step.  Solves are those of a stage: -snes_.., -ksp_.., -pc_.. are theirs.  Included besides rung.h, which has RungSystemSolve() for the end of such a way alone. */
#pragma once

#include <rungsystem.h>

/* What goes, and who is asked and told on the way. */
typedef struct {
  const char *name;     /* of the number, for messages; NULL: there is none, and one solution                       */
  PetscReal   t;        /* where time stands still                                                                   */
  PetscReal   from, to; /* the first value and the last one                                                         */
  PetscReal   step; /* > 0: the longest; halved where the equations cannot be solved, twice as long after a solution */
  /* Puts a value into the system, as its constants; not called without a number.  Collective. */
  PetscErrorCode (*set)(PetscReal value, void *ctx);
  /* There is a solution, the first one at `from`, or at the value of a checkpoint; NULL: nobody asks.  Collective. */
  PetscErrorCode (*found)(PetscReal value, const RungState *state, void *ctx);
  void       *ctx;
  const char *save; /* a checkpoint at each solution; NULL, "": none; -stepper_checkpoint replaces it */
  const char *load; /* a checkpoint to go on from; NULL, "": none; -stepper_restart replaces it       */
} RungFollowPlan;

/* RungSystemFollow - walks the way; guesses continue the line through the last two solutions.  A signal ends it behind the solution in
   hand.  Collective.
   In      sys   without time derivatives; begins with its initial values, and keeps its bounds
   Out     u     the last solution; NULL: not wanted
   Errors  PETSC_ERR_NOT_CONVERGED   no solution, or loads that nothing balances, where the way begins, or behind some value, at steps of a millionth of the way
           PETSC_ERR_ARG_OUTOFRANGE  a step that is not positive, more than a million steps
           PETSC_ERR_ARG_WRONG       a system with rates */
RUNG_EXTERN PetscErrorCode RungSystemFollow(RungSystem sys, const RungFollowPlan *plan, Vec u);
