// tests/ops/recorded_functions.h: the operators again, each telling the Recording of the tests that it was
// called.
#include "tools/generate/generate.h"

namespace haft::generate {

std::string recorded_functions(const Catalogue& c) {
  std::string out = "// " + std::string(kBanner) + R"(
//
// The public operators for the records of tests/ops: they do what haft::ops does, and tests/ops/recording.h hears of
// it.
#pragma once

namespace haft::test::recorded {
using namespace ::haft::ops;

)";
  for (const Op& op : c.ops)
    if (op.is_public())
      out += "template <class... A>\nauto " + op.name +
             "(A&&... a) {\n  Recording* r = Recording::pause();\n  auto y = ::haft::ops::" + op.name +
             "(std::forward<A>(a)...);\n  if (r) r->keep(\"" + op.name + "\", y, {a...});\n  return y;\n}\n";
  return out + "\n}  // namespace haft::test::recorded\n";
}

}  // namespace haft::generate
