/* Generated from core/schema/modules.def by tools/generate; do not edit.
 *
 * Layers and losses. haft/nn.h includes this and says what modules do.
 */
#ifndef HAFT_LAYERS_H
#define HAFT_LAYERS_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_module haft_module;

/* Options of haft_linear_create. */
typedef struct haft_linear_options {
  uint32_t struct_size;
  /* Size of the last dimension of inputs; to be set. */
  int64_t in_features;
  /* Size of the last dimension of outputs; to be set. */
  int64_t out_features;
  /* 0 or 1: whether a bias is added. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_linear_options;
#define HAFT_LINEAR_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_linear_options), 0, 0, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief x weight^T + bias: x (*, in_features) to (*, out_features). torch.nn.Linear.
 * @param[in]  options  begun as HAFT_LINEAR_OPTIONS_INIT; to be set: in_features, out_features
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linear_create(const haft_linear_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_conv2d_create. */
typedef struct haft_conv2d_options {
  uint32_t struct_size;
  /* Channels of the input; to be set. */
  int64_t in_channels;
  /* Channels of the output; to be set. */
  int64_t out_channels;
  /* Size of the window; to be set; height and width. */
  int64_t kernel_size[2];
  /* Steps between windows; height and width. */
  int64_t stride[2];
  /* Rows and columns added on each side of the image; -1 for both: so many that its size stays; height and
     width. */
  int64_t padding[2];
  /* Steps between the elements of a window; height and width. */
  int64_t dilation[2];
  /* Groups of channels that do not see each other; divides both numbers of channels. */
  int64_t groups;
  /* 0 or 1: whether a bias is added. */
  int32_t bias;
  /* HAFT_PADDING_ZEROS and the like: what stands in the padding. */
  int32_t padding_mode;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_conv2d_options;
#define HAFT_CONV2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_conv2d_options), 0, 0, {0, 0}, {1, 1}, {0, 0}, {1, 1}, 1, 1, HAFT_PADDING_ZEROS, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Cross-correlation of images: x (N, in_channels, H, W) to (N, out_channels, H', W'). torch.nn.Conv2d.
 * @param[in]  options  begun as HAFT_CONV2D_OPTIONS_INIT; to be set: in_channels, out_channels, kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv2d_create(const haft_conv2d_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_batch_norm1d_create. */
typedef struct haft_batch_norm1d_options {
  uint32_t struct_size;
  /* C; to be set. */
  int64_t num_features;
  /* Added to the variance. */
  double eps;
  /* Part of a new batch in the running statistics; below 0: they are the plain average of all batches. */
  double momentum;
  /* 0 or 1: whether there are a weight and a bias. */
  int32_t affine;
  /* 0 or 1: whether running statistics are kept; without them those of the batch serve in evaluation, too. */
  int32_t track_running_stats;
  /* 0 or 1: whether affine has a bias beside the weight. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* 0. */
  int32_t reserved;
} haft_batch_norm1d_options;
#define HAFT_BATCH_NORM1D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_batch_norm1d_options), 0, 1e-5, 0.1, 1, 1, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Batch normalisation of x (N, C) or (N, C, L). torch.nn.BatchNorm1d.
 * @param[in]  options  begun as HAFT_BATCH_NORM1D_OPTIONS_INIT; to be set: num_features
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_batch_norm1d_create(const haft_batch_norm1d_options* options,
                                              haft_module** out) HAFT_NOTHROW;

/* Options of haft_batch_norm2d_create. */
typedef struct haft_batch_norm2d_options {
  uint32_t struct_size;
  /* C; to be set. */
  int64_t num_features;
  /* Added to the variance. */
  double eps;
  /* Part of a new batch in the running statistics; below 0: they are the plain average of all batches. */
  double momentum;
  /* 0 or 1: whether there are a weight and a bias. */
  int32_t affine;
  /* 0 or 1: whether running statistics are kept; without them those of the batch serve in evaluation, too. */
  int32_t track_running_stats;
  /* 0 or 1: whether affine has a bias beside the weight. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* 0. */
  int32_t reserved;
} haft_batch_norm2d_options;
#define HAFT_BATCH_NORM2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_batch_norm2d_options), 0, 1e-5, 0.1, 1, 1, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Batch normalisation of x (N, C, H, W). torch.nn.BatchNorm2d.
 * @param[in]  options  begun as HAFT_BATCH_NORM2D_OPTIONS_INIT; to be set: num_features
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_batch_norm2d_create(const haft_batch_norm2d_options* options,
                                              haft_module** out) HAFT_NOTHROW;

/* Options of haft_layer_norm_create. */
typedef struct haft_layer_norm_options {
  uint32_t struct_size;
  /* Their sizes; to be set. */
  const int64_t* normalized_shape;
  /* Number of integers in normalized_shape. */
  int64_t normalized_shape_count;
  /* Added to the variance. */
  double eps;
  /* 0 or 1: whether there are a weight and a bias of these sizes. */
  int32_t elementwise_affine;
  /* 0 or 1: whether there is a bias beside the weight. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
} haft_layer_norm_options;
#define HAFT_LAYER_NORM_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_layer_norm_options), 0, 0, 1e-5, 1, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT}

/**
 * @brief Normalisation over the last dimensions. torch.nn.LayerNorm.
 * @param[in]  options  begun as HAFT_LAYER_NORM_OPTIONS_INIT; to be set: normalized_shape
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_layer_norm_create(const haft_layer_norm_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_dropout_create. */
typedef struct haft_dropout_options {
  uint32_t struct_size;
  /* The probability, in [0, 1]. */
  double p;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_dropout_options;
#define HAFT_DROPOUT_OPTIONS_INIT {(uint32_t)sizeof(haft_dropout_options), 0.5, 0}

/**
 * @brief Zeroes elements with probability p while training, and scales the rest by 1 / (1 - p).
 *   torch.nn.Dropout.
 * @param[in]  options  NULL: the defaults of HAFT_DROPOUT_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_dropout_create(const haft_dropout_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_embedding_create. */
typedef struct haft_embedding_options {
  uint32_t struct_size;
  /* Rows of the table; to be set. */
  int64_t num_embeddings;
  /* Width of a row; to be set. */
  int64_t embedding_dim;
  /* A row that starts at 0 and gets no gradient; negative counts from the end; HAFT_NONE: none. */
  int64_t padding_idx;
  /* 0 or 1: whether the table gets a gradient of rows, which SGD, Adagrad and SparseAdam take. */
  int32_t sparse;
  /* Rows that are longer are scaled to it, in the table itself, when they are looked up; below 0: none. */
  double max_norm;
  /* P of the norm that max_norm limits. */
  double norm_type;
  /* 0 or 1: whether a row's gradient is divided by how often it is looked up. */
  int32_t scale_grad_by_freq;
  /* The table itself, (num_embeddings, embedding_dim), whose memory is shared; none: a new one; NULL: none.
     */
  const haft_tensor* weight;
  /* 0 or 1: whether the table gets no gradient. */
  int32_t freeze;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_embedding_options;
#define HAFT_EMBEDDING_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_embedding_options), 0, 0, HAFT_NONE, 0, -1.0, 2.0, 0, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Rows of a table at integer positions: x (*) to (*, embedding_dim). torch.nn.Embedding.
 * @param[in]  options  begun as HAFT_EMBEDDING_OPTIONS_INIT; to be set: num_embeddings, embedding_dim
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_embedding_create(const haft_embedding_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_max_pool2d_create. */
typedef struct haft_max_pool2d_options {
  uint32_t struct_size;
  /* Size of the window; to be set; height and width. */
  int64_t kernel_size[2];
  /* Steps between windows; 0 is the window's size; height and width. */
  int64_t stride[2];
  /* Border around the image, at most half the window; height and width. */
  int64_t padding[2];
  /* Steps between the elements of a window; height and width. */
  int64_t dilation[2];
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0 or 1: whether it answers where the maxima stood, too, among the elements of their channel. */
  int32_t return_indices;
} haft_max_pool2d_options;
#define HAFT_MAX_POOL2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_max_pool2d_options), {0, 0}, {0, 0}, {0, 0}, {1, 1}, 0, 0}

/**
 * @brief The maximum of each window of x (N, C, H, W). torch.nn.MaxPool2d.
 * @param[in]  options  begun as HAFT_MAX_POOL2D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool2d_create(const haft_max_pool2d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_avg_pool2d_create. */
typedef struct haft_avg_pool2d_options {
  uint32_t struct_size;
  /* Size of the window; to be set; height and width. */
  int64_t kernel_size[2];
  /* Steps between windows; 0 is the window's size; height and width. */
  int64_t stride[2];
  /* Border of zeros around the image, at most half the window; height and width. */
  int64_t padding[2];
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0 or 1: whether the border counts. */
  int32_t count_include_pad;
  /* What sums are divided by in place of the window's size; HAFT_NONE: none. */
  int64_t divisor_override;
} haft_avg_pool2d_options;
#define HAFT_AVG_POOL2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_avg_pool2d_options), {0, 0}, {0, 0}, {0, 0}, 0, 1, HAFT_NONE}

/**
 * @brief The mean of each window of x (N, C, H, W). torch.nn.AvgPool2d.
 * @param[in]  options  begun as HAFT_AVG_POOL2D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_avg_pool2d_create(const haft_avg_pool2d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_adaptive_avg_pool2d_create. */
typedef struct haft_adaptive_avg_pool2d_options {
  uint32_t struct_size;
  /* Size of the grid; an absent number keeps the image's; to be set; height and width. */
  int64_t output_size[2];
} haft_adaptive_avg_pool2d_options;
#define HAFT_ADAPTIVE_AVG_POOL2D_OPTIONS_INIT {(uint32_t)sizeof(haft_adaptive_avg_pool2d_options), {0, 0}}

/**
 * @brief The means over a grid of windows that covers the image. torch.nn.AdaptiveAvgPool2d.
 * @param[in]  options  begun as HAFT_ADAPTIVE_AVG_POOL2D_OPTIONS_INIT; to be set: output_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_avg_pool2d_create(const haft_adaptive_avg_pool2d_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_rnn_create. */
typedef struct haft_rnn_options {
  uint32_t struct_size;
  /* Size of an element of the sequence; to be set. */
  int64_t input_size;
  /* Size of the state; to be set. */
  int64_t hidden_size;
  /* Layers, each reading the one before. */
  int64_t num_layers;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether sequences are (N, L, input_size) instead of (L, N, input_size). */
  int32_t batch_first;
  /* The probability of dropout between layers, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether a second direction reads from the end. */
  int32_t bidirectional;
  /* 0 or 1: whether relu stands in the place of tanh. */
  int32_t relu;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_rnn_options;
#define HAFT_RNN_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_rnn_options), 0, 0, 1, 1, 0, 0, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Elman's recurrent layers: tanh of W x + b + W' h + b' at each step. With several inputs these are x,
 *   the first state h, and the rows of each step (int64) where x is packed sequences; it answers all outputs
 *   and the last h. torch.nn.RNN.
 * @param[in]  options  begun as HAFT_RNN_OPTIONS_INIT; to be set: input_size, hidden_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rnn_create(const haft_rnn_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_lstm_create. */
typedef struct haft_lstm_options {
  uint32_t struct_size;
  /* Size of an element of the sequence; to be set. */
  int64_t input_size;
  /* Size of the state; to be set. */
  int64_t hidden_size;
  /* Layers, each reading the one before. */
  int64_t num_layers;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether sequences are (N, L, input_size) instead of (L, N, input_size). */
  int32_t batch_first;
  /* The probability of dropout between layers, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether a second direction reads from the end. */
  int32_t bidirectional;
  /* Size of a projection of h; 0: none. */
  int64_t proj_size;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_lstm_options;
#define HAFT_LSTM_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_lstm_options), 0, 0, 1, 1, 0, 0, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Long short-term memory (Hochreiter and Schmidhuber, 1997). With several inputs these are x, the
 *   first states h and c, and the rows of each step (int64) where x is packed sequences; it answers all
 *   outputs and the last h and c. torch.nn.LSTM.
 * @param[in]  options  begun as HAFT_LSTM_OPTIONS_INIT; to be set: input_size, hidden_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lstm_create(const haft_lstm_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_gru_create. */
typedef struct haft_gru_options {
  uint32_t struct_size;
  /* Size of an element of the sequence; to be set. */
  int64_t input_size;
  /* Size of the state; to be set. */
  int64_t hidden_size;
  /* Layers, each reading the one before. */
  int64_t num_layers;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether sequences are (N, L, input_size) instead of (L, N, input_size). */
  int32_t batch_first;
  /* The probability of dropout between layers, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether a second direction reads from the end. */
  int32_t bidirectional;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_gru_options;
#define HAFT_GRU_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_gru_options), 0, 0, 1, 1, 0, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Gated recurrent units (Cho et al., arXiv:1406.1078). With several inputs these are x, the first
 *   state h, and the rows of each step (int64) where x is packed sequences; it answers all outputs and the
 *   last h. torch.nn.GRU.
 * @param[in]  options  begun as HAFT_GRU_OPTIONS_INIT; to be set: input_size, hidden_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gru_create(const haft_gru_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_rnn_cell_create. */
typedef struct haft_rnn_cell_options {
  uint32_t struct_size;
  /* Size of an element of the sequence; to be set. */
  int64_t input_size;
  /* Size of the state; to be set. */
  int64_t hidden_size;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether relu stands in the place of tanh. */
  int32_t relu;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_rnn_cell_options;
#define HAFT_RNN_CELL_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_rnn_cell_options), 0, 0, 1, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief One step of an RNN: x (N, input_size), and the state h, to the next h. torch.nn.RNNCell.
 * @param[in]  options  begun as HAFT_RNN_CELL_OPTIONS_INIT; to be set: input_size, hidden_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rnn_cell_create(const haft_rnn_cell_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_lstm_cell_create. */
typedef struct haft_lstm_cell_options {
  uint32_t struct_size;
  /* Size of an element of the sequence; to be set. */
  int64_t input_size;
  /* Size of the state; to be set. */
  int64_t hidden_size;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_lstm_cell_options;
#define HAFT_LSTM_CELL_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_lstm_cell_options), 0, 0, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief One step of an LSTM: x (N, input_size), and the states h and c, to the next h and c.
 *   torch.nn.LSTMCell.
 * @param[in]  options  begun as HAFT_LSTM_CELL_OPTIONS_INIT; to be set: input_size, hidden_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lstm_cell_create(const haft_lstm_cell_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_gru_cell_create. */
typedef struct haft_gru_cell_options {
  uint32_t struct_size;
  /* Size of an element of the sequence; to be set. */
  int64_t input_size;
  /* Size of the state; to be set. */
  int64_t hidden_size;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_gru_cell_options;
#define HAFT_GRU_CELL_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_gru_cell_options), 0, 0, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief One step of a GRU: x (N, input_size), and the state h, to the next h. torch.nn.GRUCell.
 * @param[in]  options  begun as HAFT_GRU_CELL_OPTIONS_INIT; to be set: input_size, hidden_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gru_cell_create(const haft_gru_cell_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_multihead_attention_create. */
typedef struct haft_multihead_attention_options {
  uint32_t struct_size;
  /* Width of query and of the results; to be set. */
  int64_t embed_dim;
  /* Heads; divides embed_dim; to be set. */
  int64_t num_heads;
  /* The probability that a weight is dropped, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether a learnt element stands behind keys and values. */
  int32_t add_bias_kv;
  /* 0 or 1: whether a zero stands behind keys and values. */
  int32_t add_zero_attn;
  /* Width of keys; none: embed_dim; HAFT_NONE: none. */
  int64_t kdim;
  /* Width of values; none: embed_dim; HAFT_NONE: none. */
  int64_t vdim;
  /* 0 or 1: whether sequences are (N, L, embed_dim) instead of (L, N, embed_dim). */
  int32_t batch_first;
  /* 0 or 1: whether the weights are answered, too; without them memory is linear in the lengths. */
  int32_t need_weights;
  /* 0 or 1: whether weights are (N, L, S), the means over heads, instead of (N, num_heads, L, S). */
  int32_t average_attn_weights;
  /* 0 or 1: whether a position sees no later one. */
  int32_t is_causal;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_multihead_attention_options;
#define HAFT_MULTIHEAD_ATTENTION_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_multihead_attention_options), 0, 0, 0, 1, 0, 0, HAFT_NONE, HAFT_NONE, 0, 1, 1, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Attention of several heads (Vaswani et al., arXiv:1706.03762). With several inputs these are query
 *   (L, N, embed_dim), key and value (S, N, *), then key_padding_mask (N, S) and attn_mask (L, S) or (N *
 *   num_heads, L, S), each absent or bool (true: not attended to) or added; one input is all three. It
 *   answers the attended values and, where needed, the weights; a row that sees nothing is 0.
 *   torch.nn.MultiheadAttention.
 * @param[in]  options  begun as HAFT_MULTIHEAD_ATTENTION_OPTIONS_INIT; to be set: embed_dim, num_heads
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_multihead_attention_create(const haft_multihead_attention_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_transformer_encoder_layer_create. */
typedef struct haft_transformer_encoder_layer_options {
  uint32_t struct_size;
  /* Width of an element; to be set. */
  int64_t d_model;
  /* Heads; divides d_model; to be set. */
  int64_t nhead;
  /* Width between the two linear layers. */
  int64_t dim_feedforward;
  /* The probability of dropout, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether gelu stands between the linear layers in the place of relu. */
  int32_t gelu;
  /* Eps of the layer norms, >= 0. */
  double layer_norm_eps;
  /* 0 or 1: whether sequences are (N, L, d_model) instead of (L, N, d_model). */
  int32_t batch_first;
  /* 0 or 1: whether norms stand before the parts instead of behind them. */
  int32_t norm_first;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether self-attention sees no later position. */
  int32_t is_causal;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_transformer_encoder_layer_options;
#define HAFT_TRANSFORMER_ENCODER_LAYER_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_transformer_encoder_layer_options), 0, 0, 2048, 0.1, 0, 1e-5, 0, 0, 1, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Self-attention and two linear layers, each around a residual and a layer norm. With several inputs
 *   these are src, src_mask and src_key_padding_mask, as MultiheadAttention takes them. A child named
 *   activation, a module that is added, stands in the place of relu. torch.nn.TransformerEncoderLayer.
 * @param[in]  options  begun as HAFT_TRANSFORMER_ENCODER_LAYER_OPTIONS_INIT; to be set: d_model, nhead
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_transformer_encoder_layer_create(
    const haft_transformer_encoder_layer_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_transformer_decoder_layer_create. */
typedef struct haft_transformer_decoder_layer_options {
  uint32_t struct_size;
  /* Width of an element; to be set. */
  int64_t d_model;
  /* Heads; divides d_model; to be set. */
  int64_t nhead;
  /* Width between the two linear layers. */
  int64_t dim_feedforward;
  /* The probability of dropout, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether gelu stands between the linear layers in the place of relu. */
  int32_t gelu;
  /* Eps of the layer norms, >= 0. */
  double layer_norm_eps;
  /* 0 or 1: whether sequences are (N, L, d_model) instead of (L, N, d_model). */
  int32_t batch_first;
  /* 0 or 1: whether norms stand before the parts instead of behind them. */
  int32_t norm_first;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether self-attention sees no later position. */
  int32_t is_causal;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_transformer_decoder_layer_options;
#define HAFT_TRANSFORMER_DECODER_LAYER_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_transformer_decoder_layer_options), 0, 0, 2048, 0.1, 0, 1e-5, 0, 0, 1, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief A TransformerEncoderLayer with attention to an encoder's results between its parts, and the same
 *   child activation. Its inputs are tgt, memory, and tgt_mask, memory_mask, tgt_key_padding_mask,
 *   memory_key_padding_mask. torch.nn.TransformerDecoderLayer.
 * @param[in]  options  begun as HAFT_TRANSFORMER_DECODER_LAYER_OPTIONS_INIT; to be set: d_model, nhead
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_transformer_decoder_layer_create(
    const haft_transformer_decoder_layer_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_transformer_encoder_create. */
typedef struct haft_transformer_encoder_options {
  uint32_t struct_size;
  /* Width of an element; to be set. */
  int64_t d_model;
  /* Heads; divides d_model; to be set. */
  int64_t nhead;
  /* Layers; to be set. */
  int64_t num_layers;
  /* 0 or 1: whether a layer norm stands behind the last one. */
  int32_t norm;
  /* Width between the two linear layers. */
  int64_t dim_feedforward;
  /* The probability of dropout, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether gelu stands between the linear layers in the place of relu. */
  int32_t gelu;
  /* Eps of the layer norms, >= 0. */
  double layer_norm_eps;
  /* 0 or 1: whether sequences are (N, L, d_model) instead of (L, N, d_model). */
  int32_t batch_first;
  /* 0 or 1: whether norms stand before the parts instead of behind them. */
  int32_t norm_first;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether self-attention sees no later position. */
  int32_t is_causal;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_transformer_encoder_options;
#define HAFT_TRANSFORMER_ENCODER_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_transformer_encoder_options), 0, 0, 0, 0, 2048, 0.1, 0, 1e-5, 0, 0, 1, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Layers of TransformerEncoderLayer, each reading the one before, with its inputs.
 *   torch.nn.TransformerEncoder.
 * @param[in]  options  begun as HAFT_TRANSFORMER_ENCODER_OPTIONS_INIT; to be set: d_model, nhead, num_layers
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_transformer_encoder_create(const haft_transformer_encoder_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_transformer_decoder_create. */
typedef struct haft_transformer_decoder_options {
  uint32_t struct_size;
  /* Width of an element; to be set. */
  int64_t d_model;
  /* Heads; divides d_model; to be set. */
  int64_t nhead;
  /* Layers; to be set. */
  int64_t num_layers;
  /* 0 or 1: whether a layer norm stands behind the last one. */
  int32_t norm;
  /* Width between the two linear layers. */
  int64_t dim_feedforward;
  /* The probability of dropout, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether gelu stands between the linear layers in the place of relu. */
  int32_t gelu;
  /* Eps of the layer norms, >= 0. */
  double layer_norm_eps;
  /* 0 or 1: whether sequences are (N, L, d_model) instead of (L, N, d_model). */
  int32_t batch_first;
  /* 0 or 1: whether norms stand before the parts instead of behind them. */
  int32_t norm_first;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether self-attention sees no later position. */
  int32_t is_causal;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_transformer_decoder_options;
#define HAFT_TRANSFORMER_DECODER_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_transformer_decoder_options), 0, 0, 0, 0, 2048, 0.1, 0, 1e-5, 0, 0, 1, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Layers of TransformerDecoderLayer, each reading the one before, with its inputs.
 *   torch.nn.TransformerDecoder.
 * @param[in]  options  begun as HAFT_TRANSFORMER_DECODER_OPTIONS_INIT; to be set: d_model, nhead, num_layers
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_transformer_decoder_create(const haft_transformer_decoder_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_transformer_create. */
typedef struct haft_transformer_options {
  uint32_t struct_size;
  /* Width of an element. */
  int64_t d_model;
  /* Heads; divides d_model. */
  int64_t nhead;
  /* Layers of the encoder. */
  int64_t num_encoder_layers;
  /* Layers of the decoder. */
  int64_t num_decoder_layers;
  /* Width between the two linear layers. */
  int64_t dim_feedforward;
  /* The probability of dropout, in [0, 1]. */
  double dropout;
  /* 0 or 1: whether gelu stands between the linear layers in the place of relu. */
  int32_t gelu;
  /* Eps of the layer norms, >= 0. */
  double layer_norm_eps;
  /* 0 or 1: whether sequences are (N, L, d_model) instead of (L, N, d_model). */
  int32_t batch_first;
  /* 0 or 1: whether norms stand before the parts instead of behind them. */
  int32_t norm_first;
  /* 0 or 1: whether there are biases. */
  int32_t bias;
  /* 0 or 1: whether self-attention sees no later position. */
  int32_t is_causal;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_transformer_options;
#define HAFT_TRANSFORMER_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_transformer_options), 512, 8, 6, 6, 2048, 0.1, 0, 1e-5, 0, 0, 1, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Encoder and decoder, each with a last layer norm. Its inputs are src, tgt, and src_mask, tgt_mask,
 *   memory_mask, src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask; is_causal is the
 *   decoder's. torch.nn.Transformer.
 * @param[in]  options  NULL: the defaults of HAFT_TRANSFORMER_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_transformer_create(const haft_transformer_options* options,
                                             haft_module** out) HAFT_NOTHROW;

/* Options of haft_rotary_embedding_create. */
typedef struct haft_rotary_embedding_options {
  uint32_t struct_size;
  /* Elements that are turned, an even number; to be set. */
  int64_t dim;
  /* The slowest pair's wave length is about 2 pi times as long. */
  double theta;
  /* 0 or 1: whether pairs are neighbours (GPT-J) instead of half of dim apart (Llama). */
  int32_t interleaved;
  /* 0. */
  int32_t reserved;
} haft_rotary_embedding_options;
#define HAFT_ROTARY_EMBEDDING_OPTIONS_INIT {(uint32_t)sizeof(haft_rotary_embedding_options), 0, 10000.0, 0, 0}

/**
 * @brief Queries or keys x (*, L, E) turned by their positions: rotary_embedding of the first dim elements by
 *   position / theta^(2 i / dim). A second input says the positions (int64): (L), or (N, L) for x (N, *, L,
 *   E); without it they are 0 to L - 1. torch.nn.RotaryEmbedding.
 * @param[in]  options  begun as HAFT_ROTARY_EMBEDDING_OPTIONS_INIT; to be set: dim
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rotary_embedding_create(const haft_rotary_embedding_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_kv_cache_create. */
typedef struct haft_kv_cache_options {
  uint32_t struct_size;
  /* N; to be set. */
  int64_t batch_size;
  /* Heads; to be set. */
  int64_t num_heads;
  /* Positions that it holds; to be set. */
  int64_t max_length;
  /* Width of a head; to be set. */
  int64_t head_dim;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
} haft_kv_cache_options;
#define HAFT_KV_CACHE_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_kv_cache_options), 0, 0, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT}

/**
 * @brief Keys and values of earlier positions, for generation: takes those of new positions, (N, heads, L,
 *   width), writes them behind the ones it has and answers all of them; nothing is recorded. Its buffers are
 *   keys, values and length, the number of positions written: set it to 0 to begin again, or back to forget
 *   the last ones. torch.nn.KVCache.
 * @param[in]  options  begun as HAFT_KV_CACHE_OPTIONS_INIT; to be set: batch_size, num_heads, max_length,
 *     head_dim
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_kv_cache_create(const haft_kv_cache_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_max_pool1d_create. */
typedef struct haft_max_pool1d_options {
  uint32_t struct_size;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Minus infinity on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0 or 1: whether it answers where the maxima stood, too, among the elements of their channel. */
  int32_t return_indices;
} haft_max_pool1d_options;
#define HAFT_MAX_POOL1D_OPTIONS_INIT {(uint32_t)sizeof(haft_max_pool1d_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief The maximum of each window of x (N, C, L) or (C, L). torch.nn.MaxPool1d.
 * @param[in]  options  begun as HAFT_MAX_POOL1D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool1d_create(const haft_max_pool1d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_max_pool3d_create. */
typedef struct haft_max_pool3d_options {
  uint32_t struct_size;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Minus infinity on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0 or 1: whether it answers where the maxima stood, too, among the elements of their channel. */
  int32_t return_indices;
} haft_max_pool3d_options;
#define HAFT_MAX_POOL3D_OPTIONS_INIT {(uint32_t)sizeof(haft_max_pool3d_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief The maximum of each window of x (N, C, D, H, W) or (C, D, H, W). torch.nn.MaxPool3d.
 * @param[in]  options  begun as HAFT_MAX_POOL3D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_pool3d_create(const haft_max_pool3d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_avg_pool1d_create. */
typedef struct haft_avg_pool1d_options {
  uint32_t struct_size;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Zeros on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0 or 1: whether the zeros of the padding count in the mean. */
  int32_t count_include_pad;
} haft_avg_pool1d_options;
#define HAFT_AVG_POOL1D_OPTIONS_INIT {(uint32_t)sizeof(haft_avg_pool1d_options), 0, 0, 0, 0, 0, 0, 0, 1}

/**
 * @brief The mean of each window of x (N, C, L) or (C, L). torch.nn.AvgPool1d.
 * @param[in]  options  begun as HAFT_AVG_POOL1D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_avg_pool1d_create(const haft_avg_pool1d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_avg_pool3d_create. */
typedef struct haft_avg_pool3d_options {
  uint32_t struct_size;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Zeros on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0 or 1: whether the zeros of the padding count in the mean. */
  int32_t count_include_pad;
  /* What sums are divided by in place of the window's size; HAFT_NONE: none. */
  int64_t divisor_override;
} haft_avg_pool3d_options;
#define HAFT_AVG_POOL3D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_avg_pool3d_options), 0, 0, 0, 0, 0, 0, 0, 1, HAFT_NONE}

/**
 * @brief The mean of each window of x (N, C, D, H, W) or (C, D, H, W). torch.nn.AvgPool3d.
 * @param[in]  options  begun as HAFT_AVG_POOL3D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_avg_pool3d_create(const haft_avg_pool3d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_lp_pool1d_create. */
typedef struct haft_lp_pool1d_options {
  uint32_t struct_size;
  /* P of the norm; to be set. */
  double norm_type;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0. */
  int32_t reserved;
} haft_lp_pool1d_options;
#define HAFT_LP_POOL1D_OPTIONS_INIT {(uint32_t)sizeof(haft_lp_pool1d_options), 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief (sum of x^norm_type)^(1 / norm_type) over each window of (N, C, L) or (C, L). torch.nn.LPPool1d.
 * @param[in]  options  begun as HAFT_LP_POOL1D_OPTIONS_INIT; to be set: norm_type, kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lp_pool1d_create(const haft_lp_pool1d_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_lp_pool2d_create. */
typedef struct haft_lp_pool2d_options {
  uint32_t struct_size;
  /* P of the norm; to be set. */
  double norm_type;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0. */
  int32_t reserved;
} haft_lp_pool2d_options;
#define HAFT_LP_POOL2D_OPTIONS_INIT {(uint32_t)sizeof(haft_lp_pool2d_options), 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief (sum of x^norm_type)^(1 / norm_type) over each window of (N, C, H, W) or (C, H, W).
 *   torch.nn.LPPool2d.
 * @param[in]  options  begun as HAFT_LP_POOL2D_OPTIONS_INIT; to be set: norm_type, kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lp_pool2d_create(const haft_lp_pool2d_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_lp_pool3d_create. */
typedef struct haft_lp_pool3d_options {
  uint32_t struct_size;
  /* P of the norm; to be set. */
  double norm_type;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* 0 or 1: whether windows that only begin inside count, too. */
  int32_t ceil_mode;
  /* 0. */
  int32_t reserved;
} haft_lp_pool3d_options;
#define HAFT_LP_POOL3D_OPTIONS_INIT {(uint32_t)sizeof(haft_lp_pool3d_options), 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief (sum of x^norm_type)^(1 / norm_type) over each window of (N, C, D, H, W) or (C, D, H, W).
 *   torch.nn.LPPool3d.
 * @param[in]  options  begun as HAFT_LP_POOL3D_OPTIONS_INIT; to be set: norm_type, kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_lp_pool3d_create(const haft_lp_pool3d_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_adaptive_avg_pool1d_create. */
typedef struct haft_adaptive_avg_pool1d_options {
  uint32_t struct_size;
  /* Size of the grid; an absent number keeps the input's; to be set. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
} haft_adaptive_avg_pool1d_options;
#define HAFT_ADAPTIVE_AVG_POOL1D_OPTIONS_INIT {(uint32_t)sizeof(haft_adaptive_avg_pool1d_options), 0, 0}

/**
 * @brief The mean over a grid of windows of x (N, C, L) or (C, L). torch.nn.AdaptiveAvgPool1d.
 * @param[in]  options  begun as HAFT_ADAPTIVE_AVG_POOL1D_OPTIONS_INIT; to be set: output_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_avg_pool1d_create(const haft_adaptive_avg_pool1d_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_adaptive_avg_pool3d_create. */
typedef struct haft_adaptive_avg_pool3d_options {
  uint32_t struct_size;
  /* Size of the grid; an absent number keeps the input's; to be set. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
} haft_adaptive_avg_pool3d_options;
#define HAFT_ADAPTIVE_AVG_POOL3D_OPTIONS_INIT {(uint32_t)sizeof(haft_adaptive_avg_pool3d_options), 0, 0}

/**
 * @brief The mean over a grid of windows of x (N, C, D, H, W) or (C, D, H, W). torch.nn.AdaptiveAvgPool3d.
 * @param[in]  options  begun as HAFT_ADAPTIVE_AVG_POOL3D_OPTIONS_INIT; to be set: output_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_avg_pool3d_create(const haft_adaptive_avg_pool3d_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_adaptive_max_pool1d_create. */
typedef struct haft_adaptive_max_pool1d_options {
  uint32_t struct_size;
  /* Size of the grid; an absent number keeps the input's; to be set. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
  /* 0 or 1: whether it answers where the maxima stood, too, among the elements of their channel. */
  int32_t return_indices;
  /* 0. */
  int32_t reserved;
} haft_adaptive_max_pool1d_options;
#define HAFT_ADAPTIVE_MAX_POOL1D_OPTIONS_INIT {(uint32_t)sizeof(haft_adaptive_max_pool1d_options), 0, 0, 0, 0}

/**
 * @brief The maximum over a grid of windows of x (N, C, L) or (C, L). torch.nn.AdaptiveMaxPool1d.
 * @param[in]  options  begun as HAFT_ADAPTIVE_MAX_POOL1D_OPTIONS_INIT; to be set: output_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool1d_create(const haft_adaptive_max_pool1d_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_adaptive_max_pool2d_create. */
typedef struct haft_adaptive_max_pool2d_options {
  uint32_t struct_size;
  /* Size of the grid; an absent number keeps the input's; to be set. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
  /* 0 or 1: whether it answers where the maxima stood, too, among the elements of their channel. */
  int32_t return_indices;
  /* 0. */
  int32_t reserved;
} haft_adaptive_max_pool2d_options;
#define HAFT_ADAPTIVE_MAX_POOL2D_OPTIONS_INIT {(uint32_t)sizeof(haft_adaptive_max_pool2d_options), 0, 0, 0, 0}

/**
 * @brief The maximum over a grid of windows of x (N, C, H, W) or (C, H, W). torch.nn.AdaptiveMaxPool2d.
 * @param[in]  options  begun as HAFT_ADAPTIVE_MAX_POOL2D_OPTIONS_INIT; to be set: output_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool2d_create(const haft_adaptive_max_pool2d_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_adaptive_max_pool3d_create. */
typedef struct haft_adaptive_max_pool3d_options {
  uint32_t struct_size;
  /* Size of the grid; an absent number keeps the input's; to be set. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
  /* 0 or 1: whether it answers where the maxima stood, too, among the elements of their channel. */
  int32_t return_indices;
  /* 0. */
  int32_t reserved;
} haft_adaptive_max_pool3d_options;
#define HAFT_ADAPTIVE_MAX_POOL3D_OPTIONS_INIT {(uint32_t)sizeof(haft_adaptive_max_pool3d_options), 0, 0, 0, 0}

/**
 * @brief The maximum over a grid of windows of x (N, C, D, H, W) or (C, D, H, W). torch.nn.AdaptiveMaxPool3d.
 * @param[in]  options  begun as HAFT_ADAPTIVE_MAX_POOL3D_OPTIONS_INIT; to be set: output_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_max_pool3d_create(const haft_adaptive_max_pool3d_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_fractional_max_pool2d_create. */
typedef struct haft_fractional_max_pool2d_options {
  uint32_t struct_size;
  /* Size of the windows; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* How many there are; an empty list: the ratios say it; to be set. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
  /* Part of the input's height that the result has, below 1, where output_size is empty, >= 0. */
  double height_ratio;
  /* The same of its width, >= 0. */
  double width_ratio;
  /* 0 or 1: whether it answers where the maxima stood, too, among the elements of their channel. */
  int32_t return_indices;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_fractional_max_pool2d_options;
#define HAFT_FRACTIONAL_MAX_POOL2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_fractional_max_pool2d_options), 0, 0, 0, 0, 0.0, 0.0, 0, 0}

/**
 * @brief The maximum of windows of x (N, C, H, W) or (C, H, W) that begin at random distances (Graham,
 *   arXiv:1412.6071). A second input are the numbers that say where, (N, C, 2) from [0, 1), in place of fresh
 *   ones. torch.nn.FractionalMaxPool2d.
 * @param[in]  options  begun as HAFT_FRACTIONAL_MAX_POOL2D_OPTIONS_INIT; to be set: kernel_size, output_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fractional_max_pool2d_create(const haft_fractional_max_pool2d_options* options,
                                                       haft_module** out) HAFT_NOTHROW;

/* Options of haft_fractional_max_pool3d_create. */
typedef struct haft_fractional_max_pool3d_options {
  uint32_t struct_size;
  /* Size of the windows; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* How many there are; an empty list: the ratios say it; to be set. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
  /* Part of the input's depth that the result has, below 1, where output_size is empty, >= 0. */
  double depth_ratio;
  /* The same of its height, >= 0. */
  double height_ratio;
  /* The same of its width, >= 0. */
  double width_ratio;
  /* 0 or 1: whether it answers where the maxima stood, too, among the elements of their channel. */
  int32_t return_indices;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_fractional_max_pool3d_options;
#define HAFT_FRACTIONAL_MAX_POOL3D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_fractional_max_pool3d_options), 0, 0, 0, 0, 0.0, 0.0, 0.0, 0, 0}

/**
 * @brief The maximum of windows of x (N, C, D, H, W) or (C, D, H, W) that begin at random distances (Graham,
 *   arXiv:1412.6071). A second input are the numbers that say where, (N, C, 3) from [0, 1), in place of fresh
 *   ones. torch.nn.FractionalMaxPool3d.
 * @param[in]  options  begun as HAFT_FRACTIONAL_MAX_POOL3D_OPTIONS_INIT; to be set: kernel_size, output_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fractional_max_pool3d_create(const haft_fractional_max_pool3d_options* options,
                                                       haft_module** out) HAFT_NOTHROW;

/* Options of haft_pixel_shuffle_create. */
typedef struct haft_pixel_shuffle_options {
  uint32_t struct_size;
  /* R; to be set. */
  int64_t upscale_factor;
} haft_pixel_shuffle_options;
#define HAFT_PIXEL_SHUFFLE_OPTIONS_INIT {(uint32_t)sizeof(haft_pixel_shuffle_options), 0}

/**
 * @brief (*, C r r, H, W) to (*, C, H r, W r) for the factor r. torch.nn.PixelShuffle.
 * @param[in]  options  begun as HAFT_PIXEL_SHUFFLE_OPTIONS_INIT; to be set: upscale_factor
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pixel_shuffle_create(const haft_pixel_shuffle_options* options,
                                               haft_module** out) HAFT_NOTHROW;

/* Options of haft_pixel_unshuffle_create. */
typedef struct haft_pixel_unshuffle_options {
  uint32_t struct_size;
  /* R; to be set. */
  int64_t downscale_factor;
} haft_pixel_unshuffle_options;
#define HAFT_PIXEL_UNSHUFFLE_OPTIONS_INIT {(uint32_t)sizeof(haft_pixel_unshuffle_options), 0}

/**
 * @brief (*, C, H r, W r) to (*, C r r, H, W) for the factor r. torch.nn.PixelUnshuffle.
 * @param[in]  options  begun as HAFT_PIXEL_UNSHUFFLE_OPTIONS_INIT; to be set: downscale_factor
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pixel_unshuffle_create(const haft_pixel_unshuffle_options* options,
                                                 haft_module** out) HAFT_NOTHROW;

/* Options of haft_channel_shuffle_create. */
typedef struct haft_channel_shuffle_options {
  uint32_t struct_size;
  /* Number of groups; to be set. */
  int64_t groups;
} haft_channel_shuffle_options;
#define HAFT_CHANNEL_SHUFFLE_OPTIONS_INIT {(uint32_t)sizeof(haft_channel_shuffle_options), 0}

/**
 * @brief (N, groups C, *): channel c of group g becomes channel g of group c. torch.nn.ChannelShuffle.
 * @param[in]  options  begun as HAFT_CHANNEL_SHUFFLE_OPTIONS_INIT; to be set: groups
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_channel_shuffle_create(const haft_channel_shuffle_options* options,
                                                 haft_module** out) HAFT_NOTHROW;

/* Options of haft_local_response_norm_create. */
typedef struct haft_local_response_norm_options {
  uint32_t struct_size;
  /* Neighbouring channels; to be set. */
  int64_t size;
  /* Factor of the mean. */
  double alpha;
  /* exponent. */
  double beta;
  /* What is added before the power. */
  double k;
} haft_local_response_norm_options;
#define HAFT_LOCAL_RESPONSE_NORM_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_local_response_norm_options), 0, 1e-4, 0.75, 1.0}

/**
 * @brief x / (k + alpha times the mean of squares over neighbouring channels)^beta.
 *   torch.nn.LocalResponseNorm.
 * @param[in]  options  begun as HAFT_LOCAL_RESPONSE_NORM_OPTIONS_INIT; to be set: size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_local_response_norm_create(const haft_local_response_norm_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/**
 * @brief max(x, 0). torch.nn.ReLU.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_relu_create(haft_module** out) HAFT_NOTHROW;

/* Options of haft_leaky_relu_create. */
typedef struct haft_leaky_relu_options {
  uint32_t struct_size;
  /* The slope below 0. */
  double negative_slope;
} haft_leaky_relu_options;
#define HAFT_LEAKY_RELU_OPTIONS_INIT {(uint32_t)sizeof(haft_leaky_relu_options), 0.01}

/**
 * @brief x above 0, negative_slope x below. torch.nn.LeakyReLU.
 * @param[in]  options  NULL: the defaults of HAFT_LEAKY_RELU_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_leaky_relu_create(const haft_leaky_relu_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_gelu_create. */
typedef struct haft_gelu_options {
  uint32_t struct_size;
  /* 0 or 1: whether it is approximated by tanh. */
  int32_t tanh;
} haft_gelu_options;
#define HAFT_GELU_OPTIONS_INIT {(uint32_t)sizeof(haft_gelu_options), 0}

/**
 * @brief x times the normal distribution function at x. torch.nn.GELU.
 * @param[in]  options  NULL: the defaults of HAFT_GELU_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gelu_create(const haft_gelu_options* options, haft_module** out) HAFT_NOTHROW;

/**
 * @brief x sigmoid(x). torch.nn.SiLU.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_silu_create(haft_module** out) HAFT_NOTHROW;

/**
 * @brief 1 / (1 + exp(-x)). torch.nn.Sigmoid.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_sigmoid_create(haft_module** out) HAFT_NOTHROW;

/**
 * @brief Hyperbolic tangent. torch.nn.Tanh.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tanh_create(haft_module** out) HAFT_NOTHROW;

/* Options of haft_elu_create. */
typedef struct haft_elu_options {
  uint32_t struct_size;
  /* -alpha is the limit below 0. */
  double alpha;
} haft_elu_options;
#define HAFT_ELU_OPTIONS_INIT {(uint32_t)sizeof(haft_elu_options), 1.0}

/**
 * @brief x above 0, alpha (exp(x) - 1) below. torch.nn.ELU.
 * @param[in]  options  NULL: the defaults of HAFT_ELU_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_elu_create(const haft_elu_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_prelu_create. */
typedef struct haft_prelu_options {
  uint32_t struct_size;
  /* One weight, or one for each channel (dimension 1). */
  int64_t num_parameters;
  /* Their first value. */
  double init;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
} haft_prelu_options;
#define HAFT_PRELU_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_prelu_options), 1, 0.25, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT}

/**
 * @brief x above 0, weight x below; the weights are learnt. torch.nn.PReLU.
 * @param[in]  options  NULL: the defaults of HAFT_PRELU_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_prelu_create(const haft_prelu_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_softplus_create. */
typedef struct haft_softplus_options {
  uint32_t struct_size;
  /* Sharpness, > 0. */
  double beta;
  /* Where beta x is above it, the result is x itself. */
  double threshold;
} haft_softplus_options;
#define HAFT_SOFTPLUS_OPTIONS_INIT {(uint32_t)sizeof(haft_softplus_options), 1, 20}

/**
 * @brief log(1 + exp(beta x)) / beta. torch.nn.Softplus.
 * @param[in]  options  NULL: the defaults of HAFT_SOFTPLUS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softplus_create(const haft_softplus_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_hardtanh_create. */
typedef struct haft_hardtanh_options {
  uint32_t struct_size;
  /* The lower limit. */
  double min_val;
  /* The upper limit. */
  double max_val;
} haft_hardtanh_options;
#define HAFT_HARDTANH_OPTIONS_INIT {(uint32_t)sizeof(haft_hardtanh_options), -1.0, 1.0}

/**
 * @brief x, limited to [min_val, max_val]. torch.nn.Hardtanh.
 * @param[in]  options  NULL: the defaults of HAFT_HARDTANH_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hardtanh_create(const haft_hardtanh_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/**
 * @brief relu6(x + 3) / 6. torch.nn.Hardsigmoid.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hardsigmoid_create(haft_module** out) HAFT_NOTHROW;

/**
 * @brief x relu6(x + 3) / 6. torch.nn.Hardswish.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hardswish_create(haft_module** out) HAFT_NOTHROW;

/**
 * @brief x tanh(softplus(x)). torch.nn.Mish.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mish_create(haft_module** out) HAFT_NOTHROW;

/**
 * @brief log(sigmoid(x)), without overflow. torch.nn.LogSigmoid.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_logsigmoid_create(haft_module** out) HAFT_NOTHROW;

/**
 * @brief ELU, scaled so that mean 0 and variance 1 are kept (arXiv:1706.02515). torch.nn.SELU.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_selu_create(haft_module** out) HAFT_NOTHROW;

/* Options of haft_celu_create. */
typedef struct haft_celu_options {
  uint32_t struct_size;
  /* -alpha is the limit below 0. */
  double alpha;
} haft_celu_options;
#define HAFT_CELU_OPTIONS_INIT {(uint32_t)sizeof(haft_celu_options), 1.0}

/**
 * @brief max(0, x) + min(0, alpha (exp(x / alpha) - 1)). torch.nn.CELU.
 * @param[in]  options  NULL: the defaults of HAFT_CELU_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_celu_create(const haft_celu_options* options, haft_module** out) HAFT_NOTHROW;

/**
 * @brief x / (1 + |x|). torch.nn.Softsign.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softsign_create(haft_module** out) HAFT_NOTHROW;

/**
 * @brief x - tanh(x). torch.nn.Tanhshrink.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_tanhshrink_create(haft_module** out) HAFT_NOTHROW;

/* Options of haft_hardshrink_create. */
typedef struct haft_hardshrink_options {
  uint32_t struct_size;
  /* The limit. */
  double lambd;
} haft_hardshrink_options;
#define HAFT_HARDSHRINK_OPTIONS_INIT {(uint32_t)sizeof(haft_hardshrink_options), 0.5}

/**
 * @brief x where |x| > lambd, 0 elsewhere. torch.nn.Hardshrink.
 * @param[in]  options  NULL: the defaults of HAFT_HARDSHRINK_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hardshrink_create(const haft_hardshrink_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_softshrink_create. */
typedef struct haft_softshrink_options {
  uint32_t struct_size;
  /* How far, not below 0. */
  double lambd;
} haft_softshrink_options;
#define HAFT_SOFTSHRINK_OPTIONS_INIT {(uint32_t)sizeof(haft_softshrink_options), 0.5}

/**
 * @brief x moved by lambd towards 0; 0 where it would pass it. torch.nn.Softshrink.
 * @param[in]  options  NULL: the defaults of HAFT_SOFTSHRINK_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softshrink_create(const haft_softshrink_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_threshold_create. */
typedef struct haft_threshold_options {
  uint32_t struct_size;
  /* The limit; to be set. */
  double threshold;
  /* What stands for the rest; to be set. */
  double value;
} haft_threshold_options;
#define HAFT_THRESHOLD_OPTIONS_INIT {(uint32_t)sizeof(haft_threshold_options), 0, 0}

/**
 * @brief x above threshold, value elsewhere. torch.nn.Threshold.
 * @param[in]  options  begun as HAFT_THRESHOLD_OPTIONS_INIT; to be set: threshold, value
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_threshold_create(const haft_threshold_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_glu_create. */
typedef struct haft_glu_options {
  uint32_t struct_size;
  /* The dimension; negative counts from the end. */
  int64_t dim;
} haft_glu_options;
#define HAFT_GLU_OPTIONS_INIT {(uint32_t)sizeof(haft_glu_options), -1}

/**
 * @brief The first half along a dimension times the sigmoid of the second. torch.nn.GLU.
 * @param[in]  options  NULL: the defaults of HAFT_GLU_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_glu_create(const haft_glu_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_softmax_create. */
typedef struct haft_softmax_options {
  uint32_t struct_size;
  /* The dimension; negative counts from the end; to be set. */
  int64_t dim;
} haft_softmax_options;
#define HAFT_SOFTMAX_OPTIONS_INIT {(uint32_t)sizeof(haft_softmax_options), 0}

/**
 * @brief exp(x) / sum(exp(x)) along a dimension. torch.nn.Softmax.
 * @param[in]  options  begun as HAFT_SOFTMAX_OPTIONS_INIT; to be set: dim
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softmax_create(const haft_softmax_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_log_softmax_create. */
typedef struct haft_log_softmax_options {
  uint32_t struct_size;
  /* The dimension; negative counts from the end; to be set. */
  int64_t dim;
} haft_log_softmax_options;
#define HAFT_LOG_SOFTMAX_OPTIONS_INIT {(uint32_t)sizeof(haft_log_softmax_options), 0}

/**
 * @brief The logarithm of softmax along a dimension. torch.nn.LogSoftmax.
 * @param[in]  options  begun as HAFT_LOG_SOFTMAX_OPTIONS_INIT; to be set: dim
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_log_softmax_create(const haft_log_softmax_options* options,
                                             haft_module** out) HAFT_NOTHROW;

/**
 * @brief x itself. torch.nn.Identity.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_identity_create(haft_module** out) HAFT_NOTHROW;

/* Options of haft_flatten_create. */
typedef struct haft_flatten_options {
  uint32_t struct_size;
  /* The first; negative counts from the end. */
  int64_t start_dim;
  /* The last; negative counts from the end. */
  int64_t end_dim;
} haft_flatten_options;
#define HAFT_FLATTEN_OPTIONS_INIT {(uint32_t)sizeof(haft_flatten_options), 1, -1}

/**
 * @brief The dimensions from start_dim to end_dim as one. torch.nn.Flatten.
 * @param[in]  options  NULL: the defaults of HAFT_FLATTEN_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_flatten_create(const haft_flatten_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_conv1d_create. */
typedef struct haft_conv1d_options {
  uint32_t struct_size;
  /* Channels of the input; to be set. */
  int64_t in_channels;
  /* Channels of the output; to be set. */
  int64_t out_channels;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: 1. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Elements added on each side; none: 0, -1: as many as keep the size where stride is 1. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* Groups of channels that do not see each other; divides both numbers of channels. */
  int64_t groups;
  /* 0 or 1: whether a bias is added. */
  int32_t bias;
  /* HAFT_PADDING_ZEROS and the like: what stands in the padding. */
  int32_t padding_mode;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_conv1d_options;
#define HAFT_CONV1D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_conv1d_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, HAFT_PADDING_ZEROS, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Cross-correlation of sequences: x (N, in_channels, L) to (N, out_channels, L'). torch.nn.Conv1d.
 * @param[in]  options  begun as HAFT_CONV1D_OPTIONS_INIT; to be set: in_channels, out_channels, kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv1d_create(const haft_conv1d_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_conv3d_create. */
typedef struct haft_conv3d_options {
  uint32_t struct_size;
  /* Channels of the input; to be set. */
  int64_t in_channels;
  /* Channels of the output; to be set. */
  int64_t out_channels;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: 1. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Elements added on each side; none: 0, -1: as many as keep the size where stride is 1. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* Groups of channels that do not see each other; divides both numbers of channels. */
  int64_t groups;
  /* 0 or 1: whether a bias is added. */
  int32_t bias;
  /* HAFT_PADDING_ZEROS and the like: what stands in the padding. */
  int32_t padding_mode;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_conv3d_options;
#define HAFT_CONV3D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_conv3d_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, HAFT_PADDING_ZEROS, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Cross-correlation of volumes: x (N, in_channels, D, H, W) to (N, out_channels, D', H', W').
 *   torch.nn.Conv3d.
 * @param[in]  options  begun as HAFT_CONV3D_OPTIONS_INIT; to be set: in_channels, out_channels, kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv3d_create(const haft_conv3d_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_conv_transpose1d_create. */
typedef struct haft_conv_transpose1d_options {
  uint32_t struct_size;
  /* Channels of the input; to be set. */
  int64_t in_channels;
  /* Channels of the output; to be set. */
  int64_t out_channels;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows of the output; none: 1. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Elements taken away on each side of the output; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Elements added at the output's end; none: 0. */
  const int64_t* output_padding;
  /* Number of integers in output_padding. */
  int64_t output_padding_count;
  /* Groups of channels that do not see each other; divides both numbers of channels. */
  int64_t groups;
  /* 0 or 1: whether a bias is added. */
  int32_t bias;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_conv_transpose1d_options;
#define HAFT_CONV_TRANSPOSE1D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_conv_transpose1d_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief The transpose of Conv1d: x (N, in_channels, L) to (N, out_channels, L'). torch.nn.ConvTranspose1d.
 * @param[in]  options  begun as HAFT_CONV_TRANSPOSE1D_OPTIONS_INIT; to be set: in_channels, out_channels,
 *     kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv_transpose1d_create(const haft_conv_transpose1d_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_conv_transpose2d_create. */
typedef struct haft_conv_transpose2d_options {
  uint32_t struct_size;
  /* Channels of the input; to be set. */
  int64_t in_channels;
  /* Channels of the output; to be set. */
  int64_t out_channels;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows of the output; none: 1. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Elements taken away on each side of the output; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Elements added at the output's end; none: 0. */
  const int64_t* output_padding;
  /* Number of integers in output_padding. */
  int64_t output_padding_count;
  /* Groups of channels that do not see each other; divides both numbers of channels. */
  int64_t groups;
  /* 0 or 1: whether a bias is added. */
  int32_t bias;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_conv_transpose2d_options;
#define HAFT_CONV_TRANSPOSE2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_conv_transpose2d_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief The transpose of Conv2d: x (N, in_channels, H, W) to (N, out_channels, H', W').
 *   torch.nn.ConvTranspose2d.
 * @param[in]  options  begun as HAFT_CONV_TRANSPOSE2D_OPTIONS_INIT; to be set: in_channels, out_channels,
 *     kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv_transpose2d_create(const haft_conv_transpose2d_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_conv_transpose3d_create. */
typedef struct haft_conv_transpose3d_options {
  uint32_t struct_size;
  /* Channels of the input; to be set. */
  int64_t in_channels;
  /* Channels of the output; to be set. */
  int64_t out_channels;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows of the output; none: 1. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* Elements taken away on each side of the output; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Elements added at the output's end; none: 0. */
  const int64_t* output_padding;
  /* Number of integers in output_padding. */
  int64_t output_padding_count;
  /* Groups of channels that do not see each other; divides both numbers of channels. */
  int64_t groups;
  /* 0 or 1: whether a bias is added. */
  int32_t bias;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_conv_transpose3d_options;
#define HAFT_CONV_TRANSPOSE3D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_conv_transpose3d_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief The transpose of Conv3d: x (N, in_channels, D, H, W) to (N, out_channels, D', H', W').
 *   torch.nn.ConvTranspose3d.
 * @param[in]  options  begun as HAFT_CONV_TRANSPOSE3D_OPTIONS_INIT; to be set: in_channels, out_channels,
 *     kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_conv_transpose3d_create(const haft_conv_transpose3d_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_unfold_create. */
typedef struct haft_unfold_options {
  uint32_t struct_size;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* Zeros on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Steps between windows; none: 1. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
} haft_unfold_options;
#define HAFT_UNFOLD_OPTIONS_INIT {(uint32_t)sizeof(haft_unfold_options), 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief The windows of a convolution as columns: x (N, C, H, W) to (N, C kH kW, windows). torch.nn.Unfold.
 * @param[in]  options  begun as HAFT_UNFOLD_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unfold_create(const haft_unfold_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_fold_create. */
typedef struct haft_fold_options {
  uint32_t struct_size;
  /* Height and width of the result; to be set. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between the elements of a window; none: 1. */
  const int64_t* dilation;
  /* Number of integers in dilation. */
  int64_t dilation_count;
  /* Zeros on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Steps between windows; none: 1. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
} haft_fold_options;
#define HAFT_FOLD_OPTIONS_INIT {(uint32_t)sizeof(haft_fold_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief Adds the columns of Unfold up again: x (N, C kH kW, windows) to (N, C, H, W). torch.nn.Fold.
 * @param[in]  options  begun as HAFT_FOLD_OPTIONS_INIT; to be set: output_size, kernel_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_fold_create(const haft_fold_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_batch_norm3d_create. */
typedef struct haft_batch_norm3d_options {
  uint32_t struct_size;
  /* C; to be set. */
  int64_t num_features;
  /* Added to the variance. */
  double eps;
  /* Part of a new batch in the running statistics; below 0: they are the plain average of all batches. */
  double momentum;
  /* 0 or 1: whether there are a weight and a bias. */
  int32_t affine;
  /* 0 or 1: whether running statistics are kept; without them those of the batch serve in evaluation, too. */
  int32_t track_running_stats;
  /* 0 or 1: whether affine has a bias beside the weight. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* 0. */
  int32_t reserved;
} haft_batch_norm3d_options;
#define HAFT_BATCH_NORM3D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_batch_norm3d_options), 0, 1e-5, 0.1, 1, 1, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Batch normalisation of x (N, C, D, H, W). torch.nn.BatchNorm3d.
 * @param[in]  options  begun as HAFT_BATCH_NORM3D_OPTIONS_INIT; to be set: num_features
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_batch_norm3d_create(const haft_batch_norm3d_options* options,
                                              haft_module** out) HAFT_NOTHROW;

/* Options of haft_instance_norm1d_create. */
typedef struct haft_instance_norm1d_options {
  uint32_t struct_size;
  /* C; to be set. */
  int64_t num_features;
  /* Added to the variance. */
  double eps;
  /* Part of a new batch in the running statistics. */
  double momentum;
  /* 0 or 1: whether there are a weight and a bias. */
  int32_t affine;
  /* 0 or 1: whether running statistics are kept, for evaluation. */
  int32_t track_running_stats;
  /* 0 or 1: whether affine has a bias beside the weight. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* 0. */
  int32_t reserved;
} haft_instance_norm1d_options;
#define HAFT_INSTANCE_NORM1D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_instance_norm1d_options), 0, 1e-5, 0.1, 0, 0, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Normalisation of x (N, C, L) or (C, L) over each channel of each sample. torch.nn.InstanceNorm1d.
 * @param[in]  options  begun as HAFT_INSTANCE_NORM1D_OPTIONS_INIT; to be set: num_features
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_instance_norm1d_create(const haft_instance_norm1d_options* options,
                                                 haft_module** out) HAFT_NOTHROW;

/* Options of haft_instance_norm2d_create. */
typedef struct haft_instance_norm2d_options {
  uint32_t struct_size;
  /* C; to be set. */
  int64_t num_features;
  /* Added to the variance. */
  double eps;
  /* Part of a new batch in the running statistics. */
  double momentum;
  /* 0 or 1: whether there are a weight and a bias. */
  int32_t affine;
  /* 0 or 1: whether running statistics are kept, for evaluation. */
  int32_t track_running_stats;
  /* 0 or 1: whether affine has a bias beside the weight. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* 0. */
  int32_t reserved;
} haft_instance_norm2d_options;
#define HAFT_INSTANCE_NORM2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_instance_norm2d_options), 0, 1e-5, 0.1, 0, 0, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Normalisation of x (N, C, H, W) or (C, H, W) over each channel of each sample.
 *   torch.nn.InstanceNorm2d.
 * @param[in]  options  begun as HAFT_INSTANCE_NORM2D_OPTIONS_INIT; to be set: num_features
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_instance_norm2d_create(const haft_instance_norm2d_options* options,
                                                 haft_module** out) HAFT_NOTHROW;

/* Options of haft_instance_norm3d_create. */
typedef struct haft_instance_norm3d_options {
  uint32_t struct_size;
  /* C; to be set. */
  int64_t num_features;
  /* Added to the variance. */
  double eps;
  /* Part of a new batch in the running statistics. */
  double momentum;
  /* 0 or 1: whether there are a weight and a bias. */
  int32_t affine;
  /* 0 or 1: whether running statistics are kept, for evaluation. */
  int32_t track_running_stats;
  /* 0 or 1: whether affine has a bias beside the weight. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* 0. */
  int32_t reserved;
} haft_instance_norm3d_options;
#define HAFT_INSTANCE_NORM3D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_instance_norm3d_options), 0, 1e-5, 0.1, 0, 0, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Normalisation of x (N, C, D, H, W) or (C, D, H, W) over each channel of each sample.
 *   torch.nn.InstanceNorm3d.
 * @param[in]  options  begun as HAFT_INSTANCE_NORM3D_OPTIONS_INIT; to be set: num_features
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_instance_norm3d_create(const haft_instance_norm3d_options* options,
                                                 haft_module** out) HAFT_NOTHROW;

/* Options of haft_group_norm_create. */
typedef struct haft_group_norm_options {
  uint32_t struct_size;
  /* Groups of channels; to be set. */
  int64_t num_groups;
  /* C, which the groups divide; to be set. */
  int64_t num_channels;
  /* Added to the variance. */
  double eps;
  /* 0 or 1: whether there are a weight and a bias of each channel. */
  int32_t affine;
  /* 0 or 1: whether affine has a bias beside the weight. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
} haft_group_norm_options;
#define HAFT_GROUP_NORM_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_group_norm_options), 0, 0, 1e-5, 1, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT}

/**
 * @brief Normalisation of x (N, C, *) over each group of channels of each sample (Wu and He,
 *   arXiv:1803.08494). torch.nn.GroupNorm.
 * @param[in]  options  begun as HAFT_GROUP_NORM_OPTIONS_INIT; to be set: num_groups, num_channels
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_group_norm_create(const haft_group_norm_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_rms_norm_create. */
typedef struct haft_rms_norm_options {
  uint32_t struct_size;
  /* Their sizes; to be set. */
  const int64_t* normalized_shape;
  /* Number of integers in normalized_shape. */
  int64_t normalized_shape_count;
  /* Added to the mean square; below 0: the epsilon of the dtype, of float32 for 16-bit floats. */
  double eps;
  /* 0 or 1: whether there is a weight of these sizes. */
  int32_t elementwise_affine;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* 0. */
  int32_t reserved;
} haft_rms_norm_options;
#define HAFT_RMS_NORM_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_rms_norm_options), 0, 0, -1.0, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Division by the root of the mean square over the last dimensions (Zhang and Sennrich,
 *   arXiv:1910.07467). torch.nn.RMSNorm.
 * @param[in]  options  begun as HAFT_RMS_NORM_OPTIONS_INIT; to be set: normalized_shape
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rms_norm_create(const haft_rms_norm_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_embedding_bag_create. */
typedef struct haft_embedding_bag_options {
  uint32_t struct_size;
  /* Rows of the table; to be set. */
  int64_t num_embeddings;
  /* Width of a row; to be set. */
  int64_t embedding_dim;
  /* HAFT_BAG_MEAN and the like: how the rows of a bag become one. */
  int32_t mode;
  /* 0 or 1: whether the last offset is the end. */
  int32_t include_last_offset;
  /* A row that does not count, starts at 0 and gets no gradient; negative counts from the end; HAFT_NONE:
     none. */
  int64_t padding_idx;
  /* 0 or 1: whether the table gets a gradient of rows, which SGD, Adagrad and SparseAdam take; not for
     maxima. */
  int32_t sparse;
  /* Rows that are longer are scaled to it, in the table itself, when they are looked up; below 0: none. */
  double max_norm;
  /* P of the norm that max_norm limits. */
  double norm_type;
  /* 0 or 1: whether a row's gradient is divided by how often it is looked up. */
  int32_t scale_grad_by_freq;
  /* The table itself, (num_embeddings, embedding_dim), whose memory is shared; none: a new one; NULL: none.
     */
  const haft_tensor* weight;
  /* 0 or 1: whether the table gets no gradient. */
  int32_t freeze;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_embedding_bag_options;
#define HAFT_EMBEDDING_BAG_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_embedding_bag_options), 0, 0, HAFT_BAG_MEAN, 0, HAFT_NONE, 0, -1.0, 2.0, 0, 0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Sums, means or maxima of a table's rows: bags x (B, N) to (B, embedding_dim). With several inputs
 *   these are x (N), where each bag begins (B), and, for sums, a weight of each index. torch.nn.EmbeddingBag.
 * @param[in]  options  begun as HAFT_EMBEDDING_BAG_OPTIONS_INIT; to be set: num_embeddings, embedding_dim
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_embedding_bag_create(const haft_embedding_bag_options* options,
                                               haft_module** out) HAFT_NOTHROW;

/* Options of haft_bilinear_create. */
typedef struct haft_bilinear_options {
  uint32_t struct_size;
  /* Size of the last dimension of the first input; to be set. */
  int64_t in1_features;
  /* Size of the last dimension of the second; to be set. */
  int64_t in2_features;
  /* Size of the last dimension of outputs; to be set. */
  int64_t out_features;
  /* 0 or 1: whether a bias is added. */
  int32_t bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_bilinear_options;
#define HAFT_BILINEAR_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_bilinear_options), 0, 0, 0, 1, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief x1 weight[k] x2 + bias[k] for each k: two inputs (*, in1_features) and (*, in2_features) to (*,
 *   out_features). torch.nn.Bilinear.
 * @param[in]  options  begun as HAFT_BILINEAR_OPTIONS_INIT; to be set: in1_features, in2_features,
 *     out_features
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bilinear_create(const haft_bilinear_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_cosine_similarity_create. */
typedef struct haft_cosine_similarity_options {
  uint32_t struct_size;
  /* The dimension; negative counts from the end. */
  int64_t dim;
  /* The least norm that counts. */
  double eps;
} haft_cosine_similarity_options;
#define HAFT_COSINE_SIMILARITY_OPTIONS_INIT {(uint32_t)sizeof(haft_cosine_similarity_options), 1, 1e-8}

/**
 * @brief The cosine of the angle between two inputs along a dimension. torch.nn.CosineSimilarity.
 * @param[in]  options  NULL: the defaults of HAFT_COSINE_SIMILARITY_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes x1, x2 and
 *     answers the result
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cosine_similarity_create(const haft_cosine_similarity_options* options,
                                                   haft_module** out) HAFT_NOTHROW;

/* Options of haft_pairwise_distance_create. */
typedef struct haft_pairwise_distance_options {
  uint32_t struct_size;
  /* P of the norm. */
  double p;
  /* Added to the difference. */
  double eps;
  /* 0 or 1: whether the last dimension stays, with size 1. */
  int32_t keepdim;
  /* 0. */
  int32_t reserved;
} haft_pairwise_distance_options;
#define HAFT_PAIRWISE_DISTANCE_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_pairwise_distance_options), 2.0, 1e-6, 0, 0}

/**
 * @brief The p-norm of the difference of two inputs over the last dimension. torch.nn.PairwiseDistance.
 * @param[in]  options  NULL: the defaults of HAFT_PAIRWISE_DISTANCE_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes x1, x2 and
 *     answers the result
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_pairwise_distance_create(const haft_pairwise_distance_options* options,
                                                   haft_module** out) HAFT_NOTHROW;

/* Options of haft_reflection_pad1d_create. */
typedef struct haft_reflection_pad1d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_reflection_pad1d_options;
#define HAFT_REFLECTION_PAD1D_OPTIONS_INIT {(uint32_t)sizeof(haft_reflection_pad1d_options), 0, 0}

/**
 * @brief What stands next to the edges, mirrored, around (*, W). torch.nn.ReflectionPad1d.
 * @param[in]  options  begun as HAFT_REFLECTION_PAD1D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_reflection_pad1d_create(const haft_reflection_pad1d_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_replication_pad1d_create. */
typedef struct haft_replication_pad1d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_replication_pad1d_options;
#define HAFT_REPLICATION_PAD1D_OPTIONS_INIT {(uint32_t)sizeof(haft_replication_pad1d_options), 0, 0}

/**
 * @brief The edges, repeated, around (*, W). torch.nn.ReplicationPad1d.
 * @param[in]  options  begun as HAFT_REPLICATION_PAD1D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_replication_pad1d_create(const haft_replication_pad1d_options* options,
                                                   haft_module** out) HAFT_NOTHROW;

/* Options of haft_circular_pad1d_create. */
typedef struct haft_circular_pad1d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_circular_pad1d_options;
#define HAFT_CIRCULAR_PAD1D_OPTIONS_INIT {(uint32_t)sizeof(haft_circular_pad1d_options), 0, 0}

/**
 * @brief What stands at the other end around (*, W). torch.nn.CircularPad1d.
 * @param[in]  options  begun as HAFT_CIRCULAR_PAD1D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_circular_pad1d_create(const haft_circular_pad1d_options* options,
                                                haft_module** out) HAFT_NOTHROW;

/* Options of haft_zero_pad1d_create. */
typedef struct haft_zero_pad1d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_zero_pad1d_options;
#define HAFT_ZERO_PAD1D_OPTIONS_INIT {(uint32_t)sizeof(haft_zero_pad1d_options), 0, 0}

/**
 * @brief Zeros around (*, W). torch.nn.ZeroPad1d.
 * @param[in]  options  begun as HAFT_ZERO_PAD1D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_zero_pad1d_create(const haft_zero_pad1d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_constant_pad1d_create. */
typedef struct haft_constant_pad1d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* What stands there; to be set. */
  double value;
} haft_constant_pad1d_options;
#define HAFT_CONSTANT_PAD1D_OPTIONS_INIT {(uint32_t)sizeof(haft_constant_pad1d_options), 0, 0, 0}

/**
 * @brief A value around (*, W). torch.nn.ConstantPad1d.
 * @param[in]  options  begun as HAFT_CONSTANT_PAD1D_OPTIONS_INIT; to be set: padding, value
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_constant_pad1d_create(const haft_constant_pad1d_options* options,
                                                haft_module** out) HAFT_NOTHROW;

/* Options of haft_reflection_pad2d_create. */
typedef struct haft_reflection_pad2d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_reflection_pad2d_options;
#define HAFT_REFLECTION_PAD2D_OPTIONS_INIT {(uint32_t)sizeof(haft_reflection_pad2d_options), 0, 0}

/**
 * @brief What stands next to the edges, mirrored, around (*, H, W). torch.nn.ReflectionPad2d.
 * @param[in]  options  begun as HAFT_REFLECTION_PAD2D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_reflection_pad2d_create(const haft_reflection_pad2d_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_replication_pad2d_create. */
typedef struct haft_replication_pad2d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_replication_pad2d_options;
#define HAFT_REPLICATION_PAD2D_OPTIONS_INIT {(uint32_t)sizeof(haft_replication_pad2d_options), 0, 0}

/**
 * @brief The edges, repeated, around (*, H, W). torch.nn.ReplicationPad2d.
 * @param[in]  options  begun as HAFT_REPLICATION_PAD2D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_replication_pad2d_create(const haft_replication_pad2d_options* options,
                                                   haft_module** out) HAFT_NOTHROW;

/* Options of haft_circular_pad2d_create. */
typedef struct haft_circular_pad2d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_circular_pad2d_options;
#define HAFT_CIRCULAR_PAD2D_OPTIONS_INIT {(uint32_t)sizeof(haft_circular_pad2d_options), 0, 0}

/**
 * @brief What stands at the other end around (*, H, W). torch.nn.CircularPad2d.
 * @param[in]  options  begun as HAFT_CIRCULAR_PAD2D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_circular_pad2d_create(const haft_circular_pad2d_options* options,
                                                haft_module** out) HAFT_NOTHROW;

/* Options of haft_zero_pad2d_create. */
typedef struct haft_zero_pad2d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_zero_pad2d_options;
#define HAFT_ZERO_PAD2D_OPTIONS_INIT {(uint32_t)sizeof(haft_zero_pad2d_options), 0, 0}

/**
 * @brief Zeros around (*, H, W). torch.nn.ZeroPad2d.
 * @param[in]  options  begun as HAFT_ZERO_PAD2D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_zero_pad2d_create(const haft_zero_pad2d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_constant_pad2d_create. */
typedef struct haft_constant_pad2d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom; negative numbers take elements away; to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* What stands there; to be set. */
  double value;
} haft_constant_pad2d_options;
#define HAFT_CONSTANT_PAD2D_OPTIONS_INIT {(uint32_t)sizeof(haft_constant_pad2d_options), 0, 0, 0}

/**
 * @brief A value around (*, H, W). torch.nn.ConstantPad2d.
 * @param[in]  options  begun as HAFT_CONSTANT_PAD2D_OPTIONS_INIT; to be set: padding, value
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_constant_pad2d_create(const haft_constant_pad2d_options* options,
                                                haft_module** out) HAFT_NOTHROW;

/* Options of haft_reflection_pad3d_create. */
typedef struct haft_reflection_pad3d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom, front, back; negative numbers take elements away;
     to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_reflection_pad3d_options;
#define HAFT_REFLECTION_PAD3D_OPTIONS_INIT {(uint32_t)sizeof(haft_reflection_pad3d_options), 0, 0}

/**
 * @brief What stands next to the edges, mirrored, around (*, D, H, W). torch.nn.ReflectionPad3d.
 * @param[in]  options  begun as HAFT_REFLECTION_PAD3D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_reflection_pad3d_create(const haft_reflection_pad3d_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_replication_pad3d_create. */
typedef struct haft_replication_pad3d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom, front, back; negative numbers take elements away;
     to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_replication_pad3d_options;
#define HAFT_REPLICATION_PAD3D_OPTIONS_INIT {(uint32_t)sizeof(haft_replication_pad3d_options), 0, 0}

/**
 * @brief The edges, repeated, around (*, D, H, W). torch.nn.ReplicationPad3d.
 * @param[in]  options  begun as HAFT_REPLICATION_PAD3D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_replication_pad3d_create(const haft_replication_pad3d_options* options,
                                                   haft_module** out) HAFT_NOTHROW;

/* Options of haft_circular_pad3d_create. */
typedef struct haft_circular_pad3d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom, front, back; negative numbers take elements away;
     to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_circular_pad3d_options;
#define HAFT_CIRCULAR_PAD3D_OPTIONS_INIT {(uint32_t)sizeof(haft_circular_pad3d_options), 0, 0}

/**
 * @brief What stands at the other end around (*, D, H, W). torch.nn.CircularPad3d.
 * @param[in]  options  begun as HAFT_CIRCULAR_PAD3D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_circular_pad3d_create(const haft_circular_pad3d_options* options,
                                                haft_module** out) HAFT_NOTHROW;

/* Options of haft_zero_pad3d_create. */
typedef struct haft_zero_pad3d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom, front, back; negative numbers take elements away;
     to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
} haft_zero_pad3d_options;
#define HAFT_ZERO_PAD3D_OPTIONS_INIT {(uint32_t)sizeof(haft_zero_pad3d_options), 0, 0}

/**
 * @brief Zeros around (*, D, H, W). torch.nn.ZeroPad3d.
 * @param[in]  options  begun as HAFT_ZERO_PAD3D_OPTIONS_INIT; to be set: padding
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_zero_pad3d_create(const haft_zero_pad3d_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_constant_pad3d_create. */
typedef struct haft_constant_pad3d_options {
  uint32_t struct_size;
  /* One number for all sides, or left, right, top, bottom, front, back; negative numbers take elements away;
     to be set. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* What stands there; to be set. */
  double value;
} haft_constant_pad3d_options;
#define HAFT_CONSTANT_PAD3D_OPTIONS_INIT {(uint32_t)sizeof(haft_constant_pad3d_options), 0, 0, 0}

/**
 * @brief A value around (*, D, H, W). torch.nn.ConstantPad3d.
 * @param[in]  options  begun as HAFT_CONSTANT_PAD3D_OPTIONS_INIT; to be set: padding, value
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_constant_pad3d_create(const haft_constant_pad3d_options* options,
                                                haft_module** out) HAFT_NOTHROW;

/* Options of haft_max_unpool1d_create. */
typedef struct haft_max_unpool1d_options {
  uint32_t struct_size;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* What the pooling put on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Sizes of the result; none: the smallest that fit. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
} haft_max_unpool1d_options;
#define HAFT_MAX_UNPOOL1D_OPTIONS_INIT {(uint32_t)sizeof(haft_max_unpool1d_options), 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief Puts the maxima of (N, C, L) or (C, L) back where MaxPool1d found them, 0 elsewhere: maxima and
 *   their indices. torch.nn.MaxUnpool1d.
 * @param[in]  options  begun as HAFT_MAX_UNPOOL1D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, indices
 *     and answers the result
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_unpool1d_create(const haft_max_unpool1d_options* options,
                                              haft_module** out) HAFT_NOTHROW;

/* Options of haft_max_unpool2d_create. */
typedef struct haft_max_unpool2d_options {
  uint32_t struct_size;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* What the pooling put on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Sizes of the result; none: the smallest that fit. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
} haft_max_unpool2d_options;
#define HAFT_MAX_UNPOOL2D_OPTIONS_INIT {(uint32_t)sizeof(haft_max_unpool2d_options), 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief Puts the maxima of (N, C, H, W) or (C, H, W) back where MaxPool2d found them, 0 elsewhere: maxima
 *   and their indices. torch.nn.MaxUnpool2d.
 * @param[in]  options  begun as HAFT_MAX_UNPOOL2D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, indices
 *     and answers the result
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_unpool2d_create(const haft_max_unpool2d_options* options,
                                              haft_module** out) HAFT_NOTHROW;

/* Options of haft_max_unpool3d_create. */
typedef struct haft_max_unpool3d_options {
  uint32_t struct_size;
  /* Size of the window, a number or one for each dimension; to be set. */
  const int64_t* kernel_size;
  /* Number of integers in kernel_size. */
  int64_t kernel_size_count;
  /* Steps between windows; none: kernel_size. */
  const int64_t* stride;
  /* Number of integers in stride. */
  int64_t stride_count;
  /* What the pooling put on each side; none: 0. */
  const int64_t* padding;
  /* Number of integers in padding. */
  int64_t padding_count;
  /* Sizes of the result; none: the smallest that fit. */
  const int64_t* output_size;
  /* Number of integers in output_size. */
  int64_t output_size_count;
} haft_max_unpool3d_options;
#define HAFT_MAX_UNPOOL3D_OPTIONS_INIT {(uint32_t)sizeof(haft_max_unpool3d_options), 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * @brief Puts the maxima of (N, C, D, H, W) or (C, D, H, W) back where MaxPool3d found them, 0 elsewhere:
 *   maxima and their indices. torch.nn.MaxUnpool3d.
 * @param[in]  options  begun as HAFT_MAX_UNPOOL3D_OPTIONS_INIT; to be set: kernel_size
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, indices
 *     and answers the result
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_max_unpool3d_create(const haft_max_unpool3d_options* options,
                                              haft_module** out) HAFT_NOTHROW;

/* Options of haft_upsample_create. */
typedef struct haft_upsample_options {
  uint32_t struct_size;
  /* Sizes behind the channels, a number or one for each dimension; none: by the factor. */
  const int64_t* size;
  /* Number of integers in size. */
  int64_t size_count;
  /* Factor of the sizes where size is absent, > 0. */
  double scale_factor;
  /* HAFT_INTERPOLATE_NEAREST and the like: how values between those that there are, are found. */
  int32_t mode;
  /* 0 or 1: whether the outermost elements keep their places. */
  int32_t align_corners;
  /* Another factor of the last dimension but one; 0: scale_factor, >= 0. */
  double scale_h;
  /* Another factor of the one before; 0: scale_factor, >= 0. */
  double scale_d;
  /* 0 or 1: whether places follow from the rounded sizes. */
  int32_t recompute_scale_factor;
  /* 0. */
  int32_t reserved;
} haft_upsample_options;
#define HAFT_UPSAMPLE_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_upsample_options), 0, 0, 1.0, HAFT_INTERPOLATE_NEAREST, 0, 0, 0, 0, 0}

/**
 * @brief Resamples x (N, C, *) with one to three dimensions behind the channels. torch.nn.Upsample.
 * @param[in]  options  NULL: the defaults of HAFT_UPSAMPLE_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_upsample_create(const haft_upsample_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_upsampling_nearest2d_create. */
typedef struct haft_upsampling_nearest2d_options {
  uint32_t struct_size;
  /* Sizes behind the channels, a number or one for each dimension; none: by the factor. */
  const int64_t* size;
  /* Number of integers in size. */
  int64_t size_count;
  /* Factor of the sizes where size is absent, > 0. */
  double scale_factor;
} haft_upsampling_nearest2d_options;
#define HAFT_UPSAMPLING_NEAREST2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_upsampling_nearest2d_options), 0, 0, 1.0}

/**
 * @brief Resamples x (N, C, H, W) by the nearest element. torch.nn.UpsamplingNearest2d.
 * @param[in]  options  NULL: the defaults of HAFT_UPSAMPLING_NEAREST2D_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_upsampling_nearest2d_create(const haft_upsampling_nearest2d_options* options,
                                                      haft_module** out) HAFT_NOTHROW;

/* Options of haft_upsampling_bilinear2d_create. */
typedef struct haft_upsampling_bilinear2d_options {
  uint32_t struct_size;
  /* Sizes behind the channels, a number or one for each dimension; none: by the factor. */
  const int64_t* size;
  /* Number of integers in size. */
  int64_t size_count;
  /* Factor of the sizes where size is absent, > 0. */
  double scale_factor;
} haft_upsampling_bilinear2d_options;
#define HAFT_UPSAMPLING_BILINEAR2D_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_upsampling_bilinear2d_options), 0, 0, 1.0}

/**
 * @brief Resamples x (N, C, H, W) bilinearly; the corners keep their places. torch.nn.UpsamplingBilinear2d.
 * @param[in]  options  NULL: the defaults of HAFT_UPSAMPLING_BILINEAR2D_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_upsampling_bilinear2d_create(const haft_upsampling_bilinear2d_options* options,
                                                       haft_module** out) HAFT_NOTHROW;

/* Options of haft_dropout1d_create. */
typedef struct haft_dropout1d_options {
  uint32_t struct_size;
  /* The probability, in [0, 1]. */
  double p;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_dropout1d_options;
#define HAFT_DROPOUT1D_OPTIONS_INIT {(uint32_t)sizeof(haft_dropout1d_options), 0.5, 0}

/**
 * @brief Zeroes whole channels of x (N, C, L) or (C, L) with probability p while training, and scales the
 *   rest by 1 / (1 - p). torch.nn.Dropout1d.
 * @param[in]  options  NULL: the defaults of HAFT_DROPOUT1D_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_dropout1d_create(const haft_dropout1d_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_dropout2d_create. */
typedef struct haft_dropout2d_options {
  uint32_t struct_size;
  /* The probability, in [0, 1]. */
  double p;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_dropout2d_options;
#define HAFT_DROPOUT2D_OPTIONS_INIT {(uint32_t)sizeof(haft_dropout2d_options), 0.5, 0}

/**
 * @brief Zeroes whole channels of x (N, C, H, W) with probability p while training, and scales the rest by 1
 *   / (1 - p). torch.nn.Dropout2d.
 * @param[in]  options  NULL: the defaults of HAFT_DROPOUT2D_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_dropout2d_create(const haft_dropout2d_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_dropout3d_create. */
typedef struct haft_dropout3d_options {
  uint32_t struct_size;
  /* The probability, in [0, 1]. */
  double p;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_dropout3d_options;
#define HAFT_DROPOUT3D_OPTIONS_INIT {(uint32_t)sizeof(haft_dropout3d_options), 0.5, 0}

/**
 * @brief Zeroes whole channels of x (N, C, D, H, W) or (C, D, H, W) with probability p while training, and
 *   scales the rest by 1 / (1 - p). torch.nn.Dropout3d.
 * @param[in]  options  NULL: the defaults of HAFT_DROPOUT3D_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_dropout3d_create(const haft_dropout3d_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_alpha_dropout_create. */
typedef struct haft_alpha_dropout_options {
  uint32_t struct_size;
  /* The probability, in [0, 1]. */
  double p;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_alpha_dropout_options;
#define HAFT_ALPHA_DROPOUT_OPTIONS_INIT {(uint32_t)sizeof(haft_alpha_dropout_options), 0.5, 0}

/**
 * @brief Dropout that keeps mean and variance of what SELU gives. torch.nn.AlphaDropout.
 * @param[in]  options  NULL: the defaults of HAFT_ALPHA_DROPOUT_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_alpha_dropout_create(const haft_alpha_dropout_options* options,
                                               haft_module** out) HAFT_NOTHROW;

/* Options of haft_feature_alpha_dropout_create. */
typedef struct haft_feature_alpha_dropout_options {
  uint32_t struct_size;
  /* The probability, in [0, 1]. */
  double p;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_feature_alpha_dropout_options;
#define HAFT_FEATURE_ALPHA_DROPOUT_OPTIONS_INIT {(uint32_t)sizeof(haft_feature_alpha_dropout_options), 0.5, 0}

/**
 * @brief AlphaDropout of whole channels of x (N, C, *). torch.nn.FeatureAlphaDropout.
 * @param[in]  options  NULL: the defaults of HAFT_FEATURE_ALPHA_DROPOUT_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_feature_alpha_dropout_create(const haft_feature_alpha_dropout_options* options,
                                                       haft_module** out) HAFT_NOTHROW;

/* Options of haft_rrelu_create. */
typedef struct haft_rrelu_options {
  uint32_t struct_size;
  /* The least slope. */
  double lower;
  /* The greatest. */
  double upper;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_rrelu_options;
#define HAFT_RRELU_OPTIONS_INIT {(uint32_t)sizeof(haft_rrelu_options), 1.0 / 8, 1.0 / 3, 0}

/**
 * @brief x above 0, below it times a slope that is drawn from [lower, upper) while training, and their mean
 *   else. torch.nn.RReLU.
 * @param[in]  options  NULL: the defaults of HAFT_RRELU_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rrelu_create(const haft_rrelu_options* options, haft_module** out) HAFT_NOTHROW;

/**
 * @brief min(max(x, 0), 6). torch.nn.ReLU6.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_relu6_create(haft_module** out) HAFT_NOTHROW;

/* Options of haft_softmin_create. */
typedef struct haft_softmin_options {
  uint32_t struct_size;
  /* The dimension; negative counts from the end; to be set. */
  int64_t dim;
} haft_softmin_options;
#define HAFT_SOFTMIN_OPTIONS_INIT {(uint32_t)sizeof(haft_softmin_options), 0}

/**
 * @brief softmax of -x along a dimension. torch.nn.Softmin.
 * @param[in]  options  begun as HAFT_SOFTMIN_OPTIONS_INIT; to be set: dim
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softmin_create(const haft_softmin_options* options, haft_module** out) HAFT_NOTHROW;

/**
 * @brief softmax over the channels of x (N, C, H, W) or (C, H, W). torch.nn.Softmax2d.
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_softmax2d_create(haft_module** out) HAFT_NOTHROW;

/* Options of haft_unflatten_create. */
typedef struct haft_unflatten_options {
  uint32_t struct_size;
  /* The dimension; negative counts from the end; to be set. */
  int64_t dim;
  /* Their sizes, of which one may be -1; to be set. */
  const int64_t* unflattened_size;
  /* Number of integers in unflattened_size. */
  int64_t unflattened_size_count;
} haft_unflatten_options;
#define HAFT_UNFLATTEN_OPTIONS_INIT {(uint32_t)sizeof(haft_unflatten_options), 0, 0, 0}

/**
 * @brief A dimension as several. torch.nn.Unflatten.
 * @param[in]  options  begun as HAFT_UNFLATTEN_OPTIONS_INIT; to be set: dim, unflattened_size
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_unflatten_create(const haft_unflatten_options* options,
                                           haft_module** out) HAFT_NOTHROW;

/* Options of haft_adaptive_log_softmax_with_loss_create. */
typedef struct haft_adaptive_log_softmax_with_loss_options {
  uint32_t struct_size;
  /* Size of a row of x; to be set. */
  int64_t in_features;
  /* How many classes there are, the frequent ones first; to be set. */
  int64_t n_classes;
  /* Where clusters end, rising; n_classes may stand at the end or not; to be set. */
  const int64_t* cutoffs;
  /* Number of integers in cutoffs. */
  int64_t cutoffs_count;
  /* By which the width of each further cluster is divided, > 0. */
  double div_value;
  /* 0 or 1: whether the first cluster has a bias. */
  int32_t head_bias;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_adaptive_log_softmax_with_loss_options;
#define HAFT_ADAPTIVE_LOG_SOFTMAX_WITH_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_adaptive_log_softmax_with_loss_options), 0, 0, 0, 0, 4.0, 0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief Log-probabilities of many classes of which few are frequent (Grave et al., arXiv:1609.04309): x (N,
 *   in_features) or (in_features) and its classes, (N) or none, to the target's log-probability each and the
 *   mean loss; x alone to the log-probabilities of all classes. torch.nn.AdaptiveLogSoftmaxWithLoss.
 * @param[in]  options  begun as HAFT_ADAPTIVE_LOG_SOFTMAX_WITH_LOSS_OPTIONS_INIT; to be set: in_features,
 *     n_classes, cutoffs
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_adaptive_log_softmax_with_loss_create(
    const haft_adaptive_log_softmax_with_loss_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_linear_cross_entropy_loss_create. */
typedef struct haft_linear_cross_entropy_loss_options {
  uint32_t struct_size;
  /* Size of a row of x; to be set. */
  int64_t in_features;
  /* How many classes there are; to be set. */
  int64_t num_classes;
  /* Sizes of the targets of a row of x; none: one class. */
  const int64_t* out_features;
  /* Number of integers in out_features. */
  int64_t out_features_count;
  /* 0 or 1: whether the linear layer has a bias. */
  int32_t bias;
  /* Weight of each class; NULL: none. */
  const haft_tensor* weight;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* A class that does not count. */
  int64_t ignore_index;
  /* Part of the target that all classes share, in [0, 1]. */
  double label_smoothing;
  /* HAFT_DTYPE_NONE: this thread's default. */
  haft_dtype dtype;
  /* HAFT_DEVICE_DEFAULT: this thread's. */
  haft_device device;
  /* What numbers are drawn from; NULL: the default one. */
  haft_generator* generator;
} haft_linear_cross_entropy_loss_options;
#define HAFT_LINEAR_CROSS_ENTROPY_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_linear_cross_entropy_loss_options), 0, 0, 0, 0, 0, 0, HAFT_REDUCTION_MEAN, -100, 0.0, HAFT_DTYPE_NONE, HAFT_DEVICE_DEFAULT, 0}

/**
 * @brief The cross entropy of scores that a linear layer makes of x, of which few are in memory at a time: x
 *   (N, in_features) or (in_features) and its classes, (N, *out_features) or (*out_features), to the loss.
 *   Probabilities (N, num_classes, *out_features) may stand for classes; these, and out_features, have all
 *   scores at once. torch.nn.LinearCrossEntropyLoss.
 * @param[in]  options  begun as HAFT_LINEAR_CROSS_ENTROPY_LOSS_OPTIONS_INIT; to be set: in_features,
 *     num_classes
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_DTYPE, HAFT_ERROR_DEVICE, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_linear_cross_entropy_loss_create(
    const haft_linear_cross_entropy_loss_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_weight_norm_create. */
typedef struct haft_weight_norm_options {
  uint32_t struct_size;
  /* Whose slices have lengths of their own; -1: one length for all. */
  int64_t dim;
} haft_weight_norm_options;
#define HAFT_WEIGHT_NORM_OPTIONS_INIT {(uint32_t)sizeof(haft_weight_norm_options), 0}

/**
 * @brief A parametrization: lengths original0 times directions original1 / |original1| (Salimans and Kingma,
 *   arXiv:1602.07868). torch.nn.WeightNorm.
 * @param[in]  options  NULL: the defaults of HAFT_WEIGHT_NORM_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_weight_norm_create(const haft_weight_norm_options* options,
                                             haft_module** out) HAFT_NOTHROW;

/* Options of haft_spectral_norm_create. */
typedef struct haft_spectral_norm_options {
  uint32_t struct_size;
  /* How many each use makes, at least 1. */
  int64_t n_power_iterations;
  /* The least norm that vectors are divided by, >= 0. */
  double eps;
  /* Which dimension of the weight are rows; none: 1 of transposed convolutions, 0 of others; HAFT_NONE: none.
     */
  int64_t dim;
} haft_spectral_norm_options;
#define HAFT_SPECTRAL_NORM_OPTIONS_INIT {(uint32_t)sizeof(haft_spectral_norm_options), 1, 1e-12, HAFT_NONE}

/**
 * @brief A parametrization: original over its largest singular value, by power iterations that go on with
 *   each use in training (Miyato et al., arXiv:1802.05957). torch.nn.SpectralNorm.
 * @param[in]  options  NULL: the defaults of HAFT_SPECTRAL_NORM_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_spectral_norm_create(const haft_spectral_norm_options* options,
                                               haft_module** out) HAFT_NOTHROW;

/* Options of haft_orthogonal_create. */
typedef struct haft_orthogonal_options {
  uint32_t struct_size;
  /* HAFT_ORTHOGONAL_AUTOMATIC and the like: how; automatic: matrix_exp for square matrices, householder for
     others. */
  int32_t orthogonal_map;
  /* 0 or 1: whether the map begins at a base, the weight made orthogonal, so that any value can be assigned
     (Casado, arXiv:1909.09501). */
  int32_t use_trivialization;
  /* 0. */
  int32_t reserved;
} haft_orthogonal_options;
#define HAFT_ORTHOGONAL_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_orthogonal_options), HAFT_ORTHOGONAL_AUTOMATIC, 1, 0}

/**
 * @brief A parametrization: a free matrix (*, m, n) as one with orthonormal columns, or rows where those are
 *   fewer. torch.nn.Orthogonal.
 * @param[in]  options  NULL: the defaults of HAFT_ORTHOGONAL_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_orthogonal_create(const haft_orthogonal_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_cross_entropy_loss_create. */
typedef struct haft_cross_entropy_loss_options {
  uint32_t struct_size;
  /* Weight of each class; NULL: none. */
  const haft_tensor* weight;
  /* A class that does not count. */
  int64_t ignore_index;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* Part of the target that all classes share, in [0, 1]. */
  double label_smoothing;
} haft_cross_entropy_loss_options;
#define HAFT_CROSS_ENTROPY_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_cross_entropy_loss_options), 0, -100, HAFT_REDUCTION_MEAN, 0.0}

/**
 * @brief -log softmax(input)[target]: scores (N, C, *) against class indices (N, *) or probabilities.
 *   torch.nn.CrossEntropyLoss.
 * @param[in]  options  NULL: the defaults of HAFT_CROSS_ENTROPY_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cross_entropy_loss_create(const haft_cross_entropy_loss_options* options,
                                                    haft_module** out) HAFT_NOTHROW;

/* Options of haft_nll_loss_create. */
typedef struct haft_nll_loss_options {
  uint32_t struct_size;
  /* Weight of each class; NULL: none. */
  const haft_tensor* weight;
  /* A class that does not count. */
  int64_t ignore_index;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_nll_loss_options;
#define HAFT_NLL_LOSS_OPTIONS_INIT {(uint32_t)sizeof(haft_nll_loss_options), 0, -100, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief -input[target] for log-probabilities (N, C, *) and class indices (N, *). torch.nn.NLLLoss.
 * @param[in]  options  NULL: the defaults of HAFT_NLL_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_nll_loss_create(const haft_nll_loss_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_mse_loss_create. */
typedef struct haft_mse_loss_options {
  uint32_t struct_size;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
} haft_mse_loss_options;
#define HAFT_MSE_LOSS_OPTIONS_INIT {(uint32_t)sizeof(haft_mse_loss_options), HAFT_REDUCTION_MEAN}

/**
 * @brief (input - target)^2. torch.nn.MSELoss.
 * @param[in]  options  NULL: the defaults of HAFT_MSE_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mse_loss_create(const haft_mse_loss_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_l1_loss_create. */
typedef struct haft_l1_loss_options {
  uint32_t struct_size;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
} haft_l1_loss_options;
#define HAFT_L1_LOSS_OPTIONS_INIT {(uint32_t)sizeof(haft_l1_loss_options), HAFT_REDUCTION_MEAN}

/**
 * @brief |input - target|. torch.nn.L1Loss.
 * @param[in]  options  NULL: the defaults of HAFT_L1_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_l1_loss_create(const haft_l1_loss_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_smooth_l1_loss_create. */
typedef struct haft_smooth_l1_loss_options {
  uint32_t struct_size;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* Where the quadratic part ends; 0: L1Loss, >= 0. */
  double beta;
} haft_smooth_l1_loss_options;
#define HAFT_SMOOTH_L1_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_smooth_l1_loss_options), HAFT_REDUCTION_MEAN, 1.0}

/**
 * @brief Quadratic below beta, linear above. torch.nn.SmoothL1Loss.
 * @param[in]  options  NULL: the defaults of HAFT_SMOOTH_L1_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_smooth_l1_loss_create(const haft_smooth_l1_loss_options* options,
                                                haft_module** out) HAFT_NOTHROW;

/* Options of haft_huber_loss_create. */
typedef struct haft_huber_loss_options {
  uint32_t struct_size;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* Where the linear part begins, > 0. */
  double delta;
} haft_huber_loss_options;
#define HAFT_HUBER_LOSS_OPTIONS_INIT {(uint32_t)sizeof(haft_huber_loss_options), HAFT_REDUCTION_MEAN, 1.0}

/**
 * @brief Quadratic below delta, delta times linear above. torch.nn.HuberLoss.
 * @param[in]  options  NULL: the defaults of HAFT_HUBER_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_huber_loss_create(const haft_huber_loss_options* options,
                                            haft_module** out) HAFT_NOTHROW;

/* Options of haft_bce_loss_create. */
typedef struct haft_bce_loss_options {
  uint32_t struct_size;
  /* Weight of each element; NULL: none. */
  const haft_tensor* weight;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_bce_loss_options;
#define HAFT_BCE_LOSS_OPTIONS_INIT {(uint32_t)sizeof(haft_bce_loss_options), 0, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief The cross entropy of probabilities and targets from 0 to 1. torch.nn.BCELoss.
 * @param[in]  options  NULL: the defaults of HAFT_BCE_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bce_loss_create(const haft_bce_loss_options* options,
                                          haft_module** out) HAFT_NOTHROW;

/* Options of haft_bce_with_logits_loss_create. */
typedef struct haft_bce_with_logits_loss_options {
  uint32_t struct_size;
  /* Weight of each element; NULL: none. */
  const haft_tensor* weight;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* Weight of the positive targets of each class; NULL: none. */
  const haft_tensor* pos_weight;
} haft_bce_with_logits_loss_options;
#define HAFT_BCE_WITH_LOGITS_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_bce_with_logits_loss_options), 0, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief The cross entropy of sigmoid(input) and targets from 0 to 1, without overflow.
 *   torch.nn.BCEWithLogitsLoss.
 * @param[in]  options  NULL: the defaults of HAFT_BCE_WITH_LOGITS_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_bce_with_logits_loss_create(const haft_bce_with_logits_loss_options* options,
                                                      haft_module** out) HAFT_NOTHROW;

/* Options of haft_kl_div_loss_create. */
typedef struct haft_kl_div_loss_options {
  uint32_t struct_size;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0 or 1: whether the target is in logarithms, too. */
  int32_t log_target;
  /* 0. */
  int32_t reserved;
} haft_kl_div_loss_options;
#define HAFT_KL_DIV_LOSS_OPTIONS_INIT {(uint32_t)sizeof(haft_kl_div_loss_options), HAFT_REDUCTION_MEAN, 0, 0}

/**
 * @brief target (log target - input) for log-probabilities input; its reduction may also be batchmean, the
 *   sum over the size of the first dimension. torch.nn.KLDivLoss.
 * @param[in]  options  NULL: the defaults of HAFT_KL_DIV_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_kl_div_loss_create(const haft_kl_div_loss_options* options,
                                             haft_module** out) HAFT_NOTHROW;

/* Options of haft_poisson_nll_loss_create. */
typedef struct haft_poisson_nll_loss_options {
  uint32_t struct_size;
  /* 0 or 1: whether the input is the logarithm of the rate. */
  int32_t log_input;
  /* 0 or 1: whether Stirling's term for the target counts, too. */
  int32_t full;
  /* Added to the argument of the logarithm. */
  double eps;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_poisson_nll_loss_options;
#define HAFT_POISSON_NLL_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_poisson_nll_loss_options), 1, 0, 1e-8, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief Negative logarithm of a Poisson distribution. torch.nn.PoissonNLLLoss.
 * @param[in]  options  NULL: the defaults of HAFT_POISSON_NLL_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_poisson_nll_loss_create(const haft_poisson_nll_loss_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_gaussian_nll_loss_create. */
typedef struct haft_gaussian_nll_loss_options {
  uint32_t struct_size;
  /* 0 or 1: whether the constant term counts, too. */
  int32_t full;
  /* The least variance that counts. */
  double eps;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_gaussian_nll_loss_options;
#define HAFT_GAUSSIAN_NLL_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_gaussian_nll_loss_options), 0, 1e-6, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief Negative logarithm of normal distributions with means input and variances var.
 *   torch.nn.GaussianNLLLoss.
 * @param[in]  options  NULL: the defaults of HAFT_GAUSSIAN_NLL_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target,
 *     var and answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_gaussian_nll_loss_create(const haft_gaussian_nll_loss_options* options,
                                                   haft_module** out) HAFT_NOTHROW;

/* Options of haft_hinge_embedding_loss_create. */
typedef struct haft_hinge_embedding_loss_options {
  uint32_t struct_size;
  /* The distance from which on nothing is lost. */
  double margin;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_hinge_embedding_loss_options;
#define HAFT_HINGE_EMBEDDING_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_hinge_embedding_loss_options), 1.0, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief input where target is 1, max(0, margin - input) where it is -1. torch.nn.HingeEmbeddingLoss.
 * @param[in]  options  NULL: the defaults of HAFT_HINGE_EMBEDDING_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_hinge_embedding_loss_create(const haft_hinge_embedding_loss_options* options,
                                                      haft_module** out) HAFT_NOTHROW;

/* Options of haft_soft_margin_loss_create. */
typedef struct haft_soft_margin_loss_options {
  uint32_t struct_size;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
} haft_soft_margin_loss_options;
#define HAFT_SOFT_MARGIN_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_soft_margin_loss_options), HAFT_REDUCTION_MEAN}

/**
 * @brief log(1 + exp(-target input)). torch.nn.SoftMarginLoss.
 * @param[in]  options  NULL: the defaults of HAFT_SOFT_MARGIN_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_soft_margin_loss_create(const haft_soft_margin_loss_options* options,
                                                  haft_module** out) HAFT_NOTHROW;

/* Options of haft_margin_ranking_loss_create. */
typedef struct haft_margin_ranking_loss_options {
  uint32_t struct_size;
  /* By how much the order is to be kept. */
  double margin;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_margin_ranking_loss_options;
#define HAFT_MARGIN_RANKING_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_margin_ranking_loss_options), 0.0, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief max(0, -target (input1 - input2) + margin). torch.nn.MarginRankingLoss.
 * @param[in]  options  NULL: the defaults of HAFT_MARGIN_RANKING_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input1, input2,
 *     target and answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_margin_ranking_loss_create(const haft_margin_ranking_loss_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_cosine_embedding_loss_create. */
typedef struct haft_cosine_embedding_loss_options {
  uint32_t struct_size;
  /* The cosine up to which nothing is lost. */
  double margin;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_cosine_embedding_loss_options;
#define HAFT_COSINE_EMBEDDING_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_cosine_embedding_loss_options), 0.0, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief 1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1.
 *   torch.nn.CosineEmbeddingLoss.
 * @param[in]  options  NULL: the defaults of HAFT_COSINE_EMBEDDING_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input1, input2,
 *     target and answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cosine_embedding_loss_create(const haft_cosine_embedding_loss_options* options,
                                                       haft_module** out) HAFT_NOTHROW;

/* Options of haft_triplet_margin_loss_create. */
typedef struct haft_triplet_margin_loss_options {
  uint32_t struct_size;
  /* By how much the negative is to be farther away, > 0. */
  double margin;
  /* P of the norm. */
  double p;
  /* Added to differences, keeps distances away from 0. */
  double eps;
  /* 0 or 1: whether the positive's distance to the negative counts where that is smaller. */
  int32_t swap;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
} haft_triplet_margin_loss_options;
#define HAFT_TRIPLET_MARGIN_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_triplet_margin_loss_options), 1.0, 2.0, 1e-6, 0, HAFT_REDUCTION_MEAN}

/**
 * @brief max(0, d(anchor, positive) - d(anchor, negative) + margin) with the distance of the p-norm.
 *   torch.nn.TripletMarginLoss.
 * @param[in]  options  NULL: the defaults of HAFT_TRIPLET_MARGIN_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes anchor, positive,
 *     negative and answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_triplet_margin_loss_create(const haft_triplet_margin_loss_options* options,
                                                     haft_module** out) HAFT_NOTHROW;

/* Options of haft_multi_margin_loss_create. */
typedef struct haft_multi_margin_loss_options {
  uint32_t struct_size;
  /* The power, 1 or 2. */
  int64_t p;
  /* By how much the target's score is to be larger. */
  double margin;
  /* Weight of each class; NULL: none. */
  const haft_tensor* weight;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_multi_margin_loss_options;
#define HAFT_MULTI_MARGIN_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_multi_margin_loss_options), 1, 1.0, 0, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief Mean over the other classes of max(0, margin - input[target] + input[i])^p.
 *   torch.nn.MultiMarginLoss.
 * @param[in]  options  NULL: the defaults of HAFT_MULTI_MARGIN_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_multi_margin_loss_create(const haft_multi_margin_loss_options* options,
                                                   haft_module** out) HAFT_NOTHROW;

/* Options of haft_multilabel_margin_loss_create. */
typedef struct haft_multilabel_margin_loss_options {
  uint32_t struct_size;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
} haft_multilabel_margin_loss_options;
#define HAFT_MULTILABEL_MARGIN_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_multilabel_margin_loss_options), HAFT_REDUCTION_MEAN}

/**
 * @brief Hinge loss between each target class and each other one; a row of targets ends at its first -1.
 *   torch.nn.MultiLabelMarginLoss.
 * @param[in]  options  NULL: the defaults of HAFT_MULTILABEL_MARGIN_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_multilabel_margin_loss_create(
    const haft_multilabel_margin_loss_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_multilabel_soft_margin_loss_create. */
typedef struct haft_multilabel_soft_margin_loss_options {
  uint32_t struct_size;
  /* Weight of each class; NULL: none. */
  const haft_tensor* weight;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0. */
  int32_t reserved;
} haft_multilabel_soft_margin_loss_options;
#define HAFT_MULTILABEL_SOFT_MARGIN_LOSS_OPTIONS_INIT \
  {(uint32_t)sizeof(haft_multilabel_soft_margin_loss_options), 0, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief The cross entropy of sigmoid(input) for each class, mean over the classes.
 *   torch.nn.MultiLabelSoftMarginLoss.
 * @param[in]  options  NULL: the defaults of HAFT_MULTILABEL_SOFT_MARGIN_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes input, target and
 *     answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_multilabel_soft_margin_loss_create(
    const haft_multilabel_soft_margin_loss_options* options, haft_module** out) HAFT_NOTHROW;

/* Options of haft_ctc_loss_create. */
typedef struct haft_ctc_loss_options {
  uint32_t struct_size;
  /* The class that stands for nothing. */
  int64_t blank;
  /* HAFT_REDUCTION_MEAN and the like: how the losses of all elements become one number, or not. */
  int32_t reduction;
  /* 0 or 1: whether the loss of a target that does not fit is 0 in place of infinite. */
  int32_t zero_infinity;
} haft_ctc_loss_options;
#define HAFT_CTC_LOSS_OPTIONS_INIT {(uint32_t)sizeof(haft_ctc_loss_options), 0, HAFT_REDUCTION_MEAN, 0}

/**
 * @brief -log of the probability of each target over all ways to spread it over the steps (Graves et al.,
 *   2006): log-probabilities (T, N, C), targets (N, S) or one after the other, and the lengths (N) of both.
 *   torch.nn.CTCLoss.
 * @param[in]  options  NULL: the defaults of HAFT_CTC_LOSS_OPTIONS_INIT
 * @param[out] out      a new module; the caller releases it. haft_module_forward_many takes log_probs,
 *     targets, input_lengths, target_lengths and answers the loss
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have, HAFT_ERROR_BAD_STRUCT,
 *     HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_ctc_loss_create(const haft_ctc_loss_options* options,
                                          haft_module** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
