"""stream=true: audio while it is being made."""

import http.client
import json
import time
import unittest

from daemon import DaemonCase, PATIENCE

LONG = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. "


class Stream(DaemonCase):
    def test_wav(self):
        answer = self.tacod.speak("Hello, world.", seed=7, stream=True)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["Content-Type"], "audio/wav")
        self.assertEqual(answer["Transfer-Encoding"], "chunked")
        self.assertIsNone(answer["Content-Length"])
        self.assertEqual(answer["X-Taco-Seed"], "7")
        body = answer.body
        self.assertEqual(body[:4] + body[8:12], b"RIFFWAVE")
        self.assertEqual(body[4:8], b"\xff\xff\xff\xff")
        data = body.index(b"data")
        self.assertEqual(body[data + 4:data + 8], b"\xff\xff\xff\xff")
        self.assertEqual((len(body) - data - 8) % 2, 0)
        self.assertEqual(body.count(b"RIFF"), 1)
        again = self.tacod.speak("Hello, world.", seed=7, stream=True, anew=True)
        self.assertEqual(again.body, body)

    def test_same_length_and_alignment_as_the_whole(self):
        streamed = self.tacod.speak("Hello, world.", seed=7, stream=True, format="pcm")
        whole = self.tacod.speak("Hello, world.", seed=7, format="pcm")
        self.assertEqual(len(streamed.body), len(whole.body))
        answers = [self.tacod.get(f"/v1/speech/{a['X-Taco-Id']}/alignment?matrix=arrays").json()
                   for a in (streamed, whole)]
        for alignment in answers:
            for volatile in ("id", "times", "n_clipped"):
                alignment.pop(volatile, None)
        self.assertEqual(*answers)

    def test_query(self):
        for value in ["true", "1"]:
            answer = self.tacod.get(f"/v1/speech?text=Hi.&stream={value}")
            self.assertEqual(answer["Transfer-Encoding"], "chunked")

    def test_every_format(self):
        for name, start in [("flac", b"fLaC"), ("opus", b"OggS"), ("mp3", b""), ("ulaw", b"")]:
            with self.subTest(format=name):
                answer = self.tacod.speak("Hi.", stream=True, format=name)
                self.assertEqual(answer.status, 200)
                self.assertTrue(answer.body.startswith(start))
                self.assertGreater(len(answer.body), 500)

    def test_what_cannot_be_spoken_is_still_an_error(self):
        self.assert_error(self.tacod.speak("...", stream=True), 400, "nothing_to_speak")
        self.assert_error(self.tacod.speak("", stream=True), 400, "empty_text")
        self.assert_error(self.tacod.speak("Hi.", stream=True, sample_rate=1), 400,
                          "invalid_argument", "sample_rate")

    def test_kept_afterwards_with_exact_sizes(self):
        streamed = self.tacod.speak("Hello, world.", seed=7, stream=True)
        again = self.tacod.get("/v1/speech/" + streamed["X-Taco-Id"])
        self.assertEqual(again.status, 200)
        again.wav()
        self.assertEqual(again.body[44:], streamed.body[44:])

    def open(self, **fields):
        connection = http.client.HTTPConnection(self.tacod.host, self.tacod.port, timeout=PATIENCE)
        connection.request("POST", "/v1/speech", json.dumps({"stream": True, **fields}),
                           {"Content-Type": "application/json"})
        return connection, connection.getresponse()

    def test_audio_comes_before_the_end(self):
        connection, response = self.open(text=LONG * 10, format="pcm")
        first = response.read(1000)
        self.assertEqual(len(first), 1000)
        name = response.headers["X-Taco-Id"]
        # The speech goes on: its result is announced, and not there.
        answer = self.tacod.get("/v1/speech/" + name)
        self.assert_error(answer, 409, "not_ready")
        self.assertEqual(answer["Retry-After"], "1")
        connection.close()
        response.close()

    def test_who_goes_away_stops_the_work(self):
        connection, response = self.open(text=LONG * 40, format="pcm")
        response.read(1000)
        name = response.headers["X-Taco-Id"]
        connection.close()
        response.close()
        deadline = time.monotonic() + PATIENCE
        while self.tacod.get("/v1/speech/" + name).status == 409:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assert_error(self.tacod.get("/v1/speech/" + name), 404, "not_found")

    def test_head(self):
        answer = self.tacod.request("HEAD", "/v1/speech?text=Hi.&stream=1")
        self.assertEqual((answer.status, answer.body), (200, b""))


if __name__ == "__main__":
    unittest.main()
