// Stores under failing allocations.
#include "oom_cases.h"

namespace oom {
namespace {

// Longer than what a string holds within itself.
const char* const kKey = "a key that is longer than a short string";
const char* const kValue = "a value that is longer than a short string, too";
constexpr int64_t kSize = 40;

struct OneKey : Store {
  OneKey() {
    must(haft_hash_store_create(&h));
    must(haft_store_set(h, kKey, kValue, kSize));
  }
};

}  // namespace

void add_stores(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_store_create", [](Attempt& a) {
    Store s(a);
    const std::string url = "file://" + in_folder("a folder of a store with a long name");
    a.run([&] { return haft_store_create(url.c_str(), nullptr, &s); });
  });
  add("haft_hash_store_create", [](Attempt& a) {
    Store s(a);
    a.run([&] { return haft_hash_store_create(&s); });
  });
  add("haft_prefix_store_create", [](Attempt& a) {
    OneKey s;
    Store p(a);
    a.run([&] { return haft_prefix_store_create(kKey, s, &p); });
  });
  add_counting<Store>(
      all, "store", [](Store& s) { must(haft_hash_store_create(&s)); }, haft_store_retain,
      haft_store_release);
  add("haft_store_set", [](Attempt& a) {
    Store s;
    must(haft_hash_store_create(&s));
    a.run([&] { return haft_store_set(s, kKey, kValue, kSize); });
    int32_t there = -1;
    must(haft_store_check(s, &kKey, 1, &there));
    EXPECT_EQ(there, a.ok());
  });
  add("haft_store_get", [](Attempt& a) {
    OneKey s;
    char buffer[64] = "untouched";
    int64_t size = -1;
    a.run([&] { return haft_store_get(s, kKey, 0, buffer, sizeof buffer, &size); });
    if (!a.ok()) {
      EXPECT_STREQ(buffer, "untouched");
    }
  });
  add("haft_store_wait", [](Attempt& a) {
    OneKey s;
    a.run([&] { return haft_store_wait(s, &kKey, 1, 0); });
  });
  add("haft_store_check", [](Attempt& a) {
    OneKey s;
    int32_t there = -1;
    a.run([&] { return haft_store_check(s, &kKey, 1, &there); });
    EXPECT_EQ(there, a.ok() ? 1 : -1);
  });
  add("haft_store_add", [](Attempt& a) {
    Store s;
    must(haft_hash_store_create(&s));
    int64_t sum = -1;
    a.run([&] { return haft_store_add(s, kKey, 3, &sum); });
    must(haft_store_add(s, kKey, 0, &sum));
    EXPECT_EQ(sum, a.ok() ? 3 : 0);
  });
  add("haft_store_compare_set", [](Attempt& a) {
    OneKey s;
    int32_t changed = -1;
    char buffer[64] = "";
    int64_t size = 0;
    a.run([&] {
      return haft_store_compare_set(s, kKey, kValue, kSize, kKey, kSize, &changed, buffer, sizeof buffer,
                                    &size);
    });
    must(haft_store_get(s, kKey, 0, buffer, sizeof buffer, &size));
    EXPECT_EQ(std::string(buffer, size_t(size)), std::string(changed == 1 ? kKey : kValue, size_t(kSize)));
  });
  add("haft_store_delete", [](Attempt& a) {
    OneKey s;
    int32_t there = -1;
    a.run([&] { return haft_store_delete(s, kKey, &there); });
  });
  add("haft_store_lease", [](Attempt& a) {
    Store s;
    must(haft_hash_store_create(&s));
    a.run([&] { return haft_store_lease(s, kKey, kValue, kSize, 1000000000); });
  });
  add("haft_store_get_port", [](Attempt& a) {
    OneKey s;
    int32_t port = -1;
    a.run([&] { return haft_store_get_port(s, &port); });
  });
  add("haft_rendezvous", [](Attempt& a) {
    haft_rendezvous_options o = HAFT_RENDEZVOUS_OPTIONS_INIT;
    o.rank = 0;
    o.world_size = 1;
    Store s(a);
    a.run([&] { return haft_rendezvous("hash://", &o, &s, nullptr, nullptr); });
  });
  add("haft_get_launch_environment", [](Attempt& a) {
    haft_launch_environment e = HAFT_LAUNCH_ENVIRONMENT_INIT;
    a.run([&] { return haft_get_launch_environment(&e); });
  });
}

}  // namespace oom
