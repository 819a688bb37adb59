// What the classes of layers, optimizers and schedules call.
%typemap(javaclassmodifiers) haft::bindings::Make "final class"
%typemap(javabody) haft::bindings::Make "  private $javaclassname() {}\n"
%typemap(javafinalize) haft::bindings::Make ""
%typemap(javadestruct, methodname="close", methodmodifiers="private") haft::bindings::Make ""

%typemap(javaclassmodifiers) haft::bindings::Training "final class"

// Named modules stay in Java: Module.child.
%ignore haft::nn::ModuleDict;

// Objects whose options have many fields, for the builders. Of the package only.
%define HIDDEN(NAME)
%javamethodmodifiers haft::java::NAME "/* of the package */";
%enddef
HIDDEN(make_dict)
HIDDEN(make_weights)
HIDDEN(make_writer)
HIDDEN(make_generator)
HIDDEN(make_dataset)
HIDDEN(check_gradients)
HIDDEN(apply_function)
HIDDEN(log_to)
HIDDEN(log_off)
HIDDEN(make_cancel_token)
%javamethodmodifiers haft::bindings::dlpack_address "/* of the package */";
%javamethodmodifiers haft::bindings::from_dlpack_address "/* of the package */";
%javamethodmodifiers haft::bindings::device_numbers "/* of the package */";
%javamethodmodifiers haft::bindings::device_texts "/* of the package */";
%javamethodmodifiers haft::bindings::schedule_state "/* of the package */";
%javamethodmodifiers haft::bindings::set_schedule_state "/* of the package */";
%javamethodmodifiers haft::bindings::make_loader "/* of the package */";
%javamethodmodifiers haft::bindings::make_session "/* of the package */";
%javamethodmodifiers haft::bindings::add_hook "/* of the package */";
%javamethodmodifiers haft::bindings::add_accumulate_hook "/* of the package */";
%javamethodmodifiers haft::bindings::callback_module "/* of the package */";
%javamethodmodifiers haft::bindings::add_pre_hook "/* of the package */";
%javamethodmodifiers haft::bindings::add_forward_hook "/* of the package */";
%javamethodmodifiers haft::bindings::vjp "/* of the package */";
%javamethodmodifiers haft::bindings::jvp "/* of the package */";
%javamethodmodifiers haft::bindings::hvp "/* of the package */";
%javamethodmodifiers haft::bindings::jacobian "/* of the package */";
%javamethodmodifiers haft::bindings::hessian "/* of the package */";
%javamethodmodifiers haft::bindings::vmap "/* of the package */";
%javamethodmodifiers haft::bindings::checkpoint "/* of the package */";
%javamethodmodifiers haft::bindings::step_closure "/* of the package */";
%javamethodmodifiers haft::bindings::lambda_lr "/* of the package */";
%javamethodmodifiers haft::bindings::multiplicative_lr "/* of the package */";
%typemap(javaclassmodifiers) haft::bindings::Schedules "class"
%javamethodmodifiers haft::nn::Module::add_child "/* of the package */";
%javamethodmodifiers haft::nn::Module::append "/* of the package */";
%inline %{
namespace haft {
namespace java {

inline haft::nn::Module make_dict() { return haft::nn::ModuleDict(); }
inline haft::io::Weights make_weights(const std::string& path) { return haft::io::Weights(path); }
inline haft::io::Writer make_writer(const std::string& folder) { return haft::io::Writer(folder); }
inline haft::Generator make_generator(std::int64_t seed) { return haft::Generator(seed); }
inline haft::data::Dataset make_dataset(std::int64_t size, const std::vector<haft::Tensor>& first, haft::bindings::ItemCallback* items) { return haft::bindings::callback_dataset(size, first, items); }
inline void check_gradients(haft::bindings::TensorsCallback* function, const std::vector<haft::Tensor>& inputs, std::int32_t order) { haft::bindings::gradcheck(function, inputs, order); }
inline std::vector<haft::Tensor> apply_function(haft::bindings::AutogradFunction* function, const std::vector<haft::Tensor>& inputs, std::int64_t output_count, const std::string& name) {
  return haft::bindings::apply(function, inputs, output_count, name);
}
inline haft::CancelToken make_cancel_token() { return haft::CancelToken(); }
inline void log_to(std::int32_t level, haft::bindings::LogCallback* sink) { haft::bindings::set_log_sink(level, sink); }
inline void log_off() { haft::bindings::set_log_sink(HAFT_LOG_NONE, nullptr); }

}  // namespace java
}  // namespace haft
%}
