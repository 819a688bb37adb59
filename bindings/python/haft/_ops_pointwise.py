"""Pointwise operators with PyTorch's arguments. Each function is a method as well where PyTorch has it."""
from . import _dtype
from ._creation import into_or_new as _out, operands as _operands
from ._library import _haft, raw as R
from ._names import Names, called as _called

Tensor = _haft.Tensor
_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods
_both, _function = _names.both, _names.function


# ---- one tensor in, one out ----

def round(input, *, decimals=0, out=None):
    """The nearest integer (or the nearest number with that many decimals), halves to even."""
    t = R.round(input) if decimals == 0 else R.round(input * 10.0 ** decimals) / 10.0 ** decimals
    return _out(t, out)


def square(input, *, out=None):
    """input * input; bool counts as 0 and 1 (int64)."""
    t = R.square(input.long() if input.dtype is _dtype.bool else input)
    return _out(t, out)


def positive(input):
    """The tensor itself."""
    return input


def isreal(input):
    """True everywhere: there are no complex tensors."""
    return input == input if not input.dtype.is_floating_point else R.ones(input.shape, _dtype.bool, input.device)


def polygamma(n, input, *, out=None):
    """The n-th derivative of digamma."""
    return _out(R.polygamma(n, input), out)


METHODS["polygamma"] = _called("polygamma", polygamma.__doc__, lambda self, n: R.polygamma(n, self))


# ---- two operands ----

def _like_number(input, number):
    dtype = input.dtype
    if isinstance(number, float) and not dtype.is_floating_point or isinstance(number, int) and dtype is _dtype.bool and type(number) is not bool:
        dtype = None
    return R.full((), number, dtype, input.device)


def add(input, other, *, alpha=1, out=None):
    """input + alpha * other."""
    input, other = _operands(input, other)
    t = R.add(input, other if alpha == 1 else other * alpha)
    return _out(t, out)


def sub(input, other, *, alpha=1, out=None):
    """input - alpha * other."""
    input, other = _operands(input, other)
    t = R.sub(input, other if alpha == 1 else other * alpha)
    return _out(t, out)


def rsub(input, other, *, alpha=1):
    """other - alpha * input."""
    return other - (input if alpha == 1 else input * alpha)


def _quotient(input, other, rounding_mode):
    if rounding_mode is None:
        return input / other
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")
    floating = input.dtype.is_floating_point or isinstance(other, float) or isinstance(other, Tensor) and other.dtype.is_floating_point
    if floating:
        t = input / other
        return t.floor() if rounding_mode == "floor" else t.trunc()
    if rounding_mode == "floor":
        return input // other
    return (input - input.fmod(other)) // other


def div(input, other, *, rounding_mode=None, out=None):
    """input / other; rounding_mode "floor" or "trunc" rounds the quotient."""
    input, other = _operands(input, other)
    t = _quotient(input, other, rounding_mode)
    return _out(t, out)


def pow(input, exponent, *, out=None):
    """input to the power exponent; one of them may be a number."""
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise TypeError("pow() takes at least one Tensor")
    t = input ** exponent
    return _out(t, out)


float_power = _both(_called("float_power", "input to the power exponent, in float64.", lambda input, exponent, *, out=None: pow(
    input.double() if isinstance(input, Tensor) else input, exponent.double() if isinstance(exponent, Tensor) else float(exponent), out=out)))


def add_(self, other, *, alpha=1):
    """Adds alpha * other in place."""
    return R.add_(self, other if alpha == 1 else other * alpha)


def sub_(self, other, *, alpha=1):
    """Subtracts alpha * other in place."""
    return R.sub_(self, other if alpha == 1 else other * alpha)


def div_(self, other, *, rounding_mode=None):
    """Divides in place; rounding_mode "floor" or "trunc" rounds the quotient."""
    if rounding_mode is None:
        return R.div_(self, other)
    return self.copy_(_quotient(_kept(self), other, rounding_mode))


def _kept(self):
    # What backward needs of a tensor that is about to be written over.
    return self.clone() if self.requires_grad else self


_names.collect(globals())


def _overwrites(methods, names):
    """Adds the form in place of methods whose operators have none: the result is written over the tensor."""
    def added(plain, name):
        return _called(name + "_", f"{name}, in place.", lambda self, *args, **kwargs: self.copy_(plain(_kept(self), *args, **kwargs)))
    methods.update((name + "_", added(methods.get(name) or getattr(R, name), name)) for name in names.split())


_overwrites(METHODS, "eq ne lt le gt ge logical_and logical_or logical_xor logical_not frac nan_to_num float_power tril triu cumsum cumprod atan2 polygamma "
                    "addmm")


def clamp(input, min=None, max=None, *, out=None):
    """input limited to [min, max]; bounds are numbers, tensors or None."""
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        t = input
        if min is not None:
            t = R.maximum(t, min if isinstance(min, Tensor) else _like_number(input, min))
        if max is not None:
            t = R.minimum(t, max if isinstance(max, Tensor) else _like_number(input, max))
    else:
        t = R.clamp(input, min, max)
    return _out(t, out)


def clamp_(self, min=None, max=None):
    """Limits the elements to [min, max] in place."""
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return self.copy_(clamp(_kept(self), min, max))
    if min is None and max is None:
        raise RuntimeError("clamp_: At least one of 'min' or 'max' must not be None")
    return R.clamp_(self, min, max)


def clamp_min(input, min, *, out=None):
    """The larger of input and min."""
    return clamp(input, min, out=out)


def clamp_max(input, max, *, out=None):
    """The smaller of input and max."""
    return clamp(input, max=max, out=out)


METHODS.update(clamp_min_=lambda self, min: clamp_(self, min), clamp_max_=lambda self, max: clamp_(self, None, max))


def where(condition, input=None, other=None, *, out=None):
    """input where condition is true, other elsewhere; without them the indices where it is true."""
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        dtype = None if isinstance(input, float) or isinstance(other, float) or type(input) is not type(other) else _dtype_of_number(input)
        input, other = (R.full((), v, dtype or _haft.default_dtype(), condition.device) for v in (input, other))
    elif not isinstance(input, Tensor):
        input = _like_number(other, input)
    elif not isinstance(other, Tensor):
        other = _like_number(input, other)
    t = R.where(condition if condition.dtype is _dtype.bool else condition != 0, input, other)
    return _out(t, out)


def _dtype_of_number(v):
    return _dtype.bool if v is True or v is False else _dtype.int64 if isinstance(v, int) else None


METHODS["where"] = _called("where", "self where condition is true, other elsewhere.", lambda self, condition, other: where(condition, self, other))


def lerp(input, end, weight, *, out=None):
    """input + weight * (end - input); weight is a number or a tensor."""
    t = R.lerp(input, end, weight) if not isinstance(weight, Tensor) or weight.ndim == 0 and not weight.requires_grad else input + weight * (end - input)
    return _out(t, out)


def lerp_(self, end, weight):
    """Moves towards end in place."""
    return R.lerp_(self, end, weight) if not isinstance(weight, Tensor) else self.copy_(lerp(_kept(self), end, weight))


def masked_fill(input, mask, value):
    """value (a number or a 0-dim tensor) where mask is true, input elsewhere."""
    if isinstance(value, Tensor) and value.requires_grad:
        return where(mask, value.to(dtype=input.dtype), input)
    return R.masked_fill(input, mask, value)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close: see isclose."""
    return R.isclose(input, other, rtol, atol, equal_nan).all().item()


def equal(input, other):
    """Whether both have the same sizes and elements."""
    return input.shape == other.shape and (input == other).all().item()


# ---- layers that are functions of torch, too ----

@_function
def dropout(input, p=0.5, train=True):
    """Zeroes each element with probability p and scales the rest by 1 / (1 - p)."""
    return R.dropout(input, p, train)


@_function
def batch_norm(input, weight, bias, running_mean, running_var, training, momentum=0.1, eps=1e-5, cudnn_enabled=True):
    """Normalises each channel by the statistics of the batch, or by the running ones when not training."""
    return R.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


@_function
def instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum=0.1, eps=1e-5, cudnn_enabled=True):
    """Normalises each channel of each sample by its own statistics, or by the running ones."""
    return R.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


_names.collect(globals())
