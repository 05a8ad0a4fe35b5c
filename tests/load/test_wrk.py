"""wrk keeps the daemon busy; every answer is speech, and /healthz does not wait for it."""

import json
import os
import re
import shutil
import subprocess
import time
import unittest

from daemon import Daemon, PATIENCE
from mix import Client, Request, wait_until_quiet

SECONDS = int(os.environ.get("WRK", "4"))
# Under a sanitizer, on a machine that has other things to do, too; a server that waits for speech takes longer.
MOST_SECONDS_OF_HEALTH = 30


class Wrk(unittest.TestCase):
    @unittest.skipUnless(shutil.which("wrk"), "wrk is not installed")
    def test_speech_and_health(self):
        tacod = Daemon()
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "speech.lua")
        wrk = subprocess.Popen(["wrk", "-t", "2", "-c", "32", "-d", f"{SECONDS}s", "--timeout", f"{PATIENCE}s",
                                "-s", script, f"http://{tacod.host}:{tacod.port}"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        client, health = Client(tacod), []
        while wrk.poll() is None:
            start = time.monotonic()
            self.assertEqual(client.ask(Request("health", "GET", "/healthz"))[0], 200)
            health.append(time.monotonic() - start)
            time.sleep(0.02)
        client.close()
        output = wrk.stdout.read()
        wrk.stdout.close()
        found = re.search(r"RESULT (\{.*\})", output)
        self.assertTrue(found, output)
        result = json.loads(found[1])
        health.sort()
        print(f"\n{result['requests']} requests in {SECONDS} s, median {result['median_ms']} ms; /healthz meanwhile: "
              f"median {health[len(health) // 2] * 1e3:.2f} ms, longest {health[-1] * 1e3:.2f} ms of {len(health)}")
        self.assertGreater(result["requests"], 0, output)
        self.assertEqual((result["wrong"], result["errors"]), (0, 0), output)
        self.assertGreater(len(health), 3)
        self.assertLess(health[-1], MOST_SECONDS_OF_HEALTH)
        wait_until_quiet(tacod)
        tacod.end_well()


if __name__ == "__main__":
    unittest.main()
