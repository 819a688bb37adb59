// What hears of the end of a backward, whether it went through or failed.
#pragma once
#include <memory>

#include "core/autograd/engine.h"
#include "core/base/ref.h"

namespace haft::parallel {

// Calls over(*owner, whole) once the backward that this thread is in has ended; the owner, a Ref or a shared_ptr,
// lives until then.
template <class Held, class Over>
void at_end_held(Held owner, Over over) {
  struct End {
    Held owner;
    Over over;
    bool whole = false;
    ~End() {
      if (!whole) over(*owner, false);
    }
  };
  auto end = std::make_shared<End>(std::move(owner), over);
  at_end_of_backward(
      [end] {
        end->whole = true;
        end->over(*end->owner, true);
      },
      true);
}
template <class Owner>
void at_end_whole_or_not(Owner* owner, void (*over)(Owner&, bool whole)) {
  at_end_held(Ref<Owner>::share(owner), over);
}

}  // namespace haft::parallel
