/* What went wrong: one record per thread, written by the failing call and kept until the next failure or clear. */
#ifndef HAFT_ERROR_H
#define HAFT_ERROR_H
#include <haft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* After a failure a function's outs are as they were before the call, with one exception: where a list or a text finds
 * no room (HAFT_ERROR_INVALID_ARGUMENT for capacity), the number that would be needed is written to count or needed, so
 * that the caller can come again with room for it. */
typedef struct haft_error_info {
  uint32_t struct_size;
  haft_status code;       /* HAFT_OK when nothing failed */
  int32_t argument_index; /* position of the argument at fault, from 0; -1: none */
  int32_t reserved;
  /* Never NULL; they live until the thread's next failing call. */
  const char* function;  /* that failed: "haft_add"; empty: none */
  const char* argument;  /* its name; empty: none */
  const char* message;   /* what, what came, what was wanted */
  const char* hint;      /* what to do about it; may be empty */
  int64_t foreign_token; /* the exception token a callback left with haft_error_set_token; 0: none */
} haft_error_info;
#define HAFT_ERROR_INFO_INIT \
  { (uint32_t)sizeof(haft_error_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * @brief Details of this thread's last failure.
 * @param[in,out] info  struct_size set; the other fields are filled
 * @return HAFT_OK or HAFT_ERROR_INVALID_ARGUMENT, HAFT_ERROR_BAD_STRUCT (which leave the record as it is).
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_error_get_last(haft_error_info* info) HAFT_NOTHROW;

/**
 * @brief The message of this thread's last failure: "haft_add: [add] shapes ... (hint)". Never NULL.
 * @return text that lives until the thread's next failing call
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API const char* haft_error_get_message(void) HAFT_NOTHROW;

/**
 * @brief Forgets this thread's last failure.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API void haft_error_clear(void) HAFT_NOTHROW;

/**
 * @brief For callbacks: leaves the text that the failing call will report, and the status to report it with.
 * @param[in] code     any status but HAFT_OK
 * @param[in] message  UTF-8 text, copied; NULL: none
 * @param[in] token    a number that names the caller's own exception, given back in haft_error_info; 0: none
 * @return code, so that a callback may write `return haft_error_set(...)`.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API haft_status haft_error_set(haft_status code, const char* message, int64_t token) HAFT_NOTHROW;

/**
 * @brief The name of a status, "HAFT_ERROR_SHAPE"; "HAFT_ERROR_UNKNOWN" for a number that is none. Static text.
 * @param[in] status  any number
 * @return static text.
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API const char* haft_status_get_name(haft_status status) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
