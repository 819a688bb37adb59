// Pruning as languages without C++'s structs call it: Prune in Java and C#, haft.nn.utils.prune in Python.
#ifndef HAFT_BINDINGS_PRUNING_HPP
#define HAFT_BINDINGS_PRUNING_HPP
#include <haft/haft.hpp>

#include <string>
#include <vector>

namespace haft {
namespace bindings {

inline haft_prune_options prune_options(std::int32_t method, double fraction, std::int64_t count, double n,
                                        std::int64_t dim, haft_generator* generator) {
  haft_prune_options o = HAFT_PRUNE_OPTIONS_INIT;
  o.method = method;
  o.fraction = fraction;
  o.count = count;
  o.n = n;
  o.dim = dim;
  o.generator = generator;
  return o;
}
/// Prunes a parameter by a method.
inline void prune(const nn::Module& m, const std::string& name, std::int32_t method, double fraction,
                  std::int64_t count, double n, std::int64_t dim, const Tensor& scores,
                  haft_generator* generator) {
  const haft_prune_options o = prune_options(method, fraction, count, n, dim, generator);
  check(haft_module_prune(m.get(), name.c_str(), &o, scores.get()));
}
/// Prunes a parameter by a mask.
inline void prune_by_mask(const nn::Module& m, const std::string& name, const Tensor& mask) {
  check(haft_module_prune_by_mask(m.get(), name.c_str(), mask.get()));
}
/// Prunes elements of several parameters by one comparison of all; their names, a line each.
inline void prune_global(const std::vector<nn::Module>& modules, const std::string& names,
                         std::int32_t method, double fraction, std::int64_t count,
                         haft_generator* generator) {
  const haft_prune_options o = prune_options(method, fraction, count, 2, -1, generator);
  std::vector<std::string> texts(1);
  for (char c : names) {
    if (c == '\n')
      texts.emplace_back();
    else
      texts.back() += c;
  }
  texts.resize(modules.size());
  std::vector<haft_module*> handles;
  std::vector<const char*> pointers;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    handles.push_back(modules[i].get());
    pointers.push_back(texts[i].c_str());
  }
  check(haft_prune_global(handles.data(), pointers.data(), nullptr, static_cast<std::int64_t>(handles.size()),
                          &o));
}
/// The mask that a method makes of one.
inline Tensor prune_mask(const Tensor& scores, const Tensor& mask, std::int32_t method, double fraction,
                         std::int64_t count, double n, std::int64_t dim) {
  const haft_prune_options o = prune_options(method, fraction, count, n, dim, nullptr);
  haft_tensor* out = nullptr;
  check(haft_prune_mask(scores.get(), mask.get(), &o, &out));
  return Tensor(out);
}

}  // namespace bindings
}  // namespace haft
#endif
