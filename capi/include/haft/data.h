/* Datasets, transforms and the loader, which makes batches ahead on threads of its own. */
#ifndef HAFT_DATA_H
#define HAFT_DATA_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_dataset haft_dataset;
typedef struct haft_transform haft_transform;
typedef struct haft_loader haft_loader;

/* ---- datasets: numbered items of one or more fields, alike in dtypes and, but for pictures, in sizes ---- */

/**
 * @brief Items are the rows of host tensors: item i is (tensors[0][i], tensors[1][i], ...).
 * @param[in]  tensors  equal first sizes; dense ones are shared, not copied
 * @param[in]  count    number of tensors, at least 1
 * @param[out] out      a new dataset; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tensor_dataset_create(haft_tensor* const* tensors, int64_t count,
                                                haft_dataset** out) HAFT_NOTHROW;
/**
 * @brief Images and labels in IDX files (MNIST and its family), plain or gzipped. An item is a uint8 image (1, H, W)
 *        and an int64 label.
 * @param[in]  images_path  file of uint8 (N, H, W)
 * @param[in]  labels_path  file of integers (N)
 * @param[out] out          a new dataset; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT naming file and fault.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_idx_dataset_create(const char* images_path, const char* labels_path,
                                             haft_dataset** out) HAFT_NOTHROW;

/**
 * @brief The rows of a table of numbers as text. An item is float32 (columns), and with label_column the label apart:
 *        int64 () or float32 (). Empty lines are passed over, quotes around a number are taken off.
 * @param[in]  path          the file
 * @param[in]  delimiter     the character between columns: ',', ';', '\t'
 * @param[in]  skip_lines    lines at the beginning that are left out: a heading
 * @param[in]  label_column  the column of labels, from 0; a negative one counts from the end; HAFT_NONE: there is none
 * @param[in]  label_dtype   HAFT_INT64 or HAFT_FLOAT32; without label_column it does not matter
 * @param[out] out           a new dataset; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT naming line and column of what is no number,
 *         HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_DTYPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_csv_dataset_create(const char* path, int32_t delimiter, int64_t skip_lines,
                                             int64_t label_column, haft_dtype label_dtype,
                                             haft_dataset** out) HAFT_NOTHROW;
/**
 * @brief Pictures and labels of the binary version of CIFAR-10 and CIFAR-100. An item is a uint8 image (3, 32, 32)
 *        and an int64 label. The files stay mapped.
 * @param[in]  paths        count files, one behind the other: data_batch_1.bin, ...
 * @param[in]  count        at least 1
 * @param[in]  label_bytes  1: CIFAR-10; 2: CIFAR-100, of whose two labels the second, the fine one, is taken
 * @param[out] out          a new dataset; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT naming file and fault, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cifar_dataset_create(const char* const* paths, int64_t count, int64_t label_bytes,
                                               haft_dataset** out) HAFT_NOTHROW;

/**
 * @brief Pictures in folders root/<class>/..., those below included: PNG, JPEG, PGM and PPM, by the ends of their names
 *        (.png, .jpg, .jpeg, .pgm, .ppm). An item is a uint8 image (channels, H, W), as large as its file says, and an
 *        int64 label, the number of its class in the order of names; items are ordered by folder and name. A loader
 *        decodes on its threads; its transforms, those of field 0, must come to one size. JPEG wants
 *        libturbojpeg.so.0 on the system.
 * @param[in]  root      the folder
 * @param[in]  channels  1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of each file
 * @param[out] out       a new dataset; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_IO, also for no class and for a class without a picture, HAFT_ERROR_INVALID_ARGUMENT, and
 *         of the first picture, which is read at once, what haft_image_load answers.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_image_folder_dataset_create(const char* root, int64_t channels,
                                                      haft_dataset** out) HAFT_NOTHROW;
/**
 * @brief Pictures in files anywhere, with labels: as haft_image_folder_dataset_create otherwise, without class names.
 * @param[in]  paths     count files
 * @param[in]  labels    count numbers, copied
 * @param[in]  count     at least 1
 * @param[in]  channels  1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of each file
 * @param[out] out       a new dataset; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, and of the first picture what haft_image_load answers.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_image_files_dataset_create(const char* const* paths, const int64_t* labels, int64_t count,
                                                     int64_t channels, haft_dataset** out) HAFT_NOTHROW;

/* What a field of an item is; the same for all items. */
typedef struct haft_field {
  haft_dtype dtype; /* HAFT_FLOAT32, ... of its elements */
  int32_t ndim;     /* 0..HAFT_MAX_DIMS - 1: a batch has one more */
  int64_t size[HAFT_MAX_DIMS];
  int64_t reserved[2];
} haft_field;
#define HAFT_FIELD_INIT                      \
  {                                          \
    0, 0, {0, 0, 0, 0, 0, 0, 0, 0}, { 0, 0 } \
  }
/**
 * @brief Writes item `index`: fields[f] has room for the elements of field f, dense.
 * @return HAFT_OK, or a status that haft_loader_next reports as HAFT_ERROR_CALLBACK with the message and token that
 *         haft_error_set left
 */
typedef haft_status (*haft_dataset_read)(int64_t index, void* const* fields, void* user);
/**
 * @brief Items that the caller's function writes.
 * @param[in]  size           number of items
 * @param[in]  fields         field_count descriptions, copied
 * @param[in]  field_count    at least 1
 * @param[in]  read           called on the loader's threads
 * @param[in]  user           handed to read
 * @param[in]  destroy        called once when the dataset is gone, on any thread; may be NULL; not when this function
 *                            fails
 * @param[in]  one_at_a_time  1: never called by two threads at once
 * @param[out] out            a new dataset; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_DTYPE, HAFT_ERROR_SHAPE, HAFT_ERROR_OVERFLOW,
 *         HAFT_ERROR_BAD_STRUCT for reserved words that are not 0.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_callback_dataset_create(int64_t size, const haft_field* fields, int64_t field_count,
                                                  haft_dataset_read read, void* user, void (*destroy)(void* user),
                                                  int32_t one_at_a_time, haft_dataset** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  d  the dataset
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_dataset_retain(haft_dataset* d) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  d  the dataset
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_dataset_release(haft_dataset* d) HAFT_NOTHROW;
/**
 * @brief Number of items.
 * @param[in]  d    the dataset
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_dataset_get_size(const haft_dataset* d, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Number of classes that have names: those of an image folder, 0 of other datasets.
 * @param[in]  d    the dataset
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_dataset_get_class_count(const haft_dataset* d, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Name of a class.
 * @param[in]  d      the dataset
 * @param[in]  index  0..classes - 1
 * @param[out] out    lives as long as d
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_dataset_get_class_name(const haft_dataset* d, int64_t index, const char** out) HAFT_NOTHROW;
/**
 * @brief The labels of all items, without reading the rest of them.
 * @param[in]  d    the dataset
 * @param[out] out  int64 (size), owned by the caller
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED where the last field is no int64 () that lies in memory: what callbacks make.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_dataset_targets(const haft_dataset* d, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief One item, without transforms.
 * @param[in]  d         the dataset
 * @param[in]  index     0..size - 1
 * @param[out] outs      room for capacity handles, one a field, owned by the caller
 * @param[in]  capacity  room at outs
 * @param[out] count     number of fields, also when capacity is too small
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small, HAFT_ERROR_CALLBACK.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_dataset_item(const haft_dataset* d, int64_t index, haft_tensor** outs, int64_t capacity,
                                       int64_t* count) HAFT_NOTHROW;

/* ---- transforms of one field of an item; images are (C, H, W) ---- */

/**
 * @brief uint8, bool or any floating type to float32, times scale.
 * @param[in]  scale  1.0 / 255 for images
 * @param[out] out    the caller releases it
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when out is NULL. The transform answers HAFT_ERROR_DTYPE for fields of
 *         other types.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_to_float_transform_create(double scale, haft_transform** out) HAFT_NOTHROW;
/**
 * @brief (x - mean) / std by channel, of float32.
 * @param[in]  mean   count values
 * @param[in]  std    count positive values
 * @param[in]  count  number of channels; 1 serves all
 * @param[out] out    the caller releases it
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a count below 1 and a std that is not positive.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_normalize_transform_create(const double* mean, const double* std, int64_t count,
                                                     haft_transform** out) HAFT_NOTHROW;
/**
 * @brief A random window of the image with zeros around it.
 * @param[in]  height   of the window
 * @param[in]  width    of the window
 * @param[in]  padding  zeros on every side
 * @param[out] out      the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an empty window or a negative padding.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_random_crop_transform_create(int64_t height, int64_t width, int64_t padding,
                                                       haft_transform** out) HAFT_NOTHROW;
/**
 * @brief Mirrors left and right with a probability.
 * @param[in]  probability  in [0, 1]
 * @param[out] out          the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for another probability.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_random_horizontal_flip_transform_create(double probability,
                                                                  haft_transform** out) HAFT_NOTHROW;
/**
 * @brief Turns by a random angle from [-degrees, degrees] about the middle; nearest pixel, zeros outside.
 * @param[in]  degrees  in [0, 360]
 * @param[out] out      the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for another angle.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_random_rotation_transform_create(double degrees, haft_transform** out) HAFT_NOTHROW;
/**
 * @brief Mirrors top and bottom with a probability.
 * @param[in]  probability  in [0, 1]
 * @param[out] out          the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for another probability.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_random_vertical_flip_transform_create(double probability, haft_transform** out) HAFT_NOTHROW;
/**
 * @brief Another size, of uint8 or float32 images.
 * @param[in]  height  of the result
 * @param[in]  width   of the result; 0: height is that of the shorter side, and the other follows
 * @param[in]  mode    an interpolation but that by areas; torchvision's default is the linear one, antialiased
 * @param[out] out     the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for sizes below 1 (width: 0) and another mode.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_resize_transform_create(int64_t height, int64_t width, int64_t mode,
                                                  haft_transform** out) HAFT_NOTHROW;
/**
 * @brief A random part in another size, as PyTorch's RandomResizedCrop takes it.
 * @param[in]  height      of the result
 * @param[in]  width       of the result
 * @param[in]  scale_low   the part's area is at least this much of the image's
 * @param[in]  scale_high  and at most this much, up to 1
 * @param[in]  ratio_low   its width over its height is at least this
 * @param[in]  ratio_high  and at most this
 * @param[in]  mode        how colours between pixels are found (HAFT_INTERPOLATE_*); not area
 * @param[out] out         the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for sizes below 1, a scale that does not ascend within [0, 1], a ratio
 *         that does not ascend from above 0 and another mode.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_random_resized_crop_transform_create(int64_t height, int64_t width, double scale_low,
                                                               double scale_high, double ratio_low, double ratio_high,
                                                               int64_t mode, haft_transform** out) HAFT_NOTHROW;
/**
 * @brief The middle of the image; zeros where it is too small.
 * @param[in]  height  of the window
 * @param[in]  width   of the window
 * @param[out] out     the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an empty window.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_center_crop_transform_create(int64_t height, int64_t width,
                                                       haft_transform** out) HAFT_NOTHROW;
/**
 * @brief 0.2989 R + 0.587 G + 0.114 B of uint8 or float32 images (1 or 3, H, W).
 * @param[in]  channels  of the result: 1, or 3 equal ones
 * @param[out] out       the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for other channels.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_grayscale_transform_create(int64_t channels, haft_transform** out) HAFT_NOTHROW;
/**
 * @brief Changes colours by random factors, in random order, of uint8 or float32 images (1 or 3, H, W) that span 0 to
 *        255 or 0 to 1.
 * @param[in]  brightness  b: a factor from [max(0, 1 - b), 1 + b]
 * @param[in]  contrast    likewise, towards the mean grey
 * @param[in]  saturation  likewise, towards grey
 * @param[in]  hue         in [0, 0.5]: a part of the circle from [-hue, hue]
 * @param[out] out         the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for numbers below 0 or above 1e6 and a hue above 0.5.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_color_jitter_transform_create(double brightness, double contrast, double saturation,
                                                        double hue, haft_transform** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  t  the transform
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_transform_retain(haft_transform* t) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  t  the transform
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_transform_release(haft_transform* t) HAFT_NOTHROW;

/* ---- loader ---- */

typedef struct haft_loader_options {
  uint32_t struct_size;
  int32_t shuffle; /* 1: a new random order each epoch */
  int64_t batch_size;
  int32_t drop_last;                 /* 1: leave out a last batch that is smaller */
  int32_t num_workers;               /* threads that make batches ahead; 0: haft_loader_next makes them */
  int32_t prefetch;                  /* batches ahead; 0: 2 * num_workers + 2 */
  int32_t transform_field;           /* the field of an item that goes through the transforms */
  int64_t seed;                      /* HAFT_NONE: drawn from the default generator */
  haft_transform* const* transforms; /* applied in this order; retained */
  int64_t transform_count;
  int64_t num_samples;        /* items an epoch visits; HAFT_NONE: all */
  const haft_tensor* indices; /* int64, 1-d: only these items; NULL: all. Copied */
  const haft_tensor* weights; /* floating, 1-d: draw items with these weights; NULL: no. Copied */
  int32_t replacement;        /* 1: draw with replacement; needs shuffle or weights */
  int32_t drop_uneven; /* of replicas: 1: drop what is left over; 0: go on from the start until parts are equal */
  /* Processes that share the items: each draws the same order and visits every num_replicas-th item,. */
  int32_t num_replicas;
  int32_t rank; /* from its rank on. 0: one. More than one and HAFT_NONE as seed: the seed is 0, equal on all */
  /* Where batches go, on a stream of the loader's own, beside what the device computes; the thread's current
   * stream. */
  haft_device device;
  /* waits for them. 0: they stay on the host */
  int32_t pin_memory; /* 1: they stay on the host, in memory that `device` reads by itself (haft_tensor_pin_memory) */
} haft_loader_options;
#define HAFT_LOADER_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_loader_options), 0, 1, 0, 0, 0, 0, HAFT_NONE, 0, 0, HAFT_NONE, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * @brief Batches of a dataset in a given order. What an epoch holds depends on seed and epoch alone, never on the
 *        number of threads. Threads start with the first batch.
 * @param[in]  dataset  retained
 * @param[in]  options  NULL: the defaults of HAFT_LOADER_OPTIONS_INIT
 * @param[out] out      a new loader; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_SHAPE for items that a transform does not take,
 *         HAFT_ERROR_INDEX, HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_loader_create(const haft_dataset* dataset, const haft_loader_options* options,
                                        haft_loader** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  l  the loader
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_loader_retain(haft_loader* l) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. The last one stops the threads, and waits for items being read.
 * @param[in]  l  the loader
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_loader_release(haft_loader* l) HAFT_NOTHROW;
/**
 * @brief The next batch: a tensor (n, ...) for each field of the items.
 * @param[in]  l         the loader
 * @param[out] outs      room for capacity handles, owned by the caller
 * @param[in]  capacity  room at outs; nothing is consumed when it is too small
 * @param[out] count     number of fields, also when capacity is too small
 * @return HAFT_OK; HAFT_END when the epoch is over (outs are untouched, no error is recorded); HAFT_ERROR_CALLBACK when
 *         the dataset's function failed for this batch, which is then passed over; HAFT_ERROR_FORKED in a child
 *         process; HAFT_ERROR_BUSY; HAFT_ERROR_OUT_OF_MEMORY, after which the next call answers this batch.
 * @note Thread class: exclusive on l.
 * @since 1.0
 */
HAFT_API haft_status haft_loader_next(haft_loader* l, haft_tensor** outs, int64_t capacity,
                                      int64_t* count) HAFT_NOTHROW;
/**
 * @brief Goes to the start of the next epoch, also from the middle of one or after haft_loader_cancel. Before the first
 *        batch of an epoch it does nothing, so that it may begin the loop over an epoch or end it.
 * @param[in] l  the loader
 * @return HAFT_OK, HAFT_ERROR_FORKED, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on l.
 * @since 1.0
 */
HAFT_API haft_status haft_loader_reset(haft_loader* l) HAFT_NOTHROW;
/**
 * @brief Ends the epoch from any thread: haft_loader_next, also one that waits, answers HAFT_END until
 *        haft_loader_reset.
 * @param[in]  l  the loader
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_loader_cancel(haft_loader* l) HAFT_NOTHROW;
/**
 * @brief Batches of an epoch.
 * @param[in]  l    the loader
 * @param[out] out  their number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_loader_get_batch_count(const haft_loader* l, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Items of an epoch, after drop_last.
 * @param[in]  l    the loader
 * @param[out] out  their number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_loader_get_sample_count(const haft_loader* l, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Where the loader stands; haft_loader_set_state goes there, in any process, with the same batches to come.
 * @param[in]  l      the loader
 * @param[out] seed   the seed in use
 * @param[out] epoch  0 before the first haft_loader_reset
 * @param[out] batch  batches of this epoch delivered so far
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on l.
 * @since 1.0
 */
HAFT_API haft_status haft_loader_get_state(haft_loader* l, int64_t* seed, int64_t* epoch, int64_t* batch) HAFT_NOTHROW;
/**
 * @brief Sets what haft_loader_get_state told; batches made ahead are dropped.
 * @param[in]  l      the loader
 * @param[in]  seed   any
 * @param[in]  epoch  from 0
 * @param[in]  batch  0..batches of an epoch
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_FORKED, HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on l. @since 1.0
 */
HAFT_API haft_status haft_loader_set_state(haft_loader* l, int64_t seed, int64_t epoch, int64_t batch) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
