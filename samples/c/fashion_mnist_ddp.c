/* Several processes train one network on Fashion-MNIST: each on its share of the pictures, gradients are the mean of
 * all.
 *
 * cc fashion_mnist_ddp.c $(pkg-config --cflags --libs haft) -o fashion_mnist_ddp
 * haft-run --nproc-per-node 2 ./fashion_mnist_ddp [--data FOLDER] [--steps N] [--device cpu]
 *
 * Where the folder has no pictures, drawn ones take their place. */
#include "options.h"

enum { CLASSES = 10, SIDE = 28, PIXELS = SIDE * SIDE, DRAWN = 2000, BATCH = 32, MOST_PARAMETERS = 16 };

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "fashion_mnist_ddp: %s\n", haft_error_get_message());
  exit(1);
}

/* ---- data ---- */

/* Pictures with a bright stripe whose height tells the class, in noise; the same in every process. */
static haft_dataset* draw_dataset(void) {
  const int64_t image_size[4] = {DRAWN, 1, SIDE, SIDE}, label_size[1] = {DRAWN};
  unsigned char* pixels = malloc((size_t)DRAWN * PIXELS);
  int64_t* classes = malloc(DRAWN * sizeof *classes);
  haft_tensor* fields[2] = {NULL, NULL};
  haft_dataset* dataset = NULL;
  uint32_t noise = 1;
  if (!pixels || !classes) exit(1);
  for (int i = 0; i < DRAWN; ++i) {
    classes[i] = i % CLASSES;
    for (int p = 0; p < PIXELS; ++p) {
      noise = noise * 1664525u + 1013904223u;
      pixels[i * PIXELS + p] =
          (unsigned char)((noise >> 24) / 4 + (p / SIDE / 2 - 2 == classes[i] ? 128 : 0));
    }
  }
  must(haft_tensor_from_data(pixels, image_size, 4, HAFT_UINT8, HAFT_DEVICE_CPU, &fields[0]));
  must(haft_tensor_from_data(classes, label_size, 1, HAFT_INT64, HAFT_DEVICE_CPU, &fields[1]));
  must(haft_tensor_dataset_create(fields, 2, &dataset));
  haft_tensor_release_many(fields, 2);
  free(pixels);
  free(classes);
  return dataset;
}

static haft_dataset* open_dataset(const char* folder) {
  char images[4096], labels[4096];
  haft_dataset* dataset = NULL;
  FILE* there;
  snprintf(images, sizeof images, "%s/train-images-idx3-ubyte.gz", folder);
  snprintf(labels, sizeof labels, "%s/train-labels-idx1-ubyte.gz", folder);
  if (!(there = fopen(images, "rb"))) return draw_dataset();
  fclose(there);
  must(haft_idx_dataset_create(images, labels, &dataset));
  return dataset;
}

/* Batches of this rank's share: as many for each rank. */
static haft_loader* create_loader(const haft_dataset* dataset, int rank, int world_size) {
  const double mean = 0.2860, std = 0.3530;
  haft_transform* transforms[2] = {NULL, NULL};
  haft_loader_options options = HAFT_LOADER_OPTIONS_INIT;
  haft_tensor* share = NULL;
  haft_loader* loader = NULL;
  int64_t count = 0;
  must(haft_dataset_get_size(dataset, &count));
  must(haft_arange(haft_scalar_int(rank), haft_scalar_int(count - count % world_size),
                   haft_scalar_int(world_size), HAFT_INT64, HAFT_DEVICE_CPU, &share));
  must(haft_to_float_transform_create(1.0 / 255, &transforms[0]));
  must(haft_normalize_transform_create(&mean, &std, 1, &transforms[1]));
  options.batch_size = BATCH;
  options.drop_last = 1;
  options.shuffle = 1;
  options.seed = rank;
  options.num_workers = 1;
  options.indices = share;
  options.transforms = transforms;
  options.transform_count = 2;
  must(haft_loader_create(dataset, &options, &loader));
  haft_transform_release(transforms[0]);
  haft_transform_release(transforms[1]);
  haft_tensor_release(share);
  return loader;
}

/* ---- network ---- */

static haft_module* create_network(void) {
  haft_conv2d_options conv = HAFT_CONV2D_OPTIONS_INIT;
  haft_max_pool2d_options pool = HAFT_MAX_POOL2D_OPTIONS_INIT;
  haft_linear_options linear = HAFT_LINEAR_OPTIONS_INIT;
  haft_module *layers[5] = {NULL}, *net = NULL;
  conv.in_channels = 1, conv.out_channels = 16;
  conv.kernel_size[0] = conv.kernel_size[1] = 3;
  must(haft_conv2d_create(&conv, &layers[0])); /* (N, 1, 28, 28) to (N, 16, 26, 26) */
  must(haft_relu_create(&layers[1]));
  pool.kernel_size[0] = pool.kernel_size[1] = 2;
  must(haft_max_pool2d_create(&pool, &layers[2])); /* to (N, 16, 13, 13) */
  must(haft_flatten_create(NULL, &layers[3]));
  linear.in_features = 16 * 13 * 13, linear.out_features = CLASSES;
  must(haft_linear_create(&linear, &layers[4]));
  must(haft_sequential_create(layers, 5, &net));
  for (int i = 0; i < 5; ++i) haft_module_release(layers[i]);
  return net;
}

/* All parameters, one behind the other. */
static haft_tensor* weights_of(const haft_module* net) {
  haft_tensor *parameters[MOST_PARAMETERS], *flat[MOST_PARAMETERS], *all = NULL;
  int64_t count = 0;
  must(haft_module_parameters(net, parameters, MOST_PARAMETERS, &count));
  must(haft_set_grad_enabled(0, NULL));
  for (int64_t i = 0; i < count; ++i) must(haft_flatten(parameters[i], 0, -1, &flat[i]));
  must(haft_cat(flat, count, 0, &all));
  must(haft_set_grad_enabled(1, NULL));
  haft_tensor_release_many(flat, count);
  haft_tensor_release_many(parameters, count);
  return all;
}

/* Whether every rank's weights are this one's, bit by bit. */
static int agrees(const haft_module* net, haft_process_group* world, int world_size) {
  haft_tensor *mine = weights_of(net), *all = NULL;
  int64_t count = 0, size[1];
  int same = 1;
  char* bytes;
  must(haft_tensor_get_numel(mine, &count));
  size[0] = count * world_size;
  must(haft_empty(size, 1, HAFT_FLOAT32, HAFT_DEVICE_DEFAULT, &all));
  must(haft_process_group_all_gather_into(world, all, mine, NULL, 0, NULL));
  count *= (int64_t)sizeof(float);
  if (!(bytes = malloc((size_t)(count * world_size)))) exit(1);
  must(haft_tensor_read(all, bytes, count * world_size));
  for (int r = 1; r < world_size; ++r) same &= !memcmp(bytes, bytes + r * count, (size_t)count);
  free(bytes);
  haft_tensor_release(mine);
  haft_tensor_release(all);
  return same;
}

/* ---- training ---- */

static double train_step(haft_data_parallel* parallel, haft_optimizer* optimizer, haft_loader* loader) {
  haft_tensor *batch[2] = {NULL, NULL}, *scores = NULL, *loss = NULL;
  int64_t fields = 0;
  double value = 0;
  haft_status status;
  must(haft_scope_begin());
  while ((status = haft_loader_next(loader, batch, 2, &fields)) == HAFT_END) must(haft_loader_reset(loader));
  must(status);
  for (int i = 0; i < 2; ++i) must(to_device(batch[i], &batch[i]));
  must(haft_data_parallel_forward(parallel, batch[0], &scores));
  must(haft_cross_entropy(scores, batch[1], NULL, HAFT_REDUCTION_MEAN, -100, 0, &loss));
  /* Gradients lie in the buckets: they are kept, and nothing is copied. */
  must(haft_optimizer_zero_grad(optimizer, 0));
  must(haft_tensor_backward(loss, NULL, 0)); /* all ranks' gradients are joined when it returns */
  must(haft_optimizer_step(optimizer));
  must(haft_tensor_get_item_double(loss, &value));
  must(haft_scope_end());
  return value;
}

int main(int argc, char** argv) {
  const char* folder = text_option(argc, argv, "--data", "/usr/share/datasets/fashion-mnist");
  long steps = option(argc, argv, "--steps", 500);
  int32_t rank = 0, world_size = 1, threads = 1;
  haft_launch_environment launched = HAFT_LAUNCH_ENVIRONMENT_INIT;
  haft_store* store = NULL;
  haft_process_group* world = NULL;
  haft_tensor *parameters[MOST_PARAMETERS], *losses = NULL;
  haft_sgd_options sgd = HAFT_SGD_OPTIONS_INIT;
  haft_optimizer* optimizer = NULL;
  haft_data_parallel* parallel = NULL;
  int64_t count = 0;
  float loss[2] = {0, 0}; /* over the first ten steps, and over the last */
  const int64_t two[1] = {2};
  if (steps < 20) steps = 20;

  must(haft_get_launch_environment(&launched));
  use_device(argc, argv, launched.local_rank);
  must(haft_get_num_threads(&threads));
  must(haft_set_num_threads(threads > launched.local_world_size ? threads / launched.local_world_size : 1));
  must(haft_rendezvous("env://", NULL, &store, &rank, &world_size));
  must(haft_process_group_create(store, rank, world_size, NULL, &world));
  haft_store_release(store); /* the group keeps it */

  must(haft_generator_seed(NULL, rank)); /* every rank begins with other weights, and gets those of rank 0 */
  haft_dataset* dataset = open_dataset(folder);
  haft_loader* loader = create_loader(dataset, rank, world_size);
  haft_module* net = create_network();
  must(haft_data_parallel_create(net, world, NULL, &parallel));
  sgd.lr = 0.02, sgd.momentum = 0.9;
  must(haft_module_parameters(net, parameters, MOST_PARAMETERS, &count));
  must(haft_sgd_create(parameters, count, &sgd, &optimizer));
  haft_tensor_release_many(parameters, count);

  for (long step = 0; step < steps; ++step) {
    const double value = train_step(parallel, optimizer, loader);
    if (step < 10) loss[0] += (float)(value / 10);
    if (step >= steps - 10) loss[1] += (float)(value / 10);
  }

  must(haft_tensor_from_data(loss, two, 1, HAFT_FLOAT32, HAFT_DEVICE_DEFAULT, &losses));
  must(haft_process_group_all_reduce(world, losses, HAFT_REDUCE_OP_AVG, NULL));
  must(haft_tensor_read(losses, loss, sizeof loss));
  const int same = agrees(net, world, world_size);
  if (rank == 0)
    printf("%d ranks, %ld steps: loss %.4f to %.4f, weights %s\n", (int)world_size, steps, loss[0], loss[1],
           same ? "agree" : "DIFFER");

  haft_tensor_release(losses);
  haft_data_parallel_release(parallel);
  haft_optimizer_release(optimizer);
  haft_module_release(net);
  haft_loader_release(loader);
  haft_dataset_release(dataset);
  haft_process_group_release(world);
  return same ? 0 : 1;
}
