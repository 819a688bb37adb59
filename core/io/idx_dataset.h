// Image datasets in IDX files (MNIST, Fashion-MNIST).
#pragma once
#include <string>

#include "core/data/dataset.h"

namespace haft {

// Items (image, label): uint8 (1, H, W) and an int64 scalar. Files may be gzipped. Code::corrupt when they
// contradict each other.
Ref<Dataset> open_idx_dataset(const std::string& images_path, const std::string& labels_path);

}  // namespace haft
