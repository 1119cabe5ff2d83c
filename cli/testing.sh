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
# Writes m.onnxtxt, whose inputs have free sizes: x float32[N,3], z float32["batch size",?].
write_open_model() {
  cat >m.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]> g (float[N,3] x, float["batch size",?] z) => (float[M] y) {
  h = Concat <axis = 0> (x, z)
  k = Relu (h)
  y = ReduceSum <keepdims = 0, noop_with_empty_axes = 0> (k)
}
END
}
# Ends the test.
done_testing() {
  [ $failures = 0 ] || echo "$failures failures"
  exit $((failures > 0))
}
