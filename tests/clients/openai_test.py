"""OpenAI's own Python client against the daemon."""

import asyncio
import base64
import json
import os
import tempfile
import unittest

import openai

from daemon import PATIENCE, DaemonCase
from keyed import start_with_a_key
from sound import decode_bytes

SPEECH = {"model": "gpt-4o-mini-tts", "voice": "alloy", "input": "Hello, world."}
FORMATS = {"mp3": "audio/mpeg", "opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav", "pcm": "audio/pcm"}


def connect(tacod, key="sk-anything", kind=openai.OpenAI):
    return kind(api_key=key, base_url=f"http://{tacod.host}:{tacod.port}/v1", max_retries=0, timeout=PATIENCE)


class Client(DaemonCase):
    def setUp(self):
        self.client = connect(self.tacod)
        self.addCleanup(self.client.close)

    def speak(self, **fields):
        return self.client.audio.speech.create(**{**SPEECH, **fields})


class Speech(Client):
    def test_every_format(self):
        for name, media_type in FORMATS.items():
            answer = self.speak(response_format=name)
            given = answer.response.headers["content-type"]
            self.assertEqual(given.split(";")[0], media_type)
            sound = decode_bytes(answer.content, given)
            self.assertEqual(sound.kind, name)
            self.assertGreater(sound.duration, 0.5)
            if name == "pcm":
                self.assertEqual(sound.rate, 24000)

    def test_ways_to_take_the_answer(self):
        seeded = {"extra_body": {"seed": 7}, "response_format": "wav"}
        whole = self.speak(**seeded).read()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "speech.wav")
            self.speak(**seeded).write_to_file(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), whole)
            with self.client.audio.speech.with_streaming_response.create(**SPEECH, **seeded) as answer:
                answer.stream_to_file(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), whole)
        self.assertEqual(int.from_bytes(whole[4:8], "little"), len(whole) - 8)

    def test_streaming_response(self):
        """Pieces come while the rest is made."""
        text = "The birch canoe slid on the smooth planks. " * 8
        with self.client.audio.speech.with_streaming_response.create(
                **{**SPEECH, "input": text}, response_format="pcm") as answer:
            self.assertEqual(answer.headers["transfer-encoding"], "chunked")
            self.assertGreater(sum(len(piece) for piece in answer.iter_bytes(4096)), 24000 * 2 * 5)

    def test_a_listener_that_goes_away_harms_nobody(self):
        text = "The birch canoe slid on the smooth planks. " * 40
        with self.client.audio.speech.with_streaming_response.create(
                **{**SPEECH, "input": text}, response_format="pcm") as answer:
            next(answer.iter_bytes(1024))
        self.assertEqual(decode_bytes(self.speak(input="Hi.").content).kind, "mp3")

    def test_events(self):
        with self.client.audio.speech.with_streaming_response.create(
                **SPEECH, response_format="wav", stream_format="sse") as answer:
            self.assertEqual(answer.headers["content-type"], "text/event-stream")
            lines = [line for line in answer.iter_lines() if line]
        for line in lines:
            self.assertTrue(line.startswith("data: "), line)
        *deltas, done = (json.loads(line.removeprefix("data: ")) for line in lines)
        self.assertEqual(done["type"], "speech.audio.done")
        usage = done["usage"]
        self.assertEqual(usage["total_tokens"], usage["input_tokens"] + usage["output_tokens"])
        self.assertEqual({event["type"] for event in deltas}, {"speech.audio.delta"})
        audio = b"".join(base64.b64decode(event["audio"], validate=True) for event in deltas)
        self.assertEqual(decode_bytes(audio).kind, "wav")

    def test_voices_speed_instructions(self):
        for voice in ("alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage",
                      "shimmer", "verse", "heart", {"id": "heart"}):
            self.assertEqual(decode_bytes(self.speak(voice=voice, input="Hi.").content).kind, "mp3", voice)
        seeded = {"response_format": "wav", "instructions": "Whisper.", "extra_body": {"seed": 7}}
        plain, fast = (decode_bytes(self.speak(speed=speed, **seeded).content) for speed in (1.0, 2.0))
        self.assertAlmostEqual(fast.duration, plain.duration / 2, delta=0.05)

    def test_at_the_same_time(self):
        async def all_of_them():
            async with connect(self.tacod, kind=openai.AsyncOpenAI) as client:
                async def speak(seed):
                    answer = await client.audio.speech.create(**SPEECH, response_format="wav", extra_body={"seed": seed})
                    return answer.content
                return await asyncio.gather(*(speak(seed) for seed in (1, 2, 3, 1, 2, 3)))
        answers = asyncio.run(all_of_them())
        self.assertEqual(answers[:3], answers[3:])
        self.assertEqual(len(set(answers)), 3)


class Lists(Client):
    def test_models(self):
        models = list(self.client.models.list())
        self.assertEqual([model.id for model in models], ["tts-1", "tts-1-hd", "gpt-4o-mini-tts", "heart"])
        for model in models:
            self.assertEqual(self.client.models.retrieve(model.id), model)
            self.assertEqual(decode_bytes(self.speak(model=model.id, input="Hi.").content).kind, "mp3")


class Errors(Client):
    def assert_fails(self, kind, status, code, param, call):
        with self.assertRaises(kind) as caught:
            call()
        error = caught.exception
        self.assertEqual((type(error), error.status_code, error.code, error.param), (kind, status, code, param))
        self.assertIn(error.body["message"], error.message)

    def test_bad_requests(self):
        for code, param, fields in [("unsupported", "response_format", {"response_format": "aac"}),
                                    ("invalid_argument", "response_format", {"response_format": "xyz"}),
                                    ("invalid_argument", "speed", {"speed": 5.0}),
                                    ("empty_text", "input", {"input": ""}),
                                    ("invalid_argument", "input", {"input": "x" * 4097}),
                                    ("unknown_voice", "voice", {"voice": "nobody"})]:
            with self.subTest(code, param=param):
                self.assert_fails(openai.BadRequestError, 400, code, param, lambda: self.speak(**fields))

    def test_not_found(self):
        self.assert_fails(openai.NotFoundError, 404, "model_not_found", "model", lambda: self.speak(model="gpt-9"))
        self.assert_fails(openai.NotFoundError, 404, "model_not_found", "model",
                          lambda: self.client.models.retrieve("whisper-1"))
        with self.assertRaises(openai.NotFoundError):
            self.client.embeddings.create(model="tts-1", input="Hi.")

    def test_in_a_streaming_response(self):
        def stream():
            with self.client.audio.speech.with_streaming_response.create(**{**SPEECH, "input": " "}):
                self.fail("nothing was said of the empty text")
        self.assert_fails(openai.BadRequestError, 400, "empty_text", "input", stream)


class Keys(unittest.TestCase):
    def test_authentication(self):
        tacod, key = start_with_a_key()
        self.addCleanup(tacod.stop)
        good = connect(tacod, key)
        self.assertEqual(decode_bytes(good.audio.speech.create(**SPEECH).content).kind, "mp3")
        self.assertEqual(good.models.retrieve("tts-1").object, "model")
        bad = connect(tacod, "sk-wrong")
        for call in (lambda: bad.audio.speech.create(**SPEECH), bad.models.list, lambda: bad.models.retrieve("tts-1")):
            with self.assertRaises(openai.AuthenticationError) as caught:
                call()
            self.assertEqual((caught.exception.status_code, caught.exception.code, caught.exception.type),
                             (401, "unauthorized", "authentication_error"))
        tacod.end_well()


if __name__ == "__main__":
    unittest.main()
