// Scopes: tensors handed out inside are released at the end, except those kept.
#include <haft/tensor.h>

#include "capi/src/boundary.h"

namespace haft::capi {

namespace {

// Handles of all open scopes, innermost last; `starts` says where each scope begins.
struct Scopes {
  std::vector<haft_tensor*> born;
  std::vector<size_t> starts;
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
    current()->born.push_back(h);
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
    auto it = std::find(s->born.rbegin(), s->born.rend(), t);
    if (it == s->born.rend()) return;
    size_t at = size_t(s->born.rend() - it) - 1;
    // Into the enclosing scope: a handle stands before the innermost scope's start.
    s->born.erase(s->born.begin() + std::ptrdiff_t(at));
    size_t depth = s->starts.size();
    while (depth > 0 && s->starts[depth - 1] > at) --s->starts[--depth];
    if (depth <= 1) return;  // it was in the outermost scope: the caller's now
    s->born.insert(s->born.begin() + std::ptrdiff_t(s->starts[depth - 1]), t);
    for (size_t d = depth - 1; d < s->starts.size(); ++d) ++s->starts[d];
  });
}

}  // extern "C"
