// A counted callable. It is what std::function is to its callers; to the compiler a lambda in it is three functions
// instead of twenty, of which the records, a thousand lambdas, take half as long to build.
#pragma once
#include <atomic>
#include <concepts>
#include <cstddef>
#include <utility>

namespace haft::test {

template <class Signature>
class Callable;

template <class R, class A>
class Callable<R(A)> {
 public:
  Callable() = default;
  Callable(std::nullptr_t) {}
  template <class F>
  requires(!std::same_as<F, Callable> && std::is_invocable_r_v<R, const F&, A>) Callable(F f)
      : kept_(new Holder<F>{{{1}, call<F>, drop<F>}, std::move(f)}) {}
  Callable(const Callable& o) : kept_(o.kept_) {
    if (kept_) ++kept_->count;
  }
  Callable(Callable&& o) noexcept : kept_(std::exchange(o.kept_, nullptr)) {}
  Callable& operator=(Callable o) noexcept {
    std::swap(kept_, o.kept_);
    return *this;
  }
  ~Callable() {
    if (kept_ && --kept_->count == 0) kept_->drop(kept_);
  }
  explicit operator bool() const { return kept_; }
  R operator()(A a) const { return kept_->call(kept_, a); }

 private:
  struct Kept {
    std::atomic<int> count;
    R (*call)(const Kept*, A);
    void (*drop)(Kept*);
  };
  template <class F>
  struct Holder : Kept {
    F f;
  };
  template <class F>
  static R call(const Kept* k, A a) {
    return static_cast<const Holder<F>*>(k)->f(a);
  }
  template <class F>
  static void drop(Kept* k) {
    delete static_cast<Holder<F>*>(k);
  }
  Kept* kept_ = nullptr;
};

}  // namespace haft::test
