"""SIGHUP: voices and lexicon are read again while requests go on."""

import concurrent.futures
import os
import shutil
import signal
import tempfile
import threading
import time
import unittest

from daemon import Daemon, PATIENCE, receive

HERE = os.path.dirname(os.path.abspath(__file__))
HEART = os.path.join(HERE, "../../models/heart.safetensors")
SMALL = os.path.join(HERE, "../golden/voices/torchaudio_a_char.safetensors")


def replace(source, target):
    """As everybody should: the new file is complete before it has the name."""
    shutil.copyfile(source, target + ".new")
    os.rename(target + ".new", target)


class Reload(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *options):
        self.tacod = Daemon(*options)
        self.addCleanup(self.tacod.stop)

    def file(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.file(name) + ".new", "w") as f:
            f.write(text)
        os.rename(self.file(name) + ".new", self.file(name))

    def reload(self):
        """SIGHUP, and what the log says of it."""
        before = self.tacod.output().count(" reload: ")
        self.tacod.signal(signal.SIGHUP)
        deadline = time.monotonic() + PATIENCE
        while self.tacod.output().count(" reload: ") == before:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(self.tacod.process.poll(), self.tacod.output())
            time.sleep(0.01)
        lines = [line for line in self.tacod.output().splitlines() if " reload: " in line]
        self.assertEqual(len(lines), before + 1)
        return lines[-1]

    def names(self):
        return [voice["name"] for voice in self.tacod.get("/v1/voices").json()["voices"]]

    def test_voices_come_and_go(self):
        self.start("--voices", self.folder)
        self.assertEqual(self.names(), ["heart"])
        replace(SMALL, self.file("a.safetensors"))
        self.assertIn("info reload: 2 voices, 1 of them new or changed", self.reload())
        (other,) = set(self.names()) - {"heart"}
        speech = self.tacod.speak("Hello.", seed=7, voice=other)
        self.assertEqual(speech.status, 200)
        self.assertIn("info reload: 2 voices, 0 of them new or changed", self.reload())
        os.remove(self.file("a.safetensors"))
        self.assertIn("info reload: 1 voices, 0 of them", self.reload())
        self.assertEqual(self.names(), ["heart"])
        self.assertEqual(self.tacod.speak("Hello.", voice=other).error["code"], "unknown_voice")
        # What the voice has said outlives it.
        path = "/v1/speech/" + speech["X-Taco-Id"]
        self.assertEqual(self.tacod.get(path).body, speech.body)
        self.assertEqual(self.tacod.get(path + "/alignment").json()["voice"], other)
        self.assertEqual(self.tacod.get(path + "?format=flac").body[:4], b"fLaC")
        self.tacod.end_well()

    def test_what_is_bad_changes_nothing(self):
        self.start("--voices", self.folder)
        before = self.tacod.speak("Hello.", seed=7).body
        self.write("a.safetensors", "no voice")
        line = self.reload()
        self.assertIn(" error reload: the voices stay as they are: ", line)
        self.assertIn("a.safetensors", line)
        self.assertEqual(self.names(), ["heart"])
        self.assertEqual(self.tacod.speak("Hello.", seed=7).body, before)
        self.assertEqual(self.tacod.get("/readyz").status, 200)
        os.rename(self.folder, self.folder + ".away")
        self.assertIn(self.folder, self.reload())
        os.rename(self.folder + ".away", self.folder)
        replace(SMALL, self.file("a.safetensors"))
        self.assertIn("2 voices, 1 of them", self.reload())
        self.tacod.end_well()

    def test_a_default_that_is_gone(self):
        replace(SMALL, self.file("a.safetensors"))
        self.start("--voices", self.folder, "--voice-alias", "alloy=heart")
        (other,) = set(self.names()) - {"heart"}
        self.tacod.end_well()
        self.start("--voices", self.folder, "--voice-alias", "alloy=" + other)
        os.remove(self.file("a.safetensors"))
        self.assertIn("alloy=" + other, self.reload())
        self.assertIn(other, self.names())
        self.tacod.end_well()

    def test_lexicon(self):
        self.write("words", "tacod T AE1 K OW0 D IY0\n")
        self.start("--lexicon", self.file("words"))
        first = self.tacod.speak("Tacod.", seed=7).body
        self.write("words", "tacod B IH1 G\n")
        self.assertEqual(self.tacod.speak("Tacod.", seed=7).body, first)
        self.assertIn("1 voices, 1 of them", self.reload())
        second = self.tacod.speak("Tacod.", seed=7).body
        self.assertNotEqual(second, first)
        self.write("words", "tacod NO SUCH PHONE\n")
        self.assertIn(" error reload: ", self.reload())
        self.assertEqual(self.tacod.speak("Tacod.", seed=7).body, second)
        self.tacod.end_well()

    def test_no_request_is_dropped(self):
        replace(SMALL, self.file("a.safetensors"))
        self.start("--voice", "small=" + self.file("a.safetensors"), "--cache-bytes", "0")
        whole = {"text": "Hello there. And again.", "seed": 7}
        alone = [self.tacod.speak(**whole, **more).body for more in ({}, {"stream": True})]
        done = threading.Event()
        n_answers = [0] * 8

        def client(i):
            more, expected = [({}, alone[0]), ({"stream": True}, alone[1])][i % 2]
            while not done.is_set():
                answer = self.tacod.speak(**whole, **more)
                self.assertEqual(answer.status, 200, answer.body[:300])
                self.assertEqual(answer.body, expected)
                n_answers[i] += 1

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            clients = [pool.submit(client, i) for i in range(8)]
            try:
                for _ in range(6):
                    replace(SMALL, self.file("a.safetensors"))
                    self.assertIn("2 voices, 1 of them", self.reload())
                deadline = time.monotonic() + PATIENCE
                while not all(n_answers) and time.monotonic() < deadline:
                    time.sleep(0.02)
            finally:
                done.set()
        for each in clients:
            each.result()
        self.assertTrue(all(n_answers), n_answers)
        self.tacod.end_well()

    def test_while_it_drains(self):
        """Nothing is read again, and it is no second SIGTERM either."""
        self.start("--shutdown-timeout", "600")
        text = b"The birch canoe slid on the smooth planks. " * 30
        with self.tacod.connect() as s:
            s.sendall(b"POST /v1/speech?stream=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                      % len(text) + text)
            answer = s.recv(100)  # it runs
            self.tacod.signal(signal.SIGTERM)
            deadline = time.monotonic() + PATIENCE
            while "no new requests" not in self.tacod.output():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            self.tacod.signal(signal.SIGHUP)
            answer += receive(s)
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"))
        self.assertTrue(answer.endswith(b"\r\n0\r\n\r\n"))
        self.tacod.end_well()
        self.assertNotIn(" reload: ", self.tacod.output())


if __name__ == "__main__":
    unittest.main()
