# SPDX-License-Identifier: Apache-2.0
# Tensors of .pt and .safetensors files, which this test writes as torch.save and safetensors do; what is refused, and that
# no pickle is executed.
# Usage: named_tensors_test.py OPREF
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts", "lab", "python"))
from named_tensors import (FLOATS, HEADER, LONGS, STORED, Call, Storage, checkpoint, pickled, save, save_safetensors, state,  # noqa: E402
                           tensor)

opref = os.path.abspath(sys.argv[1])
failures = 0


def complain(text):
    global failures
    failures += 1
    print(text)


def run(*arguments):
    ended = subprocess.run([opref, *arguments], capture_output=True, text=True)
    return ended.returncode, " ".join((ended.stdout + ended.stderr).split())


def gives(text, source):
    code, said = run("run", "Identity", source)
    if code != 0 or text not in said:
        complain(f"{source}: exit code {code}, not said: {text}: {said}")


def refuses(code, text, source):
    got, said = run("run", "Identity", source)
    if got != code or text not in said:
        complain(f"{source}: exit code {got}, not {code}; expected: {text}: {said}")


def tensors_of_torch():
    save("t.pt", tensor(FLOATS, 0, (3, 2), (1, 3)), STORED)
    gives("float32[3,2] sha256", "t.pt")
    gives("[[0. 3.] [1. 4.] [2. 5.]]", "t.pt")
    for protocol in (2, 3, 4, 5):
        save("s.pth", state(), STORED, protocol)
        gives("[[0. 1. 2.] [3. 4. 5.]]", "s.pth:conv.weight")
        gives("[1. 3.]", "input=s.pth:conv.bias")
    save("c.ckpt", checkpoint(), STORED)
    gives("[5 6 7]", "c.ckpt:step.0")
    gives("output: int64[] ", "c.ckpt:list.0")
    gives("[1. 3.]", "c.ckpt:model.conv.bias")
    save("b.pt", tensor(Storage("BFloat16Storage", "2", 2), 0, (2,), (1,)), {"2": b"\x80\x3f\x00\x40"})
    gives("bfloat16[2]", "b.pt")
    save("w.pt", tensor(FLOATS, 1, (1, 2), (2**63 - 1, 2)), STORED)  # a single row has no next one
    gives("[[1. 3.]]", "w.pt")
    save("e.pt", tensor(FLOATS, 0, (0, 3), (3, 1)), STORED)
    gives("float32[0,3]", "e.pt")
    refuses(2, "the .pt has 4 tensors: name one of model.conv.weight, model.conv.bias, step.0, list.0", "c.ckpt")
    refuses(2, "the .pt has no tensor 'model.conv.biass', did you mean 'model.conv.bias'?", "c.ckpt:model.conv.biass")


def shows(code, file, *texts):
    """All tensors of a file, one after the other."""
    got, said = run("show", file)
    if got != code or any(text not in said for text in texts):
        complain(f"show {file}: exit code {got}, not {code}; expected: {texts}: {said}")


def files_are_shown():
    save("s.pth", state(), STORED)
    shows(0, "s.pth", "s.pth:conv.weight: float32[2,3]", "s.pth:conv.bias: float32[2]")
    shows(0, "s.pth:conv.bias", "s.pth:conv.bias: float32[2]")
    save("c.ckpt", checkpoint(), STORED)
    shows(0, "c.ckpt", "c.ckpt:model.conv.weight: float32", "c.ckpt:step.0: int64[3]", "c.ckpt:list.0: int64[]")
    save_safetensors("m.safetensors", {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
                                       "b": {"dtype": "F16", "shape": [2], "data_offsets": [4, 8]}}, b"\0" * 8)
    shows(0, "m.safetensors", "m.safetensors:a: float32[1]", "m.safetensors:b: float16[2]")
    shows(2, "m.safetensors:c", "has no tensor 'c' (there are a, b)")
    with open("text.pt", "w") as file:
        file.write("none")
    shows(2, "text.pt", "neither .npy")


def refused_of_torch():
    save("evil.pt", {"w": Call(os.system, "touch PWNED")}, STORED)
    refuses(5, "the pickle calls 'posix.system': of a pickle only tensors and dicts are read", "evil.pt")
    save("eval.pt", {"w": Call(eval, "open('PWNED', 'w')")}, STORED, 4)
    refuses(5, "the pickle calls 'builtins.eval'", "eval.pt")
    if os.path.exists("PWNED"):
        complain("a pickle was executed")
    save("short.pt", tensor(FLOATS, 4, (3,), (1,)), STORED)
    refuses(3, "the tensor's last element is 6 of its storage, which has 6", "short.pt")
    save("far.pt", tensor(FLOATS, 2 ** 62, (2, 2), (2 ** 62, 1)), STORED)
    refuses(4, "", "far.pt")
    save("none.pt", tensor(Storage("LongStorage", "9", 3), 0, (3,), (1,)), STORED)
    refuses(3, "the archive has no member 'archive/data/9'", "none.pt")
    save("huge.pt", tensor(FLOATS, 0, (2 ** 40, 2 ** 10), (0, 0)), STORED)
    refuses(6, "the limit", "huge.pt")
    circle = []
    circle.append(circle)
    save("circle.pt", circle, STORED)
    refuses(5, "nested more than 64 deep", "circle.pt")
    save("empty.pt", {"epoch": 3}, STORED)
    refuses(2, "the .pt has no tensors", "empty.pt")
    with open("old.pt", "wb") as file:
        file.write(bytes.fromhex("80028a0a6cfc9c46f9206aa85019") + b".")
    refuses(5, "of PyTorch before 1.6", "old.pt")
    save("t.npz", tensor(FLOATS, 0, (3, 2), (1, 3)), STORED)
    refuses(2, "the file is one of torch.save: name it with .pt", "t.npz")


def broken_pickles():
    """Whatever is changed in a pickle, the program answers."""
    whole = pickled(checkpoint())
    numbers = random.Random(1)
    for _ in range(60):
        broken = bytearray(whole)
        for _ in range(numbers.randint(1, 3)):
            broken[numbers.randrange(len(broken))] = numbers.randrange(256)
        save("broken.pt", None, STORED, data=bytes(broken[:numbers.choice([len(broken), numbers.randrange(1, len(broken))])]))
        code, said = run("run", "Identity", "broken.pt:step.0")
        if code not in (0, 2, 3, 4, 5, 6):
            complain(f"exit code {code} of a broken pickle: {said}")


def tensors_of_safetensors():
    data = STORED["0"] + b"\x80\x3f\x00\x40"
    save_safetensors("m.safetensors", HEADER, data)
    gives("[[0. 1. 2.] [3. 4. 5.]]", "m.safetensors:w")
    gives("bfloat16[2]", "m.safetensors:b")
    refuses(2, "the .safetensors has 2 tensors: name one of w, b, as in FILE.safetensors:w", "m.safetensors")
    refuses(2, "has no tensor 'v'", "m.safetensors:v")
    one = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
    for header, code, text in (
            ({"w": {**one, "data_offsets": [0, 20]}}, 3, "float32[2,3] takes 24 bytes, but"),
            ({"w": {**one, "data_offsets": [8, 32]}}, 3, "ends at 32, but the file has 28 bytes after its header"),
            ({"w": {**one, "data_offsets": [24, 0]}}, 3, "data_offsets"),
            ({"w": {**one, "dtype": "F4"}}, 5, "'w.dtype' is 'F4', which is not read"),
            ({"w": {**one, "shape": [2 ** 62, 2 ** 62]}}, 3, "'w'"),
            ({"w": {**one, "shape": [-1]}}, 3, "'w.shape"),
            ({"w": [1]}, 3, "'w'"),
            ({}, 2, "the .safetensors has no tensors"),
            (b"{,", 3, "in the header")):
        save_safetensors("bad.safetensors", header, data)
        refuses(code, text, "bad.safetensors")
    with open("cut.safetensors", "wb") as file:
        file.write(b"\xff\xff\xff\xff\xff\xff\xff\x7f{")
    refuses(3, "does not begin with the size of its header", "cut.safetensors")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    tensors_of_torch()
    refused_of_torch()
    broken_pickles()
    tensors_of_safetensors()
    files_are_shown()
    os.chdir("/")
sys.exit(1 if failures else 0)
