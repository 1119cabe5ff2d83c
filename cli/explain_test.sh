#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# opref explain: elements of a graph's inner tensors, what is evaluated for them, and what is refused.
# Usage: explain_test.sh OPREF
set -u
. cli/testing.sh

# t = a + b; u = the sum of t; the last node would be refused, since its index lies outside.
graph='<ir_version: 8, opset_import: ["" : 13]> g (float[2] a, float[2] b, float[1,1,2] x, int64[1,1,2] i) => (float[1] u, float[1,1,4] z) {
  t = Add (a, b)
  u = ReduceSum (t)
  z = MaxUnpool <kernel_shape = [2], strides = [2]> (x, i)
}'
explain() { "$opref" explain "$graph" 'a=[1,2]' 'b=[10,20]' 'x=[[[1,2]]]' 'i=[[[0,99]]]' "$@" >out 2>err; }
explain --at 'u[0]' || wrong "an output: $(cat err)"
grep -q '^u\[0\] of ReduceSum-13, float32: 33 ' out || wrong "its value: $(cat out)"
# 2 terms: 3u/(1 - 3u)·33 and u·33 of float32 are 4·33·2^-24, 7.868e-6
grep -q '^  bound       ±7.868e-06 by a right float32 kernel; 2.384e-07 of the value$' out || wrong "its bound: $(cat out)"
grep -q '^  lost by     75 % adding 2 terms, whose magnitudes add up to 33; the largest is' out || wrong "what makes it: $(cat out)"
grep -q '^    term  value  sum so far$' out && grep -q '^    t\[1\]  22     33$' out || wrong "its terms: $(cat out)"
# In the type that the node states: of float16, u = 2^-11, instead of float64
"$opref" explain LayerNormalization 'X=[[1,2,4]]:float64' 'Scale=[1,1,1]:float64' -a stash_type=10 --at '0,0' >out 2>&1
grep -q '^  bound       ±0.0.* by a right float16 kernel' out || wrong "the bound in the type that the node states: $(cat out)"
explain --at 't[1]' || wrong "an inner tensor: $(cat err)"
grep -q '^    b\[1\]  20     22$' out || wrong "its terms: $(cat out)"
explain --at 't[1]' --hex && grep -q '^    b\[1\]  20 (0x1.4p+4)  22$' out || wrong "its terms in hexadecimal: $(cat out err)"
explain --at 'z[0,0,0]'
[ $? = 4 ] && grep -q '^error: I\[0,0,1\] = 99, but the output has 4 elements' err || wrong "a node that is refused: $(cat err)"

# A model's own function has an operator's name, but not its inputs' names.
"$opref" run '<opset_import: ["" : 20]> g (float[3] x) => (float[3] y) { y = Gelu (x) } <domain: "", opset_import: ["" : 20]> Gelu (a) => (b) { b = Exp (a) }' \
  'x=[1,2,3]:float32' --judge '[0,1,7]:float32' >out 2>err
[ $? = 1 ] || wrong "a function named as an operator: $(cat out err)"

explain --at 't[1]' --against '[11,23]:float32' || wrong "against: $(cat err)"
grep -q '^  given by    nothing known$' out || wrong "what nothing gives: $(cat out)"
"$opref" explain ReduceSum -a keepdims=0 'data=[1,1e30,-1e30]:float32' --at '[]' --against 0:float32 >out
grep -q '^  given by    float32 accumulation$' out || wrong "float32 accumulation: $(cat out)"
grep -q '^              weak evidence: ' out || wrong "what one element shows is weak: $(cat out)"
grep -q '^  or by       bfloat16 accumulation$' out || wrong "the others: $(cat out)"

# what adds a change to arithmetic that gives the value already is not listed
"$opref" explain LpPool -a kernel_shape=3 -a p=1 'X=[[[256,1,1]]]:float32' --at 0,0,0 --against 256 >out
grep -q '^  given by    bfloat16 accumulation$' out && ! grep -q 'or by' out || wrong "the plainest alone: $(cat out)"

# One number in a file is rounded to the output's type; optional outputs that nobody names are not asked for.
"$opref" run Identity input=0.3:float64 -o 0.3.npy
"$opref" explain LpPool -a kernel_shape=1 'X=[[[1]]]:float32' --at 0,0,0 --against 0.3.npy >out 2>err
grep -q '^  against     0\.3$' out || wrong "a number in a file: $(cat out err)"
"$opref" explain MaxPool -a kernel_shape=1 'X=[[[1]]]:float32' --at 0,0,0 >out 2>err
grep -q '^Y\[0,0,0\] of MaxPool' out || wrong "the output that is always there: $(cat out err)"

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
for at in 'u(0)' 'u=0'; do
  refused 2 "--at $at: it is NAME[I,J,…], an output and the element's coordinates" --at "$at"
done
refused 2 "--at is missing: u is float32[1]; write --at 'u[0]' for its first element"
refused 2 'there is no element [-3] in float32[2]' --at 't[-3]'
refused 2 "it is NAME[I,J,…], an output and the element's coordinates" --at 't[1'

# The element from the end, without the name of the only output; somebody's element alone.
sum() { "$opref" explain ReduceSum -a keepdims=0 -a noop_with_empty_axes=1 'data=[[1,2],[3,4]]:float32' "$@" >out 2>err; }
for at in '[1,0]' '1,0' '-1, -2'; do
  sum --at "$at" && grep -q '^reduced\[1,0\] of' out || wrong "--at $at: $(cat out err)"
done
sum --at 1,0 --against 3 && grep -q '^  against     the same$' out || wrong "an element alone: $(cat out err)"
"$opref" explain Softmax 'input=[0,Inf]:float32' --at 1 --against 0xffc00001:float32 >out && grep -q '^  against     the same$' out ||
  wrong "another NaN: $(cat out)"
refused 2 'has shape [3], but the output has [2]' --at 't[0]' --against '[1,2,3]:float32'
refused 6 'no such file: missing.npy' --at 't[0]' --against missing.npy

# Parts of composites. Gates of one LSTM cell whose gates all take 1: 1/(1 + e^-1), tanh 1 and their product, by mpmath;
# they are told of its Y, and of its states.
has() {
  grep -qF -- "$1" out || wrong "$2 is not told: $(cat out)"
}
one='W=[[[1],[1],[1],[1]]]:float32'
for at in 'Y[0,0,0,0]' 'Y_h[0,0,0]' 'Y_c[0,0,0]'; do
  "$opref" explain LSTM -a hidden_size=1 'X=[[[1]]]:float32' "$one" "R${one#W}" --at "$at" >out
  has '  i           0.73105857863000487925115924182' "$at: the gate i"
  has '  c           0.761594155955764888119458282604' "$at: the candidate c"
  has '  C           0.556769941145939744272240464689' "$at: the cell"
done
"$opref" explain GRU -a hidden_size=1 'X=[[[1]]]:float32' 'W=[[[1],[1],[1]]]:float32' 'R=[[[1],[1],[1]]]:float32' --at 'Y_h[0,0,0]' >out
has '  r           0.73105857863000487925115924182' "the gate r of a state"
"$opref" explain Attention 'Q=[[[[1,0]]]]:float32' 'K=[[[[1,0],[0,1]]]]:float32' 'V=[[[[1],[2]]]]:float32' --at 'Y[0,0,0,0]' >out
has 'the score of key 0' "a score"
has '0.707106781186547524400844362104' "1/sqrt 2, the score of key 0"
"$opref" explain LayerNormalization 'X=[[1,2,4]]:float32' 'Scale=[1,1,1]:float32' --at 'Y[0,0]' >out
grep -n 'the mean\|the variance\|the deviation' out | cut -d: -f1 | sort -nc || wrong "the parts in the formula's order: $(cat out)"
# A second output is told by its own parts, not by those of the outputs after it.
for output in Mean InvStdDev Y; do
  "$opref" explain LayerNormalization 'X=[[1,2,4]]:float32' 'Scale=[1,1,1]:float32' --at "$output[0,0]" >out
  told=$(grep -o '^  the [a-z]*' out | tr -d '\n')
  [ "$output" = Mean ] && parts='  the mean' || parts='  the mean  the variance  the deviation'
  [ "$told" = "$parts" ] || wrong "the parts of $output: $(cat out)"
done
"$opref" explain '<ir_version: 8, opset_import: ["": 15]> g (float[2,1] x, float[1] s) => (float[2,1] y, float[1] m, float[1] v) {
  y, m, v = BatchNormalization <training_mode = 1, momentum = 0.5> (x, s, s, s, s) }' 'x=[[1],[4]]' 's=[1]' --at 'm[0]' >out
has '  exact       1.75' "1/2 + 2.5/2"
! grep -q 'the variance' out || wrong "the running mean is told by a variance: $(cat out)"
"$opref" explain TopK 'X=[3,9,7]:float32' 'K=[2]' --at 'Indices[1]' >out
has 'where X[2] is, chosen among 3 elements' "a place of TopK"

# What a quotient becomes: 2.5 is rounded to the even 2, and the zero point 3 is added.
"$opref" explain QuantizeLinear 'x=[2.5]:float32' 'y_scale=1:float32' 'y_zero_point=3:uint8' --at 'y[0]' >out
has '  x / y_scale' "the quotient"
has 'rounded to an integer' "its rounding"
has '  exact       5' "the sum with the zero point"

# Coordinates are fractions: of the scale 0.7f = 11744051/2^24, 7/0.7f is above 10, but 10 in float32.
line='X=[0,1,2,3,4,5,6,7,8,9,10,11,12]:float32'
"$opref" explain Resize -a nearest_mode=ceil -a coordinate_transformation_mode=asymmetric "$line" 'scales=[0.7]:float32' --at 'Y[7]' >out
has 'x_original along axis 0, 117440512/11744051' "the place of mode nearest"
sed -n '/^  pixel along axis 0$/{n;p;}' out | grep -qx ' *11' || wrong "the pixel: $(cat out)"
sed -n '/^  pixel along axis 0, in float32$/{n;p;}' out | grep -qx ' *10' || wrong "the pixel that float32 takes: $(cat out)"
"$opref" explain Resize -a mode=linear -a coordinate_transformation_mode=asymmetric "$line" 'scales=[0.7]:float32' --at 'Y[7]' >out
has 'x_original along axis 0, 117440512/11744051' "the place between pixels"
sed -n '/^  x_original along axis 0, in float32$/{n;p;}' out | grep -qx ' *10' || wrong "what float32 makes of it: $(cat out)"
"$opref" explain GridSample 'X=[[[[1,2],[3,4]]]]:float32' 'grid=[[[[0.1,0.3]]]]:float32' --at 'Y[0,0,0,0]' >out
has 'place along axis 2 of X, 13421773/16777216' "the place of ((0.3f + 1)*2 - 1)/2"
"$opref" explain AffineGrid 'theta=[[[1,0,0],[0,1,0]]]:float32' 'size=[1,1,2,3]' --at 'grid[0,0,0,0]' >out
has 'coordinate along axis 3 of size, -2/3' "(2*0 + 1)/3 - 1"
"$opref" explain RoiAlign -a sampling_ratio=1 'X=[[[[1,2],[3,4]]]]:float32' 'rois=[[0,0,1.5,2]]:float32' 'batch_indices=[0]' --at 'Y[0,0,0,0]' >out
has 'column of sample 0, 1/4' "1.5/2 - 1/2"
"$opref" explain DeformConv 'X=[[[[1,2],[3,5]]]]:float32' 'W=[[[[1]]]]:float32' 'offset=[[[[0.25,0],[0,0]],[[0,0],[0,0]]]]:float32' --at 'Y[0,0,0,0]' >out
has 'tap [0,0] along axis 0, 1/4' "a tap's place"
"$opref" explain DeformConv 'X=[[[[1,2],[3,5]]]]:float32' 'W=[[[[1]]]]:float32' 'offset=[[[[0.25,0],[0,0]],[[0.5,0],[0,0]]]]:float32' mask='[[[[2,1],[1,1]]]]:float32' --at 'Y[0,0,0,0]' >out
sed -n '/^  tap \[0,0\], weight \* mask of pixel \[1,0\]$/{n;p;}' out | grep -qx ' *0.25' || wrong "0.25 * 0.5 * 2: $(cat out)"

# Which branch, which iteration.
opset='<ir_version: 8, opset_import: ["" : 16]> g '
"$opref" explain "$opset"'(bool c, float[2] a) => (float[2] y) {
  y = If (c) <then_branch = t () => (float[2] u) { u = Add (a, a) }, else_branch = e () => (float[2] v) { v = Mul (a, a) }>
}' c=false:bool 'a=[1,3]:float32' --at 'y[1]' >out
has 'cond, which takes else_branch' "the branch"
has 'inside it, v[1] of Mul-14, float32: 9' "the node inside the branch"
has '    a[1]  3' "what it reads around the branch"
loop='(int64 m, float[2] a) => (float[2] y, float[n,2] s) {
  y, s = Loop (m, , a) <body = b (int64 i, bool k, float[2] x) => (bool k2, float[2] z, float[2] w) { k2 = Identity (k)
 z = Add (x, x)
 w = Identity (x) }>
}'
"$opref" explain "$opset$loop" m=3:int64 'a=[1,3]:float32' --at 's[1,1]' >out
has 'iteration, of 0 to 2' "the iteration"
"$opref" explain "$opset$loop" m=3:int64 'a=[1,3]:float32' --at 'y[1]' >out
has '  iterations  3' "the number of iterations"
has 'inside it, z[1] of Add-14, float32: 24' "the last iteration's node"
has '    x[1]  12' "what it carries"
scan() {
  "$opref" explain "$opset"'(float[2] a, float[3,2] xs) => (float[2] y, float[3,2] s) {
  y, s = Scan (a, xs) <num_scan_inputs = 1'"$1"', body = b (float[2] st, float[2] x) => (float[2] z, float[2] w) { z = Add (st, x)
 w = Identity (z) }>
}' 'xs=[[1,2],[3,4],[5,6]]:float32' 'a=[1,3]:float32' --at 's[0,1]' >out
}
scan ''
sed -n '/^  iteration, of 0 to 2$/{n;p;}' out | grep -qx ' *0' || wrong "the iteration of a scan: $(cat out)"
scan ', scan_output_directions = [1]'
sed -n '/^  iteration, of 0 to 2$/{n;p;}' out | grep -qx ' *2' || wrong "the iteration of a scan that is written backwards: $(cat out)"

# Into a function, and the function that it calls.
cat >f.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17, "own" : 1]>
g (float[2] x) => (float[2] y) { y = own.Outer (x) }
<domain: "own", opset_import: ["" : 17, "own" : 1]>
Outer (a) => (b) { c = Neg (a) b = own.Inner <by = 3.0> (c) }
<domain: "own", opset_import: ["" : 17]>
Inner <by> (a) => (b) { k = Constant <value_float = @by> () b = Mul (a, k) }
END
"$opref" explain f.onnxtxt 'x=[1,2]:float32' --at 'y[1]' >out
has 'y[1] of Outer-1, float32: -6' "the function's output"
has 'inside it, b[1] of Inner-1, float32: -6' "the function inside"
has 'inside it, b[1] of Mul-14, float32: -6' "the node inside that"
has '    a[1]  -2' "what that reads"
"$opref" infer f.onnxtxt >out
has '    Neg-13, opset 17' "the body's nodes"
has '        Mul-14, opset 17' "those of the function inside"

# What the page leaves open is no value, and no comparison counts it: batch row 1 has one token, its second is padding.
cat >open.json <<'END'
{"op_type": "GroupQueryAttention", "domain": "com.microsoft", "opset": 1, "attributes": {"num_heads": 1, "kv_num_heads": 1},
 "inputs": {"query": {"dtype": "float32", "data": [[[1, 2], [2, 1]], [[1, 2], [2, 1]]]},
            "key": {"dtype": "float32", "data": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]},
            "value": {"dtype": "float32", "data": [[[1, 2], [1, 2]], [[3, 4], [5, 6]]]},
            "seqlens_k": {"dtype": "int32", "data": [1, 0]}, "total_sequence_length": {"dtype": "int32", "data": 2}},
 "outputs": ["output", "present_key", "present_value"]}
END
"$opref" explain open.json --at 'output[1,0,0]' >out 2>err
has 'output[1,0,0] of GroupQueryAttention-1, float32: 3' "a token"
"$opref" explain open.json --at 'output[1,1,0]' >out 2>err
has '  left out    the page does not say what stands here' "a token of padding"
grep -qE 'exact|formula' out && wrong "a token of padding is computed: $(cat out)"
"$opref" explain open.json --at 'present_key[1,0,1,1]' >out 2>err
has '  left out    the page does not say what stands here' "a row of padding"
rows() {
  mkdir -p "$1/open"
  "$opref" run Identity "input=$2:float32" -o "$1/open/output.npy" && "$opref" run Identity "input=$3:float32" -o "$1/open/present_key.npy" &&
    "$opref" run Identity "input=$4:float32" -o "$1/open/present_value.npy" || wrong "rows $1"
}
rows padded '[[[1,2],[1,2]],[[3,4],[7,7]]]' '[[[[1,0],[0,1]]],[[[1,0],[0,1]]]]' '[[[[1,2],[1,2]]],[[[3,4],[5,6]]]]'
rows moved '[[[1,2],[1,2]],[[3,5],[0,0]]]' '[[[[1,0],[0,1]]],[[[1,0],[0,0]]]]' '[[[[1,2],[1,2]]],[[[3,4],[0,0]]]]'
"$opref" check open.json --outputs padded >out 2>err || wrong "padding fails: $(cat out err)"
"$opref" check open.json --outputs moved >out 2>err && wrong "a wrong token passes: $(cat out)"
has '[1,0,1] is 5 instead of 4' "the wrong token"

done_testing
