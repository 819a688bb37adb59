"""Configures the project without tools that it can do without: it goes, one line says what each leaves out, no test is left that wants it, and
HAFT_REQUIRE_ALL makes it fail.

usage: left_out.py ROOT CMAKE NINJA
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, CMAKE, NINJA = sys.argv[1:4]


class LeftOut(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        with open(os.path.join(ROOT, "cmake/optional.cmake"), encoding="utf-8") as f:
            cls.tools = re.findall(r"^haft_tool\((\S+) ", f.read(), re.M)

    def configure(self, without, code=0, whole="OFF"):
        """(the lines of what is left out by the tool that is missing, the names of the tests)"""
        build = self.folder.name
        command = [CMAKE, "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_MAKE_PROGRAM=" + NINJA, "-DHAFT_REQUIRE_ALL=" + whole,
                   "-DHAFT_WITHOUT=" + ";".join(without)]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        with open(os.path.join(build, "left_out.txt"), encoding="utf-8") as f:
            lines = dict(line.split(" is missing: left out ", 1) for line in f.read().splitlines())
        for tool in {"nvcc"} & set(without):  # no package of Debian's has it: it is told, and never an error
            self.assertRegex(done.stdout, r"nvcc is missing: left out libhaft_cuda.so, .* \(it comes with NVIDIA's CUDA toolkit 13\)")
            self.assertNotIn(tool, lines)
        for tool, line in lines.items():
            self.assertRegex(line, r"^\S.* \(apt-get install [a-z0-9. +-]+\)$")
            self.assertIn("%s is missing: left out %s" % (tool, line), done.stdout if not code else done.stderr)
        listed = subprocess.run([os.path.join(os.path.dirname(CMAKE), "ctest"), "--test-dir", build, "-N"], capture_output=True, text=True)
        return lines, set(re.findall(r"Test +#\d+: (\S+)", listed.stdout))

    def test_without_anything(self):
        lines, tests = self.configure(self.tools)
        self.assertLess({"swig", "JDK", "mcs", "python3", "GoogleTest", "valgrind", "torch", "lintian"}, set(lines))
        self.assertTrue(tests)
        self.assertEqual({t for t in tests if t.startswith(("bindings", "packages", "samples.python", "samples.java", "samples.csharp", "samples.valgrind"))}, set())

    def test_without_one(self):
        _, every = self.configure([])
        for tool, gone in (("swig", r"bindings\.(python|java|csharp)"), ("JDK", r"bindings\.java|samples\.java|packages\.jar"),
                           ("mcs", r"bindings\.csharp|samples\.csharp|packages\.nupkg"), ("Python.h", r"bindings\.python|samples\.python|packages\.wheel"),
                           ("GoogleTest", r"ops\.|cpu\.|autograd$|bindings\.java$|bindings\.csharp\.Record$|bindings\.python\.records$"),
                           ("valgrind", r"perf\.op_cost|samples\.valgrind"), ("torch", r"bindings\.(curves|python\.parity_operators)|io\.peers"),
                           ("dpkg-dev", r"packages"), ("lintian", r"packages\.debs"), ("unzip", r"bindings\.java\.loading")):
            with self.subTest(tool):
                lines, tests = self.configure([tool])
                self.assertIn(tool, lines)
                wanted = {t for t in every if re.match(gone, t)}
                self.assertTrue(wanted)
                self.assertEqual(tests & wanted, set())
                self.assertLess(len(every - tests), len(every) * 0.75)

    def test_nothing_may_be_missing(self):
        self.configure(["unzip", "lintian"], code=1, whole="ON")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
