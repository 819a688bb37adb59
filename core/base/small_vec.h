// A vector of trivially copyable values whose first N live inside the object; no heap until it grows beyond.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>

namespace haft {

template <class T, int N>
class SmallVec {
  static_assert(std::is_trivially_copyable_v<T>);
  uint32_t size_ = 0, cap_ = N;
  T* data_ = inline_;
  T inline_[N];

  [[gnu::cold, gnu::noinline]] void grow(uint32_t want) {
    uint32_t cap = want > cap_ * 2 ? want : cap_ * 2;
    T* p = static_cast<T*>(std::malloc(sizeof(T) * cap));
    if (!p) throw std::bad_alloc();
    std::memcpy(static_cast<void*>(p), data_, sizeof(T) * size_);
    if (data_ != inline_) std::free(data_);
    data_ = p;
    cap_ = cap;
  }

 public:
  SmallVec() {}
  explicit SmallVec(int64_t n, T v = T()) { resize(n, v); }
  SmallVec(std::initializer_list<T> l) { assign({l.begin(), l.size()}); }
  SmallVec(std::span<const T> s) { assign(s); }
  SmallVec(const SmallVec& o) { assign(o); }
  SmallVec(SmallVec&& o) noexcept { take(o); }
  SmallVec& operator=(const SmallVec& o) {
    if (this != &o) assign(o);
    return *this;
  }
  SmallVec& operator=(SmallVec&& o) noexcept {
    if (this != &o) {
      if (data_ != inline_) std::free(data_);
      take(o);
    }
    return *this;
  }
  ~SmallVec() {
    if (data_ != inline_) std::free(data_);
  }

  void assign(std::span<const T> s) {
    size_ = 0;
    if (s.size() > cap_) grow(uint32_t(s.size()));
    if (!s.empty()) std::memcpy(static_cast<void*>(data_), s.data(), sizeof(T) * s.size());
    size_ = uint32_t(s.size());
  }
  void push_back(T v) {
    if (size_ == cap_) grow(size_ + 1);
    data_[size_++] = v;
  }
  void append(const T* from, int64_t n) {  // from elsewhere; `from` may be null when n is 0
    if (size_ + n > cap_) grow(uint32_t(size_ + n));
    if (n) std::memcpy(static_cast<void*>(data_ + size_), from, sizeof(T) * size_t(n));
    size_ += uint32_t(n);
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(int64_t n, T v = T()) {
    if (n > cap_) grow(uint32_t(n));
    for (int64_t i = size_; i < n; ++i) data_[i] = v;
    size_ = uint32_t(n);
  }
  // The new elements are whatever the memory holds; n must fit inside the object.
  void resize_uninitialized(int n) { size_ = uint32_t(n); }
  void insert(int64_t at, T v) {
    push_back(v);
    std::memmove(static_cast<void*>(data_ + at + 1), data_ + at, sizeof(T) * (size_ - 1 - at));
    data_[at] = v;
  }
  void erase(int64_t at) {
    std::memmove(static_cast<void*>(data_ + at), data_ + at + 1, sizeof(T) * (size_ - 1 - at));
    --size_;
  }

  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](int64_t i) { return data_[i]; }
  const T& operator[](int64_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  operator std::span<const T>() const { return {data_, size_}; }

 private:
  void take(SmallVec& o) noexcept {
    size_ = o.size_;
    if (o.data_ == o.inline_) {
      data_ = inline_;
      cap_ = N;
      std::memcpy(static_cast<void*>(inline_), o.inline_, sizeof(T) * o.size_);
    } else {
      data_ = o.data_;
      cap_ = o.cap_;
      o.data_ = o.inline_;
      o.cap_ = N;
    }
    o.size_ = 0;
  }
};

}  // namespace haft
