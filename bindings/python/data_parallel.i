// What haft.nn.parallel and haft.distributed.algorithms need beside the classes of data_parallel.hpp: plain values for structs.
// Included after distributed.i.
HAFT_CALLABLE(void(std::int64_t, const std::vector<haft::Tensor>&))
%inline %{
namespace haft {
namespace python {
/// Calls forward on each of the devices with a part of the inputs and, behind them, its copies of parameters and buffers.
inline std::vector<haft::Tensor> run_on_devices(std::function<std::vector<haft::Tensor>(const std::vector<haft::Tensor>&)> forward,
                                                const std::vector<haft::Tensor>& parameters, const std::vector<haft::Tensor>& buffers,
                                                const std::vector<std::string>& devices, std::int64_t dim, const std::vector<haft::Tensor>& inputs) {
  const haft::nn::Module own = haft::nn::Sequential();
  for (std::size_t i = 0; i < parameters.size(); ++i) own.register_parameter("p" + std::to_string(i), parameters[i], parameters[i].requires_grad());
  for (std::size_t i = 0; i < buffers.size(); ++i) own.register_buffer("b" + std::to_string(i), buffers[i]);
  const haft::nn::Module m = haft::nn::Callback("Module", [own, forward](const std::vector<haft::Tensor>& in) {
    std::vector<haft::Tensor> all = in;
    for (const auto& p : own.named_parameters()) all.push_back(p.second);
    for (const auto& b : own.named_buffers()) all.push_back(b.second);
    return forward(all);
  });
  m.add_child("own", own);
  std::vector<haft_device> list(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) haft::check(haft_device_parse(devices[i].c_str(), &list[i]));
  return haft::nn::DataParallel(m, list, dim)(inputs);
}
/// Both get the bucket's number and its buffer, then its gradients, then its parameters.
inline void data_parallel_hook(const haft::DataParallel& d, std::function<void(std::int64_t, const std::vector<haft::Tensor>&)> begin,
                               std::function<void(std::int64_t, const std::vector<haft::Tensor>&)> finish) {
  auto all = [](const haft::GradientBucket& b) {
    std::vector<haft::Tensor> ts{b.buffer};
    ts.insert(ts.end(), b.gradients.begin(), b.gradients.end());
    ts.insert(ts.end(), b.parameters.begin(), b.parameters.end());
    return ts;
  };
  d.set_hook(
      [begin, all](const haft::GradientBucket& b, const haft::ProcessGroup&) {
        begin(b.index, all(b));
        return haft::Work();
      },
      [finish, all](const haft::GradientBucket& b, const haft::ProcessGroup&) { finish(b.index, all(b)); });
}
inline void data_parallel_post_local(const haft::DataParallel& d, const haft::ProcessGroup* part, int64_t start_step) {
  d.set_post_local(part ? *part : haft::ProcessGroup(), start_step);
}
}
}
%}
