// How handles and lists cross. A C# object holds the C handle in a SafeHandle, so that Dispose() in one thread cannot free
// under a call in another; a list is one block of 64-bit numbers, its length first.

// HAFT_HANDLE(C++ class, C# class, C release function, its name in the shim)
%define HAFT_HANDLE(CPP, CS, RELEASE, EXPORT)
%feature("novaluewrapper") CPP;
%nodefaultctor CPP;
%nodefaultdtor CPP;
%typemap(ctype) CPP, CPP *, CPP &, const CPP & "void *"
%typemap(imtype, out="global::System.IntPtr") CPP, CPP *, CPP &, const CPP & "global::System.Runtime.InteropServices.SafeHandle"
%typemap(cstype) CPP, CPP *, CPP &, const CPP & "CS"
%typemap(csin) CPP, CPP *, CPP &, const CPP & "CS.getCPtr($csinput)"
%typemap(in) CPP * (haft::csharp::Lent< CPP > lent), CPP & (haft::csharp::Lent< CPP > lent), const CPP & (haft::csharp::Lent< CPP > lent) %{ $1 = lent.set($input); %}
%typemap(out, null="0") CPP %{ $result = $1.release(); %}
%typemap(out, null="0") CPP * %{ $result = $1->release(); delete $1; %}
%typemap(out, null="0") CPP &, const CPP & %{ (void)$1; $result = 0; %}
%typemap(csout, excode=SWIGEXCODE) CPP {
    global::System.IntPtr ret = $imcall;$excode
    return CS.Own(ret);
  }
%typemap(csout, excode=SWIGEXCODE) CPP &, const CPP & {
    $imcall;$excode
    return this;
  }
%typemap(csconstruct, excode=SWIGEXCODE) CPP %{: this($imcall) {$excode
  }
%}
%typemap(directorin) const CPP & %{ { CPP share($1); $input = share.release(); } %}
%typemap(directorout) CPP %{ haft::csharp::rethrow_failure(); haft::csharp::take($result, $input); %}
%typemap(directorargout) const CPP & %{ haft::csharp::rethrow_failure(); %}
%typemap(csdirectorin) const CPP & "CS.Own($iminput)"
%typemap(csdirectorout) CPP "CallbackGuard.Scoped(() => CS.Give($cscall))"
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) CPP, CPP *, CPP &, const CPP & ""
%typemap(csbase) CPP ""
%typemap(csinterfaces) CPP "global::System.IDisposable"
%typemap(csclassmodifiers) CPP "public partial class"
%typemap(csdispose) CPP ""
%typemap(csdisposing, methodname="DisposeNothing", methodmodifiers="private", parameters="") CPP ""
%typemap(csbody) CPP %{
  private NativeHandle swigCPtr;
  private sealed class NativeHandle : global::System.Runtime.InteropServices.SafeHandle {
    internal static readonly NativeHandle None = new NativeHandle(global::System.IntPtr.Zero);
    // What stands in for a handle that was given up: native code refuses it by its name, which a closed SafeHandle has not.
    internal static readonly NativeHandle Gone = new NativeHandle();
    private readonly global::System.Diagnostics.StackTrace made;
    internal NativeHandle(global::System.IntPtr p) : base(global::System.IntPtr.Zero, true) {
      SetHandle(p);
      if (!IsInvalid) made = LeakReports.Sample();
    }
    private NativeHandle() : base(global::System.IntPtr.Zero, false) { SetHandle((global::System.IntPtr)1); }
    public override bool IsInvalid { get { return handle == global::System.IntPtr.Zero; } }
    protected override void Dispose(bool disposing) {
      if (!disposing && made != null) LeakReports.Report("CS", made);
      base.Dispose(disposing);
    }
    protected override bool ReleaseHandle() { $imclassname.EXPORT(handle); return true; }
  }
  internal static global::System.Runtime.InteropServices.SafeHandle getCPtr(CS o) {
    if (o == null) return NativeHandle.None;
    Prepare(o);
    return o.swigCPtr;
  }
  static partial void Prepare(CS o);
  private bool IsGone { get { return ReferenceEquals(swigCPtr, NativeHandle.Gone); } }
  private void GiveUp() {
    NativeHandle h = swigCPtr;
    if (ReferenceEquals(h, NativeHandle.Gone)) return;
    swigCPtr = NativeHandle.Gone;
    if (h != null) h.Dispose();
  }
  internal static CS Own(global::System.IntPtr p) { return p == global::System.IntPtr.Zero ? null : new CS(p); }
%}
%pragma(csharp) imclasscode=%{
  [global::System.Runtime.InteropServices.DllImport("$dllimport")]
  internal static extern void EXPORT(global::System.IntPtr p);
%}
%insert("header") %{
extern "C" SWIGEXPORT void SWIGSTDCALL EXPORT(void* p) { RELEASE(static_cast<decltype(std::declval< CPP >().get())>(p)); }
%}
%enddef

// HAFT_LIST(C++ element, C# element): std::vector of handles.
%define HAFT_LIST(CPP, CS)
%typemap(ctype) std::vector< CPP >, const std::vector< CPP > & "void *"
%typemap(imtype, out="global::System.IntPtr") std::vector< CPP >, const std::vector< CPP > & "long[]"
%typemap(cstype, out="CS[]") std::vector< CPP >, const std::vector< CPP > & "global::System.Collections.Generic.IEnumerable<CS>"
%typemap(csin, pre="    using (var lent_$csinput = HandleBlock.Lend($csinput, CS.getCPtr)) {", terminator="    }")
  std::vector< CPP >, const std::vector< CPP > & "lent_$csinput.Block"
%typemap(in) const std::vector< CPP > & (haft::csharp::LentList< CPP > lent) %{ $1 = lent.read(static_cast<const std::int64_t*>($input)); %}
%typemap(out, null="0") std::vector< CPP > %{ $result = haft::csharp::give_list(std::move(*(&$1))); %}
%typemap(csout, excode=SWIGEXCODE) std::vector< CPP > {
    global::System.IntPtr ret = $imcall;$excode
    return HandleBlock.Take(ret, CS.Own);
  }
%typemap(directorin) const std::vector< CPP > & %{ $input = haft::csharp::give_argument($1); %}
%typemap(directorout) std::vector< CPP > %{ haft::csharp::rethrow_failure(); $result = haft::csharp::take_list($input); %}
%typemap(directorargout) const std::vector< CPP > & %{ haft::csharp::rethrow_failure(); %}
%typemap(csdirectorin) const std::vector< CPP > & "HandleBlock.Take($iminput, CS.Own)"
%typemap(csdirectorout) std::vector< CPP > "CallbackGuard.Scoped(() => HandleBlock.Give($cscall))"
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const std::vector< CPP > & ""
%enddef

HAFT_HANDLE(haft::Tensor, Tensor, haft_tensor_release, HaftCs_release_tensor)
HAFT_HANDLE(haft::nn::Module, Module, haft_module_release, HaftCs_release_module)
HAFT_HANDLE(haft::Generator, Generator, haft_generator_release, HaftCs_release_generator)
HAFT_HANDLE(haft::Profile, Profile, haft_profile_release, HaftCs_release_profile)
HAFT_HANDLE(haft::optim::Optimizer, Optimizer, haft_optimizer_release, HaftCs_release_optimizer)
HAFT_HANDLE(haft::optim::Scheduler, Scheduler, haft_scheduler_release, HaftCs_release_scheduler)
HAFT_HANDLE(haft::data::Dataset, Dataset, haft_dataset_release, HaftCs_release_dataset)
HAFT_HANDLE(haft::data::Transform, Transform, haft_transform_release, HaftCs_release_transform)
HAFT_HANDLE(haft::data::Loader, DataLoader, haft_loader_release, HaftCs_release_loader)
HAFT_HANDLE(haft::io::Weights, Weights, haft_weights_release, HaftCs_release_weights)
HAFT_HANDLE(haft::io::Writer, Writer, haft_writer_release, HaftCs_release_writer)
HAFT_HANDLE(haft::io::Checkpoint, CheckpointValues, haft_checkpoint_release, HaftCs_release_checkpoint)
HAFT_HANDLE(haft::Session, InferenceSession, haft_session_release, HaftCs_release_session)
HAFT_HANDLE(haft::Request, Request, haft_request_release, HaftCs_release_request)
HAFT_HANDLE(haft::CancelToken, CancelHandle, haft_cancel_token_release, HaftCs_release_cancel_token)
HAFT_HANDLE(haft::Store, Store, haft_store_release, HaftCs_release_store)
HAFT_HANDLE(haft::ProcessGroup, ProcessGroup, haft_process_group_release, HaftCs_release_process_group)
HAFT_HANDLE(haft::Work, Work, haft_work_release, HaftCs_release_work)
HAFT_HANDLE(haft::DataParallel, DistributedDataParallel, haft_data_parallel_release, HaftCs_release_data_parallel)
HAFT_HANDLE(haft::ModelAverager, ModelAverager, haft_model_averager_release, HaftCs_release_model_averager)
HAFT_HANDLE(haft::GradScaler, GradScaler, haft_grad_scaler_release, HaftCs_release_grad_scaler)
HAFT_LIST(haft::Tensor, Tensor)
HAFT_LIST(haft::nn::Module, Module)
HAFT_LIST(haft::data::Transform, Transform)

// A generator as a bare handle; null: the default one.
%typemap(ctype) haft_generator * "void *"
%typemap(imtype) haft_generator * "global::System.Runtime.InteropServices.SafeHandle"
%typemap(cstype) haft_generator * "Generator"
%typemap(csin) haft_generator * "Generator.getCPtr($csinput)"
%typemap(in) haft_generator * %{ $1 = static_cast<haft_generator*>($input); %}

// A state dict.
%typemap(ctype) haft::nn::NamedTensors, const haft::nn::NamedTensors &,
  std::vector<std::pair<std::string, haft::Tensor> >, const std::vector<std::pair<std::string, haft::Tensor> > & "void *"
%typemap(imtype, out="global::System.IntPtr") haft::nn::NamedTensors, const haft::nn::NamedTensors &,
  std::vector<std::pair<std::string, haft::Tensor> >, const std::vector<std::pair<std::string, haft::Tensor> > & "long[]"
%typemap(cstype, out="StateDict") haft::nn::NamedTensors, const haft::nn::NamedTensors &,
  std::vector<std::pair<std::string, haft::Tensor> >, const std::vector<std::pair<std::string, haft::Tensor> > &
  "global::System.Collections.Generic.IEnumerable<global::System.Collections.Generic.KeyValuePair<string, Tensor>>"
%typemap(csin, pre="    using (var lent_$csinput = NamedBlock.Lend($csinput)) {", terminator="    }")
  const haft::nn::NamedTensors &, const std::vector<std::pair<std::string, haft::Tensor> > & "lent_$csinput.Block"
%typemap(in) const haft::nn::NamedTensors & (haft::csharp::LentNamed lent), const std::vector<std::pair<std::string, haft::Tensor> > & (haft::csharp::LentNamed lent)
  %{ $1 = lent.read(static_cast<const std::int64_t*>($input)); %}
%typemap(out, null="0") haft::nn::NamedTensors, std::vector<std::pair<std::string, haft::Tensor> >
  %{ $result = haft::csharp::give_named(std::move(*(&$1))); %}
%typemap(csout, excode=SWIGEXCODE) haft::nn::NamedTensors, std::vector<std::pair<std::string, haft::Tensor> > {
    global::System.IntPtr ret = $imcall;$excode
    return NamedBlock.Take(ret);
  }

// Sizes and other lists of integers.
%typemap(ctype) const haft::IntArray &, const std::vector<std::int64_t> &, std::vector<std::int64_t> "void *"
%typemap(imtype, out="global::System.IntPtr") const haft::IntArray &, const std::vector<std::int64_t> &, std::vector<std::int64_t> "long[]"
%typemap(cstype, out="long[]") const haft::IntArray &, const std::vector<std::int64_t> &, std::vector<std::int64_t> "Dims"
%typemap(csin) const haft::IntArray &, const std::vector<std::int64_t> & "$csinput.Block"
%typemap(in) const haft::IntArray & (haft::IntArray list) %{
  list = haft::IntArray(static_cast<const std::int64_t*>($input) + 1, *static_cast<const std::int64_t*>($input)); $1 = &list; %}
%typemap(in) const std::vector<std::int64_t> & (std::vector<std::int64_t> list) %{
  list.assign(static_cast<const std::int64_t*>($input) + 1, static_cast<const std::int64_t*>($input) + 1 + *static_cast<const std::int64_t*>($input));
  $1 = &list; %}
%typemap(out, null="0") std::vector<std::int64_t> %{ $result = haft::csharp::give_numbers(*(&$1)); %}
%typemap(csout, excode=SWIGEXCODE) std::vector<std::int64_t> {
    global::System.IntPtr ret = $imcall;$excode
    return HandleBlock.Numbers(ret);
  }
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const haft::IntArray &, const std::vector<std::int64_t> & ""
%typemap(ctype) const std::vector<double> & "void *"
%typemap(imtype) const std::vector<double> & "double[]"
%typemap(cstype) const std::vector<double> & "double[]"
%typemap(csin, pre="    var block_$csinput = HandleBlock.Doubles($csinput);") const std::vector<double> & "block_$csinput"
%typemap(in) const std::vector<double> & (std::vector<double> list) %{
  { const double* block = static_cast<const double*>($input); list.assign(block + 1, block + 1 + static_cast<std::ptrdiff_t>(block[0])); }
  $1 = &list; %}

// Text is UTF-8 on every runtime and system.
%typemap(ctype) std::string, const std::string & "const char *"
%typemap(imtype, out="global::System.IntPtr") std::string, const std::string & "byte[]"
%typemap(cstype) std::string, const std::string & "string"
%typemap(csin) std::string, const std::string & "Utf8.Bytes($csinput)"
%typemap(in) const std::string & (std::string text) %{ text = $input; $1 = &text; %}
%typemap(out, null="0") std::string %{ $result = haft::csharp::give_text($1); %}
%typemap(out, null="0") const std::string & %{ $result = haft::csharp::give_text(*$1); %}
%typemap(csout, excode=SWIGEXCODE) std::string, const std::string & {
    global::System.IntPtr ret = $imcall;$excode
    return Utf8.Read(ret);
  }
%typemap(directorin) const std::string & %{ $input = $1.c_str(); %}
%typemap(csdirectorin) const std::string & "Utf8.Read($iminput)"
%typemap(directorargout) const std::string & %{ haft::csharp::rethrow_failure(); %}

// Raw addresses, for the layer's own use.
%typemap(ctype) void *, const void * "void *"
%typemap(imtype) void *, const void * "global::System.IntPtr"
%typemap(cstype) void *, const void * "global::System.IntPtr"
%typemap(csin) void *, const void * "$csinput"
%typemap(in) void *, const void * %{ $1 = $input; %}
%typemap(out, null="0") void * %{ $result = $1; %}
%typemap(csout, excode=SWIGEXCODE) void * {
    global::System.IntPtr ret = $imcall;$excode
    return ret;
  }

// Numbers that C# has types for.
%define HAFT_ENUM(CPP, NAME, CS)
%typemap(cstype) CPP NAME "CS"
%typemap(csin) CPP NAME "(int)$csinput"
%typemap(csout, excode=SWIGEXCODE) CPP NAME {
    CS ret = (CS)$imcall;$excode
    return ret;
  }
%enddef
%define HAFT_FIELD(CPP, CS, CONVERT)
%typemap(csvarin, excode=SWIGEXCODE2) CPP %{
    set {
      $imcall;$excode
    } %}
%typemap(csvarout, excode=SWIGEXCODE2) CPP %{
    get {
      CS ret = CONVERT($imcall);$excode
      return ret;
    } %}
%enddef
HAFT_FIELD(haft_dtype, DType, (DType))
HAFT_FIELD(haft_device, Device, new Device)
HAFT_ENUM(haft_dtype, , DType)
HAFT_ENUM(std::int64_t, reduction, Reduction)
HAFT_ENUM(int64_t, reduction, Reduction)
HAFT_ENUM(std::int32_t, fan, FanMode)
HAFT_ENUM(std::int32_t, nonlinearity, Nonlinearity)
%typemap(cstype) haft_device "Device"
%typemap(csin) haft_device "$csinput.Number"
%typemap(csout, excode=SWIGEXCODE) haft_device {
    Device ret = new Device($imcall);$excode
    return ret;
  }
