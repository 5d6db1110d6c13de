/* callback_impl.h - what systems of C functions hold: shared by system_callback.c and system_difference.c. */
#pragma once

#include "system_impl.h"
#include <rungcallback_room.h>
#include <stdint.h>

#define RUNG_DENSE_LIMIT 1000 /* rows of a matrix that is kept and differenced as a full one */

struct _RungCallbackSide {
  PetscMPIInt              size;
  RungResidualFn          *residual;
  RungJacobianFn          *jacobian;
  RungConservedFn         *conserved;
  RungConservedJacobianFn *conserved_jacobian;
  RungResidualFn          *explicit_part;     /* F = R + this; NULL: nothing                      */
  RungJacobianFn          *explicit_jacobian; /* NULL: differences                                */
  RungTraits               implicit;          /* of F without it                                  */
  Vec                      part;              /* owned with explicit_part: its value              */
  RungInitialFn           *initial;
  RungMatFn               *mat;
  void                    *ctx;                       /* lent                                              */
  Vec                      point[RUNG_MAX_ORDER + 1]; /* owned, [order + 1]: where differences are taken   */
  Vec                      value, shifted;            /* owned: function values of differences, dm/du u'   */
  Vec                      product;                   /* owned: dm/du u' inside differences                */
  Mat                      C;                         /* owned: dm/du; NULL without conserved terms        */
  PetscReal               *step;                      /* owned, [global] or NULL: steps of all columns     */
  Mat                      colored;                   /* owned or NULL: its places are those of coloring   */
  MatFDColoring            coloring;                  /* owned or NULL                                     */
  Mat                      A;                         /* owned: J of products; NULL before the first one   */
  Vec                      scale;                     /* owned with coloring: steps of this rank's columns */
  PetscBool                writes; /* on this rank a function has asked for a state as if to write there */
};

/* callback_lent.c: around a call of a function that is lent u[n]; End is an error on this rank alone if it has changed one. */
typedef struct {
  PetscInt         n;
  const Vec       *u;
  PetscObjectState writes;
  uint64_t         number; /* of the entries, once somebody has asked to write */
} RungLent;
PetscErrorCode RungLentBegin(RungSystem sys, PetscInt n, const Vec u[], RungLent *lent);
PetscErrorCode RungLentEnd(RungSystem sys, const RungLent *lent);

/* J += sum_k sigma_k d(function)/du^(k) by differences; leaves J assembled or with values to assemble. */
typedef PetscErrorCode RungDifferencedFn(RungSystem sys, PetscReal t, const Vec u[], Vec r);
PetscErrorCode RungCallbackAddDifferences(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                          const PetscReal sigma[], Mat J);
/* step[j] of the local entries, for a one-sided difference each. */
PetscErrorCode RungCallbackFindSteps(RungSystem sys, const Vec u[], const PetscReal sigma[], PetscReal step[]);
/* callback_along.c: y += sum_k sigma_k d(function)/du^(k) x, and r = d(function)/dt, by central differences. */
PetscErrorCode RungCallbackAddAlong(RungSystem sys, RungDifferencedFn *function, PetscReal t, const Vec u[],
                                    const PetscReal sigma[], Vec x, Vec y);
PetscErrorCode RungCallbackTimeDerivative(RungSystem sys, RungDifferencedFn *function, PetscReal t, PetscReal within,
                                          const Vec u[], Vec r);
PetscErrorCode RungCallbackCreateMat(RungSystem sys, Mat *J);
PetscErrorCode RungCallbackDestroyDifferences(RungCallbackSide cb);
