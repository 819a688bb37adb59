"""haft.cuda on four simulated GPUs: the current device, streams of other code, DLPack, recordings, memory, random numbers, cuDNN's switches."""
import ctypes
import io
import os
import pickle
import threading
import unittest
import warnings

import haft
from haft import backends, cuda
from haft.nn import functional as F


def _simulation():
    for folder in os.environ.get("HAFT_BACKEND_PATH", "").split(":"):
        path = os.path.join(folder, "libhaft_cuda.so")
        if os.path.exists(path):
            lib = ctypes.CDLL(path)
            if hasattr(lib, "haft_simulated_stream"):
                lib.haft_simulated_stream.restype = ctypes.c_void_p
                lib.haft_simulated_stream_destroy.argtypes = ctypes.c_void_p, ctypes.c_int
                lib.haft_simulated_wait.argtypes = ctypes.c_void_p, ctypes.c_int
                lib.haft_simulated_add.argtypes = ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
                return lib
    return None


class Devices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not cuda.is_available():
            raise unittest.SkipTest(cuda.why())
        cls.simulation = _simulation()
        if cls.simulation is None:
            raise unittest.SkipTest("the devices are not simulated")

    def tearDown(self):
        cuda.set_device(0)
        haft.set_default_device("cpu")

    # ---- the current device ----

    def test_the_current_device(self):
        self.assertEqual((cuda.device_count(), cuda.current_device()), (4, 0))
        cuda.set_device(1)
        self.assertEqual(cuda.current_device(), 1)
        for made in (haft.ones(2, device="cuda"), haft.ones(2).cuda(), haft.ones(2).to("cuda"), haft.ones(2).to(haft.device("cuda")), haft.nn.Linear(2, 2).cuda().weight):
            self.assertEqual((made.device, made.get_device()), (haft.device("cuda:1"), 1))
        self.assertEqual(haft.ones(2, device="cuda:0").device.index, 0)
        self.assertEqual(haft.ones(2).get_device(), -1)
        self.assertEqual(cuda.Stream().device, haft.device("cuda:1"))
        self.assertEqual(cuda.current_stream().device, haft.device("cuda:1"))
        with cuda.device(2):
            self.assertEqual(haft.ones(2, device="cuda").device.index, 2)
            with cuda.device("cuda:3"):
                self.assertEqual(cuda.current_device(), 3)
            with cuda.device(None), cuda.device(-1), cuda.device_of(haft.ones(2)):
                self.assertEqual(cuda.current_device(), 2)
            with cuda.device_of(haft.ones(2, device="cuda:0")):
                self.assertEqual(cuda.current_device(), 0)
            self.assertEqual(cuda.current_device(), 2)
        self.assertEqual(cuda.current_device(), 1)
        with self.assertRaises(RuntimeError):
            cuda.set_device(4)
        seen = []
        other = threading.Thread(target=lambda: seen.append((cuda.current_device(), haft.ones(1, device="cuda").device.index)))
        other.start()
        other.join()
        self.assertEqual(seen, [(0, 0)])  # each thread has its own
        haft.accelerator.set_device_index(2)
        self.assertEqual(haft.accelerator.current_device_index(), 2)

    def test_the_default_device_is_another_matter(self):
        haft.set_default_device("cuda:1")
        self.assertEqual((haft.ones(2).device.index, haft.ones(2, device="cuda").device.index, cuda.current_device()), (1, 0, 0))
        with haft.device("cuda:2"):
            self.assertEqual((haft.ones(2).device.index, haft.ones(2, device="cpu").cuda().device.index), (2, 0))
        self.assertEqual(haft.ones(2).device.index, 1)
        haft.set_default_device("cuda")  # goes with the current one
        cuda.set_device(3)
        self.assertEqual(haft.ones(2).device.index, 3)
        with haft.device("cuda:2"):
            cuda.set_device(1)
            self.assertEqual(haft.ones(2).device.index, 2)
        self.assertEqual(haft.ones(2).device.index, 1)

    def test_streams_bring_their_device(self):
        there = cuda.Stream(device=2)
        with cuda.stream(there):
            self.assertEqual(cuda.current_device(), 2)
            self.assertEqual(cuda.current_stream(), there)
            x = haft.ones(3, device="cuda")
        self.assertEqual(cuda.current_device(), 0)
        self.assertNotEqual(cuda.current_stream(2), there)
        there.synchronize()
        self.assertTrue(there.query())
        self.assertEqual(x.tolist(), [1, 1, 1])
        self.assertEqual(len({there, cuda.current_stream(), cuda.default_stream()}), 2)

    # ---- streams of other code ----

    def test_other_code_waits_for_haft(self):
        for stream in (self.simulation.haft_simulated_stream(0), None):  # None: CUDA's legacy default stream
            x = haft.ones(1000, device="cuda") * 2
            done = cuda.Event()
            done.record()
            cuda.ExternalStream(stream or 0).wait_event(done)
            self.simulation.haft_simulated_add(stream, 0, x.data_ptr(), 1000, 1.0)
            self.simulation.haft_simulated_wait(stream, 0)
            cuda.current_stream().wait_stream(cuda.ExternalStream(stream or 0))
            self.assertEqual(x.sum().item(), 3000)
            if stream:
                self.simulation.haft_simulated_stream_destroy(stream, 0)

    def test_haft_works_on_a_stream_of_other_code(self):
        for stream in (self.simulation.haft_simulated_stream(0), None):
            external = cuda.ExternalStream(stream or 0)
            self.assertEqual(external.cuda_stream, stream or 1)
            x = haft.zeros(512, device="cuda")
            external.wait_stream(cuda.current_stream())
            with cuda.stream(external):
                self.assertEqual(cuda.current_stream(), external)
                x.add_(1)
                self.simulation.haft_simulated_add(stream, 0, x.data_ptr(), 512, 5.0)  # in the same order, without any event
                y = (x * 2) @ haft.ones(512, device="cuda")
                y = y + x.reshape(2, 256).softmax(1).sum()
                z = haft.full((1 << 22,), 2.0, device="cuda").sum()  # memory that is mapped
            cuda.current_stream().wait_stream(external)
            self.assertAlmostEqual(y.item(), 512 * 12 + 2, places=2)
            self.assertEqual(z.item(), 1 << 23)
            del x, y, z, external
            if stream:
                self.simulation.haft_simulated_stream_destroy(stream, 0)
        with self.assertRaisesRegex(RuntimeError, "cuda:1"):
            first = self.simulation.haft_simulated_stream(0)
            cuda.ExternalStream(first, device=1)

    def test_a_stream_of_other_code_is_let_go_of_when_its_work_is_done(self):
        stream = self.simulation.haft_simulated_stream(0)
        external = cuda.ExternalStream(stream)
        cuda.set_stream(external)
        del external
        x = haft.ones(1000, device="cuda") + 1  # nobody has waited
        self.assertEqual(cuda.current_stream().cuda_stream, stream)
        cuda.set_stream(cuda.default_stream())  # the last to know it: waits
        self.simulation.haft_simulated_stream_destroy(stream, 0)
        again = haft.ones(1000, device="cuda")  # from the same memory, it may be
        del x
        self.assertEqual(again.sum().item(), 1000)

    def test_own_streams_are_told(self):
        own = cuda.Stream()
        self.assertGreater(own.cuda_stream, 2)
        self.assertEqual(cuda.ExternalStream(own.cuda_stream).cuda_stream, own.cuda_stream)
        self.assertEqual(cuda.ExternalStream(cuda.default_stream().cuda_stream), cuda.default_stream())
        self.assertEqual(cuda.get_stream_from_external(own.cuda_stream), own)
        event = own.record_event()
        self.assertGreater(event.cuda_event, 0)
        with self.assertRaisesRegex(NotImplementedError, "CUDA"):
            cuda.Stream("cpu").cuda_stream

    # ---- DLPack and the array interface ----

    def test_dlpack_orders(self):
        stream = self.simulation.haft_simulated_stream(0)
        for asked, taker in ((stream, stream), (None, None), (1, None)):
            x = haft.ones(1000, device="cuda") * 3
            capsule = x.__dlpack__(stream=asked)
            self.simulation.haft_simulated_add(taker, 0, x.data_ptr(), 1000, 1.0)
            self.simulation.haft_simulated_wait(taker, 0)
            self.assertEqual(haft.from_dlpack(capsule).sum().item(), 4000)
        x = haft.ones(3, device="cuda")
        x.__dlpack__(stream=-1), x.__dlpack__(stream=2)
        for bad, error in ((0, ValueError), ("1", TypeError)):
            with self.assertRaises(error):
                x.__dlpack__(stream=bad)
        with self.assertRaisesRegex(ValueError, "no streams"):
            haft.ones(3).__dlpack__(stream=7)
        self.simulation.haft_simulated_stream_destroy(stream, 0)

    def test_from_dlpack_waits(self):
        simulation = self.simulation

        class Theirs:
            # An array of a library that works on a stream of its own.
            def __init__(self):
                self.stream = simulation.haft_simulated_stream(0)
                self.memory = haft.zeros(1000, device="cuda")
                cuda.synchronize()
                simulation.haft_simulated_add(self.stream, 0, self.memory.data_ptr(), 1000, 7.0)

            def __dlpack_device__(self):
                return 2, 0

            def __dlpack__(self, *, stream=None, max_version=None):
                self.asked = stream
                cuda.ExternalStream(stream).wait_stream(cuda.ExternalStream(self.stream))
                return self.memory.__dlpack__(stream=-1, max_version=max_version)

        theirs = Theirs()
        x = haft.from_dlpack(theirs)
        self.assertEqual(theirs.asked, cuda.current_stream().cuda_stream)
        self.assertEqual(x.sum().item(), 7000)
        self.assertEqual(x.data_ptr(), theirs.memory.data_ptr())

    def test_the_array_interface(self):
        x = haft.arange(12, device="cuda").reshape(3, 4)
        shown = x.t().__cuda_array_interface__
        self.assertEqual((shown["shape"], shown["strides"], shown["typestr"], shown["version"]), ((4, 3), (8, 32), "<i8", 3))
        self.assertEqual((shown["data"], shown["stream"]), ((x.data_ptr(), False), cuda.current_stream().cuda_stream))
        self.assertIsNone(x.__cuda_array_interface__["strides"])
        self.assertEqual(haft.ones(2, device="cuda", dtype=haft.bool).__cuda_array_interface__["typestr"], "|b1")
        self.assertFalse(hasattr(haft.ones(2), "__cuda_array_interface__"))
        with self.assertRaises(RuntimeError):
            haft.ones(2, device="cuda").requires_grad_().__cuda_array_interface__

        stream, memory = self.simulation.haft_simulated_stream(0), haft.zeros(6, device="cuda")
        cuda.synchronize()
        self.simulation.haft_simulated_add(stream, 0, memory.data_ptr(), 6, 2.0)

        class Theirs:
            __cuda_array_interface__ = {"shape": (3, 2), "typestr": "<f4", "strides": (4, 12), "data": (memory.data_ptr(), False), "version": 3, "stream": stream}
        taken = haft.as_tensor(Theirs())
        self.assertEqual((taken.stride(), taken.tolist()), ((1, 3), [[2, 2]] * 3))
        taken.zero_()
        self.assertEqual(memory.tolist(), [0] * 6)
        self.assertEqual(haft.tensor(Theirs()).shape, (3, 2))
        with self.assertRaises(TypeError):
            Theirs.__cuda_array_interface__ = {**Theirs.__cuda_array_interface__, "typestr": "<c8"}
            haft.as_tensor(Theirs())

    # ---- indices of the host ----

    def test_indices_of_the_host(self):
        host = haft.arange(20).reshape(4, 5).float()
        x = host.cuda().requires_grad_()
        rows, mask = haft.tensor([3, 0]), haft.tensor([True, False, True, False])
        for index in (rows, mask, (rows, haft.tensor([1, 2])), (slice(None), rows), (rows.cuda(), haft.tensor([1, 2])), host > 7, (mask, 2), [0, 2]):
            at = x[index]
            self.assertEqual(at.device.type, "cuda")
            plain = tuple(i.cpu() if isinstance(i, haft.Tensor) else i for i in index) if isinstance(index, tuple) else index
            self.assertEqual(at.tolist(), host[plain].tolist())
        x[rows].sum().backward()
        self.assertEqual(x.grad.sum(1).tolist(), [5, 0, 0, 5])
        y, want = host.cuda(), host.clone()
        for put in (lambda t: t.__setitem__(rows, 7), lambda t: t.__setitem__(mask, -1.0), lambda t: t.index_put_((rows,), haft.tensor(3.0)),
                    lambda t: t.index_put_((rows, rows), haft.ones(2, device=t.device), accumulate=True)):
            put(y), put(want)
            self.assertEqual(y.tolist(), want.tolist())
        with self.assertRaises(RuntimeError):
            host[rows.cuda()]

    def test_transforms_of_images_on_a_device(self):
        from haft.vision import transforms
        picture = haft.rand(3, 8, 8)
        for make in (lambda: transforms.RandomRotation(30), lambda: transforms.RandomAffine(20, translate=(0.1, 0.1), scale=(0.8, 1.2)), lambda: transforms.GaussianBlur(3)):
            haft.manual_seed(5)
            want = make()(picture)
            haft.manual_seed(5)
            got = make()(picture.cuda())
            self.assertEqual(got.device.type, "cuda")
            self.assertLess((got.cpu() - want).abs().max().item(), 1e-5)

    # ---- memory ----

    def test_memory_is_told(self):
        cuda.empty_cache()
        cuda.reset_peak_memory_stats()
        before = cuda.memory_stats()
        x = haft.ones(1 << 20, device="cuda")
        del x
        now = cuda.memory_stats()
        self.assertEqual(now["allocated_bytes.all.peak"] - before["allocated_bytes.all.current"], 4 << 20)
        self.assertGreaterEqual(now["reserved_bytes.all.peak"], before["reserved_bytes.all.current"] + (4 << 20))
        self.assertEqual(now["reserved_bytes.all.peak"], cuda.max_memory_reserved())
        self.assertGreaterEqual(now["inactive_split_bytes.all.current"], 4 << 20)
        self.assertGreater(now["num_device_alloc"], before["num_device_alloc"])
        self.assertEqual(cuda.memory_stats_as_nested_dict()["allocation"]["all"]["allocated"], now["allocation.all.allocated"])
        segments = [s for s in cuda.memory_snapshot() if s["device"] == 0]
        self.assertEqual(sum(s["total_size"] for s in segments), cuda.memory_reserved())
        self.assertTrue(any(b["state"] == "inactive" and b["size"] >= 4 << 20 for s in segments for b in s["blocks"]))
        self.assertIn("GPU reserved memory", cuda.memory_summary())
        self.assertNotIn("Retries", cuda.memory_summary(abbreviated=True))
        cuda.empty_cache()
        cuda.reset_peak_memory_stats()
        self.assertEqual(cuda.max_memory_reserved(), cuda.memory_reserved())

    def test_memory_is_limited(self):
        total = cuda.mem_get_info(1)[1]
        self.assertEqual(cuda.get_per_process_memory_fraction(1), 1.0)
        cuda.set_per_process_memory_fraction(0.001, 1)
        try:
            self.assertAlmostEqual(cuda.get_per_process_memory_fraction(1), 0.001, places=5)
            ooms = cuda.memory_stats(1)["num_ooms"]
            with self.assertRaises(cuda.OutOfMemoryError):
                haft.ones(int(total * 0.002) // 4, device="cuda:1")
            with self.assertRaises(haft.OutOfMemoryError):
                haft.ones(int(total * 0.002) // 4, device="cuda:1")
            self.assertEqual(cuda.memory_stats(1)["num_ooms"], ooms + 2)
            for bad, error in ((2.0, ValueError), (1, TypeError)):
                with self.assertRaises(error):
                    cuda.set_per_process_memory_fraction(bad, 1)
        finally:
            haft.runtime.set_memory_limit(0, "cuda:1")

    # ---- what there is ----

    def test_facts(self):
        self.assertRegex(haft.version.cuda, r"^\d+\.\d+$")
        self.assertGreaterEqual(backends.cudnn.version(), 90000)
        self.assertTrue(backends.cudnn.is_available())
        self.assertIsInstance(cuda.can_device_access_peer(0, 1), bool)
        self.assertIs(haft.get_device_module("cuda:1"), cuda)
        self.assertIs(haft.get_device_module(), cuda)
        self.assertIs(haft.get_device_module(haft.device("cpu")), haft.cpu)

    def test_random_numbers(self):
        cuda.manual_seed(7)
        self.assertEqual(cuda.initial_seed(), 7)
        states = cuda.get_rng_state_all()
        first = haft.rand(4, device="cuda:1")
        cuda.set_rng_state_all(states)
        self.assertEqual(haft.rand(4, device="cuda:2").tolist(), first.tolist())
        cuda.set_rng_state(states[0])
        self.assertEqual(cuda.get_rng_state().tolist(), states[0].tolist())
        with self.assertRaises(RuntimeError):
            cuda.set_rng_state_all([states[0], states[0] + 1])

    def test_ranges(self):
        from haft.autograd import profiler
        self.assertEqual((cuda.nvtx.range_push("a"), cuda.nvtx.range_push("b")), (0, 1))
        self.assertEqual((cuda.nvtx.range_pop(), cuda.nvtx.range_pop()), (1, 0))
        cuda.nvtx.mark("here")
        with cuda.nvtx.range("step {}", 3), profiler.emit_nvtx():
            haft.ones(3, device="cuda") + 1
        with self.assertRaisesRegex(ValueError, "no range"):
            cuda.nvtx.range_pop()
        with self.assertRaises(NotImplementedError):
            profiler.emit_nvtx(record_shapes=True)

    def test_switches_of_cudnn(self):
        from haft.profiler import profile
        x, w = haft.rand(2, 3, 8, 8, device="cuda"), haft.rand(4, 3, 3, 3, device="cuda")

        def kernels(call):
            call()
            cuda.synchronize()
            with profile() as prof:
                call()
                cuda.synchronize()
            return [e.name for e in prof.events() if e.device]
        self.assertTrue(backends.cudnn.enabled)
        with_library = kernels(lambda: F.conv2d(x, w))
        backends.cudnn.enabled = False
        try:
            self.assertFalse(backends.cudnn.enabled)
            self.assertNotEqual(kernels(lambda: F.conv2d(x, w)), with_library)
        finally:
            backends.cudnn.enabled = True
        self.assertFalse(backends.cudnn.allow_tf32)
        with backends.cudnn.flags(enabled=True, allow_tf32=True):
            self.assertTrue(backends.cudnn.allow_tf32)
            self.assertFalse(backends.cuda.matmul.allow_tf32)
        haft.set_float32_matmul_precision("high")
        self.assertTrue(backends.cudnn.allow_tf32)
        backends.cudnn.allow_tf32 = False
        self.assertFalse(backends.cudnn.allow_tf32)
        haft.set_float32_matmul_precision("highest")
        haft._haft.set_kernel_choice(0)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            backends.cudnn.benchmark = True
            backends.cudnn.benchmark = False
        self.assertLessEqual(len(said), 1)

    def test_which_attention(self):
        from haft.nn.attention import SDPBackend, sdpa_kernel
        half = [haft.rand(1, 2, 16, 8, device="cuda", dtype=haft.float16) for _ in range(3)]
        full = [t.float() for t in half]
        want = F.scaled_dot_product_attention(*full)
        for backends_ in (SDPBackend.MATH, [SDPBackend.MATH], [SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION]):
            with sdpa_kernel(backends_):
                self.assertLess((F.scaled_dot_product_attention(*half).float() - want).abs().max().item(), 5e-3)
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION), self.assertRaisesRegex(NotImplementedError, "cuDNN does not take this call"):
            F.scaled_dot_product_attention(*full)
        F.scaled_dot_product_attention(*full)
        with self.assertRaises(RuntimeError), sdpa_kernel(SDPBackend.OVERRIDEABLE):
            pass
        with backends.cuda.sdp_kernel(enable_flash=False, enable_math=False, enable_mem_efficient=False), self.assertRaises(NotImplementedError):
            F.scaled_dot_product_attention(*full)

    # ---- files ----

    def test_tensors_come_back_to_their_device(self):
        whole = haft.arange(6, device="cuda:1").float()
        saved = {"a": whole, "same": whole.reshape(2, 3), "p": haft.nn.Parameter(haft.ones(2, device="cuda:2")), "host": haft.ones(1)}
        file = io.BytesIO()
        haft.save(saved, file)

        def load(**options):
            file.seek(0)
            return haft.load(file, **options)
        back = load()
        self.assertEqual([str(back[k].device) for k in saved], ["cuda:1", "cuda:1", "cuda:2", "cpu"])
        back["same"][0].zero_()
        self.assertEqual(back["a"].tolist(), [0, 0, 0, 3, 4, 5])  # one memory, as before
        self.assertEqual({str(t.device) for t in load(map_location="cpu").values()}, {"cpu"})
        moved = load(map_location={"cuda:1": "cuda:3"})
        self.assertEqual([str(moved[k].device) for k in saved], ["cuda:3", "cuda:3", "cuda:2", "cpu"])
        seen = load(map_location=lambda t, location: t.to("cuda:0") if location == "cuda:1" else None)
        self.assertEqual([str(seen[k].device) for k in saved], ["cuda:0", "cuda:0", "cuda:2", "cpu"])
        again = pickle.loads(pickle.dumps(saved["a"]))
        self.assertEqual((str(again.device), again.tolist()), ("cuda:1", saved["a"].tolist()))

    # ---- recordings ----

    def _net(self):
        haft.manual_seed(3)
        return haft.nn.Sequential(haft.nn.Linear(4, 8), haft.nn.Tanh(), haft.nn.Linear(8, 2)).cuda()

    def test_recordings_share_memory(self):
        x = haft.ones(1 << 16, device="cuda")

        def work(t):
            return ((t + 1) * 2).sum()
        work(x)
        pool, graphs, sums = cuda.graph_pool_handle(), [cuda.CUDAGraph() for _ in range(3)], []
        for g in graphs[:2]:
            with cuda.graph(g, pool=pool):
                sums.append(work(x))
        with cuda.graph(graphs[2], pool=graphs[0].pool()):
            sums.append(work(x))
            self.assertTrue(cuda.is_current_stream_capturing())
        self.assertFalse(cuda.is_current_stream_capturing())
        x.fill_(2)
        for g in graphs:
            g.replay()
        self.assertEqual([s.item() for s in sums], [6 << 16] * 3)
        self.assertNotEqual(len({s.data_ptr() for s in sums}), 1)
        for options in ({"keep_graph": True}, ):
            with self.assertRaises(NotImplementedError):
                cuda.CUDAGraph(**options)
        with self.assertRaises(NotImplementedError):
            cuda.graph(cuda.CUDAGraph(), capture_error_mode="relaxed")
        with self.assertRaises(TypeError):
            cuda.CUDAGraph().capture_begin(pool=(0, 1))

    def test_refusals_name_the_operator(self):
        x = haft.ones(3, device="cuda")
        x.nonzero()
        for call, name in ((lambda: x.nonzero(), "nonzero"), (lambda: x[x > 0], "nonzero"), (lambda: haft.masked_select(x, x > 0), "masked_select"), (lambda: x.cpu(), r"\[to\]"),
                           (lambda: x.sum().item(), "copy of 4 bytes")):
            with self.assertRaisesRegex(NotImplementedError, name):
                with cuda.graph(cuda.CUDAGraph()):
                    call()
        self.assertEqual(x.sum().item(), 3)

    def test_optimizers_of_whole_parameters_are_recorded(self):
        for kind in (haft.optim.LAMB, haft.optim.Muon, haft.optim.Adafactor):
            nets = [self._net(), self._net()]
            optimizers = [kind([p for p in net.parameters() if p.ndim == 2], lr=0.05) for net in nets]
            x, y = haft.rand(16, 4, device="cuda"), haft.rand(16, 2, device="cuda")

            def step(net, optimizer):
                net.zero_grad()
                F.mse_loss(net(x), y).backward()
                optimizer.step()
            for net, optimizer in zip(nets, optimizers):
                step(net, optimizer)
            g = cuda.CUDAGraph()
            nets[1].zero_grad()
            with cuda.graph(g):
                step(nets[1], optimizers[1])
            for rate in (0.05, 0.02, 0.01):
                for optimizer in optimizers:
                    optimizer.param_groups[0]["lr"] = rate
                step(nets[0], optimizers[0])
                g.replay()
            for a, b in zip(nets[0].parameters(), nets[1].parameters()):
                self.assertLess((a - b).abs().max().item(), 1e-5, kind.__name__)

    def test_graphed_callables(self):
        nets = [self._net(), self._net()]
        sample = haft.rand(5, 4, device="cuda").requires_grad_()
        graphed = cuda.make_graphed_callables(nets[1], (sample,))
        self.assertIs(graphed, nets[1])
        for _ in range(2):
            x = haft.rand(5, 4, device="cuda")
            inputs = [x.clone().requires_grad_(), x.clone().requires_grad_()]
            results = [net(t) for net, t in zip(nets, inputs)]
            self.assertLess((results[0] - results[1]).abs().max().item(), 1e-6)
            for net, result in zip(nets, results):
                net.zero_grad()
                (result * 3).sum().backward()
            for a, b in zip([*nets[0].parameters(), inputs[0]], [*nets[1].parameters(), inputs[1]]):
                self.assertLess((a.grad - b.grad).abs().max().item(), 1e-5)
        double, shift = cuda.make_graphed_callables((lambda t: t * 2, lambda t: t + 1), ((sample,), (sample,)))
        self.assertLess((shift(double(x)) - (x * 2 + 1)).abs().max().item(), 1e-6)
        nets[1].eval()
        self.assertEqual(nets[1](x[:2]).shape, (2, 2))  # another mode runs as ever


if __name__ == "__main__":
    unittest.main()
