"""MaryTTS's dialect, as Home Assistant and speak2mary use it."""

import re
import unittest
from urllib.parse import urlencode

from daemon import Daemon, DaemonCase
from sound import decode

# What speak2mary 1.5 sends unless it is told otherwise, in its order.
SPEAK2MARY = {"INPUT_TEXT": "Hello, world.", "OUTPUT_TYPE": "AUDIO", "INPUT_TYPE": "TEXT",
              "LOCALE": "en_US", "AUDIO": "WAVE_FILE", "VOICE": "cmu-slt-hsmm"}
EFFECTS = {"Volume": "amount:2.0;", "TractScaler": "amount:1.5;", "F0Scale": "f0Scale:2.0;",
           "F0Add": "f0Add:50.0;", "Rate": "durScale:1.5;", "Robot": "amount:100.0;",
           "Whisper": "amount:100.0;", "Stadium": "amount:100.0",
           "Chorus": "delay1:466;amp1:0.54;delay2:600;amp2:-0.10;delay3:250;amp3:0.30",
           "FIRFilter": "type:3;fc1:500.0;fc2:2000.0", "JetPilot": ""}


class Mary(DaemonCase):
    def process(self, **parameters):
        """As speak2mary does: a form without a Content-Type."""
        pairs = {**SPEAK2MARY, **parameters}
        return self.tacod.request("POST", "/process",
                                  urlencode({k: v for k, v in pairs.items() if v is not None}))

    def assert_refused(self, answer, pattern):
        self.assertEqual(answer.status, 400)
        self.assertEqual(answer["Content-Type"], "text/plain; charset=utf-8")
        self.assertRegex(answer.body.decode().split("\n")[0], pattern)

    def test_speak2mary(self):
        answer = self.process()
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer["Content-Type"], "audio/x-wav")
        self.assertEqual(answer["X-Taco-Ignored"], "VOICE")
        answer.wav()
        for codec, media_type, kind in [("WAVE_FILE", "audio/x-wav", "wav"),
                                        ("AU_FILE", "audio/basic", "au"),
                                        ("AIFF_FILE", "audio/x-aiff", "aiff")]:
            answer = self.process(AUDIO=codec)
            self.assertEqual((answer["Content-Type"], decode(answer).kind), (media_type, kind))
        for locale in ["sv", "tr", "lb", "it", "te", "en_US", "en_GB", "de", "fr", "ru"]:
            self.assertEqual(self.process(LOCALE=locale, INPUT_TEXT="Hi.").status, 200)

    def test_home_assistant_s_old_integration(self):
        answer = self.tacod.get("/process?" + urlencode(
            {"INPUT_TEXT": "Hi.", "INPUT_TYPE": "TEXT", "AUDIO": "WAVE", "VOICE": "heart",
             "OUTPUT_TYPE": "AUDIO", "LOCALE": "en_us"}))
        self.assertEqual(answer.status, 200)
        self.assertIsNone(answer["X-Taco-Ignored"])
        answer.wav()

    def test_other_formats_and_streams(self):
        for name, kind in [("MP3", "mp3"), ("FLAC_FILE", "flac"), ("OPUS_STREAM", "opus"),
                           ("wave_stream", "wav"), ("AU_STREAM", "au"), ("AIFF_STREAM", "aiff")]:
            answer = self.process(AUDIO=name, INPUT_TEXT="Hi.")
            self.assertEqual((answer.status, decode(answer).kind), (200, kind), name)
            streamed = "STREAM" in name.upper() and kind != "aiff"
            self.assertEqual(answer["Transfer-Encoding"], "chunked" if streamed else None)
        for name in ("VORBIS", "WAVE_PIPE", "_FILE"):
            self.assert_refused(self.process(AUDIO=name), "AUDIO '.*' is not supported")

    def test_durations(self):
        answer = self.process(OUTPUT_TYPE="REALISED_DURATIONS", AUDIO=None, seed=None,
                              INPUT_TEXT="Hello, world. Again.")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["Content-Type"], "text/plain; charset=utf-8")
        first, *lines = answer.body.decode().splitlines()
        self.assertEqual(first, "#")
        ends = []
        for line in lines:
            self.assertRegex(line, r"^\d+\.\d+ 125 [A-Z_]+[012]?$")
            ends.append(float(line.split()[0]))
        self.assertEqual(ends, sorted(ends))
        phones = [line.split()[2] for line in lines]
        self.assertEqual([re.sub(r"\d", "", p) for p in phones if p != "_"][:4],
                         ["HH", "AH", "L", "OW"])
        kept = self.tacod.get(f"/v1/speech/{answer['X-Taco-Id']}/alignment").json()
        self.assertAlmostEqual(ends[-1], kept["duration"], places=4)

    def test_effects(self):
        for name, parameter in EFFECTS.items():
            answer = self.process(INPUT_TEXT="Hi.", **{f"effect_{name}_selected": "on",
                                                       f"effect_{name}_parameters": parameter})
            self.assertEqual(answer.status, 200, name)
            ignored = answer["X-Taco-Ignored"].split(", ")
            self.assertEqual(f"effect_{name}_selected" in ignored, name not in ("Volume", "Rate"))

    def test_rate_and_volume_are_heard(self):
        plain = self.process(INPUT_TEXT="Hello, hello, hello.")
        slow = self.process(INPUT_TEXT="Hello, hello, hello.", effect_Rate_selected="on",
                            effect_Rate_parameters="durScale:3.0;")
        self.assertGreater(decode(slow).duration, 1.8 * decode(plain).duration)
        mute = self.process(effect_Volume_selected="on", effect_Volume_parameters="amount:0;")
        self.assertEqual(set(decode(mute).samples), {0})
        mute = self.process(effect_volume_selected="on", effect_volume_parameters="amount:0;")
        self.assertEqual(set(decode(mute).samples), {0})
        off = self.process(effect_Volume_selected="off", effect_Volume_parameters="amount:0;")
        self.assertNotEqual(set(decode(off).samples), {0})
        for name, parameter in [("Rate", "durScale:0;"), ("Rate", "durScale:x;"),
                                ("Volume", "loud"), ("Volume", "amount:100;")]:
            self.assert_refused(self.process(**{f"effect_{name}_selected": "on",
                                                f"effect_{name}_parameters": parameter}),
                                "speed|volume|durScale|amount")

    def test_what_is_wrong_is_told_in_the_first_line(self):
        self.assert_refused(self.process(INPUT_TEXT=None), "INPUT_TEXT is missing")
        self.assert_refused(self.process(INPUT_TEXT=""), "no text|empty|white space")
        self.assert_refused(self.process(INPUT_TEXT=" "), "text")
        self.assert_refused(self.process(INPUT_TYPE="WORDS"), "INPUT_TYPE 'WORDS'.*TEXT")
        self.assert_refused(self.process(INPUT_TYPE="SSML"), "SSML, line 1, column 1")

    def test_markup(self):
        plain = self.process(INPUT_TEXT="Hello. Bye.", OUTPUT_TYPE="REALISED_DURATIONS")
        for kind, text in [("SSML", "<speak><s>Hello.</s> <s>Bye.</s></speak>"),
                           ("RAWMARYXML", '<maryxml version="0.4"><p><s>Hello.</s></p><boundary duration="300"/>'
                                          '<s><t>Bye</t>.</s></maryxml>')]:
            answer = self.process(INPUT_TYPE=kind, INPUT_TEXT=text, OUTPUT_TYPE="REALISED_DURATIONS")
            self.assertEqual(answer.status, 200, answer.body)
            names = [[line.split()[-1] for line in a.body.decode().splitlines() if line.split()[-1] != "_"]
                     for a in (plain, answer)]
            self.assertEqual(names[0], names[1])

    def test_output_type(self):
        self.assert_refused(self.process(OUTPUT_TYPE="ALLOPHONES"), "OUTPUT_TYPE 'ALLOPHONES'")

    def lines(self, path):
        answer = self.tacod.get(path)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["Content-Type"], "text/plain; charset=utf-8")
        text = answer.body.decode()
        self.assertTrue(text.endswith("\n"))
        return text.splitlines()

    def test_lists(self):
        self.assertEqual(self.lines("/voices"), ["heart en_US unknown tacotron2"])
        self.assertEqual(self.lines("/locales"), ["en_US"])
        self.assertRegex(self.lines("/version")[0], r"^tacod \d+\.\d+\.\d+$")
        self.assertEqual(self.lines("/datatypes"),
                         ["TEXT INPUT", "SSML INPUT", "RAWMARYXML INPUT", "REALISED_DURATIONS OUTPUT", "AUDIO OUTPUT"])
        formats = self.lines("/audioformats")
        self.assertTrue({"WAVE_FILE", "WAVE_STREAM", "AU_FILE", "AIFF_FILE"} <= set(formats))
        for name in formats:
            self.assertEqual(self.process(AUDIO=name, INPUT_TEXT="Hi.").status, 200)


class TwoVoices(unittest.TestCase):
    def test_lists(self):
        tacod = Daemon("--voice", "another=../../models/heart.safetensors")
        try:
            self.assertEqual(tacod.get("/voices").body, b"another en_US unknown tacotron2\n"
                                                        b"heart en_US unknown tacotron2\n")
            self.assertEqual(tacod.get("/locales").body, b"en_US\n")
        finally:
            tacod.end_well()


if __name__ == "__main__":
    unittest.main()
