// Calls of which a rank that fails alone would leave the others waiting.
#pragma once
#include "core/dist/group.h"

namespace haft::parallel {

// Answers what f does; what it fails with is the end of the group on every rank, unless this one is alone.
template <class F>
auto or_kill(dist::Group& g, const char* what, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    if (g.size() > 1)
      g.kill(e.message.find(what) == std::string::npos ? concat(what, ": ", e.message) : e.message);
    throw;
  } catch (...) {
    if (g.size() > 1) g.kill(what);
    throw;
  }
}

}  // namespace haft::parallel
