"""Clients that are slow, that stop in the middle, or that go away: they get what is theirs, hold nothing, and change
nobody else's answers."""

import json
import select
import socket
import struct
import time
import unittest

from daemon import Daemon, PATIENCE
from mix import Request, Witness, answers, figures, mixed, wait_until, wait_until_quiet

LONG = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. "
JSON = "application/json"


def speech(text, **fields):
    return Request("native", "POST", "/v1/speech", json.dumps({"text": text, **fields}), JSON)


def reset(s):
    """Goes away without a word: what has not been read is lost."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def read_answer(s, pace=0.0, block=65536):
    """Headers and body of an answer that ends the connection or has a Content-Length or chunks."""
    data = b""
    while True:
        got = s.recv(block)
        data += got
        head, end, body = data.partition(b"\r\n\r\n")
        if end and b"chunked" in head:
            done = body.endswith(b"0\r\n\r\n")
        else:
            length = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length")]
            done = end and length and len(body) >= length[0]
        if done or not got:
            return head, dechunk(body) if b"chunked" in head else body
        time.sleep(pace)


def dechunk(body):
    data = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        n = int(size, 16)
        data += body[:n]
        assert body[n:n + 2] == b"\r\n"
        body = body[n + 2:]
        if n == 0:
            return data
    raise AssertionError("the last chunk is missing")


class WitnessCase(unittest.TestCase):
    """Tests that share a daemon; nothing may be left of anybody behind each."""

    options = ()
    env = {}

    @classmethod
    def setUpClass(cls):
        cls.requests = [r for r in mixed(12, seed=3) if r.kind in ("query", "both", "stream", "refused")]
        cls.slow = [speech(LONG, seed=5, format="pcm", stream=True), speech(LONG, seed=5, format="wav")]
        found = answers(cls.requests + cls.slow)
        cls.expected = found[:len(cls.requests)]
        cls.slow_bodies = [answer[3] for answer in found[len(cls.requests):]]
        cls.tacod = Daemon(*cls.options, env=cls.env)

    @classmethod
    def tearDownClass(cls):
        cls.tacod.end_well()

    def tearDown(self):
        wait_until_quiet(self.tacod)

    def witness(self):
        return Witness(self.tacod, self.requests, self.expected)

    def connect(self, receive_buffer=None):
        s = socket.socket()
        if receive_buffer:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        s.settimeout(PATIENCE)
        s.connect((self.tacod.host, self.tacod.port))
        return s


class Clients(WitnessCase):
    env = {"TACOD_TEST_HALF_CLOSE": "1"}

    def test_slow_readers(self):
        with self.witness():
            sockets = [self.connect(4096) for _ in range(6)]
            for s, request in zip(sockets, self.slow * 3):
                s.sendall(request.raw())
            time.sleep(0.5)
            for i, s in enumerate(sockets):
                head, body = read_answer(s, 0.002, 8192)
                self.assertTrue(head.startswith(b"HTTP/1.1 200"), head)
                self.assertTrue(body == self.slow_bodies[i % 2], i)
                s.close()

    def test_readers_who_never_read(self):
        with self.witness():
            sockets = [self.connect(2048) for _ in range(6)]
            for s, request in zip(sockets, self.slow * 3):
                s.sendall(request.raw())
            for s in sockets:
                self.assertTrue(select.select([s], [], [], PATIENCE)[0])
            for i, s in enumerate(sockets):
                s.close() if i % 2 else reset(s)

    def test_slow_writers(self):
        with self.witness():
            sockets = [self.connect() for _ in range(6)]
            data = [request.raw() for request in self.slow * 3]
            for i in range(0, max(map(len, data)), 7):
                for s, bytes_ in zip(sockets, data):
                    s.sendall(bytes_[i:i + 7])
                time.sleep(0.005)
            for i, s in enumerate(sockets):
                head, body = read_answer(s)
                self.assertTrue(head.startswith(b"HTTP/1.1 200"), head)
                self.assertTrue(body == self.slow_bodies[i % 2], i)
                s.close()

    def test_who_goes_away_during_the_upload(self):
        request = speech(LONG * 50).raw()
        cuts = [1, 5, 16, 40, request.index(b"\r\n\r\n"), request.index(b"\r\n\r\n") + 4, 300, len(request) - 1]
        with self.witness():
            for cut in cuts:
                for end in (socket.socket.close, reset, lambda s: s.shutdown(socket.SHUT_WR)):
                    s = self.connect()
                    s.sendall(request[:cut])
                    end(s)
                    s.close()

    def test_who_goes_away_during_the_synthesis(self):
        before = figures(self.tacod)

        def running():
            now = figures(self.tacod)
            return now["tacod_queue_waiting"] + now["tacod_queue_running"]
        with self.witness():
            for fields in ({"stream": True}, {"stream": "sse"}, {"timeout": 5}):
                sockets = [self.connect() for _ in range(3)]
                for s in sockets:
                    s.sendall(speech(LONG * 60, **fields).raw())
                wait_until(lambda: running() >= 3, "nothing runs")
                for i, s in enumerate(sockets):
                    s.close() if i % 2 else reset(s)
        wait_until(lambda: running() == 0, "what nobody waits for goes on")
        after = figures(self.tacod)
        ended = sum(after[f'tacod_speech_total{{outcome="{outcome}"}}'] - before[f'tacod_speech_total{{outcome="{outcome}"}}']
                    for outcome in ("cancelled", "failed"))
        self.assertGreaterEqual(ended, 6)

    def test_who_goes_away_during_the_answer(self):
        with self.witness():
            for request in (speech(LONG * 20, stream=True), speech(LONG * 20, stream="sse"), self.slow[1]):
                for end in (socket.socket.close, reset):
                    s = self.connect(4096)
                    s.sendall(request.raw())
                    self.assertTrue(s.recv(100).startswith(b"HTTP/1.1 200"))
                    end(s)

    def test_who_asks_more_before_the_answer(self):
        """Pipelined requests are answered in their order."""
        with self.witness():
            s = self.connect()
            raw = self.slow[1].raw()
            s.sendall(raw * 2 + raw.replace(b"Host:", b"Connection: close\r\nHost:"))
            data = b""
            while got := s.recv(65536):
                data += got
            s.close()
            self.assertEqual(data.count(self.slow_bodies[1]), 3)


class HalfOpen(WitnessCase):
    options = ("--idle-timeout", "1", "--http-threads", "2")

    def test_half_open_connections_are_closed_in_the_end(self):
        with self.witness():
            sockets = [self.connect() for _ in range(100)]
            pieces = [b"", b"GE", b"GET /healthz HT", b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Le",
                      b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nHello",
                      b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nHello"]
            for i, s in enumerate(sockets):
                s.sendall(pieces[i % len(pieces)])
            for s in sockets:
                while True:
                    try:
                        if not s.recv(4096):
                            break
                    except ConnectionResetError:
                        break
                s.close()

    def test_headers_that_trickle_are_cut_off(self):
        """Every byte is a sign of life, but the headers must be complete in time."""
        with self.witness():
            sockets = [self.connect() for _ in range(8)]
            for s in sockets[4:]:  # the second request of a connection, too
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertTrue(read_answer(s)[0].startswith(b"HTTP/1.1 200"))
            for s in sockets:
                s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
            deadline = time.monotonic() + PATIENCE
            while sockets:
                self.assertLess(time.monotonic(), deadline, f"{len(sockets)} go on")
                for s in list(sockets):
                    try:
                        s.sendall(b"y")
                    except OSError:
                        s.close()
                        sockets.remove(s)
                time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
