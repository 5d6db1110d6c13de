/* test_form_forces.c - F without the highest rates is F where these are zero, and there is none where it would not pay. */
#include "form_problems.h"
#include "vectors.h"
#include <check.h>
#include <rungsystem_room.h>

#define CELLS 113 /* a line of squares, Q3: 16 dofs of each are more than RUNG_KERNEL_WORTH */

static PetscErrorCode create(PetscInt n, const char text[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("quadrilateral", 2, n, "Q3", sys));
  PetscCall(RungSystemSetConstant(*sys, "k", 2));
  PetscCall(RungSystemAddResidual(*sys, text));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "t^2"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether there are forces, and these against F on a line at w = 0. */
static PetscErrorCode compare(RungSystem sys, PetscBool *done)
{
  RungTransientSystem ts;
  RungTraits          traits;
  RungLine            line = {.base = {NULL}};
  Vec                 base[2], w, r[2];
  PetscReal           norm, distance;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungSystemGetTraits(sys, &traits));
  PetscCall(vecs_create(sys, 2, base));
  PetscCall(vecs_create(sys, 2, r));
  PetscCall(RungSystemCreateVec(sys, &w));
  PetscCall(VecZeroEntries(w));
  for (PetscInt k = 0; k < traits.order; ++k) {
    PetscCall(vec_fill(base[k], 3 + k));
    line.base[k] = base[k];
  }
  line.slope[traits.order] = 1;
  PetscCall(RungTransientSystemForces(ts, 0.3, &line, r[0], done));
  PetscCall(RungTransientSystemResidual(ts, 0.3, &line, NULL, w, r[1]));
  PetscCall(VecNorm(r[1], NORM_INFINITY, &norm));
  PetscCall(vec_distance(r[0], r[1], &distance));
  CHECK(norm > 1e-6);
  if (*done) CHECK_NEAR(distance, 0, 1e-12 * norm);
  PetscCall(VecDestroy(&w));
  PetscCall(vecs_destroy(2, r));
  PetscCall(vecs_destroy(2, base));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_forces_are_the_rest_of_the_residual(void)
{
  static const char *const text[] = {
    "(1 + x[0])*dt(u, 2)*v*dx + k*dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx - sin(t)*v*dx",
    "k*dt(u, 2)*v*dx(rule: nodes) + inner(grad(u), grad(v))*dx + t*v*ds",
    "dt(u)*v*dx + inner(grad(dt(u)), grad(v))*dx + explicit(u^3*v*dx) - if(t < 0.2, 1, 2)*v*dx"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(text); ++i) {
    RungSystem sys;
    PetscBool  done;

    PetscCall(create(CELLS, text[i], &sys));
    PetscCall(compare(sys, &done));
    CHECK(done);
    PetscCall(RungSystemSetConstant(sys, "k", 3)); /* the form has it, too */
    PetscCall(compare(sys, &done));
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

/* Few cells, rates that do not stand as such. */
static PetscErrorCode test_there_are_none_where_they_do_not_pay(void)
{
  static const struct {
    PetscInt    n;
    const char *text;
  } row[] = {{5, "dt(u, 2)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx"},
             {CELLS, "dt(u^2, 2)*v*dx + inner(grad(u), grad(v))*dx"}};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungSystem sys;
    PetscBool  done;

    PetscCall(create(row[i].n, row[i].text, &sys));
    PetscCall(compare(sys, &done));
    CHECK(!done);
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

/* Short rows: a product with K is cheaper than the cells. */
static PetscErrorCode test_products_with_blocks_are_taken_where_they_are_cheaper(void)
{
  RungSystem sys;
  PetscBool  done;
  Mat        J;

  PetscCall(system_create("tetrahedron", 3, 4, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u, 2)*v*dx + 2*dt(u)*v*dx + inner(grad(u), grad(v))*dx - x[0]*v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(compare(sys, &done));
  CHECK(done);
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemDestroy(&sys));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_forces_are_the_rest_of_the_residual),
               RUNG_TEST(test_there_are_none_where_they_do_not_pay),
               RUNG_TEST(test_products_with_blocks_are_taken_where_they_are_cheaper))
