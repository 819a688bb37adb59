#include "core/dispatch/autocast.h"

#include <unordered_map>

#include "core/dispatch/autocast_as.h"
#include "core/dispatch/dispatch.h"
#include "core/tape/tape.h"

namespace haft {

namespace {

static_assert(kMaxDeviceTypes <= std::size(AutocastState{}.dtype) && kMaxDeviceTypes <= 32);

// The casts of weights, made once a region, without a history: each use records a cast of its own, so that graphs share
// nothing but the weight. A weight is told by its memory's version, so one that a step has written is cast again.
struct Kept {
  Tensor weight, cast;
  uint64_t version;
};
struct Region {
  std::vector<AutocastState> outside;
  size_t floor = 0;  // so many are not to be left: see AutocastAs
  std::unordered_map<const TensorImpl*, Kept> casts;
};

Region* region(ThreadState& ts) { return static_cast<Region*>(ts.slots[kSlotAutocast]); }

Region& make_region(ThreadState& ts) {
  if (!region(ts)) {
    ts.slots[kSlotAutocast] = new Region;
    ts.slot_destroy[kSlotAutocast] = [](void* p) { delete static_cast<Region*>(p); };
  }
  return *region(ts);
}

// Casts may hold the last reference to anything, whose end may come back here: they go when the table is empty already.
void drop_casts(ThreadState& ts) {
  if (Region* r = region(ts)) std::exchange(r->casts, {});
}

void apply(ThreadState& ts, const AutocastState& s) {
  ts.autocast = s;
  ts.modes = s.enabled ? ts.modes | kModeAutocast : ts.modes & ~uint32_t(kModeAutocast);
}

void check_type(uint16_t device_type) {
  if (device_type == kNoDevice || device_type >= kMaxDeviceTypes)
    fail(Code::invalid_argument, concat("autocast: there is no device type ", int(device_type)), {},
         "device");
}

DType low_type(const AutocastState& s, uint16_t type) {
  return s.dtype[type] ? DType(s.dtype[type]) : type == kCpu ? DType::bf16 : DType::f16;
}

bool is_cast(const ThreadState& ts, const Tensor& x) {
  return x.defined() && is_float(x.dtype()) && x.dtype() != DType::f64 &&
         ts.autocast.enabled >> x.device().type & 1;
}

Tensor cast_to(const Tensor& x, DType to) {
  uint64_t w[] = {word(to)};
  return call1(OpId::cast, {&x}, w);
}

// Leaves only, and memory of which one is told when it is written (Storage::id). What is captured casts what it finds
// when it runs again: no cast from before the capture, and none from it later.
Tensor cast_weight(ThreadState& ts, const Tensor& x, DType to) {
  TensorImpl& t = *x.impl();
  if (!ts.autocast.caches || ts.modes & kModeCapture || x.dtype() != DType::f32 || !x.requires_grad() ||
      t.base || !is_leaf(x) || !region(ts) || region(ts)->outside.empty())
    return cast_to(x, to);
  const uint64_t version = version_key(*t.storage);
  if (!version) return cast_to(x, to);
  auto& casts = region(ts)->casts;
  auto i = casts.find(&t);
  Tensor cast;
  if (i != casts.end() && i->second.version == version + t.moves && i->second.cast.dtype() == to) {
    cast = i->second.cast;
  } else {
    {
      NoGradGuard no_grad;
      ScopedValue<bool> usual(ts.inference, false);  // it may outlive that mode
      cast = cast_to(x, to);
    }
    const Kept before = std::exchange(casts[&t], Kept{x, cast, version + t.moves});
  }
  if (!ts.grad_enabled) return cast;
  Tensor use = shallow_copy(*cast.impl());
  const Tensor* in[] = {&x};
  const uint64_t words[] = {word(to)};
  record(OpId::cast, in, {&use, 1}, words);
  return use;
}

// What all floats become; none: they stay.
DType widest(Inputs in) {
  DType to = DType::none;
  for (const Tensor* x : in)
    if (x->defined() && is_float(x->dtype())) to = to == DType::none ? x->dtype() : promote(to, x->dtype());
  return to;
}

}  // namespace

CastInputs::CastInputs(uint32_t traits, Inputs in) : in_(in.begin(), in.end()) {
  ThreadState& ts = thread_state();
  const DType wide = traits & WIDECAST ? widest(in) : DType::f32;
  made_.reserve(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const Tensor& x = *in[i];
    if (!is_cast(ts, x)) continue;
    const DType to = traits & LOWCAST ? low_type(ts.autocast, x.device().type) : wide;
    if (x.dtype() == to) continue;
    // The same tensor twice stays the same tensor: attention of one makes one product.
    size_t same = 0;
    while (same < i && in[same]->impl() != x.impl()) ++same;
    if (same == i) made_.push_back(traits & LOWCAST ? cast_weight(ts, x, to) : cast_to(x, to));
    in_[i] = same == i ? &made_.back() : in_[same];
  }
}

namespace {

std::vector<const Tensor*> all_of(std::initializer_list<const Tensor*> fixed, std::span<const Tensor> list) {
  std::vector<const Tensor*> in(fixed);
  for (const Tensor& t : list) in.push_back(&t);
  return in;
}

}  // namespace

AutocastScope::AutocastScope(uint32_t traits, std::initializer_list<const Tensor*> fixed,
                             std::span<const Tensor> list)
    : inputs_(traits, all_of(fixed, list)),
      fixed_(fixed.size()),
      modes_(thread_state().modes, thread_state().modes & ~uint32_t(kModeAutocast)),
      entered_(thread_state().entered, thread_state().entered & ~uint32_t(kModeAutocast)) {
  for (size_t i = 0; i < list.size(); ++i) list_.push_back(*inputs_.inputs()[fixed_ + i]);
}

void autocast_or_dispatch(const Call& c) {
  const uint32_t traits = op_traits(c.op) & kCastClasses;
  if (!traits || c.inplace || c.into) return dispatch(c);
  const CastInputs cast(traits, c.inputs());
  if (!cast.any()) return dispatch(c);
  Call with = c;
  with.in = cast.inputs().data();
  dispatch(with);
}

AutocastAs::AutocastAs(const AutocastState& s)
    : ts_(thread_state()),
      state_(ts_.autocast),
      mode_(ts_.modes & kModeAutocast),
      entered_(ts_.entered & kModeAutocast) {
  if (Region* r = region(ts_)) floor_ = std::exchange(r->floor, depth_ = r->outside.size());
  ts_.entered &= ~uint32_t(kModeAutocast);
  apply(ts_, s);
}

AutocastAs::~AutocastAs() {
  if (Region* r = region(ts_)) {
    r->outside.resize(depth_);
    r->floor = floor_;
    if (!depth_) drop_casts(ts_);
  }
  ts_.autocast = state_;
  ts_.modes = (ts_.modes & ~uint32_t(kModeAutocast)) | mode_;
  ts_.entered |= entered_;
}

AutocastState AutocastOff::off() {
  AutocastState s = thread_state().autocast;
  s.enabled = 0;
  return s;
}

void AutocastOff::end_regions() {
  if (Region* r = region(ts_)) {
    if (!r->outside.empty()) ts_.autocast = r->outside.front();
    r->outside.clear();
    drop_casts(ts_);
  }
  apply(ts_, off());
}

AutocastState autocast_state() { return thread_state().autocast; }

void enter_autocast(uint16_t device_type, DType dtype, bool enabled, bool caches) {
  ThreadState& ts = thread_state();
  check_type(device_type);
  AutocastState s = ts.autocast;
  const DType to = dtype == DType::none ? low_type(s, device_type) : dtype;
  if (enabled && to != DType::bf16 && to != DType::f16)
    fail(Code::dtype, concat("autocast: the type of a region is bfloat16 or float16, got ", dtype_name(to)),
         "leave it out, or switch the region off", "dtype");
  s.dtype[device_type] = uint8_t(to);
  s.enabled = enabled ? s.enabled | 1u << device_type : s.enabled & ~(1u << device_type);
  s.caches = caches;
  make_region(ts).outside.push_back(ts.autocast);
  apply(ts, s);
}

void leave_autocast() {
  ThreadState& ts = thread_state();
  Region* r = region(ts);
  if (!r || r->outside.size() <= r->floor)
    fail(Code::invalid_argument, "autocast: this thread is in no region",
         "leave a region in the thread that entered it");
  apply(ts, r->outside.back());
  r->outside.pop_back();
  if (r->outside.empty()) drop_casts(ts);
}

bool is_autocast_enabled(uint16_t device_type) {
  check_type(device_type);
  return thread_state().autocast.enabled >> device_type & 1;
}

DType autocast_dtype(uint16_t device_type) {
  check_type(device_type);
  return low_type(thread_state().autocast, device_type);
}

void set_autocast(uint16_t device_type, bool enabled, DType dtype) {
  check_type(device_type);
  if (dtype != DType::bf16 && dtype != DType::f16 && (enabled || dtype != DType::f32))
    fail(Code::dtype,
         concat("autocast: the type of a region is bfloat16 or float16, got ", dtype_name(dtype)), {},
         "dtype");
  ThreadState& ts = thread_state();
  AutocastState s = ts.autocast;
  s.dtype[device_type] = uint8_t(dtype);
  s.enabled = enabled ? s.enabled | 1u << device_type : s.enabled & ~(1u << device_type);
  apply(ts, s);
}

void set_autocast_caches(bool on) {
  thread_state().autocast.caches = on;
  if (!on) clear_autocast_cache();
}

void clear_autocast_cache() { drop_casts(thread_state()); }

}  // namespace haft
