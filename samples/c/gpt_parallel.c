/* A small GPT over a mesh of processes: its blocks are the stages of a pipeline, each block is spread over
 * tensor-parallel ranks, and what is left of the ranks has a share of the batch each.
 *
 * cc gpt_parallel.c $(pkg-config --cflags --libs haft) -lm -o gpt_parallel
 * haft-run --nproc-per-node 8 ./gpt_parallel --pipeline 2 --tensor 2 [--steps N] [--device cpu]
 *
 * It learns to write the sentences of a small grammar, letter by letter; docs/sharding.md and docs/pipelines.md tell
 * how the parts work. */
#include <math.h>

#include "options.h"

enum {
  LETTERS = 28,
  TOKENS = 32,
  WIDTH = 32,
  HEAD = 8,
  BLOCKS = 4,
  ROWS = 16,
  MICRO_BATCHES = 4,
  MOST_PARAMETERS = 128,
  TEXT = 20000
};

static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "gpt_parallel: %s\n", haft_error_get_message());
  exit(1);
}

/* ---- text ---- */

static uint32_t next(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}
static int64_t letter(char c) { return c == ' ' ? 26 : c == '.' ? 27 : c - 'a'; }

/* Sentences of a grammar, the same in every process. */
static void write_text(int64_t* text) {
  static const char* who[] = {"the cat", "a bird", "my friend", "the old man"};
  static const char* does[] = {"sees", "likes", "hears", "follows"};
  static const char* what[] = {"the sea", "a red house", "the moon", "his dog"};
  uint32_t state = 7;
  for (int n = 0; n < TEXT;) {
    char line[64];
    const unsigned a = next(&state) % 4, b = next(&state) % 4, c = next(&state) % 4;
    snprintf(line, sizeof line, "%s %s %s. ", who[a], does[b], what[c]);
    for (const char* at = line; *at && n < TEXT; ++at) text[n++] = letter(*at);
  }
}

/* Rows of text and, for each letter, the one that follows it: this rank's share of the step's batch. */
static void next_batch(const int64_t* text, long step, int64_t share, haft_tensor** x, haft_tensor** y) {
  int64_t in[ROWS * TOKENS], out[ROWS * TOKENS];
  const int64_t size[] = {ROWS, TOKENS};
  uint32_t state = (uint32_t)(1000 * step + share);
  next(&state);
  for (int row = 0; row < ROWS; ++row) {
    const int64_t begin = next(&state) % (TEXT - TOKENS - 1);
    memcpy(in + row * TOKENS, text + begin, TOKENS * sizeof *in);
    memcpy(out + row * TOKENS, text + begin + 1, TOKENS * sizeof *out);
  }
  must(haft_tensor_from_data(in, size, 2, HAFT_INT64, HAFT_DEVICE_DEFAULT, x));
  must(haft_tensor_from_data(out, size, 2, HAFT_INT64, HAFT_DEVICE_DEFAULT, y));
}

/* ---- model ---- */

typedef struct {
  haft_module *norm1, *qkv, *out, *norm2, *up, *down;
} Block;

/* What a rank has: its blocks, and on the first and the last stage what comes before and after all. */
typedef struct {
  haft_process_group* tp;
  haft_module *table, *positions, *norm, *head;
  Block blocks[BLOCKS];
  int count;
  haft_tensor *places, *later;         /* 0, 1, 2, ..., and which letters a letter must not see */
  haft_module* layers[8 + 6 * BLOCKS]; /* all of them, to be released */
  int layer_count;
} Stage;

static haft_tensor* call(haft_module* m, haft_tensor* x) {
  haft_tensor* y = NULL;
  must(haft_module_forward(m, x, &y));
  return y;
}
static haft_tensor* sum(haft_tensor* a, haft_tensor* b) {
  haft_tensor* y = NULL;
  must(haft_add(a, b, &y));
  return y;
}

/* Each rank has some of the heads: (rows, TOKENS, 3 * heads * HEAD) to (rows, TOKENS, heads * HEAD). */
static haft_tensor* attend(const Stage* s, haft_tensor* qkv) {
  haft_tensor *parts[3] = {NULL}, *keys = NULL, *scores = NULL, *masked = NULL, *weights = NULL,
              *mixed = NULL, *back = NULL, *y = NULL;
  const int64_t heads[] = {-1, HEAD};
  int64_t count = 0;
  must(haft_chunk(qkv, 3, -1, parts, 3, &count));
  for (int i = 0; i < 3; ++i) {
    haft_tensor* split = NULL;
    must(haft_unflatten(parts[i], -1, heads, 2, &split));
    must(haft_transpose(split, 1, 2, &parts[i])); /* (rows, heads, TOKENS, HEAD) */
  }
  must(haft_transpose(parts[1], 2, 3, &keys));
  must(haft_matmul(parts[0], keys, &scores));
  must(haft_mul_scalar(scores, haft_scalar_float(1 / sqrt(HEAD)), &scores));
  must(haft_masked_fill(scores, s->later, haft_scalar_float(-INFINITY), &masked));
  must(haft_softmax(masked, -1, &weights));
  must(haft_matmul(weights, parts[2], &mixed));
  must(haft_transpose(mixed, 1, 2, &back));
  must(haft_flatten(back, 2, 3, &y));
  return y;
}

static haft_status run_stage(haft_module* self, haft_tensor* const* inputs, int64_t count,
                             haft_tensor** outputs, int64_t* output_count, void* user) {
  const Stage* s = user;
  haft_tensor* x = inputs[0];
  (void)self, (void)count;
  must(haft_scope_begin()); /* what is made from here on goes at the end, but for the result */
  if (s->table) x = sum(call(s->table, x), call(s->positions, s->places));
  for (int i = 0; i < s->count; ++i) {
    const Block* b = &s->blocks[i];
    haft_tensor* wide = NULL;
    x = sum(x, call(b->out, attend(s, call(b->qkv, call(b->norm1, x)))));
    must(haft_gelu(call(b->up, call(b->norm2, x)), 0, &wide));
    x = sum(x, call(b->down, wide));
  }
  if (s->head) x = call(s->head, call(s->norm, x)); /* (rows, TOKENS, this rank's letters) */
  must(haft_scope_keep(x));
  must(haft_scope_end());
  outputs[0] = x;
  *output_count = 1;
  return HAFT_OK;
}

static haft_status run_loss(haft_module* self, haft_tensor* const* inputs, int64_t count,
                            haft_tensor** outputs, int64_t* output_count, void* user) {
  (void)self, (void)count;
  *output_count = 1;
  return haft_parallel_cross_entropy(user, inputs[0], inputs[1], LETTERS, NULL, &outputs[0]);
}

static haft_module* keep(Stage* s, haft_module* stage, const char* name, int i, haft_module* layer) {
  char text[32];
  snprintf(text, sizeof text, "%s%d", name, i);
  must(haft_module_add_child(stage, text, layer));
  return s->layers[s->layer_count++] = layer;
}
static haft_module* norm_layer(void) {
  const int64_t width = WIDTH;
  haft_layer_norm_options o = HAFT_LAYER_NORM_OPTIONS_INIT;
  haft_module* m = NULL;
  o.normalized_shape = &width;
  o.normalized_shape_count = 1;
  must(haft_layer_norm_create(&o, &m));
  return m;
}
/* A linear layer whose outputs (columns) or inputs are spread; rank 0's values of the dense one count. */
static haft_module* linear_layer(haft_process_group* tp, int64_t in, int64_t out, int bias, int columns,
                                 int blocks) {
  haft_linear_options o = HAFT_LINEAR_OPTIONS_INIT;
  haft_tensor_parallel_options spread = HAFT_TENSOR_PARALLEL_OPTIONS_INIT;
  haft_module *dense = NULL, *m = NULL;
  o.in_features = in, o.out_features = out, o.bias = bias;
  spread.blocks = blocks;
  must(haft_linear_create(&o, &dense));
  must(columns ? haft_column_parallel_linear_create(tp, dense, &spread, &m)
               : haft_row_parallel_linear_create(tp, dense, &spread, &m));
  haft_module_release(dense);
  return m;
}
static haft_module* embedding(int64_t rows) {
  haft_embedding_options o = HAFT_EMBEDDING_OPTIONS_INIT;
  haft_module* m = NULL;
  o.num_embeddings = rows, o.embedding_dim = WIDTH;
  must(haft_embedding_create(&o, &m));
  return m;
}

static haft_module* create_stage(Stage* s, haft_process_group* tp, int64_t stage, int64_t stages) {
  const int64_t square[] = {TOKENS, TOKENS};
  haft_module* m = NULL;
  haft_tensor *ones = NULL, *upper = NULL;
  memset(s, 0, sizeof *s);
  s->tp = tp;
  s->count = (int)(BLOCKS / stages);
  must(haft_callback_module_create("Stage", run_stage, s, NULL, &m));
  must(haft_generator_seed(NULL, 100 + stage)); /* all ranks of a stage begin alike */
  if (stage == 0) {
    haft_module *dense = embedding(LETTERS), *table = NULL;
    must(haft_vocab_parallel_embedding_create(tp, dense, NULL, &table));
    haft_module_release(dense);
    s->table = keep(s, m, "table", 0, table);
    s->positions = keep(s, m, "positions", 0, embedding(TOKENS));
  }
  for (int i = 0; i < s->count; ++i) {
    Block* b = &s->blocks[i];
    b->norm1 = keep(s, m, "norm1_", i, norm_layer());
    b->qkv = keep(s, m, "qkv", i, linear_layer(tp, WIDTH, 3 * WIDTH, 1, 1, 3));
    b->out = keep(s, m, "out", i, linear_layer(tp, WIDTH, WIDTH, 1, 0, 1));
    b->norm2 = keep(s, m, "norm2_", i, norm_layer());
    b->up = keep(s, m, "up", i, linear_layer(tp, WIDTH, 4 * WIDTH, 1, 1, 1));
    b->down = keep(s, m, "down", i, linear_layer(tp, 4 * WIDTH, WIDTH, 1, 0, 1));
  }
  if (stage == stages - 1) {
    s->norm = keep(s, m, "norm", 0, norm_layer());
    s->head = keep(s, m, "head", 0, linear_layer(tp, WIDTH, LETTERS, 0, 1, 1));
  }
  must(haft_arange(haft_scalar_int(0), haft_scalar_int(TOKENS), haft_scalar_int(1), HAFT_INT64,
                   HAFT_DEVICE_DEFAULT, &s->places));
  must(haft_ones(square, 2, HAFT_FLOAT32, HAFT_DEVICE_DEFAULT, &ones));
  must(haft_triu(ones, 1, &upper));
  must(haft_gt_scalar(upper, haft_scalar_int(0), &s->later));
  haft_tensor_release(ones);
  haft_tensor_release(upper);
  return m;
}

/* How many ranks have the gradient of each parameter: parts of spread layers are a rank's own among those that spread
 * them. */
static void count_copies(const haft_module* m, int64_t count, int64_t spread, int64_t data, int64_t* copies) {
  static const char* whole[] = {"norm", "positions", "out", "down"}; /* of the last two the bias */
  for (int64_t i = 0; i < count; ++i) {
    char name[64];
    must(haft_module_get_parameter_name(m, i, name, sizeof name, NULL));
    copies[i] = data;
    for (int k = 0; k < 4; ++k)
      if (!strncmp(name, whole[k], strlen(whole[k])) && (k < 2 || strstr(name, "bias")))
        copies[i] = data * spread;
  }
}

int main(int argc, char** argv) {
  /* Data, pipeline, tensor. */
  int64_t shape[] = {0, option(argc, argv, "--pipeline", 2), option(argc, argv, "--tensor", 2)}, place[3];
  const char* names[3] = {"data", "pipeline", "tensor"};
  long steps = option(argc, argv, "--steps", 300);
  int32_t rank = 0, world_size = 1, threads = 1;
  static int64_t text[TEXT];
  if (steps < 20) steps = 20;

  haft_launch_environment launched = HAFT_LAUNCH_ENVIRONMENT_INIT;
  haft_store* store = NULL;
  haft_process_group *world = NULL, *group[3];
  haft_device_mesh* mesh = NULL;
  must(haft_get_launch_environment(&launched));
  use_device(argc, argv, launched.local_rank);
  must(haft_get_num_threads(&threads));
  must(haft_set_num_threads(threads > launched.local_world_size ? threads / launched.local_world_size : 1));
  must(haft_rendezvous("env://", NULL, &store, &rank, &world_size));
  must(haft_process_group_create(store, rank, world_size, NULL, &world));
  haft_store_release(store);
  if (shape[1] < 1 || shape[2] < 1 || world_size % (shape[1] * shape[2]) || BLOCKS % shape[1] ||
      WIDTH / HEAD % shape[2]) {
    fprintf(stderr, "gpt_parallel: %d processes, %d blocks and %d heads cannot be %d stages of %d ranks\n",
            (int)world_size, BLOCKS, WIDTH / HEAD, (int)shape[1], (int)shape[2]);
    return 1;
  }
  shape[0] = world_size / (shape[1] * shape[2]);
  must(haft_device_mesh_create(world, shape, names, 3, &mesh));
  for (int d = 0; d < 3; ++d) {
    must(haft_device_mesh_get_dim(mesh, d, NULL, &place[d]));
    must(haft_device_mesh_group(mesh, d, &group[d]));
  }

  Stage s;
  haft_module *stage = create_stage(&s, group[2], place[1], shape[1]), *loss = NULL;
  haft_pipeline_options options = HAFT_PIPELINE_OPTIONS_INIT;
  haft_pipeline* pipeline = NULL;
  const int first = s.table != NULL, last = s.head != NULL;
  must(haft_callback_module_create("Loss", run_loss, group[2], NULL, &loss));
  options.micro_batches = MICRO_BATCHES;
  options.loss = last ? loss : NULL;
  must(haft_pipeline_create(group[1], &stage, 1, &options, &pipeline));

  haft_tensor* parameters[MOST_PARAMETERS];
  int64_t count = 0, copies[MOST_PARAMETERS];
  haft_adamw_options adamw = HAFT_ADAMW_OPTIONS_INIT;
  haft_optimizer* optimizer = NULL;
  adamw.lr = 3e-3;
  must(haft_module_parameters(stage, parameters, MOST_PARAMETERS, &count));
  count_copies(stage, count, shape[2], shape[0], copies);
  must(haft_adamw_create(parameters, count, &adamw, &optimizer));

  double ends[2] = {0, 0}; /* mean losses of the first and the last ten steps */
  write_text(text);
  for (long step = 0; step < steps; ++step) {
    haft_tensor *x = NULL, *y = NULL, *losses = NULL, *mean = NULL;
    double value = 0;
    must(haft_scope_begin());
    next_batch(text, step, place[0], &x, &y);
    must(haft_optimizer_zero_grad(optimizer, 1));
    must(haft_pipeline_step(pipeline, &x, first, last ? y : NULL, last ? &losses : NULL, NULL, 0, NULL));
    must(haft_parallel_join_gradients(group[0], parameters, count, HAFT_REDUCE_OP_AVG));
    must(haft_parallel_clip_grad_norm(world, parameters, copies, count, 1, 2, NULL));
    must(haft_optimizer_step(optimizer));
    if (last) {
      must(haft_mean(losses, NULL, 0, 0, &mean));
      must(haft_tensor_get_item_double(mean, &value));
    }
    ends[0] += step < 10 ? value / 10 : 0;
    ends[1] += step >= steps - 10 ? value / 10 : 0;
    must(haft_scope_end());
  }
  must(haft_parallel_sum_values(world, ends, 2));
  for (int i = 0; i < 2; ++i) ends[i] /= (double)(shape[0] * shape[2]); /* that have the last stage */
  if (rank == 0)
    printf("%d x %d x %d ranks, %ld steps: loss %.4f to %.4f\n", (int)shape[0], (int)shape[1], (int)shape[2],
           steps, ends[0], ends[1]);

  haft_tensor_release_many(parameters, count);
  haft_tensor_release(s.places);
  haft_tensor_release(s.later);
  for (int i = 0; i < s.layer_count; ++i) haft_module_release(s.layers[i]);
  haft_optimizer_release(optimizer);
  haft_pipeline_release(pipeline);
  haft_module_release(loss);
  haft_module_release(stage);
  for (int d = 0; d < 3; ++d) haft_process_group_release(group[d]);
  haft_device_mesh_release(mesh);
  haft_process_group_release(world);
  return 0;
}
