// Short-time Fourier transforms: frames of a signal times a window.
#include <cmath>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"

namespace haft::ops {

namespace {

// What both directions are told, with defaults filled in.
struct Frames {
  const char* op;
  int64_t n_fft, hop, length;
  Tensor window;  // (n_fft), undefined where there is none

  Frames(const char* name, int64_t n, int64_t hop_length, int64_t win_length, const Tensor& given)
      : op(name),
        n_fft(n),
        hop(hop_length == kNone ? std::max<int64_t>(1, n / 4) : hop_length),
        length(win_length == kNone ? n : win_length) {
    if (n_fft < 1) refuse(concat("n_fft must be positive, got ", n_fft), "n_fft");
    if (hop < 1) refuse(concat("hop_length must be positive, got ", hop), "hop_length");
    if (length < 1 || length > n_fft)
      refuse(concat("win_length must be 1 to n_fft = ", n_fft, ", got ", length), "win_length");
    if (!given.defined()) return;
    if (given.ndim() != 1 || given.size(0) != length)
      refuse(concat("window must have shape [", length, "], got ", given.sizes()), "window");
    if (!is_float(given.dtype()))
      fail(Code::dtype, concat("[", op, "] window must be floating, got ", dtype_name(given.dtype())), {},
           "window");
    window = centred(given);
  }
  // The window in the type in which it and numbers whose parts are of type t meet; of ones where none was given.
  Tensor window_for(DType t, Device d) const {
    return window.defined() ? as_dtype(window, promote(window.dtype(), t))
                            : centred(ones(Shape{length}, t, d));
  }
  [[noreturn]] void refuse(std::string what, const char* argument) const {
    fail(Code::invalid_argument, concat("[", op, "] ", what), {}, argument);
  }

 private:
  // Zeros on both sides of what is shorter than a frame.
  Tensor centred(const Tensor& w) const {
    const int64_t before = (n_fft - length) / 2;
    if (length == n_fft) return w;
    const Tensor parts[] = {zeros(Shape{before}, w.dtype(), w.device()), w,
                            zeros(Shape{n_fft - length - before}, w.dtype(), w.device())};
    return cat(parts, 0);
  }
};

}  // namespace

Tensor stft(const Tensor& input, int64_t n_fft, int64_t hop_length, int64_t win_length, const Tensor& window,
            bool center, int64_t pad_mode, bool normalized, bool onesided) {
  const Frames f("stft", n_fft, hop_length, win_length, window);
  const bool batch = input.ndim() == 2, is_real = !is_complex(input.dtype());
  if (input.ndim() != 1 && !batch)
    fail(Code::shape, concat("[stft] takes a signal (T) or (B, T), got shape ", input.sizes()), {}, "input");
  if (is_real && !is_float(input.dtype()))
    fail(Code::dtype, concat("[stft] input must be floating or complex, got ", dtype_name(input.dtype())),
         "cast it to float32", "input");
  if (onesided && !is_real) f.refuse("onesided is of real signals; pass false for complex ones", "onesided");
  Tensor x = batch ? input : unsqueeze(input, 0);
  if (center) x = pad(x, Shape{n_fft / 2, n_fft / 2}, pad_mode, 0.0);
  if (x.size(1) < n_fft)
    f.refuse(concat("n_fft is ", n_fft, ", the signal, with its padding, only ", x.size(1), " long"),
             "n_fft");
  x = unfold(x, 1, n_fft, f.hop);  // (B, frames, n_fft)
  if (f.window.defined() || f.length < n_fft) x = x * f.window_for(real_dtype(x.dtype()), x.device());
  const int64_t norm = normalized ? 1 : 0;
  Tensor y = transpose(onesided ? fft_rfft(x, kNone, -1, norm) : fft_fft(x, kNone, -1, norm), 1, 2);
  return batch ? y : squeeze(y, 0);
}

Tensor istft(const Tensor& input, int64_t n_fft, int64_t hop_length, int64_t win_length, const Tensor& window,
             bool center, bool normalized, bool onesided, int64_t length, bool return_complex) {
  const Frames f("istft", n_fft, hop_length, win_length, window);
  const bool batch = input.ndim() == 3;
  const int64_t rows = onesided ? n_fft / 2 + 1 : n_fft;
  if (!is_complex(input.dtype()))
    fail(Code::dtype, concat("[istft] input must be complex, got ", dtype_name(input.dtype())),
         "view_as_complex() takes pairs", "input");
  if ((input.ndim() != 2 && !batch) || input.size(-2) != rows || input.numel() == 0)
    fail(Code::shape,
         concat("[istft] takes (", rows, ", frames) or (B, ", rows, ", frames), got shape ", input.sizes()),
         {}, "input");
  if (onesided && return_complex) f.refuse("return_complex goes with onesided = false", "return_complex");
  const Tensor spectra = transpose(batch ? input : unsqueeze(input, 0), 1, 2);  // (B, frames, rows)
  const int64_t norm = normalized ? 1 : 0, frames = spectra.size(1), first = center ? n_fft / 2 : 0;
  int64_t total, last;
  if (__builtin_mul_overflow(f.hop, frames - 1, &total) || __builtin_add_overflow(total, n_fft, &total))
    f.refuse(concat("hop_length is ", f.hop, ", too much for ", frames, " frames"), "hop_length");
  if (__builtin_add_overflow(first, length == kNone ? 0 : length, &last))
    f.refuse(concat("length is ", length, ", more than any tensor has"), "length");
  if (length == kNone) last = center ? total - n_fft / 2 : total;
  if (last <= first) f.refuse("no sample is left", "length");
  Tensor x = onesided ? fft_irfft(spectra, n_fft, -1, norm) : fft_ifft(spectra, kNone, -1, norm);
  if (!onesided && !return_complex) x = real(x);
  const Tensor w = f.window_for(real_dtype(x.dtype()), x.device());
  // Where each number of each frame stands in the signal.
  const Tensor steps = unsqueeze(arange(0, frames, 1, DType::i64, x.device()), 1);
  const Tensor at =
      reshape(add(mul_scalar(steps, f.hop), arange(0, n_fft, 1, DType::i64, x.device())), Shape{-1});
  auto overlapped = [&](const Tensor& y) {
    const Tensor flat = reshape(y, Shape{y.size(0), -1});
    return index_add(zeros(Shape{y.size(0), total}, y.dtype(), y.device()), 1, at, flat);
  };
  const Tensor sum = overlapped(x * w);
  const Tensor weight = overlapped(expand(square(w), Shape{1, frames, n_fft}));
  const int64_t end = std::min(last, total);
  const Tensor below = slice(weight, 1, first, end);
  if (item(amin(detach(below))).to_double() <= 1e-11)
    f.refuse("some samples are under no window: its overlapping squares add up to 0 there", "window");
  Tensor y = slice(sum, 1, first, end) / below;
  if (last > end) {
    const Tensor both[] = {y, zeros(Shape{y.size(0), last - end}, y.dtype(), y.device())};
    y = cat(both, 1);
  }
  return batch ? y : squeeze(y, 0);
}

}  // namespace haft::ops
