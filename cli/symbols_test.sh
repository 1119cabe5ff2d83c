#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes that are symbols: what infer takes, prints and refuses.
# Usage: symbols_test.sh OPREF
set -u
. cli/testing.sh

# has LINE: out has this line.
has() { grep -qxF -- "$1" out || wrong "no line '$1': $(cat out)"; }

ends 0 '' infer Conv 'X=float32[N,3,H,W]' 'W=float32[8,3,5,3]' -a strides=2,1
has '    Y                 float32[N,8,floor((H+1)/2)-2,W-2]'
has '    X                 float32[N,3,H,W]'
has '  H                   axis 2 of X'
says "H >= 5 else Conv 'Y' refuses it: "
says 'Tested, not proved'
cp out first
ends 0 '' infer Conv 'X=float32[N,3,H,W]' 'W=float32[8,3,5,3]' -a strides=2,1 --threads 1
cmp -s first out || wrong "one thread prints something else"
ends 0 '' infer Conv 'X=float32[?,3,?,?]' 'W=float32[8,3,5,3]' -a strides=2,1
has '    Y                 float32[X_0,8,floor((X_2+1)/2)-2,X_3-2]'

# What is not alike at all sizes.
ends 0 '' infer MaxPool -a kernel_shape=3 -a strides=3 -a auto_pad=SAME_UPPER 'X=float32[1,1,N]'
has '    pads              by size  (default)'
says 'reading max_pool.tie = first may matter; last'
ends 0 'reading pad.reflect_wide = repeat (here: by size)' infer Pad -a mode=reflect 'data=float32[N]' 'pads=[2,2]:int64'
ends 0 '"stands_for": "by size"' infer Pad -a mode=reflect 'data=float32[N]' 'pads=[2,2]:int64' --json

# A layer of OpenVINO.
ends 0 'float32[N,8,H-4,W-2]' infer openvino:Convolution 'data=float32[N,3,H,W]' 'kernel=float32[8,3,5,3]' -a strides=1,1 -a pads_begin=0,0 -a pads_end=0,0 -a dilations=1,1

# A model's own names, and values beside them.
write_open_model
ends 0 'float32[N+batch_size,3]' infer m.onnxtxt
says 'z_1 = 3'
ends 0 'float32[batch_size+5,3]' infer m.onnxtxt 'x=float32[5,3]'
ends 0 'float32[7,3]' infer m.onnxtxt 'x=float32[5,3]' 'z=float32[2,3]'
grep -q 'symbols' out && wrong "numbers alone have symbols: $(cat out)"

# JSON.
ends 0 '"kind": "tried"' infer m.onnxtxt --json
for text in '"name": "batch_size", "input": "z", "axis": 0' '"text": "z_1 = 3"' '"N+batch_size"' '"open": []'; do
  joined out | sed 's/[{] /{/g' | grep -qF -- "$text" || wrong "the document has no $text: $(cat out)"
done
ends 0 '"nodes"' infer m.onnxtxt 'x=float32[5,3]' 'z=float32[2,3]' --json
grep -q '"basis"' out && wrong "numbers alone have a basis: $(cat out)"

# All sizes of a range.
ends 0 'tried at all 400 sizes' infer MaxPool -a kernel_shape=3,3 'X=float32[1,1,H,W]' --sizes H=1..20,W=1..20
ends 0 '"kind": "all"' infer MaxPool -a kernel_shape=3,3 'X=float32[1,1,H,W]' --sizes H=1..20,W=1..20 --json
ends 0 'float32[1,1,H,2]' infer MaxPool -a kernel_shape=1,3 'X=float32[1,1,H,W]' --sizes W=4
ends 0 'float32[2*N,0]' infer Concat 'inputs=float32[N,0]' 'inputs=float32[N,0]' -a axis=0 --sizes N=0..4

# What values decide.
ends 0 'u1' infer NonZero 'X=float32[N,T]'
says "decided by values in NonZero 'Y'"
ends 0 '"decided_by"' infer NonZero 'X=float32[N,T]' --json

# What never agrees: the limit of sizes ends it.
cat >limit.onnxtxt <<'END'
<ir_version: 9, opset_import: ["" : 18]> agraph (float[2,T] x) => (float y) {
  n = NonZero(x) s = Shape(x) i = Constant<value_ints=[1]>() t = Gather(s,i) e = Constant<value_ints=[3000]>()
  m = Min(t,e) y = ConstantOfShape(m) }
END
ends 0 'warning: the limit of sizes is reached before all agree' infer limit.onnxtxt
has '    output            float32[?]  (y)'
says '1 tensor taken back'

# What is refused.
ends 2 'the size' infer Relu 'X=float32[N,,3]'
ends 2 'give a symbol or a number' infer Relu 'X=float32[2*N]'
ends 2 'a word of expressions' infer Relu 'X=float32[floor]'
ends 2 'a word of expressions' infer Relu 'X=float32[u3]'
ends 2 'have types alone' infer Relu 'X=float32[N]:normal'
ends 2 'have types alone' run Relu 'X=float32[N]'
ends 2 'at most 8' infer Concat 'inputs=float32[a,b,c,d,e]' 'inputs=float32[f,g,h,i,j]' -a axis=0
ends 2 'is no symbol here' infer Relu 'X=float32[N]' --sizes M=1..3
ends 2 'has no sizes' infer Relu 'X=float32[N]' --sizes N=4..3
ends 2 'all sizes are numbers' infer Relu 'X=float32[3]' --sizes N=1..3
ends 4 'that were tried works' infer MatMul 'A=float32[M,4]' 'B=float32[5,P]'
done_testing
