// The engine's loader for haft.utils.data: items in an order that Python's sampler drew, through transforms by their names.
%{
namespace haft {
namespace python {
struct Step {
  std::string name;
  std::vector<double> values;
};
inline haft::data::Transform transform_of(const Step& step) {
  const std::vector<double>& v = step.values;
  const auto whole = [&v](std::size_t i) { return static_cast<std::int64_t>(v[i]); };
  if (step.name == "to_float" && v.size() == 1) return haft::data::to_float(v[0]);
  if (step.name == "normalize" && v.size() % 2 == 0) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    return haft::data::normalize({v.begin(), middle}, {middle, v.end()});
  }
  if (step.name == "random_crop" && v.size() == 3)
    return haft::data::random_crop(whole(0), whole(1), whole(2));
  if (step.name == "random_horizontal_flip" && v.size() == 1) return haft::data::random_horizontal_flip(v[0]);
  if (step.name == "random_vertical_flip" && v.size() == 1) return haft::data::random_vertical_flip(v[0]);
  if (step.name == "center_crop" && v.size() == 2) return haft::data::center_crop(whole(0), whole(1));
  if (step.name == "resize" && v.size() == 3) return haft::data::resize(whole(0), whole(1), whole(2));
  if (step.name == "random_resized_crop" && v.size() == 7)
    return haft::data::random_resized_crop(whole(0), whole(1), v[2], v[3], v[4], v[5], whole(6));
  if (step.name == "random_rotation" && v.size() == 1) return haft::data::random_rotation(v[0]);
  check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, ("no transform " + step.name + " of so many numbers").c_str(), 0));
  return haft::data::Transform();
}
}
}
%}
%typemap(in) const std::vector<haft::python::Step>& (std::vector<haft::python::Step> all) {
  if (!hp::each($input, "pairs of a transform's name and its numbers", [&](PyObject* item) {
        haft::python::Step step;
        if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 2) return hp::wrong_type("a pair of name and numbers", item), false;
        if (!hp::text(PyTuple_GET_ITEM(item, 0), step.name)) return false;
        if (!hp::each(PyTuple_GET_ITEM(item, 1), "numbers", [&](PyObject* number) {
              step.values.push_back(PyFloat_AsDouble(number));
              return !PyErr_Occurred();
            })) return false;
        all.push_back(std::move(step));
        return true;
      })) SWIG_fail;
  $1 = &all;
}
%inline %{
namespace haft {
namespace python {
inline haft::data::Loader ordered_loader(const haft::data::Dataset& dataset, const haft::data::LoaderOptions& options,
                                         const std::vector<haft::python::Step>& steps, const haft::Tensor& order) {
  haft::data::LoaderOptions ordered = options;
  for (const Step& step : steps) ordered.steps.push_back(transform_of(step));
  ordered.indices = order.get();
  return haft::data::Loader(dataset, ordered);
}
}
}
%}
