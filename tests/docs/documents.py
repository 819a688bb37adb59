#!/usr/bin/env python3
"""Fails when a document shows C that does not compile, quotes a line that its source no longer has, links to a
file that does not exist, or gives a figure that is not that of what it speaks of.

usage: documents.py ROOT CC [LIBRARY]      LIBRARY: an optimised libhaft.so
"""
import os
import re
import subprocess
import sys
import tempfile

root, cc = sys.argv[1:3]
library = sys.argv[3] if len(sys.argv) > 3 else None
failures = []


def read(name):
    with open(os.path.join(root, name), encoding="utf-8") as f:
        return f.read()


def blocks(name, language):
    return re.findall(r"```%s\n(.*?)```" % language, read(name), re.S)


def compile_c(what, source, standard="c99"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "document.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(source)
        # Functions of a document are there to be read, not called.
        run = subprocess.run([cc, "-std=" + standard, "-Wall", "-Wextra", "-Wpedantic", "-Wno-unused-function", "-Werror", "-fsyntax-only",
                              "-I", os.path.join(root, "capi/include"), "-I", root, path], capture_output=True, text=True)
    if run.returncode:
        failures.append("%s does not compile:\n%s" % (what, run.stderr))


def squeezed(text):
    return re.sub(r"\s+", "", text)


# The guide's blocks are one program, except the plug-in. README's lines stand inside a function.
guide = blocks("docs/guide.md", "c")
compile_c("docs/guide.md", "\n".join(b for b in guide if "plug-in" not in b.splitlines()[0]))
for block in guide:
    if "plug-in" in block.splitlines()[0]:
        compile_c("docs/guide.md (plug-in)", block, "c11")
include, lines = blocks("README.md", "c")[0].split("\n", 1)
compile_c("README.md", """%s
void lines(const haft_tensor* images, const haft_tensor* labels) {
  haft_module* net = NULL;
  haft_optimizer* optimizer = NULL;
  haft_tensor *parameters[2] = {NULL}, *scores = NULL, *loss = NULL;
  int64_t count = 0;
%s}
""" % (include, lines))

compile_c("docs/session.md", """#include <haft/haft.h>
static void must(haft_status status) { (void)status; }
void lines(haft_module* net, haft_tensor* x, haft_tensor* y, haft_session* session, int64_t count) {
%s}
""" % blocks("docs/session.md", "c")[0])

compile_c("docs/sharded-checkpoints.md", "#include <haft/haft.h>\n" + "\n".join(blocks("docs/sharded-checkpoints.md", "c")))
compile_c("docs/sharding.md", "#include <haft/haft.h>\n" + "\n".join(blocks("docs/sharding.md", "c")))

# A comment that begins with a path says where the lines after it stand.
for block in blocks("CONTRIBUTING.md", "cpp"):
    source = ""
    for line in block.splitlines():
        named = re.match(r"// ((?:core|tests)/[\w/.]+)", line)
        if named:
            name = named.group(1)
            source = squeezed(read(name))
        elif line.strip() not in ("", "...") and squeezed(line) not in source:
            failures.append("CONTRIBUTING.md quotes what %s does not say: %s" % (name, line.strip()))

documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "core/README.md"]
documents += ["docs/" + name for name in sorted(os.listdir(os.path.join(root, "docs"))) if name.endswith(".md")]
for document in documents:
    for target in re.findall(r"\]\(([^)#\s]+)", re.sub(r"```.*?```", "", read(document), flags=re.S)):
        if not target.startswith(("http:", "https:")) and not os.path.exists(os.path.join(root, os.path.dirname(document), target)):
            failures.append("%s links to %s, which does not exist" % (document, target))

# Operators, by hundreds.
listed = len(re.findall(r"^\| `\w+` \|", read("docs/operators.md"), re.M))
for document in ("README.md", "CHANGELOG.md"):
    for said in re.findall(r"more\s+than\s+(\d+)\s+operators", read(document)) or ["no"]:
        if said != str(listed // 100 * 100):
            failures.append("%s speaks of more than %s operators, docs/operators.md lists %d" % (document, said, listed))

# README's ratios are the first of their rows: section, case and threads of docs/performance.md.
speed = re.search(r"- \*\*Speed\*\*.*?(?=\n- |\n\n)", read("README.md"), re.S).group()
cases = [("Single operators", "add"), ("One training step", "resnet18"), ("Models from Python", "LSTM 32 x 128 x 256, inference")]
measured = []
for title, case in cases:
    section = re.search(r"^## %s.*?(?=^## |\Z)" % title, read("docs/performance.md"), re.M | re.S).group()
    measured.append(re.search(r"^\| %s \| 1 \|[^|]*\|[^|]*\| ([\d.]+) \|" % re.escape(case), section, re.M).group(1))
if re.findall(r"([\d.]+) times", speed) != measured:
    failures.append("README.md gives other ratios than docs/performance.md: %s of %s" % (measured, [case for _, case in cases]))

if library:
    limit = int(re.search(r"less than (\d+) MiB \(stripped\)", read("README.md")).group(1)) << 20
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "libhaft.so")
        subprocess.run(["strip", "-o", stripped, library], check=True)
        if os.path.getsize(stripped) >= limit:
            failures.append("README.md promises less than %d bytes, libhaft.so has %d" % (limit, os.path.getsize(stripped)))

if failures:
    sys.exit("\n".join(failures))
print("%d documents hold" % len(documents))
