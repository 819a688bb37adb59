"""The modules of the Python package know each other in one direction: no circle, counting imports inside functions too.

usage: python_circles.py PACKAGE_FOLDER [GENERATED_FOLDER]   (the second holds what the build adds to the package)
"""
import ast
import os
import sys
from graphlib import CycleError, TopologicalSorter


def modules(folders):
    """Dotted names below the package, which is "", and their files."""
    found = {}
    for folder in folders:
        for here, _, files in os.walk(folder):
            for file in files:
                if file.endswith(".py"):
                    parts = os.path.relpath(os.path.join(here, file), folder)[:-3].split(os.sep)
                    found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = os.path.join(here, file)
    return found


def imported(name, path, package, known):
    with open(path) as f:
        tree = ast.parse(f.read())
    parts = name.split(".") if name else []
    inside = parts if path.endswith("__init__.py") else parts[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = inside[:len(inside) - node.level + 1] + (node.module.split(".") if node.module else [])
            elif node.module.split(".")[0] == package:
                base = node.module.split(".")[1:]
            else:
                continue
            for alias in node.names:
                if alias.name != "_haft":  # the shim, which is no file of the package
                    whole = ".".join(base + [alias.name])
                    yield whole if whole in known else ".".join(base)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == package:
                    yield ".".join(alias.name.split(".")[1:])


def circle(folders, package="haft"):
    known = modules(folders)
    graph = {name: {to for to in imported(name, path, package, known) if to in known and to != name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [name or package for name in error.args[1]], len(known)
    return None, len(known)


if __name__ == "__main__":
    found, count = circle(sys.argv[1:])
    assert count > 1, sys.argv
    if found:
        sys.exit("Modules that import each other in a circle: " + " <- ".join(found))
    print(count, "modules, no circle")
