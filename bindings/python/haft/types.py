"""Types for annotations, by the names of torch.types."""
import builtins
from typing import Sequence, Union

from ._device import device as _device
from ._dtype import dtype as _dtype
from ._layout import layout as _layout
from ._library import _haft
from .storage import TypedStorage, UntypedStorage

__all__ = ["Device", "Number", "Storage"]

_bool, _float, _int = builtins.bool, builtins.float, builtins.int
_size = Union[_haft.Size, list[_int], tuple[_int, ...]]
_TensorOrTensors = _TensorOrTensorsOrGradEdge = Union[_haft.Tensor, Sequence[_haft.Tensor]]
Number = Union[_int, _float, _bool]
Device = Union[_device, str, _int, None]
Storage = Union[TypedStorage, UntypedStorage]
