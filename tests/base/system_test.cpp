// Dynamic libraries and forks.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/dynamic_library.h"
#include "core/base/error.h"
#include "core/base/fork.h"

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

}  // namespace
}  // namespace haft
