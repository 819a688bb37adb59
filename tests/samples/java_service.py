"""The service in Java: reload, limits, overload, what it tells, and its end. It waits for events; GUARD ends what hangs.

usage: java_service.py JAVA JAR CLASSES SOURCES
"""
import array
import atexit
import collections
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

GUARD = 600
JAVA, JAR, CLASSES, SOURCES = sys.argv[1:]
PROGRAM = ("-cp", f"{JAR}:{CLASSES}")
HEAP = ("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch")
PATIENCE = ("--timeout", "2h", "--body-time", "2h", "--drain", "2h")  # who else computes must not decide


def write_weights(path, widths, seed):
    """A perceptron's, as a safetensors file that takes the place of the one before at once."""
    draw, header, data = random.Random(seed), {}, array.array("f")
    for i, (ins, outs) in enumerate(zip(widths, widths[1:])):
        for name, shape in ((f"{2 * i}.weight", [outs, ins]), (f"{2 * i}.bias", [outs])):
            begin = 4 * len(data)
            data.extend(draw.uniform(-0.1, 0.1) for _ in range(shape[0] * (shape[1] if len(shape) > 1 else 1)))
            header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, 4 * len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    replace(path, len(text).to_bytes(8, "little") + text + data.tobytes())


def replace(path, content):
    with open(path + ".new", "wb") as f:
        f.write(content)
    os.replace(path + ".new", path)


class Service:
    """The process, its events, and questions to it."""

    def __init__(self, *options, jvm=()):
        command = [JAVA, *HEAP, *jvm, *PROGRAM, "service.Service", "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        self.lines, self.read, self.over = [], 0, False
        self.change = threading.Condition()
        threading.Thread(target=self.follow, daemon=True).start()
        self.port = self.wait("listening")["port"]

    def follow(self):
        for line in self.process.stdout:
            with self.change:
                self.lines.append(line)
                self.change.notify_all()
        with self.change:
            self.over = True
            self.change.notify_all()

    def wait(self, *events, **fields):
        """The next of these events that has these fields."""
        deadline = time.monotonic() + GUARD
        with self.change:
            while True:
                while self.read < len(self.lines):
                    line = json.loads(self.lines[self.read])
                    self.read += 1
                    if line.get("event") in events and all(line.get(k) == v for k, v in fields.items()):
                        return line
                if self.over or time.monotonic() > deadline:
                    raise AssertionError(f"no event {events} {fields} in\n" + "".join(self.lines))
                self.change.wait(1)

    def ask(self, method, path, body=None, headers={}):
        """Status, headers, and what the answer's JSON says (or its text)."""
        connection = http.client.HTTPConnection("localhost", self.port, timeout=GUARD)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = answer.headers["Content-Type"] == "application/json"
            return answer.status, answer.headers, json.loads(text) if is_json else text
        finally:
            connection.close()

    def predict(self, model, body, **headers):
        return self.ask("POST", f"/models/{model}/predict", body, headers)

    def figure(self, name):
        """Of /metrics, by its name with labels."""
        for line in self.ask("GET", "/metrics")[2].split("\n"):
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        return None

    def until(self, name, value):
        deadline = time.monotonic() + GUARD
        while self.figure(name) != value:
            assert time.monotonic() < deadline, f"{name} does not become {value}"

    def reload(self):
        self.process.send_signal(signal.SIGHUP)
        return self.wait("models.ready", "models.missing")["event"]

    def end(self):
        """Waits for it; each line it has written is an event or a library's message."""
        code = self.process.wait(GUARD)
        with self.change:
            self.change.wait_for(lambda: self.over, GUARD)
        for line in map(json.loads, self.lines):
            assert {"time", "level", "logger"} <= line.keys() and ("event" in line) != ("message" in line), line
        assert code == 0, (code, "".join(self.lines))


def pictures(n, seed=0):
    draw = random.Random(seed)
    return json.dumps({"pictures": [[draw.randrange(256) for _ in range(784)] for _ in range(n)]})


def in_thread(f, *arguments):
    """Runs it; join() gives what it answered."""
    result = []
    thread = threading.Thread(target=lambda: result.append(f(*arguments)), daemon=True)
    thread.start()

    def join():
        thread.join(GUARD)
        assert result, "no answer"
        return result[0]
    return join


# ---- what is tried ----

def ready_and_reload(service, small, large):
    """It is alive, and not ready before each model has weights; a good file replaces them, a bad one does not."""
    assert service.wait("models.missing")["models"] == ["large"]
    assert service.ask("GET", "/health/live")[0] == 200
    status, _, state = service.ask("GET", "/health/ready")
    assert status == 503 and state["status"] == "starting", state
    assert [m["ready"] for m in state["models"]] == [True, False] and "large" in state["models"][1]["problem"], state
    assert service.predict("small", pictures(1))[0] == 200
    status, headers, _ = service.predict("large", pictures(1))
    assert status == 503 and headers["Retry-After"]

    train = [JAVA, *PROGRAM, "service.Train", large, "--hidden", "64,32", "--samples", "512", "--epochs", "1"]
    subprocess.run(train, check=True)
    assert service.reload() == "models.ready"
    assert service.ask("GET", "/health/ready")[0] == 200
    assert service.predict("large", pictures(1))[0] == 200

    def scores():
        status, _, answer = service.predict("small", pictures(2))
        assert status == 200 and len(answer["predictions"]) == 2, answer
        return [s for p in answer["predictions"] for s in p["scores"]]

    def alike(a, b):
        return all(abs(x - y) < 1e-5 for x, y in zip(a, b))

    before = scores()
    assert len(before) == 20 and abs(sum(before) - 2) < 1e-4
    write_weights(small, (784, 48, 10), 2)  # other weights, and a wider net
    service.reload()
    after = scores()
    assert not alike(after, before)
    version = service.figure('service_model_version{model="small"}')

    def garbage():
        replace(small, b"no weights")

    def eleven_classes():
        write_weights(small, (784, 32, 11), 3)

    def truncated():
        write_weights(small, (784, 32, 10), 3)
        with open(small, "rb") as f:
            content = f.read()
        replace(small, content[:len(content) // 2])

    def missing():
        os.remove(small)

    for spoil, reason in (garbage, "safetensors"), (eleven_classes, "11"), (truncated, "small"), (missing, "small"):
        spoil()
        service.process.send_signal(signal.SIGHUP)
        refused = service.wait("model.refused", model="small")
        assert re.search(reason, refused["reason"]), refused
        service.wait("models.ready")
        assert alike(scores(), after)
        now = service.figure('service_model_version{model="small"}')
        assert now == version, (refused, version, now)
        assert service.ask("GET", "/health/ready")[0] == 200
    write_weights(small, (784, 32, 10), 1)
    service.reload()
    assert alike(scores(), before)


def limits(service):
    status, headers, answer = service.predict("small", pictures(1), **{"X-Request-Id": "mine-1"})
    assert status == 200 and headers["X-Request-Id"] == answer["request"] == "mine-1"
    assert service.wait("request", request="mine-1")["rows"] == 1
    for wanted, method, path, body in (
            (413, "POST", "/models/small/predict", pictures(5)),
            (413, "POST", "/models/small/predict", '{"pictures": ' + " " * 40000),
            (400, "POST", "/models/small/predict", '{"pictures": [[1, 2]]}'),
            (400, "POST", "/models/small/predict", pictures(1).replace("]]", ", 7]]")),
            (400, "POST", "/models/small/predict", pictures(1).replace("[[", "[[256,")),
            (400, "POST", "/models/small/predict", "nonsense"),
            (400, "POST", "/models/small/predict", ""),
            (400, "POST", "/models/small/predict", pictures(1) + "x"),
            (405, "GET", "/models/small/predict", None),
            (404, "POST", "/models/other/predict", pictures(1)),
            (404, "POST", "/models/small", pictures(1)),
            (404, "GET", "/nothing", None)):
        status, headers, answer = service.ask(method, path, body)
        assert status == wanted and answer["error"], (wanted, status, answer, body)
        if path.startswith("/models"):
            logged = service.wait("request", request=answer["request"])
            assert logged["status"] == wanted and logged["error"] == answer["error"], logged
    assert service.figure('haft_session_requests_total{session="small",outcome="invalid"}') == 0, "one came to the session"


def observed(service):
    text = service.ask("GET", "/metrics")[2]
    for name in ('haft_session_latency_seconds_bucket{session="small",le="+Inf"}',
                 'haft_session_batch_requests_bucket{session="large",le="+Inf"}',
                 'service_requests_total{model="small",code="200"}'):
        assert name in text, name + "\n" + text
    probe = os.path.join(os.path.dirname(os.path.abspath(__file__)), "JmxProbe.java")
    out = subprocess.run([JAVA, probe, str(service.process.pid)], check=True, stdout=subprocess.PIPE, text=True).stdout
    for bean in ("io.haft:type=Engine", 'io.haft:name="small",type=InferenceSession',
                 'io.haft:name="large",type=InferenceSession', "service:type=Models"):
        assert bean in out.split("\n"), out
    assert int(re.search(r"completed (\d+)", out)[1]) > 0
    service.wait("models.ready")  # the reload that the probe asked for
    assert service.figure("service_unclosed_objects_total") == 0


def load(service):
    """64 clients while models are exchanged: nothing fails, memory is flat."""
    test = in_thread(subprocess.run, [JAVA, os.path.join(SOURCES, "LoadTest.java"), f"http://localhost:{service.port}",
                                      "--models", "small,large", "--requests", "4000"])
    for _ in range(3):
        service.reload()
    assert test().returncode == 0


def end_under_load(service):
    """Clients over new connections ask until nobody listens: what came in is answered, and its answer arrives."""
    statuses, lock = collections.Counter(), threading.Lock()

    def client():
        while True:
            connection = http.client.HTTPConnection("localhost", service.port, timeout=GUARD)
            try:
                connection.connect()
                connection.request("POST", "/models/small/predict", body, {"Connection": "close"})
                answer = connection.getresponse()
                answer.read()
                with lock:
                    statuses[answer.status] += 1
            except ConnectionRefusedError:
                return
            except (OSError, http.client.HTTPException):
                pass  # it came too late for the service: its count tells
            finally:
                connection.close()

    body = pictures(1)
    figures = re.findall(r"^service_requests_total\{.*\} (\d+)$", service.ask("GET", "/metrics")[2], re.MULTILINE)
    before = sum(map(int, figures))
    clients = [in_thread(client) for _ in range(16)]
    deadline = time.monotonic() + GUARD
    while statuses[200] < 300 and time.monotonic() < deadline:
        time.sleep(0.01)
    service.process.send_signal(signal.SIGTERM)
    drained = service.wait("drained")
    service.end()
    for join in clients:
        join()
    print(f"at the end under load: {dict(statuses)}")
    assert drained["all"] and set(statuses) <= {200, 503} and statuses[200] >= 300, statuses
    assert drained["answers"] - before == sum(statuses.values()), (drained, before, statuses)


def overload_and_end(small, large):
    """Two requests wait for company for an hour, a third is too much, a fourth has not come in whole: SIGTERM answers them."""
    service = Service("--model", f"small={small}", "--model", f"large={large}", *PATIENCE,
                      "--max-batch", "4", "--max-delay", "1h", "--max-queue", "2")
    service.wait("models.ready")
    waiting = [in_thread(service.predict, "small", pictures(1, seed)) for seed in range(2)]
    service.until('haft_session_queue_requests{session="small"}', 2)
    status, headers, answer = service.predict("small", pictures(1))
    assert status == 429 and int(headers["Retry-After"]) > 0, (status, answer)

    body = pictures(1).encode()
    half = socket.create_connection(("localhost", service.port), GUARD)
    head = b"POST /models/large/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    half.sendall(head + body[:99])
    service.until("service_requests_in_flight", 3)

    service.process.send_signal(signal.SIGTERM)
    assert service.wait("draining")["in_flight"] == 3
    status, _, state = service.ask("GET", "/health/ready")
    assert status == 503 and state["status"] == "draining", state
    assert service.ask("GET", "/health/live")[0] == 200
    status, headers, _ = service.predict("small", pictures(1))
    assert status == 503 and headers["Retry-After"] and headers["Connection"] == "close"

    half.sendall(body[99:])
    answer = http.client.HTTPResponse(half)
    answer.begin()
    assert answer.status == 200 and json.loads(answer.read())["model"] == "large"
    for join in waiting:
        status, _, answer = join()
        assert status == 200 and len(answer["predictions"]) == 1, answer
    half.close()
    assert service.wait("drained")["all"]
    service.end()


def time_limit(small):
    service = Service("--model", f"small={small}", "--max-batch", "4", "--max-delay", "1h", *PATIENCE, "--timeout", "1ms")
    service.wait("models.ready")
    status, _, answer = service.predict("small", pictures(1))
    assert status == 504 and "in time" in answer["error"], answer
    service.process.send_signal(signal.SIGTERM)
    service.end()


def main():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup the service would inherit that it is ignored
    with tempfile.TemporaryDirectory() as folder:
        small, large = os.path.join(folder, "small.safetensors"), os.path.join(folder, "large.safetensors")
        write_weights(small, (784, 32, 10), 1)
        service = Service("--model", f"small={small}", "--model", f"large={large}", *PATIENCE,
                          "--max-body", "32768", "--max-rows", "4", "--log", "debug", jvm=("-Dhaft.leaks=1",))
        ready_and_reload(service, small, large)
        limits(service)
        load(service)
        observed(service)
        end_under_load(service)
        overload_and_end(small, large)
        time_limit(small)


if __name__ == "__main__":
    main()
