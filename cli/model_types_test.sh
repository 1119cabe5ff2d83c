#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model with the types that infer found: -o FILE. And the sizes that a model leaves free, which show names.
# Usage: model_types_test.sh OPREF
set -u
. cli/testing.sh

write_open_model
ends 0 '' extract m.onnxtxt h 'x=[[1,2,3]]' 'z=[[4,5,6],[7,8,9]]' -o case
cp case/model.onnx model.onnx

ends 0 '' infer model.onnx 'x=float32[2,3]' 'z=float32[5,3]' -o typed.onnx
says 'float32[7,3]'
ends 0 'float32[7,3]' show typed.onnx
ends 0 '' infer model.onnx 'x=float32[2,3]' 'z=float32[5,3]' -o again.onnx --json
cmp -s typed.onnx again.onnx || wrong "the same types make other bytes"
ends 0 '' infer typed.onnx -o third.onnx
cmp -s typed.onnx third.onnx || wrong "its own types make other bytes"
ends 0 'h: float32[7,3]' run typed.onnx 'x=float32[2,3]:uniform' 'z=float32[5,3]:uniform'

# Sizes as symbols.
ends 0 '' infer model.onnx -o symbols.onnx
ends 0 'float32[N+batch_size,3]' show symbols.onnx
grep -aq 'opref.rules' symbols.onnx && grep -aq 'opref.basis' symbols.onnx || wrong "the rules are not in the file"
ends 0 '' infer symbols.onnx -o again.onnx
cmp -s symbols.onnx again.onnx || wrong "its own symbols make other bytes"
ends 0 '' infer model.onnx --identifiers -o identifiers.onnx
ends 0 'float32[d1,3]' show identifiers.onnx
grep -aq 'd1 = N+batch_size' identifiers.onnx || wrong "the meaning of d1 is not in the file"
ends 0 '' infer symbols.onnx 'x=float32[2,3]' 'z=float32[5,3]' -o numbers.onnx
cmp -s typed.onnx numbers.onnx || wrong "numbers behind symbols make other bytes"

# What it is not for.
ends 2 'a model with types is a file NAME.onnx' infer model.onnx -o typed.pb
ends 2 'a model with types is a file NAME.onnx' infer model.onnx -o -
ends 2 "-o" infer model.onnx -o ''
for case in "Relu X=float32[2]" "m.onnxtxt x=float32[2,3] z=float32[5,3]" case; do
  # shellcheck disable=SC2086
  ends 2 'only the file of an ONNX model in protobuf' infer $case -o none.onnx
done
ends 2 'it goes without --attribute' infer model.onnx -a axis=1 -o none.onnx
ends 2 'it goes without --opset' infer model.onnx --opset 13 -o none.onnx
ends 2 'it goes without --node' infer model.onnx --node h -o none.onnx
ends 2 '--identifiers says how -o writes sizes' infer model.onnx --identifiers
ends 2 '--force writes it all the same' infer model.onnx -o model.onnx
ends 4 '' infer model.onnx 'x=float32[2,3]' 'z=float32[5,4]' -o none.onnx
ends 6 '' infer model.onnx 'x=float32[2,3]' 'z=float32[5,3]' -o nowhere/typed.onnx
[ ! -e none.onnx ] || wrong "a file of what was refused"
ends 0 '' infer model.onnx 'x=float32[2,3]' 'z=float32[5,3]' -o model.onnx --force

# Sizes that are free.
ends 0 '' show m.onnxtxt
for line in '^  free sizes$' '^    N  *axis 0 of x$' "^    batch_size  *axis 0 of z  (declared as 'batch size')$" '^    z_1  *axis 1 of z$'; do
  grep -q "$line" out || wrong "show: $line: $(cat out)"
done
ends 0 '"declared": "batch size"' show m.onnxtxt --json
ends 0 '' show typed.onnx --json
grep -q '"symbols"' out && wrong "a model without free sizes: $(cat out)"
done_testing
