"""A layer that infers keeps its weights in the library's layout, as long as nobody outside knows their address: the layer in
Python asks for none behind the program's back."""
import copy
import io
import pickle
import tempfile
import unittest

import haft
import leaks

setUpModule, tearDownModule = leaks.guard()


def layer():
    return haft.nn.Conv2d(16, 16, 3, padding=1, bias=False)


def picture():
    return haft.randn(1, 16, 8, 8)


def allocations(net):
    """Blocks that a call takes once the weights had the time to be packed."""
    x = picture()
    with haft.no_grad():
        for _ in range(4):
            net(x)
        before = haft.runtime.memory_stats().allocations
        net(x)
        return haft.runtime.memory_stats().allocations - before


def saved(what):
    file = io.BytesIO()
    haft.save(what, file)
    file.seek(0)
    return file


def trained(net):
    optimizer = haft.optim.Adam(net.parameters())
    net(picture()).sum().backward()
    haft.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())


def checkpointed(net):
    haft.utils.checkpoint.checkpoint(net, picture().requires_grad_()).sum().backward()


def drawn(net):
    with tempfile.TemporaryDirectory() as folder, haft.utils.tensorboard.SummaryWriter(folder) as writer:
        writer.add_graph(net, picture())
        writer.add_histogram("weight", net.weight)


class KeptWeights(unittest.TestCase):
    def test_what_leaves_them_packed(self):
        usual = allocations(layer())
        known = layer()
        known.weight.data_ptr()
        self.assertGreater(allocations(known), usual)  # packed anew each time
        for use in (lambda net: saved(net), lambda net: saved(net.state_dict()), lambda net: net.weight.tolist(), lambda net: repr(net.weight),
                    copy.deepcopy, lambda net: pickle.dumps(net.state_dict()), trained, checkpointed, drawn, lambda net: net.weight.is_shared(),
                    lambda net: net.load_state_dict(layer().state_dict()), lambda net: haft.nn.utils.parameters_to_vector(net.parameters()),
                    lambda net: haft.allclose(net.weight, net.weight), lambda net: haft.nn.init.normal_(net.weight)):
            net = layer()
            use(net)
            self.assertEqual(allocations(net), usual, use)

    def test_loaded_ones(self):
        net = layer()
        usual = allocations(net)
        self.assertEqual(allocations(haft.load(saved(net))), usual)
        other = layer()
        other.weight = haft.nn.Parameter(haft.load(saved(net.state_dict()))["weight"])
        self.assertEqual(allocations(other), usual)
        self.assertEqual(allocations(pickle.loads(pickle.dumps(net))), usual)

    def test_shared_memory_is_found_when_saved(self):
        w = haft.randn(3, 4)
        found = haft.load(saved({"a": w, "b": w.view(12), "c": w[:2], "d": w.clone(), "e": haft.ones(0), "f": haft.ones(0)}))
        found["a"].fill_(7)
        self.assertEqual(found["b"].tolist(), [7.0] * 12)
        self.assertEqual((found["c"].tolist(), found["d"].tolist()), (w[:2].tolist(), w.tolist()))
        self.assertEqual((found["e"].shape, found["f"].shape), ((0,), (0,)))


if __name__ == "__main__":
    unittest.main()
