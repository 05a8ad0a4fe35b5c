"""Limits of connections, URIs and headers; names that would be paths."""

import os
import socket
import tempfile
import time
import unittest

from daemon import Daemon, DaemonCase, PATIENCE


def is_closed(s):
    """Whether the other side has closed it; waits for that or for an answer to arrive."""
    try:
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return s.recv(1) == b""
    except OSError:
        return True


class PerAddress(unittest.TestCase):
    def connect(self, host, port, source=None):
        s = socket.create_connection((host, port), PATIENCE, (source, 0) if source else None)
        self.addCleanup(s.close)
        return s

    def fill(self, tacod, n):
        """n connections that have all been answered."""
        sockets = [self.connect(tacod.host, tacod.port) for _ in range(n)]
        for s in sockets:
            self.assertFalse(is_closed(s))
        return sockets

    def test_one_more_is_closed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "socket")
            tacod = Daemon("--max-connections-per-address", "5", "--host", "127.0.0.1", "--host", "unix:" + path)
            deadline = time.monotonic() + PATIENCE
            sockets = []
            while len(sockets) < 5:  # those of the start may not have been forgotten yet
                self.assertLess(time.monotonic(), deadline)
                s = self.connect(tacod.host, tacod.port)
                if not is_closed(s):
                    sockets.append(s)
            for _ in range(3):
                self.assertTrue(is_closed(self.connect(tacod.host, tacod.port)))
            # Another address has its own, and a UNIX socket no limit.
            self.assertFalse(is_closed(self.connect(tacod.host, tacod.port, "127.0.0.2")))
            for _ in range(8):
                s = socket.socket(socket.AF_UNIX)
                self.addCleanup(s.close)
                s.connect(path)
                self.assertFalse(is_closed(s))
            # Who was there first is served on, and a place that becomes free is given out.
            for s in sockets:
                self.assertFalse(is_closed(s))
            sockets[0].close()
            while is_closed(self.connect(tacod.host, tacod.port)):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            tacod.end_well()

    def test_no_limit(self):
        tacod = Daemon("--max-connections-per-address", "0")
        self.fill(tacod, 300)
        tacod.end_well()

    def test_the_limit_there_is(self):
        tacod = Daemon()
        self.fill(tacod, 200)
        deadline = time.monotonic() + PATIENCE
        while not is_closed(self.connect(tacod.host, tacod.port)):
            self.assertLess(time.monotonic(), deadline)
        tacod.end_well()


class Sizes(DaemonCase):
    def test_uri(self):
        path = "/v1/speech?voice=nobody&text=" + "x" * 16000
        self.assert_error(self.tacod.get(path), 400, "unknown_voice")
        answer = self.tacod.get("/" + "x" * 16384)
        self.assert_error(answer, 414, "uri_too_long")
        self.assertIn("16385 bytes; the limit is 16384", answer.error["message"])
        self.assertEqual(self.tacod.get("/healthz?" + "x" * (16384 - len("/healthz?"))).status, 200)
        self.assert_error(self.tacod.get("/v1/speech?text=Hi.&" + "&".join(f"x{i}=1" for i in range(1800))), 400,
                          "unknown_parameter", "x0")
        self.assert_error(self.tacod.get("/" + "x" * 60000), 414, "uri_too_long")

    def test_headers(self):
        self.assertEqual(self.tacod.get("/healthz", X="a" * 16000).status, 200)
        answer = self.tacod.get("/healthz", X="a" * 16400)
        self.assert_error(answer, 431, "headers_too_large")
        self.assertIn("the limit is 16384", answer.error["message"])
        many = {f"X-{i}": "a" for i in range(2500)}
        self.assertEqual(self.tacod.request("GET", "/healthz", headers=many).status, 431)
        headers = {f"X-{i}": "a" * 200 for i in range(90)}
        self.assert_error(self.tacod.request("GET", "/healthz", headers=headers), 431, "headers_too_large")


class Names(DaemonCase):
    """Voices, ids and files are looked up in lists; nothing that comes in is ever a path."""

    paths = ["../heart", "..%2fslt", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "/etc/passwd", "%2fetc%2fpasswd",
             "....//....//etc/passwd", "..%5c..%5cetc%5cpasswd", "heart.safetensors", "models/heart.safetensors", "heart%00.x",
             "heart/../heart", "./heart", "%252e%252e%252fetc", "~root", "file:///etc/passwd", "heart%0a", "HEART"]

    def test_paths(self):
        for prefix in ("/", "/v1/voices/", "/v1/speech/", "/v1/models/", "/v1/speech/x/", "/static/"):
            for path in self.paths:
                answer = self.tacod.raw(f"GET {prefix}{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                head, body = answer.split(b"\r\n\r\n", 1)
                self.assertRegex(head, rb"^HTTP/1.1 (400|404) ", f"{prefix}{path}")
                self.assertNotIn(b"root:", body)

    def test_voices(self):
        for name in ["../../models/heart.safetensors", "/etc/passwd", "heart.safetensors", "./heart", ".", "..", "heart\n"]:
            self.assert_error(self.tacod.speak("Hi.", voice=name), 400, "unknown_voice", "voice")
        for path in self.paths:
            answer = self.tacod.post('{"text": "Hi."}', "application/json", "/v1/text-to-speech/" + path)
            self.assertIn(answer.status, (400, 404), path)

    def test_what_is_written_nowhere(self):
        """The page may load nothing but itself, and run nothing inline."""
        policy = self.tacod.get("/")["Content-Security-Policy"]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        self.assertEqual(rules["default-src"], "'none'")
        for name in ("script-src", "style-src", "connect-src"):
            self.assertEqual(rules[name], "'self'")
        for name in ("base-uri", "form-action", "frame-ancestors"):
            self.assertEqual(rules[name], "'none'")
        self.assertNotRegex(policy, r"unsafe|\*|https?:|data:")


if __name__ == "__main__":
    unittest.main()
