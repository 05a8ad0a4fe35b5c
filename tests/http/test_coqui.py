"""Coqui's dialect, /api/tts, and what Larynx, Mimic 3 and OpenTTS add to it."""

import json
import unittest
import urllib.parse

from daemon import DaemonCase
from sound import decode

TEXT = "Hello, world."
PATH = "/api/tts"


class Coqui(DaemonCase):
    def assert_same(self, *answers):
        for answer in answers:
            self.assertEqual(answer.status, 200, answer.body[:300])
            self.assertEqual(answer["Content-Type"], "audio/wav")
            self.assertEqual(answer.wav()[2], 22050)
            self.assertEqual(answer.body, answers[0].body)

    def test_every_way_to_ask(self):
        query = urllib.parse.urlencode({"text": TEXT, "seed": 7})
        self.assert_same(
            self.tacod.get(f"{PATH}?{query}"),
            self.tacod.post(query, "application/x-www-form-urlencoded", PATH),
            self.tacod.post(TEXT, "text/plain", PATH + "?seed=7"),
            self.tacod.post(TEXT, "application/x-www-form-urlencoded", PATH + "?seed=7"),
            self.tacod.request("POST", PATH + "?seed=7", TEXT),
            self.tacod.post(json.dumps({"text": TEXT, "seed": 7}), "application/json", PATH),
            self.tacod.get(PATH + "?seed=7", text=TEXT))

    def test_headers_win(self):
        self.assert_same(self.tacod.get(PATH + "?seed=7&text=Other.", text=TEXT),
                         self.tacod.get(PATH + "?seed=7&text=" + urllib.parse.quote(TEXT)))

    def test_what_coqui_s_page_sends(self):
        """Everything there is, most of it empty."""
        answer = self.tacod.get(PATH + "?text=Hi.&speaker_id=&style_wav=&language_id=")
        self.assertEqual(answer.status, 200)
        self.assertIsNone(answer["X-Taco-Ignored"])
        answer = self.tacod.get(PATH + "?text=Hi.&language_id=en&style_wav=%7B%220%22%3A0.1%7D")
        self.assertEqual(answer["X-Taco-Ignored"], "language_id, style_wav")

    def test_speaker(self):
        self.assertEqual(self.tacod.get(PATH + "?text=Hi.&speaker_id=0").status, 200)
        for answer in (self.tacod.get(PATH + "?text=Hi.&speaker_id=p225"),
                       self.tacod.get(PATH + "?text=Hi.", speaker_id="p225")):
            self.assert_error(answer, 400, "unknown_speaker", "speaker_id")

    def test_options_of_the_relatives(self):
        one = self.tacod.get(PATH + "?seed=7&text=Hello.")
        half = self.tacod.get(PATH + "?seed=7&text=Hello.&lengthScale=0.5&vocoder=high&noiseScale=1")
        self.assertAlmostEqual(decode(half).duration, decode(one).duration / 2, delta=0.02)
        self.assertEqual(half["X-Taco-Ignored"], "vocoder, noiseScale")
        self.assertEqual(self.tacod.get(PATH + "?text=Hi.&voice=heart&ssml=false").status, 200)
        self.assert_error(self.tacod.get(PATH + "?text=Hi.&ssml=true"), 400, "invalid_argument", "text")
        ssml = self.tacod.get(PATH + "?seed=7&text=%3Cspeak%3EHello.%3C/speak%3E&ssml=true")
        self.assertEqual(ssml.body, self.tacod.get(PATH + "?seed=7&text=Hello.").body)
        self.assert_error(self.tacod.get(PATH + "?text=Hi.&lengthScale=9"), 400,
                          "invalid_argument", "lengthScale")
        self.assert_error(self.tacod.get(PATH + "?text=Hi.&voice=nobody"), 400, "unknown_voice")

    def test_fields_of_ours(self):
        answer = self.tacod.get(PATH + "?text=Hi.&format=flac&sample_rate=8000")
        sound = decode(answer)
        self.assertEqual((answer["Content-Type"], sound.kind, sound.rate), ("audio/flac", "flac", 8000))
        streamed = self.tacod.get(PATH + "?text=Hi.&stream=1")
        self.assertEqual(streamed.body[4:8], b"\xff\xff\xff\xff")
        self.assertEqual(self.tacod.get(PATH + "?text=Hi.&stream=sse")["Content-Type"],
                         "text/event-stream")

    def test_long_text_in_a_body(self):
        self.assertEqual(self.tacod.get(PATH + "?text=" + "a" * 20000).status, 414)
        answer = self.tacod.post("Yes. " * 5000, path=PATH)
        self.assert_error(answer, 413, "text_too_long")

    def test_nothing_to_say(self):
        for answer in (self.tacod.get(PATH), self.tacod.get(PATH + "?text="),
                       self.tacod.post("", path=PATH), self.tacod.post("  ", path=PATH)):
            self.assert_error(answer, 400, "empty_text", "text")
        self.assert_error(self.tacod.get(PATH + "?text=...&allow_silence=0"), 400, "nothing_to_speak")
        self.assert_error(self.tacod.post('{"text": ["a"]}', "application/json", PATH), 400,
                          "wrong_type", "text")
        self.assert_error(self.tacod.post("<a/>", "application/ssml+xml", PATH), 415,
                          "unsupported_media_type")


if __name__ == "__main__":
    unittest.main()
