"""Vision transformers (Dosovitskiy et al., arXiv:2010.11929) and Swin transformers (Liu et al., arXiv:2103.14030), with torchvision's names of modules and parameters."""
import math
from collections import OrderedDict
from functools import partial

from ... import arange, cat, meshgrid, nn, stack, zeros
from ...nn import functional as F
from ..ops import MLP, Permute, StochasticDepth
from .resnet import builder

__all__ = ["SwinTransformer", "VisionTransformer", "swin_b", "swin_s", "swin_t", "vit_b_16", "vit_b_32", "vit_h_14", "vit_l_16", "vit_l_32"]


def _mlp(width, inside, dropout):
    mlp = MLP(width, [inside, width], activation_layer=nn.GELU, dropout=dropout)
    for m in mlp:
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            nn.init.normal_(m.bias, std=1e-6)
    return mlp


class _EncoderBlock(nn.Module):
    def __init__(self, heads, width, inside, dropout, attention_dropout, norm):
        super().__init__()
        self.ln_1 = norm(width)
        self.self_attention = nn.MultiheadAttention(width, heads, dropout=attention_dropout, batch_first=True)
        self.dropout, self.ln_2, self.mlp = nn.Dropout(dropout), norm(width), _mlp(width, inside, dropout)

    def forward(self, x):
        y = self.ln_1(x)
        x = x + self.dropout(self.self_attention(y, y, y, need_weights=False)[0])
        return x + self.mlp(self.ln_2(x))


class _Encoder(nn.Module):
    def __init__(self, tokens, layers, heads, width, inside, dropout, attention_dropout, norm):
        super().__init__()
        self.pos_embedding, self.dropout = nn.Parameter(zeros(1, tokens, width).normal_(std=0.02)), nn.Dropout(dropout)
        self.layers = nn.Sequential(OrderedDict((f"encoder_layer_{i}", _EncoderBlock(heads, width, inside, dropout, attention_dropout,
                                                                                     norm)) for i in range(layers)))
        self.ln = norm(width)

    def forward(self, x):
        return self.ln(self.layers(self.dropout(x + self.pos_embedding)))


class VisionTransformer(nn.Module):
    """(N, 3, image_size, image_size) -> (N, num_classes): squares of patch_size are words, behind one for the class."""

    def __init__(self, image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, dropout=0.0, attention_dropout=0.0, num_classes=1000,
                 representation_size=None, norm_layer=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        if image_size % patch_size:
            raise ValueError("Input shape indivisible by patch size!")
        self.image_size, self.patch_size, self.hidden_dim = image_size, patch_size, hidden_dim
        self.conv_proj, self.class_token = nn.Conv2d(3, hidden_dim, patch_size, patch_size), nn.Parameter(zeros(1, 1, hidden_dim))
        self.encoder = _Encoder((image_size // patch_size) ** 2 + 1, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer)
        before = {} if representation_size is None else {"pre_logits": nn.Linear(hidden_dim, representation_size), "act": nn.Tanh()}
        self.heads = nn.Sequential(OrderedDict(**before, head=nn.Linear(representation_size or hidden_dim, num_classes)))
        nn.init.trunc_normal_(self.conv_proj.weight, std=math.sqrt(1 / (3 * patch_size ** 2)))
        nn.init.zeros_(self.conv_proj.bias)
        nn.init.zeros_(self.heads.head.weight)
        nn.init.zeros_(self.heads.head.bias)

    def forward(self, x):
        if tuple(x.shape[-2:]) != (self.image_size, self.image_size):
            raise AssertionError(f"Wrong image height or width! Expected {self.image_size} but got {tuple(x.shape[-2:])}!")
        x = self.conv_proj(x).flatten(2).permute(0, 2, 1)
        return self.heads(self.encoder(cat([self.class_token.expand(x.size(0), -1, -1), x], 1))[:, 0])


def _vit(name, millions, patch, layers, heads, width, inside):
    return builder(name, f"{millions} million parameters, for images of 224 x 224.", VisionTransformer, image_size=224, patch_size=patch,
                   num_layers=layers, num_heads=heads,
                   hidden_dim=width, mlp_dim=inside)


vit_b_16, vit_b_32 = _vit("vit_b_16", 86.6, 16, 12, 12, 768, 3072), _vit("vit_b_32", 88.2, 32, 12, 12, 768, 3072)
vit_l_16, vit_l_32 = _vit("vit_l_16", 304.3, 16, 24, 16, 1024, 4096), _vit("vit_l_32", 306.5, 32, 24, 16, 1024, 4096)
vit_h_14 = _vit("vit_h_14", 632.0, 14, 32, 16, 1280, 5120)


class _PatchMerging(nn.Module):
    def __init__(self, width, norm):
        super().__init__()
        self.reduction, self.norm = nn.Linear(4 * width, 2 * width, bias=False), norm(4 * width)

    def forward(self, x):
        x = F.pad(x, (0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2))
        return self.reduction(self.norm(cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)))


class _WindowAttention(nn.Module):
    def __init__(self, width, window, shift, heads, attention_dropout, dropout):
        super().__init__()
        self.window_size, self.shift_size, self.num_heads = window, shift, heads
        self.attention_dropout, self.dropout = attention_dropout, dropout
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        table = nn.Parameter(zeros((2 * window[0] - 1) * (2 * window[1] - 1), heads))
        self.relative_position_bias_table = nn.init.trunc_normal_(table, std=0.02)
        places = stack(meshgrid(arange(window[0]), arange(window[1]), indexing="ij")).flatten(1)
        apart = (places[:, :, None] - places[:, None, :]).permute(1, 2, 0)
        self.register_buffer("relative_position_index", ((apart[..., 0] + window[0] - 1) * (2 * window[1] - 1) + apart[..., 1] + window[1] - 1).flatten())

    def _cut(self, x):
        # (N, H, W, C) to (N * windows, window, C).
        n, h, w, c = x.shape
        a, b = self.window_size
        return x.view(n, h // a, a, w // b, b, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, a * b, c)

    def _mask(self, h, w, shift):
        # What has come round the edge sees only its like.
        regions = zeros(1, h, w, 1)
        cuts = [((0, -a), (-a, -s), (-s, None)) for a, s in zip(self.window_size, shift)]
        for i, (top, bottom) in enumerate(cuts[0]):
            for j, (left, right) in enumerate(cuts[1]):
                regions[:, top:bottom, left:right] = 3 * i + j
        regions = self._cut(regions).squeeze(2)
        return zeros(regions.size(0), regions.size(1), regions.size(1)).masked_fill(regions[:, None, :] != regions[:, :, None], -100.0)

    def forward(self, x):
        n, h, w, c = x.shape
        (a, b), heads = self.window_size, self.num_heads
        x = F.pad(x, (0, 0, 0, -w % b, 0, -h % a))
        high, wide = x.shape[1:3]
        shift = [0 if side >= whole else s for s, side, whole in zip(self.shift_size, (a, b), (high, wide))]
        if any(shift):
            x = x.roll((-shift[0], -shift[1]), (1, 2))
        q, k, v = self.qkv(self._cut(x)).reshape(-1, a * b, 3, heads, c // heads).permute(2, 0, 3, 1, 4)
        bias = self.relative_position_bias_table[self.relative_position_index].view(a * b, a * b, heads).permute(2, 0, 1)
        if any(shift):
            mask = self._mask(high, wide, shift).to(device=x.device, dtype=x.dtype)
            bias = (bias + mask[:, None]).repeat(n, 1, 1, 1)
        y = F.scaled_dot_product_attention(q, k, v, bias, self.attention_dropout if self.training else 0.0)
        y = F.dropout(self.proj(y.transpose(1, 2).reshape(-1, a * b, c)), self.dropout, self.training)
        y = y.view(n, high // a, wide // b, a, b, c).permute(0, 1, 3, 2, 4, 5).reshape(n, high, wide, c)
        if any(shift):
            y = y.roll(tuple(shift), (1, 2))
        return y[:, :h, :w]


class _SwinBlock(nn.Module):
    def __init__(self, width, heads, window, shift, ratio, dropout, attention_dropout, dropped, norm):
        super().__init__()
        self.norm1, self.attn = norm(width), _WindowAttention(width, window, shift, heads, attention_dropout, dropout)
        self.stochastic_depth, self.norm2, self.mlp = StochasticDepth(dropped, "row"), norm(width), _mlp(width, int(width * ratio), dropout)

    def forward(self, x):
        x = x + self.stochastic_depth(self.attn(self.norm1(x)))
        return x + self.stochastic_depth(self.mlp(self.norm2(x)))


class SwinTransformer(nn.Module):
    """(N, 3, H, W) -> (N, num_classes): attention within windows, which every second block shifts by half. depths, num_heads: of the stages, each of which but the
    first joins 2 x 2 places."""

    def __init__(self, patch_size, embed_dim, depths, num_heads, window_size, mlp_ratio=4.0, dropout=0.0, attention_dropout=0.0,
                 stochastic_depth_prob=0.1, num_classes=1000,
                 norm_layer=partial(nn.LayerNorm, eps=1e-5)):
        super().__init__()
        layers = [nn.Sequential(nn.Conv2d(3, embed_dim, patch_size, patch_size), Permute([0, 2, 3, 1]), norm_layer(embed_dim))]
        width, at = embed_dim, 0
        for i, (depth, heads) in enumerate(zip(depths, num_heads)):
            if i:
                layers.append(_PatchMerging(width, norm_layer))
                width *= 2
            layers.append(nn.Sequential(*(
                _SwinBlock(width, heads, window_size, [0 if k % 2 == 0 else n // 2 for n in window_size], mlp_ratio, dropout, attention_dropout,
                           stochastic_depth_prob * (at + k) / (sum(depths) - 1), norm_layer) for k in range(depth))))
            at += depth
        self.features, self.norm = nn.Sequential(*layers), norm_layer(width)
        self.permute, self.avgpool, self.flatten = Permute([0, 3, 1, 2]), nn.AdaptiveAvgPool2d(1), nn.Flatten(1)
        self.head = nn.Linear(width, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.trunc_normal_(m.weight, std=0.02)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.head(self.flatten(self.avgpool(self.permute(self.norm(self.features(x))))))


def _swin(name, millions, width, depths, heads, dropped):
    return builder(name, f"{millions} million parameters.", SwinTransformer, [4, 4], width, depths, heads, [7, 7], stochastic_depth_prob=dropped)


swin_t = _swin("swin_t", 28.3, 96, [2, 2, 6, 2], [3, 6, 12, 24], 0.2)
swin_s = _swin("swin_s", 49.6, 96, [2, 2, 18, 2], [3, 6, 12, 24], 0.3)
swin_b = _swin("swin_b", 87.8, 128, [2, 2, 18, 2], [4, 8, 16, 32], 0.5)
