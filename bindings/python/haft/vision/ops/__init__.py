"""Boxes, and layers that networks for images share, by the names of torchvision.ops. Boxes are (N, 4): x1, y1, x2, y2."""
import sys

import haft

from ... import nn
from ..._names import absent, also

__all__ = ["Conv2dNormActivation", "FrozenBatchNorm2d", "MLP", "Permute", "SqueezeExcitation", "StochasticDepth", "batched_nms", "box_area", "box_convert",
           "box_iou", "clip_boxes_to_image", "generalized_box_iou", "nms", "remove_small_boxes", "sigmoid_focal_loss", "stochastic_depth"]

globals().update(absent(__name__, "haft has no operator for regions of interest. Crop and resize (transforms.functional.resized_crop), or sample with "
                                  "nn.functional.grid_sample.", "DeformConv2d MultiScaleRoIAlign RoIAlign RoIPool deform_conv2d roi_align roi_pool"))


# ---- boxes ----

def box_area(boxes):
    """(N): width times height."""
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _overlap(a, b):
    # Areas (N, M) of the intersections, and of the unions.
    sides = (haft.minimum(a[:, None, 2:], b[:, 2:]) - haft.maximum(a[:, None, :2], b[:, :2])).clamp(min=0)
    shared = sides[..., 0] * sides[..., 1]
    return shared, box_area(a)[:, None] + box_area(b) - shared


def box_iou(boxes1, boxes2):
    """(N, M): of each pair the intersection over the union."""
    shared, union = _overlap(boxes1, boxes2)
    return shared / union


def generalized_box_iou(boxes1, boxes2):
    """(N, M): that less the part of the smallest box around both that neither covers (Rezatofighi et al., arXiv:1902.09630)."""
    shared, union = _overlap(boxes1, boxes2)
    sides = (haft.maximum(boxes1[:, None, 2:], boxes2[:, 2:]) - haft.minimum(boxes1[:, None, :2], boxes2[:, :2])).clamp(min=0)
    around = sides[..., 0] * sides[..., 1]
    return shared / union - (around - union) / around


def box_convert(boxes, in_fmt, out_fmt):
    """From "xyxy" (corners), "xywh" (a corner and sizes) or "cxcywh" (middle and sizes) to another of them."""
    for form in (in_fmt, out_fmt):
        if form not in ("xyxy", "xywh", "cxcywh"):
            raise ValueError(f"box_convert: a form is 'xyxy', 'xywh' or 'cxcywh', got {form!r}")
    a, b = boxes[..., :2], boxes[..., 2:]
    low = a - b / 2 if in_fmt == "cxcywh" else a
    high = b if in_fmt == "xyxy" else low + b
    if out_fmt == "xyxy":
        return haft.cat([low, high], -1)
    return haft.cat([low if out_fmt == "xywh" else (low + high) / 2, high - low], -1)


def clip_boxes_to_image(boxes, size):
    """Boxes within an image of size (height, width)."""
    height, width = size
    x, y = boxes[..., 0::2].clamp(0, width), boxes[..., 1::2].clamp(0, height)
    return haft.stack([x, y], -1).reshape(boxes.shape)


def remove_small_boxes(boxes, min_size):
    """The numbers of the boxes whose sides are both at least min_size."""
    return (boxes[:, 2:] - boxes[:, :2] >= min_size).all(1).nonzero().squeeze(1)


def nms(boxes, scores, iou_threshold):
    """The numbers of the boxes that stay, best first: each takes those behind it away that it overlaps by more than iou_threshold."""
    order = scores.argsort(descending=True, stable=True)
    boxes, kept = boxes[order], []
    gone = haft.zeros(len(boxes), dtype=haft.bool, device=boxes.device)
    for i in range(len(boxes)):
        if not gone[i]:
            kept.append(i)
            gone = gone | (box_iou(boxes[i:i + 1], boxes)[0] > iou_threshold)
    return order[haft.tensor(kept, dtype=haft.int64, device=boxes.device)]


def batched_nms(boxes, scores, idxs, iou_threshold):
    """nms() among the boxes of each number in idxs (N)."""
    if not boxes.numel():
        return haft.empty(0, dtype=haft.int64, device=boxes.device)
    return nms(boxes + (idxs.to(boxes.dtype) * (boxes.max() + 1))[:, None], scores, iou_threshold)


def sigmoid_focal_loss(inputs, targets, alpha=0.25, gamma=2, reduction="none"):
    """Cross entropy that counts what is told right less (Lin et al., arXiv:1708.02002), of scores and targets 0 or 1. alpha: weight of ones; below 0: none."""
    p = inputs.sigmoid()
    loss = nn.functional.binary_cross_entropy_with_logits(inputs, targets, reduction="none") * (p + targets - 2 * p * targets) ** gamma
    if alpha >= 0:
        loss = loss * (alpha * targets + (1 - alpha) * (1 - targets))
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"Invalid Value for arg 'reduction': '{reduction}'. Supported reduction modes: 'none', 'mean', 'sum'")
    return loss if reduction == "none" else getattr(loss, reduction)()


# ---- layers ----

class Conv2dNormActivation(nn.Sequential):
    """A convolution that keeps the size (at stride 1), a normalisation and an activation; None: without."""

    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, padding=None, groups=1, norm_layer=nn.BatchNorm2d,
                 activation_layer=nn.ReLU, dilation=1, inplace=True, bias=None):
        if padding is None:
            sizes, steps = ((v, v) if isinstance(v, int) else v for v in (kernel_size, dilation))
            padding = tuple((n - 1) // 2 * d for n, d in zip(sizes, steps))
        layers = [nn.Conv2d(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, norm_layer is None if bias is None else bias)]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer(**({} if inplace is None else {"inplace": inplace})))
        super().__init__(*layers)
        self.out_channels = out_channels


class SqueezeExcitation(nn.Module):
    """Channels times weights that two layers make of their means (Hu et al., arXiv:1709.01507)."""

    def __init__(self, input_channels, squeeze_channels, activation=nn.ReLU, scale_activation=nn.Sigmoid):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1, self.fc2 = nn.Conv2d(input_channels, squeeze_channels, 1), nn.Conv2d(squeeze_channels, input_channels, 1)
        self.activation, self.scale_activation = activation(), scale_activation()

    def forward(self, input):
        return self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(input))))) * input


class MLP(nn.Sequential):
    """Linear layers of the sizes hidden_channels, each but the last with an activation, and dropout behind all."""

    def __init__(self, in_channels, hidden_channels, norm_layer=None, activation_layer=nn.ReLU, inplace=None, bias=True, dropout=0.0):
        options, layers = {} if inplace is None else {"inplace": inplace}, []
        for i, width in enumerate(hidden_channels):
            layers.append(nn.Linear(in_channels, width, bias))
            if i + 1 < len(hidden_channels):
                layers += [*([norm_layer(width)] if norm_layer is not None else []), activation_layer(**options)]
            layers.append(nn.Dropout(dropout, **options))
            in_channels = width
        super().__init__(*layers)


class Permute(nn.Module):
    """Dimensions in another order."""

    def __init__(self, dims):
        super().__init__()
        self.dims = dims

    def forward(self, x):
        return x.permute(self.dims)


def stochastic_depth(input, p, mode, training=True):
    """A branch that is left out with probability p (Huang et al., arXiv:1603.09382), of the whole "batch" or of each "row", and else scaled by 1 / (1 - p)."""
    if not 0 <= p <= 1:
        raise ValueError(f"drop probability has to be between 0 and 1, but got {p}")
    if mode not in ("batch", "row"):
        raise ValueError(f"mode has to be either 'batch' or 'row', but got {mode}")
    if not training or p == 0:
        return input
    rows = input.size(0) if mode == "row" else 1
    return input * nn.functional.dropout(input.new_ones((rows, *[1] * (input.dim() - 1))), p)


class StochasticDepth(nn.Module):
    """stochastic_depth() in training."""

    def __init__(self, p, mode):
        super().__init__()
        self.p, self.mode = p, mode

    def forward(self, input):
        return stochastic_depth(input, self.p, self.mode, self.training)

    def extra_repr(self):
        return f"p={self.p}, mode={self.mode}"


class FrozenBatchNorm2d(nn.Module):
    """Batch normalisation by numbers that stay as they are."""

    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps
        for name, value in (("weight", 1.0), ("bias", 0.0), ("running_mean", 0.0), ("running_var", 1.0)):
            self.register_buffer(name, haft.full((num_features,), value))

    def forward(self, x):
        return nn.functional.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, False, 0.0, self.eps)


also(__name__, "boxes misc", sys.modules[__name__])
