// What the tests of stores share.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/dist/tcp_store.h"

namespace haft::dist {

using Keys = std::vector<std::string>;

// The error that a call ends with; Code::ok and no text when it succeeds.
template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  return Error(Code::ok, "");
}
inline bool says(const Error& e, const std::string& part) {
  return e.message.find(part) != std::string::npos;
}

// A folder that is gone at the end of the test.
struct Folder {
  std::string path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "haft-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

// Which waits at most five minutes: ends what hangs, whoever else computes.
inline Deadline soon() { return Deadline::in(300 * kSecond); }

inline Ref<TcpStore> serve(const std::string& secret = "", const std::string& host = "127.0.0.1") {
  TcpStoreOptions o;
  o.where = {host, 0};
  o.serve = true;
  o.secret = secret;
  o.deadline = soon();
  return make_ref<TcpStore>(o);
}
inline Ref<TcpStore> visit(const Store& server, const std::string& secret = "",
                           const std::string& host = "127.0.0.1") {
  TcpStoreOptions o;
  o.where = {host, server.port()};
  o.secret = secret;
  o.deadline = soon();
  return make_ref<TcpStore>(o);
}

}  // namespace haft::dist
