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

# A baseline: what failed before does not fail the job, what is new does; a file that is not there is none.
fails='exit 1 # {outputs}'
export OPREF_OPTIONS='--filter=cases#[12]$'
OPREF_RUNNER=$fails OPREF_BASELINE="$tree/none.json" scripts/action/check >/dev/null 2>"$tree/log"
[ $? = 1 ] && grep -q '^no baseline yet' "$tree/log" || complain "without a baseline: $(cat "$tree/log")"
cp "$tree/reports/report.json" "$tree/baseline.json"
: >"$tree/summary"
OPREF_RUNNER=$fails OPREF_BASELINE="$tree/baseline.json" scripts/action/check >"$tree/log" 2>&1 ||
  complain "known failures fail the job: $(cat "$tree/log")"
grep -q 'no new failure; 2 cases fail as before' "$tree/log" || complain "known failures are not counted: $(cat "$tree/log")"
grep -q '### Compared with' "$tree/summary" || complain "the summary does not compare"
OPREF_RUNNER='opref run {inputs} -o {outputs}/' scripts/action/check >/dev/null 2>&1
cp "$tree/reports/report.json" "$tree/baseline.json"
OPREF_RUNNER=$fails OPREF_BASELINE="$tree/baseline.json" scripts/action/check >"$tree/log" 2>&1
[ $? = 1 ] && grep -q '^2 new failures$' "$tree/log" || complain "new failures: $(cat "$tree/log")"

# Which wheel is installed: python3 and pip are such as print their last argument.
mkdir "$tree/bin" "$tree/wheels" "$tree/foreign"
cat >"$tree/bin/python3" <<'STUB'
#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\necho "$3" >&2\n' >"$3/bin/pip"
chmod +x "$3/bin/pip"
STUB
chmod +x "$tree/bin/python3"
installs() { PATH="$tree/bin:$PATH" OPREF_PACKAGE=$1 scripts/action/install "$tree/venv" 2>&1; }
own=$(uname -m)
case $own in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
touch "$tree/wheels/opref-1-py3-none-manylinux2014_$own.whl" "$tree/wheels/opref-1-py3-none-manylinux2014_$other.whl" \
  "$tree/foreign/opref-1-py3-none-manylinux2014_$other.whl"
expect_install() { # PACKAGE PRINTED
  printed=$(installs "$1")
  [ "$(echo "$printed" | head -1)" = "$2" ] || complain "OPREF_PACKAGE=$1: $printed"
}
expect_install "$tree/wheels" "$tree/wheels/opref-1-py3-none-manylinux2014_$own.whl"
expect_install "$tree/wheels/opref-1-py3-none-manylinux2014_{arch}.whl" "$tree/wheels/opref-1-py3-none-manylinux2014_$own.whl"
expect_install "https://example.org/opref-1_{arch}.whl" "https://example.org/opref-1_$own.whl"
expect_install opref opref
expect_install "$tree/foreign" "opref: $tree/foreign has no wheel for $own, the processor of this machine"
expect_install "https://example.org/opref-1_$other.whl" \
  "opref: https://example.org/opref-1_$other.whl is for another processor than this machine's, $own"
exit $failures
