#pragma once

namespace haft {

// Processors this process may use: its affinity mask, capped by the control group's quota. At least 1.
int processors();

}  // namespace haft
