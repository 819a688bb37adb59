#!/usr/bin/env python3
"""Fails when an operator's kernels take more text than its budget: 4 KB for a POINTWISE op, all types and instruction
sets together, 20 KB for another kernel. What may take more stands below with its reason, and leaves the list when it
takes clearly less: releases of a compiler differ by a few hundredths.

usage: sizes.py LIST NM [--table] (LIST names the engine's objects, one a line)
"""
import os
import re
import subprocess
import sys

POINTWISE, KERNEL = 4096, 20 * 1024
MORE, LESS = 1.03, 0.92  # of a budget: from where on a size is over it, and up to where it keeps to it without doubt

# Files that serve the kernels of another: the sum is shared among all kernels of the group.
GROUP = {"fourier_plan": "fourier", "small_matmul": "matmul", "gemv": "matmul", "reduce_loops": "reduce", "argmax": "reduce"}
GROUP.update({name: "conv" for name in ("conv_depthwise", "conv_few", "conv_im2col", "conv_lines", "conv_plan", "conv_rows", "pack_weight", "winograd")})
# Files that serve all of them.
SHARED = {"backend", "copy", "dnnl", "elementwise", "elementwise_convert", "loop", "multiversion", "packed_weights", "rows"}

# (bytes, reason)
POINTWISE_MORE = {}
for op in ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not", "where", "masked_fill"):
    POINTWISE_MORE[op] = (6144, "bytes beside elements of five types: packing takes more than the op")
for op in ("eq_scalar", "ne_scalar", "lt_scalar", "le_scalar", "gt_scalar", "ge_scalar"):
    POINTWISE_MORE[op] = (6144, "the same, and narrow integers compare in 64 bits")
for op in ("pow", "pow_scalar", "rpow_scalar", "gelu", "gelu_backward", "sinh", "tan", "expm1", "elu", "softplus", "logsigmoid", "logaddexp",
           "logaddexp2", "floor_divide", "floor_divide_scalar", "remainder_scalar"):
    POINTWISE_MORE[op] = (8192, "two or three polynomials in two float types, inlined for three instruction sets")
POINTWISE_MORE["turned_exp"] = (13 * 1024, "an exponential and a turn beyond the range of either, by four polynomials in two float types, inlined for three instruction sets")
POINTWISE_MORE["addcmul"] = (5120, "three inputs and a number for five types")
KERNEL_MORE = {
    "attention": (57 * 1024, "packing, masks, dropout, a softmax in strips and a register kernel of four widths, in float and double, each for three instruction sets"),
    "batch_norm": (32 * 1024, "five loops in float and double, each for three instruction sets"),
    "compressed": (25 * 1024, "three ways to send a gradient, there and back, each for three instruction sets"),
    "conv": (36 * 1024, "Winograd, few channels, im2col and oneDNN are four algorithms"),
    "fourier": (84 * 1024, "passes of five radices and what turns lines into lanes and back, complex and real, in float and double, each for three instruction sets; plans"),
    "layer_norm": (25 * 1024, "forward and backward in float and double, each for three instruction sets"),
    "matmul": (30 * 1024, "tiles in registers of several heights, each for three instruction sets"),
    "recurrent": (60 * 1024, "three cells forward and backward around tiles of up to eight heights for states and for inputs, with their gates' polynomials in place, in float and double, each for three instruction sets"),
    "sort": (50 * 1024, "short rows by a network of four types, long ones by merging, each for three instruction sets"),
    "optimizer": (70 * 1024, "eleven optimizers' rules in float and double, each for three instruction sets"),
}


def source_of(path):
    return os.path.basename(path).split(".")[0]


def symbols(path, nm):
    """(bytes, demangled name) of the code of haft::cpu in an object."""
    out = subprocess.run([nm, "-S", "-C", path], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        m = re.match(r"[0-9a-f]+ ([0-9a-f]+) [tTwW] (.*)", line)
        if m and "haft::cpu" in m.group(2):
            yield int(m.group(1), 16), m.group(2)


def measure(paths, nm):
    """({op: bytes}, {group: [bytes, kernels]})"""
    ops, groups = {}, {}
    for path in paths:
        source = source_of(path)
        if source in SHARED:
            continue
        for size, name in symbols(path, nm):
            if source.startswith("elementwise_"):
                op = re.search(r"op_(\w+)", name)
                if op:
                    ops[op.group(1)] = ops.get(op.group(1), 0) + size
                continue
            entry = groups.setdefault(GROUP.get(source, source), [0, 0])
            entry[0] += size
            entry[1] += bool(re.match(r"haft::cpu::k_\w+\(haft_kernel_call const&\)$", name))
    return ops, groups


def over(ops, groups):
    found = []
    for op, size in ops.items():
        limit = POINTWISE_MORE.get(op, (POINTWISE,))[0]
        if size > limit * MORE:
            found.append("POINTWISE %s takes %d bytes of text, its budget is %d" % (op, size, limit))
    for group, (size, kernels) in groups.items():
        limit = KERNEL_MORE.get(group, (KERNEL,))[0] * max(kernels, 1)
        if size > limit * MORE:
            found.append("core/cpu/%s.cpp takes %d bytes of text for %d kernels, its budget is %d" % (group, size, kernels, limit))
    for name in POINTWISE_MORE:
        if ops.get(name, 0) <= POINTWISE * LESS:
            found.append("POINTWISE %s keeps to the budget: strike it off the list of sizes.py" % name)
    for name in KERNEL_MORE:
        if groups.get(name, [0, 1])[0] <= KERNEL * groups.get(name, [0, 1])[1] * LESS:
            found.append("core/cpu/%s.cpp keeps to the budget: strike it off the list of sizes.py" % name)
    return found


def main():
    list_file, nm = sys.argv[1:3]
    with open(list_file) as f:
        paths = [line.strip() for line in f if "/core/cpu/" in line]
    ops, groups = measure(paths, nm)
    assert len(ops) > 90 and len(groups) > 15, (len(ops), len(groups))
    if "--table" in sys.argv:
        for op in sorted(ops, key=ops.get, reverse=True):
            print("%7d %s" % (ops[op], op))
        for group in sorted(groups, key=lambda g: groups[g][0], reverse=True):
            print("%7d %3d %s.cpp" % (*groups[group], group))
    assert over({"huge": 5000, "full": POINTWISE}, {"big": [50000, 2]})[:2] == [
        "POINTWISE huge takes 5000 bytes of text, its budget is 4096",
        "core/cpu/big.cpp takes 50000 bytes of text for 2 kernels, its budget is 40960"]
    found = over(ops, groups)
    print("\n".join(found))
    if found:
        sys.exit("%d sizes: let types share code (rows of float, double, int64), or say in sizes.py why not" % len(found))


if __name__ == "__main__":
    main()
