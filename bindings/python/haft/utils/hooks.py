"""Handles of hooks."""
from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict

_ids = itertools.count()


class RemovableHandle:
    """Takes a hook away again: by ``remove()``, or at the end of a ``with`` block."""

    def __init__(self, hooks: OrderedDict, hook=None, first: bool = False):
        self.id = next(_ids)
        self._hooks = weakref.ref(hooks)
        if hook is not None:
            hooks[self.id] = hook
            if first:
                hooks.move_to_end(self.id, last=False)

    def remove(self) -> None:
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __getstate__(self):
        return self._hooks(), self.id

    def __setstate__(self, state) -> None:
        hooks, self.id = state
        # A copy acts on the dictionary that was copied with it.
        self._hooks = weakref.ref(hooks if hooks is not None else OrderedDict())

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc) -> None:
        self.remove()


class TensorHandle(RemovableHandle):
    """The handle of a hook that the engine holds."""

    def __init__(self, tensor, hook: int):
        self.id = next(_ids)
        self._tensor, self._hook = tensor, hook

    def remove(self) -> None:
        tensor, self._tensor = self._tensor, None
        if tensor is not None:
            tensor._remove_hook(self._hook)

    def __getstate__(self):
        raise TypeError("the handle of a tensor's hook cannot be pickled")
