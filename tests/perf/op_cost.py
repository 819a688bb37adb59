#!/usr/bin/env python3
"""Instructions and heap calls of single operators against tests/perf/budgets.txt. Instructions do not depend on the machine's load.

usage: op_cost.py PROGRAM BUDGETS [CASE ...]     for the cases named also tells which functions the instructions are in

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

Cost = collections.namedtuple("Cost", "instructions mallocs")


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


def measure(program):
    """name -> Cost of one operator, and name -> functions of the case."""
    with tempfile.TemporaryDirectory() as work:
        dumps = os.path.join(work, "callgrind.out")
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + dumps, program, str(TURNS)],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit("%s failed under callgrind:\n%s%s" % (program, done.stdout, done.stderr))
        instructions, places = {}, {}
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
        name, operators, mallocs = line.split()
        costs[name] = Cost(instructions[name] / int(operators), int(mallocs) / int(operators))
        for function in places[name]:
            places[name][function] /= int(operators)
    return costs, places


def read_budgets(path):
    budgets = {}
    with open(path) as f:
        for line in f:
            words = line.split("#")[0].split()
            if words:
                budgets[words[0]] = Cost(float(words[1]), float(words[2]))
    return budgets


def broken(costs, budgets):
    """What is over its budget, as lines of text."""
    lines = ["%s: no such case" % name for name in sorted(set(budgets) - set(costs))]
    for name, cost in costs.items():
        if name not in budgets:
            lines.append("%s: no budget (measured %.0f instructions, %.2f mallocs)" % (name, cost.instructions, cost.mallocs))
            continue
        for field in Cost._fields:
            got, limit = getattr(cost, field), getattr(budgets[name], field)
            if got > limit:
                lines.append("%s: %.4g %s an operator, budget %.0f" % (name, got, field, limit))
    return lines


def main():
    program, budget_file = sys.argv[1:3]
    (costs, places), budgets = measure(program), read_budgets(budget_file)
    for name, cost in costs.items():
        limit = budgets.get(name, Cost(float("nan"), float("nan")))
        print("%-24s %8.0f of %5.0f instructions %8.2f of %2.0f mallocs"
              % (name, cost.instructions, limit.instructions, cost.mallocs, limit.mallocs))
    for name in sys.argv[3:]:
        print("\n%s\n%s" % (name, "\n".join("%8.0f  %s" % (count, function[:100]) for function, count in places[name].most_common(25))))
    lines = broken(costs, budgets)
    if lines:
        sys.exit("over budget:\n  " + "\n  ".join(lines))


if __name__ == "__main__":
    main()
