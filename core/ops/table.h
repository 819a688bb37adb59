// Fills the table of operators from ops.def; a rule or gradient that is missing is a link error.
#pragma once

namespace haft {
void install_ops();  // core/init.cpp, once
}
