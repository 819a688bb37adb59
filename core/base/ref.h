// Intrusive reference counting: Ref<T> is one pointer; T derives from RefCounted and may define a static
// `destroy(T*)` to return itself to a pool.
#pragma once
#include <sys/single_threaded.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace haft {

// What other threads may change only once the process has threads: until then (and again after they are gone,
// for glibc keeps track) plain arithmetic does, at a fifth of the cost of a locked instruction.
inline uint64_t next_number(std::atomic<uint64_t>& n) noexcept {
  if (!__libc_single_threaded) return n.fetch_add(1, std::memory_order_relaxed);
  uint64_t now = n.load(std::memory_order_relaxed);
  n.store(now + 1, std::memory_order_relaxed);
  return now;
}
// Sets a word that is 0 to `owner`; otherwise answers who owns it.
inline uint64_t claim(std::atomic<uint64_t>& word, uint64_t owner) noexcept {
  uint64_t before = 0;
  if (!__libc_single_threaded) {
    word.compare_exchange_strong(before, owner, std::memory_order_acq_rel);
    return before;
  }
  before = word.load(std::memory_order_relaxed);
  if (before == 0) word.store(owner, std::memory_order_relaxed);
  return before;
}

struct RefCount {
  std::atomic<uint32_t> n{1};

  void add() noexcept {
    if (__libc_single_threaded)
      n.store(n.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
      n.fetch_add(1, std::memory_order_relaxed);
  }
  // True when the caller held the last reference. The first load spares sole owners the locked instruction.
  [[nodiscard]] bool drop() noexcept {
    uint32_t now = n.load(std::memory_order_acquire);
    if (now == 1) return true;
    if (!__libc_single_threaded) return n.fetch_sub(1, std::memory_order_acq_rel) == 1;
    n.store(now - 1, std::memory_order_relaxed);
    return false;
  }
};

struct RefCounted {
  mutable RefCount refs;

  void retain() const noexcept { refs.add(); }
  [[nodiscard]] bool drop() noexcept { return refs.drop(); }
  bool unique() const noexcept { return refs.n.load(std::memory_order_acquire) == 1; }
};

template <class T>
class Ref {
  T* p_ = nullptr;

 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  // Takes over one count.
  static Ref adopt(T* p) noexcept {
    Ref r;
    r.p_ = p;
    return r;
  }
  static Ref share(T* p) noexcept {
    if (p) p->retain();
    return adopt(p);
  }
  Ref(const Ref& o) noexcept : p_(o.p_) {
    if (p_) p_->retain();
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  // clang-format off
  template <class U> requires std::is_convertible_v<U*, T*>
  Ref(Ref<U> o) noexcept : p_(o.leak()) {}
  // clang-format on
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  [[gnu::always_inline]] ~Ref() { reset(); }

  [[gnu::always_inline]] void reset() noexcept {
    if (T* p = std::exchange(p_, nullptr); p && p->drop()) [[unlikely]]
      free(p);
  }
  [[gnu::noinline]] static void free(T* p) noexcept {
    if constexpr (requires { T::destroy(p); })
      T::destroy(p);
    else
      delete p;
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
