/* rungtext_room.h - texts that are put together in a given room.  Not installed, not exported. */
#pragma once

#include <rungfe_room.h>

/* RungTextAppend - adds to a text in `room` bytes, its end among them; what finds no place is cut off.  PetscStrlcat() of PETSc 3.18
   counts the room from the length of what is added: it cuts too soon, and writes behind the end of texts that are long.  Not
   collective. */
RUNG_INTERN PetscErrorCode RungTextAppend(char text[], const char more[], size_t room);

/* RungOptionsExplain - PETSc's words about a value of an option that it cannot read, or that names nothing, become ours with the name of
   the option and the way out; other messages stay.  Not collective. */
RUNG_INTERN void RungOptionsExplain(char message[], size_t size);

/* RungTextObeyed - where the first character that a terminal obeys begins: one that RungLabelCheck() refuses, but for
   blanks and ends of lines; -1: there is none.  Not collective.
   Out  number  its number in Unicode
   RungTextShow - puts a question mark in the place of each, but for ends of lines: a text for a terminal.  Not
   collective. */
RUNG_INTERN PetscInt RungTextObeyed(const char text[], size_t n, int *number);
RUNG_INTERN void     RungTextShow(char text[]);
