"""What communication hooks of DistributedDataParallel see."""

__all__ = ["GradBucket"]


class GradBucket:
    """The gradients of some parameters, one behind the other, as a communication hook sees them."""

    def __init__(self, index, tensors, last):
        self._index, self._last = index, last
        self._buffer, count = tensors[0], len(tensors) // 2
        self._gradients, self._parameters = list(tensors[1:count + 1]), list(tensors[count + 1:])

    def index(self):
        """Its number, in the order in which buckets begin."""
        return self._index

    def buffer(self):
        """All gradients in one dimension."""
        return self._buffer

    def set_buffer(self, tensor):
        """Gives the buffer other values."""
        self._buffer.detach().copy_(tensor)

    def gradients(self):
        """Views of the buffer in the shapes of the parameters."""
        return self._gradients

    def parameters(self):
        """Whose gradients they are."""
        return self._parameters

    def is_last(self):
        """Whether backward ends with it."""
        return self._last
