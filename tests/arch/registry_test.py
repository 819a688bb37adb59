"""The generator refuses a function of nn.h or optim.h that makes something and stands in no entry of
core/schema/modules.def, and an entry BY_HAND without its function.

usage: registry_test.py HAFT_GENERATE SOURCE_ROOT
"""
import os
import shutil
import subprocess
import sys
import tempfile

generator, root = sys.argv[1:]
HEADERS = "capi/include/haft"
CASES = [  # header, text there, what stands there instead, words of the refusal
    ("nn.h", "HAFT_API haft_status haft_sequential_create(",
     "/** @brief A new one. @since 1.1 */\nHAFT_API haft_status haft_relu7_create(haft_module** out) HAFT_NOTHROW;\n"
     "/** @since 1.1 */\nHAFT_API haft_status haft_sequential_create(", ["haft_relu7_create", "has no entry"]),
    ("optim.h", "haft_lambda_lr_create(", "haft_power_lr_create(", ["haft_power_lr_create", "has no entry"]),
    ("nn.h", "haft_module_dict_create(", "haft_module_dict(", ["haft_module_dict_create", "no such function"]),
]

with tempfile.TemporaryDirectory() as tree:
    for folder in (HEADERS, "core/schema", "tools/generate", "capi/abi", "docs"):
        shutil.copytree(os.path.join(root, folder), os.path.join(tree, folder), ignore=shutil.ignore_patterns("*.xz"))

    def check():
        return subprocess.run([generator, "--check", tree], capture_output=True, text=True)

    assert "modules.def" not in check().stderr, check().stderr
    for header, old, new, words in CASES:
        path = os.path.join(tree, HEADERS, header)
        with open(path) as f:
            text = f.read()
        assert old in text, old
        with open(path, "w") as f:
            f.write(text.replace(old, new))
        run = check()
        assert run.returncode == 1 and all(w in run.stderr for w in ["modules.def:", *words]), (new, run.stderr)
        with open(path, "w") as f:
            f.write(text)
print(len(CASES), "refusals")
