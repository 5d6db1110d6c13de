/* test_static.c - nonlinear statics: slender bodies in few load steps, also tiny loads; what has no solution is told. */
#include "solver_impl.h"
#include <check.h>

#define SVK   "dot(F, lambda*tr(G)*I + 2*mu*G)"
#define HOOKE "mu*(F - transpose(inv(F))) + lambda*log(det(F))*transpose(inv(F))"

/* A body of one end at rest, E = 1e4, nu = 0.3. */
static PetscErrorCode make_beam(const char cell[], PetscInt dim, const PetscInt count[], const PetscReal size[],
                                const char P[], const char load[], RungSystem *sys, Vec *u)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, cell, dim, count, size));
  PetscCall(RungSpaceCreate(mesh, "Q2^d", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemSetConstant(*sys, "mu", 1e4 / 2.6));
  PetscCall(RungSystemSetConstant(*sys, "lambda", 3e3 / (1.3 * 0.4)));
  PetscCall(RungSystemSetConstant(*sys, "L", 0));
  PetscCall(RungSystemDefine(*sys, "F", "I + grad(u)"));
  PetscCall(RungSystemDefine(*sys, "G", "(dot(transpose(F), F) - I)/2"));
  PetscCall(RungSystemDefine(*sys, "P", P));
  PetscCall(RungSystemAddResidual(*sys, "inner(P, grad(v))*dx(degree: 4)"));
  PetscCall(RungSystemAddResidual(*sys, load));
  PetscCall(RungSystemSetDirichlet(*sys, "u", "left", "0"));
  PetscCall(RungSystemCreateVec(*sys, u));
  PetscCall(VecZeroEntries(*u));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode tip(RungSystem sys, PetscReal load, PetscReal step, Vec u, PetscReal *low)
{
  PetscFunctionBegin;
  PetscCall(RungSystemSolve(sys, "L", 0, load, step, u));
  PetscCall(VecMin(u, NULL, low));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its weight by steps, at once, and a millionth of it. */
static PetscErrorCode test_slender_cantilevers_bend_by_steps_and_at_once(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  low[3];

  PetscFunctionBegin;
  PetscCall(make_beam("quadrilateral", 2, (PetscInt[]){20, 1}, (PetscReal[]){25, 1}, SVK, "L*v[1]*dx", &sys, &u));
  PetscCall(tip(sys, 0.5, 0.05, u, &low[0]));
  PetscCall(VecZeroEntries(u));
  PetscCall(tip(sys, 0.5, 0.5, u, &low[1]));
  PetscCall(VecZeroEntries(u));
  PetscCall(tip(sys, 0.5e-6, 0.5e-6, u, &low[2]));
  CHECK_NEAR(low[0], -16.671615621, 1e-7);
  CHECK_NEAR(low[1], low[0], 1e-8);
  CHECK_NEAR(low[2] / 1e-6, -26.56198, 1e-5);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forty times as long as high and wide, in space. */
static PetscErrorCode test_a_beam_in_space_bends_by_steps_and_at_once(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  low[3];

  PetscFunctionBegin;
  PetscCall(make_beam("hexahedron", 3, (PetscInt[]){10, 1, 1}, (PetscReal[]){40, 1, 1}, SVK, "L*v[2]*dx", &sys, &u));
  PetscCall(tip(sys, 0.1, check_alone() ? 0.01 : 0.05, u, &low[0]));
  PetscCall(VecZeroEntries(u));
  PetscCall(tip(sys, 0.1, 0.1, u, &low[1]));
  PetscCall(VecZeroEntries(u));
  PetscCall(tip(sys, 1e-7, 1e-7, u, &low[2]));
  CHECK_NEAR(low[1] / low[0], 1, 1e-9);
  CHECK(low[0] < -20 && low[0] > -30);
  CHECK(low[2] / 1e-6 < low[0]); /* a straight beam gives way more */
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A neo-Hookean beam under a traction, by loads of a ninth and more, by two, and by a millionth of it. */
static PetscErrorCode test_a_hyperelastic_beam_takes_its_traction(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  low[3];

  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    make_beam("hexahedron", 3, (PetscInt[]){10, 1, 1}, (PetscReal[]){20, 1, 1}, HOOKE, "L*v[2]*ds(right)", &sys, &u));
  PetscCall(tip(sys, 13.5, 1.5, u, &low[0]));
  PetscCall(VecZeroEntries(u));
  PetscCall(tip(sys, 13.5, 13.5, u, &low[1]));
  PetscCall(VecZeroEntries(u));
  PetscCall(tip(sys, 1.35e-5, 1, u, &low[2]));
  CHECK(low[0] < -15 && low[0] > -16);
  CHECK_NEAR(low[1] / low[0], 1, 1e-9);
  CHECK(low[2] / 1e-6 < -30 && low[2] / 1e-6 > -50);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One number at a point. */
static PetscErrorCode make_point(const char residual[], RungSystem *sys, Vec *u)
{
  RungMesh  points;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &points));
  PetscCall(RungMeshSetPoints(points, 1));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSpaceCreate(points, "P0", &space));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", space));
  PetscCall(RungSystemSetConstant(*sys, "L", 0));
  PetscCall(RungSystemAddResidual(*sys, residual));
  PetscCall(RungSystemCreateVec(*sys, u));
  PetscCall(VecZeroEntries(*u));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -div((1e-6 + 1e12 u^2) grad u) = 1: the first step of Newton's method leads 1e9 times too far, and the way back takes some 50 steps
   by a third each.  The solution is that of 1e12/3 u^3 but for a part of 1e-9: u is (3e-12 s)^(1/3), s that of -div grad s = 1. */
static PetscErrorCode test_coefficients_of_any_size_are_solved_from_zero(void)
{
  RungMesh   mesh;
  RungSpace  V;
  RungSystem sys;
  Vec        u;
  PetscReal  most;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){32}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  for (int reaction = 0; reaction < 2; ++reaction) {
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    if (reaction) {
      PetscCall(RungSystemAddResidual(sys, "(1e-6 + 1e12*u^2)*u*v*dx - v*dx"));
    } else {
      PetscCall(RungSystemAddResidual(sys, "(1e-6 + 1e12*u^2)*inner(grad(u), grad(v))*dx - v*dx"));
      PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
    }
    PetscCall(RungSystemCreateVec(sys, &u));
    PetscCall(VecZeroEntries(u));
    PetscCall(RungSystemSolve(sys, NULL, 0, 0, 0, u));
    PetscCall(VecMax(u, NULL, &most));
    CHECK_NEAR(most, reaction ? 1e-4 : PetscCbrtReal(1.5e-12), reaction ? 1e-12 : 1e-6);
    PetscCall(VecDestroy(&u));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u - u^2 = L has no solution beyond L = 1/4; what was found before that stays. */
static PetscErrorCode test_the_largest_load_is_told(void)
{
  RungSystem sys;
  Vec        u, other;
  PetscReal  most;

  PetscFunctionBegin;
  PetscCall(make_point("(u - u^2 - L)*v*dx", &sys, &u));
  if (check_alone()) { /* several ranks halve by the same numbers */
    CHECK_RAISES(RungSystemSolve(sys, "L", 0, 1, 0.1, u), "no solution beyond L = 0.25: ");
    PetscCall(VecMax(u, NULL, &most));
    CHECK_NEAR(most, 0.5, 1e-3); /* L is 1/4 - (u - 1/2)^2, and steps below 1e-6 are given up */
  } else {
    PetscCall(RungSystemSolve(sys, "L", 0, 0.24, 0.24, u));
    PetscCall(VecMax(u, NULL, &most));
    CHECK_NEAR(most, 0.4, 1e-10);
  }
  PetscCall(VecZeroEntries(u));
  PetscCall(RungSystemSetConstant(sys, "L", 1));
  CHECK_RAISES(RungSystemSolve(sys, NULL, 0, 0, 0, u), "no solution: ");
  CHECK_RAISES(RungSystemSolve(sys, "L", 0, 1, 0, u), "a first step of 0. of \"L\"");
  CHECK_RAISES(RungSystemSolve(sys, "l", 0, 1, 0.1, u), "the system has no constant \"l\" to grow");
  CHECK_RAISES(RungSystemSolve(sys, "weight", 0, 1, 0.1, u), "no constant \"weight\" to grow; declare it");
  CHECK_RAISES(RungSystemSolve(sys, "L", 1, 2, 1, u), "no solution at L = 1");
  PetscCall(VecCreateMPI(RungSystemComm(sys), 77, PETSC_DETERMINE, &other));
  CHECK_RAISES(RungSystemSolve(sys, NULL, 0, 0, 0, other), "a solution of 77 entries on a rank where the system has ");
  PetscCall(VecDestroy(&other));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Backwards too, in time, and where F is linear; rates of a system that has them are 0. */
static PetscErrorCode test_a_load_falls_and_time_is_a_load(void)
{
  RungSystem sys;
  Vec        u;
  PetscReal  most;

  PetscFunctionBegin;
  PetscCall(make_point("(dt(u) + u^3 - L - t)*v*dx", &sys, &u));
  PetscCall(VecSet(u, 3));
  PetscCall(RungSystemSolve(sys, "L", 27, 8, 1, u));
  PetscCall(VecMax(u, NULL, &most));
  CHECK_NEAR(most, 2, 1e-12);
  PetscCall(RungSystemSolve(sys, "t", 0, 19, 1, u));
  PetscCall(VecMax(u, NULL, &most));
  CHECK_NEAR(most, 3, 1e-12);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(make_point("(2*u - L)*v*dx", &sys, &u));
  PetscCall(RungSystemSolve(sys, "L", 0, 6, 1, u));
  PetscCall(VecMax(u, NULL, &most));
  CHECK_NEAR(most, 3, 1e-14);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary values are those of the load, whatever the guess has there. */
static PetscErrorCode test_boundary_values_follow_the_load(void)
{
  RungSystem sys;
  RungMesh   mesh;
  RungSpace  V;
  Vec        u;
  PetscReal  most;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){8}, (PetscReal[]){1}));
  PetscCall(RungSpaceCreate(mesh, "P2", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
  PetscCall(RungSystemSetConstant(sys, "L", 0));
  PetscCall(RungSystemAddResidual(sys, "(1 + u^2)*grad(u)[0]*grad(v)[0]*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "-L"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "right", "3*L"));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecSet(u, 7));
  PetscCall(RungSystemSolve(sys, "L", 1, 2, 0.5, u));
  PetscCall(VecMax(u, NULL, &most));
  CHECK_NEAR(most, 6, 1e-14);
  PetscCall(VecMin(u, NULL, &most));
  CHECK_NEAR(most, -2, 1e-14);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A linear problem is solved once: set-ups and trials that pay after many solves are not for it.  What the user says of later runs
   stays. */
static PetscErrorCode test_a_linear_problem_has_one_solve_ahead(void)
{
  RungSystem sys;
  RungMesh   mesh;
  RungSpace  V;
  Vec        u;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "tetrahedron", 3, (PetscInt[]){16, 16, 16}, (PetscReal[]){1, 1, 0.1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
  PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - v*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "0"));
  PetscCall(RungSystemSetSolvesAhead(sys, 500, 0));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecZeroEntries(u));
  PetscCall(RungSystemSolve(sys, NULL, 0, 0, 0, u));
  CHECK(sys->tuned_row && !strcmp(sys->tuned_row, "rows")); /* fill is for more solves */
  CHECK(sys->counts.trials == 0 && sys->ahead == 500);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations that come to nothing say what to take instead. */
static PetscErrorCode test_iterations_that_give_up_say_the_way_out(void)
{
  static const char *const        residual[] = {"inner(grad(u), grad(v))*dx - v*dx",
                                                "inner(grad(u), grad(v))*dx - 99*u*v*dx - v*dx"},
                           *const way[]      = {"lu needs no iterations, or allow more (-ksp_max_it)",
                                                "cg wants what is positive definite: take -pc_type lu"};

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_type", "cg"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "none"));
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_max_it", "9"));
  for (int i = 0; i < 2; ++i) {
    RungMesh   mesh;
    RungSpace  V;
    RungSystem sys;
    Vec        u;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){9, 9}, NULL));
    PetscCall(RungSpaceCreate(mesh, "P2", &V));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemAddResidual(sys, residual[i]));
    PetscCall(RungSystemSetDirichlet(sys, "u", "boundary", "0"));
    PetscCall(RungSystemCreateVec(sys, &u));
    PetscCall(VecZeroEntries(u));
    CHECK_RAISES(RungSystemSolve(sys, NULL, 0, 0, 0, u), way[i]);
    PetscCall(VecDestroy(&u));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_max_it"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What rates would hold nothing holds at rest: the mean stays that of the guess, a load that is not in balance is told. */
static PetscErrorCode test_a_system_with_rates_is_solved_at_rest(void)
{
  PetscFunctionBegin;
  for (int conserved = 0; conserved < 2; ++conserved) {
    RungMesh   mesh;
    RungSpace  V;
    RungSystem sys;
    PetscReal  mean;
    Vec        u, v[2];

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){4, 4}, NULL));
    PetscCall(RungSpaceCreate(mesh, "P2", &V));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemSetConstant(sys, "load", 0));
    PetscCall(RungSystemAddResidual(sys, conserved ? "dt(u + u^3)*v*dx" : "dt(u)*v*dx"));
    PetscCall(RungSystemAddResidual(sys, "inner(grad(u), grad(v))*dx - (x[0] - 0.5 + load)*v*dx"));
    PetscCall(RungSystemAddQuantity(sys, "mean", "u*dx"));
    PetscCall(RungSystemCreateVec(sys, &u));
    PetscCall(VecSet(u, 1));
    PetscCall(RungSystemSolve(sys, NULL, 0, 0, 0, u));
    PetscCall(VecDuplicate(u, &v[1]));
    PetscCall(VecZeroEntries(v[1]));
    v[0] = u;
    PetscCall(RungSystemEvaluateQuantities(sys, 0, v, &mean));
    CHECK_NEAR(mean, 1, 1e-2); /* of the entries' mean it is 1 to rounding */
    PetscCall(RungSystemSetConstant(sys, "load", 1));
    CHECK_RAISES(RungSystemSolve(sys, NULL, 0, 0, 0, u), "no solution: ");
    PetscCall(VecDestroy(&v[1]));
    PetscCall(VecDestroy(&u));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Equations that add up to one without unknowns: whatever factors make of it, it is told, on any number of ranks. */
static PetscErrorCode test_equations_that_add_up_to_nothing_are_refused(void)
{
  static const char *const OPEN = "add up to one that no unknown enters", *const names[] = {"u[0]", "u[1]", "u"};
  static const struct {
    const char *spec, *residual;
    PetscInt    held; /* components at the origin */
    const char *raises, *type;
  } row[] = {{"P1", "(1 + u^2)*inner(grad(u), grad(v))*dx - v*dx", 0, OPEN, NULL},
             {"P2", "(1 + u^2)*inner(grad(u), grad(v))*dx - (x[0] - 0.5)*v*dx", 0, OPEN, NULL},
             {"P1", "inner(grad((1 + x[0])*u), grad(v))*dx - v*dx", 0, OPEN, NULL},
             {"P1", "inner(grad((1 + x[0])*u), grad(v))*dx - (x[0] - 0.5)*v*dx", 0, OPEN, NULL},
             {"P1^d", "(1 + inner(u, u))*inner(sym(grad(u)), grad(v))*dx - v[0]*dx", 2, OPEN, NULL}, /* it turns */
             {"P1", "inner(grad((1 + x[0])*u), grad(v))*dx + 1e-10*(u - 1)*v*dx", 0, NULL, NULL},
             {"P1", "(1 + u^2)*inner(grad(u), grad(v))*dx - (x[0] - 0.5)*v*dx", 1, NULL, NULL},
             {"P1", "(1 + u^2)*inner(grad(u), grad(v))*dx - (x[0] - 0.5 - u)*v*dx", 0, NULL, NULL},
             {"P1", "(1 + u^2)*inner(grad(u), grad(v))*dx - v*dx", 0, OPEN, "baij"},
             {"P1", "(1 + u^2)*inner(grad(u), grad(v))*dx - v*dx", 0, OPEN, "dense"},
             {"P1", "(1 + u^2)*inner(grad(u), grad(v))*dx - v*dx", 0, OPEN, "shell"},
             {"P1^d", "(1 + inner(u, u))*inner(sym(grad(u)), grad(v))*dx - v[0]*dx", 2, OPEN, "shell"},
             {"P1", "(1 + u^2)*inner(grad(u), grad(v))*dx - (x[0] - 0.5 - u)*v*dx", 0, NULL, "shell"},
             /* a soft half on springs that are nothing beside the stiff one */
             {"P1",
              "if(x[0] < 0.5, 1, 1e7)*inner(grad((1 + x[0])*u), grad(v))*dx + if(x[0] < 0.5, 1e-7, 0)*(u - 1)*v*dx", 0,
              NULL, NULL}};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
    RungMesh   mesh;
    RungSpace  V;
    RungSystem sys;
    Vec        u;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){4, 4}, NULL));
    PetscCall(RungSpaceCreate(mesh, row[i].spec, &V));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", V));
    PetscCall(RungSystemAddResidual(sys, row[i].residual));
    if (row[i].type) {
      PetscCall(PetscOptionsSetValue(NULL, "-system_mat_type", row[i].type));
      PetscCall(RungSystemSetFromOptions(sys));
      PetscCall(PetscOptionsClearValue(NULL, "-system_mat_type"));
    }
    for (PetscInt k = 0; k < row[i].held; ++k)
      PetscCall(RungSystemAddConstraint(sys, 1, &names[row[i].held - 1 ? k : 2], (PetscReal[]){0, 0, 0},
                                        (PetscReal[]){1}, NULL));
    PetscCall(RungSystemCreateVec(sys, &u));
    if (row[i].raises)
      CHECK_RAISES(RungSystemSolve(sys, NULL, 0, 0, 0, u), row[i].raises);
    else
      PetscCall(RungSystemSolve(sys, NULL, 0, 0, 0, u));
    PetscCall(VecDestroy(&u));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungSpaceDestroy(&V));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A system of unknowns in P1 on cells of an interval; n of them, named in pairs. */
static PetscErrorCode make_line(PetscInt cells, PetscReal length, PetscInt n, const char *const name[][2],
                                RungSystem *sys)
{
  RungMesh  mesh;
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, &cells, &length));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  for (PetscInt i = 0; i < n; ++i) PetscCall(RungSystemAddUnknown(*sys, name[i][0], name[i][1], V));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A diode without a voltage, in nm and V: quasi-Fermi potentials are 0 but for the rounding of n p - n_i^2, which J w shows nothing of. */
static PetscErrorCode test_carriers_in_balance_are_a_solution(void)
{
  const PetscReal steep = 0.02585 * PetscLogReal(1e6);
  RungSystem      sys;
  Vec             u;
  PetscReal       most;

  PetscFunctionBegin;
  PetscCall(make_line(200, 1000, 3, (const char *const[][2]){{"phi", "v"}, {"fn", "a"}, {"fp", "b"}}, &sys));
  PetscCall(RungSystemSetConstant(sys, "T", 0.02585));
  PetscCall(RungSystemSetConstant(sys, "steep", steep));
  PetscCall(RungSystemDefine(sys, "e", "1e-11*exp((phi - fn)/T)"));
  PetscCall(RungSystemDefine(sys, "o", "1e-11*exp((fp - phi)/T)"));
  PetscCall(RungSystemDefine(sys, "R", "(e*o - 1e-22)/(1e3*(e + o + 2e-11))"));
  PetscCall(
    RungSystemAddResidual(sys, "(0.0646*inner(grad(phi), grad(v)) - (o - e + if(x[0] < 500, -1e-5, 1e-5))*v)*dx"));
  PetscCall(RungSystemAddResidual(sys, "(1e5*e*inner(grad(fn), grad(a)) + R*a)*dx"));
  PetscCall(RungSystemAddResidual(sys, "(1e5*o*inner(grad(fp), grad(b)) - R*b)*dx"));
  for (int i = 0; i < 3; ++i) {
    const char *const name[] = {"phi", "fn", "fp"};

    PetscCall(RungSystemSetDirichlet(sys, name[i], "left", i ? "0" : "-steep"));
    PetscCall(RungSystemSetDirichlet(sys, name[i], "right", i ? "0" : "steep"));
  }
  PetscCall(RungSystemSetInitial(sys, "phi", "if(x[0] < 500, -steep, steep)"));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(RungSystemInitial(sys, 0, 0, u));
  PetscCall(RungSystemSolve(sys, NULL, 0, 0, 0, u));
  PetscCall(VecMax(u, NULL, &most));
  CHECK_NEAR(most, steep, 1e-6);
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A turbulent channel whose energy k has a kink at 0: Newton's steps go round, a line search cuts them short, and that is not rounding. */
static PetscErrorCode test_steps_that_a_search_cuts_are_no_rounding(void)
{
  RungSystem sys;
  Vec        u;

  PetscFunctionBegin;
  PetscCall(make_line(40, 1, 2, (const char *const[][2]){{"U", "v"}, {"k", "w"}}, &sys));
  PetscCall(RungSystemDefine(sys, "l", "0.4*x[0]*(1 - x[0]/2)"));
  PetscCall(RungSystemDefine(sys, "N", "0.55*l*sqrt(max(k, 1e-8))"));
  PetscCall(RungSystemAddResidual(sys, "((0.01 + N)*grad(U)[0]*grad(v)[0] - v)*dx"));
  PetscCall(RungSystemAddResidual(sys, "((0.01 + N)*grad(k)[0]*grad(w)[0] - N*grad(U)[0]^2*w)*dx"));
  PetscCall(RungSystemAddResidual(sys, "0.166*max(k, 0)^1.5/(l + 1e-6)*w*dx"));
  PetscCall(RungSystemSetDirichlet(sys, "U", "left", "0"));
  PetscCall(RungSystemSetDirichlet(sys, "k", "left", "0"));
  PetscCall(RungSystemSetInitial(sys, "U", "10*x[0]"));
  PetscCall(RungSystemSetInitial(sys, "k", "1"));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(RungSystemInitial(sys, 0, 0, u));
  CHECK_RAISES(RungSystemSolve(sys, NULL, 0, 0, 0, u), "no solution: Newton ");
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_equations_that_add_up_to_nothing_are_refused), RUNG_TEST(test_a_system_with_rates_is_solved_at_rest),
  RUNG_TEST(test_iterations_that_give_up_say_the_way_out), RUNG_TEST(test_a_linear_problem_has_one_solve_ahead),
  RUNG_TEST(test_slender_cantilevers_bend_by_steps_and_at_once),
  RUNG_TEST(test_a_beam_in_space_bends_by_steps_and_at_once), RUNG_TEST(test_a_hyperelastic_beam_takes_its_traction),
  RUNG_TEST(test_coefficients_of_any_size_are_solved_from_zero), RUNG_TEST(test_the_largest_load_is_told),
  RUNG_TEST(test_a_load_falls_and_time_is_a_load), RUNG_TEST(test_boundary_values_follow_the_load),
  RUNG_TEST(test_carriers_in_balance_are_a_solution), RUNG_TEST(test_steps_that_a_search_cuts_are_no_rounding))
