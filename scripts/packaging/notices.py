# SPDX-License-Identifier: Apache-2.0
"""Collects the notices of what is compiled and linked into opref: which Debian packages its headers and archives are from,
their copyright files, and the licences that these name. A file that is from no package ends it with an error."""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMON = "/usr/share/common-licenses"
NO_CODE = {"linux-libc-dev"}  # numbers of system calls


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def headers(build, sysroot):
    """The system's headers that the program's sources include, as the compiler wrote them down."""
    if os.path.exists(os.path.join(build, "build.ninja")):
        blocks = output("ninja", "-C", build, "-t", "deps").split("\n\n")
        text = "\n".join(block for block in blocks if re.search(r"CMakeFiles/opref_(core|ops|cli)\.dir", block))
    else:
        text = ""
        for target in ("opref_core", "opref_ops", "opref_cli"):
            for folder, _, names in os.walk(os.path.join(build, "CMakeFiles", f"{target}.dir")):
                for name in filter(lambda name: name.endswith(".d"), names):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        text += file.read()
    named = {os.path.normpath(os.path.join(build, path)) for path in re.findall(r"(?<!\S)[^\s:]*/usr/[^\s:]+", text)}
    found = {path for path in named if path.startswith(("/usr/", f"{sysroot}/usr/"))}
    if not found:
        sys.exit(f"no header that the program includes is written down in {build}")
    return found


def archives(compiler, named):
    """The archives that the linker was told of, and those that the compiler adds."""
    own = ["libstdc++.a", "libgcc.a", "libgcc_eh.a", "libc.a", "libm.a"]
    return {os.path.normpath(path) for path in named + [output(compiler, f"-print-file-name={name}").strip() for name in own]}


def installed_paths(files, sysroot, compiler):
    """Where this machine has these files: those of a sysroot are unpacked, so that only the same packages of this machine's
    processor are known to its package manager."""
    if not sysroot:
        return files
    other, own = (output(program, "-dumpmachine").strip() for program in (compiler, "g++"))
    return {path.removeprefix(sysroot).replace(other, own) if path.startswith(sysroot) else path for path in files}


def packages_of(files):
    """The Debian packages that the files are from."""
    lines = output("dpkg-query", "--search", *sorted(files)).splitlines()
    found = {line.rpartition(": ")[2]: line.rpartition(": ")[0].split(", ")[0] for line in lines}
    if strangers := sorted(files - set(found)):
        sys.exit(f"from no Debian package, so that nothing says whose they are: {', '.join(strangers)}")
    return set(found.values())


def copy_notices(packages, folder):
    """One folder per source package, with the copyright file; returns "source, version, packages" for each."""
    sources = {}
    for package in sorted(packages):
        name, source, version = output("dpkg-query", "-W", "-f=${Package} ${source:Package} ${source:Version}", package).split()
        if name in NO_CODE:
            continue
        sources.setdefault((source, version), []).append(name)
        os.makedirs(os.path.join(folder, source), exist_ok=True)
        shutil.copyfile(f"/usr/share/doc/{name}/copyright", os.path.join(folder, source, "copyright"))
    return [(source, version, " ".join(names)) for (source, version), names in sorted(sources.items())]


def copy_licenses(folder):
    """The licences that the copyright files name by Debian's copies, and those that they build on."""
    named = {"LGPL-2.1", "LGPL-3", "GPL-3"}
    for source in os.listdir(folder):
        with open(os.path.join(folder, source, "copyright"), encoding="utf-8") as file:
            named |= set(re.findall(COMMON + r"/([A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*)", file.read()))
    os.makedirs(os.path.join(folder, "licenses"))
    for name in sorted(named):
        shutil.copyfile(os.path.join(COMMON, name), os.path.join(folder, "licenses", name))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--compiler", "--build", "--output", "--commit-header"):
        parser.add_argument(option, required=True)
    parser.add_argument("--sysroot", default="", help="the root of another processor's libraries")
    parser.add_argument("archives", nargs="*")
    arguments = parser.parse_args()
    sysroot = arguments.sysroot and os.path.normpath(arguments.sysroot)
    shutil.rmtree(arguments.output, ignore_errors=True)
    os.makedirs(arguments.output)
    files = headers(arguments.build, sysroot) | archives(arguments.compiler, arguments.archives)
    packages = packages_of(installed_paths(files, sysroot, arguments.compiler))
    rows = copy_notices(packages, arguments.output)
    copy_licenses(arguments.output)
    with open(arguments.commit_header, encoding="utf-8") as file:
        commit = re.search(r'"([^"]*)"', file.read()).group(1)
    with open(os.path.join(HERE, "notices.txt"), encoding="utf-8") as file:
        text = file.read()
    table = "\n".join(f"{source:16} {version:24} {names}" for source, version, names in rows)
    with open(os.path.join(arguments.output, "README"), "w", encoding="utf-8") as file:
        file.write(text.format(table=table, commit=commit))


main()
