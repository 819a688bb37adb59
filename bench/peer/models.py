"""The models of the comparison as PyTorch users write them; bench/models.h builds the same."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
                         nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))


class Block(nn.Module):
    """The basic block of ResNet (He et al., arXiv:1512.03385)."""

    def __init__(self, i, o, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.conv2, self.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.downsample = None
        if stride != 1 or i != o:
            self.downsample = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + (x if self.downsample is None else self.downsample(x)))


def stem_of(size):
    """3: for 3x32x32 images, without pooling; 7: for photographs."""
    layers = [nn.Conv2d(3, 64, size, 1 if size == 3 else 2, size // 2, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    return layers if size == 3 else layers + [nn.MaxPool2d(3, 2, 1)]


def resnet18(stem=3):
    layers, i = stem_of(stem), 64
    for o, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        layers.append(Block(i, o, stride))
        i = o
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


class Bottleneck(nn.Module):
    def __init__(self, i, width, stride):
        super().__init__()
        o = 4 * width
        self.path = nn.Sequential(nn.Conv2d(i, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, stride, 1, bias=False),
                                  nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, o, 1, bias=False), nn.BatchNorm2d(o))
        self.around = nn.Identity() if i == o and stride == 1 else nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        return F.relu(self.path(x) + self.around(x))


def resnet50():
    layers, i = stem_of(7), 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for n in range(count):
            layers.append(Bottleneck(i, width, stride if n == 0 else 1))
            i = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


class Transformer(nn.Module):
    """A block of GPT-2: pre-norm, causal attention, an MLP of four times the width. Without `causal`: of a vision transformer."""

    def __init__(self, width, heads, causal=True):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        if hasattr(F, "scaled_dot_product_attention"):
            a = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        else:
            scores = q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5
            if self.causal:
                scores = scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
            a = scores.softmax(-1) @ v
        x = x + self.out(a.transpose(1, 2).reshape(b, t, d))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GptMini(nn.Module):
    """4 blocks of width 256 over 256 tokens and a context of 128: 3.3 million parameters."""

    def __init__(self, vocabulary=256, width=256, layers=4, heads=8, context=128):
        super().__init__()
        self.token, self.place = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*[Transformer(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.token(tokens) + self.place(torch.arange(tokens.shape[1]))
        return self.head(self.norm(self.blocks(x)))


class VitTiny(nn.Module):
    """12 blocks of width 192 over 196 pieces of 16 x 16 and a token for the class (Dosovitskiy et al., arXiv:2010.11929)."""

    def __init__(self, width=192, heads=3, layers=12):
        super().__init__()
        self.pieces = nn.Conv2d(3, width, 16, 16)
        self.token, self.place = nn.Parameter(torch.zeros(1, 1, width)), nn.Parameter(torch.zeros(1, 197, width))
        self.blocks = nn.Sequential(*[Transformer(width, heads, causal=False) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, x):
        x = self.pieces(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.place
        return self.head(self.norm(self.blocks(x))[:, 0])


def vit_tiny():
    return VitTiny()


# name -> (model, shape of an input, batch of a training step)
MODELS = {"mlp": (mlp, (1, 28, 28), 64), "cnn": (cnn, (1, 28, 28), 64), "resnet18": (resnet18, (3, 32, 32), 32),
          "gpt_mini": (GptMini, (128,), 8)}
