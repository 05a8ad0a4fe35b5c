"""Builds tacod._native: a cffi extension module that contains the library.

The declarations come from the public headers in include/taco. The C compiler checks them
against the same headers, so a struct cannot differ from the library's.
"""
import os
import re
import subprocess

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, os.environ.get("TACO_BUILD", "build"))
# Each header follows the headers that it includes.
HEADERS = ("status", "voice", "text", "request", "result", "audio", "engine")

CALLBACKS = """
extern "Python" int tacod_on_audio(void *user, const float *samples, size_t n);
extern "Python" void tacod_on_done(void *user, enum taco_status status,
                                   const struct taco_error *err,
                                   const struct taco_result *result);
"""


def header(name: str) -> str:
    """A public header without comments and without what only C++ reads."""
    with open(os.path.join(ROOT, "include", "taco", name + ".h"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S).replace("\\\n", " ")
    return re.sub(r"^#ifdef __cplusplus$.*?^#endif$", "", text, flags=re.S | re.M)


def declarations() -> str:
    """The public headers in the form that cffi reads."""
    text = "\n".join(header(name) for name in HEADERS)
    constants = re.findall(r"^#define (TACO_\w+) +([(\d]|UINT)", text, flags=re.M)
    lengths = dict(re.findall(r"^#define (TACO_\w+) +(\d+)$", text, flags=re.M))
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = re.sub(r"\bTACO_(API|MUST_CHECK)\b", "", text)
    text = re.sub(r"\bTACO_PRINTF\([^)]*\)", "", text)
    for name, value in lengths.items():  # cffi reads lengths of arrays as numbers only
        text = text.replace(f"[{name}]", f"[{value}]")
    return text + "".join(f"#define {name} ...\n" for name, _ in constants) + CALLBACKS


def library() -> "tuple[str, list[str]]":
    """Builds libtaco.a. Returns its path and the linker flags of the libraries behind it."""
    if not os.path.exists(os.path.join(ROOT, "Makefile")):
        raise SystemExit("tacod: build this package inside a clone of the tacod repository: "
                         "pip install ./include/python")
    jobs = f"-j{os.cpu_count() or 1}"
    subprocess.run(["make", "-C", ROOT, jobs, f"BUILD={BUILD}", f"{BUILD}/libtaco.a",
                    f"{BUILD}/taco.pc"], check=True)
    with open(os.path.join(BUILD, "taco.pc"), encoding="utf-8") as file:
        private = re.search(r"^Libs\.private:(.*)$", file.read(), flags=re.M)
    if not private:
        raise SystemExit(f"tacod: {BUILD}/taco.pc has no line Libs.private")
    return os.path.join(BUILD, "libtaco.a"), private.group(1).split()


def builder() -> cffi.FFI:
    archive, flags = library()
    ffi = cffi.FFI()
    ffi.cdef(declarations())
    ffi.set_source("tacod._native", "".join(f"#include <taco/{name}.h>\n" for name in HEADERS),
                   include_dirs=[os.path.join(ROOT, "include")], extra_objects=[archive],
                   # An extension that is there already is built anew when these change.
                   depends=[archive] + [os.path.join(ROOT, "include", "taco", f"{name}.h")
                                        for name in HEADERS],
                   extra_link_args=flags + ["-Wl,--exclude-libs,ALL"])
    return ffi
