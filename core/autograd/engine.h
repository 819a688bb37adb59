// Reverse-mode differentiation over the tape: iterative, on the calling thread, any order.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/tape/tape.h"

namespace haft {

struct BackwardOptions {
  bool retain_graph = false;  // keep saved tensors for another backward
  bool create_graph = false;  // record the gradients themselves; implies retain_graph
};

// Accumulates d(sum over outputs of <seed, output>)/d(leaf) into every leaf that the outputs depend on. An
// undefined seed is 1 and needs an output of one element. Fails with Code::autograd when nothing requires a
// gradient, when the graph was freed or a saved tensor was changed, and with Code::busy when another thread
// runs the same graph. While it runs the thread records as create_graph says and is in no region of autocast, hooks and
// callbacks included.
void backward(std::span<const Tensor> outputs, std::span<const Tensor> seeds, BackwardOptions options = {});

// The same for `inputs` only: leaves accumulate as there, and other tensors keep a gradient from now on
// (retain_grad). Those that the outputs do not depend on get none.
void backward_inputs(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                     std::span<const Tensor> seeds, BackwardOptions options = {});

// Answers the gradients of `inputs` instead, and leaves every .grad alone. Inputs that the outputs do not
// depend on give an undefined tensor with allow_unused and an error without.
std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                         std::span<const Tensor> seeds, BackwardOptions options = {},
                         bool allow_unused = false);

// Called once when the backward that is running on this thread (the innermost) has done all its nodes, in the
// order of registration; dropped when it fails. Fails with invalid_argument outside of one. `outermost`: of the
// backward around all others.
void at_end_of_backward(std::function<void()> fn, bool outermost = false);
// Called when that backward has let go of its graph, also when it failed; must not throw.
void after_backward(std::function<void()> fn);
// Whether this thread is in one.
bool backward_is_running();

}  // namespace haft
