#!/usr/bin/env python3
"""Writes unicode.hpp, what the tokenizer has to know of Unicode: unicode.py >unicode.hpp"""
import unicodedata

HEAD = """\
// Made by unicode.py of Unicode %s; do not edit.
#ifndef SAMPLES_UNICODE_HPP
#define SAMPLES_UNICODE_HPP

namespace unicode {

struct Range {
  char32_t first, last;
};
"""


def fold(c):
    """As an uncased vocabulary has it: taken apart, without accents, small."""
    return "".join(part for part in unicodedata.normalize("NFD", c) if unicodedata.category(part) != "Mn").lower()


def lines(items, width=140):
    line = ""
    for item in items:
        if line and len(line) + len(item) > width:
            yield line
            line = ""
        line += item
    yield line


def ranges(name, about, holds):
    every = [cp for cp in range(0x80, 0x110000) if holds(chr(cp))]
    firsts = [cp for cp in every if not holds(chr(cp - 1)) or cp == 0x80]
    lasts = [cp for cp in every if cp == 0x10FFFF or not holds(chr(cp + 1))]
    print(f"\n// {about}, beyond ASCII.\n// clang-format off\nconst Range {name}[] = {{")
    for line in lines(f"{{{first:#x},{last:#x}}}," for first, last in zip(firsts, lasts)):
        print("  " + line)
    print("};\n// clang-format on")


def main():
    groups = {}
    for cp in range(0x80, 0x110000):
        if 0xD800 <= cp < 0xE000 or 0xAC00 <= cp <= 0xD7A3 or unicodedata.category(chr(cp)) == "Mn":
            continue  # Hangul is taken apart by arithmetic
        if fold(chr(cp)) != chr(cp):
            groups.setdefault(fold(chr(cp)), []).append(chr(cp))
    print(HEAD % unicodedata.unidata_version)
    print("// Small and without accents: what letters become, then those that do, and a space. Without Hangul.\n// clang-format off\nconst char* const kFolds =")
    for line in lines(target + "=" + "".join(group) + " " for target, group in groups.items()):
        print(f'  "{line}"')
    print("  ;\n// clang-format on")
    ranges("kMarks", "Accents: nonspacing marks", lambda c: unicodedata.category(c) == "Mn")
    ranges("kPunctuation", "Punctuation", lambda c: unicodedata.category(c)[0] == "P")
    ranges("kControls", "Controls, formats and private characters", lambda c: unicodedata.category(c) in ("Cc", "Cf", "Co"))
    ranges("kSpaces", "Spaces", lambda c: unicodedata.category(c)[0] == "Z")
    print("\n}  // namespace unicode\n\n#endif")


if __name__ == "__main__":
    main()
