// Printing and files as the bindings call them: options as arguments, what goes into a file as bytes.
#ifndef HAFT_BINDINGS_FILES_HPP
#define HAFT_BINDINGS_FILES_HPP
#include "bindings/distributed.hpp"

namespace haft {
namespace bindings {

/// The tensor's values as text, as PyTorch prints them.
/// @param t           the tensor
/// @param name        stands before the parenthesis: "tensor"
/// @param notes       what stands behind the numbers, one a line
/// @param precision   digits behind the point, 0..64
/// @param threshold   elements above which only the edges are shown
/// @param edge        elements at each edge
/// @param line_width  columns
/// @param scientific  1: numbers have exponents, 0: none has, -1: as they need it
inline std::string tensor_text(const Tensor& t, const std::string& name, const std::string& notes,
                               std::int32_t precision = 4, std::int64_t threshold = 1000,
                               std::int64_t edge = 3, std::int32_t line_width = 80,
                               std::int32_t scientific = -1) {
  haft_print_options o = HAFT_PRINT_OPTIONS_INIT;
  o.precision = precision;
  o.threshold = threshold;
  o.edge = edge;
  o.line_width = line_width;
  o.scientific = scientific;
  o.name = name.c_str();
  o.notes = notes.c_str();
  return t.to_text(o);
}
/// Adds an event of your own to an event file, as one whole record.
/// @param writer  the file
/// @param event   the bytes of TensorFlow's message Event (event.proto)
inline void add_event(const io::Writer& writer, const Bytes& event) {
  writer.add_event(event.bytes.data(), static_cast<std::int64_t>(event.bytes.size()));
}

}  // namespace bindings
}  // namespace haft
#endif
