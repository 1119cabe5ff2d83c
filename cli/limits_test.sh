#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of memory, of what is written and of time; what is kept. Usage: limits_test.sh OPREF
set -u
. cli/testing.sh
# ends CODE TEXT ARGUMENT…: the command ends with CODE and says TEXT
ends() {
  code=$1
  text=$2
  shift 2
  timeout 60 "$opref" "$@" >out 2>&1
  ended=$?
  [ $ended = "$code" ] || wrong "exit $ended instead of $code: $*"
  [ -z "$text" ] || tr -s '\n ' '  ' <out | grep -qF -- "$text" || { wrong "$* does not say '$text'"; head -c 1000 out; }
}

# What -o writes has a limit of its own: ten times --max-bytes.
seq='g () => (seq(float) s) { w = ConstantOfShape (n) s = SequenceConstruct (w, w, w, w, w, w, w, w, w, w, w, w) }'
echo "<ir_version: 8, opset_import: [\"\" : 16]> $seq" | sed 's/{/{ n = Constant <value_ints = [1000000]> ()/' >s.onnxtxt
ends 6 'the outputs take 48001536 bytes in files, but the limit is 48000000 (--max-written)' run s.onnxtxt -o o/ --max-written 48000000
[ -e o ] && wrong 'something is written'
ends 0 '' run s.onnxtxt -o o/ --max-bytes 16M --max-written 48001536
ends 0 '' run s.onnxtxt -o s.pb --max-bytes 16M
ends 6 'the limit is 300' run s.onnxtxt -o o/ --max-bytes 300
ends 2 '--max-written x: it is a number of bytes' run s.onnxtxt --max-written x
ends 6 '(--max-written)' run 'y = Cast <to = 8> (x)' 'x=[1]:int64' -o y.npy --max-written 100

# A sequence of one tensor is hashed once, and of a long one only the first thousand are printed.
awk 'BEGIN { for (i = 0; i < 20000; ++i) printf "%sw", i ? ", " : ""; }' >names
echo "<ir_version: 8, opset_import: [\"\" : 16]> g () => (seq(float) s) {" \
  "n = Constant <value_ints = [65536]> () w = ConstantOfShape (n) s = SequenceConstruct ($(cat names)) }" >long.onnxtxt
ends 0 '… 19000 more' run long.onnxtxt
ends 0 '"shape": [65536]' run long.onnxtxt --json

# Lists of attributes count.
python3 - <<'END'
def varint(n):
    return bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value
node = text(2, b"Y") + text(4, b"Constant") + text(5, text(1, b"value_ints") + b"\xa0\x01\x07" + text(8, b"\1" * 1000000))
open("ints.onnx", "wb").write(node)
END
for command in run infer show; do
  ends 6 'the strings and numbers of the file take 8000032 bytes in memory, but opref reads at most 2500000 (--max-bytes)' \
    $command ints.onnx --max-bytes 10000000
done
ends 0 'int64[1000000]' run ints.onnx --max-bytes 100000000

# So do the steps of functions' bodies that infer tells, those of all calls.
{
  echo '<ir_version: 9, opset_import: ["" : 18, "f" : 1]> g (float[2] x) => (float[2] c) { a = f.F (x) b = f.F (a) c = f.F (b) }'
  echo '<opset_import: ["" : 18, "f" : 1], domain: "f"> F (u) => (w) { v = f.E (u) w = Neg (v) }'
  echo '<opset_import: ["" : 18], domain: "f"> E (u) => (w) { v = Neg (u) w = Neg (v) }'
} >bodies.onnxtxt
ends 0 'Neg-13' infer bodies.onnxtxt --max-bytes 40000
ends 6 'what is told of the bodies of functions takes, with values, ' infer bodies.onnxtxt --max-bytes 20000

# Time: a loop says where it was.
loop='y = Loop <body = b (int64 i, bool c, float v) => (bool d, float w) { d = Identity (c) w = Neg (v) }> (M, , x)'
ends 6 'it is not evaluated within 0.2 s (--timeout)' run "$loop" 'M=1000000000:int64' 'x=1:float32' --timeout 0.2
grep -q '^  in iteration [0-9]*$' out || { wrong 'no iteration is named'; cat out; }
ends 6 'it is not evaluated within 0.1 s (--timeout)' run 'y = MatMul (a, b)' 'a=float32[3000,3000]:normal' 'b=float32[3000,3000]:normal' --timeout 0.1 --exact-tier
ends 0 'y: float32' run "$loop" 'M=10:int64' 'x=1:float32' --timeout 60
ends 2 '--timeout 0: it is a number of seconds from above 0 to 1e6' run "$loop" --timeout 0

# Inner tensors are forgotten, but for those that are named.
echo '<ir_version: 8, opset_import: ["" : 13]> g (float[2] x) => (float[2] y) { a = Neg (x) b = Exp (a) y = Abs (b) }' >m.onnxtxt
x='x=[1,2]:float32'
ends 0 'y: float32[2]' run m.onnxtxt "$x"
grep -q '^[ab]:' out && wrong 'inner tensors are outputs'
ends 0 '' run m.onnxtxt "$x" -o a=a.npy -o y=y.npy
[ -e a.npy ] && [ -e y.npy ] || wrong '-o NAME=FILE of an inner tensor'
ends 0 '' run m.onnxtxt "$x" -o kept/ -o a=a2.npy
cmp -s a.npy a2.npy && [ ! -e kept/a.npy ] || wrong '-o NAME=FILE beside a folder'
ends 0 '' run m.onnxtxt "$x" --keep all -o all/
[ "$(ls all | tr '\n' ' ')" = 'a.npy b.npy y.npy ' ] || wrong "--keep all: $(ls all)"
cmp -s all/a.npy a.npy || wrong '--keep all gives another value'
ends 0 'a: float32[2]' run m.onnxtxt "$x" --keep all
ends 2 '--keep some: it is outputs or all' run m.onnxtxt "$x" --keep some
ends 0 'b: 2 elements' run m.onnxtxt "$x" --stats
ends 0 'y equal' run m.onnxtxt "$x" --expect y=y.npy

# Eight times the nodes take about eight times the processor's time, not 64 times.
cat >chains.py <<'END'
import resource, struct, subprocess, sys
def chain(n):
    nodes = " ".join("v%d = Neg (v%d)" % (i + 1, i) for i in range(n))
    with open("chain%d.onnxtxt" % n, "w") as file:
        file.write('<ir_version: 9, opset_import: ["" : 18]> g (float[1] v0) => (float[1] v%d) { %s }' % (n, nodes))
    return "chain%d.onnxtxt" % n
def seconds(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.argv[1], *arguments], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }"
header += b" " * (-(len(header) + 11) % 64) + b"\n"
for i in range(8000):
    with open("values/v%d.npy" % (i + 1), "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack("<f", 1 if i % 2 else -1))
for n, arguments in (3000, ["run", "--keep", "all"]), (1000, ["bisect", "--outputs", "values"]):
    command = lambda n: [arguments[0], chain(n), "v0=[1]", *arguments[1:]]
    few, many = min(seconds(*command(n)) for _ in range(3)), seconds(*command(8 * n))
    if many > 20 * few: print(arguments[0], few, "s of", n, "nodes,", many, "s of", 8 * n)
END
mkdir values
slow=$(python3 chains.py "$opref" 2>&1)
[ -z "$slow" ] || wrong "$slow"
done_testing
