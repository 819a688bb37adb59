// Every function of the library under failing allocations. A function whose call is not written by hand in
// oom_cases.cpp is called with arguments made from its type: random ones, drawn from a few worlds of tensors
// that fit together, until a call succeeds. So a new operator is covered as it comes.
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <tuple>
#include <type_traits>

#include <haft/api_table.h>

#include "dlpack_structs.h"
#include "oom.h"

namespace oom {
namespace {

constexpr int kRoom = 64;
constexpr size_t kBytes = 1 << 16;
void* const kNothing = reinterpret_cast<void*>(kUntouched);

#define HANDLE(type) \
  void release(type* h) { type##_release(h); }
#include "handles.inc"
#undef HANDLE

template <class T, class = void>
struct is_handle : std::false_type {};
template <class T>
struct is_handle<T, std::void_t<decltype(release(std::declval<T*>()))>> : std::true_type {};
template <class T, class = void>
struct has_size : std::false_type {};
template <class T>
struct has_size<T, std::void_t<decltype(std::declval<T>().struct_size)>> : std::true_type {};

using Sizes = std::vector<int64_t>;

haft_tensor* values(const Sizes& size, haft_dtype dtype, double low, double step, int64_t period) {
  int64_t n = 1;
  for (int64_t s : size) n *= s;
  std::vector<double> v;
  for (int64_t i = 0; i < n; ++i) v.push_back(low + step * double(i % period));
  Tensor wide;
  must(haft_tensor_from_data(v.data(), size.data(), int64_t(size.size()), HAFT_FLOAT64, HAFT_DEVICE_CPU,
                             &wide));
  haft_tensor* t = nullptr;
  must(haft_cast(wide, dtype, &t));
  return t;
}
haft_tensor* floats(const Sizes& size) { return values(size, HAFT_FLOAT32, 0.1, 0.05, 17); }
haft_tensor* doubles(const Sizes& size) { return values(size, HAFT_FLOAT64, 0.1, 0.05, 17); }
haft_tensor* integers(const Sizes& size) { return values(size, HAFT_INT64, 1, 1, 3); }
haft_tensor* indices(const Sizes& size) { return values(size, HAFT_INT64, 0, 1, 2); }
haft_tensor* mask(const Sizes& size) { return values(size, HAFT_BOOL, 0, 1, 2); }

// Tensors that fit together, larger than what lies in a header.
struct World {
  std::vector<haft_tensor*> tensors;
  std::vector<Sizes> sizes;

  World(std::initializer_list<haft_tensor*> ts) : tensors(ts) {
    for (haft_tensor* t : ts) {
      Sizes s(HAFT_MAX_DIMS);
      int64_t n = 0;
      must(haft_tensor_get_size(t, s.data(), HAFT_MAX_DIMS, &n));
      s.resize(size_t(n));
      sizes.push_back(s);
    }
  }
  World(const World&) = delete;
  ~World() {
    for (haft_tensor* t : tensors) haft_tensor_release(t);
  }
};

const std::vector<std::unique_ptr<World>>& worlds() {
  static const std::vector<std::unique_ptr<World>> all = [] {
    std::vector<std::unique_ptr<World>> w;
    auto add = [&](std::initializer_list<haft_tensor*> ts) { w.push_back(std::make_unique<World>(ts)); };
    add({floats({4, 20}), floats({4, 20}), floats({20}), floats({})});
    add({integers({4, 20}), integers({4, 20}), integers({20})});
    add({mask({4, 20}), floats({4, 20}), floats({4, 20})});
    add({floats({4, 20}), floats({20, 6}), floats({6, 20}), floats({4, 6}), floats({20}), floats({6})});
    add({floats({2, 4, 20}), floats({2, 20, 6}), floats({2, 4, 6})});
    add({floats({2, 16, 8, 8}), floats({16, 16, 3, 3}), floats({16})});
    add({floats({4, 20}), indices({4, 20}), indices({2}), floats({2, 20})});
    add({floats({4, 20}), indices({4}), floats({20})});
    add({doubles({4, 20}), doubles({4, 20})});
    return w;
  }();
  return all;
}

// The arguments of one call, made from their types and a seed: the same each time.
class Arguments {
  std::mt19937 random_;
  World& world_;
  bool gradients_;
  enum class After { none, inputs, room, bytes } after_ = After::none;
  int64_t count_ = 0;
  std::vector<std::unique_ptr<unsigned char[]>> memory_;
  std::vector<std::pair<const void*, std::vector<unsigned char>>>
      numbers_;  // places for results, as they were
  std::vector<std::pair<void**, void (*)(void*)>> outs_;
  std::vector<std::pair<void*, void (*)(void*)>> made_;
  std::vector<std::pair<haft_tensor*, std::vector<char>>> before_;
  std::vector<haft_tensor*> leaves_;

  size_t pick(size_t n) { return random_() % n; }
  template <class T>
  T one_of(std::initializer_list<T> v) {
    return v.begin()[pick(v.size())];
  }
  void* room(size_t bytes) {
    memory_.emplace_back(new unsigned char[bytes + 64]());
    return reinterpret_cast<void*>((uintptr_t(memory_.back().get()) + 63) / 64 * 64);
  }
  template <class H>
  H* own(H* h) {
    made_.push_back({h, [](void* p) { release(static_cast<H*>(p)); }});
    return h;
  }
  haft_tensor* leaf_of(haft_tensor* t) {
    haft_dtype dtype = 0;
    must(haft_tensor_get_dtype(t, &dtype));
    if (!gradients_ || dtype < HAFT_FLOAT16) return t;
    haft_tensor* leaf = nullptr;
    must(haft_clone(t, &leaf));
    own(leaf);
    must(haft_tensor_set_requires_grad(leaf, 1));
    leaves_.push_back(leaf);
    return leaf;
  }
  haft_tensor* read() { return leaf_of(world_.tensors[pick(world_.tensors.size())]); }
  // To be written: a tensor of its own, with a history when gradients are wanted.
  haft_tensor* written() {
    haft_tensor *from = read(), *t = nullptr;
    must(haft_clone(from, &t));
    return own(t);
  }

  haft_module* module() {
    haft_module* linear = nullptr;
    must(haft_linear_create(20, 6, 1, nullptr, HAFT_FLOAT32, HAFT_DEVICE_CPU, &linear));
    own(linear);
    if (pick(2)) return linear;
    if (pick(2)) {
      haft_batch_norm_options o = HAFT_BATCH_NORM_OPTIONS_INIT;
      o.num_features = 20;
      haft_module* norm = nullptr;
      must(haft_batch_norm1d_create(&o, &norm));
      return own(norm);
    }
    haft_module *parts[] = {linear}, *net = nullptr;
    must(haft_sequential_create(parts, 1, &net));
    return own(net);
  }
  haft_optimizer* optimizer() {
    Tensor p;
    must(haft_clone(worlds()[0]->tensors[0], &p));
    must(haft_tensor_set_requires_grad(p, 1));
    haft_tensor* ps[] = {p};
    haft_optimizer* o = nullptr;
    must(haft_adam_create(ps, 1, nullptr, &o));
    return own(o);
  }
  haft_dataset* dataset() {
    haft_tensor* ts[] = {worlds()[0]->tensors[0]};
    haft_dataset* d = nullptr;
    must(haft_tensor_dataset_create(ts, 1, &d));
    return own(d);
  }
  haft_loader* loader() {
    haft_loader_options o = HAFT_LOADER_OPTIONS_INIT;
    o.seed = 1;
    haft_loader* l = nullptr;
    must(haft_loader_create(dataset(), &o, &l));
    return own(l);
  }
  template <class H, class P>
  H* handle() {
    if constexpr (std::is_same_v<H, haft_tensor>) {
      if (!std::is_const_v<P>) return written();
      return pick(4) ? read() : nullptr;
    } else if (!pick(8)) {
      return nullptr;
    } else if constexpr (std::is_same_v<H, haft_generator>) {
      haft_generator* g = nullptr;
      must(haft_generator_create(1, &g));
      return own(g);
    } else if constexpr (std::is_same_v<H, haft_module>) {
      return module();
    } else if constexpr (std::is_same_v<H, haft_optimizer>) {
      return optimizer();
    } else if constexpr (std::is_same_v<H, haft_scheduler>) {
      haft_scheduler* s = nullptr;
      must(haft_step_lr_create(optimizer(), 2, 0.5, &s));
      return own(s);
    } else if constexpr (std::is_same_v<H, haft_dataset>) {
      return dataset();
    } else if constexpr (std::is_same_v<H, haft_loader>) {
      return loader();
    } else if constexpr (std::is_same_v<H, haft_stream>) {
      haft_stream* s = nullptr;
      must(haft_stream_create(HAFT_DEVICE_CPU, &s));
      return own(s);
    } else if constexpr (std::is_same_v<H, haft_event>) {
      haft_event* e = nullptr;
      must(haft_event_create(HAFT_DEVICE_CPU, 1, &e));
      return own(e);
    } else if constexpr (std::is_same_v<H, haft_weights>) {
      std::string path = folder() + "/world.safetensors";
      const char* names[] = {"weight"};
      haft_weights* w = nullptr;
      must(haft_weights_save(names, world_.tensors.data(), 1, path.c_str()));
      must(haft_weights_open(path.c_str(), &w));
      return own(w);
    } else {
      return nullptr;
    }
  }

 public:
  Arguments(uint32_t seed, bool gradients)
      : random_(seed), world_(*worlds()[seed % worlds().size()]), gradients_(gradients) {}
  Arguments(const Arguments&) = delete;
  ~Arguments() {
    for (size_t i = made_.size(); i-- > 0;) made_[i].second(made_[i].first);
  }

  template <class T>
  T make() {
    const After after = after_;
    after_ = After::none;
    if constexpr (std::is_same_v<T, int64_t>) {
      switch (after) {
        case After::inputs: return count_;
        case After::room: return kRoom;
        case After::bytes: return int64_t(kBytes);
        case After::none: return one_of<int64_t>({0, 1, 2, 3, 5, -1, 1, HAFT_NONE});
      }
      return 0;
    } else if constexpr (std::is_same_v<T, double>) {
      return one_of<double>({0.5, 1, 2, 0});
    } else if constexpr (std::is_integral_v<T>) {
      return T(one_of<int64_t>({0, 0, 1, HAFT_FLOAT32, HAFT_FLOAT64, HAFT_DEVICE_CPU}));
    } else if constexpr (std::is_same_v<T, haft_scalar>) {
      return one_of({haft_scalar_float(0.5), haft_scalar_int(2), haft_scalar_int(1), haft_scalar_none()});
    } else {
      return pointer<std::remove_pointer_t<T>>(after);
    }
  }

  template <class P>
  P* pointer(After after) {
    using T = std::remove_const_t<P>;
    if constexpr (std::is_function_v<T> || std::is_same_v<T, haft_function_context>) {
      return nullptr;
    } else if constexpr (std::is_void_v<T>) {
      after_ = After::bytes;
      return room(kBytes);
    } else if constexpr (is_handle<T>::value) {
      return handle<T, P>();
    } else if constexpr (std::is_same_v<P, const char>) {
      return one_of<const char*>({"weight", "cpu", "lr", "0", "0.weight", "running_mean"});
    } else if constexpr (std::is_same_v<P, char>) {
      after_ = After::bytes;
      return static_cast<char*>(room(kBytes));
    } else if constexpr (std::is_pointer_v<T>) {
      using H = std::remove_const_t<std::remove_pointer_t<T>>;
      auto** places = static_cast<void**>(room(kRoom * sizeof(void*)));
      if constexpr (std::is_const_v<P>) {  // an array of inputs
        if (after != After::inputs) count_ = 1 + int64_t(pick(3));
        after_ = After::inputs;
        for (int64_t i = 0; i < count_; ++i) {
          if constexpr (std::is_same_v<H, haft_tensor>)
            places[i] = handle<H, const H>();
          else if constexpr (is_handle<H>::value)
            places[i] = handle<H, H>();
          else
            places[i] = const_cast<char*>(i ? "second" : "weight");
        }
      } else {
        after_ = After::room;
        for (int i = 0; i < kRoom; ++i) places[i] = kNothing;
        if constexpr (is_handle<H>::value)
          outs_.push_back({places, [](void* h) { release(static_cast<H*>(h)); }});
      }
      return static_cast<P*>(static_cast<void*>(places));
    } else if constexpr (has_size<T>::value) {
      if (std::is_const_v<P>) return nullptr;  // options
      auto* s = static_cast<T*>(room(sizeof(T)));
      s->struct_size = sizeof(T);
      return s;
    } else if constexpr (std::is_class_v<T>) {  // numbers of several kinds, or an array of descriptions
      return std::is_const_v<P> ? nullptr : static_cast<T*>(room(kRoom * sizeof(T)));
    } else if constexpr (std::is_const_v<P>) {  // an array of numbers
      auto* p = static_cast<T*>(room(kRoom * sizeof(T)));
      Sizes list = one_of<Sizes>({{}, {0}, {1}, {-1}, {0, 1}, {1, 1}, {2, 2}, {0, 0}, {3, 3}});
      if (!pick(4)) list = world_.sizes[pick(world_.sizes.size())];
      if (after == After::inputs && count_ <= kRoom) list.resize(size_t(count_), 1);  // of the same count
      for (size_t i = 0; i < list.size(); ++i) p[i] = static_cast<T>(list[i]);
      after_ = After::inputs;
      count_ = int64_t(list.size());
      return p;
    } else {  // a place for numbers
      after_ = After::room;
      auto* p = static_cast<T*>(room(kRoom * sizeof(T)));
      std::memset(static_cast<void*>(p), 0x5e, kRoom * sizeof(T));
      auto* bytes = reinterpret_cast<unsigned char*>(p);
      numbers_.push_back({p, {bytes, bytes + kRoom * sizeof(T)}});
      return p;
    }
  }

  const std::vector<haft_tensor*>& leaves() const { return leaves_; }
  // Tensors that the call answered and that have a history.
  std::vector<haft_tensor*> recorded() const {
    std::vector<haft_tensor*> ts;
    auto add = [&](haft_tensor* t) {
      int32_t leaf = 1;
      if (haft_tensor_is_leaf(t, &leaf) == HAFT_OK && !leaf) ts.push_back(t);
    };
    for (auto& [places, drop] : outs_)
      for (int i = 0; i < kRoom && places[i] != kNothing; ++i)
        if (places[i]) add(static_cast<haft_tensor*>(places[i]));
    return ts;
  }

  // Remembers what all tensors hold.
  void look() {
    for (haft_tensor* t : world_.tensors) before_.push_back({t, bytes_of(t)});
    for (auto& [h, drop] : made_) {
      int64_t n = 0;
      if (haft_tensor_get_numel(static_cast<haft_tensor*>(h), &n) == HAFT_OK)
        before_.push_back({static_cast<haft_tensor*>(h), bytes_of(static_cast<haft_tensor*>(h))});
    }
  }
  void expect_unchanged(const std::string& name) {
    for (auto& [places, drop] : outs_)
      for (int i = 0; i < kRoom; ++i)
        EXPECT_EQ(places[i], kNothing) << name << " writes a result though it fails";
    for (auto& [place, bytes] : numbers_)
      EXPECT_EQ(std::memcmp(place, bytes.data(), bytes.size()), 0)
          << name << " writes a number though it fails";
    for (auto& [t, bytes] : before_)
      EXPECT_EQ(bytes_of(t), bytes) << name << " changes a tensor though it fails";
  }
  void release_results() {
    for (auto& [places, drop] : outs_)
      for (int i = 0; i < kRoom; ++i) {
        if (places[i] != kNothing && places[i]) drop(places[i]);
        places[i] = kNothing;
      }
  }
};

// A function of the library with its type taken away, so that what sweeps it is compiled once.
struct Callee {
  std::function<haft_status(Arguments& made, Attempt*)> call;
  bool answers_status = false, answers_tensors = false;
};

template <class R, class... A>
Callee callee(R (*fn)(A...)) {
  if constexpr (std::is_same_v<R, haft_status>) {
    auto call = [fn](Arguments& made, Attempt* a) {
      std::tuple<A...> arguments{made.make<A>()...};
      if (!a) return std::apply(fn, arguments);
      made.look();
      return a->run([&] { return std::apply(fn, arguments); });
    };
    return {call, true, (std::is_same_v<A, haft_tensor**> || ...)};
  } else {
    return {};
  }
}
template <class R, class... A>
Callee callee(R (*fn)(A...) noexcept) {
  return callee(static_cast<R (*)(A...)>(fn));
}

// A seed whose arguments the function accepts; -1: none was found.
int64_t find_call(const Callee& f, bool gradients) {
  for (uint32_t seed = 0; seed < 400000; ++seed) {
    Arguments made(seed, gradients);
    haft_status s = f.call(made, nullptr);
    bool useful = s == HAFT_OK && (!gradients || !made.recorded().empty());
    if (s == HAFT_OK) made.release_results();
    if (useful) return seed;
    if (gradients && seed > 20000) return -1;  // no gradient
  }
  return -1;
}

void sweep_gradient(const std::string& name, const Callee& f, int64_t seed) {
  SCOPED_TRACE("the gradient of " + name);
  sweep(
      "haft_autograd_grad",
      [&](Attempt& a) {
        Arguments made(uint32_t(seed), true);
        must(f.call(made, nullptr));
        std::vector<haft_tensor*> outs = made.recorded(), grads(made.leaves().size());
        std::vector<haft_tensor*> seeds(outs.size(), nullptr);
        for (size_t i = 0; i < outs.size(); ++i) must(haft_ones_like(outs[i], HAFT_DTYPE_NONE, &seeds[i]));
        for (auto& g : grads) g = static_cast<haft_tensor*>(kNothing);
        haft_status s = a.run([&] {
          return haft_autograd_grad(outs.data(), seeds.data(), int64_t(outs.size()), made.leaves().data(),
                                    int64_t(made.leaves().size()), HAFT_GRAD_ALLOW_UNUSED, grads.data());
        });
        for (haft_tensor* g : grads) {
          if (s == HAFT_OK)
            haft_tensor_release(g);
          else
            EXPECT_EQ(g, kNothing);
        }
        for (haft_tensor* t : seeds) haft_tensor_release(t);
        made.release_results();
      },
      Caches::growing);
}

void sweep_generated(const std::string& name, const Callee& f) {
  if (!f.answers_status) FAIL() << name << " answers no status: it needs a case in oom_cases.cpp";
  int64_t seed = find_call(f, false);
  ASSERT_GE(seed, 0) << name
                     << ": no arguments were found that it accepts; add tensors that fit to worlds(), or a "
                        "case to oom_cases.cpp";
  auto forward = [&](bool gradients) {
    return [&, gradients](Attempt& a) {
      Arguments made(uint32_t(seed), gradients);
      if (f.call(made, &a) == HAFT_OK)
        made.release_results();
      else
        made.expect_unchanged(name);
    };
  };
  sweep(name, forward(false));
  // The same recorded, and its gradient. What it calls in turn are operators, too.
  if (!f.answers_tensors || testing::Test::HasFailure()) return;
  seed = find_call(f, true);
  if (seed < 0) return;
  // Its leaves are new each time, and so are the packed weights that convolutions keep.
  sweep(name, forward(true), Caches::growing);
  sweep_gradient(name, f, seed);
}

// In parts, which CTest runs side by side.
constexpr size_t kParts = 4;
struct EveryFunction : testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(OutOfMemory, EveryFunction, testing::Range<size_t>(0, kParts));

TEST_P(EveryFunction, IsAsBeforeWhenMemoryIsShort) {
  std::set<std::string> by_hand, seen;
  for (auto& [name, body] : cases()) EXPECT_TRUE(by_hand.insert(name).second) << name << " has two cases";
  worlds();
  const std::pair<const char*, Callee> functions[] = {
#define FUNCTION(f) {#f, callee(&f)},
#include "symbols.inc"
#undef FUNCTION
  };
  for (auto& [name, function] : functions) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    if (!by_hand.count(name) && seen.size() % kParts == GetParam()) sweep_generated(name, function);
    if (testing::Test::HasFailure()) return;
  }
  for (const std::string& name : by_hand)
    EXPECT_TRUE(seen.count(name)) << name << " is no function of the library";
  EXPECT_GT(seen.size(), 500u);
}

TEST(OutOfMemory, CasesWrittenByHand) {
  for (auto& [name, body] : cases()) {
    SCOPED_TRACE(name);
    sweep(name, body);
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace oom
