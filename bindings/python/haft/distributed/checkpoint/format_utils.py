"""Between checkpoints of ranks and files of haft.save()."""
import os

import haft

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]


def dcp_to_torch_save(dcp_checkpoint_dir, torch_save_path):
    """One file of whole tensors, as save() writes it."""
    from ._saving import load_whole
    haft.save(load_whole(os.fspath(dcp_checkpoint_dir)), torch_save_path)


def torch_save_to_dcp(torch_save_path, dcp_checkpoint_dir):
    """A checkpoint of what a file of save() holds."""
    from ._saving import save
    save(haft.load(torch_save_path), checkpoint_id=dcp_checkpoint_dir, no_dist=True)
