// What ranks compare before they begin.
#include "core/parallel/calls.h"

#include "tests/dist/ranks.h"

namespace {

using namespace haft;
using namespace haft::dist::testing;
using dist::Group;

TEST(Verify, EqualTextsPass) {
  expect_none(run_threads(3, [](Group& g) {
    parallel::verify_same(g, "nothing", "");
    parallel::verify_same(g, "lists", "a\nb\n");
  }));
}

TEST(Verify, TheFirstDifferenceIsNamedOnEveryRankAndTheGroupLives) {
  auto told = [](std::string odd) {
    Failures f = run_threads(4, [&](Group& g) {
      std::string text;
      try {
        parallel::verify_same(g, "lists", g.rank() == 2 ? odd : "one\ntwo\nthree\n");
      } catch (const Error& e) {
        text = concat(int(e.code), " ", e.message);
      }
      g.run(barrier());
      fail(Code::internal, text);
    });
    for (const std::string& s : f) EXPECT_EQ(s, f[0]);
    return f[0].substr(4);
  };
  EXPECT_EQ(told("one\nzwei\nthree\n"), "25 lists: rank 0 has \"two\", rank 2 has \"zwei\"");
  EXPECT_EQ(told("one\ntwo\n"), "25 lists: rank 0 has \"three\", rank 2 has nothing");
  EXPECT_EQ(told(""), "25 lists: rank 0 has \"one\", rank 2 has nothing");
  EXPECT_EQ(told("one\ntwo\nthree\nfour"), "25 lists: rank 0 has nothing, rank 2 has \"four\"");
}

}  // namespace
