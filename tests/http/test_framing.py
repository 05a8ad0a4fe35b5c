"""Where a request ends: whatever two servers could understand differently is refused and ends the connection."""

import time
import unittest

from daemon import DaemonCase, PATIENCE, receive

HEAD = b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
HIDDEN = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Framing(DaemonCase):
    def one_answer(self, data):
        """The status of the only answer; the connection is closed after it."""
        with self.tacod.connect() as s:
            s.sendall(data)
            answer = b""
            while block := s.recv(65536):
                answer += block
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
        return int(answer.split()[1])

    def test_folded_headers(self):
        length = str(len(HIDDEN)).encode()
        for headers in (b"Content-Length:\r\n " + length, b"Content-Length:\r\n\t" + length + b"\r\nX: y",
                        b"Transfer-Encoding:\r\n chunked", b"X: a\r\n b\r\nContent-Length: " + length,
                        b"Content-Length: " + length + b"\r\nX:\r\n   \r\n"):
            self.assertEqual(self.one_answer(HEAD + headers + b"\r\n\r\n" + HIDDEN), 400, headers)
        for headers in (b" Host: localhost", b"Host:\r\n localhost"):
            self.assertEqual(self.one_answer(b"GET /healthz HTTP/1.1\r\n" + headers + b"\r\n\r\n"), 400, headers)

    def test_nothing_follows_chunks(self):
        for body in (b"3\r\nHi.\r\n0\r\n\r\n", b"3\nHi.\n0\n\n", b"3;x=\ny\r\nHi.\r\n0\r\n\r\n"):
            status = self.one_answer(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + body + HIDDEN)
            self.assertIn(status, (200, 400), body)

    def test_request_lines(self):
        """libmicrohttpd closes the connection; nothing of what follows is read."""
        for line in (b"GET\t/healthz\tHTTP/1.1", b"\x16\x03\x01\x02"):
            with self.tacod.connect() as s:
                s.sendall(line + b"\r\nHost: localhost\r\n\r\n" + HIDDEN)
                self.assertEqual(receive(s).count(b"200 OK"), 0)

    def test_encoded_bodies(self):
        for coding, status in [("gzip", 415), ("br", 415), ("deflate, gzip", 415), ("identity", 200), ("Identity", 200)]:
            answer = self.tacod.post("Hi.", Content_Encoding=coding)
            self.assertEqual(answer.status, status, coding)
        answer = self.tacod.post(b"\x1f\x8b\x08", Content_Encoding="gzip")
        self.assert_error(answer, 415, "unsupported_media_type", "Content-Encoding")


class Trickle(DaemonCase):
    options = ("--timeout", "1", "--idle-timeout", "600")

    def test_chunks_escape_no_timeout(self):
        """Sizes, extensions and trailers that never end: the connection is closed, not kept for ever."""
        start = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
        for data, more in [(start, b"0"), (start + b"3;", b"x"), (start + b"3\r\nHi.\r\n0\r\n", b"X: y\r\n"),
                           (HEAD + b"Content-Length: 1000\r\n\r\n", b"a")]:
            with self.tacod.connect() as s:
                s.sendall(data)
                deadline = time.monotonic() + PATIENCE
                try:
                    while time.monotonic() < deadline:
                        s.sendall(more)
                        time.sleep(0.05)
                    self.fail(f"{data[-20:]} is still read")
                except (BrokenPipeError, ConnectionResetError):
                    pass
        self.assertEqual(self.tacod.get("/healthz").status, 200)


if __name__ == "__main__":
    unittest.main()
