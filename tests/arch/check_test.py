#!/usr/bin/env python3
"""check.py against small trees: each bad line must be found, by its rule and on its line, and nothing else."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check  # noqa: E402
import commands  # noqa: E402


def rules(path, text):
    return [(line, rule) for line, rule, _ in check.check_file(path, text)]


class Arrows(unittest.TestCase):
    def include(self, path, target):
        return rules(path, '#include "%s"\n' % target)

    def test_every_pair_of_folders_follows_the_table(self):
        for mine, below in check.BELOW.items():
            for other in check.BELOW:
                expected = [] if other in below or other == mine else [(1, "arrow")]
                self.assertEqual(self.include("core/%s/x.cpp" % mine, "core/%s/y.h" % other), expected, (mine, other))

    def test_the_table_has_no_cycle(self):
        for mine, below in check.BELOW.items():
            for other in below:
                self.assertNotIn(mine, check.BELOW[other], (mine, other))

    def test_named_neighbours_do_not_know_each_other(self):
        for mine, other in (("ops", "autograd"), ("autograd", "ops"), ("cpu", "dispatch"), ("dispatch", "cpu"), ("tape", "dispatch"), ("dispatch", "modes"), ("ops", "modes"), ("tape", "cpu"), ("nn", "optim"),
                            ("data", "nn"), ("schema", "tensor"), ("tensor", "schema"), ("base", "tensor"), ("nn", "io")):
            self.assertEqual(self.include("core/%s/x.h" % mine, "core/%s/y.h" % other), [(1, "arrow")], (mine, other))

    def test_core_never_includes_the_contract(self):
        self.assertEqual(self.include("core/ops/x.cpp", "haft/haft.h"), [(1, "arrow")])
        self.assertEqual(rules("core/ops/x.cpp", "#include <haft/haft.h>\n"), [(1, "arrow")])
        self.assertEqual(self.include("core/io/x.cpp", "capi/src/boundary.h"), [(1, "arrow")])

    def test_only_the_composition_root_and_capi_see_everyone(self):
        self.assertEqual(self.include("core/init.cpp", "core/cpu/backend.h"), [])
        self.assertEqual(self.include("capi/src/x.cpp", "core/nn/module.h"), [])
        self.assertEqual(self.include("core/other.cpp", "core/cpu/backend.h"), [(1, "arrow")])
        self.assertEqual(self.include("core/newfolder/x.cpp", "core/base/error.h"), [(1, "arrow")])

    def test_the_device_seam_is_public_and_the_engines_own(self):
        self.assertEqual(self.include("core/tensor/view.h", "haft/view.h"), [])
        self.assertEqual(self.include("core/cpu/kernel.h", "haft/backend.h"), [])
        self.assertEqual(self.include("core/base/x.h", "haft/view.h"), [(1, "arrow")])
        self.assertEqual(self.include("core/tensor/x.h", "haft/backend.h"), [(1, "arrow")])
        self.assertEqual(self.include("core/backend/x.h", "haft/types.h"), [(1, "arrow")])

    def test_samples_and_public_headers_see_only_public_headers(self):
        self.assertEqual(self.include("samples/c/x.c", "core/base/error.h"), [(1, "arrow")])
        self.assertEqual(self.include("capi/include/haft/x.h", "core/tensor/view.h"), [(1, "arrow")])
        self.assertEqual(rules("samples/c/x.c", "#include <haft/haft.h>\n"), [])

    def test_paths_start_at_the_root_and_spaces_do_not_hide_them(self):
        self.assertEqual(self.include("core/ops/x.cpp", "../cpu/kernel.h"), [(1, "arrow")])
        self.assertEqual(rules("core/ops/x.cpp", '\n  #  include   "core/cpu/kernel.h"\n'), [(2, "arrow")])
        self.assertEqual(self.include("core/ops/x.cpp", "cpu/kernel.h"), [(1, "arrow")])
        self.assertEqual(rules("core/ops/x.cpp", "#include <sys/mman.h>\n"), [])
        self.assertEqual(self.include("core/cpu/x.cpp", "hwy/highway.h"), [])


class Engine(unittest.TestCase):
    def test_forbidden_words(self):
        for line in ('throw std::runtime_error("x");', "abort();", "std::abort();", "exit(1);", "::exit(1);", 'printf("x");', 'fprintf(stderr, "x");',
                     "std::cerr << 1;", 'puts("x");', "std::terminate();", "_exit(3);"):
            self.assertEqual(rules("core/cpu/x.cpp", "int a;\n  %s\n" % line), [(2, "engine")], line)
            self.assertEqual(rules("capi/src/x.cpp", line + "\n"), [(1, "engine")], line)
            self.assertEqual(rules("tests/cpu/x.cpp", line + "\n"), [], line)

    def test_innocent_lines(self):
        for line in ('snprintf(b, n, "%d", 1);', "vsnprintf(b, n, f, a);", "at_exit(f);", "pool.exit(1);", 'fail(kInternal, "abort() was called");',
                     "// printf(x)", "/* exit(1)\n abort() */ int a;", "int a = 1'000; int b = 2'000;", 'auto s = R"(exit(1))";', "throw;", "throw std::bad_alloc();", "char c = '\"'; int d;"):
            self.assertEqual(rules("core/cpu/x.cpp", line + "\n"), [], line)

    def test_code_after_literals_is_still_read(self):
        self.assertEqual(rules("core/cpu/x.cpp", 'f("a\\"b"); exit(1);\n'), [(1, "engine")])
        self.assertEqual(rules("core/cpu/x.cpp", "/* a\n b */ exit(1);\n"), [(2, "engine")])
        self.assertEqual(rules("core/cpu/x.cpp", "char c = '\"'; exit(1);\n"), [(1, "engine")])


class Text(unittest.TestCase):
    def test_length(self):
        self.assertEqual(rules("core/ops/x.cpp", "int a;\n" * 800), [])
        self.assertEqual(rules("core/ops/x.cpp", "int a;\n" * 801), [(801, "length")])
        self.assertEqual(rules("core/ops/x.cpp", "// Generated from ops.def\n" + "int a;\n" * 900), [])
        for path in ("bindings/java/X.java", "bindings/csharp/X.cs", "bindings/python/haft/x.py", "bindings/x.i"):
            self.assertEqual(rules(path, "a\n" * 801), [(801, "length")], path)

    def test_width(self):
        long = "int %s;\n" % ("a" * 120)
        for path in ("core/ops/x.cpp", "bindings/x.hpp", "samples/c/x.c"):
            self.assertEqual(rules(path, "int a;\n" + long), [(2, "width")], path)
        self.assertEqual(rules("core/ops/x.cpp", "// clang-format off\n" + long + "// clang-format on\n" + long), [(4, "width")])
        self.assertEqual(rules("core/ops/x.cpp", 'auto a = R"(\n' + long + ')";\n' + long), [(4, "width")])
        self.assertEqual(rules("core/schema/x.def", long), [])

    def test_few_operators_are_refused_by_gpus(self):
        line = 'REFUSED(name, "why")\n'
        self.assertEqual(rules("core/cuda/refused.def", "// Operators\n" + line * 10), [])
        self.assertEqual(rules("core/cuda/refused.def", "// Operators\n" + line * 11), [(12, "refused")])

    def test_white_space(self):
        self.assertEqual(rules("core/ops/x.cpp", "int a;\n\tint b;\n"), [(2, "text")])
        self.assertEqual(rules("tests/ops/x.cpp", "int a;\r\n"), [(1, "text")])
        self.assertEqual(rules("cmake/x.cmake", "set(a) \n"), [(1, "text")])
        self.assertEqual(rules("core/ops/x.cpp", "int a;"), [(1, "text")])


class Tree(unittest.TestCase):
    def test_a_tree_is_walked(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "core", "base"))
            with open(os.path.join(root, "core", "base", "x.h"), "w") as f:
                f.write('#pragma once\n#include "core/tensor/view.h"\n')
            os.makedirs(os.path.join(root, "bindings", "java"))
            with open(os.path.join(root, "bindings", "java", "X.java"), "w") as f:
                f.write("class X {}")
            self.assertEqual([row[:3] for row in check.check(root)], [("core/base/x.h", 2, "arrow"), ("bindings/java/X.java", 1, "text")])


class Contract(unittest.TestCase):
    def test_a_comment_names_parameters_result_and_threads(self):
        whole = "/**\n * @brief Does.\n * @param[in] a  one\n * @param[in] fn  called\n * @return HAFT_OK.\n * @note Thread class: any. @since 1.0\n */\n"
        function = "HAFT_API haft_status haft_do(int a, void (*fn)(int b, void* user)) HAFT_NOTHROW;\n"
        path = "capi/include/haft/x.h"
        self.assertEqual(rules(path, whole + function), [])
        for part, count in ((" * @param[in] a  one\n", 1), (" * @param[in] fn  called\n", 1), (" * @return HAFT_OK.\n", 1),
                            (" * @note Thread class: any. @since 1.0\n", 2)):
            bad = whole.replace(part, "")
            self.assertEqual(rules(path, bad + function), [(bad.count("\n") + 1, "contract")] * count, part)
        self.assertEqual(len(rules(path, function)), 6)
        self.assertEqual(rules("core/base/x.h", function), [])
        self.assertEqual(rules(path, whole.replace(" * @return HAFT_OK.\n", "") + function.replace("haft_status", "void")), [])


class Commands(unittest.TestCase):
    def shell(self, text):
        script = commands.Shell(text)
        return " ".join(sorted(script.found - commands.BUILTINS - script.functions))

    def test_words_in_the_place_of_a_command(self):
        for text, names in (
                ("one x | two y && three; four & five\n(six) || ! seven", "five four one seven six three two"),
                ("if one; then two; elif three; then four; else five; fi | six", "five four one six three two"),
                ("for x in no words; do one $x; done\nwhile two; do three; done", "one three two"),
                ("case $1 in no|not) one ;; *) two no ;; esac\nthree", "one three two"),
                ("f() { one; }\nf no; A=no B=\"$(two)\" three", "one three two"),
                ("x=(no $(one) no); y+=(no)\ntwo", "one two"),
                ("one <<'END' >no 2>&1\nno no\nEND\ntwo < <(three no)", "one three two"),
                ("env -i A=1 one; timeout 60 two; exec three; xargs -n 1 four; command -v five", "env five four one three timeout two xargs"),
                ("bash -c 'one && two'; trap 'three' EXIT; eval \"four $x\"", "bash four one three two"),
                ("one \"no $(two \"no\" | three)\" '$(no)' `four`  # no", "four one three two"),
                ("$one no; \"$two\" no; [ a = b ]; echo no", ""),
                ("one \\\n  no && \\\n  two ${x:-no} $((1 + 2)) no", "one two")):
            self.assertEqual(self.shell(text), names, text)

    def test_what_python_starts(self):
        text = """
def run(what, *command): return subprocess.run(command)
read = subprocess.Popen(["one", "no"])
subprocess.run([two, "no"]); subprocess.run(["three"] + no)
run("no", "four", "no"); other.run(["no"]); shutil.which("five")
"""
        self.assertEqual(commands.of_python(text), {"one", "three", "four", "five"})


if __name__ == "__main__":
    unittest.main()
