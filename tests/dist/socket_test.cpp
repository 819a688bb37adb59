// Names that the system's resolver is slow to find.
#include "core/dist/socket.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <future>

#include "core/dist/engines.h"
#include "tests/dist/store_testing.h"

using namespace haft;
using namespace haft::dist;

namespace {

std::atomic<int> asked{0};
std::promise<void> let_go;

}  // namespace

// The system's, but for one name.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** out) {
  static const auto real = reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (!name || std::strcmp(name, "slow.test") != 0 || hints->ai_flags & AI_NUMERICHOST)
    return real(name, service, hints, out);
  static const std::shared_future<void> gone = let_go.get_future().share();
  ++asked;
  gone.wait();
  return EAI_NONAME;
}

namespace {

TEST(Socket, ANameIsLookedUpUntilTheDeadline) {
  std::string reason;
  EXPECT_TRUE(resolve({"127.0.0.1", 1}, 0, Deadline::in(0), &reason));  // in numbers: nobody is asked
  EXPECT_TRUE(resolve({"localhost", 1}, 0, soon(), &reason)) << reason;
  const Error e = error_of([] { connect_to({"slow.test", 1}, Deadline::in(kSecond / 50), "a store"); });
  EXPECT_TRUE(e.code == Code::timeout &&
              says(e, "waited 0.02 s for a store at slow.test:1: the system has not found out yet"))
      << e.message;
  bool chosen = true;
  EXPECT_NE(own_address("slow.test", &chosen, Deadline::in(kSecond / 50)), "");  // by the way that leads out
  while (asked < 2) sleep_for(kSecond / 1000);                                   // both have been asked
  let_go.set_value();
  EXPECT_FALSE(resolve({"slow.test", 1}, 0, soon(), &reason));
  EXPECT_EQ(reason, gai_strerror(EAI_NONAME));
}

}  // namespace
