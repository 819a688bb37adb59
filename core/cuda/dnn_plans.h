// Plans of cuDNN as operators use them: made once for each shape and device, kept, run on a call's stream.
#pragma once
#include <functional>

#include "core/cuda/dnn.h"
#include "core/cuda/kernel.h"

namespace haft::cuda::dnn {

struct Kept {
  std::unique_ptr<Plan> plan;   // NULL: the library refuses it
  std::vector<Tensor> tensors;  // what a run binds, in the maker's order
};
using Key =
    std::vector<int64_t>;  // all that a plan depends on but the device; its first number is the operator's

// Makes the graph of a key that comes for the first time, and names its tensors.
using Maker = std::function<std::unique_ptr<Graph>(const Functions&, std::vector<Tensor>* tensors)>;

// NULL where there is no cuDNN (which is said once) or no plan.
std::shared_ptr<const Kept> plan_for(const Call& c, Key key, const Wanted& wanted, const Maker& make);

// Binds pointers in the order of the plan's tensors; a number by value is a pointer to it.
void run(const Call& c, const Kept& kept, std::span<const void* const> pointers);
inline void run(const Call& c, const Kept& kept, std::initializer_list<const void*> pointers) {
  run(c, kept, std::span(pointers.begin(), pointers.size()));
}

}  // namespace haft::cuda::dnn
