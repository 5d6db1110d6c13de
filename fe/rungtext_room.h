/* rungtext_room.h - texts that are put together in a given room.  Not installed, not exported. */
#pragma once

#include <rungfe_room.h>

/* RungTextAppend - adds to a text in `room` bytes, its end among them; what finds no place is cut off.  PetscStrlcat() of PETSc 3.18
   counts the room from the length of what is added: it cuts too soon, and writes behind the end of texts that are long.  Not
   collective. */
RUNG_INTERN PetscErrorCode RungTextAppend(char text[], const char more[], size_t room);
