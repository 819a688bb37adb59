// Functions that see gradients on their way, and kept gradients of tensors that are not leaves.
#pragma once
#include <functional>

#include "core/tape/tape.h"

namespace haft {

using GradHook = std::function<Tensor(const Tensor&)>;

// Called with each gradient that reaches t, before it is used; a defined result replaces it. Returns an id.
uint64_t add_hook(const Tensor& t, GradHook fn);
// Leaves only: called after a gradient was added to .grad, with the accumulated gradient, unless a hook before took
// it away. `takes`: who it is that takes it, a text that stays.
uint64_t add_post_accumulate_hook(const Tensor& t, std::function<void(const Tensor&)> fn,
                                  const char* takes = nullptr);
// False: there is none of this id. Another thread's backward may be calling it still.
bool remove_hook(const Tensor& t, uint64_t id);
bool remove_hook(Node& n, uint64_t id) noexcept;
bool has_post_accumulate_hooks(const Node& n);
// Who takes t's gradient away; NULL: nobody.
const char* gradient_taker(const Tensor& t);
// .grad of this non-leaf tensor will be kept: gradients that reach it are added up, as a leaf's are.
void retain_grad(const Tensor& t);
// Replaces or clears (undefined) the accumulated gradient of a leaf, or the retained one of another tensor.
void set_gradient(const Tensor& t, Tensor g);

// For the engine.
void run_hooks(Node& n, std::span<Tensor> grads);
void run_post_hooks(Node& n);

}  // namespace haft
