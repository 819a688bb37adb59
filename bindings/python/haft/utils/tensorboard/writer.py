"""The SummaryWriter."""
import os
import socket
import time

import haft

from ... import _haft
from ..._haft import Writer, add_event
from . import _projector, _record


def _number(value):
    return float(value.item() if hasattr(value, "item") else value)


def _step(value):
    return 0 if value is None else int(value.item() if hasattr(value, "item") else value)


def _tensor(values):
    return values.detach() if isinstance(values, haft.Tensor) else haft.as_tensor(values)


class SummaryWriter:
    """Writes what TensorBoard shows into an event file in a folder: `tensorboard --logdir FOLDER`.

    log_dir: by default runs/<date>_<host><comment>. purge_step: a run that goes on from this step asks readers to forget what an
    earlier file has from there on. Points reach the file at once; max_queue and flush_secs are taken for PyTorch's sake.
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            log_dir = os.path.join("runs", time.strftime("%b%d_%H-%M-%S") + "_" + socket.gethostname() + comment)
        self.log_dir = os.fspath(log_dir)
        self.purge_step = purge_step
        self._writer = Writer(self.log_dir)
        if filename_suffix:
            os.rename(self._writer.path(), self._writer.path() + filename_suffix)
        self._runs = {}  # of add_scalars
        if purge_step is not None and purge_step > 0:
            self._append(_record.event(purge_step, None, _record.session_start(purge_step)))

    def _open(self):
        if self._writer is None:
            raise RuntimeError("SummaryWriter: closed")
        return self._writer

    def _append(self, event):
        add_event(self._open(), event)

    def get_logdir(self):
        return self.log_dir

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """A point of the curve `tag`."""
        if walltime is None:
            self._open().add_scalar(tag, _number(scalar_value), _step(global_step))
        else:
            self._append(_record.event(_step(global_step), walltime, _record.scalar(tag, _number(scalar_value))))

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """Points of several curves in one chart: each is a run of its own in a folder below."""
        self._open()
        for tag, value in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, main_tag.replace("/", "_") + "_" + tag)
            if folder not in self._runs:
                self._runs[folder] = SummaryWriter(folder)
            self._runs[folder].add_scalar(main_tag, value, global_step, walltime)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """How values are spread. bins: a sequence of edges; a name stands for 30 buckets of equal width."""
        if walltime is None and isinstance(bins, str):
            self._open().add_histogram(tag, _tensor(values), _step(global_step))
            return
        x = _tensor(values).reshape(-1).to(haft.float64).cpu()
        if x.numel() == 0 or not haft.isfinite(x).all():
            raise ValueError(f"add_histogram: {tag!r} got " + ("no values" if x.numel() == 0 else "a value that is not finite"))
        low, high = x.min().item(), x.max().item()
        if isinstance(bins, str):
            edges = [low + (high - low) * i / 30 for i in range(30)] + [high] if low < high else [low - 0.5, low + 0.5]
        else:
            edges = sorted(float(e) for e in _tensor(bins).tolist())
            if len(edges) < 2:
                raise ValueError("add_histogram: bins takes a name or at least two edges")
        # The last bucket holds its upper edge, too; what lies outside all is not counted.
        inside = x[(x >= edges[0]) & (x <= edges[-1])]
        at = (haft.bucketize(inside, haft.tensor(edges, dtype=haft.float64), right=True) - 1).clamp(0, len(edges) - 2)
        counts = haft.bincount(at, minlength=len(edges) - 1).tolist()
        self._append(_record.event(_step(global_step), walltime, _record.histogram(
            tag, low, high, sum(counts), x.sum().item(), (x * x).sum().item(), edges[1:], counts)))

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """A text; TensorBoard reads it as Markdown."""
        self._open().add_text(tag, text_string, _step(global_step), walltime or 0.0)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """A picture of 1, 3 or 4 channels: bytes, or floats in [0, 1]. dataformats: CHW, HWC or HW."""
        picture = _tensor(img_tensor)
        order = dataformats.upper()
        if sorted(order) not in (["C", "H", "W"], ["H", "W"]) or len(order) != picture.dim():
            raise ValueError(f"add_image: a tensor of shape {tuple(picture.shape)} is no picture {dataformats}")
        if len(order) == 2:
            picture, order = picture.unsqueeze(0), "C" + order
        picture = picture.permute(*(order.index(axis) for axis in "CHW"))
        if picture.size(0) not in (1, 3, 4):
            raise ValueError(f"add_image: {picture.size(0)} channels, wanted 1, 3 or 4")
        self._open().add_image(tag, picture if picture.dtype.is_floating_point else picture.to(haft.uint8), _step(global_step), walltime or 0.0)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """A batch of pictures side by side in a grid of at most eight columns, as one picture. dataformats: NCHW or NHWC."""
        pictures = _tensor(img_tensor)
        order = dataformats.upper()
        if order not in ("NCHW", "NHWC") or pictures.dim() != 4:
            raise ValueError(f"add_images: a tensor of shape {tuple(pictures.shape)} is no batch {dataformats}")
        if order == "NHWC":
            pictures = pictures.permute(0, 3, 1, 2)
        self.add_image(tag, _projector.grid(pictures, min(8, len(pictures))), global_step, walltime)

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        """A figure of matplotlib, or a list of them, as a picture; close: matplotlib lets go of them."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        figures = list(figure) if isinstance(figure, (list, tuple)) else [figure]
        pictures = []
        for f in figures:
            canvas = FigureCanvasAgg(f)
            canvas.draw()
            width, height = canvas.get_width_height()
            pixels = haft.frombuffer(bytearray(canvas.buffer_rgba()), dtype=haft.uint8)
            pictures.append(pixels.reshape(height, width, 4).permute(2, 0, 1))
        if close:
            from matplotlib import pyplot
            for f in figures:
                pyplot.close(f)
        if len(pictures) == 1 and not isinstance(figure, (list, tuple)):
            self.add_image(tag, pictures[0], global_step, walltime)
        else:
            self.add_images(tag, haft.stack(pictures), global_step, walltime)

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        """What a module computes for an input (a tensor, or a tuple of inputs): it is run once, and what autograd records is drawn under
        the names of its modules. Operators on values without gradients, such as indices, are not recorded. verbose: print it, too."""
        from . import _graph
        if input_to_model is None:
            raise ValueError("add_graph: input_to_model is what the module is run with; it is missing")
        for output in _graph.add(self._open(), model, input_to_model):
            if verbose and output.requires_grad:
                print(_haft.graph_to_text(output))

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None):
        """A run's settings and what came of them, in a folder below: run_name, or the time.

        hparam_domain_discrete: the values that a setting may have, by its name."""
        from . import _hparams
        self._open()
        if not isinstance(hparam_dict, dict) or not isinstance(metric_dict, dict):
            raise TypeError("add_hparams: hparam_dict and metric_dict should be dictionaries")
        settings = {name: _hparams.plain(name, v) for name, v in hparam_dict.items()}
        bodies = _hparams.summaries(settings, metric_dict, hparam_domain_discrete or {})
        with SummaryWriter(os.path.join(self.log_dir, run_name or str(time.time()))) as run:
            for body in bodies:
                run._append(_record.event(0, None, body))
            for name, value in metric_dict.items():
                run.add_scalar(name, value)

    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None):
        """Vectors (N, D) for the projector. metadata: N labels, or rows of them under metadata_header; label_img: (N, C, H, W)."""
        self._open()
        _projector.write(self.log_dir, _tensor(mat), metadata, None if label_img is None else _tensor(label_img), _step(global_step), tag,
                         metadata_header)

    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None):
        """Precision over recall. labels: 0 or 1 (or bool); predictions: in [0, 1], as many; weights: of each, by default 1."""
        right = _tensor(labels).reshape(-1).to(haft.float64)
        wrong = 1 - right
        if weights is not None:
            w = _tensor(weights).reshape(-1).to(haft.float64)
            right, wrong = right * w, wrong * w
        n = min(int(num_thresholds), 127)
        at = (_tensor(predictions).reshape(-1).to(haft.float64) * (n - 1)).floor().to(haft.int64)
        if at.numel() != right.numel():
            raise ValueError(f"add_pr_curve: {right.numel()} labels and {at.numel()} predictions")
        if at.numel() and (at.min().item() < 0 or at.max().item() >= n):
            raise ValueError("add_pr_curve: predictions lie in [0, 1]")

        def above(values):
            return haft.zeros(n, dtype=haft.float64).index_add(0, at, values).flip(0).cumsum(0).flip(0)
        tp, fp = above(right), above(wrong)
        tn, fn = fp[0] - fp, tp[0] - tp
        self.add_pr_curve_raw(tag, tp, fp, tn, fn, tp / (tp + fp).clamp(min=1e-7), tp / (tp + fn).clamp(min=1e-7), global_step, n,
                              walltime=walltime)

    def add_pr_curve_raw(self, tag, true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision,
                         recall, global_step=None, num_thresholds=127, weights=None, walltime=None):
        """The same from counts, precision and recall for each of num_thresholds thresholds."""
        n = min(int(num_thresholds), 127)
        rows = [[float(v) for v in _tensor(row).tolist()] for row in (true_positive_counts, false_positive_counts, true_negative_counts,
                                                                      false_negative_counts, precision, recall)]
        if any(len(row) != n for row in rows):
            raise ValueError(f"add_pr_curve_raw: wanted {n} values in each")
        content = _record.integer(1, 0) + _record.integer(2, n)
        self._append(_record.event(_step(global_step), walltime, _record.plugin(tag, "pr_curves", content, _record.floats(rows))))

    def flush(self):
        """Waits until all points are on the disk."""
        self._open().flush()
        for run in self._runs.values():
            run.flush()

    def close(self):
        """Writes what is left; a second call does nothing."""
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        writer.close()
        for run in self._runs.values():
            run.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()
