/* Batches of 64 normalised, shuffled Fashion-MNIST images a second. usage: loader THREADS */
#include "bench/must.h"
#include "bench/timing.h"

#define FOLDER "/usr/share/datasets/fashion-mnist/"

static int64_t images;

static void epochs(void* arg, int n) {
  haft_loader* loader = arg;
  for (int i = 0; i < n; ++i) {
    haft_status s;
    haft_tensor* batch[2] = {NULL, NULL};
    int64_t fields = 0;
    while ((s = haft_loader_next(loader, batch, 2, &fields)) == HAFT_OK) {
      int64_t size[4], dims = 0;
      must(haft_tensor_get_size(batch[0], size, 4, &dims));
      images += size[0];
      haft_tensor_release_many(batch, fields);
    }
    if (s != HAFT_END) must(s);
    must(haft_loader_reset(loader));
  }
}

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  const double mean = 0.2860, std = 0.3530;
  haft_dataset* dataset = NULL;
  haft_transform* transforms[2] = {NULL, NULL};
  haft_loader_options options = HAFT_LOADER_OPTIONS_INIT;
  double best = 0;
  must(haft_set_num_threads(threads));
  must(haft_idx_dataset_create(FOLDER "train-images-idx3-ubyte.gz", FOLDER "train-labels-idx1-ubyte.gz",
                               &dataset));
  must(haft_to_float_transform_create(1 / 255.0, &transforms[0]));
  must(haft_normalize_transform_create(&mean, &std, 1, &transforms[1]));
  options.batch_size = 64;
  options.shuffle = 1;
  options.drop_last = 1;
  options.transforms = transforms;
  options.transform_count = 2;
  /* As on the peer's side, the faster of no worker and `threads` workers counts. */
  for (int workers = 0; workers <= threads; workers += threads) {
    haft_loader* loader = NULL;
    timing t;
    int64_t epoch;
    options.num_workers = workers;
    must(haft_loader_create(dataset, &options, &loader));
    images = 0;
    epochs(loader, 1);
    epoch = images;
    t = measure("loader", epochs, loader, 0.3, 5);
    /* By wall time at every thread count: workers would hide processor time from the caller. */
    if ((double)epoch / t.wall > best) best = (double)epoch / t.wall;
    haft_loader_release(loader);
  }
  emit("loader", threads, "images/s", best, NULL);
  haft_transform_release(transforms[0]);
  haft_transform_release(transforms[1]);
  haft_dataset_release(dataset);
  return 0;
}
