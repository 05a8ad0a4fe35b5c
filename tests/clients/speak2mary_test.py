"""speak2mary, through which Home Assistant asks MaryTTS, and Home Assistant without it."""

import unittest
import urllib.request
from urllib.parse import urlencode

from speak2mary import MaryTTS

from daemon import PATIENCE, DaemonCase
from sound import decode_bytes

TEXT = "Hello, world."
# What Home Assistant calls the files that it keeps of them.
CODECS = {"WAVE_FILE": "wav", "AU_FILE": "au", "AIFF_FILE": "aiff"}


class Speak2Mary(DaemonCase):
    def mary(self, **settings):
        return MaryTTS(self.tacod.host, self.tacod.port, **settings)

    def hear(self, message=TEXT, effects=None, **settings):
        return decode_bytes(self.mary(**settings).speak(message, effects))

    def test_as_it_is_set_up_without_settings(self):
        sound = self.hear()
        self.assertEqual((sound.kind, sound.rate), ("wav", 22050))
        self.assertGreater(sound.duration, 0.5)
        self.assertGreater(len(set(sound.samples)), 100)

    def test_every_codec(self):
        self.assertEqual(sorted(CODECS), sorted(MaryTTS.supported_codecs()))
        for codec, kind in CODECS.items():
            self.assertEqual(self.hear(codec=codec).kind, kind)

    def test_every_locale(self):
        for locale in MaryTTS.supported_locales():
            self.assertEqual(self.hear("Hi.", locale=locale).kind, "wav", locale)

    def test_every_voice_that_is_listed(self):
        lines = self.tacod.get("/voices").body.decode().splitlines()
        for name, locale, _, _ in (line.split() for line in lines):
            self.assertEqual(self.hear("Hi.", voice=name, locale=locale).kind, "wav")

    def test_every_effect_with_its_default(self):
        effects = MaryTTS.supported_effects()
        for name, parameters in effects.items():
            self.assertGreater(self.hear("Hi.", {name: parameters}).duration, 0.1, name)
        self.assertGreater(self.hear("Hi.", effects).duration, 0.1)

    def test_effects_are_heard(self):
        """By any case of their names."""
        plain = self.hear("Hello, hello, hello.")
        for rate, volume in [("Rate", "Volume"), ("rate", "volume")]:
            slow = self.hear("Hello, hello, hello.", {rate: "durScale:3.0;"})
            self.assertGreater(slow.duration, 1.8 * plain.duration, rate)
            mute = self.hear("Hi.", {"Robot": "amount:100.0;", volume: "amount:0.0;"})
            self.assertEqual(set(mute.samples), {0}, volume)

    def test_text_of_any_kind(self):
        for text in ("Caffè latte costs $4.50 & more; 50% off + tax = a=b&c", "😀 Smile. \n\n Again?", "x" * 300):
            self.assertGreater(self.hear(text).duration, 0.3)

    def test_home_assistant(self):
        """What its component makes of a configuration, and of options in a call."""
        self.assertLessEqual({"en_US", "en_GB"}, set(MaryTTS.supported_locales()))
        mary = MaryTTS(self.tacod.host, self.tacod.port, "AIFF_FILE", "en_GB", "dfki-spike-hsmm")
        for effects in ({}, {"Volume": "amount:2.0;", "Chorus": ""}):
            self.assertEqual(decode_bytes(mary.speak("The door is open.", effects)).kind, CODECS[mary.codec])

    def test_home_assistant_s_old_component(self):
        """It asked by GET and knew the codecs as aiff, au and wav."""
        for codec, kind in [("AIFF", "aiff"), ("AU", "au"), ("WAVE", "wav")]:
            query = urlencode({"INPUT_TEXT": "The door is open.", "INPUT_TYPE": "TEXT", "AUDIO": codec,
                               "VOICE": "cmu-slt-hsmm", "OUTPUT_TYPE": "AUDIO", "LOCALE": "en-US"})
            url = f"http://{self.tacod.host}:{self.tacod.port}/process?{query}"
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                self.assertEqual(decode_bytes(answer.read()).kind, kind)

    def test_what_is_wrong_is_in_its_exception(self):
        for message, settings, said in [("", {}, "400 - Bad Request: .*text"),
                                        ("Hi.", {"codec": "VORBIS_FILE"}, "AUDIO 'VORBIS_FILE' is not supported"),
                                        ("<a/>", {"input_type": "EMOTIONML"}, "INPUT_TYPE 'EMOTIONML'")]:
            with self.assertRaisesRegex(Exception, said):
                self.mary(**settings).speak(message)


if __name__ == "__main__":
    unittest.main()
