// What Gloo's own headers of this name declares, and what they include, but Debian's libgloo-dev leaves out. The
// search path has this folder last: where Gloo's file is there it is the one that counts.
#pragma once
#include <memory>
#include <thread>

namespace gloo {

template <typename T>
class WeakNonOwningPtr;

// Keeps the object that it was made of from being destroyed.
template <typename T>
class NonOwningPtr final {
  std::shared_ptr<T> ptr_;

 public:
  NonOwningPtr() = default;
  explicit NonOwningPtr(const WeakNonOwningPtr<T>& weak) : ptr_(weak.ptr_.lock()) {}
  T* operator->() const noexcept { return ptr_.get(); }
  explicit operator bool() const noexcept { return bool(ptr_); }
};

// An object owns one of itself; its end waits for all NonOwningPtr of it.
template <typename T>
class ShareableNonOwningPtr final {
  std::shared_ptr<T> ptr_;
  friend class WeakNonOwningPtr<T>;

 public:
  explicit ShareableNonOwningPtr(T* t) : ptr_(t, [](void*) {}) {}
  ShareableNonOwningPtr(const ShareableNonOwningPtr&) = delete;
  ShareableNonOwningPtr& operator=(const ShareableNonOwningPtr&) = delete;
  ~ShareableNonOwningPtr() {
    const std::weak_ptr<T> weak = ptr_;
    ptr_.reset();
    while (!weak.expired()) std::this_thread::yield();
  }
};

template <typename T>
class WeakNonOwningPtr final {
  std::weak_ptr<T> ptr_;
  friend class NonOwningPtr<T>;

 public:
  WeakNonOwningPtr() = default;
  explicit WeakNonOwningPtr(const ShareableNonOwningPtr<T>& of) : ptr_(of.ptr_) {}
  // Whether it was made of an object, also of one that is gone.
  explicit operator bool() const noexcept {
    const std::weak_ptr<T> none;
    return ptr_.owner_before(none) || none.owner_before(ptr_);
  }
};

}  // namespace gloo
