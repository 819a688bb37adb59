"""One training step against an installed haft: the loss falls."""
import haft
from haft._library import _haft

haft.manual_seed(1)
x = haft.randn(16, 4)
net = haft.nn.Linear(4, 4)
sgd = haft.optim.SGD(net.parameters(), lr=0.1)
losses = []
for _ in range(2):
    sgd.zero_grad()
    loss = haft.nn.functional.mse_loss(net(x), x)
    loss.backward()
    sgd.step()
    losses.append(loss.item())
print("%s: loss %.4f, then %.4f" % (_haft.library_path(), *losses))
raise SystemExit(losses[1] >= losses[0])
