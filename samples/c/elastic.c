/* Training that goes on when a process dies: haft-run starts all processes again, and they go on from the last
 * snapshot.
 *
 * cc elastic.c $(pkg-config --cflags --libs haft) -o elastic
 * haft-run --nproc-per-node 2 --max-restarts 3 ./elastic --snapshot run.ckpt [--steps N] [--kill-at STEP] [--device D]
 * haft-run --nnodes 1:4 --rdzv-endpoint node1:29400 --max-restarts 3 ./elastic --snapshot /shared/run.ckpt
 *
 * A step's batch follows from its number, and is shared among as many processes as there are: so the job ends with
 * the loss that it would have had undisturbed. --kill-at lets the last process of the first start end without a word,
 * as a lost machine would. */
#include <signal.h>

#include "options.h"

enum { ROWS = 48, WIDTH = 8, HIDDEN = 32, EVERY = 10 };

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "elastic: %s\n", haft_error_get_message());
  exit(1);
}

static haft_module* create_network(void) {
  haft_linear_options linear = HAFT_LINEAR_OPTIONS_INIT;
  haft_module *layers[3] = {NULL}, *net = NULL;
  linear.in_features = WIDTH, linear.out_features = HIDDEN;
  must(haft_linear_create(&linear, &layers[0]));
  must(haft_tanh_create(&layers[1]));
  linear.in_features = HIDDEN, linear.out_features = 1;
  must(haft_linear_create(&linear, &layers[2]));
  must(haft_sequential_create(layers, 3, &net));
  for (int i = 0; i < 3; ++i) haft_module_release(layers[i]);
  return net;
}

/* The rows of a step's batch that a rank has, and what the network shall answer: the sum of their squares. */
static void next_batch(long step, int rank, int world_size, haft_tensor** x, haft_tensor** y) {
  const int64_t size[] = {ROWS, WIDTH}, last = 1;
  const int64_t begin = (int64_t)ROWS * rank / world_size, end = (int64_t)ROWS * (rank + 1) / world_size;
  haft_generator* g = NULL;
  haft_tensor *all = NULL, *squares = NULL;
  must(haft_generator_create(1000 + step, &g));
  must(haft_rand(size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, g, &all));
  haft_generator_release(g);
  must(haft_narrow(all, 0, begin, end - begin, x));
  must(to_device(*x, x));
  must(haft_square(*x, &squares));
  must(haft_mean(squares, &last, 1, 1, y));
}

int main(int argc, char** argv) {
  const char* path = text_option(argc, argv, "--snapshot", "elastic.ckpt");
  const long steps = option(argc, argv, "--steps", 200), kill_at = option(argc, argv, "--kill-at", -1);
  long step = 0;
  int32_t rank = 0, world_size = 1;
  haft_launch_environment launched = HAFT_LAUNCH_ENVIRONMENT_INIT;
  haft_store* store = NULL;
  haft_process_group* world = NULL;
  haft_tensor* parameters[4];
  int64_t count = 0;
  haft_adam_options adam = HAFT_ADAM_OPTIONS_INIT;
  haft_checkpoint_parts parts = HAFT_CHECKPOINT_PARTS_INIT;
  haft_data_parallel* parallel = NULL;
  double mean = 0;

  must(haft_get_launch_environment(&launched));
  use_device(argc, argv, launched.local_rank);
  must(haft_set_num_threads(1));
  must(haft_rendezvous("env://", NULL, &store, &rank, &world_size));
  must(haft_process_group_create(store, rank, world_size, NULL, &world));
  haft_store_release(store);

  must(haft_generator_seed(NULL, 1));
  haft_module* net = create_network();
  adam.lr = 0.01;
  must(haft_module_parameters(net, parameters, 4, &count));
  must(haft_adam_create(parameters, count, &adam, &parts.optimizer));
  haft_tensor_release_many(parameters, count);
  parts.module = net;

  FILE* there = fopen(path, "rb");
  if (there) { /* a start before this one has left a snapshot */
    haft_checkpoint* values = NULL;
    haft_scalar number;
    fclose(there);
    must(haft_checkpoint_load(path, &parts, &values));
    must(haft_checkpoint_get_number(values, "step", &number));
    haft_checkpoint_release(values);
    step = (long)number.v.i;
  }
  if (rank == 0)
    printf("start %d: %d processes, from step %ld\n", (int)launched.restart_count, (int)world_size, step);
  fflush(stdout);

  /* Shares have equally many rows on 2, 3, 4, 6, 8, ... processes: the mean of their gradients is that of the batch. */
  must(haft_data_parallel_create(net, world, NULL, &parallel));
  for (; step < steps; ++step) {
    haft_tensor *x = NULL, *y = NULL, *got = NULL, *loss = NULL;
    if (step == kill_at && launched.restart_count == 0 && rank == world_size - 1) raise(SIGKILL);
    must(haft_scope_begin());
    next_batch(step, rank, world_size, &x, &y);
    must(haft_data_parallel_forward(parallel, x, &got));
    must(haft_mse_loss(got, y, HAFT_REDUCTION_MEAN, &loss));
    must(haft_optimizer_zero_grad(parts.optimizer, 0));
    must(haft_tensor_backward(loss, NULL, 0));
    must(haft_optimizer_step(parts.optimizer));
    must(haft_tensor_get_item_double(loss, &mean));
    must(haft_scope_end());
    if ((step + 1) % EVERY == 0 && rank == 0) { /* all ranks have the same; the file is replaced as a whole */
      haft_key_value value = HAFT_KEY_VALUE_INIT;
      value.key = "step";
      value.number = haft_scalar_int(step + 1);
      must(haft_checkpoint_save(path, &parts, &value, 1));
    }
  }
  must(haft_parallel_sum_values(world, &mean, 1));
  if (rank == 0) printf("%ld steps: loss %.7f\n", steps, mean / world_size);

  haft_data_parallel_release(parallel);
  haft_optimizer_release(parts.optimizer);
  haft_module_release(net);
  haft_process_group_release(world);
  return 0;
}
