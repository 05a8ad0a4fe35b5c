"""FORMAT.md, the exporter's tables and the engine's: the same keys with the same ranges in all three."""

import json
import os
import re
import subprocess
import unittest

from support import ROOT
from taco_export import schema
from taco_export.report import ExportError


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def engine_table(source, name):
    """{key: row} of a table of taco_config_key in C."""
    body = re.search(rf"struct taco_config_key {name}\[\] = \{{(.*?)\n\}};", read(source), re.S)[1]
    rows = re.split(r'(?:ROW|OTHER)\(|\{\.name = (?=")', body)[1:]
    return {re.match(r'"(\w+)"', row)[1]: row for row in rows}


def mechanism_tables():
    """{mechanism: {key: row}} of core/tacotron2/attention_NAME.c, macros expanded."""
    names = re.findall(r"ROW\((\w+)\)", read("core/tacotron2/attention.h"))
    tables = {}
    for name in names:
        text = subprocess.run(["cc", "-E", "-P", "-Iinclude", "-Icore", f"core/tacotron2/attention_{name}.c"],
                              cwd=ROOT, capture_output=True, text=True, check=True).stdout
        body = re.search(r"struct taco_config_key settings\[\] =\s*\{(.*?)\};", text, re.S)[1]
        rows = re.split(r"\.name = ", body)[1:]
        tables[name] = {re.match(r'"(\w+)"', row)[1]: row for row in rows if row.startswith('"')}
    return tables


def documented(heading):
    """Keys in the first column of the tables under a heading of FORMAT.md."""
    section = re.search(rf"\n#+ {heading}\n(.*?)(?=\n#+ |\Z)", read("models/FORMAT.md"), re.S)[1]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.M)
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)}


MODEL = engine_table("core/tacotron2/hparams.c", "model_keys")
MECHANISMS = mechanism_tables()
AUDIO = engine_table("core/vocoder/audio_params.c", "audio_keys")
RANGE = engine_table("core/vocoder/audio_params.c", "range_keys")
TEXT = set(re.findall(r'"(\w+)"', re.search(r"known\[\] = \{(.*?)\}", read("core/text/settings.c"), re.S)[1]))
TOP = set(re.findall(r'"(\w+)"', re.search(r"known\[\] = \{(.*?)\}", read("core/engine/voice_config.c"), re.S)[1]))
EXPORTED_ATTENTION = {key: row for table in schema.ATTENTION.values() for key, row in table.items()}


class Tables(unittest.TestCase):
    def test_same_keys(self):
        for engine, exporter, heading in [(set(MODEL), schema.MODEL, "model"),
                                          ({key for table in MECHANISMS.values() for key in table},
                                           EXPORTED_ATTENTION, r"model\.attention, .*?"),
                                          (set(AUDIO), schema.AUDIO, "audio"), (TEXT, schema.TEXT, "text"),
                                          (TOP, schema.TOP, "config")]:
            self.assertGreater(len(engine), 5, heading)
            self.assertEqual(engine, set(exporter), heading)
            self.assertEqual(engine, documented(heading), heading)
        self.assertEqual(set(RANGE), set(schema.RANGE))

    def test_mechanisms(self):
        """Every mechanism has the same keys, obligations and ranges here and there."""
        self.assertEqual(set(MECHANISMS), set(schema.ATTENTION))
        for name, table in MECHANISMS.items():
            exporter = schema.ATTENTION[name]
            self.assertEqual(set(table), set(exporter), name)
            for key, row in table.items():
                free = ".optional = 1" in row or ".optional = true" in row or ".applies" in row
                check, required = exporter[key]
                self.assertEqual(required, not free, (name, key))
                limits = re.search(r"\.min = ([-\d.]+), \.max = (\w+|[\d.]+)", row)
                if not limits or limits[2] == "MAX_COMPONENTS":
                    continue
                number = float if "TACO_KEY_REAL" in row else int
                low, high = number(limits[1]), number(limits[2])
                step = (high - low) / 100 if number is float else 1
                for value, good in ((low, True), (high, True), (low - step, False), (high + step, False)):
                    self.assertEqual(bool(check(value)), good, (name, key, value))

    def test_same_ranges(self):
        n = 0
        for engine, exporter in [(MODEL, schema.MODEL), (AUDIO, schema.AUDIO), (RANGE, schema.RANGE)]:
            for key, row in engine.items():
                kind = re.match(r'"\w+", (INT|ODD|REAL)\b', row)
                if not kind or key in ("mel_power", "max_frames_per_symbol"):
                    continue
                low, high = re.search(r"(?:RANGE|BELOW)\(([^,]+), ([^)]+)\)", row).groups()
                limits = {"TACO_MAX_CONVOLUTIONS": "16", "TACO_MAX_SELF_ATTENTION": "8", "TACO_MAX_HEADS": "32"}
                number = float if kind[1] == "REAL" else int
                low, high = number(low), number(limits.get(high, high))
                check = exporter[key][0]
                self.assertEqual(bool(check(low)), "open_min" not in row, key)
                self.assertEqual(bool(check(high)), not ("open_max" in row or "BELOW" in row), key)
                step = 1 if number is int else max(abs(high), abs(low)) / 100
                self.assertFalse(check(low - step), key)
                self.assertFalse(check(high + step), key)
                for wrong in [None, True, "1", [1], float("nan")] + [1.0] * (number is int):
                    self.assertFalse(check(wrong), (key, wrong))
                n += 1
        self.assertGreater(n, 25)

    def test_same_obligation(self):
        for engine, exporter in [(MODEL, schema.MODEL), (AUDIO, schema.AUDIO), (RANGE, schema.RANGE)]:
            for key, row in engine.items():
                free = "DEFAULT(" in row or "optional" in row or "IF(" in row
                self.assertEqual(exporter[key][1], not free, key)


class Config(unittest.TestCase):
    """The shipped voice's config is allowed; a fault of it is told."""

    def setUp(self):
        with open(os.path.join(ROOT, "models/slt.safetensors"), "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        self.config = json.loads(header["__metadata__"]["config"])

    def refused(self, section, key, value, message):
        at = self.config[section] if section else self.config
        before = dict(at)
        at[key] = value
        with self.assertRaisesRegex(ExportError, message):
            schema.check_config(self.config)
        at.clear()
        at.update(before)
        schema.check_config(self.config)

    def test_shipped(self):
        schema.check_config(self.config)

    def test_faults(self):
        for section, key, value, message in [
                ("", "name", "two words", "name"), ("", "name", "..", "name"),
                ("", "language", "en_US", "language"),
                ("", "speakers", ["a"], "speaker_mode"), ("", "speakers", [""], "speakers"),
                ("", "version", 1, "version"),
                ("model", "prenet_dropout", 0.99999999999, "prenet_dropout"),
                ("model", "min_steps", True, "min_steps"),
                ("audio", "mel_power", True, "mel_power"), ("audio", "mel_power", 1.5, "mel_power"),
                ("audio", "hop_length", 1, "hop_length"), ("audio", "hop_length", 8192, "hop_length"),
                ("audio", "log_floor", 1e-31, "log_floor"),
                ("text", "punctuation", "☃", "punctuation"), ("text", "bos", "☃", "bos"),
                ("text", "arpabet_prefix", "@" * 33, "arpabet_prefix"),
                ("text", "symbols", [""], "symbols")]:
            with self.subTest(key=key, value=value):
                self.refused(section, key, value, message)


if __name__ == "__main__":
    unittest.main()
