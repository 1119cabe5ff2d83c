#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Outputs of graphs that no node gives, outputs of nodes that have no name, and more outputs than an operator gives: every
# command says the same of them.
# Usage: graph_outputs_test.sh OPREF
set -u
. cli/testing.sh
# ends CODE TEXT ARGUMENT…: the command ends with CODE and says TEXT.
ends() {
  code=$1 text=$2
  shift 2
  timeout 60 "$opref" "$@" >out 2>err
  is=$?
  [ $is = "$code" ] || wrong "exit code $is, not $code: $*: $(cat out err)"
  cat out err | tr -s '\n ' '  ' | grep -qF -- "$text" || wrong "no '$text': $*: $(cat out err)"
}
# everywhere CODE FAULT TEXT NODE OUTPUT INPUT…: the node is no node, in each command; the output would be a float32.
everywhere() {
  code=$1 fault=$2 text=$3 node=$4 output=$5
  shift 5
  ends "$code" "$text" run "$node" "$@"
  ends "$code" "$text" infer "$node" "$@"
  ends "$code" "$text" explain "$node" "$@" --at "${output}[]"
  ends "$code" "$text" run "$node" "$@" --expect "$output=1:float32"
  ends "$code" "$text" run "$node" "$@" --judge "$output=1:float32"
  ends "$code" "$text" extract "$node" "$output" "$@" -o extracted
  # by files: the inputs by their own names
  rm -rf in out_files values && mkdir in out_files values
  for input in "$@"; do "$opref" run Identity "input=${input#*=}" -o "output=in/${input%%=*}.npy" || wrong "$input"; done
  printf '{"id": "1", "model": "%s", "inputs": "in", "outputs": "out_files"}\n' "$node" >request
  "$opref" worker <request >answer 2>err || wrong "worker: $(cat err)"
  grep -qF "\"fault\": \"$fault\",\"why\": \"${text%% in *}" answer || wrong "worker: $(cat answer)"
}

no_a="no node gives the graph's output 'a'" no_w="no node gives the graph's output 'w' in body"
everywhere 3 malformed "$no_a in then_branch in If" \
  'y = If <then_branch = t () => (a) { m = Constant <value_float = 1.0> () }, else_branch = e () => (b) { b = Constant <value_float = 1.0> () }> (c)' y c=true:bool
everywhere 3 malformed "$no_w in Loop" 'y = Loop <body = b (int64 i, bool k, float v) => (l, w) { l = Identity (k) z = Neg (v) }> (M, c, x)' y \
  M=2:int64 c=true:bool x=1:float32
everywhere 3 malformed "$no_w in Scan" 'y = Scan <num_scan_inputs = 1, body = b (v) => (w) { z = Neg (v) }> (X)' y 'X=[1,2]:float32'
everywhere 3 malformed "$no_w in SequenceMap" 'q = SequenceConstruct (s) y = SequenceMap <body = b (v) => (w) { z = Neg (v) }> (q)' y 's=[1,2]:float32'
# The name is one of those around, but the branch does not give it.
everywhere 3 malformed "no node gives the graph's output 'x' in then_branch in If" \
  'y = If <then_branch = t () => (x) { m = Identity (x) }, else_branch = e () => (b) { b = Identity (x) }> (c)' y c=true:bool x=1:float32

# More outputs than the operator gives for so many inputs.
variable='R=0.5:float32 T=1:int64 X=[1]:float32 G=[1]:float32'
for call in 'a, b, c = ai.onnx.preview.training.Adagrad (R, T, X, G, H)' 'a, b, c, d = ai.onnx.preview.training.Adam (R, T, X, G, H, V)' \
  "a, b, c = ai.onnx.preview.training.Momentum <alpha = 0.9, beta = 0.9, mode = 'standard', norm_coefficient = 0.0> (R, T, X, G, H)"; do
  outputs=$(echo "${call%% =*}" | wc -w)
  more='H=[1]:float32'
  case $call in *Adam\ *) more="$more V=[1]:float32" ;; esac
  case $call in *Momentum*) call=$(echo "$call" | tr "'" '"') ;; esac
  for command in run infer explain; do
    ends 4 "the node has $outputs outputs, but 1 variable gives $((outputs - 1))" $command "$call" $variable $more
  done
done
ends 4 'split is [1,1], but the node has 3 outputs' run 'a, b, c = Split <axis = 0> (x, s)' 'x=[1,2]:float32' 's=[1,1]:int64'
ends 4 'then_branch gives 1 output, but must give 2' explain \
  "y, z = If <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Neg (x) }> (c)" c=true:bool x=1:float32 --at 'y[]'
ends 4 'the node has 2 carried values, but 1 output' infer \
  'y = Scan <num_scan_inputs = 1, body = b (u, v, w) => (p) { p = Neg (u) }> (x, x, x)' 'x=[1]:float32'
ends 4 'body gives 1 output, but must give 2' run 'q = SequenceConstruct (s) y, z = SequenceMap <body = b (v) => (w) { w = Neg (v) }> (q)' 's=[1]:float32'

# A node none of whose outputs has a name gives nothing: the graph lacks its output, or does without the node.
cat >model.py <<'END'
import os, struct, sys
def v(n): return bytes([n & 127 | 128]) + v(n >> 7) if n > 127 else bytes([n])
def t(f, b): b = b.encode() if isinstance(b, str) else b; return v(f << 3 | 2) + v(len(b)) + b
def node(op, inputs, outputs, *attributes):
    return t(1, b"".join(t(1, i) for i in inputs) + b"".join(t(2, o) for o in outputs) + t(4, op) + b"".join(attributes))
def integer(name, n): return t(5, t(1, name) + v(160) + b"\2" + v(24) + v(n))
body = node("Neg", "v", "w") + t(2, "b") + t(11, t(1, "v")) + t(12, t(1, "w"))
scan = node("Scan", "x", [""], t(5, t(1, "body") + v(160) + b"\5" + t(6, body)), integer("num_scan_inputs", 1))
top = node("TopK", "xk", ["", ""])
def case(folder, nodes, inputs, outputs="y"):
    os.makedirs(folder + "/test_data_set_0")
    infos = b"".join(t(11, t(1, i)) for i in inputs) + b"".join(t(12, t(1, o)) for o in outputs)
    open(folder + "/model.onnx", "wb").write(b"\x08\x08" + t(7, nodes + t(2, "g") + infos) + t(8, b"\x10\x11"))
    floats = lambda *x: v(8) + v(len(x)) + v(16) + v(1) + t(9, struct.pack("<%df" % len(x), *x))
    for k, i in enumerate(inputs):
        tensor = floats(1, 2) if i == "x" else v(8) + v(1) + v(16) + v(7) + t(9, struct.pack("<q", 1))
        open(folder + "/test_data_set_0/input_%d.pb" % k, "wb").write(tensor)
    open(folder + "/test_data_set_0/output_0.pb", "wb").write(floats(-1, -2))
case("cases/alone", scan, "x")
case("cases/beside", node("Neg", "x", "y") + scan + top, "xk")
case("cases/unnamed", node("Neg", "x", [""]), "x", [""])
END
python3 model.py || wrong "model.py"
for command in run infer explain; do ends 3 "no node gives the graph's output 'y'" $command cases/alone; done
for command in run infer explain; do ends 3 "no node gives the graph's output ''" $command cases/unnamed; done
ends 0 'float32[2]' run cases/beside
ends 0 'y' infer cases/beside
ends 0 '-1' explain cases/beside --at 'y[0]'
ends 1 '3 cases: 1 pass, 0 fail, 2 error' check cases --report report.json
for name in alone beside unnamed; do grep -q "\"name\": \"$name\"" report.json || wrong "no report of $name"; done
mkdir out_files/beside
printf '{"id": "1", "model": "cases/beside/model.onnx", "inputs": "cases/beside/test_data_set_0", "outputs": "out_files/beside"}\n' |
  "$opref" worker >answer 2>err || wrong "worker: $(cat err)"
grep -q '"status": "ok"' answer || wrong "worker: $(cat answer)"
ends 0 '' bisect cases/beside --runner 'opref=$0; '"'$opref'"' run {inputs} -o {outputs}/'
ends 3 "no node gives the graph's output 'y'" bisect cases/alone --outputs .

# An output that is an input without a value.
ends 2 "input 'x' has no value" run '<ir_version: 8, opset_import: ["" : 16]> g (float[2] x, float z) => (float y, float[2] x) { y = Neg (z) }' z=1

# Numbers of 8 and 4 bits: what is moved or rounded once has one right value, what is computed is one that a number
# within the bound becomes.
mkdir bounds
for type in float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn; do
  ends 0 'y equal' run 'y = Transpose (x)' "x=[[1,2]]:$type" --expect "y=[[1],[2]]:$type" --bound
  ends 0 'output equal' run Cast -a to=$type 'input=1:float32' --expect "output=1:$type" --bound
  ends 1 'output differs' run Cast -a to=$type 'input=1:float32' --expect "output=2:$type" --bound
  ends 1 'y differs' run 'y = Transpose (x)' "x=[[1,2]]:$type" --expect "y=[[1],[4]]:$type" --bound
  cat >bounds/$type.json <<END
{"op_type": "Cast", "opset": 25, "attributes": {"to": "$type"}, "inputs": {"input": {"dtype": "float32", "data": [1]}},
 "expect": {"output": {"dtype": "$type", "data": [1]}}}
END
done
echo '{"op_type": "ReduceSum", "opset": 13, "inputs": {"data": {"dtype": "float32", "data": [1, 2]}},
  "expect": {"reduced": {"dtype": "float32", "data": [3]}}}' >bounds/sum.json
echo '{"op_type": "QuantizeLinear", "opset": 25, "inputs": {"x": {"dtype": "float32", "data": [1]}, "y_scale": {"dtype":
  "float32", "data": 1}, "y_zero_point": {"dtype": "float8_e4m3fn", "data": 0}},
  "expect": {"y": {"dtype": "float8_e4m3fn", "data": [1]}}}' >bounds/computed.json
ends 0 '8 cases: 8 pass' check bounds --bound --report bounds_report.json
ends 1 'y beyond the bound of float32' run QuantizeLinear x=[1]:float32 y_scale=1:float32 y_zero_point=0:float8_e4m3fn \
  --expect y=[1.125]:float8_e4m3fn --bound
grep -q '"name": "sum"' bounds_report.json || wrong "no report of the sound case"

done_testing
