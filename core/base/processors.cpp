#include "core/base/processors.h"

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace haft {
namespace {

bool read_line(const std::string& path, char* line, int size) {
  std::FILE* f = std::fopen(path.c_str(), "re");
  if (!f) return false;
  bool ok = std::fgets(line, size, f) != nullptr;
  std::fclose(f);
  return ok;
}

int rounded_up(long long quota, long long period) {
  return quota > 0 && period > 0 ? int((quota + period - 1) / period) : 0;
}

// "max 100000" or "200000 100000"; 0 when there is no quota.
int quota_v2(const std::string& folder) {
  char line[128];
  long long quota = 0, period = 0;
  if (!read_line(folder + "/cpu.max", line, sizeof line) ||
      std::sscanf(line, "%lld %lld", &quota, &period) != 2)
    return 0;
  return rounded_up(quota, period);
}

int quota_v1(const std::string& folder) {
  char quota[64], period[64];
  if (!read_line(folder + "/cpu.cfs_quota_us", quota, sizeof quota) ||
      !read_line(folder + "/cpu.cfs_period_us", period, sizeof period))
    return 0;
  return rounded_up(std::atoll(quota), std::atoll(period));
}

// The tightest quota of our group and its ancestors.
int quota() {
  int best = 0;
  auto take = [&](int q) {
    if (q > 0 && (best == 0 || q < best)) best = q;
  };
  take(quota_v2("/sys/fs/cgroup"));
  take(quota_v1("/sys/fs/cgroup/cpu"));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> f(std::fopen("/proc/self/cgroup", "re"), std::fclose);
  if (!f) return best;
  char line[4096];
  while (std::fgets(line, sizeof line, f.get())) {
    line[std::strcspn(line, "\n")] = 0;
    // hierarchy:controllers:path
    char* controllers = std::strchr(line, ':');
    char* path = controllers ? std::strchr(controllers + 1, ':') : nullptr;
    if (!path) continue;
    bool v2 = path == controllers + 1;
    *path++ = 0;
    if (!v2 && !std::strstr(controllers, "cpu")) continue;
    for (std::string at = path; at.size() > 1; at.resize(at.rfind('/')))
      take(v2 ? quota_v2("/sys/fs/cgroup" + at) : quota_v1("/sys/fs/cgroup/cpu" + at));
  }
  return best;
}

int affinity() {
  // Machines beyond CPU_SETSIZE refuse the small mask.
  for (int cpus = CPU_SETSIZE; cpus <= 64 * CPU_SETSIZE; cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (!set) break;
    size_t size = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(size, set);
    int n = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (n > 0) return n;
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? int(online) : 1;
}

}  // namespace

int processors() {
  int n = affinity(), q = quota();
  return q > 0 && q < n ? q : n;
}

bool leave_processor(int least) noexcept {
  cpu_set_t allowed, others;
  int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  if (CPU_COUNT(&allowed) < (least > 2 ? least : 2)) return false;
  others = allowed;
  CPU_CLR(size_t(here), &others);
  if (sched_setaffinity(0, sizeof others, &others) != 0) return false;
  sched_setaffinity(0, sizeof allowed, &allowed);
  return true;
}

}  // namespace haft
