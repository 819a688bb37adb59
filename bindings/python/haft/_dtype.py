"""Element types."""
from ._names import Named as _Named


class dtype(_Named):
    """The type of a tensor's elements: haft.float32, haft.int64, ..."""
    __slots__ = ("_number", "itemsize", "is_floating_point", "is_complex", "is_signed")

    def __init__(self, number, name, itemsize, is_floating_point, is_signed):
        super().__init__(name)
        self._number = number
        self.itemsize = itemsize
        self.is_floating_point = is_floating_point
        self.is_complex = name.startswith("complex")
        self.is_signed = is_signed

    def to_real(self):
        """The type of a complex number's parts; other types are their own."""
        return _PARTS.get(self, self)

    def to_complex(self):
        """The type of complex numbers whose parts are of this one."""
        if self.is_complex:
            return self
        if self not in (float32, float64):
            raise TypeError(f"{self} has no complex type")
        return complex64 if self is float32 else complex128


bool = dtype(1, "bool", 1, False, False)
uint8 = dtype(2, "uint8", 1, False, False)
int8 = dtype(3, "int8", 1, False, True)
int16 = dtype(4, "int16", 2, False, True)
int32 = dtype(5, "int32", 4, False, True)
int64 = dtype(6, "int64", 8, False, True)
float16 = dtype(7, "float16", 2, True, True)
bfloat16 = dtype(8, "bfloat16", 2, True, True)
float32 = dtype(9, "float32", 4, True, True)
float64 = dtype(10, "float64", 8, True, True)
complex64 = dtype(11, "complex64", 8, False, True)
complex128 = dtype(12, "complex128", 16, False, True)
_PARTS = {complex64: float32, complex128: float64}
# To store, cast and multiply (scaled_mm): nothing else computes with them.
float8_e4m3fn = dtype(13, "float8_e4m3fn", 1, True, True)
float8_e5m2 = dtype(14, "float8_e5m2", 1, True, True)

ALL = [None, bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128, float8_e4m3fn, float8_e5m2]  # by number
NAMES = {d.name: d for d in ALL if d}
FLOAT8 = (float8_e4m3fn, float8_e5m2)
# Types of PyTorch that haft has not: programs ask whether a tensor is of one.
ABSENT = {name: dtype(-1, name, size, floating, signed) for name, size, floating, signed in (
    ("uint16", 2, False, False), ("uint32", 4, False, False), ("uint64", 8, False, False), ("complex32", 4, False, True), ("float8_e4m3fnuz", 1, True, True),
    ("float8_e5m2fnuz", 1, True, True), ("quint8", 1, False, False), ("qint8", 1, False, True),
    ("qint32", 4, False, True))}
globals().update(ABSENT)
ABSENT.update(chalf=ABSENT["complex32"])
cfloat, cdouble = complex64, complex128
half, double, float, long, int, short = float16, float64, float32, int64, int32, int16


class finfo:
    """Limits of a floating type."""

    # dtype -> bits, eps, max, smallest normal, decimal digits
    _LIMITS = {
        float16: (16, 2.0 ** -10, 65504.0, 2.0 ** -14, 1e-3),
        bfloat16: (16, 2.0 ** -7, (2 - 2.0 ** -7) * 2.0 ** 127, 2.0 ** -126, 1e-2),
        float8_e4m3fn: (8, 2.0 ** -3, 448.0, 2.0 ** -6, 1.0),
        float8_e5m2: (8, 2.0 ** -2, 57344.0, 2.0 ** -14, 1.0),
        float32: (32, 2.0 ** -23, (2 - 2.0 ** -23) * 2.0 ** 127, 2.0 ** -126, 1e-6),
        float64: (64, 2.0 ** -52, (2 - 2.0 ** -52) * 2.0 ** 1023, 2.0 ** -1022, 1e-15),
    }

    def __init__(self, dtype=float32):
        dtype = _PARTS.get(dtype, dtype)
        if dtype not in self._LIMITS:
            raise TypeError(f"finfo() requires a floating point input type, got {dtype}. Use iinfo for integers.")
        self.dtype = dtype.name
        self.bits, self.eps, self.max, self.tiny, self.resolution = self._LIMITS[dtype]
        self.min = -self.max
        self.smallest_normal = self.tiny

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """Limits of an integer type."""

    def __init__(self, dtype):
        if dtype.is_floating_point or dtype is bool:
            raise TypeError(f"iinfo() requires an integer input type, got {dtype}. Use finfo for floating types.")
        self.dtype = dtype.name
        self.bits = 8 * dtype.itemsize
        self.max = 2 ** (self.bits - dtype.is_signed) - 1
        self.min = -self.max - 1 if dtype.is_signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
