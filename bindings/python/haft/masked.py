"""What programs import of torch.masked. haft's tensors carry no masks."""
from ._names import absent

_NAMES = ("MaskedTensor amax amin argmax argmin as_masked_tensor cumprod cumsum log_softmax logsumexp masked_tensor mean median norm normalize prod softmax "
          "softmin std sum var")
__all__ = _NAMES.split()

globals().update(absent(__name__, "haft's tensors carry no masks. Use masked_fill with what is neutral, and where.", _NAMES))
