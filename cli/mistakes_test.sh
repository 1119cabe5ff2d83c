# SPDX-License-Identifier: Apache-2.0
# What a new user does wrong: cli/mistakes.txt has commands, their exit codes and all that they print. It is read by people:
# whoever changes a message changes it there, as they would want to read it. With --print the new text goes to standard output.
set -u
opref=$1
expected=$PWD/cli/mistakes.txt
cases=$PWD/testdata/ai.onnx
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/tried" "$folder/tried/empty"
ln -s "$(realpath "$opref")" "$folder/bin/opref"
PATH=$folder/bin:$PATH
cd "$folder/tried" || exit 1

opref run LpPool -a kernel_shape=1 'X=[[[1,-2,3]]]:float32' -o x.npy || exit 1     # [1,1,3]
opref run LpPool -a kernel_shape=1,1 'X=[[[[1,2],[3,4]]]]:float32' -o image.npy || exit 1
opref run LpPool -a kernel_shape=1 'X=[[[1,2]]]:float16' -o half.npy || exit 1
printf 'abcdefgh' >raw.bin
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n' >lfs.onnx
cp lfs.onnx lfs.npy
printf '<!DOCTYPE html>\n<html><title>404</title></html>\n' >page.onnx
printf '\200\004}.' >data.pkl
opref run Identity 'input=[[[1,2,3]]]:float64' -o double.npy || exit 1
head -c 100 x.npy >short.npy
printf 'X,Y\n1,2\n' >table.csv
printf '[[1, -2],\n [3, 4]]\n' >numbers.json
printf '{"X": [1, 2]}\n' >object.json
printf '{"op": "LpPool", "opset": 18}\n' >op.json
printf '{"op_type": "LpPool", "opset": 0}\n' >opset.json
printf '{"op_type": "LpPool", "opset": 18,\n' >cut.json
lp_pool() { printf '{"op_type": "LpPool", "opset": 18, "attributes": {"kernel_shape": [2]}, "inputs": {"X": %s}}\n' "$1"; }
lp_pool '{"data": [[[1, 2]]]}' >no-dtype.json
lp_pool '"raw.bin"' >raw.json
lp_pool '{"dtype": "flaot32", "data": [[[1, 2]]]}' >dtype.json
lp_pool '{"dtype": "float32", "values": [[[1, 2]]]}' >values.json
printf '{"op_type": "ConvTranspose", "opset": 22, "inputs": {"X": "x.npy", "weight": "x.npy"}}\n' >weight.json
printf '{"op_type": "ConvTranspose", "opset": 22, "attributes": {"weight": 1}, "inputs": {"X": "x.npy", "W": "x.npy"}}\n' >weight-attribute.json
printf '{"op_type": "ConvTranspose", "opset": 22, "inputs": {"X": "x.npy"}}\n' >no-weight.json
printf '{"op_type": "LpPol", "inputs": {"X": "x.npy"}}\n' >unknown.json
cat >two.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 18]> two (float[N,1,3] x) => (float[N,1,2] y)
{ h = Relu (x) y = LpPool <kernel_shape = [2]> (h) }
END
cat >layer.xml <<'END'
<layer id="0" name="r" type="ReLU" version="opset1"><input><port id="0" precision="FP32"><dim>1</dim></port></input>
<output><port id="1" precision="FP32"><dim>1</dim></port></output></layer>
END
cat >inside.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 18]> inside (bool c, float[1,1,3] x) => (float[1,1,3] y)
{ y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Abs (x) }> }
END
printf '{"op_type": "LpPool", "opset": {"each": [11, 18]}, "attributes": {"kernel_shape": [2]}}\n' >recipe.json
lp_pool '[1, 2]' >list.json
lp_pool '{"data": [1, 2],}' >comma.json
printf "{'op_type': 'LpPool'}\n" >quotes.json
printf '{"op_type": "LpPool", "opset": 18, "attributes": {"kernel_shape": "2"}, "inputs": {"X": "x.npy"}}\n' >text.json
printf '{"op_type": "Relu", "inputs": {"X": "x.npy"}, "expect": {"Y": "x.npy"}, "tolerance": 0.01}\n' >rule.json
printf '{"op_type": "Softmax", "inputs": {"input": [[1, 2], [3, 4]]}}\n' >values-alone.json
printf '{"op_type": "Relu", "inputs": ["x.npy"]}\n' >inputs-list.json
printf '{"op_type": "Relu", "inputs": {"X": "x.npy"}, "expect_error": "invalid"}\n' >fault.json
printf '{"op_type": "Relu", // the newest\n "inputs": {"X": "x.npy"}}\n' >comment.json
printf '{"op_type": "Cast", "attributes": {"to": "float16"}, "inputs": {"input": "x.npy"}}\n' >cast.json
printf '{"op_type": "Cast", "attributes": {"to": "flaot16"}, "inputs": {"input": "x.npy"}}\n' >cast-to.json
printf '{"op_type": "If", "attributes": {"then_branch": {"op_type": "Neg"}}}\n' >if.json
printf '{"op_type": "Relu", "inputs": {"X": {"dtype": "float32", "shape": [2]}}}\n' >type-alone.json
opref golden LpPool --filter "^lp_pool_18_f32_2d_k3x2_p[12]\$" -o cases4 >/dev/null || exit 1
printf 'abcd' >layer.bin
gzip -kc two.onnxtxt >two.onnxtxt.gz
printf '\223NUMPY\1\0\070\0{"descr": "<q4", "fortran_order": False, "shape": (1,)}\n\1\0\0\0' >quad.npy
: >none.npy
: >none.onnx
printf '{"op_type": "MaxUnpool", "opset": 8, "inputs": {"X": "x.npy"}}\n' >too-old.json
printf '{"op_type": "Softmax", "attributes": {"axis": {"foreach": [0, 1]}}}\n' >foreach.json
printf '<ir_version: 8, opset_import: ["" : 18]> g (float[N] x) => (float[N] y) { y = Exp (h) h = Neg (x) }\n' >unsorted.onnxtxt
printf '<ir_version: 8, opset_import: ["" : 18]> g (bool c, float[N] x) => (float[N] y) { y = If (c) <then_branch = t () => (a) { x = Neg (c) a = Neg (x) }, else_branch = e () => (d) { d = Abs (x) }> }\n' >shadow.onnxtxt
printf '{"op_type": "Relu", "inputs": {"X": "x.npy"}, "expect": {"Y": "x.npy"}}\n' >case.json
printf '<ir_version: 8, opset_import: ["" : 18]> g (float[N] x) => (float[N] y) <float[1] w = {2}> { y = Mul (x, w) z = Neg (y) }\n' >weights.onnxtxt
printf '\010\010\072\377\001abc' >cut.onnx
mkdir -p sub/tensors
cp x.npy double.npy sub/tensors
printf '\034\0\0\0TFL3\0\0\0\0' >model.tflite
mkdir -p case/test_data_set_0
: >case/model.onnx
opref check case.json --report report.json >/dev/null || exit 1
[ -s report.json ] || exit 1

# Each command of the file, what it prints and its exit code.
sed -n 's/^\$ //p' "$expected" >commands
while read -r command; do
  (eval "$command") >out 2>err </dev/null
  code=$?
  printf '$ %s\n' "$command"
  cat out err
  printf 'exit %s\n\n' $code
done <commands | sed 's/"opref": ".*"/"opref": "VERSION"/' >got
if [ "${2-}" = --print ]; then
  cat got
  exit
fi
count=$(wc -l <commands)
[ "$count" -ge 50 ] || { echo "only $count mistakes"; exit 1; }
awk '!/^\$ / && length($0) > 80 {print "over 80 columns: " $0; bad = 1} END {exit bad}' got || exit 1
diff -u "$expected" got || exit 1

# Causes by signs keep inputs of one type to one type: bits of 8 bits have no formula for operands of two types.
opref run BitwiseOr 'A=[44,23]:uint8' 'B=[130,1]:uint8' --judge '[1,2]:uint8' >/dev/null
code=$?
[ $code = 1 ] || { echo "BitwiseOr with a wrong output: exit code $code, not 1"; exit 1; }

# A terminal gets no .npy.
if command -v script >/dev/null; then
  script -qec "opref run LpPool -a kernel_shape=2 X=x.npy -o -" /dev/null >terminal </dev/null
  code=$?
  [ $code = 2 ] && grep -q 'standard output is a terminal' terminal || { echo "-o - to a terminal: exit code $code"; exit 1; }
  grep -q NUMPY terminal && { echo "-o - writes .npy to a terminal"; exit 1; }
fi
exit 0
