/* test_system_callback.c - systems of C functions: differences, conserved parts, errors that pass through. */
#include "check.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */
#include "ode_problems.h"
#include "vectors.h"

/* Robertson's kinetics, F = u' - r(u) */
static void robertson(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  const PetscScalar slow = 0.04 * u[0][0], back = 1e4 * u[0][1] * u[0][2], fast = 3e7 * u[0][1] * u[0][1];

  (void)t;
  r[0] = u[1][0] + slow - back;
  r[1] = u[1][1] - slow + back + fast;
  r[2] = u[1][2] - fast;
}

static PetscErrorCode test_differences_are_the_jacobian_of_robertson(void)
{
  static const PetscReal initial[] = {1, 2e-5, 0.3, 0, 0, 0};
  const Ode              ode       = {.n = 3, .order = 1, .function = robertson, .initial = initial};
  const PetscReal        sigma[] = {1, 50}, y1 = 2e-5, y2 = 0.3;
  const PetscReal        wanted[3][3] = {
           {50 + 0.04, -1e4 * y2, -1e4 * y1}, {-0.04, 50 + 1e4 * y2 + 6e7 * y1, 1e4 * y1}, {0, -6e7 * y1, 50}};
  RungSystem sys;
  Vec        u[2];
  Mat        J;

  PetscFunctionBegin;
  PetscCall(ode_create(&ode, &sys));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemInitial(sys, 0, 0, u[0]));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  for (PetscInt i = 0; i < 3; ++i) {
    for (PetscInt j = 0; j < 3; ++j) {
      PetscScalar entry;

      PetscCall(MatGetValue(J, i, j, &entry));
      CHECK_NEAR(entry, wanted[i][j], 1e-5 * (1 + fabs(wanted[i][j])));
    }
  }
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A rate that is nearly zero must not make the step of its difference so: the column would drown in rounding. */
static PetscErrorCode test_a_tiny_rate_does_not_spoil_its_column(void)
{
  static const PetscReal initial[] = {1, 2e-5, 0.3, 1e-18, 1e-18, 1e-18};
  const Ode              ode       = {.n = 3, .order = 1, .function = robertson, .initial = initial};
  const PetscReal        sigma[]   = {0, 1};
  RungSystem             sys;
  Vec                    u[2];
  Mat                    J;

  PetscFunctionBegin;
  PetscCall(ode_create(&ode, &sys));
  PetscCall(vecs_create(sys, 2, u));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemInitial(sys, 0, k, u[k]));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  for (PetscInt i = 0; i < 3; ++i) {
    PetscScalar entry;

    PetscCall(MatGetValue(J, i, i, &entry));
    CHECK_NEAR(entry, 1, 1e-5);
  }
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Logistic growth in units: values of size A, times T; F = u' T - u (1 - u/A) */
static PetscReal size_A, time_T;

static void logistic(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  for (int i = 0; i < 2; ++i) r[i] = u[1][i] * time_T - u[0][i] * (1 - u[0][i] / size_A);
}

/* Rounding of F over the step: 2e-16*0.3/(1.5e-8*0.01), or, with the rate 1 in a step of 1/20, 2e-16/(1.5e-8*0.05). */
static PetscErrorCode check_logistic(const PetscReal values[], PetscReal tol)
{
  PetscReal  initial[4];
  const Ode  ode      = {.n = 2, .order = 1, .function = logistic, .initial = initial};
  PetscReal  sigma[2] = {1, 20 / time_T};
  RungSystem sys;
  Vec        u[2];
  Mat        J;

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) initial[i] = values[i] * (i < 2 ? size_A : size_A / time_T);
  PetscCall(ode_create(&ode, &sys));
  PetscCall(vecs_create(sys, 2, u));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemInitial(sys, 0, k, u[k]));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  for (PetscInt i = 0; i < 2; ++i) {
    PetscScalar entry;

    PetscCall(MatGetValue(J, i, i, &entry));
    CHECK_NEAR(entry, 19 + 2 * values[i], tol);
  }
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A fast decay, F = u' - u/T, at rest: a rate of the size of the values would drown beside u/T. */
static void fast(PetscReal t, const PetscScalar *const u[], PetscScalar r[])
{
  (void)t;
  r[0] = u[1][0] - u[0][0] / time_T;
}

static PetscErrorCode test_rates_do_not_drown_beside_fast_values(void)
{
  static const PetscReal initial[] = {1, 0}, sigma[] = {0, 1};
  const Ode              ode = {.n = 1, .order = 1, .function = fast, .initial = initial};

  PetscFunctionBegin;
  for (time_T = 1; time_T > 1e-13; time_T /= 1e3) {
    RungSystem  sys;
    PetscScalar entry;
    Vec         u[2];
    Mat         J;

    PetscCall(ode_create(&ode, &sys));
    PetscCall(vecs_create(sys, 2, u));
    for (PetscInt k = 0; k < 2; ++k) PetscCall(RungSystemInitial(sys, 0, k, u[k]));
    PetscCall(RungSystemCreateMat(sys, &J));
    PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
    PetscCall(MatGetValue(J, 0, 0, &entry));
    CHECK_NEAR(entry, 1, 1e-4);
    PetscCall(MatDestroy(&J));
    PetscCall(vecs_destroy(2, u));
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F = u_i^(order) - u_i/T^order, without what is between: all rates are far larger than the values. */
static PetscErrorCode fast_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  RungTraits traits;

  PetscFunctionBegin;
  (void)t, (void)ctx;
  PetscCall(RungSystemGetTraits(sys, &traits));
  PetscCall(VecWAXPY(r, -PetscPowReal(time_T, -(PetscReal)traits.order), u[0], u[traits.order]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode diagonal_matrix(RungSystem sys, Mat *J, void *ctx)
{
  PetscInt n = *(PetscInt *)ctx, start, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(RungSystemComm(sys), n, n, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL, J));
  PetscCall(MatGetOwnershipRange(*J, &start, &end));
  for (PetscInt i = start; i < end; ++i) PetscCall(MatSetValue(*J, i, i, 0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dF/du^(order) = 1, of values that are not 0, at rest */
static PetscErrorCode check_fast(PetscInt order, RungMatFn *matrix)
{
  const PetscReal sigma[] = {0, order == 1, order == 2};
  PetscInt        local   = 5;
  RungSystem      sys;
  Vec             u[3], d;
  Mat             J;
  PetscReal       off;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(
    RungSystemSetCallbacks(sys, local, (RungTraits){.unknowns = 1, .order = order}, fast_residual, NULL, &local));
  if (matrix) PetscCall(RungSystemSetMatCallback(sys, matrix));
  PetscCall(vecs_create(sys, order + 1, u));
  PetscCall(VecDuplicate(u[0], &d));
  PetscCall(VecSet(u[0], 0.7));
  for (PetscInt k = 1; k <= order; ++k) PetscCall(VecZeroEntries(u[k]));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  PetscCall(MatGetDiagonal(J, d));
  PetscCall(VecShift(d, -1));
  PetscCall(VecNorm(d, NORM_INFINITY, &off));
  CHECK_NEAR(off, 0, 1e-4);
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&d));
  PetscCall(vecs_destroy(order + 1, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Picoseconds in seconds: u'' is 1e24 times u, column by column and columns of one color together. */
static PetscErrorCode test_rates_of_any_order_do_not_drown_in_fast_units(void)
{
  PetscFunctionBegin;
  for (time_T = 1; time_T > 1e-13; time_T /= 1e3) {
    for (PetscInt order = 1; order <= 2; ++order) {
      PetscCall(check_fast(order, NULL));
      PetscCall(check_fast(order, diagonal_matrix));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Differences are relative to values, or, where these are nothing but rounding, to what rates make of them in a step: in any units. */
static PetscErrorCode test_differences_have_the_units_of_the_system(void)
{
  static const PetscReal size[] = {1, 1e-12, 1e-30, 1e15}, time[] = {1, 1e-9, 1e9};

  PetscFunctionBegin;
  for (size_t a = 0; a < PETSC_STATIC_ARRAY_LENGTH(size); ++a) {
    for (size_t b = 0; b < PETSC_STATIC_ARRAY_LENGTH(time); ++b) {
      size_A = size[a];
      time_T = time[b];
      PetscCall(check_logistic((PetscReal[]){0.3, 1e-4, 0.2, 0.1}, 1e-5));
      PetscCall(check_logistic((PetscReal[]){1e-17, 0, 1, 0.1}, 1e-5));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- conserved callbacks: R = u, m = u + u^3 ----------------------------------------------------------------------- */

static PetscErrorCode decay(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecCopy(u[0], r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cubic(RungSystem sys, PetscReal t, Vec u, Vec m, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecPointwiseMult(m, u, u));
  PetscCall(VecPointwiseMult(m, m, u));
  PetscCall(VecAXPY(m, 1, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cubic_jacobian(RungSystem sys, PetscReal t, Vec u, PetscReal sigma, Mat J, void *ctx)
{
  const PetscScalar *x;
  PetscInt           n;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetLocalSize(u, &n));
  PetscCall(VecGetArrayRead(u, &x));
  for (PetscInt i = 0; i < n; ++i) PetscCall(MatSetValue(J, i, i, sigma * (1 + 3 * x[i] * x[i]), ADD_VALUES));
  PetscCall(VecRestoreArrayRead(u, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode conserved_create(RungSystem *sys, Vec v[4], Mat *J)
{
  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_SELF, sys));
  PetscCall(RungSystemSetCallbacks(*sys, 3, (RungTraits){.unknowns = 1, .order = 1}, decay, NULL, NULL));
  PetscCall(RungSystemSetConservedCallbacks(*sys, cubic, cubic_jacobian));
  PetscCall(vecs_create(*sys, 4, v));
  PetscCall(RungSystemCreateMat(*sys, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode conserved_destroy(RungSystem *sys, Vec v[4], Mat *J)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(J));
  PetscCall(vecs_destroy(4, v));
  PetscCall(RungSystemDestroy(sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_conserved_callbacks_give_both_residuals(void)
{
  const PetscReal    slope[] = {1, 7};
  RungSystem         sys;
  Vec                v[4];
  Mat                J;
  const PetscScalar *u, *rate, *full, *stage;

  PetscFunctionBegin;
  PetscCall(conserved_create(&sys, v, &J));
  PetscCall(RungSystemResidual(sys, 0, v, v[2]));
  PetscCall(RungSystemStageResidual(sys, 0, v, slope, v[3]));
  PetscCall(VecGetArrayRead(v[0], &u));
  PetscCall(VecGetArrayRead(v[1], &rate));
  PetscCall(VecGetArrayRead(v[2], &full));
  PetscCall(VecGetArrayRead(v[3], &stage));
  for (PetscInt i = 0; i < 3; ++i) {
    CHECK_NEAR(full[i], u[i] + (1 + 3 * u[i] * u[i]) * rate[i], 1e-14);
    CHECK_NEAR(stage[i], u[i] + 7 * (u[i] + u[i] * u[i] * u[i]), 1e-14);
  }
  PetscCall(VecRestoreArrayRead(v[3], &stage));
  PetscCall(VecRestoreArrayRead(v[2], &full));
  PetscCall(VecRestoreArrayRead(v[1], &rate));
  PetscCall(VecRestoreArrayRead(v[0], &u));
  PetscCall(conserved_destroy(&sys, v, &J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_conserved_callbacks_give_both_jacobians(void)
{
  const PetscReal    slope[] = {1, 7};
  RungSystem         sys;
  Vec                v[4];
  Mat                J;
  const PetscScalar *u, *rate;

  PetscFunctionBegin;
  PetscCall(conserved_create(&sys, v, &J));
  PetscCall(VecGetArrayRead(v[0], &u));
  PetscCall(VecGetArrayRead(v[1], &rate));
  for (PetscInt stage = 0; stage < 2; ++stage) {
    if (stage)
      PetscCall(RungSystemStageJacobian(sys, 0, v, slope, J));
    else
      PetscCall(RungSystemJacobian(sys, 0, v, slope, J));
    for (PetscInt i = 0; i < 3; ++i) {
      const PetscReal second = stage ? 0 : 6 * u[i] * rate[i]; /* only the chain rule sees m'' */
      PetscScalar     entry;

      PetscCall(MatGetValue(J, i, i, &entry));
      CHECK_NEAR(entry, 1 + second + 7 * (1 + 3 * u[i] * u[i]), 1e-6);
    }
  }
  PetscCall(VecRestoreArrayRead(v[1], &rate));
  PetscCall(VecRestoreArrayRead(v[0], &u));
  PetscCall(conserved_destroy(&sys, v, &J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- errors ------------------------------------------------------------------------------------------------------- */

/* On several ranks only the last one fails; all must hear of it. */
static PetscErrorCode failing(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)u, (void)r, (void)ctx;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (rank == size - 1) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "the pump broke");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_error_of_a_callback_reaches_every_rank(void)
{
  RungSystem  sys;
  Vec         v[3];
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, 1, (RungTraits){.unknowns = 1, .order = 1}, failing, NULL, NULL));
  PetscCall(vecs_create(sys, 3, v));
  CHECK_RAISES(RungSystemResidual(sys, 0, v, v[2]), size == 1 ? "the pump broke" : ": the pump broke");
  PetscCall(vecs_destroy(3, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error without a text, as of a function that tells of an overflow by its status. */
static PetscErrorCode silent(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  (void)sys, (void)t, (void)u, (void)r, (void)ctx;
  return PETSC_ERR_FP;
}

static PetscErrorCode test_an_error_without_a_text_names_the_callback(void)
{
  RungSystem sys;
  Vec        v[3];

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, 1, (RungTraits){.unknowns = 1, .order = 1}, silent, NULL, NULL));
  PetscCall(vecs_create(sys, 3, v));
  CHECK_RAISES(RungSystemResidual(sys, 0, v, v[2]),
               "the residual callback returned error 72 on rank 0: Floating point");
  PetscCall(vecs_destroy(3, v));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- differences on any number of ranks: u_i'' + u_i' u_(i+1) - u_i^2 on a ring, 3 + rank entries of each rank ------ */

static PetscInt evaluations;

static PetscErrorCode ring_residual(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *x, *v, *a;
  PetscScalar       *f, *all;
  PetscInt           n, start, end;
  VecScatter         everywhere;
  Vec                whole;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  ++evaluations;
  PetscCall(VecScatterCreateToAll(u[0], &everywhere, &whole));
  PetscCall(VecScatterBegin(everywhere, u[0], whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(everywhere, u[0], whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetSize(u[0], &n));
  PetscCall(VecGetOwnershipRange(u[0], &start, &end));
  PetscCall(VecGetArray(whole, &all));
  PetscCall(VecGetArrayRead(u[0], &x));
  PetscCall(VecGetArrayRead(u[1], &v));
  PetscCall(VecGetArrayRead(u[2], &a));
  PetscCall(VecGetArrayWrite(r, &f));
  for (PetscInt i = 0; i < end - start; ++i) f[i] = a[i] + v[i] * all[(start + i + 1) % n] - x[i] * x[i];
  PetscCall(VecRestoreArrayWrite(r, &f));
  PetscCall(VecRestoreArrayRead(u[2], &a));
  PetscCall(VecRestoreArrayRead(u[1], &v));
  PetscCall(VecRestoreArrayRead(u[0], &x));
  PetscCall(VecRestoreArray(whole, &all));
  PetscCall(VecScatterDestroy(&everywhere));
  PetscCall(VecDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* zeros at the diagonal and right of it */
static PetscErrorCode ring_matrix(RungSystem sys, Mat *J, void *ctx)
{
  const PetscInt *local = (const PetscInt *)ctx;
  PetscInt        n, start, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(RungSystemComm(sys), *local, *local, PETSC_DETERMINE, PETSC_DETERMINE, 2, NULL, 2, NULL, J));
  PetscCall(MatGetSize(*J, &n, NULL));
  PetscCall(MatGetOwnershipRange(*J, &start, &end));
  for (PetscInt i = start; i < end; ++i) {
    PetscCall(MatSetValue(*J, i, i, 0, INSERT_VALUES));
    PetscCall(MatSetValue(*J, i, (i + 1) % n, 0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J x against (F(u + e sigma x) - F(u - e sigma x)) / 2 e, which is exact: F is of degree 2 */
static PetscErrorCode check_ring(RungSystem sys)
{
  const PetscReal sigma[] = {2, 30, 400};
  Vec             v[9];
  Mat             J;
  PetscReal       off, size;

  PetscFunctionBegin;
  PetscCall(vecs_create(sys, 9, v));
  PetscCall(RungSystemCreateMat(sys, &J));
  for (int twice = 0; twice < 2; ++twice) PetscCall(RungSystemJacobian(sys, 0, v, sigma, J));
  PetscCall(MatMult(J, v[3], v[4]));
  for (int side = -1; side <= 1; side += 2) {
    for (PetscInt k = 0; k < 3; ++k) PetscCall(VecWAXPY(v[5 + k], side * sigma[k], v[3], v[k]));
    PetscCall(RungSystemResidual(sys, 0, v + 5, v[8]));
    PetscCall(VecAXPY(v[4], -0.5 * side, v[8]));
  }
  PetscCall(VecNorm(v[4], NORM_INFINITY, &off));
  PetscCall(MatNorm(J, NORM_INFINITY, &size));
  CHECK(size > 400 && off < 1e-6 * size);
  PetscCall(MatDestroy(&J));
  PetscCall(vecs_destroy(9, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_differences(PetscInt local, RungMatFn *matrix, PetscInt most)
{
  RungSystem sys;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, local, (RungTraits){.unknowns = 1, .order = 2}, ring_residual, NULL, &local));
  if (matrix) PetscCall(RungSystemSetMatCallback(sys, matrix));
  evaluations = 0;
  PetscCall(check_ring(sys));
  CHECK(evaluations <= most);
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_differences_are_the_jacobian_on_any_number_of_ranks(void)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(check_differences(3 + rank, NULL, 50));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two or three columns of a ring move together: systems far above the limit of full matrices take few evaluations. */
static PetscErrorCode test_columns_that_share_no_row_are_differenced_together(void)
{
  PetscFunctionBegin;
  PetscCall(check_differences(1001, ring_matrix, 2 * (3 + 1 + 1) + 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_traits_that_make_no_sense_are_refused(void)
{
  RungSystem sys;
  Mat        J;

  PetscFunctionBegin;
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  CHECK_RAISES(RungSystemSetCallbacks(sys, 2, (RungTraits){.order = 3}, decay, NULL, NULL), "order 3 in time");
  CHECK_RAISES(RungSystemSetCallbacks(sys, 2, (RungTraits){.unknowns = 2}, decay, NULL, NULL), "wanted 1");
  CHECK_RAISES(RungSystemSetCallbacks(sys, 2, (RungTraits){.order = 1}, NULL, NULL, NULL), "without a residual");
  CHECK_RAISES(RungSystemSetCallbacks(sys, -1, (RungTraits){.order = 1}, decay, NULL, NULL), "-1 local entries");
  PetscCall(RungSystemSetCallbacks(sys, 1001, (RungTraits){.order = 1}, decay, NULL, NULL));
  CHECK_RAISES(RungSystemCreateMat(sys, &J), "give one with RungSystemSetMatCallback");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode no_matrix(RungSystem sys, Mat *J, void *ctx)
{
  PetscFunctionBegin;
  (void)sys, (void)J, (void)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode other_matrix(RungSystem sys, Mat *J, void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  PetscCall(MatCreateAIJ(RungSystemComm(sys), 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, 3, NULL, 3, NULL, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_matrices_that_do_not_fit_are_refused(void)
{
  RungSystem sys;
  Mat        J;

  PetscFunctionBegin;
  for (int i = 0; i < 2; ++i) {
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemSetCallbacks(sys, 2, (RungTraits){.order = 1}, decay, NULL, NULL));
    PetscCall(RungSystemSetMatCallback(sys, i ? other_matrix : no_matrix));
    CHECK_RAISES(RungSystemCreateMat(sys, &J),
                 i ? "gave a matrix of 3 rows and 3 columns on a rank where the system has 2" : "gave no matrix");
    PetscCall(RungSystemDestroy(&sys));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r = u, on ranks that have entries alone: nothing else of r is touched. */
static PetscErrorCode residual_of_some_ranks(RungSystem sys, PetscReal t, const Vec u[], Vec r, void *ctx)
{
  const PetscScalar *x;
  PetscScalar       *y;
  PetscInt           n;

  PetscFunctionBegin;
  (void)sys, (void)t, (void)ctx;
  PetscCall(VecGetLocalSize(r, &n));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(u[0], &x));
  PetscCall(VecGetArray(r, &y));
  PetscCall(PetscArraycpy(y, x, n));
  PetscCall(VecRestoreArray(r, &y));
  PetscCall(VecRestoreArrayRead(u[0], &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A norm is kept until the state of its Vec moves: it has to move on all ranks, or some of them wait for the others. */
static PetscErrorCode test_what_a_callback_gives_is_new_on_all_ranks(void)
{
  const RungTraits traits = {.unknowns = 1, .linear = PETSC_TRUE, .constant_jacobian = PETSC_TRUE};
  RungSystem       sys;
  PetscMPIInt      rank;
  PetscObjectState state[2];
  Vec              u, r;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemSetCallbacks(sys, rank ? 0 : 2, traits, residual_of_some_ranks, NULL, NULL));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(RungSystemCreateVec(sys, &u));
  PetscCall(VecDuplicate(u, &r));
  PetscCall(VecSet(u, 3));
  PetscCall(PetscObjectStateGet((PetscObject)r, &state[0]));
  PetscCall(RungSystemResidual(sys, 0, &u, r));
  PetscCall(PetscObjectStateGet((PetscObject)r, &state[1]));
  CHECK(state[1] > state[0]);
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(
  RUNG_TEST(test_what_a_callback_gives_is_new_on_all_ranks), RUNG_TEST(test_matrices_that_do_not_fit_are_refused),
  RUNG_TEST(test_differences_are_the_jacobian_of_robertson), RUNG_TEST(test_a_tiny_rate_does_not_spoil_its_column),
  RUNG_TEST(test_differences_have_the_units_of_the_system), RUNG_TEST(test_rates_do_not_drown_beside_fast_values),
  RUNG_TEST(test_rates_of_any_order_do_not_drown_in_fast_units),
  RUNG_TEST(test_conserved_callbacks_give_both_residuals), RUNG_TEST(test_conserved_callbacks_give_both_jacobians),
  RUNG_TEST(test_an_error_of_a_callback_reaches_every_rank), RUNG_TEST(test_an_error_without_a_text_names_the_callback),
  RUNG_TEST(test_differences_are_the_jacobian_on_any_number_of_ranks),
  RUNG_TEST(test_columns_that_share_no_row_are_differenced_together),
  RUNG_TEST(test_traits_that_make_no_sense_are_refused))
