// What every family of records includes.
#pragma once
#include "tests/precompiled.h"

#include "tests/ops/record.h"
