# SPDX-License-Identifier: Apache-2.0
# Every official ONNX model is read without a crash; the known operators' cases pass, all others are unsupported with a reason.
# libonnx-testdata must be installed. The folder of 2026 is in OPREF_ONNX_CASES, else ../shared/onnx-backend-tests.
set -u
opref=$1
failures=0

# Cases that fail, and why:
# - dft_inverse: the published zeros are noise of float32 sums, up to 1.9e-6, where the exact values are 0
# - castlike_…: the input `like` has another shape than the model declares
# - test_PixelShuffle, test_operator_repeat…: Constant of opset 1, which takes floats alone, has integers
# - adam_multiple: the model of ONNX 1.12 leaves out epsilon; with it, as ONNX 1.23 states it, the same values pass
known="node/test_dft_inverse node/test_dft_inverse_opset19 node/test_castlike_BFLOAT16_to_FLOAT
node/test_castlike_FLOAT_to_BFLOAT16 pytorch-converted/test_PixelShuffle pytorch-operator/test_operator_repeat
pytorch-operator/test_operator_repeat_dim_overflow node/test_adam_multiple"

check() {
  folder=$1
  most_failing=$2
  expected=$(find "$folder" -type d -name 'test_data_set_*' | while read -r set; do
    [ -e "$set/../model.onnx" ] && echo x; done | wc -l)
  "$opref" check --verbose "$folder" >"$out" 2>&1
  code=$?
  tail -n 1 "$out"
  [ $code = 1 ] || { echo "exit code $code for $folder"; cat "$out"; failures=1; }
  for name in $(sed -n 's/^fail \([^:]*\):.*/\1/p' "$out"); do
    case " $(echo $known) " in
      *" $name "*) ;;
      *) grep -A8 "^fail $name:" "$out"; failures=1 ;;
    esac
  done
  tail -n 1 "$out" | grep -q "^$expected cases: [1-9][0-9]* pass, $most_failing fail, 0 error, [0-9]* unsupported, 0 skip$" ||
    { echo "not the summary of $expected cases in $folder"; failures=1; }
}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
check /usr/share/libonnx-testdata/data 6
published=${OPREF_ONNX_CASES:-../shared/onnx-backend-tests}
if [ ! -d "$published" ]; then
  echo "SKIPPED: $published is not here; set OPREF_ONNX_CASES to ONNX's published backend tests"
  [ $failures = 0 ] && exit 77
  exit 1
fi
check "$published" 2
exit $failures
