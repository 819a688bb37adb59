"""Tables of vectors."""
from ._layers import Embedding, EmbeddingBag  # noqa: F401
