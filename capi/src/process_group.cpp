// Process groups and their works over core/dist.
#include <haft/process_group.h>

#include <cstring>
#include <memory>
#include <optional>

#include "capi/src/group_handle.h"
#include "capi/src/store_handle.h"
#include "core/dist/engines.h"

using namespace haft;
using namespace haft::capi;

namespace {

int64_t to_ns(int64_t us, int index) {
  if (us < 0)
    fail_argument(Code::invalid_argument, concat("timeout_us must be 0 or more, got ", us), index,
                  "timeout_us");
  return us > INT64_MAX / 1000 ? INT64_MAX : us * 1000;
}

dist::GroupOptions group_options(const haft_process_group_options* given, int index) {
  haft_process_group_options o =
      options_of(given, haft_process_group_options HAFT_PROCESS_GROUP_OPTIONS_INIT, index);
  check_reserved(o.reserved, index);
  dist::GroupOptions r;
  r.timeout_ns = to_ns(o.timeout_us, index);
  if (o.engine) r.engine = to_text(o.engine, index, "engine");
  if (o.name) r.name = to_text(o.name, index, "name");
  return r;
}
std::optional<dist::GroupOptions> optional_options(const haft_process_group_options* given, int index) {
  if (!given) return {};
  return group_options(given, index);
}

std::vector<int64_t> to_parts(const int64_t* parts, int64_t count, int64_t elements, int ranks, int index,
                              const char* name) {
  if (!parts) {
    if (elements % ranks)
      fail_argument(Code::shape, concat(elements, " elements have no ", ranks, " equal parts"), index, name);
    return std::vector<int64_t>(size_t(ranks), elements / ranks);
  }
  if (count != ranks)
    fail_argument(Code::invalid_argument, concat("count must be the group's size, ", ranks, ", got ", count),
                  index, name);
  return {parts, parts + count};
}

dist::Job job_of(dist::Kind kind, int32_t root = -1, dist::ReduceOp op = dist::ReduceOp::sum) {
  dist::Job j;
  j.call.kind = kind;
  j.call.root = root;
  j.call.reduce = op;
  return j;
}

// With a work the call begins, without one it is done.
void go(dist::Group& g, dist::Job job, haft_work** work) {
  CancelGuard guard;
  if (!work) return g.run(std::move(job));
  *work = hand_out_work(g.start(std::move(job)));
}

std::vector<Tensor> one(const haft_tensor* t, int index, const char* name) { return {arg(t, index, name)}; }

}  // namespace

extern "C" {

haft_status haft_process_group_is_available(const char* engine, int32_t* out) noexcept {
  return boundary("haft_process_group_is_available", [&] {
    check_out(out, 1, "out");
    *out = dist::engine_is_available(std::string(to_text(engine, 0, "engine")));
  });
}

haft_status haft_process_group_create(haft_store* store, int32_t rank, int32_t size,
                                      const haft_process_group_options* options,
                                      haft_process_group** out) noexcept {
  return boundary("haft_process_group_create", [&] {
    CancelGuard guard;
    check_out(out, 4, "out");
    *out = hand_out_group(
        dist::Group::create(store_of(store, 0, "store"), rank, size, group_options(options, 3)));
  });
}

haft_status haft_process_group_subgroup(haft_process_group* g, const int32_t* ranks, int64_t count,
                                        const haft_process_group_options* options,
                                        haft_process_group** out) noexcept {
  return boundary("haft_process_group_subgroup", [&] {
    CancelGuard guard;
    check_out(out, 4, "out");
    auto made = group_of(g)->subgroup(rank_list(ranks, count, 1, "ranks"), optional_options(options, 3));
    *out = made ? hand_out_group(std::move(made)) : nullptr;
  });
}

haft_status haft_process_group_split(haft_process_group* g, int64_t color, int64_t key,
                                     const haft_process_group_options* options,
                                     haft_process_group** out) noexcept {
  return boundary("haft_process_group_split", [&] {
    CancelGuard guard;
    check_out(out, 4, "out");
    auto made = group_of(g)->split(color, key, optional_options(options, 3));
    *out = made ? hand_out_group(std::move(made)) : nullptr;
  });
}

haft_status haft_process_group_retain(haft_process_group* g) noexcept {
  return boundary("haft_process_group_retain", [&] {
    group_of(g);
    retain_handle(g, HandleType::process_group);
  });
}

void haft_process_group_release(haft_process_group* g) noexcept {
  CancelGuard guard;
  release_handle(g, HandleType::process_group);
}

haft_status haft_process_group_get_info(const haft_process_group* g, haft_process_group_info* info) noexcept {
  return boundary("haft_process_group_get_info", [&] {
    auto group = group_of(g);
    check_out(info, 1, "info");
    const uint32_t size = info->struct_size;
    haft_process_group_info r =
        options_of(info, haft_process_group_info HAFT_PROCESS_GROUP_INFO_INIT, 1, "info");
    const dist::Failure f = group->failure();
    r.rank = group->rank();
    r.size = group->size();
    r.failure = haft_status(f.code);
    r.culprit = f.culprit;
    r.reserved = 0;
    r.issued = int64_t(group->issued());
    r.finished = int64_t(group->finished());
    r.timeout_us = group->options().timeout_ns / 1000;
    r.engine = group->engine();
    r.name = group->options().name.c_str();
    r.struct_size = size;
    std::memcpy(info, &r, std::min<size_t>(size, sizeof r));
  });
}

haft_status haft_process_group_abort(haft_process_group* g, const char* reason) noexcept {
  return boundary("haft_process_group_abort", [&] {
    CancelGuard guard;
    group_of(g)->kill(std::string(to_text(reason, 1, "reason")));
  });
}

haft_status haft_process_group_recorder_to_json(const haft_process_group* g, char* buffer, int64_t capacity,
                                                int64_t* needed) noexcept {
  return boundary("haft_process_group_recorder_to_json",
                  [&] { emit_text(group_of(g)->recorder_json(), buffer, capacity, needed); });
}

haft_status haft_process_group_broadcast(haft_process_group* g, haft_tensor* tensor, int32_t root,
                                         haft_work** work) noexcept {
  return boundary("haft_process_group_broadcast", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::broadcast, root);
    j.out = one(tensor, 1, "tensor");
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_all_reduce(haft_process_group* g, haft_tensor* tensor, int32_t op,
                                          haft_work** work) noexcept {
  return boundary("haft_process_group_all_reduce", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::all_reduce, -1, to_reduce(op, 2));
    j.in = j.out = one(tensor, 1, "tensor");
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_reduce(haft_process_group* g, haft_tensor* tensor, int32_t op, int32_t root,
                                      haft_work** work) noexcept {
  return boundary("haft_process_group_reduce", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::reduce, root, to_reduce(op, 2));
    j.in = one(tensor, 1, "tensor");
    if (root == group->rank()) j.out = j.in;
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_all_gather(haft_process_group* g, haft_tensor* const* outputs, int64_t count,
                                          const haft_tensor* input, haft_work** work) noexcept {
  return boundary("haft_process_group_all_gather", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::all_gather);
    j.out = list_arg(outputs, count, 1, "outputs").vector();
    j.in = one(input, 3, "input");
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_all_gather_into(haft_process_group* g, haft_tensor* output,
                                               const haft_tensor* input, const int64_t* parts, int64_t count,
                                               haft_work** work) noexcept {
  return boundary("haft_process_group_all_gather_into", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::all_gather);
    j.out = one(output, 1, "output");
    j.in = one(input, 2, "input");
    j.out_parts = to_parts(parts, count, j.out[0].numel(), group->size(), 3, "parts");
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_gather(haft_process_group* g, haft_tensor* const* outputs, int64_t count,
                                      const haft_tensor* input, int32_t root, haft_work** work) noexcept {
  return boundary("haft_process_group_gather", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::gather, root);
    j.out = list_arg(outputs, count, 1, "outputs").vector();
    j.in = one(input, 3, "input");
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_scatter(haft_process_group* g, haft_tensor* output, haft_tensor* const* inputs,
                                       int64_t count, int32_t root, haft_work** work) noexcept {
  return boundary("haft_process_group_scatter", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::scatter, root);
    j.out = one(output, 1, "output");
    j.in = list_arg(inputs, count, 2, "inputs").vector();
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_reduce_scatter(haft_process_group* g, haft_tensor* output,
                                              haft_tensor* const* inputs, int64_t count, int32_t op,
                                              haft_work** work) noexcept {
  return boundary("haft_process_group_reduce_scatter", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::reduce_scatter, -1, to_reduce(op, 4));
    j.out = one(output, 1, "output");
    j.in = list_arg(inputs, count, 2, "inputs").vector();
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_reduce_scatter_from(haft_process_group* g, haft_tensor* output,
                                                   const haft_tensor* input, int32_t op,
                                                   haft_work** work) noexcept {
  return boundary("haft_process_group_reduce_scatter_from", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::reduce_scatter, -1, to_reduce(op, 3));
    j.out = one(output, 1, "output");
    j.in = one(input, 2, "input");
    j.in_parts = to_parts(nullptr, 0, j.in[0].numel(), group->size(), 2, "input");
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_all_to_all(haft_process_group* g, haft_tensor* const* outputs,
                                          haft_tensor* const* inputs, int64_t count,
                                          haft_work** work) noexcept {
  return boundary("haft_process_group_all_to_all", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::all_to_all);
    j.out = list_arg(outputs, count, 1, "outputs").vector();
    j.in = list_arg(inputs, count, 2, "inputs").vector();
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_all_to_all_single(haft_process_group* g, haft_tensor* output,
                                                 const haft_tensor* input, const int64_t* output_parts,
                                                 const int64_t* input_parts, int64_t count,
                                                 haft_work** work) noexcept {
  return boundary("haft_process_group_all_to_all_single", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::all_to_all);
    j.out = one(output, 1, "output");
    j.in = one(input, 2, "input");
    j.out_parts = to_parts(output_parts, count, j.out[0].numel(), group->size(), 3, "output_parts");
    j.in_parts = to_parts(input_parts, count, j.in[0].numel(), group->size(), 4, "input_parts");
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_barrier(haft_process_group* g, int64_t timeout_us, haft_work** work) noexcept {
  return boundary("haft_process_group_barrier", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::barrier);
    if (timeout_us != HAFT_NONE) j.timeout_ns = to_ns(timeout_us, 1);
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_send(haft_process_group* g, const haft_tensor* tensor, int32_t peer,
                                    int32_t tag, haft_work** work) noexcept {
  return boundary("haft_process_group_send", [&] {
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::send);
    j.in = one(tensor, 1, "tensor");
    j.peer = peer;
    j.tag = tag;
    go(*group, std::move(j), work);
  });
}

haft_status haft_process_group_recv(haft_process_group* g, haft_tensor* tensor, int32_t peer, int32_t tag,
                                    int32_t* source, haft_work** work) noexcept {
  return boundary("haft_process_group_recv", [&] {
    CancelGuard guard;
    auto group = group_of(g);
    dist::Job j = job_of(dist::Kind::recv);
    j.out = one(tensor, 1, "tensor");
    j.peer = peer;
    j.tag = tag;
    if (work) {
      *work = hand_out_work(group->start(std::move(j)));
      return;
    }
    const int from = group->receive(std::move(j));
    if (source) *source = from;
  });
}

haft_status haft_work_retain(haft_work* w) noexcept {
  return boundary("haft_work_retain", [&] {
    work_of(w);
    retain_handle(w, HandleType::work);
  });
}

void haft_work_release(haft_work* w) noexcept { release_handle(w, HandleType::work); }

haft_status haft_work_wait(haft_work* w, int64_t timeout_us) noexcept {
  return boundary("haft_work_wait", [&] {
    CancelGuard guard;
    auto work = work_of(w);
    const dist::Deadline deadline =
        timeout_us == HAFT_NONE ? dist::Deadline::never() : dist::Deadline::in(to_ns(timeout_us, 1));
    if (!work->wait(deadline))
      fail(Code::timeout, concat("the work was not done within ", timeout_us, " us"),
           "it goes on: wait again");
    work->check();
  });
}

haft_status haft_work_is_done(haft_work* w, int32_t* out) noexcept {
  return boundary("haft_work_is_done", [&] {
    check_out(out, 1, "out");
    *out = work_of(w)->test();
  });
}

haft_status haft_work_get_source(const haft_work* w, int32_t* out) noexcept {
  return boundary("haft_work_get_source", [&] {
    check_out(out, 1, "out");
    *out = work_of(w)->source();
  });
}

haft_status haft_work_on_done(haft_work* w, haft_work_done done, void* user,
                              void (*destroy)(void*)) noexcept {
  return boundary("haft_work_on_done", [&] {
    CancelGuard guard;
    auto work = work_of(w);
    if (!done) fail_argument(Code::invalid_argument, "done is NULL", 1, "done");
    // Its own handle, released when the callback has returned.
    struct Completion : UserData {
      haft_work* lent;
      Completion(haft_work* h, void* u) : UserData(u, nullptr), lent(h) {}
      ~Completion() { release_handle(lent, HandleType::work); }
    };
    haft_work* lent = hand_out_work(work);
    std::shared_ptr<Completion> completion;
    try {
      completion = std::make_shared<Completion>(lent, user);
    } catch (...) {
      release_handle(lent, HandleType::work);
      throw;
    }
    dist::Work::Done call = [completion, done](dist::Work& x) {
      done(completion->lent, haft_status(x.status()), completion->user);
    };
    completion->destroy = destroy;
    try {
      work->on_done(std::move(call));
    } catch (...) {
      completion->destroy = nullptr;  // on failure the user's data stays the user's
      throw;
    }
  });
}

}  // extern "C"
