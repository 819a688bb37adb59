// The tests' own structs of DLPack against the published header, so that tests and engine are not wrong together.
#include <cstddef>
#include <cstdint>

namespace ours {
#include "dlpack_structs.h"
}

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>

#define SAME(type, field)                                                 \
  static_assert(offsetof(ours::type, field) == offsetof(::type, field) && \
                    sizeof(ours::type::field) == sizeof(::type::field),   \
                #type "::" #field)

static_assert(sizeof(ours::DLDevice) == sizeof(::DLDevice));
SAME(DLDevice, device_type);
SAME(DLDevice, device_id);
static_assert(sizeof(ours::DLDataType) == sizeof(::DLDataType));
SAME(DLDataType, code);
SAME(DLDataType, bits);
SAME(DLDataType, lanes);
static_assert(sizeof(ours::DLTensor) == sizeof(::DLTensor));
SAME(DLTensor, data);
SAME(DLTensor, device);
SAME(DLTensor, ndim);
SAME(DLTensor, dtype);
SAME(DLTensor, shape);
SAME(DLTensor, strides);
SAME(DLTensor, byte_offset);
static_assert(sizeof(ours::DLManagedTensor) == sizeof(::DLManagedTensor));
SAME(DLManagedTensor, dl_tensor);
SAME(DLManagedTensor, manager_ctx);
SAME(DLManagedTensor, deleter);
#endif

// Debian's header is older than 1.0: what that added stands so in its text, on machines with 64-bit pointers.
using Versioned = ours::DLManagedTensorVersioned;
static_assert(sizeof(ours::DLPackVersion) == 8 && offsetof(ours::DLPackVersion, minor) == 4);
static_assert(offsetof(Versioned, version) == 0 && offsetof(Versioned, manager_ctx) == 8);
static_assert(offsetof(Versioned, deleter) == 16 && offsetof(Versioned, flags) == 24);
static_assert(offsetof(Versioned, dl_tensor) == 32 && sizeof(Versioned) == 32 + sizeof(ours::DLTensor));
