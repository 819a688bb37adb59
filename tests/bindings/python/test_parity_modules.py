"""Modules beside PyTorch that need more than a line: pooling undone, stacks of transformer layers, noise that is off."""
import unittest
import warnings

import torch

import haft
import leaks
import parity
from parity import real, spread

setUpModule, tearDownModule = leaks.guard()


class Modules(unittest.TestCase):
    def setUp(self):
        quiet = warnings.catch_warnings()
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def test_unpooling(self):
        for n in (1, 2, 3):
            def both(nn):
                pool, back = getattr(nn, f"MaxPool{n}d")(2, 2, return_indices=True), getattr(nn, f"MaxUnpool{n}d")(2, 2)
                return lambda x: back(*pool(x))

            name = f"MaxUnpool{n}d"
            parity.record("module", name, parity.call_both(both(haft.nn), both(torch.nn), [spread(2, 3, *(6, 4, 8)[:n])], name))

    def test_transformer_stacks(self):
        parity.modules(lambda nn: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2), lambda: [real(3, 5, 8)],
                       "TransformerEncoder", limit=1e-4)
        parity.modules(lambda nn: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 2), lambda: [real(5, 3, 8), real(4, 3, 8)],
                       "TransformerDecoder", limit=1e-4)

    def test_channels(self):
        parity.modules(lambda nn: nn.Dropout1d(0.3), lambda: [real(2, 4, 7)], "Dropout1d", training=(False,))
        # PyTorch 1.13 has no gradient of channel_shuffle.
        parity.modules(lambda nn: nn.ChannelShuffle(2), lambda: [real(2, 4, 3, 5)], "ChannelShuffle", grads=False)


if __name__ == "__main__":
    unittest.main()
