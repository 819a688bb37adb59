// What haft.distributed needs beside the classes of process_group.hpp: plain values for structs.
// Included after the classes of haft.hpp.
%ignore haft::ProcessGroup::info;
%ignore haft::ProcessGroupOptions;
%ignore haft::ProcessGroup::ProcessGroup;
%include "haft/process_group.hpp"
%inline %{
namespace haft {
namespace python {
inline haft::ProcessGroup make_group(const haft::Store& store, int rank, int size, const std::string& engine, const std::string& name, int64_t timeout_us) {
  haft::ProcessGroupOptions o;
  o.timeout_us = timeout_us;
  if (!engine.empty()) o.engine = engine.c_str();
  return haft::ProcessGroup(store, rank, size, o, name);
}
/// failure (0: none), culprit, issued, finished
inline std::vector<std::int64_t> group_numbers(const haft::ProcessGroup& g) {
  const haft_process_group_info i = g.info();
  return {i.failure, i.culprit, i.issued, i.finished};
}
inline std::string group_engine(const haft::ProcessGroup& g) { return g.info().engine; }
/// Calls done with the status when the work is done, on the thread that finds it so.
inline void work_on_done(const haft::Work& work, std::function<void(std::int64_t)> done) {
  work.on_done([done](const haft::Work&, haft_status status) { done(status); });
}
}
}
%}
