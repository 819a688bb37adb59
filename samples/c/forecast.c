/* An LSTM (Hochreiter and Schmidhuber, 1997) forecasts a chaotic series: how many white blood cells there are (Mackey
 * and Glass, 1977).
 *
 * cc forecast.c $(pkg-config --cflags --libs haft) -lm
 * ./a.out [--steps N] [--ahead N] [--seed N] [--threads N] [--device cpu]
 *
 * It reads the series value by value and says each time what it will be some steps later. What it says of a part that
 * it has never seen is measured in the series' own deviation: 1 is as good as its mean. */
#include <math.h>

#include "options.h"

enum { LEARNT = 3000, ALL = 4000, DELAY = 17, ROWS = 32, WINDOW = 80, SKIPPED = 20, HIDDEN = 64 };

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "forecast: %s\n", haft_error_get_message());
  exit(1);
}

/* dx/dt = 0.2 x(t - 17) / (1 + x(t - 17)^10) - 0.1 x(t), in steps of a tenth; with mean 0 and deviation 1. */
static void mackey_glass(float* series) {
  enum { PART = 10, HISTORY = DELAY * PART, SETTLE = 500 };
  double past[HISTORY], x = 1.2, sum = 0, squares = 0;
  for (int i = 0; i < HISTORY; ++i) past[i] = 1.2;
  for (int i = 0; i < (SETTLE + ALL) * PART; ++i) {
    const double delayed = past[i % HISTORY];
    past[i % HISTORY] = x;
    x += (0.2 * delayed / (1 + pow(delayed, 10)) - 0.1 * x) / PART;
    if (i % PART || i < SETTLE * PART) continue;
    series[i / PART - SETTLE] = (float)x;
    sum += x / ALL, squares += x * x / ALL;
  }
  for (int i = 0; i < ALL; ++i) series[i] = (float)((series[i] - sum) / sqrt(squares - sum * sum));
}

/* Windows of the series (rows, length, 1) that begin at these places. */
static haft_tensor* windows(const float* series, const int64_t* begins, int64_t rows, int64_t length) {
  float* values = malloc((size_t)(rows * length) * sizeof *values);
  const int64_t size[] = {rows, length, 1};
  haft_tensor* t = NULL;
  if (!values) exit(1);
  for (int64_t i = 0; i < rows; ++i)
    memcpy(values + i * length, series + begins[i], (size_t)length * sizeof *values);
  must(haft_tensor_from_data(values, size, 3, HAFT_FLOAT32, HAFT_DEVICE_DEFAULT, &t));
  free(values);
  return t;
}

/* The mean square error of what it says after the first values, at which it cannot know much yet. */
static haft_tensor* error_of(haft_module* lstm, haft_module* out, haft_tensor* x, haft_tensor* wanted,
                             int64_t length) {
  haft_tensor *states = NULL, *said = NULL, *late = NULL, *late_wanted = NULL, *error = NULL;
  must(haft_module_forward(lstm, x, &states)); /* (rows, length, HIDDEN) */
  must(haft_module_forward(out, states, &said));
  must(haft_narrow(said, 1, SKIPPED, length - SKIPPED, &late));
  must(haft_narrow(wanted, 1, SKIPPED, length - SKIPPED, &late_wanted));
  must(haft_mse_loss(late, late_wanted, HAFT_REDUCTION_MEAN, &error));
  return error;
}

static double number(haft_tensor* t) {
  double value = 0;
  must(haft_tensor_get_item_double(t, &value));
  return value;
}

int main(int argc, char** argv) {
  const long steps = option(argc, argv, "--steps", 1500), ahead = option(argc, argv, "--ahead", 6);
  const long threads = option(argc, argv, "--threads", 0);
  static float series[ALL];
  haft_lstm_options lstm_options = HAFT_LSTM_OPTIONS_INIT;
  haft_linear_options linear = HAFT_LINEAR_OPTIONS_INIT;
  haft_adam_options adam = HAFT_ADAM_OPTIONS_INIT;
  haft_cosine_annealing_lr_options cosine = HAFT_COSINE_ANNEALING_LR_OPTIONS_INIT;
  haft_module *lstm = NULL, *out = NULL;
  haft_optimizer* optimizer = NULL;
  haft_scheduler* schedule = NULL;
  haft_tensor* parameters[6];
  int64_t count = 0, more = 0;
  if (steps < 1 || ahead < 1 || ahead > 200) {
    fprintf(stderr, "forecast: wants at least one step, and 1 to 200 --ahead\n");
    return 2;
  }
  if (threads > 0) must(haft_set_num_threads((int32_t)threads));
  use_device(argc, argv, 0);
  must(haft_generator_seed(NULL, option(argc, argv, "--seed", 0)));
  mackey_glass(series);
  lstm_options.input_size = 1, lstm_options.hidden_size = HIDDEN, lstm_options.batch_first = 1;
  linear.in_features = HIDDEN, linear.out_features = 1;
  must(haft_lstm_create(&lstm_options, &lstm));
  must(haft_linear_create(&linear, &out));
  must(haft_module_parameters(lstm, parameters, 4, &count));
  must(haft_module_parameters(out, parameters + count, 2, &more));
  count += more;
  adam.lr = 5e-3;
  must(haft_adam_create(parameters, count, &adam, &optimizer));
  cosine.t_max = steps;
  must(haft_cosine_annealing_lr_create(optimizer, &cosine, &schedule));

  double mean = 0;
  for (long step = 1; step <= steps; ++step) {
    int64_t begins[ROWS], later[ROWS];
    haft_tensor* places = NULL;
    const int64_t rows = ROWS;
    must(haft_scope_begin());
    must(haft_randint(0, LEARNT - WINDOW - ahead, &rows, 1, HAFT_INT64, HAFT_DEVICE_CPU, NULL, &places));
    must(haft_tensor_read(places, begins, sizeof begins));
    for (int i = 0; i < ROWS; ++i) later[i] = begins[i] + ahead;
    haft_tensor* error = error_of(lstm, out, windows(series, begins, ROWS, WINDOW),
                                  windows(series, later, ROWS, WINDOW), WINDOW);
    must(haft_optimizer_zero_grad(optimizer, 1));
    must(haft_tensor_backward(error, NULL, 0));
    must(haft_grad_clip_norm(parameters, count, 1, 2, NULL));
    must(haft_optimizer_step(optimizer));
    must(haft_scheduler_step(schedule));
    mean = step == 1 ? number(error) : 0.95 * mean + 0.05 * number(error);
    must(haft_scope_end());
    if (step % 100 == 0 || step == steps) {
      printf("step %5ld  off by %.4f deviations\n", step, sqrt(mean));
      fflush(stdout);
    }
  }

  /* One long row; beside it what it would be to say that nothing changes. */
  const int64_t begin = LEARNT, then = LEARNT + ahead, length = ALL - LEARNT - ahead;
  haft_tensor *still = NULL, *x, *wanted;
  must(haft_scope_begin());
  must(haft_set_grad_enabled(0, NULL));
  x = windows(series, &begin, 1, length), wanted = windows(series, &then, 1, length);
  must(haft_mse_loss(x, wanted, HAFT_REDUCTION_MEAN, &still));
  printf("held out: %.4f deviations off, %ld steps ahead; that nothing changes: %.4f\n",
         sqrt(number(error_of(lstm, out, x, wanted, length))), ahead, sqrt(number(still)));
  must(haft_scope_end());

  haft_tensor_release_many(parameters, count);
  haft_scheduler_release(schedule);
  haft_optimizer_release(optimizer);
  haft_module_release(out);
  haft_module_release(lstm);
  return 0;
}
