"""Arguments that are one number or one for each dimension."""
from collections.abc import Iterable
from itertools import repeat

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n, name="parse"):
    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = parse.__qualname__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t, n):
    """(1, 2) and 2 give (2, 2, 1, 1): paddings as functional.pad takes them, last dimension first."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size, defaults):
    """out_size with the last of defaults where it holds None."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size):])]


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Takes a prefix such as "module." off the names of a state_dict that have it, in place."""
    for names in (state_dict, getattr(state_dict, "_metadata", None) or state_dict.get("_metadata") or {}):
        for name in sorted(n for n in names if n.startswith(prefix)):
            names[name[len(prefix):]] = names.pop(name)
