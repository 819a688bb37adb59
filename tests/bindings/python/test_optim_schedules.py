"""Every schedule against PyTorch's: rates and momenta of both groups over many steps, states, warnings, refusals."""
import math
import unittest
import warnings

import torch
import torch.optim.swa_utils

import haft
from haft import _haft
import leaks
import parity

setUpModule, tearDownModule = leaks.guard()

STEPS = 40


class Wave:
    """A callable with a state."""

    def __init__(self):
        self.calls = 0

    def __call__(self, epoch):
        self.calls += 1
        return 1 + 0.5 * math.sin(epoch)


# name -> what makes it, from (the module of schedules, an optimizer)
CASES = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda e: 0.9 ** e),
    "LambdaLR, one a group": lambda s, o: s.LambdaLR(o, [lambda e: 1 / (1 + e), Wave()]),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda e: 0.97 if e % 2 else 1.01),
    "StepLR": lambda s, o: s.StepLR(o, 7, 0.5),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 9, 9, 20], 0.3),
    "ConstantLR": lambda s, o: s.ConstantLR(o, 0.25, 6),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.2, 0.8, 11),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.93),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, 13, 1.7),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 9, 0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 4, 2, 0.003),
    "CyclicLR, triangular": lambda s, o: s.CyclicLR(o, 0.01, 0.2, 5, 8),
    "CyclicLR, triangular2": lambda s, o: s.CyclicLR(o, [0.01, 0.02], [0.2, 0.4], 5, mode="triangular2", base_momentum=0.7),
    "CyclicLR, exp_range": lambda s, o: s.CyclicLR(o, 0.01, 0.2, 4, mode="exp_range", gamma=0.95, cycle_momentum=False),
    "CyclicLR, own scale": lambda s, o: s.CyclicLR(o, 0.01, 0.2, 4, scale_fn=lambda x: 0.8 ** x, scale_mode="iterations"),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.3, total_steps=STEPS + 1),
    "OneCycleLR, linear, three phases": lambda s, o: s.OneCycleLR(o, [0.3, 0.5], epochs=6, steps_per_epoch=7, pct_start=0.2, anneal_strategy="linear",
                                                                 three_phase=True, div_factor=10, final_div_factor=100),
    "OneCycleLR, rates of 0": lambda s, o: s.OneCycleLR(o, [0.3, 0.0], total_steps=STEPS + 1, final_div_factor=float("inf")),
    "SequentialLR": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.9), s.StepLR(o, 3)], [5, 12]),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.95)]),
}


def optimizer(lib, kind="SGD"):
    """Two groups with rates of their own."""
    p = [lib.nn.Parameter(lib.ones(2)), lib.nn.Parameter(lib.ones(3))]
    options = dict(lr=0.1, momentum=0.9) if kind == "SGD" else dict(lr=0.1)
    return getattr(lib.optim, kind)([{"params": p[:1]}, {"params": p[1:], "lr": 0.4}], **options)


def seen(o):
    return [(g["lr"], g.get("momentum"), g.get("betas")) for g in o.param_groups]


def error(a, b):
    """Largest difference of two lists of what `seen` tells."""
    flat = [[x for group in step for v in group if v is not None for x in (v if isinstance(v, tuple) else (v,))] for step in (a, b)]
    return max(abs(x - y) for x, y in zip(*flat))


class Parity(unittest.TestCase):
    def setUp(self):
        self.catcher = warnings.catch_warnings()
        self.catcher.__enter__()
        warnings.simplefilter("ignore")

    def tearDown(self):
        self.catcher.__exit__(None, None, None)


def _test(name):
    def test(self):
        kinds = ("SGD", "Adam") if name.startswith("OneCycle") else ("SGD",)
        for kind in kinds:
            own_o, ref_o = optimizer(haft, kind), optimizer(torch, kind)
            own, ref = CASES[name](haft.optim.lr_scheduler, own_o), CASES[name](torch.optim.lr_scheduler, ref_o)
            worst = error(seen(own_o), seen(ref_o))
            for step in range(STEPS):
                if step == 17:
                    # Another schedule goes on from the state of the first.
                    groups = [{k: v for k, v in g.items() if k != "params"} for g in own_o.param_groups]
                    state = own.state_dict()
                    own_o = optimizer(haft, kind)
                    own = CASES[name](haft.optim.lr_scheduler, own_o)
                    own.load_state_dict(state)
                    for g, kept in zip(own_o.param_groups, groups):
                        g.update(kept)
                own_o.step()
                ref_o.step()
                own.step()
                ref.step()
                e = error(seen(own_o), seen(ref_o))
                self.assertLess(e, 1e-12, f"step {step}: {seen(own_o)}, PyTorch {seen(ref_o)}")
                self.assertEqual(own.get_last_lr(), [g["lr"] for g in own_o.param_groups])
                worst = max(worst, e)
        parity.record("schedule", name, worst)
    return test


for _name in CASES:
    setattr(Parity, "test_" + "".join(c if c.isalnum() else "_" for c in _name), _test(_name))


class Plateau(unittest.TestCase):
    def test_both_modes(self):
        for mode in ("min", "max"):
            for threshold_mode in ("rel", "abs"):
                options = dict(mode=mode, factor=0.3, patience=2, threshold=0.02, threshold_mode=threshold_mode, cooldown=2, min_lr=[1e-3, 2e-3])
                own_o, ref_o = optimizer(haft), optimizer(torch)
                own = haft.optim.lr_scheduler.ReduceLROnPlateau(own_o, **options)
                ref = torch.optim.lr_scheduler.ReduceLROnPlateau(ref_o, **options)
                for i in range(60):
                    metric = abs(float(parity.real())) + 3 / (i + 1)
                    own.step(haft.tensor(metric) if i % 2 else metric)
                    ref.step(torch.tensor(metric) if i % 2 else metric)
                    self.assertEqual(seen(own_o), seen(ref_o), f"{options}, step {i}")
                    if i == 30:
                        state = own.state_dict()
                        own = haft.optim.lr_scheduler.ReduceLROnPlateau(own_o)
                        own.load_state_dict(state)
        parity.record("schedule", "ReduceLROnPlateau", 0)

    def test_refusals(self):
        for options in (dict(factor=1.0), dict(mode="mean"), dict(threshold_mode="part"), dict(min_lr=[1])):
            parity.same_error(self, lambda: haft.optim.lr_scheduler.ReduceLROnPlateau(optimizer(haft), **options),
                              lambda: torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer(torch), **options))


class Use(unittest.TestCase):
    def test_rates_reach_the_step(self):
        p = haft.nn.Parameter(haft.zeros(1))
        o = haft.optim.SGD([p], lr=1.0)
        schedule = haft.optim.lr_scheduler.ExponentialLR(o, 0.5)
        at = []
        for _ in range(4):
            p.grad = haft.ones(1)
            o.step()
            schedule.step()
            at.append(p.item())
        self.assertEqual(at, [-1.0, -1.5, -1.75, -1.875])

    def test_order_is_warned_of_once(self):
        o = optimizer(haft)
        schedule = haft.optim.lr_scheduler.StepLR(o, 2)
        with self.assertWarnsRegex(UserWarning, "before `optimizer.step"):
            schedule.step()
        o = optimizer(haft)
        schedule = haft.optim.lr_scheduler.StepLR(o, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                o.step()
                schedule.step()

    def test_epochs_by_number(self):
        for name in ("StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "PolynomialLR", "CosineAnnealingLR", "LambdaLR",
                     "CosineAnnealingWarmRestarts"):
            own_o, ref_o = optimizer(haft), optimizer(torch)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                own, ref = CASES[name](haft.optim.lr_scheduler, own_o), CASES[name](torch.optim.lr_scheduler, ref_o)
                for epoch in (5, 2, 11, 30):
                    own.step(epoch)
                    ref.step(epoch)
                    self.assertLess(error(seen(own_o), seen(ref_o)), 1e-12, f"{name}, {epoch}")

    def test_going_on(self):
        """The groups have made the step already: most schedules do not make it again, as those of PyTorch 2.15."""
        for make, rates in ((lambda s, o: s.ExponentialLR(o, 0.5, last_epoch=3), [0.1, 0.4]), (lambda s, o: s.LinearLR(o, 0.5, last_epoch=3), [0.1, 0.4]),
                            (lambda s, o: s.PolynomialLR(o, 9, last_epoch=3), [0.1, 0.4]), (lambda s, o: s.CosineAnnealingLR(o, 9, last_epoch=3), [0.1, 0.4]),
                            (lambda s, o: s.MultiplicativeLR(o, lambda e: 0.5, last_epoch=3), [0.1, 0.4]), (lambda s, o: s.StepLR(o, 2, 0.5, last_epoch=3), [0.05, 0.2])):
            o = optimizer(haft)
            for g in o.param_groups:
                g["initial_lr"] = 2 * g["lr"]
            schedule = make(haft.optim.lr_scheduler, o)
            self.assertEqual((schedule.last_epoch, schedule.base_lrs), (4, [0.2, 0.8]))
            self.assertEqual([g["lr"] for g in o.param_groups], rates)
        parity.same_error(self, lambda: haft.optim.lr_scheduler.StepLR(optimizer(haft), 2, last_epoch=3),
                          lambda: torch.optim.lr_scheduler.StepLR(optimizer(torch), 2, last_epoch=3))

    def test_refusals(self):
        for make in (lambda s, o: s.LambdaLR(o, [lambda e: 1]), lambda s, o: s.ConstantLR(o, 2.0), lambda s, o: s.LinearLR(o, 0.5, -1.0),
                     lambda s, o: s.LinearLR(o, 0.5, 1.5), lambda s, o: s.CosineAnnealingWarmRestarts(o, 0), lambda s, o: s.CosineAnnealingWarmRestarts(o, 2, 0),
                     lambda s, o: s.CyclicLR(o, 0.1, 0.2, mode="sine"), lambda s, o: s.OneCycleLR(o, 0.1), lambda s, o: s.OneCycleLR(o, 0.1, total_steps=-1),
                     lambda s, o: s.OneCycleLR(o, 0.1, total_steps=5, pct_start=2.0), lambda s, o: s.OneCycleLR(o, 0.1, total_steps=5, anneal_strategy="sine"),
                     lambda s, o: s.OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=3)):
            parity.same_error(self, lambda: make(haft.optim.lr_scheduler, optimizer(haft)), lambda: make(torch.optim.lr_scheduler, optimizer(torch)))
        for make in (lambda s, o: s.CyclicLR(o, 0.1, 0.2), lambda s, o: s.OneCycleLR(o, 0.1, total_steps=5)):
            parity.same_error(self, lambda: make(haft.optim.lr_scheduler, haft.optim.Adagrad([haft.nn.Parameter(haft.ones(1))])),
                              lambda: make(torch.optim.lr_scheduler, torch.optim.Adagrad([torch.nn.Parameter(torch.ones(1))])))
        schedule = haft.optim.lr_scheduler.OneCycleLR(optimizer(haft), 0.1, total_steps=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(3):
                schedule.step()
        with self.assertRaisesRegex(ValueError, "Tried to step 4 times"):
            schedule.step()
        with self.assertRaisesRegex(TypeError, "is not an Optimizer"):
            haft.optim.lr_scheduler.StepLR([1], 2)


# The engine's schedules, which C, C++, Java and C# have: what makes one, and PyTorch's.
PLATEAU = [1.0, 0.9, 0.9, 0.9, 0.95, 0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
ENGINE = {
    "ConstantLR": (lambda m, o: m.constant_lr(o, 0.25, 6), CASES["ConstantLR"]),
    "PolynomialLR": (lambda m, o: m.polynomial_lr(o, 13, 1.7), CASES["PolynomialLR"]),
    "CosineAnnealingWarmRestarts": (lambda m, o: m.cosine_annealing_warm_restarts(o, 4, 2, 0.003), CASES["CosineAnnealingWarmRestarts"]),
    "CyclicLR, triangular": (lambda m, o: m.cyclic_lr(o, 0.01, 0.2, 5, 8, False, 1.0, True, 0.8, 0.9, [], [], [], []), CASES["CyclicLR, triangular"]),
    "CyclicLR, triangular2": (lambda m, o: m.cyclic_lr(o, 0.01, 0.2, 5, None, True, 1.0, True, 0.7, 0.9, [], [], [], []),
                              lambda s, o: s.CyclicLR(o, 0.01, 0.2, 5, mode="triangular2", base_momentum=0.7)),
    "CyclicLR, exp_range": (lambda m, o: m.cyclic_lr(o, 0.01, 0.2, 4, None, False, 0.95, False, 0.8, 0.9, [], [], [], []), CASES["CyclicLR, exp_range"]),
    "OneCycleLR": (lambda m, o: m.one_cycle_lr(o, 0.3, STEPS + 1, 0.3, False, True, 0.85, 0.95, 25.0, 1e4, False, [], [], []), CASES["OneCycleLR"]),
    "OneCycleLR, three phases": (lambda m, o: m.one_cycle_lr(o, 0.3, 42, 0.2, True, True, 0.85, 0.95, 10.0, 100.0, True, [], [], []),
                                 lambda s, o: s.OneCycleLR(o, 0.3, 42, pct_start=0.2, anneal_strategy="linear", three_phase=True, div_factor=10,
                                                           final_div_factor=100)),
    "ReduceLROnPlateau": (lambda m, o: m.reduce_lr_on_plateau(o, False, 0.5, 2, 1e-4, False, 1, 0.06, 1e-8, []),
                          lambda s, o: s.ReduceLROnPlateau(o, "min", 0.5, 2, 1e-4, "rel", 1, 0.06)),
    "ReduceLROnPlateau, up": (lambda m, o: m.reduce_lr_on_plateau(o, True, 0.1, 1, 0.05, True, 0, 0.0, 1e-8, []),
                              lambda s, o: s.ReduceLROnPlateau(o, "max", 0.1, 1, 0.05, "abs")),
    "SWALR": (lambda m, o: m.swa_lr(o, 0.02, 7, False, []), lambda s, o: torch.optim.swa_utils.SWALR(o, 0.02, 7)),
    "SWALR, linear": (lambda m, o: m.swa_lr(o, 0.3, 0, True, []), lambda s, o: torch.optim.swa_utils.SWALR(o, 0.3, 0, "linear")),
}


class Engine(unittest.TestCase):
    def test_rates(self):
        for name, (make, peer) in ENGINE.items():
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                p = [haft.nn.Parameter(haft.ones(2)), haft.nn.Parameter(haft.ones(3))]
                o = _haft.Make.sgd(p[:1], 0.1, 0.9, 0.0, 0.0, False, False)
                o.add_group(p[1:])
                o.set_lr(0.4, 1)
                q = optimizer(torch)
                ours, theirs = make(_haft.Make, o), peer(torch.optim.lr_scheduler, q)
                for i in range(STEPS):
                    got = [(o.lr(g), o.option("momentum", g)) for g in (0, 1)]
                    want = [(g["lr"], g["momentum"]) for g in q.param_groups]
                    for a, b in zip(got, want):
                        for x, y in zip(a, b):
                            self.assertAlmostEqual(x, y, delta=1e-12 + 1e-9 * abs(y), msg=f"step {i}")
                    metric = (PLATEAU[i % len(PLATEAU)] / (1 + i // 14),) if name.startswith("Reduce") else ()
                    ours.step(*metric)
                    q.step()
                    theirs.step(*metric)
                self.assertEqual(ours.last_epoch(), STEPS)

    def test_states_and_refusals(self):
        p = [haft.nn.Parameter(haft.ones(2))]

        def fresh():
            o = _haft.Make.sgd(p, 0.1, 0.9, 0.0, 0.0, False, False)
            return o, _haft.Make.reduce_lr_on_plateau(o, False, 0.5, 1, 1e-4, False, 0, 0.0, 1e-8, [])

        o, s = fresh()
        for metric in (1.0, 2.0):
            s.step(metric)
        other, t = fresh()
        _haft.set_schedule_state(t, _haft.schedule_state(s))
        for metric in (2.0, 2.0, 0.5, 0.6):
            s.step(metric)
            t.step(metric)
            self.assertEqual(o.lr(0), other.lr(0))
        self.assertLess(o.lr(0), 0.1)
        with self.assertRaisesRegex(ValueError, "wants the metric"):
            s.step()
        with self.assertRaisesRegex(ValueError, "looks at no metric"):
            _haft.Make.constant_lr(o, 0.5, 3).step(1.0)
        adagrad = _haft.Make.adagrad(p, 0.1, 0.0, 0.0, 0.0, 1e-10, False)
        for refused, words in ((lambda: _haft.Make.constant_lr(o, 2.0, 3), r"factor must be in \[0, 1\]"),
                               (lambda: _haft.Make.cosine_annealing_warm_restarts(o, 0, 1, 0.0), "t_0 must be at least 1"),
                               (lambda: _haft.Make.reduce_lr_on_plateau(o, False, 1.0, 1, 0.1, False, 0, 0.0, 0.0, []), "factor"),
                               (lambda: _haft.Make.one_cycle_lr(adagrad, 0.3, 5, 0.3, False, True, 0.85, 0.95, 25.0, 1e4, False, [], [], []), "no momentum to cycle"),
                               (lambda: _haft.Make.one_cycle_lr(o, 0.3, 0, 0.3, False, True, 0.85, 0.95, 25.0, 1e4, False, [], [], []), "total_steps must be at least 1")):
            with self.assertRaisesRegex(ValueError, words):
                refused()
        last = _haft.Make.one_cycle_lr(o, 0.3, 2, 0.3, False, False, 0.85, 0.95, 25.0, 1e4, False, [], [], [])
        last.step()
        last.step()
        with self.assertRaisesRegex(ValueError, "step 3 of 2"):
            last.step()


if __name__ == "__main__":
    unittest.main()
