"""haft.vision.models: sizes, names of parameters as torchvision has them, a training step, whole models in files."""
import io
import unittest

import haft
import leaks
from haft import nn
from haft.vision import models

setUpModule, tearDownModule = leaks.guard()


class ResNets(unittest.TestCase):
    def test_sizes(self):
        # The numbers of parameters that torchvision's documentation gives.
        for name, count in (("resnet18", 11689512), ("resnet34", 21797672), ("resnet50", 25557032)):
            net = getattr(models, name)()
            self.assertEqual(sum(p.numel() for p in net.parameters()), count, name)
            del net
        self.assertEqual(sum(p.numel() for p in models.resnet50(groups=32, width_per_group=4).parameters()), 25028904)

    def test_names(self):
        keys = list(models.resnet18(num_classes=10).state_dict())
        self.assertEqual(len(keys), 122)
        for key in ("conv1.weight", "bn1.running_var", "bn1.num_batches_tracked", "layer1.0.conv1.weight", "layer2.0.downsample.0.weight",
                    "layer2.0.downsample.1.running_mean", "layer4.1.bn2.bias", "fc.weight", "fc.bias"):
            self.assertIn(key, keys)
        self.assertNotIn("layer1.0.downsample.0.weight", keys)
        self.assertIn("layer1.0.downsample.0.weight", models.resnet50(num_classes=2).state_dict())

    def test_a_step(self):
        haft.manual_seed(1)
        net = models.resnet18(num_classes=3, zero_init_residual=True)
        x, y = haft.randn(4, 3, 32, 32), haft.tensor([0, 1, 2, 1])
        optimizer = haft.optim.SGD(net.parameters(), 0.01)
        losses = []
        for _ in range(4):
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], losses[0])
        self.assertTrue(all(p.grad is not None for p in net.parameters()))
        file = io.BytesIO()
        haft.save(net, file)
        file.seek(0)
        back = haft.load(file, weights_only=True)
        self.assertTrue(haft.equal(back.eval()(x), net.eval()(x)))

    def test_dilation(self):
        net = models.resnet50(num_classes=2, replace_stride_with_dilation=[False, True, True])
        self.assertEqual((net.layer4[0].conv2.stride, net.layer4[1].conv2.dilation), ((1, 1), (4, 4)))
        shapes = []
        net.layer4.register_forward_hook(lambda m, i, o: shapes.append(o.shape))
        with haft.no_grad():
            net(haft.randn(2, 3, 32, 32))
        self.assertEqual(shapes, [(2, 2048, 4, 4)])
        for bad in (lambda: models.resnet18(replace_stride_with_dilation=[True]), lambda: models.resnet18(groups=2), lambda: models.resnet18(weights="DEFAULT"),
                    lambda: models.resnet34(pretrained=True), lambda: models.lenet("x")):
            with self.assertRaises(ValueError):
                bad()

    def test_lenet(self):
        net = models.lenet(num_classes=7)
        self.assertEqual(net(haft.randn(2, 1, 28, 28)).shape, (2, 7))
        self.assertEqual(sum(p.numel() for p in models.lenet().parameters()), 61706)


if __name__ == "__main__":
    unittest.main()
