"""What the documents say works as pasted, and names what there is."""

import os
import re
import subprocess
import tempfile
import unittest

from daemon import DaemonCase, PATIENCE, TACOD

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


class Documents(DaemonCase):
    def run_examples(self, document):
        """Runs every block of shell that talks to this daemon; returns the files they wrote."""
        blocks = [b for b in re.findall(r"```sh\n(.*?)```", read(document), re.S) if "curl" in b
                  and "tacod serve" not in b]
        self.assertTrue(blocks)
        script = "set -eu -o pipefail\n" + "".join(blocks)
        script = script.replace("127.0.0.1:8020", f"127.0.0.1:{self.tacod.port}")
        script = script.replace("curl ", "curl -sS --fail-with-body ")
        script = re.sub(r"\| aplay.*", "| wc -c", script)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout[-500:])
            files = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), "rb") as file:
                    files[name] = file.read()
        return files

    def test_api(self):
        files = self.run_examples("server/API.md")
        self.assertEqual(files["hello.wav"][:4], b"RIFF")
        self.assertEqual(files["again.wav"], files["hello.wav"])
        self.assertEqual(files["canoe.flac"][:4], b"fLaC")
        self.assertEqual(files["hello.opus"][:4], b"OggS")
        self.assertIn(b"<svg", files["alignment.svg"])
        self.assertIn(b'"alignment"', files["hello.json"])
        for name in ("coqui.wav", "mary.wav"):
            self.assertEqual(files[name][:4], b"RIFF")
        self.assertIn(files["hello.mp3"][0], b"\xffI")
        self.assertIn(b'"audio_base64"', files["timestamps.json"])
        self.assertEqual(files["hello.multipart"][:7], b"--taco-")

    def test_servers_of_the_api_s_examples(self):
        """Blocks that start a server: what stands before it, the server on a free port, and what is asked of it."""
        blocks = [b for b in re.findall(r"```sh\n(.*?)```", read("server/API.md"), re.S) if "tacod serve" in b]
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            before, options, after = re.match(r"(.*?)^tacod serve (.*?)\n(.*)", block, re.S | re.M).groups()
            with self.subTest(options=options), tempfile.TemporaryDirectory() as folder:
                script = (f"set -eu -o pipefail\ntacod() {{ {TACOD} \"$@\"; }}\n{before}\n"
                          f"{TACOD} serve --port 0 {options} 2> log & trap \"kill $!; wait $!\" EXIT\n"
                          "until grep -q 'listening on' log; do kill -0 $!; sleep 0.05; done\n"
                          "port=$(sed -n 's/^listening on .*:\\([0-9]*\\)\\/$/\\1/p' log)\n"
                          + after.replace(":8020", ":$port").replace("curl ", "curl -sS --fail-with-body "))
                done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                with open(os.path.join(folder, "hello.wav"), "rb") as file:
                    self.assertEqual(file.read(4), b"RIFF")

    def test_readme(self):
        files = self.run_examples("README.md")
        self.assertEqual(files["hello.wav"][:4], b"RIFF")

    def test_every_field_has_its_row(self):
        rows = re.findall(r"^\| `(\w+)` \| (?:string|number|integer|boolean)", read("server/API.md"), re.M)
        page = subprocess.run([TACOD, "say", "--help"], capture_output=True, text=True,
                              timeout=PATIENCE).stdout
        flags = re.findall(r"^ +--([a-z-]+)", page.split("\nSpeech, with the same names")[1], re.M)
        self.assertEqual(rows, ["text"] + [flag.replace("-", "_") for flag in flags])

    def test_every_code_has_its_row(self):
        documented = set(re.findall(r"`(\w+)`", "".join(
            re.findall(r"^\| [45]\d\d \| ([^|]*) \|", read("server/API.md"), re.M))))
        codes = set(re.findall(r'\{TACO_\w+, \d+,\s+"(\w+)"', read("server/http/error_code.c")))
        self.assertEqual(documented, codes)


if __name__ == "__main__":
    unittest.main()
