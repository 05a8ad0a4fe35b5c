"""HTTPS: the same answers as over plain HTTP, and certificates that are no good."""

import concurrent.futures
import http.client
import os
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import time
import unittest
import warnings

from daemon import Answer, Daemon, PATIENCE, TACOD, receive, start_error

LONG = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. "
CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
NAMES = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
FOLDER = None


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], cwd=FOLDER.name, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE)


def file(name):
    return os.path.join(FOLDER.name, name)


def self_signed(name, *kind):
    """NAME.pem and NAME.key."""
    openssl("req", "-x509", *(kind or CURVE), "-keyout", name + ".key", "-out", name + ".pem",
            "-days", "30", "-subj", "/CN=" + name, *NAMES)
    os.chmod(file(name + ".key"), 0o600)


def expired(name):
    """The certificate of NAME.key for a month of 2020."""
    openssl("req", "-new", "-key", name + ".key", "-out", name + ".csr", "-subj", "/CN=old")
    open(file("index.txt"), "w").close()
    with open(file("ca.conf"), "w") as f:
        f.write("[ca]\ndefault_ca = d\n[d]\ndatabase = index.txt\nnew_certs_dir = .\nrand_serial = yes\n"
                "default_md = sha256\npolicy = p\n[p]\ncommonName = supplied\n")
    openssl("ca", "-batch", "-config", "ca.conf", "-selfsign", "-keyfile", name + ".key", "-in", name + ".csr",
            "-out", name + ".old", "-startdate", "20200101000000Z", "-enddate", "20200201000000Z", "-notext")


def setUpModule():
    global FOLDER
    if not shutil.which("openssl"):
        raise unittest.SkipTest("openssl is not installed")
    FOLDER = tempfile.TemporaryDirectory()
    self_signed("one")
    self_signed("two", "-newkey", "rsa:2048", "-nodes")


def tearDownModule():
    if FOLDER:
        FOLDER.cleanup()


def trusting(name):
    return ssl.create_default_context(cafile=file(name))


SANITIZED = "/asan/" in TACOD or "/tsan/" in TACOD


class TLSDaemon(Daemon):
    def __init__(self, *options, trust="one.pem", cert="one.pem", key="one.key"):
        self.context = trusting(trust)
        super().__init__("--tls-cert", file(cert), "--tls-key", file(key), *options)

    def connection(self):
        return http.client.HTTPSConnection(self.host, self.port, timeout=PATIENCE, context=self.context)

    def connect(self):
        return self.context.wrap_socket(super().connect(), server_hostname="localhost")


class Over(unittest.TestCase):
    """One daemon that speaks both: HTTPS on TCP and plain HTTP on a UNIX socket."""

    @classmethod
    def setUpClass(cls):
        cls.tacod = TLSDaemon("--host", "127.0.0.1", "--host", "unix:" + file("socket"), "--cache-bytes", "0")

    @classmethod
    def tearDownClass(cls):
        cls.tacod.end_well()

    def plain(self, path):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(PATIENCE)
            s.connect(file("socket"))
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            response = http.client.HTTPResponse(s)
            response.begin()
            return Answer(response)

    def test_addresses_are_printed(self):
        output = self.tacod.output()
        self.assertIn(f"listening on https://127.0.0.1:{self.tacod.port}/\n  curl -k -d ", output)
        self.assertIn(f"listening on unix:{file('socket')}\n  curl --unix-socket", output)
        self.assertNotIn(" http://127.0.0.1", output)

    def test_same_bytes(self):
        for path in ["/v1/speech?text=Hi.&seed=7", "/v1/speech?text=Hi.&seed=7&stream=1&format=pcm",
                     "/v1/voices", "/", "/main.js", "/openapi.json"]:
            secure, plain = self.tacod.get(path), self.plain(path)
            self.assertEqual((secure.status, secure.body), (200, plain.body), path)
        answer = self.tacod.get("/v1/speech?text=Hi.&seed=7&stream=sse")
        self.assertEqual(answer.body.count(b"event: done\n"), 1)
        self.assertEqual(self.tacod.get("/nowhere").status, 404)

    def test_many_at_once(self):
        """Suspended requests, streams and short ones on 64 connections; each gets its own."""
        def ask(i):
            stream = "&stream=1" if i % 2 else ""
            return self.tacod.get(f"/v1/speech?text={i % 8}.&seed={i % 8}&format=pcm{stream}").body
        alone = [ask(i) for i in range(16)]
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            together = list(pool.map(ask, range(64)))
        for i, body in enumerate(together):
            self.assertEqual(body, alone[i % 16], i)

    def test_one_connection_for_many(self):
        connection = self.tacod.connection()
        for i in range(20):
            connection.request("POST", "/v1/speech?seed=1", f"Number {i % 2}.", {"Content-Type": "text/plain"})
            answer = Answer(connection.getresponse())
            self.assertEqual(answer.status, 200)
            if i < 2:
                connection.first = getattr(connection, "first", []) + [answer.body]
            self.assertEqual(answer.body, connection.first[i % 2])
        connection.close()

    def test_who_goes_away_frees_his_rows(self):
        """Closed or reset, below TLS it is the same as without."""
        def status():
            return self.tacod.get("/v1/status").json()

        for n in range(4):
            cancelled = status()["totals"]["cancelled"]
            text = (LONG * 200).encode()
            with self.tacod.connect() as s:
                s.sendall(b"POST /v1/speech%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                          % (b"?stream=1" if n < 2 else b"", len(text)) + text)
                deadline = time.monotonic() + PATIENCE
                while status()["rows"]["active"] == 0:
                    self.assertLess(time.monotonic(), deadline)
                if n % 2 or n >= 2:  # the reset
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            while status()["totals"]["cancelled"] == cancelled or status()["rows"]["active"]:
                self.assertLess(time.monotonic(), deadline)

    def test_a_request_in_pieces(self):
        """A record a byte of the headers, then the body in records that end anywhere."""
        body = (LONG * 4).encode()
        head = (b"POST /v1/speech?format=pcm&seed=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body))
        with self.tacod.connect() as s:
            for i in range(len(head)):
                s.sendall(head[i:i + 1])
            for i in range(0, len(body), 47):
                s.sendall(body[i:i + 47])
            response = http.client.HTTPResponse(s)
            response.begin()
            self.assertEqual(response.status, 200)
            self.assertEqual(len(response.read()), int(response.headers["Content-Length"]))

    def test_large_records(self):
        """What has been decrypted with something else waits for nothing from the network."""
        with self.tacod.connect() as s:
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertEqual(receive(s).count(b'{"status":"ok"}'), 101)
        for size in (16383, 16384, 16385, 900000):
            self.assertEqual(self.tacod.post("a" * size, path="/v1/speech?max_frames=x").status, 400)

    def test_a_slow_reader(self):
        """Much more than fits into any buffer, most of it pauses, both ways of sending."""
        for stream in ("", "&stream=1"):
            path = f"/v1/speech?format=pcm&sample_rate=48000&seed=1&paragraph_pause=10{stream}"
            with self.tacod.connect() as s:
                body = b"Hi.\n\n" * 12
                s.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {len(body)}"
                          f"\r\n\r\n".encode() + body)
                time.sleep(1)
                response = http.client.HTTPResponse(s)
                response.begin()
                slow = response.read()
            self.assertGreater(len(slow), 10 << 20)
            self.assertEqual(slow, self.tacod.post(body, path=path).body)

    def test_who_goes_away_harms_nobody(self):
        for stream in ("", "?stream=1"):
            for _ in range(5):
                s = self.tacod.connect()
                body = LONG.encode()
                s.sendall(f"POST /v1/speech{stream} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}"
                          f"\r\n\r\n".encode() + body)
                if stream:
                    self.assertTrue(s.recv(100))
                s.close()
        self.assertEqual(self.tacod.speak("Hi.").status, 200)

    def test_versions(self):
        def version(low, high):
            context = trusting("one.pem")
            context.set_ciphers("DEFAULT:@SECLEVEL=0")
            context.minimum_version, context.maximum_version = low, high
            with socket.create_connection((self.tacod.host, self.tacod.port), PATIENCE) as s, \
                    context.wrap_socket(s, server_hostname="localhost") as secure:
                return secure.version()
        warnings.simplefilter("ignore", DeprecationWarning)  # old versions are what this is about
        versions = ssl.TLSVersion
        self.assertEqual(version(versions.TLSv1_2, versions.TLSv1_2), "TLSv1.2")
        self.assertEqual(version(versions.TLSv1_2, versions.TLSv1_3), "TLSv1.3")
        with self.assertRaises((ssl.SSLError, ConnectionResetError)):
            version(versions.TLSv1, versions.TLSv1_1)

    def test_what_is_no_tls_gets_no_answer(self):
        for data in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"\xaa" * 4000, b"\0" * 100):
            with socket.create_connection((self.tacod.host, self.tacod.port), PATIENCE) as s:
                try:
                    s.sendall(data)
                    s.shutdown(socket.SHUT_WR)
                except OSError:
                    pass  # it was closed at once
                self.assertNotIn(b"HTTP/", receive(s))
        self.assertEqual(self.tacod.get("/healthz").status, 200)

    def test_half_a_handshake_blocks_nobody(self):
        idle = [socket.create_connection((self.tacod.host, self.tacod.port), PATIENCE) for _ in range(40)]
        for s in idle[:20]:
            s.sendall(b"\x16\x03\x01\x02\x00\x01")
        self.assertEqual(self.tacod.speak("Hi.").status, 200)
        for s in idle:
            s.close()


class Certificates(unittest.TestCase):
    def said(self, *options):
        return start_error(*options, cwd=FOLDER.name)

    def test_what_is_no_good(self):
        openssl("pkcs8", "-topk8", "-in", "one.key", "-v2", "aes128", "-passout", "pass:xxxx", "-out", "secret.key")
        openssl("ec", "-in", "one.key", "-aes128", "-passout", "pass:xxxx", "-out", "old-secret.key")
        for cert, key, message in [
                ("one.pem", "two.key", "two.key is not the key of the certificate in one.pem"),
                ("one.key", "one.key", "one.key: no certificate in PEM: "),
                ("one.pem", "one.pem", "one.pem: no private key in PEM: "),
                ("one.pem", "secret.key", "secret.key: the key has a password; it must have none"),
                ("one.pem", "old-secret.key", "old-secret.key: the key has a password; it must have none"),
                ("nothing.pem", "one.key", "cannot open 'nothing.pem': No such file or directory"),
                ("one.pem", "nothing.key", "cannot open 'nothing.key': No such file or directory"),
                ("/", "one.key", "'/' is not a regular file")]:
            said = self.said("--tls-cert", cert, "--tls-key", key)
            self.assertTrue(said.startswith("tacod serve: " + message), said)

    def test_one_without_the_other(self):
        self.assertEqual(self.said("--tls-cert", "one.pem"), "tacod serve: --tls-cert is there without --tls-key\n")
        self.assertEqual(self.said("--tls-key", "one.key"), "tacod serve: --tls-key is there without --tls-cert\n")

    def test_warnings(self):
        expired("one")
        self.assertIn("one.old: the certificate has expired", self.said("--tls-cert", "one.old", "--tls-key", "one.key"))
        shutil.copy(file("one.key"), file("open.key"))
        os.chmod(file("open.key"), 0o644)
        said = self.said("--tls-cert", "one.pem", "--tls-key", "open.key")
        self.assertIn("open.key: everybody may read it", said)
        self.assertNotIn("certificate", said)

    def test_a_chain(self):
        """A certificate that another one vouches for; both are sent, and nobody needs -k."""
        with open(file("leaf.ext"), "w") as f:
            f.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("req", *CURVE, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=leaf")
        openssl("x509", "-req", "-in", "leaf.csr", "-CA", "two.pem", "-CAkey", "two.key", "-CAcreateserial",
                "-days", "30", "-extfile", "leaf.ext", "-out", "leaf.pem")
        with open(file("chain.pem"), "w") as chain:
            for name in ("leaf.pem", "two.pem"):
                with open(file(name)) as f:
                    chain.write(f.read())
        tacod = TLSDaemon(trust="two.pem", cert="chain.pem", key="leaf.key")
        self.assertEqual(tacod.get("/healthz").status, 200)
        self.assertNotIn(" -k ", tacod.output())
        shown = subprocess.run(["openssl", "s_client", "-showcerts", "-connect", f"127.0.0.1:{tacod.port}"],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(shown.stdout.count("BEGIN CERTIFICATE"), 2)
        tacod.end_well()

    def test_a_new_certificate(self):
        """SIGHUP takes it for new connections; the old ones go on."""
        for ending in ("pem", "key"):
            shutil.copy(file("one." + ending), file("now." + ending))
        tacod = TLSDaemon(cert="now.pem", key="now.key")
        self.addCleanup(tacod.stop)
        old = tacod.connection()
        old.request("GET", "/healthz")
        self.assertEqual(Answer(old.getresponse()).status, 200)
        for ending in ("pem", "key"):
            shutil.copy(file("two." + ending), file("now." + ending))
        tacod.reload("reload: the certificate is read")
        with self.assertRaises(ssl.SSLCertVerificationError):
            tacod.get("/healthz")
        tacod.context = trusting("two.pem")
        self.assertEqual(tacod.get("/healthz").status, 200)
        shutil.copy(file("one.key"), file("now.key"))
        tacod.reload("reload: the certificate stays as it is: ")
        self.assertEqual(tacod.get("/healthz").status, 200)
        old.request("GET", "/healthz")
        self.assertEqual(Answer(old.getresponse()).status, 200)
        old.close()
        tacod.end_well()

    def test_a_reload_keeps_no_memory(self):
        """Of files that have not changed nothing is made anew."""
        tacod = TLSDaemon()
        self.addCleanup(tacod.stop)

        def resident():
            with open(f"/proc/{tacod.process.pid}/statm", encoding="ascii") as pages:
                return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        for _ in range(20):
            tacod.reload("reload: the certificate is read")
        before = resident()
        for _ in range(200):
            tacod.reload("reload: the certificate is read")
        if not SANITIZED:
            self.assertLess(resident() - before, 200 * 10000)
        tacod.end_well()


if __name__ == "__main__":
    unittest.main()
