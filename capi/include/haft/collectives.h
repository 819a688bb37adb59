/* Collective communication between devices of one type, as a device plug-in offers it (haft_backend.collectives).
 *
 * Contract
 *  1. A rank is one communicator on one device; ranks of a group share a unique id that rank 0's program made and
 *     carried to the others. Every rank calls the same functions in the same order with fitting arguments.
 *  2. Calls are enqueued on a stream of the communicator's device and may return before anything has moved. `in` and
 *     `out` are memory of that device and may be equal where the sizes are; they stay until the stream has passed.
 *  3. Calls between group_begin and group_end (of one thread) are one step: send and recv of it may stand in any
 *     order, and one thread may serve several ranks. group_end answers with the first failure among them.
 *  4. What fails later (a lost peer, an abort) leaves the stream usable and stands in async_error; every later call
 *     of that communicator answers with it. Abort may be called from any thread, more than once, also while others
 *     are inside a call: they come back.
 *  5. Statuses and error texts are as in haft/backend.h.
 */
#ifndef HAFT_COLLECTIVES_H
#define HAFT_COLLECTIVES_H
#include <haft/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HAFT_COLLECTIVES_ABI 1

typedef uint64_t haft_raw_comm;
typedef uint64_t haft_raw_stream; /* as in haft/backend.h */

typedef struct haft_unique_id {
  unsigned char bytes[128];
} haft_unique_id;

/* How all_reduce, reduce and reduce_scatter join values. */
enum {
  HAFT_COLLECTIVE_SUM = 0,
  HAFT_COLLECTIVE_PROD = 1,
  HAFT_COLLECTIVE_MIN = 2,
  HAFT_COLLECTIVE_MAX = 3,
  HAFT_COLLECTIVE_AVG = 4 /* floating types only */
};

typedef struct haft_collectives {
  uint32_t struct_size; /* sizeof(haft_collectives) of the plug-in */
  uint32_t abi;         /* HAFT_COLLECTIVES_ABI it was built for */
  const char* name;     /* of the engine behind it: "nccl" */

  int32_t (*unique_id)(haft_unique_id* out, char* error, uint32_t error_size);
  /* Comes back when all `size` ranks have come, or with HAFT_ERROR_TIMEOUT after timeout_ms (0: never). */
  int32_t (*init)(int32_t index, int32_t rank, int32_t size, const haft_unique_id* id, int64_t timeout_ms,
                  haft_raw_comm* out, char* error, uint32_t error_size);
  void (*destroy)(haft_raw_comm comm); /* finishes its enqueued calls first, unless it was aborted */
  int32_t (*abort)(haft_raw_comm comm, char* error, uint32_t error_size);
  /* *status: 0, or what has failed since init; its text goes into `error`. Never waits. */
  int32_t (*async_error)(haft_raw_comm comm, int32_t* status, char* error, uint32_t error_size);

  /* `count` is that of one rank's part: all_gather's out and reduce_scatter's in hold size * count elements, both
   * sides of all_to_all do. */
  int32_t (*all_reduce)(haft_raw_comm comm, const void* in, void* out, int64_t count, int32_t dtype, int32_t how,
                        haft_raw_stream s, char* error, uint32_t error_size);
  int32_t (*reduce)(haft_raw_comm comm, const void* in, void* out, int64_t count, int32_t dtype, int32_t how,
                    int32_t root, haft_raw_stream s, char* error, uint32_t error_size);
  int32_t (*broadcast)(haft_raw_comm comm, const void* in, void* out, int64_t count, int32_t dtype, int32_t root,
                       haft_raw_stream s, char* error, uint32_t error_size);
  int32_t (*all_gather)(haft_raw_comm comm, const void* in, void* out, int64_t count, int32_t dtype, haft_raw_stream s,
                        char* error, uint32_t error_size);
  int32_t (*reduce_scatter)(haft_raw_comm comm, const void* in, void* out, int64_t count, int32_t dtype, int32_t how,
                            haft_raw_stream s, char* error, uint32_t error_size);
  int32_t (*all_to_all)(haft_raw_comm comm, const void* in, void* out, int64_t count, int32_t dtype, haft_raw_stream s,
                        char* error, uint32_t error_size);
  int32_t (*send)(haft_raw_comm comm, const void* in, int64_t count, int32_t dtype, int32_t peer, haft_raw_stream s,
                  char* error, uint32_t error_size);
  int32_t (*recv)(haft_raw_comm comm, void* out, int64_t count, int32_t dtype, int32_t peer, haft_raw_stream s,
                  char* error, uint32_t error_size);
  int32_t (*group_begin)(char* error, uint32_t error_size);
  int32_t (*group_end)(char* error, uint32_t error_size);
} haft_collectives;

#ifdef __cplusplus
}
#endif
#endif
