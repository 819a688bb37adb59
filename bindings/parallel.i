// Models over several ranks, calls between processes, parameter servers and shared tensors for Java and C#: of the headers the
// classes that are handles; what takes options, structs or functions goes through parallel.hpp and asynchronous.hpp.
%{
#include "bindings/asynchronous.hpp"
#include "bindings/checkpoints.hpp"
#include "bindings/parallel.hpp"
%}
%rename("$ignore", regextarget=1, fullname=1) "^haft::parallel::";
%ignore haft::DeviceMesh::DeviceMesh;
%ignore haft::PipelineSchedule;
%ignore haft::PipelineResults;
%ignore haft::Pipeline::Pipeline;
%ignore haft::Pipeline::step;
%ignore haft::Pipeline::evaluate;
%ignore haft::Pipeline::info;
%ignore haft::Pipeline::trace;
%ignore haft::mixture_of_experts;
%ignore haft::ring_attention;
%ignore haft::Future::wait;
%ignore haft::Future::is_done;
%ignore haft::Future::tensors;
%ignore haft::Future::bytes;
%ignore haft::RpcRequest::caller;
%ignore haft::RpcRequest::tensors;
%ignore haft::RpcRequest::bytes;
%ignore haft::RpcRequest::reply;
%ignore haft::RpcRequest::fail;
%ignore haft::RpcOptions;
%ignore haft::Rpc::Rpc;
%ignore haft::Rpc::start;
%ignore haft::Rpc::shutdown;
%ignore haft::Rpc::call;
%ignore haft::Rpc::name_of;
%ignore haft::ServerMode;
%ignore haft::ParameterServer::ParameterServer;
%ignore haft::ParameterServer::info;
%ignore haft::ParameterClient::ParameterClient;
%ignore haft::ParameterClient::pull;
%ignore haft::ParameterClient::push;
%ignore haft::share_memory;
%ignore haft::is_shared;
%ignore haft::shared_name;
%ignore haft::open_shared;
%include "haft/parallel.hpp"
%include "haft/model_parallel.hpp"
%include "haft/rpc.hpp"
%include "haft/parameter_server.hpp"
%include "bindings/parallel.hpp"
%include "bindings/asynchronous.hpp"
%ignore haft::bindings::ShardedReader;
%include "bindings/checkpoints.hpp"
