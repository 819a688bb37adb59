// Modules, optimizers, data and files under failing allocations: options, callbacks, paths, and objects that
// must be as before when a call fails.
#include "oom_cases.h"

namespace oom {

void add_data(Cases& all) {
  add_sequences(all);
  add_linalg(all);
  add_complex(all);
  add_pictures(all);
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  static const std::string images = idx_file("images", {3, 4, 4}, 48), labels = idx_file("labels", {3}, 3);
  add("haft_idx_dataset_create", [](Attempt& a) {
    Dataset d(a);
    a.run([&] { return haft_idx_dataset_create(images.c_str(), labels.c_str(), &d); });
  });
  add("haft_callback_dataset_create", [](Attempt& a) {
    haft_field field{};
    field.dtype = HAFT_FLOAT32;
    field.ndim = 1;
    field.size[0] = 20;
    User user;
    {
      Dataset d(a);
      a.run([&] {
        return haft_callback_dataset_create(
            4, &field, 1, [](int64_t, void* const*, void*) -> haft_status { return HAFT_OK; }, &user,
            User::destroy, 0, &d);
      });
    }
    user.expect(a, 1);
  });
  add("haft_loader_create", [](Attempt& a) {
    Rows rows;
    Transform scale;
    must(haft_to_float_transform_create(0.5, &scale));
    haft_transform* transforms[] = {scale};
    haft_loader_options o = HAFT_LOADER_OPTIONS_INIT;
    o.batch_size = 2;
    o.shuffle = 1;
    o.transforms = transforms;
    o.transform_count = 1;
    o.seed = 3;
    Loader l(a);
    a.run([&] { return haft_loader_create(rows, &o, &l); });
  });
  add("haft_loader_next", [](Attempt& a) {
    Batches l;
    haft_tensor* batch[2] = {reinterpret_cast<haft_tensor*>(kUntouched), nullptr};
    int64_t n = 0, seen = 0;
    a.run([&] { return haft_loader_next(l, batch, 2, &n); });
    if (a.ok())
      haft_tensor_release_many(batch, n), ++seen;
    else
      EXPECT_EQ(batch[0], reinterpret_cast<haft_tensor*>(kUntouched));
    while (haft_loader_next(l, batch, 2, &n) == HAFT_OK) haft_tensor_release_many(batch, n), ++seen;
    EXPECT_EQ(seen, 2) << "a batch is lost";
  });
  add("haft_loader_reset", [](Attempt& a) {
    Batches l;
    a.run([&] { return haft_loader_reset(l); });
  });
  add_counting<Loader>(
      all, "loader",
      [](Loader& l) {
        Batches made;
        std::swap(l.h, made.h);
      },
      haft_loader_retain, haft_loader_release);
  add_counting<Dataset>(
      all, "dataset",
      [](Dataset& d) {
        Rows made;
        std::swap(d.h, made.h);
      },
      haft_dataset_retain, haft_dataset_release);
  add_counting<Transform>(
      all, "transform", [](Transform& t) { must(haft_to_float_transform_create(1, &t)); },
      haft_transform_retain, haft_transform_release);
}

struct Picture : Tensor {
  Picture() {
    const int64_t size[] = {3, 5, 4};
    must(haft_full(size, 3, haft_scalar_float(0.5), HAFT_FLOAT32, HAFT_DEVICE_CPU, &h));
  }
};

void add_io(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_weights_save", [](Attempt& a) {
    Filled x;
    const char* names[] = {"x"};
    haft_tensor* ts[] = {x};
    std::string path = in_folder("x.safetensors");
    a.run([&] { return haft_weights_save(names, ts, 1, path.c_str()); });
    EXPECT_EQ(std::filesystem::exists(path), a.ok());
    std::filesystem::remove(path);
  });
  add("haft_npz_save", [](Attempt& a) {
    Filled x;
    const char* names[] = {"x"};
    haft_tensor* ts[] = {x};
    std::string path = in_folder("x.npz");
    a.run([&] { return haft_npz_save(names, ts, 1, 1, path.c_str()); });
    EXPECT_EQ(std::filesystem::exists(path), a.ok());
    std::filesystem::remove(path);
  });
  add("haft_csv_dataset_create", [](Attempt& a) {
    std::string path = in_folder("x.csv");
    std::ofstream(path) << "1,2,3\n4,5,6\n";
    Dataset d(a);
    a.run([&] { return haft_csv_dataset_create(path.c_str(), ',', 0, 2, HAFT_INT64, &d); });
  });
  add("haft_cifar_dataset_create", [](Attempt& a) {
    std::string path = in_folder("x.bin");
    std::ofstream(path) << std::string(2 * 3073, '\1');
    const char* paths[] = {path.c_str()};
    Dataset d(a);
    a.run([&] { return haft_cifar_dataset_create(paths, 1, 1, &d); });
  });
  add_counting<Evaluator>(
      all, "evaluator", [](Evaluator& e) { must(haft_evaluator_create(3, 1, -100, &e)); },
      haft_evaluator_retain, haft_evaluator_release);
  auto evaluator = [](Evaluator& e) {
    must(haft_evaluator_create(3, 1, -100, &e));
    Tensor scores, target;
    const int64_t size[] = {4, 3};
    must(haft_full(size, 2, haft_scalar_float(0.5), HAFT_FLOAT32, HAFT_DEVICE_CPU, &scores));
    must(haft_full(size, 1, haft_scalar_int(1), HAFT_INT64, HAFT_DEVICE_CPU, &target));
    must(haft_evaluator_update(e, scores, target));
  };
  add("haft_evaluator_set_state", [evaluator](Attempt& a) {
    Evaluator e;
    Tensor state;
    evaluator(e);
    must(haft_evaluator_get_state(e, &state));
    a.run([&] { return haft_evaluator_set_state(e, state); });
  });
  add("haft_evaluator_scores", [evaluator](Attempt& a) {
    Evaluator e;
    evaluator(e);
    Tensor precision(a), recall(a), f1(a);
    a.run([&] { return haft_evaluator_scores(e, &precision, &recall, &f1); });
  });
  add("haft_weights_open", [](Attempt& a) {
    std::string path = weights_file();
    Weights w(a);
    a.run([&] { return haft_weights_open(path.c_str(), &w); });
  });
  add_counting<Weights>(
      all, "weights", [](Weights& w) { must(haft_weights_open(weights_file().c_str(), &w)); },
      haft_weights_retain, haft_weights_release);
  add("haft_npy_save", [](Attempt& a) {
    Filled x;
    std::string path = in_folder("x.npy");
    a.run([&] { return haft_npy_save(x, path.c_str()); });
    EXPECT_EQ(std::filesystem::exists(path), a.ok());
    std::filesystem::remove(path);
  });
  add("haft_npy_load", [](Attempt& a) {
    std::string path = in_folder("y.npy");
    Filled x;
    must(haft_npy_save(x, path.c_str()));
    Tensor y(a);
    a.run([&] { return haft_npy_load(path.c_str(), &y); });
  });
  add("haft_idx_load", [](Attempt& a) {
    static const std::string alone = idx_file("alone", {3}, 3);
    Tensor t(a);
    a.run([&] { return haft_idx_load(alone.c_str(), &t); });
  });
  add("haft_writer_create", [](Attempt& a) {
    std::string path = in_folder("new events");
    {
      Writer w(a);
      a.run([&] { return haft_writer_create(path.c_str(), &w); });
    }
    std::filesystem::remove_all(path);
  });
  add_counting<OpenWriter>(
      all, "writer", [](OpenWriter&) {}, haft_writer_retain, haft_writer_release);
  add("haft_writer_add_scalar", [](Attempt& a) {
    OpenWriter w;
    a.run([&] { return haft_writer_add_scalar(w, "a curve with a name that is not short", 0.5, 1); });
    must(haft_writer_add_scalar(w, "loss", 0.5, 1));
  });
  add("haft_writer_add_histogram", [](Attempt& a) {
    OpenWriter w;
    Filled x;
    a.run([&] { return haft_writer_add_histogram(w, "weights", x, 1); });
  });
  add("haft_writer_add_image", [](Attempt& a) {
    OpenWriter w;
    Picture x;
    a.run([&] { return haft_writer_add_image(w, "a picture with a name that is not short", x, 1, 0); });
    must(haft_writer_add_scalar(w, "loss", 0.5, 1));
  });
  add("haft_writer_add_text", [](Attempt& a) {
    OpenWriter w;
    a.run([&] {
      return haft_writer_add_text(w, "notes", "a text that is longer than what a string holds", 1, 0);
    });
    must(haft_writer_add_scalar(w, "loss", 0.5, 1));
  });
  add("haft_png_save", [](Attempt& a) {
    Picture x;
    std::string path = in_folder("x.png");
    a.run([&] { return haft_png_save(x, path.c_str()); });
    EXPECT_EQ(std::filesystem::exists(path), a.ok());
    std::filesystem::remove(path);
  });
  add("haft_writer_add_event", [](Attempt& a) {
    OpenWriter w;
    const std::string event = "\x10\x01";  // step 1
    a.run([&] { return haft_writer_add_event(w, event.data(), int64_t(event.size())); });
    must(haft_writer_add_event(w, event.data(), int64_t(event.size())));
  });
  add("haft_writer_flush", [](Attempt& a) {
    OpenWriter w;
    must(haft_writer_add_scalar(w, "loss", 0.5, 1));
    a.run([&] { return haft_writer_flush(w); });
  });
  add("haft_writer_close", [](Attempt& a) {
    OpenWriter w;
    must(haft_writer_add_scalar(w, "loss", 0.5, 1));
    a.run([&] { return haft_writer_close(w); });
  });
  add("haft_writer_get_path", [](Attempt& a) {
    OpenWriter w;
    char text[4096];
    a.run([&] { return haft_writer_get_path(w, text, sizeof text, nullptr); });
  });
  add("haft_checkpoint_save", [](Attempt& a) {
    TrainingRun run;
    haft_key_value value = best();
    std::string path = in_folder("new.ckpt");
    a.run([&] { return haft_checkpoint_save(path.c_str(), &run.parts, &value, 1); });
    EXPECT_EQ(std::filesystem::exists(path), a.ok());
    std::filesystem::remove(path);
  });
  add("haft_checkpoint_load", [](Attempt& a) {
    std::string path = checkpoint_file();
    TrainingRun run;
    Checkpoint c(a);
    a.run([&] { return haft_checkpoint_load(path.c_str(), &run.parts, &c); });
  });
  add_counting<Checkpoint>(
      all, "checkpoint",
      [](Checkpoint& c) {
        Values made;
        std::swap(c.h, made.h);
      },
      haft_checkpoint_retain, haft_checkpoint_release);
  add("haft_checkpoint_get_number", [](Attempt& a) {
    Values v;
    haft_scalar s;
    a.run([&] { return haft_checkpoint_get_number(v, "best", &s); });
  });
  add("haft_checkpoint_get_text", [](Attempt& a) {
    Values v;
    const char* s = nullptr;
    a.run([&] { return haft_checkpoint_get_text(v, "name", &s); });
  });
}

void add_optim(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_optimizer_step", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    std::vector<char> before = bytes_of(p);
    a.run([&] { return haft_optimizer_step(o); });
    EXPECT_EQ(bytes_of(p) != before, a.ok()) << "a failed step must leave the parameters alone";
  });
  add("haft_optimizer_step_closure", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    Tensor loss(a);
    a.may_fail_in_callbacks();
    a.run([&] {
      return haft_optimizer_step_closure(
          o, [](haft_tensor** l, void* user) { return haft_square(static_cast<haft_tensor*>(user), l); }, p.h,
          &loss);
    });
  });
  add("haft_optimizer_add_group", [](Attempt& a) {
    Parameter p, q;
    Adam o(p);
    haft_tensor* more[] = {q};
    int64_t group = 0, count = 0;
    a.run([&] { return haft_optimizer_add_group(o, more, 1, &group); });
    must(haft_optimizer_get_group_count(o, &count));
    EXPECT_EQ(count, a.ok() ? 2 : 1);
  });
  add("haft_optimizer_state", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    must(haft_optimizer_step(o));
    Tensor s(a);
    a.run([&] { return haft_optimizer_state(o, 0, "exp_avg", &s); });
  });
  add("haft_optimizer_set_state", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    Filled v;
    a.run([&] { return haft_optimizer_set_state(o, 0, "exp_avg", v); });
  });
  add("haft_grad_clip_norm", [](Attempt& a) {
    Parameter p;
    haft_tensor* ps[] = {p};
    Tensor norm(a);
    a.run([&] { return haft_grad_clip_norm(ps, 1, 0.1, 2, &norm); });
  });
  add("haft_grad_clip_value", [](Attempt& a) {
    Parameter p;
    haft_tensor* ps[] = {p};
    a.run([&] { return haft_grad_clip_value(ps, 1, 0.1); });
  });
  add("haft_lambda_lr_create", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    User user;
    {
      Scheduler s(a);
      a.run([&] {
        return haft_lambda_lr_create(
            o, [](int64_t, double* factor, void*) -> haft_status { return *factor = 0.5, HAFT_OK; }, &user,
            User::destroy, &s);
      });
    }
    user.expect(a, 1);
    double lr = 0;
    must(haft_optimizer_get_lr(o, 0, &lr));
    EXPECT_DOUBLE_EQ(lr, a.ok() ? 5e-4 : 1e-3);
  });
  add("haft_multiplicative_lr_create", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    User user;
    {
      Scheduler s(a);
      a.run([&] {
        return haft_multiplicative_lr_create(
            o, [](int64_t, double* factor, void*) -> haft_status { return *factor = 0.5, HAFT_OK; }, &user,
            User::destroy, &s);
      });
    }
    user.expect(a, 1);
  });
  add("haft_chained_scheduler_create", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    Scheduler first, second, s(a);
    must(haft_constant_lr_create(o, nullptr, &first));
    must(haft_polynomial_lr_create(o, nullptr, &second));
    haft_scheduler* parts[] = {first, second};
    a.run([&] { return haft_chained_scheduler_create(parts, 2, &s); });
  });
  add("haft_sequential_lr_create", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    Scheduler first, second, s(a);
    must(haft_constant_lr_create(o, nullptr, &first));
    must(haft_polynomial_lr_create(o, nullptr, &second));
    haft_scheduler* parts[] = {first, second};
    const int64_t milestone = 3;
    a.run([&] { return haft_sequential_lr_create(o, parts, 2, &milestone, 1, &s); });
  });
  add("haft_scheduler_step_metric", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    Scheduler s;
    must(haft_reduce_lr_on_plateau_create(o, nullptr, &s));
    a.run([&] { return haft_scheduler_step_metric(s, 0.5); });
  });
  add_counting<Optimizer>(
      all, "optimizer",
      [](Optimizer& o) {
        Parameter p;
        haft_tensor* ps[] = {p};
        must(haft_sgd_create(ps, 1, nullptr, &o));
      },
      haft_optimizer_retain, haft_optimizer_release);
  add_counting<Scheduler>(
      all, "scheduler",
      [](Scheduler& s) {
        Parameter p;
        Adam o(p);
        haft_exponential_lr_options half = HAFT_EXPONENTIAL_LR_OPTIONS_INIT;
        half.gamma = 0.5;
        must(haft_exponential_lr_create(o, &half, &s));
      },
      haft_scheduler_retain, haft_scheduler_release);
}

void add_nn(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_scheduler_set_state", [](Attempt& a) {
    Parameter p;
    Adam o(p);
    Scheduler s;
    haft_exponential_lr_options half = HAFT_EXPONENTIAL_LR_OPTIONS_INIT;
    half.gamma = 0.5;
    must(haft_exponential_lr_create(o, &half, &s));
    const char* names[] = {"last_epoch", "base_lrs.0"};
    const double values[] = {7, 0.25};
    a.run([&] { return haft_scheduler_set_state(s, names, values, 2); });
    int64_t epoch = 0;
    must(haft_scheduler_get_last_epoch(s, &epoch));
    EXPECT_EQ(epoch, a.ok() ? 7 : 0);
  });
  // Layers whose options have no defaults; the others are made of none.
#define LAYER_CASE(name, NAME, ...)                       \
  add("haft_" #name "_create", [](Attempt& a) {           \
    haft_##name##_options o = HAFT_##NAME##_OPTIONS_INIT; \
    __VA_ARGS__;                                          \
    Module m(a);                                          \
    a.run([&] { return haft_##name##_create(&o, &m); });  \
  })
  static const int64_t shape[] = {4, 5};
  LAYER_CASE(linear, LINEAR, o.in_features = o.out_features = 20);
  LAYER_CASE(conv2d, CONV2D, o.in_channels = o.out_channels = 16; o.kernel_size[0] = o.kernel_size[1] = 3);
  LAYER_CASE(batch_norm1d, BATCH_NORM1D, o.num_features = 20);
  LAYER_CASE(batch_norm2d, BATCH_NORM2D, o.num_features = 20);
  LAYER_CASE(layer_norm, LAYER_NORM, o.normalized_shape = shape; o.normalized_shape_count = 2);
  LAYER_CASE(rnn, RNN, o.input_size = o.hidden_size = 20);
  LAYER_CASE(lstm, LSTM, o.input_size = o.hidden_size = 20; o.proj_size = 5);
  LAYER_CASE(gru, GRU, o.input_size = o.hidden_size = 20);
  LAYER_CASE(rnn_cell, RNN_CELL, o.input_size = o.hidden_size = 20);
  LAYER_CASE(lstm_cell, LSTM_CELL, o.input_size = o.hidden_size = 20);
  LAYER_CASE(gru_cell, GRU_CELL, o.input_size = o.hidden_size = 20);
  LAYER_CASE(multihead_attention, MULTIHEAD_ATTENTION, o.embed_dim = 20; o.num_heads = 2; o.add_bias_kv = 1;
             o.kdim = 6);
  LAYER_CASE(transformer_encoder_layer, TRANSFORMER_ENCODER_LAYER, o.d_model = 20; o.nhead = 2;
             o.dim_feedforward = 20);
  LAYER_CASE(transformer_decoder_layer, TRANSFORMER_DECODER_LAYER, o.d_model = 20; o.nhead = 2;
             o.dim_feedforward = 20);
  LAYER_CASE(transformer_encoder, TRANSFORMER_ENCODER, o.d_model = 20; o.nhead = 2; o.dim_feedforward = 20;
             o.num_layers = 1; o.norm = 1);
  LAYER_CASE(transformer_decoder, TRANSFORMER_DECODER, o.d_model = 20; o.nhead = 2; o.dim_feedforward = 20;
             o.num_layers = 1);
  LAYER_CASE(transformer, TRANSFORMER, o.d_model = 20; o.nhead = 2; o.dim_feedforward = 20;
             o.num_encoder_layers = o.num_decoder_layers = 1);
  LAYER_CASE(rotary_embedding, ROTARY_EMBEDDING, o.dim = 4);
  LAYER_CASE(kv_cache, KV_CACHE, o.batch_size = o.num_heads = o.max_length = o.head_dim = 4);
  LAYER_CASE(embedding, EMBEDDING, o.num_embeddings = o.embedding_dim = 20);
  LAYER_CASE(max_pool2d, MAX_POOL2D, o.kernel_size[0] = o.kernel_size[1] = 2);
  LAYER_CASE(avg_pool2d, AVG_POOL2D, o.kernel_size[0] = o.kernel_size[1] = 2);
  LAYER_CASE(adaptive_avg_pool2d, ADAPTIVE_AVG_POOL2D, o.output_size[0] = o.output_size[1] = 2);
  static const int64_t two = 2;
#define POOL_CASE(name, NAME) LAYER_CASE(name, NAME, o.kernel_size = &two; o.kernel_size_count = 1)
  POOL_CASE(max_pool1d, MAX_POOL1D);
  POOL_CASE(max_pool3d, MAX_POOL3D);
  POOL_CASE(avg_pool1d, AVG_POOL1D);
  POOL_CASE(avg_pool3d, AVG_POOL3D);
  POOL_CASE(lp_pool1d, LP_POOL1D);
  POOL_CASE(lp_pool2d, LP_POOL2D);
  POOL_CASE(lp_pool3d, LP_POOL3D);
#undef POOL_CASE
  static const int64_t cutoffs[] = {4, 12};
  LAYER_CASE(adaptive_log_softmax_with_loss, ADAPTIVE_LOG_SOFTMAX_WITH_LOSS, o.in_features = 20;
             o.n_classes = 20; o.cutoffs = cutoffs; o.cutoffs_count = 2);
#define FRACTIONAL_CASE(name, NAME) \
  LAYER_CASE(name, NAME, o.kernel_size = o.output_size = &two; o.kernel_size_count = o.output_size_count = 1)
  FRACTIONAL_CASE(fractional_max_pool2d, FRACTIONAL_MAX_POOL2D);
  FRACTIONAL_CASE(fractional_max_pool3d, FRACTIONAL_MAX_POOL3D);
#undef FRACTIONAL_CASE
#define GRID_CASE(name, NAME) LAYER_CASE(name, NAME, o.output_size = &two; o.output_size_count = 1)
  GRID_CASE(adaptive_avg_pool1d, ADAPTIVE_AVG_POOL1D);
  GRID_CASE(adaptive_avg_pool3d, ADAPTIVE_AVG_POOL3D);
  GRID_CASE(adaptive_max_pool1d, ADAPTIVE_MAX_POOL1D);
  GRID_CASE(adaptive_max_pool2d, ADAPTIVE_MAX_POOL2D);
  GRID_CASE(adaptive_max_pool3d, ADAPTIVE_MAX_POOL3D);
#undef GRID_CASE
  LAYER_CASE(pixel_shuffle, PIXEL_SHUFFLE, o.upscale_factor = 2);
  LAYER_CASE(pixel_unshuffle, PIXEL_UNSHUFFLE, o.downscale_factor = 2);
  LAYER_CASE(channel_shuffle, CHANNEL_SHUFFLE, o.groups = 2);
  LAYER_CASE(local_response_norm, LOCAL_RESPONSE_NORM, o.size = 2);
  LAYER_CASE(softmax, SOFTMAX, o.dim = 0);
  LAYER_CASE(log_softmax, LOG_SOFTMAX, o.dim = 0);
  LAYER_CASE(threshold, THRESHOLD, o.threshold = 0.5);
#define CONV_CASE(name, NAME) \
  LAYER_CASE(name, NAME, o.in_channels = o.out_channels = 16; o.kernel_size = &two; o.kernel_size_count = 1)
  CONV_CASE(conv1d, CONV1D);
  CONV_CASE(conv3d, CONV3D);
  CONV_CASE(conv_transpose1d, CONV_TRANSPOSE1D);
  CONV_CASE(conv_transpose2d, CONV_TRANSPOSE2D);
  CONV_CASE(conv_transpose3d, CONV_TRANSPOSE3D);
#undef CONV_CASE
#define WINDOW_CASE(name, NAME) LAYER_CASE(name, NAME, o.kernel_size = &two; o.kernel_size_count = 1)
  WINDOW_CASE(max_unpool1d, MAX_UNPOOL1D);
  WINDOW_CASE(max_unpool2d, MAX_UNPOOL2D);
  WINDOW_CASE(max_unpool3d, MAX_UNPOOL3D);
  WINDOW_CASE(unfold, UNFOLD);
  LAYER_CASE(fold, FOLD, o.output_size = shape; o.output_size_count = 2; o.kernel_size = &two;
             o.kernel_size_count = 1);
#undef WINDOW_CASE
#define PAD_CASE(name, NAME) LAYER_CASE(name, NAME, o.padding = &two; o.padding_count = 1)
#define PAD_CASES(name, NAME)   \
  PAD_CASE(name##1d, NAME##1D); \
  PAD_CASE(name##2d, NAME##2D); \
  PAD_CASE(name##3d, NAME##3D)
  PAD_CASES(reflection_pad, REFLECTION_PAD);
  PAD_CASES(replication_pad, REPLICATION_PAD);
  PAD_CASES(circular_pad, CIRCULAR_PAD);
  PAD_CASES(zero_pad, ZERO_PAD);
  PAD_CASES(constant_pad, CONSTANT_PAD);
#undef PAD_CASES
#undef PAD_CASE
  LAYER_CASE(batch_norm3d, BATCH_NORM3D, o.num_features = 20);
  LAYER_CASE(instance_norm1d, INSTANCE_NORM1D, o.num_features = 20);
  LAYER_CASE(instance_norm2d, INSTANCE_NORM2D, o.num_features = 20);
  LAYER_CASE(instance_norm3d, INSTANCE_NORM3D, o.num_features = 20; o.affine = o.track_running_stats = 1);
  LAYER_CASE(group_norm, GROUP_NORM, o.num_groups = 4; o.num_channels = 20);
  LAYER_CASE(rms_norm, RMS_NORM, o.normalized_shape = shape; o.normalized_shape_count = 2);
  LAYER_CASE(embedding_bag, EMBEDDING_BAG, o.num_embeddings = o.embedding_dim = 20);
  LAYER_CASE(linear_cross_entropy_loss, LINEAR_CROSS_ENTROPY_LOSS, o.in_features = o.num_classes = 20);
  LAYER_CASE(bilinear, BILINEAR, o.in1_features = o.in2_features = o.out_features = 5);
  LAYER_CASE(softmin, SOFTMIN, o.dim = 0);
  LAYER_CASE(unflatten, UNFLATTEN, o.dim = 0; o.unflattened_size = shape; o.unflattened_size_count = 2);
#undef LAYER_CASE
  add("haft_rnn", [](Attempt& a) {
    static constexpr int64_t k6x6[] = {6, 6};
    Filled x, inputs(0.1, k6x20), states(0.1, k6x6);
    haft_tensor* const weights[] = {inputs, states};
    Tensor out(a), h(a), c(a);
    a.run([&] {
      return haft_rnn(x, nullptr, nullptr, weights, 2, 0, 1, 0, 0, 0, 0, nullptr, 0, nullptr, &out, &h, &c);
    });
  });
  add("haft_multi_head_attention", [](Attempt& a) {
    static constexpr int64_t k60x20[] = {60, 20};
    Filled x, w(0.1, k60x20);
    Tensor out(a), weights(a);
    a.run([&] {
      return haft_multi_head_attention(x, x, x, w, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                       nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 2, 1, 0, 1, 1, 1,
                                       0, nullptr, &out, &weights);
    });
  });
  add("haft_einsum", [](Attempt& a) {
    Filled x;
    haft_tensor* const operands[] = {x, x};
    Tensor out(a);
    a.run([&] { return haft_einsum("ij,kj->ik", operands, 2, &out); });
  });
  add("haft_rotary_embedding", [](Attempt& a) {
    static constexpr int64_t k4x3[] = {4, 3};
    Filled x, cos(0.5, k4x3), sin(0.25, k4x3);
    Tensor out(a);
    a.run([&] { return haft_rotary_embedding(x, cos, sin, 0, &out); });
  });
  // Schedules likewise.
#define SCHEDULE_CASE(name, NAME, ...)                         \
  add("haft_" #name "_create", [](Attempt& a) {                \
    Parameter p;                                               \
    Adam adam(p);                                              \
    haft_##name##_options o = HAFT_##NAME##_OPTIONS_INIT;      \
    __VA_ARGS__;                                               \
    Scheduler s(a);                                            \
    a.run([&] { return haft_##name##_create(adam, &o, &s); }); \
  })
  SCHEDULE_CASE(step_lr, STEP_LR, o.step_size = 2);
  SCHEDULE_CASE(multi_step_lr, MULTI_STEP_LR, o.milestones = shape; o.milestones_count = 2);
  SCHEDULE_CASE(exponential_lr, EXPONENTIAL_LR, o.gamma = 0.5);
  SCHEDULE_CASE(cosine_annealing_lr, COSINE_ANNEALING_LR, o.t_max = 3);
  SCHEDULE_CASE(cosine_annealing_warm_restarts, COSINE_ANNEALING_WARM_RESTARTS, o.t_0 = 3);
  SCHEDULE_CASE(cyclic_lr, CYCLIC_LR, o.base_lr = 0.1; o.max_lr = 0.5);
  SCHEDULE_CASE(one_cycle_lr, ONE_CYCLE_LR, o.max_lr = 0.5; o.total_steps = 9);
  SCHEDULE_CASE(swa_lr, SWA_LR, o.swa_lr = 0.5);
#undef SCHEDULE_CASE
  // Operators that want lengths which fit.
  add("haft_ctc_loss", [](Attempt& a) {
    Filled x;  // (T, C)
    auto counts = [](Tensor& t, int64_t n, double value) {
      haft_scalar s = haft_scalar_int(int64_t(value));
      must(haft_full(&n, 1, s, HAFT_INT64, HAFT_DEVICE_CPU, &t));
    };
    Tensor targets, read, length, loss(a);
    counts(targets, 2, 1);
    counts(read, 1, 4);
    counts(length, 1, 2);
    a.run([&] { return haft_ctc_loss(x, targets, read, length, 0, HAFT_REDUCTION_MEAN, 0, &loss); });
  });
  add("haft_linear_cross_entropy", [](Attempt& a) {
    Filled x, w;  // (N, D), (C, D)
    const int64_t n = 4;
    Tensor target, loss(a);
    must(haft_full(&n, 1, haft_scalar_int(2), HAFT_INT64, HAFT_DEVICE_CPU, &target));
    a.run([&] {
      return haft_linear_cross_entropy(x, w, target, nullptr, nullptr, HAFT_REDUCTION_MEAN, -100, 0, &loss);
    });
  });
  add("haft_data_parallel_module_create", [](Attempt& a) {
    Linear inner;
    Module m(a);
    const haft_device devices[] = {HAFT_DEVICE_CPU};
    a.run([&] { return haft_data_parallel_module_create(inner, devices, 1, 0, &m); });
  });
  add("haft_callback_module_create", [](Attempt& a) {
    User user;
    {
      Module m(a);
      a.run([&] {
        return haft_callback_module_create(
            "Mine",
            [](haft_module*, haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void*) {
              *count = 1;
              return haft_exp(in[0], out);
            },
            &user, User::destroy, &m);
      });
      Filled x;
      Tensor y;
      if (a.ok()) must(haft_module_forward(m, x, &y));
    }
    user.expect(a, 1);
  });
  add_counting<Linear>(
      all, "module", [](Linear&) {}, haft_module_retain, haft_module_release);
  add("haft_module_to", [](Attempt& a) {
    Linear m;
    a.run([&] { return haft_module_to(m, HAFT_FLOAT64, HAFT_DEVICE_DEFAULT); });
    for (const char* name : {"weight", "bias"}) {
      Tensor p;
      haft_dtype t = 0;
      must(haft_module_parameter(m, name, &p));
      must(haft_tensor_get_dtype(p, &t));
      EXPECT_EQ(t, a.ok() ? HAFT_FLOAT64 : HAFT_FLOAT32) << "of " << name;
    }
  });
  add("haft_module_add_child", [](Attempt& a) {
    Linear m, child;
    a.run([&] { return haft_module_add_child(m, "child with a name that is not short", child); });
    int64_t n = 0;
    must(haft_module_get_child_count(m, &n));
    EXPECT_EQ(n, a.ok());
  });
  add("haft_module_register_parametrization", [](Attempt& a) {
    Linear m;
    haft_weight_norm_options o = HAFT_WEIGHT_NORM_OPTIONS_INIT;
    haft_module* norm = nullptr;
    must(haft_weight_norm_create(&o, &norm));
    a.run([&] { return haft_module_register_parametrization(m, "weight", norm, nullptr, 0); });
    int32_t yes = 0;
    int64_t n = 0;
    must(haft_module_is_parametrized(m, "weight", &yes));
    must(haft_module_get_parameter_count(m, &n, nullptr));
    EXPECT_EQ(yes, a.ok());
    EXPECT_EQ(n, a.ok() ? 3 : 2);
    haft_module_release(norm);
  });
  for (const char* name :
       {"haft_module_remove_parametrizations", "haft_module_set_parametrized", "haft_module_right_inverse"})
    add(name, [name = std::string(name)](Attempt& a) {
      Linear m;
      haft_weight_norm_options o = HAFT_WEIGHT_NORM_OPTIONS_INIT;
      haft_module* norm = nullptr;
      Tensor value;
      must(haft_weight_norm_create(&o, &norm));
      must(haft_module_register_parametrization(m, "weight", norm, nullptr, 0));
      must(haft_module_value(m, "weight", &value));
      haft_tensor* outs[2] = {nullptr, nullptr};
      int64_t count = 0;
      a.run([&] {
        return name == "haft_module_right_inverse" ? haft_module_right_inverse(norm, value, outs, 2, &count)
               : name == "haft_module_set_parametrized" ? haft_module_set_parametrized(m, "weight", value)
                                                        : haft_module_remove_parametrizations(m, "weight", 1);
      });
      int32_t yes = 0;
      must(haft_module_is_parametrized(m, "weight", &yes));
      EXPECT_EQ(yes, name != "haft_module_remove_parametrizations" || !a.ok());
      for (haft_tensor* t : outs) haft_tensor_release(t);
      haft_module_release(norm);
    });
  add("haft_module_functional_call", [](Attempt& a) {
    Linear m;
    Tensor weight;
    Filled x;
    must(haft_module_parameter(m, "weight", &weight));
    const char* names[] = {"weight"};
    haft_tensor *others[] = {weight}, *ins[] = {x}, *y = nullptr;
    int64_t count = 0;
    a.run([&] { return haft_module_functional_call(m, names, others, 1, ins, 1, &y, 1, &count); });
    haft_tensor_release(y);
  });
  for (const char* name :
       {"haft_module_prune", "haft_module_prune_by_mask", "haft_prune_global", "haft_module_remove_pruning"})
    add(name, [name = std::string(name)](Attempt& a) {
      Linear m;
      haft_prune_options o = HAFT_PRUNE_OPTIONS_INIT;
      o.count = 1;
      Tensor mask;
      must(haft_module_parameter(m, "weight", &mask));
      const bool pruned = name == "haft_module_remove_pruning";
      if (pruned) must(haft_module_prune(m, "weight", &o, nullptr));
      haft_module* ms[] = {m};
      const char* names[] = {"weight"};
      a.run([&] {
        return pruned                                ? haft_module_remove_pruning(m, "weight")
               : name == "haft_module_prune"         ? haft_module_prune(m, "weight", &o, mask)
               : name == "haft_module_prune_by_mask" ? haft_module_prune_by_mask(m, "weight", mask)
                                                     : haft_prune_global(ms, names, nullptr, 1, &o);
      });
      int32_t yes = 0;
      must(haft_module_is_pruned(m, &yes));
      EXPECT_EQ(yes, a.ok() != pruned);
    });
  add("haft_triplet_margin_with_distance_loss_create", [](Attempt& a) {
    Linear distance;
    haft_module* m = nullptr;
    a.run([&] {
      return haft_triplet_margin_with_distance_loss_create(distance, 1, 0, HAFT_REDUCTION_MEAN, &m);
    });
    haft_module_release(m);
  });
  add("haft_module_apply", [](Attempt& a) {
    Linear m;
    a.run([&] {
      return haft_module_apply(
          m, [](haft_module*, const char*, void*) -> haft_status { return HAFT_OK; }, nullptr);
    });
  });
  add("haft_module_register_parameter", [](Attempt& a) {
    Linear m;
    Filled p;
    int64_t n = 0;
    a.run([&] { return haft_module_register_parameter(m, "another parameter of this module", p, 1); });
    must(haft_module_get_parameter_count(m, &n, nullptr));
    EXPECT_EQ(n, a.ok() ? 3 : 2);
    int32_t on = 2;
    must(haft_tensor_requires_grad(p, &on));
    EXPECT_EQ(on, a.ok());
  });
  add("haft_module_load_state", [](Attempt& a) {
    Linear m;
    Tensor weight;
    must(haft_module_parameter(m, "weight", &weight));
    Filled value(0.125, k6x20);
    const char* names[] = {"weight"};
    haft_tensor* ts[] = {value};
    std::vector<char> before = bytes_of(weight);
    a.run([&] { return haft_module_load_state(m, names, ts, 1, 0); });
    EXPECT_EQ(bytes_of(weight) != before, a.ok());
  });
  add("haft_module_save", [](Attempt& a) {
    Linear m;
    std::string path = in_folder("m.safetensors");
    a.run([&] { return haft_module_save(m, path.c_str()); });
    EXPECT_EQ(std::filesystem::exists(path), a.ok());
    std::filesystem::remove(path);
  });
  add("haft_module_load", [](Attempt& a) {
    std::string path = weights_file();
    Linear m;
    Tensor weight;
    must(haft_module_parameter(m, "weight", &weight));
    std::vector<char> before = bytes_of(weight);
    a.run([&] { return haft_module_load(m, path.c_str(), 0); });
    EXPECT_EQ(bytes_of(weight) != before, a.ok());
  });
  for (const char* name : {"haft_module_add_hook", "haft_module_add_pre_hook"})
    add(name, [name = std::string(name)](Attempt& a) {
      User user;
      {
        Linear m;
        int64_t id = 0;
        a.run([&] {
          return name == "haft_module_add_hook"
                     ? haft_module_add_hook(m, forward_hook, &user, User::destroy, &id)
                     : haft_module_add_pre_hook(m, pre_hook, &user, User::destroy, &id);
        });
        Filled x;
        Tensor y;
        must(haft_module_forward(m, x, &y));
      }
      user.expect(a, 1);
    });
  add("haft_module_remove_hook", [](Attempt& a) {
    Linear m;
    int64_t id = 0;
    must(haft_module_add_hook(m, forward_hook, nullptr, nullptr, &id));
    a.run([&] { return haft_module_remove_hook(m, id); });
  });
}

}  // namespace oom
