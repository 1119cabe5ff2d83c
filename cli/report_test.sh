# SPDX-License-Identifier: Apache-2.0
# opref report merge: what it prints and writes, and its exit codes; a document that cannot be made leaves no file.
set -u
. cli/testing.sh
one=$source/testdata/check-report-1.json two=$source/testdata/check-report-2.json

# expect CODE TEXT ARGUMENTS…: opref report merge ARGUMENTS ends with CODE and prints TEXT
expect() {
  code=$1 text=$2
  shift 2
  "$opref" report merge "$@" >out 2>&1 </dev/null
  got=$?
  [ $got = "$code" ] || { echo "exit code $got, not $code: report merge $*"; cat out; failures=$((failures + 1)); }
  tr '\n' ' ' <out | sed 's/  */ /g' | cat out - | grep -qF -- "$text" || { echo "not said: $text: report merge $*"; cat out; failures=$((failures + 1)); }
}

expect 1 '3 cases: 1 pass, 1 fail, 0 error, 1 unsupported, 0 skip' "$one" "$two" -o all.json --junit all.xml --html all.html
grep -q '^fail groups: output ' out && grep -q '^  repeat: opref run cases/groups.json --expect-case$' out ||
  { echo "the failing case is not shown:"; cat out; failures=$((failures + 1)); }
for file in all.json all.xml all.html; do
  [ -s $file ] || { echo "$file is not written"; failures=$((failures + 1)); }
done
expect 1 '"summary"' "$two" "$one" --json
cmp -s out all.json || { echo "the order of FILEs matters"; failures=$((failures + 1)); }
expect 1 '3 cases' all.json
expect 1 '<testsuites ' all.json --junit -
grep -q '^3 cases' out && { echo "text among XML"; failures=$((failures + 1)); }
sed 's/"verdict": "fail"/"verdict": "pass"/' all.json >doubtful.json
expect 3 "'summary.pass' is 1, but of the cases it is 2" doubtful.json
sed 's/"fail": 1/"fail": 0/; s/"pass": 1/"pass": 2/' doubtful.json >passed.json
expect 0 '3 cases: 2 pass, 0 fail' passed.json
expect 1 '3 cases: 2 pass, 0 fail' passed.json --require-all

# No text of a foreign report starts a line or hides in one.
sed 's/"rule": "[^"]*",/&"description": "::error::injected\\n::warning::injected\\u001b[31m\\u202e\\n  more",/' all.json >foreign.json
expect 1 '  ::warning::injected\x1b[31m\xe2\x80\xae' foreign.json
grep -q '^::' out && { echo "a foreign report starts a line: $(grep '^::' out)"; failures=$((failures + 1)); }

expect 2 'of 2 shards, 1 is missing: 1' "$two" -o none.json
expect 2 'shard 1 of 2 is there twice' "$one" "$two" "$one"
sed 's/"all_count"/"missing": ["absent"], &/' "$one" >1.json && cp "$two" 2.json
expect 2 "case 'absent' is in no report, 1 missing in all; a shard ended early (Ctrl-C or --fail-fast?)" 1.json 2.json
expect 2 'is of another run' "$one" all.json
expect 2 'FILE is missing'
expect 2 'can stand once' "$one" "$two" --json --html -
expect 2 'two reports in one file' "$one" "$two" --html same --junit ./same
expect 3 'this is no report' "all.json" "$(dirname "$one")/seeds.json"
expect 3 'line 1' all.xml
expect 6 'no such file' none.json
sed 's/"report_format": 3/"report_format": 4/' "$one" >newer.json
expect 5 'has format 4, but this opref reads format 3' newer.json "$two"
sed 's/"report_format": 3/"report_format": 2/' "$one" >older.json
expect 5 'has format 2, of an older opref; this one reads format 3: judge the cases again' older.json "$two"
[ -e none.json ] && { echo "a refused merge left a file"; failures=$((failures + 1)); }
# compares CODE TEXT ARGUMENTS…: opref report diff ARGUMENTS
compares() {
  code=$1 text=$2
  shift 2
  ends "$code" "$text" report diff "$@"
  awk -v c="report diff $*" 'length($0) > 80 {print c ": over 80 columns: " $0; bad = 1} END {exit bad}' out || failures=$((failures + 1))
}

# all.json: the case 'groups' fails; passed.json: it passes.
compares 0 'fixed: 1 groups: fail, now pass' all.json passed.json
says 'no new failure, 1 fixed'
compares 1 'new failures: 1 groups: pass, now fail: ' passed.json all.json
grep -q '^  repeat: opref run cases/groups.json --expect-case$' out || wrong "a new failure is not shown: $(cat out)"
compares 0 'no case differs no new failure; 1 case fails as before' all.json all.json
compares 1 '"new_failure": 1' passed.json all.json --json
compares 1 '' passed.json all.json -o diff.json --junit diff.xml --html diff.html --markdown diff.md
grep -q '"change": "new_failure"' diff.json || wrong 'the JSON report does not have the change'
grep -q '<testsuites .*failures="1"' diff.xml || wrong 'JUnit has no new failure'
grep -q '| new failures | <code>groups</code> | pass, now fail: ' diff.md || wrong "Markdown: $(cat diff.md)"
grep -q '"known_failures":' diff.html || wrong 'the page does not have the changes'
compares 0 '' all.json all.json --junit diff.xml
grep -q '<testsuites .*failures="0"' diff.xml && grep -q 'skipped type="fail" message="fail, as in all.json: ' diff.xml ||
  wrong "JUnit fails by a known failure: $(cat diff.xml)"
sed 's/"opref": "[^"]*"/"opref": "0.0.1"/; s/"backend": "[^"]*"/"backend": "runner my_backend"/; s/"shards": 1,/"rule": "4 ULP", "filtered": true, &/; s/"all_sha256": "/&0/' passed.json >other.json
compares 0 'the version of opref is 0.0.1, was ' all.json other.json
for text in 'the backend is runner my_backend, was ' 'the rule is 4 ULP, was ' 'what is gone is not known'; do says "$text"; done
python3 - passed.json fewer.json <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
gone = report["cases"].pop()
report["summary"][gone["verdict"]] -= 1
json.dump(report, open(sys.argv[2], "w"))
END
compares 0 'gone: 1 ' passed.json fewer.json
compares 0 'added: 1 ' fewer.json passed.json
compares 2 '1 FILE given, but two reports are compared' all.json
compares 3 'this is no report' all.json "$source/testdata/ai.onnx/Add/cases.json"
compares 6 'no such file' all.json none.json
compares 2 'in the place of a file that is read' all.json passed.json -o all.json
expect 2 "is of another run than all.json: its version of opref is 0.0.1, not" all.json other.json
says 'opref report diff compares two runs'
ends 2 'opref report diff OLD NEW compares two' diff all.json passed.json

# check --baseline: only new failures fail.
cp "$source/testdata/ai.onnx/Add/cases.json" add.json
fails='exit 1 # {outputs}' right="$opref run {inputs} -o {outputs}/"
ends 1 '' check add.json --filter '#[23]$' --runner "$fails" --report bad.json
ends 0 'no new failure; 2 cases fail as before' check add.json --filter '#[23]$' --runner "$fails" --baseline bad.json
grep -q '^  repeat:' out && wrong "a known failure is shown in full: $(cat out)"
ends 0 '2 fixed' check add.json --filter '#[23]$' --runner "$right" --baseline bad.json --report good.json
ends 1 '2 new failures' check add.json --filter '#[23]$' --runner "$fails" --baseline good.json
grep -q '^  repeat:' out || wrong "a new failure is not shown in full: $(cat out)"
ends 1 '1 new failure; 2 cases fail as before' check add.json --filter '#[236]$' --runner "$fails" --baseline bad.json
ends 2 'in the place of a file that is read' check add.json --baseline bad.json --report bad.json
ends 6 'no such file' check add.json --baseline none.json
ends 2 'leave out backends and reports' check add.json --baseline bad.json --list

"$opref" report marge "$one" 2>&1 | grep -q "did you mean 'merge'?" || { echo "no nearest action"; failures=$((failures + 1)); }

done_testing
