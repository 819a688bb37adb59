// What torch.save wrote: a zip archive of one pickle and the memory of each storage, or before PyTorch 1.6 pickles with
// the memory behind them. No code of a file is run: tensors are read out of dicts, lists and modules, by the path to
// them ("model.conv1.weight", "optimizer.state.0.exp_avg"), and all else is passed over.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/io/arrays_file.h"
#include "core/io/zip.h"

namespace haft {

// How a file begins that PyTorch wrote before 1.6, or does when asked to: a magic number as a pickle.
constexpr std::string_view kPytorchBeforeZip("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);

// The member that is the pickle, or nullptr where the archive is not PyTorch's.
const ZipMember* pytorch_root(const ZipArchive& archive);

// Tensors lie in the file's memory where they are dense and aligned. Code::corrupt for what is damaged,
// Code::unsupported for what holds no dict of tensors, for sparse and quantised ones, and for big-endian files.
std::unique_ptr<ArraysFile> open_pytorch(std::unique_ptr<ZipArchive> archive, std::string where);
std::unique_ptr<ArraysFile> parse_pytorch_before_zip(std::span<const uint8_t> bytes, std::string where,
                                                     const Ref<ByteBlock>& owner);

}  // namespace haft
