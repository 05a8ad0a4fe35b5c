"""tacod batch: lists, folders, runs that are ended, lines that fail."""

import json
import os
import resource
import signal
import subprocess
import time
import wave

from command import CommandCase, PATIENCE, TACOD


class Batch(CommandCase):
    def batch(self, *arguments, code=0, **options):
        return self.run_tacod("batch", *arguments, code=code, **options).stderr.decode()

    def lines(self, name):
        return [json.loads(line) for line in self.read(name).splitlines()]

    def manifest(self, folder="out"):
        return {entry["id"]: entry for entry in self.lines(f"{folder}/manifest.jsonl")}

    def seconds(self, name):
        with wave.open(self.path(name)) as w:
            return w.getnframes() / w.getframerate()

    def test_a_list_of_columns(self):
        self.write("list", b"a1\tHello, world.\n\nb-2.x\tIt costs $5.\r\n")
        said = self.batch("list", "-o", "out", "-a", "json", "-a", "TextGrid", "--seed", "3")
        self.assertRegex(said, r"^2 spoken \(\d+\.\d s of speech in \d+\.\d s\), 0 done before, 0 failed\n$")
        done = self.manifest()
        self.assertEqual(done["b-2.x"]["spoken"], "it costs five dollars")
        self.assertEqual(done["b-2.x"]["text"], "It costs $5.")
        self.assertEqual((done["a1"]["seed"], done["a1"]["ok"]), (3, True))
        for entry in done.values():
            self.assertAlmostEqual(self.seconds("out/" + entry["audio"]), entry["seconds"], delta=1e-3)
        self.assertEqual(json.loads(self.read("out/alignments/a1.json"))["id"], "a1")
        self.assertEqual(sorted(os.listdir(self.path("out/alignments"))),
                         ["a1.TextGrid", "a1.json", "b-2.x.TextGrid", "b-2.x.json"])
        self.assertEqual(self.read("out/metadata.csv"),
                         b"a1|Hello, world.|hello world\nb-2.x|It costs $5.|it costs five dollars\n")
        self.assertEqual(self.read("out/failures.jsonl"), b"")
        one = self.run_tacod("say", "Hello, world.", "--seed", "3").stdout
        self.assertEqual(self.read("out/wavs/a1.wav"), one)

    def test_its_own_metadata_is_a_list(self):
        self.write("list", b"LJ1|In 1849, he left.|In eighteen forty-nine, he left.\n")
        self.batch("list", "-o", "out")
        self.assertEqual(self.manifest()["LJ1"]["text"], "In 1849, he left.")

    def test_a_list_of_objects(self):
        self.write("list", b'{"id": "slow", "text": "Hello, world.", "speed": 0.5, "seed": 1}\n'
                           b'{"id": "fast", "text": "Hello, world.", "speed": 2, "seed": 1}\n'
                           b'{"id": "plain", "text": "Hello, world."}\n')
        self.batch("-", "-o", "out", "--format", "flac", "--seed", "9", stdin=self.read("list"))
        done = self.manifest()
        self.assertGreater(done["slow"]["seconds"], 3 * done["fast"]["seconds"])
        self.assertEqual([done[i]["seed"] for i in ("slow", "fast", "plain")], [1, 1, 9])
        self.assertEqual(done["plain"]["audio"], "wavs/plain.flac")
        self.assertEqual(self.read("out/wavs/plain.flac")[:4], b"fLaC")

    def test_a_run_that_is_killed_goes_on(self):
        text = "The birch canoe slid on the smooth planks, and the rest of us stayed behind. " * 2
        self.write("list", "".join(f"i{n:03d}\t{n}. {text}\n" for n in range(12)).encode())
        options = ("list", "-o", "out", "--seed", "1", "--rows", "2", "--threads", "1", "-q")
        process = subprocess.Popen([TACOD, "batch", *options], cwd=self.folder)
        manifest = self.path("out/manifest.jsonl")
        end = time.monotonic() + PATIENCE
        while not (os.path.exists(manifest) and os.path.getsize(manifest)):
            self.assertLess(time.monotonic(), end)
            self.assertIsNone(process.poll())
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        with open(manifest, "ab") as file:
            file.write(b'{"id": "i0')  # half a line
        before = self.read("out/manifest.jsonl").count(b"\n")
        self.assertLess(before, 12)
        said = self.batch("list", "-o", "out", "--seed", "1")
        self.assertRegex(said, rf"^{12 - before} spoken .* {before} done before, 0 failed")
        self.assertEqual(len(self.lines("out/manifest.jsonl")), 12)
        self.assertEqual(len(os.listdir(self.path("out/wavs"))), 12)
        self.write("one", f"i007\t7. {text}\n".encode())
        self.batch("one", "-o", "again", "--seed", "1")
        self.assertEqual(self.read("out/wavs/i007.wav"), self.read("again/wavs/i007.wav"))

    def test_what_is_spoken_again(self):
        self.write("list", b"a\tOne.\nb\tTwo.\nc\tThree.\n")
        self.batch("list", "-o", "out")
        self.write("list", b"a\tOne.\nb\tTwo, or more.\nc\tThree.\n")
        os.unlink(self.path("out/wavs/c.wav"))
        self.assertRegex(self.batch("list", "-o", "out"), r"^2 spoken .*, 1 done before")
        self.assertEqual(self.manifest()["b"]["text"], "Two, or more.")
        self.assertEqual(self.read("out/metadata.csv"),
                         b"a|One.|one\nb|Two, or more.|two or more\nc|Three.|three\n")

    def test_lines_that_cannot_be_spoken(self):
        self.write("list", b'{"id": "good", "text": "Hello."}\n'
                           b'{"id": "smile", "text": "  "}\n'
                           b'{"id": "fast", "text": "Hello.", "speed": 99}\n'
                           b'{"id": "kind", "text": "Hello.", "speed": "x"}\n'
                           b'{"id": "voice", "text": "Hello.", "voice": "nowhere"}\n'
                           b'{"id": "late", "text": "' + b"Hello there. " * 900 + b'", "timeout": 0.001}\n')
        said = self.batch("list", "-o", "out", code=3)
        self.assertIn("1 spoken", said)
        self.assertIn("5 failed: failures.jsonl lists them", said)
        failed = {entry["id"]: entry for entry in self.lines("out/failures.jsonl")}
        self.assertEqual({i: e["line"] for i, e in failed.items()},
                         {"smile": 2, "fast": 3, "kind": 4, "voice": 5, "late": 6})
        self.assertEqual(failed["smile"]["code"], "empty_text")
        self.assertEqual(failed["fast"]["message"], "speed must be from 0.25 to 4, not 99")
        self.assertIn("nowhere", failed["voice"]["message"])
        self.assertEqual(failed["late"]["code"], "timeout")
        self.write("list", b'{"id": "good", "text": "Hello."}\n')
        self.batch("list", "-o", "out")
        self.assertEqual(self.read("out/failures.jsonl"), b"")

    def test_wrong_lists(self):
        for data, message in [
                (b"", "'list' has no lines"),
                (b"a\tOne.\nno columns\n", "list, line 2: a line is an id, a tab or '|', and a text"),
                (b"../a\tOne.\n", "list, line 1: the id must be a file name"),
                (b".a\tOne.\n", "list, line 1: the id must be a file name"),
                (b"a/b\tOne.\n", "list, line 1: the id must be a file name"),
                (b"a" * 129 + b"\tOne.\n", "list, line 1: the id must be a file name"),
                (b"a\tOne.\nb\tTwo.\na\tThree.\n", "lines 1 and 3 have the same id 'a'"),
                (b"a\tOne\xff.\n", "list, line 1: a line is an id"),
                (b"a\tOne\x00.\n", "list, line 1: it is longer than 1 MiB, or holds a NUL byte"),
                (b"a\t" + b"x" * (1 << 20) + b"\n", "list, line 1: it is longer than 1 MiB"),
                (b'{"id": "a", "text": "One."}\n{"id": "b"\n', "list, line 2: "),
                (b'{"id": "a"}\n', 'list, line 1: it must have the strings "id" and "text"'),
                (b'{"id": 7, "text": "One."}\n', 'it must have the strings "id" and "text"'),
                (b'{"id": "a", "text": "One.", "spee": 1}\n', "it has a field that is no option"),
                (b'{"id": "a", "text": "One.", "stream": true}\n', "it has a field that is no option"),
                (b'{"id": "a", "text": "One."}\n[1]\n', "list, line 2: it must be a JSON object")]:
            self.write("list", data)
            self.assertIn(message, self.fails(1, "batch", "list", "-o", "out"), data[:40])
            self.assertFalse(os.path.exists(self.path("out")))

    def test_wrong_use(self):
        self.write("list", b"a\tOne.\n")
        self.assertIn("cannot open 'none'", self.fails(1, "batch", "none", "-o", "out"))
        self.assertIn("give a list and -o FOLDER", self.fails(2, "batch", "list"))
        self.assertIn("give a list and -o FOLDER", self.fails(2, "batch", "-o", "out"))
        self.assertIn("svg", self.fails(2, "batch", "list", "-o", "out", "-a", "xyz"))
        self.assertIn("nowhere", self.fails(1, "batch", "list", "-o", "out", "--voice", "nowhere"))
        self.assertIn("'list'", self.fails(1, "batch", "list", "-o", "list"))

    def test_a_folder_holds_one_set_of_options(self):
        self.write("list", b"a\tOne.\n")
        self.batch("list", "-o", "out", "--seed", "1")
        message = self.fails(2, "batch", "list", "-o", "out", "--seed", "2")
        self.assertIn("'out' was begun with the options {\"seed\":1}", message)
        self.write("out/manifest.jsonl", b"nonsense\n")
        self.assertIn("manifest.jsonl, line 1 is damaged",
                      self.fails(1, "batch", "list", "-o", "out", "--seed", "1"))

    def test_a_full_disk_ends_the_run(self):
        self.write("list", "".join(f"i{n}\tHello, world.\n" for n in range(8)).encode())

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))

        message = self.batch("list", "-o", "out", code=1, preexec_fn=limit)
        self.assertIn("cannot write 'wavs/i", message)
        self.assertIn("File too large", message)
        self.assertEqual(os.listdir(self.path("out/wavs")), [])
        self.assertRegex(self.batch("list", "-o", "out"), "^8 spoken")

    def test_progress_on_a_terminal(self):
        self.write("list", "".join(f"i{n}\tHello, world, number {n}.\n" for n in range(24)).encode())
        code, shown = self.run_on_terminal("batch", "list", "-o", "out")
        self.assertEqual(code, 0)
        self.assertIn("24 spoken", shown)
        self.assertRegex(shown, r"\r\[[# ]{24}\] \d+ of 24, 0 failed, \d+\.\dx real time, \d+:\d\d left")
