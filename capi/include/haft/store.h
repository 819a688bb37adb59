/* Where the processes of a job meet: stores of bytes by key, rendezvous, and what the launcher said.
 * docs/distributed.md tells how they go together.
 */
#ifndef HAFT_STORE_H
#define HAFT_STORE_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_store haft_store;

typedef struct haft_store_options {
  uint32_t struct_size;
  int32_t serve;      /* 1: this process holds the store of a tcp:// url, at that address and at no other */
  int64_t timeout_us; /* how long to try to reach it */
  /* What processes must know to use a tcp:// store; NULL: the environment's HAFT_SECRET; "": none. */
  const char* secret;
  /* Keeps the keys of this run apart from others' in the same folder or server; NULL: nothing does. */
  const char* run;
} haft_store_options;
#define HAFT_STORE_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_store_options), 0, 300000000, NULL, NULL }

/**
 * @brief A store that several processes reach.
 * @param[in]  url      tcp://host:port (port 0 with serve: any free one; ?bind=address listens there), file:///folder,
 *                      redis://user:password@host:port/database, etcd://host:port, or hash:// for this process alone
 * @param[in]  options  NULL: the defaults of HAFT_STORE_OPTIONS_INIT
 * @param[out] out      a new store; the caller releases it. One that serves ends the store for all with its release
 * @return HAFT_OK, HAFT_ERROR_TIMEOUT when it was not reached, HAFT_ERROR_IO, HAFT_ERROR_INVALID_ARGUMENT also when it
 *         refuses this process, HAFT_ERROR_CORRUPT when what answers is no store, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_store_create(const char* url, const haft_store_options* options,
                                       haft_store** out) HAFT_NOTHROW;
/**
 * @brief A store for the threads of this process.
 * @param[out] out  a new store; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_OUT_OF_MEMORY.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_hash_store_create(haft_store** out) HAFT_NOTHROW;
/**
 * @brief Another store under keys of its own, which begin with prefix and a slash.
 * @param[in]  prefix  not empty
 * @param[in]  store   retained
 * @param[out] out     a new store; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE; HAFT_ERROR_INVALID_ARGUMENT for an empty prefix.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_prefix_store_create(const char* prefix, haft_store* store, haft_store** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  s  the store
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_store_retain(haft_store* s) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored.
 * @param[in]  s  the store
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_store_release(haft_store* s) HAFT_NOTHROW;

/* What every call on a store may answer beside its own: HAFT_ERROR_IO when the store is lost, HAFT_ERROR_TIMEOUT when
 * it does not answer. Keys have 1 to 4096 bytes, values up to 16 MiB. */

/**
 * @brief Sets a key for all.
 * @param[in]  s      the store
 * @param[in]  key    its name
 * @param[in]  value  size bytes; NULL with size 0
 * @param[in]  size   0 or more
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a key or a value that is too long; HAFT_ERROR_IO and
 *         HAFT_ERROR_TIMEOUT when the store is not reached.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_store_set(haft_store* s, const char* key, const void* value, int64_t size) HAFT_NOTHROW;
/**
 * @brief What a key holds; waits until somebody has set it.
 * @param[in]  s           the store
 * @param[in]  key         its name
 * @param[in]  timeout_us  microseconds, 0 or more; HAFT_NONE: no limit
 * @param[out] buffer      room for capacity bytes; NULL with capacity 0 asks for the size
 * @param[in]  capacity    room at buffer
 * @param[out] size        bytes of the value, also when capacity is too small
 * @return HAFT_OK, HAFT_ERROR_TIMEOUT naming the key.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_store_get(haft_store* s, const char* key, int64_t timeout_us, void* buffer, int64_t capacity,
                                    int64_t* size) HAFT_NOTHROW;
/**
 * @brief Waits until all keys are there.
 * @param[in]  s           the store
 * @param[in]  keys        count names
 * @param[in]  count       0 or more
 * @param[in]  timeout_us  microseconds, 0 or more; HAFT_NONE: no limit
 * @return HAFT_OK, HAFT_ERROR_TIMEOUT naming the first key that is missing.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_store_wait(haft_store* s, const char* const* keys, int64_t count,
                                     int64_t timeout_us) HAFT_NOTHROW;
/**
 * @brief Whether all keys are there.
 * @param[in]  s      the store
 * @param[in]  keys   count names
 * @param[in]  count  0 or more
 * @param[out] out    0 or 1
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_TIMEOUT when the store is not reached.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_store_check(haft_store* s, const char* const* keys, int64_t count, int32_t* out) HAFT_NOTHROW;
/**
 * @brief Adds to a key whose value is a decimal number, 0 when it is new.
 * @param[in]  s      the store
 * @param[in]  key    its name
 * @param[in]  delta  any
 * @param[out] out    the sum
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT when the value is no number, HAFT_ERROR_OVERFLOW.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_store_add(haft_store* s, const char* key, int64_t delta, int64_t* out) HAFT_NOTHROW;
/**
 * @brief Sets a key if it holds what is expected, in one step for all processes.
 * @param[in]  s              the store
 * @param[in]  key            its name
 * @param[in]  expected       expected_size bytes; none: the key holds none or is not there
 * @param[in]  expected_size  0 or more
 * @param[in]  desired        desired_size bytes
 * @param[in]  desired_size   0 or more
 * @param[out] changed        1: the key holds `desired` now; 0: it is as it was
 * @param[out] current        room for what the key holds afterwards; NULL with capacity 0: it is not wanted
 * @param[in]  capacity       room at current, at least desired_size
 * @param[out] size           bytes that the key holds afterwards, 0 when it is not there; may be NULL without current
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT when capacity is too small: nothing was set, and size tells how much
 *         is wanted.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_store_compare_set(haft_store* s, const char* key, const void* expected, int64_t expected_size,
                                            const void* desired, int64_t desired_size, int32_t* changed, void* current,
                                            int64_t capacity, int64_t* size) HAFT_NOTHROW;
/**
 * @brief Removes a key.
 * @param[in]  s    the store
 * @param[in]  key  its name
 * @param[out] out  1: it was there; 0: it was not
 * @return HAFT_OK, HAFT_ERROR_IO, HAFT_ERROR_TIMEOUT when the store is not reached.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_store_delete(haft_store* s, const char* key, int32_t* out) HAFT_NOTHROW;
/**
 * @brief haft_store_set for a time: a sign of life, which is gone unless it is given again.
 * @param[in]  s       the store
 * @param[in]  key     its name
 * @param[in]  value   size bytes; NULL with size 0
 * @param[in]  size    0 or more
 * @param[in]  ttl_us  microseconds, above 0; etcd counts whole seconds
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a time that is not above 0 and what haft_store_set refuses;
 *         HAFT_ERROR_IO and HAFT_ERROR_TIMEOUT when the store is not reached.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_store_lease(haft_store* s, const char* key, const void* value, int64_t size,
                                      int64_t ttl_us) HAFT_NOTHROW;
/**
 * @brief The port of a tcp:// store; 0 for others.
 * @param[in]  s    the store
 * @param[out] out  the port
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_store_get_port(haft_store* s, int32_t* out) HAFT_NOTHROW;

typedef struct haft_rendezvous_options {
  uint32_t struct_size;
  int32_t rank;       /* of this process; -1: the url or the launcher says it */
  int32_t world_size; /* how many processes there are; -1: the url or the launcher says it */
  int32_t reserved;
  int64_t timeout_us; /* how long to wait for all; HAFT_NONE: no limit */
  const char* secret; /* as haft_store_options' */
} haft_rendezvous_options;
#define HAFT_RENDEZVOUS_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_rendezvous_options), -1, -1, 0, 300000000, NULL }

/**
 * @brief Meets the other processes of the job: waits until all have called it.
 * @param[in]  url          one of haft_store_create's, where rank 0 serves tcp://; ?rank= and &world_size= may stand
 *                          in it. env:// takes everything from the launcher's variables
 * @param[in]  options      NULL: the defaults of HAFT_RENDEZVOUS_OPTIONS_INIT
 * @param[out] out          the store of the job; the caller releases it
 * @param[out] out_rank     the rank; may be NULL
 * @param[out] out_world    the number of processes; may be NULL
 * @return HAFT_OK, HAFT_ERROR_TIMEOUT naming the ranks that are missing, what haft_store_create answers,
 *         HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_rendezvous(const char* url, const haft_rendezvous_options* options, haft_store** out,
                                     int32_t* out_rank, int32_t* out_world) HAFT_NOTHROW;

/* What the launcher said, whoever it was: haft-run, torchrun, mpirun, srun or a Kubernetes indexed job. */
typedef struct haft_launch_environment {
  uint32_t struct_size;
  int32_t rank;             /* of this process among all; 0 without a launcher */
  int32_t world_size;       /* how many processes there are; 1 without a launcher */
  int32_t local_rank;       /* among the processes of this machine */
  int32_t local_world_size; /* how many they are */
  int32_t node_rank;        /* of this machine */
  int32_t restart_count;    /* how often the job was begun again */
  int32_t master_port;      /* where rank 0 is reached; 0: nobody said it */
  char launcher[16];        /* "none", "haft-run", "torchrun", "openmpi", "pmix", "slurm", "kubernetes" */
  char master_host[256];    /* empty: nobody said it */
  char run_id[128];         /* differs between jobs; empty: nobody said it */
} haft_launch_environment;
#define HAFT_LAUNCH_ENVIRONMENT_INIT \
  { (uint32_t)sizeof(haft_launch_environment), 0, 1, 0, 1, 0, 0, 0, "none", "", "" }
/**
 * @brief Reads the launcher's variables; a process that none started is rank 0 of 1.
 * @param[in,out] out  filled as far as its struct_size reaches
 * @return HAFT_OK, HAFT_ERROR_INVALID_ARGUMENT naming the variable that makes no sense, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_get_launch_environment(haft_launch_environment* out) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
