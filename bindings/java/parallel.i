// Models over several ranks, calls between processes, parameter servers.
%typemap(jni) std::vector<double> "jdoubleArray"
%typemap(jtype) std::vector<double> "double[]"
%typemap(jstype) std::vector<double> "double[]"
%typemap(javaout) std::vector<double> { return $jnicall; }
%typemap(out) std::vector<double> %{ $result = haft::java::doubles(jenv, *(&$1)); %}

HANDLE(haft::DeviceMesh, LentDeviceMesh, DeviceMesh, DeviceMesh)
HANDLE(haft::Pipeline, LentPipeline, Pipeline, Pipeline)
HANDLE(haft::Rpc, LentRpc, Rpc, Rpc)
HANDLE(haft::RpcRequest, LentRpcRequest, RpcRequest, RpcRequest)
HANDLE(haft::Future, LentFuture, Future, RpcFuture)
HANDLE(haft::ParameterServer, LentParameterServer, ParameterServer, ParameterServer)
HANDLE(haft::ParameterClient, LentParameterClient, ParameterClient, ParameterClient)
HANDLE(haft::FullySharded, LentFullySharded, FullySharded, FullySharded)
%rename(FullyShardedOperators) haft::FullySharded;
%rename(dissolveNow) haft::FullySharded::close;
%rename(unshardNow) haft::FullySharded::unshard;
%rename(gathered) haft::FullySharded::before_forward;
%rename(givenBack) haft::FullySharded::after_forward;
%javamethodmodifiers haft::FullySharded::close "/* of the package */";
%javamethodmodifiers haft::FullySharded::unshard "/* of the package */";
%javamethodmodifiers haft::FullySharded::before_forward "/* of the package */";
%javamethodmodifiers haft::FullySharded::after_forward "/* of the package */";
%javamethodmodifiers haft::FullySharded::set_reshard_after_forward "/* of the package */";
%rename(DeviceMeshOperators) haft::DeviceMesh;
%rename(PipelineOperators) haft::Pipeline;
%rename(RpcOperators) haft::Rpc;
%rename(RpcRequestOperators) haft::RpcRequest;
%rename(FutureOperators) haft::Future;
%rename(ParameterServerOperators) haft::ParameterServer;
%rename(ParameterClientOperators) haft::ParameterClient;
%typemap(javaclassmodifiers) haft::RpcRequest, haft::Future "abstract class"
%rename(abort) haft::Rpc::kill;

// Classes of functions, of the package only.
%define PACKAGE_FUNCTIONS(CPP)
%nodefaultctor CPP;
%nodefaultdtor CPP;
%typemap(javaclassmodifiers) CPP "final class"
%typemap(javabody) CPP "  private $javaclassname() {}\n"
%typemap(javafinalize) CPP ""
%typemap(javadestruct, methodname="close", methodmodifiers="private") CPP ""
%enddef
PACKAGE_FUNCTIONS(haft::bindings::ParallelCalls)
PACKAGE_FUNCTIONS(haft::bindings::ShardingCalls)
PACKAGE_FUNCTIONS(haft::bindings::AsynchronousCalls)
PACKAGE_FUNCTIONS(haft::bindings::ShardedCheckpoints)
%define HAFT_PLACES(NAME)
PACKAGE_FUNCTIONS(haft::bindings::NAME)
%enddef

CALLBACK(haft::bindings::RpcCallback, rpc_callback, Rpc.Called)
CALLBACK(haft::bindings::FutureCallback, future_callback, Rpc.Answered)
%javamethodmodifiers haft::bindings::rpc_register "/* of the package */";
%javamethodmodifiers haft::bindings::future_on_done "/* of the package */";
