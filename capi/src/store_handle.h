// A store's handle, for those who take one.
#pragma once
#include <haft/store.h>

#include "capi/src/boundary.h"
#include "core/dist/store.h"

namespace haft::capi {

struct StoreObject final : HandleObject {
  Ref<dist::Store> value;
};

// Kept for the time of a call: another thread may release the handle.
inline Ref<dist::Store> store_of(haft_store* s, int index = 0, const char* name = "s") {
  return object_of<StoreObject>(s, HandleType::store, index, name).value;
}

}  // namespace haft::capi
