// haft in C++17: handles that release themselves, exceptions instead of statuses. Header-only over the C functions, so
// that nothing of C++ crosses the library's boundary. Operators stand in haft/ops.hpp, which this includes.
#ifndef HAFT_HPP
#define HAFT_HPP
#include <haft/haft.h>

#include <any>
#include <complex>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace haft {

/// A failed call: the status and the thread's error record.
class Error : public std::exception {
  haft_status code_;
  int argument_index_;
  std::string function_, argument_, message_, hint_, what_;
  std::int64_t token_;

 public:
  explicit Error(haft_status status) : code_(status) {
    haft_error_info info = HAFT_ERROR_INFO_INIT;
    haft_error_get_last(&info);
    argument_index_ = info.argument_index;
    function_ = info.function;
    argument_ = info.argument;
    message_ = info.message;
    hint_ = info.hint;
    token_ = info.foreign_token;
    what_ = haft_error_get_message();
  }
  haft_status code() const noexcept { return code_; }
  /// Position of the argument at fault, from 0; -1: none.
  int argument_index() const noexcept { return argument_index_; }
  const std::string& function() const noexcept { return function_; }
  const std::string& argument() const noexcept { return argument_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& hint() const noexcept { return hint_; }
  std::int64_t token() const noexcept { return token_; }
  const char* what() const noexcept override { return what_.c_str(); }
};

inline void check(haft_status status) {
  if (status != HAFT_OK) throw Error(status);
}

namespace detail {

// Catches what a C++ callback throws, so that it crosses the C frames as a status and comes out as itself.
class Carried {
  std::exception_ptr thrown_;

 public:
  template <class F>
  haft_status run(F&& f) noexcept {
    try {
      f();
      return HAFT_OK;
    } catch (const std::exception& e) {
      thrown_ = std::current_exception();
      return haft_error_set(HAFT_ERROR_CALLBACK, e.what(), 0);
    } catch (...) {
      thrown_ = std::current_exception();
      return haft_error_set(HAFT_ERROR_CALLBACK, "unknown exception", 0);
    }
  }
  // After the call into haft: the callback's own exception, or haft's.
  void check(haft_status status) {
    if (status == HAFT_OK) return;
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    throw Error(status);
  }
};

// What a C++ callback throws, as a status and the thread's error record.
template <class F>
haft_status guarded(F&& f) noexcept {
  try {
    f();
    return HAFT_OK;
  } catch (const Error& e) {
    return haft_error_set(e.code(), e.message().c_str(), e.token());
  } catch (const std::exception& e) {
    return haft_error_set(HAFT_ERROR_CALLBACK, e.what(), 0);
  } catch (...) {
    return haft_error_set(HAFT_ERROR_CALLBACK, "unknown exception", 0);
  }
}

template <class T>
void destroy(void* user) {
  delete static_cast<T*>(user);
}

// An owned handle of H. Copies share the object; the last one releases it.
template <class H, haft_status (*Retain)(H*), void (*Release)(H*)>
class Handle {
  H* h_ = nullptr;

 public:
  Handle() = default;
  /// Takes over one ownership.
  explicit Handle(H* owned) noexcept : h_(owned) {}
  Handle(const Handle& o) : h_(o.h_) {
    if (h_) haft::check(Retain(h_));
  }
  Handle(Handle&& o) noexcept : h_(std::exchange(o.h_, nullptr)) {}
  Handle& operator=(Handle o) noexcept {
    std::swap(h_, o.h_);
    return *this;
  }
  ~Handle() { Release(h_); }
  H* get() const noexcept { return h_; }
  H* release() noexcept { return std::exchange(h_, nullptr); }
  explicit operator bool() const noexcept { return h_ != nullptr; }
};

template <class F>
std::string text_of(F f) {
  std::string s;
  std::int64_t needed = 0;
  haft::check(f(nullptr, 0, &needed));
  for (haft_status status;;) {  // again when the text has grown meanwhile
    const auto capacity = needed;
    s.resize(static_cast<std::size_t>(capacity));
    if ((status = f(&s[0], capacity, &needed)) == HAFT_OK || needed <= capacity) {
      haft::check(status);
      s.resize(static_cast<std::size_t>(needed) - 1);
      return s;
    }
  }
}

}  // namespace detail

/// A number that takes part in promotion by its kind.
class Scalar {
  haft_scalar s_;

 public:
  Scalar() : s_(haft_scalar_none()) {}
  Scalar(double v) : s_(haft_scalar_float(v)) {}
  Scalar(float v) : s_(haft_scalar_float(v)) {}
  Scalar(int v) : s_(haft_scalar_int(v)) {}
  Scalar(long v) : s_(haft_scalar_int(v)) {}
  Scalar(long long v) : s_(haft_scalar_int(v)) {}
  Scalar(bool v) : s_(haft_scalar_int(v)) { s_.kind = HAFT_SCALAR_BOOL; }
  Scalar(std::complex<double> v) : s_(haft_scalar_complex(v.real(), v.imag())) {}
  Scalar(std::complex<float> v) : s_(haft_scalar_complex(v.real(), v.imag())) {}
  Scalar(haft_scalar s) : s_(s) {}
  haft_scalar get() const { return s_; }
};

/// Sizes, dimensions and the like, for the time of a call: {2, 3}, a std::vector, or pointer and count.
class IntArray {
  const std::int64_t* data_ = nullptr;  // somebody else's numbers; nullptr: own_
  std::int64_t size_ = 0;
  std::vector<std::int64_t> own_;

 public:
  IntArray() {}
  IntArray(std::initializer_list<std::int64_t> l) : size_(static_cast<std::int64_t>(l.size())), own_(l) {}
  IntArray(const std::vector<std::int64_t>& v) : data_(v.data()), size_(static_cast<std::int64_t>(v.size())) {}
  IntArray(const std::int64_t* data, std::int64_t size) : data_(data), size_(size) {}
  const std::int64_t* data() const { return data_ ? data_ : own_.data(); }
  std::int64_t size() const { return size_; }
};

/// Maps C++ element types to haft_dtype.
// clang-format off
template <class T> struct dtype_of;
template <> struct dtype_of<bool> { static constexpr haft_dtype value = HAFT_BOOL; };
template <> struct dtype_of<std::uint8_t> { static constexpr haft_dtype value = HAFT_UINT8; };
template <> struct dtype_of<std::int8_t> { static constexpr haft_dtype value = HAFT_INT8; };
template <> struct dtype_of<std::int16_t> { static constexpr haft_dtype value = HAFT_INT16; };
template <> struct dtype_of<std::int32_t> { static constexpr haft_dtype value = HAFT_INT32; };
template <> struct dtype_of<std::int64_t> { static constexpr haft_dtype value = HAFT_INT64; };
template <> struct dtype_of<float> { static constexpr haft_dtype value = HAFT_FLOAT32; };
template <> struct dtype_of<double> { static constexpr haft_dtype value = HAFT_FLOAT64; };
template <> struct dtype_of<std::complex<float>> { static constexpr haft_dtype value = HAFT_COMPLEX64; };
template <> struct dtype_of<std::complex<double>> { static constexpr haft_dtype value = HAFT_COMPLEX128; };
// clang-format on

/// A tensor handle that releases itself. Copies share the handle. Empty: no tensor.
class Tensor {
  haft_tensor* t_ = nullptr;

 public:
  Tensor() = default;
  /// Takes over one ownership.
  explicit Tensor(haft_tensor* owned) noexcept : t_(owned) {}
  Tensor(const Tensor& o) : t_(o.t_) {
    if (t_) check(haft_tensor_retain(t_));
  }
  Tensor(Tensor&& o) noexcept : t_(std::exchange(o.t_, nullptr)) {}
  Tensor& operator=(Tensor o) noexcept {
    std::swap(t_, o.t_);
    return *this;
  }
  ~Tensor() { haft_tensor_release(t_); }

  /// Over memory that another library lends by DLPack, which becomes the tensor's.
  static Tensor from_dlpack(DLManagedTensor* lent) {
    haft_tensor* out = nullptr;
    check(haft_tensor_from_dlpack(lent, &out));
    return Tensor(out);
  }
  static Tensor from_dlpack(DLManagedTensorVersioned* lent) {
    haft_tensor* out = nullptr;
    check(haft_tensor_from_dlpack_versioned(lent, &out));
    return Tensor(out);
  }
  /// Lends the memory to another library by DLPack, until it calls the deleter.
  DLManagedTensor* to_dlpack() const {
    DLManagedTensor* out = nullptr;
    check(haft_tensor_to_dlpack(t_, &out));
    return out;
  }
  DLManagedTensorVersioned* to_dlpack_versioned() const {
    DLManagedTensorVersioned* out = nullptr;
    check(haft_tensor_to_dlpack_versioned(t_, &out));
    return out;
  }

  /// A copy of host memory, row-major.
  template <class T>
  static Tensor from(const T* data, const IntArray& size, haft_device device = HAFT_DEVICE_DEFAULT) {
    haft_tensor* out = nullptr;
    check(haft_tensor_from_data(data, size.data(), size.size(), dtype_of<T>::value, device, &out));
    return Tensor(out);
  }
  template <class T>
  static Tensor from(const std::vector<T>& data) {
    return from(data.data(), {static_cast<std::int64_t>(data.size())});
  }
  template <class T>
  static Tensor from(std::initializer_list<T> data) {
    return from(data.begin(), {static_cast<std::int64_t>(data.size())});
  }

  /// The caller's memory itself, row-major; release(user) runs when the last tensor on it is gone.
  template <class T>
  static Tensor over(T* data, const IntArray& size, void (*release)(void*) = nullptr, void* user = nullptr) {
    haft_tensor* out = nullptr;
    check(haft_tensor_from_memory(data, size.data(), nullptr, size.size(), dtype_of<T>::value, HAFT_DEVICE_CPU, release,
                                  user, &out));
    return Tensor(out);
  }

  haft_tensor* get() const noexcept { return t_; }
  haft_tensor* release() noexcept { return std::exchange(t_, nullptr); }
  explicit operator bool() const noexcept { return t_ != nullptr; }

  haft_dtype dtype() const { return number<haft_dtype>(haft_tensor_get_dtype); }
  haft_device device() const { return number<haft_device>(haft_tensor_get_device); }
  std::int64_t ndim() const { return number<std::int64_t>(haft_tensor_get_ndim); }
  std::int64_t numel() const { return number<std::int64_t>(haft_tensor_get_numel); }
  bool is_contiguous() const { return number<std::int32_t>(haft_tensor_is_contiguous) != 0; }
  bool requires_grad() const { return number<std::int32_t>(haft_tensor_requires_grad) != 0; }
  bool is_leaf() const { return number<std::int32_t>(haft_tensor_is_leaf) != 0; }
  std::vector<std::int64_t> sizes() const { return numbers(haft_tensor_get_size); }
  std::vector<std::int64_t> strides() const { return numbers(haft_tensor_get_stride); }
  std::int64_t size(std::int64_t dim) const {
    auto s = sizes();
    return s.at(static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(s.size()) : dim));
  }
  /// Address of the first element on the tensor's device; see haft_tensor_get_data.
  template <class T>
  T* data() const {
    void* p = nullptr;
    check(haft_tensor_get_data(t_, &p));
    return static_cast<T*>(p);
  }
  /// All elements in row-major order; T must be the tensor's element type.
  template <class T>
  std::vector<T> to_vector() const {
    std::vector<T> v(static_cast<std::size_t>(numel()));
    check(haft_tensor_read(t_, v.data(), static_cast<std::int64_t>(v.size() * sizeof(T))));
    return v;
  }
  /// The only element.
  double item() const { return number<double>(haft_tensor_get_item_double); }
  std::int64_t item_int() const { return number<std::int64_t>(haft_tensor_get_item_int); }
  std::complex<double> item_complex() const {
    const haft_scalar s = number<haft_scalar>(haft_tensor_get_item);
    const bool whole = s.kind == HAFT_SCALAR_INT || s.kind == HAFT_SCALAR_BOOL;
    return {whole ? static_cast<double>(s.v.i) : s.v.d, s.imag};
  }
  /// Writes all elements in row-major order; not recorded.
  template <class T>
  void write(const std::vector<T>& v) const {
    check(haft_tensor_write(t_, v.data(), static_cast<std::int64_t>(v.size() * sizeof(T))));
  }
  std::int64_t version() const { return number<std::int64_t>(haft_tensor_get_version); }
  /// Gives the memory back and keeps its address, until commit(); see haft_tensor_decommit.
  void decommit() const { check(haft_tensor_decommit(t_)); }
  /// Puts memory there again, with undefined content.
  void commit() const { check(haft_tensor_commit(t_)); }
  /// False between decommit() and commit().
  bool is_committed() const { return number<std::int32_t>(haft_tensor_is_committed) != 0; }
  /// Tells haft that memory was written through data().
  void touch() const { check(haft_tensor_touch(t_)); }
  /// Takes the memory, shape, strides, dtype and device of `data` and shares them (PyTorch's t.data = data).
  void set_data(const Tensor& data) const { check(haft_tensor_set_data(t_, data.t_)); }
  bool shares_memory(const Tensor& o) const {
    std::int32_t yes = 0;
    check(haft_tensor_shares_memory(t_, o.t_, &yes));
    return yes != 0;
  }
  /// Elements from the start of the memory that the tensor lies in to its first one.
  std::int64_t storage_offset() const {
    std::int64_t offset = 0, bytes = 0;
    check(haft_tensor_get_storage(t_, &offset, &bytes));
    return offset;
  }
  /// Size of the whole memory that the tensor lies in.
  std::int64_t storage_bytes() const {
    std::int64_t offset = 0, bytes = 0;
    check(haft_tensor_get_storage(t_, &offset, &bytes));
    return bytes;
  }
  /// Whether this handle alone keeps the tensor and its hooks alive.
  bool is_sole_owner() const {
    std::int32_t yes = 0;
    check(haft_tensor_is_sole_owner(t_, &yes));
    return yes != 0;
  }
  std::string to_string() const {
    return detail::text_of(
        [this](char* b, std::int64_t n, std::int64_t* needed) { return haft_tensor_to_string(t_, b, n, needed); });
  }
  /// By options, which begin as HAFT_PRINT_OPTIONS_INIT.
  std::string to_text(const haft_print_options& options) const {
    return detail::text_of(
        [&](char* b, std::int64_t n, std::int64_t* needed) { return haft_tensor_to_text(t_, &options, b, n, needed); });
  }

  Tensor& set_requires_grad(bool on = true) {
    check(haft_tensor_set_requires_grad(t_, on));
    return *this;
  }
  /// The gradient, or an empty tensor.
  Tensor grad() const {
    haft_tensor* g = nullptr;
    check(haft_tensor_grad(t_, &g));
    return Tensor(g);
  }
  /// Whether this is a gradient of rows, which operators refuse; see haft_tensor_is_sparse.
  bool is_sparse() const { return number<std::int32_t>(haft_tensor_is_sparse) != 0; }
  /// A gradient of rows from indices (n) and values (n, sizes of a row), which are copied.
  static Tensor from_rows(const Tensor& indices, const Tensor& values, std::int64_t rows) {
    haft_tensor* out = nullptr;
    check(haft_tensor_from_rows(indices.t_, values.t_, rows, &out));
    return Tensor(out);
  }
  /// The rows of a gradient of rows, as they came, and their numbers; both share its memory.
  Tensor sparse_indices() const { return part(haft_tensor_sparse_indices); }
  Tensor sparse_values() const { return part(haft_tensor_sparse_values); }
  /// Whether each row stands once in a gradient of rows, in order.
  bool is_coalesced() const { return number<std::int32_t>(haft_tensor_is_coalesced) != 0; }
  /// Each row once, in order, with the sum of its numbers.
  Tensor coalesce() const { return part(haft_tensor_coalesce); }
  /// The whole tensor that a gradient of rows stands for; what is none is answered itself.
  Tensor to_dense() const { return part(haft_tensor_to_dense); }
  /// An empty tensor removes it.
  void set_grad(const Tensor& grad) const { check(haft_tensor_set_grad(t_, grad.t_)); }
  void zero_grad() const { check(haft_tensor_set_grad(t_, nullptr)); }
  void retain_grad() const { check(haft_tensor_retain_grad(t_)); }
  void backward() const { check(haft_tensor_backward(t_, nullptr, 0)); }
  void backward(const Tensor& seed, std::int32_t flags = 0) const {
    check(haft_tensor_backward(t_, seed.get(), flags));
  }
  /// Calls fn with each gradient that reaches this tensor; a non-empty result replaces it. Returns the hook's id.
  std::int64_t add_hook(std::function<Tensor(const Tensor&)> fn) const {
    return hook(haft_tensor_add_hook, std::move(fn));
  }
  /// Calls fn with the accumulated gradient after one was added to this leaf. Returns the hook's id.
  std::int64_t add_accumulate_hook(std::function<void(const Tensor&)> fn) const {
    return hook(haft_tensor_add_accumulate_hook, [fn](const Tensor& g) {
      fn(g);
      return Tensor();
    });
  }
  void remove_hook(std::int64_t id) const { check(haft_tensor_remove_hook(t_, id)); }

 private:
  template <class Add>
  std::int64_t hook(Add add, std::function<Tensor(const Tensor&)> fn) const {
    using Fn = std::function<Tensor(const Tensor&)>;
    auto own = std::make_unique<Fn>(std::move(fn));
    std::int64_t id = 0;
    check(add(
        t_,
        [](haft_tensor* lent, haft_tensor** replacement, void* user) -> haft_status {
          return detail::guarded([&] {
            check(haft_tensor_retain(lent));
            *replacement = (*static_cast<Fn*>(user))(Tensor(lent)).release();
          });
        },
        own.get(), detail::destroy<Fn>, &id));
    own.release();
    return id;
  }
  template <class T, class F>
  T number(F f) const {
    T v = T();
    check(f(t_, &v));
    return v;
  }
  template <class F>
  Tensor part(F f) const {
    haft_tensor* t = nullptr;
    check(f(t_, &t));
    return Tensor(t);
  }
  template <class F>
  std::vector<std::int64_t> numbers(F f) const {
    std::int64_t v[HAFT_MAX_DIMS], n = 0;
    check(f(t_, v, HAFT_MAX_DIMS, &n));
    return std::vector<std::int64_t>(v, v + n);
  }
};

namespace detail {

inline std::vector<haft_tensor*> handles(const std::vector<Tensor>& ts) {
  std::vector<haft_tensor*> out;
  out.reserve(ts.size());
  for (const Tensor& t : ts) out.push_back(t.get());
  return out;
}
// Takes over handles, also when memory is short.
inline std::vector<Tensor> adopt(haft_tensor* const* ts, std::int64_t count) {
  std::vector<Tensor> out;
  try {
    out.reserve(static_cast<std::size_t>(count));
  } catch (...) {
    haft_tensor_release_many(ts, count);
    throw;
  }
  for (std::int64_t i = 0; i < count; ++i) out.emplace_back(ts[i]);
  return out;
}
// Owned handles of what a callback was lent; NULL is an empty tensor.
inline Tensor borrow(haft_tensor* t) {
  if (t) check(haft_tensor_retain(t));
  return Tensor(t);
}
inline std::vector<Tensor> borrow(haft_tensor* const* ts, std::int64_t count) {
  std::vector<Tensor> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(borrow(ts[i]));
  return out;
}

}  // namespace detail

}  // namespace haft

#include <haft/ops.hpp>

namespace haft {

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& a) { return neg(a); }
inline Tensor operator+(const Tensor& a, Scalar s) { return add_scalar(a, s); }
inline Tensor operator-(const Tensor& a, Scalar s) { return sub_scalar(a, s); }
inline Tensor operator*(const Tensor& a, Scalar s) { return mul_scalar(a, s); }
inline Tensor operator/(const Tensor& a, Scalar s) { return div_scalar(a, s); }
inline Tensor operator+(Scalar s, const Tensor& a) { return add_scalar(a, s); }
inline Tensor operator-(Scalar s, const Tensor& a) { return rsub_scalar(a, s); }
inline Tensor operator*(Scalar s, const Tensor& a) { return mul_scalar(a, s); }
inline Tensor operator/(Scalar s, const Tensor& a) { return rdiv_scalar(a, s); }

}  // namespace haft

#include <haft/amp.hpp>
#include <haft/autograd.hpp>
#include <haft/data.hpp>
#include <haft/data_parallel.hpp>
#include <haft/device_graph.hpp>
#include <haft/distributions.hpp>
#include <haft/evaluator.hpp>
#include <haft/fully_sharded.hpp>
#include <haft/fused.hpp>
#include <haft/io.hpp>
#include <haft/model_parallel.hpp>
#include <haft/nn.hpp>
#include <haft/optim.hpp>
#include <haft/parallel.hpp>
#include <haft/parameter_server.hpp>
#include <haft/process_group.hpp>
#include <haft/rpc.hpp>
#include <haft/runtime.hpp>
#include <haft/session.hpp>
#include <haft/sharded_checkpoint.hpp>
#include <haft/sharding.hpp>
#include <haft/store.hpp>
#include <haft/stream.hpp>

#endif
