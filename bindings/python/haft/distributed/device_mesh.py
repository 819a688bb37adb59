"""Ranks seen as an array, with a process group along each dimension."""
import math as _math

from .. import _haft
from ._groups import GroupMember, ProcessGroup, _world, get_rank, is_initialized

__all__ = ["DeviceMesh", "init_device_mesh"]


class _Groups:
    # What a mesh of groups that exist tells.
    def __init__(self, groups, names):
        self._groups, self._names = groups, names

    def ndim(self):
        return len(self._groups)

    def size(self, dim):
        return self._groups[dim].size()

    def coordinate(self, dim):
        return self._groups[dim].rank()

    def name(self, dim):
        return self._names[dim] if self._names else ""

    def find(self, name):
        if name not in (self._names or ()):
            raise KeyError(f"the mesh has no dimension {name!r}")
        return self._names.index(name)

    def group(self, dim):
        return self._groups[dim]._native

    def slice(self, dims):
        return _Groups([self._groups[d] for d in dims], [self._names[d] for d in dims])


class DeviceMesh:
    """Made by init_device_mesh(), which all ranks call; mesh["tp"] is a mesh of some dimensions."""

    def __init__(self, device_type, native, ranks):
        self.device_type, self._native, self._ranks = device_type, native, ranks

    @property
    def mesh_dim_names(self):
        """The dimensions' names; None: they have none."""
        names = tuple(self._native.name(d) for d in range(self.ndim))
        return names if any(names) else None

    @property
    def ndim(self):
        """How many dimensions it has."""
        return self._native.ndim()

    @property
    def shape(self):
        """How many ranks stand along each dimension."""
        return tuple(self._native.size(d) for d in range(self.ndim))

    def size(self, mesh_dim=None):
        """How many ranks stand along a dimension; in all."""
        return _math.prod(self.shape) if mesh_dim is None else self._native.size(self._dim(mesh_dim))

    def _dim(self, dim):
        return self._native.find(dim) if isinstance(dim, str) else dim

    def get_coordinate(self):
        """Where this rank stands, along each dimension."""
        return [self._native.coordinate(d) for d in range(self.ndim)]

    def get_local_rank(self, mesh_dim=None):
        """Where it stands along one of them."""
        if mesh_dim is None and self.ndim != 1:
            raise RuntimeError(f"the mesh has {self.ndim} dimensions: say of which")
        return self._native.coordinate(self._dim(0 if mesh_dim is None else mesh_dim))

    def get_rank(self):
        """This process's rank in the job."""
        return get_rank()

    def get_group(self, mesh_dim=None):
        """The group of the ranks along a dimension."""
        if mesh_dim is None and self.ndim != 1:
            raise RuntimeError(f"the mesh has {self.ndim} dimensions: say of which")
        dim = self._dim(0 if mesh_dim is None else mesh_dim) % self.ndim
        return ProcessGroup(self._native.group(dim), list(self._ranks[dim]), _world()._backend)

    def get_all_groups(self):
        """Those of all dimensions."""
        return [self.get_group(d) for d in range(self.ndim)]

    @staticmethod
    def from_group(group, device_type, mesh=None, *, mesh_dim_names=None):
        """A mesh of groups that exist, one a dimension."""
        groups = [group] if isinstance(group, ProcessGroup) else list(group)
        if mesh_dim_names is not None and len(mesh_dim_names) != len(groups):
            raise RuntimeError(f"from_group: {len(groups)} groups and {len(mesh_dim_names)} names")
        return DeviceMesh(device_type, _Groups(groups, mesh_dim_names and list(mesh_dim_names)), [list(g._ranks) for g in groups])

    def __getitem__(self, names):
        dims = [self._native.find(n) for n in ((names,) if isinstance(names, str) else names)]
        return DeviceMesh(self.device_type, self._native.slice(dims), [self._ranks[d] for d in dims])

    def __repr__(self):
        shape = ", ".join(f"{n}={s}" for n, s in zip(self.mesh_dim_names, self.shape)) if self.mesh_dim_names else self.shape
        return f"DeviceMesh({shape}, device: {self.device_type!r})"


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None):
    """All of the job's ranks, in row-major order, as an array of that shape. Joins the job first if nobody has."""
    if not is_initialized():
        GroupMember.join()
    world, shape = _world(), list(mesh_shape)
    if mesh_dim_names is not None and len(mesh_dim_names) != len(shape):
        raise RuntimeError(f"mesh_shape and mesh_dim_names should have same length, got {len(shape)} and {len(mesh_dim_names)}")
    native = _haft.make_mesh(world._native, shape, list(mesh_dim_names or ()))
    ranks, behind = [], world.size()
    for d, n in enumerate(shape):
        behind //= n
        first = world.rank() - native.coordinate(d) * behind
        ranks.append([world._ranks[first + i * behind] for i in range(n)])
    return DeviceMesh(device_type, native, ranks)
