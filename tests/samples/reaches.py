"""A sample that learns tells of a figure, "WHAT: NUMBER", that is as good as it has to be.

usage: reaches.py WHAT below|above BOUND COMMAND...
"""
import re
import subprocess
import sys


def main(what, side, bound, *command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    sys.stdout.write(done.stdout)
    assert done.returncode == 0, done.returncode
    told = re.findall(rf"^{re.escape(what)}: ([-+.\w]+)", done.stdout, re.MULTILINE)
    assert len(told) == 1, f"wanted one line that begins with '{what}: '"
    reached, bound = float(told[0]), float(bound)  # nan is neither
    assert {"below": reached < bound, "above": reached > bound}[side], f"{what}: {reached}, wanted {side} {bound}"


if __name__ == "__main__":
    main(*sys.argv[1:])
