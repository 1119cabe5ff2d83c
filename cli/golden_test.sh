# SPDX-License-Identifier: Apache-2.0
# opref golden as a user meets it: same bytes from any number of workers and runs, SIGINT and resuming, --verify, must-fail cases
# through `opref run`, and messages.
set -u
opref=$1
failures=0
# Tens of thousands of small files: in memory, where there is room for them.
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
[ "${room:-0}" -lt 2000000 ] || export TMPDIR=/dev/shm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OPREF_GOLDEN_TEST="$folder"

fails() { echo "$1"; failures=1; }
# expect CODE TEXT ARGUMENTS…: the exit code, and a part of what is printed
expect() {
  code=$1 text=$2
  shift 2
  "$opref" "$@" >"$folder/out" 2>&1 </dev/null
  got=$?
  [ $got = "$code" ] || { fails "exit code $got, not $code: opref $*"; cat "$folder/out"; }
  tr '\n' ' ' <"$folder/out" | sed 's/  */ /g' | cat "$folder/out" - | grep -qF -- "$text" || { fails "opref $* does not print: $text"; cat "$folder/out"; }
}
tree() { (cd "$1" && find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum); }

# the whole shipped set: more than 2,000 cases, nothing on standard error, all accepted by check
"$opref" golden all --negative -o "$folder/all" >"$folder/out" 2>"$folder/err" || fails "golden all fails"
[ -s "$folder/err" ] && { fails "golden prints on standard error"; cat "$folder/err"; }
cases=$(sed -n 's/^\([0-9]*\) cases in .*/\1/p' "$folder/out")
[ "${cases:-0}" -gt 2000 ] || fails "only ${cases:-0} cases"
expect 0 ", 0 fail, 0 error, 0 unsupported, 0 skip" check "$folder/all" --exact

# the same SHA-256 from 1 and 2 workers
for workers in 1 2; do
  "$opref" golden LpPool Softmax openvino.ConvolutionBackpropData --negative -o "$folder/workers-$workers" -j $workers >/dev/null || fails "golden -j $workers fails"
done
[ "$(tree "$folder/workers-1")" = "$(tree "$folder/workers-2")" ] || fails "two workers make other bytes than one"

# every tenth must-fail case is refused by `opref run` with the fault and the message that it records (check has judged all)
faults="malformed=3 invalid=4 unsupported=5"
find "$folder/all" -name expect_error.json | LC_ALL=C sort >"$folder/refused"
[ "$(wc -l <"$folder/refused")" -gt 300 ] || fails "only $(wc -l <"$folder/refused") must-fail cases"
sed -n '1~10p' "$folder/refused" | while read -r error; do
  fault=$(sed -n 's/^  "fault": "\(.*\)",$/\1/p' "$error")
  message=$(sed -n 's/^  "message": "\(.*\)"$/\1/p' "$error" | sed 's/\\"/"/g; s/\\\\/\\/g')
  "$opref" run "$(dirname "$error")" --json >"$folder/out" 2>"$folder/err"
  code=$?
  case " $faults " in *" $fault=$code "*) ;; *) echo "exit code $code for $fault: $error" ;; esac
  printed=$(sed -n 's/^    "message": "\(.*\)",$/\1/p' "$folder/out" | sed 's/\\"/"/g; s/\\\\/\\/g')
  [ "$printed" = "$message" ] || { echo "not the recorded message: $error"; cat "$folder/err"; }
done >"$folder/wrong"
[ -s "$folder/wrong" ] && { fails "must-fail cases are refused otherwise"; cat "$folder/wrong"; }

# an interrupt leaves whole cases and a manifest; the same command goes on to the same bytes
"$opref" golden LpPool MaxUnpool -o "$folder/whole" >/dev/null
env --default-signal=INT "$opref" golden LpPool MaxUnpool -o "$folder/cut" -j 1 >"$folder/out" 2>&1 & # else a shell's background ignores it
process=$!
while [ "$(find "$folder/cut" -maxdepth 1 2>/dev/null | wc -l)" -lt 40 ]; do sleep 0.02; done
kill -INT $process
wait $process
code=$?
if [ $code = 130 ]; then
  grep -q 'interrupted after [0-9]* cases; the same command goes on' "$folder/out" || fails "what was interrupted is not said"
  [ -z "$(find "$folder/cut" -name '*.part')" ] || fails "an interrupt leaves unfinished files"
  [ "$(find "$folder/cut" -name model.onnx | wc -l)" = "$(find "$folder/cut" -name output_0.pb | wc -l)" ] || fails "half a case"
  expect 1 "incomplete: the run that made it was interrupted" golden --verify "$folder/cut" --hash-only
  expect 2 "--verify takes the folder alone" golden --verify "$folder/cut" --seed 3
  # what is missing is named at once, without computing the rest
  "$opref" golden --verify "$folder/cut" >"$folder/missing"
  "$opref" golden --verify "$folder/cut" --hash-only >"$folder/missing-too"
  grep -q '^missing: max_unpool' "$folder/missing" || fails "missing cases are not named"
  cmp -s "$folder/missing" "$folder/missing-too" || fails "--verify of an incomplete folder finds something else than with --hash-only"
  expect 0 "were there already" golden LpPool MaxUnpool -o "$folder/cut"
else
  fails "interrupted golden ends with $code"
fi
[ "$(tree "$folder/cut")" = "$(tree "$folder/whole")" ] || fails "a resumed run makes other bytes"

# so does one that is killed, whenever that is: nothing of it is an extra file, the same command goes on
for after in 1 20 200; do
  rm -rf "$folder/killed"
  "$opref" golden LpPool MaxUnpool -o "$folder/killed" -j 2 >"$folder/out" 2>&1 &
  process=$!
  while [ "$(find "$folder/killed" -maxdepth 1 2>/dev/null | wc -l)" -lt $after ]; do sleep 0.01; done
  kill -KILL $process
  wait $process 2>/dev/null
  if [ -e "$folder/killed/manifest.json" ]; then
    "$opref" golden --verify "$folder/killed" --hash-only >"$folder/out"
    grep -vq '^missing: \|^incomplete: ' "$folder/out" && { fails "a killed run leaves more than missing cases"; head -3 "$folder/out"; }
    mkdir -p "$folder/killed/.golden.part/0"
  fi
  expect 0 "cases in" golden LpPool MaxUnpool -o "$folder/killed"
  [ "$(tree "$folder/killed")" = "$(tree "$folder/whole")" ] || fails "a run that was killed after $after and resumed makes other bytes"
done

# a line with count, rate and time left, on a terminal only
script -qec "'$opref' golden LpPool -o '$folder/shown' -j 1" /dev/null >"$folder/out" 2>&1 </dev/null
tr '\r' '\n' <"$folder/out" | grep -q '[0-9]* of [0-9]* cases, [0-9]* per second, [0-9]* s left' || fails "no progress on a terminal"

# --verify
expect 0 "all as the manifest says, and as this opref computes them" golden --verify "$folder/whole"
case=max_unpool_9_f32_1d_k3
printf 'x' >>"$folder/whole/$case/model.onnx"
expect 1 "corrupted: $case/model.onnx" golden --verify "$folder/whole"
rm "$folder/whole/$case/model.onnx"
expect 1 "missing: $case/model.onnx" golden --verify "$folder/whole" --hash-only
touch "$folder/whole/$case/more"
expect 1 "extra: $case/more" golden --verify "$folder/whole" --hash-only
expect 0 "cases in" golden LpPool MaxUnpool -o "$folder/whole"
expect 0 "all as the manifest says" golden --verify "$folder/whole"

# a byte of the manifest
cp "$folder/whole/manifest.json" "$folder/manifest"
for change in 's/"opref": "[^"]*"/"opref": "9.9"/' 's/LpPool.recipe.json/LpPooh\/recipe.json/' 's/"negative": false/"negative": true /' \
  's/"rejected": [0-9][0-9]*/"rejected": 1/' '0,/"seed": [0-9]*/s//"seed": 5/'; do
  sed "$change" "$folder/manifest" >"$folder/whole/manifest.json"
  cmp -s "$folder/manifest" "$folder/whole/manifest.json" && fails "the manifest has nothing to change: $change"
  expect 1 "corrupted: manifest.json" golden --verify "$folder/whole" --hash-only
done
cp "$folder/manifest" "$folder/whole/manifest.json"

# recipes
recipe() { printf '%s' "$1" >"$folder/recipe.json"; }
tens='{"each": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}'
recipe "{\"op_type\": \"LpPool\", \"attributes\": {$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do printf '"a%s": %s, ' $i "$tens"; done) \"a\": $tens}}"
expect 5 "there are more than 10^19 combinations, but at most 1000000" golden "$folder/recipe.json" --list
recipe '{"op_type": "LpPool", "opset": 11, "attributes": {"kernel_shape": [2], "p": {"each": [0, -1]}},
  "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 4], "fill": "normal"}}}'
expect 4 "the specification rejects all 2 combinations, lp_pool_11_f32_1d_k2_p0 because attribute 'p' is 0" golden "$folder/recipe.json" -o "$folder/none"
expect 4 "; --negative keeps such as must-fail cases, --allow-empty leaves the folder without any" golden "$folder/recipe.json" -o "$folder/none"
[ -e "$folder/none" ] && fails "a run without a case leaves a folder"
expect 0 "0 cases in" golden "$folder/recipe.json" -o "$folder/none" --allow-empty
expect 0 "lp_pool_11_f32_1d_k2_pm1  rejected: attribute 'p' is -1" golden "$folder/recipe.json" --list
recipe '{"op_type": "LpPool", "opset": 11, "attributes": {"kernel_shape": [2], "p": {"each": [1, 0, 2, -0.0]}},
  "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 4], "fill": "normal"}}, "where": [{"attributes.p": [0.0]}]}'
expect 0 "2 cases in" golden "$folder/recipe.json" -o "$folder/two" --replace --seed 18446744073709551615
grep -q '^  "seed": 18446744073709551615,$' "$folder/two/manifest.json" || fails "the seed of 64 bits is not in the manifest"
expect 2 "--seed 18446744073709551616: it is a whole number from 0 to 18446744073709551615" golden LpPool --seed 18446744073709551616 --list
recipe '[{"op_type": "LpPool", "opset": 11}, {"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2], "p": 4},
  "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 4], "fill": "ties"}}}]'
expect 2 "in recipe 2 of $folder/recipe.json" golden "$folder/recipe.json" -o "$folder/bad"
[ -e "$folder/bad" ] && fails "a recipe that fails leaves a folder"
for text in "3 cases in $folder/few; the specification rejects 2 combinations, which --negative makes cases that must fail:" "  1 attribute 'p' is 0, but"; do
  expect 0 "$text" golden LpPool --filter '_11_[a-z0-9]*_2d_k3x2_s2x1_pad1x0x0x1_p1$|_11_f32_2d_k3x2_p0$' -o "$folder/few"
  awk 'length > 80 {bad = 1} END {exit bad}' "$folder/out" || fails "lines of more than 80 columns: $(cat "$folder/out")"
done

# shards: joined, they are what one run makes; engines say which one this is
for index in 0 1 2; do
  TEST_SHARD_INDEX=$index TEST_TOTAL_SHARDS=3 "$opref" golden LpPool --filter _22_ --shard auto -o "$folder/shard-$index" >/dev/null || fails "golden --shard fails"
done
"$opref" golden LpPool --filter _22_ -o "$folder/unsharded" >/dev/null
expect 0 " in $folder/joined" golden --merge "$folder/shard-0" "$folder/shard-1" "$folder/shard-2" -o "$folder/joined"
diff -r "$folder/unsharded" "$folder/joined" >/dev/null || fails "joined shards are not what one run makes"
expect 2 "of 3 shards, 1 is missing: 2" golden --merge "$folder/shard-0" "$folder/shard-2" -o "$folder/x"
expect 2 "holds golden cases of another request (shard is \"1/3\", not \"2/3\")" golden LpPool --filter _22_ --shard 2/3 -o "$folder/shard-0"
expect 2 "--merge takes the shards' folders alone" golden LpPool --merge "$folder/shard-0" -o "$folder/x"
expect 2 "-o DIR is missing" golden --merge "$folder/shard-0"
expect 2 "I/N with I from 1 to N" golden LpPool --shard 4/3 -o "$folder/x"

# messages
expect 2 "RECIPE is missing" golden
expect 2 "-o DIR is missing" golden LpPool
expect 2 "LpPool-18 is the only recipe, and stands without --filter: give LpPool and --filter '^lp_pool_18_…'" \
  golden LpPool-18 --filter f32 --list
for name in LpPool-18 LpPool@18 ai.onnx.LpPool-18; do
  "$opref" golden $name --list >"$folder/version"
  "$opref" golden LpPool --filter '^lp_pool_18_' --list | cmp -s - "$folder/version" && [ -s "$folder/version" ] || fails "golden $name"
done
# A folder of the operator's name does not hide it: the same command goes on.
full=$(realpath "$opref")
(cd "$folder" && "$full" golden Relu --filter f32_1d -o Relu >again-1 && "$full" golden Relu --filter f32_1d -o Relu >again-2) &&
  cmp -s "$folder/again-1" "$folder/again-2" || fails "a folder hides an operator: $(cat "$folder/again-2")"
expect 5 "no such file, and operator 'LpPol' is not known, did you mean 'LpPool'?" golden LpPol --list
expect 6 "no such file: nowhere.json" golden nowhere.json --list
expect 2 "'onx' is not a layout (onnx, npy, openvino), did you mean 'onnx'?" golden LpPool --layout onx -o "$folder/x"
expect 2 "there is no case whose name matches nothing-like-this" golden LpPool --filter nothing-like-this --list
expect 2 "  in --filter (" golden LpPool --filter '(' --list
expect 2 "holds golden cases of another request (other recipes): choose another folder, or --replace" golden MaxUnpool -o "$folder/whole"
expect 2 "the layout openvino does not hold operators of ai.onnx" golden LpPool --layout openvino -o "$folder/x"
recipe '{"op_type": "LpPool", "opset": 11, "attributes": {"kernel_shape": [2]}, "tolerance": {"ulp": 1},
  "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 4], "fill": "normal"}}}'
expect 2 "the layout onnx cannot state a tolerance: choose --layout npy" golden "$folder/recipe.json" -o "$folder/x"
expect 2 "-j 0: it is a whole number from 1" golden LpPool -j 0 -o "$folder/x"
mkdir "$folder/theirs"
echo theirs >"$folder/theirs/file"
expect 2 "is not empty, and has no manifest of golden cases" golden LpPool -o "$folder/theirs"
expect 2 "$folder/theirs has no manifest of golden cases" golden --verify "$folder/theirs"
expect 3 "this is no manifest of golden cases" golden --verify "$(echo '{}' >"$folder/theirs/manifest.json"; echo "$folder/theirs")"
expect 3 "'filter': '(' is no regular expression: missing ): (" golden --verify "$(
  mkdir "$folder/filtered" && echo '{"opref": "0.1.0", "command": "golden", "complete": true, "filter": "("}' >"$folder/filtered/manifest.json"
  echo "$folder/filtered"
)"
expect 0 " must fail: attribute 'p' is 0, but must be finite and > 0" golden LpPool --negative --filter _p0 --list
expect 0 " rejected: axis is 1, its default, but must be from -1 to 0: the rank is 1" golden Softmax --filter r1_special --list
"$opref" golden Softmax --filter r1_special --list | grep '.\{81\}' && fails "a list has lines of more than 80 columns"

[ $failures = 0 ] || exit 1
