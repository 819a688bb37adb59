// A process group: ranks that call collectives together, in the same order, and send each other messages.
//
// **Order.** Every collective has a number, given when it is issued; one runs at a time, in the order of numbers. Who
// calls without asking for a Work runs it on his own thread when its turn comes; asynchronous ones run on the group's
// thread, which starts with the first of them. Messages (direct.h) have an order of their own and are moved by
// whoever waits for anything of the group, so that no order of waiting can stand still.
//
// **Failure.** The first failure that any rank finds kills the group on every rank (Transport::fail_all): what is
// under way and all that is called later answers with it. The process and other groups live on.
//
// **Devices.** A collective of a device is over for the host, and the next one's turn, when it is enqueued, whether
// other ranks have come or not. Two threads look after those under way (group_devices.cpp): one compares them with
// what the others call, in order, as soon as these have come; one answers them when the device has done them, and
// finds out who fails and who is missing. What is not of a device waits for the comparisons before it, whose bytes
// lie ahead on the same streams.
//
// Messages of devices are enqueued by threads of their own (device_messages.h), and watched like the rest.
//
// Callbacks, and letting go of tensors, happen without the mutex.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "core/base/fork.h"
#include "core/base/sync.h"
#include "core/dist/device_calls.h"
#include "core/dist/direct.h"
#include "core/dist/recorder.h"
#include "core/dist/store.h"
#include "core/dist/work.h"

namespace haft::dist {

struct GroupOptions {
  std::string engine;  // "shm", "gloo", "mpi"; empty: the fastest that reaches all ranks
  std::string name = "default";
  std::string host;  // what this rank says that its host is; empty: HAFT_HOSTID, or else the machine
  int64_t timeout_ns = 300 * kSecond;
};

class Group : public RefCounted {
 public:
  // Waits until all ranks have come. The same calls on every rank with the same store and name make the same groups.
  static Ref<Group> create(Ref<Store> store, int rank, int size, GroupOptions options);
  ~Group();  // after close()

  int rank() const { return transport_->rank; }
  int size() const { return transport_->size; }
  const GroupOptions& options() const { return options_; }
  const char* engine() const { return transport_->name(); }
  // That this rank has sent to other hosts.
  uint64_t bytes_across() const { return transport_->bytes_across; }
  bool is_foreign() const { return fork_generation_ != fork_generation(); }

  // Runs it, or begins it: answers a Work that need not be waited for.
  void run(Job job) { issue(std::move(job), false); }
  int receive(Job job) { return issue(std::move(job), false)->source(); }  // answers whose message it was
  Ref<Work> start(Job job) { return issue(std::move(job), true); }

  // Of these ranks of this group, each of which becomes its position; all ranks of this group call it. NULL for who
  // is none of them.
  Ref<Group> subgroup(const std::vector<int64_t>& ranks, std::optional<GroupOptions> options);
  // Ranks of one color, in the order of keys; color < 0: none.
  Ref<Group> split(int64_t color, int64_t key, std::optional<GroupOptions> options);

  void kill(const std::string& reason);
  Failure failure();  // Code::ok: none
  uint64_t issued();
  uint64_t finished();
  std::string recorder_json();

  // This rank calls nothing any more; what is under way is answered with Code::cancelled.
  void close() noexcept;
  void check_alive();

 private:
  friend class Work;
  friend class Driver;
  Group(Ref<Store> store, Ref<Store> own, Ref<Transport> transport, GroupOptions options);

  Ref<Work> issue(Job job, bool async);
  void issue_direct(Ref<Work>& w, bool async);
  void run_turn(Work& w) noexcept;  // it is its turn
  bool run_on_device(Work& w);      // false: there was no device for it, and it is over
  void await_agreements();
  void hold_for_device(Work& w);
  void hold_message(Work& w);
  bool reap_messages() noexcept;
  void look_after_messages();
  std::vector<Ref<Work>> messages_under_way();
  void record_call(Work& w);
  bool reap_devices() noexcept;
  void look_after(const Work& w);
  void look_at_peers(const Header* call);
  void start_helpers_locked();
  static void* watch_body(void* group);
  static void* agree_body(void* group);
  void watch();
  void agree();
  bool progress_direct();
  void drive_direct(bool& sure, uint32_t seen, int64_t until) noexcept;
  void answer(Work& w, std::shared_ptr<const Error> error) noexcept;
  void die(const Failure& f) noexcept;
  void die_saying(std::string_view what) noexcept;
  void die_of_current() noexcept;  // the exception in flight
  void start_thread_locked();
  static void* thread_body(void* group);
  void serve();
  bool inside() const;

  const Ref<Store> store_;
  const GroupOptions options_;
  const Ref<Transport> transport_;
  const uint32_t fork_generation_ = fork_generation();
  DeviceMessages messages_;
  Direct direct_;
  Exchange exchange_;    // of whose turn it is, or of the thread that compares
  DeviceCalls devices_;  // likewise
  Recorder recorder_;

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t issued_ = 0, turn_ = 1, finished_ = 0;
  std::deque<Ref<Work>> queue_;  // asynchronous collectives
  Failure failure_;
  std::shared_ptr<const Error> death_;  // what works are answered with, once dead_; never changes then
  const std::shared_ptr<const Error> no_memory_ =
      std::make_shared<Error>(Code::out_of_memory, "out of memory");
  bool closing_ = false;  // somebody closes it
  bool closed_ = false, dead_ = false, has_thread_ = false, thread_waits_ = false;
  int callers_ = 0;  // threads inside a collective
  int drivers_ = 0;  // threads that wait for messages
  uint64_t subgroups_ = 0;
  Thread thread_;

  std::deque<Ref<Work>> on_device_, messages_on_device_;  // enqueued there, and not answered
  // Messages that nobody need wait for, and which are not answered.
  int buffered_ = 0;
  std::condition_variable watching_;
  // Recorded: replays are under way whenever the program wants.
  bool has_watch_ = false, has_recorded_ = false;
  // Of the watch: who has ended has done its part by then, or never will.
  Deadline patience_ = Deadline::never();
  Thread watch_;

  // Enqueued on the device, and not compared yet with what other ranks call.
  struct Unagreed {
    Header call;
    Amounts amounts;
    Deadline deadline;
  };
  std::deque<Unagreed> unagreed_;
  uint64_t agreed_ = 0;  // the number of the last call of a device that was compared
  std::condition_variable agreeing_;
  bool has_agree_ = false;
  Thread agree_;
};

// Fails unless the job is one that every rank can check alone: shapes, types, devices, ranks. Fills in `call`.
void check_job(Job& job, int rank, int size);

}  // namespace haft::dist
