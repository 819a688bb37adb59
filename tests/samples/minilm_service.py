"""A service embeds sentences as PyTorch does, of a small random network and of the real one where it is (minilm.py), refuses what is no sentence,
and goes on with the network that it has when its folder is damaged.

usage: minilm_service.py OPTION=VALUE COMMAND...      COMMAND takes OPTION VALUE, the model NAME of which has @ for its folder, and --port 0;
where it names the simulated --device, it also shows that the network is there
"""
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import torch

OPTION, VALUE = sys.argv[1].split("=", 1)
COMMAND = sys.argv[2:]
sys.argv[1:] = []
import minilm  # noqa: E402 (it reads the command line)

GUARD = 300


class Service:
    def __init__(self, folder, *more):
        self.process = subprocess.Popen([*COMMAND, OPTION, VALUE.replace("@", folder), "--port", "0", *more], stdout=subprocess.PIPE, text=True)
        self.events, self.arrived = [], threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        self.port = self.wait("listening")["port"]
        deadline = time.monotonic() + GUARD
        while self.ask('{"sentences": ["."]}')[0] == 503:
            assert time.monotonic() < deadline, self.events
            time.sleep(0.05)

    def read(self):
        for line in self.process.stdout:
            with self.arrived:
                self.events.append(json.loads(line))
                self.arrived.notify_all()

    def wait(self, event):
        with self.arrived:
            assert self.arrived.wait_for(lambda: any(e.get("event") == event for e in self.events), GUARD), self.events
            return next(e for e in self.events if e.get("event") == event)

    def ask(self, body, verb="embed"):
        connection = http.client.HTTPConnection("localhost", self.port, timeout=GUARD)
        try:
            connection.request("POST", f"/models/{VALUE.split('=')[0]}/{verb}", body.encode() if isinstance(body, str) else body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(GUARD) == 0, (self.process.returncode, self.events)
        self.process.stdout.close()


def compare(service, folder):
    with open(os.path.join(folder, "vocab.txt"), encoding="utf-8") as file:
        tokenizer = minilm.Reference(file.read().split("\n")[:-1])
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    weights, worst = minilm.read(os.path.join(folder, "model.safetensors")), 0
    sentences = [s for s in minilm.SENTENCES if len(s) < 1000] + ["an \"escaped\" \\ line\nand\ttab / é"]
    theirs = torch.stack([minilm.embed(weights, config, tokenizer(s)) for s in sentences])
    for ascii_only in True, False:  # é as \u00e9 and as itself
        status, answer = service.ask(json.dumps({"sentences": sentences}, ensure_ascii=ascii_only))
        assert status == 200, answer
        ours = torch.tensor(answer["embeddings"], dtype=torch.float64)
        assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
        worst = max(worst, (ours - theirs).abs().max().item())
    print(f"{os.path.basename(folder)}: {len(sentences)} embeddings of {theirs.shape[1]}, largest difference {worst:.1e}")
    assert worst < 1e-5, worst


def lacks(folder):
    """The service says of a device without linear layers that it cannot serve the network."""
    process = subprocess.Popen([*COMMAND, OPTION, VALUE.replace("@", folder), "--port", "0"], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "HAFT_SIM_REFUSE": "linear"})
    try:
        assert any("[linear] device sim" in line for line in process.stdout), "it served without the device"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def main():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, "small")
        minilm.small(folder)
        if "--device" in COMMAND:
            lacks(folder)
        service = Service(folder, "--max-rows", "40")
        compare(service, folder)
        for bad in ("", "{}", "[]", '{"sentences": []}', '{"sentences": [1]}', '{"sentences": ["a]}', '{"sentences": ["a"', '{"sentences": ["\\x"]}',
                    '{"sentences": ["\\u12"]}', '{"sentences": ["a\nb"]}', '{"sentences": ["a"]}x', '{"inputs": [[1]]}', b'{"sentences": ["\xff"]}'):
            status, answer = service.ask(bad)
            assert status == 400 and answer["error"], (bad, status, answer)
        assert service.ask(json.dumps({"sentences": ["a"] * 41}))[0] == 413
        assert service.ask('{"sentences": ["a"]}', "predict")[0] == 404
        os.truncate(os.path.join(folder, "model.safetensors"), 1000)
        service.process.send_signal(signal.SIGHUP)
        service.wait("model.refused")
        assert service.ask('{"sentences": ["the cat"]}')[0] == 200
        service.end()
        if minilm.real():
            service = Service(minilm.real(), "--max-rows", "40")
            compare(service, minilm.real())
            service.end()


if __name__ == "__main__":
    main()
