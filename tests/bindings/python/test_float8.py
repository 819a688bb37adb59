"""8-bit floats in Python: creation, casts, files, memory of others; what PyTorch 2.15 answers stands here, for the tests' own has none."""
import copy
import io
import os
import pickle
import tempfile
import unittest
import zipfile

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()
E4, E5 = haft.float8_e4m3fn, haft.float8_e5m2
# What torch.save({"a": torch.tensor([[1., 1.], [1., 1.]]).to(torch.float8_e4m3fn)}) of PyTorch 2.15 pickles.
PICKLE = (b"\x80\x02}q\x00X\x01\x00\x00\x00aq\x01ctorch._utils\n_rebuild_tensor_v3\nq\x02((X\x07\x00\x00\x00storageq\x03ctorch.storage\nUntypedStorage\n"
          b"q\x04X\x01\x00\x00\x000q\x05X\x03\x00\x00\x00cpuq\x06K\x04tq\x07QK\x00K\x02K\x02\x86q\x08K\x02K\x01\x86q\t\x89ccollections\nOrderedDict\n"
          b"q\n)Rq\x0bctorch\nfloat8_e4m3fn\nq\x0ctq\rRq\x0es.")


class Float8(unittest.TestCase):
    def bits(self, x):
        return x.view(haft.uint8).tolist()

    def test_the_types(self):
        self.assertEqual((repr(E4), repr(E5)), ("haft.float8_e4m3fn", "haft.float8_e5m2"))
        for t in (E4, E5):
            self.assertEqual((t.itemsize, t.is_floating_point, t.is_complex, t.is_signed), (1, True, False, True))
            self.assertIs(pickle.loads(pickle.dumps(t)), t)
            self.assertTrue(haft.zeros(2, dtype=t).is_floating_point())
        self.assertEqual(repr(haft.finfo(E4)), "finfo(resolution=1, min=-448, max=448, eps=0.125, smallest_normal=0.015625, tiny=0.015625, dtype=float8_e4m3fn)")
        self.assertEqual(repr(haft.finfo(E5)), "finfo(resolution=1, min=-57344, max=57344, eps=0.25, smallest_normal=6.10352e-05, tiny=6.10352e-05, dtype=float8_e5m2)")
        self.assertEqual(haft.zeros(2, dtype=E4).type(), "haft.Float8_e4m3fnTensor")

    def test_values(self):
        x = haft.tensor([0., 1, -2, 448, 464, 464.01, 465, 500, 57344, 61439, 61440, 1e6, float("inf"), float("-inf"), float("nan")])
        self.assertEqual(self.bits(x.to(E4)), [0, 56, 192, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 254, 127])
        self.assertEqual(self.bits(x.to(E5)), [0, 60, 192, 95, 95, 95, 95, 96, 123, 123, 124, 124, 124, 252, 127])
        self.assertEqual(haft.arange(-20, 600, 37).to(E4).tolist(),
                         [-20.0, 16.0, 56.0, 88.0, 128.0, 160.0, 208.0, 240.0, 288.0, 320.0, 352.0, 384.0, 416.0, 448.0, 448.0, 448.0, 448.0])
        self.assertEqual(haft.full((2,), 3.3, dtype=E4).tolist(), [3.25, 3.25])
        a = haft.tensor([1, 2.], dtype=E4)
        self.assertEqual((a[0].item(), float(a[1]), bool(a[0]), a.float().tolist()), (1.0, 2.0, True, [1.0, 2.0]))
        self.assertEqual(repr(haft.ones(2, 2, dtype=E4)), "tensor([[1., 1.],\n        [1., 1.]], dtype=haft.float8_e4m3fn)")
        self.assertEqual(repr(haft.tensor([1., .1, float("nan"), float("inf")]).to(E5)), "tensor([1.0000, 0.0938,    nan,    inf], dtype=haft.float8_e5m2)")
        a[0] = 3.
        self.assertEqual(copy.deepcopy(a).tolist(), [3.0, 2.0])
        self.assertEqual(haft.frombuffer(bytearray([56, 60]), dtype=E5).tolist(), [0.5, 1.0])

    def test_nothing_computes(self):
        a, w = haft.ones(2, 2, dtype=E4), haft.ones(2, 2)
        for f in (lambda: a + a, lambda: a + 1, lambda: a == a, lambda: a @ a, lambda: a.sum(), lambda: haft.exp(a), lambda: a.sort(), lambda: haft.rand(2, dtype=E4)):
            with self.assertRaisesRegex(TypeError, "float8_e4m3fn"):
                f()
        for f in (lambda: a + w, lambda: haft.promote_types(E4, E5), lambda: haft.promote_types(E4, haft.bool)):
            with self.assertRaisesRegex(TypeError, "not promoted"):
                f()
        with self.assertRaisesRegex(TypeError, "Float8_e4m3fn.*float"):
            a.numpy()
        with self.assertRaisesRegex(TypeError, "default dtype"):
            haft.set_default_dtype(E4)

    def test_gradients_pass_casts(self):
        x = haft.ones(2, requires_grad=True)
        (x.to(E4).float() * 3).sum().backward()
        self.assertEqual(x.grad.tolist(), [3.0, 3.0])
        self.assertTrue(haft.zeros(2, dtype=E4, requires_grad=True).requires_grad)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x")
            state = {"a": haft.tensor([1.5, -448]).to(E4), "b": haft.tensor([[2., 57344.]]).to(E5), "c": haft.ones(1)}
            for save, load in ((haft.save, haft.load), (haft.io.save_safetensors, haft.io.load_safetensors)):
                save(state, path)
                back = load(path)
                for name, t in state.items():
                    self.assertEqual((back[name].dtype, back[name].tolist()), (t.dtype, t.tolist()))
            whole = haft.tensor([[1., 2], [3, 4]]).to(E4)
            haft.save([whole, whole[1], whole.t(), haft.nn.Parameter(whole, False)], path)
            a, b, c, d = haft.load(path)
            self.assertEqual((a.tolist(), b.tolist(), c.tolist(), d.tolist()), (whole.tolist(), [3, 4], whole.t().tolist(), whole.tolist()))
            with self.assertRaisesRegex(TypeError, "NumPy has no float8_e5m2"):
                haft.io.save_npy(state["b"], path)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("archive/data.pkl", PICKLE)
            archive.writestr("archive/data/0", bytes([56, 60, 184, 126]))
        file.seek(0)
        a = haft.load(file)["a"]
        self.assertEqual((a.dtype, a.tolist()), (E4, [[1.0, 1.5], [-1.0, 448.0]]))
        # And as PyTorch writes it: the same names.
        file = io.BytesIO()
        haft.save({"a": a}, file)
        with zipfile.ZipFile(file) as archive:
            pickled = archive.read("archive/data.pkl")
        for part in (b"_rebuild_tensor_v3", b"ctorch.storage\nUntypedStorage", b"ctorch\nfloat8_e4m3fn"):
            self.assertIn(part, pickled)

    def test_dlpack(self):
        for t in (E4, E5):
            x = haft.tensor([1., 2.]).to(t)
            y = haft.from_dlpack(x)
            self.assertEqual((y.dtype, y.tolist()), (t, [1.0, 2.0]))
            self.assertEqual(y.data_ptr(), x.data_ptr())

    def test_scaled_products(self):
        f = haft.nn.functional
        x, w = haft.tensor([[1., 2, 3], [4, 5, 6]]).to(E4), haft.tensor([[1., 0, 2], [0, 1, -1]]).to(E4)
        half, one = haft.tensor(0.5), haft.ones(1)
        self.assertEqual(haft.scaled_mm(x, w.t(), half, one).tolist(), [[3.5, -0.5], [8, -0.5]])
        self.assertIs(haft.scaled_mm(x, w.t(), half, one).dtype, haft.bfloat16)
        self.assertIs(haft._scaled_mm(x, w.t(), half, one).dtype, E4)
        self.assertEqual(haft._scaled_mm(x, w.t(), half, one, haft.ones(2), out_dtype=haft.float32).tolist(), [[4.5, 0.5], [9, 0.5]])
        tensor, row = f.ScalingType.TensorWise, f.ScalingType.RowWise
        self.assertEqual(f.scaled_mm(x, w.t(), half, tensor, one, tensor).tolist(), [[3.5, -0.5], [8, -0.5]])
        rows, columns = haft.tensor([[1.], [2]]), haft.tensor([[1., 4]])
        y = f.scaled_mm(x, w.t(), rows, row, columns, row, output_dtype=haft.float32)
        self.assertEqual(y.tolist(), [[7, -4], [32, -8]])
        with self.assertRaisesRegex(ValueError, "RowWise wants 2"):
            f.scaled_mm(x, w.t(), half, row, columns, row)
        with self.assertRaisesRegex(ValueError, "BlockWise1x32"):
            f.scaled_mm(x, w.t(), half, f.ScalingType.BlockWise1x32, one, tensor)
        with self.assertRaisesRegex(RuntimeError, "no gradient"):
            haft.scaled_mm(x, w.t(), half, haft.ones(1, requires_grad=True))

    def test_a_linear_layer(self):
        """The example of docs/mixed-precision.md."""
        def to_float8(x, dtype=E4):
            scale = (x.abs().amax() / haft.finfo(dtype).max).clamp(min=1e-12)
            return (x / scale).to(dtype), scale
        haft.manual_seed(1)
        x, w = haft.randn(8, 64), haft.randn(32, 64)
        (a, by), (b, times) = to_float8(x), to_float8(w)
        y, want = haft.scaled_mm(a, b.t(), by, times, out_dtype=haft.float32), x @ w.t()
        self.assertLess(float((y - want).norm() / want.norm()), 0.05)


if __name__ == "__main__":
    unittest.main()
