// Modules in C++17 over haft/nn.h: handles that release themselves, PyTorch's names for what makes them. haft/haft.hpp
// includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_NN_HPP
#define HAFT_NN_HPP

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace haft {
namespace nn {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
/// Height and width; one number stands for both.
struct Pair {
  std::int64_t v[2];
  Pair(std::int64_t both) : v{both, both} {}
  Pair(std::int64_t height, std::int64_t width) : v{height, width} {}
};

namespace detail {

using haft::detail::borrow;
using haft::detail::destroy;
using haft::detail::guarded;

}  // namespace detail

/// A module handle that releases itself. Copies share the module.
class Module {
  haft_module* m_ = nullptr;

 public:
  Module() = default;
  /// Takes over one ownership.
  explicit Module(haft_module* owned) noexcept : m_(owned) {}
  Module(const Module& o) : m_(o.m_) {
    if (m_) check(haft_module_retain(m_));
  }
  Module(Module&& o) noexcept : m_(std::exchange(o.m_, nullptr)) {}
  Module& operator=(Module o) noexcept {
    std::swap(m_, o.m_);
    return *this;
  }
  ~Module() { haft_module_release(m_); }

  haft_module* get() const noexcept { return m_; }
  haft_module* release() noexcept { return std::exchange(m_, nullptr); }
  explicit operator bool() const noexcept { return m_ != nullptr; }

  Tensor operator()(const Tensor& x) const {
    haft_tensor* y = nullptr;
    check(haft_module_forward(m_, x.get(), &y));
    return Tensor(y);
  }
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs) const {
    std::vector<haft_tensor*> in;
    for (const Tensor& t : inputs) in.push_back(t.get());
    haft_tensor* outs[HAFT_MAX_MODULE_OUTPUTS];
    std::int64_t count = 0;
    check(haft_module_forward_many(m_, in.data(), size(in), outs, HAFT_MAX_MODULE_OUTPUTS, &count));
    return haft::detail::adopt(outs, count);
  }

  void train(bool on = true) const { check(haft_module_train(m_, on)); }
  void eval() const { train(false); }
  bool is_training() const {
    std::int32_t on = 0;
    check(haft_module_is_training(m_, &on));
    return on != 0;
  }
  void zero_grad() const { check(haft_module_zero_grad(m_)); }
  void set_requires_grad(bool on) const { check(haft_module_set_requires_grad(m_, on)); }
  const Module& to(haft_dtype dtype, haft_device device = HAFT_DEVICE_DEFAULT) const {
    check(haft_module_to(m_, dtype, device));
    return *this;
  }

  void add_child(const std::string& name, const Module& child) const {
    check(haft_module_add_child(m_, name.c_str(), child.get()));
  }
  void append(const Module& child) const { check(haft_module_add_child(m_, nullptr, child.get())); }
  std::int64_t child_count() const {
    std::int64_t n = 0;
    check(haft_module_get_child_count(m_, &n));
    return n;
  }
  /// The name of the index-th child.
  std::string child_name(std::int64_t index) const {
    return haft::detail::text_of([&](char* b, std::int64_t n, std::int64_t* needed) {
      return haft_module_get_child_name(m_, index, b, n, needed);
    });
  }
  /// A module of the tree by its dotted name.
  Module operator[](const std::string& name) const {
    haft_module* out = nullptr;
    check(haft_module_child(m_, name.c_str(), &out));
    return Module(out);
  }
  /// Calls fn(module, dotted name) for the whole tree, children first.
  void apply(const std::function<void(const Module&, const std::string&)>& fn) const {
    haft::detail::Carried carried;
    struct Call {
      const std::function<void(const Module&, const std::string&)>& fn;
      haft::detail::Carried& carried;
    } call{fn, carried};
    carried.check(haft_module_apply(
        m_,
        [](haft_module* m, const char* name, void* user) -> haft_status {
          auto* c = static_cast<Call*>(user);
          return c->carried.run([&] {
            check(haft_module_retain(m));
            c->fn(Module(m), name);
          });
        },
        &call));
  }

  void register_parameter(const std::string& name, const Tensor& t, bool requires_grad = true) const {
    check(haft_module_register_parameter(m_, name.c_str(), t.get(), requires_grad));
  }
  void register_buffer(const std::string& name, const Tensor& t, bool persistent = true) const {
    check(haft_module_register_buffer(m_, name.c_str(), t.get(), persistent));
  }
  std::vector<Tensor> parameters() const {
    std::int64_t count = 0;
    check(haft_module_get_parameter_count(m_, &count, nullptr));
    std::vector<haft_tensor*> outs(static_cast<std::size_t>(count));
    check(haft_module_parameters(m_, outs.data(), count, &count));
    return haft::detail::adopt(outs.data(), count);
  }
  NamedTensors named_parameters() const { return named(parameters(), haft_module_get_parameter_name); }
  /// Elements of all parameters.
  std::int64_t parameter_count() const {
    std::int64_t n = 0;
    check(haft_module_get_parameter_count(m_, nullptr, &n));
    return n;
  }
  /// Running statistics and what register_buffer added, under dotted names.
  NamedTensors named_buffers() const {
    std::int64_t count = 0;
    check(haft_module_buffers(m_, nullptr, 0, &count));
    std::vector<haft_tensor*> outs(static_cast<std::size_t>(count));
    check(haft_module_buffers(m_, outs.data(), count, &count));
    return named(haft::detail::adopt(outs.data(), count), haft_module_get_buffer_name);
  }
  Tensor parameter(const std::string& name) const { return find(haft_module_parameter, name); }
  Tensor buffer(const std::string& name) const { return find(haft_module_buffer, name); }

  NamedTensors state_dict() const {
    std::int64_t count = 0;
    check(haft_module_state(m_, nullptr, 0, &count));
    std::vector<haft_tensor*> outs(static_cast<std::size_t>(count));
    check(haft_module_state(m_, outs.data(), count, &count));
    return named(haft::detail::adopt(outs.data(), count), haft_module_get_state_name);
  }
  void load_state_dict(const NamedTensors& state, bool strict = true) const {
    std::vector<const char*> names;
    std::vector<haft_tensor*> tensors;
    for (const auto& s : state) {
      names.push_back(s.first.c_str());
      tensors.push_back(s.second.get());
    }
    check(haft_module_load_state(m_, names.data(), tensors.data(), size(tensors), strict));
  }
  /// Safetensors files.
  void save(const std::string& path) const { check(haft_module_save(m_, path.c_str())); }
  void load(const std::string& path, bool strict = true) const { check(haft_module_load(m_, path.c_str(), strict)); }

  /// From here on the tensor `name` is parametrization(original): nn::WeightNorm, nn::SpectralNorm, nn::Orthogonal,
  /// or any module that answers one tensor.
  void register_parametrization(const std::string& name, const Module& parametrization, bool unsafe = false) const {
    check(haft_module_register_parametrization(m_, name.c_str(), parametrization.get(), nullptr, unsafe));
  }
  /// The same with a module that answers the originals of a value.
  void register_parametrization(const std::string& name, const Module& parametrization, const Module& right_inverse,
                                bool unsafe = false) const {
    check(haft_module_register_parametrization(m_, name.c_str(), parametrization.get(), right_inverse.get(), unsafe));
  }
  void remove_parametrizations(const std::string& name, bool leave_parametrized = true) const {
    check(haft_module_remove_parametrizations(m_, name.c_str(), leave_parametrized));
  }
  /// Whether a tensor of its own, or any, is parametrized.
  bool is_parametrized(const std::string& name = std::string()) const {
    std::int32_t yes = 0;
    check(haft_module_is_parametrized(m_, name.empty() ? nullptr : name.c_str(), &yes));
    return yes != 0;
  }
  /// Changes the originals so that the tensor gets a value.
  void set_parametrized(const std::string& name, const Tensor& value) const {
    check(haft_module_set_parametrized(m_, name.c_str(), value.get()));
  }
  /// A parameter or buffer as forward reads it.
  Tensor value(const std::string& name) const { return find(haft_module_value, name); }
  /// The originals that one of the engine's parametrizations makes a value of.
  std::vector<Tensor> right_inverse(const Tensor& value) const {
    haft_tensor* outs[HAFT_MAX_MODULE_OUTPUTS];
    std::int64_t count = 0;
    check(haft_module_right_inverse(m_, value.get(), outs, HAFT_MAX_MODULE_OUTPUTS, &count));
    return haft::detail::adopt(outs, count);
  }
  /// Runs with other tensors in place of the module's, by their dotted names.
  std::vector<Tensor> functional_call(const NamedTensors& others, const std::vector<Tensor>& inputs) const {
    std::vector<const char*> names;
    std::vector<haft_tensor*> tensors, in;
    for (const auto& o : others) {
      names.push_back(o.first.c_str());
      tensors.push_back(o.second.get());
    }
    for (const Tensor& t : inputs) in.push_back(t.get());
    haft_tensor* outs[HAFT_MAX_MODULE_OUTPUTS];
    std::int64_t count = 0;
    check(haft_module_functional_call(m_, names.data(), tensors.data(), size(tensors), in.data(), size(in), outs,
                                      HAFT_MAX_MODULE_OUTPUTS, &count));
    return haft::detail::adopt(outs, count);
  }
  /// The zeros of pruning become part of the parameter.
  void remove_pruning(const std::string& name) const { check(haft_module_remove_pruning(m_, name.c_str())); }
  /// Whether some parameter of the tree is pruned.
  bool is_pruned() const {
    std::int32_t yes = 0;
    check(haft_module_is_pruned(m_, &yes));
    return yes != 0;
  }

  std::string type() const { return text(haft_module_get_type); }
  std::string to_string() const { return text(haft_module_to_string); }
  std::string summary() const { return text(haft_module_get_summary); }

  /// fn may replace entries of the inputs. Returns the hook's id.
  std::int64_t add_pre_hook(std::function<void(std::vector<Tensor>& inputs)> fn) const {
    using Fn = std::function<void(std::vector<Tensor>&)>;
    auto own = std::make_unique<Fn>(std::move(fn));
    std::int64_t id = 0;
    check(haft_module_add_pre_hook(
        m_,
        [](haft_module*, haft_tensor* const* in, std::int64_t n, haft_tensor** replaced, void* user) -> haft_status {
          return detail::guarded([&] {
            auto inputs = detail::borrow(in, n);
            (*static_cast<Fn*>(user))(inputs);
            replace(inputs, in, n, replaced);
          });
        },
        own.get(), detail::destroy<Fn>, &id));
    own.release();
    return id;
  }
  /// fn may replace entries of the outputs. Returns the hook's id.
  std::int64_t add_hook(std::function<void(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs)> fn) const {
    using Fn = std::function<void(const std::vector<Tensor>&, std::vector<Tensor>&)>;
    auto own = std::make_unique<Fn>(std::move(fn));
    std::int64_t id = 0;
    check(haft_module_add_hook(
        m_,
        [](haft_module*, haft_tensor* const* in, std::int64_t n_in, haft_tensor* const* out, std::int64_t n_out,
           haft_tensor** replaced, void* user) -> haft_status {
          return detail::guarded([&] {
            auto outputs = detail::borrow(out, n_out);
            (*static_cast<Fn*>(user))(detail::borrow(in, n_in), outputs);
            replace(outputs, out, n_out, replaced);
          });
        },
        own.get(), detail::destroy<Fn>, &id));
    own.release();
    return id;
  }
  void remove_hook(std::int64_t id) const { check(haft_module_remove_hook(m_, id)); }

 private:
  template <class V>
  static std::int64_t size(const V& v) {
    return static_cast<std::int64_t>(v.size());
  }
  static void replace(std::vector<Tensor>& now, haft_tensor* const* before, std::int64_t n, haft_tensor** replaced) {
    for (std::int64_t i = 0; i < n && i < size(now); ++i) {
      Tensor& t = now[static_cast<std::size_t>(i)];
      if (t && t.get() != before[i]) replaced[i] = t.release();
    }
  }
  template <class F>
  NamedTensors named(std::vector<Tensor> ts, F name) const {
    NamedTensors out;
    for (std::size_t i = 0; i < ts.size(); ++i)
      out.emplace_back(haft::detail::text_of([&](char* b, std::int64_t n, std::int64_t* needed) {
                         return name(m_, static_cast<std::int64_t>(i), b, n, needed);
                       }),
                       std::move(ts[i]));
    return out;
  }
  template <class F>
  Tensor find(F f, const std::string& name) const {
    haft_tensor* out = nullptr;
    check(f(m_, name.c_str(), &out));
    return Tensor(out);
  }
  template <class F>
  std::string text(F f) const {
    return haft::detail::text_of([&](char* b, std::int64_t n, std::int64_t* needed) { return f(m_, b, n, needed); });
  }
};

namespace detail {

template <class F, class... A>
Module create(F f, A... arguments) {
  haft_module* out = nullptr;
  check(f(arguments..., &out));
  return Module(out);
}

}  // namespace detail

/// Where parameters live; the initial numbers come from `generator` (nullptr: the default one).
struct Build {
  haft_dtype dtype = HAFT_DTYPE_NONE;
  haft_device device = HAFT_DEVICE_DEFAULT;
  haft_generator* generator = nullptr;
};

}  // namespace nn
}  // namespace haft
#include <haft/layers.hpp>  // nn::Linear and all others that are made from plain values
namespace haft {
namespace nn {

inline Module Sequential(const std::vector<Module>& modules = {}) {
  std::vector<haft_module*> handles;
  for (const Module& m : modules) handles.push_back(m.get());
  return detail::create(haft_sequential_create, handles.data(), static_cast<std::int64_t>(handles.size()));
}
/// The module on several devices of this process at once, each of which computes a part of the batch. It is on the
/// first of them.
inline Module DataParallel(const Module& m, const std::vector<haft_device>& devices, std::int64_t dim = 0) {
  return detail::create(haft_data_parallel_module_create, m.get(), devices.data(),
                        static_cast<std::int64_t>(devices.size()), dim);
}
/// A triplet loss whose distance is a module of two tensors: PairwiseDistance, or a Callback.
inline Module TripletMarginWithDistanceLoss(const Module& distance, double margin = 1.0, bool swap = false,
                                            std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  return detail::create(haft_triplet_margin_with_distance_loss_create, distance.get(), margin,
                        static_cast<std::int32_t>(swap), reduction);
}
inline Module ModuleList(const std::vector<Module>& modules = {}) {
  std::vector<haft_module*> handles;
  for (const Module& m : modules) handles.push_back(m.get());
  return detail::create(haft_module_list_create, handles.data(), static_cast<std::int64_t>(handles.size()));
}
inline Module ModuleDict(const std::vector<std::pair<std::string, Module>>& modules = {}) {
  Module dict = detail::create(haft_module_dict_create, static_cast<const char* const*>(nullptr),
                               static_cast<haft_module* const*>(nullptr), std::int64_t(0));
  for (const auto& m : modules) dict.add_child(m.first, m.second);
  return dict;
}

/// A module from a function of tensors. It may run in several threads at once; it must not capture the module itself.
inline Module Callback(const std::string& type,
                       std::function<std::vector<Tensor>(const std::vector<Tensor>&)> forward) {
  using Fn = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  auto own = std::make_unique<Fn>(std::move(forward));
  haft_module* out = nullptr;
  check(haft_callback_module_create(
      type.c_str(),
      [](haft_module*, haft_tensor* const* in, std::int64_t n, haft_tensor** outputs, std::int64_t* count,
         void* user) -> haft_status {
        return detail::guarded([&] {
          auto results = (*static_cast<Fn*>(user))(detail::borrow(in, n));
          if (results.size() > HAFT_MAX_MODULE_OUTPUTS)
            check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT,
                                 "a module answers at most HAFT_MAX_MODULE_OUTPUTS tensors", 0));
          for (Tensor& t : results) outputs[(*count)++] = t.release();
        });
      },
      own.get(), detail::destroy<Fn>, &out));
  own.release();
  return Module(out);
}

/// A module as a class: derive, name children and parameters in the constructor, write forward; nn::make builds it.
///   struct Net : nn::Definition {
///     nn::Module fc = child("fc", nn::Linear(784, 10));
///     Tensor forward(const Tensor& x) override { return fc(x); }
///   };
///   nn::Module net = nn::make<Net>("Net");
class Definition {
 public:
  Definition() = default;
  Definition(const Definition&) = delete;
  Definition& operator=(const Definition&) = delete;
  virtual ~Definition() = default;
  virtual Tensor forward(const Tensor& x) = 0;

 protected:
  Module child(const std::string& name, Module m) {
    children_.emplace_back(name, m);
    return m;
  }
  Tensor parameter(const std::string& name, Tensor t, bool requires_grad = true) {
    parameters_.push_back({name, t, requires_grad});
    return t;
  }
  Tensor buffer(const std::string& name, Tensor t, bool persistent = true) {
    buffers_.push_back({name, t, persistent});
    return t;
  }

 private:
  template <class T, class... A>
  friend Module make(const std::string& type, A&&... arguments);
  struct Entry {
    std::string name;
    Tensor tensor;
    bool flag;
  };
  std::vector<std::pair<std::string, Module>> children_;
  std::vector<Entry> parameters_, buffers_;
};

template <class T, class... A>
Module make(const std::string& type, A&&... arguments) {
  auto net = std::make_shared<T>(std::forward<A>(arguments)...);
  Module m = Callback(type, [net](const std::vector<Tensor>& in) {
    if (in.size() != 1) check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "this module takes one tensor", 0));
    std::vector<Tensor> out;
    out.push_back(net->forward(in[0]));
    return out;
  });
  Definition& d = *net;
  for (const auto& p : d.parameters_) m.register_parameter(p.name, p.tensor, p.flag);
  for (const auto& b : d.buffers_) m.register_buffer(b.name, b.tensor, b.flag);
  for (const auto& c : d.children_) m.add_child(c.first, c.second);
  d.parameters_.clear();
  d.buffers_.clear();
  d.children_.clear();
  return m;
}

/// Parts of parameters held at 0 (torch.nn.utils.prune): a parameter becomes NAME_orig and the buffer NAME_mask,
/// forward reads their product. `scores` of its shape are compared in place of its values.
namespace prune {
/// How many units go: a number of them, or a part of those that are left.
struct Amount {
  double fraction = 0;
  std::int64_t count = -1;
  Amount(double part) : fraction(part) {}
  Amount(std::int64_t units) : count(units) {}
  Amount(int units) : count(units) {}
};
namespace detail {
inline haft_prune_options options(std::int32_t method, Amount amount) {
  haft_prune_options o = HAFT_PRUNE_OPTIONS_INIT;
  o.method = method;
  o.fraction = amount.fraction;
  o.count = amount.count;
  return o;
}
inline void run(const Module& m, const std::string& name, const haft_prune_options& o,
                const Tensor& scores = Tensor()) {
  check(haft_module_prune(m.get(), name.c_str(), &o, scores.get()));
}
}  // namespace detail
inline void identity(const Module& m, const std::string& name) {
  detail::run(m, name, detail::options(HAFT_PRUNE_IDENTITY, 0));
}
inline void random_unstructured(const Module& m, const std::string& name, Amount amount, haft_generator* g = nullptr) {
  haft_prune_options o = detail::options(HAFT_PRUNE_RANDOM_UNSTRUCTURED, amount);
  o.generator = g;
  detail::run(m, name, o);
}
inline void l1_unstructured(const Module& m, const std::string& name, Amount amount, const Tensor& scores = Tensor()) {
  detail::run(m, name, detail::options(HAFT_PRUNE_L1_UNSTRUCTURED, amount), scores);
}
inline void random_structured(const Module& m, const std::string& name, Amount amount, std::int64_t dim,
                              haft_generator* g = nullptr) {
  haft_prune_options o = detail::options(HAFT_PRUNE_RANDOM_STRUCTURED, amount);
  o.dim = dim;
  o.generator = g;
  detail::run(m, name, o);
}
inline void ln_structured(const Module& m, const std::string& name, Amount amount, double n, std::int64_t dim,
                          const Tensor& scores = Tensor()) {
  haft_prune_options o = detail::options(HAFT_PRUNE_LN_STRUCTURED, amount);
  o.n = n;
  o.dim = dim;
  detail::run(m, name, o, scores);
}
inline void custom_from_mask(const Module& m, const std::string& name, const Tensor& mask) {
  check(haft_module_prune_by_mask(m.get(), name.c_str(), mask.get()));
}
/// Elements of several parameters by one comparison of all. scores: none, or one a parameter, empty ones for values.
inline void global_unstructured(const std::vector<std::pair<Module, std::string>>& parameters, std::int32_t method,
                                Amount amount, const std::vector<Tensor>& scores = {}, haft_generator* g = nullptr) {
  haft_prune_options o = detail::options(method, amount);
  o.generator = g;
  std::vector<haft_module*> modules;
  std::vector<const char*> names;
  std::vector<haft_tensor*> given;
  for (const auto& p : parameters) {
    modules.push_back(p.first.get());
    names.push_back(p.second.c_str());
  }
  for (const Tensor& t : scores) given.push_back(t.get());
  if (!given.empty()) given.resize(modules.size());
  check(haft_prune_global(modules.data(), names.data(), given.empty() ? nullptr : given.data(),
                          static_cast<std::int64_t>(modules.size()), &o));
}
inline void remove(const Module& m, const std::string& name) { m.remove_pruning(name); }
inline bool is_pruned(const Module& m) { return m.is_pruned(); }
}  // namespace prune

/// Initial values, in place.
namespace init {
inline void uniform_(const Tensor& t, double low, double high, haft_generator* g = nullptr) {
  check(haft_init_uniform(t.get(), low, high, g));
}
inline void normal_(const Tensor& t, double mean = 0, double std = 1, haft_generator* g = nullptr) {
  check(haft_init_normal(t.get(), mean, std, g));
}
inline void constant_(const Tensor& t, double value) { check(haft_init_constant(t.get(), value)); }
inline void trunc_normal_(const Tensor& t, double mean = 0, double std = 1, double low = -2, double high = 2,
                          haft_generator* g = nullptr) {
  check(haft_init_trunc_normal(t.get(), mean, std, low, high, g));
}
inline void xavier_uniform_(const Tensor& t, double gain = 1, haft_generator* g = nullptr) {
  check(haft_init_xavier_uniform(t.get(), gain, g));
}
inline void xavier_normal_(const Tensor& t, double gain = 1, haft_generator* g = nullptr) {
  check(haft_init_xavier_normal(t.get(), gain, g));
}
inline void kaiming_uniform_(const Tensor& t, double a = 0, std::int32_t fan = HAFT_FAN_IN,
                             std::int32_t nonlinearity = HAFT_NONLINEARITY_LEAKY_RELU, haft_generator* g = nullptr) {
  check(haft_init_kaiming_uniform(t.get(), a, fan, nonlinearity, g));
}
inline void kaiming_normal_(const Tensor& t, double a = 0, std::int32_t fan = HAFT_FAN_IN,
                            std::int32_t nonlinearity = HAFT_NONLINEARITY_LEAKY_RELU, haft_generator* g = nullptr) {
  check(haft_init_kaiming_normal(t.get(), a, fan, nonlinearity, g));
}
inline void orthogonal_(const Tensor& t, double gain = 1, haft_generator* g = nullptr) {
  check(haft_init_orthogonal(t.get(), gain, g));
}
inline void dirac_(const Tensor& t, std::int64_t groups = 1) { check(haft_init_dirac(t.get(), groups)); }
inline void sparse_(const Tensor& t, double sparsity, double std = 0.01, haft_generator* g = nullptr) {
  check(haft_init_sparse(t.get(), sparsity, std, g));
}
}  // namespace init

}  // namespace nn
}  // namespace haft

#endif
