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
"$opref" report marge "$one" 2>&1 | grep -q "did you mean 'merge'?" || { echo "no nearest action"; failures=$((failures + 1)); }

done_testing
