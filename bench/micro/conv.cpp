// Our convolution kernels against oneDNN's best layout called directly (direct algorithm, whole batch,
// weights packed beforehand). usage: conv [threads] [batch] [frozen]: with frozen weights ours are packed
// once as well
#include <oneapi/dnnl/dnnl.h>

#include <cstdlib>
#include <cstring>

#include "bench/micro/measure.h"
#include "core/cpu/conv.h"
#include "core/cpu/conv_plan.h"
#include "core/cpu/layout.h"
#include "core/schema/op_id.h"

namespace haft::cpu {
void k_conv2d(const haft_kernel_call&);
void k_conv2d_input(const haft_kernel_call&);
void k_conv2d_weight(const haft_kernel_call&);
}  // namespace haft::cpu

using namespace haft;
using namespace haft::cpu;
extern "C" void omp_set_num_threads(int) __attribute__((weak));

namespace {

struct Tensor {
  HostBuffer memory;
  haft_tensor_view view{};
  Tensor(std::initializer_list<int64_t> size, uint8_t layout) {
    view.dtype = HAFT_FLOAT32;
    view.ndim = uint8_t(size.size());
    view.layout = layout;
    view.contiguous = layout == HAFT_LAYOUT_STRIDED;
    view.numel = 1;
    int d = 0;
    for (int64_t s : size) view.sizes[d++] = s, view.numel *= s;
    for (int64_t stride = 1; d-- > 0; stride *= view.sizes[d]) view.strides[d] = stride;
    memory = HostBuffer(view.numel * 4);
    for (int64_t i = 0; i < view.numel; ++i) memory.as<float>()[i] = float(i * 2654435761u % 2001) / 1000 - 1;
    view.data = memory.data();
  }
};

void call(void (*kernel)(const haft_kernel_call&), const Tensor& a, const Tensor& b, const Tensor* c,
          Tensor& out, std::span<const uint64_t> attrs) {
  const haft_tensor_view* in[] = {&a.view, &b.view, c ? &c->view : nullptr};
  const haft_tensor_view* result[] = {&out.view};
  haft_kernel_call k{};
  k.n_in = 3;
  k.n_out = 1;
  k.in = in;
  k.out = result;
  k.attrs = attrs.data();
  kernel(k);
}

// oneDNN by itself with its own threads: direct convolution of the whole batch.
double direct(const ConvShape& s, ConvPass pass, int threads, const Tensor& x, const Tensor& y) {
  int64_t xd[] = {s.n, s.c, s.h, s.w}, wd[] = {s.o, s.c, s.kh, s.kw}, yd[] = {s.n, s.o, s.oh, s.ow};
  int64_t stride[] = {s.sh, s.sw}, dilation[] = {0, 0}, pad[] = {s.ph, s.pw};
  dnnl_memory_desc_t mx, mw, my;
  dnnl_memory_desc_init_by_tag(&mx, 4, xd, dnnl_f32, dnnl_format_tag_any);
  dnnl_memory_desc_init_by_tag(&mw, 4, wd, dnnl_f32, dnnl_format_tag_any);
  dnnl_memory_desc_init_by_tag(&my, 4, yd, dnnl_f32, dnnl_format_tag_any);
  dnnl_convolution_desc_t f, b;
  dnnl_dilated_convolution_forward_desc_init(&f, dnnl_forward_training, dnnl_convolution_direct, &mx, &mw,
                                             nullptr, &my, stride, dilation, pad, pad);
  dnnl_primitive_desc_t hint = nullptr, pd = nullptr;
  dnnl_primitive_desc_create(&hint, &f, nullptr, dnnl_cpu_engine(), nullptr);
  if (pass == ConvPass::forward) {
    pd = hint;
  } else {
    if (pass == ConvPass::input)
      dnnl_dilated_convolution_backward_data_desc_init(&b, dnnl_convolution_direct, &mx, &mw, &my, stride,
                                                       dilation, pad, pad);
    else
      dnnl_dilated_convolution_backward_weights_desc_init(&b, dnnl_convolution_direct, &mx, &mw, nullptr, &my,
                                                          stride, dilation, pad, pad);
    dnnl_primitive_desc_create(&pd, &b, nullptr, dnnl_cpu_engine(), hint);
  }
  int ids[] = {pass == ConvPass::input ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
               pass == ConvPass::weight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
               pass == ConvPass::forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST};
  const dnnl_memory_desc_t* wm = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, ids[1]);
  HostBuffer w{int64_t(dnnl_memory_desc_get_size(wm))};
  std::memset(w.data(), 0, size_t(w.size()));
  void* data[] = {x.view.data, w.data(), y.view.data};
  dnnl_exec_arg_t args[3];
  for (int i = 0; i < 3; ++i) {
    args[i].arg = ids[i];
    dnnl_memory_create(&args[i].memory, dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, ids[i]),
                       dnnl_cpu_engine(), data[i]);
  }
  dnnl_primitive_t p = nullptr;
  dnnl_primitive_create(&p, pd);
  dnnl_stream_t stream = nullptr;
  dnnl_stream_create(&stream, dnnl_cpu_engine(), dnnl_stream_default_flags);
  return bench::measure(threads, [&] { dnnl_primitive_execute(p, stream, 3, args); });
}

}  // namespace

int main(int argc, char** argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  int64_t batch = argc > 2 ? std::atoi(argv[2]) : 32;
  bool frozen = argc > 3;
  set_num_threads(threads);
  if (omp_set_num_threads) omp_set_num_threads(threads);
  struct Layer {
    const char* name;
    int64_t c, o, h, k, stride, pad;
  };
  const Layer layers[] = {{"lenet 1", 1, 32, 28, 3, 1, 0},       {"lenet 2", 32, 64, 26, 3, 1, 0},
                          {"cifar 1", 3, 64, 32, 3, 1, 1},       {"cifar l1", 64, 64, 32, 3, 1, 1},
                          {"cifar l2.ds", 64, 128, 32, 1, 2, 0}, {"cifar l2.a", 64, 128, 32, 3, 2, 1},
                          {"cifar l2", 128, 128, 16, 3, 1, 1},   {"cifar l3.a", 128, 256, 16, 3, 2, 1},
                          {"cifar l3", 256, 256, 8, 3, 1, 1},    {"cifar l4.a", 256, 512, 8, 3, 2, 1},
                          {"cifar l4", 512, 512, 4, 3, 1, 1}};
  std::printf("%d thread(s), batch %d, ms: ours / oneDNN direct (factor) for forward, input, weight\n",
              threads, int(batch));
  for (const Layer& l : layers) {
    int64_t oh = (l.h + 2 * l.pad - l.k) / l.stride + 1;
    ConvShape s{batch, l.c, l.h, l.h, l.o, oh, oh, l.k, l.k, l.stride, l.stride, l.pad, l.pad, 1, 1, 1};
    auto layout = [&](int64_t channels) {
      const int64_t sizes[] = {s.n, channels, 1, 1};
      return uint8_t(cpu::preferred_layout(uint32_t(OpId::conv2d), int32_t(DType::f32), sizes, 4));
    };
    Tensor x({s.n, s.c, s.h, s.w}, layout(s.c)), y({s.n, s.o, s.oh, s.ow}, layout(s.o));
    Tensor w({s.o, s.c, s.kh, s.kw}, HAFT_LAYOUT_STRIDED), bias({s.o}, HAFT_LAYOUT_STRIDED);
    if (frozen) w.view.version_key = uint64_t(&l - layers) + 1;
    std::vector<int64_t> xs{s.n, s.c, s.h, s.w}, ws{s.o, s.c, s.kh, s.kw}, st{s.sh, s.sw}, pa{s.ph, s.pw},
        di{1, 1};
    auto sp = [](const std::vector<int64_t>& v) { return std::span<const int64_t>(v); };
    AttrWriter f, gi, gw;
    auto fa = f.add(sp(st)).add(sp(pa)).add(sp(di)).add(int64_t(1)).finish();
    auto ia = gi.add(sp(xs)).add(sp(st)).add(sp(pa)).add(sp(di)).add(int64_t(1)).finish();
    auto wa = gw.add(sp(ws)).add(sp(st)).add(sp(pa)).add(sp(di)).add(int64_t(1)).finish();
    double ours[3] = {bench::measure(threads, [&] { call(k_conv2d, x, w, &bias, y, fa); }), 0, 0};
    if (l.c > 3) ours[1] = bench::measure(threads, [&] { call(k_conv2d_input, y, w, nullptr, x, ia); });
    ours[2] = bench::measure(threads, [&] { call(k_conv2d_weight, y, x, nullptr, w, wa); });
    std::printf("%-12s", l.name);
    for (int pass = 0; pass < 3; ++pass) {
      if (ours[pass] == 0) {
        std::printf("  %23s", "");
        continue;
      }
      double theirs = direct(s, ConvPass(pass), threads, x, y);
      std::printf("  %7.3f / %7.3f (%.2f)", ours[pass] * 1e3, theirs * 1e3, theirs / ours[pass]);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}
