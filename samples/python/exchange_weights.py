#!/usr/bin/env python3
"""Weights travel between haft and PyTorch in a safetensors file.

A network is made here, saved, and loaded into PyTorch's module of the same shape, where PyTorch is installed; PyTorch changes the
weights and sends them back. PyTorch needs no package for the format: a safetensors file is a length, a JSON header and bytes.

usage: exchange_weights.py [FILE]"""
import json
import os
import struct
import sys
import tempfile

import haft
from haft import nn
from haft.serialization import load_safetensors, save_safetensors


def network(nn):
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))


TYPES = {"F32": "float32", "F64": "float64", "I64": "int64"}


def read(torch, path):
    """A safetensors file as a dict of PyTorch's tensors."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    return {name: torch.frombuffer(data[slice(*entry["data_offsets"])], dtype=getattr(torch, TYPES[entry["dtype"]]))
            .reshape(entry["shape"]) for name, entry in header.items()}


def write(tensors, path):
    """PyTorch's tensors into a safetensors file."""
    names = {name: code for code, name in TYPES.items()}
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": names[str(tensor.dtype).split(".")[1]], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(tempfile.mkdtemp(), "weights.safetensors")
    haft.manual_seed(0)
    ours = network(nn)
    save_safetensors(ours.state_dict(), path)
    print(f"{path}: {os.path.getsize(path)} bytes")
    x = haft.randn(5, 4)

    try:
        import torch
    except ImportError:
        print("PyTorch is not installed; haft reads the file itself")
        again = network(nn)
        again.load_state_dict(load_safetensors(path))
        assert haft.equal(again(x), ours(x))
        return
    theirs = network(torch.nn)
    theirs.load_state_dict(read(torch, path))
    difference = abs(theirs(torch.from_numpy(x.numpy())).detach().numpy() - ours(x).detach().numpy()).max()
    print(f"the same outputs in PyTorch {torch.__version__}: the largest difference is {difference:.1e}")
    assert difference < 1e-5

    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.mul_(2)
    write(theirs.state_dict(), path)
    ours.load_state_dict(load_safetensors(path))
    difference = abs(theirs(torch.from_numpy(x.numpy())).detach().numpy() - ours(x).detach().numpy()).max()
    print(f"and back, changed: {difference:.1e}")
    assert difference < 1e-4


if __name__ == "__main__":
    main()
