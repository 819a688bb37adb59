"""Event files, read back by protobuf with a checksum of another's hand."""
import glob
import os
import struct
import tempfile
import time
import unittest
import zlib

import haft
import leaks
from haft.utils.tensorboard import SummaryWriter

try:
    import crc32c
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError as error:
    raise unittest.SkipTest(str(error))

setUpModule, tearDownModule = leaks.guard()

# The part of event.proto, summary.proto and tensor.proto that is written; type: number, [repeated] kind.
MESSAGES = {
    "Dim": {"size": (1, "int64")},
    "Shape": {"dim": (2, "*Dim")},
    "TensorProto": {"dtype": (1, "int64"), "tensor_shape": (2, "Shape"), "string_val": (8, "*bytes")},
    "PluginData": {"plugin_name": (1, "string")},
    "Metadata": {"plugin_data": (1, "PluginData")},
    "Image": {"height": (1, "int64"), "width": (2, "int64"), "colorspace": (3, "int64"), "encoded_image_string": (4, "bytes")},
    "Histogram": {"min": (1, "double"), "max": (2, "double"), "num": (3, "double"), "bucket_limit": (6, "*double"),
                  "bucket": (7, "*double")},
    "Value": {"tag": (1, "string"), "simple_value": (2, "float"), "image": (4, "Image"), "histo": (5, "Histogram"),
              "tensor": (8, "TensorProto"), "metadata": (9, "Metadata")},
    "Summary": {"value": (1, "*Value")},
    "SessionLog": {"status": (1, "int64")},
    "Event": {"wall_time": (1, "double"), "step": (2, "int64"), "file_version": (3, "string"), "summary": (5, "Summary"),
              "session_log": (7, "SessionLog")},
}


def event_type():
    file = descriptor_pb2.FileDescriptorProto(name="events_test.proto", package="t", syntax="proto3")
    kinds = {"double": 1, "float": 2, "int64": 3, "string": 9, "bytes": 12}
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
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("t.Event"))


Event = event_type()


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
        with self.assertRaisesRegex(ValueError, "filename_suffix"):
            SummaryWriter(self.folder, filename_suffix=".x")
        with self.assertRaises((OSError, RuntimeError)):
            SummaryWriter("/proc/nothing/here")

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
