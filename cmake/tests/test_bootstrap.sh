#!/bin/sh
# test_bootstrap.sh ROOT - what bootstrap says when it cannot go on; runs in an empty scratch folder, installs nothing.
# Programs that ask the system are replaced by ones that answer as a machine would on which the user alice has no rights.
set -eu

root=$1
scratch=$(mktemp -d "$PWD/bootstrap.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/stub" "$scratch/tree" "$scratch/elsewhere"
cp "$root/bootstrap" "$scratch/tree"

stub() {
  printf '#!/bin/sh\n%s\n' "$2" >"$scratch/stub/$1"
  chmod +x "$scratch/stub/$1"
}
# shellcheck disable=SC2016 # the stubs expand these
{
  stub id 'case $1 in -u) echo 1000 ;; -un) echo alice ;; esac'
  stub sudo 'exit 1'
  stub apt-get 'echo "apt-get must not be called" >&2; exit 1'
  stub dpkg-query 'for word; do last=$word; done; [ "$last" != libmetis-dev ] || exit 1; echo installed'
  stub cmake 'echo "cmake: the stub fails"; exit 1'
}

# expect STATUS TEXT word.. - bootstrap with these words ends so and says so, called from another folder
expect() {
  status=$1 text=$2
  shift 2
  found=0
  output=$(cd "$scratch/elsewhere" && PATH=$scratch/stub:$PATH "$scratch/tree/bootstrap" "$@" 2>&1 </dev/null) || found=$?
  case $output in
    *"$text"*) ;;
    *) found="$found, not saying \"$text\"" ;;
  esac
  [ "$found" = "$status" ] && return
  printf 'bootstrap %s: wanted status %s, found %s:\n%s\n' "$*" "$status" "$found" "$output"
  exit 1
}

expect 2 'usage: ./bootstrap demo'
expect 2 'usage: ./bootstrap demo' dance
expect 2 'usage: ./bootstrap demo' test everything
expect 2 'usage: ./bootstrap demo' ci everything
expect 0 'usage: ./bootstrap demo' --help
expect 1 'missing packages: libmetis-dev' test
expect 1 'apt-get install --no-install-recommends libmetis-dev' demo
stub dpkg-query 'echo installed'
expect 1 'cmake could not configure' test
[ -d "$scratch/tree/build" ] && [ -z "$(ls "$scratch/elsewhere")" ]
ln -s nowhere "$scratch/tree/build/link" # not writable, and nobody's obstacle
expect 1 'cmake could not configure' test
stub find 'echo build/CMakeCache.txt'
expect 1 'is not writable for alice' test
rm "$scratch/stub/find" # both suites run, the second after a failure of the first, which stays the status
stub cmake ':'
stub ctest 'case "$*" in *-N*) echo "Total Tests: 7" ;; *slow*) exit 8 ;; *) echo "the rest has run" ;; esac'
expect 8 'Tests: the default suite, 7 of them: ctest --preset release -LE slow' test
expect 8 'the rest has run' ci
echo "all is well"
