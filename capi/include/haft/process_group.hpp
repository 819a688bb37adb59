// Process groups and works in C++17 over haft/process_group.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_PROCESS_GROUP_HPP
#define HAFT_PROCESS_GROUP_HPP
#include <haft/store.hpp>

namespace haft {

/// What haft_process_group_options holds, with its defaults; set fields by name.
struct ProcessGroupOptions : haft_process_group_options {
  ProcessGroupOptions() : haft_process_group_options(HAFT_PROCESS_GROUP_OPTIONS_INIT) {}
};

/// How ranks' values are joined.
enum class ReduceOp : std::int32_t {
  SUM = HAFT_REDUCE_OP_SUM,
  PRODUCT = HAFT_REDUCE_OP_PROD,
  MIN = HAFT_REDUCE_OP_MIN,
  MAX = HAFT_REDUCE_OP_MAX,
  AVG = HAFT_REDUCE_OP_AVG,
  BAND = HAFT_REDUCE_OP_BAND,
  BOR = HAFT_REDUCE_OP_BOR,
  BXOR = HAFT_REDUCE_OP_BXOR
};

/// A call of a group that was begun. Copies share it; releasing it does not stop it.
class Work : public detail::Handle<haft_work, haft_work_retain, haft_work_release> {
 public:
  using Handle::Handle;
  /// Throws what the call failed with; false when it is not done within the time. HAFT_NONE: as long as the call may
  /// take.
  bool wait(std::int64_t timeout_us = HAFT_NONE) const {
    haft_status s = haft_work_wait(get(), timeout_us);
    if (s == HAFT_ERROR_TIMEOUT) {
      if (!is_done()) return false;
      s = haft_work_wait(get(), HAFT_NONE);  // it may have been done just now
    }
    check(s);
    return true;
  }
  /// Whether it is done, in whatever way.
  bool is_done() const {
    std::int32_t done = 0;
    check(haft_work_is_done(get(), &done));
    return done != 0;
  }
  /// Who sent what a receive has got.
  int source() const {
    std::int32_t r = -1;
    check(haft_work_get_source(get(), &r));
    return r;
  }
#ifndef SWIG /* the bindings have their own form of callbacks */
  /// done(work, status) is called when it is done, on the thread that finds it so; what it throws is dropped.
  void on_done(std::function<void(const Work&, haft_status)> done) const {
    using Fn = std::function<void(const Work&, haft_status)>;
    auto own = std::make_unique<Fn>(std::move(done));
    check(haft_work_on_done(
        get(),
        [](haft_work* lent, haft_status status, void* user) {
          try {
            check(haft_work_retain(lent));
            (*static_cast<Fn*>(user))(Work(lent), status);
          } catch (...) {
          }
        },
        own.get(), detail::destroy<Fn>));
    own.release();
  }
#endif
};

/// Ranks that call collectives together and send each other messages. What ends in async answers a Work at once.
class ProcessGroup : public detail::Handle<haft_process_group, haft_process_group_retain, haft_process_group_release> {
  template <class F>
  static Work begun(F&& f) {
    haft_work* w = nullptr;
    check(f(&w));
    return Work(w);
  }
  static std::int64_t count(const std::vector<haft_tensor*>& v) { return static_cast<std::int64_t>(v.size()); }
  // -1, which is refused, when they differ.
  static std::int64_t same_count(const std::vector<haft_tensor*>& a, const std::vector<haft_tensor*>& b) {
    return a.size() == b.size() ? count(a) : -1;
  }
  static std::int64_t same_count(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    if (!a.empty() && !b.empty() && a.size() != b.size()) return -1;
    return static_cast<std::int64_t>(a.empty() ? b.size() : a.size());
  }
  static const std::int64_t* data(const std::vector<std::int64_t>& v) { return v.empty() ? nullptr : v.data(); }

 public:
  using Handle::Handle;
  /// Whether groups can be made with this engine here: "shm", "gloo", "mpi", "nccl" or another plug-in of process
  /// groups.
  static bool is_available(const std::string& engine) {
    std::int32_t there = 0;
    check(haft_process_group_is_available(engine.c_str(), &there));
    return there != 0;
  }
  /// Waits until all ranks have come. The name tells groups of one store apart; empty: the options' own.
  ProcessGroup(const Store& store, int rank, int size, ProcessGroupOptions options = ProcessGroupOptions(),
               const std::string& name = std::string()) {
    if (!name.empty()) options.name = name.c_str();
    haft_process_group* g = nullptr;
    check(haft_process_group_create(store.get(), rank, size, &options, &g));
    *this = ProcessGroup(g);
  }
  // Empty for who is none of them.
  /// A group of some ranks of this one, in the order given. All ranks of this group call it, in the same order.
  ProcessGroup subgroup(const std::vector<std::int64_t>& ranks) const {
    const std::vector<std::int32_t> list = detail::rank_list(ranks);
    haft_process_group* g = nullptr;
    check(haft_process_group_subgroup(get(), list.data(), static_cast<std::int64_t>(list.size()), nullptr, &g));
    return ProcessGroup(g);
  }
  // Empty for a negative color.
  /// A group of the ranks that give the same color, in the order of keys. All ranks of this group call it, in the
  /// same order.
  ProcessGroup split(std::int64_t color, std::int64_t key = 0) const {
    haft_process_group* g = nullptr;
    check(haft_process_group_split(get(), color, key, nullptr, &g));
    return ProcessGroup(g);
  }
#ifndef SWIG /* the bindings have their own form of options */
  ProcessGroup subgroup(const std::vector<std::int64_t>& ranks, const ProcessGroupOptions& options) const {
    const std::vector<std::int32_t> list = detail::rank_list(ranks);
    haft_process_group* g = nullptr;
    check(haft_process_group_subgroup(get(), list.data(), static_cast<std::int64_t>(list.size()), &options, &g));
    return ProcessGroup(g);
  }
  ProcessGroup split(std::int64_t color, std::int64_t key, const ProcessGroupOptions& options) const {
    haft_process_group* g = nullptr;
    check(haft_process_group_split(get(), color, key, &options, &g));
    return ProcessGroup(g);
  }
#endif
  haft_process_group_info info() const {
    haft_process_group_info i = HAFT_PROCESS_GROUP_INFO_INIT;
    check(haft_process_group_get_info(get(), &i));
    return i;
  }
  /// This one's number in the group.
  int rank() const { return info().rank; }
  /// How many ranks there are.
  int size() const { return info().size; }
  /// Kills the group on every rank.
  void kill(const std::string& reason) const { check(haft_process_group_abort(get(), reason.c_str())); }
  /// The last calls of this rank with their times.
  std::string recorder_json() const {
    return detail::text_of([this](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return haft_process_group_recorder_to_json(get(), buffer, capacity, needed);
    });
  }

  void broadcast(const Tensor& tensor, int root) const {
    check(haft_process_group_broadcast(get(), tensor.get(), root, nullptr));
  }
  Work broadcast_async(const Tensor& tensor, int root) const {
    return begun([&](haft_work** w) { return haft_process_group_broadcast(get(), tensor.get(), root, w); });
  }
  void all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::SUM) const {
    check(haft_process_group_all_reduce(get(), tensor.get(), static_cast<std::int32_t>(op), nullptr));
  }
  Work all_reduce_async(const Tensor& tensor, ReduceOp op = ReduceOp::SUM) const {
    return begun([&](haft_work** w) {
      return haft_process_group_all_reduce(get(), tensor.get(), static_cast<std::int32_t>(op), w);
    });
  }
  void reduce(const Tensor& tensor, int root, ReduceOp op = ReduceOp::SUM) const {
    check(haft_process_group_reduce(get(), tensor.get(), static_cast<std::int32_t>(op), root, nullptr));
  }
  Work reduce_async(const Tensor& tensor, int root, ReduceOp op = ReduceOp::SUM) const {
    return begun([&](haft_work** w) {
      return haft_process_group_reduce(get(), tensor.get(), static_cast<std::int32_t>(op), root, w);
    });
  }
  void all_gather(const std::vector<Tensor>& outputs, const Tensor& input) const {
    const std::vector<haft_tensor*> outs = detail::handles(outputs);
    check(haft_process_group_all_gather(get(), outs.data(), count(outs), input.get(), nullptr));
  }
  Work all_gather_async(const std::vector<Tensor>& outputs, const Tensor& input) const {
    const std::vector<haft_tensor*> outs = detail::handles(outputs);
    return begun(
        [&](haft_work** w) { return haft_process_group_all_gather(get(), outs.data(), count(outs), input.get(), w); });
  }
  /// parts: how many elements each rank gives; empty: the same.
  void all_gather_into(const Tensor& output, const Tensor& input, const std::vector<std::int64_t>& parts = {}) const {
    check(haft_process_group_all_gather_into(get(), output.get(), input.get(), data(parts),
                                             static_cast<std::int64_t>(parts.size()), nullptr));
  }
  Work all_gather_into_async(const Tensor& output, const Tensor& input,
                             const std::vector<std::int64_t>& parts = {}) const {
    return begun([&](haft_work** w) {
      return haft_process_group_all_gather_into(get(), output.get(), input.get(), data(parts),
                                                static_cast<std::int64_t>(parts.size()), w);
    });
  }
  /// Outputs are the root's.
  void gather(const std::vector<Tensor>& outputs, const Tensor& input, int root) const {
    const std::vector<haft_tensor*> outs = detail::handles(outputs);
    check(haft_process_group_gather(get(), outs.data(), count(outs), input.get(), root, nullptr));
  }
  Work gather_async(const std::vector<Tensor>& outputs, const Tensor& input, int root) const {
    const std::vector<haft_tensor*> outs = detail::handles(outputs);
    return begun([&](haft_work** w) {
      return haft_process_group_gather(get(), outs.data(), count(outs), input.get(), root, w);
    });
  }
  /// Inputs are the root's.
  void scatter(const Tensor& output, const std::vector<Tensor>& inputs, int root) const {
    const std::vector<haft_tensor*> ins = detail::handles(inputs);
    check(haft_process_group_scatter(get(), output.get(), ins.data(), count(ins), root, nullptr));
  }
  Work scatter_async(const Tensor& output, const std::vector<Tensor>& inputs, int root) const {
    const std::vector<haft_tensor*> ins = detail::handles(inputs);
    return begun([&](haft_work** w) {
      return haft_process_group_scatter(get(), output.get(), ins.data(), count(ins), root, w);
    });
  }
  void reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs, ReduceOp op = ReduceOp::SUM) const {
    const std::vector<haft_tensor*> ins = detail::handles(inputs);
    check(haft_process_group_reduce_scatter(get(), output.get(), ins.data(), count(ins), static_cast<std::int32_t>(op),
                                            nullptr));
  }
  Work reduce_scatter_async(const Tensor& output, const std::vector<Tensor>& inputs,
                            ReduceOp op = ReduceOp::SUM) const {
    const std::vector<haft_tensor*> ins = detail::handles(inputs);
    return begun([&](haft_work** w) {
      return haft_process_group_reduce_scatter(get(), output.get(), ins.data(), count(ins),
                                               static_cast<std::int32_t>(op), w);
    });
  }
  /// From one tensor, in equal parts.
  void reduce_scatter_from(const Tensor& output, const Tensor& input, ReduceOp op = ReduceOp::SUM) const {
    check(haft_process_group_reduce_scatter_from(get(), output.get(), input.get(), static_cast<std::int32_t>(op),
                                                 nullptr));
  }
  Work reduce_scatter_from_async(const Tensor& output, const Tensor& input, ReduceOp op = ReduceOp::SUM) const {
    return begun([&](haft_work** w) {
      return haft_process_group_reduce_scatter_from(get(), output.get(), input.get(), static_cast<std::int32_t>(op), w);
    });
  }
  void all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) const {
    const std::vector<haft_tensor*> outs = detail::handles(outputs), ins = detail::handles(inputs);
    check(haft_process_group_all_to_all(get(), outs.data(), ins.data(), same_count(outs, ins), nullptr));
  }
  Work all_to_all_async(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) const {
    const std::vector<haft_tensor*> outs = detail::handles(outputs), ins = detail::handles(inputs);
    return begun([&](haft_work** w) {
      return haft_process_group_all_to_all(get(), outs.data(), ins.data(), same_count(outs, ins), w);
    });
  }
  /// Parts: elements from and for each rank; empty: the same.
  void all_to_all_single(const Tensor& output, const Tensor& input, const std::vector<std::int64_t>& output_parts = {},
                         const std::vector<std::int64_t>& input_parts = {}) const {
    check(haft_process_group_all_to_all_single(get(), output.get(), input.get(), data(output_parts), data(input_parts),
                                               same_count(output_parts, input_parts), nullptr));
  }
  Work all_to_all_single_async(const Tensor& output, const Tensor& input,
                               const std::vector<std::int64_t>& output_parts = {},
                               const std::vector<std::int64_t>& input_parts = {}) const {
    return begun([&](haft_work** w) {
      return haft_process_group_all_to_all_single(get(), output.get(), input.get(), data(output_parts),
                                                  data(input_parts), same_count(output_parts, input_parts), w);
    });
  }
  /// Waits until all ranks have come; those that have not within the time are named.
  void barrier(std::int64_t timeout_us = HAFT_NONE) const {
    check(haft_process_group_barrier(get(), timeout_us, nullptr));
  }
  Work barrier_async(std::int64_t timeout_us = HAFT_NONE) const {
    return begun([&](haft_work** w) { return haft_process_group_barrier(get(), timeout_us, w); });
  }

  void send(const Tensor& tensor, int peer, int tag = 0) const {
    check(haft_process_group_send(get(), tensor.get(), peer, tag, nullptr));
  }
  Work send_async(const Tensor& tensor, int peer, int tag = 0) const {
    return begun([&](haft_work** w) { return haft_process_group_send(get(), tensor.get(), peer, tag, w); });
  }
  /// Answers whose message it was; peer HAFT_ANY_SOURCE: whoever is first.
  int recv(const Tensor& tensor, int peer = HAFT_ANY_SOURCE, int tag = 0) const {
    std::int32_t source = -1;
    check(haft_process_group_recv(get(), tensor.get(), peer, tag, &source, nullptr));
    return source;
  }
  Work recv_async(const Tensor& tensor, int peer = HAFT_ANY_SOURCE, int tag = 0) const {
    return begun([&](haft_work** w) { return haft_process_group_recv(get(), tensor.get(), peer, tag, nullptr, w); });
  }
};

}  // namespace haft
#endif
