// The engine's loader for haft.utils.data: items in an order that Python's sampler drew.
%inline %{
namespace haft {
namespace python {
inline haft::data::Loader ordered_loader(const haft::data::Dataset& dataset, const haft::data::LoaderOptions& options, const haft::Tensor& order) {
  haft::data::LoaderOptions ordered = options;
  ordered.indices = order.get();
  return haft::data::Loader(dataset, ordered);
}
}
}
%}
