#!/usr/bin/env python3
"""Instructions, heap calls and calls of the device's runtime of single operators against their budgets. Instructions do not depend on the
machine's load.

usage: op_cost.py PROGRAM BUDGETS [--device DEVICE PLUGIN] [CASE ...]     for the cases named also tells which functions the instructions are in

Callgrind runs PROGRAM once; the program names each case as it dumps the counters. A case without a budget, or a budget without a case,
fails: the list is meant to be whole."""
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

TURNS = 500

Cost = collections.namedtuple("Cost", "instructions mallocs calls")


def functions(dump):
    """Instructions by function, its callees not included, from the text of a callgrind dump."""
    names, counts, current, inclusive = {}, collections.Counter(), None, False
    for line in dump.splitlines():
        m = re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line)
        if m:
            if m.group(2):
                names[m.group(1)] = m.group(2)
            if line.startswith("fn="):
                current = m.group(1)
        elif line.startswith("calls="):
            inclusive = True  # the next line counts the callee
        elif re.match(r"[-+*\d]\S* \d+$", line):
            if not inclusive:
                counts[current] += int(line.split()[1])
            inclusive = False
    return collections.Counter({names[k]: v for k, v in counts.items()})


def measure(program, device):
    """name -> Cost of one operator, name -> functions of the case, and name -> calls of the runtime as text."""
    with tempfile.TemporaryDirectory() as work:
        dumps = os.path.join(work, "callgrind.out")
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + dumps, program, str(TURNS), *device],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit("%s failed under callgrind:\n%s%s" % (program, done.stdout, done.stderr))
        instructions, places, calls_of = {}, {}, {}
        for path in glob.glob(dumps + ".*"):
            with open(path) as f:
                dump = f.read()
            name = re.search(r"^desc: Trigger: Client Request: (\S+)", dump, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)", dump, re.M)
            if name and total:
                instructions[name.group(1)] = int(total.group(1))
                places[name.group(1)] = functions(dump)
    costs = {}
    for line in done.stdout.splitlines():
        numbers, calls_of_case = line.split(":")
        name, operators, mallocs, calls = numbers.split()
        calls_of[name] = calls_of_case.strip()
        costs[name] = Cost(*(count / int(operators) for count in (instructions[name], int(mallocs), int(calls))))
        for function in places[name]:
            places[name][function] /= int(operators)
    return costs, places, calls_of


def read_budgets(path):
    budgets = {}
    with open(path) as f:
        for line in f:
            words = line.split("#")[0].split()
            if words:
                budgets[words[0]] = Cost(*map(float, words[1:]), *[0] * (4 - len(words)))
    return budgets


def broken(costs, budgets):
    """What is over its budget, as lines of text."""
    lines = ["%s: no such case" % name for name in sorted(set(budgets) - set(costs))]
    for name, cost in costs.items():
        if name not in budgets:
            lines.append("%s: no budget (measured %.0f instructions, %.2f mallocs, %.2f calls)" % (name, *cost))
            continue
        for field in Cost._fields:
            got, limit = getattr(cost, field), getattr(budgets[name], field)
            if got > limit:
                lines.append("%s: %.4g %s an operator, budget %.4g" % (name, got, field, limit))
    return lines


def main():
    program, budget_file, *cases = sys.argv[1:]
    device = []
    if cases[:1] == ["--device"]:
        device, cases = cases[1:3], cases[3:]
    (costs, places, calls_of), budgets = measure(program, device), read_budgets(budget_file)
    for name, cost in costs.items():
        limit = budgets.get(name, Cost(*[float("nan")] * 3))
        print("%-24s %8.0f of %5.0f instructions %8.2f of %2.0f mallocs %8.2f of %2.4g calls %s"
              % (name, cost.instructions, limit.instructions, cost.mallocs, limit.mallocs, cost.calls, limit.calls, calls_of[name]))
    for name in cases:
        print("\n%s\n%s" % (name, "\n".join("%8.0f  %s" % (count, function[:100]) for function, count in places[name].most_common(25))))
    lines = broken(costs, budgets)
    if lines:
        sys.exit("over budget:\n  " + "\n  ".join(lines))


if __name__ == "__main__":
    main()
