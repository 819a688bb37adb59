"""Several results of an operator: tuples whose fields have names."""
from operator import itemgetter as _itemgetter

from ._creation import into

RESULTS = {}


def result(name, *fields):
    """A class of tuples with names; collections.namedtuple would cost the import a millisecond each."""
    cls = type(name, (tuple,), {f: property(_itemgetter(i)) for i, f in enumerate(fields)})
    cls.__slots__ = ()
    cls.__module__ = "haft.return_types"
    cls._fields = fields
    cls.__repr__ = lambda self: f"haft.return_types.{name}(\n" + ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self)) + ")"
    cls.__reduce__ = lambda self: (_rebuild_result, (name, tuple(self)))
    RESULTS[name] = cls
    return cls


def _rebuild_result(name, items):
    return RESULTS[name](items)


def outs(pair, out):
    """Several results, in the tensors that the caller gave if any."""
    if out is None:
        return pair
    return type(pair)(into(o, t) for o, t in zip(out, pair))
