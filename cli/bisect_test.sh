#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# opref bisect names the node that a backend computes wrongly, whatever else the backend does; opref extract writes a node
# as a case. The backends are opref itself with a mistake.
# Usage: bisect_test.sh OPREF
set -u
. cli/testing.sh
PATH=$(dirname "$opref"):$PATH
# ends CODE TEXT ARGUMENTS…: opref ends with this code, and prints a line with this text.
ends() {
  code=$1 text=$2
  shift 2
  opref "$@" >out 2>err
  is=$?
  [ $is = "$code" ] || wrong "exit code $is, not $code: opref $*: $(cat out err)"
  [ -z "$text" ] || cat out err | grep -qF -- "$text" || wrong "no line has '$text': opref $*: $(cat out err)"
}
says() { grep -qF -- "$1" out || wrong "no line has '$1': $(cat out)"; }

cat >m.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[1,1,4,4] x) => (float[1,1,3,3] y)
<float[1,1,2,2] w = {1, 2, 3, 4}> {
  a = Relu (x)
  c = Conv <pads = [1, 0, 0, 1]> (a, w)
  p = MaxPool <kernel_shape = [2, 2]> (c)
  y = Exp (p)
}
END
sed 's/pads = \[1, 0, 0, 1\]/pads = [0, 1, 1, 0]/' m.onnxtxt >pads.onnxtxt
opref run Identity 'input=float32[1,1,4,4]:uniform:3' -o x.npy || exit 1

# One that has no mistake, as a runner and as a worker.
good="opref run {inputs} -o {outputs}/"
for runner in "$good" "opref worker"; do
  ends 0 '4 nodes: 4 right, 0 wrong, 0 not judged' bisect m.onnxtxt x=x.npy --runner "$runner"
  says 'output y: the exact one, bit for bit'
done

# A pad that is moved: the node stands first, with the cause; the nodes behind it are right.
values='-o a={outputs}/a.npy -o c={outputs}/c.npy -o p={outputs}/p.npy -o y={outputs}/y.npy'
pads="opref run pads.onnxtxt x={inputs}/input_0.pb $values"
ends 1 "fail c (Conv-11): 'c' has an error of" bisect m.onnxtxt x=x.npy --runner "$pads" --extract cases --html page.html
[ "$(head -n 1 out | cut -d: -f1)" = "fail c (Conv-11)" ] || wrong "it does not stand first: $(cat out)"
says 'reproduced by: mistake'
says '4 nodes: 3 right, 1 wrong, 0 not judged'
says '100 % of it from c (Conv-11)'
grep -q '"1 c"' page.html || wrong "the page does not begin with the node"
[ "$(ls cases)" = c ] || wrong "extracted: $(ls cases)"
ends 0 '1 pass' check --exact cases
ends 1 'reproduced by: mistake' check cases --runner 'sed s/x/x/ {model} >/dev/null; opref run Conv -a pads=0,1,1,0 X={inputs}/input_0.pb "W=[[[[1,2],[3,4]]]]:float32" -o {outputs}/output_0.npy'
ends 2 'it is there already' bisect m.onnxtxt x=x.npy --runner "$pads" --extract cases
opref bisect m.onnxtxt x=x.npy --runner "$pads" --json >out
says '"share": 1'
# By a rule that is wide enough it passes.
ends 0 '4 nodes: 4 right' bisect m.onnxtxt x=x.npy --runner "$pads" --rtol 1e9 --atol 1e9

# Sums in bfloat16.
opref run m.onnxtxt x=x.npy -o a=a.npy -o c=c.npy -o p=p.npy -o y=y.npy || exit 1
mkdir bf16 && cp a.npy c.npy p.npy y.npy bf16 &&
  opref run 'b = Cast <to = 16> (c)  r = Cast <to = 1> (b)' c=c.npy -o r=bf16/c.npy || exit 1
cp x.npy bf16
ends 1 'fail c (Conv-11)' bisect m.onnxtxt x=x.npy --outputs bf16

# Values made elsewhere, of which one is missing: what gives it is judged with what reads it.
mkdir dumps && cp a.npy p.npy y.npy dumps
ends 0 '4 nodes: 3 right, 0 wrong, 1 not judged' bisect m.onnxtxt x=x.npy --outputs dumps
says 'skip c (Conv-11): the backend returns none of its outputs'
says 'the backend does not return 1 value (c): dumps has no file of it'
opref run pads.onnxtxt x=x.npy -o p=dumps/p.npy || exit 1
ends 1 'fail p (MaxPool-12)' bisect m.onnxtxt x=x.npy --outputs dumps
says 'judged together with c'
# The wrong shape, no tensor at all: the others are judged.
cp c.npy dumps && cp p.npy dumps/p.npy && opref run Identity 'input=[[1,2]]:float32' -o dumps/c.npy || exit 1
ends 1 "shape [1,2], but [1,1,4,4] is expected" bisect m.onnxtxt x=x.npy --outputs dumps
says '4 nodes: 3 right, 1 wrong'
echo nonsense >dumps/c.npy
ends 1 'error c' bisect m.onnxtxt x=x.npy --outputs dumps
says '4 nodes: 3 right, 1 wrong'
rm dumps/y.npy && cp c.npy dumps
ends 1 "the backend does not return the output 'y'" bisect m.onnxtxt x=x.npy --outputs dumps

# A backend that drops a value, one that refuses models with many outputs, one that gives others then.
ends 0 'the backend does not return 1 value (c): the backend left it out' bisect m.onnxtxt x=x.npy \
  --runner "$good && rm -f {outputs}/c.npy"
few="[ \$(opref show {model} | grep -c '^    [acp]  ') -le 1 ] || exit 5; $good"
ends 0 '4 nodes: 4 right, 0 wrong, 0 not judged' bisect m.onnxtxt x=x.npy --runner "$few"
other="$good; [ -e {outputs}/a.npy ] || opref run Identity input=[[[[1,1,1],[1,1,1],[1,1,1]]]]:float32 -o {outputs}/y.npy"
ends 1 'asked for its outputs alone, the backend gives another y' bisect m.onnxtxt x=x.npy --runner "$other"
ends 1 'the runner ended with exit code 3' bisect m.onnxtxt x=x.npy --runner 'exit 3; {model}'
# It refuses, dies, hangs, is no program: said, with what could be judged, which is nothing.
ends 5 '4 nodes: 0 right, 0 wrong, 4 not judged' bisect m.onnxtxt x=x.npy --runner 'exit 5; {model}'
ends 1 'killed by SIGSEGV' bisect m.onnxtxt x=x.npy --runner 'kill -SEGV $$; {model}'
ends 1 'no answer within 0.3 s' bisect m.onnxtxt x=x.npy --runner 'sleep 9; {model}' --timeout 0.3
ends 6 'the runner cannot be started' bisect m.onnxtxt x=x.npy --runner './no-such-program {model}'

# What is asked for wrongly.
ends 2 "input 'x' has no value: give x=FILE" bisect m.onnxtxt --runner "$good"
ends 2 'no backend: give --runner CMD or --outputs DIR' bisect m.onnxtxt x=x.npy
ends 2 'two backends at once' bisect m.onnxtxt x=x.npy --runner "$good" --outputs dumps
ends 6 'no such folder: nowhere' bisect m.onnxtxt x=x.npy --outputs nowhere
ends 4 "input 'x' is float32[2], but the graph declares float32[1,1,4,4]" bisect m.onnxtxt x=[1,2]:float32 --runner "$good"

# An operator that is not known: the nodes around it are judged by what the backend gives.
cat >unknown.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13, "com.x" : 1]> g (float[2] x) => (float[2] y) {
  a = Relu (x)
  u = com.x.Mystery (a)
  y = Neg (u)
}
END
mkdir known && opref run Relu 'X=[-1,2]:float32' -o known/a.npy && cp known/a.npy known/u.npy &&
  opref run Neg X=known/u.npy -o known/y.npy || exit 1
ends 0 '3 nodes: 2 right, 0 wrong, 1 not judged' bisect unknown.onnxtxt 'x=[-1,2]:float32' --outputs known
says "unsupported u (Mystery): operator 'Mystery' of domain 'com.x' is not known"
says "the model's exact outputs are not known"
opref run Identity 'input=[3,4]:float32' -o known/y.npy
ends 1 'fail y (Neg-13)' bisect unknown.onnxtxt 'x=[-1,2]:float32' --outputs known

# What a subgraph computes is no sum: it passes a ULP or two off, by the relative rule. So does what no order of sums gives,
# where only its bits would be a cause.
cat >if.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (bool c, float[2] x) => (float[2] y) {
  y = If <then_branch = t () => (float[2] z) { z = Exp (x) }, else_branch = e () => (float[2] v) { v = Neg (x) }> (c)
}
END
mkdir if && opref run Exp 'input=[1,2]:float32' -o e.npy && opref run Mul A=e.npy 'B=1.0000001192:float32' -o if/y.npy || exit 1
ends 0 '1 node: 1 right, 0 wrong, 0 not judged' bisect if.onnxtxt c=true:bool 'x=[1,2]:float32' --outputs if
says 'pass y (If-13): '
opref run Mul A=c.npy 'B=1.00005:float32' -o bf16/c.npy || exit 1
ends 1 'fail c (Conv-11)' bisect m.onnxtxt x=x.npy --outputs bf16
grep -q "own result" out && wrong "the right result is no cause: $(cat out)"

# Names with slashes, a node without a name, sequences.
cat >slashes.json <<'END'
{"irVersion": "8", "opsetImport": [{"version": "13"}], "graph": {"name": "g",
 "node": [{"input": ["/in put"], "output": ["/b/0/Relu_output_0"], "name": "/b/0/Relu", "opType": "Relu"},
          {"input": ["/b/0/Relu_output_0"], "output": ["/s"], "opType": "SequenceConstruct"},
          {"input": ["/s", "/i"], "output": ["/y"], "name": "/at", "opType": "SequenceAt"}],
 "initializer": [{"dataType": 7, "name": "/i", "int64Data": ["0"]}],
 "input": [{"name": "/in put", "type": {"tensorType": {"elemType": 1, "shape": {"dim": [{"dimValue": "2"}]}}}}],
 "output": [{"name": "/y", "type": {"tensorType": {"elemType": 1, "shape": {"dim": [{"dimValue": "2"}]}}}}]}}
END
ends 0 '3 nodes: 3 right, 0 wrong, 0 not judged' bisect slashes.json '/in put=[-1,2]:float32' --runner "$good"
ends 1 'fail /b/0/Relu (Relu-13)' bisect slashes.json '/in put=[-1,2]:float32' --extract slashed \
  --runner "$good && opref run Abs 'X=[-1,2]:float32' -o {outputs}/%2Fb%2F0%2FRelu_output_0.npy"
[ -e slashed/%2Fb%2F0%2FRelu/model.onnx ] || wrong "the node with slashes is not extracted: $(ls slashed)"

# extract: from a run, from a backend; bad input.
ends 0 '' extract m.onnxtxt p x=x.npy -o p-case
ends 0 '1 pass' check --exact p-case
ends 0 '' extract m.onnxtxt p x=x.npy -o wrong-case --runner "$pads"
ends 0 '1 pass' check --exact wrong-case
cmp -s p-case/test_data_set_0/input_0.pb wrong-case/test_data_set_0/input_0.pb && wrong "the input is not the backend's"
ends 0 '' extract m.onnxtxt c x=x.npy -o c-case
opref show c-case/model.onnx | grep -q '^    w  ' || wrong "the weights are no initializer: $(opref show c-case/model.onnx)"
ends 2 "is there already, and is no empty folder" extract m.onnxtxt p x=x.npy -o p-case
ends 2 "no node has the name or an output 'q'" extract m.onnxtxt q x=x.npy -o q-case
ends 2 "needs the values of X: give x=FILE" extract m.onnxtxt p -o q-case
ends 6 "the node reads 'c', but there is no value of it" extract m.onnxtxt p x=x.npy -o q-case --outputs known
[ ! -e q-case ] && [ ! -e q-case.unfinished ] || wrong "something is left of a case that is not written"

done_testing
