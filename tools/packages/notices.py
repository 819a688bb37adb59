"""The licences of what a package carries: which texts belong to which of its libraries, and the texts."""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Texts: ours, and what Debian's package of the library says.
TEXTS = {
    "haft": os.path.join(ROOT, "LICENSE"),
    "oneDNN": "/usr/share/doc/libdnnl2/copyright",
    "Highway": "/usr/share/doc/libhwy1/copyright",
    "zlib": "/usr/share/doc/zlib1g/copyright",
    "Gloo": "/usr/share/doc/libgloo0/copyright",
    "libstdc++": "/usr/share/doc/libstdc++6/copyright",  # GPL-3 with the runtime library exception
    "GPL-3": "/usr/share/common-licenses/GPL-3",
    "NVIDIA": os.path.join(ROOT, "tools", "packages", "nvidia.txt"),
    "DLPack": "/usr/share/doc/libdlpack-dev/copyright",
    "Apache-2.0": "/usr/share/common-licenses/Apache-2.0",
}
# Whose text they are compiled from, headers with code included: every library by its name without version and hash.
LIBRARIES = {
    "libhaft": ("haft", "Highway", "Apache-2.0", "libstdc++", "GPL-3"),
    "libhaft_runtime": ("haft", "libstdc++", "GPL-3"),
    "libdnnl": ("oneDNN", "Apache-2.0", "libstdc++", "GPL-3"),
    "libhwy": ("Highway", "Apache-2.0", "libstdc++", "GPL-3"),
    "libz": ("zlib",),
    "libhaft_gloo": ("haft", "Gloo", "libstdc++", "GPL-3"),
    "libgloo": ("Gloo", "libstdc++", "GPL-3"),
    "_haft": ("haft", "DLPack", "Apache-2.0", "libstdc++", "GPL-3"),
    "haft-run": ("haft", "libstdc++", "GPL-3"),
    "libhaft_java": ("haft", "libstdc++", "GPL-3"),
    "libhaft_cuda": ("haft", "NVIDIA", "libstdc++", "GPL-3"),
    "haft-doctor": ("haft", "libstdc++", "GPL-3"),
    "libhaft_csharp": ("haft", "libstdc++", "GPL-3"),
}
SPDX = "Apache-2.0 AND BSD-3-Clause AND Zlib AND (GPL-3.0-or-later WITH GCC-exception-3.1)"


def notices(libraries):
    """Entries (name, content) for a package with these libraries: the texts, and libraries.txt, a line a library."""
    lines, texts = [], set()
    for library in sorted(libraries):
        stem = re.sub(r"(-[0-9a-f]{8})?\.so.*", "", library)
        if stem not in LIBRARIES:
            raise SystemExit("%s: tools/packages/notices.py knows no licence of it" % library)
        lines.append("%s: %s\n" % (library, ", ".join(name + ".txt" for name in LIBRARIES[stem])))
        texts.update(LIBRARIES[stem])
    yield "libraries.txt", "".join(lines).encode()
    for name in sorted(texts):
        yield name + ".txt", TEXTS[name]
