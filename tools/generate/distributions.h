// Probability distributions: the entries of distributions.def, and the texts made of them.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace haft::generate {

struct DistributionEntry {
  struct Parameter {
    std::string constraint, name, default_value, doc;
    bool either = false;  // exactly one of these is given
  };
  std::string name, support, doc, base;  // base: of Python's class, "" for Distribution
  bool rsample = false, enumerates = false;
  std::vector<std::string> derived;  // parameters that follow from the others
  std::vector<Parameter> parameters;
};

std::vector<DistributionEntry> read_distributions();

// capi/include/haft/distribution_kinds.hpp.
std::string cpp_distributions(const std::vector<DistributionEntry>& all);
// docs/distributions.md.
std::string distributions_page(const std::string& before, const std::vector<DistributionEntry>& all);
// bindings/python/haft/distributions/_kinds.py.
std::string python_distributions(const std::vector<DistributionEntry>& all);
std::string csharp_distributions(const std::vector<DistributionEntry>& all);
// By file name.
std::map<std::string, std::string> java_distributions(const std::vector<DistributionEntry>& all);

}  // namespace haft::generate
