// One kernel reads out by an index and three write in. Where writes may meet, either a thread walks all indices of
// a line of elements in their order (many lines), or the indices are sorted, stably, and chunks of them are summed,
// then the sums of chunks, and so on (few lines): nothing depends on which thread comes first.
#include "core/cuda/indices.cuh"

#include <bit>

#include "core/cuda/cub.h"
#include "core/cuda/stored.cuh"
#include "core/cuda/visit.cuh"

namespace haft::cuda {

namespace {

// From here on lines are so many, or up to here so short, that a thread each is best.
constexpr int64_t kManyLines = 16384, kShortLine = 64;
constexpr int kChunk = 32;

// ---- plans ----

// Operands of a walk, in this order; `table` without what the index adds.
enum Part { kFlat, kTable, kIndex, kPlace };
Operand operand(const Indexed& x, Part part) {
  Operand o{};
  switch (part) {
    case kFlat: o.data = static_cast<char*>(x.flat.data), o.item = item_size(DType(x.flat.dtype)); break;
    case kTable: o.data = static_cast<char*>(x.table.data), o.item = item_size(DType(x.table.dtype)); break;
    case kIndex: o.data = const_cast<char*>(x.index), o.item = x.wide ? 8 : 4; break;
    case kPlace: o.data = nullptr, o.item = 1; break;
  }
  return o;
}
const int64_t* strides_of(const Indexed& x, Part part) {
  return part == kFlat    ? x.flat_strides
         : part == kTable ? x.table_strides
         : part == kIndex ? x.index_strides
                          : x.place_strides;
}
// The walk over all dimensions, or over those that the index does not run along.
template <class... P>
Walk walk_of(const Indexed& x, bool with_runs, P... parts) {
  Walk w;
  w.numel = 1;
  for (Part part : {parts...}) w.operands[w.n++] = operand(x, part);
  for (int d = 0; d < x.ndim; ++d) {
    if (x.runs[d] && !with_runs) continue;
    int k = 0;
    for (Part part : {parts...}) w.operands[k++].strides[w.ndim] = strides_of(x, part)[d];
    w.sizes[w.ndim++] = x.sizes[d];
    w.numel *= x.sizes[d];
  }
  w.merge();
  return w;
}

// The same steps with two of the operands.
Walk two_of(const Walk& all, Part first, Part second) {
  Walk w = all;
  w.n = 2;
  w.operands[0] = all.operands[first];
  w.operands[1] = all.operands[second];
  return w;
}

// The dimensions that the index runs along as one: how many indices, and the step of each operand; false where they
// are not evenly spaced.
struct Run {
  int64_t count = 1, flat = 0, index = 0, place = 0;
};
bool run_of(const Indexed& x, Run* r) {
  bool even = true;
  *r = {};
  for (int d = x.ndim - 1; d >= 0; --d) {
    if (!x.runs[d] || x.sizes[d] == 1) continue;
    if (r->count == 1)
      r->flat = x.flat_strides[d], r->index = x.index_strides[d], r->place = x.place_strides[d];
    else
      even = even && x.flat_strides[d] == r->flat * r->count && x.index_strides[d] == r->index * r->count &&
             x.place_strides[d] == r->place * r->count;
    r->count *= x.sizes[d];
  }
  return even;
}

// ---- kernels ----

template <class V>
__global__ void __launch_bounds__(kThreads) take_elements(Space<4> space, IndexRule rule) {
  char* p[4];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    const int64_t at = rule.read(p[kIndex], counted(p[kPlace]));
    if (at >= 0) *reinterpret_cast<V*>(p[kFlat]) = *reinterpret_cast<const V*>(p[kTable] + at * rule.step);
  }
}
template <class V>
__global__ void __launch_bounds__(kThreads) write_elements(Space<4> space, IndexRule rule) {
  char* p[4];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    const int64_t at = rule.read(p[kIndex], counted(p[kPlace]));
    if (at >= 0) *reinterpret_cast<V*>(p[kTable] + at * rule.step) = *reinterpret_cast<const V*>(p[kFlat]);
  }
}

template <class C>
__device__ inline C joined(Join join, C a, C b) {
  switch (join) {
    case Join::sum: return fn::add(a, b);
    case Join::product: return fn::mul(a, b);
    case Join::largest: return b > a || b != b ? b : a;
    case Join::smallest: return b < a || b != b ? b : a;
    default: return b;
  }
}

template <class C>
__global__ void __launch_bounds__(kThreads)
    join_lines(Space<4> lines, IndexRule rule, Run run, Join join, DType flat_type, DType table_type) {
  char* p[4];
  for (uint32_t i = uint32_t(grid_index()); i < lines.count; i += uint32_t(grid_size())) {
    lines.at(i, p);
    for (int64_t j = 0; j < run.count; ++j) {
      const int64_t at = rule.read(p[kIndex] + j * run.index, counted(p[kPlace]) + j * run.place);
      if (at < 0) continue;
      char* const to = p[kTable] + at * rule.step;
      const C v = read_stored<C>(p[kFlat] + j * run.flat, flat_type);
      write_stored(to, table_type, join == Join::last ? v : joined(join, read_stored<C>(to, table_type), v));
    }
  }
}

// Keys of all elements of all lines: the line's number times the dimension's size, plus the index; `limit` for what
// is skipped.
template <class K>
__global__ void __launch_bounds__(kThreads) fill_keys(Space<2> lines, IndexRule rule, Run run, int64_t numel,
                                                      int64_t skipped, K limit, K* keys, K* order) {
  char* p[2];
  for (int64_t i = grid_index(); i < numel; i += grid_size()) {
    const int64_t line = i / run.count, j = i - line * run.count;
    lines.at(uint32_t(line), p);
    const int64_t at = rule.read(p[0] + j * run.index, counted(p[1]) + j * run.place);
    keys[i] = at < 0 || at == skipped ? limit : K(line * rule.size + at);
    order[i] = K(i);
  }
}

// A list of `count` entries whose keys ascend, and how those of equal keys are joined into the table. Level 0 is
// the sorted indices; each chunk of kChunk entries leaves two entries for the next level, keys and `width` values:
// what it has of the key that began before it and of the one that goes on behind it. Missing ones have the key
// `limit`.
template <class C, class K>
struct Level {
  const K *keys, *order;  // order: level 0 only
  const C* values;        // (count, width), of the other levels
  int64_t count;
  K* next_keys;
  C* next_values;
};
struct Target {
  Run run;             // of the flat side
  int64_t size, step;  // of the table's dimension
  int64_t width;       // elements that one index names, 1 where keys name lines
  bool lines;
  DType flat_type, table_type;
  Join join;
};

// Whether entry i has the key of the one before (step -1) or behind it (1): a missing entry stands at most alone
// between two of one key.
template <class K>
__device__ inline bool continues(const K* keys, int64_t count, K limit, int64_t i, int step) {
  for (int64_t at = i + step, seen = 0; seen < 2 && at >= 0 && at < count; at += step, ++seen)
    if (keys[at] != limit) return keys[at] == keys[i];
  return false;
}

template <class C, class K>
__global__ void __launch_bounds__(kThreads)
    join_chunks(Space<2> space, Target target, Level<C, K> level, K limit, int64_t chunks) {
  for (int64_t t = grid_index(); t < chunks * target.width; t += grid_size()) {
    const int64_t chunk = t / target.width, e = t - chunk * target.width;
    const int64_t begin = chunk * kChunk, end = begin + kChunk < level.count ? begin + kChunk : level.count;
    char *base[2], *line[2];
    space.at(uint32_t(target.lines ? 0 : e), base);
    auto value = [&](int64_t i) -> C {
      if (!level.order) return level.values[i * target.width + e];
      const int64_t at = int64_t(level.order[i]);
      if (!target.lines) return read_stored<C>(base[0] + at * target.run.flat, target.flat_type);
      const int64_t number = at / target.run.count;
      space.at(uint32_t(number), line);
      return read_stored<C>(line[0] + (at - number * target.run.count) * target.run.flat, target.flat_type);
    };
    bool left_first = false, left_last = false;
    auto leave = [&](int slot, K key, C v) {
      (slot ? left_last : left_first) = true;
      level.next_values[(2 * chunk + slot) * target.width + e] = v;
      if (e == 0) level.next_keys[2 * chunk + slot] = key;
    };
    auto finish = [&](K key, C v, bool before, bool behind) {
      if (before) return leave(0, key, v);
      if (behind) return leave(1, key, v);
      char* to = base[1];
      int64_t at = int64_t(key);
      if (target.lines) {
        const int64_t number = at / target.size;
        space.at(uint32_t(number), line);
        to = line[1];
        at -= number * target.size;
      }
      to += at * target.step;
      write_stored(
          to, target.table_type,
          target.join == Join::last ? v : joined(target.join, read_stored<C>(to, target.table_type), v));
    };
    K key = limit;
    C sum = C(0);
    bool before = false;
    int64_t last = begin;
    for (int64_t i = begin; i < end; ++i) {
      const K k = level.keys[i];
      if (k == limit) continue;
      const C v = value(i);
      if (k == key) {
        sum = joined(target.join, sum, v);
      } else {
        if (key == limit)
          before = continues(level.keys, level.count, limit, i, -1);
        else
          finish(key, sum, before, false), before = false;
        key = k;
        sum = v;
      }
      last = i;
    }
    if (key != limit) finish(key, sum, before, continues(level.keys, level.count, limit, last, 1));
    if (e == 0 && !left_first) level.next_keys[2 * chunk] = limit;
    if (e == 0 && !left_last) level.next_keys[2 * chunk + 1] = limit;
  }
}

// ---- drivers ----

// Elements of the flat side and of the table that can be moved together: bytes.
int64_t vector_of(const Walk& w, int64_t step) {
  const int last = w.ndim - 1;
  if (w.operands[kIndex].strides[last] || w.operands[kPlace].strides[last]) return 1;
  const int64_t item = w.operands[kFlat].item;
  for (int64_t n = 16 / item; n > 1; n /= 2)
    if (w.sizes[last] % n == 0 && step % (item * n) == 0 && w.in_vectors(kFlat, n) && w.in_vectors(kTable, n))
      return n;
  return 1;
}

// f.template operator()<V>(space) for all pieces of a walk, V as wide as elements can be moved.
template <class F>
void for_moves(const Indexed& x, F&& f) {
  const Walk whole = walk_of(x, true, kFlat, kTable, kIndex, kPlace);
  if (whole.numel == 0) return;
  for (const Walk& w : pieces(whole)) {
    const int64_t n = vector_of(w, x.step);
    const Space<4> space(w, n);
    if (n * w.operands[kFlat].item == 16)
      f.template operator()<Vector<uint32_t, 4>>(space);
    else
      visit_size(n * w.operands[kFlat].item, [&]<class V>() { f.template operator()<V>(space); });
  }
}

// Elements are bits, where nothing is computed with them.
DType as_bits(DType t) {
  const int64_t item = item_size(t);
  return item == 1 ? DType::u8 : item == 2 ? DType::i16 : item == 4 ? DType::i32 : DType::i64;
}

template <class K>
void join_sorted(const Call& c, const Indexed& x, const Run& run, Join join, int64_t skipped, int64_t numel,
                 K limit) {
  const bool lines = numel != run.count;
  const IndexRule rule(c, x);
  K *const keys = c.scratch<K>(numel), *const order = c.scratch<K>(numel),
           *const sorted_keys = c.scratch<K>(numel), *const sorted = c.scratch<K>(numel);
  // Lines have one numbering, whichever of their operands is looked at.
  const Walk all = walk_of(x, false, kFlat, kTable, kIndex, kPlace);
  Walk indices = two_of(all, kIndex, kPlace);
  if (!lines) {  // one line, whatever it is that its indices name
    indices.ndim = 1;
    indices.sizes[0] = indices.numel = 1;
  }
  launch(c, blocks_for(c, numel), fill_keys<K>, Space<2>(indices), rule, run, numel, skipped, limit, keys,
         order);
  sort_pairs(c, keys, sorted_keys, order, sorted, numel, int(std::bit_width(uint64_t(limit) | 1)));
  const DType flat = DType(x.flat.dtype), table = DType(x.table.dtype);
  const bool bits = join == Join::last;
  const Walk targets = lines ? two_of(all, kFlat, kTable) : walk_of(x, false, kFlat, kTable);
  for (const Walk& w : pieces(targets)) {
    const Space<2> space(w);
    const Target target{run,
                        x.size,
                        x.step,
                        lines ? 1 : w.numel,
                        lines,
                        bits ? as_bits(flat) : flat,
                        bits ? as_bits(table) : table,
                        join};
    visit_compute(target.table_type, [&]<class C>() {
      Level<C, K> level{sorted_keys, sorted, nullptr, numel, nullptr, nullptr};
      for (;;) {
        const int64_t chunks = (level.count + kChunk - 1) / kChunk;
        level.next_keys = c.scratch<K>(2 * chunks);
        level.next_values = c.scratch<C>(2 * chunks * target.width);
        launch(c, blocks_for(c, chunks * target.width), join_chunks<C, K>, space, target, level, limit,
               chunks);
        if (chunks == 1) break;
        level = {level.next_keys, nullptr, level.next_values, 2 * chunks, nullptr, nullptr};
      }
    });
  }
}

// `sort`: never by lines, so that each element of the table is written once.
void join_into(const Call& c, const Indexed& x, Join join, int64_t skipped, bool sort) {
  Run run;
  if (!run_of(x, &run)) {  // dense memory is evenly spaced
    Indexed dense_flat = x;
    dense_flat.flat = scratch_view(c, {x.sizes, size_t(x.ndim)}, DType(x.flat.dtype));
    haft_tensor_view as_walked = dense_flat.flat;
    as_walked.data = x.flat.data;
    as_walked.contiguous = 0;
    const int64_t item = item_size(DType(x.flat.dtype));
    for (int d = 0; d < x.ndim; ++d) {
      as_walked.strides[d] = x.flat_strides[d] / item;
      dense_flat.flat_strides[d] = dense_flat.flat.strides[d] * item;
    }
    copy_view(c, dense_flat.flat, as_walked);
    return join_into(c, dense_flat, join, skipped, sort);
  }
  const Walk lines = walk_of(x, false, kFlat, kTable, kIndex, kPlace);
  if (lines.numel == 0 || run.count == 0) return;
  const DType flat = DType(x.flat.dtype), table = DType(x.table.dtype);
  if (!sort && (lines.numel >= kManyLines || run.count <= kShortLine)) {
    const bool bits = join == Join::last;
    for (const Walk& w : pieces(lines))
      visit_compute(bits ? as_bits(table) : table, [&]<class C>() {
        launch(c, blocks_for(c, w.numel), join_lines<C>, Space<4>(w), IndexRule(c, x), run, join,
               bits ? as_bits(flat) : flat, bits ? as_bits(table) : table);
      });
    return;
  }
  // Indices that are the same for all lines are sorted once, and name slices.
  bool slices = true;
  for (int d = 0; d < x.ndim; ++d)
    slices = slices && (x.runs[d] || x.sizes[d] == 1 || x.index_strides[d] == 0);
  const int64_t numel = slices ? run.count : lines.numel * run.count,
                limit = slices ? x.size : lines.numel * x.size;
  if (numel < int64_t(1) << 32 && limit < int64_t(1) << 32)
    join_sorted<uint32_t>(c, x, run, join, skipped, numel, uint32_t(limit));
  else
    join_sorted<uint64_t>(c, x, run, join, skipped, numel, uint64_t(limit));
}

bool is_wide(const Call& c, const haft_tensor_view& index) {
  if (DType(index.dtype) != DType::i64 && DType(index.dtype) != DType::i32)
    fail_dtype(c, DType(index.dtype), "int64 or int32 for an index");
  return DType(index.dtype) == DType::i64;
}
int64_t item_of(const haft_tensor_view& v) { return item_size(DType(v.dtype)); }

Indexed indexed(const Call& c, const haft_tensor_view& table, const haft_tensor_view& index,
                const haft_tensor_view& flat, int64_t dim) {
  Indexed x;
  x.flat = flat;
  x.table = table;
  x.index = static_cast<const char*>(index.data);
  x.wide = is_wide(c, index);
  x.negative = x.checked = false;
  x.dim = dim;
  x.size = table.ndim ? table.sizes[dim] : 1;
  x.step = table.ndim ? table.strides[dim] * item_of(table) : 0;
  return x;
}

// offsets[j] = (first ? 0 : offsets[j]) + index[j] * stride, -1 for what is wrong in any of them.
__global__ void __launch_bounds__(kThreads) add_offsets(Space<3> space, IndexRule rule, bool first) {
  char* p[3];
  for (uint32_t i = uint32_t(grid_index()); i < space.count; i += uint32_t(grid_size())) {
    space.at(i, p);
    int64_t* const to = reinterpret_cast<int64_t*>(p[0]);
    const int64_t at = rule.read(p[1], counted(p[2])), before = first ? 0 : *to;
    *to = at < 0 || before < 0 ? -1 : before + at * rule.step;
  }
}

}  // namespace

void Indexed::add(int64_t n, int64_t flat_stride, int64_t table_stride, int64_t index_stride,
                  int64_t place_stride, bool run) {
  sizes[ndim] = n;
  flat_strides[ndim] = flat_stride, table_strides[ndim] = table_stride;
  index_strides[ndim] = index_stride, place_strides[ndim] = place_stride;
  runs[ndim++] = run;
}

Indexed along_dim(const Call& c, const haft_tensor_view& table, const haft_tensor_view& index,
                  const haft_tensor_view& flat, int64_t dim) {
  Indexed x = indexed(c, table, index, flat, dim);
  for (int d = 0; d < table.ndim; ++d) {
    if (d == dim)
      x.add(index.numel, flat.strides[d] * item_of(flat), 0,
            index.ndim ? index.strides[0] * item_of(index) : 0, 1, true);
    else
      x.add(table.sizes[d], flat.strides[d] * item_of(flat), table.strides[d] * item_of(table), 0, 0, false);
  }
  return x;
}

Indexed rows_of(const Call& c, const haft_tensor_view& table, const haft_tensor_view& index,
                const haft_tensor_view& flat) {
  Indexed x = indexed(c, table, index, flat, 0);
  int64_t places[HAFT_MAX_DIMS], place = 1;
  for (int d = index.ndim - 1; d >= 0; --d) places[d] = place, place *= index.sizes[d];
  for (int d = 0; d < index.ndim; ++d)
    x.add(index.sizes[d], flat.strides[d] * item_of(flat), 0, index.strides[d] * item_of(index), places[d],
          true);
  x.add(table.sizes[1], flat.strides[index.ndim] * item_of(flat), table.strides[1] * item_of(table), 0, 0,
        false);
  return x;
}

Indexed by_element(const Call& c, const haft_tensor_view& table, const haft_tensor_view& index,
                   const haft_tensor_view& flat, int64_t dim) {
  Indexed x = indexed(c, table, index, flat, dim);
  int64_t places[HAFT_MAX_DIMS], place = 1;
  for (int d = index.ndim - 1; d >= 0; --d) places[d] = place, place *= index.sizes[d];
  for (int d = 0; d < index.ndim; ++d)
    x.add(index.sizes[d], flat.ndim ? flat.strides[d] * item_of(flat) : 0,
          d == dim || !table.ndim ? 0 : table.strides[d] * item_of(table), index.strides[d] * item_of(index),
          places[d], d == dim);
  return x;
}

Indexed advanced(const Call& c, const haft_tensor_view& table, const haft_tensor_view* const* indices, int n,
                 const haft_tensor_view& flat) {
  int first = -1, last = -1, used = 0;
  for (int k = 0; k < n; ++k) {
    if (!indices[k]) continue;
    if (first < 0) first = k;
    last = k;
    ++used;
  }
  haft_tensor_view none{};  // no index at all: one that names the only element
  none.ndim = 0, none.numel = 1;
  const haft_tensor_view& shape = used ? *indices[first] : none;
  Indexed x;
  x.flat = flat;
  x.table = table;
  x.checked = used != 1;
  x.negative = used == 1;
  haft_tensor_view index = shape;
  if (used == 1) {
    index = dense(c, shape);
    x.size = table.sizes[first];
    x.step = table.strides[first] * item_of(table);
    x.dim = first;
  } else {
    // Several become offsets in the table, which are an index of its elements.
    index = scratch_view(c, sizes(shape), DType::i64);
    x.size = 1;
    x.step = item_of(table);
    x.dim = 0;
    if (!used) c.zero(index.data, 8);
    for (int k = 0; k < n; ++k) {
      if (!indices[k]) continue;
      x.size = table.sizes[k] && x.size ? x.size + (table.sizes[k] - 1) * table.strides[k] : 0;
      Indexed one = indexed(c, table, *indices[k], index, k);
      one.negative = true;
      one.step = table.strides[k];
      Walk w;
      w.add(index);
      w.add(*indices[k]);
      w.operands[w.n] = operand(one, kPlace);
      for (int d = 0; d < index.ndim; ++d) w.operands[w.n].strides[d] = index.strides[d];
      ++w.n;
      if (w.numel == 0) continue;
      w.merge();
      for (const Walk& piece : pieces(w))
        launch(c, blocks_for(c, piece.numel), add_offsets, Space<3>(piece), IndexRule(c, one), k == first);
    }
  }
  x.index = static_cast<const char*>(index.data);
  x.wide = is_wide(c, index);
  // Indexed dimensions that stand together keep their place; otherwise the index comes first.
  const int at = used && last - first + 1 == used ? first : 0;
  int64_t places[HAFT_MAX_DIMS], place = 1;
  for (int d = index.ndim - 1; d >= 0; --d) places[d] = place, place *= index.sizes[d];
  const int flat_ndim = table.ndim - used + index.ndim;
  int own = 0, to = 0;
  // A flat side of fewer dimensions, or of sizes 1, is the same for all.
  auto flat_stride = [&]() -> int64_t {
    const int d = to++ - (flat_ndim - flat.ndim);
    return d < 0 || flat.sizes[d] == 1 ? 0 : flat.strides[d] * item_of(flat);
  };
  auto index_dims = [&] {
    for (int d = 0; d < index.ndim; ++d)
      x.add(index.sizes[d], flat_stride(), 0, index.strides[d] * item_of(index), places[d], true);
  };
  for (int d = 0; d < table.ndim; ++d) {
    if (d < n && indices[d]) continue;
    if (own++ == at) index_dims();
    x.add(table.sizes[d], flat_stride(), table.strides[d] * item_of(table), 0, 0, false);
  }
  if (own <= at) index_dims();
  return x;
}

void take(const Call& c, const Indexed& x) {
  const IndexRule rule(c, x);
  for_moves(x, [&]<class V>(const Space<4>& space) {
    launch(c, blocks_for(c, space.count), take_elements<V>, space, rule);
  });
}

void put(const Call& c, const Indexed& x, Join join) {
  if (join != Join::last || c.deterministic()) return join_into(c, x, join, -1, false);
  const IndexRule rule(c, x);
  for_moves(x, [&]<class V>(const Space<4>& space) {
    launch(c, blocks_for(c, space.count), write_elements<V>, space, rule);
  });
}

void sum_rows(const Call& c, const Indexed& x, int64_t skipped) { join_into(c, x, Join::sum, skipped, true); }

}  // namespace haft::cuda
