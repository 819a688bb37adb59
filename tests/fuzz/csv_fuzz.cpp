#include "core/io/csv.h"

#include "tests/fuzz/fuzz.h"

using namespace haft;

std::vector<std::string> fuzz_seeds() {
  return {"1,2.5,-3e4\n4,5,6\n", "1;2;3\r\n\r\n\"7\" ; +8;nan\n",
          "\xef\xbb\xbf"
          "0,1\n2,inf",
          "a,b\n1,2\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const CsvOptions& options :
       {CsvOptions(), CsvOptions{';', 1, -1, true}, CsvOptions{',', 0, 0, false}}) {
    CsvTable t;
    if (!accepts([&] { t = parse_csv({reinterpret_cast<const char*>(data), size}, "fuzz", options); }))
      continue;
    FUZZ_CHECK(t.rows > 0 && int64_t(t.values.size()) == t.rows * t.columns);
    const size_t labels = options.label_column == CsvOptions::kNoLabel ? 0 : size_t(t.rows);
    FUZZ_CHECK(t.whole_labels.size() + t.labels.size() == labels);
  }
  return 0;
}
