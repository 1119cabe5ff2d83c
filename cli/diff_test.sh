# SPDX-License-Identifier: Apache-2.0
# opref diff: exit codes, what it prints, JSON, and files of every form.
set -u
. cli/testing.sh

# exits CODE ARGUMENTS…: prints into out and err
exits() {
  expected=$1
  shift
  "$opref" diff "$@" >out 2>err
  code=$?
  [ $code = "$expected" ] && return
  echo "exit code $code, not $expected: opref diff $*"; cat out err; failures=$((failures + 1))
}
# says TEXT: the last command printed that line
says() {
  { cat out err; joined err | sed 's/ $//'; } | grep -qxF -- "$1" && return
  echo "not printed: $1"; cat out err; failures=$((failures + 1))
}

# make FILE VALUES DTYPE: a tensor [1,1,3] with these values, by way of an operator that moves them
make() {
  "$opref" run MaxUnpool --opset 11 -a kernel_shape=1 "X=[[[$2]]]:$3" 'I=[[[0,1,2]]]' -o "$1" || failures=$((failures + 1))
}
make y.npy 1,2,3 float32
make y.pb 1,2,3 float32
make z.npy 1,2,3.5 float32
make d.npy 1,2,3 float64
mkdir actual expected && cp y.npy actual/ && cp y.pb expected/ && cp z.npy actual/w.npy && cp y.npy expected/w.npy

exits 0 y.npy y.pb
says 'y.npy equal'
says '  3 elements agree (exact)'
[ -s err ] && { echo "noise on stderr:"; cat err; failures=$((failures + 1)); }
exits 1 z.npy y.npy
says 'z.npy differs'
says '  1 of 3 elements differs (exact)'
says '  first [0,0,2]: actual 3.5, expected 3 (0x40600000, 0x40400000), 2097152 ULP'
exits 0 z.npy y.npy --atol 0.5
exits 1 z.npy y.npy --atol 0.49
exits 0 z.npy y.npy --atol 5
says 'warning: 3 expected numbers, most of those that are not 0, are no greater than atol: this rule cannot tell them from 0'
exits 1 '[815730752]:int64' '[815730721]:int64' --rtol 1e-3
says '  1 of 1 element differs (exact)'
exits 0 z.npy y.npy --ulp 2097152
exits 1 z.npy y.npy --ulp 2097151
exits 1 d.npy y.npy --rtol 1
says '  dtype float64, but float32 is expected, and the values are equal'
says '  --ignore-dtype compares the values'
exits 0 d.npy y.npy --ignore-dtype
exits 1 actual expected
says 'w differs'
says '2 tensors: 1 equal, 1 different'
grep -q '^y equal' out && { echo "an equal tensor is told"; failures=$((failures + 1)); }
exits 1 actual expected --verbose
says 'y equal'
rm expected/w.npy
exits 1 actual expected
says '  missing in expected'
exits 1 expected actual
says '  missing in actual'
says '2 tensors: 1 equal, 1 missing'
exits 0 - y.npy <y.npy

exits 1 z.npy y.npy --json
grep -q '"command": "diff"' out && grep -q '"equal": false' out && grep -q '"mismatches": 1' out || {
  echo "no JSON:"; cat out; failures=1
}

# Trouble is no verdict.
exits 2 y.npy
exits 2 y.npy y.pb --exact --ulp 1
exits 2 y.npy y.pb --ulp -1
exits 2 y.npy actual
exits 2 y.npy y.pb --bound accumulator=float32
exits 2 y.npy y.pb --bound
says 'error: the rule bound needs the node: opref run NODE --expect NAME=FILE --bound'
exits 2 y.npy y.pb --dtype flaot32
says "error: 'flaot32' is not a dtype, did you mean 'float32'?"
LC_ALL=C sed 's/<f4/|V1/' y.npy | head -c $(($(wc -c <y.npy) - 9)) >v1.npy
exits 2 v1.npy v1.npy
says 'error: neither file says which type of up to 8 bits it has: state it with --dtype'
exits 0 v1.npy v1.npy --dtype float8_e5m2
exits 6 y.npy none.npy
exits 6 none expected
head -c 100 y.npy >short.npy
exits 3 short.npy y.npy
exits 3 y.npy short.npy
: >empty.npz
exits 3 empty.npz empty.npz

says_part() { { cat out err; joined err; } | grep -qF -- "$1" || { echo "not said: $1"; cat out err; failures=$((failures + 1)); }; }
exits 2 y.npy y.pb z.npy
says_part "'z.npy' is one argument too many: opref diff ACTUAL EXPECTED"
exits 2 --upl
says_part "did you mean '--ulp'?"
# one file that cannot be read does not hide the others
cp z.npy expected/w.npy && cp short.npy actual/broken.npy && cp y.npy expected/broken.npy
: >actual/arrays.npz
exits 3 actual expected
says '4 tensors: 2 equal, 2 unreadable'
says_part 'in actual/broken.npy'
says_part 'actual/arrays.npz'
exits 3 actual expected --json
says_part '"w": {'
# neither a device nor a pipe: they may never end
mkfifo pipe.npy
exits 6 /dev/zero y.npy
says_part 'no regular file'
timeout 20 "$opref" diff y.npy pipe.npy >out 2>err
[ $? = 6 ] || { echo "a pipe is waited for"; failures=$((failures + 1)); }
timeout 20 "$opref" show pipe.npy >out 2>err
[ $? = 6 ] || { echo "show waits for a pipe"; failures=$((failures + 1)); }
# a sequence as a folder, beside one in a file
"$opref" run SequenceConstruct 'inputs=[1,2]:float32' 'inputs=[[3]]:float32' -o s.pb -o folder/
exits 0 s.pb folder/output_sequence
says_part '3 elements agree (exact)'
exits 0 folder/output_sequence s.pb
cp folder/output_sequence/0.npy folder/output_sequence/2.npy
exits 1 folder/output_sequence s.pb
says_part 'a sequence of length 3, but length 2 is expected'
cp folder/output_sequence/0.npy folder/output_sequence/1.npy && rm folder/output_sequence/2.npy
exits 1 folder/output_sequence s.pb
says_part 'shape [2], but [1,1] is expected in sequence element 1'
exits 2 folder s.pb
says_part 'folder is a folder, but s.pb is not'
# a .pb without a byte is no empty sequence
: >empty.pb
exits 3 empty.pb empty.pb
says_part 'the file is empty'
# an open type, with and without a type that it can have
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "{'descr': '|V1', 'fortran_order': False, 'shape': (1,), }"; printf 8; } >v1.npy
exits 2 v1.npy v1.npy
says_part 'with --dtype'
grep -q 'NAME:' err && { echo "advice that does not apply:"; cat err; failures=$((failures + 1)); }
exits 2 v1.npy v1.npy --dtype float32
exits 0 v1.npy v1.npy --dtype float8_e4m3fn
"$opref" show v1.npy >out 2>err
grep -q 'NAME:' err && { echo "advice that does not apply:"; cat err; failures=$((failures + 1)); }
# Inf against a number is the greatest error there is
make inf.npy Inf,2,4 float32
exits 1 inf.npy y.npy
says_part 'max error Inf or NaN (1 of 3 elements), of the others 1 absolute, 0.3333'

# tensors written in the command, beside files and each other
exits 0 '[1,2]:int64' '[1,2]:int64'
exits 1 y.npy '[7]:float32'
exits 0 '[1,2]:float16' '[1,2]'
exits 1 '[1,3]' '[1,2]:float16'
exits 2 '[1,3]' '[1,2]'
exits 0 '[1,2]' '[1,2]' --dtype int8
exits 6 missing.npy '[7]:float32'

# 80 columns, whatever the numbers.
make long.npy 0.1234567890123456,-1e-300,2 float64
make longer.npy 0.1234567890123457,-2e-300,3e300 float64
exits 1 long.npy longer.npy
awk 'length($0) > 80 {print "over 80 columns: " $0; bad = 1} END {exit bad}' out || failures=$((failures + 1))
exits 1 long.npy longer.npy --rtol 1e-16
awk 'length($0) > 80 {print "over 80 columns: " $0; bad = 1} END {exit bad}' out || failures=$((failures + 1))

done_testing
