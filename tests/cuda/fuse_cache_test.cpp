// Compiled kernels on disk.
#include "core/cuda/fuse_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/text.h"
#include "core/cuda/fuse.h"
#include "core/cuda/nvrtc.h"
#include "tests/cuda/cuda_testing.h"
#include "tests/cuda/fusion/patterns.h"

namespace haft::cuda {
namespace {

namespace fs = std::filesystem;

struct FusedCache : testing::Test {
  const fs::path folder = fs::path(testing::TempDir()) / concat("haft-cache-", getpid());
  std::string before;
  void SetUp() override {
    if (const char* v = std::getenv("HAFT_CACHE_PATH")) before = v;
    fs::remove_all(folder);
    setenv("HAFT_CACHE_PATH", folder.c_str(), 1);
  }
  void TearDown() override {
    fs::remove_all(folder);
    setenv("HAFT_CACHE_PATH", before.c_str(), 1);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& f : fs::directory_iterator(folder)) all.push_back(f.path());
    return all;
  }
  static std::string read(const std::string& key) {
    std::string image = "none";
    return read_cache(key, &image) ? image : "none";
  }
};

TEST_F(FusedCache, GivesBackWhatWasKept) {
  EXPECT_EQ(read("key"), "none");
  write_cache("key", std::string("image\0more", 10));
  EXPECT_EQ(read("key"), std::string("image\0more", 10));
  EXPECT_EQ(read("kez"), "none");
  EXPECT_EQ(files().size(), 1u);
  write_cache("key", "another");
  EXPECT_EQ(read("key"), "another");
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(FusedCache, WhatIsNotWholeOrForeignIsNotThere) {
  write_cache("key", "an image of some length");
  const fs::path file = files().at(0);
  const std::string whole = (std::ostringstream() << std::ifstream(file, std::ios::binary).rdbuf()).str();
  auto with = [&](const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    return read("key");
  };
  EXPECT_EQ(with(whole), "an image of some length");
  for (size_t n : {size_t(0), size_t(5), size_t(32), whole.size() - 1})
    EXPECT_EQ(with(whole.substr(0, n)), "none") << n;
  EXPECT_EQ(with(whole + "x"), "none");
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = char(changed[i] ^ 4);
    EXPECT_EQ(with(changed), "none") << i;
  }
  write_cache("other", "an image of another key");  // under this one's name
  for (const fs::path& f : files())
    if (f != file) fs::copy_file(f, file, fs::copy_options::overwrite_existing);
  EXPECT_EQ(read("key"), "none");
  write_cache("key", "new");
  EXPECT_EQ(read("key"), "new");
}

TEST_F(FusedCache, TheOldestGoWhenThereAreTooMany) {
  const std::string image(1000, 'x');
  for (int i = 0; i < 4; ++i) {
    write_cache(concat("key ", i), image);
    for (const fs::path& f : files())  // seconds ago, so that the order is clear
      fs::last_write_time(f, fs::last_write_time(f) - std::chrono::seconds(10));
  }
  EXPECT_NE(read("key 0"), "none");  // used just now
  std::ofstream(folder / "notes.txt") << std::string(9000, 'n');
  write_cache("key 4", image, 3 * 1200);
  EXPECT_NE(read("key 0"), "none");
  EXPECT_EQ(read("key 1"), "none");
  EXPECT_EQ(read("key 2"), "none");
  EXPECT_NE(read("key 3"), "none");
  EXPECT_NE(read("key 4"), "none");
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
}

TEST_F(FusedCache, IsAHelpAndNoMore) {
  setenv("HAFT_CACHE_PATH", "/proc/haft-cannot-be", 1);  // nobody can write there
  write_cache("key", "image");
  EXPECT_EQ(read("key"), "none");
  setenv("HAFT_CACHE_PATH", "relative", 1);
  EXPECT_EQ(cache_folder(), "");
  setenv("HAFT_CACHE_PATH", "", 1);
  EXPECT_EQ(cache_folder(), "");
  unsetenv("HAFT_CACHE_PATH");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(cache_folder(), "/x/haft");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(cache_folder(), concat(std::getenv("HOME"), "/.cache/haft"));
}

TEST_F(FusedCache, SeveralProcessesShareIt) {
  std::vector<pid_t> writers;
  for (int w = 0; w < 3; ++w) {
    const pid_t child = fork();
    if (child == 0) {
      bool whole = true;
      for (int i = 0; i < 200; ++i) {
        write_cache("key", std::string(size_t(1000 + 17 * w), char('a' + w)));
        const std::string got = read("key");
        whole = whole && got != "none" && got == std::string(got.size(), got[0]);
      }
      _exit(whole ? 0 : 1);
    }
    writers.push_back(child);
  }
  for (pid_t w : writers) {
    int status = -1;
    waitpid(w, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files().size(), 1u);
}

// ---- kernels of the simulated NVRTC ----

std::string text_of(const char* name) {
  fusion::Chain c(name, {DType::f32});
  c.store(c.step(OpId::neg, {0}));
  return concat("// ", name, "\n", fused_text(FusedProgram(c.program()), {}));
}

TEST_F(FusedCache, KernelsAreCompiledOnceAndFoundByOtherProcesses) {
  table();
  const std::string text = text_of("kept on disk");
  const int64_t before = cuda_on_host::kernels_compiled();
  const void* kernel = fused_kernel(text, "kept", 0);
  EXPECT_EQ(fused_kernel(text, "kept", 1), kernel);
  EXPECT_EQ(cuda_on_host::kernels_compiled(), before + 1);
  ASSERT_EQ(files().size(), 1u);
  // Another process, which asks for the same.
  auto child = [](const char* compiled) {
    return std::system(
        concat("HAFT_COMPILED=", compiled, " HAFT_CACHE_PATH=\"$HAFT_CACHE_PATH\" ",
               fs::read_symlink("/proc/self/exe").string(),
               " --gtest_also_run_disabled_tests --gtest_brief=1 --gtest_filter=FusedChild.DISABLED_Compiles")
            .c_str());
  };
  EXPECT_EQ(child("0"), 0);
  std::ofstream(files()[0], std::ios::binary | std::ios::app) << "damage";
  EXPECT_EQ(child("1"), 0);
  EXPECT_EQ(child("0"), 0);
  // A whole file with code that the device does not take is compiled anew.
  const std::string key = concat("sm_90 NVRTC ", nvrtc_version(), " haft ", fused_headers().hash, "\n", text);
  ASSERT_NE(read(key), "none");
  write_cache(key, "no cubin");
  EXPECT_EQ(child("1"), 0);
  EXPECT_EQ(child("0"), 0);
  fs::permissions(folder, fs::perms::none);  // for the superuser it changes nothing
  EXPECT_EQ(child(geteuid() ? "1" : "0"), 0);
  fs::permissions(folder, fs::perms::owner_all);
}
TEST(FusedChild, DISABLED_Compiles) {
  table();
  fused_kernel(text_of("kept on disk"), "kept", 0);
  EXPECT_EQ(cuda_on_host::kernels_compiled(), std::atoll(std::getenv("HAFT_COMPILED")));
}

TEST_F(FusedCache, WhatDoesNotCompileSaysWhy) {
  table();
  try {
    fused_kernel("int haft_fused = broken;\n", "a broken kernel", 0);
    ADD_FAILURE() << "it compiled";
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::internal);
    EXPECT_NE(
        e.message.find(
            "NVRTC did not compile a broken kernel (NVRTC_ERROR_COMPILATION) for --gpu-architecture=sm_90"),
        std::string::npos)
        << e.message;
    EXPECT_NE(e.message.find("broken"), std::string::npos);
  }
}

TEST_F(FusedCache, WithoutNvrtcAProgramIsRefused) {
  EXPECT_EQ(
      std::system(
          concat(
              "HAFT_SIMULATED_WITHOUT=nvrtc ", fs::read_symlink("/proc/self/exe").string(),
              " --gtest_also_run_disabled_tests --gtest_brief=1 --gtest_filter=FusedChild.DISABLED_Refused")
              .c_str()),
      0);
}
TEST(FusedChild, DISABLED_Refused) {
  fusion::Chain c("anything", {DType::f32});
  c.store(c.step(OpId::neg, {0}));
  const haft_fused_program p = c.program();
  haft_raw_fused made = 0;
  const Answer a = call(table().fused_compile, 0, &p, &made);
  EXPECT_EQ(a.status, int32_t(Code::unsupported));
  expect_has(a.text, "NVRTC is missing: chains of pointwise operators are not fused");
}

}  // namespace
}  // namespace haft::cuda
