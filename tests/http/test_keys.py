"""API keys: what is open, what is not, and the ways to show a key."""

import concurrent.futures
import os
import signal
import subprocess
import tempfile
import time
import unittest

from daemon import Daemon, DaemonCase, PATIENCE, TACOD, receive, start_error

KEY = "a key of sixteen".replace(" ", "-")
OTHER = "another-key-of-his"
OPEN = ["/", "/index.html", "/main.js", "/style.css", "/icon.svg", "/healthz", "/readyz"]
CLOSED = ["/metrics", "/v1/status", "/v1/speech?text=Hi.", "/v1/speech/x", "/v1/speech/x/alignment", "/v1/voices", "/v1/voices/heart",
          "/v1/models", "/v1/audio/voices", "/api/tts?text=Hi.", "/openapi.json", "/nowhere", "/../main.js"]
TEXT = ["/process?INPUT_TEXT=Hi.", "/voices", "/locales", "/version", "/audioformats", "/datatypes"]


def hash_key(name, key=None):
    """(what tacod new-key prints, the key)."""
    result = subprocess.run([TACOD, "new-key", name] + (["-"] if key else []), input=key,
                            capture_output=True, text=True, check=True, timeout=PATIENCE)
    return result.stdout, key or result.stderr.splitlines()[1]


class KeyCase(unittest.TestCase):
    """One daemon with keys for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "keys")
        with open(cls.path, "w", encoding="ascii", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write("# who may\n" + hash_key("alice", KEY)[0] + hash_key("bob", OTHER)[0])
            line, cls.made = hash_key("carol")
            file.write(line)
        cls.tacod = Daemon("--keys", cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.tacod.end_well()
        cls.folder.cleanup()
        output = cls.tacod.output()
        for key in (KEY, OTHER, cls.made):
            assert key not in output, "a key is in the log"

    assert_error = DaemonCase.assert_error

    def assert_refused(self, answer):
        self.assert_error(answer, 401, "unauthorized", None)
        self.assertEqual(answer.error["type"], "authentication_error")
        self.assertEqual(answer["WWW-Authenticate"], 'Bearer realm="tacod"')


class Keys(KeyCase):
    def test_what_is_open(self):
        for path in OPEN:
            self.assertEqual(self.tacod.get(path).status, 200, path)
            self.assertEqual(self.tacod.request("HEAD", path).status, 200, path)
        for path in OPEN + CLOSED[:-2] + TEXT:
            self.assertEqual(self.tacod.request("OPTIONS", path).status, 204, path)

    def test_the_description_says_what_is_open(self):
        paths = self.tacod.get("/openapi.json", X_Api_Key=KEY).json()["paths"]
        for path, item in paths.items():
            real = path.replace("{file}", "main.js").replace("{voice}", "heart")
            for method, operation in item.items():
                refused = self.tacod.request(method.upper(), real).status == 401
                self.assertEqual(operation.get("security") == [], not refused, path)

    def test_what_is_not(self):
        for path in CLOSED:
            self.assert_refused(self.tacod.get(path))
            self.assertNotEqual(self.tacod.get(path, X_Api_Key=KEY).status, 401, path)
        for path in TEXT:
            answer = self.tacod.get(path)
            self.assertEqual((answer.status, answer["Content-Type"]), (401, "text/plain; charset=utf-8"))
            self.assertRegex(answer.body, rb"^an API key is needed.*\n$")
            self.assertEqual(self.tacod.get(path, X_Api_Key=KEY).status, 200, path)
        answer = self.tacod.post('{"text": "Hi."}', "application/json", "/v1/text-to-speech/heart")
        self.assertEqual(answer.status, 401)
        self.assertEqual(answer.json()["detail"]["status"], "unauthorized")
        for method, path in [("POST", "/"), ("DELETE", "/healthz"), ("POST", "/v1/voices"), ("BREW", "/x")]:
            self.assert_refused(self.tacod.request(method, path))
        self.assertEqual(self.tacod.request("POST", "/", headers={"X-Api-Key": KEY}).status, 405)

    def test_ways_to_show_a_key(self):
        for headers in [{"Authorization": "Bearer " + KEY}, {"authorization": "bearer   " + KEY},
                        {"X-Api-Key": KEY}, {"xi-api-key": KEY}, {"XI-API-KEY": OTHER},
                        {"X-Api-Key": self.made}, {"X-Api-Key": KEY + " \t"}, {"Authorization": f"Bearer {KEY} "},
                        {"Authorization": "Basic YTpi", "X-Api-Key": KEY},
                        {"Authorization": "Bearer nonsense", "xi-api-key": KEY}]:
            self.assertEqual(self.tacod.request("GET", "/v1/voices", headers=headers).status, 200, headers)

    def test_what_is_no_key(self):
        line = hash_key("alice", KEY)[0]
        for headers in [{"Authorization": KEY}, {"Authorization": "Basic " + KEY}, {"Authorization": "Bearer"},
                        {"Authorization": "Bearer "}, {"Authorization": "Bearer " + KEY[:-1]},
                        {"Authorization": f"Bearer {KEY} {KEY}"}, {"X-Api-Key": ""}, {"X-Api-Key": KEY + "x"},
                        {"X-Api-Key": KEY.upper()}, {"X-Api-Key": "alice"}, {"X-Api-Key": line.split()[1]},
                        {"X-Api-Key": "x" * 5000}, {"Cookie": "key=" + KEY}, {"Api-Key": KEY}]:
            self.assert_refused(self.tacod.request("GET", "/v1/voices", headers=headers))
        self.assert_refused(self.tacod.get("/v1/voices?key=" + KEY.replace("-", "%2D")))
        self.assertIn("no such API key", self.tacod.get("/v1/voices", X_Api_Key="x").error["message"])
        self.assertIn("is needed", self.tacod.get("/v1/voices").error["message"])

    def test_speech(self):
        self.assert_refused(self.tacod.speak("Hi."))
        answer = self.tacod.post("Hi.", X_Api_Key=KEY)
        self.assertEqual(answer.status, 200)
        again = f"/v1/speech/{answer['X-Taco-Id']}"
        self.assert_refused(self.tacod.get(again))
        self.assertEqual(self.tacod.get(again, X_Api_Key=OTHER).body, answer.body)

    def test_the_log_names_the_key(self):
        self.tacod.get("/v1/models", X_Api_Key=OTHER)
        self.tacod.wait_for_log(r"GET /v1/models 200 .* key=bob\n")
        self.tacod.get("/v1/models/alice", X_Api_Key=self.made)
        self.tacod.wait_for_log(r"GET /v1/models/alice 404 .* key=carol error=model_not_found")
        self.tacod.get("/v1/models/nobody")
        line = self.tacod.wait_for_log(r"GET /v1/models/nobody 401 .*\n")
        self.assertNotIn("key=", line[0])

    def test_a_body_is_not_waited_for(self):
        """The answer comes while the body does not."""
        for header in (b"Content-Length: 1000000\r\n", b"Content-Length: 3\r\nExpect: 100-continue\r\n"):
            with self.tacod.connect() as s:
                s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\n" + header + b"\r\n")
                self.assertTrue(receive(s).startswith(b"HTTP/1.1 401 "))

    def test_a_short_body_is_dropped_and_the_connection_kept(self):
        with self.tacod.connect() as s:
            for _ in range(3):
                s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nHi.")
                answer = b""
                while not answer.endswith(b"}"):
                    block = s.recv(65536)
                    self.assertTrue(block, "the connection was closed")
                    answer += block
                self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer)

    def test_a_stranger_s_endless_body_is_cut_off(self):
        with self.tacod.connect() as s:
            s.sendall(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            sent = 0
            with self.assertRaises((BrokenPipeError, ConnectionResetError)):
                while sent < 64 << 20:
                    s.sendall(b"1000\r\n" + b"a" * 4096 + b"\r\n")
                    sent += 4096
            self.assertLess(sent, 64 << 20)
        self.assertEqual(self.tacod.get("/healthz").status, 200)

    def test_malformed_requests_tell_strangers_nothing(self):
        self.assert_refused(self.tacod.post("{", "application/json"))
        self.assert_refused(self.tacod.post("x", "image/png"))
        self.assert_refused(self.tacod.speak("Hi.", voice="nobody"))
        for path, status in [("/v1/speech%zz", 400), ("/v1/voices%00", 400), ("/" + "x" * 20000, 414)]:
            self.assert_refused(self.tacod.get(path))
            self.assertEqual(self.tacod.get(path, X_Api_Key=KEY).status, status)
        self.assert_refused(self.tacod.get("/v1/voices", X="a" * 20000))
        answer = self.tacod.raw(b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 401 "), answer[:100])


class Files(unittest.TestCase):
    def start(self, content, mode=0o600):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "keys")
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            os.chmod(path, mode)
            return start_error("--keys", path)

    def test_a_malformed_file_is_named_by_its_line(self):
        for content, message in [("alice\n", "line 1: behind the name"), ("\n#\nalice x\n", "line 3: "),
                                 ("", "there is no key in it")]:
            self.assertRegex(self.start(content), r"^tacod serve: /\S+/keys: " + message)
        self.assertEqual(start_error("--keys", "/nonexistent/keys"),
                         "tacod serve: cannot open '/nonexistent/keys': No such file or directory\n")

    def test_a_file_that_everybody_may_read(self):
        line, _ = hash_key("alice")
        self.assertIn("everybody may read it", self.start(line, 0o644))
        self.assertNotIn("everybody may", self.start(line, 0o640))


class Reload(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "keys")

    def write(self, *lines):
        with open(self.path + ".new", "w", encoding="ascii") as file:
            file.writelines(lines)
        os.chmod(self.path + ".new", 0o600)
        os.rename(self.path + ".new", self.path)

    def test_keys_come_and_go(self):
        alice, bob = (hash_key(name, key)[0] for name, key in (("alice", KEY), ("bob", OTHER)))
        self.write(alice)
        tacod = Daemon("--keys", self.path)
        self.addCleanup(tacod.stop)

        def passes(key):
            return tacod.get("/v1/voices", X_Api_Key=key).status == 200
        self.assertEqual((passes(KEY), passes(OTHER)), (True, False))
        self.write(alice, bob)
        tacod.reload("reload: the keys are read")
        self.assertEqual((passes(KEY), passes(OTHER)), (True, True))
        self.write(bob)
        tacod.reload("reload: the keys are read")
        self.assertEqual((passes(KEY), passes(OTHER)), (False, True))
        for bad in ("bob " + KEY, ""):
            self.write(bad)
            tacod.reload("reload: the keys stay as they are")
            self.assertEqual((passes(KEY), passes(OTHER)), (False, True))
        os.remove(self.path)
        tacod.reload("reload: the keys stay as they are")
        self.assertEqual((passes(KEY), passes(OTHER)), (False, True))
        self.assertNotIn(KEY, tacod.output())
        tacod.end_well()

    def test_under_load(self):
        """Whoever has a good key never sees the file being exchanged."""
        alice = hash_key("alice", KEY)[0]
        self.write(alice)
        tacod = Daemon("--keys", self.path, "--log-level", "warning")
        self.addCleanup(tacod.stop)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(tacod.get, "/v1/voices", X_Api_Key=KEY) for _ in range(400)]
            for _ in range(20):
                tacod.signal(signal.SIGHUP)
                time.sleep(0.002)
            self.assertEqual({a.result().status for a in answers}, {200})
        tacod.end_well()


class HashKey(unittest.TestCase):
    def run_it(self, *arguments, key=""):
        return subprocess.run([TACOD, "new-key", *arguments], input=key, capture_output=True, text=True,
                              timeout=PATIENCE)

    def test_every_key_is_new(self):
        keys = set()
        for _ in range(4):
            line, key = hash_key("alice")
            self.assertRegex(line, r"^alice [0-9a-f]{64}\n$")
            self.assertRegex(key, r"^taco-[0-9a-f]{48}$")
            self.assertEqual(hash_key("alice", key)[0], line)
            keys.add(key)
        self.assertEqual(len(keys), 4)

    def test_a_key_of_one_s_own_is_not_shown(self):
        result = self.run_it("alice", "-", key=KEY + "\n")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertNotIn(KEY, result.stdout)

    def test_what_is_refused(self):
        for key in ("", "\n", "short\n", "with blank in it 123\n", "x" * 600, "schlüssel-mit-umlaut\n", "a" * 15):
            result = self.run_it("alice", "-", key=key)
            self.assertEqual((result.returncode, result.stdout), (1, ""), key)
            self.assertIn("16 to 512", result.stderr)
        for arguments in [(), ("a", "b"), ("a", "-", "c"), ("a b",), ("",), ("x" * 64,), ("-x",)]:
            result = self.run_it(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)


if __name__ == "__main__":
    unittest.main()
