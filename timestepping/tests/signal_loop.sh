#!/bin/sh
# signal_loop.sh STATUS COMMAND.. - the command must end with this status and no error, with table and checkpoint whole.
wanted=$1
shift
rm -f loop.h5 loop.csv loop.csv.part
"$@" -form_backend interpreter > out.txt 2>&1
found=$?
[ $found = "$wanted" ] || { cat out.txt; echo "status $found, wanted $wanted"; exit 1; }
! grep '^error' out.txt || exit 1
[ -f loop.h5 ] && [ -f loop.csv ] && [ ! -e loop.csv.part ] || { ls; echo "table or checkpoint is not finished"; exit 1; }
