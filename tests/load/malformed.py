"""Broken requests, from a seeded generator: every layer from the request line to the dialects' bodies."""

import json
import random

from mix import mixed

METHODS = ("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "TRACE", "CONNECT", "PATCH", "get", "G\x00T", "", "A" * 300, "\xff")
PATHS = ("/", "/v1/speech", "/v1/speech?text=Hi.", "/v1/speech/x", "/v1/speech/x/alignment.svg", "/v1/voices/heart", "/v1/audio/speech",
         "/v1/models/x", "/v1/text-to-speech/heart", "/v1/text-to-speech/heart/stream/with-timestamps", "/api/tts?text=Hi.",
         "/process?INPUT_TEXT=Hi.", "/voices", "/metrics", "/v1/status", "/healthz", "/openapi.json", "*", "//", "/../etc/passwd",
         "http://x/v1/speech?text=Hi.", "http://", "https://x?y", "x", "/v1//speech", "/%2e%2e/", "/v1/voices/%2e%2e%2f")
VERSIONS = ("HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "HTTP/1.", "HTTP/11", "http/1.1", "", "HTTP/1.1 x", "FTP/1.1")
PERCENT = ("%", "%2", "%zz", "%00", "%0a", "%0d%0a", "%ff", "%c3", "%c3%28", "%ed%a0%80", "%f4%90%80%80", "%c0%af", "%u0041", "+", "%%", "%e2%80")
# Text that is hard: cut, overlong and surrogate sequences, marks without a letter, directions, signs beyond the BMP, nothing.
TEXTS = (b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\0b", b"", b" \t\r\n", b"\xef\xbb\xbf", b"\xef\xbf\xbe",
         "\u0301".encode() * 500, "a\u0301\u0302\u0303.".encode() * 30, "\u202e\u2066abc\u2069".encode(), "\u200b\u200d\u2060".encode(),
         "\U0001f468\u200d\U0001f469\u200d\U0001f467".encode(), "\U0010ffff".encode(), "\u05d0\u05d1 \u4f60\u597d \u0928\u092e".encode(),
         b"{", b"{}", b"{HH AH0", b"{ZZ}", b"{{HH}}", b"$" * 300, b"9" * 400, b"1/2/3/4", b"http://" + b"a." * 200, b"." * 3000, b"-" * 999,
         b"A" * 5000, b"a " * 9990, b"<speak>&lt;</speak>", b"%n%s%x", b"\x1b[31m", b"'" * 77, b"1e999", b"NaN")
VALUES = ("null", "true", "[]", "{}", "-1", "1e999", "-1e-999", "9" * 400, "0.1", '""', '"\\ud800"', '"\\u0000"', '"x"', "NaN", "Infinity", "1e",
          "01", "'x'", '"', '"\x01"', '"\xff"', "9223372036854775808", "-0", "1E400", "[[[[", '{"a":1,"a":2}')
FIELDS = ("text", "voice", "speaker", "seed", "speed", "volume", "format", "sample_rate", "bit_rate", "gate_threshold", "max_frames",
          "max_attempts", "strict", "sentence_pause", "phase", "n_iter", "timeout", "stream", "matrix", "input", "model", "response_format",
          "stream_format", "instructions", "model_id", "voice_settings", "INPUT_TEXT", "AUDIO", "OUTPUT_TYPE", "LOCALE", "VOICE", "lengthScale",
          "effect_Volume_parameters", "", "\xff", "__proto__", "a" * 2000)
POSTS = ("/v1/speech", "/v1/audio/speech", "/v1/text-to-speech/heart", "/v1/text-to-speech/heart/stream", "/v1/text-to-speech/heart/with-timestamps",
         "/v1/text-to-speech/heart/stream/with-timestamps", "/api/tts", "/process")
TYPES = ("application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain; charset=latin-1",
         "application/json; charset=\"", "", ";", "x" * 300, "a/b", "\xff/\xff", "application/json, text/plain")
HEADERS = ("Host", "Content-Length", "Content-Type", "Transfer-Encoding", "Accept", "Expect", "Connection", "Upgrade", "Range", "If-None-Match",
           "X-Request-Id", "Authorization", "X-Api-Key", "xi-api-key", "Origin", "Cookie", "TE", "Trailer", "text", "speaker-id", "Accept-Encoding")
HEADER_VALUES = ("", "0", "-1", "1", "99999999999999999999", "0x10", "1, 2", "chunked", "chunked, chunked", "identity", "gzip", "close", "keep-alive",
                 "100-continue", "200-ok", "*/*", "audio/*;q=2", "audio/wav;q=", ";;;", "bytes=0-", "bytes=9-1", "bytes=-0", "bytes=" + "0-1," * 500,
                 "bytes=99999999999999999999-", '"', "*", "W/\"x\"", "Bearer", "Bearer \xff", "Basic x", "null", "http://x", "a" * 9000, "\x01", "h2c",
                 "multipart/mixed", "application/json", "text/event-stream", "q=0.5", "a\tb")
SIZES = ("", "0", "5", "ffffffffffffffff", "fffffffffffffffff", "-5", "5;x=y", "5;" + "x" * 5000, " 5", "0x5", "g", "5\n", "00000000000000000005")


def malformed(n, seed):
    """n requests, bytes, most of them broken."""
    draw = random.Random(seed)
    valid = [request.raw() for request in mixed(48, seed)]
    return [_MAKERS[i % len(_MAKERS)](draw, valid) for i in range(n)]


def _bytes(text):
    return text if isinstance(text, bytes) else text.encode("latin-1", "replace")


def _request(line, headers=(), body=b""):
    return b"\r\n".join([_bytes(line), *map(_bytes, headers)]) + b"\r\n\r\n" + _bytes(body)


def _post(path, content_type, body, *headers):
    body = _bytes(body)
    return _request(f"POST {path} HTTP/1.1", ("Host: localhost", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers), body)


def _request_line(draw, _):
    line = " ".join((draw.choice(METHODS), draw.choice(PATHS), draw.choice(VERSIONS)))
    broken = draw.random()
    if broken < 0.1:
        line = line.replace(" ", draw.choice(("", "\t", "  ", "\r", "\n", "\0", "\x0b")))
    elif broken < 0.2:
        line = draw.choice(("\r\n" * 50, "", "PRI * HTTP/2.0\r\n\r\nSM", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "GET " + "/a" * 40000))
    elif broken < 0.3:
        line = "".join(chr(draw.randrange(256)) for _ in range(draw.randrange(200)))
    return _request(line, draw.choice((("Host: localhost",), (), ("Host: localhost", "Host: y"))))


def _headers(draw, _):
    lines = ["Host: localhost"]
    for _ in range(draw.randint(1, 8)):
        lines.append(draw.choice((": ", ":", " : ", "", "\t:", ":\r\n ", ":\0")).join((draw.choice(HEADERS), draw.choice(HEADER_VALUES))))
    if draw.random() < 0.1:
        lines += ["X: y"] * draw.choice((100, 1000, 5000))
    draw.shuffle(lines)
    return _request(f"{draw.choice(('GET', 'POST'))} {draw.choice(PATHS)} HTTP/1.1", lines, draw.choice(("", "Hi.")))


def _chunks(draw, _):
    body = b""
    for _ in range(draw.randint(1, 4)):
        body += _bytes(draw.choice(SIZES)) + draw.choice((b"\r\n", b"\n", b"", b"\r")) + b"Hello" + draw.choice((b"\r\n", b"", b"\n", b"xx"))
    body += draw.choice((b"0\r\n\r\n", b"0\r\n", b"", b"0\r\nX: y\r\n\r\n", b"0\r\n" + b"X: y\r\n" * 3000 + b"\r\n"))
    return _request("POST /v1/speech HTTP/1.1", ("Host: localhost", "Transfer-Encoding: " + draw.choice(("chunked", "Chunked", "gzip, chunked", "x", "chunked, x"))), body)


def _lengths(draw, _):
    said = draw.choice(("0", "1", "3", "4", "400", "-1", "+3", "3 3", "3,3", "0x3", "03", "1e3", "", "1048577", "99999999", "18446744073709551616", "\xb3"))
    more = draw.choice(((), ("Content-Length: 3",), ("Transfer-Encoding: chunked",), ("Expect: 100-continue",)))
    return _request(f"POST {draw.choice(POSTS)} HTTP/1.1", ("Host: localhost", "Content-Length: " + said, *more), draw.choice(("Hi.", "", "Hi. GET / HTTP/1.1\r\n\r\n")))


def _json(draw, _):
    path = draw.choice(POSTS)
    text = {"/v1/audio/speech": "input", "/process": "INPUT_TEXT"}.get(path, "text")
    members = [f'"{text}": "Hi."', '"model": "tts-1"', '"voice": "alloy"'][:3 if path == "/v1/audio/speech" else 1]
    members += [f'"{draw.choice(FIELDS)}": {draw.choice(VALUES)}' for _ in range(draw.randint(1, 3))]
    body = "{" + ", ".join(members) + "}"
    broken = draw.random()
    if broken < 0.15:
        body = body[:draw.randrange(len(body))]
    elif broken < 0.25:
        body = draw.choice(("[" * 3000, '{"a":' * 3000, "\xef\xbb\xbf" + body, body + "x", body + body, "[" + body + "]", "null", '"', "\0", "{,}"))
    return _post(path, "application/json", body)


def _forms(draw, _):
    pairs = [draw.choice(FIELDS) + draw.choice(("=", "", "==")) + draw.choice(PERCENT + ("Hi.", "1", "-1", "")) for _ in range(draw.randint(1, 5))]
    body = draw.choice(("&", ";", "&&")).join(pairs)
    if draw.random() < 0.5:
        return _post(draw.choice(POSTS), "application/x-www-form-urlencoded", body)
    return _request(f"GET {draw.choice(PATHS).split('?')[0]}?{body} HTTP/1.1", ("Host: localhost",))


def _paths(draw, _):
    pieces = [draw.choice(PERCENT + ("v1", "speech", "voices", "..", ".", "heart", "alignment", "a" * 100, "\xff", "x")) for _ in range(draw.randint(1, 5))]
    return _request(f"{draw.choice(('GET', 'POST', 'HEAD'))} /{'/'.join(pieces)} HTTP/1.1", ("Host: localhost",))


def _texts(draw, _):
    text = draw.choice(TEXTS)
    kind = draw.random()
    options = draw.choice(("", "?stream=1", "?stream=sse", "?format=mp3", "?speed=4", "?max_frames=1", "?n_iter=0&matrix=arrays"))
    if kind < 0.4:
        return _post("/v1/speech" + options, "text/plain", text)
    if kind < 0.6:
        body = json.dumps({"text": text.decode("utf-8", "surrogateescape"), "input": "x"})
        return _post("/v1/speech", "application/json", body)
    quoted = "".join("%%%02x" % byte for byte in text[:4000])
    return _request(f"GET {draw.choice(('/v1/speech?text=', '/api/tts?text=', '/process?INPUT_TEXT='))}{quoted} HTTP/1.1", ("Host: localhost",))


def _media_types(draw, _):
    body = draw.choice((b"Hi.", b'{"text": "Hi."}', b"text=Hi.", b"--x\r\nContent-Disposition: form-data; name=text\r\n\r\nHi.\r\n--x--\r\n"))
    return _post(draw.choice(POSTS), draw.choice(TYPES), body, f"Accept: {draw.choice(HEADER_VALUES)}")


def _mutated(draw, valid):
    """A right request in which some bytes are not."""
    data = bytearray(draw.choice(valid))
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(data))
        kind = draw.random()
        if kind < 0.4:
            data[at] = draw.randrange(256)
        elif kind < 0.6:
            del data[at:at + draw.randint(1, 20)]
        elif kind < 0.8:
            data[at:at] = bytes(draw.randrange(256) for _ in range(draw.randint(1, 20)))
        else:
            data[at:at] = data[draw.randrange(len(data)):][:draw.randint(1, 60)]
        if not data:
            return b"\r\n"
    return bytes(data)


_MAKERS = (_request_line, _headers, _chunks, _lengths, _json, _forms, _paths, _texts, _media_types, _mutated, _mutated)
