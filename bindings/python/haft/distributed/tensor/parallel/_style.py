"""How a layer is spread, by torch.distributed.tensor.parallel's names."""
import fnmatch
import warnings

from haft import _haft
from haft.nn import Embedding, Linear

from ... import _of
from .._dtensor import DTensor
from ..placement import Replicate, Shard
from ._layers import ColumnParallelLinear, RowParallelLinear, VocabParallelEmbedding

__all__ = ["ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput", "RowwiseParallel",
           "SequenceParallel", "parallelize_module"]


class ParallelStyle:
    """What parallelize_module() does with a module: _apply(module, group, mesh) answers what it becomes."""

    use_local_output = True

    def _apply(self, module, group, mesh):
        raise NotImplementedError

    def _answering(self, module, mesh, placement, features):
        # Results that tell where they lie.
        if not self.use_local_output:
            if mesh is None or placement == Shard(-1) and features % mesh.size():
                raise ValueError(f"use_local_output=False wants a mesh, and equal parts; {features} features are none")
            module.register_forward_hook(lambda m, inputs, y: DTensor.from_local(y, mesh, (placement,)))
        return module


def _sequence(layout, what):
    if layout is None or layout == Replicate():
        return None
    if not isinstance(layout, Shard) or layout.dim == -1:
        raise ValueError(f"{what} is Replicate() or Shard() of a dimension of the sequence, got {layout}")
    return layout.dim


def _is_parted(layout, default):
    if layout is None:
        return default
    if layout not in (Shard(-1), Replicate()):
        raise ValueError(f"the features' layout is Shard(-1) or Replicate(), got {layout}")
    return layout == Shard(-1)


class ColwiseParallel(ParallelStyle):
    """A Linear of whose outputs each rank computes a part.

    Args:
        input_layouts: Replicate(): all ranks bring the whole; Shard(d): each a part of the sequence, along d
        output_layouts: Shard(-1): each rank keeps its part; Replicate(): all get the whole
        use_local_output: False: results are DTensors
        blocks: haft's own: the outputs are so many blocks, each of which is spread (query, key and value in one weight)
    """

    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True, blocks=1):
        self._sequence = _sequence(input_layouts, "ColwiseParallel: input_layouts")
        self._gather, self._blocks = not _is_parted(output_layouts, True), blocks
        self.use_local_output = use_local_output

    def _apply(self, module, group, mesh):
        if not isinstance(module, Linear):
            raise NotImplementedError(f"ColwiseParallel spreads Linear, got {type(module).__name__}")
        made = ColumnParallelLinear(module, group, self._gather, self._sequence, self._blocks)
        return self._answering(made, mesh, Replicate() if self._gather else Shard(-1), module.out_features)


class RowwiseParallel(ParallelStyle):
    """A Linear of whose inputs each rank has a part, or an Embedding of whose rows.

    Args:
        input_layouts: of a Linear: Shard(-1): each rank brings its part; Replicate(): all bring the whole
        output_layouts: Replicate(): all get the whole; Shard(d): each a part of the sequence, along d
        use_local_output: False: results are DTensors
    """

    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        self._parted = _is_parted(input_layouts, True)
        self._sequence = _sequence(output_layouts, "RowwiseParallel: output_layouts")
        self.use_local_output = use_local_output

    def _apply(self, module, group, mesh):
        if isinstance(module, Embedding):
            made = VocabParallelEmbedding(module, group, self._sequence)
        elif isinstance(module, Linear):
            made = RowParallelLinear(module, group, self._parted, self._sequence)
        else:
            raise NotImplementedError(f"RowwiseParallel spreads Linear and Embedding, got {type(module).__name__}")
        return self._answering(made, mesh, Replicate() if self._sequence is None else Shard(self._sequence), 0)


class SequenceParallel(ParallelStyle):
    """A norm or the like that all ranks have, each using it on its part of the sequence: its gradients are added up over ranks.

    Args:
        sequence_dim: kept; the module sees the part that the layer before it gives
        use_local_output: kept; tensors are always local
    """

    def __init__(self, *, sequence_dim=1, use_local_output=True):
        self.sequence_dim, self.use_local_output = sequence_dim, use_local_output

    def _apply(self, module, group, mesh):
        for p in module.parameters():
            group._native.broadcast(p.detach(), 0)
            if p.requires_grad:
                p.register_hook(lambda grad: _haft.parallel_all_reduce(group._native, grad))
        return module


def _several(layouts):
    return None if layouts is None else layouts if isinstance(layouts, (tuple, list)) else (layouts,)


def _moved(values, layouts, wanted, mesh, local):
    """Tensors that lie as layouts say, as they are wanted; None: as it is."""
    if len(values) != len(layouts):
        raise ValueError(f"a layout for each of {len(values)} tensors is wanted, got {tuple(layouts)}")
    moved = []
    for value, layout, want in zip(values, layouts, wanted):
        if layout is not None:
            value = value if isinstance(value, DTensor) else DTensor.from_local(value, mesh, (layout,))
            value = value.redistribute(placements=(want,))
            value = value.to_local() if local else value
        moved.append(value)
    return tuple(moved)


class PrepareModuleInput(ParallelStyle):
    """Brings a module's inputs from where they lie to where it wants them.

    Args:
        input_layouts: one for each positional argument; None: leave it
        desired_input_layouts: where they are wanted
        input_kwarg_layouts: by names of keyword arguments
        desired_input_kwarg_layouts: where these are wanted
        use_local_output: True: the module gets tensors, this rank's; False: DTensors
    """

    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None, desired_input_kwarg_layouts=None,
                 use_local_output=False):
        self._from, self._to = _several(input_layouts), _several(desired_input_layouts)
        self._named_from, self._named_to = input_kwarg_layouts or {}, desired_input_kwarg_layouts or {}
        if (self._from is None) != (self._to is None) or set(self._named_from) != set(self._named_to):
            raise ValueError("PrepareModuleInput: a desired layout belongs to each layout")
        self.use_local_output = use_local_output

    def _apply(self, module, group, mesh):
        def before(m, args, kwargs):
            if self._from is not None:
                args = _moved(args, self._from, self._to, mesh, self.use_local_output)
            names = [n for n in self._named_from if n in kwargs]
            values = _moved([kwargs[n] for n in names], [self._named_from[n] for n in names], [self._named_to[n] for n in names], mesh,
                            self.use_local_output)
            return args, {**kwargs, **dict(zip(names, values))}

        module.register_forward_pre_hook(before, with_kwargs=True)
        return module


class PrepareModuleOutput(ParallelStyle):
    """Brings a module's results from where they lie to where they are wanted.

    Args:
        output_layouts: one for each result; None: leave it
        desired_output_layouts: where they are wanted
        use_local_output: True: results are tensors, this rank's; False: DTensors
    """

    def __init__(self, *, output_layouts, desired_output_layouts, use_local_output=True):
        self._from, self._to, self.use_local_output = _several(output_layouts), _several(desired_output_layouts), use_local_output

    def _apply(self, module, group, mesh):
        def after(m, inputs, result):
            several = isinstance(result, (tuple, list))
            moved = _moved(result if several else (result,), self._from, self._to, mesh, self.use_local_output)
            return moved if several else moved[0]

        module.register_forward_hook(after)
        return module


class PrepareModuleInputOutput(ParallelStyle):
    """Both: see PrepareModuleInput and PrepareModuleOutput."""

    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None, desired_input_kwarg_layouts=None,
                 use_local_input=False, output_layouts, desired_output_layouts, use_local_output=True):
        self._input = PrepareModuleInput(input_layouts=input_layouts, desired_input_layouts=desired_input_layouts,
                                         input_kwarg_layouts=input_kwarg_layouts, desired_input_kwarg_layouts=desired_input_kwarg_layouts,
                                         use_local_output=use_local_input)
        self._output = PrepareModuleOutput(output_layouts=output_layouts, desired_output_layouts=desired_output_layouts,
                                           use_local_output=use_local_output)

    def _apply(self, module, group, mesh):
        return self._output._apply(self._input._apply(module, group, mesh), group, mesh)


def parallelize_module(module, device_mesh=None, parallelize_plan=None, *, src_data_rank=0):
    """Spreads the layers that the plan names (a dict from their paths to styles) over a mesh of one dimension; answers the module.

    A style in place of a dict spreads the module itself, and what it becomes is answered. Without a mesh all ranks are used. * in a path stands for
    any name. The first rank's values count.
    """
    if src_data_rank != 0:
        raise ValueError("parallelize_module: the first rank's values count; src_data_rank must be 0")
    group = _of(device_mesh.get_group() if device_mesh is not None else None)
    if parallelize_plan is None:
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        return parallelize_plan._apply(module, group, device_mesh)
    for path, style in parallelize_plan.items():
        found = [name for name, _ in module.named_modules() if name and _matches(name, path)]
        if not found:
            warnings.warn(f"parallelize_module: the plan names {path!r}, the module has no such layer", stacklevel=2)
        for name in found:
            parent, _, last = name.rpartition(".")
            owner, layer = module.get_submodule(parent), module.get_submodule(name)
            made = style._apply(layer, group, device_mesh)
            if made is not layer:
                owner.register_module(last, made)
    return module


def _matches(name, path):
    names, parts = name.split("."), path.split(".")
    return len(names) == len(parts) and all(fnmatch.fnmatchcase(n, p) for n, p in zip(names, parts))
