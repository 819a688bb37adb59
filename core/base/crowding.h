// Whether others want the processor that a thread runs on, as the thread itself can tell.
#pragma once

namespace haft {

// True for a while after the system kept the calling thread, or another that asked, from its processor for a
// good part of the time: then waiting actively only spends a share of the processors that the work needs.
// Always false where the system does not tell (/proc/thread-self/schedstat). Cheap: it looks once a
// millisecond.
bool crowded() noexcept;

}  // namespace haft
