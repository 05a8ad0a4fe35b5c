"""Life behind a prefix: behind proxies that hand the path on and behind those that do not."""

import os
import re
import tempfile
import unittest
from urllib.parse import urljoin

from daemon import Daemon, DaemonCase, start_error
from test_keys import KEY, hash_key

BASE = "/house/tts"


class Prefix(DaemonCase):
    options = ("--base-path", BASE)

    def test_the_path_as_it_comes(self):
        for path in ["/v1/voices", "/v1/speech?text=Hi.&seed=1", "/api/tts?text=Hi.&seed=1", "/voices", "/healthz",
                     "/openapi.json", "/", "/main.js", "/v1/voices/heart"]:
            stripped, whole = self.tacod.get(path), self.tacod.get(BASE + path)
            self.assertEqual((stripped.status, whole.status), (200, 200), path)
            self.assertEqual(stripped.body, whole.body)
        answer = self.tacod.post("Hi.", path=BASE + "/v1/speech")
        self.assertEqual(answer.status, 200)
        self.assertEqual(self.tacod.request("OPTIONS", BASE + "/v1/speech")["Allow"], "POST, GET, HEAD, OPTIONS")

    def test_addresses_in_answers(self):
        for path in ["/v1/speech", BASE + "/v1/speech", "/api/tts", BASE + "/api/tts", "/v1/speech?stream=1"]:
            answer = self.tacod.post("Hi.", path=path)
            link = re.match(r"<([^>]+)>; rel=\"alignment\"", answer["Link"])[1]
            self.assertEqual(link, f"{BASE}/v1/speech/{answer['X-Taco-Id']}/alignment")
            self.assertEqual(self.tacod.get(link).json()["id"], answer["X-Taco-Id"])
        answer = self.tacod.get(f"/v1/speech/{answer['X-Taco-Id']}")
        self.assertEqual(self.tacod.get(re.match("<([^>]+)>", answer["Link"])[1]).status, 200)

    def test_the_page(self):
        """Every address in it is relative to its own."""
        page = self.tacod.get(BASE + "/").body.decode()
        addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
        self.assertGreater(len(addresses), 3)
        for address in addresses:
            self.assertFalse(address.startswith("/"), address)
            self.assertEqual(self.tacod.get(urljoin(BASE + "/", address)).status, 200, address)
        for script in ("main.js", "api.js", "downloads.js", "curl.js"):
            self.assertNotRegex(self.tacod.get(f"{BASE}/{script}").body.decode(), r'["\'`]/(v1|api)')
        doc = self.tacod.get(BASE + "/openapi.json").json()
        self.assertEqual(urljoin(BASE + "/openapi.json", doc["servers"][0]["url"]), BASE + "/")

    def test_the_prefix_alone(self):
        for method in ("GET", "HEAD", "POST"):
            answer = self.tacod.request(method, BASE + "?x=1")
            self.assertEqual((answer.status, answer["Location"], answer.body), (308, BASE + "/", b""))

    def test_what_only_looks_like_it(self):
        for path in [BASE + "x/v1/voices", "/house", "/house/", "/house/v1/voices", BASE + "//v1/voices", "/" + BASE + "/",
                     BASE + BASE + "/v1/voices", BASE + "/../v1/voices", BASE + "/..", BASE.upper() + "/v1/voices",
                     BASE + "/%2e%2e/etc/passwd", BASE + "/web/index.html"]:
            self.assert_error(self.tacod.get(path), 404, "not_found")

    def test_it_is_printed(self):
        self.assertIn(f"{self.tacod.port}{BASE}/\n  curl ", self.tacod.output())
        self.assertIn(f"{self.tacod.port}{BASE}/v1/speech -o", self.tacod.output())


class WithKeys(unittest.TestCase):
    def test_what_is_open(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "keys")
            with open(path, "w", encoding="ascii") as file:
                file.write(hash_key("alice", KEY)[0])
            tacod = Daemon("--keys", path, "--base-path", "/tts")
        for path, status in [("/tts", 308), ("/tts/", 200), ("/tts/main.js", 200), ("/tts/healthz", 200),
                             ("/tts/v1/voices", 401), ("/v1/voices", 401), ("/tts/nowhere", 401), ("/ttsx", 401)]:
            self.assertEqual(tacod.get(path).status, status, path)
        self.assertEqual(tacod.get("/tts/v1/voices", X_Api_Key=KEY).status, 200)
        tacod.end_well()


class Log(unittest.TestCase):
    def test_the_address_is_complete(self):
        tacod = Daemon("--base-path", BASE, "--log-format", "json")
        self.assertIn(f'"address":"http://127.0.0.1:{tacod.port}{BASE}"', tacod.output())
        tacod.end_well()


class Option(unittest.TestCase):
    def said(self, path):
        return start_error("--base-path", path)

    def test_what_can_be_no_prefix(self):
        for path in ("", "/", "tts", "/tts/", "//tts", "/a//b", "/.", "/..", "/a/../b", "/a b", "/a%20b", "/ü", "/a?b",
                     "/a\r\nX: y", "/<script>", "/" + "a" * 200, "http://example.com/tts"):
            self.assertIn("is not like /tts", self.said(path), path)

    def test_what_is_the_server_s_own(self):
        for path, rival in [("/v1", "/v1/"), ("/v1/house", "/v1/"), ("/api", "/api/tts"),
                            ("/process", "/process"), ("/healthz/x", "/healthz"), ("/voices", "/voices")]:
            self.assertIn(f"'{path}' begins as the server's own {rival}", self.said(path))

    def test_what_can(self):
        for path in ("/tts", "/v", "/v11", "/v1x/y", "/.well-known/tts", "/~me", "/...", "/A/B/C"):
            self.assertNotIn("base-path", self.said(path), path)


if __name__ == "__main__":
    unittest.main()
