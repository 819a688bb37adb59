// Modules: running, tree, tensors, state, files and hooks.
#include <haft/nn.h>

#include "capi/src/lending.h"
#include "capi/src/module_handle.h"
#include "capi/src/shards.h"
#include "core/autograd/hooks.h"
#include "core/io/arrays_file.h"
#include "core/io/safetensors.h"
#include "core/io/tensors.h"
#include "core/nn/containers.h"

using namespace haft;
using namespace haft::capi;

namespace {

// A module lent to a callback.
class LentModule {
  haft_module* handle_;

 public:
  explicit LentModule(nn::Module& m) : handle_(hand_out_module(Ref<nn::Module>::share(&m))) {}
  ~LentModule() { release_handle(handle_, HandleType::module); }
  LentModule(const LentModule&) = delete;
  haft_module* get() const { return handle_; }
};

template <class Fn>
void check_callback_given(Fn fn, int index, const char* name) {
  if (!fn) fail_argument(Code::invalid_argument, concat(name, " is NULL, wanted a function"), index, name);
}

// Which: &nn::Module::state_dict, named_parameters or named_buffers.
std::vector<nn::NamedTensor> tensors_of(const haft_module* m,
                                        std::vector<nn::NamedTensor> (nn::Module::*which)() const) {
  Ref<nn::Module> module = module_arg(m, 0, "m");
  return ((*module).*which)();
}

void give_tensors(std::vector<nn::NamedTensor> named, haft_tensor** outs, int64_t capacity, int64_t* count) {
  check_list_out(outs, capacity, count, 1, "outs");
  std::vector<Tensor> ts;
  ts.reserve(named.size());
  for (nn::NamedTensor& n : named) ts.push_back(std::move(n.tensor));
  emit_list(outs, capacity, count, std::move(ts));
}

template <class List>
void give_name(const List& named, int64_t index, char* buffer, int64_t capacity, int64_t* needed) {
  if (index < 0 || index >= int64_t(named.size()))
    fail_argument(Code::index, concat("index must be in [0, ", named.size(), "), got ", index), 1, "index");
  emit_text(named[size_t(index)].name, buffer, capacity, needed);
}

std::vector<nn::NamedTensor> read_state(const std::string& path) {
  std::vector<nn::NamedTensor> state;
  auto file = open_arrays(path);
  for (size_t i = 0; i < file->names().size(); ++i)
    state.push_back({file->names()[i], to_tensor(file->read(int64_t(i)))});
  return state;
}

nn::Callback::Forward wrap_forward(haft_module_forward_fn fn, std::shared_ptr<UserData> data) {
  return [fn, data](nn::Module& self, std::span<const Tensor> inputs) {
    LentModule me(self);
    LentTensors lent(inputs);
    TakenTensors taken(HAFT_MAX_MODULE_OUTPUTS);
    int64_t count = 0;
    call_back("the forward callback of a module",
              [&] { return fn(me.get(), lent.data(), lent.size(), taken.data(), &count, data->user); });
    if (count < 0 || count > HAFT_MAX_MODULE_OUTPUTS)
      fail(Code::invalid_argument, concat("the forward callback of this ", self.type(), " answered ", count,
                                          " tensors, wanted 0 to ", HAFT_MAX_MODULE_OUTPUTS));
    std::vector<Tensor> out;
    for (int64_t i = 0; i < count; ++i) {
      out.push_back(taken.get(size_t(i)));
      if (!out.back())
        fail(Code::invalid_argument,
             concat("the forward callback of this ", self.type(), " left output ", i, " NULL"));
    }
    return out;
  };
}

nn::ForwardPreHook wrap_pre_hook(haft_module_pre_hook fn, std::shared_ptr<UserData> data) {
  return [fn, data](nn::Module& self, std::span<Tensor> inputs) {
    LentModule me(self);
    LentTensors lent(inputs);
    TakenTensors taken(inputs.size());
    call_back("a forward pre-hook",
              [&] { return fn(me.get(), lent.data(), lent.size(), taken.data(), data->user); });
    for (size_t i = 0; i < inputs.size(); ++i)
      if (Tensor t = taken.get(i)) inputs[i] = std::move(t);
  };
}

nn::ForwardHook wrap_hook(haft_module_hook fn, std::shared_ptr<UserData> data) {
  return [fn, data](nn::Module& self, std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    LentModule me(self);
    LentTensors in(inputs), out(outputs);
    TakenTensors taken(outputs.size());
    call_back("a forward hook", [&] {
      return fn(me.get(), in.data(), in.size(), out.data(), out.size(), taken.data(), data->user);
    });
    for (size_t i = 0; i < outputs.size(); ++i)
      if (Tensor t = taken.get(i)) outputs[i] = std::move(t);
  };
}

}  // namespace

extern "C" {

haft_status haft_callback_module_create(const char* type, haft_module_forward_fn forward, void* user,
                                        void (*destroy)(void*), haft_module** out) noexcept {
  return boundary("haft_callback_module_create", [&] {
    check_out(out, 4, "out");
    check_callback_given(forward, 1, "forward");
    auto data = std::make_shared<UserData>(user, nullptr);
    haft_module* m = hand_out_module(
        make_ref<nn::Callback>(std::string(to_text(type, 0, "type")), wrap_forward(forward, data)));
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
    *out = m;
  });
}

haft_status haft_module_retain(haft_module* m) noexcept {
  return boundary("haft_module_retain", [&] {
    slot_of(m, HandleType::module, 0, "m");
    retain_handle(m, HandleType::module);
  });
}

void haft_module_release(haft_module* m) noexcept { release_handle(m, HandleType::module); }

// ---- running ----

haft_status haft_module_forward(haft_module* m, const haft_tensor* x, haft_tensor** y) noexcept {
  return boundary("haft_module_forward", [&] {
    check_out(y, 2, "y");
    Ref<nn::Module> module = module_arg(m, 0, "m");
    Tensor input = arg(x, 1, "x");  // hooks may release the handle
    nn::Running running(*module);
    emit(y, module->call(input));
  });
}

// Under the name of the function that the caller called.
static haft_status forward_many(const char* function, haft_module* m, haft_tensor* const* inputs,
                                int64_t input_count, haft_tensor** outs, int64_t capacity,
                                int64_t* count) noexcept {
  return boundary(function, [&] {
    check_list_out(outs, capacity, count, 3, "outs");
    Ref<nn::Module> module = module_arg(m, 0, "m");
    ListArg in = optional_list_arg(inputs, input_count, 1, "inputs");
    if (!has_room(outs, capacity, count, module->output_count())) return;
    emit_list(outs, capacity, count, module->call_many(in));
  });
}

haft_status haft_module_forward_many(haft_module* m, haft_tensor* const* inputs, int64_t input_count,
                                     haft_tensor** outs, int64_t capacity, int64_t* count) noexcept {
  return forward_many("haft_module_forward_many", m, inputs, input_count, outs, capacity, count);
}

haft_status haft_module_as_function(haft_tensor* const* inputs, int64_t input_count, haft_tensor** outputs,
                                    int64_t* output_count, void* module) noexcept {
  return forward_many("haft_module_as_function", static_cast<haft_module*>(module), inputs, input_count,
                      outputs, HAFT_MAX_MODULE_OUTPUTS, output_count);
}

haft_status haft_module_train(haft_module* m, int32_t on) noexcept {
  return boundary("haft_module_train", [&] { module_arg(m, 0, "m")->train(to_bool(on, 1, "on")); });
}

haft_status haft_module_is_training(const haft_module* m, int32_t* out) noexcept {
  return boundary("haft_module_is_training", [&] {
    check_out(out, 1, "out");
    *out = module_arg(m, 0, "m")->training();
  });
}

haft_status haft_module_zero_grad(haft_module* m) noexcept {
  return boundary("haft_module_zero_grad", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    module->zero_grad();
    for (const Tensor& t : shards_in_place(module->parameters()))  // of the others nothing is left
      if (gradient_of(t).defined()) set_gradient(t, {});
  });
}

haft_status haft_module_set_requires_grad(haft_module* m, int32_t on) noexcept {
  return boundary("haft_module_set_requires_grad",
                  [&] { module_arg(m, 0, "m")->set_requires_grad(to_bool(on, 1, "on")); });
}

haft_status haft_module_to(haft_module* m, haft_dtype dtype, haft_device device) noexcept {
  return boundary("haft_module_to", [&] {
    module_arg(m, 0, "m")->to(to_dtype(dtype, 1, "dtype"), to_device(device, 2, "device"));
  });
}

// ---- tree ----

haft_status haft_module_add_child(haft_module* m, const char* name, haft_module* child) noexcept {
  return boundary("haft_module_add_child", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m"), c = module_arg(child, 2, "child");
    if (name)
      module->add_child(std::string(to_text(name, 1, "name")), std::move(c));
    else
      module->append(std::move(c));
  });
}

haft_status haft_module_get_child_count(const haft_module* m, int64_t* out) noexcept {
  return boundary("haft_module_get_child_count", [&] {
    check_out(out, 1, "out");
    Ref<nn::Module> module = module_arg(m, 0, "m");
    nn::Reading reading(*module);
    *out = int64_t(module->children().size());
  });
}

haft_status haft_module_get_child_name(const haft_module* m, int64_t index, char* buffer, int64_t capacity,
                                       int64_t* needed) noexcept {
  return boundary("haft_module_get_child_name", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    nn::Reading reading(*module);
    give_name(module->children(), index, buffer, capacity, needed);
  });
}

haft_status haft_module_child(const haft_module* m, const char* name, haft_module** out) noexcept {
  return boundary("haft_module_child", [&] {
    check_out(out, 2, "out");
    *out = hand_out_module(module_arg(m, 0, "m")->find(to_text(name, 1, "name")));
  });
}

haft_status haft_module_apply(haft_module* m, haft_status (*fn)(haft_module* m, const char* name, void* user),
                              void* user) noexcept {
  return boundary("haft_module_apply", [&] {
    check_callback_given(fn, 1, "fn");
    module_arg(m, 0, "m")->apply([&](const std::string& name, nn::Module& each) {
      LentModule lent(each);
      call_back("the callback of haft_module_apply", [&] { return fn(lent.get(), name.c_str(), user); });
    });
  });
}

haft_status haft_module_get_type(const haft_module* m, char* buffer, int64_t capacity,
                                 int64_t* needed) noexcept {
  return boundary("haft_module_get_type",
                  [&] { emit_text(module_arg(m, 0, "m")->type(), buffer, capacity, needed); });
}

haft_status haft_module_to_string(const haft_module* m, char* buffer, int64_t capacity,
                                  int64_t* needed) noexcept {
  return boundary("haft_module_to_string",
                  [&] { emit_text(module_arg(m, 0, "m")->text(), buffer, capacity, needed); });
}

haft_status haft_module_get_summary(const haft_module* m, char* buffer, int64_t capacity,
                                    int64_t* needed) noexcept {
  return boundary("haft_module_get_summary",
                  [&] { emit_text(module_arg(m, 0, "m")->summary(), buffer, capacity, needed); });
}

// ---- parameters and buffers ----

haft_status haft_module_register_parameter(haft_module* m, const char* name, haft_tensor* t,
                                           int32_t requires_grad) noexcept {
  return boundary("haft_module_register_parameter", [&] {
    module_arg(m, 0, "m")->register_parameter(std::string(to_text(name, 1, "name")), optional_arg(t, 2, "t"),
                                              to_bool(requires_grad, 3, "requires_grad"));
  });
}

haft_status haft_module_register_buffer(haft_module* m, const char* name, haft_tensor* t,
                                        int32_t persistent) noexcept {
  return boundary("haft_module_register_buffer", [&] {
    module_arg(m, 0, "m")->register_buffer(std::string(to_text(name, 1, "name")), optional_arg(t, 2, "t"),
                                           to_bool(persistent, 3, "persistent"));
  });
}

haft_status haft_module_get_parameter_count(const haft_module* m, int64_t* tensors,
                                            int64_t* elements) noexcept {
  return boundary("haft_module_get_parameter_count", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    int64_t n = int64_t(module->parameters().size()), numel = module->parameter_count();
    if (tensors) *tensors = n;
    if (elements) *elements = numel;
  });
}

haft_status haft_module_parameters(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                   int64_t* count) noexcept {
  return boundary("haft_module_parameters",
                  [&] { give_tensors(tensors_of(m, &nn::Module::named_parameters), outs, capacity, count); });
}

haft_status haft_module_get_parameter_name(const haft_module* m, int64_t index, char* buffer,
                                           int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_module_get_parameter_name", [&] {
    give_name(tensors_of(m, &nn::Module::named_parameters), index, buffer, capacity, needed);
  });
}

haft_status haft_module_buffers(const haft_module* m, haft_tensor** outs, int64_t capacity,
                                int64_t* count) noexcept {
  return boundary("haft_module_buffers",
                  [&] { give_tensors(tensors_of(m, &nn::Module::named_buffers), outs, capacity, count); });
}

haft_status haft_module_get_buffer_name(const haft_module* m, int64_t index, char* buffer, int64_t capacity,
                                        int64_t* needed) noexcept {
  return boundary("haft_module_get_buffer_name", [&] {
    give_name(tensors_of(m, &nn::Module::named_buffers), index, buffer, capacity, needed);
  });
}

haft_status haft_module_parameter(const haft_module* m, const char* name, haft_tensor** out) noexcept {
  return boundary("haft_module_parameter", [&] {
    check_out(out, 2, "out");
    emit(out, module_arg(m, 0, "m")->find_parameter(to_text(name, 1, "name")));
  });
}

haft_status haft_module_buffer(const haft_module* m, const char* name, haft_tensor** out) noexcept {
  return boundary("haft_module_buffer", [&] {
    check_out(out, 2, "out");
    emit(out, module_arg(m, 0, "m")->find_buffer(to_text(name, 1, "name")));
  });
}

// ---- state ----

haft_status haft_module_state(const haft_module* m, haft_tensor** outs, int64_t capacity,
                              int64_t* count) noexcept {
  return boundary("haft_module_state",
                  [&] { give_tensors(tensors_of(m, &nn::Module::state_dict), outs, capacity, count); });
}

haft_status haft_module_get_state_name(const haft_module* m, int64_t index, char* buffer, int64_t capacity,
                                       int64_t* needed) noexcept {
  return boundary("haft_module_get_state_name", [&] {
    give_name(tensors_of(m, &nn::Module::state_dict), index, buffer, capacity, needed);
  });
}

haft_status haft_module_load_state(haft_module* m, const char* const* names, haft_tensor* const* tensors,
                                   int64_t count, int32_t strict) noexcept {
  return boundary("haft_module_load_state", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    ListArg list = list_arg(tensors, count, 2, "tensors");
    if (count && !names)
      fail_argument(Code::invalid_argument, "names is NULL, wanted a name for each tensor", 1, "names");
    std::vector<nn::NamedTensor> state;
    for (int64_t i = 0; i < count; ++i)
      state.push_back({std::string(to_text(names[i], 1, "names")), list.vector()[size_t(i)]});
    module->load_state_dict(state, to_bool(strict, 4, "strict"));
  });
}

haft_status haft_module_save(const haft_module* m, const char* path) noexcept {
  return boundary("haft_module_save", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    std::string file(to_text(path, 1, "path"));
    CancelGuard guard;
    nn::ReadingTree reading(*module);
    std::vector<Array> arrays;
    for (const nn::NamedTensor& n : module->state_dict()) arrays.push_back(to_array(n.name, n.tensor));
    std::vector<ArrayRef> refs(arrays.begin(), arrays.end());
    write_safetensors(file, refs, {{"format", "pt"}});  // what libraries around PyTorch look for
  });
}

haft_status haft_module_load(haft_module* m, const char* path, int32_t strict) noexcept {
  return boundary("haft_module_load", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    std::string file(to_text(path, 1, "path"));
    bool exact = to_bool(strict, 2, "strict");
    CancelGuard guard;
    module->load_state_dict(read_state(file), exact);
  });
}

// ---- hooks ----

haft_status haft_module_add_pre_hook(haft_module* m, haft_module_pre_hook fn, void* user,
                                     void (*destroy)(void*), int64_t* id) noexcept {
  return boundary("haft_module_add_pre_hook", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    check_callback_given(fn, 1, "fn");
    check_out(id, 4, "id");
    auto data = std::make_shared<UserData>(user, nullptr);
    *id = int64_t(module->add_forward_pre_hook(wrap_pre_hook(fn, data)));
    data->destroy = destroy;
  });
}

haft_status haft_module_add_hook(haft_module* m, haft_module_hook fn, void* user, void (*destroy)(void*),
                                 int64_t* id) noexcept {
  return boundary("haft_module_add_hook", [&] {
    Ref<nn::Module> module = module_arg(m, 0, "m");
    check_callback_given(fn, 1, "fn");
    check_out(id, 4, "id");
    auto data = std::make_shared<UserData>(user, nullptr);
    *id = int64_t(module->add_forward_hook(wrap_hook(fn, data)));
    data->destroy = destroy;
  });
}

haft_status haft_module_remove_hook(haft_module* m, int64_t id) noexcept {
  return boundary("haft_module_remove_hook", [&] {
    if (!module_arg(m, 0, "m")->remove_hook(uint64_t(id)))
      fail_argument(Code::invalid_argument, concat("m has no hook ", id), 1, "id");
  });
}

}  // extern "C"
