// Functions of Java behind the callback classes. CALLBACK(class, function that makes one, Java type)
%define CALLBACK(CPP, MAKE, JAVA)
%ignore CPP;
%typemap(jni) CPP* "jobject"
%typemap(jtype) CPP* "Object"
%typemap(jstype) CPP* "JAVA"
%typemap(javain) CPP* "$javainput"
%typemap(in) CPP* %{
  $1 = haft::java::MAKE(jenv, $input);
  if (!$1) return $null;
%}
%enddef
CALLBACK(haft::bindings::TensorCallback, tensor_callback, TensorFunction)
CALLBACK(haft::bindings::TensorsCallback, tensors_callback, TensorsFunction)
CALLBACK(haft::bindings::ModuleHookCallback, module_hook_callback, Module.ForwardHook)
CALLBACK(haft::bindings::RateCallback, rate_callback, java.util.function.LongToDoubleFunction)
CALLBACK(haft::bindings::LogCallback, log_callback, LogSink)
CALLBACK(haft::bindings::ItemCallback, item_callback, Dataset.Items)
CALLBACK(haft::bindings::AutogradFunction, autograd_function, Function)
CALLBACK(haft::bindings::RequestCallback, request_callback, InferenceSession.Done)
CALLBACK(haft::bindings::WorkCallback, work_callback, Work.Done)
CALLBACK(haft::bindings::GradientCallback, gradient_callback, DistributedDataParallel.Hooked)
CALLBACK(haft::bindings::SavedTensorsCallback, saved_tensors_callback, SavedTensors)
CALLBACK(haft::bindings::ActionCallback, action_callback, Runnable)
%javamethodmodifiers haft::bindings::push_saved_tensor_hooks "/* of the package */";
%javamethodmodifiers haft::pop_saved_tensor_hooks "/* of the package */";
%javamethodmodifiers haft::bindings::submit "/* of the package */";
%javamethodmodifiers haft::bindings::data_parallel_hook "/* of the package */";
%javamethodmodifiers haft::bindings::work_on_done "/* of the package */";
%ignore haft::bindings::Callback;
%ignore haft::bindings::ModuleVisitor;
%ignore haft::bindings::apply_to_modules;
%ignore haft::bindings::apply;
%ignore haft::bindings::gradcheck;
%ignore haft::bindings::callback_dataset;
%ignore haft::bindings::set_log_sink;
