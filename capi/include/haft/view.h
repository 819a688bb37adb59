/* The plain view of a tensor: what kernels of a device see (haft/backend.h). Programs have handles instead. */
#ifndef HAFT_VIEW_H
#define HAFT_VIEW_H
#include <haft/dtype.h>

/* How elements lie in memory. A blocked view is dense and has four dimensions; its strides mean nothing. */
enum {
  HAFT_LAYOUT_STRIDED = 0,   /* sizes and strides say all */
  HAFT_LAYOUT_BLOCKED8 = 1,  /* N, C/8, H, W, 8: C is a multiple of 8 */
  HAFT_LAYOUT_BLOCKED16 = 2, /* N, C/16, H, W, 16: C is a multiple of 16 */
  /* Only an answer of haft_backend.preferred_layout: strided memory in the order N, H, W, C. Views of it say
   * HAFT_LAYOUT_STRIDED. */
  HAFT_LAYOUT_CHANNELS_LAST = 3,
  /* A gradient of rows (haft_tensor_is_sparse). No device ever sees one. */
  HAFT_LAYOUT_ROWS = 4
};

typedef struct haft_tensor_view {
  void* data; /* first element; NULL only when numel == 0 */
  int64_t numel;
  /* These eight bytes say all but the shape: equal ones spare the engine every check. */
  uint8_t dtype;      /* HAFT_FLOAT32, ... */
  uint8_t ndim;       /* 0..HAFT_MAX_DIMS */
  uint8_t layout;     /* HAFT_LAYOUT_* */
  uint8_t contiguous; /* 1: strided and dense in row-major order */
  uint16_t device_type;
  uint16_t device_index;
  int64_t sizes[HAFT_MAX_DIMS];
  int64_t strides[HAFT_MAX_DIMS]; /* in elements; 0 for an expanded dimension */
  uint64_t version_key;           /* names memory and its version, for caches of reordered weights; 0: do not cache */
} haft_tensor_view;

#endif
