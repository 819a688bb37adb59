"""Every command that the project's scripts call comes with a package that tools/dependencies lists, or with Debian itself.

usage: commands.py ROOT

Read are shell scripts, Python's calls of subprocess, and the tools of cmake/optional.cmake. dpkg says where a command comes from; a package that
a listed or an essential one depends on counts as listed. Commands that are not on this machine are judged only where all listed packages are.
"""
import ast
import os
import re
import shutil
import subprocess
import sys

FOLDERS = ("tools", "tests", "samples", "bindings", "bench", ".ci")
BUILTINS = set("""[ [[ . : alias bg break cd command continue declare echo eval exec exit export false fg getopts hash jobs kill let local mapfile
    popd printf pushd pwd read readonly return set shift shopt source test times trap true type typeset ulimit umask unalias unset wait""".split())
BEFORE_COMMAND = set("if then else elif fi do done while until time ! { }".split())
# Programs that run the command in their arguments, with how many words of their own, besides options, come before it.
RUNNERS = {"env": 0, "exec": 0, "command": 0, "nice": 0, "sudo": 0, "timeout": 1, "unshare": 0, "xargs": 0}
# What tools/dependencies works with before anything is installed; it says so where they are not.
GIVEN = {"apt-get", "sudo"}
# Of a machine with a GPU, for tests/gpu: no package of Debian's.
GIVEN |= {"nvcc", "ptxas", "nvidia-smi", "compute-sanitizer"}
OWN = {"haft-run"}  # what the project's packages bring themselves
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# What programs call that stand in the files under this text.
CALLED_BY = {"-G Ninja": ("ninja",)}


class Shell:
    """Finds the commands of a script: words in the place of a command, also inside $(...), bash -c and eval."""

    def __init__(self, text):
        self.text, self.i, self.found, self.functions, self.heredocs = text, 0, set(), set(), []
        self.commands()

    def commands(self, end=None):
        """Reads up to the closing `end`, or to the end of the text."""
        place, skip, runner, case = True, 0, None, []  # place: the next word is a command
        while self.i < len(self.text):
            c = self.text[self.i]
            if c == end and not (case and case[-1] == "pattern"):
                self.i += 1
                return
            if c == "\\" and self.text[self.i + 1:self.i + 2] == "\n":
                self.i += 2
            elif c in " \t":
                self.i += 1
            elif c == "\n":
                self.i += 1
                self.skip_heredocs()
                place, runner = True, None
            elif c == "#":
                self.skip_to("\n")
            elif case and case[-1] == "pattern":
                if re.match(r"esac\b", self.text[self.i:]):
                    self.i += 4
                    case.pop()
                else:
                    self.word(")(")
                    if self.text[self.i:self.i + 1] == ")":
                        case[-1], place = "body", True
                    self.i += 1
            elif self.text.startswith(";;", self.i):
                self.i += 2
                case[-1] = "pattern"
            elif c in ";&|(":
                self.i += 1
                place, runner = True, None
            elif c == ")":
                self.i += 1
                place = False
            elif c in "<>":
                self.redirection()
            else:
                quoted, word = self.word()
                if self.text[self.i:self.i + 2] == "()":
                    self.functions.add(word)
                    self.i += 2
                elif runner in ("eval", "trap", "-c"):
                    self.inner(word)
                    place, runner = False, None
                elif runner in ("sh", "bash") and word == "-c":
                    runner = "-c"
                elif not place:
                    if word == "esac" and case:
                        case.pop()
                elif word == "case":
                    self.word_after_blanks()
                    self.word_after_blanks()  # in
                    case.append("pattern")
                elif word == "esac":
                    case.pop()
                elif word == "for":
                    place = False
                elif quoted is None and (word in BEFORE_COMMAND or word.isdigit() and self.text[self.i:self.i + 1] in "<>"):
                    pass
                elif re.match(r"\w+\+?=", word) or (runner and word.startswith("-")):
                    pass
                elif skip:
                    skip -= 1
                elif runner and word.isdigit():  # an option's value
                    pass
                else:
                    runner = None
                    if re.fullmatch(r"[\w./+-]+", word):
                        self.found.add(word)
                        name = os.path.basename(word)
                        runner = name if name in RUNNERS or name in ("sh", "bash", "eval", "trap") else None
                        skip = RUNNERS.get(name, 0)
                    place = runner in RUNNERS

    def word_after_blanks(self):
        while self.text[self.i] in " \t":
            self.i += 1
        return self.word()

    def inner(self, text):
        inside = Shell(text)
        self.found |= inside.found
        self.functions |= inside.functions

    def skip_to(self, c):
        at = self.text.find(c, self.i)
        self.i = len(self.text) if at < 0 else at

    def skip_heredocs(self):
        for tag in self.heredocs:
            at = re.compile(r"^\s*%s$" % re.escape(tag), re.M).search(self.text, self.i)
            self.i = at.end() if at else len(self.text)
        self.heredocs = []

    def redirection(self):
        here = re.compile(r"<<-?\s*(['\"]?)(\w+)\1").match(self.text, self.i)
        if here and not self.text.startswith("<<<", self.i):
            self.heredocs.append(here.group(2))
            self.i = here.end()
        elif self.text[self.i + 1:self.i + 2] == "(":
            self.i += 2
            self.commands(")")
        else:
            self.i += re.compile(r"[<>&|]+").match(self.text, self.i).end() - self.i
            self.word_after_blanks()

    def word(self, stop=""):
        """(the first quote or None, the text) of a word; expansions become $."""
        quoted, out = None, ""
        while self.i < len(self.text):
            c = self.text[self.i]
            if c in " \t\n;&|<>)" + stop or (c == "(" and not out.endswith("=")):
                break
            if c in "'\"":
                quoted = quoted or c
            if c == "'":
                end = self.text.index("'", self.i + 1)
                out += self.text[self.i + 1:end]
                self.i = end + 1
            elif c == '"':
                self.i += 1
                while self.text[self.i] != '"':
                    out += self.expansion() if self.text[self.i] in "$`\\" else self.plain()
                self.i += 1
            elif c == "(":  # an array
                self.i += 1
                while self.text[self.i] != ")":
                    if self.text[self.i] in " \t\n":
                        self.i += 1
                    else:
                        self.word()
                self.i += 1
                return quoted, out
            else:
                out += self.expansion() if c in "$`\\" else self.plain()
        return quoted, out

    def plain(self):
        self.i += 1
        return self.text[self.i - 1]

    def expansion(self):
        rest = self.text[self.i:self.i + 3]
        if rest[0] == "\\":
            self.i += 2
            return rest[1:2]
        if rest[0] == "`":
            end = self.text.index("`", self.i + 1)
            self.inner(self.text[self.i + 1:end])
            self.i = end + 1
        elif rest == "$((":
            self.i = self.text.index("))", self.i) + 2
        elif rest[:2] == "$(":
            self.i += 2
            self.commands(")")
        elif rest[:2] == "${":
            depth = 0
            while True:
                c = self.plain()
                depth += (c == "{") - (c == "}")
                if c == "}" and not depth:
                    break
        else:
            self.i += 1
        return "$"


def of_python(text):
    """The first words of what subprocess and shutil.which are given, also through a function that hands on its *arguments."""
    tree, found, through = ast.parse(text), set(), {}
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.Lambda)) and function.args.vararg:
            for call in ast.walk(function):
                if is_process(call) and call.args and isinstance(call.args[0], ast.Name) and call.args[0].id == function.args.vararg.arg:
                    through[getattr(function, "name", None)] = len(function.args.args)
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        first = None
        if is_process(call) and call.args:
            first = call.args[0]
            while isinstance(first, ast.BinOp):
                first = first.left
            if isinstance(first, (ast.List, ast.Tuple)) and first.elts:
                first = first.elts[0]
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "which":
            first = call.args[0]
        elif isinstance(call.func, ast.Name) and call.func.id in through and len(call.args) > through[call.func.id]:
            first = call.args[through[call.func.id]]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            found.add(first.value)
    return found


def is_process(node):
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and
            node.func.value.id == "subprocess" and node.func.attr in ("run", "Popen", "call", "check_call", "check_output"))


def commands(root):
    """{command: the first file that calls it}, and the packages of cmake/optional.cmake."""
    calls, functions = {}, GIVEN | OWN
    for folder in FOLDERS:
        for where, folders, files in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(d for d in folders if d not in ("__pycache__", "listings"))
            for name in sorted(files):
                path = os.path.join(where, name)
                try:
                    with open(path, encoding="utf-8") as f:
                        text = f.read()
                except UnicodeDecodeError:
                    continue
                if name.endswith(".sh") or re.match(r"#!.*sh\b", text):
                    script = Shell(text)
                    names = script.found - BUILTINS
                    functions |= script.functions
                elif name.endswith(".py") or re.match(r"#!.*python", text):
                    names = of_python(text)
                else:
                    names = set()
                for key, more in CALLED_BY.items():
                    names |= set(more) if key in text and name != "commands.py" else set()
                shebang = re.match(r"#! *(?:/usr/bin/env )?(\S+)", text)
                if shebang:
                    names.add(shebang.group(1))
                for n in names:
                    if "/" not in n or n.startswith("/"):
                        calls.setdefault(n, os.path.relpath(path, root))
    with open(os.path.join(root, "cmake/optional.cmake"), encoding="utf-8") as f:
        packages = re.findall(r'^haft_tool\(\S+ "?([^" ]+)"?', f.read(), re.M)
    return {c: path for c, path in calls.items() if c not in functions}, {p for found in packages for p in found.split(";")}


def dpkg(*arguments):
    return subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True).stdout


def main(root):
    calls, tools = commands(root)
    listed = set(subprocess.run([os.path.join(root, "tools/dependencies"), "list"], check=True, capture_output=True, text=True).stdout.split())
    needs, provided, todo = {}, {}, list(listed)
    for line in dpkg("-W", "-f", "${db:Status-Status}\t${Package}\t${Essential}\t${Pre-Depends}, ${Depends}\t${Provides}\n").splitlines():
        status, package, essential, depends, provides = line.split("\t")
        if status == "installed":
            needs[package] = re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", depends)
            for virtual in re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9+.-]+)", provides):
                provided.setdefault(virtual, []).append(package)
            todo += [package] if essential == "yes" else []
    reached = set()
    while todo:
        package = todo.pop()
        if package not in reached:
            reached.add(package)
            todo += needs.get(package, []) + provided.get(package, [])

    wrong = ["cmake/optional.cmake names %s, which tools/dependencies does not list" % p for p in sorted(tools - reached)]

    # A file may be known under /bin or under /usr/bin, and a command may be a link to what a package brings.
    files = {}
    for command in calls:
        found = shutil.which(command, path=PATH)
        paths = {found, os.path.realpath(found)} if found else set()
        files[command] = paths | {re.sub(r"^/usr(?=/s?bin/)", "", p) for p in paths}
    owners = {}
    for line in dpkg("-S", *sorted(set().union(*files.values()))).splitlines():
        packages, _, path = line.partition(": ")
        owners[path] = {p.split(":")[0] for p in packages.split(", ")}

    whole = listed <= set(needs)
    for command, path in sorted(calls.items()):
        by = set().union(*(owners.get(f, set()) for f in files[command]))
        if not by & reached and (files[command] or whole):
            wrong.append("%s calls %s, %s" % (path, command, "which no package brings" if not by else
                                             "of the package %s, which tools/dependencies does not list" % ", ".join(sorted(by))))
    print("%d commands, %d packages listed" % (len(calls), len(listed)))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1])
