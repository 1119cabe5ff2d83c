# SPDX-License-Identifier: Apache-2.0
"""The virtual environment with the Python peers, build/peers: onnx, onnxruntime, OpenVINO, numpy and mpmath from PyPI."""
import importlib.metadata
import os
import platform
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PEERS = os.path.join(ROOT, "build", "peers")
PYTHON = os.path.join(PEERS, "bin", "python")
PACKAGES = ["ml_dtypes", "mpmath", "numpy", "onnx", "onnxruntime", "openvino"]


def enter(*more):
    """Goes on inside the environment, with `more` packages of the script's own: the script starts anew with its Python.
    What is not there it installs."""
    complete = os.path.join(PEERS, "complete")
    present = open(complete, encoding="utf-8").read().split() if os.path.exists(complete) else []
    missing = [package for package in [*PACKAGES, *more] if package not in present]
    if not missing and os.path.realpath(sys.prefix) == os.path.realpath(PEERS):
        return
    if missing:
        print(f"installing {', '.join(missing)} from PyPI into {os.path.relpath(PEERS)}", file=sys.stderr)
        if subprocess.run([sys.executable, "-m", "venv", PEERS]).returncode:
            sys.exit("there is no virtual environment without Debian's python3-venv")
        try:
            pip_install(PYTHON, missing)
        except subprocess.CalledProcessError:
            sys.exit(f"pip cannot install {', '.join(missing)}: is there a network?")
        with open(complete, "w", encoding="utf-8") as file:
            file.write(" ".join([*present, *missing]))
    os.execv(PYTHON, [PYTHON, *sys.argv])


def install(packages):
    """More packages, as far as they are not there."""
    missing = [name for name in packages if not any(importlib.metadata.distributions(name=name))]
    if missing:
        print(f"installing {', '.join(missing)} from PyPI into {os.path.relpath(PEERS)}", file=sys.stderr)
        pip_install(PYTHON, missing)


def pip_install(python, packages):
    """Raises CalledProcessError, and pip says why."""
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)


def version(package):
    return importlib.metadata.version(package)


def versions():
    """One line for a heading: "onnx 1.23.2, …, Python 3.11.7"."""
    return ", ".join([f"{name} {version(name)}" for name in PACKAGES] + [f"Python {platform.python_version()}"])


def machine():
    """One line: the processor's name and how many of its cores there are."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def opref(path=None):
    """The opref to use: `path`, or else the release build, which it brings up to date."""
    if path is None:
        subprocess.run([os.path.join(ROOT, "scripts", "build"), "release", "opref"], check=True, stdout=sys.stderr)
        path = os.path.join(ROOT, "build", "release", "opref")
    elif not os.path.isfile(path) or not os.access(path, os.X_OK):
        sys.exit(f"{path} is no program")
    return os.path.abspath(path)


def official_cases():
    """ONNX's backend tests: the folder that OPREF_ONNX_CASES names, else ../shared/onnx-backend-tests, else Debian's."""
    candidates = [os.environ.get("OPREF_ONNX_CASES", ""), os.path.join(ROOT, "..", "shared", "onnx-backend-tests"),
                  "/usr/share/libonnx-testdata/data"]
    return next((os.path.normpath(path) for path in candidates if path and os.path.isdir(path)), None)
