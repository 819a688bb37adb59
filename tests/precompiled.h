// What nearly every test includes; precompiled once for the areas and once for capi.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>
