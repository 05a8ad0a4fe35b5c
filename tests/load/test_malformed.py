"""1,000 malformed requests, while somebody else asks sensibly: none kills the daemon, none is a defect of it, none
changes the other's answers, and nothing is left of them."""

import collections
import json
import os
import select
import socket
import threading
import time
import unittest

from daemon import Daemon, PATIENCE
from malformed import malformed
from mix import Witness, answers, mixed, wait_until_quiet

N = int(os.environ.get("MALFORMED", "1000"))
SEED = int(os.environ.get("SEED", "1"))
N_SENDERS = 16
# How long an answer may let itself be waited for before the sender says that nothing more comes from it.
QUIET = 0.5


def body_of(data):
    """The body of the first answer, the next one may stand behind it."""
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return body[:int(value)]
    return body


def is_whole(data):
    """Whether data begins with an answer that is complete."""
    head, end, body = data.partition(b"\r\n\r\n")
    if not end:
        return False
    if head.startswith(b"HTTP/1.1 100"):
        return is_whole(body)
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return len(body) >= int(value)
    return head.split()[1] == b"204" or body.endswith(b"\r\n0\r\n\r\n")


def send(tacod, data):
    """What comes back; b"" if the connection is closed without a word."""
    s = socket.create_connection((tacod.host, tacod.port), timeout=PATIENCE)
    answer = b""
    try:
        s.sendall(data)
        patience = QUIET
        while not is_whole(answer):
            if not select.select([s], [], [], patience)[0]:
                if patience == PATIENCE:
                    raise AssertionError("the connection stays open")
                s.shutdown(socket.SHUT_WR)
                patience = PATIENCE
                continue
            got = s.recv(65536)
            if not got:
                break
            answer += got
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        s.close()
    return answer


class Malformed(unittest.TestCase):
    def judge(self, data, answer):
        """The status; whatever the request was, its answer is a right one."""
        if not answer:
            return "closed"
        while answer.startswith(b"HTTP/1.1 100"):
            answer = answer.partition(b"\r\n\r\n")[2]
            if not answer:
                return "closed"
        self.assertRegex(answer, rb"^HTTP/1\.[01] \d{3} ", data)
        status = int(answer[9:12])
        head, body = answer.partition(b"\r\n\r\n")[0], body_of(answer)
        self.assertNotEqual(status, 500, f"{data}\n{answer}")
        if status >= 400 and b"Content-Type: application/json" in head and is_whole(answer) and body:
            error = json.loads(body)
            self.assertTrue("error" in error or "detail" in error or "status" in error, body)
        return status

    def test_malformed(self):
        requests = malformed(N, SEED)
        known = [r for r in mixed(12, seed=4) if r.kind in ("query", "both", "stream", "elevenlabs")]
        expected = answers(known)
        tacod = Daemon("--timeout", "60", "--max-text", "300", env={"TACOD_TEST_HALF_CLOSE": "1"})
        statuses = collections.Counter()
        problems = []
        turn = iter(requests)
        lock = threading.Lock()

        def run():
            while True:
                with lock:
                    data = next(turn, None)
                if data is None:
                    return
                try:
                    status = self.judge(data, send(tacod, data))
                    with lock:
                        statuses[status] += 1
                except Exception as problem:
                    problems.append(f"{problem!r}\n{data[:2000]}")
        with Witness(tacod, known, expected) as witness:
            threads = [threading.Thread(target=run) for _ in range(N_SENDERS)]
            start = time.monotonic()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.monotonic() - start
        print(f"\n{N} requests in {seconds:.1f} s, {witness.n} others right; answers:",
              ", ".join(f"{status} {n}" for status, n in sorted(statuses.items(), key=str)))
        self.assertFalse(problems, "\n".join(problems[:3]))
        self.assertEqual(sum(statuses.values()), N)
        self.assertGreater(sum(n for status, n in statuses.items() if str(status)[0] == "4"), N / 3)
        self.assertEqual(tacod.get("/healthz").status, 200)
        wait_until_quiet(tacod)
        tacod.end_well()


if __name__ == "__main__":
    unittest.main()
