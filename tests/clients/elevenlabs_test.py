"""ElevenLabs's own Python client against the daemon."""

import asyncio
import base64
import unittest

from elevenlabs import VoiceSettings
from elevenlabs.client import AsyncElevenLabs, ElevenLabs
from elevenlabs.core.api_error import ApiError

from daemon import PATIENCE, DaemonCase
from keyed import start_with_a_key
from sound import decode_bytes

TEXT = "Hello, world. It costs $25.50 – naïve!"
MODEL = "eleven_multilingual_v2"


def connect(tacod, key="any", kind=ElevenLabs):
    return kind(base_url=f"http://{tacod.host}:{tacod.port}", api_key=key, timeout=PATIENCE)


class Client(DaemonCase):
    options = ("--voice", "another=../../models/heart.safetensors", "--voice-alias", "Rachel=heart")

    def setUp(self):
        self.client = connect(self.tacod)

    def assert_fails(self, status, code, call):
        with self.assertRaises(ApiError) as caught:
            call()
        self.assertEqual(caught.exception.status_code, status)
        self.assertEqual(caught.exception.body["detail"]["status"], code)
        self.assertTrue(caught.exception.body["detail"]["message"])

    def assert_times(self, times, text):
        self.assertEqual("".join(times.characters), text)
        starts, ends = times.character_start_times_seconds, times.character_end_times_seconds
        self.assertEqual((len(starts), len(ends)), (len(text), len(text)))
        for i, (start, end) in enumerate(zip(starts, ends)):
            self.assertLessEqual(0 if i == 0 else ends[i - 1] - 1e-6, start)
            self.assertLessEqual(start, end)
        return ends[-1]


class Speech(Client):
    def test_convert(self):
        """As the client's own examples call it."""
        audio = b"".join(self.client.text_to_speech.convert(
            "heart", text=TEXT, model_id=MODEL, output_format="mp3_44100_128"))
        sound = decode_bytes(audio)
        self.assertEqual((sound.kind, sound.rate), ("mp3", 44100))
        self.assertGreater(sound.duration, 2)

    def test_every_output_format_family(self):
        for name, kind in [("mp3_22050_32", "mp3"), ("mp3_24000_48", "mp3"), ("wav_32000", "wav"), ("wav_8000", "wav"),
                           ("opus_48000_32", "opus"), ("pcm_16000", "pcm"), ("ulaw_8000", "ulaw"), ("alaw_8000", "alaw")]:
            with self.subTest(name):
                audio = b"".join(self.client.text_to_speech.convert("heart", text="Hi.", output_format=name))
                media_type = {"pcm": "audio/pcm;rate=16000", "ulaw": "audio/PCMU", "alaw": "audio/PCMA"}.get(kind, "")
                sound = decode_bytes(audio, media_type)
                self.assertEqual((sound.kind, str(sound.rate)), (kind, name.split("_")[1]))

    def test_every_parameter(self):
        """All that convert() takes; the speed is heard, and the seed gives the same again."""
        def convert(**settings):
            return b"".join(self.client.text_to_speech.convert(
                "another", text=TEXT, model_id=MODEL, output_format="pcm_16000", seed=4294967295, language_code="en",
                voice_settings=VoiceSettings(stability=0.5, similarity_boost=0.75, style=0.0, use_speaker_boost=True,
                                             **settings),
                enable_logging=True, optimize_streaming_latency=0, pronunciation_dictionary_locators=[],
                previous_text="Before.", next_text="After.", previous_request_ids=["a"], next_request_ids=["b"],
                use_pvc_as_ivc=False, apply_text_normalization="auto", apply_language_text_normalization=False,
                audio_effects={"distance": 0.1}))
        plain = convert(speed=1.0)
        self.assertEqual(convert(), plain)
        self.assertAlmostEqual(len(convert(speed=0.7)), len(plain) / 0.7, delta=3200)

    def test_stream(self):
        with self.client.text_to_speech.with_raw_response.stream(
                "heart", text="Hello, world.", output_format="mp3_44100_64") as answer:
            self.assertEqual(answer.headers["transfer-encoding"], "chunked")
            self.assertEqual(decode_bytes(b"".join(answer.data)).kind, "mp3")

    def test_with_timestamps(self):
        answer = self.client.text_to_speech.convert_with_timestamps("heart", text=TEXT, output_format="wav_16000")
        sound = decode_bytes(base64.b64decode(answer.audio_base_64, validate=True))
        self.assertAlmostEqual(self.assert_times(answer.alignment, TEXT), sound.duration, places=3)
        spoken = "".join(answer.normalized_alignment.characters)
        self.assertIn("twenty five dollars", spoken)
        self.assert_times(answer.normalized_alignment, spoken)

    def test_stream_with_timestamps(self):
        audio, characters = b"", ""
        for piece in self.client.text_to_speech.stream_with_timestamps("heart", text=TEXT, output_format="pcm_16000"):
            audio += base64.b64decode(piece.audio_base_64, validate=True)
            if piece.alignment:
                characters += "".join(piece.alignment.characters)
                last = piece.alignment.character_end_times_seconds[-1]
        self.assertEqual(characters, TEXT)
        self.assertAlmostEqual(last, len(audio) / 32000, places=3)

    def test_at_the_same_time(self):
        async def all_of_them():
            client = connect(self.tacod, kind=AsyncElevenLabs)

            async def speak(seed):
                return b"".join([piece async for piece in client.text_to_speech.convert(
                    "heart", text="Hello, world.", seed=seed, output_format="pcm_16000")])
            return await asyncio.gather(*(speak(seed) for seed in (1, 2, 3, 1, 2, 3)))
        answers = asyncio.run(all_of_them())
        self.assertEqual(answers[:3], answers[3:])
        self.assertEqual(len(set(answers)), 3)

    def test_what_is_wrong(self):
        def convert(**settings):
            return lambda: b"".join(self.client.text_to_speech.convert(**{"voice_id": "heart", "text": "Hi.", **settings}))
        self.assert_fails(404, "not_found", convert(voice_id="21m00Tcm4TlvDq8ikWAM"))
        self.assert_fails(400, "empty_text", convert(text=""))
        self.assert_fails(400, "invalid_argument", convert(voice_settings=VoiceSettings(speed=9.0)))
        self.assert_fails(400, "invalid_argument", convert(output_format="mp3"))
        self.assert_fails(413, "text_too_long", convert(text="Yes. " * 5000))
        self.assert_fails(400, "empty_text", lambda: self.client.text_to_speech.convert_with_timestamps("heart", text=" "))
        self.assert_fails(400, "empty_text", lambda: list(self.client.text_to_speech.stream_with_timestamps("heart", text="")))


class Lists(Client):
    def test_a_voice_that_is_listed_speaks(self):
        for voices in (self.client.voices.search().voices, self.client.voices.get_all().voices):
            self.assertEqual([voice.voice_id for voice in voices], ["another", "heart"])
            for voice in voices:
                self.assertEqual(voice.name, voice.voice_id)
                self.assertTrue(voice.description)
                audio = b"".join(self.client.text_to_speech.convert(voice.voice_id, text="Hi."))
                self.assertEqual(decode_bytes(audio).kind, "mp3")

    def test_names_of_other_voices(self):
        audio = b"".join(self.client.text_to_speech.convert("Rachel", text="Hi."))
        self.assertEqual(decode_bytes(audio).kind, "mp3")

    def test_all_voices_are_on_one_page(self):
        page = self.client.voices.search(page_size=1, include_total_count=True, sort="name", sort_direction="asc", search="nothing")
        self.assertEqual(([v.voice_id for v in page.voices], page.has_more, page.total_count), (["another", "heart"], False, 2))
        self.assertIsNone(page.next_page_token)

    def test_one_voice(self):
        self.assertEqual(self.client.voices.get("heart").voice_id, "heart")
        with self.assertRaises(ApiError) as caught:
            self.client.voices.get("nobody")
        self.assertEqual(caught.exception.status_code, 404)

    def test_settings_and_account(self):
        for settings in (self.client.voices.settings.get_default(), self.client.voices.settings.get("heart"),
                         self.client.voices.settings.get("Rachel")):
            self.assertEqual(settings.speed, 1)
        subscription = self.client.user.subscription.get()
        self.assertGreater(subscription.character_limit, subscription.character_count)
        self.assertEqual(self.client.user.get().subscription.character_limit, subscription.character_limit)
        self.assert_fails(404, "not_found", lambda: self.client.voices.settings.get("nobody"))

    def test_models(self):
        models = self.client.models.list()
        self.assertIn(MODEL, [model.model_id for model in models])
        for model in models:
            self.assertTrue(model.can_do_text_to_speech)
            self.assertEqual([language.language_id for language in model.languages], ["en"])
            audio = b"".join(self.client.text_to_speech.convert("heart", text="Hi.", model_id=model.model_id))
            self.assertEqual(decode_bytes(audio).kind, "mp3")


class Keys(unittest.TestCase):
    def test_with_a_key_and_without(self):
        tacod, key = start_with_a_key()
        self.addCleanup(tacod.stop)
        good = connect(tacod, key)
        self.assertEqual(decode_bytes(b"".join(good.text_to_speech.convert("heart", text="Hi."))).kind, "mp3")
        self.assertTrue(good.voices.search().voices)
        self.assertTrue(good.models.list())
        for bad in (connect(tacod, "wrong"), connect(tacod, None)):
            for call in (lambda: b"".join(bad.text_to_speech.convert("heart", text="Hi.")), bad.voices.search,
                         lambda: bad.text_to_speech.convert_with_timestamps("heart", text="Hi.")):
                with self.assertRaises(ApiError) as caught:
                    call()
                self.assertEqual(caught.exception.status_code, 401)
                self.assertEqual(caught.exception.body["detail"]["status"], "unauthorized")
            with self.assertRaises(ApiError) as caught:
                bad.models.list()
            self.assertEqual(caught.exception.status_code, 401)
        tacod.end_well()


if __name__ == "__main__":
    unittest.main()
