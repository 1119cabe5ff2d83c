# SPDX-License-Identifier: Apache-2.0
# The script that CI systems run: cases and options a line each, reports, the summary, the exit code.
set -u
opref=$1
PATH=$(cd "$(dirname "$opref")" && pwd):$PATH
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
complain() { echo "$1"; failures=1; }

mkdir "$tree/my cases" "$tree/others"
cp -r testdata/ai.onnx/Add "$tree/my cases"
cp -r testdata/ai.onnx/Sub "$tree/others"
export GITHUB_STEP_SUMMARY="$tree/summary" OPREF_REPORTS="$tree/reports"
export OPREF_CASES="$tree/my cases
$tree/others"
OPREF_RUNNER='opref run {inputs} -o {outputs}/' OPREF_OPTIONS='--filter=cases#[1-3]$' scripts/action/check >"$tree/log" ||
  complain "a backend that is right fails: $(cat "$tree/log")"
grep -q '^[1-9][0-9]* cases: .* 0 fail' "$tree/log" || complain "cases are not counted: $(cat "$tree/log")"
for report in report.json junit.xml page.html summary.md; do
  [ -s "$tree/reports/$report" ] || complain "there is no $report"
done
cmp -s "$tree/summary" "$tree/reports/summary.md" || complain "the summary of the step is not the report's"
OPREF_RUNNER='exit 1 # {outputs}' OPREF_OPTIONS='--filter=cases#1$' scripts/action/check >/dev/null 2>&1
[ $? = 1 ] || complain "a backend that fails does not end with 1"
exit $failures
