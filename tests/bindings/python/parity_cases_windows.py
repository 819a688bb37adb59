"""Pooling and convolution in one to three dimensions, resampling, padding, normalisation: random arguments for parity_cases.run."""
from parity_cases import case

LAYERS = ("dense", "transposed", "strided", "offset")
_windows = dict(layouts=LAYERS, limit=1e-4)


def pooled(n):
    def draw(d):
        k = [d.size(1, 3) for _ in range(n)]
        sizes = [d.size(6, 9) for _ in range(n)]
        if n < 3 or d.size(0, 1):
            sizes = [d.size(1, 2)] + sizes
        return dict(x=d.tensor(d.size(1, 2), *sizes, distinct=True), y=d.tensor(d.size(1, 2), *sizes, low=0.3, high=2.0), k=k,
                    stride=[d.size(1, 3) for _ in k], padding=[d.size(0, i // 2) for i in k], dilation=d.size(1, 2), ceil=bool(d.size(0, 1)),
                    count=bool(d.size(0, 1)), p=d.pick(1.0, 2.0, 3.0), size=[d.size(1, 5) for _ in k], kept=[None] + [d.size(1, 5) for _ in k[1:]])
    return draw


for _n in (1, 2, 3):
    _d = f"{_n}d"
    case(f"max_pool{_d}", f"F.max_pool{_d}(x, k) | F.max_pool{_d}(x, k, stride, padding, dilation, ceil)", pooled(_n), **_windows)
    case(f"max_pool{_d}_with_indices", f"F.max_pool{_d}(x, 2, return_indices=True) | F.max_pool{_d}(x, k, stride, padding, dilation, ceil, True)", pooled(_n), **_windows)
    case(f"avg_pool{_d}", f"F.avg_pool{_d}(x, k) | F.avg_pool{_d}(x, k, stride, padding, ceil, count)", pooled(_n), **_windows)
    case(f"adaptive_avg_pool{_d}", f"F.adaptive_avg_pool{_d}(x, size) | F.adaptive_avg_pool{_d}(x, 2)" + (f" | F.adaptive_avg_pool{_d}(x, kept)" if _n > 1 else ""), pooled(_n), **_windows)
    case(f"adaptive_max_pool{_d}", f"F.adaptive_max_pool{_d}(x, size) | F.adaptive_max_pool{_d}(x, 1)" + (f" | F.adaptive_max_pool{_d}(x, kept)" if _n > 1 else ""), pooled(_n), **_windows)
    case(f"adaptive_max_pool{_d}_with_indices", f"F.adaptive_max_pool{_d}(x, size, True) | F.adaptive_max_pool{_d}(x, 3, return_indices=True)", pooled(_n), **_windows)
    # Without output_size PyTorch refuses indices of odd sizes, and so most draws of three dimensions.
    case(f"max_unpool{_d}", f"F.max_unpool{_d}(*F.max_pool{_d}(x, 2, return_indices=True), 2, output_size=x.shape[-{_n}:])"
         f" | F.max_unpool{_d}(*F.max_pool{_d}(x, 3, 2, return_indices=True), 3, 2, output_size=x.shape[-{_n}:])"
         f" | F.max_unpool{_d}(*F.max_pool{_d}(x[..., :6] if {_n} == 1 else x[..., :6, :6] if {_n} == 2 else x[..., :6, :6, :6], 2, return_indices=True), 2)", pooled(_n), **_windows)
for _n in (1, 2):
    case(f"lp_pool{_n}d", f"F.lp_pool{_n}d(y, p, {'k' if _n > 1 else 'k[0]'}) | F.lp_pool{_n}d(y, 2.0, 2, 1, ceil)", pooled(_n), **_windows)
case("lp_pool3d", "F.lp_pool3d(y, p, 2, 1)", pooled(3), theirs="F.avg_pool3d(y ** p, 2, 1).mul(8) ** (1 / p)", **_windows)
case("avg_pool2d", "F.avg_pool2d(x, k, stride, padding, ceil, count, 5)", pooled(2), **_windows)
case("avg_pool3d", "F.avg_pool3d(x, k, stride, padding, ceil, count, 5) | F.avg_pool3d(x, 2, divisor_override=3)", pooled(3), **_windows)


def convolved(n):
    def draw(d):
        groups = d.pick(1, 2)
        c, o, k = groups * d.size(1, 2), groups * d.size(1, 2), [d.size(1, 3) for _ in range(n)]
        stride = [d.size(1, 2) for _ in k]
        return dict(x=d.tensor(d.size(1, 2), c, *(d.size(5, 7) for _ in k)), w=d.tensor(o, c // groups, *k, layout="dense"), b=d.tensor(o, layout="dense"),
                    v=d.tensor(c, o // groups, *k, layout="dense"), stride=stride, padding=[d.size(0, 1) for _ in k], dilation=d.size(1, 2), groups=groups,
                    extra=[d.size(0, s - 1) for s in stride])
    return draw


for _n in (1, 3):
    case(f"conv{_n}d", f"F.conv{_n}d(x, w, b, stride, padding, dilation, groups) | F.conv{_n}d(x, w, groups=groups) | F.conv{_n}d(x, w, b, padding='same', groups=groups)", convolved(_n), **_windows)
for _n in (1, 2, 3):
    case(f"conv_transpose{_n}d", f"F.conv_transpose{_n}d(x, v, b, stride, padding, extra, groups, dilation) | F.conv_transpose{_n}d(x, v, groups=groups)", convolved(_n), **_windows)


def columns(d):
    k = [d.size(1, 3), d.size(1, 3)]
    size = [d.size(4, 7), d.size(4, 7)]
    return dict(x=d.tensor(d.size(1, 2), d.size(1, 3), *size), k=k, size=size, dilation=d.size(1, 2), padding=d.size(0, 1), stride=[d.size(1, 2), d.size(1, 2)])


case("im2col", "F.unfold(x, k) | F.unfold(x, k, dilation, padding, stride)", columns, **_windows)
case("col2im", "F.fold(F.unfold(x, k, dilation, padding, stride), size, k, dilation, padding, stride)", columns, **_windows)


def products(d):
    lead, a, b, o = d.sizes(d.size(1, 2)), d.size(1, 4), d.size(1, 4), d.size(1, 4)
    return dict(x=d.tensor(*lead, a), y=d.tensor(*lead, b), w=d.tensor(o, a, b), b=d.tensor(o))


case("bilinear", "F.bilinear(x, y, w, b) | F.bilinear(x, y, w)", products, **_windows)


def pixels(d):
    r, g = d.size(1, 3), d.size(1, 3)
    return dict(x=d.tensor(d.size(1, 2), r * r * d.size(1, 2), d.size(1, 4), d.size(1, 4)), y=d.tensor(d.size(1, 2), d.size(1, 3), r * d.size(1, 3), r * d.size(1, 3)),
                z=d.tensor(d.size(1, 2), g * d.size(1, 3), d.size(1, 4), d.size(1, 4), grad=False), r=r, g=g)


case("pixel_shuffle", "F.pixel_shuffle(x, r)", pixels, layouts=LAYERS)
case("pixel_unshuffle", "F.pixel_unshuffle(y, r)", pixels, layouts=LAYERS)
case("channel_shuffle", "F.channel_shuffle(z, g)", pixels, layouts=LAYERS, gradients=False, theirs="z.reshape(z.shape[0], g, -1, *z.shape[2:]).transpose(1, 2).reshape(z.shape)")


def pictures(d):
    n = d.size(1, 2)
    return dict(x=d.tensor(n, d.size(1, 2), d.size(2, 6)), y=d.tensor(n, d.size(1, 2), d.size(2, 6), d.size(2, 6)), z=d.tensor(n, 1, d.size(2, 4), d.size(2, 4), d.size(2, 4)),
                s=[d.size(1, 9) for _ in range(3)], f=d.pick(0.7, 1.6, 2.0), a=bool(d.size(0, 1)), t=d.tensor(n, 2, 3), u=d.tensor(n, 3, 4),
                g=d.tensor(n, 3, 4, 2, low=-0.9, high=0.9, grad=False), k=d.tensor(n, 2, 3, 2, 3, low=-0.9, high=0.9, grad=False), e=d.pick("zeros", "border", "reflection"))


case("interpolate", """F.interpolate(x, s[:1]) | F.interpolate(x, scale_factor=f, mode='linear', align_corners=a) | F.interpolate(y, s[:2], mode='bilinear', align_corners=a)
F.interpolate(y, s[:2], mode='bicubic', align_corners=a) | F.interpolate(y, scale_factor=(f, 1.5), mode='bilinear') | F.interpolate(z, s, mode='trilinear', align_corners=a)
F.interpolate(y, s[:2], mode='bilinear', antialias=True) | F.interpolate(y, s[:2], mode='bicubic', antialias=True) | F.interpolate(y, s[:2], mode='area') | F.interpolate(y, s[:2], mode='nearest-exact') | F.interpolate(z, scale_factor=2)""", pictures, **_windows)
case("affine_grid", "F.affine_grid(t, [t.shape[0], 1, *s[:2]], a) | F.affine_grid(u, [t.shape[0], 1, *s], a)", pictures, **_windows)
case("grid_sample", "F.grid_sample(y, g, padding_mode=e, align_corners=a) | F.grid_sample(y, g, 'nearest', e, a) | F.grid_sample(y, g, 'bicubic', e, a) | F.grid_sample(z, k, 'bilinear', e, a)", pictures, **_windows)


def random_windows(d):
    n, c = d.size(1, 2), d.size(1, 3)
    return dict(x=d.tensor(n, c, d.size(5, 8), d.size(5, 8), distinct=True), y=d.tensor(n, c, d.size(5, 7), d.size(5, 7), d.size(5, 7), distinct=True),
                r=d.tensor(n, c, 2, low=0.1, high=0.9, grad=False), q=d.tensor(n, c, 3, low=0.1, high=0.9, grad=False), o=d.size(2, 3), i=bool(d.size(0, 1)))


case("fractional_max_pool2d", "F.fractional_max_pool2d(x, 2, o, return_indices=i, _random_samples=r.contiguous()) | F.fractional_max_pool2d(x, (3, 2), output_ratio=0.5, _random_samples=r.contiguous())", random_windows, **_windows)
case("fractional_max_pool3d", "F.fractional_max_pool3d(y, 2, o, return_indices=i, _random_samples=q.contiguous()) | F.fractional_max_pool3d(y, (2, 1, 2), output_ratio=0.5, _random_samples=q.contiguous())", random_windows, **_windows)


def padded(d):
    return dict(x=d.tensor(d.size(1, 2), d.size(3, 5), d.size(3, 5), d.size(3, 5)), p=[d.size(0, 2) for _ in range(4)], q=[d.size(-1, 2) for _ in range(4)], v=d.pick(0.0, 1.5))


case("pad", "F.pad(x, q, value=v) | F.pad(x, q[:2]) | F.pad(x, p, 'reflect') | F.pad(x, p, 'replicate') | F.pad(x, p, 'circular')", padded, layouts=LAYERS)


def normed(d):
    g = d.size(1, 3)
    c = g * d.size(1, 3)
    shape = [d.size(2, 4), c] + [d.size(2, 4) for _ in range(d.size(1, 2))]
    return dict(x=d.tensor(*shape, low=-3, high=4), w=d.tensor(c, low=0.3, high=2), b=d.tensor(c), g=g, last=shape[1:], wl=d.tensor(*shape[1:]), eps=d.pick(1e-5, 1e-3),
                mean=d.tensor(c, grad=False, layout="dense"), var=d.tensor(c, low=0.3, high=2, grad=False, layout="dense"), m=d.pick(0.1, 0.3), n=d.size(1, 4), beta=d.pick(0.5, 0.75))


case("group_norm", "F.group_norm(x, g, w, b, eps) | F.group_norm(x, g)", normed, **_windows)
case("instance_norm", "F.instance_norm(x, None, None, w, b, True, m, eps) | F.instance_norm(x) | F.instance_norm(x, mean, var, w, b, False) | (F.instance_norm(x, mean, var, momentum=m), mean, var)", normed, **_windows)
case("rms_norm", "F.rms_norm(x, last, wl, eps)", normed, theirs="x * (x.square().flatten(1).mean(1) + eps).rsqrt().reshape(-1, *[1] * len(last)) * wl", **_windows)
case("rms_norm", "F.rms_norm(x, last[-1:], eps=eps)", normed, theirs="x * (x.square().mean(-1, True) + eps).rsqrt()", **_windows)
case("local_response_norm", "F.local_response_norm(x, n, 0.1, beta, 1.5) | F.local_response_norm(x, n)", normed, **_windows)


def attended(d):
    n, h, share, e = d.size(1, 2), d.size(1, 2), d.size(1, 2), d.size(1, 5)
    rows, keys = d.size(1, 6), d.size(1, 6)
    return dict(q=d.tensor(n, h * share, rows, e), k=d.tensor(n, h, keys, e), v=d.tensor(n, h, keys, d.size(1, 5)), m=d.tensor(rows, keys), s=d.pick(0.3, 1.0), r=share)


_their_keys = "k.repeat_interleave(r, 1).transpose(-2, -1)"
case("scaled_dot_product_attention", "F.scaled_dot_product_attention(q, k, v, m, 0.0, False, s, True)", attended,
     theirs=f"(q @ {_their_keys} * s + m).softmax(-1) @ v.repeat_interleave(r, 1)", **_windows)
case("scaled_dot_product_attention", "F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)", attended,
     theirs=f"((q @ {_their_keys}) / q.size(-1) ** 0.5).masked_fill(h.ones(q.size(2), k.size(2)).triu(1).bool(), -float('inf')).softmax(-1) @ v.repeat_interleave(r, 1)", **_windows)


def several_heads(d):
    heads, n, rows, keys = d.size(1, 3), d.size(1, 3), d.size(1, 5), d.size(1, 5)
    e = heads * d.size(1, 4)
    return dict(q=d.tensor(rows, n, e), k=d.tensor(keys, n, e), w=d.tensor(3 * e, e, low=-0.5, high=0.5), b=d.tensor(3 * e), o=d.tensor(e, e, low=-0.5, high=0.5),
                m=d.tensor(rows, keys), n=heads, e=e, need=d.pick(True, False), avg=d.pick(True, False))


case("multi_head_attention", "F.multi_head_attention_forward(q, k, k, e, n, w, b, None, None, False, 0.0, o, None, True, None, need, m, average_attn_weights=avg)[0]",
     several_heads, **_windows)


def positions(d):
    rows, pairs = d.size(1, 5), d.size(1, 4)
    return dict(x=d.tensor(d.size(1, 3), rows, 2 * pairs), c=d.tensor(rows, pairs), s=d.tensor(rows, pairs), p=pairs)


case("rotary_embedding", "x.rotary_embedding(c, s)", positions,
     theirs="h.cat([x[..., :p] * c - x[..., p:] * s, x[..., p:] * c + x[..., :p] * s], -1)", **_windows)


def bags(d):
    n, v = d.size(3, 6), d.size(3, 6)
    return dict(w=d.tensor(v, d.size(1, 5), distinct=True), i=d.integers(n, high=v), j=d.integers(d.size(1, 3), n, high=v), o=d.integers(1), s=d.tensor(n), m=d.pick("sum", "mean", "max"),
                r=d.size(0, v - 1))


case("embedding_bag", "F.embedding_bag(j, w, mode=m) | F.embedding_bag(i, w, o, mode=m) | F.embedding_bag(i, w, o, mode='sum', per_sample_weights=s) | F.embedding_bag(j, w, mode=m, padding_idx=r)",
     bags, layouts=LAYERS, second=False)
case("embedding_renorm", "F.embedding(j, w * 1, max_norm=0.7) | F.embedding(i, w * 1, max_norm=0.5, norm_type=1.0)", bags, layouts=LAYERS, second=False)
