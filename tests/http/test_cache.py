"""The cache: identical requests with a seed get the same bytes, and the second one no work."""

import concurrent.futures
import json
import os
import shutil
import signal
import socket
import tempfile
import time
import unittest
import urllib.parse

from daemon import Daemon, DaemonCase, PATIENCE

HERE = os.path.dirname(os.path.abspath(__file__))
SMALL = os.path.join(HERE, "../golden/voices/torchaudio_a_char.safetensors")
FORMATS = ("wav", "flac", "opus", "mp3", "pcm", "ulaw", "alaw", "aiff", "au")
TEXT = "Hello, world."


class Cache(DaemonCase):
    def steps(self):
        return self.tacod.get("/v1/status").json()["totals"]["decoder_steps"]

    def both(self, speak):
        """A miss and a hit; they differ in nothing but what tells them apart."""
        miss = speak()
        before = self.steps()
        hit = speak()
        self.assertEqual(self.steps(), before, "a hit must not decode")
        self.assertEqual((miss.status, miss["X-Cache"]), (200, "miss"))
        self.assertEqual((hit.status, hit["X-Cache"]), (200, "hit"))
        self.assertEqual(hit.body, miss.body)
        for name in ("Content-Type", "X-Taco-Id", "X-Taco-Seed", "Link", "ETag", "Content-Disposition",
                     "Cache-Control"):
            self.assertEqual(hit[name], miss[name], name)
        return hit

    def test_every_format_whole_and_streamed(self):
        seed = 100
        for stream in (False, True):
            for form in FORMATS:
                for more in ({}, {"sample_rate": 48000})[:1 + stream]:
                    seed += 1
                    with self.subTest(stream=stream, format=form, **more):
                        self.both(lambda: self.tacod.speak(TEXT, seed=seed, stream=stream, format=form, **more))

    def test_every_packaging(self):
        for i, accept in enumerate(("audio/wav", "application/json", "multipart/mixed")):
            with self.subTest(accept=accept):
                self.both(lambda: self.tacod.speak(TEXT, seed=200 + i, accept=accept, matrix="float16"))

    def test_another_form_of_the_same_speech(self):
        """One result serves all forms: the second request has never been seen, and is a hit."""
        wav = self.tacod.speak(TEXT, seed=301)
        forms = ({"format": "flac"}, {"sample_rate": 8000}, {"format": "mp3", "bit_rate": 64000}, {"timeout": 20})
        hits = []
        for fields in forms:
            hits.append(self.tacod.speak(TEXT, seed=301, **fields))
            self.assertEqual((hits[-1].status, hits[-1]["X-Cache"]), (200, "hit"), fields)
            self.assertEqual(hits[-1]["X-Taco-Id"], wav["X-Taco-Id"])
        both = self.tacod.speak(TEXT, seed=301, accept="application/json")
        self.assertEqual((both["X-Cache"], both.json()["id"]), ("hit", wav["X-Taco-Id"]))
        self.assertEqual(self.tacod.get("/v1/speech/" + wav["X-Taco-Id"]).body, wav.body)
        for fields, hit in zip(forms, hits):
            anew = self.tacod.post(json.dumps({"text": TEXT, "seed": 301, **fields}), "application/json",
                                   Cache_Control="no-cache")
            self.assertEqual(anew.body, hit.body, fields)

    def test_what_differs_is_made(self):
        base = {"text": TEXT, "seed": 400}
        self.assertEqual(self.tacod.speak(**base)["X-Cache"], "miss")
        seen = {self.tacod.speak(**base)["X-Taco-Id"]}
        for fields in ({"seed": 401}, {"text": TEXT + " "}, {"speed": 1.01}, {"volume": 0.5}, {"stream": True},
                       {"temperature": 1.1}, {"window_forward": 8}, {"window_back": 2, "window_forward": 8},
                       {"gate_threshold": 0.6}, {"max_frames": 300}, {"max_attempts": 2}, {"strict": True},
                       {"final_punctuation": False}, {"sentence_pause": 0.1}, {"paragraph_pause": 0.1}, {"lexicon": {"the": "D AH0"}}, {"input": "markdown"},
                       {"phase": "random"}, {"n_iter": 8}, {"momentum": 0.5}, {"power": 1.1}):
            answer = self.tacod.speak(**{**base, **fields})
            self.assertEqual((answer.status, answer["X-Cache"]), (200, "miss"), fields)
            self.assertNotIn(answer["X-Taco-Id"], seen)
            seen.add(answer["X-Taco-Id"])
        # Written in another way it is still the same.
        self.assertEqual(self.tacod.speak(**base, speed=1.0, volume=1, voice="heart")["X-Cache"], "hit")
        self.assertEqual(self.tacod.post(TEXT, path="/v1/speech?seed=400")["X-Cache"], "hit")

    def test_without_a_seed_each_is_its_own(self):
        first, second = (self.tacod.speak(TEXT) for _ in range(2))
        self.assertIsNone(first["X-Cache"])
        self.assertIsNone(second["X-Cache"])
        self.assertNotEqual(first.body, second.body)
        # But who asks for that very speech again gets it.
        again = self.tacod.speak(TEXT, seed=int(first["X-Taco-Seed"]))
        self.assertEqual((again["X-Cache"], again.body), ("hit", first.body))

    def test_no_cache(self):
        first = self.tacod.post(TEXT, path="/v1/speech?seed=500")
        for value in ("no-cache", "max-age=0, No-Cache", "no-store"):
            again = self.tacod.post(TEXT, path="/v1/speech?seed=500", Cache_Control=value)
            self.assertIsNone(again["X-Cache"])
            self.assertNotEqual(again["X-Taco-Id"], first["X-Taco-Id"])
            self.assertEqual(again.body, first.body)
        for value in ("max-age=0", "no-cached", "no-transform", ""):
            self.assertEqual(self.tacod.post(TEXT, path="/v1/speech?seed=500", Cache_Control=value)["X-Cache"], "hit")

    def test_events_are_made_anew(self):
        first, second = (self.tacod.speak(TEXT, seed=600, stream="sse") for _ in range(2))
        self.assertIsNone(second["X-Cache"])
        self.assertEqual(first.body.count(b"event: timing"), second.body.count(b"event: timing"))
        # The bare stream of the same speech is the same result.
        self.assertEqual(self.tacod.speak(TEXT, seed=600, stream=True)["X-Cache"], "hit")

    def test_errors_are_not_kept(self):
        for _ in range(2):
            answer = self.tacod.speak("...", seed=700)
            self.assert_error(answer, 400, "nothing_to_speak")
        for _ in range(2):
            self.assert_error(self.tacod.speak(TEXT * 100, seed=700, timeout=0.001), 504, "timeout")

    def test_dialects(self):
        body = json.dumps({"model": "tts-1", "input": TEXT, "voice": "alloy", "seed": 800})
        self.both(lambda: self.tacod.post(body, "application/json", "/v1/audio/speech"))
        body = json.dumps({"model": "tts-1", "input": TEXT, "voice": "alloy", "seed": 801,
                           "response_format": "flac"})
        self.both(lambda: self.tacod.post(body, "application/json", "/v1/audio/speech"))
        self.both(lambda: self.tacod.get("/api/tts?text=Hello%20there.&seed=802"))
        body = json.dumps({"text": TEXT, "seed": 803})
        self.both(lambda: self.tacod.post(body, "application/json", "/v1/text-to-speech/heart/with-timestamps"))
        self.both(lambda: self.tacod.post(body.replace("803", "804"), "application/json",
                                          "/v1/text-to-speech/heart/stream"))
        # Ours and theirs are one; theirs answer a text without a word with silence.
        self.assertEqual(self.tacod.speak("Hello there.", seed=802, allow_silence=True)["X-Cache"], "hit")

    def test_head_and_parts(self):
        path = "/v1/speech?text=Hello.&seed=900"
        whole = self.tacod.get(path)
        head = self.tacod.request("HEAD", path)
        self.assertEqual((head["X-Cache"], head["Content-Length"]), ("hit", str(len(whole.body))))
        part = self.tacod.get(path, Range="bytes=100-199")
        self.assertEqual((part.status, part["X-Cache"], part.body), (206, "hit", whole.body[100:200]))
        self.assertEqual(self.tacod.get(path, If_None_Match=whole["ETag"]).status, 304)

    def test_many_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda i: self.tacod.speak(TEXT, seed=1000 + i % 4, stream=i % 3 == 0), range(32)))
        bodies = {(a["X-Taco-Seed"], a["Content-Length"] is None, a.body) for a in answers}
        self.assertEqual(len(bodies), 8)

    def test_counted(self):
        def counts():
            text = self.tacod.get("/metrics").body.decode()
            return [int(line.split()[1]) for line in text.splitlines()
                    if line.startswith(("tacod_cache_hits_total ", "tacod_cache_misses_total "))]

        hits, misses = counts()
        for _ in range(3):
            answer = self.tacod.speak(TEXT, seed=1100)
        self.assertEqual(counts(), [hits + 2, misses + 1])
        self.tacod.wait_for_log(rf"id={answer['X-Taco-Id']} .*cache=miss")
        self.tacod.wait_for_log(rf"id={answer['X-Taco-Id']} .*cache=hit")


class Small(DaemonCase):
    options = ("--cache-bytes", "1M")

    def test_the_least_recently_used_goes(self):
        for seed in range(10):
            self.assertEqual(self.tacod.speak(TEXT, seed=seed)["X-Cache"], "miss")
            self.assertEqual(self.tacod.speak(TEXT, seed=seed)["X-Cache"], "hit")
        self.assertEqual(self.tacod.speak(TEXT, seed=0)["X-Cache"], "miss")
        self.assertLessEqual(self.tacod.get("/v1/status").json()["memory"]["kept_bytes"], 1 << 20)


class Unread(DaemonCase):
    """What answers hold while nobody reads them is bounded."""

    options = ("--response-bytes", "8M")
    text = "A\n\n" * 8
    # 80 seconds, nearly all of them silence: more than a socket holds, and soon made.
    ask = {"text": text, "max_frames": 1, "n_iter": 0, "paragraph_pause": 10, "seed": 7, "format": "pcm",
           "sample_rate": 48000}
    query = "max_frames=1&n_iter=0&paragraph_pause=10&format=pcm&sample_rate=48000&text=" + urllib.parse.quote(text)

    def slow_reader(self, path):
        """A connection that has the head of the answer and reads no more."""
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.settimeout(PATIENCE)
        s.connect((self.tacod.host, self.tacod.port))
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        self.addCleanup(s.close)
        return s, s.recv(200)

    def held(self):
        return self.tacod.get("/v1/status").json()["memory"]["response_bytes"]

    def wait_until_held(self, is_so):
        deadline = time.monotonic() + PATIENCE
        while not is_so(self.held()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_whole_answers(self):
        first = self.tacod.speak(**{**self.ask, "sample_rate": 16000})
        for path in (f"/v1/speech?seed=7&{self.query}",
                     f"/v1/speech/{first['X-Taco-Id']}?format=pcm&sample_rate=48000",
                     f"/v1/speech?{self.query}"):
            with self.subTest(path=path[:70]):
                self.wait_until_held(lambda held: held == 0)
                s, head = self.slow_reader(path)
                self.assertTrue(head.startswith(b"HTTP/1.1 200"), head)
                for refused in (self.tacod.speak(**{**self.ask, "sample_rate": 44100}),
                                self.tacod.speak(**{**self.ask, "seed": 8}),
                                self.tacod.get(f"/v1/speech/{first['X-Taco-Id']}?format=flac")):
                    self.assert_error(refused, 503, "busy")
                    self.assertEqual(refused["Retry-After"], "1")
                self.assertLessEqual(self.held(), 8 << 20)
                # What needs little, and what is there already, is served.
                self.assertEqual(self.tacod.get(f"/v1/speech/{first['X-Taco-Id']}").status, 200)
                self.assertEqual(self.tacod.speak("Hi.", seed=8).status, 200)
                s.close()
                self.wait_until_held(lambda held: held == 0)
                self.assertEqual(self.tacod.speak(**self.ask).status, 200)

    def test_kept_results_are_streamed_no_faster_than_they_are_read(self):
        self.tacod.speak(**self.ask, stream=True)
        path = f"/v1/speech?seed=7&stream=1&{self.query}"
        readers = [self.slow_reader(path)[0] for _ in range(8)]
        self.assertLess(self.held(), 8 << 20)
        for s in readers[1:]:
            s.close()
        whole = self.tacod.get(path)
        self.assertEqual((whole.status, whole["X-Cache"]), (200, "hit"))
        size = 0
        while piece := readers[0].recv(65536):
            size += len(piece)
        self.assertGreater(size, len(whole.body))

    def test_an_answer_too_large_for_ever(self):
        answer = self.tacod.speak(**{**self.ask, "text": self.text * 3})
        self.assert_error(answer, 413, "text_too_long")
        self.assertIn(str(8 << 20), answer.error["message"])
        self.assertEqual(self.tacod.speak(**{**self.ask, "text": self.text * 3, "format": "opus"}).status, 200)


class Deadline(DaemonCase):
    """Encoding ends with its client and at its deadline, and takes turns."""

    def start_encoding(self, tacod, **fields):
        """A kept result that takes long to encode, in the making."""
        path = f"/v1/speech/{self.long['X-Taco-Id']}?format=opus&sample_rate=48000"
        s = tacod.connect()
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return s

    def test_others_are_not_kept_waiting(self):
        tacod = self.tacod
        self.long = tacod.speak("A\n\n" * 120, max_frames=1, n_iter=0, paragraph_pause=10, speed=0.25, seed=1)
        self.assertEqual(self.long.status, 200)
        readers = [self.start_encoding(tacod) for _ in range(6)]
        self.assertEqual(tacod.speak("Hello.").status, 200)
        for s in readers:  # each of them would take seconds
            s.close()
        tacod.wait_for_log(r"(?s)(GET /v1/speech/\w+ 499.*){6}")

    def test_a_deadline_ends_encoding(self):
        """A quarter of an hour of Opus takes seconds."""
        answer = self.tacod.speak("A\n\n" * 120, max_frames=1, n_iter=0, paragraph_pause=10, speed=0.25,
                                  format="opus", sample_rate=48000, timeout=0.5)
        self.assert_error(answer, 504, "timeout")


class Off(DaemonCase):
    options = ("--cache-bytes", "0")

    def test_off(self):
        first, second = (self.tacod.speak(TEXT, seed=7) for _ in range(2))
        self.assertEqual((first["X-Cache"], second["X-Cache"]), ("miss", "miss"))
        self.assertEqual(first.body, second.body)


class DefaultSeed(DaemonCase):
    options = ("--default-seed", "7")

    def test_requests_without_a_seed(self):
        given = self.tacod.speak(TEXT, seed=7)
        answer = self.tacod.post(TEXT)
        self.assertEqual((answer["X-Cache"], answer["X-Taco-Seed"], answer.body), ("hit", "7", given.body))
        self.assertEqual(self.tacod.get("/api/tts?text=Hello.")["X-Cache"], "miss")
        self.assertEqual(self.tacod.get("/api/tts?text=Hello.")["X-Cache"], "hit")
        self.assertEqual(self.tacod.speak(TEXT, seed=8)["X-Taco-Seed"], "8")


class Reloaded(unittest.TestCase):
    def test_a_voice_that_has_changed_is_another(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.safetensors")
            shutil.copyfile(SMALL, path)
            tacod = Daemon("--voice", "small=" + path)
            first = tacod.speak("Hello.", seed=7)
            self.assertEqual(tacod.speak("Hello.", seed=7)["X-Cache"], "hit")
            tacod.signal(signal.SIGHUP)
            tacod.wait_for_log("reload: 2 voices, 0 of them")
            self.assertEqual(tacod.speak("Hello.", seed=7)["X-Cache"], "hit")
            shutil.copyfile(SMALL, path + ".new")
            os.rename(path + ".new", path)
            tacod.signal(signal.SIGHUP)
            tacod.wait_for_log("reload: 2 voices, 1 of them")
            again = tacod.speak("Hello.", seed=7)
            self.assertEqual((again["X-Cache"], again.body), ("miss", first.body))
            tacod.end_well()


if __name__ == "__main__":
    unittest.main()
