"""Parameters of which each process keeps its rows."""
import haft
from haft import _haft
from haft.nn.parameter import Parameter

from ..tensor import DTensor, Shard

__all__ = ["ShardedParameter", "sharded"]


class ShardedParameter(Parameter):
    """A parameter that fully_shard() has spread: a DTensor between uses, and an ordinary tensor while its module computes.

    It keeps its identity, its shape is that of the whole, and its gradient is a DTensor. Optimizers of haft step this process's rows.
    """

    def __new__(cls, *args, **kwargs):
        raise TypeError("a ShardedParameter is made by fully_shard()")

    @property
    def device_mesh(self):
        """The processes over which it is spread."""
        return self._mesh

    @property
    def placements(self):
        """Rows of dimension 0 along the last dimension of the mesh."""
        return self._placements

    def _distributed(self, local):
        return DTensor(local, self._mesh, self._placements, self.shape)

    def to_local(self, *, grad_placements=None):
        """This process's rows: a leaf of its own, which is what optimizers step."""
        return _haft.ShardingCalls.shard(self)[0]

    def full_tensor(self, *, grad_placements=None):
        """The whole, on every process; all call it."""
        return self._distributed(self.to_local().detach()).full_tensor()

    def redistribute(self, device_mesh=None, placements=None, *, async_op=False):
        """The same values in other places."""
        return self._distributed(self.to_local().detach()).redistribute(device_mesh, placements)

    @property
    def grad(self):
        """The gradient of this process's rows, as a DTensor; None: there is none."""
        g = self.to_local().grad
        return None if g is None else self._distributed(g)

    @grad.setter
    def grad(self, value):
        self.to_local().grad = value.to_local() if isinstance(value, DTensor) else value

    def _saved(self):
        return self._distributed(self.to_local().detach())

    def _load(self, given):
        local = self.to_local()
        if tuple(given.shape) != tuple(self.shape):
            raise ValueError(f"got shape {tuple(given.shape)}")
        if isinstance(given, DTensor):
            mine = given if given.placements == self._placements else given.redistribute(placements=self._placements)
            mine = mine.to_local()
        else:
            *_, first, count = _haft.ShardingCalls.shard_numbers(self)
            mine = given.narrow(0, first, count)
        with haft.no_grad():
            local.copy_(mine)

    def __repr__(self):
        return f"Parameter containing:\n{self._saved()!r}"

    def __deepcopy__(self, memo):
        raise TypeError("a parameter that is spread over processes is not copied: copy the module before fully_shard()")

    def __reduce_ex__(self, protocol):
        raise TypeError("a parameter that is spread over processes is not pickled: save the module's state_dict() with haft.distributed.checkpoint")


DTensor.register(ShardedParameter)


def sharded(parameter, mesh):
    """Makes the object of a parameter one that tells of its rows."""
    placements = (Shard(0),) if mesh.ndim == 1 else (haft.distributed.tensor.Replicate(), Shard(0))
    parameter.__class__ = ShardedParameter
    parameter._mesh, parameter._placements = mesh, placements
