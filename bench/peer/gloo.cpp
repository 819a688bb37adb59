// What bench/dist.c measures, with Gloo alone over TCP: peer_gloo FOLDER RANKS ring|bcube.
#include <gloo/allreduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <string>
#include <vector>

#include "bench/together.h"

namespace {

using Algorithm = gloo::AllreduceOptions::Algorithm;

struct Reduction {
  std::shared_ptr<gloo::Context> context;
  Algorithm algorithm;
  std::vector<float> values;
};

void sum(void* out, const void* a, const void* b, size_t n) {
  float* z = static_cast<float*>(out);
  const float *x = static_cast<const float*>(a), *y = static_cast<const float*>(b);
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

void reduce(void* arg) {
  auto& r = *static_cast<Reduction*>(arg);
  gloo::AllreduceOptions o(r.context);
  o.setAlgorithm(r.algorithm);
  o.setOutput(r.values.data(), r.values.size());
  o.setReduceFunction(sum);
  gloo::allreduce(o);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  together t = begin_together(argv[1], atoi(argv[2]));
  gloo::transport::tcp::attr where("127.0.0.1");
  gloo::rendezvous::FileStore store(argv[1]);
  auto context = std::make_shared<gloo::rendezvous::Context>(t.rank, t.ranks);
  auto device = gloo::transport::tcp::CreateDevice(where);
  context->connectFullMesh(store, device);
  Reduction r{context, std::string(argv[3]) == "ring" ? Algorithm::RING : Algorithm::BCUBE, {}};
  turn next = {0, 0};
  for (double wall = 0;; wall = median_of_turn(next, reduce, &r)) {
    next = next_turn(&t, wall);
    if (!next.size) return 0;
    r.values.resize(size_t(next.size) / 4);
  }
}
