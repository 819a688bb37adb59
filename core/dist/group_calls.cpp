// What a rank can check of its call alone, and the dense memory that streams want.
#include <algorithm>
#include <cstring>

#include "core/backend/memory.h"
#include "core/backend/pinned.h"
#include "core/base/thread_state.h"
#include "core/dispatch/host_access.h"
#include "core/dist/device_calls.h"
#include "core/dist/group.h"
#include "core/dist/reduce.h"
#include "core/ops/functions.h"

namespace haft::dist {

namespace {

[[noreturn, gnu::cold]] void bad(const Job& j, Code code, std::string_view text, std::string_view argument) {
  fail(code, concat("[", kind_name(j.call.kind), "] ", text), {}, argument);
}

void check_rank(const Job& j, int64_t r, int size, const char* name) {
  if (r < 0 || r >= size)
    bad(j, Code::invalid_argument, concat(name, " must be 0 to ", size - 1, ", got ", r), name);
}

void check_tensors(Job& j) {
  const Tensor& first = j.in.empty() ? j.out[0] : j.in[0];
  auto same = [&](const std::vector<Tensor>& list, const char* name) {
    for (const Tensor& t : list) {
      if (t.dtype() != first.dtype())
        bad(j, Code::dtype,
            concat("all tensors must have one type, got ", dtype_name(first.dtype()), " and ",
                   dtype_name(t.dtype())),
            name);
      if (t.device() != first.device())
        bad(j, Code::device,
            concat("all tensors must be on one device, got ", first.device(), " and ", t.device()), name);
    }
  };
  same(j.in, "input");
  same(j.out, "output");
  j.call.dtype = first.dtype();
  j.call.device = !first.device().is_cpu();
}

// One tensor for each rank, or one for all with parts.
void check_list(const Job& j, const std::vector<Tensor>& list, const std::vector<int64_t>& parts, int size,
                const char* name) {
  if (parts.empty() && list.size() != size_t(size))
    bad(j, Code::invalid_argument, concat("takes a tensor for each of ", size, " ranks, got ", list.size()),
        name);
  if (parts.empty()) return;
  int64_t sum = 0;
  for (int64_t p : parts) {
    if (p < 0 || p > kMaxNumel)  // a sum of these does not wrap to a number that fits
      bad(j, Code::invalid_argument, concat("parts must be 0 to ", kMaxNumel, " elements, got ", p), name);
    if (sum <= kMaxNumel) sum += p;
  }
  if (parts.size() != size_t(size) || sum != list[0].numel())
    bad(j, Code::shape,
        concat("a tensor of shape ", list[0].sizes(), " has ", list[0].numel(), " elements, its ",
               parts.size(), " parts for ", size, " ranks have ", sum),
        name);
}

void set_sizes(Job& j, const Tensor& t) {
  j.call.ndim = uint8_t(t.ndim());
  std::copy(t.sizes().begin(), t.sizes().end(), j.call.sizes);
}

int64_t part_of(const std::vector<Tensor>& list, const std::vector<int64_t>& parts, int r) {
  return parts.empty() ? list[size_t(r)].numel() : parts[size_t(r)];
}

void check_equal(const Job& j, int64_t got, int64_t want, const char* what, const char* name) {
  if (got != want) bad(j, Code::shape, concat(what, " has ", got, " elements, wanted ", want), name);
}

// Memory that a stream may read and write as it stands.
bool is_plain(const Tensor& t) {
  return t.view().layout == HAFT_LAYOUT_STRIDED && t.is_contiguous() &&
         !t.impl()->twin.load(std::memory_order_acquire);
}

void add_blocks(std::vector<Block>& to, const std::vector<Tensor>& list, const std::vector<int64_t>& parts) {
  if (parts.empty()) {
    for (const Tensor& t : list) to.push_back({t.data<std::byte>(), t.numel()});
    return;
  }
  std::byte* at = list[0].data<std::byte>();
  for (int64_t p : parts) {
    to.push_back({at, p});
    at += p * item_size(list[0].dtype());
  }
}

}  // namespace

void check_job(Job& j, int rank, int size) {
  Header& c = j.call;
  if (c.kind == Kind::barrier || c.kind == Kind::monitored_barrier) return;
  const bool rooted = c.kind == Kind::broadcast || c.kind == Kind::reduce || c.kind == Kind::gather ||
                      c.kind == Kind::scatter;
  if (rooted) check_rank(j, c.root, size, "root");
  const bool at_root = !rooted || c.root == rank;
  check_tensors(j);
  switch (c.kind) {
    case Kind::broadcast: set_sizes(j, j.out[0]); break;
    case Kind::all_reduce:
    case Kind::reduce: set_sizes(j, j.in[0]); break;
    case Kind::all_gather: {
      check_list(j, j.out, j.out_parts, size, "output");
      check_equal(j, j.in[0].numel(), part_of(j.out, j.out_parts, rank), "the input", "input");
      for (int r = 0; r < size; ++r)
        c.uneven |= part_of(j.out, j.out_parts, r) != part_of(j.out, j.out_parts, 0);
      set_sizes(j, j.in[0]);
      break;
    }
    case Kind::gather:
      if (at_root) {
        check_list(j, j.out, j.out_parts, size, "output");
        check_equal(j, j.in[0].numel(), part_of(j.out, j.out_parts, rank), "the root's input", "input");
      } else if (!j.out.empty()) {
        bad(j, Code::invalid_argument, "only the root has outputs", "output");
      }
      set_sizes(j, j.in[0]);
      c.uneven = 1;
      break;
    case Kind::scatter:
      if (at_root) {
        check_list(j, j.in, j.in_parts, size, "input");
        check_equal(j, j.out[0].numel(), part_of(j.in, j.in_parts, rank), "the root's output", "output");
      } else if (!j.in.empty()) {
        bad(j, Code::invalid_argument, "only the root has inputs", "input");
      }
      set_sizes(j, j.out[0]);
      c.uneven = 1;
      break;
    case Kind::reduce_scatter:
      check_list(j, j.in, j.in_parts, size, "input");
      for (int r = 0; r < size; ++r)
        check_equal(j, part_of(j.in, j.in_parts, r), j.out[0].numel(), "an input", "input");
      set_sizes(j, j.out[0]);
      break;
    case Kind::all_to_all:
      check_list(j, j.in, j.in_parts, size, "input");
      check_list(j, j.out, j.out_parts, size, "output");
      check_equal(j, part_of(j.in, j.in_parts, rank), part_of(j.out, j.out_parts, rank),
                  "what the rank sends itself", "input");
      set_sizes(j, j.in[0]);
      c.uneven = 1;
      break;
    case Kind::send:
    case Kind::recv: {
      if (!(c.kind == Kind::recv && j.peer == -1)) check_rank(j, j.peer, size, "peer");
      if (j.peer == rank)
        bad(j, Code::invalid_argument, concat("rank ", rank, " cannot be its own peer"), "peer");
      if (size == 1) bad(j, Code::invalid_argument, "the group has one rank, and nobody to talk to", "peer");
      set_sizes(j, c.kind == Kind::send ? j.in[0] : j.out[0]);
      break;
    }
    default: break;
  }
  if (c.kind == Kind::all_reduce || c.kind == Kind::reduce || c.kind == Kind::reduce_scatter)
    check_reduction(c.dtype, c.reduce);
}

void Work::prepare() {
  ScopedValue<bool> no_grad(thread_state().grad_enabled, false);
  for (const Tensor& t : job_.in) dense_in_.push_back(is_plain(t) ? t : ops::contiguous(t));
  // A broadcast goes out from its output.
  for (const Tensor& t : job_.out)
    dense_out_.push_back(is_plain(t)                         ? t
                         : job_.call.kind == Kind::broadcast ? ops::contiguous(t)
                         : device_.is_cpu()                  ? new_tensor(t.sizes(), t.dtype())
                                                             : ops::empty(t.sizes(), t.dtype(), device_));
  if (device_.is_cpu()) return;
  before_ = create_event(device_);
  record_event(device_, before_, current_stream(device_));
  on_host_ = false;
}

void Work::to_host() {
  if (on_host_) return;
  if (recorded_)
    fail(Code::unsupported,
         concat("[", kind_name(job_.call.kind), "] while ", device_,
                " records: it goes through host memory, which a recording cannot hold"),
         "call it between replays");
  stage();
}

void Work::buffer() {
  ScopedValue<bool> no_grad(thread_state().grad_enabled, false);
  if (dense_in_[0].impl() == job_.in[0].impl()) dense_in_[0] = ops::clone(dense_in_[0]);
  record_event(device_, before_, current_stream(device_));
  buffered_ = true;
}

// What the streams read comes to the host; what they write goes back in finish_outputs, behind the work that was
// there before.
void Work::stage() {
  ScopedValue<bool> no_grad(thread_state().grad_enabled, false);
  wait_event(device_, before_, current_stream(device_));
  const bool reads_outputs = job_.call.kind == Kind::broadcast;
  // Memory that the device reaches by itself. In place stays in place.
  auto staged = [&](const Tensor& t, bool read) {
    const Tensor host = tensor_over(new_pinned_storage(device_, t.bytes()), t.sizes(),
                                    contiguous_strides(t.sizes()), t.dtype());
    if (read && t.numel()) copy_to_host(t, host.data<void>());
    return host;
  };
  std::vector<Tensor> out;
  for (const Tensor& t : dense_out_) out.push_back(staged(t, reads_outputs));
  for (Tensor& t : dense_in_) {
    const auto same = std::ranges::find_if(dense_out_, [&](const Tensor& o) {
      return o.view().data == t.view().data && o.numel() == t.numel();
    });
    if (same == dense_out_.end()) {
      t = staged(t, true);
      continue;
    }
    Tensor& both = out[size_t(same - dense_out_.begin())];
    both = staged(t, true);
    t = both;
  }
  dense_out_ = std::move(out);
  on_host_ = true;
}

// Whether the device's own engine may do it; what all ranks agree on decides.
bool Work::by_device() const { return DeviceCalls::knows(job_.call, device_); }

// Of calls whose headers do not tell.
Amounts Work::amounts() const {
  const Header& c = job_.call;
  const int size = group_->size(), me = group_->rank();
  Amounts a;
  if (!c.uneven) return a;
  a.gives.assign(size_t(size), 0);
  a.gets = a.gives;
  for (int p = 0; p < size; ++p) {
    if (p == me) continue;
    // Goes as it is.
    const bool whole = c.kind == Kind::all_gather || (c.kind == Kind::gather && p == c.root);
    if (whole) a.gives[size_t(p)] = job_.in[0].numel();
    if (c.kind == Kind::all_to_all || (c.kind == Kind::scatter && c.root == me))
      a.gives[size_t(p)] = part_of(job_.in, job_.in_parts, p);
    if (c.kind == Kind::scatter && p == c.root) a.gets[size_t(p)] = job_.out[0].numel();
    if (c.kind == Kind::all_gather || c.kind == Kind::all_to_all || (c.kind == Kind::gather && c.root == me))
      a.gets[size_t(p)] = part_of(job_.out, job_.out_parts, p);
  }
  return a;
}

Buffers Work::buffers() const {
  Buffers b;
  add_blocks(b.in, dense_in_, job_.in_parts);
  add_blocks(b.out, dense_out_, job_.out_parts);
  return b;
}

void Work::finish_outputs() {
  ScopedValue<bool> no_grad(thread_state().grad_enabled, false);
  bool copied = false;
  for (size_t i = 0; i < job_.out.size(); ++i) {
    if (dense_out_[i].impl() == job_.out[i].impl()) {
      job_.out[i].impl()->storage->bump();
      continue;
    }
    if (!device_.is_cpu() && !std::exchange(copied, true))
      wait_event(device_, before_, current_stream(device_));
    ops::copy_(job_.out[i],
               dense_out_[i].device() == device_ ? dense_out_[i] : copy_to_device(dense_out_[i], device_));
  }
  // Whoever waits for the work uses it on streams of his own.
  if (copied) synchronize_stream(device_, current_stream(device_));
}

void Work::finish_on(haft_raw_stream s) {
  ScopedValue<bool> no_grad(thread_state().grad_enabled, false);
  for (size_t i = 0; i < job_.out.size(); ++i) {
    if (dense_out_[i].impl() == job_.out[i].impl()) {
      job_.out[i].impl()->storage->bump();
      continue;
    }
    record_stream(*job_.out[i].impl()->storage, device_, s);
    ops::copy_(job_.out[i], dense_out_[i]);
  }
}

}  // namespace haft::dist
