"""Networks since MobileNetV3, boxes, pictures in files, and transforms that draw which others to apply, as torchvision has them."""
import os
import tempfile
import unittest

import numpy as np
from PIL import Image, ImageOps

import haft
import leaks
from haft import nn
from haft.vision import io, models, ops
from haft.vision import transforms as T
from haft.vision.transforms import functional as F, v2

setUpModule, tearDownModule = leaks.guard()


class Networks(unittest.TestCase):
    def test_sizes_and_names(self):
        # The numbers of parameters that torchvision's documentation gives, and how many tensors its states have.
        for name, count, entries, key, options in (
                ("googlenet", 13004888, 364, "inception4e.branch3.1.bn.running_var", dict(init_weights=False)),
                ("inception_v3", 27161264, 580, "Mixed_7c.branch3x3dbl_3b.conv.weight", dict(init_weights=False)),
                ("mobilenet_v3_small", 2542856, 244, "features.4.block.2.fc1.bias", {}), ("mobilenet_v3_large", 5483032, 312, "features.16.0.weight", {}),
                ("efficientnet_b0", 5288548, 360, "features.2.0.block.1.1.running_mean", {}), ("shufflenet_v2_x1_0", 2278604, 338, "stage2.0.branch1.0.weight", {}),
                ("mnasnet1_0", 4383312, 314, "layers.8.0.layers.0.weight", {}), ("regnet_y_400mf", 4344144, 384, "trunk_output.block2.block2-0.f.se.fc1.weight", {})):
            net = models.get_model(name, **options)
            keys = net.state_dict().keys()
            self.assertEqual((sum(p.numel() for p in net.parameters()), len(keys)), (count, entries), name)
            self.assertIn(key, keys)
        with self.assertRaisesRegex(ValueError, "downloads no weights"):
            models.efficientnet_b0(weights=models.EfficientNet_B0_Weights.DEFAULT)
        self.assertRaises(ValueError, models.get_model, "resnet19")
        self.assertIs(models.efficientnet.EfficientNet, models.EfficientNet)

    def test_small_ones_learn(self):
        for make in (lambda: models.ConvNeXt((8, 16, 16, 16), (1, 1, 2, 1), 0.1, num_classes=3), lambda: models.SwinTransformer([2, 2], 8, [2, 2], [2, 2], [3, 3], num_classes=3),
                     lambda: models.VisionTransformer(16, 8, 2, 2, 16, 32, num_classes=3), lambda: models.RegNet(5, 8, 8.0, 2.0, 4, True, num_classes=3),
                     lambda: models.ShuffleNetV2([1, 1, 1], [8, 16, 16, 16, 32], num_classes=3), lambda: models.MNASNet(0.1, num_classes=3),
                     lambda: models.EfficientNet([(1, 2, 3, 1, 8, 8, 1), (0, 2, 3, 2, 8, 16, 2)], num_classes=3)):
            net = make().train()
            size = 16 if isinstance(net, models.VisionTransformer) else 32
            optimizer = haft.optim.AdamW(net.parameters(), 1e-2)
            x, y, losses = haft.randn(4, 3, size, size), haft.tensor([0, 1, 2, 1]), []
            for _ in range(12):
                loss = nn.functional.cross_entropy(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            self.assertLess(min(losses[6:]), losses[0], type(net).__name__)
            self.assertEqual(net.eval()(x).shape, (4, 3))

    def test_windows(self):
        """Attention within shifted windows sees what the masks of the paper let it see: places of one window of the shifted picture."""
        net = models.transformer._WindowAttention(4, [2, 2], [1, 1], 1, 0.0, 0.0).eval()
        x = haft.randn(1, 4, 4, 4, requires_grad=True)
        net(x)[0, 0, 0].sum().backward()  # the corner is alone in its window
        seen = x.grad[0].abs().sum(-1) > 0
        self.assertEqual(seen.nonzero().tolist(), [[0, 0]])
        x.grad = None
        net(x)[0, 1, 1].sum().backward()
        self.assertEqual((x.grad[0].abs().sum(-1) > 0).nonzero().tolist(), [[1, 1], [1, 2], [2, 1], [2, 2]])

    def test_auxiliary_answers(self):
        net = models.GoogLeNet(num_classes=2, init_weights=False)
        with haft.no_grad():
            out = net(haft.randn(2, 3, 64, 64))
            self.assertEqual([t.shape for t in (out.logits, out.aux_logits2, out.aux_logits1)], [(2, 2)] * 3)
            self.assertEqual(models.GoogLeNet(num_classes=2, aux_logits=False, transform_input=True, init_weights=False)(haft.randn(2, 3, 64, 64)).shape, (2, 2))


class Boxes(unittest.TestCase):
    def test_overlaps(self):
        a = haft.tensor([[0.0, 0, 2, 2], [1, 1, 3, 3]])
        self.assertEqual(ops.box_area(a).tolist(), [4, 4])
        haft.testing.assert_close(ops.box_iou(a, a), haft.tensor([[1, 1 / 7], [1 / 7, 1]]))
        haft.testing.assert_close(ops.generalized_box_iou(a, a)[0], haft.tensor([1, 1 / 7 - 2 / 9]))
        for form, first in (("xywh", [1, 1, 2, 2]), ("cxcywh", [2, 2, 2, 2])):
            other = ops.box_convert(a, "xyxy", form)
            self.assertEqual(other[1].tolist(), first)
            self.assertEqual(ops.box_convert(other, form, "xyxy").tolist(), a.tolist())
        self.assertEqual(ops.clip_boxes_to_image(a, (2, 1)).tolist(), [[0, 0, 1, 2], [1, 1, 1, 2]])
        self.assertEqual(ops.remove_small_boxes(haft.tensor([[0.0, 0, 1, 9], [0, 0, 3, 3]]), 2).tolist(), [1])

    def test_suppression(self):
        boxes = haft.tensor([[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 20, 30, 30], [0, 0, 10, 9]])
        scores = haft.tensor([0.5, 0.9, 0.3, 0.1])
        self.assertEqual(ops.nms(boxes, scores, 0.5).tolist(), [1, 2])
        self.assertEqual(ops.nms(boxes, scores, 0.95).tolist(), [1, 0, 2, 3])
        self.assertEqual(ops.batched_nms(boxes, scores, haft.tensor([0, 1, 0, 1]), 0.5).tolist(), [1, 0, 2])
        self.assertEqual(ops.nms(boxes[:0], scores[:0], 0.5).tolist(), [])

    def test_layers(self):
        x = haft.randn(2, 4, 5, 5)
        conv = ops.Conv2dNormActivation(4, 6, (3, 5), dilation=2)
        self.assertEqual((conv(x).shape, [type(m) for m in conv], conv[0].bias), ((2, 6, 5, 5), [nn.Conv2d, nn.BatchNorm2d, nn.ReLU], None))
        squeezed = ops.SqueezeExcitation(4, 2)
        self.assertTrue(haft.allclose(squeezed(x), x * squeezed.fc2(squeezed.fc1(x.mean((2, 3), keepdim=True)).relu()).sigmoid()))
        self.assertEqual([type(m) for m in ops.MLP(4, [3, 2])], [nn.Linear, nn.ReLU, nn.Dropout, nn.Linear, nn.Dropout])
        haft.manual_seed(1)
        y = ops.StochasticDepth(0.5, "row")(haft.ones(64, 3))
        self.assertEqual(sorted(set(y[:, 0].tolist())), [0.0, 2.0])
        self.assertTrue(haft.equal(y[:, :1].expand(-1, 3), y))
        self.assertTrue(haft.equal(ops.StochasticDepth(0.5, "batch").eval()(x), x))
        self.assertRaises(ValueError, ops.stochastic_depth, x, 0.5, "column")
        norm = nn.BatchNorm2d(4).eval()
        norm.running_mean.normal_()
        frozen = ops.FrozenBatchNorm2d(4)
        frozen.load_state_dict({k: v for k, v in norm.state_dict().items() if k != "num_batches_tracked"})
        self.assertTrue(haft.equal(frozen(x), norm(x)))
        scores, targets = haft.randn(8), haft.randint(0, 2, (8,)).float()
        wanted = nn.functional.binary_cross_entropy_with_logits(scores, targets, reduction="none")
        right = haft.where(targets == 1, scores.sigmoid(), 1 - scores.sigmoid())
        haft.testing.assert_close(ops.sigmoid_focal_loss(scores, targets, -1, 2, "sum"), (wanted * (1 - right) ** 2).sum())


class Files(unittest.TestCase):
    def test_pictures(self):
        picture = haft.randint(0, 256, (3, 5, 7), dtype=haft.uint8)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.png")
            io.write_png(picture, path)
            self.assertTrue(haft.equal(io.read_image(path), picture))
            self.assertTrue(haft.equal(io.decode_png(io.read_file(path)), picture))
            self.assertEqual(io.read_image(path, io.ImageReadMode.GRAY).shape, (1, 5, 7))
            io.write_jpeg(picture, os.path.join(folder, "a.jpg"), quality=90)
            self.assertEqual(io.read_image(os.path.join(folder, "a.jpg")).shape, (3, 5, 7))

    def test_pictures_that_pil_wrote(self):
        colours = Image.fromarray(np.random.default_rng(3).integers(0, 256, (21, 13, 4), np.uint8), "RGBA")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.png")
            for mode, of in (("1", "L"), ("L", "L"), ("LA", "LA"), ("P", "RGB"), ("RGB", "RGB"), ("RGBA", "RGBA")):
                (colours.convert("RGB") if mode == "P" else colours).convert(mode).save(path)
                for wanted, name in ((of, "UNCHANGED"), ("L", "GRAY"), ("RGB", "RGB"), ("RGBA", "RGB_ALPHA")):
                    pixels = np.asarray(Image.open(path).convert(wanted))
                    pixels = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
                    self.assertTrue(np.array_equal(io.read_image(path, name).numpy(), pixels), (mode, name))
            for mode in ("L", "RGB", "CMYK"):
                path = os.path.join(folder, mode + ".jpg")
                colours.resize((64, 48), Image.BICUBIC).convert(mode).save(path, quality=90)
                pixels = np.asarray(Image.open(path).convert("L" if mode == "L" else "RGB")).astype(int)
                pixels = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
                self.assertLessEqual(np.abs(io.read_image(path).numpy() - pixels).max(), 2 if mode == "CMYK" else 0)
            path = os.path.join(folder, "a.bmp")  # PIL's matter
            colours.convert("RGB").save(path)
            self.assertTrue(np.array_equal(io.read_image(path).numpy(), np.asarray(colours.convert("RGB")).transpose(2, 0, 1)))
            with open(path, "wb") as file:
                file.write(b"\x89PNG\r\n\x1a\n" + bytes(20))
            with self.assertRaisesRegex(haft.CorruptFileError, "no whole PNG"):
                io.read_image(path)


class Transforms(unittest.TestCase):
    def setUp(self):
        self.array = np.random.default_rng(0).integers(20, 220, (9, 11, 3), dtype=np.uint8)
        self.array[..., 1] = 50
        self.picture, self.tensor = Image.fromarray(self.array), haft.tensor(self.array).permute(2, 0, 1).contiguous()

    def same(self, ours, pil):
        self.assertEqual(ours.permute(1, 2, 0).tolist(), np.asarray(pil).tolist())

    def test_colours(self):
        self.same(F.posterize(self.tensor, 3), ImageOps.posterize(self.picture, 3))
        self.same(F.solarize(self.tensor, 100), ImageOps.solarize(self.picture, 100))
        self.same(F.equalize(self.tensor), ImageOps.equalize(self.picture))
        self.assertTrue(haft.equal(F.adjust_sharpness(self.tensor, 1.0), self.tensor))
        middle = self.tensor[0, :3, :3].float()
        self.assertEqual(F.adjust_sharpness(self.tensor, 0.0)[0, 1, 1].item(), round(((middle.sum() + 4 * middle[1, 1]) / 13).item()))
        spread = F.autocontrast(self.tensor.float() / 255)
        self.assertEqual((spread[0].min().item(), round(spread[0].max().item(), 5), spread[1].unique().numel()), (0, 1, 1))
        for name in ("posterize", "equalize"):
            self.assertRaises(TypeError, getattr(F, name), self.tensor.float(), *((3,) if name == "posterize" else ()))
        for transform, function in ((T.RandomPosterize(3, p=1.0), lambda x: F.posterize(x, 3)), (T.RandomSolarize(threshold=9, p=1.0), lambda x: F.solarize(x, 9)),
                                    (T.RandomEqualize(p=1.0), F.equalize), (T.RandomInvert(p=1.0), F.invert), (T.RandomAutocontrast(p=0.0), lambda x: x)):
            self.assertTrue(haft.equal(transform(self.tensor), function(self.tensor)), transform)
        self.assertEqual(repr(T.RandomPosterize(3, p=1.0)), "RandomPosterize(bits=3, p=1.0)")

    def test_places(self):
        corners = [[0, 0], [10, 0], [10, 8], [0, 8]]
        haft.testing.assert_close(F.perspective(self.tensor, corners, corners), self.tensor)
        turned = F.perspective(self.tensor.float(), corners, [[10.0, 0], [0, 0], [0, 8], [10, 8]], F.InterpolationMode.NEAREST)
        self.assertTrue(haft.equal(turned[..., :-1], self.tensor.float()[..., :10].flip(-1)))  # about the middle of the corners, not of the pixels
        self.assertEqual(F.perspective(self.picture, corners, corners).size, (11, 9))
        self.assertRaises(ValueError, F.perspective, self.tensor, [[0, 0]] * 4, [[0, 0]] * 4)
        self.assertEqual(T.RandomPerspective(p=1.0)(self.tensor).shape, (3, 9, 11))
        crops = T.TenCrop((3, 4))(self.tensor)
        self.assertTrue(haft.equal(crops[1], self.tensor[:, :3, -4:]) and haft.equal(crops[6], self.tensor.flip(-1)[:, :3, -4:]))
        self.assertEqual((len(crops), len(T.FiveCrop(3)(self.picture))), (10, 5))
        self.assertRaises(ValueError, F.five_crop, self.tensor, 10)
        self.assertEqual(sorted(T.RandomOrder([lambda x: x + [1], lambda x: x + [2]])([])), [1, 2])

    def test_policies(self):
        for kind in (T.AutoAugment(), T.AutoAugment(T.AutoAugmentPolicy.CIFAR10), T.AutoAugment(T.AutoAugmentPolicy.SVHN), T.RandAugment(), T.TrivialAugmentWide()):
            for image in (self.tensor, self.picture):
                for _ in range(8):
                    out = kind(image)
                    self.assertIs(type(out), type(image))
                    self.assertEqual(F.get_dimensions(out), [3, 9, 11])
        for policy in T._auto._POLICIES.values():
            self.assertEqual(len(policy.split("|")), 25)
        strengths = T._auto._space(31, (100, 200), 255.0)
        self.assertEqual((strengths["Posterize"][0][0], strengths["Posterize"][0][-1], strengths["Solarize"][0][0], strengths["Solarize"][0][-1]), (8, 4, 255, 0))
        self.assertAlmostEqual(strengths["TranslateX"][0][-1], 150 / 331 * 200)

    def test_version_2(self):
        chain = v2.Compose([v2.ToImage(), v2.RandomHorizontalFlip(1.0), v2.ToDtype(haft.float32, scale=True)])
        haft.testing.assert_close(chain(self.picture), self.tensor.flip(-1).float() / 255)
        image, label = chain(self.picture, 3)
        self.assertEqual((image.dtype, label), (haft.float32, 3))


if __name__ == "__main__":
    unittest.main()
