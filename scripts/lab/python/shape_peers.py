# SPDX-License-Identifier: Apache-2.0
"""`shape_peers.py TOOL MODEL`: prints as JSON what the tool says of the shape of each tensor: a list of numbers, texts
and nulls by its name. The model's inputs have their symbols; nothing else is declared."""
import contextlib
import json
import re
import sys

import onnx


def shapes_of(model):
    """What the model declares."""
    shapes = {}
    for info in [*model.graph.value_info, *model.graph.output, *model.graph.input]:
        if info.type.HasField("tensor_type") and info.type.tensor_type.HasField("shape"):
            shapes[info.name] = [size.dim_value if size.HasField("dim_value") else size.dim_param or None
                                 for size in info.type.tensor_type.shape.dim]
    return shapes


def by_onnx(model):
    return shapes_of(onnx.shape_inference.infer_shapes(model))


def by_onnx_data(model):
    return shapes_of(onnx.shape_inference.infer_shapes(model, data_prop=True))


def by_onnxruntime(model):
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
    with contextlib.redirect_stdout(sys.stderr):  # as its infer_shapes with auto_merge, but it keeps what is incomplete
        inference = SymbolicShapeInference(2**31 - 1, True, False, 0)
        inference._preprocess(model)
        while inference.run_:
            inference._infer_impl()
        inference._update_output_from_vi()
    return shapes_of(inference.out_mp_)


def by_openvino(model):
    import openvino
    read = openvino.Core().read_model(model.SerializeToString())
    shapes = {}
    for operation in read.get_ordered_ops():
        for output in operation.outputs():
            shape = output.get_partial_shape()
            for name in output.get_names() if shape.rank.is_static else ():
                shapes[name] = [size.get_length() if size.is_static else None for size in shape]
    return shapes


def by_onnx_shape_inference(model):
    import onnx_ir
    import onnx_shape_inference
    read = onnx_ir.serde.deserialize_model(model)
    inferred = onnx_shape_inference.infer_symbolic_shapes(read)
    return shapes_of(onnx_ir.serde.serialize_model(inferred if hasattr(inferred, "graph") else read))


TOOLS = {"onnx": by_onnx, "onnx data_prop": by_onnx_data, "onnxruntime": by_onnxruntime, "openvino": by_openvino,
         "onnx-shape-inference": by_onnx_shape_inference}
PACKAGES = ["sympy", "onnx-ir", "onnx-shape-inference"]  # beside those of the environment


def main():
    tool, path = sys.argv[1:]
    shapes = TOOLS[tool](onnx.load(path))
    for shape in shapes.values():
        for axis, size in enumerate(shape):
            if isinstance(size, str) and re.fullmatch(r"-?\d+|\?", size):
                shape[axis] = None
    print(json.dumps(shapes))


if __name__ == "__main__":
    main()
