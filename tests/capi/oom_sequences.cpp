// Sequences of different lengths, packed and padded, under failing allocations.
#include "oom_cases.h"

namespace oom {

// Sequences of 3, 2 and 1 rows, and what they are packed into.
struct Sequences {
  Tensor padded, lengths, data, sizes, sorted, unsorted;
  Sequences() {
    const int64_t size[] = {3, 3, 2}, count[] = {3};
    must(haft_full(size, 3, haft_scalar_float(0.5), HAFT_FLOAT32, HAFT_DEVICE_CPU, &padded));
    const int64_t rows[] = {3, 2, 1};
    must(haft_tensor_from_data(rows, count, 1, HAFT_INT64, HAFT_DEVICE_CPU, &lengths));
  }
  haft_status pack() {
    return haft_pack_padded_sequence(padded, lengths, 0, 1, &data, &sizes, &sorted, &unsorted);
  }
};

void add_sequences(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_pack_padded_sequence", [](Attempt& a) {
    Sequences s;
    Tensor data(a), sizes(a), sorted(a), unsorted(a);
    a.run([&] {
      return haft_pack_padded_sequence(s.padded, s.lengths, 0, 0, &data, &sizes, &sorted, &unsorted);
    });
  });
  add("haft_pad_packed_sequence", [](Attempt& a) {
    Sequences s;
    must(s.pack());
    Tensor padded(a), lengths(a);
    a.run([&] {
      return haft_pad_packed_sequence(s.data, s.sizes, s.unsorted, 0, 0, HAFT_NONE, &padded, &lengths);
    });
  });
  add("haft_segment_reduce", [](Attempt& a) {
    Filled data;
    Tensor lengths, out(a);
    const int64_t rows[] = {1, 3}, count[] = {2};
    must(haft_tensor_from_data(rows, count, 1, HAFT_INT64, HAFT_DEVICE_CPU, &lengths));
    a.run([&] { return haft_segment_reduce(data, lengths, 0, haft_scalar_none(), &out); });
  });
  for (const bool packed : {true, false})
    add(packed ? "haft_unpack_sequence" : "haft_unpad_sequence", [packed](Attempt& a) {
      Sequences s;
      must(s.pack());
      haft_tensor* outs[3] = {};
      int64_t count = 0;
      const haft_status answer = a.run([&] {
        return packed ? haft_unpack_sequence(s.data, s.sizes, s.unsorted, outs, 3, &count)
                      : haft_unpad_sequence(s.padded, s.lengths, 0, outs, 3, &count);
      });
      if (answer == HAFT_OK)
        for (haft_tensor* t : outs) haft_tensor_release(t);
    });
}

}  // namespace oom
