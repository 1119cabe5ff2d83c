# SPDX-License-Identifier: Apache-2.0
# opref check --runner: a program that hangs, dies, lies or floods costs its case only; no process and no file is left behind.
set -u
. cli/testing.sh
cases=$source/testdata
onnx=/usr/share/libonnx-testdata/data/node/test_maxunpool_export_without_output_shape
mkdir tmp
long=86399.$$ # seconds, by which this test knows its own processes
export TMPDIR=$folder/tmp opref folder long
nothing_left() {
  [ -z "$(ls tmp)" ] || { wrong "left in the temporary folder $1: $(ls tmp)"; rm -rf tmp/*; }
  for process in /proc/[0-9]*; do
    { tr "\0" " " <"$process/cmdline"; } 2>/dev/null | grep -q "^sleep $long" && { wrong "left a process $1"; kill -9 "${process#/proc/}"; }
  done
}

# Cases named after what the runners below do with them.
for name in a-good b-hang c-signal d-exit e-shape f-nan g-short h-missing i-flood j-unsupported k-error l-good; do
  mkdir -p tree && cp -r $onnx tree/$name
done
X='X=[[[[1,2],[3,4]]]]:float32'
I='I=[[[[5,7],[13,15]]]]'
"$opref" run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" -o good.npy || exit 1
"$opref" run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 'X=[[[[NaN,2],[3,4]]]]:float32' "$I" -o nan.npy || exit 1
"$opref" run MaxUnpool -a kernel_shape=2,2 -a strides=2,2 "$X" "$I" 'output_shape=[1,1,5,5]' -o shape.npy 2>err || exit 1
head -c 180 good.npy >short.npy

# act CASE INPUTS OUTPUTS: what all runners here do with a case of that name; the exit code is the answer.
cat >act <<'END'
  case $1 in
    *hang) sleep $long & sleep $long ;;
    *signal) kill -SEGV $$; sleep $long ;;
    *exit) printf '\033[1;31mout of order\033[m\n' >&2; echo "cannot write $3/y" >&2; exit 3 ;;
    *shape) cp "$folder/shape.npy" "$3/output_0.npy" ;;
    *nan) cp "$folder/nan.npy" "$3/output_0.npy" ;;
    *short) cp "$folder/short.npy" "$3/output_0.npy" ;;
    *missing) ;;
    *flood) yes "all work and no play" | head -c 50000000 >&2; cp "$folder/good.npy" "$3/output_0.npy" ;;
    *unsupported) echo "not this operator" >&2; exit 5 ;;
    *error) exit 1 ;;
    *) "$opref" run "$2" -o "$3/" 2>/dev/null ;;
  esac
END
{ cat act; } >command.sh
sed 's/^/  /' act >worker-body
cat >worker.sh <<'END'
field() { printf '%s' "$line" | sed "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/"; }
while read -r line; do
  id=$(field id) name=$(field id)
  set -- "$name" "$(field inputs)" "$(field outputs)"
  case $name in
    *exit | *signal | *hang) . "$folder/act" ;;
    *unsupported) echo "{\"id\": \"$id\", \"status\": \"unsupported\", \"why\": \"not this operator\"}" ;;
    *error) echo "{\"id\": \"$id\", \"status\": \"error\", \"why\": \"bad node\"}" ;;
    *garbage) echo 'Hello, I am no JSON' ;;
    *long) head -c 30000000 /dev/zero; sleep $long ;;
    *stranger) echo '{"id": "someone else", "status": "ok"}' ;;
    *status) echo "{\"id\": \"$id\", \"status\": \"fine\"}" ;;
    *closed) exec >&-; sleep $long ;;
    *) . "$folder/act"; echo "{\"id\": \"$id\", \"status\": \"ok\"}" ;;
  esac
done
END

# expected NAME 'line of the output'
expect() { grep -qF -- "$1" out || { wrong "the output lacks '$1' ($2)"; }; }
judge() {
  what=$1
  shift
  "$opref" check tree --verbose "$@" >out 2>err
  code=$?
  [ $code = 1 ] || { wrong "exit code $code, not 1 ($what)"; cat err; }
  [ -s err ] && { wrong "standard error ($what):"; cat err; }
  nothing_left "by $what"
}
common() {
  expect 'pass a-good' "$1"
  expect 'error b-hang: no answer within 5 s' "$1"
  expect 'was killed by SIGSEGV' "$1"
  expect 'ended with exit code 3' "$1"
  expect '  | out of order' "$1"
  expect '  | cannot write {outputs}/y' "$1"
  expect "fail e-shape: output 'y' differs" "$1"
  expect 'shape [1,1,5,5], but [1,1,4,4] is expected' "$1"
  expect "fail f-nan: output 'y' differs" "$1"
  expect 'actual NaN, expected 1' "$1"
  expect 'error g-short: ' "$1"
  expect "fail h-missing: output 'y' is missing" "$1"
  expect 'pass i-flood' "$1"
  expect 'unsupported j-unsupported: not this operator' "$1"
  expect 'error k-error: ' "$1"
  expect 'pass l-good' "$1"
}

command="sh $folder/command.sh \"\$OPREF_CASE\" {inputs} {outputs}"
judge "a command for each case" --runner "$command" --timeout 5 -j 1
common "a command for each case"
expect '12 cases: 3 pass, 3 fail, 5 error, 1 unsupported, 0 skip' "a command for each case"
mv out one
judge "a command for each case, -j 4" --runner "$command" --timeout 5 -j 4
cmp -s one out || { wrong "a command's verdicts depend on -j"; diff one out | head; }

for name in m-garbage n-stranger o-status p-closed q-long r-good; do cp -r $onnx tree/$name; done
judge "a worker" --runner "exec sh $folder/worker.sh" --timeout 5 -j 1
common "a worker"
expect "error m-garbage: the worker's answer is no JSON: Hello, I am no JSON" "a worker"
expect 'error n-stranger: the worker does not answer to id n-stranger: ' "a worker"
expect "error o-status: the worker's status is not ok, unsupported or error" "a worker"
expect 'error p-closed: the worker closed its standard output' "a worker"
expect "error q-long: the worker's answer has no end" "a worker"
expect 'pass r-good' "a worker"
expect '18 cases: 4 pass, 3 fail, 10 error, 1 unsupported, 0 skip' "a worker"
mv out one
judge "a worker, -j 4" --runner "exec sh $folder/worker.sh" --timeout 5 -j 4
cmp -s one out || { wrong "a worker's verdicts depend on -j"; diff one out | head; }

# a failing case is repeated alone by the command that is printed
sed -n 's/^  repeat: opref //p' out >repeat
[ "$(wc -l <repeat)" = 13 ] || wrong "not 13 commands to repeat"
grep -e e-shape -e k-error repeat | while read -r line; do
  (eval "\"$opref\" $line") >repeated 2>&1
  [ $? = 1 ] && grep -q '^1 case: 0 pass' repeated || { echo "does not fail again: $line"; cat repeated; }
done >messages
[ -s messages ] && { wrong "repeat:"; cat messages; }

# what a worker does after an answer costs no other case: each answers one case, accepts it whatever it is, and then …
for after in 'exit 0' 'exit 1' 'kill -SEGV $$' 'exec <&-; sleep 100' 'echo late; sleep 100'; do
  cat >once.sh <<END
read -r line
id=\${line#*'"id": "'} inputs=\${line#*'"inputs": "'} outputs=\${line#*'"outputs": "'}
"$opref" run "\${inputs%%'"'*}" -o "\${outputs%%'"'*}/" >/dev/null 2>&1
echo "{\"id\": \"\${id%%'"'*}\", \"status\": \"ok\"}"
sleep 0.01
$after
END
  "$opref" check "$cases/ai.onnx/MaxUnpool" --filter '^(cases#[1-6]$|bad#[67])' -j 1 --timeout 20 --runner "exec sh $folder/once.sh" --verbose >out 2>err
  grep -qE '^(pass bad|error)' out && { wrong "a worker that answers once, then: $after"; grep -E '^(pass bad|error)' out; }
  grep -c '^pass' out >number; [ "$(cat number)" -gt 2 ] || wrong "nothing passes by a worker that answers once, then: $after"
done

# what cannot start at all is trouble, not a verdict
for runner in "$folder/no-such-program" "$folder/no-such-program {inputs}" "$folder/good.npy {inputs}"; do
  "$opref" check tree --runner "$runner" >out 2>err
  [ $? = 6 ] && grep -q 'the runner cannot be started' err || { wrong "exit code is not 6: --runner $runner"; cat out err; }
  nothing_left "by $runner"
done
# a worker that always ends after it answered once is there: each other case is an error, and the reports are written
echo 'read -r line; case $line in *a-good*) echo "{\"id\": \"a-good\", \"status\": \"unsupported\"}"; read -r line ;; esac; echo no module >&2; exit 1' >once-only.sh
"$opref" check tree --verbose -j 1 --runner "exec sh $folder/once-only.sh" --report ended.json --junit ended.xml >out 2>err
[ $? = 1 ] && grep -q '^18 cases: 0 pass, 0 fail, 17 error, 1 unsupported' out && grep -q 'error b-hang: the worker ended with exit code 1' out || { wrong "a worker that ends at once"; tail -n 5 out err; }
[ -s ended.json ] && [ -s ended.xml ] || wrong "a worker that ends at once leaves no reports"
# a place in double quotes, and one that is misspelt
mkdir -p "quoted/it's a \$HOME" && cp -r tree/a-good "quoted/it's a \$HOME"
"$opref" check quoted --runner "\"$opref\" run \"{inputs}\" -o \"{outputs}/\"" >out 2>err || { wrong "places in double quotes"; cat out err; }
"$opref" check tree --runner "\"$opref\" run {modle}" >out 2>err
[ $? = 2 ] && grep -q "did you mean 'model'?" err || { wrong "a misspelt place"; tail -n 5 out err; }
# names of cases are data, however a command is written
mkdir hostile && for name in '$(touch PWNED)' '`touch PWNED`' "';touch PWNED;'" '";touch PWNED;"' '
touch PWNED
' '-n'; do cp -r tree/a-good "hostile/$name"; done
for runner in '"$opref" run {inputs} -o {outputs}/' '"$opref" run "$OPREF_INPUTS" -o "$OPREF_OUTPUTS/" # {model}' "\"\$opref\" run '{inputs}' -o \"{outputs}/\"" \
  '# don'"'"'t
  m=`dirname "{model}"`; sh -c '"'"'"$opref" run {inputs} -o {outputs}/'"'"'' 'eval "$(cat <<EOF
[ -n "\$OPREF_CASE" ] && "$opref" run {inputs} -o {outputs}/
EOF
)"'; do
  "$opref" check hostile --runner "$runner" --verbose >out 2>err && grep -q '^6 cases: 6 pass' out || { wrong "hostile names, $runner"; cat out err; }
done
[ ! -e PWNED ] || wrong "a name was executed"
"$opref" check hostile --filter n$ --runner 'printf "%s" "$OPREF_CASE" >name; exit 5 # {inputs}' >out 2>err
[ "$(cat name)" = -n ] || wrong "OPREF_CASE is '$(cat name)'"
# a folder for temporary files that a shell would read as more than one word
mkdir "it's tmp"
TMPDIR="$folder/it's tmp" "$opref" check tree --filter a-good --runner "$command" >out 2>err
[ $? = 2 ] && joined err | grep -q "{inputs} would be .*it's tmp/.*set TMPDIR to a folder" || { wrong "a TMPDIR with a blank"; cat out err; }
TMPDIR="$folder/it's tmp" "$opref" check tree --filter a-good --runner "'$opref' worker" >out 2>err || { wrong "a worker, and a TMPDIR with a blank"; cat out err; }
[ -z "$(ls "it's tmp")" ] || wrong "left in a TMPDIR with a blank: $(ls "it's tmp")"
# a backend is handed copies, beside which nothing lies that it must return
find tree -type f -exec sha256sum {} + | sort >sums
cp -r tree/a-good tree/s-second && cp -r tree/a-good/test_data_set_0 tree/s-second/test_data_set_1
cat >cheat.sh <<'END'
while read -r line; do
  inputs=${line#*'"inputs": "'} outputs=${line#*'"outputs": "'} id=${line#*'"id": "'}
  cp "${inputs%%'"'*}"/../*/output_* "${outputs%%'"'*}"
  echo >"${inputs%%'"'*}/input_0.pb"
  echo "{\"id\": \"${id%%'"'*}\", \"status\": \"ok\"}"
done 2>/dev/null
END
for runner in 'cp {inputs}/output_* {outputs}/' 'find {inputs}/.. -name "output_*" -exec cp {} {outputs}/ \;' \
  'rmdir {outputs} && ln -s {inputs} {outputs}' 'for f in {inputs}/* {model}; do echo >"$f"; done' \
  'rm -r {inputs} {model}; true {outputs}' "exec sh $folder/cheat.sh"; do
  "$opref" check tree --filter 'good|second' --runner "$runner" --timeout 5 -j 2 >out 2>err
  tail -n 1 out | grep -q '^5 cases: 0 pass' || { wrong "what is expected is in a backend's reach: $runner"; cat out err; }
done
rm -r tree/s-second
find tree -type f -exec sha256sum {} + | sort | cmp -s - sums || wrong "a backend changed a case"
# a link to what cannot be read, in the place of an output, is its case's error
"$opref" check tree --filter '^(a-good|l-good)$' --verbose --report link.json \
  --runner '[ "$OPREF_CASE" = a-good ] && exec ln -s /proc/self/mem {outputs}/output_0.pb; "$opref" run {inputs} -o {outputs}/' >out 2>err
[ $? = 1 ] && grep -q '^error a-good: cannot read output_0.pb: Input/output error' out && grep -q '^pass l-good' out && [ -s link.json ] ||
  { wrong "a link to what cannot be read"; cat out err; }
# a command that the shell cannot parse: it would refuse every case
"$opref" check "$cases/ai.onnx/MaxUnpool" --filter '^bad' --runner 'true {inputs} (' >out 2>err
[ $? = 2 ] && grep -q 'the shell cannot parse the command: sh: ' err || { wrong "a command that the shell cannot parse"; tail -n 5 out err; }
# a worker that removes the folder of its case, and one that leaves 3,000 folders in each other
deep=$(printf 'd/%.0s' $(seq 1000))
export deep
cat >folders.sh <<'END'
for answer in first second; do
  read -r line
  id=${line#*'"id": "'} outputs=${line#*'"outputs": "'}
  id=${id%%'"'*} outputs=${outputs%%'"'*}
  [ $answer = first ] || { rm -rf "${outputs%/*}"; exit 1; }
  cd "$outputs" && for i in 1 2 3; do mkdir -p "$deep" && cd -P "$deep" 2>/dev/null || break; done
  cd /
  echo "{\"id\": \"$id\", \"status\": \"unsupported\"}"
done
END
"$opref" check tree --filter '^[abc]-' --verbose -j 1 --runner "exec sh $folder/folders.sh" >out 2>err
[ $? = 1 ] && joined out | grep -q 'error b-hang: the worker ended with exit code 1, and the folder that it was handed is gone' || { wrong "a worker that removes its folder"; tail -n 5 out err; }
nothing_left "by folders in each other"
# what the machine lacks in the middle of a run leaves the reports of what was judged till then
cat >full.sh <<'END'
read -r line; id=${line#*'"id": "'}; echo "{\"id\": \"${id%%'"'*}\", \"status\": \"unsupported\"}"
read -r line; id=${line#*'"id": "'}; rm -rf "$TMPDIR"/*; echo "{\"id\": \"${id%%'"'*}\", \"status\": \"unsupported\"}"
sleep 10
END
"$opref" check tree --filter '^[abc]-' -j 1 --runner "exec sh $folder/full.sh" --report full.json --junit full.xml >out 2>err
[ $? = 6 ] && grep -q '^error: cannot write ' err && grep -q '^not complete: ' out && grep -q '^  "complete": false,' full.json && [ -s full.xml ] ||
  { wrong "a folder for temporary files that is gone"; cat out err full.json; }
# unsupported without a word
"$opref" check tree --filter a-good --runner 'exit 5 # {inputs}' >out 2>err
[ $? = 5 ] && grep -q '^unsupported 1: the runner ended with exit code 5$' out || { wrong "exit code 5 without a word"; cat out err; }
TMPDIR=$folder/missing "$opref" check tree --runner "$command" >out 2>err
[ $? = 6 ] && tr '\n' ' ' <err | grep -q "cannot make a temporary folder in .*missing: .* TMPDIR" ||
  { wrong "no temporary folder is not exit code 6"; cat err; }

# the first failing case ends the run at once, with those beside it that hang
mkdir two && cp -r tree/k-error two/a-error && cp -r tree/b-hang two/b-hang
start=$(date +%s)
"$opref" check two --fail-fast -j 2 --runner "$command" >out 2>err
[ $? = 1 ] && [ $(($(date +%s) - start)) -lt 20 ] || wrong "--fail-fast waits for cases that hang"
nothing_left "by --fail-fast"

# signals and a closed pipe: at once, nothing left
for signal in INT TERM HUP; do
  rm -f two/started
  # timeout starts it with default signals, which a shell's background processes do not have
  timeout --preserve-status -s $signal 1 "$opref" check two --filter hang --runner "$command" >out 2>err
  code=$?
  case $signal in INT) expected=130 ;; TERM) expected=143 ;; HUP) expected=129 ;; esac
  [ $code = $expected ] || wrong "exit code $code, not $expected, after SIG$signal"
  nothing_left "by SIG$signal"
  timeout --preserve-status -s $signal 1 "$opref" check two --filter hang --runner "exec sh $folder/worker.sh" >out 2>err
  [ $? = $expected ] || wrong "a worker: not $expected after SIG$signal"
  nothing_left "by SIG$signal and a worker"
done
"$opref" check "$cases/ai.onnx/MaxUnpool" --verbose -j 1 --runner "sh $folder/command.sh x {inputs} {outputs}" 2>err | head -n 1 >out
[ -s err ] && { wrong "a closed pipe is not quiet:"; cat err; }
nothing_left "by a closed pipe"

# cases in JSON reach a backend as models and layers with the same meaning; must-fail cases are to be refused
runner="\"$opref\" run {inputs} -o {outputs}/"
for operator in ai.onnx/MaxUnpool ai.onnx/LpPool openvino/GroupConvolutionBackpropData; do
  "$opref" check "$cases/$operator" --exact --runner "$runner" >out 2>err
  grep -E '^(fail|error)' out >bad
  [ -s bad ] && { wrong "opref itself as a runner fails on $operator:"; head -n 5 bad; }
  joined out | grep -q 'unsupported [0-9]*: no backend can be told its reading, which decides it: ' || wrong "no case of $operator chooses a reading"
  tail -n 1 out | grep -qE ' [0-9]{2,} pass' || { wrong "too few pass on $operator"; tail -n 3 out; }
done
# cases without expected outputs: what opref computes is expected
one_case "$cases/ai.onnx/MaxUnpool/cases.json" 1 >seed-1.json && one_case "$cases/ai.onnx/MaxUnpool/cases.json" 4 >seed-2.json
sed 's/"expect": {.*}},/"tolerance": {"exact": true},/' seed-1.json >open.json
"$opref" check open.json >out 2>err
[ $? = 5 ] || wrong "a case without expected outputs is judged"
"$opref" check open.json --runner "$runner" >out 2>err || { wrong "a backend is not judged by opref's own result"; cat out err; }

# a worker that answers none of its first three cases ends the run with its last lines; one that answered once does not
echo 'echo "no module named board" >&2; exit 1' >never.sh
for j in 1 4; do
  "$opref" check "$cases/ai.onnx/MaxUnpool" -j $j --runner "exec sh $folder/never.sh" --report never.json >out 2>err
  [ $? = 6 ] && joined err | grep -q 'the worker answered none of 3 cases: the worker ended with exit code 1; a command without {model}, {inputs} or {outputs} is a worker' && grep -q '^  | no module named board' err ||
    { wrong "a worker that never answers does not end the run (-j $j)"; tail -n 3 out; cat err; }
  [ -e never.json ] && wrong "there is a report of a worker that never answered"
done
"$opref" check seed-1.json seed-2.json --runner "exec sh $folder/never.sh" >out 2>err
[ $? = 1 ] && grep -q ' 2 error' out || { wrong "two cases without an answer are two errors"; cat out err; }
nothing_left "by a worker that never answers"

# without standard streams no pipe takes their place: a worker that accepts what must fail is told so
cat >accepts.sh <<'WORKER'
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id": *\("[^"]*"\).*/\1/')
  echo "{\"id\": $id, \"status\": \"ok\"}"
done
WORKER
"$opref" check "$cases/ai.onnx/MaxUnpool" --filter '^bad' -j 1 --runner "exec sh $folder/accepts.sh" --report closed.json <&- >&- 2>&-
grep -q '"verdict": "fail"' closed.json && ! grep -q '"verdict": "pass"' closed.json || wrong "a backend is not judged the same without standard streams"

# an interrupt: the reports say what was judged and that they are not complete
for signal in INT TERM; do
  timeout --preserve-status -s $signal 2 "$opref" check "$cases/ai.onnx/MaxUnpool" -j 2 --report part.json --markdown part.md --runner "sleep 0.3; $runner" >out 2>err
  code=$?
  [ $code = 130 ] || [ $code = 143 ] || { wrong "SIG$signal ends with $code"; tail -n 3 out; cat err; }
  grep -q '^not complete: ' out && grep -q '^  "complete": false,' part.json && grep -q '^\*\*Not complete' part.md ||
    { wrong "what was judged before SIG$signal is not told"; cat out err; }
  grep -q ' 0 error' out || { wrong "a case that SIG$signal ended is an error"; tail -n 5 out; }
  "$opref" report merge part.json >out 2>&1
  [ $? = 2 ] || { wrong "an interrupted run counts as whole"; cat out; }
  rm -f part.*
  nothing_left "by SIG$signal"
done

# what reproduces a failing backend's outputs is named
"$opref" check seed-2.json --runner "\"$opref\" run {inputs} --reading max_unpool.index_space=output -o {outputs}/" >out 2>err
[ $? = 1 ] && grep -q '^  reproduced by: reading max_unpool.index_space=output$' out || { wrong "the reading that explains a failure is not named"; cat out; }

done_testing
