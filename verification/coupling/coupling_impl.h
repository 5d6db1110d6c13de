/* coupling_impl.h - what the files of coupled systems share. */
#pragma once

#include <rungcoupling_room.h>
#include <rungforms_room.h>
#include <rungmethod.h>
#include <rungstep_room.h>
#include <math.h>
#include <string.h>

typedef struct _RungMember *RungMember;

/* What a system has seen of a run; [unknown], [2 unknown + k] of u^(k). */
typedef struct {
  PetscReal whole[RUNG_MAX_UNKNOWNS]; /* the largest Euclidean norm at the end of a sweep           */
  PetscReal
    largest[2 * RUNG_MAX_UNKNOWNS + RUNG_MAX_PARTS]; /* |u_f^(k)| of its adaptive steps, and of its components */
  PetscReal rounding[2 * RUNG_MAX_UNKNOWNS];         /* what rounding leaves in them                                */
} RungMemberSizes;

/* A system, and where it has come to. */
struct _RungMember {
  RungCoupling coupling; /* lent                                        */
  char        *name;     /* owned                                       */
  RungStepper  stepper;  /* lent                                        */
  RungSystem   sys;      /* reference                                   */
  /* columns (columns.c) */
  PetscInt           first;      /* of all columns                              */
  PetscInt           quantities; /* of the system, then its numbers             */
  const PetscBool   *rate;       /* [quantities] lent by the system             */
  const char *const *quantity;   /* [quantities] lent by the system             */
  PetscInt           numbers;
  char             **number_name; /* owned, [numbers]                            */
  RungGauge         *number;      /* owned, [numbers]                            */
  RungRows           rows;        /* owned                                       */
  /* of a run (member.c) */
  PetscReal       t;
  PetscInt        order, method_order;       /* in time; of convergence                               */
  PetscReal       dt;                        /* of its steps                                          */
  Vec             u[RUNG_MAX_ORDER + 1];     /* owned: the newest state                               */
  Vec             begin[RUNG_MAX_ORDER + 1]; /* owned: at the start of the window in hand             */
  Vec             last;                      /* owned: the end of the window as the sweep before found it */
  Vec             seen;                      /* owned: values at the end of the window as the equations saw them */
  RungMemberSizes sizes;                     /* largest and rounding: filled when they are saved      */
  PetscReal
    moved[RUNG_MAX_UNKNOWNS]; /* change of each unknown in the last sweep, over its size; infinite before the second */
  PetscBool  advanced;        /* u is of the end of the window, in iterations          */
  PetscInt   age, was;        /* the latest one has the newest values; when the window began */
  PetscReal *sum, *sum_begin; /* owned, [quantities] of rates; when the window began   */
  PetscInt   steps, newton;
  PetscBool  saved_wrongly; /* its matrix was taken for definite wrongly, at its last checkpoint */
  PetscInt   saved_work[3]; /* steps, Newton iterations, solves of all systems at its last checkpoint */
  /* store.c */
  Vec             saved[RUNG_MAX_ORDER + 1]; /* owned: the state of its last checkpoint; NULL: none yet */
  PetscReal      *saved_sum;                 /* owned, [quantities]                                   */
  RungMemberSizes saved_sizes;               /* the same of the sizes                                 */
  Vec             whole[RUNG_MAX_ORDER + 1]; /* owned: the state at the end of the last whole window; NULL: none */
  PetscReal      *whole_sum;                 /* owned, [quantities]                                   */
};

/* A number made of columns of all systems. */
typedef struct {
  char         *name;   /* owned; of an event NULL         */
  RungPointwise value;  /* owned                           */
  PetscInt      used;   /* columns that the text names     */
  PetscInt     *column; /* owned, [used]                   */
} RungJointNumber;

/* Where the number g of an event is. */
typedef struct {
  int       side;        /* sign of g at the start of a window; 0: it sleeps    */
  PetscReal rest, scale; /* while |g| is not above this; the largest |g| so far */
} RungEventSide;

/* An event of all systems. */
typedef struct {
  char           *name;
  RungEvent       said;   /* its text is owned                                           */
  RungMember      member; /* whose quantities the text names; NULL: columns of all       */
  RungGauge       gauge;  /* owned: of a member                                          */
  RungJointNumber value;  /* owned: of all                                               */
  /* of a run */
  RungEventSide now;
  RungEventSide saved, whole; /* of the states of store.c                                */
  PetscBool     loaded;       /* now is that of a checkpoint                              */
  PetscReal     g, next;      /* at the start of the window and at its end                */
  PetscBool     due;          /* it happens                                                  */
  PetscInt      count, room;
  PetscReal    *t; /* owned [count]                                                         */
} RungHappening;

/* What an event makes of an unknown or a constant of a system. */
typedef struct {
  PetscInt   event;
  RungMember member;
  char      *target; /* owned */
  RungChange change; /* owned */
  PetscInt   alike;  /* systems whose constant of this name began as that of all did, this one among them; else 0 */
} RungConsequence;

typedef struct {
  RungCouplingMonitorFn *fn;
  void                  *ctx;
} RungCouplingMonitor;

struct _p_RungCoupling {
  MPI_Comm           comm; /* owned, PetscCommDuplicate        */
  RungCouplingScheme scheme;
  PetscReal          window, tolerance; /* as said; window NAN: not yet      */
  PetscInt           most;
  PetscBool          toleranced; /* a tolerance was said              */
  PetscInt           members;
  RungMember        *member; /* owned */
  PetscBool          ready, solved;
  /* columns */
  RungScope        scope; /* owned: constants, and columns by SYSTEM_NAME when they are closed     */
  PetscBool        closed;
  PetscInt         columns, column_room;
  char           **column; /* owned, [columns] SYSTEM.NAME, then the numbers                        */
  PetscInt         numbers;
  RungJointNumber *number; /* owned */
  RungRows         rows;   /* owned: of all */
  /* events */
  PetscInt         happenings, consequences;
  RungHappening   *happening;                       /* owned */
  RungConsequence *consequence;                     /* owned */
  PetscReal       *saved_constant, *whole_constant; /* owned, [consequences] of the states saved, whole */
  /* a run */
  PetscInt             monitors;
  RungCouplingMonitor *monitor; /* owned */
  PetscReal            t0, t1, length;
  PetscInt             windows, done; /* all, those that are whole                                     */
  PetscInt             solves;        /* of a system over a window                                     */
  PetscInt             clock;         /* solves and jumps, see RungMember.age                          */
  PetscBool            signalled, stopped;
  PetscReal           *value; /* owned, [columns] of the newest state                                  */
  char                 save[PETSC_MAX_PATH_LEN], load[PETSC_MAX_PATH_LEN]; /* "": none                 */
  PetscInt             every;
  PetscInt             saved;   /* the window of the last checkpoint, -1: none                           */
  PetscBool            tried;   /* there was a checkpoint in this run                                   */
  RungMissing          missing; /* files of the last one that the disk has refused                      */
  RungKeeper           keeper;  /* of the room above; empty: nothing is kept                            */
};

/* couple.c: a system by its name; where NULL is allowed it stands for all. */
PetscErrorCode RungMemberFind(RungCoupling coupling, const char name[], RungMember *member);
PetscErrorCode RungCouplingCheckNew(RungCoupling coupling, const char what[]); /* it is not set up yet */

/* member.c */
PetscErrorCode RungMemberCreateState(RungMember member, PetscReal t0);
PetscErrorCode RungMemberDestroyState(RungMember member);
PetscErrorCode RungMemberCopy(RungMember member, const Vec from[], const Vec to[]);
/* The entries of an unknown in vectors of a system: first, and how many; 0: it has no such unknown. */
PetscErrorCode RungMemberFindRange(RungSystem sys, const char name[], PetscInt *first, PetscInt *n);
PetscErrorCode RungMemberTakeShared(RungMember member); /* the newest values of what others have, too */
/* Coefficients from others: for the way from a to b; as these are now. */
PetscErrorCode RungMemberCouple(RungMember member, PetscReal a, PetscReal b);
/* The i-th coupling of a system, and the member and unknown that it is of; name NULL behind the last; unknown may be NULL. */
PetscErrorCode RungMemberGetCoupling(RungMember member, PetscInt i, const char **name, RungMember *other,
                                     PetscInt *unknown);
PetscErrorCode RungMemberSee(RungMember member);
PetscErrorCode RungMemberAdvance(RungMember member, PetscReal a, PetscReal b); /* its steps; errors name it */
PetscErrorCode RungMemberKeepSums(RungMember member);                          /* its way is final            */

/* windows.c: all systems from a to b; back to a; rates and algebraic unknowns that fit the values, fresh: from initial
   values first. */
PetscErrorCode RungWindowGo(RungCoupling coupling, PetscReal a, PetscReal b);
PetscErrorCode RungWindowRewind(RungCoupling coupling);
PetscErrorCode RungWindowSettle(RungCoupling coupling, PetscReal t, PetscBool fresh);

/* columns.c: names, when the first thing of all systems is said; values of all columns at the newest states, into
   coupling->value. */
PetscErrorCode RungColumnsClose(RungCoupling coupling);
PetscErrorCode RungColumnsEvaluate(RungCoupling coupling, PetscReal t);
PetscErrorCode RungColumnsDestroy(RungCoupling coupling);
PetscErrorCode RungJointRead(RungCoupling coupling, const char label[], const char text[], RungJointNumber *number);
PetscErrorCode RungJointEvaluate(RungCoupling coupling, const RungJointNumber *number, PetscReal t, PetscReal *value);
PetscErrorCode RungJointDestroy(RungJointNumber *number);

/* events.c */
PetscErrorCode RungHappeningsDestroy(RungCoupling coupling);
/* From the state of t, columns evaluated; anew: none has happened yet. */
PetscErrorCode RungHappeningsStart(RungCoupling coupling, PetscReal t, PetscBool anew);
/* The window from a to b, or to the first event in it; columns are evaluated at its end. */
PetscErrorCode RungHappeningsAdvance(RungCoupling coupling, PetscReal a, PetscReal b, PetscReal *reached);
/* What is due: changed, the state is another one and so are the columns. */
PetscErrorCode RungHappeningsHappen(RungCoupling coupling, PetscReal t, PetscBool *changed);
/* Constants of all are those of the systems with which events change them. */
PetscErrorCode RungConsequencesFollow(RungCoupling coupling);

/* store.c */
PetscErrorCode RungStoreSave(RungCoupling coupling, PetscBool last); /* where one is due */
PetscErrorCode RungStoreLoad(RungCoupling coupling);
PetscErrorCode RungStoreKeep(RungCoupling coupling); /* the state at the end of a whole window, events behind it done */
PetscErrorCode RungStoreReturn(RungCoupling coupling); /* to that one */
PetscErrorCode RungStoreDestroy(RungMember member);

/* run.c */
PetscErrorCode RungCouplingTellEvents(RungCoupling coupling, PetscReal t,
                                      PetscBool any); /* rows of what is due and counted; not any: heads alone */
