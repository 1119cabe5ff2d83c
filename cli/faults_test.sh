# SPDX-License-Identifier: Apache-2.0
# What the machine lacks (space, open files, threads) is exit code 6 with a sentence and no verdict on anything; signals and a
# broken standard output cost no file that was asked for, and leave none behind.
set -u
. cli/testing.sh
cases=$source/testdata/ai.onnx
mkdir tmp
export TMPDIR=$folder/tmp
wrong() {
  echo "$*"
  head -n 5 out err
  failures=$((failures + 1))
}
# within LIMITS COMMAND…: in `got` the exit code under such a limit
within() {
  limits=$1
  shift
  (eval "$limits" && exec "$@") >out 2>err
  got=$?
}
# lacking LIMITS TEXT ARGUMENTS…
lacking() {
  limits=$1 text=$2
  shift 2
  within "$limits" "$opref" "$@"
  [ $got = 6 ] || wrong "exit code $got, not 6, with $limits: opref $*"
  tr '\n' ' ' <err | sed 's/  */ /g' | cat err - | grep -qF -- "$text" || wrong "the message lacks '$text', with $limits: opref $*"
  [ -z "$(ls -A tmp)" ] || wrong "left in the temporary folder: $(ls -A tmp)"
}

printf '{"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2]},
  "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 4096], "fill": "normal"}}}' >large.json

# a file that may not grow, as on a full disk
lacking 'ulimit -f 16' 'File too large' golden large.json -o golden
[ -e golden ] && wrong "golden leaves a folder: $(ls -A golden)"
lacking 'ulimit -f 16' 'input_0.pb: File too large' check large.json --runner 'exit 0 # {inputs}'
grep -q 'in the case large' err || wrong "the case is not named"
grep -q '^1 case' out && wrong "there is a verdict"
lacking 'ulimit -f 16' 'cannot write' run LpPool -a kernel_shape=2 X=float32[1,1,4096]:normal -o y.npy
[ -n "$(ls -A . | grep y.npy)" ] && wrong "half an output is left"

# too few open files
lacking 'ulimit -n 5' 'Too many open files' golden LpPool --filter lp_pool_22_f32_1d -o golden -j 2
[ -e golden/.golden.part ] && wrong "golden leaves its scratch folder"
lacking 'ulimit -n 6' 'Too many open files' check "$cases/MaxUnpool" --filter cases --runner 'exit 0 # {inputs}'

# no threads: their stacks do not fit
none='ulimit -s 4000000 && ulimit -v 3000000'
if (eval "$none") 2>/dev/null; then
  for jobs in 1 4; do lacking "$none" 'cannot start a thread' check "$cases/MaxUnpool" --filter cases -j $jobs; done
  lacking "$none" 'cannot start a thread' check "$cases/MaxUnpool" --filter '^cases#1$' --runner 'exit 0 # {inputs}'
  within "$none" "$opref" golden large.json -o threads -j 2
  [ $got = 0 ] || wrong "golden needs threads"
  within "$none" "$opref" run large.json --threads 2
  [ $got = 0 ] || wrong "run needs threads"
fi

# a runner that has the same trouble refuses nothing
"$opref" check "$cases/MaxUnpool" --filter '^bad#25$' --runner 'exit 6 # {inputs}' >out 2>err
[ $? = 1 ] && grep -q '^1 case: 0 pass, 0 fail, 1 error' out || wrong "a runner's exit code 6 is a verdict"

# SIGTERM beside a worker that answers at once
cat >worker <<'END'
while read -r line; do
  id=${line#*\"id\": \"}
  echo "{\"id\": \"${id%%\"*}\", \"status\": \"error\", \"why\": \"no\"}"
done
END
for moment in 10 12 14 16 18 20 22 24 26 28; do
  "$opref" check "$cases" --runner 'sh worker' -j 16 >out 2>err &
  process=$!
  sleep 0.$moment
  kill -TERM $process || wrong "it has ended before SIGTERM"
  wait $process
  [ -z "$(ls -A tmp)" ] || wrong "SIGTERM leaves $(find tmp | tr '\n' ' ')"
done

# standard output that breaks loses no report
for reports in '--report report --junit junit --html html' '--report - --junit junit --html html' '--json --report report --junit junit --html html'; do
  rm -f report junit html
  { "$opref" check "$cases/MaxUnpool" --verbose $reports; echo $? >code; } 2>err | true
  [ "$(cat code)" = 141 ] || wrong "a closed pipe is exit code $(cat code): $reports"
  [ -s err ] && wrong "a closed pipe is not quiet"
  grep -q '</testsuites>' junit && grep -q '</html>' html || wrong "a report is missing after a closed pipe: $reports"
  case $reports in *"--report report"*) "$opref" report merge report >out 2>err || wrong "the report is no report" ;; esac
done
rm -f report
"$opref" check "$cases/MaxUnpool" --verbose --report report >/dev/full 2>err
[ $? = 6 ] && grep -q 'cannot write to standard output: No space left' err || wrong "a full standard output is not told"
"$opref" report merge report >out 2>err || wrong "the report is missing after a full standard output"
rm -f junit
"$opref" report merge report --junit junit >/dev/full 2>err
[ $? = 6 ] && grep -q '</testsuites>' junit || wrong "report merge loses a report with its standard output"

done_testing
