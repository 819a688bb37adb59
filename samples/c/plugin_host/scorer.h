/* What the host knows of its plug-ins: each exports scorer_plugin(), which answers this table. Nothing here speaks of
 * haft. */
#ifndef SCORER_H
#define SCORER_H
#include <stddef.h>

enum { SCORER_VERSION = 1 };
typedef enum score_status {
  SCORE_OK,
  SCORE_BUSY,        /* too many wait: come again later */
  SCORE_LATE,        /* not answered in time */
  SCORE_CLOSED,      /* the model is being stopped */
  SCORE_BAD_REQUEST, /* the caller's mistake, `why` tells which */
  SCORE_FAILED
} score_status;

typedef struct scorer scorer; /* one model that serves */
typedef struct scorer_api {
  int version; /* SCORER_VERSION */
  int features, classes, most_rows;
  /* Writes a file of weights: stands in for your training. 0 when it did. */
  int (*train)(const char* weights, long seed, char* why, size_t room);
  /* A model called `name` in the metrics, on a device as "cpu" or "cuda:0"; NULL with the reason. */
  scorer* (*open)(const char* name, const char* weights, const char* device, char* why, size_t room);
  /* Other weights, while it serves; when they do not fit the old ones stay. 0 when they are in use. */
  int (*reload)(scorer* s, const char* weights, char* why, size_t room);
  /* On any thread: rows of features in, as many rows of scores out. */
  score_status (*score)(scorer* s, const float* features, int rows, float* scores, char* why, size_t room);
  /* Prometheus' text of the whole process; the bytes that it needs, the final 0 included. */
  size_t (*metrics)(char* text, size_t room);
  /* Takes nothing new, answers what it has, and after patience_ms answers the rest with SCORE_CLOSED. 1 when none was
   * left. */
  int (*stop)(scorer* s, int patience_ms);
  /* After stop(), when nobody is inside score() any more. From here on the plug-in may be closed. */
  void (*release)(scorer* s);
} scorer_api;

typedef const scorer_api* (*scorer_plugin_fn)(void);

#endif
