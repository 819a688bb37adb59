// Generated from core/schema/modules.def by tools/generate; do not edit.
//
// Layers and losses in C++17: nn::Linear(784, 10), nn::Conv2d(3, 8, 3, options), nn::MSELoss(). haft/nn.hpp includes
// this.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_LAYERS_HPP
#define HAFT_LAYERS_HPP

namespace haft {
namespace nn {

/// x weight^T + bias: x (*, in_features) to (*, out_features).
/// @param in_features size of the last dimension of inputs
/// @param out_features size of the last dimension of outputs
/// @param bias whether a bias is added
inline Module Linear(std::int64_t in_features, std::int64_t out_features, bool bias = true,
                     const Build& b = {}) {
  haft_linear_options o = HAFT_LINEAR_OPTIONS_INIT;
  o.in_features = in_features;
  o.out_features = out_features;
  o.bias = std::int32_t(bias);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_linear_create, &o);
}

struct ConvOptions {
  /// steps between windows
  Pair stride = 1;
  /// rows and columns added on each side of the image; -1 for both: so many that its size stays
  Pair padding = 0;
  /// steps between the elements of a window
  Pair dilation = 1;
  /// groups of channels that do not see each other; divides both numbers of channels
  std::int64_t groups = 1;
  /// whether a bias is added
  bool bias = true;
  /// what stands in the padding
  std::int32_t padding_mode = HAFT_PADDING_ZEROS;
};
/// Cross-correlation of images: x (N, in_channels, H, W) to (N, out_channels, H', W').
/// @param in_channels channels of the input
/// @param out_channels channels of the output
/// @param kernel_size size of the window
inline Module Conv2d(std::int64_t in_channels, std::int64_t out_channels, Pair kernel_size,
                     const ConvOptions& options = {}, const Build& b = {}) {
  haft_conv2d_options o = HAFT_CONV2D_OPTIONS_INIT;
  o.in_channels = in_channels;
  o.out_channels = out_channels;
  o.kernel_size[0] = kernel_size.v[0];
  o.kernel_size[1] = kernel_size.v[1];
  o.stride[0] = options.stride.v[0];
  o.stride[1] = options.stride.v[1];
  o.padding[0] = options.padding.v[0];
  o.padding[1] = options.padding.v[1];
  o.dilation[0] = options.dilation.v[0];
  o.dilation[1] = options.dilation.v[1];
  o.groups = options.groups;
  o.bias = std::int32_t(options.bias);
  o.padding_mode = options.padding_mode;
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_conv2d_create, &o);
}

struct NormOptions {
  /// added to the variance
  double eps = 1e-5;
  /// part of a new batch in the running statistics; below 0: they are the plain average of all batches
  double momentum = 0.1;
  /// whether there are a weight and a bias
  bool affine = true;
  /// whether running statistics are kept; without them those of the batch serve in evaluation, too
  bool track_running_stats = true;
  /// whether affine has a bias beside the weight
  bool bias = true;
};
/// Batch normalisation of x (N, C) or (N, C, L).
/// @param num_features C
inline Module BatchNorm1d(std::int64_t num_features, const NormOptions& options = {}, const Build& b = {}) {
  haft_batch_norm1d_options o = HAFT_BATCH_NORM1D_OPTIONS_INIT;
  o.num_features = num_features;
  o.eps = options.eps;
  o.momentum = options.momentum;
  o.affine = std::int32_t(options.affine);
  o.track_running_stats = std::int32_t(options.track_running_stats);
  o.bias = std::int32_t(options.bias);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_batch_norm1d_create, &o);
}

/// Batch normalisation of x (N, C, H, W).
/// @param num_features C
inline Module BatchNorm2d(std::int64_t num_features, const NormOptions& options = {}, const Build& b = {}) {
  haft_batch_norm2d_options o = HAFT_BATCH_NORM2D_OPTIONS_INIT;
  o.num_features = num_features;
  o.eps = options.eps;
  o.momentum = options.momentum;
  o.affine = std::int32_t(options.affine);
  o.track_running_stats = std::int32_t(options.track_running_stats);
  o.bias = std::int32_t(options.bias);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_batch_norm2d_create, &o);
}

/// Normalisation over the last dimensions.
/// @param normalized_shape their sizes
/// @param eps added to the variance
/// @param elementwise_affine whether there are a weight and a bias of these sizes
/// @param bias whether there is a bias beside the weight
inline Module LayerNorm(const haft::IntArray& normalized_shape, double eps = 1e-5,
                        bool elementwise_affine = true, bool bias = true, const Build& b = {}) {
  haft_layer_norm_options o = HAFT_LAYER_NORM_OPTIONS_INIT;
  o.normalized_shape = normalized_shape.data();
  o.normalized_shape_count = normalized_shape.size();
  o.eps = eps;
  o.elementwise_affine = std::int32_t(elementwise_affine);
  o.bias = std::int32_t(bias);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_layer_norm_create, &o);
}

/// Zeroes elements with probability p while training, and scales the rest by 1 / (1 - p).
/// @param p the probability
inline Module Dropout(double p = 0.5, haft_generator* generator = nullptr) {
  haft_dropout_options o = HAFT_DROPOUT_OPTIONS_INIT;
  o.p = p;
  o.generator = generator;
  return detail::create(haft_dropout_create, &o);
}

struct EmbeddingOptions {
  /// rows that are longer are scaled to it, in the table itself, when they are looked up; below 0: none
  double max_norm = -1.0;
  /// p of the norm that max_norm limits
  double norm_type = 2.0;
  /// whether a row's gradient is divided by how often it is looked up
  bool scale_grad_by_freq = false;
  /// the table itself, (num_embeddings, embedding_dim), whose memory is shared; none: a new one
  const haft::Tensor& weight = haft::Tensor();
  /// whether the table gets no gradient
  bool freeze = false;
};
/// Rows of a table at integer positions: x (*) to (*, embedding_dim).
/// @param num_embeddings rows of the table
/// @param embedding_dim width of a row
/// @param padding_idx a row that starts at 0 and gets no gradient; negative counts from the end
/// @param sparse whether the table gets a gradient of rows, which SGD, Adagrad and SparseAdam take
inline Module Embedding(std::int64_t num_embeddings, std::int64_t embedding_dim,
                        std::int64_t padding_idx = HAFT_NONE, bool sparse = false,
                        const EmbeddingOptions& options = {}, const Build& b = {}) {
  haft_embedding_options o = HAFT_EMBEDDING_OPTIONS_INIT;
  o.num_embeddings = num_embeddings;
  o.embedding_dim = embedding_dim;
  o.padding_idx = padding_idx;
  o.sparse = std::int32_t(sparse);
  o.max_norm = options.max_norm;
  o.norm_type = options.norm_type;
  o.scale_grad_by_freq = std::int32_t(options.scale_grad_by_freq);
  o.weight = options.weight.get();
  o.freeze = std::int32_t(options.freeze);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_embedding_create, &o);
}

/// The maximum of each window of x (N, C, H, W).
/// @param kernel_size size of the window
/// @param stride steps between windows; 0 is the window's size
/// @param padding border around the image, at most half the window
/// @param dilation steps between the elements of a window
/// @param ceil_mode whether windows that only begin inside count, too
/// @param return_indices whether it answers where the maxima stood, too, among the elements of their channel
inline Module MaxPool2d(Pair kernel_size, Pair stride = 0, Pair padding = 0, Pair dilation = 1,
                        bool ceil_mode = false, bool return_indices = false) {
  haft_max_pool2d_options o = HAFT_MAX_POOL2D_OPTIONS_INIT;
  o.kernel_size[0] = kernel_size.v[0];
  o.kernel_size[1] = kernel_size.v[1];
  o.stride[0] = stride.v[0];
  o.stride[1] = stride.v[1];
  o.padding[0] = padding.v[0];
  o.padding[1] = padding.v[1];
  o.dilation[0] = dilation.v[0];
  o.dilation[1] = dilation.v[1];
  o.ceil_mode = std::int32_t(ceil_mode);
  o.return_indices = std::int32_t(return_indices);
  return detail::create(haft_max_pool2d_create, &o);
}

/// The mean of each window of x (N, C, H, W).
/// @param kernel_size size of the window
/// @param stride steps between windows; 0 is the window's size
/// @param padding border of zeros around the image, at most half the window
/// @param ceil_mode whether windows that only begin inside count, too
/// @param count_include_pad whether the border counts
/// @param divisor_override what sums are divided by in place of the window's size
inline Module AvgPool2d(Pair kernel_size, Pair stride = 0, Pair padding = 0, bool ceil_mode = false,
                        bool count_include_pad = true, std::int64_t divisor_override = HAFT_NONE) {
  haft_avg_pool2d_options o = HAFT_AVG_POOL2D_OPTIONS_INIT;
  o.kernel_size[0] = kernel_size.v[0];
  o.kernel_size[1] = kernel_size.v[1];
  o.stride[0] = stride.v[0];
  o.stride[1] = stride.v[1];
  o.padding[0] = padding.v[0];
  o.padding[1] = padding.v[1];
  o.ceil_mode = std::int32_t(ceil_mode);
  o.count_include_pad = std::int32_t(count_include_pad);
  o.divisor_override = divisor_override;
  return detail::create(haft_avg_pool2d_create, &o);
}

/// The means over a grid of windows that covers the image.
/// @param output_size size of the grid; an absent number keeps the image's
inline Module AdaptiveAvgPool2d(Pair output_size) {
  haft_adaptive_avg_pool2d_options o = HAFT_ADAPTIVE_AVG_POOL2D_OPTIONS_INIT;
  o.output_size[0] = output_size.v[0];
  o.output_size[1] = output_size.v[1];
  return detail::create(haft_adaptive_avg_pool2d_create, &o);
}

struct RNNOptions {
  /// layers, each reading the one before
  std::int64_t num_layers = 1;
  /// whether there are biases
  bool bias = true;
  /// whether sequences are (N, L, input_size) instead of (L, N, input_size)
  bool batch_first = false;
  /// the probability of dropout between layers
  double dropout = 0;
  /// whether a second direction reads from the end
  bool bidirectional = false;
  /// whether relu stands in the place of tanh
  bool relu = false;
};
/// Elman's recurrent layers: tanh of W x + b + W' h + b' at each step. With several inputs these are x, the
/// first state h, and the rows of each step (int64) where x is packed sequences; it answers all outputs and
/// the last h.
/// @param input_size size of an element of the sequence
/// @param hidden_size size of the state
inline Module RNN(std::int64_t input_size, std::int64_t hidden_size, const RNNOptions& options = {},
                  const Build& b = {}) {
  haft_rnn_options o = HAFT_RNN_OPTIONS_INIT;
  o.input_size = input_size;
  o.hidden_size = hidden_size;
  o.num_layers = options.num_layers;
  o.bias = std::int32_t(options.bias);
  o.batch_first = std::int32_t(options.batch_first);
  o.dropout = options.dropout;
  o.bidirectional = std::int32_t(options.bidirectional);
  o.relu = std::int32_t(options.relu);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_rnn_create, &o);
}

struct LSTMOptions {
  /// layers, each reading the one before
  std::int64_t num_layers = 1;
  /// whether there are biases
  bool bias = true;
  /// whether sequences are (N, L, input_size) instead of (L, N, input_size)
  bool batch_first = false;
  /// the probability of dropout between layers
  double dropout = 0;
  /// whether a second direction reads from the end
  bool bidirectional = false;
  /// size of a projection of h; 0: none
  std::int64_t proj_size = 0;
};
/// Long short-term memory (Hochreiter and Schmidhuber, 1997). With several inputs these are x, the first
/// states h and c, and the rows of each step (int64) where x is packed sequences; it answers all outputs and
/// the last h and c.
/// @param input_size size of an element of the sequence
/// @param hidden_size size of the state
inline Module LSTM(std::int64_t input_size, std::int64_t hidden_size, const LSTMOptions& options = {},
                   const Build& b = {}) {
  haft_lstm_options o = HAFT_LSTM_OPTIONS_INIT;
  o.input_size = input_size;
  o.hidden_size = hidden_size;
  o.num_layers = options.num_layers;
  o.bias = std::int32_t(options.bias);
  o.batch_first = std::int32_t(options.batch_first);
  o.dropout = options.dropout;
  o.bidirectional = std::int32_t(options.bidirectional);
  o.proj_size = options.proj_size;
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_lstm_create, &o);
}

struct GRUOptions {
  /// layers, each reading the one before
  std::int64_t num_layers = 1;
  /// whether there are biases
  bool bias = true;
  /// whether sequences are (N, L, input_size) instead of (L, N, input_size)
  bool batch_first = false;
  /// the probability of dropout between layers
  double dropout = 0;
  /// whether a second direction reads from the end
  bool bidirectional = false;
};
/// Gated recurrent units (Cho et al., arXiv:1406.1078). With several inputs these are x, the first state h,
/// and the rows of each step (int64) where x is packed sequences; it answers all outputs and the last h.
/// @param input_size size of an element of the sequence
/// @param hidden_size size of the state
inline Module GRU(std::int64_t input_size, std::int64_t hidden_size, const GRUOptions& options = {},
                  const Build& b = {}) {
  haft_gru_options o = HAFT_GRU_OPTIONS_INIT;
  o.input_size = input_size;
  o.hidden_size = hidden_size;
  o.num_layers = options.num_layers;
  o.bias = std::int32_t(options.bias);
  o.batch_first = std::int32_t(options.batch_first);
  o.dropout = options.dropout;
  o.bidirectional = std::int32_t(options.bidirectional);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_gru_create, &o);
}

/// One step of an RNN: x (N, input_size), and the state h, to the next h.
/// @param input_size size of an element of the sequence
/// @param hidden_size size of the state
/// @param bias whether there are biases
/// @param relu whether relu stands in the place of tanh
inline Module RNNCell(std::int64_t input_size, std::int64_t hidden_size, bool bias = true, bool relu = false,
                      const Build& b = {}) {
  haft_rnn_cell_options o = HAFT_RNN_CELL_OPTIONS_INIT;
  o.input_size = input_size;
  o.hidden_size = hidden_size;
  o.bias = std::int32_t(bias);
  o.relu = std::int32_t(relu);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_rnn_cell_create, &o);
}

/// One step of an LSTM: x (N, input_size), and the states h and c, to the next h and c.
/// @param input_size size of an element of the sequence
/// @param hidden_size size of the state
/// @param bias whether there are biases
inline Module LSTMCell(std::int64_t input_size, std::int64_t hidden_size, bool bias = true,
                       const Build& b = {}) {
  haft_lstm_cell_options o = HAFT_LSTM_CELL_OPTIONS_INIT;
  o.input_size = input_size;
  o.hidden_size = hidden_size;
  o.bias = std::int32_t(bias);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_lstm_cell_create, &o);
}

/// One step of a GRU: x (N, input_size), and the state h, to the next h.
/// @param input_size size of an element of the sequence
/// @param hidden_size size of the state
/// @param bias whether there are biases
inline Module GRUCell(std::int64_t input_size, std::int64_t hidden_size, bool bias = true,
                      const Build& b = {}) {
  haft_gru_cell_options o = HAFT_GRU_CELL_OPTIONS_INIT;
  o.input_size = input_size;
  o.hidden_size = hidden_size;
  o.bias = std::int32_t(bias);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_gru_cell_create, &o);
}

struct MultiheadAttentionOptions {
  /// the probability that a weight is dropped
  double dropout = 0;
  /// whether there are biases
  bool bias = true;
  /// whether a learnt element stands behind keys and values
  bool add_bias_kv = false;
  /// whether a zero stands behind keys and values
  bool add_zero_attn = false;
  /// width of keys; none: embed_dim
  std::int64_t kdim = HAFT_NONE;
  /// width of values; none: embed_dim
  std::int64_t vdim = HAFT_NONE;
  /// whether sequences are (N, L, embed_dim) instead of (L, N, embed_dim)
  bool batch_first = false;
  /// whether the weights are answered, too; without them memory is linear in the lengths
  bool need_weights = true;
  /// whether weights are (N, L, S), the means over heads, instead of (N, num_heads, L, S)
  bool average_attn_weights = true;
  /// whether a position sees no later one
  bool is_causal = false;
};
/// Attention of several heads (Vaswani et al., arXiv:1706.03762). With several inputs these are query (L, N,
/// embed_dim), key and value (S, N, *), then key_padding_mask (N, S) and attn_mask (L, S) or (N * num_heads,
/// L, S), each absent or bool (true: not attended to) or added; one input is all three. It answers the
/// attended values and, where needed, the weights; a row that sees nothing is 0.
/// @param embed_dim width of query and of the results
/// @param num_heads heads; divides embed_dim
inline Module MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                                 const MultiheadAttentionOptions& options = {}, const Build& b = {}) {
  haft_multihead_attention_options o = HAFT_MULTIHEAD_ATTENTION_OPTIONS_INIT;
  o.embed_dim = embed_dim;
  o.num_heads = num_heads;
  o.dropout = options.dropout;
  o.bias = std::int32_t(options.bias);
  o.add_bias_kv = std::int32_t(options.add_bias_kv);
  o.add_zero_attn = std::int32_t(options.add_zero_attn);
  o.kdim = options.kdim;
  o.vdim = options.vdim;
  o.batch_first = std::int32_t(options.batch_first);
  o.need_weights = std::int32_t(options.need_weights);
  o.average_attn_weights = std::int32_t(options.average_attn_weights);
  o.is_causal = std::int32_t(options.is_causal);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_multihead_attention_create, &o);
}

struct TransformerLayerOptions {
  /// width between the two linear layers
  std::int64_t dim_feedforward = 2048;
  /// the probability of dropout
  double dropout = 0.1;
  /// whether gelu stands between the linear layers in the place of relu
  bool gelu = false;
  /// eps of the layer norms
  double layer_norm_eps = 1e-5;
  /// whether sequences are (N, L, d_model) instead of (L, N, d_model)
  bool batch_first = false;
  /// whether norms stand before the parts instead of behind them
  bool norm_first = false;
  /// whether there are biases
  bool bias = true;
  /// whether self-attention sees no later position
  bool is_causal = false;
};
/// Self-attention and two linear layers, each around a residual and a layer norm. With several inputs these
/// are src, src_mask and src_key_padding_mask, as MultiheadAttention takes them. A child named activation, a
/// module that is added, stands in the place of relu.
/// @param d_model width of an element
/// @param nhead heads; divides d_model
inline Module TransformerEncoderLayer(std::int64_t d_model, std::int64_t nhead,
                                      const TransformerLayerOptions& options = {}, const Build& b = {}) {
  haft_transformer_encoder_layer_options o = HAFT_TRANSFORMER_ENCODER_LAYER_OPTIONS_INIT;
  o.d_model = d_model;
  o.nhead = nhead;
  o.dim_feedforward = options.dim_feedforward;
  o.dropout = options.dropout;
  o.gelu = std::int32_t(options.gelu);
  o.layer_norm_eps = options.layer_norm_eps;
  o.batch_first = std::int32_t(options.batch_first);
  o.norm_first = std::int32_t(options.norm_first);
  o.bias = std::int32_t(options.bias);
  o.is_causal = std::int32_t(options.is_causal);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_transformer_encoder_layer_create, &o);
}

/// A TransformerEncoderLayer with attention to an encoder's results between its parts, and the same child
/// activation. Its inputs are tgt, memory, and tgt_mask, memory_mask, tgt_key_padding_mask,
/// memory_key_padding_mask.
/// @param d_model width of an element
/// @param nhead heads; divides d_model
inline Module TransformerDecoderLayer(std::int64_t d_model, std::int64_t nhead,
                                      const TransformerLayerOptions& options = {}, const Build& b = {}) {
  haft_transformer_decoder_layer_options o = HAFT_TRANSFORMER_DECODER_LAYER_OPTIONS_INIT;
  o.d_model = d_model;
  o.nhead = nhead;
  o.dim_feedforward = options.dim_feedforward;
  o.dropout = options.dropout;
  o.gelu = std::int32_t(options.gelu);
  o.layer_norm_eps = options.layer_norm_eps;
  o.batch_first = std::int32_t(options.batch_first);
  o.norm_first = std::int32_t(options.norm_first);
  o.bias = std::int32_t(options.bias);
  o.is_causal = std::int32_t(options.is_causal);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_transformer_decoder_layer_create, &o);
}

struct TransformerStackOptions {
  /// whether a layer norm stands behind the last one
  bool norm = false;
  /// width between the two linear layers
  std::int64_t dim_feedforward = 2048;
  /// the probability of dropout
  double dropout = 0.1;
  /// whether gelu stands between the linear layers in the place of relu
  bool gelu = false;
  /// eps of the layer norms
  double layer_norm_eps = 1e-5;
  /// whether sequences are (N, L, d_model) instead of (L, N, d_model)
  bool batch_first = false;
  /// whether norms stand before the parts instead of behind them
  bool norm_first = false;
  /// whether there are biases
  bool bias = true;
  /// whether self-attention sees no later position
  bool is_causal = false;
};
/// Layers of TransformerEncoderLayer, each reading the one before, with its inputs.
/// @param d_model width of an element
/// @param nhead heads; divides d_model
/// @param num_layers layers
inline Module TransformerEncoder(std::int64_t d_model, std::int64_t nhead, std::int64_t num_layers,
                                 const TransformerStackOptions& options = {}, const Build& b = {}) {
  haft_transformer_encoder_options o = HAFT_TRANSFORMER_ENCODER_OPTIONS_INIT;
  o.d_model = d_model;
  o.nhead = nhead;
  o.num_layers = num_layers;
  o.norm = std::int32_t(options.norm);
  o.dim_feedforward = options.dim_feedforward;
  o.dropout = options.dropout;
  o.gelu = std::int32_t(options.gelu);
  o.layer_norm_eps = options.layer_norm_eps;
  o.batch_first = std::int32_t(options.batch_first);
  o.norm_first = std::int32_t(options.norm_first);
  o.bias = std::int32_t(options.bias);
  o.is_causal = std::int32_t(options.is_causal);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_transformer_encoder_create, &o);
}

/// Layers of TransformerDecoderLayer, each reading the one before, with its inputs.
/// @param d_model width of an element
/// @param nhead heads; divides d_model
/// @param num_layers layers
inline Module TransformerDecoder(std::int64_t d_model, std::int64_t nhead, std::int64_t num_layers,
                                 const TransformerStackOptions& options = {}, const Build& b = {}) {
  haft_transformer_decoder_options o = HAFT_TRANSFORMER_DECODER_OPTIONS_INIT;
  o.d_model = d_model;
  o.nhead = nhead;
  o.num_layers = num_layers;
  o.norm = std::int32_t(options.norm);
  o.dim_feedforward = options.dim_feedforward;
  o.dropout = options.dropout;
  o.gelu = std::int32_t(options.gelu);
  o.layer_norm_eps = options.layer_norm_eps;
  o.batch_first = std::int32_t(options.batch_first);
  o.norm_first = std::int32_t(options.norm_first);
  o.bias = std::int32_t(options.bias);
  o.is_causal = std::int32_t(options.is_causal);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_transformer_decoder_create, &o);
}

struct TransformerOptions {
  /// width of an element
  std::int64_t d_model = 512;
  /// heads; divides d_model
  std::int64_t nhead = 8;
  /// layers of the encoder
  std::int64_t num_encoder_layers = 6;
  /// layers of the decoder
  std::int64_t num_decoder_layers = 6;
  /// width between the two linear layers
  std::int64_t dim_feedforward = 2048;
  /// the probability of dropout
  double dropout = 0.1;
  /// whether gelu stands between the linear layers in the place of relu
  bool gelu = false;
  /// eps of the layer norms
  double layer_norm_eps = 1e-5;
  /// whether sequences are (N, L, d_model) instead of (L, N, d_model)
  bool batch_first = false;
  /// whether norms stand before the parts instead of behind them
  bool norm_first = false;
  /// whether there are biases
  bool bias = true;
  /// whether self-attention sees no later position
  bool is_causal = false;
};
/// Encoder and decoder, each with a last layer norm. Its inputs are src, tgt, and src_mask, tgt_mask,
/// memory_mask, src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask; is_causal is the
/// decoder's.
inline Module Transformer(const TransformerOptions& options = {}, const Build& b = {}) {
  haft_transformer_options o = HAFT_TRANSFORMER_OPTIONS_INIT;
  o.d_model = options.d_model;
  o.nhead = options.nhead;
  o.num_encoder_layers = options.num_encoder_layers;
  o.num_decoder_layers = options.num_decoder_layers;
  o.dim_feedforward = options.dim_feedforward;
  o.dropout = options.dropout;
  o.gelu = std::int32_t(options.gelu);
  o.layer_norm_eps = options.layer_norm_eps;
  o.batch_first = std::int32_t(options.batch_first);
  o.norm_first = std::int32_t(options.norm_first);
  o.bias = std::int32_t(options.bias);
  o.is_causal = std::int32_t(options.is_causal);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_transformer_create, &o);
}

/// Queries or keys x (*, L, E) turned by their positions: rotary_embedding of the first dim elements by
/// position / theta^(2 i / dim). A second input says the positions (int64): (L), or (N, L) for x (N, *, L,
/// E); without it they are 0 to L - 1.
/// @param dim elements that are turned, an even number
/// @param theta the slowest pair's wave length is about 2 pi times as long
/// @param interleaved whether pairs are neighbours (GPT-J) instead of half of dim apart (Llama)
inline Module RotaryEmbedding(std::int64_t dim, double theta = 10000.0, bool interleaved = false) {
  haft_rotary_embedding_options o = HAFT_ROTARY_EMBEDDING_OPTIONS_INIT;
  o.dim = dim;
  o.theta = theta;
  o.interleaved = std::int32_t(interleaved);
  return detail::create(haft_rotary_embedding_create, &o);
}

/// Keys and values of earlier positions, for generation: takes those of new positions, (N, heads, L, width),
/// writes them behind the ones it has and answers all of them; nothing is recorded. Its buffers are keys,
/// values and length, the number of positions written: set it to 0 to begin again, or back to forget the last
/// ones.
/// @param batch_size N
/// @param num_heads heads
/// @param max_length positions that it holds
/// @param head_dim width of a head
inline Module KVCache(std::int64_t batch_size, std::int64_t num_heads, std::int64_t max_length,
                      std::int64_t head_dim, const Build& b = {}) {
  haft_kv_cache_options o = HAFT_KV_CACHE_OPTIONS_INIT;
  o.batch_size = batch_size;
  o.num_heads = num_heads;
  o.max_length = max_length;
  o.head_dim = head_dim;
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_kv_cache_create, &o);
}

/// The maximum of each window of x (N, C, L) or (C, L).
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param padding minus infinity on each side; none: 0
/// @param dilation steps between the elements of a window; none: 1
/// @param ceil_mode whether windows that only begin inside count, too
/// @param return_indices whether it answers where the maxima stood, too, among the elements of their channel
inline Module MaxPool1d(const haft::IntArray& kernel_size, const haft::IntArray& stride = haft::IntArray(),
                        const haft::IntArray& padding = haft::IntArray(),
                        const haft::IntArray& dilation = haft::IntArray(), bool ceil_mode = false,
                        bool return_indices = false) {
  haft_max_pool1d_options o = HAFT_MAX_POOL1D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.dilation = dilation.data();
  o.dilation_count = dilation.size();
  o.ceil_mode = std::int32_t(ceil_mode);
  o.return_indices = std::int32_t(return_indices);
  return detail::create(haft_max_pool1d_create, &o);
}

/// The maximum of each window of x (N, C, D, H, W) or (C, D, H, W).
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param padding minus infinity on each side; none: 0
/// @param dilation steps between the elements of a window; none: 1
/// @param ceil_mode whether windows that only begin inside count, too
/// @param return_indices whether it answers where the maxima stood, too, among the elements of their channel
inline Module MaxPool3d(const haft::IntArray& kernel_size, const haft::IntArray& stride = haft::IntArray(),
                        const haft::IntArray& padding = haft::IntArray(),
                        const haft::IntArray& dilation = haft::IntArray(), bool ceil_mode = false,
                        bool return_indices = false) {
  haft_max_pool3d_options o = HAFT_MAX_POOL3D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.dilation = dilation.data();
  o.dilation_count = dilation.size();
  o.ceil_mode = std::int32_t(ceil_mode);
  o.return_indices = std::int32_t(return_indices);
  return detail::create(haft_max_pool3d_create, &o);
}

/// The mean of each window of x (N, C, L) or (C, L).
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param padding zeros on each side; none: 0
/// @param ceil_mode whether windows that only begin inside count, too
/// @param count_include_pad whether the zeros of the padding count in the mean
inline Module AvgPool1d(const haft::IntArray& kernel_size, const haft::IntArray& stride = haft::IntArray(),
                        const haft::IntArray& padding = haft::IntArray(), bool ceil_mode = false,
                        bool count_include_pad = true) {
  haft_avg_pool1d_options o = HAFT_AVG_POOL1D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.ceil_mode = std::int32_t(ceil_mode);
  o.count_include_pad = std::int32_t(count_include_pad);
  return detail::create(haft_avg_pool1d_create, &o);
}

/// The mean of each window of x (N, C, D, H, W) or (C, D, H, W).
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param padding zeros on each side; none: 0
/// @param ceil_mode whether windows that only begin inside count, too
/// @param count_include_pad whether the zeros of the padding count in the mean
/// @param divisor_override what sums are divided by in place of the window's size
inline Module AvgPool3d(const haft::IntArray& kernel_size, const haft::IntArray& stride = haft::IntArray(),
                        const haft::IntArray& padding = haft::IntArray(), bool ceil_mode = false,
                        bool count_include_pad = true, std::int64_t divisor_override = HAFT_NONE) {
  haft_avg_pool3d_options o = HAFT_AVG_POOL3D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.ceil_mode = std::int32_t(ceil_mode);
  o.count_include_pad = std::int32_t(count_include_pad);
  o.divisor_override = divisor_override;
  return detail::create(haft_avg_pool3d_create, &o);
}

/// (sum of x^norm_type)^(1 / norm_type) over each window of (N, C, L) or (C, L).
/// @param norm_type p of the norm
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param ceil_mode whether windows that only begin inside count, too
inline Module LPPool1d(double norm_type, const haft::IntArray& kernel_size,
                       const haft::IntArray& stride = haft::IntArray(), bool ceil_mode = false) {
  haft_lp_pool1d_options o = HAFT_LP_POOL1D_OPTIONS_INIT;
  o.norm_type = norm_type;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.ceil_mode = std::int32_t(ceil_mode);
  return detail::create(haft_lp_pool1d_create, &o);
}

/// (sum of x^norm_type)^(1 / norm_type) over each window of (N, C, H, W) or (C, H, W).
/// @param norm_type p of the norm
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param ceil_mode whether windows that only begin inside count, too
inline Module LPPool2d(double norm_type, const haft::IntArray& kernel_size,
                       const haft::IntArray& stride = haft::IntArray(), bool ceil_mode = false) {
  haft_lp_pool2d_options o = HAFT_LP_POOL2D_OPTIONS_INIT;
  o.norm_type = norm_type;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.ceil_mode = std::int32_t(ceil_mode);
  return detail::create(haft_lp_pool2d_create, &o);
}

/// (sum of x^norm_type)^(1 / norm_type) over each window of (N, C, D, H, W) or (C, D, H, W).
/// @param norm_type p of the norm
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param ceil_mode whether windows that only begin inside count, too
inline Module LPPool3d(double norm_type, const haft::IntArray& kernel_size,
                       const haft::IntArray& stride = haft::IntArray(), bool ceil_mode = false) {
  haft_lp_pool3d_options o = HAFT_LP_POOL3D_OPTIONS_INIT;
  o.norm_type = norm_type;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.ceil_mode = std::int32_t(ceil_mode);
  return detail::create(haft_lp_pool3d_create, &o);
}

/// The mean over a grid of windows of x (N, C, L) or (C, L).
/// @param output_size size of the grid; an absent number keeps the input's
inline Module AdaptiveAvgPool1d(const haft::IntArray& output_size) {
  haft_adaptive_avg_pool1d_options o = HAFT_ADAPTIVE_AVG_POOL1D_OPTIONS_INIT;
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  return detail::create(haft_adaptive_avg_pool1d_create, &o);
}

/// The mean over a grid of windows of x (N, C, D, H, W) or (C, D, H, W).
/// @param output_size size of the grid; an absent number keeps the input's
inline Module AdaptiveAvgPool3d(const haft::IntArray& output_size) {
  haft_adaptive_avg_pool3d_options o = HAFT_ADAPTIVE_AVG_POOL3D_OPTIONS_INIT;
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  return detail::create(haft_adaptive_avg_pool3d_create, &o);
}

/// The maximum over a grid of windows of x (N, C, L) or (C, L).
/// @param output_size size of the grid; an absent number keeps the input's
/// @param return_indices whether it answers where the maxima stood, too, among the elements of their channel
inline Module AdaptiveMaxPool1d(const haft::IntArray& output_size, bool return_indices = false) {
  haft_adaptive_max_pool1d_options o = HAFT_ADAPTIVE_MAX_POOL1D_OPTIONS_INIT;
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  o.return_indices = std::int32_t(return_indices);
  return detail::create(haft_adaptive_max_pool1d_create, &o);
}

/// The maximum over a grid of windows of x (N, C, H, W) or (C, H, W).
/// @param output_size size of the grid; an absent number keeps the input's
/// @param return_indices whether it answers where the maxima stood, too, among the elements of their channel
inline Module AdaptiveMaxPool2d(const haft::IntArray& output_size, bool return_indices = false) {
  haft_adaptive_max_pool2d_options o = HAFT_ADAPTIVE_MAX_POOL2D_OPTIONS_INIT;
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  o.return_indices = std::int32_t(return_indices);
  return detail::create(haft_adaptive_max_pool2d_create, &o);
}

/// The maximum over a grid of windows of x (N, C, D, H, W) or (C, D, H, W).
/// @param output_size size of the grid; an absent number keeps the input's
/// @param return_indices whether it answers where the maxima stood, too, among the elements of their channel
inline Module AdaptiveMaxPool3d(const haft::IntArray& output_size, bool return_indices = false) {
  haft_adaptive_max_pool3d_options o = HAFT_ADAPTIVE_MAX_POOL3D_OPTIONS_INIT;
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  o.return_indices = std::int32_t(return_indices);
  return detail::create(haft_adaptive_max_pool3d_create, &o);
}

/// The maximum of windows of x (N, C, H, W) or (C, H, W) that begin at random distances (Graham,
/// arXiv:1412.6071). A second input are the numbers that say where, (N, C, 2) from [0, 1), in place of fresh
/// ones.
/// @param kernel_size size of the windows
/// @param output_size how many there are; an empty list: the ratios say it
/// @param height_ratio part of the input's height that the result has, below 1, where output_size is empty
/// @param width_ratio the same of its width
/// @param return_indices whether it answers where the maxima stood, too, among the elements of their channel
inline Module FractionalMaxPool2d(const haft::IntArray& kernel_size, const haft::IntArray& output_size,
                                  double height_ratio = 0.0, double width_ratio = 0.0,
                                  bool return_indices = false, haft_generator* generator = nullptr) {
  haft_fractional_max_pool2d_options o = HAFT_FRACTIONAL_MAX_POOL2D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  o.height_ratio = height_ratio;
  o.width_ratio = width_ratio;
  o.return_indices = std::int32_t(return_indices);
  o.generator = generator;
  return detail::create(haft_fractional_max_pool2d_create, &o);
}

/// The maximum of windows of x (N, C, D, H, W) or (C, D, H, W) that begin at random distances (Graham,
/// arXiv:1412.6071). A second input are the numbers that say where, (N, C, 3) from [0, 1), in place of fresh
/// ones.
/// @param kernel_size size of the windows
/// @param output_size how many there are; an empty list: the ratios say it
/// @param depth_ratio part of the input's depth that the result has, below 1, where output_size is empty
/// @param height_ratio the same of its height
/// @param width_ratio the same of its width
/// @param return_indices whether it answers where the maxima stood, too, among the elements of their channel
inline Module FractionalMaxPool3d(const haft::IntArray& kernel_size, const haft::IntArray& output_size,
                                  double depth_ratio = 0.0, double height_ratio = 0.0,
                                  double width_ratio = 0.0, bool return_indices = false,
                                  haft_generator* generator = nullptr) {
  haft_fractional_max_pool3d_options o = HAFT_FRACTIONAL_MAX_POOL3D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  o.depth_ratio = depth_ratio;
  o.height_ratio = height_ratio;
  o.width_ratio = width_ratio;
  o.return_indices = std::int32_t(return_indices);
  o.generator = generator;
  return detail::create(haft_fractional_max_pool3d_create, &o);
}

/// (*, C r r, H, W) to (*, C, H r, W r) for the factor r.
/// @param upscale_factor r
inline Module PixelShuffle(std::int64_t upscale_factor) {
  haft_pixel_shuffle_options o = HAFT_PIXEL_SHUFFLE_OPTIONS_INIT;
  o.upscale_factor = upscale_factor;
  return detail::create(haft_pixel_shuffle_create, &o);
}

/// (*, C, H r, W r) to (*, C r r, H, W) for the factor r.
/// @param downscale_factor r
inline Module PixelUnshuffle(std::int64_t downscale_factor) {
  haft_pixel_unshuffle_options o = HAFT_PIXEL_UNSHUFFLE_OPTIONS_INIT;
  o.downscale_factor = downscale_factor;
  return detail::create(haft_pixel_unshuffle_create, &o);
}

/// (N, groups C, *): channel c of group g becomes channel g of group c.
/// @param groups number of groups
inline Module ChannelShuffle(std::int64_t groups) {
  haft_channel_shuffle_options o = HAFT_CHANNEL_SHUFFLE_OPTIONS_INIT;
  o.groups = groups;
  return detail::create(haft_channel_shuffle_create, &o);
}

/// x / (k + alpha times the mean of squares over neighbouring channels)^beta.
/// @param size neighbouring channels
/// @param alpha factor of the mean
/// @param beta exponent
/// @param k what is added before the power
inline Module LocalResponseNorm(std::int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1.0) {
  haft_local_response_norm_options o = HAFT_LOCAL_RESPONSE_NORM_OPTIONS_INIT;
  o.size = size;
  o.alpha = alpha;
  o.beta = beta;
  o.k = k;
  return detail::create(haft_local_response_norm_create, &o);
}

/// max(x, 0).
inline Module ReLU() { return detail::create(haft_relu_create); }

/// x above 0, negative_slope x below.
/// @param negative_slope the slope below 0
inline Module LeakyReLU(double negative_slope = 0.01) {
  haft_leaky_relu_options o = HAFT_LEAKY_RELU_OPTIONS_INIT;
  o.negative_slope = negative_slope;
  return detail::create(haft_leaky_relu_create, &o);
}

/// x times the normal distribution function at x.
/// @param tanh whether it is approximated by tanh
inline Module GELU(bool tanh = false) {
  haft_gelu_options o = HAFT_GELU_OPTIONS_INIT;
  o.tanh = std::int32_t(tanh);
  return detail::create(haft_gelu_create, &o);
}

/// x sigmoid(x).
inline Module SiLU() { return detail::create(haft_silu_create); }

/// 1 / (1 + exp(-x)).
inline Module Sigmoid() { return detail::create(haft_sigmoid_create); }

/// Hyperbolic tangent.
inline Module Tanh() { return detail::create(haft_tanh_create); }

/// x above 0, alpha (exp(x) - 1) below.
/// @param alpha -alpha is the limit below 0
inline Module ELU(double alpha = 1.0) {
  haft_elu_options o = HAFT_ELU_OPTIONS_INIT;
  o.alpha = alpha;
  return detail::create(haft_elu_create, &o);
}

/// x above 0, weight x below; the weights are learnt.
/// @param num_parameters one weight, or one for each channel (dimension 1)
/// @param init their first value
inline Module PReLU(std::int64_t num_parameters = 1, double init = 0.25, const Build& b = {}) {
  haft_prelu_options o = HAFT_PRELU_OPTIONS_INIT;
  o.num_parameters = num_parameters;
  o.init = init;
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_prelu_create, &o);
}

/// log(1 + exp(beta x)) / beta.
/// @param beta sharpness
/// @param threshold where beta x is above it, the result is x itself
inline Module Softplus(double beta = 1, double threshold = 20) {
  haft_softplus_options o = HAFT_SOFTPLUS_OPTIONS_INIT;
  o.beta = beta;
  o.threshold = threshold;
  return detail::create(haft_softplus_create, &o);
}

/// x, limited to [min_val, max_val].
/// @param min_val the lower limit
/// @param max_val the upper limit
inline Module Hardtanh(double min_val = -1.0, double max_val = 1.0) {
  haft_hardtanh_options o = HAFT_HARDTANH_OPTIONS_INIT;
  o.min_val = min_val;
  o.max_val = max_val;
  return detail::create(haft_hardtanh_create, &o);
}

/// relu6(x + 3) / 6.
inline Module Hardsigmoid() { return detail::create(haft_hardsigmoid_create); }

/// x relu6(x + 3) / 6.
inline Module Hardswish() { return detail::create(haft_hardswish_create); }

/// x tanh(softplus(x)).
inline Module Mish() { return detail::create(haft_mish_create); }

/// log(sigmoid(x)), without overflow.
inline Module LogSigmoid() { return detail::create(haft_logsigmoid_create); }

/// ELU, scaled so that mean 0 and variance 1 are kept (arXiv:1706.02515).
inline Module SELU() { return detail::create(haft_selu_create); }

/// max(0, x) + min(0, alpha (exp(x / alpha) - 1)).
/// @param alpha -alpha is the limit below 0
inline Module CELU(double alpha = 1.0) {
  haft_celu_options o = HAFT_CELU_OPTIONS_INIT;
  o.alpha = alpha;
  return detail::create(haft_celu_create, &o);
}

/// x / (1 + |x|).
inline Module Softsign() { return detail::create(haft_softsign_create); }

/// x - tanh(x).
inline Module Tanhshrink() { return detail::create(haft_tanhshrink_create); }

/// x where |x| > lambd, 0 elsewhere.
/// @param lambd the limit
inline Module Hardshrink(double lambd = 0.5) {
  haft_hardshrink_options o = HAFT_HARDSHRINK_OPTIONS_INIT;
  o.lambd = lambd;
  return detail::create(haft_hardshrink_create, &o);
}

/// x moved by lambd towards 0; 0 where it would pass it.
/// @param lambd how far, not below 0
inline Module Softshrink(double lambd = 0.5) {
  haft_softshrink_options o = HAFT_SOFTSHRINK_OPTIONS_INIT;
  o.lambd = lambd;
  return detail::create(haft_softshrink_create, &o);
}

/// x above threshold, value elsewhere.
/// @param threshold the limit
/// @param value what stands for the rest
inline Module Threshold(double threshold, double value) {
  haft_threshold_options o = HAFT_THRESHOLD_OPTIONS_INIT;
  o.threshold = threshold;
  o.value = value;
  return detail::create(haft_threshold_create, &o);
}

/// The first half along a dimension times the sigmoid of the second.
/// @param dim the dimension; negative counts from the end
inline Module GLU(std::int64_t dim = -1) {
  haft_glu_options o = HAFT_GLU_OPTIONS_INIT;
  o.dim = dim;
  return detail::create(haft_glu_create, &o);
}

/// exp(x) / sum(exp(x)) along a dimension.
/// @param dim the dimension; negative counts from the end
inline Module Softmax(std::int64_t dim) {
  haft_softmax_options o = HAFT_SOFTMAX_OPTIONS_INIT;
  o.dim = dim;
  return detail::create(haft_softmax_create, &o);
}

/// The logarithm of softmax along a dimension.
/// @param dim the dimension; negative counts from the end
inline Module LogSoftmax(std::int64_t dim) {
  haft_log_softmax_options o = HAFT_LOG_SOFTMAX_OPTIONS_INIT;
  o.dim = dim;
  return detail::create(haft_log_softmax_create, &o);
}

/// x itself.
inline Module Identity() { return detail::create(haft_identity_create); }

/// The dimensions from start_dim to end_dim as one.
/// @param start_dim the first; negative counts from the end
/// @param end_dim the last; negative counts from the end
inline Module Flatten(std::int64_t start_dim = 1, std::int64_t end_dim = -1) {
  haft_flatten_options o = HAFT_FLATTEN_OPTIONS_INIT;
  o.start_dim = start_dim;
  o.end_dim = end_dim;
  return detail::create(haft_flatten_create, &o);
}

struct ConvNdOptions {
  /// steps between windows; none: 1
  const haft::IntArray& stride = haft::IntArray();
  /// elements added on each side; none: 0, -1: as many as keep the size where stride is 1
  const haft::IntArray& padding = haft::IntArray();
  /// steps between the elements of a window; none: 1
  const haft::IntArray& dilation = haft::IntArray();
  /// groups of channels that do not see each other; divides both numbers of channels
  std::int64_t groups = 1;
  /// whether a bias is added
  bool bias = true;
  /// what stands in the padding
  std::int32_t padding_mode = HAFT_PADDING_ZEROS;
};
/// Cross-correlation of sequences: x (N, in_channels, L) to (N, out_channels, L').
/// @param in_channels channels of the input
/// @param out_channels channels of the output
/// @param kernel_size size of the window, a number or one for each dimension
inline Module Conv1d(std::int64_t in_channels, std::int64_t out_channels, const haft::IntArray& kernel_size,
                     const ConvNdOptions& options = {}, const Build& b = {}) {
  haft_conv1d_options o = HAFT_CONV1D_OPTIONS_INIT;
  o.in_channels = in_channels;
  o.out_channels = out_channels;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = options.stride.data();
  o.stride_count = options.stride.size();
  o.padding = options.padding.data();
  o.padding_count = options.padding.size();
  o.dilation = options.dilation.data();
  o.dilation_count = options.dilation.size();
  o.groups = options.groups;
  o.bias = std::int32_t(options.bias);
  o.padding_mode = options.padding_mode;
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_conv1d_create, &o);
}

/// Cross-correlation of volumes: x (N, in_channels, D, H, W) to (N, out_channels, D', H', W').
/// @param in_channels channels of the input
/// @param out_channels channels of the output
/// @param kernel_size size of the window, a number or one for each dimension
inline Module Conv3d(std::int64_t in_channels, std::int64_t out_channels, const haft::IntArray& kernel_size,
                     const ConvNdOptions& options = {}, const Build& b = {}) {
  haft_conv3d_options o = HAFT_CONV3D_OPTIONS_INIT;
  o.in_channels = in_channels;
  o.out_channels = out_channels;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = options.stride.data();
  o.stride_count = options.stride.size();
  o.padding = options.padding.data();
  o.padding_count = options.padding.size();
  o.dilation = options.dilation.data();
  o.dilation_count = options.dilation.size();
  o.groups = options.groups;
  o.bias = std::int32_t(options.bias);
  o.padding_mode = options.padding_mode;
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_conv3d_create, &o);
}

struct ConvTransposeOptions {
  /// steps between windows of the output; none: 1
  const haft::IntArray& stride = haft::IntArray();
  /// elements taken away on each side of the output; none: 0
  const haft::IntArray& padding = haft::IntArray();
  /// elements added at the output's end; none: 0
  const haft::IntArray& output_padding = haft::IntArray();
  /// groups of channels that do not see each other; divides both numbers of channels
  std::int64_t groups = 1;
  /// whether a bias is added
  bool bias = true;
  /// steps between the elements of a window; none: 1
  const haft::IntArray& dilation = haft::IntArray();
};
/// The transpose of Conv1d: x (N, in_channels, L) to (N, out_channels, L').
/// @param in_channels channels of the input
/// @param out_channels channels of the output
/// @param kernel_size size of the window, a number or one for each dimension
inline Module ConvTranspose1d(std::int64_t in_channels, std::int64_t out_channels,
                              const haft::IntArray& kernel_size, const ConvTransposeOptions& options = {},
                              const Build& b = {}) {
  haft_conv_transpose1d_options o = HAFT_CONV_TRANSPOSE1D_OPTIONS_INIT;
  o.in_channels = in_channels;
  o.out_channels = out_channels;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = options.stride.data();
  o.stride_count = options.stride.size();
  o.padding = options.padding.data();
  o.padding_count = options.padding.size();
  o.output_padding = options.output_padding.data();
  o.output_padding_count = options.output_padding.size();
  o.groups = options.groups;
  o.bias = std::int32_t(options.bias);
  o.dilation = options.dilation.data();
  o.dilation_count = options.dilation.size();
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_conv_transpose1d_create, &o);
}

/// The transpose of Conv2d: x (N, in_channels, H, W) to (N, out_channels, H', W').
/// @param in_channels channels of the input
/// @param out_channels channels of the output
/// @param kernel_size size of the window, a number or one for each dimension
inline Module ConvTranspose2d(std::int64_t in_channels, std::int64_t out_channels,
                              const haft::IntArray& kernel_size, const ConvTransposeOptions& options = {},
                              const Build& b = {}) {
  haft_conv_transpose2d_options o = HAFT_CONV_TRANSPOSE2D_OPTIONS_INIT;
  o.in_channels = in_channels;
  o.out_channels = out_channels;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = options.stride.data();
  o.stride_count = options.stride.size();
  o.padding = options.padding.data();
  o.padding_count = options.padding.size();
  o.output_padding = options.output_padding.data();
  o.output_padding_count = options.output_padding.size();
  o.groups = options.groups;
  o.bias = std::int32_t(options.bias);
  o.dilation = options.dilation.data();
  o.dilation_count = options.dilation.size();
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_conv_transpose2d_create, &o);
}

/// The transpose of Conv3d: x (N, in_channels, D, H, W) to (N, out_channels, D', H', W').
/// @param in_channels channels of the input
/// @param out_channels channels of the output
/// @param kernel_size size of the window, a number or one for each dimension
inline Module ConvTranspose3d(std::int64_t in_channels, std::int64_t out_channels,
                              const haft::IntArray& kernel_size, const ConvTransposeOptions& options = {},
                              const Build& b = {}) {
  haft_conv_transpose3d_options o = HAFT_CONV_TRANSPOSE3D_OPTIONS_INIT;
  o.in_channels = in_channels;
  o.out_channels = out_channels;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = options.stride.data();
  o.stride_count = options.stride.size();
  o.padding = options.padding.data();
  o.padding_count = options.padding.size();
  o.output_padding = options.output_padding.data();
  o.output_padding_count = options.output_padding.size();
  o.groups = options.groups;
  o.bias = std::int32_t(options.bias);
  o.dilation = options.dilation.data();
  o.dilation_count = options.dilation.size();
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_conv_transpose3d_create, &o);
}

/// The windows of a convolution as columns: x (N, C, H, W) to (N, C kH kW, windows).
/// @param kernel_size size of the window, a number or one for each dimension
/// @param dilation steps between the elements of a window; none: 1
/// @param padding zeros on each side; none: 0
/// @param stride steps between windows; none: 1
inline Module Unfold(const haft::IntArray& kernel_size, const haft::IntArray& dilation = haft::IntArray(),
                     const haft::IntArray& padding = haft::IntArray(),
                     const haft::IntArray& stride = haft::IntArray()) {
  haft_unfold_options o = HAFT_UNFOLD_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.dilation = dilation.data();
  o.dilation_count = dilation.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  return detail::create(haft_unfold_create, &o);
}

/// Adds the columns of Unfold up again: x (N, C kH kW, windows) to (N, C, H, W).
/// @param output_size height and width of the result
/// @param kernel_size size of the window, a number or one for each dimension
/// @param dilation steps between the elements of a window; none: 1
/// @param padding zeros on each side; none: 0
/// @param stride steps between windows; none: 1
inline Module Fold(const haft::IntArray& output_size, const haft::IntArray& kernel_size,
                   const haft::IntArray& dilation = haft::IntArray(),
                   const haft::IntArray& padding = haft::IntArray(),
                   const haft::IntArray& stride = haft::IntArray()) {
  haft_fold_options o = HAFT_FOLD_OPTIONS_INIT;
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.dilation = dilation.data();
  o.dilation_count = dilation.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  return detail::create(haft_fold_create, &o);
}

/// Batch normalisation of x (N, C, D, H, W).
/// @param num_features C
inline Module BatchNorm3d(std::int64_t num_features, const NormOptions& options = {}, const Build& b = {}) {
  haft_batch_norm3d_options o = HAFT_BATCH_NORM3D_OPTIONS_INIT;
  o.num_features = num_features;
  o.eps = options.eps;
  o.momentum = options.momentum;
  o.affine = std::int32_t(options.affine);
  o.track_running_stats = std::int32_t(options.track_running_stats);
  o.bias = std::int32_t(options.bias);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_batch_norm3d_create, &o);
}

struct InstanceNormOptions {
  /// added to the variance
  double eps = 1e-5;
  /// part of a new batch in the running statistics
  double momentum = 0.1;
  /// whether there are a weight and a bias
  bool affine = false;
  /// whether running statistics are kept, for evaluation
  bool track_running_stats = false;
  /// whether affine has a bias beside the weight
  bool bias = true;
};
/// Normalisation of x (N, C, L) or (C, L) over each channel of each sample.
/// @param num_features C
inline Module InstanceNorm1d(std::int64_t num_features, const InstanceNormOptions& options = {},
                             const Build& b = {}) {
  haft_instance_norm1d_options o = HAFT_INSTANCE_NORM1D_OPTIONS_INIT;
  o.num_features = num_features;
  o.eps = options.eps;
  o.momentum = options.momentum;
  o.affine = std::int32_t(options.affine);
  o.track_running_stats = std::int32_t(options.track_running_stats);
  o.bias = std::int32_t(options.bias);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_instance_norm1d_create, &o);
}

/// Normalisation of x (N, C, H, W) or (C, H, W) over each channel of each sample.
/// @param num_features C
inline Module InstanceNorm2d(std::int64_t num_features, const InstanceNormOptions& options = {},
                             const Build& b = {}) {
  haft_instance_norm2d_options o = HAFT_INSTANCE_NORM2D_OPTIONS_INIT;
  o.num_features = num_features;
  o.eps = options.eps;
  o.momentum = options.momentum;
  o.affine = std::int32_t(options.affine);
  o.track_running_stats = std::int32_t(options.track_running_stats);
  o.bias = std::int32_t(options.bias);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_instance_norm2d_create, &o);
}

/// Normalisation of x (N, C, D, H, W) or (C, D, H, W) over each channel of each sample.
/// @param num_features C
inline Module InstanceNorm3d(std::int64_t num_features, const InstanceNormOptions& options = {},
                             const Build& b = {}) {
  haft_instance_norm3d_options o = HAFT_INSTANCE_NORM3D_OPTIONS_INIT;
  o.num_features = num_features;
  o.eps = options.eps;
  o.momentum = options.momentum;
  o.affine = std::int32_t(options.affine);
  o.track_running_stats = std::int32_t(options.track_running_stats);
  o.bias = std::int32_t(options.bias);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_instance_norm3d_create, &o);
}

/// Normalisation of x (N, C, *) over each group of channels of each sample (Wu and He, arXiv:1803.08494).
/// @param num_groups groups of channels
/// @param num_channels C, which the groups divide
/// @param eps added to the variance
/// @param affine whether there are a weight and a bias of each channel
/// @param bias whether affine has a bias beside the weight
inline Module GroupNorm(std::int64_t num_groups, std::int64_t num_channels, double eps = 1e-5,
                        bool affine = true, bool bias = true, const Build& b = {}) {
  haft_group_norm_options o = HAFT_GROUP_NORM_OPTIONS_INIT;
  o.num_groups = num_groups;
  o.num_channels = num_channels;
  o.eps = eps;
  o.affine = std::int32_t(affine);
  o.bias = std::int32_t(bias);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_group_norm_create, &o);
}

/// Division by the root of the mean square over the last dimensions (Zhang and Sennrich, arXiv:1910.07467).
/// @param normalized_shape their sizes
/// @param eps added to the mean square; below 0: the epsilon of the dtype, of float32 for 16-bit floats
/// @param elementwise_affine whether there is a weight of these sizes
inline Module RMSNorm(const haft::IntArray& normalized_shape, double eps = -1.0,
                      bool elementwise_affine = true, const Build& b = {}) {
  haft_rms_norm_options o = HAFT_RMS_NORM_OPTIONS_INIT;
  o.normalized_shape = normalized_shape.data();
  o.normalized_shape_count = normalized_shape.size();
  o.eps = eps;
  o.elementwise_affine = std::int32_t(elementwise_affine);
  o.dtype = b.dtype;
  o.device = b.device;
  return detail::create(haft_rms_norm_create, &o);
}

struct EmbeddingBagOptions {
  /// how the rows of a bag become one
  std::int32_t mode = HAFT_BAG_MEAN;
  /// whether the last offset is the end
  bool include_last_offset = false;
  /// a row that does not count, starts at 0 and gets no gradient; negative counts from the end
  std::int64_t padding_idx = HAFT_NONE;
  /// whether the table gets a gradient of rows, which SGD, Adagrad and SparseAdam take; not for maxima
  bool sparse = false;
  /// rows that are longer are scaled to it, in the table itself, when they are looked up; below 0: none
  double max_norm = -1.0;
  /// p of the norm that max_norm limits
  double norm_type = 2.0;
  /// whether a row's gradient is divided by how often it is looked up
  bool scale_grad_by_freq = false;
  /// the table itself, (num_embeddings, embedding_dim), whose memory is shared; none: a new one
  const haft::Tensor& weight = haft::Tensor();
  /// whether the table gets no gradient
  bool freeze = false;
};
/// Sums, means or maxima of a table's rows: bags x (B, N) to (B, embedding_dim). With several inputs these
/// are x (N), where each bag begins (B), and, for sums, a weight of each index.
/// @param num_embeddings rows of the table
/// @param embedding_dim width of a row
inline Module EmbeddingBag(std::int64_t num_embeddings, std::int64_t embedding_dim,
                           const EmbeddingBagOptions& options = {}, const Build& b = {}) {
  haft_embedding_bag_options o = HAFT_EMBEDDING_BAG_OPTIONS_INIT;
  o.num_embeddings = num_embeddings;
  o.embedding_dim = embedding_dim;
  o.mode = options.mode;
  o.include_last_offset = std::int32_t(options.include_last_offset);
  o.padding_idx = options.padding_idx;
  o.sparse = std::int32_t(options.sparse);
  o.max_norm = options.max_norm;
  o.norm_type = options.norm_type;
  o.scale_grad_by_freq = std::int32_t(options.scale_grad_by_freq);
  o.weight = options.weight.get();
  o.freeze = std::int32_t(options.freeze);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_embedding_bag_create, &o);
}

/// x1 weight[k] x2 + bias[k] for each k: two inputs (*, in1_features) and (*, in2_features) to (*,
/// out_features).
/// @param in1_features size of the last dimension of the first input
/// @param in2_features size of the last dimension of the second
/// @param out_features size of the last dimension of outputs
/// @param bias whether a bias is added
inline Module Bilinear(std::int64_t in1_features, std::int64_t in2_features, std::int64_t out_features,
                       bool bias = true, const Build& b = {}) {
  haft_bilinear_options o = HAFT_BILINEAR_OPTIONS_INIT;
  o.in1_features = in1_features;
  o.in2_features = in2_features;
  o.out_features = out_features;
  o.bias = std::int32_t(bias);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_bilinear_create, &o);
}

/// The cosine of the angle between two inputs along a dimension.
/// @param dim the dimension; negative counts from the end
/// @param eps the least norm that counts
inline Module CosineSimilarity(std::int64_t dim = 1, double eps = 1e-8) {
  haft_cosine_similarity_options o = HAFT_COSINE_SIMILARITY_OPTIONS_INIT;
  o.dim = dim;
  o.eps = eps;
  return detail::create(haft_cosine_similarity_create, &o);
}

/// The p-norm of the difference of two inputs over the last dimension.
/// @param p p of the norm
/// @param eps added to the difference
/// @param keepdim whether the last dimension stays, with size 1
inline Module PairwiseDistance(double p = 2.0, double eps = 1e-6, bool keepdim = false) {
  haft_pairwise_distance_options o = HAFT_PAIRWISE_DISTANCE_OPTIONS_INIT;
  o.p = p;
  o.eps = eps;
  o.keepdim = std::int32_t(keepdim);
  return detail::create(haft_pairwise_distance_create, &o);
}

/// What stands next to the edges, mirrored, around (*, W).
/// @param padding one number for all sides, or left, right; negative numbers take elements away
inline Module ReflectionPad1d(const haft::IntArray& padding) {
  haft_reflection_pad1d_options o = HAFT_REFLECTION_PAD1D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_reflection_pad1d_create, &o);
}

/// The edges, repeated, around (*, W).
/// @param padding one number for all sides, or left, right; negative numbers take elements away
inline Module ReplicationPad1d(const haft::IntArray& padding) {
  haft_replication_pad1d_options o = HAFT_REPLICATION_PAD1D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_replication_pad1d_create, &o);
}

/// What stands at the other end around (*, W).
/// @param padding one number for all sides, or left, right; negative numbers take elements away
inline Module CircularPad1d(const haft::IntArray& padding) {
  haft_circular_pad1d_options o = HAFT_CIRCULAR_PAD1D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_circular_pad1d_create, &o);
}

/// Zeros around (*, W).
/// @param padding one number for all sides, or left, right; negative numbers take elements away
inline Module ZeroPad1d(const haft::IntArray& padding) {
  haft_zero_pad1d_options o = HAFT_ZERO_PAD1D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_zero_pad1d_create, &o);
}

/// A value around (*, W).
/// @param padding one number for all sides, or left, right; negative numbers take elements away
/// @param value what stands there
inline Module ConstantPad1d(const haft::IntArray& padding, double value) {
  haft_constant_pad1d_options o = HAFT_CONSTANT_PAD1D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.value = value;
  return detail::create(haft_constant_pad1d_create, &o);
}

/// What stands next to the edges, mirrored, around (*, H, W).
/// @param padding one number for all sides, or left, right, top, bottom; negative numbers take elements away
inline Module ReflectionPad2d(const haft::IntArray& padding) {
  haft_reflection_pad2d_options o = HAFT_REFLECTION_PAD2D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_reflection_pad2d_create, &o);
}

/// The edges, repeated, around (*, H, W).
/// @param padding one number for all sides, or left, right, top, bottom; negative numbers take elements away
inline Module ReplicationPad2d(const haft::IntArray& padding) {
  haft_replication_pad2d_options o = HAFT_REPLICATION_PAD2D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_replication_pad2d_create, &o);
}

/// What stands at the other end around (*, H, W).
/// @param padding one number for all sides, or left, right, top, bottom; negative numbers take elements away
inline Module CircularPad2d(const haft::IntArray& padding) {
  haft_circular_pad2d_options o = HAFT_CIRCULAR_PAD2D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_circular_pad2d_create, &o);
}

/// Zeros around (*, H, W).
/// @param padding one number for all sides, or left, right, top, bottom; negative numbers take elements away
inline Module ZeroPad2d(const haft::IntArray& padding) {
  haft_zero_pad2d_options o = HAFT_ZERO_PAD2D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_zero_pad2d_create, &o);
}

/// A value around (*, H, W).
/// @param padding one number for all sides, or left, right, top, bottom; negative numbers take elements away
/// @param value what stands there
inline Module ConstantPad2d(const haft::IntArray& padding, double value) {
  haft_constant_pad2d_options o = HAFT_CONSTANT_PAD2D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.value = value;
  return detail::create(haft_constant_pad2d_create, &o);
}

/// What stands next to the edges, mirrored, around (*, D, H, W).
/// @param padding one number for all sides, or left, right, top, bottom, front, back; negative numbers take
///   elements away
inline Module ReflectionPad3d(const haft::IntArray& padding) {
  haft_reflection_pad3d_options o = HAFT_REFLECTION_PAD3D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_reflection_pad3d_create, &o);
}

/// The edges, repeated, around (*, D, H, W).
/// @param padding one number for all sides, or left, right, top, bottom, front, back; negative numbers take
///   elements away
inline Module ReplicationPad3d(const haft::IntArray& padding) {
  haft_replication_pad3d_options o = HAFT_REPLICATION_PAD3D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_replication_pad3d_create, &o);
}

/// What stands at the other end around (*, D, H, W).
/// @param padding one number for all sides, or left, right, top, bottom, front, back; negative numbers take
///   elements away
inline Module CircularPad3d(const haft::IntArray& padding) {
  haft_circular_pad3d_options o = HAFT_CIRCULAR_PAD3D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_circular_pad3d_create, &o);
}

/// Zeros around (*, D, H, W).
/// @param padding one number for all sides, or left, right, top, bottom, front, back; negative numbers take
///   elements away
inline Module ZeroPad3d(const haft::IntArray& padding) {
  haft_zero_pad3d_options o = HAFT_ZERO_PAD3D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  return detail::create(haft_zero_pad3d_create, &o);
}

/// A value around (*, D, H, W).
/// @param padding one number for all sides, or left, right, top, bottom, front, back; negative numbers take
///   elements away
/// @param value what stands there
inline Module ConstantPad3d(const haft::IntArray& padding, double value) {
  haft_constant_pad3d_options o = HAFT_CONSTANT_PAD3D_OPTIONS_INIT;
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.value = value;
  return detail::create(haft_constant_pad3d_create, &o);
}

/// Puts the maxima of (N, C, L) or (C, L) back where MaxPool1d found them, 0 elsewhere: maxima and their
/// indices.
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param padding what the pooling put on each side; none: 0
/// @param output_size sizes of the result; none: the smallest that fit
inline Module MaxUnpool1d(const haft::IntArray& kernel_size, const haft::IntArray& stride = haft::IntArray(),
                          const haft::IntArray& padding = haft::IntArray(),
                          const haft::IntArray& output_size = haft::IntArray()) {
  haft_max_unpool1d_options o = HAFT_MAX_UNPOOL1D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  return detail::create(haft_max_unpool1d_create, &o);
}

/// Puts the maxima of (N, C, H, W) or (C, H, W) back where MaxPool2d found them, 0 elsewhere: maxima and
/// their indices.
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param padding what the pooling put on each side; none: 0
/// @param output_size sizes of the result; none: the smallest that fit
inline Module MaxUnpool2d(const haft::IntArray& kernel_size, const haft::IntArray& stride = haft::IntArray(),
                          const haft::IntArray& padding = haft::IntArray(),
                          const haft::IntArray& output_size = haft::IntArray()) {
  haft_max_unpool2d_options o = HAFT_MAX_UNPOOL2D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  return detail::create(haft_max_unpool2d_create, &o);
}

/// Puts the maxima of (N, C, D, H, W) or (C, D, H, W) back where MaxPool3d found them, 0 elsewhere: maxima
/// and their indices.
/// @param kernel_size size of the window, a number or one for each dimension
/// @param stride steps between windows; none: kernel_size
/// @param padding what the pooling put on each side; none: 0
/// @param output_size sizes of the result; none: the smallest that fit
inline Module MaxUnpool3d(const haft::IntArray& kernel_size, const haft::IntArray& stride = haft::IntArray(),
                          const haft::IntArray& padding = haft::IntArray(),
                          const haft::IntArray& output_size = haft::IntArray()) {
  haft_max_unpool3d_options o = HAFT_MAX_UNPOOL3D_OPTIONS_INIT;
  o.kernel_size = kernel_size.data();
  o.kernel_size_count = kernel_size.size();
  o.stride = stride.data();
  o.stride_count = stride.size();
  o.padding = padding.data();
  o.padding_count = padding.size();
  o.output_size = output_size.data();
  o.output_size_count = output_size.size();
  return detail::create(haft_max_unpool3d_create, &o);
}

struct UpsampleOptions {
  /// sizes behind the channels, a number or one for each dimension; none: by the factor
  const haft::IntArray& size = haft::IntArray();
  /// factor of the sizes where size is absent
  double scale_factor = 1.0;
  /// how values between those that there are, are found
  std::int32_t mode = HAFT_INTERPOLATE_NEAREST;
  /// whether the outermost elements keep their places
  bool align_corners = false;
  /// another factor of the last dimension but one; 0: scale_factor
  double scale_h = 0;
  /// another factor of the one before; 0: scale_factor
  double scale_d = 0;
  /// whether places follow from the rounded sizes
  bool recompute_scale_factor = false;
};
/// Resamples x (N, C, *) with one to three dimensions behind the channels.
inline Module Upsample(const UpsampleOptions& options = {}) {
  haft_upsample_options o = HAFT_UPSAMPLE_OPTIONS_INIT;
  o.size = options.size.data();
  o.size_count = options.size.size();
  o.scale_factor = options.scale_factor;
  o.mode = options.mode;
  o.align_corners = std::int32_t(options.align_corners);
  o.scale_h = options.scale_h;
  o.scale_d = options.scale_d;
  o.recompute_scale_factor = std::int32_t(options.recompute_scale_factor);
  return detail::create(haft_upsample_create, &o);
}

/// Resamples x (N, C, H, W) by the nearest element.
/// @param size sizes behind the channels, a number or one for each dimension; none: by the factor
/// @param scale_factor factor of the sizes where size is absent
inline Module UpsamplingNearest2d(const haft::IntArray& size = haft::IntArray(), double scale_factor = 1.0) {
  haft_upsampling_nearest2d_options o = HAFT_UPSAMPLING_NEAREST2D_OPTIONS_INIT;
  o.size = size.data();
  o.size_count = size.size();
  o.scale_factor = scale_factor;
  return detail::create(haft_upsampling_nearest2d_create, &o);
}

/// Resamples x (N, C, H, W) bilinearly; the corners keep their places.
/// @param size sizes behind the channels, a number or one for each dimension; none: by the factor
/// @param scale_factor factor of the sizes where size is absent
inline Module UpsamplingBilinear2d(const haft::IntArray& size = haft::IntArray(), double scale_factor = 1.0) {
  haft_upsampling_bilinear2d_options o = HAFT_UPSAMPLING_BILINEAR2D_OPTIONS_INIT;
  o.size = size.data();
  o.size_count = size.size();
  o.scale_factor = scale_factor;
  return detail::create(haft_upsampling_bilinear2d_create, &o);
}

/// Zeroes whole channels of x (N, C, L) or (C, L) with probability p while training, and scales the rest by 1
/// / (1 - p).
/// @param p the probability
inline Module Dropout1d(double p = 0.5, haft_generator* generator = nullptr) {
  haft_dropout1d_options o = HAFT_DROPOUT1D_OPTIONS_INIT;
  o.p = p;
  o.generator = generator;
  return detail::create(haft_dropout1d_create, &o);
}

/// Zeroes whole channels of x (N, C, H, W) with probability p while training, and scales the rest by 1 / (1 -
/// p).
/// @param p the probability
inline Module Dropout2d(double p = 0.5, haft_generator* generator = nullptr) {
  haft_dropout2d_options o = HAFT_DROPOUT2D_OPTIONS_INIT;
  o.p = p;
  o.generator = generator;
  return detail::create(haft_dropout2d_create, &o);
}

/// Zeroes whole channels of x (N, C, D, H, W) or (C, D, H, W) with probability p while training, and scales
/// the rest by 1 / (1 - p).
/// @param p the probability
inline Module Dropout3d(double p = 0.5, haft_generator* generator = nullptr) {
  haft_dropout3d_options o = HAFT_DROPOUT3D_OPTIONS_INIT;
  o.p = p;
  o.generator = generator;
  return detail::create(haft_dropout3d_create, &o);
}

/// Dropout that keeps mean and variance of what SELU gives.
/// @param p the probability
inline Module AlphaDropout(double p = 0.5, haft_generator* generator = nullptr) {
  haft_alpha_dropout_options o = HAFT_ALPHA_DROPOUT_OPTIONS_INIT;
  o.p = p;
  o.generator = generator;
  return detail::create(haft_alpha_dropout_create, &o);
}

/// AlphaDropout of whole channels of x (N, C, *).
/// @param p the probability
inline Module FeatureAlphaDropout(double p = 0.5, haft_generator* generator = nullptr) {
  haft_feature_alpha_dropout_options o = HAFT_FEATURE_ALPHA_DROPOUT_OPTIONS_INIT;
  o.p = p;
  o.generator = generator;
  return detail::create(haft_feature_alpha_dropout_create, &o);
}

/// x above 0, below it times a slope that is drawn from [lower, upper) while training, and their mean else.
/// @param lower the least slope
/// @param upper the greatest
inline Module RReLU(double lower = 1.0 / 8, double upper = 1.0 / 3, haft_generator* generator = nullptr) {
  haft_rrelu_options o = HAFT_RRELU_OPTIONS_INIT;
  o.lower = lower;
  o.upper = upper;
  o.generator = generator;
  return detail::create(haft_rrelu_create, &o);
}

/// min(max(x, 0), 6).
inline Module ReLU6() { return detail::create(haft_relu6_create); }

/// softmax of -x along a dimension.
/// @param dim the dimension; negative counts from the end
inline Module Softmin(std::int64_t dim) {
  haft_softmin_options o = HAFT_SOFTMIN_OPTIONS_INIT;
  o.dim = dim;
  return detail::create(haft_softmin_create, &o);
}

/// softmax over the channels of x (N, C, H, W) or (C, H, W).
inline Module Softmax2d() { return detail::create(haft_softmax2d_create); }

/// A dimension as several.
/// @param dim the dimension; negative counts from the end
/// @param unflattened_size their sizes, of which one may be -1
inline Module Unflatten(std::int64_t dim, const haft::IntArray& unflattened_size) {
  haft_unflatten_options o = HAFT_UNFLATTEN_OPTIONS_INIT;
  o.dim = dim;
  o.unflattened_size = unflattened_size.data();
  o.unflattened_size_count = unflattened_size.size();
  return detail::create(haft_unflatten_create, &o);
}

/// Log-probabilities of many classes of which few are frequent (Grave et al., arXiv:1609.04309): x (N,
/// in_features) or (in_features) and its classes, (N) or none, to the target's log-probability each and the
/// mean loss; x alone to the log-probabilities of all classes.
/// @param in_features size of a row of x
/// @param n_classes how many classes there are, the frequent ones first
/// @param cutoffs where clusters end, rising; n_classes may stand at the end or not
/// @param div_value by which the width of each further cluster is divided
/// @param head_bias whether the first cluster has a bias
inline Module AdaptiveLogSoftmaxWithLoss(std::int64_t in_features, std::int64_t n_classes,
                                         const haft::IntArray& cutoffs, double div_value = 4.0,
                                         bool head_bias = false, const Build& b = {}) {
  haft_adaptive_log_softmax_with_loss_options o = HAFT_ADAPTIVE_LOG_SOFTMAX_WITH_LOSS_OPTIONS_INIT;
  o.in_features = in_features;
  o.n_classes = n_classes;
  o.cutoffs = cutoffs.data();
  o.cutoffs_count = cutoffs.size();
  o.div_value = div_value;
  o.head_bias = std::int32_t(head_bias);
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_adaptive_log_softmax_with_loss_create, &o);
}

struct LinearCrossEntropyOptions {
  /// sizes of the targets of a row of x; none: one class
  const haft::IntArray& out_features = haft::IntArray();
  /// whether the linear layer has a bias
  bool bias = false;
  /// weight of each class
  const haft::Tensor& weight = haft::Tensor();
  /// how the losses of all elements become one number, or not
  std::int32_t reduction = HAFT_REDUCTION_MEAN;
  /// a class that does not count
  std::int64_t ignore_index = -100;
  /// part of the target that all classes share
  double label_smoothing = 0.0;
};
/// The cross entropy of scores that a linear layer makes of x, of which few are in memory at a time: x (N,
/// in_features) or (in_features) and its classes, (N, *out_features) or (*out_features), to the loss.
/// Probabilities (N, num_classes, *out_features) may stand for classes; these, and out_features, have all
/// scores at once.
/// @param in_features size of a row of x
/// @param num_classes how many classes there are
inline Module LinearCrossEntropyLoss(std::int64_t in_features, std::int64_t num_classes,
                                     const LinearCrossEntropyOptions& options = {}, const Build& b = {}) {
  haft_linear_cross_entropy_loss_options o = HAFT_LINEAR_CROSS_ENTROPY_LOSS_OPTIONS_INIT;
  o.in_features = in_features;
  o.num_classes = num_classes;
  o.out_features = options.out_features.data();
  o.out_features_count = options.out_features.size();
  o.bias = std::int32_t(options.bias);
  o.weight = options.weight.get();
  o.reduction = options.reduction;
  o.ignore_index = options.ignore_index;
  o.label_smoothing = options.label_smoothing;
  o.dtype = b.dtype;
  o.device = b.device;
  o.generator = b.generator;
  return detail::create(haft_linear_cross_entropy_loss_create, &o);
}

/// A parametrization: lengths original0 times directions original1 / |original1| (Salimans and Kingma,
/// arXiv:1602.07868).
/// @param dim whose slices have lengths of their own; -1: one length for all
inline Module WeightNorm(std::int64_t dim = 0) {
  haft_weight_norm_options o = HAFT_WEIGHT_NORM_OPTIONS_INIT;
  o.dim = dim;
  return detail::create(haft_weight_norm_create, &o);
}

/// A parametrization: original over its largest singular value, by power iterations that go on with each use
/// in training (Miyato et al., arXiv:1802.05957).
/// @param n_power_iterations how many each use makes, at least 1
/// @param eps the least norm that vectors are divided by
/// @param dim which dimension of the weight are rows; none: 1 of transposed convolutions, 0 of others
inline Module SpectralNorm(std::int64_t n_power_iterations = 1, double eps = 1e-12,
                           std::int64_t dim = HAFT_NONE) {
  haft_spectral_norm_options o = HAFT_SPECTRAL_NORM_OPTIONS_INIT;
  o.n_power_iterations = n_power_iterations;
  o.eps = eps;
  o.dim = dim;
  return detail::create(haft_spectral_norm_create, &o);
}

/// A parametrization: a free matrix (*, m, n) as one with orthonormal columns, or rows where those are fewer.
/// @param orthogonal_map how; automatic: matrix_exp for square matrices, householder for others
/// @param use_trivialization whether the map begins at a base, the weight made orthogonal, so that any value
///   can be assigned (Casado, arXiv:1909.09501)
inline Module Orthogonal(std::int32_t orthogonal_map = HAFT_ORTHOGONAL_AUTOMATIC,
                         bool use_trivialization = true) {
  haft_orthogonal_options o = HAFT_ORTHOGONAL_OPTIONS_INIT;
  o.orthogonal_map = orthogonal_map;
  o.use_trivialization = std::int32_t(use_trivialization);
  return detail::create(haft_orthogonal_create, &o);
}

/// -log softmax(input)[target]: scores (N, C, *) against class indices (N, *) or probabilities.
/// @param weight weight of each class
/// @param ignore_index a class that does not count
/// @param reduction how the losses of all elements become one number, or not
/// @param label_smoothing part of the target that all classes share
inline Module CrossEntropyLoss(const haft::Tensor& weight = haft::Tensor(), std::int64_t ignore_index = -100,
                               std::int32_t reduction = HAFT_REDUCTION_MEAN, double label_smoothing = 0.0) {
  haft_cross_entropy_loss_options o = HAFT_CROSS_ENTROPY_LOSS_OPTIONS_INIT;
  o.weight = weight.get();
  o.ignore_index = ignore_index;
  o.reduction = reduction;
  o.label_smoothing = label_smoothing;
  return detail::create(haft_cross_entropy_loss_create, &o);
}

/// -input[target] for log-probabilities (N, C, *) and class indices (N, *).
/// @param weight weight of each class
/// @param ignore_index a class that does not count
/// @param reduction how the losses of all elements become one number, or not
inline Module NLLLoss(const haft::Tensor& weight = haft::Tensor(), std::int64_t ignore_index = -100,
                      std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_nll_loss_options o = HAFT_NLL_LOSS_OPTIONS_INIT;
  o.weight = weight.get();
  o.ignore_index = ignore_index;
  o.reduction = reduction;
  return detail::create(haft_nll_loss_create, &o);
}

/// (input - target)^2.
/// @param reduction how the losses of all elements become one number, or not
inline Module MSELoss(std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_mse_loss_options o = HAFT_MSE_LOSS_OPTIONS_INIT;
  o.reduction = reduction;
  return detail::create(haft_mse_loss_create, &o);
}

/// |input - target|.
/// @param reduction how the losses of all elements become one number, or not
inline Module L1Loss(std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_l1_loss_options o = HAFT_L1_LOSS_OPTIONS_INIT;
  o.reduction = reduction;
  return detail::create(haft_l1_loss_create, &o);
}

/// Quadratic below beta, linear above.
/// @param reduction how the losses of all elements become one number, or not
/// @param beta where the quadratic part ends; 0: L1Loss
inline Module SmoothL1Loss(std::int32_t reduction = HAFT_REDUCTION_MEAN, double beta = 1.0) {
  haft_smooth_l1_loss_options o = HAFT_SMOOTH_L1_LOSS_OPTIONS_INIT;
  o.reduction = reduction;
  o.beta = beta;
  return detail::create(haft_smooth_l1_loss_create, &o);
}

/// Quadratic below delta, delta times linear above.
/// @param reduction how the losses of all elements become one number, or not
/// @param delta where the linear part begins
inline Module HuberLoss(std::int32_t reduction = HAFT_REDUCTION_MEAN, double delta = 1.0) {
  haft_huber_loss_options o = HAFT_HUBER_LOSS_OPTIONS_INIT;
  o.reduction = reduction;
  o.delta = delta;
  return detail::create(haft_huber_loss_create, &o);
}

/// The cross entropy of probabilities and targets from 0 to 1.
/// @param weight weight of each element
/// @param reduction how the losses of all elements become one number, or not
inline Module BCELoss(const haft::Tensor& weight = haft::Tensor(),
                      std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_bce_loss_options o = HAFT_BCE_LOSS_OPTIONS_INIT;
  o.weight = weight.get();
  o.reduction = reduction;
  return detail::create(haft_bce_loss_create, &o);
}

/// The cross entropy of sigmoid(input) and targets from 0 to 1, without overflow.
/// @param weight weight of each element
/// @param reduction how the losses of all elements become one number, or not
/// @param pos_weight weight of the positive targets of each class
inline Module BCEWithLogitsLoss(const haft::Tensor& weight = haft::Tensor(),
                                std::int32_t reduction = HAFT_REDUCTION_MEAN,
                                const haft::Tensor& pos_weight = haft::Tensor()) {
  haft_bce_with_logits_loss_options o = HAFT_BCE_WITH_LOGITS_LOSS_OPTIONS_INIT;
  o.weight = weight.get();
  o.reduction = reduction;
  o.pos_weight = pos_weight.get();
  return detail::create(haft_bce_with_logits_loss_create, &o);
}

/// target (log target - input) for log-probabilities input; its reduction may also be batchmean, the sum over
/// the size of the first dimension.
/// @param reduction how the losses of all elements become one number, or not
/// @param log_target whether the target is in logarithms, too
inline Module KLDivLoss(std::int32_t reduction = HAFT_REDUCTION_MEAN, bool log_target = false) {
  haft_kl_div_loss_options o = HAFT_KL_DIV_LOSS_OPTIONS_INIT;
  o.reduction = reduction;
  o.log_target = std::int32_t(log_target);
  return detail::create(haft_kl_div_loss_create, &o);
}

/// Negative logarithm of a Poisson distribution.
/// @param log_input whether the input is the logarithm of the rate
/// @param full whether Stirling's term for the target counts, too
/// @param eps added to the argument of the logarithm
/// @param reduction how the losses of all elements become one number, or not
inline Module PoissonNLLLoss(bool log_input = true, bool full = false, double eps = 1e-8,
                             std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_poisson_nll_loss_options o = HAFT_POISSON_NLL_LOSS_OPTIONS_INIT;
  o.log_input = std::int32_t(log_input);
  o.full = std::int32_t(full);
  o.eps = eps;
  o.reduction = reduction;
  return detail::create(haft_poisson_nll_loss_create, &o);
}

/// Negative logarithm of normal distributions with means input and variances var.
/// @param full whether the constant term counts, too
/// @param eps the least variance that counts
/// @param reduction how the losses of all elements become one number, or not
inline Module GaussianNLLLoss(bool full = false, double eps = 1e-6,
                              std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_gaussian_nll_loss_options o = HAFT_GAUSSIAN_NLL_LOSS_OPTIONS_INIT;
  o.full = std::int32_t(full);
  o.eps = eps;
  o.reduction = reduction;
  return detail::create(haft_gaussian_nll_loss_create, &o);
}

/// input where target is 1, max(0, margin - input) where it is -1.
/// @param margin the distance from which on nothing is lost
/// @param reduction how the losses of all elements become one number, or not
inline Module HingeEmbeddingLoss(double margin = 1.0, std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_hinge_embedding_loss_options o = HAFT_HINGE_EMBEDDING_LOSS_OPTIONS_INIT;
  o.margin = margin;
  o.reduction = reduction;
  return detail::create(haft_hinge_embedding_loss_create, &o);
}

/// log(1 + exp(-target input)).
/// @param reduction how the losses of all elements become one number, or not
inline Module SoftMarginLoss(std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_soft_margin_loss_options o = HAFT_SOFT_MARGIN_LOSS_OPTIONS_INIT;
  o.reduction = reduction;
  return detail::create(haft_soft_margin_loss_create, &o);
}

/// max(0, -target (input1 - input2) + margin).
/// @param margin by how much the order is to be kept
/// @param reduction how the losses of all elements become one number, or not
inline Module MarginRankingLoss(double margin = 0.0, std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_margin_ranking_loss_options o = HAFT_MARGIN_RANKING_LOSS_OPTIONS_INIT;
  o.margin = margin;
  o.reduction = reduction;
  return detail::create(haft_margin_ranking_loss_create, &o);
}

/// 1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1.
/// @param margin the cosine up to which nothing is lost
/// @param reduction how the losses of all elements become one number, or not
inline Module CosineEmbeddingLoss(double margin = 0.0, std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_cosine_embedding_loss_options o = HAFT_COSINE_EMBEDDING_LOSS_OPTIONS_INIT;
  o.margin = margin;
  o.reduction = reduction;
  return detail::create(haft_cosine_embedding_loss_create, &o);
}

/// max(0, d(anchor, positive) - d(anchor, negative) + margin) with the distance of the p-norm.
/// @param margin by how much the negative is to be farther away
/// @param p p of the norm
/// @param eps added to differences, keeps distances away from 0
/// @param swap whether the positive's distance to the negative counts where that is smaller
/// @param reduction how the losses of all elements become one number, or not
inline Module TripletMarginLoss(double margin = 1.0, double p = 2.0, double eps = 1e-6, bool swap = false,
                                std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_triplet_margin_loss_options o = HAFT_TRIPLET_MARGIN_LOSS_OPTIONS_INIT;
  o.margin = margin;
  o.p = p;
  o.eps = eps;
  o.swap = std::int32_t(swap);
  o.reduction = reduction;
  return detail::create(haft_triplet_margin_loss_create, &o);
}

/// Mean over the other classes of max(0, margin - input[target] + input[i])^p.
/// @param p the power, 1 or 2
/// @param margin by how much the target's score is to be larger
/// @param weight weight of each class
/// @param reduction how the losses of all elements become one number, or not
inline Module MultiMarginLoss(std::int64_t p = 1, double margin = 1.0,
                              const haft::Tensor& weight = haft::Tensor(),
                              std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_multi_margin_loss_options o = HAFT_MULTI_MARGIN_LOSS_OPTIONS_INIT;
  o.p = p;
  o.margin = margin;
  o.weight = weight.get();
  o.reduction = reduction;
  return detail::create(haft_multi_margin_loss_create, &o);
}

/// Hinge loss between each target class and each other one; a row of targets ends at its first -1.
/// @param reduction how the losses of all elements become one number, or not
inline Module MultiLabelMarginLoss(std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_multilabel_margin_loss_options o = HAFT_MULTILABEL_MARGIN_LOSS_OPTIONS_INIT;
  o.reduction = reduction;
  return detail::create(haft_multilabel_margin_loss_create, &o);
}

/// The cross entropy of sigmoid(input) for each class, mean over the classes.
/// @param weight weight of each class
/// @param reduction how the losses of all elements become one number, or not
inline Module MultiLabelSoftMarginLoss(const haft::Tensor& weight = haft::Tensor(),
                                       std::int32_t reduction = HAFT_REDUCTION_MEAN) {
  haft_multilabel_soft_margin_loss_options o = HAFT_MULTILABEL_SOFT_MARGIN_LOSS_OPTIONS_INIT;
  o.weight = weight.get();
  o.reduction = reduction;
  return detail::create(haft_multilabel_soft_margin_loss_create, &o);
}

/// -log of the probability of each target over all ways to spread it over the steps (Graves et al., 2006):
/// log-probabilities (T, N, C), targets (N, S) or one after the other, and the lengths (N) of both.
/// @param blank the class that stands for nothing
/// @param reduction how the losses of all elements become one number, or not
/// @param zero_infinity whether the loss of a target that does not fit is 0 in place of infinite
inline Module CTCLoss(std::int64_t blank = 0, std::int32_t reduction = HAFT_REDUCTION_MEAN,
                      bool zero_infinity = false) {
  haft_ctc_loss_options o = HAFT_CTC_LOSS_OPTIONS_INIT;
  o.blank = blank;
  o.reduction = reduction;
  o.zero_infinity = std::int32_t(zero_infinity);
  return detail::create(haft_ctc_loss_create, &o);
}

}  // namespace nn
}  // namespace haft
#endif
