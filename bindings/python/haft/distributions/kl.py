"""The Kullback-Leibler divergence of two distributions."""
import haft

from .continuous import Exponential, Laplace, LogNormal, Normal, Uniform
from .discrete import Bernoulli, Categorical, Geometric, OneHotCategorical
from .distribution import Distribution, Independent
from .gamma import Beta, Dirichlet, Gamma

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
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).square()
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).square() - 1 - ratio.log())


@register_kl(LogNormal, LogNormal)
def _log_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * (-apart / p.scale).exp() - 1


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    d = ((q.high - q.low) / (p.high - p.low)).log()
    return haft.where((q.low > p.low) | (q.high < p.high), float("inf"), d)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    a, b = p.concentration, q.concentration
    return b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma() + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    return (total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
            + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1))


@register_kl(Beta, Beta)
def _beta(p, q):
    return _dirichlet(p._both, q._both)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    soft = haft.nn.functional.softplus
    a, b = p.probs, q.probs
    one = a * (soft(-q.logits) - soft(-p.logits))
    zero = (1 - a) * (soft(q.logits) - soft(p.logits))
    one = haft.where(a == 0, 0.0, haft.where((b == 0) & (a != 0), float("inf"), one))
    zero = haft.where(a == 1, 0.0, haft.where((b == 1) & (a != 1), float("inf"), zero))
    return one + zero


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t = haft.where((q.probs == 0).expand(t.shape), float("inf"), t)
    return haft.where((p.probs == 0).expand(t.shape), 0.0, t).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("the two Independent have different numbers of event dimensions")
    return p._sum(kl_divergence(p.base_dist, q.base_dist))
