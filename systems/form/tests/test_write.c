/* test_write.c - states as a time series. */
#include "check.h"
#include "form_problems.h"
#include "ode_problems.h"
#include "vectors.h"

/* Rank 0: the text of all pieces and headers of a series holds `word`. */
static PetscErrorCode holds(const char folder[], const char word[], PetscBool *found)
{
  char        command[512], line[8] = "";
  FILE       *pipe;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  *found = PETSC_FALSE;
  if (!rank) {
    PetscCall(PetscSNPrintf(command, sizeof command, "grep -a -r -l -F '%s' %s.pvd.d %s.pvd | head -c 1", word, folder,
                            folder));
    PetscCall(PetscPOpen(PETSC_COMM_SELF, NULL, command, "r", &pipe));
    *found = fgets(line, sizeof line, pipe) ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(PetscPClose(PETSC_COMM_SELF, pipe));
  }
  PetscCallMPI(MPI_Bcast(found, 1, RUNG_MPI_BOOL, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_time(RungWriter writer, PetscReal t, const Vec u[])
{
  PetscBool written;
  char      why[256] = "";

  PetscFunctionBegin;
  PetscCall(RungWriterTry(writer, t, u, &written, why, sizeof why));
  CHECK(written);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_series(const char path[], PetscBool rates)
{
  RungSystem sys;
  RungWriter writer;
  Vec        u[2];

  PetscFunctionBegin;
  PetscCall(heat_create(&sys));
  if (rates) PetscCall(PetscOptionsSetValue(NULL, "-system_output_rates", "true"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_output_rates"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungWriterCreate(sys, path, &writer));
  PetscCall(write_time(writer, 0, u));
  PetscCall(write_time(writer, 0.5, u));
  PetscCall(RungWriterDestroy(&writer));
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_series_holds_the_unknowns_and_their_rates_on_request(void)
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(write_series("plain.pvd", PETSC_FALSE));
  PetscCall(holds("plain", "\"u\"", &found));
  CHECK(found);
  PetscCall(holds("plain", "timestep=\"0.5", &found));
  CHECK(found);
  PetscCall(holds("plain", "dt(u)", &found));
  CHECK(!found);
  PetscCall(write_series("rates.pvd", PETSC_TRUE));
  PetscCall(holds("rates", "dt(u)", &found));
  CHECK(found);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0: where the bytes of a number begin in the pieces of a series, one after the other; -1: nowhere. */
static PetscErrorCode find_number(const char folder[], double number, long *place)
{
  char        command[512];
  char       *bytes;
  size_t      n, room = 1 << 20;
  FILE       *pipe;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  *place = -1;
  if (!rank) {
    PetscCall(PetscMalloc1(room, &bytes));
    PetscCall(PetscSNPrintf(command, sizeof command, "cat %s.pvd.d/*.vtu", folder));
    PetscCall(PetscPOpen(PETSC_COMM_SELF, NULL, command, "r", &pipe));
    n = fread(bytes, 1, room, pipe);
    PetscCall(PetscPClose(PETSC_COMM_SELF, pipe));
    for (size_t i = 0; i + sizeof number <= n && *place < 0; ++i) {
      if (!memcmp(bytes + i, &number, sizeof number)) *place = (long)i;
    }
    PetscCall(PetscFree(bytes));
  }
  PetscCallMPI(MPI_Bcast(place, 1, MPI_LONG, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two unknowns with a number each, and rates with others. */
static PetscErrorCode test_each_field_holds_the_numbers_of_its_unknown(void)
{
  static const double number[] = {1.2345678901, 2.3456789012, 3.4567890123, 4.5678901234};
  RungSpace           space;
  RungSystem          sys;
  RungWriter          writer;
  Vec                 u[2];
  long                place, last = -1;

  PetscFunctionBegin;
  PetscCall(space_create("triangle", 2, 2, "P1", &space));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &sys));
  PetscCall(RungSystemAddUnknown(sys, "a", "p", space));
  PetscCall(RungSystemAddUnknown(sys, "b", "q", space));
  PetscCall(RungSystemAddResidual(sys, "dt(a)*p*dx + dt(b)*q*dx"));
  PetscCall(PetscOptionsSetValue(NULL, "-system_output_rates", "true"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(PetscOptionsClearValue(NULL, "-system_output_rates"));
  PetscCall(vecs_create(sys, 2, u));
  for (PetscInt f = 0; f < 2; ++f) {
    for (PetscInt k = 0; k < 2; ++k) {
      PetscInt     start, end;
      PetscScalar *x;

      PetscCall(RungSystemGetRange(sys, f, &start, &end));
      PetscCall(VecGetArray(u[k], &x));
      for (PetscInt i = start; i < end; ++i) x[i] = number[2 * f + k];
      PetscCall(VecRestoreArray(u[k], &x));
    }
  }
  PetscCall(RungWriterCreate(sys, "numbers.pvd", &writer));
  PetscCall(write_time(writer, 0, u));
  PetscCall(RungWriterDestroy(&writer));
  for (PetscInt i = 0; i < 4; ++i) { /* a, dt(a), b, dt(b) one after the other */
    PetscCall(find_number("numbers", number[i], &place));
    CHECK(place > last);
    last = place;
  }
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* grad(u) of u = 7 x is (7, 0), padded to three components; a quantity is one number everywhere. */
static PetscErrorCode test_expressions_and_quantities_are_written(void)
{
  RungSystem sys;
  RungWriter writer;
  Vec        u[2];
  PetscBool  found;
  long       place;

  PetscFunctionBegin;
  PetscCall(system_create("triangle", 2, 3, "P2", &sys));
  PetscCall(RungSystemDefine(sys, "flux", "-0.3*grad(u)"));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx - dot(flux, grad(v))*dx"));
  PetscCall(RungSystemSetInitial(sys, "u", "7*x[0] + 1"));
  PetscCall(RungSystemAddQuantity(sys, "amount", "4.321*dx"));
  PetscCall(RungSystemAddRate(sys, "lost", "u*dx"));
  PetscCall(vecs_create(sys, 2, u));
  PetscCall(RungSystemInitial(sys, 0, 0, u[0]));
  PetscCall(RungWriterCreate(sys, "chosen.pvd", &writer));
  CHECK_RAISES(RungWriterSetFields(writer, "u, lost"), "look for it in the table");
  CHECK_RAISES(RungWriterSetFields(writer, "u,,flux"), "have an empty name");
  CHECK_RAISES(RungWriterSetFields(writer, "u, u"), "asked for twice");
  CHECK_RAISES(RungWriterSetFields(writer, "flx"), "did you mean");
  CHECK_RAISES(RungWriterSetFields(writer, "u on \"far left\""), "part \"far left\" does not exist");
  CHECK_RAISES(RungWriterSetFields(writer, "u on \"left"), "wanted a name between quotes, and nothing behind it");
  PetscCall(RungWriterSetFields(writer, "u on \"left\""));
  PetscCall(RungWriterSetFields(writer, "flux, vector(u, 2)[1], amount"));
  PetscCall(write_time(writer, 0, u));
  PetscCall(RungWriterDestroy(&writer));
  PetscCall(holds("chosen", "\"flux\"", &found));
  CHECK(found);
  PetscCall(holds("chosen", "\"vector(u, 2)[1]\"", &found));
  CHECK(found);
  PetscCall(holds("chosen", "\"u\"", &found));
  CHECK(!found);
  PetscCall(holds("chosen", "\"amount\"", &found));
  CHECK(found);
  PetscCall(find_number("chosen", 2, &place));
  CHECK(place > 0);
  PetscCall(vecs_destroy(2, u));
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_system_of_callbacks_has_no_mesh_to_write(void)
{
  RungSystem sys;
  RungWriter writer;

  PetscFunctionBegin;
  PetscCall(oscillator_create(1, &sys));
  CHECK_RAISES(RungWriterCreate(sys, "out.pvd", &writer), "a system of callbacks has no mesh to write");
  PetscCall(RungSystemDestroy(&sys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_series_holds_the_unknowns_and_their_rates_on_request),
               RUNG_TEST(test_each_field_holds_the_numbers_of_its_unknown),
               RUNG_TEST(test_expressions_and_quantities_are_written),
               RUNG_TEST(test_a_system_of_callbacks_has_no_mesh_to_write))
