"""Nested dicts, lists and tuples taken apart into their leaves and put together again, in PyTorch's order."""
from collections import OrderedDict, defaultdict

__all__ = ["TreeSpec", "tree_flatten", "tree_leaves", "tree_map", "tree_unflatten"]


class TreeSpec:
    """How a tree is built: the container's type, what it needs beside its children, and their specs. A leaf has no type."""

    def __init__(self, type=None, context=None, children=()):
        self.type, self.context, self.children_specs = type, context, list(children)
        self.num_leaves = 1 if type is None else sum(child.num_leaves for child in self.children_specs)

    def is_leaf(self):
        return self.type is None

    def __eq__(self, other):
        return isinstance(other, TreeSpec) and (self.type, self.context, self.children_specs) == (other.type, other.context, other.children_specs)

    __hash__ = None

    def __repr__(self):
        return "*" if self.type is None else f"TreeSpec({self.type.__name__}, {self.context}, {self.children_specs})"


def _opened(tree):
    # (children, context), or None for a leaf; only these very types are containers, as in PyTorch.
    kind = type(tree)
    if kind in (dict, OrderedDict):
        return list(tree.values()), list(tree)
    if kind is defaultdict:
        return list(tree.values()), [tree.default_factory, list(tree)]
    if kind in (list, tuple):
        return list(tree), None
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return list(tree), kind
    return None


def tree_flatten(tree, is_leaf=None):
    """(leaves, TreeSpec). is_leaf(tree): true where a container is to stay whole. None is a leaf."""
    opened = None if is_leaf is not None and is_leaf(tree) else _opened(tree)
    if opened is None:
        return [tree], TreeSpec()
    leaves, specs = [], []
    for child in opened[0]:
        below, spec = tree_flatten(child, is_leaf)
        leaves += below
        specs.append(spec)
    return leaves, TreeSpec(type(tree), opened[1], specs)


def tree_unflatten(leaves, treespec):
    """The tree of that build with these leaves."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
                         f"{treespec.num_leaves} items ({treespec}).")
    if treespec.is_leaf():
        return leaves[0]
    children, at = [], 0
    for spec in treespec.children_specs:
        children.append(tree_unflatten(leaves[at:at + spec.num_leaves], spec))
        at += spec.num_leaves
    kind, context = treespec.type, treespec.context
    if kind is defaultdict:
        return defaultdict(context[0], zip(context[1], children))
    if kind in (dict, OrderedDict):
        return kind(zip(context, children))
    return kind(*children) if context is not None else kind(children)


def tree_leaves(tree, is_leaf=None):
    """The leaves alone."""
    return tree_flatten(tree, is_leaf)[0]


def tree_map(func, tree, *rests, is_leaf=None):
    """The tree of func(leaf, ...), with the parts of `rests` at the same places."""
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves]
    for rest in rests:
        others, other = tree_flatten(rest, is_leaf)
        if other != spec:
            raise ValueError(f"tree_map: the trees differ: {spec} and {other}")
        columns.append(others)
    return tree_unflatten([func(*row) for row in zip(*columns)], spec)
