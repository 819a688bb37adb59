"""docs/parity.md, which tools/parity writes, has a row for every operator, module, loss and optimizer that haft has now."""
import inspect
import os
import re
import unittest

import torch

import haft

DOCS = os.path.join(os.path.dirname(__file__), "../../../docs")


def names(page, heading=None):
    with open(os.path.join(DOCS, page)) as f:
        text = f.read()
    if heading:
        text = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", text, re.M)


def classes(module, base):
    return {n for n, c in vars(module).items() if inspect.isclass(c) and issubclass(c, base) and c is not base and n[0] != "_"}


class Table(unittest.TestCase):
    def missing(self, wanted, found):
        first = {re.split(r"[^\w]", n)[0] for n in found}
        self.assertEqual(sorted(set(wanted) - first), [], "no row in docs/parity.md: run tools/parity")

    def test_operators(self):
        self.missing(names("operators.md"), names("parity.md", "Operators"))

    def test_losses_and_modules(self):
        # They compute nothing of their own; PyTorch's SyncBatchNorm wants GPUs: test_parallel.py compares haft's with BatchNorm; its
        # CrossMapLRN2d is not what it is defined to be: test_older_names.py compares haft's with LocalResponseNorm.
        apart = {"SyncBatchNorm", "CrossMapLRN2d", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Sequential", "RNNBase", "RNNCellBase", "NLLLoss2d"}
        both = names("parity.md", "Modules") + names("parity.md", "Losses")
        self.missing({n for n in classes(haft.nn, haft.nn.Module) if not n.startswith("Lazy") and hasattr(torch.nn, n)} - apart, both)

    def test_optimizers(self):
        ours = classes(haft.optim, haft.optim.Optimizer)
        self.missing({n for n in ours if hasattr(torch.optim, n)}, names("parity.md", "Optimizers"))

    def test_curves(self):
        found = " ".join(names("parity.md", "Loss curves of 50 steps with copied weights"))
        for model in ("MLP", "CNN"):
            self.assertIn(model, found)


if __name__ == "__main__":
    unittest.main()
