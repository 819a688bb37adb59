// Datasets whose items are read out of files.
#pragma once
#include <span>
#include <string>

#include "core/data/dataset.h"
#include "core/io/csv.h"

namespace haft {

// The rows of a table: float32 (columns) and, with labels, int64 () or float32 ().
Ref<Dataset> open_csv_dataset(const std::string& path, const CsvOptions& options);

// The binary version of CIFAR-10 and CIFAR-100: uint8 (3, 32, 32) and int64 (), out of files that stay mapped.
// label_bytes: 1 of CIFAR-10; 2 of CIFAR-100, whose second byte, the fine class, is taken.
Ref<Dataset> open_cifar_dataset(std::span<const std::string> paths, int64_t label_bytes);

}  // namespace haft
