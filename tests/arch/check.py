#!/usr/bin/env python3
"""Reads the sources and fails, naming file, line and rule, where the house's rules (core/README.md) are broken.

usage: check.py ROOT

Rules
  arrow   a folder of core/ includes only what the table below allows; core/ never includes capi/ or a public header,
          but for the device seam, which users implement: haft/view.h from tensor on, haft/backend.h from backend on
  cycle   ops and autograd, nn, optim and data do not know each other (a case of arrow)
  engine  core/ and capi/ do not throw standard exceptions, end the process or print
  length  a source file has at most 800 lines (generated ones excepted)
  refused CUDA devices refuse at most ten operators (core/cuda/refused.def)
  width   a line of C or C++ has at most 120 columns; raw strings and what stands between `clang-format off` and `on` may have more
  text    no tabs, no carriage returns, no spaces at the end of a line, a newline at the end of the file
"""
import os
import re
import sys

BELOW = {}
BELOW["base"] = set()
BELOW["schema"] = {"base"}
BELOW["tensor"] = {"base"}
BELOW["backend"] = {"base", "schema", "tensor"}
BELOW["cpu"] = BELOW["backend"] | {"backend"}
BELOW["cuda"] = BELOW["tape"] = BELOW["backend"] | {"backend"}
BELOW["dispatch"] = BELOW["tape"] | {"tape"}
BELOW["ops"] = BELOW["dispatch"] | {"dispatch"}
BELOW["modes"] = BELOW["dispatch"] | {"dispatch"}
BELOW["autograd"] = BELOW["modes"] | {"modes"}
ENGINE = BELOW["autograd"] | {"ops", "autograd"}
BELOW["nn"] = BELOW["optim"] = BELOW["data"] = ENGINE
BELOW["distributions"] = BELOW["ops"] | {"ops"}
BELOW["serve"] = ENGINE | {"nn"}
BELOW["io"] = ENGINE | {"nn", "optim", "data"}
BELOW["dist"] = BELOW["io"] | {"io", "cpu"}  # what ranks have is joined in host memory, by the CPU's rows
BELOW["parallel"] = BELOW["dist"] | {"dist"}
BELOW["gloo"] = BELOW["mpi"] = set()  # plug-ins
BELOW["rpc"] = BELOW["parallel"] | {"parallel"}
# The public headers that plug-ins are written with are the engine's own seam.
SEAM = {"haft/view.h": BELOW["io"] - {"base", "schema"} | {"io", "serve", "cpu", "cuda"}}
SEAM["haft/mesh.h"], SEAM["haft/types.h"] = {"dist", "gloo", "mpi"}, {"gloo", "mpi"}
SEAM["haft/backend.h"] = SEAM["haft/collectives.h"] = SEAM["haft/view.h"] - {"tensor"} | {"cuda"}

PRINTS = {"core/base/log.cpp"}  # the default sink of the log
EVERYONE = {"core/init.cpp", "core/precompiled.h", "core/precompiled_engine.h"}  # the composition root, and what is precompiled
SOURCES = (".c", ".cpp", ".h", ".hpp", ".def", ".cu", ".cuh", ".i", ".py", ".java", ".cs")
FORMATTED = (".c", ".cpp", ".h", ".hpp", ".cu", ".cuh")
TEXT = SOURCES + (".awk", ".cmake", ".sh", ".md", ".txt", ".in", ".map")
FOLDERS = ("core", "capi", "bindings", "tests", "samples", "bench", "tools", "cmake", "pkgconfig", "docs")
MAX_LINES, MAX_COLUMNS = 800, 120
RAW = re.compile(r'R"([^()\\\s]{0,16})\(.*?\)\1"', re.S)
MAX_REFUSED = 10

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
FORBIDDEN = [
    (re.compile(r"\bthrow\s+std::(?!bad_alloc\b)"), "throw std::... loses the status code and the hint: use fail(Code, message, hint)"),
    (re.compile(r"(?<![\w.>])(?:std::)?(?:abort|exit|_exit|quick_exit|terminate)\s*\("), "the library never ends the process"),
    (re.compile(r"(?<!\w)(?:v|f|vf)?printf\s*\(|(?<!\w)(?:fputs|puts|putchar|perror)\s*\(|std::(?:cout|cerr|clog)\b"),
     "the library never prints: log through base/log.h or answer with a status"),
]


def code_lines(text):
    """The lines with comments and the contents of literals blanked, so that rules see code only."""
    out, i, n = [], 0, len(text)
    token = re.compile(r'R"([^()\\\s]{0,16})\(|//|/\*|"|\'')
    while i < n:
        m = token.search(text, i)
        if not m:
            out.append(text[i:])
            break
        if m.group() == "'" and m.start() and text[m.start() - 1].isalnum():  # a digit separator
            out.append(text[i:m.end()])
            i = m.end()
            continue
        out.append(text[i:m.start()])
        if m.group() == "//":
            end = text.find("\n", m.start())
            end = n if end < 0 else end
        elif m.group() == "/*":
            end = text.find("*/", m.end())
            end = n if end < 0 else end + 2
        elif m.group().startswith("R"):
            end = text.find(")" + m.group(1) + '"', m.end())
            end = n if end < 0 else end + len(m.group(1)) + 2
        else:
            end = m.end()
            while end < n and text[end] not in (m.group(), "\n"):
                end += 2 if text[end] == "\\" else 1
            end = min(end + 1, n)
        out.append('""' if m.group()[0] in "\"'R" else "")
        out.append("\n" * text.count("\n", m.start(), end))
        i = end
    return "".join(out).split("\n")


def wide(text):
    """Numbers of the lines that are too long and that nothing excuses."""
    formatted = True
    for number, line in enumerate(RAW.sub(lambda m: "\n" * m.group().count("\n"), text).split("\n"), 1):
        if "clang-format o" in line:
            formatted = "clang-format on" in line
        if formatted and len(line) > MAX_COLUMNS:
            yield number


def generated(path, text):
    return "generated" in text[:400].lower().split("\n\n")[0]


def arrow(path, kind, target):
    """Why the file may not include the target, or None."""
    parts = path.split("/")
    if parts[0] == "samples" or parts[:2] == ["capi", "include"]:
        if target.startswith(("core/", "capi/")):
            return "only public headers (haft/...) are visible here"
        return None
    if parts[0] != "core" or path in EVERYONE:
        return None
    if target in SEAM:
        return None if parts[1] in SEAM[target] else "%s stands below the device seam" % parts[1]
    if target.startswith(("capi/", "haft/")):
        return "core does not know the C API"
    if not target.startswith("core/"):
        ours = target.startswith(".") or target.split("/")[0] in BELOW
        return "write the path from the root: core/<folder>/<file>" if kind == '"' and ours else None
    if len(parts) < 3:
        return "core/ has no files of its own but init.cpp and precompiled headers"
    mine, other = parts[1], target.split("/")[1]
    if mine not in BELOW:
        return "folder core/%s stands nowhere in the table of core/README.md" % mine
    if other == mine or target == "core/precompiled.h":
        return None
    if other not in BELOW[mine]:
        allowed = ", ".join(sorted(BELOW[mine])) or "nothing"
        return "%s may include %s, not %s" % (mine, allowed, other)
    return None


FUNCTION = re.compile(r"(/\*\*(?:(?!\*/).)*\*/\s*)?HAFT_API ([^;(]*?)\b(haft_\w+)\(((?:[^()]|\([^()]*\))*)\) HAFT_NOTHROW;", re.S)


def undocumented(text):
    """(line, message) for each function of a public header whose comment leaves out a parameter, the result or its thread class."""
    found = []
    for m in FUNCTION.finditer(text):
        doc, result, name, parameters = m.group(1) or "", m.group(2).strip(), m.group(3), m.group(4)
        line = text.count("\n", 0, m.start(3)) + 1
        parameters = re.sub(r"\(\*(\w+)\)\([^()]*\)", r" \1", parameters)  # a function's name stands inside
        names = [re.search(r"(\w+)\s*$", p).group(1) for p in parameters.split(",") if p.strip() not in ("", "void")]
        for p in names:
            if not re.search(r"@param(\[[^\]]*\])?\s+(\w+,\s*)*%s\b" % p, doc):
                found.append((line, "%s: its comment has no @param %s" % (name, p)))
        tags = ["@brief", "Thread class", "@since"] + (["@return"] if result != "void" else [])
        found += [(line, "%s: its comment has no %s" % (name, tag)) for tag in tags if tag not in doc]
    return found


def check_file(path, text):
    """All (line, rule, message) of one file; path is relative to the root with forward slashes."""
    found = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            found.append((number, "text", "a tab"))
        if "\r" in line:
            found.append((number, "text", "a carriage return"))
        elif line.endswith(" ") and not path.endswith(".md"):
            found.append((number, "text", "spaces at the end of the line"))
    if text and not text.endswith("\n"):
        found.append((len(lines), "text", "no newline at the end of the file"))
    if path.startswith("capi/include/haft/") and path.endswith(".h") and not generated(path, text):
        found += [(line, "contract", why) for line, why in undocumented(text)]
    if path == "core/cuda/refused.def":
        refused = [number for number, line in enumerate(lines, 1) if line.startswith("REFUSED(")]
        if len(refused) > MAX_REFUSED:
            found.append((refused[MAX_REFUSED], "refused", "more than %d operators that GPUs lack: give this one a kernel" % MAX_REFUSED))
    if path.endswith(FORMATTED) and not generated(path, text):
        found += [(line, "width", "more than %d columns: clang-format wraps code" % MAX_COLUMNS) for line in wide(text)]
    if path.endswith(SOURCES):
        for number, line in enumerate(lines, 1):
            m = INCLUDE.match(line)
            why = m and arrow(path, m.group(1), m.group(2))
            if why:
                found.append((number, "arrow", "#include %s: %s" % (m.group(2), why)))
        if len(lines) - 1 > MAX_LINES and not generated(path, text):
            found.append((len(lines) - 1, "length", "more than %d lines: is there more than one subject in it?" % MAX_LINES))
        if path.startswith(("core/", "capi/")) and path not in PRINTS:
            for number, line in enumerate(code_lines(text), 1):
                for pattern, why in FORBIDDEN:
                    m = pattern.search(line)
                    if m:
                        found.append((number, "engine", "%s: %s" % (m.group().strip(), why)))
    return found


def check(root):
    found = []
    for folder in FOLDERS:
        for where, folders, files in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(d for d in folders if d != "__pycache__")
            for name in sorted(files):
                full = os.path.join(where, name)
                path = os.path.relpath(full, root).replace(os.sep, "/")
                if not name.endswith(TEXT) or path.startswith("capi/abi/"):
                    continue
                with open(full, encoding="utf-8", newline="") as f:
                    found += [(path,) + row for row in check_file(path, f.read())]
    return found


def main():
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "core")):
        sys.exit("usage: check.py ROOT (the folder that holds core/)")
    found = check(sys.argv[1])
    for path, line, rule, why in found:
        print("%s:%d: [%s] %s" % (path, line, rule, why))
    if found:
        sys.exit("%d lines against the rules of the house (core/README.md)" % len(found))


if __name__ == "__main__":
    main()
