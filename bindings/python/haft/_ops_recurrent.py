"""PyTorch's functions behind recurrent layers: torch.lstm and its like, over the engine's one operator."""
from ._library import raw as R
from ._names import Names

_names = Names()
FUNCTIONS, METHODS = _names.functions, _names.methods


def _layers(mode, *arguments):
    """(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or packed rows: (data,
    batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)."""
    if isinstance(arguments[3], bool):
        data, hx, params, _, layers, dropout, train, both, first = arguments
        sizes = []
    else:
        data, sizes, hx, params, _, layers, dropout, train, both = arguments
        first, sizes = False, sizes.tolist()
    h, c = hx if mode == 2 else (hx, None)
    out, *state = R.rnn(data, h, c, list(params), mode, layers, both, first, dropout, train, sizes, None)
    return (out, *state[:2 if mode == 2 else 1])


def rnn_tanh(*arguments):
    """Elman's layers with tanh: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    or, of packed rows, (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)."""
    return _layers(0, *arguments)


def rnn_relu(*arguments):
    """:func:`rnn_tanh` with relu."""
    return _layers(1, *arguments)


def lstm(*arguments):
    """:func:`rnn_tanh`'s arguments, for LSTMs; hx is the pair (h, c), and the last ones are two results."""
    return _layers(2, *arguments)


def gru(*arguments):
    """:func:`rnn_tanh`'s arguments, for GRUs."""
    return _layers(3, *arguments)


for _f in (rnn_tanh, rnn_relu, lstm, gru):
    FUNCTIONS[_f.__name__] = _f
