"""Texts without a word: an error of the native API, silence where clients send single sentences."""

import base64
import json
import unittest
from urllib.parse import urlencode

from daemon import DaemonCase
from sound import decode, decode_bytes

THUMB = "\U0001F44D"
FORMATS = ["wav", "flac", "opus", "mp3", "pcm", "ulaw", "alaw", "aiff", "au"]


class Silence(DaemonCase):
    def assert_silent(self, answer, duration=0.2, slack=0.1):
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assert_sound(decode(answer), duration, slack)

    def assert_sound(self, sound, duration=0.2, slack=0.1):
        self.assertAlmostEqual(sound.duration, duration, delta=slack)
        samples = memoryview(sound.samples).cast("h")
        self.assertLess(max(map(abs, samples)), 16)

    def post(self, path, **fields):
        return self.tacod.post(json.dumps(fields), "application/json", path)

    def test_native_only_if_asked(self):
        self.assert_error(self.tacod.speak(THUMB), 400, "nothing_to_speak", "text")
        for name in FORMATS:
            for stream in (False, True):
                if not (stream and name == "aiff"):
                    with self.subTest(name, stream=stream):
                        self.assert_silent(self.tacod.speak(THUMB, allow_silence=True, format=name, stream=stream))
        self.assert_error(self.tacod.speak("", allow_silence=True), 400, "empty_text", "text")

    def test_result(self):
        answer = self.tacod.speak(f"{THUMB} ---", allow_silence=True, seed=3)
        real = "/v1/speech/" + answer["X-Taco-Id"]
        alignment = self.tacod.get(real + "/alignment?matrix=arrays").json()
        self.assertEqual([alignment[name] for name in ("words", "symbols", "chunks", "failures")], [[], [], [], []])
        self.assertEqual(alignment["duration"], 0.2)
        self.assertTrue(alignment["diagnostics"]["ok"])
        self.assertEqual([(note["kind"], note["bytes"]) for note in alignment["notes"]], [("dropped_characters", [0, 4])])
        self.assertEqual(len(alignment["characters"]), 5)
        for form in ("alignment.svg", "alignment.png", "alignment.npy", "alignment.srt", "alignment.vtt",
                     "alignment.TextGrid", "mel.npy", "mel.png"):
            self.assertEqual(self.tacod.get(f"{real}/{form}").status, 200, form)
        self.assertEqual(self.tacod.speak(f"{THUMB} ---", allow_silence=True, seed=3)["X-Cache"], "hit")

    def test_events(self):
        answer = self.tacod.speak(THUMB, allow_silence=True, stream="sse")
        self.assertEqual(answer.status, 200)
        names = [line[7:] for line in answer.body.decode().splitlines() if line.startswith("event: ")]
        self.assertNotIn("error", names)
        self.assertNotIn("chunk", names)

    def test_reading(self):
        reading = self.post("/v1/text", text="---", allow_silence=True).json()
        self.assertEqual((reading["lead"], reading["chunks"], reading["words"]), (0.2, [], []))

    def test_openai(self):
        for name in ("mp3", "opus", "flac", "wav", "pcm"):
            for form in ({}, {"stream_format": "audio"}):
                self.assert_silent(self.post("/v1/audio/speech", model="tts-1", voice="alloy", input=THUMB,
                                             response_format=name, **form))
        answer = self.post("/v1/audio/speech", model="tts-1", voice="alloy", input="---", response_format="pcm",
                           stream_format="sse")
        events = [json.loads(piece[6:]) for piece in answer.body.decode().split("\n\n")[:-1]]
        audio = b"".join(base64.b64decode(e["audio"]) for e in events if "audio" in e)
        self.assertEqual(audio, bytes(2 * 4800))
        self.assertEqual(events[-1]["usage"]["output_tokens"], 0)

    def test_elevenlabs(self):
        path = "/v1/text-to-speech/heart"
        for tail in ("", "/stream"):
            self.assert_silent(self.post(path + tail, text="..."))
        whole = self.post(path + "/with-timestamps?output_format=pcm_22050", text="...").json()
        self.assert_sound(decode_bytes(base64.b64decode(whole["audio_base64"]), "audio/pcm;rate=22050"))
        self.assertEqual(whole["alignment"]["characters"], list("..."))
        self.assertEqual(whole["normalized_alignment"]["characters"], [])
        lines = [json.loads(line) for line in
                 self.post(path + "/stream/with-timestamps?output_format=pcm_22050", text="...").body.splitlines()]
        self.assertEqual(sum(len(base64.b64decode(line["audio_base64"])) for line in lines), 2 * 4410)

    def test_coqui_and_mary(self):
        self.assert_silent(self.tacod.get("/api/tts?text=..."))
        self.assert_silent(self.tacod.get("/api/tts?text=...&stream=1"))
        for audio in ("WAVE_FILE", "AU_FILE", "AIFF_FILE", "WAVE_STREAM"):
            self.assert_silent(self.tacod.get("/process?" + urlencode(
                {"INPUT_TEXT": "---", "INPUT_TYPE": "TEXT", "OUTPUT_TYPE": "AUDIO", "AUDIO": audio, "LOCALE": "en_US"})))
        durations = self.tacod.get("/process?INPUT_TEXT=---&OUTPUT_TYPE=REALISED_DURATIONS")
        self.assertEqual(durations.body, b"#\n0.200000 125 _\n")


if __name__ == "__main__":
    unittest.main()
