// Agents for tests: threads of this process over a HashStore.
#pragma once
#include "core/rpc/agent.h"
#include "tests/dist/ranks.h"

namespace haft::rpc::testing {

using dist::Deadline;
using dist::testing::at;
using dist::testing::filled;
using dist::testing::numbers;
using dist::testing::Processes;

inline Deadline patient() { return Deadline::in(300 * dist::kSecond); }

// Closed at the end of a scope.
struct Member {
  Ref<Agent> a;
  explicit Member(Ref<Agent> agent) : a(std::move(agent)) {}
  Member(Member&&) = default;
  ~Member() {
    if (a) a->close();
  }
  Agent* operator->() const { return a.get(); }
  Agent& operator*() const { return *a; }
};

inline std::shared_ptr<Agent::Function> function(std::function<void(Request&)> f) {
  return std::make_shared<Agent::Function>(std::move(f));
}
// Answers what it is told, twice the tensors and the caller's rank.
inline void add_twice(Agent& a) {
  a.add_function("twice", function([](Request& r) {
                   Payload p;
                   for (const Tensor& t : r.arguments.tensors) p.tensors.push_back(ops::add(t, t));
                   p.bytes = concat(r.arguments.bytes, r.caller);
                   r.reply(p);
                 }));
}

// The same for all ranks, which have registered what `before` registers; empty: no failure.
inline std::vector<std::string> run_agents(int n, const std::function<void(Agent&)>& before,
                                           const std::function<void(Agent&)>& f, AgentOptions options = {}) {
  init();
  Ref<dist::Store> store = make_ref<dist::HashStore>();
  std::vector<std::string> failures{size_t(n)};
  std::vector<std::thread> threads;
  for (int r = 0; r < n; ++r)
    threads.emplace_back([&, r] {
      try {
        Member m(Agent::create(store, r, n, options));
        before(*m);
        m->start(patient());
        f(*m);
        m->shut_down(patient());
      } catch (const Error& e) {
        failures[size_t(r)] = concat(int(e.code), ": ", e.message);
      }
    });
  for (std::thread& t : threads) t.join();
  return failures;
}
inline void expect_none(const std::vector<std::string>& failures) {
  for (size_t r = 0; r < failures.size(); ++r) EXPECT_EQ(failures[r], "") << "rank " << r;
}

// What a call fails with.
inline Error failure_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing failed";
  return Error(Code::ok, "");
}
inline Error failure_of(const Ref<Future>& f) {
  return failure_of([&] {
    EXPECT_TRUE(f->wait(patient()));
    f->value();
  });
}
inline Payload answer_of(const Ref<Future>& f) {
  EXPECT_TRUE(f->wait(patient()));
  return f->value();
}

}  // namespace haft::rpc::testing
