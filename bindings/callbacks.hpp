// Callbacks as classes, which Java and C# derive from. The engine holds one by a Held; when it lets go, on
// any thread, on_release() tells the language that its object may be collected.
#ifndef HAFT_BINDINGS_CALLBACKS_HPP
#define HAFT_BINDINGS_CALLBACKS_HPP
#include "bindings/support.hpp"

namespace haft {
namespace bindings {

class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_release() {}
};
/// A gradient hook, or a function to check: an empty result keeps the gradient.
class TensorCallback : public Callback {
 public:
  virtual Tensor call(const Tensor& x) = 0;
};
/// A module's forward, or a function of several tensors.
class TensorsCallback : public Callback {
 public:
  virtual std::vector<Tensor> call(const std::vector<Tensor>& inputs) = 0;
};
/// Sees or replaces a module's outputs; an empty list keeps them.
class ModuleHookCallback : public Callback {
 public:
  virtual std::vector<Tensor> call(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) = 0;
};
class ModuleVisitor : public Callback {
 public:
  virtual void visit(const nn::Module& module, const std::string& name) = 0;
};
class RateCallback : public Callback {
 public:
  virtual double rate(std::int64_t epoch) = 0;
};
class LogCallback : public Callback {
 public:
  virtual void log(std::int32_t level, const std::string& text) = 0;
};
/// One item of a dataset, a tensor a field; called on the loader's threads.
class ItemCallback : public Callback {
 public:
  virtual std::vector<Tensor> item(std::int64_t index) = 0;
};
/// torch.autograd.Function as a class.
class AutogradFunction : public Callback {
 public:
  virtual std::vector<Tensor> forward(FunctionContext& ctx, const std::vector<Tensor>& inputs) = 0;
  virtual std::vector<Tensor> backward(FunctionContext& ctx, const std::vector<Tensor>& grads) = 0;
};

/// What a graph keeps for backward goes through these; the host numbers what it packed.
class SavedTensorsCallback : public Callback {
 public:
  virtual std::int64_t pack(const Tensor& x) = 0;
  virtual Tensor unpack(std::int64_t packed) = 0;
  virtual void drop(std::int64_t packed) = 0;
};
class ActionCallback : public Callback {
 public:
  virtual void run() = 0;
};

/// Hears that a request of a session is answered, on the thread that answers.
class RequestCallback : public Callback {
 public:
  virtual void done(const Request& request, std::int32_t status) = 0;
};
/// Hears that a call of a process group is done, on the thread that finds it so.
class WorkCallback : public Callback {
 public:
  virtual void done(const Work& work, std::int32_t status) = 0;
};
/// A function that other processes call, on a thread of the agent. It answers by the request.
class RpcCallback : public Callback {
 public:
  virtual void call(const RpcRequest& request) = 0;
};
/// Hears that a call of another process is answered, on a thread of the agent, or at once.
class FutureCallback : public Callback {
 public:
  virtual void done(const Future& future, std::int32_t status) = 0;
};
/// Joins the gradients of a bucket: its buffer, then its gradients, then its parameters.
class GradientCallback : public Callback {
 public:
  virtual void begin(std::int64_t bucket, const std::vector<Tensor>& tensors) = 0;
  virtual void finish(std::int64_t bucket, const std::vector<Tensor>& tensors) = 0;
};

/// Shared by everything in the engine that may call it; the last one calls on_release().
template <class T>
std::shared_ptr<T> held(T* callback) {
  return std::shared_ptr<T>(callback, [](T* c) {
    try {
      c->on_release();
    } catch (...) {
    }
  });
}

// haft::Function by an AutogradFunction.
class HeldFunction : public Function {
  std::shared_ptr<AutogradFunction> function_;

 public:
  explicit HeldFunction(AutogradFunction* f) : function_(held(f)) {}
  std::vector<Tensor> forward(FunctionContext& ctx, const std::vector<Tensor>& inputs) override {
    return carried([&] { return function_->forward(ctx, inputs); });
  }
  std::vector<Tensor> backward(FunctionContext& ctx, const std::vector<Tensor>& grads) override {
    return carried([&] { return function_->backward(ctx, grads); });
  }
};

inline std::vector<Tensor> apply(AutogradFunction* function, const std::vector<Tensor>& inputs,
                                 std::int64_t output_count, const std::string& name) {
  return haft::apply(std::make_shared<HeldFunction>(function), inputs, output_count, name);
}
inline void push_saved_tensor_hooks(SavedTensorsCallback* hooks) {
  auto h = held(hooks);
  haft::push_saved_tensor_hooks(
      [h](const Tensor& x) -> std::any {
        return carried([&] {
          const std::int64_t packed = h->pack(x);
          return std::shared_ptr<std::int64_t>(new std::int64_t(packed), [h](std::int64_t* p) {
            try {
              h->drop(*p);
            } catch (...) {
            }
            delete p;
          });
        });
      },
      [h](const std::any& packed) {
        return carried([&] { return h->unpack(*std::any_cast<std::shared_ptr<std::int64_t>>(packed)); });
      });
}
inline void add_backward_callback(ActionCallback* callback) {
  auto h = held(callback);
  haft::add_backward_callback([h] { carried([&] { h->run(); }); });
}
inline std::int64_t add_hook(const Tensor& t, TensorCallback* hook) {
  auto h = held(hook);
  return t.add_hook([h](const Tensor& g) { return carried([&] { return h->call(g); }); });
}
inline std::int64_t add_accumulate_hook(const Tensor& t, TensorCallback* hook) {
  auto h = held(hook);
  return t.add_accumulate_hook([h](const Tensor& g) { carried([&] { h->call(g); }); });
}
inline nn::Module callback_module(const std::string& type, TensorsCallback* forward) {
  auto h = held(forward);
  return nn::Callback(
      type, [h](const std::vector<Tensor>& inputs) { return carried([&] { return h->call(inputs); }); });
}
inline std::int64_t add_pre_hook(const nn::Module& m, TensorsCallback* hook) {
  auto h = held(hook);
  return m.add_pre_hook([h](std::vector<Tensor>& inputs) {
    auto replaced = carried([&] { return h->call(inputs); });
    if (!replaced.empty()) inputs = std::move(replaced);
  });
}
inline std::int64_t add_forward_hook(const nn::Module& m, ModuleHookCallback* hook) {
  auto h = held(hook);
  return m.add_hook([h](const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) {
    auto replaced = carried([&] { return h->call(inputs, outputs); });
    if (!replaced.empty()) outputs = std::move(replaced);
  });
}
inline void apply_to_modules(const nn::Module& m, ModuleVisitor* visitor) {
  auto h = held(visitor);
  m.apply([h](const nn::Module& child, const std::string& name) { carried([&] { h->visit(child, name); }); });
}
inline optim::Scheduler lambda_lr(const optim::Optimizer& o, RateCallback* factor) {
  auto h = held(factor);
  return optim::lambda_lr(o, [h](std::int64_t epoch) { return carried([&] { return h->rate(epoch); }); });
}
inline optim::Scheduler multiplicative_lr(const optim::Optimizer& o, RateCallback* factor) {
  auto h = held(factor);
  return optim::multiplicative_lr(
      o, [h](std::int64_t epoch) { return carried([&] { return h->rate(epoch); }); });
}
// Schedules that become one.
class Schedules {
  std::vector<optim::Scheduler> all_;

 public:
  void add(const optim::Scheduler& s) { all_.push_back(s); }
  optim::Scheduler chained() const { return optim::chained_scheduler(all_); }
  optim::Scheduler sequential(const optim::Optimizer& o, const haft::IntArray& milestones) const {
    return optim::sequential_lr(o, all_, milestones);
  }
};
inline void set_log_sink(std::int32_t level, LogCallback* sink) {
  if (!sink) return haft::set_log_sink(level, nullptr);
  auto h = held(sink);
  haft::set_log_sink(level, [h](std::int32_t at, const std::string& text) { h->log(at, text); });
}
inline void gradcheck(TensorsCallback* function, const std::vector<Tensor>& inputs, std::int32_t order) {
  auto h = held(function);
  haft::gradcheck(
      [h](const std::vector<Tensor>& x) {
        auto y = carried([&] { return h->call(x); });
        if (y.size() != 1)
          check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "gradcheck: wanted one result", 0));
        return y[0];
      },
      inputs, order);
}
// Functions of functions: the function's outputs, then the products.
inline TensorsFunction function_of(TensorsCallback* function) {
  auto h = held(function);
  return [h](const std::vector<Tensor>& x) { return carried([&] { return h->call(x); }); };
}
inline std::vector<Tensor> vjp(TensorsCallback* function, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& vectors, std::int32_t flags) {
  return joined(haft::vjp(function_of(function), inputs, vectors, flags));
}
inline std::vector<Tensor> jvp(TensorsCallback* function, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& vectors, std::int32_t flags) {
  return joined(haft::jvp(function_of(function), inputs, vectors, flags));
}
inline std::vector<Tensor> hvp(TensorsCallback* function, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& vectors, std::int32_t flags) {
  return joined(haft::hvp(function_of(function), inputs, vectors, flags));
}
inline std::vector<Tensor> jacobian(TensorsCallback* function, const std::vector<Tensor>& inputs,
                                    std::int32_t flags, std::int64_t chunk_size) {
  return haft::jacobian(function_of(function), inputs, flags, chunk_size);
}
inline std::vector<Tensor> vmap(TensorsCallback* function, const std::vector<Tensor>& inputs,
                                const haft::IntArray& in_dims, const haft::IntArray& out_dims,
                                std::int32_t randomness, std::int64_t chunk_size, bool warn) {
  haft::VmapOptions options;
  options.in_dims.assign(in_dims.data(), in_dims.data() + in_dims.size());
  options.out_dims.assign(out_dims.data(), out_dims.data() + out_dims.size());
  options.randomness = randomness;
  options.chunk_size = chunk_size;
  options.warn = warn;
  return haft::vmap(function_of(function), inputs, options);
}
inline std::vector<Tensor> hessian(TensorsCallback* function, const std::vector<Tensor>& inputs,
                                   std::int32_t flags) {
  return haft::hessian(function_of(function), inputs, flags);
}
inline std::vector<Tensor> checkpoint(TensorsCallback* function, const std::vector<Tensor>& inputs,
                                      bool preserve_random) {
  return haft::checkpoint(function_of(function), inputs, preserve_random);
}
/// A function of tensors that computes element by element, run as one kernel where the device fuses.
inline Fused fuse(TensorsCallback* function, const std::string& name) {
  return Fused(function_of(function), name);
}
/// The closure answers one tensor, the loss, or none.
inline Tensor step_closure(const optim::Optimizer& o, TensorsCallback* closure) {
  const TensorsFunction f = function_of(closure);
  return o.step_closure([&] {
    std::vector<Tensor> loss = f({});
    return loss.empty() ? Tensor() : loss[0];
  });
}
/// Takes a model into the average by a function that gets all averages, then as many values, and writes the former.
/// It is not asked for the first model, which is copied.
inline void update_average_by(const nn::Module& averaged, const nn::Module& model, TensorsCallback* fn) {
  const TensorsFunction f = function_of(fn);
  optim::update_average_by(
      averaged, model,
      [&](const std::vector<Tensor>& averages, const std::vector<Tensor>& values, std::int64_t) {
        std::vector<Tensor> all = averages;
        all.insert(all.end(), values.begin(), values.end());
        f(all);
      });
}
/// The running statistics of all batch norms of a module anew, as the plain means over some inputs.
inline void update_bn(const nn::Module& m, TensorsCallback* next) {
  const TensorsFunction f = function_of(next);
  optim::update_bn(m, [&] {
    std::vector<Tensor> batch = f({});
    return batch.empty() ? Tensor() : batch[0];
  });
}
inline Request submit(const Session& session, const std::vector<Tensor>& inputs, RequestCallback* callback,
                      std::int64_t timeout_us) {
  auto h = held(callback);
  return session.submit(
      inputs, [h](const Request& r, haft_status status) { h->done(r, status); }, timeout_us);
}
inline void work_on_done(const Work& work, WorkCallback* callback) {
  auto h = held(callback);
  work.on_done([h](const Work& w, haft_status status) { h->done(w, status); });
}
// What the function throws is a status and a text on its way to another process: nobody here asks for the exception
// itself.
inline void rpc_register(const Rpc& rpc, const std::string& name, RpcCallback* function) {
  auto h = held(function);
  rpc.add_function(name, [h](const RpcRequest& r) {
    try {
      h->call(r);
    } catch (const HostException& e) {
      check(haft_error_set(e.status(), e.what(), 0));
    }
  });
}
inline void future_on_done(const Future& future, FutureCallback* callback) {
  auto h = held(callback);
  future.on_done([h](const Future& f, haft_status status) { h->done(f, status); });
}
inline void data_parallel_hook(const DataParallel& d, GradientCallback* hook) {
  auto h = held(hook);
  auto all = [](const GradientBucket& b) {
    std::vector<Tensor> ts{b.buffer};
    ts.insert(ts.end(), b.gradients.begin(), b.gradients.end());
    ts.insert(ts.end(), b.parameters.begin(), b.parameters.end());
    return ts;
  };
  d.set_hook(
      [h, all](const GradientBucket& b, const ProcessGroup&) {
        carried([&] { h->begin(b.index, all(b)); });
        return Work();
      },
      [h, all](const GradientBucket& b, const ProcessGroup&) {
        carried([&] { h->finish(b.index, all(b)); });
      });
}
/// Items like `first` (dtype and sizes of every field), computed by the host.
inline data::Dataset callback_dataset(std::int64_t size, const std::vector<Tensor>& first,
                                      ItemCallback* items) {
  auto h = held(items);
  return dataset_of_items(size, first,
                          [h](std::int64_t index) { return carried([&] { return h->item(index); }); });
}

}  // namespace bindings
}  // namespace haft
#endif
