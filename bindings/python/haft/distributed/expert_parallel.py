"""Mixtures of experts that are spread over processes."""
from .. import _haft, nn as _nn
from . import _of

__all__ = ["MixtureOfExperts"]


class MixtureOfExperts(_nn.Module):
    """A layer whose experts lie on all ranks of a group: this one brings its own, which become experts.<number among all>.

    router answers a logit for each of all experts; a token, a row of the input's last dimension, goes to the top_k largest.
    ``balance_loss`` is that of the last call, over the tokens of all ranks: 1 when experts are equally loaded. Gradients of experts
    are of the sum of all ranks' losses, those of the router this rank's part of it.
    """

    def __init__(self, router, experts, top_k=2, capacity_factor=0.0, normalize=True, group=None):
        super().__init__()
        experts, g = list(experts), _of(group)
        self.router, self.group, self.balance_loss = router, g, None
        self.experts = _nn.ModuleDict({str(g.rank() * len(experts) + i): e for i, e in enumerate(experts)})
        modules = [_haft.callable_module("Expert", lambda xs, e=e: [e(*xs)]) for e in experts]
        self._spread = _haft.make_experts(g._native, _haft.callable_module("Router", lambda xs: [router(*xs)]), modules, top_k, capacity_factor,
                                          normalize)

    def forward(self, x):
        y, self.balance_loss = self._spread.forward([x])
        return y
