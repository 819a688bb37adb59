#include "core/rpc/parameter_table.h"

#include <numeric>

#include "core/autograd/hooks.h"
#include "core/base/thread_state.h"
#include "core/dispatch/generator.h"
#include "core/io/tensors.h"
#include "core/ops/functions.h"

namespace haft::rpc {

namespace {

Tensor part_of(const Tensor& t, int64_t from, int64_t count) {
  return view_over(*t.impl(), std::array{count, t.size(1)}, t.strides(), from * t.size(1));
}

// One step of an optimizer over these parameters, whose gradients are set.
std::vector<ParameterState> step_all(const Rule& rule, std::span<const Tensor> parameters,
                                     std::span<const Tensor> gradients, std::vector<ParameterState> states) {
  Optimizer o(*rule.kind, parameters, rule.options);
  for (size_t i = 0; i < parameters.size(); ++i) {
    Tensor p = parameters[i];
    set_requires_grad(p, true);
    set_gradient(p, gradients[i]);
  }
  std::vector<ParameterGroup> groups(1);
  groups[0].options = rule.options;
  groups[0].parameters.assign(parameters.begin(), parameters.end());
  groups[0].states = std::move(states);
  o.take_state(std::move(groups));
  o.step();
  for (const Tensor& p : parameters) set_gradient(p, {});
  return o.group(0).states;
}

}  // namespace

Unique::Unique(std::span<const int64_t> all) {
  std::unordered_map<int64_t, int64_t> known;
  index.reserve(all.size());
  for (int64_t id : all) {
    const auto [it, fresh] = known.try_emplace(id, int64_t(ids.size()));
    if (fresh) ids.push_back(id);
    index.push_back(it->second);
  }
}
Tensor Unique::sum(const Tensor& rows) const {
  if (ids.size() == index.size()) return rows;
  NoGradGuard no_grad;
  return ops::index_add_(ops::zeros(std::array{int64_t(ids.size()), rows.size(1)}, rows.dtype(), Device{}), 0,
                         to_ids(index), rows);
}

std::span<const int64_t> ids_of(const Tensor& ids) {
  if (ids.dtype() != DType::i64 || !ids.device().is_cpu())
    fail(Code::dtype,
         concat("numbers of rows must be an int64 tensor of the CPU, got ", dtype_name(ids.dtype())), {},
         "rows");
  if (!ids.is_contiguous())
    fail(Code::shape, "numbers of rows must be dense", "make them contiguous", "rows");
  return {ids.data<int64_t>(), size_t(ids.numel())};
}
Tensor to_ids(std::span<const int64_t> ids) {
  Tensor t = new_tensor(std::array{int64_t(ids.size())}, DType::i64);
  if (!ids.empty()) std::memcpy(t.data<void>(), ids.data(), ids.size_bytes());
  return t;
}

Parameter::Parameter(Tensor part, int64_t total, int64_t offset)
    : total_(total), offset_(offset), value_(std::move(part)) {}
Parameter::Parameter(const TableShape& table) : table_(table) {
  value_ = new_tensor(std::array{int64_t(0), table.width}, table.dtype);
}

void Parameter::check_same(std::string_view key, int64_t total, int64_t offset, const Tensor& part) const {
  if (is_table()) fail(Code::mismatch, concat("'", key, "' is a table"), {}, "key");
  if (total != total_ || offset != offset_ || part.numel() != value_.numel() ||
      part.dtype() != value_.dtype())
    fail(Code::mismatch,
         concat("'", key, "' has ", total_, " elements of ", dtype_name(value_.dtype()), " in ",
                value_.numel(), " from ", offset_, " here, another process says ", total, " of ",
                dtype_name(part.dtype()), " in ", part.numel(), " from ", offset),
         "all workers add the same parameters and name the same servers", "key");
}
void Parameter::check_same(std::string_view key, const TableShape& t) const {
  if (t.rows != table_.rows || t.width != table_.width || t.dtype != table_.dtype || t.std != table_.std ||
      t.seed != table_.seed)
    fail(Code::mismatch,
         concat("'", key, "' is ", is_table() ? "a table of another shape, type or beginning" : "no table"),
         "all workers add the same parameters", "key");
}

void Parameter::check_gradient(std::string_view key, const Tensor& g) const {
  if (is_table()) fail(Code::invalid_argument, concat("'", key, "' is a table"), "push rows", "key");
  if (g.numel() != value_.numel() || g.ndim() != 1)
    fail(Code::shape,
         concat("a gradient of '", key, "' has the shape ", g.sizes(), ", wanted [", value_.numel(), "]"), {},
         "gradients");
  if (!is_float(g.dtype()))
    fail(Code::dtype,
         concat("a gradient of '", key, "' is ", dtype_name(g.dtype()), ", wanted a floating type"), {},
         "gradients");
}
void Parameter::check_rows(std::string_view key, const Tensor& ids, const Tensor* g) const {
  if (!is_table())
    fail(Code::invalid_argument, concat("'", key, "' is no table"), "pull and push it as a whole", "key");
  for (int64_t id : ids_of(ids))
    if (id < 0 || id >= table_.rows)
      fail(Code::index, concat("'", key, "' has no row ", id, ", it has ", table_.rows), {}, "rows");
  if (!g) return;
  if (g->ndim() != 2 || g->size(0) != ids.numel() || g->size(1) != table_.width)
    fail(Code::shape,
         concat("gradients of ", ids.numel(), " rows of '", key, "' have the shape ", g->sizes(),
                ", wanted [", ids.numel(), ", ", table_.width, "]"),
         {}, "gradients");
  if (!is_float(g->dtype()))
    fail(Code::dtype,
         concat("gradients of '", key, "' are ", dtype_name(g->dtype()), ", wanted a floating type"), {},
         "gradients");
}

void Parameter::step(const Rule& rule, const Tensor& gradient) {
  const Tensor g = gradient.dtype() == value_.dtype() ? gradient : ops::cast(gradient, value_.dtype());
  state_ = step_all(rule, {&value_, 1}, {&g, 1}, {state_})[0];
  ++version;
}

void Parameter::grow(Tensor& t, int64_t rows) const {
  Tensor larger = ops::zeros(std::array{rows, table_.width}, table_.dtype, Device{});
  if (t.defined() && t.bytes()) std::memcpy(larger.data<void>(), t.data<void>(), size_t(t.bytes()));
  t = std::move(larger);
}

int64_t Parameter::place_of(int64_t id) {
  const auto [it, fresh] = places_.try_emplace(id, int64_t(ids_.size()));
  if (!fresh) return it->second;
  try {
    const int64_t place = it->second;
    if (place == value_.size(0)) {
      const int64_t room = std::max<int64_t>(16, 2 * place);
      for (Tensor& slot : state_.slots)
        if (slot.defined()) grow(slot, room);
      grow(value_, room);
    }
    if (table_.std != 0) {
      Generator g(table_.seed);
      g.offset = uint64_t(id) * uint64_t((table_.width + 3) / 4);
      const Tensor first = ops::normal(0, table_.std, std::array{table_.width}, table_.dtype, Device{}, &g);
      std::memcpy(value_.data<char>() + place * first.bytes(), first.data<void>(), size_t(first.bytes()));
    }
    steps_.push_back(0);
    ids_.push_back(id);
    return place;
  } catch (...) {
    steps_.resize(ids_.size());
    places_.erase(it);
    throw;
  }
}

Tensor Parameter::gather(const Tensor& from, std::span<const int64_t> places) const {
  Tensor t = new_tensor(std::array{int64_t(places.size()), table_.width}, table_.dtype);
  const size_t row = size_t(table_.width * item_size(table_.dtype));
  for (size_t i = 0; i < places.size(); ++i)
    std::memcpy(t.data<char>() + i * row, from.data<char>() + size_t(places[i]) * row, row);
  return t;
}
void Parameter::scatter(Tensor& to, std::span<const int64_t> places, const Tensor& rows) {
  if (!to.defined()) grow(to, value_.size(0));
  const size_t row = size_t(table_.width * item_size(table_.dtype));
  for (size_t i = 0; i < places.size(); ++i)
    std::memcpy(to.data<char>() + size_t(places[i]) * row, rows.data<char>() + i * row, row);
}

Tensor Parameter::rows(std::span<const int64_t> ids) {
  std::vector<int64_t> places;
  for (int64_t id : ids) places.push_back(place_of(id));
  return gather(value_, places);
}

// Rows that have made equally many steps go through the optimizer together.
void Parameter::step_rows(const Rule& rule, const Tensor& ids, const Tensor& gradients) {
  Unique rows(ids_of(ids));
  if (rows.ids.empty()) return;
  std::vector<int64_t> places;
  for (int64_t id : rows.ids) places.push_back(place_of(id));
  const size_t n = places.size();
  auto kind_of = [&](int64_t place) {
    const int64_t s = steps_[size_t(place)];
    return rule.kind->counts_steps ? s : std::min<int64_t>(s, 1);
  };
  std::vector<int64_t> order(n), rank(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int64_t ka = kind_of(places[size_t(a)]), kb = kind_of(places[size_t(b)]);
    return ka != kb ? ka < kb : a < b;
  });
  for (size_t i = 0; i < n; ++i) rank[size_t(order[i])] = int64_t(i);
  std::vector<int64_t> sorted;
  for (int64_t i : order) sorted.push_back(places[size_t(i)]);
  for (int64_t& i : rows.index) i = rank[size_t(i)];

  NoGradGuard no_grad;
  const Tensor given = gradients.dtype() == table_.dtype ? gradients : ops::cast(gradients, table_.dtype);
  const Tensor sum = ops::index_add_(ops::zeros(std::array{int64_t(n), table_.width}, table_.dtype, Device{}),
                                     0, to_ids(rows.index), given);
  const Tensor values = gather(value_, sorted);
  const unsigned slots = rule.kind->slots_of(rule.options);
  Tensor gathered[kMaxSlots];
  for (int k = 0; k < kMaxSlots; ++k)
    if (slots >> k & 1)
      gathered[k] = state_.slots[k].defined()
                        ? gather(state_.slots[k], sorted)
                        : ops::zeros(std::array{int64_t(n), table_.width}, table_.dtype, Device{});
  std::vector<Tensor> parameters, parts;
  std::vector<ParameterState> states;
  std::vector<int64_t> starts;
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && kind_of(sorted[end]) == kind_of(sorted[i]);) ++end;
    const auto from = int64_t(i), count = int64_t(end - i);
    starts.push_back(from);
    parameters.push_back(part_of(values, from, count));
    parts.push_back(part_of(sum, from, count));
    ParameterState& s = states.emplace_back();
    s.step = kind_of(sorted[i]);
    if (s.step)
      for (int k = 0; k < kMaxSlots; ++k)
        if (slots >> k & 1) s.slots[k] = part_of(gathered[k], from, count);
  }
  states = step_all(rule, parameters, parts, std::move(states));
  for (size_t i = 0; i < states.size(); ++i)  // of rows that had none, they are new tensors
    for (int k = 0; k < kMaxSlots; ++k)
      if (slots >> k & 1)
        ops::copy_(part_of(gathered[k], starts[i], parameters[i].size(0)), states[i].slots[k]);
  scatter(value_, sorted, values);
  for (int k = 0; k < kMaxSlots; ++k)
    if (slots >> k & 1) scatter(state_.slots[k], sorted, gathered[k]);
  for (int64_t p : sorted) ++steps_[size_t(p)];
  ++version;
}

// ---- snapshots ----

void Parameter::save(const std::string& key, CheckpointSection& s, std::vector<Array>& arrays,
                     const Rule& rule) const {
  auto add = [&](std::string_view name, const Tensor& t) {
    arrays.push_back(to_array(concat(key, "/", name), ops::clone(t)));
  };
  const unsigned slots = rule.kind->slots_of(rule.options);
  s["version"] = version;
  s["total"] = total_;
  s["offset"] = offset_;
  s["step"] = state_.step;
  s["rows"] = table_.rows;
  s["width"] = table_.width;
  s["std"] = table_.std;
  s["seed"] = int64_t(table_.seed);
  for (size_t i = 0; i < rule.kind->numbers.size(); ++i) s[rule.kind->numbers[i]] = state_.numbers[i];
  add("value", value_);
  for (int k = 0; k < kMaxSlots; ++k)
    if (slots >> k & 1 && state_.slots[k].defined()) add(rule.kind->slots[size_t(k)].name, state_.slots[k]);
  if (is_table()) {
    add("ids", to_ids(ids_));
    add("steps", to_ids(steps_));
  }
}

Ref<Parameter> Parameter::load(const std::string& key, const CheckpointFile& f, const std::string& section,
                               const Rule& rule) {
  auto number = [&](const char* name) { return checkpoint_value<int64_t>(f, section, name); };
  auto find = [&](std::string_view name, bool needed) {
    const Array* a = f.find(concat(key, "/", name));
    if (!a && needed) fail(Code::corrupt, concat("the snapshot lacks '", key, "/", name, "'"));
    return a ? ops::clone(to_tensor(*a)) : Tensor();
  };
  auto p = make_ref<Parameter>(find("value", true), number("total"), number("offset"));
  p->version = number("version");
  p->state_.step = number("step");
  p->table_ = {number("rows"), number("width"), p->value_.dtype(),
               checkpoint_value<double>(f, section, "std"), uint64_t(number("seed"))};
  for (size_t i = 0; i < rule.kind->numbers.size(); ++i)
    p->state_.numbers[i] = checkpoint_value<double>(f, section, rule.kind->numbers[i]);
  for (size_t k = 0; k < rule.kind->slots.size(); ++k)
    p->state_.slots[k] = find(rule.kind->slots[k].name, false);
  bool fits = true;
  if (p->is_table()) {
    const Tensor ids = find("ids", true), steps = find("steps", true);
    const auto i = ids_of(ids), s = ids_of(steps);
    p->ids_.assign(i.begin(), i.end());
    p->steps_.assign(s.begin(), s.end());
    for (size_t k = 0; k < i.size(); ++k) p->places_.emplace(i[k], int64_t(k));
    fits = s.size() == i.size() && p->places_.size() == i.size() && p->value_.ndim() == 2 &&
           p->value_.size(1) == p->table_.width && p->value_.size(0) >= int64_t(i.size());
  }
  for (const Tensor& slot : p->state_.slots)
    fits = fits && (!slot.defined() || (std::ranges::equal(slot.sizes(), p->value_.sizes()) &&
                                        slot.dtype() == p->value_.dtype()));
  if (!fits || !is_float(p->value_.dtype()))
    fail(Code::corrupt, concat("what the snapshot says of '", key, "' does not fit together"));
  return p;
}

}  // namespace haft::rpc
