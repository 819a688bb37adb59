"""The sample plugin_host: 64 threads of its own ask while plug-ins are exchanged, or signals come.

usage: plugin_host.py load|signals HOST PLUGIN...        counted in requests, however long they take
"""
import os
import re
import signal
import subprocess
import sys
import tempfile


def ended(text):
    """What the host says in the end: {outcome: requests}."""
    said = re.search(r"^asked (\d+): (.*); 0 wrong$", text, re.M)
    assert said, text
    counts = {name: int(n) for name, n in re.findall(r"(\w+) (\d+)", said[2])}
    assert sum(counts.values()) == int(said[1]) and counts["failed"] == 0, counts
    assert re.search(r"^p50 \d+ us, p99 \d+ us; ", text, re.M), text
    return counts


def under_load(command):
    with tempfile.TemporaryDirectory() as folder:
        metrics = os.path.join(folder, "haft.prom")
        done = subprocess.run(command[:1] + ["--rounds", "6", "--every", "2000", "--metrics", metrics] + command[1:], stdout=subprocess.PIPE, text=True)
        print(done.stdout)
        assert done.returncode == 0, done.returncode
        with open(metrics, encoding="utf-8") as f:
            text = f.read()
    counts = ended(done.stdout)
    assert len(re.findall(r"^round \d+: ", done.stdout, re.M)) == 6
    assert counts["answered"] >= 6 * 2000
    assert counts["refused"] and counts["away"], "nobody asked too much, or a plug-in that was away"
    for name in (os.path.basename(p)[:-3] for p in command[1:]):  # one of them has just come
        assert re.search(r'^haft_session_requests_total{session="%s",outcome="completed"} \d' % name, text, re.M), text


def with_signals(command):
    host = subprocess.Popen(command[:1] + ["--seconds", "3600", "--every", "500"] + command[1:], stdout=subprocess.PIPE, text=True)
    said = ""
    try:
        for line in host.stdout:
            said += line
            if line.startswith("round 2:"):
                host.send_signal(signal.SIGHUP)
            elif line.startswith("loaded other weights"):
                host.send_signal(signal.SIGTERM)
        code = host.wait()
    finally:
        host.kill()
    print(said)
    assert code == 0, code
    assert "loaded other weights" in said
    assert ended(said)["answered"] >= 1000


if __name__ == "__main__":
    {"load": under_load, "signals": with_signals}[sys.argv[1]](sys.argv[2:])
