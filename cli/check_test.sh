# SPDX-License-Identifier: Apache-2.0
# opref check: what does not depend on the number of threads, shards, selection, outputs from elsewhere, time limits, exit codes.
set -u
. cli/testing.sh
cases=$source/testdata
one_case "$cases/ai.onnx/MaxUnpool/cases.json" 1 >seed-1.json && one_case "$cases/ai.onnx/MaxUnpool/cases.json" 4 >seed-2.json
one_case "$cases/ai.onnx/MaxUnpool/bad.json" 7 >bad-index-negative.json
# ends CODE 'line of the output' ARGUMENTS… of opref check
ends() {
  code=$1 text=$2
  shift 2
  "$opref" check "$@" >out 2>err
  got=$?
  [ $got = "$code" ] || { wrong "exit code $got, not $code: opref check $*"; tail -n 5 out err; }
  { cat out err; joined err; } | grep -qF -- "$text" || { wrong "the output lacks '$text': opref check $*"; tail -n 5 out err; }
}

# the same bytes on any number of threads, also where cases fail
cp -r "$cases/ai.onnx/MaxUnpool" failing
for i in 1 2 3 4 5 6; do one_case failing/cases.json $i | sed 's/"expect": {\(.*\)[1-9]/"expect": {\10/' >failing/seed-$i.json; done
for where in "$cases" failing; do
  "$opref" check "$where" --verbose -j 1 >one 2>&1
  "$opref" check "$where" --verbose -j 4 >four 2>&1
  cmp -s one four || { wrong "-j 1 and -j 4 differ on $where"; diff one four | head; }
done
"$opref" check "$cases" >out 2>err || wrong "a shipped case fails"
[ -s err ] && { wrong "success is not quiet"; cat err; }

# shards: disjoint, complete, the same wherever the cases lie
"$opref" check "$cases" --list >all
for n in 1 2 3 7; do
  : >union
  for i in $(seq $n); do "$opref" check "$cases" --list --shard $i/$n >>union; done
  sort union | cmp -s - all || wrong "the shards of $n are not all cases, each once"
done
"$opref" check "$cases" --list --shard 2/3 >before
sort all | cmp -s - all || wrong "the list is not sorted"
mkdir more && cp -r "$cases/." more
"$opref" check more --list --shard 2/3 >after
cmp -s before after || wrong "the shards of copies are others"
TEST_TOTAL_SHARDS=3 TEST_SHARD_INDEX=1 TEST_SHARD_STATUS_FILE=$folder/status "$opref" check "$cases" --list --shard auto >auto
cmp -s before auto || wrong "--shard auto does not take Bazel's shard"
[ -e status ] || wrong "--shard auto does not touch Bazel's status file"
JOB_COMPLETION_INDEX=1 "$opref" check "$cases" --list --shard auto/3 >auto
cmp -s before auto || wrong "--shard auto/3 does not take Kubernetes' index"
ends 0 'shard 2 of 3: ' "$cases/ai.onnx/MaxUnpool" --shard 2/3
ends 2 'I/N with I from 1 to N' "$cases" --shard 0/3
ends 2 'I/N with I from 1 to N' "$cases" --shard 4/3
TEST_SHARD_STATUS_FILE=$folder/missing/status ends 6 'missing/status' "$cases" --shard auto

# a case folder that lacks an input: y = Relu (x), both float[2]
mkdir -p lacking/one/test_data_set_0 lacking/two/test_data_set_0
float2() { printf '\012\001%s\022\012\012\010\010\001\022\004\012\002\010\002' "$1"; }
{
  printf '\010\010\102\002\020\016\072\063\012\014\012\001x\022\001y\042\004Relu\022\001g'
  printf '\132\017' && float2 x && printf '\142\017' && float2 y
} >lacking/one/model.onnx
"$opref" run Constant -a 'value=[1,2]:float32' -o output=lacking/one/test_data_set_0/output_0.pb
cp lacking/one/model.onnx lacking/two && cp lacking/one/test_data_set_0/output_0.pb lacking/two/test_data_set_0
cp lacking/two/test_data_set_0/output_0.pb lacking/two/test_data_set_0/input_0.pb
ends 1 'error: Relu-14 needs the values of X; a case has x in test_data_set_0' lacking
ends 1 '2 cases: 1 pass, 0 fail, 1 error' lacking
# nor is a link that leads nowhere an output that is not expected, or an unknown output a wrong value
mkdir -p astray/case/test_data_set_0 && cp lacking/two/model.onnx astray/case && cp lacking/two/test_data_set_0/input_0.pb astray/case/test_data_set_0
ln -s nowhere.pb astray/case/test_data_set_0/output_0.pb
ends 1 'error case: no such file: astray/case/test_data_set_0/output_0.pb' astray
echo '{"op_type": "Relu", "opset": 14, "inputs": {"X": {"dtype": "float32", "data": [1]}},
  "expect": {"Z": {"dtype": "float32", "data": [1]}}, "source": "none"}' >unknown-output.json
ends 1 "error unknown-output: 'Z' is not an output of Relu-14" unknown-output.json

# selection
ends 0 '1 case: 1 pass' "$cases" --filter 'MaxUnpool/cases#1$'
ends 2 'no regular expression' "$cases" --filter '('
ends 2 'has a name that matches no such case' "$cases" --filter 'no such case'
ends 0 '0 cases' "$cases" --filter 'no such case' --allow-empty
ends 2 'two backends at once' "$cases" --runner x --outputs .
ends 2 '--exact-tier judges opref itself' "$cases" --exact-tier --runner x
ends 2 'a whole number from 1 to 1024' "$cases" -j 0
ends 2 'a whole number from 1 to 1024' "$cases" -j 100000
ends 2 '--timeout 0' "$cases" --timeout 0
ends 2 'two cases have the name' "$cases/ai.onnx/MaxUnpool" "$cases/ai.onnx/MaxUnpool"

# several cases in a file: all of them, one by its name, and the command that repeats one
one_case "$cases/ai.onnx/LpPool/cases.json" 19 >strides.json
mkdir several && sed 's/"data": \[\[\[3, 9/"data": [[[3, 8/' strides.json >several/s.json
ends 0 '5 cases: 5 pass' strides.json
ends 0 '1 case: 1 pass' strides.json#opset=11
ends 0 '5 cases: 5 pass' "$cases" --filter 'LpPool/cases#19#'
ends 0 '1 case: 1 pass' "$cases/ai.onnx/LpPool/cases.json#19#opset=11"
ends 2 'there is no case #opset=3 in it, only #opset=1, #opset=2' strides.json#opset=3
ends 1 '5 cases: 0 pass, 5 fail' several
grep -qxF "  repeat: opref run 'several/s.json#opset=11' --expect-case" out || wrong "a case of several is not repeated by its name"
"$opref" run 'several/s.json#opset=11' --expect-case >out 2>&1
[ $? = 1 ] || wrong "the command that repeats a case of several ends with another code than 1"
ends 2 'a report in the place of a file that is read' several --report several/s.json

# sequences, as opref itself writes them into a folder, from a runner and from elsewhere
for operator in SequenceConstruct SequenceEmpty SequenceErase SequenceInsert; do
  ends 0 ' 0 fail, 0 error' "$cases/ai.onnx/$operator" --runner "$opref run {inputs} -o {outputs}/"
done
"$opref" run "$cases/ai.onnx/SequenceConstruct/cases.json#2" -o "elsewhere/cases#2/"
ends 0 '1 case: 1 pass' "$cases/ai.onnx/SequenceConstruct/cases.json#2" --outputs elsewhere

# the exact tier alone gives the same bytes; one that takes long is an error by name, and never passed over
ends 0 ' 0 fail, 0 error' "$cases/ai.onnx/Softmax" "$cases/ai.onnx/Conv" "$cases/ai.onnx/MaxPool" "$cases/ai.onnx/LSTM" --exact-tier
echo '{"op_type": "DFT", "opset": 20, "inputs": {"input": {"dtype": "float32", "shape": [1, 8192, 1], "fill": "normal"}},
  "source": "none"}' >large.json
ends 5 '1 skip' large.json
ends 1 'error large: opref itself does not evaluate this by the exact tier alone within' large.json --exact-tier --timeout 5
grep -qF "opref check large.json --filter '^large\$' --timeout 5 --exact-tier" out || { wrong "--exact-tier is not repeated"; cat out; }

# many failures: three in full, then the causes; all of them where that is asked for, also when reports are merged
mkdir many && for i in 1 2 3 4 5; do
  echo '{"op_type": "LpPool", "opset": 18, "attributes": {"kernel_shape": [3], "p": 1}, "source": "by hand",
    "inputs": {"X": {"dtype": "float32", "data": [[[256, 1, 1]]]}}, "expect": {"Y": {"dtype": "float32", "data": [[['"$((i > 3 ? 77 : 256))"']]]}}}' >many/m$i.json
done
ends 1 '5 cases: 0 pass, 5 fail' many --report many.report --markdown many.md --junit many.xml --html many.html
told() {
  [ "$(grep -c '^fail ' out)" = 3 ] && grep -qxF '… 2 more do not pass; --verbose prints them' out &&
    grep -qxF 'causes of 5 cases that do not pass:' out && grep -qxF '  3 fail: bfloat16 accumulation (weak evidence)' out &&
    grep -qxF '  2 fail: no known mistake explains this difference' out && grep -qF "      m4; --filter '^m(4|5)\$'" out ||
    { wrong "the causes of many failures are not told by $1"; cat out; }
}
told check
ends 1 '2 fail' many --filter '^m(4|5)$'
"$opref" report merge many.report >out 2>&1
told merge
"$opref" report merge many.report --verbose >out 2>&1
[ "$(grep -c '^fail ' out)" = 5 ] || wrong "report merge --verbose does not print all failures"
ends 1 '5 fail' many --verbose
[ "$(grep -c '^fail ' out)" = 5 ] || wrong "--verbose does not print all failures"
grep -v '^  repeat: \|^ *--filter ' out | awk 'length > 80 {print; bad = 1} END {exit bad}' || wrong "lines of more than 80 columns that are no command"
grep -qF '| 3 | fail | **bfloat16 accumulation**' many.md || { wrong "the causes are not in Markdown"; cat many.md; }
grep -qF "output 'Y' differs in 1 of 1 element: [0,0,0] is 258 instead of 256; reproduced by: bfloat16 accumulation (weak evidence: 1 in 5 other mistakes would give this element too)\"" many.xml || { wrong "the cause is not in JUnit's message"; cat many.xml; }
grep -q '"cause": "bfloat16 accumulation"' many.html && grep -q '"seconds"' many.html || wrong "the causes are not in the page"

# run explains as check does; FILE alone will do where there is one output
node='LpPool -a kernel_shape=3 -a p=1 X=[[[256,1,1]]]:float32'
for option in --expect --judge; do
  for given in 'Y=[[[256]]]:float32' '[[[256]]]:float32'; do
    "$opref" run $node $option "$given" >out 2>&1
    [ $? = 1 ] && joined out | grep -qF 'reproduced by: bfloat16 accumulation (weak evidence: 1 in 5 other mistakes would give this element too)' || { wrong "run $option $given"; cat out; }
  done
  "$opref" run $node $option '[[[77]]]:float32' --json >out 2>&1
  grep -q '"unexplained": true' out || { wrong "run $option --json"; cat out; }
  "$opref" run $node $option '[[[258]]]:float32' >out 2>&1 || { wrong "run $option of what is right"; cat out; }
done
# Of two mistakes one may leave out what the other alters.
"$opref" run Conv 'X=[[[[1,2,0],[0,3,1],[2,0,1]]]]:float32' 'W=[[[[1,0],[2,1]]],[[[0,1],[1,3]]]]:float32' 'B=[10,20]:float32' \
    --judge '[[[[14,29],[14,24]],[[21,26],[15,25.5]]]]:float32' >out 2>&1
[ $? = 1 ] && grep -qF 'closest: mistake B along the last axis for a part' out || wrong "a bias along the last axis, and one element more: $(cat out)"
# What the page leaves open may be anything: numbers below 0 as float8e8m0.
"$opref" run Cast 'input=[-3,4]:float32' -a to=24 --judge '[0.5,4]:float8_e8m0fnu' >out 2>&1 || wrong "-3 as float8e8m0 is unspecified: $(cat out)"
"$opref" run Cast 'input=[-0,4]:float32' -a to=24 --judge '[0.5,4]:float8_e8m0fnu' >out 2>&1 || wrong "-0 as float8e8m0 is unspecified: $(cat out)"
"$opref" run Cast 'input=[NaN,4]:float32' -a to=24 --judge '[0.5,4]:float8_e8m0fnu' >out 2>&1 && wrong "NaN as float8e8m0 is NaN"
"$opref" run Cast 'input=[-3,4]:float32' -a to=24 --judge '[0.5,8]:float8_e8m0fnu' >out 2>&1 && wrong "4 as float8e8m0 is 4"
# What a kernel that computes float64 in float32 may return, though no order of its steps that opref tries gives the bits: here
# x/2 + x/2 erf(x/root 2). Elements that are no float32 numbers are weak evidence. Errors that are greater are no such kernel's.
"$opref" run Identity 'input=float64[4,6]:normal' -o x.npy >/dev/null
"$opref" run 's = Cast <to = 1> (x)  c = Constant <value_float = 0.70710677> ()  h = Constant <value_float = 0.5> ()  t = Mul (s, c)
  e = Erf (t)  a = Mul (s, h)  b = Mul (a, e)  z = Add (a, b)  y = Cast <to = 11> (z)' x=x.npy -o y=single.npy >/dev/null
"$opref" run Gelu X=x.npy --judge single.npy >out 2>&1
[ $? = 1 ] && joined out | grep -q 'closest: computed in float32 (within the bound of such a kernel) *$' || wrong "Gelu of float64 computed in float32: $(cat out)"
"$opref" run 'Y = Mul (A, B)' A=single.npy 'B=[1.0000000149]:float64' -o Y=near.npy >/dev/null
"$opref" run Gelu X=x.npy --judge near.npy >out 2>&1
[ $? = 1 ] && joined out | grep -q 'closest: computed in float32 .* (weak evidence: any error of this size would fit) *$' || wrong "numbers that are no float32: $(cat out)"
"$opref" run 'Y = Mul (A, B)' A=single.npy 'B=[1.0001]:float64' -o Y=far.npy >/dev/null
"$opref" run Gelu X=x.npy --judge far.npy >out 2>&1
[ $? = 1 ] && ! grep -q 'computed in float32' out || wrong "errors of 1e-4 are none of float32: $(cat out)"
# Losses of float64 in float32: 0.52485353, two places off; and 0.5 instead of 1.0684945.
loss() { "$opref" run SoftmaxCrossEntropyLoss "scores=[[$1]]:float64" 'labels=[2]:int32' --judge "$2:float64" >out 2>&1; }
loss -0.455,-0.568,0.554 0.5248537063598633
[ $? = 1 ] && grep -q 'closest: computed in float32' out || wrong "a loss of float64 computed in float32: $(cat out)"
loss -0.455,-0.802,-0.568 0.5
[ $? = 1 ] && ! grep -q 'computed in float32' out || wrong "an error of 0.5 is none of float32: $(cat out)"
# Where the rule cannot tell the right output from this one, it says nothing of a mistake: each step was rounded to bfloat16.
"$opref" run InstanceNormalization 'input=[[[[0.0898438,-0.847656],[0.804688,1.16406]],[[-0.875,-0.332031],[0.914062,0.114258]]]]:bfloat16' \
  'scale=[0.972656,-0.310547]:bfloat16' 'B=[0.123535,0.761719]:bfloat16' \
  --judge '[[[[-0.146484,-1.32812],[0.757812,1.21094]],[[1.15625,0.898438],[0.308594,0.6875]]]]:bfloat16' >out 2>&1
[ $? = 1 ] && ! grep -q 'epsilon' out && joined out | grep -q 'closest: bfloat16 arithmetic' || wrong "a normalization in bfloat16: $(cat out)"
# Of these three one alone is subnormal.
"$opref" run com.microsoft.Gelu 'X=[-1.919,-1.229,5.96e-8,1.285,-0.4927,0.3875]:float16' --judge '[-0.0528,-0.1348,0,1.157,-0.1533,0.2522]:float16' >out 2>&1
[ $? = 1 ] && ! grep -q 'flushed' out && joined out | grep -q 'closest: float16 arithmetic' || wrong "Gelu in float16: $(cat out)"
# So may the determinant of a matrix with an infinity: Inf·3 - Inf·2 by products, Inf·(3 - 2) by elimination.
"$opref" run Det 'X=[[[inf,inf],[2,3]],[[1,2],[3,4]]]:float32' --judge '[inf,-2]:float32' >out 2>&1 || wrong "the determinant of a matrix with an infinity is open: $(cat out)"
"$opref" run Det 'X=[[[inf,inf],[2,3]],[[1,2],[3,4]]]:float32' --judge '[inf,inf]:float32' >out 2>&1 && wrong "the determinant of a matrix without one is -2"
"$opref" run Det 'X=[[[inf,nan],[2,3]]]:float32' --judge '[inf]:float32' >out 2>&1 && wrong "the determinant of a matrix with NaN is NaN"
# NaN everywhere is no trace of a mistake: too many end so.
"$opref" run ai.onnx.ml.LinearRegressor X='[[1,2],[3,4]]:float32' -a coefficients=0.5,-1 --judge '[[nan],[nan]]:float32' >out 2>&1
[ $? = 1 ] && ! grep -q 'reproduced by' out || wrong "NaN everywhere: $(cat out)"
# --judge by the bound of a kernel, or by ONNX's rule; actual and expected in their places; --expect to the bit
for judged in 258.00003 257.99997; do
  "$opref" run $node --judge "[[[$judged]]]:float32" >out 2>&1 || { wrong "--judge is not by a kernel's bound"; cat out; }
done
"$opref" run $node --judge '[[[258.1]]]:float32' >out 2>&1 && wrong "--judge passes what no kernel returns"
grep -q 'share ' out || { wrong "--judge does not tell the error over its bound"; cat out; }
"$opref" run $node --judge '[[[258.1]]]:float32' --rtol 1e-3 --atol 1e-7 >out 2>&1 || { wrong "--judge is not by ONNX's rule"; cat out; }
"$opref" run $node --expect '[[[258.00003]]]:float32' >out 2>&1 && wrong "--expect is not to the bit"
# integers have no rtol; an atol above most expected numbers is told
power() { "$opref" run Pow 'X=[13]:int64' 'Y=[8]:int64' "$@" >out 2>&1; }  # 815730721, in float32 815730752
power --judge '[815730752]:int64' --rtol 1e-3 --atol 1e-7 && wrong "an integer is right within rtol"
power --judge '[815730721]:int64' --rtol 1e-3 --atol 1e-7 || { wrong "an integer"; cat out; }
"$opref" run Neg 'X=[1e-9]:float32' --judge '[0]:float32' >out 2>&1 && wrong "0 for 1e-9 is right"
"$opref" run Neg 'X=[1e-9]:float32' --judge '[0]:float32' --rtol 1e-3 --atol 1e-7 >out 2>&1 || { wrong "atol"; cat out; }
joined out | grep -qF 'this rule cannot tell it from 0' || { wrong "a wide atol is not told"; cat out; }
# a reading is told where it decides by the rule: the rounding of Attention's scale moves last digits alone
attention() { "$opref" run Attention 'Q=[[[[1,2,0.5],[3,4,0.7]]]]:float32' 'K=[[[[1,2,0.1],[3,4,0.3]]]]:float32' \
  'V=[[[[1,2,0.9],[3,5,0.2]]]]:float32' "$@" 2>err; }
attention -o qk_matmul_output=scores.npy
grep -q 'attention.scale' err || wrong "the reading is not told of the bits"
attention --judge qk_matmul_output=scores.npy >out && [ ! -s err ] || { wrong "a reading that changes no verdict is told"; cat out err; }
attention --expect qk_matmul_output=scores.npy >out && grep -q 'attention.scale' err || wrong "a reading that changes bits is not told"
"$opref" run $node --judge '[[[259]]]:float32' >out 2>&1
grep -q 'actual 259, expected 258' out || { wrong "--judge exchanges actual and expected"; cat out; }
# one of several outputs, whichever, has its causes
"$opref" run TopK 'X=[3,1,2,5,4]:float32' 'K=[5]' --judge 'Indices=[1,2,0,4,3]:int64' >out 2>&1
grep -q '^reproduced by: mistake the least elements' out || { wrong "the cause of a second output alone"; cat out; }
# bits say more than a reading that fits by the rule alone
"$opref" run ReduceMean --opset 13 -a keepdims=0 'data=[719202718,1578559858,3674813313,0,121207939,232381186]:uint32' \
  --judge 338532960:uint32 >out 2>&1
grep -q '^reproduced by: integers added as float32, carried as int32' out || { wrong "a reading within the rule"; cat out; }
# mistakes of the first output are not asked for then
"$opref" run MaxPool 'X=[[[1,2,3]]]:float32' -a kernel_shape=2 --judge 'Indices=[[[2,3]]]:int64' >out 2>&1
[ $? = 1 ] && grep -q '^no known mistake explains this difference' out || { wrong "Indices alone"; cat out; }
"$opref" run LSTM -a hidden_size=1 -a direction=reverse 'X=[[[1]],[[2]]]:float32' 'W=[[[1],[2],[3],[4]]]:float32' \
  'R=[[[1],[2],[3],[4]]]:float32' --judge 'Y_h=[[[9]]]:float32' >out 2>&1
[ $? = 1 ] && grep -q '^Y_h beyond the spread of float32 kernels' out || { wrong "Y_h alone"; cat out; }
"$opref" run LSTM -a hidden_size=1 'X=[[[1]],[[2]]]:float32' 'W=[[[1],[2],[3],[4]]]:float32' \
  'R=[[[1],[2],[3],[4]]]:float32' --judge 'Y_h=[[[0.92426604]]]:float32' >out 2>&1
[ $? = 0 ] && grep -q '^Y_h within the spread of float32 kernels' out || { wrong "Y_h within the spread"; cat out; }
"$opref" run $node --expect 'Z=y.npy' >out 2>&1
[ $? = 2 ] && grep -q "'Z' is not an output" out || { wrong "an unknown name is taken for a file"; cat out; }

# a shard into which no case falls is no trouble; an index that is none of the N is
for i in 1 2 3; do
  "$opref" check seed-1.json --shard $i/3 >>three 2>&1 || wrong "shard $i/3 of one case ends with another code than 0"
done
[ "$(grep -c '^shard . of 3: 0 of 1 case; none falls into this shard$' three)" = 2 ] || { wrong "empty shards are not named"; cat three; }
JOB_COMPLETION_INDEX=3 ends 2 'makes this shard 4 of 3' "$cases" --list --shard auto/3
ends 2 '  in --shard 4/3' "$cases" --list --shard 4/3
ends 2 'no variable says which of 3 shards this is: give --shard I/N' "$cases" --list --shard auto/3
JOB_COMPLETION_INDEX=0 ends 2 'does not say how many shards there are: give --shard auto/N' "$cases" --list --shard auto
ends 2 '  in --filter (' "$cases" --list --filter '('
ends 2 '  in --runner run {modle}' "$cases" --runner 'run {modle}'

# one JSON document, however it is asked for; report merge says what check said
unclocked() { sed 's/"seconds": [0-9.e-]*/"seconds": 0/; s/"started": "[^"]*"/"started": ""/' "$1"; }
"$opref" check failing --report written.json >said 2>err
"$opref" check failing --json >printed.json 2>err
"$opref" report merge written.json >merged 2>err
[ $? = 1 ] || wrong "report merge does not end as check did"
cmp -s said merged || { wrong "report merge does not say what check said"; diff said merged | head; }
unclocked printed.json >one && unclocked written.json >two && cmp -s one two || { wrong "--json and --report are two documents"; diff one two | head; }
"$opref" report merge written.json --json | cmp -s - written.json || wrong "a report does not come back as it is"
ends 2 'two reports in one file' failing --report same --junit ./same
ends 2 'two documents on standard output' failing --report - --json
"$opref" check failing --report - >out 2>err
cmp -s out written.json || unclocked out | cmp -s - two || wrong "--report - is not the document alone"
ends 0 '1 pass' "$cases" --filter 'MaxUnpool/cases#1$' --report /dev/null --junit /dev/null
# a report replaces nothing that is read; one that cannot be written costs no other, a folder not even the work
mkdir read && cp -r /usr/share/libonnx-testdata/data/node/test_maxunpool_export_without_output_shape read/onnx && cp -r read/onnx safe
cp seed-1.json read && : >read/x.npy
for file in read/seed-1.json read/x.npy read/onnx/model.onnx read/onnx/test_data_set_0/output_0.pb; do
  ends 2 'a report in the place of a file that is read' read --junit "$file"
done
diff -r read/onnx safe || wrong "a report replaced a file of a case"
ends 6 'cannot write .: it is a folder' read --report .
ends 6 'cannot write /dev/full' read --report /dev/full --junit other.xml --html other.html
[ -s other.xml ] && [ -s other.html ] || wrong "a report that cannot be written costs the others"
ends 2 '--list judges nothing' read --list --report list.json

# readings that decide cases that pass
ends 0 'reading max_unpool.index_space: 1 case depends on it' seed-2.json
"$opref" check seed-2.json --json >out
grep -q '"name": "max_unpool.index_space"' out || wrong "the JSON report lacks a reading that decides a case"
"$opref" check seed-1.json --json | grep -q '"readings"' && wrong "a reading that decides nothing is reported"

# the first failing case ends it, whatever the threads
"$opref" check failing --fail-fast -j 1 >one 2>&1
[ $? = 1 ] || wrong "--fail-fast does not end with 1"
"$opref" check failing --fail-fast -j 4 >four 2>&1
cmp -s one four || wrong "--fail-fast depends on -j"
[ "$(grep -c '^fail ' one)" = 1 ] || wrong "--fail-fast shows another number of failures than one"

# the command that repeats a failing case alone
"$opref" check failing >out
[ "$(grep -c '^  repeat: ' out)" -ge 3 ] || wrong "too few failing cases to repeat"
sed -n 's/^  repeat: opref //p' out | while read -r line; do
  (eval "\"$opref\" $line") >repeated 2>&1
  [ $? = 1 ] || { echo "does not fail again: $line"; cat repeated; }
done >messages
[ -s messages ] && { wrong "repeat:"; cat messages; }

# outputs from elsewhere
mkdir -p made
cp seed-1.json seed-2.json made
sed 's/"opset": \[[0-9, ]*\]/"opset": 11/' bad-index-negative.json >made/bad-index-negative.json
mkdir outputs outputs/seed-1
"$opref" run made/seed-1.json -o outputs/seed-1/
ends 1 '3 cases: 1 pass, 1 fail, 0 error, 0 unsupported, 1 skip' made --outputs outputs
grep -q '^fail seed-2: there is no folder' out || wrong "a missing folder is not named"
mkdir outputs/seed-2 outputs/bad-index-negative && cp outputs/seed-1/*.npy outputs/seed-2/output_0.npy && cp outputs/seed-1/* outputs/bad-index-negative
"$opref" run made/seed-2.json -o outputs/seed-2/output_0.pb 2>err
ends 1 '3 cases: 1 pass, 2 fail, 0 error, 0 unsupported, 0 skip' made --outputs outputs
grep -q '^fail seed-2: there is also output_0.npy' out || wrong "a second file of an output is not named"
rm outputs/seed-2/output_0.npy
ends 1 '3 cases: 2 pass, 1 fail, 0 error, 0 unsupported, 0 skip' made --outputs outputs
grep -q '^fail bad-index-negative: it is accepted, but' out || wrong "outputs of a must-fail case are not a failure"
head -c 100 outputs/seed-1/output.npy >x && mv x outputs/seed-1/output.npy
ends 1 '1 case: 0 pass, 0 fail, 1 error' made --outputs outputs --filter seed-1
rm outputs/seed-1/output.npy && mkfifo outputs/seed-1/output.npy
ends 1 '1 case: 0 pass, 1 fail, 0 error' made --outputs outputs --filter seed-1
grep -q "output 'output' is missing" out || wrong "a missing output is not named"
repeat=$(sed -n 's/^  repeat: opref //p' out)
(eval "\"$opref\" $repeat") >out 2>&1
[ $? = 1 ] && grep -q '^1 case: 0 pass, 1 fail' out || wrong "does not fail again: $repeat"
ends 6 'no such folder' made --outputs missing
# causes are sought by the outputs that are there
mkdir -p made-alone outputs/alone
cat >made-alone/alone.json <<'END'
{"op_type": "LayerNormalization", "opset": 17, "attributes": {"axis": 1},
 "inputs": {"X": {"dtype": "float32", "data": [[1, 2, 4], [8, 3, 1]]}, "Scale": {"dtype": "float32", "data": [1, 2, 3]}},
 "expect": {"Y": {"dtype": "float32", "data": [[-1.0690415, -0.53452075, 4.008906], [1.3587316, -0.6793658, -3.0571463]]},
            "Mean": {"dtype": "float32", "data": [[2.3333333], [4]]}}}
END
"$opref" run LayerNormalization-17 -a axis=1 'X=[[1,2,4],[8,3,1]]:float32' 'Scale=[3,2,1]:float32' -o Y=outputs/alone/Y.npy 2>err
ends 1 'mistake Scale in reverse order' made-alone --outputs outputs
# a backend is judged by the bound of a kernel where neither the case nor the user has a rule: what is only moved stays
mkdir -p near/seed-1
"$opref" run MaxUnpool --opset 11 -a kernel_shape=2,2 -a strides=2,2 'X=[[[[1.0005,2],[3,4]]]]:float32' 'I=[[[[5,7],[13,15]]]]' \
  -o near/seed-1/output.npy
ends 1 '(0 ULP: nothing is rounded)' made --outputs near --filter seed-1
ends 0 '1 case: 1 pass' made --outputs near --filter seed-1 --rtol 1e-3
ends 1 '(exact)' made --outputs near --filter seed-1 --exact
# a second data set
onnx=/usr/share/libonnx-testdata/data/node/test_maxunpool_export_without_output_shape
mkdir sets && cp -r $onnx sets/two && cp -r sets/two/test_data_set_0 sets/two/test_data_set_1
mkdir -p results/two/test_data_set_1 && cp sets/two/test_data_set_0/output_0.pb results/two && cp sets/two/test_data_set_0/output_0.pb results/two/test_data_set_1
ends 0 '2 cases: 2 pass' sets --outputs results

# what opref itself does not finish in time costs its case only
mkdir slow && head -c 64000000 /dev/zero >slow/x.bin && cp made/seed-1.json slow
echo '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2000, 2000]},
  "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 4000, 4000], "file": "x.bin"}}, "source": "none"}' >slow/long.json
ends 1 '2 cases: 1 pass, 0 fail, 1 error' slow --timeout 1
grep -q '^error long: opref itself does not evaluate this within 1 s' out || wrong "a case that takes too long is not named"

sed -n 's/^  repeat: opref //p' out >repeat
grep -q -- '--timeout 1' repeat || { wrong "the command that repeats a case forgets --timeout"; cat repeat; }
(eval "\"$opref\" $(cat repeat)") >out 2>&1
[ $? = 1 ] && grep -q '^1 case: 0 pass, 0 fail, 1 error' out || { wrong "does not fail again: $(cat repeat)"; cat out; }
# nor does it infer longer, where a backend is judged: here the types of 2^40 calls of functions
mkdir -p calls/test_data_set_0
{
  imports='"opsetImport": [{"version": "16"}, {"domain": "f", "version": "1"}]'
  neg='{"name": "f0", "domain": "f", "input": ["a"], "output": ["b"], "node": [{"opType": "Neg", "input": ["a"], "output": ["b"]}]'
  echo "{\"irVersion\": \"8\", $imports, \"functions\": [$neg, $imports}"
  for k in $(seq 40); do
    call="\"opType\": \"f$((k - 1))\", \"domain\": \"f\""
    echo ", {\"name\": \"f$k\", \"domain\": \"f\", \"input\": [\"a\"], \"output\": [\"c\"], $imports," \
      "\"node\": [{$call, \"input\": [\"a\"], \"output\": [\"b\"]}, {$call, \"input\": [\"b\"], \"output\": [\"c\"]}]}"
  done
  echo '], "graph": {"name": "g", "node": [{"opType": "f40", "domain": "f", "input": ["x"], "output": ["y"]}],' \
    '"input": [{"name": "x"}], "output": [{"name": "y"}]}}'
} >calls/model.onnx
for file in input_0 output_0; do "$opref" run Constant -a 'value=1:float32' -o output=calls/test_data_set_0/$file.pb; done
timeout 60 "$opref" check calls --timeout 1 --runner 'cp {inputs}/input_0.pb {outputs}/output_0.pb' >out 2>&1
[ $? = 0 ] && grep -q '^1 case: 1 pass' out || { wrong "types of a backend's case are inferred without end"; cat out; }
# memory is that of all cases at a time, and no verdict depends on how many they are
for j in 1 2 16; do ends 0 ', 0 fail, 0 error, 0 unsupported, 0 skip' "$cases/ai.onnx/MaxUnpool" --max-bytes 700 -j $j --filter '^(bad|cases#1?[0-9]($|#))'; done
ends 1 'the limit is 100000000' slow --max-bytes 100000000 -j 2 --filter long
grep -q -- '--max-bytes 100000000' out || { wrong "the command that repeats a case forgets --max-bytes"; cat out; }

# the rule bound computes all terms once more: within the same time limit
mkdir bound && head -c 4194304 /dev/zero >bound/x.bin && head -c 3944196 /dev/zero >bound/y.bin
echo '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [32, 32], "p": 1},
  "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 1024, 1024], "file": "x.bin"}},
  "expect": {"Y": {"dtype": "float32", "shape": [1, 1, 993, 993], "file": "y.bin"}}, "source": "none"}' >bound/long.json
ends 1 'error long: opref itself does not compare this within 3 s (--timeout)' bound --bound --timeout 3

# by the rule bound, the map of errors marks what the rule marks: 3 is off by 2^22 ULP, 0.1 + 0.2 by one, which is in
# bounds: cells of 1 and of 128 + 23, in base64
echo '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2], "p": 1, "strides": [2]},
  "inputs": {"X": {"dtype": "float32", "data": [[[0.1, 0.2, 1, 1]]]}},
  "expect": {"Y": {"dtype": "float32", "data": [[[0.30000004, 3]]]}}, "source": "none"}' >one-off.json
ends 1 '0 pass, 1 fail' one-off.json --bound
"$opref" check one-off.json --bound --json | tr -d ' \n' | grep -q '"cells":"AZc="' || wrong "the map of errors does not follow the rule bound"
ends 2 'no --ignore-dtype with it' one-off.json --bound --ignore-dtype
# outputs that are no sums are compared exactly, each once: what is chosen, and where it was
echo '{"op_type": "MaxPool", "opset": 22, "attributes": {"kernel_shape": [2]}, "outputs": ["Y", "Indices"],
  "inputs": {"X": {"dtype": "float32", "data": [[[1, 5, 2, 3]]]}},
  "expect": {"Y": {"dtype": "float32", "data": [[[5, 5, 4]]]}, "Indices": {"dtype": "int64", "data": [[[1, 1, 2]]]}},
  "source": "none"}' >two-outputs.json
ends 1 "output 'Y' differs" two-outputs.json --bound
ends 1 '0 pass, 1 fail' two-outputs.json --bound
"$opref" run two-outputs.json --expect-case --bound >out
[ "$(grep -c '^Y differs\|^Indices differs' out)" = 2 ] && [ "$(grep -c ' differs (0 ULP: nothing is rounded)' out)" = 2 ] || wrong "--bound lists each output once: $(cat out)"
# what has no bound of its own, because such a kernel may meet Inf or NaN there, is counted and listed, in a case that passes too
echo '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2], "p": 1, "strides": [2]},
  "inputs": {"X": {"dtype": "float32", "data": [[[60000, 60000, 1, 1]]]}},
  "expect": {"Y": {"dtype": "float32", "data": [[["Inf", 2]]]}}, "source": "none"}' >overflow.json
ends 0 '1 element without a bound of its own: such a kernel may meet Inf or NaN there' overflow.json --bound=accumulator=float16
ends 0 'because such a kernel may meet Inf or NaN there: [0,0,0]' overflow.json --bound=accumulator=float16 --verbose
"$opref" check overflow.json --bound=accumulator=float16 --json | tr -d ' \n' | grep -qF '"without_bound":1,"first_without_bound":[[0,0,0]]' ||
  wrong "the report does not list what has no bound"
ends 1 'where no error is allowed' overflow.json --bound
grep -q 'without a bound' out && wrong "elements without a bound are counted where there are none"
# ONNX's own case keeps ONNX's rule, with the share beside; where opref has made the folder, the bound decides. e^x is
# 5e-4 too large, and a kernel 3 ULP of 2^-23: 1398 times that.
mkdir -p published shares/exp && cp -r /usr/share/libonnx-testdata/data/node/test_exp published/exp
"$opref" run published/exp -o y.npy && "$opref" run Mul A=y.npy B=1.0005:float32 -o shares/exp/y.npy
ends 0 'y beyond the bound of float32 (largest share 1398)' published --outputs shares --verbose --report shares.json
ends 0 '1 output with a bound: 0 accurate, 1 beyond it; largest share 1398' published --outputs shares
tr -d ' \n' <shares.json | grep -q '"rule":"rtol0.001,atol1e-07".*"bound_ratio":1398' || wrong "the share is not beside the rule"
"$opref" golden Exp -o made-exp --filter '^exp_13_f32_1d$' >/dev/null 2>&1
mkdir shares/exp_13_f32_1d && "$opref" run made-exp/exp_13_f32_1d -o y.npy &&
  "$opref" run Mul A=y.npy B=1.0005:float32 -o shares/exp_13_f32_1d/output.npy
ends 1 'beyond the bound of float32: 24 of 24 elements' made-exp --outputs shares

# a node that opref refuses, of which nothing is expected: no verdict on anybody, and its repetition works
echo '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2, 2]}, "inputs": {"X": {"dtype": "float32", "data": [[[1, 2]]]}}, "source": "none"}' >open.json
ends 1 '0 pass, 0 fail, 1 error' open.json
sed -n 's/^  repeat: opref //p' out >repeat
(eval "\"$opref\" $(cat repeat)") >out 2>&1
[ $? = 1 ] && grep -q '1 error' out || { wrong "does not fail again: $(cat repeat)"; cat out; }
# what is reported of a backend's cases: type and attributes in force, and by which reading, on any number of threads
mkdir mem && cp one-off.json mem/one.json
for name in a b c d; do
  echo '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2], "pads": [1, 0]},
    "inputs": {"X": {"dtype": "float32", "data": [[[3, 4, 5, 6]]]}}, "expect": {"Y": {"dtype": "float32", "data": [[[3, 5, 6.4031243, 7.8102498]]]}}, "source": "none"}' >mem/$name.json
done
for j in 1 4; do
  "$opref" check mem --filter '^[a-d]$' --max-bytes 200 -j $j --runner "\"$opref\" run {inputs} --reading lp_pool.partial_window=rescaled -o {outputs}/" --verbose --report mem-$j >out 2>err
  [ "$(grep -c 'reproduced by: reading lp_pool.partial_window=rescaled' out)" = 4 ] || { wrong "the reading is not named at -j $j"; tail -n 8 out; }
done
unclocked mem-1 >one && unclocked mem-4 >two && cmp -s one two || { wrong "a backend's report depends on -j"; diff one two | head -n 5; }
grep -q '"dtype": "float32"' mem-1 && grep -q '"strides"' mem-1 || wrong "a backend's case has no type, or not the attributes in force"

# a case that must fail, by itself: one document, and no memory is no refusal
bad=$cases/ai.onnx/MaxUnpool/bad.json#7#opset=11
"$opref" run "$bad" --expect-case --json | tr -d ' \n' | grep -q '"verdict":"pass","reason":""' || wrong "run --expect-case --json of a case that must fail"
"$opref" run "$bad" --expect-case --max-bytes 0 >out 2>&1
[ $? = 6 ] || { wrong "no memory is taken for a refusal"; cat out; }

# nothing judged, and all required
mkdir unknown && cp -r /usr/share/libonnx-testdata/data/simple/test_gradient_of_add unknown
ends 5 '1 case: 0 pass, 0 fail, 0 error, 1 unsupported' unknown
ends 0 '1 unsupported' unknown --allow-empty
ends 1 'repeat: ' unknown --require-all

done_testing
