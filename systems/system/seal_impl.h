/* seal_impl.h - the last 64 bytes of a checkpoint: how long the file is and a hash of all of it (seal.c).

   All functions work on the calling rank alone, return 0 with the reason in why[room] on trouble, and 1 else. */
#pragma once

#include <rungfe_room.h>

/* Has the disk of `path` so many bytes, and may the file at `aside` have them?  They are reserved. */
int RungSealReserve(const char path[], const char aside[], double bytes, char why[], size_t room);
/* Can `path` be replaced and the file at `aside` be made?  It is made, and stays empty.  Out  lock  keeps other runs from making it
   until it is closed, -1: none */
int RungSealTry(const char path[], const char aside[], int *lock, char why[], size_t room);
/* Appends the seal to the file at `aside`, flushes it to the disk and renames it to `path`; on trouble it is removed. */
int RungSealWrite(const char aside[], const char path[], char why[], size_t room);
/* Is the file whole? */
int RungSealCheck(const char path[], char why[], size_t room);
