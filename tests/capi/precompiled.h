// What nearly every test of the C interface includes.
#pragma once
#include <gtest/gtest.h>
#include <haft/haft.hpp>

#include <atomic>
#include <cmath>
#include <thread>
