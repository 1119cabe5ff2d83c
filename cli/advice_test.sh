# SPDX-License-Identifier: Apache-2.0
# Each kind of error of `check` says what it means and what to do: in text, Markdown, JUnit and on the page.
set -u
. cli/testing.sh
mkdir good bad
echo '{"op_type": "Relu", "inputs": {"X": {"dtype": "float32", "data": [1, -2]}}, "source": "by hand",
  "expect": {"Y": {"dtype": "float32", "data": [1, 0]}}}' >good/relu.json
echo '{"op_type": "Relu", "inputs": {"X": {"dtype": "float32", "data": [1, -2]}}, "attributes": {"alpha": 1.0},
  "expect_error": {"fault": "invalid", "message": "alpha"}, "source": "by hand"}' >bad/relu.json
"$opref" run Identity 'input=[[1,0]]:float32' -o wide.npy
"$opref" run Identity 'input=[1,0]:float32' -o right.npy
# advises VERDICT 'how the advice begins' ARGUMENTS… of opref check: one case has this verdict and this advice
advises() {
  verdict=$1 text=$2
  shift 2
  "$opref" check "$@" --report got.json --html got.html --junit got.xml --markdown got.md >out 2>err
  grep -qF "\"verdict\": \"$verdict\"" got.json && grep -qF "\"advice\": \"$text" got.json || { wrong "no advice '$text', $verdict: opref check $*: $(cat out err; grep '"advice"' got.json)"; return; }
  grep -qF "$text" got.html || wrong "the page does not say '$text'"
  [ "$verdict" = unsupported ] && return
  grep -qF "\"meaning\": \"$text" got.json || wrong "the cause '$text' has no meaning"
  joined out | grep -qF "$text" || wrong "the text does not say '$text': $(cat out)"
  grep -qF "$text" got.xml || wrong "JUnit does not say '$text'"
  grep '^| 1 |' got.md | grep -qF "<br>$(echo "$text" | cut -d' ' -f1-4)" || wrong "Markdown does not say '$text': $(cat got.md)"
}

# --- a backend that does not answer as it should
advises error "A signal ended the backend's process" good --runner 'kill -9 $$ # {inputs}'
advises error 'The backend did not answer within the time limit' good --timeout 0.5 --runner 'sleep 20 # {inputs}'
advises error 'The backend says that its machine was at fault' good --runner 'exit 6 # {inputs}'
advises error 'The backend says that it met a bug of its own' good --runner 'exit 70 # {inputs}'
advises error 'A worker must answer each line' good --runner cat
advises error 'The case is valid, but the backend refuses it' good --runner 'exit 1 # {inputs}'
advises unsupported 'The backend says that it does not support the case' good --runner 'exit 5 # {inputs}'
mkdir elsewhere
advises fail 'The folder of --outputs has no output of the case' good --outputs elsewhere
# --- or whose outputs are not there, or not what they should be
advises fail 'The backend reports success, but an output is not there' good --runner 'true {outputs}'
advises fail 'There are more files than outputs' good --runner "cp $folder/right.npy {outputs}/output_0.npy; cp $folder/right.npy {outputs}/output_1.npy"
advises error 'The backend wrote a file that does not hold what its name says' good --runner 'echo 1 0 >{outputs}/output_0.npy'
advises fail 'No values were compared' good --runner "cp $folder/wide.npy {outputs}/output_0.npy"
grep -qF "\"cause\": \"output 'Y' has another type or shape\"" got.json || wrong "a wrong shape is counted by $(grep '"cause"' got.json)"
# --- or that are random
mkdir random
echo '{"op_type": "RandomUniform", "attributes": {"shape": [2], "low": 3.0, "high": 4.0}, "source": "by hand"}' >random/uniform.json
advises fail 'The outputs are random' random --runner "cp $folder/right.npy {outputs}/output_0.npy"
# --- of a case that must be refused
advises fail 'The specification forbids this node' bad --runner 'true {outputs}'
advises fail 'A backend that refuses a case must leave no output' bad --runner "cp $folder/right.npy {outputs}/output_0.npy; exit 4"

# --- opref's own
mkdir refused unreadable unknown large
sed 's/"source"/"attributes": {"alpha": 1.0}, "source"/; /"expect"/d' good/relu.json | sed '$s/, *$/}/' >refused/relu.json
advises error 'opref refuses the case itself' refused --runner 'true {outputs}'
echo '{"op_type": "Relu"' >unreadable/relu.json
advises error 'opref cannot read the case' unreadable
echo '{"op_type": "Relo", "inputs": {"X": {"dtype": "float32", "data": [1, -2]}}, "source": "by hand"}' >unknown/relu.json
advises unsupported 'opref does not support the case' unknown --runner 'true {outputs}'
advises error 'opref itself needs more memory for the case' good --max-bytes 4
echo '{"op_type": "MatMul", "inputs": {"A": {"dtype": "float64", "shape": [2000, 2000], "fill": "normal"},
  "B": {"dtype": "float64", "shape": [2000, 2000], "fill": "normal"}}, "source": "none"}' >large/matmul.json
advises error 'opref itself needs more time for the case' large --timeout 0.1 --runner 'true {outputs}'

# --- what passes has none, and a wrong value has its causes in place of it
"$opref" check good --runner "cp $folder/right.npy {outputs}/output_0.npy" --report got.json >out || wrong "a right output does not pass"
! grep -q '"advice"' got.json || wrong "advice for what passes"
"$opref" check good --runner "$opref run Identity 'input=[5,7]:float32' -o {outputs}/output_0.npy" --report got.json >out
! grep -q '"advice"' got.json || wrong "advice for a wrong value"
done_testing
