# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel from what `cmake --install` put into a folder: the program on PATH, its manual, completions and notices,
and the module opref. Usage: wheel.py STAGE OUTPUT-FOLDER [EMULATOR], which starts a program of another processor"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of ELF's header

METADATA = """\
Metadata-Version: 2.1
Name: opref
Version: {version}
Summary: evaluates neural-network operators as their specification says
Author: The maintainers of opref
License: Apache-2.0
Requires-Python: >=3.8
Requires-Dist: numpy
Provides-Extra: onnx
Requires-Dist: onnx; extra == 'onnx'
Requires-Dist: ml_dtypes; extra == 'onnx'
Description-Content-Type: text/markdown

{readme}"""

ENTRY_POINTS = """\
[pytest11]
opref = opref.pytest_plugin
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: opref
Root-Is-Purelib: false
Tag: {tag}
"""


def files_below(folder):
    """The paths of the files below a folder, relative to it, in order of their names."""
    found = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if not name.endswith(".pyc")]
    return sorted(os.path.relpath(path, folder) for path in found)


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def wheel_tag(program):
    """The program is static: any Linux of its processor runs it."""
    machine = int.from_bytes(program[18:20], "little")
    if program[:4] != b"\x7fELF" or machine not in MACHINES:
        sys.exit("the program is none for Linux on x86-64 or aarch64")
    return f"py3-none-manylinux2014_{MACHINES[machine]}"


def members(stage, version, tag):
    """What the wheel holds: each member's name, bytes and whether it is a program."""
    program = os.path.join(stage, "bin", "opref")
    data, info = f"opref-{version}.data", f"opref-{version}.dist-info"
    yield f"{data}/scripts/opref", read(program), True
    for path in files_below(os.path.join(stage, "share")):
        yield f"{data}/data/share/{path}", read(stage, "share", path), False
    for path in files_below(os.path.join(HERE, "python")):
        yield path, read(HERE, "python", path), False
    readme = read(ROOT, "README.md").decode()
    yield f"{info}/METADATA", METADATA.format(version=version, readme=readme).encode(), False
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), False
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), False


def write_wheel(path, contents, record):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        lines = []
        for name, data, is_program in contents:
            add(archive, name, data, is_program)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
        add(archive, record, "".join([*lines, f"{record},,\n"]).encode(), False)


def add(archive, name, data, is_program):
    """With a fixed time, so that the same files make the same wheel."""
    member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = (0o100755 if is_program else 0o100644) << 16
    archive.writestr(member, data)


def main():
    stage, folder, *emulator = sys.argv[1:]
    program = os.path.join(stage, "bin", "opref")
    said = subprocess.run([*emulator, program, "--version"], check=True, capture_output=True, text=True).stdout
    version = re.match(r"opref (\S+)\n", said).group(1)
    tag = wheel_tag(read(program))
    write_wheel(os.path.join(folder, f"opref-{version}-{tag}.whl"), members(stage, version, tag), f"opref-{version}.dist-info/RECORD")


main()
