"""Reads the files of torch.save, the zip format and the older one, without running anything.

A pickle is a program: loading one may call any function that is importable. This reader knows the few
names that Tacotron 2 checkpoints need and refuses every other by its name. Tensors become NumPy
views of the mapped file; torch is not needed.
"""

import io
import pickle
import pickletools
import struct
import zipfile
from collections import OrderedDict

import numpy as np

from .report import ExportError

MAX_PICKLE_BYTES = 64 << 20
MAX_MEMO = 1 << 20
MAX_DIMS = 16

# The first two pickles of the older format (torch/serialization.py).
LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
LEGACY_PROTOCOL = 1001


class _StorageType:
    def __init__(self, name, dtype):
        self.name = name
        self.dtype = np.dtype(dtype)


BFLOAT16 = _StorageType("BFloat16Storage", "<u2")

_STORAGE_TYPES = {
    t.name: t
    for t in (
        _StorageType("FloatStorage", "<f4"),
        _StorageType("DoubleStorage", "<f8"),
        _StorageType("HalfStorage", "<f2"),
        BFLOAT16,
        _StorageType("LongStorage", "<i8"),
        _StorageType("IntStorage", "<i4"),
        _StorageType("ShortStorage", "<i2"),
        _StorageType("CharStorage", "i1"),
        _StorageType("ByteStorage", "u1"),
        _StorageType("BoolStorage", "?"),
    )
}


class _Storage:
    """One contiguous run of elements, found in the file only when it is asked for."""

    def __init__(self, kind, key, n_elements):
        self.kind = kind
        self.key = key
        self.n_elements = n_elements
        self.data = None  # bytes-like, set once the place in the file is known

    def elements(self):
        if self.data is None:
            raise ExportError(f"storage {self.key}: its data is not in the file (truncated?)")
        return np.frombuffer(self.data, self.kind.dtype, self.n_elements)


class Tensor:
    """A strided view of a storage; numpy() gives its values."""

    __slots__ = ("storage", "offset", "shape", "strides")

    def __init__(self, storage, offset, shape, strides):
        if not isinstance(storage, _Storage):
            raise ExportError("a tensor without a storage")
        shape, strides = tuple(shape), tuple(strides)
        numbers = (offset, *shape, *strides)
        if len(shape) != len(strides) or len(shape) > MAX_DIMS:
            raise ExportError(f"storage {storage.key}: tensor of {len(shape)} dimensions")
        if any(type(n) is not int or n < 0 for n in numbers):
            raise ExportError(f"storage {storage.key}: tensor with sizes {shape}, {strides}")
        last = offset + sum((n - 1) * s for n, s in zip(shape, strides))
        if 0 not in shape and last >= storage.n_elements:
            raise ExportError(f"storage {storage.key}: tensor {shape} ends outside of it")
        self.storage, self.offset, self.shape, self.strides = storage, offset, shape, strides

    def numpy(self):
        """The values; bfloat16 becomes float32."""
        flat = self.storage.elements()
        if self.storage.kind is BFLOAT16:
            flat = (flat.astype(np.uint32) << 16).view(np.float32)
        if 0 in self.shape:
            return np.zeros(self.shape, flat.dtype)
        strides = tuple(s * flat.itemsize for s in self.strides)
        view = np.lib.stride_tricks.as_strided(flat[self.offset:], self.shape, strides,
                                               writeable=False)
        return np.ascontiguousarray(view).reshape(self.shape)


# -- the names that a checkpoint may use ---------------------------------------------------

def _rebuild_tensor(storage, offset, shape, strides, *_):
    return Tensor(storage, offset, shape, strides)


def _rebuild_parameter(data, *_):
    return data


def _as_name(*args):
    return args[0] if args and isinstance(args[0], str) else "device"


def _encode(text, encoding="latin1"):
    if encoding not in ("latin1", "latin-1"):
        raise ExportError(f"bytes in encoding {encoding!r}")
    return text.encode("latin1")


class _AttrDict(dict):
    """Coqui's and Mozilla's configuration; their attributes are its items."""

    def __setstate__(self, state):
        pass


class _DefaultDict(dict):
    def __init__(self, *_):
        super().__init__()


class _NumpyType:
    """A numpy.dtype: kind and size only, and only plain numbers (or bytes and text)."""

    def __init__(self, code="f8", *_):
        dtype = np.dtype(code) if isinstance(code, str) and len(code) <= 8 else None
        if dtype is None or dtype.kind not in "biufSUO":
            raise ExportError(f"numpy values of type {code!r}")
        self.dtype = dtype

    def __setstate__(self, state):
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|", "="):
            self.dtype = self.dtype.newbyteorder(state[1])


def _numpy_scalar(kind, data=b""):
    if not isinstance(kind, _NumpyType) or not isinstance(data, bytes):
        raise ExportError("a damaged numpy number")
    if len(data) != kind.dtype.itemsize or kind.dtype.kind == "O":
        raise ExportError("a damaged numpy number")
    return np.frombuffer(data, kind.dtype, 1)[0].item()


class _NumpyArray:
    """A numpy.ndarray as it is pickled: made empty, then given its state."""

    def __init__(self, *_):
        self.array = None

    def __setstate__(self, state):
        try:
            _, shape, kind, fortran, data = state
            if kind.dtype.kind == "O":  # an array of objects is read as the list of them
                self.array = list(data)
                return
            array = np.frombuffer(data, kind.dtype).reshape(shape, order="F" if fortran else "C")
        except (TypeError, ValueError, AttributeError) as e:
            raise ExportError("a damaged numpy array") from e
        self.array = array


class _NumpyArrayClass:
    """Stands for the class numpy.ndarray, which a pickle names only to rebuild one."""


_KNOWN = {
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "defaultdict"): _DefaultDict,
    ("builtins", "set"): set,
    ("builtins", "list"): list,
    ("builtins", "dict"): dict,
    ("_codecs", "encode"): _encode,
    ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): _rebuild_parameter,
    ("torch", "Size"): tuple,
    ("torch", "device"): _as_name,
    ("TTS.utils.io", "AttrDict"): _AttrDict,
    ("TTS.utils.generic_utils", "AttrDict"): _AttrDict,
    **{("torch", name): kind for name, kind in _STORAGE_TYPES.items()},
    **{("torch", name): name for name in ("float32", "float64", "float16", "bfloat16", "int64",
                                          "int32", "int16", "int8", "uint8", "bool")},
}
for _core in ("numpy.core", "numpy._core"):
    _KNOWN[_core + ".multiarray", "scalar"] = _numpy_scalar
    _KNOWN[_core + ".multiarray", "_reconstruct"] = _NumpyArray
_KNOWN["numpy", "dtype"] = _NumpyType
_KNOWN["numpy", "ndarray"] = _NumpyArrayClass


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream, storages=None):
        super().__init__(stream, encoding="latin1")
        self._storages = storages

    def find_class(self, module, name):
        module = "builtins" if module == "__builtin__" else module  # Python 2's name
        try:
            return _KNOWN[module, name]
        except KeyError:
            raise ExportError(
                f"the file asks for {module}.{name}, which no Tacotron 2 checkpoint needs; "
                "nothing was run") from None

    def persistent_load(self, pid):
        if self._storages is None or not isinstance(pid, tuple) or len(pid) < 5:
            raise ExportError(f"an unknown reference in the file: {str(pid)[:80]}")
        tag, kind, key, _, n_elements = pid[:5]
        if isinstance(tag, bytes):
            tag = tag.decode("latin1")
        if tag != "storage" or not isinstance(kind, _StorageType):
            raise ExportError(f"an unknown reference in the file: {str(pid)[:80]}")
        if type(n_elements) is not int or n_elements < 0 or not isinstance(key, str):
            raise ExportError(f"storage {str(key)[:40]}: damaged size")
        if len(pid) > 5 and pid[5] is not None:
            raise ExportError(f"storage {key}: a view of another storage (PyTorch before 0.4)")
        storage = self._storages.get(key)
        if storage is None:
            storage = self._storages[key] = _Storage(kind, key, n_elements)
        elif storage.kind is not kind or storage.n_elements != n_elements:
            raise ExportError(f"storage {key}: described twice, differently")
        return storage


def _unpickle(stream, storages=None):
    """One pickle from the stream. The opcodes are looked through first: what follows costs memory
    in proportion to the file, and no more."""
    start = stream.tell()
    try:
        for op, arg, position in pickletools.genops(stream):
            if position - start > MAX_PICKLE_BYTES:
                raise ExportError("a pickle of over 64 MB: not a checkpoint")
            if "PUT" in op.name and int(arg) > MAX_MEMO:
                raise ExportError("a pickle with an absurd memo index: not a checkpoint")
        stream.seek(start)
        return _plain(_Unpickler(stream, storages).load())
    except ExportError:
        raise
    except RecursionError:
        raise ExportError("damaged pickle: nested too deeply") from None
    except Exception as e:  # a damaged pickle raises nearly anything
        raise ExportError(f"damaged pickle: {type(e).__name__}: {str(e)[:120]}") from e


def _plain(value, depth=0, seen=None):
    """Arrays for the stand-ins of NumPy's; containers are changed in place."""
    seen = set() if seen is None else seen
    if isinstance(value, _NumpyArray):
        if isinstance(value.array, list):
            return _plain(value.array, depth, seen)
        return value.array
    if depth > 200:
        raise ExportError("damaged pickle: nested too deeply")
    if isinstance(value, (dict, list)) and id(value) not in seen:
        seen.add(id(value))
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            value[key] = _plain(item, depth + 1, seen)
    elif isinstance(value, tuple):
        return tuple(_plain(item, depth + 1, seen) for item in value)
    return value


# -- the two containers --------------------------------------------------------------------

def _load_zip(stream, buffer):
    try:
        archive = zipfile.ZipFile(stream)
        names = {info.filename: info for info in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as e:
        raise ExportError(f"damaged zip file: {e}") from e
    if any(n.split("/", 1)[-1].startswith("code/") or n.endswith("/constants.pkl") for n in names):
        raise ExportError("a TorchScript module, not a checkpoint: export the state_dict that it "
                          "was made from")
    pickles = [n for n in names if n.count("/") == 1 and n.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise ExportError("a zip file without a data.pkl: not written by torch.save")
    root = pickles[0][:-len("data.pkl")]

    def record(name):
        info = names.get(root + name)
        if info is None:
            raise ExportError(f"{root}{name}: not in the file")
        if info.compress_type != zipfile.ZIP_STORED:
            raise ExportError(f"{root}{name}: compressed inside the zip; torch.save never does")
        # The local header's name and extra field may differ in length from the directory's.
        header = bytes(buffer[info.header_offset:info.header_offset + 30])
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise ExportError(f"{root}{name}: damaged zip file")
        n_name, n_extra = struct.unpack("<HH", header[26:30])
        begin = info.header_offset + 30 + n_name + n_extra
        if begin + info.file_size > len(buffer):
            raise ExportError(f"{root}{name}: ends outside of the file (truncated?)")
        return buffer[begin:begin + info.file_size]

    if root + "byteorder" in names and bytes(record("byteorder")) != b"little":
        raise ExportError("written on a big-endian machine")
    storages = {}
    pickled = record("data.pkl")
    if len(pickled) > MAX_PICKLE_BYTES:
        raise ExportError("a pickle of over 64 MB: not a checkpoint")
    value = _unpickle(io.BytesIO(bytes(pickled)), storages)
    for key, storage in storages.items():
        data = record("data/" + key)
        if len(data) < storage.n_elements * storage.kind.dtype.itemsize:
            raise ExportError(f"{root}data/{key}: {len(data)} bytes for {storage.n_elements} "
                              f"elements of {storage.kind.name}")
        storage.data = data
    return value


def _load_legacy(stream, buffer):
    if _unpickle(stream) != LEGACY_MAGIC or _unpickle(stream) != LEGACY_PROTOCOL:
        raise ExportError("not written by torch.save")
    system = _unpickle(stream)
    if not isinstance(system, dict) or system.get("little_endian") is not True:
        raise ExportError("written on a big-endian machine")
    storages = {}
    value = _unpickle(stream, storages)
    keys = _unpickle(stream)
    if not isinstance(keys, list):
        raise ExportError("damaged list of storages")
    position = stream.tell()
    for key in keys:
        if not isinstance(key, str) or key not in storages:
            raise ExportError(f"storage {str(key)[:40]}: in the list, but no tensor uses it")
        storage = storages[key]
        head = bytes(buffer[position:position + 8])
        n_bytes = storage.n_elements * storage.kind.dtype.itemsize
        if len(head) < 8 or struct.unpack("<q", head)[0] != storage.n_elements:
            raise ExportError(f"storage {key}: its size is not what its tensors say (truncated?)")
        position += 8
        if position + n_bytes > len(buffer):
            raise ExportError(f"storage {key}: ends outside of the file (truncated?)")
        storage.data = buffer[position:position + n_bytes]
        position += n_bytes
    return value


def load(source):
    """The object that torch.save was given, with Tensor for every tensor. source: a path or bytes."""
    try:
        if isinstance(source, bytes):
            buffer, stream = np.frombuffer(source, np.uint8), io.BytesIO(source)
        else:
            buffer, stream = np.memmap(source, np.uint8, "r"), open(source, "rb")
    except (OSError, ValueError) as e:
        raise ExportError(f"{source if not isinstance(source, bytes) else 'data'}: {e}") from e
    with stream:
        head = bytes(buffer[:8])
        if head[:4] == b"PK\x03\x04":
            return _load_zip(stream, buffer)
        if head[:1] != b"\x80":
            raise ExportError("not a file of torch.save (neither zip nor pickle)")
        return _load_legacy(stream, buffer)


def load_npy_dict(path):
    """The dict in a .npy file that numpy.save made of one (a pickled array of one object)."""
    try:
        with open(path, "rb") as f:
            version = np.lib.format.read_magic(f)
            read_header = {(1, 0): np.lib.format.read_array_header_1_0,
                           (2, 0): np.lib.format.read_array_header_2_0}.get(version)
            if read_header is None:
                raise ValueError(f"version {version}")
            shape, _, dtype = read_header(f)
            stream = io.BytesIO(f.read(MAX_PICKLE_BYTES))
    except (OSError, ValueError) as e:
        raise ExportError(f"{path}: {e}") from e
    if shape != () or dtype != np.dtype(object):
        raise ExportError(f"{path}: expected one dict, found an array {shape} of {dtype}")
    value = _unpickle(stream)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        raise ExportError(f"{path}: expected one dict")
    return value
