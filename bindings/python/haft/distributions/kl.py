"""The Kullback-Leibler divergence of two distributions."""
from haft import _haft

from ._engine import EngineDistribution
from .compound import Independent
from .distribution import Distribution
from .transformed import TransformedDistribution

__all__ = ["kl_divergence", "register_kl"]

_RULES = {}


def register_kl(type_p, type_q):
    """Decorates function(p, q) as the divergence of these classes and of those derived from them."""
    if not all(isinstance(t, type) and issubclass(t, Distribution) for t in (type_p, type_q)):
        raise TypeError(f"register_kl: expected two classes of distributions, got {type_p} and {type_q}")

    def decorate(function):
        _RULES[type_p, type_q] = function
        return function
    return decorate


def kl_divergence(p, q):
    """The mean of log p(x) - log q(x) over x drawn from p, for each variable of the batch."""
    for a in type(p).__mro__:
        for b in type(q).__mro__:
            if (a, b) in _RULES:
                return _RULES[a, b](p, q)
    if isinstance(p, EngineDistribution) and isinstance(q, EngineDistribution):
        return _haft.kl_divergence(p._core, q._core)
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("the two Independent have different numbers of event dimensions")
    return p._sum(kl_divergence(p.base_dist, q.base_dist))


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("the two TransformedDistributions have different transforms or events")
    t = kl_divergence(p.base_dist, q.base_dist)
    count = len(p.event_shape) - len(p.base_dist.event_shape)
    return t.sum(list(range(-count, 0))) if count > 0 else t
