// Calls of which a rank that fails alone would leave the others waiting.
#pragma once
#include "core/dist/group.h"

namespace haft::parallel {

// Answers what f does; what it fails with is the end of the group on every rank.
template <class F>
auto or_kill(dist::Group& g, const char* what, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    g.kill(concat(what, ": ", e.message));
    throw;
  } catch (...) {
    g.kill(what);
    throw;
  }
}

}  // namespace haft::parallel
