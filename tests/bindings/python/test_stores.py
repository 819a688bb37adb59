"""haft.distributed's stores: PyTorch's names and answers, through threads and processes."""
import datetime
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import haft.distributed as dist
import leaks

setUpModule, tearDownModule = leaks.guard()

SHORT = datetime.timedelta(milliseconds=20)


class StoreTests(unittest.TestCase):
    def check_contract(self, store, other):
        thread = threading.Thread(target=lambda: store.set("late", b"a\0\xff"))
        thread.start()
        self.assertEqual(other.get("late"), b"a\0\xff")
        thread.join()
        store.set("text", "\u00e4")
        self.assertEqual(other.get("text"), "\u00e4".encode())
        self.assertEqual((store.add("n", 3), other.add("n", -5), store.get("n")), (3, -2, b"-2"))
        self.assertEqual(store.compare_set("c", "", "one"), b"one")
        self.assertEqual(other.compare_set("c", "two", "three"), b"one")
        self.assertEqual(other.compare_set("c", b"one", b"three"), b"three")
        self.assertEqual(other.compare_set("absent", "expected", "x"), b"expected")
        store.set("none", "")
        self.assertEqual(other.compare_set("none", "expected", "x"), b"")
        self.assertTrue(store.check(["c", "n"]))
        self.assertFalse(store.check(["c", "absent"]))
        self.assertEqual((store.delete_key("c"), store.delete_key("c")), (True, False))
        store.lease("alive", "yes", 1000)
        other.wait(["alive", "n"], datetime.timedelta(minutes=10))
        other.set_timeout(SHORT)
        self.assertEqual(other.timeout, SHORT)
        with self.assertRaisesRegex(dist.DistStoreError, "waited 0.02 s for key '.*never'"):
            other.get("never")
        with self.assertRaisesRegex(TimeoutError, "never"):
            other.wait(["n", "never"])
        with self.assertRaises(RuntimeError):
            other.wait(["never"], SHORT)
        self.assertRaises(ValueError, store.set, "", "value")
        self.assertRaises(TypeError, store.set, "key", 3)
        self.assertRaises(TypeError, store.check, [3])

    def test_hash_and_prefix(self):
        store = dist.HashStore()
        self.check_contract(store, store)
        mine = dist.PrefixStore("mine", dist.HashStore())
        self.check_contract(mine, mine)
        mine.underlying_store.set("mine/x", "1")
        self.assertEqual(mine.get("x"), b"1")

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a store")
            self.check_contract(dist.FileStore(path, 2), dist.FileStore(path, 2))
        with tempfile.NamedTemporaryFile() as file:  # as PyTorch's listings do it
            store = dist.FileStore(file.name, 1)
            store.set("k", "v")
            self.assertEqual(dist.FileStore(file.name, 1).get("k"), b"v")
            shutil.rmtree(store.path)

    def test_tcp(self):
        server = dist.TCPStore("127.0.0.1", 0, is_master=True)
        self.assertGreater(server.port, 0)
        self.check_contract(server, dist.TCPStore("127.0.0.1", server.port))
        self.assertRaises(ValueError, dist.TCPStore, "127.0.0.1", server.port, master_listen_fd=3)

    def test_processes_meet(self):
        with tempfile.TemporaryDirectory() as folder:
            script = ("import haft.distributed as dist\n"
                      "store, rank, world = next(dist.rendezvous('file://%s'))\n"
                      "store.add('sum', rank)\n"
                      "if store.add('done', 1) == world: store.set('all', '1')\n"
                      "store.wait(['all'])\n"
                      "print(rank, world, store.get('sum').decode())\n" % folder)
            runs = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                                     env=dict(os.environ, RANK=str(r), WORLD_SIZE="3")) for r in range(3)]
            self.assertEqual([run.communicate()[0].strip() for run in runs], ["%d 3 3" % r for r in range(3)])

    def test_who_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(dist.DistStoreError, "1/2 joined, missing rank 0, waited 0.02 s"):
                next(dist.rendezvous("file://" + folder, 1, 2, SHORT))
        with self.assertRaisesRegex(ValueError, "no kind of store"):
            next(dist.rendezvous("ftp://somewhere", 0, 1))


if __name__ == "__main__":
    unittest.main()
