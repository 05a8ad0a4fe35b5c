"""64 requests at once are answered byte for byte as one after the other."""

import threading
import unittest

from daemon import Daemon
from mix import answers, ask, mixed, wait_until_quiet

N = 64


class Together(unittest.TestCase):
    def test_64_at_once(self):
        requests = mixed(N, seed=1)
        expected = answers(requests)
        self.assertGreater(sum(answer[0] == 200 for answer in expected), 50)
        self.assertGreater(len({str(answer) for answer in expected}), 55)
        tacod = Daemon()
        got = [None] * N
        gate = threading.Barrier(N)

        def run(i):
            gate.wait()
            got[i] = ask(tacod, requests[i])
        threads = [threading.Thread(target=run, args=(i,)) for i in range(N)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for request, answer, wanted in zip(requests, got, expected):
            self.assertEqual(answer[:3], wanted[:3], request)
            self.assertTrue(answer[3] == wanted[3], request)
        wait_until_quiet(tacod)
        tacod.end_well()


if __name__ == "__main__":
    unittest.main()
