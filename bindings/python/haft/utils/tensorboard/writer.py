"""The SummaryWriter."""
import os
import socket
import time

import haft

from ..._haft import Writer
from ...vision._png import png
from . import _record


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
        if filename_suffix:
            raise ValueError("SummaryWriter: the engine names its event files; filename_suffix must be empty")
        if not log_dir:
            log_dir = os.path.join("runs", time.strftime("%b%d_%H-%M-%S") + "_" + socket.gethostname() + comment)
        self.log_dir = os.fspath(log_dir)
        self.purge_step = purge_step
        self._writer = Writer(self.log_dir)
        self._runs = {}  # of add_scalars
        if purge_step is not None and purge_step > 0:
            self._append(_record.event(purge_step, None, _record.session_start(purge_step)))

    def _open(self):
        if self._writer is None:
            raise RuntimeError("SummaryWriter: closed")
        return self._writer

    def _append(self, record):
        # The engine appends whole records to its file, so records of ours may stand between.
        with open(self._open().path(), "ab", buffering=0) as file:
            file.write(record)

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
        """How values are spread, in 30 buckets of equal width."""
        if walltime is not None:
            raise ValueError("add_histogram: walltime is the time of the call")
        self._open().add_histogram(tag, _tensor(values), _step(global_step))

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """A text; TensorBoard reads it as Markdown."""
        self._append(_record.event(_step(global_step), walltime, _record.text(tag, text_string)))

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """A picture of 1, 3 or 4 channels: bytes, or floats in [0, 1]. dataformats: CHW, HWC or HW."""
        picture = _tensor(img_tensor)
        order = dataformats.upper()
        if sorted(order) not in (["C", "H", "W"], ["H", "W"]) or len(order) != picture.dim():
            raise ValueError(f"add_image: a tensor of shape {tuple(picture.shape)} is no picture {dataformats}")
        if len(order) == 2:
            picture, order = picture.unsqueeze(0), "C" + order
        picture = picture.permute(*(order.index(axis) for axis in "HWC"))
        height, width, channels = picture.shape
        if channels not in (1, 3, 4):
            raise ValueError(f"add_image: {channels} channels, wanted 1, 3 or 4")
        if picture.dtype.is_floating_point:
            picture = (picture.to(haft.float32) * 255).clamp(0, 255).to(haft.uint8)
        pixels = bytes(memoryview(picture.to(haft.uint8).cpu().contiguous().reshape(-1)))
        data = png(pixels, height, width, channels)
        self._append(_record.event(_step(global_step), walltime, _record.image(tag, height, width, channels, data)))

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """A batch of pictures side by side in a grid of at most eight columns, as one picture. dataformats: NCHW or NHWC."""
        pictures = _tensor(img_tensor)
        order = dataformats.upper()
        if order not in ("NCHW", "NHWC") or pictures.dim() != 4:
            raise ValueError(f"add_images: a tensor of shape {tuple(pictures.shape)} is no batch {dataformats}")
        if order == "NHWC":
            pictures = pictures.permute(0, 3, 1, 2)
        count, channels, height, width = pictures.shape
        columns = min(8, count)
        rows = -(-count // columns) if count else 0
        grid = haft.zeros((channels, rows * height, columns * width), dtype=pictures.dtype)
        for i in range(count):
            y, x = i // columns * height, i % columns * width
            grid[:, y:y + height, x:x + width] = pictures[i]
        self.add_image(tag, grid, global_step, walltime)

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
