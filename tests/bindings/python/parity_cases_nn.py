"""Convolution, pooling, normalisation and losses: random arguments for parity_cases.run."""
import numpy as np

from parity_cases import Arg, case

LAYERS = ("dense", "transposed", "strided", "offset")


def picture(d):
    groups = d.pick(1, 1, 2, 3)
    c, o, k = groups * d.size(1, 3), groups * d.size(1, 3), [d.size(1, 3), d.size(1, 4)]
    stride, padding, dilation = ([d.size(*b), d.size(*b)] for b in ((1, 3), (0, 2), (1, 2)))
    x = d.tensor(d.size(1, 3), c, d.size(7, 11), d.size(7, 12), distinct=False)
    return dict(x=x, w=d.tensor(o, c // groups, *k, layout="dense"), b=d.tensor(o, layout="dense"), k=k, stride=stride, padding=padding, dilation=dilation, groups=groups)


case("conv2d", "F.conv2d(x, w, b, stride, padding, dilation, groups) | F.conv2d(x, w, None, stride, padding, groups=groups) | F.conv2d(x, w, padding='same', groups=groups) | F.conv2d(x, w, b, 2, 1, 1, groups) | h.conv2d(x, w, b, groups=groups)",
     picture, layouts=LAYERS, limit=1e-4)


def pool(d):
    k = [d.size(1, 4), d.size(2, 4)]
    x = d.tensor(d.size(1, 3), d.size(1, 4), d.size(8, 13), d.size(8, 13), distinct=True)
    return dict(x=x, k=k, stride=[d.size(1, 3), d.size(1, 3)], padding=[d.size(0, n // 2) for n in k], dilation=d.size(1, 2), ceil=bool(d.size(0, 1)), count=bool(d.size(0, 1)),
                size=[d.size(1, 8), d.size(1, 8)])


_pool = dict(layouts=LAYERS)
case("max_pool2d", "F.max_pool2d(x, k) | F.max_pool2d(x, k, stride, padding, dilation, ceil) | F.max_pool2d(x, 2) | h.max_pool2d(x, 3, stride=2, padding=1)", pool, **_pool)
case("avg_pool2d", "F.avg_pool2d(x, k) | F.avg_pool2d(x, k, stride, padding, ceil, count) | F.avg_pool2d(x, 3, 2)", pool, **_pool)
case("adaptive_avg_pool2d", "F.adaptive_avg_pool2d(x, size) | F.adaptive_avg_pool2d(x, 1) | F.adaptive_avg_pool2d(x, (None, 3))", pool, **_pool)


def soft(d):
    n = d.size(1, 4)
    return dict(x=d.tensor(*d.sizes(n), low=-6, high=6), dim=d.dim(n))


for _name in ("softmax", "log_softmax"):
    case(_name, f"F.{_name}(x, dim) | h.{_name}(x, dim) | x.{_name}(dim=dim) | x.{_name}(dim, dtype=h.float64)", soft)


def normed(d):
    c = d.size(1, 5)
    shape = [d.size(3, 6), c] + [d.size(2, 4) for _ in range(d.size(0, 3))]
    return dict(x=d.tensor(*shape, low=-3, high=4), w=d.tensor(c, low=0.3, high=2), b=d.tensor(c), mean=d.tensor(c, grad=False), var=d.tensor(c, low=0.3, high=2, grad=False),
                last=shape[1:], wl=d.tensor(*shape[1:]), bl=d.tensor(*shape[1:]), eps=d.pick(1e-5, 1e-3), m=d.pick(0.1, 0.3))


case("batch_norm", "F.batch_norm(x, mean, var, w, b, False, m, eps) | F.batch_norm(x, None, None, w, b, True, m, eps) | F.batch_norm(x, mean, var) | F.batch_norm(x, None, None, training=True) | (F.batch_norm(x, mean, var, w, b, True, m, eps), mean, var)",
     normed, layouts=LAYERS, limit=1e-4)
case("layer_norm", "F.layer_norm(x, last) | F.layer_norm(x, last, wl, bl, eps) | F.layer_norm(x, last, wl) | F.layer_norm(x, last[-1:])", normed, layouts=LAYERS, limit=1e-4)


# ---- losses ----
def classes(d):
    n, c = d.size(2, 6), d.size(2, 5)
    rest = [d.size(1, 3) for _ in range(d.size(0, 2))]
    p = d.rng.uniform(0.05, 1, [n, c] + rest)
    return dict(x=d.tensor(n, c, *rest, low=-4, high=4), t=d.integers(n, *rest, high=c), w=d.tensor(c, low=0.2, high=2, grad=False), p=Arg(np.asarray(p / p.sum(1, keepdims=True), d.dtype), grad=False),
                r=d.pick("none", "mean", "sum"), ignored=d.size(0, c - 1), s=d.pick(0.1, 0.3))


case("cross_entropy", "F.cross_entropy(x, t) | F.cross_entropy(x, t, w, reduction=r) | F.cross_entropy(x, t, w, ignore_index=ignored, reduction='sum') | F.cross_entropy(x, t, reduction=r, label_smoothing=s) | F.cross_entropy(x, p, w, reduction=r, label_smoothing=s)",
     classes, layouts=LAYERS)
case("nll_loss", "F.nll_loss(F.log_softmax(x, 1), t) | F.nll_loss(x, t, w, reduction=r) | F.nll_loss(x, t, w, ignore_index=ignored, reduction='sum')", classes, layouts=LAYERS)


def pairs(d):
    shape = d.shape()
    return dict(x=d.tensor(*shape), y=d.tensor(*shape), p=d.tensor(*shape, low=0.05, high=0.95), t=d.tensor(*shape, low=0, high=1, grad=False),
                w=d.tensor(*shape, low=0.2, high=2, grad=False), r=d.pick("none", "mean", "sum"), beta=d.pick(1.0, 0.5, 2.0))


case("mse_loss", "F.mse_loss(x, y) | F.mse_loss(x, y, reduction=r)", pairs)
case("l1_loss", "F.l1_loss(x, y) | F.l1_loss(x, y, reduction=r)", pairs)
for kind, mean in (("mse", "/ w.sum()"), ("l1", "/ w.sum()"), ("huber", "/ x.numel()")):  # older PyTorchs have no weight
    case(f"weighted_{kind}_loss", " | ".join(f"F.{kind}_loss(x, y, reduction={word!r}, weight=w) if h.__name__ == 'haft' else ({of})" for word, of in (
        ("none", f"F.{kind}_loss(x, y, reduction='none') * w"), ("sum", f"(F.{kind}_loss(x, y, reduction='none') * w).sum()"),
        ("mean", f"(F.{kind}_loss(x, y, reduction='none') * w).sum() {mean}"))), pairs)
case("smooth_l1_loss", "F.smooth_l1_loss(x, y) | F.smooth_l1_loss(x, y, reduction=r, beta=beta)", pairs)
case("huber_loss", "F.huber_loss(x, y) | F.huber_loss(x, y, reduction=r, delta=beta)", pairs)
case("binary_cross_entropy", "F.binary_cross_entropy(p, t) | F.binary_cross_entropy(p, t, w, reduction=r)", pairs)
case("binary_cross_entropy_with_logits", "F.binary_cross_entropy_with_logits(x, t) | F.binary_cross_entropy_with_logits(x, t, w, reduction=r, pos_weight=w)", pairs)
case("kl_div", "F.kl_div(x, t, reduction='batchmean') if x.ndim else F.kl_div(x, t) | F.kl_div(x, t, reduction=r) | F.kl_div(x, y, reduction=r, log_target=True)", pairs)


def halves(d):
    sizes = d.sizes(d.size(1, 4))
    dim = d.dim(len(sizes))
    sizes[dim] *= 2
    return dict(x=d.tensor(*sizes, low=-4, high=4), dim=dim)


case("glu", "F.glu(x, dim)", halves, layouts=LAYERS)


def embedded(d):
    n, c = d.size(2, 6), d.size(2, 5)
    signs = lambda *shape: Arg(np.where(d.rng.random(shape) < 0.5, -1, 1).astype(d.dtype), grad=False)  # noqa: E731
    sets = np.full((n, c), -1, dtype="int64")
    for row in sets:
        k = d.size(0, c)
        row[:k] = d.rng.permutation(c)[:k]
    tensor = lambda **how: d.tensor(n, c, **how)  # noqa: E731
    return dict(x=tensor(), y=tensor(), z=tensor(), s=signs(n, c), one=signs(n), t=d.integers(n, high=c), w=d.tensor(c, low=0.2, high=2, grad=False, layout="dense"),  # PyTorch reads a strided weight as dense
                sets=Arg(sets), p=tensor(low=0, high=1, grad=False), count=tensor(low=0, high=6, grad=False), rate=tensor(low=0.1, high=3), var=tensor(low=0.2, high=2),
                r=d.pick("none", "mean", "sum"), m=d.pick(0.3, 0.7), q=d.pick(1, 2))


def embedding(name, text):
    case(name, text, embedded, layouts=LAYERS, limit=1e-4)


embedding("pairwise_distance", "F.pairwise_distance(x, y) | F.pairwise_distance(x, y, q, 0.01, True) | h.pairwise_distance(x, y, p=3.0)")
embedding("cosine_similarity", "F.cosine_similarity(x, y) | F.cosine_similarity(x, y, 0, 1e-4) | h.cosine_similarity(x, y, dim=-1)")
embedding("poisson_nll_loss", "F.poisson_nll_loss(x, count) | F.poisson_nll_loss(x, count, full=True, reduction=r) | F.poisson_nll_loss(rate, count, False, True, eps=1e-3, reduction=r)")
embedding("gaussian_nll_loss", "F.gaussian_nll_loss(x, y, var) | F.gaussian_nll_loss(x, y, var, full=True, reduction=r) | F.gaussian_nll_loss(x, y, var[:, :1], eps=0.5) | F.gaussian_nll_loss(x, y, var[:, 0], reduction=r)")
embedding("hinge_embedding_loss", "F.hinge_embedding_loss(x, s) | F.hinge_embedding_loss(x, s, m, reduction=r)")
embedding("soft_margin_loss", "F.soft_margin_loss(x, s) | F.soft_margin_loss(x, s, reduction=r)")
embedding("margin_ranking_loss", "F.margin_ranking_loss(x, y, s) | F.margin_ranking_loss(x, y, s, m, reduction=r)")
embedding("cosine_embedding_loss", "F.cosine_embedding_loss(x, y, one) | F.cosine_embedding_loss(x, y, one, m, reduction=r)")
embedding("triplet_margin_loss", "F.triplet_margin_loss(x, y, z) | F.triplet_margin_loss(x, y, z, m, q, 0.01, True, reduction=r)")
embedding("multi_margin_loss", "F.multi_margin_loss(x, t) | F.multi_margin_loss(x, t, q, m, w, reduction=r) | F.multi_margin_loss(x[0], t[0], reduction=r)")
embedding("multilabel_margin_loss", "F.multilabel_margin_loss(x, sets) | F.multilabel_margin_loss(x, sets, reduction=r) | F.multilabel_margin_loss(x[0], sets[0])")
embedding("multilabel_soft_margin_loss", "F.multilabel_soft_margin_loss(x, p) | F.multilabel_soft_margin_loss(x, p, w, reduction=r)")


def recurrent(d):
    i, n, steps, hidden = d.size(1, 4), d.size(1, 3), d.size(2, 4), d.size(1, 6)

    def weights(gates):
        return [d.tensor(gates * hidden, i, low=-0.7, high=0.7), d.tensor(gates * hidden, hidden, low=-0.7, high=0.7),
                d.tensor(gates * hidden, low=-0.5, high=0.5), d.tensor(gates * hidden, low=-0.5, high=0.5)]
    (a, b, c, e), (j, k, l, m) = weights(4), weights(3)
    return dict(x=d.tensor(steps, n, i), y=d.tensor(n + 2, i), s=Arg(np.array([n, 1, 1]), grad=False), h0=d.tensor(1, n, hidden, low=-1, high=1),
                c0=d.tensor(1, n, hidden, low=-1, high=1), a=a, b=b, c=c, e=e, j=j, k=k, l=l, m=m)


case("rnn", """h.lstm(x, (h0, c0), [a, b, c, e], True, 1, 0.0, False, False, False) | h.lstm(y, s, (h0, c0), [a, b], False, 1, 0.0, False, False)
h.gru(x, h0, [j, k, l, m], True, 1, 0.0, False, False, False)""", recurrent, layouts=LAYERS, limit=1e-4, second=False)


def lengths(d):
    most = d.size(3, 5)
    given = np.sort(d.rng.permutation(most)[:3] + 1)[::-1].copy()  # of equal ones PyTorch's order is anyone's
    return dict(x=d.tensor(most, 3, 2), n=Arg(given, grad=False), r=Arg(given[::-1].copy(), grad=False), p=d.tensor(int(given.sum()), 2),
                b=Arg(np.asarray([(given > t).sum() for t in range(given[0])]), grad=False), s0=d.tensor(int(given[0]), 2), s1=d.tensor(int(given[1]), 2))


_packed = "h.nn.utils.rnn.PackedSequence(p, b)"
for _name, _case in (("pack_padded_sequence", "h.nn.utils.rnn.pack_padded_sequence(x, n).data | h.nn.utils.rnn.pack_padded_sequence(x.transpose(0, 1), r, True, False).data"),
                     ("pad_packed_sequence", f"h.nn.utils.rnn.pad_packed_sequence({_packed})[0] | h.nn.utils.rnn.pad_packed_sequence({_packed}, True, 2.0, 7)[0]"),
                     ("unpack_sequence", f"h.nn.utils.rnn.unpack_sequence({_packed})"),
                     ("pad_sequence", "h.nn.utils.rnn.pad_sequence([s0, s1]) | h.nn.utils.rnn.pad_sequence([s0, s1], True, -1.5)"),
                     ("pack_sequence", "h.nn.utils.rnn.pack_sequence([s0, s1]).data | h.nn.utils.rnn.pack_sequence([s1, s0], enforce_sorted=False).data")):
    case(_name, _case, lengths, layouts=LAYERS, second=False)
# PyTorch 1.13 turns what it is given in place, which a leaf refuses.
case("unpad_sequence", "h.nn.utils.rnn.unpad_sequence(x, n)", lengths, theirs="[s[:k] for s, k in zip(x.transpose(0, 1), n.tolist())]", layouts=LAYERS, second=False)
case("unpad_sequence", "h.nn.utils.rnn.unpad_sequence(x.transpose(0, 1), r, True)", lengths, theirs="[s[:k] for s, k in zip(x.transpose(0, 1), r.tolist())]", layouts=LAYERS,
     second=False)


def sequences(d):
    t, n, c = d.size(6, 9), 3, d.size(3, 6)
    labels = d.rng.integers(1, c, (n, 3))
    return dict(x=d.tensor(t, n, c, low=-3, high=3), t=Arg(labels, grad=False), i=Arg(np.asarray([t, t - 1, t]), grad=False), n=Arg(np.asarray([2, 1, 3]), grad=False),
                flat=Arg(np.concatenate([labels[0][:2], labels[1][:1], labels[2]]), grad=False), r=d.pick("none", "mean", "sum"))


case("ctc_loss", "F.ctc_loss(F.log_softmax(x, 2), t, i, n, reduction=r) | F.ctc_loss(F.log_softmax(x, 2), flat, i, n) | F.ctc_loss(F.log_softmax(x, 2), t, i, n, reduction='sum', zero_infinity=True)",
     sequences, layouts=LAYERS, second=False, limit=1e-4)


def heads(d):
    n, k, c = d.size(2, 6), d.size(2, 5), d.size(2, 7)
    return dict(x=d.tensor(n, k), w=d.tensor(c, k), b=d.tensor(c), t=d.integers(n, high=c), r=d.pick("none", "mean", "sum"), s=d.pick(0.0, 0.2))


case("linear_cross_entropy", "F.linear_cross_entropy(x, w, t, linear_bias=b, reduction=r, label_smoothing=s)", heads,
     theirs="F.cross_entropy(F.linear(x, w, b), t, reduction=r, label_smoothing=s)", layouts=LAYERS)
