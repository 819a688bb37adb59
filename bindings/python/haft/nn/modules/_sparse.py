"""What tables of vectors do; _layers.py has the classes, with the parameters of core/schema/modules_python.def."""
from __future__ import annotations

from inspect import signature

from ... import Tensor, _haft, empty
from .. import functional as F
from ..parameter import Parameter
from ._core import core, take
from .module import Module


class _Table(Module):
    """Rows, of which one may be left out."""

    _shown = ("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None, max_norm: float | None, norm_type: float,
                 scale_grad_by_freq: bool, sparse: bool, _weight: Tensor | None, device, dtype):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            self.weight = Parameter(empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Standard normal numbers from the core; zeros in the row ``padding_idx``."""
        take(self, core(_haft.Make.embedding, self.weight, self.num_embeddings, self.embedding_dim, self.padding_idx,
                        self.sparse, -1.0, 2.0, False, None, False))

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, *arguments, **options):
        """A module over given rows, with the class's other arguments in their order; frozen unless told otherwise."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        names = [name for name in signature(cls).parameters if name not in ("num_embeddings", "embedding_dim", "_weight")]
        module = cls(*embeddings.shape, _weight=embeddings, **dict(zip(names, arguments)), **options)
        module.weight.requires_grad = not freeze
        return module

    def extra_repr(self) -> str:
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
        values = {name: getattr(self, name) for name in self._shown}
        text = "".join(f", {name}={value}" for name, value in values.items() if name not in usual or value != usual[name])
        return f"{self.num_embeddings}, {self.embedding_dim}{text}"


class _Embedding(_Table):
    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)


class _EmbeddingBag(_Table):
    _shown = ("max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx")

    def __init__(self, num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, mode, sparse, _weight, include_last_offset,
                 padding_idx, device, dtype):
        super().__init__(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight, device, dtype)
        self.mode = mode
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                               self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)
