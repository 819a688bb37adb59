/* Calls between the processes of a job: each has an agent, registers functions by name, and calls those of the others.
 * docs/asynchronous-training.md tells how they behave.
 *
 * What all calls have in common
 *  1. Arguments and answers are tensors and bytes. Tensors are copied; those of devices arrive on the CPU.
 *  2. A call is answered exactly once: by the function, by its time limit (HAFT_ERROR_TIMEOUT), or, when the peer's
 *     connection ends, with HAFT_ERROR_PEER_LOST that names it. What a function fails with is its caller's status,
 *     with the peer's name before the text.
 *  3. An agent listens at one address and lets in who knows the job's secret and what its store holds, nobody else.
 *  4. After fork() the child answers HAFT_ERROR_FORKED.
 */
#ifndef HAFT_RPC_H
#define HAFT_RPC_H
#include <haft/store.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_rpc haft_rpc;
typedef struct haft_rpc_request haft_rpc_request;
typedef struct haft_future haft_future;

typedef struct haft_rpc_options {
  uint32_t struct_size;
  int32_t threads;           /* functions that run at once, at most */
  int64_t timeout_us;        /* of calls that name none; 60 s */
  int64_t max_message_bytes; /* of one call or answer; 1 GiB. Larger ones are refused on both sides */
  const char* name;          /* of this process; NULL: "worker" and its rank */
  /* The address to listen at, by which others reach it. NULL: 127.0.0.1 where the launcher started all processes
   * on one machine, else the interface towards rank 0's. */
  const char* host;
  const char* secret; /* NULL: the environment's HAFT_SECRET */
  const char* job;    /* agents of one store are told apart by it; NULL: "rpc" */
} haft_rpc_options;
#define HAFT_RPC_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_rpc_options), 16, 60000000, 1073741824, NULL, NULL, NULL, NULL }

/**
 * @brief Makes this process' agent, which listens but is known to nobody yet: register functions, then start it.
 * @param[in]  store    where agents find each other; retained
 * @param[in]  rank     this one's number, 0 to size - 1
 * @param[in]  size     how many processes there are
 * @param[in]  options  NULL: the defaults of HAFT_RPC_OPTIONS_INIT
 * @param[out] out      a new agent; the caller releases it
 * @return HAFT_OK; HAFT_ERROR_IO when it cannot listen; what the store answers; HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rpc_create(haft_store* store, int32_t rank, int32_t size, const haft_rpc_options* options,
                                     haft_rpc** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  rpc  the agent
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_retain(haft_rpc* rpc) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. The last one ends the agent as haft_rpc_abort does.
 * @param[in]  rpc  the agent
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_rpc_release(haft_rpc* rpc) HAFT_NOTHROW;
/**
 * @brief Tells the others where this agent is, and waits until all have come. A process that takes the rank of one
 *        that has ended is found by the others at their next call.
 * @param[in] rpc         the agent
 * @param[in] timeout_us  microseconds; HAFT_NONE: no limit
 * @return HAFT_OK; HAFT_ERROR_TIMEOUT naming the ranks that are missing; HAFT_ERROR_INVALID_ARGUMENT when the name is
 *         taken.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rpc_start(haft_rpc* rpc, int64_t timeout_us) HAFT_NOTHROW;
/**
 * @brief Waits until no call is under way on any rank that lives, then ends the agent: all call it.
 * @param[in]  rpc         the agent
 * @param[in]  timeout_us  microseconds; HAFT_NONE: no limit
 * @return HAFT_OK; HAFT_ERROR_TIMEOUT naming what is waited for: the agent goes on.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_shutdown(haft_rpc* rpc, int64_t timeout_us) HAFT_NOTHROW;
/**
 * @brief Ends the agent at once: its own calls are answered with HAFT_ERROR_CANCELLED, others find it gone.
 * @param[in]  rpc  the agent
 * @return HAFT_OK, also when it had ended.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_abort(haft_rpc* rpc) HAFT_NOTHROW;

/**
 * @brief The rank of a process by its name.
 * @param[in]  rpc   the agent, started
 * @param[in]  name  of one of them
 * @param[out] out   its rank
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when nobody has that name.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_get_rank(const haft_rpc* rpc, const char* name, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The name of a process.
 * @param[in]  rpc       the agent, started
 * @param[in]  rank      its rank; HAFT_RPC_SELF: this one's
 * @param[out] buffer    room for capacity bytes; may be NULL when that is 0
 * @param[in]  capacity  room at buffer
 * @param[out] needed    bytes of the name with its final 0
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_get_name(const haft_rpc* rpc, int32_t rank, char* buffer, int64_t capacity,
                                       int64_t* needed) HAFT_NOTHROW;
#define HAFT_RPC_SELF (-1)
/**
 * @brief Where this agent listens.
 * @param[in]  rpc  the agent
 * @param[out] out  the port
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_get_port(const haft_rpc* rpc, int32_t* out) HAFT_NOTHROW;

/* ---- functions ---- */

/**
 * Runs on one of the agent's threads. The request is lent: retain it to answer later, from any thread. Who returns
 * HAFT_OK and keeps no request without an answer answers with nothing; any other status, with the text of
 * haft_error_set, is the caller's.
 */
typedef haft_status (*haft_rpc_function)(haft_rpc_request* request, void* user);
/**
 * @brief Registers a function that other processes may call; one of the same name is replaced.
 * @param[in] rpc       the agent. What peers call at once is registered before start
 * @param[in] name      what they call it by
 * @param[in] function  NULL removes it
 * @param[in] user      handed to it
 * @param[in] destroy   called with user when the function is not needed any more; may be NULL
 * @return HAFT_OK; on failure user stays the caller's.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rpc_register(haft_rpc* rpc, const char* name, haft_rpc_function function, void* user,
                                       void (*destroy)(void* user)) HAFT_NOTHROW;

/**
 * @brief One more owner of the handle.
 * @param[in]  request  the request
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_request_retain(haft_rpc_request* request) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. The last one answers with nothing what has no answer.
 * @param[in]  request  the request
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_rpc_request_release(haft_rpc_request* request) HAFT_NOTHROW;
/**
 * @brief Who calls.
 * @param[in]  request  the request
 * @param[out] out      the rank
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_request_get_caller(const haft_rpc_request* request, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The tensors that came.
 * @param[in]  request   the request
 * @param[out] outs      room for capacity handles, which the caller releases; NULL with capacity 0 asks for the
 *                       number
 * @param[in]  capacity  room at outs
 * @param[out] count     how many there are
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when capacity is too small.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_request_tensors(const haft_rpc_request* request, haft_tensor** outs, int64_t capacity,
                                              int64_t* count) HAFT_NOTHROW;
/**
 * @brief The bytes that came.
 * @param[in]  request  the request
 * @param[out] data     they live as long as the request
 * @param[out] size     how many
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_request_get_bytes(const haft_rpc_request* request, const void** data,
                                                int64_t* size) HAFT_NOTHROW;
/**
 * @brief Answers.
 * @param[in]  request  the request
 * @param[in]  tensors  count of them
 * @param[in]  count    0 or more
 * @param[in]  data     size bytes
 * @param[in]  size     0 or more
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when it is answered already, or too large.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_request_reply(haft_rpc_request* request, haft_tensor* const* tensors, int64_t count,
                                            const void* data, int64_t size) HAFT_NOTHROW;
/**
 * @brief Answers with a failure.
 * @param[in]  request  the request
 * @param[in]  status   not HAFT_OK
 * @param[in]  message  what went wrong; UTF-8
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when it is answered already.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_rpc_request_fail(haft_rpc_request* request, haft_status status,
                                           const char* message) HAFT_NOTHROW;

/* ---- calls ---- */

/**
 * @brief Begins a call.
 * @param[in]  rpc         the agent, started
 * @param[in]  to          the rank that is called; this one's own is allowed
 * @param[in]  function    its name there
 * @param[in]  tensors     count of them; they may change once this returns
 * @param[in]  count       0 or more
 * @param[in]  data        size bytes
 * @param[in]  size        0 or more
 * @param[in]  timeout_us  until the answer is there; HAFT_NONE: the agent's
 * @param[out] out         the answer to come; the caller releases it
 * @return HAFT_OK; HAFT_ERROR_PEER_LOST when the process has ended; HAFT_ERROR_QUEUE_FULL when too much waits for it
 *         already; HAFT_ERROR_TIMEOUT when it lets nobody in; HAFT_ERROR_INVALID_ARGUMENT when it refuses this
 *         process.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rpc_call(haft_rpc* rpc, int32_t to, const char* function, haft_tensor* const* tensors,
                                   int64_t count, const void* data, int64_t size, int64_t timeout_us,
                                   haft_future** out) HAFT_NOTHROW;

/* A future is the answer of a call, or of long work of another kind (haft/sharded_checkpoint.h), whose answer has
 * no tensors and no bytes. */
/**
 * @brief One more owner of the handle.
 * @param[in]  f  the future
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_future_retain(haft_future* f) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. The call goes on.
 * @param[in]  f  the future
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_future_release(haft_future* f) HAFT_NOTHROW;
/**
 * @brief Waits for the answer.
 * @param[in]  f           the future
 * @param[in]  timeout_us  microseconds, 0 or more; HAFT_NONE: as long as the call may take
 * @return HAFT_OK; what the call failed with; HAFT_ERROR_TIMEOUT when this time is over first: the call goes on. A
 *         call that has failed with that status itself is one that haft_future_is_done calls done.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_future_wait(haft_future* f, int64_t timeout_us) HAFT_NOTHROW;
/**
 * @brief Whether the answer, or a failure, is there.
 * @param[in]  f    the future
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_future_is_done(haft_future* f, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The tensors of the answer.
 * @param[in]  f         a future that is done
 * @param[out] outs      room for capacity handles, which the caller releases; NULL with capacity 0 asks for the
 *                       number
 * @param[in]  capacity  room at outs
 * @param[out] count     how many there are
 * @return HAFT_OK, HAFT_ERROR_BUSY before the answer, what the call failed with.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_future_tensors(haft_future* f, haft_tensor** outs, int64_t capacity,
                                         int64_t* count) HAFT_NOTHROW;
/**
 * @brief The bytes of the answer.
 * @param[in]  f     a future that is done
 * @param[out] data  they live as long as the future
 * @param[out] size  how many
 * @return HAFT_OK, HAFT_ERROR_BUSY before the answer, what the call failed with.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_future_get_bytes(haft_future* f, const void** data, int64_t* size) HAFT_NOTHROW;
/** Called once, on one of the agent's threads, or at once when the answer is there. The future is lent. */
typedef void (*haft_future_done)(haft_future* f, haft_status status, void* user);
/**
 * @brief Asks to be called when the answer is there.
 * @param[in]  f        the future
 * @param[in]  done     what is called
 * @param[in]  user     handed to it
 * @param[in]  destroy  called with user afterwards; may be NULL
 * @return HAFT_OK; on failure user stays the caller's.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_future_on_done(haft_future* f, haft_future_done done, void* user,
                                         void (*destroy)(void* user)) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
