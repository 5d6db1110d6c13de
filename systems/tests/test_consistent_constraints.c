/* test_consistent_constraints.c - starts where equations without a rate are constraints that are differentiated in time. */
#include "check.h"
#include "consistent_impl.h"
#include "form_problems.h"

#define FEW                                                                                                            \
  8 /* solves: one asks whether the matrix is regular, two project, two or three find rates, with another step each */

/* u and p on a square, or cube, as yet without equations */
static PetscErrorCode pair_create(const char cell[], PetscInt dim, PetscInt n, RungSystem *sys)
{
  const PetscBool tensor = cell[0] == 'h' ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(system_create(cell, dim, n, tensor ? "Q2^d" : "P2^d", sys));
  PetscCall(add_unknown(*sys, "p", "q", tensor ? "Q1" : "P1"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Navier-Stokes with a field whose divergence is no zero between nodes, walls that move, and flow through them that begins to vary. */
static PetscErrorCode flow_create(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(pair_create("triangle", 2, 4, sys));
  PetscCall(RungSystemDefine(*sys, "field", "vector(sin(3*x[1]), cos(2*x[0]))"));
  PetscCall(RungSystemAddResidual(
    *sys, "inner(dt(u) + dot(grad(u), u), v)*dx + 0.05*inner(grad(u), grad(v))*dx - p*div(v)*dx"));
  PetscCall(RungSystemAddResidual(*sys, "div(u)*q*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "field*cos(t - 2)"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "bottom", "field + vector(sin(3*(t - 2))*x[0], 0)"));
  PetscCall(RungSystemSetInitial(*sys, "u", "field"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A porous body whose load is put on at once and grows: forces are in balance, which no rate of u stands in. */
static PetscErrorCode clay_create(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(pair_create("triangle", 2, 4, sys));
  PetscCall(RungSystemAddResidual(
    *sys, "2*inner(sym(grad(u)), sym(grad(v)))*dx + div(u)*div(v)*dx - p*div(v)*dx + exp(t - 2)*v[1]*ds(top)"));
  PetscCall(RungSystemAddResidual(*sys, "(div(dt(u)) + 0.1*dt(p))*q*dx + 0.3*inner(grad(p), grad(q))*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "bottom", "0"));
  PetscCall(RungSystemSetDirichlet(*sys, "p", "top", "0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stokes in a box, in the units of steel: what a Schur complement solves */
static PetscErrorCode water_create(RungSystem *sys)
{
  PetscFunctionBegin;
  PetscCall(pair_create("hexahedron", 3, 4, sys));
  PetscCall(RungSystemAddResidual(*sys, "7800*inner(dt(u), v)*dx + 1e3*inner(grad(u), grad(v))*dx - p*div(v)*dx"));
  PetscCall(RungSystemAddResidual(*sys, "div(u)*q*dx"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "vector((t - 2)*x[1], 0, sin(t - 2)*x[0])"));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "bottom", "0"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* max|F_i| of constraints, those of unknown f, at t + s and u + s u' */
static PetscErrorCode missed(RungSystem sys, const RungState *state, PetscReal s, PetscInt f, PetscReal *most)
{
  PetscInt           start, end;
  const PetscScalar *x;
  Vec                u[2], r;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(state->u[0], &u[0]));
  PetscCall(VecDuplicate(state->u[0], &r));
  PetscCall(VecWAXPY(u[0], s, state->u[1], state->u[0]));
  PetscCall(RungSystemImposeDirichlet(sys, state->t + s, 0, u[0]));
  u[1] = state->u[1];
  PetscCall(RungSystemResidual(sys, state->t + s, u, r));
  PetscCall(RungSystemGetRange(sys, f, &start, &end));
  PetscCall(VecGetArrayRead(r, &x));
  *most = 0;
  for (PetscInt i = start; i < end; ++i) *most = PetscMax(*most, PetscAbsScalar(x[i]));
  PetscCall(VecRestoreArrayRead(r, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(VecDestroy(&u[0]));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* constraints: the unknown whose equations they are */
static PetscErrorCode check_start(PetscErrorCode (*create)(RungSystem *), PetscInt constraints, PetscInt most)
{
  RungSystem          sys;
  RungTransientSystem ts;
  const RungState    *state;
  PetscReal           norm, size, at, before, behind;
  PetscInt            its;
  Vec                 r;

  PetscFunctionBegin;
  PetscCall(create(&sys));
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungTransientSystemStart(ts, 2));
  PetscCall(RungTransientSystemGetState(ts, 0, &state));
  PetscCall(VecDuplicate(state->u[0], &r));
  PetscCall(RungSystemResidual(sys, 2, state->u, r));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  PetscCall(VecNorm(state->u[0], NORM_INFINITY, &size)); /* of pressures */
  CHECK_NEAR(norm, 0, 1e-11 * (1 + size));
  PetscCall(missed(sys, state, 0, constraints, &at));
  PetscCall(missed(sys, state, -1e-4, constraints, &before));
  PetscCall(missed(sys, state, 1e-4, constraints, &behind));
  CHECK_NEAR(at, 0, 1e-13);
  CHECK(before < 1e-8 && behind < 1e-8);
  PetscCall(KSPGetTotalIterations(ts->consistent->ksp, &its));
  CHECK(its >= 1 && its <= most);
  PetscCall(VecDestroy(&r));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_flow_has_rates_without_divergence(void)
{
  PetscFunctionBegin;
  PetscCall(check_start(flow_create, 1, FEW));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_porous_body_stays_in_balance(void)
{
  PetscFunctionBegin;
  PetscCall(check_start(clay_create, 0, FEW));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of the pressure with the mass of the velocities alone, by name. */
static PetscErrorCode test_a_schur_complement_solves_for_a_start(void)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-mass_pc_type", "fieldsplit"));
  RungCallFinally(check_start(water_create, 1, 500), PetscCall(PetscOptionsClearValue(NULL, "-mass_pc_type")));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_schur_complement_solves_for_a_start),
               RUNG_TEST(test_a_flow_has_rates_without_divergence), RUNG_TEST(test_a_porous_body_stays_in_balance))
