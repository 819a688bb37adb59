#include "core/dist/recorder.h"

#include "core/base/sync.h"
#include "core/io/text.h"

namespace haft::dist {

std::string json_text(std::string_view s) {
  std::string r = "\"";
  append_json_escaped(r, s);
  return r + '"';
}

uint64_t Recorder::add(const Header& call, int peer, int32_t tag) {
  std::lock_guard lock(mutex_);
  if (!entries_) entries_ = std::make_unique<std::array<Entry, kKept>>();
  Entry& e = (*entries_)[count_ % kKept];
  e = {call, peer, tag, State::issued, {now_ns(), 0, 0, 0}};
  return count_++;
}

void Recorder::set(uint64_t number, State state) {
  std::lock_guard lock(mutex_);
  if (count_ - number > kKept) return;  // written over
  Entry& e = (*entries_)[number % kKept];
  e.state = state;
  e.at[int(state)] = now_ns();
}

std::string Recorder::json(const std::string& about) const {
  static constexpr const char* states[] = {"issued", "started", "finished", "failed"};
  std::lock_guard lock(mutex_);
  std::string r = concat("{", about, ", \"now_ns\": ", now_ns(), ", \"entries\": [");
  for (uint64_t i = count_ > kKept ? count_ - kKept : 0; i < count_; ++i) {
    const Entry& e = (*entries_)[i % kKept];
    const bool direct = e.call.kind == Kind::send || e.call.kind == Kind::recv;
    r += concat(r.back() == '[' ? "" : ",", "\n{\"record\": ", i, ", \"call\": \"", kind_name(e.call.kind),
                "\"");
    if (direct)
      r += concat(", \"peer\": ", e.peer, ", \"tag\": ", e.tag);
    else
      r += concat(", \"seq\": ", e.call.seq, ", \"root\": ", e.call.root);
    if (e.call.dtype != DType::none)
      r += concat(", \"dtype\": \"", dtype_name(e.call.dtype),
                  "\", \"sizes\": ", IntList(e.call.sizes, e.call.ndim), ", \"reduce\": \"",
                  reduce_name(e.call.reduce), "\"");
    r += concat(", \"state\": \"", states[int(e.state)], "\"");
    for (int s = 0; s < 4; ++s)
      if (e.at[s]) r += concat(", \"", states[s], "_ns\": ", e.at[s]);
    r += "}";
  }
  return r + "\n]}\n";
}

}  // namespace haft::dist
