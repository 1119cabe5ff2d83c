# SPDX-License-Identifier: Apache-2.0
# The seed's two examples, from every form of a node, at every version: the .npy output has the bytes of numpy.save.
set -u
. cli/testing.sh
data=/usr/share/libonnx-testdata/data/node
cases=$source/testdata/ai.onnx/MaxUnpool

# SHA-256 of what numpy 2.4.6's numpy.save writes for the published outputs.
seed_1=7fc50f2b6775ef3ab963832f86e9c8acd3bd833d6bd6f1fec68b7ef5c67df0f1
seed_2=780fba89ada993ffc3e2d48bf4bc01430d026941941537b1a26a3646fb8b3033

# gives DIGEST ARGUMENTS…
gives() {
  digest=$1
  shift
  rm -f "$folder/y.npy"
  "$opref" run "$@" -o "$folder/y.npy" 2>"$folder/err"
  if [ "$(sha256sum <"$folder/y.npy" | cut -c1-64)" != $digest ]; then
    echo "other bytes: opref run $*"; cat "$folder/err"; failures=$((failures + 1))
  fi
}

X1='X=[[[[1,2],[3,4]]]]:float32' X2='X=[[[[5,6],[7,8]]]]:float32' I='I=[[[[5,7],[13,15]]]]' O='output_shape=[1,1,5,5]'
# What follows "--" is no option, whatever it looks like.
"$opref" run --opset 22 -o "$folder/y.npy" -- "$cases/cases.json#1" 2>"$folder/err"
[ "$(sha256sum <"$folder/y.npy" | cut -c1-64)" = $seed_1 ] || { echo "other bytes after --"; failures=$((failures + 1)); }
"$opref" run -- Relu -a=[-1,2]:float32 2>"$folder/err" && { echo "-a is an option after --"; failures=$((failures + 1)); }
grep -q "'-a' is not an input here" "$folder/err" || { cat "$folder/err"; failures=$((failures + 1)); }

for opset in 9 11 22; do
  for form in json onnx folder text name; do
    case $form in
      json)
        gives $seed_1 "$cases/cases.json#1" --opset $opset
        gives $seed_2 "$cases/cases.json#4" --opset $opset ;;
      onnx)
        set1=$data/test_maxunpool_export_without_output_shape set2=$data/test_maxunpool_export_with_output_shape
        gives $seed_1 $set1/model.onnx --opset $opset xT=$set1/test_data_set_0/input_0.pb xI=$set1/test_data_set_0/input_1.pb
        gives $seed_2 $set2/model.onnx --opset $opset X=$set2/test_data_set_0/input_0.pb I=$set2/test_data_set_0/input_1.pb \
          output_shape=$set2/test_data_set_0/input_2.pb ;;
      folder)
        gives $seed_1 $data/test_maxunpool_export_without_output_shape --opset $opset
        gives $seed_2 $data/test_maxunpool_export_with_output_shape --opset $opset ;;
      text)
        gives $seed_1 'Y = MaxUnpool <kernel_shape = [2, 2], strides = [2, 2]> (X, I)' --opset $opset "$X1" "$I"
        gives $seed_2 'Y = MaxUnpool <kernel_shape = [2, 2], strides = [2, 2]> (X, I, output_shape)' --opset $opset "$X2" "$I" "$O" ;;
      name)
        gives $seed_1 MaxUnpool -a kernel_shape=2,2 -a strides=2,2 --opset $opset "$X1" "$I"
        gives $seed_2 MaxUnpool -a kernel_shape=2,2 -a strides=2,2 --opset $opset "$X2" "$I" "$O" ;;
    esac
  done
done

# the same node from standard input, and its result to standard output
one_case "$cases/cases.json" 1 | "$opref" run - -o - | sha256sum | grep -q $seed_1 || { echo "standard input and output"; failures=$((failures + 1)); }
"$opref" run - X="$data/test_maxunpool_export_without_output_shape/test_data_set_0/input_0.pb" \
  I="$data/test_maxunpool_export_without_output_shape/test_data_set_0/input_1.pb" \
  <"$data/test_maxunpool_export_without_output_shape/model.onnx" -o - | sha256sum | grep -q $seed_1 ||
  { echo "a model on standard input"; failures=$((failures + 1)); }

# --stats: what each way decided, times; --repeat: the same bytes, and the time of the others
pooled="LpPool -a kernel_shape=2 X=float32[1,2,9]:normal:7 -o -"
"$opref" run $pooled >once.npy 2>/dev/null || failures=$((failures + 1))
"$opref" run $pooled --stats --repeat 5 >repeated.npy 2>stats || failures=$((failures + 1))
cmp once.npy repeated.npy || failures=$((failures + 1))
grep -Eq '^Y: 16 elements, 16 by estimate, 0 exactly, [0-9.e-]+ ms(, repeated [0-9.e-]+ ms)$' stats &&
  grep -Eq '^inputs [0-9.e-]+ ms, evaluation [0-9.e-]+ ms, outputs [0-9.e-]+ ms$' stats || { echo "--stats:"; cat stats; failures=$((failures + 1)); }
"$opref" run $pooled --repeat 5 >/dev/null 2>stats
[ $? = 2 ] && grep -q 'error: --repeat needs --stats' stats || { echo "--repeat alone:"; cat stats; failures=$((failures + 1)); }
"$opref" run "Y, mean, deviation = LayerNormalization (X, S)" X=float32[4,9]:normal:1 'S=[2]:float32' --stats >/dev/null 2>stats || failures=$((failures + 1))
[ "$(grep -Ec '^Y: 36 elements, 36 by estimate, 0 exactly, [0-9.e-]+ ms$|^(mean|deviation): 4 elements, 4 by estimate, 0 exactly$' stats)" = 3 ] || { echo "--stats of several outputs:"; cat stats; failures=$((failures + 1)); }
"$opref" run SequenceConstruct inputs='[1,2]:float32' inputs='[[3,4,5]]:float32' --stats >/dev/null 2>stats || failures=$((failures + 1))
grep -Eq '^[a-z_]+: 2 tensors, 5 elements, [0-9.e-]+ ms$' stats || { echo "--stats of a sequence:"; cat stats; failures=$((failures + 1)); }

# what people write means the same: other names of types, an opset behind the operator's name, bytes in units
pool='-a kernel_shape=2 X=[[[1,2,4]]]'
"$opref" run LpPool --opset 11 $pool:float16 -o canonical.npy || failures=$((failures + 1))
for form in "LpPool@11 $pool:half" "ai.onnx.LpPool-11 $pool:half" "ai.onnx:LpPool@11 $pool:half" "LpPool-11 $pool:half" "LpPool-11 $pool:f16 --max-bytes 1M" "LpPool --opset 11 $pool:fp16 --max-bytes 2GiB"; do
  "$opref" run $form -o other.npy && cmp -s canonical.npy other.npy || { echo "opref run $form"; failures=$((failures + 1)); }
done
for limit in 20K 1k 1KiB 3T 1024; do
  "$opref" run LpPool $pool:f32 --max-bytes $limit >/dev/null || { echo "--max-bytes $limit"; failures=$((failures + 1)); }
done
for limit in 2GB G -1 1.5G 9999999T 2B 2iB; do
  "$opref" run LpPool $pool:f32 --max-bytes $limit >/dev/null 2>out
  [ $? = 2 ] && grep -q 'it is a number of bytes' out || { echo "--max-bytes $limit"; failures=$((failures + 1)); }
done
"$opref" run LpPool $pool:f32 --max-bytes 0K >/dev/null 2>&1
[ $? = 6 ] || { echo "--max-bytes 0K"; failures=$((failures + 1)); }

"$opref" infer Relu 'X=float32[1]' >out && grep -q "^  attributes  none$" out ||
  { echo "infer of a node without attributes:"; cat out; failures=$((failures + 1)); }
# in JSON, lists are lists
"$opref" infer LpPool --json $pool:f32 >out && tr -d ' \n' <out | grep -q '"resolved":{"strides":\[1\],"dilations":\[1\],"pads":\[0,0\]}' ||
  { echo "resolved lists:"; cat out; failures=$((failures + 1)); }

# above 1,000 elements the ends of each axis, and what is in between in three numbers
"$opref" run LpPool -a kernel_shape=1 'X=float32[1,1,1001]:iota' >out 2>/dev/null || failures=$((failures + 1))
sed 1,2d out >shown
printf 'min 0  max 1000\nNaN 0  Inf 0  -Inf 0\n[[[   0.    1.    2. ...  998.  999. 1000.]]]\n' |
  diff - shown || { echo "the summary of 1,001 elements"; failures=$((failures + 1)); }

# an optional output that is not asked for is not computed: no index names the greatest of no numbers
empty="MaxPool -a kernel_shape=1 -a pads=1,0 X=[[[5,6]]]:float32"
"$opref" run $empty -o Y=y.npy || failures=$((failures + 1))
"$opref" run $empty --expect Y=y.npy >/dev/null || failures=$((failures + 1))
"$opref" run $empty >out 2>/dev/null && ! grep -q Indices out || { echo "MaxPool prints:"; cat out; failures=$((failures + 1)); }
"$opref" run MaxPool -a kernel_shape=2 'X=[[[1,2,3]]]:float32' --expect '[[[2,3]]]' >out 2>&1 || { echo "a value without a name is Y:"; cat out; failures=$((failures + 1)); }
"$opref" run $empty -o Indices=i.npy >/dev/null 2>stats
[ $? = 4 ] && grep -q 'holds only padding, so it has no index' stats || { echo "MaxPool with Indices:"; cat stats; failures=$((failures + 1)); }

# a file without elements does not say their type
"$opref" run SequenceEmpty -a dtype=7 -o e.pb || failures=$((failures + 1))
for command in "show e.pb" "run SequenceInsert input_sequence=e.pb tensor=1:float32"; do
  "$opref" $command 2>stats >/dev/null
  tr '\n' ' ' <stats | grep -q 'e.pb: no element says of which type it is;  *it is read as sequence of float32' ||
    { echo "$command:"; cat stats; failures=$((failures + 1)); }
done
"$opref" show e.pb --dtype int64 2>&1 | grep -q '^e.pb: sequence of int64, 0 elements$' || { echo "show --dtype"; failures=$((failures + 1)); }

# outputs in every form hold the same values
"$opref" run "$cases/cases.json#1" -o y.npy -o y.pb -o all.npz -o dir/ -o output=named.npy || failures=$((failures + 1))
for file in y.npy y.pb all.npz dir/output.npy named.npy; do
  "$opref" run "$cases/cases.json#1" --expect "output=$file" >/dev/null || { echo "$file differs"; failures=$((failures + 1)); }
done
"$opref" show y.pb -o back.npy && cmp -s back.npy y.npy || { echo "show -o differs"; failures=$((failures + 1)); }

# show converts by Cast's rules: low bits, saturation with a tie to even, a truth, a plain decimal
"$opref" run Identity 'input=[465,-9.75,0.5]:float32' -o output=x.npy || failures=$((failures + 1))
for rule in 'int4 [1 7 0]' 'float4_e2m1fn [ 6.  -6.   0.5]' 'bool [ True  True  True]' "string ['465' '-9.75' '0.5']"; do
  "$opref" show x.npy --to "${rule%% *}" -o to.pb --force && "$opref" show to.pb >out
  grep -qF "${rule#* }" out || { echo "show --to $rule:"; cat out; failures=$((failures + 1)); }
done

# equal values, also of no elements; random is uniform
timeout 10 "$opref" run Neg 'X=float32[1000000000,0]:zeros' >out 2>err || { echo "zeros:"; cat err; failures=$((failures + 1)); }
"$opref" run Neg 'float32[2]:ones' | grep -qF '[-1. -1.]' || { echo "ones"; failures=$((failures + 1)); }
"$opref" run Not 'bool[2]:ones' | grep -qF '[False False]' || { echo "ones of bool"; failures=$((failures + 1)); }
for word in random:uniform rand:uniform randn:normal; do
  "$opref" run Neg "X=float32[3]:${word%:*}:7" >out && "$opref" run Neg "X=float32[3]:${word#*:}:7" | cmp -s - out ||
    { echo "$word differ"; failures=$((failures + 1)); }
done

# a file or values without a name are the next input; without a name a file is the first output
"$opref" run Sub '[5]:float32' '[3]:float32' | grep -qF '[2.]' || { echo "two values"; failures=$((failures + 1)); }
"$opref" run Sub '[3]:float32' 'A=[5]:float32' | grep -qF '[2.]' || { echo "a value beside a name"; failures=$((failures + 1)); }
"$opref" run Concat -a axis=0 '[1]:float32' '[2]:float32' '[3]:float32' | grep -qF '[1. 2. 3.]' ||
  { echo "values of a list"; failures=$((failures + 1)); }
"$opref" infer Conv 'float32[1,2,5,5]' 'float32[4,2,3,3]' | grep -qF 'float32[1,4,3,3]' || { echo "two types"; failures=$((failures + 1)); }
"$opref" run '<ir_version: 8, opset_import: ["" : 18]> g (float[1] p, float[1] q) => (float[1] y) <float[1] w = {9}>
  { t = Sub (p, q) y = Mul (t, w) }' '[5]:float32' '[3]:float32' | grep -qF '[18.]' || { echo "a model's inputs"; failures=$((failures + 1)); }
"$opref" run Neg '[1]:float32' '[2]:float32' 2>err
[ $? = 2 ] && tr '\n' ' ' <err | grep -q 'and all inputs have values' || { echo "one value too many:"; cat err; failures=$((failures + 1)); }
"$opref" run TopK '[3,1,2]:float32' '[2]' -o top.npy && "$opref" show top.npy | grep -qF '[3. 2.]' &&
  "$opref" run TopK '[3,1,2]:float32' '[2]' --expect top.npy >out || { echo "the first output"; failures=$((failures + 1)); }

# of an operator by its name what is required is written, and what is named beside it; of a node in text everything
# written NAMES ARGUMENT…: NAMES stand in the folder that -o names.
written() {
  names=$1
  shift
  rm -rf made
  "$opref" run "$@" -a kernel_shape=2 'X=[[[5,6]]]:float32' -o made/ >out 2>&1 || { cat out; failures=$((failures + 1)); }
  [ "$(ls made | tr '\n' ' ')" = "$names " ] || { echo "opref run $* writes $(ls made), not $names"; failures=$((failures + 1)); }
}
written Y.npy MaxPool
written 'Indices.npy Y.npy' MaxPool -o Indices=indices.npy
written 'Indices.npy Y.npy' MaxPool --judge 'Indices=[[[1]]]:int64'
written 'I.npy Y.npy' 'Y, I = MaxPool <kernel_shape = [2]> (X)'
"$opref" run BatchNormalization '[[1,2]]:float32' '[1,1]:float32' '[0,0]:float32' '[0,0]:float32' '[1,1]:float32' -a training_mode=1 -o trained/ &&
  [ "$(ls trained | wc -l)" = 3 ] || { echo "outputs that are given together"; failures=$((failures + 1)); }

# infer holds to what a model declares, as run does
"$opref" infer '<ir_version: 8, opset_import: ["" : 13]> g (float[2] x) => (y) { y = Neg (x) }' 'x=float32[3]' 2>err
[ $? = 4 ] && grep -q 'the graph declares float32\[2\]' err || { echo "infer:"; cat err; failures=$((failures + 1)); }

# data are moved: NaN payloads too, which the exact rule does not look at
"$opref" check --strict-nan "$cases" >out || { echo "a NaN lost its payload:"; cat out; failures=$((failures + 1)); }

# a difference is exit code 1, and says where
"$opref" run "$cases/cases.json#1" --expect 'output=[[[[0,0,0,0],[0,1,0,2],[0,0,0,0],[0,3,0,5]]]]' >out
[ $? = 1 ] && grep -q '\[0,0,3,3\]' out || { echo "a difference is not shown:"; cat out; failures=$((failures + 1)); }

done_testing
