# SPDX-License-Identifier: Apache-2.0
# Every official ONNX model is read without a crash; the known operators' cases pass, all others are unsupported with a reason.
# libonnx-testdata must be installed. The folder of 2026 is in OPREF_ONNX_CASES, else ../shared/onnx-backend-tests.
set -u
opref=$1
failures=0

check() {
  folder=$1
  expected=$(find "$folder" -type d -name 'test_data_set_*' | while read -r set; do
    [ -e "$set/../model.onnx" ] && echo x; done | wc -l)
  "$opref" check "$folder" >"$out" 2>&1
  code=$?
  tail -n 1 "$out"
  [ $code = 0 ] || { echo "exit code $code for $folder"; cat "$out"; failures=1; }
  tail -n 1 "$out" | grep -q "^$expected cases: [1-9][0-9]* pass, 0 fail, 0 error, [0-9]* unsupported, 0 skip$" ||
    { echo "not the summary of $expected cases in $folder"; failures=1; }
}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
check /usr/share/libonnx-testdata/data
published=${OPREF_ONNX_CASES:-../shared/onnx-backend-tests}
if [ ! -d "$published" ]; then
  echo "SKIPPED: $published is not here; set OPREF_ONNX_CASES to ONNX's published backend tests"
  [ $failures = 0 ] && exit 77
  exit 1
fi
check "$published"
exit $failures
