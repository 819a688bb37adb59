/* A plug-in that scores rows of features with a small network in an inference session of haft.
 *
 *   cc -O2 -shared -fPIC scorer.c -o scorer.so $(pkg-config --cflags --libs haft)
 */
#include "scorer.h"

#include <haft/haft.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef SCORER_HIDDEN
#define SCORER_HIDDEN 256
#endif
enum { FEATURES = 64, CLASSES = 10, MOST_ROWS = 32 };

struct scorer {
  haft_session* session;
  haft_device device; /* a default is its thread's, and requests come from many: they name it */
};

static void tell(char* why, size_t room) { snprintf(why, room, "%s", haft_error_get_message()); }

/* (n, 64) -> (n, 10), with weights from a file unless that is NULL. */
static haft_status network(const char* weights, haft_device device, haft_module** out) {
  haft_module *layers[4] = {NULL, NULL, NULL, NULL}, *net = NULL;
  haft_linear_options hidden = HAFT_LINEAR_OPTIONS_INIT, last = HAFT_LINEAR_OPTIONS_INIT;
  haft_softmax_options over = HAFT_SOFTMAX_OPTIONS_INIT;
  haft_status s;
  hidden.in_features = FEATURES, hidden.out_features = SCORER_HIDDEN;
  last.in_features = SCORER_HIDDEN, last.out_features = CLASSES;
  hidden.device = last.device = device;
  over.dim = 1;
  s = haft_linear_create(&hidden, &layers[0]);
  if (s == HAFT_OK) s = haft_relu_create(&layers[1]);
  if (s == HAFT_OK) s = haft_linear_create(&last, &layers[2]);
  if (s == HAFT_OK) s = haft_softmax_create(&over, &layers[3]);
  if (s == HAFT_OK) s = haft_sequential_create(layers, 4, &net);
  for (int i = 0; i < 4; ++i) haft_module_release(layers[i]);
  if (s == HAFT_OK && weights) s = haft_module_load(net, weights, 1);
  if (s == HAFT_OK) s = haft_module_train(net, 0);
  if (s == HAFT_OK)
    *out = net;
  else
    haft_module_release(net);
  return s;
}

static int scorer_train(const char* weights, long seed, char* why, size_t room) {
  haft_module* net = NULL;
  haft_status s = haft_generator_seed(NULL, seed);
  if (s == HAFT_OK) s = network(NULL, HAFT_DEVICE_CPU, &net);
  if (s == HAFT_OK) s = haft_module_save(net, weights);
  if (s != HAFT_OK) tell(why, room);
  haft_module_release(net);
  return s != HAFT_OK;
}

static scorer* scorer_open(const char* name, const char* weights, const char* device, char* why,
                           size_t room) {
  scorer* s = malloc(sizeof *s);
  haft_module* net = NULL;
  haft_session_options options = HAFT_SESSION_OPTIONS_INIT;
  if (!s) {
    snprintf(why, room, "out of memory");
    return NULL;
  }
  options.name = name;
  options.max_batch = MOST_ROWS; /* requests that come together run together ... */
  options.max_delay_us = 500;    /* ... and none waits longer than this for company */
  options.max_queue = 24;        /* one more is told to come again: the queue is where a service grows slow */
  options.memory_limit = 64 << 20;
  options.timeout_us = 10000000;
  s->session = NULL;
  if (haft_device_parse(device, &s->device) != HAFT_OK || network(weights, s->device, &net) != HAFT_OK ||
      haft_session_create(net, &options, &s->session) != HAFT_OK) {
    tell(why, room);
    free(s);
    s = NULL;
  }
  haft_module_release(net); /* the session has it */
  return s;
}

static int scorer_reload(scorer* s, const char* weights, char* why, size_t room) {
  haft_module* net = NULL;
  haft_status status = network(weights, s->device, &net);
  if (status == HAFT_OK) status = haft_session_update(s->session, net);
  if (status != HAFT_OK) tell(why, room);
  haft_module_release(net);
  return status != HAFT_OK;
}

static score_status scorer_score(scorer* s, const float* features, int rows, float* scores, char* why,
                                 size_t room) {
  const int64_t size[2] = {rows, FEATURES};
  haft_tensor *x = NULL, *y = NULL;
  int64_t count = 0;
  haft_status status;
  if (rows < 1 || rows > MOST_ROWS) {
    snprintf(why, room, "a request has 1 to %d rows, this one %d", MOST_ROWS, rows);
    return SCORE_BAD_REQUEST;
  }
  status = haft_tensor_from_data(features, size, 2, HAFT_FLOAT32, s->device, &x);
  if (status == HAFT_OK) status = haft_session_run(s->session, &x, 1, HAFT_NONE, &y, 1, &count);
  if (status == HAFT_OK) status = haft_tensor_read(y, scores, (int64_t)sizeof(float) * rows * CLASSES);
  if (status != HAFT_OK) tell(why, room);
  haft_tensor_release(y);
  haft_tensor_release(x);
  switch (status) {
    case HAFT_OK: return SCORE_OK;
    case HAFT_ERROR_QUEUE_FULL: return SCORE_BUSY;
    case HAFT_ERROR_TIMEOUT: return SCORE_LATE;
    case HAFT_ERROR_CANCELLED: return SCORE_CLOSED;
    default: return SCORE_FAILED;
  }
}

static size_t scorer_metrics(char* text, size_t room) {
  int64_t needed = 0;
  haft_metrics_to_text(text, (int64_t)room, &needed);
  return (size_t)needed;
}

static int scorer_stop(scorer* s, int patience_ms) {
  const int drained = haft_session_drain(s->session, (int64_t)patience_ms * 1000) == HAFT_OK;
  haft_session_close(s->session); /* its threads have ended, and its module is let go of */
  return drained;
}

static void scorer_release(scorer* s) {
  haft_session_release(s->session);
  free(s);
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const scorer_api*
scorer_plugin(void);
const scorer_api* scorer_plugin(void) {
  static const scorer_api api = {SCORER_VERSION, FEATURES,    CLASSES,       MOST_ROWS,
                                 scorer_train,   scorer_open, scorer_reload, scorer_score,
                                 scorer_metrics, scorer_stop, scorer_release};
  return &api;
}
