# SPDX-License-Identifier: Apache-2.0
"""An official case in a Python process of its own with onnxruntime: `process_case.py CASE OUTPUT.npy`."""
import sys

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

case, output = sys.argv[1:]
session = onnxruntime.InferenceSession(case + "/model.onnx", providers=["CPUExecutionProvider"])
feeds = {
    value.name: numpy_helper.to_array(onnx.load_tensor(f"{case}/test_data_set_0/input_{k}.pb"))
    for k, value in enumerate(session.get_inputs())
}
numpy.save(output, session.run(None, feeds)[0])
