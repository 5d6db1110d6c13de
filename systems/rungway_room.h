/* rungway_room.h - solutions along which a number goes from one value to another.  Not installed, not exported. */
#pragma once

#include <rungsystem_room.h>

typedef enum {
  RUNG_WAY_NONE,  /* no solution was found                              */
  RUNG_WAY_FOUND, /* there is one, and the next step is as long         */
  RUNG_WAY_EASY,  /* there is one, and the next step is twice as long   */
  RUNG_WAY_ENDED  /* nothing was looked for: the way ends where it is   */
} RungWayOutcome;

typedef struct {
  PetscReal value,
    to; /* where a solution is known: it moves; where it is to come to                                   */
  PetscReal step,
    most;         /* > 0: the next step, and the longest                                                           */
  PetscReal all;  /* > 0: the whole way, of which steps below a millionth are given up                             */
  PetscBool lost; /* given up: no solution was found behind `value`                                                */
  /* Looks for the solution at `value` from u + ratio (u - the one before u), and takes it for u.  Collective. */
  PetscErrorCode (*find)(void *ctx, PetscReal value, PetscReal ratio, RungWayOutcome *outcome);
  void *ctx;
} RungWay;

/* RungWayGo - from way->value to way->to by way->find().  Collective.  Errors  those of find() */
RUNG_INTERN PetscErrorCode RungWayGo(RungWay *way);
