#!/usr/bin/env python3
"""A GPT that reads and writes letter by letter: it learns the licences that every Debian has in /usr/share/common-licenses.

usage: char_gpt.py [FILE...] [--steps 2000] [--layers 4] [--width 128] [--tokens 128] [--device cpu]

Nine tenths of each file are learnt; on the rest it tells how many bits a character it would need to write them down, and at the end it
writes something itself. What comes next is the only thing it is ever asked (Radford et al., 2019).
"""
import argparse
import math
import sys

import haft
from haft import nn, optim
from haft.nn import functional as F

LICENCES = ("Apache-2.0", "Artistic", "BSD", "CC0-1.0", "GFDL-1.2", "GFDL-1.3", "GPL-1", "GPL-2", "GPL-3", "LGPL-2", "LGPL-2.1", "LGPL-3",
            "MPL-1.1", "MPL-2.0")
ROWS, HEAD = 16, 32


class Block(nn.Module):
    """Pre-norm: attention to what came before, then two layers for each letter."""

    def __init__(self, width, layers):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        for layer in self.out, self.down:
            nn.init.normal_(layer.weight, 0, 0.05 / math.sqrt(2 * layers))

    def forward(self, x):  # (rows, tokens, width)
        q, k, v = (t.unflatten(-1, (-1, HEAD)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self, letters, tokens, layers, width):
        super().__init__()
        self.table, self.places, self.norm = nn.Embedding(letters, width), nn.Embedding(tokens, width), nn.LayerNorm(width)
        self.blocks = nn.Sequential(*(Block(width, layers) for _ in range(layers)))
        for embedding in self.table, self.places:
            nn.init.normal_(embedding.weight, 0, 0.1)

    def forward(self, x):  # (rows, tokens) to (rows, tokens, letters)
        x = self.table(x) + self.places(haft.arange(x.size(1), device=x.device))
        return F.linear(self.norm(self.blocks(x)), self.table.weight)  # the table serves both ways


def loss_of(net, rows):
    """Of (rows, tokens + 1) letters: each but the first is to be told from those before it."""
    return F.cross_entropy(net(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())


@haft.no_grad()
def bits_of(net, text, tokens):
    """Bits a character of the whole text: each row begins anew, so its first letters are guessed from little."""
    rows = text[:len(text) - 1].split(tokens)
    rows = haft.stack([text[i * tokens:(i + 1) * tokens + 1] for i, row in enumerate(rows) if len(row) == tokens])
    parts = rows.split(ROWS)
    return sum(loss_of(net, part).item() * len(part) for part in parts) / len(rows) / math.log(2)


@haft.no_grad()
def write(net, letters, tokens, count):
    last = [letters.index("\n")]
    text = ""
    for _ in range(count):
        chances = F.softmax(net(haft.tensor([last[-tokens:]], device=net.table.weight.device))[0, -1] / 0.7, 0)  # a little surer than it is
        last.append(haft.multinomial(chances, 1).item())
        text += letters[last[-1]]
    return text


def run(o):
    texts = []
    for path in o.files or [f"/usr/share/common-licenses/{name}" for name in LICENCES]:
        with open(path, encoding="latin-1", newline="") as file:  # a letter is a byte
            texts.append(file.read())
    letters = sorted(set("".join(texts)))
    number = {letter: i for i, letter in enumerate(letters)}
    learnt, held = (haft.tensor([number[c] for text in texts for c in part(text, len(text) * 9 // 10)], device=o.device)
                    for part in (lambda text, end: text[:end], lambda text, end: text[end:]))
    if len(held) <= o.tokens:
        raise ValueError(f"the text is too short for rows of {o.tokens}")
    net = Gpt(len(letters), o.tokens, o.layers, o.width).to(o.device)
    optimizer = optim.AdamW(net.parameters(), lr=o.lr, betas=(0.9, 0.98), weight_decay=0.1)
    warm = min(100, o.steps // 10)
    schedule = optim.lr_scheduler.LambdaLR(optimizer, lambda step: (step + 1) / warm if step < warm else  # up for a while, then down along a cosine
                                           0.55 + 0.45 * math.cos(math.pi * (step - warm) / (o.steps - warm)))
    print(f"{len(learnt)} characters to learn and {len(held)} held out, {len(letters)} letters; a GPT of "
          f"{sum(p.numel() for p in net.parameters())} parameters")
    mean, ahead = None, haft.arange(o.tokens + 1, device=o.device)
    for step in range(1, o.steps + 1):
        begins = haft.randint(0, len(learnt) - o.tokens, (ROWS, 1), device=o.device)
        loss = loss_of(net, learnt[begins + ahead])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1)
        optimizer.step()
        schedule.step()
        mean = loss.item() if mean is None else 0.95 * mean + 0.05 * loss.item()
        if step % 100 == 0 or step == o.steps:
            print(f"step {step:5d}  {mean / math.log(2):.3f} bits a character", flush=True)
    print(f"held out: {bits_of(net, held, o.tokens):.3f} bits a character\nwritten:")
    for line in write(net, letters, o.tokens, o.write).splitlines():
        print(f"  {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="texts (Debian's licences)")
    parser.add_argument("--steps", type=int, default=2000, help="steps of 16 rows (2000)")
    parser.add_argument("--layers", type=int, default=4, help="blocks (4)")
    parser.add_argument("--width", type=int, default=128, help="numbers a letter, a multiple of 32 (128)")
    parser.add_argument("--tokens", type=int, default=128, help="letters that it sees (128)")
    parser.add_argument("--lr", type=float, default=3e-3, help="highest learning rate of AdamW (0.003)")
    parser.add_argument("--write", type=int, default=400, help="letters that it writes at the end (400)")
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn (0)")
    parser.add_argument("--threads", type=int, help="of an operator (all processors)")
    parser.add_argument("--device", default="cpu", help="where it computes: cpu, or cuda:0 where its plug-in is installed (cpu)")
    o = parser.parse_args()
    if o.width % HEAD:
        parser.error(f"--width wants a multiple of {HEAD}")
    if o.threads:
        haft.set_num_threads(o.threads)
    haft.manual_seed(o.seed)
    try:
        run(o)
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"char_gpt.py: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main()
