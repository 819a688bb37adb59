"""haft.distributed.rpc and parameter_server: processes are real."""
import tempfile
import time
import unittest

import haft
import haft.distributed.rpc as rpc
import haft.multiprocessing as mp
from haft.distributed.parameter_server import ParameterClient, ParameterServer


def run(worker, n, *args):
    """worker(rank, ...) in n processes that have an agent each; what they raise is raised here."""
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(_started, args=(worker, n, "file://" + folder + "/store") + args, nprocs=n)


def _started(rank, worker, n, url, *args):
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=n, rpc_backend_options=rpc.TensorPipeRpcBackendOptions(init_method=url))
    try:
        worker(rank, *args)
    except BaseException:
        rpc.shutdown(graceful=False)
        raise
    rpc.shutdown()


def scaled(x, by=1):
    return {"y": x * by, "who": rpc.get_worker_info().name}


def failing(text):
    raise KeyError(text)


class Unpicklable(Exception):
    def __init__(self, a, b):
        super().__init__(a)
        self.f = lambda: b


def raising_strangely():
    raise Unpicklable("strange", 1)


@rpc.functions.async_execution
def through(to, x):
    return rpc.rpc_async(to, haft.add, args=(x, 1)).then(lambda f: f.wait() * 10)


class Counter:
    def __init__(self, start):
        self.n = start

    def add(self, k):
        self.n += k
        return self.n


def read(rref, k):
    return rref.rpc_sync().add(k), rref.owner_name()


def raises(type_, text, f):
    try:
        f()
    except type_ as e:
        assert text in str(e), str(e)
        return
    raise AssertionError(f"no {type_.__name__}")


def calls(rank):
    to = f"worker{(rank + 1) % 3}"
    x = haft.arange(6.0).reshape(2, 3)
    r = rpc.rpc_sync(to, scaled, args=(x,), kwargs={"by": 3})
    assert r["who"] == to and haft.equal(r["y"], x * 3)
    assert rpc.get_worker_info(to) == rpc.WorkerInfo(to, (rank + 1) % 3)
    futures = [rpc.rpc_async(k, haft.add, args=(x, k)) for k in range(3)]
    for k, f in enumerate(futures):
        assert haft.equal(f.wait(), x + k)
    needing = rpc.rpc_sync(to, haft.Tensor.clone, args=(haft.ones(2, requires_grad=True).detach().requires_grad_(),))
    assert needing.shape == (2,)
    raises(KeyError, "nothing here", lambda: rpc.rpc_sync(to, failing, args=("nothing here",)))
    raises(KeyError, "test_rpc.py", lambda: rpc.rpc_sync(to, failing, args=("x",)))
    raises(RuntimeError, "strange", lambda: rpc.rpc_sync(to, raising_strangely))
    raises(ValueError, "rank (0 to 2)", lambda: rpc.rpc_sync(7, failing))
    assert haft.equal(rpc.rpc_sync(to, through, args=(f"worker{rank}", x)), (x + 1) * 10)
    assert rpc.rpc_async(to, haft.add, args=(x, 1)).then(lambda f: float(f.wait().sum())).wait() == 21.0


def references(rank):
    to = (rank + 1) % 3
    counter = rpc.remote(to, Counter, args=(rank * 100,))
    assert not counter.is_owner() and counter.owner().id == to
    assert counter.rpc_sync().add(5) == rank * 100 + 5
    assert counter.rpc_async().add(1).wait() == rank * 100 + 6
    assert counter.remote().add(1).to_here() == rank * 100 + 7
    # Through a third process, which holds it for a while.
    assert rpc.rpc_sync((rank + 2) % 3, read, args=(counter, 3)) == (rank * 100 + 10, f"worker{to}")
    assert counter.to_here().n == rank * 100 + 10
    raises(RuntimeError, "to_here()", counter.local_value)
    mine = rpc.RRef(haft.ones(3))
    assert mine.is_owner() and mine.local_value() is mine.to_here()
    assert haft.equal(rpc.rpc_sync(to, there, args=(mine,)), haft.ones(3) * 2)
    failed = rpc.remote(to, failing, args=("made badly",))
    raises(KeyError, "made badly", failed.to_here)


def there(rref):
    return rref.to_here() * 2


class Holder:
    """Refers to a value of its own process."""

    made = 0

    def __init__(self, _):
        self.inner = rpc.RRef(1)
        Holder.made += 1


class Slow:
    """What arrives after messages that were sent behind it."""

    def __reduce__(self):
        return time.sleep, (0.3,)


def dropped(rank):
    if rank:
        return
    for _ in range(10):
        counter = rpc.remote(1, Counter, args=(1,))
        counter.to_here()
    del counter
    for to in (0, 1):
        rpc.remote(to, Holder, args=(Slow(),))  # nobody keeps it
        while rpc.rpc_sync(to, made) < 1:
            pass
        while rpc.rpc_sync(to, kept):
            pass


def made():
    return Holder.made


def kept():
    return len(rpc._agent.values)


def trained(rank, mode):
    if rank == 0:
        with ParameterServer(mode, workers=2, optimizer="SGD", staleness=1, lr=0.1, momentum=0.5) as server:
            for who in (1, 2):
                rpc._agent.store.get(f"left{who}")
            info = server.info()
            assert info.rows == 3 and info.parameters == 3, info
        return
    client = ParameterClient(["worker0"])
    haft.manual_seed(rank)
    model = haft.nn.Linear(4, 1)
    parameters = dict(model.named_parameters())
    for k, p in parameters.items():
        client.add(k, haft.zeros_like(p))
    client.add_table("bias of users", rows=10 ** 12, width=1)
    users = haft.tensor([3, 10 ** 11, 7])
    target = haft.tensor([1.0, -2.0, 3.0, 0.5])
    offsets = haft.tensor([0.5, -0.5, 1.0])
    for step in range(300):
        client.pull(parameters)
        rows = client.pull_rows("bias of users", users).requires_grad_()
        x = haft.randn(3, 4)
        loss = ((model(x) + rows - (x @ target + offsets).unsqueeze(1)) ** 2).mean()
        model.zero_grad()
        loss.backward()
        client.push({k: p.grad for k, p in parameters.items()})
        client.push_rows("bias of users", users, rows.grad)
        assert client.step() == step + 1
    # Whoever came late pushed gradients of old values: it has had steps of its own since.
    rpc._agent.store.set(f"trained{rank}", "")
    for who in (1, 2):
        rpc._agent.store.get(f"trained{who}")
    versions = client.pull(parameters)
    assert all(v >= 300 for v in versions.values()), versions
    assert (model.weight.detach().flatten() - target).abs().max() < 0.05, model.weight
    client.leave()
    rpc._agent.store.set(f"left{rank}", "")


class Rpc(unittest.TestCase):
    def test_calls(self):
        run(calls, 3)

    def test_references(self):
        run(references, 3)
        run(dropped, 2)

    def test_parameter_server(self):
        for mode in ("synchronous", "asynchronous", "bounded"):
            run(trained, 3, mode)
        raises(ValueError, "synchronous, asynchronous, bounded", lambda: ParameterServer("sync"))

    def test_without_an_agent(self):
        raises(RuntimeError, "init_rpc", lambda: rpc.rpc_sync("worker0", failing))


if __name__ == "__main__":
    unittest.main()
