"""What programs import of torch.nested. haft's tensors are no lists."""
from ._names import absent

__all__ = ["as_nested_tensor", "narrow", "nested_tensor", "nested_tensor_from_jagged", "to_padded_tensor"]

globals().update(absent(__name__, "haft's tensors have one size. Pad them (nn.utils.rnn.pad_sequence) and give a mask, or pack them (pack_sequence).",
                        "as_nested_tensor narrow nested_tensor nested_tensor_from_jagged to_padded_tensor"))
