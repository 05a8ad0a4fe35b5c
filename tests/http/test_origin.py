"""Who may ask a server without keys: host names, pages of other sites, framing that is ambiguous."""

import os
import socket
import tempfile
import unittest

from daemon import Daemon, DaemonCase, receive, start_error
from test_keys import KEY, hash_key

EVIL = "http://evil.example"


class OriginCase(DaemonCase):
    def status(self, path="/v1/voices", method="GET", body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.tacod.request(method, path, body, headers).status


class Local(OriginCase):
    def test_host_names(self):
        for host in ("localhost", "LOCALHOST", "localhost:8020", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8020"):
            self.assertEqual(self.status(Host=host), 200, host)
        for host in ("evil.example", "evil.example:8020", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1",
                     "[::2]", "localhost:x", "[::1", "a@localhost", "localhost/x", "", "x" * 300):
            self.assertEqual(self.status(Host=host), 403, host)
        answer = self.tacod.get("/v1/voices", Host="evil.example")
        self.assert_error(answer, 403, "host_not_allowed", "Host")
        self.assertIn("--allow-host", answer.error["message"])

    def test_health_answers_everybody(self):
        for path in ("/healthz", "/readyz"):
            self.assertEqual(self.status(path, Host="10.1.2.3"), 200)
        for path in ("/", "/main.js", "/metrics", "/openapi.json", "/nowhere"):
            self.assertEqual(self.status(path, Host="evil.example"), 403)

    def test_exactly_one_host(self):
        for version, hosts, status in [("1.1", 0, 400), ("1.1", 1, 200), ("1.1", 2, 400), ("1.0", 0, 200), ("1.0", 1, 200),
                                       ("1.0", 2, 400)]:
            answer = self.tacod.raw(f"GET /v1/voices HTTP/{version}\r\n{'Host: localhost' + chr(13) + chr(10) if hosts else ''}"
                                    f"{'host: localhost' + chr(13) + chr(10) if hosts > 1 else ''}Connection: close\r\n\r\n"
                                    .encode())
            self.assertEqual(answer.split()[1], str(status).encode(), (version, hosts))

    def test_pages_of_other_sites(self):
        text = {"Content_Type": "text/plain"}
        for headers in ({"Origin": EVIL}, {"Origin": "null"}, {"Origin": "http://localhost:3000"}, {"Sec_Fetch_Site": "cross-site"},
                        {"Sec_Fetch_Site": "same-site"}, {"Origin": EVIL, "Sec_Fetch_Site": "cross-site"}):
            self.assertEqual(self.status("/v1/speech", "POST", "Hi.", **text, **headers), 403, headers)
            self.assertEqual(self.status("/v1/speech?text=Hi.", **headers), 403, headers)
        answer = self.tacod.post("Hi.", Origin=EVIL)
        self.assert_error(answer, 403, "cross_site", "Origin")
        self.assertIn("--cors-origin", answer.error["message"])

    def test_own_pages_and_programs(self):
        own = f"http://{self.tacod.host}:{self.tacod.port}"
        for headers in ({}, {"Origin": own}, {"Origin": own, "Sec_Fetch_Site": "same-origin"}, {"Sec_Fetch_Site": "none"},
                        {"Origin": "https://localhost", "Host": "localhost"},
                        # A reverse proxy has changed Host; the browser knows best.
                        {"Origin": "https://tts.example.com", "Sec_Fetch_Site": "same-origin"}):
            self.assertEqual(self.status("/v1/speech", "POST", "Hi.", Content_Type="text/plain", **headers), 200, headers)

    def test_links_lead_to_the_page(self):
        link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
        self.assertEqual(self.status("/", **link), 200)
        self.assertEqual(self.status("/v1/speech?text=Hi.", **link), 403)

    def test_preflight_tells_nothing(self):
        answer = self.tacod.request("OPTIONS", "/v1/speech", headers={"Origin": EVIL, "Access-Control-Request-Method": "POST"})
        self.assertEqual(answer.status, 204)
        self.assertIsNone(answer["Access-Control-Allow-Origin"])


class Allowed(OriginCase):
    options = ("--allow-host", "tts.example.com", "--allow-host", "10.0.0.7", "--cors-origin", "https://app.example")

    def test_allowed(self):
        for host, status in [("tts.example.com", 200), ("TTS.example.com:443", 200), ("10.0.0.7", 200), ("localhost", 200),
                             ("10.0.0.8", 403), ("example.com", 403)]:
            self.assertEqual(self.status(Host=host), status, host)
        self.assertEqual(self.status(Origin="https://app.example", Sec_Fetch_Site="cross-site"), 200)
        self.assertEqual(self.status(Origin=EVIL, Sec_Fetch_Site="cross-site"), 403)
        self.assertEqual(self.status(Sec_Fetch_Site="cross-site"), 403)


class Wildcard(OriginCase):
    options = ("--host", "0.0.0.0")

    def test_any_address_but_no_name(self):
        for host, status in [("192.168.1.5:8020", 200), ("[fe80::1]", 200), ("127.0.0.1", 200), ("evil.example", 403)]:
            self.assertEqual(self.status(Host=host), status, host)


class All(OriginCase):
    options = ("--allow-host", "*", "--cors-origin", "*")

    def test_all(self):
        self.assertEqual(self.status(Host="evil.example", Origin="null", Sec_Fetch_Site="cross-site"), 200)


class Others(unittest.TestCase):
    def test_keys_are_enough(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "keys")
            with open(path, "w", encoding="ascii") as file:
                file.write(hash_key("alice", KEY)[0])
            tacod = Daemon("--keys", path)
            headers = {"Host": "any.example", "Origin": EVIL}
            self.assertEqual(tacod.request("GET", "/v1/voices", headers=headers).status, 401)
            self.assertEqual(tacod.request("GET", "/v1/voices", headers={**headers, "X-Api-Key": KEY}).status, 200)
            tacod.end_well()

    def test_unix_sockets_are_exempt(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            tacod = Daemon("--host", "127.0.0.1", "--host", "unix:" + path)
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(path)
                s.sendall(b"GET /v1/voices HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n")
                self.assertTrue(receive(s).startswith(b"HTTP/1.1 200 "))
            tacod.end_well()

    def test_malformed_names(self):
        for name in ("", "a b", "a:80", "http://a", "a/b", "[::1]", "x" * 256):
            self.assertIn("expected a host name", start_error("--allow-host", name), name)


if __name__ == "__main__":
    unittest.main()
