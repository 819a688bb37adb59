"""Models and layers from Python, the same text for haft and PyTorch: training steps, inference, operators, optimizers.

usage: python_cases.py --side haft|torch GROUP THREADS VARIANT
       GROUP: models or layers; VARIANT: eager, channels_last (convolutions alone) or compiled (models alone)

One thread is judged by processor time, more by wall time. A case that a side lacks is left out by it."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peer"))
from common import emit, emit_time, import_torch, judged, measure  # noqa: E402

SIDE, GROUP, THREADS, VARIANT = sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
torch = import_torch(SIDE)
nn, F = torch.nn, torch.nn.functional
from models import GptMini, Transformer, resnet18, resnet50, vit_tiny  # noqa: E402

COLUMNS = VARIANT == "channels_last"


def case(name, fn, seconds=0.25, windows=5):
    emit_time(name, THREADS, "ms", measure(name, fn, seconds, windows))


@functools.cache
def rate(bf16):
    """Flops a second in a product of 2048 x 2048 x 2048, which no model's products exceed."""
    a = torch.randn(2048, 2048).to(torch.bfloat16 if bf16 else torch.float32)
    with torch.no_grad():
        return 2 * 2048 ** 3 / judged(measure("matmul 2048" + ", bfloat16" * bf16, lambda: a @ a, 0.5, 5), THREADS)


def floor(name, flops, bf16=False):
    """What the matrix products of a case would take alone: bench/run holds its goal to that."""
    if SIDE == "haft":
        emit(name + ": products alone", THREADS, "ms", 1e3 * flops / rate(bf16))


def transformer_flops(batch, tokens, width, layers, causal):
    """Of a forward pass: the four linear layers of a block, and its scores and sums, of which a causal one has half."""
    return 2 * batch * layers * (12 * tokens * width ** 2 + (1 if causal else 2) * tokens ** 2 * width)


def prepared(model, x):
    if COLUMNS:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    return (torch.compile(model) if VARIANT == "compiled" else model), x


def train(name, model, x, loss, bf16=False):
    """A step with Adam at a tiny rate: many steps on one batch must not converge into denormal gradients."""
    model, x = prepared(model, x)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-6)

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
            y = loss(model(x))
        y.backward()
        optimizer.step()
    case(name + (", bfloat16" if bf16 else ""), step)


def infer(name, model, x):
    model, x = prepared(model.eval(), x)
    with torch.no_grad():
        case(name, lambda: model(x))


class Last(nn.Module):
    """What a recurrent net answers for all steps."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)[0]


def sequences():
    square = lambda y: y.float().pow(2).mean()
    once = 2 * 32 * 128 * 256 * 256  # flops of one gate with the input, or with the state
    for make, gates in ((nn.LSTM, 4), (nn.GRU, 3), (nn.RNN, 1)):
        name, x = make.__name__ + " 32 x 128 x 256", torch.randn(32, 128, 256)
        for bf16 in (False, True):
            if bf16 and make is not nn.LSTM and SIDE == "torch" and torch.__version__ < "2":
                continue  # 1.13 has LSTM alone in bfloat16
            # Forward and backward of both; nobody wants the input's gradient.
            floor(name + ", bfloat16" * bf16, 5 * gates * once, bf16)
            train(name, Last(make(256, 256, batch_first=True)), x, square, bf16)
    train("LSTM 1 x 128 x 256", Last(nn.LSTM(256, 256, batch_first=True)), torch.randn(1, 128, 256), square)
    floor("LSTM 32 x 128 x 256, inference", 2 * 4 * once)
    infer("LSTM 32 x 128 x 256, inference", Last(nn.LSTM(256, 256, batch_first=True)), torch.randn(32, 128, 256))
    tokens = torch.randint(0, 256, (16, 128))
    target = torch.randint(0, 256, (16 * 128,))
    for bf16 in (False, True):
        floor("GPT-mini" + ", bfloat16" * bf16, 3 * (transformer_flops(16, 128, 256, 4, True) + 2 * 16 * 128 * 256 * 256), bf16)
        floor("GPT-2 block 4 x 256 x 768" + ", bfloat16" * bf16, 3 * transformer_flops(4, 256, 768, 1, True), bf16)
        train("GPT-mini", GptMini(), tokens, lambda y: F.cross_entropy(y.float().view(-1, 256), target), bf16)
        train("GPT-2 block 4 x 256 x 768", Transformer(768, 12), torch.randn(4, 256, 768), square, bf16)


def pictures():
    target = torch.randint(0, 10, (32,))
    loss = lambda y: F.cross_entropy(y.float(), target[:len(y)])
    train("ResNet-18 of 32 x 32", resnet18(), torch.randn(32, 3, 32, 32), loss, bf16=True)
    train("ResNet-18 of 224 x 224", resnet18(stem=7), torch.randn(8, 3, 224, 224), loss)
    for batch in (1, 8):
        infer("ResNet-50, batch %d, inference" % batch, resnet50(), torch.randn(batch, 3, 224, 224))
        if not COLUMNS:
            name = "ViT-tiny, batch %d, inference" % batch
            floor(name, transformer_flops(batch, 197, 192, 12, False) + 2 * batch * 192 * (196 * 768 + 1000))
            infer(name, vit_tiny(), torch.randn(batch, 3, 224, 224))


def forward_and_backward(name, fn, *inputs):
    inputs = [t.requires_grad_() for t in inputs]
    seed = torch.randn_like(fn(*inputs))

    def step():
        for t in inputs:
            t.grad = None
        fn(*inputs).backward(seed)
    case(name + ", forward and backward", step)


def attention():
    if not hasattr(F, "scaled_dot_product_attention"):
        return
    causal = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    for batch, tokens in ((8, 128), (2, 1024), (1, 4096)):
        for dtype, title in ((torch.float32, ""), (torch.bfloat16, ", bfloat16")):
            name = "attention %d x 8 x %d x 64%s" % (batch, tokens, title)
            q, k, v = (torch.randn(batch, 8, tokens, 64).to(dtype) for _ in range(3))
            once = batch * 8 * tokens ** 2 * 64  # flops of one product, of which half is seen
            floor(name + ", forward", 2 * once, dtype == torch.bfloat16)
            floor(name + ", forward and backward", 7 * once, dtype == torch.bfloat16)  # the backward pass makes the scores again
            with torch.no_grad():
                case(name + ", forward", lambda: causal(q, k, v))
            forward_and_backward(name, causal, q, k, v)


def convolutions():
    shapes = [("conv1d 64 -> 64, 3", F.conv1d, (16, 64, 512), (64, 64, 3), dict(padding=1)),
              ("conv3d 32 -> 32, 3", F.conv3d, (2, 32, 16, 28, 28), (32, 32, 3, 3, 3), dict(padding=1)),
              ("transposed conv1d 64 -> 64, 4, stride 2", F.conv_transpose1d, (16, 64, 256), (64, 64, 4), dict(stride=2, padding=1)),
              ("transposed conv2d 64 -> 32, 4, stride 2", F.conv_transpose2d, (16, 64, 28, 28), (64, 32, 4, 4), dict(stride=2, padding=1)),
              ("depthwise conv2d 96, 3", F.conv2d, (8, 96, 56, 56), (96, 1, 3, 3), dict(padding=1, groups=96)),
              ("depthwise conv2d 96, 7", F.conv2d, (8, 96, 56, 56), (96, 1, 7, 7), dict(padding=3, groups=96))]
    for name, fn, x, w, options in shapes:
        if COLUMNS and len(x) != 4:
            continue
        x, w = torch.randn(*x), torch.randn(*w)
        if COLUMNS:
            x, w = x.to(memory_format=torch.channels_last), w.to(memory_format=torch.channels_last)
        if len(x.shape) == 3:  # those of more dimensions need fewer products than the definition has
            floor(name + ", forward and backward", 3 * 2 * x.shape[0] * x.shape[2] * w.numel())
        forward_and_backward(name, lambda x, w: fn(x, w, **options), x, w)


def operators():
    numbers, image, a, b = torch.randn(1 << 20), torch.randn(8, 16, 128, 128), torch.randn(16, 64, 128), torch.randn(16, 128, 96)
    with torch.no_grad():
        case("sort 1M", lambda: torch.sort(numbers))
        case("sort 4096 x 256, rows", lambda: torch.sort(numbers.view(4096, 256)))
        for mode in ("nearest", "bilinear", "bicubic"):
            case("resize to 224 x 224, " + mode, lambda: F.interpolate(image, size=(224, 224), mode=mode))
        case("einsum bik,bkj->bij", lambda: torch.einsum("bik,bkj->bij", a, b))
        case("einsum bik,bkj,bjl->il", lambda: torch.einsum("bik,bkj,bjl->il", a, b, b.transpose(1, 2)))


# name, options, how many arrays of the parameters' size a step reads and writes
OPTIMIZERS = [("SGD", dict(lr=1e-3, momentum=0.9), 5), ("Adam", {}, 7), ("AdamW", {}, 7), ("RMSprop", {}, 5), ("Adagrad", {}, 5),
              ("Adadelta", {}, 7), ("Adamax", {}, 7), ("NAdam", {}, 7), ("RAdam", {}, 7), ("ASGD", {}, 5), ("Rprop", {}, 7)]


def optimizers(tensors=100, size=100000):
    """PyTorch's side is the best of its implementations."""
    source, other = torch.randn(tensors * size), torch.empty(tensors * size)
    copy = measure("copy 40 MB", lambda: other.copy_(source), 0.1, 5)
    bandwidth = 2 * source.numel() * 4 / judged(copy, THREADS)
    for name, options, arrays in OPTIMIZERS:
        title, results = name + " 10M in 100 tensors", []
        for way in [{}] if SIDE == "haft" else [dict(foreach=False), dict(foreach=True), dict(fused=True)]:
            parameters = [nn.Parameter(torch.randn(size)) for _ in range(tensors)]
            for p in parameters:
                p.grad = torch.randn_like(p)
            try:
                optimizer = getattr(torch.optim, name)(parameters, **options, **way)
                optimizer.step()
            except (TypeError, RuntimeError):
                continue  # it has no such implementation
            results.append(measure(title, optimizer.step, 0.15, 5))
        best = min(results, key=lambda m: judged(m, THREADS))
        emit_time(title, THREADS, "ms", best)
        if SIDE == "haft":
            emit(title + ": share of copy bandwidth", THREADS, "%", 100 * arrays * source.numel() * 4 / judged(best, THREADS) / bandwidth)


def main():
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    if GROUP == "models":
        if not COLUMNS:
            sequences()
        pictures()
    else:
        if not COLUMNS:
            attention()
        convolutions()
        if not COLUMNS:
            operators()
            optimizers()


if __name__ == "__main__":
    main()
