# SPDX-License-Identifier: Apache-2.0
# scripts/lab/compare-peers refuses at once, and before it installs anything, what it cannot do.
set -u
. cli/testing.sh
# refused TEXT ARGUMENTS…
refused() {
  text=$1
  shift
  python3 "$source/scripts/lab/compare-peers" "$@" >out 2>err
  is=$?
  [ $is = 2 ] || wrong "exit code $is, not 2: compare-peers $*: $(tail -n 3 err)"
  joined err | grep -qF -- "$text" || wrong "nothing says '$text': compare-peers $*: $(tail -n 3 err)"
}
refused "invalid choice: 'numpy'" --backend numpy
refused '( is no regular expression' --filter '('
refused '0 is no share: 1/N' --share 0
refused '1/0 is no share: 1/N' --share 1/0
refused 'none/page.html cannot be written' --html none/page.html
refused '. cannot be written' --html .
refused '0 is no whole number from 1 on' -j 0
refused '-3 is no whole number from 1 on' --timeout -3
refused '--pages is of all operators' --pages --filter Abs

# --pages alone is taken: only the arguments are read here.
python3 -c "import runpy, sys; path = sys.argv[1]; sys.argv = [path, '--pages']; runpy.run_path(path)['parse']()" \
  "$source/scripts/lab/compare-peers" 2>err || wrong "--pages is refused: $(tail -n 3 err)"
done_testing
