// Every function of the library under failing allocations. A function whose call is not written by hand in
// oom_cases.cpp is called with arguments made from its type: random ones, drawn from a few worlds of tensors
// that fit together, until a call succeeds. So a new operator is covered as it comes.
#include <cstring>
#include <random>
#include <set>

#include "oom.h"
#include "signatures.h"

namespace oom {
namespace {

constexpr int kRoom = 64;
constexpr size_t kBytes = 1 << 16;
void* const kNothing = reinterpret_cast<void*>(kUntouched);

#define HANDLE(type) \
  [[maybe_unused]] void release(type* h) { type##_release(h); }
#include "handles.inc"
#undef HANDLE

using signatures::Function;
using signatures::Handle;
using signatures::Kind;
using signatures::Type;
using signatures::Value;
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
    add({floats({2, 4, 20}), floats({2, 20, 6}), floats({4, 6})});
    add({floats({2, 16, 8, 8}), floats({16, 16, 3, 3}), floats({16})});
    add({floats({4, 20}), indices({4, 20}), indices({2}), floats({2, 20})});
    add({floats({4, 20}), indices({4}), floats({20})});
    add({doubles({4, 20}), doubles({4, 20})});
    add({floats({2, 4, 20}), floats({6, 4, 3}), floats({4, 6, 3}), floats({6}), floats({4})});
    add({floats({2, 4, 5, 5, 5}), floats({4, 4, 2, 2, 2}), floats({4})});
    add({floats({2, 2, 3}), floats({2, 4, 3, 5}), floats({2, 2, 2, 2})});
    add({floats({2, 3, 4}), indices({2, 3, 4}), floats({2, 2, 3, 4}), indices({2, 2, 3, 4})});
    add({floats({2, 3}), floats({2, 4}), floats({5, 3, 4}), floats({5})});
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
    must(create_linear(20, 6, &linear));
    own(linear);
    if (pick(2)) return linear;
    if (pick(2)) {
      haft_batch_norm1d_options o = HAFT_BATCH_NORM1D_OPTIONS_INIT;
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
  void* handle(Handle type, bool constant) {
    if (type == Handle::haft_tensor) {
      if (!constant) return written();
      return pick(4) ? read() : nullptr;
    }
    if (!pick(8)) return nullptr;
    switch (type) {
      case Handle::haft_generator: {
        haft_generator* g = nullptr;
        must(haft_generator_create(1, &g));
        return own(g);
      }
      case Handle::haft_module: return module();
      case Handle::haft_optimizer: return optimizer();
      case Handle::haft_scheduler: {
        haft_scheduler* s = nullptr;
        haft_step_lr_options o = HAFT_STEP_LR_OPTIONS_INIT;
        o.step_size = 2;
        must(haft_step_lr_create(optimizer(), &o, &s));
        return own(s);
      }
      case Handle::haft_dataset: return dataset();
      case Handle::haft_loader: return loader();
      case Handle::haft_stream: {
        haft_stream* s = nullptr;
        must(haft_stream_create(HAFT_DEVICE_CPU, &s));
        return own(s);
      }
      case Handle::haft_device_graph: {
        must(haft_backend_load(HAFT_SIM_DEVICE));
        haft_device sim = 0;
        must(haft_device_parse("sim:0", &sim));
        haft_device_graph* g = nullptr;
        must(haft_device_graph_create(sim, &g));
        return own(g);
      }
      case Handle::haft_fused: {
        haft_fused* f = nullptr;
        must(haft_fused_create(
            "f",
            [](haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void*) {
              return *count = 1, haft_square(in[0], out);
            },
            nullptr, nullptr, &f));
        return own(f);
      }
      case Handle::haft_evaluator: {
        haft_evaluator* e = nullptr;
        must(haft_evaluator_create(pick(2) ? 20 : 0, 1, -100, &e));
        return own(e);
      }
      case Handle::haft_distribution: {
        const bool coin = pick(2);  // one lists its values, the other has the rest
        Tensor half;
        must(haft_full(nullptr, 0, haft_scalar_float(0.5), HAFT_FLOAT32, HAFT_DEVICE_CPU, &half));
        haft_tensor* parameters[] = {half, coin ? nullptr : half.h};
        haft_distribution* d = nullptr;
        must(haft_distribution_create(coin ? "Bernoulli" : "Normal", parameters, 2, 0, &d));
        return own(d);
      }
      case Handle::haft_variable_transform: {
        haft_variable_transform* t = nullptr;
        must(haft_variable_transform_create("Tanh", nullptr, 0, &t));
        return own(t);
      }
      case Handle::haft_event: {
        haft_event* e = nullptr;
        must(haft_event_create(HAFT_DEVICE_CPU, 1, &e));
        return own(e);
      }
      case Handle::haft_weights: {
        std::string path = folder() + "/world.safetensors";
        const char* names[] = {"weight"};
        haft_weights* w = nullptr;
        must(haft_weights_save(names, world_.tensors.data(), 1, path.c_str()));
        must(haft_weights_open(path.c_str(), &w));
        return own(w);
      }
      default: return nullptr;
    }
  }

  void* pointer(const Type& t, After after) {
    if (t.pointers == 2) return array(t, after);
    switch (t.kind) {
      case Kind::opaque: return nullptr;
      case Kind::nothing: after_ = After::bytes; return room(kBytes);
      case Kind::handle: return handle(t.handle, t.constant);
      case Kind::text:
        if (t.constant)
          return const_cast<char*>(
              one_of<const char*>({"weight", "cpu", "lr", "0", "0.weight", "running_mean"}));
        after_ = After::bytes;
        return room(kBytes);
      case Kind::structure:
      case Kind::scalar: {  // options; numbers of several kinds, or an array of descriptions
        if (t.constant) return nullptr;
        void* p = room(kRoom * t.size);
        if (t.sized) std::memcpy(p, &t.size, sizeof t.size);
        return p;
      }
      default: return t.constant ? numbers(t, after) : places(t);
    }
  }
  void* array(const Type& t, After after) {
    auto** places = static_cast<void**>(room(kRoom * sizeof(void*)));
    if (t.constant) {  // of inputs
      if (after != After::inputs) count_ = 1 + int64_t(pick(3));
      after_ = After::inputs;
      for (int64_t i = 0; i < count_; ++i)
        places[i] =
            t.kind == Kind::handle ? handle(t.handle, true) : const_cast<char*>(i ? "second" : "weight");
    } else {
      after_ = After::room;
      for (int i = 0; i < kRoom; ++i) places[i] = kNothing;
      if (t.kind == Kind::handle) outs_.push_back({places, t.release});
    }
    return places;
  }
  void* numbers(const Type& t, After after) {
    void* p = room(kRoom * t.size);
    Sizes list = one_of<Sizes>({{}, {0}, {1}, {-1}, {0, 1}, {1, 1}, {2, 2}, {0, 0}, {3, 3}});
    if (!pick(4)) list = world_.sizes[pick(world_.sizes.size())];
    if (after == After::inputs && count_ <= kRoom) list.resize(size_t(count_), 1);  // of the same count
    for (size_t i = 0; i < list.size(); ++i) {
      if (t.kind == Kind::real && t.size == 4)
        static_cast<float*>(p)[i] = float(list[i]);
      else if (t.kind == Kind::real)
        static_cast<double*>(p)[i] = double(list[i]);
      else
        std::memcpy(static_cast<char*>(p) + i * t.size, &list[i], t.size);  // the low bytes
    }
    after_ = After::inputs;
    count_ = int64_t(list.size());
    return p;
  }
  void* places(const Type& t) {
    after_ = After::room;
    auto* p = static_cast<unsigned char*>(room(kRoom * t.size));
    std::memset(p, 0x5e, kRoom * t.size);
    numbers_.push_back({p, {p, p + kRoom * t.size}});
    return p;
  }

 public:
  Arguments(uint32_t seed, bool gradients)
      : random_(seed), world_(*worlds()[seed % worlds().size()]), gradients_(gradients) {}
  Arguments(const Arguments&) = delete;
  ~Arguments() {
    for (size_t i = made_.size(); i-- > 0;) made_[i].second(made_[i].first);
  }

  Value make(const Type& t) {
    const After after = after_;
    after_ = After::none;
    Value v{};
    if (t.pointers) {
      v.pointer = pointer(t, after);
    } else if (t.kind == Kind::real) {
      v.real = one_of<double>({0.5, 1, 2, 0});
    } else if (t.kind == Kind::scalar) {
      v.scalar = one_of({haft_scalar_float(0.5), haft_scalar_int(2), haft_scalar_int(1), haft_scalar_none()});
    } else if (t.size < 8) {
      v.integer = one_of<int64_t>({0, 0, 1, HAFT_FLOAT32, HAFT_FLOAT64, HAFT_DEVICE_CPU});
    } else {
      switch (after) {
        case After::inputs: v.integer = count_; break;
        case After::room: v.integer = kRoom; break;
        case After::bytes: v.integer = int64_t(kBytes); break;
        case After::none: v.integer = one_of<int64_t>({0, 1, 2, 3, 5, -1, 1, HAFT_NONE});
      }
    }
    return v;
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

haft_status call(const Function& f, Arguments& made, Attempt* a) {
  std::vector<Value> arguments;
  for (size_t i = 0; i < f.count; ++i) arguments.push_back(made.make(f.types[i]));
  if (!a) return f(arguments);
  made.look();
  return a->run([&] { return f(arguments); });
}
bool answers_tensors(const Function& f) {
  for (size_t i = 0; i < f.count; ++i) {
    const Type& t = f.types[i];
    if (t.handle == Handle::haft_tensor && t.pointers == 2 && !t.constant) return true;
  }
  return false;
}

// Where the search begins for those whose arguments seldom fit together; it saves time, and no more.
constexpr std::pair<std::string_view, uint32_t> kRare[] = {
    {"haft_conv1d", 20755}, {"haft_conv_transpose1d", 180865}, {"haft_max_unpool3d", 223978}};

// A seed whose arguments the function accepts; -1: none was found.
int64_t find_call(const Function& f, bool gradients) {
  constexpr uint32_t kSeeds = 400000;
  uint32_t first = 0;
  for (auto& [name, seed] : kRare)
    if (name == f.name) first = seed;
  int accepted = 0;
  for (uint32_t i = 0; i < kSeeds; ++i) {
    const uint32_t seed = (first + i) % kSeeds;
    Arguments made(seed, gradients);
    haft_status s = call(f, made, nullptr);
    bool useful = s == HAFT_OK && (!gradients || !made.recorded().empty());
    if (s == HAFT_OK) made.release_results(), ++accepted;
    if (useful) return seed;
    if (gradients && (accepted > 500 || i > 20000)) return -1;  // no gradient
  }
  return -1;
}

void sweep_gradient(const std::string& name, const Function& f, int64_t seed) {
  SCOPED_TRACE("the gradient of " + name);
  sweep(
      "haft_autograd_grad",
      [&](Attempt& a) {
        Arguments made(uint32_t(seed), true);
        must(call(f, made, nullptr));
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

void sweep_generated(const Function& f) {
  const std::string name = f.name;
  if (!f.answers_status) FAIL() << name << " answers no status: it needs a case in oom_cases.cpp";
  int64_t seed = find_call(f, false);
  ASSERT_GE(seed, 0) << name
                     << ": no arguments were found that it accepts; add tensors that fit to worlds(), or a "
                        "case to oom_cases.cpp";
  auto forward = [&](bool gradients) {
    return [&, gradients](Attempt& a) {
      Arguments made(uint32_t(seed), gradients);
      if (call(f, made, &a) == HAFT_OK)
        made.release_results();
      else
        made.expect_unchanged(name);
    };
  };
  sweep(name, forward(false));
  // The same recorded, and its gradient. What it calls in turn are operators, too.
  if (!answers_tensors(f) || testing::Test::HasFailure()) return;
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
  for (const Function& f : signatures::functions()) {
    EXPECT_TRUE(seen.insert(f.name).second) << f.name;
    if (!by_hand.count(f.name) && seen.size() % kParts == GetParam()) sweep_generated(f);
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
