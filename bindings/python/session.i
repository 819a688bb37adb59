// What haft.serving needs beside the classes of session.hpp: callbacks of requests, and the token of a thread.
%inline %{
namespace haft {
namespace python {
/// The token that this thread's operators obey from now on; None: none.
inline void set_cancel_token(const haft::CancelToken* token) { check(haft_set_cancel_token(token ? token->get() : nullptr)); }
/// Calls done with the status of the answer, on the thread that answers.
inline haft::Request submit_with(const haft::Session& session, const std::vector<haft::Tensor>& inputs, std::function<void(std::int64_t)> done,
                                 int64_t timeout_us) {
  return session.submit(inputs, [done](const haft::Request&, haft_status status) { done(status); }, timeout_us);
}
}
}
%}
// A checkpoint as the engine reads it, for tests of the files that haft.io writes.
%inline %{
namespace haft {
namespace python {
inline haft::io::Checkpoint load_parts(const std::string& path, const haft::nn::Module& module) {
  haft::io::CheckpointParts parts;
  parts.module = module.get();
  return haft::io::Checkpoint(path, parts);
}
}
}
%}
