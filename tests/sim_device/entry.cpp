// The plug-in's table and its one symbol.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "sim.h"

namespace sim {

bool broken(const char* how) {
  const char* v = std::getenv("HAFT_SIM_BROKEN");
  return v && std::strcmp(v, how) == 0;
}

int64_t env_number(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  if (!text || !*text) return otherwise;
  char* end;
  long long v = std::strtoll(text, &end, 10);
  return *end ? otherwise : v;
}

int32_t guarded(char* error, uint32_t error_size, void (*call)(const void*), const void* body) noexcept {
  auto report = [&](int32_t code, const char* text) {
    if (error && error_size) std::snprintf(error, error_size, "%s", text);
    return code;
  };
  try {
    call(body);
    return 0;
  } catch (const Failure& f) {
    return report(f.code, f.text.c_str());
  } catch (const std::bad_alloc&) {
    return report(kOutOfMemory, "sim has no host memory for its own records");
  } catch (const std::exception& e) {
    return report(kInternal, e.what());
  }
}

namespace {

int32_t s_device_count(int32_t* count, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(0);
    *count = kDevices;
  });
}

int32_t s_alloc(int32_t index, int64_t bytes, haft_raw_stream stream, void** out, char* error,
                uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    refuse_recording(index, stream, "memory that is no arena's");
    *out = allocate(index, bytes);
  });
}

void s_free(int32_t index, void* p, int64_t, haft_raw_stream) {
  char ignored[8];
  guarded(ignored, sizeof ignored, [&] {
    check_index(index);
    if (p) release(index, p);
  });
}

haft_kernel_fn s_kernel(uint32_t op, int32_t dtype, char* reason, uint32_t size) {
  haft_kernel_fn fn = nullptr;
  guarded(reason, size, [&] {
    check_index(0);
    std::string why;
    fn = find_kernel(op, dtype, &why);
    if (!fn) throw Failure{kInvalidArgument, why};
  });
  return fn;
}

std::function<void()> copy(int32_t index, haft_raw_stream s, const char* name, int64_t bytes,
                           std::function<void()> work) {
  return noted(index, s, HAFT_PROFILED_COPY, name, bytes, std::move(work));
}

// Copies with the host. Pinned memory is used later, all other before the return.
int32_t s_copy_to_host(int32_t index, void* dst, const void* src, int64_t bytes, haft_raw_stream s,
                       uint32_t flags, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    throw_if_failed(index);
    check_host(dst, "the destination of a copy to the host");
    Range from = translate(index, src, 0, bytes, "the source of a copy to the host");
    if (!(flags & HAFT_COPY_PINNED) || flags & HAFT_COPY_BLOCKING) {
      refuse_recording(index, s, "a copy that waits");
      enqueue(index, s,
              copy(index, s, "copy to the host", bytes, [=] { std::memcpy(dst, from.real, size_t(bytes)); }));
      return synchronize_stream(index, s);
    }
    auto use = use_pinned(dst, bytes, "the destination of a copy to the host");
    if (is_recording(index, s)) use = nullptr;  // who replays keeps it
    enqueue(index, s, copy(index, s, "copy to the host", bytes, [=, use = std::move(use)] {
              std::memcpy(dst, from.real, size_t(bytes));
            }));
  });
}

int32_t s_copy_from_host(int32_t index, void* dst, const void* src, int64_t bytes, haft_raw_stream s,
                         uint32_t flags, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    throw_if_failed(index);
    check_host(src, "the source of a copy from the host");
    Range to = translate(index, dst, 0, bytes, "the destination of a copy from the host");
    if (flags & HAFT_COPY_PINNED) {
      auto use = use_pinned(src, bytes, "the source of a copy from the host");
      if (is_recording(index, s)) use = nullptr;
      enqueue(index, s, copy(index, s, "copy to the device", bytes, [=, use = std::move(use)] {
                std::memcpy(to.real, src, size_t(bytes));
              }));
    } else {
      refuse_recording(index, s, "a copy of host memory that is not pinned");
      auto staged = std::make_shared<std::vector<char>>(static_cast<const char*>(src),
                                                        static_cast<const char*>(src) + bytes);
      enqueue(index, s, copy(index, s, "copy to the device", bytes, [=] {
                std::memcpy(to.real, staged->data(), size_t(bytes));
              }));
    }
    if (flags & HAFT_COPY_BLOCKING) synchronize_stream(index, s);
  });
}

int32_t s_copy_peer(int32_t dst_index, void* dst, int32_t src_index, const void* src, int64_t bytes,
                    haft_raw_stream s, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(dst_index);
    check_index(src_index);
    throw_if_failed(src_index);
    throw_if_failed(dst_index);
    Range from = translate(src_index, src, 0, bytes, "the source of a copy between devices");
    Range to = translate(dst_index, dst, 0, bytes, "the destination of a copy between devices");
    enqueue(dst_index, s, copy(dst_index, s, "copy between devices", bytes, [=] {
              std::memmove(to.real, from.real, size_t(bytes));
            }));
  });
}

int32_t s_synchronize(int32_t index, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    synchronize_device(index);
  });
}

int32_t s_stream_create(int32_t index, haft_raw_stream* out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *out = create_stream(index);
  });
}

void s_stream_destroy(int32_t index, haft_raw_stream s) {
  char ignored[8];
  guarded(ignored, sizeof ignored, [&] {
    check_index(index);
    if (s) destroy_stream(index, s);
  });
}

int32_t s_stream_synchronize(int32_t index, haft_raw_stream s, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    synchronize_stream(index, s);
  });
}

int32_t s_stream_query(int32_t index, haft_raw_stream s, int32_t* done, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *done = is_idle(index, s);
  });
}

int32_t s_event_create(int32_t index, uint32_t flags, haft_raw_event* out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *out = create_event(flags & HAFT_EVENT_TIMING);
  });
}

void s_event_destroy(int32_t index, haft_raw_event e) {
  char ignored[8];
  guarded(ignored, sizeof ignored, [&] {
    check_index(index);
    destroy_event(e);
  });
}

int32_t s_event_record(int32_t index, haft_raw_event e, haft_raw_stream s, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    record_event(index, e, s);
  });
}

int32_t s_event_wait(int32_t index, haft_raw_event e, haft_raw_stream s, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    wait_event(index, e, s);
  });
}

int32_t s_event_query(int32_t index, haft_raw_event e, int32_t* done, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *done = event_done(e);
  });
}

int32_t s_event_synchronize(int32_t index, haft_raw_event e, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    synchronize_event(e);
    throw_if_failed(index);
  });
}

int32_t s_event_elapsed(int32_t index, haft_raw_event start, haft_raw_event end, double* ms, char* error,
                        uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *ms = elapsed_ms(start, end);
  });
}

int32_t s_memory_info(int32_t index, haft_backend_memory* out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    out->total = memory_limit();
    out->free = std::max<int64_t>(0, out->total - memory_used(index));
  });
}

int32_t s_properties(int32_t index, haft_backend_properties* out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    out->compute_major = 1;
    out->multiprocessors = 1;
    out->total_memory = memory_limit();
    std::snprintf(out->name, sizeof out->name, "Simulated accelerator");
    std::snprintf(out->pci, sizeof out->pci, "0000:00:%02x.0", unsigned(index));
    std::snprintf(out->uuid, sizeof out->uuid, "sim-%04d", int(index));
    std::snprintf(out->runtime, sizeof out->runtime, "sim 1.0 over haft %s", host->version);
  });
}

int32_t s_pinned_alloc(int32_t index, int64_t bytes, void** out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *out = pin(bytes);
  });
}

void s_pinned_free(int32_t index, void* p, int64_t) {
  char ignored[8];
  guarded(ignored, sizeof ignored, [&] {
    check_index(index);
    unpin(index, p);
  });
}

int32_t s_decommit(int32_t index, void* p, int64_t, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    synchronize_device(index);  // what uses it runs first
    set_committed(index, p, false);
  });
}

int32_t s_commit(int32_t index, void* p, int64_t, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    set_committed(index, p, true);
  });
}

int32_t s_arena_create(int32_t index, haft_raw_arena* out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *out = create_arena(index);
  });
}

int32_t s_arena_alloc(int32_t index, haft_raw_arena arena, int64_t bytes, void** out, char* error,
                      uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *out = arena_allocate(index, arena, bytes);
  });
}

void s_arena_destroy(int32_t index, haft_raw_arena arena) {
  char ignored[8];
  guarded(ignored, sizeof ignored, [&] {
    check_index(index);
    destroy_arena(index, arena);
  });
}

int32_t s_capture_begin(int32_t index, haft_raw_stream s, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    throw_if_failed(index);
    begin_recording(index, s);
  });
}

int32_t s_capture_end(int32_t index, haft_raw_stream s, haft_raw_graph* out, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    haft_raw_graph graph = end_recording(index, s, out != nullptr);
    if (out) *out = graph;
  });
}

int32_t s_graph_replay(int32_t index, haft_raw_graph graph, haft_raw_stream s, char* error, uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    throw_if_failed(index);
    replay(index, graph, s);
  });
}

void s_graph_destroy(int32_t index, haft_raw_graph graph) {
  char ignored[8];
  guarded(ignored, sizeof ignored, [&] {
    check_index(index);
    destroy_graph(graph);
  });
}

int32_t s_fused_compile(int32_t index, const haft_fused_program* program, haft_raw_fused* out, char* error,
                        uint32_t size) {
  return guarded(error, size, [&] {
    check_index(index);
    *out = compile_fused(index, *program);
  });
}

int32_t s_fused_launch(haft_raw_fused fused, const haft_kernel_call* call) {
  return guarded(call->error, call->error_size, [&] {
    check_index(call->device_index);
    throw_if_failed(call->device_index);
    launch_fused(fused, *call);
  });
}

void s_fused_destroy(int32_t, haft_raw_fused fused) { destroy_fused(fused); }

haft_backend make_table(const char* name) {
  haft_backend t = {};
  t.struct_size = sizeof t;
  t.abi = HAFT_BACKEND_ABI;
  t.name = name;
  t.version = "1.0";
  t.device_count = s_device_count;
  t.alloc = s_alloc;
  t.free = s_free;
  t.kernel = s_kernel;
  t.copy_to_host = s_copy_to_host;
  t.copy_from_host = s_copy_from_host;
  t.copy_peer = s_copy_peer;
  t.synchronize = s_synchronize;
  t.stream_create = s_stream_create;
  t.stream_destroy = s_stream_destroy;
  t.stream_synchronize = s_stream_synchronize;
  t.stream_query = s_stream_query;
  t.event_create = s_event_create;
  t.event_destroy = s_event_destroy;
  t.event_record = s_event_record;
  t.event_wait = s_event_wait;
  t.event_query = s_event_query;
  t.event_synchronize = s_event_synchronize;
  t.event_elapsed = s_event_elapsed;
  t.properties = s_properties;
  t.memory_info = s_memory_info;
  t.pinned_alloc = s_pinned_alloc;
  t.pinned_free = s_pinned_free;
  t.decommit = s_decommit;
  t.commit = s_commit;
  t.arena_create = s_arena_create;
  t.arena_alloc = s_arena_alloc;
  t.arena_destroy = s_arena_destroy;
  t.capture_begin = s_capture_begin;
  t.capture_end = s_capture_end;
  t.graph_replay = s_graph_replay;
  t.graph_destroy = s_graph_destroy;
  t.fused_compile = s_fused_compile;
  t.fused_launch = s_fused_launch;
  t.fused_destroy = s_fused_destroy;
  t.collectives = collectives();
  t.preferred_layout = preferred_layout;
  fill_profile(&t);
  t.describe = [](int32_t index, char* text, uint32_t text_size, char* error, uint32_t size) {
    return guarded(error, size, [&] {
      check_index(index);
      std::snprintf(text, text_size, "host: of simulated device %d", int(index));
    });
  };
  return t;
}

}  // namespace
}  // namespace sim

extern "C" __attribute__((visibility("default"))) void haft_sim_hold(int32_t device, haft_raw_stream s,
                                                                     int32_t on) {
  char ignored[8];
  sim::guarded(ignored, sizeof ignored, [&] { sim::hold_stream(device, s, on != 0); });
}

extern "C" __attribute__((visibility("default"))) const haft_backend* haft_backend_entry(
    const haft_backend_host* host, char* reason, uint32_t reason_size) {
  using namespace sim;
  if (!host || host->abi != HAFT_BACKEND_ABI || host->struct_size < sizeof(haft_backend_host)) {
    std::snprintf(reason, reason_size, "sim speaks version %d of the device seam, this haft another",
                  HAFT_BACKEND_ABI);
    return nullptr;
  }
  if (broken("refuse")) {
    std::snprintf(reason, reason_size, "sim finds no simulated driver");
    return nullptr;
  }
  static haft_backend bad;  // a library that is refused is unloaded, and this with it
  bad = make_table("sim");
  if (broken("abi")) return bad.abi = 7, &bad;
  if (broken("hash")) return bad.ops_hash = 0x1234, &bad;
  if (broken("size")) return bad.struct_size = 16, &bad;
  if (broken("slot")) return bad.copy_peer = nullptr, &bad;
  if (broken("streams")) return bad.event_wait = nullptr, &bad;
  if (broken("name")) return bad.name = "Sim/0", &bad;

  sim::host = host;
  watch_process();
  const char* name = std::getenv("HAFT_SIM_NAME");
  // One table a name, for ever: the engine keeps pointing to it.
  static char names[8][16];
  static haft_backend tables[8];
  static int used = 0;
  if (!name || !*name) name = "sim";
  for (int i = 0; i < used; ++i)
    if (std::strcmp(names[i], name) == 0) return &tables[i];
  if (used == 8) {
    std::snprintf(reason, reason_size, "sim was registered under 8 names already");
    return nullptr;
  }
  std::snprintf(names[used], sizeof names[used], "%s", name);
  tables[used] = make_table(names[used]);
  return &tables[used++];
}
