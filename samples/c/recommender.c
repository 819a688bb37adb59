/* A recommender whose tables of users and items lie on parameter servers: the first --servers processes of the job
 * hold the rows, the others train.
 *
 *   haft-run --nproc-per-node 4 recommender --servers 2 [--steps N] [--device cpu]
 *
 * A rating is the product of what a user likes and what an item has; both are learnt from examples. Each worker pulls
 * the rows of its batch, computes their gradients and pushes these: nobody ever holds a whole table. */
#include <math.h>
#include <stdint.h>

#include "options.h"

enum { USERS = 120, ITEMS = 80, HIDDEN = 3, WIDTH = 6, BATCH = 64 };

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "%s\n", haft_error_get_message());
  exit(1);
}

static uint64_t next(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}
/* What nobody but the maker of the examples knows. */
static double taste(int64_t who, int64_t k) {
  uint64_t state = (uint64_t)who * 977 + (uint64_t)k * 131 + 7;
  next(&state);
  return (double)(next(&state) % 2001) / 1000 - 1;
}
static float rating(int64_t user, int64_t item) {
  double sum = 0;
  for (int64_t k = 0; k < HIDDEN; ++k) sum += taste(user, k) * taste(USERS + item, k);
  return (float)sum;
}

static haft_tensor* numbers(const void* data, haft_dtype dtype, haft_device device) {
  const int64_t size = BATCH;
  haft_tensor* t = NULL;
  must(haft_tensor_from_data(data, &size, 1, dtype, device, &t));
  return t;
}

/* One step of a worker; answers the mean square error before it. */
static double train_step(haft_parameter_client* client, uint64_t* random) {
  int64_t users[BATCH], items[BATCH];
  float ratings[BATCH];
  for (int i = 0; i < BATCH; ++i) {
    users[i] = (int64_t)(next(random) % USERS);
    items[i] = (int64_t)(next(random) % ITEMS);
    ratings[i] = rating(users[i], items[i]);
  }
  must(haft_scope_begin()); /* tensors made from here on are released at its end */
  haft_tensor *who = numbers(users, HAFT_INT64, HAFT_DEVICE_CPU),
              *what = numbers(items, HAFT_INT64, HAFT_DEVICE_CPU);
  haft_tensor* wanted = numbers(ratings, HAFT_FLOAT32, HAFT_DEVICE_DEFAULT);
  haft_tensor *u = NULL, *v = NULL, *products = NULL, *predicted = NULL, *loss = NULL;
  must(haft_parameter_client_pull_rows(client, "users", who, NULL, &u)); /* rows travel by way of the host */
  must(haft_parameter_client_pull_rows(client, "items", what, NULL, &v));
  must(to_device(u, &u));
  must(to_device(v, &v));
  must(haft_tensor_set_requires_grad(u, 1));
  must(haft_tensor_set_requires_grad(v, 1));
  must(haft_mul(u, v, &products));
  const int64_t last = 1;
  must(haft_sum(products, &last, 1, 0, HAFT_DTYPE_NONE, &predicted));
  must(haft_mse_loss(predicted, wanted, HAFT_REDUCTION_SUM, &loss)); /* each row steps by its own examples */
  haft_tensor* leaves[2];
  leaves[0] = u, leaves[1] = v;
  haft_tensor* gradients[2] = {NULL, NULL};
  must(haft_autograd_grad(&loss, NULL, 1, leaves, 2, 0, gradients));
  for (int i = 0; i < 2; ++i) must(haft_to(gradients[i], HAFT_DTYPE_NONE, HAFT_DEVICE_CPU, 0, &gradients[i]));
  must(haft_parameter_client_push_rows(client, "users", who, gradients[0]));
  must(haft_parameter_client_push_rows(client, "items", what, gradients[1]));
  must(haft_parameter_client_step(client, NULL, NULL));
  double value = 0;
  must(haft_tensor_get_item_double(loss, &value));
  must(haft_scope_end());
  return value / BATCH;
}

int main(int argc, char** argv) {
  const int servers = (int)option(argc, argv, "--servers", 1),
            steps = (int)option(argc, argv, "--steps", 1200);
  haft_launch_environment launched = HAFT_LAUNCH_ENVIRONMENT_INIT;
  must(haft_get_launch_environment(&launched));
  haft_store* store = NULL;
  int32_t rank = 0, world = 1;
  must(haft_rendezvous("env://", NULL, &store, &rank, &world));
  if (servers < 1 || servers >= world) {
    fprintf(stderr, "%d processes cannot be %d servers and at least one worker\n", world, servers);
    return 1;
  }
  haft_rpc* rpc = NULL;
  must(haft_rpc_create(store, rank, world, NULL, &rpc));
  must(haft_rpc_start(rpc, 60000000));

  int bad = 0;
  if (rank < servers) {
    const char* names[] = {"lr"};
    const double values[] = {0.1};
    haft_parameter_server_options options = HAFT_PARAMETER_SERVER_OPTIONS_INIT;
    options.mode = HAFT_SERVER_BOUNDED;
    options.staleness = 4;
    options.workers = world - servers;
    options.optimizer = "Adagrad";
    options.option_count = 1;
    options.option_names = names;
    options.option_values = values;
    haft_parameter_server* server = NULL;
    must(haft_parameter_server_create(rpc, &options, &server));
    must(haft_rpc_shutdown(rpc, 300000000)); /* serves until all have done */
    haft_parameter_server_info info = HAFT_PARAMETER_SERVER_INFO_INIT;
    must(haft_parameter_server_get_info(server, &info));
    printf("server %d: %lld rows, %lld pushes\n", rank, (long long)info.rows, (long long)info.version);
    haft_parameter_server_release(server);
  } else {
    use_device(argc, argv, launched.local_rank);
    int32_t* ranks = malloc((size_t)servers * sizeof *ranks);
    for (int32_t i = 0; i < servers; ++i) ranks[i] = i;
    haft_parameter_client* client = NULL;
    must(haft_parameter_client_create(rpc, ranks, servers, NULL, 60000000, &client));
    must(haft_parameter_client_add_table(client, "users", USERS, WIDTH, HAFT_FLOAT32, 0.3, 1, NULL));
    must(haft_parameter_client_add_table(client, "items", ITEMS, WIDTH, HAFT_FLOAT32, 0.3, 2, NULL));
    uint64_t random = (uint64_t)rank * 1000 + 1;
    double first = 0, error = 0;
    for (int i = 0; i < steps; ++i) {
      const double e = train_step(client, &random);
      if (i == 0) first = e;
      error = i == 0 ? e : 0.95 * error + 0.05 * e;
    }
    printf("worker %d: mean square error %.4f at first, %.4f at last\n", rank, first, error);
    bad = !(error < first / 10);
    must(haft_parameter_client_leave(client));
    must(haft_rpc_shutdown(rpc, 300000000));
    haft_parameter_client_release(client);
    free(ranks);
  }
  haft_rpc_release(rpc);
  haft_store_release(store);
  return bad;
}
