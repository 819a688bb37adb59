// The one interface of haft's bindings. SWIG reads the C++ headers, which call only the C functions, and the operators
// that tools/generate writes from ops.def; a language's own file holds its typemaps and what only it has.
// docs/bindings.md tells how the parts fit.
#if defined(SWIGPYTHON)
%module(directors="1", threads="1") _haft
#else
%module(directors="1") HaftNative
#endif
%{
#include "bindings/support.hpp"
#include "bindings/numbers.hpp"
#include "bindings/amp.hpp"
#include "bindings/modules.hpp"
#include "bindings/pruning.hpp"
#include "bindings/files.hpp"
%}

// Not <stdint.i>: its int64_t is a 32-bit int in Java and C#, or does not compile.
%apply int { int32_t, std::int32_t, haft_status };
%apply unsigned int { uint32_t };
%apply long long { int64_t, std::int64_t };
%apply const long long& { const int64_t&, const std::int64_t& };
#define HAFT_API
#define HAFT_NOTHROW
%include <std_string.i>

// 315, 401: bases that only hold the handle. 476, 503, 516: members that only C++ wants. 362, 389: operators.
#pragma SWIG nowarn=312,314,315,325,362,389,401,476,503,511,516
%ignore haft::Error;
%ignore haft::check;
%ignore haft::Scalar;
%ignore haft::IntArray;
%ignore haft::dtype_of;
%ignore haft::operator+;
%ignore haft::operator-;
%ignore haft::operator*;
%ignore haft::operator/;
%ignore operator bool;
%ignore haft::Node::Node(haft_node*);
%ignore haft::Tensor::item_complex;
%ignore haft::Tensor::to_dlpack;
%ignore haft::Tensor::to_dlpack_versioned;
%ignore haft::Tensor::from_dlpack;
%ignore haft_memory_class;
%ignore haft::StreamGuard;
%ignore haft::Stream::native;  // numbers here: native_handle, from_native_handle
%ignore haft::Stream::from_native;
%ignore haft::Event::native;
%ignore haft::DeviceGraph::record;  // by the language's own functions
%ignore haft::SavedTensorHooks;
%ignore haft::Products;  // callbacks.hpp and python.i have these as lists
%ignore haft::vjp;
%ignore haft::jvp;
%ignore haft::hvp;
%ignore haft::vmap;
%ignore haft::VmapOptions;
%ignore haft::optim::Scheduler::state;
%ignore haft::optim::Scheduler::set_state;
#if !defined(SWIGPYTHON)  // Stream and Event mean other things in their libraries
%rename(DeviceStream) haft::Stream;
%rename(DeviceEvent) haft::Event;
#endif
%ignore haft::Tensor::Tensor;
%ignore haft::nn::Module::Module;
%ignore haft::nn::Definition;
%ignore haft::nn::DataParallel;  // devices are values of the language's own
%ignore haft::RandomStream;
// Layers, optimizers and schedules come from modules.hpp, whose functions take plain values.
%ignore haft::nn::Build;
// Prune and haft.nn.utils.prune: pruning.hpp.
%ignore haft::nn::prune::Amount;
%ignore haft::nn::prune::identity;
%ignore haft::nn::prune::random_unstructured;
%ignore haft::nn::prune::l1_unstructured;
%ignore haft::nn::prune::random_structured;
%ignore haft::nn::prune::ln_structured;
%ignore haft::nn::prune::custom_from_mask;
%ignore haft::nn::prune::global_unstructured;
%ignore haft::nn::prune::remove;
%ignore haft::nn::prune::is_pruned;
%ignore haft::nn::prune::detail::options;
%ignore haft::nn::prune::detail::run;
%ignore haft::bindings::prune_options;
%ignore haft_prune_options;
%ignore haft::nn::Pair;
%ignore haft_session_options::name;  // an argument beside them
%rename("$ignore", regextarget=1, fullname=1, %$isclass) "^haft_(?!session|loader)[a-z0-9_]+_options$";
%nodefaultctor haft::bindings::Make;
%nodefaultdtor haft::bindings::Make;
%rename("$ignore", regextarget=1, fullname=1) "::(get|release)$";
%rename("$ignore", regextarget=1, fullname=1) "^haft::(|[a-z]+::)detail::";
%rename(forward) haft::nn::Module::operator();
%rename(child) haft::nn::Module::operator[];
%rename(item) haft::data::Dataset::operator[];
%rename(tensor) haft::io::Weights::operator[];
%rename(run) haft::Session::operator();
%ignore haft::Fused::operator();
%ignore haft::compose;
%ignore haft::cat_transforms;
%ignore haft::transformed;
// Structs go as plain values, and a store's values as bytes: distributed.hpp.
%ignore haft::Store::set;
%ignore haft::Store::get_value;
%ignore haft::Store::compare_set;
%ignore haft::Store::lease;
%ignore haft::launch_environment;
%ignore haft::bindings::Bytes;
%ignore haft::Tensor::to_text;
%ignore haft::io::Writer::add_event;
%ignore haft::ProcessGroupOptions;
%ignore haft::ProcessGroup::ProcessGroup;
%ignore haft::ProcessGroup::info;
%ignore haft::DataParallelOptions;
%ignore haft::CompressionOptions;
%ignore haft::ModelAveragerOptions;
%ignore haft::GradientBucket;
%ignore haft::DataParallel::DataParallel;
%ignore haft::DataParallel::operator();
%ignore haft::DataParallel::forward;
%ignore haft::DataParallel::info;
%ignore haft::DataParallel::set_compression;
%ignore haft::ModelAverager::ModelAverager;
%ignore haft::Autocast;
%ignore haft::GradScaler::GradScaler;
%ignore haft::GradScaler::state;
%ignore haft::GradScaler::set_state;
%ignore haft::FullyShardedOptions;
%ignore haft::FullySharded::FullySharded;
%ignore haft::FullySharded::info;
#ifdef SWIGPYTHON
%ignore haft::FullySharded::close;  // Python's parameters have become others' objects
%nodefaultctor haft::bindings::ShardingCalls;
#endif
// By functions: callbacks.hpp; Python's are its own.
%ignore haft::optim::AverageFunction;
%ignore haft::optim::update_average_by;
%ignore haft::optim::update_bn;
%ignore haft::shard_of;
%ignore haft::shard_info;

#ifndef SWIGPYTHON
%include "callbacks.i"
#endif
#if defined(SWIGPYTHON)
%include "python/python.i"
#elif defined(SWIGJAVA)
%include "java/java.i"
#elif defined(SWIGCSHARP)
%include "csharp/csharp.i"
#endif

// Of the C headers only the enums and the structs with fields.
%rename("$ignore", %$isfunction, regextarget=1) "^haft_";
%include "haft/dtype.h"
%include "haft/types.h"
%include "haft/init.h"
%include "haft/nn.h"
%include "haft/optim.h"
%include "haft/data.h"
%include "haft/runtime.h"
%include "haft/session.h"

%include "haft/haft.hpp"
%include "bindings/ops.i"
%include "haft/autograd.hpp"
%include "haft/nn.hpp"
%include "haft/optim.hpp"
%include "haft/amp.hpp"
%include "bindings/amp.hpp"
%include "bindings/modules.hpp"
%include "bindings/pruning.hpp"
%include "haft/data.hpp"
%include "haft/io.hpp"
%include "haft/runtime.hpp"
%include "haft/stream.hpp"
%include "haft/device_graph.hpp"
%include "haft/fused.hpp"
%include "haft/evaluator.hpp"
%include "haft/distributions.hpp"

#ifndef SWIGPYTHON
HAFT_PLACES(GroupPlaces)
HAFT_PLACES(LaunchPlaces)
HAFT_PLACES(DataParallelPlaces)
HAFT_PLACES(OptimizerShardPlaces)
HAFT_PLACES(FullyShardedPlaces)
HAFT_PLACES(TensorShardPlaces)
HAFT_PLACES(PipelinePlaces)
HAFT_PLACES(ActionPlaces)
HAFT_PLACES(ServerPlaces)
HAFT_PLACES(DevicePlaces)
HAFT_PLACES(MemoryPlaces)
HAFT_PLACES(SessionPlaces)
HAFT_PLACES(TrainingPlaces)
#ifdef SWIGJAVA  // they are constants of the language
%javaconst(1);
%include "bindings/numbers.hpp"
%javaconst(0);
#else
%csconst(1);
%include "bindings/numbers.hpp"
%csconst(0);
#endif
#endif

%extend haft::Stream {
  /// What other code knows it by, as a number: a cudaStream_t of a CUDA device. That code may enqueue there, record events and wait, and must
  /// not destroy it.
  std::int64_t native_handle() const { return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>($self->native())); }
  /// A stream that other code has made, by such a number; 0 is CUDA's legacy default stream. That code destroys it when haft has let go
  /// of it: no object for it is left, and it is no thread's current stream.
  static haft::Stream from_native_handle(haft_device device, std::int64_t handle) {
    return haft::Stream::from_native(device, reinterpret_cast<void*>(static_cast<std::intptr_t>(handle)));
  }
}
%extend haft::Event {
  /// What other code knows it by, as a number: a cudaEvent_t of a CUDA device.
  std::int64_t native_handle() const { return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>($self->native())); }
}

%inline %{
namespace haft {
namespace bindings {
/// What a transform makes of a distribution's values.
inline haft::Distribution transformed_distribution(const haft::Distribution& base, const haft::VariableTransform& transform, bool validate_args) {
  return haft::transformed(base, {transform}, validate_args);
}
/// Transforms of two parts of values, which lie one behind the other along a dimension; for more: of what this answers and the next.
inline haft::VariableTransform cat_transforms(const haft::VariableTransform& first, const haft::VariableTransform& second,
                                              std::int64_t first_length, std::int64_t second_length, std::int64_t dim) {
  return haft::cat_transforms({first, second}, dim, {first_length, second_length});
}
/// The address of a struct DLManagedTensor, or of a DLManagedTensorVersioned: the tensor's memory for another library,
/// until that calls the deleter.
inline std::int64_t dlpack_address(const haft::Tensor& t, bool versioned) {
  return versioned ? reinterpret_cast<std::intptr_t>(t.to_dlpack_versioned()) : reinterpret_cast<std::intptr_t>(t.to_dlpack());
}
/// A tensor over what another library lends at such an address, which is haft's from now on.
inline haft::Tensor from_dlpack_address(std::int64_t address, bool versioned) {
  const auto at = static_cast<std::intptr_t>(address);
  return versioned ? haft::Tensor::from_dlpack(reinterpret_cast<DLManagedTensorVersioned*>(at))
                   : haft::Tensor::from_dlpack(reinterpret_cast<DLManagedTensor*>(at));
}
inline std::vector<std::int64_t> device_numbers(haft_device device) { return DevicePlaces::numbers(device_properties(device)); }
/// Its name, place on the bus, number of its own and driver, a line each.
inline std::string device_texts(haft_device device) {
  const haft_device_properties p = device_properties(device);
  return std::string(p.name) + '\n' + p.pci + '\n' + p.uuid + '\n' + p.runtime;
}
/// What a schedule goes on from: "last_epoch", "base_lrs.0", ..., a float64 number each.
inline haft::nn::NamedTensors schedule_state(const haft::optim::Scheduler& schedule) {
  haft::nn::NamedTensors out;
  for (const auto& s : schedule.state()) out.emplace_back(s.first, haft::full({}, s.second, HAFT_FLOAT64));
  return out;
}
/// Goes on from what schedule_state told.
inline void set_schedule_state(const haft::optim::Scheduler& schedule, const haft::nn::NamedTensors& state) {
  std::map<std::string, double> numbers;
  for (const auto& s : state) numbers[s.first] = s.second.item();
  schedule.set_state(numbers);
}
}  // namespace bindings
}  // namespace haft
%}
%include "haft/session.hpp"
%include "haft/store.hpp"
%include "haft/process_group.hpp"
%include "haft/data_parallel.hpp"
%include "bindings/distributed.hpp"
%include "bindings/files.hpp"
%include "haft/fully_sharded.hpp"
%include "bindings/sharding.hpp"
#ifdef SWIGPYTHON
%include "python/distributed.i"
%include "python/parallel.i"
%include "python/model_parallel.i"
%include "python/data_parallel.i"
%include "python/rpc.i"
%{
#include "bindings/checkpoints.hpp"
%}
%include "bindings/checkpoints.hpp"
#endif
#ifndef SWIGPYTHON
%include "parallel.i"
%include "bindings/callbacks.hpp"
%include "bindings/options.hpp"
%include "bindings/training.hpp"
#endif
#ifdef SWIGCSHARP
%include "csharp/layer.i"
#endif
