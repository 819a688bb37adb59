// haft-doctor: what haft finds on this machine, and what it does not find and why. Programs see the same through
// haft_describe and haft_device_describe.
#include <haft/haft.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

// The text of a function that answers with a size first.
template <class F>
std::string text_of(F f) {
  int64_t needed = 0;
  std::string s;
  if (f(nullptr, 0, &needed) == HAFT_OK) {
    s.resize(size_t(needed));
    if (f(s.data(), needed, nullptr) != HAFT_OK) s.clear();
    s.resize(std::strlen(s.c_str()));
  }
  return s.empty() ? std::string("haft does not say: ") + haft_error_get_message() : s;
}

constexpr char kUsage[] =
    "usage: haft-doctor [TYPE]\n"
    "Says what haft finds on this machine: its own file, the processors, and the devices of TYPE (cuda) with "
    "their driver and libraries,\n"
    "or why there are none. Exit status: 0, or 1 when there is no device of TYPE.\n"
    "HAFT_BACKEND_PATH names folders of plug-ins, HAFT_CUDA_LIB_PATH folders of NVIDIA's libraries.\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    const bool asked = argc == 2 && (!std::strcmp(argv[1], "-h") || !std::strcmp(argv[1], "--help"));
    std::fputs(kUsage, asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  const char* type = argc == 2 ? argv[1] : "cuda";
  std::printf("%s\n", text_of(haft_describe).c_str());
  int32_t count = 0;
  if (haft_device_get_count(type, &count) != HAFT_OK) {
    std::fprintf(stderr, "%s\n", haft_error_get_message());
    return 2;
  }
  for (int32_t i = 0; i < count; ++i) {
    haft_device device = 0;
    const std::string name = std::string(type) + ":" + std::to_string(i);
    if (haft_device_parse(name.c_str(), &device) != HAFT_OK) {
      std::printf("\n%s: %s\n", name.c_str(), haft_error_get_message());
      continue;
    }
    std::printf("\n%s\n", text_of([&](char* b, int64_t n, int64_t* needed) {
                            return haft_device_describe(device, b, n, needed);
                          }).c_str());
  }
  return count > 0 ? 0 : 1;
}
