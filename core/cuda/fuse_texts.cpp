// The texts that fused kernels include, as the build found them (cmake/cuda.cmake).
#include "core/cuda/fuse.h"
#include "core/cuda/fuse_cache.h"

namespace haft::cuda {

const FusedHeaders& fused_headers() {
  static const FusedHeaders all = [] {
    FusedHeaders h{{
#define TEXT(name, text) name,
#include "core/cuda/fuse_texts.inc"
#undef TEXT
                   },
                   {
#define TEXT(name, text) text,
#include "core/cuda/fuse_texts.inc"
#undef TEXT
                   },
                   0};
    for (const char* text : h.texts) h.hash = text_hash(text, h.hash);
    return h;
  }();
  return all;
}

}  // namespace haft::cuda
