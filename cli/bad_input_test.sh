# SPDX-License-Identifier: Apache-2.0
# Bad input of every kind: the documented exit code, the message with the rule, both values and the place, and no output file.
set -u
. cli/testing.sh
cases=$source/testdata/ai.onnx/MaxUnpool

# refused CODE 'what standard error must contain' ARGUMENTS…   The output file y.npy must not come to be.
refused() {
  code=$1 text=$2
  shift 2
  "$opref" "$@" >out 2>err
  got=$?
  if [ $got != "$code" ]; then
    echo "exit code $got, not $code: opref $*"; cat err; failures=$((failures + 1))
  elif ! { cat err; joined err; } | grep -qF -- "$text"; then
    echo "the message lacks '$text': opref $*"; cat err; failures=$((failures + 1))
  elif [ -s out ] && ! grep -q '^  "error": {$' out; then
    echo "standard output is not empty: opref $*"; cat out; failures=$((failures + 1))
  fi
  for left in y.npy y.npz y.pb y.npy* .y.npy*; do
    [ -e "$left" ] && { echo "left $left: opref $*"; failures=$((failures + 1)); rm -f "$left"; }
  done
}
unpool() {
  code=$1 text=$2
  shift 2
  refused "$code" "$text" run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$@" -o y.npy
}
X='X=[[[[1,2],[3,4]]]]:float32'
I='I=[[[[5,7],[13,15]]]]'

# the node's rules (each rule's exact message is a case in testdata)
unpool 4 'I[0,0,1,1] = 16, but the output has 16 elements' "$X" 'I=[[[[5,7],[13,16]]]]'
unpool 4 'I[0,0,0,0] = -1, but the output has 16 elements' "$X" 'I=[[[[-1,7],[13,15]]]]'
unpool 4 'in MaxUnpool-22' "$X" 'I=[[[[5,7],[13,16]]]]'
unpool 4 'I has shape [1,1,1,2], but X has shape [1,1,2,2]' "$X" 'I=[[[[5,7]]]]'
unpool 4 'must be a list of 4 sizes' "$X" "$I" 'output_shape=[5,5]'
unpool 4 'must keep N and C of X, [1,1]' "$X" "$I" 'output_shape=[1,2,5,5]'
unpool 4 "'dilations' is not an attribute of MaxUnpool-22" "$X" "$I" -a dilations=1,1
unpool 4 "did you mean 'kernel_shape'?" "$X" "$I" -a kernel_shap=1,1
unpool 4 'MaxUnpool came with opset 9, but the opset is 8' "$X" "$I" --opset 8
unpool 5 'opset 29 is newer than this opref knows (28); --opset 28 evaluates it as 28' "$X" "$I" --opset 29
unpool 4 'X has type int32, but MaxUnpool-22 takes float16, float32, float64, bfloat16' 'X=[[[[1,2],[3,4]]]]:int32' "$I"
unpool 6 'needs 4000000000000 bytes' "$X" "$I" 'output_shape=[1,1,1000000,1000000]'
unpool 6 'the limit is 100 (--max-bytes)' "$X" "$I" --max-bytes 100
unpool 4 'has more elements than fit into 64 bits' "$X" "$I" 'output_shape=[1,1,9223372036854775807,9223372036854775807]'
refused 4 "attribute 'kernel_shape' is missing; MaxUnpool-22 requires it" run MaxUnpool "$X" "$I" -o y.npy
refused 2 "input 'I' has no value: give I=FILE" run MaxUnpool -a kernel_shape=2,2 "$X" -o y.npy
refused 5 "no such file, and operator 'MaxUnpol' is not known, did you mean 'MaxUnpool'?" run MaxUnpol "$X" -o y.npy

# the command line
unpool 2 "'output_size' is not an input here (X, I, output_shape), did you mean 'output_shape'?" "$X" "$I" 'output_size=[1,1,5,5]'
unpool 2 "input 'X' is given twice" "$X" "$X" "$I"
unpool 2 "did you mean '--expect'?" "$X" "$I" --expct y=x.npy
unpool 2 "'kernel_shape': an attribute is written NAME=VALUE" "$X" "$I" -a kernel_shape
unpool 2 "did you mean 'accumulator'?" "$X" "$I" --bound=acumulator=float16 --expect output=x.npy
unpool 2 '  in --bound=flush=0,accumulator=float8' "$X" "$I" --bound=flush=0,accumulator=float8 --expect output=x.npy
refused 2 'attributes are set in one node, but there are 2: pick one with --node' run 'A = MaxUnpool <kernel_shape = [2]> (X, I)
  B = MaxUnpool <kernel_shape = [1]> (A, J)' -a kernel_shape=2
refused 2 'y.npy takes one output, but there are 2 (Y, Z): give -o NAME=FILE, a folder or an .npz' \
  run 'Y, Z = MaxPool <kernel_shape = [2]> (X)' 'X=[[[5,6]]]:float32' -o y.npy
unpool 2 '--bound= has no value' "$X" "$I" --expect output=x.npy --bound=
unpool 2 '--ulp= has no value' "$X" "$I" --expect output=x.npy --ulp= 1
unpool 2 "'flush' is given twice" "$X" "$I" --expect output=x.npy --bound=flush=1,flush=0
unpool 2 '--bound is given 2 times' "$X" "$I" --expect output=x.npy --bound=flush=1 --bound
unpool 2 "--exact takes no value, but has 'false'" "$X" "$I" --expect output=x.npy --exact=false
unpool 2 "--json takes no value, but has 'true'" "$X" "$I" --json=true
unpool 2 'two rules at once' "$X" "$I" --expect output=x.npy --exact --ulp 1
unpool 2 'did you mean' "$X" "$I" --reading max_unpool.index_spac=output
unpool 2 'the reading is chosen twice' "$X" "$I" --reading max_unpool.index_space=output --reading max_unpool.index_space=input
unpool 2 "'outptu' is not an alternative" "$X" "$I" --reading max_unpool.index_space=outptu
unpool 2 "the list at [1] has 1" 'X=[[1,2],[3]]:float32' "$I"
unpool 2 "'flaot32' is not a dtype, did you mean 'float32'?" 'X=[[1,2]]:flaot32' "$I"
refused 2 "the output 'y.txt': a file ends with .npy, .npz, .pb or, of maps, .json" run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o y.txt
refused 2 'NODE is missing' run
refused 2 "'bogus' is not a command" bogus
refused 2 "'explane' is not a command" explane --help
refused 2 "'chek' is not a command, did you mean 'check'?" chek -h
refused 2 'no case below' check .
refused 6 'no such file' run missing.onnx
refused 2 'values without a type' run Equal A=1 B=2
refused 2 "the inputs 'condition', 'Y' have no value" run Where X=1:float32
refused 2 "this is a recipe, not a case" run "$cases/recipe.json"
refused 2 "this is a list of known mistakes, not a case" run "$cases/mistakes.json"
refused 2 "mistakes.json is a list of known mistakes, not a case" check "$cases/mistakes.json"
refused 2 "this is a report, not a case" run "$source/testdata/check-report-1.json"
refused 2 'a type without values is written float32[1,3]' infer Relu 'X=float32(1,3)'
refused 5 "did you mean 'LpPool-18'?" run LpPool:18
mkdir Relu # an operator's name, and no case
"$opref" run Relu X=-1:float32 | grep -q '^Y: float32' || { echo "a folder hides an operator"; failures=$((failures + 1)); }
refused 3 'no case folder' run ./Relu
rmdir Relu
refused 6 'no such file: x.npy' run MaxUnpool -a kernel_shape=2,2 X=x.npy "$I" -o y.npy
refused 6 'cannot' run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o missing/y.npy

refused 2 "did you mean 'output'?" run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o outptu=y.npy
refused 2 'is written twice' run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o y.npy -o y.npy
refused 2 'folder/output.npy is written twice' run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o folder/ -o folder/output.npy
refused 2 'nothing else can go there' run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o - --json
refused 6 'missing/y.npy' run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o y.npz -o new/ -o missing/y.npy
[ -e new ] && { echo "left the folder new"; failures=$((failures + 1)); }
refused 2 '--ulp -1: it is a whole number of at least 0' check "$cases" --ulp -1
refused 2 '--ulp 1.5: it is a whole number of at least 0' check "$cases" --ulp 1.5
refused 2 '--rtol x: it must be a number that fits into float64' check "$cases" --rtol x
refused 2 '--atol 1e999: it must be a number that fits into float64' check "$cases" --atol 1e999
unpool 2 '--max-bytes 99999999999999999999: it is a number of bytes' "$X" "$I" --max-bytes 99999999999999999999
unpool 2 '--opset 0: it is a whole number from 1 to' "$X" "$I" --opset 0
unpool 2 '--opset is given 2 times' "$X" "$I" --opset 11 --opset 22
refused 2 '--attribute needs a value: NAME=VALUE' run MaxUnpool "$X" "$I" --attribute
refused 2 '-o needs a value: OUT' run MaxUnpool "$X" "$I" -o
refused 2 '--opset is given 2 times' run MaxUnpool "$X" "$I" --opset 11 --opset 22
refused 2 "--json takes no value, but has 'x'" run MaxUnpool "$X" "$I" --json=x
refused 2 'EXPECTED is missing' diff x.npy
refused 2 '--opset needs an operator: opref ops OPERATOR' ops --opset 5
refused 2 "there is no help on 'chek', did you mean 'check'?" help chek
refused 2 "there is no help on 'sofmax', did you mean 'Softmax'?" help sofmax
refused 2 "there is no help on 'frobnicate' (run, infer, diff, show, check, golden" help frobnicate
graph='<ir_version: 7, opset_import: ["" : 11]> g (float[1,1,2] X, int64[1,1,2] I) => (float[1,1,4] Y)'
refused 3 "no node gives the graph's output 'Y'" run "$graph { Z = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I) }" \
  'X=[[[5,6]]]' 'I=[[[1,2]]]' -o y.npy
refused 3 "'Y' is given twice" run "$graph { Y = MaxUnpool <kernel_shape = [1]> (X, I) Y = MaxUnpool <kernel_shape = [1]> (X, I) }" \
  'X=[[[5,6]]]' 'I=[[[1,0]]]' -o y.npy
for operator in com.microsoft.EPContext ai.onnx.preview.training.Gradient; do # which are published, and will never be known
  refused 5 "operator '${operator##*.}' of domain '${operator%.*}' is not yet known here" \
    run "<ir_version: 8, opset_import: [\"\" : 18, \"${operator%.*}\" : 1]> g (float[2] X) => (float[2] Y) { Y = $operator (X) }" 'X=[1,2]' -o y.npy
done
refused 4 'imports no opset of ai.onnx' run '<ir_version: 7, opset_import: ["com.foo" : 1]> g (float[1,1,2] X, int64[1,1,2] I) => (float[1,1,4] Y) { Y = MaxUnpool <kernel_shape = [2], strides = [2]> (X, I) }' \
  'X=[[[5,6]]]' 'I=[[[1,2]]]' -o y.npy

# files
"$opref" run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o good.npy || failures=$((failures + 1))
head -c 180 good.npy >short.npy
unpool 3 'in short.npy' X=short.npy "$I"
head -c 20 good.npy >header.npy
unpool 3 'in header.npy' X=header.npy "$I"
sed 's/(1, 1, 4, 4)/(1, 1, 4, 5)/' good.npy >lies.npy
unpool 3 'float32[1,1,4,5]' X=lies.npy "$I"
sed 's/(1, 1, 4, 4)/(9, 9999, 9999, 9)/; s/, }  */, }     /' good.npy >huge.npy
unpool 3 'in huge.npy' X=huge.npy "$I"
{ cat good.npy; echo; } >long.npy
unpool 3 'in long.npy' X=long.npy "$I"
echo 'no protobuf' >text.onnx
refused 3 'neither an ONNX model nor a node' run text.onnx -o y.npy
: >empty.onnx
refused 3 'in empty.onnx' run empty.onnx -o y.npy
head -c 50 /usr/share/libonnx-testdata/data/node/test_maxunpool_export_with_output_shape/model.onnx >cut.onnx
refused 3 'in cut.onnx' run cut.onnx -o y.npy
echo '{"op_type": "MaxUnpool", "atributes": {}}' >case.json
refused 3 "did you mean 'attributes'?" run case.json -o y.npy
echo '{"op_type": "MaxUnpool", ' >broken.json
refused 3 'line 2' run broken.json -o y.npy
one_case "$cases/cases.json" 1 >seed-1.json && one_case "$cases/bad.json" 7 >bad-index-negative.json
sed 's/"op_type"/"readings": {"max_unpool.index_spce": "output"}, "op_type"/' seed-1.json >reading.json
refused 2 "did you mean 'max_unpool.index_space'?" run reading.json -o y.npy
mkdir no-case
refused 3 'is no case folder' run no-case -o y.npy
refused 3 'ONNX text' run 'Y = MaxUnpool <kernel_shape = [2, 2] (X, I)' -o y.npy
refused 6 'text.onnx' run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o text.onnx/y.npy

# a picked node: X is also another tensor of the graph
cat >two.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 11]> g (float[1,1,2] X, float[1,1,2] Z) => (float[1,1,1] Y)
{ T = LpPool <kernel_shape = [1]> (X) Y = LpPool <kernel_shape = [2]> (Z) }
END
refused 2 "'X' has two meanings: the operator's name of 'Z', and another tensor" run two.onnxtxt --node Y 'X=[[[3,4]]]' 'Z=[[[3,4]]]' -o y.npy
"$opref" run two.onnxtxt --node Y 'Z=[[[3,4]]]' >out || { echo "a picked node:"; cat out; failures=$((failures + 1)); }

# inputs are counted before they are decoded
head -c 4000000 /dev/zero >zeros.bin
refused 6 'float32[1,1,1000000] takes 4000000 bytes, but the limit leaves 1000 (--max-bytes)' \
  run LpPool -a kernel_shape=1 'X:float32[1,1,1000000]=zeros.bin' --max-bytes 1000 -o y.npy
"$opref" run LpPool -a kernel_shape=1 'X:float32[1,1,1000000]=zeros.bin' -o zeros.npy || failures=$((failures + 1))
refused 6 'float32[1,1,1000000] takes 4000000 bytes, but the limit leaves 1000 (--max-bytes)' show zeros.npy --max-bytes 1000
# what is compared with is read, not mapped
refused 6 'zeros.npy has 4000128 bytes, but the limit leaves 999992 (--max-bytes)' \
  run LpPool -a kernel_shape=1 'X=[[[1]]]:float32' --expect Y=zeros.npy --max-bytes 1000000
refused 6 'float32[1,1,1000000] takes 4000000 bytes, but the limit leaves 3999999 (--max-bytes)' \
  diff zeros.npy zeros.npy --max-bytes 7999999

# XML
echo '<layer type="ConvolutionBackpropData" name="&two;"/>' >entity.xml
echo '<layer type="ConvolutionBackpropData"/>' >no-ports.xml
for command in infer run; do
  refused 3 "line 1, column 45: the reference '&two;' is not known" $command entity.xml
  refused 3 'the graph has no output' $command no-ports.xml
done
refused 3 'the graph has no output' run no-ports.xml -o y.npy

# several cases in a file
several() {
  printf '%s' "$1" >several.json
  refused "$2" "$3" run several.json -o y.npy
}
several '[]' 3 'the document is an empty list, but must have cases'
several '[[{"op_type": "LpPool"}]]' 3 "'[0]' is a list, but must be an object"
several '{"op_type": "LpPool", "opset": []}' 3 "'opset' is an empty list, but must have opsets"
several '{"op_type": "LpPool", "opset": [1, 2, 1]}' 3 "'opset[2]' is 1 for the second time"
several '{"op_type": "LpPool", "opset": [1, "2"]}' 3 "'opset[1]' is a string"
several '{"op_type": "LpPool", "opset": [[1, 2]]}' 3 "'opset[0]' is a list"
several "{\"op_type\": \"LpPool\", \"opset\": [$(seq -s, 100000)]}" 5 "'opset' has more than 1000 cases: split the file"
several '[{"op_type": "LpPool"}, {"op_type": "LpPool", "opset": [1, 2]}]' 2 'name one, as in FILE#1 (#1, #2#opset=1, #2#opset=2)'
refused 2 'there is no case #3 in it' run 'several.json#3' -o y.npy
refused 2 'none of the 3 cases of the file is for opset 7: name the one to evaluate as that, as in FILE#1' run several.json --opset 7 -o y.npy

# what is read is overwritten only where that is said, also by another name
"$opref" run 'Y = Transpose (X)' 'X=[1]:float32' -o x.npy && ln x.npy hard.npy || failures=$((failures + 1))
over='would overwrite x.npy; --force writes it all the same'
refused 2 "an output never overwrites what is read, but hard.npy $over" run 'Y = Transpose (X)' X=x.npy -o hard.npy
refused 2 "x.npy $over" run 'Y = Transpose (X)' 'X=[1]:float32' --expect Y=x.npy -o x.npy
refused 2 "hard.npy $over" show x.npy -o hard.npy
"$opref" run 'Y = Add (X, X)' X=x.npy -o x.npy --force && "$opref" show x.npy -o x.npy --force && "$opref" show x.npy | grep -qF '[2.]' ||
  { echo "--force does not overwrite"; failures=$((failures + 1)); }

# elements of a file that do not fit their type
sed 's/5, 7/5, 9223372036854775808/' seed-1.json >fit.json
refused 3 '9223372036854775808 does not fit into int64' run fit.json -o y.npy

# every must-fail case is repeated by the command that check prints
"$opref" check "$cases" --list --filter '^bad' >bad
[ "$(wc -l <bad)" -gt 20 ] || { echo "few must-fail cases"; failures=$((failures + 1)); }
sed "s|^\([^#]*\)|$cases/\1.json|" bad >paths
while read -r case; do
  [ -e "${case%%#*}" ] || case=${case%.json} # a folder
  "$opref" run "$case" --expect-case >out 2>&1 || { echo "not refused as expected: $case"; cat out; failures=$((failures + 1)); }
done <paths
sed 's/= -1, but/= -2, but/' bad-index-negative.json >other.json
"$opref" run other.json --opset 11 --expect-case >out 2>&1
[ $? = 1 ] && grep -q '^differs: ' out || { echo "another message is not exit code 1"; cat out; failures=$((failures + 1)); }

# no control bytes of a file reach the terminal
sed 's/"message": "/"message": "\\u001b[31m/' bad-index-negative.json >escape.json
"$opref" run escape.json --expect-case --opset 11 >out 2>&1
"$opref" check escape.json >>out 2>&1
printf '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [1], "p\\u001b": 1}, "inputs": {"X": {"dtype": "float32", "data": [[[1]]]}}}' >attribute.json
"$opref" infer attribute.json >>out 2>&1
printf '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [1]}, "in\\u001b": {}, "inputs": {"X": {"dtype": "float32", "data": [[[1]]]}}}' >key.json
"$opref" infer key.json >>out 2>&1
printf '\010\010B\002\020\013\072l\012\055\012\001x\022\010ab\033[31m\012\032\001n\042\006LpPool\052\023\012\014kernel_shape\240\001\007\100\001Z\027\012\001x\022\022\012\020\010\001\022\014\012\002\010\001\012\002\010\001\012\002\010\004b\042\012\010ab\033[31m\012\022\026\012\024\010\001\022\020\012\002\010\007\012\012\022\010ab\033[31m\012' >declared.onnx
"$opref" run declared.onnx 'x=[[[1,2,3,4]]]:float32' >>out 2>&1
grep -qF 'warning: ab\x1b[31m\x0a: is declared as float32[7,ab\x1b[31m\x0a]' out || { echo "a name takes a line of its own"; failures=$((failures + 1)); }
[ "$(grep -c '\\x1b' out)" -ge 6 ] || { echo "no escaped control byte:"; cat out; failures=$((failures + 1)); }
grep -q "$(printf '\033')" out && { echo "control bytes reach the terminal:"; cat -v out; failures=$((failures + 1)); }

# lists without end are shortened
refused 4 ',1,…], but each must be from -2 to 1' run ReduceSum --opset 11 -a "axes=7,$(printf '1,%.0s' $(seq 3000))1" 'data=[[1]]:float32' -o y.npy
[ "$(wc -c <err)" -lt 1000 ] || { echo "a long line: $(wc -c <err) bytes"; failures=$((failures + 1)); }

# check goes on past what it cannot read
mkdir tree tree/sub && cp seed-1.json tree/sub && ln -s .. tree/sub/loop && ln -s nowhere tree/dangling.json
"$opref" check tree >out 2>&1
[ $? = 1 ] && grep -q '^2 cases: 1 pass, 0 fail, 1 error' out || { echo "check of an odd tree:"; cat out; failures=$((failures + 1)); }

# output that cannot be written
"$opref" ops >/dev/full 2>err
[ $? = 6 ] || { echo "writing to a full device is not exit code 6"; failures=$((failures + 1)); }
"$opref" --help 2>err | head -c 1 >/dev/null
[ -s err ] && { echo "a closed pipe is not quiet:"; cat err; failures=$((failures + 1)); }

# A file of one byte an element is of a type that numpy lacks, as ml_dtypes writes it: never of one with a name there.
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "{'descr': '<V1', 'fortran_order': False, 'shape': (1,), }"; printf 8; } >v1.npy
refused 4 'X of Relu takes only float16, bfloat16, float32, float64, int8, int16, int32, int64' run Relu X=v1.npy
refused 4 'condition of Where takes only bool' run Where condition=v1.npy X=1:float32 Y=2:float32
refused 2 "the file's descr '<V1' cannot be uint8, which the node asks for" run BitShift -a direction=LEFT X=v1.npy Y=[1]:uint8
refused 2 "the file's descr '<V1' cannot be int8, which is stated" run Neg X:int8=v1.npy
done_testing
