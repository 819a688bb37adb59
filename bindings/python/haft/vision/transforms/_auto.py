"""Transforms that draw which others to apply: AutoAugment (Cubuk et al., arXiv:1805.09501), RandAugment (arXiv:1909.13719) and TrivialAugment (Mueller and Hutter,
arXiv:2103.10158)."""
import enum
import math

import haft

from . import functional as F
from ._transform import _below, _chance, _Transform
from .functional import InterpolationMode

__all__ = ["AutoAugment", "AutoAugmentPolicy", "RandAugment", "TrivialAugmentWide"]


def _applied(image, name, m, interpolation, fill):
    # A change of a name and a strength. Shears keep the upper left corner.
    def sheared(x, y):
        return F.affine(image, 0.0, [0, 0], 1.0, [math.degrees(math.atan(x)), math.degrees(math.atan(y))], interpolation, fill, [0, 0])
    if name in ("Brightness", "Color", "Contrast", "Sharpness"):
        return getattr(F, "adjust_" + {"Color": "saturation"}.get(name, name.lower()))(image, 1.0 + m)
    if name in ("TranslateX", "TranslateY"):
        return F.affine(image, 0.0, [int(m), 0] if name[-1] == "X" else [0, int(m)], 1.0, [0.0, 0.0], interpolation, fill)
    return {"ShearX": lambda: sheared(m, 0.0), "ShearY": lambda: sheared(0.0, m), "Rotate": lambda: F.rotate(image, m, interpolation, fill=fill),
            "Posterize": lambda: F.posterize(image, int(m)), "Solarize": lambda: F.solarize(image, m), "AutoContrast": lambda: F.autocontrast(image),
            "Equalize": lambda: F.equalize(image), "Invert": lambda: F.invert(image), "Identity": lambda: image}[name]()


def _space(bins, size, highest, shear=0.3, turn=30.0, far=150.0 / 331, factor=0.9, bits=4, wide=False):
    # Name to (strengths by bin, whether a sign is drawn).
    height, width = size

    def line(end, start=0.0):
        return [start + (end - start) * i / (bins - 1) for i in range(bins)]
    moved = (far, far) if wide else (far * width, far * height)
    steps = [8 - round(i / ((bins - 1) / (8 - bits))) for i in range(bins)]
    return {"Identity": ([0.0], False), "ShearX": (line(shear), True), "ShearY": (line(shear), True), "TranslateX": (line(moved[0]), True),
            "TranslateY": (line(moved[1]), True),
            "Rotate": (line(turn), True), "Brightness": (line(factor), True), "Color": (line(factor), True), "Contrast": (line(factor), True),
            "Sharpness": (line(factor), True),
            "Posterize": (steps, False), "Solarize": (line(0.0, highest), False), "AutoContrast": ([0.0], False), "Equalize": ([0.0], False)}


class _Auto(_Transform):
    def _one(self, image, name, strengths, k, sign):
        m = strengths[k] if len(strengths) > 1 else 0.0
        return _applied(image, name, -m if sign and _below(2) else m, self.interpolation, self.fill)

    @staticmethod
    def _highest(image):
        return 1.0 if isinstance(image, haft.Tensor) and image.dtype.is_floating_point else 255.0


class RandAugment(_Auto):
    """num_ops changes, drawn from 14, of strength `magnitude` of num_magnitude_bins."""

    def __init__(self, num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST, fill=None):
        self.num_ops, self.magnitude, self.num_magnitude_bins = num_ops, magnitude, num_magnitude_bins
        self.interpolation, self.fill = interpolation, fill

    def forward(self, image):
        space = list(_space(self.num_magnitude_bins, F.size_of(image), self._highest(image)).items())
        for _ in range(self.num_ops):
            name, (strengths, sign) = space[_below(len(space))]
            image = self._one(image, name, strengths, self.magnitude, sign)
        return image


class TrivialAugmentWide(_Auto):
    """One change, drawn from 14, of a strength that is drawn."""

    def __init__(self, num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST, fill=None):
        self.num_magnitude_bins, self.interpolation, self.fill = num_magnitude_bins, interpolation, fill

    def forward(self, image):
        space = list(_space(self.num_magnitude_bins, (1, 1), self._highest(image), 0.99, 135.0, 32.0, 0.99, 2, True).items())
        name, (strengths, sign) = space[_below(len(space))]
        return self._one(image, name, strengths, _below(len(strengths)), sign)


class AutoAugmentPolicy(enum.Enum):
    """The data that a policy was learnt on."""
    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


# Pairs of changes: each a letter or two, its probability in tenths, and its strength of ten.
_LETTERS = {"P": "Posterize", "R": "Rotate", "S": "Solarize", "A": "AutoContrast", "E": "Equalize", "I": "Invert", "C": "Color", "K": "Contrast",
            "B": "Brightness", "H": "Sharpness",
            "X": "ShearX", "Y": "ShearY", "T": "TranslateX", "U": "TranslateY"}
_POLICIES = {
    AutoAugmentPolicy.IMAGENET: "P4.8 R6.9|S6.5 A6|E8 E6|P6.7 P6.6|E4 S2.4|E4 R8.8|S6.3 E6|P8.5 E10|R2.3 S6.8|E6 P4.6|R8.8 C4.0|R4.9 E6|E0 E8|I6 E10|C6.4 K10.8|R8.8 C10.2|C8.8 S8.7|"
                                "H4.7 I6|X6.5 E10|C4.0 E6|E4 S2.4|S6.5 A6|I6 E10|C6.4 K10.8|E8 E6",
    AutoAugmentPolicy.CIFAR10: "I1 K2.6|R7.2 T3.9|H8.1 H9.3|Y5.8 U7.9|A5 E9|Y2.7 P3.7|C4.3 B6.7|H3.9 B7.9|E6 E5|K6.7 H6.5|C7.7 T5.8|E3 A4|U4.3 H2.6|B9.6 C2.8|S5.2 I0|E2 A6|E2 E6|"
                               "C9.9 E6|A8 S2.8|B1.3 C7.0|S4.5 A9|U9.9 U7.9|A9 S8.3|E8 I1|U7.9 A9",
    AutoAugmentPolicy.SVHN: "X9.4 I2|Y9.8 I7|E6 S6.6|I9 E6|E6 R9.3|X9.4 A8|Y9.8 I4|Y9.5 S2.6|I9 A8|E6 R9.3|X9.4 S3.3|Y8.8 I7|E9 U6.6|I9 E6|K3.3 R8.4|I8 U0.2|Y7.6 S4.8|I6 R8.4|"
                            "Y3.7 T9.3|X1.6 I6|S7.2 U6.7|Y8.4 I8|X7.9 U8.3|Y8.5 A7|X7.2 I1"}


class AutoAugment(_Auto):
    """One of the 25 pairs of changes that were learnt on the data that `policy` names."""

    def __init__(self, policy=AutoAugmentPolicy.IMAGENET, interpolation=InterpolationMode.NEAREST, fill=None):
        self.policy, self.interpolation, self.fill = policy, interpolation, fill

    def forward(self, image):
        space = {**_space(10, F.size_of(image), self._highest(image)), "Invert": ([0.0], False)}
        pairs = _POLICIES[self.policy].split("|")
        for change in pairs[_below(len(pairs))].split():
            chance, _, k = change[1:].partition(".")
            if _chance() < int(chance) / 10:
                name = _LETTERS[change[0]]
                strengths, sign = space[name]
                image = self._one(image, name, strengths, int(k or 0), sign)
        return image
