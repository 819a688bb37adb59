// What the interface of SWIG adds to haft.hpp for all languages.
#ifndef HAFT_BINDINGS_SUPPORT_HPP
#define HAFT_BINDINGS_SUPPORT_HPP
#include <haft/haft.hpp>

#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace haft {
namespace bindings {

/// A tensor or a number, where an operator takes either.
struct Operand {
  bool is_tensor = false;
  Tensor tensor;
  Scalar scalar;
};

/// For languages without an absent double: NaN is none.
inline Scalar number_or_none(double v) { return v == v ? Scalar(v) : Scalar(); }

/// Modes of this thread; they answer how it was.
inline bool swap_grad_enabled(bool on) {
  std::int32_t before = 0;
  check(haft_set_grad_enabled(on, &before));
  return before != 0;
}
inline bool swap_inference_mode(bool on) {
  std::int32_t before = 0;
  check(haft_set_inference_mode(on, &before));
  return before != 0;
}
inline bool swap_anomaly_mode(bool on) {
  std::int32_t before = 0;
  check(haft_set_anomaly_mode(on, &before));
  return before != 0;
}

/// "float32 [3, 2]".
inline std::string kind_text(haft_dtype dtype, const std::vector<std::int64_t>& sizes) {
  const char* name = haft_dtype_get_name(dtype);
  std::string s = std::string(name ? name : "none") + " [";
  for (std::size_t i = 0; i < sizes.size(); ++i) s += (i ? ", " : "") + std::to_string(sizes[i]);
  return s + "]";
}

/// A dataset whose items the host makes, on the loader's threads; every item has the fields of `first`.
inline data::Dataset dataset_of_items(std::int64_t size, const std::vector<Tensor>& first,
                                      std::function<std::vector<Tensor>(std::int64_t)> item,
                                      bool one_at_a_time = false) {
  std::vector<haft_field> fields;
  for (const Tensor& t : first) fields.push_back(data::field(t.dtype(), t.sizes()));
  auto write = [item, fields](std::int64_t index, void* const* out) {
    std::vector<Tensor> made = item(index);
    const std::string which = "dataset: item " + std::to_string(index);
    if (made.size() != fields.size())
      check(haft_error_set(
          HAFT_ERROR_INVALID_ARGUMENT,
          (which + " has " + std::to_string(made.size()) + " fields, the first item has " +
           std::to_string(fields.size()) + "; all items of a batch are stacked and must be alike")
              .c_str(),
          0));
    for (std::size_t i = 0; i < made.size(); ++i) {
      const haft_field& f = fields[i];
      const std::vector<std::int64_t> wanted(f.size, f.size + f.ndim);
      if (!made[i].get() || made[i].dtype() != f.dtype || made[i].sizes() != wanted)
        check(haft_error_set(
            made[i].get() && made[i].sizes() == wanted ? HAFT_ERROR_DTYPE : HAFT_ERROR_SHAPE,
            (which + (fields.size() > 1 ? ", field " + std::to_string(i) : std::string()) + " is " +
             (made[i].get() ? kind_text(made[i].dtype(), made[i].sizes()) : std::string("absent")) +
             ", the first item's is " + kind_text(f.dtype, wanted) +
             "; all items of a batch are stacked and must be alike")
                .c_str(),
            0));
      check(haft_tensor_read(made[i].get(), out[i], made[i].numel() * haft_dtype_get_size(f.dtype)));
    }
  };
  return data::callback_dataset(size, fields, write, one_at_a_time);
}

// Outputs and products in one list: SWIG has no pairs of them.
inline std::vector<Tensor> joined(Products p) {
  for (Tensor& t : p.products) p.outputs.push_back(std::move(t));
  return std::move(p.outputs);
}

/// The results of an operator with several, in order.
template <class... T>
std::vector<Tensor> list(std::tuple<T...> results) {
  std::vector<Tensor> out;
  out.reserve(sizeof...(T));
  std::apply([&](auto&... result) { (out.push_back(std::move(result)), ...); }, results);
  return out;
}

/// An exception of the host language, and the status that it stands for.
class HostException : public std::exception {
 public:
  virtual haft_status status() const noexcept { return HAFT_ERROR_CALLBACK; }
};

/// Exceptions of the host language on their way through the engine, which only carries a number for each.
class Exceptions {
  std::mutex mutex_;
  std::int64_t next_ = 1;
  std::deque<std::pair<std::int64_t, std::exception_ptr>> kept_;
  // An exception that nobody asks for (a status that was dropped) is let go when so many came after it.
  static constexpr std::size_t kMost = 64;

 public:
  static Exceptions& instance() {
    static Exceptions* all = new Exceptions;  // never destroyed: engine threads may outlive static objects
    return *all;
  }
  std::int64_t keep(std::exception_ptr e) {
    std::exception_ptr dropped;  // released without the lock: the host's collector may call back
    std::lock_guard<std::mutex> lock(mutex_);
    if (kept_.size() == kMost) {
      dropped = std::move(kept_.front().second);
      kept_.pop_front();
    }
    kept_.emplace_back(next_, std::move(e));
    return next_++;
  }
  std::exception_ptr take(std::int64_t token) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
      if (it->first != token) continue;
      std::exception_ptr e = std::move(it->second);
      kept_.erase(it);
      return e;
    }
    return nullptr;
  }
};

/// Runs a callback; what it throws is kept, and leaves as a haft::Error whose token finds it again.
template <class F>
auto carried(F&& callback) -> decltype(callback()) {
  try {
    return callback();
  } catch (const Error&) {
    throw;
  } catch (const HostException& e) {
    check(haft_error_set(e.status(), e.what(), Exceptions::instance().keep(std::current_exception())));
  } catch (const std::exception& e) {
    check(
        haft_error_set(HAFT_ERROR_CALLBACK, e.what(), Exceptions::instance().keep(std::current_exception())));
  } catch (...) {
    check(haft_error_set(HAFT_ERROR_CALLBACK, "the callback threw",
                         Exceptions::instance().keep(std::current_exception())));
  }
  std::terminate();  // haft_error_set answers the status that it was given
}

/// For the handler of haft::Error in a shim: throws the callback's own exception if that is what failed.
inline void rethrow_carried(const Error& e) {
  if (!e.token()) return;
  if (std::exception_ptr original = Exceptions::instance().take(e.token())) std::rethrow_exception(original);
}

}  // namespace bindings
}  // namespace haft
#endif
