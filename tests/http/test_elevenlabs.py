"""ElevenLabs's dialect: /v1/text-to-speech/{voice}[/stream][/with-timestamps]."""

import base64
import json
import unittest

from daemon import DaemonCase
from sound import decode, decode_bytes

TEXT = "Hello, world. It costs $25.50 – naïve!"
SPOKEN = "hello world it costs twenty five dollars fifty cents naive"


class ElevenLabs(DaemonCase):
    def ask(self, tail="", text=TEXT, voice="heart", output_format=None, **fields):
        query = f"?output_format={output_format}" if output_format else ""
        return self.tacod.post(json.dumps({"text": text, "model_id": "eleven_multilingual_v2",
                                           "seed": 7, **fields}), "application/json",
                               f"/v1/text-to-speech/{voice}{tail}{query}", xi_api_key="any")

    def assert_detail(self, answer, status, code):
        self.assertEqual(answer.status, status, answer.body[:300])
        self.assertEqual(sorted(answer.json()["detail"]), ["message", "status"])
        self.assertEqual(answer.json()["detail"]["status"], code)

    def test_default_is_mp3_44100_128(self):
        for tail in ("", "/stream"):
            answer = self.ask(tail)
            self.assertEqual(answer.status, 200, answer.body[:300])
            self.assertEqual(answer["Content-Type"], "audio/mpeg")
            sound = decode(answer)
            self.assertEqual((sound.kind, sound.rate), ("mp3", 44100))
            self.assertEqual(len(answer.body) * 8 // 1000 // int(sound.duration * 100), 1)
            self.assertEqual(answer["X-Taco-Ignored"], "model_id")
        self.assertEqual(answer["Transfer-Encoding"], "chunked")

    def test_the_log_has_the_voice(self):
        answer = self.ask()
        self.tacod.wait_for_log(rf"POST /v1/text-to-speech/heart 200 .*request_id={answer['X-Request-Id']} .*voice=heart ")

    def test_output_formats(self):
        for name, kind in [("pcm_8000", "pcm"), ("pcm_16000", "pcm"), ("pcm_22050", "pcm"),
                           ("pcm_24000", "pcm"), ("pcm_44100", "pcm"), ("pcm_48000", "pcm"),
                           ("wav_24000", "wav"), ("ulaw_8000", "ulaw"), ("alaw_8000", "alaw"),
                           ("mp3_22050_32", "mp3"), ("mp3_44100_192", "mp3")]:
            with self.subTest(name):
                answer = self.ask(output_format=name, text="Hello.")
                self.assertEqual(answer.status, 200, answer.body[:300])
                sound = decode(answer)
                self.assertEqual((sound.kind, str(sound.rate)), (kind, name.split("_")[1]))
        self.assertEqual(decode(self.ask(output_format="opus_48000_64")).kind, "opus")
        for name in ("mp3", "mp3_44100_128_1", "mp3_x", "aac_44100", "pcm_96000",
                     "_8000", "mp3_44100_9999"):
            answer = self.ask(output_format=name)
            self.assertEqual(answer.status, 400, name)
            self.assertIn("detail", answer.json())

    def assert_times(self, times, text):
        self.assertEqual("".join(times["characters"]), text)
        starts, ends = (times[f"character_{n}_times_seconds"] for n in ("start", "end"))
        self.assertEqual(len(starts), len(times["characters"]))
        self.assertEqual(len(ends), len(starts))
        for i, (start, end) in enumerate(zip(starts, ends)):
            self.assertLessEqual(start, end)
            if i:
                self.assertLessEqual(ends[i - 1], start + 1e-6)
        return ends[-1]

    def test_with_timestamps(self):
        answer = self.ask("/with-timestamps", output_format="wav_16000")
        self.assertEqual(answer["Content-Type"], "application/json")
        body = answer.json()
        self.assertEqual(sorted(body), ["alignment", "audio_base64", "normalized_alignment"])
        audio = base64.b64decode(body["audio_base64"], validate=True)
        self.assertEqual(audio, self.ask(output_format="wav_16000").body)
        sound = decode_bytes(audio)
        self.assertAlmostEqual(self.assert_times(body["alignment"], TEXT), sound.duration, places=3)
        last = self.assert_times(body["normalized_alignment"],
                                 "".join(body["normalized_alignment"]["characters"]))
        self.assertLessEqual(last, sound.duration + 1e-6)
        spoken = "".join(body["normalized_alignment"]["characters"]).split()
        self.assertEqual(spoken[:6], SPOKEN.split()[:6])

    def test_stream_with_timestamps(self):
        answer = self.ask("/stream/with-timestamps", output_format="pcm_16000")
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer["Content-Type"], "application/x-ndjson")
        *lines, rest = answer.body.decode().split("\n")
        self.assertEqual(rest, "")
        objects = [json.loads(line) for line in lines]
        for o in objects:
            self.assertEqual(sorted(o), ["alignment", "audio_base64", "normalized_alignment"])
        audio = b"".join(base64.b64decode(o["audio_base64"], validate=True) for o in objects)
        self.assertEqual(audio, self.ask("/stream", output_format="pcm_16000").body)
        told = [o["alignment"] for o in objects if o["alignment"]]
        self.assertGreater(len(told), 1)
        joined = {name: sum((t[name] for t in told), []) for name in told[0]}
        last = self.assert_times(joined, TEXT)
        self.assertAlmostEqual(last, len(audio) / 2 / 16000, places=3)

    def test_settings(self):
        one = self.ask(output_format="pcm_16000")
        two = self.ask(output_format="pcm_16000",
                       voice_settings={"speed": 2, "stability": 0.5, "style": None})
        pause = 0.2 * 16000 * 2  # between the two sentences; speed does not change it
        self.assertAlmostEqual(len(two.body) - pause, (len(one.body) - pause) / 2, delta=3200)
        self.assertEqual(two["X-Taco-Ignored"], "model_id, stability")
        answer = self.ask(language_code="en", previous_text="a", next_text="b",
                          apply_text_normalization="on", voice_settings=None,
                          pronunciation_dictionary_locators=[])
        self.assertEqual(answer.status, 200)
        self.assert_detail(self.ask(voice_settings={"speed": 9}), 400, "invalid_argument")
        self.assert_detail(self.ask(voice_settings=[1]), 400, "wrong_type")
        answer = self.ask(voice_settings={"voice_settings": {}}, colour="red", voice="nobody", stream=True, format="flac")
        self.assertEqual((answer.status, answer["Content-Type"]), (404, "application/json"))
        answer = self.ask(voice_settings={"voice_settings": {}}, colour="red", stream=True, format="flac")
        self.assertEqual((answer.status, answer["Content-Type"]), (200, "audio/mpeg"))
        self.assertEqual(answer["X-Taco-Ignored"], "model_id, voice_settings, colour, stream, format")

    def test_settings_without_effect(self):
        answer = self.ask(audio_effects={"distance": 0.5}, use_pvc_as_ivc=False,
                          apply_language_text_normalization=True, voice_settings={"clone_strength": 1})
        self.assertEqual(answer.status, 200)
        self.assertIn("audio_effects", answer["X-Taco-Ignored"])

    def test_normalisation(self):
        def spoken(**fields):
            return "".join(self.ask("/with-timestamps", text="Dr. $5", **fields).json()["normalized_alignment"]["characters"])
        for value in ("auto", "on", None):
            self.assertEqual(spoken(apply_text_normalization=value), "doctor five dollars")
        self.assertNotIn("doctor", spoken(apply_text_normalization="off"))
        self.assert_detail(self.ask(apply_text_normalization="yes"), 400, "invalid_argument")
        self.assert_detail(self.ask(apply_text_normalization=True), 400, "wrong_type")

    def test_models(self):
        """Under OpenAI's path, told apart by the header that its clients do not send."""
        models = self.tacod.get("/v1/models", xi_api_key="any").json()
        for model in models:
            self.assertTrue(model["can_do_text_to_speech"])
            self.assertEqual(model["languages"], [{"language_id": "en", "name": "en-US"}])
        self.assertIn("eleven_multilingual_v2", [model["model_id"] for model in models])
        self.assertEqual(self.tacod.get("/v1/models", Authorization="Bearer x").json()["object"], "list")

    def test_errors(self):
        self.assert_detail(self.ask(voice="21m00Tcm4TlvDq8ikWAM"), 404, "not_found")
        self.assert_detail(self.ask(text=""), 400, "empty_text")
        self.assert_detail(self.ask(text=None), 400, "empty_text")
        self.assert_detail(self.ask("/stream/with-timestamps", text="...", allow_silence=False), 400,
                           "nothing_to_speak")
        self.assert_detail(self.ask(seed=-1), 400, "invalid_argument")
        self.assert_detail(self.tacod.post("{", "application/json", "/v1/text-to-speech/heart"),
                           400, "bad_json")
        self.assert_detail(self.tacod.post("Hi.", path="/v1/text-to-speech/heart"), 415,
                           "unsupported_media_type")
        self.assertEqual(self.tacod.get("/v1/text-to-speech/heart").status, 405)
        self.assertEqual(self.ask("/with-timestamp").status, 404)


class Voices(DaemonCase):
    options = ("--voice", "another=../../models/heart.safetensors", "--voice", "Third=../../models/heart.safetensors")
    names = ["Third", "another", "heart"]

    def search(self, query=""):
        answer = self.tacod.get("/v2/voices" + query, xi_api_key="any")
        self.assertEqual(answer.status, 200, answer.body)
        page = answer.json()
        return [voice["voice_id"] for voice in page["voices"]], page

    def test_lists_of_both_versions(self):
        names, page = self.search()
        self.assertEqual(names, self.names)
        self.assertEqual((page["has_more"], page["total_count"], page["next_page_token"]), (False, 3, None))
        self.assertEqual(self.tacod.get("/v1/voices").json()["voices"], page["voices"])
        voice = self.tacod.get("/v1/voices/another").json()
        self.assertEqual((voice["voice_id"], voice["name"]), ("another", "another"))

    def test_all_voices_are_on_one_page(self):
        for query in ("?page_size=1", "?search=nothing&sort=name", "?next_page_token=x"):
            self.assertEqual(self.search(query)[0], self.names)

    def test_settings(self):
        settings = self.tacod.get("/v1/voices/settings/default", xi_api_key="any").json()
        self.assertEqual(settings["speed"], 1)
        for voice in ("another", "alloy"):
            self.assertEqual(self.tacod.get(f"/v1/voices/{voice}/settings").json(), settings)
        answer = self.tacod.get("/v1/voices/nobody/settings")
        self.assertEqual((answer.status, answer.json()["detail"]["status"]), (404, "not_found"))

    def test_user(self):
        subscription = self.tacod.get("/v1/user/subscription", xi_api_key="any").json()
        self.assertGreater(subscription["character_limit"], subscription["character_count"])
        user = self.tacod.get("/v1/user", xi_api_key="any").json()
        self.assertEqual(user["subscription"], subscription)
        self.assertEqual(user["user_id"], "tacod")


if __name__ == "__main__":
    unittest.main()
