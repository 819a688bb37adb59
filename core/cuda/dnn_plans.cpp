#include "core/cuda/dnn_plans.h"

#include <map>
#include <mutex>
#include <unordered_map>

#include "core/cuda/library.h"

namespace haft::cuda::dnn {

namespace {

constexpr size_t kMostPlans = 4096;

// A handle has one stream at a time and serves one thread at a time: runs of a device, and plans that are made for
// it, take turns.
struct Session {
  Handle handle = nullptr;
  bool asked = false;
  std::mutex turn;
};
struct HashKey {
  size_t operator()(const Key& k) const {
    uint64_t h = k.size();
    for (int64_t w : k) h = (h ^ uint64_t(w)) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    return size_t(h);
  }
};
struct Plans {
  std::mutex mutex;
  std::map<int, Session> sessions;
  std::unordered_map<Key, std::shared_ptr<const Kept>, HashKey> kept;
};
Plans& plans() {
  static Plans* p = new Plans;
  return *p;
}

const Functions* available() {
  static const Functions* lib = [] {
    const Functions* f = functions();
    if (!f) log_missing(Library::cudnn);
    return f;
  }();
  return lib;
}

// The device's session; NULL where the library cannot serve it, which is said once.
Session* session_of(const Functions& lib, int device) {
  Plans& all = plans();
  std::lock_guard lock(all.mutex);
  Session& s = all.sessions[device];
  if (!s.asked) {
    s.asked = true;
    if (const int status = lib.cudnnCreate(&s.handle)) {
      s.handle = nullptr;
      log_line(LogLevel::warning,
               concat("cuDNN does not serve cuda:", device, " (", lib.cudnnGetErrorString(status),
                      "); convolutions and attention use slower kernels"));
    }
  }
  return s.handle ? &s : nullptr;
}

}  // namespace

std::shared_ptr<const Kept> plan_for(const Call& c, Key key, const Wanted& wanted, const Maker& make) {
  if (c.call.flags & HAFT_CALL_NO_DNN) return nullptr;
  const Functions* lib = available();
  if (lib) c.use_device();
  Session* session = lib ? session_of(*lib, c.device()) : nullptr;
  if (!session) return nullptr;
  key.push_back(c.device());
  key.push_back(int64_t(wanted.tf32) | int64_t(wanted.exact) << 1);
  Plans& all = plans();
  {
    std::lock_guard lock(all.mutex);
    if (auto it = all.kept.find(key); it != all.kept.end()) return it->second->plan ? it->second : nullptr;
  }
  auto made = std::make_shared<Kept>();
  std::string why;
  {
    std::lock_guard lock(session->turn);
    made->plan = Plan::make(make(*lib, &made->tensors), session->handle, wanted, &why);
  }
  if (!made->plan) log_line(LogLevel::info, concat("cuDNN has no plan for this ", c.name(), ": ", why));
  std::lock_guard lock(all.mutex);
  if (all.kept.size() >= kMostPlans) all.kept.clear();
  const std::shared_ptr<const Kept> kept =
      all.kept.try_emplace(std::move(key), std::move(made)).first->second;
  return kept->plan ? kept : nullptr;
}

void run(const Call& c, const Kept& kept, std::span<const void* const> pointers) {
  HAFT_ASSERT(pointers.size() == kept.tensors.size());
  std::vector<Binding> bindings;
  size_t i = 0;
  for (const void* p : pointers) bindings.push_back({kept.tensors[i++].id, p});
  void* workspace = c.scratch_bytes(kept.plan->workspace());
  const Functions& lib = *available();
  Session& session = *session_of(lib, c.device());
  std::string why;
  std::lock_guard lock(session.turn);
  int status = lib.cudnnSetStream(session.handle, c.stream);
  if (status) why = lib.cudnnGetErrorString(status);
  if (status || !kept.plan->run(session.handle, bindings, workspace, &why))
    fail(Code::internal, concat("[", c.name(), "] cuDNN failed: ", why));
}

}  // namespace haft::cuda::dnn
