"""The service in C#: its limits, its models' reload by signal, overload, readiness, and its end under load. Weights are made here: a model
answers the class of the one bias that is not 0.

usage: service_csharp.py [--training] MONO SERVICE LOAD_TEST
"""
import array
import collections
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

MONO = SERVICE = LOAD_TEST = None
HANG = 300  # seconds after which a test gives up; none waits for a time to pass
PICTURE = [0.5] * 784
LABELS = ["T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]


def weights(path, answer, classes=10):
    """A perceptron that answers one class, whatever it sees."""
    bias = [0.0] * classes
    bias[answer] = 1.0
    tensors = {"1.weight": ([128, 784], [0.0] * (128 * 784)), "1.bias": ([128], [0.0] * 128), "3.weight": ([classes, 128], [0.0] * (classes * 128)), "3.bias": ([classes], bias)}
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        bytes_ = array.array("f", values).tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    with open(path + ".new", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)
    os.replace(path + ".new", path)


class Service:
    def __init__(self, *options):
        self.process = subprocess.Popen([MONO, SERVICE, "--port", "0", *options], stdout=subprocess.PIPE, text=True)
        self.events, self.arrived = [], threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.port = self.wait("listening")["port"]

    def read(self):
        for line in self.process.stdout:
            with self.arrived:
                self.events.append(json.loads(line))
                self.arrived.notify_all()
        with self.arrived:
            self.events.append({"event": "closed"})
            self.arrived.notify_all()

    def wait(self, event, count=1):
        """The count-th event of this name."""
        def find():
            found = [e for e in self.events if e["event"] == event]
            if len(found) >= count:
                return found[count - 1]
            assert event == "closed" or not any(e["event"] == "closed" for e in self.events), "the service ended: %s" % self.events
            return None
        with self.arrived:
            assert self.arrived.wait_for(find, HANG), "no %s: %s" % (event, self.events)
            return find()

    def connect(self):
        return http.client.HTTPConnection("localhost", self.port, timeout=HANG)

    def ask(self, method, path, body=None, headers={}):
        connection = self.connect()
        try:
            connection.request(method, path, body, {"Connection": "close", **headers})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def predict(self, model, rows=1, headers={}, picture=PICTURE):
        return self.ask("POST", "/models/%s/predict" % model, json.dumps({"inputs": [picture] * rows}), headers)

    def answer(self, model):
        status, _, body = self.predict(model)
        assert status == 200, body
        return json.loads(body)["predictions"][0]["class"]

    def metric(self, name):
        for line in self.ask("GET", "/metrics")[2].splitlines():
            if line.startswith(name + " "):
                return float(line[len(name) + 1:])
        return None

    def until(self, condition):
        deadline = time.monotonic() + HANG
        while not condition():
            assert time.monotonic() < deadline, "it does not happen"
            time.sleep(0.01)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.over()

    def over(self):
        end = self.wait("end")
        self.wait("closed")
        assert self.process.wait(HANG) == 0, self.process.returncode
        assert end["all"] is True and end["arrived"] == end["answered"], end
        return end

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class Load:
    """Clients that ask again and again (or once), each time over a new connection, until nobody listens any more or it is enough."""

    def __init__(self, service, clients, model, once=False):
        self.service, self.model, self.once = service, model, once
        self.lock, self.stopped = threading.Lock(), False
        self.statuses, self.classes = collections.Counter(), collections.Counter()
        self.lost = 0
        self.body = json.dumps({"inputs": [PICTURE]})
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self):
        while not self.stopped:
            connection, status, body = self.service.connect(), None, ""
            try:
                try:
                    connection.connect()
                except ConnectionRefusedError:
                    return
                connection.request("POST", "/models/%s/predict" % self.model, self.body, {"Connection": "close"})
                response = connection.getresponse()
                body = response.read()
                status = response.status
            except (OSError, http.client.HTTPException):
                pass  # it came too late for the service: its count tells
            finally:
                connection.close()
            with self.lock:
                self.statuses[status] += 1
                if status == 200:
                    self.classes[json.loads(body)["predictions"][0]["class"]] += 1
            if self.once:
                return

    def stop(self):
        self.stopped = True
        return self.join()

    def join(self):
        for thread in self.threads:
            thread.join(HANG)
            assert not thread.is_alive(), "a client hangs"
        assert self.statuses[200] == sum(self.classes.values()), "an answer without predictions"
        return self.statuses


class ServiceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.a, self.b = (os.path.join(folder.name, name) for name in ("a.safetensors", "b.safetensors"))
        weights(self.a, 3)
        weights(self.b, 7)
        self.models = ["--model", "a=perceptron:" + self.a, "--model", "b=perceptron:" + self.b]

    def test_models_and_limits(self):
        with Service(*self.models, "--max-body", "200000", "--max-rows", "40", "--leaks", "1", "--log", "debug") as s:
            s.wait("ready")
            self.assertEqual(s.ask("GET", "/health")[0], 200)
            self.assertEqual(s.ask("GET", "/ready")[0], 200)
            self.assertEqual(json.loads(s.ask("GET", "/models")[2]), {"models": ["a", "b"]})
            self.assertEqual((s.answer("a"), s.answer("b")), (3, 7))
            status, headers, body = s.predict("b", 40, {"X-Request-Id": "my-1"})
            predictions = json.loads(body)["predictions"]
            self.assertEqual((status, headers["X-Request-Id"], len(predictions), predictions[39]["label"]), (200, "my-1", 40, LABELS[7]))
            self.assertAlmostEqual(predictions[0]["probability"], 2.718281828 / (9 + 2.718281828), 5)
            self.assertRegex(s.predict("a", headers={"X-Request-Id": "no good"})[1]["X-Request-Id"], "^[0-9a-f]{32}$")
            # What clients do wrong.
            self.assertEqual(s.ask("GET", "/models/a/predict")[0], 405)
            self.assertEqual(s.predict("c")[0], 404)
            self.assertEqual(s.ask("GET", "/nowhere")[0], 404)
            for bad in ("", "nonsense", "[]", '{"inputs": []}', '{"inputs": [[]]}', '{"inputs": [[1, 2]]}', json.dumps({"inputs": [PICTURE + [1]]}), json.dumps({"inputs": [PICTURE]}) + "x",
                        json.dumps({"images": [PICTURE]}), json.dumps({"inputs": [PICTURE[1:] + ["1"]]}), json.dumps({"inputs": [PICTURE[1:] + [1e39]]}), json.dumps({"inputs": [PICTURE]})[:-3]):
                status, _, body = s.ask("POST", "/models/a/predict", bad)
                self.assertEqual(status, 400, bad[-40:] + body)
                self.assertIn("error", json.loads(body))
            self.assertEqual(s.predict("a", headers={"X-Timeout-Ms": "soon"})[0], 400)
            self.assertEqual(s.predict("a", 41, picture=[0] * 784)[0], 413)
            large = json.dumps({"inputs": [PICTURE] * 39}) + " " * 100000
            self.assertEqual(s.ask("POST", "/models/a/predict", large)[0], 413)
            # So large that nobody waits for it.
            with socket.create_connection(("localhost", s.port), timeout=HANG) as huge:
                huge.sendall(b"POST /models/a/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n")
                self.assertIn(b" 413 ", huge.recv(4096).split(b"\r\n")[0])
            # Of unknown length: in chunks.
            self.assertEqual(s.ask("POST", "/models/a/predict", iter([large[i:i + 5000].encode() for i in range(0, len(large), 5000)]))[0], 413)
            text = json.dumps({"inputs": [PICTURE]})
            self.assertEqual(s.ask("POST", "/models/b/predict", iter([text[:100].encode(), text[100:].encode()]))[0], 200)
            # A body that does not come.
            with socket.create_connection(("localhost", s.port), timeout=HANG) as slow:
                slow.sendall(b"POST /models/a/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\nX-Timeout-Ms: 50\r\n\r\n{\"inputs\": [[")
                self.assertIn(b" 408 ", slow.recv(4096).split(b"\r\n")[0])
            self.assertEqual((s.answer("a"), s.answer("b")), (3, 7))
            self.assertEqual(s.metric('service_requests_total{model="a",status="405"}'), 1)
            self.assertEqual(s.metric('service_requests_total{model="a",status="408"}'), 1)
            self.assertEqual(s.metric('service_requests_total{model="a",status="500"}'), None)
            self.assertEqual(s.metric('service_request_seconds_count{model="b"}'), s.metric('service_request_seconds_bucket{model="b",le="+Inf"}'))
            self.assertGreater(s.metric('haft_session_latency_seconds_count{session="b"}'), 3)
            self.assertEqual(s.metric("service_ready"), 1)
            load = subprocess.run([MONO, LOAD_TEST, "http://localhost:%d" % s.port, "--model", "a", "--clients", "64", "--requests", "1500"], stdout=subprocess.PIPE, text=True)
            print(load.stdout, end="", flush=True)
            self.assertEqual(load.returncode, 0)
            self.assertRegex(load.stdout, r"64 clients, 1500 requests in .* p50 .* p99 ")
            self.assertEqual(s.metric("service_leaks_total"), 0)
            s.end()
            requests = [e for e in s.events if e["event"] == "request"]
            self.assertTrue(all(e["sent"] for e in requests))
            self.assertEqual([e["status"] for e in requests if e["id"] == "my-1"], [200])

    def test_reload(self):
        with Service(*self.models) as s:
            s.wait("ready")
            load = Load(s, 8, "a")
            s.until(lambda: load.classes[3] > 50)
            weights(self.a, 5)
            s.process.send_signal(signal.SIGHUP)
            s.wait("model.updated", 2)  # both
            self.assertEqual((s.answer("a"), s.answer("b")), (5, 7))
            # Cut off; of another network; of no network at all; gone. The model stays, and so does the other's update.
            with open(self.a, "rb") as f:
                whole = f.read()
            for number, bad in enumerate((lambda: open(self.a, "wb").write(whole[:-100]), lambda: weights(self.a, 8, 11), lambda: open(self.a, "w").write("?"), lambda: os.remove(self.a)), 1):
                bad()
                weights(self.b, number)
                s.process.send_signal(signal.SIGHUP)
                self.assertEqual(s.wait("model.refused", number)["model"], "a")
                s.wait("model.updated", 2 + number)
                self.assertEqual((s.answer("a"), s.answer("b")), (5, number))
            weights(self.a, 9)
            s.process.send_signal(signal.SIGHUP)
            s.wait("model.updated", 8)
            self.assertEqual(s.answer("a"), 9)
            s.until(lambda: load.classes[9] > 50)
            self.assertEqual(set(load.stop()), {200})
            self.assertEqual(set(load.classes), {3, 5, 9})
            self.assertEqual(s.metric('service_model_updates_total{model="a",outcome="updated"}'), 2)
            self.assertEqual(s.metric('service_model_updates_total{model="a",outcome="refused"}'), 4)
            self.assertEqual(s.metric('service_model_updates_total{model="b",outcome="updated"}'), 6)
            s.end()

    def test_overload_and_readiness(self):
        """Batches wait an hour for company here: what is asked stands in the queue until the service drains."""
        hour = str(3600 * 1000)
        with Service(*self.models, "--max-delay-ms", hour, "--timeout-ms", hour, "--max-queue", "4", "--max-batch", "32", "--linger-s", "3600", "--log", "debug") as s:
            s.wait("ready")
            ms = 20
            while (status := s.predict("a", headers={"X-Timeout-Ms": str(ms)})[0]) == 408:  # over while the body was read
                ms *= 2
            self.assertEqual(status, 504)
            held = Load(s, 4, "a", once=True)
            s.until(lambda: s.metric('haft_session_queue_requests{session="a"}') == 4)
            status, headers, body = s.predict("a")
            self.assertEqual((status, headers["Retry-After"]), (429, "1"))
            self.assertIn("queue is full", json.loads(body)["error"])
            self.assertEqual(s.predict("b", 32)[0], 200)  # the other model is not held up
            self.assertEqual(s.metric('haft_session_requests_total{session="a",outcome="refused"}'), 1)
            s.process.send_signal(signal.SIGTERM)
            s.wait("draining")
            self.assertEqual(s.ask("GET", "/ready")[0], 503)
            self.assertEqual(s.ask("GET", "/health")[0], 200)
            self.assertEqual(s.metric("service_ready"), 0)
            self.assertEqual(s.predict("b", 32)[0], 200)  # balancers have yet to notice
            self.assertEqual(held.statuses, {})
            s.process.send_signal(signal.SIGTERM)
            self.assertEqual(held.join(), {200: 4})
            self.assertEqual(held.classes, {3: 4})
            s.over()

    def test_too_many_open(self):
        hour = str(3600 * 1000)
        with Service(*self.models, "--max-delay-ms", hour, "--timeout-ms", hour, "--max-open", "3") as s:
            s.wait("ready")
            held = Load(s, 3, "a", once=True)
            s.until(lambda: s.metric('haft_session_queue_requests{session="a"}') == 3)
            status, headers, _ = s.predict("b")
            self.assertEqual((status, headers["Retry-After"]), (503, "1"))
            s.process.send_signal(signal.SIGTERM)
            self.assertEqual(held.join(), {200: 3})
            s.over()

    def test_end_under_load(self):
        with Service(*self.models) as s:
            s.wait("ready")
            load = Load(s, 16, "b")
            s.until(lambda: load.classes[7] > 300)
            s.process.send_signal(signal.SIGTERM)
            end = s.over()
            statuses = load.join()
            print(dict(statuses), end, flush=True)
            self.assertEqual(end["answered"], sum(n for status, n in statuses.items() if status))
            self.assertLessEqual(set(statuses), {200, 503, None})
            self.assertGreater(statuses[200], 300)

    def test_options(self):
        for options, said in ((["--nonsense"], "--nonsense"), (["--port"], "--port wants a value"), (["--max-rows", "0"], "--max-rows wants an integer from 1"), (["--model", "a"], "NAME=ARCHITECTURE:FILE"),
                              (["--model", "a=forest:x"], "forest"), (self.models + self.models, "twice"), (["--log", "loud"], "--log"), (["--model", "a b=perceptron:x"], "a b")):
            done = subprocess.run([MONO, SERVICE, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=HANG)
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)
            self.assertRegex(done.stderr, r"\AService: .*\n\Z")
            self.assertIn(said, done.stderr)


class TrainingTest(unittest.TestCase):
    def test_a_missing_file_is_trained(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "clothes.safetensors")
            with Service("--model", "clothes=perceptron:" + file) as s:
                self.assertEqual(s.ask("GET", "/ready")[0], 503)
                self.assertEqual(s.predict("clothes")[0], 503)
                self.assertGreater(s.wait("model.trained")["accuracy"], 0.8)
                s.wait("ready")
                self.assertEqual(s.ask("GET", "/ready")[0], 200)
                self.assertEqual(s.predict("clothes")[0], 200)
                self.assertGreater(os.path.getsize(file), 400000)
                s.end()


if __name__ == "__main__":
    arguments = sys.argv[1:]
    case = ServiceTest
    if arguments[0] == "--training":
        case = TrainingTest
        del arguments[0]
    MONO, SERVICE, LOAD_TEST = arguments[:3]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
