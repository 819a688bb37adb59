// What one step of an optimizer does to one element: one definition for every device. Text: included inside a
// namespace, see functors.h.
//
// rule_<Name><C> is made on the host, once a call, and computes what is the same for all elements in double; C is the
// type that elements are computed in. `apply` gets the parameter, its gradient and the slots of modules.def in their
// order; bit k of kSlots says whether slot k exists. Rules that differ in their constants alone share a Kernel.
// Arithmetic and its order are PyTorch's.

// The options of a group in modules.def's order, and what is known of this step.
struct OptimizerStep {
  const double* options;
  double lr, step;  // step counts from 1
  bool fresh;       // the slots are zeros that no step has written yet
};

// Options that most rules have: the gradient as the rule sees it.
template <class C>
struct Descent {
  C sign, decay;
  Descent(bool maximize, double weight_decay) : sign(maximize ? C(-1) : C(1)), decay(C(weight_decay)) {}
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

  explicit rule_SGD(const OptimizerStep& s)
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
  enum { lr, beta1, beta2, eps, weight_decay, amsgrad, maximize };
  Descent<C> descent;
  C shrink, mix1, keep2, mix2, rate, inv_root_correction, epsilon;

  explicit rule_Adam(const OptimizerStep& s) : rule_Adam(s, false) {}
  rule_Adam(const OptimizerStep& s, bool decoupled)
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
  explicit rule_AdamW(const OptimizerStep& s) : rule_Adam<C>(s, true) {}
};

template <class C>
struct rule_RMSprop {
  using Kernel = rule_RMSprop;
  enum { lr, alpha, eps, weight_decay, momentum, centered, maximize };
  Descent<C> descent;
  C rate, keep, mix, kept, epsilon;

  explicit rule_RMSprop(const OptimizerStep& s)
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
