#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/backend/sim_fixture.h"

namespace haft {
namespace {

namespace fs = std::filesystem;

// A folder of plug-ins: links to sim under other names, and files that are none.
class Loader : public testing::Test {
 protected:
  fs::path folder;

  void SetUp() override {
    register_cpu(cpu_backend());
    std::string pattern = (fs::temp_directory_path() / "haft_loader_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string file(const std::string& type) { return (folder / ("libhaft_" + type + ".so")).string(); }
  void link_sim(const std::string& type) { fs::create_symlink(fs::absolute(HAFT_SIM_DEVICE), file(type)); }
  Error load_error(const std::string& type) {
    Error e = error_of([&] { parse_device(type + ":0"); });
    EXPECT_EQ(e.code, Code::unavailable) << e.message;
    return e;
  }
};

TEST_F(Loader, ListsWhatItTried) {
  Environment path("HAFT_BACKEND_PATH", folder.string() + ":relative::/nowhere");
  Error e = load_error("absent");
  EXPECT_HAS(e.message, "\"absent\"");
  EXPECT_HAS(e.message, file("absent") + ": no such file");
  EXPECT_HAS(e.message, "relative/libhaft_absent.so: not tried");
  EXPECT_HAS(e.message, "/nowhere/libhaft_absent.so: no such file");
  EXPECT_HAS(e.hint, "HAFT_BACKEND_PATH");
}

TEST_F(Loader, NeverLooksInTheCurrentFolder) {
  link_sim("here");
  fs::path old = fs::current_path();
  fs::current_path(folder);
  Environment path("HAFT_BACKEND_PATH", ".");
  Environment name("HAFT_SIM_NAME", "here");
  load_error("here");
  fs::current_path(old);
}

TEST_F(Loader, PassesOnTheLoadersReason) {
  std::ofstream(file("text")) << std::string(4096, 'x');
  Dl_info info;
  ASSERT_TRUE(dladdr(reinterpret_cast<void*>(&std::strtol), &info));
  fs::create_symlink(fs::canonical(info.dli_fname), file("other"));
  Environment path("HAFT_BACKEND_PATH", folder.string());
  EXPECT_HAS(load_error("text").message, "ELF");
  EXPECT_HAS(load_error("other").message, HAFT_BACKEND_ENTRY);
}

TEST_F(Loader, RefusesBadTables) {
  Environment path("HAFT_BACKEND_PATH", folder.string());
  const char* cases[][2] = {{"refuse", "no simulated driver"},
                            {"abi", "version 7"},
                            {"hash", "sim 1.0: built with the operators 0000000000001234"},
                            {"size", "struct_size"},
                            {"slot", "copy_peer"},
                            {"streams", "event_wait"},
                            {"name", "Sim/0"}};
  for (auto& c : cases) {
    std::string type = std::string("bad") + c[0];
    link_sim(type);
    Environment broken("HAFT_SIM_BROKEN", c[0]);
    EXPECT_HAS(load_error(type).message, c[1]);
    EXPECT_EQ(find_backend(type), kNoDevice);
  }
}

TEST_F(Loader, ForgetsFailures) {
  if (find_backend("late")) GTEST_SKIP() << "a type is loaded once a process";
  Environment path("HAFT_BACKEND_PATH", folder.string());
  load_error("late");
  link_sim("late");
  Environment name("HAFT_SIM_NAME", "late");
  Device d = parse_device("late:1");
  EXPECT_EQ(device_text(d), "late:1");
  EXPECT_EQ(parse_device("late"), (Device{d.type, 0}));
}

TEST_F(Loader, RefusesALibraryThatServesAnotherType) {
  sim_type();
  Environment path("HAFT_BACKEND_PATH", folder.string());
  link_sim("alias");
  EXPECT_HAS(load_error("alias").message, "\"sim\"");
}

TEST_F(Loader, LoadsOnceFromManyThreads) {
  link_sim("many");
  Environment path("HAFT_BACKEND_PATH", folder.string());
  Environment name("HAFT_SIM_NAME", "many");
  std::vector<Device> got(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&, i] { got[i] = parse_device("many:0"); });
  for (auto& t : threads) t.join();
  for (Device d : got) EXPECT_EQ(d, got[0]);
}

TEST_F(Loader, ExplicitPathsAreNotSearched) {
  EXPECT_EQ(error_of([] { load_backend("libhaft_sim.so"); }).code, Code::invalid_argument);
  EXPECT_EQ(error_of([] { load_backend(nullptr); }).code, Code::invalid_argument);
  Error e = error_of([] { load_backend("/nowhere/libhaft_sim.so"); });
  EXPECT_EQ(e.code, Code::unavailable);
  EXPECT_HAS(e.message, "/nowhere/libhaft_sim.so: no such file");
  EXPECT_EQ(load_backend(HAFT_SIM_DEVICE), sim_type());
}

}  // namespace
}  // namespace haft
