#include "core/parallel/expert_parallel.h"

#include <algorithm>
#include <cmath>

#include "core/nn/containers.h"
#include "core/ops/functions.h"
#include "core/parallel/calls.h"
#include "core/parallel/functional.h"
#include "core/parallel/or_kill.h"

namespace haft::parallel {

using dist::Group;
using dist::Job;
using dist::Kind;

namespace {

Tensor numbers_of(const std::vector<int64_t>& v, Device d = {}) {
  const int64_t size = int64_t(v.size());
  Tensor t = new_tensor(IntList(&size, 1), DType::i64);
  std::copy(v.begin(), v.end(), t.data<int64_t>());
  return ops::to(t, DType::none, d);
}

// counts[r * own + e]: of rank r for my expert e.
std::vector<int64_t> exchange_counts(Group& g, const std::vector<int64_t>& mine) {
  const Tensor out = numbers_of(mine);
  Job j;
  j.call.kind = Kind::all_to_all;
  j.in = {numbers_of(mine)};
  j.out = {out};
  j.in_parts.assign(size_t(g.size()), int64_t(mine.size()) / g.size());
  j.out_parts = j.in_parts;
  g.run(std::move(j));
  return {out.data<int64_t>(), out.data<int64_t>() + out.numel()};
}

// Sums of as many neighbours as there are experts on a rank.
Rows rows_a_rank(const std::vector<int64_t>& counts, int ranks) {
  Rows rows(size_t(ranks), 0);
  for (size_t i = 0; i < counts.size(); ++i) rows[i * size_t(ranks) / counts.size()] += counts[i];
  return rows;
}

}  // namespace

MixtureOfExperts::MixtureOfExperts(Ref<Group> group, Ref<nn::Module> router,
                                   std::vector<Ref<nn::Module>> experts, ExpertOptions options)
    : Module("MixtureOfExperts"),
      group_(std::move(group)),
      options_(options),
      router_(std::move(router)),
      experts_(std::move(experts)) {
  const int64_t own = int64_t(experts_.size());
  all_ = own * group_->size();
  if (!router_ || !own)
    fail(Code::invalid_argument, "mixture of experts: takes a router and at least one expert a rank", {},
         "experts");
  if (options_.top_k < 1 || options_.top_k > all_)
    fail(Code::invalid_argument,
         concat("mixture of experts: top_k must be 1 to ", all_, ", the number of experts, got ",
                options_.top_k),
         {}, "top_k");
  if (!(options_.capacity_factor >= 0))
    fail(Code::invalid_argument,
         concat("mixture of experts: capacity_factor must be 0 or more, got ", options_.capacity_factor), {},
         "capacity_factor");
  verify_same(*group_, "mixtures of experts differ",
              concat("experts a rank: ", own, "\ntop_k: ", options_.top_k, "\ncapacity_factor: ",
                     options_.capacity_factor, "\nnormalize: ", int(options_.normalize), "\n"));
  auto list = make_ref<nn::ModuleDict>(std::span<const nn::NamedModule>());
  for (int64_t i = 0; i < own; ++i) list->add_child(concat(group_->rank() * own + i), experts_[size_t(i)]);
  add_child("router", router_);
  add_child("experts", std::move(list));
}

std::string MixtureOfExperts::extra() const {
  return concat("top_k=", options_.top_k, ", experts=", all_, ", capacity_factor=", options_.capacity_factor);
}

Tensor MixtureOfExperts::forward(const Tensor& x) { return forward_many(std::span(&x, 1))[0]; }

std::vector<Tensor> MixtureOfExperts::forward_many(std::span<const Tensor> xs) {
  return or_kill(*group_, "mixture of experts", [&] { return pass(xs); });
}

std::vector<Tensor> MixtureOfExperts::pass(std::span<const Tensor> xs) {
  if (xs.size() != 1 || !xs[0] || xs[0].ndim() < 1)
    fail(Code::invalid_argument, "mixture of experts: takes one tensor of shape (..., width)", {}, "inputs");
  const int64_t width = xs[0].size(-1), ranks = group_->size(), own = int64_t(experts_.size()),
                k = options_.top_k;
  const int64_t flat[] = {-1, width};
  const Tensor x = ops::reshape(xs[0], flat);
  const int64_t tokens = x.size(0);
  const Device device = x.device();

  // ---- who goes where ----
  const Tensor logits = router_->call(x);
  if (logits.ndim() != 2 || logits.size(0) != tokens || logits.size(1) != all_)
    fail(Code::shape, concat("mixture of experts: the router answers ", logits.sizes(), " for ", tokens,
                             " tokens, wanted a logit for each of ", all_, " experts"));
  const Tensor shares = ops::softmax(logits, -1);
  auto [weights, chosen] = ops::topk(shares, k, -1);
  const int64_t last[] = {-1}, rows[] = {0}, line[] = {-1, 1};
  if (options_.normalize && k > 1) weights = ops::div(weights, ops::sum(weights, last, true));
  // The host sorts tokens by expert.
  const Tensor choices = ops::contiguous(ops::to(chosen, DType::none, Device{}));
  const int64_t* choice = choices.data<int64_t>();
  const int64_t room =
      options_.capacity_factor > 0
          ? std::max<int64_t>(
                1, int64_t(std::ceil(options_.capacity_factor * double(k * tokens) / double(all_))))
          : k * tokens;
  std::vector<std::vector<int64_t>> of(static_cast<size_t>(all_));
  std::vector<int64_t> counts(size_t(all_), 0), order, from, wanted(size_t(all_), 0);
  dropped = 0;
  for (int64_t c = 0; c < k; ++c)
    for (int64_t t = 0; t < tokens; ++t) {
      const size_t e = size_t(choice[t * k + c]);
      ++wanted[e];
      if (counts[e] == room) {
        ++dropped;
        continue;
      }
      ++counts[e];
      of[e].push_back(t * k + c);
    }
  for (const auto& list : of)
    for (int64_t at : list) {
      order.push_back(at);
      from.push_back(at / k);
    }

  // ---- there, through the experts, and back ----
  const std::vector<int64_t> theirs = exchange_counts(*group_, counts);
  const Rows go = rows_a_rank(counts, int(ranks)), come = rows_a_rank(theirs, int(ranks));
  const Tensor sources = numbers_of(from, device);
  const Tensor here = all_to_all_single(group_, ops::index_select(x, 0, sources), come, go);
  // Where rows of `here` stand among the experts' results.
  std::vector<int64_t> places(size_t(here.size(0)), 0);
  std::vector<Tensor> results;
  int64_t done = 0;
  for (int64_t e = 0; e < own; ++e) {
    std::vector<int64_t> mine;
    int64_t at = 0;
    for (size_t i = 0; i < theirs.size(); at += theirs[i++])
      if (int64_t(i) % own == e)
        for (int64_t n = 0; n < theirs[i]; ++n) mine.push_back(at + n);
    if (mine.empty()) continue;
    for (int64_t row : mine) places[size_t(row)] = done++;
    results.push_back(experts_[size_t(e)]->call(ops::index_select(here, 0, numbers_of(mine, device))));
    if (results.back().ndim() != 2 || results.back().size(0) != int64_t(mine.size()) ||
        results.back().size(1) != width)
      fail(Code::shape, concat("mixture of experts: an expert answers ", results.back().sizes(), " for ",
                               here.sizes(), "; it must keep the shape"));
  }
  Tensor made = results.empty() ? here : ops::index_select(ops::cat(results), 0, numbers_of(places, device));
  // A rank whose experts got nothing takes part in backward, for the others wait for it.
  if (!made.requires_grad() && thread_state().grad_enabled) haft::set_requires_grad(made, true);
  const Tensor back = all_to_all_single(group_, made, go, come);
  const Tensor weight = ops::index_select(ops::reshape(weights, line), 0, numbers_of(order, device));
  const Tensor y = ops::index_add(ops::zeros_like(ops::detach(x)), 0, sources, ops::mul(back, weight));

  // ---- are they equally loaded? ----
  std::vector<Tensor> answer = {ops::reshape(y, xs[0].sizes())};
  Tensor load = ops::cast(numbers_of(wanted, device), shares.dtype());
  const Tensor total = ops::cast(numbers_of({tokens}, device), shares.dtype());
  for (const Tensor& t : {load, total}) group_->run(all_reduce_job(t, dist::ReduceOp::sum));
  const Tensor mean = ops::div(all_reduce(group_, ops::sum(shares, rows)), total);
  const Tensor part = ops::div(load, ops::mul(total, ops::full({}, k, total.dtype(), total.device())));
  answer.push_back(
      ops::mul(ops::sum(ops::mul(part, mean)), ops::full({}, all_, mean.dtype(), mean.device())));
  return answer;
}

}  // namespace haft::parallel
