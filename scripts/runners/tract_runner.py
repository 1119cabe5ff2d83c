#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with tract, for `opref check --runner scripts/runners/tract_runner.py`."""
import tract

import worker

# What tract says of what it does not have.
NOT_THERE = ("unimplemented", "not implemented", "not supported", "unsupported", "No parser for", "No translator for")
TYPES = {"bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32",
         "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}


def compute(path, model, feeds):
    for name, value in feeds.items():
        if getattr(value, "dtype", None) is None or value.dtype.name not in TYPES:
            raise worker.Unsupported(f"tract takes no input of the type of {name}")
    try:
        inference = tract.onnx().load(path)
        names = [inference.input_name(k) for k in range(inference.input_count())]
        for k, name in enumerate(names):
            value = feeds[name]
            inference.set_input_fact(k, ",".join([*map(str, value.shape), TYPES[value.dtype.name]]))
        runnable = inference.into_model().into_runnable()
        return [value.to_numpy() for value in runnable.run([feeds[name] for name in names])]
    except tract.TractError as problem:
        if any(text.lower() in str(problem).lower() for text in NOT_THERE):
            raise worker.Unsupported(str(problem)) from problem
        raise


if __name__ == "__main__":
    worker.serve_onnx(compute)
