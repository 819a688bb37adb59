"""What AdaptiveLogSoftmaxWithLoss does; _layers.py has the class. The engine computes over the parameters of the parts here."""
from __future__ import annotations

from collections import namedtuple

from ... import Tensor, _haft
from .container import ModuleList, Sequential
from .module import Module

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class _AdaptiveLogSoftmaxWithLoss(Module):
    _linear: type  # Linear, which adaptive.py knows

    def __init__(self, in_features, n_classes, cutoffs, div_value, head_bias, device, dtype):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if cutoffs != sorted(set(cutoffs)) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1 or any(int(c) != c for c in cutoffs):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
                             "between 1 and n_classes-1")
        self.in_features, self.n_classes, self.div_value, self.head_bias = in_features, n_classes, div_value, head_bias
        self.cutoffs = [*cutoffs, n_classes]
        self.shortlist_size = cutoffs[0]
        self.n_clusters = len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        where = {"device": device, "dtype": dtype}
        self.head = self._linear(in_features, self.head_size, bias=head_bias, **where)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(in_features // div_value ** (i + 1))
            self.tail.append(Sequential(self._linear(in_features, width, bias=False, **where),
                                        self._linear(width, self.cutoffs[i + 1] - self.cutoffs[i], bias=False, **where)))

    def reset_parameters(self) -> None:
        """New initial numbers."""
        for part in (self.head, *(p for both in self.tail for p in both)):
            part.reset_parameters()

    def _run(self, *inputs: Tensor) -> list[Tensor]:
        made = self.__dict__.get("_made")
        if made is None:
            made = _haft.Make.adaptive_log_softmax_with_loss(self.in_features, self.n_classes, self.cutoffs[:-1], self.div_value, self.head_bias,
                                                             self.head.weight.dtype, self.head.weight.device, None)
            self.__dict__["_made"] = made
        parts = {"head": self.head, **{f"tail.{i}.{k}": p for i, both in enumerate(self.tail) for k, p in enumerate(both)}}
        tensors = [(f"{name}.weight", p.weight) for name, p in parts.items()]
        if self.head_bias:
            tensors.append(("head.bias", self.head.bias))
        return made.functional_call(tensors, list(inputs))

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k != "_made"}

    def forward(self, input: Tensor, target: Tensor) -> _ASMoutput:
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        return _ASMoutput(*self._run(input, target))

    def log_prob(self, input: Tensor) -> Tensor:
        """Of all classes, (N, n_classes)."""
        return self._run(input)[0]

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each row."""
        return self.log_prob(input).argmax(-1)
