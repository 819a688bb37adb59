"""Names that programs written for PyTorch use beside the operators: typed tensors, layouts, settings, modules."""
import ast
import gc
import inspect
import math
import os
import subprocess
import sys
import threading
import unittest
import warnings

import numpy as np
import torch

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()
TYPES = "FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor ByteTensor BoolTensor".split()


def outcome(f):
    """What a call answers, or the class of what it raises."""
    try:
        x = f()
    except Exception as error:
        return "RuntimeError" if isinstance(error, haft.Error) else type(error).__name__
    return x.tolist() if hasattr(x, "tolist") else x


def program(text, code=0):
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=800)
    if done.returncode != code:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


class TypedTensors(unittest.TestCase):
    def test_beside_pytorch(self):
        for name in TYPES:
            ours, theirs = getattr(haft, name), getattr(torch, name)
            self.assertEqual(str(ours.dtype).split(".")[1], str(theirs.dtype).split(".")[1])
            self.assertEqual((repr(ours), ours.is_cuda, ours.__name__), (f"<class 'haft.{name}'>", theirs.is_cuda, name))
            for make in (lambda t: t([1, 0, 1]), lambda t: t([[1], [0]]), lambda t: t(2, 3).shape, lambda t: t().shape, lambda t: t((2, 3)),
                         lambda t: t(np.array([1, 0])), lambda t: t([True, False]), lambda t: t("a"), lambda t: t(1.5), lambda t: t(None),
                         lambda t: t(2, "a"), lambda t: t(t([1])), lambda t: t([[1, 2], [3]]), lambda t: t(-1)):
                with self.subTest(name, make=inspect.getsource(make)[:80]):
                    a, b = outcome(lambda: make(ours)), outcome(lambda: make(theirs))
                    self.assertEqual(a, b)
            self.assertEqual(ours(haft.Size([2, 3])).shape, (2, 3))
            self.assertIs(ours([1, 0]).dtype, ours.dtype)
            self.assertIsInstance(ours(2), ours)
            self.assertEqual([isinstance(ours(2), getattr(haft, n)) for n in TYPES], [n == name for n in TYPES])
            self.assertFalse(isinstance(ours(2), getattr(haft.cuda, name)) or isinstance(3, ours))
            self.assertEqual(ours(2).type(), f"haft.{name}")
            for wanted in (ours, name, f"haft.{name}", f"torch.{name}", ours.dtype):
                self.assertIs(haft.ones(2).type(wanted).dtype, ours.dtype)
        self.assertIsInstance(haft.nn.Parameter(haft.ones(2)), haft.FloatTensor)
        x = haft.ones(2)
        self.assertEqual(haft.FloatTensor(x).data_ptr(), x.data_ptr())
        with self.assertRaisesRegex(TypeError, "expected haft.FloatTensor .got haft.LongTensor"):
            haft.FloatTensor(haft.ones(2).long())
        with self.assertRaisesRegex(RuntimeError, "device type: cuda"):
            haft.FloatTensor(2, device="cuda")
        for wanted, error in (("torch.Foo", ValueError), ("a.FloatTensor", ValueError), (3, TypeError), (None, None)):
            with self.subTest(wanted):
                if error:
                    self.assertRaises(error, x.type, wanted)
        if not haft.cuda.is_available():
            with self.assertRaisesRegex(TypeError, "type haft.cuda.FloatTensor not available"):
                haft.cuda.FloatTensor(2)

    def test_default_type(self):
        try:
            for given in (haft.DoubleTensor, "torch.DoubleTensor", "haft.DoubleTensor", haft.float64):
                haft.set_default_tensor_type(given)
                self.assertIs(haft.tensor([1.5]).dtype, haft.float64)
                haft.set_default_tensor_type(haft.FloatTensor)
                self.assertIs(haft.ones(1).dtype, haft.float32)
            for wrong in (haft.LongTensor, "torch.LongTensor", "torch.Foo", haft.int64, 3):
                self.assertRaises(TypeError, haft.set_default_tensor_type, wrong)
        finally:
            haft.set_default_dtype(haft.float32)

    def test_default_dtype_is_that_of_all_threads(self):
        def seen():
            return haft.get_default_dtype(), haft.ones(1).dtype, (haft.arange(2) / 2).dtype, haft.tensor([0.5]).dtype, haft.rand(1).dtype

        def in_thread(f):
            answers = []
            thread = threading.Thread(target=lambda: answers.append(f()))
            thread.start()
            thread.join()
            return answers[0]

        start, again = threading.Event(), threading.Event()
        long_running = []

        def older():  # a thread that has computed under the old default
            long_running.append(seen())
            start.set()
            again.wait(20)
            long_running.append(seen())

        thread = threading.Thread(target=older)
        thread.start()
        start.wait(20)
        try:
            haft.set_default_dtype(haft.float64)
            again.set()
            thread.join()
            self.assertEqual(long_running, [(haft.float32,) * 5, (haft.float64,) * 5])
            self.assertEqual(in_thread(seen), (haft.float64,) * 5)
            self.assertEqual(haft.jit.wait(haft.jit.fork(seen)), (haft.float64,) * 5)
            in_thread(lambda: haft.set_default_dtype(haft.float32))
            self.assertEqual(seen(), (haft.float32,) * 5)
            haft.set_default_dtype(haft.float64)
            hooked = []
            x = haft.ones(3, requires_grad=True)
            y = x * 2
            y.register_hook(lambda g: hooked.append(seen()))
            in_thread(lambda: y.sum().backward())
            self.assertEqual(hooked, [(haft.float64,) * 5])

            class Items(haft.utils.data.Dataset):
                def __len__(self):
                    return 4

                def __getitem__(self, i):
                    return haft.tensor([0.5 * i])

            for workers in (0, 2):
                for batch in haft.utils.data.DataLoader(Items(), batch_size=2, num_workers=workers):
                    self.assertIs(batch.dtype, haft.float64)
        finally:
            haft.set_default_dtype(haft.float32)

    def test_blocks_of_one_device_nest(self):
        """Also while another thread is inside one of the same object."""
        before = haft.get_default_device()
        d = haft.device("cpu")
        inside, leave = threading.Event(), threading.Event()

        def other():
            with d:
                inside.set()
                leave.wait(20)
            inside.clear()

        thread = threading.Thread(target=other)
        thread.start()
        inside.wait(20)
        with d:
            with d:
                with haft.device("cpu"):
                    leave.set()
                    thread.join()
                    self.assertEqual(haft.ones(1).device, d)
            self.assertEqual(haft.get_default_device(), d)
        self.assertEqual(haft.get_default_device(), before)
        self.assertEqual(haft.jit.wait(haft.jit.fork(haft.get_default_device)), before)
        with haft.inference_mode():
            self.assertTrue(haft.jit.wait(haft.jit.fork(haft.is_inference_mode_enabled)))

    def test_under_compat(self):
        out = program("""
import haft.compat; haft.compat.install()
import torch, torch.cuda
x = torch.ones(2, 3)
assert x.type() == "torch.FloatTensor" and x.long().type() == "torch.LongTensor", x.type()
assert x.type("torch.DoubleTensor").dtype == torch.float64 and x.type(torch.ByteTensor).dtype is torch.uint8
assert isinstance(x, torch.FloatTensor) and not isinstance(x, torch.cuda.FloatTensor)
torch.set_default_tensor_type("torch.DoubleTensor")
print(torch.ones(1).dtype, torch.FloatTensor, torch.strided, x.layout, x.dtype, x.shape)
haft.compat.uninstall()
print(x.dtype, x.type())
""")
        self.assertEqual(out, "torch.float64 <class 'torch.FloatTensor'> torch.strided torch.strided torch.float32 torch.Size([2, 3])\n"
                              "haft.float32 haft.FloatTensor\n")


class Layouts(unittest.TestCase):
    def test_constants(self):
        self.assertEqual((haft.inf, haft.pi, haft.e, math.isnan(haft.nan)), (torch.inf, torch.pi, torch.e, True))
        self.assertEqual(haft.full((2,), haft.inf).tolist(), [math.inf] * 2)
        self.assertEqual(repr(haft.strided), "haft.strided")
        self.assertIs(haft.ones(2).layout, haft.strided)
        self.assertIsInstance(haft.strided, haft.layout)
        self.assertIsInstance(haft.channels_last, haft.memory_format)
        import copy
        import pickle
        self.assertIs(pickle.loads(pickle.dumps(haft.channels_last)), haft.channels_last)
        self.assertIs(copy.deepcopy(haft.strided), haft.strided)
        self.assertEqual(haft.zeros(2, layout=haft.strided).shape, (2,))
        self.assertRaises(TypeError, haft.zeros, 2, layout="strided")

    def test_memory_formats_beside_pytorch(self):
        rng = np.random.default_rng(5)
        for shape in ((2, 3, 4, 5), (1, 3, 1, 2), (2, 1, 4, 5), (0, 3, 2, 2), (3, 2, 1, 1), (2, 3, 2, 4, 3), (4, 5), ()):
            a = rng.standard_normal(shape).astype(np.float32)
            ours, theirs = haft.tensor(a), torch.tensor(a)
            for name in ("contiguous_format", "channels_last", "channels_last_3d"):
                f, g = getattr(haft, name), getattr(torch, name)
                for call in (lambda t, m, h: t.contiguous(memory_format=m), lambda t, m, h: t.to(memory_format=m), lambda t, m, h: t.clone(memory_format=m),
                             lambda t, m, h: t.to(h.float64, memory_format=m), lambda t, m, h: t.double(memory_format=m), lambda t, m, h: h.empty_like(t, memory_format=m),
                             lambda t, m, h: h.zeros_like(t, memory_format=m), lambda t, m, h: h.empty(t.shape, memory_format=m),
                             lambda t, m, h: t.to(memory_format=m).contiguous(memory_format=h.contiguous_format)):
                    with self.subTest(shape=shape, format=name, call=inspect.getsource(call)):
                        def facts(t, m, h):
                            x = call(t, m, h)
                            dense = {i: s for i, s in enumerate(x.stride()) if x.shape[i] > 1} if x.numel() else None
                            return tuple(x.shape), dense, [x.is_contiguous(memory_format=n) for n in (h.contiguous_format, h.channels_last, h.channels_last_3d)] if x.numel() else None
                        try:
                            want = facts(theirs, g, torch)
                        except RuntimeError:
                            self.assertRaises(RuntimeError, facts, ours, f, haft)
                            continue
                        self.assertEqual(facts(ours, f, haft), want)
                try:
                    y = ours.to(memory_format=f)
                except RuntimeError:
                    continue
                np.testing.assert_array_equal(y.numpy(), a)
        x = haft.rand(2, 3, 4, 4, requires_grad=True)
        (x.contiguous(memory_format=haft.channels_last) * 3).sum().backward()
        self.assertEqual(x.grad.tolist(), haft.full((2, 3, 4, 4), 3.0).tolist())
        y = haft.rand(2, 3, 4, 4)
        self.assertIs(y.to(memory_format=haft.preserve_format), y)
        self.assertIs(y.contiguous(memory_format=haft.contiguous_format), y)
        for call in (y.contiguous, y.is_contiguous):
            self.assertRaises(RuntimeError, call, memory_format=haft.preserve_format)
            self.assertRaises(TypeError, call, memory_format="channels_last")

    def test_like_with_a_device(self):
        x = haft.ones(2, 3, dtype=haft.float64)
        for f in (haft.rand_like, haft.randn_like):
            self.assertEqual(f(x, device="cpu").dtype, haft.float64)
            haft.manual_seed(3)
            a = f(x, dtype=haft.float32, device=haft.device("cpu"))
            haft.manual_seed(3)
            self.assertEqual(a.tolist(), f(x, dtype=haft.float32).tolist())
            if not haft.cuda.is_available():  # not ignored
                self.assertRaises(RuntimeError, f, x, device="cuda")


class Storages(unittest.TestCase):
    def test_beside_pytorch(self):
        a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        for view in ("x", "x[1]", "x[:, 1:]", "x.T", "x[1, 2, 3]", "x[0, :, ::2]", "x[1:1]", "x.reshape(-1)[5:]"):
            with self.subTest(view):
                def facts(h):
                    x = h.tensor(a)
                    v = eval(view, {"x": x})
                    s = v.storage()
                    return v.storage_offset(), s.size(), len(s), s.nbytes(), s.element_size(), s[3], s[-1], s.tolist(), list(s)[:2], s.data_ptr() == x.data_ptr(), s.clone().tolist(), s.is_shared(), s.is_cuda
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if view == "x.T":  # PyTorch warns of .T with three dimensions
                        self.assertEqual(haft.tensor(a).T.storage_offset(), 0)
                    ours, theirs = facts(haft), facts(torch)
                if view == "x[1:1]":  # a tensor without elements has no address to find its memory by
                    continue
                self.assertEqual(ours, theirs)

    def test_strided_views_count_from_the_memory(self):
        a = np.random.default_rng(1).standard_normal((4, 5)).astype(np.float32)
        for view in ("x", "x[1]", "x[2:, 1:]", "x.T[3]"):
            for args in (((2, 2), (1, 2)), ((2, 2), (1, 2), 0), ((3,), (2,), 4), ((2, 3), (5, 1), 1), ((), (), 7), ((2,), (1,), 18)):
                with self.subTest(view=view, args=args):
                    def run(h):
                        x = h.tensor(a, requires_grad=True)
                        v = eval(view, {"x": x})
                        y = v.as_strided(*args)
                        facts = [y.tolist(), h.as_strided(v, *args).storage_offset()]
                        return facts
                    self.assertEqual(run(haft), run(torch))
        x = haft.arange(6.0)
        self.assertEqual(x[3:].as_strided((2,), (1,), storage_offset=0).tolist(), [0.0, 1.0])
        self.assertRaises(RuntimeError, x.as_strided, (2,), (1,), 5)
        self.assertRaises(RuntimeError, x[3:].as_strided, (2,), (1,), -1)

    def test_writes_are_seen(self):
        x = haft.zeros(4, dtype=haft.int64)
        s, version = x[1:].storage(), x._version
        s[0] = 7
        self.assertEqual((x[0].item(), x._version > version), (7, True))
        s[1:3] = 5
        self.assertEqual(x.tolist(), [7, 5, 5, 0])
        s.fill_(2)
        self.assertEqual(x.tolist(), [2] * 4)
        s.copy_(haft.arange(4).storage())
        self.assertEqual(x.tolist(), [0, 1, 2, 3])
        u = x.untyped_storage()
        self.assertEqual((u.nbytes(), u.size(), u.data_ptr(), u[8], s.untyped().nbytes()), (32, 32, x.data_ptr(), 1, 32))
        self.assertEqual(u, x[2:].untyped_storage())
        self.assertTrue(u != haft.zeros(4).untyped_storage())
        self.assertIn("size 4", repr(s))
        del x
        gc.collect()
        self.assertEqual(s.tolist(), [0, 1, 2, 3])  # the memory lives with its storage
        self.assertRaises(RuntimeError, lambda: s[::2])
        self.assertRaises((IndexError, RuntimeError), lambda: s[4])
        self.assertRaises(RuntimeError, haft.TypedStorage, 3)
        self.assertIsInstance(s, haft.TypedStorage)
        p = haft.ones(2, requires_grad=True)
        y = (p * p).sum()
        p.storage()[0] = 3.0
        self.assertRaises(RuntimeError, y.backward)  # autograd noticed


class Data(unittest.TestCase):
    def test_averaged_weights_and_back(self):
        """The exchange of weights for their averages: what .data held is given back as it was."""
        def program(h):
            model = h.nn.Linear(2, 1)
            with h.no_grad():
                model.weight.copy_(h.tensor([[1.0, 2.0]]))
                model.bias.zero_()
            shadow = {n: p.data.clone() + 10 for n, p in model.named_parameters()}
            backup, x = {}, h.tensor([[1.0, 1.0]])
            optimizer = h.optim.SGD(model.parameters(), lr=0.5)
            out = [model(x).item()]
            for n, p in model.named_parameters():
                backup[n] = p.data
                p.data = shadow[n]
            out.append(model(x).item())
            for n, p in model.named_parameters():
                p.data = backup[n]
            out.append(model(x).item())
            model(x).sum().backward()
            optimizer.step()
            out += [model.weight.tolist(), [v.tolist() for v in shadow.values()], [v.tolist() for v in backup.values()]]
            return out
        self.assertEqual(program(haft), program(torch))

    def test_beside_pytorch(self):
        def program(h):
            p = h.nn.Parameter(h.ones(2, 2))
            old, calls = p.data, []
            p.register_hook(lambda g: calls.append(g.tolist()))
            new = h.arange(4.0).reshape(2, 2).t()
            p.data = new
            new[0, 0] = 9
            facts = [p.tolist(), old.tolist(), p.requires_grad, p.is_leaf, p.stride(), p.data_ptr() == new.data_ptr()]
            (p * 2).sum().backward()
            facts += [calls, p.grad.tolist()]
            p.data = h.zeros(3)
            facts += [p.shape == (3,), p.grad is None or tuple(p.grad.shape)]
            p.data = p.data.double()
            facts += [str(p.dtype).split(".")[1]]
            view = p.view(1, 3)
            p.data = h.ones(3)
            facts += [view.tolist()]
            for wrong in ([1.0], None):
                try:
                    p.data = wrong
                except TypeError as error:
                    facts.append(str(error))
            try:
                p.data = h.arange(3)
            except RuntimeError:
                facts.append("refused")
            return facts
        ours, theirs = program(haft), program(torch)
        theirs[theirs.index((2, 2))] = True  # PyTorch keeps a gradient of the old shape; here it goes with the shape
        self.assertEqual(ours, theirs)

    def test_conversions_of_modules_keep_hooks(self):
        def program(h):
            model, calls = h.nn.Linear(2, 1), []
            model.weight.register_hook(lambda g: calls.append(str(g.dtype).split(".")[1]))
            step = lambda dtype: model(h.ones(1, 2, dtype=dtype)).sum().backward()
            step(h.float32)
            model.double()
            facts = [str(model.weight.grad.dtype).split(".")[1]]
            step(h.float64)
            model.share_memory()
            step(h.float64)
            model.weight.share_memory_()
            facts += [model.weight.grad.tolist(), model.weight.requires_grad]
            model.weight.requires_grad_(False)
            model.float()
            facts += [model.weight.requires_grad, model.weight.grad.tolist(), str(model.weight.grad.dtype).split(".")[1]]
            model.requires_grad_(True)
            step(h.float32)
            return facts + [model.weight.grad.tolist(), calls]
        self.assertEqual(program(haft), program(torch))

    def test_a_graph_that_kept_the_old_value_refuses(self):
        x = haft.ones(2, requires_grad=True)
        y = (x * x).sum()
        x.data = haft.zeros(2)
        self.assertRaises(RuntimeError, y.backward)


class Buffers(unittest.TestCase):
    def test_orders_that_are_asked(self):
        import _testbuffer as b  # Python's own tests' module
        x = haft.arange(6.0).reshape(2, 3)
        orders = {"rows": x, "columns": x.t(), "neither": haft.arange(12.0).reshape(2, 6)[:, ::2], "both": haft.arange(3.0)}
        granted = {"rows": "CA", "columns": "FA", "neither": "", "both": "CFA"}
        for name, t in orders.items():
            for letter, flag in (("C", b.PyBUF_C_CONTIGUOUS), ("F", b.PyBUF_F_CONTIGUOUS), ("A", b.PyBUF_ANY_CONTIGUOUS)):
                with self.subTest(order=name, asked=letter):
                    if letter in granted[name]:
                        self.assertEqual(b.ndarray(t, getbuf=flag).tobytes() and b.ndarray(t, getbuf=flag | b.PyBUF_FORMAT).tolist(), t.tolist())
                    else:
                        self.assertRaises(BufferError, b.ndarray, t, getbuf=flag)
            self.assertEqual(b.ndarray(t, getbuf=b.PyBUF_STRIDES | b.PyBUF_FORMAT).tolist(), t.tolist())
        self.assertRaises(BufferError, b.ndarray, x.t(), getbuf=b.PyBUF_ND)

    def test_bfloat16(self):
        values = [1.0, -2.5, 0.15625]
        raw = bytearray(haft.tensor(values, dtype=haft.bfloat16).view(haft.int16).numpy().tobytes())
        x = haft.frombuffer(raw, dtype=haft.bfloat16)
        self.assertEqual((x.tolist(), x.dtype), (values, haft.bfloat16))
        raw[0:2] = bytes(2)
        self.assertEqual(x[0].item(), 0.0)  # the same memory

    def test_array_copy(self):
        x = haft.arange(4.0)
        shared = x.__array__(copy=False)
        shared[0] = 9
        self.assertEqual(x[0].item(), 9.0)
        x.__array__(copy=True)[0] = 7
        self.assertEqual(x[0].item(), 9.0)
        self.assertRaises(ValueError, x.__array__, np.float64, copy=False)
        self.assertEqual(x.__array__(np.float64).dtype, np.float64)
        self.assertEqual(np.asarray(x).__array_interface__["data"][0], x.data_ptr())


class Settings(unittest.TestCase):
    def test_switches(self):
        self.assertFalse(haft.are_deterministic_algorithms_enabled())
        haft.use_deterministic_algorithms(True)
        self.assertEqual((haft.get_deterministic_debug_mode(), haft.is_deterministic_algorithms_warn_only_enabled()), (2, False))
        haft.use_deterministic_algorithms(True, warn_only=True)
        self.assertTrue(haft.are_deterministic_algorithms_enabled() and haft.is_deterministic_algorithms_warn_only_enabled())
        self.assertEqual(haft.get_deterministic_debug_mode(), 1)
        haft.set_deterministic_debug_mode("default")
        self.assertFalse(haft.are_deterministic_algorithms_enabled())
        self.assertRaises(RuntimeError, haft.set_deterministic_debug_mode, 7)
        haft.set_float32_matmul_precision("high")
        self.assertEqual((haft.get_float32_matmul_precision(), haft.runtime.get_math_precision()), ("high", "tf32"))
        self.assertTrue(haft.backends.cuda.matmul.allow_tf32)
        haft.set_float32_matmul_precision("highest")
        self.assertEqual(haft.runtime.get_math_precision(), "fast")
        haft.backends.cuda.matmul.allow_tf32 = True
        self.assertEqual((haft.get_float32_matmul_precision(), haft.runtime.get_math_precision()), ("high", "tf32"))
        haft.backends.cuda.matmul.allow_tf32 = False
        self.assertRaises(RuntimeError, haft.set_float32_matmul_precision, "low")
        self.assertEqual(haft.get_default_device(), haft.device("cpu"))
        self.assertEqual((haft.backends.cudnn.benchmark, haft.backends.cudnn.deterministic, haft.backends.mps.is_available()), (False, False, False))

    def test_the_same_bits_again(self):
        """What use_deterministic_algorithms promises of the CPU."""
        haft.manual_seed(0)
        x, w = haft.randn(8, 16, 32, 32, requires_grad=True), haft.randn(32, 16, 3, 3, requires_grad=True)
        table, ids, a = haft.randn(50, 64, requires_grad=True), haft.randint(0, 50, (5000,)), haft.randn(300, 700)

        def run():
            for t in (x, w, table):
                t.grad = None
            y = haft.conv2d(x, w, padding=1)
            z = haft.nn.functional.embedding(ids, table)
            (y.square().mean() + z.square().mean()).backward()
            parts = [y, z, x.grad, w.grad, table.grad, a @ a.T, a.sum(), a.cumsum(1), haft.zeros(50, 700).index_add(0, ids[:300], a),
                     haft.zeros(50).scatter_add(0, ids, haft.sin(haft.arange(5000.0)))]
            return [p.detach().numpy().tobytes() for p in parts]

        first = run()
        for _ in range(4):
            self.assertEqual([a == b for a, b in zip(run(), first)], [True] * len(first))

    def test_compile_runs_eagerly(self):
        def f(x):
            return x * 2
        self.assertIs(haft.compile(f), f)
        self.assertIs(haft.compile(mode="reduce-overhead")(f), f)
        module = haft.nn.Linear(2, 2)
        self.assertIs(haft.compile(module, backend="inductor", fullgraph=True), module)
        self.assertRaises(TypeError, haft.compile, 3)
        self.assertIn("eager", haft.compile.__doc__)

    def test_cuda_refuses(self):
        if not haft.cuda.is_available():
            self.assertIsNone(haft.version.cuda)
            for f in (lambda: haft.cuda.set_device(0), haft.cuda.get_device_properties, haft.cuda.get_device_capability, haft.cuda.mem_get_info, haft.cuda.Stream,
                      haft.cuda.current_stream, haft.cuda.current_device):
                self.assertRaisesRegex(RuntimeError, "no CUDA device", f)
            haft.cuda.set_device(-1)
            haft.cuda.ipc_collect()
        self.assertRaises(ValueError, haft.cuda.set_device, "cpu")
        self.assertEqual(haft.version.__version__, haft.__version__)

    def test_another_device(self):
        """On the simulated device of the engine's tests."""
        plugin = os.path.join(os.environ.get("HAFT_BINARY_DIR", ""), "tests/libhaft_sim.so")
        if not os.path.exists(plugin):
            self.skipTest("no simulated device is built")
        program(f"""
import haft
haft._haft.load_backend({plugin!r})
d, cpu = haft.device("sim"), haft.device("cpu")
with d:
    with d:
        assert haft.get_default_device().type == haft.ones(2).device.type == "sim"
        assert haft.jit.wait(haft.jit.fork(lambda: haft.ones(2).device.type)) == "sim"
    assert haft.get_default_device().type == "sim"
assert haft.get_default_device() == cpu
for f in (haft.rand_like, haft.randn_like, haft.zeros_like):
    assert f(haft.ones(3), device=d).device.type == "sim" and f(haft.ones(3, device=d), device="cpu").device == cpu
x = haft.ones(2, 2, device=d)
assert not isinstance(x, haft.FloatTensor) and x.type() == "haft.sim.FloatTensor"
assert x.untyped_storage().nbytes() == 16 and x.storage()[3] == 1.0 and x[1].storage_offset() == 2
model = haft.nn.Linear(2, 1)
calls = []
model.weight.register_hook(lambda g: calls.append(g.device.type))
model.to(d)
model(x).sum().backward()
assert calls == ["sim"] and model.weight.grad.device.type == "sim"
g, still = haft.cuda.CUDAGraph(device=d), haft.ones(2, device=d)
haft._haft.synchronize(d)
with haft.cuda.graph(g):
    twice = still + still
g.replay()
assert twice.tolist() == [2, 2]
still.copy_(haft.tensor([1., 5.], device=d))
g.replay()
assert twice.tolist() == [2, 10]
try:
    with haft.cuda.graph(g):
        still.tolist()
    assert False
except RuntimeError as error:
    assert "a copy that waits" in str(error), error
assert (still + still).tolist() == [2, 10]
g.reset() if g._graph.is_ready() else None
w, factor = haft.zeros(1, device=d, requires_grad=True), haft.ones(1, device=d)
sgd, scaler = haft.optim.SGD([w], lr=1), haft.amp.GradScaler(d, init_scale=8, growth_interval=2)
def scaled():
    sgd.zero_grad()
    scaler.scale((w * factor).sum()).backward()
    scaler.step(sgd)
    scaler.update()
scaled()
with haft.cuda.graph(g):
    scaled()
for now, weight, scale in ((1, -2, 16), (float("inf"), -2, 8), (2, -4, 8)):
    factor.fill_(now)
    g.replay()
    assert (w.item(), scaler.get_scale()) == (weight, scale)
sgd.param_groups[0]["lr"] = 0.5
factor.fill_(1)
g.replay()
assert w.item() == -4.5
p = haft.runtime.device_properties(d)
assert (p.name, p.compute_major, p.uuid) == ("Simulated accelerator", 1, "sim-0000") and p.total_memory == haft.runtime.memory_stats(d).total
import os
os.environ["HAFT_SIM_NONDETERMINISTIC"] = "index_add"
add = lambda: haft.zeros(3, device=d).index_add(0, haft.tensor([1, 1], device=d), haft.ones(2, device=d)).tolist()
haft.use_deterministic_algorithms(True)
try:
    add()
    assert False
except RuntimeError as error:
    assert "[index_add] sim adds in no fixed order" in str(error)
lines = []
haft.runtime.set_log_sink(lambda level, text: lines.append(text))
haft.use_deterministic_algorithms(True, warn_only=True)
assert add() == [0, 2, 0] and lines == ["[index_add] is not deterministic on sim:0: sim adds in no fixed order"]
haft.use_deterministic_algorithms(False)
for where in (d, cpu):
    w = haft.ones(1000, 1000, device=where)
    live, row = haft.runtime.memory_stats(where).live, w[3]
    haft.runtime.decommit(w)
    assert haft.runtime.memory_stats(where).live == live - 4000000
    for f in (row.sum, row.tolist, lambda: haft.runtime.decommit(row)):
        try:
            f()
            assert False
        except (RuntimeError, ValueError):
            pass
    haft.runtime.commit(w)
    w.fill_(2)
    assert row.sum().item() == 2000
for t in (x, w):
    t.requires_grad_()
    with haft.autograd.graph.save_on_cpu(pin_memory=True):
        y = (t * t).sum()
    y.backward()
    assert (t.grad == 2 * t).all()
""")

    def test_seeds_by_module(self):
        haft.random.manual_seed(4)
        with haft.random.fork_rng():
            a = haft.rand(3).tolist()
        self.assertEqual(haft.rand(3).tolist(), a)

    def test_modules_that_pytorch_has(self):
        program("""
import haft.compat; haft.compat.install()
from torch.autograd.function import Function, once_differentiable, FunctionCtx
from torch.autograd.variable import Variable
from torch.autograd.grad_mode import no_grad, enable_grad, set_grad_enabled, inference_mode
from torch.autograd.anomaly_mode import detect_anomaly
from torch.nn.modules.utils import _single, _pair, _triple, _quadruple, _ntuple, _reverse_repeat_tuple, _list_with_default, consume_prefix_in_state_dict_if_present
from torch.nn.parameter import Parameter
from torch.utils.hooks import RemovableHandle
import torch, torch.random, torch.version, torch.distributed as dist, torch.autograd.grad_mode
assert Function is torch.autograd.Function and Variable is torch.autograd.Variable and no_grad is torch.no_grad
assert Parameter is torch.nn.Parameter and dist.is_available() and torch.version.cuda is None or torch.cuda.is_available()
x = torch.ones(2, requires_grad=True)
for h in (x.register_hook(print), torch.nn.ReLU().register_forward_hook(print), torch.optim.SGD([x], 0.1).register_step_post_hook(print)):
    assert isinstance(h, RemovableHandle)
    h.remove(); h.remove()
x.sum().backward()
""")

    def test_argument_helpers_beside_pytorch(self):
        from haft.nn.modules import utils as ours
        from torch.nn.modules import utils as theirs
        for h in (ours, theirs):
            state = {"module.a": 1, "b": 2, "module.c.d": 3}
            h.consume_prefix_in_state_dict_if_present(state, "module.")
            facts = (h._single(3), h._pair(2), h._pair([1, 2]), h._triple(1), h._quadruple((1, 2)), h._ntuple(5, "five")(0), h._pair.__name__, h._reverse_repeat_tuple((1, 2), 2),
                     h._list_with_default([None, 3], [7, 8, 9]), h._list_with_default(4, [1]), sorted(state.items()), outcome(lambda: h._list_with_default([1], [2])))
            want = facts if h is ours else want
            if h is theirs:
                self.assertEqual(want, facts)

    def test_only_names_that_are_meant(self):
        for name in ("into_or_new", "into", "rdiv", "rpow", "max_dim", "min_dim", "as_subclass", "data_ptr", "item", "size", "zero_grad", "copy", "R", "to", "view",
                     "expand", "repeat", "stride", "dim", "nelement", "ndimension", "retain_grad", "index", "uniform", "split_sizes", "is_contiguous", "contiguous", "expand_as",
                     "unfold", "tensor_split_indices", "BY_STATUS"):
            with self.subTest(name):
                self.assertFalse(hasattr(haft, name))
        for name in dir(haft):
            getattr(haft, name)  # everything that is listed is there
        from haft import _haft
        self.assertTrue({"rdiv", "rpow"} <= set(dir(_haft.Tensor)))


class Stubs(unittest.TestCase):
    """What editors read, beside PyTorch's: a name takes at least what some form of PyTorch's must be given."""

    @staticmethod
    def read(path, owner=None):
        with open(path) as f:
            body = ast.parse(f.read()).body
        if owner:
            body = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == owner).body
        found = {}
        for f in (node for node in body if isinstance(node, ast.FunctionDef)):
            a = f.args
            positional = len(a.posonlyargs) + len(a.args)
            most = math.inf if a.vararg or a.kwarg else positional + len(a.kwonlyargs)
            found.setdefault(f.name, []).append((positional - len(a.defaults) + a.kw_defaults.count(None), most))
        return found

    def test_parameters(self):
        own = os.path.join(os.path.dirname(haft.__file__), "__init__.pyi")
        theirs = os.path.join(os.path.dirname(torch.__file__), "_C")
        for a, b in ((self.read(own), self.read(os.path.join(theirs, "_VariableFunctions.pyi"))),
                     (self.read(own, "Tensor"), self.read(os.path.join(theirs, "__init__.pyi"), "_TensorBase"))):
            names = set(a) & set(b)
            self.assertGreater(len(names), 200)
            less = [n for n in names if max(most for _, most in a[n]) < min(least for least, _ in b[n])]
            self.assertEqual(sorted(less), [])


if __name__ == "__main__":
    unittest.main()
