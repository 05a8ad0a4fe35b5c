"""tacod say."""

import io
import json
import os
import re
import subprocess
import unittest
import wave

from command import CommandCase, ROOT, TACOD


class Say(CommandCase):
    def wav(self, data):
        with wave.open(io.BytesIO(data)) as w:
            frames = w.readframes(w.getnframes())
            self.assertEqual(len(frames), 2 * w.getnframes())
            return w.getframerate(), frames

    def test_file(self):
        result = self.run_tacod("say", "Hello, world.", "-o", "hello.wav", "--seed", "7")
        self.assertEqual((result.stdout, result.stderr), (b"", b""))
        rate, frames = self.wav(self.read("hello.wav"))
        self.assertEqual(rate, 22050)
        self.assertGreater(len(frames), 8000)

    def test_every_way_to_give_the_text(self):
        self.write("text.txt", b"Hello, world.")
        answers = [self.run_tacod("say", "--seed", "7", *arguments, stdin=b"Hello, world.").stdout
                   for arguments in [("Hello, world.",), ("Hello,", "world."), ("-",),
                                     ("-f", "text.txt"), ("--file", "-"), ("-o", "-", "-"),
                                     ("--", "Hello, world.")]]
        self.assertEqual(answers[0][:4], b"RIFF")
        for answer in answers:
            self.assertEqual(answer, answers[0])

    def test_same_bytes_as_over_http(self):
        """Options have the same names and the same meaning."""
        whole = self.run_tacod("say", "Hello, world.", "--seed", "7").stdout
        half = self.run_tacod("say", "Hello, world.", "--seed", "7", "--volume", "0.5").stdout
        fast = self.run_tacod("say", "Hello, world.", "--seed", "7", "--speed", "2").stdout
        self.assertEqual(len(half), len(whole))
        self.assertNotEqual(half, whole)
        self.assertAlmostEqual(len(self.wav(whole)[1]) / len(self.wav(fast)[1]), 2, delta=0.2)

    def test_threads_do_not_matter(self):
        one = self.run_tacod("say", "Hello. And again.", "--seed", "7", "--threads", "1").stdout
        four = self.run_tacod("say", "Hello. And again.", "--seed", "7", "--threads", "4").stdout
        self.assertEqual(one, four)

    def test_lexicon(self):
        self.write("words.txt", b"# names\nworld  K AE1 T\n")
        for arguments, phones in [((), "W ER1 L D"), (("--lexicon", "words.txt"), "K AE1 T")]:
            self.run_tacod("say", "Hello, world.", "-o", "a.wav", "-a", "a.json", *arguments)
            symbols = [s["symbol"] for s in json.loads(self.read("a.json"))["symbols"] if s["word"] == 1]
            self.assertEqual(" ".join(symbols), phones)
        self.assertIn("none.txt", self.fails(1, "say", "Hi.", "--lexicon", "none.txt"))
        self.write("bad.txt", b"world  QQ\n")
        self.assertIn("QQ", self.fails(1, "say", "Hi.", "--lexicon", "bad.txt"))
        self.assertIn("QQ", self.fails(1, "serve", "--port", "0", "--lexicon", "bad.txt"))

    def test_inverter(self):
        self.assertIn("none.safetensors: ", self.fails(1, "say", "Hi.", "--inverter", "none.safetensors"))
        self.write("bad", b"no inverter")
        for command in (("say", "Hi."), ("serve", "--port", "0")):
            self.assertIn("bad", self.fails(1, *command, "--inverter", "bad"))

    def test_formats(self):
        for name, start in [("a.flac", b"fLaC"), ("a.OGG", b"OggS"), ("a.opus", b"OggS"),
                            ("a.aiff", b"FORM"), ("a.au", b".snd"), ("a.mp3", b""), ("a.wav", b"RIFF"),
                            ("noending", b"RIFF")]:
            self.run_tacod("say", "Hi.", "-o", name)
            self.assertTrue(self.read(name).startswith(start), name)
        self.run_tacod("say", "Hi.", "-o", "a.bin", "--format", "flac")
        self.assertTrue(self.read("a.bin").startswith(b"fLaC"))
        self.assertIn("--format", self.fails(2, "say", "Hi.", "-o", "a.xyz"))
        self.assertFalse(os.path.exists(self.path("a.xyz")))

    def test_alignments(self):
        names = ["a.json", "a.svg", "a.png", "a.npy", "a.srt", "a.vtt", "a.TextGrid", "a.mel.npy",
                 "a.mel.png"]
        arguments = [x for name in names for x in ("--alignment", name)]
        self.run_tacod("say", "Hello, world.", "-o", "a.wav", "--seed", "7", "--matrix", "arrays",
                       *arguments)
        alignment = json.loads(self.read("a.json"))
        self.assertEqual([w["text"] for w in alignment["words"]], ["Hello", "world"])
        self.assertEqual(len(alignment["chunks"][0]["alignment"]), alignment["chunks"][0]["n_steps"])
        self.assertIn(b"<svg", self.read("a.svg"))
        self.assertIn(b"-->", self.read("a.srt"))
        self.assertTrue(self.read("a.vtt").startswith(b"WEBVTT"))
        self.assertIn(b"IntervalTier", self.read("a.TextGrid"))
        self.assertTrue(self.read("a.png").startswith(b"\x89PNG"))
        self.assertTrue(self.read("a.mel.npy").startswith(b"\x93NUMPY"))
        self.assertNotEqual(self.read("a.npy"), self.read("a.mel.npy"))
        for name in ["x", "x.exe"]:
            error = self.fails(2, "say", "Hi.", "-o", "b.wav", "-a", name)
            self.assertIn("TextGrid", error)
        self.assertFalse(os.path.exists(self.path("b.wav")))

    def test_stream(self):
        streamed = self.run_tacod("say", "Hello, world.", "--seed", "7", "--stream",
                                  "--format", "pcm").stdout
        whole = self.run_tacod("say", "Hello, world.", "--seed", "7", "--format", "pcm").stdout
        self.assertEqual(len(streamed), len(whole))
        self.run_tacod("say", "Hello, world.", "--stream", "-o", "a.flac", "-a", "a.json")
        self.assertTrue(self.read("a.flac").startswith(b"fLaC"))
        self.assertEqual(len(json.loads(self.read("a.json"))["words"]), 2)

    def test_verbose(self):
        error = self.run_tacod("say", "Hello, world.", "-v", "--seed", "7").stderr.decode()
        self.assertRegex(error, r"seed 7, \d+\.\d+ s of speech in")
        drawn = self.run_tacod("say", "Hello, world.", "-v")
        seed = re.search(r"seed (\d+),", drawn.stderr.decode()).group(1)
        self.assertEqual(self.run_tacod("say", "Hello, world.", "--seed", seed).stdout, drawn.stdout)

    def test_what_is_changed_is_told(self):
        error = self.run_tacod("say", "Hello \U0001F600 world").stderr.decode()
        self.assertIn("'\U0001F600' left out", error)
        self.assertEqual(error.count("\n"), 1)
        self.assertEqual(self.run_tacod("say", "hi there").stderr, b"")
        error = self.run_tacod("say", "A \U0001F600 b \U0001F600 c \U0001F600.").stderr.decode()
        self.assertEqual(error, "tacod say: byte 2: '\U0001F600' left out, and 2 more like it\n")
        self.assertEqual(self.run_tacod("say", "-q", "Hello \U0001F600 world").stderr, b"")

    def test_texts_that_cannot_be_spoken(self):
        for text in [b"", b"  \n", b"...", b"a\xffb", b"a\0b", "\U0001F600".encode(), b"{QQ7}"]:
            error = self.fails(3, "say", "--strict", "-", "-o", "a.wav", stdin=text)
            self.assertTrue(error.startswith("tacod say: "))
            self.assertEqual(error.count("\n"), 1)
            self.assertFalse(os.path.exists(self.path("a.wav")))

    def test_wrong_options(self):
        for arguments, named in [((), "what to say?"), (("-f", "a", "b"), "not both"),
                                 (("--seed", "x", "a"), "seed"), (("--speed", "9", "a"), "speed"),
                                 (("--format", "aac", "a"), "flac"), (("--speaker", "5", "a"), "speaker"),
                                 (("--sample-rate", "1", "a"), "sample_rate"),
                                 (("--stream=sse", "a"), "--stream")]:
            self.assertIn(named, self.fails(2, "say", "-o", "out.wav", *arguments))
        self.assertFalse(os.path.exists(self.path("out.wav")))

    def test_files_that_are_not_there(self):
        self.assertEqual(self.fails(1, "say", "-f", "none.txt"),
                         "tacod say: cannot open 'none.txt': No such file or directory\n")
        self.assertEqual(self.fails(1, "say", "Hi.", "-o", "none/a.wav"),
                         "tacod say: cannot open 'none/a.wav': No such file or directory\n")
        error = self.fails(1, "say", "Hi.", "--voice", "./x.safetensors")
        self.assertIn("./x.safetensors", error)
        self.assertIn("No such file or directory", error)
        self.assertEqual(self.fails(1, "say", "Hi.", "--voice", "nope"),
                         "tacod say: 'nope' is neither a file nor a built-in voice: the built-in voice is heart\n")

    def test_a_failure_keeps_the_file(self):
        os.mkdir(self.path("d"))
        for arguments, code in [(("", "-o", "d/k.wav"), 3), (("...", "-o", "d/k.wav", "--stream"), 3),
                                (("Hi.", "-o", "d/k.wav", "-a", "none/a.json"), 1)]:
            self.write("d/k.wav", b"before")
            self.fails(code, "say", *arguments)
            self.assertEqual(os.listdir(self.path("d")), ["k.wav"])
            if code == 3:
                self.assertEqual(self.read("d/k.wav"), b"before")

    def test_a_file_is_replaced_whole(self):
        self.write("a.wav", b"before")
        os.chmod(self.path("a.wav"), 0o640)
        os.symlink("a.wav", self.path("link.wav"))
        self.run_tacod("say", "Hi.", "-o", "link.wav")
        self.assertTrue(os.path.islink(self.path("link.wav")))
        self.assertTrue(self.read("a.wav").startswith(b"RIFF"))
        self.assertEqual(os.stat(self.path("a.wav")).st_mode & 0o777, 0o640)
        self.run_tacod("say", "Hi.", "-o", "/dev/null", "-a", "new.json")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.wav", "link.wav", "new.json"])
        error = self.fails(1, "say", "Hi.", "-o", "a.wav", "-a", "none/a.json")
        self.assertIn("none/a.json", error)

    def test_full_disk(self):
        self.assertIn("No space left on device", self.fails(1, "say", "Hi.", "-o", "/dev/full"))
        with open("/dev/full", "wb") as full:
            for stream in ["--stream", "--no-stream"]:
                error = self.fails(1, "say", "Hello, world.", stream, stdout=full)
                self.assertIn("No space left on device", error)

    def test_closed_pipe(self):
        process = subprocess.Popen([TACOD, "say", "Hello, world. " * 8, "--stream"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(100)
        process.stdout.close()
        error = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(), 1)
        self.assertIn("Broken pipe", error)

    def test_terminal(self):
        code, shown = self.run_on_terminal("say", "Hi.", stdout_too=True)
        self.assertEqual(code, 2)
        self.assertIn("standard output is a terminal", shown)
        self.assertNotIn("RIFF", shown)
        code, shown = self.run_on_terminal("say", "-o", "a.wav", "The birch canoe slid. " * 40)
        self.assertEqual(code, 0)
        code, shown = self.run_on_terminal("say", "-q", "-o", "a.wav", "Hello. " * 5)
        self.assertEqual((code, shown), (0, ""))

    def test_voice(self):
        built_in = self.run_tacod("say", "Hi.", "--seed", "7").stdout
        for voice in ["heart", os.path.join(ROOT, "models/heart.safetensors")]:
            self.assertEqual(self.run_tacod("say", "Hi.", "--seed", "7", "--voice", voice).stdout,
                             built_in)
        self.assertIn("nobody", self.fails(1, "say", "Hi.", "--voice", "nobody"))

    def test_cpu_and_precision(self):
        exact = self.run_tacod("say", "Hi.", "--seed", "7", "--precision", "f32",
                               env={"TACO_CPU": "scalar"}).stdout
        self.assertEqual(exact[:4], b"RIFF")


class Info(CommandCase):
    def test_built_in(self):
        text = self.run_tacod("info").stdout.decode()
        for word in ["heart", "en-US", "22050 Hz", "arpabet", "location", "hop 256", "80 bands",
                     "AH0", "GPL"]:
            self.assertIn(word, text)
        path = os.path.join(ROOT, "models/heart.safetensors")
        self.assertEqual(self.run_tacod("info", path).stdout.decode(), text)

    def test_json(self):
        info = json.loads(self.run_tacod("info", "--json").stdout)
        self.assertEqual((info["name"], info["sample_rate"]), ("heart", 22050))
        self.assertEqual(len(info["symbols"]), info["n_symbols"])
        self.assertNotIn("default", info)

    def test_check(self):
        text = self.run_tacod("info", "--check").stdout.decode()
        self.assertGreater(len(text), len(self.run_tacod("info").stdout))

    def test_what_is_no_voice(self):
        self.write("bad.safetensors", b"\xff" * 100)
        self.assertIn("bad.safetensors", self.fails(1, "info", "bad.safetensors"))
        error = self.fails(1, "info", "none.safetensors")
        self.assertEqual(error, "tacod info: cannot open 'none.safetensors': "
                                "No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
