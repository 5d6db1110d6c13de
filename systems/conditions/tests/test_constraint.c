/* test_constraint.c - constraints in vectors and matrices, on any number of ranks; what cannot be is refused by name. */
#include "check.h"
#include "form_problems.h"
#include "ring.h"
#include "vectors.h"

/* (F(u + h d) - F(u - h d))/2h with slaves that follow, against J d without them. */
static PetscErrorCode check_derivative(RungSystem sys, PetscReal tolerance)
{
  const PetscReal h = 1e-5, slope[] = {1, 2};
  PetscReal       sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
  RungTraits      traits;
  Vec             u[2], d, plus, minus, mask;
  Mat             J;
  PetscReal       distance;

  PetscFunctionBegin;
  PetscCall(vecs_create(sys, 2, u));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemImposeDirichlet(sys, 0.3, k, u[k]));
  PetscCall(RungSystemGetTraits(sys, &traits));
  for (PetscInt i = 0; i < 2 * traits.unknowns; ++i) sigma[i] = slope[i / traits.unknowns];
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0.3, u, sigma, J));
  PetscCall(RungSystemGetErrorMask(sys, &mask));
  PetscCall(RungSystemCreateVec(sys, &d));
  PetscCall(VecDuplicate(d, &plus));
  PetscCall(VecDuplicate(d, &minus));
  PetscCall(vec_fill(d, 7));
  PetscCall(VecPointwiseMult(d, d, mask));
  PetscCall(RungSystemExtend(sys, d));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecAXPY(u[k], h * slope[k], d));
  PetscCall(RungSystemResidual(sys, 0.3, u, plus));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecAXPY(u[k], -2 * h * slope[k], d));
  PetscCall(RungSystemResidual(sys, 0.3, u, minus));
  PetscCall(VecAXPBY(plus, -1 / (2 * h), 1 / (2 * h), minus));
  PetscCall(VecPointwiseMult(d, d, mask));
  PetscCall(MatMult(J, d, minus));
  PetscCall(vec_distance(plus, minus, &distance));
  CHECK_NEAR(distance, 0, tolerance);
  PetscCall(VecNorm(minus, NORM_INFINITY, &distance));
  CHECK(distance > 1e-3);
  PetscCall(VecDestroy(&plus));
  PetscCall(VecDestroy(&minus));
  PetscCall(VecDestroy(&d));
  PetscCall(vecs_destroy(2, u));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode given_rows(RungSystem sys, PetscInt *n)
{
  IS  rows;
  Vec values;

  PetscFunctionBegin;
  PetscCall(RungSystemGetDirichlet(sys, 0, 0, &rows, &values));
  PetscCall(ISGetSize(rows, n));
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_box_that_is_periodic_in_all_directions_is_a_torus(void)
{
  RungSystem sys;
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 3, "Q1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + (1 + u^2)*inner(grad(u), grad(v))*dx + u*v*ds(left)"));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL));
  PetscCall(RungSystemAddPeriodic(sys, "u", "bottom", "top", "x + unit(1)", NULL));
  PetscCall(RungSystemAddPeriodic(sys, "u", "front", "back", NULL, NULL));
  PetscCall(given_rows(sys, &n));
  CHECK(n == 64 - 27);
  PetscCall(check_derivative(sys, 1e-7));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A jump that moves: levels and rates differ by it and its rate. */
static PetscErrorCode test_a_jump_and_its_rate_are_exact(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           value[2], t = 0.3;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 4, "P2", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, "sin(3*t)*(1 + x[1])"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "bottom", "sin(3*t)*(1 - x[0])"));
  PetscCall(RungSystemSetInitial(sys, "u", "sin(3*t)*(1 - x[0])*(1 + x[1])"));
  PetscCall(RungSystemAddQuantity(sys, "gap", "u*ds(left) - u*ds(right)"));
  PetscCall(RungSystemAddQuantity(sys, "rate", "dt(u)*ds(left) - dt(u)*ds(right)"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, t));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemEvaluateQuantities(sys, t, state->u, value));
  CHECK_NEAR(value[0], 1.5 * sin(3 * t), 1e-13);
  CHECK_NEAR(value[1], 4.5 * cos(3 * t), 1e-12);
  PetscCall(check_derivative(sys, 1e-7));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A node of a box that closes upon itself is at both ends, whichever cell its coordinates are of. */
static PetscErrorCode test_points_of_periodic_boxes_are_at_both_ends(void)
{
  PetscFunctionBegin;
  for (int end = 0; end < 2; ++end) {
    RungMesh            mesh;
    RungSpace           V;
    RungSystem          sys;
    RungTransientSystem ts;
    const RungState    *state;
    PetscReal           value[2];

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){4, 4}, NULL));
    PetscCall(RungMeshSetPeriodic(mesh, (PetscBool[]){PETSC_TRUE, PETSC_FALSE, PETSC_FALSE}));
    PetscCall(RungSpaceCreate(mesh, "Q2", &V));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
    PetscCall(
      RungSystemAddConstraint(sys, 1, (const char *[]){"u"}, (PetscReal[]){end, 0.375, 0}, (PetscReal[]){1}, "2"));
    PetscCall(RungSystemAddProbe(sys, "left", "u", (PetscReal[]){0, 0.375}));
    PetscCall(RungSystemAddProbe(sys, "right", "u", (PetscReal[]){1, 0.375}));
    PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
    PetscCall(RungTransientSystemStart(ts, 0));
    PetscCall(RungTransientSystemGetState(ts, 0, &state));
    PetscCall(RungSystemEvaluateQuantities(sys, 0, state->u, value));
    CHECK_NEAR(value[0], 2, 1e-13);
    CHECK_NEAR(value[1], 2, 1e-13);
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rotation is tangential to both arcs, and to no straight end; nodes of arcs have normals along the radius. */
static PetscErrorCode test_a_rotation_slips_along_curved_walls(void)
{
  RungSpace  space;
  RungSystem sys;
  Vec        u, w;
  PetscReal  distance;
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(ring_space("ring_of_constraint.msh", 4, "Q1^d", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(
    RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(dot(grad(u), u), v)*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "vector(-x[1], x[0])"));
  PetscCall(RungSystemSetSlip(sys, "u", "inner", NULL));
  PetscCall(RungSystemSetSlip(sys, "u", "outer", "0"));
  PetscCall(given_rows(sys, &n));
  CHECK(n == 10);
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(RungSystemInitial(sys, 0, 0, u));
  PetscCall(VecDuplicate(u, &w));
  PetscCall(VecCopy(u, w));
  PetscCall(RungSystemImposeDirichlet(sys, 0, 0, u));
  PetscCall(vec_distance(u, w, &distance));
  CHECK(distance < 0.5); /* the ends of a wall of straight facets see one facet only */
  PetscCall(check_derivative(sys, 1e-7));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&w));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Data that a rotation gives on the straight ends are tangential to the walls there, but for the angle of a straight facet:
   also where the axes hide one of their components. */
static PetscErrorCode test_given_velocities_end_curved_walls(void)
{
  RungSpace           space;
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  for (int crosses = 0; crosses < 2; ++crosses) {
    PetscCall(ring_space("ring_of_ends.msh", 6, "Q1^d", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemSetInitial(sys, "u", "vector(-x[1], x[0])"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "first", crosses ? "x" : "vector(-x[1], x[0])"));
    PetscCall(RungSystemSetDirichlet(sys, "u", "last", crosses ? "x" : "vector(-x[1], x[0])"));
    PetscCall(RungSystemSetSlip(sys, "u", "inner", NULL));
    PetscCall(RungSystemSetSlip(sys, "u", "outer", NULL));
    PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
    if (crosses)
      CHECK_RAISES(RungTransientSystemStart(ts, 0.0), "contradict each other");
    else
      PetscCall(RungTransientSystemStart(ts, 0.0));
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rotation imposed on the ring: the equations of both arcs and of data at its ends leave it as it is. */
static PetscErrorCode check_rotation(RungSpace space, PetscBool apart, PetscBool ends, PetscInt wanted)
{
  RungSystem sys;
  Vec        u, w;
  PetscReal  distance;
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "vector(-x[1], x[0])"));
  if (ends) PetscCall(RungSystemSetDirichlet(sys, "u[0]", "first", "0"));
  if (ends) PetscCall(RungSystemSetDirichlet(sys, "u[1]", "last", "0"));
  PetscCall(RungSystemSetSlip(sys, "u", "inner", NULL));
  PetscCall(RungSystemSetSlip(sys, "u", "outer", NULL));
  if (apart) PetscCall(RungSystemSetSlip(sys, "u", "rest", "0"));
  PetscCall(given_rows(sys, &n));
  CHECK(n == wanted);
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(RungSystemInitial(sys, 0, 0, u));
  PetscCall(VecDuplicate(u, &w));
  PetscCall(VecCopy(u, w));
  PetscCall(RungSystemImposeDirichlet(sys, 0, 0, u));
  PetscCall(vec_distance(u, w, &distance));
  CHECK_NEAR(distance, 0, ends ? 1e-14 : 0.3); /* a last facet of the outer arc is off by 7.5 degrees */
  PetscCall(check_derivative(sys, 1e-7));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&w));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The component that is given there is nearly all of u.n: what is left of it is the error of a facet's normal, which must
   not hold the other component. */
static PetscErrorCode test_one_given_component_ends_a_curved_wall(void)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(ring_space("ring_of_components.msh", 6, "Q1^d", &space));
  PetscCall(check_rotation(space, PETSC_FALSE, PETSC_TRUE, 7 + 7 + 5 + 5));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One normal where they meet, not two that hold the node. */
static PetscErrorCode test_a_wall_in_two_parts_is_one_wall(void)
{
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(ring_space_parts("ring_of_parts.msh", 6, 1, "Q1^d", &space));
  PetscCall(check_rotation(space, PETSC_TRUE, PETSC_FALSE, 7 + 7));
  PetscCall(check_rotation(space, PETSC_TRUE, PETSC_TRUE, 7 + 7 + 5 + 5));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All walls of a box: an edge loses two components, a corner three. */
static PetscErrorCode test_slip_keeps_the_normals_of_walls_that_meet(void)
{
  RungSystem sys;
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 2, "Q1^d", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemSetSlip(sys, "u", "boundary", NULL));
  PetscCall(given_rows(sys, &n));
  CHECK(n == 8 * 3 + 12 * 2 + 6);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A plate whose top is one number, of which the charge is told; a point that is the mean of two others. */
static PetscErrorCode test_ties_and_points_follow_numbers_and_nodes(void)
{
  const char *const    names[] = {"u", "u", "u"};
  const PetscReal      x[] = {0, 0.5, 0, 0.5, 0.5, 0, 1, 0.5, 0}, a[] = {1, -0.5, -0.5};
  RungSpace            space, numbers;
  const RungSpaceData *data;
  RungSystem           sys;
  PetscInt             n;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 4, "P1", &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungSpaceCreate(data->mesh, "R", &numbers));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddUnknown(sys, "U", "V", numbers));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + u^2*v*dx + inner(grad(u), grad(v))*dx - 0.7*V*dR"));
  PetscCall(RungSystemTie(sys, "u", "top", "U", NULL));
  PetscCall(RungSystemTie(sys, "u", "bottom", NULL, NULL));
  PetscCall(RungSystemAddConstraint(sys, 3, names, x, a, "t"));
  PetscCall(given_rows(sys, &n));
  CHECK(n == 5 + 4 + 1);
  PetscCall(check_derivative(sys, 1e-7));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&numbers));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conserved terms go through the same elimination. */
static PetscErrorCode test_conserved_terms_are_eliminated_too(void)
{
  const PetscReal slope[] = {1, 3};
  RungSystem      sys;
  Mat             J, K;
  Vec             u[2];
  PetscReal       norm, size;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u + u^3)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecZeroEntries(u[1])); /* what the chain rule has more than dm/du */
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemCreateMat(sys, &K));
  PetscCall(RungSystemStageJacobian(sys, 0, u, slope, J));
  PetscCall(RungSystemJacobian(sys, 0, u, slope, K));
  PetscCall(MatNorm(K, NORM_FROBENIUS, &size));
  PetscCall(MatAXPY(J, -1, K, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &norm));
  CHECK(size > 1);
  CHECK_NEAR(norm, 0, 1e-12);
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&K));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is refused ---------------------------------------------------------------------------------------------- */

static PetscErrorCode heat(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 2, "P1", sys));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_cycles_and_double_slaves_are_refused_by_name(void)
{
  const char *const names[] = {"u", "u"};
  const PetscReal   x[] = {0, 0, 0, 1, 1, 0}, y[] = {1, 1, 0, 0, 0, 0}, z[] = {0, 0, 0, 0.5, 0.5, 0}, a[] = {1, -2};
  RungSystem        sys;

  PetscFunctionBegin;
  PetscCall(heat(&sys));
  PetscCall(RungSystemAddConstraint(sys, 2, names, x, a, NULL));
  PetscCall(RungSystemAddConstraint(sys, 2, names, y, a, NULL));
  CHECK_RAISES(RungSystemAddConstraint(sys, 2, names, x, (PetscReal[]){1, NAN}, NULL),
               "term 1 of a constraint, \"u\", has the coefficient nan");
  CHECK_RAISES(RungSystemAddConstraint(sys, 2, names, (PetscReal[]){0, 0, NAN, 1, 1, 0}, a, NULL),
               "term 0 of a constraint, \"u\", is at a place that is not finite");
  CHECK_RAISES(RungSystemAddConstraint(sys, 2, (const char *[]){"u", NULL}, x, a, NULL), "without a name");
  CHECK_RAISES(RungSystemSetUp(sys), "constraint u and constraint u make a cycle at x = (1., 1.)");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(heat(&sys));
  PetscCall(RungSystemAddConstraint(sys, 2, names, (PetscReal[]){1, 1, 0, 1, 1, 0}, (PetscReal[]){1, -1}, NULL));
  CHECK_RAISES(RungSystemSetUp(sys), "constraint u: \"u\" at x = (1., 1.) follows itself");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(heat(&sys));
  PetscCall(RungSystemTie(sys, "u", "left", NULL, NULL));
  PetscCall(RungSystemTie(sys, "u", "top", NULL, NULL));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL)); /* left is one number, so is right */
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(heat(&sys));
  PetscCall(RungSystemAddConstraint(sys, 2, names, x, a, NULL));
  PetscCall(RungSystemAddConstraint(sys, 2, names, z, a, NULL));
  CHECK_RAISES(RungSystemSetUp(sys), "constraint u and constraint u meet at x = (0., 0.): one dof cannot be the slave");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_dirichlet_data_on_slaves_are_refused_by_name(void)
{
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(heat(&sys));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  CHECK_RAISES(RungSystemSetUp(sys), "periodic u on left and right and Dirichlet u on left meet at x = (0., ");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(heat(&sys)); /* both are fixed, and differ */
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL));
  PetscCall(RungSystemSetDirichlet(sys, "u", "bottom", "x[0]"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungTransientSystemStart(ts, 0),
               "periodic u on left and right and Dirichlet u on bottom meet at x = (0., 0.) and contradict each other");
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slip holds both ends of the bottom, so a jump between them cannot be; at t = 0 it is still nothing. */
static PetscErrorCode test_constraints_that_part_later_are_refused_by_name(void)
{
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  for (int good = 0; good < 2; ++good) {
    PetscCall(system_create("quadrilateral", 2, 3, "Q2^d", &sys));
    PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(sym(grad(u)), grad(v))*dx"));
    PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, good ? "vector(sin(t), 0)" : "vector(0, sin(t))"));
    PetscCall(RungSystemSetSlip(sys, "u", "bottom", NULL));
    PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
    if (good)
      PetscCall(RungTransientSystemStart(ts, 0));
    else
      CHECK_RAISES(RungTransientSystemStart(ts, 0),
                   "contradict each other at t = 0. by 1. in their rates; take one of");
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three squares between x = 0 and 3, whose ends the file declares to be one. */
static PetscErrorCode test_parts_that_the_mesh_has_joined_are_told(void)
{
  static const char mesh_text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"start\"\n1 2 "
                                  "\"end\"\n2 3 \"all\"\n$EndPhysicalNames\n"
                                  "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n7 3 0 0\n8 3 1 "
                                  "0\n$EndNodes\n$Elements\n5\n1 1 2 1 1 1 4\n"
                                  "2 1 2 2 2 7 8\n"
                                  "3 3 2 3 1 1 2 5 4\n4 3 2 3 1 2 3 6 5\n5 3 2 3 1 3 7 8 "
                                  "6\n$EndElements\n$Periodic\n1\n1 2 1\n2\n7 1\n8 4\n$EndPeriodic\n";
  FILE             *file;

  PetscFunctionBegin;
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, "joined.msh", "w", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "%s", mesh_text));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  for (int mapped = 0; mapped < 2; ++mapped) {
    RungMesh   mesh;
    RungSpace  V;
    RungSystem sys;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetFile(mesh, "joined.msh"));
    PetscCall(RungSpaceCreate(mesh, "Q2", &V));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
    PetscCall(RungSystemAddPeriodic(sys, "u", "start", "end", mapped ? "x + 3*unit(0)" : NULL, NULL));
    CHECK_RAISES(RungSystemSetUp(sys), "periodic u on start and end: the mesh closes upon itself there");
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_parts_that_do_not_match_are_refused(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(heat(&sys));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", "x + 2*unit(0)", NULL));
  CHECK_RAISES(RungSystemSetUp(sys), "has no partner at x = (2., ");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(heat(&sys));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "boundary", NULL, NULL));
  CHECK_RAISES(RungSystemSetUp(sys), "3 nodes on left and 8 on boundary");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(heat(&sys));
  PetscCall(RungSystemAddPeriodic(sys, "u", "left", "left", NULL, NULL));
  CHECK_RAISES(RungSystemSetUp(sys), "periodic u on left and left: every node is its own partner; wanted two parts");
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(heat(&sys));
  PetscCall(RungSystemSetSlip(sys, "u", "left", NULL));
  CHECK_RAISES(RungSystemSetUp(sys), "\"u\" lives in P1; wanted a continuous vector");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_start(const char slave[], const char master[], const char data[], const char message[])
{
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(heat(&sys));
  PetscCall(RungSystemAddPeriodic(sys, "u", slave, master, NULL, data));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungTransientSystemStart(ts, 0), message);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_data_that_are_not_finite_are_refused_with_their_place(void)
{
  PetscFunctionBegin;
  PetscCall(refuse_start("left", "right", "1/x[1]",
                         "periodic u on left and right: the data is not finite at x = (0., 0.), t = 0."));
  PetscCall(refuse_start("bottom", "top", "sqrt(t)", "bottom and top: a time derivative of the data is not finite"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the quantity "top" among all. */
static PetscErrorCode top_mean(RungSystem sys, const RungState *state, PetscReal *value)
{
  const char *const *names;
  const PetscBool   *rates;
  PetscReal          all[4];
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungSystemGetQuantities(sys, &n, &names, &rates));
  CHECK(n <= 4);
  PetscCall(RungSystemEvaluateQuantities(sys, 0, state->u, all));
  for (PetscInt i = 0; i < n; ++i)
    if (!strcmp(names[i], "top")) *value = all[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is given where nodes follow each other is that of one node, or of the number: not of whom a number of ranks makes master. */
static PetscErrorCode test_starts_of_tied_values_do_not_depend_on_ranks(void)
{
  PetscFunctionBegin;
  for (int number = 0; number < 2; ++number) {
    RungMesh            mesh;
    RungSpace           space, global;
    RungSystem          sys;
    RungTransientSystem ts;
    const RungState    *state;
    PetscReal           value;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){5, 5}, NULL));
    PetscCall(RungSpaceCreate(mesh, "P2", &space));
    PetscCall(RungSpaceCreate(mesh, "R", &global));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
    PetscCall(RungSystemAddUnknown(sys, "U", "V", global));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx + dt(U)*V*dR"));
    if (number) PetscCall(RungSystemAddPeriodic(sys, "u", "left", "right", NULL, NULL));
    PetscCall(RungSystemTie(sys, "u", "top", number ? "U" : NULL, NULL));
    PetscCall(RungSystemSetInitial(sys, "u", number ? "sin(2*pi*x[0])" : "2 + x[0]"));
    PetscCall(RungSystemSetInitial(sys, "U", "0.3"));
    PetscCall(RungSystemAddMean(sys, "top", "u*ds(top)"));
    PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
    PetscCall(RungTransientSystemStart(ts, 0));
    PetscCall(RungTransientSystemGetState(ts, 0, &state));
    PetscCall(RungSystemNorm(sys, "U - 0.3", NULL, RUNG_NORM_MAX, 0, state->u, &value));
    CHECK_NEAR(value, 0, 1e-14);
    PetscCall(top_mean(sys, state, &value));
    CHECK_NEAR(value, number ? 0.3 : 2, 1e-12);
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&global));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whose values the others take where parts meet, and a start that fits neither. */
static PetscErrorCode test_starts_where_ties_meet_periods_do_not_depend_on_ranks(void)
{
  RungMesh            mesh;
  RungSpace           space;
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           value;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "hexahedron", 3, (PetscInt[]){2, 2, 2}, NULL));
  PetscCall(RungSpaceCreate(mesh, "Q1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemAddPeriodic(sys, "u", "back", "front", NULL, NULL));
  PetscCall(RungSystemTie(sys, "u", "right", NULL, NULL));
  PetscCall(RungSystemSetInitial(sys, "u", "1 + x[1] + 10*x[2]"));
  PetscCall(RungSystemAddMean(sys, "top", "u*ds(right)"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(top_mean(sys, state, &value));
  CHECK_NEAR(value, 11, 1e-12);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_starts_where_ties_meet_periods_do_not_depend_on_ranks),
  RUNG_TEST(test_points_of_periodic_boxes_are_at_both_ends),
  RUNG_TEST(test_starts_of_tied_values_do_not_depend_on_ranks),
  RUNG_TEST(test_data_that_are_not_finite_are_refused_with_their_place),
  RUNG_TEST(test_a_box_that_is_periodic_in_all_directions_is_a_torus), RUNG_TEST(test_a_jump_and_its_rate_are_exact),
  RUNG_TEST(test_a_rotation_slips_along_curved_walls), RUNG_TEST(test_slip_keeps_the_normals_of_walls_that_meet),
  RUNG_TEST(test_given_velocities_end_curved_walls), RUNG_TEST(test_one_given_component_ends_a_curved_wall),
  RUNG_TEST(test_a_wall_in_two_parts_is_one_wall), RUNG_TEST(test_ties_and_points_follow_numbers_and_nodes),
  RUNG_TEST(test_conserved_terms_are_eliminated_too), RUNG_TEST(test_cycles_and_double_slaves_are_refused_by_name),
  RUNG_TEST(test_dirichlet_data_on_slaves_are_refused_by_name),
  RUNG_TEST(test_constraints_that_part_later_are_refused_by_name),
  RUNG_TEST(test_parts_that_the_mesh_has_joined_are_told), RUNG_TEST(test_parts_that_do_not_match_are_refused))
