# What the documentation says is true: every example of --help and of the README runs, help fits 80 columns, and a new operator
# can be started as the README says.
set -u
opref=$1
failures=0
PATH=$(dirname "$opref"):$PATH
list=$(mktemp)
tree=$(mktemp -d)
made="/tmp/opref-golden /tmp/opref-golden-npy /tmp/opref-lp-pool /tmp/opref-1.json /tmp/opref-2.json /tmp/opref.html" # of the examples
rm -rf $made
trap 'rm -rf "$list" "$tree" $made' EXIT

for command in "" run infer diff show check golden explain ops report worker help; do
  opref $command --help >"$list.help" || { echo "opref $command --help fails"; failures=1; }
  sed -e ':join' -e '/ \\$/{N;s/ \\\n */ /;b join' -e '}' "$list.help" | sed -n 's/^  \$ //p' >>"$list"
  opref help $command | cmp -s - "$list.help" || { echo "opref help $command is not opref $command --help"; failures=1; }
  # A word of an example may be longer: then nothing else stands beside it.
  grep -v '^      [^ ]* *\\*$' "$list.help" | awk -v c="opref $command --help" 'length($0) > 80 {print c ": over 80 columns: " $0; bad = 1} END {exit bad}' || failures=1
  opref $command -h >"$list.help" || failures=1
  awk 'length($0) > 80 {print "over 80 columns: " $0; bad = 1} END {exit bad}' "$list.help" || failures=1
done
for topic in generators $(cd cli/help && ls *.md | sed "s/\.md$//"); do
  opref help $topic >"$list.help" || { echo "opref help $topic fails"; failures=1; }
  python3 -c 'import sys; bad = [line for line in sys.stdin if len(line) > 81 and "http" not in line]; print("".join(bad), end=""); sys.exit(bool(bad))' \
    <"$list.help" || { echo "help $topic: over 80 columns"; failures=1; }
  opref help help | grep -q "^  $topic  \|$topic,\|, $topic" || { echo "opref help help does not list $topic"; failures=1; }
done
rm -f "$list.help"
opref --version --json | grep -q '^  "compiler": "' || { echo "--version --json prints no document"; failures=1; }
# In the README and the topics, commands stand in ```sh blocks; those with ./my-backend or a folder of one's own are patterns.
awk 'FNR == 1 {on = 0} /^```sh/ {on = 1; next} /^```/ {on = 0} on' README.md cli/help/*.md | grep '^opref ' | grep -v '\./my-backend\| cases\b\| CASES\b' >>"$list"
count=$(wc -l <"$list")
[ "$count" -ge 20 ] || { echo "only $count examples"; failures=1; }
while read -r line; do
  expected=0
  case $line in *'# exit '*) expected=${line##*# exit } ;; esac
  (eval "$line") >"$tree/out" 2>&1 </dev/null
  code=$?
  [ $code = "$expected" ] || { echo "exit code $code, not $expected: $line"; cat "$tree/out"; failures=1; }
done <"$list"

# ```console blocks show commands and all that they print, where its order is the program's own; "# exit N" is the exit code.
cat >"$tree/console.py" <<'PYTHON'
import re, subprocess, sys
wrong = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        blocks = re.findall(r"^```console\n(.*?)^```", file.read(), re.M | re.S)
    for block in blocks:
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            code = int((re.findall(r"# exit (\d+)$", command) or [0])[0])
            run = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if run.returncode != code or run.stdout != shown:
                wrong = 1
                print(f"{path}: exit code {run.returncode}, not {code}, or it prints otherwise: {command}\n{run.stdout}")
sys.exit(wrong)
PYTHON
python3 "$tree/console.py" README.md cli/help/*.md || failures=1

# scripts/new-operator: what it makes compiles and is in its place
mkdir "$tree/new" && cp -r src scripts testdata .clang-format "$tree/new" || failures=1
(
  cd "$tree/new" || exit 1
  files_made="arg_max not loop optional resize"
  for operator in ArgMax Not Loop Optional Resize; do scripts/new-operator onnx $operator >/dev/null || exit 1; done
  scripts/new-operator onnx ArgMax >/dev/null 2>&1 && exit 1
  scripts/new-operator onnx ArgMean >/dev/null 2>&1 && exit 1
  scripts/new-operator openvino MaxPool 14 >/dev/null || exit 1
  grep '^X(' src/ops/operators.def | LC_ALL=C sort -c || exit 1
  grep -q '^X(onnx, ArgMax, arg_max)$' src/ops/operators.def || exit 1
  grep -q '^X(onnx, Not, not_)$' src/ops/operators.def || exit 1
  [ -e testdata/recipes/arg_max.json ] && [ -e testdata/recipes/openvino_max_pool.json ] || exit 1
  for name in $files_made; do files="${files-} src/ops/onnx/$name.cpp"; done
  "${CXX:-g++}" -std=c++20 -Isrc -Wall -Wextra -Werror -fsyntax-only $files src/ops/openvino/max_pool.cpp src/ops/operators.cpp || exit 1
  opref infer testdata/ai.onnx/ArgMax/example.json 2>&1 | grep -q "operator 'ArgMax' is not yet known" || exit 1
) || { echo "scripts/new-operator does not make what it says"; failures=1; }

[ $failures = 0 ] || exit 1
