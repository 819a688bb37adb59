// CTC: sums over all ways to spread a target over the steps, in logarithms. The target's states are its labels with
// blanks around and between them, state s even: blank. alpha[t][s] is the logarithm of all ways to state s at step t,
// beta[t][s] of all ways from it to the end. A block goes through the steps of a sequence, its threads through the
// states; what a class's states weigh is added in their order.
#include <algorithm>

#include "core/cuda/numbers.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

constexpr int kStateThreads = 256;
constexpr int64_t kSharedRoom = 48 << 10;  // bytes of a block's states that shared memory takes

struct Lattice {
  int64_t steps, batch, classes, states, blank;  // states of the longest target
  const int64_t *targets, *step_counts, *target_lengths;

  __device__ int64_t label(int64_t n, int64_t s) const {
    return s % 2 ? targets[n * (states / 2) + s / 2] : blank;
  }
  // Whether a way may lead from state s - 2 to s: between different labels.
  __device__ bool jumps(int64_t n, int64_t s) const {
    return s % 2 && s >= 3 && label(n, s) != label(n, s - 2);
  }
};

template <class C>
__device__ inline C never() {
  return C(-fn::infinity());
}
// log(exp(a) + exp(b) + exp(c)); -infinity where there is nothing to add.
template <class C>
__device__ inline C log_add(C a, C b, C c) {
  C top = a > b ? a : b;
  top = c > top ? c : top;
  if (top == never<C>()) return top;
  return fn::log(fn::exp(a - top) + fn::exp(b - top) + fn::exp(c - top)) + top;
}

// `room` is null where two rows of states fit into shared memory, whose place the rows of alpha take otherwise.
template <class C>
__global__ void __launch_bounds__(kStateThreads, 1)
    ctc_forward(Lattice z, const C* lp, C* loss, C* alpha, bool in_shared) {
  HAFT_DYNAMIC_SHARED(C, room);
  for (int64_t n = blockIdx.x; n < z.batch; n += gridDim.x) {
    const int64_t steps = z.step_counts[n], states = 2 * z.target_lengths[n] + 1;
    C* out = alpha + n * z.steps * z.states;
    C* before = nullptr;
    for (int64_t t = 0; t < z.steps; ++t, out += z.states) {
      C* now = in_shared ? room + t % 2 * z.states : out;
      const C* row = lp + (t * z.batch + n) * z.classes;
      for (int64_t s = threadIdx.x; s < z.states; s += blockDim.x) {
        C v = never<C>();
        if (t < steps && s < states) {
          if (t > 0)
            v = log_add(before[s], s >= 1 ? before[s - 1] : never<C>(),
                        z.jumps(n, s) ? before[s - 2] : never<C>()) +
                row[z.label(n, s)];
          else if (s < 2)
            v = row[z.label(n, s)];
        }
        out[s] = v;
        if (in_shared) now[s] = v;
      }
      __syncthreads();
      before = now;
      if (t == steps - 1 && threadIdx.x == 0) {
        const C a = now[states - 1], b = states > 1 ? now[states - 2] : never<C>();
        loss[n] = -log_add(a, b, never<C>());
      }
    }
    if (steps == 0 && threadIdx.x == 0) loss[n] = states == 1 ? C(0) : -never<C>();
    __syncthreads();
  }
}

// Of one sequence while its gradient is made: beta, what is read of it at the step before, weights, and the next
// state of the same label.
template <class C>
struct Room {
  C *beta, *next, *weights;
  int32_t* same;
  __device__ Room(void* memory, int64_t states)
      : beta(static_cast<C*>(memory)),
        next(beta + states),
        weights(next + states),
        same(reinterpret_cast<int32_t*>(weights + states)) {}
};
template <class C>
constexpr int64_t room_bytes(int64_t states) {
  return (states * int64_t(3 * sizeof(C) + sizeof(int32_t)) + 15) / 16 * 16;
}
// Room::same of a state is the next state of its label, or 0; of one that is not the first of its label it is -1
// minus that.
__device__ inline int32_t next_of(int32_t mark) { return mark < 0 ? -1 - mark : mark; }

// dx is zero before.
template <class C>
__global__ void __launch_bounds__(kStateThreads, 1)
    ctc_backward(Lattice z, const C* grad, const C* lp, const C* loss, const C* alpha, void* dx, DType t_dx,
                 char* memory) {
  HAFT_DYNAMIC_SHARED(char, shared);
  __shared__ C sums[kWarp];
  const Room<C> room(memory ? memory + int64_t(blockIdx.x) * room_bytes<C>(z.states) : shared, z.states);
  for (int64_t n = blockIdx.x; n < z.batch; n += gridDim.x) {
    const int64_t steps = z.step_counts[n], states = 2 * z.target_lengths[n] + 1;
    const C g = grad[n], lost = loss[n];
    if (g == C(0)) continue;  // a loss that nobody asked for has no gradient, were it infinite
    if (lost == -never<C>()) {
      for (int64_t t = 0; t < steps; ++t)
        for (int64_t k = threadIdx.x; k < z.classes; k += blockDim.x)
          write_number(dx, t_dx, (t * z.batch + n) * z.classes + k, C(fn::not_a_number()));
      continue;
    }
    for (int64_t s = threadIdx.x; s < states; s += blockDim.x) {
      const int64_t label = z.label(n, s);
      int32_t mark = -1;
      if (s % 2 && label != z.blank) {
        bool first = true;
        for (int64_t k = s - 2; k > 0 && first; k -= 2) first = z.label(n, k) != label;
        int64_t k = s + 2;
        while (k < states && z.label(n, k) != label) k += 2;
        mark = int32_t(k < states ? k : 0);
        if (!first) mark = -1 - mark;
      }
      room.same[s] = mark;
    }
    __syncthreads();
    for (int64_t t = steps - 1; t >= 0; --t) {
      const int64_t at = (t * z.batch + n) * z.classes;
      if (t < steps - 1) {
        const C* row = lp + at + z.batch * z.classes;
        for (int64_t s = threadIdx.x; s < states; s += blockDim.x)
          room.next[s] = room.beta[s] + row[z.label(n, s)];
        __syncthreads();
      }
      C blanks = C(0);
      for (int64_t s = threadIdx.x; s < states; s += blockDim.x) {
        C beta = s + 2 >= states ? C(0) : never<C>();
        if (t < steps - 1)
          beta = log_add(room.next[s], s + 1 < states ? room.next[s + 1] : never<C>(),
                         s + 2 < states && z.jumps(n, s + 2) ? room.next[s + 2] : never<C>());
        room.beta[s] = beta;
        const C w = fn::exp(alpha[(n * z.steps + t) * z.states + s] + beta + lost);
        room.weights[s] = w;
        if (z.label(n, s) == z.blank) blanks += w;
      }
      blanks = group_join(blanks, kStateThreads, sums, Plus());  // weights are there for all, too
      if (threadIdx.x == 0) write_number(dx, t_dx, at + z.blank, -(g * blanks));
      for (int64_t s = 2 * int64_t(threadIdx.x) + 1; s < states; s += 2 * int64_t(blockDim.x)) {
        if (room.same[s] < 0) continue;
        C sum = room.weights[s];
        for (int32_t k = room.same[s]; k > 0; k = next_of(room.same[k])) sum += room.weights[k];
        write_number(dx, t_dx, at + z.label(n, s), -(g * sum));
      }
      __syncthreads();
    }
  }
}

Lattice lattice(const Call& c, int first) {
  const haft_tensor_view &x = c.in(first), &targets = c.in(first + 1);
  return {x.sizes[0],
          x.sizes[1],
          x.sizes[2],
          2 * targets.sizes[1] + 1,
          c.attrs.i(0),
          static_cast<const int64_t*>(targets.data),
          c.data<int64_t>(first + 2),
          c.data<int64_t>(first + 3)};
}
Shape3 sequences(int64_t batch) {
  Shape3 s;
  s.grid.x = uint32_t(std::min<int64_t>(batch, INT32_MAX)), s.block.x = kStateThreads;
  return s;
}

}  // namespace

// in: log_probs, targets, input_lengths, target_lengths; out: loss, alpha
void k_ctc_loss_rows(const Call& c) {
  const Lattice z = lattice(c, 0);
  if (z.batch == 0) return;
  visit_computed(c, c.dtype(0), [&]<class C>() {
    const haft_tensor_view x = dense(c, c.in(0), kStored<C>);
    Shape3 s = sequences(z.batch);
    const int64_t rows = 2 * z.states * int64_t(sizeof(C));
    const bool in_shared = rows <= kSharedRoom;
    s.shared = in_shared ? size_t(rows) : 0;
    launch(c, s, ctc_forward<C>, z, static_cast<const C*>(x.data), c.out_data<C>(0), c.out_data<C>(1),
           in_shared);
  });
}
// in: grad, log_probs, targets, input_lengths, target_lengths, loss, alpha
void k_ctc_loss_backward(const Call& c) {
  const Lattice z = lattice(c, 1);
  c.zero(c.out().data, bytes(c.out()));
  if (z.batch == 0 || c.out().numel == 0) return;
  visit_computed(c, c.dtype(1), [&]<class C>() {
    const haft_tensor_view grad = dense(c, c.in(0), kStored<C>), x = dense(c, c.in(1), kStored<C>),
                           loss = dense(c, c.in(5), kStored<C>), alpha = dense(c, c.in(6), kStored<C>);
    Shape3 s = sequences(z.batch);
    const int64_t room = room_bytes<C>(z.states);
    char* memory = nullptr;
    if (room <= kSharedRoom - 1024)
      s.shared = size_t(room);
    else
      memory = c.scratch<char>(room * s.grid.x);
    launch(c, s, ctc_backward<C>, z, static_cast<const C*>(grad.data), static_cast<const C*>(x.data),
           static_cast<const C*>(loss.data), static_cast<const C*>(alpha.data), c.out().data, c.out_dtype(),
           memory);
  });
}

}  // namespace haft::cuda
