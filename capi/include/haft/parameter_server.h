/* Parameter servers: processes that hold parameters and step them with an optimizer; workers push gradients and pull
 * values. docs/asynchronous-training.md tells how they behave.
 */
#ifndef HAFT_PARAMETER_SERVER_H
#define HAFT_PARAMETER_SERVER_H
#include <haft/dtype.h>
#include <haft/rpc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_parameter_server haft_parameter_server;
typedef struct haft_parameter_client haft_parameter_client;

/* When a worker's step is answered. */
enum {
  HAFT_SERVER_SYNCHRONOUS = 0,  /* when all workers that live have made it: their mean gradient is applied once */
  HAFT_SERVER_ASYNCHRONOUS = 1, /* at once: gradients are applied as they come */
  HAFT_SERVER_BOUNDED = 2       /* so, but when the slowest worker is at most `staleness` steps behind */
};

typedef struct haft_parameter_server_options {
  uint32_t struct_size;
  int32_t mode;    /* HAFT_SERVER_* */
  int32_t workers; /* that are waited for at the beginning */
  int32_t option_count;
  int64_t staleness;               /* of HAFT_SERVER_BOUNDED */
  const char* name;                /* NULL: "parameters"; servers that work together have the same */
  const char* optimizer;           /* "SGD", "Adam", ...; NULL: "SGD" */
  const char* const* option_names; /* option_count of its options: "lr", "momentum", ... */
  const double* option_values;
  /* A file of haft_parameter_server_save to begin with, where there is one; NULL: none. */
  const char* snapshot;
} haft_parameter_server_options;
#define HAFT_PARAMETER_SERVER_OPTIONS_INIT \
  { (uint32_t)sizeof(haft_parameter_server_options), HAFT_SERVER_SYNCHRONOUS, 1, 0, 0, NULL, NULL, NULL, NULL, NULL }

/**
 * @brief Makes this process a parameter server. It serves on the threads of its agent.
 * @param[in]  rpc      an agent that is started; retained
 * @param[in]  options  NULL: the defaults of HAFT_PARAMETER_SERVER_OPTIONS_INIT
 * @param[out] out      a new server; the caller releases it, which ends it
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT naming the optimizers that there are; what reading the snapshot fails
 *         with.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_parameter_server_create(haft_rpc* rpc, const haft_parameter_server_options* options,
                                                  haft_parameter_server** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  server  the server
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_server_retain(haft_parameter_server* server) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. The last one ends the server: workers that wait are answered with
 *        HAFT_ERROR_CANCELLED.
 * @param[in]  server  the server
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_parameter_server_release(haft_parameter_server* server) HAFT_NOTHROW;
/**
 * @brief Writes parameters, state of the optimizer and clocks into a file, atomically, from which a new server goes
 *        on.
 * @param[in]  server  the server
 * @param[in]  path    of the file
 * @return HAFT_OK, HAFT_ERROR_IO.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_server_save(haft_parameter_server* server, const char* path) HAFT_NOTHROW;

typedef struct haft_parameter_server_info {
  uint32_t struct_size;
  int32_t workers; /* that live */
  int64_t version; /* synchronous: steps; otherwise pushes */
  int64_t slowest; /* clocks of workers that live: how many steps they have made */
  int64_t fastest;
  int64_t waiting;    /* steps that are not answered yet */
  int64_t parameters; /* and tables, of which this server has a part */
  int64_t elements;   /* of this server's part */
  int64_t rows;       /* of tables that have been used */
} haft_parameter_server_info;
#define HAFT_PARAMETER_SERVER_INFO_INIT \
  { (uint32_t)sizeof(haft_parameter_server_info), 0, 0, 0, 0, 0, 0, 0, 0 }
/**
 * @brief What a server holds and who is there.
 * @param[in]  server  the server
 * @param[in,out] info    struct_size set; the other fields are filled
 * @return HAFT_OK, HAFT_ERROR_BAD_STRUCT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_server_get_info(haft_parameter_server* server,
                                                    haft_parameter_server_info* info) HAFT_NOTHROW;

/**
 * @brief Makes this process a worker. Waits until the servers are there.
 * @param[in]  rpc         an agent that is started; retained
 * @param[in]  servers     ranks of the servers; all workers give the same, in the same order
 * @param[in]  count       at least 1
 * @param[in]  name        of the servers; NULL: "parameters"
 * @param[in]  timeout_us  of every call, also of a step that waits for others
 * @param[out] out         a new worker; the caller releases it
 * @return HAFT_OK; HAFT_ERROR_TIMEOUT naming the server that has not come.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_parameter_client_create(haft_rpc* rpc, const int32_t* servers, int64_t count,
                                                  const char* name, int64_t timeout_us,
                                                  haft_parameter_client** out) HAFT_NOTHROW;
/**
 * @brief One more owner of the handle.
 * @param[in]  client  the worker
 * @return HAFT_OK, HAFT_ERROR_STALE_HANDLE.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_retain(haft_parameter_client* client) HAFT_NOTHROW;
/**
 * @brief Gives up one ownership; NULL is ignored. It does not leave: haft_parameter_client_leave does.
 * @param[in]  client  the worker
 * @note Thread class: any. @since 1.0
 */
HAFT_API void haft_parameter_client_release(haft_parameter_client* client) HAFT_NOTHROW;

/* What every call of a worker may answer beside its own: HAFT_ERROR_PEER_LOST when a server has ended, and
 * HAFT_ERROR_TIMEOUT. */

/**
 * @brief Enters anew, after a server has come again from its snapshot, or this worker was taken for dead. Parameters
 *        are added again.
 * @param[in]  client  the worker
 * @param[out] clock   how many steps it counts from now on; may be NULL
 * @return HAFT_OK, HAFT_ERROR_PEER_LOST, HAFT_ERROR_TIMEOUT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_join(haft_parameter_client* client, int64_t* clock) HAFT_NOTHROW;
/**
 * @brief Tells the servers to wait for this worker no more.
 * @param[in]  client  the worker
 * @return HAFT_OK, HAFT_ERROR_PEER_LOST, HAFT_ERROR_TIMEOUT.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_leave(haft_parameter_client* client) HAFT_NOTHROW;
/**
 * @brief Adds a dense parameter, split over the servers in contiguous parts. Every worker adds it; the values of the
 *        first stay.
 * @param[in]  client   the worker
 * @param[in]  key      its name
 * @param[in]  value    of a floating type
 * @param[out] version  steps that were made on it; may be NULL
 * @return HAFT_OK; HAFT_ERROR_MISMATCH when another worker added another one under this name.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_add(haft_parameter_client* client, const char* key, haft_tensor* value,
                                               int64_t* version) HAFT_NOTHROW;
/**
 * @brief Adds a table, whose rows are spread over the servers and made when they are first used.
 * @param[in]  client   the worker
 * @param[in]  key      its name
 * @param[in]  rows     how many there may be
 * @param[in]  width    elements of a row
 * @param[in]  dtype    a floating type
 * @param[in]  std      rows begin with normal random numbers of this deviation
 * @param[in]  seed     of these: the same on any number of servers
 * @param[out] version  steps that were made on it; may be NULL
 * @return HAFT_OK; HAFT_ERROR_MISMATCH; HAFT_ERROR_UNSUPPORTED for optimizers that keep numbers for a whole parameter.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_parameter_client_add_table(haft_parameter_client* client, const char* key, int64_t rows,
                                                     int64_t width, haft_dtype dtype, double std, uint64_t seed,
                                                     int64_t* version) HAFT_NOTHROW;
/**
 * @brief Writes the servers' values into tensors.
 * @param[in]  client    the worker
 * @param[in]  keys      count names
 * @param[in,out] tensors   count of them
 * @param[in]  count     0 or more
 * @param[out] versions  count of them: how many steps each value has seen; may be NULL
 * @return HAFT_OK; on failure no tensor is changed.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_pull(haft_parameter_client* client, const char* const* keys,
                                                haft_tensor* const* tensors, int64_t count,
                                                int64_t* versions) HAFT_NOTHROW;
/**
 * @brief Begins to send gradients, which step waits for.
 * @param[in]  client     the worker
 * @param[in]  keys       count names
 * @param[in]  gradients  count of them; NULL is none
 * @param[in]  count      0 or more
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a key that this worker has not added, or of a table;
 *         HAFT_ERROR_SHAPE for gradients of another shape. What the servers say is told by the next step.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_push(haft_parameter_client* client, const char* const* keys,
                                                haft_tensor* const* gradients, int64_t count) HAFT_NOTHROW;
/**
 * @brief Rows of a table.
 * @param[in]  client   the worker
 * @param[in]  key      its name
 * @param[in]  rows     int64, of any shape
 * @param[out] version  the least of the servers asked; may be NULL
 * @param[out] out      of the shape of rows and the table's width; the caller releases it
 * @return HAFT_OK, HAFT_ERROR_INDEX.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_pull_rows(haft_parameter_client* client, const char* key, haft_tensor* rows,
                                                     int64_t* version, haft_tensor** out) HAFT_NOTHROW;
/**
 * @brief Begins to send gradients of rows; those of equal rows are added.
 * @param[in]  client     the worker
 * @param[in]  key        its name
 * @param[in]  rows       int64, of any shape
 * @param[in]  gradients  of the shape of rows and the table's width
 * @return HAFT_OK; HAFT_ERROR_INVALID_ARGUMENT for a key of no table that this worker has added; HAFT_ERROR_DTYPE for
 *         rows that are not int64; HAFT_ERROR_SHAPE for gradients of another shape. What the servers say is told by the
 *         next step.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_push_rows(haft_parameter_client* client, const char* key, haft_tensor* rows,
                                                     haft_tensor* gradients) HAFT_NOTHROW;
/**
 * @brief Ends this worker's step: its pushes have arrived, and the servers' mode lets it go on.
 * @param[in]  client   the worker
 * @param[out] clock    how many steps it has made; may be NULL
 * @param[out] version  the least of the servers; may be NULL
 * @return HAFT_OK, what a push failed with.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_step(haft_parameter_client* client, int64_t* clock,
                                                int64_t* version) HAFT_NOTHROW;
/**
 * @brief Sets an option of the servers' optimizer, "lr" for instance, for all; what this worker has pushed is of the
 *        time before.
 * @param[in]  client  the worker
 * @param[in]  name    of the option
 * @param[in]  value   its value
 * @return HAFT_OK, what a push failed with.
 * @note Thread class: any. @since 1.0
 */
HAFT_API haft_status haft_parameter_client_set_option(haft_parameter_client* client, const char* name,
                                                      double value) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
