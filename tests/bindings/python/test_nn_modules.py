"""Every module against PyTorch's with the same weights: text, keys, outputs, gradients, buffers."""
import inspect
import re
import sys
import unittest
import warnings

import haft
import leaks
import parity
from parity import ints, real, spread

setUpModule, tearDownModule = leaks.guard()



def samples(nn, numbers):
    """Where windows begin, for PyTorch's nn or haft's."""
    return sys.modules[nn.__name__.partition(".")[0]].tensor(numbers)


# name -> (how to make it, what goes in)
CASES = {
    # linear.py
    "Identity": (lambda nn: nn.Identity(3, x=1), lambda: [real(2, 3)]),
    "Linear": (lambda nn: nn.Linear(7, 5), lambda: [real(4, 7)]),
    "Linear, no bias, 3-d": (lambda nn: nn.Linear(7, 5, bias=False), lambda: [real(2, 3, 7)]),
    "Linear, a vector": (lambda nn: nn.Linear(7, 5), lambda: [real(7)]),
    "Bilinear": (lambda nn: nn.Bilinear(4, 3, 5), lambda: [real(6, 4), real(6, 3)]),
    "Bilinear, no bias": (lambda nn: nn.Bilinear(4, 3, 5, bias=False), lambda: [real(2, 6, 4), real(2, 6, 3)]),
    # conv.py
    "Conv1d": (lambda nn: nn.Conv1d(4, 6, 3, stride=2, padding=1), lambda: [real(2, 4, 11)]),
    "Conv1d, same": (lambda nn: nn.Conv1d(4, 6, 4, padding="same"), lambda: [real(2, 4, 11)]),
    "Conv1d, groups, no batch": (lambda nn: nn.Conv1d(4, 6, 3, dilation=2, groups=2), lambda: [real(4, 11)]),
    "Conv2d": (lambda nn: nn.Conv2d(3, 8, 3), lambda: [real(2, 3, 9, 7)]),
    "Conv2d, all options": (lambda nn: nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(2, 1), dilation=(1, 2), groups=2, bias=False),
                            lambda: [real(3, 4, 9, 8)]),
    "Conv2d, same": (lambda nn: nn.Conv2d(3, 4, (2, 5), padding="same", dilation=2), lambda: [real(2, 3, 8, 9)]),
    "Conv2d, valid, no batch": (lambda nn: nn.Conv2d(3, 4, 3, padding="valid"), lambda: [real(3, 8, 9)]),
    "Conv2d, reflect": (lambda nn: nn.Conv2d(3, 4, 3, padding=(1, 2), padding_mode="reflect"), lambda: [real(2, 3, 6, 7)]),
    "Conv2d, replicate": (lambda nn: nn.Conv2d(3, 4, 3, padding=2, padding_mode="replicate"), lambda: [real(2, 3, 6, 7)]),
    "Conv2d, circular": (lambda nn: nn.Conv2d(3, 4, 3, padding=2, padding_mode="circular"), lambda: [real(2, 3, 6, 7)]),
    "Conv3d": (lambda nn: nn.Conv3d(2, 4, (2, 3, 3), stride=(1, 2, 1), padding=1), lambda: [real(2, 2, 5, 6, 7)]),
    "Conv3d, groups": (lambda nn: nn.Conv3d(4, 6, 3, padding=(2, 0, 1), dilation=(2, 1, 1), groups=2), lambda: [real(4, 6, 5, 6)]),
    "ConvTranspose1d": (lambda nn: nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, output_padding=1), lambda: [real(2, 4, 5)]),
    "ConvTranspose2d": (lambda nn: nn.ConvTranspose2d(4, 6, (3, 4), stride=(2, 3), padding=(1, 0), output_padding=(1, 2), groups=2),
                        lambda: [real(2, 4, 5, 4)]),
    "ConvTranspose2d, dilation, no batch": (lambda nn: nn.ConvTranspose2d(3, 2, 3, padding=3, dilation=2, bias=False), lambda: [real(3, 5, 6)]),
    "ConvTranspose3d": (lambda nn: nn.ConvTranspose3d(2, 3, 2, stride=2, padding=1), lambda: [real(2, 2, 3, 4, 3)]),
    "Unfold": (lambda nn: nn.Unfold((2, 3), dilation=(2, 1), padding=1, stride=2), lambda: [real(2, 3, 7, 8)]),
    "Fold": (lambda nn: nn.Fold((7, 8), (2, 3), dilation=(2, 1), padding=1, stride=2), lambda: [real(2, 12, 16)]),
    # batchnorm.py, normalization.py
    "BatchNorm1d": (lambda nn: nn.BatchNorm1d(5), lambda: [real(6, 5)]),
    "BatchNorm1d, 3-d": (lambda nn: nn.BatchNorm1d(5, eps=1e-3, momentum=0.3), lambda: [real(6, 5, 4)]),
    "BatchNorm1d, plain mean": (lambda nn: nn.BatchNorm1d(5, momentum=None), lambda: [real(6, 5)]),
    "BatchNorm2d": (lambda nn: nn.BatchNorm2d(4), lambda: [real(3, 4, 5, 6)]),
    "BatchNorm2d, no weights": (lambda nn: nn.BatchNorm2d(4, affine=False), lambda: [real(3, 4, 5, 6)]),
    "BatchNorm2d, no statistics": (lambda nn: nn.BatchNorm2d(4, track_running_stats=False), lambda: [real(3, 4, 5, 6)]),
    "BatchNorm3d": (lambda nn: nn.BatchNorm3d(3), lambda: [real(2, 3, 3, 4, 2)]),
    "LayerNorm": (lambda nn: nn.LayerNorm(6), lambda: [real(4, 6)]),
    "LayerNorm, two dimensions": (lambda nn: nn.LayerNorm((3, 5), eps=1e-3), lambda: [real(2, 4, 3, 5)]),
    "LayerNorm, no weights": (lambda nn: nn.LayerNorm([5], elementwise_affine=False), lambda: [real(4, 5)]),
    "GroupNorm": (lambda nn: nn.GroupNorm(3, 6), lambda: [real(2, 6, 4, 3)]),
    "GroupNorm, no weights": (lambda nn: nn.GroupNorm(2, 6, affine=False), lambda: [real(2, 6)]),
    "InstanceNorm1d": (lambda nn: nn.InstanceNorm1d(4), lambda: [real(3, 4, 6)]),
    "InstanceNorm2d": (lambda nn: nn.InstanceNorm2d(4, affine=True, track_running_stats=True), lambda: [real(3, 4, 5, 6)]),
    "InstanceNorm2d, no batch": (lambda nn: nn.InstanceNorm2d(4), lambda: [real(4, 5, 6)]),
    "InstanceNorm3d": (lambda nn: nn.InstanceNorm3d(2, affine=True), lambda: [real(2, 2, 3, 4, 5)]),
    "LocalResponseNorm": (lambda nn: nn.LocalResponseNorm(3, alpha=0.1, k=2), lambda: [real(2, 6, 4, 3)]),
    "LocalResponseNorm, even size": (lambda nn: nn.LocalResponseNorm(4, alpha=0.5), lambda: [real(2, 6, 4)]),
    # activation.py
    "CELU": (lambda nn: nn.CELU(1.3), lambda: [real(4, 5)]),
    "ELU": (lambda nn: nn.ELU(0.7), lambda: [real(4, 5)]),
    "GELU": (lambda nn: nn.GELU(), lambda: [real(4, 5)]),
    "GELU, tanh": (lambda nn: nn.GELU("tanh"), lambda: [real(4, 5)]),
    "GLU": (lambda nn: nn.GLU(1), lambda: [real(4, 6)]),
    "Hardshrink": (lambda nn: nn.Hardshrink(0.4), lambda: [real(4, 5)]),
    "Hardsigmoid": (lambda nn: nn.Hardsigmoid(), lambda: [real(4, 5) * 4]),
    "Hardswish": (lambda nn: nn.Hardswish(), lambda: [real(4, 5) * 4]),
    "Hardtanh": (lambda nn: nn.Hardtanh(-0.5, 0.8), lambda: [real(4, 5)]),
    "LeakyReLU": (lambda nn: nn.LeakyReLU(0.2), lambda: [real(4, 5)]),
    "LogSigmoid": (lambda nn: nn.LogSigmoid(), lambda: [real(4, 5) * 5]),
    "LogSoftmax": (lambda nn: nn.LogSoftmax(1), lambda: [real(4, 5)]),
    "Mish": (lambda nn: nn.Mish(), lambda: [real(4, 5) * 4]),
    "PReLU": (lambda nn: nn.PReLU(), lambda: [real(4, 5)]),
    "PReLU, channels": (lambda nn: nn.PReLU(3, 0.1), lambda: [real(2, 3, 4)]),
    "RReLU, evaluation": (lambda nn: nn.RReLU(0.1, 0.3).eval(), lambda: [real(4, 5)]),
    "ReLU": (lambda nn: nn.ReLU(), lambda: [real(4, 5)]),
    "ReLU6": (lambda nn: nn.ReLU6(), lambda: [real(4, 5) * 5]),
    "SELU": (lambda nn: nn.SELU(), lambda: [real(4, 5)]),
    "SiLU": (lambda nn: nn.SiLU(), lambda: [real(4, 5)]),
    "Sigmoid": (lambda nn: nn.Sigmoid(), lambda: [real(4, 5)]),
    "Softmax": (lambda nn: nn.Softmax(0), lambda: [real(4, 5)]),
    "Softmax2d": (lambda nn: nn.Softmax2d(), lambda: [real(2, 4, 3, 5)]),
    "Softmin": (lambda nn: nn.Softmin(-1), lambda: [real(4, 5)]),
    "Softplus": (lambda nn: nn.Softplus(2, 3), lambda: [real(4, 5) * 3]),
    "Softshrink": (lambda nn: nn.Softshrink(0.3), lambda: [real(4, 5)]),
    "Softsign": (lambda nn: nn.Softsign(), lambda: [real(4, 5)]),
    "Tanh": (lambda nn: nn.Tanh(), lambda: [real(4, 5)]),
    "Tanhshrink": (lambda nn: nn.Tanhshrink(), lambda: [real(4, 5)]),
    "Threshold": (lambda nn: nn.Threshold(0.1, -3.0), lambda: [real(4, 5)]),
    # pooling.py
    "MaxPool1d": (lambda nn: nn.MaxPool1d(3, stride=2, padding=1), lambda: [spread(2, 3, 10)]),
    "MaxPool1d, indices": (lambda nn: nn.MaxPool1d(3, 2, 1, return_indices=True, ceil_mode=True), lambda: [spread(2, 3, 10)]),
    "MaxPool2d": (lambda nn: nn.MaxPool2d(2), lambda: [spread(2, 3, 7, 8)]),
    "MaxPool2d, all options": (lambda nn: nn.MaxPool2d((3, 2), (2, 1), (1, 0), (1, 2), ceil_mode=True), lambda: [spread(2, 3, 8, 9)]),
    "MaxPool2d, indices": (lambda nn: nn.MaxPool2d(3, 2, 1, return_indices=True), lambda: [spread(2, 3, 7, 8)]),
    "MaxPool2d, indices, dilation, no batch": (lambda nn: nn.MaxPool2d(2, (1, 2), 1, 2, True, True), lambda: [spread(3, 7, 8)]),
    "MaxPool3d": (lambda nn: nn.MaxPool3d((2, 3, 2), (1, 2, 2), (1, 1, 0), ceil_mode=True), lambda: [spread(2, 2, 5, 6, 7)]),
    "MaxPool3d, indices": (lambda nn: nn.MaxPool3d(2, return_indices=True), lambda: [spread(2, 2, 4, 6, 5)]),
    "AvgPool1d": (lambda nn: nn.AvgPool1d(3, 2, 1, ceil_mode=True), lambda: [real(2, 3, 10)]),
    "AvgPool2d": (lambda nn: nn.AvgPool2d((3, 2), (2, 1), (1, 0)), lambda: [real(2, 3, 8, 9)]),
    "AvgPool2d, not the padding": (lambda nn: nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), lambda: [real(2, 3, 8, 9)]),
    "AvgPool2d, divisor": (lambda nn: nn.AvgPool2d(3, 2, 1, ceil_mode=True, divisor_override=5), lambda: [real(2, 3, 8, 8)]),
    "AvgPool3d": (lambda nn: nn.AvgPool3d((2, 3, 2), (1, 2, 2), (1, 1, 0), ceil_mode=True), lambda: [real(2, 2, 5, 6, 7)]),
    "AvgPool3d, not the padding": (lambda nn: nn.AvgPool3d(3, 2, 1, count_include_pad=False), lambda: [real(2, 5, 6, 7)]),
    "AvgPool3d, divisor": (lambda nn: nn.AvgPool3d(2, divisor_override=3), lambda: [real(2, 2, 4, 6, 7)]),
    "LPPool1d": (lambda nn: nn.LPPool1d(2, 3, 2), lambda: [real(2, 3, 10, low=0.1, high=2)]),
    "LPPool2d": (lambda nn: nn.LPPool2d(1.5, (2, 3), ceil_mode=True), lambda: [real(2, 3, 6, 7, low=0.1, high=2)]),
    "AdaptiveAvgPool1d": (lambda nn: nn.AdaptiveAvgPool1d(4), lambda: [real(2, 3, 10)]),
    "AdaptiveAvgPool2d": (lambda nn: nn.AdaptiveAvgPool2d((None, 3)), lambda: [real(2, 3, 5, 7)]),
    "AdaptiveAvgPool3d": (lambda nn: nn.AdaptiveAvgPool3d((2, 3, None)), lambda: [real(2, 2, 5, 7, 3)]),
    "AdaptiveMaxPool1d": (lambda nn: nn.AdaptiveMaxPool1d(4, return_indices=True), lambda: [spread(2, 3, 10)]),
    "AdaptiveMaxPool2d": (lambda nn: nn.AdaptiveMaxPool2d(3), lambda: [spread(2, 3, 6, 9)]),
    "AdaptiveMaxPool2d, uneven": (lambda nn: nn.AdaptiveMaxPool2d((2, 3), return_indices=True), lambda: [spread(2, 3, 5, 7)]),
    "AdaptiveMaxPool3d": (lambda nn: nn.AdaptiveMaxPool3d((2, 3, 2), True), lambda: [spread(2, 2, 5, 7, 4)]),
    "FractionalMaxPool2d": (lambda nn: nn.FractionalMaxPool2d((2, 3), (3, 2), return_indices=True, _random_samples=samples(nn, [[[.3, .8], [.9, .1]]])),
                            lambda: [spread(1, 2, 6, 5)]),
    "FractionalMaxPool3d": (lambda nn: nn.FractionalMaxPool3d(2, output_ratio=0.5, _random_samples=samples(nn, [[[.3, .8, .5], [.9, .1, .2]]])),
                            lambda: [spread(1, 2, 6, 5, 7)]),
    # padding.py
    **{f"{kind}Pad{n}d": ((lambda nn, kind=kind, n=n, more=more: getattr(nn, f"{kind}Pad{n}d")(tuple(range(1, 2 * n + 1))[::-1] if n < 3 else 2, *more)),
                          (lambda n=n: [real(2, 3, *((7, 8, 6)[:n]))]))
       for kind, more in (("Constant", (1.5,)), ("Reflection", ()), ("Replication", ())) for n in (1, 2, 3)},
    "ZeroPad2d": (lambda nn: nn.ZeroPad2d((1, -1, 0, 2)), lambda: [real(2, 3, 4, 5)]),
    # flatten.py
    "Flatten": (lambda nn: nn.Flatten(), lambda: [real(2, 3, 4)]),
    "Flatten, dims": (lambda nn: nn.Flatten(0, 1), lambda: [real(2, 3, 4)]),
    "Unflatten": (lambda nn: nn.Unflatten(1, (2, -1)), lambda: [real(2, 6, 4)]),
    "PixelShuffle": (lambda nn: nn.PixelShuffle(2), lambda: [real(2, 12, 3, 4)]),
    "PixelUnshuffle": (lambda nn: nn.PixelUnshuffle(2), lambda: [real(2, 3, 4, 6)]),
    "Upsample, nearest": (lambda nn: nn.Upsample(scale_factor=(2, 1.5)), lambda: [real(2, 3, 4, 5)]),
    "Upsample, nearest, size": (lambda nn: nn.Upsample((3, 7)), lambda: [real(2, 3, 4, 5)]),
    "Upsample, linear": (lambda nn: nn.Upsample(scale_factor=1.7, mode="linear"), lambda: [real(2, 3, 6)]),
    "Upsample, bilinear": (lambda nn: nn.Upsample(scale_factor=2, mode="bilinear"), lambda: [real(2, 3, 4, 5)]),
    "Upsample, bilinear, corners": (lambda nn: nn.Upsample((7, 3), mode="bilinear", align_corners=True), lambda: [real(2, 3, 4, 5)]),
    "Upsample, bicubic": (lambda nn: nn.Upsample((7, 9), mode="bicubic"), lambda: [real(2, 3, 4, 5)]),
    "Upsample, trilinear": (lambda nn: nn.Upsample(scale_factor=2, mode="trilinear"), lambda: [real(2, 2, 3, 4, 5)]),
    "UpsamplingNearest2d": (lambda nn: nn.UpsamplingNearest2d(scale_factor=3), lambda: [real(2, 3, 4, 5)]),
    "UpsamplingBilinear2d": (lambda nn: nn.UpsamplingBilinear2d((6, 9)), lambda: [real(2, 3, 4, 5)]),
    # dropout.py where nothing is random
    **{f"{name}, p=0": ((lambda nn, name=name: getattr(nn, name)(0.0)), lambda: [real(2, 3, 4, 5)])
       for name in ("Dropout", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")},
    "Dropout, p=1": (lambda nn: nn.Dropout(1.0), lambda: [real(3, 4)]),
    # sparse.py
    "AdaptiveLogSoftmaxWithLoss": (lambda nn: nn.AdaptiveLogSoftmaxWithLoss(6, 12, [3, 7], div_value=2.0), lambda: [real(9, 6), ints(9, high=12)]),
    "Embedding": (lambda nn: nn.Embedding(9, 4, padding_idx=-2), lambda: [ints(3, 5, high=9)]),
    "Embedding, max_norm": (lambda nn: nn.Embedding(9, 4, max_norm=1.0), lambda: [ints(7, high=9)]),
    "Embedding, by frequency": (lambda nn: nn.Embedding(5, 4, scale_grad_by_freq=True), lambda: [ints(12, high=5)]),
    "EmbeddingBag": (lambda nn: nn.EmbeddingBag(9, 4), lambda: [ints(3, 5, high=9)]),
    "EmbeddingBag, sum, offsets": (lambda nn: nn.EmbeddingBag(9, 4, mode="sum"), lambda: [ints(10, high=9), parity.np.array([0, 3, 3, 7])]),
    "EmbeddingBag, weights": (lambda nn: nn.EmbeddingBag(9, 4, mode="sum"), lambda: [ints(3, 5, high=9), None, real(3, 5)]),
    "EmbeddingBag, max": (lambda nn: nn.EmbeddingBag(9, 4, mode="max"), lambda: [ints(10, high=9), parity.np.array([0, 3, 3, 7])]),
    "EmbeddingBag, padding": (lambda nn: nn.EmbeddingBag(6, 4, padding_idx=2), lambda: [ints(4, 6, high=6)]),
    # distance.py
    "PairwiseDistance": (lambda nn: nn.PairwiseDistance(3.0, keepdim=True), lambda: [real(4, 5), real(4, 5)]),
    "CosineSimilarity": (lambda nn: nn.CosineSimilarity(1), lambda: [real(4, 5, 2), real(4, 5, 2)]),
    # rnn.py
    "RNN": (lambda nn: nn.RNN(4, 5, 2), lambda: [real(3, 2, 4)]),
    "RNN, relu, batch first": (lambda nn: nn.RNN(4, 5, nonlinearity="relu", batch_first=True, bias=False), lambda: [real(2, 3, 4), real(1, 2, 5)]),
    "LSTM": (lambda nn: nn.LSTM(4, 5, 2, bidirectional=True), lambda: [real(3, 2, 4)]),
    "LSTM, projection, no batch": (lambda nn: nn.LSTM(4, 5, proj_size=3), lambda: [real(3, 4)]),
    "GRU": (lambda nn: nn.GRU(4, 5, 2, bidirectional=True, batch_first=True), lambda: [real(2, 3, 4), real(4, 2, 5)]),
    "RNNCell": (lambda nn: nn.RNNCell(4, 5), lambda: [real(3, 4), real(3, 5)]),
    "RNNCell, relu": (lambda nn: nn.RNNCell(4, 5, nonlinearity="relu"), lambda: [real(4)]),
    "LSTMCell": (lambda nn: nn.LSTMCell(4, 5), lambda: [real(3, 4)]),
    "GRUCell": (lambda nn: nn.GRUCell(4, 5, bias=False), lambda: [real(3, 4), real(3, 5)]),
    # attention.py
    "MultiheadAttention": (lambda nn: nn.MultiheadAttention(8, 2), lambda: [real(5, 3, 8), real(4, 3, 8), real(4, 3, 8)]),
    "MultiheadAttention, other sizes": (lambda nn: nn.MultiheadAttention(8, 2, kdim=5, vdim=6, add_bias_kv=True, add_zero_attn=True, batch_first=True),
                                        lambda: [real(3, 5, 8), real(3, 4, 5), real(3, 4, 6)]),
    "TransformerEncoderLayer": (lambda nn: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), lambda: [real(5, 3, 8)]),
    "TransformerEncoderLayer, norm first, gelu": (lambda nn: nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", batch_first=True, norm_first=True),
                                                  lambda: [real(3, 5, 8)]),
    "TransformerDecoderLayer": (lambda nn: nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), lambda: [real(5, 3, 8), real(4, 3, 8)]),
    "Transformer": (lambda nn: nn.Transformer(8, 2, 1, 2, 16, dropout=0.0), lambda: [real(5, 3, 8), real(4, 3, 8)]),
    # container.py
    "Sequential": (lambda nn: nn.Sequential(nn.Linear(4, 5), nn.Sequential(nn.Tanh(), nn.Linear(5, 3))), lambda: [real(2, 4)]),
}
# What PyTorch cannot differentiate, or computes another way where it is not recording.
NO_GRAD = set()
LIMITS = {"LocalResponseNorm, even size": 1e-4, "PairwiseDistance": 1e-4}


class Modules(unittest.TestCase):
    pass


class Documentation(unittest.TestCase):
    def test_every_parameter_of_every_module_is_described(self):
        seen = 0
        for name, module in vars(haft.nn).items():
            if not (inspect.isclass(module) and issubclass(module, haft.nn.Module)):
                continue
            given = [p for p in inspect.signature(module.__init__).parameters if p not in ("self", "args", "kwargs", "device", "dtype")]
            described = re.findall(r"^ +([\w, ]+):", module.__doc__.partition("Args:")[2], re.M)
            with self.subTest(name):
                self.assertEqual(sorted(set(given) - set(", ".join(described).split(", "))), [])
            seen += len(given)
        self.assertGreater(seen, 400)


def _test(name):
    def test(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parity.modules(*CASES[name], name, training=(False,) if "evaluation" in name else (True, False),
                           limit=LIMITS.get(name), grads=name not in NO_GRAD)
    return test


for _name in CASES:
    setattr(Modules, "test_" + "".join(c if c.isalnum() else "_" for c in _name), _test(_name))

if __name__ == "__main__":
    unittest.main()
