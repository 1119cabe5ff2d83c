#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# opref run --sensitivity says how far rounding may move a model's outputs; bisect blames no fusion for what rounding does.
# Usage: sensitivity_test.sh OPREF
set -u
. cli/testing.sh
PATH=$(dirname "$opref"):$PATH

# The sine of numbers up to 3e7 is that of their rounding errors.
model() {
  printf '<ir_version: 8, opset_import: ["" : 13]> g (float[64] x) => (float[64] y) <float[1] c = {%s}> {\n' "$1"
  printf '  h = Mul (x, c)\n  y = %s (h)\n}\n' "$2"
}
model 30000000 Sin >m.onnxtxt
model 30000002 Sin >next.onnxtxt
opref run Identity 'input=float32[64]:uniform' -o x.npy || exit 1
ends 0 'amplifies rounding: outputs of right backends may differ by' run m.onnxtxt x=x.npy --sensitivity
says '(4 runs)'
says 'y (Sin) amplifies'
cp out four
ends 0 '' run m.onnxtxt x=x.npy --sensitivity --threads 1
cmp -s four out || wrong "the number of threads changes it: $(cat four out)"
ends 0 '(7 runs)' run m.onnxtxt x=x.npy --sensitivity --noise-runs 7
ends 0 '"amplifies": true' run m.onnxtxt x=x.npy --sensitivity --json
says '"op_type": "Sin"'
ends 0 'y: spread 0 (4 runs)' run 'y = Neg (x)' 'x=[1,2]:float32' --sensitivity
ends 0 'k: spread 0, no element changes (4 runs)' run 'k = ArgMax (x)' 'x=[1,2]:float32' --sensitivity

# The first Inf, in words and as JSON; of none nothing is said.
ends 0 'the first Inf or NaN: h (Exp) gives h[1] = Inf in float16, though none is in its inputs: x up to 12' \
  run 'h = Exp (x)  y = Neg (h)' 'x=[1,12]:float16' --sensitivity
ends 0 '"non_finite": { "node": "h", "op_type": "Exp", "place": 0, "output": "h", "index": [1], "value": "Inf"' run 'h = Exp (x)  y = Neg (h)' 'x=[1,12]:float16' --sensitivity --json
ends 0 '' run 'h = Exp (x)  y = Neg (h)' 'x=[1,2]:float16' --sensitivity
grep -q 'Inf' out && wrong "there is no Inf: $(cat out)"

# What makes no sense.
ends 2 '--noise-runs needs --sensitivity' run 'y = Neg (x)' 'x=[1,2]:float32' --noise-runs 3
ends 2 '--sensitivity writes and compares no outputs' run 'y = Neg (x)' 'x=[1,2]:float32' --sensitivity -o y.npy

# A backend that rounds otherwise when it fuses is not to blame; one that is farther off is.
backend='if opref show {model} | grep -q "^    h  "; then opref run m.onnxtxt x={inputs}/input_0.pb -o h={outputs}/h.npy -o y={outputs}/y.npy; else opref run ALONE x={inputs}/input_0.pb -o {outputs}/; fi'
alone() { printf '%s' "$backend" | sed "s/ALONE/$1/"; }
ends 0 'the model amplifies rounding, there is no verdict' bisect m.onnxtxt x=x.npy --runner "$(alone next.onnxtxt)"
grep -q 'it fuses then' out && wrong "fusion is blamed: $(cat out)"
says '2 nodes: 2 right, 0 wrong, 0 not judged'
ends 0 '"rms_difference"' bisect m.onnxtxt x=x.npy --runner "$(alone next.onnxtxt)" --json
model 3 Sin >m.onnxtxt
model 3.01 Sin >next.onnxtxt
ends 1 'it computes nodes wrongly that it fuses then' bisect m.onnxtxt x=x.npy --runner "$(alone next.onnxtxt)"
says 'and rounding of nodes alone may make'

# The first Inf of the backend's values.
model 300 Exp >m.onnxtxt
ends 0 'the first Inf or NaN: y (Exp) gives y[' bisect m.onnxtxt x=x.npy --runner "$(alone m.onnxtxt)"
done_testing
