// What only Python's haft.distributed needs.
%inline %{
namespace haft {
namespace python {
/// Calls done with the status when the work is done, on the thread that finds it so.
inline void work_on_done(const haft::Work& work, std::function<void(std::int64_t)> done) {
  work.on_done([done](const haft::Work&, haft_status status) { done(status); });
}
}
}
%}
