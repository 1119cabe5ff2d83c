# SPDX-License-Identifier: Apache-2.0
"""What runtimes do in the cases of readings."""
import glob
import json
import os
import shutil
import subprocess

import onnx

import peers

SECONDS = 60  # of a case
SLOW, OF_SLOW = ("tvm", "iree", "tinygrad"), 1  # runtimes that compile each case are asked so many of a reading
UNSUPPORTED, REFUSED, OTHER = "-", "x", "?"


class Runtime:
    """Its worker, whose answers are kept in build/ambiguities."""

    def __init__(self, backend, folder):
        self.backend, self.scratch, self.count = backend, os.path.join(folder, f"outputs-{backend}"), 0
        os.makedirs(folder, exist_ok=True)
        kept = os.path.join(folder, f"{peers.file_name(backend)}.sqlite")
        self.process = subprocess.Popen(peers.keeping_runner(backend, kept, SECONDS), shell=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, model, inputs):
        """Its status, and the folder with what it returned."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch)
        self.count += 1
        print(json.dumps({"id": self.count, "model": model, "inputs": inputs, "outputs": self.scratch}), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())["status"], self.scratch

    def answers(self, opref, cases, asked):
        """Of the cases, `asked` as these models, in one text."""
        if not any(case.operator.rpartition(".")[0] in peers.PEERS[self.backend].domains for case in cases):
            return ""
        most = OF_SLOW if self.backend in SLOW else len(cases)
        return " ".join(answer(opref, case, self, models) for case, models in list(zip(cases, asked))[:most])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def made(opref, case):
    """The folder of the case as `golden` makes it."""
    folder = os.path.join(case.folder, "golden")
    if not os.path.isdir(folder):
        recipe = os.path.join(case.folder, "recipe.json")
        with open(recipe, "w", encoding="utf-8") as file:
            json.dump([case.document], file)
        subprocess.run([opref, "golden", recipe, "--negative", "--allow-empty", "-o", folder], check=True, capture_output=True)
    return next(iter(glob.glob(os.path.join(folder, "*", ""))), None)


def models(opref, case):
    """What runtimes are asked: pairs of a model and a folder of inputs, all of them inputs of the graph, then all but the first one
    constants. The outputs' sizes are not stated; if the alternatives give other types or ranks, there is a pair for each."""
    folder = made(opref, case)
    if folder is None:
        return []
    if case.operator.startswith("openvino."):
        inputs = os.path.join(case.folder, "inputs")
        os.makedirs(inputs, exist_ok=True)
        for path in glob.glob(os.path.join(folder, "*.npy")):
            if os.path.basename(path)[:-4] not in case.names():
                shutil.copy(path, inputs)
        return [(os.path.join(folder, "layer.xml"), inputs)]
    model = onnx.load(os.path.join(folder, "model.onnx"))
    data = os.path.join(folder, "test_data_set_0")
    found = []
    for number, types in enumerate(signatures(case)):
        for output, (dtype, rank) in zip(model.graph.output, types):
            if output.type.HasField("tensor_type"):
                output.type.CopyFrom(onnx.helper.make_tensor_type_proto(dtype, [None] * rank))
        found += [written(model, data, case.folder, f"{number}"), with_constants(model, data, case.folder, f"{number}-constants")]
    return [one for one in found if one]


def signatures(case):
    """The element types and ranks of the outputs, of the alternatives each once."""
    found = []
    for result in case.results.values():
        types = [(element_type(output.get("dtype")), len(output.get("shape", []))) for output in result["outputs"].values()] if result else None
        if types and types not in found:
            found.append(types)
    return found


def element_type(dtype):
    names = {"float32": "FLOAT", "float64": "DOUBLE"}
    name = names.get(dtype, str(dtype).upper().replace("_", "").replace("FLOAT8E8M0FNU", "FLOAT8E8M0").replace("FLOAT4E2M1FN", "FLOAT4E2M1"))
    return onnx.TensorProto.DataType.Value(name) if name in onnx.TensorProto.DataType.keys() else 0


def written(model, data, folder, name):
    place = os.path.join(folder, name)
    os.makedirs(place, exist_ok=True)
    for path in glob.glob(os.path.join(data, "input_*.pb")):
        shutil.copy(path, place)
    onnx.save(model, os.path.join(place, "model.onnx"))
    return os.path.join(place, "model.onnx"), place


def with_constants(model, data, folder, name):
    """All inputs but the first are initializers, if they are tensors; else nothing."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    rest = list(model.graph.input)[1:]
    files = [os.path.join(data, f"input_{k}.pb") for k in range(1, len(rest) + 1)]
    if not rest or not all(value.type.HasField("tensor_type") and os.path.exists(file) for value, file in zip(rest, files)):
        return None
    for value, file in zip(rest, files):
        tensor = onnx.load_tensor(file)
        tensor.name = value.name
        model.graph.initializer.append(tensor)
        model.graph.input.remove(value)
    place = os.path.join(folder, name)
    os.makedirs(place, exist_ok=True)
    shutil.copy(os.path.join(data, "input_0.pb"), place)
    onnx.save(model, os.path.join(place, "model.onnx"))
    return os.path.join(place, "model.onnx"), place


def answer(opref, case, runtime, asked):
    """Of a runtime in a case: UNSUPPORTED, REFUSED, OTHER for another value, or the numbers of the alternatives whose outputs it returns:
    "0", "02"."""
    said = UNSUPPORTED
    for model, inputs in asked:
        status, folder = runtime.ask(model, inputs)
        if status == "ok":
            return "".join(str(case.reading.alternatives.index(one)) for one in matched(opref, case, folder)) or OTHER
        if status == "error":
            said = REFUSED
    return said


def matched(opref, case, folder):
    """The alternatives as which these outputs pass; beside another reading, if none passes alone."""
    files = files_by_place(folder, case.names())
    if files is None:
        return []
    given = {alternative: result for alternative, result in case.results.items() if result}
    found = [alternative for alternative in given if case.judged(opref, alternative, files)]
    if found:
        return found
    beside = {(reading["name"], other) for result in given.values() for node in result["nodes"] for reading in node["readings"]
              for other in reading["others"] + reading["possible"] if reading["name"] != case.reading.name}
    return sorted({alternative for alternative in given for name, other in sorted(beside)
                   if case.judged(opref, alternative, files, ["--reading", f"{name}={other}"])})


def files_by_place(folder, names):
    """Of output K the file output_K."""
    found = {}
    for k, name in enumerate(names):
        paths = [path for end in ("pb", "npy") if os.path.exists(path := os.path.join(folder, f"output_{k}.{end}"))]
        if not paths:
            return None
        found[name] = paths[0]
    return found
