#include "core/io/idx_dataset.h"

#include "core/io/idx.h"
#include "core/io/tensors.h"
#include "core/io/text.h"
#include "core/ops/functions.h"

namespace haft {

Ref<Dataset> open_idx_dataset(const std::string& images_path, const std::string& labels_path) {
  NoGradGuard no_grad;
  Tensor images = to_tensor(read_idx(images_path)), labels = to_tensor(read_idx(labels_path));
  if (images.ndim() != 3 || images.dtype() != DType::u8)
    fail(Code::corrupt,
         concat("IDX file ", quoted(images_path, 4096), ": holds ", dtype_name(images.dtype()), " ",
                images.sizes(), ", wanted uint8 images (N, H, W)"),
         "is it the file of the labels?");
  if (labels.ndim() != 1 || is_float(labels.dtype()))
    fail(Code::corrupt,
         concat("IDX file ", quoted(labels_path, 4096), ": holds ", dtype_name(labels.dtype()), " ",
                labels.sizes(), ", wanted one whole number an image"),
         "is it the file of the images?");
  if (images.size(0) != labels.size(0))
    fail(Code::corrupt,
         concat("IDX files ", quoted(images_path, 4096), " and ", quoted(labels_path, 4096), ": ",
                images.size(0), " images, ", labels.size(0), " labels"),
         "are both of the same part of the dataset?");
  const int64_t sizes[] = {images.size(0), 1, images.size(1), images.size(2)};
  const Tensor fields[] = {ops::reshape(images, sizes), ops::cast(labels, DType::i64)};
  return make_ref<TensorDataset>(fields);
}

}  // namespace haft
