// Scopes: tensors handed out inside are released at the end, except those kept.
#include <haft/tensor.h>

#include <algorithm>

#include "capi/src/boundary.h"

namespace haft::capi {

namespace {

// Handles of all open scopes, innermost last; `starts` says where each scope begins.
struct Scopes {
  std::vector<haft_tensor*> born;
  std::vector<size_t> starts;
  size_t tidy_at = 1024;

  // Forgets handles that were released meanwhile, so that a loop inside a scope takes no memory for them.
  void tidy() {
    size_t to = 0, depth = 0;
    for (size_t i = 0; i < born.size(); ++i) {
      while (depth < starts.size() && starts[depth] <= i) starts[depth++] = to;
      if (find_slot(born[i], HandleType::tensor)) born[to++] = born[i];
    }
    while (depth < starts.size()) starts[depth++] = to;
    born.resize(to);
    tidy_at = std::max<size_t>(1024, 2 * to);
  }
  void erase(size_t at) {
    born.erase(born.begin() + std::ptrdiff_t(at));
    for (size_t d = starts.size(); d-- > 0 && starts[d] > at;) --starts[d];
  }
};

Scopes*& current() { return reinterpret_cast<Scopes*&>(thread_state().slots[kSlotScope]); }

void end_innermost(Scopes& s) {
  size_t start = s.starts.back();
  s.starts.pop_back();
  for (size_t i = start; i < s.born.size(); ++i)
    if (find_slot(s.born[i], HandleType::tensor)) release_handle(s.born[i], HandleType::tensor);
  s.born.resize(start);
}

}  // namespace

void scope_adopt(haft_tensor* h) {
  try {
    Scopes& s = *current();
    if (s.born.size() >= s.tidy_at) s.tidy();
    s.born.push_back(h);
  } catch (...) {
    release_handle(h, HandleType::tensor);  // nobody has it yet
    throw;
  }
}

}  // namespace haft::capi

using namespace haft;
using namespace haft::capi;

extern "C" {

haft_status haft_scope_begin(void) noexcept {
  return boundary("haft_scope_begin", [&] {
    Scopes*& s = current();
    if (!s) {
      s = new Scopes;
      thread_state().slot_destroy[kSlotScope] = [](void* p) {
        auto* scopes = static_cast<Scopes*>(p);
        while (!scopes->starts.empty()) end_innermost(*scopes);
        delete scopes;
      };
    }
    s->starts.push_back(s->born.size());
  });
}

haft_status haft_scope_end(void) noexcept {
  return boundary("haft_scope_end", [&] {
    Scopes*& s = current();
    if (!s) fail(Code::invalid_argument, "no scope is open in this thread", "call haft_scope_begin first");
    end_innermost(*s);
    if (!s->starts.empty()) return;
    delete s;  // without a scope an operator tests one pointer
    s = nullptr;
  });
}

haft_status haft_scope_keep(haft_tensor* t) noexcept {
  return boundary("haft_scope_keep", [&] {
    arg(t, 0, "t");
    Scopes* s = current();
    if (!s) return;
    std::vector<haft_tensor*>& born = s->born;
    born.reserve(born.size() + 1);  // nothing fails halfway
    size_t depth = 0;               // of the innermost scope that had it
    for (size_t at = born.size(); at-- > 0;) {
      if (born[at] != t) continue;
      if (depth == 0) depth = size_t(std::ranges::upper_bound(s->starts, at) - s->starts.begin());
      s->erase(at);
    }
    if (depth <= 1) return;  // no scope had it, or the outermost: it is the caller's now
    // Into the enclosing scope: a handle stands before the start of the next.
    born.insert(born.begin() + std::ptrdiff_t(s->starts[depth - 1]), t);
    for (size_t d = depth - 1; d < s->starts.size(); ++d) ++s->starts[d];
  });
}

}  // extern "C"
