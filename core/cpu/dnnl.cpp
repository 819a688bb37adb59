#include "core/cpu/dnnl.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/cpu/multiversion.h"
#include "core/tensor/host_allocator.h"

namespace haft::cpu {

void check_dnnl(dnnl_status_t status, const char* what) {
  if (status == dnnl_success) [[likely]]
    return;
  if (status == dnnl_out_of_memory) fail(Code::out_of_memory, concat("oneDNN ran out of memory in ", what));
  fail(Code::internal, concat("oneDNN failed in ", what, " with status ", int(status)),
       "this is a bug in haft; please report it");
}

dnnl_engine_t dnnl_cpu_engine() {
  // Never destroyed: cached primitives of threads that end late still refer to it.
  static dnnl_engine_t engine = [] {
    dnnl_engine_t e = nullptr;
    check_dnnl(dnnl_engine_create(&e, dnnl_cpu, 0), "dnnl_engine_create");
    return e;
  }();
  return engine;
}

static dnnl_stream_t shared_stream() {
  // A CPU stream keeps no state of its own: execution is synchronous.
  static dnnl_stream_t stream = [] {
    dnnl_stream_t s = nullptr;
    check_dnnl(dnnl_stream_create(&s, dnnl_cpu_engine(), dnnl_stream_default_flags), "dnnl_stream_create");
    return s;
  }();
  return stream;
}

namespace {
// Found at run time, because oneDNN's build decides which OpenMP runtime there is, if any.
struct OpenMp {
  int (*get)() = nullptr;
  void (*set)(int) = nullptr;
  OpenMp() {
    get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    if (!get || !set) get = nullptr, set = nullptr;
  }
};
const OpenMp& open_mp() {
  static const OpenMp omp;
  return omp;
}
}  // namespace

SingleThreaded::SingleThreaded() : saved_(1) {
  const OpenMp& omp = open_mp();
  if (!omp.get) return;
  saved_ = omp.get();
  if (saved_ != 1) omp.set(1);
}

SingleThreaded::~SingleThreaded() {
  if (saved_ != 1) open_mp().set(saved_);
}

dnnl_data_type_t dnnl_dtype(uint8_t dtype) { return dtype == HAFT_BFLOAT16 ? dnnl_bf16 : dnnl_f32; }

// What oneDNN will use, which ONEDNN_MAX_CPU_ISA may lower.
static bool library_uses(uint32_t wanted) {
  return isa() == Isa::avx512 && (uint32_t(dnnl_get_effective_cpu_isa()) & wanted) == wanted;
}
bool cpu_has_bf16() {
  static const bool has = library_uses(dnnl_cpu_isa_avx512_core_bf16);
  return has;
}
bool cpu_has_tiles() {
  static const bool has = library_uses(dnnl_cpu_isa_avx512_core_amx);
  return has;
}

dnnl_memory_desc_t tagged_desc(dnnl_data_type_t type, std::span<const int64_t> dims, dnnl_format_tag_t tag) {
  dnnl_memory_desc_t d;
  check_dnnl(dnnl_memory_desc_init_by_tag(&d, int(dims.size()), dims.data(), type, tag),
             "a memory descriptor");
  return d;
}

dnnl_memory_desc_t strided_desc(dnnl_data_type_t type, std::span<const int64_t> dims,
                                std::span<const int64_t> strides) {
  dnnl_memory_desc_t d;
  check_dnnl(dnnl_memory_desc_init_by_strides(&d, int(dims.size()), dims.data(), type, strides.data()),
             "a memory descriptor");
  return d;
}

static dnnl_primitive_attr_t user_scratchpad() {
  // Scratchpads come from our allocator; oneDNN's own would be one more heap and is not safe to share.
  static dnnl_primitive_attr_t attr = [] {
    dnnl_primitive_attr_t a = nullptr;
    check_dnnl(dnnl_primitive_attr_create(&a), "dnnl_primitive_attr_create");
    check_dnnl(dnnl_primitive_attr_set_scratchpad_mode(a, dnnl_scratchpad_mode_user), "scratchpad mode");
    return a;
  }();
  return attr;
}

dnnl_primitive_desc_t try_primitive_desc(const void* op_desc, dnnl_primitive_desc_t hint) {
  dnnl_primitive_desc_t pd = nullptr;
  dnnl_status_t s = dnnl_primitive_desc_create(&pd, op_desc, user_scratchpad(), dnnl_cpu_engine(), hint);
  if (s == dnnl_unimplemented || s == dnnl_invalid_arguments) return nullptr;
  check_dnnl(s, "dnnl_primitive_desc_create");
  return pd;
}

DnnlCall::~DnnlCall() {
  for (const dnnl_exec_arg_t& a : args_)
    if (a.memory) dnnl_memory_destroy(a.memory);
  if (primitive_) dnnl_primitive_destroy(primitive_);
}

void DnnlCall::build(dnnl_primitive_desc_t pd, std::span<const int> ids) {
  struct Release {
    dnnl_primitive_desc_t pd;
    ~Release() { dnnl_primitive_desc_destroy(pd); }
  } release{pd};
  dnnl_primitive_t p = nullptr;
  check_dnnl(dnnl_primitive_create(&p, pd), "dnnl_primitive_create");
  auto add = [&](int id, const dnnl_memory_desc_t* desc) {
    args_[count_].arg = id;
    check_dnnl(dnnl_memory_create(&args_[count_].memory, desc, dnnl_cpu_engine(), DNNL_MEMORY_NONE),
               "dnnl_memory_create");
    ++count_;
  };
  count_ = 0;
  for (int id : ids) add(id, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, id));
  const dnnl_memory_desc_t* scratch = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
  scratch_ = scratch ? int64_t(dnnl_memory_desc_get_size(scratch)) : 0;
  if (scratch_ > 0) {
    const dnnl_dims_t n = {scratch_};
    const dnnl_memory_desc_t bytes = tagged_desc(dnnl_u8, std::span<const int64_t>(n, 1), dnnl_a);
    add(DNNL_ARG_SCRATCHPAD, &bytes);
    --count_;  // run() counts those of its caller
  }
  primitive_ = p;
}

void DnnlCall::build_reorder(const dnnl_memory_desc_t& from, const dnnl_memory_desc_t& to) {
  dnnl_primitive_desc_t pd = nullptr;
  check_dnnl(dnnl_reorder_primitive_desc_create(&pd, &from, dnnl_cpu_engine(), &to, dnnl_cpu_engine(),
                                                user_scratchpad()),
             "dnnl_reorder_primitive_desc_create");
  const int ids[] = {DNNL_ARG_FROM, DNNL_ARG_TO};
  build(pd, ids);
}

// One scratchpad a thread serves all its short calls; nullptr when the wish is too large for that. From the
// heap, because it is freed when the caching allocator's part of the thread may be gone.
static void* kept_scratch(int64_t bytes) {
  constexpr int64_t kMost = 1 << 20;
  struct Kept {
    void* p = nullptr;
    int64_t size = 0;
    ~Kept() { std::free(p); }
  };
  thread_local Kept kept;
  if (bytes > kMost) return nullptr;
  if (bytes > kept.size) {
    std::free(kept.p);
    kept.size = std::max<int64_t>(64 << 10, (bytes + 4095) & ~int64_t(4095));
    kept.p = std::aligned_alloc(64, size_t(kept.size));
    if (!kept.p) {
      kept.size = 0;
      throw std::bad_alloc();
    }
  }
  return kept.p;
}

void DnnlCall::run(std::initializer_list<const void*> data) {
  int i = 0;
  for (const void* p : data) {
    if (handle_[i] != p) {  // recycled memory often comes back at the same address
      check_dnnl(dnnl_memory_set_data_handle(args_[i].memory, const_cast<void*>(p)),
                 "dnnl_memory_set_data_handle");
      handle_[i] = p;
    }
    ++i;
  }
  SingleThreaded guard;
  if (scratch_ == 0) {
    check_dnnl(dnnl_primitive_execute(primitive_, shared_stream(), count_, args_), "dnnl_primitive_execute");
    return;
  }
  HostBuffer large;
  void* scratch = kept_scratch(scratch_);
  if (!scratch) {
    large = HostBuffer(scratch_);
    scratch = large.data();
  }
  if (handle_[count_] != scratch) {
    check_dnnl(dnnl_memory_set_data_handle(args_[count_].memory, scratch), "dnnl_memory_set_data_handle");
    handle_[count_] = scratch;
  }
  check_dnnl(dnnl_primitive_execute(primitive_, shared_stream(), count_ + 1, args_),
             "dnnl_primitive_execute");
}

namespace {

// Four ways a set, least recently used goes first: bounded, and a hit costs a hash and a compare.
template <int kSets>
struct CallCache {
  static constexpr int kWays = 4;
  struct Slot {
    CallKey key;
    uint64_t used = 0;
    std::unique_ptr<DnnlCall> call;
  };
  std::unique_ptr<Slot[]> slots{new Slot[kSets * kWays]};
  uint64_t clock = 0;

  // Independent products, so that they overlap; the set comes from the upper bits, where they have mixed.
  std::span<Slot> set_of(const CallKey& key) {
    uint64_t h = 0, odd = 0x9E3779B97F4A7C15u;
    for (uint64_t w : key.word) h += (w ^ (w >> 32)) * odd, odd += 0xD1B54A32D192ED04u;
    return {&slots[(h >> 40) % kSets * kWays], kWays};
  }
  static Slot& oldest(std::span<Slot> set) { return *std::ranges::min_element(set, {}, &Slot::used); }
};

// What threads have no room for, or leave behind, for whoever needs it next. A service whose threads run batches of
// every size would otherwise have each of them in each thread.
struct Shelf : CallCache<512> {
  std::mutex mutex;

  static Shelf& shelf() {
    static Shelf& one = []() -> Shelf& {  // never destroyed: threads may end later
      Shelf& s = *new Shelf;
      on_fork([] { shelf().mutex.lock(); }, [] { shelf().mutex.unlock(); }, [] { shelf().mutex.unlock(); });
      return s;
    }();
    return one;
  }
  std::unique_ptr<DnnlCall> take(const CallKey& key) {
    std::lock_guard lock(mutex);
    for (Slot& s : set_of(key))
      if (s.call && s.key == key) {
        s.used = 0;
        return std::move(s.call);
      }
    return nullptr;
  }
  void put(const CallKey& key, std::unique_ptr<DnnlCall> call) noexcept {
    std::lock_guard lock(mutex);
    Slot& s = oldest(set_of(key));
    s.key = key;
    s.used = ++clock;
    std::swap(s.call, call);
  }
};

struct ThreadCalls : CallCache<16> {
  Shelf& shelf = Shelf::shelf();
  ~ThreadCalls() {
    for (int i = 0; i < 16 * kWays; ++i) leave(slots[i]);
  }
  void leave(Slot& s) noexcept {
    if (s.call && (s.call->ready() || s.call->note[0])) shelf.put(s.key, std::move(s.call));
  }
};

}  // namespace

DnnlCall& cached_call(const CallKey& key) {
  thread_local ThreadCalls cache;
  const auto set = cache.set_of(key);
  for (auto& s : set)
    if (s.call && s.key == key) {
      s.used = ++cache.clock;
      return *s.call;
    }
  auto call = cache.shelf.take(key);
  if (!call) call = std::make_unique<DnnlCall>();
  auto& s = cache.oldest(set);
  cache.leave(s);
  s.key = key;
  s.used = ++cache.clock;
  s.call = std::move(call);
  return *s.call;
}

}  // namespace haft::cpu
