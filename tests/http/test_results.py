"""Kept results: audio again, alignment and mel in every form, and what has been forgotten."""

import struct
import unittest
import xml.etree.ElementTree

from daemon import DaemonCase


class Kept(DaemonCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.speech = cls.tacod.speak("Hello, world.", seed=7)
        cls.path = "/v1/speech/" + cls.speech["X-Taco-Id"]

    def test_audio_again(self):
        answer = self.tacod.get(self.path)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.body, self.speech.body)
        self.assertEqual(answer["Content-Type"], "audio/wav")
        self.assertEqual(answer["X-Taco-Seed"], "7")
        self.assertEqual(answer["X-Taco-Id"], self.speech["X-Taco-Id"])
        self.assertEqual(answer["Link"], self.speech["Link"])

    def test_audio_in_the_form_that_was_asked_for(self):
        speech = self.tacod.speak("Hi.", format="flac", sample_rate=8000)
        answer = self.tacod.get("/v1/speech/" + speech["X-Taco-Id"])
        self.assertEqual(answer["Content-Type"], "audio/flac")
        self.assertEqual(answer.body, speech.body)

    def test_audio_in_another_form(self):
        flac = self.tacod.get(self.path + "?format=flac")
        self.assertEqual(flac.status, 200)
        self.assertEqual(flac["Content-Type"], "audio/flac")
        self.assertTrue(flac.body.startswith(b"fLaC"))
        self.assertEqual(self.tacod.get(self.path, Accept="audio/flac").body, flac.body)
        both = self.tacod.get(self.path + "?matrix=arrays", Accept="application/json")
        self.assertEqual(both.json()["id"], self.speech["X-Taco-Id"])
        self.assertEqual(both.json()["audio"]["size"], len(self.speech.body))
        rate = self.tacod.get(self.path + "?sample_rate=8000").wav()[2]
        self.assertEqual(rate, 8000)

    def test_head(self):
        answer = self.tacod.request("HEAD", self.path)
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(int(answer["Content-Length"]), len(self.speech.body))

    def test_alignment_json(self):
        answer = self.tacod.get(self.path + "/alignment")
        self.assertEqual(answer["Content-Type"], "application/json")
        alignment = answer.json()
        self.assertEqual(alignment["version"], 1)
        self.assertEqual(alignment["id"], self.speech["X-Taco-Id"])
        self.assertEqual(alignment["seed"], 7)
        self.assertEqual(alignment["text"], "Hello, world.")
        self.assertEqual([w["text"] for w in alignment["words"]], ["Hello", "world"])
        self.assertEqual(alignment["n_samples"], len(self.speech.wav()[3]) // 2)
        self.assertEqual(self.tacod.get(self.path + "/alignment.json").json(), alignment)

    def test_matrix(self):
        none = self.tacod.get(self.path + "/alignment?matrix=none").json()
        self.assertNotIn("alignment", none["chunks"][0])
        arrays = self.tacod.get(self.path + "/alignment?matrix=arrays").json()
        chunk = arrays["chunks"][0]
        self.assertEqual(len(chunk["alignment"]), chunk["n_steps"])
        self.assertEqual(len(chunk["alignment"][0]), chunk["n_symbols"])
        packed = self.tacod.get(self.path + "/alignment?matrix=float16").json()
        self.assertEqual(packed["chunks"][0]["alignment"]["shape"],
                         [chunk["n_steps"], chunk["n_symbols"]])

    def test_other_forms(self):
        for form, media_type, check in [
                ("alignment.svg", "image/svg+xml", xml.etree.ElementTree.fromstring),
                ("alignment.png", "image/png", lambda b: self.assertEqual(b[:8], b"\x89PNG\r\n\x1a\n")),
                ("mel.png", "image/png", lambda b: self.assertEqual(b[:8], b"\x89PNG\r\n\x1a\n")),
                ("alignment.npy", None, lambda b: self.assertEqual(b[:6], b"\x93NUMPY")),
                ("mel.npy", None, lambda b: self.assertEqual(b[:6], b"\x93NUMPY")),
                ("mel", None, lambda b: self.assertEqual(b[:6], b"\x93NUMPY")),
                ("alignment.srt", "application/x-subrip", lambda b: self.assertIn(b" --> ", b)),
                ("alignment.vtt", "text/vtt", lambda b: self.assertTrue(b.startswith(b"WEBVTT"))),
                ("alignment.TextGrid", None, lambda b: self.assertIn(b"IntervalTier", b))]:
            with self.subTest(form=form):
                answer = self.tacod.get(f"{self.path}/{form}")
                self.assertEqual(answer.status, 200, answer.body[:300])
                self.assertEqual(int(answer["Content-Length"]), len(answer.body))
                if media_type:
                    self.assertEqual(answer["Content-Type"].split(";")[0], media_type)
                check(answer.body)

    def test_mel_shape(self):
        body = self.tacod.get(self.path + "/mel.npy").body
        length, = struct.unpack("<H", body[8:10])
        header = eval(body[10:10 + length], {"__builtins__": {}})
        self.assertEqual(header["shape"][1], 80)
        self.assertEqual(len(body) - 10 - length, 4 * header["shape"][0] * 80)

    def test_no_script_in_the_svg(self):
        answer = self.tacod.get(self.path + "/alignment.svg")
        self.assertIn("default-src 'none'", answer["Content-Security-Policy"])
        self.assertIn("sandbox", answer["Content-Security-Policy"])

    def test_wrong_parameters(self):
        self.assert_error(self.tacod.get(self.path + "?seed=7"), 400, "unknown_parameter", "seed")
        self.assert_error(self.tacod.get(self.path + "?format=xyz"), 400, "invalid_argument", "format")
        self.assert_error(self.tacod.get(self.path + "?sample_rate=1"), 400, "invalid_argument",
                          "sample_rate")
        self.assert_error(self.tacod.get(self.path + "/alignment?matrix=x"), 400,
                          "invalid_argument", "matrix")
        self.assert_error(self.tacod.get(self.path + "/alignment?format=wav"), 400,
                          "unknown_parameter", "format")
        self.assert_error(self.tacod.get(self.path + "/mel.png?matrix=none"), 400,
                          "unknown_parameter", "matrix")
        self.assert_error(self.tacod.get(self.path, Accept="text/html"), 406, "not_acceptable")

    def test_unknown_ids(self):
        for name in ["abcdefghijkl", "x", "%20", "a%2Fb", "A" * 79, self.speech["X-Taco-Id"][:-1],
                     self.speech["X-Taco-Id"] + "0"]:
            self.assert_error(self.tacod.get("/v1/speech/" + name), 404, "not_found")
            self.assert_error(self.tacod.get(f"/v1/speech/{name}/alignment"), 404, "not_found")

    def test_a_failed_request_leaves_nothing(self):
        self.assert_error(self.tacod.speak("..."), 400, "nothing_to_speak")
        self.assertEqual(self.tacod.get(self.path).status, 200)


class Forgotten(DaemonCase):
    options = ("--cache-bytes", "1M")

    def test_old_results_are_gone(self):
        first = self.tacod.speak("Hello, world.", seed=1)
        path = "/v1/speech/" + first["X-Taco-Id"]
        self.assertEqual(self.tacod.get(path).status, 200)
        for seed in range(2, 10):  # 100 KB of floats each, and more
            last = self.tacod.speak("Hello, world.", seed=seed)
        answer = self.tacod.get(path)
        self.assert_error(answer, 410, "gone", "id")
        self.assertIn("--cache-bytes", answer.error["message"])
        self.assert_error(self.tacod.get(path + "/alignment"), 410, "gone")
        self.assertEqual(self.tacod.get("/v1/speech/" + last["X-Taco-Id"]).status, 200)


class NotKept(DaemonCase):
    options = ("--cache-bytes", "0")

    def test_nothing_is_kept(self):
        speech = self.tacod.speak("Hi.")
        self.assertEqual(speech.status, 200)
        self.assertIsNone(speech["Link"])
        self.assert_error(self.tacod.get("/v1/speech/" + speech["X-Taco-Id"]), 410, "gone")
        both = self.tacod.speak("Hi.", accept="application/json").json()
        self.assertIn("words", both["alignment"])


if __name__ == "__main__":
    unittest.main()
