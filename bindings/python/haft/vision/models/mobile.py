"""MobileNetV3 (Howard et al., arXiv:1905.02244), EfficientNet (Tan and Le, arXiv:1905.11946, 2104.00298), ShuffleNetV2 (Ma et al., arXiv:1807.11164) and MNASNet
(Tan et al., arXiv:1807.11626), with torchvision's names of modules and parameters."""
import math
from functools import partial

from ... import cat, nn
from ..ops import Conv2dNormActivation, SqueezeExcitation, StochasticDepth
from .classic import multiple_of_8
from .resnet import builder

__all__ = ["EfficientNet", "MNASNet", "MobileNetV3", "ShuffleNetV2", *(f"efficientnet_{size}" for size in ("b0", "b1", "b2", "b3", "b4", "b5", "b6",
                                                                                                           "b7", "v2_s", "v2_m", "v2_l")),
           *(f"mnasnet{size}" for size in ("0_5", "0_75", "1_0", "1_3")), "mobilenet_v3_large", "mobilenet_v3_small",
           *(f"shufflenet_v2_x{size}" for size in ("0_5", "1_0", "1_5", "2_0"))]


def initialised(net, linear=lambda m: nn.init.normal_(m.weight, 0, 0.01)):
    """Convolutions by He's rule, linear layers by that function; biases are 0."""
    for m in net.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out")
        elif isinstance(m, nn.Linear):
            linear(m)
        if isinstance(m, (nn.Conv2d, nn.Linear)) and m.bias is not None:
            nn.init.zeros_(m.bias)


class _Block(nn.Module):
    # Layers with what they read beside them, where sizes are kept.
    def __init__(self, layers, residual, dropped=0.0):
        super().__init__()
        self.block, self._residual = nn.Sequential(*layers), residual
        if dropped is not None:
            self.stochastic_depth = StochasticDepth(dropped, "row")

    def forward(self, x):
        y = self.block(x)
        if not self._residual:
            return y
        return x + (self.stochastic_depth(y) if hasattr(self, "stochastic_depth") else y)


def _inverted(into, wide, out, kernel, stride, conv, act, squeezed, dropped=None):
    layers = [conv(into, wide, 1, activation_layer=act)] if wide != into else []
    layers.append(conv(wide, wide, kernel, stride, groups=wide, activation_layer=act))
    layers += [*([] if squeezed is None else [squeezed(wide)]), conv(wide, out, 1, activation_layer=None)]
    return _Block(layers, stride == 1 and into == out, dropped)


# Kernel, width inside, width behind, squeezed, hard, stride.
_V3 = {"large": ((3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2), (5, 120, 40, 1, 0, 1), (5, 120, 40, 1, 0, 1),
                 (3, 240, 80, 0, 1, 2),
                 (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1), (5, 672, 160, 1,
                                                                                                                                       1, 2), (5, 960,
                                                                                                                                               160, 1, 1, 1),
                 (5, 960, 160, 1, 1, 1)),
       "small": ((3, 16, 16, 1, 0, 2), (3, 72, 24, 0, 0, 2), (3, 88, 24, 0, 0, 1), (5, 96, 40, 1, 1, 2), (5, 240, 40, 1, 1, 1), (5, 240, 40, 1, 1, 1),
                 (5, 120, 48, 1, 1, 1),
                 (5, 144, 48, 1, 1, 1), (5, 288, 96, 1, 1, 2), (5, 576, 96, 1, 1, 1), (5, 576, 96, 1, 1, 1))}


class MobileNetV3(nn.Module):
    """(N, 3, H, W) -> (N, num_classes). form: "large" or "small"; width_mult: how wide every layer is."""

    def __init__(self, form, num_classes=1000, dropout=0.2, width_mult=1.0):
        super().__init__()
        conv = partial(Conv2dNormActivation, norm_layer=partial(nn.BatchNorm2d, eps=0.001, momentum=0.01))

        def squeezed(wide):
            return SqueezeExcitation(wide, multiple_of_8(wide // 4), scale_activation=nn.Hardsigmoid)
        into = multiple_of_8(16 * width_mult)
        layers = [conv(3, into, stride=2, activation_layer=nn.Hardswish)]
        for kernel, wide, out, squeeze, hard, stride in _V3[form]:
            wide, out = multiple_of_8(wide * width_mult), multiple_of_8(out * width_mult)
            layers.append(_inverted(into, wide, out, kernel, stride, conv, nn.Hardswish if hard else nn.ReLU, squeezed if squeeze else None))
            into = out
        layers.append(conv(into, 6 * into, 1, activation_layer=nn.Hardswish))
        last = multiple_of_8((1280 if form == "large" else 1024) * width_mult)
        self.features, self.avgpool = nn.Sequential(*layers), nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(6 * into, last), nn.Hardswish(inplace=True), nn.Dropout(dropout, inplace=True), nn.Linear(last, num_classes))
        initialised(self)

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


mobilenet_v3_large = builder("mobilenet_v3_large", "5.5 million parameters.", MobileNetV3, "large")
mobilenet_v3_small = builder("mobilenet_v3_small", "2.5 million parameters.", MobileNetV3, "small")

# Fused, ratio of the width inside, kernel, stride, width before, width behind, blocks.
_B0 = ((0, 1, 3, 1, 32, 16, 1), (0, 6, 3, 2, 16, 24, 2), (0, 6, 5, 2, 24, 40, 2), (0, 6, 3, 2, 40, 80, 3), (0, 6, 5, 1, 80, 112, 3), (0, 6, 5, 2, 112,
                                                                                                                                      192, 4), (0, 6,
                                                                                                                                                3, 1,
                                                                                                                                                192, 320, 1))
_V2S = ((1, 1, 3, 1, 24, 24, 2), (1, 4, 3, 2, 24, 48, 4), (1, 4, 3, 2, 48, 64, 4), (0, 4, 3, 2, 64, 128, 6), (0, 6, 3, 1, 128, 160, 9), (0, 6, 3, 2,
                                                                                                                                         160, 256, 15))
_V2M = ((1, 1, 3, 1, 24, 24, 3), (1, 4, 3, 2, 24, 48, 5), (1, 4, 3, 2, 48, 80, 5), (0, 4, 3, 2, 80, 160, 7), (0, 6, 3, 1, 160, 176, 14), (0, 6, 3, 2,
                                                                                                                                          176, 304, 18),
        (0, 6, 3, 1, 304, 512, 5))
_V2L = ((1, 1, 3, 1, 32, 32, 4), (1, 4, 3, 2, 32, 64, 7), (1, 4, 3, 2, 64, 96, 7), (0, 4, 3, 2, 96, 192, 10), (0, 6, 3, 1, 192, 224, 19), (0, 6, 3, 2,
                                                                                                                                           224, 384, 25),
        (0, 6, 3, 1, 384, 640, 7))


class EfficientNet(nn.Module):
    """(N, 3, H, W) -> (N, num_classes).

    Args:
        stages: (fused, ratio of the width inside, kernel, stride, width before, width behind, blocks) of each
        width_mult, depth_mult: how wide and deep these become
        last_channel: width before the classifier; None: four times the last
    """

    def __init__(self, stages, width_mult=1.0, depth_mult=1.0, dropout=0.2, stochastic_depth_prob=0.2, num_classes=1000, norm_layer=nn.BatchNorm2d,
                 last_channel=None):
        super().__init__()
        conv = partial(Conv2dNormActivation, norm_layer=norm_layer, activation_layer=nn.SiLU)
        silu = partial(nn.SiLU, inplace=True)
        counts = [math.ceil(stage[-1] * depth_mult) for stage in stages]
        layers, at = [conv(3, multiple_of_8(stages[0][4] * width_mult), stride=2)], 0
        for (fused, ratio, kernel, stride, into, out, _), count in zip(stages, counts):
            into, out, blocks = multiple_of_8(into * width_mult), multiple_of_8(out * width_mult), []
            for k in range(count):
                before, step, wide = (into, stride, multiple_of_8(into * ratio)) if k == 0 else (out, 1, multiple_of_8(out * ratio))
                dropped = stochastic_depth_prob * at / sum(counts)
                if not fused:
                    def squeezed(width, by=max(1, before // 4)):
                        return SqueezeExcitation(width, by, activation=silu)
                    blocks.append(_inverted(before, wide, out, kernel, step, conv, nn.SiLU, squeezed, dropped))
                else:
                    parts = [conv(before, out, kernel, step)] if wide == before else [conv(before, wide, kernel, step), conv(wide, out, 1,
                                                                                                                             activation_layer=None)]
                    blocks.append(_Block(parts, step == 1 and before == out, dropped))
                at += 1
            layers.append(nn.Sequential(*blocks))
        last = last_channel or 4 * out
        self.features, self.avgpool = nn.Sequential(*layers, conv(out, last, 1)), nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(dropout, inplace=True), nn.Linear(last, num_classes))
        initialised(self, lambda m: nn.init.uniform_(m.weight, -1 / math.sqrt(m.out_features), 1 / math.sqrt(m.out_features)))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


def _efficientnet(name, millions, *fixed, eps=None, **usual):
    if eps is not None:
        usual["norm_layer"] = partial(nn.BatchNorm2d, eps=0.001, **eps)
    return builder("efficientnet_" + name, f"{millions} million parameters.", EfficientNet, *fixed, **usual)


_SLOW = {"momentum": 0.01}
globals().update((f.__name__, f) for f in (
    _efficientnet("b0", 5.3, _B0), _efficientnet("b1", 7.8, _B0, 1.0, 1.1), _efficientnet("b2", 9.1, _B0, 1.1, 1.2, 0.3), _efficientnet("b3", 12.2,
                                                                                                                                        _B0, 1.2, 1.4, 0.3),
    _efficientnet("b4", 19.3, _B0, 1.4, 1.8, 0.4), _efficientnet("b5", 30.4, _B0, 1.6, 2.2, 0.4, eps=_SLOW), _efficientnet("b6", 43.0, _B0, 1.8, 2.6,
                                                                                                                           0.5, eps=_SLOW),
    _efficientnet("b7", 66.3, _B0, 2.0, 3.1, 0.5, eps=_SLOW), _efficientnet("v2_s", 21.5, _V2S, eps={}, last_channel=1280),
    _efficientnet("v2_m", 54.1, _V2M, dropout=0.3, eps={}, last_channel=1280), _efficientnet("v2_l", 118.5, _V2L, dropout=0.4, eps={}, last_channel=1280)))


def _relu(conv):
    return [conv, nn.BatchNorm2d(conv.out_channels), nn.ReLU(inplace=True)]


def _depthwise(width, stride):
    return nn.Conv2d(width, width, 3, stride, 1, groups=width, bias=False)


class _Shuffled(nn.Module):
    def __init__(self, into, out, stride):
        super().__init__()
        half = out // 2
        self.branch1 = nn.Sequential(*([_depthwise(into, stride), nn.BatchNorm2d(into), *_relu(nn.Conv2d(into, half, 1, bias=False))] if stride > 1 else []))
        self.branch2 = nn.Sequential(*_relu(nn.Conv2d(into if stride > 1 else half, half, 1, bias=False)), _depthwise(half, stride), nn.BatchNorm2d(half),
                                     *_relu(nn.Conv2d(half, half, 1, bias=False)))

    def forward(self, x):
        left, right = (self.branch1(x), x) if len(self.branch1) else x.chunk(2, 1)
        return nn.functional.channel_shuffle(cat([left, self.branch2(right)], 1), 2)


class ShuffleNetV2(nn.Module):
    """(N, 3, H, W) -> (N, num_classes). stages_repeats: blocks of the three stages; stages_out_channels: widths of the first layer, the stages and the last one."""

    def __init__(self, stages_repeats, stages_out_channels, num_classes=1000):
        super().__init__()
        into, *stages, last = stages_out_channels
        self.conv1, self.maxpool = nn.Sequential(*_relu(nn.Conv2d(3, into, 3, 2, 1, bias=False))), nn.MaxPool2d(3, 2, 1)
        for i, (count, out) in enumerate(zip(stages_repeats, stages), 2):
            setattr(self, f"stage{i}", nn.Sequential(_Shuffled(into, out, 2), *(_Shuffled(out, out, 1) for _ in range(count - 1))))
            into = out
        self.conv5, self.fc = nn.Sequential(*_relu(nn.Conv2d(into, last, 1, bias=False))), nn.Linear(last, num_classes)

    def forward(self, x):
        x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
        return self.fc(self.conv5(x).mean([2, 3]))


globals().update((f.__name__, f) for f in (
    builder(f"shufflenet_v2_x{size}", f"{millions} million parameters.", ShuffleNetV2, [4, 8, 4], [24, *widths])
    for size, millions, *widths in (("0_5", 1.4, 48, 96, 192, 1024), ("1_0", 2.3, 116, 232, 464, 1024), ("1_5", 3.5, 176, 352, 704, 1024), ("2_0", 7.4,
                                                                                                                                            244, 488,
                                                                                                                                            976, 2048))))


class _Mnas(nn.Module):
    def __init__(self, into, out, kernel, stride, ratio, norm):
        super().__init__()
        wide, self._residual = into * ratio, into == out and stride == 1
        self.layers = nn.Sequential(nn.Conv2d(into, wide, 1, bias=False), norm(wide), nn.ReLU(inplace=True),
                                    nn.Conv2d(wide, wide, kernel, stride, kernel // 2, groups=wide, bias=False), norm(wide), nn.ReLU(inplace=True),
                                    nn.Conv2d(wide, out, 1, bias=False), norm(out))

    def forward(self, x):
        return self.layers(x) + x if self._residual else self.layers(x)


class MNASNet(nn.Module):
    """(N, 3, H, W) -> (N, num_classes). alpha: how wide every layer is."""

    def __init__(self, alpha, num_classes=1000, dropout=0.2):
        super().__init__()
        norm = partial(nn.BatchNorm2d, momentum=1 - 0.9997)
        first, into, *widths = (multiple_of_8(width * alpha) for width in (32, 16, 24, 40, 80, 96, 192, 320))
        layers = [nn.Conv2d(3, first, 3, 2, 1, bias=False), norm(first), nn.ReLU(inplace=True), _depthwise(first, 1), norm(first), nn.ReLU(inplace=True),
                  nn.Conv2d(first, into, 1, bias=False), norm(into)]
        for out, kernel, stride, ratio, count in zip(widths, (3, 5, 5, 3, 5, 3), (2, 2, 2, 1, 2, 1), (3, 3, 6, 6, 6, 6), (3, 3, 3, 2, 4, 1)):
            layers.append(nn.Sequential(*(_Mnas(out if k else into, out, kernel, 1 if k else stride, ratio, norm) for k in range(count))))
            into = out
        self.layers = nn.Sequential(*layers, nn.Conv2d(into, 1280, 1, bias=False), norm(1280), nn.ReLU(inplace=True))
        self.classifier = nn.Sequential(nn.Dropout(dropout, inplace=True), nn.Linear(1280, num_classes))
        initialised(self, lambda m: nn.init.kaiming_uniform_(m.weight, mode="fan_out", nonlinearity="sigmoid"))

    def forward(self, x):
        return self.classifier(self.layers(x).mean([2, 3]))


globals().update((f.__name__, f) for f in (
    builder(f"mnasnet{size}", f"{millions} million parameters.", MNASNet, alpha) for size, millions, alpha in (("0_5", 2.2, 0.5), ("0_75", 3.2, 0.75),
                                                                                                               ("1_0", 4.4, 1.0), ("1_3", 6.3, 1.3))))
