// The environment as a launcher makes it, and none of the variables that the test itself was started with.
#pragma once
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace haft::dist {

class Environment {
  std::map<std::string, std::string> before_;

 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    std::vector<std::string> names;
    for (char** e = environ; *e; ++e) {
      const std::string_view v = *e;
      names.emplace_back(v.substr(0, v.find('=')));
    }
    for (const std::string& name : names) {
      bool launchers =
          name == "RANK" || name == "WORLD_SIZE" || name.starts_with("JOB_") || name == "GROUP_RANK";
      for (const char* prefix : {"HAFT_", "LOCAL_", "MASTER_", "TORCHELASTIC_", "OMPI_", "PMIX_", "SLURM_"})
        launchers |= name.starts_with(prefix);
      if (!launchers) continue;
      before_[name] = std::getenv(name.c_str());
      unsetenv(name.c_str());
    }
    for (auto& [name, value] : variables) {
      setenv(name.c_str(), value.c_str(), 1);
      if (!before_.contains(name)) added_.push_back(name);
    }
  }
  ~Environment() {
    for (const std::string& name : added_) unsetenv(name.c_str());
    for (auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;

 private:
  std::vector<std::string> added_;
};

}  // namespace haft::dist
