#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Models as exporters write them: weights in Constant nodes, branches that are known, parts of models, values under
# other names, names that are not sound, operators that are not known.
# Usage: models_as_they_are_test.sh OPREF
set -u
. cli/testing.sh
PATH=$(dirname "$opref"):$PATH

# --node takes constants along, but nothing that reads or is drawn.
cat >weights.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]> g (float[1,1,3] x) => (float[1,1,2] y) {
  w = Constant <value = float[1,1,2] {1, -1}> ()
  r = RandomNormal <shape = [1,1,3]> ()
  h = Exp (x)
  y = Conv (h, w)
  z = Add (h, r)
}
END
ends 0 '[[[-1. -2.]]]' run weights.onnxtxt --node y 'h=[[[1,2,4]]]'
ends 0 '[[[-2. -4.]]]' run weights.onnxtxt --node y 'h=[[[1,2,4]]]:float32' 'w=[[[2,-2]]]'
ends 0 '[[[-1. -2.]]]' run weights.onnxtxt --node y 'X=[[[1,2,4]]]'
ends 2 "input 'r' (B) has no value" run weights.onnxtxt --node z 'h=[[[1,2,4]]]:float32'
ends 0 'W float32[1,1,2] (w)' infer weights.onnxtxt --node y 'h=float32[1,1,9]'

# show --nodes.
cat >branches.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, int64 rate) => (float[N] y) {
  known = Constant <value = int64 {16000}> ()
  c = Equal (rate, known)
  h = Neg (x)
  b = If <then_branch = fast () => (float[N] o) { h2 = Exp (h)  o = Tanh (h2) }, else_branch = slow () => (float[N] o) { o = Relu (x) }> (c)
  y = If <then_branch = keep () => (float[N] o) { o = Identity (b) }, else_branch = e () => (float[N] o) { h2 = Abs (b) o = Sqrt (h2) }> (c)
}
END
ends 0 'branches.onnxtxt: 5 nodes' show --nodes branches.onnxtxt
grep -qx '  c = Equal-13 (rate, known)' out || wrong "a node's line: $(cat out)"
grep -qx '    then_branch:' out && grep -qx '      h2 = Exp-13 (h)' out || wrong "a subgraph's lines: $(cat out)"
ends 0 '"outputs": ["h2"]' show --nodes --json branches.onnxtxt
echo '<ir_version: 8, opset_import: ["" : 17]> g (float[N] x) => (float[N] y) { y = Foo (x) }' >unknown.onnxtxt
ends 0 'y = Foo (not known) (x)' show --nodes unknown.onnxtxt

# Branches that are known.
ends 0 'Tanh-13' infer branches.onnxtxt 'x=float32[2]' rate=16000
grep -q 'Relu' out && wrong "a branch that is not taken is listed"
joined err | grep -qF "the condition of the If that gives 'b' is true: 2 nodes of its graph stand in its place" || wrong "nothing says which: $(cat err)"
ends 0 'Sqrt-13' infer branches.onnxtxt 'x=float32[2]' rate=8000
ends 0 'If-16' infer branches.onnxtxt 'x=float32[2]' 'rate=int64[]'
ends 0 '' extract branches.onnxtxt h2 'x=[-1,-2]' rate=16000 -o exp
ends 0 '1 pass' check --exact exp
ends 0 '' extract branches.onnxtxt b 'x=[-1,-2]' rate=16000 -o tanh
ends 0 'Tanh' show tanh
ends 2 "'h2' is inside a subgraph of" extract branches.onnxtxt h2 'x=[-1,-2]' 'rate=int64[]' -o none
# What a branch only hands on, and names that are taken already.
cat >names.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, bool c) => (float[N] y, float[N] z) {
  a = If <then_branch = t () => (float[N] o) { o = Exp (x) }, else_branch = e () => (float[N] o) { o = Neg (x) }> (c)
  y = If <then_branch = t () => (float[N] o) { h = Neg (a) o = Exp (h) }, else_branch = e () => (float[N] o) { o = Neg (a) }> (c)
  h = Abs (x)
  z = If <then_branch = t () => (float[N] h_2) { h_2 = Relu (h) }, else_branch = e () => (float[N] a_2) { a_2 = Neg (a) }> (c)
}
END
ends 0 '' run names.onnxtxt 'x=[-1,2]' c=true -o y=y.npy -o z=z.npy
ends 0 '' run names.onnxtxt 'x=[-1,2]' c=true -o values/ --keep all
mv y.npy z.npy values/
ends 2 '' bisect names.onnxtxt 'x=[-1,2]' c=true
cp values/y.npy own.npy
ends 0 '5 nodes: 5 right, 0 wrong' bisect names.onnxtxt 'x=[-1,2]' c=true --runner 'opref run {inputs} -o {outputs}/'
ends 0 '' extract names.onnxtxt --to z,y 'x=[-1,2]' c=true -o whole
ends 0 '1 pass' check --exact whole
# The backend gets the taken branch's nodes: the wrong one is named.
wrong_tanh='sed s/x/x/ {model} >/dev/null; opref run "h = Neg (x)  h2 = Exp (h)  b = Sigmoid (h2)  y = Identity (b)  c = Not (no)" x={inputs}/input_0.pb no=false:bool -o {outputs}/ --keep all'
ends 1 'fail b (Tanh-13)' bisect branches.onnxtxt 'x=[-1,-2]' rate=16000 --runner "$wrong_tanh"

# Parts.
cat >part.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]> g (float[N,2] x, float[N,2] z) => (float[N,2] y) <float[2,2] w = {1, 2, 3, 4}> {
  k = Constant <value = float {2}> ()
  a = Relu (x)
  b = Exp (a)
  m = MatMul (b, w)
  s = Mul (m, k)
  t = Add (s, z)
  y = Softmax (t)
}
END
ends 0 '' extract part.onnxtxt --from a --to s 'x=[[1,2]]' 'z=[[0,0]]' -o middle
ends 0 '1 pass' check --exact middle
ends 0 '4 nodes' show middle
ends 0 'w float32[2,2]' show middle
ends 0 '' extract part.onnxtxt --from b,z 'x=float32[N,2]' -o middle.onnx
ends 0 'b float32[N,2]' show middle.onnx
ends 0 '' run middle.onnx 'b=[[1,2]]' 'z=[[0,0]]' -o part.npy
ends 0 '' run part.onnxtxt 'b=[[1,2]]' 'z=[[0,0]]' -o whole.npy
cmp -s part.npy whole.npy || wrong "the part gives other values"
ends 0 'the part also reads z of the model' extract part.onnxtxt --from a 'x=[[1,2]]' 'z=[[0,0]]' -o other
ends 2 "the part does not need 'z': 's' does not depend on it" extract part.onnxtxt --from z --to s 'x=[[1,2]]' -o none
ends 2 "no node computes 'x'" extract part.onnxtxt --to x 'x=[[1,2]]' -o none
ends 2 "'a' is both where the part begins and where it ends" extract part.onnxtxt --from a --to a 'x=[[1,2]]' -o none
ends 2 "comes along by itself" extract part.onnxtxt --from w --to y 'x=[[1,2]]' -o none
ends 2 "did you mean" extract part.onnxtxt --from aa --to y 'x=[[1,2]]' -o none
ends 2 'Name a node or its output' extract part.onnxtxt -o none
ends 2 'several nodes, as what lies between' extract part.onnxtxt --node a --to y -o none
ends 2 'opref extract MODEL NAME [NAME=FILE…] -o DIR [OPTIONS], or opref extract MODEL --from A,B' extract part.onnxtxt y --replace
ends 0 '' extract part.onnxtxt --node m 'x=[[1,2]]' 'z=[[0,0]]' -o product
ends 0 '1 pass' check --exact product
[ ! -e none ] || wrong "a folder of what was refused"

# Values under other names.
ends 0 '' run part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' -o captured/ --keep all
mv captured/m.npy captured/layer1.npy
mv captured/s.npy captured/layer2%2Fscale.npy
echo '{"m": "layer1", "s": "layer2/scale"}' >map.json
ends 0 '7 nodes: 7 right' bisect part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' --outputs captured --names map.json
ends 0 "judged together with" bisect part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' --outputs captured --verbose
ends 0 '' extract part.onnxtxt s 'x=[[1,2]]' 'z=[[0,0]]' --outputs captured --names map.json -o scaled
echo '{"layer1": "m"}' >turned.json
ends 2 "but one has 'm': the model's name stands first" bisect part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' --outputs captured --names turned.json
echo '{"mm": "q"}' >none.json
ends 2 "no tensor of the model has the name 'mm'" bisect part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' --outputs captured --names none.json
echo '{"m": "q", "s": "q"}' >twice.json
ends 2 "'m' and 's' both have the file of 'q'" bisect part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' --outputs captured --names twice.json
echo '["m"]' >list.json
ends 3 'no object of names' bisect part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' --outputs captured --names list.json
echo '{"m": 1}' >number.json
ends 3 "the name for 'm' is no text" bisect part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' --outputs captured --names number.json
ends 2 '--outputs is missing' bisect part.onnxtxt 'x=[[1,2]]' --runner true --names map.json

# Names that are not sound.
cat >unsound.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]> g (float[2] x, bool c) => (float[2] y) {
  k = Relu (h)
  h = Exp (x)
  y = If <then_branch = t () => (float[2] h) { h = Neg (k) }, else_branch = e () => (float[2] o) { o = Add (h, k) h = Neg (k) }> (c)
}
END
for command in run infer; do
  ends 3 '' $command unsound.onnxtxt 'x=[0,0]' 'c=true:bool'
  ends 0 '' $command unsound.onnxtxt 'x=[0,0]' 'c=true:bool' --fix-names
  for text in "1 node now stands behind those whose outputs they read: node Relu" "'h' in then_branch of node If is now 'h_1': a tensor around the graph has its name" "is now 'h_2'"; do
    joined err | grep -qF "$text" || wrong "$command does not say '$text': $(cat err)"
  done
done
ends 0 '[-1. -1.]' run unsound.onnxtxt 'x=[0,0]' 'c=true:bool' --fix-names
ends 0 '[2. 2.]' run unsound.onnxtxt 'x=[0,0]' 'c=false:bool' --fix-names
ends 0 '--fix-names changes nothing' run part.onnxtxt 'x=[[1,2]]' 'z=[[0,0]]' --fix-names
ends 0 'right, 0 wrong' bisect unsound.onnxtxt 'x=[0,0]' 'c=true:bool' --fix-names --runner 'opref run {inputs} -o {outputs}/ --fix-names'
ends 0 '' extract part.onnxtxt --to y 'x=[[1,2]]' 'z=[[0,0]]' -o sound
ends 0 '1 pass' check sound --fix-names

# Operators that are not known.
ends 0 'Foo: not known' infer 'y = Foo (x)' 'x=float32[2]'
joined err | grep -qF "operator 'Foo' is not known" || wrong "no warning: $(cat err)"
ends 0 'Foo: not known' infer 'y = Foo (x)' 'x=float32[N]'
ends 5 "operator 'Foo' is not known" infer Foo 'x=float32[2]'
ends 5 "operator 'Foo' is not known" run 'y = Foo (x)' 'x=[1]'

done_testing
