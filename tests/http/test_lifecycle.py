"""Start and end of the daemon, and what it is given: descriptors, pipes, files that are none, families of addresses."""

import ctypes
import fcntl
import os
import platform
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from daemon import Daemon, PATIENCE, TACOD
from test_keys import KEY, hash_key

PLAIN = "/asan/" not in TACOD and "/tsan/" not in TACOD


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(*options, **more):
    return subprocess.Popen([TACOD, "serve", "--port", "0", "--threads", "2", *options], **more)


def refuse_family(family):
    """Makes socket() of the family fail with EAFNOSUPPORT, by seccomp, as where the kernel lacks it."""
    number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
    code = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, family),
            (0x06, 0, 0, 0x00050000 | 97), (0x06, 0, 0, 0x7FFF0000)]
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
    libc = ctypes.CDLL(None, use_errno=True)

    def apply():
        buffer = ctypes.create_string_buffer(program)
        header = struct.pack("HxxxxxxP", len(code), ctypes.addressof(buffer))
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(header), 0, 0):
            raise OSError(ctypes.get_errno(), "seccomp")
    return apply


class Lifecycle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def wait_for(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)

    def test_a_fifo_blocks_nothing(self):
        path = self.path("keys")
        with open(path, "w", encoding="ascii") as file:
            file.write(hash_key("alice", KEY)[0])
        tacod = Daemon("--keys", path)
        os.remove(path)
        os.mkfifo(path)
        tacod.signal(signal.SIGHUP)
        self.assertIn("the keys stay as they are", tacod.wait_for_log(r"reload: the keys.*")[0])
        self.assertIn("not a regular file", tacod.output())
        tacod.end_well()
        for option in ("--keys", "--config", "--lexicon", "--voice", "--tls-cert"):
            more = ("--tls-key", path) if option == "--tls-cert" else ()
            process = start(option, path, *more, stderr=subprocess.PIPE)
            self.assertIn(b"not a regular file", process.communicate(timeout=PATIENCE)[1], option)
            self.assertIn(process.returncode, (1, 2))

    def test_sigterm_during_a_warm_up(self):
        """The warm-up waits behind a long text in the only row; the end does not wait for it."""
        tacod = Daemon("--rows", "1", "--voices", self.folder, "--shutdown-timeout", "0")
        with tacod.connect() as s:
            text = b"The birch canoe slid on the smooth planks. " * 400
            s.sendall(b"POST /v1/speech?n_iter=0 HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                      b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
            self.wait_for(lambda: tacod.get("/v1/status").json()["queue"]["running"] > 0, "the job begins")
            here = os.path.dirname(os.path.abspath(__file__))
            os.symlink(os.path.join(here, "../golden/voices/torchaudio_a_char.safetensors"), self.path("a.safetensors"))
            tacod.signal(signal.SIGHUP)
            tacod.end_well()

    def test_closed_descriptors(self):
        for closed in ([0], [1], [2], [0, 1, 2]):
            path = self.path("s" + "".join(map(str, closed)))
            process = start("--host", "unix:" + path, preexec_fn=lambda c=closed: [os.close(fd) for fd in c])
            self.wait_for(lambda p=path: os.path.exists(p), "it listens")
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(PATIENCE)
                s.connect(path)
                s.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
                self.assertTrue(s.recv(100).startswith(b"HTTP/1."))
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 0)

    def test_a_log_that_nobody_reads(self):
        reader, writer = os.pipe()
        size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        path = self.path("s")
        process = start("--host", "unix:" + path, stderr=writer)
        os.close(writer)
        self.wait_for(lambda: os.path.exists(path), "it listens")

        def ask(n):
            for _ in range(n):
                with socket.socket(socket.AF_UNIX) as s:
                    s.settimeout(PATIENCE)
                    s.connect(path)
                    s.sendall(b"GET /v1/voices HTTP/1.0\r\n\r\n")
                    self.assertTrue(s.recv(100).startswith(b"HTTP/1."))
        ask(size // 50)
        os.set_blocking(reader, False)
        self.assertTrue(os.read(reader, 1 << 20))
        log = b""

        def told():
            nonlocal log
            ask(1)
            try:
                log += os.read(reader, 1 << 20)
            except BlockingIOError:
                pass
            return b"lines of the log were dropped" in log
        self.wait_for(told, "the dropped lines are reported")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)
        os.close(reader)

    def test_too_few_descriptors(self):
        """Connections beyond the limit wait; nothing spins."""
        soft = (64 if PLAIN else 128,) * 2
        path = self.path("s")
        with open(self.path("log"), "wb") as log:
            process = start("--host", "unix:" + path, stderr=log,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, soft))
        self.wait_for(lambda: os.path.exists(path), "it listens")
        time.sleep(1)
        clients = []
        for _ in range(2 * soft[0]):
            clients.append(socket.socket(socket.AF_UNIX))
            clients[-1].connect(path)
        time.sleep(0.5)
        before = cpu_seconds(process.pid)
        time.sleep(2)
        self.assertLess(cpu_seconds(process.pid) - before, 0.5)
        for client in clients:
            client.close()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)
        with open(self.path("log"), encoding="utf-8") as log:
            self.assertIn("the limit of open files", log.read())

    def test_dual_stack(self):
        tacod = Daemon("--host", "::")
        for address in ("127.0.0.1", "::1") if socket.has_ipv6 else ("127.0.0.1",):
            try:
                s = socket.create_connection((address, tacod.port), timeout=PATIENCE)
            except OSError:
                self.assertEqual(address, "::1")  # no IPv6 here
                continue
            with s:
                s.sendall(b"GET /v1/voices HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                self.assertTrue(s.recv(100).startswith(b"HTTP/1.1 200"), address)
        tacod.stop()

    @unittest.skipUnless(platform.machine() in ("x86_64", "aarch64"), "knows no number of socket()")
    def test_a_missing_family(self):
        for hosts, said in [((("::",)), "listening on 0.0.0.0 only"), (("::1", "127.0.0.1"), "it is passed over"),
                            (("0.0.0.0", "::"), "it is passed over")]:
            with open(self.path("log"), "wb") as log:
                process = start(*[x for host in hosts for x in ("--host", host)], stderr=log,
                                preexec_fn=refuse_family(socket.AF_INET6))

            def output():
                with open(self.path("log"), encoding="utf-8") as log:
                    return log.read()
            self.wait_for(lambda: "listening on http://" in output() or process.poll() is not None, hosts)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 0, output())
            self.assertIn(said, output())
        process = start("--host", "::1", stderr=subprocess.PIPE, preexec_fn=refuse_family(socket.AF_INET6))
        self.assertIn(b"no address of the kind of '::1'", process.communicate(timeout=PATIENCE)[1])
        self.assertEqual(process.returncode, 1)


if __name__ == "__main__":
    unittest.main()
