// What the two files of the simulated cuDNN share: descriptors, and graphs of several operators.
#pragma once
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "simulated.h"

namespace haft::cuda_on_host::cudnn {

[[noreturn]] inline void wrong(const std::string& what) { mistake("cudnnBackend: " + what); }

struct Descriptor {
  int type;
  bool finished = false;
  std::map<int, std::vector<char>> attributes;
  std::map<int, int64_t> counts;

  template <class T>
  T get(int attribute, size_t i = 0) const {
    const auto it = attributes.find(attribute);
    if (it == attributes.end()) wrong("attribute " + std::to_string(attribute) + " was not set");
    T v;
    std::memcpy(&v, it->second.data() + i * sizeof(T), sizeof v);
    return v;
  }
  const Descriptor& part(int attribute) const { return *get<Descriptor*>(attribute); }
  bool has(int attribute) const { return attributes.count(attribute) != 0; }
};

// The operators of a graph, in their order.
std::vector<const Descriptor*> operators(const Descriptor& graph);
// What variables bind to a tensor's number.
char* bound(const Descriptor& variables, int64_t id);
char* bound_memory(const Descriptor& variables, int64_t id);  // aligned as was promised
// An element of memory by cudnnDataType_t.
double read_element(const char* p, int type, int64_t i);
void write_element(char* p, int type, int64_t i, double x);

// f(indices) over all of a box.
template <class F>
void each(const std::vector<int64_t>& sizes, F&& f) {
  std::vector<int64_t> at(sizes.size());
  for (bool more = true; more;) {
    f(static_cast<const std::vector<int64_t>&>(at));
    more = false;
    for (size_t d = sizes.size(); d-- && !more;) {
      if (++at[d] < sizes[d])
        more = true;
      else
        at[d] = 0;
    }
  }
}

// Whether a graph is attention: products with pointwise operators, reductions and turns between them
// (cudnn_graph.cpp).
bool is_attention(const Descriptor& graph);
// Its run, with the numbers by value as they are now.
std::function<void()> attention_run(const Descriptor& graph, const Descriptor& variables);

}  // namespace haft::cuda_on_host::cudnn
