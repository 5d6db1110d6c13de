/* test_field_file.c - fields to files, on one communicator and read on another, and coefficients from files. */
#include "check.h"
#include "form_problems.h"
#include "vectors.h"

#include "seal_impl.h"

#include <hdf5.h>
#include <unistd.h>

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

/* ---- a right seal over wrong contents ------------------------------------------------------------------------------ */

/* In place of an attribute of /rung: so many values of a type; type < 0: none. */
static void replace_attribute(hid_t file, const char name[], hid_t type, hsize_t n, const void *value)
{
  const hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
  hid_t       attribute;

  CHECK(H5Adelete_by_name(file, "/rung", name, H5P_DEFAULT) >= 0);
  if (type >= 0) {
    attribute = H5Acreate_by_name(file, "/rung", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(attribute >= 0 && H5Awrite(attribute, type, value) >= 0);
    (void)H5Aclose(attribute);
  }
  (void)H5Sclose(space);
}

#define TEXT_WAYS 6

/* A number, many, other words, words of any length, a text of variable length, nothing. */
static void change_text(hid_t file, const char name[], int how)
{
  static char   text[60000];
  static double many[7000];
  const char   *words = "Q1";
  hid_t         type  = H5Tcopy(H5T_C_S1);

  memset(text, 'Q', sizeof text);
  (void)H5Tset_size(type, how == 2 ? 3 : how == 3 ? sizeof text : H5T_VARIABLE);
  if (how < 2)
    replace_attribute(file, name, H5T_NATIVE_DOUBLE, how ? 7000 : 1, many);
  else
    replace_attribute(file, name, how < 5 ? type : -1, 1, how == 4 ? (const void *)&words : text);
  (void)H5Tclose(type);
}

#define SET_WAYS 10

/* Other numbers of entries and of dimensions, a text, a number that is none, a group, nothing, a link that leads nowhere or
   to itself, chunks without their bytes. */
static void change_values(hid_t file, int how)
{
  static const hsize_t shape[][3] = {{9}, {64, 1}, {3, 3}, {9}, {1, 1, 9}, {0}, {9}, {0}, {0}, {9}};
  static const int     dims[]     = {1, 2, 2, 1, 3, 1, 1, 0, 0, 1};
  static double        wrong[9]   = {0, NAN};
  const hid_t          list       = H5Pcreate(H5P_DATASET_CREATE);
  hid_t                space, set;

  CHECK(H5Ldelete(file, "/values", H5P_DEFAULT) >= 0);
  if (how == 7) (void)H5Gclose(H5Gcreate2(file, "/values", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (how == 8) CHECK(H5Lcreate_soft("/values", file, "/values", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  if (how == 9) CHECK(H5Lcreate_external("/dev/null", "/values", file, "/values", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  if (how >= 6) {
    (void)H5Pclose(list);
    return;
  }
  space = H5Screate_simple(dims[how], shape[how], NULL);
  set   = H5Dcreate2(file, "/values", how == 3 ? H5T_NATIVE_CHAR : H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list,
                     H5P_DEFAULT);
  if (!how) CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, wrong) >= 0);
  (void)H5Dclose(set);
  (void)H5Sclose(space);
  (void)H5Pclose(list);
}

/* Rank 0: whole.h5 without its seal, changed, sealed, as mutated.h5. */
static PetscErrorCode change(const char name[], int how)
{
  char        bytes[1 << 16], why[256];
  PetscMPIInt rank;
  FILE       *file;
  size_t      n;
  hid_t       changed;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    CHECK((file = fopen("whole.h5", "rb")));
    n = fread(bytes, 1, sizeof bytes, file);
    CHECK(fclose(file) == 0 && n > 64 && n < sizeof bytes);
    CHECK((file = fopen("mutated.h5.part", "wb")));
    CHECK(fwrite(bytes, 1, n - 64, file) == n - 64 && fclose(file) == 0);
    changed = H5Fopen("mutated.h5.part", H5F_ACC_RDWR, H5P_DEFAULT);
    if (strcmp(name, "values") != 0)
      change_text(changed, name, how);
    else
      change_values(changed, how);
    CHECK(H5Fclose(changed) >= 0);
    CHECK(RungSealWrite("mutated.h5.part", "mutated.h5", why, sizeof why));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A name is not compared.  Nine numbers in another shape are nine numbers. */
static PetscBool may_pass(const char name[], int how)
{
  return (PetscBool)(!strcmp(name, "name") || (!strcmp(name, "space") && (how == 2 || how == 4)) ||
                     (!strcmp(name, "values") && (how == 2 || how == 4)));
}

static PetscErrorCode test_wrong_contents_with_a_right_seal_are_refused(void)
{
  static const struct {
    const char *name;
    int         ways;
  } part[] = {{"mesh", TEXT_WAYS}, {"space", TEXT_WAYS}, {"name", TEXT_WAYS}, {"values", SET_WAYS}};
  RungField field;

  PetscFunctionBegin;
  PetscCall(field_create(PETSC_COMM_WORLD, 2, "Q1", &field));
  PetscCall(RungFieldSave(field, "whole.h5"));
  for (int i = 0; i < 4; ++i) {
    for (int how = 0; how < part[i].ways; ++how) {
      char           words[4096] = "";
      PetscErrorCode code;

      PetscCall(change(part[i].name, how));
      PetscCall(PetscPushErrorHandler(check_keep_message, words));
      code = RungFieldLoad(field, "mutated.h5");
      PetscCall(PetscPopErrorHandler());
      if (code ? !strstr(words, "mutated.h5") : !may_pass(part[i].name, how)) {
        fprintf(stderr, "\"%s\" changed in way %d: \"%s\"\n", part[i].name, how, words);
        CHECK(0);
      }
      PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    }
  }
  PetscCall(RungFieldLoad(field, "whole.h5"));
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One bit, anywhere, under a seal that is right: refused, or taken without harm. */
static PetscErrorCode test_any_bit_may_be_wrong(void)
{
  static char bytes[1 << 16];
  PetscMPIInt rank;
  RungField   field;
  size_t      n       = 0;
  int         refused = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(field_create(PETSC_COMM_WORLD, 2, "Q1", &field));
  PetscCall(RungFieldSave(field, "whole.h5"));
  if (!rank) {
    FILE *file = fopen("whole.h5", "rb");

    n = fread(bytes, 1, sizeof bytes, file);
    CHECK(fclose(file) == 0 && n > 64);
  }
  for (unsigned k = 0; k < 100; ++k) {
    char words[4096] = "", why[256];

    if (!rank) {
      const size_t at   = k < 50 ? k * (n - 64) / 50 : 2654435761u * k % (n - 64);
      FILE        *file = fopen("mutated.h5.part", "wb");

      bytes[at] = (char)(bytes[at] ^ 1 << k % 8);
      CHECK(fwrite(bytes, 1, n - 64, file) == n - 64 && fclose(file) == 0);
      bytes[at] = (char)(bytes[at] ^ 1 << k % 8);
      CHECK(RungSealWrite("mutated.h5.part", "mutated.h5", why, sizeof why));
    }
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(PetscPushErrorHandler(check_keep_message, words));
    if (RungFieldLoad(field, "mutated.h5")) ++refused;
    PetscCall(PetscPopErrorHandler());
    CHECK(!words[0] || strstr(words, "mutated.h5"));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  }
  CHECK(refused > 5 && refused < 100);
  PetscCall(RungFieldDestroy(&field));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_any_number_of_ranks_reads_a_field), RUNG_TEST(test_other_files_are_refused),
               RUNG_TEST(test_a_coefficient_comes_from_a_file),
               RUNG_TEST(test_wrong_contents_with_a_right_seal_are_refused), RUNG_TEST(test_any_bit_may_be_wrong))
