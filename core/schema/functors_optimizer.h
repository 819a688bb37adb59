// What one step of an optimizer does to one element: one definition for every device. Text: included inside a
// namespace, see functors.h.
//
// rule_<Name><C> is made once a call, and computes what is the same for all elements in double; C is the
// type that elements are computed in. `apply` gets the parameter, its gradient and the slots of modules.def in their
// order; bit k of kSlots says whether slot k exists. Rules that differ in their constants alone share a Kernel.
// Arithmetic and its order are PyTorch's.

// Constructors are for devices, too: a replay of a recorded step makes its rule there.
#undef HAFT_MAKE
#ifdef __CUDACC__
#define HAFT_MAKE __host__ __device__
#else
#define HAFT_MAKE
#endif

// The options of a group in modules.def's order, the numbers of its state behind them, and what is known of this step.
// A rule with numbers says in `remember` what they are after a step, and before the first one, step 0.
struct OptimizerStep {
  const double* options;
  double lr, step;  // step counts from 1
  bool fresh;       // the slots are zeros that no step has written yet
};

// Of a recorded step that may be left out: a device keeps the numbers, for hosts do not know which steps were made.
// Its options end in these flags.
// What is kept counts, not the numbers before the flags; it is as exact as float32.
enum { kNumbersKept = 1, kNumbersFloat = 2 };

// The options and numbers of such a step; `given` are `count` with the flags, `kept` is what a device keeps.
template <class Rule, int kNumbers>
struct KeptOptions {
  static constexpr int kMost = 16;
  double values[kMost] = {};
  int options, flags;

  HAFT_MAKE KeptOptions(const double* given, int count, const double* kept)
      : options(count - kNumbers - 1), flags(int(given[count - 1])) {
    for (int i = 0; i < options + kNumbers && i < kMost; ++i)
      values[i] = i >= options && (flags & kNumbersKept) ? kept[i - options] : given[i];
  }
  HAFT_MAKE void keep(const OptimizerStep& s, bool made, double* kept) {
    double* now = values + options;
    if (made) Rule::remember(s, now);
    for (int i = 0; i < kNumbers; ++i) {
      const volatile float held = float(now[i]);
      kept[i] = made && (flags & kNumbersFloat) ? double(held) : now[i];
    }
  }
};

// Options that most rules have: the gradient as the rule sees it.
template <class C>
struct Descent {
  C sign, decay;
  HAFT_MAKE Descent(bool maximize, double weight_decay)
      : sign(maximize ? C(-1) : C(1)), decay(C(weight_decay)) {}
  template <class V>
  HAFT_FN V gradient(V p, V g) const {
    g = V(sign) * g;
    return decay != C(0) ? g + V(decay) * p : g;
  }
};

template <class C>
struct rule_SGD {
  using Kernel = rule_SGD;
  enum { lr, momentum, dampening, weight_decay, nesterov, maximize };
  Descent<C> descent;
  C rate, kept, undamped, ahead;
  bool look_ahead;

  HAFT_MAKE explicit rule_SGD(const OptimizerStep& s)
      : descent(s.options[maximize] != 0, s.options[weight_decay]),
        rate(C(s.lr)),
        kept(C(s.fresh ? 0 : s.options[momentum])),  // the first buffer is the gradient itself
        undamped(C(s.fresh ? 1 : 1 - s.options[dampening])),
        ahead(C(s.options[momentum])),
        look_ahead(s.options[nesterov] != 0) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = descent.gradient(p, g);
    if constexpr (kSlots & 1) {
      const V b = V(kept) * slot[0] + V(undamped) * g;
      slot[0] = b;
      g = look_ahead ? g + V(ahead) * b : b;
    }
    p = p - V(rate) * g;
  }
  static const char* refuse(const double* o) {
    return o[nesterov] != 0 && (o[momentum] <= 0 || o[dampening] != 0)
               ? "nesterov needs momentum > 0 and dampening 0"
               : nullptr;
  }
};

template <class C>
struct rule_Adam {
  using Kernel = rule_Adam;
  enum { lr, beta1, beta2, eps, weight_decay, amsgrad, maximize, decoupled_weight_decay };
  Descent<C> descent;
  C shrink, mix1, keep2, mix2, rate, inv_root_correction, epsilon;

  HAFT_MAKE explicit rule_Adam(const OptimizerStep& s)
      : rule_Adam(s, s.options[decoupled_weight_decay] != 0) {}
  HAFT_MAKE rule_Adam(const OptimizerStep& s, bool decoupled)
      : descent(s.options[maximize] != 0, decoupled ? 0 : s.options[weight_decay]),
        shrink(C(decoupled ? 1 - s.lr * s.options[weight_decay] : 1)),
        mix1(C(1 - s.options[beta1])),
        keep2(C(s.options[beta2])),
        mix2(C(1 - s.options[beta2])),
        rate(C(s.lr / (1 - std::pow(s.options[beta1], s.step)))),
        inv_root_correction(C(1 / std::sqrt(1 - std::pow(s.options[beta2], s.step)))),
        epsilon(C(s.options[eps])) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    const V w = p * V(shrink);
    g = descent.gradient(w, g);
    const V first = slot[0] + V(mix1) * (g - slot[0]);
    V second = V(keep2) * slot[1] + V(mix2) * g * g;
    slot[0] = first;
    slot[1] = second;
    if constexpr (kSlots & 4) {  // a NaN in the second moment wins, and stays there
      second = select(slot[2] >= second, slot[2], second);
      slot[2] = second;
    }
    p = w - V(rate) * (first / (sqrt(second) * V(inv_root_correction) + V(epsilon)));
  }
};

template <class C>
struct rule_AdamW : rule_Adam<C> {
  HAFT_MAKE explicit rule_AdamW(const OptimizerStep& s) : rule_Adam<C>(s, true) {}
};

template <class C>
struct rule_SparseAdam {
  using Kernel = rule_SparseAdam;
  enum { lr, beta1, beta2, eps, maximize };
  C sign, mix1, mix2, rate, epsilon;

  HAFT_MAKE explicit rule_SparseAdam(const OptimizerStep& s)
      : sign(s.options[maximize] != 0 ? C(-1) : C(1)),
        mix1(C(1 - s.options[beta1])),
        mix2(C(1 - s.options[beta2])),
        rate(C(s.lr * std::sqrt(1 - std::pow(s.options[beta2], s.step)) /
               (1 - std::pow(s.options[beta1], s.step)))),
        epsilon(C(s.options[eps])) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = V(sign) * g;
    slot[0] = slot[0] + V(mix1) * (g - slot[0]);
    slot[1] = slot[1] + V(mix2) * (g * g - slot[1]);
    p = p - V(rate) * (slot[0] / (sqrt(slot[1]) + V(epsilon)));
  }
};

template <class C>
struct rule_RMSprop {
  using Kernel = rule_RMSprop;
  enum { lr, alpha, eps, weight_decay, momentum, centered, maximize };
  Descent<C> descent;
  C rate, keep, mix, kept, epsilon;

  HAFT_MAKE explicit rule_RMSprop(const OptimizerStep& s)
      : descent(s.options[maximize] != 0, s.options[weight_decay]),
        rate(C(s.lr)),
        keep(C(s.options[alpha])),
        mix(C(1 - s.options[alpha])),
        kept(C(s.options[momentum])),
        epsilon(C(s.options[eps])) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = descent.gradient(p, g);
    slot[0] = V(keep) * slot[0] + V(mix) * g * g;
    V spread = slot[0];
    if constexpr (kSlots & 4) {
      slot[2] = V(keep) * slot[2] + V(mix) * g;
      spread = spread - slot[2] * slot[2];
    }
    V change = g / (sqrt(spread) + V(epsilon));
    if constexpr (kSlots & 2) {
      slot[1] = V(kept) * slot[1] + change;
      change = slot[1];
    }
    p = p - V(rate) * change;
  }
};

template <class C>
struct rule_Adagrad {
  using Kernel = rule_Adagrad;
  enum { lr, lr_decay, weight_decay, initial_accumulator_value, eps, maximize };
  Descent<C> descent;
  C rate, start, epsilon;

  HAFT_MAKE explicit rule_Adagrad(const OptimizerStep& s)
      : descent(s.options[maximize] != 0, s.options[weight_decay]),
        rate(C(s.lr / (1 + (s.step - 1) * s.options[lr_decay]))),
        start(C(s.fresh ? s.options[initial_accumulator_value] : 0)),
        epsilon(C(s.options[eps])) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = descent.gradient(p, g);
    slot[0] = slot[0] + V(start) + g * g;
    p = p - V(rate) * (g / (sqrt(slot[0]) + V(epsilon)));
  }
};

template <class C>
struct rule_Adadelta {
  using Kernel = rule_Adadelta;
  enum { lr, rho, eps, weight_decay, maximize };
  Descent<C> descent;
  C rate, keep, mix, epsilon;

  HAFT_MAKE explicit rule_Adadelta(const OptimizerStep& s)
      : descent(s.options[maximize] != 0, s.options[weight_decay]),
        rate(C(s.lr)),
        keep(C(s.options[rho])),
        mix(C(1 - s.options[rho])),
        epsilon(C(s.options[eps])) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = descent.gradient(p, g);
    slot[0] = V(keep) * slot[0] + V(mix) * g * g;
    const V change = sqrt(slot[1] + V(epsilon)) / sqrt(slot[0] + V(epsilon)) * g;
    slot[1] = V(keep) * slot[1] + V(mix) * change * change;
    p = p - V(rate) * change;
  }
};

template <class C>
struct rule_Adamax {
  using Kernel = rule_Adamax;
  enum { lr, beta1, beta2, eps, weight_decay, maximize };
  Descent<C> descent;
  C keep1, mix1, keep2, rate, epsilon;

  HAFT_MAKE explicit rule_Adamax(const OptimizerStep& s)
      : descent(s.options[maximize] != 0, s.options[weight_decay]),
        keep1(C(s.options[beta1])),
        mix1(C(1 - s.options[beta1])),
        keep2(C(s.options[beta2])),
        rate(C(s.lr / (1 - std::pow(s.options[beta1], s.step)))),
        epsilon(C(s.options[eps])) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = descent.gradient(p, g);
    slot[0] = V(keep1) * slot[0] + V(mix1) * g;
    const V old = V(keep2) * slot[1], size = abs(g) + V(epsilon);
    slot[1] = select((old < size) | (size != size), size, old);  // a NaN wins, and stays
    p = p - V(rate) * (slot[0] / slot[1]);
  }
};

template <class C>
struct rule_RAdam {
  using Kernel = rule_RAdam;
  enum { lr, beta1, beta2, eps, weight_decay, maximize, decoupled_weight_decay };
  Descent<C> descent;
  C shrink, keep1, mix1, keep2, mix2, rate, epsilon;
  bool adaptive;  // the variance of the second moment is known well enough

  HAFT_MAKE explicit rule_RAdam(const OptimizerStep& s)
      : descent(s.options[maximize] != 0,
                s.options[decoupled_weight_decay] != 0 ? 0 : s.options[weight_decay]),
        shrink(C(s.options[decoupled_weight_decay] != 0 ? 1 - s.lr * s.options[weight_decay] : 1)),
        keep1(C(s.options[beta1])),
        mix1(C(1 - s.options[beta1])),
        keep2(C(s.options[beta2])),
        mix2(C(1 - s.options[beta2])),
        epsilon(C(s.options[eps])) {
    const double power = std::pow(s.options[beta2], s.step), longest = 2 / (1 - s.options[beta2]) - 1;
    const double length = longest - 2 * s.step * power / (1 - power);
    double r = s.lr / (1 - std::pow(s.options[beta1], s.step));
    adaptive = length > 5;
    if (adaptive)
      r *= std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length) *
                     (1 - power));
    rate = C(r);
  }

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    p = p * V(shrink);
    g = descent.gradient(p, g);
    slot[0] = V(keep1) * slot[0] + V(mix1) * g;
    slot[1] = V(keep2) * slot[1] + V(mix2) * g * g;
    p = p - V(rate) * (adaptive ? slot[0] / (sqrt(slot[1]) + V(epsilon)) : slot[0]);
  }
};

template <class C>
struct rule_NAdam {
  using Kernel = rule_NAdam;
  enum { lr, beta1, beta2, eps, weight_decay, momentum_decay, maximize, decoupled_weight_decay, mu_product };
  Descent<C> descent;
  C shrink, keep1, mix1, keep2, mix2, rate, ahead, correction, epsilon;

  HAFT_MAKE static double momentum(const OptimizerStep& s, double step) {
    return s.options[beta1] * (1 - 0.5 * std::pow(0.96, step * s.options[momentum_decay]));
  }
  HAFT_MAKE explicit rule_NAdam(const OptimizerStep& s)
      : descent(s.options[maximize] != 0,
                s.options[decoupled_weight_decay] != 0 ? 0 : s.options[weight_decay]),
        shrink(C(s.options[decoupled_weight_decay] != 0 ? 1 - s.lr * s.options[weight_decay] : 1)),
        keep1(C(s.options[beta1])),
        mix1(C(1 - s.options[beta1])),
        keep2(C(s.options[beta2])),
        mix2(C(1 - s.options[beta2])),
        correction(C(1 - std::pow(s.options[beta2], s.step))),
        epsilon(C(s.options[eps])) {
    const double now = momentum(s, s.step), next = momentum(s, s.step + 1),
                 product = s.options[mu_product] * now;
    rate = C(s.lr * (1 - now) / (1 - product));
    ahead = C(s.lr * next / (1 - product * next));
  }

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    p = p * V(shrink);
    g = descent.gradient(p, g);
    slot[0] = V(keep1) * slot[0] + V(mix1) * g;
    slot[1] = V(keep2) * slot[1] + V(mix2) * g * g;
    const V root = sqrt(slot[1] / V(correction)) + V(epsilon);
    p = p - V(rate) * (g / root);
    p = p - V(ahead) * (slot[0] / root);
  }
  HAFT_MAKE static void remember(const OptimizerStep& s, double* product) {
    *product = s.step == 0 ? 1 : *product * momentum(s, s.step);
  }
};

template <class C>
struct rule_ASGD {
  using Kernel = rule_ASGD;
  enum { lr, lambd, alpha, t0, weight_decay, maximize, eta, mu };
  Descent<C> descent;
  C shrink, rate, mix;
  bool averages;  // before that the average is the parameter

  HAFT_MAKE explicit rule_ASGD(const OptimizerStep& s)
      : descent(s.options[maximize] != 0, s.options[weight_decay]),
        shrink(C(1 - s.options[lambd] * s.options[eta])),
        rate(C(s.options[eta])),
        mix(C(s.options[mu])),
        averages(s.options[mu] != 1) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = descent.gradient(p, g);
    p = p * V(shrink) - g * V(rate);
    slot[0] = averages ? slot[0] + (p - slot[0]) * V(mix) : p;
  }
  HAFT_MAKE static void remember(const OptimizerStep& s, double* numbers) {
    const double late = s.step - s.options[t0];
    numbers[0] = s.step == 0 ? s.lr : s.lr / std::pow(1 + s.options[lambd] * s.lr * s.step, s.options[alpha]);
    numbers[1] = late > 1 ? 1 / late : 1;
  }
};

template <class C>
struct rule_Rprop {
  using Kernel = rule_Rprop;
  enum { lr, eta1, eta2, step_size1, step_size2, maximize };
  Descent<C> descent;
  C start, down, up, smallest, largest;

  HAFT_MAKE explicit rule_Rprop(const OptimizerStep& s)
      : descent(s.options[maximize] != 0, 0),
        start(C(s.fresh ? s.lr : 0)),
        down(C(s.options[eta1])),
        up(C(s.options[eta2])),
        smallest(C(s.options[step_size1])),
        largest(C(s.options[step_size2])) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = descent.gradient(p, g);
    const V turn = g * slot[0];
    V size = slot[1] + V(start);
    size = select(turn > V(0), size * V(up), select(turn < V(0), size * V(down), size));
    size = select(size < V(smallest), V(smallest), select(size > V(largest), V(largest), size));
    g = select(turn < V(0), V(0), g);  // where the sign has changed this step is left out
    slot[0] = g;
    slot[1] = size;
    p = p - select(g > V(0), size, select(g < V(0), -size, g));
  }
  static const char* refuse(const double* o) {
    return o[eta1] > 0 && o[eta1] < 1 && o[eta2] > 1 ? nullptr : "eta1 must be in (0, 1) and eta2 above 1";
  }
};

template <class C>
struct rule_Lion {
  using Kernel = rule_Lion;
  enum { lr, beta1, beta2, weight_decay, maximize };
  Descent<C> descent;
  C shrink, keep1, mix1, keep2, mix2, rate;

  HAFT_MAKE explicit rule_Lion(const OptimizerStep& s)
      : descent(s.options[maximize] != 0, 0),
        shrink(C(1 - s.lr * s.options[weight_decay])),
        keep1(C(s.options[beta1])),
        mix1(C(1 - s.options[beta1])),
        keep2(C(s.options[beta2])),
        mix2(C(1 - s.options[beta2])),
        rate(C(s.lr)) {}

  template <int kSlots, class V>
  HAFT_FN void apply(V& p, V g, V* slot) const {
    g = descent.gradient(p, g);
    const V way = V(keep1) * slot[0] + V(mix1) * g;
    slot[0] = V(keep2) * slot[0] + V(mix2) * g;
    p = p * V(shrink) - select(way > V(0), V(rate), select(way < V(0), V(-rate), way));
  }
};

// What modules.def calls "whole": options and refusals only, for their steps stand in core/optim.
template <class C>
struct rule_LAMB {
  enum { lr, beta1, beta2, eps, weight_decay, maximize };
};

template <class C>
struct rule_Adafactor {
  enum { lr, beta2_decay, eps1, eps2, d, weight_decay, maximize };
  static const char* refuse(const double* o) {
    return o[beta2_decay] <= 0 ? nullptr : "beta2_decay must be at most 0";
  }
};

template <class C>
struct rule_Muon {
  enum {
    lr,
    weight_decay,
    momentum,
    nesterov,
    ns_a,
    ns_b,
    ns_c,
    eps,
    ns_steps,
    match_rms_adamw,
    spectral_unclamped
  };
  static const char* refuse(const double* o) {
    return o[match_rms_adamw] != 0 && o[spectral_unclamped] != 0
               ? "match_rms_adamw and spectral_unclamped do not go together"
               : nullptr;
  }
};

template <class C>
struct rule_LBFGS {
  enum { lr, max_iter, max_eval, tolerance_grad, tolerance_change, history_size, strong_wolfe, maximize };
};
