// Datasets of pictures in files, decoded when an item is read: by the loader's threads.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace haft {

// Items are a uint8 picture (channels, H, W), each as large as its file says, and an int64 label. channels: 1 to 4, or
// 0: those of each file.
Ref<Dataset> open_image_files(std::vector<std::string> paths, std::span<const int64_t> labels,
                              int64_t channels);

// Folders root/<class>/... with pictures in them and in the folders below. Classes are numbered in the order of their
// names, pictures ordered by folder and name, as torchvision's ImageFolder does.
Ref<Dataset> open_image_folder(const std::string& root, int64_t channels);

}  // namespace haft
