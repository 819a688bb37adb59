#!/bin/bash
# torch.sh JAVA JAR SAMPLE: weights that PyTorch made, through a safetensors file, into the sample; and its own back.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/exchange.py" << 'PY'
import json, struct, sys
import torch
net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
path = sys.argv[2]
if sys.argv[1] == "write":
    state = {k: v.contiguous() for k, v in net.state_dict().items()}
    header, data = {}, b""
    for name, t in state.items():
        raw = t.numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(head)) + head + data)
else:
    raw = open(path, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    header, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    header.pop("__metadata__", None)
    state = {}
    for name, h in header.items():
        begin, end = h["data_offsets"]
        state[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float32).reshape(h["shape"])
    net.load_state_dict(state)
    assert net(torch.ones(2, 4)).shape == (2, 3)
PY
/usr/bin/python3 "$work/exchange.py" write "$work/torch.safetensors"
out=$("$1" -cp "$2" "$3" "$work/torch.safetensors")
[[ $out == *"0.weight float32 [16, 4]"*"largest difference after the exchange: 0.0"* ]] || { echo "$out"; exit 1; }
"$1" -cp "$2" "$3" "$work/haft.safetensors" > /dev/null
/usr/bin/python3 "$work/exchange.py" read "$work/haft.safetensors"
echo "weights went both ways"
