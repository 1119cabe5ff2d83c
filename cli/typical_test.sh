#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is within the bound, but not as usual kernels are, is told; with a mistake that gives its bits it is wrong.
# Usage: typical_test.sh OPREF
set -u
. cli/testing.sh
PATH=$(dirname "$opref"):$PATH

# Another epsilon moves the results by 100 roundings of float32, which sums of 256 terms may lose.
opref run Identity 'input=float32[8,256]:uniform' -o x.npy || exit 1
opref run Identity 'input=float32[256]:uniform' -o scale.npy || exit 1
node='LayerNormalization X=x.npy Scale=scale.npy'
opref run $node -a epsilon=1.1e-5 -o Y=right.npy || exit 1
opref run $node -a epsilon=1e-5 -o Y=wrong.npy || exit 1
opref run $node -a epsilon=1.1e-5 --judge Y=right.npy >/dev/null || wrong 'the right output is wrong'
ends 1 'untypical: its median error is' run $node -a epsilon=1.1e-5 --judge Y=wrong.npy
says 'wrong, though within the bound:'
says 'epsilon'
ends 1 '"typicality": { "median": ' run $node -a epsilon=1.1e-5 --judge Y=wrong.npy --json

# Without a cause it passes, unless --strict.
opref run 'Y = Mul (A, B)' A=right.npy 'B=[1.00001]:float32' -o Y=large.npy || exit 1
ends 0 'untypical: its median error is' run $node -a epsilon=1.1e-5 --judge Y=large.npy
ends 1 'untypical: its median error is' run $node -a epsilon=1.1e-5 --judge Y=large.npy --strict
ends 0 '' run $node -a epsilon=1.1e-5 --judge Y=right.npy --strict

# Coordinates that a right kernel computes in float32 may lie beside an edge: their bound allows the neighbour, and nothing is wrong.
opref run Identity 'input=float32[30,8]:uniform' -o x.npy --force || exit 1
node='Resize X=x.npy sizes=[70,8] -a nearest_mode=ceil -a coordinate_transformation_mode=asymmetric'
opref run $node -o Y=right.npy --force || exit 1
with_row() { # ROW OUTPUT: the right output with this row of x for row 35, whose place is 15
  opref run Gather data=x.npy "indices=[$1]:int64" -o row.npy --force &&
    opref run ScatterND data=right.npy 'indices=[[35]]:int64' updates=row.npy -o "$2" --force || exit 1
}
with_row 16 beside.npy
with_row 17 far.npy
ends 0 'within the bound' run $node --judge Y=beside.npy
ends 1 'beyond the bound' run $node --judge Y=far.npy

# Of integers, too: (6 + 1/2)/1.5 - 1/2 = 23/6 is computed, 10 and 13 give 12.5 there, and rounding to the nearest 12 or 13.
node='Resize X=[11,2,4,10,13,14,16]:uint8 scales=[1.5]:float32 -a mode=linear'
ends 0 'within the bound' run $node --judge '[11,6,2,4,7,10,13,14,14,16]:uint8'
ends 1 'beyond the bound' run $node --judge '[11,6,2,4,7,10,14,14,14,16]:uint8'
ends 1 'beyond the bound' run $node --judge '[11,6,2,4,8,10,12,14,14,16]:uint8'

# A kernel may round to the type in which the node says that it computes.
node='GroupNormalization X=float64[2,4,5]:normal scale=float64[4]:uniform bias=float64[4]:normal -a num_groups=2'
opref run $node -o Y=wide.npy || exit 1
opref run 'h = Cast <to = 1> (Y)  z = Cast <to = 11> (h)' Y=wide.npy -o z=single.npy || exit 1
ends 0 'within the bound of float32' run $node -a stash_type=1 --judge Y=single.npy
ends 1 'beyond the bound of float64' run $node -a stash_type=11 --judge Y=single.npy
opref run 'Y = Mul (A, B)' A=wide.npy 'B=[1.0001]:float64' -o Y=single.npy --force || exit 1
ends 1 'beyond the bound of float32' run $node -a stash_type=1 --judge Y=single.npy

# A score of -Inf is exact, and takes no bound from the others.
node='Attention Q=[[[[1,2]]]]:float32 K=[[[[1,0.5],[0.25,1],[-inf,1]]]]:float32 V=[[[[1.3],[2.7],[5]]]]:float32'
opref run $node -o Y=right.npy --force || exit 1
opref run 'Y = Mul (A, B)' A=right.npy 'B=[1.0000001]:float32' -o Y=near.npy --force || exit 1
opref run 'Y = Mul (A, B)' A=right.npy 'B=[1.001]:float32' -o Y=far.npy --force || exit 1
ends 0 'within the bound' run $node --judge Y=near.npy
ends 1 'beyond the bound' run $node --judge Y=far.npy

# Of several nodes the spread of rounding decides: one unit of float32 passes, 1e-5 does not; where the model makes
# rounding large there is no verdict.
graph='h = Exp (x)  y = Softmax (h)'
opref run "$graph" x=float32[4,64]:normal -o y=y.npy || exit 1
opref run 'Y = Mul (A, B)' A=y.npy 'B=[1.0000001]:float32' -o Y=near.npy --force || exit 1
opref run 'Y = Mul (A, B)' A=y.npy 'B=[1.00002]:float32' -o Y=far.npy --force || exit 1
ends 0 'y within the spread of float32 kernels (share 0.' run "$graph" x=float32[4,64]:normal --judge y=near.npy
ends 1 'y beyond the spread of float32 kernels, an estimate' run "$graph" x=float32[4,64]:normal --judge y=far.npy
wild='h = Mul (x, c)  y = Sin (h)'
set -- x=float32[64]:uniform 'c=[3e7]:float32'
opref run "$wild" "$@" -o y=y.npy || exit 1
opref run 'Y = Mul (A, B)' A=y.npy 'B=[0.9]:float32' -o Y=other.npy || exit 1
ends 1 'y no verdict' run "$wild" "$@" --judge y=other.npy
says 'rounding in the nodes before alone'
done_testing
