"""Metrics, status, request ids and the log."""

import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from daemon import Daemon, DaemonCase, PATIENCE

LONG = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. "


def parse(page):
    """{name: type} and {(name, labels): value} of Prometheus's text format, read strictly."""
    types, samples, helps, family = {}, {}, set(), None
    assert page.endswith("\n")
    for line in page.splitlines():
        if found := re.fullmatch(r"# HELP ([a-z_]+) \S.*", line):
            assert found[1] not in helps, line
            helps.add(found[1])
            continue
        if found := re.fullmatch(r"# TYPE ([a-z_]+) (counter|gauge|histogram)", line):
            family = found[1]
            assert family in helps and family not in types, line
            types[family] = found[2]
            continue
        found = re.fullmatch(r'([a-z_]+)(?:\{((?:[a-z_]+="[^"\\\n]*",?)+)\})? (\d+(?:\.\d+)?)', line)
        assert found, line
        name = found[1]
        if types[family] == "histogram":
            name = re.sub("_(bucket|sum|count)$", "", name)
        assert name == family, f"{line} stands behind {family}"
        key = found[1], tuple(re.findall(r'([a-z_]+)="([^"]*)"', found[2] or ""))
        assert key not in samples, line
        samples[key] = float(found[3]) if "." in found[3] else int(found[3])
    return types, samples


class Metrics(DaemonCase):
    options = ("--queue", "3")

    def metrics(self):
        answer = self.tacod.get("/metrics")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        return parse(answer.body.decode())[1]

    def wait(self, condition):
        """Counts follow the answers: the first page of metrics of which that is true."""
        deadline = time.monotonic() + PATIENCE
        while not condition(samples := self.metrics()):
            self.assertLess(time.monotonic(), deadline, samples)
            time.sleep(0.02)
        return samples

    @staticmethod
    def requests(samples, method, route, code):
        return samples.get(("tacod_requests_total",
                            (("method", method), ("route", route), ("code", str(code)))), 0)

    def test_the_format(self):
        self.tacod.speak("Hi.")
        self.tacod.get("/v1/speech/x/alignment?a=%22%0a")
        page = self.tacod.get("/metrics").body.decode()
        types, samples = parse(page)
        for name, kind in types.items():
            self.assertEqual(kind == "counter", name.endswith("_total"), name)
        self.assertEqual(len({name.removesuffix("_total") for name in types}), len(types))
        buckets = collections.defaultdict(list)
        for (name, labels), value in samples.items():
            if name.endswith("_bucket"):
                buckets[name[:-7], labels[:-1]].append((labels[-1], value))
        self.assertGreater(len(buckets), 3)
        for (name, labels), values in buckets.items():
            bounds = [float(bound) for (key, bound), _ in values]
            counts = [value for _, value in values]
            self.assertEqual(bounds, sorted(set(bounds)))
            self.assertEqual(bounds[-1], float("inf"))
            self.assertEqual(counts, sorted(counts), "buckets are cumulative")
            self.assertEqual(counts[-1], samples[name + "_count", labels])
            self.assertIn((name + "_sum", labels), samples)

    def test_prometheus_s_own_parser_takes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            if subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder,
                               "prometheus-client==0.21.1"], capture_output=True).returncode:
                self.skipTest("prometheus_client cannot be had here")
            self.tacod.speak("Hi.")
            page = self.tacod.get("/metrics").body
            read = subprocess.run(
                [sys.executable, "-c",
                 "import sys; from prometheus_client.parser import text_string_to_metric_families as read\n"
                 "for f in read(sys.stdin.read()): print(f.name, f.type, len(f.samples))"],
                input=page, capture_output=True, env={**os.environ, "PYTHONPATH": folder})
            self.assertEqual(read.returncode, 0, read.stderr)
            families = {line.split()[0]: line.split()[1:] for line in read.stdout.decode().splitlines()}
            types, samples = parse(page.decode())
            self.assertEqual({name.removesuffix("_total"): kind for name, kind in types.items()},
                             {name: kind for name, (kind, _) in families.items()})
            self.assertEqual(sum(int(n) for _, n in families.values()), len(samples))

    def test_requests_are_counted_by_route_and_code(self):
        before = self.metrics()
        asked = [("GET", "/v1/speech/{id}", 404, "GET", "/v1/speech/nobody"),
                 ("GET", "/v1/speech/{id}", 404, "GET", "/v1/speech/else?text=secret"),
                 ("GET", "/v1/voices", 200, "GET", "/v1/voices"),
                 ("GET", "/v1/voices", 200, "HEAD", "/v1/voices"),
                 ("POST", "/v1/speech", 400, "POST", "/v1/speech"),
                 ("other", "other", 404, "GET", "/no/such/path"),
                 ("other", "other", 405, "DELETE", "/v1/voices"),
                 ("other", "other", 204, "OPTIONS", "/v1/voices")]
        for _, _, code, method, path in asked:
            self.assertEqual(self.tacod.request(method, path).status, code)
        wanted = collections.Counter(row[:3] for row in asked)

        def counted(samples):
            return {key: self.requests(samples, *key) - self.requests(before, *key)
                    for key in wanted} == wanted
        after = self.wait(counted)
        self.assertNotIn("nobody", str(after))
        self.assertEqual(after["tacod_errors_total", (("code", "method_not_allowed"),)], 1)

    def test_speech_is_counted(self):
        def counts(samples):
            return [samples[name, ()] for name in (
                "tacod_frames_total", "tacod_decoder_steps_total", "tacod_audio_seconds_total",
                "tacod_sentences_total", "tacod_text_bytes_total", "tacod_real_time_factor_count")]

        def done(samples, outcome="done"):
            return samples["tacod_speech_total", (("outcome", outcome),)]
        before = self.metrics()
        answer = self.tacod.speak("One. Two.", seed=7, accept="application/json", matrix="none")
        alignment = answer.json()["alignment"]
        after = self.wait(lambda s: done(s) == done(before) + 1)
        frames, steps, seconds, sentences, text, factors = (
            b - a for a, b in zip(counts(before), counts(after)))
        self.assertEqual(frames, sum(c["n_frames"] for c in alignment["chunks"]))
        self.assertTrue(0 < steps <= frames)
        self.assertAlmostEqual(seconds, alignment["duration"], places=3)
        self.assertEqual((sentences, text, factors), (2, 9, 1))
        for stage in ("text", "encoder", "decoder", "postnet", "vocoder"):
            key = "tacod_stage_seconds_total", (("stage", stage),)
            self.assertGreater(after[key], before[key])
        for fields, delivery in (({}, "whole"), ({"stream": True}, "stream"), ({"stream": "sse"}, "stream")):
            key = "tacod_first_audio_seconds_count", (("delivery", delivery),)
            n = self.metrics()[key]
            self.tacod.speak("Hi.", **fields)
            self.wait(lambda s: s[key] == n + 1)

    def test_failures_are_counted_by_kind(self):
        before = self.metrics()
        self.assertEqual(self.tacod.speak("Hello there.", max_frames=3, max_attempts=3).status, 200)
        self.assertEqual(self.tacod.speak("Hello there.", max_frames=3, strict=True).status, 422)

        def grown(name, *labels):
            return lambda s: s.get((name, labels), 0) - before.get((name, labels), 0)
        after = self.wait(lambda s: grown("tacod_speech_total", ("outcome", "failed"))(s) == 1)
        self.assertEqual(grown("tacod_sentences_total")(after), 4)
        self.assertEqual(grown("tacod_retries_total")(after), 2)
        for kind in ("cut_off",):
            self.assertEqual(grown("tacod_alignment_failures_total", ("kind", kind))(after), 4)
        self.assertEqual(grown("tacod_errors_total", ("code", "alignment_failed"))(after), 1)

    def test_the_queue_and_who_finds_it_full_or_goes_away(self):
        body = json.dumps({"text": LONG * 100, "stream": True}).encode()
        request = (b"POST /v1/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   b"Content-Length: %d\r\n\r\n" % len(body)) + body

        def running(s):
            return s["tacod_queue_waiting", ()] + s["tacod_queue_running", ()]
        before = self.wait(lambda s: running(s) == 0)
        sockets = [self.tacod.connect() for _ in range(3)]
        for s in sockets:
            s.sendall(request)
        samples = self.wait(lambda s: running(s) == 3)
        self.assertEqual(samples["tacod_queue_limit", ()], 3)
        self.assertGreaterEqual(samples["tacod_connections", ()], 4)
        self.assertGreaterEqual(samples["tacod_requests_in_progress", ()], 4)
        self.assertEqual(self.tacod.speak("Hi.").status, 503)
        rejected = "tacod_speech_total", (("outcome", "rejected"),)
        cancelled = "tacod_speech_total", (("outcome", "cancelled"),)
        self.assertEqual(self.metrics()[rejected], before[rejected] + 1)
        for s in sockets:
            s.close()
        self.wait(lambda s: running(s) == 0 and s[cancelled] == before[cancelled] + 3 and
                  s["tacod_connections", ()] == 1 and s["tacod_requests_in_progress", ()] == 1)

    def test_what_is_kept(self):
        before = self.metrics()
        size = len(self.tacod.speak("Hi.").body)
        after = self.metrics()
        self.assertEqual(after["tacod_kept_results", ()], before["tacod_kept_results", ()] + 1)
        self.assertGreater(after["tacod_kept_bytes", ()], before["tacod_kept_bytes", ()] + size)

    def test_the_process(self):
        samples = self.metrics()
        self.assertLess(abs(samples["process_start_time_seconds", ()] - time.time()), 3600)
        self.assertGreater(samples["process_resident_memory_bytes", ()], 1 << 20)
        self.assertGreater(samples["process_cpu_seconds_total", ()], 0)
        self.assertEqual(samples["tacod_ready", ()], 1)
        version = self.tacod.get("/v1/status").json()["version"]
        self.assertEqual(samples["tacod_build_info", (("version", version),)], 1)


class Status(DaemonCase):
    options = ("--rows", "5", "--queue", "6", "--http-threads", "3", "--max-connections", "70",
               "--cache-bytes", "1M")

    def test_status(self):
        first = self.tacod.get("/v1/status").json()
        self.assertEqual(first["status"], "ready")
        self.assertEqual(first["voices"], ["heart"])
        self.assertEqual((first["threads"], first["http_threads"]), (2, 3))
        self.assertEqual((first["rows"]["limit"], first["queue"]["limit"], first["connections"]["limit"],
                          first["memory"]["kept_bytes_limit"]), (5, 6, 70, 1 << 20))
        self.assertEqual(self.tacod.speak("Hi.").status, 200)
        second = self.tacod.get("/v1/status").json()
        self.assertEqual(second["started"], first["started"])
        self.assertGreater(second["uptime"], first["uptime"])
        self.assertEqual(second["totals"]["done"], first["totals"]["done"] + 1)
        self.assertGreater(second["totals"]["audio_seconds"], first["totals"]["audio_seconds"])
        self.assertGreater(second["memory"]["kept_bytes"], 0)
        self.assertEqual(self.tacod.get("/v1/status?x=1").status, 200)


class RequestIds(DaemonCase):
    def test_one_s_own(self):
        for name in ("a", "Abc-1.2_3", "x" * 64):
            self.assertEqual(self.tacod.get("/healthz", X_Request_Id=name)["X-Request-Id"], name)

    def test_what_is_none_is_replaced(self):
        seen = set()
        for name in ("", " ", "x" * 65, "a b", "a\x7fb", "a/b", "\u00e9".encode("latin-1").decode("latin-1"), "a\"b"):
            made = self.tacod.get("/healthz", X_Request_Id=name)["X-Request-Id"]
            self.assertRegex(made, r"^[A-Za-z0-9]{12}$")
            seen.add(made)
        self.assertEqual(len(seen), 8)

    def test_on_every_answer(self):
        for method, path, status in (("GET", "/", 200), ("GET", "/x/y", 404), ("DELETE", "/", 405),
                                     ("OPTIONS", "/", 204), ("GET", "/v1/speech?text=Hi.", 200),
                                     ("GET", "/v1/speech?text=Hi.&stream=1", 200), ("GET", "/process", 400),
                                     ("GET", "/v1/speech", 400), ("POST", "/v1/text-to-speech/x", 404),
                                     ("GET", "/" + "x" * 20000, 414)):
            answer = self.tacod.request(method, path, headers={"X-Request-Id": "mine"})
            self.assertEqual((answer.status, answer["X-Request-Id"]), (status, "mine"), path)
        answer = self.tacod.request("GET", "/healthz", headers={"X-Request-Id": "mine", "x": "y" * 20000})
        self.assertEqual((answer.status, answer["X-Request-Id"]), (431, "mine"))
        length = self.tacod.request("POST", "/v1/speech", "x" * (2 << 20), {"X-Request-Id": "mine"})
        self.assertEqual((length.status, length["X-Request-Id"]), (413, "mine"))


class Log(unittest.TestCase):
    def object(self, tacod, request_id):
        return json.loads(tacod.wait_for_log(rf'(?m)^{{.*"request_id":"{request_id}".*}}$')[0])

    def test_text(self):
        tacod = Daemon()
        answer = tacod.speak("Hello there. Secretword.", seed=9)
        tacod.wait_for_log(rf"(?m)info POST /v1/speech 200 {len(answer.body)} bytes [0-9.]+ ms "
                         rf"id={answer['X-Taco-Id']} request_id={answer['X-Request-Id']} cache=miss voice=heart seed=9 "
                           r"frames=\d+ audio=\d+\.\d{3}s stop=gate$")
        tacod.get(f"/v1/speech/{answer['X-Taco-Id']}/mel", X_Request_Id="m")
        tacod.wait_for_log(rf"(?m)mel 200 .* id={answer['X-Taco-Id']} request_id=m "
                         r"route=/v1/speech/\{id\}/\{form\}$")
        tacod.request("PATCH", "/v1/voices", headers={"X-Request-Id": "p"})
        tacod.wait_for_log(r"(?m)info PATCH /v1/voices 405 .* request_id=p error=method_not_allowed$")
        tacod.get("/a%20200%0a9%20bytes", X_Request_Id="odd")
        tacod.wait_for_log(r"(?m)info GET /a\?200\?9\?bytes 404 .* request_id=odd error=not_found$")
        tacod.request("HEAD", "/v1/voices", headers={"X-Request-Id": "h"})
        tacod.wait_for_log(r"(?m)info HEAD /v1/voices 200 0 bytes .* request_id=h$")
        tacod.get("/v1/speech?text=Secretword.&speed=9", X_Request_Id="s")
        tacod.wait_for_log(r"(?m)info GET /v1/speech 400 .* request_id=s error=invalid_argument$")
        tacod.speak("Hello there.", max_frames=3)
        tacod.wait_for_log(r"(?m) frames=3 audio=\S+ stop=max_frames$")
        s = tacod.connect()
        body = (LONG * 100).encode()
        s.sendall(b"POST /v1/speech?stream=1 HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: gone\r\n"
                  b"Content-Length: %d\r\n\r\n" % len(body) + body)
        s.recv(1)
        s.close()
        tacod.wait_for_log(r"(?m)POST /v1/speech 200 \d+ bytes .* request_id=gone .*\(not completed\)$")
        tacod.end_well()
        self.assertNotIn("Secretword", tacod.output())

    def test_json(self):
        tacod = Daemon("--log-format", "json")
        answer = tacod.speak("Hello there. Secretword.", seed=9)
        line = self.object(tacod, answer["X-Request-Id"])
        self.assertGreater(line.pop("milliseconds"), 0)
        self.assertRegex(line.pop("time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertGreater(line.pop("frames"), 10)
        seconds = (len(answer.body) - 44) / (2 * 22050)
        self.assertAlmostEqual(line.pop("audio_seconds"), seconds, places=5)
        self.assertEqual(line, {
            "level": "info", "message": "request", "request_id": answer["X-Request-Id"], "method": "POST",
            "route": "/v1/speech", "path": "/v1/speech", "status": 200, "bytes": len(answer.body),
            "completed": True, "cache": "miss", "id": answer["X-Taco-Id"], "voice": "heart", "seed": 9, "stop_reason": "gate"})
        tacod.get("/a%22%0a%ff%c3%a9", X_Request_Id="odd")
        line = self.object(tacod, "odd")
        self.assertEqual((line["path"], line["status"], line["error"]), ('/a"  \u00e9', 404, "not_found"))
        self.assertNotIn("route", line)
        tacod.speak("Hi.", speed=9)
        tacod.end_well()
        output = tacod.output()
        for line in output.splitlines():
            entry = json.loads(line)
            self.assertIn(entry["level"], ("error", "warning", "info", "debug"))
            self.assertTrue(entry["message"])
        self.assertNotIn("Secretword", output)

    def test_the_text_if_it_is_asked_for(self):
        text = 'Caf\u00e9 "Secretword"\n\x1b[31mforged. ' + LONG * 30
        tacod = Daemon("--log-text", "--log-format", "json")
        for stream in (False, True):
            answer = tacod.speak(text, stream=stream)
            self.assertEqual(self.object(tacod, answer["X-Request-Id"])["text"], text)
        tacod.post(b"\xff", X_Request_Id="refused")
        self.assertNotIn("text", self.object(tacod, "refused"))
        tacod.end_well()
        tacod = Daemon(env={"TACO_LOG_TEXT": "true"})
        answer = tacod.speak(text)
        found = tacod.wait_for_log(rf'(?m)request_id={answer["X-Request-Id"]} .* text=(".*")$')
        self.assertEqual(json.loads(found[1]), text)
        tacod.end_well()

    def test_probes_are_for_those_who_debug(self):
        for level, wanted in (("info", False), ("debug", True)):
            tacod = Daemon("--log-level", level)
            for path in ("/healthz", "/metrics", "/v1/status"):
                tacod.get(path)
            tacod.wait_for_log("GET /v1/status 200")
            tacod.end_well()
            for path in ("/healthz", "/readyz", "/metrics"):
                self.assertEqual(f"debug GET {path} 200 " in tacod.output(), wanted)
                self.assertNotIn(f"info GET {path}", tacod.output())

    def test_levels(self):
        tacod = Daemon("--log-level", "warning", "--log-format", "json")
        tacod.speak("Hi.")
        tacod.signal(signal.SIGTERM)
        tacod.end_well()
        self.assertNotIn('"message":"request"', tacod.output())


if __name__ == "__main__":
    unittest.main()
