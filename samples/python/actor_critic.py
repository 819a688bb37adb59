#!/usr/bin/env python3
"""An actor and a critic learn to balance a pole on a cart (Barto, Sutton and Anderson, 1983; the figures of Gym's CartPole-v1).

usage: actor_critic.py [--seed N] [--steps N] [--threads N] [--device cpu]

Proximal policy optimization (Schulman et al., arXiv:1707.06347): some carts go on for a while, the critic says how much better each push
went than expected (arXiv:1506.02438), and the actor moves towards what went well, never far in one go. A push that the pole survives is
worth 1, an episode ends after 500; the task counts as solved at a mean of 475 over the last 100 episodes, and the sample ends there.
"""
import argparse
import collections
import math
import random
import sys

import haft
from haft import nn, optim
from haft.nn import functional as F

CARTS, ROLLOUT, PASSES, BATCH = 8, 64, 8, 256
LIMIT, SOLVED = 500, 475
DISCOUNT, TRACE, CLIP, ENTROPY = 0.98, 0.9, 0.2, 0.001


class Cart:
    """A pole of 1 m and 100 g on a cart of 1 kg, which is pushed by 10 N to the left or to the right fifty times a second."""

    def __init__(self, draw):
        self.draw = draw
        self.reset()

    def reset(self):
        self.steps = 0
        self.state = [self.draw.uniform(-0.05, 0.05) for _ in range(4)]  # place, speed, angle, angular speed

    def push(self, right):
        """Whether the pole has fallen, or the cart has left its 4.8 m."""
        x, v, angle, turn = self.state
        sin, cos = math.sin(angle), math.cos(angle)
        force = ((10 if right else -10) + 0.05 * turn * turn * sin) / 1.1
        bend = (9.8 * sin - cos * force) / (0.5 * (4 / 3 - 0.1 * cos * cos / 1.1))
        speedup = force - 0.05 * bend * cos / 1.1
        self.state = [x + 0.02 * v, v + 0.02 * speedup, angle + 0.02 * turn, turn + 0.02 * bend]
        self.steps += 1
        return abs(self.state[0]) > 2.4 or abs(self.state[2]) > math.radians(12)


def network(outputs):
    return nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


@haft.no_grad()
def roll(actor, carts, episodes):
    """What the carts go through: states, pushes, states after them (all ROLLOUT x CARTS), which of these are falls, which ends of episodes."""
    states, pushes, nexts, falls, ends = [], [], [], [], []
    device = next(actor.parameters()).device
    for _ in range(ROLLOUT):
        now = haft.tensor([cart.state for cart in carts], device=device)
        push = haft.multinomial(F.softmax(actor(now), 1), 1).flatten()
        fallen = [cart.push(right) for cart, right in zip(carts, push.tolist())]
        over = [fell or cart.steps == LIMIT for cart, fell in zip(carts, fallen)]
        states.append(now)
        pushes.append(push)
        nexts.append(haft.tensor([cart.state for cart in carts], device=device))
        falls.append(fallen)
        ends.append(over)
        for cart, ended in zip(carts, over):
            if ended:
                episodes.append(cart.steps)
                cart.reset()
    return haft.stack(states), haft.stack(pushes), haft.stack(nexts), haft.tensor(falls, device=device), haft.tensor(ends, device=device)


@haft.no_grad()
def judge(critic, states, nexts, falls, ends):
    """How much better each push went than the critic expected, and what it should have expected."""
    values = critic(states).squeeze(-1)
    after = critic(nexts).squeeze(-1).masked_fill(falls, 0)  # an episode that the clock ends would have gone on
    surprise = 1 + DISCOUNT * after - values
    goes_on = DISCOUNT * TRACE * (~ends).float()
    advantage = haft.zeros_like(values)
    rest = haft.zeros(CARTS, device=values.device)
    for t in reversed(range(ROLLOUT)):
        rest = surprise[t] + goes_on[t] * rest
        advantage[t] = rest
    return advantage, advantage + values


def learn(actor, critic, optimizer, states, pushes, advantage, expected):
    """Some passes over what was seen."""
    states, pushes, advantage, expected = states.flatten(0, 1), pushes.flatten().unsqueeze(1), advantage.flatten(), expected.flatten()
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    with haft.no_grad():
        before = F.log_softmax(actor(states), 1).gather(1, pushes).squeeze(1)
    for _ in range(PASSES):
        for part in haft.randperm(len(states), device=states.device).split(BATCH):
            logs = F.log_softmax(actor(states[part]), 1)
            ratio = haft.exp(logs.gather(1, pushes[part]).squeeze(1) - before[part])
            gain = haft.minimum(ratio * advantage[part], ratio.clamp(1 - CLIP, 1 + CLIP) * advantage[part]).mean()
            entropy = -(logs.exp() * logs).sum(1).mean()  # who is sure too early tries nothing any more
            error = F.mse_loss(critic(states[part]).squeeze(1), expected[part])
            optimizer.zero_grad()
            (0.5 * error - gain - ENTROPY * entropy).backward()
            nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 0.5)
            optimizer.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of weights, pushes and where episodes begin (0)")
    parser.add_argument("--steps", type=int, default=400_000, help="pushes after which it gives up (400000)")
    parser.add_argument("--threads", type=int, default=1, help="of an operator; more are no faster here (1)")
    parser.add_argument("--device", default="cpu", help="where it computes: cpu, or cuda:0 where its plug-in is installed (cpu)")
    o = parser.parse_args()
    haft.set_num_threads(o.threads)
    haft.manual_seed(o.seed)
    actor, critic = network(2).to(o.device), network(1).to(o.device)
    optimizer = optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
    carts, episodes = [Cart(random.Random(o.seed * 1000 + i)) for i in range(CARTS)], collections.deque(maxlen=100)
    mean = 0.0
    for rollout in range(1, o.steps // (ROLLOUT * CARTS) + 1):
        states, pushes, nexts, falls, ends = roll(actor, carts, episodes)
        learn(actor, critic, optimizer, states, pushes, *judge(critic, states, nexts, falls, ends))
        mean = sum(episodes) / max(1, len(episodes))
        solved = len(episodes) == 100 and mean >= SOLVED
        if solved or rollout % 20 == 0:
            print(f"{rollout * ROLLOUT * CARTS:7d} pushes: {mean:5.1f} a pole over the last {len(episodes)} episodes", flush=True)
        if solved:
            print(f"solved: a mean of {mean:.1f}, wanted {SOLVED}")
            return 0
    print(f"not solved: a mean of {mean:.1f}, wanted {SOLVED}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
