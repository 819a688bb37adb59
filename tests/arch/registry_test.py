"""The generator refuses a layer, optimizer or schedule that core/schema/modules.def does not have, or has otherwise than
the C headers.

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
    ("nn.h", "HAFT_API haft_status haft_relu_create(haft_module** out) HAFT_NOTHROW;",
     "HAFT_API haft_status haft_relu_create(haft_module** out) HAFT_NOTHROW;\n"
     "/** @brief A new one. @since 1.1 */\nHAFT_API haft_status haft_relu7_create(haft_module** out) HAFT_NOTHROW;",
     ["haft_relu7_create", "has no entry"]),
    ("optim.h", "haft_status haft_exponential_lr_create(", "haft_status haft_power_lr_create(", ["ExponentialLR", "have no haft_exponential_lr_create"]),
    ("nn.h", "haft_gelu_create(int32_t tanh,", "haft_gelu_create(double tanh,", ["GELU", "tanh stands where", "double tanh"]),
    ("nn.h", "haft_elu_create(double alpha,", "haft_elu_create(double alpha, double scale,", ["ELU", "takes scale, too"]),
    ("nn.h", "haft_softplus_create(double beta, double threshold,", "haft_softplus_create(double beta,", ["Softplus", "does not take threshold"]),
    ("nn.h", "int64_t groups;", "int64_t parts;", ["Conv2d", "haft_conv2d_options has no field groups"]),
    ("nn.h", "int64_t dilation[2];    /* 1, 1 */", "int64_t dilation;", ["Conv2d", "dilation is int64_t in haft_conv2d_options"]),
    ("nn.h", "haft_sequential_create(", "haft_chain_create(", ["sequential", "no such function"]),
]

with tempfile.TemporaryDirectory() as tree:
    for folder in (HEADERS, "core/schema", "tools/generate", "capi/abi"):
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
