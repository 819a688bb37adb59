#include "core/io/image_folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/io/image.h"
#include "core/io/text.h"

namespace haft {

namespace {

class ImageFiles final : public Dataset {
 public:
  ImageFiles(std::vector<std::string> paths, std::span<const int64_t> labels, int64_t channels,
             std::vector<std::string> classes)
      : paths_(std::move(paths)),
        labels_(labels.begin(), labels.end()),
        classes_(std::move(classes)),
        channels_(channels) {
    if (paths_.empty()) fail(Code::invalid_argument, "a dataset of pictures wants at least one", {}, "paths");
    if (labels_.size() != paths_.size())
      fail(Code::invalid_argument,
           concat("a dataset of ", int64_t(paths_.size()), " pictures has ", int64_t(labels_.size()),
                  " labels"),
           {}, "labels");
    fields_ = {{DType::u8, Shape(varied(0).sizes())}, {DType::i64, {}}};
  }
  int64_t size() const override { return int64_t(paths_.size()); }
  const void* address(int field, int64_t index) const override {
    return field ? &labels_[size_t(index)] : nullptr;
  }
  void read(int64_t index, void* const* dst) const override {
    if (dst[1]) *static_cast<int64_t*>(dst[1]) = labels_[size_t(index)];
  }
  bool varies() const override { return true; }
  Tensor varied(int64_t index) const override { return read_image(paths_[size_t(index)], channels_); }
  std::span<const std::string> classes() const override { return classes_; }

 private:
  std::vector<std::string> paths_;
  std::vector<int64_t> labels_;
  std::vector<std::string> classes_;
  int64_t channels_;
};

// Names in a folder but for "." and "..", in order.
std::vector<std::string> names_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> d(::opendir(folder.c_str()), ::closedir);
  if (!d) fail_errno("open the folder", folder, errno);
  std::vector<std::string> names;
  while (const dirent* e = ::readdir(d.get()))
    if (const std::string_view name = e->d_name; name != "." && name != "..") names.emplace_back(name);
  std::ranges::sort(names);
  return names;
}

bool is_folder(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

// The folder and all below it, through symbolic links but not back up again: `above` are the folders that it lies in.
void collect_folders(const std::string& folder, std::vector<std::pair<dev_t, ino_t>>& above,
                     std::vector<std::string>& out) {
  struct stat s;
  if (::stat(folder.c_str(), &s) != 0) fail_errno("look at", folder, errno);
  const std::pair<dev_t, ino_t> self(s.st_dev, s.st_ino);
  if (std::ranges::find(above, self) != above.end()) return;
  above.push_back(self);
  out.push_back(folder);
  for (const std::string& name : names_in(folder))
    if (const std::string below = folder + "/" + name; is_folder(below)) collect_folders(below, above, out);
  above.pop_back();
}

}  // namespace

Ref<Dataset> open_image_files(std::vector<std::string> paths, std::span<const int64_t> labels,
                              int64_t channels) {
  return make_ref<ImageFiles>(std::move(paths), labels, channels, std::vector<std::string>());
}

Ref<Dataset> open_image_folder(const std::string& root, int64_t channels) {
  std::vector<std::string> classes, paths;
  std::vector<int64_t> labels;
  for (std::string& name : names_in(root)) {
    if (!is_folder(root + "/" + name)) continue;
    std::vector<std::string> folders;
    std::vector<std::pair<dev_t, ino_t>> above;
    collect_folders(root + "/" + name, above, folders);
    std::ranges::sort(folders);
    const size_t before = paths.size();
    for (const std::string& folder : folders)
      for (const std::string& file : names_in(folder))
        if (std::string path = folder + "/" + file; names_image(file) && !is_folder(path))
          paths.push_back(std::move(path));
    if (paths.size() == before)
      fail(Code::io,
           concat("image folder ", quoted(root, 4096), ": class ", quoted(name), " holds no picture"),
           "pictures are called .png, .jpg, .jpeg, .pgm or .ppm");
    labels.resize(paths.size(), int64_t(classes.size()));
    classes.push_back(std::move(name));
  }
  if (classes.empty())
    fail(Code::io, concat("image folder ", quoted(root, 4096), " holds no folder of a class"),
         "its pictures are in a folder for each class");
  return make_ref<ImageFiles>(std::move(paths), labels, channels, std::move(classes));
}

}  // namespace haft
