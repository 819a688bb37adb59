#include "oom.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <thread>

namespace oom {

namespace {

std::atomic<int64_t> countdown{0}, blocks{0};  // requests until one fails; 0: none does
std::atomic<bool> one_failed{false}, stays{false};
std::atomic<bool> in_onednn{false};  // a request of oneDNN failed: it does not always free what it had

void* get(std::size_t bytes, std::size_t alignment, void* caller) {
  if (refuse()) {
    Dl_info from;
    if (dladdr(caller, &from) && std::strstr(from.dli_fname, "libdnnl")) in_onednn = true;
    return nullptr;
  }
  blocks.fetch_add(1, std::memory_order_relaxed);
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes ? bytes : 1);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void* get_or_throw(std::size_t bytes, std::size_t alignment, void* caller) {
  void* p = get(bytes, alignment, caller);
  if (!p) throw std::bad_alloc();
  return p;
}
void give(void* p) {
  if (p) blocks.fetch_sub(1, std::memory_order_relaxed);
  std::free(p);
}

}  // namespace

bool refuse() {
  int64_t n = countdown.load(std::memory_order_relaxed);
  while (n > 1 && !countdown.compare_exchange_weak(n, n - 1)) {
  }
  if (n != 1) return false;
  one_failed = true;
  if (!stays) countdown = 0;
  return true;
}
void arm(int64_t n, Fail how) {
  one_failed = in_onednn = false;
  stays = how == Fail::from_then_on;
  countdown = n;
}
bool disarm() {
  countdown = 0;
  return one_failed;
}
int64_t outstanding() { return blocks; }

void must(haft_status s) {
  if (s == HAFT_OK) return;
  std::fprintf(stderr, "%s\n", haft_error_get_message());
  std::abort();
}
int64_t live() {
  int64_t n = 0;
  must(haft_get_live_handles(&n));
  return n;
}

std::string folder() {
  struct Folder {
    std::string path = std::filesystem::temp_directory_path() / "haft-oom-XXXXXX";
    Folder() {
      if (!mkdtemp(path.data())) std::abort();
    }
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder folder;
  return folder.path;
}

std::vector<char> bytes_of(const haft_tensor* t) {
  int64_t n = 0;
  haft_dtype dtype = 0;
  must(haft_tensor_get_numel(t, &n));
  must(haft_tensor_get_dtype(t, &dtype));
  std::vector<char> b(static_cast<size_t>(n * haft_dtype_get_size(dtype)));
  must(haft_tensor_read(t, b.data(), int64_t(b.size())));
  return b;
}

void Attempt::finish(haft_status s) {
  // The record is read while memory is as short as it was for the call.
  haft_error_info info = HAFT_ERROR_INFO_INIT;
  haft_status read = s == HAFT_OK ? HAFT_OK : haft_error_get_last(&info);
  const char* text = s == HAFT_OK ? "" : haft_error_get_message();
  failed_ = disarm();
  ran_ = true;
  status_ = s;
  if (s == HAFT_OK) return;
  EXPECT_TRUE(failed_) << function_ << " fails though no request did: " << text;
  EXPECT_TRUE(s == HAFT_ERROR_OUT_OF_MEMORY || (callbacks_ && s == HAFT_ERROR_CALLBACK))
      << function_ << " at request " << n_ << ": " << haft_status_get_name(s) << ", " << text;
  EXPECT_EQ(read, HAFT_OK);
  EXPECT_EQ(info.code, s) << function_ << " at request " << n_ << " leaves a record that says otherwise";
  if (!function_.empty()) {
    EXPECT_EQ(std::string(info.function), function_) << " at request " << n_;
  }
  EXPECT_STRNE(info.message, "") << function_ << " at request " << n_;
  EXPECT_STRNE(text, "") << function_ << " at request " << n_;
  for (void** place : outs_)
    EXPECT_EQ(*place, reinterpret_cast<void*>(kUntouched))
        << function_ << " at request " << n_ << " writes a result though it fails";
}

// Which ways of failing are tried, in this thread or a fresh one, and which request fails next. Under sanitizers,
// where attempts cost several times as much (a thread a millisecond under the thread sanitizer), these are samples of
// what the plain build tries whole: neither a race nor memory that is used after it was freed depends on which of
// many equal requests it is.
namespace {
constexpr Fail kFailures[] = {Fail::once, Fail::from_then_on};
#if defined(__SANITIZE_THREAD__)
bool tried(Fail how, bool) { return how == Fail::once; }
int64_t after(int64_t n, Fail) { return n < 4 ? n + 1 : 2 * n; }
#elif defined(__SANITIZE_ADDRESS__)
bool tried(Fail how, bool fresh) { return fresh == (how == Fail::from_then_on); }
int64_t after(int64_t n, Fail how) { return n + 1 + n / (how == Fail::once ? 8 : 2); }
#else
bool tried(Fail, bool) { return true; }
int64_t after(int64_t n, Fail) { return n + 1; }
#endif
}  // namespace

void sweep(const std::string& function, const std::function<void(Attempt&)>& body, Caches caches) {
  auto plain = [&] {
    Attempt a(function, 0, Fail::once);
    body(a);
    EXPECT_TRUE(a.ran()) << function;
    EXPECT_TRUE(a.ok()) << function << ": " << haft_error_get_message();
    return a.ran() && a.ok();
  };
  const int64_t before = live();
  for (int i = 0; i < 2; ++i)  // what stays cached or is made once is there now
    if (!plain()) return;
  ASSERT_EQ(live(), before) << function << " leaks handles without failures";
  for (Fail how : kFailures)
    for (bool fresh : {false, true}) {
      if (!tried(how, fresh)) continue;
      for (int64_t n = 1;; n = after(n, how)) {
        ASSERT_LT(n, 20000) << function << " never gets through";
        bool failed = false, grew = true;
        for (int turn = 0; grew && turn < 4; ++turn) {  // what a turn leaves in caches serves the next
          must(haft_memory_trim(HAFT_DEVICE_CPU, nullptr));
          const int64_t blocks_before = outstanding();
          auto attempt = [&] {
            Attempt a(function, n, how);
            body(a);
            failed = a.failed();
          };
          if (fresh)
            std::thread(attempt).join();
          else
            attempt();
          ASSERT_FALSE(testing::Test::HasFailure());
          ASSERT_EQ(live(), before) << function << " leaks a handle at request " << n;
          must(haft_memory_trim(HAFT_DEVICE_CPU, nullptr));
          grew = outstanding() > blocks_before && !in_onednn && caches == Caches::steady;
        }
        ASSERT_FALSE(grew) << function << " leaks memory at request " << n;
        // Most failures are followed by other attempts; now and then, and at the end, by one that must succeed.
        if (n % 4 == 1 || !failed) {
          ASSERT_TRUE(plain()) << function << " is broken after the failure of request " << n;
        }
        if (!failed) break;
      }
    }
}

}  // namespace oom

void* operator new(std::size_t n) { return oom::get_or_throw(n, 1, __builtin_return_address(0)); }
void* operator new[](std::size_t n) { return oom::get_or_throw(n, 1, __builtin_return_address(0)); }
void* operator new(std::size_t n, std::align_val_t a) {
  return oom::get_or_throw(n, std::size_t(a), __builtin_return_address(0));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return oom::get_or_throw(n, std::size_t(a), __builtin_return_address(0));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return oom::get(n, 1, __builtin_return_address(0));
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return oom::get(n, 1, __builtin_return_address(0));
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return oom::get(n, std::size_t(a), __builtin_return_address(0));
}
void operator delete(void* p) noexcept { oom::give(p); }
void operator delete[](void* p) noexcept { oom::give(p); }
void operator delete(void* p, std::size_t) noexcept { oom::give(p); }
void operator delete[](void* p, std::size_t) noexcept { oom::give(p); }
void operator delete(void* p, std::align_val_t) noexcept { oom::give(p); }
void operator delete[](void* p, std::align_val_t) noexcept { oom::give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { oom::give(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { oom::give(p); }

// The allocator can be set once in a process: its own failures are tried before there is anything else.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int64_t n = 1;; ++n) {
    oom::arm(n);
    haft_status s = haft_memory_set_allocator(
        [](int64_t bytes, int64_t alignment, void*) -> void* {
          return oom::refuse()
                     ? nullptr
                     : std::aligned_alloc(std::size_t(alignment),
                                          std::size_t((bytes + alignment - 1) / alignment * alignment));
        },
        [](void* p, int64_t, void*) { std::free(p); }, nullptr);
    bool failed = oom::disarm();
    if (s == HAFT_OK) break;
    if (!failed || s != HAFT_ERROR_OUT_OF_MEMORY) {
      std::fprintf(stderr, "haft_memory_set_allocator at request %d: %s\n", int(n), haft_error_get_message());
      return 1;
    }
  }
  oom::must(haft_set_num_threads(1));
  return RUN_ALL_TESTS();
}
