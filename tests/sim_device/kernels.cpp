// Kernel calls: checked now, copied, run later on the stream's thread.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "sim.h"

namespace sim {

const haft_backend_host* host = nullptr;

namespace {

constexpr int kDTypes = HAFT_FLOAT8_E5M2 + 1;
constexpr int kItemSize[kDTypes] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 0, 0, 1, 1};  // 0: there is no such type
constexpr const char* kDTypeName[kDTypes] = {"none",    "bool",  "uint8",   "int8",          "int16",
                                             "int32",   "int64", "float16", "bfloat16",      "float32",
                                             "float64", "",      "",        "float8_e4m3fn", "float8_e5m2"};

// Whether the variable lists the op, or the op for this dtype.
bool lists(const char* variable, std::string_view name, int32_t dtype) {
  const char* list = std::getenv(variable);
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    size_t comma = rest.find(',');
    std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    size_t colon = item.find(':');
    if (item.substr(0, colon) != name) continue;
    if (colon == std::string_view::npos || item.substr(colon + 1) == kDTypeName[dtype]) return true;
  }
  return false;
}

// The bytes that a view covers, relative to its first element. Also holds the engine to what a view promises.
void extent(const haft_tensor_view& v, bool written, const std::string& what, int64_t* first, int64_t* last) {
  auto wrong = [&](const std::string& text) { throw Failure{kInternal, what + ": " + text}; };
  if (v.dtype >= kDTypes || !kItemSize[v.dtype]) wrong("dtype " + std::to_string(v.dtype));
  if (v.ndim > HAFT_MAX_DIMS) wrong("ndim " + std::to_string(v.ndim));
  const int64_t item = kItemSize[v.dtype];
  int64_t numel = 1, low = 0, high = 0, dense = 1;
  bool row_major = true, overflow = false;
  for (int d = v.ndim - 1; d >= 0; --d) {
    if (v.sizes[d] < 0) wrong("negative size");
    overflow |= __builtin_mul_overflow(numel, v.sizes[d], &numel);
  }
  if (overflow || numel != v.numel)
    wrong("numel is " + std::to_string(v.numel) + ", the sizes say " + std::to_string(numel));
  *first = *last = 0;
  if (numel == 0) return;
  if (v.layout != HAFT_LAYOUT_STRIDED)
    wrong("has layout " + std::to_string(v.layout) + ", which is the CPU's alone");
  for (int d = v.ndim - 1; d >= 0; --d) {
    int64_t reach;
    overflow |= __builtin_mul_overflow(v.sizes[d] - 1, v.strides[d], &reach);
    overflow |= __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
    if (v.sizes[d] == 1) continue;
    if (written && v.strides[d] == 0) wrong("is written through an expanded dimension");
    row_major &= v.strides[d] == dense;
    dense *= v.sizes[d];
  }
  if (v.contiguous && !row_major) wrong("is called contiguous, its strides say otherwise");
  overflow |= __builtin_mul_overflow(low, item, first) | __builtin_mul_overflow(high, item, last);
  if (overflow) wrong("reaches beyond any address");
  *last += item;
}

// A tensor that the CPU's kernel meets in row-major memory of its own, float32 as float64.
struct Staged {
  haft_tensor_view there;  // as it lies on the device
  bool wide, written;
  std::vector<char> memory;

  Staged(haft_tensor_view& here, bool widen, bool w) : there(here), wide(widen), written(w) {
    if (wide) here.dtype = HAFT_FLOAT64;
    memory.resize(size_t(here.numel * kItemSize[here.dtype]));
    here.data = here.numel ? memory.data() : nullptr;
    here.contiguous = 1;
    int64_t stride = 1;
    for (int d = here.ndim; d-- > 0;) {
      here.strides[d] = stride;
      stride *= here.sizes[d];
    }
  }
  void load() {
    each([&](int64_t i, char* p) {
      if (wide)
        reinterpret_cast<double*>(memory.data())[i] = *reinterpret_cast<const float*>(p);
      else
        std::memcpy(&memory[size_t(i * item())], p, size_t(item()));
    });
  }
  void store() {
    each([&](int64_t i, char* p) {
      if (wide)
        *reinterpret_cast<float*>(p) = float(reinterpret_cast<const double*>(memory.data())[i]);
      else
        std::memcpy(p, &memory[size_t(i * item())], size_t(item()));
    });
  }

 private:
  int64_t item() const { return kItemSize[there.dtype]; }
  // Calls f with the number of each element and where it lies.
  template <class F>
  void each(F&& f) {
    int64_t at[HAFT_MAX_DIMS] = {};
    char* p = static_cast<char*>(there.data);
    for (int64_t i = 0; i < there.numel; ++i) {
      f(i, p);
      for (int d = there.ndim; d-- > 0;) {
        p += there.strides[d] * item();
        if (++at[d] < there.sizes[d]) break;
        p -= there.strides[d] * there.sizes[d] * item();
        at[d] = 0;
      }
    }
  }
};

// Whether the call computes in float64: calls in float32 that meet no other floating type. Random numbers are
// the same on every device, so they are drawn as float32.
bool computes_wide(const haft_kernel_call& c, std::string_view name) {
  if (c.dtype != HAFT_FLOAT32 || name.substr(0, 7) == "philox_" || !host->cpu_kernel(c.op, HAFT_FLOAT64))
    return false;
  auto other_float = [](const haft_tensor_view* v) {
    return v && (v->dtype == HAFT_FLOAT16 || v->dtype == HAFT_BFLOAT16 || v->dtype == HAFT_FLOAT64);
  };
  return std::none_of(c.in, c.in + c.n_in, other_float) && std::none_of(c.out, c.out + c.n_out, other_float);
}

// A call that owns everything it points to.
struct Launch {
  haft_kernel_call call;
  haft_kernel_fn fn;
  int device;
  std::string name;
  std::vector<haft_tensor_view> views;
  std::vector<int> places;  // of each input and output in `views`; -1: absent
  std::vector<uint64_t> attrs;
  const uint64_t* live = nullptr;  // where a replay finds them instead
  std::vector<BlockRef> blocks;
  bool wide;

  Launch(const haft_kernel_call& c, const char* op)
      : call(c),
        device(c.device_index),
        name(op),
        attrs(c.attrs, c.attrs + c.n_attrs),
        wide(computes_wide(c, op)) {
    if (wide) call.dtype = HAFT_FLOAT64;
    fn = host->cpu_kernel(c.op, call.dtype);
    if (!fn) throw Failure{kInternal, "op " + std::to_string(c.op) + " has no kernel"};
    add(c.in, c.n_in, false);
    add(c.out, c.n_out, true);
    call.attrs = attrs.data();
    if (c.live) {
      Range r = translate(device, c.live, 0, int64_t(c.n_attrs * sizeof(uint64_t)),
                          "[" + name + "] its live attributes");
      live = reinterpret_cast<const uint64_t*>(r.real);
      blocks.push_back(std::move(r.block));
    }
    call.stream = 0;
    call.engine = nullptr;
    call.device_index = 0;
  }
  Launch(const Launch&) = delete;

  // A recording runs it again and again, maybe on several streams at once.
  void run() const {
    try {
      run_staged();
    } catch (const std::bad_alloc&) {
      fail_device(device, kOutOfMemory, "[" + name + "] sim has no host memory to compute in");
    }
  }

 private:
  void run_staged() const {
    std::vector<haft_tensor_view> here = views;
    std::vector<const haft_tensor_view*> pointers;
    std::vector<Staged> staged;
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0) {
        pointers.push_back(nullptr);
        continue;
      }
      haft_tensor_view& v = here[size_t(places[i])];
      pointers.push_back(&v);
      const bool output = i >= call.n_in, widen = wide && v.dtype == HAFT_FLOAT32;
      // An op without outputs writes its inputs.
      if (widen || (output && !v.contiguous)) staged.emplace_back(v, widen, output || call.n_out == 0);
    }
    char error[1024] = "";
    haft_kernel_call now = call;
    now.in = pointers.data();
    now.out = pointers.data() + call.n_in;
    now.error = error;
    now.error_size = sizeof error;
    const std::vector<uint64_t> words =
        live ? std::vector<uint64_t>(live, live + attrs.size()) : std::vector<uint64_t>();
    if (live) now.attrs = words.data();
    for (Staged& s : staged) s.load();
    int32_t status = fn(&now);
    if (!status) {
      for (Staged& s : staged)
        if (s.written) s.store();
      return;
    }
    error[sizeof error - 1] = 0;
    std::string text = error[0] ? error : "status " + std::to_string(status) + " without a message";
    fail_device(device, status, text[0] == '[' ? text : "[" + name + "] " + text);
  }

  void add(const haft_tensor_view* const* list, int n, bool written) {
    for (int i = 0; i < n; ++i) {
      if (!list[i]) {
        places.push_back(-1);
        continue;
      }
      std::string what = "[" + name + "] " + (written ? "output " : "input ") + std::to_string(i);
      haft_tensor_view v = *list[i];
      int64_t first, last;
      extent(v, written, what, &first, &last);
      if (v.numel == 0) {
        v.data = nullptr;
      } else {
        if (v.device_index != device)
          throw Failure{kDevice, what + " says that it is on sim:" + std::to_string(v.device_index) +
                                     ", the call is for sim:" + std::to_string(device)};
        Range r = translate(device, v.data, first, last, what);
        v.data = r.real;
        blocks.push_back(std::move(r.block));
      }
      v.device_type = 1;  // the CPU's kernels see a view of the CPU
      v.device_index = 0;
      v.version_key = 0;  // by the time it runs, the engine may have gone on
      places.push_back(int(views.size()));
      views.push_back(v);
    }
  }
};

int32_t launch(const haft_kernel_call* c) {
  return guarded(c->error, c->error_size, [&] {
    check_index(c->device_index);
    throw_if_failed(c->device_index);
    const char* name = host->op_name(c->op);
    if (!name) throw Failure{kInternal, "op " + std::to_string(c->op) + " does not exist"};
    if (c->flags & HAFT_CALL_DETERMINISTIC && lists("HAFT_SIM_NONDETERMINISTIC", name, c->dtype))
      throw Failure{kUnsupported, "sim adds in no fixed order"};
    auto l = std::make_shared<Launch>(*c, name);
    enqueue(c->device_index, c->stream,
            noted(c->device_index, c->stream, HAFT_PROFILED_KERNEL, std::string("sim_") + name, 0,
                  [l] { l->run(); }));
  });
}

}  // namespace

haft_kernel_fn find_kernel(uint32_t op, int32_t dtype, std::string* reason) {
  const char* name = host->op_name(op);
  if (!name || dtype <= 0 || dtype >= kDTypes || !kItemSize[dtype]) {
    *reason = "there is no such operator or dtype";
  } else if (lists("HAFT_SIM_REFUSE", name, dtype)) {
    *reason = "HAFT_SIM_REFUSE lists it";
  } else if (!host->cpu_kernel(op, dtype)) {
    *reason = "the CPU, on which sim runs, has no such kernel";
  } else {
    return launch;
  }
  return nullptr;
}

int32_t preferred_layout(uint32_t, int32_t, const int64_t*, int32_t ndim) {
  if (broken("layout")) return HAFT_LAYOUT_BLOCKED16;
  return ndim == 4 ? HAFT_LAYOUT_CHANNELS_LAST : HAFT_LAYOUT_STRIDED;
}

}  // namespace sim
