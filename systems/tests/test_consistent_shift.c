/* test_consistent_shift.c - starts of flows, whose mass is singular: what they find, and what that takes. */
#include "check.h"
#include "consistent_impl.h"
#include "form_problems.h"

#include <stdlib.h>

#define STARTS "vector(6*A*sin(t)*x[1]*(0.4 - x[1])/0.16, 0)"   /* with a rate */
#define SWELLS "vector(6*A*sin(t)^2*x[1]*(0.4 - x[1])/0.16, 0)" /* without one */

static const char *const units[] = {"A", "B", "P", "Q"}; /* of u and p, and of their equations */

/* A system of u and p on a box, which have units, and as yet no equations. */
static PetscErrorCode pair_create(const char cell[], PetscInt dim, const PetscInt count[], const PetscReal size[],
                                  const char of_u[], const char of_p[], RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V, Q;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, count, size));
  PetscCall(RungSpaceCreate(mesh, of_u, &V));
  PetscCall(RungSpaceCreate(mesh, of_p, &Q));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemAddUnknown(*sys, "p", "q", Q));
  for (int i = 0; i < 4; ++i) PetscCall(RungSystemSetConstant(*sys, units[i], 1));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungSpaceDestroy(&Q));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Navier-Stokes at rest in a channel whose inflow begins at t = 0: u = 0, u' and p are to be found. */
static PetscErrorCode flow_create(const char inflow[], const char load[], RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(pair_create("triangle", 2, (PetscInt[]){8, 3}, (PetscReal[]){2, 0.4}, "P2^d", "P1", sys));
  PetscCall(RungSystemDefine(*sys, "stress", "-p/B*I + 1e-3*grad(u)/A"));
  PetscCall(RungSystemAddResidual(*sys, "P*inner(dt(u)/A + dot(grad(u), u)/A^2, v)*dx + P*inner(stress, grad(v))*dx"));
  PetscCall(RungSystemAddResidual(*sys, "Q*div(u)/A*q*dx"));
  if (load) PetscCall(RungSystemAddResidual(*sys, load));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", inflow));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "bottom", "0"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "top", "0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number before `what` in the view of a system. */
static PetscErrorCode counted(RungSystem sys, const char what[], PetscMPIInt *n)
{
  char        text[8192] = "";
  PetscViewer viewer;
  FILE       *file = tmpfile();
  const char *at;

  PetscFunctionBegin;
  CHECK(file);
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  PetscCall(RungSystemView(sys, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  (void)fclose(file);
  at = strstr(text, what);
  while (at && at > text && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9'))) --at;
  *n = at ? (PetscMPIInt)strtol(at, NULL, 10) : 0;
  PetscCallMPI(MPI_Bcast(n, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_flow_starts_from_rest(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  Vec                 r;
  PetscReal           rate, size, residual;

  PetscFunctionBegin;
  PetscCall(flow_create(STARTS, NULL, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemNorm(sys, "u", NULL, RUNG_NORM_L2, 0, state->u, &size));
  PetscCall(RungSystemNorm(sys, "dt(u) - vector(1, 0)", NULL, RUNG_NORM_L2, 0, state->u, &rate));
  CHECK_NEAR(size, 0, 1e-14);
  CHECK(rate < 0.6 * sqrt(0.8)); /* the inflow's mean rate is 1, and water does not give way */
  PetscCall(VecDuplicate(state->u[0], &r));
  PetscCall(RungSystemResidual(sys, 0, state->u, r));
  PetscCall(VecNorm(r, NORM_2, &residual));
  CHECK_NEAR(residual, 0, 1e-8);
  PetscCall(VecDestroy(&r));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A layer of wet clay under a load: the mass couples u to p's equation alone, and the start is of index 2. */
static PetscErrorCode clay_create(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(pair_create("interval", 1, (PetscInt[]){20}, (PetscReal[]){1}, "P2", "P1", sys));
  PetscCall(RungSystemAddResidual(*sys, "P*(grad(u)[0]/A - p/B)*grad(v)[0]*dx + P*v*ds(right)"));
  PetscCall(RungSystemAddResidual(*sys, "Q*(dt(grad(u)[0])/A*q + inner(grad(p), grad(q))/B)*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemSetDirichlet(*sys, "p", "right", "0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Water over a wall that swings, with a wave in it; the pressure is open but for a constant. */
static PetscErrorCode lid_create(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(pair_create("quadrilateral", 2, (PetscInt[]){2, 6}, (PetscReal[]){1, 6}, "Q2^d", "Q1", sys));
  PetscCall(RungSystemDefine(*sys, "wave", "exp(-x[1])*cos(x[1])"));
  PetscCall(RungSystemAddResidual(*sys, "P*(inner(dt(u), v)/A + inner(grad(u), grad(v))/A - p/B*div(v))*dx"));
  PetscCall(RungSystemAddResidual(*sys, "Q*div(u)/A*q*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "bottom", "A*vector(cos(2*t), 0)"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "top", "A*vector(wave, 0)"));
  PetscCall(RungSystemSetInitial(*sys, "u", "A*vector(wave, 0)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which step h is taken, and when it is exact enough, is the same in all units. */
static PetscErrorCode test_units_of_unknowns_and_equations_change_no_start(void)
{
  PetscErrorCode (*const create[])(RungSystem *) = {clay_create, lid_create};

  PetscFunctionBegin;
  for (int problem = 0; problem < 2; ++problem) {
    PetscReal wanted[2] = {0, 0};

    for (int i = 0; i < 11; ++i) {
      RungSystem          sys;
      RungTransientSystem ts;
      const RungState    *state;
      PetscReal           found[2];

      PetscCall(create[problem](&sys));
      if (i && i < 9) PetscCall(RungSystemSetConstant(sys, units[(i - 1) / 2], pow(2, i % 2 ? 20 : -20)));
      for (int k = 0; i >= 9 && k < 4; ++k)
        PetscCall(RungSystemSetConstant(sys, units[k], pow(2, (i + k) % 2 ? 20 : -20)));
      PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
      PetscCall(RungTransientSystemStart(ts, 0));
      PetscCall(RungTransientSystemGetState(ts, 0, &state));
      PetscCall(RungSystemNorm(sys, "dt(u)/A", NULL, RUNG_NORM_L2, 0, state->u, &found[0]));
      PetscCall(RungSystemNorm(sys, "p/B", NULL, RUNG_NORM_L2, 0, state->u, &found[1]));
      for (int k = 0; k < 2; ++k) {
        if (!i) wanted[k] = found[k];
        CHECK_NEAR(found[k], wanted[k], 1e-7 * PetscMax(wanted[k], wanted[0]));
      }
      PetscCall(RungTransientSystemDestroy(&ts));
      PetscCall(RungSystemDestroy(&sys));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A scalar with data, slaves and a node that is held, where matrices are the identity, in other units of length L and time S. */
static PetscErrorCode held_create(PetscReal length, PetscReal time, RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){4, 4}, (PetscReal[]){length, length}));
  PetscCall(RungSpaceCreate(mesh, "P2", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemSetConstant(*sys, "L", length));
  PetscCall(RungSystemSetConstant(*sys, "S", time));
  PetscCall(RungSystemAddResidual(*sys, "dt(u)*v*dx + L^2/S*(1 + u^2)*inner(grad(u), grad(v))*dx - v/S*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "sin(4*t/S)"));
  PetscCall(RungSystemAddPeriodic(*sys, "u", "bottom", "top", NULL, NULL));
  PetscCall(RungSystemAddConstraint(*sys, 1, (const char *[]){"u"}, (PetscReal[]){length, length / 2, 0},
                                    (PetscReal[]){1}, "0.1"));
  PetscCall(RungSystemSetInitial(*sys, "u", "x[0]*(L - x[0])/L^2"));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cavity at rest whose lid begins to move; a number makes the mean pressure 0, and that equation is 0 before anything moves. */
static PetscErrorCode cavity_create(PetscReal length, PetscReal time, RungSystem *sys)
{
  static const char *const side[] = {"left", "right", "bottom"};
  RungMesh                 mesh;
  RungSpace                space[3];

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){6, 6}, (PetscReal[]){length, length}));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (int f = 0; f < 3; ++f) {
    PetscCall(RungSpaceCreate(mesh, f == 0 ? "P2^d" : f == 1 ? "P1" : "R", &space[f]));
    PetscCall(RungSystemAddUnknown(*sys,
                                   f == 0   ? "u"
                                   : f == 1 ? "p"
                                            : "l",
                                   f == 0   ? "v"
                                   : f == 1 ? "q"
                                            : "m",
                                   space[f]));
    PetscCall(RungSpaceDestroy(&space[f]));
  }
  PetscCall(RungSystemSetConstant(*sys, "L", length));
  PetscCall(RungSystemSetConstant(*sys, "S", time));
  PetscCall(RungSystemAddResidual(
    *sys, "inner(dt(u) + dot(grad(u), u), v)*dx + 0.2*L^2/S*inner(sym(grad(u)), grad(v))*dx - p*div(v)*dx"));
  PetscCall(RungSystemAddResidual(*sys, "-q*div(u)*dx + p*m*dx + l*q*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "top", "vector(L/S*sin(5*t/S)*x[0]*(L - x[0])/L^2*4, 0)"));
  for (int i = 0; i < 3; ++i) PetscCall(RungSystemSetDirichlet(*sys, "u", side[i], "0"));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_units_of_length_and_time_change_no_start(void)
{
  static const PetscReal scale[][2] = {{1, 1}, {1e-6, 1e-12}, {1, 1e9}, {1e3, 1e-3}};
  static const char     *rate[]     = {"dt(u)*S/L", "dt(u)*S^2/L^2"}; /* in L2, which has another L */

  PetscFunctionBegin;
  for (int problem = 0; problem < 2; ++problem) {
    PetscReal wanted = 0;

    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(scale); ++i) {
      RungSystem          sys;
      RungTransientSystem ts;
      const RungState    *state;
      PetscReal           found;

      PetscCall((problem ? cavity_create : held_create)(scale[i][0], scale[i][1], &sys));
      PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
      PetscCall(RungTransientSystemStart(ts, 0));
      PetscCall(RungTransientSystemGetState(ts, 0, &state));
      PetscCall(RungSystemNorm(sys, rate[problem], NULL, RUNG_NORM_L2, 0, state->u, &found));
      if (!i) wanted = found;
      CHECK_NEAR(found, wanted, 1e-6 * wanted);
      PetscCall(RungTransientSystemDestroy(&ts));
      PetscCall(RungSystemDestroy(&sys));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A layer of clay that has to give way at once, with a pressure in small units: displacements that were changed are no rounding. */
static PetscErrorCode test_changed_values_are_told_in_any_units(void)
{
  RungSystem          sys;
  RungTransientSystem ts;

  PetscFunctionBegin;
  PetscCall(clay_create(&sys));
  PetscCall(RungSystemSetConstant(sys, "A", pow(2, -10)));
  PetscCall(RungSystemSetConstant(sys, "B", pow(2, 30)));
  PetscCall(PetscOptionsSetValue(NULL, "-system_initial", "check"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_initial"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  CHECK_RAISES(RungTransientSystemStart(ts, 0), "initial values of \"u\" at t = 0. do not satisfy the equations");
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Four steps of Newton's method are two matrices: refinements at the level of rounding errors take none. */
static PetscErrorCode test_a_start_takes_few_matrices(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  PetscMPIInt         n;

  PetscFunctionBegin;
  PetscCall(flow_create(STARTS, NULL, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0.0));
  PetscCall(counted(sys, "Jacobians", &n));
  CHECK(n > 3 && n <= 14);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often PETSc has done it; what it gives a name with the first matrix has no number before. */
static PetscErrorCode logged(const char what[], PetscInt *n)
{
  PetscLogEvent      event;
  PetscEventPerfInfo info = {0};

  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId(what, &event));
  if (event >= 0) PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
  *n = info.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* None for h = 0, where the flow's equation of values alone is empty; one for other steps h, and few where a step lets |F| fall slowly. */
static PetscErrorCode test_factors_serve_for_several_steps(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  PetscInt            before, after;

  PetscFunctionBegin;
  PetscCall(PetscLogDefaultBegin());
  PetscCall(logged("MatLUFactorNum", &before));
  PetscCall(flow_create(STARTS, NULL, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(logged("MatLUFactorNum", &after));
  CHECK(after - before >= 1 && after - before <= 2);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing moves and nothing is about to: all rates and pressures are 0, though a moment later they are not. */
static PetscErrorCode test_a_flow_that_swells_starts_from_rest(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           norm;

  PetscFunctionBegin;
  PetscCall(flow_create(SWELLS, NULL, &sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  for (int k = 0; k < 2; ++k) {
    PetscCall(VecNorm(state->u[k], NORM_INFINITY, &norm));
    CHECK_NEAR(norm, 0, 1e-9);
  }
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A load that is a gradient, from the first or growing, between three walls: the pressure balances it and nothing moves. */
static PetscErrorCode test_a_pressure_that_balances_all_is_found(void)
{
  for (int i = 0; i < 2; ++i) {
    RungSystem          sys;
    RungTransientSystem ts;
    const RungState    *state;
    PetscReal           rate, off;

    PetscCall(flow_create("0", i ? "-sin(t)*v[0]*dx" : "-v[0]*dx", &sys));
    PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
    PetscCall(RungTransientSystemStart(ts, 0));
    PetscCall(RungTransientSystemGetState(ts, 0, &state));
    PetscCall(RungSystemNorm(sys, "dt(u)", NULL, RUNG_NORM_L2, 0, state->u, &rate));
    PetscCall(RungSystemNorm(sys, i ? "p" : "p - (x[0] - 2)", NULL, RUNG_NORM_L2, 0, state->u, &off));
    CHECK_NEAR(rate, 0, 1e-9);
    CHECK_NEAR(off, 0, 1e-9);
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

/* u' + p = 0, u = 1 + sin(t) x[0] is violated by the zeros that are given: u is projected, u' and p follow. */
static PetscErrorCode test_a_constraint_is_met_from_zeros(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  RungSpace           Q;
  const RungState    *state;
  PetscReal           error;

  PetscFunctionBegin;
  PetscCall(space_create("interval", 1, 4, "P1", &Q));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", Q));
  PetscCall(RungSystemAddUnknown(sys, "p", "q", Q));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + p*v*dx + (u - 1 - sin(t)*x[0])*q*dx"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemNorm(sys, "u - 1", NULL, RUNG_NORM_MAX, 0, state->u, &error));
  CHECK_NEAR(error, 0, 1e-9);
  PetscCall(RungSystemNorm(sys, "dt(u) - x[0]", NULL, RUNG_NORM_MAX, 0, state->u, &error));
  CHECK_NEAR(error, 0, 1e-7);
  PetscCall(RungSystemNorm(sys, "p + x[0]", NULL, RUNG_NORM_MAX, 0, state->u, &error));
  CHECK_NEAR(error, 0, 1e-7);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A layer of wet clay: its mass is singular, which says nothing of whose factors are best for the matrices a little later.  What is
   rounding of F is not solved for to the last digit. */
static PetscErrorCode test_factors_of_a_start_are_chosen_for_what_is_solved(void)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscInt            before, after;
  PetscReal           error;

  PetscFunctionBegin;
  PetscCall(PetscLogDefaultBegin());
  PetscCall(logged("MatMult", &before));
  PetscCall(pair_create("interval", 1, (PetscInt[]){2000}, (PetscReal[]){1}, "P2", "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "(grad(u)[0] - p)*grad(v)[0]*dx + v*ds(right)"));
  PetscCall(RungSystemAddResidual(sys, "dt(grad(u)[0])*q*dx + inner(grad(p), grad(q))*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetDirichlet(sys, "p", "right", "0"));
  PetscCall(RungSystemSetInitial(sys, "p", "1"));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 0));
  PetscCall(logged("MatMult", &after));
  CHECK(ts->consistent->solver->slot[0].own);
  CHECK(after - before <= 270);
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(RungSystemNorm(sys, "p - 1", NULL, RUNG_NORM_L2, 0, state->u, &error));
  CHECK_NEAR(error, 0, 0.02);
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = sin((t - t0)/T), y' = z/T, a constraint of index 2, from a start that is not at 0: how far apart two times are beside the start is
   known to rounding of the start alone. */
static PetscErrorCode test_starts_at_late_times_are_as_exact(void)
{
  static const PetscReal from[][2] = {{0, 1}, {-5e9, 1e9}, {1e4, 1e-3}, {3, 1e-6}}; /* t0, T */

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(from); ++i) {
    RungMesh            mesh;
    RungSpace           space;
    RungSystem          sys;
    RungTransientSystem ts;
    const RungState    *state;
    PetscScalar         rate;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetPoints(mesh, 1));
    PetscCall(RungSpaceCreate(mesh, "P0", &space));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "y", "v", space));
    PetscCall(RungSystemAddUnknown(sys, "z", "q", space));
    PetscCall(RungSystemSetConstant(sys, "from", from[i][0]));
    PetscCall(RungSystemSetConstant(sys, "T", from[i][1]));
    PetscCall(RungSystemAddResidual(sys, "(T*dt(y) - z)*v*dx + (y - sin((t - from)/T))*q*dx"));
    PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
    PetscCall(RungTransientSystemStart(ts, from[i][0]));
    PetscCall(RungTransientSystemGetState(ts, 0, &state));
    PetscCall(VecGetValues(state->u[1], 1, (PetscInt[]){0}, &rate));
    CHECK_NEAR(rate * from[i][1], 1, 1e-6);
    PetscCall(RungTransientSystemDestroy(&ts));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&space));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_starts_at_late_times_are_as_exact),
               RUNG_TEST(test_factors_of_a_start_are_chosen_for_what_is_solved),
               RUNG_TEST(test_a_constraint_is_met_from_zeros), RUNG_TEST(test_a_flow_that_swells_starts_from_rest),
               RUNG_TEST(test_a_flow_starts_from_rest), RUNG_TEST(test_a_pressure_that_balances_all_is_found),
               RUNG_TEST(test_units_of_unknowns_and_equations_change_no_start),
               RUNG_TEST(test_units_of_length_and_time_change_no_start),
               RUNG_TEST(test_changed_values_are_told_in_any_units), RUNG_TEST(test_a_start_takes_few_matrices),
               RUNG_TEST(test_factors_serve_for_several_steps))
