"""Every query of the dashboard and every recording rule has an answer of numbers in a real
Prometheus that scrapes a tacod at work."""

import json
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests/http"))
from daemon import PATIENCE, Daemon  # noqa: E402

CONFIG = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [rules.yml]
scrape_configs:
  - job_name: tacod
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def work(tacod):
    """Speech, a repetition, a mistake: what the panels show."""
    tacod.request("POST", "/v1/speech?seed=1", b"Hello, world.")
    tacod.request("POST", "/v1/speech?seed=1", b"Hello, world.")
    tacod.request("POST", "/v1/speech", b"One more. And another.")
    tacod.request("POST", "/v1/speech?speed=99", b"Too fast.")


def queries():
    """(title, expression) of every target of every panel, and every recording rule."""
    with open(os.path.join(ROOT, "docker/grafana-dashboard.json"), encoding="utf-8") as file:
        dashboard = json.load(file)
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids)), "panels share an id"
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$__rate_interval", "8s").replace("$instance", ".*")
    with open(os.path.join(ROOT, "docker/prometheus-rules.yml"), encoding="utf-8") as file:
        for line in file:
            if "record:" in line:
                yield "rule", line.split("record:")[1].strip()


class Prometheus:
    def __init__(self, folder, tacod_port):
        self.port = free_port()
        with open(os.path.join(folder, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write(CONFIG.format(port=tacod_port))
        with open(os.path.join(ROOT, "docker/prometheus-rules.yml"), encoding="utf-8") as file:
            rules = file.read().replace("[5m]", "[8s]").replace("[30m]", "[8s]")
        with open(os.path.join(folder, "rules.yml"), "w", encoding="utf-8") as file:
            file.write(rules)
        self.log = open(os.path.join(folder, "log"), "wb")
        self.process = subprocess.Popen(
            ["prometheus", "--config.file=" + os.path.join(folder, "prometheus.yml"),
             "--storage.tsdb.path=" + os.path.join(folder, "data"),
             f"--web.listen-address=127.0.0.1:{self.port}"],
            stdout=self.log, stderr=self.log)

    def query(self, expression):
        """The values of an instant query; none while Prometheus starts."""
        url = f"http://127.0.0.1:{self.port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return [float(series["value"][1]) for series in json.load(answer)["data"]["result"]]
        except urllib.error.HTTPError as error:
            if error.code == 503:
                return []
            raise AssertionError(f"{expression}: {error.read().decode()}") from None
        except OSError:
            return []

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


def answered(values):
    return bool(values) and any(math.isfinite(value) for value in values)


def main():
    folder = tempfile.mkdtemp()
    tacod = Daemon()
    prometheus = Prometheus(folder, tacod.port)
    try:
        missing = list(queries())
        assert len(missing) > 25
        end = time.monotonic() + PATIENCE / 4
        while missing and time.monotonic() < end:
            assert prometheus.process.poll() is None, "prometheus ended"
            work(tacod)
            time.sleep(0.5)
            missing = [(title, e) for title, e in missing if not answered(prometheus.query(e))]
        for title, expression in missing:
            print(f"no answer: {title}: {expression}")
        if missing:
            sys.exit(1)
        print(f"{len(list(queries()))} queries have answers")
    finally:
        prometheus.close()
        tacod.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
