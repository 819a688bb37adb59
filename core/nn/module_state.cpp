// What changes the tensors of a whole tree: loading a state, moving to another dtype or device.
#include <unordered_map>

#include "core/backend/registry.h"
#include "core/nn/module.h"
#include "core/nn/set_data.h"
#include "core/ops/functions.h"
#include "core/tape/tape.h"

namespace haft::nn {

namespace {

void append_list(std::string& text, const char* what, const std::vector<std::string>& items) {
  if (items.empty()) return;
  constexpr size_t kShown = 20;
  text += concat(text.empty() ? "" : "; ", what, " ");
  for (size_t i = 0; i < std::min(items.size(), kShown); ++i) text += concat(i ? ", " : "", items[i]);
  if (items.size() > kShown) text += concat(" and ", items.size() - kShown, " more");
}

}  // namespace

void Module::load_state_dict(std::span<const NamedTensor> state, bool strict) {
  Changing changing(*this);
  take_state(decode_state(state, strict));
}

Module::StateCopies Module::decode_state(std::span<const NamedTensor> state, bool strict) const {
  std::unordered_map<std::string_view, const Tensor*> given;
  std::vector<std::string> missing, unexpected, wrong;
  for (const NamedTensor& s : state) {
    if (!s.tensor)
      fail(Code::invalid_argument, concat("the tensor of \"", s.name, "\" is absent"), {}, "tensors");
    if (!given.emplace(s.name, &s.tensor).second)
      fail(Code::invalid_argument, concat("the name \"", s.name, "\" stands twice in the state"), {},
           "names");
  }

  std::vector<std::pair<Tensor, const Tensor*>> copies;
  for (NamedTensor& own : state_dict()) {
    auto it = given.find(own.name);
    if (it == given.end()) {
      missing.push_back(own.name);
      continue;
    }
    if (std::ranges::equal(own.tensor.sizes(), it->second->sizes()))
      copies.emplace_back(own.tensor, it->second);
    else
      wrong.push_back(
          concat("\"", own.name, "\" (", it->second->sizes(), ", the module has ", own.tensor.sizes(), ")"));
    given.erase(it);
  }
  for (const NamedTensor& s : state)  // in the order of the state
    if (given.count(s.name)) unexpected.push_back(s.name);

  std::string trouble;
  if (strict) append_list(trouble, "missing", missing);
  if (strict) append_list(trouble, "unexpected", unexpected);
  append_list(trouble, "wrong shape", wrong);
  if (!trouble.empty())
    fail(wrong.empty() ? Code::invalid_argument : Code::shape,
         concat("the state does not fit this ", type_, ": ", trouble),
         wrong.empty() ? "load it without strict to skip names that only one side has" : "");

  // In the dtype and on the device of the module: what is left is to copy.
  StateCopies out;
  NoGradGuard off;
  for (auto& [to, from] : copies) out.emplace_back(to, ops::to(*from, to.dtype(), to.device()));
  return out;
}

void Module::take_state(const StateCopies& copies) {
  NoGradGuard off;
  for (const auto& [to, from] : copies) ops::copy_(to, from);
}

void Module::to(DType dtype, Device device) {
  Changing changing(*this);
  if (dtype != DType::none && !is_float(dtype))
    fail(Code::dtype, concat("a module's parameters must be floating, got ", dtype_name(dtype)), {}, "dtype");
  if (device != kDefaultDevice) check_device(device);
  // All copies first: when memory runs out halfway, the module is as it was.
  std::vector<std::pair<Tensor, Tensor>> moves;
  NoGradGuard off;
  ScopedValue<bool> recorded(thread_state().inference, false);
  for (auto list : {named_parameters(), named_buffers()})
    for (const NamedTensor& n : list) {
      DType t = dtype != DType::none && is_float(n.tensor.dtype()) ? dtype : n.tensor.dtype();
      Device d = device == kDefaultDevice ? n.tensor.device() : device;
      if (t == n.tensor.dtype() && d == n.tensor.device()) continue;
      if (!is_leaf(n.tensor))
        fail(Code::autograd, concat("\"", n.name, "\" is the result of an operator and cannot be moved"),
             "detach() it");
      moves.emplace_back(n.tensor, ops::to(n.tensor, t, d));
    }
  for (auto& [own, value] : moves) set_data(own, value);
}

}  // namespace haft::nn
