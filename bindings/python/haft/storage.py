"""The memory that tensors lie in, as an object: x.untyped_storage() counts bytes, x.storage() elements."""
from ._library import _haft

__all__ = ["TypedStorage", "UntypedStorage"]


class _Storage:
    # _tensor keeps the memory, _flat is all of it as a vector.
    __slots__ = ("_tensor", "_flat")

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"a {type(self).__name__} is what tensor.storage() and tensor.untyped_storage() answer")

    @classmethod
    def _of(cls, tensor, flat):
        self = object.__new__(cls)
        self._tensor, self._flat = tensor, flat
        return self

    device = property(lambda self: self._flat.device, doc="Where the memory is.")
    is_cuda = property(lambda self: self._flat.is_cuda, doc="Whether it is a CUDA device's.")

    def data_ptr(self):
        """Address of the first byte."""
        return self._flat.data_ptr()

    def size(self):
        """Number of elements."""
        return self._flat.numel()

    def nbytes(self):
        """Number of bytes."""
        return self._flat.nbytes

    def element_size(self):
        """Bytes of an element."""
        return self._flat.itemsize

    def is_shared(self):
        """Whether child processes see writes to the memory."""
        return self._tensor.is_shared()

    def tolist(self):
        """The elements as a list."""
        return self._flat.tolist()

    def clone(self):
        """A copy of the memory."""
        flat = self._flat.clone()
        return self._of(flat, flat)

    def fill_(self, value):
        """Sets all elements; tensors on the memory see it."""
        self._flat.fill_(value)
        self._tensor._touch()
        return self

    def copy_(self, source):
        """Writes the elements of another storage of the same size."""
        self._flat.copy_(source._flat if isinstance(source, _Storage) else source)
        self._tensor._touch()
        return self

    def __len__(self):
        return self.size()

    def __getitem__(self, index):
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
            return self._of(self._tensor, self._flat[index])
        return self._flat[index].item()

    def __setitem__(self, index, value):
        self._flat[index] = value._flat if isinstance(value, _Storage) else value
        self._tensor._touch()

    def __iter__(self):
        return iter(self.tolist())

    def __eq__(self, other):
        return self.data_ptr() == other.data_ptr() and self.size() == other.size() if type(other) is type(self) else NotImplemented

    __hash__ = None


class UntypedStorage(_Storage):
    """Memory as bytes."""
    __slots__ = ()

    def __repr__(self):
        return "".join(f" {v}\n" for v in self) + f"[haft.UntypedStorage(device={self.device}) of size {self.size()}]"


class TypedStorage(_Storage):
    """Memory as elements of one dtype."""
    __slots__ = ()

    dtype = property(lambda self: self._flat.dtype, doc="Type of the elements.")

    def untyped(self):
        """The same memory as bytes."""
        return untyped(self._tensor)

    def __repr__(self):
        return "".join(f" {v}\n" for v in self) + f"[haft.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self.size()}]"


def untyped(tensor):
    """All the memory of a tensor, as bytes."""
    tensor = tensor.detach()
    return UntypedStorage._of(tensor, _haft.whole_storage(tensor))


def typed(tensor):
    """All the memory of a tensor, as elements of its dtype."""
    tensor = tensor.detach()
    return TypedStorage._of(tensor, _haft.whole_storage(tensor).view(tensor.dtype))
