"""Functions and methods of tensors beside PyTorch's: results, gradients, overloads, names of arguments."""
import inspect
import unittest

import numpy as np
import torch

import haft
import leaks
import parity
from parity import ints, real, spread

setUpModule, tearDownModule = leaks.guard()


def positive(*shape):
    return real(*shape, low=0.1, high=3)


def bools(*shape):
    return parity.rng().random(shape) < 0.5


# Each line is read twice, with h = haft and h = torch; x, y are random of odd sizes, p positive, i int64, m bool, v a vector,
# s spread: no ties.
POINTWISE = """
h.abs(x) | x.abs() | h.neg(x) | -x | +x | abs(x) | h.sign(x) | h.exp(x) | h.exp2(x) | h.expm1(x) | h.log(p) | h.log2(p) | h.log10(p) | h.log1p(p)
h.sqrt(p) | h.rsqrt(p) | h.square(x) | h.reciprocal(p) | h.sin(x) | h.cos(x) | h.tan(x) | h.asin(x / 5) | h.acos(x / 5) | h.atan(x)
h.sinh(x) | h.cosh(x) | h.tanh(x) | h.erf(x) | h.sigmoid(x) | h.floor(x) | h.ceil(x) | h.round(x) | h.round(x, decimals=2) | h.trunc(x) | h.frac(x)
h.isnan(x / 0 * 0) | h.isinf(x / 0) | h.isfinite(x / 0) | h.logical_not(x) | ~m | ~i | h.bitwise_not(i) | h.signbit(x) | h.sinc(x) | h.logit(p / 4) | h.logit(x, eps=0.1)
h.absolute(x) | h.negative(x) | h.arctan(x) | h.deg2rad(x) | h.rad2deg(x) | h.nan_to_num(x / (x > 0)) | h.nan_to_num(x / 0, nan=1.0, posinf=5.0, neginf=-2.0)
x + y | x - y | x * y | x / y | x ** 2 | p ** y | 2 ** x | x + 1 | 1 - x | 2 * x | 1 / p | x / 2 | x % 2 | x.detach() // 2 | x % y | i // 3 | i % 3 | i / 3 | i ** 2 | -i
h.add(x, y, alpha=3) | h.add(x, 2, alpha=0.5) | x.add(y) | h.sub(x, y, alpha=2) | h.mul(x, y) | h.mul(x, 3) | h.div(x, y) | h.true_divide(x, y)
h.div(x, y, rounding_mode='floor') | h.div(x, y, rounding_mode='trunc') | h.div(i, 3, rounding_mode='trunc') | h.div(-i, 3, rounding_mode='floor')
h.pow(p, 1.5) | h.pow(2, x) | h.pow(p, y) | x.pow(3) | h.float_power(p, 2) | h.fmod(x, 2) | h.fmod(x, y) | h.remainder(x, 2) | h.rsub(x, y) | h.rsub(x, 1) | h.subtract(x, y) | h.multiply(x, y)
x == y | x != 0 | x < y | x <= 1 | x > y | x >= 0 | 0 < x | i == 3 | h.eq(x, y) | h.ne(x, 1) | h.lt(x, y) | h.ge(x, y) | x.gt(0) | h.less(x, y) | h.greater_equal(x, y)
h.maximum(x, y) | h.minimum(x, y) | h.atan2(x, y) | h.logical_and(m, x > 0) | h.logical_or(x, y) | m & m | m|(x > 0) | m ^ (x > 0) | i & 3 | i|4 | i ^ 5 | 3 & i | h.bitwise_and(i, 6)
h.clamp(x, -0.5, 0.5) | x.clamp(min=0) | x.clamp(max=0.3) | h.clamp(x, min=y) | h.clip(x, -1, 1) | h.clamp_min(x, 0) | x.clamp_max(0.1) | h.clamp(i, 2, 5)
h.where(m, x, y) | h.where(x > 0, x, 0.) | h.where(m, 1.5, y) | x.where(m, y) | h.where(m, 1., 2.) | h.lerp(x, y, 0.3) | h.lerp(x, y, p) | h.addcmul(x, y, p, value=2) | h.addcdiv(x, y, p, value=-1)
h.masked_fill(x, m, 2) | x.masked_fill(x > 0, -1.) | h.hypot(x, y) | h.logaddexp(x, y) | h.xlogy(p, p) | h.copysign(x, y) | h.copysign(x, -1) | h.fmax(x, y) | h.fmin(x, y) | h.heaviside(x.detach(), p.detach())
h.isclose(x, x + 1e-9) | h.relu(x) | x.relu() | h.softmax(x, 1) | x.softmax(dim=0) | h.log_softmax(x, dim=-1) | h.softmax(x, 1, dtype=h.float64) | h.prelu(x, v[:1])
x.float() | x.double() | x.long() | (x > 0).int() | x.to(h.float64) | i.to(x) | i.to(dtype=h.float32) | x.half().float() | x.type_as(i) | i.bool() | x.bfloat16().float()
x.detach().sgn() | h.asinh(x) | h.acosh(p + 1) | h.atanh(x / 5) | x.ravel() | h.kron(x, v) | h.neg_(x.detach().clone()) | h.clamp_(x.detach().clone(), min=0) | x.greater(0) | h.isposinf(x / 0) | h.isneginf(x / 0) | h.sum(m) | m + m | m * m | m.sum() | i + 0.5 | i * True | m + 1 | m * 2.5 | x + True | i << 2 | i >> 1
"""

REDUCE = """
h.sum(x) | x.sum(0) | x.sum(dim=1, keepdim=True) | x.sum((0, 1)) | x.sum(-1, dtype=h.float64) | i.sum() | h.sum(x, [0, 1], True) | h.mean(x) | x.mean(1) | x.mean((0, 1), keepdim=True) | i.mean(dtype=h.float32)
h.prod(p) | p.prod(1) | i.prod(0) | h.max(s) | h.max(s, 1)[0] | h.max(s, 1)[1] | h.max(s, dim=0, keepdim=True)[0] | h.max(x, y) | s.max(0).values | s.max(0).indices | h.min(s) | s.min(1).values | h.min(x, y) | s.min(dim=1).indices
h.amax(s, 1) | s.amax((0, 1)) | s.amin(0, keepdim=True) | h.aminmax(s.detach(), dim=1).max | h.aminmax(s.detach()).min | h.argmax(s) | s.argmax(1) | s.argmin(0, keepdim=True) | h.any(m) | m.any(1) | h.all(m) | m.all(0, keepdim=True) | h.any(x > 5)
h.var(x) | h.var(x, 1) | x.var(0, unbiased=False) | h.var(x, False) | x.var(dim=1, keepdim=True) | h.std(x) | x.std(1) | x.std(dim=(0, 1), unbiased=False) | h.std(x, 1, True, True) | h.var_mean(x, 1)[0] | h.std_mean(x, 0)[1] | h.var(x, dim=1, correction=0)
h.norm(x) | x.norm() | x.norm(1) | x.norm(p=2, dim=1) | h.norm(x, 3, 0, True) | h.norm(x, float('inf')) | h.logsumexp(x, 1) | x.logsumexp((0, 1)) | h.cumsum(x, 0) | x.cumsum(1) | h.cumprod(p, 1) | i.cumsum(0)
h.count_nonzero(i) | h.count_nonzero(m, dim=1) | h.sort(s, 1)[0] | h.sort(s, 0, True)[1] | s.sort(descending=True).values | h.argsort(s, 1) | h.argsort(s, dim=0, descending=True) | h.topk(s, 2)[0] | s.topk(2, 0, largest=False).indices | h.msort(s)
h.kthvalue(s, 2)[0] | s.kthvalue(2, 0, True)[1] | h.median(s) | s.median(1).values | s.median(0, keepdim=True).indices | h.quantile(s, 0.3) | h.quantile(s, h.tensor([0.1, 0.5]), dim=1) | h.quantile(s, 0.7, dim=0, keepdim=True) | h.quantile(s, 0.4, interpolation='nearest')
h.cummax(s, 1)[0] | h.cummin(s, 0)[1] | h.unique(i) | h.unique(i, return_inverse=True)[1] | h.unique(i, return_counts=True)[1] | h.unique(i, dim=0) | h.unique_consecutive(i.flatten()) | h.diff(x) | h.diff(x, n=2, dim=0) | h.bincount(i.flatten()) | h.bincount(i.flatten(), minlength=20) | h.histc(x, 7, -1, 1) | h.nansum(x)
x.sum(()) | h.dist(x, y) | h.dist(x, y, 1) | x.nanmean()
"""

SHAPE = """
x.view(-1) | x.view(5, 3) | x.view((5, 3)) | x.view(-1, 1, 3) | x.reshape(3, -1) | h.reshape(x, (15,)) | x.reshape([5, 3]) | x.t() | x.T | x.mT | h.t(x) | h.transpose(x, 0, 1) | x.transpose(-1, 0) | c.permute(2, 0, 1) | c.permute((1, 0, 2)) | h.permute(c, (2, 1, 0)) | c.permute(dims=(2, 1, 0)) if h is None else c.permute((2, 1, 0))
x.unsqueeze(1) | h.unsqueeze(x, -1) | x.unsqueeze(0).squeeze() | x.unsqueeze(0).squeeze(0) | h.squeeze(x.unsqueeze(0), 1) | v.expand(4, -1) | v.expand((4, 5)) | v.expand_as(x) | h.broadcast_to(v, (2, 5)) | x.repeat(2, 1) | x.repeat((1, 2, 2)) | h.tile(v, (2,)) | v.tile((2, 2)) | h.repeat_interleave(v, 2) | h.repeat_interleave(h.tensor([2, 0, 1], dtype=h.int32)) | h.repeat_interleave(h.tensor([2, 0, 1])) | v.repeat_interleave(h.tensor([1, 0, 2, 1, 3])) | x.repeat_interleave(2, dim=1)
c.flatten() | c.flatten(1) | h.flatten(c, 0, 1) | c.flatten(start_dim=1, end_dim=2) | x.unflatten(1, (5, 1)) | h.movedim(c, 0, 2) | h.movedim(c, (0, 1), (1, 2)) | c.moveaxis(-1, 0) | h.swapaxes(c, 0, 2) | h.flip(x, [0]) | x.flip(0, 1) | h.flip(x, dims=(1,)) | h.fliplr(x) | h.flipud(x) | h.rot90(x) | h.rot90(x, 3) | h.rot90(x, 2, (0, 1)) | h.roll(x, 1) | x.roll(2, 1) | h.roll(x, (1, -1), (0, 1)) | h.roll(x, shifts=1, dims=0)
h.cat([x, y]) | h.cat((x, y), 1) | h.cat([x, y], dim=-1) | h.cat(tensors=[x, y], dim=0) | h.concat([x, y]) | h.stack([x, y]) | h.stack((x, y), 1) | h.stack([x, y], dim=-1) | h.hstack([x, y]) | h.vstack([v, v]) | h.dstack([x, y]) | h.column_stack([v, v]) | h.hstack((v, v)) | h.atleast_2d(v) | h.atleast_3d(v) | h.cat([x, i.float()[:, :5]])
x.split(2)[1] | h.split(x, 2, 1)[2] | h.split(x, [1, 2])[1] | x.split([2, 3], dim=1)[1] | x.chunk(2)[0] | h.chunk(x, 2, dim=1)[1] | x.unbind()[1] | h.unbind(x, 1)[0] | h.tensor_split(v, 3)[0] | h.tensor_split(x, (1, 3), dim=1)[1] | h.hsplit(x, [2])[1] | h.vsplit(x, 3)[1] | x.narrow(1, 1, 3) | h.narrow(x, 0, 0, 2) | h.select(x, 1, 2) | x.select(0, -1)
h.diag(v) | h.diag(x) | h.diag(x, 1) | h.diagonal(x) | c.diagonal(0, 1, 2) | h.diag_embed(x) | h.diag_embed(x, 1) | h.diag_embed(x, offset=-1, dim1=0, dim2=2) | h.diagflat(v) | h.tril(x) | x.triu(1) | h.trace(x) | h.tril_indices(3, 4) | h.triu_indices(3, 4, 1) | h.meshgrid(v, v[:2], indexing='ij')[0] | h.meshgrid(v, v[:2], indexing='xy')[1] | h.cartesian_prod(v[:2], v[:3]) | h.combinations(v, 2) | h.block_diag(x, y[:1]) | v.unfold(0, 2, 1) | x.as_strided((2, 2), (1, 2), 1) | h.as_strided(x, (2, 2), (2, 1))
x.view_as(y) | x.reshape_as(y) | x.contiguous() | x.clone() | h.clone(x) | x.detach() | x.cpu() | x.sum_to_size(1, 5) if h is None else x.sum_to_size((1, 5)) | h.broadcast_tensors(v, x)[0] | x.swapdims(0, 1) | x.type(h.float64)
"""

INDEX = """
h.index_select(x, 0, j) | x.index_select(1, j) | h.gather(x, 1, g) | x.gather(dim=0, index=g) | h.take(x, j) | h.take_along_dim(x, g, 1) | h.masked_select(x, x > 0) | h.nonzero(i) | h.nonzero(i, as_tuple=True)[1] | i.nonzero() | h.argwhere(i) | h.where(i > 4)[0]
h.scatter(x, 1, g, z) | x.scatter(0, g, 2.5) | h.scatter(x, 1, g, value=3) if h is None else x.scatter(1, g, 3.) | x.scatter_add(1, g, z) | h.scatter_add(x, 0, g, z) | x.index_add(0, j, y) | h.index_add(x, 1, j, z, alpha=2) | x.index_copy(0, j, y) | x.index_fill(1, j, 7.) | x.index_put((j, j), h.tensor(5.)) | x.index_put((j,), y, accumulate=True)
x.masked_scatter(x > 0, y.flatten()) | h.searchsorted(h.sort(v)[0], x) | h.searchsorted(h.sort(v)[0], x, right=True) | h.bucketize(x, h.sort(v)[0]) | h.tensor([0.5]).expand(3).clone().index_fill_(0, j[:1], 2.) | x.scatter_reduce(1, g, z, reduce='sum') | x.scatter_reduce(1, g, z, 'amax') | x.scatter_reduce(0, g, z, 'prod', include_self=False) | x.scatter_reduce(1, g, z, 'mean', include_self=False) | x.scatter_reduce(1, g, z, 'amin', include_self=False)
"""

LINALG = """
x @ y.T | h.matmul(x, v) | v @ v | h.mm(x, y.t()) | x.mm(y.t()) | h.bmm(c, c.transpose(1, 2)) | h.mv(x, v) | h.dot(v, v) | v.dot(v) | h.outer(v, v[:3]) | h.inner(x, y) | h.addmm(v[:3], x, y.t()) | h.addmm(v[:3], x, y.t(), beta=0.5, alpha=2) | h.baddbmm(c[:, :, :3], c, c.transpose(1, 2)) if False else h.addmv(v[:3], x, v) | h.addr(x, v[:3], v) | h.addbmm(h.zeros(3, 3), c, c.transpose(1, 2))
h.einsum('ij,kj->ik', x, y) | h.einsum('ij->', x) | h.einsum('ij->ji', x) | h.einsum('ij,ij->i', x, y) | h.einsum('bij,bkj->bik', c, c) | h.einsum('...ij,...kj', c, c) | h.einsum(x, [0, 1], y, [2, 1], [0, 2]) | h.einsum(c, [..., 26, 1], [..., 1, 26]) | h.einsum(x, [1, 51]) | h.einsum('Ba,aB->', x, x.T) | h.einsum('i,j', v, v) | h.einsum('ii->i', x @ y.T) | h.einsum('ij,jk,kl->il', x, x.T, y) | h.einsum('ij', x) | h.einsum('bij,j->bi', c, v[:4]) | h.tensordot(x, y, ([1], [1])) | h.tensordot(x, x.T, 1) | h.chain_matmul(x, y.T, x) | h.cross(x[:, :3], y[:, :3], dim=1) | h.matrix_power(x @ y.T, 3) | h.cdist(x, y) | h.renorm(x, 2, 0, 1.0) | h.matrix_power(x @ y.T, 0)
"""


def expressions(text):
    return [e.strip() for line in text.strip().split("\n") for e in line.split(" | ") if e.strip()]


class Operators(unittest.TestCase):
    def values(self):
        return dict(x=real(3, 5), y=real(3, 5), p=positive(3, 5), i=ints(3, 5, low=-9, high=9), m=bools(3, 5), v=real(5), z=real(3, 3), s=spread(3, 5),
                    c=real(2, 3, 4), j=parity.rng().permutation(3).astype("int64"), g=parity.rng().permuted(np.tile(np.arange(3), (3, 1)), axis=1))

    def agree(self, text, **more):
        for expression in expressions(text):
            with self.subTest(expression):
                values = {**self.values(), **more}
                results, grads = [], []
                for module, make in ((haft, parity.as_haft), (torch, parity.as_torch)):
                    names = {k: make(a, k not in "vj") for k, a in values.items()}
                    out = eval(expression, {"h": module}, names)
                    if out.requires_grad:
                        weights = np.cos(np.arange(out.numel())).reshape(tuple(out.shape)).astype(str(out.dtype).split(".")[-1])
                        (out * module.tensor(weights)).sum().backward()
                    results.append(out)
                    grads.append({k: t.grad for k, t in names.items() if getattr(t, "requires_grad", False)})
                    del names, out
                parity.record("function", expression, parity.check(*results, expression))
                for k in grads[0]:
                    ours, theirs = grads[0][k], grads[1][k]
                    if theirs is None:
                        self.assertTrue(ours is None or not ours.any(), k)
                    elif ours is None:
                        self.assertFalse(theirs.any(), k)
                    else:
                        parity.check(ours, theirs, f"{expression}, gradient of {k}", 1e-4)

    def test_pointwise(self):
        self.agree(POINTWISE, i=ints(3, 5, low=0, high=9))

    def test_reductions(self):
        self.agree(REDUCE, i=ints(3, 5, low=0, high=4))

    def test_shapes(self):
        self.agree(SHAPE)

    def test_indexing_functions(self):
        self.agree(INDEX, i=ints(3, 5, low=0, high=9))

    def test_products(self):
        self.agree(LINALG)

    def test_empty_and_scalars(self):
        for expression in expressions("""x + 1 | x.sum() | x.sum(0) | x * x | x.exp() | x.t() if x.ndim < 3 else x | x.any() | x.all() | x.mean() if x.numel() else x
                                      h.cat([x, x]) if x.ndim else x | x.reshape(-1) | x.clone() | x > 0 | x.prod() | x.flatten() | x[...] | x[None]"""):
            for a in (real(), real(0), real(0, 3), real(2, 0, 3), np.float32(np.nan) * real(2, 2)):
                with self.subTest(expression, shape=a.shape):
                    a = np.asarray(a, dtype="float32")
                    ours = eval(expression, {"h": haft, "x": haft.tensor(a)})
                    theirs = eval(expression, {"h": torch, "x": torch.tensor(a)})
                    parity.check(ours, theirs, expression)

    def test_promotion(self):
        names = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
        for a in names:
            for b in names + [True, 2, 2.5]:
                with self.subTest(a=a, b=b):
                    dtypes = []
                    for h in (haft, torch):
                        x = h.ones(2, dtype=getattr(h, a))
                        y = h.ones(2, dtype=getattr(h, b)) if isinstance(b, str) else b
                        dtypes.append([str((x + y).dtype).split(".")[1], str((x * y).dtype).split(".")[1], str((x == y).dtype).split(".")[1],
                                       str(h.result_type(x, y)).split(".")[1], str((x / y).dtype).split(".")[1]])
                    self.assertEqual(*dtypes)

    def test_in_place(self):
        for expression in expressions("""x.add_(y) | x.add_(y, alpha=2) | x.sub_(1) | x.mul_(y) | x.div_(2) | x.zero_() | x.fill_(3) | x.clamp_(-1, 1) | x.clamp_(min=0)
                                      x.copy_(y) | x.copy_(y[0]) | x.neg_() | x.exp_() | x.sqrt_() | x.relu_() | x.sigmoid_() | x.tanh_() | x.pow_(2) | x.masked_fill_(x > 0, 1)
                                      x.addcmul_(y, y, value=0.5) | x.addcdiv_(y, y, value=2) | x.lerp_(y, 0.5) | x.t_() | x.unsqueeze_(0) | x.squeeze_() | x.transpose_(0, 1) | x.abs_() | x.round_() | x.floor_()
                                      x.scatter_(1, g, y) | x.scatter_(1, g, 2.) | x.scatter_add_(1, g, y) | x.index_add_(0, j, y) | x.index_copy_(0, j, y) | x.index_fill_(0, j, 1.) | x.index_put_((j, j), y[:, 0]) | x.fill_diagonal_(4) | x.masked_scatter_(x > 0, y)
                                      x.put_(j, y[:1, :3]) | x.cumsum_(0) | x.tril_() | x.triu_() | x.div_(y, rounding_mode='floor') | x.eq_(y) | x.gt_(0) | x.addmm_(z, y) | x.true_divide_(2) | x.resize_(2, 2)"""):
            with self.subTest(expression):
                values = self.values()
                results = []
                for module, make in ((haft, parity.as_haft), (torch, parity.as_torch)):
                    names = {k: make(a) for k, a in values.items()}
                    out = eval(expression, {"h": module}, names)
                    self.assertIs(out, names["x"])
                    results.append(out)
                parity.check(*results, expression)

    def test_in_place_of_what_is_read(self):
        """x is written and read at once: as if r, which is x, were a copy. What PyTorch answers here depends on its BLAS."""
        v = self.values()
        j, g = haft.tensor(v["j"]), haft.tensor(v["g"])
        for write in (lambda x, r: x.addmm_(r[:, :3], r), lambda x, r: x[:, :3].addmm_(r[:, 2:], r[:, 2:], beta=0.5), lambda x, r: x.mul_(r[0]),
                      lambda x, r: x.copy_(r.flip(1)), lambda x, r: x[1:].copy_(r[:-1]), lambda x, r: x[:, 1:].add_(r[:, :-1]), lambda x, r: x.sub_(r[:, :1]),
                      lambda x, r: x[:3, :3].add_(r[:3, :3].t()), lambda x, r: x.addcmul_(r[0], r[:, :1]), lambda x, r: x.index_add_(0, j, r),
                      lambda x, r: x.index_copy_(0, j, r), lambda x, r: x.scatter_(1, g, r), lambda x, r: haft.mm(r[:, :3], r, out=x),
                      lambda x, r: haft.cumsum(r, 1, out=x), lambda x, r: haft.sin(r[:, [4, 0, 1, 2, 3]], out=x)):
            x = haft.tensor(v["x"])
            want = x.clone()
            write(x, x)
            write(want, want.clone())
            self.assertTrue(haft.allclose(x, want, rtol=1e-5, atol=1e-6), (inspect.getsource(write), x, want))

    def test_augmented(self):
        for statement in ("x += y", "x -= 2", "x *= y", "x /= 3", "x **= 2", "x %= 2", "x //= 0.5", "i += 2", "i &= 3", "i |= 4", "i ^= 1", "m &= m", "x += True"):
            with self.subTest(statement):
                values = self.values()
                results = []
                for make in (parity.as_haft, parity.as_torch):
                    names = {k: make(a) for k, a in values.items()}
                    before = dict(names)
                    exec(statement, {}, names)
                    self.assertIs(names[statement[0]], before[statement[0]])
                    results.append(names[statement[0]])
                parity.check(*results, statement)

    def test_out(self):
        x, y = haft.tensor(real(3, 4)), haft.tensor(real(3, 4))
        for call, want in ((lambda o: haft.add(x, y, out=o), x + y), (lambda o: haft.exp(x, out=o), x.exp()), (lambda o: haft.mul(x, 2, out=o), x * 2),
                           (lambda o: haft.sum(x, 0, out=o), x.sum(0)), (lambda o: haft.mm(x, y.t(), out=o), x @ y.t()), (lambda o: haft.cat([x, y], out=o), haft.cat([x, y]))):
            out = haft.empty(0)
            self.assertIs(call(out), out)
            self.assertTrue(out.equal(want))
            out.fill_(7)
            address = out.data_ptr()
            call(out)
            self.assertEqual(out.data_ptr(), address)
            self.assertTrue(out.equal(want))
        values, indices = haft.empty(0), haft.empty(0, dtype=haft.int64)
        haft.max(x, 1, out=(values, indices))
        self.assertTrue(values.equal(x.amax(1)) and indices.equal(x.argmax(1)))
        with self.assertRaises(RuntimeError):
            haft.exp(x.clone().requires_grad_(), out=haft.empty(3, 4))

    def test_numpy_scalars(self):
        x = haft.tensor([1.0, 2.0])
        for s in (np.float32(2), np.float64(2), np.int64(2), np.int32(2), np.uint8(2)):
            for f in (lambda a, b: a + b, lambda a, b: b + a, lambda a, b: a * b, lambda a, b: b * a, lambda a, b: a - b, lambda a, b: b - a,
                      lambda a, b: a / b, lambda a, b: a < b, lambda a, b: b == a):
                out = f(x, s)
                self.assertIsInstance(out, haft.Tensor)
                self.assertTrue(out.equal(f(x, s.item())))

    def test_refusals(self):
        x = haft.ones(2, 3)
        for call, error, words in (
                (lambda: x + haft.ones(4), haft.ShapeError, "[2, 3]"), (lambda: x + "a", TypeError, "unsupported operand"), (lambda: x + None, TypeError, "NoneType"),
                (lambda: x @ x, RuntimeError, "[2, 3]"), (lambda: x.view(4), RuntimeError, ""), (lambda: x.sum(5), IndexError, "5"), (lambda: bool(x), RuntimeError, "ambiguous"),
                (lambda: float(x), RuntimeError, ""), (lambda: haft.add(1, 2), TypeError, "Tensor"), (lambda: x.div(x, rounding_mode="up"), RuntimeError, "rounding_mode"),
                (lambda: x.clamp(), RuntimeError, "min"), (lambda: haft.cat([]), RuntimeError, ""), (lambda: haft.stack([x, x.t()]), RuntimeError, ""), (lambda: x.to("moon:1"), RuntimeError, "moon"),
                (lambda: haft.zeros(-1), RuntimeError, "-1"), (lambda: haft.zeros(2, dtype="float32"), TypeError, "dtype"), (lambda: x.exp(1), TypeError, ""), (lambda: haft.ones(2 ** 62, 2 ** 62), RuntimeError, ""),
                (lambda: x + 2 ** 70, OverflowError, ""), (lambda: haft.tensor([1.5]).__index__(), TypeError, "integer"), (lambda: ~x, RuntimeError, ""), (lambda: x ** "a", TypeError, "")):
            with self.assertRaises(error) as caught:
                call()
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(haft.Error) as caught:
            x + haft.ones(4)
        self.assertEqual(caught.exception.code, 2)
        self.assertTrue(caught.exception.hint)
        self.assertIsInstance(caught.exception, (RuntimeError, ValueError))


class Medians(unittest.TestCase):
    def test_nanmedian(self):
        nan = float("nan")
        for data in ([[1.0, nan, 3.0, 2.0], [nan] * 4, [4.0, 4.0, nan, nan]], [[5.0], [nan], [1.0]], [[[1.0, nan], [nan, 2.0]]]):
            t = torch.tensor(data)
            for make in (lambda x: x, lambda x: x.transpose(0, 1)):
                own, ref = make(haft.tensor(data)), make(t)
                parity.check(haft.nanmedian(own), torch.nanmedian(ref))
                for dim in (0, 1, -1):
                    for keepdim in (False, True):
                        a, b = own.nanmedian(dim, keepdim), ref.nanmedian(dim, keepdim)
                        parity.check(a.values, b.values)
                        picked = own.gather(dim, a.indices if keepdim else a.indices.unsqueeze(dim))
                        parity.check(picked if keepdim else picked.squeeze(dim), b.values)
        parity.call_both(lambda x: x.nanmedian(1)[0], lambda x: x.nanmedian(1)[0], [parity.spread(3, 5)])
        self.assertEqual((haft.nanmedian(haft.tensor(2.5)).item(), haft.tensor([3, 1, 2]).nanmedian().item()), (2.5, 2))


# (operators of the engine that PyTorch has in bfloat16 as well; y is positive)
HALVES = """
h.erfc(x) | h.erfinv(x) | h.lgamma(y) | h.digamma(y) | h.polygamma(1, y) | h.hypot(x, y) | h.copysign(y, x) | y.copysign(-1) | h.xlogy(x, y) | h.xlogy(2, y) | h.logaddexp(x, y) | h.logaddexp2(x, y)
h.cummax(x, 1)[0] | h.cummin(x, 0)[1] | h.logcumsumexp(x, 1) | h.kthvalue(x, 2)[0] | h.median(x) | x.nanmedian() | h.median(x, 1)[0] | h.nanmedian(x, 0)[0] | h.searchsorted(y.sort()[0], x) | h.bucketize(x, y[0].sort()[0])
x.scatter_reduce(1, i, y, 'sum') | x.scatter_reduce(1, i, y, 'mean') | x.scatter_reduce(1, i, y, 'prod', include_self=False) | x.scatter_reduce(1, i, y, 'amax') | x.index_reduce(1, i[0], y, 'mean') | x.index_reduce(1, i[0], y, 'amin')
h.bincount(i[0], y[0])
"""


class Names(unittest.TestCase):
    """NumPy's names for arguments, methods on single numbers, older constructors: beside PyTorch."""

    def test_beside_pytorch(self):
        a = parity.real(3, 4, 2)
        for e in (e.strip() for e in """
                x.sum(axis=0) | x.sum(axis=(0, 2), keepdims=True) | h.sum(x, axis=-1) | x.mean(axis=1, keepdims=True) | h.mean(x, axis=[0, 1]) | x.prod(axis=1)
                x.gt(0).any(axis=1) | x.gt(0).all(axis=1, keepdims=True) | x.max(axis=1) | x.max(axis=1).indices | h.min(x, axis=-1, keepdims=True)
                x.amax(axis=1) | x.amin(axis=(0, 1), keepdims=True) | x.var(axis=1) | x.std(axis=1, unbiased=False, keepdims=True) | x.argmax(axis=1)
                x.argmin(axis=1, keepdims=True) | x.cumsum(axis=1) | x.cumprod(axis=0) | x.sort(axis=0) | x.argsort(axis=1, descending=True) | h.cat([x, x], axis=1)
                h.stack([x, x], axis=2) | h.stack([x, x], axis=-1) | x.cumsum() | x.sum(axes=0)
                x.clone().apply_(lambda v: v * 2 + 1) | h.arange(4).apply_(abs) | x.t().apply_(abs) | h.tensor(2.0).apply_(lambda v: -v) | x.clone().requires_grad_().apply_(abs)
                x.clone().map_(-x, lambda u, v: max(u, v)) | x.clone().map_(x[0], lambda u, v: u - v) | x.clone().map_(h.ones(7), max) | x[0].clone().apply_(lambda v: 1 / 0)
                x.new(2, 3).shape | x.new().shape | x.new([1, 2.5]) | h.arange(3).new([4, 5]) | x.new(h.Size([2, 2])).shape | h.tensor({}) | h.tensor([{}])
                """.replace("\n", " | ").split(" | ")):
            if not e.strip():
                continue
            with self.subTest(e):
                found = []
                for h in (haft, torch):
                    try:
                        r = eval(e, {"h": h, "x": h.tensor(a)})
                        found.append([(tuple(t.shape), t.tolist()) if hasattr(t, "tolist") else t for t in (r if isinstance(r, tuple) else (r,))])
                    except (TypeError, RuntimeError, ZeroDivisionError) as error:
                        found.append(TypeError if isinstance(error, TypeError) else RuntimeError if isinstance(error, RuntimeError) else type(error))
                if isinstance(found[0], list) and isinstance(found[1], list):
                    for ours, theirs in zip(*found, strict=True):
                        if isinstance(ours, tuple) and isinstance(ours[0], tuple):
                            self.assertEqual(ours[0], theirs[0])
                            np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-5, atol=1e-6)
                        else:
                            self.assertEqual(ours, theirs)
                else:
                    self.assertEqual(*found)

    def test_objects_of_the_engine_print_as_objects(self):
        from haft import serving
        for x in (haft.default_generator, haft.Generator(), haft.manual_seed(1), serving.CancelToken()):
            self.assertRegex(repr(x), r"^<haft\.[\w.]+ object at 0x")


class Statistics(unittest.TestCase):
    def test_histc_counts_everything(self):
        for dtype in ("float32", "float64"):
            for _ in range(50):
                x, bins = parity.real(parity.rng().integers(2, 20), dtype=dtype), int(parity.rng().integers(2, 12))
                found = haft.tensor(x).histc(bins)
                self.assertEqual((found.dtype, found.sum().item()), (getattr(haft, dtype), len(x)))
        self.assertEqual(haft.histc(haft.tensor([0.0, 1.0, 1.0, 7.0]), 7).tolist(), [1, 2, 0, 0, 0, 0, 1])
        self.assertEqual(haft.histc(haft.tensor([3.0, 3.0]), 3).tolist(), [0, 2, 0])

    def test_halves(self):
        x, y, i = parity.real(4, 6, low=-0.9, high=0.9), parity.real(4, 6, low=0.1, high=3), parity.ints(4, 6, high=6)
        for e in (e.strip() for line in HALVES.strip().split("\n") for e in line.split(" | ")):
            with self.subTest(e):
                ours, theirs = (eval(e, {"h": h, "x": h.tensor(x).to(h.bfloat16), "y": h.tensor(y).to(h.bfloat16), "i": h.tensor(i)}) for h in (haft, torch))
                self.assertEqual(str(ours.dtype).split(".")[1], str(theirs.dtype).split(".")[1])
                parity.check(ours.double(), theirs.double(), e, 0.016)


class Arguments(unittest.TestCase):
    """Forms of arguments that PyTorch 2.15 takes, or refuses."""

    def test_products_in_a_type(self):
        for dtype in (haft.uint8, haft.int32, haft.bool, haft.float64):
            for y in (haft.ones(2, 2, dtype=haft.uint8).prod(1, dtype=dtype), haft.prod(haft.ones(2, 2), dtype=dtype)):
                self.assertIs(y.dtype, dtype)
        self.assertEqual(haft.full((3,), 100, dtype=haft.int32).prod(dtype=haft.uint8).item(), 64)
        self.assertEqual(haft.full((3,), 2.9).prod(dtype=haft.int16).item(), 8)

    def test_number_of_pieces_as_a_tensor(self):
        x = haft.arange(6)
        self.assertEqual([t.tolist() for t in haft.tensor_split(x, haft.tensor(3))], [[0, 1], [2, 3], [4, 5]])
        self.assertEqual([t.tolist() for t in haft.hsplit(x, haft.tensor([4]))], [[0, 1, 2, 3], [4, 5]])
        for wrong in (haft.tensor(3.0), haft.tensor([[3]]), haft.tensor(3, dtype=haft.int32)):
            self.assertRaisesRegex(RuntimeError, "int64 tensor of at most one dimension", x.tensor_split, wrong)

    def test_to_by_position(self):
        x = haft.ones(2)
        self.assertIs(x.to(haft.float64, True, True).dtype, haft.float64)
        self.assertIs(x.to(haft.float32, False), x)
        for y in (x.to(haft.float32, True, True), x.to(x, False, True), x.to("cpu", None, False, True)):
            self.assertTrue(y is not x and haft.equal(y, x))
        self.assertRaisesRegex(TypeError, "combination", x.to, "cpu", haft.float32, True, True, True)

    def test_nuclear_norm(self):
        self.assertAlmostEqual(haft.norm(haft.eye(3), "nuc").item(), 3, places=5)
        y = haft.ones(2, 3, 3).norm("nuc", dim=(1, 2), keepdim=True, dtype=haft.float64)
        self.assertEqual((y.shape, y.dtype), ((2, 1, 1), haft.float64))
        self.assertRaisesRegex(RuntimeError, "two of the 3 dimensions", haft.norm, haft.ones(2, 3, 3), "nuc")

    def test_tolerances_of_each_matrix(self):
        both, rtol = haft.eye(2).expand(2, 2, 2), haft.tensor([0.1, 2.0])
        for name in ("atol", "rtol"):
            self.assertEqual(haft.linalg.matrix_rank(both, **{name: rtol}).tolist(), [2, 0])
            self.assertEqual(haft.linalg.matrix_rank(haft.eye(2), **{name: rtol}).tolist(), [2, 0])
            self.assertEqual(haft.linalg.pinv(haft.eye(2), **{name: rtol}).tolist(), [[[1, 0], [0, 1]], [[0, 0], [0, 0]]])
        self.assertEqual(haft.linalg.matrix_rank(haft.eye(2), haft.tensor(2.0)).item(), 0)
        self.assertEqual(haft.linalg.matrix_rank(haft.ones(0, 2, 2), rtol=haft.ones(1)).shape, (0,))

    def test_gradient(self):
        x = haft.arange(4.0)
        self.assertEqual(haft.gradient(x, dim=None, spacing=None)[0].tolist(), [1, 1, 1, 1])
        self.assertEqual(haft.gradient(haft.ones(2, 2), spacing=haft.tensor(0.5))[1].tolist(), [[0, 0], [0, 0]])
        self.assertRaisesRegex(RuntimeError, "list of 2.*length 1", haft.gradient, haft.ones(4, 4), spacing=[0.1])
        self.assertRaisesRegex(RuntimeError, "dim 1 is named twice", haft.gradient, haft.ones(4, 4), dim=(1, -1))

    def test_refusals(self):
        f = haft.nn.functional
        self.assertRaisesRegex(TypeError, "'input' must be a Tensor, not int", haft.max, 5, haft.ones(2))
        for std in (-1.0, haft.tensor([1.0, -1.0]), haft.tensor([float("nan"), 1])):
            self.assertRaisesRegex(RuntimeError, "std >= 0", haft.normal, haft.zeros(2), std)
        drawn = haft.func.vmap(haft.normal, randomness="different")(haft.zeros(3, 2), haft.ones(3, 2))
        self.assertEqual(drawn.shape, (3, 2))
        self.assertRaisesRegex(ValueError, "min_val cannot be greater", f.hardtanh, haft.ones(2), 0.5, -0.5)
        self.assertRaisesRegex(RuntimeError, "m must be greater or equal to 0, got -3", haft.eye, 0, -3)
        self.assertEqual(haft.eye(2, m=0).shape, (2, 0))
        for loss in (f.nll_loss, f.cross_entropy):
            self.assertRaisesRegex(RuntimeError, "weight must be float32.*got float16", loss, haft.ones(1, 3), haft.tensor([0]), haft.ones(3, dtype=haft.float16))
        chances = haft.tensor([[0.5, 0.25, 0.25]])
        self.assertIs(f.cross_entropy(haft.ones(1, 3), chances, haft.ones(3, dtype=haft.float64)).dtype, haft.float64)

    def test_types_of_out(self):
        x, i = haft.ones(3, 3), haft.zeros(3, 3, dtype=haft.int64)
        wide = haft.zeros(3, 3, dtype=haft.float64)
        for call in (lambda: haft.gather(x, 0, i, out=wide), lambda: haft.mm(x, x, out=wide), lambda: haft.where(x > 0, x, x, out=wide),
                     lambda: haft.sort(x, out=(wide, i)), lambda: haft.softmax(x, 0, out=wide),
                     lambda: haft.norm(x, out=wide), lambda: haft.linalg.norm(x, "fro", out=wide), lambda: haft.topk(x, 3, out=(wide, i))):
            self.assertRaisesRegex(RuntimeError, "Expected out tensor to have dtype haft.float32, but got haft.float64", call)
        self.assertIs(haft.add(x, x, out=wide), wide)

    def test_masks_of_bytes(self):
        mask = haft.tensor([1, 0, 1], dtype=haft.uint8)
        self.assertEqual(haft.zeros(3).index_put((mask,), haft.tensor([1.0, 2.0])).tolist(), [1, 0, 2])

    def test_variances(self):
        f, x, y = haft.nn.functional, haft.ones(4, 3), haft.zeros(4, 3)
        self.assertAlmostEqual(f.gaussian_nll_loss(x, y, 1.0).item(), 0.5)
        self.assertAlmostEqual(f.gaussian_nll_loss(x, y, haft.ones(1, 3)).item(), 0.5)
        self.assertRaisesRegex(ValueError, "negative", f.gaussian_nll_loss, x, y, -1.0)
        self.assertRaises(RuntimeError, f.gaussian_nll_loss, x, y, haft.ones(1, 1))


if __name__ == "__main__":
    unittest.main()
