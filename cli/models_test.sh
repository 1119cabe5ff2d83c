#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Models of which opref knows a part: infer lists all nodes, run evaluates what is asked for, show says what is in them.
# Usage: models_test.sh OPREF
set -u
. cli/testing.sh

cat >m.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[2] a, float[2] b) => (float[1] y, float[2] z) <float[2] u> {
  t = Add (a, a)
  u, v = Mystery (t)
  y = ReduceSum (u)
  w = Add (v, b)
  z = Add (a, b)
}
END
given="a=[1,2] b=[10,20]"

"$opref" infer m.onnxtxt >out 2>err || wrong "infer: $(cat err)"
[ "$(grep -c '^Add-13\|^Mystery\|^ReduceSum-13\|^Add:' out)" = 5 ] || wrong "all nodes: $(cat out)"
grep -q '^Mystery: not known$' out || wrong "an unknown one: $(cat out)"
grep -q "^    v  *type not known" out || wrong "its output without a declaration: $(cat out)"
grep -q "^    u  *float32\[2\]" out || wrong "its output with one: $(cat out)"
grep -q "the type of 'v' is not known" out || wrong "the node behind it: $(cat out)"
"$opref" infer m.onnxtxt --json >out || wrong "infer --json"
grep -q '"known": *false' out && grep -q '"v": *null' out && grep -q '"since_version": *13' out || wrong "json: $(cat out)"
"$opref" infer 'Y = Mystery (X)' 'X=[1]:float32' >out 2>err
[ $? = 0 ] && grep -q "operator 'Mystery' is not" err || wrong "a single node that is not known: $(cat out err)"

"$opref" run m.onnxtxt $given >out 2>err
[ $? = 5 ] || wrong "run of all"
tr -s '\n ' ' ' <err | grep -q "^error: operator 'Mystery' is not known; NAME=FILE gives what it returns, or --node picks nodes that are known: 't', 'y', 'z'" ||
  wrong "its error: $(cat err)"
grep -qF 'in m.onnxtxt' err || wrong "its place: $(cat err)"
"$opref" run m.onnxtxt $given --expect 'z=[11,22]' >out 2>err || wrong "only z: $(cat out err)"
"$opref" run m.onnxtxt $given -o t=t.npy 2>err || wrong "an inner tensor: $(cat err)"
"$opref" diff t.npy t.npy >out || wrong "it is written"
"$opref" run m.onnxtxt $given 'u=[5,6]' >out 2>err || wrong "cut at u: $(cat err)"
grep -q '^y: float32\[1\]' out && grep -q '^z: ' out || wrong "both outputs: $(cat out)"
"$opref" run m.onnxtxt 'b=[10,20]' 'a=[1,2]' 'v=[1,1]' --expect 'w=[11,21]:float32' >out 2>err || wrong "cut at v: $(cat out err)"
"$opref" run m.onnxtxt --node y --node z $given 'u=[3,4]' --expect 'y=[7]' --expect 'z=[11,22]' >out 2>err ||
  wrong "two nodes: $(cat out err)"
"$opref" run m.onnxtxt --node u 't=[1,1]' >out 2>err
[ $? = 5 ] || wrong "the unknown one picked: $(cat err)"
"$opref" explain m.onnxtxt $given 'u=[5,6]' --at 'y[0]' >out 2>err || wrong "explain behind a cut: $(cat err)"
grep -q '^y\[0\] of ReduceSum-13, float32: 11' out || wrong "its value: $(cat out)"

"$opref" show m.onnxtxt >out 2>err || wrong "show: $(cat err)"
for line in "^m.onnxtxt: model 'g', opset 13 of ai.onnx$" '^  5 nodes$' '^    Add-13  *3$' "^    Mystery  *1  not known$" '^    a  *float32\[2\]$'; do
  grep -q "$line" out || wrong "show: $line: $(cat out)"
done
"$opref" show m.onnxtxt --json >out && grep -q '"ReduceSum"' out || wrong "show --json: $(cat out)"
"$opref" show m.onnxtxt -o x.npy 2>err
[ $? = 2 ] || wrong "a model is no tensor: $(cat err)"

# A model without nodes, in protobuf: X is its input and its output.
x='\017\012\001X\022\012\012\010\010\001\022\004\012\002\010\002'
printf '\010\011\072\045\022\001g\132'"$x"'\142'"$x"'\102\004\012\000\020\024' >none.onnx
"$opref" run none.onnx 'X=[1,2]' --expect 'X=[1,2]' >out 2>err || wrong "no nodes: $(cat out err)"
"$opref" run none.onnx >out 2>err
[ $? = 2 ] && grep -q "'X' has no value: give X=FILE" err || wrong "no nodes and no value: $(cat out err)"
"$opref" infer none.onnx >out 2>err || wrong "infer of no nodes: $(cat out err)"
"$opref" show none.onnx >out 2>err && grep -q '^  0 nodes$' out || wrong "show of no nodes: $(cat out err)"
"$opref" extract none.onnx Y -o e 2>err
[ $? = 2 ] && grep -q "no node has the name or an output 'Y'" err || wrong "extract of no nodes: $(cat err)"
mkdir -p none/test_data_set_0 && cp none.onnx none/model.onnx
"$opref" run none.onnx 'X=[1,2]' -o X=none/test_data_set_0/input_0.pb && cp none/test_data_set_0/input_0.pb none/test_data_set_0/output_0.pb
"$opref" check none --runner "'$opref' run {inputs} -o {outputs}/" >out 2>err || wrong "check of no nodes: $(cat out err)"
"$opref" bisect none.onnx 'X=[1,2]' --runner "'$opref' run {inputs} -o {outputs}/" >out 2>err
[ $? = 2 ] && grep -q "no node" err || wrong "bisect of no nodes: $(cat out err)"

# w = [1, 10] in float16, behind a Convert.
printf '\000\074\000\111' >net.bin
cat >net.xml <<'END'
<net name="n" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,1,3" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>1</dim><dim>3</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="f16" shape="1,1,2" offset="0" size="4"/>
<output><port id="0" precision="FP16"><dim>1</dim><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="2" name="wide" type="Convert" version="opset1"><data destination_type="f32"/>
<rt_info><attribute name="decompression" version="0"/></rt_info>
<input><port id="0" precision="FP16"><dim>1</dim><dim>1</dim><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>1</dim><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="3" name="y" type="ConvolutionBackpropData" version="opset1"><data strides="1" dilations="1" pads_begin="0" pads_end="0" auto_pad="explicit"/>
<input><port id="0" precision="FP32"><dim>1</dim><dim>1</dim><dim>3</dim></port><port id="1" precision="FP32"><dim>1</dim><dim>1</dim><dim>2</dim></port></input>
<output><port id="2" precision="FP32"><dim>1</dim><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="4" name="r" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>1</dim><dim>1</dim><dim>4</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/><edge from-layer="1" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="3" to-port="1"/><edge from-layer="3" from-port="2" to-layer="4" to-port="0"/>
</edges></net>
END
"$opref" run net.xml 'x=[[[1,2,3]]]' --expect 'y=[[[1,12,23,30]]]' >out 2>err || wrong "a compressed constant: $(cat out err)"
"$opref" show net.xml >out && grep -q '^    wide  *float32\[1,1,2\]$' out || wrong "show of a net: $(cat out)"

# A part of a net, with its weights; types are enough. The same again leaves the net's own .bin as it is.
for time in first second; do
  "$opref" extract net.xml --from x --to y -o part.xml 2>err || wrong "a part of a net, the $time time: $(cat err)"
  cmp -s net.bin part.bin || wrong "all weights of a part are not those of the net"
  [ "$(wc -c <net.bin)" = 4 ] || wrong "the net's weights are changed the $time time"
done
"$opref" run part.xml 'x=[[[1,2,3]]]' --expect 'y=[[[1,12,23,30]]]' >out 2>err || wrong "a part of a net: $(cat out err)"
"$opref" extract net.xml --from x,wide --to y -o given.xml 2>err
[ $? = 2 ] && grep -q "comes along by itself" err || wrong "a constant is where a part begins: $(cat err)"
"$opref" extract net.xml --to y -o whole.onnx 2>err
[ $? = 5 ] && grep -q "a part of a net is NAME.xml" err || wrong "a part of a net as .onnx: $(cat err)"
"$opref" extract none.onnx --to X -o whole.xml 2>err
[ $? != 0 ] || wrong "a part of an ONNX model as .xml"
cat >relu.sed <<'END'
s|<layer id="4" name="r" type="Result" version="opset1">|<layer id="5" name="z" type="ReLU" version="opset1"><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>&|
s|<edge from-layer="3" from-port="2" to-layer="4" to-port="0"/>|<edge from-layer="3" from-port="2" to-layer="5" to-port="0"/><edge from-layer="5" from-port="1" to-layer="4" to-port="0"/>|
END
sed -f relu.sed net.xml >longer.xml && cp net.bin longer.bin
"$opref" extract longer.xml --from y -o end.xml 2>err || wrong "the end of a net: $(cat err)"
[ -s end.bin ] && wrong "the end of a net has weights"
"$opref" run end.xml 'y=[[[-1,2,3,4]]]' --expect 'z=[[[0,2,3,4]]]' >out 2>err || wrong "the end of a net: $(cat out err)"

# A case of one known and one unknown node: the unknown one is not asked for, or another one is.
cat >c.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 13]> g (float[2] a) => (float[2] t) { t = Add (a, a)  u = Mystery (t) }
END
"$opref" run c.onnxtxt 'a=[1,2]' --expect 't=[2,4]' >out 2>err || wrong "a node that nobody asks for: $(cat out err)"

# check judges the node that is asked for. The model, in protobuf's bytes: t = Add (a, a), u = Mystery (t), both are outputs.
float2() { printf '\012\001%s\022\012\012\010\010\001\022\004\012\002\010\002' "$1"; }
mkdir -p two/test_data_set_0
{
  printf '\010\010\102\002\020\015\072\127'
  printf '\012\016\012\001a\012\001a\022\001t\042\003Add\012\017\012\001t\022\001u\042\007Mystery\022\001g'
  printf '\132\017' && float2 a && printf '\142\017' && float2 t && printf '\142\017' && float2 u
} >two/model.onnx
tensor() { "$opref" run Constant -a "value=$2:float32" -o "output=two/test_data_set_0/$1.pb" 2>err || wrong "$1.pb: $(cat err)"; }
tensor input_0 '[1,2]'
tensor output_0 '[2,4]'
tensor output_1 '[7,7]'
"$opref" check two >out 2>err
[ $? = 5 ] && grep -q "^1 case: 0 pass, 0 fail, 0 error, 1 unsupported" out || wrong "check of all nodes: $(cat out err)"
"$opref" check two --node t >out 2>err && grep -q "^1 case: 1 pass" out || wrong "check --node: $(cat out err)"
tensor output_0 '[2,5]'
"$opref" check two --node t >out 2>err
[ $? = 1 ] && grep -q "^fail two: output 't' differs" out || wrong "check --node of a wrong value: $(cat out err)"
"$opref" check two --node q >out 2>err
[ $? = 1 ] && grep -q "'q'" out || wrong "check --node of no node: $(cat out err)"

# What onnxruntime writes into models of ai.onnx though their opset does not have it, beside nodes of com.microsoft. The
# squares of 1 and 7 have the mean 25.
own='(float[1,2] X, float[2] s) => (float[1,2] Y) { Y'
ends 0 '[[-1. -1.]]' run "<ir_version: 8, opset_import: [\"\" : 12, \"com.microsoft\" : 1]> g $own = LayerNormalization <epsilon = 0.0> (X, s) }" \
  'X=[[3,5]]:float32' 's=[1,-1]:float32'
ends 0 '[[0.4 2.8]]' run "<ir_version: 8, opset_import: [\"\" : 12, \"com.microsoft\" : 1]> g $own = SimplifiedLayerNormalization <epsilon = 0.0> (X, s) }" \
  'X=[[1,7]]:float32' 's=[2,2]:float32'
ends 4 'LayerNormalization came with opset 17, but the opset is 12' \
  run "<ir_version: 8, opset_import: [\"\" : 12]> g $own = LayerNormalization (X, s) }" 'X=[[3,5]]:float32' 's=[1,1]:float32'
ends 5 "operator 'SimplifiedLayerNormalization' is not known" \
  run "<ir_version: 8, opset_import: [\"\" : 12]> g $own = SimplifiedLayerNormalization (X, s) }" 'X=[[3,5]]:float32' 's=[1,1]:float32'

done_testing
