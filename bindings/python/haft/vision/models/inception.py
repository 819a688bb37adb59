"""GoogLeNet (Szegedy et al., arXiv:1409.4842) and Inception v3 (arXiv:1512.00567), with torchvision's names of modules and parameters."""
from collections import namedtuple

from ... import cat, nn, stack
from ...nn import functional as F
from .resnet import builder

__all__ = ["BasicConv2d", "GoogLeNet", "GoogLeNetOutputs", "Inception3", "InceptionOutputs", "googlenet", "inception_v3"]

GoogLeNetOutputs = namedtuple("GoogLeNetOutputs", ["logits", "aux_logits2", "aux_logits1"])
InceptionOutputs = namedtuple("InceptionOutputs", ["logits", "aux_logits"])


class BasicConv2d(nn.Module):
    """A convolution without bias, batch normalisation and ReLU."""

    def __init__(self, in_channels, out_channels, kernel_size=1, **kwargs):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, bias=False, **kwargs)
        self.bn = nn.BatchNorm2d(out_channels, eps=0.001)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)), inplace=True)


def _initialised(net, deviation=lambda name: 0.1):
    for name, m in net.named_modules():
        if isinstance(m, (nn.Conv2d, nn.Linear)):
            nn.init.trunc_normal_(m.weight, 0.0, deviation(name), -2, 2)


def _shifted(x):
    # From the means and deviations of ImageNet to 0.5 for all channels.
    pairs = ((0.229, 0.485), (0.224, 0.456), (0.225, 0.406))
    return stack([x[:, i] * (std / 0.5) + (mean - 0.5) / 0.5 for i, (std, mean) in enumerate(pairs)], 1)


class _Inception(nn.Module):
    def __init__(self, into, one, three_before, three, five_before, five, pooled):
        super().__init__()
        self.branch1 = BasicConv2d(into, one)
        self.branch2 = nn.Sequential(BasicConv2d(into, three_before), BasicConv2d(three_before, three, 3, padding=1))
        self.branch3 = nn.Sequential(BasicConv2d(into, five_before), BasicConv2d(five_before, five, 3, padding=1))  # 3 x 3, as torchvision's
        self.branch4 = nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), BasicConv2d(into, pooled))

    def forward(self, x):
        return cat([branch(x) for branch in self.children()], 1)


class _GoogLeNetAux(nn.Module):
    def __init__(self, into, num_classes, dropout):
        super().__init__()
        self.conv, self.fc1, self.fc2 = BasicConv2d(into, 128), nn.Linear(2048, 1024), nn.Linear(1024, num_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        y = self.conv(F.adaptive_avg_pool2d(x, (4, 4))).flatten(1)
        return self.fc2(self.dropout(F.relu(self.fc1(y), inplace=True)))


class GoogLeNet(nn.Module):
    """(N, 3, H, W) -> (N, num_classes); in training with aux_logits a GoogLeNetOutputs of three such."""

    def __init__(self, num_classes=1000, aux_logits=True, transform_input=False, init_weights=True, blocks=None, dropout=0.2, dropout_aux=0.7):
        super().__init__()
        self.aux_logits, self.transform_input = aux_logits, transform_input
        self.conv1, self.maxpool1 = BasicConv2d(3, 64, 7, stride=2, padding=3), nn.MaxPool2d(3, 2, ceil_mode=True)
        self.conv2, self.conv3 = BasicConv2d(64, 64), BasicConv2d(64, 192, 3, padding=1)
        self.maxpool2 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.inception3a, self.inception3b = _Inception(192, 64, 96, 128, 16, 32, 32), _Inception(256, 128, 128, 192, 32, 96, 64)
        self.maxpool3 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.inception4a, self.inception4b = _Inception(480, 192, 96, 208, 16, 48, 64), _Inception(512, 160, 112, 224, 24, 64, 64)
        self.inception4c, self.inception4d = _Inception(512, 128, 128, 256, 24, 64, 64), _Inception(512, 112, 144, 288, 32, 64, 64)
        self.inception4e, self.maxpool4 = _Inception(528, 256, 160, 320, 32, 128, 128), nn.MaxPool2d(2, 2, ceil_mode=True)
        self.inception5a, self.inception5b = _Inception(832, 256, 160, 320, 32, 128, 128), _Inception(832, 384, 192, 384, 48, 128, 128)
        self.aux1 = _GoogLeNetAux(512, num_classes, dropout_aux) if aux_logits else None
        self.aux2 = _GoogLeNetAux(528, num_classes, dropout_aux) if aux_logits else None
        self.avgpool, self.dropout, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Dropout(dropout), nn.Linear(1024, num_classes)
        if init_weights:
            _initialised(self, lambda name: 0.01)

    def forward(self, x):
        x = _shifted(x) if self.transform_input else x
        x = self.maxpool2(self.conv3(self.conv2(self.maxpool1(self.conv1(x)))))
        x = self.inception4a(self.maxpool3(self.inception3b(self.inception3a(x))))
        aux = self.training and self.aux_logits
        first = self.aux1(x) if aux else None
        x = self.inception4d(self.inception4c(self.inception4b(x)))
        second = self.aux2(x) if aux else None
        x = self.inception5b(self.inception5a(self.maxpool4(self.inception4e(x))))
        x = self.fc(self.dropout(self.avgpool(x).flatten(1)))
        return GoogLeNetOutputs(x, second, first) if aux else x


googlenet = builder("googlenet", "22 layers, 13.0 million parameters, 6.6 of them not auxiliary.", GoogLeNet)


class _Branches(nn.Module):
    # Of each branch the convolutions, (out, kernel) or (out, kernel, padding, stride); a list of two: both read the one before.
    # branch_pool reads what is pooled.
    def __init__(self, into, pooling, **branches):
        super().__init__()
        self._pooling, self._chains = pooling, {}
        for branch, chain in branches.items():
            width, self._chains[branch] = into, []
            for i, step in enumerate(chain, 1):
                convs = step if isinstance(step, list) else [step]
                names = [branch if len(chain) == 1 else f"{branch}_{i}{letter}" for letter in ("ab" if len(convs) > 1 else [""])]
                for name, (out, kernel, *rest) in zip(names, convs):
                    half = tuple(k // 2 for k in kernel) if isinstance(kernel, tuple) else kernel // 2
                    padding, stride = rest or (half, 1)
                    setattr(self, name, BasicConv2d(width, out, kernel, padding=padding, stride=stride))
                self._chains[branch].append(names)
                width = out

    def forward(self, x):
        results = []
        for branch, chain in self._chains.items():
            y = [self._pooling(x) if branch == "branch_pool" else x]
            for names in chain:
                y = [getattr(self, name)(y[0]) for name in names]
            results += y
        return cat(results if "branch_pool" in self._chains else [*results, self._pooling(x)], 1)


def _average(x):
    return F.avg_pool2d(x, 3, 1, 1)


def _highest(x):
    return F.max_pool2d(x, 3, 2)


_WIDE, _HIGH, _HALF = (1, 7), (7, 1), (3, 0, 2)  # kernels, and one of 3 x 3 with stride 2


def _a(into, pooled):
    return _Branches(into, _average, branch1x1=[(64, 1)], branch5x5=[(48, 1), (64, 5)], branch3x3dbl=[(64, 1), (96, 3), (96, 3)], branch_pool=[(pooled, 1)])


def _b(into):
    return _Branches(into, _highest, branch3x3=[(384, *_HALF)], branch3x3dbl=[(64, 1), (96, 3), (96, *_HALF)])


def _c(into, n):
    return _Branches(into, _average, branch1x1=[(192, 1)], branch7x7=[(n, 1), (n, _WIDE), (192, _HIGH)],
                     branch7x7dbl=[(n, 1), (n, _HIGH), (n, _WIDE), (n, _HIGH), (192, _WIDE)], branch_pool=[(192, 1)])


def _d(into):
    return _Branches(into, _highest, branch3x3=[(192, 1), (320, *_HALF)], branch7x7x3=[(192, 1), (192, _WIDE), (192, _HIGH), (192, *_HALF)])


def _e(into):
    both = [(384, (1, 3)), (384, (3, 1))]
    return _Branches(into, _average, branch1x1=[(320, 1)], branch3x3=[(384, 1), both], branch3x3dbl=[(448, 1), (384, 3), both], branch_pool=[(192, 1)])


class _InceptionAux(nn.Module):
    def __init__(self, into, num_classes):
        super().__init__()
        self.conv0, self.conv1, self.fc = BasicConv2d(into, 128), BasicConv2d(128, 768, 5), nn.Linear(768, num_classes)

    def forward(self, x):
        x = self.conv1(self.conv0(F.avg_pool2d(x, 5, 3)))
        return self.fc(F.adaptive_avg_pool2d(x, (1, 1)).flatten(1))


class Inception3(nn.Module):
    """(N, 3, H, W), 299 x 299 by design -> (N, num_classes); in training with aux_logits an InceptionOutputs of two such."""

    def __init__(self, num_classes=1000, aux_logits=True, transform_input=False, inception_blocks=None, init_weights=True, dropout=0.5):
        super().__init__()
        self.aux_logits, self.transform_input = aux_logits, transform_input
        self.Conv2d_1a_3x3, self.Conv2d_2a_3x3 = BasicConv2d(3, 32, 3, stride=2), BasicConv2d(32, 32, 3)
        self.Conv2d_2b_3x3, self.maxpool1 = BasicConv2d(32, 64, 3, padding=1), nn.MaxPool2d(3, 2)
        self.Conv2d_3b_1x1, self.Conv2d_4a_3x3, self.maxpool2 = BasicConv2d(64, 80), BasicConv2d(80, 192, 3), nn.MaxPool2d(3, 2)
        self.Mixed_5b, self.Mixed_5c, self.Mixed_5d, self.Mixed_6a = _a(192, 32), _a(256, 64), _a(288, 64), _b(288)
        self.Mixed_6b, self.Mixed_6c, self.Mixed_6d, self.Mixed_6e = _c(768, 128), _c(768, 160), _c(768, 160), _c(768, 192)
        self.AuxLogits = _InceptionAux(768, num_classes) if aux_logits else None
        self.Mixed_7a, self.Mixed_7b, self.Mixed_7c = _d(768), _e(1280), _e(2048)
        self.avgpool, self.dropout, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Dropout(dropout), nn.Linear(2048, num_classes)
        if init_weights:
            _initialised(self, lambda name: {"AuxLogits.conv1.conv": 0.01, "AuxLogits.fc": 0.001}.get(name, 0.1))

    def forward(self, x):
        x = _shifted(x) if self.transform_input else x
        x = self.maxpool1(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
        x = self.maxpool2(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
        x = self.Mixed_6a(self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x))))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(x))))
        aux = self.AuxLogits(x) if self.training and self.aux_logits else None
        x = self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x)))
        x = self.fc(self.dropout(self.avgpool(x).flatten(1)))
        return x if aux is None else InceptionOutputs(x, aux)


inception_v3 = builder("inception_v3", "48 layers, 27.2 million parameters, 23.8 of them not auxiliary.", Inception3)
