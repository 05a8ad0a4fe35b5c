"""The most expensive requests there are, with every parameter at its worst: memory and time stay within bounds, and a
small request of another client waits for none of them to end."""

import http.client
import json
import os
import socket
import statistics
import threading
import time
import unittest

from daemon import Daemon, PATIENCE, TACOD

MB = 1 << 20
SANITIZED = "/asan/" in TACOD or "/tsan/" in TACOD
MAX_MEMORY, RESPONSE_BYTES, CACHE_BYTES = 1024 * MB, 256 * MB, 32 * MB
# What is not a request's: weights that are touched, the batch, plans, stacks; and the sanitizers' own.
OVERHEAD = 200 * MB
SANITIZER_FACTOR = 4
TIMEOUT = 2  # seconds, of every request below

PROSE = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. " * 220
SLOW = {"speed": 0.25, "sample_rate": 48000}
FEW_FRAMES = {"max_frames": 400}  # so that long texts are admitted
# name, text, fields. 20,000 bytes is the longest text. Some are refused, the others are the dearest that are not.
EXPENSIVE = [
    ("pauses that fit", "A\n\n" * 60, {**SLOW, "max_frames": 1, "n_iter": 0, "paragraph_pause": 10}),
    ("pauses that fit as opus", "A\n\n" * 60, {**SLOW, "max_frames": 1, "format": "opus", "paragraph_pause": 10}),
    ("prose that fits", PROSE[:20000], {**FEW_FRAMES, "n_iter": 1000}),
    ("matrices that fit", PROSE[:10000], {**FEW_FRAMES, "matrix": "arrays", "accept": "application/json"}),
    ("events that fit", PROSE[:20000], {**FEW_FRAMES, "stream": "sse"}),
    ("pauses", "A\n\n" * 330, {**SLOW, "max_frames": 1, "n_iter": 0, "paragraph_pause": 10}),
    ("many pauses", "A\n\n" * 6600, {**SLOW, "max_frames": 1, "n_iter": 0, "paragraph_pause": 10}),
    ("pauses as opus", "A\n\n" * 830, {**SLOW, "format": "opus", "paragraph_pause": 10}),
    ("pauses as mp3", "A\n\n" * 830, {**SLOW, "format": "mp3", "paragraph_pause": 10}),
    ("pauses as flac, streamed", "A\n\n" * 830, {**SLOW, "format": "flac", "paragraph_pause": 10, "stream": True}),
    ("iterations", PROSE[:390], {**SLOW, "n_iter": 1000}),
    ("attempts", PROSE[:390], {"max_attempts": 8, "gate_threshold": 0.99999, "max_frames": 20000}),
    ("one long sentence", "a" * 20000, {**SLOW, "max_frames": 20000}),
    ("words without a stop", "very " * 4000, {**SLOW, "n_iter": 1000}),
    ("prose", PROSE[:20000], {**SLOW, "n_iter": 1000}),
    ("numbers", "987654321.12345 " * 1250, {}),
    ("matrices", PROSE[:20000], {"matrix": "arrays", "accept": "application/json"}),
    ("events", PROSE[:20000], {"stream": "sse"}),
]


def source(address):
    """A socket of another client: clients are known by their address."""
    return address, 0


def ask(tacod, text, fields, address="127.0.0.2"):
    """(status, seconds); the body is read and dropped."""
    fields = dict(fields)
    headers = {"Content-Type": "application/json"}
    if "accept" in fields:
        headers["Accept"] = fields.pop("accept")
    start = time.monotonic()
    connection = http.client.HTTPConnection(tacod.host, tacod.port, timeout=PATIENCE, source_address=source(address))
    try:
        connection.request("POST", "/v1/speech", json.dumps({"text": text, **fields}), headers)
        response = connection.getresponse()
        try:
            while response.read(1 << 16):
                pass
        except http.client.IncompleteRead:
            pass  # a stream whose time is over ends early
        return response.status, time.monotonic() - start
    finally:
        connection.close()


def hello(tacod, seed):
    status, seconds = ask(tacod, "Hello.", {"seed": seed}, "127.0.0.1")
    assert status == 200, status
    return seconds


class ExpensiveCase(unittest.TestCase):
    def setUp(self):
        self.tacod = Daemon("--max-memory", str(MAX_MEMORY), "--response-bytes", str(RESPONSE_BYTES), "--cache-bytes", str(CACHE_BYTES),
                            env={"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=16"})
        self.addCleanup(self.tacod.stop)
        self.reference = statistics.median(hello(self.tacod, seed) for seed in range(10))

    def memory(self, name):
        with open(f"/proc/{self.tacod.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


class Expensive(ExpensiveCase):
    def test_one_at_a_time(self):
        """Each ends soon after its time is over, whatever it is at, and takes no more memory than there is for all."""
        late = TIMEOUT + 5 + 100 * self.reference
        limit = (OVERHEAD + MAX_MEMORY + RESPONSE_BYTES + CACHE_BYTES) * (SANITIZER_FACTOR if SANITIZED else 1)
        for name, text, fields in EXPENSIVE:
            with self.subTest(name):
                status, seconds = ask(self.tacod, text, {**fields, "timeout": TIMEOUT, "seed": 1})
                print(f"{name}: {status} after {seconds:.2f} s, peak {self.memory('VmHWM') // MB} MB")
                self.assertIn(status, (200, 400, 413, 503, 504))
                self.assertLess(seconds, late)
                self.assertLess(self.memory("VmHWM"), limit)
        self.tacod.end_well()

    def test_all_at_once(self):
        """Some are answered, some are refused; none takes the others' memory."""
        limit = (OVERHEAD + MAX_MEMORY + RESPONSE_BYTES + CACHE_BYTES) * (SANITIZER_FACTOR if SANITIZED else 1)
        outcomes = []

        def run(row):
            outcomes.append(ask(self.tacod, row[1], {**row[2], "timeout": 10 * TIMEOUT, "seed": 2})[0])
        threads = [threading.Thread(target=run, args=(row,)) for row in EXPENSIVE]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(sorted(outcomes), self.memory("VmHWM") // MB, "MB")
        self.assertEqual(len(outcomes), len(EXPENSIVE))
        self.assertTrue(set(outcomes) <= {200, 400, 413, 503, 504}, outcomes)
        self.assertLess(self.memory("VmHWM"), limit)
        self.tacod.end_well()


class Hostile(ExpensiveCase):
    """Twenty clients do their worst, over and over."""

    def raw(self, data, wait=0.0, reset=False):
        with socket.create_connection((self.tacod.host, self.tacod.port), timeout=PATIENCE, source_address=source("127.0.0.2")) as s:
            s.sendall(data)
            if wait:
                time.sleep(wait)
            if reset:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    def post(self, text, query):
        body = text.encode()
        return (f"POST /v1/speech?{query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def worst(self, i):
        """What hostile client i does once."""
        name, text, fields = EXPENSIVE[i % len(EXPENSIVE)]
        kind = i % 5
        if kind == 0:
            ask(self.tacod, text, {**fields, "timeout": TIMEOUT})
        elif kind == 1:  # goes away in the middle
            self.raw(self.post(PROSE[:20000], "n_iter=1000&speed=0.25"), 0.2, reset=True)
        elif kind == 2:  # reads nothing
            self.raw(self.post("A\n\n" * 300, "max_frames=1&n_iter=0&paragraph_pause=10&timeout=2"), 1)
        elif kind == 3:  # trickles
            self.raw(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;", 1)
        else:  # is malformed
            self.raw(b"GET /v1/speech?text=Hi. HTTP/1.1\r\nHost:\r\n localhost\r\n\r\n" * 50)

    def test_a_small_request_is_served(self):
        ending = threading.Event()

        def attack(i):
            while not ending.is_set():
                try:
                    self.worst(i)
                except (OSError, http.client.HTTPException):
                    pass  # they are refused, and come again
        threads = [threading.Thread(target=attack, args=(i,)) for i in range(20)]
        for thread in threads:
            thread.start()
        try:
            time.sleep(1)
            times = sorted(hello(self.tacod, 100 + i) for i in range(20))
        finally:
            ending.set()
            for thread in threads:
                thread.join()
        print(f"alone {self.reference:.3f} s; beside 20 hostile clients median {times[10]:.3f} s, worst {times[-1]:.3f} s")
        # Long stages let it pass: it never waits for one of theirs to end, which takes their whole time limit.
        self.assertLess(times[10], 0.5 + 40 * self.reference)
        self.assertEqual(self.tacod.get("/healthz").status, 200)
        self.tacod.end_well()


if __name__ == "__main__":
    unittest.main()
