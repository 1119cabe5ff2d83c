# SPDX-License-Identifier: Apache-2.0
"""A work (see works.py) in a Python process of its own with onnxruntime, from .npy to .npy: `process_npy.py FOLDER`."""
import sys

import numpy
import onnxruntime

folder = sys.argv[1]
session = onnxruntime.InferenceSession(folder + "/model.onnx", providers=["CPUExecutionProvider"])
feeds = {value.name: numpy.load(f"{folder}/{value.name}.npy") for value in session.get_inputs()}
numpy.save(folder + "/peer.npy", session.run(None, feeds)[0])
