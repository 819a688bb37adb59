/* A convolutional network learns Fashion-MNIST: 60,000 grey pictures of ten kinds of clothing.
 *
 * cc fashion_mnist.c $(pkg-config --cflags --libs haft) -lm */
#define _DEFAULT_SOURCE
#include <haft/haft.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

enum { CLASSES = 10, SIDE = 28, TEST_BATCH = 500, LOG_EVERY = 50 };

static const char* const kNames[CLASSES] = {"T-shirt", "Trouser", "Pullover", "Dress", "Coat",
                                            "Sandal",  "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

/* ---- failing: one line, then exit code 2 for what the user gave and 1 for all else ---- */

static void die(int code, const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  for (char* line = text; (line = strchr(line, '\n'));) *line = ' ';
  progress_clear();
  fflush(stdout);
  fprintf(stderr, "fashion_mnist: %s\n", text);
  exit(code);
}

static void must(haft_status status) {
  if (status != HAFT_OK) die(1, "%s", haft_error_get_message());
}

/* For calls that open what the user named. */
static void must_open(haft_status status) {
  if (status != HAFT_OK) die(2, "%s", haft_error_get_message());
}

/* ---- options ---- */

struct options {
  long epochs, batch, threads, seed;
  double lr;
  const char *data, *device, *out;
};

static const char kHelp[] =
    "usage: fashion_mnist [OPTION VALUE]...\n"
    "  --epochs N    passes over the 60,000 images (3)\n"
    "  --batch N     images a step (64)\n"
    "  --lr X        highest learning rate of AdamW; it falls to 0 along a cosine (0.002)\n"
    "  --data DIR    the four IDX files, plain or .gz (/usr/share/datasets/fashion-mnist,\n"
    "                from Debian's package dataset-fashion-mnist)\n"
    "  --threads N   threads of an operator (all processors)\n"
    "  --seed N      of weights, order and dropout; the same seed and threads give the same numbers (0)\n"
    "  --device D    cpu, or a device whose plug-in is installed (cpu)\n"
    "  --out DIR     gets weights.safetensors and the TensorBoard events (fashion_mnist.out)\n";

static const char* text(const char* name, const char* value) {
  if (!value) die(2, "%s wants a value", name);
  return value;
}

static long integer(const char* name, const char* value, long lowest, long highest) {
  char* end = NULL;
  const long number = strtol(text(name, value), &end, 10);
  if (end == value || *end || number < lowest || number > highest)
    die(2, "%s wants an integer from %ld to %ld, got '%s'", name, lowest, highest, value);
  return number;
}

static double positive(const char* name, const char* value) {
  char* end = NULL;
  const double number = strtod(text(name, value), &end);
  if (end == value || *end || !(number > 0) || isinf(number))
    die(2, "%s wants a positive number, got '%s'", name, value);
  return number;
}

static struct options parse(int argc, char** argv) {
  struct options o = {3, 64, 0, 0, 2e-3, "/usr/share/datasets/fashion-mnist", "cpu", "fashion_mnist.out"};
  for (int i = 1; i < argc; i += 2) {
    const char *name = argv[i], *value = argv[i + 1]; /* NULL behind the last one */
    if (!strcmp(name, "--epochs"))
      o.epochs = integer(name, value, 1, 10000);
    else if (!strcmp(name, "--batch"))
      o.batch = integer(name, value, 1, 60000);
    else if (!strcmp(name, "--lr"))
      o.lr = positive(name, value);
    else if (!strcmp(name, "--data"))
      o.data = text(name, value);
    else if (!strcmp(name, "--threads"))
      o.threads = integer(name, value, 1, 256);
    else if (!strcmp(name, "--seed"))
      o.seed = integer(name, value, 0, 2147483647);
    else if (!strcmp(name, "--device"))
      o.device = text(name, value);
    else if (!strcmp(name, "--out"))
      o.out = text(name, value);
    else if (!strcmp(name, "--help")) {
      fputs(kHelp, stdout);
      exit(0);
    } else
      die(2, "unknown option '%s' (--help lists them)", name);
  }
  return o;
}

/* ---- data ---- */

static void join(char* path, size_t room, const char* folder, const char* name) {
  if ((size_t)snprintf(path, room, "%s/%s", folder, name) >= room)
    die(2, "path too long: %s/%s", folder, name);
}

/* folder/name, or folder/name.gz when there is no plain file. */
static void find_file(char* path, size_t room, const char* folder, const char* name) {
  join(path, room, folder, name);
  if (access(path, F_OK) != 0 && strlen(path) + sizeof ".gz" <= room) strcat(path, ".gz");
}

static haft_dataset* open_dataset(const char* folder, const char* prefix) {
  char name[64], images[4096], labels[4096];
  haft_dataset* dataset = NULL;
  haft_tensor* item[2] = {NULL, NULL}; /* image, label */
  int64_t count = 0, fields = 0, size[3] = {0, 0, 0}, dims = 0, label = 0;
  snprintf(name, sizeof name, "%s-images-idx3-ubyte", prefix);
  find_file(images, sizeof images, folder, name);
  snprintf(name, sizeof name, "%s-labels-idx1-ubyte", prefix);
  find_file(labels, sizeof labels, folder, name);
  must_open(haft_idx_dataset_create(images, labels, &dataset));

  must(haft_dataset_get_size(dataset, &count));
  if (count == 0) die(2, "%s: no images", images);
  for (int64_t i = 0; i < count; ++i) {
    must(haft_dataset_item(dataset, i, item, 2, &fields));
    must(haft_tensor_get_size(item[0], size, 3, &dims));
    must(haft_tensor_get_item_int(item[1], &label));
    haft_tensor_release_many(item, fields);
    if (size[1] != SIDE || size[2] != SIDE)
      die(2, "%s: images of %d x %d, wanted %d x %d", images, (int)size[1], (int)size[2], SIDE, SIDE);
    if (label < 0 || label >= CLASSES)
      die(2, "%s: label %d of image %d, wanted 0 to %d", labels, (int)label, (int)i, CLASSES - 1);
  }
  return dataset;
}

/* Batches of (n, 1, 28, 28) float32 images with mean 0 and standard deviation 1, and (n) int64 labels. */
static haft_loader* create_loader(const haft_dataset* dataset, int64_t batch, int shuffle, int64_t seed) {
  const double mean = 0.2860, std = 0.3530; /* of the training images */
  haft_transform* transforms[2] = {NULL, NULL};
  haft_loader_options options = HAFT_LOADER_OPTIONS_INIT;
  haft_loader* loader = NULL;
  must(haft_to_float_transform_create(1.0 / 255, &transforms[0]));
  must(haft_normalize_transform_create(&mean, &std, 1, &transforms[1]));
  options.batch_size = batch;
  options.shuffle = shuffle;
  options.seed = seed;
  options.num_workers = 1;
  options.transforms = transforms;
  options.transform_count = 2;
  must(haft_loader_create(dataset, &options, &loader));
  haft_transform_release(transforms[0]);
  haft_transform_release(transforms[1]);
  return loader;
}

/* The next batch on the default device, lent until the scope ends; 0 at the end of the epoch. */
static int next_batch(haft_loader* loader, haft_tensor** images, haft_tensor** labels) {
  haft_tensor* batch[2] = {NULL, NULL};
  haft_device device = 0;
  int64_t fields = 0;
  const haft_status status = haft_loader_next(loader, batch, 2, &fields);
  if (status == HAFT_END) return 0;
  must(status);
  must(haft_get_default_device(&device));
  must(haft_to(batch[0], HAFT_DTYPE_NONE, device, 0, images));
  must(haft_to(batch[1], HAFT_DTYPE_NONE, device, 0, labels));
  return 1;
}

/* ---- network ---- */

static haft_module* create_network(void) {
  haft_conv2d_options conv = HAFT_CONV2D_OPTIONS_INIT;
  haft_max_pool2d_options pool = HAFT_MAX_POOL2D_OPTIONS_INIT;
  haft_dropout_options dropout = HAFT_DROPOUT_OPTIONS_INIT;
  haft_linear_options linear = HAFT_LINEAR_OPTIONS_INIT;
  haft_module *layers[11] = {NULL}, *net = NULL;
  conv.in_channels = 1, conv.out_channels = 32;
  conv.kernel_size[0] = conv.kernel_size[1] = 3;
  must(haft_conv2d_create(&conv, &layers[0])); /* (N, 1, 28, 28) to (N, 32, 26, 26) */
  must(haft_relu_create(&layers[1]));
  conv.in_channels = 32, conv.out_channels = 64;
  must(haft_conv2d_create(&conv, &layers[2])); /* to (N, 64, 24, 24) */
  must(haft_relu_create(&layers[3]));
  pool.kernel_size[0] = pool.kernel_size[1] = 2;
  must(haft_max_pool2d_create(&pool, &layers[4])); /* to (N, 64, 12, 12) */
  dropout.p = 0.25;
  must(haft_dropout_create(&dropout, &layers[5]));
  must(haft_flatten_create(NULL, &layers[6])); /* to (N, 9216) */
  linear.in_features = 9216, linear.out_features = 128;
  must(haft_linear_create(&linear, &layers[7]));
  must(haft_relu_create(&layers[8]));
  dropout.p = 0.5;
  must(haft_dropout_create(&dropout, &layers[9]));
  linear.in_features = 128, linear.out_features = CLASSES;
  must(haft_linear_create(&linear, &layers[10]));
  must(haft_sequential_create(layers, 11, &net));
  for (int i = 0; i < 11; ++i) haft_module_release(layers[i]); /* the container holds them */
  return net;
}

static haft_optimizer* create_optimizer(const haft_module* net, double lr) {
  haft_adamw_options options = HAFT_ADAMW_OPTIONS_INIT;
  haft_tensor* parameters[16];
  haft_optimizer* optimizer = NULL;
  int64_t count = 0;
  options.lr = lr;
  must(haft_module_parameters(net, parameters, 16, &count));
  must(haft_adamw_create(parameters, count, &options, &optimizer));
  haft_tensor_release_many(parameters, count);
  return optimizer;
}

/* ---- training ---- */

/* Sums over the images seen. They live on the device: only reading them waits for it. */
struct sums {
  haft_tensor *loss, *correct; /* (), float32 and int64 */
  long images;
};
struct means {
  double loss, accuracy;
  long images;
};

static struct sums create_sums(void) {
  struct sums s = {NULL, NULL, 0};
  must(haft_zeros(NULL, 0, HAFT_FLOAT32, HAFT_DEVICE_DEFAULT, &s.loss));
  must(haft_zeros(NULL, 0, HAFT_INT64, HAFT_DEVICE_DEFAULT, &s.correct));
  return s;
}

static void add_to_sums(struct sums* s, const haft_tensor* loss, const haft_tensor* scores,
                        const haft_tensor* labels, long n) {
  haft_tensor *total = NULL, *best = NULL, *hits = NULL, *count = NULL;
  int32_t recording = 0;
  must(haft_set_grad_enabled(0, &recording));
  must(haft_mul_scalar(loss, haft_scalar_int(n), &total));
  must(haft_add_(s->loss, total));
  must(haft_argmax(scores, 1, 0, &best));
  must(haft_eq(best, labels, &hits));
  must(haft_sum(hits, NULL, 0, 0, HAFT_INT64, &count));
  must(haft_add_(s->correct, count));
  must(haft_set_grad_enabled(recording, NULL));
  s->images += n;
}

static struct means read_means(const struct sums* s) {
  struct means m = {0, 0, s->images};
  int64_t correct = 0;
  must(haft_tensor_get_item_double(s->loss, &m.loss));
  must(haft_tensor_get_item_int(s->correct, &correct));
  m.loss /= (double)s->images;
  m.accuracy = (double)correct / (double)s->images;
  return m;
}

/* Points of the curves: the means over the images since `from`. */
static void log_point(haft_writer* writer, const haft_optimizer* optimizer, struct means from,
                      struct means to, long step) {
  const double images = (double)(to.images - from.images);
  const double loss = to.loss * to.images - from.loss * from.images;
  const double correct = to.accuracy * to.images - from.accuracy * from.images;
  double lr = 0;
  must(haft_optimizer_get_lr(optimizer, 0, &lr));
  must(haft_writer_add_scalar(writer, "loss/train", loss / images, step));
  must(haft_writer_add_scalar(writer, "accuracy/train", correct / images, step));
  must(haft_writer_add_scalar(writer, "learning rate", lr, step));
}

static void train_step(haft_module* net, haft_optimizer* optimizer, const haft_tensor* images,
                       const haft_tensor* labels, haft_tensor** scores, haft_tensor** loss) {
  must(haft_module_forward(net, images, scores));
  must(haft_cross_entropy(*scores, labels, NULL, HAFT_REDUCTION_MEAN, -100, 0, loss));
  must(haft_optimizer_zero_grad(optimizer, 1));
  must(haft_tensor_backward(*loss, NULL, 0));
  must(haft_optimizer_step(optimizer));
}

static struct means train_epoch(haft_module* net, haft_loader* loader, haft_optimizer* optimizer,
                                haft_scheduler* schedule, haft_writer* writer, struct progress* progress) {
  struct sums sums = create_sums();
  struct means logged = {0, 0, 0}, all;
  int64_t steps = 0, step = 0;
  must(haft_loader_get_batch_count(loader, &steps));
  must(haft_loader_reset(loader));
  must(haft_module_train(net, 1));
  for (;;) {
    haft_tensor *images = NULL, *labels = NULL, *scores = NULL, *loss = NULL;
    int64_t n = 0;
    must(haft_scope_begin()); /* tensors of this step go at its end */
    if (!next_batch(loader, &images, &labels)) break;
    train_step(net, optimizer, images, labels, &scores, &loss);
    must(haft_scheduler_step(schedule));
    must(haft_tensor_get_numel(labels, &n));
    add_to_sums(&sums, loss, scores, labels, (long)n);
    ++step;
    if (step % LOG_EVERY == 0 || step == steps) {
      const struct means m = read_means(&sums);
      log_point(writer, optimizer, logged, m, (long)((progress->epoch - 1) * steps + step));
      logged = m;
    }
    if (progress_due(progress)) {
      const struct means m = read_means(&sums);
      progress_draw(progress, (long)step, (long)steps, m.images, m.loss, m.accuracy);
    }
    must(haft_scope_end());
  }
  must(haft_scope_end());
  all = read_means(&sums);
  haft_tensor_release(sums.loss);
  haft_tensor_release(sums.correct);
  return all;
}

/* ---- testing ---- */

struct result {
  int64_t *predicted, *truth; /* class of each test image, in the order of the files */
  int64_t count;
  double accuracy;
};

static void test(haft_module* net, haft_loader* loader, struct result* result) {
  int64_t at = 0, correct = 0;
  int32_t before = 0;
  must(haft_loader_reset(loader));
  must(haft_module_train(net, 0));
  must(haft_set_inference_mode(1, &before));
  for (;;) {
    haft_tensor *images = NULL, *labels = NULL, *scores = NULL, *best = NULL;
    int64_t n = 0;
    must(haft_scope_begin());
    if (!next_batch(loader, &images, &labels)) break;
    must(haft_module_forward(net, images, &scores));
    must(haft_argmax(scores, 1, 0, &best));
    must(haft_tensor_get_numel(labels, &n));
    must(haft_tensor_read(best, result->predicted + at, n * (int64_t)sizeof(int64_t)));
    must(haft_tensor_read(labels, result->truth + at, n * (int64_t)sizeof(int64_t)));
    must(haft_scope_end());
    at += n;
  }
  must(haft_scope_end());
  must(haft_set_inference_mode(before, NULL));
  for (int64_t i = 0; i < at; ++i) correct += result->predicted[i] == result->truth[i];
  result->accuracy = (double)correct / (double)at;
}

static void print_confusion(const struct result* r) {
  int table[CLASSES][CLASSES] = {{0}};
  for (int64_t i = 0; i < r->count; ++i) ++table[r->truth[i]][r->predicted[i]];
  printf("\nConfusion: a row is what the pictures show, a column what the network saw.\n%14s", "");
  for (int column = 0; column < CLASSES; ++column) printf("%5d", column);
  printf("   found\n");
  for (int row = 0; row < CLASSES; ++row) {
    int total = 0;
    printf("%3d %-10s", row, kNames[row]);
    for (int column = 0; column < CLASSES; ++column) {
      total += table[row][column];
      printf("%5d", table[row][column]);
    }
    printf("  %5.1f %%\n", total ? 100.0 * table[row][row] / total : 0.0);
  }
}

/* The first two test pictures that the network got right, and the first two that it got wrong. */
static void print_pictures(const haft_dataset* dataset, const struct result* r) {
  unsigned char pixels[4][SIDE * SIDE];
  struct picture pictures[4];
  int shown = 0;
  for (int wrong = 0; wrong < 2; ++wrong) {
    int taken = 0;
    for (int64_t i = 0; i < r->count && taken < 2; ++i) {
      haft_tensor* item[2] = {NULL, NULL};
      int64_t fields = 0;
      if ((r->predicted[i] != r->truth[i]) != wrong) continue;
      must(haft_dataset_item(dataset, i, item, 2, &fields));
      must(haft_tensor_read(item[0], pixels[shown], SIDE * SIDE));
      haft_tensor_release_many(item, fields);
      pictures[shown].grey = pixels[shown];
      snprintf(pictures[shown].title[0], sizeof pictures[shown].title[0], "prediction %s",
               kNames[r->predicted[i]]);
      snprintf(pictures[shown].title[1], sizeof pictures[shown].title[1], "truth      %s",
               kNames[r->truth[i]]);
      ++shown, ++taken;
    }
  }
  printf("\nTest pictures, right ones first:\n");
  draw_pictures(pictures, shown, SIDE);
}

/* ---- all together ---- */

static void prepare_machine(const struct options* o) {
  haft_device device = 0;
  char name[64];
  int32_t threads = 0;
  if (o->threads) must_open(haft_set_num_threads((int32_t)o->threads));
  must_open(haft_device_parse(o->device, &device));
  must_open(haft_set_default_device(device));
  must(haft_generator_seed(NULL, o->seed));
  must(haft_get_num_threads(&threads));
  must(haft_device_to_string(device, name, sizeof name, NULL));
  printf("haft %s on %s, %d thread%s, seed %ld\n", haft_get_version_string(), name, (int)threads,
         threads == 1 ? "" : "s", o->seed);
}

int main(int argc, char** argv) {
  const struct options o = parse(argc, argv);
  struct progress progress = {0, 0, 0, 0, (int)o.epochs};
  struct result result = {NULL, NULL, 0, 0};
  haft_scheduler* schedule = NULL;
  haft_writer* writer = NULL;
  int64_t images = 0, steps = 0, parameters = 0;
  double training = 0;
  char path[4096];

  prepare_machine(&o);
  haft_dataset *train_data = open_dataset(o.data, "train"), *test_data = open_dataset(o.data, "t10k");
  haft_loader* train_loader = create_loader(train_data, o.batch, 1, o.seed);
  haft_loader* test_loader = create_loader(test_data, TEST_BATCH, 0, o.seed);
  must_open(haft_writer_create(o.out, &writer));
  must(haft_dataset_get_size(train_data, &images));
  must(haft_dataset_get_size(test_data, &result.count));
  result.predicted = calloc((size_t)result.count, sizeof(int64_t));
  result.truth = calloc((size_t)result.count, sizeof(int64_t));
  if (!result.predicted || !result.truth) die(1, "out of memory");

  haft_module* net = create_network();
  haft_optimizer* optimizer = create_optimizer(net, o.lr);
  must(haft_loader_get_batch_count(train_loader, &steps));
  haft_cosine_annealing_lr_options cosine = HAFT_COSINE_ANNEALING_LR_OPTIONS_INIT;
  cosine.t_max = steps * o.epochs;
  must(haft_cosine_annealing_lr_create(optimizer, &cosine, &schedule));
  must(haft_module_get_parameter_count(net, NULL, &parameters));
  printf("%ld images in %s, a network of %ld parameters, steps of %ld\n", (long)images, o.data,
         (long)parameters, o.batch);

  progress.start = progress.drawn = now();
  for (progress.epoch = 1; progress.epoch <= progress.epochs; ++progress.epoch) {
    progress.epoch_start = now();
    const struct means m = train_epoch(net, train_loader, optimizer, schedule, writer, &progress);
    const double seconds = now() - progress.epoch_start;
    training += seconds;
    test(net, test_loader, &result);
    must(haft_writer_add_scalar(writer, "accuracy/test", result.accuracy, progress.epoch * steps));
    progress_clear();
    printf("epoch %d/%d  loss %.4f  accuracy %.2f %%  test accuracy %.2f %%  %.1f s, %.0f images/s\n",
           progress.epoch, progress.epochs, m.loss, 100 * m.accuracy, 100 * result.accuracy, seconds,
           (double)images / seconds);
    fflush(stdout);
  }

  print_confusion(&result);
  print_pictures(test_data, &result);
  join(path, sizeof path, o.out, "weights.safetensors");
  must_open(haft_module_save(net, path));
  printf("\ntest accuracy %.2f %% after %.1f s of training\nweights: %s\n", 100 * result.accuracy, training,
         path);
  must(haft_writer_get_path(writer, path, sizeof path, NULL));
  printf("curves:  %s (tensorboard --logdir %s)\n", path, o.out);

  must(haft_writer_close(writer));
  haft_writer_release(writer);
  haft_scheduler_release(schedule);
  haft_optimizer_release(optimizer);
  haft_module_release(net);
  haft_loader_release(train_loader);
  haft_loader_release(test_loader);
  haft_dataset_release(train_data);
  haft_dataset_release(test_data);
  free(result.predicted);
  free(result.truth);
  return 0;
}
