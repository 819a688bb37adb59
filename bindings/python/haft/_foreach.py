"""haft._foreach_add(xs, ys, alpha=2) and its like: an operator for each of several tensors, as PyTorch's optimizers call it. The optimizers of haft are one
call of the engine; these serve programs that write their own."""
from ._library import _haft
from ._names import called


def over_lists(name):
    """The function of that name: takes lists of equal length, and what is the same for all."""
    method = name[len("_foreach_"):]
    run = getattr(_haft.Tensor, method, None)
    if run is None:
        raise AttributeError(f"module 'haft' has no attribute '{name}'")

    def foreach(*arguments, **named):
        lists = [a for a in (*arguments, *named.values()) if isinstance(a, (list, tuple))]
        if not lists or not lists[0]:
            raise RuntimeError(f"{name}: the list of tensors must not be empty")
        for a in lists:
            if len(a) != len(lists[0]):
                raise RuntimeError(f"{name}: lists must have the same number of tensors, got {len(lists[0])} and {len(a)}")

        def one(a, i):
            return a[i] if isinstance(a, (list, tuple)) else a
        results = []
        for i in range(len(lists[0])):
            first, *others = (one(a, i) for a in arguments)
            if not isinstance(first, _haft.Tensor):  # a number to the power of tensors
                first = others[0].new_full((), first)
            results.append(run(first, *others, **{key: one(a, i) for key, a in named.items()}))
        return None if method.endswith("_") else results

    return called(name, f"Tensor.{method} of each tensor; lists among the other arguments have one for each." +
                  (" In place: returns None." if method.endswith("_") else " Returns a list."), foreach)
