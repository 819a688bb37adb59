#include "core/dist/engines.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "core/backend/registry.h"
#include "core/base/descriptor.h"
#include "core/base/dynamic_library.h"
#include "core/dist/shared_memory.h"
#include "core/dist/socket.h"

namespace haft::dist {

namespace {

std::string numeric(const sockaddr* a) {
  char text[INET6_ADDRSTRLEN] = "";
  if (a->sa_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(a)->sin_addr, text, sizeof text);
  else if (a->sa_family == AF_INET6 &&
           !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr))
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr, text, sizeof text);
  return text;
}

// The address from which the system would talk to that one; nothing is sent.
std::string source_towards(const std::string& host, Deadline deadline) {
  std::string found, reason;
  const Addresses list = resolve({host, 9}, 0, deadline, &reason);
  for (const addrinfo* a = list.get(); a && found.empty(); a = a->ai_next) {
    Descriptor s(socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own;
    socklen_t length = sizeof own;
    if (s && connect(s.get(), a->ai_addr, a->ai_addrlen) == 0 &&
        getsockname(s.get(), reinterpret_cast<sockaddr*>(&own), &length) == 0)
      found = numeric(reinterpret_cast<sockaddr*>(&own));
  }
  return found;
}

// Of the interface of that name, or of any that leads out; IPv4 first.
std::string address_of(std::string_view interface, std::string* known) {
  ifaddrs* list = nullptr;
  std::string found;
  if (getifaddrs(&list) != 0) return found;
  for (int family : {AF_INET, AF_INET6})
    for (ifaddrs* i = list; i && found.empty(); i = i->ifa_next) {
      if (!i->ifa_addr || i->ifa_addr->sa_family != family || !(i->ifa_flags & IFF_UP)) continue;
      if (known) *known += concat(known->empty() ? "" : ", ", i->ifa_name);
      if (interface.empty() ? !(i->ifa_flags & IFF_LOOPBACK) : interface == i->ifa_name)
        found = numeric(i->ifa_addr);
    }
  freeifaddrs(list);
  return found;
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

}  // namespace

std::string own_address(const std::string& host, bool* chosen, Deadline deadline) {
  for (const char* variable : {"HAFT_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}) {
    const char* names = secure_getenv(variable);
    if (!names || !*names) continue;
    *chosen = true;
    std::string known;
    for (std::string_view rest = names; !rest.empty();) {
      const size_t comma = rest.find(',');
      known.clear();
      if (std::string found = address_of(rest.substr(0, comma), &known); !found.empty()) return found;
      rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    fail(Code::unavailable,
         concat("no network interface of ", variable, "=", names, " has an address; there are ", known));
  }
  *chosen = false;
  std::string found = host.empty() ? "" : source_towards(host, deadline.but_within(10 * kSecond));
  for (const char* somewhere : {"192.0.2.1", "2001:db8::1"})  // of nobody, for documentation
    if (found.empty() || is_loopback(found)) found = source_towards(somewhere, deadline);
  if (found.empty() || is_loopback(found)) found = address_of({}, nullptr);
  return found.empty() ? "127.0.0.1" : found;
}

std::unique_ptr<haft_mesh_engine> known_table(const haft_mesh_engine& given, const std::string& name,
                                              std::string* why) {
  constexpr size_t kLeast = offsetof(haft_mesh_engine, progress);  // from there on all is optional
  const auto size = size_t(given.struct_size);
  if (size < kLeast || given.abi != HAFT_MESH_ABI) {
    *why = concat("its table has ", size, " bytes of version ", given.abi, " of haft/mesh.h, wanted ", kLeast,
                  " or more of version ", HAFT_MESH_ABI);
    return nullptr;
  }
  if (name != given.name) {
    *why = concat("it is the engine ", given.name);
    return nullptr;
  }
  auto table = std::make_unique<haft_mesh_engine>();
  std::memcpy(table.get(), &given, std::min(size, sizeof *table));
  return table;
}

const haft_mesh_engine& mesh_engine(const std::string& name) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, const haft_mesh_engine*>;
  std::lock_guard lock(mutex);
  if (auto i = known.find(name); i != known.end()) return *i->second;
  std::string tried;
  for (const std::string& path : plugin_files(name, &tried)) {
    DynamicLibrary lib;
    std::string error;
    if (access(path.c_str(), F_OK) != 0) {
      tried += concat("\n  ", path, ": no such file");
      continue;
    }
    if (!DynamicLibrary::try_open(path, &lib, &error)) {
      tried += concat("\n  ", path, ": ", error);
      continue;
    }
    void* entry = lib.find(HAFT_MESH_ENTRY);
    char reason[512] = "it has no " HAFT_MESH_ENTRY;
    const haft_mesh_engine* e =
        entry ? reinterpret_cast<haft_mesh_entry_fn>(entry)(HAFT_VERSION, reason, sizeof reason) : nullptr;
    reason[sizeof reason - 1] = 0;
    std::string why = reason;
    std::unique_ptr<haft_mesh_engine> table = e ? known_table(*e, name, &why) : nullptr;
    if (!table) {
      tried += concat("\n  ", path, ": ", why);
      continue;
    }
    lib.keep();
    return *known.emplace(name, table.release()).first->second;
  }
  fail(Code::unavailable, concat("no engine \"", name, "\" for process groups. Tried:", tried),
       "there is shm, and what is installed beside libhaft.so or in a folder of HAFT_BACKEND_PATH", "engine");
}

bool engine_is_available(const std::string& name) {
  if (name == "shm") return true;
  if (name == "nccl") {
    haft_unique_id id;
    char error[512];
    try {
      return collectives(load_backend_by_name("cuda")).unique_id(&id, error, sizeof error) == 0;
    } catch (const Error&) {  // why not is what haft_backend_load says
      return false;
    }
  }
  try {
    mesh_engine(name);
    return true;
  } catch (const Error& e) {
    if (e.code != Code::unavailable) throw;
    return false;
  }
}

Ref<Transport> connect_ranks(Store& store, int rank, int size, const std::string& engine,
                             const std::string& host, Deadline deadline) {
  // Between devices by NCCL (device_calls.h); ranks agree, and move what is in host memory, as everywhere.
  if (engine == "nccl") {
    (void)collectives(load_backend_by_name("cuda"));  // says why there are none
    return connect_ranks(store, rank, size, {}, host, deadline);
  }
  if (!engine.empty() && engine != "shm") return make_network(engine, store, rank, size, host, deadline);
  try {
    return make_shared_memory(store, rank, size, host, deadline);
  } catch (const Error& e) {
    if (!engine.empty() || e.code != Code::unavailable || size == 1) throw;
    try {
      return make_network("gloo", store, rank, size, host, deadline);
    } catch (const Error& g) {
      fail(g.code, concat(g.message, "\n(and ", e.message, ")"), g.hint);
    }
  }
}

}  // namespace haft::dist
