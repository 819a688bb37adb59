// Java: a proxy holds the number of a handle; the classes of src/main/java/io/haft build on what SWIG writes.
%{
#include "bindings/java/jni.hpp"
%}


%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    NativeLoader.load();
  }
%}
%pragma(java) moduleclassmodifiers="public final class"
%pragma(java) modulebase="HaftBase"
%pragma(java) modulecode=%{
  private Haft() {}
%}

%exception {
  try {
    $action
  } catch (...) {
    haft::java::throw_java(jenv);
    return $null;
  }
}

// lowerCamelCase; what changes its tensor keeps the underscore at its end.
%rename("%(lowercamelcase)s", %$isfunction) "";
%rename("%(lowercamelcase)s_", %$isfunction, regexmatch$name="_$") "";
%rename("$ignore", regextarget=1, %$isclass) "^haft_";
%rename("$ignore", regextarget=1, %$isenumitem) "^HAFT_";
%rename("$ignore", regextarget=1, %$isconstant) "^HAFT_";
// A later rename goes first: what haft.i leaves out stays out.
%rename("$ignore", regextarget=1, fullname=1) "::(get|release)$";
%rename("$ignore", regextarget=1, fullname=1) "^haft::(|[a-z]+::)detail::";
%ignore operator bool;
%rename(item) haft::data::Dataset::operator[];
%rename(tensor) haft::io::Weights::operator[];
%rename(forward) haft::nn::Module::operator();
%rename(runFor) haft::Session::operator();
%rename(runFor) haft::Session::run;
%rename(drainFor) haft::Session::drain;
%javamethodmodifiers haft::Session::operator() "/* of the package */";
%javamethodmodifiers haft::Session::run "/* of the package */";
%javamethodmodifiers haft::Session::run_cancellable "/* of the package */";
%javamethodmodifiers haft::Session::drain "/* of the package */";
%rename(itemLong) haft::Tensor::item_int;
%rename(closeFile) haft::io::Writer::close;

// What Java writes for itself.
%ignore haft::NoGrad;
%ignore haft::InferenceMode;
%ignore haft::AnomalyMode;
%javamethodmodifiers haft::bindings::autocast_push "/* of the package */";
%javamethodmodifiers haft::bindings::autocast_pop "/* of the package */";
%javamethodmodifiers haft::bindings::autocast_set "/* of the package */";
%javamethodmodifiers haft::bindings::autocast_cache_enabled "/* of the package */";
%javamethodmodifiers haft::bindings::set_autocast_cache_enabled "/* of the package */";
%javamethodmodifiers haft::bindings::make_grad_scaler "/* of the package */";
%javamethodmodifiers haft::bindings::set_grad_scaler_state "/* of the package */";
%javamethodmodifiers haft::bindings::prune "/* of the package */";
%javamethodmodifiers haft::bindings::prune_by_mask "/* of the package */";
%javamethodmodifiers haft::bindings::prune_global "/* of the package */";
%ignore haft::bindings::prune_mask;
%ignore haft::Profiler;
%ignore haft::SessionOptions;
%ignore haft::Session::metrics;
%ignore haft::Session::Session;
%ignore haft::Session::submit;
%ignore haft::CancelToken::CancelToken;
%ignore haft::CancelScope;
%rename(await) haft::Request::wait;
%rename(waitFor) haft::Stream::wait;
%typemap(javainterfaces) haft::Stream, haft::Event "AutoCloseable"
%typemap(javacode) haft::Stream, haft::Event %{
  /** Gives it up; its work goes on. */
  @Override
  public void close() {
    delete();
  }

%}
%typemap(javainterfaces) haft::Fused "AutoCloseable"
%typemap(javacode) haft::Fused %{
  /** Gives it up; results and their gradients go on. */
  @Override
  public void close() {
    delete();
  }

%}
%typemap(javainterfaces) haft::Evaluator "AutoCloseable"
%typemap(javacode) haft::Evaluator %{
  /** Gives it up. */
  @Override
  public void close() {
    delete();
  }

%}
%typemap(javainterfaces) haft::Distribution "AutoCloseable"
%typemap(javacode) haft::Distribution %{
  /** A parameter that is one number. */
  static Tensor number(double value) {
    return Tensor.full(new long[0], value);
  }

  /** Gives it up. */
  @Override
  public void close() {
    delete();
  }

%}
%typemap(javainterfaces) haft::VariableTransform "AutoCloseable"
%typemap(javacode) haft::VariableTransform %{
  /** Gives it up. */
  @Override
  public void close() {
    delete();
  }

%}
%typemap(javainterfaces) haft::DeviceGraph "AutoCloseable"
%typemap(javacode) haft::DeviceGraph %{
  /**
   * Records what the body enqueues on this thread's current stream of the device, in place of what was recorded before. What the body throws
   * ends the recording and is thrown.
   *
   * @param body a step; it runs once, and nothing of it is computed
   */
  public void record(Runnable body) {
    begin();
    try {
      body.run();
    } catch (Throwable t) {
      try {
        discard();
      } catch (HaftException e) {
        t.addSuppressed(e);
      }
      throw t;
    }
    end();
  }

  /** Gives it up; replays under way are finished. */
  @Override
  public void close() {
    delete();
  }

%}
%rename(closeSession) haft::Session::close;
%ignore haft::ProfilerRange;
%ignore haft::FunctionContext;
%ignore haft::Tensor::from;
%ignore haft::Tensor::over;
%ignore haft::Tensor::write;
%ignore haft::Tensor::to_vector;
%ignore haft::Tensor::data;
%ignore haft::memory_stats;
%ignore haft::device_properties;
%ignore haft::Scope;
%ignore haft::set_memory_pressure_callback;
%ignore haft::set_allocator;
%ignore haft::version_number;
%ignore haft::device;
%ignore haft::device_text;
%ignore haft::nn::NamedTensors;
%ignore haft::nn::make;
%ignore haft::nn::Module::operator[];
%ignore haft::data::field;
%ignore haft::data::LoaderOptions;
%ignore haft::data::Loader::Loader;
%ignore haft::data::Loader::next;
%ignore haft::data::Loader::State;
%ignore haft::data::Loader::state;
%ignore haft::data::Loader::set_state;
%ignore haft::io::CheckpointParts;
%ignore haft::io::value;
%ignore haft::io::save_checkpoint;
%ignore haft::io::Checkpoint;
%ignore haft::io::Weights::Weights;
%ignore haft::io::Writer::Writer;
%ignore haft::Generator::Generator;
%ignore haft::Generator::state;
%ignore haft::Generator::set_state;
%include "java/text.i"
%include "java/handles.i"
%include "java/callbacks.i"
%include "java/options.i"
%include "java/distributed.i"
%include "java/parallel.i"
