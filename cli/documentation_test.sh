# SPDX-License-Identifier: Apache-2.0
# What the documentation says is true: help fits 80 columns and lists its pages, one of them has all operators, and a
# new operator can be started as `opref help contributing` says. What examples print: examples_test.py.
set -u
opref=$1
failures=0
PATH=$(dirname "$opref"):$PATH
tree=$(mktemp -d)
list=$tree/list
trap 'rm -rf "$tree"' EXIT

for command in "" run infer diff show check golden explain bisect extract ops report completion worker help; do
  opref $command --help >"$list.help" || { echo "opref $command --help fails"; failures=1; }
  opref help $command | cmp -s - "$list.help" || { echo "opref help $command is not opref $command --help"; failures=1; }
  # A word of an example may be longer: then nothing else stands beside it.
  grep -v '^      [^ ]* *\\*$' "$list.help" | awk -v c="opref $command --help" 'length($0) > 80 {print c ": over 80 columns: " $0; bad = 1} END {exit bad}' || failures=1
  opref $command -h >"$list.help" || failures=1
  awk 'length($0) > 80 {print "over 80 columns: " $0; bad = 1} END {exit bad}' "$list.help" || failures=1
done
for topic in generators schema report-schema document-schema manifest-schema $(ls cli/help | sed -n 's/\.md$//p'); do
  opref help $topic >"$list.help" || { echo "opref help $topic fails"; failures=1; }
  [ $topic != operators ] || sed -i '/^|/d' "$list.help" # a table that is wide
  python3 -c 'import sys; bad = [line for line in sys.stdin if len(line) > 81 and "http" not in line and sys.argv[1][-6:] != "schema"]; print("".join(bad), end=""); sys.exit(bool(bad))' \
    $topic <"$list.help" || { echo "help $topic: over 80 columns"; failures=1; }
  for list_of_topics in "" "-h" "help"; do
    opref help $list_of_topics | grep -Eq "^  $topic(  |$)" || { echo "opref help $list_of_topics does not list $topic"; failures=1; }
  done
done
rm -f "$list.help"
[ "$(opref help LpPool-11)" = "$(opref ops LpPool-11)" ] || { echo "opref help LpPool-11 is not opref ops LpPool-11"; failures=1; }
opref --version --json | grep -q '^  "compiler": "' || { echo "--version --json prints no document"; failures=1; }
awk -v version="$(opref --version | sed -n 's/^opref //p')" \
  '/^## / {exit !($2 == version && $3 ~ /^\(20[0-9][0-9]-[01][0-9]-[0-3][0-9]\)$/)}' cli/help/changelog.md || {
  echo "the changelog does not begin with this version and its day"
  failures=1
}
opref ops --markdown | diff cli/help/operators.md - || { echo "cli/help/operators.md is not what opref ops --markdown prints"; failures=1; }

# scripts/new-operator: what it makes compiles and is in its place
mkdir "$tree/new" && cp -r src cli scripts testdata .clang-format "$tree/new" || failures=1
(
  cd "$tree/new" || exit 1
  files_made="arg_max not loop optional resize"
  for name in $files_made; do rm src/ops/onnx/$name.cpp; done
  rm -r src/ops/openvino/max_pool.cpp testdata/openvino/MaxPool
  for operator in ArgMax Not Loop Optional Resize; do rm -r testdata/ai.onnx/$operator; done
  sed -i -E '/^X\(onnx, (ArgMax|Not|Loop|Optional|Resize),|^X\(openvino, MaxPool,/d' src/ops/operators.def
  for operator in ArgMax Not Loop Optional Resize; do scripts/new-operator onnx $operator >/dev/null || exit 1; done
  scripts/new-operator onnx ArgMax >/dev/null 2>&1 && exit 1
  scripts/new-operator onnx ArgMean >/dev/null 2>&1 && exit 1
  scripts/new-operator openvino MaxPool >/dev/null || exit 1
  scripts/new-operator nowhere MaxPool >/dev/null 2>&1 && exit 1
  rm -rf src/ops/onnx_ml/binarizer.cpp src/ops/microsoft/quick_gelu.cpp testdata/ai.onnx.ml/Binarizer testdata/com.microsoft/QuickGelu
  sed -i '/^X(onnx_ml, Binarizer,/d; /^X(microsoft, QuickGelu,/d' src/ops/operators.def
  scripts/new-operator --evaluator elementwise ai.onnx.ml Binarizer >/dev/null || exit 1
  scripts/new-operator --evaluator elementwise com.microsoft QuickGelu >/dev/null || exit 1
  while read -r evaluator operator file; do
    rm -r "src/ops/onnx/$file.cpp" "testdata/ai.onnx/$operator" || exit 1
    sed -i "/^X(onnx, $operator,/d" src/ops/operators.def
    scripts/new-operator --evaluator "$evaluator" onnx "$operator" >/dev/null || exit 1
    files_made="$files_made $file"
  done <<END
elementwise IsNaN is_nan
sum MatMul mat_mul
real LayerNormalization layer_normalization
move Gather gather
select TopK top_k
END
  rm src/ops/onnx/where.cpp
  scripts/new-operator --evaluator elementwise onnx Where >/dev/null 2>&1 && exit 1
  scripts/new-operator --evaluator product onnx Gelu >/dev/null 2>&1 && exit 1
  [ "$(grep -c '^      .version(24, adds("T", DType::bfloat16))$' src/ops/onnx/top_k.cpp)" = 1 ] || exit 1
  grep '^X(onnx,' src/ops/operators.def | LC_ALL=C sort -c || exit 1
  [ "$(sed -n 's/^X(\([a-z_]*\),.*/\1/p' src/ops/operators.def | uniq | paste -s -d' ')" = "$(sed -n 's/^X(\([a-z_]*\),.*/\1/p' src/schema/domains.def | paste -s -d' ')" ] || exit 1
  grep -q '^X(onnx, ArgMax, arg_max)$' src/ops/operators.def || exit 1
  grep -q '^X(onnx, Not, not_)$' src/ops/operators.def || exit 1
  [ -e testdata/ai.onnx/ArgMax/recipe.json ] && [ -e testdata/openvino/MaxPool/recipe.json ] || exit 1
  [ -e testdata/ai.onnx/ArgMax/bad.json ] && [ -e testdata/openvino/MaxPool/bad.json ] || exit 1
  # Inputs of further types, any number of inputs, inputs whose values the rules ask for: opref takes each recipe.
  while read -r operator file; do
    rm -r "src/ops/onnx/$file.cpp" "testdata/ai.onnx/$operator" || exit 1
    sed -i "/^X(onnx, $operator,/d" src/ops/operators.def
    scripts/new-operator onnx "$operator" >/dev/null || exit 1
    opref golden "testdata/ai.onnx/$operator/recipe.json" --list >/dev/null || exit 1
    files_made="$files_made $file"
  done <<END
Attention attention
CastLike cast_like
Concat concat
Scan scan
SequenceInsert sequence_insert
Split split
Upsample upsample
END
  [ "$(grep -c '^      .version(21, adds({"T1", "T2"}, types::int4s))$' src/ops/onnx/cast_like.cpp)" = 1 ] || exit 1
  rm src/ops/onnx/sum.cpp
  scripts/new-operator --evaluator elementwise onnx Sum 2>&1 | grep -q 'Sum takes any number of inputs' || exit 1
  for name in $files_made; do files="${files-} src/ops/onnx/$name.cpp"; done
  "${CXX:-g++}" -std=c++20 -Isrc -Wall -Wextra -Werror -fsyntax-only $files src/ops/openvino/max_pool.cpp src/ops/onnx_ml/binarizer.cpp src/ops/microsoft/quick_gelu.cpp \
    src/ops/operators.cpp || exit 1
) || { echo "scripts/new-operator does not make what it says"; failures=1; }

# scripts/check-operator: runs what is of an operator, and says what it has no data for
says() { printf '%s\n' "$found" | grep -q "$1" || { echo "check-operator does not say '$1':"; echo "$found"; failures=1; }; }
build=$(dirname "$(command -v opref)")
found=$(scripts/check-operator TopK --build "$build") || { echo "check-operator fails: $found"; failures=1; }
says '^cases: [1-9][0-9]* cases: [1-9][0-9]* pass, 0 fail'
says '^golden, computed again: '
(
  cd "$tree/new" || exit 1
  find testdata/ai.onnx/Softsign -name "*.json" ! -name recipe.json -delete
  mkdir -p testdata/ai.onnx/Softsign
  cat >testdata/ai.onnx/Softsign/cases.json <<'END'
[{"op_type": "Softsign", "opset": 22, "inputs": {"input": {"dtype": "float32", "data": [1]}}, "expect": {"output": {"dtype": "float32", "data": [1]}}, "source": "wrong"}]
END
)
found=$("$tree/new/scripts/check-operator" Softsign --build "$build") && { echo "check-operator passes a wrong case"; failures=1; }
says '^cases: FAILED, exit code 1$'
says '^missing: a case of version 1 in testdata/ai.onnx/Softsign$'
says '^missing: a case that must be refused, in testdata/ai.onnx/Softsign/bad.json$'

[ $failures = 0 ] || exit 1
