#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# opref explain: elements of a graph's inner tensors, what is evaluated for them, and what is refused.
# Usage: explain_test.sh OPREF SOURCE_FOLDER
set -u
opref=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
wrong() {
  echo "wrong: $*"
  failures=$((failures + 1))
}

# t = a + b; u = the sum of t; the last node would be refused, since its index lies outside.
graph='<ir_version: 8, opset_import: ["" : 13]> g (float[2] a, float[2] b, float[1,1,2] x, int64[1,1,2] i) => (float[1] u, float[1,1,4] z) {
  t = Add (a, b)
  u = ReduceSum (t)
  z = MaxUnpool <kernel_shape = [2], strides = [2]> (x, i)
}'
explain() { "$opref" explain "$graph" 'a=[1,2]' 'b=[10,20]' 'x=[[[1,2]]]' 'i=[[[0,99]]]' "$@" >out 2>err; }
explain --at 'u[0]' || wrong "an output: $(cat err)"
grep -q '^u\[0\] of ReduceSum-13, float32: 33 ' out || wrong "its value: $(cat out)"
grep -q '^    t\[1\]  22 (0x1.6p+4)  33$' out || wrong "its terms: $(cat out)"
explain --at 't[1]' || wrong "an inner tensor: $(cat err)"
grep -q '^    b\[1\]  20 (0x1.4p+4)  22$' out || wrong "its terms: $(cat out)"
explain --at 'z[0,0,0]'
[ $? = 4 ] && grep -q '^error: I\[0,0,1\] = 99, but the output has 4 elements' err || wrong "a node that is refused: $(cat err)"

explain --at 't[1]' --against '[11,23]:float32' || wrong "against: $(cat err)"
grep -q '^  given by    nothing known$' out || wrong "what nothing gives: $(cat out)"
"$opref" explain ReduceSum -a keepdims=0 'data=[1,1e30,-1e30]:float32' --at '[]' --against 0:float32 >out
grep -q '^  given by    float32 accumulation in order$' out || wrong "float32 accumulation: $(cat out)"

refused() {
  code=$1 words=$2
  shift 2
  explain "$@"
  [ $? = "$code" ] && tr '\n' ' ' <err | sed 's/  */ /g' | cat err - | grep -qF -- "$words" || wrong "$*: $(cat err)"
}
refused 2 'there is no element [2] in float32[2]' --at 't[2]'
refused 2 'there is no element [] in float32[2]' --at 't'
refused 2 '--at needs the name of an output: there are u, z' --at '[0]'
refused 2 "it is NAME[I,J,…], an output and the element's coordinates" --at 't[1,x]'
refused 2 "'a' is not an output here (u, z, t)" --at 'a[0]'
refused 2 "'q' is not" --at 'q[0]'
refused 2 '--at is missing'
refused 2 'has shape [3], but the output [2]' --at 't[0]' --against '[1,2,3]:float32'
refused 6 'no such file: missing.npy' --at 't[0]' --against missing.npy

[ $failures = 0 ] || exit 1
