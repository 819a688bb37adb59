/* The plain view of a tensor that kernels see. C99: it crosses the plug-in seam. */
#ifndef HAFT_CORE_TENSOR_VIEW_H
#define HAFT_CORE_TENSOR_VIEW_H
#include <stdint.h>

#define HAFT_MAX_NDIM 8

/* Element types; the values are those of haft_dtype in the public header and never change. */
enum {
  HAFT_DT_NONE = 0,
  HAFT_DT_BOOL = 1,
  HAFT_DT_UINT8 = 2,
  HAFT_DT_INT8 = 3,
  HAFT_DT_INT16 = 4,
  HAFT_DT_INT32 = 5,
  HAFT_DT_INT64 = 6,
  HAFT_DT_FLOAT16 = 7,
  HAFT_DT_BFLOAT16 = 8,
  HAFT_DT_FLOAT32 = 9,
  HAFT_DT_FLOAT64 = 10,
  HAFT_DT_COMPLEX64 = 11,
  HAFT_DT_COMPLEX128 = 12,
  HAFT_DT_COUNT = 13
};

/* How elements lie in memory. A blocked view is dense and has four dimensions; its strides mean nothing. */
enum {
  HAFT_LAYOUT_STRIDED = 0,  /* sizes and strides say all */
  HAFT_LAYOUT_BLOCKED8 = 1, /* N, C/8, H, W, 8: C is a multiple of 8 */
  HAFT_LAYOUT_BLOCKED16 = 2 /* N, C/16, H, W, 16: C is a multiple of 16 */
};

typedef struct haft_tensor_view {
  void* data; /* first element; NULL only when numel == 0 */
  int64_t numel;
  union {
    struct {
      uint8_t dtype;      /* HAFT_DT_* */
      uint8_t ndim;       /* 0..HAFT_MAX_NDIM */
      uint8_t layout;     /* HAFT_LAYOUT_* */
      uint8_t contiguous; /* 1: strided and dense in row-major order */
      uint16_t device_type;
      uint16_t device_index;
    };
    uint64_t meta; /* all of the above as one word: equal words skip every check */
  };
  int64_t sizes[HAFT_MAX_NDIM];
  int64_t strides[HAFT_MAX_NDIM]; /* in elements; 0 for an expanded dimension */
  uint64_t version_key; /* names memory and its version, for caches of reordered weights; 0: do not cache */
} haft_tensor_view;

#endif
