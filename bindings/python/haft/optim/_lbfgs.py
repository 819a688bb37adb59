"""What LBFGS does; _optimizers.py has the class."""
from __future__ import annotations

from .. import Tensor, _haft, enable_grad, float64, tensor
from ._fused import FusedOptimizer

_COUNTS, _NUMBERS, _VECTORS = ("func_evals", "n_iter"), ("t", "H_diag", "prev_loss"), ("d", "prev_flat_grad")
_LISTS = ("old_dirs", "old_stps", "ro")


class _LBFGS(FusedOptimizer):
    _make = staticmethod(_haft.Make.lbfgs)
    _takes_rows = False
    _names = ("lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size", "strong_wolfe", "maximize")

    def __init__(self, params, lr, max_iter, max_eval, tolerance_grad, tolerance_change, history_size, line_search_fn, maximize):
        super().__init__(params, dict(lr=lr, max_iter=max_iter,
                                      max_eval=max_iter * 5 // 4 if max_eval is None else max_eval,
                                      tolerance_grad=tolerance_grad, tolerance_change=tolerance_change,
                                      history_size=history_size, line_search_fn=line_search_fn, maximize=maximize))

    @staticmethod
    def _values(group: dict) -> tuple:
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        return (group["lr"], group["max_iter"], group["max_eval"], group["tolerance_grad"], group["tolerance_change"],
                group["history_size"], group["line_search_fn"] is not None, bool(group["maximize"]))

    def add_param_group(self, param_group: dict) -> None:
        if self.param_groups:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        super().add_param_group(param_group)

    def _read(self, engine, number: int) -> dict:
        """All of it is the first parameter's, as in PyTorch; what is a list there the engine numbers."""
        if number or engine.state(0, "func_evals") is None:
            return {}
        state = {name: int(engine.state(0, name)) for name in _COUNTS}
        if engine.state(0, "d") is None:
            return state
        state.update((name, float(engine.state(0, name))) for name in _NUMBERS)
        state.update((name, engine.state(0, name)) for name in _VECTORS)
        for name in _LISTS:
            state[name] = []
            while (value := engine.state(0, f"{name}.{len(state[name])}")) is not None:
                state[name].append(float(value) if name == "ro" else value)
        state["al"] = [None] * self.param_groups[0]["history_size"]  # PyTorch's scratch paper
        return state

    @staticmethod
    def _write(engine, number: int, state: dict, p=None) -> None:
        def put(name, value):
            engine.set_state(0, name, value if isinstance(value, Tensor) else tensor(float(value), dtype=float64))
        for name in (*_COUNTS, *_NUMBERS, *_VECTORS):
            if state.get(name) is not None:
                put(name, state[name])
        for name in _LISTS:
            for i, value in enumerate(state.get(name) or ()):
                put(f"{name}.{i}", value)

    def _stepped(self, closure):
        # Up to max_iter iterations; the first loss is answered.
        answers = []

        def loss():
            with enable_grad():
                answer = closure()
            answers.append(answer)
            del answers[1:]
            return answer if isinstance(answer, Tensor) else tensor(float(answer), dtype=float64)
        self._bound().step_closure(loss)
        return answers[0]
