/* file_impl.h - how files of ours are written and what they begin with. */
#pragma once

#include <rungfe_room.h>

/* Not collective: writes `path` whole or not at all; false, and why not. */
PetscBool RungFileWriteAside(const char path[], size_t size, const char bytes[], char why[], size_t room);

/* What files of ours begin with. */
#define RUNG_SERIES_HEAD "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n"
#define RUNG_PIECE_HEAD  "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"2.2\""
/* A chunk of a PNG behind its first one: 13 bytes of tEXt, "Software" is "Rung", with their checksum. */
#define RUNG_PICTURE_MARK    "\0\0\0\rtEXtSoftware\0Rung!9x\xcb"
#define RUNG_PICTURE_MARK_AT 33
