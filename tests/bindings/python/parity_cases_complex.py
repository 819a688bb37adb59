"""Complex numbers and Fourier transforms: random arguments for parity_cases.run. Results are told as pairs, which both sides compare as real numbers."""
from parity_cases import case

WIDE = ("float32", "float64")
_options = dict(dtypes=WIDE, layouts=("dense", "transposed", "strided", "offset"), limit=1e-4)


def parts(least=1, most=3):
    """Two tensors that are the parts of complex numbers, and dimensions."""
    def draw(d):
        n = d.size(least, most)
        shape = [d.size(1, 7) for _ in range(n)]
        return dict(x=d.tensor(*shape), y=d.tensor(*shape), dim=d.dim(n), dims=d.dims(n), k=d.size(1, 9), norm=d.pick(None, "backward", "ortho", "forward"),
                    s=d.pick(0.5, -2, 3, 2), shape=shape)
    return draw


def two(d):
    shape = [d.size(1, 5), d.size(1, 5)]
    return dict(x=d.tensor(*shape, low=0.3, high=2), y=d.tensor(*shape, low=0.3, high=2), u=d.tensor(*shape, low=0.3, high=2), v=d.tensor(*shape, low=-2, high=-0.3))


Z, W = "h.complex(x, y)", "h.complex(u, v)"


def pairs(expression):
    return " | ".join(f"h.view_as_real(({e}).resolve_conj())" for e in expression.split(" | "))


case("complex", pairs(f"{Z} | {Z}.clone()"), parts(), **_options)
case("polar", pairs("h.polar(x.abs() + 0.1, y)"), parts(), **_options)
case("view_as_complex", pairs("h.view_as_complex(h.stack([x, y], -1))"), parts(), **_options)
case("view_as_real", f"h.view_as_real({Z})", parts(), **_options)
case("real", f"h.real({Z}) | {Z}.real | x.real", parts(), **_options)
case("imag", f"h.imag({Z}) | {Z}.imag", parts(), **_options)
case("conj", pairs(f"h.conj({Z}) | h.conj_physical({Z})") + f" | {Z}.conj().imag.resolve_neg()", parts(), **_options)
case("angle", f"h.angle({Z}) | h.angle(x) | {Z}.angle()", parts(), **_options)
case("sgn", pairs(f"h.sgn({Z})") + " | h.sgn(x)", parts(), **_options)
case("isreal", f"h.isreal({Z}) | h.isreal(x) | h.isreal(h.complex(x, y * 0))", parts(), gradients=False, **_options)
case("vdot", "h.vdot(x, y)", parts(1, 1), **_options)  # of complex ones Debian's PyTorch 1.13 answers 0
case("adjoint", pairs(f"h.adjoint({Z}) | {Z}.mT.conj()"), parts(2, 3), **_options)
for _name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "square", "reciprocal", "neg", "rsqrt", "log10", "log2", "sigmoid",
              "asin", "acos", "atan", "asinh", "acosh", "atanh"):
    case(_name, f"h.view_as_real(h.{_name}({Z}))", two, **_options)
case("abs", f"{Z}.abs()", parts(), **_options)
case("add", pairs(f"{Z} + {W} | {Z} + u | 2 + {Z} | {Z} + 1j | x + (1 - 2j)"), two, **_options)
case("sub", pairs(f"{Z} - {W} | 1 - {Z} | 1j - {Z}"), two, **_options)
case("mul", pairs(f"{Z} * {W} | {Z} * u | u * {Z} | {Z} * 3 | x * 2j"), two, **_options)
case("div", pairs(f"{Z} / {W} | {Z} / u | u / {Z} | 2 / {Z} | {Z} / (1 + 1j)"), two, **_options)
case("pow", pairs(f"{Z} ** {W} | {Z} ** u | {Z} ** 2 | {Z} ** 0.5 | {Z} ** -1.5 | 2 ** {Z}"), two, **_options)
case("eq", f"{Z} == {Z} | {Z} == {W} | {Z} != 1j", two, gradients=False, **_options)
case("sum", pairs(f"{Z}.sum() | {Z}.sum(dim) | {Z}.sum(dims, keepdim=True)"), parts(), **_options)
case("mean", pairs(f"{Z}.mean() | {Z}.mean(dim)"), parts(), **_options)
case("prod", pairs(f"{Z}.prod() | {Z}.prod(dim)"), parts(), **_options)
case("cumsum", pairs(f"{Z}.cumsum(dim)"), parts(), **_options)
case("matmul", pairs(f"{Z} @ {Z}.mT | {Z} @ {Z}.mT.conj()"), parts(2, 3), **_options)
case("cat", pairs(f"h.cat([{Z}, {Z} * 2], dim) | h.stack([{Z}, {Z}], dim) | h.cat([{Z}, x], dim)"), parts(), **_options)
case("where", pairs(f"h.where(x > 0, {Z}, {Z} * 1j) | h.where(x > 0, {Z}, x)"), parts(), **_options)
case("where", pairs("h.where(x > 0, x, 1 - 1j)"), parts(), **_options)
case("full", pairs(f"h.full(shape, 1 - 2j) | h.full_like({Z}, 2j) | x.new_full((2,), 1j, dtype=h.complex128)"), parts(), gradients=False, **_options)
case("fill", pairs(f"{Z}.clone().fill_(2 - 1j)"), parts(), gradients=False, **_options)
case("masked_fill", pairs(f"{Z}.masked_fill(x > 0, 2 - 1j) | ({Z} * 2).masked_fill_(x > 0, 2 - 1j)"), parts(), **_options)
case("index_fill", pairs(f"{Z}.index_fill(dim, h.tensor([0]), 1 - 1j)"), parts(), **_options)
case("addcmul", pairs(f"h.addcmul({Z}, {W}, {W}, value=1 - 2j) | h.lerp({Z}, {W}, 0.5 - 1j) | h.mul({Z}, 2j)"), two, **_options)
case("cumprod", pairs(f"{Z}.cumprod(dim)"), parts(), **_options)
case("pad", pairs(f"F.pad({Z}, (1, 2)) | F.pad({Z}[None], (1, 0), mode='circular') | F.pad({Z}[None], (k, 1), mode='replicate')"), parts(2, 2), **_options)
case("cov", pairs(f"h.cov({Z}) | h.corrcoef({Z})"), two, **_options)
case("vecdot", pairs(f"h.linalg.vecdot({Z}, {W})"), two, **_options)
case("var_mean", pairs(f"h.var_mean({Z}, dim)[1]") + f" | h.var_mean({Z}, dim)[0]", parts(2, 3), **_options)
case("index", pairs(f"{Z}[x > 0] | {Z}[0] | {Z}[..., -1] | {Z}.flip(0)"), parts(), **_options)
case("norm", f"{Z}.norm() | {Z}.norm(dim=dim)", parts(), **_options)

_FFT = "h.fft.{0}({1}) | h.fft.{0}({1}, k) | h.fft.{0}({1}, None, dim, norm) | h.fft.{0}({1}, k, dim, norm=norm)"
_FFTN = "h.fft.{0}({1}) | h.fft.{0}({1}, dim=dims, norm=norm) | h.fft.{0}({1}, [k + 1] * len(dims), dims, norm)"
for _name, _operator in (("fft", "fft_fft"), ("ifft", "fft_ifft"), ("rfft", "fft_rfft"), ("irfft", "fft_irfft"), ("hfft", "fft_hfft"), ("ihfft", "fft_ihfft")):
    _real_in, _real_out = _name in ("rfft", "ihfft"), _name in ("irfft", "hfft")
    _wrap = (lambda e: e) if _real_out else pairs
    case(_operator, _wrap(_FFT.format(_name, "x" if _real_in else Z)) + ("" if _real_in or _real_out else " | " + pairs(f"h.fft.{_name}(x)")), parts(), **_options)
    case(_operator + "n", _wrap(_FFTN.format(_name + "n", "x" if _real_in else Z)), parts(), **_options)
    case(_operator + "n", _wrap(f"h.fft.{_name}2({'x' if _real_in else Z}) | h.fft.{_name}2({'x' if _real_in else Z}, (k + 1, 4), norm=norm)"), parts(2, 3), **_options)
case("fft_fftfreq", "h.fft.fftfreq(k) | h.fft.fftfreq(k, 0.5) | h.fft.fftfreq(k, d=2.0, dtype=h.float64)", parts(), gradients=False, **_options)
case("fft_rfftfreq", "h.fft.rfftfreq(k) | h.fft.rfftfreq(k, 0.5)", parts(), gradients=False, **_options)
case("fft_fftshift", f"h.fft.fftshift(x) | h.fft.fftshift(x, dim) | h.fft.fftshift(x, dims) | h.view_as_real(h.fft.fftshift({Z}))", parts(), **_options)
case("fft_ifftshift", "h.fft.ifftshift(x) | h.fft.ifftshift(x, dim) | h.fft.ifftshift(h.fft.fftshift(x))", parts(), **_options)


def signal(d):
    n = d.size(4, 9)
    return dict(x=d.tensor(d.size(1, 2), d.size(2 * n, 40)), n=n, hop=d.size(1, n // 2), win=d.size(2, n), w=d.tensor(n, low=0.5, high=1, layout="dense"),
                mode=d.pick("reflect", "constant", "replicate", "circular"), norm=bool(d.size(0, 1)))


case("stft", "h.stft(x, n, hop, window=w, return_complex=True).abs() | h.stft(x, n, return_complex=False, window=w, pad_mode=mode, normalized=norm)"
     " | h.view_as_real(h.stft(x[0], n, hop, win, w[:win], center=False, onesided=False, return_complex=True))", signal, **_options)
case("istft", "h.istft(h.stft(x, n, hop, window=w, return_complex=True), n, hop, window=w, length=x.shape[-1])"
     " | h.istft(h.stft(x, n, hop, window=w, normalized=norm, onesided=False, return_complex=True), n, hop, window=w, normalized=norm, onesided=False)", signal, **_options)
