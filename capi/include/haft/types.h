/* haft: types, status codes and conventions of the C interface. C99.
 *
 * Conventions of every function in haft/ *.h
 *  1. It answers HAFT_OK or a status; haft_error_get_last then tells function, argument, message and hint. Nothing is
 *     thrown, printed or exited. Results come through trailing out-pointers and are written only on success.
 *  2. Objects are opaque typed handles. A function without `get_` in its name that answers a handle answers one that
 *     the caller owns and releases. Release functions are void, take NULL and may be called on any thread. A
 *     released, foreign or mistyped handle is answered with a status.
 *  3. Enum values are int32_t and never change. Flags that mean yes or no are int32_t 0 or 1.
 *  4. Options are structs that start with struct_size; fill them with their _INIT macro, then set fields. A larger
 *     struct from a newer header is accepted as long as its unknown fields are 0. Reserved fields must be 0. What
 *     makes a layer, an optimizer or a schedule, haft_<kind>_create, takes haft_<kind>_options when it has any
 *     parameter: struct_size, the parameters in the order of PyTorch's, then dtype, device and generator where it has
 *     use for them. No hole lies between or behind fields: `reserved` fills what a lone 32-bit field leaves. New
 *     fields come last. NULL for options stands for the defaults, where all parameters have one. Distributions are
 *     otherwise: their parameters are tensors alone, so haft_distribution_create takes the kind by its name and an
 *     array of them.
 *  5. Strings are UTF-8 and end with 0 unless a length stands beside them. Strings lent by haft live as the comment
 *     says.
 *  6. Functions that fill a buffer or an array take its capacity and always tell the size or number needed. NULL with
 *     capacity 0 only asks for it: HAFT_OK. Any other capacity that is too small is HAFT_ERROR_INVALID_ARGUMENT, and
 *     nothing is written.
 *  7. Callbacks get `void* user` and return a status; `destroy(user)`, when given, runs exactly once, when haft lets go
 *     of the callback; never when the function that was to take it fails. A callback may call haft, report text with
 *     haft_error_set, and carry a foreign exception token. It must not unwind through haft (longjmp, exceptions).
 *  8. Thread class: "any" - on any thread, also at once on the same object; "exclusive" - nobody else uses the object
 *     meanwhile; haft answers HAFT_ERROR_BUSY where it notices.
 *  9. Beside what @return names, every function may answer HAFT_ERROR_INVALID_ARGUMENT (NULL where a value is wanted,
 *     text that is not UTF-8, a flag other than 0 or 1, a negative count), HAFT_ERROR_STALE_HANDLE,
 *     HAFT_ERROR_WRONG_HANDLE, HAFT_ERROR_OUT_OF_MEMORY and HAFT_ERROR_INTERNAL.
 * 10. Names are haft_<noun>_<verb>, the noun first: the type of a handle, or a subject such as device, memory or scope.
 *     `create` makes an object of the kind that stands before it (haft_linear_create, haft_idx_dataset_create). `get_`
 *     answers a value or lends what lives as long as the noun; `set_` changes it; `is_` and other verbs in the third
 *     person (`requires_`, `shares_`) answer 0 or 1. A part's name without a verb answers an owned handle of that part
 *     (haft_tensor_grad, haft_module_child). What belongs to the library or to the calling thread has no noun:
 *     haft_set_<what>, haft_get_<what>, haft_is_<what>. Operators on tensors are haft_<op>, in place haft_<op>_.
 */
#ifndef HAFT_TYPES_H
#define HAFT_TYPES_H

#include <haft/dtype.h>
#include <stddef.h>
#include <stdint.h>

#if defined(HAFT_API) /* haft_dl.h makes every function an inline one */
#elif defined(__GNUC__)
#define HAFT_API __attribute__((visibility("default")))
#else
#define HAFT_API
#endif
/* C++ callers may rely on it: no function throws. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define HAFT_NOTHROW noexcept
#else
#define HAFT_NOTHROW
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HAFT_VERSION_MAJOR 1
#define HAFT_VERSION_MINOR 0
#define HAFT_VERSION_PATCH 0
/* What haft_get_api takes and haft_get_version_number answers: major * 1000000 + minor * 1000 + patch. */
#define HAFT_VERSION_NUMBER (HAFT_VERSION_MAJOR * 1000000 + HAFT_VERSION_MINOR * 1000 + HAFT_VERSION_PATCH)

typedef int32_t haft_status;
enum {
  HAFT_OK = 0,
  HAFT_ERROR_INVALID_ARGUMENT = 1, /* a value that no call may have */
  HAFT_ERROR_SHAPE = 2,            /* sizes that do not fit together */
  HAFT_ERROR_DTYPE = 3,            /* an element type the operation does not take */
  HAFT_ERROR_DEVICE = 4,           /* different devices, or one that does not exist */
  HAFT_ERROR_INDEX = 5,            /* an index outside its range */
  HAFT_ERROR_OUT_OF_MEMORY = 6,    /* the allocator or its limit said no */
  HAFT_ERROR_OVERFLOW = 7,         /* a size that memory cannot hold */
  HAFT_ERROR_STALE_HANDLE = 8,     /* released, or never a handle */
  HAFT_ERROR_WRONG_HANDLE = 9,     /* a handle of another type */
  HAFT_ERROR_BUSY = 10,            /* another thread is using the object */
  HAFT_ERROR_AUTOGRAD = 11,        /* the graph cannot do this: freed, spoiled in place, or not there */
  /* Valid, but this device, dtype, engine or object does not do it, or not while it records. */
  HAFT_ERROR_UNSUPPORTED = 12,
  HAFT_ERROR_UNAVAILABLE = 13, /* a plug-in, driver or library is missing */
  HAFT_ERROR_IO = 14,          /* the system refused a file operation */
  HAFT_ERROR_CORRUPT = 15,     /* a file's content is not what its format says */
  HAFT_ERROR_BAD_STRUCT = 16,  /* an options struct of impossible size, or with unknown fields set */
  HAFT_ERROR_CALLBACK = 17,    /* the caller's callback reported failure */
  HAFT_ERROR_FORKED = 18,      /* the object did not survive fork() */
  HAFT_ERROR_RECURSIVE = 19,   /* a callback called back into what is calling it */
  HAFT_END = 20,               /* an iteration is over; not a failure */
  HAFT_ERROR_QUEUE_FULL = 21,  /* as many requests wait as may */
  HAFT_ERROR_CANCELLED = 22,   /* somebody said so, or what would do it is closed */
  HAFT_ERROR_TIMEOUT = 23,     /* the time that the caller gave has passed */
  HAFT_ERROR_PEER_LOST = 24,   /* a process of the group is gone */
  HAFT_ERROR_MISMATCH = 25,    /* the processes of a group called different things */
  HAFT_ERROR_LINALG = 26,      /* a matrix that has no answer: singular, not definite, not finite, no convergence */
  HAFT_ERROR_INTERNAL = 99     /* a bug in haft */
};

/* A device: type << 16 | index; haft_device_parse reads "cpu" or "cuda:0". */
typedef int32_t haft_device;
#define HAFT_DEVICE_DEFAULT 0 /* the thread's default device */
#define HAFT_DEVICE_CPU 0x10000

#define HAFT_NONE INT64_MIN /* an optional integer that is absent */

/* A number that takes part in promotion by its kind, like a Python number. */
typedef struct haft_scalar {
  int32_t kind; /* HAFT_SCALAR_*; HAFT_SCALAR_NONE: absent */
  int32_t reserved;
  union {
    int64_t i; /* bool and integer */
    double d;  /* floating; the real part of a complex number */
  } v;
  double imag; /* the imaginary part of a complex number; 0 in other kinds */
} haft_scalar;
/* Complex ones are what haft_tensor_get_item answers. Arithmetic with a number, haft_full, haft_full_like, haft_fill,
 * haft_masked_fill, haft_index_fill, haft_addcmul, haft_addcdiv and haft_lerp take them, but for their _out forms; to
 * others they are 0-dim tensors (haft_complex). */
enum {
  HAFT_SCALAR_NONE = 0,
  HAFT_SCALAR_BOOL = 1,
  HAFT_SCALAR_INT = 2,
  HAFT_SCALAR_FLOAT = 3,
  HAFT_SCALAR_COMPLEX = 4
};

static inline haft_scalar haft_scalar_float(double value) {
  haft_scalar s;
  s.kind = HAFT_SCALAR_FLOAT;
  s.reserved = 0;
  s.v.d = value;
  s.imag = 0;
  return s;
}
static inline haft_scalar haft_scalar_int(int64_t value) {
  haft_scalar s;
  s.kind = HAFT_SCALAR_INT;
  s.reserved = 0;
  s.v.i = value;
  s.imag = 0;
  return s;
}
static inline haft_scalar haft_scalar_complex(double real, double imag) {
  haft_scalar s;
  s.kind = HAFT_SCALAR_COMPLEX;
  s.reserved = 0;
  s.v.d = real;
  s.imag = imag;
  return s;
}
static inline haft_scalar haft_scalar_none(void) {
  haft_scalar s;
  s.kind = HAFT_SCALAR_NONE;
  s.reserved = 0;
  s.v.i = 0;
  s.imag = 0;
  return s;
}

/* What stands beyond the edges of a convolution's input. */
enum { HAFT_PADDING_ZEROS = 0, HAFT_PADDING_REFLECT = 1, HAFT_PADDING_REPLICATE = 2, HAFT_PADDING_CIRCULAR = 3 };

/* How haft_interpolate finds the values between those that there are. */
enum {
  HAFT_INTERPOLATE_NEAREST = 0,
  HAFT_INTERPOLATE_LINEAR = 1,
  HAFT_INTERPOLATE_CUBIC = 2,
  HAFT_INTERPOLATE_AREA = 3,
  HAFT_INTERPOLATE_NEAREST_EXACT = 4,
  HAFT_INTERPOLATE_LINEAR_ANTIALIAS = 5,
  HAFT_INTERPOLATE_CUBIC_ANTIALIAS = 6
};

/* How the rows of a bag of embeddings become one. */
enum { HAFT_BAG_SUM = 0, HAFT_BAG_MEAN = 1, HAFT_BAG_MAX = 2 };

/* How a loss is reduced; HAFT_REDUCTION_BATCHMEAN, the sum over the size of the first dimension, is haft_kl_div's
 * alone. */
enum { HAFT_REDUCTION_NONE = 0, HAFT_REDUCTION_MEAN = 1, HAFT_REDUCTION_SUM = 2, HAFT_REDUCTION_BATCHMEAN = 3 };

/* How a free matrix becomes an orthogonal one; HAFT_ORTHOGONAL_AUTOMATIC: the exponential for square ones,
 * reflections otherwise. */
enum {
  HAFT_ORTHOGONAL_AUTOMATIC = 0,
  HAFT_ORTHOGONAL_MATRIX_EXP = 1,
  HAFT_ORTHOGONAL_CAYLEY = 2,
  HAFT_ORTHOGONAL_HOUSEHOLDER = 3
};

/* How haft_scatter_reduce and haft_index_reduce join what meets at one place. */
enum { HAFT_REDUCE_SUM = 0, HAFT_REDUCE_PROD = 1, HAFT_REDUCE_MEAN = 2, HAFT_REDUCE_AMAX = 3, HAFT_REDUCE_AMIN = 4 };
/* Which direction of a Fourier transform is divided: the inverse by n, both by sqrt(n), or the forward one by n. */
enum { HAFT_FFT_BACKWARD = 0, HAFT_FFT_ORTHO = 1, HAFT_FFT_FORWARD = 2 };

typedef struct haft_tensor haft_tensor;
typedef struct haft_generator haft_generator;

#ifdef __cplusplus
}
#endif
#endif
