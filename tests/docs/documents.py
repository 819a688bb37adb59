#!/usr/bin/env python3
"""Fails when a document shows C that does not compile, quotes a line that its source no longer has, or links to a
file that does not exist.

usage: documents.py ROOT CC
"""
import os
import re
import subprocess
import sys
import tempfile

root, cc = sys.argv[1:3]
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

if failures:
    sys.exit("\n".join(failures))
print("%d documents hold" % len(documents))
