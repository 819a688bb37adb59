"""RegNet (Radosavovic et al., arXiv:2003.13678) and ConvNeXt (Liu et al., arXiv:2201.03545), with torchvision's names of modules and parameters."""
import math
from collections import OrderedDict
from functools import partial

from ... import full, nn
from ..ops import Conv2dNormActivation, Permute, SqueezeExcitation, StochasticDepth
from .resnet import builder

_REGNETS = {"y_400mf": (4.3, 16, 48, 27.89, 2.09, 8), "y_800mf": (6.4, 14, 56, 38.84, 2.4, 16), "y_1_6gf": (11.2, 27, 48, 20.71, 2.65, 24),
            "y_3_2gf": (19.4, 21, 80, 42.63, 2.66, 24), "y_8gf": (39.4, 17, 192, 76.82, 2.19, 56), "y_16gf": (83.6, 18, 200, 106.23, 2.48, 112),
            "y_32gf": (145.0, 20, 232, 115.89, 2.53, 232), "y_128gf": (644.8, 27, 456, 160.83, 2.52, 264),
            "x_400mf": (5.5, 22, 24, 24.48, 2.54, 16), "x_800mf": (7.3, 16, 56, 35.73, 2.28, 16), "x_1_6gf": (9.2, 18, 80, 34.01, 2.25, 24),
            "x_3_2gf": (15.3, 25, 88, 26.31, 2.25, 48), "x_8gf": (39.6, 23, 80, 49.56, 2.88, 120), "x_16gf": (54.3, 22, 216, 55.59, 2.1, 128),
            "x_32gf": (107.8, 23, 320, 69.86, 2.0, 168)}  # million parameters, then depth, w_0, w_a, w_m and the group's width of the paper

__all__ = ["ConvNeXt", "RegNet", *(f"convnext_{size}" for size in ("tiny", "small", "base", "large")), *("regnet_" + name for name in _REGNETS)]


class _RegBlock(nn.Module):
    def __init__(self, into, out, stride, group, squeeze):
        super().__init__()
        if into != out or stride != 1:
            self.proj = Conv2dNormActivation(into, out, 1, stride, activation_layer=None)
        self.f = nn.Sequential(OrderedDict(
            a=Conv2dNormActivation(into, out, 1), b=Conv2dNormActivation(out, out, 3, stride, groups=out // group),
            **({"se": SqueezeExcitation(out, round(0.25 * into))} if squeeze else {}), c=Conv2dNormActivation(out, out, 1, activation_layer=None)))
        self.activation = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.activation((self.proj(x) if hasattr(self, "proj") else x) + self.f(x))


class RegNet(nn.Module):
    """(N, 3, H, W) -> (N, num_classes). Widths grow by w_a a block from w_0 on, rounded to powers of w_m; blocks of one width are a stage, which begins with stride 2.

    Args:
        depth, w_0, w_a, w_m: how many blocks, and these widths
        group_width: channels of a group in convolutions of 3 x 3
        squeeze: weigh the channels (RegNetY)
    """

    def __init__(self, depth, w_0, w_a, w_m, group_width, squeeze, num_classes=1000):
        super().__init__()
        widths = [round(w_0 * w_m ** round(math.log((w_0 + w_a * i) / w_0) / math.log(w_m)) / 8) * 8 for i in range(depth)]
        self.stem, into, stages = Conv2dNormActivation(3, 32, 3, 2), 32, OrderedDict()
        for k, width in enumerate(sorted(set(widths)), 1):
            group, blocks = min(group_width, width), OrderedDict()
            near = max(group, int(width + group / 2) // group * group)  # a multiple of the group's
            out = near + group if near < 0.9 * width else near
            for i in range(widths.count(width)):
                blocks[f"block{k}-{i}"] = _RegBlock(into, out, 1 if i else 2, group, squeeze)
                into = out
            stages[f"block{k}"] = nn.Sequential(blocks)
        self.trunk_output, self.avgpool, self.fc = nn.Sequential(stages), nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(into, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.normal_(m.weight, 0.0, math.sqrt(2 / (m.kernel_size[0] * m.kernel_size[1] * m.out_channels)))
        nn.init.normal_(self.fc.weight, 0.0, 0.01)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x):
        return self.fc(self.avgpool(self.trunk_output(self.stem(x))).flatten(1))


globals().update((f.__name__, f) for f in (
    builder("regnet_" + name, f"{millions} million parameters.", RegNet, *shape, name[0] == "y") for name, (millions, *shape) in _REGNETS.items()))


class _LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class _NextBlock(nn.Module):
    def __init__(self, width, layer_scale, dropped):
        super().__init__()
        self.block = nn.Sequential(nn.Conv2d(width, width, 7, padding=3, groups=width), Permute([0, 2, 3, 1]), nn.LayerNorm(width, eps=1e-6),
                                   nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), Permute([0, 3, 1, 2]))
        self.layer_scale, self.stochastic_depth = nn.Parameter(full((width, 1, 1), layer_scale)), StochasticDepth(dropped, "row")

    def forward(self, x):
        return x + self.stochastic_depth(self.layer_scale * self.block(x))


class ConvNeXt(nn.Module):
    """(N, 3, H, W) -> (N, num_classes). widths, counts: of the four stages; layer_scale: with what each block begins."""

    def __init__(self, widths, counts, stochastic_depth_prob=0.0, layer_scale=1e-6, num_classes=1000):
        super().__init__()
        norm, at, layers = partial(_LayerNorm2d, eps=1e-6), 0, []
        for i, (width, count) in enumerate(zip(widths, counts)):
            layers.append(nn.Sequential(norm(widths[i - 1]), nn.Conv2d(widths[i - 1], width, 2, 2)) if i else
                          Conv2dNormActivation(3, width, 4, 4, 0, norm_layer=norm, activation_layer=None, bias=True))
            layers.append(nn.Sequential(*(_NextBlock(width, layer_scale, stochastic_depth_prob * (at + k) / (sum(counts) - 1)) for k in range(count))))
            at += count
        self.features, self.avgpool = nn.Sequential(*layers), nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(norm(widths[-1]), nn.Flatten(1), nn.Linear(widths[-1], num_classes))
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.trunc_normal_(m.weight, std=0.02)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)))


convnext_tiny = builder("convnext_tiny", "28.6 million parameters.", ConvNeXt, (96, 192, 384, 768), (3, 3, 9, 3), 0.1)
convnext_small = builder("convnext_small", "50.2 million parameters.", ConvNeXt, (96, 192, 384, 768), (3, 3, 27, 3), 0.4)
convnext_base = builder("convnext_base", "88.6 million parameters.", ConvNeXt, (128, 256, 512, 1024), (3, 3, 27, 3), 0.5)
convnext_large = builder("convnext_large", "197.8 million parameters.", ConvNeXt, (192, 384, 768, 1536), (3, 3, 27, 3), 0.5)
