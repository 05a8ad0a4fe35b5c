"""/v1/text: how a text is read, without speech."""

import json
import unittest

from daemon import DaemonCase

TEXT = "Dr. Smith paid $5.30 at 9pm \U0001F600 in caf\u00e9s."


class Text(DaemonCase):
    def read(self, text, **fields):
        return self.tacod.post(json.dumps({"text": text, **fields}), "application/json", "/v1/text")

    def test_words_rules_and_spans(self):
        answer = self.read(TEXT)
        self.assertEqual(answer.status, 200, answer.body)
        reading = answer.json()
        data = TEXT.encode()
        for kind in ("chunks", "words"):
            for item in reading[kind]:
                self.assertEqual(data[slice(*item["bytes"])].decode(), item["text"])
                self.assertEqual(TEXT[slice(*item["codepoints"])], item["text"])
        rules = {word["text"]: word["rule"] for word in reading["words"]}
        self.assertEqual(rules, {"Dr.": "abbreviation", "Smith": "word", "paid": "word", "$5.30": "money",
                                 "at": "word", "9pm": "time", "in": "word", "caf\u00e9s": "word"})
        money, = [word for word in reading["words"] if word["text"] == "$5.30"]
        self.assertEqual([spoken["text"] for spoken in money["spoken"]], ["five", "dollars", "thirty", "cents"])
        self.assertTrue(all(spoken["symbols"] for word in reading["words"] for spoken in word["spoken"]))
        self.assertEqual([note["kind"] for note in reading["notes"]], ["dropped_characters", "replaced_characters"])

    def test_is_what_is_spoken(self):
        reading = self.read(TEXT).json()
        name = self.tacod.speak(TEXT)["X-Taco-Id"]
        spoken = self.tacod.get(f"/v1/speech/{name}/alignment").json()
        self.assertEqual([word["text"] for word in spoken["words"]], [word["text"] for word in reading["words"]])
        self.assertEqual(sum(chunk["n_symbols"] for chunk in reading["chunks"]), len(spoken["symbols"]))

    def test_body_and_query(self):
        body = self.tacod.post(TEXT.encode(), path="/v1/text").json()
        self.assertEqual(body, self.read(TEXT).json())
        self.assertEqual(self.tacod.get("/v1/text?text=Hi.").json()["words"][0]["text"], "Hi")

    def test_lexicon(self):
        word = self.read("W3C", lexicon={"W3C": "world wide web consortium"}).json()["words"][0]
        self.assertEqual(word["rule"], "lexicon")
        self.assertEqual([spoken["text"] for spoken in word["spoken"]], ["world", "wide", "web", "consortium"])

    def test_normalise(self):
        def spoken(**fields):
            return [s["text"] for w in self.read("Dr. $5", **fields).json()["words"] for s in w["spoken"]]
        self.assertEqual(spoken(), ["doctor", "five", "dollars"])
        self.assertEqual(spoken(normalise=True), spoken())
        self.assertNotIn("doctor", spoken(normalise=False))
        self.assert_error(self.read("Hi.", normalise="off"), 400, "wrong_type", "normalise")

    def test_input(self):
        for text, kind in (("**Hi** you", "markdown"), ("<p>Hi you</p>", "html"),
                           ("<speak>Hi you</speak>", "ssml"), ("Hi you", "text")):
            reading = self.read(text, input="auto").json()
            self.assertEqual((reading["input"], [w["text"] for w in reading["words"]]), (kind, ["Hi", "you"]))
        self.assert_error(self.read("Hi.", input="xml"), 400, "invalid_argument", "input")
        answer = self.read("<speak>\n<b/></speak>", input="auto")
        self.assert_error(answer, 400, "unsupported", "text")
        self.assertEqual(answer.error["offset"], 8)

    def test_bad_input(self):
        self.assert_error(self.read("Hi.", speed=2), 400, "unknown_parameter", "speed")
        self.assert_error(self.read("Hi.", voice="nobody"), 400, "unknown_voice", "voice")
        self.assert_error(self.read(""), 400, "empty_text", "text")
        self.assert_error(self.read("..."), 400, "nothing_to_speak", "text")
        self.assert_error(self.read("a" * 20001), 413, "text_too_long", "text")
        self.assert_error(self.tacod.post("{}", "application/json", "/v1/text"), 400, "empty_text", "text")


if __name__ == "__main__":
    unittest.main()
