// Activations and the gradients that have kernels of their own. Text: included inside a namespace, see functors.h.

struct op_relu {
  template <class V>
  static HAFT_FN V apply(V x) {
    return select(x < V(0), V(0), x);
  }
};
struct op_gelu {
  template <class V>
  static HAFT_FN V apply(V x, bool tanh_form) {
    if (tanh_form) {  // 1/2 (1 + tanh u) is sigmoid(2u)
      V u = V(1.5957691216057308) * (x + V(0.044715) * x * x * x);
      return quotient(x, V(1) + exp(-u));
    }
    return V(0.5) * x * (V(1) + erf(x * V(0.70710678118654752)));
  }
};
struct op_silu {
  template <class V>
  static HAFT_FN V apply(V x) {
    return quotient(x, V(1) + exp(-x));
  }
};
// tanh(log(1 + e)) is n / (n + 2) with n = e (e + 2); above 20 the quotient is 1 in every type.
struct op_mish {
  template <class V>
  static HAFT_FN V apply(V x) {
    V e = exp(select(x > V(20), V(20), x));
    V n = e * (e + V(2));
    return x * quotient(n, n + V(2));
  }
};
struct op_softplus {
  template <class V, class S>
  static HAFT_FN V apply(V x, S beta, S threshold) {
    V z = beta * x;
    return select(z > threshold, x, log1p(exp(z)) / beta);
  }
};
struct op_elu {
  template <class V, class S>
  static HAFT_FN V apply(V x, S alpha) {
    return select(x > V(0), x, alpha * expm1(x));
  }
};
struct op_leaky_relu {
  template <class V, class S>
  static HAFT_FN V apply(V x, S slope) {
    return select(x > V(0), x, slope * x);
  }
};
struct op_hardtanh {
  template <class V, class S>
  static HAFT_FN V apply(V x, S lo, S hi) {
    return op_clamp::apply(x, lo, hi);
  }
};
struct op_hardsigmoid {
  template <class V>
  static HAFT_FN V apply(V x) {
    return op_clamp::apply(x * V(1.0 / 6) + V(0.5), V(0), V(1));
  }
};
struct op_hardswish {
  template <class V>
  static HAFT_FN V apply(V x) {
    return x * op_hardsigmoid::apply(x);
  }
};
struct op_logsigmoid {
  template <class V>
  static HAFT_FN V apply(V x) {
    return select(x < V(0), x, V(0)) - log1p(exp(-abs(x)));
  }
};

struct op_relu_backward {
  template <class V>
  static HAFT_FN V apply(V grad, V out) {
    return select(out <= V(0), V(0), grad);
  }
};
struct op_sigmoid_backward {
  template <class V>
  static HAFT_FN V apply(V grad, V out) {
    return mul(mul(grad, out), sub(V(1), out));
  }
};
struct op_tanh_backward {
  template <class V>
  static HAFT_FN V apply(V grad, V out) {
    return mul(grad, sub(V(1), mul(out, out)));
  }
};
struct op_gelu_backward {
  template <class V>
  static HAFT_FN V apply(V grad, V x, bool tanh_form) {
    if (tanh_form) {
      V x2 = x * x;
      V s = quotient(V(1), V(1) + exp(V(-1.5957691216057308) * x * (V(1) + V(0.044715) * x2)));
      return grad * (s + x * s * (V(1) - s) * V(1.5957691216057308) * (V(1) + V(0.134145) * x2));
    }
    V cdf = V(0.5) * (V(1) + erf(x * V(0.70710678118654752)));
    return grad * (cdf + x * V(0.39894228040143268) * exp(V(-0.5) * x * x));
  }
};
struct op_silu_backward {
  template <class V>
  static HAFT_FN V apply(V grad, V x) {
    V s = quotient(V(1), V(1) + exp(-x));
    return grad * s * (V(1) + x * (V(1) - s));
  }
};
