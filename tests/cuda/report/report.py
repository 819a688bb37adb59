"""Holds the plug-in's kernels to budgets (budgets.txt) by what the compiler made of them: registers and so occupancy, local memory,
shared memory, and whether dense memory is read and written by vectors.

    report.py PLUGIN [--table]                 --table: what each file has
    report.py PLUGIN --arch 80 [FILE ...]      what ptxas makes of the PTX for another architecture: local memory alone is held
"""
import os
import re
import sys

import plugin

BUDGETS = os.path.join(os.path.dirname(__file__), "budgets.txt")
SIZE = {"bool": 1, "unsigned char": 1, "unsigned short": 2, "haft::fn::half": 2, "haft::fn::bfloat16": 2, "int": 4, "unsigned int": 4, "float": 4,
        "long": 8, "unsigned long": 8, "double": 8}
ACCESS = re.compile(r"\b(ld|st)\.global(?:\.\w+)*?(?:\.v(\d))?\.[busf](\d+)\b")
# Kernels of dense memory, whose template says how many elements they take at once; and what of it is written otherwise.
VECTORS = [re.compile(p) for p in (r"void (?P<name>vectors)<\w+, (?P<type>[\w:]+), (?P<n>\d+)>",
                                   r"void (?P<name>softmax_rows|softmax_backward_rows|norm_rows|norm_backward_rows|norm_long)<(?P<type>[\w:]+), (?P<n>\d+)",
                                   r"void (?P<name>apply_channels)<(?P<type>[\w:]+), (?P<n>\d+)", r"void (?P<name>move_elements)<(?P<type>[\w: ]+), (?P<n>\d+)>",
                                   r"void (?P<name>step_lists)<(?P<type>[\w:]+),")]
REGISTERS, THREADS, SHARED, BLOCKS = 65536, 2048, 233472, 32  # of a multiprocessor of compute capability 9.0; shared memory in bytes


def occupancy(kernel):
    """Share of a multiprocessor's threads, in percent, that can be at work at once; without what a launch adds of shared memory."""
    threads = kernel.threads or 256
    warps = -(-threads // 32)
    blocks = min(THREADS // threads, BLOCKS, REGISTERS // (-(-kernel.registers // 8) * 8 * 32 * warps) if kernel.registers else BLOCKS)
    if kernel.shared:
        blocks = min(blocks, SHARED // (kernel.shared + 1024))
    return 100 * blocks * threads // THREADS


def usual(kernels):
    """Half of the kernels have this or more."""
    return sorted(map(occupancy, kernels))[len(kernels) // 2]


def family(kernel):
    if kernel.file != "?":
        return kernel.file
    return "cub" if "cub::" in kernel.name else "pointwise"


def budgets(path):
    """Of each file: the least and the usual occupancy; of kernels that may use local memory: a pattern, bytes and the reason."""
    least, local = {}, []
    for number, line in enumerate(open(path), 1):
        words = line.split("#", 1)[0].split(None, 3)
        if not words:
            continue
        if words[0] == "occupancy" and len(words) == 4:
            least[words[1]] = int(words[2]), int(words[3])
        elif words[0] == "local" and len(words) == 4:
            local.append([re.compile(words[2]), int(words[1]), words[3].strip(), False])
        else:
            raise SystemExit(f"{path}:{number}: {line.rstrip()}: wanted 'occupancy FILE LEAST USUAL' or 'local BYTES PATTERN REASON'")
    return least, local


def widest(kernel):
    """Bytes of the widest access to global memory that reads, and that writes; 0 where there is none."""
    read = written = 0
    for what, lanes, bits in ACCESS.findall(kernel.ptx):
        size = int(lanes or 1) * int(bits) // 8
        if what == "ld":
            read = max(read, size)
        else:
            written = max(written, size)
    return read, written


def scalar_trouble(kernel):
    found = next((m for m in (p.match(kernel.name) for p in VECTORS) if m), None)
    if not found or not kernel.ptx:
        return None
    parts = found.groupdict()
    n, size = int(parts.get("n") or 0), SIZE.get(parts["type"], 0)
    if parts["name"] == "step_lists":
        n = 16 // size
    if n < 2:
        return None  # the way for what is not aligned
    whole = min(16, n * size)
    read, written = widest(kernel)
    results = {whole, n} if parts["name"] == "vectors" else {whole}  # comparisons write a byte an element
    if read and read < whole:
        return f"reads {read} bytes at once, {whole} lie together"
    if written not in results and written < whole:
        return f"writes {written} bytes at once, {whole} lie together"
    return None


def local_trouble(kernel, local):
    """Whether it uses more local memory than it may, and marks the line of the budget that allows it."""
    if not kernel.stack:
        return None
    allowed = next((entry for entry in local if entry[0].search(kernel.name)), None)
    if allowed:
        allowed[3] = True
        if kernel.stack <= allowed[1]:
            return None
    return (f"{kernel.stack} bytes of local memory (spilled registers, or arrays that no register holds), "
            f"{allowed[1] if allowed else 0} are allowed")


def other(arch, files):
    """Another architecture: what its kernels spill."""
    kernels = plugin.kernels(sys.argv[1], arch, files)
    _, local = budgets(BUDGETS)
    wrong = [f"{family(k)}: {k.name[:160]}: {trouble}" for k in kernels if (trouble := local_trouble(k, local))]
    for line in wrong:
        print(line)
    print(f"sm_{arch}: {len(kernels)} kernels, {sum(k.stack > 0 for k in kernels)} with local memory, {len(wrong)} troubles")
    sys.exit(bool(wrong) or not kernels)


def main():
    try:
        if "--arch" in sys.argv:
            at = sys.argv.index("--arch")
            other(int(sys.argv[at + 1]), sys.argv[at + 2:])
        kernels = plugin.kernels(sys.argv[1])
    except plugin.NotThere as why:
        raise SystemExit(str(why))
    if not kernels:
        print("the plug-in has no code for compute capability 9.0: nothing to hold")
        return
    files = {}
    for kernel in kernels:
        files.setdefault(family(kernel), []).append(kernel)
    if "--table" in sys.argv:
        print("| file | kernels | registers, most | occupancy, least | usual | with local memory | shared memory, most |\n|---|---|---|---|---|---|---|")
        for name, of in sorted(files.items()):
            print(f"| {name} | {len(of)} | {max(k.registers for k in of)} | {min(map(occupancy, of))} % | {usual(of)} % | {sum(k.stack > 0 for k in of) or '-'} | "
                  f"{max(k.shared for k in of) or '-'} |")
        return
    least, local = budgets(BUDGETS)
    wrong, vectors = [], 0
    for kernel in kernels:
        where = f"{family(kernel)}: {kernel.name[:160]}"
        wanted = least.get(family(kernel), least["*"])[0]
        if occupancy(kernel) < wanted:
            wrong.append(f"{where}: {kernel.registers} registers, {kernel.shared} bytes of shared memory and blocks of {kernel.threads or 256} "
                         f"leave {occupancy(kernel)} % of the threads, the budget is {wanted} %")
        if trouble := local_trouble(kernel, local):
            wrong.append(f"{where}: {trouble}")
        vectors += any(p.match(kernel.name) for p in VECTORS)
        if trouble := scalar_trouble(kernel):
            wrong.append(f"{where}: {trouble}")
    for name, of in files.items():
        if usual(of) < least.get(name, least["*"])[1]:
            wrong.append(f"{name}: half of the kernels have {usual(of)} % of the threads or less, the budget is {least.get(name, least['*'])[1]} %")
    wrong += [f"budgets.txt: no file {name} is left" for name in least if name != "*" and name not in files]
    wrong += [f"budgets.txt: no kernel needs 'local {size} {pattern.pattern}' any more" for pattern, size, _, used in local if not used]
    if vectors < 500:
        wrong.append(f"only {vectors} kernels are recognised as such of vectors: their names have changed, and report.py does not know them")
    for line in wrong:
        print(line)
    print(f"{len(kernels)} kernels of {len(files)} files, {vectors} of them of vectors, {len(wrong)} troubles")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
