/* An actor and a critic learn to balance a pole on a cart (Barto, Sutton and Anderson, 1983; the figures of Gym's
 * CartPole-v1).
 *
 * cc actor_critic.c $(pkg-config --cflags --libs haft) -lm
 * ./a.out [--seed N] [--steps N] [--threads N] [--device cpu]
 *
 * Proximal policy optimization (Schulman et al., arXiv:1707.06347): some carts go on for a while, the critic says how
 * much better each push went than expected (arXiv:1506.02438), and the actor moves towards what went well, never far
 * in one go. A push that the pole survives is worth 1, an episode ends after 500; the task counts as solved at a mean
 * of 475 over the last 100 episodes, and the sample ends there. */
#include <math.h>

#include "options.h"

enum {
  CARTS = 8,
  ROLLOUT = 64,
  SEEN = CARTS * ROLLOUT,
  PASSES = 8,
  BATCH = 256,
  LIMIT = 500,
  SOLVED = 475,
  EPISODES = 100
};
static const double DISCOUNT = 0.98, TRACE = 0.9, CLIP = 0.2, ENTROPY = 0.001;

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "actor_critic: %s\n", haft_error_get_message());
  exit(1);
}

/* ---- the carts ---- */

static uint64_t draw_state;
static double draw(void) { /* from 0 to 1 */
  draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(draw_state >> 40) / (double)(1 << 24);
}

/* A pole of 1 m and 100 g on a cart of 1 kg, which is pushed by 10 N to the left or to the right fifty times a
 * second. */
struct cart {
  double x, speed, angle, turn;
  int steps;
};

static void cart_reset(struct cart* c) {
  c->x = 0.1 * draw() - 0.05, c->speed = 0.1 * draw() - 0.05, c->angle = 0.1 * draw() - 0.05,
  c->turn = 0.1 * draw() - 0.05;
  c->steps = 0;
}

/* 1 when the pole has fallen, or the cart has left its 4.8 m. */
static int cart_push(struct cart* c, int right) {
  const double s = sin(c->angle), k = cos(c->angle),
               force = ((right ? 10 : -10) + 0.05 * c->turn * c->turn * s) / 1.1;
  const double bend = (9.8 * s - k * force) / (0.5 * (4.0 / 3 - 0.1 * k * k / 1.1)),
               speedup = force - 0.05 * bend * k / 1.1;
  c->x += 0.02 * c->speed, c->speed += 0.02 * speedup, c->angle += 0.02 * c->turn, c->turn += 0.02 * bend;
  ++c->steps;
  return fabs(c->x) > 2.4 || fabs(c->angle) > 12 * 3.14159265358979 / 180;
}

static void cart_look(const struct cart* c, float* state) {
  state[0] = (float)c->x, state[1] = (float)c->speed, state[2] = (float)c->angle, state[3] = (float)c->turn;
}

/* ---- networks; what they answer goes at the end of the scope ---- */

static haft_module* network(int64_t outputs) {
  haft_module *layers[5] = {NULL}, *net = NULL;
  const int64_t sizes[] = {4, 64, 64, outputs};
  for (int i = 0; i < 5; ++i) {
    haft_linear_options o = HAFT_LINEAR_OPTIONS_INIT;
    o.in_features = sizes[i / 2], o.out_features = sizes[i / 2 + 1];
    must(i % 2 ? haft_tanh_create(&layers[i]) : haft_linear_create(&o, &layers[i]));
  }
  must(haft_sequential_create(layers, 5, &net));
  for (int i = 0; i < 5; ++i) haft_module_release(layers[i]);
  return net;
}

static haft_tensor* table(const void* data, int64_t rows, int64_t columns, haft_dtype dtype) {
  const int64_t size[] = {rows, columns};
  haft_tensor* t = NULL;
  must(haft_tensor_from_data(data, size, 2, dtype, HAFT_DEVICE_DEFAULT, &t));
  return t;
}

/* Logarithms of the probabilities of both pushes (rows, 2); in *chosen of those that were made (rows, 1). */
static haft_tensor* log_chances(haft_module* actor, haft_tensor* states, haft_tensor* pushes,
                                haft_tensor** chosen) {
  haft_tensor *scores = NULL, *logs = NULL;
  must(haft_module_forward(actor, states, &scores));
  must(haft_log_softmax(scores, 1, &logs));
  if (pushes) must(haft_gather(logs, 1, pushes, chosen));
  return logs;
}

static void values_of(haft_module* critic, const float (*states)[4], float* values) {
  haft_tensor* v = NULL;
  must(haft_module_forward(critic, table(states, SEEN, 4, HAFT_FLOAT32), &v));
  must(haft_tensor_read(v, values, SEEN * sizeof *values));
}

/* ---- a rollout ---- */

/* Step t of cart c is at t * CARTS + c. */
struct rollout {
  float states[SEEN][4], after[SEEN][4];
  int64_t pushes[SEEN];
  unsigned char fell[SEEN], ended[SEEN];
  float advantage[SEEN], expected[SEEN];
};

struct episodes { /* the last ones */
  int steps[EPISODES];
  long count;
};

static double episodes_mean(const struct episodes* e) {
  const long n = e->count < EPISODES ? e->count : EPISODES;
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += e->steps[i];
  return n ? sum / (double)n : 0;
}

static void roll(haft_module* actor, struct cart* carts, struct rollout* r, struct episodes* episodes) {
  for (int t = 0; t < ROLLOUT; ++t) {
    const int first = t * CARTS;
    haft_tensor *chances = NULL, *pushes = NULL;
    for (int c = 0; c < CARTS; ++c) cart_look(&carts[c], r->states[first + c]);
    must(haft_scope_begin());
    must(haft_exp(log_chances(actor, table(r->states[first], CARTS, 4, HAFT_FLOAT32), NULL, NULL), &chances));
    must(haft_multinomial(chances, 1, 0, NULL, &pushes));
    must(haft_tensor_read(pushes, r->pushes + first, CARTS * sizeof *r->pushes));
    must(haft_scope_end());
    for (int c = 0; c < CARTS; ++c) {
      struct cart* cart = &carts[c];
      r->fell[first + c] = (unsigned char)cart_push(cart, (int)r->pushes[first + c]);
      r->ended[first + c] = r->fell[first + c] || cart->steps == LIMIT;
      cart_look(cart, r->after[first + c]);
      if (!r->ended[first + c]) continue;
      episodes->steps[episodes->count++ % EPISODES] = cart->steps;
      cart_reset(cart);
    }
  }
}

/* How much better each push went than the critic expected, and what it should have expected. */
static void judge(haft_module* critic, struct rollout* r) {
  float values[SEEN], after[SEEN];
  double rest[CARTS] = {0}, mean = 0, square = 0;
  must(haft_scope_begin());
  values_of(critic, r->states, values);
  values_of(critic, r->after, after);
  must(haft_scope_end());
  /* An episode that the clock ends would have gone on: only a fall is worth nothing. */
  for (int i = SEEN; i-- > 0;) {
    double* sum = &rest[i % CARTS];
    *sum =
        1 + (r->fell[i] ? 0 : DISCOUNT * after[i]) - values[i] + (r->ended[i] ? 0 : DISCOUNT * TRACE * *sum);
    r->advantage[i] = (float)*sum, r->expected[i] = (float)*sum + values[i];
    mean += *sum / SEEN, square += *sum * *sum / SEEN;
  }
  for (int i = 0; i < SEEN; ++i)
    r->advantage[i] = (float)((r->advantage[i] - mean) / sqrt(square - mean * mean + 1e-8));
}

/* ---- learning ---- */

static haft_tensor* part_of(haft_tensor* all, haft_tensor* rows) {
  haft_tensor* part = NULL;
  must(haft_index_select(all, 0, rows, &part));
  return part;
}

/* ratio and advantage (rows, 1): the mean of what is gained, or of what is gained at the bound where that is less. */
static haft_tensor* gain_of(haft_tensor* ratio, haft_tensor* advantage) {
  haft_tensor *near = NULL, *free_gain = NULL, *near_gain = NULL, *least = NULL, *gain = NULL;
  must(haft_clamp(ratio, haft_scalar_float(1 - CLIP), haft_scalar_float(1 + CLIP), &near));
  must(haft_mul(ratio, advantage, &free_gain));
  must(haft_mul(near, advantage, &near_gain));
  must(haft_minimum(free_gain, near_gain, &least));
  must(haft_mean(least, NULL, 0, 0, &gain));
  return gain;
}

static void learn(haft_module* actor, haft_module* critic, haft_optimizer* optimizer,
                  haft_tensor* const* parameters, int64_t count, const struct rollout* r) {
  haft_tensor* before = NULL;
  must(haft_scope_begin());
  haft_tensor *states = table(r->states, SEEN, 4, HAFT_FLOAT32),
              *pushes = table(r->pushes, SEEN, 1, HAFT_INT64);
  haft_tensor *advantage = table(r->advantage, SEEN, 1, HAFT_FLOAT32),
              *expected = table(r->expected, SEEN, 1, HAFT_FLOAT32);
  must(haft_set_grad_enabled(0, NULL));
  log_chances(actor, states, pushes, &before);
  must(haft_set_grad_enabled(1, NULL));
  for (int pass = 0; pass < PASSES; ++pass) {
    haft_tensor* order = NULL;
    must(haft_randperm(SEEN, HAFT_INT64, HAFT_DEVICE_DEFAULT, NULL, &order));
    for (int first = 0; first < SEEN; first += BATCH) {
      haft_tensor *rows = NULL, *logs = NULL, *chosen = NULL, *moved = NULL, *ratio = NULL, *chances = NULL,
                  *terms = NULL;
      haft_tensor *entropy = NULL, *values = NULL, *error = NULL, *loss = NULL;
      must(haft_scope_begin());
      must(haft_narrow(order, 0, first, BATCH, &rows));
      haft_tensor* seen = part_of(states, rows);
      logs = log_chances(actor, seen, part_of(pushes, rows), &chosen);
      must(haft_sub(chosen, part_of(before, rows), &moved));
      must(haft_exp(moved, &ratio));
      must(haft_exp(logs, &chances));
      must(haft_mul(chances, logs, &terms));
      /* Of two pushes: minus half the entropy; who is sure too early tries nothing any more. */
      must(haft_mean(terms, NULL, 0, 0, &entropy));
      must(haft_module_forward(critic, seen, &values));
      must(haft_mse_loss(values, part_of(expected, rows), HAFT_REDUCTION_MEAN, &error));
      must(haft_mul_scalar(error, haft_scalar_float(0.5), &loss));
      must(haft_sub(loss, gain_of(ratio, part_of(advantage, rows)), &loss));
      must(haft_mul_scalar(entropy, haft_scalar_float(2 * ENTROPY), &entropy));
      must(haft_add(loss, entropy, &loss));
      must(haft_optimizer_zero_grad(optimizer, 1));
      must(haft_tensor_backward(loss, NULL, 0));
      must(haft_grad_clip_norm(parameters, count, 0.5, 2, NULL));
      must(haft_optimizer_step(optimizer));
      must(haft_scope_end());
    }
  }
  must(haft_scope_end());
}

int main(int argc, char** argv) {
  const long seed = option(argc, argv, "--seed", 0), steps = option(argc, argv, "--steps", 400000);
  static struct rollout rollout;
  static struct episodes episodes;
  struct cart carts[CARTS];
  haft_tensor* parameters[12];
  int64_t count = 0, more = 0;
  haft_adam_options adam = HAFT_ADAM_OPTIONS_INIT;
  haft_optimizer* optimizer = NULL;
  must(haft_set_num_threads((int32_t)option(argc, argv, "--threads", 1))); /* more are no faster here */
  use_device(argc, argv, 0);
  must(haft_generator_seed(NULL, seed));
  draw_state = (uint64_t)seed * 0x9e3779b97f4a7c15u + 1;
  for (int c = 0; c < CARTS; ++c) cart_reset(&carts[c]);
  haft_module *actor = network(2), *critic = network(1);
  must(haft_module_parameters(actor, parameters, 6, &count));
  must(haft_module_parameters(critic, parameters + count, 6, &more));
  count += more;
  adam.lr = 1e-3;
  must(haft_adam_create(parameters, count, &adam, &optimizer));

  double mean = 0;
  int solved = 0;
  for (long n = 1; n <= steps / SEEN && !solved; ++n) {
    must(haft_set_grad_enabled(0, NULL));
    roll(actor, carts, &rollout, &episodes);
    judge(critic, &rollout);
    must(haft_set_grad_enabled(1, NULL));
    learn(actor, critic, optimizer, parameters, count, &rollout);
    mean = episodes_mean(&episodes);
    solved = episodes.count >= EPISODES && mean >= SOLVED;
    if (solved || n % 20 == 0)
      printf("%7ld pushes: %5.1f a pole over the last %ld episodes\n", n * SEEN, mean,
             episodes.count < EPISODES ? episodes.count : EPISODES);
  }
  if (solved)
    printf("solved: a mean of %.1f, wanted %d\n", mean, SOLVED);
  else
    fprintf(stderr, "not solved: a mean of %.1f, wanted %d\n", mean, SOLVED);

  haft_tensor_release_many(parameters, count);
  haft_optimizer_release(optimizer);
  haft_module_release(actor);
  haft_module_release(critic);
  return !solved;
}
