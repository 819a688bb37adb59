// An engine alone, as haft/mesh.h tells it.
#include <haft/mesh.h>
#include <haft/types.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <random>

#include "core/dist/engines.h"
#include "tests/dist/ranks.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

#ifdef HAFT_WITH_GLOO

namespace {

constexpr uint64_t kSmall = 64, kLarge = 16 << 20;  // slots of two lanes; a connection's buffers take less
constexpr uint64_t kPeer = kSmall + kLarge;

// Two ranks of one process. Their engine has one thread, which the second one's ring holds up on request.
struct Pair {
  struct Rank {
    Pair* pair;
    std::vector<unsigned char> out = std::vector<unsigned char>(2 * kPeer),
                               in = std::vector<unsigned char>(2 * kPeer);
    // Where the end of a message of the large lane comes to rest; empty: in its slot.
    std::vector<unsigned char> target;
    haft_mesh* mesh = nullptr;
  };
  const haft_mesh_engine& engine = mesh_engine("gloo");
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> store;
  bool hold = false, is_held = false;
  Rank ranks[2] = {{this}, {this}};

  Pair() {
    std::thread other([&] { open(1); });
    open(0);
    other.join();
  }
  ~Pair() {
    for (Rank& r : ranks)
      if (r.mesh) engine.close(r.mesh, kSecond);
  }
  // The engine's thread waits in the second rank's ring, with the lock of that rank's connection, until go_on().
  void hold_up() {
    {
      std::lock_guard lock(mutex);
      hold = true;
    }
    EXPECT_EQ(engine.send(ranks[0].mesh, 1, 0, 0, 1), HAFT_OK);
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_held; });
  }
  void go_on() {
    std::lock_guard lock(mutex);
    hold = false;
    changed.notify_all();
  }
  void open(int me) {
    const haft_mesh_lane lanes[] = {{1, 0, kSmall, 0}, {1, 0, kLarge, kSmall}};
    haft_mesh_options o = {};
    o.struct_size = sizeof o;
    o.rank = me;
    o.size = 2;
    o.lane_count = 2;
    o.lanes = lanes;
    o.outgoing = ranks[me].out.data();
    o.incoming = ranks[me].in.data();
    o.peer_bytes = kPeer;
    o.address = "127.0.0.1";
    o.timeout_ns = 300 * kSecond;
    o.host = &ranks[me];
    o.set = [](void* host, const char* key, const void* bytes, uint64_t count) -> int32_t {
      Pair& p = *static_cast<Rank*>(host)->pair;
      std::lock_guard lock(p.mutex);
      p.store[key] = std::string(static_cast<const char*>(bytes), count);
      p.changed.notify_all();
      return HAFT_OK;
    };
    o.get = [](void* host, const char* key, void* bytes, uint64_t room, uint64_t* count) -> int32_t {
      Pair& p = *static_cast<Rank*>(host)->pair;
      std::unique_lock lock(p.mutex);
      p.changed.wait(lock, [&] { return p.store.count(key); });
      const std::string& value = p.store[key];
      std::memcpy(bytes, value.data(), std::min<size_t>(room, value.size()));
      *count = value.size();
      return HAFT_OK;
    };
    o.ring = [](void* host) {
      Pair& p = *static_cast<Rank*>(host)->pair;
      std::unique_lock lock(p.mutex);
      if (host != &p.ranks[1] || !p.hold) return;
      p.is_held = true;
      p.changed.notify_all();
      p.changed.wait(lock, [&] { return !p.hold; });
    };
    o.place = [](void* host, int32_t, int32_t lane, int32_t, const void*, uint64_t bytes,
                 uint64_t* head) -> void* {
      Rank& r = *static_cast<Rank*>(host);
      *head = HAFT_MESH_FIRST;
      return lane == 1 && bytes - *head == r.target.size() ? r.target.data() : nullptr;
    };
    char reason[256] = "";
    const int32_t status = engine.open(&o, &ranks[me].mesh, reason, sizeof reason);
    EXPECT_EQ(status, HAFT_OK) << reason;
  }
};

// What is lent and under way when it is kept is sent as it was, whatever its owner writes then.
TEST(Mesh, GloosKeptDataAreThoseThatWereLent) {
  init();
  tested_engine();
  Pair p;
  ASSERT_TRUE(p.ranks[0].mesh && p.ranks[1].mesh);
  ASSERT_TRUE(p.engine.send_from && p.engine.keep);
  p.hold_up();
  std::vector<unsigned char> data(kLarge - 64), wanted;
  std::mt19937 numbers(7);
  for (size_t i = 0; i < data.size(); i += 4096) data[i] = uint8_t(numbers());
  wanted = data;
  ASSERT_EQ(p.engine.send_from(p.ranks[0].mesh, 1, 1, 0, 64, data.data(), data.size()), HAFT_OK);
  EXPECT_EQ(p.engine.sent(p.ranks[0].mesh, 1, 1), 0u) << "a connection took it all";
  p.engine.keep(p.ranks[0].mesh, 1, 1);
  std::fill(data.begin(), data.end(), 0xee);
  p.go_on();
  while (!p.engine.received(p.ranks[1].mesh, 0, 1)) std::this_thread::yield();
  EXPECT_EQ(std::memcmp(p.ranks[1].in.data() + kSmall + 64, wanted.data(), wanted.size()), 0);
}

// What is half way to its place when that is taken back goes on in the slot, with what had come; its place is left
// alone from then on.
TEST(Mesh, GloosMessageGoesOnInItsSlotWhenItsPlaceIsTakenBack) {
  init();
  tested_engine();
  Pair p, holder;  // of one thread, which keeps a connection of the one that holds it up locked
  ASSERT_TRUE(p.ranks[0].mesh && p.ranks[1].mesh);
  ASSERT_TRUE(p.engine.take_back && p.engine.progress && p.engine.rest);
  Pair::Rank& to = p.ranks[1];
  EXPECT_EQ(p.engine.take_back(to.mesh, 0, 1), -1) << "nothing comes";
  to.target.assign(kLarge - HAFT_MESH_FIRST, 0);
  holder.hold_up();
  // Nobody writes more of it now than a connection takes at once, and this thread reads that.
  unsigned char* from = p.ranks[0].out.data() + kPeer + kSmall;
  std::mt19937 numbers(7);
  for (size_t i = 0; i < kLarge; ++i) from[i] = uint8_t(numbers() | 1);
  ASSERT_EQ(p.engine.send(p.ranks[0].mesh, 1, 1, 0, kLarge), HAFT_OK);
  while (!to.target[0])
    if (!p.engine.progress(to.mesh)) std::this_thread::yield();
  p.engine.rest(to.mesh);
  EXPECT_EQ(p.engine.received(to.mesh, 0, 1), 0u) << "a connection took it all";
  EXPECT_EQ(p.engine.take_back(to.mesh, 0, 1), 0);
  EXPECT_EQ(to.in[kSmall + HAFT_MESH_FIRST], from[HAFT_MESH_FIRST]);
  EXPECT_EQ(p.engine.take_back(to.mesh, 0, 1), -1) << "it is taken back already";
  std::fill(to.target.begin(), to.target.end(), 0xee);
  holder.go_on();
  while (!p.engine.received(to.mesh, 0, 1)) std::this_thread::yield();
  EXPECT_EQ(std::memcmp(to.in.data() + kSmall, from, kLarge), 0);
  EXPECT_TRUE(std::ranges::all_of(to.target, [](unsigned char c) { return c == 0xee; }));

  // One that is whole stays where it is.
  while (!p.engine.sent(p.ranks[0].mesh, 1, 1)) std::this_thread::yield();
  std::memset(to.in.data() + kSmall, 0, kLarge);
  ASSERT_EQ(p.engine.post(to.mesh, 0, 1, 0), HAFT_OK);
  ASSERT_EQ(p.engine.send(p.ranks[0].mesh, 1, 1, 0, kLarge), HAFT_OK);
  while (p.engine.received(to.mesh, 0, 1) < 2) std::this_thread::yield();
  EXPECT_EQ(p.engine.take_back(to.mesh, 0, 1), -1);
  EXPECT_EQ(std::memcmp(to.in.data() + kSmall, from, HAFT_MESH_FIRST), 0);
  EXPECT_EQ(std::memcmp(to.target.data(), from + HAFT_MESH_FIRST, to.target.size()), 0);
  EXPECT_EQ(to.in[kSmall + HAFT_MESH_FIRST], 0);
}

}  // namespace

#endif  // HAFT_WITH_GLOO
