// Models over several ranks, calls between processes, parameter servers.
HAFT_HANDLE(haft::DeviceMesh, DeviceMesh, haft_device_mesh_release, HaftCs_release_device_mesh)
HAFT_HANDLE(haft::Pipeline, Pipeline, haft_pipeline_release, HaftCs_release_pipeline)
HAFT_HANDLE(haft::Rpc, Rpc, haft_rpc_release, HaftCs_release_rpc)
HAFT_HANDLE(haft::RpcRequest, RpcRequest, haft_rpc_request_release, HaftCs_release_rpc_request)
HAFT_HANDLE(haft::Future, RpcFuture, haft_future_release, HaftCs_release_future)
HAFT_HANDLE(haft::ParameterServer, ParameterServer, haft_parameter_server_release, HaftCs_release_parameter_server)
HAFT_HANDLE(haft::ParameterClient, ParameterClient, haft_parameter_client_release, HaftCs_release_parameter_client)
HAFT_HANDLE(haft::FullySharded, FullySharded, haft_fully_sharded_release, HaftCs_release_fully_sharded)
%rename(Dissolve) haft::FullySharded::close;
HAFT_HIDDEN(haft::FullySharded::set_reshard_after_forward, ReshardAfterForward)
HAFT_HIDDEN(haft::FullySharded::before_forward, BeforeForward)
HAFT_HIDDEN(haft::FullySharded::after_forward, AfterForward)
%rename(RpcFuture) haft::Future;
%typemap(csclassmodifiers) haft::RpcRequest, haft::Future "internal partial class"

%typemap(ctype) std::vector<double> "void *"
%typemap(imtype, out="global::System.IntPtr") std::vector<double> "double[]"
%typemap(cstype) std::vector<double> "double[]"
%typemap(out, null="0") std::vector<double> %{ $result = haft::csharp::give_doubles(*(&$1)); %}
%typemap(csout, excode=SWIGEXCODE) std::vector<double> {
    global::System.IntPtr ret = $imcall;$excode
    return global::System.Array.ConvertAll(HandleBlock.Numbers(ret), global::System.BitConverter.Int64BitsToDouble);
  }

HAFT_HIDDEN(haft::DeviceMesh::ndim, GetNDim)
HAFT_HIDDEN(haft::Rpc::port, GetPort)
%rename(Abort) haft::Rpc::kill;

// Classes of functions, of the assembly only.
%define HAFT_FUNCTIONS(CPP)
%nodefaultctor CPP;
%nodefaultdtor CPP;
%typemap(csclassmodifiers) CPP "internal static class"
%typemap(csbody) CPP ""
%typemap(csinterfaces) CPP ""
%typemap(csdispose) CPP ""
%typemap(csdisposing, methodname="Nothing", methodmodifiers="private", parameters="") CPP ""
%enddef
HAFT_FUNCTIONS(haft::bindings::ParallelCalls)
HAFT_FUNCTIONS(haft::bindings::ShardingCalls)
HAFT_FUNCTIONS(haft::bindings::AsynchronousCalls)
HAFT_FUNCTIONS(haft::bindings::ShardedCheckpoints)
%define HAFT_PLACES(NAME)
HAFT_FUNCTIONS(haft::bindings::NAME)
%enddef
%rename("%s") haft::bindings::MemoryPlaces::reserved;  // other fields of that name are left out

HAFT_CALLBACK(RpcCallback)
HAFT_CALLBACK(FutureCallback)
HAFT_INTERNAL(haft::bindings::rpc_register)
HAFT_INTERNAL(haft::bindings::future_on_done)
