// Ranks of a process group as threads over one hash store.
#pragma once
#include <haft/haft.hpp>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "capi_testing.h"

class RanksTest : public CapiTest {
 protected:
  // Runs f as each rank; what it throws is the rank's text.
  static std::vector<std::string> run(int n, const std::function<void(const haft::ProcessGroup&)>& f) {
    const haft::Store store = haft::Store::hash();
    std::vector<std::string> failures{size_t(n)};
    std::vector<std::thread> threads;
    for (int r = 0; r < n; ++r)
      threads.emplace_back([&, r] {
        try {
          haft::ProcessGroupOptions o;
          o.timeout_us = 600000000;
          f(haft::ProcessGroup(store, r, n, o));
        } catch (const std::exception& e) {
          failures[size_t(r)] = e.what();
        }
      });
    for (auto& t : threads) t.join();
    return failures;
  }
  static void expect_none(const std::vector<std::string>& failures) {
    for (const std::string& s : failures) EXPECT_EQ(s, "");
  }
};
