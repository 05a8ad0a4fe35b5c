"""ETag, If-None-Match, If-Range and Range on complete answers."""

import unittest

from daemon import DaemonCase

TEXT = "/v1/speech?text=Hello,%20world."


class Ranges(DaemonCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.speech = cls.tacod.speak("Hello, world.", seed=7)
        cls.kept = "/v1/speech/" + cls.speech["X-Taco-Id"]
        cls.paths = [cls.kept, cls.kept + "?format=flac", cls.kept + "?format=opus", cls.kept + "/alignment",
                     cls.kept + "/alignment.svg", cls.kept + "/mel.npy", TEXT + "&seed=7",
                     TEXT + "&seed=7&format=mp3"]

    def part(self, path, text, **headers):
        return self.tacod.get(path, Range=text, **headers)

    def test_tags_name_bytes(self):
        for path in self.paths:
            with self.subTest(path=path):
                whole, again = self.tacod.get(path), self.tacod.get(path)
                self.assertEqual(whole.status, 200)
                self.assertRegex(whole["ETag"], r'^"[\x21\x23-\x7e]+"$')
                self.assertEqual((again["ETag"], again.body), (whole["ETag"], whole.body))
                self.assertEqual(whole["Accept-Ranges"], "bytes")
                self.assertNotIn("no-store", whole["Cache-Control"])
        tags = {self.tacod.get(path)["ETag"] for path in self.paths}
        self.assertEqual(len(tags), len(self.paths) - 1)  # two are the same WAV
        self.assertEqual(self.tacod.get(self.kept)["ETag"], self.speech["ETag"])
        other = self.tacod.speak("Hello, world.", seed=8)
        self.assertNotEqual(other["ETag"], self.speech["ETag"])

    def test_not_modified(self):
        for path in self.paths:
            with self.subTest(path=path):
                tag = self.tacod.get(path)["ETag"]
                for known in (tag, "W/" + tag, f'"a", {tag}', f'"a,b" ,W/{tag}, "c"', "*"):
                    answer = self.tacod.get(path, If_None_Match=known)
                    self.assertEqual((answer.status, answer.body), (304, b""), known)
                    self.assertEqual(answer["ETag"], tag)
                    self.assertIsNone(answer["Content-Type"])
                for known in ('"other"', tag[1:-1], tag[:-1], ""):
                    self.assertEqual(self.tacod.get(path, If_None_Match=known).status, 200, known)
                head = self.tacod.request("HEAD", path, headers={"If-None-Match": tag})
                self.assertEqual(head.status, 304)

    def test_a_player_without_a_seed(self):
        """Safari asks an <audio> element's address for bytes 0-1, and then for the rest in pieces."""
        for path in (TEXT, "/v1/speech?text=Hello,%20Safari.&format=mp3", "/api/tts?text=Hello,%20Safari."):
            with self.subTest(path=path):
                first = self.part(path, "bytes=0-1")
                self.assertEqual(first.status, 206, first.body[:300])
                size = int(first["Content-Range"].split("/")[1])
                body = b"".join(self.part(path, f"bytes={i}-{i + 9999}").body for i in range(0, size, 10000))
                self.assertEqual(len(body), size)
                self.assertEqual(body[:2], first.body)
                again = self.part(path, "bytes=0-")
                self.assertEqual((again.status, again.body, again["X-Cache"]), (206, body, "hit"))
                self.assertEqual(again["ETag"], first["ETag"])
                seeded = self.tacod.get(path + "&seed=" + first["X-Taco-Seed"])
                self.assertEqual(seeded.body, body)
        # Without a range each request is spoken anew.
        seeds = {self.tacod.get(TEXT)["X-Taco-Seed"] for _ in range(4)}
        self.assertEqual(len(seeds), 4)

    def test_ranges(self):
        for path in self.paths:
            whole = self.tacod.get(path)
            n = len(whole.body)
            for text, first, last in (("bytes=0-0", 0, 0), ("bytes=0-9", 0, 9), ("bytes=10-19", 10, 19),
                                      ("bytes=5-", 5, n - 1), (f"bytes={n - 1}-", n - 1, n - 1),
                                      (f"bytes=0-{n - 1}", 0, n - 1), (f"bytes=0-{n}", 0, n - 1),
                                      ("bytes=0-99999999999999999999999", 0, n - 1),
                                      ("bytes=-1", n - 1, n - 1), ("bytes=-10", n - 10, n - 1),
                                      ("bytes=-99999999999999999999999", 0, n - 1),
                                      ("BYTES=0-9", 0, 9), ("bytes= 0-9 ", 0, 9)):
                with self.subTest(path=path, range=text):
                    answer = self.part(path, text)
                    self.assertEqual(answer.status, 206)
                    self.assertEqual(answer["Content-Range"], f"bytes {first}-{last}/{n}")
                    self.assertEqual(int(answer["Content-Length"]), last - first + 1)
                    self.assertEqual(answer.body, whole.body[first:last + 1])
                    self.assertEqual(answer["Content-Type"], whole["Content-Type"])
                    self.assertEqual(answer["ETag"], whole["ETag"])

    def test_outside(self):
        for path in self.paths:
            n = len(self.tacod.get(path).body)
            for text in (f"bytes={n}-", f"bytes={n}-{n}", "bytes=-0", "bytes=99999999999999999999999-"):
                with self.subTest(path=path, range=text):
                    answer = self.part(path, text)
                    self.assert_error(answer, 416, "range_not_satisfiable", "Range")
                    self.assertEqual(answer["Content-Range"], f"bytes */{n}")

    def test_what_is_no_range_is_all(self):
        for path in self.paths:
            whole = self.tacod.get(path).body
            for text in ("", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=9-5", "bytes=1", "bytes=1-2x",
                         "bytes=0-1,3-4", "bytes=0-1, 3-4", "bytes=--1", "lines=0-1", "0-1", "bytes=+0-1"):
                with self.subTest(path=path, range=text):
                    answer = self.part(path, text)
                    self.assertEqual((answer.status, answer.body), (200, whole))
                    self.assertIsNone(answer["Content-Range"])

    def test_if_range(self):
        for path in self.paths:
            with self.subTest(path=path):
                whole = self.tacod.get(path)
                tag = whole["ETag"]
                self.assertEqual(self.part(path, "bytes=0-9", If_Range=tag).status, 206)
                for other in ('"other"', "W/" + tag, "Wed, 21 Oct 2026 07:28:00 GMT"):
                    answer = self.part(path, "bytes=0-9", If_Range=other)
                    self.assertEqual((answer.status, answer.body), (200, whole.body))
                self.assertEqual(self.part(path, "bytes=0-9", If_None_Match=tag).status, 304)

    def test_head(self):
        """HEAD has the headers of the whole, and no ranges (RFC 9110, 14.2)."""
        for path in self.paths:
            with self.subTest(path=path):
                whole = self.tacod.get(path)
                head = self.tacod.request("HEAD", path, headers={"Range": "bytes=0-9"})
                self.assertEqual((head.status, head.body), (200, b""))
                for name in ("Content-Length", "Content-Type", "ETag", "Accept-Ranges"):
                    self.assertEqual(head[name], whole[name])

    def test_what_is_not_repeatable_has_no_parts(self):
        """Also for a client that resumes a download: it would get the end of other audio."""
        path = "/v1/speech?text=A%20download,%20resumed."
        for answer in (self.tacod.get(path), self.part(path, "bytes=1000-"), self.part(path, "bytes=-10")):
            self.assertEqual(answer.status, 200)
            answer.wav()
            self.assertIsNone(answer["Accept-Ranges"])
            self.assertEqual(answer["Cache-Control"], "no-store")

    def test_post_has_no_conditions(self):
        answer = self.tacod.post("Hello, world.", path="/v1/speech?seed=7", Range="bytes=0-9",
                                 If_None_Match=self.speech["ETag"])
        self.assertEqual((answer.status, answer.body), (200, self.speech.body))
        self.assertEqual(answer["ETag"], self.speech["ETag"])

    def test_json_and_multipart(self):
        for accept in ("application/json", "multipart/mixed"):
            whole = self.tacod.get(self.kept, Accept=accept)
            answer = self.part(self.kept, "bytes=20-39", Accept=accept, If_Range=whole["ETag"])
            self.assertEqual((answer.status, answer.body), (206, whole.body[20:40]))
            self.assertIn("Accept", answer["Vary"])

    def test_dialects(self):
        whole = self.tacod.get("/api/tts?text=Hello.&seed=7")
        answer = self.part("/api/tts?text=Hello.&seed=7", "bytes=-4")
        self.assertEqual((answer.status, answer.body), (206, whole.body[-4:]))

    def test_a_download_is_resumed(self):
        """As curl -C - and browsers do it, from the tag of the POST."""
        first = self.speech.body[:1000]
        rest = self.part(self.kept, "bytes=1000-", If_Range=self.speech["ETag"])
        self.assertEqual(rest.status, 206)
        self.assertEqual(first + rest.body, self.speech.body)


if __name__ == "__main__":
    unittest.main()
