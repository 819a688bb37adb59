// What carries the data of a group: shared memory within a host, or an engine's mesh (haft/mesh.h).
#pragma once
#include <haft/mesh.h>

#include <memory>

#include "core/dist/deadline.h"
#include "core/dist/store.h"
#include "core/dist/transport.h"

namespace haft::dist {

// `engine` is a name, or empty for the fastest that reaches all ranks. Every rank calls it with the same store.
// `host`: what this rank says that its host is, empty: the machine.
Ref<Transport> connect_ranks(Store& store, int rank, int size, const std::string& engine,
                             const std::string& host, Deadline deadline);

// The plug-in libhaft_<name>.so, loaded once; fails with unavailable.
const haft_mesh_engine& mesh_engine(const std::string& name);
// A plug-in's table as this haft knows it: what came after the plug-in is NULL. NULL: it does not fit, and why.
std::unique_ptr<haft_mesh_engine> known_table(const haft_mesh_engine& given, const std::string& name,
                                              std::string* why);
// Whether groups can be made with it; what is wrong with a plug-in that is there is for mesh_engine to tell.
bool engine_is_available(const std::string& name);
// Where ranks are on several hosts, those of one share memory and the engine carries what goes between hosts.
Ref<Transport> make_network(const std::string& engine, Store& store, int rank, int size,
                            const std::string& host, Deadline deadline);

// The address of this machine under which others reach it: of the interface that HAFT_SOCKET_IFNAME (or
// GLOO_SOCKET_IFNAME) names, else of the one that leads to `host`, where that is known before the deadline, else of
// the one that leads out. `chosen`: by name.
std::string own_address(const std::string& host, bool* chosen, Deadline deadline);

}  // namespace haft::dist
