"""/openapi.json: describes every route and parameter, nothing else, and answers are as it says."""

import json
import os
import re
import unittest

try:
    import jsonschema
except ImportError as error:
    raise unittest.SkipTest("python3-jsonschema is not installed") from error
from daemon import DaemonCase

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
METHODS = ("get", "post", "put", "delete", "patch", "head", "options")
# Something to stand for a path's {...}.
ARGUMENTS = {"/v1/speech/{id}": {"id": "x"}, "/v1/speech/{id}/{form}": {"id": "x", "form": "alignment"},
             "/v1/voices/{name}": {"name": "heart"}, "/v1/voices/{voice}/settings": {"voice": "heart"}, "/v1/models/{id}": {"id": "heart"},
             "/{file}": {"file": "index.html"}}


def source(name):
    with open(os.path.join(ROOT, "server", name), encoding="utf-8") as file:
        return file.read()


def walk(node):
    yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(child)


class OpenAPI(DaemonCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.doc = cls.tacod.get("/openapi.json").json()
        cls.operations = {(method.upper(), path): operation
                          for path, item in cls.doc["paths"].items()
                          for method, operation in item.items() if method in METHODS}

    def check(self, schema, value):
        resolver = jsonschema.RefResolver.from_schema(self.doc)
        jsonschema.Draft202012Validator(schema, resolver=resolver).validate(value)

    def resolve(self, node):
        while "$ref" in node:
            target = self.doc
            for piece in node["$ref"].removeprefix("#/").split("/"):
                target = target[piece]
            node = target
        return node

    def check_answer(self, method, path, answer, status=None):
        """The answer's status and media type are documented, and JSON fits its schema."""
        if status:
            self.assertEqual(answer.status, status, answer.body[:300])
        responses = self.operations[method, path]["responses"]
        response = self.resolve(responses.get(str(answer.status), responses["default"]))
        media_type = answer["Content-Type"].split("; ")[0]
        name = media_type if media_type in response["content"] else media_type.split(";")[0]
        self.assertIn(name, response["content"], path)
        schema = response["content"][name].get("schema")
        if schema and name == "application/json":
            self.check(schema, answer.json())
        elif schema and name == "application/x-ndjson":
            for line in answer.body.splitlines():
                self.check(schema, json.loads(line))
        for header in response.get("headers", ()):
            self.assertIsNotNone(answer[header], header)

    # -- the document ----------------------------------------------------------------------

    def test_is_well_formed(self):
        self.assertEqual(self.doc["openapi"], "3.1.0")
        for node in walk(self.doc):
            if isinstance(node, dict) and isinstance(node.get("$ref"), str):
                self.resolve(node)
        for schema in self.doc["components"]["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)
        ids = [operation["operationId"] for operation in self.operations.values()]
        self.assertEqual(len(ids), len(set(ids)))
        for (_, path), operation in self.operations.items():
            declared = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"]
            self.assertEqual(sorted(re.findall(r"\{(\w+)\}", path)), sorted(declared), path)
            names = [(p["in"], p["name"]) for p in operation.get("parameters", ())]
            self.assertEqual(len(names), len(set(names)), path)

    def test_version_is_the_program_s(self):
        self.assertEqual(self.tacod.get("/version").body.decode(),
                         f"tacod {self.doc['info']['version']}\n")

    def test_every_route_and_nothing_else(self):
        routes = re.findall(r'\{(GET|POST|PUT|DELETE), "([^"]+)"', source("api/routes.c"))
        self.assertGreater(len(routes), 20)
        self.assertEqual(sorted(routes), sorted(self.operations))

    def test_the_daemon_allows_what_is_documented(self):
        for path, item in self.doc["paths"].items():
            arguments = ARGUMENTS.get(path, {"voice": "heart"})
            real = re.sub(r"\{(\w+)\}", lambda m: arguments[m[1]], path)
            allowed = set(self.tacod.request("OPTIONS", real)["Allow"].split(", "))
            wanted = {method.upper() for method in item} | {"OPTIONS"}
            self.assertEqual(allowed, wanted | ({"HEAD"} if "get" in item else set()), path)

    def test_every_error_code(self):
        codes = re.findall(r'\{TACO_\w+, \d+,\s+"(\w+)"', source("http/error_code.c"))
        self.assertEqual(sorted(set(codes)), sorted(self.doc["components"]["schemas"]["ErrorCode"]["enum"]))

    # -- parameters ------------------------------------------------------------------------

    def fields(self):
        return self.doc["components"]["schemas"]["SpeechRequest"]["properties"]

    def queries(self, method, path):
        return [p["name"] for p in self.operations[method, path].get("parameters", ())
                if p["in"] == "query"]

    def test_every_field(self):
        table = source("speech/fields.c").split("taco_fields[] = {")[1].split("};")[0]
        names = re.findall(r'\n    \{"(\w+)", (?:"|NULL)', table)
        self.assertEqual(names, list(self.fields()))
        for method in ("GET", "POST"):
            self.assertEqual(self.queries(method, "/v1/speech"), names)

    def test_fields_of_kept_results(self):
        name = self.tacod.speak("Hi.")["X-Taco-Id"]
        values = {"format": "pcm", "matrix": "none", "sample_rate": "8000", "bit_rate": "32000"}
        for path, real in [("/v1/speech/{id}", f"/v1/speech/{name}"),
                           ("/v1/speech/{id}/{form}", f"/v1/speech/{name}/alignment")]:
            known = []
            for field in self.fields():
                answer = self.tacod.get(f"{real}?{field}={values.get(field, '1')}")
                if answer.status == 200:
                    known.append(field)
                else:
                    self.assert_error(answer, 400, "unknown_parameter", field)
            self.assertEqual(sorted(known), sorted(self.queries("GET", path)))

    def test_ranges_and_choices(self):
        for name, field in self.fields().items():
            for key, step in (("minimum", -1), ("maximum", 1)):
                if key in field:
                    outside = field[key] + step * (1 if field["type"] == "integer" else 1e-3)
                    # Bit rates are those of a format: opus has the lowest, mp3 the highest.
                    form = {"format": "opus"} if key == "minimum" else {"format": "mp3", "sample_rate": 48000}
                    answer = self.tacod.speak("Hi.", **{**(form if name == "bit_rate" else {}),
                                                        name: outside})
                    self.assert_error(answer, 400, "invalid_argument")
            if "enum" in field:
                self.assert_error(self.tacod.speak("Hi.", **{name: "other"}), 400,
                                  "invalid_argument", name)
            wrong = {"a": 1} if field.get("type") != "object" else 1
            self.assert_error(self.tacod.speak(**{"text": "Hi.", name: wrong}), 400, "wrong_type",
                              name)

    def test_choices_are_taken(self):
        for name, field in self.fields().items():
            for value in field.get("enum", ()):
                self.assertEqual(self.tacod.speak("<speak>Hi.</speak>" if value == "ssml" else "Hi.", **{name: value}).status, 200, value)

    def test_dialects_have_no_other_parameters(self):
        known = set(self.queries("GET", "/api/tts"))
        for name in re.findall(r'strcmp\(name, "(\w+)"\)', source("compat/coqui.c")):
            self.assertIn(name, known)
        names = set(re.findall(r'str(?:case)?cmp\(name, "(\w+)"\)', source("compat/mary.c")))
        self.assertEqual(names, set(self.queries("GET", "/process")))
        body = self.operations["POST", "/process"]["requestBody"]["content"]
        self.assertEqual(names, set(body["application/x-www-form-urlencoded"]["schema"]["properties"]))
        for (method, path), _ in self.operations.items():
            if path.startswith("/v1/text-to-speech"):
                for name in self.queries(method, path):
                    answer = self.tacod.post('{"text": "Hi."}', "application/json",
                                             path.replace("{voice}", "heart") + f"?{name}=pcm_16000")
                    self.assertEqual(answer.status, 200, name)
        names = set(re.findall(r'strcmp\(name, "(\w+)"\) == 0', source("compat/openai.c")
                               .split("static int set_field")[1].split("static")[0]))
        documented = self.doc["components"]["schemas"]["OpenAIRequest"]["properties"]
        self.assertEqual(names, set(documented) - {"speed"})

    # -- answers ---------------------------------------------------------------------------

    def test_lists(self):
        for path in ("/healthz", "/readyz", "/metrics", "/v1/status", "/v1/voices", "/v1/audio/voices", "/v1/audio/models", "/v1/models",
                     "/v2/voices", "/voices",
                     "/locales", "/version", "/audioformats", "/datatypes", "/openapi.json", "/"):
            self.check_answer("GET", path, self.tacod.get(path), 200)
        models = self.tacod.get("/v1/models", xi_api_key="x")
        self.assertIsInstance(models.json(), list)
        self.check_answer("GET", "/v1/models", models, 200)
        for path in ("/v1/user", "/v1/user/subscription", "/v1/voices/settings/default"):
            self.check_answer("GET", path, self.tacod.get(path, xi_api_key="x"), 200)
        for voice, status in (("heart", 200), ("alloy", 200), ("nobody", 404)):
            self.check_answer("GET", "/v1/voices/{voice}/settings",
                              self.tacod.get(f"/v1/voices/{voice}/settings"), status)
        for path, arguments in (("/v1/voices/{name}", "heart"), ("/v1/models/{id}", "heart"),
                                ("/{file}", "index.html")):
            real = re.sub(r"\{\w+\}", arguments, path)
            self.check_answer("GET", path, self.tacod.get(real), 200)

    def test_speech(self):
        formats = self.fields()["format"]["enum"]
        for name in formats:
            self.check_answer("POST", "/v1/speech", self.tacod.speak("Hi.", format=name), 200)
        for accept in ("application/json", "multipart/mixed", "text/event-stream"):
            self.check_answer("POST", "/v1/speech", self.tacod.speak("Hi.", accept=accept), 200)
        for text in ("Hello, world. It costs $25.50.", "a\u00e9 \u4f60 b\n\nc"):
            for matrix in ("none", "arrays", "float16"):
                self.check_answer("POST", "/v1/speech",
                                  self.tacod.speak(text, accept="application/json", matrix=matrix), 200)
        self.check_answer("GET", "/v1/speech", self.tacod.get("/v1/speech?text=Hi."), 200)
        self.check_answer("GET", "/v1/text", self.tacod.get("/v1/text?text=Hi."), 200)
        self.check_answer("POST", "/v1/text", self.tacod.post("It cost $5 \u4f60.".encode(), path="/v1/text"), 200)

    def test_kept(self):
        real = "/v1/speech/" + self.tacod.speak("Hello, world.")["X-Taco-Id"]
        self.check_answer("GET", "/v1/speech/{id}", self.tacod.get(real), 200)
        path = "/v1/speech/{id}/{form}"
        form, = [p for p in self.operations["GET", path]["parameters"] if p["name"] == "form"]
        for name in form["schema"]["enum"]:
            self.check_answer("GET", path, self.tacod.get(f"{real}/{name}"), 200)
        listed = re.findall(r'\{"([\w.]+)", TACO_FORMAT', source("api/handle_results.c"))
        self.assertEqual(sorted(listed), sorted(form["schema"]["enum"]))

    def test_dialects(self):
        body = {"model": "tts-1", "input": "Hi.", "voice": "alloy"}
        for fields in ({}, {"response_format": "wav"}, {"stream_format": "sse"}):
            self.check_answer("POST", "/v1/audio/speech",
                              self.tacod.post(json.dumps({**body, **fields}), "application/json",
                                              "/v1/audio/speech"), 200)
        for method, path in self.operations:
            if path.startswith("/v1/text-to-speech"):
                self.check_answer(method, path, self.tacod.post(
                    '{"text": "Hi."}', "application/json", path.replace("{voice}", "heart")), 200)
                self.check_answer(method, path, self.tacod.post(
                    '{"text": " "}', "application/json", path.replace("{voice}", "heart")), 400)
        for path, text in (("/api/tts", "text"), ("/process", "INPUT_TEXT")):
            self.check_answer("GET", path, self.tacod.get(f"{path}?{text}=Hi."), 200)
            self.check_answer("POST", path, self.tacod.post("Hi.", path=path), 200)
            self.check_answer("GET", path, self.tacod.get(path), 400)
        self.check_answer("GET", "/process", self.tacod.get(
            "/process?INPUT_TEXT=Hi.&OUTPUT_TYPE=REALISED_DURATIONS"), 200)

    def test_errors(self):
        for fields in ({"text": ""}, {"speed": 9}, {"text": "a\0"}, {"text": "{ZZ}", "strict": True}, {"x": 1},
                       {"voice": "x"}):
            self.check_answer("POST", "/v1/speech", self.tacod.speak(**{"text": "Hi.", **fields}), 400)
        self.check_answer("GET", "/v1/speech/{id}", self.tacod.get("/v1/speech/x"), 404)
        self.check_answer("GET", "/v1/models/{id}", self.tacod.get("/v1/models/x"), 404)


if __name__ == "__main__":
    unittest.main()
