"""tacod text: how a text is read."""

import json
import unittest

from command import CommandCase


class Text(CommandCase):
    def read(self, *arguments, **options):
        return self.run_tacod("text", *arguments, **options).stdout.decode()

    def test_table(self):
        lines = self.read("Dr. Smith paid $5.30. \U0001F600 Bye").splitlines()
        self.assertEqual(lines[0], "1. Dr. Smith paid $5.30.")
        rows = {row[0]: row[1:] for line in lines if line.startswith("  ") and (row := line.split())}
        self.assertEqual(rows["Dr."][:2], ["abbreviation", "doctor"])
        self.assertEqual(rows["$5.30"][:5], ["money", "five", "dollars", "thirty", "cents"])
        self.assertEqual(rows["Bye"], ["word", "bye", "B", "AY1"])
        self.assertIn("  (silence of 0.2 s)", lines)
        self.assertIn("byte 22: dropped_characters '\U0001F600'", lines)

    def test_json_is_what_the_server_returns(self):
        reading = json.loads(self.read("--json", "--sentence-pause", "1", "Hi. $5."))
        self.assertEqual([word["rule"] for word in reading["words"]], ["word", "money"])
        self.assertEqual([chunk["pause"] for chunk in reading["chunks"]], [1, 0])
        self.assertEqual(sorted(reading), ["chunks", "input", "lead", "marks", "notes", "voice", "words"])

    def test_options(self):
        self.assertIn("fifty three", self.read("53"))
        self.assertNotIn("doctor", self.read("--no-normalise", "Dr. Who"))
        self.assertEqual(self.read("--input", "auto", "**Hi** you").splitlines()[1].split()[:3], ["Hi", "word", "hi"])
        self.assertEqual(self.read("--allow-silence", "..."), "(silence of 0.2 s)\n")
        self.write("words.txt", b"tacod T AA1 K OW0\n")
        self.assertIn("T AA1 K OW0", self.read("--lexicon", "words.txt", "tacod"))

    def test_where_the_text_comes_from(self):
        self.write("text.txt", b"from a file")
        self.assertIn("1. from a file", self.read("-f", "text.txt"))
        self.assertIn("1. from a pipe", self.read("-", stdin=b"from a pipe"))
        self.assertIn("what to read?", self.fails(2, "text"))

    def test_controls_do_not_reach_the_terminal(self):
        shown = self.read("a\x1b[31mb \u009bc", "--allow-silence")
        self.assertNotRegex(shown, "[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]")

    def test_errors(self):
        self.assertIn("no word", self.fails(3, "text", "..."))
        self.assertIn("--speed", self.fails(2, "text", "--speed", "2", "Hi."))
        self.assertIn("SSML", self.fails(2, "text", "--input", "ssml", "<speak>"))


if __name__ == "__main__":
    unittest.main()
