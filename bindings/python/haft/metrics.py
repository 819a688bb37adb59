"""Measures of a classifier, and running means, which the engine keeps on the device of what it is told.

    e = haft.metrics.Evaluator(num_classes=10, top_k=5)
    for x, y in loader:
        out = net(x)
        e.update(out, y)
        e.add(loss(out, y), len(y))
    print(e.mean(), e.accuracy(), e.accuracy(5), e.f1().mean())

Over several processes: ``s = e.state(); dist.all_reduce(s); e.set_state(s)``.
"""
from ._library import _haft

__all__ = ["Evaluator"]

Evaluator = _haft.Evaluator
