"""autocast and GradScaler: switched off they pass through, switched on autocast says that there is none."""
import unittest
import unittest.mock
import warnings

import torch

import haft
import leaks
from haft import amp, nn

setUpModule, tearDownModule = leaks.guard()


class Autocast(unittest.TestCase):
    def test_off(self):
        x = haft.randn(2, 3)
        for region in (haft.autocast("cpu", enabled=False), haft.autocast("cuda", haft.float16, enabled=False), haft.cuda.amp.autocast(enabled=False),
                       haft.cpu.amp.autocast(enabled=False), haft.amp.autocast(device_type="cpu", dtype=haft.bfloat16, enabled=False)):
            with region:
                self.assertEqual((x @ x.t()).dtype, haft.float32)
            self.assertEqual(region(lambda a: a * 2)(x).dtype, haft.float32)

    def test_on(self):
        for make in (lambda: haft.autocast("cpu"), lambda: haft.autocast("cpu", dtype=haft.bfloat16), lambda: haft.cpu.amp.autocast()):
            with self.assertRaisesRegex(RuntimeError, "no automatic mixed precision.*enabled=False"):
                make()
        with self.assertRaisesRegex(RuntimeError, "'tpu'"):
            haft.autocast("tpu")
        # Without a device PyTorch warns and goes on; so does haft.
        for lib in (haft, torch):
            with self.assertWarnsRegex(UserWarning, "CUDA is not available"):
                with lib.cuda.amp.autocast():
                    pass

    def test_decorators(self):
        class Double(haft.autograd.Function):
            @staticmethod
            @haft.cuda.amp.custom_fwd(cast_inputs=haft.float32)
            def forward(ctx, x):
                return x * 2

            @staticmethod
            @haft.cuda.amp.custom_bwd
            def backward(ctx, g):
                return g * 2
        x = haft.ones(2, requires_grad=True)
        Double.apply(x).sum().backward()
        self.assertEqual(x.grad.tolist(), [2, 2])


class Scaler(unittest.TestCase):
    def test_off(self):
        net = nn.Linear(2, 1)
        optimizer = haft.optim.SGD(net.parameters(), 0.1)
        with self.assertWarnsRegex(UserWarning, "CUDA is not available"):
            amp.GradScaler()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scaler = haft.cuda.amp.GradScaler(enabled=False)
        loss = net(haft.ones(1, 2)).sum()
        self.assertIs(scaler.scale(loss), loss)
        scaler.scale(loss).backward()
        before = net.weight.detach().clone()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        self.assertTrue(haft.allclose(net.weight, before - 0.1))
        self.assertEqual((scaler.get_scale(), scaler.is_enabled(), scaler.state_dict()), (1.0, False, {}))
        scaler.load_state_dict({})

    def test_on(self):
        with unittest.mock.patch.object(haft.cuda, "is_available", lambda: True):
            scaler = amp.GradScaler(init_scale=8.0, growth_interval=2)
            other = amp.GradScaler()
            for bad in ({"growth_factor": 1.0}, {"backoff_factor": 1.0}):
                with self.assertRaises(AssertionError):
                    amp.GradScaler(**bad)
        w = nn.Parameter(haft.ones(2))
        optimizer = haft.optim.SGD([w], 0.5)
        scales = []
        for step, factor in enumerate([1.0, 1.0, float("inf"), 1.0]):
            optimizer.zero_grad()
            scaler.scale((w * factor).sum()).backward()
            if step == 1:
                scaler.unscale_(optimizer)
                self.assertEqual(w.grad.tolist(), [1, 1])
                with self.assertRaisesRegex(RuntimeError, "already been called"):
                    scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
            scales.append(scaler.get_scale())
        self.assertEqual((scales, w.tolist()), ([8, 16, 8, 8], [-0.5, -0.5]))
        self.assertEqual([t.item() for t in scaler.scale([haft.tensor(1.0), haft.tensor(2.0)])], [8, 16])
        other.load_state_dict(scaler.state_dict())
        self.assertEqual((other.get_scale(), other.state_dict()), (8, scaler.state_dict()))
        with self.assertRaisesRegex(AssertionError, "No inf checks"):
            other.update()


if __name__ == "__main__":
    unittest.main()
