"""haft.testing beside torch.testing: what is close, what is not, and what is said."""
import itertools
import unittest

import numpy as np
import torch

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()


def outcome(h, e, options):
    try:
        h.testing.assert_close(*eval(e, {"h": h, "np": np, "nan": float("nan"), "inf": float("inf")}), **options)
    except (AssertionError, TypeError, ValueError) as error:
        return type(error)
    return None


class AssertClose(unittest.TestCase):
    def test_beside_pytorch(self):
        pairs = [e.strip() for e in """
            h.ones(3), h.ones(3) | h.ones(3), h.ones(3) + 1e-6 | h.ones(3), h.ones(3) + 1e-4 | h.ones(3), h.ones(4) | h.ones(2), h.ones(2).double()
            h.ones(2).double(), h.ones(2).double() + 5e-7 | h.ones(2).double(), h.ones(2).double() + 1e-9 | h.ones(2).half(), h.ones(2).half() * 1.0005
            h.ones(2).bfloat16(), h.ones(2).bfloat16() * 1.01 | h.arange(3), h.arange(3) | h.arange(3), h.tensor([0, 1, 3]) | h.tensor([True]), h.tensor([False])
            h.tensor([nan]), h.tensor([nan]) | h.tensor([inf, -inf]), h.tensor([inf, -inf]) | h.tensor([inf]), h.tensor([-inf]) | h.zeros(0), h.zeros(0)
            1.0, 1.0 + 1e-9 | 1.0, 1.1 | 1, 1 | 1, 1.0 | 1, 2 | [h.ones(1), 2.0], [h.ones(1), 2.0] | [h.ones(1)], [h.ones(1), h.ones(1)]
            {'a': h.ones(1)}, {'a': h.ones(1)} | {'a': h.ones(1)}, {'b': h.ones(1)} | {'a': [h.ones(1)]}, {'a': [h.zeros(1)]} | np.ones(2), np.ones(2)
            h.ones(2, 3).t(), h.ones(3, 2) | h.tensor(2.0), h.tensor(2.0) | h.ones(2, requires_grad=True), h.ones(2) | h.ones(2), [1.0, 1.0]
            h.nn.Parameter(h.ones(1)), h.ones(1)
            """.replace("\n", " | ").split(" | ") if e.strip()]
        options = [{}, {"rtol": 0.0, "atol": 1e-3}, {"rtol": 1e-3, "atol": 0.0}, {"equal_nan": True}, {"check_dtype": False}, {"check_stride": True}, {"rtol": 1.0},
                   {"allow_subclasses": False}]
        for e, given in itertools.product(pairs, options):
            with self.subTest(e, **given):
                self.assertEqual(outcome(haft, e, given), outcome(torch, e, given))

    def test_integers_are_compared_exactly(self):
        with self.assertRaises(AssertionError):
            haft.testing.assert_close(haft.tensor(2 ** 60), haft.tensor(2 ** 60 + 1))
        haft.testing.assert_close(haft.tensor(2 ** 60 + 1), haft.tensor(2 ** 60 + 1))

    def test_the_message_names_the_place(self):
        with self.assertRaises(AssertionError) as caught:
            haft.testing.assert_close({"w": [haft.zeros(2, 3), haft.tensor([[1.0, 2.0], [3.0, 4.0]])]}, {"w": [haft.zeros(2, 3), haft.tensor([[1.0, 2.0], [3.5, 4.0]])]})
        text = str(caught.exception)
        for words in ("['w'][1] are not close", "Mismatched elements: 1 / 4 (25.0%)", "Greatest absolute difference: 0.5 at index (1, 0) (up to 1e-05 allowed)"):
            self.assertIn(words, text)
        for msg in ("mine", lambda text: "mine" if "not close" in text else text):
            with self.assertRaisesRegex(AssertionError, "^mine$"):
                haft.testing.assert_close(haft.ones(1), haft.zeros(1), msg=msg)


if __name__ == "__main__":
    unittest.main()
