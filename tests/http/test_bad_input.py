"""Every bad input gets one JSON error with the right status, and harms nobody else."""

import json
import unittest

from daemon import DaemonCase, receive

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class Text(DaemonCase):
    options = ("--max-text", "1000")

    def test_empty(self):
        for answer in [self.tacod.post(b""), self.tacod.post(b"  \n\t "),
                       self.tacod.speak(""), self.tacod.speak("   "),
                       self.tacod.post("text=", FORM), self.tacod.post("{}", JSON),
                       self.tacod.get("/v1/speech"), self.tacod.get("/v1/speech?seed=7"),
                       self.tacod.get("/v1/speech?text="), self.tacod.post(b"", FORM),
                       self.tacod.get("/v1/speech?text=%E3%80%80")]:
            self.assert_error(answer, 400, "empty_text")
        self.assert_error(self.tacod.get("/v1/speech"), 400, "empty_text", "text")

    def test_nothing_to_speak(self):
        for text in ["...", "?!", "\U0001F600", "- - -"]:
            self.assert_error(self.tacod.speak(text), 400, "nothing_to_speak")

    def test_too_long(self):
        self.assert_error(self.tacod.speak("a " * 501), 413, "text_too_long", "text")
        self.assert_error(self.tacod.post("a " * 501), 413, "text_too_long", "text")

    def test_not_utf8(self):
        self.assert_error(self.tacod.post(b"Hello \xff."), 400, "invalid_utf8")
        self.assertEqual(self.tacod.post(b"Hello \xff.").error["offset"], 6)
        self.assert_error(self.tacod.post(b"\xed\xa0\x80 surrogate"), 400, "invalid_utf8")
        self.assert_error(self.tacod.get("/v1/speech?text=Hello%20%FF"), 400, "invalid_utf8")
        self.assert_error(self.tacod.post(b'{"text":"\xff"}', JSON), 400, "invalid_utf8")

    def test_nul(self):
        self.assert_error(self.tacod.post(b"Hello\0world."), 400, "invalid_utf8")
        self.assert_error(self.tacod.get("/v1/speech?text=a%00b"), 400, "invalid_utf8")
        self.assert_error(self.tacod.post(b'{"text":"a\\u0000b"}', JSON), 400, "invalid_utf8")
        self.assertEqual(self.tacod.post(b"Hello\0world.").error["offset"], 5)

    def test_unknown_phone(self):
        self.assertEqual(self.tacod.speak("Say {QQ7 AH0}.").status, 200)
        answer = self.tacod.speak("Say {QQ7 AH0}.", strict=True)
        self.assert_error(answer, 400, "unknown_phone")
        self.assertIn("QQ7", answer.error["message"])


class Parameters(DaemonCase):
    options = ("--timeout", "60")

    def test_bad_json(self):
        for body in [b"", b"{", b"null", b"[]", b'"text"', b"{'text': 'a'}", b'{"text":"a"} x',
                     b'{"speed":NaN,"text":"a"}', b'{"speed":1e999,"text":"a"}',
                     b'{"text":"\\ud800"}', b"[" * 100000, b'{"a":' * 5000]:
            self.assert_error(self.tacod.post(body, JSON), 400, "bad_json")

    def test_wrong_type(self):
        for field, value in [("text", 5), ("text", None), ("text", ["a"]), ("voice", 1),
                             ("seed", "7"), ("seed", 1.5), ("seed", True), ("speed", "1"),
                             ("strict", "true"), ("strict", 0), ("format", 1), ("speaker", 1.5),
                             ("stream", "no"), ("matrix", 1), ("max_frames", "10")]:
            body = json.dumps({"text": "Hi.", field: value})
            self.assert_error(self.tacod.post(body, JSON), 400, "wrong_type", field)
        for query in ["seed=x", "seed=1.0", "seed=", "speed=nan", "speed=inf", "speed=0x1",
                      "strict=maybe", "max_frames=1e2"]:
            answer = self.tacod.get(f"/v1/speech?text=Hi.&{query}")
            self.assert_error(answer, 400, "wrong_type", query.split("=")[0])

    def test_out_of_range(self):
        for field, value in [("speed", 0), ("speed", 0.1), ("speed", 4.5), ("speed", -1),
                             ("speed", 1e300), ("seed", -1), ("seed", 2**53), ("volume", -0.1),
                             ("volume", 5), ("temperature", 0), ("temperature", 21), ("window_back", -1),
                             ("window_forward", 0), ("window_forward", 1001), ("gate_threshold", 0), ("gate_threshold", 1),
                             ("max_frames", 0), ("max_frames", 20001), ("max_frames", 2**40),
                             ("max_attempts", 0), ("max_attempts", 9), ("sentence_pause", -1),
                             ("sentence_pause", 11), ("paragraph_pause", 11), ("n_iter", -1),
                             ("n_iter", 1001), ("momentum", 1.5), ("power", 0.1),
                             ("timeout", 0), ("timeout", -1), ("timeout", 61),
                             ("sample_rate", 7999), ("sample_rate", 48001), ("sample_rate", 0),
                             ("sample_rate", -1)]:
            with self.subTest(field=field, value=value):
                answer = self.tacod.speak(**{field: value})
                self.assert_error(answer, 400, "invalid_argument", field)

    def test_lexicon(self):
        for value in ["x", 1, ["a"], {"a": 1}, {"a": None}]:
            body = json.dumps({"text": "Hi.", "lexicon": value})
            self.assert_error(self.tacod.post(body, JSON), 400, "wrong_type", "lexicon")
        for words, named in [({"two words": "dog"}, "two words"), ({"": "dog"}, "word"),
                             ({"a": ""}, "'a'"), ({"\u00e9": "dog"}, "accents"),
                             ({"zap": "Z-AE1"}, "zap"), ({"zap": "ZZ AE1!"}, "zap"), ({"a": "x\ny"}, "'a'"),
                             ({f"w{i}": "dog" for i in range(1001)}, "1000"),
                             ({f"w{i}": "d" * 390 for i in range(300)}, "65536")]:
            answer = self.tacod.speak(lexicon=words)
            self.assert_error(answer, 400, "invalid_argument", "lexicon")
            self.assertIn(named, answer.error["message"])

    def test_markup(self):
        answer = self.tacod.post(json.dumps({"text": "<speak>Hi <sub alias=\"there\">t</sub>.</speak>",
                                             "input": "ssml"}), JSON, Accept=JSON)
        self.assertEqual(answer.status, 200)
        self.assertIn('"there"', answer.body.decode())
        self.assertEqual(self.tacod.get("/v1/speech?text=%3Cb%3EHi%3C/b%3E&input=html").status, 200)
        for text, code in [("<speak>a", "invalid_argument"), ("no", "invalid_argument"),
                           ("<speak><audio src='x'/></speak>", "unsupported")]:
            answer = self.tacod.speak(text, input="ssml")
            self.assert_error(answer, 400, code, "text")
            self.assertIn("SSML, line 1, column", answer.error["message"])

    def test_lexicon_is_spoken(self):
        words = {"w3c": "world wide web", "gnocchi": "N Y AO1 K IY0"}
        answer = self.tacod.post(json.dumps({"text": "The W3C eats gnocchi.", "lexicon": words}), JSON,
                                 Accept=JSON)
        self.assertEqual(answer.status, 200)
        for spoken in ["world", "wide", "web", "gnocchi", "AO1"]:
            self.assertIn(f'"{spoken}"', answer.body.decode())
        query = "/v1/speech?text=W3C.&lexicon=w3c+%3D+dog"
        self.assertEqual(self.tacod.get(query).status, 200)

    def test_names(self):
        for field in ["format", "phase", "matrix", "input"]:
            answer = self.tacod.speak(**{field: "xyz"})
            self.assert_error(answer, 400, "invalid_argument", field)
        self.assertIn("flac", self.tacod.speak(format="aac").error["message"])
        answer = self.tacod.speak(voice="nobody")
        self.assert_error(answer, 400, "unknown_voice", "voice")
        self.assertIn("heart", answer.error["message"])
        self.assert_error(self.tacod.speak(voice="../heart"), 400, "unknown_voice", "voice")
        self.assert_error(self.tacod.speak(speaker="nobody"), 400, "unknown_speaker", "speaker")
        self.assert_error(self.tacod.speak(speaker=1), 400, "unknown_speaker", "speaker")
        self.assertEqual(self.tacod.speak(speaker=0).status, 200)

    def test_wrong_paths_name_the_right_one(self):
        for path, right in [("/synthesize?text=Hi.", "/v1/speech"), ("/tts", "/v1/speech"), ("/v1/tts", "/v1/speech"),
                            ("/audio/speech", "/v1/audio/speech"), ("/v1/v1/audio/speech", "/v1/audio/speech"),
                            ("/v1/voices/", "/v1/voices"), ("/models", "/v1/models"), ("/health", "/healthz"),
                            ("/v1/text-to-speech", "/v1/text-to-speech/{voice}")]:
            for answer in (self.tacod.get(path), self.tacod.post("Hi.", path=path)):
                self.assert_error(answer, 404, "not_found")
                self.assertTrue(answer.error["message"].endswith("use " + right), answer.error)
        for path in ("/nothing", "/v1/nothing", "/" + "a" * 500):
            self.assertNotIn("use", self.tacod.get(path).error["message"])

    def test_bodies_of_another_type(self):
        body = '{"text": "Hi."}'
        for path in ("/v1/speech", "/api/tts"):
            for headers in ({}, {"Content-Type": FORM}):
                answer = self.tacod.request("POST", path, body, headers)
                self.assert_error(answer, 415, "unsupported_media_type", "Content-Type")
                self.assertIn("application/json", answer.error["message"])
            self.assertEqual(self.tacod.post(body, "text/plain", path).status, 200)
            answer = self.tacod.post("E=mc2", FORM, path)
            self.assertEqual(answer.status, 400)
            self.assertIn("Content-Type: text/plain", answer.error["message"])
        answer = self.tacod.request("POST", "/process", body)
        self.assertEqual(answer.status, 415)

    def test_unknown(self):
        self.assert_error(self.tacod.speak(pitch=2), 400, "unknown_parameter", "pitch")
        self.assert_error(self.tacod.get("/v1/speech?text=a&%C3%A9=1"), 400, "unknown_parameter", "é")
        self.assert_error(self.tacod.get("/v1/speech?text=a&%FF=1"), 400, "unknown_parameter", "?")
        self.assert_error(self.tacod.post("txet=Hi", FORM), 400, "unknown_parameter", "txet")

    def test_messages_quote_what_they_can(self):
        """A name that is cut inside a character stays legible; controls do not pass."""
        message = self.tacod.speak(**{"a" + "\u00e9" * 60: 1}).error["message"]
        self.assertIn("'a" + "\u00e9" * 31, message)
        message = self.tacod.speak(voice="heart\x1b[31m\n").error["message"]
        self.assertIn("'heart?[31m?'", message)

    def test_twice(self):
        self.assert_error(self.tacod.get("/v1/speech?text=a&text=b"), 400, "duplicate_parameter", "text")
        self.assert_error(self.tacod.post('{"text":"a","text":"b"}', JSON), 400, "duplicate_parameter")
        self.assert_error(self.tacod.post("Hi.", path="/v1/speech?text=a"), 400,
                          "duplicate_parameter", "text")
        self.assert_error(self.tacod.post('{"text":"a","seed":1}', JSON, "/v1/speech?seed=1"), 400,
                          "duplicate_parameter", "seed")

    def test_percent(self):
        self.assert_error(self.tacod.get("/v1/speech?text=100%"), 400, "bad_encoding", "text")
        self.assert_error(self.tacod.get("/v1/speech?text=%zz"), 400, "bad_encoding", "text")
        self.assert_error(self.tacod.post("text=100% sure", FORM), 400, "bad_encoding", "text")
        self.assert_error(self.tacod.get("/v1/%zz"), 400, "bad_encoding", "path")
        self.assert_error(self.tacod.get("/v1/speech%00"), 400, "bad_encoding", "path")

    def test_stream_of_json(self):
        answer = self.tacod.speak(stream=True, accept="application/json")
        self.assert_error(answer, 400, "invalid_argument", "stream")


class Http(DaemonCase):
    options = ("--max-body", "10000")

    def test_media_types(self):
        for content_type in ["text/html", "application/xml", "audio/wav", "nonsense", "",
                             "multipart/form-data; boundary=x", "text/plain; charset=latin1",
                             "application/json; charset=utf-16"]:
            answer = self.tacod.post("Hi.", content_type)
            self.assert_error(answer, 415, "unsupported_media_type", "Content-Type")

    def test_accept(self):
        answer = self.tacod.get("/v1/speech?text=Hi.", Accept="text/html, image/png")
        self.assert_error(answer, 406, "not_acceptable", "Accept")
        answer = self.tacod.get("/v1/speech?text=Hi.", Accept="*/*;q=0")
        self.assert_error(answer, 406, "not_acceptable", "Accept")

    def test_methods(self):
        for method, path, allow in [("PUT", "/v1/speech", "POST, GET, HEAD, OPTIONS"),
                                    ("DELETE", "/v1/speech/abc", "GET, HEAD, OPTIONS"),
                                    ("POST", "/v1/speech/abc/alignment.svg", "GET, HEAD, OPTIONS"),
                                    ("POST", "/v1/voices", "GET, HEAD, OPTIONS"),
                                    ("POST", "/", "GET, HEAD, OPTIONS"),
                                    ("PATCH", "/healthz", "GET, HEAD, OPTIONS"),
                                    ("TRACE", "/main.js", "GET, HEAD, OPTIONS"),
                                    ("BREW", "/v1/speech", "POST, GET, HEAD, OPTIONS")]:
            answer = self.tacod.request(method, path)
            self.assert_error(answer, 405, "method_not_allowed")
            self.assertEqual(answer["Allow"], allow)

    def test_options(self):
        answer = self.tacod.request("OPTIONS", "/v1/speech")
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertEqual(answer["Allow"], "POST, GET, HEAD, OPTIONS")
        self.assert_error(self.tacod.request("OPTIONS", "/nowhere"), 404, "not_found")

    def test_paths(self):
        for path in ["/v1", "/v1/", "/v2/speech", "/v1/speech/", "/v1//speech", "/v1/speech/a/b/c",
                     "/v1/speech/a/alignment.exe", "/v1/speech/a/", "/v1/voices/", "/index.htm",
                     "/../server/main.c", "/%2e%2e/etc/passwd", "/" + "a" * 200, "/web/main.js",
                     "/V1/speech?text=Hi."]:
            for method in ["GET", "POST", "DELETE"]:
                self.assert_error(self.tacod.request(method, path), 404, "not_found")

    def test_long_uri(self):
        answer = self.tacod.get("/v1/speech?text=" + "a" * 20000)
        self.assert_error(answer, 414, "uri_too_long")

    def test_long_headers(self):
        answer = self.tacod.get("/healthz", **{f"X_{i}": "y" * 1000 for i in range(20)})
        self.assert_error(answer, 431, "headers_too_large")
        answer = self.tacod.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"y" * 300000 +
                                b"\r\n\r\n")
        self.assertRegex(answer, rb"^HTTP/1\.[01] 4(31|13|14|00)|^$")

    def test_long_body(self):
        answer = self.tacod.post("a" * 10001)
        self.assert_error(answer, 413, "body_too_large")
        self.assert_error(self.tacod.post("a" * 3000000), 413, "body_too_large")
        self.assertEqual(self.tacod.post("Hi.".ljust(10000)).status, 200)

    def test_long_chunked_body(self):
        answer = self.tacod.request("POST", "/v1/speech", (b"a" * 5000 for _ in range(10)),
                                    {"Content-Type": "text/plain"})
        self.assert_error(answer, 413, "body_too_large")

    def test_long_body_that_waits_is_never_sent(self):
        with self.tacod.connect() as s:
            s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n"
                      b"Expect: 100-continue\r\n\r\n")
            answer = receive(s)
        self.assertTrue(answer.startswith(b"HTTP/1.1 413"), answer[:100])
        self.assertIn(b"body_too_large", answer)

    def test_huge_announcement(self):
        with self.tacod.connect() as s:
            s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n")
            answer = receive(s)
        self.assertTrue(answer.startswith(b"HTTP/1.1 413"), answer[:100])

    def test_get_with_a_body(self):
        answer = self.tacod.request("GET", "/v1/speech?text=Hi.", "ignored",
                                    {"Content-Type": "text/html"})
        self.assertEqual(answer.status, 200)


class Raw(DaemonCase):
    """Bytes that are no HTTP, or lie about it."""

    def tearDown(self):
        self.assertEqual(self.tacod.get("/healthz").status, 200)

    def assert_refused(self, answer):
        self.assertRegex(answer, rb"^HTTP/1\.[01] [45]\d\d |^$")

    def test_no_http(self):
        for data in [b"\r\n\r\n", b"GET\r\n\r\n", b"GET /\r\n\r\n", b"\0" * 100 + b"\r\n\r\n",
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
                     b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n",
                     b"SSH-2.0-OpenSSH_9.2\r\n"]:
            with self.subTest(data=data[:40]):
                self.assert_refused(self.tacod.raw(data, half_close=True))

    def test_nul_in_the_request_line(self):
        self.tacod.raw(b"GET /\0secret HTTP/1.1\r\nHost: localhost\r\n\r\n", half_close=True)

    def test_lengths_that_lie(self):
        head = b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        for length in [b"-1", b"abc", b"1e3", b"99999999999999999999999", b"0x10", b""]:
            with self.subTest(length=length):
                self.assert_refused(self.tacod.raw(
                    head + b"Content-Length: " + length + b"\r\nConnection: close\r\n\r\nHi.",
                    half_close=True))
        for lengths in [b"Content-Length: 3\r\nContent-Length: 30\r\n",
                        b"Content-Length: 30\r\nContent-Length: 3\r\n",
                        b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                        b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"]:
            with self.subTest(lengths=lengths):
                answer = self.tacod.raw(head + lengths + b"\r\nHi." + b"GET / HTTP/1.1\r\n\r\n")
                self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer[:200])
                self.assertEqual(answer.count(b"HTTP/1.1"), 1)
        # More than was announced: the rest is the next request, which is none.
        answer = self.tacod.raw(head + b"Content-Length: 3\r\n\r\nHi.GARBAGE\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer[:200])

    def test_transfer_encodings(self):
        head = b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        chunks = b"3\r\nHi.\r\n0\r\n\r\n"
        for value in [b"gzip, chunked", b"xchunked", b"identity", b"",
                      b"chunked\r\nTransfer-Encoding: chunked"]:
            with self.subTest(value=value):  # at once, not when the client has gone
                answer = self.tacod.raw(head + b"Transfer-Encoding: " + value + b"\r\n\r\n" +
                                        chunks)
                self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer[:200])
                self.assertEqual(answer.count(b"HTTP/1.1"), 1)
                self.assertIn(b'"param":"Transfer-Encoding"', answer)
        answer = self.tacod.raw(head + b"Transfer-Encoding: Chunked\r\nConnection: close\r\n\r\n" +
                                chunks)
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer[:200])

    def test_blanks_in_the_names_of_headers(self):
        inner = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for line in [b"Content-Length : %d", b"Content-Length\t: %d", b" Content-Length: %d"]:
            for request in [b"POST /v1/speech", b"GET /healthz"]:
                with self.subTest(line=line, request=request):  # what follows is no request
                    answer = self.tacod.raw(request + b" HTTP/1.1\r\nHost: localhost\r\n" +
                                            line % len(inner) + b"\r\n\r\n" + inner)
                    self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer[:200])
                    self.assertEqual(answer.count(b"HTTP/1.1"), 1)

    def test_chunks_that_lie(self):
        head = (b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        for body in [b"zz\r\nHi.\r\n0\r\n\r\n", b"-3\r\nHi.\r\n0\r\n\r\n",
                     b"ffffffffffffffffff\r\nHi.", b"3\r\nHi.0\r\n\r\n", b"3"]:
            with self.subTest(body=body):
                self.assert_refused(self.tacod.raw(head + body, half_close=True))

    def test_disconnects(self):
        head = b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        for data in [b"", b"P", b"POST /v1/speech", head, head + b"Content-Length: 3\r\n\r\n",
                     head + b"Content-Length: 3\r\n\r\nHi", head + b"Content-Length: 3\r\n\r\nHi."]:
            s = self.tacod.connect()
            s.sendall(data)
            s.close()

    def test_more_parameters_than_there_is_room_for(self):
        for path in ["/v1/speech", "/healthz", "/nowhere"]:
            for n in [1500, 2000, 3000, 8000]:
                with self.subTest(path=path, n=n):
                    answer = self.tacod.raw(f"GET {path}?{'a&' * n} HTTP/1.1\r\nHost: localhost\r\n"
                                            "Connection: close\r\n\r\n".encode(), half_close=True)
                    self.assertRegex(answer, rb"^HTTP/1\.1 [245]\d\d |^$")
        # None of them is thought to go on.
        status = self.tacod.get("/metrics").body.decode()
        self.assertIn("\ntacod_requests_in_progress 1\n", status)  # this one

    def test_half_closed(self):
        # Whoever says that nothing more will come still waits for the answer.
        host = b"Host: localhost\r\nConnection: close\r\n\r\n"
        with self.tacod.connect() as idle:
            for request in [b"POST /v1/speech HTTP/1.1\r\nContent-Length: 3\r\n" + host + b"Hi.",
                            b"GET /v1/speech?text=Hi. HTTP/1.0\r\n\r\n",
                            b"GET /v1/speech?text=Hi.&stream=1 HTTP/1.1\r\n" + host,
                            b"GET /healthz HTTP/1.1\r\n" + host,
                            b"GET /nowhere HTTP/1.1\r\n" + host] * 4:
                idle.sendall(b"G")  # the latest to be heard of: it is not this one's turn
                with self.subTest(request=request):
                    answer = self.tacod.raw(request, half_close=True)
                    self.assertRegex(answer, rb"^HTTP/1\.[01] (200|404) ")
                    self.assertEqual(answer.count(b"RIFF"), request.count(b"Hi."))

    def test_pipelining(self):
        one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        last = b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        speech = b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nHi."
        answer = self.tacod.raw(one + speech + one + last)
        self.assertEqual(answer.count(b"HTTP/1.1 200"), 3)
        self.assertEqual(answer.count(b"HTTP/1.1 404"), 1)
        self.assertEqual(answer.count(b"RIFF"), 1)


if __name__ == "__main__":
    unittest.main()
