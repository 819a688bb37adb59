"""The cases of layers; cases.py says what a case is."""
import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations

from cases import Case

F64 = torch.float64


def real(*shape):
    return torch.randn(shape, dtype=F64)


def positive(*shape):
    return torch.rand(shape, dtype=F64) + 0.5


def spread(*shape):
    """Different numbers with gaps between them, so that no maximum is in doubt, and none near 0."""
    n = math.prod(shape)
    return ((torch.randperm(n).reshape(shape).double() + 0.5) / n * 6 - 3)


def index(high, *shape):
    return torch.randint(high, shape)


def layer(name, *inputs, kwargs=None, spelled=None, **options):
    """kwargs: PyTorch's arguments where modules.def spells the options otherwise; spelled: those that only modules.def has."""
    more = {k: options.pop(k) for k in ("mode", "make", "call", "peer", "gradients") if k in options}
    Case("layer", name, {**options, **(spelled or {})}, inputs=lambda: [x() if callable(x) else x for x in inputs],
         kwargs={**options, **(kwargs or {})}, **more)


def formula(f):
    """A layer without parameters that PyTorch 1.13 lacks."""
    class Formula(nn.Module):
        def forward(self, *inputs):
            return f(*inputs)
    return Formula


# ---- linear, convolutions -------------------------------------------------------------------------------------------
layer("Linear", lambda: real(3, 5, 7), in_features=7, out_features=4)
layer("Linear", lambda: real(7), in_features=7, out_features=1, bias=False)
layer("Linear", lambda: real(33, 20), in_features=20, out_features=17, mode="autocast")
layer("Bilinear", lambda: real(4, 3), lambda: real(4, 5), in1_features=3, in2_features=5, out_features=2)
layer("Bilinear", lambda: real(2, 4, 3), lambda: real(2, 4, 2), in1_features=3, in2_features=2, out_features=6, bias=False)
SIZES = {1: (11,), 2: (9, 8), 3: (6, 5, 7)}
for n, size in SIZES.items():
    three = (3, 2, 1)[:n]
    layer(f"Conv{n}d", lambda s=size: real(2, 4, *s), in_channels=4, out_channels=6, kernel_size=3 if n == 2 else (3,) * n)
    layer(f"Conv{n}d", lambda s=size: real(2, 4, *s), in_channels=4, out_channels=6, kernel_size=three, stride=2 if n == 2 else (2,) * n,
          padding=(1, 1, 0)[:n], dilation=2 if n == 2 else (2,) * n, groups=2, bias=False)
    for mode in ("reflect", "replicate", "circular"):
        if (n, mode) != (3, "reflect"):  # PyTorch 1.13 has no gradient of that padding in float64
            layer(f"Conv{n}d", lambda s=size: real(1, 3, *s), in_channels=3, out_channels=3, kernel_size=three, padding=(1,) * n, groups=3, padding_mode=mode)
    layer(f"Conv{n}d", lambda s=size: real(2, 2, *s), in_channels=2, out_channels=3, kernel_size=three, kwargs=dict(padding="same"),
          spelled=dict(padding=-1 if n == 2 else (-1,) * n))
    layer(f"Conv{n}d", lambda s=size: real(2, 4, *s), in_channels=4, out_channels=8, kernel_size=three, mode="autocast")
    layer(f"ConvTranspose{n}d", lambda s=size: real(2, 4, *s), in_channels=4, out_channels=6, kernel_size=three)
    layer(f"ConvTranspose{n}d", lambda s=size: real(2, 4, *s), in_channels=4, out_channels=6, kernel_size=(3,) * n, stride=(2,) * n, padding=(1,) * n,
          output_padding=(1,) * n, groups=2, bias=False, dilation=(2,) * n)
layer("Unfold", lambda: real(2, 3, 7, 6), kernel_size=(3, 2), dilation=(1, 2), padding=(1, 0), stride=(2, 1))
layer("Fold", lambda: real(2, 12, 20), output_size=(5, 6), kernel_size=(2, 2))
layer("Fold", lambda: real(2, 12, 12), output_size=(5, 6), kernel_size=(3, 2), dilation=(1, 2), padding=(1, 0), stride=(2, 1))

# ---- normalisation ----------------------------------------------------------------------------------------------------
for n, size in SIZES.items():
    for mode in ("train", "eval"):
        layer(f"BatchNorm{n}d", lambda s=size: real(3, 4, *s), num_features=4, mode=mode)
    layer(f"BatchNorm{n}d", lambda s=size: real(3, 4, *s), num_features=4, eps=1e-2, momentum=0.4, affine=False)
    layer(f"BatchNorm{n}d", lambda s=size: real(3, 4, *s), num_features=4, track_running_stats=False, mode="eval")
    layer(f"InstanceNorm{n}d", lambda s=size: real(3, 4, *s), num_features=4)
    for mode in ("train", "eval"):
        layer(f"InstanceNorm{n}d", lambda s=size: real(3, 4, *s), num_features=4, eps=1e-3, momentum=0.3, affine=True, track_running_stats=True, mode=mode)
layer("BatchNorm1d", lambda: real(5, 3), num_features=3)
layer("LayerNorm", lambda: real(4, 3, 5), normalized_shape=(5,))
layer("LayerNorm", lambda: real(4, 3, 5), normalized_shape=(3, 5), eps=1e-2, elementwise_affine=False)
layer("GroupNorm", lambda: real(3, 6, 5, 4), num_groups=3, num_channels=6)
layer("GroupNorm", lambda: real(3, 4, 7), num_groups=1, num_channels=4, eps=1e-2, affine=False)


def biasless(module):
    """PyTorch 1.13 has no norm without its bias."""
    module.register_parameter("bias", None)
    return module


layer("LayerNorm", lambda: real(4, 3, 5), normalized_shape=(5,), bias=False, peer=lambda: biasless(nn.LayerNorm((5,))))
layer("GroupNorm", lambda: real(3, 6, 5, 4), num_groups=3, num_channels=6, bias=False, peer=lambda: biasless(nn.GroupNorm(3, 6)))
for n, size in {1: (5,), 2: (5, 4), 3: (3, 2, 4)}.items():
    layer(f"BatchNorm{n}d", lambda s=size: real(3, 4, *s), num_features=4, bias=False, peer=lambda n=n: biasless(getattr(nn, f"BatchNorm{n}d")(4)))
    layer(f"InstanceNorm{n}d", lambda s=size: real(3, 4, *s), num_features=4, affine=True, bias=False,
          peer=lambda n=n: biasless(getattr(nn, f"InstanceNorm{n}d")(4, affine=True)))
    layer(f"BatchNorm{n}d", lambda s=size: real(3, 4, *s), num_features=4, kwargs=dict(momentum=None), spelled=dict(momentum=-1.0))
layer("LocalResponseNorm", lambda: real(2, 7, 4, 3), size=3)
layer("LocalResponseNorm", lambda: real(2, 7, 4), size=4, alpha=0.3, beta=0.5, k=2.0)


class RMSNorm(nn.Module):
    def __init__(self, shape, eps=None, elementwise_affine=True):
        super().__init__()
        self.shape, self.eps = shape, eps
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(shape))

    def forward(self, x):
        eps = torch.finfo(x.dtype).eps if self.eps is None else self.eps
        y = x * (x.square().mean(tuple(range(-len(self.shape), 0)), keepdim=True) + eps).rsqrt()
        return y * self.weight if hasattr(self, "weight") else y


layer("RMSNorm", lambda: real(4, 3, 5), normalized_shape=(5,), peer=lambda: RMSNorm((5,)))
layer("RMSNorm", lambda: real(4, 3, 5), normalized_shape=(3, 5), eps=0.25, elementwise_affine=False, peer=lambda: RMSNorm((3, 5), 0.25, False))

# ---- embeddings, two inputs -------------------------------------------------------------------------------------------
layer("Embedding", lambda: index(6, 3, 4), num_embeddings=6, embedding_dim=5)
layer("Embedding", lambda: index(6, 7), num_embeddings=6, embedding_dim=3, padding_idx=2)
layer("Embedding", lambda: index(6, 3, 4), num_embeddings=6, embedding_dim=5, max_norm=1.5)
layer("Embedding", lambda: index(6, 9), num_embeddings=6, embedding_dim=5, padding_idx=2, max_norm=1.5, norm_type=1.0, scale_grad_by_freq=True)
layer("EmbeddingBag", lambda: index(6, 3, 4), num_embeddings=6, embedding_dim=5)
layer("EmbeddingBag", lambda: index(6, 3, 4), num_embeddings=6, embedding_dim=5, max_norm=1.0)  # PyTorch 1.13 divides by wrong frequencies
for mode in ("sum", "max"):
    Case("layer", "EmbeddingBag", dict(num_embeddings=6, embedding_dim=5, mode=mode), inputs=lambda: [index(6, 8), torch.tensor([0, 3, 4])])
Case("layer", "EmbeddingBag", dict(num_embeddings=6, embedding_dim=5, mode="sum", include_last_offset=True, padding_idx=1),
     inputs=lambda: [index(6, 8), torch.tensor([0, 3, 4, 8]), real(8)])
layer("CosineSimilarity", lambda: real(3, 4, 5), lambda: real(3, 4, 5))
# PyTorch's gradient takes a norm below eps for a variable; here it is eps, a constant.
layer("CosineSimilarity", lambda: real(3, 4), lambda: real(3, 4), dim=0, eps=0.5,
      peer=formula(lambda x, y: (x * y).sum(0) / (x.norm(dim=0).clamp(min=0.5) * y.norm(dim=0).clamp(min=0.5))))
layer("PairwiseDistance", lambda: real(3, 5), lambda: real(3, 5))
layer("PairwiseDistance", lambda: real(3, 5), lambda: real(3, 5), p=1.5, eps=1e-3, keepdim=True)

# ---- pooling ----------------------------------------------------------------------------------------------------------
for n, size in SIZES.items():
    pair = n == 2
    layer(f"MaxPool{n}d", lambda s=size: spread(2, 3, *s), kernel_size=(2, 3, 2)[:n])
    layer(f"MaxPool{n}d", lambda s=size: spread(2, 3, *s), kernel_size=(3,) * n, stride=(2, 1, 2)[:n], padding=(1,) * n, dilation=(2,) * n if n < 3 else (1,) * n,
          ceil_mode=True)
    layer(f"MaxPool{n}d", lambda s=size: spread(2, 3, *s), kernel_size=(2,) * n, return_indices=True)
    layer(f"AvgPool{n}d", lambda s=size: real(2, 3, *s), kernel_size=(2, 3, 2)[:n])
    layer(f"AvgPool{n}d", lambda s=size: real(2, 3, *s), kernel_size=(3,) * n, stride=(2,) * n, padding=(1,) * n, ceil_mode=True, count_include_pad=False)
    layer(f"AdaptiveAvgPool{n}d", lambda s=size: real(2, 3, *s), output_size=(4, 3, 5)[:n])
    layer(f"AdaptiveMaxPool{n}d", lambda s=size: spread(2, 3, *s), output_size=(4, 3, 5)[:n])
    layer(f"AdaptiveMaxPool{n}d", lambda s=size: spread(2, 3, *s), output_size=(2, 3, 1)[:n], return_indices=True)

    pool = getattr(F, f"max_pool{n}d")
    even, odd = (pool(spread(2, 3, *shape), 2, return_indices=True) for shape in ((4, 6, 8)[:n], size))
    layer(f"MaxUnpool{n}d", *even, kernel_size=(2,) * n)
    layer(f"MaxUnpool{n}d", *odd, kernel_size=(2,) * n, stride=(2,) * n, padding=(0,) * n, spelled=dict(output_size=size),
          call=lambda m, x, i, s=size: m(x, i, output_size=s))
layer("AvgPool3d", lambda: real(2, 3, 6, 5, 4), kernel_size=(2, 2, 2), divisor_override=3)
layer("AvgPool2d", lambda: real(2, 3, 6, 5), kernel_size=(2, 3), divisor_override=5)
layer("AvgPool2d", lambda: real(2, 3, 6, 5), kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), ceil_mode=True, count_include_pad=False, divisor_override=-2)
for n in (1, 2):
    layer(f"LPPool{n}d", lambda n=n: positive(2, 3, *SIZES[n]), norm_type=3.0, kernel_size=2 if n == 1 else (2, 2), stride=2 if n == 1 else (2, 1))
    layer(f"LPPool{n}d", lambda n=n: positive(2, 3, *SIZES[n]), norm_type=2.0, kernel_size=3, stride=3, ceil_mode=True)
layer("LPPool3d", lambda: positive(2, 3, 6, 5, 7), norm_type=3.0, kernel_size=(2, 2, 3), stride=(2, 1, 2),
      peer=formula(lambda x: (F.avg_pool3d(x ** 3, (2, 2, 3), (2, 1, 2)) * 12) ** (1 / 3)))

# ---- shapes, padding, resampling -----------------------------------------------------------------------------------------
layer("PixelShuffle", lambda: real(2, 8, 3, 4), upscale_factor=2)
layer("PixelUnshuffle", lambda: real(2, 3, 6, 4), downscale_factor=2)
layer("ChannelShuffle", lambda: real(2, 6, 3, 4), groups=3, peer=formula(lambda x: x.reshape(2, 3, 2, 3, 4).transpose(1, 2).reshape(2, 6, 3, 4)))
layer("Identity", lambda: real(2, 3))
layer("Flatten", lambda: real(2, 3, 4, 5))
layer("Flatten", lambda: real(2, 3, 4, 5), start_dim=-3, end_dim=2)
layer("Unflatten", lambda: real(2, 12, 3), dim=1, unflattened_size=(3, -1))
for n, size in SIZES.items():
    sides = ((2, 1), (2, 1, 0, 3), (2, 1, 0, 2, 1, 1))[n - 1]
    for kind, mode in (("Reflection", "reflect"), ("Replication", "replicate"), ("Circular", "circular"), ("Zero", "constant")):
        there = hasattr(nn, f"{kind}Pad{n}d") and kind != "Circular"
        for padding in (sides, (1,)):
            full = padding if len(padding) > 1 else padding * (2 * n)
            layer(f"{kind}Pad{n}d", lambda s=size: real(2, 3, *s), kwargs=dict(padding=full), spelled=dict(padding=padding),
                  peer=None if there else formula(lambda x, p=full, mode=mode: F.pad(x, p, mode)))
    layer(f"ConstantPad{n}d", lambda s=size: real(2, 3, *s), padding=tuple(s - 1 for s in sides), value=2.5)
for n, mode, name in ((1, "linear", "linear"), (2, "bilinear", "linear"), (3, "trilinear", "linear"), (2, "bicubic", "cubic")):
    for corners in (False, True):
        Case("layer", "Upsample", dict(size=tuple(s + 3 for s in SIZES[n]), mode=name, align_corners=corners), inputs=lambda n=n: [real(2, 3, *SIZES[n])],
             kwargs=dict(size=tuple(s + 3 for s in SIZES[n]), mode=mode, align_corners=corners))
    Case("layer", "Upsample", dict(scale_factor=1.5, mode=name), inputs=lambda n=n: [real(2, 3, *SIZES[n])], kwargs=dict(scale_factor=1.5, mode=mode))
for n in SIZES:
    for mode in ("nearest", "nearest-exact"):
        Case("layer", "Upsample", dict(scale_factor=2.0, mode=mode.replace("-", "_")), inputs=lambda n=n: [real(2, 3, *SIZES[n])],
             kwargs=dict(scale_factor=2.0, mode=mode))
Case("layer", "Upsample", dict(scale_factor=1.7, scale_h=2.3, mode="linear", recompute_scale_factor=True), inputs=lambda: [real(2, 3, 5, 4)],
     kwargs=dict(scale_factor=(2.3, 1.7), mode="bilinear", recompute_scale_factor=True))
Case("layer", "Upsample", dict(size=(4, 3), mode="area"), inputs=lambda: [real(2, 3, 9, 8)], kwargs=dict(size=(4, 3), mode="area"))
layer("UpsamplingNearest2d", lambda: real(2, 3, 5, 4), kwargs=dict(scale_factor=2), spelled=dict(scale_factor=2.0))
layer("UpsamplingBilinear2d", lambda: real(2, 3, 5, 4), size=(7, 9))

# ---- activations ------------------------------------------------------------------------------------------------------
for name in ("ReLU", "SiLU", "Sigmoid", "Tanh", "Hardswish", "Mish", "LogSigmoid", "SELU", "Softsign", "Tanhshrink", "ReLU6", "LeakyReLU",
             "ELU", "CELU", "Softplus", "Hardtanh", "Hardshrink", "Softshrink", "GELU", "GLU", "PReLU"):
    layer(name, lambda: spread(3, 4, 6))
# PyTorch 1.13 rounds 1 / 6, and CELU's 1 / alpha, to float32.
layer("Hardsigmoid", lambda: spread(3, 4, 6), peer=formula(lambda x: F.relu6(x + 3) / 6))
layer("LeakyReLU", lambda: spread(3, 4), negative_slope=0.3)
layer("GELU", lambda: spread(3, 4), kwargs=dict(approximate="tanh"), spelled=dict(tanh=True))
layer("ELU", lambda: spread(3, 4), alpha=0.7)
layer("CELU", lambda: spread(3, 4), alpha=2.0)
layer("PReLU", lambda: spread(3, 4, 5), num_parameters=4, init=0.1)
layer("Softplus", lambda: spread(3, 4), beta=2.5, threshold=4.0)
layer("Hardtanh", lambda: spread(3, 4), min_val=-0.3, max_val=1.2)
layer("Hardshrink", lambda: spread(3, 4), lambd=1.1)
layer("Softshrink", lambda: spread(3, 4), lambd=1.1)
layer("Threshold", lambda: spread(3, 4), threshold=0.4, value=-3.5)
layer("GLU", lambda: spread(3, 4, 6), dim=1)
for name in ("Softmax", "LogSoftmax", "Softmin"):
    layer(name, lambda: real(3, 4, 5), dim=1)
    layer(name, lambda: real(3, 4, 5), dim=-1)
layer("Softmax2d", lambda: real(2, 3, 4, 5))

# ---- noise: nothing is drawn, or all of it is known ---------------------------------------------------------------------
for name, shape in (("Dropout", (3, 4)), ("Dropout1d", (2, 3, 4)), ("Dropout2d", (2, 3, 4, 5)), ("Dropout3d", (2, 3, 4, 3, 2)), ("AlphaDropout", (3, 4)),
                    ("FeatureAlphaDropout", (2, 3, 4))):
    layer(name, lambda s=shape: real(*s), p=0.4, mode="eval")
    layer(name, lambda s=shape: real(*s), p=0.0)
    if "Alpha" not in name:
        layer(name, lambda s=shape: real(*s), p=1.0)
layer("RReLU", lambda: spread(3, 4), mode="eval")
layer("RReLU", lambda: spread(3, 4), lower=0.25, upper=0.25)

# ---- recurrent layers ---------------------------------------------------------------------------------------------------
def recurrent(name, states, layers=1, directions=1, width=5, projection=0, batch_first=False, **kwargs):
    def inputs():
        x = real(3, 6, 4) if batch_first else real(6, 3, 4)
        sizes = [projection or width, width][:states]
        return [x, *(real(layers * directions, 3, s) for s in sizes)]
    options = dict(input_size=4, hidden_size=width, **{k: v for k, v in kwargs.items() if k != "nonlinearity"})
    if layers > 1:
        options["num_layers"] = layers
    if directions > 1:
        options["bidirectional"] = True
    if projection:
        options["proj_size"] = projection
    if batch_first:
        options["batch_first"] = True
    spelled = dict(options, relu=True) if kwargs.get("nonlinearity") == "relu" else options
    peer = dict(options, nonlinearity="relu") if spelled is not options else options

    def call(m, x, *states):
        return m(x, states if len(states) > 1 else states[0]) if states else m(x)
    Case("layer", name, spelled, inputs=inputs, kwargs=peer, call=call)


recurrent("RNN", 0)
recurrent("RNN", 1, layers=2, directions=2, nonlinearity="relu", batch_first=True)
recurrent("LSTM", 0)
recurrent("LSTM", 2, layers=2, directions=2, batch_first=True)
recurrent("LSTM", 2, layers=2, projection=3, bias=False)
recurrent("GRU", 0)
recurrent("GRU", 1, layers=2, directions=2, batch_first=True)
recurrent("GRU", 1, bias=False)
layer("RNNCell", lambda: real(3, 4), lambda: real(3, 5), input_size=4, hidden_size=5)
layer("RNNCell", lambda: real(3, 4), lambda: real(3, 5), input_size=4, hidden_size=5, bias=False, kwargs=dict(nonlinearity="relu"), spelled=dict(relu=True))
layer("LSTMCell", lambda: real(3, 4), lambda: real(3, 5), lambda: real(3, 5), input_size=4, hidden_size=5, call=lambda m, x, h, c: m(x, (h, c)))
layer("LSTMCell", lambda: real(3, 4), input_size=4, hidden_size=5, bias=False)
layer("GRUCell", lambda: real(3, 4), lambda: real(3, 5), input_size=4, hidden_size=5)
layer("GRUCell", lambda: real(3, 4), input_size=4, hidden_size=5, bias=False)

# ---- attention ----------------------------------------------------------------------------------------------------------
def padded(n, length):
    """A key_padding_mask: the last elements of some sequences do not count."""
    mask = torch.zeros(n, length, dtype=torch.bool)
    mask[0, -1:], mask[-1, -2:] = True, True
    return mask


def later(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


def attention(m, q, k, v, padding=None, mask=None, **more):
    return m(q, k, v, key_padding_mask=padding, attn_mask=mask, **more)


layer("MultiheadAttention", lambda: real(5, 3, 8), lambda: real(6, 3, 8), lambda: real(6, 3, 8), embed_dim=8, num_heads=2, call=attention)
layer("MultiheadAttention", lambda: real(3, 5, 8), lambda: real(3, 6, 4), lambda: real(3, 6, 5), lambda: padded(3, 6), lambda: real(5, 6).gt(0.8), embed_dim=8, num_heads=4,
      kdim=4, vdim=5, batch_first=True, add_bias_kv=True, add_zero_attn=True, bias=False, call=attention)
layer("MultiheadAttention", lambda: real(5, 3, 8), lambda: real(6, 3, 8), lambda: real(6, 3, 8), lambda: padded(3, 6), lambda: real(5, 6), embed_dim=8, num_heads=2,
      spelled=dict(average_attn_weights=False), call=lambda m, *x: attention(m, *x, average_attn_weights=False))
layer("MultiheadAttention", lambda: real(5, 3, 8), lambda: real(6, 3, 8), lambda: real(6, 3, 8), embed_dim=8, num_heads=2, spelled=dict(need_weights=False),
      call=lambda m, *x: attention(m, *x, need_weights=False)[0])
layer("TransformerEncoderLayer", lambda: real(5, 3, 8), d_model=8, nhead=2, dim_feedforward=16, dropout=0.0)
layer("TransformerEncoderLayer", lambda: real(3, 5, 8), lambda: later(5), lambda: padded(3, 5), d_model=8, nhead=2, dim_feedforward=16, dropout=0.0,
      layer_norm_eps=1e-3, batch_first=True, norm_first=True, kwargs=dict(activation="gelu"), spelled=dict(gelu=True),
      call=lambda m, x, mask, padding: m(x, src_mask=mask, src_key_padding_mask=padding))
layer("TransformerEncoderLayer", lambda: real(5, 3, 8), d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, spelled=dict(is_causal=True),
      call=lambda m, x: m(x, src_mask=(x.new_ones((5, 5)).triu(1) > 0)))


def decoder(m, x, memory, *masks):
    return m(x, memory, **{k: v for k, v in zip(("tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"), masks)})


layer("TransformerDecoderLayer", lambda: real(5, 3, 8), lambda: real(6, 3, 8), d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, call=decoder)
layer("TransformerDecoderLayer", lambda: real(3, 5, 8), lambda: real(3, 6, 8), lambda: later(5), lambda: real(5, 6), lambda: padded(3, 5), lambda: padded(3, 6),
      d_model=8, nhead=4, dim_feedforward=16, dropout=0.0, batch_first=True, norm_first=True, kwargs=dict(activation="gelu"), spelled=dict(gelu=True), call=decoder)


def stack(kind, layers, norm, **kwargs):
    def make(nn):
        one = getattr(nn, f"Transformer{kind}Layer")(d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, **kwargs)
        return getattr(nn, f"Transformer{kind}")(one, layers, nn.LayerNorm(8) if norm else None)
    return make


for kind, extra, call in (("Encoder", [], None), ("Decoder", [lambda: real(6, 3, 8)], decoder)):
    for norm in (False, True):
        layer(f"Transformer{kind}", lambda: real(5, 3, 8), *extra, d_model=8, nhead=2, num_layers=2, norm=norm, dim_feedforward=16, dropout=0.0, norm_first=norm,
              make=stack(kind, 2, norm, norm_first=norm), call=call)


def whole(m, src, tgt, *masks):
    return m(src, tgt, **{k: v for k, v in zip(("src_mask", "tgt_mask", "memory_mask", "src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask"), masks)})


small = dict(d_model=8, nhead=2, num_encoder_layers=2, num_decoder_layers=1, dim_feedforward=16, dropout=0.0)
layer("Transformer", lambda: real(6, 3, 8), lambda: real(5, 3, 8), call=whole, **small)
layer("Transformer", lambda: real(3, 6, 8), lambda: real(3, 5, 8), lambda: real(6, 6), lambda: later(5), lambda: real(5, 6), lambda: padded(3, 6), lambda: padded(3, 5),
      lambda: padded(3, 6), batch_first=True, norm_first=True, kwargs=dict(activation="gelu"), spelled=dict(gelu=True), call=whole, **small)


def turned(x, positions=None, dim=4, theta=10000.0, interleaved=False):
    """The first dim elements as complex numbers, each turned by position / theta^(2 i / dim)."""
    positions = torch.arange(x.shape[-2]) if positions is None else positions
    angle = positions.double()[..., None] * theta ** (-torch.arange(0, dim, 2).double() / dim)
    if angle.dim() > 2:
        angle = angle.reshape(angle.shape[0], *[1] * (x.dim() - 3), *angle.shape[1:])
    a, b = (x[..., 0:dim:2], x[..., 1:dim:2]) if interleaved else (x[..., :dim // 2], x[..., dim // 2:dim])
    re, im = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
    out = torch.stack((re, im), -1).flatten(-2) if interleaved else torch.cat((re, im), -1)
    return torch.cat((out, x[..., dim:]), -1)


layer("RotaryEmbedding", lambda: real(2, 3, 5, 6), dim=4, peer=formula(turned))
layer("RotaryEmbedding", lambda: real(2, 3, 5, 6), lambda: index(40, 2, 5), dim=6, theta=100.0, interleaved=True,
      peer=formula(lambda x, p: turned(x, p, 6, 100.0, True)))
layer("KVCache", lambda: real(2, 3, 4, 5), lambda: real(2, 3, 4, 5), batch_size=2, num_heads=3, max_length=7, head_dim=5, gradients=0,
      peer=formula(lambda k, v: (k, v)))

# ---- parametrizations, windows at random, many classes --------------------------------------------------------------------
layer("WeightNorm", lambda: positive(4, 1), lambda: spread(4, 3), make=lambda nn: nn.utils.parametrizations._WeightNorm(0),
      peer=formula(lambda g, v: g * v / v.norm(dim=1, keepdim=True)))
layer("WeightNorm", lambda: positive(3), lambda: spread(4, 3), dim=1, make=lambda nn: nn.utils.parametrizations._WeightNorm(1),
      peer=formula(lambda g, v: g * v / v.norm(dim=0)))
layer("WeightNorm", lambda: positive(), lambda: spread(2, 3, 2), dim=-1, make=lambda nn: nn.utils.parametrizations._WeightNorm(None),
      peer=formula(lambda g, v: g * v / v.norm()))
layer("SpectralNorm", lambda: spread(5), make=lambda nn: nn.utils.parametrizations._SpectralNorm(nn.Linear(1, 5).bias.detach()),
      peer=formula(lambda w: w / w.norm()))


def signed(rows, columns):
    """What reflections are told by: 1 and -1 on the diagonal."""
    x = real(rows, columns)
    x.diagonal().copy_(torch.tensor([1.0, -1.0, 1.0])[:min(rows, columns)])
    return x


for number, word in ((1, "matrix_exp"), (2, "cayley"), (3, "householder")):
    for rows, columns in ((4, 3), (2, 5), (3, 3)):
        layer("Orthogonal", (lambda r=rows, c=columns: signed(r, c)) if number == 3 else lambda r=rows, c=columns: real(r, c),
              spelled=dict(orthogonal_map=word, use_trivialization=False), make=lambda nn, n=number: nn.utils.parametrizations._Orthogonal(n, False),
              peer=lambda r=rows, c=columns, n=number: parametrizations._Orthogonal(torch.empty(r, c), parametrizations._OrthMaps(n),
                                                                                     use_trivialization=False))
# As many windows as there are places: nothing is left to chance.
layer("FractionalMaxPool2d", lambda: spread(2, 3, 6, 5), kernel_size=(2, 3), output_size=(5, 3))
layer("FractionalMaxPool2d", lambda: spread(3, 5, 5), kernel_size=(2,), output_size=(4,), return_indices=True, kwargs=dict(kernel_size=2, output_size=4))
layer("FractionalMaxPool3d", lambda: spread(2, 2, 3, 4, 5), kernel_size=(2, 2, 3), output_size=(2, 3, 3),
      peer=formula(lambda x: F.max_pool3d(x, (2, 2, 3), 1)))  # PyTorch wants fewer windows than places
for n, size in ((2, (6, 7)), (3, (5, 6, 7))):
    layer(f"FractionalMaxPool{n}d", lambda s=size: spread(2, 3, *s), lambda n=n: torch.rand(2, 3, n, dtype=F64), kernel_size=(2,) * n, output_size=(3,) * n,
          peer=formula(lambda x, samples, f=getattr(F, f"fractional_max_pool{n}d"): f(x, 2, 3, _random_samples=samples)), gradients=1,
          # The classes have their samples, in other languages they are an input.
          call=lambda m, x, samples: (setattr(m, "_random_samples", samples), m(x))[1] if hasattr(m, "_random_samples") else m(x, samples))
layer("AdaptiveLogSoftmaxWithLoss", lambda: real(9, 6), lambda: index(12, 9), in_features=6, n_classes=12, cutoffs=(3, 7), div_value=2.0)
layer("AdaptiveLogSoftmaxWithLoss", lambda: real(6), lambda: index(12), in_features=6, n_classes=12, cutoffs=(5,), head_bias=True)



class LinearCrossEntropyLoss(nn.Module):
    """As PyTorch 2.15 has it."""

    def __init__(self, in_features, num_classes, out_features=(), bias=False, weight=None, **options):
        super().__init__()
        self.sizes, self.options = (num_classes, *out_features), options
        self.linear = nn.Linear(in_features, math.prod(self.sizes), bias)
        self.register_buffer("weight", weight)

    def forward(self, x, target):
        return F.cross_entropy(self.linear(x).reshape(*x.shape[:-1], *self.sizes), target, self.weight, **self.options)


for inputs, options in (((lambda: real(9, 6), lambda: index(5, 9)), {}),
                        ((lambda: real(9, 6), lambda: index(5, 9)), dict(bias=True, weight=positive(5), reduction="sum", ignore_index=2, label_smoothing=0.1)),
                        ((lambda: real(4, 6), lambda: index(5, 4, 3, 2)), dict(out_features=(3, 2), bias=True, reduction="none")),
                        ((lambda: real(4, 6), lambda: real(4, 5).softmax(1)), dict(label_smoothing=0.2)),
                        ((lambda: real(6), lambda: index(5)), dict(reduction="none"))):
    layer("LinearCrossEntropyLoss", *inputs, in_features=6, num_classes=5, **options, gradients=1, peer=lambda o=options: LinearCrossEntropyLoss(6, 5, **o))

# ---- mixed precision: bfloat16 as PyTorch chooses it ----------------------------------------------------------------------
layer("MultiheadAttention", lambda: real(7, 3, 16), lambda: real(6, 3, 16), lambda: real(6, 3, 16), embed_dim=16, num_heads=2, spelled=dict(need_weights=False),
      call=lambda m, *x: attention(m, *x, need_weights=False)[0], mode="autocast")
layer("TransformerEncoderLayer", lambda: real(5, 3, 16), d_model=16, nhead=2, dim_feedforward=32, dropout=0.0, kwargs=dict(activation="gelu"), spelled=dict(gelu=True),
      mode="autocast")
layer("LayerNorm", lambda: real(4, 3, 5), normalized_shape=(5,), mode="autocast")
layer("BatchNorm2d", lambda: real(3, 4, 5, 6), num_features=4, mode="autocast")
layer("GELU", lambda: real(4, 5), mode="autocast")
layer("Softmax", lambda: real(4, 5), dim=1, mode="autocast")
layer("Embedding", lambda: index(6, 3, 4), num_embeddings=6, embedding_dim=5, mode="autocast")
layer("AvgPool3d", lambda: real(2, 3, 6, 5, 4), kernel_size=(2, 2, 2), mode="autocast")
