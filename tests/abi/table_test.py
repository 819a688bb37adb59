#!/usr/bin/env python3
"""The functions of every release are the first ones of today's table, with the parameters that they had: a program compiled with old headers
calls them through its own struct haft_api. libabigail does not compare the functions behind the pointers of a table that has grown.

usage: table_test.py CAPI"""
import glob
import os
import re
import sys
import tarfile
import unittest

CAPI = sys.argv[1]


def members(text):
    """The members of struct haft_api as declared, without comments and layout."""
    body = re.search(r"typedef struct haft_api \{(.*?)\n\} haft_api;", text, re.S).group(1)
    declarations = re.sub(r"/\*.*?\*/", "", body, flags=re.S).split(";")
    return [" ".join(d.split()) for d in declarations if d.strip()]


class Table(unittest.TestCase):
    def test_only_grows(self):
        with open(os.path.join(CAPI, "include/haft/api_table.h")) as f:
            now = members(f.read())
        archives = glob.glob(os.path.join(CAPI, "abi/headers-*.tar.xz"))
        self.assertTrue(archives)
        for archive in archives:
            with tarfile.open(archive) as tar:
                then = members(tar.extractfile("haft/api_table.h").read().decode())
            self.assertGreater(len(then), 500)
            self.assertEqual(then, now[:len(then)], archive)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
