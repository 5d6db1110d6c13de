/* nullspace_impl.h - what the files of null spaces share: candidates, and derivatives of F by differences. */
#pragma once

#include "form_side_impl.h"

#define RUNG_CANDIDATES (6 * RUNG_MAX_UNKNOWNS)
#define RUNG_PARTS      (RUNG_MAX_ORDER + 1)
#define RUNG_NULL_STEP(sys)                                                                                            \
  ((sys)->traits.linear ? 1 : 1e-4) /* the least of differences: others than linear forms are differentiated at 0 */

typedef struct {
  RungSystem sys;
  Vec        u[RUNG_MAX_ORDER + 1], r, other, part; /* owned; u up to the order; part: of forms with an implicit one */
  PetscBool  at_zero;                               /* other is F(0), of linear forms */
  Vec        base;  /* owned: every u^(k) of the state that F is differentiated at; 0 at first, NULL of linear forms */
  Vec        rough; /* owned work */
  PetscReal  scale[RUNG_PARTS][RUNG_MAX_UNKNOWNS]; /* [k][equation] |dF/du^(k) r| for a rough r: what is large there */
  PetscReal  step[RUNG_PARTS];                     /* of differences by u^(k)                                       */
  PetscInt   unknown, scaled;                      /* of r; the first k without scale                               */
  PetscReal  tolerance;
  PetscBool  vanishes; /* F(0) = 0                                                                          */
  PetscBool  values[RUNG_PARTS *
                   RUNG_MAX_UNKNOWNS]; /* [k * unknowns + f] F reads values of u_f^(k), not only derivatives in space */
} RungNullTest;

/* nullspace.c: collective */
PetscErrorCode RungNullCount(RungSystem sys, PetscInt f, PetscInt *n);      /* candidates of unknown f             */
PetscErrorCode RungNullFill(RungSystem sys, PetscInt f, PetscInt i, Vec c); /* the i-th of them                    */
PetscErrorCode RungNullRough(RungNullTest *test, PetscInt f, Vec rough);    /* something rough of unknown f        */
PetscErrorCode RungNullDerivative(RungNullTest *test, PetscInt k, Vec c);   /* test->r = dF/du^(k) c               */
/* nullspace_step.c: largest entries of dF/du^(k) r for something rough of unknown f, and the step that shows them */
PetscErrorCode RungNullMeasure(RungNullTest *test, PetscInt f, PetscInt k, PetscReal most[]);
PetscErrorCode RungNullIs(RungNullTest *test, Vec c, PetscBool *null);   /* c loses what data and constraints set */
PetscErrorCode RungNullLargest(RungSystem sys, Vec v, PetscReal most[]); /* of each unknown; Inf: not finite     */
PetscErrorCode RungNullKeep(Vec c, PetscInt *n, Vec list[]);             /* orthonormal, if it is a new one     */

/* nullspace_joint.c: null vectors of several candidates together are appended to list. */
PetscErrorCode RungNullJoint(RungNullTest *test, PetscInt *n, Vec list[]);
