"""A sample computes on the device that --device names. COMMAND is run twice more or less alike:

- on a device that lacks an operator which the sample needs: it fails, and names the two (OPERATOR -: COMMAND does that itself);
- on the device: it ends as it has to, and, where lines are to be compared, with the CPU's numbers in them.

usage: on_device.py DEVICE OPERATOR LINES COMMAND...      LINES: a regular expression, or - for none; COMMAND gets --device behind it
"""
import os
import re
import subprocess
import sys


def run(command, device, **environment):
    done = subprocess.run([*command, "--device", device], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          env={**os.environ, **environment})
    print(f"---- {device} {environment or ''}: {done.returncode}\n{done.stdout}")
    return done


def numbers(text, lines):
    return [float(n) for line in text.splitlines() if re.search(lines, line) for n in re.findall(r"-?\d+(?:\.\d+)?", line)]


def main(device, operator, lines, *command):
    if operator != "-":
        refused = run(command, device, HAFT_SIM_REFUSE=operator)
        assert refused.returncode != 0, f"it did without {operator}"
        assert f"[{operator}] device {device.split(':')[0]}" in refused.stdout, f"it does not say that {device} lacks {operator}"

    done, wanted = run(command, device), 0
    if lines != "-":
        other = run(command, "cpu")
        wanted = other.returncode
        there, here = (numbers(each.stdout, lines) for each in (done, other))
        assert here and len(there) == len(here), "they tell of other things"
        assert all(abs(a - b) <= 0.02 * abs(b) + 0.002 for a, b in zip(there, here)), (there, here)
    assert done.returncode == wanted, done.returncode


if __name__ == "__main__":
    main(*sys.argv[1:])
