#!/bin/sh
# init_ends.sh PROGRAM RANKS [MPIEXEC ..] - an error is shown once, in one line, and ends the program soon with a status.
program=$1 ranks=$2
shift 2
bad=0

complain() { echo "$*"; cat out.txt; bad=1; }

# run LINES STATUS ARGUMENTS..: so many lines "error: ..", status zero or not, nothing of PETSc's own.
run() {
  lines=$1 status=$2 start=$(date +%s)
  shift 2
  if [ "$ranks" = 1 ]; then "$program" "$@" > out.txt 2>&1; else $launch "$program" "$@" > out.txt 2>&1; fi
  code=$?
  [ $(($(date +%s) - start)) -le 20 ] || complain "$* took too long"
  [ "$(grep -c '^error: ' out.txt)" = "$lines" ] || complain "$* did not show $lines errors"
  if [ "$status" = zero ]; then [ $code = 0 ]; else [ $code != 0 ]; fi || complain "$* ended with status $code"
  ! grep -q 'PETSC ERROR' out.txt || complain "$* shows PETSc's own words"
}

launch="$*"
for way in all each agreed returned; do
  run 1 other -way $way
  grep -q '^error: found one, wanted two; take another$' out.txt || complain "$way says something else"
done
if [ "$ranks" != 1 ]; then run 1 other -way some; fi
if [ "$ranks" = 1 ]; then
  "$program" -way all -rung_traceback > out.txt 2>&1 && complain "no status with -rung_traceback"
  grep -q 'PETSC ERROR.*refuse()' out.txt || complain "no stack with -rung_traceback"
  "$program" -way options -rung_traceback > out.txt 2>&1 || complain "-rung_traceback is refused"
fi
if [ "$ranks" = 1 ]; then # without mpiexec, and without what tests say to Open MPI: no daemon
  env -u OMPI_MCA_ess_singleton_isolated "$program" -way alone > out.txt 2>&1 || complain "a start leaves a process behind"
  # programs side by side would share a folder of Open MPI, which one takes away from another that begins
  env OMPI_MCA_orte_tmpdir_base=/dev/null/none "$program" -way alone > out.txt 2>&1 || complain "a start alone wants a folder of Open MPI"
fi
run 1 other -way options -rung_tracback
grep -q 'did you mean -rung_traceback?' out.txt || complain "no suggestion"
# says WORDS ARGUMENTS..: a value that cannot be read is told with the name of its option
says() {
  words=$1
  shift
  run 1 other -way values "$@"
  grep -qF -- "error: $words" out.txt || complain "$* does not say: $words"
}
if [ "$ranks" = 1 ]; then # on several ranks they are told as the option above is
  says '-number: "abc" is no number; wanted one like 0.1' -number abc
  says '-number: "0.1x" is no number' -other 3 -number 0.1x -more -2
  says '-whole: "2.5" is no whole number; wanted one like 10' -whole 2.5
  says '-yes: "perhaps" is neither true nor false' -number -1 -yes perhaps
  says '-list: "b" is no number' -list 1,b,2
  says '-number: "abc" is no number' -more -number abc
  says '-again or -number: "abc" is no number' -number abc -again abc
fi
# words that belong to no option, and a program that takes them
ends() {
  words=$1
  shift
  run 1 other "$@"
  grep -qF -- "error: $words" out.txt || complain "$* does not say: $words"
}
if [ "$ranks" = 1 ]; then
  ends '"rung_traceback" belongs to no option; did you mean -rung_traceback?' -way options rung_traceback
  ends '"b" behind -way and its value belongs to no option; a list has commas' -way options b
  ends 'there is no option -rung_traceback=1; a value stands behind a blank, -rung_traceback 1' -way options -rung_traceback=1
  ends 'there is no option -stepper' -way options -stepper
  ends 'no memory for 9.22 EB (ask_for_memory)' -way memory
  run 0 zero first -way words second -more 3 -- third
  [ "$(grep ^word out.txt | tr -d '\n')" = "word firstword secondword --word third" ] || complain "a program does not get its words"
  run 0 zero -way kept
  run 0 zero -way options -help
  grep -q -- '-rung_traceback <false>  *an error shows' out.txt || complain "-help does not tell of -rung_traceback"
  # what is printed to a full disk, more and less than stdio keeps
  for words in "one two" "$(seq 4000 | tr '\n' ' ')"; do
    # shellcheck disable=SC2086
    "$program" -way words -- $words > /dev/full 2> out.txt
    code=$?
    [ $code = 4 ] || complain "a full disk behind the standard output ends with status $code"
    grep -q '^incomplete: the standard output is not whole' out.txt || complain "a full disk is not told"
    ! grep -q 'PETSC ERROR' out.txt || complain "a full disk shows PETSc's own words"
  done
  # files of options that PETSc cannot read
  printf 'way none\n' > wrong.opt
  ends 'PETSc does not start: Unable to open options file nowhere.opt' -options_file nowhere.opt
  ends 'PETSc does not start: Specified options file . is a directory' -options_file .
  ends 'PETSc does not start: Unknown first token in options file wrong.opt line 1: way' -options_file wrong.opt
else # the same options on all ranks
  others=$((ranks - 1))
  for differ in "-way none -more 3" "-way none"; do
    timeout 60 ${launch%% *} --oversubscribe -n 1 "$program" -way none -more 2 : -n $others "$program" $differ > out.txt 2>&1 &&
      complain "no status where ranks have $differ"
    [ "$(grep -c '^error: the options differ between ranks: rank 0 has ' out.txt)" = 1 ] || complain "$differ is not refused"
  done
  # of the environment and of files those of rank 0 are everybody's
  printf -- '-way all\n' > all.opt
  first="PETSC_OPTIONS=-options_file all.opt"
  ${launch%% *} --oversubscribe -n 1 env "$first" "$program" : -n $others env PETSC_OPTIONS="-way each" "$program" > out.txt 2>&1 &&
    complain "no status with $first"
  [ "$(grep -c '^error: found one, wanted two; take another$' out.txt)" = 1 ] || complain "$first is not rank 0's for all"
  ${launch%% *} --oversubscribe -n $ranks "$program" -options_file nowhere.opt > out.txt 2>&1 && complain "no status without an options file"
  grep -q '^error: PETSc does not start: Unable to open options file nowhere.opt$' out.txt || complain "an options file that is missing"
fi
run 0 zero -way handled
# status WANTED WAY: what main() returns gives way to what the run came to, unless it is a number of its own
status() {
  run 0 other -way "$2"
  [ $code = "$1" ] || complain "$2 ended with status $code, wanted $1"
  [ "$(grep -c '^incomplete: the file "a" is missing: no room (and 1 more)$' out.txt)" = 1 ] || complain "$2 does not say it once"
}
status 4 incomplete
if [ "$ranks" = 1 ]; then status 7 incomplete_7; fi
run 0 zero -way none -cheese 3
[ "$(grep -c 'option -cheese 3 was given and never used' out.txt)" = 1 ] || complain "the unused option is not named once"
exit $bad
