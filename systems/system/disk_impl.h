/* disk_impl.h - files that HDF5 writes and that never fail it (disk.c). */
#pragma once

#include <hdf5.h>

/* Files that are opened with this access list go through the driver.  *trouble, which lives until the file is closed: the errno of the
   first open, write, cut or close that failed, 0 while all is well.  Negative: HDF5 does not take the driver. */
int RungDiskUse(hid_t list, int *trouble);
