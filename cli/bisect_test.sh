#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# opref bisect names the node that a backend computes wrongly, whatever else the backend does; opref extract writes a node
# as a case. The backends are opref itself with a mistake.
# Usage: bisect_test.sh OPREF
set -u
. cli/testing.sh
PATH=$(dirname "$opref"):$PATH

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

# An interrupt is no verdict.
opref bisect m.onnxtxt x=x.npy --runner 'touch asked; sleep 9' >out 2>err &
while [ ! -e asked ]; do sleep 0.1; done
kill -TERM $!
wait $!
[ $? = 143 ] && [ ! -s out ] && grep -qF 'interrupted while the backend was asked: no report is written' err || wrong "SIGTERM: $(cat out err)"

# A pad that is moved: the node stands first, with the cause; the nodes behind it are right.
values='-o a={outputs}/a.npy -o c={outputs}/c.npy -o p={outputs}/p.npy -o y={outputs}/y.npy'
pads="opref run pads.onnxtxt x={inputs}/input_0.pb $values"
ends 1 "fail c (Conv-11): 'c' is beyond the bound of float32 in" bisect m.onnxtxt x=x.npy --runner "$pads" --extract cases --html page.html
[ "$(head -n 1 out | cut -d: -f1)" = "fail c (Conv-11)" ] || wrong "it does not stand first: $(cat out)"
says 'reproduced by: mistake'
says '4 nodes: 3 right, 1 wrong, 0 not judged'
says '100 % of it from c (Conv-11)'
grep -q '"1 c"' page.html || wrong "the page does not begin with the node"
# The page is bisect's own.
for text in '"title": "opref bisect m.onnxtxt"' 'ULP, from the exact one' '% of it from c' '"path": "cases/c"'; do
  grep -qF -- "$text" page.html || wrong "the page has no '$text'"
done
grep -q '"filter":' page.html && wrong "the page has a --filter"
[ "$(ls cases)" = c ] || wrong "extracted: $(ls cases)"
ends 0 '1 pass' check --exact cases
ends 1 'reproduced by: mistake' check cases --runner 'sed s/x/x/ {model} >/dev/null; opref run Conv -a pads=0,1,1,0 X={inputs}/input_0.pb "W=[[[[1,2],[3,4]]]]:float32" -o {outputs}/output_0.npy'
ends 2 'it is there already' bisect m.onnxtxt x=x.npy --runner "$pads" --extract cases
opref bisect m.onnxtxt x=x.npy --runner "$pads" --json >out
opref bisect m.onnxtxt x=x.npy --runner "$pads" --report report.json >text
cmp -s report.json out || wrong "--report writes another document than --json"
grep -q '^fail c (Conv-11): ' text || wrong "--report takes the text's place: $(cat text)"
opref bisect m.onnxtxt x=x.npy --runner "$pads" --report - >text
cmp -s text out || wrong "--report - does not print the document alone"
says '"share": 1'
# By a rule that is wide enough it passes.
ends 0 '4 nodes: 4 right' bisect m.onnxtxt x=x.npy --runner "$pads" --rtol 1e9 --atol 1e9

# What a node of an optimised graph stands for: its doc_string says so.
value() { printf "$1"'\017\012\001'"$2"'\022\012\012\010\010\001\022\004\012\002\010\003'; }
{
  printf '\010\010\072\121\012\052\012\001x\022\001y\042\003Exp\062\035%s' "in place of Pow 'p', Relu 'r'"
  printf '\022\001g'
  value Z x
  value b y
  printf '\102\002\020\015'
} >fused.onnx
ends 1 'fail y (Exp-13)' bisect fused.onnx 'x=[1,2,3]:float32' --runner 'opref run Log input={inputs}/input_0.pb -o {outputs}/output_0.npy'
says "in place of Pow 'p', Relu 'r'"

# Sums in bfloat16.
opref run m.onnxtxt x=x.npy -o a=a.npy -o c=c.npy -o p=p.npy -o y=y.npy || exit 1
mkdir bf16 && cp a.npy c.npy p.npy y.npy bf16 &&
  opref run 'b = Cast <to = 16> (c)  r = Cast <to = 1> (b)' c=c.npy -o r=bf16/c.npy || exit 1
cp x.npy bf16
ends 1 'fail c (Conv-11)' bisect m.onnxtxt x=x.npy --outputs bf16

# A backend that computes in float16: each node is judged in that type, from the backend's values, with causes.
half() { sed 's/float/float16/g; s/{1, 2, 3, 4}/{15360, 16384, 16896, 17408}/'; }
for name in m pads; do
  half <$name.onnxtxt >half.onnxtxt
  mkdir $name.16 && opref run 'r = Cast <to = 10> (x)' x=x.npy -o r=half.npy &&
    opref run half.onnxtxt x=half.npy -o a=$name.16/a.npy -o c=$name.16/c.npy -o p=$name.16/p.npy -o y=$name.16/y.npy || exit 1
done
ends 1 'dtype float16, but float32 is expected' bisect m.onnxtxt x=x.npy --outputs m.16
ends 0 '4 nodes: 4 right' bisect m.onnxtxt x=x.npy --outputs m.16 --ignore-dtype
ends 1 'fail c (Conv-11)' bisect m.onnxtxt x=x.npy --outputs pads.16 --ignore-dtype --extract halves
says 'reproduced by: mistake'
says '4 nodes: 3 right, 1 wrong'
says '% of it from c (Conv-11)'
ends 0 '1 pass' check --exact halves
ends 0 'float16' show halves/c/model.onnx

# Values made elsewhere, of which one is missing: what gives it is judged with what reads it.
mkdir dumps && cp a.npy p.npy y.npy dumps
ends 0 '4 nodes: 3 right, 0 wrong, 1 not judged' bisect m.onnxtxt x=x.npy --outputs dumps
says 'not judged c (Conv-11): the backend returned none of its outputs; the nodes that read them'
says 'the backend does not return 1 value (c): dumps has no file of it'
awk 'length > 80 {bad = 1} END {exit bad}' out || wrong "lines of more than 80 columns: $(cat out)"
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

# Of a long chain without inner values each node has few words: no list of all that come before it.
chain() {
  awk -v n="$1" 'BEGIN { printf "<ir_version: 9, opset_import: [\"\" : 18]> g (float[2] v0) => (float[2] v%d) {", n
    for (i = 0; i < n; ++i) printf " v%d = Neg (v%d)", i + 1, i; print " }" }' >chain.onnxtxt
}
chain 1000
mkdir chain && opref run chain.onnxtxt 'v0=[1,2]:float32' -o v1000=chain/v1000.npy || exit 1
opref bisect chain.onnxtxt 'v0=[1,2]:float32' --outputs chain --json >out || wrong "a chain fails: $(tail -n 3 out)"
size=$(wc -c <out)
[ "$size" -lt 600000 ] || wrong "of 1000 nodes bisect says $size bytes"
says '"together": [ "v1", "v2", "v3",'
# Nor does it take the stack: what may have moved a wrong output is found node by node.
chain 4000
rm chain/v1000.npy && opref run Identity 'input=[1,4]:float32' -o chain/v4000.npy || exit 1
(ulimit -s 1024 && exec opref bisect chain.onnxtxt 'v0=[1,2]:float32' --outputs chain) >out 2>&1
[ $? = 1 ] || wrong "a long chain ends otherwise than by a verdict: $(tail -n 3 out)"
says 'fail v4000 (Neg-13)'

# A backend that returns nothing at all is told what a runner must do; one that returns something is not
for runner in cat 'cat {model}' 'true {outputs}'; do
  ends 1 'a runner must write each output of the model {model}' bisect m.onnxtxt x=x.npy --runner "$runner"
  says "see 'opref help backends'"
done
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

# No line that it writes stands at the start of one, where it could be a command to a CI system.
printf '::error file=x::first\n::error file=x::second\n' >commands
for code in 1 3 5 127; do
  opref bisect m.onnxtxt x=x.npy --runner "cat commands >&2; exit $code # {model}" >out 2>err
  grep -n '^::' out err && wrong "a line of a backend that ends with $code begins one of bisect's"
  grep -q '::error file=x::second' out err || wrong "the last lines of a backend that ends with $code"
done
opref bisect m.onnxtxt x=x.npy --runner 'cat commands >&2; exit 3 # {model}' >out 2>err
grep -q '^  | ::error file=x::first$' err || wrong "the last lines: $(cat err)"
# Each question has an id of its own: an answer that comes again is none to the next.
cat >again.sh <<'END'
last=
while read -r line; do
  [ -z "$last" ] || echo "$last"
  id=${line#*'"id": "'} inputs=${line#*'"inputs": "'} outputs=${line#*'"outputs": "'}
  opref run "${inputs%%'"'*}" -o "${outputs%%'"'*}/" >/dev/null 2>&1
  last="{\"id\": \"${id%%'"'*}\", \"status\": \"ok\"}"
  echo "$last"
done
END
ends 0 '4 nodes: 4 right, 0 wrong, 0 not judged' bisect m.onnxtxt x=x.npy --runner 'exec sh again.sh'

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

# A node that the specification refuses is no fault of the backend; the others are judged.
cat >invalid.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[2] x) => (float[2] y) { a = Relu (x) y = Neg <alpha = 1.0> (a) }
END
opref run Neg X=known/u.npy -o known/y.npy
ends 4 '2 nodes: 1 right, 0 wrong, 1 not judged' bisect invalid.onnxtxt 'x=[-1,2]:float32' --outputs known
says "not judged y (Neg-13): the node is invalid: 'alpha' is not an attribute of Neg-13"
awk 'length > 80 {bad = 1} END {exit bad}' out || wrong "lines of more than 80 columns: $(cat out)"
ends 4 '' bisect invalid.onnxtxt 'x=[-1,2]:float32' --runner "$good"
ends 1 'fail a (Relu-13)' bisect invalid.onnxtxt 'x=[-1,3]:float32' --outputs known

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

# A value that is left out may be off as its rule allows: the node that reads it is judged by all of these bounds. In float32
# and in order 2^24 + 1 + 1 is 2^24, and its square 2^48, 2 ULP off: so much a right Transpose may seem to be off.
cat >sum.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[1,3] x) => (float[1,2] y)
<float[3,2] w = {1, 1, 1, 1, 1, 1}> {
  c = MatMul (x, w)
  m = Mul (c, c)
  t = Transpose (m)
  y = Transpose (t)
}
END
terms='x=[[16777216,1,1]]:float32'
mkdir sums
number() { opref run Identity "input=[[$1,$1]]:float32" -o sums/y.npy || exit 1; }
number 281474976710656
ends 0 'pass y (Transpose-13): 2 ULP, judged together with c, m, t' bisect sum.onnxtxt "$terms" --outputs sums
number 284289726477762  # 1 % more: no rounding gives that
ends 1 'fail y (Transpose-13)' bisect sum.onnxtxt "$terms" --outputs sums
says 'judged together with c, m, t'
number 281476385996800  # 42 ULP off
ends 1 'fail y (Transpose-13)' bisect sum.onnxtxt "$terms" --outputs sums --ulp 2
ends 0 'pass y (Transpose-13)' bisect sum.onnxtxt "$terms" --outputs sums
opref run Identity 'input=[281474976710656,281474976710656]:float32' -o sums/y.npy
ends 1 'shape [2], but [1,2] is expected' bisect sum.onnxtxt "$terms" --outputs sums
# A whole number that follows from what is not returned may be another one.
cat >choice.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[2] x) => (int64[1] y, float[2] z) {
  e = Exp (x)
  y = ArgMax <axis = 0> (e)
  z = Neg (x)
}
END
cat >shape.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[2] x) => (int64[1] y) {
  e = Exp (x)
  s = Shape (e)
  y = Neg (s)
}
END
mkdir choice && opref run Identity 'input=[1]:int64' -o choice/y.npy && opref run Neg 'X=[1,1]:float32' -o choice/z.npy || exit 1
ends 0 "not judged y (ArgMax-13): undecided: 'y' differs" bisect choice.onnxtxt 'x=[1,1]:float32' --outputs choice
ends 1 "fail y (Neg-13): 'y' differs" bisect shape.onnxtxt 'x=[1,1]:float32' --outputs choice

# What an output of another shape, or one that cannot be read, is; it is no right one.
mkdir outs && cp a.npy c.npy p.npy outs && opref run Identity 'input=[[1,2],[3,4]]:float64' -o outs/y.npy || exit 1
ends 1 'output y: dtype float64, but float32 is expected; shape [2,2], but [1,1,3,3] is expected' \
  bisect m.onnxtxt x=x.npy --outputs outs
opref bisect m.onnxtxt x=x.npy --outputs outs --json >out
[ "$(grep -o '"equal": true' out | wc -l)" = 3 ] || wrong "an output of another shape is equal: $(cat out)"
head -c 40 y.npy >outs/y.npy
ends 1 'output y: the file ends inside the header' bisect m.onnxtxt x=x.npy --outputs outs
opref run Div A=y.npy 'B=0:float32' -o inf.npy && opref run Sub A=inf.npy B=inf.npy -o outs/y.npy || exit 1
ends 1 'output y: 9 of 9 elements at no distance from the exact one, as NaN is from a number' \
  bisect m.onnxtxt x=x.npy --outputs outs
says ': NaN, exactly '
opref bisect m.onnxtxt x=x.npy --outputs outs --json >out
[ "$(grep -o '"max_ulp": "Inf"' out | wc -l)-$(grep -o '"max_absolute": "Inf"' out | wc -l)" = 2-2 ] || wrong "NaN is no distance: $(cat out)"
ends 1 'dtype float64' bisect m.onnxtxt x=x.npy --runner "$good && opref run Identity 'input=[1]:float64' -o {outputs}/y.npy"
says 'asked for its outputs alone, the backend gives the same'

# Asked for the outputs alone, as the user does, it crashes, leaves one out, writes nonsense: the rest is judged all the same.
for mistake in 'kill -SEGV $$' 'exit 1' 'rm -r {outputs}/y.npy' 'echo nonsense >{outputs}/y.npy'; do
  ends 1 '4 nodes: 4 right, 0 wrong, 0 not judged' bisect m.onnxtxt x=x.npy --runner "$good; [ -e {outputs}/a.npy ] || $mistake"
  says 'asked for its outputs alone, the backend gives no answer to compare: '
done
# Asked for all values it dies.
ends 1 'asked for all values, the backend died or did not answer 3 times' bisect m.onnxtxt x=x.npy \
  --runner "opref show {model} | grep -q '^    a  ' && kill -SEGV \$\$; $good"
# A worker that answers nothing is a backend that dies, not one that cannot be started.
ends 1 '4 nodes: 0 right, 0 wrong, 4 not judged' bisect m.onnxtxt x=x.npy --runner 'read line; kill -SEGV $$' --html worker.html
says 'asked for all values, the backend died'
[ -s worker.html ] || wrong "there is no page"

# What does not exist is no reading here.
ends 2 "'foo' is not a reading here" bisect m.onnxtxt x=x.npy --outputs bf16 --reading foo=bar

# A graph that is cut; nodes and inputs that no output needs.
ends 0 '2 nodes: 2 right, 0 wrong, 0 not judged' bisect m.onnxtxt c=c.npy --runner "$good"
ends 0 '2 nodes: 2 right, 0 wrong, 0 not judged' bisect m.onnxtxt x=x.npy c=c.npy --runner "$good"
says 'asked for its outputs alone, the backend gives the same'
sed 's/y = Exp (p)/y = Exp (p) d = Neg (p)/' m.onnxtxt >dead.onnxtxt
ends 0 'note: no output needs 1 node: not judged' bisect dead.onnxtxt x=x.npy --runner "$good"

# Errors of two nodes that cancel have shares too; of a value in a file of another name the file is told.
cat >cancel.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[1] x) => (float[1] y) {
  a = Neg (x)
  b = Neg (a)
  d = Abs (b)
  y = Exp (d)
}
END
mkdir cancel && one() { opref run Identity "input=[$1]:float32" -o "cancel/$2.npy" || exit 1; }
one 7 a && one 1 b && one 1 d && one 2.7182822 y
ends 1 '% of it from a (Neg-13)' bisect cancel.onnxtxt 'x=[1]:float32' --outputs cancel
says '% of it from b (Neg-13)'
mv cancel/a.npy cancel/_a.npy
ends 0 'note: cancel also has files of no value of the model: _a.npy' bisect cancel.onnxtxt 'x=[1]:float32' --outputs cancel

# The case repeats what failed, by its rule; what cannot be written costs nothing that can.
scaled="$good; [ ! -e {outputs}/c.npy ] || opref run Mul A={outputs}/c.npy B=1.0002:float32 -o {inputs}/c2.npy &&
  mv {inputs}/c2.npy {outputs}/c.npy; true"
ends 1 'fail c (Conv-11)' bisect m.onnxtxt x=x.npy --runner "$scaled" --extract scaled
says '--bound'
grep '  repeat: ' out | head -n 1 | sed 's/.*repeat: //' >again
PATH=$(dirname "$opref"):$PATH sh again >out 2>&1 && wrong "the case passes: $(cat again out)"
says 'fail c'
long=$(printf 'n%.0s' $(seq 300))
for file in m pads; do sed "s/c = Conv/$long = Conv/; s/Pool <kernel_shape = \[2, 2\]> (c)/Pool <kernel_shape = [2, 2]> ($long)/" \
  $file.onnxtxt >long-$file.onnxtxt; done
ends 1 'fail nnn' bisect long-m.onnxtxt x=x.npy --extract long --runner \
  "opref run long-pads.onnxtxt x={inputs}/input_0.pb -o a={outputs}/a.npy -o $long={outputs}/output_2.npy -o p={outputs}/p.npy -o y={outputs}/y.npy"
[ "$(find long -name model.onnx | wc -l)" = 1 ] || wrong "a node with a long name is not extracted: $(ls long)"
ends 6 'fail c (Conv-11)' bisect m.onnxtxt x=x.npy --runner "$pads" --html /dev/full
says '4 nodes: 3 right, 1 wrong'

# Each output that differs has its name.
cat >two.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[4] x) => (float[2] y, float[2] z) { y, z = Split (x) }
END
mkdir two && opref run Identity 'input=[5,6]:float32' -o two/y.npy && cp two/y.npy two/z.npy || exit 1
ends 1 "output 'z':" bisect two.onnxtxt 'x=[1,2,3,4]:float32' --outputs two
says "output 'y':"
# An LSTM without its last output is searched for causes as well.
cat >lstm.json <<'END'
{"irVersion": "8", "opsetImport": [{"version": "14"}], "graph": {"name": "g",
 "node": [{"input": ["X", "W", "R"], "output": ["Y", "Y_h", ""], "opType": "LSTM",
           "attribute": [{"name": "hidden_size", "i": "1", "type": "INT"}]}],
 "input": [{"name": "X", "type": {"tensorType": {"elemType": 1}}}, {"name": "W", "type": {"tensorType": {"elemType": 1}}},
           {"name": "R", "type": {"tensorType": {"elemType": 1}}}],
 "output": [{"name": "Y", "type": {"tensorType": {"elemType": 1}}}]}}
END
mkdir lstm && opref run Identity 'input=[[[[7]]],[[[8]]]]:float32' -o lstm/Y.npy &&
  opref run Identity 'input=[[[8]]]:float32' -o lstm/Y_h.npy || exit 1
ends 1 'no known mistake explains this difference' bisect lstm.json 'X=[[[1]],[[2]]]:float32' 'W=[[[1],[2],[3],[4]]]:float32' \
  'R=[[[1],[1],[1],[1]]]:float32' --outputs lstm

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
# Nodes that read only inputs, tensors that are given, or nothing.
ends 0 '' extract m.onnxtxt a x=x.npy -o a-case
ends 0 '1 pass' check --exact a-case
ends 0 '' extract m.onnxtxt y p=p.npy -o y-case
ends 0 '1 pass' check --exact y-case
ends 0 '' extract 'k = Constant <value_float = 3.0> ()  y = Add (k, k)' k -o k-case
ends 0 '1 pass' check --exact k-case
ends 2 "the node reads 'x', which has no value: give x=FILE" extract m.onnxtxt a -o q-case
# Nothing of the user's goes: what has the name of an unfinished case, a folder that is there, even this one.
mkdir mine.unfinished here && echo precious >mine.unfinished/file || exit 1
ends 0 '' extract m.onnxtxt a x=x.npy -o mine/
[ -s mine.unfinished/file ] && [ -e mine/model.onnx ] || wrong "a folder of the user is gone: $(ls . mine)"
(cd here && opref extract ../m.onnxtxt a x=../x.npy -o . && opref check --exact . >/dev/null) || wrong "no case in '.': $(ls -a here)"
[ "$(ls -A here | wc -l)" = 2 ] || wrong "the case is $(ls -A here)"
[ ! -e q-case ] && [ ! -e q-case.unfinished ] || wrong "something is left of a case that is not written"

done_testing
