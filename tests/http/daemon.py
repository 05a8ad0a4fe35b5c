"""A tacod of one's own on a free port of loopback, and the ways to talk to it."""

import http.client
import io
import json
import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import wave

TACOD = os.environ["TACOD"]
# Sanitizers make everything slower; nothing here depends on speed.
PATIENCE = 600


class Daemon:
    def __init__(self, *options, wait_ready=True, env=None, program=None):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [program or TACOD, "serve", "--port", "0", "--threads", "2", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log,
            env={**os.environ, **(env or {})})
        self.addresses = self._wait_for_address()
        self.host, self.port = self.addresses[0]
        if wait_ready:
            self.wait_ready()

    def _wait_for_address(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = re.findall(r'listening on https?://\[?([0-9a-f.:]+?)\]?:(\d+)(?:/\S*)?/\n  curl', self.output()) or \
                re.findall(r'"listening","address":"https?://\[?([0-9a-f.:]+?)\]?:(\d+)[^"]*"', self.output())
            if found:
                return [(host, int(port)) for host, port in found]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError("tacod did not start:\n" + self.output())

    def output(self):
        if self.log.closed:
            return self.final_output
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")

    def wait_for_log(self, pattern):
        """The first match in the log, which is written after the answer has gone."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.output())):
            if time.monotonic() > deadline:
                raise AssertionError(f"{pattern} does not come:\n{self.output()}")
            time.sleep(0.02)
        return found

    def wait_ready(self):
        deadline = time.monotonic() + PATIENCE
        while self.get("/readyz").status != 200:
            if time.monotonic() > deadline:
                raise AssertionError("tacod does not become ready:\n" + self.output())
            time.sleep(0.02)

    def request(self, method, path, body=None, headers=None):
        """One request on a connection of its own."""
        connection = self.connection()
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def connection(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def get(self, path, **headers):
        return self.request("GET", path, headers=_header_names(headers))

    def speak(self, text="Hi.", **fields):
        """POST of JSON; a field called accept is the header, and with anew it does not come from the cache."""
        headers = {"Content-Type": "application/json"}
        if fields.pop("anew", False):
            headers["Cache-Control"] = "no-cache"
        if "accept" in fields:
            headers["Accept"] = fields.pop("accept")
        return self.request("POST", "/v1/speech", json.dumps({"text": text, **fields}), headers)

    def post(self, body, content_type="text/plain", path="/v1/speech", **headers):
        return self.request("POST", path, body,
                            {"Content-Type": content_type, **_header_names(headers)})

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=PATIENCE)

    def raw(self, data, half_close=False):
        """Sends bytes as they are; what comes back until the connection is closed or quiet."""
        with self.connect() as s:
            try:
                s.sendall(data)
                if half_close:
                    s.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return receive(s)

    def signal(self, number):
        self.process.send_signal(number)

    def reload(self, said):
        """SIGHUP; returns when the log has said that once more."""
        before = self.output().count(said)
        self.signal(signal.SIGHUP)
        deadline = time.monotonic() + PATIENCE
        while self.output().count(said) == before:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"{said} does not come:\n{self.output()}")
            time.sleep(0.01)

    def stop(self):
        """SIGTERM; the exit code. A sanitizer's report or a leak is one that is not 0."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("tacod does not end:\n" + self.output())
        self.final_output = self.output()
        self.log.close()
        return code

    def end_well(self):
        """SIGTERM; neither an error nor a sanitizer's report may come of it."""
        code = self.stop()
        if code != 0 or "Sanitizer" in self.output():
            raise AssertionError(f"tacod ended with {code}:\n{self.output()}")


def start_error(*options, **more):
    """What a daemon says that does not start; no voice would let it, if nothing else."""
    result = subprocess.run([TACOD, "serve", "--port", "0", "--voice", "/nonexistent", *options],
                            capture_output=True, text=True, timeout=PATIENCE, **more)
    if result.returncode not in (1, 2):
        raise AssertionError(f"exit code {result.returncode}: {result.stderr}")
    return result.stderr


def _header_names(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}


def receive(s):
    """Until the connection is closed, as it is after whatever is wrong, or long quiet."""
    data = b""
    while True:
        readable, _, _ = select.select([s], [], [], 5 if data else PATIENCE)
        if not readable:
            return data
        try:
            block = s.recv(65536)
        except ConnectionResetError:
            return data
        if not block:
            return data
        data += block


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def __getitem__(self, name):
        return self.headers[name]

    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json()["error"]

    def wav(self):
        """(channels, bytes a sample, rate, frames), read strictly: the sizes must be exact."""
        data = self.body
        assert data[:4] == b"RIFF" and data[8:12] == b"WAVE", data[:12]
        assert int.from_bytes(data[4:8], "little") == len(data) - 8, "RIFF size"
        with wave.open(io.BytesIO(data)) as w:
            frames = w.readframes(w.getnframes())
            assert len(frames) == w.getnframes() * w.getsampwidth(), "data size"
            return w.getnchannels(), w.getsampwidth(), w.getframerate(), frames


class DaemonCase(unittest.TestCase):
    """Tests that share a daemon; it must end well after all of them."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.tacod = Daemon(*cls.options)

    @classmethod
    def tearDownClass(cls):
        cls.tacod.end_well()

    def assert_error(self, answer, status, code, param="any"):
        """One JSON error of that kind."""
        self.assertEqual(answer.status, status, answer.body[:300])
        self.assertEqual(answer["Content-Type"], "application/json")
        self.assertEqual(list(answer.json()), ["error"])
        self.assertEqual(answer.error["code"], code, answer.error)
        self.assertTrue(answer.error["message"])
        if param != "any":
            self.assertEqual(answer.error["param"], param, answer.error)
