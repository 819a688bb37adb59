"""What programs import of torch.onnx. haft writes no ONNX files."""
from ._names import absent

__all__ = ["export", "is_in_onnx_export"]

globals().update(absent(__name__, "haft writes no ONNX files. To serve a model, keep its weights with haft.save(module.state_dict(), path) or haft.io's safetensors, "
                                  "and load them in any language of haft.", "export"))


def is_in_onnx_export():
    """False."""
    return False
