"""The restricted reader: what it reads it reads as torch does, and nothing in a file is ever run."""

import io
import os
import pickle
import random
import struct
import zipfile

import numpy as np
from support import CASES, ExportTest, needs_torch, torch

from taco_export import checkpoint
from taco_export.report import ExportError


class Call:
    """Pickled, it becomes a call of any function: what malicious files are made of."""

    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


def zip_of(pickled, storages=(), root="archive"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{root}/data.pkl", pickled)
        for key, data in dict(storages).items():
            archive.writestr(f"{root}/data/{key}", data)
        archive.writestr(f"{root}/version", "3\n")
    return out.getvalue()


def legacy_of(pickled, *, system=None):
    head = [checkpoint.LEGACY_MAGIC, checkpoint.LEGACY_PROTOCOL,
            {"little_endian": True, "protocol_version": 1001} if system is None else system]
    return (b"".join(pickle.dumps(part, 2) for part in head) + pickled + pickle.dumps([], 2))


def tensor_pickle(n_elements, offset, shape, strides, kind="FloatStorage", key="0"):
    """{"w": a tensor}, in the opcodes that torch.save writes."""
    def put(value):
        return pickle.dumps(value, 2)[2:-1]

    def glob(module, name):
        return b"c" + module.encode() + b"\n" + name.encode() + b"\n"

    pid = (b"(" + put("storage") + glob("torch", kind) + put(key) + put("cpu") + put(n_elements)
           + b"tQ")
    tensor = (glob("torch._utils", "_rebuild_tensor_v2") + b"(" + pid + put(offset) + put(shape)
              + put(strides) + put(False) + glob("collections", "OrderedDict") + b")R" + b"tR")
    return b"\x80\x02}" + put("w") + tensor + b"s."


class Malicious(ExportTest):
    def setUp(self):
        super().setUp()
        self.mark = self.path("it-was-run")

    def refuses(self, data, pattern):
        with self.assertRaisesRegex(ExportError, pattern):
            checkpoint.load(data)
        self.assertFalse(os.path.exists(self.mark))

    def both(self, value, pattern, protocol=2):
        pickled = pickle.dumps(value, protocol)
        self.refuses(zip_of(pickled), pattern)
        self.refuses(legacy_of(pickled), pattern)

    def test_the_attack_itself_works_on_an_ordinary_unpickler(self):
        pickle.loads(pickle.dumps(Call(os.system, f"touch {self.mark}"), 2))
        self.assertTrue(os.path.exists(self.mark))

    def test_system(self):
        for protocol in (2, 3, 4, 5):
            self.both(Call(os.system, f"touch {self.mark}"), r"posix\.system", protocol)

    def test_nested_in_a_state_dict(self):
        self.both({"model": {"a": [1, (2, {"b": Call(os.mkdir, self.mark)})]}}, r"posix\.mkdir")

    def test_builtins(self):
        self.both(Call(eval, f"open({self.mark!r}, 'w')"), r"builtins\.eval")
        self.both(Call(exec, f"open({self.mark!r}, 'w')"), r"builtins\.exec")
        self.both(Call(getattr, (), "count"), r"builtins\.getattr")
        self.both(Call(__import__, "os"), r"builtins\.__import__")
        self.both(Call(open, self.mark, "w"), r"io\.open")

    def test_names_with_dots(self):
        """STACK_GLOBAL of a known module with an attribute path behind it."""
        pickled = (b"\x80\x04\x8c\x0bcollections\x8c\x20OrderedDict.__init__.__globals__\x93.")
        self.refuses(zip_of(pickled), r"OrderedDict\.__init__")
        self.refuses(zip_of(b"\x80\x02ctorch\nload\n."), r"torch\.load")
        self.refuses(zip_of(b"\x80\x02ctorch._utils\n_rebuild_from_type_v2\n."), "_rebuild_from_type_v2")
        self.refuses(zip_of(b"\x80\x02cnumpy\nload\n."), r"numpy\.load")

    def test_old_opcodes(self):
        self.refuses(zip_of(b"(S'touch " + self.mark.encode() + b"'\nios\nsystem\n."), r"os\.system")
        self.refuses(zip_of(b"(cos\nsystem\nS'touch " + self.mark.encode() + b"'\no."), r"os\.system")
        self.refuses(zip_of(b"\x80\x02\x82\x01."), "damaged pickle")  # EXT1, an unknown code

    def test_in_the_first_pickles_of_the_older_format(self):
        self.refuses(legacy_of(pickle.dumps({}, 2), system=Call(os.system, f"touch {self.mark}")),
                     r"posix\.system")

    def test_state_of_an_object_is_not_set_on_a_class(self):
        """BUILD with a slot state sets attributes; on the known names that must do no harm."""
        for glob in (b"ctorch._utils\n_rebuild_tensor_v2\n", b"ccollections\nOrderedDict\n"):
            pickled = b"\x80\x02" + glob + b"N}X\x08\x00\x00\x00__call__K\x01s\x86b."
            try:
                checkpoint.load(zip_of(pickled))
            except ExportError:
                pass
        self.assertEqual(type(checkpoint.load(zip_of(pickle.dumps({"a": 1}, 2)))), dict)

    def test_scale_stats(self):
        array = np.empty((), object)
        array[()] = {"mel_mean": Call(os.system, f"touch {self.mark}")}
        np.save(self.path("stats.npy"), array, allow_pickle=True)
        with self.assertRaisesRegex(ExportError, r"posix\.system"):
            checkpoint.load_npy_dict(self.path("stats.npy"))
        self.assertFalse(os.path.exists(self.mark))


class Damaged(ExportTest):
    def refuses(self, data, pattern=""):
        with self.assertRaisesRegex(ExportError, pattern):
            value = checkpoint.load(data)
            value["w"].numpy()

    def test_not_a_checkpoint(self):
        for data in (b"", b"\x80", b"PK\x03\x04", b"hello", b"\0" * 100, b"\x80\x02.",
                     zip_of(b""), zip_of(b"."), legacy_of(b".")):
            self.refuses(data)
        self.refuses(zip_of(pickle.dumps({}, 2), root="a/b"), "without a data.pkl")
        self.refuses(pickle.dumps({"w": 1}, 2), "not written by torch.save")
        with self.assertRaisesRegex(ExportError, "No such file"):
            checkpoint.load(self.path("none.pth"))

    def test_tensors_beyond_their_storage(self):
        data = {"0": np.arange(12, dtype="<f4").tobytes()}
        good = checkpoint.load(zip_of(tensor_pickle(12, 0, (3, 4), (4, 1)), data))
        self.assertEqual(good["w"].numpy()[2, 3], 11)
        turned = checkpoint.load(zip_of(tensor_pickle(12, 0, (4, 3), (1, 4)), data))
        np.testing.assert_array_equal(turned["w"].numpy(), good["w"].numpy().T)
        for offset, shape, strides in ((1, (3, 4), (4, 1)), (0, (4, 4), (4, 1)), (0, (3, 4), (5, 1)),
                                       (12, (1,), (1,)), (0, (1 << 62, 1 << 62), (1, 1)),
                                       (-1, (3,), (1,)), (0, (-3,), (1,)), (0, (3,), (-1,)),
                                       (0, (3, 4), (4,)), (0, (1,) * 20, (1,) * 20),
                                       (0, ("3",), (1,)), (0.0, (3,), (1,))):
            self.refuses(zip_of(tensor_pickle(12, offset, shape, strides), data))

    def test_storages(self):
        good = tensor_pickle(12, 0, (12,), (1,))
        self.refuses(zip_of(good), "not in the file")
        self.refuses(zip_of(good, {"0": b"\0" * 40}), "40 bytes for 12 elements")
        self.refuses(zip_of(tensor_pickle(1 << 60, 0, (1,), (1,)), {"0": b"\0" * 48}), "48 bytes")
        self.refuses(zip_of(tensor_pickle(-1, 0, (0,), (1,)), {"0": b""}), "damaged size")
        self.refuses(zip_of(tensor_pickle(12, 0, (1,), (1,), "QUInt8Storage"), {"0": b"\0" * 48}),
                     r"torch\.QUInt8Storage")
        self.refuses(zip_of(b"\x80\x02X\x01\x00\x00\x00aQ."), "unknown reference")

    def test_costly_pickles(self):
        self.refuses(zip_of(b"\x80\x02Nr\xff\xff\xff\x7f."), "absurd memo")
        self.refuses(zip_of(b"\x80\x02" + b"]" * 100000 + b"a" * 99999 + b"."), "nested too deeply")
        self.refuses(zip_of(b"\x80\x04\x8e" + struct.pack("<Q", 1 << 60) + b"."), "damaged pickle")

    def test_wrong_containers(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("m/data.pkl", pickle.dumps({}, 2))
            archive.writestr("m/code/__torch__.py", "")
        self.refuses(out.getvalue(), "TorchScript")
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("m/data.pkl", pickle.dumps({}, 2) * 50)
        self.refuses(out.getvalue(), "compressed")
        self.refuses(legacy_of(pickle.dumps({}, 2), system={"little_endian": False}), "big-endian")

    def test_truncated_and_mutated(self):
        """Whatever happens to the bytes, the answer is a value or an ExportError."""
        with open(os.path.join(CASES, "espnet_a_attforward/checkpoint.pth"), "rb") as f:
            whole = f.read()
        rng = random.Random(7)
        pickled = bytes(zipfile.ZipFile(io.BytesIO(whole)).read("checkpoint/data.pkl")
                        if "checkpoint/data.pkl" in zipfile.ZipFile(io.BytesIO(whole)).namelist()
                        else pickle.dumps({}, 2))
        variants = [whole[:n] for n in (10, 100, 1000, len(whole) // 2, len(whole) - 1)]
        variants += [zip_of(pickled[:n]) for n in range(0, len(pickled), 97)]
        variants += [legacy_of(pickled[:n]) for n in range(0, len(pickled), 397)]
        for _ in range(400):
            changed = bytearray(pickled)
            for _ in range(rng.randrange(1, 4)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            variants.append(zip_of(bytes(changed)))
        refused = 0
        for data in variants:
            try:
                checkpoint.load(data)
            except ExportError:
                refused += 1
        self.assertGreater(refused, len(variants) // 2)


@needs_torch
class AsTorchReads(ExportTest):
    def same(self, mine, theirs, where=""):
        if isinstance(theirs, torch.Tensor):
            wanted = theirs.detach()
            wanted = wanted.float() if wanted.dtype == torch.bfloat16 else wanted
            np.testing.assert_array_equal(mine.numpy(), wanted.numpy(), where)
            self.assertEqual(mine.numpy().dtype, wanted.numpy().dtype, where)
        elif isinstance(theirs, dict):
            self.assertEqual(list(mine), list(theirs), where)
            for key in theirs:
                self.same(mine[key], theirs[key], f"{where}.{key}")
        elif isinstance(theirs, (list, tuple)):
            self.assertEqual(len(mine), len(theirs), where)
            for i, item in enumerate(theirs):
                self.same(mine[i], item, f"{where}[{i}]")
        else:
            self.assertEqual(mine, theirs, where)

    def test_golden_checkpoints(self):
        for case, name in (("torchaudio_a_char", "checkpoint.pth"), ("nvidia_a", "checkpoint.pt"),
                           ("dle_a", "checkpoint.pt"), ("speechbrain_a", "model.ckpt"),
                           ("espnet_a_attloc", "checkpoint.pth")):
            path = os.path.join(CASES, case, name)
            self.same(checkpoint.load(path), torch.load(path, map_location="cpu"), case)

    def test_every_kind_in_both_formats(self):
        base = torch.arange(24.0).reshape(2, 3, 4)
        value = {"f32": base, "turned": base.permute(2, 0, 1), "part": base[:, 1:, ::2],
                 "scalar": torch.tensor(2.5), "empty": torch.zeros(0, 5), "f16": base.half(),
                 "bf16": base.bfloat16() / 7, "f64": base.double(), "i64": base.long(),
                 "i32": base.int(), "i16": base.short(), "i8": base.char(), "u8": base.byte(),
                 "bool": base > 3, "parameter": torch.nn.Parameter(base),
                 "others": [1, 2.5, "a", None, True, (1, 2), {"b": 3}], "spread": base[:, :1].expand(2, 9, 4)}
        for zipped in (True, False):
            torch.save(value, self.path("all.pth"), _use_new_zipfile_serialization=zipped)
            self.same(checkpoint.load(self.path("all.pth")), value)

    def test_numpy_values(self):
        value = {"loss": np.float64(0.25), "step": np.int64(7), "mean": np.arange(6.0).reshape(2, 3),
                 "turned": np.asfortranarray(np.arange(6.0).reshape(2, 3))}
        torch.save(value, self.path("numpy.pth"))
        mine = checkpoint.load(self.path("numpy.pth"))
        self.assertEqual((mine["loss"], mine["step"]), (0.25, 7))
        np.testing.assert_array_equal(mine["mean"], value["mean"])
        np.testing.assert_array_equal(mine["turned"], value["turned"])
