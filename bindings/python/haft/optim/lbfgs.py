"""L-BFGS."""
from __future__ import annotations

from .. import Tensor, cat, enable_grad, no_grad, zeros_like
from .optimizer import Optimizer

__all__ = ["LBFGS"]


def _cubic_minimum(x1, f1, g1, x2, f2, g2, bounds=None) -> float:
    """Where the cubic through two values and slopes is lowest, within the bounds."""
    low, high = bounds if bounds is not None else ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square ** 0.5
    if x1 <= x2:
        at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(at, low), high)


def _strong_wolfe(evaluate, t, d, f, g, slope, c1=1e-4, c2=0.9, tolerance=1e-9, most=25):
    """A step that lowers the value and the slope enough (Nocedal and Wright, algorithms 3.5 and 3.6).

    Args:
        evaluate: step -> value and gradient
        t: first step; d: direction; f, g, slope: value, gradient and slope at 0

    Returns:
        value, gradient, step, and how often it evaluated
    """
    d_norm = float(d.abs().max())
    g = g.clone()
    f_new, g_new = evaluate(t)
    calls = 1
    slope_new = float(g_new.dot(d))
    t_prev, f_prev, g_prev, slope_prev = 0.0, f, g, slope
    done = False
    rounds = 0
    while rounds < most:
        if f_new > f + c1 * t * slope or (rounds > 1 and f_new >= f_prev):
            bracket = [(t_prev, f_prev, g_prev, slope_prev), (t, f_new, g_new.clone(), slope_new)]
            break
        if abs(slope_new) <= -c2 * slope:
            bracket = [(t, f_new, g_new, slope_new)]
            done = True
            break
        if slope_new >= 0:
            bracket = [(t_prev, f_prev, g_prev, slope_prev), (t, f_new, g_new.clone(), slope_new)]
            break
        near, far = t + 0.01 * (t - t_prev), t * 10
        was = t
        t = _cubic_minimum(t_prev, f_prev, slope_prev, t, f_new, slope_new, (near, far))
        t_prev, f_prev, g_prev, slope_prev = was, f_new, g_new.clone(), slope_new
        f_new, g_new = evaluate(t)
        calls += 1
        slope_new = float(g_new.dot(d))
        rounds += 1
    else:
        bracket = [(0.0, f, g, slope), (t, f_new, g_new, slope_new)]

    # Between the two ends, of which `low` has the lower value.
    stuck = False
    low, high = (0, 1) if len(bracket) == 1 or bracket[0][1] <= bracket[1][1] else (1, 0)
    while not done and rounds < most:
        (ta, fa, _, sa), (tb, fb, _, sb) = bracket
        if abs(tb - ta) * d_norm < tolerance:
            break
        t = _cubic_minimum(ta, fa, sa, tb, fb, sb)
        left, right = min(ta, tb), max(ta, tb)
        edge = 0.1 * (right - left)
        if min(right - t, t - left) < edge:
            # Too close to an end for the second time, or outside: well inside instead.
            if stuck or t >= right or t <= left:
                t = right - edge if abs(t - right) < abs(t - left) else left + edge
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        f_new, g_new = evaluate(t)
        calls += 1
        slope_new = float(g_new.dot(d))
        rounds += 1
        point = (t, f_new, g_new.clone(), slope_new)
        if f_new > f + c1 * t * slope or f_new >= bracket[low][1]:
            bracket[high] = point
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(slope_new) <= -c2 * slope:
                done = True
            elif slope_new * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
    t, f_new, g_new, _ = bracket[low if len(bracket) > 1 else 0]
    return f_new, g_new, t, calls


class LBFGS(Optimizer):
    """L-BFGS (Liu and Nocedal, 1989) over one group of parameters; ``step`` needs a closure.

    Args:
        params: tensors
        lr: learning rate
        max_iter: iterations a step
        max_eval: evaluations a step, ``max_iter * 1.25`` unless given
        tolerance_grad: ends when no element of the gradient is larger
        tolerance_change: ends when value and parameters change less
        history_size: updates that are remembered
        line_search_fn: ``"strong_wolfe"`` or ``None``
    """

    def __init__(self, params, lr: float = 1, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None):
        super().__init__(params, dict(lr=lr, max_iter=max_iter,
                                      max_eval=max_iter * 5 // 4 if max_eval is None else max_eval,
                                      tolerance_grad=tolerance_grad, tolerance_change=tolerance_change,
                                      history_size=history_size, line_search_fn=line_search_fn))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def __setstate__(self, state):
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    def _flat_grad(self) -> Tensor:
        return cat([zeros_like(p.detach()).reshape(-1) if p.grad is None else p.grad.detach().reshape(-1)
                    for p in self._params])

    def _move(self, step: float, direction: Tensor) -> None:
        at = 0
        for p in self._params:
            n = p.numel()
            p.add_(direction[at : at + n].reshape(p.shape) * step)
            at += n

    @no_grad()
    def step(self, closure):
        """Up to ``max_iter`` iterations.

        Args:
            closure: clears the gradients, computes the loss and its gradients, answers the loss

        Returns:
            the first loss
        """
        for hook in list(self._pre_hooks.values()):
            hook(self, (closure,), {})
        group = self.param_groups[0]
        lr, line_search = group["lr"], group["line_search_fn"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        def compute():
            with enable_grad():
                return closure()

        first = compute()
        loss = float(first)
        evals = 1
        state["func_evals"] += 1
        grad = self._flat_grad()
        if float(grad.abs().max()) > group["tolerance_grad"]:
            self._iterate(group, state, compute, loss, grad, evals, lr, line_search)
        for hook in list(self._post_hooks.values()):
            hook(self, (closure,), {})
        return first

    def _iterate(self, group, state, compute, loss, grad, evals, lr, line_search) -> None:
        d, t, scale = state.get("d"), state.get("t"), state.get("H_diag")
        steps, changes, ro = state.get("old_stps", []), state.get("old_dirs", []), state.get("ro", [])
        prev_grad, prev_loss = state.get("prev_flat_grad"), state.get("prev_loss")
        n = 0
        while n < group["max_iter"]:
            n += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d, steps, changes, ro, scale = -grad, [], [], [], 1.0
            else:
                y, s = grad - prev_grad, d * t
                ys = float(y.dot(s))
                if ys > 1e-10:
                    if len(changes) == group["history_size"]:
                        changes.pop(0)
                        steps.pop(0)
                        ro.pop(0)
                    changes.append(y)
                    steps.append(s)
                    ro.append(1.0 / ys)
                    scale = ys / float(y.dot(y))
                # Two loops over the history give the direction.
                q = -grad
                al = [0.0] * len(changes)
                for i in reversed(range(len(changes))):
                    al[i] = float(steps[i].dot(q)) * ro[i]
                    q = q - changes[i] * al[i]
                d = q * scale
                for i in range(len(changes)):
                    d = d + steps[i] * (al[i] - float(changes[i].dot(d)) * ro[i])
            prev_grad, prev_loss = grad.clone(), loss
            t = min(1.0, 1.0 / float(grad.abs().sum())) * lr if state["n_iter"] == 1 else lr
            slope = float(grad.dot(d))
            if slope > -group["tolerance_change"]:
                break
            calls = 0
            if line_search is not None:
                if line_search != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                before = [p.detach().clone() for p in self._params]

                def evaluate(step: float):
                    self._move(step, d)
                    value = float(compute())
                    gradient = self._flat_grad()
                    for p, b in zip(self._params, before):
                        p.copy_(b)
                    return value, gradient

                loss, grad, t, calls = _strong_wolfe(evaluate, t, d, loss, grad, slope)
                self._move(t, d)
                small = float(grad.abs().max()) <= group["tolerance_grad"]
            else:
                self._move(t, d)
                small = False
                if n != group["max_iter"]:
                    loss = float(compute())
                    grad = self._flat_grad()
                    small = float(grad.abs().max()) <= group["tolerance_grad"]
                    calls = 1
            evals += calls
            state["func_evals"] += calls
            if n == group["max_iter"] or evals >= group["max_eval"] or small:
                break
            if float((d * t).abs().max()) <= group["tolerance_change"]:
                break
            if abs(loss - prev_loss) < group["tolerance_change"]:
                break
        state.update(d=d, t=t, old_dirs=changes, old_stps=steps, ro=ro, H_diag=scale, prev_flat_grad=prev_grad,
                     prev_loss=prev_loss)
