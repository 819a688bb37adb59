"""What programs import of torch.sparse. haft's only sparse tensors are gradients of rows: Embedding(sparse=True)."""
from ._names import absent

_FUNCTIONS = "addmm log_softmax mm sampled_addmm softmax spdiags sum to_sparse_semi_structured"
_MAKERS = "sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor"  # functions of haft itself
__all__ = _FUNCTIONS.split()

globals().update(absent(__name__, "haft's only sparse tensors are gradients of rows (Embedding(sparse=True)). Use dense tensors; sums over edges are index_add and "
                                  "scatter_add of the rows that index_select takes.", _FUNCTIONS + " " + _MAKERS))
