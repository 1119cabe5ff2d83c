# SPDX-License-Identifier: Apache-2.0
# opref check --resume: what is taken over and what is judged again; runs that are ended half-way and go on.
set -u
. cli/testing.sh
cases=$source/testdata/ai.onnx/MaxUnpool
# A report without its times.
unclocked() { sed 's/"seconds": [0-9.e-]*/"seconds": 0/; s/"started": "[^"]*"/"started": ""/' "$1"; }
same_reports() { unclocked "$1" >one && unclocked "$2" >two && cmp -s one two || { wrong "$1 and $2 differ in more than times"; diff one two | cut -c 1-300 | head -n 6; }; }
# ends CODE 'line of the output' ARGUMENTS… of opref check
ends() {
  code=$1 text=$2
  shift 2
  "$opref" check "$@" >out 2>err
  got=$?
  [ $got = "$code" ] || { wrong "exit code $got, not $code: opref check $*"; cat out err | cut -c 1-300; }
  cat out err | grep -qF -- "$text" || { wrong "the output lacks '$text': opref check $*"; cat out err | cut -c 1-300; }
}

cp -r "$cases" set
one_case set/cases.json 1 >set/seed-1.json && one_case set/cases.json 4 >set/seed-2.json
for i in 1 2 3 4 5; do cp set/seed-1.json "set/case-$i.json"; done
sed 's/"expect": {\(.*\)[1-9]/"expect": {\10/' set/seed-2.json >set/a-wrong.json
all=$("$opref" check set --list | wc -l)

# a first run: no report is there yet; then all is taken over, and the report is the same
"$opref" check set --report whole.json >whole 2>err
ends $? "0 of $all cases taken over from r.json" set --resume r.json --report r.json
same_reports whole.json r.json
cp r.json first.json
ends 1 "$all of $all cases taken over from r.json" set --resume r.json --report r.json
same_reports whole.json r.json
grep -v 'taken over' out | cmp -s - whole || wrong "a resumed run says something else than a whole one"
"$opref" check set --resume r.json --json >printed.json 2>err
same_reports whole.json printed.json
ends 1 "7 cases taken over" set --resume r.json --filter 'case-|wrong|seed-1$' --report part.json
ends 1 "7 of $all cases taken over from part.json" set --resume part.json -j 3

# other files, other place
mkdir data && cp "$folder"/set/seed-1.json data && printf '{"op_type": "LpPool", "opset": 18, "attributes": {"kernel_shape": [1], "p": 1}, "source": "none",
  "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 2], "file": "x.bin"}}, "expect": {"Y": {"dtype": "float32", "data": [[[0, 0]]]}}}' >data/named.json
head -c 8 /dev/zero >data/x.bin
ends 0 '2 pass' data --report d.json
ends 0 '2 of 2 cases taken over' data --resume d.json
printf '\0\0\200\077' | dd of=data/x.bin conv=notrunc 2>/dev/null
ends 1 '1 of 2 cases taken over' data --resume d.json
grep -q '^fail named' out || wrong "a case is not judged by its changed file"
echo >>data/seed-1.json
ends 1 '0 of 2 cases taken over' data --resume d.json
mv data elsewhere
ends 1 '0 of 2 cases taken over' elsewhere --resume d.json
cp -r /usr/share/libonnx-testdata/data/node/test_maxunpool_export_without_output_shape onnx 2>/dev/null && {
  cp -r onnx/test_data_set_0 onnx/test_data_set_1
  ends 0 '2 pass' onnx --report o.json
  ends 0 '2 of 2 cases taken over' onnx --resume o.json
  touch onnx/test_data_set_1/note
  ends 0 '1 of 2 cases taken over' onnx --resume o.json
  echo >>onnx/model.onnx
  ends 1 '0 of 2 cases taken over' onnx --resume o.json
}

# outputs that lie ready are files of the case
mkdir made && cp set/seed-1.json made && "$opref" run made/seed-1.json -o outputs/seed-1/
ends 0 '1 pass' made --outputs outputs --report b.json
ends 0 '1 of 1 case taken over' made --outputs outputs --resume b.json
"$opref" run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 'X=[[[[7,2],[3,4]]]]:float32' 'I=[[[[5,7],[13,15]]]]' -o outputs/seed-1/output.npy
ends 1 '0 of 1 case taken over' made --outputs outputs --resume b.json

# what decides must be the same; another report gives nothing, with a note; what is no report is an error
note='note: nothing is taken over from r.json: its '
ends 1 "${note}rule is (none), not exact" set --resume r.json --exact
ends 1 "${note}options is (none), not --timeout 50" set --resume r.json --timeout 50
ends 1 "${note}backend is (none), not outputs outputs" set --resume r.json --outputs outputs
ends 1 "0 of $all cases taken over" set --resume r.json --exact
sed 's/"opref": "/&0./' first.json >r.json
ends 1 "${note}version of opref is 0." set --resume r.json
sed 's/"commit": "[^"]*"/"commit": "other"/' first.json >r.json
ends 1 "${note}commit of opref is other, not" set --resume r.json
sed 's/"report_format": 3/"report_format": 2/' first.json >r.json
ends 1 'note: nothing is taken over from r.json: the report has format 2' set --resume r.json
ends 3 'in set/seed-1.json' set --resume set/seed-1.json
head -c 3000 first.json >cut.json
ends 3 'line ' set --resume cut.json --report kept.json
[ -e kept.json ] && wrong "a report is written though --resume fails"
ends 6 'is a folder' set --resume set
ends 2 '--list judges nothing' set --resume r.json --list

# errors of the machine and of runners that died are judged again, other errors are not
cat >runner.sh <<'END'
echo "$1" >>asked
case $(ls "$1") in *) [ -e healthy ] || { [ "$(wc -l <asked)" = 2 ] && kill -SEGV $$; [ "$(wc -l <asked)" = 3 ] && exit 1; } ;; esac
exec "$OPREF" run "$1" -o "$2/"
END
runner='sh runner.sh {inputs} {outputs}'
export OPREF="$opref"
ends 1 '2 error' set --filter case- -j 1 --runner "$runner" --report died.json
touch healthy
: >asked
ends 1 '4 of 5 cases taken over' set --filter case- -j 1 --runner "$runner" --resume died.json
[ "$(wc -l <asked)" = 1 ] && grep -q '^error case-3: the runner ended with exit code 1' out || { wrong "another case than the one whose runner died was judged again"; cat asked out; }

# a run that is ended half-way goes on: SIGTERM writes the report, after SIGKILL the one that was kept is there
cat >slow.sh <<'END'
echo >>asked
[ -e fast ] || sleep 0.3
exec "$OPREF" run "$1" -o "$2/"
END
runner='sh slow.sh {inputs} {outputs}'
touch fast
"$opref" check set --runner "$runner" --report whole.json >whole 2>err
rm fast
resumed() {
  taken=$(grep -c '^    {"name"' half.json)
  [ "$taken" -gt 0 ] && [ "$taken" -lt "$all" ] || wrong "$1 leaves $taken of $all cases"
  grep -q '"complete": false' half.json || wrong "what $1 leaves is taken for complete"
  "$opref" report merge half.json >out 2>&1 && wrong "what $1 leaves is merged"
  : >asked
  touch fast
  ends 1 "$taken of $all cases taken over from half.json" set --runner "$runner" --resume half.json --report half.json
  [ "$(wc -l <asked)" -lt "$all" ] || wrong "after $1 all cases are judged again"
  same_reports whole.json half.json
  rm fast
}
: >asked
"$opref" check set -j 1 --runner "$runner" --resume half.json --report half.json >out 2>&1 &
while [ "$(wc -l <asked)" -lt 4 ]; do sleep 0.05; done
kill -TERM $!
wait $!
[ $? = 143 ] || wrong "SIGTERM does not end it"
resumed SIGTERM
# a resumed run that is ended before it has got as far as the one before loses nothing
cp whole.json half.json
ends 1 "keeps its $all cases" set --runner "$runner" --resume half.json --report half.json --fail-fast
same_reports whole.json half.json
rm half.json
: >asked
for i in 1 2 3 4 5 6 7 8 9; do for j in 1 2 3 4; do cp set/seed-1.json set/more-$i$j.json; done; done
all=$("$opref" check set --list | wc -l)
touch fast
"$opref" check set --runner "$runner" --report whole.json >whole 2>err
rm fast
"$opref" check set -j 1 --runner "$runner" --resume half.json --report half.json >out 2>&1 &
process=$!
for _ in $(seq 200); do [ -e half.json ] && break; sleep 0.1; done
kill -KILL $process
wait $process 2>/dev/null
[ -e half.json ] || wrong "a run that is killed leaves nothing"
resumed SIGKILL

done_testing
