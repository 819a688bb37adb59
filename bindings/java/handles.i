// Classes that are handles. In Java they derive from NativeObject, which closes them; here they are 64-bit numbers.
// HANDLE(class, Lent type, class that SWIG writes, class that users see)
%define HANDLE(CPP, LENT, PROXY, JAVA)
%nodefaultctor CPP;
%nodefaultdtor CPP;
%ignore CPP::~PROXY;
%ignore CPP::CPP;
%feature("novaluewrapper") CPP;
%typemap(jni) CPP, const CPP&, CPP& "jlong"
%typemap(jtype) CPP, const CPP&, CPP& "long"
%typemap(jstype) CPP, const CPP&, CPP& "JAVA"
%typemap(javain) const CPP& "NativeObject.handle($javainput)"
%typemap(in) const CPP& (haft::java::LENT lent) %{
  if (!lent.borrow(jenv, $input)) return $null;
  $1 = &lent.value;
%}
%typemap(in) CPP* self (haft::java::LENT lent), const CPP* self (haft::java::LENT lent) %{
  if (!lent.self(jenv, $input, jarg1_)) return $null;
  $1 = &lent.value;
%}
%typemap(out) CPP %{ $result = reinterpret_cast<jlong>(static_cast<CPP&&>($1).release()); %}
%typemap(out) CPP&, const CPP& %{ $result = 0; %}
%typemap(javaout) CPP { return JAVA.adopt($jnicall); }
// What answers *this in C++ answers this.
%typemap(javaout) CPP&, const CPP& {
    $jnicall;
    return (JAVA) this;
  }
%typemap(javabase) CPP "NativeObject"
%typemap(javaclassmodifiers) CPP "public abstract class"
%typemap(javabody) CPP %{
  $javaclassname(int kind, long handle) {
    super(kind, handle);
  }
%}
%typemap(javafinalize) CPP ""
%typemap(javadestruct) CPP ""
%typemap(javadestruct_derived) CPP ""
%enddef

HANDLE(haft::Tensor, LentTensor, Tensor, Tensor)
HANDLE(haft::nn::Module, LentModule, Module, Module)
HANDLE(haft::optim::Optimizer, LentOptimizer, Optimizer, Optimizer)
HANDLE(haft::optim::Scheduler, LentScheduler, Scheduler, Scheduler)
HANDLE(haft::data::Dataset, LentDataset, Dataset, NativeDataset)
HANDLE(haft::data::Transform, LentTransform, Transform, Transform)
HANDLE(haft::data::Loader, LentLoader, Loader, DataLoader)
HANDLE(haft::io::Weights, LentWeights, Weights, Weights)
HANDLE(haft::io::Writer, LentWriter, Writer, Writer)
HANDLE(haft::Generator, LentGenerator, Generator, Generator)
HANDLE(haft::Profile, LentProfile, Profile, Profile)
HANDLE(haft::Session, LentSession, Session, InferenceSession)
HANDLE(haft::Request, LentRequest, Request, Request)
HANDLE(haft::CancelToken, LentCancelToken, CancelToken, CancelToken)
HANDLE(haft::Store, LentStore, Store, Store)
HANDLE(haft::ProcessGroup, LentProcessGroup, ProcessGroup, ProcessGroup)
HANDLE(haft::Work, LentWork, Work, Work)
HANDLE(haft::DataParallel, LentDataParallel, DataParallel, DistributedDataParallel)
HANDLE(haft::ModelAverager, LentModelAverager, ModelAverager, ModelAverager)
HANDLE(haft::GradScaler, LentGradScaler, GradScaler, GradScaler)
%rename(TensorOperators) haft::Tensor;
%rename(ModuleOperators) haft::nn::Module;
%rename(OptimizerOperators) haft::optim::Optimizer;
%rename(SchedulerOperators) haft::optim::Scheduler;
%rename(DatasetOperators) haft::data::Dataset;
%rename(LoaderOperators) haft::data::Loader;
%rename(WeightsOperators) haft::io::Weights;
%rename(WriterOperators) haft::io::Writer;
%rename(GeneratorOperators) haft::Generator;
%rename(ProfileOperators) haft::Profile;
%rename(SessionOperators) haft::Session;
%rename(RequestOperators) haft::Request;
%rename(CancelTokenOperators) haft::CancelToken;
%rename(StoreOperators) haft::Store;
%rename(ProcessGroupOperators) haft::ProcessGroup;
%rename(WorkOperators) haft::Work;
%rename(DataParallelOperators) haft::DataParallel;
%rename(ModelAveragerOperators) haft::ModelAverager;
%rename(GradScalerOperators) haft::GradScaler;

// Optional generators come as pointers.
%typemap(jni) haft_generator* "jlong"
%typemap(jtype) haft_generator* "long"
%typemap(jstype) haft_generator* "Generator"
%typemap(javain, post="      java.lang.ref.Reference.reachabilityFence($javainput);") haft_generator* "NativeObject.handle($javainput)"
%typemap(in) haft_generator* (haft::java::LentGenerator lent) %{
  if (!lent.borrow(jenv, $input)) return $null;
  $1 = lent.value.get();
%}

// Lists.
%define HANDLES(CPP, LENT, JAVA)
%typemap(jni) std::vector<CPP>, const std::vector<CPP>& "jlongArray"
%typemap(jtype) std::vector<CPP>, const std::vector<CPP>& "long[]"
%typemap(jstype) std::vector<CPP>, const std::vector<CPP>& "JAVA[]"
%typemap(javain, post="      java.lang.ref.Reference.reachabilityFence($javainput);") const std::vector<CPP>& "NativeObject.handles($javainput)"
%typemap(in) const std::vector<CPP>& (std::vector<CPP> list) %{
  if (!haft::java::borrow_all<haft::java::LENT>(jenv, $input, list)) return $null;
  $1 = &list;
%}
%typemap(out) std::vector<CPP> %{ $result = haft::java::give(jenv, static_cast<std::vector<CPP>&&>($1)); %}
%typemap(javaout) std::vector<CPP> { return JAVA.adopt($jnicall); }
%enddef
HANDLES(haft::Tensor, LentTensor, Tensor)
HANDLES(haft::nn::Module, LentModule, Module)
HANDLES(haft::data::Transform, LentTransform, Transform)

%typemap(jni) haft::nn::NamedTensors, const haft::nn::NamedTensors&, std::vector<std::pair<std::string, haft::Tensor>>, const std::vector<std::pair<std::string, haft::Tensor>>& "jobjectArray"
%typemap(jtype) haft::nn::NamedTensors, const haft::nn::NamedTensors&, std::vector<std::pair<std::string, haft::Tensor>>, const std::vector<std::pair<std::string, haft::Tensor>>& "Object[]"
%typemap(jstype) haft::nn::NamedTensors, const haft::nn::NamedTensors&, std::vector<std::pair<std::string, haft::Tensor>>, const std::vector<std::pair<std::string, haft::Tensor>>& "java.util.Map<String, Tensor>"
%typemap(javain, post="      java.lang.ref.Reference.reachabilityFence($javainput);") const haft::nn::NamedTensors&, const std::vector<std::pair<std::string, haft::Tensor>>& "NamedTensors.pack($javainput)"
%typemap(javaout) haft::nn::NamedTensors, std::vector<std::pair<std::string, haft::Tensor>> { return NamedTensors.adopt($jnicall); }
%typemap(in) const haft::nn::NamedTensors& (haft::nn::NamedTensors named), const std::vector<std::pair<std::string, haft::Tensor>>& (haft::nn::NamedTensors named) %{
  if (!haft::java::borrow_named(jenv, $input, named)) return $null;
  $1 = &named;
%}
%typemap(out) haft::nn::NamedTensors, std::vector<std::pair<std::string, haft::Tensor>> %{ $result = haft::java::give_named(jenv, static_cast<haft::nn::NamedTensors&&>($1)); %}
