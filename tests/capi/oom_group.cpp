// Process groups under failing allocations: of one rank, where nobody else can be told; messages between two.
#include <thread>

#include "oom_cases.h"

namespace oom {
namespace {

struct Begun : Work {
  Alone group;
  Filled x;
  Begun() {
    must(haft_process_group_all_reduce(group, x, HAFT_REDUCE_OP_SUM, &h));
    must(haft_work_wait(h, HAFT_NONE));
  }
};

struct Pair {
  Group first, second;
  Pair() {
    Store s;
    must(haft_hash_store_create(&s));
    std::thread other([&] { must(haft_process_group_create(s, 1, 2, nullptr, &second)); });
    must(haft_process_group_create(s, 0, 2, nullptr, &first));
    other.join();
  }
};

}  // namespace

void add_groups(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_process_group_create", [](Attempt& a) {
    Store s;
    must(haft_hash_store_create(&s));
    Group g(a);
    a.run([&] { return haft_process_group_create(s, 0, 1, nullptr, &g); });
  });
  add("haft_process_group_subgroup", [](Attempt& a) {
    Alone g;
    Group sub(a);
    const int32_t ranks[] = {0};
    a.run([&] { return haft_process_group_subgroup(g, ranks, 1, nullptr, &sub); });
  });
  add("haft_process_group_split", [](Attempt& a) {
    Alone g;
    Group part(a);
    a.run([&] { return haft_process_group_split(g, 0, 0, nullptr, &part); });
  });
  add("haft_process_group_get_info", [](Attempt& a) {
    Alone g;
    haft_process_group_info i = HAFT_PROCESS_GROUP_INFO_INIT;
    a.run([&] { return haft_process_group_get_info(g, &i); });
  });
  add("haft_process_group_abort", [](Attempt& a) {
    Alone g;
    a.run([&] { return haft_process_group_abort(g, "because"); });
  });
  add("haft_process_group_recorder_to_json", [](Attempt& a) {
    Alone g;
    int64_t needed = 0;
    a.run([&] { return haft_process_group_recorder_to_json(g, nullptr, 0, &needed); });
  });
  // f(group, tensor, another, lists of one)
  auto call = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      Alone g;
      Filled x, y;
      haft_tensor *xs[] = {x}, *ys[] = {y};
      a.run([&] { return f(g.h, x.h, y.h, xs, ys); });
    });
  };
#define CALL(name, ...)                                                                            \
  call("haft_process_group_" #name,                                                                \
       [](haft_process_group* g, [[maybe_unused]] haft_tensor* x, [[maybe_unused]] haft_tensor* y, \
          [[maybe_unused]] haft_tensor* const* xs,                                                 \
          [[maybe_unused]] haft_tensor* const* ys) { return haft_process_group_##name(g, __VA_ARGS__); })
  CALL(broadcast, x, 0, nullptr);
  CALL(all_reduce, x, HAFT_REDUCE_OP_SUM, nullptr);
  CALL(reduce, x, HAFT_REDUCE_OP_SUM, 0, nullptr);
  CALL(all_gather, xs, 1, y, nullptr);
  CALL(all_gather_into, x, y, nullptr, 0, nullptr);
  CALL(gather, xs, 1, y, 0, nullptr);
  CALL(scatter, x, ys, 1, 0, nullptr);
  CALL(reduce_scatter, x, ys, 1, HAFT_REDUCE_OP_SUM, nullptr);
  CALL(reduce_scatter_from, x, y, HAFT_REDUCE_OP_SUM, nullptr);
  CALL(all_to_all, xs, ys, 1, nullptr);
  CALL(all_to_all_single, x, y, nullptr, nullptr, 0, nullptr);
  CALL(barrier, HAFT_NONE, nullptr);
#undef CALL
  add("haft_process_group_send", [](Attempt& a) {
    Pair p;
    Filled x;
    a.run([&] { return haft_process_group_send(p.first, x, 1, 0, nullptr); });
  });
  add("haft_process_group_recv", [](Attempt& a) {
    Pair p;
    Filled x, y;
    must(haft_process_group_send(p.second, x, 0, 0, nullptr));
    int32_t source = -1;
    a.run([&] { return haft_process_group_recv(p.first, y, HAFT_ANY_SOURCE, 0, &source, nullptr); });
  });
  add_counting<Group>(
      all, "process_group",
      [](Group& g) {
        Alone alone;
        g.h = std::exchange(alone.h, nullptr);
      },
      haft_process_group_retain, haft_process_group_release);
  add_counting<Work>(
      all, "work",
      [](Work& w) {
        Begun b;
        w.h = std::exchange(b.h, nullptr);
      },
      haft_work_retain, haft_work_release);
  add("haft_work_wait", [](Attempt& a) {
    Begun w;
    a.run([&] { return haft_work_wait(w, HAFT_NONE); });
  });
  add("haft_work_is_done", [](Attempt& a) {
    Begun w;
    int32_t done = 0;
    a.run([&] { return haft_work_is_done(w, &done); });
  });
  add("haft_work_get_source", [](Attempt& a) {
    Begun w;
    int32_t r = 0;
    a.run([&] { return haft_work_get_source(w, &r); });
  });
  add("haft_work_on_done", [](Attempt& a) {
    User user;
    {
      Begun w;
      a.run([&] {
        return haft_work_on_done(
            w, [](haft_work*, haft_status, void*) {}, &user, User::destroy);
      });
    }
    user.expect(a, 1);
  });
}

}  // namespace oom
