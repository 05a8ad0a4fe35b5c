"""Requests of every kind with answers that are known: the same request has the same answer, whoever asks
at the same time, and whichever daemon of this build answers."""

import base64
import http.client
import json
import os
import random
import re
import threading
import time
from urllib.parse import quote, urlencode

from daemon import Daemon, PATIENCE

SENTENCES = (
    "The birch canoe slid on the smooth planks.", "Glue the sheet to the dark blue background.",
    "It's easy to tell the depth of a well.", "Rice is often served in round bowls.",
    "The box was thrown beside the parked truck.", "Four hours of steady work faced us.",
    "Hello, world. It costs $25.50.", "Hi.", "A!", "Is it half past nine?", "Caf\u00e9 na\u00efve, 3rd of May.",
    "Wait... now go.", "{HH AH0 L OW1}, she said.", "One.\n\nTwo.", "Well\u2014yes; no: maybe (not).",
)
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class Request:
    def __init__(self, kind, method, path, body=None, content_type=None, accept=None):
        self.kind, self.method, self.path, self.body = kind, method, path, body
        if isinstance(body, str):
            self.body = body.encode()
        self.headers = {}
        if content_type:
            self.headers["Content-Type"] = content_type
        if accept:
            self.headers["Accept"] = accept

    def __repr__(self):
        return f"{self.kind}: {self.method} {self.path} {self.headers} {self.body}"

    def raw(self):
        """As it goes over the wire."""
        headers = {"Host": "localhost", **self.headers}
        if self.body is not None:
            headers["Content-Length"] = str(len(self.body))
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + (self.body or b"")


def mixed(n, seed, longest=1):
    """n requests, all kinds in turn, texts and options drawn."""
    draw = random.Random(seed)
    return [_KINDS[i % len(_KINDS)](draw, longest) for i in range(n)]


# -- the kinds -----------------------------------------------------------------------------


def _text(draw, longest):
    return " ".join(draw.choice(SENTENCES) for _ in range(draw.randint(1, longest)))


def _fields(draw, longest):
    fields = {"text": _text(draw, longest), "seed": draw.randrange(1 << 53)}
    options = {"speed": [0.5, 1, 1.5, 2], "volume": [0.5, 1, 2], "phase": ["pghi", "random"], "n_iter": [0, 4, 16],
               "sentence_pause": [0, 0.3], "gate_threshold": [0.4, 0.6], "max_attempts": [1, 2],
               "final_punctuation": [True, False], "momentum": [0, 0.9], "power": [1, 1.2]}
    for name in draw.sample(sorted(options), draw.randint(0, 4)):
        fields[name] = draw.choice(options[name])
    return fields


def _written(fields):
    return urlencode({k: str(v).lower() if isinstance(v, bool) else v for k, v in fields.items()})


def _native(draw, longest):
    fields = _fields(draw, longest)
    fields["format"] = draw.choice(["wav", "flac", "opus", "mp3", "pcm", "ulaw", "alaw", "aiff", "au"])
    if draw.random() < 0.5:
        fields["sample_rate"] = draw.choice([8000, 24000, 48000])
    return Request("native", "POST", "/v1/speech", json.dumps(fields), JSON)


def _query(draw, longest):
    return Request("query", "GET", "/v1/speech?" + _written(_fields(draw, longest)))


def _form(draw, longest):
    return Request("form", "POST", "/v1/speech", _written(_fields(draw, longest)), FORM)


def _plain(draw, longest):
    return Request("plain", "POST", f"/v1/speech?seed={draw.randrange(1000)}", _text(draw, longest), "text/plain")


def _stream(draw, longest):
    fields = {**_fields(draw, longest), "stream": True, "format": draw.choice(["wav", "pcm", "mp3", "opus"])}
    return Request("stream", "POST", "/v1/speech", json.dumps(fields), JSON)


def _events(draw, longest):
    fields = {**_fields(draw, longest), "format": "pcm", "matrix": draw.choice(["none", "float16"])}
    return Request("events", "POST", "/v1/speech", json.dumps({**fields, "stream": "sse"}), JSON)


def _both(draw, longest):
    fields = {**_fields(draw, longest), "matrix": draw.choice(["none", "arrays", "float16"])}
    return Request("both", "POST", "/v1/speech", json.dumps(fields), JSON,
                   draw.choice(["application/json", "multipart/mixed"]))


def _openai(draw, longest):
    body = {"model": "tts-1", "voice": "alloy", "input": _text(draw, longest), "seed": draw.randrange(1000),
            "response_format": draw.choice(["wav", "flac", "mp3", "opus", "pcm"])}
    if draw.random() < 0.4:
        body["stream_format"] = draw.choice(["audio", "sse"])
    return Request("openai", "POST", "/v1/audio/speech", json.dumps(body), JSON)


def _elevenlabs(draw, longest):
    path = "/v1/text-to-speech/heart" + draw.choice(["", "/stream", "/with-timestamps", "/stream/with-timestamps"])
    output = draw.choice(["pcm_16000", "mp3_44100_128", "ulaw_8000", "wav_24000"])
    return Request("elevenlabs", "POST", f"{path}?output_format={output}",
                   json.dumps({"text": _text(draw, longest), "seed": draw.randrange(1000)}), JSON)


def _coqui(draw, longest):
    query = urlencode({"text": _text(draw, longest), "seed": draw.randrange(1000)})
    return draw.choice([Request("coqui", "GET", "/api/tts?" + query),
                        Request("coqui", "POST", "/api/tts", query, FORM)])


def _document(draw, _):
    return Request("document", "GET", draw.choice(["/healthz", "/v1/voices", "/v1/voices/heart", "/v1/models",
                                                   "/voices", "/locales", "/audioformats", "/openapi.json", "/"]))


def _refused(draw, longest):
    text = quote(_text(draw, longest))
    return draw.choice([Request("refused", "GET", f"/v1/speech?text={text}&speed=9"),
                        Request("refused", "GET", "/v1/speech?text=..."),
                        Request("refused", "GET", f"/v1/speech?text={text}&max_frames=3&strict=1&seed=1"),
                        Request("refused", "POST", "/v1/speech", "{", JSON),
                        Request("refused", "GET", "/v1/speech/nobody"),
                        Request("refused", "POST", "/v1/voices", "x"),
                        Request("refused", "GET", "/process")])


_KINDS = (_native, _query, _stream, _both, _openai, _events, _elevenlabs, _form, _coqui, _plain, _document, _refused)


# -- asking --------------------------------------------------------------------------------


class Client:
    """One connection, kept open as long as the daemon keeps it."""

    def __init__(self, tacod):
        self.connection = http.client.HTTPConnection(tacod.host, tacod.port, timeout=PATIENCE)

    def ask(self, request, fresh=False):
        """fresh: made for this request, not taken from the cache."""
        headers = {**request.headers, "Cache-Control": "no-cache"} if fresh else request.headers
        self.connection.request(request.method, request.path, request.body, headers)
        response = self.connection.getresponse()
        return essence(response.status, response.headers, response.read())

    def close(self):
        self.connection.close()


def ask(tacod, request):
    client = Client(tacod)
    try:
        return client.ask(request)
    finally:
        client.close()


def essence(status, headers, body):
    """(status, media type, seed, bytes) without the names that are drawn for every answer and the times that work
    took; audio that comes in pieces, whose cuts depend on the moment, as one."""
    media_type = headers["Content-Type"] or ""
    body = re.sub(rb'"times":\{[^}]*\}', b'"times":{}', body)
    if found := re.search("boundary=(taco-[A-Za-z0-9]+)", media_type):
        media_type = media_type.replace(found[1], "BOUNDARY")
        body = re.sub(rb"(?m)^(Content-Length:) \d+", rb"\1", body.replace(found[1].encode(), b"BOUNDARY"))
    if name := headers["X-Taco-Id"]:
        body = body.replace(name.encode(), b"ID")
    if media_type.startswith("text/event-stream"):
        body = _join_pieces(re.findall(rb"data: (.*)\n", body), body)
    elif media_type.startswith("application/x-ndjson"):
        body = _join_pieces(body.splitlines(), body)
    return status, media_type, headers["X-Taco-Seed"], body


def _join_pieces(lines, body):
    audio, rest = b"", []
    for line in lines:
        event = json.loads(line)
        for key in ("data", "audio", "audio_base64"):
            if isinstance(event.get(key), str):
                audio += base64.b64decode(event.pop(key))
        if event and any(value is not None for value in event.values()) and event != {"type": "speech.audio.delta"}:
            rest.append(event)
    assert body.endswith(b"\n")
    return audio, json.dumps(rest)


def answers(requests):
    """What a daemon with one thread answers when they are asked one after the other: that of REFERENCE, which may be
    a faster build, since every build gives the same bytes."""
    tacod = Daemon("--threads", "1", "--cache-bytes", "0", program=os.environ.get("REFERENCE"))
    client = Client(tacod)
    found = [client.ask(request) for request in requests]
    client.close()
    tacod.end_well()
    return found


class Witness:
    """Asks what it knows the answers of, again and again, while others misbehave."""

    def __init__(self, tacod, requests, expected):
        self.n, self.wrong = 0, []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(tacod, requests, expected))

    def _run(self, tacod, requests, expected):
        client = Client(tacod)
        while not self._end.is_set():
            for request, answer in zip(requests, expected):
                try:
                    got = client.ask(request, fresh=True)
                except Exception as problem:
                    self.wrong.append(f"{request}: {problem!r}")
                    client.close()
                    return
                if got != answer:
                    self.wrong.append(f"{request}: {str(got)[:200]} is not {str(answer)[:200]}")
                self.n += 1
        client.close()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        assert not self.wrong, self.wrong[:3]
        assert self.n > 0


def figures(tacod):
    """{name{labels}: value} of /metrics."""
    page = tacod.get("/metrics").body.decode()
    return {name: float(value) for name, value in re.findall(r"(?m)^([^#\s][^\s]*) (\S+)$", page)}


def wait_until(condition, what):
    """Until it is true, which nothing says when; its value."""
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(what)
        time.sleep(0.02)
    return value


def wait_until_quiet(tacod):
    """Nothing is left of anybody but the one who asks."""
    def quiet():
        now = figures(tacod)
        return now["tacod_requests_in_progress"] == 1 and now["tacod_connections"] == 1 and \
            now["tacod_queue_waiting"] == now["tacod_queue_running"] == now["tacod_rows"] == 0
    wait_until(quiet, f"something is left: {figures(tacod)}")
