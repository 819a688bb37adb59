"""Every call that the engine's own operator records make, again through the generated functions: results and gradients.

The file is written by the test ops.calls (tests/ops/dump_test.cpp explains its form); HAFT_OPS_CALLS names it.
"""
import collections
import math
import os
import re
import unittest

import haft
from haft import _library

OPERATORS = os.path.join(os.path.dirname(__file__), "../../../docs/operators.md")
Call = collections.namedtuple("Call", "op seed inputs arguments outs starts grads")


def read_tensor(text):
    head, _, values = text.partition(":")
    dtype, _, sizes = head.partition(" ")
    size = [int(n) for n in sizes.split(",") if n.strip()]
    dtype = getattr(haft, dtype)
    numbers = [float(v) for v in values.split()]
    if not dtype.is_floating_point:
        numbers = [int(v) for v in numbers]
    return haft.tensor(numbers, dtype=dtype).reshape(size)


def read_calls(path):
    call = None
    with open(path) as f:
        for line in f:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "op":
                call = Call(rest, [], [], [], [], [], {})
            elif word == "seed":
                call.seed.append(int(rest))
            elif word == "in":
                wants, _, text = rest.partition(" ")
                t = None if text == "none" else read_tensor(text)
                call.inputs.append(t.requires_grad_() if wants == "1" else t)
            elif word == "arg":
                call.arguments.append(rest)
            elif word == "out":
                call.outs.append(read_tensor(rest))
            elif word == "by":
                call.starts.append(None if rest == "none" else read_tensor(rest))
            elif word == "grad":
                which, _, text = rest.partition(" ")
                call.grads[int(which)] = read_tensor(text)
            elif word == "end":
                yield call


def argument(text, inputs):
    kind, _, value = text.partition(" ")
    if kind == "none":
        return None
    if kind == "tensor":
        return inputs[int(value)]
    if kind == "list":
        return [None if i == "none" else inputs[int(i)] for i in value.split()]
    if kind == "ints":
        return [int(v) for v in value.split(",") if v]
    if kind == "dtype":
        return getattr(haft, value)
    return {"int": int, "float": float, "bool": lambda v: v == "1", "text": str}[kind](value)


def same(got, want):
    if got.dtype != want.dtype or list(got.shape) != list(want.shape):
        return False
    pairs = zip(got.detach().reshape(-1).tolist(), want.reshape(-1).tolist())
    return all(a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-12 + 1e-9 * abs(b) for a, b in pairs)


# Their content is whatever the memory held.
UNDEFINED = {"empty", "empty_like"}


class Records(unittest.TestCase):
    def test_every_call(self):
        seen = set()
        for call in read_calls(os.environ["HAFT_OPS_CALLS"]):
            name = call.op[:-len("_scalar")] if call.op.endswith("_scalar") else call.op
            with self.subTest(op=call.op, seed=call.seed[0]):
                haft.manual_seed(call.seed[0])
                outs = _library.GENERATED[name](*[argument(a, call.inputs) for a in call.arguments])
                outs = list(outs) if isinstance(outs, (tuple, list)) else [outs]
                self.assertEqual(len(outs), len(call.outs))
                for got, want in zip(outs, call.outs):
                    if call.op in UNDEFINED:
                        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
                    else:
                        self.assertTrue(same(got, want), "%s, expected %s" % (got, want))
                live = [(o, s) for o, s in zip(outs, call.starts) if s is not None]
                if live:
                    wanted = [i for i, t in enumerate(call.inputs) if t is not None and t.requires_grad]
                    grads = haft.autograd.grad([o for o, _ in live], [call.inputs[i] for i in wanted], [s for _, s in live],
                                               allow_unused=True)
                    for i, g in zip(wanted, grads):
                        self.assertEqual(g is None, i not in call.grads)
                        if g is not None:
                            self.assertTrue(same(g, call.grads[i]), "gradient %d: %s, expected %s" % (i, g, call.grads[i]))
                seen.add(call.op)
        # Complex numbers are not told there: test_complex.py and parity_cases_complex.py have them.
        untold = {"view_as_real", "view_as_complex", "complex", "polar", "imag", "stft", "istft", "linalg_eig", "linalg_eigvals"}
        # All of ops.def: Java and C# read the same file. scaled_mm's inputs are casts, which no call here has (tests/ops/dump_test.cpp).
        with open(OPERATORS) as f:
            names = re.findall(r"^\| `(\w+)` \|", f.read(), re.M)
            untold |= {name for name in names if name.startswith("fft_")}
            self.assertEqual(sorted(seen | untold | {"embedding_renorm", "scaled_mm"}), sorted(names))


if __name__ == "__main__":
    unittest.main()
