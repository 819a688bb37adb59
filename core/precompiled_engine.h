// What nearly every file from ops upward includes anyway; precompiled once for all of them.
#pragma once
#include "core/precompiled.h"

#include "core/ops/functions.h"
#include "core/tape/tape.h"
