"""Recurrent layers and cells."""
from ._layers import GRU, GRUCell, LSTM, LSTMCell, RNN, RNNCell  # noqa: F401
from ._rnn import RNNBase, RNNCellBase  # noqa: F401
