"""Every loss against PyTorch's: all reductions, weights, smoothing, ignored targets, what they refuse."""
import unittest
import warnings

import numpy as np
import torch

import haft
import leaks
import parity
from parity import ints, real

setUpModule, tearDownModule = leaks.guard()


def signs(*shape):
    return np.where(parity.rng().random(shape) < 0.5, -1.0, 1.0).astype("float32")


def probabilities(*shape):
    a = real(*shape, low=0.05, high=1)
    return (a / a.sum(1, keepdims=True)).astype("float32")


def label_sets(n, c):
    """Rows of class numbers that end at the first -1."""
    out = np.full((n, c), -1, dtype="int64")
    for row in out:
        k = int(parity.rng().integers(0, c + 1))
        row[:k] = parity.rng().permutation(c)[:k]
    return out


def log_probabilities(*shape):
    return np.log(probabilities(*shape))


# name -> (class, options, inputs)
CASES = {
    "L1Loss": ("L1Loss", {}, lambda: [real(4, 5), real(4, 5)]),
    "MSELoss": ("MSELoss", {}, lambda: [real(4, 5), real(4, 5)]),
    "SmoothL1Loss": ("SmoothL1Loss", {"beta": 0.7}, lambda: [real(4, 5), real(4, 5)]),
    "SmoothL1Loss, beta 0": ("SmoothL1Loss", {"beta": 0.0}, lambda: [real(4, 5), real(4, 5)]),
    "HuberLoss": ("HuberLoss", {"delta": 0.6}, lambda: [real(4, 5), real(4, 5)]),
    "CrossEntropyLoss": ("CrossEntropyLoss", {}, lambda: [real(6, 5), ints(6, high=5)]),
    "CrossEntropyLoss, weights, ignored": ("CrossEntropyLoss", {"weight": lambda: real(5, low=0.2, high=2), "ignore_index": 2},
                                           lambda: [real(8, 5), ints(8, high=5)]),
    "CrossEntropyLoss, smoothing": ("CrossEntropyLoss", {"label_smoothing": 0.2, "weight": lambda: real(5, low=0.2, high=2)},
                                    lambda: [real(8, 5), ints(8, high=5)]),
    "CrossEntropyLoss, pictures": ("CrossEntropyLoss", {}, lambda: [real(2, 4, 3, 5), ints(2, 3, 5, high=4)]),
    "CrossEntropyLoss, probabilities": ("CrossEntropyLoss", {"label_smoothing": 0.1}, lambda: [real(6, 5), probabilities(6, 5)]),
    "CrossEntropyLoss, one sample": ("CrossEntropyLoss", {}, lambda: [real(5), np.array(3)]),
    "NLLLoss": ("NLLLoss", {}, lambda: [log_probabilities(6, 5), ints(6, high=5)]),
    "NLLLoss, weights, ignored": ("NLLLoss", {"weight": lambda: real(5, low=0.2, high=2), "ignore_index": 1},
                                  lambda: [log_probabilities(8, 5), ints(8, high=5)]),
    "NLLLoss, pictures": ("NLLLoss", {}, lambda: [real(2, 4, 3, 5), ints(2, 3, 5, high=4)]),
    "BCELoss": ("BCELoss", {}, lambda: [real(4, 5, low=0.01, high=0.99), real(4, 5, low=0, high=1)]),
    "BCELoss, weights": ("BCELoss", {"weight": lambda: real(5, low=0.2, high=2)}, lambda: [real(4, 5, low=0.01, high=0.99), real(4, 5, low=0, high=1)]),
    "BCEWithLogitsLoss": ("BCEWithLogitsLoss", {}, lambda: [real(4, 5) * 4, real(4, 5, low=0, high=1)]),
    "BCEWithLogitsLoss, weights": ("BCEWithLogitsLoss", {"weight": lambda: real(5, low=0.2, high=2), "pos_weight": lambda: real(5, low=0.2, high=2)},
                                   lambda: [real(4, 5) * 4, real(4, 5, low=0, high=1)]),
    "KLDivLoss": ("KLDivLoss", {}, lambda: [log_probabilities(4, 5), probabilities(4, 5)]),
    "KLDivLoss, logarithms": ("KLDivLoss", {"log_target": True}, lambda: [log_probabilities(4, 5), log_probabilities(4, 5)]),
    "PoissonNLLLoss": ("PoissonNLLLoss", {}, lambda: [real(4, 5), ints(4, 5).astype("float32")]),
    "PoissonNLLLoss, full": ("PoissonNLLLoss", {"log_input": False, "full": True}, lambda: [real(4, 5, low=0.1, high=4), real(4, 5, low=0.5, high=6)]),
    "GaussianNLLLoss": ("GaussianNLLLoss", {}, lambda: [real(4, 5), real(4, 5), real(4, 5, low=0, high=2)]),
    "GaussianNLLLoss, full": ("GaussianNLLLoss", {"full": True, "eps": 0.5}, lambda: [real(4, 5), real(4, 5), real(4, 1, low=0, high=2)]),
    "HingeEmbeddingLoss": ("HingeEmbeddingLoss", {"margin": 1.3}, lambda: [real(4, 5), signs(4, 5)]),
    "SoftMarginLoss": ("SoftMarginLoss", {}, lambda: [real(4, 5), signs(4, 5)]),
    "MultiLabelMarginLoss": ("MultiLabelMarginLoss", {}, lambda: [real(5, 4), label_sets(5, 4)]),
    "MultiLabelMarginLoss, one sample": ("MultiLabelMarginLoss", {}, lambda: [real(4), np.array([3, 0, -1, 1])]),
    "MultiLabelSoftMarginLoss": ("MultiLabelSoftMarginLoss", {"weight": lambda: real(5, low=0.2, high=2)},
                                 lambda: [real(4, 5), ints(4, 5, high=2).astype("float32")]),
    "MultiMarginLoss": ("MultiMarginLoss", {"margin": 0.8}, lambda: [real(6, 5), ints(6, high=5)]),
    "MultiMarginLoss, squares, weights": ("MultiMarginLoss", {"p": 2, "weight": lambda: real(5, low=0.2, high=2)}, lambda: [real(6, 5), ints(6, high=5)]),
    "MarginRankingLoss": ("MarginRankingLoss", {"margin": 0.3}, lambda: [real(7), real(7), signs(7)]),
    "CosineEmbeddingLoss": ("CosineEmbeddingLoss", {"margin": 0.1}, lambda: [real(6, 5), real(6, 5), signs(6)]),
    "TripletMarginLoss": ("TripletMarginLoss", {"margin": 0.9}, lambda: [real(6, 5), real(6, 5), real(6, 5)]),
    "TripletMarginLoss, swap": ("TripletMarginLoss", {"p": 3, "swap": True}, lambda: [real(6, 5), real(6, 5), real(6, 5)]),
    "TripletMarginWithDistanceLoss": ("TripletMarginWithDistanceLoss", {"swap": True}, lambda: [real(6, 5), real(6, 5), real(6, 5)]),
}
LIMIT = {"TripletMarginLoss, swap": 1e-4}


class Losses(unittest.TestCase):
    def test_reductions_are_checked(self):
        x, y = real(3, 2), real(3, 2)
        parity.same_error(self, lambda: haft.nn.MSELoss(reduction="avg")(haft.tensor(x), haft.tensor(y)),
                          lambda: torch.nn.MSELoss(reduction="avg")(torch.tensor(x), torch.tensor(y)))

    def test_old_arguments(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for old in (dict(reduce=False), dict(size_average=False), dict(size_average=True), dict(reduce=True)):
                self.assertEqual(haft.nn.L1Loss(**old).reduction, torch.nn.L1Loss(**old).reduction)
        with self.assertWarnsRegex(UserWarning, "reduction='sum'"):
            haft.nn.L1Loss(size_average=False)

    def test_batchmean(self):
        a, b = log_probabilities(4, 5), probabilities(4, 5)
        e = parity.call_both(haft.nn.KLDivLoss(reduction="batchmean"), torch.nn.KLDivLoss(reduction="batchmean"), [a, b])
        parity.record("loss", "KLDivLoss, batchmean", e)

    def test_a_size_that_broadcasts_is_warned_of(self):
        x, y = haft.randn(3, 2), haft.randn(3, 1)
        for loss in (haft.nn.MSELoss(), haft.nn.L1Loss(), haft.nn.SmoothL1Loss(), haft.nn.HuberLoss()):
            with self.assertWarnsRegex(UserWarning, "different to the input size"):
                loss(x, y)

    def test_refusals(self):
        x = haft.randn(3, 4)
        nn, tnn = haft.nn, torch.nn
        for ours, theirs in (
                (lambda: nn.BCELoss()(haft.ones(3), haft.ones(4)), lambda: tnn.BCELoss()(torch.ones(3), torch.ones(4))),
                (lambda: nn.BCEWithLogitsLoss()(haft.ones(3), haft.ones(4)), lambda: tnn.BCEWithLogitsLoss()(torch.ones(3), torch.ones(4))),
                (lambda: nn.MultiMarginLoss(p=3), lambda: tnn.MultiMarginLoss(p=3)),
                (lambda: nn.GaussianNLLLoss()(x, x, haft.full((3, 4), -1.0)),
                 lambda: tnn.GaussianNLLLoss()(torch.ones(3, 4), torch.ones(3, 4), torch.full((3, 4), -1.0)))):
            parity.same_error(self, ours, theirs)
        with self.assertRaisesRegex(RuntimeError, "between 0 and 1"):
            nn.BCELoss()(haft.tensor([1.5]), haft.tensor([1.0]))
        with self.assertRaisesRegex(IndexError, "5"):
            nn.CrossEntropyLoss()(x, haft.tensor([0, 5, 1]))

    def test_huge_logits(self):
        x, y = np.array([[1e4, -1e4], [-1e4, 1e4]], dtype="float32"), np.array([0, 0])
        parity.call_both(haft.nn.CrossEntropyLoss(), torch.nn.CrossEntropyLoss(), [x, y])
        t = np.array([[1.0, 1.0], [0.0, 0.0]], dtype="float32")
        parity.call_both(haft.nn.BCEWithLogitsLoss(), torch.nn.BCEWithLogitsLoss(), [x, t])


def _test(name):
    kind, options, inputs = CASES[name]

    def test(self):
        worst = 0.0
        for reduction in ("mean", "sum", "none"):
            given = {k: v() if callable(v) else v for k, v in options.items()}
            own = getattr(haft.nn, kind)(reduction=reduction, **{k: parity.as_haft(v) for k, v in given.items()})
            ref = getattr(torch.nn, kind)(reduction=reduction, **{k: parity.as_torch(v) for k, v in given.items()})
            self.assertEqual(repr(own), repr(ref))
            arrays = inputs()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                # Targets take no gradient everywhere: only the first input is followed, and the pair of embeddings.
                fixed = [parity.as_haft(a) for a in arrays], [parity.as_torch(a) for a in arrays]
                followed = 3 if "Triplet" in kind else 2 if kind in ("MarginRankingLoss", "CosineEmbeddingLoss") else 1
                worst = max(worst, parity.call_both(lambda *a: own(*a, *fixed[0][followed:]), lambda *a: ref(*a, *fixed[1][followed:]),
                                                    arrays[:followed], f"{name}, {reduction}", LIMIT.get(name)))
        parity.record("loss", name, worst)
    return test


for _name in CASES:
    setattr(Losses, "test_" + "".join(c if c.isalnum() else "_" for c in _name), _test(_name))

if __name__ == "__main__":
    unittest.main()
