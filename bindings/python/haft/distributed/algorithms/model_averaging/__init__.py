"""Models that processes average every some steps."""
from . import averagers

__all__ = ["averagers"]
