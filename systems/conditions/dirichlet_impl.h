/* dirichlet_impl.h - boundary conditions, shared by dirichlet.c (data) and dirichlet_start.c (checks at the start). */
#pragma once

#include "form_side_impl.h"

typedef struct {
  char          label[512];
  RungTarget    target;
  RungPointwise value[RUNG_MAX_ORDER + 1];   /* owned, [k]; NULL: zero                                            */
  PetscBool     moves;                       /* depends on t                                                      */
  PetscInt      nodes;                       /* owned nodes of the part                                           */
  PetscInt     *node;                        /* owned, [i] local node                                             */
  PetscReal    *x;                           /* owned, [i][dim]                                                   */
  PetscInt      n;                           /* entries given                                                     */
  PetscInt     *entry;                       /* owned, [n] local entry of the Vec                                 */
  PetscInt     *from;                        /* owned, [n] place in data[k]: node i, component                    */
  PetscScalar  *data[RUNG_MAX_ORDER + 1];    /* owned, [k][i * width + component]                                 */
  PetscReal     t[RUNG_MAX_ORDER + 1];       /* time of data[k]                                                   */
  PetscInt      version[RUNG_MAX_ORDER + 1]; /* constants of data[k]; -1: never evaluated                       */
} RungCondition;

struct _RungDirichlet {
  PetscInt       conditions;
  RungCondition *condition; /* owned                                                 */
  PetscInt       n;         /* Dirichlet entries of this rank                        */
  PetscInt      *entry;     /* owned, [n] local entries, ascending                   */
  PetscBool      any;       /* there is one on some rank                             */
  PetscScalar   *given; /* owned, [local entry] what the first condition gives; NULL but while conditions are checked */
  PetscInt      *owner; /* owned, [local entry] the first condition that gives it, -1: none; NULL without conditions */
};

/* c->data[k] = k-th derivative of the data at t, unless it is there already */
PetscErrorCode RungConditionEvaluate(RungSystem sys, RungCondition *c, PetscReal t, PetscInt k);
