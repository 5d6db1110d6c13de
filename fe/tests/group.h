/* group.h - the tests of a group; the build writes the table, which ends with a name that is NULL. */
#pragma once

typedef struct {
  const char *name;
  int (*run)(int argc, char **argv); /* what main() of the test's own program calls */
} GroupTest;

extern const GroupTest   group_tests[];
extern const char *const group_room;
