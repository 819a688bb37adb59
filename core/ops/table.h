// Fills the table of operators from ops.def; a rule or gradient that is missing is a link error.
#pragma once
#include "core/dispatch/op_table.h"
#include "core/schema/signature.h"

namespace haft {

void install_ops();  // core/init.cpp, once
// Fails where a call or the tape has no room for what the operator's line or its gradient names.
void check_fits_tape(const OpInfo& op, const Signature& s);

}  // namespace haft
