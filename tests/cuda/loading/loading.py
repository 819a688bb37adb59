"""What the CUDA plug-in says where it cannot serve, and where it finds NVIDIA's libraries.

usage: loading.py LOADING ON_HOST [PLUGIN]      LOADING: loading.cpp; ON_HOST: the plug-in over simulated GPUs; PLUGIN: the real one
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

LOADING, ON_HOST = sys.argv[1:3]
PLUGIN = sys.argv[3] if len(sys.argv) > 3 else None
STUBS = [p for home in (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda") for p in glob.glob(home + "/lib64/stubs/libcuda.so")]


def run(*arguments, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HAFT_")}
    done = subprocess.run([LOADING, *arguments], capture_output=True, text=True, env={**clean, **environment})
    return done.returncode, done.stdout.strip() + done.stderr.strip()


class Simulated(unittest.TestCase):
    def expect_refused(self, text, *arguments, **environment):
        code, said = run("plugin", ON_HOST, *arguments, **environment)
        self.assertEqual(code, 1, said)
        self.assertRegex(said, "^refuses: .*" + text)

    def test_serves(self):
        code, said = run("plugin", ON_HOST)
        self.assertEqual(code, 0, said)
        self.assertIn("serves 4 devices\nplug-in: " + ON_HOST, said)
        self.assertIn("cuDNN: 9.19.0, simulated\nNCCL: 2.28.9, simulated\nNVRTC: 99.0, simulated", said)
        code, said = run("plugin", ON_HOST, HAFT_SIMULATED_WITHOUT="nvrtc")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, "(?m)^NVRTC: none, so .*not fused")

    def test_each_reason(self):
        self.expect_refused("driver was not found.*driver 580 or newer", HAFT_CUDA_ON_HOST="no-driver")
        self.expect_refused("driver is for CUDA 12.4; haft needs driver 580 or newer", HAFT_CUDA_ON_HOST="old-driver")
        self.expect_refused("is the stub of NVIDIA's toolkit", HAFT_CUDA_ON_HOST="stub")
        self.expect_refused("shows no GPU.*CUDA_VISIBLE_DEVICES", HAFT_CUDA_ON_HOST="no-device")
        self.expect_refused("Simulated GPU, has compute capability 7.5; haft needs 8.0", HAFT_CUDA_ON_HOST="old-card")

    def test_another_haft(self):
        self.expect_refused("speaks version 1 of the device seam, haft 2", "abi")
        self.expect_refused("of another build than haft 1.0.0: their operators differ", "hash")


@unittest.skipUnless(PLUGIN, "without nvcc there is none")
class Real(unittest.TestCase):
    def test_leans_on_no_driver(self):
        said = subprocess.run(["readelf", "-dW", PLUGIN], capture_output=True, text=True, check=True).stdout
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", said))
        self.assertTrue(needed <= {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
                                   "ld-linux-x86-64.so.2"}, needed)
        self.assertNotRegex(said, "RPATH|RUNPATH")
        symbols = subprocess.run(["nm", "-D", "--defined-only", PLUGIN], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r" \w (\S+)$", symbols, re.M), ["haft_backend_entry"])
        self.assertLess(os.path.getsize(PLUGIN), 25 << 20)

    def test_without_a_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            if any(os.path.exists(p) for p in glob.glob("/usr/lib/*/libcuda.so.1") + glob.glob("/usr/lib64/libcuda.so.1")):
                self.skipTest("this machine has a driver")
            code, said = run("plugin", PLUGIN, LD_LIBRARY_PATH=folder)
            self.assertEqual(code, 1, said)
            self.assertRegex(said, "^refuses: NVIDIA's driver was not found: libcuda.so.1 does not load; haft needs driver 580")

    @unittest.skipUnless(STUBS, "the toolkit's stub is not there")
    def test_with_the_stub_of_a_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(STUBS[0], os.path.join(folder, "libcuda.so.1"))
            code, said = run("plugin", PLUGIN, LD_LIBRARY_PATH=folder)
            self.assertEqual(code, 1, said)
            self.assertIn("is the stub of NVIDIA's toolkit", said)

    def test_another_haft(self):
        self.assertIn("speaks version 1 of the device seam", run("plugin", PLUGIN, "abi")[1])
        self.assertIn("of another build", run("plugin", PLUGIN, "hash")[1])


class Libraries(unittest.TestCase):
    """Found in the order that library.h gives, with a reason for what is not."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def library(self, name, text):
        path = os.path.join(self.folder, name)
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=text, text=True, check=True)
        return path

    def lines(self, **environment):
        return {line.split(" ", 1)[0]: line for line in run("libraries", **environment)[1].splitlines() if not line.startswith(" ")}

    def test_the_named_folder_is_first(self):
        path = self.library("libcudnn.so.9", "unsigned long cudnnGetVersion(void) { return 90102; }")
        self.assertEqual(self.lines(HAFT_CUDA_LIB_PATH="/nowhere:" + self.folder)["cuDNN"], "cuDNN 9.1.2 " + path)
        path = self.library("libnccl.so.2", "int ncclGetVersion(int* v) { *v = 22809; return 0; }")
        self.assertEqual(self.lines(HAFT_CUDA_LIB_PATH=self.folder)["NCCL"], "NCCL 2.28.9 " + path)
        path = self.library("libnvrtc.so.13", "int nvrtcVersion(int* a, int* b) { *a = 13; *b = 1; return 0; }")
        self.assertEqual(self.lines(LD_LIBRARY_PATH=self.folder)["NVRTC"], "NVRTC 13.1 " + path)

    def test_what_is_none_is_passed_over(self):
        self.library("libcudnn.so.9", "int something;")
        line = self.lines(HAFT_CUDA_LIB_PATH=self.folder)["cuDNN"]
        self.assertNotIn(self.folder, line)  # another one, or none
        said = run("libraries", HAFT_CUDA_LIB_PATH="folder:" + self.folder)[1]
        if "cuDNN - " in said:
            self.assertIn("does not tell its version", said)
            self.assertIn("folder: HAFT_CUDA_LIB_PATH wants absolute folders", said)

    def test_one_that_is_too_old_says_what_it_lacks(self):
        path = self.library("libcudnn.so.9", "unsigned long cudnnGetVersion(void) { return 90000; } void cudnnCreate(void) {}")
        self.assertEqual(run("functions", "cuDNN", "cudnnCreate", HAFT_CUDA_LIB_PATH=self.folder)[1], "there")
        self.assertEqual(run("functions", "cuDNN", "cudnnCreate", "cudnnNew", HAFT_CUDA_LIB_PATH=self.folder)[1],
                         path + " (9.0.0) has no cudnnNew: it is too old")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
