"""Types for annotations by the names of torch.jit.annotations: BroadcastingList2[int] is a number, or a list of two."""
from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401: programs import them from here

__all__ = []


class _BroadcastingList:
    def __getitem__(self, kind):
        return Union[kind, list[kind]]


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = _BroadcastingList()
