#!/usr/bin/env python3
"""GPT-2 of 124 million parameters, ours (samples/cpp/gpt2.cpp) beside PyTorch's compiled and eager, in turns, in bfloat16 on one GPU.

usage: tests/gpu/gpt2.py GPT2 [--batch 64] [--tokens 1024] [--steps 20] [--rounds 2] [--without-compiled]
       tests/gpu/gpt2.py torch compiled|eager --profile    where the time of one step of PyTorch's goes

Prints tokens a second of each, medians over the rounds, and the ratio to PyTorch's best; exits with 1 when the losses of the first steps differ by more
than their own noise: both begin with random weights of the same kind, on rows of the same text."""
import argparse
import re
import statistics
import subprocess
import sys
import time

VOCABULARY, WIDTH, LAYERS, HEADS = 50304, 768, 12, 12


def model(torch, context):
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            b, t, _ = x.shape
            q, k, v = (y.view(b, t, HEADS, -1).transpose(1, 2) for y in self.qkv(self.ln_1(x)).chunk(3, -1))
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(a.transpose(1, 2).reshape(b, t, WIDTH))
            return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))

    class Gpt2(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(context, WIDTH)
            self.blocks, self.ln_f = nn.Sequential(*[Block() for _ in range(LAYERS)]), nn.LayerNorm(WIDTH)
            for name, p in self.named_parameters():
                if p.ndim > 1:
                    nn.init.normal_(p, 0, 0.02 / (2 * LAYERS) ** 0.5 if name.endswith(("out.weight", "down.weight")) else 0.02)
            for m in self.modules():
                if isinstance(m, nn.Linear):
                    nn.init.zeros_(m.bias)

        def forward(self, tokens, target):
            x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
            logits = F.linear(self.ln_f(self.blocks(x)), self.wte.weight)
            return F.cross_entropy(logits.view(-1, VOCABULARY), target.reshape(-1))

    return Gpt2()


def theirs(args, variant):
    """(tokens a second, loss of the first step, of the last), in a process of its own."""
    command = [sys.executable, __file__, "torch", variant, "--batch", str(args.batch), "--tokens", str(args.tokens), "--steps", str(args.steps)]
    out = subprocess.run(command, capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr[-2000:])
    return tuple(map(float, out.stdout.split()[-3:]))


def run_torch(args):
    import torch
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    net = model(torch, args.tokens).cuda()
    run = torch.compile(net) if args.variant == "compiled" else net
    matrices, others = [p for p in net.parameters() if p.ndim > 1], [p for p in net.parameters() if p.ndim < 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0}], lr=6e-4, betas=(0.9, 0.95), fused=True)
    text = torch.frombuffer(bytearray(b"".join(open("/usr/share/common-licenses/" + n, "rb").read() for n in ("Apache-2.0", "GFDL-1.3", "GPL-3", "MPL-2.0"))),
                            dtype=torch.uint8).long()
    losses = []

    def step(i):
        for group in optimizer.param_groups:
            group["lr"] = 6e-4 * min(1, (i + 1) / args.steps)
        begins = torch.randint(len(text) - args.tokens, (args.batch,))
        rows = torch.stack([text[b:b + args.tokens + 1] for b in begins]).pin_memory().cuda(non_blocking=True)
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = run(rows[:, :-1], rows[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1)
        optimizer.step()
        losses.append(loss.detach())

    for i in range(3):
        step(i)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for i in range(3, args.steps):
        step(i)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begin
    print((args.steps - 3) * args.batch * args.tokens / seconds, losses[0].item(), losses[-1].item())
    if args.profile:
        with torch.profiler.profile() as profile:
            step(args.steps)
            torch.cuda.synchronize()
        print(profile.key_averages().table(sort_by="self_device_time_total", row_limit=60))


def ours(args):
    out = subprocess.run([args.program, "--device", "cuda:0", "--batch", str(args.batch), "--tokens", str(args.tokens), "--steps", str(args.steps),
                          "--warm", str(args.steps), "--every", str(args.steps), "--peak", "989"], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr[-2000:])
    lines = re.findall(r"loss ([\d.]+)  (\d+) tokens/s", out.stdout)
    return float(lines[-1][1]), float(lines[0][0]), float(lines[-1][0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("variant", nargs="?")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--without-compiled", action="store_true")
    parser.add_argument("--profile", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.program == "torch":
        return run_torch(args)
    sides = {"haft": lambda: ours(args), "PyTorch eager": lambda: theirs(args, "eager")}
    if not args.without_compiled:
        sides["PyTorch compiled"] = lambda: theirs(args, "compiled")
    seen = {name: [] for name in sides}
    for _ in range(args.rounds):
        for name, run in sides.items():
            seen[name].append(run())
    speed = {name: statistics.median(r[0] for r in runs) for name, runs in seen.items()}
    for name, runs in seen.items():
        print("%-17s %8.0f tokens/s  loss %.3f to %.3f" % (name, speed[name], runs[0][1], runs[0][2]))
    best = max(v for name, v in speed.items() if name != "haft")
    print("haft / PyTorch: %.2f" % (speed["haft"] / best))
    first, last = ([runs[0][i] for runs in seen.values()] for i in (1, 2))
    return 0 if max(first) - min(first) < 0.2 and max(last) - min(last) < 1 else 1


if __name__ == "__main__":
    sys.exit(main())
