# opref golden as a user meets it: same bytes from any number of workers and runs, SIGINT and resuming, --verify, must-fail cases
# through `opref run`, and messages.
set -u
opref=$1
failures=0
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
  grep -qF -- "$text" "$folder/out" || { fails "opref $* does not print: $text"; cat "$folder/out"; }
}
tree() { (cd "$1" && find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum); }

# the whole shipped set: more than 2,000 cases, the same SHA-256 from 1 and 2 workers, nothing on standard error
"$opref" golden all --negative -o "$folder/one" -j 1 >"$folder/out" 2>"$folder/err" || fails "golden all -j 1 fails"
[ -s "$folder/err" ] && { fails "golden prints on standard error"; cat "$folder/err"; }
"$opref" golden all --negative -o "$folder/two" -j 2 >/dev/null || fails "golden all -j 2 fails"
[ "$(tree "$folder/one")" = "$(tree "$folder/two")" ] || fails "two workers make other bytes than one"
cases=$(sed -n 's/^\([0-9]*\) cases in .*/\1/p' "$folder/out")
[ "${cases:-0}" -gt 2000 ] || fails "only ${cases:-0} cases"
expect 0 ", 0 fail, 0 error, 0 unsupported, 0 skip" check "$folder/one" --exact
echo "$(tree "$folder/one" | cut -c1-16) $cases cases"

# every must-fail case is refused by `opref run` with the fault and the message that it records
faults="malformed=3 invalid=4 unsupported=5"
find "$folder/one" -name expect_error.json | LC_ALL=C sort >"$folder/refused"
[ "$(wc -l <"$folder/refused")" -gt 300 ] || fails "only $(wc -l <"$folder/refused") must-fail cases"
while read -r error; do
  fault=$(sed -n 's/^  "fault": "\(.*\)",$/\1/p' "$error")
  message=$(sed -n 's/^  "message": "\(.*\)"$/\1/p' "$error" | sed 's/\\"/"/g; s/\\\\/\\/g')
  "$opref" run "$(dirname "$error")" >/dev/null 2>"$folder/err"
  code=$?
  case " $faults " in *" $fault=$code "*) ;; *) fails "exit code $code for $fault: $error" ;; esac
  [ "$(sed -n '1s/^error: //p' "$folder/err")" = "$message" ] || { fails "not the recorded message: $error"; cat "$folder/err"; }
done <"$folder/refused"

# an interrupt leaves whole cases and a manifest; the same command goes on to the same bytes
"$opref" golden LpPool MaxUnpool -o "$folder/whole" >/dev/null
"$opref" golden LpPool MaxUnpool -o "$folder/cut" -j 1 >"$folder/out" 2>&1 &
process=$!
while [ "$(find "$folder/cut" -maxdepth 1 2>/dev/null | wc -l)" -lt 40 ]; do sleep 0.02; done
kill -TERM $process # shells start background processes with SIGINT ignored
wait $process
code=$?
if [ $code = 143 ]; then
  grep -q 'interrupted after [0-9]* cases; the same command goes on' "$folder/out" || fails "what was interrupted is not said"
  [ -z "$(find "$folder/cut" -name '*.part')" ] || fails "an interrupt leaves unfinished files"
  [ "$(find "$folder/cut" -name model.onnx | wc -l)" = "$(find "$folder/cut" -name output_0.pb | wc -l)" ] || fails "half a case"
  expect 1 "incomplete: the run that made it was interrupted" golden --verify "$folder/cut" --hash-only
  expect 0 "were there already" golden LpPool MaxUnpool -o "$folder/cut"
else
  fails "interrupted golden ends with $code"
fi
[ "$(tree "$folder/cut")" = "$(tree "$folder/whole")" ] || fails "a resumed run makes other bytes"

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

# messages
expect 2 "RECIPE is missing" golden
expect 2 "-o DIR is missing" golden LpPool
expect 5 "no such file, and operator 'LpPol' is not known, did you mean 'LpPool'?" golden LpPol --list
expect 6 "no such file: nowhere.json" golden nowhere.json --list
expect 2 "'onx' is not a layout (onnx, npy, openvino), did you mean 'onnx'?" golden LpPool --layout onx -o "$folder/x"
expect 2 "there is no case whose name matches nothing-like-this" golden LpPool --filter nothing-like-this --list
expect 2 "--filter (: this is no regular expression" golden LpPool --filter '(' --list
expect 2 "holds golden cases of another request (other recipes)" golden MaxUnpool -o "$folder/whole"
expect 2 "the layout openvino does not hold operators of ai.onnx" golden LpPool --layout openvino -o "$folder/x"
expect 2 "-j 0: it is a whole number from 1" golden LpPool -j 0 -o "$folder/x"
mkdir "$folder/theirs"
echo theirs >"$folder/theirs/file"
expect 2 "is not empty, and has no manifest of golden cases" golden LpPool -o "$folder/theirs"
expect 6 "no such file: $folder/theirs/manifest.json" golden --verify "$folder/theirs"
expect 3 "this is no manifest of golden cases" golden --verify "$(echo '{}' >"$folder/theirs/manifest.json"; echo "$folder/theirs")"
expect 0 "  must fail: attribute 'p' is 0, but must be finite and > 0" golden LpPool --negative --filter _p0 --list

[ $failures = 0 ] || exit 1
