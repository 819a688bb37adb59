"""Datasets of one's own, read by worker processes."""
import os

import torch
from torch.utils.data import (ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, TensorDataset,
                              WeightedRandomSampler, get_worker_info, random_split)


class Squares(Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if index >= self.size:
            raise IndexError(index)
        return {"x": torch.full((2,), float(index)), "square": index * index, "name": f"item {index}"}


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, 10, step))


class Where(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return os.getpid()


def as_list(batch):
    return [item["square"] for item in batch]


def main():
    for batch in DataLoader(Squares(10), batch_size=4, num_workers=2):
        print(batch["x"].tolist(), batch["square"], batch["name"])
    print(list(DataLoader(Squares(10), batch_size=4, collate_fn=as_list, num_workers=2, drop_last=True)))

    # A new order each epoch, every item once.
    torch.manual_seed(1)
    loader = DataLoader(Squares(50), batch_size=8, shuffle=True, num_workers=3, persistent_workers=True)
    orders = [torch.cat([batch["square"] for batch in loader]).tolist() for _ in range(2)]
    print(orders[0] != orders[1], sorted(orders[0]) == sorted(orders[1]) == [i * i for i in range(50)], len(loader))

    print([batch.tolist() for batch in DataLoader(Stream(), batch_size=2, num_workers=2)])
    pids = set(torch.cat(list(DataLoader(Where(), num_workers=2))).tolist())
    print(len(pids), os.getpid() in pids)

    both = ConcatDataset([Squares(3), Subset(Squares(10), [7, 8])])
    print(len(both), [both[i]["square"] for i in range(len(both))])
    train, test = random_split(Squares(10), [7, 3], generator=torch.Generator().manual_seed(42))
    print(len(train), len(test), sorted(i["square"] for part in (train, test) for i in part))
    data = TensorDataset(torch.arange(6.0), torch.arange(6))
    for x, y in DataLoader(data, batch_size=4, num_workers=1):
        print(x, y)
    drawn = list(WeightedRandomSampler([0.0, 1.0, 0.0, 1.0], 20))
    print(set(drawn) <= {1, 3}, len(drawn))

    try:
        list(DataLoader(Squares(3), sampler=[0, 1, 9], num_workers=2))
    except IndexError:
        print("IndexError arrived")


if __name__ == "__main__":
    main()
