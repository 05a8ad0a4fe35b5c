"""Packages of PyPI and npm that the system does not have: virtual environments and unpacked archives.

Only the ordinary clients are used (pip, npm), with the registries that they are configured for."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile

SYSTEM_PYTHON = "/usr/bin/python3"


class Unreachable(Exception):
    """A package could not be had: no client, no registry, or not these versions."""


def _call(what, command, cwd=None):
    if not shutil.which(command[0]):
        raise Unreachable(f"{what}: {command[0]} is not installed")
    result = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)
    if result.returncode:
        last = (result.stderr.strip() or result.stdout.strip() or "no message").splitlines()[-1]
        raise Unreachable(f"{what}: {last}")


def environment(folder, requirements):
    """The python of a virtual environment in folder with these requirements ("name==version"), made unless it is
    there with the same ones."""
    python, marker = os.path.join(folder, "bin/python"), os.path.join(folder, "requirements")
    wanted = "\n".join(requirements) + "\n"
    if os.path.exists(marker):
        with open(marker, encoding="ascii") as f:
            if f.read() == wanted:
                return python
    shutil.rmtree(folder, ignore_errors=True)
    _call("venv", [SYSTEM_PYTHON, "-m", "venv", folder])
    _call(", ".join(requirements), [python, "-m", "pip", "install", "-q", *requirements])
    with open(marker, "w", encoding="ascii") as f:
        f.write(wanted)
    return python


def _pip(folder, requirement, *kind):
    """Unpacks a file of PyPI, without its dependencies, into folder/name; returns that path."""
    place = os.path.join(folder, requirement.split("==")[0])
    if not os.path.isdir(place):
        _download(folder, requirement,
                  [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *kind, "-d", ".", requirement], place)
    return place


def wheel(folder, requirement):
    """Unpacks a wheel of PyPI into folder/name; returns that path."""
    return _pip(folder, requirement, "--only-binary", ":all:")


def source(folder, requirement):
    """Unpacks a source distribution of PyPI into folder/name; returns the folder in it."""
    place = _pip(folder, requirement, "--no-binary", requirement.split("==")[0])
    return os.path.join(place, os.listdir(place)[0])


def npm(folder, requirement):
    """Unpacks a package of npm ("name@version") into folder/name; returns its folder `package`."""
    place = os.path.join(folder, requirement.split("@")[0])
    if not os.path.isdir(place):
        _download(folder, requirement, ["npm", "pack", "--silent", requirement], place)
    return os.path.join(place, "package")


def _download(folder, requirement, command, place):
    partial = place + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    _call(requirement, command, cwd=partial)
    for name in os.listdir(partial):
        path = os.path.join(partial, name)
        if name.endswith(".whl"):
            with zipfile.ZipFile(path) as z:
                z.extractall(partial)
        else:
            _call(requirement, ["tar", "-xzf", name], cwd=partial)
        os.unlink(path)
    os.replace(partial, place)


def check_sha256(path, wanted):
    with open(path, "rb") as f:
        found = hashlib.file_digest(f, "sha256").hexdigest()
    if found != wanted:
        raise Unreachable(f"{path}: SHA-256 {found}, expected {wanted}")
