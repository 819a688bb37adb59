// The engine's side of check_formats.py.
//   format_tool write FOLDER         one file of every kind, with contents that the script knows
//   format_tool read FILE            prints each array as: name, dtype, sizes, bytes in hexadecimal; names
//   are escaped format_tool resave FILE TO       reads safetensors and writes them again
#include <cstdio>
#include <iostream>

#include "core/base/error.h"
#include "core/io/arrays_file.h"
#include "core/io/checkpoint_file.h"
#include "core/io/chrome_trace.h"
#include "core/io/idx.h"
#include "core/io/npy.h"
#include "core/io/npz.h"
#include "core/io/safetensors.h"
#include "core/io/tensorboard.h"
#include "core/io/text.h"

using namespace haft;

namespace {

// Element i is i (booleans: i % 2), in every type; the script builds the same with NumPy.
struct Ramp {
  std::vector<uint8_t> bytes;
  ArrayRef ref;
  Ramp(std::string name, DType dtype, ArrayRef::Sizes sizes) {
    ref.name = std::move(name);
    ref.dtype = dtype;
    ref.sizes = std::move(sizes);
    HAFT_ASSERT(dense_bytes(ref.sizes, dtype, &ref.bytes));
    bytes.resize(size_t(ref.bytes));
    visit_dtype(dtype, [&]<class T>() {
      for (int64_t i = 0; i < ref.bytes / int64_t(sizeof(T)); ++i) {
        T v = T(float(dtype == DType::boolean ? i % 2 : i));
        std::copy_n(reinterpret_cast<const uint8_t*>(&v), sizeof v, bytes.data() + i * int64_t(sizeof v));
      }
    });
    ref.data = bytes.data();
  }
};

void write_all(const std::string& folder) {
  std::vector<Ramp> ramps;
  for (int t = 1; t <= int(DType::f64); ++t)
    for (auto& sizes :
         {ArrayRef::Sizes{}, ArrayRef::Sizes{0, 3}, ArrayRef::Sizes{5}, ArrayRef::Sizes{2, 3, 4}})
      ramps.emplace_back(concat(dtype_name(DType(t)), "_", int(sizes.size())), DType(t), sizes);
  std::vector<ArrayRef> refs;
  for (auto& r : ramps) {
    refs.push_back(r.ref);
    if (r.ref.dtype != DType::bf16) write_npy(folder + "/" + r.ref.name + ".npy", r.ref);
  }
  std::vector<ArrayRef> numpys;
  for (const ArrayRef& r : refs)
    if (r.dtype != DType::bf16) numpys.push_back(r);
  write_npz(folder + "/stored.npz", numpys, false);
  write_npz(folder + "/deflated.npz", numpys, true);
  write_safetensors(folder + "/all.safetensors", refs, {{"format", "pt"}, {"\"\\\n\xe2\x82\xac", "\x01"}});
  write_checkpoint(
      folder + "/c.safetensors",
      {{"optimizer",
        {{"lr", 0.1}, {"step", int64_t(1) << 60}, {"on", true}, {"name", std::string("\"sgd\"")}}}},
      refs);
  write_chrome_trace(folder + "/trace.json",
                     std::vector<TraceEvent>{{"mat\"mul", "op", 1234567, 1001, 7, {{"shape", "[2, 3]"}}}});

  EventWriter w(folder + "/events", {[] { return 1.7e9 + 0.5; }, "host"});
  for (int i = 0; i < 5; ++i) w.add_scalar("loss/train", 2.5f / float(i + 1), i * 1000000000LL);
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i * 0.01 - 5);
  w.add_histogram("w\xc3\xa9ights", values, 7);
}

void print(const ArrayRef& a) {
  std::string line;
  append_json_string(line, a.name);
  line += concat("\t", dtype_name(a.dtype), "\t", a.sizes, "\t");
  static const char hex[] = "0123456789abcdef";
  for (int64_t i = 0; i < a.bytes; ++i) {
    uint8_t b = static_cast<const uint8_t*>(a.data)[i];
    line += hex[b >> 4];
    line += hex[b & 15];
  }
  std::puts(line.c_str());
}

void read_any(const std::string& path) {
  if (path.ends_with(".npy")) return print(read_npy(path));
  if (path.ends_with(".safetensors") || path.ends_with(".npz") || path.ends_with(".pt")) {
    auto file = open_arrays(path);
    for (size_t i = 0; i < file->names().size(); ++i) {
      Array a = file->read(int64_t(i));
      a.name = file->names()[i];
      print(a);
    }
    return;
  }
  print(read_idx(path));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string what = argc > 2 ? argv[1] : "";
    if (what == "write") {
      write_all(argv[2]);
    } else if (what == "read") {
      read_any(argv[2]);
    } else if (what == "resave" && argc > 3) {
      Safetensors s = read_safetensors(argv[2]);
      write_safetensors(argv[3], std::vector<ArrayRef>(s.arrays.begin(), s.arrays.end()), s.metadata);
    } else {
      return std::fputs("format_tool write FOLDER | read FILE | resave FILE TO\n", stderr), 2;
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "error %d: %s\n", int(e.code), e.message.c_str());
    return 1;
  }
  return 0;
}
