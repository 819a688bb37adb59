"""What the package computes above the core is known by name, with a reason: a new name wants one, or its place in the core."""
import os
import types
import unittest

import above
import haft
import leaks

setUpModule, tearDownModule = leaks.guard()
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "above_the_core.txt")


def listed():
    """{name: reason} of the committed list; a name that stands twice is an error."""
    reasons, reason, module, after_names = {}, "", "", True
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if line[0] == "#":
                reason = line[1:].strip() if after_names else f"{reason} {line[1:].strip()}"
                after_names = False
                continue
            after_names = True
            if line[0] != " " and line.strip():
                module, _, line = line.partition(":")
            for name in line.split():
                name = f"{module}.{name}"
                if name in reasons:
                    raise ValueError(f"{LIST}: {name} stands twice")
                reasons[name] = reason
    return reasons


class AboveTheCore(unittest.TestCase):
    def test_every_name_has_its_reason(self):
        found, reasons = set(above.above()), listed()
        self.assertGreater(len(above.public()), 1000)
        self.assertEqual(sorted(found - reasons.keys()), [], "computed above the core without a reason in above_the_core.txt: move it into the core, or say why")
        self.assertEqual(sorted(reasons.keys() - found), [], "named in above_the_core.txt, but a wrapper of the core by now, or gone")
        self.assertTrue(all(reasons.values()))

    def test_wrappers_are_told_from_work(self):
        """Functions of both kinds, as a module of the package would have them."""
        text = '''
def calls(input, dim, *, out=None):
    "One call, and what the caller may ask of its result."
    if dim > 3:
        raise ValueError("no")
    return _out(R.cumsum(input, dim), out)

def either(input, dim=None):
    return R.argmax(input, dim, False) if dim is None else R.argmin(input, dim, False)

def method(input, other):
    return input.matmul(other)

def composes(input):
    return R.exp(R.log(input))

def formula(input, other):
    return (input * other + 1) / 2

def loops(tensors):
    return [R.exp(t) for t in tensors]

def nothing(input):
    return input
'''
        tree = above.ast.parse(text)
        names = {"R": haft._library.raw, "_out": haft._creation.into_or_new}
        kinds = {node.name: above.simple(node, names, 1) for node in tree.body}
        self.assertEqual(kinds, dict(calls=True, either=True, method=True, composes=False, formula=False, loops=False, nothing=False))

    def test_definitions_are_found(self):
        for value, generated in ((haft.abs, True), (haft.nn.ReLU, True), (haft.optim.Adam, True), (haft.einsum, False), (haft.nn.Module, False)):
            node, made = above.definition(value)
            self.assertEqual(node.name, value.__name__)
            self.assertIs(made, generated)
        self.assertIsInstance(haft.abs, types.FunctionType)


if __name__ == "__main__":
    unittest.main()
