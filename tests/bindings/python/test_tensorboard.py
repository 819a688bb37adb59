"""Event files, read back by protobuf with a checksum of another's hand."""
import contextlib
import glob
import io
import os
import struct
import sys
import tempfile
import time
import types
import unittest
import unittest.mock
import zlib

import crc32c
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

import haft
import leaks
from haft.utils.tensorboard import SummaryWriter

setUpModule, tearDownModule = leaks.guard()

# The part of event.proto, summary.proto and tensor.proto that is written; type: number, [repeated] kind.
MESSAGES = {
    "Dim": {"size": (1, "int64")},
    "Shape": {"dim": (2, "*Dim")},
    "TensorProto": {"dtype": (1, "int64"), "tensor_shape": (2, "Shape"), "float_val": (5, "*float"), "string_val": (8, "*bytes")},
    "PluginData": {"plugin_name": (1, "string"), "content": (2, "bytes")},
    "Metadata": {"plugin_data": (1, "PluginData")},
    "Image": {"height": (1, "int64"), "width": (2, "int64"), "colorspace": (3, "int64"), "encoded_image_string": (4, "bytes")},
    "Histogram": {"min": (1, "double"), "max": (2, "double"), "num": (3, "double"), "sum": (4, "double"), "sum_squares": (5, "double"), "bucket_limit": (6, "*double"),
                  "bucket": (7, "*double")},
    "Value": {"tag": (1, "string"), "simple_value": (2, "float"), "image": (4, "Image"), "histo": (5, "Histogram"),
              "tensor": (8, "TensorProto"), "metadata": (9, "Metadata")},
    "Summary": {"value": (1, "*Value")},
    "SessionLog": {"status": (1, "int64")},
    "Event": {"wall_time": (1, "double"), "step": (2, "int64"), "file_version": (3, "string"), "graph_def": (4, "bytes"),
              "summary": (5, "Summary"), "session_log": (7, "SessionLog")},
    # graph.proto, node_def.proto, attr_value.proto
    "ListValue": {"shape": (7, "*Shape")},
    "AttrValue": {"list": (1, "ListValue")},
    "Attr": {"key": (1, "string"), "value": (2, "AttrValue")},
    "NodeDef": {"name": (1, "string"), "op": (2, "string"), "input": (3, "*string"), "attr": (5, "*Attr")},
    "VersionDef": {"producer": (1, "int64")},
    "GraphDef": {"node": (1, "*NodeDef"), "versions": (4, "VersionDef")},
    # plugin_data.proto and api.proto of hparams, struct.proto
    "Number": {"number": (2, "double"), "text": (3, "string"), "flag": (4, "bool")},
    "Numbers": {"values": (1, "*Number")},
    "Setting": {"key": (1, "string"), "value": (2, "Number")},
    "Info": {"name": (1, "string"), "type": (4, "int64"), "domain_discrete": (5, "Numbers")},
    "MetricName": {"group": (1, "string"), "tag": (2, "string")},
    "MetricInfo": {"name": (1, "MetricName")},
    "Experiment": {"hparam_infos": (4, "*Info"), "metric_infos": (5, "*MetricInfo")},
    "Start": {"hparams": (1, "*Setting"), "start_time_secs": (5, "double")},
    "End": {"status": (1, "int64"), "end_time_secs": (2, "double")},
    "HParams": {"version": (1, "int64"), "experiment": (2, "Experiment"), "start": (3, "Start"), "end": (4, "End")},
    "PrCurve": {"version": (1, "int64"), "num_thresholds": (2, "int64")},
}


def message_types():
    file = descriptor_pb2.FileDescriptorProto(name="events_test.proto", package="t", syntax="proto3")
    kinds = {"double": 1, "float": 2, "int64": 3, "bool": 8, "string": 9, "bytes": 12}
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            f = message.field.add(name=field, number=number, label=3 if kind[0] == "*" else 1)
            kind = kind.lstrip("*")
            f.type = kinds.get(kind, 11)
            if kind not in kinds:
                f.type_name = ".t." + kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("t." + name)) for name in MESSAGES}


TYPES = message_types()
Event = TYPES["Event"]


def masked(data):
    crc = crc32c.crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def read(folder):
    path, = glob.glob(os.path.join(folder, "events.out.tfevents.*"))
    with open(path, "rb") as file:
        data = file.read()
    events = []
    while data:
        length, crc = struct.unpack_from("<QI", data)
        assert masked(data[:8]) == crc
        body = data[12:12 + length]
        assert masked(body) == struct.unpack_from("<I", data, 12 + length)[0]
        events.append(Event.FromString(body))
        data = data[16 + length:]
    return events


def pixels_of(png):
    """A PNG file of 8-bit pixels without filters: (height, width, channels), bytes."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        body = png[at + 8:at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    channels = {0: 1, 2: 3, 6: 4}[colour]
    assert depth == 8
    rows = zlib.decompress(chunks[b"IDAT"])
    step = 1 + width * channels
    assert len(rows) == step * height and not any(rows[::step])
    return (height, width, channels), b"".join(rows[y * step + 1:(y + 1) * step] for y in range(height))


class Writing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "run")

    def test_everything_in_one_file(self):
        begin = time.time()
        with SummaryWriter(self.folder) as w:
            self.assertEqual((w.log_dir, w.get_logdir()), (self.folder, self.folder))
            w.add_scalar("loss", 0.5, 1)
            w.add_scalar("loss", haft.tensor(0.25, requires_grad=True), haft.tensor(2))
            w.add_scalar("späte", 3, -7, walltime=1234.5)
            w.add_text("note", "a *text* – über", 5)
            w.add_histogram("weights", haft.arange(10.0), 3)
            w.add_image("picture", haft.arange(2 * 3 * 3).reshape(3, 2, 3).to(haft.uint8), 4)
            w.add_scalar("after", 1e-3)
            w.flush()
        events = read(self.folder)
        self.assertEqual(events[0].file_version, "brain.Event:2")
        values = [(e.summary.value[0].tag, e.step) for e in events[1:]]
        self.assertEqual(values, [("loss", 1), ("loss", 2), ("späte", -7), ("note/text_summary", 5), ("weights", 3), ("picture", 4),
                                  ("after", 0)])
        one, two, late, note, weights, picture, after = (e.summary.value[0] for e in events[1:])
        self.assertEqual((one.simple_value, two.simple_value, late.simple_value), (0.5, 0.25, 3))
        self.assertEqual(events[3].wall_time, 1234.5)
        self.assertTrue(begin <= events[4].wall_time <= time.time())
        self.assertEqual((note.tensor.dtype, note.tensor.tensor_shape.dim[0].size, note.tensor.string_val[0].decode()),
                         (7, 1, "a *text* – über"))
        self.assertEqual(note.metadata.plugin_data.plugin_name, "text")
        self.assertEqual((weights.histo.min, weights.histo.max, weights.histo.num, sum(weights.histo.bucket)), (0, 9, 10, 10))
        self.assertEqual((picture.image.height, picture.image.width, picture.image.colorspace), (2, 3, 3))
        size, pixels = pixels_of(picture.image.encoded_image_string)
        self.assertEqual((size, list(pixels)), ((2, 3, 3), haft.arange(18).reshape(3, 2, 3).permute(1, 2, 0).flatten().tolist()))

    def test_images(self):
        with SummaryWriter(self.folder) as w:
            w.add_image("grey", [[0.0, 0.5], [1.0, 2.0]], dataformats="HW")
            w.add_image("hwc", haft.zeros(5, 4, 1, dtype=haft.uint8), dataformats="HWC")
            w.add_images("grid", haft.arange(10).reshape(10, 1, 1, 1).expand(10, 3, 2, 2).to(haft.uint8), 1)
            for bad, how in ((haft.zeros(2, 4, 4), "CHW"), (haft.zeros(4), "HW"), (haft.zeros(4, 4), "CHW"), (haft.zeros(3, 2, 2), "XYZ")):
                with self.assertRaisesRegex(ValueError, "add_image"):
                    w.add_image("bad", bad, dataformats=how)
            with self.assertRaisesRegex(ValueError, "add_images"):
                w.add_images("bad", haft.zeros(3, 2, 2))
        grey, hwc, grid = (e.summary.value[0].image for e in read(self.folder)[1:])
        self.assertEqual(list(pixels_of(grey.encoded_image_string)[1]), [0, 127, 255, 255])
        self.assertEqual(pixels_of(hwc.encoded_image_string)[0], (5, 4, 1))
        size, pixels = pixels_of(grid.encoded_image_string)
        self.assertEqual(size, (4, 16, 3))
        rows = [[pixels[(y * 16 + x) * 3] for x in range(16)] for y in range(4)]
        self.assertEqual(rows[1], [k // 2 for k in range(16)])
        self.assertEqual(rows[3], [8, 8, 9, 9] + [0] * 12)

    def test_several_curves(self):
        with SummaryWriter(self.folder) as w:
            for step in range(3):
                w.add_scalars("a/b", {"x": step, "y": -step}, step)
        for name, sign in (("x", 1), ("y", -1)):
            events = read(os.path.join(self.folder, "a_b_" + name))[1:]
            self.assertEqual([(e.summary.value[0].tag, e.summary.value[0].simple_value, e.step) for e in events],
                             [("a/b", sign * k, k) for k in range(3)])

    def test_going_on(self):
        with SummaryWriter(self.folder, purge_step=100) as w:
            w.add_scalar("x", 1, 100)
        start = read(self.folder)[1]
        self.assertEqual((start.step, start.session_log.status), (100, 1))

    def test_closing(self):
        w = SummaryWriter(self.folder)
        w.close()
        w.close()
        for call in (lambda: w.add_scalar("x", 1), lambda: w.add_text("x", "y"), w.flush, lambda: w.add_scalars("x", {"y": 1})):
            with self.assertRaisesRegex(RuntimeError, "closed"):
                call()
        with self.assertRaises((OSError, RuntimeError)):
            SummaryWriter("/proc/nothing/here")

    def test_a_suffix(self):
        with SummaryWriter(self.folder, filename_suffix=".x") as w:
            w.add_scalar("a", 1, 1)
            w.add_text("b", "2", 2)
            w.add_scalar("c", 3, 3)
        self.assertEqual([name[-2:] for name in os.listdir(self.folder)], [".x"])
        self.assertEqual([e.step for e in read(self.folder)[1:]], [1, 2, 3])

    def test_histograms(self):
        x = haft.randn(1000, dtype=haft.float64)
        with SummaryWriter(self.folder) as w:
            w.add_histogram("engine", x, 1)
            w.add_histogram("then", x, 2, walltime=5.5)
            w.add_histogram("edges", haft.tensor([0, 1, 1.5, 2, 7, -3]), 3, bins=[0, 1, 2])
            w.add_histogram("one", [4.0, 4.0], walltime=1.0)
            for bad, bins in (([], "auto"), ([float("nan")], [0, 1]), ([1.0], [0])):
                with self.assertRaisesRegex(ValueError, "add_histogram"):
                    w.add_histogram("bad", bad, bins=bins, walltime=1.0)
        engine, then, edges, one = (e.summary.value[0].histo for e in read(self.folder)[1:])
        self.assertEqual(list(engine.bucket), list(then.bucket))
        for name in ("min", "max", "num"):
            self.assertEqual(getattr(engine, name), getattr(then, name))
        self.assertAlmostEqual(engine.sum_squares, then.sum_squares, places=6)
        self.assertTrue(all(abs(a - b) < 1e-9 for a, b in zip(engine.bucket_limit, then.bucket_limit)))
        self.assertEqual(read(self.folder)[2].wall_time, 5.5)
        self.assertEqual((list(edges.bucket_limit), list(edges.bucket), edges.num), ([1, 2], [1, 3], 4))
        self.assertEqual((sum(one.bucket), one.min), (2, 4))

    def test_graph(self):
        class Net(haft.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = haft.nn.Sequential(haft.nn.Linear(3, 4), haft.nn.Tanh())
                self.scale = haft.ones(4)
                self.table = haft.nn.Embedding(5, 4)

            def forward(self, x, i):
                y = self.body(x) * self.scale + self.table(i)
                return y, {"sum": y.sum()}

        net = Net()
        with SummaryWriter(self.folder) as w:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                w.add_graph(net, (haft.randn(2, 3), haft.tensor([1, 2])), verbose=True)
            with self.assertRaisesRegex(ValueError, "input_to_model"):
                w.add_graph(net)
        self.assertFalse(net._forward_hooks or net.body._forward_pre_hooks)
        self.assertIsNone(net.body[0].weight.grad)
        graph = TYPES["GraphDef"].FromString(read(self.folder)[1].graph_def)
        nodes = {n.name: n for n in graph.node}
        self.assertEqual(len(nodes), len(graph.node))
        self.assertTrue(all(i in nodes for n in graph.node for i in n.input))
        linear = nodes["Net/Sequential[body]/Linear[0]/Linear"]
        self.assertEqual(list(linear.input), ["input/input", "Net/Sequential[body]/Linear[0]/weight", "Net/Sequential[body]/Linear[0]/bias"])
        weight = nodes["Net/Sequential[body]/Linear[0]/weight"]
        self.assertEqual([d.size for d in weight.attr[0].value.list.shape[0].dim], [4, 3])
        self.assertEqual(list(nodes["Net/Sequential[body]/Tanh[1]/Tanh"].input), [linear.name])
        self.assertEqual(list(nodes["Net/Add"].input), ["Net/Mul", "Net/Embedding[table]/Embedding"])
        self.assertEqual((list(nodes["output/output"].input), list(nodes["output/output_1"].input)), (["Net/Add"], ["Net/Sum"]))
        self.assertRegex(printed.getvalue(), r"sum\(#\d+\)\n#\d+ add\(")

    def test_hparams(self):
        with SummaryWriter(self.folder) as w:
            w.add_hparams({"lr": 0.1, "layers": haft.tensor(3), "name": "x", "bias": True}, {"acc": 0.5, "loss": haft.tensor(2.0)},
                          {"name": ["x", "y"], "layers": [1, 3]}, run_name="one")
            w.add_hparams({"lr": 1}, {"acc": 1})
            for bad in ({"x": [1]}, {"x": None}):
                with self.assertRaisesRegex(ValueError, "'x' should be one of"):
                    w.add_hparams(bad, {})
            with self.assertRaises(TypeError):
                w.add_hparams({"x": "a"}, {}, {"x": [1]})
        self.assertEqual(len([d for d in os.listdir(self.folder) if os.path.isdir(os.path.join(self.folder, d))]), 2)
        values = [e.summary.value[0] for e in read(os.path.join(self.folder, "one"))[1:]]
        self.assertEqual([v.tag for v in values], ["_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info", "acc", "loss"])
        self.assertEqual({v.metadata.plugin_data.plugin_name for v in values[:3]}, {"hparams"})
        experiment, start, end = (TYPES["HParams"].FromString(v.metadata.plugin_data.content) for v in values[:3])
        self.assertEqual({i.name: i.type for i in experiment.experiment.hparam_infos}, {"lr": 3, "layers": 3, "name": 1, "bias": 2})
        domains = {i.name: [v.text or v.number for v in i.domain_discrete.values] for i in experiment.experiment.hparam_infos}
        self.assertEqual(domains, {"lr": [], "layers": [1, 3], "name": ["x", "y"], "bias": []})
        self.assertEqual([m.name.tag for m in experiment.experiment.metric_infos], ["acc", "loss"])
        settings = {s.key: s.value for s in start.start.hparams}
        self.assertEqual((settings["lr"].number, settings["layers"].number, settings["name"].text, settings["bias"].flag), (0.1, 3, "x", True))
        self.assertEqual((end.end.status, [v.simple_value for v in values[3:]]), (1, [0.5, 2]))

    def test_pr_curve(self):
        labels, predictions = [0, 0, 1, 1, 1], [0.1, 0.7, 0.4, 0.8, 1.0]
        with SummaryWriter(self.folder) as w:
            w.add_pr_curve("pr", haft.tensor(labels), haft.tensor(predictions), 3, num_thresholds=11)
            w.add_pr_curve("weighted", haft.tensor(labels).bool(), predictions, num_thresholds=500, weights=haft.full((5,), 2.0))
            with self.assertRaisesRegex(ValueError, "in \\[0, 1\\]"):
                w.add_pr_curve("bad", [1], [1.5])
        event, weighted = read(self.folder)[1:]
        value = event.summary.value[0]
        self.assertEqual((event.step, value.tag, value.metadata.plugin_data.plugin_name), (3, "pr", "pr_curves"))
        self.assertEqual(TYPES["PrCurve"].FromString(value.metadata.plugin_data.content).num_thresholds, 11)
        self.assertEqual(([d.size for d in value.tensor.tensor_shape.dim], value.tensor.dtype), ([6, 11], 1))
        rows = [value.tensor.float_val[i * 11:(i + 1) * 11] for i in range(6)]
        for k in range(11):
            chosen = [int(np.floor(np.float32(p) * 10)) >= k for p in predictions]
            tp = sum(c and y for c, y in zip(chosen, labels))
            fp = sum(c and not y for c, y in zip(chosen, labels))
            want = [tp, fp, 2 - fp, 3 - tp, tp / (tp + fp), tp / 3]
            self.assertTrue(np.allclose([r[k] for r in rows], want), k)
        value = weighted.summary.value[0]
        self.assertEqual([d.size for d in value.tensor.tensor_shape.dim], [6, 127])
        self.assertEqual(value.tensor.float_val[0], 6)

    def test_embedding(self):
        with SummaryWriter(self.folder) as w:
            w.add_embedding(haft.arange(6.0).reshape(3, 2), ["a", "b", "ü"], haft.arange(3.0).reshape(3, 1, 1, 1).expand(3, 3, 2, 4) / 4)
            w.add_embedding(haft.zeros(2, 5), [[1, "x"], [2, "y"]], global_step=7, tag="my/tag", metadata_header=["n", "c"])
            for call in (lambda: w.add_embedding(haft.zeros(2)), lambda: w.add_embedding(haft.zeros(2, 2), ["a"]),
                         lambda: w.add_embedding(haft.zeros(2, 2), label_img=haft.zeros(1, 1, 2, 2)),
                         lambda: w.add_embedding(haft.zeros(1, 2), [[1]], metadata_header=["a", "b"])):
                with self.assertRaisesRegex(ValueError, "add_embedding"):
                    call()

        def text(*path):
            with open(os.path.join(self.folder, *path), encoding="utf-8") as file:
                return file.read()
        self.assertEqual(text("00000", "default", "tensors.tsv"), "0.0\t1.0\n2.0\t3.0\n4.0\t5.0\n")
        self.assertEqual(text("00000", "default", "metadata.tsv"), "a\nb\nü\n")
        self.assertEqual(text("00007", "my%2ftag", "metadata.tsv"), "n\tc\n1\tx\n2\ty\n")
        config = text("projector_config.pbtxt")
        for line in ('tensor_name: "default:00000"', 'sprite {', 'single_image_dim: 4', 'tensor_path: "00007/my%2ftag/tensors.tsv"'):
            self.assertIn(line, config)
        with open(os.path.join(self.folder, "00000", "default", "sprite.png"), "rb") as file:
            size, pixels = pixels_of(file.read())
        self.assertEqual((size, pixels[0], pixels[4 * 3], pixels[2 * 8 * 3], pixels[-1]), ((4, 8, 3), 0, 63, 127, 0))

    def test_figure(self):
        # matplotlib need not be there: what is used of it, by hand.
        closed = []

        class Canvas:
            def __init__(self, figure):
                self.figure = figure

            def draw(self):
                self.pixels = bytes(self.figure * 24)

            def get_width_height(self):
                return 3, 2

            def buffer_rgba(self):
                return memoryview(bytes(range(24)))

        agg, pyplot, package, backends = (types.ModuleType(n) for n in ("matplotlib.backends.backend_agg", "matplotlib.pyplot", "matplotlib", "matplotlib.backends"))
        agg.FigureCanvasAgg, pyplot.close = Canvas, closed.append
        package.pyplot = pyplot
        with unittest.mock.patch.dict(sys.modules, {m.__name__: m for m in (agg, pyplot, package, backends)}), SummaryWriter(self.folder) as w:
            w.add_figure("one", 1, 5)
            w.add_figure("several", [1, 2], close=False)
        one, several = (e.summary.value[0].image for e in read(self.folder)[1:])
        self.assertEqual(pixels_of(one.encoded_image_string), ((2, 3, 4), bytes(range(24))))
        self.assertEqual((pixels_of(several.encoded_image_string)[0], closed), ((2, 6, 4), [1]))

    def test_the_folder_of_no_name(self):
        before = os.getcwd()
        os.makedirs(self.folder)
        os.chdir(self.folder)
        try:
            with SummaryWriter(comment="_x") as w:
                self.assertTrue(w.log_dir.startswith("runs" + os.sep) and w.log_dir.endswith("_x"))
                self.assertEqual(len(read(w.log_dir)), 1)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
