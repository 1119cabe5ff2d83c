#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# opref worker: each line is answered, whatever it asks and names; only a lack of memory or descriptors ends it.
# Usage: worker_test.sh OPREF
set -u
. cli/testing.sh
# asked REQUEST ANSWER
asked() { printf '%s\n%s\n' "$1" "$2" >>asked; }
request() { printf '{"id": "%s", "model": "%s", "inputs": "in", "outputs": "%s"}' "$1" "$2" "${3:-out}"; }

mkdir in out pb
"$opref" run Constant -a 'value=[1,2]:float32' -o output=in/X.npy
"$opref" run Constant -a 'value=[3,4]:float32' -o output=pb/input_0.pb

asked "$(request 1 'Y = Add (X, X)')" '{"id": "1","status": "ok","why": ""}'
asked "$(request 2 'Y = Mystery (X)')" '{"id": "2","status": "unsupported","fault": "unsupported","why": "operator '"'Mystery'"' is not known"}'
asked "$(request 3 'Y = Add (X, Z)')" '{"id": "3","status": "error","fault": "usage","why": '
asked "$(request 4 'Y = LpPool <kernel_shape = [2]> (X)')" '{"id": "4","status": "error","fault": "invalid","why": '
asked "$(request 5 -)" '{"id": "5","status": "error","fault": "usage","why": "standard input has the requests'
asked "$(request 6 'Y = Add (X, X)' none)" '{"id": "6","status": "error","fault": "system","why": "no such folder: none"}'
asked 'no JSON' '{"id": "","status": "error","fault": "malformed","why": '
asked '[1]' '{"id": "","status": "error","fault": "malformed","why": "a request is an object'
asked '{"id": true, "model": "", "inputs": "", "outputs": ""}' '{"id": "","status": "error","fault": "malformed","why": "'"'id' is true, but must be a string or a number"'"'
asked '{"id": 1.50, "model": "Y = Add (X, X)", "inputs": "in", "outputs": "out"}' '{"id": 1.50,"status": "ok","why": ""}'
asked '{"id": 7, "model": "Y = Mystery (X)", "inputs": "in", "outputs": "out"}' '{"id": 7,"status": "unsupported",'
asked "$(head -c 3000000 /dev/zero | tr '\0' ' ')" '{"id": "","status": "error","fault": "malformed","why": '
asked '{"id": "7", "model": "Z = Add (X, X)", "inputs": "pb", "outputs": "pb"}' '{"id": "7","status": "ok","why": ""}'
asked "$(request 8 'Y = Relu (Z)')" '{"id": "8","status": "error","fault": "usage","why": "input '"'Z' (X)"' has no value'
printf '<ir_version: 8, opset_import: ["" : 14]> g (float[2] Z) => (float[2] Y) { Y = Relu (Z) }' >declared.onnxtxt
asked "$(request 9 declared.onnxtxt)" '{"id": "9","status": "error","fault": "usage","why": "Relu-14 needs the values of X'
asked "$(request 10 'Y = Add (X, X)')" '{"id": "10","status": "ok","why": ""}'
# Commands, each of which prints as if it stood alone: an error's document comes after others were printed.
asked '{"id": "11", "arguments": ["diff", "[1]:int64", "[2]:int64"]}' '{"id": "11","status": "ok","why": "","exit_code": 1,"output": "[1]:int64 differs'
asked '{"id": "12", "arguments": ["run", "Relu", "--json"]}' '{"id": "12","status": "ok","why": "","exit_code": 2,"output": "{\n  \"opref\": '
asked '{"id": "13", "arguments": ["worker"]}' '{"id": "13","status": "ok","why": "","exit_code": 0,"output": "","errors": ""}'
asked '{"id": "14", "arguments": [1]}' '{"id": "14","status": "error","fault": "malformed"'
# A request that takes too long is answered, as is the next one.
loop='Y = Loop <body = b (int64 i, bool c, float[2] v) => (bool d, float[2] w) { d = Identity (c) w = Neg (v) }> (M, , X)'
"$opref" run Constant -a 'value=9000000000000000000:int64' -o output=in/M.npy
asked "$(request 15 "$loop" | sed 's/}$/, "timeout": 0.2}/')" '{"id": "15","status": "error","fault": "system","why": "it is not evaluated within 0.2 s"}'
asked "$(request 16 "$loop")" '{"id": "16","status": "error","fault": "system","why": "it is not evaluated within 0.5 s"}'
asked "$(request 17 "$loop" | sed 's/}$/, "timeout": 0}/')" '{"id": "17","status": "error","fault": "usage","why": "'"'timeout'"' 0: it is a number of seconds'
asked '{"id": "18", "arguments": ["explain", "Softmax", "input=float32[1,100000]:normal", "--at", "[0,0]", "--timeout", "0.2"]}' '{"id": "18","status": "ok","why": "","exit_code": 6,"output": "","errors": "error: it is not explained within 0.2 s (--timeout)'
asked "$(request 19 'Y = Add (X, X)')" '{"id": "19","status": "ok","why": ""}'
asked '{"id": "23", "model": "Y = Add (X, X)", "inputs": "nowhere", "outputs": "out"}' '{"id": "23","status": "error","fault": "system","why": "no such folder: nowhere"}'
# what is no text, or ends at a NUL character
asked '{"id": 20, "arguments": ["run", "Relu", "X=[1]:float32", "-o", "-"]}' '{"id": 20,"status": "error","fault": "usage","why": "the command'"'"'s output is no text'
asked '{"id": 21, "arguments": ["help\u0000x"]}' '{"id": 21,"status": "error","fault": "malformed","why": "'"'arguments[0]' has a NUL character"'"'
asked '{"id": "22", "model": "Y = Add (X, X)", "inputs": "in\u0000x", "outputs": "out"}' '{"id": "22","status": "error","fault": "malformed","why": "'"'inputs' has a NUL character"'"'
sed -n 'p;n' asked | "$opref" worker --timeout 0.5 >answers 2>err || wrong "exit code $?: $(cat err)"
[ "$(wc -l <answers)" = 29 ] || wrong "$(wc -l <answers) answers"
sed -n 'n;p' asked >expected
while IFS= read -r expected <&3 && IFS= read -r answer <&4; do
  case $answer in "$expected"*) ;; *) wrong "$answer, not $expected" ;; esac
done 3<expected 4<answers
"$opref" run Constant -a 'value=[2,4]:float32' -o output=2x.npy
"$opref" run Constant -a 'value=[6,8]:float32' -o output=6x.npy
"$opref" diff out/output_0.pb 2x.npy >diff 2>&1 || wrong "an output: $(cat diff)"
"$opref" diff pb/output_0.pb 6x.npy >diff 2>&1 || wrong "of input_0.pb: $(cat diff)"

request 8 'Y = Add (X, X)' | "$opref" worker --npy >answers || wrong "a last line without an end"
[ "$(wc -l <answers)" = 1 ] && "$opref" diff out/output_0.npy 2x.npy >diff 2>&1 || wrong "--npy: $(cat answers diff)"
[ -z "$("$opref" worker </dev/null)" ] || wrong "no request, no answer"

# Whatever a request names, it and the next one get an answer of one line and at most 2,000 bytes.
long=$(head -c 300 /dev/zero | tr '\0' o) quotes=$(head -c 9000 /dev/zero | tr '\0' "'")
mkdir taken && mkdir taken/output_0.pb
{
  request 1 'Y = Add (X, X)' "$long"
  request 1 'Y = Add (X, X)' "$long/$long"
  request 1 'Y = Add (X, X)' /proc/self/fd
  request 1 'Y = Add (X, X)' taken
  request 1 /proc/self/mem
  request 1 "$long$long"
  request 1 "Y = Add (X, $quotes)"
  request 1 "Y = Add <$(printf '%s' "$quotes" | sed 's/./\\\\u0001/g') = 1> (X, X)"
  request "$long" 'Y = Add (X, X)'
  printf '{"id": "1", "arguments": ["run", "%s"]}' "$long"
} | sed 's/}{/}\
{/g' >named
"$opref" worker <named >answers 2>err || wrong "exit code $? of names: $(cat err)"
[ "$(wc -l <answers)" = 10 ] || wrong "$(wc -l <answers) of 10 answers"
[ "$(grep -c '"status": "error"' answers)" = 8 ] && [ "$(grep -c '"status": "unsupported"' answers)" = 1 ] ||
  wrong "names: $(cat answers)"
[ "$(wc -L <answers)" -le 2000 ] || wrong "an answer of $(wc -L <answers) bytes"

# Nothing is written through a link or into a pipe that stands under an output's name.
mkdir linked piped && echo mine >victim && ln -s ../victim linked/output_0.pb && mkfifo piped/output_0.pb
{ request 1 'Y = Add (X, X)' linked && echo && request 1 'Y = Add (X, X)' piped; } | timeout 20 "$opref" worker >answers
[ "$(grep -c '"status": "ok"' answers)" = 2 ] || wrong "links: $(cat answers)"
[ "$(cat victim)" = mine ] || wrong "a file behind a link was written"
for there in linked piped; do
  "$opref" diff $there/output_0.pb 2x.npy >diff 2>&1 || wrong "$there: $(cat diff)"
done

# Without descriptors the worker ends, for no request can be answered.
{ request 1 'Y = Add (X, X)' && echo; } >one
mkfifo requests
"$opref" worker <requests >answers 2>err &
exec 9>requests
cat one >&9
until [ -s answers ] || ! kill -0 $!; do sleep 0.05; done
prlimit --pid $! --nofile=3
cat one >&9
exec 9>&-
wait $!
code=$?
[ $code = 6 ] && [ "$(wc -l <answers)" = 1 ] || wrong "exit code $code without descriptors: $(cat answers err)"

# A full disk is that of the request's folder; standard output's own ends the worker.
answer=$(trap '' XFSZ; ulimit -f 0; exec "$opref" worker <one 2>&1) || wrong "exit code $? on a full disk"
case $answer in *'"fault": "system","why": "cannot write out/output_0.pb: File too large"}') ;; *) wrong "$answer" ;; esac
(trap '' XFSZ; ulimit -f 0; exec "$opref" worker <one 2>/dev/null) >answers
code=$?
[ $code = 6 ] || wrong "exit code $code where the answer cannot be written"
request 10 'Y = Add (X, X)' | "$opref" worker --threads 0 2>/dev/null
[ $? = 2 ] || wrong "--threads 0"

mkdir cases && printf '{"op_type": "Add", "opset": 14, "inputs": {"A": {"dtype": "float32", "data": [1]}, "B": {"dtype": "float32", "data": [2]}},
 "expect": {"C": {"dtype": "float32", "data": [%s]}}, "source": "by hand"}' 3 >cases/right.json
sed 's/"data": \[3\]/"data": [4]/' cases/right.json >cases/wrong.json
"$opref" check cases --runner "'$opref' worker" >out.txt 2>&1
[ $? = 1 ] && grep -q '^2 cases: 1 pass, 1 fail' out.txt || wrong "check: $(cat out.txt)"

done_testing
