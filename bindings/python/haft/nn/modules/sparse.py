"""Tables of vectors."""
from __future__ import annotations

from ... import Tensor, _haft, empty
from .. import functional as F
from ..parameter import Parameter
from ._core import core, take
from .module import Module

__all__ = ["Embedding", "EmbeddingBag"]


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
                        self.sparse))

    @classmethod
    def _over(cls, embeddings: Tensor, freeze: bool, options: dict):
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        module = cls(*embeddings.shape, _weight=embeddings, **options)
        module.weight.requires_grad = not freeze
        return module

    def extra_repr(self) -> str:
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
        values = {name: getattr(self, name) for name in self._shown}
        text = "".join(f", {name}={value}" for name, value in values.items() if name not in usual or value != usual[name])
        return f"{self.num_embeddings}, {self.embedding_dim}{text}"


class Embedding(_Table):
    """Rows of a table at indices: (\\*) -> (\\*, embedding_dim).

    Args:
        num_embeddings: rows of the table
        embedding_dim: width of a row
        padding_idx: a row that gets no gradient; it starts at 0
        max_norm: rows longer than this are shortened when they are read
        norm_type: p of the norm that ``max_norm`` limits
        scale_grad_by_freq: divide gradients by how often a row was read
        sparse: the table gets a gradient of rows, which SGD, Adagrad and SparseAdam take
        _weight: the table itself
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                 sparse: bool = False, _weight: Tensor | None = None, device=None, dtype=None):
        super().__init__(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight,
                         device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None,
                        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                        sparse: bool = False):
        """A module over given rows; frozen unless told otherwise."""
        return cls._over(embeddings, freeze, dict(padding_idx=padding_idx, max_norm=max_norm, norm_type=norm_type,
                                                  scale_grad_by_freq=scale_grad_by_freq, sparse=sparse))


class EmbeddingBag(_Table):
    """Sums, means or maxima of the rows of bags: (B, N), or (N) with offsets -> (B, embedding_dim).

    Args:
        num_embeddings: rows of the table
        embedding_dim: width of a row
        max_norm: rows longer than this are shortened when they are read
        norm_type: p of the norm that ``max_norm`` limits
        scale_grad_by_freq: divide gradients by how often a row was read
        mode: ``"sum"``, ``"mean"`` or ``"max"``
        sparse: the table gets a gradient of rows, which SGD, Adagrad and SparseAdam take
        _weight: the table itself
        include_last_offset: the last offset is the end
        padding_idx: a row that gets no gradient; it starts at 0
    """

    _shown = ("max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx")

    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
                 _weight: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
                 device=None, dtype=None):
        super().__init__(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight,
                         device, dtype)
        self.mode = mode
        self.include_last_offset = include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
                               self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None,
                        norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
                        sparse: bool = False, include_last_offset: bool = False, padding_idx: int | None = None):
        """A module over given rows; frozen unless told otherwise."""
        return cls._over(embeddings, freeze, dict(max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq,
                                                  mode=mode, sparse=sparse, include_last_offset=include_last_offset,
                                                  padding_idx=padding_idx))
