// Pictures in files and folders, graphs for TensorBoard, and histograms of points under failing allocations.
#include "oom_cases.h"

namespace oom {

namespace {

struct Pixels : Tensor {
  Pixels() {
    const int64_t size[] = {3, 4, 5};
    must(haft_full(size, 3, haft_scalar_int(7), HAFT_UINT8, HAFT_DEVICE_CPU, &h));
  }
};

std::string picture(const std::string& path = in_folder("seven.png")) {
  must(haft_png_save(Pixels(), path.c_str()));
  return path;
}

std::string picture_folder() {
  std::filesystem::create_directories(in_folder("pictures") + "/a");
  picture(in_folder("pictures") + "/a/x.png");
  return in_folder("pictures");
}

}  // namespace

void add_pictures(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_image_load", [](Attempt& a) {
    const std::string path = picture();
    Tensor y(a);
    a.run([&] { return haft_image_load(path.c_str(), 0, &y); });
  });
  add("haft_image_decode", [](Attempt& a) {
    Tensor file, y(a);
    must(haft_image_encode(Pixels(), HAFT_IMAGE_PNG, 6, &file));
    a.run([&] { return haft_image_decode(file, 3, &y); });
  });
  add("haft_image_encode", [](Attempt& a) {
    Pixels x;
    Tensor file(a);
    a.run([&] { return haft_image_encode(x, HAFT_IMAGE_PNG, 6, &file); });
  });
  add("haft_jpeg_save", [](Attempt& a) {
    Pixels x;
    const std::string path = in_folder("x.jpg");
    // Where the system has no library of JPEG, that is the answer.
    if (haft_jpeg_save(x, 90, path.c_str()) == HAFT_ERROR_UNAVAILABLE) {
      a.run([&] { return haft_png_save(x, path.c_str()); });
    } else {
      std::filesystem::remove(path);
      a.run([&] { return haft_jpeg_save(x, 90, path.c_str()); });
    }
    EXPECT_EQ(std::filesystem::exists(path), a.ok());
    std::filesystem::remove(path);
  });
  add("haft_image_files_dataset_create", [](Attempt& a) {
    const std::string path = picture();
    const char* paths[] = {path.c_str()};
    const int64_t labels[] = {1};
    Dataset d(a);
    a.run([&] { return haft_image_files_dataset_create(paths, labels, 1, 3, &d); });
  });
  add("haft_image_folder_dataset_create", [](Attempt& a) {
    const std::string root = picture_folder();
    Dataset d(a);
    a.run([&] { return haft_image_folder_dataset_create(root.c_str(), 3, &d); });
  });
  add("haft_dataset_get_class_name", [](Attempt& a) {
    Dataset d;
    must(haft_image_folder_dataset_create(picture_folder().c_str(), 3, &d));
    const char* name = nullptr;
    a.run([&] { return haft_dataset_get_class_name(d, 0, &name); });
  });
  add("haft_dataset_targets", [](Attempt& a) {
    Dataset d;
    must(haft_image_folder_dataset_create(picture_folder().c_str(), 3, &d));
    Tensor targets(a);
    a.run([&] { return haft_dataset_targets(d, &targets); });
  });
  add("haft_writer_add_graph", [](Attempt& a) {
    OpenWriter w;
    Linear net;
    Filled x;
    haft_tensor* inputs[] = {x};
    a.run([&] { return haft_writer_add_graph(w, net, inputs, 1); });
    must(haft_writer_add_scalar(w, "loss", 0.5, 1));
  });
  add("haft_writer_add_recorded_graph", [](Attempt& a) {
    OpenWriter w;
    Graph g;
    const char* names[] = {"Net/weight"};
    haft_tensor *outputs[] = {g.y}, *parameters[] = {g.x};
    const haft_graph_scope scope = {0, 1000000000, "Net"};
    a.run([&] {
      return haft_writer_add_recorded_graph(w, nullptr, 0, outputs, 1, names, parameters, 1, &scope, 1);
    });
    must(haft_writer_add_scalar(w, "loss", 0.5, 1));
  });
  add("haft_histogramdd", [](Attempt& a) {
    const int64_t sizes[] = {4, 2}, bins[] = {2};
    haft_tensor *x = nullptr, *outs[3] = {};
    int64_t count = 0;
    must(haft_ones(sizes, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &x));
    if (a.run([&] {
          return haft_histogramdd(x, nullptr, 0, nullptr, nullptr, bins, 1, 0, outs, 3, &count);
        }) == HAFT_OK)
      for (int64_t i = 0; i < count; ++i) haft_tensor_release(outs[i]);
    haft_tensor_release(x);
  });
}

}  // namespace oom
