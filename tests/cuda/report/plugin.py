"""What the CUDA compiler made of the plug-in, read out of libhaft_cuda.so itself: for each .cu file the machine code of sm_90 (an ELF with
registers, stack and shared memory of each kernel) and its PTX. No tool of NVIDIA's is needed, and nothing is compiled again, but for
other architectures: theirs is what ptxas makes of the PTX, as the driver does there."""
import concurrent.futures
import ctypes
import os
import re
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field

FATBIN = 0xBA55ED50
PTX, CUBIN = 1, 2
ZSTD = 0x8000
REGISTERS, FRAME, LAUNCH_THREADS = 0x2F, 0x11, 0x05  # attributes of .nv.info


class NotThere(Exception):
    pass


def sections(data):
    """Name, header and content of an ELF's sections; the header as (name, type, flags, address, offset, size, link, info, ...)."""
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + size * i) for i in range(count)]
    text = data[headers[names][4]:headers[names][4] + headers[names][5]]
    return [(text[h[0]:text.index(b"\0", h[0])].decode(), h, b"" if h[1] == 8 else data[h[4]:h[4] + h[5]]) for h in headers]


def inflate(payload, size):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t
    out = ctypes.create_string_buffer(size)
    if zstd.ZSTD_decompress(out, size, payload, len(payload)) != size:
        raise NotThere("the plug-in's code does not inflate")
    return out.raw[:size]


def units(path):
    """(kind, architecture, content) of everything in .nv_fatbin."""
    with open(path, "rb") as file:
        data = file.read()
    found = [content for name, _, content in sections(data) if name == ".nv_fatbin"]
    if not found:
        raise NotThere(f"{path} has no section .nv_fatbin")
    blob, at = found[0], 0
    while at + 16 <= len(blob):
        magic, _, header, size = struct.unpack_from("<IHHQ", blob, at)
        if magic != FATBIN:
            at += 8
            continue
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, head, length, packed, _, _, _, arch, _, _, flags, _, plain = struct.unpack_from("<HHIQIIHHIIIQQQ", blob, entry)
            content = blob[entry + head:entry + head + length]
            if flags & ZSTD:
                content = inflate(content[:packed or length], plain)
            yield kind, arch, content
            entry += head + length
        at = end


@dataclass
class Kernel:
    name: str
    file: str = ""
    registers: int = 0
    stack: int = 0  # bytes of local memory: spilled registers and arrays that no register holds
    shared: int = 0
    threads: int = 0  # a block has at most, where the kernel says so
    ptx: str = field(default="", repr=False)


FILE = re.compile(r"_GLOBAL__N__[0-9a-f]+_\d+_(\w+?)_cu_[0-9a-f]+")


def file_of(names):
    for name in names:
        if found := FILE.search(name):
            return found.group(1)
    return "?"


def attributes(info):
    """(attribute, value): a number of 16 bits, or the bytes."""
    at = 0
    while at + 4 <= len(info):
        form, what, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == 4:
            yield what, info[at:at + size]
            at += size
        else:
            yield what, size


def kernels_of_cubin(data):
    parts = sections(data)
    by_name = {name: (header, content) for name, header, content in parts}
    symbols, strings = by_name[".symtab"][1], by_name[".strtab"][1]
    names = []
    for i in range(len(symbols) // 24):
        name, = struct.unpack_from("<I", symbols, 24 * i)
        names.append(strings[name:strings.index(b"\0", name)].decode())
    kernels = {name[6:]: Kernel(name[6:]) for name in by_name if name.startswith(".text.")}
    for what, value in attributes(by_name[".nv.info"][1]):
        if what in (REGISTERS, FRAME):
            symbol, number = struct.unpack_from("<II", value)
            if kernel := kernels.get(names[symbol]):
                setattr(kernel, "registers" if what == REGISTERS else "stack", number)
    for kernel in kernels.values():
        kernel.shared = by_name[".nv.shared." + kernel.name][0][5] if ".nv.shared." + kernel.name in by_name else 0
        for what, value in attributes(by_name[".nv.info." + kernel.name][1]):
            if what == LAUNCH_THREADS:
                kernel.threads = struct.unpack_from("<I", value)[0]
    file = file_of(kernels)
    for kernel in kernels.values():
        kernel.file = file
    return list(kernels.values())


def operators():
    """Names of operators by number: their order in ops.def."""
    with open(os.path.join(os.path.dirname(__file__), "../../../core/schema/ops.def")) as file:
        return re.findall(r"^(?:POINTWISE|VIEW|GENERAL|COMPOSITE)\((\w+)", file.read(), re.M)


def assembled(ptx, arch):
    """The machine code of PTX for another architecture than the plug-in has code for."""
    ptxas = shutil.which("ptxas", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    if not ptxas:
        raise NotThere("there is no ptxas")
    with tempfile.TemporaryDirectory() as work:
        source, out = os.path.join(work, "unit.ptx"), os.path.join(work, "unit.cubin")
        with open(source, "wb") as file:
            file.write(ptx.rstrip(b"\0"))
        done = subprocess.run([ptxas, f"-arch=sm_{arch}", "-o", out, source], capture_output=True, text=True)
        if done.returncode:
            raise NotThere(f"ptxas: {done.stderr.strip()[:1000]}")
        with open(out, "rb") as file:
            return file.read()


def kernels(path, arch=90, files=()):
    """All kernels of the plug-in for an architecture, or those of some files, with their PTX, and with names as a person reads them."""
    found, text, wanted = [], {}, [(kind, of, content) for kind, of, content in units(path)
                                   if not files or file_of([content.decode("latin-1")]) in files]
    if arch != 90:
        texts = [content for kind, _, content in wanted if kind == PTX]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wanted += [(CUBIN, arch, code) for code in pool.map(lambda ptx: assembled(ptx, arch), texts)]
    for kind, of, content in wanted:
        if kind == CUBIN and of == arch:
            found += kernels_of_cubin(content)
        elif kind == PTX:
            for part in re.split(r"(?=^\.(?:visible |weak )?\.?entry )", content.rstrip(b"\0").decode(), flags=re.M)[1:]:
                text[re.match(r"\.?(?:visible |weak )?\.?entry (\S+?)\(", part).group(1)] = part
    plain = subprocess.run(["c++filt"], input="\n".join(k.name for k in found), capture_output=True, text=True, check=True).stdout.split("\n")
    ops = operators()
    for kernel, name in zip(found, plain):
        kernel.ptx = text.get(kernel.name, "")
        name = re.sub(r"\(haft::OpId\)(\d+)", lambda m: ops[int(m.group(1))], name)
        kernel.name = name.replace("haft::cuda::", "").replace("(anonymous namespace)::", "")
    return found
