/* test_field_file.c - fields to files, on one communicator and read on another, and coefficients from files. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

static PetscErrorCode field_create(MPI_Comm comm, PetscInt n, const char spec[], RungField *field)
{
  RungMesh  mesh;
  RungSpace space;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, "quadrilateral", 2, (PetscInt[]){n, n}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, spec, &space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungFieldCreate(space, "k", field));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x + 10 y + 100 component at the nodes: written, or the greatest difference from it */
static PetscErrorCode visit(RungField field, PetscBool write, double *error)
{
  const RungSpaceData *data;
  RungSpace            space;
  PetscScalar         *a;
  Vec                  v;

  PetscFunctionBegin;
  *error = 0;
  PetscCall(RungFieldGetSpace(field, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungFieldGetVec(field, &v));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = 0; i < data->owned * data->components; ++i) {
    const PetscReal *x      = data->x + 2 * (i / data->components);
    const double     wanted = x[0] + 10 * x[1] + 100 * (double)(i % data->components);

    if (write)
      a[i] = wanted;
    else
      *error = PetscMax(*error, fabs(a[i] - wanted));
  }
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_any_number_of_ranks_reads_a_field(void)
{
  static const char *const spec[] = {"Q2^2", "DQ1", "Quad(3)"};

  PetscFunctionBegin;
  for (int i = 0; i < 3; ++i) {
    RungField   field, alone;
    PetscMPIInt rank;
    double      error;

    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(field_create(PETSC_COMM_WORLD, 3, spec[i], &field));
    PetscCall(visit(field, PETSC_TRUE, &error));
    PetscCall(RungFieldSave(field, "field.h5"));
    if (!rank) {
      PetscCall(field_create(PETSC_COMM_SELF, 3, spec[i], &alone));
      PetscCall(RungFieldLoad(alone, "field.h5"));
      PetscCall(visit(alone, PETSC_FALSE, &error));
      CHECK_NEAR(error, 0, 0);
      PetscCall(RungFieldSave(alone, "alone.h5"));
      PetscCall(RungFieldDestroy(&alone));
    }
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    {
      Vec v;

      PetscCall(RungFieldGetVec(field, &v));
      PetscCall(VecSet(v, -1));
    }
    PetscCall(RungFieldLoad(field, "alone.h5"));
    PetscCall(visit(field, PETSC_FALSE, &error));
    CHECK_NEAR(error, 0, 0);
    PetscCall(RungFieldDestroy(&field));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_other_files_are_refused(void)
{
  RungField   field, other;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(field_create(PETSC_COMM_WORLD, 2, "Q1", &field));
  CHECK_RAISES(RungFieldSave(field, "no/such/folder.h5"), "cannot be written: No such file or directory");
  CHECK_RAISES(RungFieldLoad(field, "nowhere.h5"), "nowhere.h5");
  CHECK_RAISES(RungFieldSave(field, "."), "the file name is missing");
  if (!rank) PetscCall(PetscMkdir("folder.h5"));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK_RAISES(RungFieldSave(field, "folder.h5"), "a folder of that name exists");
  CHECK_RAISES(RungFieldSave(field, NULL), "wanted one like");
  PetscCall(RungFieldSave(field, "small.h5"));
  PetscCall(field_create(PETSC_COMM_WORLD, 3, "Q1", &other));
  CHECK_RAISES(RungFieldLoad(other, "small.h5"), "has mesh");
  PetscCall(RungFieldDestroy(&other));
  PetscCall(field_create(PETSC_COMM_WORLD, 2, "Q2", &other));
  CHECK_RAISES(RungFieldLoad(other, "small.h5"), "has space \"Q1\", this field has \"Q2\"");
  PetscCall(RungFieldDestroy(&other));
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_coefficient_comes_from_a_file(void)
{
  RungSystem sys;
  RungSpace  space;
  RungField  field;
  Vec        u[2];
  PetscReal  value;
  double     error;

  PetscFunctionBegin;
  PetscCall(field_create(PETSC_COMM_WORLD, 3, "Q1", &field));
  PetscCall(visit(field, PETSC_TRUE, &error));
  PetscCall(RungFieldSave(field, "k.h5"));
  {
    Vec v;

    PetscCall(RungFieldGetVec(field, &v));
    PetscCall(VecZeroEntries(v));
  }
  PetscCall(RungFieldGetSpace(field, &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddField(sys, "kappa", field));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx + kappa*u*v*dx"));
  PetscCall(RungSystemAddQuantity(sys, "q", "kappa*dx"));
  PetscCall(PetscOptionsSetValue(NULL, "-field_kappa", "k.h5"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-field_kappa"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemEvaluateQuantities(sys, 0, u, &value));
  CHECK_NEAR(value, 5.5, 1e-12);
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_any_number_of_ranks_reads_a_field), RUNG_TEST(test_other_files_are_refused),
               RUNG_TEST(test_a_coefficient_comes_from_a_file))
