/* solver_presume.c - a symmetric J of unknown sign is taken for definite until a solve shows that it is not.

   Texts and samples leave the sign of facet terms (Nitsche, interior penalties), coefficients of time, a growth beside a mass and most
   of what is not linear open, much of which is definite where it is solved for.  Conjugate gradients see a direction of negative
   curvature, or come to no end in few iterations, and their true residual is looked at: what they solve is solved, whatever J is.  What
   they do not solve is solved anew, from the same guess, as what is not definite; nothing is presumed again, in a run that goes on from a
   checkpoint neither.  Systems of one unknown (of several such matrices are mostly saddles), for solves on lines alone, which can be
   repeated.  In the plane factors of up to LARGE entries take no longer; nonlinear bodies without rates bend further than incomplete
   factors follow, and have levels where factors are dearer (row `body`):

                                                               CPU seconds, presumed   factors
     (1 + sin(t)/2) as conductivity, P1 tetrahedra, 15625, 10 steps             0.55      3.56
     growth u beside dt(u), P1 tetrahedra, 15625, 10 steps                      0.45      1.51
     Nitsche, P1 tetrahedra, 15625; triangles, 22801                      0.23; 0.29     0.70; 0.34
     interior penalty, DG1 triangles, 29400                                     0.58      0.38
     Helmholtz, P1 tetrahedra, 12167; triangles, 25921                    0.49; 0.91     0.58; 0.40
     u^3 - u beside dt(u), P1 tetrahedra, 15625; 50653, 10 steps          0.39; 1.28     1.02; 8.03
     .. Q1; P2; Q2, 15625, 10 steps                                 0.35; 0.58; 0.73     1.01; 1.32; 1.29
     .. P1, 15625, not definite: steps of 1, of 3 (three)                 0.87; 1.88     1.4; 2.3
     neo-Hooke, P1 tetrahedra, 20577, 10 steps; 12 x 1 x 1, once          0.82; 4.16     1.67; 2.93
     .. P2 tetrahedra, 27783, once                                              4.68     1.78 */
#include "solver_impl.h"

#define LARGE 200000

/* In space, or large; bodies that are not linear where rates weigh them. */
static PetscErrorCode pays(RungSystem sys, PetscBool *is)
{
  const RungTraits    *traits = &sys->traits;
  const RungSpaceData *space;
  const RungMeshData  *mesh;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[0], &space));
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  *is = mesh->dim == 3 || (mesh->dim == 2 && sys->global > LARGE) ? PETSC_TRUE : PETSC_FALSE;
  if (!traits->linear && space->components > 1 && traits->order == 0) PetscCall(RungSolverIsBody(sys, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSolverPresume(RungSystem sys)
{
  static const char *const option[] = {"-ksp_type", "-pc_type", "-ksp_max_it", "-ksp_rtol"};
  const RungTraits        *traits   = &sys->traits;
  PetscBool                worth;

  PetscFunctionBegin;
  if (sys->presumption != RUNG_PRESUMED_NOTHING || !sys->form || traits->definite) PetscFunctionReturn(PETSC_SUCCESS);
  if (!traits->symmetric || traits->unknowns > 1 || sys->split || sys->form->bounds || sys->matrix_free ||
      sys->mat_type[0] || RungSolverMixesRates(sys))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(pays(sys, &worth));
  sys->presumption = worth ? RUNG_PRESUMED_DEFINITE : RUNG_PRESUMED_NEVER;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(option); ++i) {
    PetscBool given;

    PetscCall(PetscOptionsHasName(NULL, NULL, option[i], &given));
    if (given) sys->presumption = RUNG_PRESUMED_NEVER; /* who names a solver knows */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool RungSolverIsPresumed(RungSystem sys)
{
  return sys->presumption == RUNG_PRESUMED_DEFINITE && !sys->traits.definite ? PETSC_TRUE : PETSC_FALSE;
}
