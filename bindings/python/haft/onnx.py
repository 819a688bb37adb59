"""What programs import of torch.onnx. haft writes no ONNX files."""

__all__ = ["export", "is_in_onnx_export"]


def export(*args, **kwargs):
    """Not there: raises NotImplementedError with what to use instead."""
    raise NotImplementedError("haft.onnx.export: haft writes no ONNX files. To serve a model, keep its weights with haft.save(module.state_dict(), "
                              "path) or haft.io's safetensors, and load them in any language of haft.")


def is_in_onnx_export():
    """False."""
    return False
