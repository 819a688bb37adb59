/* haft: a deep-learning engine behind a stable C interface. This header brings all of it. */
#ifndef HAFT_H
#define HAFT_H
#include <haft/autograd.h>
#include <haft/data.h>
#include <haft/data_parallel.h>
#include <haft/dlpack.h>
#include <haft/error.h>
#include <haft/init.h>
#include <haft/io.h>
#include <haft/model_parallel.h>
#include <haft/nn.h>
#include <haft/ops.h>
#include <haft/optim.h>
#include <haft/parallel.h>
#include <haft/parameter_server.h>
#include <haft/process_group.h>
#include <haft/rpc.h>
#include <haft/runtime.h>
#include <haft/session.h>
#include <haft/sharding.h>
#include <haft/shared_memory.h>
#include <haft/store.h>
#include <haft/stream.h>
#include <haft/tensor.h>
#include <haft/tensor_parallel.h>
#include <haft/types.h>
#endif
