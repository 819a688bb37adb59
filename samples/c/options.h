/* The command line of the samples: pairs of a name and a value. */
#ifndef SAMPLES_OPTIONS_H
#define SAMPLES_OPTIONS_H

#include <haft/haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char* text_option(int argc, char** argv, const char* name, const char* value) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (!strcmp(argv[i], name)) value = argv[i + 1];
  return value;
}

static inline long option(int argc, char** argv, const char* name, long value) {
  const char* text = text_option(argc, argv, name, NULL);
  return text ? strtol(text, NULL, 10) : value;
}

/* --device: "cpu", "cuda:0", ...; "cuda" is one for each process of a machine. What this thread makes from here on
 * lies there, unless it says otherwise. Ends the program with code 2 and the reason where the device cannot serve. */
static inline haft_device use_device(int argc, char** argv, int local_rank) {
  const char *text = text_option(argc, argv, "--device", "cpu"), *slash = strrchr(argv[0], '/');
  haft_device device = HAFT_DEVICE_CPU;
  char own[64];
  if (strcmp(text, "cpu") && !strchr(text, ':')) {
    snprintf(own, sizeof own, "%s:%d", text, local_rank);
    text = own;
  }
  if (haft_device_parse(text, &device) != HAFT_OK || haft_set_default_device(device) != HAFT_OK) {
    fprintf(stderr, "%s: %s\n", slash ? slash + 1 : argv[0], haft_error_get_message());
    exit(2);
  }
  return device;
}

/* A copy on this thread's device, unless the tensor lies there. */
static inline haft_status to_device(haft_tensor* t, haft_tensor** out) {
  haft_device device = HAFT_DEVICE_CPU;
  const haft_status status = haft_get_default_device(&device);
  return status == HAFT_OK ? haft_to(t, HAFT_DTYPE_NONE, device, 0, out) : status;
}

#endif
