"""Calls of functions of another process, and values that stay where they were made."""
import os

import torch
import torch.distributed.rpc as rpc
import torch.multiprocessing as mp


def scaled_sum(tensors, factor=1.0):
    return sum(t.sum() for t in tensors) * factor


class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, n):
        self.value += n
        return self.value


def counted(rref, n):
    return rref.local_value().add(n)


def refuse():
    raise ValueError("not today")


def run(rank, world_size, port):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = str(port)
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=world_size)
    if rank == 0:
        x = torch.arange(4.0)
        print(rpc.rpc_sync("worker1", torch.add, args=(x, 1)))
        futures = [rpc.rpc_async("worker1", scaled_sum, args=([x, x * k],), kwargs={"factor": 0.5}) for k in range(3)]
        print([f.wait().item() for f in futures])
        counter = rpc.remote("worker1", Counter, args=(10,))
        print(counter.owner().name, rpc.rpc_sync("worker1", counted, args=(counter, 5)), counter.rpc_sync().add(2))
        print(rpc.remote("worker1", torch.mul, args=(x, x)).to_here())
        try:
            rpc.rpc_sync("worker1", refuse)
        except ValueError as error:
            print("refused:", "not today" in str(error))
    rpc.shutdown()


if __name__ == "__main__":
    free = 10000 + os.getpid() % 20000  # below those that the system gives to others, who may be many
    mp.spawn(run, args=(2, free), nprocs=2, join=True)
