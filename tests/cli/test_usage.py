"""Help, version, and what is no command."""

import json
import os
import subprocess
import unittest

from command import CommandCase, ROOT


class Usage(CommandCase):
    def test_help(self):
        for arguments in [("--help",), ("-h",), ("help",)]:
            text = self.run_tacod(*arguments).stdout.decode()
            for command in ["serve", "say", "batch", "text", "info", "new-key"]:
                self.assertIn("tacod " + command, text)
        for command, flags in [("serve", ["--port", "--cache-bytes", "--print-config"]),
                               ("say", ["--output", "--sentence-pause", "Exit codes"]),
                               ("text", ["--json", "--normalise", "Exit codes"]),
                               ("info", ["--check", "--json"]), ("new-key", ["--help"])]:
            text = self.run_tacod(command, "--help").stdout.decode()
            self.assertTrue(text.startswith(f"usage: tacod {command}"))
            for flag in flags:
                self.assertIn(flag, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertNotRegex(text, r" \n")

    def test_version(self):
        self.assertRegex(self.run_tacod("--version").stdout, rb"^tacod \d+\.\d+\.\d+\n$")

    def test_no_command(self):
        self.assertIn("usage: tacod COMMAND", self.fails(2))
        self.assertIn("there is no command 'sing'", self.fails(2, "sing"))

    def test_wrong_options(self):
        for arguments, message in [
                (("serve", "--prot", "1"), "tacod serve: there is no option --prot; did you mean --port?\n"),
                (("serve", "--port"), "tacod serve: --port needs a value\n"),
                (("serve", "--port", "x"), "tacod serve: --port: 'x' is not a whole number\n"),
                (("serve", "extra"), "tacod serve: there is no argument 'extra': "
                                     "tacod serve --help lists the options\n"),
                (("serve", "--default-voice", "nobody", "--port", "0"),
                 "tacod serve: there is no voice 'nobody': there are heart\n"),
                (("say", "--sped", "2", "Hi."), "tacod say: there is no option --sped; did you mean --speed?\n"),
                (("info", "a", "b"), "tacod info: one voice at a time\n")]:
            self.assertEqual(self.fails(2, *arguments), message)

    def test_what_is_no_misspelling(self):
        for flag in ["--xyzzy", "--p", "--" + "a" * 100, "--=1", "--speed-of-light"]:
            self.assertEqual(self.fails(2, "say", flag, "Hi."), f"tacod say: there is no option {flag[:80]}\n")

    def test_a_voice_cannot_steer_the_terminal(self):
        with open(os.path.join(ROOT, "models/heart.safetensors"), "rb") as file:
            voice = file.read()
        self.assertIn(b'"A woman\'s voice', voice.replace(b"\\", b""))
        self.write("heart.safetensors", voice.replace(b"A woman", rb"\\u001b", 1))
        shown = self.run_tacod("info", "heart.safetensors").stdout
        self.assertIn(b"description   ?'s voice", shown)
        self.assertNotRegex(shown, rb"[\x00-\x09\x0b-\x1f\x7f]")

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            error = self.fails(1, "info", stdout=full)
        self.assertEqual(error, "tacod: cannot write to standard output: "
                                "No space left on device\n")

    def test_man_page(self):
        page = os.path.join(ROOT, "server/cli/tacod.1")
        with open(page, encoding="utf-8") as file:
            source = file.read()
        for command in ["serve", "say", "batch", "text", "info", "new-key"]:
            for line in self.run_tacod(command, "--help").stdout.decode().splitlines():
                for word in line.split():
                    if word.startswith("--") and line.startswith("  "):
                        flag = word[2:].rstrip(",:;")
                        self.assertRegex(source, rf"\\?-?-{flag}\b|Fl -{flag}\b", flag)


class Configuration(CommandCase):
    def test_print_config(self):
        self.write("tacod.json", b'{"port": 9000, "queue": 7, "host": ["::1", "127.0.0.1"]}')
        result = self.run_tacod("serve", "--config", "tacod.json", "--cache-bytes", "1M",
                                "--print-config", env={"TACO_QUEUE": "8", "TACO_VOICE": "a=b,c"})
        config = json.loads(result.stdout)
        self.assertEqual(config["port"], 9000)
        self.assertEqual(config["queue"], 8)
        self.assertEqual(config["host"], ["::1", "127.0.0.1"])
        self.assertEqual(config["voice"], ["a=b", "c"])
        self.assertEqual(config["cache_bytes"], 1 << 20)
        self.assertIsNone(config["voices"])
        self.write("again.json", result.stdout)
        again = self.run_tacod("serve", "--config", "again.json", "--print-config")
        self.assertEqual(again.stdout, result.stdout)

    def test_an_unknown_variable(self):
        self.assertEqual(self.fails(2, "serve", "--print-config", env={"TACO_KYES": "a"}),
                         "tacod serve: TACO_KYES in the environment is no option: tacod serve --help lists them\n")
        self.run_tacod("serve", "--print-config", env={"TACO_CPU": "scalar", "TACO_KEY": "secret"})
        self.run_tacod("info", env={"TACO_KYES": "a"})

    def test_wrong_files(self):
        self.write("bad.json", b'{"prot": 1}')
        self.assertEqual(self.fails(1, "serve", "--config", "bad.json"),
                         "tacod serve: bad.json: there is no option 'prot'\n")
        self.assertEqual(self.fails(1, "serve", "--config", "none.json"),
                         "tacod serve: cannot open 'none.json': No such file or directory\n")
        self.write("bad.json", b'{"port": 99999}')
        self.assertEqual(self.fails(2, "serve", "--config", "bad.json"),
                         "tacod serve: bad.json: port: 99999 is out of range: 0 to 65535\n")
        self.write("bad.json", b'{"timeout": 0.01}')
        self.assertEqual(self.fails(2, "serve", "--config", "bad.json"),
                         "tacod serve: bad.json: timeout: 0.01 is out of range: 0.1 to 86400\n")
        self.write("bad.json", b'{"max_text": 123456789}')
        self.assertEqual(self.fails(2, "serve", "--config", "bad.json"),
                         "tacod serve: bad.json: max_text: 123456789 is out of range: 1 to 16777216\n")


class Voices(CommandCase):
    def setUp(self):
        super().setUp()
        with open(os.path.join(ROOT, "models/heart.safetensors"), "rb") as file:
            self.write("mine.safetensors", file.read())

    def test_wrong_voices(self):
        self.write("empty.safetensors", b"")
        for arguments, code, message in [
                (("--voice", "none.safetensors"), 1, "none.safetensors"),
                (("--voice", "empty.safetensors"), 1, "empty.safetensors"),
                (("--voice", "x=empty.safetensors"), 1, "empty.safetensors"),
                (("--voices", "nowhere"), 1, "cannot read the folder 'nowhere'"),
                (("--voices", "."), 1, "empty.safetensors"),
                (("--voice", "a=mine.safetensors", "--voice", "a=mine.safetensors"), 2,
                 "two voices are called 'a'")]:
            self.assertIn(message, self.fails(code, "serve", "--port", "0", *arguments))


if __name__ == "__main__":
    unittest.main()
