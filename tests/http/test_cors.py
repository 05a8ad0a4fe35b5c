"""Pages of other sites: who may read the answers, on every status and preflight."""

import os
import tempfile
import unittest

from daemon import Daemon, DaemonCase, start_error
from test_keys import KEY, hash_key

HERE = "https://example.com"
PORT = "http://localhost:3000"
APP = "capacitor://localhost"
STAINLESS = "authorization,content-type,x-stainless-arch,x-stainless-os,x-stainless-retry-count"
PATHS = ["/", "/main.js", "/healthz", "/readyz", "/v1/speech?text=Hi.", "/v1/speech?text=Hi.&stream=1",
         "/v1/speech?text=Hi.&stream=sse", "/v1/voices", "/v1/models", "/voices", "/openapi.json"]
ERRORS = [("GET", "/nowhere", 404), ("GET", "/v1/speech?text=", 400), ("GET", "/v1/speech?text=.", 400),
          ("GET", "/process", 400), ("POST", "/v1/voices", 405), ("GET", "/v1/speech/x", 404),
          ("GET", "/v1/speech?text=%zz", 400), ("GET", "/?" + "x" * 20000, 414)]


def names(value):
    return {name.strip().lower() for name in (value or "").split(",")} - {""}


def vary(answer):
    return names(",".join(answer.headers.get_all("Vary", [])))


class CORSCase(DaemonCase):
    def ask(self, method, path, origin, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.tacod.request(method, path, headers={**headers, **({"Origin": origin} if origin else {})})

    def preflight(self, path, origin=HERE, method="POST", headers=STAINLESS):
        return self.ask("OPTIONS", path, origin, Access_Control_Request_Method=method,
                        **({"Access_Control_Request_Headers": headers} if headers else {}))

    def assert_closed(self, answer):
        told = [name for name in answer.headers if name.lower().startswith("access-control-")]
        self.assertEqual(told, [])


class Off(CORSCase):
    def test_nobody_may_by_default(self):
        for path in PATHS:
            for answer in (self.ask("GET", path, HERE), self.preflight(path)):
                self.assert_closed(answer)
                self.assertNotIn("origin", vary(answer))


class Named(CORSCase):
    options = ("--cors-origin", HERE, "--cors-origin", PORT, "--cors-origin", APP)

    def assert_open(self, answer, origin):
        self.assertEqual(answer.headers.get_all("Access-Control-Allow-Origin"), [origin])
        self.assertIn("origin", vary(answer))
        self.assertNotIn("Access-Control-Allow-Credentials", answer.headers)
        exposed = names(answer["Access-Control-Expose-Headers"])
        self.assertGreaterEqual(exposed, {"x-taco-id", "x-taco-seed", "x-request-id", "link", "server-timing", "etag",
                                          "content-range", "content-length", "retry-after", "x-cache"})
        for name in answer.headers:
            if name.lower().startswith("x-taco-"):
                self.assertIn(name.lower(), exposed)

    def test_every_success(self):
        for path in PATHS:
            for origin in (HERE, PORT, APP):
                answer = self.ask("GET", path, origin)
                self.assertEqual(answer.status, 200)
                self.assert_open(answer, origin)
            self.assert_open(self.ask("HEAD", path, HERE), HERE)

    def test_every_error(self):
        for method, path, status in ERRORS:
            answer = self.ask(method, path, HERE)
            self.assertEqual(answer.status, status, path)
            self.assert_open(answer, HERE)

    def test_conditional_answers(self):
        page = self.ask("GET", "/", HERE)
        answer = self.ask("GET", "/", HERE, If_None_Match=page["ETag"])
        self.assertEqual(answer.status, 304)
        self.assert_open(answer, HERE)
        speech = self.ask("GET", "/v1/speech?text=Hi.&seed=1", HERE)
        part = self.ask("GET", f"/v1/speech/{speech['X-Taco-Id']}", HERE, Range="bytes=0-99")
        self.assertEqual((part.status, len(part.body)), (206, 100))
        self.assert_open(part, HERE)
        self.assertGreaterEqual(vary(part), {"origin", "accept"})

    def test_who_is_not_named(self):
        for origin in ("https://example.com.evil.org", "https://evil.org", "http://example.com", "https://EXAMPLE.com",
                       "https://example.com:444", HERE + "/", "null", "*", "", None):
            for answer in (self.ask("GET", "/v1/voices", origin), self.preflight("/v1/speech", origin),
                           self.ask("GET", "/nowhere", origin)):
                self.assert_closed(answer)
                self.assertIn("origin", vary(answer))

    def test_preflight(self):
        for path, methods in [("/v1/speech", {"get", "head", "post", "options"}), ("/healthz", {"get", "head", "options"}),
                              ("/v1/audio/speech", {"post", "options"}), ("/", {"get", "head", "options"}),
                              ("/v1/text-to-speech/heart/stream", {"post", "options"})]:
            answer = self.preflight(path)
            self.assertEqual((answer.status, answer.body), (204, b""))
            self.assert_open(answer, HERE)
            self.assertEqual(names(answer["Access-Control-Allow-Methods"]), methods)
            self.assertGreaterEqual(names(answer["Access-Control-Allow-Headers"]),
                                    names(STAINLESS) | {"x-api-key", "xi-api-key", "range", "x-request-id", "accept",
                                                        "if-none-match"})
            self.assertGreater(int(answer["Access-Control-Max-Age"]), 0)
            self.assertIn("access-control-request-headers", vary(answer))
        self.assertEqual(self.preflight("/nowhere").status, 404)
        self.assert_open(self.preflight("/nowhere"), HERE)

    def test_an_options_that_is_no_preflight(self):
        answer = self.ask("OPTIONS", "/v1/speech", HERE)
        self.assert_open(answer, HERE)
        self.assertNotIn("Access-Control-Allow-Methods", answer.headers)

    def test_what_is_asked_for_is_not_trusted(self):
        for headers in ("x" * 4000, "a(b)", "a\"b", "ü", "a: b", "a;b", None):
            answer = self.preflight("/v1/speech", headers=headers and headers.encode("latin-1"))
            self.assertEqual(answer.status, 204)
            allowed = answer["Access-Control-Allow-Headers"]
            self.assertIn("Authorization", allowed)
            self.assertNotIn(headers or "\0", allowed)

    def test_headers_too_large(self):
        answer = self.tacod.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: " + HERE.encode() + b"\r\nX: " + b"a" * 20000
                                + b"\r\nConnection: close\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 431 "), answer[:100])
        self.assertIn(b"\r\nAccess-Control-Allow-Origin: " + HERE.encode() + b"\r\n", answer)


class Anybody(CORSCase):
    options = ("--cors-origin", "*")

    def test_anybody(self):
        for origin in (HERE, "null", "http://[::1]:5", None):
            for answer in (self.ask("GET", "/v1/voices", origin), self.ask("GET", "/nowhere", origin)):
                self.assertEqual(answer["Access-Control-Allow-Origin"], "*")
                self.assertNotIn("origin", vary(answer))
        answer = self.preflight("/v1/speech")
        self.assertEqual(answer["Access-Control-Allow-Origin"], "*")
        self.assertIn("Authorization", answer["Access-Control-Allow-Headers"])


class WithKeys(CORSCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "keys")
        with open(path, "w", encoding="ascii") as file:
            file.write(hash_key("alice", KEY)[0])
        cls.tacod = Daemon("--keys", path, env={"TACO_CORS_ORIGIN": f"{PORT},{HERE}"})

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def test_a_page_learns_that_it_needs_a_key(self):
        self.assertEqual(self.preflight("/v1/speech").status, 204)
        for origin in (HERE, PORT):
            answer = self.ask("GET", "/v1/speech?text=Hi.", origin)
            self.assertEqual((answer.status, answer["Access-Control-Allow-Origin"]), (401, origin))
            self.assertIn("www-authenticate", names(answer["Access-Control-Expose-Headers"]))
            self.assertEqual(self.ask("GET", "/v1/speech?text=Hi.", origin, Authorization="Bearer " + KEY).status, 200)


class Option(unittest.TestCase):
    def said(self, origin):
        return start_error("--cors-origin", origin)

    def test_malformed_origins(self):
        for origin, message in [
                ("example.com", "SCHEME://HOST"), ("HTTPS://example.com", "small letters"), ("", "SCHEME://HOST"),
                ("https://", "host is missing"), ("https://Example.com", "small letters"), ("://x", "SCHEME://HOST"),
                ("https://example.com/", "no path"), ("https://example.com/app", "no path"),
                ("https://example.com:443", "leave this port out"), ("http://example.com:80", "leave this port out"),
                ("https://example.com:0", ":PORT"), ("https://example.com:65536", ":PORT"), ("https://a:", ":PORT"),
                ("https://a:b", ":PORT"), ("https://a?b", ":PORT"), ("https://me@a", ":PORT"), ("https://a b", ":PORT"),
                ("https://*.example.com", "host is missing"), ("https://[::1", "host is missing"),
                ("null", "any page"), ("**", "SCHEME://HOST"), ("https://a\r\nX: y", ":PORT")]:
            said = self.said(origin)
            self.assertTrue(said.startswith("tacod serve: --cors-origin '"), said)
            self.assertIn(message, said, origin)

    def test_well_formed_origins(self):
        for origin in ("*", "https://example.com", "http://127.0.0.1:3000", "http://[::1]:8080", "https://[::1]",
                       "http://example.com:443", "chrome-extension://abcdefghijklmnop", "app://obsidian.md"):
            self.assertNotIn("cors", self.said(origin))


if __name__ == "__main__":
    unittest.main()
