// Dynamic libraries, forks and memory of the system.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/dynamic_library.h"
#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/base/system_memory.h"

namespace haft {
namespace {

TEST(DynamicLibrary, OpensAndFinds) {
  DynamicLibrary m = DynamicLibrary::open("libm.so.6");
  ASSERT_TRUE(bool(m));
  EXPECT_EQ(m.function<double (*)(double)>("sqrt")(9.0), 3.0);
  EXPECT_EQ(m.find("no_such_symbol"), nullptr);
  try {
    m.symbol("no_such_symbol");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::unavailable);
    EXPECT_NE(e.message.find("no_such_symbol"), std::string::npos);
  }
  DynamicLibrary moved = std::move(m);
  EXPECT_FALSE(bool(m));
  EXPECT_TRUE(bool(moved));
}

TEST(DynamicLibrary, SaysWhyItCannotOpen) {
  DynamicLibrary lib;
  std::string error;
  EXPECT_FALSE(DynamicLibrary::try_open("./no_such_library.so", &lib, &error));
  EXPECT_NE(error.find("no_such_library"), std::string::npos);
  EXPECT_FALSE(bool(lib));
  EXPECT_EQ(lib.find("sqrt"), nullptr);
  EXPECT_THROW(DynamicLibrary::open("./no_such_library.so"), Error);
}

TEST(DynamicLibrary, KnowsWhereTheEngineLies) {
  std::string dir = library_directory();
  EXPECT_TRUE(std::filesystem::is_directory(dir)) << dir;
}

TEST(Fork, ChildrenHaveAnotherGeneration) {
  uint32_t mine = fork_generation();
  pid_t child = fork();
  if (child == 0) _exit(fork_generation() == mine + 1 ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(fork_generation(), mine);
}

#if !defined(__SANITIZE_ADDRESS__)
// Whether the mapping of an address asks for huge pages: "hg" among its flags.
bool wants_huge_pages(const void* p) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      inside = uintptr_t(p) >= begin && uintptr_t(p) < end;
    if (inside && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}
bool resident(const void* page) {
  unsigned char in = 0;
  EXPECT_EQ(mincore(const_cast<void*>(page), 1, &in), 0);
  return in & 1;
}

TEST(SystemMemory, BlocksOfMiddleSizeShareHugePages) {
  constexpr int64_t kBytes = 400000, kMany = 50;  // more than a region holds
  std::vector<char*> blocks;
  for (int64_t i = 0; i < kMany; ++i) {
    char* p = static_cast<char*>(system_alloc(kBytes, i % 2 ? 4096 : 64));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(uintptr_t(p) % (i % 2 ? 4096 : 64), 0u);
    std::fill_n(p, kBytes, char(i));
    blocks.push_back(p);
  }
  if (std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled")) {
    EXPECT_TRUE(wants_huge_pages(blocks[3]));
  }
  // What is freed goes back to the system at once, and nobody else's content with it.
  const char* page = reinterpret_cast<char*>((uintptr_t(blocks[6]) + 8191) & -uintptr_t(4096));
  EXPECT_TRUE(resident(page));
  for (int64_t i = 0; i < kMany; i += 2) system_free(blocks[size_t(i)], kBytes);
  EXPECT_FALSE(resident(page));
  for (int64_t i = 1; i < kMany; i += 2)
    EXPECT_TRUE(std::all_of(blocks[size_t(i)], blocks[size_t(i)] + kBytes, [&](char c) {
      return c == char(i);
    })) << i;
  for (int64_t i = 1; i < kMany; i += 2) system_free(blocks[size_t(i)], kBytes);
}
#endif

}  // namespace
}  // namespace haft
