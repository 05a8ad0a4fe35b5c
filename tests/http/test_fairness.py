"""Fair between clients: a huge text does not starve short ones."""

import concurrent.futures
import http.client
import json
import unittest

from daemon import Answer, DaemonCase, PATIENCE

HUGE = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. " * 30


class Fairness(DaemonCase):
    options = ("--rows", "4", "--cache-bytes", "0")  # nobody is served from the cache

    def speak_from(self, address, text):
        connection = http.client.HTTPConnection(self.tacod.host, self.tacod.port, timeout=PATIENCE,
                                                source_address=(address, 0))
        try:
            connection.request("POST", "/v1/speech", json.dumps({"text": text, "seed": 7}),
                               {"Content-Type": "application/json"})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def brief_beside_huge(self, address):
        alone = self.tacod.speak("Be quick.", seed=7).body
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            huge = pool.submit(self.speak_from, "127.0.0.1", HUGE)
            answered = 0
            for _ in range(3):
                # Nothing else tells that the huge one has begun; one of these comes behind it.
                answer = self.speak_from(address, "Be quick.")
                self.assertEqual((answer.status, answer.body), (200, alone))
                answered += not huge.done()
            self.assertEqual(answered, 3)
            huge = huge.result()
            self.assertEqual(huge.status, 200)
            # 60 sentences of more than a second.
            self.assertGreater(len(huge.wav()[3]), 60 * 22050 * 2)

    def test_another_client(self):
        self.brief_beside_huge("127.0.0.2")

    def test_the_same_client(self):
        self.brief_beside_huge("127.0.0.1")


if __name__ == "__main__":
    unittest.main()
