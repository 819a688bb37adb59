#!/usr/bin/env python3
"""Runs the programs that docs/languages.md shows.

usage: languages.py ROOT BUILD_DIR
"""
import os
import re
import subprocess
import sys
import tempfile

root, build = map(os.path.abspath, sys.argv[1:3])
with open(os.path.join(root, "docs/languages.md"), encoding="utf-8") as f:
    text = f.read()


def program(language):
    return re.search(r"```%s\n(.*?)```" % language, text, re.S).group(1)


def run(what, folder, *command, **environment):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode:
        sys.exit("docs/languages.md, %s: %s failed\n%s%s" % (what, " ".join(command), done.stdout, done.stderr))


def write(folder, name, content):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(content)


with tempfile.TemporaryDirectory() as folder:
    if os.path.exists(os.path.join(build, "python/haft/__init__.py")):
        write(folder, "document.py", program("python"))
        run("Python", folder, sys.executable, "document.py", PYTHONPATH=os.path.join(build, "python"))
        assert os.path.getsize(os.path.join(folder, "net.pt")) > 400000
    jar = os.path.join(build, "java/haft.jar")
    if os.path.exists(jar):
        imports, body = program("java").split("\n\n", 1)
        write(folder, "Document.java", imports + "\npublic class Document { public static void main(String[] args) {\n" + body + "} }\n")
        run("Java", folder, "javac", "-Xlint:all,-try", "-Werror", "-cp", jar, "Document.java")
        run("Java", folder, "java", "-cp", jar + ":.", "Document")
        assert os.path.getsize(os.path.join(folder, "net.safetensors")) > 400000
        os.remove(os.path.join(folder, "net.safetensors"))
    dll = os.path.join(build, "csharp/Haft.dll")
    if os.path.exists(dll):
        using, body = program("csharp").split("\n\n", 1)
        write(folder, "Document.cs", using + "\nstatic class Document { static void Main() {\n" + body + "} }\n")
        run("C#", folder, "mcs", "-nologo", "-warnaserror", "-r:" + dll, "Document.cs")
        run("C#", folder, "mono", "Document.exe", MONO_PATH=os.path.dirname(dll))
        assert os.path.getsize(os.path.join(folder, "net.safetensors")) > 400000
