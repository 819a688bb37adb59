// What nearly every test includes.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>
