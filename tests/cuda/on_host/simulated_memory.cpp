#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "simulated.h"

namespace haft::cuda_on_host {

namespace {

constexpr size_t kPage = 4096, kAlign = 256, kQuarantine = 512;

struct Memory {
  std::map<const char*, Block> blocks;                   // by their first byte
  std::deque<const char*> gone;                          // freed, kept so that who touches them is told
  std::map<const char*, std::pair<size_t, int>> pinned;  // bytes, uses
  size_t used[kDevices] = {}, limit = size_t(8) << 30;
  std::set<std::pair<int, int>> reach;
  int shown = -1;
  std::vector<const char*> open;  // blocks that tasks have touched since it was changed
};
Memory& memory() {
  static Memory* m = new Memory;
  return *m;
}

bool is_shown(const Block& b) {
  const int d = memory().shown;
  return d == -2 || d == b.device || (d >= 0 && reaches(d, b.device));
}
void protect(const Block& b, bool open) {
  char* begin = b.base + kPage;
  if (mprotect(begin, b.mapped - 2 * kPage, open ? PROT_READ | PROT_WRITE : PROT_NONE))
    mistake("mprotect failed");
}

struct sigaction before;
void say(const std::string& s) {
  if (write(2, s.data(), s.size()) < 0) return;
}
// Opens what a task touches for the first time, or tells what a wrong address was; the crash then goes its way. A
// device has hundreds of blocks, of which a task touches a few.
void on_crash(int number, siginfo_t* info, void* context) {
  const char* at = static_cast<const char*>(info->si_addr);
  if (Block* b = block_at(at)) {
    const bool inside = at >= b->base + kPage && at < b->base + b->mapped - kPage;
    if (inside && b->there && is_shown(*b)) {
      protect(*b, true);
      memory().open.push_back(b->base);
      return;
    }
    const auto offset = at - b->p;
    std::string where =
        b->story + " at byte " + std::to_string(offset) + " of " + std::to_string(b->bytes) + "\n";
    say(offset < 0 || size_t(offset) >= b->bytes ? "device memory is touched beyond its end: " + where
        : b->freed && !b->there                  ? "device memory is touched after it was freed: " + where
        : !b->there ? "device memory is touched before its stream has come to its allocation, or without "
                      "memory under it: " +
                          where
        : memory().shown == -1 ? "device memory is touched by the host: " + where
                               : "device memory is touched by a device that does not reach it: " + where);
    signal(SIGSEGV, SIG_DFL);
    return;
  }
  if (before.sa_flags & SA_SIGINFO && before.sa_sigaction)
    before.sa_sigaction(number, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler(number);
  else
    signal(SIGSEGV, SIG_DFL);
}
void watch_crashes() {
  static const bool once = [] {
    struct sigaction a = {};
    a.sa_sigaction = on_crash;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &a, &before);
    return true;
  }();
  (void)once;
}
// Threads of the engine take no signals of the host program, this one excepted.
void let_through() {
  static thread_local const bool once = [] {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGSEGV);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    return true;
  }();
  (void)once;
}

Block& map_block(size_t bytes, int device, size_t offset_from_end, const std::string& story) {
  watch_crashes();
  Block b{};
  const size_t inside = (bytes + kPage - 1) / kPage * kPage;
  b.mapped = inside + 2 * kPage;
  b.base = static_cast<char*>(
      mmap(nullptr, b.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (b.base == MAP_FAILED) mistake("no addresses for simulated memory");
  b.p = b.base + kPage + inside - offset_from_end;
  b.bytes = bytes;
  b.device = device;
  b.story = story;
  return memory().blocks.emplace(b.base, b).first->second;
}

}  // namespace

void (*on_mistake)(const std::string&) = nullptr;
void mistake(const std::string& text) {
  if (on_mistake) on_mistake(text);
  std::fprintf(stderr, "a mistake in using CUDA: %s\n", text.c_str());
  std::abort();
}

std::recursive_mutex& lock() {
  static auto* m = new std::recursive_mutex;
  return *m;
}

Block* block_at(const void* p) {
  auto& blocks = memory().blocks;
  auto it = blocks.upper_bound(static_cast<const char*>(p));
  if (it == blocks.begin()) return nullptr;
  Block& b = std::prev(it)->second;
  return static_cast<const char*>(p) < b.base + b.mapped ? &b : nullptr;
}

Block& check_range(const void* p, size_t n, int device, const char* what) {
  Block* b = block_at(p);
  char text[64];
  std::snprintf(text, sizeof text, "%zu bytes at %p", n, p);
  const std::string range = std::string(what) + ": " + text;
  if (!b) mistake(range + " are no memory of a device");
  if (b->freed) mistake(range + " were freed: " + b->story);
  const auto offset = static_cast<const char*>(p) - b->p;
  if (offset < 0 || size_t(offset) + n > b->bytes)
    mistake(range + " are outside their allocation of " + std::to_string(b->bytes) + " bytes: " + b->story);
  if (device >= 0 && b->device != device && !reaches(device, b->device))
    mistake(range + " are memory of device " + std::to_string(b->device) + ", which device " +
            std::to_string(device) + " does not reach");
  return *b;
}

Block& make_block(size_t bytes, int device, const std::string& story) {
  return map_block(bytes, device, (bytes + kAlign - 1) / kAlign * kAlign, story);
}
Block& make_addresses(size_t bytes, int device) { return map_block(bytes, device, bytes, "mapped memory"); }

void put_memory(Block& b) {
  protect(b, true);
  std::memset(b.p, 0xff, b.bytes);
  b.there = true;
  protect(b, false);
}
void take_memory(Block& b) {
  b.there = false;
  protect(b, false);
  madvise(b.base + kPage, b.mapped - 2 * kPage, MADV_DONTNEED);
}
void drop(Block& b) {
  auto& m = memory();
  m.gone.push_back(b.base);
  if (m.gone.size() <= kQuarantine) return;
  const Block& old = m.blocks.at(m.gone.front());
  munmap(old.base, old.mapped);
  m.blocks.erase(m.gone.front());
  m.gone.pop_front();
}

void show(int device) {
  let_through();
  auto& m = memory();
  if (m.shown == device) return;
  m.shown = device;
  for (const char* base : m.open)
    if (const auto b = m.blocks.find(base); b != m.blocks.end()) protect(b->second, false);
  m.open.clear();
}

bool reaches(int device, int other) { return device == other || memory().reach.count({device, other}); }
void let_reach(int device, int other) { memory().reach.insert({device, other}); }

size_t memory_limit() { return memory().limit; }
size_t memory_used(int device) { return memory().used[device]; }
void use_memory(int device, int64_t bytes) { memory().used[device] += size_t(bytes); }
void limit_memory(size_t bytes) {
  std::lock_guard guard(lock());
  memory().limit = bytes;
}

void* pin(size_t bytes) {
  void* p = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (p) memory().pinned[static_cast<const char*>(p)] = {bytes, 0};
  return p;
}
static std::pair<size_t, int>* pinned_at(const void* p, size_t n) {
  auto& all = memory().pinned;
  auto it = all.upper_bound(static_cast<const char*>(p));
  if (it == all.begin()) return nullptr;
  --it;
  return static_cast<const char*>(p) + n <= it->first + it->second.first ? &it->second : nullptr;
}
void unpin(void* p) {
  auto& all = memory().pinned;
  auto it = all.find(static_cast<const char*>(p));
  if (it == all.end()) mistake("pinned memory is freed that is none");
  if (it->second.second) mistake("pinned memory is freed while a copy waits that uses it");
  all.erase(it);
  std::free(p);
}
bool is_pinned(const void* p, size_t n) { return pinned_at(p, n) != nullptr; }
void use_pinned(const void* p, int more) {
  if (auto* found = pinned_at(p, 1)) found->second += more;
}

static int64_t count_blocks(bool mapped) {
  int64_t n = 0;
  for (auto& [base, b] : memory().blocks) n += !b.freed && (b.story == "mapped memory") == mapped;
  return n;
}
Live count_streams();  // simulated_streams.cpp
Live live() {
  std::lock_guard guard(lock());
  Live l = count_streams();
  l.blocks = count_blocks(false);
  l.reserved = count_blocks(true);
  l.pinned = int64_t(memory().pinned.size());
  return l;
}

}  // namespace haft::cuda_on_host
