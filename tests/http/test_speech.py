"""POST and GET /v1/speech: every way to ask, every form of the answer."""

import base64
import email
import json
import unittest
import urllib.parse

from daemon import DaemonCase, PATIENCE

TEXT = "Hello, world. It costs $25.50."


class Asking(DaemonCase):
    def assert_speech(self, answer):
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer["Content-Type"], "audio/wav")
        self.assertEqual(int(answer["Content-Length"]), len(answer.body))
        channels, width, rate, frames = answer.wav()
        self.assertEqual((channels, width, rate), (1, 2, 22050))
        self.assertGreater(len(frames), 2 * 1600)
        self.assertRegex(answer["X-Taco-Id"], r"^[A-Za-z0-9]{12}$")
        self.assertTrue(0 <= int(answer["X-Taco-Seed"]) < 2**53)

    def test_curl_d_of_the_readme(self):
        """curl -d calls plain text a form."""
        answer = self.tacod.post(TEXT, "application/x-www-form-urlencoded")
        self.assert_speech(answer)

    def test_plain_audio_says_what_went_wrong(self):
        good = self.tacod.speak("Hello, world.", seed=7)
        self.assertEqual((good["X-Taco-Flaws"], good["X-Taco-Dropped"]), (None, None))
        for answer in (self.tacod.speak("Hello, world. \U0001f600 Yes. \u2603\u2603", seed=7, max_frames=9),
                       self.tacod.post("Hello, world. \U0001f600 Yes. \u2603\u2603".encode(), path="/api/tts?max_frames=9")):
            self.assert_speech(answer)
            self.assertIn("cut_off", answer["X-Taco-Flaws"].split(", "))
            self.assertIsNone(answer["X-Taco-Attempts"])
            self.assertEqual(answer["X-Taco-Dropped"], "3")
            again = self.tacod.get("/v1/speech/" + answer["X-Taco-Id"])
            self.assertEqual((again["X-Taco-Flaws"], again["X-Taco-Dropped"]),
                             (answer["X-Taco-Flaws"], answer["X-Taco-Dropped"]))

    def test_every_attempt_is_told(self):
        answer = self.tacod.speak("Hello, world. Yes.", seed=7, max_frames=9, max_attempts=3)
        self.assert_speech(answer)
        self.assertEqual(answer["X-Taco-Attempts"], "3")
        again = self.tacod.get("/v1/speech/" + answer["X-Taco-Id"])
        self.assertEqual(again["X-Taco-Attempts"], "3")
        for chunk in self.tacod.get(f"/v1/speech/{answer['X-Taco-Id']}/alignment").json()["chunks"]:
            tried = chunk["tried"]
            self.assertEqual([t["seed"] for t in tried], [7, 8, 9])
            self.assertEqual([(t["window_back"], t["window_forward"]) for t in tried], [(0, 0), (0, 0), (2, 6)])
            self.assertEqual([t["seed"] for t in tried if t["kept"]], [chunk["seed"]])
            for t in tried:
                self.assertIn("cut_off", t["flaws"])

    def test_every_body_gives_the_same_bytes(self):
        encoded = urllib.parse.quote_plus(TEXT)
        anew = {"Cache_Control": "no-cache"}
        answers = [
            self.tacod.post(TEXT, path="/v1/speech?seed=7", **anew),
            self.tacod.post(TEXT, "text/plain; charset=UTF-8", "/v1/speech?seed=7", **anew),
            self.tacod.post(TEXT, "text/plain;charset=us-ascii", "/v1/speech?seed=7", **anew),
            self.tacod.post(f"text={encoded}&seed=7", "application/x-www-form-urlencoded", **anew),
            self.tacod.post(json.dumps({"text": TEXT, "seed": 7}), "application/json", **anew),
            self.tacod.post(json.dumps({"text": TEXT}), "application/json; charset=utf-8",
                            "/v1/speech?seed=7", **anew),
            self.tacod.post(b"", path=f"/v1/speech?seed=7&text={encoded}", **anew),
            self.tacod.get(f"/v1/speech?seed=7&text={encoded}", **anew),
            self.tacod.request("POST", "/v1/speech?seed=7", TEXT, {"Cache-Control": "no-cache"}),
        ]
        for answer in answers:
            self.assert_speech(answer)
            self.assertEqual(answer["X-Taco-Seed"], "7")
            self.assertEqual(answer.body, answers[0].body)
        self.assertEqual(len({answer["X-Taco-Id"] for answer in answers}), len(answers))

    def test_a_drawn_seed_can_be_used_again(self):
        first = self.tacod.speak("Hi.")
        again = self.tacod.speak("Hi.", seed=int(first["X-Taco-Seed"]))
        self.assertEqual(first.body, again.body)

    def test_another_seed_gives_other_bytes(self):
        self.assertNotEqual(self.tacod.speak("Hi.", seed=1).body,
                            self.tacod.speak("Hi.", seed=2).body)

    def test_chunked_body(self):
        def pieces():
            yield b"Hel"
            yield b"lo."
        answer = self.tacod.request("POST", "/v1/speech", pieces(),
                                    {"Content-Type": "text/plain"})
        self.assert_speech(answer)

    def test_expect_100_continue(self):
        with self.tacod.connect() as s:
            s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                      b"Content-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
            self.assertTrue(s.recv(4096).startswith(b"HTTP/1.1 100"))
            s.sendall(b"Hi.")
            data = b""
            while block := s.recv(65536):
                data += block
        self.assertIn(b"HTTP/1.1 200", data[:100])
        self.assertIn(b"RIFF", data)

    def test_http_1_0(self):
        answer = self.tacod.raw(b"GET /v1/speech?text=Hi. HTTP/1.0\r\n\r\n")
        self.assertRegex(answer, rb"^HTTP/1\.[01] 200")
        self.assertIn(b"\r\n\r\nRIFF", answer)

    def test_absolute_form(self):
        answer = self.tacod.raw(b"GET http://x/healthz HTTP/1.1\r\nHost: localhost\r\n"
                                b"Connection: close\r\n\r\n")
        self.assertIn(b'{"status":"ok"}', answer)

    def test_keep_alive(self):
        import http.client
        connection = http.client.HTTPConnection(self.tacod.host, self.tacod.port, timeout=PATIENCE)
        for i in range(3):
            connection.request("POST", "/v1/speech", "Hi.", {"Content-Type": "text/plain"})
            response = connection.getresponse()
            self.assertEqual(response.status, 200)
            self.assertEqual(response.read()[:4], b"RIFF")
            self.assertFalse(response.will_close)
        connection.close()

    def test_head(self):
        answer = self.tacod.request("HEAD", "/v1/speech?text=Hi.&seed=7")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.body, b"")
        self.assertEqual(int(answer["Content-Length"]),
                         len(self.tacod.get("/v1/speech?text=Hi.&seed=7").body))


class Answers(DaemonCase):
    def test_headers(self):
        answer = self.tacod.speak("Hi.", seed=71)  # which nobody has asked for before
        stages = dict(part.split(";dur=") for part in answer["Server-Timing"].split(", "))
        self.assertEqual(list(stages), ["queued", "text", "encoder", "decoder", "postnet",
                                        "vocoder", "total"])
        for dur in stages.values():
            self.assertGreaterEqual(float(dur), 0)
        self.assertGreater(float(stages["total"]), 0)
        link = answer["Link"]
        self.assertEqual(link, f'</v1/speech/{answer["X-Taco-Id"]}/alignment>; rel="alignment"; '
                               'type="application/json"')
        self.assertEqual(answer["X-Content-Type-Options"], "nosniff")
        self.assertIn(answer["X-Taco-Id"] + ".wav", answer["Content-Disposition"])

    def test_json(self):
        plain = self.tacod.speak("Hi.", seed=7)
        answer = self.tacod.speak("Hi.", seed=7, accept="application/json")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["Content-Type"], "application/json")
        self.assertEqual(int(answer["Content-Length"]), len(answer.body))
        both = answer.json()
        self.assertEqual(sorted(both), ["alignment", "audio", "id", "seed"])
        self.assertEqual(both["id"], answer["X-Taco-Id"])
        self.assertEqual(both["seed"], 7)
        self.assertEqual(both["audio"]["type"], "audio/wav")
        self.assertEqual(both["audio"]["format"], "wav")
        audio = base64.b64decode(both["audio"]["data"], validate=True)
        self.assertEqual(len(audio), both["audio"]["size"])
        self.assertEqual(audio, plain.body)
        self.assertEqual(both["alignment"]["version"], 1)
        self.assertEqual(both["alignment"]["id"], both["id"])

    def test_json_with_matrix(self):
        answer = self.tacod.speak("Hi.", seed=7, matrix="arrays", accept="application/json").json()
        none = self.tacod.speak("Hi.", seed=7, accept="application/json").json()
        self.assertNotEqual(answer["alignment"], none["alignment"])

    def test_multipart(self):
        plain = self.tacod.speak("Hi.", seed=7, format="flac")
        answer = self.tacod.speak("Hi.", seed=7, format="flac", accept="multipart/mixed")
        self.assertEqual(answer.status, 200)
        self.assertRegex(answer["Content-Type"], r"^multipart/mixed; boundary=\S+$")
        message = email.message_from_bytes(
            b"Content-Type: " + answer["Content-Type"].encode() + b"\r\n\r\n" + answer.body)
        audio, alignment = message.get_payload()
        self.assertEqual(audio.get_content_type(), "audio/flac")
        self.assertEqual(audio.get_payload(decode=True), plain.body)
        self.assertEqual(int(audio["Content-Length"]), len(plain.body))
        self.assertEqual(alignment.get_content_type(), "application/json")
        self.assertEqual(json.loads(alignment.get_payload(decode=True))["id"], answer["X-Taco-Id"])

    def test_formats(self):
        magic = {"wav": ("audio/wav", b"RIFF"), "flac": ("audio/flac", b"fLaC"),
                 "opus": ("audio/ogg", b"OggS"), "aiff": ("audio/", b"FORM"),
                 "au": ("audio/", b".snd"), "pcm": ("audio/", b""), "ulaw": ("audio/", b""),
                 "alaw": ("audio/", b""), "mp3": ("audio/mpeg", b"")}
        for name, (media_type, start) in magic.items():
            with self.subTest(format=name):
                answer = self.tacod.speak("Hi.", seed=7, format=name)
                self.assertEqual(answer.status, 200, answer.body[:300])
                self.assertTrue(answer["Content-Type"].startswith(media_type))
                self.assertTrue(answer.body.startswith(start))
                self.assertGreater(len(answer.body), 500)
                self.assertIn("." + name, answer["Content-Disposition"])

    def test_accept_chooses_the_format(self):
        for accept, media_type in [("audio/flac", "audio/flac"), ("audio/x-wav", "audio/wav"),
                                   ("application/octet-stream", "audio/wav"),
                                   ("audio/wav;q=0.1, audio/flac;q=0.2", "audio/flac"),
                                   ("text/html,application/xhtml+xml,*/*;q=0.8", "audio/wav"),
                                   ("application/json, text/plain, */*", "audio/wav")]:
            with self.subTest(accept=accept):
                answer = self.tacod.get("/v1/speech?text=Hi.", Accept=accept)
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer["Content-Type"], media_type)

    def test_a_named_format_wins_over_accept(self):
        answer = self.tacod.get("/v1/speech?text=Hi.&format=flac", Accept="audio/wav")
        self.assertEqual(answer["Content-Type"], "audio/flac")

    def test_sample_rate(self):
        answer = self.tacod.speak("Hi.", seed=7, sample_rate=8000)
        own = self.tacod.speak("Hi.", seed=7)
        _, _, rate, frames = answer.wav()
        self.assertEqual(rate, 8000)
        self.assertAlmostEqual(len(frames), len(own.wav()[3]) * 8000 / 22050, delta=4)

    def test_speed(self):
        slow = self.tacod.speak("Hello there.", seed=7, speed=0.5).wav()[3]
        fast = self.tacod.speak("Hello there.", seed=7, speed=2).wav()[3]
        self.assertAlmostEqual(len(slow) / len(fast), 4, delta=0.4)

    def test_volume(self):
        silent = self.tacod.speak("Hi.", seed=7, volume=0).wav()[3]
        self.assertEqual(silent, bytes(len(silent)))


if __name__ == "__main__":
    unittest.main()
