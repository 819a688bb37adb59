"""What tools/packages reads and writes in a shared library: the versions of its symbols and of those that it asks for."""
import struct

DYNAMIC, DYNSYM, VERDEF, VERNEED, VERSYM = 6, 11, 0x6ffffffd, 0x6ffffffe, 0x6fffffff


def elf_hash(name):
    """The System V hash of a version's name, which stands beside it."""
    h = 0
    for c in name:
        h = (h << 4) + c
        h = (h ^ (h & 0xf0000000) >> 24) & 0x0fffffff
    return h


class Versions:
    """The versions of a library's symbols (ELF, 64 bits, little-endian)."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            self.data = bytearray(f.read())
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise SystemExit("%s is no ELF file of 64 bits" % path)
        start, = struct.unpack_from("<Q", self.data, 0x28)
        size, count = struct.unpack_from("<HH", self.data, 0x3A)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, start + i * size) for i in range(count)]

    def _section(self, kind):
        """Offset, size and offset of the texts of the first section of this kind; size 0 without one."""
        for section in self.sections:
            if section[1] == kind:
                return section[4], section[5], self.sections[section[6]][4]
        return 0, 0, 0

    def _text(self, offset):
        return bytes(self.data[offset:self.data.index(0, offset)]).decode()

    def _set(self, text, hash_at, name):
        if len(name) != len(self._text(text)):
            raise ValueError("%s and %s differ in length" % (self._text(text), name))
        self.data[text:text + len(name)] = name.encode()
        struct.pack_into("<I", self.data, hash_at, elf_hash(name.encode()))

    def _needed(self):
        """{number of a version: symbols that are asked for by it}"""
        symbols = {}
        offset, size, texts = self._section(DYNSYM)
        versions, versioned, _ = self._section(VERSYM)
        for i in range(size // 24 if versioned else 0):
            name, _, _, defined = struct.unpack_from("<IBBH", self.data, offset + 24 * i)
            index, = struct.unpack_from("<H", self.data, versions + 2 * i)
            if not defined:
                symbols.setdefault(index, []).append(self._text(texts + name))
        return symbols

    def rename_needs(self, libraries, name):
        """What is asked of `libraries` is asked for by name(version), of the same length; returns {new version: symbols}."""
        out, symbols = {}, self._needed()
        at, more, texts = self._section(VERNEED)
        while more:
            _, _, library, first, more = struct.unpack_from("<HHIII", self.data, at)
            entry, others = at + first, self._text(texts + library) in libraries
            while others:
                _, _, index, text, others = struct.unpack_from("<IHHII", self.data, entry)
                new = name(self._text(texts + text))
                self._set(texts + text, entry, new)
                out.setdefault(new, set()).update(symbols.get(index, ()))
                entry += others
            at += more
        return out

    def rename_definitions(self, name):
        """The versions that the library has become name(version), of the same length."""
        at, more, texts = self._section(VERDEF)
        while more:
            _, base, _, _, _, first, more = struct.unpack_from("<HHHHIII", self.data, at)
            text = texts + struct.unpack_from("<I", self.data, at + first)[0]
            if not base & 1:  # the first one is the file's name
                self._set(text, at + 8, name(self._text(text)))
            at += more

    def prefer_own(self):
        """As if linked with -Bsymbolic: what the library has itself, another one loaded earlier does not answer for."""
        offset, size, _ = self._section(DYNAMIC)
        for at in range(offset, offset + size, 16):
            tag, value = struct.unpack_from("<QQ", self.data, at)
            if tag == 30:  # DT_FLAGS
                struct.pack_into("<Q", self.data, at + 8, value | 2)  # DF_SYMBOLIC

    def write(self):
        with open(self.path, "r+b") as f:
            f.write(self.data)
