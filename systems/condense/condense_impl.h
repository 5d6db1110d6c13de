/* condense_impl.h - internal variables: what the files condense*.c share.

   Unknowns s on Quad(q) whose equations couple them to themselves only at their own point are condensed.  With u all
   others, F_u(u, s) = 0 and g(u, s) = 0, and at every point

       g(u, s(u)) = 0                                      by Newton's method        condense_local.c, _point.c, _guess.c
       S = K_uu - K_us K_ss^-1 K_su,   K = dF/dw           cell by cell              condense_matrix.c

   Inner entries of a cell are those of condensed unknowns, point after point; outer entries are all others. */
#pragma once

#include "form_side_impl.h"

typedef enum { RUNG_POINT_FIRST, RUNG_POINT_TRIED, RUNG_POINT_DONE, RUNG_POINT_FAILED } RungPointState;

/* The search of one point (condense_point.c). */
typedef struct {
  RungPointState state;
  PetscReal      merit;    /* the least so far, at c->from                                 */
  PetscReal      alpha;    /* of the step that is tried from there                         */
  int            patience; /* full steps since, without a smaller merit                    */
  int            tries;    /* evaluations since the guess                                  */
  PetscBool      followed; /* its outer unknowns come in steps (condense_guess.c)          */
} RungPointSearch;

struct _RungCondense {
  PetscBool  local[RUNG_MAX_UNKNOWNS]; /* condensed unknowns                                                      */
  PetscBool *couple;                   /* owned, [f * unknowns + g] of S, none for condensed unknowns             */
  PetscBool *fixed;                    /* owned, [local dof] boundary data and condensed entries                  */
  PetscInt   entries;                  /* condensed, on all ranks                                                 */
  PetscInt   cells, dofs;              /* of this rank; of a cell, all unknowns                                   */
  PetscInt   points;                   /* of a cell: those of all rules                                           */
  PetscInt   inner, outer;             /* entries of a cell                                                       */
  PetscInt   width;                    /* most entries of a point                                                 */
  PetscInt   blocks;                   /* entries of the blocks K_ss of all points of a cell                      */
  PetscInt  *start;                    /* owned, [points + 1] into inner_dof                                      */
  PetscInt  *block;                    /* owned, [points] of its K_ss in the blocks of a cell                     */
  PetscInt  *inner_dof, *outer_dof;    /* owned, [inner], [outer] entry of the cell                               */
  PetscInt  *inner_of, *point_of;      /* owned, [dofs] inner entry and its point; -1 for outer ones              */
  /* equations of condensed unknowns alone; NULL where nothing is left */
  RungForm rest, m; /* owned */
  /* work of condense_local.c, owned */
  Vec              g, size;                      /* local equations; sum over k of |u^(k)|/|slope_k|      */
  Vec              aside[4];                     /* made by the first rescue                              */
  PetscScalar     *ss;                           /* [cell][blocks]                                        */
  PetscReal       *floor, *weight, *step, *from; /* [cell][inner]                                         */
  RungPointSearch *search;                       /* [cell][points]                                        */
  PetscInt         solves, iterations;           /* counted                                               */
  PetscInt         rescues, followed;            /* of the solves: from other guesses, in steps           */
  PetscInt         users;                        /* solvers that eliminate them                           */
};

/* What back substitution with one matrix needs; it hangs on the matrix. */
typedef struct {
  RungCondense c;   /* lent: a matrix does not outlive its system                                        */
  RungSystem   sys; /* lent                                                                              */
  PetscScalar *us;  /* owned, [cell][outer][inner]                                                       */
  PetscScalar *su;  /* owned, [cell][inner][outer], then K_ss^-1 K_su                                    */
  PetscScalar *ss;  /* owned, [cell][blocks], then inverses                                              */
  PetscScalar *rhs; /* owned, [cell][inner] rows of condensed unknowns of a right-hand side              */
} RungCondensed;

/* g(u(w), s) = 0 on a line, as RungTransientSystemSolveCondensed() has it; lent. */
typedef struct {
  RungTransientSystem ts;
  PetscReal           t;
  const RungLine     *line;
  Vec                 load; /* NULL: none */
} RungLocalProblem;

/* What one point sees of the arrays of a solve; [n] each, lent. */
typedef struct {
  PetscInt           n;
  const PetscInt    *entry; /* local dofs             */
  const PetscScalar *g;     /* of this rank, by entry */
  const PetscScalar *size;
  PetscScalar       *w;
  PetscScalar       *K; /* [n * n], void after an iteration */
  PetscReal         *floor, *weight, *step, *from;
  RungPointSearch   *search;
} RungPoint;

typedef struct {
  PetscScalar *copy, *work, *g, *d; /* [width * width], [width], the same */
  PetscInt    *pivot, *entry;       /* [width]                            */
} RungPointWork;

/* ---- condense_point.c ---- */
PetscBool      RungPointIsAtRest(const RungPoint *p); /* solved, or given up */
PetscErrorCode RungPointIterate(const RungPoint *p, const RungPointWork *work);

/* ---- condense_local.c: until all points are at rest; those that are before stay.  Collective. */
PetscErrorCode RungCondenseIterate(const RungLocalProblem *problem, Vec w, PetscInt *failed);
/* ---- condense_guess.c: the points that failed, once more.  Out failed: on all ranks.  Collective. */
PetscErrorCode RungCondenseRescue(const RungLocalProblem *problem, Vec w, PetscInt *failed);

/* ---- condense_matrix.c ---- */
/* a = a^-1, row-major n x n; false where it is singular or not finite.  Work pivot[n], scale[n] */
PetscBool RungCondenseInvert(PetscInt n, PetscScalar a[], PetscInt pivot[], PetscScalar scale[]);
/* y = a x, n x n */
void RungCondenseMultiply(PetscInt n, const PetscScalar a[], const PetscScalar x[], PetscScalar y[]);
