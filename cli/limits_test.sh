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
# A limit is named as it was given.
ends 6 'take more than the 6000000 bytes that the limit leaves (--max-bytes)' run 'y = Unique (x)' 'x=uint8[4000000]:bits' --max-bytes 10000000
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
ends 0 'y: float32' --timeout 60 --max-bytes 1M run "$loop" 'M=10:int64' 'x=1:float32'
ends 2 '--timeout 0: it is a number of seconds from above 0 to 1e6' run "$loop" --timeout 0

# Also reading takes time: standard input may never end.
mkfifo idle && exec 8<>idle
ends 6 'it is not read within 0.2 s (--timeout)' run - 'x=1:float32' --timeout 0.2 <idle
ends 6 'it is not read within 0.2 s (--timeout)' infer - 'x=1:float32' --timeout 0.2 <idle
ends 6 'it is not read within 0.2 s (--timeout)' explain - 'x=1:float32' --at 'y[]' --timeout 0.2 <idle
ends 6 'it is not evaluated within 0.2 s (--timeout)' run Neg X=- --timeout 0.2 <idle
exec 8>&-

# Tensors without elements cost nothing, whatever their other sizes: neither time nor memory.
huge=4611686018427387904 # 2^62
# nothing TYPE ARGUMENT…: the output is of this type; by both tiers, each within 20 s and 1 GB, as is infer
nothing() {
  type=$1
  shift
  for command in run 'run --exact-tier' infer; do
    (ulimit -v 1000000 2>/dev/null; exec timeout 20 "$opref" $command "$@") >out 2>&1
    ended=$?
    [ "$command" = infer ] && [ $ended = 2 ] && grep -q 'needs the values' out && continue
    [ "$command" = infer ] || grep -qF -- "$type" out || ended="$ended without $type"
    [ "$ended" = 0 ] || { wrong "exit $ended: $command $*"; head -c 500 out; }
  done
}
if (ulimit -v 1000000 && "$opref" --version) >/dev/null 2>&1; then # not with a sanitizer
  nothing "float32[$huge,0]" 'y = LayerNormalization (x, s)' x="float32[$huge,0]:normal" 's=float32[0]:normal'
  nothing "float32[$huge,0]" RMSNormalization X="float32[$huge,0]:normal" 'scale=float32[0]:normal'
  nothing "float32[0,$huge,1,1]" MeanVarianceNormalization X="float32[0,$huge,1,1]:normal"
  for parameter in scale B mean var; do echo "$parameter=float32[2]:normal"; done >parameters
  nothing "float32[$huge,2,0,2]" BatchNormalization-9 X="float32[$huge,2,0,2]:normal" $(cat parameters)
  t="float32[$huge,3,0]:normal"
  nothing "float32[$huge,3,0]" LinearAttention -a q_num_heads=1 -a kv_num_heads=1 -a update_rule=linear query="$t" key="$t" value="$t"
  t='float32[2147483648,1,3,0]:normal'
  nothing 'float32[2147483648,1,3,0]' ai.onnx.preview.FlexAttention Q="$t" K="$t" V="$t"
  nothing "float32[$huge,1,1,0]" RotaryEmbedding X="float32[$huge,1,1,0]:normal" cos_cache="float32[$huge,1,0]:normal" sin_cache="float32[$huge,1,0]:normal"
  nothing "float32[2,1,$huge,0]" GRU X="float32[2,$huge,0]:normal" 'W=float32[1,0,0]:normal' 'R=float32[1,0,0]:normal'
  nothing "float32[0,$huge,2]" DFT input="float32[0,$huge,1]:normal" 'axis=1:int64'
  nothing 'float32[0,1,1048577,2]' STFT 'signal=float32[0,2097152,1]:normal' 'frame_step=1:int64'
  nothing "float32[$huge,1,0]" TensorScatter past_cache="float32[$huge,1,0]:normal" update="float32[$huge,1,0]:normal"
  nothing 'int64[0,3]' NonMaxSuppression boxes="float32[$huge,0,4]:normal" scores="float32[$huge,2,0]:normal" max_output_boxes_per_class=1:int64
  nothing 'bool[1,0]' 'y, i = Unique <axis = 0> (x)' 'x=bool[400000000,0]:bits'
  scan='s = Scan <num_scan_inputs = 1, body = b (float[3,0] s, float[0] t) => (float[3,0] v) { v = Identity (s) }> (, a, x)'
  nothing 'float32[100000000,3,0]' "$scan" --opset 8 'a=float32[100000000,3,0]:normal' 'x=float32[100000000,2,0]:normal'
  # Scan-8 fills up to a length that no batch reaches: of items without elements by nothing.
  for size in 0 1; do
    echo "<ir_version: 8, opset_import: [\"\" : 8]> g (int64[1] l, float[1,K,0] x) => (float[1,K,$size] y) {" \
      "y = Scan <num_scan_inputs = 1, body = b (float[0] t) => (float[$size] v) { n = Constant <value = int64[1] {$size}> () v = Reshape (t, n) }> (l, x) }" >scan$size.onnxtxt
  done
  ends 0 "float32[1,$huge,0]" run scan0.onnxtxt 'l=[0]:int64' "x=float32[1,$huge,0]:normal"
  ends 6 "for a list of tensors, but the limit leaves" run scan1.onnxtxt 'l=[0]:int64' 'x=float32[1,1000000000,0]:normal'
  # sums of nothing, which are zeros
  nothing 'float16[1,2,1]' Conv 'X=float16[1,0,200000000]:bits' 'W=float16[2,0,200000000]:bits'
  nothing 'int32[1,2,1]' ConvInteger 'x=uint8[1,0,200000000]:bits' 'w=uint8[2,0,200000000]:bits'
fi
ends 0 '[[[1.]]]' run Conv X="float32[1,0,$huge]:normal" W="float32[1,0,$huge]:normal" 'B=[1]:float32'

# Whatever takes long stops soon after its time: loops of operators, sorts, sums of the exact tier, intervals.
# stops TEXT ARGUMENT…: the command, which would take more than 2 s of the processor's, takes less than 1 and says TEXT
stops() {
  text=$1
  shift
  python3 "$source/scripts/lab/python/peak.py" peak timeout 60 "$opref" "$@" --timeout 0.2 >out 2>&1
  read -r ended _ _ took <peak
  [ "$ended" = 6 ] && tr -s '\n ' '  ' <out | grep -qF -- "$text" || { wrong "exit $ended: $*"; head -c 1000 out; }
  [ "${took%%.*}" = 0 ] || wrong "$took s: $*"
}
# Inputs from files, for the time of generating them counts too.
"$opref" run Identity 'input=float32[4000000]:uniform' -o many.npy && "$opref" run Identity 'input=float64[2000000]:normal' -o doubles.npy || wrong 'inputs'
late='it is not evaluated within 0.2 s (--timeout)'
stops "$late" run "$loop" 'M=9223372036854775807:int64' 'x=1:float32'
stops "$late" run Det 'X=float32[400,400]:normal' --threads 1
stops "$late" run BlackmanWindow 'size=1000000:int64' -a output_datatype=11 --threads 1
vector='Inputs=int64[4000]:integers'
stops "$late" run Einsum -a 'equation=i,j,k->' "$vector" "$vector" "$vector" --threads 1
stops "$late" run TopK X=many.npy 'K=[3000000]:int64' --threads 1
stops "$late" run Unique X=many.npy --threads 1
stops "$late" run Exp input=doubles.npy --exact-tier --threads 1
stops "$late" run 'y = MatMul (a, b)' 'a=float32[1000,1000]:normal' 'b=float32[1000,1000]:normal' --exact-tier --threads 1
stops 'it is not explained within 0.2 s (--timeout)' explain Softmax 'input=float32[1,100000]:normal' --at '[0,0]'
stops 'it is not explained within 0.2 s (--timeout)' explain ReduceSum data=many.npy -a keepdims=0 --at '[]'
[ "$(wc -l <out)" -le 3 ] || { wrong 'an explanation that is late is printed'; head -5 out; }

# Types are inferred once a level of loops inside each other, whatever their readings.
python3 - <<'END'
def level(k):
    if k == 0:
        return "w0 = Neg (v0) d0 = Identity (c0)"
    body = f"b{k} (i{k - 1}, c{k - 1}, v{k - 1}) => (d{k - 1}, w{k - 1}) {{ {level(k - 1)} }}"
    return f"w{k} = Loop <body = {body}> (M, , v{k}) d{k} = Identity (c{k})"
open("nested.onnxtxt", "w").write('<ir_version: 9, opset_import: ["" : 18]> g (float v13, int64 M, bool c13) => (float w13) {'
                                  + level(13) + "}")
END
ends 0 'w13: float32[]' run nested.onnxtxt v13=1:float32 M=1:int64 c13=true:bool
ends 0 'Loop-16' infer nested.onnxtxt
ends 0 'Neg-13' infer 'y = Neg (x)' 'x=float32[2]' --timeout 60
ends 2 '--timeout -1' infer 'y = Neg (x)' 'x=float32[2]' --timeout -1
ends 2 '--timeout 1s: it is a number of seconds: 1' explain 'y = Neg (x)' 'x=[1]:float32' --at '[0]' --timeout 1s

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
