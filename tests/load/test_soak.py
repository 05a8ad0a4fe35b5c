"""Requests of all kinds, one after the other and side by side, for long: every answer is right, and memory, threads
and descriptors stay what they were after the warm-up."""

import collections
import os
import random
import threading
import time
import unittest

from daemon import Daemon
from mix import Client, answers, mixed, wait_until, wait_until_quiet

N = int(os.environ.get("SOAK", "300"))
N_CLIENTS = 8
N_DIFFERENT = 120
# What is kept is bounded, and full long before the warm-up ends.
OPTIONS = ("--cache-bytes", "2M")
WARM_UP = max(N // 3, 150)
# Growth that is allowed from then on: what the allocator's arenas have not met yet. A leak of the smallest answer
# (16 KB of sound) in one request of ten is more after 10,000.
MOST_GROWTH = 1.05
MOST_MORE_BYTES = 8 << 20


def process(tacod):
    """(resident bytes, threads, descriptors)."""
    folder = f"/proc/{tacod.process.pid}"
    with open(folder + "/status", encoding="ascii") as file:
        status = dict(line.split(":", 1) for line in file)
    return int(status["VmRSS"].split()[0]) << 10, int(status["Threads"]), len(os.listdir(folder + "/fd"))


class Soak(unittest.TestCase):
    def run_some(self, tacod, n, seed):
        """n requests by N_CLIENTS connections, which are closed and opened again now and then."""
        left = iter(range(n))
        lock = threading.Lock()
        wrong = []

        def run(number):
            draw = random.Random(seed * 100 + number)
            client = Client(tacod)
            while True:
                with lock:
                    if next(left, None) is None or wrong:
                        break
                i = draw.randrange(len(self.requests))
                try:
                    if client.ask(self.requests[i]) != self.expected[i]:
                        wrong.append(f"{self.requests[i]}: another answer than before")
                except Exception as problem:
                    wrong.append(f"{self.requests[i]}: {problem!r}")
                if draw.random() < 0.1:
                    client.close()
                    client = Client(tacod)
            client.close()
        threads = [threading.Thread(target=run, args=(number,)) for number in range(N_CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertFalse(wrong, wrong[:3])
        wait_until_quiet(tacod)

    def test_soak(self):
        self.requests = mixed(N_DIFFERENT, seed=5)
        self.expected = answers(self.requests)
        counts = collections.Counter(answer[0] for answer in self.expected)
        self.assertGreater(counts[200], N_DIFFERENT * 0.85)
        tacod = Daemon(*OPTIONS)
        start = time.monotonic()
        self.run_some(tacod, WARM_UP, 1)
        before = process(tacod)
        steps = [before[0]]
        for part in range(4):
            self.run_some(tacod, max(N - WARM_UP, 0) // 4, part + 2)
            steps.append(process(tacod)[0])
        seconds = time.monotonic() - start
        print(f"\n{N} requests in {seconds:.0f} s; resident after the warm-up and each quarter of the rest, MiB: " +
              ", ".join(f"{size / (1 << 20):.1f}" for size in steps), flush=True)
        # The connection that asked last may have been counted before.
        wait_until(lambda: all(a >= b for a, b in zip(before[1:], process(tacod)[1:])),
                   f"threads and descriptors were {before[1:]}")
        after = process(tacod)
        self.assertLessEqual(after[0], max(before[0] * MOST_GROWTH, before[0] + MOST_MORE_BYTES))
        tacod.end_well()


if __name__ == "__main__":
    unittest.main()
