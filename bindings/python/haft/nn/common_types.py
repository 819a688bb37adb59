"""Types for annotations of sizes, by the names of torch.nn.common_types."""
from typing import Optional, TypeVar, Union

from .. import Tensor

__all__ = []

T = TypeVar("T")
_scalar_or_tuple_any_t = Union[T, tuple[T, ...]]
_scalar_or_tuple_1_t, _scalar_or_tuple_2_t, _scalar_or_tuple_3_t, _scalar_or_tuple_4_t, _scalar_or_tuple_5_t, _scalar_or_tuple_6_t = (
    Union[T, tuple[(T,) * n]] for n in range(1, 7))
_size_any_t, _size_1_t, _size_2_t, _size_3_t, _size_4_t, _size_5_t, _size_6_t = (
    Union[int, tuple[int, ...]], *(Union[int, tuple[(int,) * n]] for n in range(1, 7)))
_size_any_opt_t, _size_2_opt_t, _size_3_opt_t = (
    Union[int, None, tuple[Optional[int], ...]], *(Union[int, None, tuple[(Optional[int],) * n]] for n in (2, 3)))
_ratio_any_t, _ratio_2_t, _ratio_3_t = Union[float, tuple[float, ...]], *(Union[float, tuple[(float,) * n]] for n in (2, 3))
_tensor_list_t = Union[Tensor, tuple[Tensor, ...]]
