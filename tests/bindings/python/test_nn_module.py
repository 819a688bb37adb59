"""Module itself: attributes, finding, states, hooks, copies, text and refusals, beside PyTorch's where it is a peer."""
import copy
import io
import pickle
import unittest
from collections import OrderedDict

import torch

import haft
import leaks
import parity
from haft import nn

setUpModule, tearDownModule = leaks.guard()


def net(nn):
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 4)
            self.register_buffer("kept", self.fc.bias.detach().clone())
            self.register_buffer("passing", self.fc.bias.detach().clone(), persistent=False)
            self.register_parameter("absent", None)

        def forward(self, x, scale=1):
            return self.fc(x) * scale

        def extra_repr(self):
            return "first\nsecond"

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
            self.again = self.inner
            self.norm = nn.BatchNorm1d(4)
            self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
            self.named = nn.ModuleDict({"a": nn.Tanh(), "b": nn.Linear(4, 2, bias=False)})
            self.scale = nn.Parameter(self.inner.fc.weight.detach()[0].clone())
            self.nothing = None

        def forward(self, x):
            x = self.norm(self.again(x))
            for layer in self.layers:
                x = layer(x)
            return self.named["b"](x)
    return Net()


class Finding(unittest.TestCase):
    def setUp(self):
        self.own, self.ref = net(nn), net(torch.nn)

    def test_names(self):
        for list_of in ("named_parameters", "named_buffers", "named_modules", "named_children"):
            self.assertEqual([n for n, _ in getattr(self.own, list_of)()], [n for n, _ in getattr(self.ref, list_of)()], list_of)
        self.assertEqual(list(self.own.state_dict()), list(self.ref.state_dict()))
        self.assertEqual([n for n, _ in self.own.named_parameters(prefix="x", recurse=False)], ["x.scale"])
        self.assertEqual(len(list(self.own.modules())), len(list(self.ref.modules())))
        self.assertEqual(len(list(self.own.named_modules(remove_duplicate=False))), len(list(self.ref.named_modules(remove_duplicate=False))))
        self.assertEqual(repr(self.own), repr(self.ref))
        self.assertIn("inner", dir(self.own))

    def test_by_name(self):
        self.assertIs(self.own.get_submodule("layers.0"), self.own.layers[0])
        self.assertIs(self.own.get_submodule(""), self.own)
        self.assertIs(self.own.get_parameter("inner.fc.weight"), self.own.inner.fc.weight)
        self.assertIs(self.own.get_buffer("norm.running_mean"), self.own.norm.running_mean)
        for f in (lambda m: m.get_submodule("layers.7"), lambda m: m.get_submodule("scale"), lambda m: m.get_parameter("inner.fc.nose"),
                  lambda m: m.get_parameter("inner.kept"), lambda m: m.get_buffer("inner.fc.weight"), lambda m: m.wrong):
            parity.same_error(self, lambda: f(self.own), lambda: f(self.ref))

    def test_apply_goes_children_first(self):
        seen = []
        self.assertIs(self.own.apply(lambda m: seen.append(type(m).__name__)), self.own)
        other = []
        self.ref.apply(lambda m: other.append(type(m).__name__))
        self.assertEqual(seen, other)

    def test_modes_and_freezing(self):
        self.assertIs(self.own.eval(), self.own)
        self.assertFalse(any(m.training for m in self.own.modules()))
        self.own.train()
        self.assertTrue(all(m.training for m in self.own.modules()))
        self.own.requires_grad_(False)
        self.assertFalse(any(p.requires_grad for p in self.own.parameters()))
        parity.same_error(self, lambda: self.own.train("yes"), lambda: self.ref.train("yes"))

    def test_zero_grad(self):
        self.own(haft.randn(5, 3)).sum().backward()
        self.own.zero_grad(set_to_none=False)
        self.assertTrue(all(bool((p.grad == 0).all()) for p in self.own.parameters() if p is not self.own.scale))
        self.own.zero_grad()
        self.assertTrue(all(p.grad is None for p in self.own.parameters()))


class Attributes(unittest.TestCase):
    def test_kinds_replace_each_other(self):
        for lib in (haft, torch):
            m = lib.nn.Module()
            m.x = 3
            m.x = lib.nn.Parameter(lib.ones(2))
            self.assertEqual((list(m._parameters), "x" in m.__dict__), (["x"], False))
            m.x = None
            self.assertEqual(dict(m._parameters), {"x": None})
            del m.x
            m.x = lib.nn.ReLU()
            m.x = None
            del m.x
            m.register_buffer("x", lib.ones(1), persistent=False)
            m.x = lib.zeros(1)
            self.assertEqual(len(list(m.buffers())), 1)
            m.x = lib.nn.Parameter(lib.ones(2))
            self.assertEqual((list(m._buffers), list(m._parameters), list(m.state_dict())), ([], ["x"], ["x"]))
            del m.x
            self.assertFalse(hasattr(m, "x"))

    def test_refusals(self):
        def lib(f):
            return lambda: f(haft), lambda: f(torch)

        class Early:
            @staticmethod
            def make(lib, value):
                class M(lib.nn.Module):
                    def __init__(self):
                        self.x = value(lib)
                return M

        def module(lib):
            m = lib.nn.Linear(2, 3)
            m.register_buffer("b", lib.ones(1))
            m.child = lib.nn.ReLU()
            return m

        for f in (lambda lib: setattr(module(lib), "weight", "text"), lambda lib: setattr(module(lib), "child", 3),
                  lambda lib: setattr(module(lib), "b", "text"), lambda lib: module(lib).register_parameter("a.b", None),
                  lambda lib: module(lib).register_parameter("", None), lambda lib: module(lib).register_parameter("forward", None),
                  lambda lib: module(lib).register_parameter("p", "text"), lambda lib: module(lib).register_buffer("a.b", None),
                  lambda lib: module(lib).register_buffer("weight", None), lambda lib: module(lib).register_buffer("", None),
                  lambda lib: module(lib).add_module("weight", lib.nn.ReLU()),
                  lambda lib: module(lib).add_module("a.b", lib.nn.ReLU()), lambda lib: module(lib).add_module("", lib.nn.ReLU()),
                  lambda lib: Early.make(lib, lambda lib: lib.nn.ReLU())(), lambda lib: Early.make(lib, lambda lib: lib.nn.Parameter(lib.ones(1)))()):
            parity.same_error(self, *lib(f))
        with self.assertRaisesRegex(TypeError, "only accepts floating point dtypes, but got desired dtype=haft.int64"):
            nn.Linear(2, 2).to(haft.int64)
        with self.assertRaisesRegex(TypeError, "cannot assign 'int' object to buffer 'c'"):
            nn.Module().register_buffer("c", 3)
        with self.assertRaisesRegex(NotImplementedError, 'Module .Module. is missing the required "forward" function'):
            nn.Module()(1)
        with self.assertRaisesRegex(ValueError, "Cannot assign non-leaf Tensor to parameter 'p'"):
            p = nn.Parameter(haft.ones(2))
            nn.Module().register_parameter("p", (p * 2).as_subclass(nn.Parameter))

    def test_parameter(self):
        base = haft.randn(2, 3)
        p = nn.Parameter(base)
        self.assertTrue(p.requires_grad and p.is_leaf and isinstance(p, haft.Tensor) and not base.requires_grad)
        self.assertEqual(p.data_ptr(), base.data_ptr())
        self.assertEqual(repr(nn.Parameter(haft.tensor([1.0, 2.0]))), repr(torch.nn.Parameter(torch.tensor([1.0, 2.0]))))
        self.assertNotIsInstance(p * 2, nn.Parameter)
        self.assertFalse(nn.Parameter(base, requires_grad=False).requires_grad)
        self.assertEqual(nn.Parameter().numel(), 0)
        q = copy.deepcopy(p)
        self.assertIsInstance(q, nn.Parameter)
        self.assertNotEqual(q.data_ptr(), p.data_ptr())
        r = pickle.loads(pickle.dumps(p))
        self.assertIsInstance(r, nn.Parameter)
        self.assertTrue(bool((r == p).all()) and r.requires_grad)
        with self.assertRaises(TypeError):
            nn.Parameter("text")


class States(unittest.TestCase):
    def test_state_shares_memory(self):
        m = nn.Linear(2, 3)
        state = m.state_dict()
        self.assertFalse(state["weight"].requires_grad)
        self.assertEqual(state["weight"].data_ptr(), m.weight.data_ptr())
        self.assertIs(m.state_dict(keep_vars=True)["weight"], m.weight)
        self.assertEqual(list(m.state_dict(prefix="a.")), ["a.weight", "a.bias"])
        self.assertEqual(state._metadata[""], {"version": 1})

    def test_errors(self):
        for change in (lambda s: s.pop("inner.fc.bias"), lambda s: s.update(extra=s["scale"]), lambda s: (s.pop("scale"), s.update({"a.b": s["norm.bias"]})),
                       lambda s: s.update({"scale": s["norm.bias"][:2]})):
            def load(lib, to):
                m = net(lib.nn)
                state = m.state_dict()
                change(state)
                return m.load_state_dict(state)

            parity.same_error(self, lambda: load(haft, parity.as_haft), lambda: load(torch, parity.as_torch))
        m = net(nn)
        state = m.state_dict()
        state["more"] = state.pop("scale")
        keys = m.load_state_dict(state, strict=False)
        self.assertEqual((keys.missing_keys, keys.unexpected_keys), (["scale"], ["more"]))
        missing, unexpected = keys
        self.assertEqual(repr(m.load_state_dict(m.state_dict())), "<All keys matched successfully>")
        with self.assertRaisesRegex(RuntimeError, "expected haft.Tensor"):
            m.load_state_dict({**m.state_dict(), "scale": 3})
        with self.assertRaisesRegex(TypeError, "dict-like"):
            m.load_state_dict([1])

    def test_extra_state_and_hooks(self):
        class M(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(haft.ones(1))
                self.epoch = 0

            def get_extra_state(self):
                return self.epoch

            def set_extra_state(self, state):
                self.epoch = state

        m = M()
        m.epoch = 7
        state = m.state_dict()
        self.assertEqual(list(state), ["w", "_extra_state"])
        other = M()
        seen = []
        other.register_load_state_dict_post_hook(lambda module, keys: seen.append(keys))
        other._register_load_state_dict_pre_hook(lambda state, prefix, *rest: seen.append(prefix))
        other.load_state_dict(state)
        self.assertEqual((other.epoch, seen[0], len(seen)), (7, "", 2))
        with self.assertRaisesRegex(RuntimeError, "Missing key.*_extra_state"):
            other.load_state_dict({"w": haft.ones(1)})

    def test_dtypes_and_devices(self):
        m = net(nn)
        before = list(m.parameters())
        m(haft.randn(4, 3)).sum().backward()
        for f, dtype in ((m.double, haft.float64), (m.half, haft.float16), (m.bfloat16, haft.bfloat16), (m.float, haft.float32)):
            self.assertIs(f(), m)
            self.assertTrue(all(p.dtype == dtype for p in m.parameters()))
            self.assertEqual(m.norm.num_batches_tracked.dtype, haft.int64)
            self.assertTrue(all(p.grad is None or p.grad.dtype == dtype for p in m.parameters()))
        self.assertTrue(all(a is b for a, b in zip(before, m.parameters())))
        self.assertIsNotNone(m.inner.fc.weight.grad)
        self.assertEqual(m.to(haft.float64).scale.dtype, haft.float64)
        self.assertEqual(m.to("cpu", haft.float32).scale.dtype, haft.float32)
        self.assertEqual(m.to(haft.zeros(1, dtype=haft.float64)).scale.dtype, haft.float64)
        self.assertEqual(m.to(device="cpu").cpu().scale.dtype, haft.float64)
        self.assertTrue(m.scale.requires_grad and m.scale.is_leaf)
        frozen = nn.Linear(2, 2).requires_grad_(False).double()
        self.assertFalse(frozen.weight.requires_grad)

    def test_copies(self):
        m = net(nn)
        m.eval()
        for twin in (copy.deepcopy(m), copy.copy(m)):
            self.assertIsNot(twin, m)
        twin = copy.deepcopy(m)
        self.assertIs(twin.again, twin.inner)
        self.assertFalse(twin.training)
        self.assertIsInstance(twin.scale, nn.Parameter)
        self.assertEqual(list(twin.state_dict()), list(m.state_dict()))
        self.assertFalse(any(a.data_ptr() == b.data_ptr() for a, b in zip(twin.parameters(), m.parameters())))
        with haft.no_grad():
            twin.scale.fill_(9)
        self.assertFalse(bool((m.scale == 9).any()))


# Pickling needs classes that can be found by name.
_Net = type(net(nn))
_Inner = type(net(nn).inner)
_Inner.__qualname__ = "_Inner"
_Inner.__module__ = __name__


def _same_inner():
    """net() makes a new class each time; pickle wants the one that has a name."""
    m = net(nn)
    m.inner.__class__ = _Inner
    return m.inner


class Pickling(unittest.TestCase):
    def test_round_trip(self):
        m = _same_inner()
        handle = m.register_forward_hook(_hook)
        twin = pickle.loads(pickle.dumps(m))
        x = haft.randn(2, 3)
        self.assertTrue(bool((twin(x) == m(x)).all()))
        self.assertEqual(len(twin._forward_hooks), 1)
        handle.remove()
        self.assertEqual((len(twin._forward_hooks), len(m._forward_hooks)), (1, 0))
        stream = io.BytesIO()
        pickle.dump(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.LSTM(2, 3)), stream)


def _hook(module, args, output):
    return None


class Hooks(unittest.TestCase):
    def test_forward(self):
        seen = []
        m = nn.Linear(3, 2)
        a = m.register_forward_pre_hook(lambda m, args: seen.append("pre") or (args[0] * 2,))
        b = m.register_forward_hook(lambda m, args, out: seen.append("post") or out + 1)
        first = m.register_forward_pre_hook(lambda m, args: seen.append("first"), prepend=True)
        x = haft.randn(4, 3)
        self.assertTrue(bool((m(x) == haft.nn.functional.linear(x * 2, m.weight, m.bias) + 1).all()))
        self.assertEqual(seen, ["first", "pre", "post"])
        for handle in (a, b, first):
            handle.remove()
        self.assertTrue(bool((m(x) == haft.nn.functional.linear(x, m.weight, m.bias)).all()))
        with m.register_forward_hook(lambda *a: seen.append("with")):
            m(x)
        m(x)
        self.assertEqual(seen.count("with"), 1)

    def test_keywords(self):
        m = net(nn).inner
        m.register_forward_pre_hook(lambda m, args, kwargs: (args, {"scale": 3}), with_kwargs=True)
        seen = []
        m.register_forward_hook(lambda m, args, kwargs, out: seen.append(kwargs), with_kwargs=True)
        x = haft.randn(2, 3)
        self.assertTrue(bool((m(x, scale=1) == m.fc(x) * 3).all()))
        self.assertEqual(seen, [{"scale": 3}])

    def test_always_called(self):
        class Bad(nn.Module):
            def forward(self, x):
                raise KeyError("x")

        m, seen = Bad(), []
        m.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
        with self.assertRaises(KeyError):
            m(1)
        self.assertEqual(seen, [None])

    def test_all_modules(self):
        seen = []
        handles = [nn.modules.module.register_module_forward_pre_hook(lambda m, args: seen.append("pre " + type(m).__name__)),
                   nn.modules.module.register_module_forward_hook(lambda m, args, out: seen.append("post " + type(m).__name__))]
        nn.Sequential(nn.ReLU())(haft.ones(1))
        for h in handles:
            h.remove()
        nn.ReLU()(haft.ones(1))
        self.assertEqual(seen, ["pre Sequential", "pre ReLU", "post ReLU", "post Sequential"])

    def test_backward(self):
        x = parity.real(4, 3)
        w, b = parity.real(2, 3), parity.real(2)
        results = []
        for lib in (haft, torch):
            m = lib.nn.Linear(3, 2)
            m.load_state_dict({"weight": lib.tensor(w), "bias": lib.tensor(b)})
            seen = []
            m.register_full_backward_hook(lambda m, gin, gout: seen.append((gin[0], gout[0])) or (gin[0] * 2,))
            t = lib.tensor(x).requires_grad_()
            (m(t) ** 2).sum().backward()
            results.append([t.grad, *seen[0], m.weight.grad])
            # Nothing takes a gradient on the way in: the hook sees None.
            seen.clear()
            m._backward_hooks.clear()
            m.register_full_backward_hook(lambda m, gin, gout: seen.append((gin, gout[0])))
            m(lib.tensor(x)).sum().backward()
            self.assertEqual((len(seen), seen[0][0]), (1, (None,)))
        for a, b in zip(*results):
            parity.check(a, b)
        m = nn.Linear(3, 2)
        m.register_full_backward_hook(lambda m, gin, gout: (1, 2, 3))
        with self.assertRaisesRegex(RuntimeError, "invalid number of grad_input, got 3, but expected 1"):
            m(haft.tensor(x).requires_grad_()).sum().backward()


class Containers(unittest.TestCase):
    def both(self, f):
        """f gives the same list of texts and lengths with both libraries."""
        self.assertEqual(f(nn), f(torch.nn))

    def test_sequential(self):
        def use(nn):
            s = nn.Sequential(OrderedDict(a=nn.Linear(2, 3), b=nn.ReLU()))
            out = [repr(s), len(s), repr(s.a), repr(s[-1]), repr(s[:1])]
            t = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Tanh(), nn.Sigmoid())
            t[1] = nn.GELU()
            del t[0]
            t.append(nn.ELU())
            out += [repr(t), repr(t[1:3]), list(t.state_dict())]
            del t[1:3]
            out += [repr(t), [type(m).__name__ for m in t]]
            return out

        self.both(use)
        s = nn.Sequential(nn.ReLU())
        s.insert(0, nn.Tanh())
        s.extend(nn.Sequential(nn.ELU(), nn.GELU()))
        self.assertEqual([type(m).__name__ for m in s], ["Tanh", "ReLU", "ELU", "GELU"])
        self.assertEqual(len(s + nn.Sequential(nn.ReLU())), 5)
        self.assertEqual(len(s * 2), 8)
        self.assertEqual(type(s.pop(1)).__name__, "ReLU")
        s += nn.Sequential(nn.Mish())
        self.assertEqual(list(s._modules), ["0", "1", "2", "3"])
        for wrong, kind in ((lambda: s[9], IndexError), (lambda: s.insert(99, nn.ReLU()), IndexError), (lambda: s + 3, ValueError),
                            (lambda: nn.Sequential(3), TypeError), (lambda: s * 0, ValueError)):
            with self.assertRaises(kind):
                wrong()

    def test_module_list(self):
        def use(nn):
            m = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])
            m.append(nn.Tanh())
            m.insert(1, nn.ELU())
            m.extend([nn.GELU(), nn.SiLU()])
            m += [nn.Mish()]
            del m[0]
            m[0] = nn.Sigmoid()
            return [repr(m), len(m), repr(m[1:3]), repr(m + [nn.ReLU()]), repr(m.pop(-1)), [type(x).__name__ for x in m]]

        self.both(use)

    def test_module_dict(self):
        def use(nn):
            m = nn.ModuleDict({"x": nn.ReLU(), "y": nn.Linear(2, 2)})
            m.update([("z", nn.Tanh())])
            m["w"] = nn.ELU()
            del m["x"]
            out = [repr(m), list(m), list(m.keys()), len(m), "y" in m, repr(m.pop("z")), list(m.state_dict()), [k for k, _ in m.items()], len(list(m.values()))]
            m.clear()
            return [*out, repr(m)]

        self.both(use)
        parity.same_error(self, lambda: nn.ModuleDict(3), lambda: torch.nn.ModuleDict(3))

    def test_parameter_list_and_dict(self):
        def use(lib):
            m = lib.nn.ParameterList([lib.ones(2), lib.nn.Parameter(lib.zeros(1, 2))])
            m.append(lib.ones(3))
            m += [lib.ones(1)]
            m[0] = lib.ones(4)
            out = [len(m), list(m.state_dict()), tuple(m[0].shape), tuple(m[-1].shape), len(m[1:3]), all(isinstance(p, lib.nn.Parameter) for p in m)]
            d = lib.nn.ParameterDict({"b": lib.ones(1), "a": lib.nn.Parameter(lib.ones(2))})
            d["c"] = lib.zeros(3)
            d.update({"d": lib.ones(1)})
            out += [list(d), list(d.state_dict()), len(d), "a" in d, tuple(d.pop("a").shape), tuple(d.setdefault("e", lib.ones(7)).shape),
                    d.get("nose", 5), list(d.copy()), d.popitem()[0], [k for k, _ in d.items()]]
            return out

        self.assertEqual(use(haft), use(torch))
        self.assertIn("Parameter containing: [haft.float32 of size 2x3]", repr(nn.ParameterList([haft.ones(2, 3)])))


class FromTheCore(unittest.TestCase):
    """The same seed gives the same numbers as the core's modules, which every language has."""

    def test_leaves(self):
        import test_registry as core
        for name, make, same in (("Linear", lambda: nn.Linear(7, 5), lambda: core.Linear(7, 5)),
                                 ("Linear, no bias", lambda: nn.Linear(7, 5, bias=False), lambda: core.Linear(7, 5, False)),
                                 ("Embedding", lambda: nn.Embedding(6, 4, padding_idx=2), lambda: core.Embedding(6, 4, 2)),
                                 ("Conv2d", lambda: nn.Conv2d(3, 4, (3, 2)), lambda: core.Conv2d(3, 4, (3, 2)))):
            haft.manual_seed(5)
            own = make()
            haft.manual_seed(5)
            theirs = dict(same().named_parameters())
            for key, p in own.named_parameters():
                self.assertTrue(bool((p == theirs[key]).all()), f"{name}, {key}")

    def test_reset(self):
        m = nn.Linear(4, 3, dtype=haft.float64)
        w = m.weight
        haft.manual_seed(1)
        m.reset_parameters()
        a = w.detach().clone()
        haft.manual_seed(1)
        m.reset_parameters()
        self.assertIs(m.weight, w)
        self.assertTrue(bool((a == m.weight).all()))
        self.assertEqual(m.weight.dtype, haft.float64)


if __name__ == "__main__":
    unittest.main()
