"""Checks what a server shows of itself: Prometheus scrapes it, a collector takes its spans. Scripts/monitoring starts it."""
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PROGRAM, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
MONITORING = pathlib.Path("Examples/monitoring")
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
spans, deliveries = [], []


class Receiver(http.server.BaseHTTPRequestHandler):
    """The collector, and the receiver of a hook."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            parsed = Parse(body, ExportTraceServiceRequest())
            raw = json.loads(body)
            for resource in raw["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    spans.extend(scope["spans"])
            assert sum(len(s.spans) for r in parsed.resource_spans for s in r.scope_spans) > 0
        else:
            deliveries.append(dict(self.headers))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


def ask(method, url, body=None, **fields):
    headers = {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in fields.items()}}
    request = urllib.request.Request(url, json.dumps(body).encode() if body is not None else None, headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read().decode()


def until(what, seconds, condition):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    sys.exit(f"{what} did not happen within {seconds} s")


def expressions():
    text = (MONITORING / "alerts.yaml").read_text()
    for line in re.findall(r"^\s+expr: (.+)$", text, re.M):
        yield line
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield target["expr"]


def main():
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    outside = f"127.0.0.1:{receiver.server_port}"
    log = open(SCRATCH / "log", "w")
    server = subprocess.Popen(
        [PROGRAM, "serve", "--data", str(SCRATCH / "data"), "--port", "0", "--otlp", f"http://{outside}",
         "--outgoing-allow", outside, "--log-format", "json", "--log-level", "debug"],
        stdout=subprocess.PIPE, stderr=log, text=True)
    prometheus = None
    try:
        address = server.stdout.readline().split()[-1]
        main_space = f"{address}/v1/spaces/main"
        ask("PUT", f"{main_space}/hooks/traced", {"source": {"changes": ["cart/*"]}, "url": f"http://{outside}/hook", "secret": "x"})
        ask("POST", f"{main_space}/cart/add", {"productId": 1}, traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")
        ask("GET", f"{main_space}/cart/totalPrice")
        try:
            ask("GET", f"{main_space}/cart/none")
        except urllib.error.HTTPError:
            pass

        own = until("the span of the action", 20, lambda: [s for s in spans if s["traceId"] == TRACE and s["kind"] == 2])[0]
        assert own["parentSpanId"] == "00f067aa0ba902b7" and own["name"] == "POST /v1/spaces/{space}/{feature}/{action}", own
        delivery = until("the delivery", 20, lambda: deliveries)[0]
        assert delivery["traceparent"].split("-")[1] == TRACE, delivery
        sent = until("the span of the delivery", 20, lambda: [s for s in spans if s["traceId"] == TRACE and s["kind"] == 3])[0]
        assert sent["parentSpanId"] == own["spanId"] and delivery["traceparent"].split("-")[2] == sent["spanId"], sent
        # A request without a trace begins one.
        assert [s for s in spans if s["traceId"] != TRACE and "parentSpanId" not in s], spans

        health = json.loads(ask("GET", f"{address}/healthz", Accept="application/json"))
        assert health["status"] in ("ok", "degraded") and {"journal", "data", "disk", "schedules", "log"} <= set(health["components"]), health
        assert ask("GET", f"{address}/healthz") == "ok\n"

        metrics = ask("GET", f"{address}/metrics")
        names = set(re.findall(r"^# TYPE (\S+)", metrics, re.M))
        subprocess.run(["promtool", "check", "metrics"], input=metrics, text=True, check=True)
        for expression in expressions():
            for name in re.findall(r"\b(?:headwater|process)_\w+", expression):
                assert re.sub("_(bucket|sum|count)$", "", name) in names or name in names, f"the server has no metric {name}"
        assert 'headwater_refusals_total{problem="no-such-view"} 1' in metrics, metrics
        assert re.search(r"^headwater_journal_syncs_total [1-9]", metrics, re.M) and "headwater_disk_free_bytes" in metrics

        config = (MONITORING / "prometheus.yml").read_text().replace("127.0.0.1:8080", address.split("//")[1])
        config = config.replace("15s", "1s").replace("alerts.yaml", str((MONITORING / "alerts.yaml").resolve()))
        (SCRATCH / "prometheus.yml").write_text(config)
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={SCRATCH}/prometheus.yml", f"--storage.tsdb.path={SCRATCH}/tsdb",
             "--web.listen-address=127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in prometheus.stderr:
            # The port is free, so it stands in the log only.
            if found := re.search(r"Listening on.*address=(\S+:\d+)", line):
                break
        threading.Thread(target=prometheus.stderr.read, daemon=True).start()
        api = f"http://{found.group(1)}/api/v1"

        def query(expression):
            return json.loads(ask("GET", f"{api}/query?{urllib.parse.urlencode({'query': expression})}"))

        def is_ready():
            try:
                return ask("GET", api.replace("/api/v1", "/-/ready"))
            except OSError:
                return None

        until("the start of Prometheus", 60, is_ready)
        until("a scrape", 60, lambda: query('up{job="headwater"} == 1')["data"]["result"])
        for expression in expressions():
            assert query(expression)["status"] == "success", expression
        rules = until("the rules", 60, lambda: [
            r for g in json.loads(ask("GET", f"{api}/rules"))["data"]["groups"] for r in g["rules"]
            if all(r["health"] == "ok" for r in g["rules"])])
        firing = [r["name"] for r in rules if r["state"] == "firing" and r["name"] != "HeadwaterDiskFull"]
        assert not firing, f"these alerts fire for a server that is well: {firing}"
        server.terminate()
        server.wait(20)
        until("the alert of a server that is down", 90, lambda: [
            r for g in json.loads(ask("GET", f"{api}/rules"))["data"]["groups"] for r in g["rules"]
            if r["name"] == "HeadwaterDown" and r["state"] in ("pending", "firing")])

        log.close()
        lines = [json.loads(line) for line in open(SCRATCH / "log")]
        answered = [line for line in lines if line["message"] == "answered"]
        assert answered and all(isinstance(line["status"], int) and isinstance(line["milliseconds"], (int, float)) for line in answered), answered[:2]
        assert all(isinstance(line["request"], str) for line in answered)
        print(f"{len(rules)} alerts and the dashboard are loaded by Prometheus; {len(spans)} spans were read by opentelemetry-proto")
    finally:
        for process in (server, prometheus):
            if process and process.poll() is None:
                process.terminate()
                process.wait(20)


main()
