/* condense_guess.c - points that were not solved from the guess in w.

   They begin anew from other values, one after the other:

       u'(w) = 0            what the material does if nothing flows, the elastic predictor; at the end of an Euler step s_n
       u(w) = u_n           the accepted level

   and what is then left follows its outer unknowns from the accepted level in steps,

       g(u_n + theta (u - u_n), s(theta)) = 0,   theta = 0 .. 1,   s(0) = s_n,

   each solved from the s of the one before, and halved where that fails.  These are equations of the same stage with other
   outer values, not shorter steps in time: at theta = 1 the point has the solution it was asked for. */
#include "condense_impl.h"

#define FIRST_STRIDE 0.25
#define LEAST_STRIDE (1.0 / 512)

enum { GOAL, LEVEL, GUESS, REACHED }; /* of aside[] */

/* w such that u^(k)(w) = value, NULL: zero.  Unknowns whose u^(k) does not change with w keep theirs. */
static PetscErrorCode invert_line(const RungLocalProblem *problem, PetscInt k, Vec value, Vec w)
{
  const RungSystem   sys  = problem->ts->sys;
  Vec                base = problem->line->base[k];
  const PetscScalar *from = NULL, *shift = NULL;
  PetscScalar       *to;

  PetscFunctionBegin;
  if (value) PetscCall(VecGetArrayRead(value, &from));
  if (base) PetscCall(VecGetArrayRead(base, &shift));
  PetscCall(VecGetArray(w, &to));
  for (PetscInt f = 0; f < sys->traits.unknowns; ++f) {
    const PetscReal slope = problem->line->slope[k * sys->traits.unknowns + f];

    for (PetscInt i = sys->range[f]; slope != 0 && i < sys->range[f + 1]; ++i)
      to[i] = ((from ? from[i] : 0) - (shift ? shift[i] : 0)) / slope;
  }
  PetscCall(VecRestoreArray(w, &to));
  if (base) PetscCall(VecRestoreArrayRead(base, &shift));
  if (value) PetscCall(VecRestoreArrayRead(value, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum { SELECT_FAILED, SELECT_FOLLOWED, SELECT_OUTER } Selection;

/* to = from at the internal variables of the selected points, or at all entries that are no internal variables. */
static PetscErrorCode take(RungSystem sys, Selection selection, Vec from, Vec to)
{
  const RungCondense c = sys->form->condense;
  const PetscScalar *x;
  PetscScalar       *y;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(from, &x));
  PetscCall(VecGetArray(to, &y));
  for (PetscInt f = 0; selection == SELECT_OUTER && f < sys->traits.unknowns; ++f) {
    if (!c->local[f]) PetscCall(PetscArraycpy(y + sys->range[f], x + sys->range[f], sys->range[f + 1] - sys->range[f]));
  }
  for (PetscInt k = 0; selection != SELECT_OUTER && k < c->cells * c->points; ++k) {
    const PetscInt *dof = sys->form->data->cell_dof + k / c->points * c->dofs, i = k % c->points;

    if (!(selection == SELECT_FAILED ? c->search[k].state == RUNG_POINT_FAILED : c->search[k].followed)) continue;
    for (PetscInt a = c->start[i]; a < c->start[i + 1]; ++a) y[dof[c->inner_dof[a]]] = x[dof[c->inner_dof[a]]];
  }
  PetscCall(VecRestoreArray(to, &y));
  PetscCall(VecRestoreArrayRead(from, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The selected points are at the beginning of a search. */
static void restart(RungCondense c, Selection selection)
{
  for (PetscInt k = 0; k < c->cells * c->points; ++k) {
    RungPointSearch *search = &c->search[k];

    if (selection == SELECT_FAILED ? search->state == RUNG_POINT_FAILED : search->followed)
      *search = (RungPointSearch){.state = RUNG_POINT_FIRST, .followed = search->followed};
  }
}

static PetscErrorCode begin_at(const RungLocalProblem *problem, Vec guess, Vec w, PetscInt *failed)
{
  const RungSystem sys = problem->ts->sys;

  PetscFunctionBegin;
  PetscCall(take(sys, SELECT_FAILED, guess, w));
  restart(sys->form->condense, SELECT_FAILED);
  PetscCall(RungCondenseIterate(problem, w, failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Outer unknowns of w at theta; at 1 bit for bit those of the goal. */
static PetscErrorCode set_outer(RungSystem sys, PetscReal theta, Vec w)
{
  const Vec *aside = sys->form->condense->aside;

  PetscFunctionBegin;
  PetscCall(VecCopy(aside[GOAL], aside[GUESS]));
  if (theta < 1) PetscCall(VecAXPBY(aside[GUESS], 1 - theta, theta, aside[LEVEL]));
  PetscCall(take(sys, SELECT_OUTER, aside[GUESS], w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode follow(const RungLocalProblem *problem, Vec w, PetscInt *failed)
{
  const RungSystem   sys   = problem->ts->sys;
  const RungCondense c     = sys->form->condense;
  PetscReal          theta = 0, stride = FIRST_STRIDE;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < c->cells * c->points; ++k)
    c->search[k].followed = c->search[k].state == RUNG_POINT_FAILED ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(VecCopy(c->aside[LEVEL], c->aside[REACHED]));
  while (theta < 1 && stride >= LEAST_STRIDE) {
    const PetscReal next = PetscMin(1, theta + stride);

    PetscCall(set_outer(sys, next, w));
    PetscCall(take(sys, SELECT_FOLLOWED, c->aside[REACHED], w));
    restart(c, SELECT_FOLLOWED);
    PetscCall(RungCondenseIterate(problem, w, failed));
    stride = *failed ? stride / 2 : stride * 2;
    if (*failed) continue;
    theta = next;
    PetscCall(take(sys, SELECT_FOLLOWED, w, c->aside[REACHED]));
  }
  PetscCall(take(sys, SELECT_OUTER, c->aside[GOAL], w));
  ++c->followed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCondenseRescue(const RungLocalProblem *problem, Vec w, PetscInt *failed)
{
  const RungTransientSystem ts = problem->ts;
  const RungCondense        c  = ts->sys->form->condense;
  const RungState          *state;
  PetscInt                  levels;

  PetscFunctionBegin;
  ++c->rescues;
  for (int i = 0; i < 4; ++i) {
    if (!c->aside[i]) PetscCall(VecDuplicate(c->g, &c->aside[i]));
  }
  PetscCall(VecCopy(w, c->aside[GOAL]));
  if (ts->order > 0) {
    PetscCall(VecCopy(w, c->aside[GUESS]));
    PetscCall(invert_line(problem, 1, NULL, c->aside[GUESS]));
    PetscCall(begin_at(problem, c->aside[GUESS], w, failed));
  }
  PetscCall(RungTransientSystemGetLevels(ts, &levels));
  if (!*failed || !levels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(VecCopy(w, c->aside[LEVEL]));
  PetscCall(invert_line(problem, 0, state->u[0], c->aside[LEVEL]));
  PetscCall(begin_at(problem, c->aside[LEVEL], w, failed));
  if (*failed) PetscCall(follow(problem, w, failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
