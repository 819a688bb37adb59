// What a fork leaves behind: threads and device contexts stay with the parent, memory and locks come along.
#pragma once
#include <cstdint>

namespace haft {

// Counts the forks between this process and the ancestor that first asked. An object that does not survive
// fork() remembers the number it was made under and answers Code::forked when it has changed. A few nanoseconds.
uint32_t fork_generation();

// Calls `prepare` before a fork, then `parent` and `child` after it: for modules with locks, once a module, ever.
void on_fork(void (*prepare)(), void (*parent)(), void (*child)());

}  // namespace haft
