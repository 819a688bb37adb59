// Stores, rendezvous and the launcher's variables through the C interface.
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "capi_testing.h"

using haft::Store;

namespace {

struct Stores : CapiTest {};

TEST_F(Stores, OneProcessAndItsThreads) {
  Store s = Store::hash();
  std::thread other([&] { EXPECT_EQ(s.get_value("key"), std::string("a\0b", 3)); });
  s.set("key", std::string("a\0b", 3));
  other.join();
  EXPECT_TRUE(s.has({"key"}));
  EXPECT_FALSE(s.has({"key", "absent"}));
  s.wait({"key"}, 0);
  EXPECT_EQ(s.add("n", 2), 2);
  EXPECT_EQ(s.add("n", -5), -3);
  EXPECT_EQ(s.get_value("n", 0), "-3");
  EXPECT_TRUE(s.compare_set("cas", "", "first"));
  EXPECT_FALSE(s.compare_set("cas", "", "second"));
  EXPECT_TRUE(s.compare_set("cas", "first", "third"));
  std::string current;
  EXPECT_FALSE(s.compare_set("cas", "first", "fourth", &current));
  EXPECT_EQ(current, "third");
  EXPECT_TRUE(s.compare_set("cas", "third", "", &current));
  EXPECT_EQ(current, "");
  EXPECT_FALSE(s.compare_set("no key", "something", "else", &current));
  EXPECT_EQ(current, "");
  EXPECT_TRUE(s.remove("cas"));
  EXPECT_FALSE(s.remove("cas"));
  s.lease("alive", "yes", 3600000000);
  EXPECT_TRUE(s.has({"alive"}));
  const std::string large(100000, 'x');
  s.set("large", large);
  EXPECT_EQ(s.get_value("large", 0), large);
  EXPECT_FALSE(s.compare_set("large", "small", "smaller", &current));
  EXPECT_EQ(current, large);
  Store mine = s.prefixed("mine");
  EXPECT_FALSE(mine.has({"key"}));
  mine.set("key", "own");
  EXPECT_EQ(s.get_value("mine/key", 0), "own");
  EXPECT_EQ(mine.port(), 0);
}

TEST_F(Stores, OverTcpWithASecret) {
  Store server = Store::open_with_secret("tcp://127.0.0.1:0", "s", true);
  EXPECT_GT(server.port(), 0);
  const std::string url = "tcp://127.0.0.1:" + std::to_string(server.port());
  Store client = Store::open_with_secret(url, "s");
  client.set("key", "value");
  EXPECT_EQ(server.get_value("key", 0), "value");
  EXPECT_EQ(code_of([&] { Store::open_with_secret(url, "t"); }), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(haft_error_get_message()).find("refused"), std::string::npos);
  setenv("HAFT_SECRET", "s", 1);
  EXPECT_EQ(Store::open(url).get_value("key", 0), "value");
  unsetenv("HAFT_SECRET");
  EXPECT_EQ(code_of([&] { Store::open(url); }), HAFT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Stores, RefusesBadArguments) {
  Store s = Store::hash();
  int64_t size = 42;
  haft_store* out = nullptr;
  EXPECT_FAILS_AT(haft_store_get(s.get(), "k", -1, nullptr, 0, &size), HAFT_ERROR_INVALID_ARGUMENT, 2,
                  "timeout_us");
  EXPECT_FAILS_AT(haft_store_get(s.get(), "k", 0, nullptr, 0, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 5,
                  "size");
  EXPECT_FAILS_AT(haft_store_set(s.get(), "k", nullptr, 3), HAFT_ERROR_INVALID_ARGUMENT, 2, "value");
  EXPECT_FAILS_AT(haft_store_set(s.get(), "k", "v", -1), HAFT_ERROR_INVALID_ARGUMENT, 2, "value");
  EXPECT_FAILS_AT(haft_store_set(s.get(), nullptr, "v", 1), HAFT_ERROR_INVALID_ARGUMENT, 1, "key");
  EXPECT_FAILS_AT(haft_store_wait(s.get(), nullptr, 1, 0), HAFT_ERROR_INVALID_ARGUMENT, 1, "keys");
  EXPECT_FAILS_AT(haft_store_lease(s.get(), "k", "v", 1, 0), HAFT_ERROR_INVALID_ARGUMENT, 4, "ttl_us");
  haft_rendezvous_options o = HAFT_RENDEZVOUS_OPTIONS_INIT;
  o.rank = -2;
  EXPECT_FAILS_AT(haft_rendezvous("hash://", &o, &out, nullptr, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1,
                  "options.rank");
  o.rank = 0;
  o.world_size = 0;
  EXPECT_FAILS_AT(haft_rendezvous("hash://", &o, &out, nullptr, nullptr), HAFT_ERROR_INVALID_ARGUMENT, 1,
                  "options.world_size");
  o.world_size = 1;
  o.reserved = 1;
  EXPECT_FAILS(haft_rendezvous("hash://", &o, &out, nullptr, nullptr), HAFT_ERROR_BAD_STRUCT, "reserved");
  EXPECT_FAILS(haft_store_create("nonsense", nullptr, &out), HAFT_ERROR_INVALID_ARGUMENT,
               "no url of a store");
  EXPECT_FAILS(haft_store_get(s.get(), "absent", 1000, nullptr, 0, &size), HAFT_ERROR_TIMEOUT, "'absent'");
  EXPECT_EQ(size, 42);
  char small[2] = {'u', 0};
  s.set("long", "value");
  EXPECT_FAILS_AT(haft_store_get(s.get(), "long", 0, small, 2, &size), HAFT_ERROR_INVALID_ARGUMENT, 4,
                  "capacity");
  EXPECT_EQ(size, 5);
  EXPECT_EQ(small[0], 'u');
  // What stands there has no room; what is desired has none, which is known before anything is set.
  int32_t changed = 42;
  EXPECT_FAILS_AT(haft_store_compare_set(s.get(), "long", "w", 1, "x", 1, &changed, small, 2, &size),
                  HAFT_ERROR_INVALID_ARGUMENT, 8, "capacity");
  EXPECT_EQ(size, 5);
  EXPECT_FAILS_AT(haft_store_compare_set(s.get(), "long", "value", 5, "other", 5, &changed, small, 2, &size),
                  HAFT_ERROR_INVALID_ARGUMENT, 8, "capacity");
  EXPECT_FAILS_AT(haft_store_compare_set(s.get(), "long", "", 0, "", 0, &changed, nullptr, 2, &size),
                  HAFT_ERROR_INVALID_ARGUMENT, 7, "current");
  EXPECT_FAILS_AT(haft_store_compare_set(s.get(), "long", "", 0, "", 0, &changed, small, 2, nullptr),
                  HAFT_ERROR_INVALID_ARGUMENT, 9, "size");
  EXPECT_EQ(s.get_value("long", 0), "value");
  EXPECT_EQ(changed, 42);
  EXPECT_EQ(small[0], 'u');
  EXPECT_EQ(haft_store_compare_set(s.get(), "long", "value", 5, "other", 5, &changed, nullptr, 0, nullptr),
            HAFT_OK);
  EXPECT_EQ(changed, 1);
  EXPECT_EQ(out, nullptr);
}

TEST_F(Stores, RendezvousWithASecret) {
  haft_rendezvous_options o = HAFT_RENDEZVOUS_OPTIONS_INIT;
  o.rank = 0;
  o.world_size = 1;
  o.secret = "s";
  haft_store* s = nullptr;
  haft::check(haft_rendezvous("tcp://127.0.0.1:0", &o, &s, nullptr, nullptr));
  const Store mine(s);
  const std::string url = "tcp://127.0.0.1:" + std::to_string(mine.port());
  EXPECT_TRUE(Store::open_with_secret(url, "s").has({}));
  EXPECT_EQ(code_of([&] { Store::open(url); }), HAFT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Stores, RendezvousByFile) {
  const std::string folder =
      std::filesystem::temp_directory_path() / ("haft-capi-" + std::to_string(getpid()));
  std::thread other([&] {
    haft::Rendezvous r = haft::rendezvous("file://" + folder, 1, 2);
    EXPECT_EQ(r.rank, 1);
    r.store.set("from one", "1");
  });
  haft::Rendezvous r = haft::rendezvous("file://" + folder + "?rank=0&world_size=2");
  EXPECT_EQ(r.rank, 0);
  EXPECT_EQ(r.world_size, 2);
  EXPECT_EQ(r.store.get_value("from one"), "1");
  other.join();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(code_of([&] { haft::rendezvous("file://" + folder, 0, 2, 20000); }), HAFT_ERROR_TIMEOUT);
  EXPECT_NE(std::string(haft_error_get_message()).find("1/2 joined, missing rank 1"), std::string::npos)
      << haft_error_get_message();
  std::filesystem::remove_all(folder);
}

TEST_F(Stores, LaunchEnvironment) {
  haft_launch_environment e = haft::launch_environment();
  EXPECT_EQ(e.world_size, 1);
  EXPECT_STREQ(e.launcher, "none");
  setenv("RANK", "1", 1);
  setenv("WORLD_SIZE", "3", 1);
  setenv("MASTER_ADDR", "somewhere", 1);
  e = haft::launch_environment();
  EXPECT_EQ(e.rank, 1);
  EXPECT_EQ(e.world_size, 3);
  EXPECT_STREQ(e.launcher, "torchrun");
  EXPECT_STREQ(e.master_host, "somewhere");
  EXPECT_EQ(e.struct_size, sizeof e);
  setenv("MASTER_ADDR", std::string(300, 'h').c_str(), 1);
  EXPECT_FAILS(haft_get_launch_environment(&e), HAFT_ERROR_INVALID_ARGUMENT, "MASTER_ADDR has 300 bytes");
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR"}) unsetenv(name);
  e.struct_size = 3;
  EXPECT_FAILS(haft_get_launch_environment(&e), HAFT_ERROR_BAD_STRUCT, "");
}

}  // namespace
