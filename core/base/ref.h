// Intrusive reference counting: Ref<T> is one pointer; T derives from RefCounted and may define a static
// `destroy(T*)` to return itself to a pool.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

namespace haft {

struct RefCounted {
  std::atomic<uint32_t> refs{1};

  void retain() const noexcept { const_cast<RefCounted*>(this)->refs.fetch_add(1, std::memory_order_relaxed); }
  // True when the caller held the last reference. The load skips the locked instruction for sole owners.
  bool drop() noexcept {
    if (refs.load(std::memory_order_acquire) == 1) return true;
    return refs.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  bool unique() const noexcept { return refs.load(std::memory_order_acquire) == 1; }
};

template <class T>
class Ref {
  T* p_ = nullptr;

 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  static Ref adopt(T* p) noexcept { Ref r; r.p_ = p; return r; }  // takes over one count
  static Ref share(T* p) noexcept { if (p) p->retain(); return adopt(p); }
  Ref(const Ref& o) noexcept : p_(o.p_) { if (p_) p_->retain(); }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Ref(Ref<U> o) noexcept : p_(o.leak()) {}
  Ref& operator=(Ref o) noexcept { std::swap(p_, o.p_); return *this; }
  [[gnu::always_inline]] ~Ref() { reset(); }

  [[gnu::always_inline]] void reset() noexcept {
    if (T* p = std::exchange(p_, nullptr); p && p->drop()) [[unlikely]] free(p);
  }
  [[gnu::noinline]] static void free(T* p) noexcept {
    if constexpr (requires { T::destroy(p); }) T::destroy(p);
    else delete p;
  }
  T* leak() noexcept { return std::exchange(p_, nullptr); }  // gives the count to the caller
  T* get() const noexcept { return p_; }
  T* operator->() const noexcept { return p_; }
  T& operator*() const noexcept { return *p_; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }
};

template <class T, class... A>
Ref<T> make_ref(A&&... a) {
  return Ref<T>::adopt(new T(std::forward<A>(a)...));
}

}  // namespace haft
