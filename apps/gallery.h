/* gallery.h - files that programs find beside their own folder: share/rung/problems/ for bin/, in the build tree as in an
   installed one, wherever that was moved to. */
#pragma once

#include <petscsys.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void gallery_path(const char name[], char path[PETSC_MAX_PATH_LEN])
{
  char    program[PETSC_MAX_PATH_LEN / 2];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

  program[n > 0 ? n : 0] = 0;
  for (int up = 0; up < 2 && strrchr(program, '/'); ++up) *strrchr(program, '/') = 0;
  (void)snprintf(path, PETSC_MAX_PATH_LEN, "%s/share/rung/problems/%s", program, name);
}
