# SPDX-License-Identifier: Apache-2.0
# For shell tests, which include it with the path of opref as $1, in the source folder. They go on in a temporary folder.
opref=$1
source=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
wrong() {
  echo "wrong: $*"
  failures=$((failures + 1))
}
# A message of several lines as one.
joined() { tr '\n' ' ' <"$1" | sed 's/  */ /g'; }
# ends CODE TEXT ARGUMENTS…: opref ends with this code, and prints this text.
ends() {
  code=$1 text=$2
  shift 2
  "$opref" "$@" >out 2>err
  is=$?
  [ $is = "$code" ] || wrong "exit code $is, not $code: opref $*: $(cat out err)"
  [ -z "$text" ] || { joined out; joined err; } | grep -qF -- "$text" || wrong "nothing says '$text': opref $*: $(cat out err)"
}
# says TEXT: the last one printed it.
says() { joined out | grep -qF -- "$1" || wrong "nothing says '$1': $(cat out)"; }
# one_case FILE N: the N-th case of a file of cases, as a file of its own would have it.
one_case() { awk -v n="$2" '/^  [{]$/ {k++} k == n && /^  / {sub(/^  /, ""); sub(/^[}],$/, "}"); print}' "$1"; }
# Ends the test.
done_testing() {
  [ $failures = 0 ] || echo "$failures failures"
  exit $((failures > 0))
}
