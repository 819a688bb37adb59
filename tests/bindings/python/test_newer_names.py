"""Names of modules, optimizers, gradients and of whole modules that PyTorch has gained, and what they refuse."""
import collections
import copy
import importlib
import io
import sys
import unittest
from unittest import mock

import haft
import leaks
from haft import nn

setUpModule, tearDownModule = leaks.guard()


class Modules(unittest.TestCase):
    def test_set_submodule(self):
        net = nn.Sequential(collections.OrderedDict(a=nn.Sequential(nn.Linear(2, 3)), b=nn.ReLU()))
        net.set_submodule("a.0", nn.Linear(2, 4), strict=True)
        net.set_submodule("a.1", nn.Identity())
        net.compile(mode="max-autotune")
        self.assertEqual(net(haft.ones(1, 2)).shape, (1, 4))
        for error, call in ((ValueError, lambda: net.set_submodule("", nn.ReLU())), (ValueError, lambda: net.set_submodule("a.0", 3)),
                            (AttributeError, lambda: net.set_submodule("c.0", nn.ReLU())), (AttributeError, lambda: net.set_submodule("a.9", nn.ReLU(), strict=True))):
            self.assertRaises(error, call)

    def test_backward_pre_hooks(self):
        net, told = nn.Linear(2, 3, bias=False), []
        first = net.register_full_backward_pre_hook(lambda m, grads: told.append(grads) or (grads[0] * 2,))
        second = net.register_full_backward_pre_hook(lambda m, grads: told.append("first"), prepend=True)
        behind = net.register_full_backward_hook(lambda m, given, grads: told.append(grads[0].tolist()))
        x = haft.ones(1, 2, requires_grad=True)
        net(x).sum().backward()
        self.assertEqual(told, ["first", mock.ANY, [[2.0] * 3]])
        self.assertEqual(told[1][0].tolist(), [[1.0] * 3])
        self.assertTrue(haft.equal(x.grad, net.weight.sum(0, keepdim=True) * 2))
        for handle in (first, second, behind):
            handle.remove()
        wrong = net.register_full_backward_pre_hook(lambda m, grads: (None, None))
        with self.assertRaisesRegex(RuntimeError, "invalid number of grad_output, got 2, but expected 1"):
            net(x).sum().backward()
        wrong.remove()
        everywhere = nn.modules.module.register_module_full_backward_pre_hook(lambda m, grads: told.append(type(m)))
        net(x).sum().backward()
        everywhere.remove()
        self.assertIs(told[-1], nn.Linear)

    def test_state_hooks(self):
        net, told = nn.Sequential(nn.Linear(1, 1)), []
        net[0].register_state_dict_pre_hook(lambda m, prefix, keep: told.append((prefix, keep)))
        net.register_state_dict_post_hook(lambda m, state, prefix, metadata: state.update(more=1))
        state = net.state_dict()
        self.assertEqual((told, list(state)), ([("0.", False)], ["0.weight", "0.bias", "more"]))
        net.register_load_state_dict_pre_hook(lambda m, state, *rest: state.pop("more") and None)
        net.load_state_dict(state)
        net.register_state_dict_post_hook(lambda *args: 1)
        self.assertRaisesRegex(RuntimeError, "must return None", net.state_dict)

    def test_buffers(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.kept, self.passing = nn.Buffer(haft.ones(2)), nn.Buffer(haft.zeros(2), persistent=False)
        net = copy.deepcopy(Net())
        self.assertEqual([name for name, _ in net.named_buffers()], ["kept", "passing"])
        self.assertEqual(list(net.state_dict()), ["kept"])
        self.assertEqual(list(net.parameters()), [])
        self.assertIsInstance(nn.UninitializedParameter(), nn.Parameter)


class Utils(unittest.TestCase):
    def test_norms(self):
        a, b = nn.Parameter(haft.ones(3)), nn.Parameter(haft.ones(4, dtype=haft.float64))
        a.grad, b.grad = haft.full((3,), 3.0), haft.full((4,), 4.0, dtype=haft.float64)
        total = nn.utils.get_total_norm([a.grad, b.grad])
        self.assertAlmostEqual(total.item(), 91 ** 0.5, places=5)
        self.assertEqual(nn.utils.get_total_norm([a.grad, b.grad], float("inf")).item(), 4)
        self.assertEqual(nn.utils.get_total_norm([]).item(), 0)
        nn.utils.clip_grads_with_norm_([a, b], 1.0, total)
        self.assertAlmostEqual(nn.utils.get_total_norm([a.grad, b.grad]).item(), 1, places=5)
        nn.utils.clip_grads_with_norm_([a, b], 5.0, haft.tensor(1.0))  # does not make them larger
        self.assertAlmostEqual(nn.utils.get_total_norm([a.grad, b.grad]).item(), 1, places=5)
        with self.assertRaisesRegex(RuntimeError, "non-finite"):
            nn.utils.get_total_norm([haft.tensor(float("nan"))], error_if_nonfinite=True)

    def test_fusion(self):
        for layer, norm, x, fuse in ((nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), haft.randn(2, 3, 6, 6), nn.utils.fuse_conv_bn_eval),
                                     (nn.ConvTranspose2d(3, 4, 3), nn.BatchNorm2d(4, affine=False), haft.randn(2, 3, 6, 6),
                                      lambda a, b: nn.utils.fuse_conv_bn_eval(a, b, transpose=True)),
                                     (nn.Linear(3, 4), nn.BatchNorm1d(4), haft.randn(5, 3), nn.utils.fuse_linear_bn_eval)):
            with self.assertRaisesRegex(AssertionError, "only for eval"):
                fuse(layer, norm)
            norm.running_mean.normal_(), norm.running_var.uniform_(0.5, 2)
            if norm.affine:
                nn.init.normal_(norm.weight), nn.init.normal_(norm.bias)
            haft.testing.assert_close(fuse(layer.eval(), norm.eval())(x), norm(layer(x)), rtol=1e-4, atol=1e-4)

    def test_how_modules_begin(self):
        haft.manual_seed(3)
        nn.utils.skip_init(nn.Linear, 3, 4)
        drawn = haft.rand(1)
        haft.manual_seed(3)
        self.assertEqual(drawn.item(), haft.rand(1).item())
        net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Conv3d(3, 4, 3))
        nn.utils.convert_conv2d_weight_memory_format(net, haft.channels_last)
        nn.utils.convert_conv3d_weight_memory_format(net, haft.channels_last_3d)
        self.assertTrue(net[0].weight.is_contiguous(memory_format=haft.channels_last))
        self.assertTrue(net[1].weight.is_contiguous(memory_format=haft.channels_last_3d))
        self.assertEqual(nn.utils.stateless.functional_call(nn.Linear(1, 1), {"weight": haft.ones(1, 1), "bias": haft.ones(1)}, (haft.ones(1),)).item(), 2)
        self.assertTrue(haft.utils.data.DataLoader([1], in_order=False).in_order is False)

    def test_gradients_of_convolutions(self):
        x, w = haft.randn(2, 4, 6, 6, requires_grad=True), haft.randn(6, 2, 3, 3, requires_grad=True)
        y = nn.functional.conv2d(x, w, None, 2, 1, 1, 2)
        g = haft.randn_like(y)
        y.backward(g)
        haft.testing.assert_close(nn.grad.conv2d_input(x.shape, w, g, 2, 1, 1, 2), x.grad)
        haft.testing.assert_close(nn.grad.conv2d_weight(x, w.shape, g, 2, 1, 1, 2), w.grad)


class Optimizers(unittest.TestCase):
    # The keys of groups in PyTorch 2.15.
    KEYS = {"SGD": "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused",
            "Adam": "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused decoupled_weight_decay",
            "AdamW": "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused decoupled_weight_decay",
            "Adagrad": "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused",
            "Adadelta": "lr rho eps weight_decay maximize capturable foreach differentiable", "Adamax": "lr betas eps weight_decay foreach maximize differentiable capturable",
            "ASGD": "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable",
            "NAdam": "lr betas eps weight_decay momentum_decay maximize foreach capturable differentiable",
            "RAdam": "lr betas eps weight_decay maximize foreach capturable differentiable",
            "RMSprop": "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable",
            "Rprop": "lr etas step_sizes foreach maximize differentiable capturable",
            "LBFGS": "lr max_iter max_eval tolerance_grad tolerance_change history_size line_search_fn maximize"}

    def test_keys(self):
        for name, keys in self.KEYS.items():
            group = getattr(haft.optim, name)([nn.Parameter(haft.ones(2))]).param_groups[0]
            self.assertLessEqual({"params", *keys.split()}, set(group), name)
        self.assertEqual(haft.optim.SGD([nn.Parameter(haft.ones(2))], fused=True).param_groups[0]["lr"], 1e-3)

    def test_decay_of_a_loaded_state(self):
        p = [nn.Parameter(haft.ones(2))]
        first, second = haft.optim.Adam(p), haft.optim.AdamW(p)
        state, other = second.state_dict(), first.state_dict()
        second.load_state_dict(other)
        first.load_state_dict(state)
        for optimizer in (first, second):
            self.assertIs(optimizer.param_groups[0]["decoupled_weight_decay"], True)
        del state["param_groups"][0]["decoupled_weight_decay"]  # as older versions wrote it
        first = haft.optim.Adam(p)
        for optimizer in (first, second):
            optimizer.load_state_dict(state)
        self.assertEqual([o.param_groups[0]["decoupled_weight_decay"] for o in (first, second)], [False, True])

    def test_names_of_parameters(self):
        net = nn.Linear(2, 1)
        state = haft.optim.Adam(net.named_parameters()).state_dict()
        self.assertEqual(state["param_groups"][0]["param_names"], ["weight", "bias"])
        other = haft.optim.Adam(net.parameters())
        other.load_state_dict(state)
        named = haft.optim.Adam([("w", net.weight), ("b", net.bias)])
        named.load_state_dict({**state, "param_groups": [{k: v for k, v in state["param_groups"][0].items() if k not in ("param_names", "capturable")}]})
        self.assertEqual((named.param_groups[0]["param_names"], named.param_groups[0]["capturable"]), (["w", "b"], False))
        self.assertRaisesRegex(ValueError, "names are missing", haft.optim.Adam, [("w", net.weight), net.bias])

    def test_hooks(self):
        p, told = nn.Parameter(haft.ones(2)), []
        optimizer = haft.optim.SGD([p], lr=0.5)
        optimizer.register_state_dict_pre_hook(lambda o: told.append("saving"))
        optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
        optimizer.register_load_state_dict_pre_hook(lambda o, state: told.append(state["more"]))
        last = optimizer.register_load_state_dict_post_hook(lambda o: told.append("loaded"))
        optimizer.register_step_pre_hook(lambda o, args, kwargs: told.append("step"))
        optimizer.load_state_dict(optimizer.state_dict())
        optimizer.step(lambda: told.append("closure"))
        self.assertEqual(told, ["saving", 1, "loaded", "step", "closure"])
        last.remove()
        again = copy.deepcopy(optimizer)
        again.step()

    def test_chains(self):
        optimizer = haft.optim.SGD([nn.Parameter(haft.ones(2))], lr=1.0)
        schedules = [haft.optim.lr_scheduler.ExponentialLR(optimizer, 0.5), haft.optim.lr_scheduler.ConstantLR(optimizer, 0.5)]
        chain = haft.optim.lr_scheduler.ChainedScheduler(schedules, optimizer=optimizer)
        self.assertIs(chain.optimizer, optimizer)
        for bad in (lambda: haft.optim.lr_scheduler.ChainedScheduler([]),
                    lambda: haft.optim.lr_scheduler.ChainedScheduler(schedules, haft.optim.SGD([nn.Parameter(haft.ones(2))])),
                    lambda: haft.optim.lr_scheduler.ChainedScheduler([haft.optim.lr_scheduler.ReduceLROnPlateau(optimizer)])):
            self.assertRaises(ValueError, bad)


class Gradients(unittest.TestCase):
    def test_hooks_of_several(self):
        a, b, c = (haft.ones(2, requires_grad=True) for _ in range(3))
        told = []
        handle = haft.autograd.graph.register_multi_grad_hook([a, b, c], lambda grads: told.append([g if g is None else g.tolist() for g in grads]))
        (a + 2 * b).sum().backward()
        (a + b + c).sum().backward()
        handle.remove()
        with haft.autograd.graph.register_multi_grad_hook((a, b), lambda g: told.append(g.tolist()), mode="any"):
            for _ in range(2):
                (a * 3).sum().backward()
            (a * 3 + b * 3).sum().backward()
        a.sum().backward()
        self.assertEqual(told, [[[1.0, 1.0], [2.0, 2.0], None], [[1.0, 1.0]] * 3, [3.0, 3.0], [3.0, 3.0], [3.0, 3.0]])
        self.assertRaises(ValueError, haft.autograd.graph.register_multi_grad_hook, [a], print, mode="some")

    def test_edges(self):
        x = haft.ones(2, requires_grad=True)
        halves = (x * 2).split(1)
        edge = haft.autograd.graph.get_gradient_edge(x)
        self.assertEqual(edge.node, haft.autograd.graph.get_gradient_edge(x).node)
        self.assertEqual(haft.autograd.grad(halves[0], edge)[0].tolist(), [2.0, 0.0])
        middle = x * 3
        edge = haft.autograd.graph.get_gradient_edge(middle)
        self.assertEqual((edge.node.name(), edge.output_nr), ("MulBackward0", 0))
        self.assertEqual(haft.autograd.grad((middle * middle).sum(), [edge, x])[0].tolist(), [6.0, 6.0])
        self.assertRaises(RuntimeError, haft.autograd.graph.get_gradient_edge, haft.ones(1))

    def test_batches_of_seeds(self):
        x, y = haft.randn(3, requires_grad=True), haft.randn(3, requires_grad=True)
        z = x * x * y
        gx, gy = haft.autograd.grad(z, (x, y), haft.eye(3), is_grads_batched=True)
        haft.testing.assert_close((gx, gy), (haft.diag(2 * x * y).detach(), haft.diag(x * x).detach()))

    def test_duals(self):
        import haft.autograd.forward_ad as forward
        x, t = haft.randn(3), haft.randn(3)
        with forward.dual_level():
            dual = forward.make_dual(x, t)
            primal, tangent = forward.unpack_dual((dual ** 3).sum())
            haft.testing.assert_close((primal, tangent), ((x ** 3).sum(), (3 * x ** 2 * t).sum()))
            self.assertFalse(tangent.requires_grad)
            self.assertIsNone(forward.unpack_dual(x * 2).tangent)
            self.assertRaisesRegex(RuntimeError, "shape and dtype", forward.make_dual, x, t[:2])
            with haft.no_grad():
                self.assertRaisesRegex(RuntimeError, "not recorded", forward.make_dual, x, t)
            w = haft.randn(3, requires_grad=True)
            tangent = forward.unpack_dual(forward.make_dual(w, t) ** 3).tangent
            haft.testing.assert_close(haft.autograd.grad(tangent.sum(), w)[0], (6 * w * t).detach())
            self.assertRaises(RuntimeError, forward.enter_dual_level)
        self.assertRaises(RuntimeError, forward.make_dual, x, t)

    def test_functions(self):
        x = haft.randn(3)
        answer, pushed = haft.func.linearize(lambda x: (x.sin(), x.sum()), x)
        t = haft.randn(3)
        haft.testing.assert_close((answer, pushed(t)), haft.func.jvp(lambda x: (x.sin(), x.sum()), (x,), (t,)))
        haft.testing.assert_close(pushed(2 * t)[0], 2 * t * x.cos())
        nets = [nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).eval() for _ in range(4)]
        parameters, buffers = haft.func.stack_module_state(nets)
        self.assertTrue(parameters["0.weight"].shape == (4, 3, 2) and parameters["0.weight"].is_leaf and parameters["0.weight"].requires_grad)
        y = haft.vmap(lambda p, b, x: haft.func.functional_call(nets[0], (p, b), (x,)), (0, 0, None))(parameters, buffers, haft.ones(5, 2))
        haft.testing.assert_close(y, haft.stack([net(haft.ones(5, 2)) for net in nets]))
        self.assertRaises(RuntimeError, haft.func.stack_module_state, [nets[0], nn.ReLU()])


class WholeModules(unittest.TestCase):
    def test_names(self):
        haft.compat.install()
        try:
            for name, attribute in (("optim.adam", "Adam"), ("optim.sgd", "SGD"), ("optim.lbfgs", "LBFGS"), ("optim.swa_utils", "AveragedModel"), ("overrides", "is_tensor_like"),
                                    ("_utils", "_flatten_dense_tensors"), ("types", "Number"), ("types", "_TensorOrTensors"), ("storage", "UntypedStorage"),
                                    ("library", "custom_op"), ("export", "export"), ("sparse", "mm"), ("nested", "nested_tensor"), ("masked", "masked_tensor"),
                                    ("nn.grad", "conv1d_input"), ("nn.common_types", "_size_2_t"), ("nn.utils.stateless", "functional_call"),
                                    ("nn.utils.memory_format", "convert_conv2d_weight_memory_format"), ("utils.benchmark", "Timer"), ("utils.collect_env", "main"),
                                    ("utils.flop_counter", "FlopCounterMode"), ("utils.data._utils.collate", "default_collate"), ("amp.grad_scaler", "GradScaler"),
                                    ("amp.autocast_mode", "autocast"), ("cuda.amp.grad_scaler", "GradScaler"), ("cuda", "_initialized"), ("autograd.forward_ad", "make_dual"), ("_dynamo.config", "suppress_errors"), ("_inductor.config", "triton"),
                                    ("nn.modules.activation", "MultiheadAttention"), ("jit", "freeze"), ("jit.annotations", "BroadcastingList2"), ("functional", "einsum"), ("hub", "HASH_REGEX"), ("optim.optimizer", "ParamsT"),
                                    ("utils.checkpoint", "get_device_states")):
                self.assertTrue(hasattr(importlib.import_module("torch." + name), attribute), name)
            for name, attribute in (("ops", "nms"), ("ops.misc", "Conv2dNormActivation"), ("io", "read_image"), ("transforms.v2", "ToImage"), ("models.vgg", "VGG")):
                self.assertTrue(hasattr(importlib.import_module("torchvision." + name), attribute), name)
        finally:
            haft.compat.uninstall()
        self.assertIs(haft.optim.adam.Adam, haft.optim.Adam)
        self.assertIs(haft.utils.data._utils.collate.default_collate, haft.utils.data.default_collate)
        self.assertTrue(haft.cpu.is_available() and haft.cpu.device_count() == 1 and haft.GradScaler is haft.amp.GradScaler)

    def test_what_is_not_there_says_what_to_use(self):
        for call, said in ((lambda: haft.sparse_coo_tensor([[0], [1]], [1.0]), "index_add"), (lambda: haft.sparse.mm(1, 2), "dense"), (lambda: haft.export.export(1, ()), "haft.save"),
                           (lambda: haft.nested.nested_tensor([]), "pad_sequence"), (lambda: haft.masked.masked_tensor(1, 2), "masked_fill"),
                           (lambda: haft.library.Library("a", "DEF"), "custom_op"), (lambda: haft.overrides.TorchFunctionMode(), "__torch_function__"),
                           (lambda: haft.utils.flop_counter.FlopCounterMode(), "profile"), (lambda: haft.vision.ops.roi_align(1, 2, 3), "grid_sample"),
                           (lambda: haft.utils.checkpoint.create_selective_checkpoint_contexts([]), "by itself"), (lambda: haft.vision.io.read_video("a"), "videos")):
            with self.assertRaisesRegex(NotImplementedError, said):
                call()
        self.assertFalse(haft.overrides.has_torch_function((haft.ones(1),)) or haft.overrides.is_tensor_like(1))

    def test_operators_of_ones_own(self):
        @haft.library.custom_op("test_newer_names::cube", mutates_args=())
        def cube(x: haft.Tensor) -> haft.Tensor:
            return x ** 3

        @cube.register_fake
        def _(x):
            return haft.empty_like(x)
        x = haft.tensor([2.0], requires_grad=True)
        self.assertEqual(haft.ops.test_newer_names.cube(x).item(), 8)
        haft.library.register_autograd("test_newer_names::cube", lambda ctx, g: 3 * ctx.saved_tensors[0] ** 2 * g,
                                       setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))
        haft.ops.test_newer_names.cube.default(x).backward()
        self.assertEqual(x.grad.item(), 12)
        self.assertRaisesRegex(AttributeError, "custom_op", lambda: haft.ops.aten)
        self.assertRaises(ValueError, haft.library.custom_op, "cube", lambda x: x)
        del haft.ops.test_newer_names

    def test_measurements(self):
        runs = []
        found = haft.utils.benchmark.Timer("runs.append(1)", globals={"runs": runs}, label="a", sub_label="b").timeit(10)
        self.assertEqual((len(runs), found.number_per_run, len(found.times)), (11, 10, 1))
        self.assertIn("a: b", repr(found))
        self.assertEqual(found.median, found.mean)
        with mock.patch("sys.stdout", new=io.StringIO()) as out:
            haft.utils.collect_env.main()
        self.assertIn(haft.__version__, out.getvalue())
        self.assertIn(sys.version.split()[0], out.getvalue())

    def test_tensors_end_to_end(self):
        from haft import _utils
        parts = [haft.ones(2, 2), haft.zeros(3)]
        flat = _utils._flatten_dense_tensors(parts)
        self.assertEqual([t.shape for t in _utils._unflatten_dense_tensors(flat, parts)], [(2, 2), (3,)])
        self.assertEqual([len(group) for group in _utils._take_tensors([*parts, haft.ones(1, dtype=haft.int64)], 16)], [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
