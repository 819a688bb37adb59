// The C# side of haft.i: handles.i tells how values cross, callbacks below how C# methods are called; src/ holds the layer
// written by hand. Members that the layer replaces are kept internal here.
%{
#include "bindings/csharp/csharp.hpp"
%}
%include "csharp/handles.i"

%typemap(csclassmodifiers) SWIGTYPE "public partial class"
// ---- names: PascalCase; in-place forms keep their underscore
%rename("%(camelcase)s", %$isfunction, notregexmatch$name="_$") "";
%rename("%(camelcase)s_", %$isfunction, regexmatch$name="_$") "";
%rename("%(camelcase)s", %$isvariable) "";
%rename("$ignore", %$isconstant) "";
%rename("$ignore", regextarget=1, %$isenumitem) "^HAFT_";
%rename("$ignore", regextarget=1, fullname=1) "::(get|release)$";
%rename("$ignore", regextarget=1, fullname=1) "^haft::(|[a-z]+::)detail::";
%ignore haft_loader_options;
%ignore haft_field;
%ignore haft_scalar;
%ignore haft_memory_stats;
%ignore haft_device_properties;
%ignore struct_size;
%ignore reserved;
%rename(DataLoader) haft::data::Loader;

// ---- what src/ says in C#'s manner
%ignore haft::Tensor::~Tensor;
%ignore haft::nn::Module::~Module;
%ignore haft::NoGrad;
%ignore haft::InferenceMode;
%ignore haft::AnomalyMode;
%ignore haft::Profiler;
%ignore haft::ProfilerRange;
%ignore haft::memory_stats;
%ignore haft::device_properties;
%ignore haft::Scope;
%ignore haft::set_memory_pressure_callback;
%ignore haft::set_allocator;
%ignore haft::device;
%ignore haft::device_text;
%ignore haft::Generator::state;
%ignore haft::Generator::set_state;
%ignore haft::FunctionContext::FunctionContext;
%ignore haft::nn::ModuleDict;
%ignore haft::data::LoaderOptions;
%ignore haft::data::field;
%ignore haft::data::Loader::Loader;
%ignore haft::data::Loader::next;
%ignore haft::data::Loader::State;
%ignore haft::data::Loader::state;
%ignore haft::data::Loader::set_state;
%ignore haft::io::CheckpointParts;
%ignore haft::io::Checkpoint::Checkpoint;
%ignore haft::io::Checkpoint::number;
%ignore haft::io::value;
%ignore haft::io::save_checkpoint;
%typemap(csclassmodifiers) haft::bindings::Make "internal static class"
%typemap(csbody) haft::bindings::Make ""
%typemap(csinterfaces) haft::bindings::Make ""
%typemap(csdispose) haft::bindings::Make ""
%typemap(csdisposing, methodname="Nothing", methodmodifiers="private", parameters="") haft::bindings::Make ""
%define HAFT_INTERNAL(NAME) %csmethodmodifiers NAME "internal"; %enddef
// HAFT_HIDDEN(C++ member, name in C#): internal under another name; a property or method of src/ calls it.
%define HAFT_HIDDEN(NAME, CS)
%rename(CS) NAME;
%csmethodmodifiers NAME "internal";
%enddef
HAFT_HIDDEN(haft::Tensor::dtype, GetDType)
HAFT_HIDDEN(haft::Tensor::device, GetDevice)
HAFT_HIDDEN(haft::Tensor::ndim, GetNdim)
HAFT_HIDDEN(haft::Tensor::numel, GetNumel)
HAFT_HIDDEN(haft::Tensor::is_contiguous, GetIsContiguous)
HAFT_HIDDEN(haft::Tensor::requires_grad, GetRequiresGrad)
HAFT_HIDDEN(haft::Tensor::set_requires_grad, SetRequiresGradNative)
HAFT_HIDDEN(haft::Tensor::is_leaf, GetIsLeaf)
HAFT_HIDDEN(haft::Tensor::sizes, GetSizes)
HAFT_HIDDEN(haft::Tensor::strides, GetStrides)
HAFT_HIDDEN(haft::Tensor::version, GetVersion)
HAFT_HIDDEN(haft::Tensor::grad, GetGrad)
HAFT_HIDDEN(haft::Tensor::set_grad, SetGradNative)
HAFT_HIDDEN(haft::Tensor::item, ItemDouble)
HAFT_HIDDEN(haft::Tensor::item_int, ItemLong)
HAFT_HIDDEN(haft::Tensor::to_string, Text)
HAFT_HIDDEN(haft::Tensor::backward, BackwardNative)
HAFT_HIDDEN(haft::Tensor::remove_hook, RemoveHook)
HAFT_HIDDEN(haft::Tensor::max_dim, MaxDimList)
HAFT_HIDDEN(haft::Tensor::min_dim, MinDimList)
HAFT_HIDDEN(haft::Tensor::sort, SortList)
HAFT_HIDDEN(haft::Tensor::topk, TopkList)
HAFT_HIDDEN(haft::nn::Module::operator(), ForwardNative)
HAFT_HIDDEN(haft::nn::Module::operator[], ChildNative)
HAFT_HIDDEN(haft::nn::Module::train, TrainNative)
HAFT_HIDDEN(haft::nn::Module::eval, EvalNative)
HAFT_HIDDEN(haft::nn::Module::is_training, GetIsTraining)
HAFT_HIDDEN(haft::nn::Module::add_child, AddChildNative)
HAFT_HIDDEN(haft::nn::Module::append, AppendNative)
HAFT_HIDDEN(haft::nn::Module::child_count, GetChildCount)
HAFT_HIDDEN(haft::nn::Module::parameter_count, GetParameterCount)
HAFT_HIDDEN(haft::nn::Module::type, GetTypeName)
HAFT_HIDDEN(haft::nn::Module::to_string, Text)
HAFT_HIDDEN(haft::Distribution::to_string, Text)
HAFT_HIDDEN(haft::VariableTransform::to_string, Text)
HAFT_HIDDEN(haft::nn::Module::register_parameter, RegisterParameterNative)
HAFT_HIDDEN(haft::nn::Module::register_buffer, RegisterBufferNative)
HAFT_HIDDEN(haft::nn::Module::remove_hook, RemoveHook)
HAFT_HIDDEN(haft::nn::Module::to, ToNative)
HAFT_HIDDEN(haft::optim::Optimizer::lr, GetLr)
HAFT_HIDDEN(haft::optim::Optimizer::set_lr, SetLrNative)
HAFT_HIDDEN(haft::optim::Optimizer::group_count, GetGroupCount)
HAFT_HIDDEN(haft::bindings::dlpack_address, DlpackAddress)
HAFT_HIDDEN(haft::bindings::from_dlpack_address, FromDlpackAddress)
HAFT_HIDDEN(haft::bindings::schedule_state, ScheduleState)
HAFT_HIDDEN(haft::bindings::set_schedule_state, SetScheduleState)
HAFT_HIDDEN(haft::bindings::device_numbers, DeviceNumbers)
HAFT_HIDDEN(haft::bindings::device_texts, DeviceTexts)
HAFT_HIDDEN(haft::deterministic, GetDeterministic)
HAFT_HIDDEN(haft::set_deterministic, SetDeterministic)
HAFT_HIDDEN(haft::math_precision, GetMathPrecision)
HAFT_HIDDEN(haft::set_math_precision, SetMathPrecision)
HAFT_HIDDEN(haft::optim::Scheduler::last_epoch, GetLastEpoch)
HAFT_HIDDEN(haft::data::Dataset::size, GetSize)
HAFT_HIDDEN(haft::data::Dataset::operator[], GetNative)
HAFT_HIDDEN(haft::data::Loader::reset, ResetNative)
HAFT_HIDDEN(haft::data::Loader::cancel, CancelNative)
HAFT_HIDDEN(haft::data::Loader::batch_count, GetBatchCount)
HAFT_HIDDEN(haft::data::Loader::sample_count, GetSampleCount)
HAFT_HIDDEN(haft::io::Weights::size, GetSize)
HAFT_HIDDEN(haft::io::Weights::name, GetName)
HAFT_HIDDEN(haft::io::Weights::operator[], Find)
HAFT_HIDDEN(haft::io::Writer::path, GetPath)
HAFT_HIDDEN(haft::backward, BackwardNative)
HAFT_HIDDEN(haft::backward_inputs, BackwardInputsNative)
HAFT_HIDDEN(haft::grad, GradNative)
HAFT_HIDDEN(haft::nn::Sequential, SequentialNative)
HAFT_HIDDEN(haft::bindings::prune, PruneNative)
HAFT_HIDDEN(haft::bindings::prune_by_mask, PruneByMaskNative)
HAFT_HIDDEN(haft::bindings::prune_global, PruneGlobalNative)
%ignore haft::bindings::prune_mask;
HAFT_HIDDEN(haft::nn::ModuleList, ModuleListNative)
%rename(CheckpointValues) haft::io::Checkpoint;
%rename(InferenceSession) haft::Session;
%rename(SessionOptionsBase) haft_session_options;
%rename(CancelHandle) haft::CancelToken;
%typemap(csclassmodifiers) haft::CancelToken, haft::Request "internal partial class"
%ignore haft::CancelScope;
%ignore haft_session_metrics;
%ignore haft::Session::metrics;
%ignore haft::Session::Session;
HAFT_HIDDEN(haft::Session::run, RunNative)
HAFT_HIDDEN(haft::Session::operator(), RunOne)
HAFT_HIDDEN(haft::Session::run_cancellable, RunCancellable)
HAFT_HIDDEN(haft::Session::submit, SubmitNative)
HAFT_HIDDEN(haft::Session::drain, DrainNative)
HAFT_HIDDEN(haft::Session::update, UpdateNative)

// ---- errors
%exception {
  try { $action }
  catch (...) { /* SWIG_CSharpSetPendingException */ haft::csharp::raise_current(); return $null; }
}
%insert("runtime") %{
#define SWIG_CSharpSetPendingExceptionArgument(code, text, name) haft::csharp::hooks().raise(HAFT_ERROR_INVALID_ARGUMENT, text, "", "", text, "")
%}
%insert("header") %{
extern "C" SWIGEXPORT void SWIGSTDCALL HaftCs_hooks(void* raise, void* rethrow, void* forget) {
  haft::csharp::hooks() = {reinterpret_cast<decltype(haft::csharp::Hooks::raise)>(raise),
                           reinterpret_cast<decltype(haft::csharp::Hooks::rethrow)>(rethrow),
                           reinterpret_cast<decltype(haft::csharp::Hooks::forget)>(forget)};
}
extern "C" SWIGEXPORT void SWIGSTDCALL HaftCs_failed(void* exception, const char* text, int32_t status) {
  auto& f = haft::csharp::failure();
  f.exception = exception;
  f.status = status;
  f.text = text;
}
extern "C" SWIGEXPORT void* SWIGSTDCALL HaftCs_room(int64_t count) {
  auto& b = haft::csharp::answer().block;
  try {
    b.assign(static_cast<std::size_t>(count), 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return b.data();
}
extern "C" SWIGEXPORT void* SWIGSTDCALL HaftCs_share(void* tensor) {
  return haft_tensor_retain(static_cast<haft_tensor*>(tensor)) == HAFT_OK ? tensor : nullptr;
}
extern "C" SWIGEXPORT int32_t SWIGSTDCALL HaftCs_is_engine_thread(void) { return haft::csharp::is_engine_thread(); }
extern "C" SWIGEXPORT void SWIGSTDCALL HaftCs_close(void) { haft::csharp::closing() = true; }
extern "C" SWIGEXPORT int32_t SWIGSTDCALL HaftCs_compiled(void) { return HAFT_VERSION_NUMBER; }
extern "C" SWIGEXPORT int32_t SWIGSTDCALL HaftCs_loaded(void) { return haft_get_version_number(); }
extern "C" SWIGEXPORT const char* SWIGSTDCALL HaftCs_library_path(void) { return haft_get_library_path(); }
extern "C" SWIGEXPORT const char* SWIGSTDCALL HaftCs_shim_path(void) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(&HaftCs_compiled), &info) && info.dli_fname ? info.dli_fname : "";
}
%}
%pragma(csharp) imclassimports=%{
using System;
using System.Runtime.InteropServices;
%}
%pragma(csharp) imclasscode=%{
  internal static class SWIGPendingException {
    [ThreadStatic] private static Exception pending;
    private static int count;
    internal static bool Pending { get { return count != 0 && pending != null; } }
    internal static void Set(Exception e) {
      if (pending == null) System.Threading.Interlocked.Increment(ref count);
      pending = e;
    }
    // Throws the object as it was first thrown, with that stack trace.
    internal static Exception Retrieve() {
      Exception e = pending;
      pending = null;
      System.Threading.Interlocked.Decrement(ref count);
      System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(e).Throw();
      return e;
    }
  }
  [DllImport("$dllimport")] internal static extern void HaftCs_hooks(IntPtr raise, IntPtr rethrow, IntPtr forget);
  [DllImport("$dllimport")] internal static extern void HaftCs_failed(IntPtr exception, byte[] text, int status);
  [DllImport("$dllimport")] internal static extern IntPtr HaftCs_room(long count);
  [DllImport("$dllimport")] internal static extern IntPtr HaftCs_share(SafeHandle tensor);
  [DllImport("$dllimport")] internal static extern int HaftCs_is_engine_thread();
  [DllImport("$dllimport")] internal static extern void HaftCs_close();
  [DllImport("$dllimport")] internal static extern int HaftCs_compiled();
  [DllImport("$dllimport")] internal static extern int HaftCs_loaded();
  [DllImport("$dllimport")] internal static extern IntPtr HaftCs_library_path();
  [DllImport("$dllimport")] internal static extern IntPtr HaftCs_shim_path();
%}
%pragma(csharp) imclassclassmodifiers="internal static class"
%pragma(csharp) moduleclassmodifiers="public static partial class"

// ---- callbacks: internal bridges from the delegates and classes of src/
%define HAFT_CALLBACK(NAME)
%typemap(csclassmodifiers) haft::bindings::NAME "internal class"
%typemap(csin) haft::bindings::NAME * "Bridges.Pin($csinput, NAME.getCPtr($csinput))"
%enddef
HAFT_CALLBACK(Callback)
HAFT_CALLBACK(TensorCallback)
HAFT_CALLBACK(TensorsCallback)
HAFT_CALLBACK(ModuleHookCallback)
HAFT_CALLBACK(ModuleVisitor)
HAFT_CALLBACK(RateCallback)
HAFT_CALLBACK(LogCallback)
HAFT_CALLBACK(ItemCallback)
HAFT_CALLBACK(AutogradFunction)
HAFT_CALLBACK(RequestCallback)
HAFT_CALLBACK(WorkCallback)
HAFT_CALLBACK(GradientCallback)
HAFT_CALLBACK(SavedTensorsCallback)
HAFT_CALLBACK(ActionCallback)
%typemap(directorout) std::int64_t %{ haft::csharp::rethrow_failure(); $result = $input; %}
%typemap(directorout) double %{ haft::csharp::rethrow_failure(); $result = $input; %}
%typemap(csdirectorout) std::int64_t "CallbackGuard.Scoped(() => $cscall)"
%typemap(csdirectorout) double "CallbackGuard.Scoped(() => $cscall)"
%typemap(csdirectorout) void "CallbackGuard.Run(() => $cscall)"
%typemap(cscode) haft::DeviceGraph %{
  /// <summary>Records what the body enqueues on this thread's current stream of the device, in place of what was recorded before. What the
  /// body throws ends the recording and is thrown.</summary>
  public void Record(System.Action body) {
    Begin();
    try {
      body();
    } catch {
      try { Discard(); } catch (HaftException) { }
      throw;
    }
    End();
  }

%}
%typemap(cscode) haft::bindings::Callback %{
  public override string ToString() { return "callback"; }
%}
%typemap(csclassmodifiers) haft::bindings::Training "internal class"
HAFT_INTERNAL(haft::bindings::make_loader)
HAFT_INTERNAL(haft::bindings::make_session)
HAFT_INTERNAL(haft::bindings::autocast_push)
HAFT_INTERNAL(haft::bindings::autocast_pop)
HAFT_INTERNAL(haft::bindings::autocast_set)
HAFT_INTERNAL(haft::bindings::autocast_cache_enabled)
HAFT_INTERNAL(haft::bindings::set_autocast_cache_enabled)
HAFT_INTERNAL(haft::bindings::make_grad_scaler)
HAFT_INTERNAL(haft::bindings::set_grad_scaler_state)
HAFT_INTERNAL(haft::bindings::apply)
HAFT_INTERNAL(haft::bindings::push_saved_tensor_hooks)
HAFT_INTERNAL(haft::pop_saved_tensor_hooks)
HAFT_INTERNAL(haft::set_random_stream)
HAFT_INTERNAL(haft::bindings::add_backward_callback)
HAFT_INTERNAL(haft::bindings::add_hook)
HAFT_INTERNAL(haft::bindings::add_accumulate_hook)
HAFT_INTERNAL(haft::bindings::callback_module)
HAFT_INTERNAL(haft::bindings::add_pre_hook)
HAFT_INTERNAL(haft::bindings::add_forward_hook)
HAFT_INTERNAL(haft::bindings::apply_to_modules)
HAFT_HIDDEN(haft::bindings::vjp, VjpNative)
HAFT_HIDDEN(haft::bindings::jvp, JvpNative)
HAFT_HIDDEN(haft::bindings::hvp, HvpNative)
HAFT_HIDDEN(haft::bindings::jacobian, JacobianNative)
HAFT_HIDDEN(haft::bindings::hessian, HessianNative)
HAFT_HIDDEN(haft::bindings::vmap, VmapNative)
HAFT_HIDDEN(haft::bindings::checkpoint, CheckpointNative)
HAFT_HIDDEN(haft::bindings::fuse, FuseNative)
HAFT_HIDDEN(haft::bindings::step_closure, StepClosure)
HAFT_HIDDEN(haft::bindings::update_average_by, UpdateAverageBy)
HAFT_HIDDEN(haft::bindings::update_bn, UpdateBnNative)
HAFT_INTERNAL(haft::bindings::lambda_lr)
HAFT_INTERNAL(haft::bindings::multiplicative_lr)
%typemap(csclassmodifiers) haft::bindings::Schedules "internal class"
HAFT_INTERNAL(haft::bindings::set_log_sink)
HAFT_INTERNAL(haft::bindings::gradcheck)
HAFT_INTERNAL(haft::bindings::callback_dataset)
HAFT_HIDDEN(haft::bindings::submit, SubmitWith)
%include "csharp/distributed.i"
%include "csharp/parallel.i"
