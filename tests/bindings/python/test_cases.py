"""Every layer, loss, optimizer and schedule of core/schema/modules.def beside PyTorch, as tests/bindings/cases.py has them."""
import os
import sys
import unittest
import warnings

import torch

import haft
import haft.nn.utils.parametrizations  # noqa: F401 - classes of cases
import leaks
import parity
from haft import nn, optim
from haft.optim import lr_scheduler, swa_utils

BINDINGS = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, BINDINGS)
import cases  # noqa: E402

setUpModule, tearDownModule = leaks.guard()
warnings.simplefilter("ignore")
CASES = cases.prepared(os.path.join(BINDINGS, "../../core/schema/modules.def"))
# Of the largest value: what a type allows.
LIMITS = {"float64": 1e-9, "float32": 2e-4, "bfloat16": 2e-2}


def as_haft(t):
    return haft.tensor(t.float().numpy()).bfloat16() if t.dtype == torch.bfloat16 else haft.tensor(t.numpy())


def label(case):
    return case.name + ", autocast" * (case.mode == "autocast")


def narrow(t):
    return t.float() if t.dtype == torch.float64 else t


class Cases(unittest.TestCase):
    def compare(self, case, ours, theirs, what, limit):
        self.assertEqual((tuple(ours.shape), str(ours.dtype).split(".")[1]), (tuple(theirs.shape), str(theirs.dtype).split(".")[1]), f"{case}: {what}")
        return parity.check(ours.detach().double().numpy(), theirs.detach().double().numpy(), f"{label(case)}: {what} of {case}", limit)

    def module(self, case, file, limit):
        def part(name):
            return {k.split("/", 1)[1]: v for k, v in file.items() if k.startswith(name + "/")}

        kwargs = {k: as_haft(file[f"option/{k}"]) if isinstance(v, torch.Tensor) else v for k, v in case.kwargs.items()}
        kept, case.kwargs = case.kwargs, kwargs
        try:
            module = case.make(nn)
        finally:
            case.kwargs = kept
        state = part("state")
        if all(t.dtype != torch.float32 for t in file.values()):
            module.double()
        self.assertEqual(list(module.state_dict()), list(state), f"{case}")
        module.load_state_dict({k: as_haft(v) for k, v in state.items()})
        module.train(case.mode != "eval")
        inputs = [as_haft(x).requires_grad_(f"gradient/{i}" in file) for i, x in part("input").items()]
        with haft.autocast("cpu", enabled=case.mode == "autocast"):
            outputs = parity.leaves(case.call(module, *inputs))
        wanted = part("output")
        self.assertEqual(len(outputs), len(wanted), f"{case}")
        worst = max(self.compare(case, y, wanted[str(i)], f"result {i}", limit) for i, y in enumerate(outputs))
        seeds = {int(i): as_haft(s) for i, s in part("seed").items()}
        haft.autograd.backward([outputs[i] for i in seeds], list(seeds.values())) if seeds else None
        pairs = [(f"gradient of input {i}", inputs[int(i)].grad, g) for i, g in part("gradient").items()]
        parameters = dict(module.named_parameters())
        pairs += [(f"gradient of {k}", parameters[k].grad, g) for k, g in part("grad").items()]
        self.assertEqual({k for k, p in parameters.items() if p.grad is not None}, set(part("grad")), f"{case}")
        after = module.state_dict()
        pairs += [(f"{k} behind", after[k], v) for k, v in part("after").items()]
        return max([worst, *(self.compare(case, ours, theirs, what, limit * 5) for what, ours, theirs in pairs)])

    def optimizer(self, case, file, limit):
        count = sum(k.startswith("param/") for k in file)
        params, targets, weights, quartics = ([as_haft(file[f"{k}/{i}"]) for i in range(count)] for k in ("param", "target", "weight", "quartic"))
        for p in params:
            p.requires_grad_()
        made, worst = getattr(optim, case.name)(params, **case.kwargs), 0.0

        def closure():
            made.zero_grad()
            value = sum((w * (p - t).square() + q * p.square().square()).sum() for p, t, w, q in zip(params, targets, weights, quartics))
            value.backward()
            return value
        for step, loss in enumerate(file["loss"]):
            worst = max(worst, self.compare(case, made.step(closure), loss, f"loss {step}", limit))
            for i, p in enumerate(params):
                worst = max(worst, self.compare(case, p, file[f"after/{step}/{i}"], f"parameter {i} behind step {step}", limit))
        return worst

    def schedule(self, case, file):
        made = optim.SGD([haft.zeros(2).requires_grad_()], lr=0.4, momentum=0.9)
        where = swa_utils if case.name == "SWALR" else lr_scheduler
        scheduler, group = getattr(where, case.name)(made, **case.kwargs), made.param_groups[0]
        metrics, rows = file.get("metric"), [(group["lr"], group["momentum"])]
        for i in range(len(file["rate"]) - 1):
            made.step()
            scheduler.step() if metrics is None else scheduler.step(float(metrics[i]))
            rows.append((group["lr"], group["momentum"]))
        return max(self.compare(case, haft.tensor(column, dtype=haft.float64), file[name], name, 1e-12) for name, column in zip(("rate", "momentum"), zip(*rows)))

    def run_kind(self, *kinds):
        done = {}
        for name, case, _ in CASES:
            if case.kind not in kinds:
                continue
            with self.subTest(name):
                file = cases.computed(case)
                if case.kind == "schedule":
                    error = self.schedule(case, file)
                elif case.mode == "autocast":
                    error = self.module(case, file, LIMITS["bfloat16"] * case.room)
                else:
                    way = self.optimizer if case.kind == "optimizer" else self.module
                    error = way(case, file, LIMITS["float64"] * case.room)
                    way(case, {k: narrow(v) for k, v in file.items()}, LIMITS["float32"] * case.room)
                parity.record("entry", label(case), error, **({"note": "a formula in PyTorch's place"} if case.peer else {}))
                done[case.name] = done.get(case.name, 0) + 1
        self.assertGreater(len(done), 10)

    def test_layers(self):
        self.run_kind("layer")

    def test_losses(self):
        self.run_kind("loss")

    def test_optimizers(self):
        self.run_kind("optimizer")

    def test_schedules(self):
        self.run_kind("schedule")


if __name__ == "__main__":
    unittest.main()
