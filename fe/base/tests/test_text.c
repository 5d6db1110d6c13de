/* test_text.c - texts that are put together in a given room. */
#include <check.h>
#include <string.h>
#include <rungtext_room.h>

/* Each length of both in each room: what is there and fits, an end, and nothing behind it. */
static PetscErrorCode test_what_is_added_stays_in_its_room(void)
{
  static const char from[] = "abcdefghijklmnopqrstuvwxyz", more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  PetscFunctionBegin;
  for (size_t room = 1; room < 24; ++room) {
    for (size_t has = 0; has < room; ++has) {
      for (size_t adds = 0; adds <= sizeof more - 1; ++adds) {
        char text[64], add[32], wanted[64];

        memset(text, '#', sizeof text);
        memset(wanted, 0, sizeof wanted);
        memset(add, 0, sizeof add);
        memcpy(text, from, has);
        text[has] = '\0';
        memcpy(add, more, adds);
        memcpy(wanted, from, has);
        memcpy(wanted + has, more, PetscMin(adds, room - 1 - has));
        PetscCall(RungTextAppend(text, add, room));
        CHECK(!strcmp(text, wanted));
        for (size_t i = room; i < sizeof text; ++i) CHECK(text[i] == '#');
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_what_is_added_stays_in_its_room))
