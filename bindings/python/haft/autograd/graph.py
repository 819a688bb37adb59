"""The recorded graph: its nodes, as grad_fn and next_functions give them."""
from typing import NamedTuple
from weakref import WeakValueDictionary

from .._library import _haft
from .._modes import enable_grad

__all__ = ["GradientEdge", "Node", "get_gradient_edge", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks"]

_known = WeakValueDictionary()  # one object for a node, as long as somebody holds it


def _viewed(t):
    # A view's only input is the node of the tensor itself.
    with enable_grad():
        return _haft.grad_fn(t.view_as(t))


def leaf_number(t):
    """The number of the node that stands for a leaf that requires a gradient."""
    return _viewed(t).next(0).id()


class Node:
    """A recorded call; AccumulateGrad stands for a leaf. Equal for one call, whatever it was reached by."""
    __slots__ = ("_node", "_id", "__weakref__")

    def __init__(self):
        raise RuntimeError("nodes are made by recorded operators")

    def name(self):
        """The operator's name in PyTorch's manner: AddBackward0."""
        name = self._node.name()
        if name == "AccumulateGrad":
            return "torch::autograd::AccumulateGrad"  # as PyTorch calls it
        if name.endswith("Backward"):
            return name
        name = name.removesuffix("_scalar")
        return "".join(part.capitalize() for part in name.split("_")) + "Backward0"

    @property
    def next_functions(self):
        """For each tensor that went in: (the node that made it, which of its results it was); (None, 0) without a gradient."""
        node = self._node
        return tuple((node_of(node.next(i)), node.next_output(i)) for i in range(node.next_count()))

    def __getattr__(self, name):
        if name == "variable" and self._node.name() == "AccumulateGrad":  # others have none, as hasattr() asks
            return self._leaf()
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def _leaf(self):
        """The leaf of this AccumulateGrad, by the module's own object where it is a Parameter; None when it is gone."""
        leaf = self._node.variable()
        if leaf is None:
            return None
        from ..nn.parameter import alive
        for p in list(alive.values()):
            if p._shares_memory(leaf) and p.is_leaf and p.requires_grad:
                if leaf_number(p) == self._id:
                    return p
        return leaf

    def __eq__(self, other):
        return self._id == other._id if isinstance(other, Node) else NotImplemented

    def __hash__(self):
        return hash(self._id)

    def __repr__(self):
        return f"<{self.name().rpartition(':')[2]} object at {id(self):#x}>"


class GradientEdge(NamedTuple):
    """Where a gradient arrives: a node, and which of its results; backward() and grad() take it in the place of the tensor, which it keeps."""
    node: Node
    output_nr: int
    ownership_token: object


def get_gradient_edge(tensor):
    """The edge of a tensor that requires a gradient."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    view = _viewed(tensor)
    return GradientEdge(node_of(view.next(0)), view.next_output(0), tensor)


class _Hooks:
    # The handle of hooks at several tensors.
    def __init__(self, handles):
        self._handles = handles

    def remove(self):
        for handle in self._handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Once in each backward pass fn(gradients) runs when those of all tensors are there, None for a tensor that the pass does not come by; with
    mode="any" fn(gradient) as soon as there is one. Answers a handle with remove()."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors, arrived = tuple(tensors), {}
    wanted = len(tensors) if mode == "all" else 1

    def end():
        if len(arrived) < wanted:
            fn([arrived.get(i) for i in range(wanted)])
        arrived.clear()

    def hook_of(i):
        def hook(grad):
            if not arrived:
                _haft.add_backward_callback(end)
            arrived[i] = grad
            if len(arrived) == wanted:
                fn(grad if mode == "any" else [arrived[k] for k in range(wanted)])
        return hook
    return _Hooks([t.register_hook(hook_of(i)) for i, t in enumerate(tensors)])


class saved_tensors_hooks:
    """While it is entered, what this thread's operators keep for backward goes through pack_hook(tensor), which answers anything, and
    through unpack_hook(that) when backward reads it, which answers a tensor of the same shape, dtype and device."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        _haft.push_saved_tensor_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args):
        _haft.pop_saved_tensor_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Keeps what backward needs in host memory meanwhile; with pin_memory in memory that the device reaches by itself."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        def pack(t):
            host = t.cpu()
            return t.device, host.pin_memory() if pin_memory and t.device.type != "cpu" else host

        def unpack(packed):
            device, host = packed
            return host.to(device, non_blocking=pin_memory)

        super().__init__(pack, unpack)


def node_of(engine):
    """The Node of one of the engine's, or None."""
    if engine is None:
        return None
    number = engine.id()
    node = _known.get(number)
    if node is None:
        node = object.__new__(Node)
        node._node, node._id = engine, number
        node = _known.setdefault(number, node)
    return node
