#!/usr/bin/env python3
"""Exchanges files with the programs that the formats belong to: NumPy (npy, npz), struct + json (safetensors, IDX), protobuf
and crc32c (TensorBoard's events), PyTorch (bfloat16, float16, what torch.save writes)."""
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

import crc32c
import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.abspath(sys.argv[1])
TYPES = {"bool": ("BOOL", "?"), "uint8": ("U8", "u1"), "int8": ("I8", "i1"), "int16": ("I16", "<i2"), "int32": ("I32", "<i4"),
         "int64": ("I64", "<i8"), "float16": ("F16", "<f2"), "bfloat16": ("BF16", "<u2"), "float32": ("F32", "<f4"),
         "float64": ("F64", "<f8")}
SHAPES = [(), (0, 3), (5,), (2, 3, 4)]


def tool(*args):
    return subprocess.run([TOOL] + list(args), check=True, capture_output=True, text=True).stdout


def refused(*args):
    p = subprocess.run([TOOL] + list(args), capture_output=True, text=True)
    assert p.returncode == 1, (args, p.returncode, p.stderr)
    return p.stderr


def bfloat16_bits(a):
    return (a.astype("<f4").view("<u4") >> 16).astype("<u2")  # exact for small whole numbers


def ramp(name, shape):
    n = int(np.prod(shape))
    a = np.arange(n) % 2 if name == "bool" else np.arange(n)
    if name == "bfloat16":
        return bfloat16_bits(a).reshape(shape)
    return a.astype(TYPES[name][1]).reshape(shape)


def read_back(path):
    """name -> (dtype, shape, bytes) as haft sees a file."""
    out = {}
    for line in tool("read", path).splitlines():
        name, dtype, shape, data = line.split("\t")
        out[json.loads(name)] = (dtype, tuple(json.loads(shape)), bytes.fromhex(data))
    return out


def parse_safetensors(path):
    raw = open(path, "rb").read()
    n, = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + n])
    assert n % 8 == 0 and raw[8:9] == b"{"
    return header, raw[8 + n:]


def safetensors(header, data):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def write(path, content):
    with open(path, "wb") as f:
        f.write(content)
    return path


def check_ours(d):
    header, data = parse_safetensors(d + "/all.safetensors")
    assert header.pop("__metadata__") == {"format": "pt", '"\\\n\u20ac': "\x01"}
    assert len(header) == len(TYPES) * len(SHAPES)
    end = 0
    for name, (code, _) in TYPES.items():
        for shape in SHAPES:
            t = header["%s_%d" % (name, len(shape))]
            want = ramp(name, shape)
            b, e = t["data_offsets"]
            assert t["dtype"] == code and tuple(t["shape"]) == shape and data[b:e] == want.tobytes(), (name, shape)
            assert b % want.itemsize == 0
            end = max(end, e)
            if name != "bfloat16":
                a = np.load("%s/%s_%d.npy" % (d, name, len(shape)), allow_pickle=False)
                assert a.dtype == want.dtype and a.shape == shape and (a == want).all()
    assert end == len(data)

    meta = parse_safetensors(d + "/c.safetensors")[0]["__metadata__"]
    assert meta["format"] == "haft-checkpoint" and meta["version"] == "1"
    assert json.loads(meta["optimizer"]) == {"lr": 0.1, "step": 1 << 60, "on": True, "name": '"sgd"'}

    trace = json.load(open(d + "/trace.json"))["traceEvents"]
    assert trace[0]["ph"] == "M" and trace[0]["args"]["name"] == "haft"
    assert trace[1] == {"ph": "X", "name": 'mat"mul', "cat": "op", "ts": 1234.567, "dur": 1.001, "pid": trace[0]["pid"],
                        "tid": 7, "args": {"shape": "[2, 3]"}}


def check_events(d):
    subprocess.run(["protoc", "-I", HERE, "--python_out", d, HERE + "/events.proto"], check=True)
    sys.path.insert(0, d)
    import events_pb2

    def masked(b):
        c = crc32c.crc32c(b)
        return (((c >> 15) | (c << 17)) + 0xa282ead8) & 0xffffffff

    name, = os.listdir(d + "/events")
    assert name.startswith("events.out.tfevents.1700000000.host."), name
    raw = open(d + "/events/" + name, "rb").read()
    events, at = [], 0
    while at < len(raw):
        n, = struct.unpack_from("<Q", raw, at)
        payload = raw[at + 12:at + 12 + n]
        assert struct.unpack_from("<I", raw, at + 8)[0] == masked(raw[at:at + 8])
        assert struct.unpack_from("<I", raw, at + 12 + n)[0] == masked(payload)
        e = events_pb2.Event()
        e.ParseFromString(payload)
        assert e.SerializeToString() == payload or e.step == 0  # protobuf leaves a zero step out, haft writes it
        assert not e.UnknownFields() and e.wall_time == 1.7e9 + 0.5
        events.append(e)
        at += 16 + n
    assert events[0].file_version == "brain.Event:2" and len(events) == 7
    for i, e in enumerate(events[1:6]):
        v, = e.summary.value
        assert (e.step, v.tag, v.simple_value) == (i * 10**9, "loss/train", np.float32(2.5) / np.float32(i + 1))
    v, = events[6].summary.value
    values = np.arange(1000) * 0.01 - 5
    assert v.tag == "w\u00e9ights" and v.histo.num == 1000 and v.histo.min == values.min() and v.histo.max == values.max()
    assert abs(v.histo.sum - values.sum()) < 1e-9 and abs(v.histo.sum_squares - (values ** 2).sum()) < 1e-6
    counts, limits = np.histogram(values, 30)
    assert np.allclose(v.histo.bucket_limit, limits[1:]) and np.abs(np.array(v.histo.bucket) - counts).max() <= 1


def check_npy(d):
    rng = np.random.default_rng(1)
    for name, (_, code) in TYPES.items():
        if name == "bfloat16":
            continue
        for shape in SHAPES + [(1,), (4, 1, 3), (17, 31), (2, 3, 5, 7)]:
            a = (rng.random(shape) * 100).astype(code) if name != "bool" else rng.random(shape) > 0.5
            for version in (1, 0), (2, 0), (3, 0):
                for b in (np.asarray(a), np.asfortranarray(a)):
                    with open(d + "/peer.npy", "wb") as f:
                        np.lib.format.write_array(f, b, version=version)
                    (dtype, sizes, data), = read_back(d + "/peer.npy").values()
                    assert (dtype, sizes, data) == (name, b.shape, np.ascontiguousarray(a).tobytes()), (name, shape, version)
    np.save(d + "/peer.npy", np.arange(3).astype(">i4"))
    assert "big-endian" in refused("read", d + "/peer.npy")
    np.save(d + "/peer.npy", np.array([{}, []], dtype=object))
    assert "Python objects" in refused("read", d + "/peer.npy")
    np.save(d + "/peer.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i2")]))
    assert "several fields" in refused("read", d + "/peer.npy")
    for name, code in (("complex64", "<c8"), ("complex128", "<c16")):
        a = (rng.random((3, 5)) - 1j * rng.random((3, 5))).astype(code)
        np.save(d + "/peer.npy", a)
        assert list(read_back(d + "/peer.npy").values()) == [(name, a.shape, a.tobytes())], name
    np.save(d + "/peer.npy", np.zeros(2, dtype="c32"))
    assert "<c32" in refused("read", d + "/peer.npy")
    np.savez(d + "/peer.npz", a=np.zeros(2))
    os.rename(d + "/peer.npz", d + "/zip.npy")
    assert "does not begin as an npy file" in refused("read", d + "/zip.npy")


def check_npz(d):
    for name in "stored", "deflated":
        with zipfile.ZipFile("%s/%s.npz" % (d, name)) as archive:
            assert archive.testzip() is None and {i.compress_type for i in archive.infolist()} == {0 if name == "stored" else 8}
        with np.load("%s/%s.npz" % (d, name), allow_pickle=False) as file:
            assert len(file.files) == (len(TYPES) - 1) * len(SHAPES)
            for key in file.files:
                dtype, dims = key.rsplit("_", 1)
                want = ramp(dtype, next(s for s in SHAPES if len(s) == int(dims) and (len(s) != 2 or 0 in s)))
                assert file[key].dtype == want.dtype and file[key].shape == want.shape and (file[key] == want).all(), key
    arrays = {"a": np.arange(12, dtype="<f4").reshape(3, 4), "f": np.asfortranarray(np.arange(6, dtype="<i8").reshape(2, 3)), "d/\u00e9": np.zeros((0, 2)), "s": np.float64(3)}
    for save in np.savez, np.savez_compressed:
        save(d + "/peer.npz", **arrays)
        got = read_back(d + "/peer.npz")
        assert set(got) == set(arrays)
        for key, a in arrays.items():
            assert got[key] == (str(a.dtype), a.shape, np.ascontiguousarray(a).tobytes()), key
        whole = open(d + "/peer.npz", "rb").read()
        for n in range(1, len(whole) - 4, 151):
            assert "cut.npz" in refused("read", write(d + "/cut.npz", whole[:len(whole) - n]) )
    save(d + "/peer.npz", o=np.array([{}], dtype=object))
    assert "Python objects" in refused("read", d + "/peer.npz")
    os.remove(d + "/peer.npz")


class Own(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.norm = torch.nn.BatchNorm2d(4)
        self.tied = self.conv
        self.register_buffer("kept", torch.arange(3))
        self.register_buffer("left", torch.arange(3), persistent=False)


def flat(value, name=""):
    """name -> tensor, as haft names them."""
    if isinstance(value, torch.Tensor):
        return {name or "tensor": value.detach()}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    out = {}
    for k, v in items:
        out.update(flat(v, "%s.%s" % (name, k) if name else str(k)))
    return out


def check_pytorch(d):
    net = Own()
    optimizer = torch.optim.Adam(net.parameters())
    net.norm(net.conv(torch.randn(2, 3, 8, 8))).sum().backward()
    optimizer.step()
    base = torch.arange(24.).reshape(4, 6)
    values = {
        "state": net.state_dict(),
        "run": {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "lr": 0.1, "name": "x", "big": 1 << 80, "args": [1, (2, None), {3}, True]},
        "views": {"t": base.t(), "row": base[1], "part": base[1:3, ::2], "whole": base, "one": base[2, 3], "none": base[:0], "wide": base[0].expand(5, 6)},
        "types": {k: torch.ones(3).to(getattr(torch, k)) for k in TYPES},
        "alone": base,
        "list": [base, {"a": base}, (base, 3)],
        "parameter": {"p": torch.nn.Parameter(base), "q": torch.nn.Parameter(base, requires_grad=False)},
        "module": net,
    }
    for what, value in values.items():
        want = flat(dict(value.state_dict()) if isinstance(value, torch.nn.Module) else value)
        for options in {}, {"_use_new_zipfile_serialization": False}, {"pickle_protocol": 4}:
            torch.save(value, d + "/peer.pt", **options)
            got = read_back(d + "/peer.pt")
            assert set(got) == set(want), (what, set(got) ^ set(want))
            for key, t in want.items():
                raw = (t.contiguous().view(torch.int16) if t.dtype == torch.bfloat16 and t.dim() else t.contiguous()).numpy().tobytes() if t.numel() else b""
                assert got[key] == (str(t.dtype)[6:], tuple(t.shape), raw), (what, key, options)
            whole = open(d + "/peer.pt", "rb").read()
            for n in range(1, len(whole) - 200, max(61, len(whole) // 8)):
                assert "cut.pt" in refused("read", write(d + "/cut.pt", whole[:len(whole) - n]))
    torch.save({"a": torch.eye(3).to_sparse()}, d + "/peer.pt")
    assert "_rebuild_sparse_tensor" in refused("read", d + "/peer.pt")
    numbers = torch.complex(torch.rand(3, 2), torch.rand(3, 2))
    torch.save({"a": numbers}, d + "/peer.pt")
    assert read_back(d + "/peer.pt") == {"a": ("complex64", (3, 2), numbers.numpy().tobytes())}
    torch.save({"a": torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.qint8)}, d + "/peer.pt")
    assert "_rebuild_qtensor" in refused("read", d + "/peer.pt")
    torch.save(3, d + "/peer.pt")
    assert "wanted a dict of tensors" in refused("read", d + "/peer.pt")


def check_safetensors(d):
    path, header, data, want = d + "/peer.safetensors", {"__metadata__": {"x": "\u00e4"}}, b"", {}
    for name, (code, _) in TYPES.items():
        for shape in SHAPES:
            a = ramp(name, shape)
            key = "\u65e5\U0001f600 \"%s\"\n%d" % (name, len(shape))  # json.dumps escapes it as surrogate pairs
            header[key] = {"dtype": code, "shape": list(shape), "data_offsets": [len(data), len(data) + a.nbytes]}
            want[key] = (name, shape, a.tobytes())
            data += a.tobytes()
    write(path, safetensors(header, data))  # in this order most arrays are not aligned
    assert read_back(path) == want
    tool("resave", path, d + "/again.safetensors")
    assert read_back(d + "/again.safetensors") == want
    again = parse_safetensors(d + "/again.safetensors")[0]
    assert again["__metadata__"] == {"x": "\u00e4"} and set(again) == set(header)
    tool("resave", d + "/again.safetensors", d + "/third.safetensors")
    assert open(d + "/again.safetensors", "rb").read() == open(d + "/third.safetensors", "rb").read()
    for n in range(0, len(data) + 100, 37):  # cut anywhere, it is refused
        whole = open(path, "rb").read()
        write(d + "/cut.safetensors", whole[:len(whole) - 1 - n])
        assert "cut.safetensors" in refused("read", d + "/cut.safetensors")


def check_idx(d):
    for code, dtype in (8, ">u1"), (9, ">i1"), (11, ">i2"), (12, ">i4"), (13, ">f4"), (14, ">f8"):
        a = (np.arange(24) * 3 - 7).astype(dtype).reshape(2, 3, 4)
        raw = struct.pack(">BBBBIII", 0, 0, code, 3, 2, 3, 4) + a.tobytes()
        little = a.astype(a.dtype.newbyteorder("<"))
        for content in raw, gzip.compress(raw):
            (_, shape, data), = read_back(write(d + "/peer.idx", content)).values()
            assert shape == (2, 3, 4) and data == little.tobytes(), dtype


def check_torch(d):
    for name, dtype in ("bfloat16", torch.bfloat16), ("float16", torch.float16):
        t = torch.arange(24).reshape(2, 3, 4).to(dtype)
        raw = t.view(torch.int16).numpy().tobytes()
        header, data = parse_safetensors(d + "/all.safetensors")
        b, e = header[name + "_3"]["data_offsets"]
        assert data[b:e] == raw, name
        write(d + "/torch.safetensors", safetensors({"t": {"dtype": TYPES[name][0], "shape": [2, 3, 4], "data_offsets": [0, 48]}}, raw))
        assert read_back(d + "/torch.safetensors") == {"t": (name, (2, 3, 4), raw)}
    t = torch.randn(3, 4)
    np.save(d + "/torch.npy", t.t().numpy())  # saved in Fortran order
    (_, shape, data), = read_back(d + "/torch.npy").values()
    assert shape == (4, 3) and torch.equal(torch.frombuffer(bytearray(data), dtype=torch.float32).reshape(4, 3), t.t())


with tempfile.TemporaryDirectory() as folder:
    tool("write", folder)
    for check in check_ours, check_events, check_npy, check_npz, check_safetensors, check_idx, check_torch, check_pytorch:
        check(folder)
        print("ok", check.__name__)
