"""Every optimizer against PyTorch's on the same gradients; groups, state dicts both ways, closures, hooks, pickling."""
import copy
import pickle
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from parity import real

setUpModule, tearDownModule = leaks.guard()

# name -> (class, options)
CASES = {
    "SGD": ("SGD", dict(lr=0.1)),
    "SGD, momentum": ("SGD", dict(lr=0.1, momentum=0.9, weight_decay=0.01)),
    "SGD, dampening": ("SGD", dict(lr=0.1, momentum=0.8, dampening=0.3)),
    "SGD, Nesterov": ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)),
    "SGD, maximize": ("SGD", dict(lr=0.1, momentum=0.5, maximize=True)),
    "Adam": ("Adam", dict(lr=0.01)),
    "Adam, all options": ("Adam", dict(lr=0.02, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1, amsgrad=True)),
    "Adam, maximize": ("Adam", dict(lr=0.01, maximize=True)),
    "AdamW": ("AdamW", dict(lr=0.01)),
    "AdamW, all options": ("AdamW", dict(lr=0.02, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.2, amsgrad=True)),
    "Adagrad": ("Adagrad", dict(lr=0.05)),
    "Adagrad, all options": ("Adagrad", dict(lr=0.05, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.3, eps=1e-6)),
    "Adadelta": ("Adadelta", dict(lr=0.5)),
    "Adadelta, all options": ("Adadelta", dict(lr=0.5, rho=0.8, eps=1e-5, weight_decay=0.1, maximize=True)),
    "RMSprop": ("RMSprop", dict(lr=0.01)),
    "RMSprop, all options": ("RMSprop", dict(lr=0.01, alpha=0.9, eps=1e-6, weight_decay=0.1, momentum=0.7, centered=True)),
    "Adamax": ("Adamax", dict(lr=0.01, betas=(0.8, 0.95), weight_decay=0.1)),
    "RAdam": ("RAdam", dict(lr=0.01)),
    "RAdam, all options": ("RAdam", dict(lr=0.01, betas=(0.8, 0.9), weight_decay=0.1)),
    "Rprop": ("Rprop", dict(lr=0.01)),
    "ASGD": ("ASGD", dict(lr=0.05)),
    "ASGD, all options": ("ASGD", dict(lr=0.05, lambd=0.1, alpha=0.6, t0=3, weight_decay=0.1)),
}
SHAPES = [(3, 4), (5,), (), (2, 1, 3)]


def pair(shapes=SHAPES, dtype="float32"):
    """The same parameters on both sides."""
    arrays = [real(*s, dtype=dtype) for s in shapes]
    return ([haft.nn.Parameter(haft.tensor(a)) for a in arrays], [torch.nn.Parameter(torch.tensor(a)) for a in arrays])


def give_gradients(ours, theirs, missing=()):
    for i, (p, q) in enumerate(zip(ours, theirs)):
        if i in missing:
            p.grad = q.grad = None
            continue
        g = real(*q.shape, dtype=str(q.dtype).split(".")[-1])
        p.grad, q.grad = haft.tensor(g), torch.tensor(g)


def compare(ours, theirs, where, limit=None):
    return max(parity.check(p, q, f"{where}, parameter {i}", limit) for i, (p, q) in enumerate(zip(ours, theirs)))


def to_torch(value):
    """A state dict of ours as PyTorch's."""
    if isinstance(value, haft.Tensor):
        return torch.tensor(value.detach().numpy())
    if isinstance(value, dict):
        return {k: to_torch(v) for k, v in value.items()}
    return [to_torch(v) for v in value] if isinstance(value, list) else value


def to_haft(value):
    if isinstance(value, torch.Tensor):
        return haft.tensor(value.detach().numpy())
    if isinstance(value, dict):
        return {k: to_haft(v) for k, v in value.items()}
    return [to_haft(v) for v in value] if isinstance(value, list) else value


class Parity(unittest.TestCase):
    pass


def _test(name):
    kind, options = CASES[name]

    def test(self):
        worst = 0.0
        for dtype in ("float32", "float64"):
            ours, theirs = pair(dtype=dtype)
            own = getattr(haft.optim, kind)(ours, **options)
            ref = getattr(torch.optim, kind)(theirs, **options)
            for step in range(9):
                give_gradients(ours, theirs, missing=(1,) if step in (0, 4) else ())
                own.step()
                ref.step()
                worst = max(worst, compare(ours, theirs, f"{name}, {dtype}, step {step}"))
            # Half way the states change sides.
            own_again = getattr(haft.optim, kind)(ours, **options)
            own_again.load_state_dict(to_haft(ref.state_dict()))
            ref_again = getattr(torch.optim, kind)(theirs, **options)
            ref_again.load_state_dict(to_torch(own.state_dict()))
            self.assertLessEqual(set(ref.state_dict()["param_groups"][0]), set(own.state_dict()["param_groups"][0]))
            for step in range(4):
                give_gradients(ours, theirs)
                own_again.step()
                ref_again.step()
                worst = max(worst, compare(ours, theirs, f"{name}, {dtype}, exchanged, step {step}"))
        parity.record("optimizer", name, worst)
    return test


for _name in CASES:
    setattr(Parity, "test_" + "".join(c if c.isalnum() else "_" for c in _name), _test(_name))


class Nadam(unittest.TestCase):
    """PyTorch 1.13 counts one factor twice in the product of the momenta; from 2.0 on it computes what is checked here."""

    def test_formula(self):
        for options in (dict(lr=0.01), dict(lr=0.02, betas=(0.8, 0.95), weight_decay=0.1, momentum_decay=0.01, eps=1e-6)):
            o = dict(dict(betas=(0.9, 0.999), weight_decay=0.0, momentum_decay=4e-3, eps=1e-8), **options)
            x = real(3, 4, dtype="float64")
            p = haft.nn.Parameter(haft.tensor(x))
            optimizer = haft.optim.NAdam([p], **options)
            (b1, b2), mean, square, product, worst = o["betas"], 0.0, 0.0, 1.0, 0.0
            for t in range(1, 9):
                g = real(3, 4, dtype="float64")
                p.grad = haft.tensor(g)
                optimizer.step()
                g = g + o["weight_decay"] * x
                mu, after = (b1 * (1 - 0.5 * 0.96 ** (k * o["momentum_decay"])) for k in (t, t + 1))
                product *= mu
                mean, square = b1 * mean + (1 - b1) * g, b2 * square + (1 - b2) * g * g
                root = np.sqrt(square / (1 - b2 ** t)) + o["eps"]
                x = x - o["lr"] * ((1 - mu) / (1 - product) * g + after / (1 - product * after) * mean) / root
                worst = max(worst, np.max(np.abs(p.detach().numpy() - x)))
            self.assertLess(worst, 1e-7)  # the product is kept in float32, as in PyTorch's state dicts
            parity.record("optimizer", f"NAdam (formula of PyTorch 2), {options}", worst)

    def test_state(self):
        ours, theirs = pair([(3,)])
        own, ref = haft.optim.NAdam(ours), torch.optim.NAdam(theirs)
        give_gradients(ours, theirs)
        own.step()
        ref.step()
        self.assertEqual(sorted(own.state[ours[0]]), sorted(ref.state[theirs[0]]))
        parity.check(own.state[ours[0]]["mu_product"], ref.state[theirs[0]]["mu_product"])


class Lbfgs(unittest.TestCase):
    def run_both(self, **options):
        a, b = real(12, 6, dtype="float64"), real(12, dtype="float64")
        x0 = real(6, dtype="float64")
        results = []
        for lib in (haft, torch):
            x = lib.nn.Parameter(lib.tensor(x0))
            y = lib.nn.Parameter(lib.tensor(x0[:2]))
            optimizer = lib.optim.LBFGS([x, y], **options)
            losses = []

            def closure():
                optimizer.zero_grad()
                loss = ((lib.tensor(a) @ x - lib.tensor(b)).tanh() ** 2).sum() + ((1 - y[0]) ** 2 + 10 * (y[1] - y[0] ** 2) ** 2)
                loss.backward()
                return loss

            for _ in range(4):
                losses.append(float(optimizer.step(closure)))
            results.append((losses, x.detach().numpy(), y.detach().numpy(), optimizer.state_dict()["state"][0]["func_evals"]))
        (l1, x1, y1, n1), (l2, x2, y2, n2) = results
        np.testing.assert_allclose(l1, l2, rtol=1e-7)
        np.testing.assert_allclose(x1, x2, rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(y1, y2, rtol=1e-5, atol=1e-8)
        self.assertEqual(n1, n2)
        parity.record("optimizer", f"LBFGS, {options}", np.max(np.abs(x1 - x2)))

    def test_plain(self):
        self.run_both(lr=0.05, max_iter=7, history_size=3)

    def test_strong_wolfe(self):
        self.run_both(lr=1, max_iter=8, max_eval=1000, line_search_fn="strong_wolfe")

    def test_state_travels(self):
        """State dicts both ways: PyTorch goes on from haft's, and haft from PyTorch's, as each would have."""
        x0 = real(6, dtype="float64")

        def start(lib, value, saved=None):
            x = lib.nn.Parameter(lib.tensor(value))
            o = lib.optim.LBFGS([x], max_iter=4, max_eval=1000, line_search_fn="strong_wolfe")
            if saved is not None:
                o.load_state_dict(saved)

            def closure():
                o.zero_grad()
                loss = ((x - 1) ** 2).sum() + (x[1:] - x[:-1] ** 2).tanh().square().sum() * 3
                loss.backward()
                return loss
            return x, o, closure
        x, o, closure = start(torch, x0)
        o.step(closure)
        halfway, saved = x.detach().numpy().copy(), o.state_dict()
        ours = {"param_groups": saved["param_groups"], "state": {0: {
            k: [haft.tensor(t.numpy()) for t in v if t is not None] if isinstance(v, list) else haft.tensor(v.numpy()) if isinstance(v, torch.Tensor) else v
            for k, v in saved["state"][0].items()}}}
        o.step(closure)
        y, p, again = start(haft, halfway, ours)
        self.assertEqual(set(saved["state"][0]) - set(p.state_dict()["state"][0]), set())
        p.step(again)
        np.testing.assert_allclose(y.detach().numpy(), x.detach().numpy(), rtol=1e-9, atol=1e-12)
        # and on from haft's own
        z, q, last = start(haft, y.detach().numpy().copy(), p.state_dict())
        p.step(again), q.step(last)
        self.assertEqual(y.tolist(), z.tolist())

    def test_refusals(self):
        p = haft.nn.Parameter(haft.zeros(2))
        with self.assertRaisesRegex(RuntimeError, "strong_wolfe"):
            haft.optim.LBFGS([p], line_search_fn="weak")
        with self.assertRaisesRegex(ValueError, "parameter groups"):
            haft.optim.LBFGS([{"params": [p]}, {"params": [haft.nn.Parameter(haft.zeros(1))]}])


class Groups(unittest.TestCase):
    def test_options_of_groups_and_their_edits(self):
        ours, theirs = pair()
        optimizers = []
        for lib, p in ((haft, ours), (torch, theirs)):
            optimizers.append(lib.optim.SGD([{"params": p[:2]}, {"params": p[2:3], "lr": 0.5, "momentum": 0.3}], lr=0.1, momentum=0.9))
        own, ref = optimizers
        for step in range(8):
            if step == 2:
                for g in (*own.param_groups, *ref.param_groups):
                    g["lr"] *= 0.5
            if step == 3:
                for o in (own, ref):
                    o.param_groups[0]["nesterov"] = True
                    o.param_groups[1]["weight_decay"] = 0.2
            if step == 4:
                own.add_param_group({"params": ours[3], "lr": 0.7})
                ref.add_param_group({"params": theirs[3], "lr": 0.7})
            if step == 6:  # both at once, in an order that the engine alone would refuse
                for o in (own, ref):
                    o.param_groups[0].update(nesterov=False, momentum=0.0)
            give_gradients(ours, theirs)
            own.step()
            ref.step()
            compare(ours, theirs, f"step {step}")
        self.assertEqual(repr(own).replace("fused: None\n    ", ""), repr(ref))

    def test_new_memory_of_a_parameter(self):
        """x.data = y, and module.to(dtype), keep the state."""
        ours, theirs = pair([(3, 4)])
        own, ref = haft.optim.Adam(ours, lr=0.1), torch.optim.Adam(theirs, lr=0.1)
        for step in range(6):
            if step == 3:
                a = real(3, 4)
                ours[0].data, theirs[0].data = haft.tensor(a), torch.tensor(a)
            give_gradients(ours, theirs)
            own.step()
            ref.step()
            compare(ours, theirs, f"step {step}")
        model = haft.nn.Linear(3, 2)
        optimizer = haft.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)
        for dtype in (haft.float32, haft.float64, haft.float32):
            model.to(dtype)
            before = model.bias.detach().clone()
            model(haft.ones(1, 3, dtype=dtype)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            self.assertEqual(model.bias.dtype, dtype)
            self.assertTrue(bool((model.bias < before).all()))

    def test_frozen_and_missing(self):
        ours, _ = pair()
        own = haft.optim.Adam(ours)
        before = [p.detach().clone() for p in ours]
        own.step()
        self.assertTrue(all(bool((p == b).all()) for p, b in zip(ours, before)))
        self.assertEqual(len(own.state), 0)

    def test_zero_grad(self):
        for make in (haft.optim.SGD, haft.optim.RMSprop):
            ours, theirs = pair()
            give_gradients(ours, theirs)
            own = make(ours, lr=0.1)
            own.zero_grad(set_to_none=False)
            self.assertTrue(all(bool((p.grad == 0).all()) for p in ours))
            own.zero_grad()
            self.assertTrue(all(p.grad is None for p in ours))

    def test_state_of_fused(self):
        ours, theirs = pair([(2,), (3,)])
        own, ref = haft.optim.Adam(ours), torch.optim.Adam(theirs)
        give_gradients(ours, theirs, missing=(0,))
        own.step()
        ref.step()
        self.assertEqual(sorted(own.state[ours[1]]), sorted(ref.state[theirs[1]]))
        self.assertEqual(len(own.state), 1)
        self.assertNotIn(ours[0], own.state)
        self.assertEqual(list(own.state.keys())[0] is ours[1], True)
        parity.check(own.state[ours[1]]["exp_avg"], ref.state[theirs[1]]["exp_avg"])
        own.state[ours[1]]["exp_avg"] = haft.zeros(3)
        self.assertEqual(own.state[ours[1]]["exp_avg"].tolist(), [0, 0, 0])


class Use(unittest.TestCase):
    def test_closure(self):
        for make in (haft.optim.SGD, haft.optim.Adagrad):
            x = haft.nn.Parameter(haft.tensor([1.0, 2.0]))
            optimizer = make([x], lr=0.1)

            def closure():
                optimizer.zero_grad()
                loss = (x * x).sum()
                loss.backward()
                return loss

            with haft.no_grad():  # the closure records all the same
                self.assertEqual(optimizer.step(closure).item(), 5.0)
            self.assertLess((x * x).sum().item(), 5.0)

    def test_hooks(self):
        for make in (haft.optim.SGD, haft.optim.Adagrad):
            x = haft.nn.Parameter(haft.ones(2))
            optimizer, seen = make([x], lr=0.1), []
            a = optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append(("before", o is optimizer)))
            optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(("after", o is optimizer)))
            optimizer.step()
            a.remove()
            optimizer.step()
            self.assertEqual(seen, [("before", True), ("after", True), ("after", True)])

    def test_copies(self):
        for kind, options in (("SGD", dict(lr=0.1, momentum=0.9)), ("Adam", dict(lr=0.01)), ("RMSprop", dict(lr=0.01))):
            model = haft.nn.Linear(3, 2)
            optimizer = getattr(haft.optim, kind)(model.parameters(), **options)
            x = haft.randn(4, 3)

            def step(m, o):
                o.zero_grad()
                m(x).square().sum().backward()
                o.step()

            step(model, optimizer)
            for m, o in (copy.deepcopy((model, optimizer)), pickle.loads(pickle.dumps((model, optimizer)))):
                self.assertIs(o.param_groups[0]["params"][0], m.weight)
                again = copy.deepcopy((model, optimizer))
                for _ in range(3):
                    step(m, o)
                    step(*again)
                self.assertTrue(bool((m.weight == again[0].weight).all()), kind)
                self.assertFalse(bool((m.weight == model.weight).all()))

    def test_state_dict_is_a_copy_in_order(self):
        p = haft.nn.Parameter(haft.ones(2))
        a = haft.optim.Adam([p], lr=0.5)
        p.grad = haft.ones(2)
        a.step()
        state = a.state_dict()
        self.assertEqual(state["param_groups"][0]["params"], [0])
        b = haft.optim.Adam([p], lr=0.1)
        b.load_state_dict(state)
        self.assertEqual(b.param_groups[0]["lr"], 0.5)
        self.assertEqual(b.state[p]["step"].item(), 1.0)
        a.step()
        self.assertEqual(b.state[p]["step"].item(), 1.0)

    def test_refusals(self):
        p, q = haft.nn.Parameter(haft.ones(2)), torch.nn.Parameter(torch.ones(2))
        for f in (lambda lib, p: lib.optim.SGD([], lr=0.1),
                  lambda lib, p: lib.optim.SGD([p], lr=-1.0),
                  lambda lib, p: lib.optim.SGD([p], lr=0.1, momentum=-0.5),
                  lambda lib, p: lib.optim.SGD([p], lr=0.1, weight_decay=-0.5),
                  lambda lib, p: lib.optim.SGD([p], lr=0.1, nesterov=True),
                  lambda lib, p: lib.optim.Adam([p], lr=-1.0),
                  lambda lib, p: lib.optim.Adam([p], eps=-1.0),
                  lambda lib, p: lib.optim.Adam([p], betas=(1.0, 0.9)),
                  lambda lib, p: lib.optim.Adam([p], betas=(0.9, -0.1)),
                  lambda lib, p: lib.optim.Adadelta([p], rho=2.0),
                  lambda lib, p: lib.optim.RMSprop([p], alpha=-1.0),
                  lambda lib, p: lib.optim.NAdam([p], momentum_decay=-1.0),
                  lambda lib, p: lib.optim.Rprop([p], etas=(1.0, 2.0)),
                  lambda lib, p: lib.optim.SGD([{"params": [p]}, {"params": [p]}], lr=0.1),
                  lambda lib, p: lib.optim.SGD([p * 2], lr=0.1),
                  lambda lib, p: lib.optim.SGD([{"params": {p}}], lr=0.1),
                  lambda lib, p: lib.optim.SGD([1.0], lr=0.1) if lib is torch else lib.optim.SGD([1.0], lr=0.1),
                  lambda lib, p: lib.optim.SGD([p], lr=0.1).load_state_dict({"param_groups": [], "state": {}}),
                  lambda lib, p: lib.optim.SGD([p], lr=0.1).load_state_dict({"param_groups": [{"params": [0, 1]}], "state": {}})):
            try:
                f(torch, q)
            except Exception as e:  # noqa: BLE001
                wanted = e
            else:
                self.fail("PyTorch takes it")
            with self.subTest(str(wanted)):
                with self.assertRaises(type(wanted)) as caught:
                    f(haft, p)
                if "optimizer can only optimize Tensors" not in str(wanted):  # PyTorch names types its own way
                    self.assertEqual(str(caught.exception), str(wanted))
        with self.assertRaisesRegex(TypeError, "should be an iterable of Tensors or dicts"):
            haft.optim.Adam(p)
        optimizer = haft.optim.SGD([p], lr=0.1)
        optimizer.param_groups[0]["lr"] = -1.0
        p.grad = haft.ones(2)
        with self.assertRaisesRegex(ValueError, "lr must be >= 0, got -1"):
            optimizer.step()

    def test_lion(self):
        x, g, m = real(3, 4), real(3, 4), 0.0
        p = haft.nn.Parameter(haft.tensor(x))
        optimizer = haft.optim.Lion([p], lr=0.1, weight_decay=0.2)
        for _ in range(3):
            g = real(3, 4)
            p.grad = haft.tensor(g)
            optimizer.step()
            x = x * (1 - 0.1 * 0.2) - 0.1 * np.sign(0.9 * m + 0.1 * g)
            m = 0.99 * m + 0.01 * g
            np.testing.assert_allclose(p.detach().numpy(), x, rtol=1e-5, atol=1e-6)


    def test_lamb(self):
        x = real(3, 4, dtype="float64")
        p = haft.nn.Parameter(haft.tensor(x))
        optimizer = haft.optim.LAMB([p], lr=0.1, betas=(0.8, 0.9), weight_decay=0.2)
        m = v = 0.0
        for t in range(1, 5):
            g = real(3, 4, dtype="float64")
            p.grad = haft.tensor(g)
            optimizer.step()
            m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
            change = m / (1 - 0.8 ** t) / (np.sqrt(v / (1 - 0.9 ** t)) + 1e-6) + 0.2 * x
            x = x - 0.1 * np.linalg.norm(x) / np.linalg.norm(change) * change
            np.testing.assert_allclose(p.detach().numpy(), x, rtol=1e-9)


    def test_adafactor(self):
        p, v = (haft.nn.Parameter(haft.randn(*shape, dtype=haft.float64)) for shape in ((2, 3, 4), (5,)))
        optimizer = haft.optim.Adafactor([p, v], lr=0.05)

        def step(one, parameters):
            for i, q in enumerate(parameters):
                q.grad = (q.detach() * (i + 2)).sin()
            one.step()
        step(optimizer, (p, v))
        self.assertEqual([list(optimizer.state[p][k].shape) for k in ("row_var", "col_var")], [[2, 3, 1], [2, 1, 4]])
        self.assertEqual(sorted(optimizer.state[v]), ["step", "variance"])
        copies = [haft.nn.Parameter(q.detach().clone()) for q in (p, v)]
        other = haft.optim.Adafactor(copies, lr=0.01)
        other.load_state_dict(optimizer.state_dict())
        optimizer.add_param_group({"params": [haft.nn.Parameter(haft.ones(2))]})  # a new engine optimizer, which goes on
        for one, parameters in ((optimizer, (p, v)), (other, copies)):
            step(one, parameters)
            step(one, parameters)
        for a, b in zip((p, v), copies):
            self.assertEqual(a.tolist(), b.tolist())
        for bad in (dict(beta2_decay=0.1), dict(d=0.5), dict(eps=(-1.0, 1e-3)), dict(lr=-1.0)):
            with self.assertRaises(ValueError):
                haft.optim.Adafactor([p], **bad)

    def test_muon(self):
        for shape, options in (((3, 5), {}), ((6, 2), dict(adjust_lr_fn="match_rms_adamw")), ((4, 4), dict(nesterov=False, ns_steps=3, ns_coefficients=(2, -1.5, 0.5)))):
            w, m = real(*shape, dtype="float64"), 0.0
            p = haft.nn.Parameter(haft.tensor(w))
            optimizer = haft.optim.Muon([p], lr=0.1, momentum=0.8, weight_decay=0.2, **options)
            a, b, c = options.get("ns_coefficients", (3.4445, -4.775, 2.0315))
            for _ in range(3):
                g = real(*shape, dtype="float64")
                p.grad = haft.tensor(g)
                optimizer.step()
                m = 0.8 * m + 0.2 * g
                x = 0.2 * g + 0.8 * m if options.get("nesterov", True) else m
                x = x / np.linalg.norm(x)
                x = x.T if shape[0] > shape[1] else x
                for _ in range(options.get("ns_steps", 5)):
                    gram = x @ x.T
                    x = a * x + (b * gram + c * gram @ gram) @ x
                x = x.T if shape[0] > shape[1] else x
                scale = 0.2 * max(shape) ** 0.5 if "adjust_lr_fn" in options else max(1, shape[0] / shape[1]) ** 0.5
                w = w * (1 - 0.1 * 0.2) - 0.1 * scale * x
                np.testing.assert_allclose(p.detach().numpy(), w, rtol=1e-9, atol=1e-11)
            self.assertEqual(list(optimizer.state_dict()["state"][0]), ["momentum_buffer"])
        with self.assertRaisesRegex(ValueError, "wanted a matrix"):
            haft.optim.Muon([haft.nn.Parameter(haft.ones(3))])


class Clip(unittest.TestCase):
    def test_norm_and_value(self):
        for norm_type in (2.0, 1.0, 3.0, float("inf")):
            ours, theirs = pair()
            give_gradients(ours, theirs, missing=(1,))
            a = haft.nn.utils.clip_grad_norm_(ours, 0.7, norm_type)
            b = torch.nn.utils.clip_grad_norm_(theirs, 0.7, norm_type)
            parity.check(a, b)
            e = max(parity.check(p.grad, q.grad) for p, q in zip(ours, theirs) if q.grad is not None)
            parity.record("function", f"clip_grad_norm_, {norm_type}", e)
        haft.nn.utils.clip_grad_value_(ours, 0.05)
        torch.nn.utils.clip_grad_value_(theirs, 0.05)
        for p, q in zip(ours, theirs):
            if q.grad is not None:
                parity.check(p.grad, q.grad)
        self.assertEqual(haft.nn.utils.clip_grad_norm_([], 1.0).item(), 0)
        ours[0].grad = haft.full((3, 4), float("nan"))
        with self.assertRaisesRegex(RuntimeError, "is non-finite, so it cannot be clipped"):
            haft.nn.utils.clip_grad_norm_(ours, 1.0, error_if_nonfinite=True)

    def test_vectors(self):
        ours, theirs = pair()
        v = haft.nn.utils.parameters_to_vector(ours)
        parity.check(v, torch.nn.utils.parameters_to_vector(theirs))
        haft.nn.utils.vector_to_parameters(v.detach() * 2, ours)
        torch.nn.utils.vector_to_parameters(torch.nn.utils.parameters_to_vector(theirs) * 2, theirs)
        compare(ours, theirs, "vector_to_parameters")


if __name__ == "__main__":
    unittest.main()
