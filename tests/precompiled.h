// What nearly every test of the engine includes.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>

#include "core/precompiled_engine.h"
