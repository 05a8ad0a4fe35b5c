"""Clients that go away while their answer is made: reset, closed, half-closed."""

import concurrent.futures
import json
import os
import socket
import struct
import tempfile
import time
import unittest

from daemon import Daemon, PATIENCE, receive

HUGE = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. " * 200
# It takes seconds: what is free before it is done has been cancelled.
LONG = {"text": HUGE, "seed": 7}


def request(fields, path="/v1/speech"):
    body = json.dumps(fields).encode()
    return (b"POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % (path.encode(), len(body)) + body)


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


class Disconnects(unittest.TestCase):
    def start(self, half_close, *options):
        """half_close: seconds that the server works on for a half-closed client."""
        self.tacod = Daemon(*options, env={"TACOD_TEST_HALF_CLOSE": half_close})
        self.addCleanup(self.tacod.stop)

    def status(self):
        return self.tacod.get("/v1/status").json()

    def wait(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition(self.status()):
            self.assertLess(time.monotonic(), deadline, self.status())
            time.sleep(0.01)

    def send(self, fields, s=None):
        s = s or self.tacod.connect()
        s.sendall(request(fields))
        return s

    def wait_until_it_speaks(self):
        self.wait(lambda status: status["rows"]["active"] > 0)

    def assert_freed(self, cancelled=1):
        """The rows are free because the job was cancelled, not because it was done."""
        self.wait(lambda status: status["totals"]["cancelled"] == cancelled)
        self.wait(lambda status: status["queue"]["running"] == status["rows"]["active"] == 0)
        self.assertEqual(self.tacod.speak("Hi.").status, 200)

    def test_a_reset_is_seen_at_once(self):
        self.start("86400")
        s = self.send(LONG)
        self.wait_until_it_speaks()
        reset(s)
        self.assert_freed(1)
        self.tacod.wait_for_log(r"POST /v1/speech 499 ")
        s = self.send({**LONG, "stream": True})
        self.assertIn(b"200 OK", s.recv(15))  # it runs, and much of it has not been read
        reset(s)
        self.assert_freed(2)
        self.tacod.end_well()

    def test_a_stream_finds_out_by_writing(self):
        self.start("86400")
        s = self.send({"text": HUGE, "stream": True, "strict": True, "seed": 7})
        self.assertIn(b"200 OK", s.recv(15))
        s.close()
        self.assert_freed()
        self.tacod.end_well()

    def test_a_stream_that_is_closed_before_its_first_sound(self):
        self.start("86400")
        for n in range(1, 4):
            s = self.send({"text": HUGE, "stream": True, "seed": 7})
            s.close()
            self.assert_freed(n)
        self.tacod.end_well()

    def test_a_closed_client_is_gone_in_time(self):
        self.start("0.2")
        for n in range(1, 4):
            s = self.send(LONG)
            self.wait_until_it_speaks()
            s.close()
            self.assert_freed(n)
        self.tacod.end_well()

    def test_half_closed_is_gone_at_once_where_no_time_is_given(self):
        self.start("0")
        for n, stream in enumerate((False, True), 1):
            s = self.send({**LONG, "stream": stream})
            s.shutdown(socket.SHUT_WR)
            answer = receive(s)
            if not stream:
                self.assertTrue(answer.startswith(b"HTTP/1.1 499 "), answer[:100])
                self.assertEqual(json.loads(answer.split(b"\r\n\r\n")[1])["error"]["code"], "client_closed")
            self.assertFalse(answer.endswith(b"\r\n0\r\n\r\n"))
            s.close()
            self.assert_freed(n)
        self.tacod.end_well()

    def test_half_closed_clients_are_answered(self):
        self.start("86400")
        for fields in ({}, {"stream": True}, {"format": "opus"}):
            whole = self.tacod.speak("Hello, world. And again.", seed=7, **fields).body
            s = self.send({"text": "Hello, world. And again.", "seed": 7, **fields})
            s.shutdown(socket.SHUT_WR)
            answer = receive(s)
            self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer[:100])
            if "stream" not in fields:
                self.assertEqual(answer.split(b"\r\n\r\n", 1)[1], whole)
            else:
                self.assertTrue(answer.endswith(b"\r\n0\r\n\r\n"))
            s.close()
        self.assertEqual(self.status()["totals"]["cancelled"], 0)
        self.tacod.end_well()

    def test_unix_socket(self):
        """There, closed and half-closed are two things."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            self.start("86400", "--host", "127.0.0.1", "--host", "unix:" + path)

            def connect():
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(PATIENCE)
                s.connect(path)
                return s

            s = self.send(LONG, connect())
            self.wait_until_it_speaks()
            s.close()
            self.assert_freed()
            s = self.send({"text": "Hello, world.", "seed": 7}, connect())
            s.shutdown(socket.SHUT_WR)
            self.assertTrue(receive(s).startswith(b"HTTP/1.1 200 "))
            s.close()
            self.tacod.end_well()

    def test_nobody_else_is_cut_off(self):
        """Descriptors are used again at once; the others' answers must not suffer."""
        self.start("0.05", "--queue", "1000", "--cache-bytes", "0")
        expected = self.tacod.speak("Hello, world.", seed=7).body

        def stay(_):
            answer = self.tacod.speak("Hello, world.", seed=7)
            return answer.status, answer.body

        def leave(i):
            s = self.send({**LONG, "stream": i % 3 == 0})
            time.sleep(0.002 * (i % 7))
            (reset if i % 2 else socket.socket.close)(s)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            leaving = [pool.submit(leave, i) for i in range(30)]
            for answer in pool.map(stay, range(30)):
                self.assertEqual(answer, (200, expected))
            for each in leaving:
                each.result()
        self.wait(lambda status: status["queue"]["running"] == status["queue"]["waiting"] == 0)
        self.tacod.end_well()

    def test_the_end_with_clients_that_have_gone(self):
        self.start("86400", "--shutdown-timeout", "0")
        sockets = [self.send({**LONG, "stream": i % 2 == 0}) for i in range(8)]
        self.wait_until_it_speaks()
        for s in sockets:
            s.close()
        self.tacod.end_well()


if __name__ == "__main__":
    unittest.main()
