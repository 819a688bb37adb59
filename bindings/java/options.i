// Options: small structs travel as arrays of numbers, which the Java classes of these names pack.
%define PACKED(CPP, JNI, JTYPE, JAVA, PACK)
%typemap(jni) CPP "JNI"
%typemap(jtype) CPP "JTYPE"
%typemap(jstype) CPP "JAVA"
%typemap(javain) CPP "PACK"
%enddef
PACKED(haft::nn::Pair, jlongArray, long[], long[], $javainput)
PACKED(const haft::nn::Build&, jlongArray, long[], Build, Build.pack($javainput))
PACKED(const haft::nn::ConvOptions&, jlongArray, long[], Conv2d.Options, Conv2d.Options.pack($javainput))
PACKED(const haft::nn::NormOptions&, jdoubleArray, double[], BatchNorm.Options, BatchNorm.Options.pack($javainput))
%typemap(in) haft::nn::Pair (jlong v[2]) %{
  if (!$input || jenv->GetArrayLength($input) < 1 || jenv->GetArrayLength($input) > 2) {
    haft::java::throw_argument(jenv, "$1_name wants one number, or height and width");
    return $null;
  }
  jenv->GetLongArrayRegion($input, 0, 1, v);
  v[1] = v[0];
  if (jenv->GetArrayLength($input) == 2) jenv->GetLongArrayRegion($input, 1, 1, v + 1);
  $1 = haft::nn::Pair(v[0], v[1]);
%}
%typemap(arginit) haft::nn::Pair ""
%feature("valuewrapper") haft::nn::Pair;
%typemap(javain, post="      java.lang.ref.Reference.reachabilityFence($javainput);") const haft::nn::Build& "Build.pack($javainput)"
%typemap(in) const haft::nn::Build& (haft::nn::Build build, haft::java::LentGenerator lent) %{
  if ($input) {
    jlong v[3];
    jenv->GetLongArrayRegion($input, 0, 3, v);
    if (!lent.borrow(jenv, v[2])) return $null;
    build.dtype = static_cast<haft_dtype>(v[0]);
    build.device = static_cast<haft_device>(v[1]);
    build.generator = lent.value.get();
  }
  $1 = &build;
%}
%typemap(in) const haft::nn::ConvOptions& (haft::nn::ConvOptions options) %{
  if ($input) {
    jlong v[8];
    jenv->GetLongArrayRegion($input, 0, 8, v);
    options.stride = haft::nn::Pair(v[0], v[1]);
    options.padding = haft::nn::Pair(v[2], v[3]);
    options.dilation = haft::nn::Pair(v[4], v[5]);
    options.groups = v[6];
    options.bias = v[7] != 0;
  }
  $1 = &options;
%}
%typemap(in) const haft::nn::NormOptions& (haft::nn::NormOptions options) %{
  if ($input) {
    jdouble v[4];
    jenv->GetDoubleArrayRegion($input, 0, 4, v);
    options.eps = v[0];
    options.momentum = v[1];
    options.affine = v[2] != 0;
    options.track_running_stats = v[3] != 0;
  }
  $1 = &options;
%}
// Named modules stay in Java: Module.child.
%ignore haft::nn::ModuleDict;

// Objects whose options have many fields, for the builders. Of the package only.
%define HIDDEN(NAME)
%javamethodmodifiers haft::java::NAME "/* of the package */";
%enddef
HIDDEN(make_sgd)
HIDDEN(make_adam)
HIDDEN(make_dict)
HIDDEN(make_weights)
HIDDEN(make_writer)
HIDDEN(make_generator)
HIDDEN(make_dataset)
HIDDEN(check_gradients)
HIDDEN(apply_function)
HIDDEN(log_to)
HIDDEN(make_cancel_token)
%javamethodmodifiers haft::bindings::make_loader "/* of the package */";
%javamethodmodifiers haft::bindings::make_session "/* of the package */";
%javamethodmodifiers haft::bindings::add_hook "/* of the package */";
%javamethodmodifiers haft::bindings::add_accumulate_hook "/* of the package */";
%javamethodmodifiers haft::bindings::callback_module "/* of the package */";
%javamethodmodifiers haft::bindings::add_pre_hook "/* of the package */";
%javamethodmodifiers haft::bindings::add_forward_hook "/* of the package */";
%javamethodmodifiers haft::bindings::lambda_lr "/* of the package */";
%javamethodmodifiers haft::nn::Module::add_child "/* of the package */";
%javamethodmodifiers haft::nn::Module::append "/* of the package */";
%inline %{
namespace haft {
namespace java {

inline haft::optim::Optimizer make_sgd(const std::vector<haft::Tensor>& params, double lr, double momentum, double dampening, double weight_decay, bool nesterov, bool maximize) {
  haft::optim::SgdOptions o(lr);
  o.momentum = momentum;
  o.dampening = dampening;
  o.weight_decay = weight_decay;
  o.nesterov = nesterov;
  o.maximize = maximize;
  return haft::optim::sgd(params, o);
}
inline haft::optim::Optimizer make_adam(const std::vector<haft::Tensor>& params, bool decoupled, double lr, double beta1, double beta2, double eps, double weight_decay, bool amsgrad,
                                  bool maximize) {
  haft::optim::AdamOptions o(lr);
  o.beta1 = beta1;
  o.beta2 = beta2;
  o.eps = eps;
  o.weight_decay = weight_decay;
  o.amsgrad = amsgrad;
  o.maximize = maximize;
  if (!decoupled) return haft::optim::adam(params, o);
  haft::optim::AdamWOptions w(lr);
  static_cast<haft_adam_options&>(w) = o;
  return haft::optim::adamw(params, w);
}
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

}  // namespace java
}  // namespace haft
%}
