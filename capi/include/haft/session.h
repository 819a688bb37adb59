/* Inference sessions: one frozen module run for many threads, with batches, limits, cancelling and metrics.
 * docs/session.md tells how they behave.
 */
#ifndef HAFT_SESSION_H
#define HAFT_SESSION_H
#include <haft/nn.h>
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_session haft_session;
typedef struct haft_request haft_request;

typedef struct haft_session_options {
  uint32_t struct_size;
  int32_t workers;      /* batches that run at once, 1..256; 0: haft_get_num_threads, with batching a quarter of it */
  int64_t max_batch;    /* rows (size 0 of the inputs) that run as one, at least 1; 1: no batching */
  int64_t max_delay_us; /* how long the first request of a batch waits for others; 0: only while all workers run */
  int64_t max_queue;    /* requests that wait, 1..1048576; 1024 */
  int64_t memory_limit; /* bytes of tensors made by runs that may be alive; 0: no limit */
  int64_t timeout_us;   /* from submission to answer, for requests that say HAFT_NONE; HAFT_NONE: no limit */
  const char* name;     /* its label in haft_metrics_to_text, copied; NULL: "session-" and a number */
} haft_session_options;
#define HAFT_SESSION_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_session_options), 0, 1, 0, 1024, 0, HAFT_NONE, NULL }

/**
 * @brief A session of a module, which is put into evaluation mode and may not be changed while the session has it.
 * @param[in]  module   retained; changing it or a part of it is HAFT_ERROR_BUSY until the session has let go of it
 * @param[in]  options  NULL: the defaults of HAFT_SESSION_OPTIONS_INIT
 * @param[out] out      a new session; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BUSY when somebody changes the module or, to leave training
 *         mode, runs it, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_session_create(haft_module* module, const haft_session_options* options,
                                         haft_session** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  s  the session
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_session_retain(haft_session* s) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. The last one closes the session (haft_session_close), without
 *        waiting when a module or callback of the session does it.
 * @param[in]  s  the session
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_session_release(haft_session* s) HAFT_NOTHROW;

/**
 * @brief Runs the module on the inputs and waits for the outputs, which take part in no gradient.
 * @param[in]  s            the session
 * @param[in]  inputs       input_count tensors; shared: not to be written until the call returns. With max_batch
 *                          above 1 each is (rows, ...)
 * @param[in]  input_count  as many as the module takes
 * @param[in]  timeout_us   microseconds, 0 or more; HAFT_NONE: as the options say; INT64_MAX: no limit
 * @param[out] outs         room for capacity handles, each owned by the caller
 * @param[in]  capacity     HAFT_MAX_MODULE_OUTPUTS is always enough
 * @param[out] count        how many outputs there are
 * @return HAFT_OK; HAFT_ERROR_QUEUE_FULL; HAFT_ERROR_TIMEOUT; HAFT_ERROR_CANCELLED by the thread's cancel token, or
 *         when the session is drained or closed; HAFT_ERROR_OUT_OF_MEMORY at memory_limit, too; HAFT_ERROR_SHAPE for
 *         inputs or outputs without rows; HAFT_ERROR_RECURSIVE from inside the module; HAFT_ERROR_FORKED; what the
 *         module answers; HAFT_ERROR_INVALID_ARGUMENT when capacity is too small: before the run, but a module of
 *         your own must run to be counted, and its outputs are then lost.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_session_run(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                                      int64_t timeout_us, haft_tensor** outs, int64_t capacity,
                                      int64_t* count) HAFT_NOTHROW;

/**
 * @brief What to call when a request is answered: once, on the thread that answers, which may be one that runs,
 *        submits, cancels or closes; perhaps before haft_session_submit returns. It sees a fresh thread's state:
 *        tensors that it is handed, the results among them, belong to no scope of that thread.
 * @param[in] request  lent for the call; retain it to keep it
 * @param[in] status   HAFT_OK, or what haft_request_result will answer
 * @note It may submit and run requests; waiting for the session otherwise is HAFT_ERROR_RECURSIVE. Callbacks hold up
 *       the session's threads: leave long work to threads of your own.
 */
typedef void (*haft_request_done)(haft_request* request, haft_status status, void* user);
/**
 * @brief Gives the session a request without waiting. The first one starts the session's threads.
 * @param[in]  s            the session
 * @param[in]  inputs       input_count tensors; shared: not to be written until the request is answered
 * @param[in]  input_count  as many as the module takes
 * @param[in]  timeout_us   as in haft_session_run
 * @param[in]  done         called when it is answered; may be NULL
 * @param[in]  user         handed to done
 * @param[in]  destroy      called once, after done, on any thread; may be NULL. Not called when this function fails
 * @param[out] out          a new request; the caller releases it, which does not cancel it. NULL: not wanted, done is
 *                          enough
 * @return HAFT_OK; HAFT_ERROR_QUEUE_FULL; HAFT_ERROR_CANCELLED when the session is drained or closed; HAFT_ERROR_SHAPE;
 *         HAFT_ERROR_UNAVAILABLE when the system starts no thread; HAFT_ERROR_FORKED. done is not called when this
 *         fails.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_session_submit(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                                         int64_t timeout_us, haft_request_done done, void* user,
                                         void (*destroy)(void* user), haft_request** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  r  the request
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_request_retain(haft_request* r) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. A request that is not answered goes on.
 * @param[in]  r  the request
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_request_release(haft_request* r) HAFT_NOTHROW;
/**
 * @brief Waits until the request is answered, in whatever way.
 * @param[in] r           the request
 * @param[in] timeout_us  microseconds, 0: only look; HAFT_NONE: no limit. The request itself goes on afterwards
 * @return HAFT_OK when it is answered; HAFT_ERROR_TIMEOUT; HAFT_ERROR_RECURSIVE inside a module or callback of the
 *         session; HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_request_wait(haft_request* r, int64_t timeout_us) HAFT_NOTHROW;
/**
 * @brief 1 when the request is answered.
 * @param[in]  r    the request
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_FORKED.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_request_is_done(const haft_request* r, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The outputs, or the failure of the request. Waits for them; may be called again.
 * @param[in]  r         the request
 * @param[out] outs      room for capacity handles, each owned by the caller
 * @param[in]  capacity  room at outs
 * @param[out] count     how many outputs there are
 * @return as haft_session_run; HAFT_ERROR_INVALID_ARGUMENT when capacity is too small loses nothing.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_request_result(haft_request* r, haft_tensor** outs, int64_t capacity,
                                         int64_t* count) HAFT_NOTHROW;
/**
 * @brief Answers a request with HAFT_ERROR_CANCELLED; without effect when it has its answer. A batch that nobody
 *        waits for any more stops before its next operator.
 * @param[in]  r  the request
 * @return HAFT_OK, HAFT_ERROR_FORKED.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_request_cancel(haft_request* r) HAFT_NOTHROW;

/**
 * @brief Gives the session another module: batches that run end with the old one, all that start later have this one.
 *        It waits for the last batch of the old one, which may be changed and disposed of from then on; called inside
 *        a module or callback of the session it does not wait.
 * @param[in] s       the session
 * @param[in] module  retained, as by haft_session_create. It first runs on this thread, on zeros like the inputs that
 *                    were answered last; without such, unseen
 * @return HAFT_OK; the old one stays with HAFT_ERROR_BUSY, HAFT_ERROR_SHAPE or HAFT_ERROR_DTYPE for outputs of
 *         another kind than the session's, and what the module fails with; HAFT_ERROR_CANCELLED when the session is
 *         closed, HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_session_update(haft_session* s, haft_module* module) HAFT_NOTHROW;
/**
 * @brief Takes no more requests and waits until those it has are answered and their callbacks have returned. Incomplete
 *        batches wait no longer.
 * @param[in] s           the session
 * @param[in] timeout_us  microseconds, 0 or more; HAFT_NONE: no limit
 * @return HAFT_OK; HAFT_ERROR_TIMEOUT: call it again, or close; HAFT_ERROR_RECURSIVE inside a module or callback of the
 *         session; HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_session_drain(haft_session* s, int64_t timeout_us) HAFT_NOTHROW;
/**
 * @brief Answers every request with HAFT_ERROR_CANCELLED, stops those that run before their next operator, waits for
 *        that and for callbacks, ends the session's threads and lets go of the module. Takes no more requests. May be
 *        called again.
 * @param[in] s  the session
 * @return HAFT_OK; HAFT_ERROR_RECURSIVE inside a module or callback of the session; HAFT_ERROR_FORKED.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_session_close(haft_session* s) HAFT_NOTHROW;

typedef struct haft_session_metrics {
  uint32_t struct_size;
  int32_t running;      /* batches that run now */
  int64_t requests;     /* since creation or reset: those that wait or run, each of the next five, and invalid */
  int64_t completed;    /* answered */
  int64_t failed;       /* the module answered an error, or memory was short */
  int64_t refused;      /* HAFT_ERROR_QUEUE_FULL */
  int64_t cancelled;    /* by the caller, or by the end of the session */
  int64_t timed_out;    /* whose time had passed */
  int64_t batches;      /* that have run */
  double mean_batch;    /* requests in a batch, on average; 0 before the first */
  int64_t queue_length; /* requests that wait now */
  int64_t queue_peak;   /* the most that have waited */
  int64_t bytes_live;   /* of tensors that runs made: what memory_limit limits */
  int64_t bytes_peak;
  double latency_p50_us; /* from submission to answer, of the last 4096 completed requests; 0 before the first */
  double latency_p90_us; /* as p50 */
  double latency_p99_us; /* as p50 */
  double latency_max_us; /* the longest of these */
  /* HAFT_ERROR_SHAPE, _DTYPE, _DEVICE, _INDEX or _INVALID_ARGUMENT for inputs unlike those answered last. */
  int64_t invalid;
} haft_session_metrics;
#define HAFT_SESSION_METRICS_INIT \
  { (uint32_t)sizeof(haft_session_metrics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * @brief What the session has done and does.
 * @param[in]  s        the session
 * @param[in,out] metrics  struct_size set; the other fields are filled
 * @return HAFT_OK, HAFT_ERROR_BAD_STRUCT, HAFT_ERROR_FORKED.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_session_get_metrics(const haft_session* s, haft_session_metrics* metrics) HAFT_NOTHROW;
/**
 * @brief Counts, peaks and latencies begin anew.
 * @param[in]  s  the session
 * @return HAFT_OK, HAFT_ERROR_FORKED.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_session_reset_metrics(haft_session* s) HAFT_NOTHROW;

/* ---- cancelling what a thread computes ---- */

typedef struct haft_cancel_token haft_cancel_token;
/**
 * @brief Something to cancel work by: threads take it with haft_set_cancel_token, any other cancels it.
 * @param[out] out  the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_cancel_token_create(haft_cancel_token** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  t  the token
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_cancel_token_retain(haft_cancel_token* t) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. Threads that took it keep it.
 * @param[in]  t  the token
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_cancel_token_release(haft_cancel_token* t) HAFT_NOTHROW;
/**
 * @brief For good: from now on operators of threads with this token answer HAFT_ERROR_CANCELLED instead of running,
 *        and so does a haft_session_run that waits. An operator that has begun ends; what was computed stays as it
 *        is.
 * @param[in] t  the token
 * @return HAFT_OK, also when it was cancelled; HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_cancel_token_cancel(haft_cancel_token* t) HAFT_NOTHROW;
/**
 * @brief 1 when the token is cancelled.
 * @param[in]  t    the token
 * @param[out] out  0 or 1
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_cancel_token_is_cancelled(const haft_cancel_token* t, int32_t* out) HAFT_NOTHROW;
/**
 * @brief The token of this thread; it takes the place of another.
 * @param[in] t  NULL: none from now on
 * @return HAFT_OK, HAFT_ERROR_RECURSIVE inside a module that a session runs: the session's own cancelling holds there.
 * @note Thread class: any (per thread).
 * @since 1.0
 */
HAFT_API haft_status haft_set_cancel_token(haft_cancel_token* t) HAFT_NOTHROW;

/**
 * @brief haft_session_run that a token cancels, beside the thread's own: for threads that others interrupt. The
 *        module does not see the token.
 * @param[in]  s            the session
 * @param[in]  inputs       as in haft_session_run
 * @param[in]  input_count  as many as the module takes
 * @param[in]  timeout_us   as in haft_session_run
 * @param[in]  token        cancels this request, waiting or running; NULL: none
 * @param[out] outs         room for capacity handles, each owned by the caller
 * @param[in]  capacity     as in haft_session_run
 * @param[out] count        how many outputs there are
 * @return as haft_session_run.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_session_run_cancellable(haft_session* s, haft_tensor* const* inputs, int64_t input_count,
                                                  int64_t timeout_us, haft_cancel_token* token, haft_tensor** outs,
                                                  int64_t capacity, int64_t* count) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
