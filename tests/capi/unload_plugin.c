/* A plug-in that uses haft, linked to it or (UNLOAD_BY_HAND) opening it itself: what it starts shall outlive it. */
#ifdef UNLOAD_BY_HAND
#include <haft/haft_dl.h>
#endif
#include <haft/haft.h>
#include <stdio.h>

#define TRY(call)                                        \
  do {                                                   \
    if ((call) != HAFT_OK) {                             \
      fprintf(stderr, "%s\n", haft_error_get_message()); \
      goto failed;                                       \
    }                                                    \
  } while (0)

static void hurry(haft_request* request, haft_status status, void* user) {
  *(int*)user = request && status == HAFT_OK;
}

/* Wakes the engine's pool, fills the thread's caches, and has a session with threads of its own come and go. The
 * number of the pool's threads is the engine's memory of the last call: what it was comes back. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int work(const char* library, int threads);
int work(const char* library, int threads) {
  const int64_t size[2] = {256, 1024};
  haft_tensor *x = NULL, *y = NULL, *z = NULL;
  haft_linear_options options = HAFT_LINEAR_OPTIONS_INIT;
  haft_session_options serving = HAFT_SESSION_OPTIONS_INIT;
  haft_module* net = NULL;
  haft_session* session = NULL;
  haft_request* request = NULL;
  int32_t before = 0;
  int told = 0, answer = -1;
#ifdef UNLOAD_BY_HAND
  if (haft_dl_load(library) != 0) {
    fprintf(stderr, "%s\n", haft_dl_error());
    return -1;
  }
#else
  (void)library;
#endif
  TRY(haft_get_num_threads(&before));
  TRY(haft_set_num_threads(threads));
  TRY(haft_randn(size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, NULL, &x));
  TRY(haft_exp(x, &y));
  /* An error record of the thread, too. */
  TRY(haft_mm(x, y, &z) == HAFT_ERROR_SHAPE ? HAFT_OK : HAFT_ERROR_INTERNAL);
  options.in_features = 1024, options.out_features = 8;
  TRY(haft_linear_create(&options, &net));
  serving.max_batch = 512;
  TRY(haft_session_create(net, &serving, &session));
  TRY(haft_session_submit(session, &x, 1, HAFT_NONE, hurry, &told, NULL, &request));
  TRY(haft_session_close(session)); /* told by an answer or by its end */
  answer = before;
failed:
  haft_request_release(request);
  haft_session_release(session);
  haft_module_release(net);
  haft_tensor_release(y);
  haft_tensor_release(x);
  return answer;
}
