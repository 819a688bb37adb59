"""What recurrent layers and cells do with the engine's operator; _layers.py has the classes, with the parameters of core/schema/modules.def."""
from __future__ import annotations

import math
import warnings

from ... import Tensor, empty, zeros
from ..._library import raw as R
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .module import Module

__all__ = ["RNNBase", "RNNCellBase"]


# By mode: the engine's number, and gates.
_MODES = {"RNN_TANH": (0, 1), "RNN_RELU": (1, 1), "LSTM": (2, 4), "GRU": (3, 3)}


class RNNBase(Module):
    """What recurrent layers have in common: weights ``weight_ih_l0``, ``weight_hh_l0``, ... and the loops over layers,
    directions and positions.

    Args:
        mode: ``"RNN_TANH"``, ``"RNN_RELU"``, ``"LSTM"`` or ``"GRU"``
        input_size: size of an element of the sequence
        hidden_size: size of the state
        num_layers: layers, each reading the one before
        bias: add a learnt bias
        batch_first: inputs are (N, L, size) instead of (L, N, size)
        dropout: probability of dropout between layers
        bidirectional: a second direction, from the end
        proj_size: size of a projection of h; 0: none
    """

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device=None, dtype=None):
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element "
                             "being zeroed")
        if dropout > 0 and num_layers == 1:
            warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                          f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                          stacklevel=3)
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _MODES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        directions = 2 if bidirectional else 1
        gates = _MODES[mode][1] * hidden_size
        out = proj_size or hidden_size
        for layer in range(num_layers):
            into = input_size if layer == 0 else out * directions
            for suffix in ("", "_reverse")[:directions]:
                shapes = {"weight_ih": (gates, into), "weight_hh": (gates, out)}
                if bias:
                    shapes.update(bias_ih=(gates,), bias_hh=(gates,))
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    setattr(self, f"{name}_l{layer}{suffix}", Parameter(empty(shape, device=device, dtype=dtype)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Uniform within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def flatten_parameters(self) -> None:
        """The engine needs no common memory for weights; kept for programs that call it."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [self._weights(layer, d) for layer in range(self.num_layers)
                for d in range(2 if self.bidirectional else 1)]

    def _weights(self, layer: int, direction: int) -> list:
        suffix = f"_l{layer}" + ("_reverse" if direction else "")
        names = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if self.bias else [])
        return [self._parameters[n + suffix] for n in names + (["weight_hr"] if self.proj_size else [])]

    def _check(self, x: Tensor, hidden: tuple, batch: int) -> None:
        if x.size(-1) != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                               f"{x.size(-1)}")
        layers = self.num_layers * (2 if self.bidirectional else 1)
        sizes = [self.proj_size or self.hidden_size, self.hidden_size]
        for i, h in enumerate(hidden):
            wanted = (layers, batch, sizes[i])
            if tuple(h.shape) != wanted:
                name = "hidden" if len(hidden) == 1 else f"hidden[{i}]"
                raise RuntimeError(f"Expected {name} size {wanted}, got {list(h.shape)}")

    def forward(self, input, hx=None):
        """(L, N, in), or (N, L, in) with batch_first, or (L, in), or a PackedSequence -> all outputs of that form and the last
        hidden state."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            raise RuntimeError(f"{type(self).__name__}: Expected input to be 2-D or 3-D but received {input.dim()}-D "
                               "tensor")
        single = input.dim() == 2
        x = input.unsqueeze(1) if single else input.transpose(0, 1) if self.batch_first else input
        hidden = self._hidden(x, hx, x.size(1), (lambda h: h.unsqueeze(1)) if single else None)
        x, state = self._layers(x, hidden, None)
        if single:
            x, state = x.squeeze(1), [s.squeeze(1) for s in state]
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, (tuple(state) if self.mode == "LSTM" else state[0])

    def _forward_packed(self, packed: PackedSequence, hx) -> tuple:
        order, back = packed.sorted_indices, packed.unsorted_indices
        sizes = packed.batch_sizes.tolist()
        if packed.data.dim() != 2:
            raise RuntimeError(f"input must have 2 dimensions, got {packed.data.dim()}")
        hidden = self._hidden(packed.data, hx, sizes[0], None if order is None else lambda h: h.index_select(1, order))
        data, state = self._layers(packed.data, hidden, sizes)
        if back is not None:
            state = [s.index_select(1, back) for s in state]
        return (PackedSequence(data, packed.batch_sizes, order, back),
                tuple(state) if self.mode == "LSTM" else state[0])

    def _hidden(self, x: Tensor, hx, batch: int, prepare) -> list:
        if hx is None:
            rows = self.num_layers * (2 if self.bidirectional else 1)
            sizes = [self.proj_size or self.hidden_size, self.hidden_size][:2 if self.mode == "LSTM" else 1]
            hidden = [zeros(rows, batch, size, dtype=x.dtype, device=x.device) for size in sizes]
        else:
            hidden = list(hx) if self.mode == "LSTM" else [hx]
            if prepare is not None:
                hidden = [prepare(h) for h in hidden]
        self._check(x, tuple(hidden), batch)
        return hidden

    def _layers(self, x: Tensor, hidden: list, sizes: list | None) -> tuple:
        # sizes: how many sequences reach each position of packed rows; None: x is (L, N, in).
        weights = [w for run in self.all_weights for w in run]
        c = hidden[1] if self.mode == "LSTM" else None
        out, *state = R.rnn(x, hidden[0], c, weights, _MODES[self.mode][0], self.num_layers, self.bidirectional, False,
                            self.dropout, self.training, sizes or [], None)
        return out, state[:len(hidden)]

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False),
                            ("dropout", 0), ("bidirectional", False)):
            value = getattr(self, name)
            if value != usual:
                text += f", {name}={value}"
        return text


class _RNN(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers, nonlinearity, bias, batch_first, dropout, bidirectional, device, dtype):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'")
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity


class _LSTM(RNNBase):
    def __init__(self, *arguments):
        super().__init__("LSTM", *arguments)


class _GRU(RNNBase):
    def __init__(self, *arguments):
        *arguments, device, dtype = arguments
        super().__init__("GRU", *arguments, 0, device, dtype)


class RNNCellBase(Module):
    """One step of a recurrent layer: ``weight_ih``, ``weight_hh``, ``bias_ih``, ``bias_hh``.

    Args:
        input_size: size of an element of the sequence
        hidden_size: size of the state
        bias: add a learnt bias
        num_chunks: gates: 1, 3 or 4
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        for name, shape in (("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size)), ("bias_ih", (rows,)),
                            ("bias_hh", (rows,))):
            wanted = bias or name.startswith("weight")
            self.register_parameter(name, Parameter(empty(shape, device=device, dtype=dtype)) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Uniform within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def _step(self, mode: str, input: Tensor, hidden: tuple) -> tuple:
        if input.dim() not in (1, 2):
            raise AssertionError(f"{type(self).__name__}: Expected input to be 1-D or 2-D but received {input.dim()}-D "
                                 "tensor")
        single = input.dim() == 1
        x, *state = (t.unsqueeze(0) for t in (input, *hidden)) if single else (input, *hidden)
        weights = [w for w in (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh) if w is not None]
        h, c = (state[0].unsqueeze(0), state[1].unsqueeze(0) if len(state) > 1 else None)
        _, *out = R.rnn(x, h, c, weights, _MODES[mode][0], 1, False, False, 0.0, False, [x.size(0)], None)
        return tuple(s.squeeze(0).squeeze(0) if single else s.squeeze(0) for s in out[:len(state)])

    def _zeros(self, input: Tensor) -> Tensor:
        return zeros(*input.shape[:-1], self.hidden_size, dtype=input.dtype, device=input.device)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if not self.bias:
            text += f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else text + f", nonlinearity={nonlinearity}"


class _RNNCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias, nonlinearity, device, dtype):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step("RNN_" + self.nonlinearity.upper(), input, (self._zeros(input) if hx is None else hx,))[0]


class _LSTMCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias, device, dtype):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        return self._step("LSTM", input, (self._zeros(input), self._zeros(input)) if hx is None else tuple(hx))


class _GRUCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias, device, dtype):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step("GRU", input, (self._zeros(input) if hx is None else hx,))[0]
