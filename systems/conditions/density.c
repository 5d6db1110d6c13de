/* density.c - boundary data of what is conserved: densities q(g(t), x, t) at Dirichlet entries, their rates, and back.

   A stage of a Runge-Kutta method that takes u_b by the rate of g finds d/dt q(u) there to the order of its stages only, and
   the whole equation with it.  By the rate of q, q(u_b,i) = q(g_n) + h sum_j a_ij (q o g)'(t_j), it is exact.  Entries whose
   unknown is not alone in its conserved terms are left as they are. */
#include "form_side_impl.h"

#define MOST   30                           /* iterations for a value        */
#define SOLVED (16 * PETSC_MACHINE_EPSILON) /* of the value: their last step */

PetscErrorCode RungSystemHasDensity(RungSystem sys, PetscBool *has)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(has);
  PetscCall(RungSystemSetUp(sys));
  *has = PETSC_FALSE;
  if (!sys->form || !sys->traits.conserved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungDirichletIsTimeDependent(sys, has));
  for (PetscInt f = 0; f < sys->form->unknowns && *has; ++f) {
    if (sys->form->density[f]) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *has = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y of one entry, from u there and what y holds. */
typedef PetscErrorCode Use(RungPointwise density, PetscReal t, const PetscReal x[], PetscScalar u, PetscScalar *y);

/* y = use(u) at Dirichlet entries of unknowns with a density. */
static PetscErrorCode visit(RungSystem sys, PetscReal t, Vec u, Vec y, Use *use)
{
  RungFormSide       form = sys->form;
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(u, &from));
  PetscCall(VecGetArray(y, &to));
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    const RungSpaceData *space;
    const RungMeshData  *mesh;

    if (!form->density[f]) continue;
    PetscCall(RungSpaceGetData(form->space[f], &space));
    PetscCall(RungMeshGetData(space->mesh, &mesh));
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1]; ++i) {
      if (form->fixed[i])
        PetscCall(use(form->density[f], t, space->x + (i - sys->range[f]) * mesh->dim, from[i], &to[i]));
    }
  }
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(u, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode use_value(RungPointwise density, PetscReal t, const PetscReal x[], PetscScalar u, PetscScalar *y)
{
  PetscScalar q[3];

  PetscFunctionBegin;
  PetscCall(RungDensityEvaluate(density, t, 1, x, &u, q));
  *y = q[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemDensity(RungSystem sys, PetscReal t, Vec u, Vec q)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(u);
  RungNeed(q);
  PetscCall(visit(sys, t, u, q, use_value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y: u' -> q_u u' + q_t */
static PetscErrorCode use_rate(RungPointwise density, PetscReal t, const PetscReal x[], PetscScalar u, PetscScalar *y)
{
  PetscScalar q[3];

  PetscFunctionBegin;
  PetscCall(RungDensityEvaluate(density, t, 1, x, &u, q));
  *y = q[1] * *y + q[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemDensityRate(RungSystem sys, PetscReal t, Vec work, Vec rate)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(work);
  RungNeed(rate);
  PetscCall(RungSystemImposeDirichlet(sys, t, 0, work));
  PetscCall(RungSystemImposeDirichlet(sys, t, 1, rate));
  PetscCall(visit(sys, t, work, rate, use_rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y: the wanted q -> u by Newton's method from u; where it does not come to an end y is the u that was given. */
static PetscErrorCode use_inverse(RungPointwise density, PetscReal t, const PetscReal x[], PetscScalar u,
                                  PetscScalar *y)
{
  const PetscScalar wanted = *y;
  PetscScalar       at     = u, q[3];

  PetscFunctionBegin;
  *y = u;
  for (PetscInt i = 0; i < MOST; ++i) {
    PetscScalar step;

    PetscCall(RungDensityEvaluate(density, t, 1, x, &at, q));
    step = (q[0] - wanted) / q[1];
    if (PetscIsInfOrNanScalar(step)) break;
    at -= step;
    if (PetscAbsScalar(step) > SOLVED * (PetscAbsScalar(at) + PetscAbsScalar(u))) continue;
    *y = at;
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemInvertDensity(RungSystem sys, PetscReal t, Vec q, Vec u)
{
  const PetscScalar *found;
  PetscScalar       *x;

  PetscFunctionBegin;
  RungNeed(sys);
  RungNeed(q);
  RungNeed(u);
  PetscCall(visit(sys, t, u, q, use_inverse));
  PetscCall(VecGetArrayRead(q, &found));
  PetscCall(VecGetArray(u, &x));
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    for (PetscInt i = sys->range[f]; i < sys->range[f + 1] && sys->form->density[f]; ++i) {
      if (sys->form->fixed[i]) x[i] = found[i];
    }
  }
  PetscCall(VecRestoreArray(u, &x));
  PetscCall(VecRestoreArrayRead(q, &found));
  PetscFunctionReturn(PETSC_SUCCESS);
}
