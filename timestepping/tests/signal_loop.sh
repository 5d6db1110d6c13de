#!/bin/sh
# signal_loop.sh STATUS COMMAND.. - the command must end with this status, with its table and its checkpoint whole.
wanted=$1
shift
rm -f loop.h5 loop.csv loop.csv.part
"$@" -form_backend interpreter
found=$?
[ $found = "$wanted" ] || { echo "status $found, wanted $wanted"; exit 1; }
[ -f loop.h5 ] && [ -f loop.csv ] && [ ! -e loop.csv.part ] || { ls; echo "table or checkpoint is not finished"; exit 1; }
