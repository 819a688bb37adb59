/* Files: safetensors, NumPy's arrays, PyTorch's states, pictures, TensorBoard's events, checkpoints. Files are written
 * atomically: a reader, or a process killed midway, finds the old content or the new one. */
#ifndef HAFT_IO_H
#define HAFT_IO_H
#include <haft/data.h>
#include <haft/nn.h>
#include <haft/optim.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- weights: files of named tensors ---- */

typedef struct haft_weights haft_weights;

/**
 * @brief Writes named tensors into a safetensors file. Equal input gives equal bytes.
 * @param[in] names    count names, all different
 * @param[in] tensors  count tensors of any device and layout
 * @param[in] count    number of tensors
 * @param[in] path     the file
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_INVALID_ARGUMENT for equal names.
 * @note Thread class: any; nobody writes into the tensors meanwhile.
 * @since 1.0
 */
HAFT_API haft_status haft_weights_save(const char* const* names, haft_tensor* const* tensors, int64_t count,
                                       const char* path) HAFT_NOTHROW;
/**
 * @brief Opens a file of named tensors; its content says which kind it is. It is mapped: tensors load from disk as
 *        they are touched or asked for, and writing into them does not change the file.
 *        - safetensors.
 *        - NumPy's .npz, stored or compressed: a tensor is read, and compared with its checksum, when it is asked for.
 *        - What torch.save wrote, .pt or .pth, also before PyTorch 1.6. None of its code runs: the tensors are those
 *          in dicts, lists and modules, named by the path to them ("model.conv1.weight",
 *          "optimizer.state.0.exp_avg"); one that is saved alone is "tensor". All else in the file, and what lies
 *          under keys that are neither texts nor integers, is passed over.
 * @param[in]  path  the file
 * @param[out] out   the caller releases it; tensors of it may live longer
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT naming what is wrong, HAFT_ERROR_UNSUPPORTED for what holds no
 *         dict, list or module, for sparse and quantised tensors, encrypted archives and big-endian memory.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_weights_open(const char* path, haft_weights** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  w  the weights
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_weights_retain(haft_weights* w) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  w  the weights
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_weights_release(haft_weights* w) HAFT_NOTHROW;
/**
 * @brief Number of tensors.
 * @param[in]  w    the weights
 * @param[out] out  the number
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_weights_get_count(const haft_weights* w, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Name of a tensor.
 * @param[in]  w      the weights
 * @param[in]  index  0..count - 1
 * @param[out] out    lives as long as w
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_weights_get_name(const haft_weights* w, int64_t index, const char** out) HAFT_NOTHROW;
/**
 * @brief A tensor by number, in host memory.
 * @param[in]  w      the weights
 * @param[in]  index  0..count - 1
 * @param[out] out    owned by the caller
 * @return HAFT_OK, HAFT_ERROR_INDEX, HAFT_ERROR_SHAPE above HAFT_MAX_DIMS dimensions, HAFT_ERROR_CORRUPT and
 *         HAFT_ERROR_DTYPE for a member of an archive that is damaged or of a type that haft lacks.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_weights_tensor(const haft_weights* w, int64_t index, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief A tensor by name, in host memory.
 * @param[in]  w     the weights
 * @param[in]  name  of the tensor
 * @param[out] out   owned by the caller
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when there is none of that name, and as haft_weights_tensor.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_weights_find(const haft_weights* w, const char* name, haft_tensor** out) HAFT_NOTHROW;

/* ---- NumPy ---- */

/**
 * @brief Writes named tensors into a .npz file, a zip archive of .npy files; haft_weights_open reads it, and
 *        numpy.load does. Equal input gives equal bytes.
 * @param[in] names       count names, all different
 * @param[in] tensors     count tensors of any device and layout
 * @param[in] count       number of tensors
 * @param[in] compressed  1: deflated, as numpy.savez_compressed does; 0: stored
 * @param[in] path        the file
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_INVALID_ARGUMENT for equal names, HAFT_ERROR_DTYPE for bfloat16 and
 *         8-bit floats, which NumPy lacks.
 * @note Thread class: any; nobody writes into the tensors meanwhile.
 * @since 1.0
 */
HAFT_API haft_status haft_npz_save(const char* const* names, haft_tensor* const* tensors, int64_t count,
                                   int32_t compressed, const char* path) HAFT_NOTHROW;

/**
 * @brief Writes one tensor into a .npy file.
 * @param[in]  t     any device and layout
 * @param[in]  path  the file
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_DTYPE for bfloat16 and 8-bit floats, which NumPy lacks.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_npy_save(const haft_tensor* t, const char* path) HAFT_NOTHROW;
/**
 * @brief Reads a .npy file.
 * @param[in]  path  the file
 * @param[out] out   a host tensor, owned by the caller
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT, HAFT_ERROR_DTYPE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_npy_load(const char* path, haft_tensor** out) HAFT_NOTHROW;

/* ---- IDX, the files of MNIST and its family ---- */

/**
 * @brief Reads an IDX file, plain or gzipped.
 * @param[in]  path  the file
 * @param[out] out   a host tensor, owned by the caller
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT naming what is wrong.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_idx_load(const char* path, haft_tensor** out) HAFT_NOTHROW;

/* ---- pictures ---- */

/**
 * @brief Writes a picture into a PNG file.
 * @param[in]  image  (C, H, W) of 1 (grey), 3 (RGB) or 4 (RGBA) channels: uint8, or a floating type in [0, 1], which
 *                    is clamped
 * @param[in]  path   the file
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_png_save(const haft_tensor* image, const char* path) HAFT_NOTHROW;
/**
 * @brief Writes a picture into a JPEG file, colours halved both ways (4:2:0).
 * @param[in]  image    (C, H, W) of 1 (grey) or 3 (RGB) channels: uint8, or a floating type in [0, 1], which is clamped
 * @param[in]  quality  1 to 100
 * @param[in]  path     the file
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INVALID_ARGUMENT,
 *         HAFT_ERROR_UNAVAILABLE naming the package where the system lacks libturbojpeg.so.0.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_jpeg_save(const haft_tensor* image, int64_t quality, const char* path) HAFT_NOTHROW;
/**
 * @brief Reads a picture: PNG of every colour type and depth, interlaced or not (of 16 bits the upper 8), JPEG, PGM and
 *        PPM of bytes, which its content tells apart. Palettes are colours; what is transparent is an alpha channel;
 *        inks of a CMYK JPEG become RGB. Rows come as they lie in the file, however EXIF says that it was held.
 * @param[in]  path      the file
 * @param[in]  channels  1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of the file
 * @param[out] out       uint8 (C, H, W) in host memory, owned by the caller
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT naming file and fault, HAFT_ERROR_UNSUPPORTED for other files and
 *         for a JPEG of a kind that libturbojpeg does not read, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_UNAVAILABLE for
 *         a JPEG where the system lacks libturbojpeg.so.0.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_image_load(const char* path, int64_t channels, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Reads a picture out of memory, as haft_image_load does.
 * @param[in]  bytes     uint8 (N), what the file holds
 * @param[in]  channels  1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of the file
 * @param[out] out       uint8 (C, H, W) in host memory, owned by the caller
 * @return as haft_image_load; HAFT_ERROR_SHAPE for bytes of another kind.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_image_decode(const haft_tensor* bytes, int64_t channels, haft_tensor** out) HAFT_NOTHROW;
#define HAFT_IMAGE_PNG 0
#define HAFT_IMAGE_JPEG 1
/**
 * @brief A picture as the bytes of a file.
 * @param[in]  image    (C, H, W) of 1 (grey), 3 (RGB) or, in a PNG, 4 (RGBA) channels: uint8, or a floating type in
 *                      [0, 1], which is clamped
 * @param[in]  format   HAFT_IMAGE_PNG or HAFT_IMAGE_JPEG
 * @param[in]  quality  of a JPEG 1 to 100; of a PNG how hard to compress, 0 to 9
 * @param[out] out      uint8 (N), owned by the caller
 * @return as haft_jpeg_save.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_image_encode(const haft_tensor* image, int32_t format, int64_t quality,
                                       haft_tensor** out) HAFT_NOTHROW;

/* ---- TensorBoard ---- */

typedef struct haft_writer haft_writer;

/**
 * @brief A new event file in a folder, which is made when it is missing.
 * @param[in]  folder  what tensorboard --logdir gets
 * @param[out] out     the caller releases it
 * @return HAFT_OK, HAFT_ERROR_IO.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_create(const char* folder, haft_writer** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  w  the writer
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_retain(haft_writer* w) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; the last one closes the file. NULL is ignored.
 * @param[in]  w  the writer
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_writer_release(haft_writer* w) HAFT_NOTHROW;
/**
 * @brief Adds a point to the curve `tag`.
 * @param[in]  w      the writer
 * @param[in]  tag    "loss/train"
 * @param[in]  value  kept as float32
 * @param[in]  step   where it lies on the axis
 * @return HAFT_OK, HAFT_ERROR_IO.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_add_scalar(haft_writer* w, const char* tag, double value, int64_t step) HAFT_NOTHROW;
/**
 * @brief Adds the distribution of a tensor's values.
 * @param[in]  w       the writer
 * @param[in]  tag     "weights/conv1"
 * @param[in]  values  at least one, all finite
 * @param[in]  step    where it lies on the axis
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_add_histogram(haft_writer* w, const char* tag, const haft_tensor* values,
                                               int64_t step) HAFT_NOTHROW;
/**
 * @brief Adds a picture.
 * @param[in] w          the writer
 * @param[in] tag        "samples/first"
 * @param[in] image      (C, H, W) of 1 (grey), 3 (RGB) or 4 (RGBA) channels: uint8, or a floating type in [0, 1],
 *                       which is clamped
 * @param[in] step       where it lies on the axis
 * @param[in] wall_time  seconds since 1970; 0: now
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_SHAPE, HAFT_ERROR_DTYPE, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_writer_add_image(haft_writer* w, const char* tag, const haft_tensor* image, int64_t step,
                                           double wall_time) HAFT_NOTHROW;
/**
 * @brief Adds a text, which TensorBoard reads as Markdown.
 * @param[in]  w          the writer
 * @param[in]  tag        "notes"
 * @param[in]  text       UTF-8
 * @param[in]  step       where it lies on the axis
 * @param[in]  wall_time  seconds since 1970; 0: now
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_add_text(haft_writer* w, const char* tag, const char* text, int64_t step,
                                          double wall_time) HAFT_NOTHROW;
/**
 * @brief Adds what a module computes for its inputs as a graph: it runs once, in the mode that it is in, and what is
 *        recorded is drawn in boxes of its parts, "Sequential/Linear[0]". Calls on values without gradients, such as
 *        indices, are not recorded.
 * @param[in] w            the writer
 * @param[in] module       nobody changes it meanwhile; it keeps no gradients of this
 * @param[in] inputs       input_count tensors, NULL for one that is absent
 * @param[in] input_count  number of inputs
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_BUSY, and what the module answers.
 * @note Thread class: exclusive on module.
 * @since 1.0
 */
HAFT_API haft_status haft_writer_add_graph(haft_writer* w, haft_module* module, haft_tensor* const* inputs,
                                           int64_t input_count) HAFT_NOTHROW;
/* Calls that were recorded after the node `begin` and before the node `end` (haft_node_get_id) stand in a box. */
typedef struct haft_graph_scope {
  int64_t begin, end;
  const char* path; /* "Net/Linear[first]": a box within the box Net; of several scopes the narrowest counts */
} haft_graph_scope;
/**
 * @brief Adds the graph that stands behind tensors, as it was recorded, for programs that have modules of their own.
 * @param[in] w                the writer
 * @param[in] inputs           input_count tensors, NULL for one that is absent; those that require gradients are leaves
 * @param[in] input_count      number of inputs
 * @param[in] outputs          output_count tensors
 * @param[in] output_count     number of outputs
 * @param[in] names            parameter_count names, "Net/Linear[first]/weight"
 * @param[in] parameters       parameter_count leaves; others are called constant
 * @param[in] parameter_count  number of parameters
 * @param[in] scopes           scope_count scopes
 * @param[in] scope_count      number of scopes
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_writer_add_recorded_graph(haft_writer* w, haft_tensor* const* inputs, int64_t input_count,
                                                    haft_tensor* const* outputs, int64_t output_count,
                                                    const char* const* names, haft_tensor* const* parameters,
                                                    int64_t parameter_count, const haft_graph_scope* scopes,
                                                    int64_t scope_count) HAFT_NOTHROW;
/**
 * @brief Adds an event of your own as one whole record.
 * @param[in]  w      the writer
 * @param[in]  event  the bytes of TensorFlow's message Event (event.proto)
 * @param[in]  size   bytes at event, at least 1
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_INVALID_ARGUMENT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_add_event(haft_writer* w, const void* event, int64_t size) HAFT_NOTHROW;
/**
 * @brief Waits until the disk has everything.
 * @param[in]  w  the writer
 * @return HAFT_OK, HAFT_ERROR_IO.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_flush(haft_writer* w) HAFT_NOTHROW;
/**
 * @brief Flushes and closes the file; later calls on w answer HAFT_ERROR_INVALID_ARGUMENT. May be called again.
 * @param[in]  w  the writer
 * @return HAFT_OK, HAFT_ERROR_IO.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_close(haft_writer* w) HAFT_NOTHROW;
/**
 * @brief Path of the event file.
 * @param[in]  w         the writer
 * @param[out] buffer    room for the text
 * @param[in]  capacity  bytes at buffer
 * @param[out] needed    bytes needed, the final 0 included; may be NULL
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_writer_get_path(const haft_writer* w, char* buffer, int64_t capacity,
                                          int64_t* needed) HAFT_NOTHROW;

/* ---- checkpoints ---- */

/* What a checkpoint saves or restores; NULL: not that. */
typedef struct haft_checkpoint_parts {
  uint32_t struct_size;
  int32_t default_generator; /* 1: also the default generator, which dropout draws from */
  haft_module* module;       /* parameters and buffers */
  haft_optimizer* optimizer; /* its state and options */
  haft_scheduler* scheduler; /* its place */
  haft_generator* generator; /* seed and position of one beside the default one */
  haft_loader* loader;       /* seed, epoch and position */
} haft_checkpoint_parts;
#define HAFT_CHECKPOINT_PARTS_INIT \
  { (uint32_t)sizeof(haft_checkpoint_parts), 1, 0, 0, 0, 0, 0 }

/* A value of the caller's own: a number, or a text when text is not NULL. */
typedef struct haft_key_value {
  const char* key;    /* its name; all keys of a checkpoint differ */
  const char* text;   /* UTF-8; NULL: number counts */
  haft_scalar number; /* the value where text is NULL */
  int64_t reserved[2];
} haft_key_value;
#define HAFT_KEY_VALUE_INIT        \
  {                                \
    0, 0, {0, 0, {0}, 0}, { 0, 0 } \
  }

/* The values that a checkpoint held. */
typedef struct haft_checkpoint haft_checkpoint;

/**
 * @brief Writes what is needed to go on with the same numbers: one safetensors file, replaced as a whole.
 * @param[in] path         the file
 * @param[in] parts        what to save; NULL: only the default generator
 * @param[in] values       value_count values of the caller's own (epoch, step, accuracy); may be NULL
 * @param[in] value_count  number of values
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_INVALID_ARGUMENT for equal keys, HAFT_ERROR_BUSY, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: exclusive on the parts.
 * @since 1.0
 */
HAFT_API haft_status haft_checkpoint_save(const char* path, const haft_checkpoint_parts* parts,
                                          const haft_key_value* values, int64_t value_count) HAFT_NOTHROW;
/**
 * @brief Restores the parts given from a checkpoint. They have the structure of those saved.
 * @param[in]  path   the file
 * @param[in]  parts  what to restore; a part that the file lacks is an error, one that only the file has is left
 * @param[out] out    the values saved beside the parts; the caller releases it; may be NULL
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_CORRUPT, HAFT_ERROR_UNSUPPORTED for a file of a newer version,
 *         HAFT_ERROR_INVALID_ARGUMENT or HAFT_ERROR_SHAPE when a part does not fit (it is left unchanged, those
 *         before it are restored), HAFT_ERROR_BUSY.
 * @note Thread class: exclusive on the parts.
 * @since 1.0
 */
HAFT_API haft_status haft_checkpoint_load(const char* path, const haft_checkpoint_parts* parts,
                                          haft_checkpoint** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  c  the values
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_checkpoint_retain(haft_checkpoint* c) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  c  the values
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_checkpoint_release(haft_checkpoint* c) HAFT_NOTHROW;
/**
 * @brief A number by its key.
 * @param[in]  c    the values
 * @param[in]  key  as saved
 * @param[out] out  the number, of the kind saved
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when there is no such number.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_checkpoint_get_number(const haft_checkpoint* c, const char* key,
                                                haft_scalar* out) HAFT_NOTHROW;
/**
 * @brief A text by its key.
 * @param[in]  c    the values
 * @param[in]  key  as saved
 * @param[out] out  lives as long as c
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when there is no such text.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_checkpoint_get_text(const haft_checkpoint* c, const char* key, const char** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
