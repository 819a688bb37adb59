"""Gradients of rows, SparseAdam and averaged models beside PyTorch's."""
import unittest

import numpy as np
import torch
import torch.optim.swa_utils

import haft
import haft.optim.swa_utils
import parity
import seeds


class Twins(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(seeds.SEED)

    def table(self, m, values, **options):
        layer = m.nn.Embedding(*values.shape, sparse=True, dtype=m.float64, **options)
        with m.no_grad():
            layer.weight.copy_(m.tensor(values.tolist(), dtype=m.float64))
        return layer

    def close(self, a, b, tol=1e-12):
        np.testing.assert_allclose(np.array(a.detach().tolist()), np.array(b.detach().tolist()), rtol=tol, atol=tol)


class RowGradients(Twins):
    def test_parts(self):
        values, weights, at = self.random.normal(size=(6, 3)), self.random.normal(size=(2, 4, 3)), [[3, 1, 3, 0], [5, 3, 0, 0]]
        for padding in (None, 3):
            grads = []
            for m in (haft, torch):
                e = self.table(m, values, padding_idx=padding)
                (e(m.tensor(at)) * m.tensor(weights.tolist(), dtype=m.float64)).sum().backward()
                grads.append(e.weight.grad)
            ours, theirs = grads
            self.assertTrue(ours.is_sparse and theirs.is_sparse)
            self.assertEqual(tuple(ours.shape), tuple(theirs.shape))
            self.assertEqual(ours.is_coalesced(), theirs.is_coalesced())
            self.assertEqual(ours._indices().tolist(), theirs._indices().tolist())
            self.close(ours._values(), theirs._values())
            self.close(ours.to_dense(), theirs.to_dense())
            self.assertEqual((ours._nnz(), ours.sparse_dim(), ours.dense_dim()), (theirs._nnz(), theirs.sparse_dim(), theirs.dense_dim()))
            with self.assertRaisesRegex(RuntimeError, "uncoalesced"):
                ours.indices()
            one, other = ours.coalesce(), theirs.coalesce()
            self.assertTrue(one.is_coalesced())
            self.assertEqual(one.indices().tolist(), other.indices().tolist())
            self.close(one.values(), other.values())
            self.assertIs(ours.layout, haft.sparse_coo)
            self.assertIn("nnz=", repr(ours))
        self.assertFalse(haft.ones(2).is_sparse)
        with self.assertRaisesRegex(RuntimeError, "gradient of rows of shape"):
            ours * 2
        with self.assertRaisesRegex(RuntimeError, "expected sparse"):
            haft.ones(2)._values()

    def test_bags(self):
        values, weights = self.random.normal(size=(6, 3)), self.random.normal(size=(3, 3))
        for mode in ("sum", "mean"):
            grads = []
            for m in (haft, torch):
                e = m.nn.EmbeddingBag(6, 3, mode=mode, sparse=True, dtype=m.float64)
                with m.no_grad():
                    e.weight.copy_(m.tensor(values.tolist(), dtype=m.float64))
                (e(m.tensor([1, 5, 1, 0]), m.tensor([0, 2, 2])) * m.tensor(weights.tolist(), dtype=m.float64)).sum().backward()
                grads.append(e.weight.grad)
            self.assertTrue(grads[0].is_sparse)
            self.close(grads[0].to_dense(), grads[1].to_dense())
        with self.assertRaisesRegex(RuntimeError, "max mode doesn't support sparse"):
            haft.nn.EmbeddingBag(6, 3, mode="max", sparse=True)(haft.tensor([[1, 2]]))

    def train(self, make, steps=5):
        values = self.random.normal(size=(8, 3))
        tables = [self.table(m, values) for m in (haft, torch)]
        optimizers = [make(m.optim, t.parameters()) for m, t in zip((haft, torch), tables)]
        for step in range(steps):
            at, weights = self.random.integers(0, 8, size=(5,)).tolist(), self.random.normal(size=(5, 3)).tolist()
            for m, t, o in zip((haft, torch), tables, optimizers):
                o.zero_grad()
                for part in range(2):  # two backward passes add up
                    (t(m.tensor(at)) * m.tensor(weights, dtype=m.float64)).sum().backward()
                o.step()
        return tables, optimizers

    def test_optimizers(self):
        for make in (lambda o, p: o.SGD(p, lr=0.1), lambda o, p: o.SGD(p, lr=0.1, momentum=0.9), lambda o, p: o.SGD(p, lr=0.1, momentum=0.6, dampening=0.2, maximize=True),
                     lambda o, p: o.SGD(p, lr=0.1, momentum=0.6, nesterov=True),
                     lambda o, p: o.Adagrad(p, lr=0.1), lambda o, p: o.SparseAdam(list(p), lr=0.05),
                     lambda o, p: o.Adagrad(p, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.3, eps=1e-6),
                     lambda o, p: o.SparseAdam(list(p), lr=0.05, betas=(0.7, 0.9), eps=1e-4, maximize=True)):
            (ours, theirs), (o, p) = self.train(make)
            self.close(ours.weight, theirs.weight)
            worst = np.max(np.abs(np.array(ours.weight.tolist()) - np.array(theirs.weight.tolist())))
            parity.record("optimizer", f"{type(o).__name__}, gradients of rows", worst)
            # State dicts go both ways.
            a, b = o.state_dict(), p.state_dict()
            of_rows = [k for s in b["state"].values() for k, v in s.items() if isinstance(v, torch.Tensor) and v.is_sparse]
            b["state"] = {i: {k: v.to_dense() if k in of_rows else v for k, v in s.items()} for i, s in b["state"].items()}
            if a["state"]:
                self.assertEqual(set(a["state"][0]), set(b["state"][0]))
                for name, value in b["state"][0].items():
                    self.assertTrue(np.allclose(np.array(haft.as_tensor(a["state"][0][name]).tolist()),
                                                np.array(torch.as_tensor(value).tolist()), rtol=1e-12, atol=1e-12), name)
                torch_state = {"state": {0: {k: torch.tensor(v.tolist(), dtype=torch.float64) if isinstance(v, haft.Tensor) and v.dim() else
                                             (type(b["state"][0][k])(float(v)) if not isinstance(b["state"][0][k], torch.Tensor) else torch.tensor(float(v)))
                                             for k, v in a["state"][0].items()}}, "param_groups": b["param_groups"]}
                for name in of_rows:
                    torch_state["state"][0][name] = torch_state["state"][0][name].to_sparse(1)
                p.load_state_dict(torch_state)
                haft_state = {"state": {0: {k: haft.tensor(v.tolist(), dtype=haft.float64) if isinstance(v, torch.Tensor) else v
                                            for k, v in b["state"][0].items()}}, "param_groups": a["param_groups"]}
                o.load_state_dict(haft_state)
            for m, t, one in ((haft, ours, o), (torch, theirs, p)):
                one.zero_grad()
                t(m.tensor([2, 2, 7])).square().sum().backward()
                one.step()
            self.close(ours.weight, theirs.weight, 1e-10)

    def test_refusals(self):
        for make in (lambda p: haft.optim.Adam(p), lambda p: haft.optim.AdamW(p),
                     lambda p: haft.optim.SGD(p, lr=0.1, weight_decay=0.1), lambda p: haft.optim.Adagrad(p, weight_decay=0.1),
                     lambda p: haft.optim.Muon(p)):
            e = haft.nn.Embedding(4, 2, sparse=True)
            e(haft.tensor([1])).sum().backward()
            before = e.weight.tolist()
            with self.assertRaisesRegex(RuntimeError, "gradient of rows"):
                make(e.parameters()).step()
            self.assertEqual(e.weight.tolist(), before)
        linear = haft.nn.Linear(2, 2)
        linear(haft.ones(1, 2)).sum().backward()
        with self.assertRaisesRegex(RuntimeError, "does not support dense gradients"):
            haft.optim.SparseAdam(linear.parameters()).step()
        for bad in (dict(lr=0.0), dict(eps=0.0), dict(betas=(1.0, 0.9))):
            with self.assertRaises(ValueError):
                haft.optim.SparseAdam(linear.parameters(), **bad)

    def test_clip_and_clear(self):
        values = self.random.normal(size=(5, 2))
        ours, theirs = self.table(haft, values), self.table(torch, values)
        theirs.sparse = False  # PyTorch 1.13 scales a copy of a sparse one
        for m, t in ((haft, ours), (torch, theirs)):
            t(m.tensor([1, 1, 4])).square().sum().backward()
        self.close(haft.nn.utils.clip_grad_norm_(ours.parameters(), 0.1, error_if_nonfinite=True), torch.nn.utils.clip_grad_norm_(theirs.parameters(), 0.1))
        self.close(ours.weight.grad.to_dense(), theirs.weight.grad)
        haft.nn.utils.clip_grad_value_(ours.parameters(), 0.01)
        self.assertLessEqual(float(ours.weight.grad.to_dense().abs().max()), 0.01)
        haft.optim.SGD(ours.parameters(), lr=0.1).zero_grad(set_to_none=False)
        self.assertEqual(ours.weight.grad._nnz(), 0)
        self.assertEqual(float(ours.weight.grad.to_dense().abs().sum()), 0)
        scaler = haft.amp.GradScaler("cpu", init_scale=4.0)
        ours.weight.grad = None
        o = haft.optim.SGD(ours.parameters(), lr=1.0)
        before = ours.weight.detach().clone()
        scaler.scale(ours(haft.tensor([1, 1])).sum()).backward()
        scaler.step(o)
        scaler.update()
        self.close(before - ours.weight, haft.tensor([[0.0, 0], [2, 2], [0, 0], [0, 0], [0, 0]], dtype=haft.float64))

    def test_second_derivatives_are_dense(self):
        e = haft.nn.Embedding(4, 2, sparse=True)
        g, = haft.autograd.grad(e(haft.tensor([1, 2])).square().sum(), e.weight, create_graph=True)
        self.assertFalse(g.is_sparse)
        g.sum().backward()


class Averages(Twins):
    def models(self):
        weights = [self.random.normal(size=s).astype(np.float32) for s in ((4, 3), (4,), (4,), (4,))]
        made = []
        for m in (haft, torch):
            model = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.BatchNorm1d(4))
            with m.no_grad():
                for p, w in zip(model.parameters(), weights):
                    p.copy_(m.tensor(w.tolist()))
            made.append(model)
        return made

    def test_equal_ema_and_own(self):
        # PyTorch 1.13 has avg_fn alone.
        def ema(average, p, n):
            return 0.9 * average + 0.1 * p
        for kinds in (({}, {}), ({"avg_fn": ema}, {"avg_fn": ema}), ({"multi_avg_fn": haft.optim.swa_utils.get_ema_multi_avg_fn(0.9)}, {"avg_fn": ema}),
                      ({"avg_fn": haft.optim.swa_utils.get_ema_avg_fn(0.9)}, {"avg_fn": ema}), ({"avg_fn": haft.optim.swa_utils.get_swa_avg_fn()}, {}),
                      ({"use_buffers": True}, {"use_buffers": True})):
            models = self.models()
            averaged = [m.optim.swa_utils.AveragedModel(model, **kind) for m, model, kind in zip((haft, torch), models, kinds)]
            for step in range(4):
                x = self.random.normal(size=(6, 3)).astype(np.float32)
                for m, model, average in zip((haft, torch), models, averaged):
                    o = m.optim.SGD(model.parameters(), lr=0.1)
                    model(m.tensor(x.tolist())).square().sum().backward()
                    o.step()
                    o.zero_grad()
                    average.update_parameters(model)
            a, b = (average.state_dict() for average in averaged)
            self.assertEqual(list(a), list(b))
            for name in a:
                if "use_buffers" not in kinds[0] and name.startswith("module.1.") and name != "module.1.weight" and name != "module.1.bias":
                    continue  # 1.13 leaves buffers alone, 2.x copies them
                if name.endswith("num_batches_tracked"):
                    continue  # PyTorch cuts the mean of counts down to an integer
                self.close(a[name].to(haft.float64), b[name].to(torch.float64), 1e-5)
            self.assertEqual(int(averaged[0].n_averaged), 4)
            # Into each other's.
            averaged[1].load_state_dict({k: torch.tensor(v.tolist(), dtype=b[k].dtype) for k, v in a.items()})
            averaged[0].load_state_dict({k: haft.tensor(v.tolist(), dtype=a[k].dtype) for k, v in b.items()})
        with self.assertRaises(AssertionError):
            haft.optim.swa_utils.AveragedModel(models[0], avg_fn=ema, multi_avg_fn=ema)
        with self.assertRaises(ValueError):
            haft.optim.swa_utils.get_ema_avg_fn(1.5)

    def test_update_bn(self):
        models = self.models()
        batches = [self.random.normal(size=(n, 3)).astype(np.float32) for n in (5, 2, 8)]
        for m, model in zip((haft, torch), models):
            m.optim.swa_utils.update_bn([m.tensor(b.tolist()) for b in batches], model)
        for name, value in models[1].state_dict().items():
            self.close(models[0].state_dict()[name].to(haft.float64), value.to(torch.float64), 1e-5)


if __name__ == "__main__":
    unittest.main()
