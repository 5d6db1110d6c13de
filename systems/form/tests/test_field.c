/* test_field.c - fields of other spaces, and unknowns of other systems, as coefficients. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

/* u in P1 on the unit square of triangles, with a field f in DP0, P2 or a vector space */
static PetscErrorCode begin(const char spec[], RungMesh *mesh, RungSystem *sys, RungField *field)
{
  RungSpace P1, other;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, "triangle", 2, (PetscInt[]){3, 3}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(*mesh, "P1", &P1));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", P1));
  PetscCall(RungSpaceDestroy(&P1));
  *field = NULL;
  if (!spec) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceCreate(*mesh, spec, &other));
  PetscCall(RungFieldCreate(other, "f", field));
  PetscCall(RungSpaceDestroy(&other));
  PetscCall(RungSystemAddField(*sys, "f", *field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values of x[0] + 2 x[1] at the field's nodes, in every component */
static PetscErrorCode fill(RungField field)
{
  const RungSpaceData *data;
  RungSpace            space;
  Vec                  values;
  PetscScalar         *f;

  PetscFunctionBegin;
  PetscCall(RungFieldGetSpace(field, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungFieldGetVec(field, &values));
  PetscCall(VecGetArrayWrite(values, &f));
  for (PetscInt i = 0; i < data->owned; ++i) {
    for (PetscInt a = 0; a < data->components; ++a)
      f[i * data->components + a] = data->x[2 * i] + 2 * data->x[2 * i + 1];
  }
  PetscCall(VecRestoreArrayWrite(values, &f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_fields_of_other_spaces_are_coefficients(void)
{
  static const char *const spec[]     = {"P2", "DP0", "P1^2", "DP1"};
  static const char *const quantity[] = {"f*u*dx + dot(grad(f), vector(1, 1))*dx", "f*u*dx", "f[1]*u*dx + div(f)*dx",
                                         "f*u*dx"};
  static const double      wanted[]   = {1.5 + 3, 1.5, 1.5 + 3, 1.5};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) {
    RungMesh   mesh;
    RungSystem sys;
    RungField  field;
    RungTraits traits;
    Vec        u[2];
    PetscReal  value;

    PetscCall(begin(spec[i], &mesh, &sys, &field));
    PetscCall(fill(field));
    PetscCall(RungSystemAddResidual(sys, i == 2 ? "(1 + f[0]^2)*u*v*dx" : "(1 + f^2)*u*v*dx"));
    PetscCall(RungSystemAddQuantity(sys, "q", quantity[i]));
    PetscCall(RungSystemGetTraits(sys, &traits));
    CHECK(traits.constant_jacobian && !traits.time_dependent);
    PetscCall(vecs_create(sys, 2, u));
    PetscCall(VecSet(u[0], 1));
    PetscCall(RungSystemEvaluateQuantities(sys, 0, u, &value));
    CHECK_NEAR(value, wanted[i], 1e-13);
    PetscCall(vecs_destroy(2, u));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungFieldDestroy(&field));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The other system has two unknowns, of which the second, a vector, is coupled. */
static PetscErrorCode test_unknowns_of_another_system_are_coefficients(void)
{
  RungMesh   mesh;
  RungSystem sys, other;
  RungSpace  P2;
  RungField  none;
  RungTraits traits;
  PetscInt   start, end, first;
  Vec        u[2], w;
  PetscReal  value;

  PetscFunctionBegin;
  PetscCall(begin(NULL, &mesh, &sys, &none));
  PetscCall(RungSpaceCreate(mesh, "P2^2", &P2));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &other));
  PetscCall(RungSystemAddUnknown(other, "c", "p", P2));
  PetscCall(RungSystemAddUnknown(other, "w", "q", P2));
  PetscCall(RungSpaceDestroy(&P2));
  PetscCall(RungSystemAddResidual(other, "inner(c, p)*dx + inner(w, q)*dx"));
  CHECK_RAISES(RungSystemAddCoupling(sys, "wind", other, "ww"), "no unknown \"ww\"; did you mean \"w\"?");
  CHECK_RAISES(RungSystemAddCoupling(sys, "wind", sys, "u"), "of this very system");
  PetscCall(RungSystemAddCoupling(sys, "wind", other, "w"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + dot(wind, grad(u))*v*dx"));
  PetscCall(RungSystemAddQuantity(sys, "q", "(wind[0] + 10*wind[1])*dx"));
  PetscCall(RungSystemGetTraits(sys, &traits));
  CHECK(traits.time_dependent && !traits.constant_jacobian && !traits.constant_block[0] && traits.constant_block[1]);
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, u, &value));
  CHECK_NEAR(value, 0, 1e-15);
  PetscCall(RungSystemCreateVec(other, &w));
  PetscCall(VecSet(w, 7));
  PetscCall(RungSystemGetRange(other, 1, &start, &end));
  PetscCall(VecGetOwnershipRange(w, &first, NULL));
  for (PetscInt i = start; i < end; ++i) PetscCall(VecSetValue(w, first + i, (i - start) % 2 ? 3 : 2, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(w));
  PetscCall(VecAssemblyEnd(w));
  PetscCall(RungSystemSetCoupled(sys, "wind", w));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, u, &value));
  CHECK_NEAR(value, 32, 1e-12);
  CHECK_RAISES(RungSystemSetCoupled(sys, "u", w), "\"u\" is not coupled to another system");
  PetscCall(VecDestroy(&w));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&other)); /* the coupling keeps it */
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dt() of what another system gives is its rates, by the chain rule through products, powers and data. */
static PetscErrorCode test_rates_of_another_system_are_time_derivatives(void)
{
  static const char *const set[3] = {"wind", "dt(wind)", "dt(wind,2)"};
  RungMesh                 mesh;
  RungSystem               sys, other;
  RungSpace                P2;
  RungField                none;
  Vec                      u[2], w, r;
  PetscReal                value;

  PetscFunctionBegin;
  PetscCall(begin(NULL, &mesh, &sys, &none));
  PetscCall(RungSpaceCreate(mesh, "P2", &P2));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &other));
  PetscCall(RungSystemAddUnknown(other, "w", "q", P2));
  PetscCall(RungSpaceDestroy(&P2));
  PetscCall(RungSystemAddResidual(other, "dt(w, 2)*q*dx"));
  PetscCall(RungSystemAddCoupling(sys, "wind", other, "w"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + dt(wind*u)*v*dx"));
  PetscCall(
    RungSystemAddQuantity(sys, "q", "(dt(wind*u) + 100*dt(wind^2, 2) + 1e5*dt(t*wind) + 1e8*grad(dt(wind))[0])*dx"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(VecDuplicate(u[0], &r));
  PetscCall(RungSystemCreateVec(other, &w));
  PetscCall(VecSet(w, 2));
  PetscCall(RungSystemSetCoupled(sys, set[0], w));
  CHECK_RAISES(RungSystemResidual(sys, 0, u, r), "which was never given; RungSystemSetCoupled(sys, \"dt(wind)\", ..)");
  CHECK_RAISES(RungSystemSetCoupled(sys, "dt(wnd)", w), "\"dt(wnd)\" is not coupled");
  for (int k = 0; k < 3; ++k) {
    PetscCall(VecSet(w, k == 0 ? 2 : k == 1 ? 5 : 11));
    PetscCall(RungSystemSetCoupled(sys, set[k], w));
  }
  PetscCall(VecSet(u[0], 1));
  PetscCall(VecSet(u[1], 4));
  PetscCall(RungSystemEvaluateQuantities(sys, 3, u, &value));
  CHECK_NEAR(value, 13 + 100 * (2 * 25 + 2 * 2 * 11) + 1e5 * (2 + 3 * 5), 1e-5);
  PetscCall(RungSystemResidual(sys, 3, u, r));
  PetscCall(VecSum(r, &value));
  CHECK_NEAR(value, 4 + 13, 1e-12);
  PetscCall(VecDestroy(&w));
  PetscCall(VecDestroy(&r));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSystemDestroy(&other));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tables and values per part in Dirichlet data, initial data, quantities. */
static PetscErrorCode test_tables_are_data_everywhere(void)
{
  static const char rows[] = "t inflow\n0 1\n2 5\n";
  RungMesh          mesh;
  RungSystem        sys;
  RungField         none;
  RungTraits        traits;
  IS                is;
  Vec               u[2], values;
  PetscReal         value, most;

  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "data.csv", sizeof rows - 1, rows));
  PetscCall(begin(NULL, &mesh, &sys, &none));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + inner(grad(u), grad(v))*dx - table(\"data.csv\")*v*ds(right)"));
  PetscCall(RungSystemSetDirichlet(sys, "u", "left", "table(\"data.csv\", column: inflow)"));
  PetscCall(RungSystemSetInitial(sys, "u", "table(\"data.csv\", 2*x[0])"));
  PetscCall(RungSystemAddQuantity(sys, "q", "table(\"data.csv\", 2*u)*dx"));
  PetscCall(RungSystemGetTraits(sys, &traits));
  CHECK(traits.time_dependent && traits.linear && traits.constant_jacobian);
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemGetDirichlet(sys, 1, 1, &is, &values)); /* the rate of the data */
  PetscCall(VecMax(values, NULL, &most));
  CHECK_NEAR(most, 2, 1e-14);
  PetscCall(ISDestroy(&is));
  PetscCall(VecDestroy(&values));
  PetscCall(RungSystemInitial(sys, 0, 0, u[0]));
  PetscCall(VecMax(u[0], NULL, &most));
  CHECK_NEAR(most, 5, 1e-14);
  PetscCall(VecSet(u[0], 0.5));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, u, &value));
  CHECK_NEAR(value, 3, 1e-13);
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one text, bound twice: to a field of a file and another system's unknown, and to what these are ----------------- */

#define FILED  "x[0]^2*(1 + x[1])"
#define OTHER  "x[0]*x[1]"
#define MOVING "x[0]*x[1] + t*x[0]^2" /* OTHER at t = 0, with the rate x[0]^2 */
static const char *const language =
  "k = value(left: w, else: f); g = grad(f); (dt(u) + dt(w^2)*f*u + f*w^2)*v*dx + w*dot(g, grad(v))*dx"
  " + div(f*grad(w))*u*v*dx + f^2*w*inner(grad(u), grad(v))*dx + k*u*v*ds + dot(grad(w), n)*f*v*ds(right)"
  " + avg(f*w)*avg(u*v)*dS + (plus(f) - minus(f))*plus(v)*dS + (f + 2*w)*u*v*dP(left) + derive(f*w*u^3*dx, u)";

/* a text at the nodes of Q2, saved and read again if there is a path */
static PetscErrorCode made_of(RungSystem any, RungSpace space, const char text[], const char path[], RungField *field)
{
  Vec values;

  PetscFunctionBegin;
  PetscCall(RungFieldCreate(space, "made", field));
  PetscCall(RungSystemInterpolate(any, text, NULL, 0, NULL, *field));
  if (!path) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFieldSave(*field, path));
  PetscCall(RungFieldGetVec(*field, &values));
  PetscCall(VecSet(values, -1));
  PetscCall(RungFieldLoad(*field, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r and J y of the text at t = 0 */
static PetscErrorCode evaluate(RungSystem sys, Vec u[2], Vec y, Vec r, Vec Jy)
{
  const PetscReal sigma[] = {1, 0.7};
  Mat             J;

  PetscFunctionBegin;
  PetscCall(RungSystemResidual(sys, 0, u, r));
  PetscCall(RungSystemCreateMat(sys, &J));
  PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
  PetscCall(MatMult(J, y, Jy));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode bind_given(RungSystem sys, RungSystem other, RungField f, RungField w, RungField rate)
{
  Vec values;

  PetscFunctionBegin;
  PetscCall(RungSystemAddField(sys, "f", f));
  PetscCall(RungSystemAddCoupling(sys, "w", other, "w"));
  PetscCall(RungSystemAddResidual(sys, language));
  PetscCall(RungFieldGetVec(w, &values));
  PetscCall(RungSystemSetCoupled(sys, "w", values));
  PetscCall(RungFieldGetVec(rate, &values));
  PetscCall(RungSystemSetCoupled(sys, "dt(w)", values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_the_language_takes_files_and_other_systems_for_what_they_hold(void)
{
  RungSpace  space;
  RungSystem sys[3]; /* with fields, with definitions, the other one */
  RungField  f, w, rate;
  Vec        v[7];
  PetscReal  distance;

  PetscFunctionBegin;
  PetscCall(space_create("quadrilateral", 2, 3, "Q2", &space));
  for (int i = 0; i < 3; ++i) {
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys[i]));
    PetscCall(RungSystemAddUnknown(sys[i], i < 2 ? "u" : "w", i < 2 ? "v" : "q", space));
  }
  PetscCall(RungSystemAddResidual(sys[2], "dt(w)*q*dx"));
  PetscCall(made_of(sys[2], space, FILED, "language.h5", &f));
  PetscCall(made_of(sys[2], space, OTHER, NULL, &w));
  PetscCall(made_of(sys[2], space, "x[0]^2", NULL, &rate));
  PetscCall(bind_given(sys[0], sys[2], f, w, rate));
  PetscCall(RungSystemDefine(sys[1], "f", FILED));
  PetscCall(RungSystemDefine(sys[1], "w", MOVING));
  PetscCall(RungSystemAddResidual(sys[1], language));
  PetscCall(vecs_create(sys[0], 7, v));
  for (int i = 0; i < 2; ++i) PetscCall(evaluate(sys[i], v, v[2], v[3 + i], v[5 + i]));
  PetscCall(vec_distance(v[3], v[4], &distance));
  CHECK_NEAR(distance, 0, 1e-12);
  PetscCall(vec_distance(v[5], v[6], &distance));
  CHECK_NEAR(distance, 0, 1e-12);
  PetscCall(VecNorm(v[3], NORM_INFINITY, &distance));
  CHECK(distance > 0.1);
  PetscCall(vecs_destroy(7, v));
  for (int i = 0; i < 3; ++i) PetscCall(RungSystemDestroy(&sys[i]));
  PetscCall(RungFieldDestroy(&f));
  PetscCall(RungFieldDestroy(&w));
  PetscCall(RungFieldDestroy(&rate));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc frees its copy of a communicator, and what hangs there, with the last object that is on it. */
static PetscMPIInt is_gone(MPI_Comm comm, PetscMPIInt key, void *value, void *unused)
{
  (void)comm;
  (void)key;
  (void)unused;
  *(PetscBool *)value = PETSC_TRUE;
  return MPI_SUCCESS;
}

/* All three read the next one, two each other; the first that a program lets go is still read. */
static PetscErrorCode test_systems_that_read_each_other_are_freed_with_the_last_of_them(void)
{
  static const char *const name[3] = {"a", "b", "c"};
  MPI_Comm                 comm, inner;
  PetscMPIInt              key;
  PetscBool                gone = PETSC_FALSE;
  RungMesh                 mesh;
  RungSpace                space;
  RungSystem               sys[3];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &comm));
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetPoints(mesh, 3));
  PetscCall(RungSpaceCreate(mesh, "P0", &space));
  for (int i = 0; i < 3; ++i) {
    PetscCall(RungSystemCreate(comm, &sys[i]));
    PetscCall(RungSystemAddUnknown(sys[i], name[i], "v", space));
  }
  for (int i = 0; i < 3; ++i) PetscCall(RungSystemAddCoupling(sys[i], "next", sys[(i + 1) % 3], name[(i + 1) % 3]));
  PetscCall(RungSystemAddCoupling(sys[2], "last", sys[1], "b"));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(PetscCommDuplicate(comm, &inner, NULL));
  PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, is_gone, &key, NULL));
  PetscCallMPI(MPI_Comm_set_attr(inner, key, &gone));
  PetscCall(PetscCommDestroy(&inner));
  PetscCall(RungSystemDestroy(&sys[0]));
  PetscCall(RungSystemAddResidual(sys[1], "dt(b)*v*dx"));
  PetscCall(RungSystemDestroy(&sys[1]));
  CHECK(!gone);
  PetscCall(RungSystemAddResidual(sys[2], "(dt(c) - next - last)*v*dx"));
  PetscCall(RungSystemDestroy(&sys[2]));
  CHECK(gone);
  PetscCallMPI(MPI_Comm_free_keyval(&key));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells whose unknowns are this rank's alone still wait for what the field has on other ranks: the sum over rows is the integral of f. */
static PetscErrorCode test_values_of_other_ranks_are_there_for_unknowns_without_ghosts(void)
{
  static const char *const spec[] = {"P1", "P2", "P3"};

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    const PetscReal sigma[2] = {1, 0};
    RungMesh        mesh;
    RungSpace       space[2];
    RungSystem      sys;
    RungField       field;
    PetscScalar     sum;
    Vec             u[2], r, values;
    Mat             J;

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){7, 6}, (PetscReal[]){1, 1}));
    PetscCall(RungSpaceCreate(mesh, "DP0", &space[0]));
    PetscCall(RungSpaceCreate(mesh, spec[i], &space[1]));
    PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
    PetscCall(RungSystemAddUnknown(sys, "u", "v", space[0]));
    PetscCall(RungFieldCreate(space[1], "f", &field));
    PetscCall(RungSystemAddField(sys, "f", field));
    PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + f*u*v*dx"));
    PetscCall(RungSystemSetUp(sys));
    PetscCall(fill(field));
    for (int k = 0; k < 2; ++k) PetscCall(RungSystemCreateVec(sys, &u[k]));
    PetscCall(RungSystemCreateVec(sys, &r));
    PetscCall(VecSet(u[0], 1));
    PetscCall(VecZeroEntries(u[1]));
    PetscCall(RungSystemCreateMat(sys, &J));
    PetscCall(RungFieldGetVec(field, &values));
    for (int again = 1; again <= 2; ++again) { /* values of before are not taken either */
      PetscCall(RungSystemResidual(sys, 0, u, r));
      PetscCall(VecSum(r, &sum));
      CHECK_NEAR(sum, 1.5 * again, 1e-13);
      PetscCall(RungSystemJacobian(sys, 0, u, sigma, J));
      PetscCall(MatMult(J, u[0], r));
      PetscCall(VecSum(r, &sum));
      CHECK_NEAR(sum, 1.5 * again, 1e-13);
      PetscCall(VecScale(values, 2));
    }
    PetscCall(MatDestroy(&J));
    PetscCall(VecDestroy(&r));
    for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&u[k]));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(RungFieldDestroy(&field));
    for (int k = 0; k < 2; ++k) PetscCall(RungSpaceDestroy(&space[k]));
    PetscCall(RungMeshDestroy(&mesh));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_values_of_other_ranks_are_there_for_unknowns_without_ghosts),
               RUNG_TEST(test_the_language_takes_files_and_other_systems_for_what_they_hold),
               RUNG_TEST(test_fields_of_other_spaces_are_coefficients),
               RUNG_TEST(test_unknowns_of_another_system_are_coefficients),
               RUNG_TEST(test_rates_of_another_system_are_time_derivatives), RUNG_TEST(test_tables_are_data_everywhere),
               RUNG_TEST(test_systems_that_read_each_other_are_freed_with_the_last_of_them))
