"""haft: tensors, gradients, modules and training, by PyTorch's names."""
from ._library import _haft
from ._errors import *
from . import _errors, _random, _tensor
from math import e, inf, nan, pi
from ._dtype import (bfloat16, bool, cdouble, cfloat, complex64, complex128, double, dtype, finfo, float, float16, float32, float64, float8_e4m3fn, float8_e5m2, half, iinfo, int,
                     int16, int32, int64, int8, long, short, uint8)
from ._dtype import ABSENT as _ABSENT
from ._device import device
from ._creation import *
from ._made import *
from ._random import *
from ._modes import *
from ._printing import set_printoptions

from . import _forms, _ops, _ops_linalg, _ops_recurrent, _ops_several, _ops_shape

Tensor = _haft.Tensor
Size = _haft.Size
newaxis = None
__version__ = _haft.version()
# _ops and _forms are written by tools/generate; the other families are where PyTorch's arguments are more than one call of the engine. What
# the engine gains appears here by itself: every operator is a method, and a function of its first input.
_functions = {}
for _family in (_ops, _forms, _ops_several, _ops_shape, _ops_linalg, _ops_recurrent):
    _functions.update(_family.FUNCTIONS)
# What is a method only, as in PyTorch, or an operator's other form.
_ONLY_METHODS = set("as_subclass clamp_tensor contiguous copy data_ptr dim div_rounded expand expand_as gumbel_softmax index is_contiguous item "
                    "lerp_tensor matrix_norm max_dim min_dim ndimension nelement normalize rdiv repeat retain_grad rpow searchsorted_by size slice split_sizes storage_offset stride sum_to_size tensor_split_indices to unfold uniform vecdot view zero_grad".split())
for _name in vars(Tensor):
    if _name[0] != "_" and not _name.startswith("fft_") and not _name.endswith(("_", "_out")) and _name not in _ONLY_METHODS and callable(getattr(Tensor, _name)):
        _functions.setdefault(_name, getattr(Tensor, _name))
_methods = {**_ops.METHODS, **_forms.METHODS, **_ops_several.METHODS, **_ops_shape.METHODS, **_ops_linalg.METHODS, **_random.METHODS, **_tensor.METHODS}
for _name, _value in _ops.ALIASES.items():
    _functions[_name] = _functions.get(_value) or getattr(Tensor, _value)
    _methods[_name] = _methods.get(_value) or getattr(Tensor, _value)
    if (_value := _methods.get(_value + "_") or getattr(Tensor, _value + "_", None)) is not None:
        _functions[_name + "_"] = _methods[_name + "_"] = _value
for _name in ["relu", "clamp", "clip", "clamp_min", "clamp_max", "fill", "zero", "square", "detach", "index_put", "addmv", "deg2rad", "ldexp", "logit", "rad2deg", "sinc"]:
    if (_value := _methods.get(_name + "_") or getattr(Tensor, _name + "_", None)) is not None:
        _functions.setdefault(_name + "_", _value)
globals().update(_ABSENT)
for _name, _value in _functions.items():
    if _name[:7] != "linalg_":  # haft.linalg's
        globals().setdefault(_name, _value)
for _name, _value in _methods.items():
    if callable(_value) and not _value.__doc__:
        _value.__doc__ = (getattr(_functions.get(_name.rstrip("_")), "__doc__", "") or _name) + (" In place." if _name[-1] == "_" else "")
_haft.extend(Tensor, _methods)
del _ONLY_METHODS, _family, _functions, _methods, _name, _value

# Loaded when first used: `import haft` takes milliseconds.
_LAZY = {name: name for name in ("nn", "optim", "autograd", "utils", "vision", "jit", "multiprocessing", "compat", "cuda", "backends",
                                 "profiler", "distributed", "export", "library", "masked", "nested", "overrides", "sparse", "storage", "types",
                                 "_C", "_utils", "_dynamo", "_inductor", "random", "serialization", "testing", "version", "accelerator", "compiler", "fx", "hub", "onnx")}
_LAZY.update((name, name) for name in ("amp", "cpu", "distributions", "fft", "func", "io", "linalg", "metrics", "runtime", "serving", "special"))
_LAZY.update((name, "amp") for name in (
    "autocast clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled "
    "is_autocast_cpu_enabled is_autocast_enabled set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled").split())
_LAZY.update(GradScaler="amp", save="serialization", load="serialization", fuse="_fused", vmap="func", ops="library")
# Functions of haft.nn.functional that PyTorch has under its own name as well.
_LAZY.update((name, "nn.functional") for name in (
    "conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d max_pool2d max_pool3d avg_pool1d adaptive_avg_pool1d "
    "adaptive_max_pool1d selu selu_ celu celu_ rrelu rrelu_ threshold threshold_ pixel_shuffle pixel_unshuffle channel_shuffle "
    "bilinear").split())
_LAZY.update((name, "_legacy") for name in ("FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor "
                                            "ByteTensor BoolTensor range").split())
_LAZY.update((name, "_settings") for name in (
    "are_deterministic_algorithms_enabled compile get_default_device get_deterministic_debug_mode get_float32_matmul_precision "
    "get_num_interop_threads is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode set_float32_matmul_precision "
    "set_flush_denormal set_num_interop_threads typename use_deterministic_algorithms _assert").split())
_LAZY.update((name, "storage") for name in ("TypedStorage", "UntypedStorage"))
_LAZY.update((name, "sparse") for name in ("sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor").split())
_LAZY["get_device_module"] = "accelerator"
_LAZY.update((name, "_unserved") for name in ("mps", "mtia", "xpu"))
_LAZY.update((name, "_layout") for name in ("layout memory_format strided sparse_coo contiguous_format preserve_format channels_last "
                                            "channels_last_3d").split())
for _name in _LAZY:
    globals().pop(_name, None)
del _name


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module
        try:
            module = import_module("." + _LAZY[name], __name__)
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
        else:
            value = globals()[name] = module if _LAZY[name] == name else getattr(module, name)
            return value
    if name.startswith("_foreach_"):
        from ._foreach import over_lists
        value = globals()[name] = over_lists(name)
        return value
    raise AttributeError(f"module 'haft' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LAZY})
