"""What programs import, mark and wrap: torch.fx, hub, onnx, compiler, accelerator, jit; added methods; and habits that PyTorch bears."""
import io
import os
import pickle
import tempfile
import typing
import unittest
import warnings
from unittest import mock

import numpy as np
import torch

import haft
import leaks
import seeds
from haft import nn

setUpModule, tearDownModule = leaks.guard()


class Marks(unittest.TestCase):
    def test_functions_stay_as_they_are(self):
        def f(x):
            return x + 1
        for mark in (haft.fx.wrap, haft.compiler.disable, haft.compiler.disable(), haft.compiler.allow_in_graph, haft.compiler.assume_constant_result,
                     haft.jit.script_if_tracing, haft.jit.interface, haft.jit.export, haft.jit.unused, haft.jit.ignore):
            self.assertIs(mark(f), f)
        self.assertEqual(haft.fx.wrap("len"), "len")
        with self.assertRaises(RuntimeError):
            haft.fx.wrap(3)
        self.assertFalse(haft.compiler.is_compiling() or haft.compiler.is_dynamo_compiling() or haft.onnx.is_in_onnx_export())
        with haft.compiler.set_stance("force_eager"):
            haft.compiler.reset()
        with self.assertRaisesRegex(RuntimeError, "stance must be one of"):
            haft.compiler.set_stance("fast")
        haft._assert(True, "no")
        haft._assert(haft.ones(1), "no")
        with self.assertRaisesRegex(AssertionError, "why"):
            haft._assert(haft.zeros(1).bool(), "why")

    def test_what_is_not_there_says_what_to_use(self):
        for call, said in ((lambda: haft.fx.symbolic_trace(nn.Linear(1, 1)), "hooks"), (lambda: haft.fx.Tracer(), "trace"), (lambda: haft.fx.Graph(), "fx.Graph: "),
                           (lambda: haft.fx.Proxy(None), "trace"), (lambda: haft.fx.Node(), "fx.Node: "),
                           (lambda: haft.fx.GraphModule(nn.Module(), None), "trace"), (lambda: haft.onnx.export(nn.Linear(1, 1), (), "f"), "state_dict"),
                           (lambda: haft.hub.download_url_to_file("https://a.b/c", "d"), "Put https://a.b/c at d")):
            with self.assertRaisesRegex(NotImplementedError, said):
                call()

    def test_types_of_compilers(self):
        class M(nn.Module):
            width: haft.jit.Final[int]

            def __init__(self):
                super().__init__()
                self.width = haft.jit.Attribute(3, int)
        self.assertEqual(M().width, 3)
        self.assertEqual(haft.jit.annotate(typing.List[int], []), [])
        for obj, kind, answer in (([1], typing.List[int], True), ([1, "a"], typing.List[int], False), (None, typing.Optional[haft.Tensor], True),
                                  ({"a": 1.0}, typing.Dict[str, float], True), ((1, "a"), typing.Tuple[int, str], True),
                                  ((1,), typing.Tuple[int, str], False), (3, (str, int), True), (3, str, False), (3, int | None, True),
                                  ((1, 2), typing.Tuple[int, ...], True), ((1, "a"), typing.Tuple[int, ...], False), ((), typing.Tuple[()], True)):
            self.assertIs(haft.jit.isinstance(obj, kind), answer, (obj, kind))
        for kind, name in ((typing.List, "List[int]"), (list, "list[int]"), (typing.Tuple, "Tuple[int]"), (tuple, "tuple[int]"), (typing.Set, "Set[int]"),
                           (typing.Dict, "Dict[int, int]"), (dict, "dict[int, int]"), (typing.Optional, "Optional[int]"), ((str, typing.List), "List[int]")):
            with self.assertRaises(RuntimeError) as caught:
                haft.jit.isinstance((1, 2), kind)
            self.assertRegex(str(caught.exception), "without (a )?contained types?")
            self.assertTrue(str(caught.exception).endswith("e.g. " + name), caught.exception)

    def test_script_modules_run_as_they_are(self):
        class M(haft.jit.ScriptModule):
            @haft.jit.script_method
            def forward(self, x):
                return x + 1
        self.assertEqual(M()(haft.zeros(2)).tolist(), [1, 1])
        self.assertIsInstance(M(), nn.Module)
        self.assertNotIsInstance(nn.Linear(1, 1), haft.jit.ScriptModule)

    def test_implementations_of_attention(self):
        q, k, v = haft.randn(3, 2, 4, 8).unbind()
        wanted = haft.nn.functional.scaled_dot_product_attention(q, k, v)
        backend = nn.attention.SDPBackend
        for choice in (backend.MATH, [backend.FLASH_ATTENTION, backend.EFFICIENT_ATTENTION]):
            with nn.attention.sdpa_kernel(choice):
                self.assertTrue(haft.equal(haft.nn.functional.scaled_dot_product_attention(q, k, v), wanted))
        with haft.backends.cuda.sdp_kernel(enable_flash=True, enable_math=False):
            self.assertTrue(haft.equal(haft.nn.functional.scaled_dot_product_attention(q, k, v), wanted))
        for bad in ([], "math", [1]):
            with self.assertRaisesRegex(AssertionError, "SDPBackend"), nn.attention.sdpa_kernel(bad):
                pass
        with self.assertRaises(AssertionError), haft.backends.cuda.sdp_kernel(False, False, False, False):
            pass

    def test_modules_by_the_names_of_files(self):
        import haft.compat
        files = nn.modules
        self.assertIs(files.transformer.TransformerEncoderLayer, nn.TransformerEncoderLayer)
        self.assertIs(files.pixelshuffle.PixelShuffle, nn.PixelShuffle)
        self.assertIsInstance(nn.MultiheadAttention(4, 2).out_proj, files.linear.NonDynamicallyQuantizableLinear)
        for name, ours, attribute in (("torch.distributions.normal", haft.distributions, "Normal"), ("torch.nn.modules.transformer", nn.modules, "Transformer"),
                                      ("torchvision.transforms.transforms", haft.vision.transforms, "Compose")):
            self.assertEqual(haft.compat._ours(name), ours.__name__)
            self.assertTrue(hasattr(ours, attribute))

    def test_trees(self):
        from collections import OrderedDict, defaultdict, namedtuple
        from torch.utils import _pytree as theirs
        ours, point = haft.utils._pytree, namedtuple("point", "x y")
        for tree in (3, None, [], (), {}, [1, (2, None), {"b": 3, "a": [4]}], point(1, [2]), OrderedDict(z=1, a=2), defaultdict(list, a=[1]), {"a": {1, 2}}):
            leaves, spec = ours.tree_flatten(tree)
            opened = not isinstance(tree, defaultdict)  # a leaf to the PyTorch of the tests
            if opened:
                self.assertEqual(leaves, theirs.tree_flatten(tree)[0])
            again = ours.tree_unflatten(leaves, spec)
            self.assertEqual(again, tree)
            self.assertIs(type(again), type(tree))
            if opened:
                self.assertEqual(ours.tree_map(lambda x: [x], tree), theirs.tree_map(lambda x: [x], tree))
        self.assertEqual(ours.tree_map(lambda a, b: a + b, [1, (2,)], [10, (20,)]), [11, (22,)])
        self.assertEqual(ours.tree_leaves([(1, 2), 3], is_leaf=lambda t: isinstance(t, tuple)), [(1, 2), 3])
        with self.assertRaisesRegex(ValueError, "length 1"):
            ours.tree_unflatten([1], ours.tree_flatten([1, 2])[1])
        with self.assertRaisesRegex(ValueError, "differ"):
            ours.tree_map(lambda a, b: a, [1], (1,))

    def test_older_names(self):
        self.assertIs(haft.utils.model_zoo.load_url, haft.hub.load_state_dict_from_url)
        with self.assertWarnsRegex(UserWarning, "volatile was removed"):
            self.assertIs(haft.ones(1).volatile, False)
        if not haft.cuda.is_available():
            self.assertFalse(haft.cuda.is_bf16_supported())
            self.assertEqual(haft.cuda.memory_reserved(), 0)

    def test_accelerator(self):
        self.assertEqual(haft.accelerator.is_available(), haft.cuda.is_available())
        self.assertEqual(haft.accelerator.device_count(), haft.cuda.device_count())
        if not haft.accelerator.is_available():
            self.assertIsNone(haft.accelerator.current_accelerator())
            with self.assertRaisesRegex(RuntimeError, "no accelerator"):
                haft.accelerator.synchronize()

    def test_dtypes_by_name_only(self):
        x = haft.ones(2)
        for name in ("complex32", "uint16", "uint32", "uint64", "float8_e4m3fnuz", "float8_e5m2fnuz", "quint8", "qint8"):
            dtype, theirs = getattr(haft, name), getattr(torch, name, None)
            self.assertNotEqual(x.dtype, dtype)
            self.assertNotIn(x.dtype, (dtype,))
            if theirs is not None:
                self.assertEqual(repr(dtype).split(".")[1], repr(theirs).split(".")[1])
                self.assertEqual((dtype.is_complex, dtype.is_floating_point), (theirs.is_complex, theirs.is_floating_point))
            for use in (lambda: haft.zeros(2, dtype=dtype), lambda: x.to(dtype), lambda: x.to(dtype=dtype)):
                with self.assertRaisesRegex(TypeError, "is a name only"):
                    use()
        for name in "hpu ipu maia meta mkldnn mps mtia nested quantized sparse sparse_csr vulkan xla xpu".split():
            self.assertIs(getattr(x, "is_" + name), False)


class SmallNames(unittest.TestCase):
    def test_lists_of_tensors(self):
        mine, theirs = [[lib.arange(float(n)) + 1 for n in (3, 5)] for lib in (haft, torch)]

        def same(a, b):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=1e-6)
        for lib, xs in ((haft, mine), (torch, theirs)):
            self.assertIsNone(lib._foreach_add_(xs, 2))
            lib._foreach_mul_(xs, [2, 3])
            lib._foreach_add_(xs, xs, alpha=0.5)
            lib._foreach_addcdiv_(xs, xs, [lib.ones(3) * 3, lib.ones(5)], 0.25)
        same(mine, theirs)
        same(haft._foreach_sqrt(mine), torch._foreach_sqrt(theirs))
        same(haft._foreach_sub(mine, mine), torch._foreach_sub(theirs, theirs))
        same(haft._foreach_pow(0.9, mine), [0.9 ** x for x in theirs])
        same(haft._foreach_mul(mine, other=[2, 3]), [x * n for x, n in zip(theirs, (2, 3))])
        with self.assertRaisesRegex(RuntimeError, "same number of tensors, got 2 and 1"):
            haft._foreach_add(mine, [haft.ones(3)])
        with self.assertRaisesRegex(RuntimeError, "must not be empty"):
            haft._foreach_add([], 1)
        with self.assertRaisesRegex(AttributeError, "_foreach_nothing"):
            haft._foreach_nothing

    def test_ranges_with_their_end(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for args in ((1, 4), (1, 2, 0.25), (5, 1, -2), (0, 1, 0.3), (0, 1, 0.1), (1, 0, -0.1), (3,)):
                mine, theirs = haft.range(*args), torch.range(*(args if len(args) > 1 else (0, *args)))
                np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-6)
                self.assertEqual(mine.dtype, haft.float32)
            self.assertEqual(haft.range(1, 3, dtype=haft.int64).tolist(), [1, 2, 3])
            for args in ((1, 2, 0), (2, 1)):
                with self.assertRaises(RuntimeError):
                    haft.range(*args)
        with self.assertWarnsRegex(UserWarning, "deprecated"):
            haft.range(1, 2)

    def test_what_programs_ask_and_set(self):
        self.assertEqual((haft.scalar_tensor(3).dtype, haft.scalar_tensor(3).shape), (haft.float32, ()))
        self.assertEqual(haft.scalar_tensor(3, dtype=haft.int64).item(), 3)
        self.assertEqual(haft.ones(3)[:, haft.newaxis].shape, (3, 1))
        haft.set_num_interop_threads(2)
        self.assertEqual(haft.get_num_interop_threads(), 1)
        with self.assertRaisesRegex(RuntimeError, "positive"):
            haft.set_num_interop_threads(0)
        self.assertFalse(haft.set_flush_denormal(True))
        self.assertEqual([haft.typename(x) for x in (haft.ones(1), [], int, os)], ["haft.FloatTensor", "list", "int", "os"])
        for module in (haft.mps, haft.xpu, haft.mtia):
            self.assertEqual((module.is_available(), module.is_initialized(), module.device_count()), (False, False, 0))
        self.assertFalse(haft.backends.mkl.is_available() or haft.backends.openmp.is_available())


class Hub(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(haft.hub.set_dir, haft.hub.get_dir())
        haft.hub.set_dir(self.folder)

    def write(self, *path, text):
        path = os.path.join(self.folder, *path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def test_models_of_folders(self):
        text = "dependencies = ['haft']\nfrom part import width\nimport haft\n\ndef linear(n, bias=True):\n    'A layer.'\n" \
               "    return haft.nn.Linear(n, width, bias)\n\ndef _hidden():\n    pass\n"
        for name in ("mine", "owner_name_main"):
            self.write(name, "part.py", text="width = 4\n")
            self.write(name, "hubconf.py", text=text)
        local = os.path.join(self.folder, "mine")
        model = haft.hub.load(local, "linear", 3, bias=False, source="local")
        self.assertEqual((model.in_features, model.out_features, model.bias), (3, 4, None))
        self.assertEqual(haft.hub.load("owner/name", "linear", 2).in_features, 2)
        self.assertEqual(haft.hub.load("owner/name:main", "linear", 2).in_features, 2)
        self.assertIn("linear", haft.hub.list(local))
        self.assertEqual(haft.hub.help("owner/name", "linear"), "A layer.")
        for bad, error, said in ((lambda: haft.hub.load("owner/other", "linear"), RuntimeError, "owner/other is not in .*downloads nothing"),
                                 (lambda: haft.hub.load(local, "_hidden", source="local"), RuntimeError, "_hidden"),
                                 (lambda: haft.hub.load(local, "linear", source="ftp"), ValueError, "ftp"),
                                 (lambda: haft.hub.load("name", "linear"), ValueError, "owner/name"),
                                 (lambda: haft.hub.load(self.folder, "linear", source="local"), FileNotFoundError, "hubconf.py")):
            with self.assertRaisesRegex(error, said):
                bad()
        self.write("poor", "hubconf.py", text="dependencies = ['no_such_package']\n")
        with self.assertRaisesRegex(RuntimeError, "no_such_package"):
            haft.hub.list(os.path.join(self.folder, "poor"))

    def test_states_that_are_there(self):
        os.makedirs(os.path.join(self.folder, "checkpoints"))
        haft.save({"w": haft.arange(3)}, os.path.join(self.folder, "checkpoints", "a-1.pth"))
        self.assertEqual(haft.hub.load_state_dict_from_url("https://example.org/models/a-1.pth?x=1")["w"].tolist(), [0, 1, 2])
        with self.assertRaisesRegex(FileNotFoundError, "b.pth is not there.*https://example.org/b.pth"):
            haft.hub.load_state_dict_from_url("https://example.org/b.pth")


class Habits(unittest.TestCase):
    def test_methods_of_tensors(self):
        haft.Tensor.twice = lambda self: self * 2
        self.assertEqual(haft.arange(3).twice().tolist(), [0, 2, 4])
        self.assertEqual(nn.Parameter(haft.ones(1)).twice().item(), 2)
        del haft.Tensor.twice
        self.assertFalse(hasattr(haft.ones(1), "twice"))
        before = haft.Tensor.sum
        try:
            haft.Tensor.sum = lambda self, *args, **kwargs: before(self, *args, **kwargs) + 1
            self.assertEqual(haft.ones(3).sum().item(), 4)
            self.assertEqual(haft.sum(haft.ones(3)).item(), 3)
            self.assertEqual(haft.ones(3).mean().item(), 1)
        finally:
            haft.Tensor.sum = before
        self.assertEqual(haft.ones(3).sum().item(), 3)
        add = haft.Tensor.__add__
        try:
            haft.Tensor.__add__ = lambda self, other: "added"
            self.assertEqual(haft.ones(1) + 1, "added")
        finally:
            haft.Tensor.__add__ = add
        self.assertEqual((haft.ones(1) + 1).item(), 2)

    def test_nested_tensors(self):
        def forms(t):
            return [t([t([1.0]), t([2.0])]), t([t([[1.0]]), t(2.0)]), t([[t([[1.0]])], [t(2.0)]]), t([2, t([1.5])]), t([t([True])]),
                    t([t([1], dtype=haft.int32 if t is haft.tensor else torch.int32)]), t((t([3]), 4)), t([t(1), t([2.5])])]
        for a, b in zip(forms(haft.tensor), forms(torch.tensor)):
            self.assertEqual((tuple(a.shape), a.tolist(), repr(a.dtype).split(".")[1]), (tuple(b.shape), b.tolist(), repr(b.dtype).split(".")[1]))

    def test_parameters_listed_twice(self):
        def run(lib, name, **options):
            p, q = (lib.nn.Parameter(lib.tensor(v)) for v in ([1.0, -2.0], [0.5]))
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                o = getattr(lib.optim, name)([p, q, p], **options)
            self.assertIn("more than once" if lib is haft else "duplicate", str(told[0].message))
            for _ in range(3):
                o.zero_grad()
                (p.square().sum() * q.sum()).backward()
                o.step()
            return [*p.tolist(), *q.tolist()]
        for name, options in (("SGD", {"lr": 0.1}), ("Adam", {"lr": 0.01}), ("RMSprop", {"lr": 0.01})):
            np.testing.assert_allclose(run(haft, name, **options), run(torch, name, **options), rtol=1e-5)

    def test_a_step_of_its_own(self):
        p, calls = nn.Parameter(haft.ones(1)), []
        o = haft.optim.SGD([p], 0.5)
        plain = o.step

        def step(closure=None):
            calls.append(len(calls))
            return plain(closure)
        o.step = step
        s = haft.optim.lr_scheduler.StepLR(o, 1, 0.1)
        for _ in range(3):
            p.grad = haft.ones(1)
            o.step()
            s.step()
        self.assertEqual(calls, [0, 1, 2])
        self.assertAlmostEqual(p.item(), 1 - 0.5 - 0.05 - 0.005, 6)

    def test_endless_draws(self):
        data = haft.utils.data.TensorDataset(haft.arange(10))
        sampler = haft.utils.data.RandomSampler(data, replacement=True, num_samples=10 ** 10)
        self.assertEqual(len(sampler), 10 ** 10)
        found = [i for i, _ in zip(sampler, range(1000))]
        self.assertEqual((len(found), min(found) >= 0, max(found) < 10), (1000, True, True))
        loader = iter(haft.utils.data.DataLoader(data, batch_size=4, sampler=sampler))
        self.assertEqual(next(loader)[0].shape, (4,))

        def drawn():
            own = haft.utils.data.RandomSampler(range(5), replacement=True, num_samples=1 << 40, generator=haft.Generator().manual_seed(seeds.SEED))
            return [i for i, _ in zip(own, range(50))]
        self.assertEqual(drawn(), drawn())

    def test_safe_globals(self):
        class Own:
            pass
        serialization = haft.serialization
        before = serialization.get_safe_globals()
        with serialization.safe_globals([Own]):
            self.assertIn(Own, serialization.get_safe_globals())
        self.assertEqual(serialization.get_safe_globals(), before)
        serialization.add_safe_globals([Own])
        serialization.clear_safe_globals()
        self.assertNotIn(Own, serialization.get_safe_globals())

        def defined(kind):
            def make(value):
                made = object.__new__(cls)
                made.kind, made.value = kind, value
                return made

            cls = type("Twice", (), {"__module__": __name__, "__qualname__": "Twice", "__reduce__": lambda self: (make, (self.value,))})
            make.__module__, make.__qualname__ = __name__, "make_twice"
            return cls, make

        first, second = defined("first"), defined("second")
        file = io.BytesIO()
        with mock.patch.dict(globals(), make_twice=first[1]):
            haft.save(first[1](5), file)

        def read():
            return haft.load(io.BytesIO(file.getvalue()))
        with self.assertRaisesRegex(pickle.UnpicklingError, "make_twice"):
            read()
        serialization.add_safe_globals([first[1]])
        self.assertEqual((read().kind, read().value), ("first", 5))
        with serialization.safe_globals([second[1]]):  # the same name, as after a module is loaded again
            self.assertEqual(read().kind, "second")
        self.assertEqual(read().kind, "first")
        serialization.clear_safe_globals()
        serialization.add_safe_globals([(second[1], __name__ + ".make_twice")])
        self.assertEqual(read().kind, "second")
        self.assertEqual(serialization.get_safe_globals(), [(second[1], __name__ + ".make_twice")])
        serialization.clear_safe_globals()
        with self.assertRaisesRegex(pickle.UnpicklingError, "make_twice"):
            read()
        for bad, error in ((("a", "b", "c"), ValueError), ((Own, 3), TypeError)):
            self.assertRaises(error, serialization.add_safe_globals, [bad])
        serialization.add_safe_globals(before)


class Shapes(unittest.TestCase):
    """Forms of 0-dim and empty tensors that PyTorch 2.15 takes; where 1.13.1 takes them too, it is asked."""

    def test_no_dimensions(self):
        def forms(lib):
            t, i = lib.tensor(1.5), lib.tensor([0])
            return [t.index_fill(0, i, 5.0), t.index_fill(0, i, lib.tensor(2.0)), t.clone().index_fill_(0, i, 3.0), t.index_copy(0, i, lib.tensor([5.0])),
                    t.clone().index_copy_(0, i, lib.tensor(5.0)), t.squeeze(0), t.quantile(0.5, dim=0), lib.zeros(2, 3).sum_to_size(1, 3), lib.ones(3, dtype=lib.uint8).sum_to_size(()),
                    lib.ones(3, dtype=lib.uint8).sum_to_size(3), lib.ones(3, dtype=lib.int64).cumsum(0, dtype=lib.uint8),
                    lib.nn.functional.linear(lib.ones(2, 3), lib.ones(3)), lib.nn.functional.cosine_similarity(lib.ones(1, 2, 3), lib.ones(2, 1, 3) * 2, dim=-2),
                    lib.nn.functional.multi_margin_loss(lib.tensor(0.5), lib.tensor(0)), lib.ones(3, 4).diff(0)]
        for k, (a, b) in enumerate(zip(forms(haft), forms(torch))):
            self.assertEqual((tuple(a.shape), repr(a.dtype).split(".")[1]), (tuple(b.shape), repr(b.dtype).split(".")[1]), k)
            np.testing.assert_allclose(np.asarray(a.tolist()), np.asarray(b.tolist()), rtol=1e-6, err_msg=str(k))
        for size, order in (((0, 0), float("inf")), ((3, 0), 1), ((0, 3), float("inf"))):
            self.assertEqual(haft.linalg.norm(haft.empty(*size), order).item(), 0)
        t = haft.tensor(2.0)
        self.assertEqual(t.index_reduce(0, haft.tensor([0]), haft.tensor(5.0), "prod").item(), 10)
        self.assertEqual(t.squeeze((0,)).shape, ())
        self.assertEqual(haft.ones(1, 2, 1).squeeze((0, -1)).shape, (2,))
        for bad, error in (((3,), IndexError), ((0, 0), RuntimeError)):
            with self.assertRaises(error):
                haft.ones(1, 1).squeeze(bad)
        self.assertEqual(haft.nn.functional.batch_norm(haft.empty(0), haft.empty(0), haft.empty(0), training=True).shape, (0,))

    def test_corrections_that_are_not_whole(self):
        x = haft.randn(4, 5)
        n = 5 / (5 - 1.25)
        want = ((x - x.mean(1, keepdim=True)) ** 2).mean(1) * n
        self.assertTrue(haft.allclose(x.var(dim=1, correction=1.25), want))
        self.assertTrue(haft.allclose(x.std(dim=1, correction=1.25), want.sqrt()))
        self.assertTrue(haft.allclose(haft.var_mean(x, dim=1, correction=1.25)[0], want))
        self.assertEqual(x.var(correction=20.5).item(), float("inf"))


if __name__ == "__main__":
    unittest.main()
