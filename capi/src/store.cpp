// Stores, rendezvous and the launcher's variables over core/dist.
#include <haft/store.h>

#include <cstring>

#include "capi/src/store_handle.h"
#include "core/dist/rendezvous.h"

using namespace haft;
using namespace haft::capi;

namespace {

haft_store* hand_out_store(Ref<dist::Store> store) {
  auto h = make_ref<StoreObject>();
  h->value = std::move(store);
  return hand_out_object<haft_store>(HandleType::store, std::move(h));
}

std::string_view bytes_arg(const void* p, int64_t size, int index, const char* name) {
  if (size < 0 || (size && !p))
    fail_argument(
        Code::invalid_argument,
        concat(name, p ? " has the size " : " is NULL with the size ", size, ", wanted 0 bytes or more"),
        index, name);
  return {static_cast<const char*>(p), size_t(size)};
}

void check_room(const void* room, int64_t capacity, int index, const char* name) {
  if (capacity < 0 || (capacity && !room))
    fail_argument(Code::invalid_argument, concat(name, " is NULL or capacity negative"), index, name);
}

dist::Deadline deadline_arg(int64_t us, int index) {
  if (us == HAFT_NONE) return dist::Deadline::never();
  if (us < 0)
    fail_argument(Code::invalid_argument, concat("timeout_us must be 0 or more, or HAFT_NONE, got ", us),
                  index, "timeout_us");
  return dist::Deadline::in(us > INT64_MAX / 1000 ? INT64_MAX : us * 1000);
}

std::string secret_arg(const char* secret) {
  return secret ? std::string(to_text(secret, 1, "options.secret")) : dist::job_secret();
}

std::vector<std::string> keys_arg(const char* const* keys, int64_t count) {
  if (count < 0 || (count && !keys))
    fail_argument(Code::invalid_argument,
                  concat("keys must be an array of count >= 0 names, got count ", count), 1, "keys");
  std::vector<std::string> ks;
  for (int64_t i = 0; i < count; ++i) ks.emplace_back(to_text(keys[i], 1, "keys"));
  return ks;
}

void copy_text(char* to, size_t room, const char* name, std::string_view s) {
  if (s.size() >= room)
    fail(Code::invalid_argument, concat(name, " has ", s.size(), " bytes, there is room for ", room - 1));
  std::memcpy(to, s.data(), s.size());
  to[s.size()] = 0;
}

// Every call on a store waits for others: no thread is cancelled in it.
template <class F>
haft_status store_call(const char* function, haft_store* s, F&& f) {
  return boundary(function, [&] {
    CancelGuard guard;
    Ref<dist::Store> store = store_of(s);
    f(*store);
  });
}

}  // namespace

extern "C" {

haft_status haft_store_create(const char* url, const haft_store_options* options, haft_store** out) noexcept {
  return boundary("haft_store_create", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    haft_store_options o = options_of(options, haft_store_options HAFT_STORE_OPTIONS_INIT, 1);
    dist::StoreOptions r;
    r.serve = to_bool(o.serve, 1, "options.serve");
    r.secret = secret_arg(o.secret);
    if (o.run) r.run = to_text(o.run, 1, "options.run");
    r.deadline = deadline_arg(o.timeout_us, 1);
    *out = hand_out_store(dist::open_store(to_text(url, 0, "url"), r));
  });
}

haft_status haft_hash_store_create(haft_store** out) noexcept {
  return boundary("haft_hash_store_create", [&] {
    check_out(out, 0, "out");
    *out = hand_out_store(make_ref<dist::HashStore>());
  });
}

haft_status haft_prefix_store_create(const char* prefix, haft_store* store, haft_store** out) noexcept {
  return boundary("haft_prefix_store_create", [&] {
    check_out(out, 2, "out");
    *out = hand_out_store(
        make_ref<dist::PrefixStore>(std::string(to_text(prefix, 0, "prefix")), store_of(store, 1, "store")));
  });
}

haft_status haft_store_retain(haft_store* s) noexcept {
  return boundary("haft_store_retain", [&] { retain_handle(s, HandleType::store); });
}

void haft_store_release(haft_store* s) noexcept {
  CancelGuard guard;
  release_handle(s, HandleType::store);
}

haft_status haft_store_set(haft_store* s, const char* key, const void* value, int64_t size) noexcept {
  return store_call("haft_store_set", s, [&](dist::Store& store) {
    store.set(to_text(key, 1, "key"), bytes_arg(value, size, 2, "value"));
  });
}

haft_status haft_store_get(haft_store* s, const char* key, int64_t timeout_us, void* buffer, int64_t capacity,
                           int64_t* size) noexcept {
  return store_call("haft_store_get", s, [&](dist::Store& store) {
    check_out(size, 5, "size");
    check_room(buffer, capacity, 3, "buffer");
    const std::string value = store.get(to_text(key, 1, "key"), deadline_arg(timeout_us, 2));
    *size = int64_t(value.size());
    if (!buffer) return;
    if (capacity < *size)
      fail_argument(Code::invalid_argument, concat("the value has ", *size, " bytes, capacity is ", capacity),
                    4, "capacity");
    std::memcpy(buffer, value.data(), value.size());
  });
}

haft_status haft_store_wait(haft_store* s, const char* const* keys, int64_t count,
                            int64_t timeout_us) noexcept {
  return store_call("haft_store_wait", s, [&](dist::Store& store) {
    store.wait(keys_arg(keys, count), deadline_arg(timeout_us, 3));
  });
}

haft_status haft_store_check(haft_store* s, const char* const* keys, int64_t count, int32_t* out) noexcept {
  return store_call("haft_store_check", s, [&](dist::Store& store) {
    check_out(out, 3, "out");
    *out = store.check(keys_arg(keys, count));
  });
}

haft_status haft_store_add(haft_store* s, const char* key, int64_t delta, int64_t* out) noexcept {
  return store_call("haft_store_add", s, [&](dist::Store& store) {
    check_out(out, 3, "out");
    *out = store.add(to_text(key, 1, "key"), delta);
  });
}

haft_status haft_store_compare_set(haft_store* s, const char* key, const void* expected,
                                   int64_t expected_size, const void* desired, int64_t desired_size,
                                   int32_t* changed, void* current, int64_t capacity,
                                   int64_t* size) noexcept {
  return store_call("haft_store_compare_set", s, [&](dist::Store& store) {
    check_out(changed, 6, "changed");
    check_room(current, capacity, 7, "current");
    if (current) check_out(size, 9, "size");
    auto check_capacity = [&](int64_t wanted) {
      if (current && capacity < wanted)
        fail_argument(Code::invalid_argument,
                      concat("the value has ", wanted, " bytes, capacity is ", capacity), 8, "capacity");
    };
    check_capacity(desired_size);
    std::string now;
    const bool done =
        store.compare_set(to_text(key, 1, "key"), bytes_arg(expected, expected_size, 2, "expected"),
                          bytes_arg(desired, desired_size, 4, "desired"), &now);
    if (size) *size = int64_t(now.size());
    check_capacity(int64_t(now.size()));
    if (current) std::memcpy(current, now.data(), now.size());
    *changed = done;
  });
}

haft_status haft_store_delete(haft_store* s, const char* key, int32_t* out) noexcept {
  return store_call("haft_store_delete", s, [&](dist::Store& store) {
    check_out(out, 2, "out");
    *out = store.remove(to_text(key, 1, "key"));
  });
}

haft_status haft_store_lease(haft_store* s, const char* key, const void* value, int64_t size,
                             int64_t ttl_us) noexcept {
  return store_call("haft_store_lease", s, [&](dist::Store& store) {
    if (ttl_us <= 0 || ttl_us > INT64_MAX / 1000)
      fail_argument(Code::invalid_argument, concat("ttl_us must be above 0, got ", ttl_us), 4, "ttl_us");
    store.lease(to_text(key, 1, "key"), bytes_arg(value, size, 2, "value"), ttl_us * 1000);
  });
}

haft_status haft_store_get_port(haft_store* s, int32_t* out) noexcept {
  return boundary("haft_store_get_port", [&] {
    check_out(out, 1, "out");
    *out = store_of(s)->port();
  });
}

haft_status haft_rendezvous(const char* url, const haft_rendezvous_options* options, haft_store** out,
                            int32_t* out_rank, int32_t* out_world) noexcept {
  return boundary("haft_rendezvous", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    const haft_rendezvous_options o =
        options_of(options, haft_rendezvous_options HAFT_RENDEZVOUS_OPTIONS_INIT, 1);
    check_reserved(o.reserved, 1);
    if (o.rank < -1)
      fail_argument(Code::invalid_argument, concat("rank must be -1 or more, got ", o.rank), 1,
                    "options.rank");
    if (o.world_size < -1 || o.world_size == 0)
      fail_argument(Code::invalid_argument, concat("world_size must be -1, or 1 or more, got ", o.world_size),
                    1, "options.world_size");
    dist::Rendezvous r = dist::rendezvous(to_text(url, 0, "url"), o.rank, o.world_size,
                                          deadline_arg(o.timeout_us, 1), secret_arg(o.secret));
    *out = hand_out_store(std::move(r.store));
    if (out_rank) *out_rank = r.rank;
    if (out_world) *out_world = r.world_size;
  });
}

haft_status haft_get_launch_environment(haft_launch_environment* out) noexcept {
  return boundary("haft_get_launch_environment", [&] {
    check_out(out, 0, "out");
    const uint32_t size = out->struct_size;
    haft_launch_environment r =
        options_of(out, haft_launch_environment HAFT_LAUNCH_ENVIRONMENT_INIT, 0, "out");
    const dist::LaunchEnvironment e = dist::read_launch_environment();
    r.rank = e.rank;
    r.world_size = e.world_size;
    r.local_rank = e.local_rank;
    r.local_world_size = e.local_world_size;
    r.node_rank = e.node_rank;
    r.restart_count = e.restart_count;
    r.master_port = e.master_port;
    copy_text(r.launcher, sizeof r.launcher, "the launcher's name", e.launcher);
    copy_text(r.master_host, sizeof r.master_host, "MASTER_ADDR", e.master_host);
    copy_text(r.run_id, sizeof r.run_id, "the run's id", e.run_id);
    r.struct_size = size;
    std::memcpy(out, &r, std::min<size_t>(size, sizeof r));
  });
}

}  // extern "C"
