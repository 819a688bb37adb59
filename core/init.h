// The composition root: the one place that sees every folder.
#pragma once

namespace haft {
// Fills the tables: the CPU backend, the operators, the modes. Idempotent, thread-safe and quick; nothing
// else may be called before it, and the C boundary calls it.
void init();
}  // namespace haft
