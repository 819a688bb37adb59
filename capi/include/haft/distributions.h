/* Probability distributions: drawn from, asked for densities, moments, entropies and divergences, with gradients.
 * docs/distributions.md lists the kinds with their parameters.
 *
 * A distribution stands for batch_shape independent variables, each with values of event_shape. It is computed with
 * the operators: gradients go to its parameters, and results have their dtype and device. It never changes, and keeps
 * its parameters alive. What a kind has not (the mean of a RelaxedBernoulli, say) is answered by
 * HAFT_ERROR_UNSUPPORTED. */
#ifndef HAFT_DISTRIBUTIONS_H
#define HAFT_DISTRIBUTIONS_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_distribution haft_distribution;
/* A map of values with an inverse. It never changes, and keeps its parameters alive. */
typedef struct haft_variable_transform haft_variable_transform;

/**
 * @brief A distribution of a kind of docs/distributions.md.
 * @param[in]  name           PyTorch's name of the kind: "Normal"
 * @param[in]  parameters     in the order of that page, broadcast to one shape and brought to one floating dtype: that
 *     of those with dimensions. An entry may be NULL where the parameter has a default or another one is given in its
 *     place (probs or logits)
 * @param[in]  count          number of parameters; those behind are absent
 * @param[in]  validate_args  0 or 1: whether parameters now and values later are checked against what they may be,
 *     which waits for their device
 * @param[out] out            a new distribution; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an unknown name, a parameter that is absent or one that does not
 *     satisfy its constraint, HAFT_ERROR_SHAPE, HAFT_ERROR_DEVICE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_create(const char* name, haft_tensor* const* parameters, int64_t count,
                                              int32_t validate_args, haft_distribution** out) HAFT_NOTHROW;

/**
 * @brief The last dimensions of a distribution's batch_shape as dimensions of its event_shape.
 * @param[in]  base                       retained
 * @param[in]  reinterpreted_batch_ndims  how many
 * @param[in]  validate_args              0 or 1, as in haft_distribution_create
 * @param[out] out                        a new distribution; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for more dimensions than there are.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_independent_create(const haft_distribution* base, int64_t reinterpreted_batch_ndims,
                                             int32_t validate_args, haft_distribution** out) HAFT_NOTHROW;

/**
 * @brief A mixture of distributions of one kind.
 * @param[in]  mixture        a Categorical: the probability of each component; retained
 * @param[in]  component      whose last dimension of batch_shape counts the components; retained
 * @param[in]  validate_args  0 or 1, as in haft_distribution_create
 * @param[out] out            a new distribution; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT where the mixture is no Categorical, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_mixture_same_family_create(const haft_distribution* mixture,
                                                     const haft_distribution* component, int32_t validate_args,
                                                     haft_distribution** out) HAFT_NOTHROW;

/**
 * @brief What transforms make, one after the other, of a distribution's values: an exponential of a normal variable,
 *        say.
 * @param[in]  base           whose values go through them; it is expanded to what their parameters make of it; retained
 * @param[in]  transforms     the first one is applied first; retained
 * @param[in]  count          number of transforms
 * @param[in]  validate_args  0 or 1, as in haft_distribution_create
 * @param[out] out            a new distribution, which knows densities, samples, and for single numbers cdf and icdf;
 *     the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE where the base has too few dimensions.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_transformed_distribution_create(const haft_distribution* base,
                                                          haft_variable_transform* const* transforms, int64_t count,
                                                          int32_t validate_args, haft_distribution** out) HAFT_NOTHROW;

/**
 * @brief One more owner of the handle.
 * @param[in] d  the distribution
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_retain(haft_distribution* d) HAFT_NOTHROW;

/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in] d  the distribution
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_distribution_release(haft_distribution* d) HAFT_NOTHROW;

/**
 * @brief The name of its kind: "Normal".
 * @param[in]  d         the distribution
 * @param[out] buffer    receives the text; NULL with capacity 0 only asks for its size
 * @param[in]  capacity  bytes of buffer
 * @param[out] needed    bytes of the text with its final 0
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a buffer that is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_get_name(const haft_distribution* d, char* buffer, int64_t capacity,
                                                int64_t* needed) HAFT_NOTHROW;

/**
 * @brief What its values are, as PyTorch writes it: "GreaterThan(lower_bound=0.0)".
 * @param[in]  d         the distribution
 * @param[out] buffer    receives the text; NULL with capacity 0 only asks for its size
 * @param[in]  capacity  bytes of buffer
 * @param[out] needed    bytes of the text with its final 0
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a buffer that is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_get_support(const haft_distribution* d, char* buffer, int64_t capacity,
                                                   int64_t* needed) HAFT_NOTHROW;

/**
 * @brief Its kind and parameters: "Normal(loc: 0, scale: 1)". Single numbers are read from the device.
 * @param[in]  d         the distribution
 * @param[out] buffer    receives the text; NULL with capacity 0 only asks for its size
 * @param[in]  capacity  bytes of buffer
 * @param[out] needed    bytes of the text with its final 0
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a buffer that is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_to_string(const haft_distribution* d, char* buffer, int64_t capacity,
                                                 int64_t* needed) HAFT_NOTHROW;

/**
 * @brief The shape of the independent variables.
 * @param[in]  d         the distribution
 * @param[out] sizes     receives them; NULL with capacity 0 only asks how many there are
 * @param[in]  capacity  room in sizes
 * @param[out] count     number of dimensions
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for too little room.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_get_batch_shape(const haft_distribution* d, int64_t* sizes, int64_t capacity,
                                                       int64_t* count) HAFT_NOTHROW;

/**
 * @brief The shape of one value.
 * @param[in]  d         the distribution
 * @param[out] sizes     receives them; NULL with capacity 0 only asks how many there are
 * @param[in]  capacity  room in sizes
 * @param[out] count     number of dimensions
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for too little room.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_get_event_shape(const haft_distribution* d, int64_t* sizes, int64_t capacity,
                                                       int64_t* count) HAFT_NOTHROW;

/**
 * @brief 1 when haft_distribution_rsample is there.
 * @param[in]  d    the distribution
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_has_rsample(const haft_distribution* d, int32_t* out) HAFT_NOTHROW;

/**
 * @brief 1 when haft_distribution_enumerate_support is there.
 * @param[in]  d    the distribution
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_has_enumerate_support(const haft_distribution* d, int32_t* out) HAFT_NOTHROW;

/**
 * @brief A parameter, or what follows from those that were given: logits from probs, scale_tril from covariance_matrix.
 * @param[in]  d     the distribution
 * @param[in]  name  the parameter's name
 * @param[out] out   a new tensor; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT where there is none of that name.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_parameter(const haft_distribution* d, const char* name,
                                                 haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Draws values, without gradients.
 * @param[in]     d                   the distribution
 * @param[in]     sample_shape        what stands before batch_shape and event_shape
 * @param[in]     sample_shape_count  number of its dimensions
 * @param[in,out] generator           generator; NULL for the calling thread's default one
 * @param[out]    out                 sample_shape + batch_shape + event_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED, HAFT_ERROR_OVERFLOW, HAFT_ERROR_SHAPE.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_sample(const haft_distribution* d, const int64_t* sample_shape,
                                              int64_t sample_shape_count, haft_generator* generator,
                                              haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Draws values that gradients pass through to the parameters.
 * @param[in]     d                   the distribution
 * @param[in]     sample_shape        what stands before batch_shape and event_shape
 * @param[in]     sample_shape_count  number of its dimensions
 * @param[in,out] generator           generator; NULL for the calling thread's default one
 * @param[out]    out                 sample_shape + batch_shape + event_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED, HAFT_ERROR_OVERFLOW, HAFT_ERROR_SHAPE.
 * @note Thread class: any; exclusive on generator.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_rsample(const haft_distribution* d, const int64_t* sample_shape,
                                               int64_t sample_shape_count, haft_generator* generator,
                                               haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The logarithm of the density, or of the probability, of values.
 * @param[in]  d      the distribution
 * @param[in]  value  broadcasts with batch_shape + event_shape
 * @param[out] out    the broadcast shape without the event's dimensions; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_UNSUPPORTED, HAFT_ERROR_INVALID_ARGUMENT for what is no value of the
 *     distribution, where arguments are validated.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_log_prob(const haft_distribution* d, const haft_tensor* value,
                                                haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The probability of a value that is not above.
 * @param[in]  d      the distribution
 * @param[in]  value  broadcasts with batch_shape + event_shape
 * @param[out] out    the broadcast shape without the event's dimensions; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_UNSUPPORTED, HAFT_ERROR_INVALID_ARGUMENT for what is no value of the
 *     distribution, where arguments are validated.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_cdf(const haft_distribution* d, const haft_tensor* value,
                                           haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The value that a variable stays below with a probability.
 * @param[in]  d      the distribution
 * @param[in]  value  probabilities, which broadcast with batch_shape
 * @param[out] out    the broadcast shape without the event's dimensions; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE, HAFT_ERROR_UNSUPPORTED, HAFT_ERROR_INVALID_ARGUMENT for what is no value of the
 *     distribution, where arguments are validated.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_icdf(const haft_distribution* d, const haft_tensor* value,
                                            haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Whether values are possible.
 * @param[in]  d      the distribution
 * @param[in]  value  broadcasts with batch_shape + event_shape
 * @param[out] out    bool, without the event's dimensions; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_in_support(const haft_distribution* d, const haft_tensor* value,
                                                  haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The mean.
 * @param[in]  d    the distribution
 * @param[out] out  batch_shape + event_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_mean(const haft_distribution* d, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The likeliest value.
 * @param[in]  d    the distribution
 * @param[out] out  batch_shape + event_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_mode(const haft_distribution* d, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The variance, that of each part where values are vectors.
 * @param[in]  d    the distribution
 * @param[out] out  batch_shape + event_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_variance(const haft_distribution* d, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The root of the variance.
 * @param[in]  d    the distribution
 * @param[out] out  batch_shape + event_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_stddev(const haft_distribution* d, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The entropy in nats: the mean of -log_prob.
 * @param[in]  d    the distribution
 * @param[out] out  batch_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_entropy(const haft_distribution* d, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief exp of the entropy.
 * @param[in]  d    the distribution
 * @param[out] out  batch_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_perplexity(const haft_distribution* d, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief All values of a distribution that has finitely many, along a new first dimension.
 * @param[in]  d       the distribution
 * @param[in]  expand  0 or 1: whether each variable of the batch has its own, in place of 1 for each dimension
 * @param[out] out     (n, batch_shape, event_shape); the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_enumerate_support(const haft_distribution* d, int32_t expand,
                                                         haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief The same with a larger batch_shape; parameters are expanded, not copied.
 * @param[in]  d                  the distribution
 * @param[in]  batch_shape        to which its own broadcasts
 * @param[in]  batch_shape_count  number of dimensions
 * @param[out] out                a new distribution; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_expand(const haft_distribution* d, const int64_t* batch_shape,
                                              int64_t batch_shape_count, haft_distribution** out) HAFT_NOTHROW;

/**
 * @brief The Kullback-Leibler divergence: the mean of log p(x) - log q(x) over x drawn from p.
 * @param[in]  p    what is drawn from
 * @param[in]  q    what it is compared with
 * @param[out] out  the broadcast batch_shape; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED for a pair without a rule, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_distribution_kl_divergence(const haft_distribution* p, const haft_distribution* q,
                                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Whether values are what parameters and values of distributions may be.
 * @param[in]  name   real, positive, nonnegative, unit_interval, half_open_unit, boolean, nonnegative_integer,
 *     simplex, one_hot, real_vector, positive_vector, real_matrix, lower_cholesky, positive_definite or corr_cholesky
 * @param[in]  value  the last dimension is a vector, the last two are a matrix where the constraint is of those
 * @param[out] out    bool, without these dimensions; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an unknown name, HAFT_ERROR_SHAPE for too few dimensions.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_constraint_check(const char* name, const haft_tensor* value, haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief A transform by PyTorch's name without "Transform": Abs (|x|), Affine (loc + scale x), CorrCholesky (vectors
 *     (..., n (n - 1) / 2) to Cholesky factors (..., n, n) of correlation matrices), Exp, LowerCholesky (matrices to
 *     lower triangular ones, exp of their diagonal), PositiveDefinite (that times its transpose), Power (x^exponent,
 *     of what is above 0), Reshape (the last dimensions), Sigmoid, Softmax and StickBreaking (vectors to parts of a
 *     whole, along the last dimension), Softplus (log(1 + exp(x))) or Tanh.
 * @param[in]  name        "Affine"
 * @param[in]  parameters  loc and scale of Affine, exponent of Power, in_shape and out_shape of Reshape (vectors of
 *     integers, which are read on the host), none of others; retained
 * @param[in]  count       number of parameters
 * @param[out] out         a new transform; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for an unknown name or another number of parameters.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_create(const char* name, haft_tensor* const* parameters, int64_t count,
                                                    haft_variable_transform** out) HAFT_NOTHROW;

/**
 * @brief Transforms one after the other; of none: values stay.
 * @param[in]  parts  the first one is applied first; retained
 * @param[in]  count  number of parts
 * @param[out] out    a new transform; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_compose(haft_variable_transform* const* parts, int64_t count,
                                                     haft_variable_transform** out) HAFT_NOTHROW;

/**
 * @brief Transforms of parts of values, which lie one behind the other along a dimension. Where that belongs to those
 *        that a transform takes together, logarithms of determinants are added; else each part keeps its own.
 * @param[in]  parts          one for each part, each with as many dimensions before it as behind it; retained
 * @param[in]  count          number of parts, at least 1
 * @param[in]  lengths        size of each part along dim; NULL: 1 each, as PyTorch's StackTransform has them
 * @param[in]  lengths_count  count, or 0
 * @param[in]  dim            of the values; below 0: from the last one
 * @param[out] out            a new transform; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for no parts or another number of lengths, HAFT_ERROR_UNSUPPORTED for a
 *     part that changes the number of dimensions. Values of another size along dim are HAFT_ERROR_SHAPE later.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_cat(haft_variable_transform* const* parts, int64_t count,
                                                 const int64_t* lengths, int64_t lengths_count, int64_t dim,
                                                 haft_variable_transform** out) HAFT_NOTHROW;

/**
 * @brief To the probability of not being above: cdf and, backwards, icdf of a distribution of single numbers.
 * @param[in]  d    the distribution; retained
 * @param[out] out  a new transform; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED for a distribution of vectors.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_cumulative(const haft_distribution* d,
                                                        haft_variable_transform** out) HAFT_NOTHROW;

/**
 * @brief The way back.
 * @param[in]  t    the transform; retained
 * @param[out] out  a new transform; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_inverted(const haft_variable_transform* t,
                                                      haft_variable_transform** out) HAFT_NOTHROW;

/**
 * @brief The same of values whose last dimensions belong together: the logarithms of its determinants are added over
 *        them.
 * @param[in]  t                          the transform; retained
 * @param[in]  reinterpreted_batch_ndims  how many
 * @param[out] out                        a new transform; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a negative number.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_independent(const haft_variable_transform* t,
                                                         int64_t reinterpreted_batch_ndims,
                                                         haft_variable_transform** out) HAFT_NOTHROW;

/**
 * @brief One more owner of the handle.
 * @param[in] t  the transform
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_retain(haft_variable_transform* t) HAFT_NOTHROW;

/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in] t  the transform
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_variable_transform_release(haft_variable_transform* t) HAFT_NOTHROW;

/**
 * @brief Its kind: "AffineTransform".
 * @param[in]  t         the transform
 * @param[out] buffer    receives the text; NULL with capacity 0 only asks for its size
 * @param[in]  capacity  bytes of buffer
 * @param[out] needed    bytes of the text with its final 0
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT for a buffer that is too small.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_to_string(const haft_variable_transform* t, char* buffer, int64_t capacity,
                                                       int64_t* needed) HAFT_NOTHROW;

/**
 * @brief Dimensions that belong together before and behind it: 0 for single numbers, 1 for vectors.
 * @param[in]  t         the transform
 * @param[out] domain    of what it takes
 * @param[out] codomain  of what it answers
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_get_event_dims(const haft_variable_transform* t, int64_t* domain,
                                                            int64_t* codomain) HAFT_NOTHROW;

/**
 * @brief 1 where each value has one inverse: not of Abs, LowerCholesky, PositiveDefinite and Softmax, which have no
 *        determinant either.
 * @param[in]  t    the transform
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_is_bijective(const haft_variable_transform* t, int32_t* out) HAFT_NOTHROW;

/**
 * @brief Whether it may answer such values.
 * @param[in]  t    the transform
 * @param[in]  y    values
 * @param[out] out  bool, without the dimensions that belong together; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_in_codomain(const haft_variable_transform* t, const haft_tensor* y,
                                                         haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Applies it.
 * @param[in]  t    the transform
 * @param[in]  x    broadcasts with its parameters
 * @param[out] out  y; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_forward(const haft_variable_transform* t, const haft_tensor* x,
                                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief Goes back.
 * @param[in]  t    the transform
 * @param[in]  y    what it answered
 * @param[out] out  x; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_inverse(const haft_variable_transform* t, const haft_tensor* y,
                                                     haft_tensor** out) HAFT_NOTHROW;

/**
 * @brief log |dy / dx|, by which densities change.
 * @param[in]  t    the transform
 * @param[in]  x    what it was given
 * @param[in]  y    what it answered
 * @param[out] out  without the dimensions of x that belong together; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_UNSUPPORTED where it is not bijective, HAFT_ERROR_SHAPE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_variable_transform_log_abs_det_jacobian(const haft_variable_transform* t,
                                                                  const haft_tensor* x, const haft_tensor* y,
                                                                  haft_tensor** out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
