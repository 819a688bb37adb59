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


class Others(unittest.TestCase):
    # Numbers of parameters as torchvision's documentation gives them, and names that its files hold.
    SIZES = {"alexnet": (61100840, "features.10.bias", "classifier.6.weight"),
             "squeezenet1_0": (1248424, "features.12.expand3x3.bias", "classifier.1.weight"),
             "squeezenet1_1": (1235496, "features.3.squeeze.weight", "features.12.expand1x1.weight"),
             "mobilenet_v2": (3504872, "features.0.1.running_var", "features.1.conv.0.0.weight", "features.2.conv.3.bias", "features.18.0.weight", "classifier.1.bias"),
             "densenet121": (7978856, "features.denseblock3.denselayer24.conv2.weight", "features.transition2.norm.bias", "features.norm5.weight", "classifier.weight"),
             "resnext50_32x4d": (25028904, "fc.bias")}

    def test_sizes_and_names(self):
        for name, (count, *names) in self.SIZES.items():
            net = getattr(models, name)()
            self.assertEqual(sum(p.numel() for p in net.parameters()), count, name)
            self.assertLessEqual(set(names), set(net.state_dict()), name)
            del net
        self.assertIn("features.41.running_mean", models.VGG(models.classic._vgg_features(16, True), 2, init_weights=False).state_dict())

    def test_results(self):
        for name, size in (("alexnet", 64), ("squeezenet1_1", 40), ("mobilenet_v2", 40), ("densenet121", 40)):
            net = getattr(models, name)(num_classes=5).eval()
            x = haft.randn(2, 3, size, size)
            y = net(x)
            self.assertEqual((y.shape, bool(y.isfinite().all())), ((2, 5), True), name)
            y.sum().backward()
            self.assertTrue(all(p.grad is not None for p in net.parameters()), name)
        small = models.MobileNetV2(width_mult=0.35, num_classes=2)
        self.assertEqual((small.features[0][0].out_channels, small.last_channel), (16, 1280))
        for make in (models.vgg11, models.densenet121, models.squeezenet1_0):
            with self.assertRaisesRegex(ValueError, "downloads no weights"):
                make(weights="DEFAULT")
        with self.assertRaisesRegex(ValueError, "SqueezeNet version"):
            models.SqueezeNet("2_0")


if __name__ == "__main__":
    unittest.main()
