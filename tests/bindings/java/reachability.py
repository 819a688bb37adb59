#!/usr/bin/env python3
"""What the shim looks up by name is what jni-config.json tells GraalVM, no more and no less.

usage: reachability.py JNI_CONFIG SHIM_SOURCE...
"""
import json
import re
import sys

PRIMITIVE = {"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double"}


def parameters(signature):
    """(ILjava/lang/String;[J)V: ["int", "java.lang.String", "long[]"]."""
    out = []
    for brackets, primitive, name in re.findall(r"(\[*)(?:([ZBCSIJFD])|L([^;]+);)", signature[1:signature.index(")")]):
        out.append((PRIMITIVE[primitive] if primitive else name.replace("/", ".")) + "[]" * len(brackets))
    return out


def looked_up(text):
    """Classes with the methods (name, parameters) that C++ text asks for."""
    text = re.sub(r'"\s*\n\s*"', "", text)  # literals that go on in the next line
    owners = dict(re.findall(r'(\w+) = (?:[^;"]*\? )?(?:e->FindClass|find)\((?:e, )?"([\w/]+)"\)', text))
    classes = {name.replace("/", "."): set() for name in re.findall(r'(?:FindClass|find)\((?:e, )?"([\w/]+)"\)', text)}
    calls = re.findall(r'Get(?:Static)?MethodID\((\w+),\s*"(\w+)",\s*"([^"]+)"\)', text)
    calls += [("callbacks", name, signature) for name, signature in re.findall(r'= method\("(\w+)", "([^"]+)"\)', text)]
    for owner, name, signature in calls:
        classes[owners[owner].replace("/", ".")].add((name, tuple(parameters(signature))))
    return classes


def main(config, *sources):
    wanted = {}
    for source in sources:
        with open(source) as f:
            wanted.update(looked_up(f.read()))
    # ThrowNew calls the constructor that takes a message.
    wanted["java.lang.UnsatisfiedLinkError"].add(("<init>", ("java.lang.String",)))
    # SWIG's check of references throws this one.
    wanted["java.lang.NullPointerException"] = {("<init>", ("java.lang.String",))}
    with open(config) as f:
        told = {c["name"]: {(m["name"], tuple(m["parameterTypes"])) for m in c.get("methods", [])} for c in json.load(f)}
    wrong = ["%s: the shim looks up %s, the file tells %s" % (name, sorted(wanted.get(name, "nothing")), sorted(told.get(name, "nothing")))
             for name in sorted(set(wanted) | set(told)) if wanted.get(name) != told.get(name)]
    assert sum(len(methods) for methods in wanted.values()) > 15, "the sources are not read"
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
