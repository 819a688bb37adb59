"""Programs written for PyTorch run on haft: the listings, each beside PyTorch itself."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LISTINGS = os.path.join(HERE, "listings")
PEER = "/usr/bin/python3"  # Debian's, which has PyTorch
# What only haft runs: Debian has neither torchvision nor tensorboard, and a PyTorch that is older than these of its modules.
WITHOUT_PEER = {"tensorboard_scalars", "vision_pipeline", "tensor_parallel", "pipeline_stages", "fully_sharded",
                "distributed_checkpoint",
                "ddp_spawn"}  # a process of PyTorch 1.13 was seen to spin for ever at its end


def run(command, peer=False, folder=None, code=0):
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    if peer:
        environment.pop("PYTHONPATH", None)
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, env=environment, cwd=folder)
    if done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout if code == 0 else done.stdout + done.stderr


def python(program, **options):
    return run([sys.executable, "-c", program], **options)


NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def parts(text):
    """The text without its numbers, and the numbers. Modules' names and the width of numbers do not count."""
    text = re.sub(r"\b(torch|haft)\.", "", text)
    return re.sub(r"\s+", " ", NUMBER.sub("#", text)), [float(n) for n in NUMBER.findall(text)]


class Listings(unittest.TestCase):
    maxDiff = None

    def compare(self, name):
        with tempfile.TemporaryDirectory() as folder:
            ours = run([sys.executable, "-m", "haft.compat", os.path.join(LISTINGS, name + ".py"), folder], folder=folder)
            self.assertTrue(ours.strip())
            if name in WITHOUT_PEER:
                return ours
            theirs = run([PEER, os.path.join(LISTINGS, name + ".py"), folder], peer=True, folder=folder)
        (text, numbers), (wanted_text, wanted) = parts(ours), parts(theirs)
        self.assertEqual(text, wanted_text, f"\n--- haft\n{ours}\n--- PyTorch\n{theirs}")
        for ours_is, theirs_is in zip(numbers, wanted):
            self.assertAlmostEqual(ours_is, theirs_is, delta=2e-3 * max(1, abs(theirs_is)), msg=f"\n--- haft\n{ours}\n--- PyTorch\n{theirs}")
        return ours

    def test_tensorboard_events(self):
        import importlib
        reader = importlib.import_module("test_tensorboard")
        with tempfile.TemporaryDirectory() as folder:
            run([sys.executable, "-m", "haft.compat", os.path.join(LISTINGS, "tensorboard_scalars.py"), folder])
            losses = [(e.step, e.summary.value[0].simple_value) for e in reader.read(folder)[1:]
                      if e.summary.value[0].tag == "Loss/train"]
            weights = [e.summary.value[0].simple_value for e in reader.read(os.path.join(folder, "weights_w"))[1:]]
        self.assertEqual([step for step, _ in losses], list(range(20)))
        self.assertTrue(all(a > b for (_, a), (_, b) in zip(losses, losses[1:])))
        self.assertAlmostEqual(weights[-1], 3, delta=0.2)


def add(name):
    def test(self):
        self.compare(name)
    setattr(Listings, "test_" + name, test)


for file in sorted(os.listdir(LISTINGS)):
    if file.endswith(".py"):
        add(file[:-3])


class Names(unittest.TestCase):
    def test_modules_are_hafts_own(self):
        names = ["torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data",
                 "torch.utils.tensorboard", "torch.autograd", "torch.multiprocessing", "torch.jit", "torch.cuda", "torchvision",
                 "torchvision.datasets", "torchvision.transforms", "torchvision.transforms.functional", "torch.utils.data.distributed"]
        out = python(f"""
import importlib, sys
import haft.nn, haft.compat as compat
spec = haft.nn.__spec__
compat.install()
compat.install()
assert compat.installed()
for name in {names}:
    module = importlib.import_module(name)
    ours = name.replace("torchvision", "haft.vision").replace("torch", "haft")
    assert module is sys.modules[ours] is sys.modules[name], name
    assert module.__name__ == module.__spec__.name == ours, (name, module.__name__, module.__spec__)
assert haft.nn.__spec__ is spec
import torch
from torch import nn
from torch.utils.data import DataLoader
import torch.nn.functional as F
assert torch is haft and nn.Linear is haft.nn.Linear and F is haft.nn.functional
for wrong in ("torch.quantization", "torch.nowhere", "torchvision.nowhere", "torch.nn.nowhere"):
    try:
        importlib.import_module(wrong)
        raise SystemExit(wrong)
    except ModuleNotFoundError as error:
        assert error.name == wrong and "haft" in str(error), error
try:
    from torch import nowhere
    raise SystemExit("nowhere")
except ImportError:
    pass
compat.uninstall()
compat.uninstall()
assert not compat.installed() and not [n for n in sys.modules if n.startswith("torch")]
assert F.relu(haft.tensor(-1.0)).item() == 0
print("fine")
""")
        self.assertEqual(out, "fine\n")

    def test_a_loaded_torch_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "torch.py"), "w"):
                pass
            out = python(f"""
import sys
sys.path.insert(0, {folder!r})
import torch, haft.compat
try:
    haft.compat.install()
except ImportError as error:
    print(error)
del sys.modules["torch"]
haft.compat.install()
import torch
print(torch.__name__)
haft.compat.uninstall()
import torch
print(torch.__file__)
""")
            refusal, ours, theirs = out.splitlines()
            self.assertIn(os.path.join(folder, "torch.py"), refusal)
            self.assertIn("before", refusal)
            self.assertEqual((ours, theirs), ("haft", os.path.join(folder, "torch.py")))


class Runner(unittest.TestCase):
    def program(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".py", delete=False)
        self.addCleanup(os.remove, file.name)
        with file:
            file.write(text)
        return file.name

    def test_arguments_and_main(self):
        path = self.program("""
import sys, os
import torch
if __name__ == "__main__":
    print(sys.argv[1:], os.path.samefile(sys.argv[0], __file__), sys.path[0] == os.path.dirname(__file__), torch.__name__)
    sys.exit(3)
""")
        out = run([sys.executable, "-m", "haft.compat", path, "--lr", "0.1"], code=3)
        self.assertEqual(out, "['--lr', '0.1'] True True haft\n")

    def test_spawned_children_have_the_names_too(self):
        path = self.program("""
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset

class Squares(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return torch.tensor(i * i)

def work(rank, queue):
    queue.put((rank, torch.ones(2) * rank))

if __name__ == "__main__":
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(work, args=(queue,), nprocs=2)
    print(sorted((r, t.tolist()) for r, t in [queue.get(), queue.get()]))
    print(torch.cat(list(DataLoader(Squares(), num_workers=2, multiprocessing_context="spawn"))))
""")
        self.assertEqual(run([sys.executable, "-m", "haft.compat", path]),
                         "[(0, [0.0, 0.0]), (1, [1.0, 1.0])]\ntensor([0, 1, 4, 9])\n")

    def test_errors(self):
        path = self.program("import torch\n\n\ndef bad():\n    raise KeyError('here')\n\n\nbad()\n")
        out = run([sys.executable, "-m", "haft.compat", path], code=1)
        self.assertIn(f'File "{path}", line 5, in bad', out)
        self.assertIn("usage", run([sys.executable, "-m", "haft.compat"], code=2))
        self.assertIn("usage", run([sys.executable, "-m", "haft.compat", "--help"]))
        self.assertIn("No such file", run([sys.executable, "-m", "haft.compat", "/nowhere.py"], code=2))


if __name__ == "__main__":
    unittest.main()
