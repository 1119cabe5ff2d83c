#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX cases with IREE (its importer of ONNX, llvm-cpu), for `opref check --runner scripts/runners/iree_runner.py`."""
import os
import re
import signal
import tempfile
import traceback

import iree.compiler
import iree.runtime
import numpy
import onnx
from iree.compiler.api import Output, Session, Source
from iree.compiler.tools.import_onnx import __main__ as importer

import worker

# What its compiler says of what it does not have.
NOT_THERE = ("failed to legalize operation 'torch.operator'", "failed to legalize", "not implemented", "unsupported", "Unsupported")


def compute(path, model, feeds):
    binary = compiled(without_onnx(imported(path)), holds_float64(model))
    config = iree.runtime.Config("local-sync")
    module = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, binary), config)
    function = module[model.graph.name]
    initialized = {tensor.name for tensor in model.graph.initializer}
    values = function(*(feeds[value.name] for value in model.graph.input if value.name not in initialized))
    values = values if isinstance(values, (list, tuple)) else [values]
    # A copy: what to_host() gives may lie in the device's memory, which lives as long as `values`.
    return [signed_as(numpy.array(value.to_host()), output.type.tensor_type.elem_type) for value, output in zip(values, model.graph.output)]


def imported(path):
    """The model as text of MLIR."""
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "model.mlir")
        try:
            importer.main(importer.parse_arguments([path, "-o", text]))
        except Exception as problem:  # of many types
            raise_what(traceback.format_exception_only(problem)[-1].strip())
        with open(text, encoding="utf-8") as file:
            return file.read()


def without_onnx(text):
    """What the compiler's first pass makes of it, which is one program for many versions of an operator; `text` if the pass fails or
    leaves operators of ONNX. The versions mean nothing then, but the compiler asks for them: all become 20."""
    with Session() as session:
        invocation = session.invocation()
        source = Source.wrap_buffer(session, text.encode() + b"\0")
        if not invocation.parse_source(source) or not invocation.execute_text_pass_pipeline("func.func(convert-torch-onnx-to-torch)"):
            return text
        with Output.open_membuffer() as output:
            invocation.output_ir(output)
            converted = bytes(output.map_memory()).decode()
    return text if "torch.operator" in converted else re.sub(r"(torch\.onnx_meta\.\w+_version) = \d+", r"\1 = 20", converted)


@worker.keeping(4000)
def compiled(text, is_of_float64):
    options = ["--iree-llvmcpu-target-cpu=generic"]
    if is_of_float64:  # by default the compiler makes float32 of it, and the runtime takes the buffers as they are
        options.append("--iree-input-demote-f64-to-f32=false")
    try:
        return iree.compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="onnx", extra_args=options)
    except iree.compiler.CompilerToolError as problem:
        if died := re.search(r"^Error code: -(\d+)", str(problem), re.M):
            if int(died[1]) == signal.SIGKILL:  # memory is short: this process ends, too, so that the case is asked again
                os.kill(os.getpid(), signal.SIGKILL)
            raise RuntimeError(f"the compiler ended by {signal.Signals(int(died[1])).name}") from problem
        raise_what(str(problem))


def holds_float64(model):
    """Whether an input, an output or a constant is of float64. Others keep the compiler's default: it has float64 of its own in
    operators of float32, as MaxPool, which it cannot compile unless it makes float32 of them."""
    graph = model.graph
    constants = [attribute.t for node in graph.node for attribute in node.attribute if attribute.HasField("t")]
    types = [value.type.tensor_type.elem_type for value in (*graph.input, *graph.output)]
    types += [tensor.data_type for tensor in (*graph.initializer, *constants)]
    types += [attribute.i for node in graph.node for attribute in node.attribute if attribute.name in ("to", "dtype")]
    return onnx.TensorProto.DOUBLE in types


def signed_as(array, element_type):
    """IREE's integers have no sign: their bits are of the type that the model declares."""
    declared = onnx.helper.tensor_dtype_to_np_dtype(element_type) if element_type else array.dtype
    is_other_sign = {array.dtype.kind, declared.kind} == {"i", "u"} and array.dtype.itemsize == declared.itemsize
    return array.view(declared) if is_other_sign else array


def raise_what(text):
    raise (worker.Unsupported if any(words in text for words in NOT_THERE) else RuntimeError)(text)


if __name__ == "__main__":
    worker.serve_onnx(compute)
