"""What fractional pooling does; _layers.py has the classes, with the parameters of core/schema/modules_python.def."""
from __future__ import annotations

from ... import Tensor
from .. import functional as F
from ._bases import Family


class _FractionalMaxPool(Family):
    def __init__(self, kernel_size, output_size, output_ratio, return_indices, _random_samples):
        super().__init__()
        name, n = type(self).__name__, self._dims
        numbers = {"output_size": output_size, "output_ratio": output_ratio}
        spread = {k: v if v is None or isinstance(v, (tuple, list)) else (v,) * n for k, v in numbers.items()}
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if output_ratio is not None and not all(0 < r < 1 for r in spread["output_ratio"]):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")
        self.kernel_size = tuple(kernel_size) if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * n
        self.output_size, self.output_ratio = spread["output_size"], spread["output_ratio"]
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input: Tensor):
        pool = F.fractional_max_pool2d if self._dims == 2 else F.fractional_max_pool3d
        return pool(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples)
