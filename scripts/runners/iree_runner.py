#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with IREE (its importer of ONNX, llvm-cpu), for `opref check --runner scripts/runners/iree_runner.py`."""
import os
import tempfile
import traceback

import iree.compiler
import iree.runtime
import onnx
from iree.compiler.tools.import_onnx import __main__ as importer

import worker

# What its compiler says of what it does not have.
NOT_THERE = ("failed to legalize operation 'torch.operator'", "failed to legalize", "not implemented", "unsupported", "Unsupported")


def compute(path, model, feeds):
    with tempfile.TemporaryDirectory() as folder:
        imported = os.path.join(folder, "model.mlir")
        try:
            importer.main(importer.parse_arguments([path, "-o", imported]))
        except Exception as problem:  # of many types
            raise_what(traceback.format_exception_only(problem)[-1].strip())
        try:
            binary = iree.compiler.compile_file(imported, target_backends=["llvm-cpu"], input_type="onnx",
                                                extra_args=["--iree-llvmcpu-target-cpu=generic", "--iree-input-demote-f64-to-f32=false"])
        except iree.compiler.CompilerToolError as problem:
            raise_what(str(problem))
    config = iree.runtime.Config("local-sync")
    module = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, binary), config)
    function = module[model.graph.name]
    initialized = {tensor.name for tensor in model.graph.initializer}
    values = function(*(feeds[value.name] for value in model.graph.input if value.name not in initialized))
    values = values if isinstance(values, (list, tuple)) else [values]
    return [signed_as(value.to_host(), output.type.tensor_type.elem_type) for value, output in zip(values, model.graph.output)]


def signed_as(array, element_type):
    """IREE's integers have no sign: their bits are of the type that the model declares."""
    declared = onnx.helper.tensor_dtype_to_np_dtype(element_type) if element_type else array.dtype
    is_other_sign = {array.dtype.kind, declared.kind} == {"i", "u"} and array.dtype.itemsize == declared.itemsize
    return array.view(declared) if is_other_sign else array


def raise_what(text):
    raise (worker.Unsupported if any(words in text for words in NOT_THERE) else RuntimeError)(text)


if __name__ == "__main__":
    worker.serve_onnx(compute)
