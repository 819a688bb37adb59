// libhaft_mpi.so: MPI as an engine of process groups (haft/mesh.h), for networks that only a site's MPI knows. A slot
// is sent by a synchronous send, which is over when its receive has begun, so that what waits stays with who sends.
#include <haft/mesh.h>
#include <haft/types.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using Clock = std::chrono::steady_clock;

namespace {

struct Failed {
  int32_t status;
  std::string why;
};

void check(int error, const char* what) {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  throw Failed{HAFT_ERROR_UNAVAILABLE, std::string(what) + ": " + text};
}

// Communicators are never freed, which all their ranks would have to do together: groups of the same processes share
// one, and have tags of their own. The first rank of each numbers them.
struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL;
  int next_tag = 0;  // of the first rank
};
using CommunicatorKey = std::pair<std::vector<int>, int>;  // members' ranks in the world, and number
std::mutex mutex;
std::map<CommunicatorKey, Communicator>& communicators() {
  static auto& all = *new std::map<CommunicatorKey, Communicator>;
  return all;
}

struct Lane {
  size_t first = 0, slots = 0;  // of its requests
  uint64_t begun = 0, over = 0;
};

std::atomic<int> stuck{0};  // threads inside MPI that nobody waits for any more

// All members call it, each at once, for MPI has no limit of time for it: a thread waits in it that is left behind
// when the time is over. What it makes is noted all the same: for other ranks it may have come in time.
void make_communicator(const CommunicatorKey& key, Clock::time_point until) {
  struct Made {
    std::mutex mutex;
    std::condition_variable done;
    bool is_done = false, left = false;
    int error = MPI_SUCCESS;
  };
  const auto made = std::make_shared<Made>();
  Communicator* place;
  {
    std::lock_guard<std::mutex> lock(mutex);
    place = &communicators()[key];  // for good
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([made, key, place] {
      const auto& [members, number] = key;
      MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
      MPI_Comm comm = MPI_COMM_NULL;
      int error = MPI_Comm_group(MPI_COMM_WORLD, &world);
      if (error == MPI_SUCCESS) error = MPI_Group_incl(world, int(members.size()), members.data(), &group);
      if (error == MPI_SUCCESS) error = MPI_Comm_create_group(MPI_COMM_WORLD, group, number, &comm);
      for (MPI_Group* g : {&group, &world})
        if (*g != MPI_GROUP_NULL) MPI_Group_free(g);
      if (error == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        std::lock_guard<std::mutex> lock(mutex);
        place->comm = comm;
      }
      std::lock_guard<std::mutex> lock(made->mutex);
      made->error = error;
      made->is_done = true;
      if (made->left) --stuck;
      made->done.notify_all();
    }).detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::unique_lock<std::mutex> lock(made->mutex);
  if (!made->done.wait_until(lock, until, [&] { return made->is_done; })) {
    made->left = true;
    ++stuck;
    throw Failed{HAFT_ERROR_TIMEOUT,
                 "MPI's communicator of these ranks was not made, a rank has not come or is stopped"};
  }
  check(made->error, "MPI_Comm_create_group");
}

// What a rank tells the others.
struct Seat {
  int32_t world_rank = -1, world_size = 0;
  int32_t number = 0, is_new = 0, first_tag = 0;  // of rank 0
};

}  // namespace

struct haft_mesh {
  const haft_mesh_options o;
  const std::vector<haft_mesh_lane> lanes;
  std::mutex guard;
  MPI_Comm comm = MPI_COMM_NULL;
  int first_tag = 0;
  std::vector<Lane> out, in;  // by peer and lane
  // Of all slots: MPI is asked for all at once, for each question lets others compute when there are more processes
  // than processors.
  std::vector<MPI_Request> requests;
  std::vector<char> done;
  std::vector<int> which, peer_of;
  std::vector<MPI_Status> statuses;
  std::vector<char> lost;

  explicit haft_mesh(const haft_mesh_options& given)
      : o(given),
        lanes(given.lanes, given.lanes + given.lane_count),
        out(places()),
        in(places()),
        lost(size_t(given.size)) {
    for (int p = 0; p < o.size; ++p)
      for (int l = 0; l < o.lane_count; ++l)
        for (auto* side : {&out, &in}) {
          Lane& lane = (*side)[place(p, l)];
          lane.first = peer_of.size();
          lane.slots = size_t(lanes[size_t(l)].slots);
          peer_of.insert(peer_of.end(), lane.slots, p);
        }
    requests.assign(peer_of.size(), MPI_REQUEST_NULL);
    done.resize(peer_of.size());
    which.resize(peer_of.size());
    statuses.resize(peer_of.size());
  }
  size_t places() const { return size_t(o.size) * lanes.size(); }
  size_t place(int peer, int lane) const { return size_t(peer) * lanes.size() + size_t(lane); }
  uint64_t at(int peer, int lane, int slot) const {
    return uint64_t(peer) * o.peer_bytes + lanes[size_t(lane)].offset +
           uint64_t(slot) * lanes[size_t(lane)].slot_bytes;
  }

  Seat meet(const Seat& mine, std::vector<int>& members) {
    auto key = [](int r) { return "mpi/" + std::to_string(r); };
    if (int32_t s = o.set(o.host, key(o.rank).c_str(), &mine, sizeof mine)) throw Failed{s, ""};
    Seat first = mine;
    for (int r = 0; r < o.size; ++r) {
      Seat theirs = mine;
      uint64_t count = sizeof theirs;
      if (r != o.rank)
        if (int32_t s = o.get(o.host, key(r).c_str(), &theirs, sizeof theirs, &count)) throw Failed{s, ""};
      if (count != sizeof theirs || theirs.world_size != mine.world_size)
        throw Failed{HAFT_ERROR_MISMATCH, "ranks " + std::to_string(o.rank) + " and " + std::to_string(r) +
                                              " are of different jobs of MPI"};
      for (size_t p = 0; p < members.size(); ++p)
        if (members[p] == theirs.world_rank)
          throw Failed{HAFT_ERROR_UNAVAILABLE, "ranks " + std::to_string(p) + " and " + std::to_string(r) +
                                                   " are both rank " + std::to_string(theirs.world_rank) +
                                                   " of MPI; start them by one mpirun, one process a rank"};
      members.push_back(theirs.world_rank);
      if (r == 0) first = theirs;
    }
    return first;
  }

  // Nobody goes into MPI, which knows no limit of time and makes one communicator after the other, before all have
  // said that they will.
  void wait_for_all() {
    const auto here = [](int rank) { return "mpi/here/" + std::to_string(rank); };
    char said = 1;
    uint64_t count = 0;
    if (int32_t s = o.set(o.host, here(o.rank).c_str(), &said, sizeof said)) throw Failed{s, ""};
    for (int r = 0; r < o.size; ++r)
      if (int32_t s = o.get(o.host, here(r).c_str(), &said, sizeof said, &count)) throw Failed{s, ""};
  }

  void connect() {
    const auto until =
        Clock::now() + std::chrono::nanoseconds(std::min<int64_t>(o.timeout_ns, int64_t(1) << 60));
    Seat mine;
    MPI_Comm_rank(MPI_COMM_WORLD, &mine.world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mine.world_size);
    std::vector<int> members;
    // The others' places are known before rank 0 numbers; so it tells twice.
    meet(mine, members);
    std::string key = "mpi/which";
    if (o.rank == 0) {
      std::lock_guard<std::mutex> lock(mutex);
      int number = 0;
      while (communicators().count({members, number}) && communicators()[{members, number}].next_tag > kTags)
        ++number;
      mine.number = number;
      mine.is_new = !communicators().count({members, number});
      mine.first_tag = std::exchange(communicators()[{members, number}].next_tag,
                                     communicators()[{members, number}].next_tag + o.lane_count);
      if (int32_t s = o.set(o.host, key.c_str(), &mine, sizeof mine)) throw Failed{s, ""};
    } else {
      uint64_t count = 0;
      if (int32_t s = o.get(o.host, key.c_str(), &mine, sizeof mine, &count)) throw Failed{s, ""};
    }
    first_tag = mine.first_tag;
    // One that was not made is not waited for by the next group of these ranks, which gets another number: by the
    // same it would meet ranks that are still inside.
    struct Unmade {
      const CommunicatorKey key;
      bool is_new;
      ~Unmade() {
        if (!is_new) return;
        std::lock_guard<std::mutex> lock(mutex);
        if (auto i = communicators().find(key); i != communicators().end() && i->second.comm == MPI_COMM_NULL)
          i->second.next_tag = kTags + 1;
      }
    } unmade{{members, mine.number}, mine.is_new != 0};
    if (mine.is_new) {
      wait_for_all();
      make_communicator(unmade.key, until);
    }
    for (;;) {  // until another thread has made it
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (const auto i = communicators().find({members, mine.number}); i != communicators().end())
          comm = i->second.comm;
      }
      if (comm != MPI_COMM_NULL) break;
      if (Clock::now() > until)
        throw Failed{HAFT_ERROR_TIMEOUT, "MPI's communicator of these ranks was not made"};
      usleep(1000);
    }
    for (int p = 0; p < o.size; ++p)
      for (int l = 0; p != o.rank && l < o.lane_count; ++l)
        for (int s = 0; s < lanes[size_t(l)].slots; ++s) post(p, l, s);
  }

  int32_t post(int peer, int lane, int slot) {
    std::lock_guard<std::mutex> lock(guard);
    Lane& l = in[place(peer, lane)];
    const int error = MPI_Irecv(o.incoming + at(peer, lane, slot), int(lanes[size_t(lane)].slot_bytes),
                                MPI_BYTE, peer, first_tag + lane, comm, &requests[l.first + size_t(slot)]);
    if (error != MPI_SUCCESS) return lose(peer);
    ++l.begun;
    return HAFT_OK;
  }
  int32_t send(int peer, int lane, int slot, uint64_t bytes) {
    std::lock_guard<std::mutex> lock(guard);
    Lane& l = out[place(peer, lane)];
    const int error = MPI_Issend(o.outgoing + at(peer, lane, slot), int(bytes), MPI_BYTE, peer,
                                 first_tag + lane, comm, &requests[l.first + size_t(slot)]);
    if (error != MPI_SUCCESS) return lose(peer);
    ++l.begun;
    return HAFT_OK;
  }
  int32_t lose(int peer) {
    lost[size_t(peer)] = 1;
    return HAFT_ERROR_PEER_LOST;
  }
  // What is over of a lane, in its order.
  uint64_t look(std::vector<Lane>& side, int peer, int lane) {
    Lane& l = side[place(peer, lane)];
    while (l.over < l.begun && done[l.first + l.over % l.slots]) done[l.first + l.over++ % l.slots] = 0;
    return l.over;
  }
  bool progress() {
    std::lock_guard<std::mutex> lock(guard);
    int count = 0;
    const int error =
        MPI_Testsome(int(requests.size()), requests.data(), &count, which.data(), statuses.data());
    if (count == MPI_UNDEFINED || count <= 0) return false;
    for (int i = 0; i < count; ++i) {
      const size_t at = size_t(which[size_t(i)]);
      if (error == MPI_SUCCESS || statuses[size_t(i)].MPI_ERROR == MPI_SUCCESS)
        done[at] = 1;
      else
        lose(peer_of[at]);
    }
    return true;
  }
  bool has_unsent() {
    progress();
    std::lock_guard<std::mutex> lock(guard);
    for (int p = 0; p < o.size; ++p)
      for (int l = 0; !lost[size_t(p)] && l < o.lane_count; ++l)
        if (look(out, p, l) < out[place(p, l)].begun) return true;
    return false;
  }
  // Receives are taken back. A send that nobody has taken cannot be: false.
  bool cancel() {
    for (const Lane& l : in)
      for (size_t i = l.first; i < l.first + l.slots; ++i)
        if (requests[i] != MPI_REQUEST_NULL) {
          MPI_Cancel(&requests[i]);
          MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
    return !has_unsent();
  }

  static constexpr int kTags = 32000;  // at least as many has each communicator
};

namespace {

// MPI is the process's: the host's, or made here once and ended with the process. MPI's handlers of signals are taken
// back.
void start_mpi() {
  static std::mutex starting;
  std::lock_guard<std::mutex> lock(starting);
  int there = 0, ended = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&there);
  MPI_Finalized(&ended);
  if (ended) throw Failed{HAFT_ERROR_UNAVAILABLE, "MPI was ended by this process (MPI_Finalize)"};
  if (!there) {
    if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK") && !getenv("PMI_RANK"))
      throw Failed{HAFT_ERROR_UNAVAILABLE, "this process was not started by mpirun"};
    struct sigaction handlers[NSIG];
    for (int s = 1; s < NSIG; ++s) sigaction(s, nullptr, &handlers[s]);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    for (int s = 1; s < NSIG; ++s)
      if (s != SIGKILL && s != SIGSTOP) sigaction(s, &handlers[s], nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    check(error, "MPI_Init_thread");
    atexit([] {
      int done = 0;
      MPI_Finalized(&done);
      if (!done && !stuck) MPI_Finalize();  // which would wait for a thread that is inside
    });
  }
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE)
    throw Failed{HAFT_ERROR_UNAVAILABLE,
                 "MPI serves one thread at a time in this process; begin it by MPI_Init_thread with "
                 "MPI_THREAD_MULTIPLE"};
}

int32_t open(const haft_mesh_options* options, haft_mesh** out, char* reason, uint32_t reason_size) {
  auto tell = [&](int32_t status, const std::string& text) {
    if (!reason_size) return status;
    const size_t n = std::min<size_t>(text.size(), reason_size - 1);
    std::memcpy(reason, text.data(), n);
    reason[n] = 0;
    return status;
  };
  try {
    start_mpi();
    auto m = std::make_unique<haft_mesh>(*options);
    m->connect();
    *out = m.release();
    return HAFT_OK;
  } catch (const Failed& f) {
    return tell(f.status, f.why);
  } catch (const std::exception& e) {
    return tell(HAFT_ERROR_OUT_OF_MEMORY, e.what());
  }
}

int32_t close(haft_mesh* m, int64_t linger_ns) {
  int ended = 0;
  MPI_Finalized(&ended);
  const auto until = Clock::now() + std::chrono::nanoseconds(linger_ns);
  while (!ended && Clock::now() < until && m->has_unsent()) usleep(200);
  const bool whole = ended || m->cancel();
  delete m;
  return whole ? HAFT_OK : HAFT_ERROR_BUSY;
}

int32_t post(haft_mesh* m, int32_t peer, int32_t lane, int32_t slot) { return m->post(peer, lane, slot); }
int32_t send(haft_mesh* m, int32_t peer, int32_t lane, int32_t slot, uint64_t bytes) {
  return m->send(peer, lane, slot, bytes);
}
uint64_t sent(haft_mesh* m, int32_t peer, int32_t lane) {
  std::lock_guard<std::mutex> lock(m->guard);
  return m->look(m->out, peer, lane);
}
uint64_t received(haft_mesh* m, int32_t peer, int32_t lane) {
  std::lock_guard<std::mutex> lock(m->guard);
  return m->look(m->in, peer, lane);
}
int32_t is_lost(haft_mesh* m, int32_t peer) {
  std::lock_guard<std::mutex> lock(m->guard);
  return m->lost[size_t(peer)];
}
int32_t progress(haft_mesh* m) { return m->progress(); }

constexpr haft_mesh_engine kEngine = {sizeof(haft_mesh_engine),
                                      HAFT_MESH_ABI,
                                      "mpi",
                                      open,
                                      close,
                                      post,
                                      send,
                                      sent,
                                      received,
                                      is_lost,
                                      progress,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) const haft_mesh_engine* haft_mesh_entry(const char*, char*,
                                                                                          uint32_t) {
  return &kEngine;
}
