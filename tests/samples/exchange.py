"""Weights go both ways between PyTorch and a sample, in a safetensors file: the same numbers come out of the network.

usage: exchange.py COMMAND...      COMMAND FILE reads FILE, or writes it; it prints its tensors and "outputs" of its network
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import torch


def network():
    return torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))


def write(state, path):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in state.items():
        raw = tensor.numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    for entry in header.values():
        assert entry["dtype"] == "F32", entry
    return {name: torch.frombuffer(data[slice(*entry["data_offsets"])], dtype=torch.float32).reshape(entry["shape"])
            for name, entry in header.items()}


def outputs(command, path):
    text = subprocess.run(command + [path], check=True, stdout=subprocess.PIPE, text=True).stdout
    print(text, end="")
    for line in ("0.weight float32 [16, 4]", "0.bias float32 [16]", "2.weight float32 [3, 16]", "2.bias float32 [3]"):
        assert line in text.splitlines(), line
    (line,) = [line for line in text.splitlines() if line.startswith("outputs ")]
    return torch.tensor([float(v) for v in line.split()[1:]]).reshape(5, 3)


def main(command):
    x = (torch.arange(20, dtype=torch.float32).reshape(5, 4) - 10) / 10
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        net = network()
        for parameter in net.parameters():
            parameter.copy_(torch.randn_like(parameter))
        path = os.path.join(folder, "theirs.safetensors")
        write(net.state_dict(), path)
        torch.testing.assert_close(outputs(command, path), net(x), rtol=1e-5, atol=1e-6)
        path = os.path.join(folder, "ours.safetensors")
        ours = outputs(command, path)
        net.load_state_dict(read(path))
        torch.testing.assert_close(ours, net(x), rtol=1e-5, atol=1e-6)
    print("weights went both ways")


if __name__ == "__main__":
    main(sys.argv[1:])
