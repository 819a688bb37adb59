// Named ranges for haft.profiler.record_function: it opens and closes them itself.
%inline %{
namespace haft {
namespace python {
inline void profiler_push(const std::string& name) { check(haft_profiler_push(name.c_str())); }
inline void profiler_pop() { check(haft_profiler_pop()); }
}
}
%}
