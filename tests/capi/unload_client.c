/* A program that never heard of haft opens plug-ins that use it and closes them again: the plug-in's code goes, the
 * engine stays with its threads and what it knows, in one copy, for the next one. A thread that used it ends after
 * the plug-in is gone, a fork goes on with it, and the process ends with the engine's threads alive.
 *
 * usage: unload_client LIBHAFT PLUGIN... */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *library, *soname;
static char** plugins;
static int count;
static pthread_barrier_t barrier;

static void die(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why ? why : "");
  exit(1);
}

/* What the plug-in answered. */
static int open_work_close(int i, int threads) {
  int (*work)(const char*, int);
  void *plugin = dlopen(plugins[i], RTLD_NOW | RTLD_LOCAL), *symbol, *engine;
  int answer;
  if (!plugin) die(plugins[i], dlerror());
  symbol = dlsym(plugin, "work");
  if (!symbol) die(plugins[i], dlerror());
  memcpy(&work, &symbol, sizeof work);
  answer = work(library, threads);
  if (answer < 0) die(plugins[i], "its work failed");
  dlclose(plugin);
  engine = dlopen(soname, RTLD_NOW | RTLD_NOLOAD);
  if (!engine) die(soname, "did not stay");
  dlclose(engine);
  return answer;
}

static void expect_gone(void) {
  for (int i = 0; i < count; ++i)
    if (dlopen(plugins[i], RTLD_NOW | RTLD_NOLOAD)) die(plugins[i], "did not go");
}

static void* thread(void* unused) {
  open_work_close(0, 2);
  pthread_barrier_wait(&barrier); /* all plug-ins are closed from here ... */
  pthread_barrier_wait(&barrier); /* ... to here, and again when this thread ends */
  return unused;
}

int main(int argc, char** argv) {
  pthread_t other;
  int status = 0;
  if (argc < 3) return 2;
  library = argv[1];
  soname = strrchr(library, '/') ? strrchr(library, '/') + 1 : library;
  plugins = argv + 2;
  count = argc - 2;
  pthread_barrier_init(&barrier, NULL, 2);
  if (pthread_create(&other, NULL, thread, NULL) != 0) return 1;
  pthread_barrier_wait(&barrier);
  expect_gone();
  for (int round = 0; round < 20; ++round)
    if (open_work_close(round % count, 3 + round) != (round ? 2 + round : 2))
      die("the engine", "is not the one of the last plug-in");
  expect_gone();

  const pid_t child = fork();
  if (child == 0) { /* the engine's threads stayed behind, and come anew */
    for (int i = 0; i < count; ++i) open_work_close(i, 2);
    exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) die("the child", "failed");
  expect_gone();
  pthread_barrier_wait(&barrier);
  pthread_join(other, NULL);
  return open_work_close(0, 2) == 22 ? 0 : 1;
}
