"""PyTorch's functions behind recurrent layers: torch.lstm and its like, over the engine's one operator."""
from ._creation import Tensor
from ._library import raw as R
from ._names import Names

_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods
_OPTIONS = ["hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional"]
_PADDED, _PACKED = ["input", *_OPTIONS, "batch_first"], ["data", "batch_sizes", *_OPTIONS]


def _bound(name, positions, named):
    """Arguments by name, of the one form or the other."""
    second = positions[1] if len(positions) > 1 else None
    packed = "data" in named or "batch_sizes" in named or (isinstance(second, Tensor) and second.dim() == 1 and not second.dtype.is_floating_point)
    wanted = _PACKED if packed else _PADDED
    form = f"{name}({', '.join(wanted)})"
    if len(positions) > len(wanted):
        raise TypeError(f"{form} takes {len(wanted)} arguments, got {len(positions)}")
    given = dict(zip(wanted, positions))
    for key in named:
        if key in given or key not in wanted:
            raise TypeError(f"{form}: {'two values of' if key in given else 'there is no'} {key!r}")
    given.update(named)
    missing = [key for key in wanted if key not in given]
    if missing:
        raise TypeError(f"{form}: {', '.join(missing)} missing")
    pair = name == "lstm"
    if pair and not (isinstance(given["hx"], (tuple, list)) and len(given["hx"]) == 2):
        raise TypeError(f"{form}: hx is a pair (h, c), got {type(given['hx']).__name__}")
    for key in (wanted[0], *["hx"][pair:], *["batch_sizes"][not packed:]):
        if not isinstance(given[key], Tensor):
            raise TypeError(f"{form}: {key} is a tensor, got {type(given[key]).__name__}")
    if not isinstance(given["params"], (tuple, list)):
        raise TypeError(f"{form}: params is a list of tensors, got {type(given['params']).__name__}")
    return given


def _layers(mode, name, positions, named):
    a = _bound(name, positions, named)
    packed = "data" in a
    h, c = a["hx"] if mode == 2 else (a["hx"], None)
    out, *state = R.rnn(a["data" if packed else "input"], h, c, list(a["params"]), mode, a["num_layers"], a["bidirectional"], a.get("batch_first", False),
                        a["dropout"], a["train"], a["batch_sizes"].tolist() if packed else [], None)
    return (out, *state[:2 if mode == 2 else 1])


def rnn_tanh(*arguments, **named):
    """Elman's layers with tanh: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    or, of packed rows, (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)."""
    return _layers(0, "rnn_tanh", arguments, named)


def rnn_relu(*arguments, **named):
    """:func:`rnn_tanh` with relu."""
    return _layers(1, "rnn_relu", arguments, named)


def lstm(*arguments, **named):
    """:func:`rnn_tanh`'s arguments, for LSTMs; hx is the pair (h, c), and the last ones are two results."""
    return _layers(2, "lstm", arguments, named)


def gru(*arguments, **named):
    """:func:`rnn_tanh`'s arguments, for GRUs."""
    return _layers(3, "gru", arguments, named)


for _f in (rnn_tanh, rnn_relu, lstm, gru):
    FUNCTIONS[_f.__name__] = _f
