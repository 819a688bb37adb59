// What haft.distributed.rpc and haft.distributed.parameter_server need beside the classes of rpc.hpp and parameter_server.hpp: bytes,
// and plain values for structs. Included after python/dist.i.
%ignore haft::RpcOptions;
%ignore haft::Rpc::Rpc;
%ignore haft::Rpc::call;
%ignore haft::Future::bytes;
%ignore haft::RpcRequest::bytes;
%ignore haft::RpcRequest::reply;
%ignore haft::ParameterServer::ParameterServer;
%ignore haft::ParameterServer::info;
%ignore haft::share_memory;
%ignore haft::is_shared;
%ignore haft::shared_name;
%ignore haft::open_shared;
%include "haft/rpc.hpp"
%include "haft/parameter_server.hpp"
%{
namespace haft {
namespace python {
inline PyObject* given(const RpcRequest& r) {
  return SWIG_InternalNewPointerObj(new RpcRequest(r), SWIGTYPE_p_haft__RpcRequest, SWIG_POINTER_OWN);
}
inline bool rpc_function(PyObject* o, std::function<void(const RpcRequest&)>& out) {
  if (!PyCallable_Check(o)) {
    wrong_type("a callable", o);
    return false;
  }
  Held callable = hold(o);
  out = [callable](const RpcRequest& r) { called<void>([&] { return call(callable.get(), {given(r)}); }); };
  return true;
}
}
}
%}
%typemap(in) std::function<void(const haft::RpcRequest&)> (std::function<void(const haft::RpcRequest&)> callable) {
  if (!hp::rpc_function($input, callable)) SWIG_fail;
  $1 = callable;
}
%inline %{
namespace haft {
namespace python {
inline haft::Rpc make_rpc(const haft::Store& store, int rank, int size, const std::string& name, const std::string& host, int threads, int64_t timeout_us) {
  haft::RpcOptions o;
  o.threads = threads;
  o.timeout_us = timeout_us;
  if (!host.empty()) o.host = host.c_str();
  return haft::Rpc(store, rank, size, o, name);
}
inline void rpc_register(const haft::Rpc& rpc, const std::string& name, std::function<void(const haft::RpcRequest&)> f) { rpc.add_function(name, f); }
inline haft::Future rpc_call(const haft::Rpc& rpc, int to, const std::string& function, const std::vector<haft::Tensor>& tensors,
                             const haft::bindings::Bytes& bytes, int64_t timeout_us) {
  return rpc.call(to, function, tensors, bytes.bytes, timeout_us);
}
inline haft::bindings::Bytes future_bytes(const haft::Future& f) { return {f.bytes()}; }
/// Calls done with the status when the answer is there, on a thread of the agent.
inline void future_on_done(const haft::Future& f, std::function<void(std::int64_t)> done) {
  f.on_done([done](const haft::Future&, haft_status status) { done(status); });
}
inline haft::bindings::Bytes request_bytes(const haft::RpcRequest& r) { return {r.bytes()}; }
inline void request_reply(const haft::RpcRequest& r, const std::vector<haft::Tensor>& tensors, const haft::bindings::Bytes& bytes) { r.reply(tensors, bytes.bytes); }
inline haft::ParameterServer make_parameter_server(const haft::Rpc& rpc, int mode, int workers, const std::string& optimizer,
                                                   const std::vector<std::string>& names, const std::vector<double>& values, int64_t staleness,
                                                   const std::string& name, const std::string& snapshot) {
  return haft::ParameterServer(rpc, static_cast<haft::ServerMode>(mode), workers, optimizer, names, values, staleness, name, snapshot);
}
/// workers, version, slowest, fastest, waiting, parameters, elements, rows
inline std::vector<std::int64_t> parameter_server_numbers(const haft::ParameterServer& s) {
  const haft_parameter_server_info i = s.info();
  return {i.workers, i.version, i.slowest, i.fastest, i.waiting, i.parameters, i.elements, i.rows};
}
}
}
%}
