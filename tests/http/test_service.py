"""Voices, page, health; limits, load and the end of the daemon."""

import concurrent.futures
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from daemon import Daemon, DaemonCase, PATIENCE, TACOD, receive

VOICE = os.path.join(os.path.dirname(__file__), "../../models/heart.safetensors")
LONG = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. "


class Voices(DaemonCase):
    options = ("--voice", "another=" + VOICE)

    def test_list(self):
        answer = self.tacod.get("/v1/voices")
        self.assertEqual(answer.status, 200)
        voices = answer.json()
        self.assertEqual(voices["default"], "another")
        self.assertEqual([v["name"] for v in voices["voices"]], ["another", "heart"])
        for voice in voices["voices"]:
            self.assertEqual(voice["default"], voice["name"] == "another")
            self.assertEqual(voice["built_in"], voice["name"] == "heart")
            self.assertEqual((voice["sample_rate"], voice["n_speakers"]), (22050, 1))
            for field in ["description", "language", "licence", "source", "front_end", "attention"]:
                self.assertTrue(voice[field])

    def test_one(self):
        voice = self.tacod.get("/v1/voices/heart").json()
        self.assertEqual(voice["name"], "heart")
        self.assertEqual(len(voice["symbols"]), voice["n_symbols"])
        self.assertEqual(voice["hop_length"], 256)
        answer = self.tacod.get("/v1/voices/nobody")
        self.assert_error(answer, 404, "not_found", "name")
        self.assertIn("heart", answer.error["message"])

    def test_both_speak_alike(self):
        self.assertEqual(self.tacod.speak("Hi.", seed=7, voice="heart").body,
                         self.tacod.speak("Hi.", seed=7).body)


class Page(DaemonCase):
    def test_page(self):
        answer = self.tacod.get("/")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["Content-Type"], "text/html; charset=utf-8")
        self.assertIn("default-src 'none'", answer["Content-Security-Policy"])
        self.assertNotIn("unsafe", answer["Content-Security-Policy"])
        page = answer.body.decode()
        files = re.findall(r'(?:src|href)="([^":]+\.(?:js|css|svg))"', page)
        self.assertTrue(files)
        seen = set()
        while files:
            name = files.pop()
            if name in seen:
                continue
            seen.add(name)
            answer = self.tacod.get("/" + name)
            self.assertEqual(answer.status, 200, name)
            media_type = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
                          "svg": "image/svg+xml"}[name.rsplit(".", 1)[1]]
            self.assertEqual(answer["Content-Type"], media_type)
            files += re.findall(r'from "\./([^"]+)"', answer.body.decode())
        self.assertEqual(self.tacod.get("/index.html").body.decode(), page)

    def test_etag(self):
        answer = self.tacod.get("/")
        again = self.tacod.get("/", If_None_Match=answer["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))
        self.assertEqual(again["ETag"], answer["ETag"])
        self.assertEqual(self.tacod.get("/", If_None_Match='"other"').status, 200)
        self.assertEqual(self.tacod.get("/", If_None_Match=f'"a", W/{answer["ETag"]}').status, 304)

    def test_a_query_does_no_harm(self):
        self.assertEqual(self.tacod.get("/?utm=1").status, 200)
        self.assertEqual(self.tacod.get("/healthz?x=%zz").status, 200)


class Health(DaemonCase):
    def test_health(self):
        self.assertEqual(self.tacod.get("/healthz").json(), {"status": "ok"})
        self.assertEqual(self.tacod.get("/readyz").json(), {"status": "ready"})

    def test_log(self):
        secret = "Secretwordofmine"
        answer = self.tacod.get(f"/v1/speech?text={secret}.")
        self.tacod.post(secret)
        self.tacod.get("/nowhere%0a%1b[31mforged")
        self.tacod.wait_for_log(rf"info GET /v1/speech 200 {len(answer.body)} bytes [0-9.]+ ms "
                                rf"id={answer['X-Taco-Id']} ")
        self.tacod.wait_for_log(r"GET /nowhere\?\?\[31mforged 404")
        self.tacod.wait_for_log(r"POST /v1/speech 200")
        self.assertNotIn(secret, self.tacod.output())


class Load(DaemonCase):
    options = ("--queue", "3")

    def test_a_full_queue_says_so_at_once(self):
        statuses = []
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = [pool.submit(self.tacod.speak, LONG, seed=7) for _ in range(16)]
            for answer in concurrent.futures.as_completed(answers):
                answer = answer.result()
                statuses.append(answer.status)
                if answer.status != 200:
                    self.assert_error(answer, 503, "busy")
                    self.assertEqual(answer["Retry-After"], "1")
        self.assertIn(200, statuses)
        self.assertIn(503, statuses)
        self.assertEqual(self.tacod.speak("Hi.").status, 200)


class Company(DaemonCase):
    options = ("--cache-bytes", "0")  # and so no cache: everybody's speech is made

    def test_each_gets_its_own(self):
        texts = [f"Number {n}, please." for n in range(8)]
        alone = [self.tacod.speak(t, seed=i).body for i, t in enumerate(texts)]
        with concurrent.futures.ThreadPoolExecutor(len(texts)) as pool:
            together = list(pool.map(lambda i: self.tacod.speak(texts[i], seed=i).body,
                                     range(len(texts))))
        self.assertEqual(alone, together)

    def test_health_while_speaking(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(self.tacod.speak, LONG) for _ in range(4)]
            while not all(a.done() for a in answers):
                self.assertEqual(self.tacod.get("/healthz").status, 200)
            self.assertEqual({a.result().status for a in answers}, {200})

    def test_timeout(self):
        answer = self.tacod.speak(LONG * 100, timeout=0.05)
        self.assert_error(answer, 504, "timeout")

    def test_idle_and_half_open_connections_block_nobody(self):
        idle = [self.tacod.connect() for _ in range(40)]
        for s in idle[:20]:
            s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nHel")
        self.assertEqual(self.tacod.speak("Hi.").status, 200)
        for s in idle:
            s.close()

    def test_who_goes_away_harms_nobody(self):
        for _ in range(5):
            s = self.tacod.connect()
            s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\nHello, world.")
            s.close()
        self.assertEqual(self.tacod.speak("Hi.").status, 200)


class Limits(unittest.TestCase):
    def test_idle_connections_are_closed(self):
        tacod = Daemon("--idle-timeout", "1")
        with tacod.connect() as s:
            s.settimeout(PATIENCE)
            self.assertEqual(s.recv(1), b"")
        tacod.end_well()

    def test_a_trickling_body_is_cut_off(self):
        tacod = Daemon("--timeout", "1")
        with tacod.connect() as s:
            s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n")
            ended = False
            deadline = time.monotonic() + PATIENCE
            while not ended and time.monotonic() < deadline:
                try:
                    s.sendall(b"a")
                    s.settimeout(0.1)
                    ended = s.recv(1) == b""
                except TimeoutError:
                    pass
                except (BrokenPipeError, ConnectionResetError):
                    ended = True
            self.assertTrue(ended)
        tacod.end_well()


class Addresses(unittest.TestCase):
    def test_several(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tacod.sock")
            try:
                socket.create_server(("::1", 0), family=socket.AF_INET6).close()
            except OSError:
                self.skipTest("no IPv6 here")
            tacod = Daemon("--host", "127.0.0.1", "--host", "::1", "--host", "unix:" + path)
            self.assertEqual([host for host, _ in tacod.addresses], ["127.0.0.1", "::1"])
            for host, port in tacod.addresses:
                connection = http.client.HTTPConnection(host, port, timeout=PATIENCE)
                connection.request("GET", "/healthz")
                self.assertEqual(connection.getresponse().read(), b'{"status":"ok"}')
                connection.close()
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(path)
                s.sendall(b"GET /v1/speech?text=Hi. HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                self.assertTrue(receive(s).startswith(b"HTTP/1.1 200"))
            tacod.end_well()
            self.assertFalse(os.path.exists(path))

    def fails(self, *options):
        result = subprocess.run([TACOD, "serve", *options], capture_output=True, text=True,
                                timeout=PATIENCE)
        self.assertNotEqual(result.returncode, 0)
        return result.stderr

    def test_a_taken_port(self):
        with socket.create_server(("127.0.0.1", 0)) as s:
            port = s.getsockname()[1]
            error = self.fails("--port", str(port))
        self.assertEqual(error, f"tacod serve: cannot listen on 127.0.0.1 port {port}: "
                                "Address already in use; --port N or TACO_PORT=N takes another, "
                                "0 any free one\n")

    def test_no_address(self):
        self.assertIn("cannot listen on 'no.such.host.invalid'",
                      self.fails("--port", "0", "--host", "no.such.host.invalid"))
        self.assertIn("/nonexistent/x: No such file", self.fails("--host", "unix:/nonexistent/x"))
        self.assertIn("path must have", self.fails("--host", "unix:" + "x" * 200))

    def test_a_socket_that_was_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tacod.sock")
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(path)
            tacod = Daemon("--host", "127.0.0.1", "--host", "unix:" + path)
            self.assertIn("Address already in use", self.fails("--host", "unix:" + path))
            tacod.end_well()


class End(unittest.TestCase):
    def start(self, tacod, text):
        s = tacod.connect()
        body = text.encode()
        s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        return s

    def wait_until_running(self, tacod, n):
        """Until so many texts have begun; some of them may have ended."""
        deadline = time.monotonic() + PATIENCE
        while True:
            status = tacod.get("/v1/status").json()
            begun = status["queue"]["waiting"] + status["queue"]["running"] + status["totals"]["done"]
            if begun >= n + 1:  # and the warm-up
                return
            self.assertLess(time.monotonic(), deadline, status)
            time.sleep(0.02)

    def test_nothing_going_on(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            tacod = Daemon()
            tacod.signal(number)
            tacod.end_well()

    def test_what_runs_may_end(self):
        tacod = Daemon("--shutdown-timeout", "600")
        sockets = [self.start(tacod, LONG) for _ in range(3)]
        self.wait_until_running(tacod, len(sockets))
        idle = tacod.connect()
        tacod.signal(signal.SIGTERM)
        for s in sockets:
            answer = b""
            while block := s.recv(65536):
                answer += block
            self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer[:200])
            self.assertIn(b"RIFF", answer)
            s.close()
        self.assertEqual(tacod.process.wait(PATIENCE), 0)  # a second signal would end what is left
        tacod.end_well()
        idle.close()
        self.assertNotIn("cancelled", tacod.output())

    def test_nobody_new_is_let_in(self):
        tacod = Daemon("--shutdown-timeout", "600")
        kept = http.client.HTTPConnection(tacod.host, tacod.port, timeout=PATIENCE)
        kept.request("GET", "/healthz")
        kept.getresponse().read()
        s = self.start(tacod, LONG * 20)
        self.wait_until_running(tacod, 1)
        tacod.signal(signal.SIGTERM)
        tacod.wait_for_log("no new requests")
        deadline = time.monotonic() + PATIENCE
        with self.assertRaises(OSError):  # soon
            while time.monotonic() < deadline:
                tacod.connect().close()
        kept.request("GET", "/readyz")
        answer = kept.getresponse()
        self.assertEqual(answer.status, 503)
        self.assertEqual(json.loads(answer.read()), {"status": "draining"})
        self.assertEqual(answer.headers["Connection"], "close")
        s.close()
        tacod.signal(signal.SIGTERM)  # the second one: at once
        tacod.end_well()

    def test_the_patience_ends(self):
        tacod = Daemon("--shutdown-timeout", "0")
        sockets = [self.start(tacod, LONG * 40) for _ in range(3)]
        stream = tacod.connect()
        body = json.dumps({"text": LONG * 40, "stream": True}).encode()
        stream.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                       b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.wait_until_running(tacod, len(sockets) + 1)
        tacod.signal(signal.SIGTERM)
        for s in sockets + [stream]:
            answer = receive(s)
            self.assertNotIn(b"\r\n0\r\n\r\n", answer)  # a stream that is broken off has no end
            s.close()
        tacod.end_well()
        self.assertIn("cancelled", tacod.output())


if __name__ == "__main__":
    unittest.main()
