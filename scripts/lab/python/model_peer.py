# SPDX-License-Identifier: Apache-2.0
"""`model_peer.py FOLDER NAME…`: onnxruntime evaluates FOLDER/model.onnx on one thread, the inputs NAME… being K.npy; writes
expected_K.npy, the outputs (maps as expected_K.json), and prints the seconds of one more evaluation: the median of three."""
import json
import os
import statistics
import sys
import time

import numpy
import onnxruntime

folder, *names = sys.argv[1:]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 3
session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options, providers=["CPUExecutionProvider"])
feeds = {name: numpy.load(os.path.join(folder, f"{k}.npy")) for k, name in enumerate(names)}
outputs = session.run(None, feeds)
times = []
for _ in range(3):
    start = time.perf_counter()
    session.run(None, feeds)
    times.append(time.perf_counter() - start)
print(statistics.median(times))
for k, output in enumerate(outputs):
    path = os.path.join(folder, f"expected_{k}")
    if isinstance(output, list):
        with open(path + ".json", "w", encoding="utf-8") as file:
            json.dump(output, file)
    else:
        numpy.save(path + ".npy", output.astype(str) if output.dtype == object else output)
