/* The shapes of bench/kernels.c and bench/peer/direct.cpp; bench/peer/kernels.py lists the same. */
#ifndef HAFT_BENCH_SHAPES_H
#define HAFT_BENCH_SHAPES_H
#include <stdint.h>

/* (m, k) x (k, n): squares, matrix-vector, the MLP's and the CNN's layers, a transformer's. */
static const int64_t kMatmul[][3] = {
    {32, 32, 32},       {64, 64, 64},       {128, 128, 128},  {256, 256, 256},  {512, 512, 512},
    {1024, 1024, 1024}, {2048, 2048, 2048}, {1024, 1024, 1},  {4096, 4096, 1},  {64, 784, 128},
    {64, 128, 10},      {64, 9216, 128},    {1, 768, 768},    {1, 768, 3072},   {1, 3072, 768},
    {32, 768, 768},     {32, 768, 3072},    {32, 3072, 768},  {128, 768, 768},  {128, 768, 3072},
    {128, 3072, 768},   {512, 768, 768},    {512, 768, 3072}, {512, 3072, 768},
};
enum { kMatmuls = sizeof(kMatmul) / sizeof(kMatmul[0]) };

/* ResNet-18 on 3x32x32 images, batch 32. */
struct conv_shape {
  const char* name;
  int64_t in, out, side, kernel, stride, padding;
};
static const struct conv_shape kConv[] = {
    {"stem", 3, 64, 32, 3, 1, 1},  {"l1", 64, 64, 32, 3, 1, 1},   {"l2a", 64, 128, 32, 3, 2, 1},
    {"l2d", 64, 128, 32, 1, 2, 0}, {"l2", 128, 128, 16, 3, 1, 1}, {"l3a", 128, 256, 16, 3, 2, 1},
    {"l3", 256, 256, 8, 3, 1, 1},  {"l4a", 256, 512, 8, 3, 2, 1}, {"l4", 512, 512, 4, 3, 1, 1},
};
enum { kConvs = sizeof(kConv) / sizeof(kConv[0]), kConvBatch = 32 };

#endif
