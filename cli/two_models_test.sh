# SPDX-License-Identifier: Apache-2.0
# opref diff of two models: exit codes, what it prints, options of one kind and the other, inputs.
set -u
. cli/testing.sh

chain='h = Relu (x)  y = Tanh (h)'
leaky='h = LeakyRelu (x)  y = Tanh (h)'
typed='g (float[4] x) => (float[4] y) { h = Relu (x)  y = Tanh (h) }'
open_sizes='g (float[N, M] x, int64[N] k) => (float[N, M] y) { h = Relu (x)  y = Tanh (h) }'

ends 0 'same arithmetic; 2 nodes against 2' diff "$chain" "$chain" 'x=[-1,2,3]:float32'
says 'y equal, bit for bit'
says '3 of 3 tensors paired'
ends 1 "first that differs: LeakyRelu 'h'" diff "$chain" "$leaky" 'x=[-1,2,3]:float32'
says "in NEW: Relu 'h'"
says 'h: 1 of 3 elements differs, largest error 0.01'
grep -q '.\{81\}' out && wrong "more than 80 columns: $(cat out)"

# rules for outputs alone
ends 0 'y passes' diff "$chain" "$leaky" 'x=[-1,2,3]:float32' --atol 0.1
ends 1 'y fails' diff "$chain" "$leaky" 'x=[-1,2,3]:float32' --rtol 1e-3
ends 0 'y SQNR' diff "$chain" "$leaky" 'x=[-1,2,3]:float32' --min-sqnr 20
ends 1 'fails' diff "$chain" "$leaky" 'x=[-1,2,3]:float32' --min-sqnr 90
ends 2 'two rules at once' diff "$chain" "$leaky" 'x=[-1,2,3]:float32' --min-sqnr 90 --exact

# inputs: generated, of a file, by place, those that do not fit
ends 0 "inputs: 'x=float32[4]:normal:1'" diff "$typed" "$typed"
ends 0 'from 0 to 15' diff "$open_sizes" "$open_sizes"
says "'x=float32[1,512]:normal:1'"
"$opref" run "$chain" 'x=[-1,2,3,4]:float32' -o h.npy || wrong 'run'
ends 0 'y equal' diff "$typed" "$typed" x=h.npy
ends 0 "the input 'z' of NEW is 'x'" diff "$(echo "$typed" | sed 's/\bx\b/z/g')" "$typed"
ends 2 'NEW has the inputs' diff 'g (float[4] a, float[4] b) => (float[4] y) { y = Add (a, b) }' "$typed"
ends 2 'which' diff 'g (float[5] x) => (float[5] y) { y = Tanh (x) }' "$typed"

# all data sets of a case folder: the second one alone shows the difference
ends 0 '' extract 'h = LeakyRelu (x)' h 'x=[1,2,3,4]:float32' -o case
ends 0 '' extract 'h = LeakyRelu (x)' h 'x=[-1,-2,3,4]:float32' -o second
ends 0 'h equal, bit for bit' diff 'h = Relu (x)' case
grep -q 'data sets' out && wrong "one data set is no list of them: $(cat out)"
mv second/test_data_set_0 case/test_data_set_1
ends 1 '2 data sets: the figures of outputs are of all, the regions those of number 1' diff 'h = Relu (x)' case
says 'h differs: 2 of 8 elements differ, largest error 0.02'
says "first that differs: LeakyRelu 'h'"
ends 1 '"data_sets": 2' diff 'h = Relu (x)' case --json
ends 0 'h equal' diff 'h = Relu (x)' case/test_data_set_0
ends 1 'h: 2 of 4 elements differ' diff 'h = Relu (x)' case/test_data_set_1
# the sums have 50.4 dB, the second set alone 47.0
ends 0 'h SQNR' diff 'h = Relu (x)' case --min-sqnr 49
ends 1 'h SQNR' diff 'h = Relu (x)' case/test_data_set_1 --min-sqnr 49

# two opsets
ends 1 'by the rules of version 11, not 13' diff 'y = Softmax (x)' --opset 11 --against-opset 13 'x=[[[1,2],[3,4]]]:float32'
ends 0 'opset 13 against opset 18' diff 'y = Softmax (x)' 'x=[[[1,2],[3,4]]]:float32' --opset 13 --against-opset 18
ends 2 'EXPECTED is missing' diff "$chain"
ends 2 'EXPECTED is missing' diff h.npy
ends 2 'compares a model with itself' diff h.npy --against-opset 13

# models beside anything else, and options of the other kind
ends 2 'is a model, but h.npy is none' diff "$chain" h.npy
ends 2 'is a model, but h.npy is none' diff h.npy "$chain"
for option in '--ulp 1' --strict-nan --ignore-dtype '--dtype float32'; do
  # shellcheck disable=SC2086
  ends 2 "${option%% *} is for tensors" diff "$chain" "$chain" 'x=[1]:float32' $option
done
for option in '--min-sqnr 1' '--opset 13' '--reading a=b' '--threads 1' '--timeout 1' '--html a.html'; do
  # shellcheck disable=SC2086
  ends 2 "${option%% *} is for models" diff h.npy h.npy $option
done
ends 2 'one argument too many' diff h.npy h.npy x=h.npy

# no elements; not known; refused
ends 2 'these inputs show nothing' diff "$chain" "$chain" 'x=[]:float32'
ends 5 "not evaluated in NEW: Nonesuch" diff 'h = Exp (x)  y = com.microsoft.Nonesuch (h)' 'h = Exp (x)  y = com.microsoft.Nonesuch (h)' 'x=[1]:float32'
says '1 equal, bit for bit'
ends 4 '' diff 'y = Add (x, x)' 'y = MatMul (x, x)' 'x=[[1,2]]:float32'
ends 6 'the limit' diff "$typed" "$typed" --max-bytes 8

# the page, pairs, and the same bytes for any number of threads
ends 1 '' diff "$chain" "$leaky" 'x=[-1,2,3]:float32' --html page.html
grep -q LeakyRelu page.html || wrong 'the page has no LeakyRelu'
grep -qF '"meaning": "Computed from the reference' page.html || wrong 'the page does not say what a tensor that differs means'
ends 0 'h h equal (equal structure)' diff "$chain" "$chain" 'x=[-1,2,3]:float32' --verbose
wide='g (float[64,64] x) => (float[64,64] y) { h = MatMul (x, x)  s = Softmax (h)  y = MatMul (s, h) }'
"$opref" diff "$wide" "$wide" --json --threads 1 >one || wrong 'one thread'
"$opref" diff "$wide" "$wide" --json --threads 4 >four || wrong 'four threads'
cmp -s one four || wrong 'the document depends on the number of threads'

# a tensor is dropped after its last region: 30 of 1 MB in 10 MB
nodes=' t0 = Neg (x)'
for k in $(seq 1 29); do nodes="$nodes t$k = Neg (t$((k - 1)))"; done
long="g (float[500,500] x) => (float[500,500] t29) {$nodes }"
ends 0 '31 of 31 tensors paired' diff "$long" "$long" --max-bytes 10M

done_testing
