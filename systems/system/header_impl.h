/* header_impl.h - headers of objects in a file, looked at before HDF5 reads them (header.c). */
#pragma once

#include <stdint.h>

/* Whether the header at this byte of a file is that of a group whose attributes are single numbers of IEEE and texts of a fixed
   length, .. or of a data set of such numbers in one piece. */
int RungHeaderIsGroup(const char path[], uint64_t at);
int RungHeaderIsSet(const char path[], uint64_t at);
