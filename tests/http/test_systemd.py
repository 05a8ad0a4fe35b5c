"""A service manager: sockets that it hands over, states that it is told, the watchdog."""

import http.client
import os
import signal
import socket
import subprocess
import tempfile
import unittest

from daemon import PATIENCE, TACOD


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


class Manager(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.states = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.states.bind(self.folder + "/notify")
        self.states.settimeout(PATIENCE)
        self.addCleanup(self.states.close)

    def start(self, *sockets, env=None, code=None):
        """tacod with the sockets as descriptors 3 and on."""
        def hand_over():
            kept = [os.dup(s.fileno()) for s in sockets]
            for i, fd in enumerate(kept):
                os.dup2(fd, 100 + i)
            for i in range(len(kept)):
                os.dup2(100 + i, 3 + i, inheritable=True)

        script = 'export LISTEN_PID=$$; exec "$0" serve --threads 1 --port 0'
        process = subprocess.Popen(
            ["/bin/sh", "-c", script, TACOD], preexec_fn=hand_over, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, "NOTIFY_SOCKET": self.folder + "/notify",
                 **({"LISTEN_FDS": str(len(sockets))} if sockets else {}), **(env or {})})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        if code is not None:
            self.assertEqual(process.wait(PATIENCE), code)
        return process

    def wait_for_state(self, wanted):
        """The states that came until then."""
        states = []
        while True:
            states += self.states.recv(4096).decode().splitlines()
            if wanted in states:
                return states

    def tcp(self):
        listening = socket.socket()
        self.addCleanup(listening.close)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        return listening

    def ask(self, connection):
        connection.request("GET", "/readyz")
        status = connection.getresponse().status
        connection.close()
        return status

    def test_sockets_are_taken(self):
        tcp, unix = self.tcp(), socket.socket(socket.AF_UNIX)
        self.addCleanup(unix.close)
        unix.bind(self.folder + "/tacod.sock")
        unix.listen()
        process = self.start(tcp, unix)
        self.wait_for_state("READY=1")
        self.assertEqual(self.ask(http.client.HTTPConnection("127.0.0.1", tcp.getsockname()[1],
                                                             timeout=PATIENCE)), 200)
        self.assertEqual(self.ask(Unix(self.folder + "/tacod.sock")), 200)
        process.send_signal(signal.SIGTERM)
        self.wait_for_state("STOPPING=1")
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertTrue(os.path.exists(self.folder + "/tacod.sock"), "the file is the manager's")

    def test_a_client_that_came_before_the_daemon(self):
        """Socket activation: the first client waits in the socket's queue."""
        tcp = self.tcp()
        early = socket.create_connection(tcp.getsockname(), timeout=PATIENCE)
        self.addCleanup(early.close)
        early.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.start(tcp)
        self.assertTrue(early.recv(4096).startswith(b"HTTP/1.1 200"))

    def test_a_socket_of_the_wrong_kind(self):
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(datagrams.close)
        datagrams.bind(("127.0.0.1", 0))
        process = self.start(datagrams, code=2)
        self.assertIn(b"descriptor 3 of the service manager is no listening stream socket",
                      process.stderr.read())

    def test_reload(self):
        process = self.start()
        self.wait_for_state("READY=1")
        process.send_signal(signal.SIGHUP)
        states = self.wait_for_state("READY=1")
        self.assertIn("RELOADING=1", states)
        self.assertTrue(any(s.startswith("MONOTONIC_USEC=") for s in states))

    def test_watchdog(self):
        self.start(env={"WATCHDOG_USEC": "200000"})
        self.wait_for_state("READY=1")
        for _ in range(3):
            self.wait_for_state("WATCHDOG=1")

    def test_the_sockets_are_not_taken_by_another_process(self):
        """LISTEN_PID of someone else: the descriptors are not ours."""
        process = subprocess.Popen([TACOD, "serve", "--threads", "1", "--port", "0"],
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   env={**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": "1"})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertIn(b"tacod ", process.stderr.readline())
        self.assertIn(b"listening on http://127.0.0.1:", process.stderr.readline())
