/* Weights to PyTorch and back through a safetensors file, under PyTorch's names:
 *
 *   exchange_weights [FILE]
 *
 * reads FILE, or writes it when there is none. In Python, for
 *   net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
 *   safetensors.torch.save_file(net.state_dict(), FILE)           is read here,
 *   net.load_state_dict(safetensors.torch.load_file(FILE))        takes what is written here. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include <haft/haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A failed call ends the program with its reason. */
static void must(haft_status status) {
  if (status == HAFT_OK) return;
  fprintf(stderr, "%s\n", haft_error_get_message());
  exit(1);
}

/* Its tensors have the names of torch.nn.Sequential: "0.weight", "0.bias", "2.weight", "2.bias". */
static haft_module* create_network(void) {
  haft_module *layers[3] = {NULL, NULL, NULL}, *net = NULL;
  haft_linear_options hidden = HAFT_LINEAR_OPTIONS_INIT, last = HAFT_LINEAR_OPTIONS_INIT;
  hidden.in_features = 4, hidden.out_features = 16;
  last.in_features = 16, last.out_features = 3;
  must(haft_linear_create(&hidden, &layers[0]));
  must(haft_relu_create(&layers[1]));
  must(haft_linear_create(&last, &layers[2]));
  must(haft_sequential_create(layers, 3, &net));
  for (int i = 0; i < 3; ++i) haft_module_release(layers[i]);
  return net;
}

static void show(const char* path) {
  haft_weights* file = NULL;
  int64_t count = 0;
  must(haft_weights_open(path, &file));
  must(haft_weights_get_count(file, &count));
  for (int64_t i = 0; i < count; ++i) {
    const char* name = NULL;
    haft_tensor* t = NULL;
    haft_dtype dtype = 0;
    int64_t size[HAFT_MAX_DIMS], ndim = 0;
    must(haft_weights_get_name(file, i, &name));
    must(haft_weights_tensor(file, i, &t));
    must(haft_tensor_get_dtype(t, &dtype));
    must(haft_tensor_get_size(t, size, HAFT_MAX_DIMS, &ndim));
    printf("%s %s [", name, haft_dtype_get_name(dtype));
    for (int64_t d = 0; d < ndim; ++d) printf("%s%lld", d ? ", " : "", (long long)size[d]);
    printf("]\n");
    haft_tensor_release(t);
  }
  haft_weights_release(file);
}

/* What the network makes of the rows -1, -0.9, ... 0.9. */
static void run(haft_module* net, float outputs[15]) {
  const int64_t size[2] = {5, 4};
  float rows[20];
  haft_tensor *x = NULL, *y = NULL;
  for (int i = 0; i < 20; ++i) rows[i] = (float)(i - 10) / 10;
  must(haft_tensor_from_data(rows, size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &x));
  must(haft_module_forward(net, x, &y));
  must(haft_tensor_read(y, outputs, 15 * sizeof(float)));
  haft_tensor_release(y);
  haft_tensor_release(x);
}

int main(int argc, char** argv) {
  char made[] = "/tmp/haft-weights-XXXXXX";
  const char* path = argc > 1 ? argv[1] : made;
  float first[15], second[15];
  int same = 1;
  haft_module *net = create_network(), *other = create_network();
  if (argc == 1) {
    const int file = mkstemp(made);
    if (file < 0) {
      perror(made);
      return 1;
    }
    close(file);
  }
  if (argc > 1 && access(path, F_OK) == 0)
    must(haft_module_load(net, path, 1));
  else
    must(haft_module_save(net, path));
  show(path);
  must(haft_module_load(other, path, 1)); /* strict: every name, and no other */
  run(net, first);
  run(other, second);
  printf("outputs");
  for (int i = 0; i < 15; ++i) {
    same = same && first[i] == second[i];
    printf(" %.9g", first[i]);
  }
  printf("\n%s\n", same ? "the weights survived" : "the weights did not survive");
  if (argc == 1) unlink(path);
  haft_module_release(other);
  haft_module_release(net);
  return !same;
}
