# SPDX-License-Identifier: Apache-2.0
# Values of type map on their way through the program: literals, .pb, .json, cases, models, diff, show, infer, check.
set -u
. cli/testing.sh
zip() { "$opref" run ai.onnx.ml.ZipMap "$@" || wrong "run ai.onnx.ml.ZipMap $*"; }

# printed and written
ends 0 'Z: seq(map(string,float))[2]' run ai.onnx.ml.ZipMap -a classlabels_strings=b,a 'X=[[0.75,0.25],[1,NaN]]:float32'
says '[0] {"a": 0.25, "b": 0.75}'
says '[1] {"a": "NaN", "b": 1}'
ends 0 'Z: seq(map(int64,float))[1]' run ai.onnx.ml.ZipMap -a classlabels_int64s=10,-1 'X=[1,2]:float32'
says '[0] {"-1": 2, "10": 1}'
zip -a classlabels_strings=a,b 'X=[[1,2],[3,4]]:float32' -o Z=z.pb -o Z=z.json -o folder/
[ -f folder/Z.json ] || wrong "no folder/Z.json"
cmp -s z.json folder/Z.json || wrong "other bytes in folder/Z.json"
ends 2 "a .npy holds one tensor, but 'Z' is seq(map(string,float)): give a .pb, .json or a folder" \
  run ai.onnx.ml.ZipMap -a classlabels_strings=a 'X=[1]:float32' -o z.npy
ends 2 "an .npz holds tensors, but 'Z' is seq(map(string,float))" run ai.onnx.ml.ZipMap -a classlabels_strings=a 'X=[1]:float32' -o z.npz
ends 2 "a .json holds maps, but 'Y' is float32[1]" run Relu 'X=[1]:float32' -o y.json
zip --json -a classlabels_strings=a,b 'X=[[1,2]]:float32' >out
says '"form": "sequence of maps"'
says '"key": "string"'
says '"a": 1'

# compared by key
ends 0 'equal' diff z.pb z.json
says '4 elements agree (exact)'
zip -a classlabels_strings=b,a 'X=[[2,1],[4,3.5]]:float32' -o Z=w.pb
ends 1 'first [1]["a"]: actual 3, expected 3.5' diff z.pb w.pb
ends 0 'equal' diff z.pb w.pb --atol 0.5
zip -a classlabels_strings=a,c 'X=[[1,2],[3,4]]:float32' -o Z=v.pb
ends 1 'the key "c" is missing, the key "b" is there, but not expected in [0]' diff z.pb v.pb
ends 1 'a sequence of maps, but a map is expected' diff z.pb '{"a": 1}:map(string,float)'
ends 0 'equal' diff '{"a": 1, "b": 2}:map(string,float)' '{"b": 2, "a": 1}:map(string,float)'
mkdir other && cp z.json other/Z.json
ends 0 'equal' diff folder other
cp w.pb other/Z.pb && rm other/Z.json
ends 1 'first [1]["a"]: actual 3, expected 3.5' diff folder other
ends 1 '"place": "[1][\"a\"]"' diff z.pb w.pb --json

# shown
ends 0 'z.pb: seq(map(string,float))[2]' show z.pb
ends 0 'z.json: seq(map(string,float))[2]' show z.json
ends 0 '"form": "sequence of maps"' show z.pb --json
ends 0 '' show z.pb -o again.json
cmp -s z.json again.json || wrong "other bytes in again.json"

# given
ends 0 '[[0 4 0 8]]' run ai.onnx.ml.CastMap -a cast_to=TO_INT64 -a map_form=SPARSE -a max_map=4 'X={"1": 4, "3": 8.5}:map(int64,float)'
ends 0 '[4 8 0 0]' run ai.onnx.ml.DictVectorizer -a string_vocabulary=a,c,b,z 'X={"a": 4, "c": 8}:map(string,int64)'
echo '{"map": {"a": 4, "c": 8}, "type": "map(string,int64)"}' >x.json
ends 0 '[4 8 0 0]' run ai.onnx.ml.DictVectorizer -a string_vocabulary=a,c,b,z X=x.json
ends 0 '[4 8 0 0]' run ai.onnx.ml.DictVectorizer -a string_vocabulary=a,c,b,z 'X:map(string,int64)=x.json'
ends 2 'the file has map(string,int64), but map(string,float) is stated' \
  run ai.onnx.ml.DictVectorizer -a string_vocabulary=a,c 'X:map(string,float)=x.json'
ends 2 'has no type: maps are written as' run ai.onnx.ml.DictVectorizer -a string_vocabulary=a 'X={"a": 4}'
ends 2 "is no type of maps" run ai.onnx.ml.DictVectorizer -a string_vocabulary=a 'X={"a": 4}:int64'
ends 2 'does not fit into int8' run ai.onnx.ml.DictVectorizer -a int64_vocabulary=1 'X={"300": 4}:map(int8,float)'
ends 2 'no integer in decimal digits' run ai.onnx.ml.DictVectorizer -a int64_vocabulary=1 'X={"a": 4}:map(int64,float)'
ends 4 'X has type map(string,int64), but Relu-14 takes' run Relu 'X={"a": 4}:map(string,int64)'
ends 4 'input_sequence has type seq(map(string,float))' run SequenceLength input_sequence=z.pb
# Made with onnx 1.23.2: keys a, b, a; two keys and one value; a map as a value.
printf '\020\010\042\001\141\042\001\142\042\001\141\052\040\020\001\032\010\020\001\112\004\000\000\200\077\032\010\020\001\112\004\000\000\000\100\032\010\020\001\112\004\000\000\100\100' >twice.pb
printf '\020\007\030\001\030\002\052\014\020\001\032\010\020\001\112\004\000\000\200\077' >lengths.pb
printf '\020\007\030\001\052\026\020\004\062\022\020\007\030\001\052\014\020\001\032\010\020\001\112\004\000\000\200\077' >nested.pb
ends 3 'the key "a" is there twice' run ai.onnx.ml.DictVectorizer -a string_vocabulary=a X=twice.pb
ends 3 '2 keys, but 1 value' run ai.onnx.ml.DictVectorizer -a int64_vocabulary=1 X=lengths.pb
ends 5 'maps whose values have elem_type 4 are not read' run ai.onnx.ml.DictVectorizer -a int64_vocabulary=1 X=nested.pb

# explained: of a key that is there twice the last column
explain() {
  code=$1 text=$2
  shift 2
  ends "$code" "$text" explain ai.onnx.ml.ZipMap -a classlabels_strings=b,a,b 'X=[[0.75,0.25,3],[1,NaN,4]]:float32' "$@"
}
explain 0 'Z[1]["b"] of ZipMap-1, float32: 4' --at 'Z[1]["b"]'
says 'X[1,2] 4'
explain 0 'Z[0]["a"] of ZipMap-1, float32: 0.25' --at 'Z[0]["a"]'
says 'X[0,1] 0.25'
explain 0 '"path": "[1][\"a\"]"' --at 'Z[1]["a"]' --json
explain 0 'against 1' --at 'Z[1]["b"]' --against 1
explain 2 "'Z' has no entry [1][\"c\"]; the first is Z[0][\"a\"]" --at 'Z[1]["c"]'
explain 2 "'Z' is seq(map(string,float)): write --at 'Z[0][\"a\"]' for its first entry" --at 'Z[1]'
ends 0 'Z[0][-1] of ZipMap-1, float32: 2' explain ai.onnx.ml.ZipMap -a classlabels_int64s=3,-1 'X=[1,2]:float32' --at 'Z[0][-1]'
ends 2 "'Z' has no entries to explain" explain ai.onnx.ml.ZipMap -a classlabels_int64s=3,-1 'X=float32[0,2]:normal' --at 'Z[0][3]'

# types alone
ends 0 'Z seq(map(string,float))' infer ai.onnx.ml.ZipMap -a classlabels_strings=a,b 'X=float32[5,2]'
ends 0 'float32[3]' infer ai.onnx.ml.DictVectorizer -a int64_vocabulary=1,2,3 'X=map(int64,float)'
ends 0 'float32[decided by values]' infer ai.onnx.ml.CastMap 'X=map(int64,float)'
ends 0 '"form": "sequence of maps"' infer ai.onnx.ml.ZipMap --json -a classlabels_strings=a,b 'X=float32[5,2]'

# a model that ends with maps, as a case, and what a backend made of it
ends 0 'Z: seq(map(int64,float))[2]' run 'p = Softmax (X)  Z = ai.onnx.ml.ZipMap <classlabels_int64s = [0, 1]> (p)' 'X=[[0,0],[1,1]]:float32'
mkdir -p cases
cat >cases/case.json <<'EOF'
{"op_type": "ZipMap", "domain": "ai.onnx.ml", "opset": 1, "attributes": {"classlabels_strings": ["a", "b"]},
 "inputs": {"X": {"dtype": "float32", "data": [[1, 2]]}},
 "expect": {"Z": {"map": [{"a": 1, "b": 2}], "type": "seq(map(string,float))"}}}
EOF
ends 0 '1 pass, 0 fail' check cases
sed -i 's/"b": 2}/"b": 3}/' cases/case.json
ends 1 'differs in 1 of 2 elements: [0]["b"] is 2 instead of 3' check cases --report report.json
# what the page shows of the element, too
grep -q '"place": "\[0\]\[\\"b\\"\]","index": \[\],"actual": "2","expected": "3"' report.json || wrong 'no place in report.json'
mkdir -p outputs/case && zip -a classlabels_strings=a,b 'X=[[1,3]]:float32' -o outputs/case/
ends 0 '1 pass, 0 fail' check cases --outputs outputs
ends 0 '' check cases --outputs outputs --html page.html --junit junit.xml
done_testing
