"""What bench/dist.c measures, with PyTorch's Gloo: all_reduce.py FOLDER RANKS."""
import sys

from together import Together, median_of_turn

folder, ranks = sys.argv[1], int(sys.argv[2])
group = Together(folder, ranks)
import torch  # by each rank for itself
import torch.distributed as dist

torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=group.rank, world_size=ranks)
wall, x = 0, torch.zeros(0)
while True:
    size, times = group.next_turn(wall)
    if not size:
        break
    if x.numel() != int(size) // 4:
        x = torch.zeros(int(size) // 4)
    wall = median_of_turn(times, lambda: dist.all_reduce(x))
dist.destroy_process_group()
