// What hears of the end of a backward, whether it went through or failed.
#pragma once
#include <memory>

#include "core/autograd/engine.h"
#include "core/base/ref.h"

namespace haft::parallel {

// Calls over(*owner, whole) once the backward that this thread is in has ended; the owner lives until then.
template <class Owner>
void at_end_whole_or_not(Owner* owner, void (*over)(Owner&, bool whole)) {
  struct End {
    Ref<Owner> owner;
    void (*over)(Owner&, bool whole);
    bool whole = false;
    ~End() {
      if (!whole) over(*owner, false);
    }
  };
  auto end = std::make_shared<End>(Ref<Owner>::share(owner), over);
  at_end_of_backward(
      [end] {
        end->whole = true;
        end->over(*end->owner, true);
      },
      true);
}

}  // namespace haft::parallel
