"""AlexNet, VGG, SqueezeNet, MobileNetV2 and DenseNet, with torchvision's names of modules and parameters."""
from collections import OrderedDict

from ... import cat, nn
from .resnet import builder

__all__ = ["AlexNet", "DenseNet", "MobileNetV2", "SqueezeNet", "VGG", "alexnet", "densenet121", "densenet161", "densenet169", "densenet201", "mobilenet_v2",
           "squeezenet1_0", "squeezenet1_1", *(f"vgg{n}{bn}" for n in (11, 13, 16, 19) for bn in ("", "_bn"))]


class AlexNet(nn.Module):
    """(N, 3, H, W) -> (N, num_classes) (Krizhevsky, arXiv:1404.5997)."""

    def __init__(self, num_classes=1000, dropout=0.5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2))
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(256 * 36, 4096), nn.ReLU(inplace=True),
            nn.Dropout(dropout), nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, num_classes))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


alexnet = builder("alexnet", "8 layers, 61.1 million parameters.", AlexNet)


class VGG(nn.Module):
    """(N, 3, H, W) -> (N, num_classes) (Simonyan and Zisserman, arXiv:1409.1556). features: a module that gives 512 channels."""

    def __init__(self, features, num_classes=1000, init_weights=True, dropout=0.5):
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 49, 4096), nn.ReLU(True), nn.Dropout(dropout),
            nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(dropout), nn.Linear(4096, num_classes))
        if init_weights:
            for m in self.modules():
                if isinstance(m, nn.Conv2d):
                    nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                elif isinstance(m, nn.Linear):
                    nn.init.normal_(m.weight, 0, 0.01)
                if isinstance(m, (nn.Conv2d, nn.Linear)) and m.bias is not None:
                    nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))


_VGG_STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}  # convolutions of 3 x 3


def _vgg_features(depth, norm):
    layers, into = [], 3
    for count, width in zip(_VGG_STAGES[depth], (64, 128, 256, 512, 512)):
        for _ in range(count):
            layers += [nn.Conv2d(into, width, 3, padding=1), *([nn.BatchNorm2d(width)] if norm else []), nn.ReLU(inplace=True)]
            into = width
        layers.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(*layers)


def _vgg(depth, norm):
    return builder(f"vgg{depth}{'_bn' if norm else ''}", f"VGG of {depth} layers{' with batch normalisation' if norm else ''}.",
                   lambda **options: VGG(_vgg_features(depth, norm), **options))


globals().update((f.__name__, f) for f in (_vgg(depth, norm) for depth in _VGG_STAGES for norm in (False, True)))


class _Fire(nn.Module):
    def __init__(self, into, squeezed, expanded):
        super().__init__()
        self.squeeze, self.squeeze_activation = nn.Conv2d(into, squeezed, 1), nn.ReLU(inplace=True)
        self.expand1x1, self.expand1x1_activation = nn.Conv2d(squeezed, expanded, 1), nn.ReLU(inplace=True)
        self.expand3x3, self.expand3x3_activation = nn.Conv2d(squeezed, expanded, 3, padding=1), nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        return cat([self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))], 1)


class SqueezeNet(nn.Module):
    """(N, 3, H, W) -> (N, num_classes) (Iandola et al., arXiv:1602.07360). version: "1_0" or "1_1"."""

    def __init__(self, version="1_0", num_classes=1000, dropout=0.5):
        super().__init__()
        if version not in ("1_0", "1_1"):
            raise ValueError(f"Unsupported SqueezeNet version {version}: 1_0 or 1_1 expected")
        old = version == "1_0"
        layers = [nn.Conv2d(3, 96, 7, 2) if old else nn.Conv2d(3, 64, 3, 2), nn.ReLU(inplace=True)]
        pools, into = ((0, 3, 7) if old else (0, 2, 4)), 96 if old else 64
        for k, (squeezed, expanded) in enumerate([(16, 64)] * 2 + [(32, 128)] * 2 + [(48, 192)] * 2 + [(64, 256)] * 2):
            if k in pools:
                layers.append(nn.MaxPool2d(3, 2, ceil_mode=True))
            layers.append(_Fire(into, squeezed, expanded))
            into = 2 * expanded
        self.features = nn.Sequential(*layers)
        last = nn.Conv2d(512, num_classes, 1)
        self.classifier = nn.Sequential(nn.Dropout(dropout), last, nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1)))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.normal_(m.weight, 0, 0.01) if m is last else nn.init.kaiming_uniform_(m.weight)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.features(x)).flatten(1)


squeezenet1_0 = builder("squeezenet1_0", "1.25 million parameters.", SqueezeNet, "1_0")
squeezenet1_1 = builder("squeezenet1_1", "1.24 million parameters, with less than half the work of 1_0.", SqueezeNet, "1_1")


def _conv_norm(into, out, kernel=3, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(into, out, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(out), nn.ReLU6(inplace=True))


def multiple_of_8(width):
    """The nearest multiple of 8 that is no more than 10 % below."""
    near = max(8, int(width + 4) // 8 * 8)
    return near + 8 if near < 0.9 * width else near


class _InvertedResidual(nn.Module):
    def __init__(self, into, out, stride, expand_ratio):
        super().__init__()
        self.use_res_connect, wide = stride == 1 and into == out, into * expand_ratio
        self.conv = nn.Sequential(*([_conv_norm(into, wide, 1)] if expand_ratio != 1 else []), _conv_norm(wide, wide, 3, stride, wide),
                                  nn.Conv2d(wide, out, 1, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Module):
    """(N, 3, H, W) -> (N, num_classes) (Sandler et al., arXiv:1801.04381). width_mult: how wide every layer is."""

    def __init__(self, num_classes=1000, width_mult=1.0, dropout=0.2):
        super().__init__()

        def wide(channels):
            return multiple_of_8(channels * width_mult)
        into = wide(32)
        layers = [_conv_norm(3, into, stride=2)]
        for ratio, channels, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
            for k in range(count):
                layers.append(_InvertedResidual(into, wide(channels), stride if k == 0 else 1, ratio))
                into = wide(channels)
        self.last_channel = multiple_of_8(1280 * max(1.0, width_mult))
        self.features = nn.Sequential(*layers, _conv_norm(into, self.last_channel, 1))
        self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Linear(self.last_channel, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1)).flatten(1))


mobilenet_v2 = builder("mobilenet_v2", "3.5 million parameters.", MobileNetV2)


class _DenseLayer(nn.Module):
    def __init__(self, into, growth_rate, bn_size, drop_rate):
        super().__init__()
        self.norm1, self.relu1 = nn.BatchNorm2d(into), nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(into, bn_size * growth_rate, 1, bias=False)
        self.norm2, self.relu2 = nn.BatchNorm2d(bn_size * growth_rate), nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(bn_size * growth_rate, growth_rate, 3, padding=1, bias=False)
        self.drop_rate = float(drop_rate)

    def forward(self, before):
        y = self.conv1(self.relu1(self.norm1(cat(before, 1))))
        y = self.conv2(self.relu2(self.norm2(y)))
        return nn.functional.dropout(y, self.drop_rate, self.training) if self.drop_rate > 0 else y


class _DenseBlock(nn.ModuleDict):
    def __init__(self, layers, into, bn_size, growth_rate, drop_rate):
        super().__init__({f"denselayer{i + 1}": _DenseLayer(into + i * growth_rate, growth_rate, bn_size, drop_rate) for i in range(layers)})

    def forward(self, x):
        features = [x]
        for layer in self.values():
            features.append(layer(features))
        return cat(features, 1)


class DenseNet(nn.Module):
    """(N, 3, H, W) -> (N, num_classes) (Huang et al., arXiv:1608.06993). block_config: how many layers each of the blocks has."""

    def __init__(self, growth_rate=32, block_config=(6, 12, 24, 16), num_init_features=64, bn_size=4, drop_rate=0, num_classes=1000):
        super().__init__()
        width = num_init_features
        parts = OrderedDict(conv0=nn.Conv2d(3, width, 7, 2, 3, bias=False), norm0=nn.BatchNorm2d(width), relu0=nn.ReLU(inplace=True),
                            pool0=nn.MaxPool2d(3, 2, 1))
        for i, layers in enumerate(block_config, 1):
            parts[f"denseblock{i}"] = _DenseBlock(layers, width, bn_size, growth_rate, drop_rate)
            width += layers * growth_rate
            if i < len(block_config):
                parts[f"transition{i}"] = nn.Sequential(OrderedDict(
                    norm=nn.BatchNorm2d(width), relu=nn.ReLU(inplace=True), conv=nn.Conv2d(width, width // 2, 1, bias=False), pool=nn.AvgPool2d(2, 2)))
                width //= 2
        parts["norm5"] = nn.BatchNorm2d(width)
        self.features = nn.Sequential(parts)
        self.classifier = nn.Linear(width, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight)
        nn.init.zeros_(self.classifier.bias)

    def forward(self, x):
        y = nn.functional.relu(self.features(x), inplace=True)
        return self.classifier(nn.functional.adaptive_avg_pool2d(y, (1, 1)).flatten(1))


densenet121 = builder("densenet121", "8.0 million parameters.", DenseNet)
densenet161 = builder("densenet161", "28.7 million parameters.", DenseNet, 48, (6, 12, 36, 24), 96)
densenet169 = builder("densenet169", "14.1 million parameters.", DenseNet, 32, (6, 12, 32, 32), 64)
densenet201 = builder("densenet201", "20.0 million parameters.", DenseNet, 32, (6, 12, 48, 32), 64)
