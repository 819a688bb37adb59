"""What programs import of torch.overrides. haft's operators ask no argument for __torch_function__: a subclass of Tensor is a tensor like others."""
from ._library import _haft
from ._names import absent

__all__ = ["TorchFunctionMode", "handle_torch_function", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "is_tensor_like"]

globals().update(absent(__name__, "haft's operators do not look for __torch_function__. Write a function of your own, or a subclass with methods of its own.",
                        "TorchFunctionMode handle_torch_function"))


def has_torch_function(*relevant_args):
    """False."""
    return False


has_torch_function_unary = has_torch_function_variadic = has_torch_function


def is_tensor_like(inp):
    """Whether it is a tensor."""
    return isinstance(inp, _haft.Tensor)
