"""What programs import of torch.export. haft captures no programs of Python."""
from ._names import absent

__all__ = ["Dim", "ExportedProgram", "draft_export", "export", "load", "register_dataclass", "save"]

globals().update(absent(__name__, "haft does not trace Python. Keep the weights with haft.save(module.state_dict(), path), and load them in any language of haft.",
                        "Dim ExportedProgram draft_export export load register_dataclass save"))
