"""A service under load is asked to end: every request that reached it is answered, and it ends with status 0.

usage: drain.py image|images COMMAND...        the name of the request's field; COMMAND prints "listening on port N"
"""
import collections
import http.client
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time

CLIENTS = 16


class Load:
    """Clients that ask again and again, each time over a new connection, until nobody listens any more."""

    def __init__(self, port, body):
        self.port, self.body = port, body
        self.lock = threading.Lock()
        self.statuses = collections.Counter()
        self.under_way = self.lost = 0
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def run(self):
        while True:
            connection = http.client.HTTPConnection("localhost", self.port, timeout=60)
            try:
                connection.connect()
            except ConnectionRefusedError:
                return
            with self.lock:
                self.under_way += 1
            status = None
            try:
                connection.request("POST", "/predict", self.body, {"Connection": "close"})
                response = connection.getresponse()
                answer = json.loads(response.read())
                if ("error" in answer) == (response.status != 200):
                    status = response.status
            except (OSError, ValueError, http.client.HTTPException):
                pass  # it came too late for the service: its count tells
            finally:
                connection.close()
                with self.lock:
                    self.under_way -= 1
                    if status is None:
                        self.lost += 1
                    else:
                        self.statuses[status] += 1


def main(field, command):
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        for line in service.stdout:
            found = re.match(r"listening on port (\d+)", line)
            if found:
                break
        else:
            raise SystemExit("the service did not begin to listen")
        pixels = [round(random.random(), 3) for _ in range(784)]
        load = Load(int(found[1]), json.dumps({field: [pixels] if field == "images" else pixels}))
        deadline = time.monotonic() + 60
        while load.statuses[200] < 300 and time.monotonic() < deadline:
            time.sleep(0.05)
        while not load.under_way:
            pass
        under_way = load.under_way
        service.send_signal(signal.SIGTERM)
        rest = service.stdout.read()
        code = service.wait(60)
        for thread in load.threads:
            thread.join(60)
    finally:
        service.kill()
    print(f"{dict(load.statuses)}, {under_way} under way at the signal, {load.lost} came after the end; status {code}\n{rest}", end="")
    assert code == 0, code
    answered, arrived = map(int, re.search(r"drained: answered (\d+) of (\d+) requests", rest).groups())
    assert answered == arrived == sum(load.statuses.values()), "a request was not answered, or its answer did not arrive"
    assert load.statuses[200] >= 300 and under_way > 0
    assert set(load.statuses) <= {200, 503}, load.statuses


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
