"""OpenAI's dialect: POST /v1/audio/speech, GET /v1/models, GET /v1/audio/voices."""

import base64
import json
import subprocess
import unittest

from daemon import Daemon, DaemonCase, TACOD
from sound import decode

NAMES = ["alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx",
         "sage", "shimmer", "verse"]


class Case(DaemonCase):
    def speech(self, **fields):
        body = {"model": "tts-1", "input": "Hello, world.", "voice": "alloy", **fields}
        body = {name: value for name, value in body.items() if value != "absent"}
        return self.tacod.post(json.dumps(body), "application/json", "/v1/audio/speech",
                               Authorization="Bearer sk-anything",
                               Accept="application/octet-stream")


class Speech(Case):
    def test_default_is_mp3(self):
        answer = self.speech()
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer["Content-Type"], "audio/mpeg")
        self.assertEqual(decode(answer).kind, "mp3")

    def test_every_format(self):
        types = {"mp3": "audio/mpeg", "opus": "audio/ogg;codecs=opus", "flac": "audio/flac",
                 "wav": "audio/wav", "pcm": "audio/pcm;rate=24000;encoding=signed-int;bits=16"}
        for name, media_type in types.items():
            with self.subTest(format=name):
                answer = self.speech(response_format=name)
                self.assertEqual(answer.status, 200, answer.body[:300])
                self.assertEqual(answer["Content-Type"], media_type)
                sound = decode(answer)
                self.assertEqual(sound.kind, name)
                self.assertTrue(0.6 < sound.duration < 4, sound)
                if name == "pcm":
                    self.assertEqual(sound.rate, 24000)

    def test_wav_is_exact_unless_streamed(self):
        self.speech(response_format="wav").wav()
        streamed = self.speech(response_format="wav", stream_format="audio")
        self.assertEqual(streamed["Transfer-Encoding"], "chunked")
        self.assertEqual(streamed.body[4:8], b"\xff\xff\xff\xff")
        self.assertEqual(streamed.body.count(b"RIFF"), 1)

    def test_aac_is_refused_with_what_there_is(self):
        answer = self.speech(response_format="aac")
        self.assert_error(answer, 400, "unsupported", "response_format")
        for name in ("mp3", "opus", "flac", "wav", "pcm"):
            self.assertIn(name, answer.error["message"])
        self.assert_error(self.speech(response_format="xyz"), 400, "invalid_argument",
                          "response_format")

    def test_speed(self):
        one, two = (decode(self.speech(response_format="wav", speed=speed, seed=3)).duration
                    for speed in (1, 2.0))
        self.assertAlmostEqual(two, one / 2, delta=0.02)
        for speed in (0.24, 4.01, -1):
            self.assert_error(self.speech(speed=speed), 400, "invalid_argument", "speed")
        self.assert_error(self.speech(speed="fast"), 400, "wrong_type", "speed")

    def test_voices(self):
        for voice in [*NAMES, "heart", {"id": "nova"}, {"id": "heart"}]:
            with self.subTest(voice=voice):
                self.assertEqual(self.speech(voice=voice, input="Hi.").status, 200)
        self.assert_error(self.speech(voice="nobody"), 400, "unknown_voice", "voice")
        self.assert_error(self.speech(voice={"name": "heart"}), 400, "wrong_type", "voice")

    def test_models(self):
        for model in ["tts-1", "tts-1-hd", "gpt-4o-mini-tts", "heart"]:
            self.assertEqual(self.speech(model=model, input="Hi.").status, 200)
        self.assert_error(self.speech(model="gpt-9"), 404, "model_not_found", "model")

    def test_what_is_missing(self):
        for name in ("model", "input", "voice"):
            self.assert_error(self.speech(**{name: "absent"}), 400, "invalid_argument", name)
            self.assert_error(self.speech(**{name: None}), 400, "invalid_argument", name)
        answer = self.speech(input="")
        self.assert_error(answer, 400, "empty_text", "input")
        self.assertEqual(answer.error["type"], "invalid_request_error")
        self.assert_error(self.speech(input="...", allow_silence=False), 400, "nothing_to_speak")

    def test_lengths(self):
        self.assert_error(self.speech(input="ä" * 4097), 400, "invalid_argument", "input")
        self.assert_error(self.speech(instructions="x" * 4097), 400, "invalid_argument",
                          "instructions")

    def test_instructions_are_ignored_and_that_is_said(self):
        answer = self.speech(instructions="Speak like a pirate.", seed=1)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["X-Taco-Ignored"], "instructions")
        self.assertEqual(answer.body, self.speech(seed=1).body)
        self.assertIsNone(self.speech(seed=1)["X-Taco-Ignored"])

    def test_markup(self):
        def words(**fields):
            answer = self.speech(response_format="wav", **fields)
            self.assertEqual(answer.status, 200, answer.body[:300])
            path = f"/v1/speech/{answer['X-Taco-Id']}/alignment"
            return [word["spoken"] for word in self.tacod.get(path).json()["words"]]
        plain = words(input="a new day")
        for text in ("a **new** day", "<speak>a <emphasis>new</emphasis> day</speak>", "<p>a new day</p>"):
            self.assertEqual(words(input=text), plain)
        self.assertEqual(words(input="<speak>a new day</speak>", ssml=True), plain)
        self.assertEqual(words(input="a <b>new</b> day", markup="html"), plain)
        self.assertNotEqual(words(input="<p>a new day</p>", ssml=False), plain)
        self.assert_error(self.speech(ssml="x"), 400, "wrong_type", "ssml")
        self.assert_error(self.speech(input="a", ssml=True), 400, "invalid_argument", "input")

    def test_fields_of_ours(self):
        answer = self.speech(seed=7, sample_rate=8000, response_format="wav")
        self.assertEqual(answer["X-Taco-Seed"], "7")
        self.assertEqual(answer.wav()[2], 8000)
        self.assertIsNone(self.speech(stream=False)["Transfer-Encoding"])

    def test_what_clients_of_compatible_servers_send(self):
        answer = self.speech(user="me", language="en", lang_code="a", extra={"a": [1]}, top_p=None, seeed=7)
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer["X-Taco-Ignored"], "user, language, lang_code, extra, seeed")
        many = self.speech(**{f"unknown_{i:03}": i for i in range(100)})
        self.assertRegex(many["X-Taco-Ignored"], r"^unknown_000, .*, \.\.\.$")
        self.assertLess(len(many["X-Taco-Ignored"]), 256)

    def test_null_is_nothing(self):
        self.assertEqual(self.speech(response_format=None, speed=None, instructions=None,
                                     stream_format=None).status, 200)

    def test_bodies(self):
        path = "/v1/audio/speech"
        self.assert_error(self.tacod.post("{", "application/json", path), 400, "bad_json")
        self.assert_error(self.tacod.post("[]", "application/json", path), 400, "bad_json")
        self.assert_error(self.tacod.post("Hi.", "text/plain", path), 415,
                          "unsupported_media_type", "Content-Type")
        self.assert_error(self.tacod.get(path), 405, "method_not_allowed")

    def test_result_is_kept(self):
        answer = self.speech(response_format="wav", seed=5)
        alignment = self.tacod.get(f"/v1/speech/{answer['X-Taco-Id']}/alignment").json()
        self.assertEqual([w["text"] for w in alignment["words"]], ["Hello", "world"])


class Events(Case):
    def events(self, **fields):
        answer = self.speech(stream_format="sse", **fields)
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer["Content-Type"], "text/event-stream")
        pieces = answer.body.decode().split("\n\n")
        self.assertEqual(pieces.pop(), "")
        for piece in pieces:
            self.assertTrue(piece.startswith("data: "), piece[:80])
        return [json.loads(piece[6:]) for piece in pieces]

    def test_deltas_and_done(self):
        *deltas, done = self.events(response_format="pcm", seed=4)
        self.assertGreater(len(deltas), 1)
        self.assertEqual({d["type"] for d in deltas}, {"speech.audio.delta"})
        audio = b"".join(base64.b64decode(d["audio"], validate=True) for d in deltas)
        streamed = self.speech(response_format="pcm", seed=4, stream_format="audio")
        self.assertEqual(audio, streamed.body)
        self.assertEqual(done["type"], "speech.audio.done")
        usage = done["usage"]
        self.assertGreater(usage["input_tokens"], 5)
        self.assertGreater(usage["output_tokens"], 20)
        self.assertEqual(usage["total_tokens"], usage["input_tokens"] + usage["output_tokens"])

    def test_errors_before_the_first_audio_have_a_status(self):
        self.assert_error(self.speech(stream_format="sse", input="...", allow_silence=False), 400,
                          "nothing_to_speak")
        self.assert_error(self.speech(stream_format="json"), 400, "invalid_argument",
                          "stream_format")


class Lists(Case):
    def test_every_listed_model_is_there(self):
        answer = self.tacod.get("/v1/models").json()
        self.assertEqual(answer["object"], "list")
        names = [model["id"] for model in answer["data"]]
        self.assertEqual(names, ["tts-1", "tts-1-hd", "gpt-4o-mini-tts", "heart"])
        for model in answer["data"]:
            self.assertEqual(sorted(model), ["created", "id", "object", "owned_by"])
            self.assertEqual(self.tacod.get("/v1/models/" + model["id"]).json(), model)
        self.assert_error(self.tacod.get("/v1/models/whisper-1"), 404, "model_not_found")

    def test_voices(self):
        self.assertEqual(self.tacod.get("/v1/audio/voices").json(),
                         {"voices": [{"id": "heart", "name": "heart"}]})

    def test_open_webui(self):
        """It asks both lists without a key, keeps {id: name} of the one, and sends what is chosen."""
        models = self.tacod.get("/v1/audio/models").json()["models"]
        self.assertEqual([model["id"] for model in models], ["tts-1", "tts-1-hd", "gpt-4o-mini-tts", "heart"])
        voices = {voice["id"]: voice["name"] for voice in self.tacod.get("/v1/audio/voices").json()["voices"]}
        for model in models:
            for voice in voices:
                body = json.dumps({"input": "Hi.", "voice": voice, "model": model["id"]})
                answer = self.tacod.post(body, "application/json", "/v1/audio/speech", Authorization="Bearer None",
                                         X_OpenWebUI_User_Name="J%C3%B6rg", X_OpenWebUI_User_Role="admin")
                self.assertEqual((answer.status, answer["Content-Type"]), (200, "audio/mpeg"))
        self.assertEqual(self.tacod.get("/v1/audio/voices?model=heart").json()["voices"][0]["id"], "heart")


class Names(unittest.TestCase):
    def test_names_are_mapped_by_configuration(self):
        tacod = Daemon("--voice", "another=../../models/heart.safetensors", "--default-voice", "heart",
                       "--voice-alias", "nova=another", "--voice-alias", "Rachel=another")
        try:
            self.assertEqual(tacod.get("/v1/audio/voices").json()["voices"],
                             [{"id": name, "name": name}
                              for name in ("another", "heart", "nova", "Rachel")])
            for voice, model, speaks in [("nova", "tts-1", "another"), ("alloy", "tts-1", "heart"),
                                         ("alloy", "another", "another"), ("heart", "another", "heart"),
                                         ("Rachel", "tts-1", "another")]:
                answer = tacod.post(json.dumps({"model": model, "input": "Hi.", "voice": voice,
                                                "response_format": "wav"}),
                                    "application/json", "/v1/audio/speech")
                self.assertEqual(answer.status, 200, answer.body[:300])
                kept = tacod.get(f"/v1/speech/{answer['X-Taco-Id']}/alignment").json()
                self.assertEqual(kept["voice"], "heart")  # the file's own name
            refused = tacod.post(json.dumps({"model": "tts-1", "input": "Hi.", "voice": "rachel"}),
                                 "application/json", "/v1/audio/speech")
            self.assertEqual(refused.status, 400)
        finally:
            tacod.end_well()

    def test_bad_configuration(self):
        for value in ("nova", "=heart", "nova=nobody"):
            ended = subprocess.run([TACOD, "serve", "--port", "0", "--voice-alias", value],
                                   capture_output=True, timeout=60)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(b"voice-alias", ended.stderr)


if __name__ == "__main__":
    unittest.main()
