"""Memory shared with NumPy, buffers and DLPack; creation from data; pickling; files; printing."""
import array
import collections
import copy
import gc
import io
import os
import pickle
import re
import tempfile
import unittest
import warnings
import weakref

import numpy as np
import torch

import haft
import leaks
import parity

setUpModule, tearDownModule = leaks.guard()
DTYPES = "float64 float32 float16 int64 int32 int16 int8 uint8 bool".split()


class Creation(unittest.TestCase):
    def test_beside_pytorch(self):
        for e in ("h.tensor(3)", "h.tensor(2.5)", "h.tensor(True)", "h.tensor([])", "h.tensor([[], []])", "h.tensor([1, 2])", "h.tensor([1, 2.5])", "h.tensor([True, False])", "h.tensor([True, 2])",
                  "h.tensor([[1., 2.], [3., 4.]])", "h.tensor((1, 2), dtype=h.float64)", "h.tensor([1.7, -2.7], dtype=h.int64)", "h.tensor([[1], [0]], dtype=h.bool)", "h.tensor(range(4))", "h.tensor([h.tensor(1.), 2.])",
                  "h.tensor(np.arange(3.))", "h.tensor(np.float32(2))", "h.tensor([np.float64(1), 2])", "h.tensor([np.arange(2), np.arange(2)])", "h.tensor([300], dtype=h.int64)", "h.tensor([1, 2], dtype=h.float16)",
                  "h.as_tensor([1, 2])", "h.from_numpy(np.eye(2))", "h.zeros(2, 3)", "h.zeros((2, 3))", "h.zeros([2], dtype=h.int32)", "h.zeros(())", "h.zeros(size=(2,))", "h.ones(2, dtype=h.bool)", "h.full((2,), 7)", "h.full((2, 2), 1.5)", "h.full((2,), True)",
                  "h.arange(5)", "h.arange(1, 5)", "h.arange(0, 1, 0.25)", "h.arange(5.)", "h.arange(5, dtype=h.float32)", "h.arange(5, 0, -2)", "h.linspace(0, 1, 5)", "h.logspace(0, 2, 3)", "h.eye(3)", "h.eye(2, 3)", "h.zeros_like(h.ones(2))", "h.ones_like(h.arange(3))",
                  "h.ones_like(h.arange(3), dtype=h.float32)", "h.full_like(h.ones(2), 3)", "h.ones(2).new_zeros(3)", "h.arange(2).new_full((2,), 5)", "h.arange(2).new_tensor([1, 2])", "h.ones(2, dtype=h.float64).new_ones(2, 2)", "h.empty(2, 3).zero_()", "h.Tensor([1, 2])", "h.Tensor([[1.5]])", "h.empty_strided((2, 2), (1, 2)).fill_(1)",
                  "h.frombuffer(bytearray(b'abcd'), dtype=h.uint8)", "h.frombuffer(bytearray(16), dtype=h.float32, count=2, offset=4)"):
            with self.subTest(e):
                parity.check(eval(e, {"h": haft, "np": np}), eval(e, {"h": torch, "np": np}), e, 1e-6)

    def test_attributes(self):
        for h in (haft, torch):
            x = h.zeros(2, 3, dtype=h.float64)
            facts = (tuple(x.shape), x.shape[0], x.size(), x.size(-1), x.dim(), x.ndim, x.numel(), x.nelement(), x.element_size(), x.stride(), x.stride(1), x.is_contiguous(), x.T.is_contiguous(), x.requires_grad, x.is_leaf, x.grad, x.grad_fn,
                     x.is_floating_point(), x.shape.numel(), x.shape == (2, 3), x.size() == h.Size([2, 3]), len(x), h.is_tensor(x), h.is_tensor(1), str(x.device), x.device.type, x.dtype.is_floating_point, h.numel(x), x.is_cuda)
            want = facts if h is haft else want
            if h is haft:
                want = facts
            self.assertEqual(facts, want)
        s = haft.Size([2, 3, 4])
        self.assertEqual((s[1:], type(s[1:]), s + (5,), type(s + (1,)), repr(s), s.numel(), hash(s) == hash((2, 3, 4))), ((3, 4), haft.Size, (2, 3, 4, 5), haft.Size, "haft.Size([2, 3, 4])", 24, True))
        self.assertEqual(pickle.loads(pickle.dumps(s)), s)
        with self.assertRaises(TypeError):
            haft.Size([1.5])
        self.assertEqual((haft.finfo(haft.float32).max, haft.finfo(haft.float16).eps, haft.iinfo(haft.int8).min, haft.iinfo(haft.uint8).max, haft.finfo(haft.bfloat16).tiny),
                         (torch.finfo(torch.float32).max, torch.finfo(torch.float16).eps, -128, 255, torch.finfo(torch.bfloat16).tiny))

    def test_refusals(self):
        for call, error in ((lambda: haft.tensor([[1, 2], [3]]), ValueError), (lambda: haft.tensor("a"), TypeError), (lambda: haft.tensor(["a"]), TypeError), (lambda: haft.tensor([1, [2]]), TypeError), (lambda: haft.tensor(object()), RuntimeError),
                            (lambda: haft.from_numpy([1]), TypeError), (lambda: haft.from_numpy(np.array(["a"])), TypeError), (lambda: haft.from_numpy(np.arange(4)[::-1]), ValueError), (lambda: haft.zeros("a"), TypeError),
                            (lambda: haft.ones(2, wrong=1), TypeError), (lambda: haft.ones(2, requires_grad=True).numpy(), RuntimeError), (lambda: haft.ones(2, dtype=haft.bfloat16).numpy(), TypeError), (lambda: haft.arange(3, requires_grad=True), RuntimeError)):
            with self.assertRaises(error):
                call()


class Shared(unittest.TestCase):
    def test_numpy_both_ways(self):
        for name in DTYPES:
            a = (np.arange(6).reshape(2, 3) % 2).astype(name)
            t = haft.from_numpy(a)
            self.assertEqual(str(t.dtype), "haft." + name)
            for view in (t.numpy(), np.asarray(t), np.array(t, copy=False), np.from_dlpack(t) if name != "bool" else t.numpy()):
                self.assertTrue(np.shares_memory(view, a), name)
                self.assertTrue(np.array_equal(view, a))
            t[0, 0] = 1
            self.assertEqual(a[0, 0], 1)
            strided = haft.from_numpy(a.T[1:])
            self.assertEqual(strided.stride(), (1, 3))
            self.assertTrue(np.array_equal(strided.numpy(), a.T[1:]))
            self.assertTrue(np.array_equal(np.asarray(haft.tensor(a).t()), a.T))

    def test_owners(self):
        a = np.ones(4, dtype="float32")
        watch = weakref.ref(a)
        t = haft.from_numpy(a)
        view = t[1:]
        del a, t
        self.assertIsNotNone(watch())
        del view
        self.assertIsNone(watch())
        out = haft.ones(5).numpy()
        gc.collect()
        out[:] = 3
        self.assertEqual(out.sum(), 15)
        m = memoryview(haft.arange(6).reshape(2, 3).t())
        self.assertEqual((m.shape, m.strides, m.format, m.tolist()), ((3, 2), (8, 24), "q", [[0, 3], [1, 4], [2, 5]]))
        with self.assertRaises(BufferError):
            memoryview(haft.ones(2, dtype=haft.bfloat16))

    def test_a_gradient_is_not_lost_by_a_buffer(self):
        g = haft.ones(2, requires_grad=True)
        with self.assertRaisesRegex(BufferError, "detach"):
            memoryview(g)
        for convert in (np.asarray, np.array):
            with self.subTest(convert=convert.__name__), self.assertRaisesRegex(RuntimeError, "requires grad"):
                convert(g)
        np.asarray(g.detach())[0] = 5
        self.assertEqual(g.tolist(), [5, 1])

    def test_other_buffers(self):
        b = array.array("d", [1, 2, 3])
        t = haft.as_tensor(b)
        t[0] = 9
        self.assertEqual(b[0], 9)
        self.assertEqual(bytes(memoryview(haft.tensor([1, 2], dtype=haft.uint8))), b"\1\2")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            a = np.ones(2)
            a.flags.writeable = False
            haft.from_numpy(a)
        self.assertEqual(len(caught), 1)

    def test_dlpack(self):
        x = haft.arange(6, dtype=haft.float32).reshape(2, 3)
        y = torch.from_dlpack(x)
        y[0, 0] = 7
        self.assertEqual(x[0, 0].item(), 7)
        z = haft.from_dlpack(torch.arange(6).reshape(2, 3).t())
        self.assertEqual((z.stride(), z.tolist()), ((1, 3), [[0, 3], [1, 4], [2, 5]]))
        b = haft.from_dlpack(torch.ones(2, dtype=torch.bfloat16))
        self.assertIs(b.dtype, haft.bfloat16)
        capsule = haft.to_dlpack(x)
        del capsule  # never taken: its deleter runs
        capsule = haft.to_dlpack(x)
        haft.from_dlpack(capsule)
        with self.assertRaises(ValueError):
            haft.from_dlpack(capsule)
        with self.assertRaisesRegex(BufferError, "device"):
            x.__dlpack__(dl_device=(2, 0))
        with self.assertRaises(RuntimeError):
            haft.ones(2, requires_grad=True).__dlpack__()
        self.assertEqual(x.__dlpack_device__(), (1, 0))

    def test_dlpack_of_version_1(self):
        x = haft.arange(6, dtype=haft.float32).reshape(2, 3)
        capsule = x.__dlpack__(max_version=(1, 1))
        self.assertIn("dltensor_versioned", repr(capsule))
        y = haft.from_dlpack(capsule)
        y[0, 0] = 7
        self.assertEqual(x[0, 0].item(), 7)
        self.assertEqual(haft.from_dlpack(x).data_ptr(), x.data_ptr())
        self.assertNotEqual(haft.from_dlpack(x.__dlpack__(copy=True)).data_ptr(), x.data_ptr())
        with self.assertRaises(ValueError):
            haft.from_dlpack(capsule)
        del capsule
        x.__dlpack__(max_version=(1, 0))  # never taken

    def test_views_of_bytes(self):
        a = parity.real(3, 4)
        for e in ("x.view(h.int32)", "x.view(h.uint8)", "x.view(h.float64)", "x.view(h.int16)"):
            parity.check(eval(e, {"h": haft, "x": haft.tensor(a)}), eval(e, {"h": torch, "x": torch.tensor(a)}), e)

    def test_soft_limit(self):
        # 4,000 tensors of 4 MiB that nobody closes: reference counts let go of each at once.
        before = haft._haft.memory_stats().live
        most = 0
        for _ in range(4000):
            t = haft.empty(1 << 20)
            most = max(most, haft._haft.memory_stats().live)
        del t
        self.assertLess(most - before, 64 << 20)

    def test_identity_and_weak_references(self):
        x = haft.ones(2)
        x.mark = [1]
        w = weakref.ref(x)
        self.assertEqual((w().mark, x.__dict__), ([1], {"mark": [1]}))
        del x
        self.assertIsNone(w())


class Files(unittest.TestCase):
    def test_pickle_and_copies(self):
        x = haft.randn(3, 4, requires_grad=True)
        x.name = "x"
        for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), pickle.loads(pickle.dumps(x, 2))):
            self.assertTrue(y.equal(x) and y.requires_grad and y.name == "x" and y.data_ptr() != x.data_ptr())
        self.assertEqual(copy.copy(x).data_ptr(), x.data_ptr())
        a = haft.ones(2)
        both = copy.deepcopy([a, a])
        self.assertIs(both[0], both[1])
        for d in (haft.float32, haft.device("cpu"), haft.device("cuda", 1)):
            self.assertEqual(pickle.loads(pickle.dumps(d)), d)
        for name in DTYPES + ["bfloat16"]:
            t = haft.ones(2, 3).to(getattr(haft, name)).t()
            self.assertTrue(pickle.loads(pickle.dumps(t)).equal(t))
        with self.assertRaises(RuntimeError):
            pickle.dumps(x * 2)

    def test_both_ways_with_pytorch(self):
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "x.pt")
        shared = parity.real(2, 3)
        for save, load, h, g in ((haft.save, torch.load, haft, torch), (torch.save, haft.load, torch, haft), (haft.save, haft.load, haft, haft)):
            x = h.tensor(shared)
            value = collections.OrderedDict(a=x, same=x, n=[1, 2.5, None, "text", True, b"bytes"], nested={"t": (x.t(), h.arange(3))}, dtype=h.int64, size=x.shape, empty=h.zeros(0, 3), scalar=h.tensor(2.5),
                                            leaf=h.ones(2, requires_grad=True), device=h.device("cpu"), half=h.ones(2, dtype=h.bfloat16), flag=h.tensor([True]), view=x[1:, 1:])
            save(value, path)
            out = load(path)
            self.assertIsInstance(out, collections.OrderedDict)
            self.assertEqual(list(out), list(value))
            for k in ("a", "same", "empty", "scalar", "leaf", "flag", "view"):
                self.assertTrue(np.array_equal(out[k].detach().numpy(), value[k].detach().numpy()), k)
            self.assertTrue(np.array_equal(out["nested"]["t"][0].numpy(), shared.T))
            self.assertEqual((out["n"], out["dtype"], tuple(out["size"]), out["leaf"].requires_grad, out["device"].type, out["half"].dtype), (value["n"], g.int64, (2, 3), True, "cpu", g.bfloat16))
            self.assertEqual(out["a"].data_ptr(), out["same"].data_ptr())
        state = torch.nn.Linear(3, 2).state_dict()
        torch.save({"model": state, "epoch": 3}, path)
        self.assertTrue(np.array_equal(haft.load(path)["model"]["weight"].numpy(), state["weight"].numpy()))
        buffer = io.BytesIO()
        haft.save([haft.ones(2)], buffer)
        buffer.seek(0)
        self.assertEqual(haft.load(buffer, map_location="cpu")[0].tolist(), [1, 1])
        haft.serialization.save_safetensors({"w": haft.arange(3)}, path)
        self.assertEqual(haft.load(path)["w"].tolist(), [0, 1, 2])
        os.unlink(path)
        os.rmdir(folder)

    def test_no_code_runs(self):
        class Evil:
            def __reduce__(self):
                return os.system, ("touch /tmp/never",)
        for save in (haft.save, torch.save):
            buffer = io.BytesIO()
            save({"x": Evil()}, buffer)
            buffer.seek(0)
            with self.assertRaises(pickle.UnpicklingError) as caught:
                haft.load(buffer)
            self.assertIn("posix.system", str(caught.exception))
        whole = io.BytesIO()
        haft.save(haft.randn(100), whole)
        data = whole.getvalue()
        rng = parity.rng()
        for _ in range(150):  # a spoiled file is an error, never more
            spoiled = bytearray(data)
            for _ in range(int(rng.integers(1, 6))):
                spoiled[int(rng.integers(0, len(data)))] = int(rng.integers(0, 256))
            try:
                haft.load(io.BytesIO(bytes(spoiled[:int(rng.integers(10, len(data)))] if rng.random() < 0.3 else spoiled)))
            except MemoryError:
                raise
            except Exception:
                pass

    def test_a_failed_save_leaves_the_old_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.pt")
            haft.save([1], path)
            with self.assertRaises(Exception):
                haft.save([lambda: 0], path)
            self.assertEqual((haft.load(path), os.listdir(folder)), ([1], ["x.pt"]))


class Printing(unittest.TestCase):
    @staticmethod
    def joined(t):
        # "haft.float64" is shorter than "torch.float64" and may stay on a line where that does not.
        return re.sub(r",\s+(dtype|requires_grad|grad_fn|size)", r", \1", repr(t)).replace("haft.", "torch.")

    def test_beside_pytorch(self):
        arrays = [np.float32(3.5), np.array([]), np.zeros((0, 3)), np.array([1.0, 2.0]), np.array([1.5, np.nan, np.inf, -np.inf]), np.array([1e-5, 1.0]), np.array([1e9, 1.0]), np.array([0.0, -0.0]), np.array([np.nan]),
                  np.arange(2000.0), np.arange(3000).reshape(30, 100), np.array([True, False]), np.arange(-3, 3), np.ones((2, 2, 2)), np.ones((1, 1, 1, 3)), np.array([1e10, 3e10]), np.array([100.0, 2.0]), np.arange(30) / 7,
                  np.random.default_rng(0).standard_normal((12, 12, 12)), np.array(7), np.array([[1.5], [1000.25]]), np.array([123456.789, 0.001])]
        for dtype in (None, "float32", "float64", "int32", "float16"):
            for a in arrays:
                a = np.asarray(a) if dtype is None else np.nan_to_num(a, posinf=9, neginf=-9, nan=1).astype(dtype) if dtype == "int32" else np.asarray(a).astype(dtype)
                for grad in (False, True):
                    if grad and a.dtype.kind != "f":
                        continue
                    x, y = haft.tensor(a, requires_grad=grad), torch.tensor(a, requires_grad=grad)
                    self.assertEqual(self.joined(x), self.joined(y))
        x, y = haft.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        self.assertEqual([repr(f(x)) for f in (lambda t: t * 2, lambda t: (t + 1).sum(), lambda t: t.exp())], [repr(f(y)) for f in (lambda t: t * 2, lambda t: (t + 1).sum(), lambda t: t.exp())])
        try:
            for options in (dict(precision=2), dict(threshold=5), dict(edgeitems=1, threshold=5), dict(linewidth=40), dict(sci_mode=True), dict(profile="short"), dict(profile="full")):
                haft.set_printoptions(profile="default")
                torch.set_printoptions(profile="default")
                haft.set_printoptions(**options)
                torch.set_printoptions(**options)
                for a in arrays[:-6]:
                    self.assertEqual(self.joined(haft.tensor(a)), self.joined(torch.tensor(a)))
        finally:
            haft.set_printoptions(profile="default")
            torch.set_printoptions(profile="default")


if __name__ == "__main__":
    unittest.main()
