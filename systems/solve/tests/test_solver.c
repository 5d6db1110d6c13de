/* test_solver.c - linear solvers by traits and size, and what a kept factorisation must not do. */
#include "check.h"
#include "form_problems.h"
#include "ode_problems.h"
#include "vectors.h"
#include "../solver_impl.h"

static PetscErrorCode heat_matrix(RungSystem *sys, Mat *J, PetscReal sigma)
{
  const PetscReal weight[] = {1, sigma};
  Vec             v[2];

  PetscFunctionBegin;
  if (!*sys) PetscCall(heat_create(sys));
  if (!*J) PetscCall(RungSystemCreateMat(*sys, J));
  PetscCall(vecs_create(*sys, 2, v));
  PetscCall(RungSystemJacobian(*sys, 0, v, weight, *J));
  PetscCall(vecs_destroy(2, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |J x - b| with the solver as the defaults left it */
static PetscErrorCode solve(KSP ksp, Mat J, PetscReal *norm)
{
  Vec x, b, r;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(J, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(vec_fill(b, 4));
  PetscCall(KSPSetOperators(ksp, J, J));
  PetscCall(RungSolverSetUp(ksp, J)); /* on four ranks MUMPS foresees too little room for the plate */
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MatMult(J, x, r));
  PetscCall(vec_distance(r, b, norm));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_new_matrix_is_factored_whatever_reuse_says(void)
{
  for (PetscInt reuse = 0; reuse < 2; ++reuse) {
    RungSystem sys = NULL;
    Mat        J   = NULL;
    KSP        ksp;
    PetscReal  norm;

    PetscCall(heat_matrix(&sys, &J, 100));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(RungSystemSetSolverDefaults(sys, ksp, reuse ? RUNG_SOLVE_KEPT : RUNG_SOLVE_ONCE));
    PetscCall(solve(ksp, J, &norm));
    CHECK_NEAR(norm, 0, 1e-9);
    PetscCall(heat_matrix(&sys, &J, 3)); /* another step size */
    PetscCall(solve(ksp, J, &norm));
    CHECK_NEAR(norm, 0, 1e-9);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode expect(RungSystem sys, PetscBool reuse, const char ksp_wanted[], const char pc_wanted[])
{
  KSP       ksp;
  PC        pc;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, reuse ? RUNG_SOLVE_KEPT : RUNG_SOLVE_ONCE));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, ksp_wanted, &same));
  CHECK(same);
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, pc_wanted, &same));
  CHECK(same);
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_small_symmetric_system_gets_cholesky_others_lu(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  PetscCall(expect(sys, PETSC_FALSE, KSPPREONLY, PCCHOLESKY));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(system_create("interval", 1, 4, "P1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + grad(u)[0]*v*dx"));
  PetscCall(expect(sys, PETSC_FALSE, KSPPREONLY, PCLU));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 2 * 101^2 entries of a vector, or 142^2 of a scalar, both just above the limit */
static PetscErrorCode large(const char spec[], PetscInt n, PetscBool reuse, const char ksp_wanted[])
{
  RungSystem  sys;
  PetscMPIInt size;
  const char *pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  pc = !strcmp(ksp_wanted, KSPPREONLY) ? PCCHOLESKY : size > 1 ? PCBJACOBI : PCICC;
  PetscCall(system_create("quadrilateral", 2, n, spec, &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(expect(sys, reuse, ksp_wanted, pc));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_large_definite_systems_iterate(void)
{
  PetscFunctionBegin;
  PetscCall(large("Q1", 141, PETSC_FALSE, KSPCG));
  PetscCall(large("Q1", 141, PETSC_TRUE, KSPCG));
  PetscCall(large("Q1^d", 100, PETSC_FALSE, KSPCG));
  PetscCall(large("Q1^d", 100, PETSC_TRUE, KSPCG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner for M weighted with sigma, at the state 0; of two matrices, as a method has that begins with another. */
static PetscErrorCode tuned(RungSystem sys, PetscReal sigma, const char wanted[], const char type[])
{
  RungTransientSystem ts;
  RungLine            line = {.slope = {1, sigma}};
  PetscBool           wants, same;
  PetscReal           norm;
  MatType             made;
  Vec                 w;
  Mat                 J[2];
  KSP                 ksp;
  PC                  pc;

  PetscFunctionBegin;
  PetscCall(RungTransientSystemCreate(sys, 1, 0, &ts));
  PetscCall(RungSystemCreateVec(sys, &w));
  PetscCall(VecZeroEntries(w));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_KEPT));
  PetscCall(RungSystemWantsTuning(sys, ksp, &wants));
  CHECK(wants);
  for (int i = 0; i < 2; ++i) PetscCall(RungSystemCreateKeptMat(sys, ksp, &J[i]));
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungTransientSystemTuneSolver(ts, 0, &line, w, &J[i], ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, wanted, &same));
    CHECK(same);
    PetscCall(MatGetType(J[i], &made));
    CHECK(!strcmp(made, type) || strstr(made, type) == made + 3);
    PetscCall(solve(ksp, J[i], &norm));
    CHECK_NEAR(norm, 0, sigma < 1e3 ? 1e-4 : 1e-7); /* of 20000 entries 1; the condition, times 1e-10, is up to 1e3 */
  }
  PetscCall(KSPDestroy(&ksp));
  for (int i = 0; i < 2; ++i) PetscCall(MatDestroy(&J[i]));
  PetscCall(VecDestroy(&w));
  PetscCall(RungTransientSystemDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One half of the matrix on one rank, rows on several.  K_ii / (sigma M_ii) = 6 / (sigma h^2), h = 1/141: 0.012, 12, 495 and 1.2e7 */
static PetscErrorCode test_the_preconditioner_follows_the_step(void)
{
  RungSystem  sys;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(system_create("quadrilateral", 2, 141, "Q1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(tuned(sys, 1e7, size > 1 ? PCJACOBI : PCICC, size > 1 ? MATAIJ : MATSBAIJ));
  PetscCall(tuned(sys, 1e4, size > 1 ? PCJACOBI : PCICC, size > 1 ? MATAIJ : MATSBAIJ));
  PetscCall(tuned(sys, 240, size > 1 ? PCBJACOBI : PCICC, size > 1 ? MATAIJ : MATSBAIJ));
  PetscCall(tuned(sys, 1e-2, PCCHOLESKY, MATAIJ)); /* PETSc's own wants rows */
  PetscCall(RungSystemDestroy(&sys));              /* the blocks that it keeps have the type */
  PetscCall(system_create("quadrilateral", 2, 141, "Q1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(PetscOptionsSetValue(NULL, "-sub_pc_type", "ilu"));
  PetscCall(tuned(sys, 1e7, size > 1 ? PCJACOBI : PCICC, MATAIJ));
  PetscCall(PetscOptionsClearValue(NULL, "-sub_pc_type"));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of degree 2 on hexahedra are long: no matrix is made, of scalars and of vectors.  K_ii / (sigma M_ii) is 30 or so. */
static PetscErrorCode test_long_rows_are_not_assembled(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 8, "Q2", &sys));
  PetscCall(RungSystemAddResidual(sys, "(dt(u)*v + inner(grad(u), grad(v)))*dx"));
  PetscCall(tuned(sys, 300, PCJACOBI, MATSHELL));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 20 solves are ahead where nobody knows better. */
static PetscErrorCode test_many_solves_of_high_degrees_get_levels(void)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(system_create("hexahedron", 3, 18, "Q2", &sys));
  PetscCall(RungSystemAddResidual(sys, "(dt(u)*v + inner(grad(u), grad(v)))*dx"));
  PetscCall(tuned(sys, 1, PCMG, MATSHELL));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With two weights of the mass: ICC on one rank, these on several. */
static PetscErrorCode weighed(const char spec[], PetscInt n, const PetscReal sigma[2], const char *const several[2])
{
  RungSystem  sys;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(system_create("quadrilateral", 2, n, spec, &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx"));
  for (int i = 0; i < 2; ++i)
    PetscCall(tuned(sys, sigma[i], size > 1 ? several[i] : PCICC, size > 1 && !strchr(spec, '^') ? MATAIJ : MATSBAIJ));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Jacobi keeps up with blocks for degrees 1 and 2 only.  K_ii / (sigma M_ii) of degree 3 is 2 and 24 here. */
static PetscErrorCode test_high_degrees_get_blocks_on_several_ranks(void)
{
  return weighed("Q3", 47, (const PetscReal[]){6e4, 5e3}, (const char *const[]){PCBJACOBI, PCBJACOBI});
}

/* Vectors like blocks sooner.  K_ii / (sigma M_ii) = 6 / (sigma h^2), h = 1/100: 6 and 60 */
static PetscErrorCode test_vectors_get_blocks_sooner(void)
{
  return weighed("Q1^d", 100, (const PetscReal[]){1e4, 1e3}, (const char *const[]){PCJACOBI, PCBJACOBI});
}

/* At K_ii / (sigma M_ii) = 200 factors that are kept cost less, on any ranks. */
static PetscErrorCode test_stiff_vectors_are_factored(void)
{
  RungSystem  sys;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(system_create("quadrilateral", 2, 100, "Q1^d", &sys));
  PetscCall(RungSystemAddResidual(sys, "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx"));
  PetscCall(tuned(sys, 3e2, PCCHOLESKY, size > 1 ? MATSBAIJ : MATAIJ));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of matrices that are made for each solve: fill where rows are short, none on those of P2 in space, Jacobi on Q2. */
static PetscErrorCode test_long_rows_get_no_fill(void)
{
  static const struct {
    const char *cell, *spec, *pc;
    PetscInt    dim, n, levels;
  } row[] = {{"tetrahedron", "P1", PCICC, 3, 28, 1}, {"tetrahedron", "P2", PCICC, 3, 14, 0},
             {"hexahedron", "Q1", PCICC, 3, 28, 0},  {"hexahedron", "Q2", PCJACOBI, 3, 14, 0},
             {"triangle", "P2", PCICC, 2, 71, 1},    {"hexahedron", "Q3", PCJACOBI, 3, 9, 0}};
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    const PetscBool icc = !strcmp(row[i].pc, PCICC) ? PETSC_TRUE : PETSC_FALSE;
    RungSystem      sys;
    PetscInt        levels;
    PCType          type;
    KSP             ksp;
    PC              pc;

    PetscCall(system_create(row[i].cell, row[i].dim, row[i].n, row[i].spec, &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + exp(t)*inner(grad(u), grad(v))*dx"));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCGetType(pc, &type));
    CHECK(!strcmp(type, icc && size > 1 ? PCBJACOBI : row[i].pc));
    if (icc && size == 1) {
      PetscCall(PCFactorGetLevels(pc, &levels));
      CHECK(levels == row[i].levels);
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' + p = 0, u = 0: a zero on the diagonal, which only a solver that pivots survives */
static PetscErrorCode test_an_algebraic_unknown_gets_a_solver_that_pivots(void)
{
  const PetscReal both[] = {1, 1, 0, 10};
  RungSpace       space;
  RungSystem      sys;
  Vec             v[2];
  Mat             J;
  KSP             ksp;
  PetscReal       norm;

  PetscFunctionBegin;
  PetscCall(space_create("interval", 1, 4, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "p", "q", space));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + p*v*dx + u*q*dx"));
  PetscCall(vecs_create(sys, 2, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, v, both, J));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_ONCE));
  PetscCall(solve(ksp, J, &norm));
  CHECK_NEAR(norm, 0, 1e-10);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(2, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two unknowns on n cells along each axis */
static PetscErrorCode long_pair(PetscInt dim, PetscInt n, const char residual[], const char ksp_wanted[],
                                const char pc_wanted[])
{
  RungSpace  space;
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(space_create(dim == 1 ? "interval" : "quadrilateral", dim, n, "CG1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "p", "q", space));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, residual));
  PetscCall(expect(sys, PETSC_FALSE, ksp_wanted, pc_wanted));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_saddle_point_is_factored_however_large_it_is(void)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(long_pair(2, 317, "dt(u)*v*dx + p*v*dx + u*q*dx", KSPPREONLY,
                      PCCHOLESKY)); /* 2 * 101124 entries: above the limit */
  PetscCall(long_pair(2, 317, "dt(u)*v*dx + p*v*dx + (dt(p) + u)*q*dx", KSPGMRES, size > 1 ? PCBJACOBI : PCILU));
  PetscCall(long_pair(2, 317, "dt(u)*v*dx + p*v*dx + (u - 2*p)*q*dx", KSPPREONLY, PCCHOLESKY));    /* p has no rate */
  PetscCall(long_pair(1, 100100, "dt(u)*v*dx + p*v*dx + (u - 2*p)*q*dx", KSPPREONLY, PCCHOLESKY)); /* but on a line */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels by an option, too, unless it names smoothers, which may want entries. */
static PetscErrorCode test_levels_by_option_have_the_matrix_of_the_default(void)
{
  static const char *const smoother[] = {NULL, "-mg_levels_pc_type", "-mg_levels_1_pc_type"};

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "mg"));
  for (int i = 0; i < 3; ++i) {
    RungSystem sys;
    PetscBool  shell;
    KSP        ksp;
    Mat        J;

    if (i) PetscCall(PetscOptionsSetValue(NULL, smoother[i], "jacobi"));
    PetscCall(system_create("hexahedron", 3, 8, "Q2", &sys)); /* 4913 entries: more than are factored in any case */
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(RungSystemCreateKeptMat(sys, ksp, &J));
    PetscCall(RungIsShell(J, &shell));
    CHECK(shell == (i ? PETSC_FALSE : PETSC_TRUE));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
    if (i) PetscCall(PetscOptionsClearValue(NULL, smoother[i]));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-pc_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which matrix is kept is said by the part that is solved with, whatever stands inside of explicit(): products by kernels, one half, or, of
   vectors, rows, of which what explicit terms alone couple is left out. */
static PetscErrorCode test_explicit_terms_have_no_say_in_what_matrix_is_kept(void)
{
  static const struct {
    const char *cell, *spec, *residual, *wanted;
    PetscInt    dim, count;
    PetscBool   scalar; /* rows on several ranks */
  } row[] = {
    {"hexahedron", "Q2", "dt(u)*v*dx + inner(grad(u), grad(v))*dx + explicit(u^2*v*dx)", MATSHELL, 3, 8, PETSC_FALSE},
    {"tetrahedron", "P1", "dt(u)*v*dx + inner(grad(u), grad(v))*dx + explicit(u^2*v*dx)", MATSBAIJ, 3, 16, PETSC_TRUE},
    {"tetrahedron", "P1^3", "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx", MATSBAIJ, 3, 12, PETSC_FALSE},
    {"tetrahedron", "P1^3", "inner(dt(u), v)*dx + inner(grad(u), grad(v))*dx + explicit(inner(dot(grad(u), u), v)*dx)",
     MATAIJ, 3, 12, PETSC_FALSE},
  };

  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(row); ++i) {
    RungSystem  sys;
    const char *wanted;
    MatType     made;
    KSP         ksp;
    Mat         J;

    PetscCall(system_create(row[i].cell, row[i].dim, row[i].count, row[i].spec, &sys));
    PetscCall(RungSystemAddResidual(sys, row[i].residual));
    PetscCall(RungSystemSetUp(sys));
    RungSystemTakePart(sys, RUNG_IMPLICIT);
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_KEPT));
    PetscCall(RungSystemCreateKeptMat(sys, ksp, &J));
    PetscCall(MatGetType(J, &made));
    wanted = size > 1 && row[i].scalar ? MATAIJ : row[i].wanted;
    CHECK(!strcmp(made, wanted) || strstr(made, wanted) == made + 3);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&J));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels would apply J, which lines are not found in: entries are made for slender hexahedra first.  The sides of cells are 20 to 1 in lengths of
   what diffuses. */
static PetscErrorCode test_lines_of_slender_hexahedra_are_found_for_many_solves(void)
{
  RungSystem  sys;
  PetscMPIInt size;
  char        given[64];
  PetscBool   set;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS); /* lines are those of one process */
  PetscCall(PetscOptionsGetString(NULL, NULL, "-form_backend", given, sizeof given, &set));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "c"));
  PetscCall(system_create("hexahedron", 3, 36, "Q1", &sys));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + (inner(grad(u), grad(v)) + 399*grad(u)[2]*grad(v)[2])*dx"));
  PetscCall(RungSystemSetSolvesAhead(sys, 100, 1));
  PetscCall(tuned(sys, 100, PCSHELL, MATSBAIJ)); /* ICC in an order of its own */
  CHECK(!strcmp(sys->tuned_row, "lines"));
  PetscCall(RungSystemDestroy(&sys));
  if (set)
    PetscCall(PetscOptionsSetValue(NULL, "-form_backend", given));
  else
    PetscCall(PetscOptionsClearValue(NULL, "-form_backend"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The guess of a step may leave any multiple of a right-hand side that has died away: PETSc takes 1e4 times as much for divergence. */
static PetscErrorCode test_a_guess_far_above_the_right_hand_side_is_no_failure(void)
{
  PetscFunctionBegin;
  for (int degree = 1; degree < 3; ++degree) {
    RungSystem sys;
    KSP        ksp;
    PetscReal  divergence;

    PetscCall(system_create("tetrahedron", 3, degree == 1 ? 16 : 8, degree == 1 ? "CG1" : "CG2", &sys));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx"));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(RungSystemSetSolverDefaults(sys, ksp, RUNG_SOLVE_KEPT));
    PetscCall(KSPGetTolerances(ksp, NULL, NULL, &divergence, NULL));
    CHECK(divergence >= 1e300);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_new_matrix_is_factored_whatever_reuse_says),
               RUNG_TEST(test_a_small_symmetric_system_gets_cholesky_others_lu),
               RUNG_TEST(test_large_definite_systems_iterate), RUNG_TEST(test_the_preconditioner_follows_the_step),
               RUNG_TEST(test_high_degrees_get_blocks_on_several_ranks), RUNG_TEST(test_vectors_get_blocks_sooner),
               RUNG_TEST(test_stiff_vectors_are_factored),
               RUNG_TEST(test_lines_of_slender_hexahedra_are_found_for_many_solves),
               RUNG_TEST(test_a_guess_far_above_the_right_hand_side_is_no_failure),
               RUNG_TEST(test_long_rows_get_no_fill), RUNG_TEST(test_long_rows_are_not_assembled),
               RUNG_TEST(test_levels_by_option_have_the_matrix_of_the_default),
               RUNG_TEST(test_explicit_terms_have_no_say_in_what_matrix_is_kept),
               RUNG_TEST(test_many_solves_of_high_degrees_get_levels),
               RUNG_TEST(test_an_algebraic_unknown_gets_a_solver_that_pivots),
               RUNG_TEST(test_a_saddle_point_is_factored_however_large_it_is))
