/* test_header.c - a file with a right seal whose headers say wrong lengths, kinds and places is refused before HDF5 goes by them. */
#include "check.h"
#include "header_impl.h"
#include "seal_impl.h"
#include "store_impl.h"
#include "vectors.h"

#include <stdint.h>

#define PARTS 3000

static unsigned char bytes[1 << 17];
static size_t        length; /* without the seal */

static PetscErrorCode write_store(const char path[], int numbers)
{
  char      name[32], why[256];
  RungStore store;
  PetscBool ok;
  Vec       u;

  PetscFunctionBegin;
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 3, PETSC_DETERMINE, &u));
  PetscCall(vec_fill(u, 3));
  PetscCall(RungStoreCreate(PETSC_COMM_WORLD, "checkpoint", path, &store));
  PetscCall(RungStorePutNumber(store, "a real", 0.25));
  PetscCall(RungStorePutText(store, "a text", "words"));
  for (int i = 0; i < numbers; ++i) {
    (void)snprintf(name, sizeof name, "number %d", i);
    PetscCall(RungStorePutNumber(store, name, i));
  }
  PetscCall(RungStorePutVec(store, "", "values", u));
  PetscCall(RungStoreFinish(&store, &ok, why, sizeof why));
  CHECK(ok);
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void read_bytes(const char path[])
{
  FILE *file = fopen(path, "rb");

  CHECK(file);
  length = fread(bytes, 1, sizeof bytes, file);
  CHECK(fclose(file) == 0 && length > RUNG_SEAL_LENGTH && length < sizeof bytes);
  length -= RUNG_SEAL_LENGTH;
}

/* Rank 0: the first `before` bytes without HDF5's mark, and all of them with one changed, sealed. */
static void write_bytes(size_t at, unsigned char value, size_t before)
{
  const unsigned char old = bytes[at];
  char                why[256];
  FILE               *file = fopen("changed.h5.part", "wb");

  CHECK(file);
  CHECK(!before || (fputc(0, file) == 0 && fwrite(bytes + 1, 1, before - 1, file) == before - 1));
  bytes[at] = value;
  CHECK(fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
  bytes[at] = old;
  CHECK(RungSealWrite("changed.h5.part", "changed.h5", why, sizeof why));
}

/* 0, or PETSC_ERR_FILE_UNEXPECTED with a message */
static PetscErrorCode read_store(const char path[])
{
  char           words[4096] = "";
  PetscErrorCode code;
  RungStore      store = NULL;
  PetscInt       n     = 0;
  double         value;
  Vec            u;

  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 3, PETSC_DETERMINE, &u));
  PetscCall(PetscPushErrorHandler(check_keep_message, words));
  code = RungStoreOpen(PETSC_COMM_WORLD, "checkpoint", path, &store);
  if (!code) code = RungStoreGetNumber(store, "a real", &value);
  if (!code) code = RungStoreGetSize(store, "", "values", &n);
  if (!code) code = RungStoreGetVec(store, "", "values", u);
  PetscCall(PetscPopErrorHandler());
  CHECK(!code == !words[0] && (!code || strstr(words, "changed.h5")));
  PetscCall(RungStoreClose(&store));
  PetscCall(VecDestroy(&u));
  return code;
}

/* The part of a header that says these bytes at its byte `at`; it begins 8 bytes before what it says. */
static size_t find_part(const void *said, size_t n, size_t at)
{
  size_t i = 8;

  while (i + at + n < length && memcmp(bytes + i + at, said, n) != 0) ++i;
  CHECK(i + at + n < length);
  return i;
}

/* Byte `byte` of what the part at `part` says; -8 .. -1: of what stands before it. */
static PetscErrorCode expect(size_t part, int byte, unsigned char value, PetscBool good)
{
  PetscMPIInt    rank;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) write_bytes(part + (size_t)byte, value, 0);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  code = read_store("changed.h5");
  if (good ? code != 0 : code != PETSC_ERR_FILE_UNEXPECTED) {
    fprintf(stderr, "byte %d of the part at %zu made %d: error %d\n", byte, part, value, (int)code);
    CHECK(0);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a part says begins with version 1; name, type (20 bytes of a number, 8 of a text), shape, value are padded to 8. */
static PetscErrorCode test_attributes_say_what_they_have(void)
{
  size_t real, text;

  PetscFunctionBegin;
  PetscCall(write_store("whole.h5", 0));
  PetscCall(read_store("whole.h5"));
  read_bytes("whole.h5");
  real = find_part("a real", 7, 8);
  text = find_part("a text", 7, 8);
  PetscCall(expect(text, 8, 'A', PETSC_TRUE));    /* another name is one that nobody asks for */
  PetscCall(expect(text, 0, 3, PETSC_FALSE));     /* another version                          */
  PetscCall(expect(text, 2, 0, PETSC_FALSE));     /* a name without a length                  */
  PetscCall(expect(text, 3, 0x40, PETSC_FALSE));  /* .. of 16 kB                              */
  PetscCall(expect(text, 2, 24, PETSC_FALSE));    /* .. in whose end is the type              */
  PetscCall(expect(text, 4, 0, PETSC_FALSE));     /* a type without a length                  */
  PetscCall(expect(text, 4, 64, PETSC_FALSE));    /* .. behind the end                        */
  PetscCall(expect(text, 6, 64, PETSC_FALSE));    /* a shape behind the end                   */
  PetscCall(expect(text, 16, 0x16, PETSC_FALSE)); /* a compound of parts                      */
  PetscCall(expect(text, 21, 0x40, PETSC_FALSE)); /* a text of 16 kB                          */
  PetscCall(expect(text, 20, 8, PETSC_TRUE));     /* .. of 8 bytes, of which 6 were written   */
  PetscCall(expect(text, 20, 9, PETSC_FALSE));    /* .. of one more than there is room for    */
  PetscCall(expect(text, 25, 2, PETSC_FALSE));    /* a shape of two dimensions                */
  PetscCall(expect(real, 4, 12, PETSC_FALSE));    /* a number without its masks               */
  PetscCall(expect(text, -4, 2, PETSC_FALSE));    /* it lies elsewhere                        */
  PetscCall(expect(text, -5, 0x40, PETSC_FALSE)); /* a part of 16 kB                          */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kind 16 of 16 bytes, marks and nothing: where the header goes on, and for how long. */
static PetscErrorCode test_headers_go_on_in_the_file(void)
{
  static const unsigned char goes_on[] = {16, 0, 16, 0, 0, 0, 0, 0};
  size_t                     part;

  PetscFunctionBegin;
  PetscCall(write_store("whole.h5", 0));
  read_bytes("whole.h5");
  part = find_part(goes_on, sizeof goes_on, 0) + 8;
  PetscCall(expect(part, 10, 0x40, PETSC_FALSE));                                     /* for 4 MB          */
  PetscCall(expect(part, 3, 0x40, PETSC_FALSE));                                      /* behind the end    */
  PetscCall(expect(part, -24, 2, PETSC_FALSE));                                       /* another version   */
  PetscCall(expect(part, -16, (unsigned char)(bytes[part - 16] + 128), PETSC_FALSE)); /* a longer first chunk */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shape, type and layout stand first in the header of a set. */
static PetscErrorCode test_sets_are_numbers_in_one_piece(void)
{
  static const unsigned char type[] = {3, 0, 24, 0, 1, 0, 0, 0, 0x11}, layout[] = {8, 0, 24, 0, 0, 0, 0, 0, 3, 1};
  size_t                     at;

  PetscFunctionBegin;
  PetscCall(write_store("whole.h5", 0));
  read_bytes("whole.h5");
  at = find_part(type, sizeof type, 0) + 8;
  PetscCall(expect(at, -8, 0, PETSC_FALSE));   /* no type                   */
  PetscCall(expect(at, 0, 0x16, PETSC_FALSE)); /* a compound                */
  PetscCall(expect(at, -31, 3, PETSC_FALSE));  /* a shape of 3 dimensions   */
  PetscCall(expect(at, -30, 2, PETSC_FALSE));  /* .. with a permutation     */
  PetscCall(expect(at, -4, 3, PETSC_FALSE));   /* a type that lies elsewhere */
  at = find_part(layout, sizeof layout, 0) + 8;
  PetscCall(expect(at, 1, 2, PETSC_FALSE));   /* in pieces                 */
  PetscCall(expect(at, -8, 11, PETSC_FALSE)); /* filters                   */
  PetscCall(expect(at, -8, 16, PETSC_FALSE)); /* it goes on                */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A header of a set with two parts: a shape, whose first three bytes are these, in 24 bytes, and a second one like it that says `more` of them. */
static int is_good_shape(unsigned char version, unsigned char dimensions, unsigned char largest, unsigned char more)
{
  unsigned char header[16 + 2 * 32] = {1, 0, 2, 0, 1, 0, 0, 0, 2 * 32};
  FILE         *file                = fopen("header", "wb");

  for (int part = 0; part < 2; ++part) {
    unsigned char *at = header + 16 + 32 * part;

    at[0]  = 1;
    at[2]  = part ? more : 24;
    at[8]  = version;
    at[9]  = dimensions;
    at[10] = largest;
  }
  CHECK(file && fwrite(header, 1, sizeof header, file) == sizeof header && fclose(file) == 0);
  return RungHeaderIsSet("header", 0);
}

/* What HDF5 would read behind their end, and refuse or not by what it finds there. */
static PetscErrorCode test_parts_have_room_for_what_they_say(void)
{
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  CHECK(is_good_shape(1, 2, 0, 24) && is_good_shape(1, 1, 1, 24));
  CHECK(!is_good_shape(1, 3, 0, 24) && !is_good_shape(1, 2, 1, 24)); /* one number more than there is room for */
  CHECK(!is_good_shape(2, 2, 0, 24) && !is_good_shape(1, 1, 2, 24)); /* another version, another mark          */
  CHECK(is_good_shape(1, 1, 0, 16) && !is_good_shape(1, 2, 0, 25));  /* a part that ends behind the header     */
  CHECK(!is_good_shape(1, 2, 0, 32) && !is_good_shape(1, 2, 0, 255));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file that HDF5 finds behind 4096 bytes counts from there: what stands where it says is in those bytes, and good. */
static PetscErrorCode test_a_file_begins_with_its_first_byte(void)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(write_store("whole.h5", 0));
  read_bytes("whole.h5");
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) write_bytes(0, bytes[0], 4096);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  CHECK(read_store("changed.h5") == PETSC_ERR_FILE_UNEXPECTED);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_headers_may_have_thousands_of_parts(void)
{
  RungStore store;
  double    value;

  PetscFunctionBegin;
  PetscCall(write_store("many.h5", PARTS));
  PetscCall(RungStoreOpen(PETSC_COMM_WORLD, "checkpoint", "many.h5", &store));
  PetscCall(RungStoreGetNumber(store, "number 2999", &value));
  CHECK(value == 2999);
  PetscCall(RungStoreClose(&store));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_attributes_say_what_they_have), RUNG_TEST(test_headers_go_on_in_the_file),
               RUNG_TEST(test_sets_are_numbers_in_one_piece), RUNG_TEST(test_parts_have_room_for_what_they_say),
               RUNG_TEST(test_a_file_begins_with_its_first_byte), RUNG_TEST(test_headers_may_have_thousands_of_parts))
