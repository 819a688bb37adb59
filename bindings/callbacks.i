// The callback classes as directors, for Java and C#. A language's file pins its object when it passes one and unpins it
// in on_release().
%{
#include "bindings/callbacks.hpp"
#include "bindings/options.hpp"
#include "bindings/training.hpp"
%}
%feature("director") haft::bindings::Callback;
%feature("director") haft::bindings::TensorCallback;
%feature("director") haft::bindings::TensorsCallback;
%feature("director") haft::bindings::ModuleHookCallback;
%feature("director") haft::bindings::ModuleVisitor;
%feature("director") haft::bindings::RateCallback;
%feature("director") haft::bindings::LogCallback;
%feature("director") haft::bindings::ItemCallback;
%feature("director") haft::bindings::AutogradFunction;
%feature("director") haft::bindings::RequestCallback;
%feature("director") haft::bindings::WorkCallback;
%feature("director") haft::bindings::GradientCallback;
%feature("director") haft::bindings::RpcCallback;
%feature("director") haft::bindings::FutureCallback;
%feature("director") haft::bindings::SavedTensorsCallback;
%feature("director") haft::bindings::ActionCallback;
%ignore haft::bindings::HeldFunction;
%ignore haft::bindings::held;
%ignore haft::bindings::function_of;
// Their std::function forms.
%ignore haft::Function;
%ignore haft::apply;
%ignore haft::gradcheck;
%ignore haft::jacobian;
%ignore haft::hessian;
%ignore haft::checkpoint;
%ignore haft::Fused::Fused;
%ignore haft::set_log_sink;
%ignore haft::push_saved_tensor_hooks;
%ignore haft::add_backward_callback;
%ignore haft::Tensor::add_hook;
%ignore haft::Tensor::add_accumulate_hook;
%ignore haft::nn::Callback;
%ignore haft::nn::Module::apply;
%ignore haft::nn::Module::add_hook;
%ignore haft::nn::Module::add_pre_hook;
%ignore haft::optim::Optimizer::step_closure;
%ignore haft::optim::lambda_lr;
%ignore haft::optim::multiplicative_lr;
%ignore haft::optim::chained_scheduler;
%ignore haft::optim::sequential_lr;
%ignore haft::data::callback_dataset;
