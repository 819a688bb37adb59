"""Random numbers: the same stream for a seed on every device."""
from ._creation import _finished
from ._library import _haft, raw as R
from ._names import called as _called

Tensor = _haft.Tensor
__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "normal", "randint",
           "randint_like", "seed", "set_rng_state"]


class Generator(_haft.Generator):
    """A position in a stream of random numbers."""

    __repr__ = object.__repr__

    def __init__(self, device="cpu"):
        super().__init__(67280421310721)
        from ._device import device as _device
        self.device = _device(device)

    def manual_seed(self, seed):
        """Starts the stream of a seed; answers the generator."""
        super().seed(_signed(seed))
        return self

    def seed(self):
        """A seed from the system, set and answered."""
        from os import urandom
        seed = int.from_bytes(urandom(7), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self):
        """The seed that the stream began with."""
        return self.state()[0]

    def get_state(self):
        """Seed and position as a tensor."""
        from ._creation import tensor
        from ._dtype import int64
        return tensor(list(self.state()), dtype=int64)

    def set_state(self, state):
        """What get_state answered."""
        super().set_state(tuple(state.tolist()))
        return self


def _signed(seed):
    seed = int(seed)
    if not -2 ** 63 <= seed < 2 ** 64:
        raise RuntimeError("Overflow when unpacking long")
    return seed - 2 ** 64 if seed >= 2 ** 63 else seed


def manual_seed(seed):
    """Seeds the default generator and answers it."""
    _haft.manual_seed(_signed(seed))
    return default_generator


class _Default(Generator):
    # The engine's own generator, which calls without one draw from.
    def __new__(cls):
        return _haft.Generator.__new__(cls)

    def __init__(self):
        from ._device import cpu
        self.device = cpu

    def manual_seed(self, seed):
        _haft.manual_seed(_signed(seed))
        return self

    def state(self):
        return _haft.default_generator_state()

    def set_state(self, state):
        _haft.set_default_generator_state(tuple(state.tolist()))
        return self


default_generator = _Default()


def seed():
    """Seeds the default generator from the system and answers the seed."""
    return default_generator.seed()


def initial_seed():
    """The seed that the default generator's stream began with."""
    return default_generator.initial_seed()


def get_rng_state():
    """Seed and position of the default generator as a tensor."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """What get_rng_state answered."""
    default_generator.set_state(new_state)


def randint(low=0, high=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """Integers in [low, high); randint(high, size) starts at 0."""
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    return _finished(R.randint(low, high, size, dtype, device, generator), requires_grad, out)


def randint_like(input, low, high=None, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """Integers in [low, high) with the shape and dtype of input."""
    return randint(low, high, input.shape, dtype=dtype or input.dtype, device=device or input.device, requires_grad=requires_grad)


def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, device=None, requires_grad=False):
    """Normal numbers; mean and std may be tensors, one of each element."""
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        # Only where nobody waits for a device to say so, and not of the examples of a vmap.
        known = not isinstance(std, Tensor) or (std.device.type == "cpu" and not _haft.is_batched(std))
        if known and not ((std >= 0).all() if isinstance(std, Tensor) else std >= 0):
            raise RuntimeError(f"normal expects std >= 0.0, but found {'other elements' if isinstance(std, Tensor) else f'std {std}'}")
        like = mean + std if not (isinstance(mean, Tensor) and isinstance(std, Tensor)) else mean.detach() + std.detach()
        drawn = R.randn(like.shape, like.dtype, like.device, generator) * std + mean
        return _finished(drawn.detach(), requires_grad, out)
    if size is None:
        raise TypeError("normal() of two numbers needs a size")
    return _finished(R.normal(mean, std, size, dtype, device, generator), requires_grad, out)


def _in_place(draw):
    def fn(self, *args, generator=None, **kwargs):
        self.copy_(draw(self, *args, generator=generator, **kwargs))
        return self
    return _called(draw.__name__, draw.__doc__, fn)


@_in_place
def normal_(self, mean=0.0, std=1.0, *, generator=None):
    """Fills the tensor with normal numbers."""
    return R.normal(mean, std, self.shape, self.dtype, self.device, generator)


@_in_place
def uniform_(self, a=0.0, b=1.0, *, generator=None, **bounds):
    """Fills the tensor with uniform numbers in [a, b)."""
    return R.uniform(self.shape, bounds.get("from", a), bounds.get("to", b), self.dtype, self.device, generator)


@_in_place
def random_(self, low=0, high=None, *, generator=None):
    """Fills the tensor with integers in [low, high), or with all that its type counts without gaps."""
    if high is None:
        low, high = (0, low) if low else (0, None)
    if high is None:
        from . import _dtype
        most = {"float16": 2 ** 11, "bfloat16": 2 ** 8, "float32": 2 ** 24, "float64": 2 ** 53, "bool": 1}
        high = most.get(self.dtype.name) or _dtype.iinfo(self.dtype).max
        high += self.dtype.name != "int64"
    return R.randint(low, high, self.shape, self.dtype, self.device, generator)


@_in_place
def bernoulli_(self, p=0.5, *, generator=None):
    """Fills the tensor with 1 with probability p (a number or a tensor), else 0."""
    p = p.expand(self.shape) if isinstance(p, Tensor) else R.full(self.shape, float(p), R.rand(()).dtype, self.device)
    return R.bernoulli(p, generator)


@_in_place
def exponential_(self, lambd=1.0, *, generator=None):
    """Fills the tensor with exponentially distributed numbers."""
    return R.exponential(self.shape, lambd, self.dtype, self.device, generator)


@_in_place
def cauchy_(self, median=0.0, sigma=1.0, *, generator=None):
    """Fills the tensor with numbers of a Cauchy distribution."""
    return R.cauchy(self.shape, median, sigma, self.dtype, self.device, generator)


@_in_place
def log_normal_(self, mean=1.0, std=2.0, *, generator=None):
    """Fills the tensor with exp of normal numbers of that mean and standard deviation."""
    return R.log_normal(self.shape, mean, std, self.dtype, self.device, generator)


@_in_place
def geometric_(self, p, *, generator=None):
    """Fills the tensor with the number of trials up to the first success, each with probability p."""
    return R.geometric(self.shape, p, self.dtype, self.device, generator)


METHODS = {f.__name__: f for f in (normal_, uniform_, random_, bernoulli_, exponential_, cauchy_, log_normal_, geometric_)}
