// Running a batch: the thread's state, joining inputs, the module, taking results apart.
#include "core/base/parallel.h"
#include "core/ops/functions.h"
#include "core/serve/frame.h"
#include "core/serve/fresh_state.h"
#include "core/serve/model.h"
#include "core/serve/session.h"

namespace haft::serve {

namespace {

Error current_error() {
  try {
    throw;
  } catch (const Error& e) {
    return e;
  } catch (const std::bad_alloc&) {
    return {Code::out_of_memory, "out of memory"};
  } catch (const std::exception& e) {
    return {Code::internal, e.what(), "this is a bug in haft; please report it"};
  } catch (...) {
    return {Code::internal, "unknown exception",
            "this is a bug in haft, or an exception thrown by a callback"};
  }
}

// nullptr when there is no memory left to say it.
std::unique_ptr<Error> caught() noexcept {
  try {
    return std::make_unique<Error>(current_error());
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

void Session::check_rows(std::span<const Tensor> outputs, int64_t rows) const {
  if (options_.max_batch == 1) return;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].ndim() == 0 || outputs[i].size(0) != rows)
      fail(Code::shape,
           concat("output ", int64_t(i), " of the module has shape ", outputs[i].sizes(), " for ", rows,
                  " rows: it cannot be taken apart"),
           "a module that mixes rows needs a session with max_batch 1");
}

// Outside the queue: the session goes on serving meanwhile. It also makes what the module only makes once.
void Session::try_out(Model& next) {
  Signature signature;
  {
    std::lock_guard lock(mutex_);
    if (closed_) fail(Code::cancelled, "the session is closed");
    signature = signature_;
  }
  if (!signature.is_known()) return;
  FreshState fresh(true, false, call_flags_);
  Frame frame(this, true);
  AccountScope pays(account_.get());
  signature.check(next.root->call_many(signature.sample()));
}

void Session::run_together(Request& captain) {
  std::vector<Tensor> inputs = captain.inputs_;
  if (captain.batch_count_ > 1) {
    std::vector<Tensor> parts(size_t(captain.batch_count_));
    for (size_t i = 0; i < inputs.size(); ++i) {
      size_t k = 0;
      for (Request* r = &captain; r; r = r->next_) parts[k++] = r->inputs_[i];
      inputs[i] = ops::cat(parts, 0);
    }
  }
  std::vector<Tensor> outputs = captain.batch_model_->root->call_many(inputs);
  inputs.clear();
  check_rows(outputs, captain.batch_rows_);
  if (captain.batch_count_ == 1) {
    captain.found_ = std::move(outputs);
    captain.worked_ = true;
    return;
  }
  int64_t at = 0;
  for (Request* r = &captain; r; at += r->rows_, r = r->next_) {
    std::vector<Tensor> own;
    own.reserve(outputs.size());
    for (const Tensor& t : outputs) own.push_back(ops::contiguous_copy(ops::narrow(t, 0, at, r->rows_)));
    r->found_ = std::move(own);
  }
  for (Request* r = &captain; r; r = r->next_) r->worked_ = true;
}

void Session::attempt(Request& captain) noexcept {
  FreshState fresh(true, captain.alone_, call_flags_);
  Frame frame(this, true);
  AccountScope pays(account_.get());
  StopScope stop(captain.flag_);
  try {
    run_together(captain);
    return;
  } catch (...) {
    if (captain.batch_count_ == 1) {
      captain.trouble_ = caught();
      captain.cause_ = frame.failed_with;
      return;
    }
  }
  // Only who fails alone fails.
  for (Request* r = &captain; r; r = r->next_) {
    try {
      r->found_.clear();
      frame.failed_with = Code::ok;
      if (captain.flag_.stopped.load()) fail(Code::cancelled, "the request was cancelled while it ran");
      r->found_ = captain.batch_model_->root->call_many(r->inputs_);
      check_rows(r->found_, r->rows_);
      r->worked_ = true;
    } catch (...) {
      r->found_.clear();
      r->trouble_ = caught();
      r->cause_ = frame.failed_with;
    }
  }
}

void Session::execute(Request& captain, bool worker) noexcept {
  const bool skipped = captain.flag_.stopped.load();
  if (!skipped) attempt(captain);
  Request* first = &captain;
  Ref<Model> model = std::move(captain.batch_model_);
  {
    Answered answered(*this, true);
    Lock lock(mutex_);
    if (!skipped) {
      ++counts_.batches;
      counts_.batched_requests += captain.batch_count_;
      batch_sizes_.add(double(captain.batch_count_));
    }
    for (Request* r = first; r; r = r->next_) {
      if (r->state_ == Request::State::answered) continue;
      if (r->worked_) {
        r->outputs_ = std::move(r->found_);
        if (r == first) signature_.learn(r->inputs_, r->outputs_, has_rows(options_));
      }
      const Code code = r->worked_ ? Code::ok : r->trouble_ ? r->trouble_->code : Code::out_of_memory;
      answer(*r, code, std::move(r->trouble_), answered);
    }
    std::erase(captains_, &captain);
    --running_;
    if (--model->batches == 0 && model != model_) idle_.notify_all();  // update() waits for it
    const int64_t now = now_ns();
    expire(now, answered);  // all threads of the session may be as busy as this one was
    pump(now, nullptr, worker && !answered.calls_back());
    if (is_idle()) idle_.notify_all();
  }
  // What the queue held of them goes, now that nobody looks at the batch. A batch may already be meant for this thread:
  // what a tensor's release calls must not wait for the session.
  Frame frame(this, true);
  while (first) {
    auto r = Ref<Request>::adopt(std::exchange(first, first->next_));
    r->inputs_.clear();
    r->found_.clear();
    r->trouble_.reset();
  }
  model = {};
}

}  // namespace haft::serve
