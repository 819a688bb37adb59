"""LeNet-5 for small grey pictures (LeCun et al., 1998), with ReLU and maximum pooling."""
from ... import nn
from .resnet import refuse_weights

__all__ = ["LeNet", "lenet"]


class LeNet(nn.Module):
    """(N, 1, 28, 28) -> (N, num_classes)."""

    def __init__(self, num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, num_classes)

    def forward(self, x):
        for conv in (self.conv1, self.conv2):
            x = nn.functional.max_pool2d(conv(x).relu(), 2)
        return self.fc3(self.fc2(self.fc1(x.flatten(1)).relu()).relu())


def lenet(weights=None, **kwargs):
    """A LeNet."""
    refuse_weights(weights)
    return LeNet(**kwargs)
