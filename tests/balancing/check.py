"""A repeated request finds the daemon that has it in its cache, and no request is lost when a
daemon is killed."""

import collections
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests/http"))
from daemon import PATIENCE, Daemon  # noqa: E402

CLIENTS, TEXTS = 6, 30


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), answer.read()
    finally:
        connection.close()


class Balancer:
    def __init__(self, folder, daemons):
        self.port = free_port()
        with open(os.path.join(ROOT, "docker/haproxy.cfg"), encoding="utf-8") as file:
            config = file.read().replace("bind :8080", f"bind 127.0.0.1:{self.port}")
        for i, daemon in enumerate(daemons, 1):
            config = config.replace(f" tacod{i}:8020", f" 127.0.0.1:{daemon.port}")
        path = os.path.join(folder, "haproxy.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config)
        self.log = open(os.path.join(folder, "log"), "wb")
        self.process = subprocess.Popen(["haproxy", "-db", "-f", path], stdout=self.log, stderr=self.log)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if ask(self.port, "GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            assert self.process.poll() is None and time.monotonic() < end, "haproxy does not start"
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


def path_of(i):
    return f"/v1/speech?seed={i % 5}&format={'wav' if i % 2 else 'flac'}"


def text_of(i):
    return f"Number {i}. The birch canoe slid on the smooth planks.".encode()


def rounds(port, n_rounds, lock, answers, errors, done):
    for _ in range(n_rounds):
        for i in range(TEXTS):
            try:
                status, headers, body = ask(port, "POST", path_of(i), text_of(i))
            except OSError as error:
                status, headers, body = str(error), {}, b""
            with lock:
                if status == 200:
                    answers[i].add(body)
                else:
                    errors.append((i, status, body[:200]))
                done[0] += 1


def speech_counts(daemons):
    return [int(float(line.split()[1])) for daemon in daemons
            for line in daemon.get("/metrics").body.decode().splitlines()
            if line.startswith("tacod_cache_misses_total ")]


def main():
    folder = tempfile.TemporaryDirectory()
    daemons = [Daemon("--threads", "1") for _ in range(3)]
    balancer = Balancer(folder.name, daemons)
    try:
        # Each request is made once and cached once, whoever asks.
        for again in range(2):
            for i in range(TEXTS):
                status, headers, _ = ask(balancer.port, "POST", path_of(i), text_of(i))
                assert status == 200, (i, status)
                expected = "hit" if again else "miss"
                assert headers.get("x-cache") == expected, (i, again, headers)
        misses = speech_counts(daemons)
        assert sum(misses) == TEXTS and min(misses) > 0, f"the requests are not spread: {misses}"
        # The result of a request is found on whichever daemon made it.
        _, headers, audio = ask(balancer.port, "POST", path_of(1), text_of(1))
        status, _, again = ask(balancer.port, "GET", "/v1/speech/" + headers["x-taco-id"] + "?format=wav")
        assert (status, again == audio) == (200, True), status

        lock, answers, errors, done = threading.Lock(), collections.defaultdict(set), [], [0]
        clients = [threading.Thread(target=rounds, args=(balancer.port, 4, lock, answers, errors, done))
                   for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        while done[0] < TEXTS:
            time.sleep(0.01)
        daemons[1].process.send_signal(signal.SIGKILL)
        daemons[1].process.wait()
        at = done[0]
        for client in clients:
            client.join()
        assert not errors, errors[:5]
        assert done[0] == CLIENTS * 4 * TEXTS and at < done[0]
        different = [i for i, bodies in answers.items() if len(bodies) != 1]
        assert len(answers) == TEXTS and not different, f"other bytes from another daemon: {different}"
        print(f"{done[0]} requests, a daemon killed after {at}: none lost, all bytes the same")
    finally:
        balancer.stop()
        for i in (0, 2):
            daemons[i].stop()
        folder.cleanup()


if __name__ == "__main__":
    main()
