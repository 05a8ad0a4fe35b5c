"""stream=sse: server-sent events with audio and with times as they become known."""

import base64
import http.client
import json
import unittest

from daemon import DaemonCase, PATIENCE

TEXT = "Hello, world. It costs $25.50.\n\nThe birch canoe slid on the smooth planks."


def parse(body):
    """[(name, data)] of a text/event-stream."""
    events = []
    *pieces, rest = body.decode().split("\n\n")
    assert rest == "", rest
    for piece in pieces:
        name, data = piece.split("\n")
        assert name.startswith("event: ") and data.startswith("data: "), piece[:80]
        events.append((name[7:], json.loads(data[6:])))
    return events


class Events(DaemonCase):
    def events(self, text=TEXT, **fields):
        answer = self.tacod.speak(text, stream="sse", **fields)
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer["Content-Type"], "text/event-stream")
        self.assertEqual(answer["Transfer-Encoding"], "chunked")
        return answer, parse(answer.body)

    def test_order(self):
        answer, events = self.events(seed=7)
        names = [name for name, _ in events]
        self.assertEqual(names[0], "start")
        self.assertEqual(names[1], "audio")
        self.assertEqual(names[-1], "done")
        self.assertEqual(names.count("timing"), 3)
        self.assertEqual(set(names), {"start", "audio", "timing", "done"})
        start = events[0][1]
        self.assertEqual(start["id"], answer["X-Taco-Id"])
        self.assertEqual((start["seed"], start["voice"]), (7, "heart"))
        self.assertEqual(start["audio"], {"type": "audio/wav", "format": "wav",
                                          "sample_rate": 22050})

    def test_audio_is_that_of_the_stream(self):
        for fields in ({"format": "pcm"}, {"format": "wav"}, {"format": "flac"},
                       {"format": "mp3"}):
            _, events = self.events(seed=7, **fields)
            audio = b"".join(base64.b64decode(data["data"], validate=True)
                             for name, data in events if name == "audio")
            self.assertEqual(audio, self.tacod.speak(TEXT, seed=7, stream=True, **fields).body)

    def test_times_are_those_of_the_result(self):
        for fields in ({"seed": 7}, {"seed": 8, "speed": 1.5}):
            _, events = self.events(**fields)
            done = events[-1][1]
            told = [data for name, data in events if name == "timing"]
            self.assertEqual([t["chunk"] for t in told], [0, 1, 2])
            for key, wanted in (("words", done["words"]), ("spoken_words", done["spoken_words"]),
                                ("symbols", done["symbols"])):
                got = [item for t in told for item in t[key]]
                self.assertEqual(got, wanted)
            for t, chunk in zip(told, done["chunks"]):
                self.assertAlmostEqual(t["start"], chunk["start"], places=5)
                self.assertAlmostEqual(t["end"], chunk["end"], places=5)
                self.assertEqual(t["bytes"], chunk["bytes"])
                self.assertEqual(t["stop_reason"], chunk["stop_reason"])

    def test_accept(self):
        answer = self.tacod.speak(TEXT, accept="text/event-stream")
        self.assertEqual(parse(answer.body)[-1][0], "done")
        kept = self.tacod.get("/v1/speech/" + answer["X-Taco-Id"], Accept="text/event-stream")
        self.assert_error(kept, 406, "not_acceptable", "Accept")
        by_query = self.tacod.get("/v1/speech?text=Hi.&stream=sse")
        self.assertEqual(parse(by_query.body)[0][0], "start")

    def test_times_come_before_the_end(self):
        connection = http.client.HTTPConnection(self.tacod.host, self.tacod.port,
                                                timeout=PATIENCE)
        connection.request("GET", "/v1/speech?stream=sse&text=" + "Hello%20world.%20" * 30)
        response = connection.getresponse()
        seen = b""
        while b"event: timing" not in seen:
            seen += response.read1(65536)
        name = response.headers["X-Taco-Id"]
        self.assert_error(self.tacod.get("/v1/speech/" + name), 409, "not_ready")
        response.read()
        connection.close()

    def test_errors(self):
        self.assert_error(self.tacod.speak("...", stream="sse"), 400, "nothing_to_speak")
        self.assert_error(self.tacod.speak("Hi.", stream="ess"), 400, "wrong_type", "stream")
        self.assert_error(self.tacod.speak("Hi.", stream="sse", matrix="x"), 400,
                          "invalid_argument", "matrix")

    def test_failure_in_the_middle_is_an_event(self):
        answer = self.tacod.speak("The birch canoe slid on the smooth planks. " * 200,
                                  stream="sse", format="pcm", timeout=1)
        if answer.status == 504:
            self.skipTest("too slow for a first sound within the time")
        name, data = parse(answer.body)[-1]
        if name == "done":
            self.skipTest("too fast")
        self.assertEqual((name, data["code"]), ("error", "timeout"))


if __name__ == "__main__":
    unittest.main()
