"""Marked-up text over HTTP: SSML's pauses, prosody, marks and errors, in whole and streamed answers."""

import json
import unittest
from urllib.parse import urlencode

from daemon import DaemonCase

TEXT = ('<speak><mark name="a"/>One two. <prosody rate="slow" volume="soft">Three four.</prosody>'
        '<mark name="b"/><break time="700ms"/>Five.<mark name="end"/></speak>')


class Markup(DaemonCase):
    def alignment(self, text, **fields):
        answer = self.tacod.speak(text, input="ssml", accept="application/json", **fields)
        self.assertEqual(answer.status, 200, answer.body[:300])
        return answer.json()["alignment"]

    def test_prosody_and_pauses(self):
        alignment = self.alignment(TEXT, seed=3)
        self.assertEqual([chunk["speed"] for chunk in alignment["chunks"]], [1, 0.75, 1])
        self.assertEqual([chunk["pause"] for chunk in alignment["chunks"]], [0.2, 0.7, 0])
        plain = self.alignment("<speak>One two. Three four. Five.</speak>", seed=3)
        for marked, chunk, factor in zip(alignment["chunks"], plain["chunks"], (1, 0.75, 1)):
            self.assertEqual(marked["n_frames"], chunk["n_frames"])
            self.assertAlmostEqual((marked["end"] - marked["start"]) * factor, chunk["end"] - chunk["start"], delta=0.02)
        fast = self.alignment(TEXT, seed=3, speed=2)
        self.assertEqual([chunk["speed"] for chunk in fast["chunks"]], [2, 1.5, 2])

    def test_marks(self):
        alignment = self.alignment(TEXT)
        words, marks = alignment["words"], {mark["name"]: mark for mark in alignment["marks"]}
        self.assertEqual([mark["name"] for mark in alignment["marks"]], ["a", "b", "end"])
        self.assertEqual(marks["a"]["time"], words[0]["start"])
        self.assertEqual(marks["b"]["time"], words[3]["end"])
        self.assertEqual(marks["end"]["time"], alignment["duration"])
        self.assertEqual([mark["word"] for mark in alignment["marks"]], [0, 4, None])
        for mark in alignment["marks"]:
            self.assertTrue(TEXT[mark["bytes"][0]:].startswith("<mark "))

    def test_stream(self):
        answer = self.tacod.speak(TEXT, input="ssml", stream="sse", seed=3)
        events = [(lines[0][7:], json.loads(lines[1][6:])) for lines in
                  (piece.split("\n") for piece in answer.body.decode().split("\n\n")[:-1])]
        done = events[-1][1]
        told = [data for name, data in events if name == "timing"]
        for key in ("words", "marks"):
            self.assertEqual([item for chunk in told for item in chunk[key]], done[key])
        # Where a word begins is heard in the samples, and a stream's differ: it makes fewer iterations.
        for streamed, whole in zip(done["marks"], self.alignment(TEXT, seed=3)["marks"], strict=True):
            self.assertAlmostEqual(streamed.pop("time"), whole.pop("time"), delta=0.02)
            self.assertEqual(streamed, whole)

    def test_notes(self):
        alignment = self.alignment('<speak>a <emphasis>b</emphasis> <prosody pitch="high">c</prosody></speak>')
        ignored = [note["text"] for note in alignment["notes"] if note["kind"] == "markup_ignored"]
        self.assertEqual(ignored, ["emphasis", "pitch"])

    def test_errors_tell_the_place(self):
        for text, code, offset, place in (
                ("<speak>a\n <audio src='x'/></speak>", "unsupported", 10, "line 2, column 2"),
                ("<speak><voice name='x'>a</voice></speak>", "unsupported", 7, "line 1, column 8"),
                ("<speak>a</p></speak>", "invalid_argument", 10, "line 1, column 11"),
                ("<!DOCTYPE speak [<!ENTITY a 'b'>]><speak>&a;</speak>", "unsupported", 16, "line 1"),
                ("<speak>" + "<emphasis>" * 40, "invalid_argument", 317, "nested"),
                ("<speak>&nbsp;</speak>", "invalid_argument", 7, "entity")):
            answer = self.tacod.speak(text, input="ssml")
            self.assert_error(answer, 400, code, "text")
            self.assertIn(place, answer.error["message"])
            self.assertEqual(answer.error["offset"], offset)

    def test_compatible_apis(self):
        query = urlencode({"text": "<speak>a<break time='1s'/>b</speak>", "ssml": "true"})
        self.assertEqual(self.tacod.get("/api/tts?" + query).status, 200)
        for kind, text in (("SSML", "<speak>a</speak>"),
                           ("RAWMARYXML", '<maryxml version="0.4" xml:lang="en-US"><p><s>a<boundary duration="300"/>'
                                          '<prosody rate="+10%">b</prosody></s></p></maryxml>')):
            answer = self.tacod.get("/process?" + urlencode({"INPUT_TEXT": text, "INPUT_TYPE": kind}))
            self.assertEqual(answer.status, 200, answer.body[:300])
        answer = self.tacod.get("/process?" + urlencode({"INPUT_TEXT": "<speak>", "INPUT_TYPE": "SSML"}))
        self.assertEqual(answer.status, 400)
        self.assertIn(b"line 1, column", answer.body)

    def test_costly_documents(self):
        # Each is refused, or is read within the limits of plain text.
        for text in ("<speak>" + "<mark name='a'/>" * 1000 + "a</speak>",
                     "<speak><say-as interpret-as='characters'>" + "?" * 19000 + "</say-as></speak>",
                     "<speak>" + "<p><s><prosody rate='fast'>" * 300,
                     "<" * 19000, "&" * 19000):
            answer = self.tacod.post(json.dumps({"text": text, "input": "ssml"}), "application/json", "/v1/text")
            self.assertIn(answer.status, (200, 400))


if __name__ == "__main__":
    unittest.main()
