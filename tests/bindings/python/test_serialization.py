"""Whole modules in files: haft's own, PyTorch's, and the program's classes; what a file may and may not name."""
import io
import pickle
import sys
import types
import unittest
import warnings

import torch

import haft
import leaks
import parity

setUpModule, tearDownModule = leaks.guard()


class Net(haft.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.fc = haft.nn.Linear(3, width)
        self.fc2 = haft.nn.Linear(width, width)
        self.fc2.weight = haft.nn.Parameter(haft.randn(width, width))
        self.tied = self.fc2.weight
        self.register_buffer("seen", haft.tensor(5))

    def forward(self, x):
        return self.fc2(self.fc(x).relu())


class Plain:
    pass


def copied(obj, save=haft.save, **options):
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(obj, file)
    file.seek(0)
    return haft.load(file, **options)


MODULES = {
    "cnn": (lambda nn: nn.Sequential(nn.Conv2d(1, 2, 3, padding=1, padding_mode="reflect"), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2),
                                     nn.Flatten(), nn.Linear(8, 3), nn.LogSoftmax(1), nn.Dropout(0.1)), (2, 1, 5, 5)),
    "LSTM": (lambda nn: nn.LSTM(3, 4, 2, bidirectional=True), (5, 2, 3)),
    "weight_norm": (lambda nn: nn.utils.weight_norm(nn.Linear(3, 2)), (4, 3)),
    "TransformerEncoder": (lambda nn: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu"), 2), (5, 2, 8)),
    "Upsample": (lambda nn: nn.Upsample(scale_factor=2), (1, 2, 3, 3)),
    "InstanceNorm2d": (lambda nn: nn.InstanceNorm2d(3, affine=True, track_running_stats=True), (2, 3, 4, 4)),
    "GroupNorm": (lambda nn: nn.GroupNorm(2, 4), (3, 4, 2)),
    "ConvTranspose2d": (lambda nn: nn.ConvTranspose2d(2, 3, 3), (1, 2, 4, 4)),
    "PReLU": (lambda nn: nn.PReLU(), (7,)),
    "AdaptiveAvgPool2d": (lambda nn: nn.AdaptiveAvgPool2d(1), (1, 2, 4, 5)),
    "Hardtanh": (lambda nn: nn.Hardtanh(), (0, 3)),
}


class WholeModules(unittest.TestCase):
    def test_they_compute_the_same(self):
        for name, (make, shape) in MODULES.items():
            x = parity.real(*shape)
            for lib, save in ((haft, haft.save), (torch, torch.save)):
                for only in (None, True, False) if lib is haft else (None, True):
                    with self.subTest(name, written_by=lib.__name__, weights_only=only):
                        if not hasattr(lib.nn, name) and name[0].isupper():
                            continue
                        net = make(lib.nn).eval()
                        back = copied(net, save, weights_only=only)
                        self.assertTrue(type(back).__module__.startswith("haft.nn"))
                        self.assertEqual((repr(back), list(back.state_dict())), (repr(net), list(net.state_dict())))
                        self.assertFalse(back.training)
                        first = lambda y: y[0] if isinstance(y, tuple) else y
                        y, z = first(net(lib.tensor(x))), first(back(haft.tensor(x)))
                        parity.check(z, y if lib is torch else torch.tensor(y.tolist()).reshape(tuple(y.shape)), limit=2e-5)

    def test_trains_on(self):
        net = copied(haft.nn.Sequential(haft.nn.Linear(3, 4), haft.nn.ReLU(), haft.nn.Linear(4, 1)))
        optimizer = haft.optim.SGD(net.parameters(), 0.1)
        before = [p.tolist() for p in net.parameters()]
        net(haft.ones(5, 3)).sum().backward()
        optimizer.step()
        self.assertNotEqual(before, [p.tolist() for p in net.parameters()])

    def test_a_class_of_the_program(self):
        net = Net(4)
        back = copied(net)
        self.assertIs(type(back), Net)
        self.assertEqual((back.width, back.seen.item()), (4, 5))
        self.assertIs(back.tied, back.fc2.weight)
        x = haft.randn(2, 3)
        self.assertTrue(haft.equal(net(x), back(x)))
        with self.assertRaisesRegex(pickle.UnpicklingError, "Net.*weights_only=False"):
            copied(net, weights_only=True)
        self.assertIs(type(copied(net, weights_only=False)), Net)
        checkpoint = copied({"net": net, "epoch": 3, "best": haft.tensor([1.5])})
        self.assertEqual((checkpoint["epoch"], checkpoint["best"].tolist()), (3, [1.5]))

    def test_nothing_is_imported_for_a_file(self):
        module = types.ModuleType("elsewhere_of_the_program")
        exec("import haft\nclass Other(haft.nn.Linear):\n    pass\n", module.__dict__)
        sys.modules[module.__name__] = module
        try:
            file = io.BytesIO()
            haft.save(module.Other(2, 1), file)
            file.seek(0)
            self.assertIs(type(haft.load(file)), module.Other)
        finally:
            del sys.modules[module.__name__]
        file.seek(0)
        with self.assertRaisesRegex(pickle.UnpicklingError, "elsewhere_of_the_program.Other"):
            haft.load(file)

    def test_other_names_are_refused(self):
        import os
        for obj in (Plain(), [os.system], {"f": eval}, haft.nn.Module.apply, haft.nn.Sequential.__init__, haft.load):
            for only in (None, True):
                with self.assertRaisesRegex(pickle.UnpicklingError, "runs no code"):
                    copied(obj, weights_only=only)
        # A path of attributes through a class that is known.
        for protocol in (2, 4):
            text = pickle.dumps(haft.nn.Linear.__init__, 4) if protocol == 4 else b"chaft.nn.modules.linear\nLinear.__init__\n."
            file = io.BytesIO()
            haft.save([], file)
            import zipfile
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("archive/data.pkl", text)
            file.seek(0)
            with self.assertRaisesRegex(pickle.UnpicklingError, "runs no code"):
                haft.load(file)

    def test_a_computed_tensor_comes_back_as_a_leaf(self):
        x = haft.ones(2, requires_grad=True) * 3
        back = copied(x)
        self.assertEqual((back.tolist(), back.requires_grad, back.is_leaf), ([3, 3], True, True))


if __name__ == "__main__":
    unittest.main()


class BeforeZip(unittest.TestCase):
    """PyTorch's files of before 1.6."""

    def written(self, obj):
        file = io.BytesIO()
        torch.save(obj, file, _use_new_zipfile_serialization=False)
        return file

    def test_tensors_in_any_nesting(self):
        net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2))
        whole = torch.randn(7, dtype=torch.double)
        kinds = [torch.arange(5).to(d) for d in (torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)]
        obj = {"net": net.state_dict(), "whole": whole, "part": whole[3:].view(2, 2).t(), "kinds": kinds, "empty": torch.empty(0, 2),
               "parameter": torch.nn.Parameter(torch.ones(2)), "epoch": 3}
        file = self.written(obj)
        for options in ({}, {"weights_only": True}, {"weights_only": False}, {"map_location": "cpu"}, {"map_location": lambda t, location: t}):
            file.seek(0)
            back = haft.load(file, **options)
            self.assertEqual(list(back["net"]), list(obj["net"]))
            for name, t in obj["net"].items():
                self.assertEqual(back["net"][name].tolist(), t.tolist())
            self.assertEqual((back["epoch"], back["empty"].shape, back["part"].tolist()), (3, (0, 2), obj["part"].tolist()))
            self.assertEqual([(str(t.dtype)[5:], t.tolist()) for t in back["kinds"]], [(str(t.dtype)[6:], t.tolist()) for t in kinds])
            self.assertIsInstance(back["parameter"], haft.nn.Parameter)
        back["whole"][3] = 100.0  # both lie in the same memory
        self.assertEqual(back["part"][0, 0].item(), 100)

    def test_a_module_and_a_stream_that_cannot_seek(self):
        net = torch.nn.Linear(3, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            file = self.written(net)

        class Stream(io.BytesIO):
            def seekable(self):
                return False
        back = haft.load(Stream(file.getvalue()))
        self.assertIsInstance(back, haft.nn.Linear)
        self.assertEqual(back.weight.tolist(), net.weight.tolist())

    def test_no_code_and_no_half_files(self):
        with self.assertRaisesRegex(pickle.UnpicklingError, "runs no code.*Plain"):
            haft.load(io.BytesIO(self.written(Plain()).getvalue()))
        data = self.written({"a": torch.ones(100)}).getvalue()
        with self.assertRaisesRegex(pickle.UnpicklingError, "cut short"):
            haft.load(io.BytesIO(data[:-3]))
        for cut in range(0, len(data), 37):
            with self.assertRaises((pickle.UnpicklingError, EOFError)):
                haft.load(io.BytesIO(data[:cut]))

    def test_other_files_are_named(self):
        for data, words in ((b"", "it is empty"), (b"hello world", "begins with b'hello wo'"), (b"PK\3\4 and no more", "cut short or damaged")):
            with self.assertRaisesRegex(pickle.UnpicklingError, words):
                haft.load(io.BytesIO(data))
        with self.assertRaises(FileNotFoundError) as caught:
            haft.save(haft.ones(1), "/nowhere/at/all.pt")
        self.assertEqual(caught.exception.filename, "/nowhere/at/all.pt")
