// A tool as NVTX puts in those of NVIDIA's: it writes down which ranges a program opens and closes.
#include <nvtx3/nvToolsExt.h>

#include <string>

namespace {

std::string seen;

int NVTX_API push(const char* name) { return seen += std::string("(") + name, 0; }
int NVTX_API pop() { return seen += ")", 0; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* ranges_seen() { return seen.c_str(); }

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t find) {
  const auto* tables = static_cast<const NvtxExportTableCallbacks*>(find(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable core = nullptr;
  unsigned size = 0;
  if (!tables || !tables->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core, &size)) return 0;
  *core[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(&push);
  *core[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(&pop);
  return 1;
}
