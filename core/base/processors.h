#pragma once

namespace haft {

// Processors this process may use: its affinity mask, capped by the control group's quota. At least 1.
int processors();
// Moves the calling thread to another processor of its affinity mask, which stays as it is. False when it has
// fewer than `least` or the system refuses.
bool leave_processor(int least) noexcept;

}  // namespace haft
