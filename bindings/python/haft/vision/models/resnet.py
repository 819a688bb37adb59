"""Residual networks (He et al., arXiv:1512.03385), with torchvision's names of modules and parameters."""
from ... import nn

__all__ = ["BasicBlock", "Bottleneck", "ResNet", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152",
           "resnext50_32x4d", "resnext101_32x8d", "wide_resnet50_2", "wide_resnet101_2"]


def refuse_weights(weights):
    """Trained weights come from files."""
    if weights:
        raise ValueError("haft downloads no weights: make the network without them, and net.load_state_dict(haft.load(path))")


def _conv3x3(into, out, stride=1, groups=1, dilation=1):
    return nn.Conv2d(into, out, 3, stride, dilation, dilation, groups, bias=False)


def _conv1x1(into, out, stride=1):
    return nn.Conv2d(into, out, 1, stride, bias=False)


class BasicBlock(nn.Module):
    """Two convolutions of 3 x 3 beside the identity."""

    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1, norm_layer=None):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        if groups != 1 or base_width != 64:
            raise ValueError("BasicBlock only supports groups=1 and base_width=64")
        if dilation > 1:
            raise NotImplementedError("Dilation > 1 not supported in BasicBlock")
        self.conv1 = _conv3x3(inplanes, planes, stride)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = _conv3x3(planes, planes)
        self.bn2 = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        beside = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(y)) + beside)


class Bottleneck(nn.Module):
    """1 x 1, 3 x 3 and 1 x 1 beside the identity."""

    expansion = 4

    def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1, norm_layer=None):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = _conv1x1(inplanes, width)
        self.bn1 = norm(width)
        self.conv2 = _conv3x3(width, width, stride, groups, dilation)
        self.bn2 = norm(width)
        self.conv3 = _conv1x1(width, planes * self.expansion)
        self.bn3 = norm(planes * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        beside = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + beside)


class ResNet(nn.Module):
    """(N, 3, H, W) -> (N, num_classes). layers: how many blocks each of the four stages has."""

    def __init__(self, block, layers, num_classes=1000, zero_init_residual=False, groups=1, width_per_group=64,
                 replace_stride_with_dilation=None, norm_layer=None):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2d
        dilate = [False] * 3 if replace_stride_with_dilation is None else list(replace_stride_with_dilation)
        if len(dilate) != 3:
            raise ValueError(f"replace_stride_with_dilation should be None or a 3-element tuple, got {replace_stride_with_dilation}")
        self._make = {"groups": groups, "base_width": width_per_group, "norm_layer": norm}
        self.inplanes, self.dilation = 64, 1
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = norm(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self._stage(block, 64, layers[0])
        self.layer2 = self._stage(block, 128, layers[1], 2, dilate[0])
        self.layer3 = self._stage(block, 256, layers[2], 2, dilate[1])
        self.layer4 = self._stage(block, 512, layers[3], 2, dilate[2])
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)
        del self._make
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            # Each block begins as the identity.
            if zero_init_residual and isinstance(m, (Bottleneck, BasicBlock)):
                nn.init.zeros_((m.bn3 if isinstance(m, Bottleneck) else m.bn2).weight)

    def _stage(self, block, planes, count, stride=1, dilate=False):
        before = self.dilation
        if dilate:
            self.dilation *= stride
            stride = 1
        down = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            down = nn.Sequential(_conv1x1(self.inplanes, planes * block.expansion, stride), self._make["norm_layer"](planes * block.expansion))
        blocks = [block(self.inplanes, planes, stride, down, dilation=before, **self._make)]
        self.inplanes = planes * block.expansion
        blocks += [block(self.inplanes, planes, dilation=self.dilation, **self._make) for _ in range(1, count)]
        return nn.Sequential(*blocks)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


def builder(name, text, build, *fixed, **usual):
    """A function that makes a network: build(*fixed, **options), where options that are not given are the usual ones."""
    def make(*, weights=None, **kwargs):
        refuse_weights(weights or kwargs.pop("pretrained", False))
        kwargs.pop("progress", None)
        return build(*fixed, **{**usual, **kwargs})
    make.__name__ = make.__qualname__ = name
    make.__doc__ = text
    return make


def _network(name, text, block, layers, **usual):
    return builder(name, text, ResNet, block, layers, **usual)


resnet18 = _network("resnet18", "18 layers, 11.7 million parameters.", BasicBlock, [2, 2, 2, 2])
resnet34 = _network("resnet34", "34 layers, 21.8 million parameters.", BasicBlock, [3, 4, 6, 3])
resnet50 = _network("resnet50", "50 layers, 25.6 million parameters.", Bottleneck, [3, 4, 6, 3])
resnet101 = _network("resnet101", "101 layers, 44.5 million parameters.", Bottleneck, [3, 4, 23, 3])
resnet152 = _network("resnet152", "152 layers, 60.2 million parameters.", Bottleneck, [3, 8, 36, 3])
resnext50_32x4d = _network("resnext50_32x4d", "50 layers of 32 groups (Xie et al., arXiv:1611.05431), 25.0 million parameters.", Bottleneck, [3, 4, 6, 3],
                           groups=32, width_per_group=4)
resnext101_32x8d = _network("resnext101_32x8d", "101 layers of 32 groups, 88.8 million parameters.", Bottleneck, [3, 4, 23, 3],
                            groups=32, width_per_group=8)
wide_resnet50_2 = _network("wide_resnet50_2", "50 layers, inside twice as wide (Zagoruyko and Komodakis, arXiv:1605.07146), 68.9 million parameters.",
                           Bottleneck, [3, 4, 6, 3], width_per_group=128)
wide_resnet101_2 = _network("wide_resnet101_2", "101 layers, inside twice as wide, 126.9 million parameters.", Bottleneck, [3, 4, 23, 3],
                            width_per_group=128)
