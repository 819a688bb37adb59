// How processes find the store of their job, and each other in it.
#pragma once
#include <map>
#include <string>

#include "core/dist/launch_environment.h"
#include "core/dist/socket.h"
#include "core/dist/store.h"

namespace haft::dist {

// scheme://user:password@host:port/path?key=value&...; parts that are missing are empty.
struct StoreUrl {
  std::string scheme, user, password, path;
  Address at;
  std::map<std::string, std::string> query;
};
StoreUrl parse_store_url(std::string_view url);
std::string without_password(std::string_view url);     // for messages
std::string with_port(std::string_view url, int port);  // if it names none

struct StoreOptions {
  bool serve = false;  // of a tcp:// store: this process holds it
  std::string secret;  // that clients of a tcp:// store must know; empty: none
  std::string run;     // keys of other runs in the same folder or server are others; empty: none
  Deadline deadline = Deadline::in(300 * kSecond);  // until when it must be reached
};
// tcp://host:port[?bind=address], file:///folder, redis://[user[:password]@]host[:port][/database], etcd://host[:port],
// hash:// (new, for this process).
Ref<Store> open_store(std::string_view url, const StoreOptions& options);

struct Rendezvous {
  Ref<Store> store;
  int rank = 0, world_size = 1;
};
std::string job_secret();  // HAFT_SECRET; empty: none

// Waits until all world_size processes of the job are there. The url is one of open_store's, where rank 0 serves
// tcp://, or env://, which takes everything from the launcher's variables; the query may give rank and world_size, -1
// is for these and for the launcher's.
Rendezvous rendezvous(std::string_view url, int rank, int world_size, Deadline deadline,
                      std::string secret = job_secret());

}  // namespace haft::dist
