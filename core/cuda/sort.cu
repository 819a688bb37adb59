// sort (stable) and topk along any dimension. Elements become unsigned keys of the same order beside their
// position: every comparison is one of integers, ties fall to the lower position, and NaN is the largest key. Short
// rows go through a network in shared memory, several in a block; longer ones that fit are sorted there by their
// digits; the first k of those that do not are found by their digits and then sorted there; else all keys are
// sorted at once by CUB, below the number of their row.
#include "core/cuda/sort.h"

#include <algorithm>
#include <bit>

#include "core/cuda/cub.h"
#include "core/cuda/device.h"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

constexpr int kMostInNetwork = 128, kMostInBlock = 16384;  // elements of a row
constexpr int kMostFirst = 2048;                           // of those that are selected from a longer row

// A tensor as rows along one dimension.
struct Rows {
  char* data;
  int64_t step;  // bytes from one element of a row to the next
  int ndim = 0;  // of the other dimensions, neighbours merged
  int64_t sizes[HAFT_MAX_DIMS], strides[HAFT_MAX_DIMS];
  DType dtype;
  int32_t item;

  Rows(const haft_tensor_view& v, int64_t dim)
      : data(static_cast<char*>(v.data)), dtype(DType(v.dtype)), item(int32_t(item_size(dtype))) {
    step = v.ndim ? v.strides[dim] * item : item;
    for (int d = 0; d < v.ndim; ++d) {
      if (d == dim || v.sizes[d] == 1) continue;
      const int64_t stride = v.strides[d] * item;
      const bool joins = ndim && strides[ndim - 1] == stride * v.sizes[d];
      const int to = joins ? ndim - 1 : ndim++;
      sizes[to] = (joins ? sizes[to] : 1) * v.sizes[d];
      strides[to] = stride;
    }
  }
  __device__ char* row(int64_t r) const {
    char* p = data;
    for (int d = ndim - 1; d > 0; --d) {
      const int64_t q = r / sizes[d];
      p += (r - q * sizes[d]) * strides[d];
      r = q;
    }
    return ndim ? p + r * strides[0] : p;
  }
};

__device__ inline void copy_item(char* to, const char* from, int item) {
  switch (item) {
    case 1: *to = *from; return;
    case 2: *reinterpret_cast<uint16_t*>(to) = *reinterpret_cast<const uint16_t*>(from); return;
    case 4: *reinterpret_cast<uint32_t*>(to) = *reinterpret_cast<const uint32_t*>(from); return;
    default: *reinterpret_cast<uint64_t*>(to) = *reinterpret_cast<const uint64_t*>(from); return;
  }
}

// Keys of 64 bits are those of float64 and int64, all others have up to 32: as many as the type, in the lowest.
constexpr int key_bits(DType t) { return 8 * int(item_size(t)); }
template <class Key>
__device__ inline Key key_of(const char* p, DType t, bool descending) {
  Key key, all = ~Key(0);
  if constexpr (sizeof(Key) == 4) {
    switch (t) {
      case DType::f32: {
        const float v = *reinterpret_cast<const float*>(p);
        const uint32_t u = __float_as_uint(__fadd_rn(v, 0.0f));  // -0 equals 0
        key = v != v ? all : u >> 31 ? ~u : u | 0x80000000u;
        break;
      }
      case DType::f16:
      case DType::bf16: {
        const uint32_t u = *reinterpret_cast<const uint16_t*>(p), size = u & 0x7fffu;
        all = 0xffffu;
        key = size > (t == DType::f16 ? 0x7c00u : 0x7f80u) ? all
              : size && u >> 15                            ? ~u & all
                                                           : size | 0x8000u;
        break;
      }
      case DType::i16: key = *reinterpret_cast<const uint16_t*>(p) ^ 0x8000u, all = 0xffffu; break;
      case DType::i8: key = *reinterpret_cast<const uint8_t*>(p) ^ 0x80u, all = 0xffu; break;
      case DType::u8:
      case DType::boolean: key = *reinterpret_cast<const uint8_t*>(p), all = 0xffu; break;
      default: key = *reinterpret_cast<const uint32_t*>(p) ^ 0x80000000u; break;
    }
  } else {
    if (t == DType::f64) {
      const double v = *reinterpret_cast<const double*>(p);
      const uint64_t u = uint64_t(__double_as_longlong(__dadd_rn(v, 0.0)));
      key = v != v ? ~uint64_t(0) : u >> 63 ? ~u : u | uint64_t(1) << 63;
    } else {
      key = *reinterpret_cast<const uint64_t*>(p) ^ uint64_t(1) << 63;
    }
  }
  return descending ? key ^ all : key;
}

// A key and its position in the row as one number, and the number's bytes from the highest on.
template <class Key>
struct Item;
template <>
struct Item<uint32_t> {
  uint64_t bits;
  static constexpr int digits = 8;

  __device__ static Item of(uint32_t key, uint32_t at) { return {uint64_t(key) << 32 | at}; }
  __device__ bool operator<(const Item& o) const { return bits < o.bits; }
  __device__ uint32_t at() const { return uint32_t(bits); }
  __device__ uint32_t digit(int level) const { return uint32_t(bits >> (56 - 8 * level)) & 255u; }
  __device__ void set_digit(int level, uint32_t d) { bits |= uint64_t(d) << (56 - 8 * level); }
  // The first `level` bytes; what is behind them is 0.
  __device__ Item prefix(int level) const {
    return {level ? bits >> (64 - 8 * level) << (64 - 8 * level) : 0};
  }
};
template <>
struct Item<uint64_t> {
  uint64_t key;
  uint32_t place;
  static constexpr int digits = 12;

  __device__ static Item of(uint64_t key, uint32_t at) { return {key, at}; }
  __device__ bool operator<(const Item& o) const { return key != o.key ? key < o.key : place < o.place; }
  __device__ uint32_t at() const { return place; }
  __device__ uint32_t digit(int level) const {
    return level < 8 ? uint32_t(key >> (56 - 8 * level)) & 255u : place >> (88 - 8 * level) & 255u;
  }
  __device__ void set_digit(int level, uint32_t d) {
    if (level < 8)
      key |= uint64_t(d) << (56 - 8 * level);
    else
      place |= d << (88 - 8 * level);
  }
  __device__ Item prefix(int level) const {
    if (level == 0) return {0, 0};
    if (level <= 8) return {key >> (64 - 8 * level) << (64 - 8 * level), 0};
    return {key, place >> (96 - 8 * level) << (96 - 8 * level)};
  }
};

// Sorts each run of `padded` items (a power of two, at least 2) among `total` of shared memory: Batcher's bitonic
// network. Pairs that are at most 32 apart belong to one warp, which needs no other.
template <class P>
__device__ void sort_shared(P* items, int total, int padded) {
  for (int size = 2; size <= padded; size *= 2)
    for (int j = size / 2; j > 0; j /= 2) {
      if (j > 16 || size == 2)
        __syncthreads();
      else
        __syncwarp();
      for (int p = int(threadIdx.x); p < total / 2; p += int(blockDim.x)) {
        const int i = (p & ~(j - 1)) * 2 | (p & (j - 1));
        const P a = items[i], b = items[i + j];
        if ((b < a) == ((i & size & (padded - 1)) == 0)) items[i] = b, items[i + j] = a;
      }
    }
  __syncthreads();
}

// The places of a row's first k items, in order.
__device__ inline void write_place(const Rows& x, const char* from, char* values, int64_t value_step,
                                   char* places, int64_t place_step, int64_t i, int64_t at) {
  *reinterpret_cast<int64_t*>(places + i * place_step) = at;
  if (values) copy_item(values + i * value_step, from + at * x.step, x.item);
}

template <class Key>
__global__ void __launch_bounds__(kThreads) sort_short(Rows x, Rows values, Rows places, int64_t rows, int n,
                                                       int k, int padded, int together, bool descending) {
  HAFT_DYNAMIC_SHARED(Item<Key>, items);
  const int total = padded * together;
  for (int64_t first = int64_t(blockIdx.x) * together; first < rows; first += int64_t(gridDim.x) * together) {
    for (int e = int(threadIdx.x); e < total; e += int(blockDim.x)) {
      const int64_t row = first + e / padded;
      const int i = e & (padded - 1);
      items[e] = row < rows && i < n
                     ? Item<Key>::of(key_of<Key>(x.row(row) + i * x.step, x.dtype, descending), uint32_t(i))
                     : Item<Key>::of(~Key(0), ~uint32_t(0));
    }
    sort_shared(items, total, padded);
    for (int e = int(threadIdx.x); e < together * k; e += int(blockDim.x)) {
      const int64_t row = first + e / k;
      if (row >= rows) break;
      const int i = e % k;
      write_place(x, x.row(row), values.data ? values.row(row) : nullptr, values.step, places.row(row),
                  places.step, i, items[e / k * padded + i].at());
    }
    __syncthreads();
  }
}

// Rows by their digits, a block each: threads hold kItems elements, warps next to each other in their order. A pass
// ranks elements by a byte of their keys: those of a warp by ballots and the counts of what the warp had before,
// warps and bytes by sums of these counts. Ranks keep the order of equal bytes, so the passes go from the lowest.
// Threads are a power of two where they are fewer than digits.
constexpr int kDigits = 256;
template <class Key>
struct Digits {
  uint16_t* counts;  // [warps][kDigits]
  Key* keys;
  uint16_t* places;

  __device__ Digits(unsigned char* shared, int threads, int items)
      : counts(reinterpret_cast<uint16_t*>(shared + size_t(threads * items) * sizeof(Key))),
        keys(reinterpret_cast<Key*>(shared)),
        places(counts + threads / kWarp * kDigits) {}
  static size_t bytes(int threads, int items) {
    return size_t(threads * items) * (sizeof(Key) + sizeof(uint16_t)) +
           size_t(threads / kWarp * kDigits) * sizeof(uint16_t);
  }
};
template <class Key, int kItems, int kMostThreads>
__global__ void __launch_bounds__(kMostThreads, kItems == 8           ? 6
                                                : kMostThreads == 256 ? 2
                                                                      : 1)
    sort_digits(Rows x, Rows values, Rows places, int64_t rows, int n, int k, int bits, bool descending) {
  HAFT_DYNAMIC_SHARED(unsigned char, memory);
  __shared__ uint32_t sums[kDigits / kWarp];
  __shared__ int same[2];  // of this pass and of the next
  const Digits<Key> shared(memory, int(blockDim.x), kItems);
  const int thread = int(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp,
            warps = int(blockDim.x) / kWarp;
  const int missing = int(blockDim.x) * kItems - n, first = warp * kWarp * kItems + lane;
  const int each = int(blockDim.x) < kDigits ? kDigits / int(blockDim.x) : 1;  // digits that a thread sums
  const unsigned below = (1u << lane) - 1;
  uint16_t* const mine = shared.counts + warp * kDigits;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const char* const from = x.row(row);
    // Rows come and go through shared memory, by loops: addresses of all elements at once would take the registers.
#pragma unroll 4
    for (int i = thread; i < int(blockDim.x) * kItems; i += int(blockDim.x))
      shared.keys[i] = i < n ? key_of<Key>(from + i * x.step, x.dtype, descending) : ~Key(0);
    if (thread == 0) same[0] = 0;
    __syncthreads();
    Key keys[kItems];
    uint32_t at[kItems];  // positions, below ranks
#pragma unroll
    for (int u = 0; u < kItems; ++u) {
      keys[u] = shared.keys[first + u * kWarp];
      at[u] = uint32_t(first + u * kWarp);
    }
    for (int bit = 0, turn = 0; bit < bits; bit += 8, turn ^= 1) {
      for (int d = lane; d < kDigits; d += kWarp) mine[d] = 0;
      __syncwarp();
#pragma unroll
      for (int u = 0; u < kItems; ++u) {
        const uint32_t digit = uint32_t(keys[u] >> bit) & 255u;
        unsigned peers = kAllLanes;
#pragma unroll
        for (int b = 0; b < 8; ++b) {
          const unsigned votes = __ballot_sync(kAllLanes, digit >> b & 1);
          peers &= digit >> b & 1 ? votes : ~votes;
        }
        const int before = mine[digit];
        __syncwarp();
        if ((peers & below) == 0) mine[digit] = uint16_t(before + __popc(peers));
        __syncwarp();
        at[u] = (at[u] & 0xffffu) | uint32_t(before + __popc(peers & below)) << 16;
      }
      __syncthreads();
      if (thread == 0) same[turn ^ 1] = 0;
      uint32_t total = 0, sum = 0;
      if (thread * each < kDigits) {
        for (int d = thread * each; d < (thread + 1) * each; ++d) {
          const uint32_t before = total;
          for (int w = 0; w < warps; ++w) {
            uint16_t& count = shared.counts[w * kDigits + d];
            const uint32_t own = count;
            count = uint16_t(total);
            total += own;
          }
          if (int(total - before) == n + (d == kDigits - 1 ? missing : 0)) same[turn] = 1;
        }
        sum = total;
        for (int step = 1; step < kWarp; step *= 2) {
          const uint32_t o = __shfl_up_sync(kAllLanes, sum, step);
          if (lane >= step) sum += o;
        }
        if (lane == kWarp - 1) sums[warp] = sum;
      }
      __syncthreads();
      if (same[turn]) continue;  // one byte for all: nothing moves
      if (thread * each < kDigits) {
        sum -= total;
        for (int w = 0; w < warp; ++w) sum += sums[w];
        for (int d = thread * each; d < (thread + 1) * each; ++d)
          for (int w = 0; w < warps; ++w) shared.counts[w * kDigits + d] += uint16_t(sum);
      }
      __syncthreads();
#pragma unroll
      for (int u = 0; u < kItems; ++u) {
        const uint32_t to = (at[u] >> 16) + mine[uint32_t(keys[u] >> bit) & 255u];
        shared.keys[to] = keys[u];
        shared.places[to] = uint16_t(at[u]);
      }
      __syncthreads();
#pragma unroll
      for (int u = 0; u < kItems; ++u) {
        keys[u] = shared.keys[first + u * kWarp];
        at[u] = shared.places[first + u * kWarp];
      }
    }
#pragma unroll
    for (int u = 0; u < kItems; ++u) shared.places[first + u * kWarp] = uint16_t(at[u]);
    __syncthreads();
    char *const to_values = values.data ? values.row(row) : nullptr, *const to_places = places.row(row);
#pragma unroll 4
    for (int i = thread; i < k; i += int(blockDim.x))
      write_place(x, from, to_values, values.step, to_places, places.step, i, shared.places[i]);
    __syncthreads();
  }
}

// One warp: the byte under which the left-th item falls, `left` among those of this byte, and how many `found` have it.
template <class P>
__device__ void choose_digit(const uint32_t* counts, int level, P* wanted, uint32_t* left, uint32_t* found) {
  constexpr int kEach = 256 / kWarp;
  const int lane = int(threadIdx.x);
  const uint32_t rank = *left;
  uint32_t own = 0;
  for (int i = 0; i < kEach; ++i) own += counts[lane * kEach + i];
  uint32_t sum = own;
  for (int step = 1; step < kWarp; step *= 2) {
    const uint32_t before = __shfl_up_sync(kAllLanes, sum, step);
    if (lane >= step) sum += before;
  }
  uint32_t before = sum - own;
  if (before >= rank || rank > sum) return;  // another lane's
  int digit = lane * kEach;
  for (; before + counts[digit] < rank; ++digit) before += counts[digit];
  wanted->set_digit(level, uint32_t(digit));
  *left = rank - before;
  *found = counts[digit];
}

// A block takes a row and finds its k-th item byte by byte: of those that agree so far it counts the next byte.
constexpr int kSelectThreads = 512;
template <class Key>
__global__ void __launch_bounds__(kSelectThreads)
    select_first(Rows x, Rows values, Rows places, int64_t rows, int64_t n, int k, int padded, int bits,
                 bool descending) {
  HAFT_DYNAMIC_SHARED(Item<Key>, items);
  __shared__ uint32_t counts[256];
  __shared__ Item<Key> wanted;
  __shared__ uint32_t left, found;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const char* const from = x.row(row);
    auto item = [&](int64_t i) {
      return Item<Key>::of(key_of<Key>(from + i * x.step, x.dtype, descending), uint32_t(i));
    };
    if (threadIdx.x == 0) wanted = Item<Key>::of(0, 0), left = uint32_t(k), found = 0;
    int level = Item<Key>::digits - 4 - bits / 8;  // what is above the type is 0
    for (bool more = true; more && level < Item<Key>::digits; ++level) {
      for (int i = int(threadIdx.x); i < 256; i += int(blockDim.x)) counts[i] = 0;
      __syncthreads();
      const Item<Key> so_far = wanted;
      // Neighbours often agree in their first bytes: a run of equal ones is one addition.
      uint32_t digit = 0, run = 0;
      for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        const Item<Key> one = item(i), begin = one.prefix(level);
        if (begin < so_far || so_far < begin) continue;
        const uint32_t d = one.digit(level);
        if (d != digit && run) atomicAdd(&counts[digit], run), run = 0;
        digit = d;
        ++run;
      }
      if (run) atomicAdd(&counts[digit], run);
      __syncthreads();
      if (threadIdx.x < kWarp) choose_digit(counts, level, &wanted, &left, &found);
      __syncthreads();
      more = found != left;
      __syncthreads();
    }
    const Item<Key> last = wanted;
    if (threadIdx.x == 0) found = 0;
    for (int i = int(threadIdx.x); i < padded; i += int(blockDim.x))
      if (i >= k) items[i] = Item<Key>::of(~Key(0), ~uint32_t(0));
    __syncthreads();
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      const Item<Key> one = item(i);
      if (!(last < one.prefix(level))) items[atomicAdd(&found, 1u)] = one;
    }
    sort_shared(items, padded, padded);
    for (int i = int(threadIdx.x); i < k; i += int(blockDim.x))
      write_place(x, from, values.data ? values.row(row) : nullptr, values.step, places.row(row), places.step,
                  i, items[i].at());
    __syncthreads();
  }
}

// Keys of all rows, below the row's number where the key leaves room for it.
template <class Key, class Word, class Place>
__global__ void __launch_bounds__(kThreads)
    fill_keys(Rows x, int64_t numel, int64_t n, Word* keys, Place* at, int bits, bool descending) {
  for (int64_t i = grid_index(); i < numel; i += grid_size()) {
    const int64_t row = i / n;
    const Key key = key_of<Key>(x.row(row) + (i - row * n) * x.step, x.dtype, descending);
    if constexpr (sizeof(Word) > sizeof(Key))
      keys[i] = uint64_t(row) << bits | key;
    else
      keys[i] = key;
    at[i] = Place(i);
  }
}
template <class Place>
__global__ void __launch_bounds__(kThreads)
    fill_row_numbers(const Place* at, Place* keys, int64_t numel, int64_t n) {
  for (int64_t i = grid_index(); i < numel; i += grid_size()) keys[i] = Place(uint64_t(at[i]) / uint64_t(n));
}
template <class Place>
__global__ void __launch_bounds__(kThreads)
    write_places(Rows x, Rows values, Rows places, int64_t rows, int64_t n, int64_t k, const Place* sorted) {
  for (int64_t e = grid_index(); e < rows * k; e += grid_size()) {
    const int64_t row = e / k, i = e - row * k, at = int64_t(sorted[row * n + i]) - row * n;
    write_place(x, x.row(row), values.data ? values.row(row) : nullptr, values.step, places.row(row),
                places.step, i, at);
  }
}

struct Sorting {
  const Call& c;
  Rows x, values, places;
  int64_t rows, n, k;
  bool descending;

  template <class Key>
  void by_network() const {
    const int padded = int(std::bit_ceil(uint64_t(n < 2 ? 2 : n))),
              together = padded < 512 ? 512 / padded : 1;
    const int64_t blocks = (rows + together - 1) / together;
    Shape3 s;
    s.grid.x = uint32_t(blocks < (1 << 20) ? blocks : 1 << 20);
    s.block.x = kThreads;
    s.shared = size_t(padded * together) * sizeof(Item<Key>);
    launch(c, s, sort_short<Key>, x, values, places, rows, int(n), int(k), padded, together, descending);
  }
  // Whether a row fits in a block's memory; some GPUs have less than half of others'.
  template <class Key, int kItems, int kMostThreads>
  bool by_digits() const {
    const int fill = int((n + kItems * kWarp - 1) / (kItems * kWarp)) * kWarp,
              threads = fill < kDigits ? int(std::bit_ceil(unsigned(fill))) : fill;
    constexpr size_t kStatic = 64;  // bytes that the kernel has besides
    Shape3 s;
    s.grid.x = uint32_t(std::min<int64_t>(rows, 1 << 20));
    s.block.x = uint32_t(threads);
    s.shared = Digits<Key>::bytes(threads, kItems);
    if (s.shared + kStatic > size_t(c.state.facts.max_shared_per_block)) return false;
    const auto kernel = sort_digits<Key, kItems, kMostThreads>;
    if (s.shared > 48 << 10) c.allow_shared(reinterpret_cast<const void*>(kernel), s.shared);
    launch(c, s, kernel, x, values, places, rows, int(n), int(k), key_bits(x.dtype), descending);
    return true;
  }
  template <class Key>
  void first() const {
    const int padded = int(std::bit_ceil(uint64_t(k < 2 ? 2 : k)));
    Shape3 s;
    s.grid.x = uint32_t(rows < (1 << 20) ? rows : 1 << 20);
    s.block.x = kSelectThreads;
    s.shared = size_t(padded) * sizeof(Item<Key>);
    launch(c, s, select_first<Key>, x, values, places, rows, n, int(k), padded, key_bits(x.dtype),
           descending);
  }
  template <class Key, class Word, class Place>
  void everything() const {
    const int64_t numel = rows * n;
    const int row_bits = int(std::bit_width(uint64_t(rows - 1))), bits = key_bits(x.dtype);
    Word *keys = c.scratch<Word>(numel), *sorted_keys = c.scratch<Word>(numel);
    Place *at = c.scratch<Place>(numel), *sorted = c.scratch<Place>(numel);
    launch(c, blocks_for(c, numel), fill_keys<Key, Word, Place>, x, numel, n, keys, at, bits, descending);
    sort_pairs(c, keys, sorted_keys, at, sorted, numel, sizeof(Word) > sizeof(Key) ? bits + row_bits : bits);
    if constexpr (sizeof(Key) == 8)
      if (rows > 1) {  // by row, of which each is in order already
        Place *const of = reinterpret_cast<Place*>(keys), *const sorted_of =
                                                              reinterpret_cast<Place*>(sorted_keys);
        launch(c, blocks_for(c, numel), fill_row_numbers<Place>, sorted, of, numel, n);
        sort_pairs(c, of, sorted_of, sorted, at, numel, row_bits);
        sorted = at;
      }
    launch(c, blocks_for(c, rows * k), write_places<Place>, x, values, places, rows, n, k, sorted);
  }
  template <class Key>
  void run() const {
    if (n <= kMostInNetwork) return by_network<Key>();
    if (k <= kMostFirst && k <= n / 4 && n < int64_t(1) << 32 && (rows >= 16 || n <= 1 << 18))
      return first<Key>();
    if (n <= 1024 && by_digits<Key, 8, 128>()) return;
    if (n > 1024 && n <= 4096 && by_digits<Key, 16, 256>()) return;
    if constexpr (sizeof(Key) == 8)
      if (n > 4096 && n <= 8192 && by_digits<Key, 16, 512>()) return;
    if constexpr (sizeof(Key) == 4)
      if (n > 4096 && n <= kMostInBlock && by_digits<Key, 16, 1024>()) return;
    const bool narrow = rows * n < int64_t(1) << 32;
    if constexpr (sizeof(Key) == 4)
      if (rows == 1 && narrow) return everything<uint32_t, uint32_t, uint32_t>();
    narrow ? everything<Key, uint64_t, uint32_t>() : everything<Key, uint64_t, uint64_t>();
  }
};

}  // namespace

void sort_along(const Call& c, const haft_tensor_view& x, const haft_tensor_view* values,
                const haft_tensor_view& indices, int64_t dim, int64_t k, bool descending) {
  if (x.numel == 0 || k == 0) return;
  if (dim < 0) dim += x.ndim;
  const int64_t n = x.ndim ? x.sizes[dim] : 1;
  Rows to(values ? *values : indices, dim);
  if (!values) to.data = nullptr;
  const Sorting sorting{c, Rows(x, dim), to, Rows(indices, dim), x.numel / n, n, k, descending};
  const DType t = DType(x.dtype);
  if (t == DType::f64 || t == DType::i64)
    sorting.run<uint64_t>();
  else
    sorting.run<uint32_t>();
}

// attrs: dim, descending
void k_sort(const Call& c) {
  const haft_tensor_view& x = c.in(0);
  const int64_t dim = c.attrs.i(0) < 0 ? c.attrs.i(0) + x.ndim : c.attrs.i(0);
  sort_along(c, x, &c.out(0), c.out(1), dim, x.ndim ? x.sizes[dim] : 1, c.attrs.b(1));
}

// attrs: k, dim, largest
void k_topk(const Call& c) {
  sort_along(c, c.in(0), &c.out(0), c.out(1), c.attrs.i(1), c.attrs.i(0), c.attrs.b(2));
}

}  // namespace haft::cuda
